"""Are two expressions equal on a domain? Exactly, by cases, or only as far as points tell.

The normal form decides most of it. What it takes as unknowns is brought together first:
logarithms are split over the factors of their arguments, roots likewise, and maxima are
matched by their arguments. Case distinctions are compared case by case.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache

from sympy import (
    Abs,
    Dummy,
    Expr,
    Max,
    Min,
    Piecewise,
    S,
    Symbol,
    exp,
    log,
    oo,
)
from sympy.core.evalf import PrecisionExhausted
from sympy.core.relational import Relational

from .ball import NoValue
from .cases import POINTS, NotSplit, opened, regions, resolved, with_signed_logs
from .decide import positive
from .defined import Condition, conditions
from .domain import Domain, Range
from .evidence import Evidence, Grade, Holds, Outcome, Refuted, Undecided
from .factors import proves_positive
from .normal import ExpField, in_order, vanishes
from .number import DIGITS, agree, digits
from .root import ClampedRoot
from .splitting import argument, bases, branching, split_logs, split_roots
from .wanting import closed_again, is_isolated, lost_at_ends, place, wanting

#: Points with nothing special about them that are tried, and the fewest that are any support.
GENERIC, FEWEST = 24, 8
FIRST = 4  #: points looked at before a proof is tried
#: This many digits may be lost to rounding where values are compared.
LOST = 15
NOT_THERE = "the values differ there"
CLOSE = S(10) ** (LOST - DIGITS)


def equal(
    printed: Expr,
    derived: Expr,
    domain: Domain,
    needs: Iterable[Condition] = (),
    *,
    removable: bool = False,
    where: Expr | None = None,
) -> Outcome:
    """Decide whether two expressions agree everywhere on a domain.

    A printed expression that has no real value somewhere does not agree there, unless the
    derived one has none either. Evidence is exact, or sampled where only values at admissible
    points speak for it.

    Parameters
    ----------
    needs
        What the printed expression needed for a value before it was simplified.
    removable
        Whether zeros of a divisor are allowed that do not fill the domain, where it is proved
        that the two agree everywhere else.
    where
        What has a value wherever the printed expression must have one, if not the derived one.
    """
    asked = [*needs, *conditions(_outside_cases(printed))]
    if printed == derived and not asked:
        return Holds(Evidence(Grade.EXACT, "identical"))
    points = _points(domain, printed.free_symbols | derived.free_symbols)
    first = _compared(printed, derived, points[:FIRST])
    if isinstance(first, Refuted):
        return first
    explicit, where = where is None, derived if where is None else where
    lacking = wanting(asked, where, domain)
    lacking += lost_at_ends(asked, printed, where, domain, explicit=explicit)
    if lacking:
        lacking += _resting_on_them(asked, where, domain)
    if not all(is_isolated(c, domain) for c in lacking):
        return _lacking(lacking, printed, derived, where, domain)
    found = _decided(printed, derived, domain, points)
    if not lacking or isinstance(found, Refuted):
        return found
    if isinstance(found, Holds) and found.evidence.grade is Grade.EXACT:
        return _with_singularities(found, lacking, where, domain, removable)
    return _lacking(lacking, printed, derived, where, domain)


def is_proved_equal(printed: Expr, derived: Expr, domain: Domain) -> bool:
    """Whether the two are proved equal wherever the derived one has a value.

    Unlike :func:`equal` this looks at no points, and distinguishes no cases.
    """
    if printed == derived:
        return True
    if wanting(conditions(printed), derived, domain):
        return False
    if _proved(printed, derived, domain, deep=False):
        return True
    # Real numbers are equal if their exponentials are: a quotient under a logarithm stays one.
    ratio = exp(printed - derived)
    if not printed.has(log) or ratio.has(log):
        return False
    return vanishes(split_roots(ratio - 1, domain))


def _decided(printed: Expr, derived: Expr, domain: Domain, points: list[Point]) -> Outcome:
    """Proved, refuted or supported, where both have a value."""
    if _proved(printed, derived, domain):
        return Holds(Evidence(Grade.EXACT, "the residual is identically zero"))
    cases = _by_cases(printed, derived, domain)
    if isinstance(cases, Holds):
        return cases
    count = _compared(printed, derived, points)
    if isinstance(count, Refuted):
        return count
    for point in points[:FIRST]:  # what is equal to so many digits may still be seen to differ
        if _are_apart(printed, derived, point):
            return Refuted.at(point, f"they differ there, and agree to {DIGITS - LOST} digits")
    if count >= FEWEST:
        how = f"equal to {DIGITS - LOST} digits at {count} admissible points; not proved"
        return Holds(Evidence(Grade.SAMPLED, how))
    return Undecided(f"not proved, and values at only {count} admissible points to go by")


def _resting_on_them(asked: list[Condition], where: Expr, domain: Domain) -> list[Condition]:
    """Signs that were proved of what has no value everywhere: they may change at a pole."""
    return [
        c
        for c in asked
        if c.need in ("> 0", ">= 0") and wanting(conditions(c.argument), where, domain)
    ]


def _outside_cases(e: Expr) -> Expr:
    """An expression without what stands in case distinctions, which is asked case by case."""
    return e.xreplace({p: Dummy("case", real=True) for p in e.atoms(Piecewise)})


def _lacking(
    lacking: list[Condition], printed: Expr, derived: Expr, where: Expr, domain: Domain
) -> Outcome:
    """What is said of a printed expression that is not proved to have a value everywhere."""
    for c in lacking:
        if c.need in ("!= 0", "> 0") and _is_nothing(c.argument, domain):
            return Refuted.at(domain.witness, f"{c.part} has no value anywhere")
        point = place(c, where, domain)
        if point is not None:
            return Refuted.at(point, f"{c.part} has no value there")
    count = _compared(
        printed, derived, _points(domain, printed.free_symbols | derived.free_symbols)
    )
    if isinstance(count, Refuted):
        return count
    return Undecided(f"that {lacking[0].part} has a value everywhere was not proved")


def _is_nothing(e: Expr, domain: Domain) -> bool:
    """Whether an expression is proved to be zero everywhere."""
    return e.free_symbols <= set(domain.ranges) and _proved(e, S.Zero, domain)


def _with_singularities(
    found: Holds, lacking: list[Condition], derived: Expr, domain: Domain, removable: bool
) -> Outcome:
    shown = " and ".join(dict.fromkeys(f"{c.argument} = 0" for c in lacking))
    if removable:
        how = f"{found.evidence.how}; removable singularities where {shown}"
        return Holds(replace(found.evidence, how=how))
    note = f"equal but for a removable singularity: no value where {shown}"
    for c in lacking:
        point = place(c, derived, domain)
        if point is not None:
            return Refuted.at(point, note)
    return Undecided(f"{note}, if that happens on the domain")


Point = dict[Symbol, Expr]


def _compared(printed: Expr, derived: Expr, points: list[Point]) -> Refuted | int:
    """The first point at which the two differ, or the number at which they agree."""
    count = 0
    for point in points:
        note = _of_cases(printed, point) or _difference(printed, derived, point)
        if note:
            return Refuted.at(point, note)
        count += note is not None
    return count


def _difference(printed: Expr, derived: Expr, point: Point) -> str | None:
    """How two values differ; empty if they agree, None where that cannot be told.

    At an edge a value may only exist as a limit, and too much may cancel: such points tell
    nothing.
    """
    other = value_at(derived, point)
    if not other.is_real:
        return None
    one = value_at(printed, point)
    if one is S.ImaginaryUnit:
        return "the printed expression has no real value there"
    try:
        same = agree(_put_in(printed, point), _put_in(derived, point), DIGITS - LOST)
    except (NoValue, TypeError, ValueError, ArithmeticError):
        if one is S.NaN:
            return None
        same = bool(abs(one - other) <= CLOSE * (1 + abs(other)))
    if same is False:
        return " is not ".join(apart_in_text(one, other, 6)) if one.is_real else NOT_THERE
    return "" if same else None


def apart_in_text(one: Expr, other: Expr, least: int) -> tuple[str, str]:
    """Two numbers, with more digits than ``least`` if they would look the same."""
    texts = [(str(one.n(k)), str(other.n(k))) for k in (least, DIGITS)]
    return texts[texts[0][0] == texts[0][1]]


def _are_apart(printed: Expr, derived: Expr, point: Point) -> bool:
    try:
        return agree(_put_in(printed, point), _put_in(derived, point)) is False
    except (NoValue, TypeError, ValueError, ArithmeticError):
        return False


def _put_in(expression: Expr, point: Mapping[Symbol, Expr]) -> Expr:
    """The number at a point; roots that are clamped take their end."""
    at_point = expression.xreplace(dict(point))
    return at_point.xreplace({r: r.settled() for r in at_point.atoms(ClampedRoot)})


def _of_cases(printed: Expr, point: Point) -> str:
    """What is wrong with a case distinction at a point: no case applies, or two that differ."""
    for told in printed.atoms(Piecewise):
        try:
            settled = [(v, c.xreplace(point)) for v, c in told.args]
        except TypeError:  # a bound that is infinite there
            continue
        if any(c not in (S.true, S.false) for _, c in settled):
            continue
        # The last one without a condition is for what is left.
        plain = [v for (v, c), (_, said) in zip(settled, told.args, strict=True)
                 if c == S.true and said != S.true]  # fmt: skip
        if not plain and told.args[-1].cond != S.true:
            return "no case of the printed distinction applies there"
        values = [v for v in (value_at(v, point) for v in plain) if v.is_real]
        if any(abs(v - values[0]) > CLOSE * (1 + abs(v)) for v in values):
            return "two cases of the printed distinction apply there, and they differ"
    return ""


def _points(domain: Domain, used: set[Symbol]) -> list[Point]:
    """Admissible points in the symbols that are used, the simplest first."""
    if not used <= set(domain.ranges):
        return []
    witness = tuple(domain.witness.items())
    return list(_places(tuple(domain.ranges.items()), witness, frozenset(used)))


@lru_cache(maxsize=256)
def _places(
    ranges: tuple[tuple[Symbol, Range], ...],
    witness: tuple[tuple[Symbol, Expr], ...],
    used: frozenset[Symbol],
) -> tuple[Point, ...]:
    domain = Domain.of_ranges(dict(ranges))
    found: dict[tuple[Expr, ...], Point] = {}
    order = in_order(used)
    for point in (dict(witness), *domain.points(POINTS), *domain.generic_points(GENERIC)):
        found.setdefault(tuple(point[s] for s in order), {s: point[s] for s in order})
    return tuple(sorted(found.values(), key=lambda p: (_size(p), str(p))))


def _size(point: Mapping[Symbol, Expr]) -> int:
    return sum(abs(v.p) + v.q for v in point.values() if v.is_Rational)


def value_at(expression: Expr, point: Mapping[Symbol, Expr]) -> Expr:
    """The value to 50 digits; ``nan`` if none is found, ``I`` if it is not real.

    Roots that are clamped take their end. A logarithm or an even root of a negative number
    is not real, even where imaginary parts would cancel.
    """
    try:
        at_point = _put_in(expression, point)
        inside = [argument(e).xreplace(dict(point)) for e in branching(expression)]
        if any(e.is_number and digits(e) < 0 for e in inside):
            return S.ImaginaryUnit
        value = digits(at_point)
    except (PrecisionExhausted, TypeError, ValueError, ArithmeticError):
        return S.NaN
    if value.is_real is False and value.is_finite:
        return S.ImaginaryUnit
    return value if value.is_real and value.is_finite else S.NaN


def _proved(printed: Expr, derived: Expr, domain: Domain, *, deep: bool = True) -> bool:
    """Whether they are proved equal; ``deep`` is with logarithms and roots inside maxima split."""
    one, other = _with_opaque([printed, derived], domain if deep else None)
    if not all(proves_positive(b, domain) for b in bases(one) | bases(other)):
        return False
    if vanishes(one - other):
        return True
    if not all(proves_positive(argument(e), domain) for e in branching(one) | branching(other)):
        return False
    return vanishes(split_logs(split_roots(one - other, domain)))


def _with_opaque(expressions: list[Expr], domain: Domain | None) -> list[Expr]:
    """Put one unknown for equal roots, maxima and minima, which the normal form does not know."""
    known: list[tuple[Expr, Symbol]] = []
    for _ in range(4):  # from the inside out
        rules = {}
        for e in expressions:
            for atom in in_order(e.atoms(Max, Min, ClampedRoot)):
                inner = atom.atoms(Max, Min, ClampedRoot) - {atom}
                if inner or atom in rules:
                    continue
                same = [d for other, d in known if _same(atom, other, domain)]
                rules[atom] = same[0] if same else _opaque(atom, domain)
                known.append((atom, rules[atom]))
        if not rules:
            break
        expressions = [e.xreplace(rules) for e in expressions]
    return expressions


def _opaque(atom: Expr, domain: Domain | None) -> Symbol:
    """An unknown for a maximum, a minimum or a root, positive where that is proved."""
    which = {Min: all, Max: any}.get(atom.func)
    if domain is not None and which and which(proves_positive(a, domain) for a in atom.args):
        return Dummy("opaque", positive=True)
    return Dummy("opaque", real=True)


def _same(one: Expr, other: Expr, domain: Domain | None) -> bool:
    if one == other:
        return True
    if isinstance(one, ClampedRoot) or one.func is not other.func:
        return False
    left = [*other.args]
    if len(one.args) != len(left) or len(left) > 4:
        return False
    for a in one.args:
        same = next((b for b in left if _is_one(a, b, domain)), None)
        if same is None:
            return False
        left.remove(same)
    return True


def _is_one(one: Expr, other: Expr, domain: Domain | None) -> bool:
    return vanishes(one - other) if domain is None else _proved(one, other, domain)


def _by_cases(printed: Expr, derived: Expr, domain: Domain) -> Outcome:
    """Compare on each case of a case distinction, with maxima decided there."""
    closed = domain
    plain = [resolved(e, opened(domain)) if e.has(Abs) else e for e in (printed, derived)]
    (one, other), domain = with_signed_logs(plain, opened(domain))
    told = [p for e in (one, other) for p in in_order(e.atoms(Piecewise))]
    values, bounds = _in_cases(printed)
    # A threshold may be infinite at an end of the domain.
    if wanting(bounds, derived, domain):
        return Undecided("a bound of a case is not proved to have a value")
    doubtful = wanting(values, derived, closed)
    # These logarithms are unknowns now, of which no part would say that they need a value.
    if wanting((c for c in doubtful if not one.has(c.part)), derived, domain):
        return Undecided("a case is not proved to have a value")
    try:
        parts = regions(told, domain, closed, frozenset(one.atoms(Piecewise)))
    except NotSplit as error:
        return Undecided(str(error))
    for region in parts:
        printed_there, derived_there = resolved(one, region), resolved(other, region)
        if doubtful and wanting(
            conditions(printed_there), derived_there, closed_again(region, closed)
        ):
            return Undecided("a case is not proved to have a value")
        if not _proved(printed_there, derived_there, region):
            return Undecided("a case is not proved")
    how = f"the residual is zero in each of {len(parts)} cases (ends of the domain: continuity)"
    return Holds(Evidence(Grade.EXACT, how))


def _in_cases(printed: Expr) -> tuple[list[Condition], list[Condition]]:
    """What the values of case distinctions need, and what their bounds do."""
    values, bounds = list[Condition](), list[Condition]()
    for told in printed.atoms(Piecewise):
        for value, condition in told.args:
            values += conditions(value)
            for relation in condition.atoms(Relational):
                bounds += [c for side in relation.args for c in conditions(side)]
    return values, bounds


def same_root(equation: Expr, root: ClampedRoot, domain: Domain) -> Outcome:
    """Whether ``equation = 0`` says the same as the condition that defines a root.

    ``equation`` is in the root's own variable; the quotient of the two must be proved to
    keep one sign on the domain and the bracket.
    """
    h, x = root.equation()
    if equation == 0 or x not in equation.free_symbols:
        return Undecided("the equation does not contain the unknown")
    middle = domain.witness_of((root.low + root.high) / 2 if root.high is not oo else root.low + 1)
    inside = domain.with_range(x, Range(root.low, root.high, True, True), middle)
    field = ExpField([equation, h])
    quotient = field.factored(field(equation) / field(h))
    for sign in (1, -1):
        outcome = positive(sign * quotient, inside)
        if isinstance(outcome, Holds):
            return outcome
    return Undecided("the equation is not proved to have the same zeros")
