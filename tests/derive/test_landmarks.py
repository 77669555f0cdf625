"""Landmarks of losses, against loops over embeddings that have the configuration.

Loops over pairs are those of ``losses_by_hand``; sums of a few hundred terms of order one agree to
1e-12. Means over random vectors are compared with samples, at five standard errors.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from math import log
from typing import Any

import losses_by_hand as by_hand
import mpmath
import numpy as np
import pytest
from cltheory import explain
from cltheory.derive.errors import InternalError, Refusal
from cltheory.derive.landmarks import chance
from cltheory.derive.landmarks.explain import NAMES, _lacks_pairs, completed, explained, find
from cltheory.derive.landmarks.libraries import ROWS
from cltheory.derive.landmarks.similar import Similar
from cltheory.derive.results import results
from sympy import Integer, Rational, sympify

CLOSE = {"rel": 1e-12, "abs": 1e-12}
ORDER = ["all_equal", "classes_collapsed", "classes_at_random", "random", "orthogonal", "simplex"]


def values(loss: str, convention: str | None = None, **options: object) -> dict[str, float]:
    found = explain(loss, convention=convention, **options)
    return {mark["name"]: mark["value"] for mark in found["landmarks"]}


# --- embeddings of each configuration ----------------------------------------------------------
def simplex(k: int) -> np.ndarray:
    """k unit vectors with cosines -1/(k - 1), as rows."""
    u = np.eye(k) - 1 / k
    return u / np.linalg.norm(u, axis=1, keepdims=True)


def embeddings(images: int, classes: int, views: int) -> dict[str, np.ndarray]:
    """Gram matrices of the configurations without a draw; views of an image stand together."""
    image = np.arange(images * views) // views
    label = image // (images // classes)
    rows = {
        "all_equal": np.ones((len(image), 1)),
        "classes_collapsed": simplex(classes)[label],
        "orthogonal": np.eye(images)[image],
        "simplex": simplex(images)[image],
    }
    return {name: u @ u.T for name, u in rows.items()}


TAU = 0.3


def supcontrast(g: np.ndarray, of: by_hand.Labels, tau: float) -> float:
    return tau / 0.07 * by_hand.supcon(g, of, tau)


def summed_inside(g: np.ndarray, of: by_hand.Labels, tau: float) -> float:
    """solo-learn's losses/simclr.py, with labels."""
    same = of[0][:, None] == of[0][None, :]
    e = np.exp(g / tau) * (1 - np.eye(len(g)))
    return float(-np.log((e * same).sum(1) / e.sum(1)).mean())


def twice(g: np.ndarray, of: by_hand.Labels, tau: float) -> float:
    return 2 * by_hand.simclr(g, of, tau)


def weighted(g: np.ndarray, of: by_hand.Labels, tau: float) -> float:
    """Without the anchor, on the scale of SupContrast."""
    return tau / 0.07 * by_hand.supcl_exclusive(g, of, tau, 0.5)


HIERARCHICAL = {
    ("supcon", "paper"): by_hand.supcon,
    ("supcon", "supcontrast"): supcontrast,
    ("supcon", "pytorch-metric-learning"): by_hand.supcon,
    ("supcon", "solo-learn"): summed_inside,
    ("supcl", "paper"): partial(by_hand.supcl, alpha=0.5),
    ("supcl", "pytorch-metric-learning"): partial(by_hand.supcl_exclusive, alpha=0.5),
    ("supcl", "supcontrast"): weighted,
    ("sincere", "paper"): by_hand.sincere,
    ("cnce", "paper"): by_hand.cnce,
    ("dcl", "paper"): by_hand.dcl,
    ("simclr", "paper"): by_hand.simclr,
    ("simclr", "pytorch-metric-learning"): by_hand.sincere,
    ("simclr", "lightly"): by_hand.simclr,
    ("simclr", "google-research"): twice,
}


#: Their only positives are other views, or there must be other images of the class.
OF_VIEWS = {k for k in HIERARCHICAL if k[0] in ("simclr", "dcl")} - {
    ("simclr", "pytorch-metric-learning")
} | {("supcl", "pytorch-metric-learning"), ("supcl", "supcontrast")}
OF_CLASSES = {k for k in HIERARCHICAL if k[0] in ("supcl", "cnce")}


