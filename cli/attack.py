"""``cltheory attack``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..derive.errors import Refusal
from .numeric_options import (
    COLDEST,
    DEVICE,
    HOTTEST,
    SCHEDULER,
    SEEDS,
    WORKERS,
    different,
    need_torch,
    numbers,
    parse_workers,
)
from .parameters import ResultId, read_assigned, read_text, short
from .progress import counting
from .tables import Column, show_table
from .writing import FORCE, NewFile, check_different, check_writable, formats, json_text, write

if TYPE_CHECKING:
    from ..derive.theorem.result import Result
    from ..numeric.attack import Attack, Record, Sides

FILE = click.Path(dir_okay=False)
#: The largest sizes.
MOST_VECTORS, MOST_DIMENSIONS = 200, 200
#: Bytes of a file that is replayed.
MAX_FILE = 20_000_000
#: Numbers of a counterexample that is printed in full.
PRINTED = 60
INTERRUPTED = 130


@click.command(
    "attack",
    epilog="""\b
Examples:
  cltheory attack spectral-band
  cltheory attack spectral-band --quantity upper --n 3,4,6,10 --d 1,2,3,8 --seeds 0-4
  cltheory attack spectral-band-printed --set c=1/2 --tau 0.1 --out broken.json
  cltheory attack spectral-band-printed --replay broken.json
  cltheory attack spectral-band --seeds 0-99 --workers 8 --table attacked.csv
