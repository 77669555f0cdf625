"""``cltheory.explore``: sliders in a notebook."""

from __future__ import annotations

import re
import sys
from typing import Any

import cltheory as cl
import pytest
from cltheory.derive.errors import Refusal


def test_without_ipywidgets_one_line_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    with pytest.raises(Refusal, match=r"^explore needs ipywidgets: pip install ipywidgets"):
        cl.explore("supcl")


def value(box: Any, symbol: str) -> str:
    row = re.escape(f"<td>${symbol}$</td><td><b>") + "([^<]*)"
    (found,) = re.findall(row, box.children[-1].value)
    return str(found)


def test_quantities_follow_the_sliders() -> None:
    pytest.importorskip("ipywidgets")
    box = cl.explore("supcl", m=10, n=50, alpha="0.5")
    by_name = {slider.description: slider for slider in box.children[:-1]}
    assert set(by_name) == {"m", "n", "p", "alpha", "tau"}
    result = cl.results["supcl-optimum"]
    for tau in (0.1, 0.5):
        by_name["tau"].value = tau
        exact = result.value("within_class_variance", m=10, n=50, alpha="0.5", tau=str(tau))
        shown = value(box, r"\mathrm{Var}[U_i]")
        assert float(shown) == pytest.approx(float(exact), rel=1e-5)
    before = shown
    by_name["alpha"].value = 0.9
    assert value(box, r"\mathrm{Var}[U_i]") != before


def test_what_has_no_value_is_a_dash() -> None:
    pytest.importorskip("ipywidgets")
    box = cl.explore("supcl-threshold", n=4, alpha="0.1")  # tau_max is for alpha > 1/n
    assert value(box, r"\tau_{\max}") == "–"
    box = cl.explore("sigmoid", N=4, t=1, b=-1)
    assert float(value(box, r"u_i^\top v_i")) <= 1


def test_a_value_outside_of_the_domain_is_refused() -> None:
    pytest.importorskip("ipywidgets")
    with pytest.raises(Refusal, match="m must be"):
        cl.explore("supcl", m=1)
