"""The softmax near equal logits: bounds on logits of all kinds, and where they are attained."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import mpmath
import pytest
from cltheory.derive.decide.domain import Domain, DomainError
from cltheory.derive.proof.derivation import Derivation, StepFailed
from cltheory.derive.proof.relations import eq
from cltheory.derive.results import results
from cltheory.derive.theorem.bounds import Bounds
from cltheory.derive.vectors.measured import of_logits
from sympy import Expr, Integer, Rational, Symbol, sqrt

RESULT = results["softmax-smoothness"]
DIGITS = 50
#: What rounding at DIGITS digits may do, relative to one.
CLOSE = mpmath.mpf(10) ** -40


def bounds() -> dict[str, Bounds]:
    return {name: q for name, q in RESULT.quantities.items() if isinstance(q, Bounds)}


PROVED = [name for name, q in bounds().items() if not q.printed]


def at(q: Bounds, found: dict[str, Any]) -> Any:
    """The bound at what was measured."""
    values = {s: found[s.name] for s in q.readings}
    return mpmath.mpmathify(
        q.expression.subs({s: _read(v) for s, v in values.items()}).evalf(DIGITS)
    )


def _read(value: Any) -> Expr:
    if value == int(value):
        return Integer(int(value))
    return Rational(mpmath.nstr(value, DIGITS + 10))


def ratio(name: str, logits: list[Any]) -> Any:
    """What is bounded over an upper bound, or a lower bound over it; nothing over nothing is 1."""
    with mpmath.workdps(DIGITS):
        q, found = bounds()[name], of_logits(logits, DIGITS)
        sides = found[q.bounded], at(q, found)
        above, below = sides if q.side == "upper" else sides[::-1]
        return mpmath.mpf(1) if abs(above) < CLOSE and abs(below) < CLOSE else above / below


def logits(count: int, seed: int) -> Iterator[list[Any]]:
    """Logits of all sizes: spread out, in two groups, one apart, three values, equal."""
    chance = random.Random(seed)
    for _ in range(count):
        size = chance.choice([2, 3, 4, 5, 8])
        scale = Rational(10) ** chance.randint(-3, 1) * chance.randint(1, 9)
        kind = chance.randrange(4)
        rows = {
            0: [Rational(chance.randint(-99, 99), 100) for _ in range(size)],
            1: [chance.choice([0, 1]) for _ in range(size)],
            2: [1] + [0] * (size - 1),
            3: [chance.choice([-1, 0, 1]) for _ in range(size)],
        }[kind]
        yield [x * scale for x in rows]


@pytest.mark.parametrize("name", PROVED)
def test_no_logits_violate_a_bound(name: str) -> None:
    q = bounds()[name]
    least = 3 if name == "remainder_eighth" else 2
    for row in logits(25, seed=PROVED.index(name)):
        if len(row) >= least:
            assert ratio(name, row) - 1 <= CLOSE, (row, q.expression)


@pytest.mark.parametrize("name", [k for k in PROVED if bounds()[k].attained])
def test_cases_of_equality(name: str) -> None:
    q = bounds()[name]
    assert abs(ratio(name, q.attained["vectors"]["logits"]) - 1) < CLOSE


@pytest.mark.parametrize(
    ("name", "row"), [("curvature_by_weight", [3, 0]), ("curvature_least", [5, 1])]
)
def test_other_cases_of_equality(name: str, row: list[Any]) -> None:
    assert abs(ratio(name, row) - 1) < CLOSE


@pytest.mark.parametrize("size", [3, 5, 7])
def test_what_is_below_is_approached_for_odd_numbers(size: int) -> None:
    """With a factor of 0.999 the constant would be too small."""
    half = (size - 1) // 2
    a = Rational(1, 100)
    assert ratio("remainder_below", [0, *[a] * half, *[-a] * half]) > 0.999


def test_the_lipschitz_constant_is_approached() -> None:
    assert ratio("deviation", [Rational(1, 1000), 0]) > 1 - 1e-6


@pytest.mark.parametrize("name", [k for k, q in bounds().items() if q.printed])
def test_what_is_printed_fails(name: str) -> None:
    q = bounds()[name]
    found = of_logits(q.violated["vectors"]["logits"], DIGITS)
    assert found[q.bounded] > at(q, found)


def test_the_printed_norm_bound_holds_from_three_logits_on() -> None:
    for row in logits(40, seed=9):
        if len(row) > 2:
            assert ratio("remainder_printed_inf", row) - 1 <= CLOSE


@pytest.mark.parametrize("N", [2, 3, 4, 5, 6, 17])
def test_constants_at_numbers(N: int) -> None:
    above = RESULT.value("above_constant", N=N, digits=20)
    below = RESULT.value("below_constant", N=N, digits=20)
    assert float(above) == pytest.approx(3**0.5 / 36 * (N / (N - 1)) ** 2, rel=1e-14)
    assert float(below) == pytest.approx((N // 2) / N**2, rel=1e-14)


def test_a_wrong_constant_is_not_derived() -> None:
    """The steps are decided: with the printed 1/4, or another skewness, there is no derivation."""
    titles = [step.title for step in RESULT.derivation]
    for title, wrong in (
        ("The Hessian diag(q) - q q' of log-sum-exp has no eigenvalue above 1/2", Rational(1, 4)),
        (
            "The third derivative of log-sum-exp along unit vectors is at most sqrt(6)/9",
            sqrt(6) / 8,
        ),
    ):
        step = RESULT.derivation.steps[titles.index(title)]
        name = step.statement.args[0]
        says = step.says.saying(eq(name, wrong))
        with pytest.raises(StepFailed, match="false"):
            Derivation().add(step.title, says, "")
    with pytest.raises(StepFailed):
        Derivation().holds("a name", eq(Symbol("c"), 1), "", Domain({}, {}), names={})


def test_one_logit_is_refused_with_a_reason() -> None:
    with pytest.raises(DomainError, match="of one logit the softmax is 1") as refusal:
        RESULT.value("above_constant", N=1)
    assert "\n" not in str(refusal.value)
    with pytest.raises(DomainError, match="q_max must be in"):
        RESULT.value("curvature_by_weight", N=4, q_max="1/5")
