"""``cltheory certify``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import ROUND_CEILING, Context, Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from .label_files import inputs_of
from .numeric_options import DEVICE, dimension, need_torch
from .parameters import (
    ResultId,
    parameter_names,
    read_text,
    result_command,
    short,
    split,
)
from .progress import telling
from .writing import FORCE, RocqFile, check_writable, formats, json_text, write

if TYPE_CHECKING:
    from sympy import Expr, Symbol

    from ..derive.certificate import Proved
    from ..derive.problems.problem import Problem
    from ..derive.theorem.bounded import Bound
    from ..derive.theorem.result import Result

#: A file of more bytes is no certificate: one of 2,000 points has some 200 MB.
LARGEST = 400_000_000
#: Digits of the inner products of a derived optimum, and what its gap is then about.
DIGITS = 40
#: Of a bound on the loss, which is rounded down, and of what is left, which is rounded up.
SHOWN = 9
ABOVE = Context(prec=SHOWN, rounding=ROUND_CEILING)


class Target(ResultId):
    """The id of a result, or a certificate to replay."""

    name = "id or file.json"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Refuse what is neither."""
        if str(value).endswith(".json"):
            return str(click.Path().convert(value, param, ctx))
        return super().convert(value, param, ctx)


@result_command(
    "certify",
    """  cltheory certify supcl-optimum --m 3 --n 3 --p 2 --alpha 3/4 --tau 1/2 --out optimum.json
  cltheory certify supcon-imbalanced --sizes 2,2,4 --tau 1/10
  cltheory certify phases --loss supcon --m 3 --n 2 --p 2 --tau 0.1 --search --out found.json
  cltheory certify optimum.json
  cltheory certify supcl-optimum --m 3 --n 3 --p 2 --alpha 3/4 --tau 1/2 --rocq optimum.v

A certificate can also be replayed without this package: derive/certificate.py is one file that
needs Python and python-flint only.
""",
    Target(),
    "ID|FILE.json",
)
@click.option("--out", type=click.Path(dir_okay=False), help="Write the certificate to this file.")
@click.option(
    "--rocq",
    type=RocqFile(dir_okay=False, path_type=str),
    help="Write the bound as a theorem for Rocq (NAME.v) and its proof.",
)
@FORCE
@click.option("--search", is_flag=True, help="Certify optimised embeddings.")
@dimension("Dimension (default: number of embeddings).")
@click.option("--seed", type=click.IntRange(min=0), default=0, help="Random seed of the search.")
@DEVICE
@formats("text", "json")
def certify_command(
    id: str,
    parameters: tuple[str, ...],
    out: str | None,
    rocq: str | None,
    force: bool,
    search: bool,
    d: int | None,
    seed: int,
    device: str,
    style: str,
) -> int:
    """Certify how far the loss of derived or optimised embeddings is above its minimum.

    For the result ID with a number for every parameter, the derived inner products are certified
    to 40 digits; if the result has none, or with --search, optimised embeddings are certified.
    FILE.json is a certificate, which is replayed in ball arithmetic without solving or searching.
    Exit 1 if the certificate does not prove its claim.
    """
    if id.endswith(".json"):
        if parameters:
            raise click.UsageError(f"unexpected {parameters[0]!r}: a certificate has no parameters")
        file = _read(id)
        code = _told(id, file, style)
        if rocq is not None and code == 0:
            named = _bound(file)
            if named is None:
                raise click.UsageError(f"{id} is not about the loss that its title names")
            write(_for_rocq(rocq, file, named, force))
        return code
    also = () if "p" in parameter_names(id) else ("p",)
    values = split(parameters, id, *also)
    from ..derive.certificate import Refused
    from ..derive.results import results

    if out is not None:
        check_writable(out, reads=values.values(), force=force)
    result = results[id]
    made = inputs_of(result, values)
    result = result.with_inputs(**made) if made else result
    if result.draw is not None:
        raise click.UsageError(f"{id} is about a mean over batches, which is not certified")
    if result.problem is None:
        raise click.UsageError(f"{id} {_lacks(result)}: there is nothing to certify")
    point = _point(result, result.problem, values)
    with telling(f"certifying {id}") as tell:
        try:
            tell("deriving inner products")
            inner = None if search else _derived(result, result.problem, values, point)
            tell("searching for embeddings" if inner is None else "solving for the multipliers")
            file = _file(result.problem, point, inner, d, seed, device)
            file["parameters"] = {**result.inputs, **file["parameters"]}
        except Refused as error:
            raise click.UsageError(f"{id} cannot be certified: {error}") from None
    named = Named(result.problem, dict(result.inputs))
    wanted = {out: json.dumps(file, indent=1) + "\n"} if out is not None else {}
    wanted |= _for_rocq(rocq, file, named, force) if rocq is not None else {}
    write(wanted)
    least = _least(result, values, d) if search and d is not None else None
    return _told(out or id, file, style, named, least)


