"""Soft SupCon on classes of given sizes: the weights are met, or it is found at numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sympy import Expr, Ge, Integer, Rational, S, Symbol, log

from ...decide.digits import sign
from ...decide.domain import POSITIVE, Domain, DomainError, Range, at_least, between
from ...decide.present import tidy
from ...losses.labels import SOFT_SUPCON, epsilon
from ...losses.softmax import tau
from ...losses.supcl import CROSS_CLASS, SAME_CLASS
from ...optimum.blocks import BlockOptima, state_certificate, state_reduction
from ...optimum.threshold import Criterion, Threshold, threshold
from ...proof.derivation import Derivation
from ...proof.lemmas import ONLY_ONE_UNLESS_FREE
from ...proof.relations import eq, gt, lt
from ...proof.statement import Relations
from ...structures.hierarchy import hierarchy
from ...theorem.listed import ListOf
from ...theorem.measure import product
from ...theorem.quantity import Quantity
from .._for_data import Data
from .._pure import least_loss
from ._of_sizes import Sizes, cosines, numbers, optima, rank
from ._of_sizes import checked as two_or_more
from ._soft import (
    BEYOND,
    DOMAIN,
    beta_met,
    entropic_bound,
    entropy,
    in_rate,
    in_weight,
    rate,
    shift,
    state_entropy,
    unique_up_to,
)

SOFT_SIZES = ListOf("sizes", at_least(1), "samples in each class")
PARAMETERS = DOMAIN.restricted([epsilon, tau])
IN_RATE = Domain({tau: POSITIVE, rate: POSITIVE}, {tau: Rational(1, 2), rate: 2})


def checked(data: Data) -> dict[str, Sizes]:
    """Sizes of two classes or more, not all of one sample.

    Raises
    ------
    DomainError
        If all classes have one sample, or there is one class; one line.
    """
    found = two_or_more(data)
    if max(found["sizes"]) == 1:
        raise DomainError("sizes: some class needs two samples, or all weights are equal")
    return found


def for_sizes(sizes: Sizes, fixed: Mapping[Symbol, Expr], proof: Derivation) -> dict[str, Quantity]:
    """The optimum for classes of these sizes, at values of the parameters."""
    found = optima(SOFT_SUPCON, sizes, PARAMETERS)
    state_reduction(found.reduced, PARAMETERS, proof)
    wanted = _Wanted(found, sizes, proof)
    bound = entropic_bound(in_weight(wanted.entropy))
    always = {
        "tau_critical": Quantity.from_threshold(wanted.critical, "tau_critical", r"\tau^*"),
        "entropic_bound": bound,
        "unique_up_to": unique_up_to(wanted.unique_up_to),
    }
    value = wanted.critical.value.xreplace(dict(fixed))
    beyond = None
    if tau in fixed and not value.free_symbols:
        beyond = sign(fixed[tau] - value)
        if beyond is None:
            raise DomainError(f"could not decide whether tau exceeds tau_critical = {value}")
    if beyond == 1:
        state_certificate(found, Domain(PARAMETERS.ranges, fixed), proof)
        at_them = numbers(found, sizes, fixed)
        excess = at_them["loss"].expression - bound.expression.xreplace(dict(fixed))
        return {
            **at_them,
            **always,
            "excess": Quantity(
                excess, r"\mathcal{L}^\star - H(W)", "minimum of the loss minus the entropic bound"
            ),
        }
    attained = None
    if beyond is None:
        high = wanted.critical.value
        attained = PARAMETERS.with_range(tau, between(0, high, "(]", BEYOND), wanted.colder)
    beta = beta_met(in_weight(wanted.beta), attained)
    # up to tau_critical one number may be added to all inner products
    together = f"same_class_{max(sizes)}"
    return {
        "beta": beta,
        "cosines": cosines(
            sizes, lambda r: beta.expression, attained, lambda r: 1 + product(r) - product(together)
        ),
        "loss": replace(least_loss(bound.expression), domain=attained),
        **({} if beyond is None else {"rank": _rank(wanted, beyond)}),
        **always,
    }


def _rank(wanted: _Wanted, beyond: int) -> Quantity:
    """The rank of a simplex, and of points that are farther from being opposite."""
    dimensions = {e.name: e.dimension for e in wanted.points.eigenspaces}
    return rank(dimensions["classes"] + (dimensions["mean"] if beyond < 0 else 0))


class _Wanted:
    """The cosines that the weights ask for, and where points have them; every step recorded."""

    def __init__(self, found: BlockOptima, sizes: Sizes, proof: Derivation):
        self.reduced, self.sizes, self.proof = found.reduced, sizes, proof
        (term,) = SOFT_SUPCON.terms
        apart = log(term.weight(CROSS_CLASS) / term.weight(SAME_CLASS))
        #: between two classes, where it is one in a class: in the rate
        self.beta = tidy(1 + in_rate(SOFT_SUPCON.temperature * apart))
        self.inner = {
            r.name: self.beta if r.kind == CROSS_CLASS else S.One
            for r in found.reduced.configuration.relations
        }
        self.entropy = in_rate(entropy(self.reduced.rows))
        self._met()
        #: a point for each class
        self.points = hierarchy((Integer(len(sizes)), CROSS_CLASS, "classes"))
        self.critical = self._critical()
        self.colder = tidy(self.critical.value.xreplace({epsilon: Rational(1, 10)}) / 2)
        self._not_beyond()
        self.unique_up_to = self._unique()

    def _met(self) -> None:
        function = self.reduced.function
        at = {Symbol(f"g_{r}", real=True): e for r, e in self.inner.items()}
        names = {
            Symbol(f"d_{r}"): in_rate(e.xreplace(at)) for r, e in function.slopes.items() if e != 0
        }
        self.proof.holds(
            "With epsilon = exp(-lambda): the gradient vanishes where cosines are 1 "
            "within a class and 1 - lambda tau across classes",
            [eq(d, S.Zero) for d in names],
            "there the softmax probabilities equal the normalised weights; by convexity "
            "no Gram matrix has a smaller loss, so the entropic bound is attained if such "
            "vectors exist",
            IN_RATE,
            names=names,
        )
        state_entropy(self.reduced.rows, self.inner, IN_RATE, self.proof)

    @property
    def _eigenvalues(self) -> dict[str, Expr]:
        return self.points.eigenvalues({"self": S.One, CROSS_CLASS: self.beta})

    def _critical(self) -> Threshold:
        values = self._eigenvalues
        names = {Symbol(f"lambda_{e}"): value for e, value in values.items()}
        self.proof.holds(
            "Eigenvalues of the Gram matrix of one point per class with these cosines",
            [eq(name, tidy(value)) for name, value in names.items()],
            "all pairs of classes have the same cosine, whatever the class sizes",
            IN_RATE,
            names=names,
        )
        self.proof.holds(
            "The eigenvalue on contrasts of classes is positive",
            gt(values["classes"], 0),
            "",
            IN_RATE,
        )
        exist = Criterion(
            "unit vectors whose softmax probabilities equal the weights exist",
            Ge(in_weight(values["mean"]), 0, evaluate=False),
        )
        return threshold(exist, tau, PARAMETERS, self.proof)

    def _not_beyond(self) -> None:
        """No constant that is added to all cosines helps: one class has two samples."""
        border = tidy(in_rate(self.critical.value) * rate / tau)
        only_tau = IN_RATE.restricted((tau,))
        beyond = only_tau.with_range(rate, Range(border), only_tau.witness_of(border) * 2)
        beyond = beyond.with_range(shift, between(-2, 0), Rational(-1, 10))
        k = Integer(len(self.sizes))
        of_points = k * self._eigenvalues["mean"]
        others = k**2 - sum((Rational(1, size) for size in self.sizes), S.Zero)
        q = Symbol("q")
        says = Relations(
            lt(q, S.Zero),
            beyond,
            names={q: of_points + shift * others},
            lemma=ONLY_ONE_UNLESS_FREE,
        )
        self.proof.add(
            "For tau > tau_critical no unit vectors attain the entropic bound, even with "
            "a number c added to all inner products, and the optimum is unique",
            says,
            "q is the quadratic form of that Gram matrix at the sum of the class means, "
            "and c <= 0 since two samples of a class have an inner product of at most 1",
        )

    def _unique(self) -> Expr:
        """Up to how many dimensions no other number c is possible."""
        free = IN_RATE.with_range(shift, between(-2, 0, "[)"), Rational(-1, 10))
        values = [-shift, *(rate * tau * size - shift for size in sorted(set(self.sizes)))]
        self.proof.holds(
            "With c < 0 added, the Gram matrix minus a multiple of the matrix of ones is "
            "positive definite: its eigenvalues, on contrasts within a class and on class "
            "means",
            [gt(value, S.Zero) for value in values],
            "the matrix of ones has rank one, so another optimum spans at least "
            "n - 1 dimensions, for n samples in all",
            free,
        )
        return Integer(sum(self.sizes) - 2)
