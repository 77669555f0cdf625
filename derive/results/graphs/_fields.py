"""Two distributions over subgraphs of out-degree one, and their cross-entropy."""

from __future__ import annotations

from sympy import Expr, IndexedBase, S, Sum, Symbol, log, oo

from ...decide.domain import Domain, at_least
from ...proof.derivation import Derivation
from ...proof.indexed import SumsEqual
from ...proof.relations import eq
from ...structures.graph import Graph
from ...structures.hierarchy import n
from .._for_data import NUMBERS

#: Rows that have been drawn, and where the next one leads to.
m = Symbol("m", integer=True, positive=True)
i, j = (Symbol(s, integer=True, positive=True) for s in ("i", "j"))
#: Weights and shares may be zero, as on the diagonal; what logarithms are taken of may not.
w, p = (IndexedBase(s, nonnegative=True) for s in ("w", "p"))
q = IndexedBase("q", positive=True)
#: Of the rows before: the sum of their weights, and their cross-entropy.
Z = Symbol("Z", positive=True)
H = Symbol("H", real=True)
ROWS = Domain({n: at_least(2), m: at_least(1)}, {n: 4, m: 2})
BY_ROWS = (
    "a choice for m + 1 rows is one for m rows and one for the next, so this holds for all n rows "
    "by induction"
)


def cross_entropy(graph: Graph, against: Graph) -> Expr:
    """Of the distributions over subgraphs, row by row; oo where one has no weight for a draw."""
    shares, others = graph.transitions.weights, against.transitions.weights
    places = [(a, b) for a in range(graph.size) for b in range(graph.size) if shares[a, b] != 0]
    if any(others[place] == 0 for place in places):
        return oo
    return -sum((shares[place] * log(others[place]) for place in places), S.Zero)


# --- for any n -------------------------------------------------------------------------------
def state_partition(proof: Derivation) -> None:
    """That weights of subgraphs add up to the product of the sums of rows, and what follows."""
    row = w[m + 1, j]
    proof.add(
        "One more row multiplies the sum of all weights by the sum of the row",
        SumsEqual(eq(Sum(Z * row, (j, 1, n)), Z * Sum(row, (j, 1, n))), ROWS),
        f"Z is the sum over all choices in m rows; {BY_ROWS}. So the partition function is the "
        "product of the row sums; if all off-diagonal weights are 1, it is the number of "
        "subgraphs, (n - 1)^n",
    )
    e, f, r, s, rest = (Symbol(x, positive=True) for x in ("e", "f", "r", "s", "R"))
    proof.equal(
        "Rows are drawn independently, each with the probabilities weight/(row sum)",
        {
            "one_row": (e * s * rest / (r * s * rest), e / r),
            "two_rows": (e * f * rest / (r * s * rest), (e / r) * (f / s)),
        },
        "e and f are weights of edges in two rows with the sums r and s, and R is the product of "
        "the other row sums, the sum over the rows that are not fixed by the step before; with an "
        "edge fixed in every row the probability is the product of weight/(row sum) over all rows",
        NUMBERS.with_positive((e, f, r, s, rest)),
    )


def state_cross_entropy(proof: Derivation) -> None:
    """That the cross-entropy of products is the sum of those of the rows."""
    drawn, other = p[m + 1, j], log(q[m + 1, j])
    proof.add(
        "One more row adds its own cross-entropy, if its probabilities sum to 1",
        SumsEqual(
            eq(Sum(drawn * (H - other), (j, 1, n)), H - Sum(drawn * other, (j, 1, n))),
            ROWS,
            known={Sum(p[m + 1, j], (j, 1, n)): S.One},
        ),
        "H is the cross-entropy of m rows, whose probabilities sum to 1, and the logarithm of a "
        f"product is the sum of the logarithms; {BY_ROWS}",
    )
