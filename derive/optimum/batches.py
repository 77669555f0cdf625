"""Is a pure structure optimal when the loss is a mean over random batches?

That mean is convex and has the symmetry of the data, so its optimum is a comparison of eigenvalues
as ever. In a batch with K others of its class an anchor has a loss that the engine reduces like any
other, with the numbers of partners of the batch; how fast that changes when trace moves from one
pure structure to another is a function of K, and the condition is its mean. It is affine in alpha,
so a threshold is a quotient of two means.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import replace
from typing import ClassVar, Literal

from sympy import Add, Dummy, Expr, Ge, Le, Pow, S, Symbol, Tuple, exp, oo

from ..decide.calculus import derivative
from ..decide.decide import is_proved_positive, positive, zero
from ..decide.domain import LINE, Domain, at_least
from ..decide.evidence import Holds, Outcome, Refuted, Undecided
from ..decide.expectation import Expectation, K
from ..decide.present import tidy
from ..frozen import Frozen
from ..losses.alone import Alone
from ..losses.softmax import SoftmaxLoss
from ..proof.derivation import Derivation, StepFailed
from ..proof.lemmas import AVERAGING
from ..proof.relations import Iff, eq, ge, gt
from ..proof.statement import ORDER, Relations, Statement, every
from ..structures.called import motion
from ..structures.draws import Draw
from ..structures.scheme import Scheme
from .condition import capital
from .dimension import state_enough
from .reduce import ReducedLoss, inner_products
from .reduction import difference, state_spectrum
from .segment import x
from .segment_facts import PairGradient, with_inner
from .threshold import COMPARED, Criterion, Place, Threshold
from .vertex import pure_inner, state_pure


class Part(Frozen):
    """The batches in which an anchor has K others of its class, for K in a range.

    Attributes
    ----------
    says
        In words.
    loss
        That of the anchor, with the numbers of partners in such a batch.
    low, high
        The range of K.
    domain
        Where, with K.
    others
        The number of instances of other classes, where it is more than a symbol.
    """

    says: str
    loss: ReducedLoss
    low: int
    high: Expr
    domain: Domain
    others: Expr | None = None

    def rate(self, start: Mapping[str, Expr], towards: Mapping[str, Expr]) -> tuple[Expr, Expr]:
        """How fast the loss changes on the way from inner products to others, times tau.

        What its attraction and its repulsion are, both as short sums of exponentials.
        """
        # Softmax probabilities do not change when all inner products are shifted.
        gradient = self.loss.pair_gradient({r: tidy(e - 1) for r, e in start.items()})
        attraction = repulsion = S.Zero
        for r in self.loss.scheme.relations:
            pull = r.count * -self.loss.pulls[r.name] if r.count != 0 else S.Zero
            move = tidy(towards[r.name] - start[r.name])
            attraction += move * pull
            repulsion += move * (r.count * gradient[r.name] - pull)
        return tidy(attraction), self._readable(repulsion)

    def where(self, domain: Domain) -> Domain:
        """The domain of a part, where other symbols are in a smaller one."""
        if K not in self.domain.ranges:
            return domain
        return domain.with_range(K, self.domain.ranges[K], self.domain.witness[K])

    def _readable(self, e: Expr) -> Expr:
        """One quotient of sums, the number of instances of other classes kept as one factor."""
        if self.others is None or e == 0:
            return tidy(e)
        rest = Dummy("R", positive=True)
        return tidy(e.xreplace({self.others: rest})).xreplace({rest: self.others})


class BatchLoss(Frozen):
    """The mean of a loss over the batches of a draw, on the structure that they are drawn from."""

    draw: Draw
    parts: tuple[Part, ...]
    where: str = ""  #: what is done with an anchor that is alone, after a statement

    @classmethod
    def from_draw(
        cls, loss: SoftmaxLoss, draw: Draw, domain: Domain, alone: Alone | None
    ) -> BatchLoss:
        """The loss; ``alone`` is for an anchor alone in its class, if it then lacks positives."""
        drawn = draw.drawn
        if draw.law is None:
            return cls(draw, (Part("in a batch", ReducedLoss(loss, drawn), 0, oo, domain),))
        least = 0 if alone is None else 1
        several = Part(
            f"in a batch with K >= {least} others of the anchor's class",
            ReducedLoss(loss, drawn),
            least,
            oo,
            domain.with_range(K, replace(at_least(least), high=draw.law[1], high_open=False), 1),
            draw.others,
        )
        if alone is None:
            return cls(draw, (several,))
        left = draw.alone()
        own = alone.applied(loss, [r.name for r in left.relations if r.count == 0])
        where = f" (an anchor alone in its class {alone.says})"
        if not own.terms:
            return cls(draw, (several,), where)
        says = f"in a batch without another of its class, where it {alone.says}"
        lone = Part(says, ReducedLoss(own, left), 0, S.Zero, domain)
        return cls(draw, (several, lone), where)

    @property
    def scheme(self) -> Scheme:
        """The structure of all data."""
        return self.draw.whole

    @property
    def covers(self) -> bool:
        """Whether an anchor has a loss in every batch; it has none where it is skipped."""
        return len(self.parts) > 1 or self.parts[0].low == 0

    def preconditions(self, domain: Domain) -> Statement:
        """That the loss of every batch is convex."""
        given = [part.loss.preconditions(part.domain) for part in self.parts]
        heat = self.parts[0].loss.loss.temperature
        return Relations(Tuple(gt(heat, S.Zero)), domain, premises=tuple(given))

    def mean(self, bodies: Iterable[Expr]) -> Expr:
        """The mean over batches, from what it is in those of each part."""
        return sum(
            (
                self.draw.mean(body, part.low, part.high)
                for body, part in zip(bodies, self.parts, strict=True)
            ),
            S.Zero,
        )

    def bodies(self, e: Expr) -> list[Expr] | None:
        """What an expression that is linear in means is in each part; None if it is not."""
        if self.draw.law is None:
            return [e]
        means, stand_ins, rest = _apart(e)
        found = [rest for _ in self.parts]
        whole = {(part.low, part.high): i for i, part in enumerate(self.parts)}
        for mean, stand_in in zip(means, stand_ins, strict=True):
            factor = derivative(rest, stand_in)
            place = whole.get((mean.args[4], mean.args[5]))
            if place is None or mean.args[1:4] != self.draw.law or factor.has(*stand_ins):
                return None
            found[place] += factor * mean.body
        left = dict.fromkeys(stand_ins, S.Zero)
        if not self.covers and rest.xreplace(left) != 0:
            return None  # it is not the same in batches that count as zero
        return [body.xreplace(left) for body in found]


def _apart(e: Expr) -> tuple[list[Expectation], list[Dummy], Expr]:
    """The means in an expression, a symbol for each, and the expression with these."""
    means = sorted(e.atoms(Expectation), key=str)
    stand_ins = [Dummy(f"E_{i}", real=True) for i, _ in enumerate(means)]
    return means, stand_ins, e.xreplace(dict(zip(means, stand_ins, strict=True)))


# --- conditions ------------------------------------------------------------------------------
class MeanCondition(Frozen):
    """``theta_e >= theta_v`` for one other eigenspace: a mean over batches that is not negative.

    Attributes
    ----------
    relation
        The mean ``>= 0``; it is affine in ``parameter``.
    domain
        Where the eigenspace has a dimension.
    holds
        Whether it is proved everywhere there.
    place
        The pure structure, and the way towards the other one.
    over
        What is > 0 and gives, times the mean, the difference of the two eigenvalues.
    """

    loss: BatchLoss
    relation: Ge
    domain: Domain
    parameter: Symbol
    holds: bool
    place: Place
    over: Expr = S.One

    when: ClassVar[str] = "for some sizes"

    def parts(self) -> tuple[Expr, Expr]:
        """The mean without the parameter, and what it is multiplied by."""
        mean = self.relation.args[0]
        return mean.xreplace({self.parameter: S.Zero}), derivative(mean, self.parameter)


def batch_vertex(
    loss: BatchLoss, name: str, parameter: Symbol, domain: Domain, proof: Derivation
) -> dict[str, MeanCondition]:
    """Find when a pure structure is optimal on average over batches, as steps of a derivation.

    Parameters
    ----------
    name
        The eigenspace that has the whole trace.
    parameter
        A weight of the loss, in which conditions are affine.

    Raises
    ------
    StepFailed
        If a step is not proved.
    """
    scheme = loss.scheme
    known = {step.title for step in proof}
    for part in loss.parts:
        _state(part, proof, known)
    state_spectrum(scheme, domain, proof)
    proof.add(
        "The mean of the losses of all batches is convex in the Gram matrix and invariant, so some "
        f"optimum has one inner product per relation{loss.where}",
        loss.preconditions(domain),
        AVERAGING,
    )
    inner, others = state_pure(loss, name, domain, proof, loss.where)
    return {
        e: _condition(loss, name, e, inner, parameter, inside, domain, proof, known)
        for e, inside in others.items()
    }


def pure_over_batches(
    loss: BatchLoss, name: str, domain: Domain, proof: Derivation
) -> Mapping[str, Expr]:
    """Prove that a pure structure is optimal for all values of the parameters; its inner products.

    Raises
    ------
    StepFailed
        If that is not proved.
    """
    conditions = batch_vertex(loss, name, Symbol("none"), domain, proof)
    if left := [e for e, condition in conditions.items() if not condition.holds]:
        raise StepFailed(f"{name} is not proved to be optimal: trace may move to {', '.join(left)}")
    return pure_inner(loss, name)


def _state(part: Part, proof: Derivation, known: Container[str]) -> None:
    """Record the loss of an anchor in batches of one kind, and its gradient, unless it is known."""
    title = f"The loss, in one inner product per relation, of an anchor {part.says}"
    if title in known:
        return
    g = inner_products(part.loss.scheme)
    value = Symbol("L")
    proof.holds(
        title,
        eq(value, part.loss.value(g)),
        "the batch has so many partners in each relation; terms with equal denominators are merged",
        with_inner(part.domain, g.values()),
        names={value: part.loss.declared(g)},
    )
    proof.add(
        f"Derivative in the inner product of one pair, times {part.loss.scale}, of the loss of an "
        f"anchor {part.says}",
        PairGradient.from_reduced(part.loss, g, part.domain),
        part.loss.forces,
    )


def _condition(
    loss: BatchLoss,
    v: str,
    e: str,
    inner: Mapping[str, Expr],
    parameter: Symbol,
    domain: Domain,
    whole: Domain,
    proof: Derivation,
    known: Container[str],
) -> MeanCondition:
    pure, rate = pure_inner(loss, e), Symbol("rate")
    way = {r: inner[r] + x * (pure[r] - inner[r]) for r in inner}
    rates, inside = [], []
    when = difference(domain, whole)
    when = f"{when}, " if when else ""
    for part in loss.parts:
        rates.append(sum(_affine(e, parameter) for e in part.rate(inner, pure)))
        inside.append(part.where(domain))
        along = part.loss.scale * derivative(part.loss.value(way), x).xreplace({x: S.Zero})
        title = f"{when}moving trace from {v} to {e} changes the loss at this rate {part.says}"
        if capital(title) in known:
            continue
        proof.holds(
            capital(title),
            eq(rate, rates[-1]),
            f"it is the derivative along the segment between the two, times {part.loss.scale}",
            inside[-1],
            names={rate: along},
        )
    slope = derivative(rates[0], parameter)
    fixed = [s for s in (1, -1) if K not in slope.free_symbols]
    over = next((s * slope for s in fixed if is_proved_positive(s * slope, domain)), S.One)
    scaled = [Add(*(term / over for term in Add.make_args(rate))) for rate in rates]
    starts = loss.mean(r.xreplace({parameter: S.Zero}) for r in scaled)
    mean = starts + parameter * loss.mean(derivative(r, parameter) for r in scaled)
    relation, about = Ge(mean, 0, evaluate=False), ge(f"theta_{e}", f"theta_{v}")
    says = f"{motion(v, e, loss.scheme)} does not lower the loss"
    proof.add(
        capital(f"{when}{says} iff this mean over batches is not negative{loss.where}"),
        MeanOf(Iff(about, relation), domain, loss, about, tuple(rates), over),
        "the derivative of a mean is the mean of the derivatives, and the difference of the two "
        "eigenvalues is the rate, up to a positive factor",
    )
    sign = MeanSign(relation, domain, loss)
    holds = isinstance(sign.decide(), Holds)
    if holds:
        says = f"moving trace from {v} to {e} never lowers the loss{loss.where}"
        proof.add(capital(f"{when}{says}"), sign, "the rate is not negative in any batch")
    along = {r: tidy(pure[r] - inner[r]) for r in inner}
    return MeanCondition(loss, relation, domain, parameter, holds, Place(inner, along), over)


def _affine(e: Expr, parameter: Symbol) -> Expr:
    """An expression that is affine in a parameter, as what it is at zero and its derivative."""
    slope = derivative(e, parameter)
    start = e.xreplace({parameter: S.Zero})
    return start if slope == 0 else start + parameter * tidy(slope)


def mean_threshold(
    condition: MeanCondition, says: str, domain: Domain, proof: Derivation
) -> Threshold:
    """Solve a condition for its parameter, and prove on which side it holds.

    Raises
    ------
    StepFailed
        If it is not proved to rise or to fall with the parameter.
    """
    parameter, (start, slope) = condition.parameter, condition.parts()
    rises = _rises(condition.loss, slope, domain)
    sign = 1 if rises else -1
    tilt = S.Zero if rises else _tilt(condition.loss, -slope)
    back, on = ("decreases", "increases") if rises else ("increases", "decreases")
    why = f"it {back} in no batch, and {on} in some that are drawn"
    if tilt != 0 and condition.loss.draw.law is not None:
        marked, drawn, total = condition.loss.draw.law
        why += f", once a multiple of K minus its mean {drawn * marked / total} is added"
    steady = MeanSign(gt(sign * slope, 0), domain, condition.loss, tilt)
    proof.add(
        f"The condition under which {says} {'increases' if rises else 'decreases'} with {parameter}"
        f"{condition.loss.where}",
        steady,
        why,
    )
    # Apart, what is a multiple of the same mean cancels.
    alone = slope.is_Mul or isinstance(slope, Expectation)
    terms = Add.make_args(start) if alone else (start,)
    value = Add(*(-sign * term / (sign * slope) for term in terms))
    value = value if value.has(Expectation) else tidy(value)
    solved = (Ge if rises else Le)(parameter, value, evaluate=False)
    proof.add(
        capital(
            f"{says} iff {parameter} {COMPARED[solved.rel_op]} the zero of the condition"
            f"{condition.loss.where}"
        ),
        RootOfMean(Iff(solved, condition.relation), domain, premises=(steady,)),
        f"the condition is affine in {parameter}",
    )
    criterion = Criterion(says, condition.relation, condition.place)
    side: Literal["<", ">"] = "<" if rises else ">"
    mean = condition.relation.args[0]
    place = condition.place
    room = state_enough(condition.loss.scheme, place.inner, place.along, domain, proof)
    return Threshold(mean, parameter, solved.args[1], side, solved, criterion, domain, room)


def _rises(loss: BatchLoss, slope: Expr, domain: Domain) -> bool:
    return isinstance(MeanSign(gt(slope, 0), domain, loss).decide(), Holds)


def _tilt(loss: BatchLoss, e: Expr) -> Expr:
    """What times K less its mean makes a mean positive in each batch, if anything does.

    It cancels, for an anchor that is alone, what the expression is at an infinite temperature.
    """
    bodies = loss.bodies(e)
    if loss.draw.law is None or bodies is None or len(bodies) == 1:
        return S.Zero
    marked, drawn, total = loss.draw.law
    hot = bodies[1].replace(exp, lambda _: S.One)
    return tidy(hot * total / (marked * drawn))


# --- what is stated --------------------------------------------------------------------------
class MeanOf(Statement):
    """``theta_e >= theta_v`` iff a mean over batches is >= 0: that of the rates, up to a factor."""

    loss: BatchLoss
    about: Ge
    rates: tuple[Expr, ...]
    over: Expr = S.One

    def decide(self) -> Outcome:
        """Whether in each part the mean is of the rate."""
        if not isinstance(self.shown, Iff) or not all(type(r) is Ge for r in self.shown.args):
            return Undecided(f"{self.shown} is not an equivalence of inequalities")
        if self.shown.args[0] != self.about:
            return Undecided(f"{self.shown.args[0]} is not what the rates are of")
        mean, right = self.shown.args[1].args
        bodies = self.loss.bodies(mean)
        if bodies is None or right != 0:
            return Undecided(f"{mean} is not a mean over these batches")
        parts = zip(bodies, self.rates, self.loss.parts, strict=True)
        equal = [zero(self.over * b - r, part.where(self.domain)) for b, r, part in parts]
        return every([positive(self.over, self.domain), *equal])


class MeanSign(Statement):
    """A mean over batches is > 0 (or >= 0), as what it is of is in each part.

    Attributes
    ----------
    tilt
        A number whose product with K less its mean is added: that has the mean zero.
    """

    loss: BatchLoss
    tilt: Expr = S.Zero

    def decide(self) -> Outcome:
        """Whether it is not negative in any batch, and positive in some that are drawn."""
        if type(self.shown) not in ORDER or self.shown.args[1] != 0:
            return Undecided(f"{self.shown} is not about a sign")
        sign, strict = ORDER[type(self.shown)]
        bodies = self.loss.bodies(sign * self.shown.args[0])
        if bodies is None:
            return Undecided(f"{self.shown} is not a mean over these batches")
        if self.tilt != 0 and (self.loss.draw.law is None or not self.loss.covers):
            return Undecided("K less its mean has the mean zero over all batches only")
        found, drawn = [], []
        for body, part in zip(bodies, self.loss.parts, strict=True):
            where = part.where(self.domain)
            found.append(positive(body + self._tilted(part), where, strict=False))
            if strict and is_proved_positive(body + self._tilted(part), where):
                drawn.append(self._is_drawn(part))
        if strict and not any(drawn):
            found.append(Undecided("it is not proved to be positive in a batch that is drawn"))
        return every(found)

    def _tilted(self, part: Part) -> Expr:
        if self.tilt == 0 or self.loss.draw.law is None:
            return S.Zero
        marked, drawn, total = self.loss.draw.law
        number = K if part.high is oo else S.Zero
        return self.tilt * (number - drawn * marked / total)

    def _is_drawn(self, part: Part) -> bool:
        """Whether such a batch is drawn everywhere on the domain."""
        if self.loss.draw.law is None or (part.low, part.high) == (0, oo):
            return True
        marked, drawn, total = self.loss.draw.law
        needed = [marked, drawn] if part.low else [total - marked - drawn + 1]
        return all(is_proved_positive(e, self.domain) for e in needed)


class RootOfMean(Statement):
    """``parameter >= value`` iff ``a + b parameter >= 0``, or ``<=``, given the sign of b."""

    def decide(self) -> Outcome:
        """Whether the value is -a/b, and the side is that of the sign given."""
        if not isinstance(self.shown, Iff) or len(self.premises) != 1:
            return Undecided(f"{self.shown} is not an equivalence")
        (solved, relation), (sign,) = self.shown.args, self.premises
        parameter, value = solved.args
        mean = relation.args[0]
        rate = derivative(mean, parameter)
        if type(relation) is not Ge or relation.args[1] != 0 or not isinstance(sign, MeanSign):
            return Undecided(f"{relation} is not a condition")
        if parameter in value.free_symbols or parameter in rate.free_symbols:
            return Undecided(f"{mean} is not affine in {parameter}")
        side = {gt(rate, 0): Ge, gt(-rate, 0): Le}.get(sign.shown)
        if side is not type(solved):
            return Refuted(note=f"it does not hold on this side of the value of {parameter}")
        root = -mean.xreplace({parameter: S.Zero}) / rate
        _, stand_ins, (value, root, rate) = _apart(Tuple(value, root, rate))
        for power in value.atoms(Pow):
            if not power.exp.is_negative:
                continue
            factor = tidy(power.base / rate) if power.has(*stand_ins) else power.base
            signs = (is_proved_positive(sign * factor, self.domain) for sign in (1, -1))
            if not any(signs):
                return Undecided(f"{value} is not known to be defined")
        line = Domain(
            {**self.domain.ranges, **dict.fromkeys(stand_ins, LINE)},
            {**self.domain.witness, **dict.fromkeys(stand_ins, S.One)},
        )
        return zero((value - root).as_numer_denom()[0], line)