def needs_more(row: tuple[str, str], sizes: tuple[int, int, int]) -> bool:
    """Whether there are no positives at these sizes."""
    images, classes, views = sizes
    return (row in OF_VIEWS and views == 1) or (row in OF_CLASSES and images == classes)


@pytest.mark.parametrize("sizes", [(6, 6, 2), (6, 3, 2), (6, 2, 1)])
@pytest.mark.parametrize("row", HIERARCHICAL)
def test_values_are_those_at_embeddings(row: tuple[str, str], sizes: tuple[int, int, int]) -> None:
    images, classes, views = sizes
    if needs_more(row, sizes):
        return
    found = values(*row, batch=images, classes=classes, views=views, tau=TAU)
    of = by_hand.labels(classes, images // classes, views)
    for name, g in embeddings(images, classes, views).items():
        if name in found:
            assert found[name] == pytest.approx(HIERARCHICAL[row](g, of, TAU), **CLOSE), name


def drawn(seed: int, sizes: tuple[int, int, int], d: int, name: str) -> np.ndarray:
    """A Gram matrix of the configurations with a draw."""
    images, classes, views = sizes
    image = np.arange(images * views) // views
    rows = image // (images // classes) if name == "classes_at_random" else np.arange(len(image))
    z = np.random.default_rng(seed).normal(size=(rows.max() + 1, d))
    u = (z / np.linalg.norm(z, axis=1, keepdims=True))[rows]
    return u @ u.T


@pytest.mark.parametrize("name", ["random", "classes_at_random"])
@pytest.mark.parametrize("row", [("supcon", "supcontrast"), ("simclr", "pytorch-metric-learning")])
@pytest.mark.parametrize("d", [1, 3])
def test_means_are_those_of_samples(row: tuple[str, str], name: str, d: int) -> None:
    sizes = (4, 2, 2)
    found = values(*row, batch=4, classes=2, views=2, tau=TAU, dim=d)[name]
    of = by_hand.labels(2, 2, 2)
    each = [HIERARCHICAL[row](drawn(k, sizes, d, name), of, TAU) for k in range(400)]
    assert found == pytest.approx(np.mean(each), abs=5 * np.std(each) / 20)


# --- means over the sphere ---------------------------------------------------------------------
def test_a_mean_of_two_is_a_double_integral() -> None:
    """At d = 3 a cosine is uniform on [-1, 1]."""

    def mean(fixed: int) -> float:
        def f(x: Any, y: Any) -> Any:
            return mpmath.log(fixed + 2 * (mpmath.exp(4 * x) + mpmath.exp(4 * y)))

        return float(mpmath.quad(f, [-1, 1], [-1, 1]) / 4)

    assert chance.mean_log(float("-inf"), 2, 2, 3, 0.25) == pytest.approx(mean(0), rel=1e-11)
    assert chance.mean_log(log(5), 2, 2, 3, 0.25) == pytest.approx(mean(5), rel=1e-11)


@pytest.mark.parametrize("d", [1, 2, 5, 128, 10**6])
def test_the_mean_of_one_exponential(d: int) -> None:
    """log 0F1 is the logarithm of the mean, and one vector alone has the mean 0 of its cosine."""
    found = chance.mean_of(lambda x: np.exp(x / 0.2), d, 0.2)
    assert log(found) == pytest.approx(chance.log_mean_exponential(d, 0.2), rel=1e-12)
    assert chance.mean_log(float("-inf"), 1, 1, d, 0.05) == pytest.approx(0, abs=1e-11)


def test_the_mean_of_an_exponential_lies_where_next_to_no_vectors_are() -> None:
    found = chance.mean_of(lambda x: np.exp(300 * x), 128, 1.0)
    assert log(found) == pytest.approx(chance.log_mean_exponential(128, 1 / 300), rel=1e-12)
    assert chance.mean_of(lambda x: 2.0, 128, 1.0) == pytest.approx(2)


def test_the_mean_field_is_nats_too_high_where_it_is_cold() -> None:
    mean = chance.mean_log(float("-inf"), 511, 1, 128, 0.01)
    field = log(511) + chance.log_mean_exponential(128, 0.01)
    x = np.random.default_rng(0).normal(size=(60, 511, 128))
    x = x[:, :, 0] / np.linalg.norm(x, axis=2) / 0.01
    sampled = np.log(np.exp(x - 60).sum(1)) + 60
    assert mean == pytest.approx(sampled.mean(), abs=5 * sampled.std() / 60**0.5)
    assert field - mean > 2


def test_a_wrong_quadrature_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The two bounds can fail: nodes that miss the mass are noticed."""
    monkeypatch.setattr(chance, "cosines", lambda d, tau: (np.array([-1.0]), np.array([1.0])))
    with pytest.raises(InternalError, match="is not between"):
        chance.mean_log(float("-inf"), 7, 1, 3, 0.1)


def pairs(seed: int, items: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Vectors of two towers, drawn independently."""
    z = np.random.default_rng(seed).normal(size=(2, items, d))
    u, v = z / np.linalg.norm(z, axis=2, keepdims=True)
    return u, v


def clip_of(u: np.ndarray, v: np.ndarray, tau: float) -> float:
    both = np.vstack([u, v])
    return by_hand.clip(both @ both.T, (), tau)


def siglip_of(u: np.ndarray, v: np.ndarray) -> float:
    """At t = 10 and b = -10, with the sign of public code."""
    z = 2 * np.eye(len(u)) - 1
    return float(np.log1p(np.exp(-z * (10 * u @ v.T - 10))).sum() / len(u))


def dino_of(seed: int, count: int, d: int) -> float:
    """A student, a teacher and prototypes."""
    (student, teacher), prototypes = pairs(seed, 1, d), pairs(seed + 10**6, count, d)[0]
    s, q = (prototypes @ x[0] / heat for x, heat in ((student, 0.1), (teacher, 0.04)))
    share = np.exp(q - q.max()) / np.exp(q - q.max()).sum()
    return float(np.log(np.exp(s).sum()) - share @ s)


@pytest.mark.parametrize("d", [2, 5])
def test_means_of_towers_and_prototypes_are_those_of_samples(d: int) -> None:
    aligned = [pairs(k, 5, d)[0] for k in range(600)]
    for each, mean in (
        ([clip_of(*pairs(k, 5, d), 0.2) for k in range(600)], values("clip", batch=5, t=5, dim=d)),
        ([siglip_of(*pairs(k, 5, d)) for k in range(600)], values("siglip", batch=5, dim=d)),
        ([dino_of(k, 9, d) for k in range(600)], values("dino", prototypes=9, dim=d)),
    ):
        assert mean["random"] == pytest.approx(np.mean(each), abs=5 * np.std(each) / 600**0.5)
    for each, mean in (
        ([clip_of(u, u, 0.2) for u in aligned], values("clip", batch=5, t=5, dim=d)),
        ([siglip_of(u, u) for u in aligned], values("siglip", batch=5, dim=d)),
    ):
        found = mean["classes_at_random"]
        assert found == pytest.approx(np.mean(each), abs=5 * np.std(each) / 600**0.5)


# --- lower bounds ------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "id, row, options, point",
    [
        ("simclr", ("simclr", "lightly"), {"batch": 6, "views": 3}, {"n": 6, "p": 3}),
        ("supcon", ("supcon", "paper"), {"batch": 6, "classes": 3}, {"m": 3, "n": 2, "p": 2}),
        (
            "sincere",
            ("simclr", "pytorch-metric-learning"),
            {"batch": 6, "classes": 3},
            {"m": 3, "n": 2, "p": 2},
        ),
    ],
)
def test_the_least_is_that_of_the_engine(
    id: str, row: tuple[str, str], options: Mapping[str, int], point: Mapping[str, int]
) -> None:
    found = values(*row, **options, tau="1/2", dim=128)
    assert found["least"] == pytest.approx(
        float(results[id].value("loss", tau="1/2", **point)), **CLOSE
    )


