"""Thresholds: the first-order condition at a point of a segment, solved for a parameter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from itertools import chain, islice
from typing import Literal

from sympy import Basic, Dummy, Expr, Ge, Gt, Le, Lt, S, Symbol, exp, log, sqrt

from ..decide.calculus import derivative
from ..decide.cases import opened, surely_positive, with_signed_logs
from ..decide.decide import is_proved_positive, zero
from ..decide.defined import defined
from ..decide.domain import Domain, Range
from ..decide.evidence import Evidence, Grade, Holds, Outcome, Refuted, Undecided
from ..decide.normal import ExpField, NotInField, factor_list, in_order
from ..decide.number import near_value
from ..decide.polynomial import Poly, Quotient
from ..decide.present import tidy
from ..decide.product import replaced
from ..decide.root import ClampedRoot
from ..decide.symbols import symbols_of
from ..errors import Unproved
from ..frozen import Frozen
from ..proof.derivation import Derivation, StepFailed
from ..proof.lemmas import CONCAVE
from ..proof.monotone import Monotone
from ..proof.relations import Iff, lt
from ..proof.statement import ORDER, Statement, every
from .dimension import Dimension, state_dimension
from .reduce import Reduced

#: A relation with its sides exchanged, or with "not" before it.
MIRROR = {Gt: Lt, Ge: Le, Lt: Gt, Le: Ge}
#: Relations in words.
COMPARED = {">": "exceeds", ">=": "is at least", "<": "is below", "<=": "is at most"}
#: Points at which a threshold is tried on both of its sides, and how far from it.
TRIED, STEP = 4, S(10) ** -6


class NoClosedForm(Unproved, ValueError):
    """The condition cannot be solved for this parameter in closed form."""


class NoThreshold(NoClosedForm):
    """The condition never changes sign; the message says which side holds always."""


class Place(Frozen):
    """The structure that a criterion is about.

    Attributes
    ----------
    inner
        Its inner products, by relation.
    along
        If it lies inside a segment, how they change along it; empty for an end.
    fixed
        Values of parameters that were put into the criterion.
    loss
        What is least there or not, if the sign of the criterion says that.
    """

    inner: Mapping[str, Expr]
    along: Mapping[str, Expr] = field(default_factory=dict)
    fixed: Mapping[Symbol, Expr] = field(default_factory=dict)
    loss: Reduced | None = None

    def at(self, values: Mapping[Symbol, Expr]) -> Place:
        """The same with values put in."""

        def put_in(entries: Mapping[str, Expr]) -> dict[str, Expr]:
            return {r: e.xreplace(dict(values)) for r, e in entries.items()}

        return replace(
            self,
            inner=put_in(self.inner),
            along=put_in(self.along),
            fixed={**self.fixed, **values},
        )


class Criterion(Frozen):
    """``says`` iff ``relation``, which compares a condition with zero.

    Attributes
    ----------
    says
        In words, what is true of the optima: "classes do not collapse".
    relation
        ``condition < 0``, or another comparison with zero, from a checked step.
    place
        The structure that it is about, where that is known.
    """

    says: str
    relation: Basic
    place: Place | None = None

    @property
    def condition(self) -> Expr:
        """The left side of the relation."""
        return self.relation.args[0]

    def at(self, values: dict[Symbol, Expr], where: str) -> Criterion:
        """The same with values put in; ``where`` says so in words."""
        relation = type(self.relation)(self.condition.xreplace(values), 0, evaluate=False)
        place = None if self.place is None else self.place.at(values)
        return replace(self, says=f"{self.says} {where}", relation=relation, place=place)


class Threshold(Frozen):
    """What a criterion says of one parameter: ``relation`` of it and a value.

    Attributes
    ----------
    condition, parameter, value, side
        ``condition < 0`` iff ``parameter`` is on this side of the value.
    relation
        The comparison of the parameter that the criterion amounts to, such as ``alpha > value``.
    criterion
        What was solved.
    domain
        Where.
    dimension
        In how many dimensions of embeddings it holds, if that was derived.
    """

    condition: Expr
    parameter: Symbol
    value: Expr
    side: Literal["<", ">"]
    relation: Basic
    criterion: Criterion
    domain: Domain
    dimension: Dimension | None = None

    @property
    def bound(self) -> tuple[Symbol, str]:
        """The parameter and the sign between it and the value."""
        return self.parameter, str(self.relation.rel_op)

    def meaning(self, name: str) -> str:
        """What it says, in words."""
        return f"{self.criterion.says} iff {self.parameter} {self.bound[1]} {name}"


def threshold(
    criterion: Criterion, parameter: Symbol, domain: Domain, proof: Derivation
) -> Threshold:
    """Solve a criterion for a parameter, and prove on which side it holds.

    ``domain`` is where the solution is meant.

    Raises
    ------
    NoThreshold
        If the condition has one sign at all values of the parameter.
    NoClosedForm
        If it cannot be solved for it.
    StepFailed
        If what was solved is not proved.
    """
    condition = criterion.condition
    try:
        factor = essential(condition, parameter, domain)
        value = solve(factor, parameter, domain)
        form, _, rises = _rate(factor, parameter, domain)
    except NoClosedForm:
        _raise_if_constant(criterion, parameter, domain)
        raise
    relation = type(criterion.relation)
    if not rises:
        relation = MIRROR[relation]
    solved = relation(parameter, value, evaluate=False)
    says = ChangesSign(Iff(solved, criterion.relation), domain)
    proof.add(
        f"The condition {'increases' if rises else 'decreases'} with {parameter}",
        Monotone.says(form, parameter, domain, rises=rises),
        "a monotone condition changes sign at most once (factors of one sign are omitted)",
    )
    words = criterion.says[0].upper() + criterion.says[1:]
    try:
        proof.add(
            f"{words} iff {parameter} {COMPARED[solved.rel_op]} the zero of the condition",
            says,
            f"the condition is a polynomial in {parameter} or in an exponential of it, and its "
            "zero is verified by substitution",
        )
    except StepFailed:
        _raise_if_constant(criterion, parameter, domain)
        raise
    side: Literal["<", ">"] = "<" if rises else ">"
    at, room = criterion.place, None
    if at is not None and at.loss is not None:
        reached = {parameter: value}
        room = state_dimension(at.loss, at.inner, at.along, reached, domain, proof)
    return Threshold(condition, parameter, value, side, solved, criterion, domain, room)


def _raise_if_constant(criterion: Criterion, parameter: Symbol, domain: Domain) -> None:
    """Refuse a condition that has one sign for all values of the parameter, saying which."""
    sign, strict = ORDER[type(criterion.relation)]
    for value in (1, -1):
        if is_proved_positive(value * criterion.condition, domain):
            when = "every" if value == sign else "no"
            raise NoThreshold(f"{criterion.says} at {when} {parameter}: a threshold does not exist")
    if isinstance(zero(criterion.condition, domain), Holds):
        when = "no" if strict else "every"
        raise NoThreshold(f"{criterion.says} at {when} {parameter}: a threshold does not exist")


class ChangesSign(Statement):
    """``parameter > value`` iff ``condition < 0``, or with other signs between them.

    Decided from what is shown: one factor of the condition carries its sign and is monotone in
    the parameter; it vanishes at the value; and the value is one that the parameter may take,
    or the factor is monotone beyond them too. Besides it is tried on both sides at a few points.
    """

    @property
    def real(self) -> Basic:
        """The equivalence, which is about numbers alone."""
        return self.shown

    def decide(self) -> Outcome:
        """Whether the two relations are proved to hold together."""
        if not isinstance(self.shown, Iff):
            return Undecided(f"{self.shown} is not an equivalence")
        solved, relation = self.shown.args
        kinds = type(solved), type(relation)
        if any(kind not in ORDER for kind in kinds) or relation.args[1] != 0:
            return Undecided(f"{self.shown} is not about one sign")
        parameter, value = solved.args
        condition = relation.args[0]
        if not parameter.is_Symbol or parameter in value.free_symbols:
            return Undecided(f"{solved} is not solved for a symbol")
        try:
            factor = essential(condition, parameter, self.domain)
            _, rate, rises = _rate(factor, parameter, self.domain)
        except NoClosedForm as error:
            return Undecided(str(error))
        if kinds[0] is not (kinds[1] if rises else MIRROR[kinds[1]]):
            return Refuted(note=f"the condition {'rises' if rises else 'falls'} with {parameter}")
        refuted = _tried(solved, relation, self.domain)
        if refuted is not None:
            return refuted
        reached = _reached(rate, parameter, value, self.domain)
        if not isinstance(reached, Holds):
            return reached
        split = replaced(_split_exponents(factor, parameter), {parameter: value})
        return every([defined(value, self.domain), zero(split, self.domain)])


class UpToARoot(Statement):
    """``parameter <= root`` iff ``condition >= 0``, wherever it is positive at zero.

    The condition is concave in the parameter, or falls, so it is >= 0 from zero up to its only
    root. ``start`` says that it is positive at zero.
    """

    start: Criterion

    def decide(self) -> Outcome:
        """Whether the root is that of the condition, and there is only one."""
        if not isinstance(self.shown, Iff):
            return Undecided(f"{self.shown} is not an equivalence")
        solved, relation = self.shown.args
        if (type(solved), type(relation)) != (Le, Ge) or relation.args[1] != 0:
            return Refuted(note="it is >= 0 up to the root, and that included")
        (parameter, root), condition = solved.args, relation.args[0]
        if not isinstance(root, ClampedRoot) or (root.low, root.high) != (S.Zero, S.Infinity):
            return Undecided(f"{root} is not a root above zero")
        if parameter in root.free_symbols:
            return Undecided(f"{solved} is not solved for {parameter}")
        h, unknown = root.equation()
        first = condition.xreplace({parameter: S.Zero})
        rate = derivative(condition, parameter)
        only_one = any(
            is_proved_positive(-bend, self.domain) for bend in (derivative(rate, parameter), rate)
        )
        if type(self.start.relation) is not Gt or not only_one:
            return Undecided("the condition is not known to have one root")
        return every(
            zero(gap, self.domain)
            for gap in (h.xreplace({unknown: parameter}) + condition, self.start.condition - first)
        )


def _reached(rate: Expr, parameter: Symbol, value: Expr, domain: Domain) -> Outcome:
    """Whether a condition that is monotone for all admissible parameters is so up to a value.

    It is if the parameter may take that value or come near it, if its rate does not depend on
    it, or if the rate keeps its sign on the whole real line.
    """
    how = Holds(Evidence(Grade.EXACT, "the condition is monotone up to the value"))
    if parameter not in rate.free_symbols:
        return how
    r = domain.ranges[parameter]
    (size,), inside = with_signed_logs([value], opened(domain))
    above = [] if r.low is -S.Infinity else [size - r.low]
    below = [] if r.high is S.Infinity else [r.high - size]
    ends = (*above, *below)
    if all(is_proved_positive(e, inside, strict=False) or surely_positive(e, inside) for e in ends):
        return how
    anything = Dummy(parameter.name, real=True)
    line = domain.with_range(anything, Range(-S.Infinity), domain.witness[parameter])
    free = rate.xreplace({parameter: anything})
    if any(is_proved_positive(sign * free, line) for sign in (1, -1)):
        return how
    return Undecided(f"{value} is not proved to be a value that {parameter} may take")


def _tried(solved: Basic, relation: Basic, domain: Domain) -> Refuted | None:
    """A point beside the value at which an equivalence fails, of a few at high precision."""
    parameter, value = solved.args
    above, _ = ORDER[type(solved)]
    for point in islice(opened(domain).points(), TRIED):
        v = near_value(value, point)
        if v is None:
            continue
        for side in (1, -1):
            near = {**point, parameter: v + side * STEP * max(1, abs(v))}
            sign = near_value(relation.args[0], near)
            if sign is None or not domain.contains(near):
                continue
            if (side * above > 0) is not bool((type(relation))(sign, 0)):
                return Refuted.at(near, f"the condition is {sign.n(30)}")
    return None


def essential(condition: Expr, parameter: Symbol, domain: Domain) -> Expr:
    """The one factor of a condition that gives it its sign as the parameter varies.

    All other factors, above and below, are proved to have one sign on the domain.

    Raises
    ------
    NoClosedForm
        If several factors may change sign.
    """
    split = _split_exponents(condition, parameter)
    try:
        field = ExpField([split])
        ratio = field.ratio(split)
    except NotInField as error:
        raise NoClosedForm(str(error)) from None
    related = [y for y, e in field.exponents.items() if parameter in symbols_of(e)]
    if parameter in ratio.numer.ring.symbols:
        related.append(parameter)
    degrees = [max(_by_powers(ratio.numer, y), default=0) for y in related]
    if sum(degrees) == 1:  # linear: factors of one sign do no harm
        content, factors = 1, [(ratio.numer, 1)]
    else:
        content, factors = factor_list(ratio.numer)
    sign = 1 if content > 0 else -1
    parts = [(field.back(f), power) for f, power in (*factors, *ratio.denom.items())]
    varying = [e for e, _ in parts if parameter in symbols_of(e)]
    left = []
    for expression, power in parts:
        if varying == [expression]:  # nothing else can carry the change of sign
            left.append(expression)
            continue
        fixed = [s for s in (1, -1) if is_proved_positive(s * expression, domain)]
        if fixed:
            sign *= fixed[0] ** power
        else:
            left.append(expression)
    if len(left) != 1 or parameter not in left[0].free_symbols:
        raise NoClosedForm(f"{len(left)} factors of the condition may change sign")
    return sign * left[0]


def concave_form(factor: Expr, parameter: Symbol, domain: Domain, proof: Derivation) -> Expr:
    """Divide a sum of exponentials by one of them so that it is concave in the parameter.

    It is then >= 0 on an interval, whose ends are bracketed by its largest value.

    Raises
    ------
    NoClosedForm
        If none of the quotients is proved concave.
    """
    ys = in_order(e for e in factor.atoms(exp) if parameter in symbols_of(e))
    for divisor in (S.One, *ys):
        candidate = (factor / divisor).expand()
        bend = derivative(derivative(candidate, parameter), parameter)
        if is_proved_positive(-bend, domain):
            proof.holds(
                f"Up to a positive factor the condition is concave in {parameter}",
                lt(bend, 0),
                CONCAVE,
                domain,
            )
            return candidate
    raise NoClosedForm(f"the condition is not known to be concave in {parameter}")


def solve(factor: Expr, parameter: Symbol, domain: Domain) -> Expr:
    """Solve ``factor = 0``, with ``factor`` from :func:`essential`.

    It must be linear or quadratic in the parameter or in one exponential of it; of a
    quadratic whose roots have opposite signs the positive one is meant.

    Raises
    ------
    NoClosedForm
        If the parameter enters in another way.
    """
    field = ExpField([factor])
    poly = field.ratio(factor).numer
    inside = [y for y, e in field.exponents.items() if parameter in symbols_of(e)]
    if not inside:
        return _root(field, poly, parameter, domain)
    if parameter in poly.ring.symbols and max(_by_powers(poly, parameter), default=0) > 0:
        raise NoClosedForm(f"{parameter} is both inside and outside an exponential")
    if len(inside) != 1:
        raise NoClosedForm(f"{parameter} is in {len(inside)} independent exponentials")
    (y,) = inside
    level = _root(field, poly, y, domain)
    # Of a quadratic it is the positive root.
    if max(_by_powers(poly, y), default=0) == 1 and not is_proved_positive(level, domain):
        raise NoClosedForm(f"no exponential is known to reach the level {level}")
    # exp(E) = level, and E is a ratio of polynomials in the parameter. The logarithm that
    # is positive for the larger number is the one to show.
    falls = is_proved_positive(-field.exponents[y], domain)
    target = Symbol("_level", real=True)
    equation = field.exponents[y]
    if level != 1:
        equation += target if falls else -target
    inner = ExpField([equation])
    linear = inner.ratio(equation).numer
    root = _linear_root(linear, parameter)
    value = log(tidy(1 / level) if falls else level, evaluate=False)
    return tidy(inner.back(root)).xreplace({target: value})


def _rate(factor: Expr, parameter: Symbol, domain: Domain) -> tuple[Expr, Expr, bool]:
    """The condition over a power, its derivative, and whether that is positive or negative.

    A quadratic a y^2 + b y - c need not be monotone in y > 0, but over y it is.
    """
    ys = in_order(e for e in factor.atoms(exp) if parameter in symbols_of(e))
    if parameter.is_positive:
        ys.append(parameter)
    for form in chain((factor,), ((factor / y).expand() for y in ys)):
        rate = derivative(form, parameter)
        for rises in (True, False):
            if is_proved_positive(rate if rises else -rate, domain):
                return form, rate, rises
    raise NoClosedForm(f"the condition is not known to be monotone in {parameter}")


def _split_exponents(condition: Expr, parameter: Symbol) -> Expr:
    """Write exp(A + k q) as exp(A) exp(k q), so that q is in as few exponentials as can be."""
    rules = {}
    for e in condition.atoms(exp):
        exponent = e.args[0]
        if parameter not in symbols_of(exponent):
            continue
        slope = derivative(exponent, parameter)
        if parameter in slope.free_symbols:
            continue
        rest = exponent.xreplace({parameter: S.Zero})
        if rest != 0:
            rules[e] = exp(tidy(rest)) * exp(tidy(slope) * parameter)
    return condition.xreplace(rules)


def _by_powers(poly: Poly, y: Symbol) -> dict[int, Poly]:
    return poly.by_powers(poly.ring.symbols.index(y))


def _root(field: ExpField, poly: Poly, y: Symbol, domain: Domain) -> Expr:
    """Root of a polynomial that is linear or quadratic in one generator."""
    parts = _by_powers(poly, y)
    if max(parts, default=0) != 2:
        return tidy(field.back(_linear_root(poly, y)))
    c0, c1, c2 = (field.back(parts.get(k, poly.ring.zero)) for k in range(3))
    for sign in (1, -1):
        ends = (sign * c2, -sign * c0)
        if all(is_proved_positive(end, domain) for end in ends):
            c0, c1, c2 = sign * c0, sign * c1, sign * c2
            return tidy(-c1 / (2 * c2)) + sqrt(tidy(c1**2 - 4 * c2 * c0)) / tidy(2 * c2)
    raise NoClosedForm("a quadratic whose roots are not known to be of opposite sign")


def _linear_root(poly: Poly, y: Symbol) -> Quotient:
    """-c0/c1 for a polynomial c0 + c1 * generator."""
    parts = _by_powers(poly, y)
    if max(parts, default=0) != 1:
        raise NoClosedForm(f"the condition has degree {max(parts, default=0)} in {y}")
    return Quotient(-parts.get(0, poly.ring.zero), parts[1])
