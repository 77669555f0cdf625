"""Maximum entropy for any number of similarities: the maximiser, its value, and P1 beside P2."""

from __future__ import annotations

from sympy import Expr, IndexedBase, S, Sum, Symbol, Tuple, exp, log, oo

from ...decide.calculus import derivative
from ...decide.domain import FREE, LINE, POSITIVE, Domain, at_least, region
from ...losses.softmax import tau
from ...proof.derivation import Derivation
from ...proof.indexed import SumsEqual
from ...proof.limiting import take_limit
from ...proof.relations import eq, ge, gt
from ..weighted._divergence import state_divergence

n = Symbol("n", integer=True, positive=True)
i, j = (Symbol(s, integer=True, positive=True) for s in ("i", "j"))
#: Similarities, any shares, those of the softmax, and an inverse temperature.
psi = IndexedBase("psi", real=True)
alpha = IndexedBase("alpha", positive=True)
softmax = IndexedBase("m", positive=True)
beta = Symbol("beta", nonnegative=True)

TERMS = Domain({n: at_least(2), tau: POSITIVE}, {n: 3, tau: 1})
INVERSE = Domain({n: at_least(2), beta: FREE}, {n: 3, beta: 1})
#: What shares add up to, where a title says that they are shares.
SHARES = {Sum(alpha[i], (i, 1, n)): S.One}
ENDS = "zero probabilities contribute nothing, as t log t converges to 0 with t"

#: Of the bound, with d_i = psi_i - psi_1: F = log WHOLE, and h.
WEIGHT = exp(beta * (psi[i] - psi[1]))
WHOLE = Sum(WEIGHT, (i, 1, n))
SLOPE = Sum((psi[i] - psi[1]) * WEIGHT, (i, 1, n))

PARTITION = Sum(exp(psi[j] / tau), (j, 1, n))
#: The softmax, its value as it is printed, entropy, and the objective of P2.
MAXIMISER = exp(psi[i] / tau) / PARTITION
VALUE = -tau * log(exp(psi[1] / tau) / PARTITION)
MEAN = Sum(alpha[i] * psi[i], (i, 1, n))
ENTROPY = -Sum(alpha[i] * log(alpha[i]), (i, 1, n))
DIVERGENCE = Sum(alpha[i] * log(alpha[i] / softmax[i]), (i, 1, n))
OBJECTIVE = -(psi[1] - MEAN) + tau * ENTROPY


def _at_softmax() -> Expr:
    mean = Sum(MAXIMISER * psi[i], (i, 1, n))
    entropy = -Sum(MAXIMISER * log(MAXIMISER), (i, 1, n))
    return -(psi[1] - mean) + tau * entropy


def state_maximiser(proof: Derivation) -> None:
    """The maximiser of P2 is the softmax: what others lose is tau times a divergence."""
    proof.add(
        "The objective of P2 at the softmax, whose probabilities sum to 1",
        SumsEqual(
            Tuple(eq("of_softmax", VALUE), eq(Sum(MAXIMISER, (i, 1, n)), S.One)),
            TERMS,
            names={Symbol("of_softmax"): _at_softmax()},
        ),
        "the definition of the softmax is inserted into the objective, for any number of "
        "similarities",
    )
    proof.add(
        "The value at the softmax minus the objective of P2 at any probabilities alpha is tau "
        "times a Kullback-Leibler divergence",
        SumsEqual(
            eq("lost", tau * DIVERGENCE),
            TERMS,
            names={Symbol("lost"): VALUE - OBJECTIVE, softmax[i]: MAXIMISER},
            known=SHARES,
        ),
        f"a divergence from the softmax, for any number of similarities; {ENDS}",
    )
    state_divergence("alpha_i", "m_i", proof)
    proof.add(
        "The divergence is a sum of terms alpha_i log(alpha_i/m_i) - alpha_i + m_i, for "
        "probabilities alpha",
        SumsEqual(
            eq(
                Sum(alpha[i] * log(alpha[i] / softmax[i]) - alpha[i] + softmax[i], (i, 1, n)),
                DIVERGENCE,
            ),
            TERMS,
            names={softmax[i]: MAXIMISER},
            known=SHARES,
        ),
        "alpha and m both sum to 1; the terms are at least 0 and vanish only for alpha = m, so "
        "the softmax is the only maximiser",
    )


