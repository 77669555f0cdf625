"""``--batch B``: from a result about all data to the one about batches that are drawn from them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from ..derive.results import results

UNIFORM = "uniform"
#: One of the results about batches, which are neighbours.
DRAWN = "supcl-batches"
#: What is done with an anchor that is alone of its class, as the quantities are called.
ALONE = ("attraction", "term", "renormalise", "skip")


def batch_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--batch`` and ``--sampling`` to a command on a result."""
    for option in (
        click.option(
            "--sampling",
            metavar="uniform|balanced:K",
            help="With --batch: B of all instances, or K of each class drawn (default: uniform).",
        ),
        click.option(
            "--batch",
            type=click.IntRange(2),
            metavar="B",
            help="Instances in a batch: the loss is then the mean over all batches.",
        ),
    ):
        command = option(command)
    return command


alone_option = click.option(
    "--alone",
    type=click.Choice(ALONE),
    help="With --batch: what is dropped for an anchor alone of its class (default: each).",
)


def over_batches(
    id: str, batch: int | None, sampling: str | None, alone: str | None = None
) -> tuple[str, tuple[str, ...]]:
    """The id of the result about batches, and the parameters that say what batches they are.

    Raises
    ------
    click.UsageError
        If the options do not fit together, or there is no such result.
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
        raise click.UsageError("no anchor is alone of its class in balanced batches: omit --alone")
    if balanced and (int(each) < 1 or batch % int(each)):
        raise click.UsageError(f"a batch of {batch} is not made of classes of {each} instances")
    near = {other: results[other] for k in (DRAWN, id) for other in results.family(k)}
    drawn = {(r.declared, r.draw.sampling): k for k, r in near.items() if r.draw is not None}
    if (of := (results[id].declared, kind)) not in drawn:
        losses = {loss for loss, sampling in drawn if sampling == kind}
        known = [k for k, r in near.items() if r.draw is None and r.declared in losses]
        raise click.UsageError(f"--batch is known for {', '.join(known)} ({kind}), not for {id}")
    if alone and not any(name.endswith(f"_{alone}") for name in results[drawn[of]]):
        raise click.UsageError(f"no anchor of {id} lacks positives in a batch: omit --alone")
    sizes = {"C": batch // int(each), "k": each} if balanced else {"B": batch}
    return drawn[of], tuple(f"--{name}={value}" for name, value in sizes.items())