def test_the_least_of_clip_is_half_of_infonce() -> None:
    loss = float(results["infonce-optimum"].value("loss", N=8, t="1/10"))
    assert values("clip", batch=8, t=10)["least"] == pytest.approx(loss / 2, rel=1e-9)


BOUNDED = [k for k in HIERARCHICAL if k[0] == "simclr" or k[1] != "pytorch-metric-learning"]


@pytest.mark.parametrize("row", BOUNDED)
@pytest.mark.parametrize("sizes", [(2, 2, 2), (5, 5, 2), (6, 2, 1), (4, 2, 2)])
@pytest.mark.parametrize("d", [1, 2])
def test_no_embeddings_found_have_less(
    row: tuple[str, str], sizes: tuple[int, int, int], d: int
) -> None:
    """Points on a circle or of two signs, aligned or not, improved by hill climbing."""
    images, classes, views = sizes
    if needs_more(row, sizes):
        return
    tau, of = 0.1, by_hand.labels(classes, images // classes, views)
    least = values(*row, batch=images, classes=classes, views=views, tau=tau, dim=d)["least"]
    rng = np.random.default_rng(d)

    def loss(angle: np.ndarray) -> float:
        if d == 1:
            u = np.sign(np.cos(angle))[:, None]
        else:
            u = np.stack([np.cos(angle), np.sin(angle)], 1)
        return HIERARCHICAL[row](u @ u.T, of, tau)

    group = np.arange(images * views) // (views * images // classes)
    best = 2 * np.pi * group / classes
    for step in np.geomspace(2, 0.01, 40):
        new = best + step * rng.normal(size=len(best)) * (rng.random(len(best)) < 0.5)
        best = min(best, new, key=loss)
    assert loss(best) >= least - 1e-9


@pytest.mark.parametrize("tau", [0.05, 0.3, 2.0])
@pytest.mark.parametrize("items", [2, 3, 8])
def test_no_pairs_found_have_less(items: int, tau: float) -> None:
    """CLIP on a circle, where aligned pairs spread evenly come close to the bound."""
    least = values("clip", batch=items, tau=tau, dim=2)["least"]
    rng = np.random.default_rng(items)

    def loss(angle: np.ndarray) -> float:
        u = np.stack([np.cos(angle), np.sin(angle)], 1)
        return clip_of(u[:items], u[items:], tau)

    best = np.tile(2 * np.pi * np.arange(items) / items, 2)
    for step in np.geomspace(2, 0.01, 60):
        new = best + step * rng.normal(size=len(best)) * (rng.random(len(best)) < 0.5)
        best = min(best, new, key=loss)
    assert loss(best) >= least - 1e-9


def test_the_bound_of_the_trap() -> None:
    """Two images of two views on a line: log n holds, log(2 n - 1) would be false."""
    row, tau = ("simclr", "lightly"), 0.1
    least = values(*row, batch=2, tau=tau, dim=1)["least"]
    of = by_hand.labels(1, 2, 2)
    u = np.array([1.0, 1, -1, -1])
    true = by_hand.simclr(np.outer(u, u), of, tau)
    false = log(3) + chance.log_mean_exponential(1, tau) - 1 / tau
    assert least <= true + 1e-12 and true < false


PAIRS = {"batch": Integer(16), "dim": Integer(8)}


def family(loss: str) -> Similar:
    found = find(loss, None).family
    assert isinstance(found, Similar)
    return found


def test_means_of_functions_that_bend_are_split_there() -> None:
    d, close = int(PAIRS["dim"]), {"rel": 1e-12}

    def mean(function: Any) -> float:
        """From the kink on, below which the function is 0."""

        def density(x: Any) -> Any:
            return (1 - x**2) ** ((d - 3) / mpmath.mpf(2))

        part = mpmath.quad(lambda x: function(x) * density(x), [0.5, 1])
        return float(part / mpmath.quad(density, [-1, 0, 1]))

    hinge = mean(lambda x: x - 0.5)
    assert family("cosine-embedding").at("random", PAIRS) == pytest.approx(1 + 15 * hinge, **close)
    distance = mean(lambda x: (1 - mpmath.sqrt(2 - 2 * x)) ** 2)
    assert family("distance-margin").at("random", PAIRS) == pytest.approx(
        2 + 15 * distance, **close
    )
    unsplit = chance.mean_of(lambda x: np.maximum(0, x - 0.5), d, 1.0)
    assert unsplit != pytest.approx(hinge, rel=1e-9)


def test_gradients_of_functions_that_bend() -> None:
    def gradient(loss: str, name: str) -> float | None:
        similar = family(loss)
        (found,) = (k for k in similar.configurations(PAIRS) if k.name == name)
        return similar.gradient(similar.cosines(found), PAIRS)

    # Of each of 32 vectors: the other tower but its own, orthogonal to each other, over 16.
    assert gradient("hinge", "orthogonal") == pytest.approx((32 * 15) ** 0.5 / 16)
    assert gradient("distance-margin", "simplex") == 0
    assert gradient("distance-margin", "all_equal") is None  # a distance has none where it is 0


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.loss} {row.convention}")
def test_every_row_has_its_landmarks_in_order(row: Any) -> None:
    given = completed(row, {})
    marks = list(row.family.landmarks(given))
    names = [mark.name for mark in marks]
    assert names[-1] == "least" and names[0] == "all_equal" and "random" in names
    assert [k for k in ORDER if k in names] == names[:-1]
    there = [mark.value for mark in marks if mark.needs <= int(given.get("dim", 1))]
    assert min(there) >= marks[-1].value - 1e-12


