"""Both ends and the optimum for any pairwise loss a user writes (lee2024sigmoid, Theorem 1).

For l_p convex decreasing and l_n convex increasing the optimum lies on the CCEM, and the
loss is convex along it: the simplex is optimal iff the loss does not fall there, the
antipodal structure iff it does not rise there. Neither function need be smooth: at a kink
every subgradient is one, and the slope along the segment may jump. Without a loss, that of
SigLIP is taken.
"""

from collections.abc import Mapping
from dataclasses import replace

from sympy import Expr, S, Symbol, Tuple

from ...decide.calculus import derivative
from ...decide.decide import positive
from ...decide.domain import Domain, DomainError, Range, between
from ...decide.evidence import Holds, Outcome, Undecided
from ...decide.interval import is_finite, is_infinite
from ...decide.kinks import HIGH, LOW, Cut, bent, in_x
from ...decide.root import argmin, last_point
from ...frozen import Frozen
from ...losses.clip import SIGMOID, b, pairwise, t
from ...losses.functions import loss_of_functions
from ...losses.pairwise import PairTerm, PairwiseLoss, c
from ...optimum.reduce import ReducedPairwise
from ...optimum.segment import Segment, x
from ...problems.domains import BIASED
from ...problems.problem import Problem
from ...proof.derivation import Derivation, StepFailed
from ...proof.lemmas import ANALYTIC, SHAPE, SUBGRADIENTS
from ...proof.relations import eq, ge, gt
from ...proof.statement import Relations
from ...structures.scheme import Scheme
from ...structures.towers import NEGATIVE, POSITIVE, N
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ...theorem.subject import Symmetric
from ._ccem import (
    DIRECTIONS,
    SYMMETRY,
    ccem_segment,
    on_ccem,
    optimum,
    shape_of,
    state_delta,
)

#: Minus a slope of l_p, and a slope of l_n: all that a certificate needs of a loss.
PULL, PUSH = Symbol("pull", nonnegative=True), Symbol("push", nonnegative=True)


def for_loss(loss: PairwiseLoss, at: Mapping[Symbol, Expr] | None = None) -> Result:
    """The result for a declared pairwise loss in ``c``, ``t`` and ``b``; weights may have N.

    Rational values ``at`` which it is asked for are put into the loss before anything is
    proved, and it holds there only. Others stay beside it, as in any result.

    Raises
    ------
    DomainError
        If the loss has another symbol, or a weight depends on the inner product.
    """
    functions = set().union(*(term.function.free_symbols for term in loss.terms)) - {c}
    weights = set().union(*(term.weight.free_symbols for term in loss.terms))
    strange = sorted(s.name for s in (functions - {t, b}) | (weights - {N, t, b}))
    if strange:
        raise DomainError(
            f"{loss.name} depends on {', '.join(strange)}; functions may use c, t and b, and "
            "weights N, t and b"
        )
    domain = BIASED.restricted({N} | functions | weights)
    fixed = {s: v for s, v in (at or {}).items() if s in functions - weights and v.is_Rational}
    here = domain
    for symbol, value in fixed.items():
        here = here.with_range(symbol, between(value, value, why="as it was given"), value)
    put_in = replace(
        loss, terms=tuple(replace(k, function=k.function.xreplace(fixed)) for k in loss.terms)
    )
    inside = domain.restricted(set(domain.ranges) - set(fixed))
    return Result(
        "pairwise-threshold",
        title=f"Both ends and the optimum of a pairwise loss: {loss.title}",
        source="lee2024sigmoid, Theorem 1",
        parameters=tuple(s for s in (N, t, b) if s in domain.ranges),
        domain=here,
        build=lambda proof: build(put_in, inside, proof),
        subject=Symmetric(Problem(loss, SYMMETRY, here), segment=ccem_segment),
        texts=("lp", "ln", "loss"),
        read=for_terms,
    )


def for_terms(
    lp: str | Expr = "",
    ln: str | Expr = "",
    loss: str = "",
    at: Mapping[Symbol, Expr] | None = None,
) -> Result:
    """The result for a loss of the user's; see :func:`loss_of_functions` and :func:`for_loss`."""
    return for_loss(loss_of_functions(lp, ln, loss), at)


