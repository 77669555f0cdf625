"""``cltheory figure kernels-digits``: kernels for InfoNCE compared on digits."""

from __future__ import annotations

from typing import Any

import click

from .figure_options import common, examples, made, training
from .numeric_options import numbers

#: Exponents and temperatures that are taken.
LARGEST_GAMMA, COLDEST, HOTTEST = 4.0, 1e-3, 1e3


@click.command("kernels-digits", epilog=examples("kernels-digits"))
@click.option(
    "--gamma",
    "gammas",
    default="1,0.5",
    metavar="LIST",
    help="Exponents of the kernels, in addition to 2 (Gaussian).",
)
@click.option(
    "--mixtures",
    default="loss-sum,kernel-sum,loss-concatenation,kernel-concatenation",
    metavar="LIST",
    help="Mixtures of the kernels with exponents 1 and 2, or none.",
)
@click.option(
    "--tau",
    "taus",
    default="0.025,0.05,0.1,0.2,0.4,0.8",
    metavar="LIST",
    help="Temperatures to select from, for each kernel.",
)
@training(300)
@common("0,1,2,3,4,5,6,7", "Random seeds, such as 0,1; each is a run of every kernel.", dtype=False)
def kernels_digits(
    gammas: str, mixtures: str, taus: str, steps: int, batch: int, **shared: Any
) -> int:
    """Table 1 of tan2024spectral, on digits: kernels for InfoNCE compared by a linear fit.

    The temperature of each kernel is selected from the same list, on images outside the test set.
    The digits are those of scikit-learn: pip install 'cltheory[digits]'.
    """
    exponents = (2.0, *(g for g in numbers("--gamma", gammas, 0, LARGEST_GAMMA) if g != 2))
    among = numbers("--tau", taus, COLDEST, HOTTEST, low_open=False)
    named = () if mixtures == "none" else tuple(part.strip() for part in mixtures.split(","))
    return made(
        "kernels-digits",
        lambda on, seeds: on.Grid(exponents, named, among, seeds, steps, batch),
        digits=True,
        **shared,
    )
