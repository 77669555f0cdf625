"""A result in a notebook: a slider for each parameter, and the quantities at its values."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from html import escape
from math import log10
from typing import TYPE_CHECKING, Any, TypeAlias

from sympy import Symbol

from ..decide.domain import Range
from ..errors import Refusal
from ..theorem.result import Result

if TYPE_CHECKING:
    Box: TypeAlias = Any  # ipywidgets.VBox, which need not be installed

#: How far sliders go where the range does not end: sizes, and real numbers of either sign.
LARGEST, FAR = 1000, 20
#: Decades of positive numbers.
DECADES = (-2, 2)


def sliders(result: Result, start: Mapping[str, object]) -> Box:
    """Sliders and quantities of a result; what has no value at a point is shown as a dash.

    Raises
    ------
    Refusal
        If ipywidgets is not installed, or a value has no parameter or is not accepted.
    """
    try:
        import ipywidgets
    except ImportError:
        message = "explore needs ipywidgets: pip install ipywidgets, and restart the notebook"
        raise Refusal(message) from None
    point = {**result.domain.witness, **result.point(**start)}
    ranges = result.domain.ranges
    names = [s for s in result.parameters if s in ranges]
    made = {s.name: _slider(ipywidgets, s, ranges[s].at(point), float(point[s])) for s in names}
    shown = ipywidgets.HTMLMath()
    functions = _functions(result)

    def show(_: object = None) -> None:
        values = {name: slider.value for name, slider in made.items()}
        shown.value = _table(result, functions, values)

    for slider in made.values():
        slider.observe(show, names="value")
    show()
    return ipywidgets.VBox([*made.values(), shown])


def _slider(widgets: Any, s: Symbol, r: Range, start: float) -> Any:
    low, high = (float(end) if end.is_number and end.is_finite else None for end in (r.low, r.high))
    about: dict[str, Any] = {"description": s.name, "value": start}
    if r.integer:
        about["value"], size = int(start), max(LARGEST, int(start))
        return widgets.IntSlider(
            **about, min=int(low or 0), max=int(size if high is None else high)
        )
    if low is not None and low >= 0 and high is None:
        about["value"] = max(start, 10.0 ** DECADES[0])
        most = max(DECADES[1], log10(about["value"]))
        return widgets.FloatLogSlider(**about, min=DECADES[0], max=most, readout_format=".3g")
    low, high = -FAR if low is None else low, FAR if high is None else high
    return widgets.FloatSlider(**about, min=low, max=high, step=(high - low) / 200)


def _functions(result: Result) -> dict[str, tuple[list[str], Callable[..., Any]]]:
    """The functions of the numbers, with the parameters that each takes."""
    found = {}
    for name, q in result.quantities.items():
        free = [s.name for s in result.parameters if s in q.expression.free_symbols]
        if q.is_number and len(free) == len(q.expression.free_symbols):
            found[name] = free, result.function(name)
    return found


def _table(result: Result, functions: Mapping[str, Any], values: Mapping[str, float]) -> str:
    rows = ""
    for name, (takes, function) in functions.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a value that is not known is nan, and shown so
            value = float(function(**{k: values[k] for k in takes}))
        q = result.quantity(name)
        number = "–" if value != value else f"{value:.6g}"
        rows += (
            f"<tr><td>${q.symbol}$</td><td><b>{number}</b></td><td>{escape(q.meaning)}</td></tr>"
        )
    return f"<b>{escape(result.title)}</b><table>{rows}</table>"
