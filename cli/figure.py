"""``cltheory figure``: one subcommand for each figure."""

from __future__ import annotations

from dataclasses import replace
from math import inf, isfinite
from typing import Any

import click

from ..derive.decide.spelling import did_you_mean
from .figure_band import BANDS
from .figure_kernels import kernels_digits
from .figure_options import EXAMPLES, a_number, common, examples, made, together
from .figure_spectral import spectral_fig3
from .numeric_options import counts, is_count
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


@click.group(
    "figure",
    cls=_Figures,
    epilog=examples(*EXAMPLES),
)
def figure_command() -> None:
    """Draw a figure that compares theory with optimised embeddings or trained encoders.

    Finished cells are stored in a CSV table, from which the same command resumes an interrupted
    run.

    The suffix of OUT selects PDF, SVG, EPS or PNG. Text is 8 pt at the width of the figure, fonts
    are embedded as TrueType, and the same cells give the same file.
    """


# --- lee2025ssem --------------------------------------------------------------------------------
@figure_command.command("ssem-fig2", epilog=examples("ssem-fig2"))
@click.option("--m", type=click.IntRange(min=2), default=10, help="Number of classes.")
@click.option("--n", type=click.IntRange(min=2), default=10, help="Instances per class.")
@click.option("--p", type=click.IntRange(min=1), default=2, help="Views per instance.")
@click.option("--d", type=click.IntRange(min=1), help="Embedding dimension (default: m n).")
@click.option("--grid", default="20x20", help="Grid size: ALPHASxTAUS, or one count for both.")
@click.option("--cold", is_flag=True, help="Start every cell from its seed, not a neighbour.")
@common("0", "Random seeds to average over, such as 0,1,2.", "1e-12, or 1e-5 for d < m n - 1")
def ssem_fig2(m: int, n: int, p: int, d: int | None, grid: str, cold: bool, **shared: Any) -> int:
    """Figure 2 of lee2025ssem: within-class variance, derived and optimised.

    Both maps show the derived threshold, as alpha_min and as tau_max.
    """
    alphas, taus = _axes(grid)

    return made(
        "ssem-fig2",
        lambda on, seeds: on.Grid(m, n, p, d or m * n, alphas, taus, seeds),
        cold=cold,
        **shared,
    )


# --- lee2024sigmoid -----------------------------------------------------------------------------
_TOWERS = together(
    click.option("--N", "items", metavar="LIST", help="Numbers of items, such as 4,8,16."),
    click.option(
        "--t", "temperatures", metavar="LIST", help="Temperatures: 0.5,1,2 or LOW:HIGH:COUNT."
    ),
    click.option("--bias", type=float, callback=a_number, help="Fixed bias b (default: b = t)."),
)
_OF_LEAST = "Random seeds, such as 0,1,2; the run with the smallest loss is used."


@figure_command.command("ccem-fig2", epilog=examples("ccem-fig2"))
@_TOWERS
@common("0,1,2,3", _OF_LEAST, "1e-12, or 1e-5 for d = N/2")
def ccem_fig2(**given: Any) -> int:
    """Figure 2 of lee2024sigmoid: similarity of positives, derived, and for d = N and d = N/2."""
    return _of_towers("ccem-fig2", **given)


@figure_command.command("ccem-fig3", epilog=examples("ccem-fig3"))
@_TOWERS
@common("0", _OF_LEAST)
def ccem_fig3(**given: Any) -> int:
    """Figure 3 of lee2024sigmoid: similarity of positives, derived and for trained encoders."""
    return _of_towers("ccem-fig3", **given)


def _of_towers(
    name: str, items: str | None, temperatures: str | None, bias: float | None, **shared: Any
) -> int:
    counts = None if items is None else _counts(items)
    points = None if temperatures is None else _temperatures(temperatures)

    change = _given(items=counts, temperatures=points)
    return made(
        name, lambda on, seeds: replace(on.GRID, **change, bias=bias, seeds=seeds), **shared
    )