class Shaped(Frozen):
    """A loss with the evidence of its shape, and every term read as smooth pieces."""

    loss: PairwiseLoss
    shape: Outcome
    read: tuple[Cut, ...]

    @property
    def kinks(self) -> list[Expr]:
        """Places where a function bends."""
        return [at for read in self.read for at in read.kinks]

    def named(self) -> dict[Symbol, Expr]:
        """What stands in the two functions, and where they bend."""
        last = [""] if len(self.kinks) == 1 else [f"_{k}" for k, _ in enumerate(self.kinks, 1)]
        return {
            Symbol("l_p"): self.loss.total(POSITIVE),
            Symbol("l_n"): self.loss.total(NEGATIVE),
            **{Symbol(f"c_kink{k}"): at for k, at in zip(last, self.kinks, strict=True)},
        }

    def one_sided(self, segment: Segment, slope: Expr, side: int) -> Expr:
        """The slope along a segment on one side of a point, from one in ``pull`` and ``push``."""
        inner = segment.inner
        return slope.xreplace(
            {
                PULL: -self.slope(POSITIVE, side).xreplace({c: inner[POSITIVE]}),
                PUSH: self.slope(NEGATIVE, side).xreplace({c: inner[NEGATIVE]}),
            }
        )

    @property
    def is_smooth(self) -> bool:
        """Whether there is no kink, and no infinite slope at an end of [-1, 1]."""
        return all(
            not read.kinks and all(is_finite(slope.xreplace({c: end})) for end in (LOW, HIGH))
            for read in self.read
            for _, slope in read.checked()
        )

    def is_steep(self, domain: Domain) -> bool:
        """Whether l_p is infinitely steep at -1, which the loss then avoids.

        Raises
        ------
        DomainError
            If that is not decided.
        """
        for term, read in zip(self.loss.terms, self.read, strict=True):
            if term.relation != POSITIVE or term.weight == 0:
                continue
            _, slope = next(read.slopes())
            if not is_infinite(slope, c, LOW):
                continue
            if isinstance(positive(term.weight, domain), Holds):
                return True
            raise DomainError(
                f"the derivative of {in_x(term.function, c)} is infinite at x = -1, and its weight "
                f"{term.weight} may be zero"
            )
        return False

    def slope(self, relation: str, side: int) -> Expr:
        """Weighted one-sided derivative of all that acts on a relation."""
        pairs = zip(self.loss.terms, self.read, strict=True)
        return sum((k.weight * f.slope(side) for k, f in pairs if k.relation == relation), S.Zero)


def shaped(loss: PairwiseLoss, domain: Domain) -> Shaped:
    """Prove the hypotheses of the theorem, term by term or for their sums.

    Raises
    ------
    DomainError
        If they do not hold, with the place where they fail; or if they are not proved.
    """
    shape = shape_of(loss, domain)
    if not isinstance(shape, Holds) and len(loss.terms) > len(DIRECTIONS):
        # A sum can be convex when its terms are not.
        terms = tuple(PairTerm(r, loss.total(r), S.One) for r in DIRECTIONS)
        loss = replace(loss, terms=terms)
        shape = shape_of(loss, domain)
    if not isinstance(shape, Holds):
        said = "lp must be convex decreasing, ln convex increasing on [-1, 1]"
        if isinstance(shape, Undecided):
            said = f"it was not decided whether {said.replace('must be', 'is')}"
        why = getattr(shape, "note", "") or getattr(shape, "reason", "")
        raise DomainError(f"{said}: {why}")
    read = tuple(bent(term.function, c, domain) for term in loss.terms)
    # A maximum that never changes over is not one.
    functions = (f.function if f.kinks else f.pieces[0].smooth for f in read)
    terms = tuple(replace(k, function=f) for k, f in zip(loss.terms, functions, strict=True))
    return Shaped(replace(loss, terms=terms), shape, read)


def build(
    loss: PairwiseLoss, domain: Domain, proof: Derivation, structure: Scheme = SYMMETRY
) -> dict[str, Quantity]:
    """The quantities of a loss on two towers, whose number of items may have another name."""
    known = shaped(loss, domain)
    along = _smooth(known, domain, proof, structure) if known.is_smooth else None
    along = along or _by_subgradients(known, domain, proof, structure)
    segment = along.segment
    state_delta(proof, segment, domain)
    position = argmin(along.after, x, S.Zero, segment.length)
    far_end = along.before.xreplace({x: segment.length})
    conditions = {
        "simplex_condition": Quantity(
            along.after.xreplace({x: S.Zero}),
            r"h(0)",
            "the simplex is optimal iff this is >= 0",
            signed=True,
        ),
        "antipodal_condition": Quantity(
            # Where l_p is infinitely steep the loss rises towards the end.
            S.Infinity if known.is_steep(domain) else far_end,
            r"h(x_{\max})",
            "the antipodal structure is optimal iff this is <= 0",
            extended=True,
            signed=True,
        ),
    }
    quantities = conditions | optimum(segment, position, along.value, domain)
    if not along.unique:
        quantities["x_last"] = Quantity(
            last_point(along.before, x, S.Zero, segment.length),
            r"x_{\mathrm{last}}",
            "the optimum farthest from the simplex; all from x_star to here are optimal",
            domain,
        )
    return quantities