# --- facts -------------------------------------------------------------------------------------
FACTS = [
    ("supcon", "supcontrast", {"batch": 256, "tau": "0.1"}, "all_equal", 8.9091),
    ("supcon", "supcontrast", {"batch": 256, "classes": 8}, "classes_collapsed", 5.9189),
    ("supcon", "supcontrast", {"batch": 256, "classes": 8}, "orthogonal", 14.0917),
    ("supcon", "solo-learn", {"batch": 256, "classes": 8}, "all_equal", log(511 / 63)),
    ("simclr", "pytorch-metric-learning", {"batch": 256, "classes": 8}, "all_equal", log(512 - 63)),
    ("simclr", "google-research", {"batch": 256}, "all_equal", 2 * log(511)),
    ("moco", None, {}, "all_equal", log(65537)),
    ("moco", None, {}, "classes_at_random", 0.0866),
    ("moco", "moco-v3", {"batch": 4096, "tau": "0.2"}, "all_equal", 0.8 * log(4096)),
    ("dino", None, {"prototypes": 4096}, "all_equal", 8.3178),
    ("dino", None, {"prototypes": 65536}, "orthogonal", 1.3801),
    ("ibot", None, {"prototypes": 8192}, "all_equal", 2 * log(8192)),
    ("siglip", None, {"batch": 8, "dim": 1000000}, "random", 10.0004),
    ("siglip", None, {"batch": 8}, "all_equal", 8 * log(2)),
    ("byol", None, {}, "all_equal", -1),
    ("byol", "solo-learn", {}, "all_equal", 0),
    ("simsiam", None, {}, "all_equal", -1),
    ("vicreg", None, {}, "all_equal", 24.75),
    ("vicreg", "solo-learn", {}, "all_equal", 49.5),
    ("barlow-twins", None, {"dim": 8192}, "all_equal", 8192),
    ("spectral", None, {}, "all_equal", -1),
]


