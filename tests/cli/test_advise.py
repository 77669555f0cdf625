"""``cltheory advise``: what it says is what results say, at the numbers that a setting means."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import cltheory as cl
import numpy as np
import pytest
from brute_force import least
from cltheory.cli.advise import advise_command
from cltheory.derive.advice.advise import DISTINCT, advised
from cltheory.derive.advice.table import LIMITS, LOSSES
from cltheory.derive.errors import Refusal
from cltheory.derive.landmarks.libraries import ALSO
from cltheory.derive.proof.lemmas import CLASSES_OF_PAIRS
from cltheory.derive.results import results
from cltheory.derive.theorem.number import as_float
from jsonschema import Draft202012Validator

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs/schema/advise.json").read_text(encoding="utf-8")
)
#: Those of the help, and two more.
EXAMPLES = re.findall(r"cltheory advise (.*)", advise_command.epilog or "")
SETTINGS = [
    *(tuple(k.removesuffix(" --format json").split()) for k in EXAMPLES),
    ("--loss", "supcl", "--classes", "10", "--per-class", "50", "--sampling", "all"),
    ("--loss", "clip", "--batch", "4096"),
]


def parameter(name: str, found: Any) -> Any:
    return next(k for k in found["parameters"] if k["name"] == name)


def fact(name: str, found: Any) -> Any:
    return next((k for k in found["facts"] if k["name"] == name), None)


# --- form ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("args", SETTINGS, ids=" ".join)
def test_it_fits_a_screen_and_the_json_its_schema(
    args: tuple[str, ...], cltheory: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    once: list[Any] = []  # both formats are of one report

    def remembered(**options: Any) -> Any:
        once.append(once[0] if once else advised(**options))
        return once[0]

    monkeypatch.setattr("cltheory.derive.advice.advise.advised", remembered)
    code, out, _ = cltheory("advise", *args)
    lines = out.splitlines()
    assert code == 0 and len(lines) <= 40 and all(len(line) <= 100 for line in lines)
    code, out, _ = cltheory("advise", *args, "--format", "json")
    found = json.loads(out)
    Draft202012Validator(SCHEMA).validate(found)
    assert code == 0 and lines[0].startswith(found["says"][:40])


def test_the_schema_refuses_what_is_no_advice() -> None:
    found = cl.advise("clip", batch=8)
    found["parameters"][0]["name"] = "beta"
    assert list(Draft202012Validator(SCHEMA).iter_errors(found))


def test_the_help_names_all_losses_and_examples(cltheory: Any) -> None:
    code, out, _ = cltheory("advise", "--help")
    assert code == 0 and "Examples" in out and all(k in out for k in LOSSES)


# --- the table ----------------------------------------------------------------------------------
def everything_said() -> list[Any]:
    rows = [*LOSSES.values(), *(k.unequal for k in LOSSES.values() if k.unequal)]
    ends = [end for row in rows for end in row.ends]
    assert {end.parameter for end in ends} <= set(LIMITS)
    low = [end.unless for end in ends if end.unless]
    facts = [k.said for row in rows for k in row.facts]
    rooms = [k for row in rows for room in row.rooms for k in room.asked]
    return [k.said for k in ends] + low + facts + rooms


@pytest.mark.parametrize("one", everything_said(), ids=lambda k: f"{k.result} {k.quantity}")
def test_the_table_names_quantities_and_parameters_that_there_are(one: Any) -> None:
    result = results[one.result]
    assert set(one.takes) <= {s.name for s in result.parameters}
    names = {one.quantity.format(alone=k) for k in ("attraction", "term", "renormalise", "skip")}
    assert names & set(result.quantities)


def test_other_names_mean_the_same() -> None:
    for name, own in ALSO.items():
        assert cl.explain(name) == cl.explain(own)
        found, same = cl.advise(name, batch=16), cl.advise(own, batch=16)
        assert found["parameters"] == same["parameters"]


# --- what it says ---------------------------------------------------------------------------------
def supcl(g: np.ndarray, label: np.ndarray, image: np.ndarray, alpha: float, tau: float) -> float:
    """SupCL of a batch with the anchor included; an anchor alone is not attracted to others."""
    total = 0.0
    for u in range(len(g)):
        others = (label == label[u]) & (image != image[u])
        attraction = (1 - alpha) * g[u, others].mean() if others.any() else 0.0
        attraction += alpha * g[u, image == image[u]].mean()
        total += np.log(np.exp(g[u] / tau).sum()) - attraction / tau
    return total / len(g)


def test_the_end_of_alpha_is_where_batches_start_to_leave_collapse() -> None:
    """All batches of 3 of 2 x 2 images of one view: the slope of their mean changes its sign."""
    from itertools import combinations

    tau, n = 0.5, 2
    image = np.arange(4)
    label = image // n
    found = cl.advise("supcl", classes=2, per_class=2, batch=3, views=1, tau="1/2", dim=8)
    edge = parameter("alpha", found)["low"]

    def mean(within: float, alpha: float) -> float:
        """Instances of a class at this cosine; class means stay opposite."""
        same = label[:, None] == label[None, :]
        across = -(1 + within) / 2  # the sum of all vectors is zero
        g = np.where(image[:, None] == image[None, :], 1.0, np.where(same, within, across))
        batches = [list(k) for k in combinations(range(4), 3)]
        return float(
            np.mean([supcl(g[np.ix_(k, k)], label[k], image[k], alpha, tau) for k in batches])
        )

    for alpha, leaves in ((edge - 0.01, False), (edge + 0.01, True)):
        assert (mean(1 - 1e-5, alpha) < mean(1, alpha)) is leaves


@pytest.mark.parametrize(
    "convention, sampling",
    [("paper", "uniform"), ("supcontrast", "balanced:4"), ("supcontrast", "all"), ("paper", "all")],
)
def test_tau_ends_where_alpha_does(convention: str, sampling: str) -> None:
    """At the end of the range of tau, the end of alpha is the alpha that was chosen."""
    own: dict[str, Any] = {"classes": 10, "per_class": 40, "batch": 32, "convention": convention}
    found = cl.advise("supcl", **own, sampling=sampling, alpha="0.6")
    high = parameter("tau", found)["high"]
    alone = {} if sampling != "uniform" else {"alone": "attraction"}
    there = cl.advise("supcl", **own, sampling=sampling, **alone, tau=high * 0.999)
    beyond = cl.advise("supcl", **own, sampling=sampling, **alone, tau=high * 1.001)
    assert parameter("alpha", there)["low"] < 0.6 < parameter("alpha", beyond)["low"]


def test_alone_changes_the_end_and_none_may_be_left() -> None:
    own = {"classes": 100, "per_class": 500, "batch": 256}
    term = parameter("alpha", cl.advise("supcl", alone="term", **own))
    assert term["low"] == pytest.approx(0.3098, abs=1e-4)  # docs/which-batch.md
    attraction = parameter("alpha", cl.advise("supcl", **own))
    split, both = attraction["bounds"]
    assert both["value"] < 0.32 < split["value"] == attraction["low"]
    assert both["outside"].endswith("views of an instance separate")
    none = cl.advise("supcl", classes=1000, batch=8, tau="0.05")
    assert "no alpha is safe" in none["says"]


def test_below_both_ends_views_separate_and_between_they_may() -> None:
    """Two of four images of two classes in a batch: the minimum over all batches, by descent."""
    from itertools import combinations

    import torch
    from cltheory.losses import SupCL

    loss, label = {a: SupCL(a, tau=0.5) for a in (0.45, 0.93)}, torch.arange(4) // 2
    found = cl.advise("supcl", classes=2, per_class=2, batch=2, tau="1/2")
    split, both = parameter("alpha", found)["bounds"]
    skip = cl.advise("supcl", classes=2, per_class=2, batch=2, tau="1/2", alone="skip")
    assert f"alpha is safe above {parameter('alpha', skip)['low']:.6g}" in split["outside"]
    assert 0.45 < both["value"] and 0.93 < split["value"]
    batches = [torch.tensor(k) for k in combinations(range(4), 2)]
    own = {}
    for alpha, one in loss.items():
        start = np.random.default_rng(0).standard_normal((4, 2, 8))

        def mean(z: torch.Tensor, one: SupCL = one) -> torch.Tensor:
            return sum(one(z[k], label[k]) for k in batches)

        z = torch.tensor(least(mean, [start]).x).reshape(start.shape)
        own[alpha] = float(torch.cosine_similarity(z[:, 0], z[:, 1]).min())
    assert own[0.45] < 0.7 and own[0.93] > 0.999  # so "may" is all that is said between


def test_below_both_ends_views_separate() -> None:
    found = cl.advise("supcl", classes=10, alpha="0.01", convention="supcontrast")
    assert "down to 0.0197" in found["says"] and "views of an instance separate" in found["says"]


def test_where_no_temperature_is_safe_and_where_all_are() -> None:
    own: dict[str, Any] = {"classes": 100, "per_class": 50, "sampling": "all"}
    none = cl.advise("supcl", convention="supcontrast", alpha="0.001", **own)
    tau = parameter("tau", none)
    assert tau["low"] == tau["high"] == 0 and "No tau is safe" in none["says"]
    found = cl.advise("supcl", classes=100, alpha=1, alone="term")
    assert parameter("tau", found)["high"] is None and "no end up to 10" in found["says"]


def test_devices_gather_and_accumulation_does_not() -> None:
    own: dict[str, Any] = {"classes": 10, "per_class": 500, "tau": "0.1", "alone": "term"}
    one = cl.advise("supcl", batch=128, **own)
    four = cl.advise("supcl", batch=32, devices=4, accumulate=8, **own)
    assert parameter("alpha", one)["low"] == parameter("alpha", four)["low"]
    assert fact("ungathered", one) is None
    alone = cl.advise("supcl", batch=32, **own)
    assert fact("ungathered", four)["value"] == parameter("alpha", alone)["low"]


def test_where_a_value_stands() -> None:
    own: dict[str, Any] = {"classes": 100, "batch": 256, "alone": "term"}
    inside = parameter("alpha", cl.advise("supcl", alpha="0.5", **own))
    assert inside["margin"] == pytest.approx(0.5 - inside["low"]) and not inside["taken"]
    outside = cl.advise("supcl", alpha="0.01", **own)
    assert parameter("alpha", outside)["margin"] < 0 and "not safe" in outside["says"]


def test_in_fewer_dimensions_than_a_structure_has_it_does_not_exist() -> None:
    """Known of every structure by its rank; of a threshold, only where that is proved."""
    supcl: dict[str, Any] = {"classes": 100, "batch": 256, "alone": "term"}
    assert (
        "below 99, and the simplex of classes does" in cl.advise("supcl", dim=64, **supcl)["says"]
    )
    assert "below 100, and the threshold" in cl.advise("supcl", dim=99, **supcl)["says"]
    for loss in ("clip", "simclr", "siglip"):
        found = cl.advise(loss, batch=128, dim=126)
        assert "below 127, and the simplex of" in found["says"] and "not exist" in found["says"]
        assert "does not exist" not in cl.advise(loss, batch=128, dim=127)["says"]
    assert "range of t and b is not known" in cl.advise("siglip", batch=128, dim=127)["says"]


def test_where_no_alpha_is_safe_no_tau_is_told() -> None:
    found = cl.advise("supcl", classes=3, batch=16, tau="0.01")
    assert found["says"].startswith("No alpha is safe: the views of an instance may separate")
    assert [p["name"] for p in found["parameters"]] == ["alpha", "dim"]
    # From 0.9999999959 on: alpha = 1 was taken as the middle, and tau was said to be safe.
    narrow = cl.advise("supcl", classes=2, batch=2, tau="0.1")
    assert narrow["says"].startswith("Next to no alpha is safe: the views of an instance may")
    assert [p["name"] for p in narrow["parameters"]] == ["alpha", "dim"]


def test_the_middle_of_a_narrow_range_is_inside() -> None:
    found = cl.advise("supcl", classes=2, batch=2, tau="0.25")
    low = found["parameters"][0]["low"]
    assert 0.999 < low < 0.9995  # three digits would be 1, where labels play no role
    (tau,) = (p for p in found["parameters"] if p["name"] == "tau")
    assert low < float(tau["note"].split()[-1]) < 1


@pytest.mark.parametrize(("loss", "least"), [("supcon", 9), ("clip", 127)])
def test_noise_moves_no_optimum_where_there_is_none(loss: str, least: int) -> None:
    own: dict[str, Any] = {"classes": 10, "batch": 128}
    for noise in ({}, {"noise": "0.1"}):
        below, enough = (cl.advise(loss, dim=d, **own, **noise) for d in (least - 1, least))
        assert below["says"].startswith(f"d = {least - 1} is below {least}, and the simplex")
        assert f"In d >= {least}: noise" in below["says"]
        assert enough["says"].startswith(("Noise", "noise = "))
        notes = [{p["name"]: p["note"] for p in k["parameters"]}["noise"] for k in (below, enough)]
        assert notes == [f"in d >= {least}", ""]


def test_in_one_dimension_less_than_classes_other_results_speak() -> None:
    """Where nothing leaves the span of the simplex, thresholds of more dimensions do not hold."""
    at = {"classes": 10, "batch": 100, "dim": 9}
    threshold = float(cl.supcl_second_order.value("alpha_local", m=10, n=10, tau="1/10"))
    found = cl.advise("supcl", sampling="all", **at)
    assert (
        found["says"].startswith("d = 9 is below 10") and f"above {threshold:.6g}" in found["says"]
    )
    noise = float(cl.supcon_noise_second_order.value("rho_local", m=10, n=10, p=2, tau="1/10"))
    facts = {k["name"]: k for k in cl.advise("supcon", per_class=10, **at)["facts"]}
    assert (
        facts["noise"]["value"] == pytest.approx(noise) and f"{noise:.6g}" in facts["noise"]["says"]
    )
    assert "noise" not in {k["name"] for k in cl.advise("supcon", **{**at, "dim": 10})["facts"]}
    two = cl.advise("supcl", classes=2, batch=16, dim=1, sampling="all")["says"]
    assert two.startswith("d = 1 is below 2") and "In d >= 2: choose alpha" in two


def test_what_would_be_ignored_is_refused_or_said() -> None:
    of = {"clip": {}, "simclr": {}, "supcl": {"classes": 10, "batch": 40}}
    bad = [
        ("clip", {"views": 4}, "views can only be 2"),
        ("clip", {"views": "2.5"}, "views must be a whole number"),
        ("simclr", {"sampling": "all"}, "give classes"),
        ("simclr", {"per_class": 40}, "give classes"),
        ("supcl", {"sampling": "balanced:4", "alone": "skip"}, "alone is about uniform batches"),
    ]
    for loss, options, says in bad:
        with pytest.raises(ValueError, match=says):
            cl.advise(loss, **of[loss], **options)
    told = {
        k["name"]: k["says"]
        for k in cl.advise("supcon", sizes=[50, 9, 2], batch=64, dim=1)["facts"]
    }
    assert told["batch"].startswith("batch plays no role") and "d = 1 is less" in told["rank"]


def test_what_a_loss_does_not_depend_on_is_not_told() -> None:
    assert {"anchor", "alone", "views"} <= set(cl.advise("supcl", classes=10, alpha=1)["taken"])
    clip = set(cl.advise("clip", classes=100, views=2)["taken"])
    assert "sampling" in clip and not {"anchor", "alone", "views"} & clip
    assert not {"anchor", "alone"} & set(cl.advise("supcon", classes=10)["taken"])


def test_duplicates_are_a_floor() -> None:
    """An encoder of classes has the floor or more: sampled batches of SimCLR, within 5 errors."""
    m, batch, tau = 8, 16, 0.5
    found = cl.advise("simclr", classes=m, per_class=100, batch=batch, tau="1/2")
    rng, u = np.random.default_rng(0), np.eye(m) - 1 / m
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    losses = []
    for _ in range(400):
        label = np.repeat(rng.choice(m * 100, batch, replace=False) // 100, 2)
        s = u[label] @ u[label].T / tau
        np.fill_diagonal(s, -np.inf)
        losses.append(np.mean(np.log(np.exp(s).sum(1)) - 1 / tau))
    error = np.std(losses) / 20
    assert fact("duplicates", found)["value"] == pytest.approx(np.mean(losses), abs=5 * error)
    assert fact("same_class", found)["says"].startswith("on average 1.859 ")  # 15 * 99/799


def test_duplicates_are_a_floor_of_clip() -> None:
    """All batches of 3 of 3 x 2 pairs: attained at the simplex of classes, missed by others."""
    from itertools import combinations

    m, tau = 3, 0.5
    floor = fact("duplicates", cl.advise("clip", classes=m, per_class=2, batch=3, tau=tau))
    rng, simplex = np.random.default_rng(0), np.eye(m) - 1 / m
    batches = [np.array(k) // 2 for k in combinations(range(2 * m), 3)]

    def clip(u: np.ndarray, v: np.ndarray) -> float:
        u, v = (k / np.linalg.norm(k, axis=1, keepdims=True) for k in (u, v))
        logits = [u[k] @ v[k].T / tau for k in batches]
        both = [(np.log(np.exp(s).sum(i)) - s.diagonal()).mean() for s in logits for i in (0, 1)]
        return float(np.mean(both))

    assert clip(simplex, simplex) == pytest.approx(floor["value"], abs=2e-6)  # 10^6 views
    assert floor["evidence"] == "argued" and CLASSES_OF_PAIRS.name in floor["says"]
    others = [clip(*(simplex + rng.normal(0, 0.1, (2, m, m)))) for _ in range(20)]
    assert min(others) > floor["value"]
    assert fact("duplicates", cl.advise("clip", batch=64)) is None


def test_a_convention_scales_values_and_not_thresholds() -> None:
    own: dict[str, Any] = {"classes": 10, "batch": 64, "tau": "0.1"}
    plain, scaled = (cl.advise("supcon", convention=k, **own) for k in ("paper", "supcontrast"))
    ratio = fact("least", scaled)["value"] / fact("least", plain)["value"]
    assert ratio == pytest.approx(0.1 / 0.07)
    assert plain["parameters"] == scaled["parameters"]


def test_lemmas_that_are_proved_in_words_are_told() -> None:
    """The engine checks what follows from them, and says exact of that."""
    for loss in ("simclr", "clip"):
        least = fact("least", cl.advise(loss, batch=64))
        assert least["result"] == "uniform-bound" and "proved in words" in least["says"]


def test_siglip_is_in_its_own_sign() -> None:
    found = cl.advise("siglip", batch=1024, t=10, b=-10)
    theirs = results["sigmoid-threshold"].value("t_simplex_max", N=1024, b=10)
    assert parameter("t", found)["high"] == pytest.approx(as_float(theirs))


def test_sizes_say_which_classes_merge() -> None:
    merged = cl.advise("supcon", sizes="20,500,100", tau=2)
    assert "not safe" in merged["says"] and "100, 20" in fact("cosines", merged)["says"]
    apart = cl.advise("supcon", sizes=[500, 100, 20], tau="0.1")
    assert "no two classes are one point" in fact("cosines", apart)["says"]
    tail = [cl.advise("supcon", sizes=[1000, 1000, 5, 5], tau=t) for t in ("0.5", "0.1")]
    assert [fact("tail", k)["value"] for k in tail] == [1, 0]  # docs/imbalance.md
    many = cl.advise("supcon", sizes=list(range(2, 4 + DISTINCT)))
    assert "not searched" in fact("cosines", many)["says"]


@pytest.mark.parametrize("sampling", ["uniform", "all"])
def test_each_number_has_evidence_no_stronger_than_its_result(sampling: str) -> None:
    """The range of tau that is searched is sampled; that of a formula is exact."""
    own = {"classes": 10, "per_class": 50, "batch": 32, "sampling": sampling}
    for safe in advised("supcl", **own).parameters:
        for bound in safe.bounds:
            grade = str(results[bound.result].evidence_of(bound.quantity).grade)
            searched = safe.name == "tau" and sampling == "uniform"
            assert bound.evidence == ("sampled" if searched else grade)


def test_python_refuses_in_one_line() -> None:
    with pytest.raises(Refusal, match="knows no loss"):
        cl.advise("supcom")
    with pytest.raises(Refusal, match="has no temperature; it takes"):
        cl.advise("clip", temperature=0.1)
