"""Trying a wording at the corners of its hypotheses and between, and proving it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import replace
from fractions import Fraction
from functools import cache, lru_cache, partial
from itertools import pairwise
from typing import Any, TypeVar

import mpmath
from sympy import Expr, Pow, Rational, S, oo

from ...decide.calculus import derivative
from ...decide.decide import positive
from ...decide.domain import Domain, DomainError
from ...decide.equal import equal
from ...decide.evidence import Evidence, Grade, Holds, Outcome, Undecided, weakest
from ...decide.exact import NotANumber, exact
from ...decide.exact import expression as closed_expression
from ...decide.limits.limit import NoLimit, limit
from ...decide.root import ClampedRoot
from ...frozen import Frozen, FrozenValue
from ...language.digits import DIGITS
from ...language.evaluate import Scene, Truth, judge, value
from ...language.nodes import Chain, Name, Node, Number, Within
from ...language.parser import Read, expression
from ...language.quantities import NoValue, Unknown, as_number
from ...language.symbolic import NotClosed, Writer, fixed
from ...optimum.reduction import reduced
from ...results import results
from ...theorem.result import Result
from ...vectors.embeddings import Embeddings
from .family import at_a_point, load
from .functions import Function
from .hypotheses import SYMBOLS, Condition, Hypotheses, letters_at, put_in
from .record import Wording

Point = Mapping[str, Any]  #: values of letters, and functions
Values = Mapping[str, Any]  #: what a record gives a named check, evaluated
Definitions = Mapping[str, tuple[tuple[str, ...], Node]]
#: Points that a formula is tried at; a family says at how many a statement about it is.
POINTS = 150
#: How many sets are tried at a point, and at how many points all of them are.
SETS, ALL_SETS_AT = 3, 3


class Trial(Frozen):
    """A wording at a point, on a set: whether it holds there (None: that is not known)."""

    holds: bool | None
    point: Point
    says: str = ""
    vectors: Embeddings | None = None
    letters: tuple[tuple[str, str], ...] = ()
    seen: frozenset[bool] = frozenset()
    simulated: bool = False


#: What a named check finds, one thing after the other: whether it holds (None: that is not known),
#: what is to be said where it does not, and the set on which it fails, if it made one.
Findings = Iterator[tuple[Any, str] | tuple[Any, str, Embeddings | None]]
Check = TypeVar("Check", bound=Callable[..., Findings])
#: A proof for what the engine is not asked by a formula.
NamedProof = Callable[[Domain], Outcome]


class Answer(FrozenValue):
    """What a named check came to at a point; ``simulated`` says that it drew numbers for it."""

    holds: bool | None
    says: str = ""
    vectors: Embeddings | None = None
    simulated: bool = False


#: A check for what no formula says: at a point, with what the record gives it, evaluated there.
CHECKS: dict[str, Callable[[Point, Mapping[str, Any]], Answer]] = {}
PROOFS: dict[str, NamedProof] = {}


def named_check(name: str, *, simulated: bool = False) -> Callable[[Check], Check]:
    """Register a function of letters (see :func:`.family.at_a_point`) as a check by name.

    It holds at a point if everything that the function yields does; the first that does not is
    what is said of it.
    """

    def register(check: Check) -> Check:
        if name in CHECKS:
            raise ValueError(f"two checks are called {name}")
        called = at_a_point(check)

        def answered(point: Point, values: Mapping[str, Any]) -> Answer:
            with closing(called(point, values)) as findings:
                for holds, says, *on in findings:
                    if holds is None or not holds:
                        known = None if holds is None else False
                        return Answer(known, says, on[0] if on else None, simulated)
            return Answer(True, simulated=simulated)

        CHECKS[name] = answered
        return check

    return register


def named_proof(name: str) -> Callable[[NamedProof], NamedProof]:
    """Register a proof by name."""

    def register(proof: NamedProof) -> NamedProof:
        if name in PROOFS or name in results:
            raise ValueError(f"two proofs are called {name}")
        PROOFS[name] = proof
        return proof

    return register


# --- trying ----------------------------------------------------------------------------------
def trials(
    wording: Wording,
    statements: list[Read] | None = None,
    definitions: Definitions | None = None,
    values: Mapping[str, Node] | None = None,
) -> Iterator[Trial]:
    """Try a wording everywhere, simplest points first.

    What else is given (a mutant) stands in place of its own.
    """
    if statements is not None:
        yield from _of_one(wording, statements, definitions, values)
        return
    for one in wording.signed():
        yield from _of_one(one, one.read(), None, None)


def _of_one(
    wording: Wording,
    statements: list[Read],
    definitions: Definitions | None,
    values: Mapping[str, Node] | None,
) -> Iterator[Trial]:
    hypotheses = with_specials(wording.hypotheses(), wording.read())
    definitions = wording.definitions() if definitions is None else definitions
    values = wording.values() if values is None else values
    limit = POINTS if wording.family is None else wording.family.most
    for k, (point, wrong) in enumerate(
        hypotheses.points(limit, wide=wording.family is None and not wording.check)
    ):
        if wrong:
            yield Trial(False, point, f"no value: {wrong}")
        elif wording.check and wording.family is not None:
            for e in _some(sets_of(wording, hypotheses, point), k):
                yield checked(wording, point, values, e)
        elif wording.check:
            yield checked(wording, point, values)
        else:
            for scene in _some(list(scenes(wording, point, definitions)), k):
                yield tried(statements, scene, point)


def sets_of(wording: Wording, hypotheses: Hypotheses, point: Point) -> list[Embeddings]:
    """The sets of its family at a point that its hypotheses admit."""
    assert wording.family is not None
    return [e for e in wording.family.make(point) if not hypotheses.refuses_set(e, point)]


def _some(every: list[Any], k: int) -> list[Any]:
    """All sets at the first points, and at each of the others a few in turn."""
    if k < ALL_SETS_AT or len(every) <= SETS:
        return every
    return [every[(SETS * k + i) % len(every)] for i in range(SETS)]


def checked(
    wording: Wording, point: Point, values: Mapping[str, Node], vectors: Embeddings | None = None
) -> Trial:
    """What a named check finds at a point; on a set of its family, which it gets as ``on``."""
    load(wording.package)
    if wording.check not in CHECKS:
        raise Unknown(f"unknown check {wording.check!r}")
    scene = scene_of(wording, point, vectors)
    try:
        with mpmath.workdps(DIGITS):
            try:
                known = {k: value(t, scene) for k, t in values.items()}
            except Unknown as error:
                return Trial(None, point, str(error.args[0]), vectors)
            at = point if vectors is None else {**point, "on": vectors}
            found = CHECKS[wording.check](at, known)
    except NoValue as error:
        return Trial(False, point, f"no value: {error}", vectors)
    at_set = found.vectors or vectors
    return Trial(found.holds, point, found.says, at_set, simulated=found.simulated)


def tried(statements: list[Read], scene: Scene, point: Point) -> Trial:
    """All statements of a wording on one set."""
    seen: frozenset[bool] = frozenset()
    for one in statements:
        try:
            truth: Truth = judge(one.tree, scene, one.bound)
        except Unknown as error:
            return Trial(None, point, str(error.args[0]), scene.vectors)
        except ZeroDivisionError:
            truth = Truth(False, "no value: division by zero")
        seen |= truth.seen
        if not truth.holds:
            return Trial(False, point, truth.says, scene.vectors, truth.at, seen)
    return Trial(True, point, "", scene.vectors, (), seen)


def scenes(
    wording: Wording, point: Point, definitions: Mapping[str, Any] | None = None
) -> Iterator[Scene]:
    """Every set of its family at a point; one scene without vectors if it is about none."""
    none = wording.family is None
    for e in [None] if none else sets_of(wording, wording.hypotheses(), point):
        found = scene_of(wording, point, e)
        yield found if definitions is None else replace(found, defined=definitions)


def _applied(function: Function) -> Callable[..., Any]:
    return lambda scene, argument: function.at(argument)


def _valued(name: str, point: Point, *_: Any, **__: Any) -> Any:
    return quantity(name, point)


def _derived_at(wording: Wording, point: Point) -> dict[str, Callable[..., Any]]:
    """What the names of a wording for derived quantities stand for at a point."""
    return {_key(k): partial(_valued, v, point) for k, v in wording.names.items()}


def scene_of(wording: Wording, point: Point, vectors: Embeddings | None) -> Scene:
    """One set given, instead of those of the family."""
    numbers = {s.name: as_number(v) for s, v in letters_at(point).items()}
    named = _derived_at(wording, point)
    for name, one in point.items():
        if isinstance(one, Function):
            named[name] = _applied(one)
    if vectors is not None and wording.family is not None:
        named = {**wording.family.named(vectors), **named}
    derived = {_key(k): DerivedAt(v, point) for k, v in wording.names.items()}
    return Scene(numbers, vectors, named, wording.definitions(), derived=derived, symbols=SYMBOLS)


class DerivedAt(FrozenValue):
    """A derived quantity at a point, which may be moved."""

    named: str
    point: Point

    def expression(self) -> Expr:
        """It in symbols."""
        return _derived(self.named)

    def value(self, moved_to: Mapping[str, Fraction], digits: int = DIGITS) -> Any:
        """Its value where some letters have other values."""
        moved = {k: Rational(v.numerator, v.denominator) for k, v in moved_to.items()}
        return quantity(self.named, {**self.point, **moved}, digits)


def _key(name: str) -> str:
    return str(getattr(expression(name), "full", name))


def quantity(named: str, point: Point, digits: int = DIGITS) -> Any:
    """The value of ``result.quantity`` at a point.

    Raises
    ------
    Unknown
        Where the result says nothing.
    """
    return _quantity(named, tuple(point.items()), digits)


@lru_cache(maxsize=4096)
def _quantity(named: str, place: tuple[tuple[str, Any], ...], digits: int) -> Any:
    point = dict(place)
    parts = parts_of_name(named)
    result = results[parts.result]
    at = letters_at(point)
    if parts.goes_to[0] or parts.quantity not in result.quantities:
        if not result.domain.contains({s: v for s, v in at.items() if s in result.domain.ranges}):
            raise Unknown(f"{named} is not derived there")
        at_point = _derived(named).xreplace(at)
        if at_point.free_symbols:
            raise Unknown(f"{named} needs {', '.join(sorted(map(str, at_point.free_symbols)))}")
        return as_number(at_point)
    wanted = {s.name for s in result.parameters}
    moved = {letter: put_in(_argument(other), at) for letter, other in parts.letters}
    if any(v is None for v in moved.values()):
        raise NoValue(f"{named} has no value")
    point = {**point, **moved}
    try:
        found = result.value(
            parts.quantity, digits, **{k: v for k, v in point.items() if k in wanted}
        )
    except (DomainError, TypeError, ValueError) as error:
        raise Unknown(f"{named} is not known: {error}") from None
    if found is None:
        raise Unknown(f"{named} has no value")
    written = result.quantity(parts.quantity).expression
    if written.is_rational_function():  # exactly: a root of what is near zero loses digits
        at_point = written.xreplace(letters_at(point))
        return as_number(at_point) if at_point.is_Rational else found
    return found


_NAMED = re.compile(r"^([a-z0-9-]+)\.(\w+(?:\.function)?)(?:\((.+)\))?$")
_PLACE = re.compile(r"^(\w+) (=|->) (.+)$")


class Named(FrozenValue):
    """``ssem.same_class(delta = x^2)``, ``supcl-threshold.alpha_min(tau -> 0)``, taken apart."""

    result: str
    quantity: str
    letters: tuple[tuple[str, str], ...] = ()  #: expressions in place of its own letters
    goes_to: tuple[str, str] = ("", "")


@cache
def parts_of_name(named: str) -> Named:
    """Read the name of a derived quantity."""
    found = _NAMED.match(named)
    places = [_PLACE.match(part.strip()) for part in (found[3] or "").split(",")] if found else []
    if found is not None and not found[3]:
        return Named(found[1], found[2])
    if (
        found is None
        or None in places
        or (len(places) > 1 and any(p and p[2] == "->" for p in places))
    ):
        raise Unknown(
            f"{named!r} is not RESULT.QUANTITY, nor that with (LETTER = VALUE, ...) "
            "or (LETTER -> END)"
        )
    pairs = tuple((p[1], p[3]) for p in places if p)
    if places[0] and places[0][2] == "->":
        return Named(found[1], found[2], (), pairs[0])
    return Named(found[1], found[2], pairs)


def with_specials(hypotheses: Hypotheses, statements: list[Read]) -> Hypotheses:
    """Try the ends that the statements name, too: ``iff delta in [0, 1]``, ``iff t > log N``."""
    found: dict[str, list[Expr]] = {}

    def visit(node: Node) -> None:
        if isinstance(node, Within) and isinstance(node.side, Name):
            for end in (node.low, node.high):
                if isinstance(end, Number):
                    add(node.side.base, S(end.value.numerator) / end.value.denominator)
        elif isinstance(node, Chain):
            for pair in pairwise(node.sides):
                for one, other in (pair, pair[::-1]):
                    letter = one.base if type(one) is Name and not one.subs else ""
                    r = hypotheses.ranges.get(letter)
                    if r is not None and not r.integer:
                        with suppress(NotClosed):
                            add(letter, Writer(SYMBOLS).expression(other))
        for part, _ in node.places():
            visit(part)

    def add(letter: str, end: Expr) -> None:
        step = S(1) / 100
        if letter == "delta" and not end.is_Rational:  # squared it stays rational, as sets need it
            found.setdefault(letter, []).extend([end, end * (1 + step), end * (1 - step)])
        else:
            found.setdefault(letter, []).extend([end, end + step, end - step])

    for one in statements:
        visit(one.tree)
    return replace(hypotheses, specials={k: tuple(v) for k, v in found.items()})


def equations(statements: list[Read]) -> list[Read]:
    """The same with every bound as an equality."""
    found = []
    for one in statements:
        tree = one.tree
        if isinstance(tree, Chain):
            relations = tuple("=" if r in ("<=", ">=") else r for r in tree.relations)
            tree = replace(tree, relations=relations)
        found.append(replace(one, tree=tree))
    return found


# --- proving ---------------------------------------------------------------------------------
def proof(wording: Wording, condition: Condition | None, inside: list[Trial]) -> Evidence | None:
    """A proof on all of the hypotheses and the condition, if the engine finds one.

    ``inside`` are the trials there: a result proves only what lies in its own domain.
    """
    try:
        domains = wording.hypotheses().domains(condition)
    except DomainError:
        return None
    predicates = condition is not None and any(
        r.predicate for part in condition.parts for r in part
    )
    if predicates and wording.proof not in results:
        return None  # only a derivation that is named can assume what no range says
    if wording.proof:
        return _named(wording, domains, inside)
    found: list[Evidence] = []
    if wording.check:
        return None
    for one in wording.signed():
        for domain in domains:
            for read in one.read():
                evidence = _closed(one, read, domain, inside)
                if evidence is None:
                    return None
                found.append(evidence)
    return weakest(found) if found else None


def _named(wording: Wording, domains: list[Domain], inside: list[Trial]) -> Evidence | None:
    if wording.proof in results:
        result = results[wording.proof]
        evidence = result.evidence
        how = f"derivation of {result.id} ({evidence.how})"
        if not _within(result.domain, inside):
            if not inside:
                return None
            how += f" for {_ranges(result.domain)}; at {len(inside)} places, corners too, elsewhere"
            return Evidence(Grade.SAMPLED, how)
        return Evidence(evidence.grade, how)
    load(wording.package)
    if wording.proof not in PROOFS:
        raise Unknown(f"unknown proof {wording.proof!r}")
    outcomes = [PROOFS[wording.proof](domain) for domain in domains]
    found = [o.evidence for o in outcomes if isinstance(o, Holds)]
    return weakest(found) if len(found) == len(outcomes) else None


def _within(domain: Domain, inside: list[Trial]) -> bool:
    """Whether all points tried lie in the domain of a result, for the letters they share."""
    for trial in inside:
        at = {s: v for s, v in letters_at(trial.point).items() if s in domain.ranges}
        if any(v in (oo, -oo) for v in at.values()):
            continue  # a limit
        if not domain.contains(at):
            return False
    return True


def _closed(wording: Wording, read: Read, domain: Domain, inside: list[Trial]) -> Evidence | None:
    """A proof of a chain of closed forms."""
    if not isinstance(read.tree, Chain):
        return None
    quantities = [*wording.names.values(), *([wording.about] if wording.about else [])]
    beyond = ""
    for of in quantities:
        result = results[of.partition(".")[0]]
        if not _within(result.domain, inside):
            # What is derived for part of the domain is proved there, and elsewhere tried.
            domain, beyond = _common(domain, result.domain), _ranges(result.domain)
    names = {_key(key): _derived(of) for key, of in wording.names.items()}
    writer = Writer(SYMBOLS, wording.definitions(), names, domain)
    try:
        sides = [writer.expression(side) for side in read.tree.sides[bool(wording.about) :]]
    except NotClosed:
        return None
    if wording.about:
        sides.insert(0, _derived(wording.about))
    only, domain = fixed(domain)
    sides = [side.xreplace(only) for side in sides]
    needs = [replace(c, argument=c.argument.xreplace(only)) for c in writer.needs]
    found: list[Evidence] = []
    for left, relation, right in zip(sides, read.relations, sides[1:], strict=False):
        outcome = _decided(left, relation, right, domain, needs)
        if not isinstance(outcome, Holds):
            outcome = _decided(left, relation, right, _wider(domain), needs)
        if not isinstance(outcome, Holds):
            return None
        found.append(outcome.evidence)
    if found and beyond:
        how = f"{weakest(found).how} for {beyond}; at {len(inside)} places, corners too, elsewhere"
        return Evidence(Grade.SAMPLED, how)
    return weakest(found) if found else None


def _common(one: Domain, other: Domain) -> Domain:
    """The ranges of a result, where its letters are those of the hypotheses."""
    ranges = {s: other.ranges.get(s, r) for s, r in one.ranges.items()}
    points = ({**one.witness, **p} for p in other.points(48))
    for point in points:
        try:
            return Domain(ranges, {s: point[s] for s in ranges})
        except DomainError:
            continue
    return one


def _ranges(domain: Domain) -> str:
    return ", ".join(f"{s} {r}" for s, r in domain.ranges.items() if r.integer and r.low > 1)


def _derived(named: str) -> Expr:
    parts = parts_of_name(named)
    result = results[parts.result]
    found: Expr = _expression(result, parts.quantity)
    letter, end = parts.goes_to
    if letter:
        try:
            return limit(found, SYMBOLS[letter], exact(end), result.domain)
        except NoLimit as error:
            raise Unknown(f"{named}: {error}") from None
    return found.xreplace({SYMBOLS[one]: _argument(other) for one, other in parts.letters})


def _argument(text: str) -> Expr:
    """What a letter of a derived quantity is to be."""
    try:
        return closed_expression(text, SYMBOLS)
    except NotANumber as error:
        raise Unknown(str(error)) from None


def _expression(result: Result, name: str) -> Expr:
    """A quantity; of a root the function (of x) that it is a zero of; the loss along the segment
    of a result, and its slope there."""
    if name in ("loss_along", "slope_along"):
        if result.problem is None or result.segment is None:
            raise Unknown(f"{result.id} is not about a segment")
        segment = result.segment()
        loss = reduced(result.problem).value(segment.inner)
        return loss if name == "loss_along" else derivative(loss, segment.x)
    quantity, _, function = name.partition(".")
    if quantity not in result.quantities:
        raise LookupError(f"{result.id} has no {quantity!r}; it has {', '.join(result.quantities)}")
    found: Expr = result.quantity(quantity).expression
    if function and not isinstance(found, ClampedRoot):
        raise Unknown(f"{result.id}.{quantity} is not defined as a root")
    return found.function(SYMBOLS["x"]) if function else found


def _decided(left: Any, relation: str, right: Any, domain: Domain, needs: list[Any]) -> Outcome:
    if relation == "!=":
        return Undecided("nothing is proved of what differs")

    def asked(one: Any, other: Any) -> Outcome:
        if relation == "=":
            return equal(other, one, domain, needs)
        gap = other - one if relation in ("<", "<=") else one - other
        return positive(gap, domain, strict=relation in ("<", ">"))

    def proved(found: Outcome) -> bool:
        return isinstance(found, Holds) and (relation != "=" or found.evidence.grade is Grade.EXACT)

    outcome = asked(left, right)
    if proved(outcome) or not (left.has(Pow) or right.has(Pow)):
        return outcome
    # Neither side is negative: their squares are compared, without the roots.
    if all(isinstance(positive(s, domain, strict=False), Holds) for s in (left, right)):
        squares = asked(left**2, right**2)
        return squares if proved(squares) else outcome
    return outcome


def _wider(domain: Domain) -> Domain:
    """Without the upper ends that are roots, which hinder the engine; a proof there holds here."""
    ranges = {
        s: replace(r, high=oo, high_open=True) if r.high.free_symbols and not r.integer else r
        for s, r in domain.ranges.items()
    }
    return Domain(ranges, domain.witness)