def _least(result: Result, values: dict[str, str], d: int) -> Bound | None:
    """The best proved bound on the loss in d dimensions."""
    from ..derive.decide.domain import DomainError
    from ..derive.theorem.bounded import bound_at

    made = result.with_inputs(at=values) if result.at_values else result
    known = {s.name for s in made.parameters}
    try:
        return bound_at(made, **{k: v for k, v in values.items() if k in known}, d=d)
    except DomainError:  # the result says nothing of the minimum at these values
        return None


def _for_rocq(name: str, file: dict[str, Any], named: Named, force: bool) -> dict[str, str]:
    """A certificate as a theorem, with its proof and what that rests on beside it, by file."""
    from ..derive.decide.exact import exact
    from ..derive.papers.sources import MADE_BY
    from ..derive.write.rocq.certified import certified, inner_of
    from ..derive.write.rocq.document import Written, files
    from ..derive.write.rocq.terms import NotWritten

    symbols = {s.name: s for s in named.problem.domain.ranges}
    try:
        given = file["parameters"].items()
        point = {symbols[k]: exact(v) for k, v in given if k in symbols}
        stem = Path(name).stem
        theorems = certified(
            stem, named.problem, point, inner_of(file), file["claim"], file.get("sides", ())
        )
        texts = files(stem, [Written(_about(file, named), theorems)])
    except NotWritten as why:
        raise click.UsageError(f"{name}: no theorem for Rocq: {why}") from None
    wanted = {str(Path(name).with_name(part)): text for part, text in texts.items()}
    for path in wanted:
        check_writable(path, reads=(), force=force, mark=MADE_BY)
    return wanted


def _lacks(result: Result) -> str:
    """Why a result has no problem."""
    if result.declared is None:
        return "declares no loss on a structure"
    if getattr(result.declared, "similarity", None) is not None:
        return "is about a loss that need not be convex in the Gram matrix"
    return "is about any number of classes"


def _point(result: Result, problem: Problem, values: dict[str, str]) -> dict[Symbol, Expr]:
    """An exact, finite number for every symbol of a problem."""
    from ..derive.decide.domain import DomainError
    from ..derive.decide.exact import exact

    symbols = {s.name: s for s in problem.domain.ranges}
    unknown = [name for name in values if name not in symbols]
    if unknown:
        raise click.UsageError(f"{result.id} has no parameter {unknown[0]}")
    missing = [name for name in symbols if name not in values]
    if missing:
        raise click.UsageError(f"a certificate needs numbers: add --{', --'.join(missing)}")
    point = {}
    for name, value in values.items():
        try:
            point[symbols[name]] = exact(value)
        except ValueError as error:
            raise DomainError(f"{name}: {error}") from None
        if not point[symbols[name]].is_finite:
            raise DomainError(f"a certificate needs finite numbers, not {name} = {value}")
    problem.domain.check(point)
    return point


