"""The value and truth of a printed statement at a point, on one exact set of vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from math import ceil
from typing import Any, Protocol

import mpmath
from sympy import Expr, Symbol

from ..decide.root import ClampedRoot
from ..frozen import Frozen, FrozenValue
from . import nodes
from .digits import DIGITS
from .matrices import Matrix
from .nodes import INFINITY, Node
from .quantities import (
    Constant,
    Index,
    Interval,
    Moved,
    NoValue,
    Row,
    Unknown,
    Vector,
    compare,
    dot,
    exponential,
    known,
    mp,
    multiplied,
    over,
    plus,
    power,
    related,
    root,
    short,
    text,
    times,
    unsettled,
    vector,
)
from .symbolic import Definitions, NotClosed, Writer, compiled

#: Differences of derived quantities: their error is some STEP**2, below what is compared.
STEP, RATE_DIGITS = Fraction(1, 10**25), 80
Environment = Mapping[str, Any]
#: Under this name a family has the axes that its vectors have coordinates on.
AXES = "axes"
#: And under these the partner of an index, and the outcomes of a law: each a probability, a set,
#: and what is named on it.
PARTNER, OUTCOMES = "partner", "outcomes"
#: What is longer is not spelled out where an equivalence fails.
LONG = 250
#: How near a limit is looked at; all must agree, and the rest of the way is a line.
NEAR = (Fraction(1, 10**28), Fraction(1, 10**30), Fraction(1, 10**32))
SETTLED = mpmath.mpf(10) ** -24


class Derived(Protocol):
    """A derived quantity at a point."""

    def expression(self) -> Expr:
        """It in symbols."""

    def value(self, moved: Mapping[str, Fraction], digits: int = DIGITS) -> Any:
        """Its value where some letters have other values."""


class Scene(Frozen):
    """Where a statement is evaluated.

    Attributes
    ----------
    numbers
        Value of each name.
    vectors
        The set, if the statement is about one.
    named
        Vectors and sets by letter and indices, functions by name; as their family has them.
    defined
        What the record itself defines: name -> (letters, expression).
    symbols
        The symbol of each letter that can be differentiated in.
    """

    numbers: Mapping[str, Any]
    vectors: Any = None  #: a set as in :class:`.quantities.Vectors`
    named: Mapping[str, Any] = field(default_factory=dict)
    defined: Definitions = field(default_factory=dict)
    known: dict[Any, Any] = field(default_factory=dict, repr=False)  #: values of sums
    derived: Mapping[str, Derived] = field(default_factory=dict)  #: derived quantities by letter
    moved: Mapping[str, Fraction] = field(default_factory=dict)  #: letters with other values
    symbols: Mapping[str, Symbol] = field(default_factory=dict)

    def elsewhere(self, changed: Mapping[str, Any]) -> Scene:
        """The scene where letters have other values."""
        numbers, moved = {**self.numbers, **changed}, {**self.moved, **changed}
        return replace(self, numbers=numbers, moved=moved, known={})


class OfScene(FrozenValue):
    """What a letter with indices stands for where it depends on the numbers of the scene."""

    function: Callable[..., Any]


class Truth(FrozenValue):
    """Whether a statement holds, with what both sides came to where it does not."""

    holds: bool
    says: str = ""
    at: tuple[tuple[str, str], ...] = ()
    #: How often a condition ``A iff B`` was met and not met, both being needed for a test.
    seen: frozenset[bool] = frozenset()


def judge(node: Node, scene: Scene, bound: nodes.Bound | None = None) -> Truth:
    """Evaluate a statement, for all that it quantifies over.

    Raises
    ------
    Unknown
        If it uses a name that is not known.
    """
    with mpmath.workdps(DIGITS):
        seen: set[bool] = set()
        for env in assignments(bound or nodes.Bound(), scene):
            try:
                truth = _truth(node, scene, env)
            except NoValue as error:
                truth = Truth(False, f"no value: {error}")
            seen |= truth.seen
            if not truth.holds:
                return Truth(False, truth.says, _shown(env), frozenset(seen))
        return Truth(True, seen=frozenset(seen))


def _shown(env: Environment) -> tuple[tuple[str, str], ...]:
    out = []
    for name, member in env.items():
        if isinstance(member, dict):
            (a,) = member
            member = "(" + ", ".join(str(k + 1) for k in a) + ")"
        out.append((name, str(member)))
    return tuple(out)


def value(node: Node, scene: Scene, env: Environment | None = None) -> Any:
    """The value of one side: a number, a vector, or a list of indices."""
    with mpmath.workdps(DIGITS):
        return _value(node, scene, env or {})


# --- what bound names stand for ----------------------------------------------------------------
def assignments(
    bound: nodes.Bound, scene: Scene, env: Environment | None = None
) -> Iterator[dict[str, Any]]:
    """What bound names may stand for, one after the other."""
    env = env or {}
    if not bound.over:
        yield dict(env)
        return
    (name, where), rest = bound.over[0], replace(bound, over=bound.over[1:])
    if isinstance(where, nodes.Range) and where.free and name in env:  # bound outside
        yield from assignments(rest, scene, env)
        return
    for member in _members(where, scene, env):
        inner = {**env, name: member}
        if all(inner[a] != inner[b] for a, b in bound.apart if a in inner and b in inner):
            yield from assignments(rest, scene, inner)


def _members(where: Node, scene: Scene, env: Environment) -> list[Any]:
    """The members of a set, of indices or of vectors."""
    if isinstance(where, nodes.Range):
        low, high = (_value(end, scene, env) for end in (where.low, where.high))
        if high in (mpmath.inf,):
            raise Unknown("the sum has no upper limit")
        return list(range(int(low), int(high) + 1))
    if isinstance(where, nodes.Combined) and _is_of_indices(where):
        first, second = (_members(part, scene, env) for part in (where.one, where.other))
        return _combined(where.operation, first, second)
    if isinstance(where, nodes.Members) and all(
        isinstance(one, nodes.Name) and isinstance(env.get(one.base), int) for one in where.members
    ):
        return [_index(one, scene, env) for one in where.members]
    return [a if isinstance(a, int) else {a: Fraction(1)} for a in _set(where, scene, env)]


def _combined(operation: str, first: list[Any], second: list[Any]) -> list[Any]:
    if operation == "cup":
        return list(dict.fromkeys(first + second))
    without = set(second)
    return [k for k in first if k not in without]


def _is_of_indices(where: Node) -> bool:
    """Whether it is a part of some ``[N]``, and not of a set of vectors."""
    return isinstance(where, nodes.Range) or (
        isinstance(where, nodes.Combined) and _is_of_indices(where.one)
    )


def _set(where: Node, scene: Scene, env: Environment) -> list[Any]:
    """The indices of the vectors of a set."""
    if isinstance(where, nodes.Combined):
        first, second = (_set(part, scene, env) for part in (where.one, where.other))
        return _combined(where.operation, first, second)
    if isinstance(where, nodes.Members):
        return [a for one in where.members for a in _those(_value(one, scene, env))]
    if isinstance(where, nodes.Range):
        raise Unknown("a set of vectors was expected")
    found = _value(where, scene, env)
    if not isinstance(found, list):
        raise Unknown(f"{where} is not a set of vectors")
    return found


def _those(found: Any) -> Any:
    """The vectors that a member of a set stands for; an index stands for itself."""
    return [int(found)] if isinstance(found, Fraction) else found


# --- statements --------------------------------------------------------------------------
def _truth(node: Node, scene: Scene, env: Environment) -> Truth:
    return _TRUTHS[type(node)](node, scene, env)


def _connected(node: nodes.Connected, scene: Scene, env: Environment) -> Truth:
    first = _truth(node.one, scene, env)
    if node.how == "implies" and not first.holds:
        return Truth(True, seen=frozenset({False}))
    second = _truth(node.other, scene, env)
    verbs = ["holds" if t.holds else "does not hold" for t in (first, second)]
    says = f"{node.one} {verbs[0]}, {node.other} {verbs[1]}"
    if len(says) > LONG:
        told = [
            f"{verb} ({t.says})" if t.says else verb
            for verb, t in zip(verbs, (first, second), strict=True)
        ]
        says = f"the first part {told[0]}, the second {told[1]}"
    seen = second.holds if node.how == "iff" else first.holds
    return Truth(first.holds == second.holds, says, seen=frozenset({seen}))


def _and(node: nodes.And, scene: Scene, env: Environment) -> Truth:
    parts = (_truth(part, scene, env) for part in node.parts)
    return next((part for part in parts if not part.holds), Truth(True))


def _for_all(node: nodes.ForAll, scene: Scene, env: Environment) -> Truth:
    found = (_truth(node.relation, scene, inner) for inner in assignments(node.bound, scene, env))
    return next((one for one in found if not one.holds), Truth(True))


def _exists(node: nodes.Exists, scene: Scene, env: Environment) -> Truth:
    known = {name: Constant(name) for name in node.constants}
    return _truth(node.statement, scene, {**env, **known})


def _within(node: nodes.Within, scene: Scene, env: Environment) -> Truth:
    found, low, high = (_value(part, scene, env) for part in (node.side, node.low, node.high))
    good = compare(low, found, "<" if node.low_open else "<=") and compare(
        found, high, "<" if node.high_open else "<="
    )
    return Truth(good, f"{text(found)} in {text(low)} .. {text(high)}")


def _relations(node: nodes.Chain, scene: Scene, env: Environment) -> Truth:
    """From the last side on: of a definition that is what is printed."""
    right = _value(node.sides[-1], scene, env)
    for side, relation in zip(node.sides[-2::-1], node.relations[::-1], strict=True):
        left = _value(side, scene, env)
        if relation == "=":
            left, right = _settled(left, right)
        if not related(left, right, relation, scene.vectors):
            return Truth(False, _says(left, relation, right, scene))
        right = left
    return Truth(True)


def _settled(left: Any, right: Any) -> tuple[Any, Any]:
    """Both sides of an equation, one of which may say what a constant is."""
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Moved) and not isinstance(other, (Constant, Moved)):
            one.constant.value = times(Fraction(one.sign), plus(other, one.by, -1))
            return other, other
        if isinstance(one, Constant) and not isinstance(other, Constant):
            one.value = other
            return other, other
    return left, right


def _says(left: Any, relation: str, right: Any, scene: Scene) -> str:
    if isinstance(left, Matrix) and isinstance(right, Matrix):
        return _first_gap(left, relation, right)
    if isinstance(left, dict) or isinstance(right, dict):
        gap = plus(vector(left), vector(right), -1)
        return f"squared norm of the difference: {text(dot(gap, gap, scene.vectors))}"
    return f"{text(left)} {relation} {text(right)}"


def _first_gap(left: Matrix, relation: str, right: Matrix) -> str:
    """The first entry where two matrices differ."""
    if left.shape != right.shape:
        return f"matrices of shapes {left.shape} and {right.shape}"
    for i, (one, other) in enumerate(zip(left.rows, right.rows, strict=True), 1):
        for j, (a, z) in enumerate(zip(one, other, strict=True), 1):
            if not compare(a, z, "="):
                return f"entry {i}, {j}: {text(a)} {relation} {text(z)}"
    return f"equal matrices {relation}"


_TRUTHS: dict[type[Node], Callable[[Any, Scene, Environment], Truth]] = {
    nodes.Connected: _connected,
    nodes.And: _and,
    nodes.ForAll: _for_all,
    nodes.Exists: _exists,
    nodes.Within: _within,
    nodes.Chain: _relations,
}


# --- names ---------------------------------------------------------------------------------
def _value(node: Node, scene: Scene, env: Environment) -> Any:
    return _VALUES[type(node)](node, scene, env)


def _name(node: nodes.Name, scene: Scene, env: Environment) -> Any:
    base, subs, mark = node.base, node.subs, node.mark
    if base in env and not subs:
        found = _constant(env[base])
        if mark == "+" and isinstance(found, int) and PARTNER in scene.named:
            found = scene.named[PARTNER](found)
        return Fraction(found) if isinstance(found, int) else found
    if base in scene.defined:
        letters, body = scene.defined[base]
        if len(letters) == len(subs):
            outside = {k: v for k, v in env.items() if isinstance(v, int)}
            own = dict(zip(letters, _indices(subs, scene, env), strict=True))
            return _kept(body, scene, {**outside, **own})
    plain = node.full
    full = plain + (f"^{mark}" if mark else "")
    if isinstance(env.get(full), Constant):
        return _constant(env[full])
    for key in (full, base):
        if key in scene.numbers and (key == full or not subs):
            return scene.numbers[key]
    if full in scene.defined:
        return _value(scene.defined[full][1], scene, env)
    if scene.moved and plain in scene.derived:
        return scene.derived[plain].value(scene.moved)
    if full in scene.named and subs:
        return scene.named[full]()
    if base in scene.named:
        one, indices = scene.named[base], _indices(subs, scene, env)
        if isinstance(one, OfScene):
            return one.function(scene, *indices, mark=mark)
        return one(*indices, mark=mark)
    raise Unknown(f"the name {full!r} is not known")


def _constant(found: Any) -> Any:
    """What a constant was said to be, where an equation settled it."""
    return found.value if isinstance(found, Constant) and found.value is not None else found


def _call(node: nodes.Call, scene: Scene, env: Environment) -> Any:
    base, arguments = node.base, node.arguments
    if not node.mark and node.full in scene.defined:
        return _defined(node, *scene.defined[node.full], scene, env)
    if not arguments and base in scene.derived:  # a loss along a segment
        return scene.derived[base].value(scene.moved)
    label = "".join(s.base if isinstance(s, nodes.Name) else str(s) for s in node.subs) + node.mark
    key = f"{base}_{label}" if label else base
    if key not in scene.named:
        raise Unknown(f"the function {key!r} is not known")
    if base == "L":  # a loss is that of the set of the scene
        for one in arguments:
            (_set if isinstance(one, (nodes.Combined, nodes.Members)) else _value)(one, scene, env)
        return scene.named[key](scene)
    return scene.named[key](scene, *(_value(one, scene, env) for one in arguments))


def _defined(
    node: nodes.Call, letters: tuple[str, ...], body: Node, scene: Scene, env: Environment
) -> Any:
    """The value of a function that a record defines; the limit, if an argument is infinite."""
    if len(letters) != len(node.arguments):
        raise NoValue(f"{node.base} takes {len(letters)} arguments, not {len(node.arguments)}")
    pairs = list(zip(letters, node.arguments, strict=True))
    far = [name for name, argument in pairs if argument == INFINITY]
    if far:
        near = tuple(nodes.Name(name) if name in far else argument for name, argument in pairs)
        ends = tuple((name, INFINITY) for name in far)
        return _at(nodes.At(replace(node, arguments=near), ends), scene, env)
    values = {name: _value(argument, scene, env) for name, argument in pairs}
    return _kept(body, scene, {**env, **values})


def _indices(subs: Sequence[Node], scene: Scene, env: Environment) -> list[Any]:
    return [_index(s, scene, env) for s in subs]


def _index(node: Node, scene: Scene, env: Environment) -> Any:
    if isinstance(node, nodes.Word):
        return node.text
    if isinstance(node, nodes.Subset):
        return tuple(_set(node.members, scene, env))
    found = _value(node, scene, env)
    if not isinstance(found, (int, Fraction)) or Fraction(found).denominator != 1:
        raise Unknown(f"{node} is not an index")
    return int(found)


def _kept(body: Node, scene: Scene, env: Environment) -> Any:
    """The value of what a record defines, remembered for all that it depends on."""
    used = ("used", id(body))
    if used not in scene.known:
        scene.known[used] = (body, _depends_on(body, scene))
    names = [n for n in scene.known[used][1] if n in env]
    if any(not isinstance(env[n], (int, Fraction, mpmath.mpf, dict)) for n in names):
        return _value(body, scene, env)
    return _remembered(body, names, scene, env, _value)


def _depends_on(body: Node, scene: Scene) -> list[str]:
    """Names that a definition uses, and those that these are defined by."""
    found, left = set[str](), set(body.names)
    while left:
        found |= left
        bodies = (d[1] for n, d in scene.defined.items() if n.partition("_")[0] in left)
        left = set[str]().union(*(b.names for b in bodies)) - found
    return sorted(found)


def _remembered(
    node: Node, names: Sequence[str], scene: Scene, env: Environment, compute: Callable[..., Any]
) -> Any:
    """A value that depends on what names stand for, computed once for each of that."""
    frozen = ((n, env[n]) for n in names)
    key = (id(node), *((n, tuple(v.items()) if isinstance(v, dict) else v) for n, v in frozen))
    if key not in scene.known:
        # With the node, so that its id stays its own.
        scene.known[key] = (node, compute(node, scene, env))
    return scene.known[key][1]


# --- expressions -----------------------------------------------------------------------------
def _sum(node: nodes.Sum, scene: Scene, env: Environment) -> Any:
    total: Any = None
    waiting: list[tuple[Constant, int]] = []
    for sign, part in node.terms:
        found = _value(part, scene, env)
        factor = -1 if sign == "-" else 1
        if isinstance(found, Constant):
            waiting.append((found, factor))
        elif total is None:
            total = times(Fraction(factor), found)
        else:
            total = plus(total, found, factor)
    if len(waiting) > 1:
        raise unsettled(waiting[0][0])
    return Moved(*waiting[0], Fraction(0) if total is None else total) if waiting else total


def _product(node: nodes.Product, scene: Scene, env: Environment) -> Any:
    total: Any = None
    for operation, part in node.factors:
        found = _value(part, scene, env)
        if operation == "/":
            total = over(total, found, node)
        elif total is None:
            total = found
        else:
            total = multiplied(total, found, scene.vectors, scene.named.get(AXES))
    return total


def _quotient(node: nodes.Quotient, scene: Scene, env: Environment) -> Any:
    above, below = _value(node.above, scene, env), _value(node.below, scene, env)
    return over(above, below, node)


def _power(node: nodes.Power, scene: Scene, env: Environment) -> Any:
    base, exponent = node.base, node.exponent
    if base == nodes.Name("e") and "e" not in scene.numbers:
        return mpmath.exp(mp(_value(exponent, scene, env)))
    if (
        isinstance(base, nodes.Applied)
        and exponent == nodes.Number(Fraction(2))
        and base.function in _SQUARED
    ):
        return _SQUARED[base.function](_value(base.argument, scene, env), scene)
    return power(_value(base, scene, env), _value(exponent, scene, env), node)


def _squared_norm(found: Any, scene: Scene) -> Any:
    return dot(vector(found), vector(found), scene.vectors)


def _squared_entries(found: Any, scene: Scene) -> Any:
    """The squared norm of Frobenius."""
    if not isinstance(found, Matrix):
        raise Unknown("the Frobenius norm is defined for matrices")
    return reduce(plus, (times(v, v) for row in found.rows for v in row), Fraction(0))


_SQUARED = {"norm": _squared_norm, "frobenius": _squared_entries}


def _applied(node: nodes.Applied, scene: Scene, env: Environment) -> Any:
    if node.function in _OF_VALUES:
        return _OF_VALUES[node.function](_value(node.argument, scene, env), node, scene)
    if node.function not in _APPLIED:
        raise Unknown(f"{short(node)} is not known")
    return _APPLIED[node.function](node.argument, scene, env)


def _norm(found: Any, node: nodes.Applied, scene: Scene) -> Any:
    return root(_SQUARED[node.function](found, scene), node)


def _ceiling(found: Any, node: nodes.Applied, scene: Scene) -> Any:
    if not isinstance(found, Fraction):
        raise Unknown(f"a ceiling is taken of rational numbers only: {short(node)}")
    return Fraction(ceil(found))


def _function(found: Any, node: nodes.Applied, scene: Scene) -> Any:
    if isinstance(found, dict):
        return _by_element(node.function, found, scene)
    argument = mp(found)
    if node.function == "log":
        if argument <= 0:
            raise NoValue(f"the logarithm of what is not positive in {short(node)}")
        return Fraction(0) if argument == 1 else mpmath.log(argument)
    return exponential(found) if isinstance(found, Fraction) else mpmath.exp(argument)


def _by_element(name: str, found: Vector, scene: Scene) -> Vector:
    """The exponential of a vector, where there are axes that say what its elements are."""
    if AXES not in scene.named or name != "exp":
        raise Unknown(f"{name} is not defined for a vector")
    axes = scene.named[AXES]()
    return {b: exponential(dot(found, {b: Fraction(1)}, scene.vectors)) for b in axes}


def _cosine(node: nodes.Cosine, scene: Scene, env: Environment) -> Any:
    """The cosine of two vectors, which the zero vector has with none."""
    one, other = (vector(_value(part, scene, env)) for part in (node.one, node.other))
    squares = [_squared_norm(v, scene) for v in (one, other)]
    if any(compare(s, Fraction(0), "=") for s in squares):
        raise NoValue("the zero vector has no cosine with any")
    return over(dot(one, other, scene.vectors), root(times(*squares)), node)


def _interval(node: nodes.Interval, scene: Scene, env: Environment) -> Any:
    low, high = (_value(end, scene, env) for end in (node.low, node.high))
    return Interval(low, high, node.low_open, node.high_open)


# --- sums over something, and the largest of some ------------------------------------------------
def _big(node: nodes.Big, scene: Scene, env: Environment) -> Any:
    names = [n for n in sorted(node.names) if n in env]
    return _remembered(node, names, scene, env, _summed)


def _summed(node: nodes.Big, scene: Scene, env: Environment) -> Any:
    found = [_value(node.body, scene, inner) for inner in assignments(node.bound, scene, env)]
    if node.what == "sum":
        total: Any = Fraction(0)
        for one in found:
            total = one if isinstance(total, Fraction) and total == 0 else plus(total, one)
        return total
    if node.what == "prod":
        return reduce(times, found, Fraction(1))
    if not found:
        raise NoValue(f"{node.what} over an empty set")
    return _best(node.what, found)


def _best(what: str, found: list[Any]) -> Any:
    better = ">" if what == "max" else "<"
    return reduce(lambda best, one: one if compare(one, best, better) else best, found)


# --- derivatives and limits ----------------------------------------------------------------------
def _derivative(node: nodes.Derivative, scene: Scene, env: Environment) -> Any:
    """A derivative: of a closed form by the rules, of what was derived by differences."""
    body = node.body
    used = {n: scene.derived[n].expression() for n in body.names if n in scene.derived}
    if any(e.has(ClampedRoot) for e in used.values()):
        if type(body) is not nodes.Name or node.order != 1:
            raise Unknown("the derivative of a root is taken only of the root itself")
        return _rate(scene.derived[body.base], node.letter, scene)
    try:
        function, letters = compiled(Writer(scene.symbols, scene.defined, used).expression(node))
    except NotClosed as error:
        raise Unknown(str(error)) from None
    values = {**scene.numbers, **env}
    names = [s.name for s in letters]
    missing = [n for n in names if n not in values]
    if missing:
        raise Unknown(f"the name {missing[0]!r} is not known")
    try:
        found = function(*(mp(values[n]) for n in names))
    except ZeroDivisionError:
        raise NoValue(f"division by zero in {short(node)}") from None
    if isinstance(found, mpmath.mpc):  # the rules take the logarithm of what is negative
        raise NoValue(f"no real number in {short(node)}")
    return found


def _rate(quantity: Derived, letter: str, scene: Scene) -> Any:
    """A central difference, so fine that 40 digits are right."""
    here = scene.numbers[letter]
    if not isinstance(here, Fraction):
        here = Fraction(str(mpmath.nstr(here, DIGITS)))
    ends = [quantity.value({letter: here + s * STEP}, RATE_DIGITS) for s in (1, -1)]
    if any(mpmath.isinf(e) for e in ends):
        if ends[0] == ends[1]:
            return Fraction(0)
        raise NoValue("no derivative: the quantity is infinite on one side")
    with mpmath.workdps(RATE_DIGITS):
        return (ends[0] - ends[1]) / (2 * mp(STEP))


def _at(node: nodes.At, scene: Scene, env: Environment) -> Any:
    """The value where letters have other values; the limit, where one goes to infinity."""
    body, inner = node.body, {k: v for k, v in env.items() if k not in dict(node.values)}
    found = {name: _value(where, scene, env) for name, where in node.values}
    for name, v in list(found.items()):
        if not isinstance(v, Fraction) and mpmath.isinf(v):
            body = nodes.Limit(name, INFINITY, body)
            del found[name]
    return _value(body, scene.elsewhere(found), inner)


def _limit(node: nodes.Limit, scene: Scene, env: Environment) -> Any:
    """A limit from above, or at infinity, where two values nearby agree."""
    name, end = node.letter, _value(node.end, scene, env)
    far = not isinstance(end, Fraction) and mpmath.isinf(end)
    places = [1 / step if far else plus(end, step) for step in NEAR]
    seen = [mp(_value(node.body, scene.elsewhere({name: p}), {**env, name: p})) for p in places]
    steps = [mp(step) for step in NEAR]
    lines = [
        (last * near - first * nearest) / (near - nearest)
        for (first, near), (last, nearest) in pairwise(zip(seen, steps, strict=True))
    ]
    settled = abs(seen[0] - seen[-1]) <= SETTLED * (1 + abs(seen[-1]))
    if not settled or not compare(lines[0], lines[-1], "="):
        raise Unknown(f"the values do not settle to a limit: {short(node)}")
    return lines[-1]


# --- means and variances -------------------------------------------------------------------------
def _mean(node: Node, scene: Scene, env: Environment) -> Any:
    members = _set(node, scene, env)
    if not members:
        raise NoValue("the mean of an empty set")
    return {a: Fraction(1, len(members)) for a in members}


def _size(node: Node, scene: Scene, env: Environment) -> Any:
    """How many different vectors a set has, which is what its size is."""
    e = known(scene.vectors)
    kept: list[Index] = []
    members = _set(node, scene, env)
    if all(isinstance(a, int) for a in members):
        return Fraction(len(set(members)))
    for a in members:
        if all(e.mean_sq_dist([a], [b]) != 0 for b in kept):
            kept.append(a)
    return Fraction(len(kept))


def _spread(number: Node, scene: Scene, env: Environment) -> Any:
    """The variance of a number under the law of a scene."""
    mean = _moment(number, 1, scene, env)
    return plus(_moment(number, 2, scene, env), times(mean, mean), -1)


def _moment(body: Node, order: int, scene: Scene, env: Environment) -> Any:
    terms = []
    for weight, inner in _outcomes(scene):
        found = _value(body, inner, env)
        terms.append(times(weight, found if order == 1 else times(found, found)))
    return reduce(plus, terms)


def _outcomes(scene: Scene) -> list[tuple[Any, Scene]]:
    """The outcomes of the law of a scene, with their probabilities."""
    if OUTCOMES not in scene.named:
        raise Unknown("an expectation is taken only where the vectors have a distribution")
    if OUTCOMES not in scene.known:
        scene.known[OUTCOMES] = [
            (weight, replace(scene, vectors=e, named=named, known={}))
            for weight, e, named in scene.named[OUTCOMES]()
        ]
    found: list[tuple[Any, Scene]] = scene.known[OUTCOMES]
    return found


#: Functions of what something comes to.
_OF_VALUES: dict[str, Callable[[Any, nodes.Applied, Scene], Any]] = {
    **dict.fromkeys(("log", "exp"), _function),
    **dict.fromkeys(("norm", "frobenius"), _norm),
    "sqrt": lambda found, node, scene: root(found, node),
    "ceil": _ceiling,
    "abs": lambda found, node, scene: abs(found if isinstance(found, Fraction) else mp(found)),
    "T": lambda found, node, scene: (
        found.transposed if isinstance(found, Matrix) else Row(vector(found))
    ),
}
#: Functions of sets, and moments under the law of a scene.
_APPLIED: dict[str, Callable[[Node, Scene, Environment], Any]] = {
    "mean": _mean,
    "size": _size,
    "var": lambda node, scene, env: known(scene.vectors).variance(_set(node, scene, env)),
    "varBtwn": lambda node, scene, env: known(scene.vectors).between_variance(),
    "expect": lambda node, scene, env: _moment(node, 1, scene, env),
    "spread": _spread,
}
_VALUES: dict[type[Node], Callable[[Any, Scene, Environment], Any]] = {
    nodes.Number: lambda node, scene, env: node.value,
    nodes.Word: lambda node, scene, env: mpmath.inf if node == INFINITY else mpmath.pi + 0,
    nodes.Name: _name,
    nodes.Call: _call,
    nodes.Sum: _sum,
    nodes.Product: _product,
    nodes.Quotient: _quotient,
    nodes.Power: _power,
    nodes.Applied: _applied,
    nodes.Indicator: lambda node, scene, env: Fraction(
        int(_truth(node.relation, scene, env).holds)
    ),
    nodes.Cosine: _cosine,
    nodes.Interval: _interval,
    nodes.Big: _big,
    nodes.Extremum: lambda node, scene, env: _best(
        node.what, [_value(e, scene, env) for e in node.values]
    ),
    nodes.Derivative: _derivative,
    nodes.Limit: _limit,
    nodes.At: _at,
}