@pytest.mark.parametrize("loss, convention, options, name, value", FACTS)
def test_facts(
    loss: str, convention: str | None, options: Mapping[str, object], name: str, value: float
) -> None:
    """Printed with four decimals, from other people's runs."""
    assert values(loss, convention, **options)[name] == pytest.approx(value, abs=6e-5)


def test_swav_with_fewer_samples_than_prototypes() -> None:
    few, many = (values("swav", batch=b, prototypes=3000) for b in (256, 3000))
    assert few["orthogonal"] > few["all_equal"] and many["orthogonal"] < 0.2


@pytest.mark.parametrize("loss", ["vicreg", "barlow-twins"])
def test_features_are_uncorrelated_only_with_more_images(loss: str) -> None:
    """The covariance of n images has rank n - 1 at most, the identity rank d."""
    assert values(loss, batch=9, dim=8)["orthogonal"] == 0
    assert "orthogonal" not in values(loss, batch=8, dim=8)


def test_random_vectors_lie_above_the_logarithm() -> None:
    found = values("simclr", batch=256, tau="0.1", dim=128)
    above = found["random"] - log(511)
    assert 0 < above < chance.log_mean_exponential(128, 0.1)


def test_collapse_and_orthogonal_vectors_share_a_value() -> None:
    says = explain("simclr", batch=256, tau="0.1", value=log(511))["says"]
    assert "all_equal" in says and "mean cosine" in says and "views too" in says
    assert "mean cosine" not in explain("siglip", batch=8, value=8 * log(2))["says"]