""",
)
@click.argument("id", type=ResultId())
@click.option("--quantity", "names", multiple=True, help="Bound to attack (default: all).")
@SEEDS
@click.option("--n", "n", default="3,4,6,10", help="Numbers of vectors, such as 3,4,6 or 3-6.")
@click.option("--d", "d", default="1,2,3,8", help="Dimensions, such as 1,2,3 or 1-3.")
@click.option("--tau", default="free", help="Temperatures, or 'free' to search them.")
@click.option(
    "--set",
    "assigned",
    multiple=True,
    metavar="NAME=VALUE",
    help="Value of a constant in the bound, such as c=1/2; may be repeated.",
)
@click.option(
    "--starts", type=click.IntRange(1, 10**5), default=48, help="Starts for each size and seed."
)
@click.option("--out", type=FILE, help="Write the configurations to this file.")
@FORCE
@click.option(
    "--table",
    type=NewFile(dir_okay=False, path_type=Path),
    help="CSV file of finished sizes and seeds, from which a run resumes.",
)
@WORKERS
@SCHEDULER
@click.option(
    "--replay",
    "replayed",
    type=FILE,
    help="Only recompute both sides of the bounds at the configurations in this file.",
)
@click.option(
    "--digits", type=click.IntRange(15, 1000), default=50, help="Significant digits of --replay."
)
@DEVICE
@formats("text", "json")
def attack_command(
    id: str,
    names: tuple[str, ...],
    seeds: list[int],
    n: str,
    d: str,
    tau: str,
    assigned: tuple[str, ...],
    starts: int,
    out: str | None,
    force: bool,
    table: Path | None,
    workers: int,
    scheduler: str | None,
    replayed: str | None,
    digits: int,
    device: str,
    style: str,
) -> int:
    """Search for violations of the bounds of the result ID; exit 1 if a proved bound is violated.

    An optimiser maximises the ratio of the bounded quantity to an upper bound, or of a lower bound
    to the bounded quantity, over configurations (vectors and a temperature) of many sizes. A ratio
    above 1 counts as a violation only if it is confirmed at 50 digits. A bound marked as printed is
    taken from a paper; a violation of it is a finding and leaves the exit code at 0.

    Sizes: n is the number of all vectors of a configuration. An anchor with a positive has N = n-2
    negatives, a batch has n/2 pairs, and a batch with a separate candidate has n-1 vectors.
    """
    if replayed is None:
        sizes = different("--n", n, 2, MOST_VECTORS), different("--d", d, 1, MOST_DIMENSIONS)
        among = "free" if tau == "free" else numbers("--tau", tau, COLDEST, HOTTEST, low_open=False)
    values = read_assigned(assigned)
    if replayed is not None and (names or assigned or out is not None or table is not None):
        raise click.UsageError(
            "--replay takes the bound and its numbers from the file and writes nothing: "
            "no --quantity, --set, --out or --table"
        )
    processes = parse_workers(workers, scheduler)
    if out is not None:
        check_writable(out, reads=(), force=force)
    if table is not None:
        check_writable(table, reads=(), force=True)
    check_different({"out": out, "table": table} if out and table else {})
    need_torch()
    from ..derive.results import results

    result = results[id]
    _check_bounds(result)
    if replayed is not None:
        return _replay(result, replayed, digits, style)
    from ..numeric.attack import Target, attack, bounds_of, dump, spaces_of

    # All that is refused is refused before the first is attacked.
    todo = {}
    for name in names or bounds_of(result):
        todo[name] = {k: v for k, v in values.items() if _takes(result, name, k)}
        spaces_of(Target.from_result(result, name, todo[name]), *sizes)
    done: list[Attack] = []
    for name, constants in todo.items():
        said: list[str] = []
        with counting(f"attacking {name}") as count:

            def advance(part: int, whole: int, count: Any = count, said: list[str] = said) -> None:
                count(part, whole, said[-1])

            found = attack(
                result,
                name,
                seeds=seeds,
                n=sizes[0],
                d=sizes[1],
                tau=among,
                starts=starts,
                device=device,
                progress=advance,
                tell=said.append,
                constants=constants,
                table=table,
                workers=processes,
            )
        done.append(found)
        if found.ended == "interrupted":
            break
    records = [a.record for a in done if a.record is not None]
    if out is not None and records:
        write({out: dump(records)})
    if style == "json":
        click.echo(json_text(_as_json(id, done)))
    else:
        _show(id, done, out if records else None)
    if any(a.ended == "interrupted" for a in done):
        return INTERRUPTED
    return 1 if any(a.is_violated and not a.target.bound.printed for a in done) else 0


# --- options ---------------------------------------------------------------------------------
def _takes(result: Result, name: str, symbol: str) -> bool:
    """Whether a bound has this number; what none of them has is left for the refusal."""
    from ..numeric.attack import bounds_of

    having = [k for k, b in bounds_of(result).items() if symbol in map(str, b.readings)]
    return not having or name in having


def _check_bounds(result: Result) -> None:
    from ..numeric.attack import bounds_of

    if not bounds_of(result):
        raise click.UsageError(
            f"{result.id} has no bounds; results on the gradient and its spectrum have them, such "
            "as spectral-band ('cltheory list gradient')"
        )


# --- replay ----------------------------------------------------------------------------------
def _replay(result: Result, path: str, digits: int, style: str) -> int:
    from mpmath import nstr

    from ..numeric.attack import BadRecord, Target, load, replay
    from ..numeric.attack.target import COUNTS

    code, rows, text = 0, [], read_text(path, MAX_FILE)
    try:
        for record in load(text):
            if record.result != result.id:
                raise BadRecord(
                    f"the record belongs to {record.result[:60]!r}, not to {result.id!r}"
                )
            target = Target.from_result(result, record.quantity, record.constants)
            sides = replay(target, record, digits)
            code = max(code, int(sides.is_violated and not target.bound.printed))
            rows.append((target, record, sides))
    except Refusal as refusal:
        raise click.UsageError(f"{short(path)}: {refusal}") from None

    def shown(value: Any, name: str = "") -> str:
        return str(int(value)) if name in COUNTS else str(nstr(value, digits))

    if style == "json":
        found = [
            {
                **record.as_json(),
                "bounded": shown(sides.bounded),
                "bound": shown(sides.bound),
                "ratio": None if sides.ratio is None else shown(sides.ratio),
                "violated": sides.is_violated,
                "readings": {k: shown(v, k) for k, v in sorted(sides.readings.items())},
            }
            for _, record, sides in rows
        ]
        click.echo(json_text(found))
        return code
    for target, record, sides in rows:
        bound = target.bound
        click.echo(f"{result.id} {record.quantity}: {_size(record)}, {record.how or 'given'}")
        lines = {k: shown(v, k) for k, v in sorted(sides.readings.items()) if k != bound.bounded}
        lines[bound.bounded] = shown(sides.bounded)
        lines[f"{record.quantity} ({bound.side} bound)"] = shown(sides.bound)
        lines["ratio"] = "0/0" if sides.ratio is None else shown(sides.ratio)
        wide = max(map(len, lines))
        click.echo("\n".join(f"  {name:<{wide}}  {value}" for name, value in lines.items()))
        click.echo(f"  {_verdict(sides, bound.printed)}")
    return code


def _verdict(sides: Sides, printed: bool) -> str:
    if not sides.is_violated:
        return "the bound holds there"
    return "the bound is violated there" + ", as printed" * printed


# --- what is said ----------------------------------------------------------------------------
VERDICTS = {"not violated": "green", "violated": "red", "violated as printed": "yellow"}
COLUMNS = (
    Column("quantity"),
    Column("bounds"),
    Column("largest ratio", number=True),
    Column("at"),
    Column("seed", number=True),
    Column("starts", number=True),
    Column("ended"),
    Column("verdict", styles=VERDICTS),
)


def _show(id: str, done: list[Attack], out: str | None) -> None:
    broken = sum(a.is_violated for a in done)
    printed = sum(a.is_violated and a.target.bound.printed for a in done)
    untried = sum(a.record is None for a in done)
    click.echo(
        f"{len(done)} bound{'s' * (len(done) != 1)} attacked, {broken} violated"
        + (f" ({printed} as printed)" if printed else "")
        + (f", {untried} not compared" if untried else "")
        + (f"; wrote {out}" if out is not None else "")
    )
    show_table(f"{id}: the closest an adversary came", COLUMNS, [_row(a) for a in done])
    for a in done:
        if a.smallest is None:
            continue
        said = "does not hold as printed" if a.target.bound.printed else "is violated"
        where = "; ".join(_extent(a, size) for size in a.violated[:6])
        more = f" and {len(a.violated) - 6} more" * (len(a.violated) > 6)
        click.echo(f"{a.target.name} {said}: {where}{more}")
        click.echo(f"  smallest, ratio {_ten(a.smallest)}")
        rows = [f"{name} {_vectors(value)}" for name, value in a.smallest.vectors.items()]
        if a.smallest.tau is not None:
            rows.append(f"tau {a.smallest.tau}")
        click.echo("\n".join(f"    {row}" for row in rows))
    if any(a.ended == "interrupted" for a in done):
        click.echo("cltheory: interrupted; what was found until then is above", err=True)


def _row(a: Attack) -> tuple[str, ...]:
    bound = a.target.bound
    sign = "<=" if bound.side == "upper" else ">="
    held = "not compared" if a.record is None else "not violated"
    verdict = "violated" + " as printed" * bound.printed if a.is_violated else held
    return (
        a.target.name,
        f"{bound.bounded} {sign}",
        "none" if a.record is None else _ten(a.record),
        "" if a.record is None else _size(a.record),
        "" if a.record is None else str(a.record.seed),
        str(a.starts),
        a.ended,
        verdict,
    )


def _ten(record: Record) -> str:
    """The ratio to ten digits, told from 1 where it is not 1."""
    from mpmath import mp, mpf, nstr

    with mp.workdps(60):
        ratio = mpf(record.ratio)
        if ratio != 1 and abs(ratio - 1) < mpf(10) ** -7:
            return f"1 {'-' if ratio < 1 else '+'} {nstr(abs(ratio - 1), 2)}"
        return str(nstr(ratio, 10))


def _size(record: Record) -> str:
    from ..numeric.attack.stored import shape_of

    shapes = {name: shape_of(value) for name, value in record.vectors.items()}
    if "logits" in shapes:
        return f"N = {shapes['logits'][0]}"
    name, more = next(x for x in (("negatives", 2), ("z", 0), ("batch", 1)) if x[0] in shapes)
    count, d = shapes[name][-2:]
    tau = "" if record.tau is None else f", tau = {float(record.tau):.3g}"
    return f"n = {count + more}, d = {d}{tau}"


def _extent(a: Attack, size: tuple[int, int]) -> str:
    n, d = size
    return f"n = {n}, d = {d}" if d else f"N = {n - 2}"


def _vectors(value: Any) -> str:
    def text(part: Any) -> str:
        return part if isinstance(part, str) else f"({', '.join(map(text, part))})"

    said = text(value)
    return said if said.count(",") < PRINTED else f"{said[:200]} ...: --out writes all"


def _as_json(id: str, done: list[Attack]) -> dict[str, Any]:
    from mpmath import nstr

    def side(a: Attack, name: str) -> str | None:
        return None if a.sides is None else nstr(getattr(a.sides, name), 50)

    return {
        "id": id,
        "violated": [a.target.name for a in done if a.is_violated],
        "attacks": [
            {
                "quantity": a.target.name,
                "side": a.target.bound.side,
                "bounded": a.target.bound.bounded,
                "about": a.target.about.name,
                "printed": a.target.bound.printed,
                "violated": a.is_violated,
                "ratio": None if a.record is None else a.record.ratio,
                "bounded_value": side(a, "bounded"),
                "bound_value": side(a, "bound"),
                "configuration": None if a.record is None else a.record.as_json(),
                "sizes": [
                    {"n": n, "d": d, "ratio": str(ratio), "violated": (n, d) in a.violated}
                    for (n, d), ratio in sorted(a.sizes.items())
                ],
                "smallest": None if a.smallest is None else a.smallest.as_json(),
                "ended": a.ended,
                "seeds": list(a.seeds),
                "starts": a.starts,
                "dtype": a.dtype,
                "device": a.device,
                "seconds": round(a.seconds, 3),
            }
            for a in done
        ],
    }
