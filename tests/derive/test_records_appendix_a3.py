"""An independent key to records of lee2025ssem: Proposition A.5, and the proof of Theorem A.2.

The verdicts were first reached by hand; a record that is kinder than its entry is wrong.
"""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from cltheory.derive.papers.form.run import scenes, tried
from cltheory.derive.papers.lee2025ssem import LEDGER
from cltheory.derive.vectors.embeddings import Embeddings
from sympy import Integer, Rational

THEOREM_A2 = {
    "Theorem A.2": "needs-condition",
    "Theorem A.2: display": "needs-condition",
    "Theorem A.2: the SSEM in Def. 2": "not-mathematical",
    "(A.31)": "needs-condition",
    "Theorem A.2: h": "needs-condition",
}
PROPOSITION_A5 = {
    "(A.18)": "needs-condition",
    "Proposition A.5: equality condition": "differs",
    "Proposition A.5, proof: the case a = 0": "agrees",
    "Proposition A.5, proof: positive elements suffice": "not-mathematical",
    "(A.19)": "agrees",
    "(A.19): equality condition": "differs",
    "Proposition A.5, proof: f is convex": "agrees",
    "Proposition A.5, proof: last display": "agrees",
    "Proposition A.5, proof: equality condition": "differs",
    "Proposition A.5, proof: reference to (A.19)": "not-mathematical",
}
BOUND_SUP = {
    "Theorem A.2, proof: (4) and (5)": "not-mathematical",
    "(A.32)": "needs-condition",
    "(A.33)": "agrees",
    "Theorem A.2, proof: partition": "agrees",
    "(A.34)": "needs-condition",
    "(A.34): equality condition": "needs-condition",
    "(A.35)": "needs-condition",
    "(A.36)": "agrees",
    "(A.37)": "agrees",
    "(A.38)": "needs-condition",
    "(A.39)": "needs-condition",
    "Theorem A.2, proof: second exponential in (A.39)": "needs-condition",
    "(A.40)": "needs-condition",
    "(A.40): from (A.39)": "needs-condition",
    "Theorem A.2, proof: equality in (A.38) and (A.40)": "needs-condition",
    "(A.41)": "needs-condition",
    "(A.42)": "needs-condition",
    "(A.42), last line": "differs",
    "(A.43)": "differs",
    "(A.44)": "needs-condition",
    "Theorem A.2, proof: display after (A.44), middle lines": "misprint",
    "Theorem A.2, proof: display after (A.44), ends": "needs-condition",
    "(A.45)": "differs",
}
BOUND_SELF = {
    "(A.46)": "needs-condition",
    "(A.46): equality condition": "needs-condition",
    "(A.47)": "needs-condition",
    "(A.48)": "needs-condition",
    "(A.49)": "agrees",
    "(A.50)": "needs-condition",
    "(A.50): from (A.46)": "needs-condition",
    "(A.50): equality condition": "misprint",
    "(A.51), first line": "needs-condition",
    "(A.51)": "needs-condition",
    "(A.51): equality condition": "needs-condition",
    "(A.52)": "needs-condition",
    "(A.52): from (A.51)": "needs-condition",
    "(A.53)": "needs-condition",
    "(A.53): equality condition": "needs-condition",
    "(A.54)": "differs",
    "(A.55)": "differs",
    "Theorem A.2, proof: SSEM satisfies the equality conditions": "needs-condition",
    "Theorem A.2, proof: SSEM attains every spread": "needs-condition",
    "Theorem A.2, proof: the spread of the SSEM": "needs-condition",
    "Theorem A.2, proof: equality in (A.54)": "misprint",
    "Theorem A.2, proof: chain of minima": "misprint",
}
KEY = {
    "appendix_a3_theorem_a2": THEOREM_A2,
    "appendix_a3_jensen": PROPOSITION_A5,
    "appendix_a3_bound_self": BOUND_SELF,
    "appendix_a3_bound_sup": BOUND_SUP,
}


@pytest.mark.parametrize("section", KEY)
def test_the_verdicts_are_those_of_the_key(section: str) -> None:
    found = {r.label: LEDGER[r.label].known_verdict().word for r in LEDGER.records(section)}
    assert found == KEY[section]


def test_equality_in_a50_needs_a47() -> None:
    # The axes with signs: of one class across, of different classes equal, opposite or across.
    def dot(u: tuple[int, int], v: tuple[int, int]) -> int:
        return u[0] * v[0] + u[1] * v[1]

    u, t = [(1, 0), (0, 1), (1, 0), (0, -1)], 3.5
    loss = sum(math.log(sum(math.exp((dot(a, w) - 1) / t) for w in u)) for a in u) / 4
    bound = math.log(2 * math.exp((0 - 1) / t) + 1 * math.exp((0 - 1) / t) + 1)
    assert loss > bound + 1e-3


def test_the_last_line_of_a42() -> None:
    u, t = Embeddings.ssem(2, 2, 1, Fraction(1, 2)), Fraction(7, 2)
    spread = sum(2 * u.mean_sq_dist([(i, 0, 0)], [(i, 1, 0)]) for i in (0, 1))
    before = -Fraction(1, 2) / t - Fraction(3, 8) * 4 / t + Fraction(3, 16) * spread / t
    assert before == -2 / t + Fraction(3, 16) * spread / t
    assert before != -2 / t - Fraction(3, 16) * spread / t


def test_one_class_meets_the_equality_conditions_at_delta_1_only() -> None:
    record = LEDGER["Theorem A.2, proof: SSEM satisfies the equality conditions"].record
    assert record is not None
    for size in (2, 3):
        for delta in (Rational(1, 2), Integer(1)):
            point = {"m": Integer(1), "n": Integer(size), "p": Integer(2), "delta": delta}
            (scene,) = scenes(record.printed, point)
            assert tried(record.printed.read(), scene, point).holds is (delta == 1)
