"""Any loss over batches: against all batches one by one, written out again."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
import torch
from cltheory.derive.decide.domain import DomainError
from cltheory.derive.decide.evidence import Holds
from cltheory.derive.problems.batches import over_batches
from cltheory.derive.problems.catalogue import CATALOGUE
from cltheory.derive.proof.relations import eq
from cltheory.derive.results import results
from sympy import Tuple

PHASES = results["phases"]
TAU, T, BIAS, ALPHA = 0.4, 3.0, -0.5, 0.45
M, N, P = 3, 2, 2


def batches(kind: str) -> list[list[tuple[int, ...]]]:
    """Points of each batch: (class, instance, view), or (0, item, tower)."""
    if kind == "classes":
        chosen = list(combinations(product(range(M), range(N)), 3))
    elif kind == "balanced":
        chosen = [tuple(product(cs, range(N))) for cs in combinations(range(M), 2)]
    else:
        chosen = list(combinations([(0, i) for i in range(5)], 3))
    return [[(*i, v) for i in some for v in range(P)] for some in chosen]


def anchor_loss(loss: str, alone: str, a, others, g) -> torch.Tensor:
    """What one anchor adds in a batch; ``g(b)`` is its inner product with b over tau."""
    zero = g(a) * 0
    views = [b for b in others if b[:2] == a[:2]]
    mates = [b for b in others if b[0] == a[0] and b[1] != a[1]]
    far = [b for b in others if b[0] != a[0]]
    items = [b for b in others if b[1] != a[1]]

    def lse(some):
        return torch.logsumexp(torch.stack([g(b) for b in some]), 0)

    def mean(some):
        return torch.stack([g(b) for b in some]).mean()

    if loss == "sincere":
        terms = [lse([v, *far]) - g(v) for v in (*views, *mates)]
        return torch.stack(terms).mean()
    if loss == "cnce":
        return lse([a, *views, *mates]) - mean([a, *views])
    if loss == "simclr":
        return lse(others) - mean(views)
    if loss == "dcl":
        return lse(items) - mean(views)
    if loss == "clip":
        cross = [b for b in others if b[2] != a[2]]
        return lse(cross) - mean(views)
    if loss == "siglip":
        cross = [b for b in items if b[2] != a[2]]
        logit = [T * TAU * g(b) + BIAS for b in cross]
        own = torch.nn.functional.softplus(-(T * TAU * g(views[0]) + BIAS))
        return own + sum((torch.nn.functional.softplus(z) for z in logit), zero)
    assert loss == "supcl"
    whole, own = lse([a, *others]), mean([a, *views])
    if mates:
        return whole - (1 - ALPHA) * mean(mates) - ALPHA * own
    return {
        "": zero,
        "attraction": whole - ALPHA * own,
        "term": ALPHA * (whole - own),
        "renormalise": whole - own,
        "skip": zero,
    }[alone]


CASES = [
    ("sincere", "classes", ""),
    ("sincere", "balanced", ""),
    ("cnce", "classes", ""),
    ("simclr", "items", ""),
    ("dcl", "items", ""),
    ("clip", "items", ""),
    ("siglip", "items", ""),
    ("supcl", "balanced", ""),
    *(("supcl", "classes", alone) for alone in ("attraction", "term", "renormalise", "skip")),
]


def asked(loss: str, kind: str, alone: str):
    sampling = "balanced" if kind == "balanced" else "uniform"
    problem = over_batches(CATALOGUE[loss], sampling, alone)
    known = {"m": M, "n": N, "p": P, "N": 5, "B": 3, "C": 2, "k": 2}
    if kind == "items":
        known["n"] = 5
    known |= {"tau": "2/5", "alpha": "9/20", "t": 3, "b": "-1/2"}
    at = {s.name: known[s.name] for s in problem.domain.ranges}
    return at, {"loss": loss, "sampling": sampling, **({"alone": alone} if alone else {})}


@pytest.mark.parametrize(("loss", "kind", "alone"), CASES)
def test_the_optimum_is_that_of_all_batches_one_by_one(loss: str, kind: str, alone: str) -> None:
    at, texts = asked(loss, kind, alone)
    made = PHASES.with_inputs(at=at, **texts)
    inner = {
        k: float(made.value(k, **at)) for k in made.quantities if k not in ("structure", "loss")
    }
    every = batches(kind)
    points = sorted({x for batch in every for x in batch})

    def relation(a, b) -> str:
        if loss in ("clip", "siglip"):
            return {(True, False): "positive", (False, True): "within_modality"}.get(
                (a[1] == b[1], a[2] == b[2]), "negative"
            )
        if a[:2] == b[:2]:
            return "same_instance"
        if kind == "items":
            return "negative"
        return "same_class" if a[0] == b[0] else "cross_class"

    gram = torch.tensor(
        [[1.0 if a == b else inner[relation(a, b)] for b in points] for a in points],
        dtype=torch.float64,
        requires_grad=True,
    )
    index = {x: i for i, x in enumerate(points)}
    total = torch.zeros((), dtype=torch.float64)
    for batch in every:
        for a in batch:
            others = [b for b in batch if b != a]
            row = gram[index[a]] / TAU
            total = total + anchor_loss(loss, alone, a, others, lambda b, row=row: row[index[b]])
    total = total / (len(every) * len(every[0]))
    assert float(made.value("loss", **at)) == pytest.approx(total.item(), abs=1e-12)
    (slope,) = torch.autograd.grad(total, gram)
    s, g = ((slope + slope.T) / 2).numpy(), gram.detach().numpy()
    y = (s @ g).diagonal()
    # No embeddings of any dimension are better: the loss is convex, and this is the dual condition.
    assert np.linalg.eigvalsh(s - np.diag(y)).min() > -1e-9
    assert np.linalg.eigvalsh(g).min() > -1e-9


def test_alpha_is_solved_for_in_large_batches_in_no_time() -> None:
    at = {"m": 1000, "n": 1281, "p": 2, "B": 65536, "tau": "1/10"}
    made = PHASES.with_inputs(at=at, loss="supcl", sampling="uniform", alone="term")
    found = made.value("alpha_classes_instances", **at)
    assert abs(found - results["supcl-batches"].value("alpha_high_term", **at)) < 1e-13
    below = PHASES.with_inputs(
        at={**at, "alpha": "1/20"}, loss="supcl", sampling="uniform", alone="term"
    )
    assert below.value("structure", **at, alpha="1/20") == "classes"
    (step,) = [s for s in below.derivation if s.title.startswith("At these values")]
    (mean, _), gt = step.says.shown.args, step.says.shown.func
    assert isinstance(step.says.decide(), Holds)
    for wrong in (gt(-mean, 0), gt(mean - 1, 0), gt(0, mean)):
        assert not isinstance(step.says.saying(wrong).decide(), Holds)
    with pytest.raises(DomainError, match="several eigenspaces"):
        _ = PHASES.with_inputs(
            at={**at, "alpha": "1/10"}, loss="supcl", sampling="uniform", alone="term"
        ).quantities


def test_what_is_proved_for_all_sizes_needs_no_numbers() -> None:
    for loss, structure in (("sincere", "classes"), ("cnce", "instances"), ("supcon", "classes")):
        made = PHASES.with_inputs(loss=loss, sampling="uniform")
        assert str(made["structure"]) == structure


def test_two_in_a_batch_of_dcl_leave_the_optimum_open() -> None:
    """A logarithm has one other instance, so the loss is linear: any centred embeddings do."""
    at = {"n": 4, "p": 2, "B": 2, "tau": "1/2"}
    made = PHASES.with_inputs(at=at, loss="dcl", sampling="uniform")
    assert not any("unique" in step.title for step in made.derivation)
    single = {**at, "B": 3}
    simclr = PHASES.with_inputs(at=at, loss="simclr", sampling="uniform")
    assert any("unique" in step.title for step in simclr.derivation)
    assert made.value("negative", **at) == PHASES.with_inputs(
        at=single, loss="dcl", sampling="uniform"
    ).value("negative", **single)


def test_the_mean_over_batches_is_stated_and_wrong_ones_are_refused() -> None:
    at, texts = asked("supcl", "classes", "attraction")
    for step in PHASES.with_inputs(at=at, **texts).derivation:
        if "mean of the losses of all batches" in step.title:
            (one,) = step.says.shown.args
            assert isinstance(step.says.decide(), Holds)
            for wrong in (one.rhs + 1, -one.rhs, 2 * one.rhs):
                assert not isinstance(step.says.saying(Tuple(eq(one.lhs, wrong))).decide(), Holds)
            # Weighed as on all data it is another loss.
            whole = PHASES.with_inputs(at={k: v for k, v in at.items() if k != "B"}, loss="supcl")
            other = next(s for s in whole.derivation if "as a function" in s.title).says.shown
            other = other if not isinstance(other, Tuple) else other.args[0]
            assert not isinstance(step.says.saying(Tuple(other)).decide(), Holds)
            return
    raise AssertionError("it is not stated")


@pytest.mark.parametrize(
    ("loss", "texts", "says"),
    [
        ("supcl", {"sampling": "uniform"}, "choose what is then dropped"),
        ("supcl", {"sampling": "uniform", "alone": "all"}, "alone is one of"),
        ("sincere", {"sampling": "uniform", "alone": "skip"}, "no anchor of sincere"),
        ("simclr", {"sampling": "balanced"}, "cannot be drawn from the structure"),
        ("clip", {"sampling": "random"}, "sampling is uniform or balanced"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(loss: str, texts, says: str) -> None:
    with pytest.raises(DomainError, match=says) as refused:
        PHASES.with_inputs(loss=loss, **texts)
    assert "\n" not in str(refused.value)
