"""Curves, cells and points of figures: where they lie, and that what is wrong is refused."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("matplotlib")

from cltheory.derive.errors import InternalError
from cltheory.derive.problems.catalogue import named
from cltheory.derive.results import results
from cltheory.numeric.figures import ssem_fig2
from cltheory.numeric.figures.cells import Cells
from cltheory.numeric.figures.curves import Curve, Frame, followed, solved
from cltheory.numeric.figures.look import Look
from cltheory.numeric.figures.panels import Scale
from cltheory.numeric.figures.plane import Plane, plane
from matplotlib.figure import Figure

ON = Frame("alpha", "tau", (0.0, 1.0), (0.05, 1.0), {"m": 4, "n": 5, "p": 2})
SIZES = {"m": 3, "n": 3, "p": 2}


# --- curves -------------------------------------------------------------------------------------
def alpha_min() -> Curve:
    return solved(results["supcl-threshold"], "alpha_min", ON, np.linspace(0.05, 1, 39))


def test_a_curve_goes_through_exactly_derived_points() -> None:
    """To 20 digits from the engine; the curve is float64."""
    of, curve = results["supcl-threshold"], alpha_min()
    for k in (2, 18, 38):
        tau = Fraction(str(round(curve.y[k], 12)))
        exactly = of.value("alpha_min", m=4, n=5, tau=str(tau), digits=20)
        assert curve.x[k] == pytest.approx(float(exactly), rel=1e-14)
    # And back by the other formula, whose logarithm loses some digits near its limit.
    back = of.function("tau_max")(m=4, n=5, alpha=curve.x[4:])
    assert back == pytest.approx(curve.y[4:], abs=1e-9)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda c: replace(c, x=c.x + 1e-5),
        lambda c: replace(c, x=c.x * 1.0001),
        lambda c: replace(c, y=c.y[::-1]),
        lambda c: replace(c, x=np.where(np.arange(len(c.x)) == 20, c.x + 1e-4, c.x)),
        lambda c: replace(c, condition=lambda x, y: c.condition(x, y) ** 2 + 1),
        lambda c: replace(c, condition=lambda x, y: np.full_like(x, np.nan)),
    ],
    ids=["moved", "scaled", "turned", "one-point", "no-border", "no-condition"],
)
def test_a_corrupted_curve_is_refused(wrong: Any) -> None:
    alpha_min().checked(1.0)
    with pytest.raises(InternalError, match="alpha_min"):
        wrong(alpha_min()).checked(1.0)


def test_a_figure_with_a_corrupted_curve_is_not_drawn(
    cells: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from cltheory.numeric.figures import curves

    honest = curves.Frame.function

    def corrupted(self: Frame, quantity: Any, name: str, of: Any) -> Any:
        f = honest(self, quantity, name, of)
        is_value = quantity.expression == of.quantity(name).expression
        return (lambda x, y: 1.001 * f(x, y)) if is_value else f

    monkeypatch.setattr(curves.Frame, "function", corrupted)
    with pytest.raises(InternalError, match="is not a border"):
        ssem(Look(), cells)


def test_a_curve_without_a_formula_is_followed_to_where_the_formula_is() -> None:
    closed = alpha_min()
    rough = np.column_stack([closed.x + 0.01, closed.y])
    (found,) = followed("a", "$a$", closed.condition, ON, [rough], 0.02)
    assert not found.closed
    at = np.isfinite(found.x)
    assert at.sum() > 30
    exactly = results["supcl-threshold"].function("alpha_min")(m=4, n=5, tau=found.y[at])
    assert found.x[at] == pytest.approx(exactly, abs=1e-12)


def test_rounding_is_no_border() -> None:
    line = np.column_stack([np.linspace(0.2, 0.8, 50), np.full(50, 0.5)])

    def condition(x: Any, y: Any) -> Any:
        return 1e-16 * np.sign(np.sin(1e15 * x))

    for curve in followed("a", "$a$", condition, ON, [line], 0.02):
        assert np.isfinite(curve.x).sum() < 25


# --- cells --------------------------------------------------------------------------------------
def test_cells_end_where_the_parameter_does() -> None:
    assert Scale((0.0, 0.5, 1.0), "", 0, 1).edges == pytest.approx([0, 0.25, 0.75, 1])
    assert Scale((0.1, 0.5), "", 0).edges == pytest.approx([0, 0.3, 0.7])
    assert Scale((4, 16), "", 2, log=True).edges == pytest.approx([2, 8, 32])
    assert Scale((4, 6, 8, 10, 16), "", 2, log=True).labelled(0.8) == [4, 6, 10, 16]


def small(**more: Any) -> Plane:
    given = {"points": (3, 3), "fine": 16, "seeds": (0,), **more}
    return plane(named("supcl-exclusive"), SIZES, "alpha", "tau", **given)


def test_where_floats_cannot_tell_nothing_is_shown_but_what_conditions_decide() -> None:
    known = Cells(small())
    x, y = np.array([0.1, 0.3, 0.3, 0.2]), np.array([0.03, 0.03, 0.4, 0.8])
    assert known.flat(x, y).tolist() == [True, True, False, False]
    assert ("views", "instances", "classes") in known.on.faces(x, y)  # what floats find
    assert known.faces(x, y) == [(), (), ("instances", "classes"), ("classes",)]
    known.conditions = {("views",): {"classes": ("", lambda x, y: 0.2 - x)}}
    assert known.faces(x, y)[:2] == [("views",), ()]


def test_both_borders_of_a_structure_are_derived_curves() -> None:
    known = Cells(small())
    names = [curve.name for curve in known.borders]
    assert names == ["alpha_classes_views", "alpha_classes_instances"]
    left, of = results["phases"].with_inputs(loss="supcl-exclusive", at=SIZES), known.borders
    for curve, name in zip(of, names, strict=True):
        k = int(np.argmax(np.isfinite(curve.x) & (curve.y > 0.4)))
        exactly = left.value(name, tau=str(Fraction(float(curve.y[k]))))
        assert curve.x[k] == pytest.approx(float(exactly), rel=1e-13)


@pytest.mark.slow
def test_a_border_without_a_formula_is_drawn() -> None:
    """Between two levels and three, of superclasses."""
    problem = named("docs/problems/superclasses.toml")
    given = {"M": 2, "m": 2, "n": 2, "p": 2, "alpha": "1/2"}
    known = Cells(plane(problem, given, "beta", "tau", points=(2, 2), fine=16, seeds=(0,)))
    assert {curve.name.rpartition("_")[2] for curve in known.borders} == {"classes", "instances"}
    assert not any(curve.closed for curve in known.borders)


# --- whole figures --------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Tables that the first drawing fills."""
    folder = tmp_path_factory.mktemp("cells")
    return {name: folder / f"{name}.csv" for name in ("ssem", "ccem2", "phases")}


def ssem(look: Look, cells: dict[str, Path]) -> Figure:
    grid = ssem_fig2.Grid(2, 2, 1, 4, (0.0, 0.5, 1.0), (0.5, 1.0))
    return grid.draw(cells["ssem"], look=look, device="cpu").figure
