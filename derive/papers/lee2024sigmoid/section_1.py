"""Section 1 and the abstract: the headline."""

from __future__ import annotations

from fractions import Fraction

from ...decide.evidence import Grade
from ..checks import decided, needs_condition
from ..verdict import Verdict
from . import LEDGER
from ._loss import sign_at


@LEDGER.claim(
    "Section 1: large temperature",
    "the optimal embedding forms simplex ETF when the temperature parameter is sufficiently large",
    result="sigmoid-threshold",
)
def large_temperature(
    bias: Fraction | int = 0, warmths: tuple[int, ...] = (2, 4, 8, 16)
) -> Verdict:
    within = [sign_at(0, 5, k, k) for k in (1, *warmths)]
    signs = {k: sign_at(0, 3, k, bias) for k in (1, *warmths)}
    return needs_condition(
        "b = t",
        decided(
            set(within) == {1},
            "the slope at the simplex, N = 5 and t = b from 1 to 16; Theorem 2 has the threshold",
            grade=Grade.SAMPLED,
            witness={"point": {"N": "5"}, "derived": str(within)},
        ),
        decided(
            signs[1] != 1 or any(signs[k] != -1 for k in warmths),
            "the slope at the simplex, N = 3",
            witness={
                "point": {"N": "3", "b": str(bias), "t": str(warmths[0])},
                "printed": "the simplex, as it is at t = 1",
                "derived": "the loss falls from the simplex on: it is not optimal",
            },
        ),
        "at a fixed bias it is the other way round for N >= 3: the simplex is optimal iff "
        "b >= b_simplex(t), which grows without bound with t",
    )


@LEDGER.claim(
    "Section 1: small temperature",
    "it forms an antipodal structure when the temperature is smaller than a threshold",
    result="sigmoid-threshold",
)
def small_temperature(items: int = 4) -> Verdict:
    warmths = [Fraction(1, 10**k) for k in (0, 2, 4, 6)]
    return needs_condition(
        "N >= 5, with b = t",
        decided(
            sign_at(1, 5, Fraction(1, 5), Fraction(1, 5)) == -1,
            "N = 5, t = b = 1/5: the loss falls up to the antipodal structure",
            grade=Grade.SAMPLED,
            witness={"point": {"N": "5", "t": "1/5"}},
        ),
        decided(
            any(sign_at(1, items, w, w) != 1 for w in warmths),
            f"the slope at the antipodal structure, N = {items}, t = b from 1 to 10^-6",
            witness={
                "point": {"N": str(items), "t": str(warmths[-1]), "b": str(warmths[-1])},
                "printed": "the antipodal structure",
                "derived": "the loss rises there",
            },
        ),
        "for N <= 4 the threshold log((N - 2)/2)/2 is not positive: the simplex is optimal for "
        "every t = b > 0; in general the antipodal structure is optimal iff "
        "t + b <= log((N - 2)/2)",
    )