def state_duality(proof: Derivation) -> None:
    """Weak duality, the least bound, and when P1 attains it."""
    proof.add(
        "The objective of P2 minus tau times the entropy, which is the objective of P1",
        SumsEqual(
            eq("more", Sum(alpha[i] * (psi[i] - psi[1]), (i, 1, n))),
            TERMS,
            names={Symbol("more"): OBJECTIVE - tau * ENTROPY},
            known=SHARES,
        ),
        "alpha is feasible for P1 iff this is at least 0; then tau H(alpha) is at most the value "
        "of P2, so the value of P1 is at most value/tau, for every tau",
    )
    bound = VALUE.xreplace({tau: 1 / beta}) * beta
    positive = INVERSE.with_range(beta, POSITIVE, S.One)
    proof.add(
        "The upper bound F = value/tau of P1, as a function of beta = 1/tau",
        SumsEqual(
            eq("bound", log(WHOLE)),
            positive,
            names={Symbol("bound"): bound},
        ),
        "the value of P2 is -tau times the logarithm of the softmax probability of psi_1",
    )
    d = Symbol("d", real=True)
    proof.equal(
        "The derivative of F has the sign of h = sum d_i exp(beta d_i), and h increases with beta",
        {
            "h_term": (derivative(exp(beta * d), beta), d * exp(beta * d)),
            "slope_term": (derivative(d * exp(beta * d), beta), d**2 * exp(beta * d)),
        },
        "F is the logarithm of the sum of exp(beta d_i) with d_i = psi_i - psi_1, so its "
        "derivative is h over that sum; the derivative of h is the sum of d_i^2 exp(beta d_i), "
        "which is positive unless all psi_i are equal. So h has at most one zero, and F is minimal "
        "there",
        region({beta: FREE, d: LINE}),
        also=[ge("slope_term", 0)],
    )
    share = WEIGHT / WHOLE
    entropy = -Sum(share * log(share), (i, 1, n))
    proof.add(
        "The entropy of the softmax is the bound F minus beta times its derivative",
        SumsEqual(
            eq("entropy", log(WHOLE) - beta * SLOPE / WHOLE),
            INVERSE,
            names={Symbol("entropy"): entropy},
        ),
        "at a zero of h the softmax satisfies the constraint of P1 with equality and its entropy "
        "is F; so the duality gap is zero, and F is the value of P1",
    )
    state_ends(proof)


def state_ends(proof: Derivation) -> None:
    """What is left where h has no zero: it is positive, or negative, all along."""
    proof.add(
        "The values of F and h at beta = 0, that is tau = oo",
        SumsEqual(
            Tuple(eq("F_at_0", log(n)), eq("h_at_0", Sum(psi[i], (i, 1, n)) - n * psi[1])),
            TERMS,
            names={
                Symbol("F_at_0"): log(WHOLE.xreplace({beta: S.Zero})),
                Symbol("h_at_0"): SLOPE.xreplace({beta: S.Zero}),
            },
        ),
        "F is log n, the entropy of the uniform distribution, and h is n times the mean of psi "
        "minus psi_1. If that is at least 0, the uniform distribution is feasible for P1, F "
        "increases with beta and converges to log n as tau grows",
    )
    k, rest, delta = (Symbol(s, positive=True) for s in ("k", "r", "delta"))
    late = region(dict.fromkeys((k, rest, delta, beta), POSITIVE))
    take_limit("above_log_k", log(1 + rest / k * exp(-beta * delta)), beta, oo, late, proof)
    proof.equal(
        "If psi_1 is the largest similarity and k - 1 others equal it, F exceeds log k and "
        "converges to it as tau -> 0",
        {
            "whole_over_k": (
                (k + rest * exp(-beta * delta)) / k,
                1 + rest / k * exp(-beta * delta),
            )
        },
        "the r other similarities are lower by at least delta, so F - log k is positive and at "
        "most the logarithm of whole_over_k. Points feasible for P1 have probability 0 on lower "
        "similarities, so its value is log k, attained by the uniform distribution on the k; e_1 "
        "is the only feasible point iff k = 1",
        late,
        also=[gt(log(1 + rest / k * exp(-beta * delta)), 0)],
    )
