"""``cltheory figure band-...``: the experiments of ochieng2025diversity, run again."""

from __future__ import annotations

from typing import Any

import click

from .figure_options import Decorator, a_number, common, examples, made, together, training
from .numeric_options import COLDEST, HOTTEST, counts, numbers
from .parameters import short

_AVERAGED = "Random seeds to average over, such as 0,1,2; each has its own batches."
_COSINE = click.option(
    "--cosine",
    type=click.FloatRange(-1, 1),
    default=0.75,
    callback=a_number,
    help="Cosine of the anchor and its positive.",
)


def _sizes(n: int | None, d: int, batches: int, least: int = 1) -> Decorator:
    options = [
        click.option(
            "--d", type=click.IntRange(2, 2**16), default=d, help="Dimension of the embeddings."
        ),
        click.option(
            "--batches",
            type=click.IntRange(least, 10**4),
            default=batches,
            help="Batches per distribution and seed.",
        ),
    ]
    if n is not None:
        how_many = click.option("--n", type=click.IntRange(3, 2**14), default=n, help="Batch size.")
        options.insert(0, how_many)
    return together(*options)


def _tau(default: str) -> Decorator:
    return click.option("--tau", "taus", default=default, help="Temperatures, such as 0.1,0.2.")


def _top(default: float) -> Decorator:
    return click.option(
        "--lambda1",
        "top",
        type=click.FloatRange(0, 1, min_open=True),
        default=default,
        callback=a_number,
        help="Largest eigenvalue of the distribution before normalisation.",
    )


@click.command("band-fig1", epilog=examples("band-fig1"))
@_tau("0.05,0.1,0.2,0.3")
@click.option(
    "--lambda1",
    "tops",
    default="1/d,0.3,0.6,1",
    help="Largest eigenvalues of the distributions before normalisation.",
)
@_sizes(256, 1024, 5)
@common("0,1,2,3", _AVERAGED, dtype=False)
def band_fig1(taus: str, tops: str, n: int, d: int, batches: int, **shared: Any) -> int:
    """Figure 1 of ochieng2025diversity: the gradients in the band, and the width of the band.

    The default settings are the 16 of section 2.1, each with 10,000 batches in the paper.
    """
    among = numbers("--tau", taus, COLDEST, HOTTEST, low_open=False)
    parts = [part.strip() for part in tops.split(",")]
    plain = ",".join(part for part in parts if part != "1/d")
    given = iter(numbers("--lambda1", plain, 0, 1) if plain else ())
    laws = tuple(None if part == "1/d" else next(given) for part in parts)
    if len(set(laws)) < len(laws):
        raise click.UsageError(f"--lambda1 repeats a value: {short(tops)}")

    return made("band-fig1", lambda on, seeds: on.Grid(among, laws, n, d, batches, seeds), **shared)


@click.command("band-fig2", epilog=examples("band-fig2"))
@_tau("0.04,0.063,0.1,0.15,0.2")
@_top(0.3)
@_COSINE
@_sizes(256, 1024, 10)
@common("0,1,2,3", _AVERAGED, dtype=False)
def band_fig2(
    taus: str, top: float, cosine: float, n: int, d: int, batches: int, **shared: Any
) -> int:
    """Figure 2 of ochieng2025diversity: the mean squared gradient over the temperature.

    All temperatures use the same batches; the paper has 5,000 of them.
    """
    among = numbers("--tau", taus, COLDEST, HOTTEST, low_open=False)

    return made(
        "band-fig2", lambda on, seeds: on.Grid(among, top, cosine, n, d, batches, seeds), **shared
    )


@click.command("band-correlated", epilog=examples("band-correlated"))
@click.option("--N", "sizes", default="62,254,1022", help="Numbers of negatives.")
@click.option(
    "--alpha", "alphas", default="0,0.005,0.01,0.02,0.05,0.1", help="Weights of the common part."
)
@click.option("--tau", type=float, default=0.1, help="Temperature.")
@_COSINE
@_sizes(None, 256, 2)
@common("0,1", _AVERAGED, dtype=False)
def band_correlated(
    sizes: str, alphas: str, tau: float, cosine: float, d: int, batches: int, **shared: Any
) -> int:
    """Appendix A.4 of ochieng2025diversity: negatives with a common part."""
    many = counts(sizes, 2, 2**14)
    if not many or len(set(many)) < len(many):
        raise click.UsageError(f"--N takes numbers such as 62,254; got {short(sizes)!r}")
    weights = numbers("--alpha", alphas, 0, 1, low_open=False)
    (warm,) = numbers("--tau", str(tau), COLDEST, HOTTEST, low_open=False)

    def grid(on: Any, seeds: tuple[int, ...]) -> Any:
        return on.Grid(tuple(many), weights, warm, cosine, d, batches, seeds)

    return made("band-correlated", grid, **shared)


@click.command("band-anisotropy", epilog=examples("band-anisotropy"))
@click.option(
    "--deviation",
    "deviations",
    default="0,3,6,12,30,100,300,1000,2000,3000",
    help="Deviations of the distribution from isotropy, in percent.",
)
@click.option("--tau", type=float, default=0.1, help="Temperature.")
@_COSINE
@_sizes(256, 1024, 3)
@common("0,1,2", _AVERAGED, dtype=False)
def band_anisotropy(
    deviations: str, tau: float, cosine: float, n: int, d: int, batches: int, **shared: Any
) -> int:
    """Appendix A.10 of ochieng2025diversity: the band over the anisotropy.

    The paper has 5,000 batches per distribution.
    """
    among = numbers("--deviation", deviations, 0, 1e6, low_open=False)
    (warm,) = numbers("--tau", str(tau), COLDEST, HOTTEST, low_open=False)

    return made(
        "band-anisotropy",
        lambda on, seeds: on.Grid(among, warm, cosine, n, d, batches, seeds),
        **shared,
    )


@click.command("band-whitening", epilog=examples("band-whitening"))
@_tau("0.05,0.1,0.2,0.3,0.5")
@_top(0.3)
@_COSINE
@_sizes(512, 64, 50, least=2)
@common("0,1", _AVERAGED, dtype=False)
def band_whitening(
    taus: str, top: float, cosine: float, n: int, d: int, batches: int, **shared: Any
) -> int:
    """Section 2.4 of ochieng2025diversity: variances of gradients, raw and whitened."""
    among = numbers("--tau", taus, COLDEST, HOTTEST, low_open=False)

    return made(
        "band-whitening",
        lambda on, seeds: on.Grid(among, top, cosine, n, d, batches, seeds),
        **shared,
    )


@click.command("diversity-digits", epilog=examples("diversity-digits"))
@click.option(
    "--methods", default="random,P1,P2,P3,greedy-16,greedy-64", help="Batch selection methods."
)
@training(200)
@common("0,1,2", "Random seeds, such as 0,1,2; each is a run of every method.", dtype=False)
def diversity_digits(methods: str, steps: int, batch: int, **shared: Any) -> int:
    """Sections 2.5 and 2.6 of ochieng2025diversity, on digits: batches chosen by their spectrum.

    The digits are those of scikit-learn: pip install 'cltheory[digits]'.
    """
    among = tuple(part.strip() for part in methods.split(","))
    return made(
        "diversity-digits",
        lambda on, seeds: on.Grid(among, steps, batch, seeds),
        digits=True,
        **shared,
    )


BANDS = (band_fig1, band_fig2, band_correlated, band_anisotropy, band_whitening, diversity_digits)