# --- vock2026unified ----------------------------------------------------------------------------
@figure_command.command("imbalance-fig4", epilog=examples("imbalance-fig4"))
@click.option(
    "--sizes",
    multiple=True,
    metavar="LIST",
    help="Samples per class in a column, such as 2,4,6 (default: 4 columns of 10 classes).",
)
@click.option("--tau", default="1/10", help="Temperature of SupCon.")
@click.option("--epsilon", default="exp(-1)", help="Weight of pairs across classes in Soft SupCon.")
@click.option("--d", type=click.IntRange(min=1), help="Dimension (default: number of classes).")
@common("0", _OF_LEAST, "1e-12")
def imbalance_fig4(
    sizes: tuple[str, ...], tau: str, epsilon: str, d: int | None, **shared: Any
) -> int:
    """Figure 4 of vock2026unified: cosines of SupCon and Soft SupCon for classes of unequal size.

    Soft SupCon has the temperature at which the regular simplex is optimal for all class sizes.
    """
    columns = tuple(_sizes(text) for text in sizes)
    weight, hot = _positive("--epsilon", epsilon), _positive("--tau", tau)
    if float(weight) >= 1:
        raise click.UsageError(f"--epsilon must be less than 1, not {short(epsilon)}")

    def grid(on: Any, seeds: tuple[int, ...]) -> Any:
        return on.Grid(columns or on.COLUMNS, hot, weight, d, seeds)

    return made("imbalance-fig4", grid, **shared)


_DIGITS = click.option(
    "--steps", type=click.IntRange(1, 10**6), help="Training steps of the encoder (default: 600)."
)


@figure_command.command("soft-supcon-fig2", epilog=examples("soft-supcon-fig2"))
@click.option("--q", "dimensions", default="2:12", help="Embedding dimensions: 2:12 or 2,8,9.")
@_DIGITS
@common("0,1,2", "Random seeds to average over, such as 0,1,2.")
def soft_supcon_fig2(dimensions: str, steps: int | None, **shared: Any) -> int:
    """Figure 2 of vock2026unified: Soft SupCon with distances on digits, over the dimension.

    The figure compares trained embeddings with the regular simplex of ten classes, which needs nine
    dimensions. The digits are those of scikit-learn: pip install 'cltheory[digits]'.
    """
    among = _dimensions(dimensions)

    return made(
        "soft-supcon-fig2",
        lambda on, seeds: on.Grid(among, seeds, **_given(steps=steps)),
        digits=True,
        **shared,
    )


@figure_command.command("y-aware-fig5", epilog=examples("y-aware-fig5"))
@_DIGITS
@common("0,1,2", "Random seeds to average over, such as 0,1,2; the first is drawn.")
def y_aware_fig5(steps: int | None, **shared: Any) -> int:
    """Figure 5 of vock2026unified: y-Aware on digits, and its correction by distances.

    The label of a digit is its ink, a number, so the labels lie on a line, not on an arc.
    The digits are those of scikit-learn: pip install 'cltheory[digits]'.
    """

    return made(
        "y-aware-fig5",
        lambda on, seeds: on.Grid(seeds, **_given(steps=steps)),
        digits=True,
        **shared,
    )


def _given(**options: Any) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _dimensions(text: str) -> tuple[int, ...]:
    """LOW:HIGH, or a list, of dimensions from 1 to 64: more than there are pixels say nothing."""
    found = counts(text.replace(":", ","), 1, 64) or []
    if ":" in text:
        found = [*range(found[0], found[1] + 1)] if len(found) == 2 else []
    if not found:
        raise click.UsageError(
            f"--q takes dimensions from 1 to 64, such as 2:12 or 2,8,9; got {short(text)!r}"
        )
    return tuple(sorted(set(found)))


def _sizes(text: str) -> tuple[int, ...]:
    found = counts(text, 2, 9999) or []
    if len(found) < 2:
        raise click.UsageError(
            f"--sizes takes the samples of two or more classes, at least 2 each, as 2,4,6; got "
            f"{short(text)!r}"
        )
    return tuple(found)


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


