"""What the results about distance geometry share: inferences in words, and what is put back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from flint import arb, fmpq
from sympy import Eq, Expr, Integer, Rational, S, Symbol, Tuple, oo

from ...decide.ball import Enclosures, TooWide, enclosure, precision
from ...decide.domain import POSITIVE, Domain, Range, at_least
from ...decide.evidence import Evidence, Grade, Holds, Outcome, Refuted, Undecided
from ...proof.derivation import Derivation
from ...proof.relations import ge, gt, lt
from ...proof.statement import Lemma, Statement
from ...structures.scheme import complete
from ...theorem.listed import ListOf
from ...theorem.quantity import Quantity
from ...vectors.algebraic import as_flint, as_sympy, exact_fraction
from ...vectors.coordinates import Rows, inertia
from ...vectors.distance import Dissimilarity, Euclidean, zero
from .._for_data import NUMBERS
from ._geometry import GIBBS
from ._weights import q

n = Symbol("n", integer=True, positive=True)
k = Symbol("k", integer=True, positive=True)
mu, c, d = (Symbol(x, real=True) for x in ("mu", "c", "d"))
MEANINGS = {q: "dimensions of the embedding"}
DISSIMILARITIES = ListOf(
    "D",
    Range(-oo),
    "dissimilarities of all pairs, in rows; the diagonal is not used",
    rows=True,
)

SCHOENBERG = Lemma(
    "centred Gram matrix",
    statement=r"Let $D$ be symmetric with zero diagonal, and $B = -\tfrac12 J D J$ with $J = I - "
    r"\tfrac1n E$. There are points with $\|z_i - z_j\|^2 = d_{ij}$ iff $B$ is positive "
    r"semidefinite. Their affine hull then has the dimension $\operatorname{rank} B$, and they "
    r"are unique up to isometry.",
    proof=r"$d_{ij} = b_{ii} + b_{jj} - 2 b_{ij}$ are the squared distances of vectors with the "
    r"Gram matrix $B$; and $B$ is the Gram matrix of points with these distances and centroid $0$.",
)
COPIES = Lemma(
    "an eigenvalue and its copies",
    statement=r"If $D + c\,(E - I)$ with $c \ne 0$ holds the squared distances of points in $q < "
    r"n - 1$ dimensions, $-c/2$ is an eigenvalue of $-\tfrac12 J D J$ with multiplicity at least "
    r"$n - 1 - q$, so $\operatorname{rank} J D J \ge n - 1 - q$.",
    proof=r"At least $n - 1 - q$ of the $n - 1$ eigenvalues of the centred Gram matrix with $c$ "
    r"vanish, and each is one without $c$, plus $c/2$.",
)
TRACE = Lemma(
    "a trace of zero",
    statement=r"If $D + c\,(E - I)$ with $c > 0$ holds the squared distances of points in $q < n "
    r"- 1$ dimensions, $D$ has at least $n - 1 - q$ eigenvalues $\ge c$ and one that is negative, "
    r"so $\operatorname{rank} D \ge n - q$.",
    proof=r"$x^\top D x = c\,\|x\|^2$ on the eigenspace of $-\tfrac12 J D J$ of $-c/2$; "
    r"Courant--Fischer. The diagonal of $D$ is zero, and so is the sum of its eigenvalues.",
)
PERRON = Lemma(
    "a largest eigenvalue",
    statement=r"If moreover $D \ge 0$ and $n > q + 2$, two eigenvalues of $D$ are negative, so "
    r"$\operatorname{rank} D \ge n - q + 1$.",
    proof=r"No eigenvalue is larger in absolute value than the largest, $P$ (Perron--Frobenius). "
    r"One negative eigenvalue would be minus the sum of the positive ones, $P + (n - 2 - q)\,c > "
    r"P$ or more in absolute value.",
)
FULL = Lemma(
    "points of full dimension",
    statement=r"If $D + c\,(E - I)$ with $c < 0$ holds squared distances of points, $D$ holds "
    r"those of points in $n - 1$ dimensions, and $\operatorname{rank} D = n$. So it does if $D$ "
    r"is a Euclidean distance matrix and a constant other than $0$ is needed in $q < n - 1$ "
    r"dimensions.",
    proof=r"All eigenvalues of $-\tfrac12 J D J$ beside that of the vector of ones are then at "
    r"least $-c/2 > 0$: $D$ is negative definite on $n - 1$ dimensions, and its trace is zero.",
)

#: What is put back: the squared distance of two points, their cosine, and the entry of D.
DISTANCE, COSINE, ENTRY = (Symbol(x) for x in ("d_z", "cos", "d"))
#: Points that are verified by substitution, and eigenvalues that are checked one by one.
SHOWN_POINTS, SHOWN_VALUES = 8, 16
#: How far from a value others are looked for, and how near to it points are put back.
BESIDE, NEAR = Rational(1, 2**60), 100


def shift(proof: Derivation) -> None:
    """What a constant does to the eigenvalues."""
    line = Domain({mu: Range(-oo), c: Range(-oo), n: at_least(2)}, {mu: -1, c: 2, n: 3})
    added = complete(n, "other", "contrasts").eigenvalue("contrasts", {"self": S.Zero, "other": c})
    proof.equal(
        "Adding c to all off-diagonal entries of D adds c/2 to every eigenvalue mu of "
        "-J D J/2 on vectors of sum zero",
        {"mu_with_c": (mu - added / 2, mu + c / 2)},
        "the matrix with zero diagonal and all other entries c maps a vector x of sum zero to -c x",
        line,
    )


def plane(*more: tuple[Symbol, Range, int]) -> Domain:
    """Dimensions, and other counts."""
    ranges, witness = {q: at_least(1)}, {q: Integer(2)}
    for s, allowed, at in more:
        ranges[s], witness[s] = allowed, Integer(at)
    return Domain(ranges, witness)


def fewest(least: Expr, most: Expr) -> Expr:
    """The fewest points with which ``least``, which is n and a number, is more than ``most``."""
    return most - (least - n) + 1


def enough_points(
    proof: Derivation, natural: str, excluded: str, most: Expr, says: str
) -> tuple[Expr, Expr, Expr]:
    """From how many points on a rank of D up to ``most`` forces the constant that is natural.

    For any D, for D >= 0 and for squared distances of points.
    """
    r, rho = (Symbol(x, integer=True, positive=True) for x in ("r", "rho"))
    c, top = (Symbol(x, positive=True) for x in ("c", "P"))
    proof.holds(
        f"If n > rank(J D J) + q + 1, then {natural}",
        gt(n - 1 - q, r),
        COPIES,
        plane((r, at_least(1), 4), (n, Range(r + q + 2, low_open=False, integer=True), 9)),
    )
    many = Range(rho + q + 1, low_open=False, integer=True)
    proof.holds(
        f"If n > rank(D) + q, then {excluded} is impossible",
        gt((n - 1 - q) + 1, rho),
        TRACE,
        plane((rho, at_least(1), 4), (n, many, 7)),
    )
    of_paper = plane((n, Range(q + 3, low_open=False, integer=True), 6))
    proof.holds(
        "If D >= 0 entrywise, c > 0 and n > q + 2, then D has at least two negative eigenvalues",
        gt(top + (n - 1 - q - 1) * c, top),
        PERRON,
        of_paper.with_range(c, POSITIVE, 1).with_range(top, POSITIVE, 3),
    )
    # What the rank of D is at least with another constant: by copies and trace; with D >= 0; full.
    ranks = ((n - 1 - q) + 1, (n - 1 - q) + 2, n)
    points, nonnegative, edm = (fewest(rank, most) for rank in ranks)
    proof.holds(
        f"If rank(D) <= {most} and n >= n_0, then {natural}; each of the three n_0 is "
        f"below {says}: for any D, for D >= 0, and for a Euclidean distance matrix D",
        [
            gt(rank.xreplace({n: m}), most)
            for rank, m in zip(ranks, (points, nonnegative, edm), strict=True)
        ],
        FULL,
        plane(),
    )
    return points, nonnegative, edm


def points_needed(
    points: Expr, nonnegative: Expr, edm: Expr, implies: str, attained: str
) -> dict[str, Quantity]:
    """These numbers as quantities; ``attained`` says what the bound is attained by."""

    def least(number: Expr, symbol: str, which: str = "") -> Quantity:
        return Quantity(number, symbol, f"n_0 such that {implies} for n >= n_0{which}")

    return {
        "points": least(points, "n_0", f"; D has the entries d_ij, and the bound is {attained}"),
        "points_nonnegative": least(nonnegative, r"n_0^{\ge 0}", ", if D >= 0"),
        "points_edm": least(
            edm, r"n_0^{\mathrm{EDM}}", ", if D is a Euclidean distance matrix of any dimension"
        ),
    }


# --- for a matrix ------------------------------------------------------------------------------
class Eigenvalues(Statement):
    """Rows ``(eigenvalue, multiplicity)`` of the centred Gram matrix beside ones, in order.

    Checked without the characteristic polynomial that they come from: by elimination a little
    below and above each, and at those that are fractions.
    """

    distances: Dissimilarity

    def decide(self) -> Outcome:
        """Whether they are."""
        rows = [(e.args[0], e.args[1]) for e in self.shown.args if isinstance(e, Tuple)]
        exact, scale = self.distances.centred_fractions, self.distances.scale
        if len(rows) != len(self.shown.args):
            return Undecided("no eigenvalues are stated")
        below = 0
        for value, count in rows:
            with precision(256):
                at = exact_fraction((enclosure(value, 256) / enclosure(scale, 256)).mid())
            step = as_flint(BESIDE) * (abs(at) + 1)
            if self._around(exact, at - step)[0] != below:
                return Refuted(note=f"{below} eigenvalues are not below {value}")
            below += int(count)
            if self._around(exact, at + step)[0] != below:
                return Refuted(note=f"{value} does not have multiplicity {count}")
            ratio = value / scale
            if ratio.is_Rational and self._around(exact, as_flint(ratio))[1] != count:
                return Refuted(note=f"{value} does not have multiplicity {count}")
        if below != self.distances.size - 1:
            return Refuted(note=f"they are {below}, not n - 1")
        return Holds(Evidence(Grade.EXACT, "inertia beside each eigenvalue, by elimination"))

    def _around(self, exact: list[list[fmpq]], at: fmpq) -> tuple[int, int]:
        """Eigenvalues below a number and at it, that of ones left out."""
        rows = (
            tuple(as_sympy(e - at if i == j else e) for j, e in enumerate(row))
            for i, row in enumerate(exact)
        )
        found = inertia(tuple(rows))
        return found[1] - (at > 0), found[2] - (at == 0)


def signs_of_sphere(distances: Dissimilarity, radius: Expr) -> tuple[int, int, int]:
    """How many eigenvalues of 2 rho^2 E - D are > 0, < 0 and 0; D is of fractions of one number.

    None is negative iff the points of D lie in a ball of this radius. As many are positive as the
    points have dimensions iff they lie on its sphere, and one more if the radius is larger.
    """
    d, n = distances.fractions, range(distances.size)
    beta = (2 * radius**2 / distances.scale).expand()
    return inertia(tuple(tuple(beta - as_sympy(d[i, j]) * int(i != j) for j in n) for i in n))


def squared_distance(one: Sequence[Expr], other: Sequence[Expr]) -> Expr:
    """Of two rows of coordinates."""
    return sum(((a - b) ** 2 for a, b in zip(one, other, strict=True)), S.Zero).expand()


def inner_product(one: Sequence[Expr], other: Sequence[Expr]) -> Expr:
    """Of two rows of coordinates."""
    return sum((a * b for a, b in zip(one, other, strict=True)), S.Zero).expand()


class Placed(Statement):
    """``d_z = d + c`` for the squared distances of rows, ``cos = c' - tau d`` for unit vectors.

    The right side is any expression in ``d``, the entry of D.
    """

    D: Dissimilarity
    rows: Rows

    def decide(self) -> Outcome:
        """Whether it is so for all pairs: by algebra where points are few, else in balls."""
        if type(self.shown) is not Eq or self.shown.args[0] not in (DISTANCE, COSINE):
            return Undecided("the statement is not about distances or cosines")
        exactly, bits = len(self.rows) <= SHOWN_POINTS, NEAR + 64
        with precision(bits):
            of = Enclosures(bits, {})
            for what, found, wanted in self._pairs(*self.shown.args):
                gap = found - wanted
                if gap.is_Rational and gap == 0:
                    continue
                try:
                    ball = of(gap)
                except TooWide:
                    return Undecided(f"the balls of {what} are too wide")
                if not ball.contains(0):
                    return Refuted(note=f"{what} are misplaced")
                if not ball.abs_upper() < arb(2) ** -NEAR * (1 + abs(of(wanted))):
                    return Undecided(f"{what} are known to too few digits")
                exactly = exactly and zero(gap)
        if exactly:
            return Holds(Evidence(Grade.EXACT, "verified by substitution"))
        how = f"verified by substitution in ball arithmetic, to {NEAR} bits"
        return Holds(Evidence(Grade.INTERVAL, how))

    def _pairs(self, name: Symbol, right: Expr) -> Iterator[tuple[str, Expr, Expr]]:
        """Pairs of points, with what is found and what is wanted."""
        of = squared_distance if name == DISTANCE else inner_product
        for i, row in enumerate(self.rows):
            for j, other in enumerate(self.rows[:i]):
                wanted = right.xreplace({ENTRY: self.D.entries[i][j]})
                yield f"points {i + 1} and {j + 1}", of(row, other), wanted
            if name == COSINE:
                yield f"point {i + 1} and itself", of(row, row), S.One


def state_copies(verdict: Euclidean, proof: Derivation) -> None:
    """Whether D + c holds the squared distances of points in q dimensions, for some c."""
    need = verdict.distances.size - 1 - verdict.q
    copies = Symbol("copies")
    proof.holds(
        "The bound is attained, as the smallest eigenvalue of the centred Gram matrix has "
        "multiplicity at least n - 1 - q"
        if verdict.attained
        else "The bound is not attained, as the multiplicity of the smallest eigenvalue of the "
        "centred Gram matrix is below n - 1 - q",
        ge(copies, need) if verdict.attained else lt(copies, need),
        GIBBS,
        NUMBERS,
        names={copies: Integer(verdict.distances.multiplicity)},
    )


def spectrum(distances: Dissimilarity, proof: Derivation) -> dict[str, Quantity]:
    """The eigenvalues of the centred Gram matrix, and what is known from them."""
    if distances.size <= SHOWN_VALUES:
        rows = Tuple(
            *(Tuple(e, Integer(many)) for e, many in Counter(distances.eigenvalues).items())
        )
        proof.add(
            "Each row is an eigenvalue of the centred Gram matrix -J D J/2 on vectors of sum zero, "
            "and its multiplicity",
            Eigenvalues(rows, NUMBERS, distances),
            "they are the roots of its characteristic polynomial, which has rational coefficients",
        )
    return {
        "eigenvalues": Quantity(
            list(distances.eigenvalues),
            r"\mu_1 \le \dots \le \mu_{n-1}",
            "eigenvalues of the centred Gram matrix -J D J/2 on vectors of sum zero",
        ),
        "most_negative": Quantity(
            distances.least,
            r"\mu_1",
            "smallest of these eigenvalues; D is a Euclidean distance matrix iff it is "
            "not negative",
        ),
        "is_edm": Quantity(
            distances.is_edm,
            r"\text{is\_edm}",
            "whether D is a Euclidean distance matrix, with no constant added",
        ),
        "rank": Quantity(
            Integer(distances.fractions.rank()),
            r"\operatorname{rank} D",
            "rank of D with its diagonal set to zero",
        ),
        "rank_centred": Quantity(
            Integer(sum(not zero(e) for e in distances.eigenvalues)),
            r"\operatorname{rank} J D J",
            "rank of the centred Gram matrix; if n > rank + q + 1, no constant other than "
            "c = 0 is possible",
        ),
    }
