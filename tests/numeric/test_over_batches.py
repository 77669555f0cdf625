"""Results about batches against all batches of small data, and embeddings that are optimised."""

from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from cltheory.derive.decide.domain import DomainError
from cltheory.derive.results import results
from cltheory.numeric.losses import MoCo
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


def test_a_queue_of_q_is_a_batch_of_q_and_one() -> None:
    """MoCo over all queries and queues of other items, against the derived loss over batches."""
    size, queued, d, t = 5, 2, 4, 2.5
    moco = MoCo(tau=1 / t, queue_size=queued, dim=d).double().eval()
    chance = torch.Generator().manual_seed(0)
    axes = torch.linalg.svd(torch.eye(size, dtype=torch.float64) - 1 / size)[0][:, :d]
    simplex = torch.nn.functional.normalize(axes, dim=1)
    free = torch.randn(2, size, d, dtype=torch.float64, generator=chance)
    for at_optimum, (u, v) in ((True, (simplex, simplex)), (False, free)):
        u, v = (torch.nn.functional.normalize(x, dim=1) for x in (u, v))
        mean = []
        for i in range(size):
            for queue in combinations(sorted({*range(size)} - {i}), queued):
                moco.queue.copy_(v[list(queue)])
                mean.append(float(moco(u[[i]], v[[i]])))
        batches = [list(chosen) for chosen in combinations(range(size), queued + 1)]
        logits = [t * u[chosen] @ v[chosen].T for chosen in batches]
        one_way = [-torch.log_softmax(g, 1).diagonal().mean().item() for g in logits]
        assert np.mean(mean) == pytest.approx(np.mean(one_way), rel=1e-12)
        if at_optimum:
            at = {"N": size, "B": queued + 1, "tau": str(1 / t)}
            phases = results["phases"].with_inputs(loss="clip", sampling="uniform", at=at)
            assert np.mean(mean) == pytest.approx(float(phases.value("loss", **at)), rel=1e-9)
