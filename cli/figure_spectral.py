"""``cltheory figure spectral-fig3``: the experiment on graphs of tan2024spectral, run again."""

from __future__ import annotations

from math import inf
from typing import Any

import click

from .figure_options import a_number, common, examples, made
from .numeric_options import counts
from .parameters import short


@click.command("spectral-fig3", epilog=examples("spectral-fig3"))
@click.option("--p", "inside", default="1,0.75", help="Edge probabilities within clusters.")
@click.option("--q", "across", default="0,0.2", help="Edge probabilities across clusters, per p.")
@click.option("--n", type=click.IntRange(2, 100), default=6, help="Number of clusters.")
@click.option("--k", type=click.IntRange(2, 2000), default=100, help="Vertices per cluster.")
@click.option("--d", default="2", help="Embedding dimensions, such as 2,5.")
@click.option(
    "--kernel",
    type=click.Choice(["gaussian", "exponential"]),
    default="gaussian",
    help="Kernel: exp(-r^2/(2 tau)), or exp(-r^gamma/tau).",
)
@click.option("--gamma", type=float, callback=a_number, help="Exponent of the kernel (default: 1).")
@click.option("--tau", type=float, default=0.5, callback=a_number, help="Temperature.")
@click.option("--sphere/--plane", default=False, help="Embed on the unit sphere, or freely.")
@click.option(
    "--negatives",
    type=click.Choice(["all", "batch"]),
    default="all",
    help="Negatives: all other points, or the other views in the batch.",
)
@click.option("--lr", type=float, default=1.0, callback=a_number, help="Learning rate.")
@click.option("--batch", type=click.IntRange(2, 10**4), default=50, help="Edges per batch.")
@click.option(
    "--iterations",
    type=click.IntRange(1, 10**6),
    default=3000,
    help="Maximum number of iterations; each draws a subgraph.",
)
@click.option(
    "--laplacian",
    type=click.Choice(["symmetrised", "unnormalised", "normalised"]),
    default="symmetrised",
    help="Laplacian of (P + P^T)/2, where rows of P sum to 1; of W; or I - D^(-1/2) W D^(-1/2).",
)
@common("0,1,2", "Random seeds to average over, such as 0,1,2; the first is drawn.", dtype=False)
def spectral_fig3(
    inside: str,
    across: str,
    n: int,
    k: int,
    d: str,
    kernel: str,
    gamma: float | None,
    tau: float,
    sphere: bool,
    negatives: str,
    lr: float,
    batch: int,
    iterations: int,
    laplacian: str,
    **shared: Any,
) -> int:
    """Figure 3 of tan2024spectral: InfoNCE on a graph of clusters, and its lowest eigenvectors.

    Principal angles, and the adjusted Rand index after k-means, measure their agreement at the end
    of SGD and at a minimum of the exact expectation over subgraphs.
    """
    ps, qs = _chances("--p", inside), _chances("--q", across)
    if len(ps) != len(qs):
        raise click.UsageError(f"--p has {len(ps)} values and --q {len(qs)}: give one q for each p")
    pairs = tuple(zip(ps, qs, strict=True))
    if len(set(pairs)) < len(pairs):
        raise click.UsageError("--p and --q repeat a pair")
    dimensions = counts(d, 1, 64)
    if not dimensions or len(set(dimensions)) < len(dimensions):
        raise click.UsageError(f"--d takes dimensions from 1 to 64, such as 2,5; got {short(d)!r}")
    if gamma is not None and kernel == "gaussian":
        raise click.UsageError("--gamma needs --kernel exponential")
    power = (1.0 if gamma is None else gamma) if kernel == "exponential" else None
    for name, value in (("--tau", tau), ("--lr", lr), ("--gamma", power)):
        if value is not None and not 0 < value < inf:
            raise click.UsageError(f"{name} must be a positive number, not {value:g}")

    def grid(on: Any, seeds: tuple[int, ...]) -> Any:
        from ..numeric.graphs.energy import Kernel

        setup = on.Setup(Kernel(tau, power), lr, batch, negatives, sphere, iterations)
        return on.Grid(pairs, n, k, tuple(dimensions), setup, laplacian, seeds)

    return made("spectral-fig3", grid, **shared)


def _chances(option: str, text: str) -> tuple[float, ...]:
    """Numbers from 0 to 1, in the order given."""
    try:
        found = [float(part) for part in text.split(",")]
    except ValueError:
        found = [inf]
    if not all(0 <= value <= 1 for value in found):
        raise click.UsageError(
            f"{option} takes probabilities from 0 to 1, such as 1,0.75; got {short(text)!r}"
        )
    return tuple(found)
