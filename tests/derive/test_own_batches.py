"""Losses of one's own over batches: against the mean over compositions, written out again."""

from __future__ import annotations

from itertools import product
from math import comb
from typing import Any

import numpy as np
import pytest
from cltheory.derive.decide.domain import DomainError
from cltheory.derive.results import results

RELATIONS = ("self", "same_instance", "same_class", "cross_class")
HEAD = """temperature = "tau"
[structure]
levels = [
  { name = "views", size = "p", relation = "same_instance" },
  { name = "instances", size = "n", relation = "same_class" },
  { name = "classes", size = "m", relation = "cross_class" },
]
"""
CONVENTIONS = ("attraction", "term", "renormalise", "skip")


def term(weight: float, positives: str, denominator: str, **more: Any) -> dict[str, Any]:
    letters = dict(zip("oisc", RELATIONS, strict=True))
    spelled = {k: {letters[c]: x for c, x in v.items()} for k, v in more.items() if k != "own"}
    return {
        "weight": weight,
        "positives": [letters[c] for c in positives],
        "denominator": [letters[c] for c in denominator],
        "own": more.get("own", False),
        "targets": spelled.get("targets", {}),
        "below": spelled.get("below", {}),
    }


#: Positives with targets, of another class, alone in their denominators; one vector below.
LOSSES = {
    "targets": [term(0.5, "s", "oisc", targets={"s": 2}), term(1, "is", "isc", targets={"i": 3})],
    "flipped": [term(0.7, "s", "oisc"), term(0.2, "c", "oisc"), term(0.1, "oi", "oisc")],
    "alone below": [term(0.5, "s", "c", own=True), term(0.7, "s", "oc", below={"c": 3})],
    "one below": [term(1, "i", "oc"), term(0.5, "sc", "isc", targets={"s": 2})],
}

CASES = [*product(list(LOSSES)[:3], CONVENTIONS), ("one below", "")]


def written(terms: list[dict[str, Any]]) -> str:
    def table(values: dict[str, float]) -> str:
        return "{" + ", ".join(f'{r} = "{x}"' for r, x in values.items()) + "}"

    return HEAD + "".join(
        f'[[terms]]\nweight = "{t["weight"]}"\npositives = {t["positives"]}\n'
        f"denominator = {t['denominator']}\ntargets = {table(t['targets'])}\n"
        f"denominator_weights = {table(t['below'])}\nown_positive = {str(t['own']).lower()}\n"
        for t in terms
    ).replace("targets = {}\n", "").replace("denominator_weights = {}\n", "")


def of_anchor(terms: list[dict[str, Any]], counts: dict[str, int], g: Any, alone: str) -> float:
    """The loss of an anchor with so many partners; ``g`` holds inner products over tau."""
    kept = [t for t in terms if any(counts[r] for r in t["positives"])]
    lost = [t for t in terms if t not in kept]
    scale = 1.0
    if lost and alone == "skip":
        return 0.0
    if lost and alone == "renormalise" and kept:
        scale = sum(t["weight"] for t in terms) / sum(t["weight"] for t in kept)
    total = 0.0
    for t in kept + (lost if alone == "attraction" else []):
        below = [(g[r], counts[r] * t["below"].get(r, 1)) for r in t["denominator"]]
        pulls = {r: counts[r] * t["targets"].get(r, 1) for r in t["positives"]}
        spread = sum(w * np.exp(e) for e, w in below)
        whole = sum(pulls.values())
        if not whole:
            total += scale * t["weight"] * np.log(spread)
        for r, w in pulls.items():
            own = spread + np.exp(g[r]) if t["own"] else spread
            total += scale * t["weight"] * w / whole * (np.log(own) - g[r]) if w else 0.0
    return total


def mean(terms: Any, alone: str, at: dict[str, int], inner: dict[str, float], tau: float) -> float:
    m, n, p, size = (at[k] for k in "mnpB")
    g, found, rest = {r: e / tau for r, e in inner.items()}, 0.0, m * n - n
    for k in range(max(0, size - 1 - rest), min(n, size)):
        counts = dict(zip(RELATIONS, (1, p - 1, k * p, (size - 1 - k) * p), strict=True))
        ways = comb(n - 1, k) * comb(rest, size - 1 - k) / comb(m * n - 1, size - 1)
        found += ways * of_anchor(terms, counts, g, alone)
    return found


def inner_products(shares: np.ndarray, at: dict[str, int]) -> dict[str, float]:
    """Of fractions of the trace on views, instances, classes and the mean."""
    m, n, p = (at[k] for k in "mnp")
    views, instances, classes, all_alike = shares
    same_instance = all_alike + classes + instances - views / (p - 1)
    return {
        "self": 1.0,
        "same_instance": same_instance,
        "same_class": all_alike + classes - instances / (n - 1),
        "cross_class": all_alike - classes / (m - 1),
    }


@pytest.mark.parametrize(("name", "alone"), CASES)
def test_the_optimum_is_that_of_the_mean_over_compositions(tmp_path, name: str, alone: str) -> None:
    path, terms, tau = tmp_path / "own.toml", LOSSES[name], 0.5
    path.write_text(written(terms))
    at = {"m": 3, "n": 3, "p": 2, "B": 3}
    lone = {"alone": alone} if alone else {}
    made = results["phases"].with_inputs(
        loss=str(path), sampling="uniform", at={**at, "tau": "1/2"}, **lone
    )
    found = {r: float(made.value(r)) if r != "self" else 1.0 for r in RELATIONS}
    least = float(made.value("loss"))
    assert least == pytest.approx(mean(terms, alone, at, found, tau), rel=1e-10)
    # The mean is convex: nothing a little way towards other structures may be lower.
    shares = np.random.default_rng(0).dirichlet(np.ones(4), 40)
    for other in [*np.eye(4), *shares]:
        there = inner_products(other, at)
        near = {r: found[r] + 1e-3 * (there[r] - found[r]) for r in RELATIONS}
        assert mean(terms, alone, at, near, tau) >= least - 1e-12


def test_a_loss_that_is_not_defined_in_some_batch_is_refused(tmp_path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(written([term(1, "i", "c")]))
    at = {"m": 2, "n": 3, "p": 2, "tau": "1/2"}
    given = {"loss": str(path), "sampling": "uniform"}
    with pytest.raises(DomainError, match=r"not defined in every batch.*denominator, cross_class"):
        results["phases"].value("loss", **given, B=3, **at)
    assert results["phases"].value("loss", **given, B=4, **at) < 0


def test_who_lacks_positives_is_named(tmp_path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(written([term(1, "c", "oisc")]))
    with pytest.raises(DomainError, match="an anchor in a batch of one class lacks positives"):
        results["phases"].with_inputs(loss=str(path), sampling="uniform")


@pytest.mark.parametrize(
    ("positives", "below", "lacks"), [("c", "oisc", "positives"), ("i", "c", "denominator")]
)
def test_batches_of_one_class_are_not_passed_over_in_means(
    tmp_path, positives: str, below: str, lacks: str
) -> None:
    path = tmp_path / "own.toml"
    path.write_text(written([term(1, positives, below)]))
    lone = {"alone": "term"} if lacks == "positives" else {}
    made = results["phases"].with_inputs(loss=str(path), sampling="uniform", **lone)
    with pytest.raises(
        DomainError, match=f"in a batch of one class an anchor of own has no {lacks}"
    ):
        made.value("loss", m=20, n=30, p=2, B=40, tau=1)
