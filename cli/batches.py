"""``--batch B``: from what is about all data to what is about batches that are drawn from them."""

from __future__ import annotations

import click

from ..derive.problems.catalogue import CATALOGUE, is_file
from ..derive.results import results
from .parameters import takes_declared

UNIFORM = "uniform"
#: One of the results about batches, which are neighbours.
DRAWN = "supcl-batches"
#: Any loss, over batches or not.
PHASES = "phases"
#: What is done with an anchor that is alone in its class, as the quantities are called.
ALONE = ("attraction", "term", "renormalise", "skip")


batch_option = click.option(
    "--batch",
    type=click.IntRange(2),
    metavar="B",
    help="Instances in a batch: the loss is then the mean over all batches.",
)
sampling_option = click.option(
    "--sampling",
    metavar="uniform|balanced:K",
    help="With --batch: B of all instances, or K of each class drawn (default: uniform).",
)
alone_option = click.option(
    "--alone",
    type=click.Choice(ALONE),
    help="With --batch: what is dropped for an anchor alone in its class (default: each).",
)


def over_batches(
    id: str,
    batch: int | None,
    sampling: str | None,
    alone: str | None = None,
    words: tuple[str, ...] = (),
) -> tuple[str, tuple[str, ...]]:
    """The id of the result about batches, and the parameters that say what batches they are.

    Where no result is about the loss and such batches, or none with the parameters among the
    ``words`` that were typed, it is ``phases`` of the loss.

    Raises
    ------
    click.UsageError
        If the options do not fit together, or the result is not about a loss that is known.
    """
    if batch is None:
        if sampling or alone:
            raise click.UsageError(f"{'--sampling' if sampling else '--alone'} needs --batch B")
        return id, ()
    kind, _, each = (sampling or UNIFORM).partition(":")
    balanced = kind == "balanced"
    if kind not in (UNIFORM, "balanced") or balanced is not each.isdecimal():
        raise click.UsageError(f"--sampling is uniform or balanced:K, not {sampling!r}")
    if balanced and alone:
        raise click.UsageError("no anchor is alone in its class in balanced batches: omit --alone")
    if balanced and (int(each) < 1 or batch % int(each)):
        raise click.UsageError(f"a batch of {batch} is not made of classes of {each} instances")
    sizes = {"C": batch // int(each), "k": each} if balanced else {"B": batch}
    drawn = tuple(f"--{name}={value}" for name, value in sizes.items())
    any_loss = (f"--sampling={kind}", *((f"--alone={alone}",) if alone else ()), *drawn)
    if is_file(id):
        return PHASES, (f"--loss={id}", *any_loss)
    if takes_declared(id):
        return id, any_loss
    loss = results[id].declared
    near = [results[other] for k in (DRAWN, id) for other in results.family(k)]
    typed = {w[2:].partition("=")[0] for w in words if w.startswith("--")}
    for r in near:
        if r.draw is None or (r.declared, r.draw.sampling) != (loss, kind) or loss is None:
            continue
        if typed <= {s.name for s in (*r.parameters, *r.idle)}:
            if alone and not any(name.endswith(f"_{alone}") for name in r.quantities):
                raise click.UsageError(
                    f"no anchor of {id} lacks positives in a batch: omit --alone"
                )
            return r.id, drawn
    if loss is None or loss.name not in CATALOGUE:
        raise click.UsageError(
            f"--batch takes a result on a loss of the catalogue, or phases --loss NAME; {id} is "
            "about another, or none"
        )
    return PHASES, (f"--loss={loss.name}", *any_loss)
