"""Maximum entropy for any number of similarities: the maximiser, its value, and P1 beside P2."""

from __future__ import annotations

from sympy import Expr, IndexedBase, S, Sum, Symbol, Tuple, exp, log, oo

from ...decide.calculus import derivative
from ...decide.domain import POSITIVE, Domain, Range, at_least
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

LINE = Range(-oo)
TERMS = Domain({n: at_least(2), tau: POSITIVE}, {n: 3, tau: 1})
INVERSE = Domain({n: at_least(2), beta: Range(S.Zero, low_open=False)}, {n: 3, beta: 1})
#: What shares add up to, where a title says that they are shares.
SHARES = {Sum(alpha[i], (i, 1, n)): S.One}
ENDS = "shares that are zero add nothing, as t log t goes to 0 with t"

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
        "The objective at the softmax, whose probabilities add up to 1",
        SumsEqual(
            Tuple(eq("of_softmax", VALUE), eq(Sum(MAXIMISER, (i, 1, n)), S.One)),
            TERMS,
            names={Symbol("of_softmax"): _at_softmax()},
        ),
        "the value of P2, for any number of similarities",
    )
    proof.add(
        "The value minus the objective, for probabilities alpha",
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
        "The divergence is the sum of these terms, for probabilities alpha",
        SumsEqual(
            eq(
                Sum(alpha[i] * log(alpha[i] / softmax[i]) - alpha[i] + softmax[i], (i, 1, n)),
                DIVERGENCE,
            ),
            TERMS,
            names={softmax[i]: MAXIMISER},
            known=SHARES,
        ),
        "only the softmax maximises the objective",
    )


def state_duality(proof: Derivation) -> None:
    """Weak duality, the least bound, and when P1 attains it."""
    proof.add(
        "The objective of P2 minus tau times that of P1, for probabilities alpha",
        SumsEqual(
            eq("more", Sum(alpha[i] * (psi[i] - psi[1]), (i, 1, n))),
            TERMS,
            names={Symbol("more"): OBJECTIVE - tau * ENTROPY},
            known=SHARES,
        ),
        "what is feasible for P1 has this >= 0, so tau H(alpha) <= -E(alpha) <= the value of P2: "
        "the value of P1 is at most value/tau at every tau",
    )
    bound = VALUE.xreplace({tau: 1 / beta}) * beta
    positive = INVERSE.with_range(beta, POSITIVE, S.One)
    proof.add(
        "The bound value/tau, with beta = 1/tau",
        SumsEqual(
            eq("bound", log(WHOLE)),
            positive,
            names={Symbol("bound"): bound},
        ),
        "F(beta), for any number of similarities",
    )
    d = Symbol("d", real=True)
    gap = Domain({beta: Range(S.Zero, low_open=False), d: LINE}, {beta: 1, d: 1})
    proof.holds(
        "F decreases while h = sum of d_i exp(beta d_i) is negative, and h increases",
        [
            eq("h_term", d * exp(beta * d)),
            eq("slope_term", d**2 * exp(beta * d)),
            ge("slope_term", 0),
        ],
        "with d_i = psi_i - psi_1, F is the logarithm of the sum of exp(beta d_i), so its "
        "derivative is h over that sum; the derivative of h adds up d_i^2 exp(beta d_i), >= 0, "
        "and > 0 unless all "
        "psi_i are equal. Unless they are, h has one zero at most, and F is least there",
        gap,
        names={
            Symbol("h_term"): derivative(exp(beta * d), beta),
            Symbol("slope_term"): derivative(d * exp(beta * d), beta),
        },
    )
    share = WEIGHT / WHOLE
    entropy = -Sum(share * log(share), (i, 1, n))
    proof.add(
        "The entropy of the softmax is the bound minus beta times its derivative",
        SumsEqual(
            eq("entropy", log(WHOLE) - beta * SLOPE / WHOLE),
            INVERSE,
            names={Symbol("entropy"): entropy},
        ),
        "where h = 0 the softmax meets the constraint of P1 with equality and has the entropy F: "
        "no duality gap is left, and P1 has this value",
    )
    state_ends(proof)


def state_ends(proof: Derivation) -> None:
    """What is left where h has no zero: it is positive, or negative, all along."""
    proof.add(
        "At beta = 0, which is tau = oo",
        SumsEqual(
            Tuple(eq("F_at_0", log(n)), eq("h_at_0", Sum(psi[i], (i, 1, n)) - n * psi[1])),
            TERMS,
            names={
                Symbol("F_at_0"): log(WHOLE.xreplace({beta: S.Zero})),
                Symbol("h_at_0"): SLOPE.xreplace({beta: S.Zero}),
            },
        ),
        "F is log n, the entropy of equal shares, and h is n times the mean of psi less psi_1. If "
        "that is >= 0, equal shares are feasible for P1, F rises from there on, and log n is "
        "approached as tau grows",
    )
    k, rest, delta = (Symbol(s, positive=True) for s in ("k", "r", "delta"))
    late = Domain(
        {k: POSITIVE, rest: POSITIVE, delta: POSITIVE, beta: POSITIVE},
        {k: 1, rest: 1, delta: 1, beta: 1},
    )
    take_limit("above_log_k", log(1 + rest / k * exp(-beta * delta)), beta, oo, late, proof)
    proof.holds(
        "If psi_1 is the largest, with k - 1 others equal to it",
        [
            eq("whole_over_k", 1 + rest / k * exp(-beta * delta)),
            gt(log(1 + rest / k * exp(-beta * delta)), 0),
        ],
        "the r others are lower by delta at least; the logarithm of this is what F has above log k "
        "at most, and it has some of it. So F stays above log k and converges to it as "
        "tau -> 0, which no tau attains. What is feasible for P1 has no share on lower "
        "similarities, so its value is log k, of equal shares on the k: e_1 is the only feasible "
        "point iff k = 1",
        late,
        names={
            Symbol("whole_over_k"): (k + rest * exp(-beta * delta)) / k,
        },
    )
