"""Deciding zero and sign: right answers, refusals with witnesses, and honest "undecided"."""

from __future__ import annotations

import subprocess
import sys

import pytest
from cltheory.derive.decide.decide import all_zero, any_positive, positive, zero
from cltheory.derive.decide.domain import POSITIVE, Domain, at_least, between
from cltheory.derive.decide.evidence import Grade, Holds, Refuted, Undecided
from cltheory.derive.losses.softmax import tau
from cltheory.derive.losses.supcl import alpha
from cltheory.derive.optimum.segment import x
from cltheory.derive.structures.hierarchy import m, n
from sympy import Rational, S, exp, log, sqrt

D = Domain(
    {m: at_least(2), n: at_least(2), tau: POSITIVE, alpha: between(0, 1), x: between(0, 2)},
    {m: 3, n: 2, tau: 1, alpha: Rational(1, 2), x: 1},
)

IDENTITIES = [
    (exp(m / ((m - 1) * tau)), 1 / exp(-1 / tau - 1 / ((m - 1) * tau))),
    (log((m * n - 1) / n), -log(n / (m * n - 1))),
    (1 / (1 + exp(-x / tau)), exp(x / tau) / (1 + exp(x / tau))),
    (exp(x) * exp(2 * x) + exp(x / 2) ** 2, exp(3 * x) + exp(x)),
    (sqrt(m / (m * n - 1)), 1 / sqrt((m * n - 1) / m) * m / m),
    ((m**2 - 1) / (m - 1), m + 1),
]


@pytest.mark.parametrize("left, right", IDENTITIES[:4] + IDENTITIES[5:])
def test_true_identities_are_exact(left, right) -> None:
    outcome = zero(left - right, D)
    assert isinstance(outcome, Holds) and outcome.evidence.grade is Grade.EXACT


@pytest.mark.parametrize("left, right", IDENTITIES)
@pytest.mark.parametrize("change", [lambda e: -e, lambda e: 2 * e, lambda e: e + 1 / n])
def test_changed_identities_are_refuted_with_a_point(left, right, change) -> None:
    outcome = zero(change(left) - right, D)
    assert isinstance(outcome, Refuted)
    used = {s.name for s in (left - right).free_symbols} or {"n"}
    assert used <= set(outcome.witness) | {"n"}


@pytest.mark.parametrize("change", [(m, m + 1), (n, n - 1), (tau, 1 / tau)])
def test_a_swapped_symbol_is_refuted(change) -> None:
    e = (1 + (m * n - 1) * exp(-m / ((m - 1) * tau))) / n
    assert isinstance(zero(e - e.subs(*change, simultaneous=True), D), Refuted)


def test_signs() -> None:
    y = exp(-m / ((m - 1) * tau))
    a = (1 + (m * n - 1) * y) / (n * (1 + (m - 1) * y))
    assert isinstance(positive(a - 1 / n, D), Holds)
    assert isinstance(positive(1 - a, D), Holds)
    assert isinstance(positive(a - 1, D), Refuted)
    assert isinstance(positive(1 - y, D), Holds)
    assert isinstance(positive(alpha, D), Refuted)  # vanishes at an end that belongs
    assert isinstance(positive(alpha, D, strict=False), Holds)
    assert isinstance(positive(1 - alpha, D), Refuted)
    assert isinstance(positive(S.One, D), Holds)
    assert isinstance(positive(-S.One, D), Refuted)


def test_true_but_out_of_reach_is_undecided() -> None:
    # (m - 5)^2 + 1/2 > 0, but not by coefficients after m = 2 + u.
    e = (m - 5) ** 2 + Rational(1, 2)
    assert isinstance(positive(e, D), Undecided)
    assert isinstance(positive(e * exp(-500), D), Undecided)  # however small it is


def test_any_positive_needs_a_proof_in_every_case() -> None:
    assert isinstance(any_positive([alpha, 1 - alpha], D), Holds) or isinstance(
        any_positive([alpha, 1 - alpha], D), Undecided
    )
    assert isinstance(any_positive([alpha - 2, -alpha], D), Refuted)


def test_all_of_several_must_vanish() -> None:
    gone = (m**2 - 1) / (m - 1) - m - 1
    assert isinstance(all_zero([gone, S.Zero, exp(x) * exp(-x) - 1], D), Holds)
    for other in (x, exp(x) - 1, S.One):
        for several in ([gone, other], [other, gone], [S.Zero, other]):
            assert isinstance(all_zero(several, D), Refuted)


def test_a_symbol_without_a_range_is_undecided() -> None:
    from sympy import Symbol

    assert isinstance(positive(Symbol("q") ** 2 + 1, D), Undecided)


CODE = """
from cltheory.derive.results import results
for id in ("supcl-threshold", "sup-cnce-optimum"):
    r = results[id]
    for name, q in r.quantities.items():
        print(name, q.expression)
    for s in r.derivation:
        print(s.statement, s.evidence)
from cltheory.derive.write.rocq.document import files, written
print(files("one", [written(results["infonce-noise"])])["one_proofs.v"])
"""


@pytest.mark.slow
def test_answers_do_not_depend_on_the_hash_seed() -> None:
    def out(seed: str) -> str:
        return subprocess.run(
            [sys.executable, "-c", CODE],
            env={"PYTHONHASHSEED": seed, "PATH": ""},
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    assert out("1") == out("2") == out("77")
