"""Every way of showing a result begins with its loss; ``--convention`` answers in other terms."""

from __future__ import annotations

import json
from typing import Any

import pytest
from cltheory.derive.results import results
from cltheory.derive.theorem.result import Result

IDS = list(results)
WITH_LOSS = [
    id for id, r in results.items() if r.declared or (r.alone is not None and r.alone.kind_of_loss)
]
SIGLIP = ("--N", "32768", "--t", "10", "--b=-10")


@pytest.fixture(autouse=True)
def no_claims(monkeypatch: pytest.MonkeyPatch) -> None:
    """The printed claims are checked elsewhere, and take most of the time."""
    monkeypatch.setattr(Result, "claims", [])


def before(text: str, *later: str) -> str:
    """What stands before the first of these."""
    assert any(word in text for word in later)
    return text[: min(text.index(word) for word in later if word in text)]


@pytest.mark.sample(8)
@pytest.mark.parametrize("id", IDS)
def test_show_and_derive_have_it(cltheory: Any, id: str) -> None:
    derived, shown = cltheory("derive", id).out, cltheory("show", id).out
    for top in (before(derived, "\n  assuming"), before(shown, "\n  source")):
        assert ("\n  loss        L = " in top) == (id in WITH_LOSS)
        assert ("there is no loss here" in top) == (id not in WITH_LOSS)
        assert "\n  dimension   " in top


@pytest.mark.sample(8)
@pytest.mark.parametrize("id", WITH_LOSS)
def test_latex_and_markdown_begin_with_it(cltheory: Any, id: str) -> None:
    tex = cltheory("derive", id, "--format", "latex").out
    assert r"\mathcal{L} = " in before(tex, r"\begin{align}")
    page = cltheory("derive", id, "--format", "markdown").out
    first = next(name for name, q in results[id].quantities.items() if not q.detail)
    top = before(page, f"**`{first}`**")
    assert r"$$\mathcal{L} = " in top
    # Of a matrix of weights, and of one anchor, any dimension may be asked for.
    assert ("\nDimension: $d \\ge " in top) == (results[id].declared is not None)


def test_an_exported_theorem_renames_its_loss(cltheory: Any) -> None:
    text = cltheory("export", "--latex", "-", "supcl-threshold", "--rename", "tau=T").out
    loss = before(text.partition("Consider the loss")[2], r"\begin{enumerate}")
    assert "/T" in loss and r"\tau" not in loss


# --- --convention --------------------------------------------------------------------------------
def test_the_bias_of_siglip_shows_and_is_understood(cltheory: Any) -> None:
    plain = cltheory("derive", "sigmoid-optimum", *SIGLIP).out
    assert "regime = antipodal" in plain
    assert "log(exp(b - c_ii*t) + 1)" in plain
    assert "siglip and open-clip: b there is -b (--convention NAME)" in plain
    theirs = cltheory("derive", "sigmoid-optimum", *SIGLIP, "--convention", "siglip").out
    assert "regime = between" in theirs
    assert "log(exp(-b - c_ii*t) + 1)" in theirs
    assert "\n  loss = 2.13049495900655\n" in theirs
    assert "b is logit_bias, b of lee2024sigmoid (2) is -b" in theirs
    assert "  evidence    exact, 11 checked steps" in theirs


def test_json_under_a_convention(cltheory: Any) -> None:
    given = ("derive", "sigmoid-threshold", "--N", "8", "--t", "10", "--format", "json")
    ours = json.loads(cltheory(*given).out)
    theirs = json.loads(cltheory(*given, "--convention", "open-clip").out)
    assert ours["convention"] is None
    assert theirs["convention"].startswith("open-clip, SigLipLoss")
    assert set(ours) == set(theirs)
    values = [float(x["quantities"]["b_simplex"]["value"]) for x in (ours, theirs)]
    assert values[0] == -values[1] != 0