# --- a value -----------------------------------------------------------------------------------
def test_where_a_value_stands() -> None:
    options: dict[str, object] = {"batch": 256, "tau": "0.1", "convention": "supcontrast"}
    assert explain("supcon", value="8.909", **options)["nearest"] == "all_equal"
    assert "below" in explain("supcon", value="-1", **options)["says"]
    assert "above all landmarks" in explain("supcon", value=20, **options)["says"]
    assert "between" in explain("supcon", value=5, **options)["says"]
    without = explain("supcon", **options)
    assert without["nearest"] is None and "8.9091" in without["says"]


def test_a_value_between_is_measured_from_chance() -> None:
    """SigLIP of 8 begins at 10.0004, above collapse at 5.545; SimSiam's least value is collapse."""
    for loss, value, options, says in (
        ("siglip", 7, {"batch": 8}, "32 % of the way from random (10.0004)"),
        ("siglip", 7, {"batch": 8}, "a fall to all_equal would be collapse"),
        ("siglip", 90, {}, "worse than chance"),
        ("siglip", "1.08", {}, "96 % of the way"),
        ("simsiam", "-0.7", {}, "70 % of the way from random (0) to the least (-1)"),
        ("simsiam", "-0.7", {}, "a fall to all_equal would be collapse"),
        ("supcon", "0.0300", {}, "99 % of the way"),
        ("supcon", 5, {}, "all_equal is excluded"),
        ("dino", 20, {}, "worse than chance, or the loss is scaled"),
    ):
        assert says in explain(loss, value=value, **options)["says"]


def test_without_sizes_collapse_is_searched_at_powers_of_two() -> None:
    for value, where in (("8.3178", "prototypes 4096"), ("12.00", "in bits"), (8, "clip")):
        found = explain(value=value)["landmarks"]
        assert found[0]["name"] == "all_equal" and where in str(found)
    assert not explain(value="8.3178", batch=512)["landmarks"]
    assert "log(4096)" in explain(value="8.3178")["says"].partition(";")[0]
    assert not explain(value="8.45")["landmarks"]  # log(4675): some whole number fits


def test_a_small_value_is_told_from_small_landmarks() -> None:
    """CLIP of 512 pairs has its simplex at 0.00031046, its orthogonal images at 0.00031926."""
    for value, says in (
        ("0.0001", "lies below 0.00031046"),
        ("0.00031046", "value of simplex"),
        ("0.00031926", "value of orthogonal"),
        ("0.000", "value of classes_at_random"),  # a loss that is shown with three decimals
    ):
        said = explain("clip", batch=512, value=value)["says"]
        assert says in said and (value == "0.000" or "or of" not in said)
    assert explain("simsiam", value="0")["nearest"] == "random"


def test_cosines_are_written_as_they_are() -> None:
    for options in ({"batch": 2}, {"batch": 4, "classes": 2}):
        for mark in explain("supcon", **options)["landmarks"]:
            assert "-1/1" not in re.sub(r"-1/1\d", "", mark["configuration"])


def test_a_value_without_a_loss() -> None:
    found = explain(value="6.2383", batch=512)
    assert found["nearest"] == "all_equal" and "log(512)" in found["says"]
    assert any("clip" in mark["configuration"] for mark in found["landmarks"])
    bits = explain(value=9, batch=512)
    assert "bits" in bits["says"] and bits["nearest"] == "all_equal"
    nothing = explain(value="7.7777", batch=512)
    assert nothing["nearest"] is None and not nothing["landmarks"]


def test_the_json_has_the_keys_that_others_rely_on() -> None:
    for loss in NAMES:
        found = explain(loss, value=1)
        assert list(found) == ["version", "landmarks", "nearest", "says"]
        for mark in found["landmarks"]:
            assert list(mark) == ["name", "value", "how", "configuration"]
        assert found["nearest"] in [mark["name"] for mark in found["landmarks"]]