class Along(Frozen):
    """A convex loss along the segment: its value and its slope before and after a point."""

    segment: Segment
    value: Expr
    before: Expr
    after: Expr
    unique: bool


def _smooth(known: Shaped, domain: Domain, proof: Derivation, structure: Scheme) -> Along | None:
    """From the slopes themselves; None where strict convexity is not proved."""
    attempt = Derivation()
    loss, shape = known.loss, known.shape
    try:
        problem = on_ccem(ReducedPairwise(loss, structure, shape), domain, attempt, weak=True)
    except StepFailed:
        return None
    curvature = derivative(derivative(problem.value, x), x)
    strictly = "The loss is strictly convex along the segment: the optimum on it is unique"
    bend = _bend(loss, domain)
    if isinstance(positive(curvature, problem.domain), Holds):
        attempt.holds(
            strictly, gt(curvature, S.Zero), "its second derivative is positive", problem.domain
        )
    elif bend is not None:
        says = Relations(gt(bend, S.Zero), domain, premises=(shape,), lemma=ANALYTIC)
        attempt.add(strictly, says, "the second derivative of l_p is positive at one point")
    else:
        return None
    proof.steps += attempt.steps
    return Along(problem.segment, problem.value, problem.slope, problem.slope, True)


def _bend(loss: PairwiseLoss, domain: Domain) -> Expr | None:
    """The second derivative of l_p at a point where it is proved positive."""
    second = derivative(derivative(loss.total(POSITIVE), c), c)
    tried = (second.xreplace({c: at}) for at in (S.Zero, S.Half, -S.Half))
    return next((bend for bend in tried if isinstance(positive(bend, domain), Holds)), None)


SHOWN = "the position shown is the one nearest to the simplex"


def _by_subgradients(known: Shaped, domain: Domain, proof: Derivation, structure: Scheme) -> Along:
    """The same for any subgradients: the certificate asks only for their signs."""
    loss, shape, kinks = known.loss, known.shape, known.kinks
    names = known.named()
    proof.add(
        "l_p is convex and non-increasing, l_n is convex and non-decreasing"
        + (", with kinks at the points shown" if kinks else ""),
        Relations(_defined(names), domain, premises=(shape,), names=names, lemma=SHAPE),
        "",
    )
    signs = domain.with_range(PULL, Range(low_open=False), 1)
    signs = signs.with_range(PUSH, Range(low_open=False), 1)
    linear = pairwise("linearised", "any subgradients", -PULL * c, PUSH * c, loss.source)
    problem = on_ccem(
        ReducedPairwise(linear, structure, shape_of(linear, signs)), signs, proof, weak=True
    )
    segment = problem.segment
    fall = [ge(-derivative(segment.inner[r], x), S.Zero) for r in DIRECTIONS]
    proof.holds(
        "Both inner products decrease along the segment",
        fall,
        "beyond a point of the segment the left derivatives of l_p and l_n apply, "
        "before it the right ones",
        signs,
    )
    # Both inner products fall, so after a point their slopes on the left count.
    after, before = (known.one_sided(segment, problem.slope, side) for side in (-1, 1))
    names = {Symbol("h_after"): after, Symbol("h_before"): before}
    proof.add(
        "The loss is minimal where its derivative changes sign, perhaps by a jump",
        Relations(_defined(names), domain, premises=(shape,), names=names, lemma=SUBGRADIENTS),
        SHOWN,
    )
    value = ReducedPairwise(loss, structure, shape).value(segment.inner)
    return Along(segment, value, before, after, False)


def _defined(names: Mapping[Symbol, Expr]) -> Tuple:
    return Tuple(*(eq(name, value) for name, value in names.items()))


RESULT = for_loss(SIGMOID)
