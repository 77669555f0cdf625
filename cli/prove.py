"""``cltheory prove``."""

from __future__ import annotations

import click

from .label_files import inputs_of
from .parameters import result_command, split
from .progress import telling
from .tables import labelled
from .writing import formats, json_text

#: Modules of the axioms of machine numbers.
MACHINE = ("Uint63", "Uint63Axioms", "PrimInt63", "PrimFloat", "FloatAxioms")
MEANS = (
    "the formula of each step is proved for all parameters in their ranges; that it means what its "
    "title says of the loss rests on earlier steps, including those left out"
)


@result_command(
    "prove",
    """  cltheory prove supcl-threshold
  cltheory prove supcl-threshold --m 10 --n 50 --tau 0.1 --digits 30
  cltheory prove simclr --format json
""",
)
@click.option("--digits", type=click.IntRange(1, 1000), default=15, help="Significant digits.")
@click.option("--all", "whole", is_flag=True, help="List also what was not written for Rocq.")
@formats("text", "json")
def prove_command(
    id: str, parameters: tuple[str, ...], digits: int, whole: bool, style: str
) -> int:
    """Have the kernel of Rocq check the result ID: its theorems, and its numbers at PARAMETERS.

    Theorems hold for all real values of the parameters in their ranges. PARAMETERS are --name value
    pairs, as of `cltheory derive`; each number that they give is proved to the last digit. Steps
    that are not written for Rocq are counted, and listed with --all.

    Exit code: 0 all that was written is accepted; 1 Rocq refused a proof, or it rests on an axiom
    that is not expected; 2 bad input, or Rocq (coqc) is not installed.
    """
    values = split(parameters, id)
    from ..derive.results import results
    from ..derive.write.rocq.check import check, installed
    from ..derive.write.rocq.document import files, written

    version = installed()
    result = results[id]
    made = inputs_of(result, values)
    result = result.with_inputs(at=values or None, **made) if made else result
    point = result.point(**values)
    with telling(f"proving {id}") as tell:
        tell("writing its theorems")
        found = written(result, point, digits)
        left = [f"{k}: {why}" for k, why in found.left.items()]
        if not found.theorems:
            why = next(iter(left), "it has none")
            numbers = "" if point else "; its numbers are, where its parameters are given"
            raise click.UsageError(f"no step of {id} is written for Rocq ({why}){numbers}")
        tell(f"{len(found.theorems)} theorems in Rocq")
        checked = check(files("statements", [found]))
    at = ", ".join(f"{s} = {v}" for s, v in point.items())
    if style == "json":
        told = {
            "id": id,
            "parameters": {s.name: str(v) for s, v in point.items()},
            "rocq": version,
            "accepted": checked.accepted,
            "evidence": "kernel" if checked.accepted else None,
            "kernel": found.rung if checked.accepted else None,
            "theorems": [
                {"name": t.called, "title": t.title, "statement": t.statement}
                for t in found.theorems
            ],
            "not_written": dict(found.left),
            "axioms": list(checked.axioms),
            "unexpected": list(checked.unexpected),
            "error": checked.error or None,
            "seconds": round(checked.seconds, 1),
        }
        click.echo(json_text(told))
        return 0 if checked.accepted else 1
    if not checked.accepted:
        why = checked.error or f"it rests on {', '.join(checked.unexpected)}"
        click.echo(f"cltheory: {id}: not proved by Rocq {version}: {why[:500]}", err=True)
        return 1
    count = len(found.theorems)
    rows = [
        ("rung", found.rung or "none"),
        ("means", MEANS),
        ("axioms", _axioms(checked.axioms)),
        (
            "left out",
            f"steps or numbers that our own engine alone has checked: {len(left)}"
            + ("" if whole else " (--all lists them)"),
        ),
        *(("", one) for one in left if whole),
    ]
    lines = [
        f"{id}{f' at {at}' if at else ''}: Rocq {version} accepted {count} "
        f"theorem{'s' * (count != 1)} in {checked.seconds:.0f} s  [kernel]",
        "",
        *(line for t in found.theorems for line in labelled("", t.title, hang=2)),
        "",
        *(line for label, text in rows for line in labelled(label, text, hang=2)),
    ]
    click.echo("\n".join(lines))
    return 0


def _axioms(axioms: tuple[str, ...]) -> str:
    """The axioms by their short names; those of machine numbers, which are many, as one."""
    machine = [a for a in axioms if a.split(".")[0] in MACHINE]
    others = [a.rpartition(".")[2] for a in axioms if a not in machine]
    numbers = ["machine integers and floats"] if machine else []
    return ", ".join([*others, *numbers]) or "none"