# --- any loss -----------------------------------------------------------------------------------
@figure_command.command(
    "phases", context_settings={"ignore_unknown_options": True}, epilog=examples("phases")
)
@click.argument("parameters", nargs=-1, type=click.UNPROCESSED)
@click.option("--loss", default="supcl", help="Loss in the catalogue, or a TOML file.")
@click.option("--x", help="Parameter on the horizontal axis (default: the first).")
@click.option("--y", help="Parameter on the vertical axis (default: the next).")
@click.option("--x-range", metavar="LOW:HIGH", help="Range of the horizontal axis.")
@click.option("--y-range", metavar="LOW:HIGH", help="Range of the vertical axis.")
@click.option("--points", default="8x8", help="Grid of optimised embeddings: XxY, or one count.")
@click.option("--d", type=click.IntRange(min=1), help="Dimension (default: optimal rank + 2).")
@common("0", "Random seeds, such as 0,1,2; each gives one point.", "1e-12", width="one-column")
def phases(
    parameters: tuple[str, ...],
    loss: str,
    x: str | None,
    y: str | None,
    x_range: str | None,
    y_range: str | None,
    points: str,
    d: int | None,
    **shared: Any,
) -> int:
    """Draw the optimal structure over two parameters of a loss, with optimised embeddings.

    PARAMETERS are --name value pairs of the loss and its structure; parameters that are not given
    take small default values. The colour and shape of a point show the measured structure; curves
    are the derived borders, verified by substitution.
    """
    given = pairs(parameters)
    counts = _counted("--points", points)
    limits = {"x": _range("--x-range", x_range), "y": _range("--y-range", y_range)}

    def grid(_: Any, seeds: tuple[int, ...]) -> Any:
        from ..derive.problems.catalogue import named
        from ..numeric.figures.plane import plane

        return plane(named(loss), given, x, y, limits, points=counts, seeds=seeds, given_d=d)

    return made("phases", grid, **shared)


def _range(option: str, text: str | None) -> tuple[float, float] | None:
    if text is None:
        return None
    try:
        low, high = (float(part) for part in text.split(":"))
    except ValueError:
        low, high = inf, inf
    if not (isfinite(low) and isfinite(high) and low < high):
        raise click.UsageError(f"{option} takes two numbers such as 0.1:2; got {short(text)!r}")
    return low, high


# --- lists --------------------------------------------------------------------------------------
def _counts(text: str) -> tuple[int, ...]:
    found = counts(text, 2, 9999)
    if found is None:
        raise click.UsageError(f"--N takes integers from 2 on, such as 4,8; got {short(text)!r}")
    if len(set(found)) < 2:
        raise click.UsageError("--N takes at least two different numbers of items")
    return tuple(sorted(set(found)))


def _temperatures(text: str) -> tuple[float, ...]:
    wrong = click.UsageError(
        f"--t takes two or more positive numbers such as 0.5,1,2 or 0.1:5:50; got {short(text)!r}"
    )
    try:
        if ":" in text:
            low, high, count = text.split(":")
            steps = int(count) - 1
            if not (0 < steps < 1000 and float(low) < float(high)):
                raise wrong
            found = [float(low) + (float(high) - float(low)) * k / steps for k in range(steps + 1)]
        else:
            found = [float(part) for part in text.split(",")]
    except ValueError:
        raise wrong from None
    distinct = tuple(sorted({round(t, 12) for t in found}))
    if len(distinct) < 2 or not all(0 < t < inf for t in distinct):
        raise wrong
    return distinct


def _counted(option: str, text: str) -> tuple[int, int]:
    """Two counts from 2 on, or one for both."""
    parts = text.lower().split("x")
    if len(parts) == 1:
        parts *= 2
    fine = all(is_count(p) and len(p) < 5 and 2 <= int(p) <= 1000 for p in parts)
    if len(parts) != 2 or not fine:
        raise click.UsageError(f"{option} takes two counts such as 20x20; got {short(text)!r}")
    return int(parts[0]), int(parts[1])


def _axes(text: str) -> tuple[tuple[float, ...], tuple[float, ...]]:
    a, t = _counted("--grid", text)
    return (
        tuple(round(k / (a - 1), 12) for k in range(a)),
        tuple(round((k + 1) / t, 12) for k in range(t)),
    )


for _command in (*BANDS, spectral_fig3, kernels_digits):
    figure_command.add_command(_command)
