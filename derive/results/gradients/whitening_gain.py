"""What whitening takes off a bound A sigma + B, where it brings sigma down to 1/d.

That is a ratio of two bounds, and says nothing of the variances that they bound. A batch of n
vectors spans at most n dimensions, so its sigma is at least 1/min(n, d), and 1/d needs n >= d.
"""

from __future__ import annotations

from sympy import Expr, Integer, Rational, S, Symbol, oo

from ...decide.calculus import derivative
from ...decide.domain import POSITIVE, Domain, at_least, between
from ...losses.setting import WHITENED
from ...proof.derivation import Derivation
from ...proof.limiting import take_limit
from ...proof.relations import gt
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from .gradient_variance import printed_coefficient

d = Symbol("d", integer=True, positive=True)
A, B, sigma = (Symbol(s, positive=True) for s in ("A", "B", "sigma"))
DOMAIN = Domain(
    {d: at_least(1), A: POSITIVE, B: POSITIVE, sigma: between(1 / d, 1)},
    {d: 4, A: 7, B: Rational(1, 50), sigma: S.Half},
)
ENDS = DOMAIN.restricted([d, A, B])
MEANINGS = {
    d: "dimension",
    A: "coefficient of sigma in the bound",
    B: "constant term of the bound",
    sigma: "largest eigenvalue of the second moment before whitening, in [1/d, 1]",
}


def build(proof: Derivation) -> dict[str, Quantity]:
    bound = A * sigma + B
    whitened = bound.xreplace({sigma: 1 / d})
    gain = bound / whitened
    largest = gain.xreplace({sigma: S.One})
    proof.equal(
        "The gain increases with sigma, from 1 at 1/d",
        {
            "in_sigma": (derivative(gain, sigma), A * d / (A + B * d)),
            "at_least": (gain.xreplace({sigma: 1 / d}), 1),
        },
        "the derivative in_sigma is positive; the gain is largest at sigma = 1, where one "
        "direction has the whole trace",
        DOMAIN,
        also=[gt("in_sigma", 0)],
    )
    proof.equal(
        "The largest gain lies between 1 and d and increases with d",
        {
            "over_one": (largest - 1, A * (d - 1) / (A + B * d)),
            "below_d": (d - largest, B * d * (d - 1) / (A + B * d)),
            "next_d": (
                largest.xreplace({d: d + 1}) - largest,
                A * (A + B) / ((A + B * d) * (A + B * (d + 1))),
            ),
        },
        "over_one and below_d vanish only for d = 1; next_d is the gain in dimension d + 1 minus "
        "that in dimension d",
        ENDS,
        also=[gt("next_d", 0)],
    )
    in_d = take_limit("gain", largest, d, oo, ENDS, proof)
    return {
        "gain": Quantity(
            gain,
            r"\frac{A\sigma + B}{A/d + B}",
            "bound before whitening divided by the bound after it",
            DOMAIN,
        ),
        "largest_gain": Quantity(
            largest,
            r"\frac{A + B}{A/d + B}",
            "bound before whitening divided by the bound after it, if one direction has the whole "
            "trace",
            ENDS,
        ),
        "gain_in_any_dimension": Quantity(
            in_d,
            r"\sup_d",
            "supremum of the largest gain over all dimensions",
            DOMAIN.restricted([A, B]),
        ),
        "share": Quantity(largest / d, r"\text{share}", "largest gain divided by d", ENDS),
        "printed_A": Quantity(
            _printed(), r"A", "A for 4096 vectors at temperature 1/10, printed as 7.33"
        ),
        "printed_gain": Quantity(
            largest.xreplace({A: _printed(), B: Rational(2, 100), d: Integer(256)}),
            r"\frac{A + B}{A/256 + B}",
            "largest gain for printed_A, B = 0.02 and 256 dimensions, printed as about 150",
        ),
    }


def _printed() -> Expr:
    n, tau = Symbol("n", integer=True, positive=True), Symbol("tau", positive=True)
    return printed_coefficient(n, tau).xreplace({n: Integer(4096), tau: Rational(1, 10)})


RESULT = Result(
    "whitening-gain",
    title="Whitening divides a bound A sigma + B by at most (A + B)/(A/d + B)",
    source="ochieng2025diversity, Section 2.4",
    domain=DOMAIN,
    build=build,
    meanings=MEANINGS,
    subject=WHITENED,
)
