"""Laws for classes of unequal size, against a loss written here by hand and minimised by scipy.

Nothing of the package is used on the other side: prototypes of classes are optimised directly, and
certificates are matrices of numbers.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from brute_force import over_vectors
from cltheory.derive import results
from cltheory.derive.decide.domain import DomainError
from cltheory.derive.decide.evidence import Holds
from cltheory.derive.losses.labels import HARD_SUPCON
from cltheory.derive.losses.softmax import SoftmaxLoss, SoftmaxTerm, tau
from cltheory.derive.optimum import unequal
from cltheory.derive.optimum.merging import l1, merging
from cltheory.derive.optimum.unequal import Q, q, q_other, state_hot
from cltheory.derive.proof.derivation import Derivation, StepFailed
from cltheory.derive.proof.relations import Iff, ge
from cltheory.derive.proof.same_sign import SameSign
from scipy.optimize import brentq
from sympy import Expr, Rational, S

#: Cosines that the optimiser finds are right to this, where the optimum is not flat.
FOUND = 1e-4


def slopes(
    cosines: np.ndarray, sizes: list[int], heat: float, counted: bool = True
) -> tuple[float, np.ndarray]:
    """The loss of classes that are points, and its slope in each cosine; by hand.

    ``counted`` is whether the part of it that does not change is counted.
    """
    l = np.asarray(sizes, dtype=float)  # noqa: E741
    e = np.exp((cosines - 1) / heat)
    np.fill_diagonal(e, 0)
    others = e @ l / (l - 1)
    push = l[:, None] * l[None, :] * e / ((l - 1) * (1 + others))[:, None] / (l.sum() * heat)
    loss = float(l @ np.log1p(others) / l.sum())
    return loss + counted * float(l @ np.log(l - 1) / l.sum()), push + push.T


def optimum(sizes: list[int], heat: float, starts: int = 3) -> np.ndarray:
    """Cosines of the prototypes that minimise the loss, from several starts."""
    count = len(sizes)
    scale = np.exp(count / ((count - 1) * heat))  # so small is the loss at small temperatures

    def value(gram: np.ndarray) -> tuple[float, np.ndarray]:
        loss, push = slopes(gram, sizes, heat, counted=False)
        np.fill_diagonal(push, 0)
        return scale * loss, scale * push / 2

    stop = {"maxiter": 20000, "ftol": 1e-16, "gtol": 1e-13, "maxfun": 40000, "maxcor": 30}
    return over_vectors(value, count, count, starts=starts, **stop)[1]


def least_slack(sizes: list[int], heat: float) -> float:
    """The least eigenvalue of the certificate where the last class is opposite to all others.

    In units of the largest, besides the one that vanishes on the prototypes.
    """
    v = np.ones(len(sizes))
    v[-1] = -1
    _, push = slopes(np.outer(v, v), sizes, heat)
    np.fill_diagonal(push, 0)
    slack = push - np.diag(v * (push @ v))
    assert abs(slack @ v).max() < 1e-12 * abs(slack).max()
    values = np.linalg.eigvalsh(slack + abs(slack).max() * np.outer(v, v))
    return float(values.min() / values.max())


def drawn(seed: int, few: int = 2, many: int = 5) -> list[int]:
    """Sizes of a few smaller classes, then of one with more than all of them together."""
    draw = np.random.default_rng(seed)
    rest = [int(k) for k in draw.integers(2, 12, draw.integers(few, many))]
    return [*rest, sum(rest) + int(draw.integers(1, 60))]


def value(id: str, name: str, **values: object) -> float:
    return float(results[id].value(name, **values))


# --- all classes but the largest ------------------------------------------------------------------
@pytest.mark.parametrize("seed", range(12))
def test_the_certificate_changes_sign_at_tau_merge(seed: int) -> None:
    sizes = drawn(seed)
    at = value("minority-collapse", "tau_merge", l1=sizes[-1], r=sum(sizes[:-1]))
    assert least_slack(sizes, at * 1.001) > -1e-12 > least_slack(sizes, at * 0.999)


@pytest.mark.parametrize("rest", [[2, 2, 2, 2], [4, 4], [2, 6], [3, 5], [2, 3, 3]])
def test_how_the_rest_is_split_does_not_matter(rest: list[int]) -> None:
    heat = value("minority-collapse", "tau_merge", l1=20, r=8)
    assert least_slack([*rest, 20], heat * 1.001) > -1e-12 > least_slack([*rest, 20], heat * 0.999)


@pytest.mark.parametrize("sizes", [[2, 2, 4], [3, 3, 3], [5, 5, 2], [7, 3, 4], [9, 9, 9, 2]])
def test_they_never_merge_without_a_majority(sizes: list[int]) -> None:
    ordered = sorted(sizes)
    assert all(least_slack(ordered, heat) < 0 for heat in (0.1, 1, 10, 1000))


def test_corners() -> None:
    just = value("minority-collapse", "tau_merge", l1=5, r=4)  # one more than half
    assert least_slack([2, 2, 5], just * 1.001) > -1e-12 > least_slack([2, 2, 5], just * 0.999)
    with pytest.raises(DomainError, match="more than half"):
        results["minority-collapse"].value("tau_merge", l1=4, r=4)
    with pytest.raises(DomainError, match="two smaller classes or more"):
        results["minority-collapse"].value("tau_merge", l1=9, r=3)
    many = value("minority-collapse", "tau_merge", l1=1500, r=1000)
    assert least_slack([2] * 500 + [1500], many * 1.001) > -1e-9


def test_merged_and_the_loss_there() -> None:
    sizes = [2, 3, 12]
    assert results["minority-collapse"].value("merged", l1=12, r=5, tau=3) is True
    assert results["minority-collapse"].value("merged", l1=12, r=5, tau=2) is False
    v = np.array([1, 1, -1.0])
    loss, _ = slopes(np.outer(v, v), sizes, 3.0)
    found = value("minority-collapse", "loss_merged", l1=12, r=5, tau=3)
    assert found == pytest.approx(loss, rel=1e-13)


# --- the ends of the temperature, and the simplex -------------------------------------------------
COLD = [[2, 3, 4], [3, 5, 101], [2, 2, 9, 40], [4, 4, 4, 30, 7]]


@pytest.mark.parametrize("sizes", COLD, ids=str)
def test_small_tau(sizes: list[int]) -> None:
    pairs = list(combinations(range(len(sizes)), 2))
    weight = results["imbalance-cold"].function("weight")
    logs = {(i, j): np.log(float(weight(l_i=sizes[i], l_j=sizes[j]))) for i, j in pairs}
    first = {p: np.mean(list(logs.values())) - logs[p] for p in pairs}
    assert sum(first[p] for p in pairs) == pytest.approx(0, abs=1e-12)
    errors = []
    for heat in (0.08, 0.04):
        found = (optimum(sizes, heat) + 1 / (len(sizes) - 1)) / heat
        errors.append(max(abs(found[p] - first[p]) for p in pairs))
    assert errors[1] < 0.65 * errors[0] + 0.02  # of first order in tau, but for the optimiser
    assert errors[1] < 0.4 * max(abs(first[p]) for p in pairs) + 0.02


HOT = [[3, 4, 5], [3, 4, 5, 9], [2, 2, 2, 5], [5, 8, 13, 21, 34], [10, 10, 10]]


@pytest.mark.parametrize("sizes", HOT, ids=str)
def test_large_tau(sizes: list[int]) -> None:
    shares = [Rational(size, sum(sizes)) for size in sizes]
    whole = sum(p**2 / (1 - 2 * p) for p in shares)
    found = np.eye(len(sizes))
    for i, j in combinations(range(len(sizes)), 2):
        at = {"q_i": shares[i], "q_j": shares[j], "Q": whole}
        found[i, j] = found[j, i] = value("imbalance-hot", "cosine", **at)
    l = np.asarray(sizes, dtype=float)  # noqa: E741
    assert abs(found @ l).max() < 1e-12
    assert np.linalg.matrix_rank(found, tol=1e-9) == len(sizes) - 1
    assert np.linalg.eigvalsh(found).min() > -1e-12
    # The limit is approached like 1/tau.
    errors = [abs(optimum(sizes, heat) - found).max() for heat in (20.0, 40.0)]
    assert errors[1] < 0.65 * errors[0] + FOUND
    assert errors[1] < 0.1


def test_large_tau_at_shares_that_no_classes_have() -> None:
    hot = results["imbalance-hot"]
    assert float(hot.value("cosine", q_i="2/5", q_j="2/5", Q="5/3")) == -0.875  # 2 : 2 : 1
    with pytest.raises(DomainError, match="contains the terms of both classes"):
        hot.value("cosine", q_i="2/5", q_j="2/5", Q="8/5")
    with pytest.raises(DomainError, match="larger than any sizes with these"):
        hot.value("cosine", q_i="2/5", q_j="2/5", Q=2)
    assert float(hot.value("cosine", q_i="1/10", q_j="1/10", Q=50)) > 0.9  # beside nearly a half


@pytest.mark.parametrize("seed", range(8))
def test_slopes_at_the_simplex_agree_for_one_size_only(seed: int) -> None:
    draw = np.random.default_rng(seed)
    count = int(draw.integers(3, 6))
    sizes = sorted(int(k) for k in draw.integers(2, 9, count))
    sizes[-1] = max(sizes[-1], sizes[0] + 1)
    simplex = np.full((count, count), -1 / (count - 1))
    np.fill_diagonal(simplex, 1)
    heat = float(np.exp(draw.uniform(-2, 2)))
    _, push = slopes(simplex, sizes, heat)
    i, j, k = count - 1, 1, 0
    unlike = (push[i, j] - push[k, j]) / (sizes[i] - sizes[k])
    assert unlike > 0
    if count > 3:
        rest = sum(sizes) - sizes[i] - sizes[j] - sizes[k]
        told = value(
            "simplex-needs-balance",
            "unlike",
            C=count,
            l_i=sizes[i],
            l_j=sizes[j],
            l_k=sizes[k],
            l_h=rest,
            tau=repr(heat),
        )
        assert told == pytest.approx(unlike, rel=1e-10)


# --- a tail beside several heads ------------------------------------------------------------------
def pressed(heads: int, head: int, tail: int, heat: float) -> tuple[float, float]:
    """The cosine of a head and a tail that is one point, and T/(m B); by hand."""

    def parts(e: float) -> tuple[float, float, float, float]:
        across = np.exp((-e - 1) / heat)
        among = np.exp(((heads * e**2 - 1) / (heads - 1) - 1) / heat)
        of_tail = tail - 1 + heads * head * across
        of_head = head - 1 + (heads - 1) * head * among + tail * across
        return across, among, of_tail, of_head

    def rise(log_e: float) -> float:
        e = np.exp(log_e)
        across, among, of_tail, of_head = parts(e)
        pull = heads * head**2 * among * 2 / of_head * e
        return pull - head * tail * across * (1 / of_tail + 1 / of_head)

    e = np.exp(brentq(rise, -60, 0, xtol=1e-15, rtol=1e-14))
    across, _, of_tail, of_head = parts(e)
    together = heads * head * across * (1 / of_tail + 1 / of_head) * e
    return -e, together / (2 * tail / of_tail)


TAILS = [(2, 280, 4, "0.5"), (2, 200, 4, "0.5"), (3, 40000, 4, "0.2"), (5, 60, 9, "0.7")]


@pytest.mark.parametrize(("heads", "head", "tail", "heat"), TAILS)
def test_the_tail_beside_several_heads(heads: int, head: int, tail: int, heat: str) -> None:
    at = {"K": heads, "L": head, "m": tail, "tau": heat}
    cosine, force = pressed(heads, head, tail, float(heat))
    assert value("tail-collapse", "cosine_tail", **at) == pytest.approx(cosine, rel=1e-10)
    assert value("tail-collapse", "force", **at) == pytest.approx(force, rel=1e-10)
    assert results["tail-collapse"].value("merged", **at) is bool(force > 1)


def test_floats_of_the_tail_at_very_small_temperatures() -> None:
    """No exponential of a term is large near the root."""
    tail = results["tail-collapse"].function("cosine_tail")
    for heat in ("0.002", "0.001", "0.0001"):
        told = value("tail-collapse", "cosine_tail", K=2, L=300, m=4, tau=heat)
        assert tail(K=2, L=300, m=4, tau=float(heat)) == pytest.approx(told, rel=1e-12)


# --- each checker on something wrong --------------------------------------------------------------


def test_a_wrong_criterion_is_refused() -> None:
    step = next(s for s in results["minority-collapse"].derivation if type(s.says) is SameSign)
    says = step.says
    assert isinstance(says.decide(), Holds)
    name, condition = (one.args[0] for one in says.shown.args)
    for other in (condition + 1, condition.xreplace({l1: l1 + 1}), -condition, 2 * condition):
        wrong = says.saying(Iff(ge(name, 0), ge(other, 0)))
        assert not isinstance(wrong.decide(), Holds)
    assert not isinstance(replace(says, over=-says.over).decide(), Holds)
    assert not isinstance(says.saying(Iff(ge(name, 0), ge(name, 0))).decide(), Holds)
    assert not isinstance(says.saying(ge(name, 0)).decide(), Holds)


def test_a_loss_that_tells_classes_apart_has_no_such_law() -> None:
    """In SINCERE's denominators the anchor's own class is missing, so sizes do not add up."""
    term = SoftmaxTerm(
        S.One, positives=("same_class",), denominator=("cross_class",), own_positive=True
    )
    sincere = SoftmaxLoss("sincere", "SINCERE", (term,), tau, "here")
    with pytest.raises(StepFailed):
        merging(sincere, Derivation())


H, H_OTHER = (share / (1 - 2 * share) for share in (q, q_other))


@pytest.mark.parametrize(
    "wrong",
    [(Q + H - H_OTHER) / (1 + Q), (-Q - H - H_OTHER) / (1 + Q), (Q - H - H_OTHER) / (2 + Q)],
)
def test_another_cosine_at_high_temperature_is_refused(
    wrong: Expr, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unequal, "_balanced_cosine", lambda: wrong)
    with pytest.raises(StepFailed):
        state_hot(HARD_SUPCON, Derivation())
