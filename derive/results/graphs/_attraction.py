"""The cross-entropy of a graph with the kernel of embeddings, as attraction and repulsion.

Half the squared distances are all that stands in it. For any number of objects and of coordinates
the identities are shown as sums over indices; at given numbers they are put back.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sympy import (
    Expr,
    ImmutableMatrix,
    IndexedBase,
    Matrix,
    Rational,
    S,
    Sum,
    Symbol,
    Tuple,
    exp,
    log,
)

from ...decide.domain import POSITIVE, Domain, Range, at_least, between
from ...losses.softmax import tau
from ...proof.derivation import Derivation
from ...proof.indexed import SumsEqual
from ...proof.relations import eq
from ...proof.statement import Lemma
from ...structures.graph import Graph
from ...structures.hierarchy import n

a, d, h, i, j = (Symbol(x, integer=True, positive=True) for x in ("a", "d", "h", "i", "j"))
#: Shares are zero on the diagonal; the kernel and its sums over the others are not.
P, Q = (IndexedBase(s, nonnegative=True) for s in ("P", "Q"))
K, R = (IndexedBase(s, positive=True) for s in ("K", "R"))
v, x, z = (IndexedBase(s, real=True) for s in ("v", "x", "z"))
WHERE = Domain({n: at_least(2), d: at_least(1), tau: POSITIVE}, {n: 4, d: 2, tau: Rational(1, 2)})
#: Shares of a row, and what unit vectors have.
SHARES = {Sum(P[i, j], (j, 1, n)): S.One}
UNIT = {Sum(z[i, a] ** 2, (a, 1, d)): S.One}
TAYLOR = Lemma(
    "second derivative",
    "a function whose second derivative is between 0 and 1 is above its tangent by at most half "
    "the square of the distance",
    "Taylor's theorem with the remainder of Lagrange",
)
EIGENVECTORS = Lemma(
    "eigenvectors",
    "tr(Z'MZ) is least, among Z with one Frobenius norm, where every column is an eigenvector of "
    "the least eigenvalue; and among those with orthonormal columns where they span the "
    "eigenvectors of the d least",
    "the variational principles of Rayleigh and Ky Fan",
)


# --- at given embeddings -----------------------------------------------------------------------
def half_distances(rows: Sequence[Sequence[Expr]]) -> ImmutableMatrix:
    """Half the squared distances of embeddings."""
    size = len(rows)
    return ImmutableMatrix(
        size,
        size,
        lambda p, q: sum(((x - y) ** 2 for x, y in zip(rows[p], rows[q], strict=True)), S.Zero) / 2,
    )


def attraction(graph: Graph, half: Matrix) -> Expr:
    """The sum over edges of share times half the squared distance."""
    shares = graph.transitions.weights
    return sum((shares[e] * half[e] for e in _others(graph.size)), S.Zero)


def nearest(distances: Iterable[Expr]) -> Expr:
    """The least of some numbers, by their decimals; of those that agree there any."""
    return min(distances, key=lambda e: e.evalf(30))


def log_partitions(half: Matrix, heat: Expr) -> list[Expr]:
    """The logarithm of the sum of the kernel over all others, for each anchor.

    The kernel with the nearest is taken out, so that numpy functions do not underflow.
    """
    found = []
    for p in range(half.rows):
        others = [half[p, q] for q in range(half.rows) if q != p]
        least = nearest(others) if all(e.is_number for e in others) else S.Zero
        found.append(log(sum((exp((least - e) / heat) for e in others), S.Zero)) - least / heat)
    return found


def kernel(half: Matrix, heat: Expr) -> Graph:
    """The Gaussian kernel; its distribution over subgraphs is that of the embeddings.

    Each row is divided by its largest entry, which changes no shares.
    """
    size = half.rows
    least = [nearest(half[p, q] for q in range(size) if q != p) for p in range(size)]
    return Graph.without_loops(
        Matrix(size, size, lambda p, q: exp((least[p] - half[p, q]) / heat)), "the kernel"
    )


def trace(laplacian: Matrix, rows: Sequence[Sequence[Expr]]) -> Expr:
    """tr(Z' L Z)."""
    Z = Matrix(rows)
    return (Z.T * laplacian * Z).trace().expand()


def _others(size: int) -> list[tuple[int, int]]:
    return [(p, q) for p in range(size) for q in range(size) if p != q]


# --- for any number of objects -----------------------------------------------------------------
def state_decomposition(proof: Derivation) -> None:
    """Attraction and the logarithm of the partition function, for any kernel."""
    share, both = P[i, j], ((j, 1, n), (i, 1, n))
    proof.add(
        "Attraction and repulsion, where the shares of a row add up to 1",
        SumsEqual(
            eq(
                -Sum(share * log(K[i, j] / R[i]), *both),
                -Sum(share * log(K[i, j]), *both) + Sum(log(R[i]), (i, 1, n)),
            ),
            WHERE,
            known=SHARES,
        ),
        "R of an anchor is the sum of its K over the others, P is zero on the diagonal; "
        "the sum of the logarithms of R "
        "is the logarithm of the product, the partition function of the kernel (result mrf)",
    )


def state_trace(proof: Derivation) -> None:
    """The attraction of the Gaussian kernel as a trace, every factor written out."""
    over = ((a, 1, d), (j, 1, n), (i, 1, n))
    mean = (P[i, j] + P[j, i]) / 2
    pulled = Sum(P[i, j] * (z[i, a] - z[j, a]) ** 2, *over)
    attracted, traced = Symbol("attraction"), Symbol("trace")
    of_mean = Sum(mean * z[i, a] * (z[i, a] - z[j, a]), *over)
    of_rows = Sum(P[i, j] * z[i, a] * (z[i, a] - z[j, a]), *over)
    proof.add(
        "The Gaussian kernel: attraction is 1/tau times the trace with the symmetrised shares",
        SumsEqual(eq(attracted, (1 / tau) * of_mean), WHERE, names={attracted: pulled / (2 * tau)}),
        "attraction is the sum of shares times |Z_i - Z_j|^2/(2 tau), as that is minus the "
        "logarithm of the kernel; on the right is tr(Z' Lap(S) Z) for S = (P + P')/2 and "
        "Lap(S) = diag(row sums) - S: "
        "pairs are counted twice and halved, so no factor but 1/tau is left",
    )
    proof.add(
        "With Lap(P) = diag(row sums of P) - P, for shares that are not symmetric",
        SumsEqual(
            eq(
                traced,
                of_rows + Sum((P[j, i] - P[i, j]) * z[i, a] ** 2, *over) / 2,
            ),
            WHERE,
            names={traced: of_mean},
        ),
        "trace is tr(Z' Lap(S) Z); the difference is half the sum over i of (in-degree - "
        "out-degree) |Z_i|^2",
    )
    proof.add(
        "On the unit sphere it is the same",
        SumsEqual(eq(traced, of_rows), WHERE, known=UNIT, names={traced: of_mean}),
        "all |Z_i| are 1, and in-degrees have the sum of the out-degrees",
    )


def state_dot_product(proof: Derivation) -> None:
    """The dot product in place of minus half the squared distance."""
    apart = Sum((z[i, a] - z[j, a]) ** 2, (a, 1, d)) / 2
    proof.add(
        "For unit vectors half the squared distance is 1 less the dot product",
        SumsEqual(
            eq(apart, 1 - Sum(z[i, a] * z[j, a], (a, 1, d))),
            WHERE,
            known={**UNIT, Sum(z[j, a] ** 2, (a, 1, d)): S.One},
        ),
        "|Z_i| = |Z_j| = 1",
    )
    factor, one, others = (Symbol(s, positive=True) for s in ("c", "e", "r"))
    proof.equal(
        "InfoNCE with the dot product is the same, value and all",
        {"softmax": (log(factor * one / (factor * others)), log(one / others))},
        "c = exp(-1/tau) is a factor of every term, above and below",
        Domain(dict.fromkeys((factor, one, others), POSITIVE), {factor: S.Half, one: 1, others: 2}),
    )


def state_gradient(proof: Derivation) -> None:
    """The gradient: a difference of two Laplacians, that of the weights and that of the kernel."""
    s = Symbol("s", real=True)
    E, F, G = (IndexedBase(x, real=True) for x in ("E", "F", "G"))
    weights = exp(-(E[h] + s * F[h] + s**2 * G[h]) / tau)
    slope = log(Sum(weights, (h, 1, n - 1))).diff(s).subs(s, 0)
    start = Sum(exp(-E[h] / tau), (h, 1, n - 1))
    proof.add(
        "The derivative of the logarithm of R at an anchor, along Z + s V",
        SumsEqual(
            eq("in_s", -Sum(F[h] * exp(-E[h] / tau), (h, 1, n - 1)) / (tau * start)),
            WHERE,
            names={Symbol("in_s"): slope},
        ),
        "half the squared distance is E + s F + s^2 G, F the inner product of the differences: "
        "so it is minus the mean of F over tau, under the shares Q of the kernel",
    )
    over = ((a, 1, d), (j, 1, n), (i, 1, n))
    gap = P[i, j] - Q[i, j]
    mean = (P[i, j] + P[j, i] - Q[i, j] - Q[j, i]) / 2
    proof.add(
        "The gradient is 2/tau times the difference of two Laplacians, applied to Z",
        SumsEqual(
            eq("in_s", (2 / tau) * Sum(mean * v[i, a] * (z[i, a] - z[j, a]), *over)),
            WHERE,
            names={
                Symbol("in_s"): Sum(gap * (z[i, a] - z[j, a]) * (v[i, a] - v[j, a]), *over) / tau
            },
        ),
        "the derivative of H along V is the sum of (P_ij - Q_ij)/tau times the inner product of "
        "Z_i - Z_j and V_i - V_j, which is that of V with (2/tau) (Lap(S) - Lap(S_Q)) Z, S_Q being "
        "(Q + Q')/2: where Z is stationary its columns are eigenvectors, of the eigenvalue 0, of a "
        "matrix that depends on Z; on the sphere rows of that are multiples of those of Z",
    )


def state_hot(proof: Derivation) -> None:
    """The first order in 1/tau, with a bound on what is left out."""
    s = Symbol("s", nonnegative=True)
    D = IndexedBase("D", nonnegative=True)
    total = Sum(exp(-s * D[h]), (h, 1, n - 1))
    of_row = log(total)
    hot = Domain({n: at_least(2), s: Range(low_open=False)}, {n: 4, s: S.Half})
    start, slope = of_row.subs(s, 0), of_row.diff(s).subs(s, 0)
    proof.add(
        "At s = 1/tau = 0 log R is log(n - 1) in a row, and its derivative is minus the "
        "mean distance",
        SumsEqual(
            Tuple(eq("at_0", log(n - 1)), eq("first", -Sum(D[h], (h, 1, n - 1)) / (n - 1))),
            hot,
            names={Symbol("at_0"): start, Symbol("first"): slope},
        ),
        "D_h is half the squared distance to one of the n - 1 others",
    )
    share = exp(-s * D[h]) / total
    proof.add(
        "Its second derivative is the variance of D under the softmax",
        SumsEqual(
            eq(
                "second",
                Sum(D[h] ** 2 * share, (h, 1, n - 1)) - Sum(D[h] * share, (h, 1, n - 1)) ** 2,
            ),
            hot,
            names={Symbol("second"): of_row.diff(s, 2)},
        ),
        "the shares are exp(-s D_h) over their sum",
    )
    m1 = Symbol("M", real=True)
    spread = Symbol("spread")
    proof.holds(
        "On the unit sphere that is at most 1",
        eq(1 - spread, (1 - m1) ** 2),
        "as 0 <= D <= 2, the square of D is at most 2 D, so the variance is at most 2 M - M^2, M "
        "being the mean; 1 less that is a square",
        Domain({m1: between(0, 2)}, {m1: 1}),
        names={spread: 2 * m1 - m1**2},
    )
    over = ((a, 1, d), (j, 1, n), (i, 1, n))
    everything = Sum((z[i, a] - z[j, a]) ** 2, *over) / 2 / (n - 1)
    traced = (n * Sum(z[i, a] ** 2, (a, 1, d), (i, 1, n)) - Sum(z[i, a] * z[j, a], *over)) / (n - 1)
    proof.add(
        "All pairs alike: the trace with (n I - J)/(n - 1), J being the matrix of ones",
        SumsEqual(eq(everything, traced), WHERE),
        TAYLOR.says + ": so, on the unit sphere, H = n log(n - 1) + tr(Z'MZ)/tau + r with "
        "M = Lap(S) - (n I - J)/(n - 1) and 0 <= r <= n/(2 tau^2)",
    )
    shared = Sum((P[i, j] + P[j, i]) / 2, (j, 1, n), (i, 1, n))
    proof.add(
        "The trace of M is 0",
        SumsEqual(eq(shared - n * (n - 1) / (n - 1), 0), WHERE, known=SHARES),
        "P has zeros on the diagonal, so that of Lap(S) is the sum of all shares; M maps the "
        "constant vector to 0: its other eigenvalues have the mean 0, and all are 0 iff all "
        "entries of S off the diagonal are equal, such as for equal weights, or a directed circle "
        "of three",
    )
    centred = {Sum(x[j], (j, 1, n)): S.Zero}
    proof.add(
        "On vectors whose entries add up to zero M is Lap(S) - n/(n - 1)",
        SumsEqual(
            eq((n * x[i] - Sum(x[j], (j, 1, n))) / (n - 1), n / (n - 1) * x[i]),
            WHERE,
            known=centred,
        ),
        f"J vanishes there. {EIGENVECTORS.says[0].upper()}{EIGENVECTORS.says[1:]}: so to first "
        "order, with one Frobenius norm, the columns are those of the second least eigenvalue of "
        "Lap(S), unless M is 0, where no Z is better than another; with d orthonormal columns "
        "those of the d least, where the constant vector comes after those below n/(n - 1). With "
        "one norm for every row, as on the sphere, that is not so in general",
    )
