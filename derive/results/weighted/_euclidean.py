"""Squared distances compared with squared distances: what the results on it share.

The loss asks for the squared distances of the data up to a constant off the diagonal, which adds
its half to all eigenvalues of the centred Gram matrix. So the optimum has the principal components
of the data, all of them; or in fewer dimensions, where the least eigenvalues are equal, the first
ones with that eigenvalue taken off.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import fmpq_mat
from sympy import Eq, Expr, Ge, Integer, Lt, S, Symbol, oo
from sympy.core.symbol import Str

from ...decide.ball import Enclosures, enclosure, precision
from ...decide.domain import Domain, Range, between
from ...decide.evidence import Evidence, Grade, Holds, Outcome, Refuted, Undecided
from ...decide.present import solve_linear, tidy
from ...optimum.value import Digits, Handle
from ...proof.derivation import Derivation
from ...proof.lemmas import RANK
from ...proof.relations import eq, gt
from ...proof.statement import Statement
from ...theorem.quantity import Quantity
from ...vectors.distance import Dissimilarity, Euclidean, zero
from ._components import components
from ._descent import euclidean_loss, lowest, rounded
from ._geometry import GIBBS, NOWHERE
from ._of_points import MOST_ROWS, InBalls, Weights, q

mu = Symbol("mu", nonnegative=True)
mu_min = Symbol("mu_min", nonnegative=True)
MEANINGS = {
    q: "dimension of the embeddings",
    mu: "an eigenvalue of the centred Gram matrix of the data",
    mu_min: "the least of its n - 1 eigenvalues beside the vector of ones",
}
SPECTRUM = {mu: Range(S.Zero, low_open=False), mu_min: between(0, mu)}
#: Bits at which sums over components are compared with entries.
BITS = 256
#: Embeddings are optimised for up to so many points.
MOST_OPTIMISED = 40

#: Entries of matrices.
REAL = Range(-oo, oo)

Points = Sequence[Sequence[Expr]]
ATTAINED = "whether the bound is attained in q dimensions"


def of_one_pair(squared: Expr, what: str, domain: Domain, proof: Derivation) -> dict[str, Quantity]:
    """What holds for all data: of one pair, and of one principal component."""
    wanted, c = Symbol("d_z", real=True), Symbol("c", real=True)
    proof.holds(
        "The bound is attained iff similarities are log-weights up to a constant",
        eq(-wanted, -squared - c),
        GIBBS,
        domain.with_range(c, REAL, 0),
        names={wanted: squared + c},
    )
    shift = solve_linear(mu_min + c / 2, c)
    proof.holds(
        "A constant c adds c/2 to every eigenvalue of the centred Gram matrix",
        eq("shrunk", (mu + c / 2).xreplace({c: shift})),
        "-J (E - I) J/2 = J/2; to lower the rank the least eigenvalues, being equal, must vanish",
        domain,
        names={Symbol("shrunk"): mu - mu_min},
    )
    return {
        "squared_distance": Quantity(
            squared,
            r"\lVert z_i - z_j \rVert^2",
            f"optimal squared distance of two embeddings, {what}: in as many dimensions as the "
            "data span, or more; no other in n - 2 dimensions or fewer",
        ),
        "shrunk": Quantity(
            tidy(mu + shift / 2),
            r"\mu^\star",
            "eigenvalue at the optimum where the data span n - 1 dimensions, more than q, and the "
            "n - 1 - q least eigenvalues are all mu_min: principal components, but shorter",
        ),
    }


def between_rows(rows: Points, scale: Expr) -> Dissimilarity:
    """Squared distances of all pairs of rows, scaled."""
    n = range(len(rows))
    found = [[S.Zero for _ in n] for _ in n]
    for i in n:
        for j in range(i):
            pairs = zip(rows[i], rows[j], strict=True)
            found[i][j] = found[j][i] = scale * sum(((a - b) ** 2 for a, b in pairs), S.Zero)
    return Dissimilarity(found)


# --- for given data --------------------------------------------------------------------------
def of_distances(
    D: Dissimilarity, fixed: Mapping[Symbol, Expr], data: str, proof: Derivation
) -> dict[str, Quantity]:
    """The optimum for squared distances D, which are those of points."""
    n, r = D.size, D.dimension_with(S.Zero)
    assert r is not None
    least = Euclidean(D, 1).dimension
    proof.add(
        f"The {data} span r dimensions",
        Spans(eq("r", Integer(r)), NOWHERE, D),
        RANK,
    )
    values = tuple(reversed(D.eigenvalues))[:r]
    found = {
        "dimension": Quantity(Integer(r), "r", f"dimension that the {data} span"),
        "min_dimension": Quantity(
            Integer(least), r"q_{\min}", "least dimension in which the bound is attained"
        ),
    }
    if r:
        found["eigenvalues"] = Quantity(
            list(values),
            r"\mu_k",
            "eigenvalues of the centred Gram matrix that are not zero: the squared lengths of the "
            "principal components",
        )
    if q not in fixed:
        found["attained"] = Quantity(
            Ge(q, Integer(least), evaluate=False), r"\text{attained}", ATTAINED
        )
        return found | optimum(D, S.Zero, r, proof)
    size = int(fixed[q])
    verdict = Euclidean(D, size)
    shown = (Ge if verdict.attained else Lt)(Symbol("q"), Integer(least), evaluate=False)
    proof.add(
        f"In q = {size}: {verdict.reason}",
        InDimensions(shown, NOWHERE, D, size),
        "a constant c adds c/2 to all n - 1 eigenvalues; those that are left must be q at most, "
        "and none below zero",
    )
    found["attained"] = Quantity(verdict.attained, r"\text{attained}", ATTAINED)
    if verdict.attained and verdict.c is not None:
        found["unique"] = Quantity(
            verdict.unique,
            r"\text{unique}",
            "whether the bound is attained by one embedding only, up to isometry",
        )
        found["c"] = Quantity(
            verdict.c, "c", "constant that is added to all squared distances; 0 where that will do"
        )
        found |= optimum(D, verdict.c, size, proof)
        found["gap"] = Quantity(
            S.Zero, r"\Delta", "least loss in q dimensions, minus the entropic bound"
        )
    if size < r and n <= MOST_OPTIMISED:
        found |= against_components(D, size, bool(verdict.attained), proof)
    return found


def optimum(D: Dissimilarity, c: Expr, size: int, proof: Derivation) -> dict[str, Quantity]:
    """Principal components, and squared distances, at the constant."""
    n = D.size
    if n > MOST_ROWS:
        return {}
    found = {
        "squared_distances": Quantity(
            [list(row) for row in D.with_constant(c)],
            r"\lVert z_i - z_j \rVert^2",
            "squared distances of all pairs at the optimum",
        )
    }
    parts = components(D, -c / 2, size) if size else None
    if parts is None:
        return found
    columns = [part.coordinates() for part in parts]
    columns += [[S.Zero] * n for _ in range(size - len(columns))]
    rows = tuple(tuple(column[i] for column in columns) for i in range(n))
    proof.add(
        "Principal components have these squared distances",
        PutBack(eq("d_z", Symbol("d") + c), NOWHERE, D, rows),
        "put back: inner products of the rows, and of the columns",
    )
    found["embedding"] = Quantity(
        [list(row) for row in rows],
        "Z",
        "an optimal embedding, a row for each point: principal components, the largest first",
    )
    return found


def against_components(
    D: Dissimilarity, size: int, attained: bool, proof: Derivation
) -> dict[str, Quantity]:
    """What the first q principal components, as they are, lose; and something better."""
    parts = components(D, S.Zero, size)
    if parts is None:
        return {}
    columns = [part.coordinates() for part in parts]
    rows = [[column[i] for column in columns] for i in range(D.size)]
    weights = Weights([[-e for e in row] for row in D.entries])
    of_components = LossOf(weights, rows).gap
    found = {
        "pca_gap": Quantity(
            of_components,
            r"\Delta_{\mathrm{PCA}}",
            "loss of the first q principal components, minus the entropic bound",
        )
    }
    if attained:
        proof.add(
            "The first q principal components, as they are, do not attain it",
            InBalls(gt("pca_gap", S.Zero), NOWHERE, names={Symbol("pca_gap"): of_components}),
            "their loss minus the bound",
        )
        return found
    start = np.array([[float(e) for e in row] for row in rows])
    logs = np.array([[float(e) for e in row] for row in weights.log])
    better = rounded(lowest(euclidean_loss(logs), start))
    at_most = LossOf(weights, better).gap
    found["gap_at_most"] = Quantity(
        at_most,
        r"\bar\Delta",
        "loss of an embedding in q dimensions that was written down, minus the entropic bound: "
        "the best attainable gap is no larger",
    )
    if enclosure(of_components - at_most, BITS) > 0:
        names = {Symbol("pca_gap"): of_components, Symbol("gap_at_most"): at_most}
        proof.add(
            "The first q principal components are not optimal: another embedding has less loss",
            InBalls(gt("pca_gap", Symbol("gap_at_most")), NOWHERE, names=names),
            "both losses at coordinates that were written down",
        )
    return found


class LossOf:
    """The loss of points, minus the bound, with minus the squared distance as similarity."""

    def __init__(self, weights: Weights, rows: Points):
        self.weights, self.rows = weights, rows

    @property
    def gap(self) -> Expr:
        """That, as a number."""
        return Digits(Handle(self, "gap of an embedding"), Str("gap"), Str(""))

    def ball(self, kind: str, name: str, bits: int) -> Any:
        """A ball around it."""
        with precision(bits + 64):
            of = Enclosures(bits + 64, {})
            rows = [[of(e) for e in row] for row in self.rows]

            def similarity(i: int, j: int) -> Any:
                pairs = zip(rows[i], rows[j], strict=True)
                return -sum(((a - b) * (a - b) for a, b in pairs), of(S.Zero))

            return self.weights.gap_of(similarity, bits + 64)


# --- statements ------------------------------------------------------------------------------
@dataclass(frozen=True, eq=False)
class Spans(Statement):
    """``r = k``: the rank of the inner products as seen from the last point."""

    D: Dissimilarity

    def decide(self) -> Outcome:
        """Whether it is that, by elimination."""
        if not isinstance(self.shown, Eq) or self.shown.args[0] != Symbol("r"):
            return Undecided("what is shown is no dimension")
        d = self.D.fractions
        if d is None:
            known = self.D.dimension_with(S.Zero)
            how = "eigenvalues of the centred Gram matrix"
        else:
            n = self.D.size
            flat = [d[i, n - 1] + d[j, n - 1] - d[i, j] for i in range(n - 1) for j in range(n - 1)]
            known = fmpq_mat(n - 1, n - 1, flat).rank()
            how = "elimination of the inner products as seen from one point"
        if known == self.shown.args[1]:
            return Holds(Evidence(Grade.EXACT, how))
        return Refuted({}, f"they span {known}")


@dataclass(frozen=True, eq=False)
class InDimensions(Statement):
    """``q >= k`` or ``q < k``: k is the least dimension in which D + c holds for some c."""

    D: Dissimilarity
    size: int

    def decide(self) -> Outcome:
        """Whether k is that, and q so."""
        if not isinstance(self.shown, (Ge, Lt)) or self.shown.args[0] != Symbol("q"):
            return Undecided("what is shown is no comparison of dimensions")
        least, verdict = self.shown.args[1], Euclidean(self.D, self.size)
        if least != verdict.dimension:
            return Refuted({}, f"it is {verdict.dimension}")
        enough = isinstance(self.shown, Ge)
        if enough == bool(verdict.attained) == bool(self.size >= least):
            return Holds(Evidence(Grade.EXACT, "eigenvalues and multiplicities, by algebra"))
        return Refuted({}, verdict.reason)


@dataclass(frozen=True, eq=False)
class PutBack(Statement):
    """``d_z = d + c`` for all pairs of rows: squared distances, and columns are orthogonal."""

    D: Dissimilarity
    rows: Points

    def decide(self) -> Outcome:
        """Whether they are: exactly where entries are roots of fractions, else in balls."""
        if not isinstance(self.shown, Eq):
            return Undecided("what is shown is no equation")
        c = self.shown.args[1] - Symbol("d")
        n, k = len(self.rows), range(len(self.rows[0]))
        off = [
            sum(((a - b) ** 2 for a, b in zip(self.rows[i], self.rows[j], strict=True)), S.Zero)
            - self.D.entries[i][j]
            - c
            for i in range(n)
            for j in range(i)
        ]
        off += [sum((row[a] * row[b] for row in self.rows), S.Zero) for a in k for b in range(a)]
        if not any(e.has(Digits) for e in off):
            right = all(zero(e.expand()) for e in off)
            how = "sums of products of square roots"
            return Holds(Evidence(Grade.EXACT, how)) if right else Refuted({}, "it is not so")
        with precision(BITS):
            of = Enclosures(BITS, {})
            balls = [of(e) for e in off]
            narrow = all(b.contains(0) and b.rad() < 2 ** (-BITS // 2) for b in balls)
        how = f"balls of all differences hold zero and are narrower than 2^-{BITS // 2}"
        return Holds(Evidence(Grade.INTERVAL, how)) if narrow else Refuted({}, "it is not so")