@pytest.mark.parametrize(
    "loss, options, says",
    [
        ("supcom", {}, "did you mean 'supcon'"),
        ("x" * 300, {}, "no loss is called"),
        ("supcon", {"convention": "supcontrost"}, "did you mean 'supcontrast'"),
        ("supcon", {"queue": 3}, "supcon has no queue; it takes batch"),
        ("supcon", {"classes": 7}, "must divide"),
        ("supcon", {"classes": 512}, "must divide"),
        ("supcon", {"views": 1}, "at least 2"),
        ("simclr", {"views": 1, "classes": 8}, "at least 2"),
        ("supcon", {"batch": "1/2"}, "whole number"),
        ("supcon", {"batch": 1}, "whole number"),
        ("supcon", {"tau": 0}, "tau must be"),
        ("supcon", {"tau": "oo"}, "tau must be"),
        ("supcon", {"tau": "__import__('os')"}, "not a number"),
        ("supcon", {"value": "oo"}, "finite"),
        ("supcon", {"value": float("nan")}, "not a number"),
        ("clip", {"tau": 1, "t": 1}, "t is 1/tau"),
        ("supcon", {"batches": 3}, "did you mean 'batch'"),
        (3, {}, "no loss is called '3'"),
        ("moco", {"convention": 3}, "no convention '3'"),
        ("moco", {"queue": [3]}, "not a number"),
        (None, {}, ", or value to search"),
        (None, {"value": 1, "convention": "nobody"}, "no convention"),
    ],
)
def test_bad_input_is_one_line(loss: str | None, options: dict[str, object], says: str) -> None:
    with pytest.raises(Refusal, match=says) as refusal:
        explain(loss, **options)
    assert "\n" not in str(refusal.value) and len(str(refusal.value)) < 400


@pytest.mark.parametrize("kind", [str, np.float64, np.float32, Rational])
def test_numbers_of_all_kinds_are_read(kind: Any) -> None:
    queue = np.int64(4096) if kind is np.float64 else 4096
    assert explain("moco", queue=queue, value=kind("8.318"))["nearest"] == "all_equal"


def test_temperatures_of_clip() -> None:
    assert values("clip", tau="1/10") == values("clip", t=10)


def test_a_changed_row_is_another_number() -> None:
    """Conventions of one loss differ where they should: labels tell all of them apart."""
    options = {"batch": 256, "classes": 8, "tau": "0.1"}
    kinds = ("paper", "supcontrast", "solo-learn")
    assert len({round(values("supcon", k, **options)["random"], 6) for k in kinds}) == 3


def test_what_was_taken_is_told() -> None:
    found = explained("supcon", tau="0.2")
    assert "tau 0.2" in found.taken and "batch 256" in found.taken
    assert completed(find("supcon", None), {"tau": Rational(1, 5)})["batch"] == sympify(256)


@pytest.mark.parametrize(
    "loss, options, says",
    [
        ("supcl", {"classes": 256}, "256 must be fewer than batch 256: the loss compares images"),
        ("cnce", {"classes": 256}, "256 must be fewer than batch 256: the loss compares images"),
        ("cnce", {"classes": 4, "batch": 4, "views": 1}, "fewer than batch 4"),
        ("cnce", {"batch": 8}, r"classes 8 \(the default\) must be fewer than batch 8"),
        ("supcl", {"batch": 12}, r"classes 8 \(the default\) must divide batch 12"),
        ("supcl", {"views": 1, "convention": "supcontrast"}, "views must be at least 2"),
        ("supcl", {"alpha": 2}, "alpha must be a number from"),
    ],
)
def test_terms_without_positives_or_negatives_are_refused(
    loss: str, options: dict[str, Any], says: str
) -> None:
    with pytest.raises(Refusal, match=says):
        explain(loss, **options)


def test_a_search_skips_losses_without_negatives() -> None:
    options = {"batch": Integer(4), "classes": Integer(4), "views": Integer(2)}
    lacking = [row.loss for row in ROWS if _lacks_pairs(row, {**row.defaults, **options})]
    assert list(dict.fromkeys(lacking)) == ["supcl", "cnce"]
    assert not _lacks_pairs(find("cnce", None), options | {"classes": Integer(2)})


def test_a_search_skips_labelled_losses_without_classes() -> None:
    found = explain(value=log(199), batch=100)  # of SimCLR; 8 classes do not divide 100
    assert not any("supcl" in mark["configuration"] for mark in found["landmarks"])
    found = explain(value=log(1024), batch=512, classes=4)
    assert any("supcl" in mark["configuration"] for mark in found["landmarks"])


def test_a_mean_that_is_lost_to_rounding_is_not_told() -> None:
    for scale, told in ((10, True), (100, False)):  # the mean is of the size of 1e-35 at 100
        names = {k["name"] for k in explain("clip", batch=32768, t=scale)["landmarks"]}
        assert ("classes_at_random" in names) == told
