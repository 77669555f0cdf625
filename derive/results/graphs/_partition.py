"""A graph whose two clusters in the loss are not those of its Laplacian, at high temperatures.

Weights are symmetric and all rows have one sum, so every Laplacian has the same eigenvectors. One
vertex stands on the other side.
"""

from __future__ import annotations

from sympy import Expr, Integer, Matrix, Rational, S, diag, eye, ones

from ...decide.spelling import listed
from ...proof.derivation import Derivation
from ...proof.relations import gt
from ...structures.graph import Graph
from ...theorem.quantity import Quantity
from ...vectors.coordinates import inertia
from .._for_data import NUMBERS

#: Every row has the sum 5.
WITNESS = Graph(
    [
        [0, 1, 0, 2, 0, 0, 1, 1],
        [1, 0, 2, 0, 0, 1, 1, 0],
        [0, 2, 0, 1, 0, 1, 0, 1],
        [2, 0, 1, 0, 1, 1, 0, 0],
        [0, 0, 0, 1, 0, 0, 3, 1],
        [0, 1, 1, 1, 0, 0, 0, 2],
        [1, 1, 0, 0, 3, 0, 0, 0],
        [1, 0, 1, 0, 1, 2, 0, 0],
    ]
)
#: Where the loss puts the vertices: two opposite points.
SIDES = (1, -1, -1, 1, 1, -1, 1, -1)
#: A multiple of the second eigenvector, roughly, its eigenvalue, and one that is below the third.
NEAR = (40, -190, -373, -40, 559, -375, 575, -196)
SECOND, BELOW_THIRD = Rational(468, 1000), Rational(79, 100)
#: Below the second eigenvalue of the slack.
ROOM = Rational(53, 1000)


def edges_in_words(graph: Graph) -> str:
    """The edges of a symmetric graph by their weights: ``1-2 and 2-3 with the weight 1``."""
    names = range(graph.size)
    pairs = [(a, b) for a in names for b in names if a < b and graph.weights[a, b] != 0]
    of_weight = []
    for weight in sorted({graph.weights[e] for e in pairs}):
        joined = [f"{a + 1}-{b + 1}" for a, b in pairs if graph.weights[a, b] == weight]
        of_weight.append(f"{listed(joined)} with the weight {weight}")
    return ", ".join(of_weight)


def first_order(graph: Graph) -> Matrix:
    """What the loss is in 1/tau, to first order: tr(Z' M Z)."""
    size = graph.size
    alike = (size * eye(size) - ones(size, size)) / (size - 1)
    return Matrix(graph.transitions.symmetrised.laplacian) - alike


def negative_and_zero(matrix: Matrix) -> tuple[Expr, Expr]:
    """How many eigenvalues are negative, and how many zero, by elimination."""
    counts = inertia(matrix.tolist())
    return Integer(counts[1]), Integer(counts[2])


def state_partition_differs(proof: Derivation) -> dict[str, Quantity]:
    """Record both partitions, and from which temperature on the loss has the one."""
    _state_sides(proof)
    _state_signs(proof)
    spectral = [1 if v * NEAR[0] > 0 else -1 for v in NEAR]
    return {
        "clusters_of_loss": Quantity(
            list(SIDES),
            r"\mathrm{sides}(Z)",
            "sides of eight objects in every minimiser at high temperatures, with the edges "
            f"{edges_in_words(WITNESS)}",
        ),
        "clusters_of_laplacian": Quantity(
            spectral,
            r"\mathrm{sign}(v_2)",
            "signs of the entries of the second eigenvector of every Laplacian of the same graph",
        ),
        "tau_sides": Quantity(
            _tau_sides(),
            r"\tau_{\mathrm{sides}}",
            "temperature above which, in every minimiser, the inner product of two objects has "
            "the sign of the product of their sides",
        ),
    }


def _tau_sides() -> Expr:
    return Rational(WITNESS.size**2, 4) / ROOM


def _state_sides(proof: Derivation) -> None:
    """The loss, to first order and with what is left out."""
    size, x = WITNESS.size, Matrix(SIDES)
    M = first_order(WITNESS)
    multiplier = diag(*[x[v] * (M * x)[v] for v in range(size)])
    slack = M - multiplier
    away = slack - ROOM * (eye(size) - x * x.T / size)
    negative, none = negative_and_zero(away)
    proof.equal(
        "To first order in 1/tau, two opposite points are the only minimiser among unit vectors",
        {"negative_eigenvalues": (negative, 0), "zero_eigenvalues": (none, 1)},
        f"for the graph with the edges {edges_in_words(WITNESS)}. "
        "M - diag(y), with the y that make it vanish on the sides x, has all other eigenvalues "
        f"above {ROOM}: so tr(Z'MZ) exceeds its value at two opposite points by at least {ROOM} "
        "times 8 - x'ZZ'x/8; the counts are of eigenvalues after subtracting this number",
        NUMBERS,
    )
    proof.equal(
        "For tau > tau_sides the remainder does not change the side of any vertex",
        {"bound_of_one_pair": (Rational(size**2, 4) / (_tau_sides() * ROOM), 1)},
        "at a minimiser of the loss tr(Z'MZ) exceeds its minimum by at most n/(2 tau), so the sum "
        "of 1 - x_i x_j <Z_i, Z_j> over all i and j is at most n^2/(2 tau) divided by the gap of "
        "the step before, and the term of one pair, which occurs twice, is at most half of it: "
        "below 1 for tau > tau_sides, so <Z_i, Z_j> has the sign of x_i x_j",
        NUMBERS,
    )


def _state_signs(proof: Derivation) -> None:
    """The second eigenvector of the Laplacian."""
    size = WITNESS.size
    L = Matrix(WITNESS.transitions.laplacian)
    v = Matrix(NEAR) - ones(size, 1) * Rational(sum(NEAR), size)
    left = L * v - SECOND * v
    below = negative_and_zero(L - BELOW_THIRD * eye(size))
    distance = BELOW_THIRD - SECOND
    proof.equal(
        "The second eigenvector of the Laplacian has different signs",
        {
            "eigenvalues_below": (below[0], 2),
            "eigenvalues_at": (below[1], 0),
            "sum_of_entries": (sum(v, S.Zero), 0),
        },
        f"two eigenvalues are below {BELOW_THIRD}, zero and the second. A vector v orthogonal to "
        "the constant vector, with L v = s v + r, differs from a multiple of the second "
        "eigenvector by at most |r| over the distance of s from the other eigenvalues, which is "
        "less than its smallest entry: so both have the same signs, and the fourth object is on "
        "the other side than in the loss",
        NUMBERS,
        also=[gt(min(e**2 for e in v), (left.T * left)[0] / distance**2)],
    )
