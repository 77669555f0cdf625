"""How results are shown in Jupyter and written in words."""

from __future__ import annotations

import re

import pytest
from cltheory.derive.decide.root import ClampedRoot
from cltheory.derive.results import results
from cltheory.derive.write.display import Writer, root_names

IDS = list(results)
KINDS = {"text/plain", "text/markdown"}


def check_math(text: str) -> None:
    """Dollars come in pairs, and what is between them is balanced."""
    text = text.replace(r"\$", "")
    parts = re.split(r"\$\$|\$", text)
    assert len(parts) % 2 == 1, "an odd number of dollars"
    for tex in parts[1::2]:
        tex = re.sub(r"\\[{}]", "", tex)
        assert tex.count("{") == tex.count("}")
        assert len(re.findall(r"\\left(?![a-z])", tex)) == len(re.findall(r"\\right(?![a-z])", tex))


@pytest.mark.parametrize("text", ["$x", "$\\frac{1}{2$", "$\\left(x$", "a $x$ b $"])
def test_the_check_can_fail(text: str) -> None:
    with pytest.raises(AssertionError):
        check_math(text)


@pytest.mark.sample(10)
@pytest.mark.parametrize("id", IDS)
def test_everything_displays(id: str) -> None:
    result = results[id]
    shown = [result, result.derivation, *result.derivation, *result.quantities.values()]
    for thing in shown:
        bundle = thing._repr_mimebundle_()
        assert set(bundle) == KINDS
        assert len(bundle["text/plain"]) < 300 and "\n" not in bundle["text/plain"]
        page = bundle["text/markdown"]
        check_math(page)
        assert "ClampedRoot" not in page and "Lambda(" not in page


@pytest.mark.parametrize("id", IDS)
def test_roots_have_names_of_their_own(id: str) -> None:
    result = results[id]
    names = root_names(result)
    roots = set().union(*(q.expression.atoms(ClampedRoot) for q in result.quantities.values()))
    assert set(names) == roots
    assert len({n.symbol for n in names.values()}) == len({n.tex for n in names.values()})
    assert len({n.symbol for n in names.values()}) == len(roots)


def test_names_of_quantities_follow_the_symbols() -> None:
    writer = Writer(results["sigmoid-threshold"], {"t": r"\beta", "b": r"\tilde{c}"})
    assert writer.symbol_text(r"t_{\mathrm{simplex}}") == r"\beta_{\mathrm{simplex}}"
    assert writer.symbol_text(r"b_{\mathrm{antipodal}}") == r"{\tilde{c}}_{\mathrm{antipodal}}"
    assert writer.symbol_text(r"\lim_{t\to 0} \beta_t") == r"\lim_{\beta\to 0} \beta_\beta"
