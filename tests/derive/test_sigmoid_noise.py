"""Noise and the sigmoid loss with t and b learned, against losses written out and a minimiser."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from cltheory.derive.decide.domain import DomainError
from cltheory.derive.decide.evidence import Holds
from cltheory.derive.proof.lemmas import UNEQUAL_TOWERS
from cltheory.derive.results import results
from scipy.optimize import minimize
from sympy import Tuple

RESULT = results["sigmoid-noise"]
SIZE, RHO = 4, 0.1
AT = {"N": SIZE, "rho": "1/10"}


def value(name: str, **more: object) -> float:
    return float(RESULT.value(name, **AT, **more))


def loss(u: np.ndarray, v: np.ndarray, t: float, b: float, rho: float = RHO) -> float:
    """Cross-entropy of each pair: a true one is labelled 1 but for a share, others share that."""
    z = t * u @ v.T - b
    size = len(u)
    labels = np.where(np.eye(size, dtype=bool), 1 - rho, rho / (size - 1))
    return float((labels * np.logaddexp(0, -z) + (1 - labels) * np.logaddexp(0, z)).sum()) / size


def learned(
    t: float | None, b: float | None, seed: int, d: int = SIZE
) -> tuple[float, float, float]:
    """The smallest loss that is found, and t and b there, as far as they are learned."""

    def parts(x: np.ndarray) -> tuple[np.ndarray, np.ndarray, float, float]:
        z = x[:-2].reshape(2, SIZE, d)
        u, v = z / np.linalg.norm(z, axis=-1, keepdims=True)
        return u, v, float(np.exp(x[-2])) if t is None else t, float(x[-1]) if b is None else b

    rng = np.random.default_rng(seed)
    start = np.append(rng.standard_normal(2 * SIZE * d), [1.5, 0.0])
    found = minimize(lambda x: loss(*parts(x)), start, options={"gtol": 1e-8})
    *_, t, b = parts(found.x)
    return found.fun, t, b


@pytest.mark.parametrize("seed", range(3))
def test_what_is_learned_lies_in_the_cone(seed: int) -> None:
    least, t, b = learned(None, None, seed)
    assert least == pytest.approx(value("least_loss"), abs=1e-8)
    # Losses within 1e-8 are logits within 1e-4.
    assert t >= value("t_min") - 1e-3
    if t > value("t_min") + 1e-3:
        low, high = (value(name, t=str(t)) for name in ("b_low", "b_high"))
        assert low - 1e-3 <= b <= high + 1e-3


@pytest.mark.parametrize("t", [5.0, 8.0])
@pytest.mark.parametrize("side", [-1, 1])
def test_beside_the_cone_the_loss_is_larger(t: float, side: int) -> None:
    end = value("b_low" if side < 0 else "b_high", t=str(t))
    inside, outside = (learned(t, end + step, 0)[0] for step in (-0.3 * side, 0.6 * side))
    assert inside == pytest.approx(value("least_loss"), abs=1e-8)
    assert outside > value("least_loss") + 1e-5
    with pytest.raises(DomainError):
        value("positive", t=str(t), b=str(end + 0.6 * side))


def test_below_the_apex_no_bias_does() -> None:
    assert learned(0.8 * value("t_min"), None, 0)[0] > value("least_loss") + 1e-4


def test_the_apex_is_the_simplex() -> None:
    simplex = np.linalg.svd(np.eye(SIZE) - 1 / SIZE)[0][:, : SIZE - 1] / np.sqrt(1 - 1 / SIZE)
    apex = value("t_min"), value("b_at_t_min")
    entropy = -(0.9 * log(0.9) + 0.1 * log(0.1)) - 3 * (
        0.1 / 3 * log(0.1 / 3) + (1 - 0.1 / 3) * log(1 - 0.1 / 3)
    )
    assert value("least_loss") == pytest.approx(entropy, rel=1e-13)
    assert loss(simplex, simplex, *apex) == pytest.approx(entropy, rel=1e-12)
    assert loss(simplex, simplex, apex[0], apex[1] + 0.1) > entropy + 1e-4


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_n_dimensions_have_room_for_all_of_the_cone(share: float) -> None:
    """The Gram matrices of the lemma, of rank N, built and compared with the cosines."""
    t = 7.0
    low, high = (value(name, t=str(t)) for name in ("b_low", "b_high"))
    at = {"t": str(t), "b": str(low + share * (high - low) * (1 - 1e-12))}
    near, far = value("positive", **at), value("negative", **at)
    g, s = near - far, near + (SIZE - 1) * far

    def excess(r: float) -> float:
        a, b = g * np.exp(r), g * np.exp(-r)
        return (SIZE - (SIZE - 1) * a) * (SIZE - (SIZE - 1) * b) - s**2

    start, end = 0.0, log(SIZE / ((SIZE - 1) * g))
    for _ in range(200):
        middle = (start + end) / 2
        start, end = (middle, end) if excess(middle) > 0 else (start, middle)
    mean = np.full((SIZE, SIZE), 1 / SIZE)

    def block(contrast: float, whole: float) -> np.ndarray:
        return contrast * (np.eye(SIZE) - mean) + whole * mean

    a, b = g * np.exp(start), g * np.exp(-start)
    gram = np.block(
        [
            [block(a, SIZE - (SIZE - 1) * a), block(g, s)],
            [block(g, s), block(b, SIZE - (SIZE - 1) * b)],
        ]
    )
    assert np.diag(gram) == pytest.approx(np.ones(2 * SIZE))
    assert np.linalg.eigvalsh(gram)[:SIZE] == pytest.approx(np.zeros(SIZE), abs=1e-6)
    assert np.linalg.eigvalsh(gram).min() > -1e-9
    assert RESULT.value("loss", **AT, **at) == RESULT.value("least_loss", **AT)


def test_wrong_ends_and_logits_are_refused() -> None:
    steps = [s for s in RESULT.derivation if s.lemma is UNEQUAL_TOWERS]
    titles = ("The gradient vanishes", "The largest of these biases")
    steps += [s for s in RESULT.derivation if s.title.startswith(titles)]
    assert len(steps) == 3
    for step in steps:
        shown = step.says.shown
        equations = shown.args if isinstance(shown, Tuple) else (shown,)
        assert isinstance(step.says.decide(), Holds)
        wrong = Tuple(*(e.func(e.lhs, e.rhs + 1) for e in equations))
        assert not isinstance(step.says.saying(wrong).decide(), Holds)
