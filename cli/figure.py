"""``cltheory figure``: one subcommand for each figure, declared once."""

from __future__ import annotations

from functools import partial
from math import inf, isfinite
from typing import Any

import click

from ..derive.decide.spelling import did_you_mean
from .figure_options import (
    DIGITS,
    choice,
    declared,
    examples,
    real,
    together,
    whole,
)
from .numeric_options import COLDEST, HOTTEST, class_sizes, different, is_count, numbers, text
from .parameters import pairs, short


class _Figures(click.Group):
    """The figures by name; an unknown one is refused with those that there are."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if not ctx.resilient_parsing and args[0] not in self.commands and args[0][:1] != "-":
            near = did_you_mean(args[0], self.commands)
            names = ", ".join(self.commands)
            ctx.fail(f"the figure {short(args[0])!r} does not exist{near}; figures: {names}")
        return super().resolve_command(ctx, args)


@click.group("figure", cls=_Figures)
def figure_command() -> None:
    """Draw a figure that compares theory with optimised embeddings or trained encoders.

    Finished cells are stored in a CSV table, from which the same command resumes an interrupted
    run.

    The suffix of OUT selects PDF, SVG, EPS or PNG. Text is 8 pt at the width of the figure, fonts
    are embedded as TrueType, and the same cells give the same file.
    """


_figure = partial(declared, figure_command)


# --- what options are read by -------------------------------------------------------------------
def _temperatures(option: str, text: str) -> tuple[float, ...]:
    return numbers(option, text, COLDEST, HOTTEST)


def _wholes(least: int, most: int) -> Any:
    """Different whole numbers: 2,4,8 or 2:12."""
    return lambda option, text: tuple(
        sorted(different(option, text.replace(":", "-"), least, most))
    )


def _counted(option: str, text: str) -> tuple[int, int]:
    """Two counts from 2 on, or one for both."""
    parts = text.lower().split("x")
    if len(parts) == 1:
        parts *= 2
    fine = all(is_count(p) and len(p) < 5 and 2 <= int(p) <= 1000 for p in parts)
    if len(parts) != 2 or not fine:
        raise click.UsageError(f"{option} takes two counts such as 20x20; got {short(text)!r}")
    return int(parts[0]), int(parts[1])


def _range(option: str, text: str) -> tuple[float, float]:
    try:
        low, high = (float(part) for part in text.split(":"))
    except ValueError:
        low, high = inf, inf
    if not (isfinite(low) and isfinite(high) and low < high):
        raise click.UsageError(f"{option} takes two numbers such as 0.1:2; got {short(text)!r}")
    return low, high


def _positive(option: str, text: str) -> Any:
    """A number above 0, exactly."""
    from ..derive.decide.exact import NotANumber, exact

    try:
        value = exact(text)
    except NotANumber as refusal:
        raise click.UsageError(f"{option}: {refusal}") from None
    if not (value.is_finite and float(value) > 0):
        raise click.UsageError(f"{option} must be a positive number, not {short(text)!r}")
    return value


_LEAST = "Random seeds, such as 0,1,2; the run with the lowest loss is used."
_AVERAGED = "Random seeds to average over, such as 0,1,2."
_FIRST = "Random seeds to average over, such as 0,1,2; the first is drawn."
_BATCHES = "Random seeds to average over, such as 0,1,2; each has its own batches."


# --- lee2025ssem --------------------------------------------------------------------------------
def _maps(on: Any, grid: tuple[int, int], m: int, n: int, d: int = 0, **own: Any) -> Any:
    a, t = grid
    alphas = tuple(round(k / (a - 1), 12) for k in range(a))
    taus = tuple(round((k + 1) / t, 12) for k in range(t))
    return on.Grid(m=m, n=n, d=d or m * n, alphas=alphas, taus=taus, **own)


_figure(
    "ssem-fig2",
    """Figure 2 of lee2025ssem: within-class variance, derived and optimised.

    Both maps show the derived threshold, as alpha_min and as tau_max.
    """,
    whole("--m", 2, None, 10, "Number of classes."),
    whole("--n", 2, None, 10, "Instances per class."),
    whole("--p", 1, None, 2, "Views per instance."),
    whole("--d", 1, None, None, "Embedding dimension (default: m n)."),
    text("--grid", "20x20", "Grid size: ALPHASxTAUS, or one count for both.", _counted),
    click.option("--cold", is_flag=True, help="Start every cell from its seed, not a neighbour."),
    cells=_maps,
    seeds="0",
    of_seeds=_AVERAGED,
    tolerance="1e-12, or 1e-5 for d < m n - 1",
    shown=(
        "--out fig2.pdf",
        "--d 50 --out fig-b1.pdf --width one-column",
        "--m 4 --n 5 --grid 8x10 --seeds 0,1,2 --caption fig2.tex",
        "--out fig2.svg --svg-text text --style my.mplstyle",
    ),
)


# --- lee2024sigmoid -----------------------------------------------------------------------------
def _spaced(option: str, text: str) -> tuple[float, ...]:
    """Temperatures: 0.5,1,2 or LOW:HIGH:COUNT."""
    low, *ends = text.split(":")
    if ends:
        try:
            start, stop, steps = float(low), float(ends[0]), int(ends[1]) - 1
            spaced = (start + (stop - start) * k / steps for k in range(min(steps, 1000) + 1))
            text = ",".join(f"{t:.12g}" for t in spaced)
        except (ValueError, IndexError, ZeroDivisionError):
            raise click.UsageError(
                f"{option} takes LOW:HIGH:COUNT, such as 0.1:5:50; got {short(text)!r}"
            ) from None
    return numbers(option, text, COLDEST, HOTTEST)


_TOWERS = (
    text("--N items", None, "Numbers of items, such as 4,8.", _wholes(2, 9999), metavar="LIST"),
    text(
        "--t temperatures",
        None,
        "Temperatures: 0.5,1,2 or LOW:HIGH:COUNT.",
        _spaced,
        metavar="LIST",
    ),
)
_figure(
    "ccem-fig2",
    "Figure 2 of lee2024sigmoid: similarity of positives, derived, and for d = N and d = N/2.",
    *_TOWERS,
    seeds="0,1,2,3",
    of_seeds=_LEAST,
    tolerance="1e-12, or 1e-5 for d = N/2",
    shown=("--N 4,8,16,32 --t 0.1:5:50 --out fig2.pdf",),
)
_figure(
    "ccem-fig3",
    "Figure 3 of lee2024sigmoid: similarity of positives, derived and for trained encoders.",
    *_TOWERS,
    seeds="0",
    of_seeds=_LEAST,
    shown=("--N 4,10 --t 0.5:3:6 --out fig3.pdf",),
)


# --- vock2026unified ----------------------------------------------------------------------------
def _columns(on: Any, sizes: tuple[tuple[int, ...], ...], **own: Any) -> Any:
    return on.Grid(sizes=sizes or on.COLUMNS, **own)


_figure(
    "imbalance-fig4",
    """Figure 4 of vock2026unified: cosines of SupCon and Soft SupCon for classes of unequal size.

    Soft SupCon has the temperature at which the regular simplex is optimal for all class sizes.
    """,
    text(
        "--sizes",
        None,
        "Samples per class in a column, such as 2,4,6 (default: 4 columns of 10 classes).",
        partial(class_sizes, most=9999),
        metavar="LIST",
        multiple=True,
    ),
    text("--tau", "1/10", "Temperature of SupCon.", _positive),
    cells=_columns,
    seeds="0",
    of_seeds=_LEAST,
    tolerance="1e-12",
    shown=("--out fig4.pdf", "--sizes 4,4,4 --sizes 2,2,8 --sizes 2,4,6 --tau 0.2 --seeds 0,1"),
)


_STEPS = whole("--steps", 1, 10**6, None, "Training steps of the encoder (default: 600).")
_figure(
    "soft-supcon-fig2",
    """Figure 2 of vock2026unified: Soft SupCon with distances on digits, over the dimension.

    The figure compares trained embeddings with the regular simplex of ten classes, which needs nine
    dimensions.""",
    text("--q dimensions", "2:12", "Embedding dimensions: 2:12 or 2,8,9.", _wholes(1, 64)),
    _STEPS,
    needs=DIGITS,
    seeds="0,1,2",
    of_seeds=_AVERAGED,
    shown=("--out fig2.pdf", "--q 7:12 --seeds 0,1,2,3,4", "--q 2,8,9 --steps 100"),
)
_figure(
    "y-aware-fig5",
    """Figure 5 of vock2026unified: y-Aware on digits, and its correction by distances.

    The label of a digit is its ink, a number, so the labels lie on a line, not on an arc.""",
    _STEPS,
    needs=DIGITS,
    seeds="0,1,2",
    of_seeds=_FIRST,
    shown=("--out fig5.pdf", "--seeds 0 --steps 2000 --style grayscale"),
)


# --- ochieng2025diversity -----------------------------------------------------------------------
def _tops(option: str, text: str) -> tuple[float | None, ...]:
    parts = [part.strip() for part in text.split(",")]
    plain = ",".join(part for part in parts if part != "1/d")
    rest = iter(numbers(option, plain, 0, 1) if plain else ())
    found = tuple(None if part == "1/d" else next(rest) for part in parts)
    if len(set(found)) < len(found):
        raise click.UsageError(f"{option} repeats a value: {short(text)}")
    return found


def _taus(default: str) -> Any:
    says = "Temperatures, such as 0.1,0.2."
    return text("--tau taus", default, says, _temperatures)


def _sizes(batches: int) -> Any:
    return together(
        whole("--n", 3, 2**14, 256, "Batch size."),
        whole("--d", 2, 2**16, 1024, "Dimension of the embeddings."),
        whole("--batches", 1, 10**4, batches, "Batches per distribution and seed."),
    )


_band = partial(_figure, of_seeds=_BATCHES, dtype=False)
_band(
    "band-fig1",
    """Figure 1 of ochieng2025diversity: the gradients in the band, and the width of the band.

    The default settings are the 16 of section 2.1, each with 10,000 batches in the paper.
    """,
    _taus("0.05,0.1,0.2,0.3"),
    text(
        "--lambda1 tops",
        "1/d,0.3,0.6,1",
        "Largest eigenvalues of the distributions before normalisation.",
        _tops,
    ),
    _sizes(5),
    seeds="0,1,2,3",
    shown=(
        "--out fig1.pdf",
        "--seeds 0,1,2,3,4,5,6,7 --batches 1250",
        "--tau 0.1,0.2 --lambda1 0.3 --n 64 --d 128",
    ),
)
_band(
    "band-fig2",
    """Figure 2 of ochieng2025diversity: the mean squared gradient over the temperature.

    All temperatures use the same batches; the paper has 5,000 of them.
    """,
    _taus("0.04,0.063,0.1,0.15,0.2"),
    real(
        "--lambda1 top",
        0.3,
        "Largest eigenvalue of the distribution before normalisation.",
        min=0,
        max=1,
        min_open=True,
    ),
    _sizes(10),
    seeds="0,1,2,3",
    shown=("--out fig2.pdf", "--seeds 0,1,2,3 --batches 1250", "--lambda1 0.42"),
)


# --- tan2024spectral ----------------------------------------------------------------------------
def _chances(option: str, text: str) -> tuple[float, ...]:
    """Numbers, in the order given."""
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise click.UsageError(
            f"{option} takes probabilities, such as 1,0.75; got {short(text)!r}"
        ) from None


def _graphs(
    on: Any,
    inside: tuple[float, ...],
    across: tuple[float, ...],
    tau: float,
    lr: float,
    batch: int,
    negatives: str,
    sphere: bool,
    iterations: int,
    gamma: float | None = None,
    **own: Any,
) -> Any:
    from ..numeric.graphs.energy import Kernel

    if len(inside) != len(across):
        raise click.UsageError(
            f"--p has {len(inside)} values and --q {len(across)}: give one q for each p"
        )
    training = on.Setup(Kernel(tau, gamma), lr, batch, negatives, sphere, iterations)
    return on.Grid(pairs=tuple(zip(inside, across, strict=True)), training=training, **own)


_figure(
    "spectral-fig3",
    """Figure 3 of tan2024spectral: InfoNCE on a graph of clusters, and its lowest eigenvectors.

    Principal angles, and the adjusted Rand index after k-means, measure their agreement at the end
    of SGD and at a minimum of the exact expectation over subgraphs.
    """,
    text("--p inside", "1,0.75", "Edge probabilities within clusters.", _chances),
    text("--q across", "0,0.2", "Edge probabilities across clusters, per p.", _chances),
    whole("--n clusters", 2, 100, 6, "Number of clusters."),
    whole("--k", 2, 2000, 100, "Vertices per cluster."),
    text("--d dimensions", "2", "Embedding dimensions, such as 2,5.", _wholes(1, 64)),
    real("--gamma", None, "Kernel exp(-r^gamma/tau) instead of the Gaussian exp(-r^2/(2 tau))."),
    real("--tau", 0.5, "Temperature."),
    click.option("--sphere", is_flag=True, help="Embed on the unit sphere, not freely."),
    choice(
        "--negatives", "all batch", "Negatives: all other points, or the other views in the batch."
    ),
    real("--lr", 1.0, "Learning rate."),
    whole("--batch", 2, 10**4, 50, "Edges per batch."),
    whole("--iterations", 1, 10**6, 3000, "Maximum number of iterations; each draws a subgraph."),
    choice(
        "--laplacian",
        "symmetrised unnormalised normalised",
        "Laplacian of (P + P^T)/2, where rows of P sum to 1; of W; or I - D^(-1/2) W D^(-1/2).",
    ),
    cells=_graphs,
    needs="Clusters are found by scikit-learn",
    seeds="0,1,2",
    of_seeds=_FIRST,
    dtype=False,
    shown=(
        "--out fig3.pdf",
        "--d 2,5 --seeds 0,1,2,3,4 --negatives batch",
        "--p 0.5 --q 0.1 --n 4 --k 30 --gamma 1 --sphere",
    ),
)


# --- training -----------------------------------------------------------------------------------
_figure(
    "real-training",
    """Predictions beside training: collapse, batches, dimensions and unequal classes on digits.

    Free embeddings and encoders are trained with the losses of cltheory.losses, on views with
    little and much noise.""",
    _STEPS,
    needs=DIGITS,
    seeds="0",
    of_seeds="Random seeds, such as 0,1,2; each gives its own points.",
    shown=("--out training.pdf --workers 2", "--steps 2000 --seeds 0,1"),
)


# --- any loss -----------------------------------------------------------------------------------
def _plane(
    on: Any,
    parameters: tuple[str, ...],
    loss: str,
    x: str | None = None,
    y: str | None = None,
    x_range: tuple[float, float] | None = None,
    y_range: tuple[float, float] | None = None,
    d: int | None = None,
    **own: Any,
) -> Any:
    from ..derive.problems.catalogue import named
    from ..numeric.figures.plane import plane

    limits = {"x": x_range, "y": y_range}
    return on.Grid(plane(named(loss), pairs(parameters), x, y, limits, dimension=d, **own))


_figure(
    "phases",
    """Draw the optimal structure over two parameters of a loss, with optimised embeddings.

    PARAMETERS are --name value pairs of the loss and its structure; parameters that are not given
    take small default values. The colour and shape of a point show the measured structure; curves
    are the derived borders, verified by substitution.
    """,
    click.argument("parameters", nargs=-1, type=click.UNPROCESSED),
    click.option("--loss", default="supcl", help="Loss in the catalogue, or a TOML file."),
    click.option("--x", help="Parameter on the horizontal axis (default: the first)."),
    click.option("--y", help="Parameter on the vertical axis (default: the next)."),
    text("--x-range", None, "Range of the horizontal axis.", _range, metavar="LOW:HIGH"),
    text("--y-range", None, "Range of the vertical axis.", _range, metavar="LOW:HIGH"),
    text("--points", "8x8", "Grid of optimised embeddings: XxY, or one count.", _counted),
    whole("--d", 1, None, None, "Dimension (default: optimal rank + 2)."),
    cells=_plane,
    settings={"ignore_unknown_options": True},
    seeds="0",
    of_seeds="Random seeds, such as 0,1,2; each gives one point.",
    tolerance="1e-12",
    width="one-column",
    shown=(
        "--loss supcl-exclusive --x alpha --y tau --m 3 --n 3 --p 2 --out phases.pdf",
        "--loss siglip --N 16 --x b --y t --x-range=-3:3 --points 6x6",
        "--loss my-loss.toml --x tau --y beta --alpha 1/2 --style grayscale",
    ),
)
figure_command.epilog = examples(
    "ssem-fig2", "ccem-fig3", "imbalance-fig4", "band-fig1", "phases", each=1
)