def _derived(
    result: Result, problem: Problem, values: dict[str, str], point: dict[Symbol, Expr]
) -> dict[str, str] | None:
    """The derived inner product of every relation, if the result has them all."""
    from sympy import Rational

    from ..derive.decide.domain import DomainError

    relations = [
        r.name
        for r in problem.structure.relations
        if r.kind != "self" and r.count.xreplace(point) != 0
    ]
    made = result.with_inputs(at=values) if getattr(result, "at_values", False) else result
    known = {s.name for s in made.parameters}
    parameters = {k: v for k, v in values.items() if k in known}
    segment = made.segment() if made.segment is not None else None
    found: dict[str, str] = {}
    try:
        arrays = _entries(made, parameters)
        for r in relations:
            if r in made.quantities:
                found[r] = str(made.value(r, digits=DIGITS, **parameters))
            elif r in arrays:
                found[r] = arrays[r]
            elif segment is not None:  # where on it the optimum is, says what it is not asked for
                x = Rational(str(made.value("x_star", digits=DIGITS + 5, **parameters)))
                along = segment.inner[r].xreplace(point).xreplace({segment.x: x})
                found[r] = str(along.evalf(DIGITS))
            else:
                return None
    except (AttributeError, DomainError):
        return None
    return found


def _entries(result: Result, parameters: dict[str, str]) -> dict[str, str]:
    """The inner products that are quantities of another name, or entries of arrays."""
    from ..derive.theorem.measure import PRODUCT, Entries, Reading

    found: dict[str, str] = {}
    for name, measure in result.measures().items():
        if isinstance(measure, Reading) and measure.expression.is_Symbol:
            symbols = {
                measure.expression.name: str(result.value(name, digits=DIGITS, **parameters))
            }
        elif isinstance(measure, Entries):
            rows = result.value(name, digits=DIGITS, **parameters)
            assert isinstance(rows, list)
            entries = (e for row in measure.rows for e in row)
            values = (str(v) for row in rows for v in row)
            symbols = {e.name: v for e, v in zip(entries, values, strict=True) if e.is_Symbol}
        else:
            continue
        found |= {k.removeprefix(PRODUCT): v for k, v in symbols.items() if k.startswith(PRODUCT)}
    return found


def _file(
    problem: Problem,
    point: dict[Symbol, Expr],
    inner: dict[str, str] | None,
    d: int | None,
    seed: int,
    device: str,
) -> dict[str, Any]:
    if inner is None:
        need_torch()
    from ..derive.certificate import LARGEST as MOST_POINTS
    from ..derive.certificate import Refused
    from ..numeric.search.certify import certificate_of

    if inner is not None:
        return certificate_of(problem, point, inner=inner)
    from ..numeric.search.optimiser import minimise

    numbers = {s.name: int(v) if s.is_integer else float(v) for s, v in point.items()}
    size = int(problem.structure.size.xreplace(point))
    if size > MOST_POINTS:
        raise Refused(f"{size} points; a certificate has from 1 to {MOST_POINTS}")
    found = minimise(problem, numbers, d=d or size, seeds=[seed], device=device)
    return certificate_of(problem, point, embeddings=found.embeddings[0].cpu().numpy())


def _read(name: str) -> Any:
    """The content of a file that a user hands over."""
    from ..derive.certificate import Refused, from_json

    text = read_text(name, LARGEST)
    try:
        return from_json(text)
    except Refused as error:
        raise click.UsageError(f"{name}: {error}") from None
    except (ValueError, RecursionError):
        raise click.UsageError(f"{name} is not valid JSON: not a certificate") from None


