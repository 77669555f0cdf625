"""``cltheory derive``."""

from __future__ import annotations

from typing import Literal

import click

from .batches import alone_option, batch_option, over_batches, sampling_option
from .guard import Limits, go_on_in_a_copy, options
from .parameters import convention_names, result_command, split
from .writing import COLUMNS, RENAME, formats

FORMATS = ("text", "json", "latex", "markdown", "python", "javascript")
TYPESET = ("json", "latex", "markdown")
#: How formulas are laid out line by line, for those that have lines.
LAID_OUT: dict[str, Literal["text", "tex"]] = {"text": "text", "latex": "tex", "markdown": "tex"}


@result_command(
    "derive",
    """  cltheory derive supcl-threshold --m 10
  cltheory derive supcl-threshold --m 10 --n oo --tau 0.1 --digits 30
  cltheory derive supcl-threshold --m 10 --dim 9
  cltheory derive supcl-optimum --m 10 --n 10 --p 2 --alpha 1/2 --tau 0.2 --format json
  cltheory derive supcl-threshold --format latex --proof --standalone > proof.tex
  cltheory derive supcl-threshold --m 10 --n 50 --p 2 --tau 0.1 --batch 100 --alone term
  cltheory derive supcl-optimum --m 4 --n 3 --p 2 --tau 0.5 --alpha 0.9 --batch 4 --alone term
  cltheory derive supcl-threshold --rename tau=T
  cltheory derive sigmoid-optimum --N 32768 --t 10 --b=-10 --convention siglip
""",
)
@formats(*FORMATS)
@click.option("--digits", type=click.IntRange(1, 10_000), default=15, help="Significant digits.")
@click.option(
    "--convention",
    type=click.Choice(convention_names()),
    help="Read parameters and print values in the convention of this library.",
)
@click.option(
    "--dim", type=click.IntRange(1), help="Say what holds for embeddings of this dimension."
)
@batch_option
@sampling_option
@alone_option
@options(time=60, memory=1, work="a result")
@click.option("--claims", is_flag=True, help="Check and list the printed claims of this result.")
@click.option(
    "--proof", "--steps", "proof", is_flag=True, help="Print the derivation; in LaTeX as a theorem."
)
@RENAME
@COLUMNS
@click.option("--standalone", is_flag=True, help="With --proof: print a document for pdflatex.")
@click.option("--all", "whole", is_flag=True, help="Print all quantities, and long arrays in full.")
@click.option("--brief", is_flag=True, help="Print quantities and the dimension only.")
def derive_command(
    id: str,
    parameters: tuple[str, ...],
    style: str,
    digits: int,
    convention: str | None,
    dim: int | None,
    batch: int | None,
    sampling: str | None,
    alone: str | None,
    seconds: float,
    gigabytes: float,
    claims: bool,
    proof: bool,
    rename: tuple[str, ...],
    columns: str,
    standalone: bool,
    whole: bool,
    brief: bool,
) -> int:
    """Derive the result ID and print its formulas, its loss, and how they are known.

    PARAMETERS are --name value pairs; parameters that are not given stay symbolic. Values are
    exact: 0.1 means 1/10, and 1/3, exp(-1), sqrt(2) and oo (a limit) are accepted. Write a list
    as 2,2,4, or give a list or a matrix as a .txt, .csv or .npy file. `cltheory derive ID --help`
    lists the parameters of ID and the functions that a loss of your own may use.

    Exit code: 0 success, even if a quantity has no value; 1 the theorem could not be proved for
    these parameters, or not within the limits; 2 bad input.
    """
    if standalone and not (proof and style == "latex"):
        raise click.UsageError("--standalone needs --format latex --proof")
    if columns != "1" and not (proof and style == "latex"):
        raise click.UsageError("--columns needs --format latex --proof")
    if proof and brief:
        raise click.UsageError("--proof and --brief exclude each other; give only one")
    if proof and convention and style == "latex":
        raise click.UsageError("a theorem is in the convention of its source: omit --convention")
    start_budget = go_on_in_a_copy(Limits(seconds, gigabytes))
    id, drawn = over_batches(id, batch, sampling, alone, parameters)
    values = split((*parameters, *drawn), id)
    from ..derive.results import results
    from ..derive.write.report import report
    from .render import render

    start_budget()
    result = results[id]
    made = {}
    if result.texts or result.lists:
        from .label_files import inputs_of

        made = inputs_of(result, values)
    if made or result.at_values:
        result = result.with_inputs(at={} if convention else values, **made)
    if dim is not None:
        from ..derive.theorem.bounded import with_bound

        has_own = "d" in {s.name for s in result.parameters}
        if has_own and "d" in values:
            raise click.UsageError("--d and --dim are the same here: give one")
        bounded = with_bound(result)
        if has_own or bounded is not result:
            values["d"] = str(dim)
        result = bounded
    if convention:
        result = result.in_convention(convention)
        if result.at_values:
            result = result.with_inputs(at=values)
    if alone and "alone" not in result.texts:
        result = result.of_quantities(lambda name: name.endswith(f"_{alone}"))
    point = result.point(**values)
    for name in [s.name for s in result.idle if s.name in values]:
        click.echo(f"cltheory: {name} plays no role: {id} holds for every {name}", err=True)
    renamed = {}
    if rename:
        from ..derive.write import renaming

        read = renaming.rename if style in TYPESET else renaming.rename_plainly
        renamed = read(rename, [result])
    if proof and style == "latex":
        from ..derive.write.layout.displays import room_of
        from ..derive.write.proofs.document import document, proof_of, snippet

        told = [proof_of(result, point, renamed, room_of(int(columns)))]
        click.echo(document(told, int(columns)) if standalone else snippet(told), nl=False)
        return 0
    found = report(
        result,
        point,
        digits,
        claims=not brief and (claims or style in ("json", "markdown")),
        typeset=style in TYPESET,
        steps=style == "json" or (proof and style == "markdown"),
        plain=LAID_OUT.get(style, ""),
        renamed=renamed,
    )
    given = {"brief": brief, "proof": proof, "whole": whole, "claims": claims}
    if dim is not None and not has_own and "verdicts" in found:
        from ..derive.theorem.dimensions import verdicts_at

        found["verdicts"] += verdicts_at(result, point, dim)
    click.echo(render(found, style, **given, result=result, point=point, renamed=renamed))
    return 0
