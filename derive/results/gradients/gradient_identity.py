"""The squared gradient of InfoNCE at one anchor, exactly, by four numbers.

Of all that the negatives are, only the length mu of their softmax mean enters beside epsilon and
rho. Every value of the three in the domain is that of unit vectors at some temperature, but for
one corner: where m = z+, every negative is the positive, so that epsilon is N/(N + 1). Nor is
epsilon 0 at any temperature; as it goes there, the gradient does.
"""

from dataclasses import replace

from sympy import Abs, Expr, Matrix, Max, Min, Rational, S, Symbol, exp, log, sqrt

from ...decide.domain import POSITIVE, Domain, between
from ...losses.setting import INFONCE
from ...losses.softmax import tau
from ...proof.derivation import Derivation
from ...proof.relations import eq, gt
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ._identity import state_ends, state_identity
from ._readings import (
    MEANINGS,
    ROUNDING,
    SMALL,
    alignment,
    domain_of,
    epsilon,
    in_own_ranges,
    mu,
    rho,
    similarity,
)

#: |m - z+|, by the identity.
APART = sqrt(2 * epsilon * (1 - rho) - epsilon**2 * (1 - mu**2)) / epsilon
#: What the rounding of rho next to 1 does to <m, z+>, by which rho is divided by epsilon; at most
#: what leaves half of the digits. And what that does to |m - z+|, of which it is the square.
OF_ALIGNMENT = Min(ROUNDING / epsilon, Rational(1, 10**8))
OF_APART = sqrt(APART**2 + OF_ALIGNMENT) - APART
DOMAIN = (
    domain_of(tau, epsilon, rho, similarity, alignment)
    .with_range(
        mu,
        replace(
            between(Abs(epsilon + rho - 1) / epsilon, 1),
            why="mu is at least |<m, z+>|, and at most 1",
            rounding=OF_ALIGNMENT,
        ),
        1 - SMALL,
    )
    .with_range(
        similarity,
        replace(
            between(Max(-mu, alignment - APART), Min(mu, alignment + APART)),
            why="<z, m> is no longer than m, and differs from <z, z+> by |m - z+| at most",
            rounding=OF_ALIGNMENT + OF_APART,
        ),
        Rational(1, 2),
    )
)
PARAMETERS = (tau, epsilon, rho, mu, similarity, alignment)


def state_attained(proof: Derivation) -> None:
    """Vectors with any epsilon, <m, z+> and mu that the domain allows."""
    c, t = Symbol("c", real=True), Symbol("t", nonnegative=True)
    side = Symbol("side", real=True)
    room = Domain(
        {
            c: between(-1, 1, "[)"),
            t: between(0, sqrt(1 - c**2)),
            side: between(-1, 1),
            tau: POSITIVE,
        },
        {c: 0, t: Rational(1, 2), side: 1, tau: 1},
    )
    beside = sqrt(1 - c**2 - t**2)
    positive = Matrix([1, 0, 0, 0])
    anchor = Matrix([side, 0, 0, sqrt(1 - side**2)])
    negatives = [Matrix([c, t, s * beside, 0]) for s in (1, -1)]
    m = (negatives[0] + negatives[1]) / 2
    logits = [(v.dot(anchor) - positive.dot(anchor)) / tau for v in negatives]
    lengths = [v.dot(v) for v in (anchor, *negatives)]
    proof.holds(
        "Two negatives at any place beside the positive",
        [
            *(eq(f"length_{k}", 1) for k in range(len(lengths))),
            eq("logit_1", "logit_2"),
            eq("along", c),
            eq("length_of_m", c**2 + t**2),
        ],
        "they have the same similarity to the anchor, so that m is their mean: it has any length "
        "and any part along z+ that the domain allows",
        room,
        names={
            **{Symbol(f"length_{k}"): e for k, e in enumerate(lengths)},
            Symbol("logit_1"): logits[0],
            Symbol("logit_2"): logits[1],
            Symbol("along"): m.dot(positive),
            Symbol("length_of_m"): m.dot(m),
        },
    )
    odds = Symbol("odds", positive=True)
    for sign, low, high in ((1, S.Zero, S(2)), (-1, S(2), None)):
        range_ = between(low, high, "()") if high is not None else between(low, S.Infinity, "()")
        some = Domain({c: between(-1, 1, "[)"), odds: range_}, {c: 0, odds: 2 - sign})
        heat = sign * (c - 1) / log(odds / 2)
        proof.holds(
            f"Any odds {'below' if sign > 0 else 'above'} 2 at some temperature",
            [eq("odds_there", odds), gt("temperature", 0)],
            f"the anchor is {'the positive' if sign > 0 else 'opposite to it'}; epsilon is odds/(1 "
            "+ odds), and odds are 2 for an anchor orthogonal to it. So the domain has no value "
            "that is not attained but where m = z+, every negative is the positive, and epsilon is "
            "N/(N + 1)",
            some,
            names={
                Symbol("odds_there"): 2 * exp(sign * (c - 1) / heat),
                Symbol("temperature"): heat,
            },
        )


def build(proof: Derivation) -> dict[str, Quantity]:
    identity = state_identity(proof)
    state_ends(identity, proof)
    state_attained(proof)
    tangential: Expr = identity.squared_gradient - identity.along_anchor**2
    found = {
        "squared_gradient": Quantity(
            identity.squared_gradient,
            r"\|\nabla_z \mathcal{L}\|^2",
            "squared gradient of InfoNCE with respect to the anchor, taken as free",
        ),
        "mean_alignment": Quantity(
            identity.mean_alignment,
            r"\langle m, z^+\rangle",
            "inner product of the positive with the softmax mean of the negatives",
        ),
        "squared_tangential": Quantity(
            tangential,
            r"\|(I - z z^\top) \nabla_z \mathcal{L}\|^2",
            "the same of the part tangent to the sphere, which is what reaches an encoder that "
            "normalises",
        ),
    }
    return in_own_ranges(found, DOMAIN)


RESULT = Result(
    "gradient-identity",
    title="The squared gradient of InfoNCE at an anchor, exactly",
    source="beyond the paper; the gradient is that of ochieng2025diversity, Section 1.2",
    parameters=PARAMETERS,
    domain=DOMAIN,
    build=build,
    meanings={s: MEANINGS[s] for s in PARAMETERS},
    subject=INFONCE,
)
