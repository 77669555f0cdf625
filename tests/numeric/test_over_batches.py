"""Results about batches against all batches of small data, and embeddings that are optimised."""

from types import SimpleNamespace

import pytest
from cltheory.derive.decide.domain import DomainError
from cltheory.derive.results import results
from cltheory.numeric.verify import over_batches, verify

IDS = [f"supcl-batches{kind}" for kind in ("", "-exclusive", "-balanced", "-balanced-exclusive")]


@pytest.mark.parametrize("id", IDS)
def test_results_about_batches_are_verified(id, monkeypatch):
    monkeypatch.setattr(over_batches, "STEPS", 40)  # enough to get below collapse, or not
    found = verify(id, seeds=(0,))
    assert len(found) >= 3 and {c.verdict for c in found} == {"agrees"}
    assert {c.measured for c in found if c.what.startswith("collapse")} >= {0.0}


@pytest.mark.parametrize("id", ["supcon-batches", "simclr-batches"])
def test_optima_over_batches_are_verified(id):
    found = verify(id, seeds=(0,))
    assert {c.verdict for c in found} == {"agrees"}
    assert {"loss", "same_instance"} <= {c.what for c in found}


@pytest.mark.parametrize(
    "loss, more",
    [
        ("sigmoid", {"sampling": "uniform"}),
        ("dcl", {"sampling": "uniform"}),
        ("supcl", {"sampling": "uniform", "alone": "attraction", "alpha": "9/10"}),
        ("supcl-exclusive", {"sampling": "balanced", "alpha": "1/10"}),
    ],
)
def test_any_loss_over_batches_is_verified(loss, more):
    found = verify("phases", loss=loss, seeds=(0,), **more)
    assert {c.verdict for c in found} == {"agrees"} and len(found) >= 3


def test_two_ends_bound_one_interval():
    # Near each other, so that a value beside one of them is on the wrong side of the other.
    found = verify("supcl-batches-balanced-exclusive", m=2, n=2, p=2, seeds=(0,))
    assert {c.verdict for c in found} == {"agrees"}
    assert [c.measured for c in found if c.what.startswith("collapse")] == [0, 1, 0]


def test_a_wrong_end_disagrees(monkeypatch):
    result = results["supcl-batches-balanced"]
    value = result.value
    wrong = SimpleNamespace(
        **{k: getattr(result, k) for k in ("id", "parameters", "point", "measures", "draw")},
        **{k: getattr(result, k) for k in ("declared", "texts", "domain")},
        at_point=lambda point: wrong,
        value=lambda name, **at: value(name, **at) + 0.2,
    )
    found = over_batches.checks(wrong, {}, over_batches.Run(seeds=(0,)))
    assert [c.verdict for c in found] == ["disagrees"] * 2 + ["agrees"]


def test_too_many_batches_are_not_enumerated():
    with pytest.raises(DomainError, match="at most are enumerated"):
        verify("supcl-batches", m=10, n=10, B=20)


def test_values_that_are_not_accepted_are_refused():
    with pytest.raises(DomainError, match="no parameter alpha"):
        verify("supcl-batches", alpha="1/2")
    with pytest.raises(DomainError):
        verify("supcl-batches", tau="oo")
