"""A drawing of a result: its quantities along one parameter, the others fixed.

Which ones is not chosen by hand: the parameter is the one that is no size and that most numbers
depend on, and these are drawn, as far as they are numbers there.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from cltheory.derive.decide.domain import DomainError

if TYPE_CHECKING:
    from cltheory.derive.theorem.result import Result
    from sympy import Expr, Symbol

#: Where a parameter without an upper or lower end is drawn.
LOW, HIGH = 0.05, 3.0
POINTS = 200
#: Values beyond this would hide the others.
LARGEST = 5.0
#: Colour-blind safe (Okabe and Ito), and told apart without colour by their dashes, in points.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#e69f00")
DASHES = ((), (4, 2), (6, 2, 1, 2), (1, 2), (5, 1), (1, 1))


def of(result: Result) -> tuple[str, str]:
    """An SVG and its caption in Markdown; nothing where no quantity depends on one number."""
    if result.at_values:
        return "", ""
    along, curves = None, dict[str, Any]()
    for s in reversed(result.parameters):  # of two that serve as well the last, the temperature
        if result.domain.ranges[s].integer or len(names := _names(result, s)) <= len(curves):
            continue
        # The loss is on a scale of its own.
        found = _curves(result, s, [k for k in names if k != "loss"])
        found = found or _curves(result, s, [k for k in names if k == "loss"])
        if len(found) > len(curves):
            along, curves = s, found
    if along is None:
        return "", ""
    import matplotlib

    matplotlib.use("Agg")
    from cltheory.derive.theorem.written import written
    from matplotlib import pyplot
    from sympy import latex

    fixed = {s: v for s, v in result.domain.witness.items() if s in result.parameters}
    rest = ", ".join(f"${written(s)} = {latex(v)}$" for s, v in fixed.items() if s != along)
    with matplotlib.rc_context({"svg.hashsalt": "cltheory", "font.size": 9}):
        figure, axes = pyplot.subplots(figsize=(3.6, 2.7), layout="constrained")
        for (x, y), colour, dash in zip(curves.values(), COLOURS, DASHES, strict=False):
            axes.plot(x, y, color=colour, linestyle=(0, dash))
        axes.set_xlabel(f"${written(along)}$")
        axes.spines[["top", "right"]].set_visible(False)
        picture = io.StringIO()
        figure.savefig(picture, format="svg", metadata={"Date": None}, transparent=True)
        pyplot.close(figure)
    text = f"Along ${written(along)}$" + (f", at {rest}." if rest else ".")
    return picture.getvalue(), f"{text}\n\n{_legend(result, list(curves))}"


def _legend(result: Result, names: list[str]) -> str:
    """Which line is which quantity, as a list that the page typesets."""
    symbols = [result.quantity(name).symbol for name in names]
    rows = []
    for name, symbol, colour, dash in zip(names, symbols, COLOURS, DASHES, strict=False):
        dashes = " ".join(str(2 * length) for length in dash)
        line = f'<line x2="32" y1="4" y2="4" stroke="{colour}" stroke-dasharray="{dashes}"/>'
        label = f"${symbol}$" if symbols.count(symbol) == 1 else f"`{name}`"
        rows.append(f'- <svg class="key" width="32" height="8">{line}</svg> {label}\n')
    return "".join(rows)


def _names(result: Result, along: Symbol) -> list[str]:
    """The numbers that depend on a parameter, and on nothing but parameters."""
    needed = {k: q.expression.free_symbols for k, q in result.quantities.items() if q.is_number}
    return [k for k, free in needed.items() if along in free and free <= set(result.parameters)]


def _curves(result: Result, along: Symbol, names: list[str]) -> dict[str, Any]:
    import numpy as np

    within = result.domain.ranges[along]
    at = {s.name: float(v) for s, v in result.domain.witness.items() if s in result.parameters}
    low, high = (_end(e, result) for e in (within.low, within.high))
    low, high = (LOW if low in (0, -np.inf) else low), (HIGH if high == np.inf else high)
    x = np.linspace(low, high, POINTS + 2)[1:-1]
    found = {}
    for name in names:
        if len(found) == len(COLOURS):
            break
        needed = result.quantity(name).expression.free_symbols
        given = {s.name: at[s.name] for s in needed} | {along.name: x}
        try:
            y = np.asarray(result.function(name)(**given), float)
        except DomainError:  # it has no formula
            continue
        shown = np.where(np.abs(y) <= LARGEST, y, np.nan)
        seen = shown[np.isfinite(shown)]
        if len(seen) > POINTS / 4 and np.ptp(seen) > 0:
            found[name] = (x, shown)
    return found


def _end(end: Expr, result: Result) -> float:
    return float(end.xreplace(dict(result.domain.witness)))
