"""The cross-entropy of a graph with the kernel of embeddings, as attraction and repulsion.

Half the squared distances are all that stands in it. The identities are shown as sums over indices,
for any number of objects and of coordinates.
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

from ...decide.domain import FREE, POSITIVE, Domain, at_least, between, region
from ...losses.softmax import tau
from ...proof.derivation import Derivation
from ...proof.indexed import SumsEqual
from ...proof.relations import eq
from ...structures.graph import Graph
from ...structures.hierarchy import n
from .._for_data import NUMBERS

a, d, h, i, j = (Symbol(x, integer=True, positive=True) for x in ("a", "d", "h", "i", "j"))
#: Probabilities P are zero on the diagonal; the kernel and its sums over the others are not.
P, Q = (IndexedBase(s, nonnegative=True) for s in ("P", "Q"))
K, R = (IndexedBase(s, positive=True) for s in ("K", "R"))
v, x, z = (IndexedBase(s, real=True) for s in ("v", "x", "z"))
WHERE = Domain({n: at_least(2), d: at_least(1), tau: POSITIVE}, {n: 4, d: 2, tau: Rational(1, 2)})
#: Shares of a row, and what unit vectors have.
SHARES = {Sum(P[i, j], (j, 1, n)): S.One}
UNIT = {Sum(z[i, a] ** 2, (a, 1, d)): S.One}


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


def state_trace_at(attracted: Expr, traced: Expr, proof: Derivation) -> None:
    """Two ways to the attraction of given embeddings, times tau: over edges, and as a trace."""
    proof.equal(
        "At these embeddings the attraction times tau is the trace with the symmetrised "
        "probabilities",
        {"over_edges": (attracted, traced)},
        "over_edges is the sum over directed edges of probability times half the squared distance",
        NUMBERS,
    )


def _others(size: int) -> list[tuple[int, int]]:
    return [(p, q) for p in range(size) for q in range(size) if p != q]


# --- for any number of objects -----------------------------------------------------------------
def state_decomposition(proof: Derivation) -> None:
    """Attraction and the logarithm of the partition function, for any kernel."""
    share, both = P[i, j], ((j, 1, n), (i, 1, n))
    proof.add(
        "The cross-entropy is attraction plus repulsion, if each row of P sums to 1",
        SumsEqual(
            eq(
                -Sum(share * log(K[i, j] / R[i]), *both),
                -Sum(share * log(K[i, j]), *both) + Sum(log(R[i]), (i, 1, n)),
            ),
            WHERE,
            known=SHARES,
        ),
        "R_i is the sum of the kernel K_ij over j != i, and P_ii = 0; the logarithms of R_i sum "
        "to that of their product, the partition function of the kernel (result mrf)",
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
        "For the Gaussian kernel the attraction is 1/tau times a trace with the symmetrised "
        "probabilities S = (P + P')/2",
        SumsEqual(eq(attracted, (1 / tau) * of_mean), WHERE, names={attracted: pulled / (2 * tau)}),
        "attraction is the sum of P_ij |Z_i - Z_j|^2/(2 tau), as the logarithm of the kernel is "
        "-|Z_i - Z_j|^2/(2 tau); the right-hand side is tr(Z' Lap(S) Z)/tau with Lap(S) = "
        "diag(row sums) - S. Each pair is counted twice and halved, so 1/tau is the only factor",
    )
    proof.add(
        "The trace with Lap(P) = diag(row sums of P) - P, for P that need not be symmetric",
        SumsEqual(
            eq(
                traced,
                of_rows + Sum((P[j, i] - P[i, j]) * z[i, a] ** 2, *over) / 2,
            ),
            WHERE,
            names={traced: of_mean},
        ),
        "trace is tr(Z' Lap(S) Z); it exceeds tr(Z' Lap(P) Z) by half the sum over i of "
        "(in-degree - out-degree) |Z_i|^2",
    )
    proof.add(
        "On the unit sphere the traces with Lap(S) and Lap(P) are equal",
        SumsEqual(eq(traced, of_rows), WHERE, known=UNIT, names={traced: of_mean}),
        "all |Z_i| are 1, and the sum of the in-degrees equals that of the out-degrees",
    )


def state_dot_product(proof: Derivation) -> None:
    """The dot product in place of minus half the squared distance."""
    apart = Sum((z[i, a] - z[j, a]) ** 2, (a, 1, d)) / 2
    proof.add(
        "For unit vectors half the squared distance is 1 minus the dot product",
        SumsEqual(
            eq(apart, 1 - Sum(z[i, a] * z[j, a], (a, 1, d))),
            WHERE,
            known={**UNIT, Sum(z[j, a] ** 2, (a, 1, d)): S.One},
        ),
        "|Z_i| = |Z_j| = 1. So the kernel is exp(-1/tau) times that of the dot product, the "
        "factor cancels in the softmax, and InfoNCE with the dot product has the same value",
    )


def state_gradient(proof: Derivation) -> None:
    """The gradient: a difference of two Laplacians, that of the weights and that of the kernel."""
    s = Symbol("s", real=True)
    E, F, G = (IndexedBase(x, real=True) for x in ("E", "F", "G"))
    weights = exp(-(E[h] + s * F[h] + s**2 * G[h]) / tau)
    slope = log(Sum(weights, (h, 1, n - 1))).diff(s).subs(s, 0)
    start = Sum(exp(-E[h] / tau), (h, 1, n - 1))
    proof.add(
        "The derivative of log R of an anchor at s = 0, along Z + s V",
        SumsEqual(
            eq("in_s", -Sum(F[h] * exp(-E[h] / tau), (h, 1, n - 1)) / (tau * start)),
            WHERE,
            names={Symbol("in_s"): slope},
        ),
        "half the squared distance to another object is E + s F + s^2 G, where F is the inner "
        "product of the differences of Z and of V; so the derivative is minus the mean of F over "
        "tau, under the probabilities Q of the kernel",
    )
    over = ((a, 1, d), (j, 1, n), (i, 1, n))
    gap = P[i, j] - Q[i, j]
    mean = (P[i, j] + P[j, i] - Q[i, j] - Q[j, i]) / 2
    proof.add(
        "The gradient of the cross-entropy is 2/tau times the difference of two Laplacians, "
        "applied to Z",
        SumsEqual(
            eq("in_s", (2 / tau) * Sum(mean * v[i, a] * (z[i, a] - z[j, a]), *over)),
            WHERE,
            names={
                Symbol("in_s"): Sum(gap * (z[i, a] - z[j, a]) * (v[i, a] - v[j, a]), *over) / tau
            },
        ),
        "the derivative of H along V is the sum of (P_ij - Q_ij)/tau times the inner product of "
        "Z_i - Z_j and V_i - V_j, that is the inner product of V with (2/tau) (Lap(S) - Lap(S_Q)) "
        "Z for S_Q = (Q + Q')/2. So at a stationary Z the columns are eigenvectors of eigenvalue "
        "0 of a matrix that depends on Z; on the sphere the rows of the gradient are multiples of "
        "those of Z",
    )


def state_hot(proof: Derivation) -> None:
    """The first order in 1/tau, with a bound on what is left out."""
    s = Symbol("s", nonnegative=True)
    D = IndexedBase("D", nonnegative=True)
    total = Sum(exp(-s * D[h]), (h, 1, n - 1))
    of_row = log(total)
    hot = Domain({n: at_least(2), s: FREE}, {n: 4, s: S.Half})
    start, slope = of_row.subs(s, 0), of_row.diff(s).subs(s, 0)
    proof.add(
        "At s = 1/tau = 0, log R of an anchor is log(n - 1) and its derivative is minus the mean "
        "of D",
        SumsEqual(
            Tuple(eq("at_0", log(n - 1)), eq("first", -Sum(D[h], (h, 1, n - 1)) / (n - 1))),
            hot,
            names={Symbol("at_0"): start, Symbol("first"): slope},
        ),
        "R is the sum of exp(-s D_h), D_h being half the squared distance to one of the n - 1 "
        "others",
    )
    share = exp(-s * D[h]) / total
    proof.add(
        "The second derivative of log R is the variance of D under the softmax",
        SumsEqual(
            eq(
                "second",
                Sum(D[h] ** 2 * share, (h, 1, n - 1)) - Sum(D[h] * share, (h, 1, n - 1)) ** 2,
            ),
            hot,
            names={Symbol("second"): of_row.diff(s, 2)},
        ),
        "the softmax probabilities are exp(-s D_h) over their sum",
    )
    m1 = Symbol("M", real=True)
    proof.equal(
        "For unit vectors the variance of D is at most 1",
        {"room": (1 - (2 * m1 - m1**2), (1 - m1) ** 2)},
        "0 <= D <= 2, so D^2 <= 2 D and the variance is at most 2 M - M^2, M being the mean of D; "
        "room is 1 minus this",
        region({m1: between(0, 2)}),
    )
    over = ((a, 1, d), (j, 1, n), (i, 1, n))
    everything = Sum((z[i, a] - z[j, a]) ** 2, *over) / 2 / (n - 1)
    traced = (n * Sum(z[i, a] ** 2, (a, 1, d), (i, 1, n)) - Sum(z[i, a] * z[j, a], *over)) / (n - 1)
    proof.add(
        "The sum of all half squared distances over n - 1 is a trace with (n I - J)/(n - 1), J "
        "being the matrix of ones",
        SumsEqual(eq(everything, traced), WHERE),
        "by Taylor's theorem log R exceeds its tangent at s = 0 by at most s^2/2, its second "
        "derivative lying in [0, 1]. So on the unit sphere H = n log(n - 1) + tr(Z'MZ)/tau + r "
        "with M = Lap(S) - (n I - J)/(n - 1) and 0 <= r <= n/(2 tau^2)",
    )
    shared = Sum((P[i, j] + P[j, i]) / 2, (j, 1, n), (i, 1, n))
    proof.add(
        "The trace of M is 0",
        SumsEqual(eq(shared - n * (n - 1) / (n - 1), 0), WHERE, known=SHARES),
        "P is zero on the diagonal, so the trace of Lap(S) is the sum of all P_ij. M maps the "
        "constant vector to 0, so its other eigenvalues have mean 0; all are 0 iff all "
        "off-diagonal entries of S are equal, as for equal weights or a directed cycle of length "
        "3",
    )
    centred = {Sum(x[j], (j, 1, n)): S.Zero}
    proof.add(
        "On vectors whose entries sum to 0, M is Lap(S) - n/(n - 1)",
        SumsEqual(
            eq((n * x[i] - Sum(x[j], (j, 1, n))) / (n - 1), n / (n - 1) * x[i]),
            WHERE,
            known=centred,
        ),
        "J vanishes on these vectors. So to first order in 1/tau, with a given Frobenius norm, the "
        "columns of the best Z are eigenvectors of the second smallest eigenvalue of Lap(S) "
        "(Rayleigh), unless M is 0, where no Z is better than another; with d orthonormal columns "
        "they span those of the d smallest (Ky Fan), where the constant vector comes after those "
        "below n/(n - 1). With a given norm of every row, as on the sphere, this is false in "
        "general",
    )
