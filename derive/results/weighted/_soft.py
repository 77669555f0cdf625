"""Soft SupCon on classes of one size: the steps that lead to its optimum at every temperature.

The loss is a mean of cross-entropies of weights and softmax probabilities, so nothing is below the
value where these agree: at cosines that are tau times the logarithm of the weights, up to one
number that is added to all of them. Points with these cosines exist up to the temperature at which
they are a simplex; from there on the simplex is optimal.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sympy import Add, Expr, Ge, Rational, S, Symbol, Tuple, exp, log, powsimp

from ...decide.calculus import derivative
from ...decide.domain import Domain, Range, between
from ...decide.equal import equal
from ...decide.present import tidy
from ...losses.labels import SOFT_SUPCON, epsilon
from ...losses.softmax import tau
from ...optimum.edge import Edge, edge
from ...optimum.reduce import Inner, ReducedLoss
from ...optimum.threshold import Criterion, Threshold, threshold
from ...optimum.vertex import UniqueGram, Vertex, vertex
from ...problems.problem import Problem
from ...proof.derivation import Derivation
from ...proof.lemmas import STRICT_ROWS
from ...proof.relations import eq, ge, gt, le
from ...proof.statement import Relations
from ...structures.hierarchy import n
from ...theorem.quantity import Quantity
from ._labels import BALANCED, SIZES, C

WEIGHTS = between(
    0, 1, "()", "at 1 all pairs weigh the same, and at 0 the loss is that of supcon-balanced"
)
BEYOND = "for larger tau no unit vectors have this cosine"
DOMAIN = SIZES.with_range(epsilon, WEIGHTS, Rational(1, 10))
PROBLEM = Problem(SOFT_SUPCON, BALANCED, DOMAIN)
#: The weight of a pair of two classes is exp(-lambda).
rate = Symbol("lambda", positive=True)
#: The part of each kind of anchor, and its loss.
Rows = Iterable[tuple[Expr, ReducedLoss]]
#: A number that is added to all inner products of two vectors.
shift = Symbol("c", real=True)


def in_rate(e: Expr) -> Expr:
    """An expression in the rate instead of the weight."""
    return e.xreplace({epsilon: exp(-rate)})


def in_weight(e: Expr) -> Expr:
    """An expression in the weight instead of the rate."""
    return e.xreplace({rate: -log(epsilon)})


class Soft:
    """The optimum for C classes of n samples, every step recorded.

    Attributes
    ----------
    simplex
        The pure structure of the classes: optimal from the critical temperature on.
    critical
        That temperature.
    towards
        The edge from equal vectors to the simplex.
    place
        How far on it the weights are met, in the rate.
    beta
        The cosine of two classes there, in the rate.
    most
        The most that can be taken from all inner products of two vectors there, in the rate.
    """

    def __init__(self, proof: Derivation):
        self.proof = proof
        self.simplex: Vertex = vertex(PROBLEM, "classes", proof)
        assert isinstance(self.simplex.reduced, ReducedLoss)
        self.reduced = self.simplex.reduced
        self.critical = self._critical()
        self.towards: Edge = edge(
            self.simplex.reduced, ("mean", "classes"), proof, DOMAIN, coordinate="cross_class"
        )
        self.place = self._place()
        self.beta = self.inner["cross_class"]
        #: the rate for which a temperature is critical: the critical one falls with the rate
        self.border = tidy(in_rate(self.critical.value) * rate / tau)
        sizes = DOMAIN.restricted((C, n, tau))
        at = sizes.witness_of(self.border)
        self.below = sizes.with_range(rate, between(0, self.border, "(]"), at / 2)
        self.above = sizes.with_range(rate, Range(self.border), at * 2)
        self._attained()
        self.most = self._shifts()
        spaces = {e.name: e.dimension for e in BALANCED.eigenspaces}
        #: one less than what a second optimum spans
        self.unique_up_to = tidy(spaces["samples"] + spaces["classes"] - 1)
        self._beyond()

    def _critical(self) -> Threshold:
        """Where the simplex starts to be optimal: its conditions all say the same."""
        name = Symbol("tau_critical")
        first, *rest = (
            threshold(
                replace(c.criterion, says="the regular simplex is optimal"), tau, DOMAIN, self.proof
            )
            for c in self.simplex.open.values()
        )
        self.proof.holds(
            "All optimality conditions of the simplex begin to hold at the same temperature",
            [eq(name, other.value) for other in rest],
            "",
            DOMAIN.restricted((C, epsilon)),
            names={name: first.value},
        )
        return first

    def _place(self) -> Expr:
        """How far on the edge from equal vectors the loss falls, in the rate."""
        x, length = self.towards.x, self.towards.segment.length
        inside = DOMAIN.with_range(x, between(0, length), DOMAIN.witness_of(length) / 2)
        says = "the loss does not decrease further along the edge"
        rises = Criterion(says, Ge(self.towards.slope, 0, evaluate=False))
        return tidy(in_rate(threshold(rises, x, inside, self.proof).value))

    @property
    def inner(self) -> dict[str, Expr]:
        """The inner products that meet the weights, in the rate."""
        at = {self.towards.x: self.place}
        return {r: e.xreplace(at) for r, e in self.towards.segment.inner.items()}

    def _attained(self) -> None:
        """Record that up to the critical temperature the weights are met, on the edge."""
        length = self.towards.segment.length
        self.proof.holds(
            "With epsilon = exp(-lambda): for tau up to the critical temperature, the "
            "point where softmax probabilities equal the weights lies on the edge",
            le(self.place, length),
            "its position is at most that of the far end, which is the simplex",
            self.below,
        )
        pulled = self.reduced.pair_gradient(self.inner)
        names = {Symbol(f"a_{r}"): in_rate(e) for r, e in pulled.items()}
        self.proof.holds(
            "At that point the gradient vanishes: the softmax probabilities equal the "
            "normalised weights",
            [eq(a, S.Zero) for a in names],
            "the derivative in an inner product is its softmax probability minus its "
            "weight; by convexity no Gram matrix has a smaller loss, so the entropic "
            "bound is attained",
            self.below,
            names=names,
        )
        state_entropy([(S.One, self.reduced)], self.inner, self.below, self.proof)

    def _shifts(self) -> Expr:
        """Record all optima there, and return by how much inner products can be lower."""
        moved = {r: e if r == "self" else e + shift for r, e in self.inner.items()}
        values = BALANCED.eigenvalues(moved)
        last = values["mean"]
        most = tidy(last.xreplace({shift: S.Zero}) / derivative(last, shift))
        free = self.below.with_range(shift, between(-1, 0), Rational(-1, 10))
        pulled = self.reduced.pair_gradient(moved)
        slopes = {Symbol(f"a_{r}"): in_rate(e) for r, e in pulled.items()}
        self.proof.add(
            "The gradient also vanishes if a number c is added to the inner products of "
            "all pairs, and every optimum for such a tau arises in this way",
            Relations(
                Tuple(*(eq(a, S.Zero) for a in slopes)),
                free,
                names=slopes,
                premises=(UniqueGram.from_loss(self.reduced, DOMAIN),),
                lemma=STRICT_ROWS,
            ),
            "rows of two optima differ by constants, and any two rows share an inner product",
        )
        least = Symbol("c_min")
        names = {Symbol(f"lambda_{e}"): value for e, value in values.items()}
        self.proof.holds(
            "Eigenvalues of the Gram matrix with c added; it is positive semidefinite for "
            "c_min <= c <= 0",
            [eq(name, tidy(value)) for name, value in names.items()],
            "the eigenvalue on contrasts of samples is -c, and those on the mean and on "
            "contrasts of classes are non-negative for c >= c_min",
            free,
            names=names,
        )
        self.proof.holds(
            "At c = c_min the eigenvalue on the mean vanishes and the others are non-negative",
            [
                eq(last.xreplace({shift: least}), S.Zero),
                *(ge(values[e].xreplace({shift: least}), S.Zero) for e in ("samples", "classes")),
                le(least, S.Zero),
            ],
            "with c < 0 the optimum has rank C n - 1 or more; so the optimum is unique "
            "iff c_min = 0, that is, at the critical temperature",
            self.below,
            names={least: -most},
        )
        return most

    def _beyond(self) -> None:
        """Record that beyond the critical temperature the simplex is the only optimum."""
        over = exp(self.border)
        gaps = {
            e: Add(*(powsimp(over * part) for part in Add.make_args(in_rate(c.expression))))
            for e, c in self.simplex.open.items()
        }
        self.proof.add(
            "Above the critical temperature the simplex is the only optimum: its "
            "optimality conditions, times positive factors, hold strictly",
            Relations(
                Tuple(*(gt(gap, S.Zero) for gap in gaps.values())),
                self.above,
                premises=(UniqueGram.from_loss(self.reduced, DOMAIN, self.simplex.inner),),
                lemma=STRICT_ROWS,
            ),
            "",
        )


def state_entropy(rows: Rows, inner: Inner, domain: Domain, proof: Derivation) -> None:
    """Record the loss where the weights, given by the rate, are met."""
    loss = Add(*(part * row.value(inner) for part, row in rows))
    found = in_rate(entropy(rows))
    proof.holds(
        "The loss at that point is the entropy of the normalised weights",
        eq("H", found),
        "",
        domain,
        names={Symbol("H"): found},
        premises=(equal(found, in_rate(loss), domain),),
    )


def entropy(rows: Rows) -> Expr:
    """The mean entropy of the shares that pairs have in the means over the positives."""
    total = S.Zero
    for part, row in rows:
        (term,) = row.loss.terms
        for r, share in term.shares(row.scheme).items():
            if share != 0:
                one = tidy(share / row.scheme.relation(r).count)
                total -= part * tidy(share) * log(one)
    return total


# --- quantities for classes of one size and of several ---------------------------------------
def beta_met(beta: Expr, attained: Domain | None) -> Quantity:
    """The cosine of two classes that meets the weights."""
    return Quantity(
        beta,
        r"\beta",
        "cosine of two classes at which softmax probabilities equal the weights",
        attained,
    )


def entropic_bound(value: Expr) -> Quantity:
    """The entropy of the weights."""
    meaning = "lower bound on the loss, attained iff tau <= tau_critical"
    return Quantity(value, "H(W)", meaning)


def unique_up_to(dimensions: Expr) -> Quantity:
    """Up to how many dimensions the optimum is unique at every temperature."""
    return Quantity(
        dimensions,
        r"q_{\max}",
        "largest dimension of the embeddings in which the Gram matrix of the optimum is unique at "
        "every tau; in more dimensions it is unique iff tau >= tau_critical",
    )