def _told(
    name: str,
    file: Any,
    style: str,
    named: Named | None = None,
    least: Bound | None = None,
) -> int:
    """Replay a certificate and say what it proves; ``named`` is what it was made of.

    ``least`` is a bound on the loss in the dimension of its embeddings, and which it is.
    """
    from ..derive.certificate import Refused, replay

    try:
        with telling(f"replaying {name}"):
            proved: Proved | None = replay(file)
        why = ""
    except Refused as error:
        proved, why = None, str(error)
    about = _about(file, named) if proved else ""
    if style == "json":
        found: dict[str, Any] = {"evidence": "interval"} if proved else {"refused": why}
        if proved:
            found["bound"] = _bound(file, named) is not None
            found |= {"loss": file["claim"]["loss"], "gap": file["claim"]["gap"], "about": about}
        if proved and least is not None:
            found |= {"loss_at_least": str(least.below(15)), "loss_at_least_by": least.which}
            found["loss_at_least_evidence"] = str(least.grade)
        click.echo(json_text({"certificate": name} | found))
    elif proved is None:
        click.echo(f"cltheory: {name}: refused: {why}", err=True)
    else:
        loss, gap = file["claim"]["loss"], file["claim"]["gap"]
        click.echo(f"loss {loss}, at most {gap} above its minimum  [interval]")
        click.echo(about)
        if least is not None:
            bound = least.below(SHOWN)
            left = ABOVE.subtract(Decimal(loss), bound)
            click.echo(
                f"no embeddings of this dimension have a loss below {bound} ({least.which}),"
            )
            click.echo(f"so none is better than these by more than {left:g}  [{least.grade.text}]")
    return 0 if proved is not None else 1


class Named(NamedTuple):
    """A problem, and the parameters that it was made with, such as sizes of classes."""

    problem: Problem
    inputs: dict[str, str]


def _about(file: dict[str, Any], named: Named | None) -> str:
    """The loss that a certificate is about: by its name only if it is what the name means."""
    if _bound(file, named) is not None:
        at = ", ".join(f"{k} = {v}" for k, v in file["parameters"].items())
        return f"{file['title']} at {at}"
    what = f"the loss {json.dumps(file['loss'])} on points {file['axes']} "
    what += f"with the relations {json.dumps(file['pattern'])}, of no known name"
    called = file.get("title")
    if isinstance(called, str) and any(_known(called, file.get("parameters"))):
        what += f": that it is {short(called)}, as the file says, was not confirmed"
    return what


def _bound(file: dict[str, Any], named: Named | None = None) -> Named | None:
    """The problem that a certificate names, if its loss and points are those derived from it."""
    title, given = file.get("title"), file.get("parameters")
    if not isinstance(title, str) or not isinstance(given, dict):
        return None
    among = [named] if named is not None else _known(title, given)
    return next((known for known in among if _is_about(file, known)), None)


def _known(title: str, given: object) -> Iterator[Named]:
    """The problems there are with this title, at sizes of classes if the parameters have some."""
    from ..derive.decide.domain import DomainError
    from ..derive.problems.catalogue import CATALOGUE
    from ..derive.results import results

    problems = [*CATALOGUE.values(), *(results[id].problem for id in results)]
    yield from (Named(p, {}) for p in problems if p is not None and p.loss.title == title)
    texts = (
        {k: v for k, v in given.items() if isinstance(v, str)} if isinstance(given, dict) else {}
    )
    for id in results:
        inputs: dict[str, Any] = {k: texts[k] for k in results[id].lists if k in texts}
        try:
            problem = results[id].with_inputs(at=None, **inputs).problem if inputs else None
        except DomainError:  # it takes others
            continue
        if problem is not None and problem.loss.title == title:
            yield Named(problem, inputs)


def _is_about(file: dict[str, Any], named: Named) -> bool:
    """Whether the points, the relations and the loss are those of a problem at the parameters."""
    from ..derive.decide.domain import DomainError
    from ..derive.decide.exact import exact
    from ..numeric.search.certify import declared

    symbols = {s.name: s for s in named.problem.domain.ranges}
    others = {k: v for k, v in file["parameters"].items() if k not in symbols}
    try:
        values = {symbols[k]: exact(v) for k, v in file["parameters"].items() if k in symbols}
        named.problem.domain.check(values)
        meant = declared(named.problem, values)
    except (DomainError, KeyError, ValueError, TypeError):
        return False
    return others == named.inputs and all(file[k] == meant[k] for k in ("axes", "pattern", "loss"))
