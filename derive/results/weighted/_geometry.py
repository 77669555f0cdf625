"""What the results about labels share: inferences in words, and the sphere that labels lie on."""

from __future__ import annotations

from sympy import Expr, S, Symbol, oo

from ...decide.domain import Domain, Range, between
from ...decide.present import solve_linear, tidy
from ...losses.softmax import tau
from ...proof.derivation import Derivation
from ...proof.relations import eq, ge, lt
from ...proof.statement import Lemma

GIBBS = Lemma(
    "entropic bound",
    statement=r"Weighted InfoNCE minus the mean over rows of the entropy of $p_{ij} = "
    r"w_{ij}/\sum_{k \ne i} w_{ik}$ is the mean over rows of the divergence of $p_{i\cdot}$ from "
    r"the softmax of $s_{i\cdot}$. So it is at least $0$, and $0$ iff $s_{ij} = \log w_{ij} + "
    r"c_i$ for all $i \ne j$. If $w$ and $s$ are symmetric and all $w_{ij} > 0$, the constants "
    r"$c_i$ are one.",
    proof=r"Gibbs' inequality for each row: $p\log(p/s) \ge p - s$, with equality iff $p = s$. By "
    r"symmetry $c_i = s_{ij} - \log w_{ij} = c_j$.",
)
RIGID = Lemma(
    "rigid constant",
    statement=r"Let $B + c E + d I$ be the Gram matrix of $n$ points, where $E$ is the matrix of "
    r"ones and $B$ a positive multiple of the Gram matrix of $n$ labels, or a negative one of the "
    r"matrix of their squared distances. If $d > 0$ the points have $n - 1$ dimensions or more, "
    r"and if $d < 0$ the affine hull of the labels has $n - 1$. So if neither has so many, $d = "
    r"0$.",
    proof=r"On vectors whose entries add up to zero $E$ vanishes, and $B$ is positive "
    r"semidefinite; it vanishes on some of them unless the affine hull of the labels has $n - 1$ "
    r"dimensions, and there $d I$ is left.",
)

h2 = Symbol("h2", real=True)
#: The cosine of two labels, as seen from the centre of the sphere that they lie on.
gamma = Symbol("gamma", real=True)


def state_cosine(
    weight: Expr, label: Symbol, equal: Expr, domain: Domain, proof: Derivation
) -> Expr:
    """The cosine that is wanted of two embeddings: similarity minus log-weight as at equal labels.

    ``equal`` is what compares two labels, where they are equal.
    """
    x, at_equal = Symbol("x", real=True), weight.xreplace({label: equal})
    cosine = tidy(solve_linear(x / tau - weight - (1 / tau - at_equal), x))
    c_prime = cosine.xreplace({label: S.Zero})
    proof.holds(
        "The entropic bound is attained iff the similarities are the log-weights plus one constant",
        [eq(x / tau, weight + c_prime / tau), eq(cosine.xreplace({label: equal}), 1)],
        GIBBS,
        domain,
        names={x: cosine},
    )
    return cosine


def square_of_extra(wanted: Expr, inner: Symbol) -> Expr:
    """The square of one more coordinate, the same for all, of unit vectors.

    With it, and normalised, those with this inner product have the one that is wanted.
    """
    return tidy(solve_linear(inner + h2 - wanted * (1 + h2), h2)).expand()


def largest(square: Expr) -> Expr:
    """The temperature at which a square that decreases with it is zero."""
    return tidy(solve_linear((square * tau).expand(), tau))


def state_sphere(
    cosine: Expr,
    label: Symbol,
    same: Expr,
    c_prime: Expr,
    of_gamma: Expr,
    domain: Domain,
    proof: Derivation,
    seen: str,
    centre: str,
) -> Domain:
    """Record up to which temperature labels on a sphere have target cosines; return where.

    Parameters
    ----------
    cosine
        The target, in what compares two labels.
    same, c_prime
        What compares a label with itself, and the constant in the target.
    of_gamma
        What compares two labels on the sphere, in their cosine from its centre; the centre
        itself is at the cosine 0 from every label on average.
    seen, centre
        The title of the step, and why the matrix is not positive semidefinite beyond.
    """
    target = cosine.xreplace({label: of_gamma})
    square = square_of_extra(target, gamma)
    tau_max = largest(square)
    inside = domain.with_range(tau, between(0, tau_max, "(]"), domain.witness[tau])
    proof.holds(
        seen,
        [eq((gamma + h2) / (1 + h2), target), ge(square, 0)],
        "gamma is the cosine of two labels as seen from the centre of their sphere; "
        "unit vectors with inner product gamma and one more coordinate h, normalised, "
        "have the cosine (gamma + h^2)/(1 + h^2), and h is real for tau <= tau_max",
        inside.with_range(gamma, between(-1, 1), 0),
        names={h2: square},
    )
    proof.holds(
        "For tau > tau_max the matrix of these cosines is not positive semidefinite",
        lt(target.xreplace({gamma: S.Zero}), 0),
        "this negative number is its quadratic form at the weights, of sum 1, with "
        f"which the labels average to the centre: {centre}",
        domain.with_range(tau, between(tau_max, 2 * tau_max, "(]"), domain.witness_of(2 * tau_max)),
    )
    other = Symbol("c", real=True)
    proof.equal(
        "With another constant c the diagonal exceeds what the formula gives for two "
        "equal labels by d = c' - c",
        {"d": (1 - (cosine.xreplace({label: same}) + other - c_prime), c_prime - other)},
        RIGID,
        domain.restricted(set(domain.ranges) - {label}).with_range(other, Range(-oo), 0),
    )
    return inside
