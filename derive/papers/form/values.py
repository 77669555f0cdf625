"""The value of a printed statement at a point, on one exact set of vectors.

Rational numbers stay fractions and are compared exactly; all others are 50-digit numbers. A
division by zero, a root or logarithm of what has none, is an answer too: no value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, lru_cache, reduce
from itertools import pairwise
from math import ceil, isqrt
from typing import Any, Protocol

import mpmath
from sympy import Expr

from ...decide.root import ClampedRoot
from ...vectors.embeddings import Embeddings, Index
from ..digits import CLOSE, DIGITS
from .matrices import Matrix
from .reader import Tree, indexed, names_in, spell
from .symbolic import NotClosed, compiled, symbolic

#: Differences of derived quantities: their error is some STEP**2, below what is compared.
STEP, RATE_DIGITS = Fraction(1, 10**25), 80
#: A linear combination of the vectors of a set.
Vector = dict[Index, Any]
Environment = Mapping[str, Any]
#: Under this name a family has the axes that its vectors have coordinates on.
AXES = "axes"
#: And under these the partner of an index, and the outcomes of a law: each a probability, a set,
#: and what is named on it.
PARTNER, OUTCOMES = "partner", "outcomes"
#: What is longer is not spelled out where an equivalence fails.
LONG = 250


class NoValue(ArithmeticError):
    """The expression has no value there; the message says which part."""


class Unknown(LookupError):
    """A name that nothing defines, or a value that is not known there."""


class Derived(Protocol):
    """A derived quantity at a point."""

    def expression(self) -> Expr:
        """It in symbols."""

    def value(self, there: Mapping[str, Fraction], digits: int = DIGITS) -> Any:
        """Its value where some letters have other values."""


@dataclass(frozen=True, eq=False)
class Scene:
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
        What the record itself defines: name -> (letters, tree).
    """

    numbers: Mapping[str, Any]
    vectors: Embeddings | None = None
    named: Mapping[str, Any] = field(default_factory=dict)
    defined: Mapping[str, tuple[tuple[str, ...], Tree]] = field(default_factory=dict)
    known: dict[Any, Any] = field(default_factory=dict, repr=False)  #: values of sums
    derived: Mapping[str, Derived] = field(default_factory=dict)  #: derived quantities by letter
    moved: Mapping[str, Fraction] = field(default_factory=dict)  #: letters with other values


@dataclass(frozen=True)
class OfScene:
    """What a letter with indices stands for where it depends on the numbers of the scene."""

    function: Callable[..., Any]


@dataclass(frozen=True)
class Truth:
    """Whether a statement holds, with what both sides came to where it does not."""

    holds: bool
    says: str = ""
    at: tuple[tuple[str, str], ...] = ()
    #: How often a condition ``A iff B`` was met and not met, both being needed for a test.
    seen: frozenset[bool] = frozenset()


def judge(tree: Tree, scene: Scene, bound: Tree | None = None) -> Truth:
    """Evaluate a statement, for all that it quantifies over.

    Raises
    ------
    Unknown
        If it uses a name that is not known.
    """
    with mpmath.workdps(DIGITS):
        seen: set[bool] = set()
        for env in assignments(bound, scene) if bound is not None else [{}]:
            try:
                truth = _truth(tree, scene, env)
            except NoValue as error:
                truth = Truth(False, f"no value: {error}")
            seen |= truth.seen
            if not truth.holds:
                return Truth(False, truth.says, _shown(env), frozenset(seen))
        return Truth(True, seen=frozenset(seen))


def value(tree: Tree, scene: Scene, env: Environment | None = None) -> Any:
    """The value of one side: a number, a vector, or a list of indices."""
    with mpmath.workdps(DIGITS):
        return _value(tree, scene, env or {})


def assignments(bound: Tree, scene: Scene) -> Iterator[dict[str, Any]]:
    """What bound names may stand for, one after the other."""
    yield from _assigned(list(bound[1]), bound[2], scene, {})


def _assigned(
    left: list[tuple[str, Tree]], apart: tuple[tuple[str, str], ...], scene: Scene, env: Environment
) -> Iterator[dict[str, Any]]:
    if not left:
        yield dict(env)
        return
    (name, where), rest = left[0], left[1:]
    if where[0] == "free":
        if name in env:  # bound outside
            yield from _assigned(rest, apart, scene, env)
            return
        where = where[1]
    for member in _members(where, scene, env):
        inner = {**env, name: member}
        if all(inner[a] != inner[b] for a, b in apart if a in inner and b in inner):
            yield from _assigned(rest, apart, scene, inner)


def _members(where: Tree, scene: Scene, env: Environment) -> list[Any]:
    if where[0] == "range":
        low, high = (_value(e, scene, env) for e in where[1:])
        if high in (mpmath.inf,):
            raise Unknown("a sum without an upper end")
        return list(range(int(low), int(high) + 1))
    if where[0] in ("setminus", "cup") and _is_of_indices(where):
        first = _members(where[1], scene, env)
        if where[0] == "cup":
            return list(dict.fromkeys(first + _members(where[2], scene, env)))
        without = set(_members(where[2], scene, env))
        return [k for k in first if k not in without]
    if where[0] == "these" and all(t[1] in env and isinstance(env[t[1]], int) for t in where[1]):
        return [_index(t, scene, env) for t in where[1]]
    return [a if isinstance(a, int) else {a: Fraction(1)} for a in _set(where, scene, env)]


def _is_of_indices(where: Tree) -> bool:
    """Whether it is a part of some ``[N]``, and not of a set of vectors."""
    return where[0] == "range" or (where[0] in ("setminus", "cup") and _is_of_indices(where[1]))


# --- statements --------------------------------------------------------------------------
def _truth(tree: Tree, scene: Scene, env: Environment) -> Truth:
    kind = tree[0]
    if kind in ("iff", "implies"):
        first = _truth(tree[1], scene, env)
        if kind == "implies" and not first.holds:
            return Truth(True, seen=frozenset({False}))
        second = _truth(tree[2], scene, env)
        good = first.holds == second.holds if kind == "iff" else second.holds or not first.holds
        verbs = ["holds" if t.holds else "does not hold" for t in (first, second)]
        says = ", ".join(f"{spell(t)} {verb}" for t, verb in zip(tree[1:3], verbs, strict=True))
        if len(says) > LONG:
            seen = (f" ({t.says})" if t.says else "" for t in (first, second))
            told = [verb + text for verb, text in zip(verbs, seen, strict=True)]
            says = f"the first part {told[0]}, the second {told[1]}"
        return Truth(good, says, seen=frozenset({second.holds if kind == "iff" else first.holds}))
    if kind == "and":
        parts = (_truth(part, scene, env) for part in tree[1:])
        return next((part for part in parts if not part.holds), Truth(True))
    if kind == "all":
        for inner in _assigned(list(tree[1][1]), tree[1][2], scene, env):
            found = _truth(tree[2], scene, inner)
            if not found.holds:
                return found
        return Truth(True)
    if kind == "exists":
        return _truth(tree[2], scene, {**env, **{name: Constant(name) for name in tree[1]}})
    if kind == "in":
        side, low, high, low_open, high_open = tree[1:]
        found, a, b = (_value(t, scene, env) for t in (side, low, high))
        good = compare(a, found, "<" if low_open else "<=") and compare(
            found, b, "<" if high_open else "<="
        )
        return Truth(good, f"{text(found)} in {text(a)} .. {text(b)}")
    # From the last side on: of a definition that is what is printed.
    right = _value(tree[1][-1], scene, env)
    for side, relation in zip(tree[1][-2::-1], tree[2][::-1], strict=True):
        left = _value(side, scene, env)
        if relation == "=":
            left, right = _settled(left, right)
        if not related(left, right, relation, scene):
            return Truth(False, _says(left, relation, right, scene))
        right = left
    return Truth(True)


class Constant:
    """A constant that is said to exist: the first equation for it says what it is."""

    def __init__(self, name: str):
        self.name = name
        self.value: Any = None


@dataclass(frozen=True)
class Moved:
    """A constant, or its negative, with something added to it."""

    constant: Constant
    sign: int
    by: Any


def _settled(left: Any, right: Any) -> tuple[Any, Any]:
    """Both sides of an equation, one of which may say what a constant is."""
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Moved) and not isinstance(other, (Constant, Moved)):
            one.constant.value = _times(Fraction(one.sign), _plus(other, one.by, -1))
            return other, other
        if isinstance(one, Constant) and not isinstance(other, Constant):
            one.value = other
            return other, other
    return left, right


def _says(left: Any, relation: str, right: Any, scene: Scene) -> str:
    if isinstance(left, Matrix) and isinstance(right, Matrix):
        return _first_gap(left, relation, right)
    if isinstance(left, dict) or isinstance(right, dict):
        gap = _plus(_vector(left), _vector(right), -1)
        return f"squared norm of the difference: {text(_dot(gap, gap, scene))}"
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


@dataclass(frozen=True)
class Interval:
    """An interval where a number may stand; it is equal to an interval with the same ends only."""

    low: Any
    high: Any
    low_open: bool
    high_open: bool

    def __str__(self) -> str:
        ends = "[("[self.low_open], "])"[self.high_open]
        return f"the interval {ends[0]}{text(self.low)}, {text(self.high)}{ends[1]}"


def _interval(tree: Tree, scene: Scene, env: Environment) -> Any:
    low, high = (_value(t, scene, env) for t in tree[1:3])
    return Interval(low, high, *tree[3:])


def _same_interval(left: Any, right: Any) -> bool:
    if not (isinstance(left, Interval) and isinstance(right, Interval)):
        return False
    ends = (left.low_open, left.high_open) == (right.low_open, right.high_open)
    pairs = ((left.low, right.low), (left.high, right.high))
    return ends and all(compare(a, b, "=") for a, b in pairs)


def related(left: Any, right: Any, relation: str, scene: Scene) -> bool:
    if isinstance(left, Interval) or isinstance(right, Interval):
        if relation not in ("=", "!="):
            raise Unknown("intervals are equal or not")
        return _same_interval(left, right) == (relation == "=")
    if isinstance(left, Matrix) or isinstance(right, Matrix):
        if relation in ("<", ">", "->") or not isinstance(left, type(right)):
            raise Unknown("matrices are equal or not, or in the order of Loewner")
        if relation in ("<=", ">="):
            gap = _plus(*((right, left) if relation == "<=" else (left, right)), -1)
            return bool(gap.is_psd())
        return bool(left.equals(right)) == (relation == "=")
    if isinstance(left, dict) or isinstance(right, dict):
        if relation not in ("=", "!="):
            raise Unknown("vectors are equal or not")
        gap = _plus(_vector(left), _vector(right), -1)
        same = compare(_dot(gap, gap, scene), Fraction(0), "=")
        return same == (relation == "=")
    return compare(left, right, relation)


def compare(left: Any, right: Any, relation: str) -> bool:
    """Compare numbers: fractions exactly, others to forty digits."""
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        gap, slack = left - right, Fraction(0)
    else:
        left, right = mp(left), mp(right)
        if mpmath.isinf(left) or mpmath.isinf(right):
            gap, slack = Fraction((left > right) - (left < right)), Fraction(0)
        else:
            gap, slack = left - right, CLOSE * (1 + abs(right))
    return bool(
        {
            "=": abs(gap) <= slack,
            "!=": abs(gap) > slack,
            "<=": gap <= slack,
            ">=": gap >= -slack,
            "<": gap < -slack,
            ">": gap > slack,
        }[relation]
    )


# --- values --------------------------------------------------------------------------------
def _value(tree: Tree, scene: Scene, env: Environment) -> Any:
    return _VALUES[tree[0] if not tree[0].startswith("var") else "var"](tree, scene, env)


def _name(tree: Tree, scene: Scene, env: Environment) -> Any:
    _, base, subs, mark = tree
    if base in env and not subs:
        found = env[base]
        if isinstance(found, Constant) and found.value is not None:
            return found.value
        if mark == "+" and isinstance(found, int) and PARTNER in scene.named:
            found = scene.named[PARTNER](found)
        return Fraction(found) if isinstance(found, int) else found
    if base in scene.defined:
        letters, body = scene.defined[base]
        if len(letters) == len(subs):
            outside = {k: v for k, v in env.items() if isinstance(v, int)}
            own = dict(zip(letters, _indices(subs, scene, env), strict=True))
            return _kept(body, scene, {**outside, **own})
    full = indexed(base, subs) + (f"^{mark}" if mark else "")
    if isinstance(env.get(full), Constant):
        return env[full] if env[full].value is None else env[full].value
    for key in (full, base):
        if key in scene.numbers and (key == full or not subs):
            return scene.numbers[key]
    if full in scene.defined:
        return _value(scene.defined[full][1], scene, env)
    plain = indexed(base, subs)
    if scene.moved and plain in scene.derived:
        return scene.derived[plain].value(scene.moved)
    if full in scene.named and subs:
        return scene.named[full]()
    if base in scene.named:
        known = scene.named[base]
        indices = _indices(subs, scene, env)
        if isinstance(known, OfScene):
            return known.function(scene, *indices, mark=mark)
        return known(*indices, mark=mark)
    raise Unknown(f"the name {full!r} is not known")


def _call(tree: Tree, scene: Scene, env: Environment) -> Any:
    _, base, subs, mark, arguments = tree
    defined = scene.defined.get(indexed(base, subs)) if not mark else None
    if defined is not None:
        letters, body = defined
        if len(letters) != len(arguments):
            raise NoValue(f"{base} takes {len(letters)} arguments, not {len(arguments)}")
        far = [n for n, a in zip(letters, arguments, strict=True) if a == ("inf",)]
        if far:
            near = tuple(
                ("name", n, (), "") if n in far else a
                for n, a in zip(letters, arguments, strict=True)
            )
            return _at(("at", (*tree[:4], near), tuple((n, ("inf",)) for n in far)), scene, env)
        values = {n: _value(a, scene, env) for n, a in zip(letters, arguments, strict=True)}
        return _kept(body, scene, {**env, **values})
    if not arguments and base in scene.derived:  # a loss along a segment
        return scene.derived[base].value(scene.moved)
    label = "".join(str(s[1]) for s in subs) + mark
    key = f"{base}_{label}" if label else base
    if key not in scene.named:
        raise Unknown(f"the function {key!r} is not known")
    if base == "L":  # a loss is that of the set of the scene
        for a in arguments:
            (_set if a[0] in ("setminus", "cup", "these") else _value)(a, scene, env)
        return scene.named[key](scene)
    return scene.named[key](scene, *(_value(a, scene, env) for a in arguments))


def _indices(subs: Any, scene: Scene, env: Environment) -> list[Any]:
    return [_index(s, scene, env) for s in subs]


def _index(tree: Tree, scene: Scene, env: Environment) -> Any:
    if tree[0] == "word":
        return tree[1]
    if tree[0] == "set":
        return tuple(_set(tree[2], scene, env))
    found = _value(tree, scene, env)
    if not isinstance(found, (int, Fraction)) or Fraction(found).denominator != 1:
        raise Unknown(f"{spell(tree)} is no index")
    return int(found)


def _set(tree: Tree, scene: Scene, env: Environment) -> list[Index]:
    kind = tree[0]
    if kind == "setminus":
        without = set(_set(tree[2], scene, env))
        return [a for a in _set(tree[1], scene, env) if a not in without]
    if kind == "cup":
        return list(dict.fromkeys(_set(tree[1], scene, env) + _set(tree[2], scene, env)))
    if kind == "these":
        return [a for part in tree[1] for a in _those(_value(part, scene, env))]
    if kind == "range":
        raise Unknown("a set of vectors was expected")
    found = _value(tree, scene, env)
    if not isinstance(found, list):
        raise Unknown(f"{spell(tree)} is no set of vectors")
    return found


def _those(found: Any) -> Any:
    """The vectors that a member of a set stands for; an index stands for itself."""
    return [int(found)] if isinstance(found, Fraction) else found


def _add(tree: Tree, scene: Scene, env: Environment) -> Any:
    total: Any = None
    waiting: list[tuple[Constant, int]] = []
    for sign, part in tree[1]:
        found = _value(part, scene, env)
        factor = -1 if sign == "-" else 1
        if isinstance(found, Constant):
            waiting.append((found, factor))
        elif total is None:
            total = _times(Fraction(factor), found)
        else:
            total = _plus(total, found, factor)
    if len(waiting) > 1:
        raise Unknown(f"nothing says what {waiting[0][0].name} is")
    return Moved(*waiting[0], Fraction(0) if total is None else total) if waiting else total


def _mul(tree: Tree, scene: Scene, env: Environment) -> Any:
    total: Any = None
    for operation, part in tree[1]:
        found = _value(part, scene, env)
        if operation == "/":
            total = _over(total, found, tree)
        elif total is None:
            total = found
        elif isinstance(total, Matrix) and isinstance(found, Matrix):
            total = total.times(found)
            if total is None:
                raise NoValue("matrices that do not fit are multiplied")
        elif isinstance(total, _Row) and isinstance(found, Matrix):
            total = _Row(_applied(found.transposed, total.of, scene))
        elif isinstance(total, Matrix) and isinstance(found, dict):
            total = _applied(total, found, scene)
        elif isinstance(total, dict) and isinstance(found, _Row):
            total = _outer(total, found.of, scene)
        elif isinstance(total, _Row):
            total = _dot(total.of, _vector(found), scene)
        elif isinstance(total, dict) and isinstance(found, dict):
            total = _dot(total, found, scene)  # u \cdot v
        else:
            total = _times(total, found)
    return total


@dataclass(frozen=True)
class _Row:
    """A transposed vector."""

    of: Vector


def _coordinates(v: Vector, scene: Scene) -> list[Any]:
    """The coordinates of a vector on the axes of its family."""
    if AXES not in scene.named:
        raise Unknown("these vectors have no coordinates")
    return [_dot(v, {a: Fraction(1)}, scene) for a in scene.named[AXES]()]


def _outer(left: Vector, right: Vector, scene: Scene) -> Matrix:
    rows, columns = _coordinates(left, scene), _coordinates(right, scene)
    return Matrix.of([[_times(a, b) for b in columns] for a in rows])


def _applied(matrix: Matrix, vector: Vector, scene: Scene) -> Vector:
    """A matrix times a vector, by coordinates."""
    column = Matrix.of([[v] for v in _coordinates(vector, scene)])
    found = matrix.times(column)
    if found is None:
        raise NoValue("a matrix and a vector that do not fit are multiplied")
    return {a: row[0] for a, row in zip(scene.named[AXES](), found.rows, strict=True)}


def _transposed(tree: Tree, scene: Scene, env: Environment) -> Any:
    found = _value(tree[1], scene, env)
    return found.transposed if isinstance(found, Matrix) else _Row(_vector(found))


def _plus(left: Any, right: Any, factor: int = 1) -> Any:
    if isinstance(left, Matrix) and isinstance(right, Matrix):
        both = left.plus(right, factor)
        if both is None:
            raise NoValue("matrices of two shapes are added")
        return both
    numbers = (int, Fraction, mpmath.mpf)
    if isinstance(left, Matrix) != isinstance(right, Matrix) and not (
        isinstance(left, numbers) or isinstance(right, numbers)
    ):
        raise NoValue("a matrix and a vector are added")
    if isinstance(left, _Row) or isinstance(right, _Row):
        raise NoValue("a transposed vector is added")
    if isinstance(left, dict) or isinstance(right, dict):
        left, right = _vector(left), _vector(right)
        found = dict(left)
        for a, c in right.items():
            found[a] = _plus(found.get(a, Fraction(0)), c, factor)
        return found
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return left + factor * right
    return mp(left) + factor * mp(right)


def _vector(found: Any) -> Vector:
    if isinstance(found, dict):
        return found
    if isinstance(found, Constant):
        raise Unknown(f"nothing says what {found.name} is")
    if found == 0:  # the zero vector, written 0
        return {}
    raise Unknown("a number where a vector was expected")


def _times(left: Any, right: Any) -> Any:
    if isinstance(left, _Row) or isinstance(right, _Row):
        if isinstance(right, _Row):
            return _Row(_times(left, right.of))
        raise Unknown("a transposed vector is multiplied by a vector")
    if isinstance(left, dict) and isinstance(right, dict):
        raise Unknown("two vectors are multiplied by their inner product")
    if isinstance(left, Matrix):
        return left.map(lambda v: _times(v, right))
    if isinstance(right, Matrix):
        return right.map(lambda v: _times(left, v))
    if isinstance(right, dict):
        return {a: _times(left, c) for a, c in right.items()}
    if isinstance(left, dict):
        return {a: _times(c, right) for a, c in left.items()}
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return left * right
    found = mp(left) * mp(right)
    if mpmath.isnan(found):
        raise NoValue("0 times infinity has no value")
    return found


def _over(above: Any, below: Any, tree: Tree) -> Any:
    if not isinstance(below, (int, Fraction)):
        below = mp(below)
    if below == 0:
        raise NoValue(f"division by zero in {_short(tree)}")
    if isinstance(below, Fraction):
        return _times(above, 1 / below)
    if mpmath.isinf(below):
        return Fraction(0)
    return _times(above, 1 / below)


def _short(tree: Tree) -> str:
    found = spell(tree)
    return found if len(found) <= 60 else found[:57] + "..."


def _frac(tree: Tree, scene: Scene, env: Environment) -> Any:
    above, below = (_value(t, scene, env) for t in tree[1:])
    return _over(above, below, tree)


def _pow(tree: Tree, scene: Scene, env: Environment) -> Any:
    base, exponent = tree[1:]
    if base == ("name", "e", (), "") and "e" not in scene.numbers:
        return mpmath.exp(mp(_value(exponent, scene, env)))
    if base[0] == "norm" and exponent == ("num", Fraction(2)):
        inside = _vector(_value(base[1], scene, env))
        return _dot(inside, inside, scene)
    if base[0] == "frobenius" and exponent == ("num", Fraction(2)):
        return _squared_entries(_value(base[1], scene, env))
    found, power = _value(base, scene, env), _value(exponent, scene, env)
    if isinstance(found, Matrix) and power == 2:
        square = found.times(found)
        if square is None:
            raise NoValue("a matrix that is not square is squared")
        return square
    if isinstance(found, (dict, Matrix)):
        raise Unknown("a power of a vector")
    if isinstance(found, Fraction) and isinstance(power, Fraction) and power.denominator == 1:
        if found == 0 and power < 0:
            raise NoValue(f"division by zero in {_short(tree)}")
        return found**power
    a, p = mp(found), mp(power)
    if (a < 0 and not mpmath.isint(p)) or (a == 0 and p < 0):
        raise NoValue(f"{_short(tree)} has no value")
    return a**p


def _squared_entries(found: Any) -> Any:
    """The squared norm of Frobenius."""
    if not isinstance(found, Matrix):
        raise Unknown("the norm of Frobenius is one of matrices")
    return reduce(_plus, (_times(v, v) for row in found.rows for v in row), Fraction(0))


def _frobenius(tree: Tree, scene: Scene, env: Environment) -> Any:
    return root(_squared_entries(_value(tree[1], scene, env)), tree)


def _sqrt(tree: Tree, scene: Scene, env: Environment) -> Any:
    return root(_value(tree[1], scene, env), tree)


def root(found: Any, tree: Tree = ("word", "the root")) -> Any:
    """A square root, exact where it can be."""
    if found < 0:
        if not isinstance(found, Fraction) and found > -CLOSE:
            return mpmath.mpf(0)
        raise NoValue(f"the root of a negative number in {_short(tree)}")
    if isinstance(found, Fraction):
        above, below = isqrt(found.numerator), isqrt(found.denominator)
        if above**2 == found.numerator and below**2 == found.denominator:
            return Fraction(above, below)
    return mpmath.sqrt(mp(found))


def _ceiling(tree: Tree, scene: Scene, env: Environment) -> Any:
    found = _value(tree[1], scene, env)
    if not isinstance(found, Fraction):
        raise Unknown(f"the ceiling of what is not rational in {_short(tree)}")
    return Fraction(ceil(found))


def _function(tree: Tree, scene: Scene, env: Environment) -> Any:
    _, name, inside = tree
    found = _value(inside, scene, env)
    if isinstance(found, dict):
        return _by_element(name, found, scene)
    argument = mp(found)
    if name == "log":
        if argument <= 0:
            raise NoValue(f"the logarithm of what is not positive in {_short(tree)}")
        return Fraction(0) if argument == 1 else mpmath.log(argument)
    if name == "exp":
        return _exp(found) if isinstance(found, Fraction) else mpmath.exp(argument)
    return mpmath.tanh(argument)


def _by_element(name: str, found: Vector, scene: Scene) -> Vector:
    """The exponential of a vector, where there are axes that say what its elements are."""
    if AXES not in scene.named or name != "exp":
        raise Unknown(f"{name} of a vector")
    return {b: _exp(_dot(found, {b: Fraction(1)}, scene)) for b in scene.named[AXES]()}


@lru_cache(maxsize=4096)
def _exp(argument: Fraction) -> Any:
    return Fraction(1) if argument == 0 else mpmath.exp(mp(argument))


def _diff(tree: Tree, scene: Scene, env: Environment) -> Any:
    """A derivative: of a closed form by the rules, of what was derived by differences."""
    _, letter, order, body = tree
    used = {n: scene.derived[n].expression() for n in names_in(body) if n in scene.derived}
    if any(e.has(ClampedRoot) for e in used.values()):
        if body[0] != "name" or order != 1:
            raise Unknown("of a root the rate is taken alone")
        return _rate(scene.derived[body[1]], letter, scene)
    try:
        function, names = compiled(symbolic(tree, scene.defined, used))
    except NotClosed as error:
        raise Unknown(str(error)) from None
    values = {**scene.numbers, **env}
    missing = [n for n in names if n not in values]
    if missing:
        raise Unknown(f"the name {missing[0]!r} is not known")
    try:
        found = function(*(mp(values[n]) for n in names))
    except ZeroDivisionError:
        raise NoValue(f"division by zero in {_short(tree)}") from None
    if isinstance(found, mpmath.mpc):  # the rules take the logarithm of what is negative
        raise NoValue(f"no real number in {_short(tree)}")
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
        raise NoValue("the derivative of what is infinite on one side")
    with mpmath.workdps(RATE_DIGITS):
        return (ends[0] - ends[1]) / (2 * mp(STEP))


def _at(tree: Tree, scene: Scene, env: Environment) -> Any:
    """The value where letters have other values; the limit, where one goes to infinity."""
    _, body, places = tree
    inner = {k: v for k, v in env.items() if k not in dict(places)}
    found = {name: _value(where, scene, env) for name, where in places}
    for name, v in list(found.items()):
        if not isinstance(v, Fraction) and mpmath.isinf(v):
            body = ("lim", name, ("inf",), body)
            del found[name]
    return _value(body, _moved(scene, found), inner)


def _moved(scene: Scene, there: Mapping[str, Any]) -> Scene:
    """The scene where letters have other values."""
    numbers, moves = {**scene.numbers, **there}, {**scene.moved, **there}
    return replace(scene, numbers=numbers, moved=moves, known={})


def _norm(tree: Tree, scene: Scene, env: Environment) -> Any:
    inside = _vector(_value(tree[1], scene, env))
    return root(_dot(inside, inside, scene), tree)


def _cosine(tree: Tree, scene: Scene, env: Environment) -> Any:
    """The cosine of two vectors, which the zero vector has with none."""
    one, other = (_vector(_value(t, scene, env)) for t in tree[1:])
    squares = [_dot(v, v, scene) for v in (one, other)]
    if any(compare(s, Fraction(0), "=") for s in squares):
        raise NoValue("the zero vector has no cosine with any")
    return _over(_dot(one, other, scene), root(_times(*squares)), tree)


def _unlike(tree: Tree, scene: Scene, env: Environment) -> Any:
    one, other = (_index(t, scene, env) for t in tree[1:])
    return Fraction(int(one != other))


def _indicator(tree: Tree, scene: Scene, env: Environment) -> Any:
    """1 where a relation holds, else 0."""
    return Fraction(int(_truth(tree[1], scene, env).holds))


def _absolute(tree: Tree, scene: Scene, env: Environment) -> Any:
    found = _value(tree[1], scene, env)
    return abs(found) if isinstance(found, Fraction) else abs(mp(found))


def _kept(body: Tree, scene: Scene, env: Environment) -> Any:
    """The value of what a record defines, remembered for all that it depends on."""
    used = ("used", id(body))
    if used not in scene.known:
        scene.known[used] = (body, _depends_on(body, scene))
    names = [n for n in scene.known[used][1] if n in env]
    if any(not isinstance(env[n], (int, Fraction, mpmath.mpf, dict)) for n in names):
        return _value(body, scene, env)
    key = (id(body), *((n, _frozen(env[n])) for n in names))
    if key not in scene.known:
        scene.known[key] = (body, _value(body, scene, env))
    return scene.known[key][1]


def _depends_on(body: Tree, scene: Scene) -> list[str]:
    """Names that a definition uses, and those that these are defined by."""
    found, left = set[str](), names_in(body)
    while left:
        found |= left
        bodies = (d[1] for n, d in scene.defined.items() if n.partition("_")[0] in left)
        left = set().union(*map(names_in, bodies)) - found
    return sorted(found)


def _big(tree: Tree, scene: Scene, env: Environment) -> Any:
    key = (id(tree), *(_frozen(env[n]) for n in _free(tree) if n in env))
    if key not in scene.known:
        scene.known[key] = (tree, _big_now(tree, scene, env))
    return scene.known[key][1]


def _big_now(tree: Tree, scene: Scene, env: Environment) -> Any:
    _, what, bound, body = tree
    found = [_value(body, scene, inner) for inner in _assigned([*bound[1]], bound[2], scene, env)]
    if what == "sum":
        total: Any = Fraction(0)
        for one in found:
            total = one if isinstance(total, Fraction) and total == 0 else _plus(total, one)
        return total
    if what == "prod":
        return reduce(_times, found, Fraction(1))
    if not found:
        raise NoValue(f"{what} over nothing")
    return _best(what, found)


def _best(what: str, found: list[Any]) -> Any:
    best = found[0]
    for one in found[1:]:
        if compare(one, best, ">" if what == "max" else "<"):
            best = one
    return best


def _least(tree: Tree, scene: Scene, env: Environment) -> Any:
    return _best(tree[1], [_value(part, scene, env) for part in tree[2]])


#: How near a limit is looked at; all must agree, and the rest of the way is a line.
NEAR = (Fraction(1, 10**28), Fraction(1, 10**30), Fraction(1, 10**32))
SETTLED = mpmath.mpf(10) ** -24


def _limit(tree: Tree, scene: Scene, env: Environment) -> Any:
    """A limit from above, or at infinity, where two values nearby agree."""
    _, name, end, body = tree
    there = _value(end, scene, env)
    far = not isinstance(there, Fraction) and mpmath.isinf(there)
    places = [1 / step if far else _plus(there, step) for step in NEAR]
    seen = [mp(_value(body, _moved(scene, {name: p}), {**env, name: p})) for p in places]
    steps = [mp(step) for step in NEAR]
    lines = [
        (last * near - first * nearest) / (near - nearest)
        for (first, near), (last, nearest) in pairwise(zip(seen, steps, strict=True))
    ]
    settled = abs(seen[0] - seen[-1]) <= SETTLED * (1 + abs(seen[-1]))
    if not settled or not compare(lines[0], lines[-1], "="):
        raise Unknown(f"no limit is seen in {_short(tree)}")
    return lines[-1]


def _frozen(found: Any) -> Any:
    return tuple(found.items()) if isinstance(found, dict) else found


_FREE: dict[int, tuple[Tree, tuple[str, ...]]] = {}


def _free(tree: Tree) -> tuple[str, ...]:
    """Names that a sum uses, in order; its value is remembered for what they stand for."""
    if id(tree) not in _FREE or _FREE[id(tree)][0] is not tree:
        _FREE[id(tree)] = (tree, tuple(sorted(names_in(tree))))
    return _FREE[id(tree)][1]


def _mean(tree: Tree, scene: Scene, env: Environment) -> Any:
    members = _set(tree[1], scene, env)
    if not members:
        raise NoValue("the mean over nothing")
    return {a: Fraction(1, len(members)) for a in members}


def _outcomes(scene: Scene) -> list[tuple[Any, Scene]]:
    """The outcomes of the law of a scene, with their probabilities."""
    if OUTCOMES not in scene.named:
        raise Unknown("there is no law here, of which to take an expectation")
    if OUTCOMES not in scene.known:
        scene.known[OUTCOMES] = [
            (weight, replace(scene, vectors=e, named=named, known={}))
            for weight, e, named in scene.named[OUTCOMES]()
        ]
    found: list[tuple[Any, Scene]] = scene.known[OUTCOMES]
    return found


def _moment(body: Tree, power: int, scene: Scene, env: Environment) -> Any:
    total: Any = None
    for weight, inner in _outcomes(scene):
        found = _value(body, inner, env)
        term = _times(weight, found if power == 1 else _times(found, found))
        total = term if total is None else _plus(total, term)
    return total


def _expectation(tree: Tree, scene: Scene, env: Environment) -> Any:
    return _moment(tree[1], 1, scene, env)


def _spread(tree: Tree, scene: Scene, env: Environment) -> Any:
    """The variance of a number under the law of a scene."""
    mean = _moment(tree[1], 1, scene, env)
    return _plus(_moment(tree[1], 2, scene, env), _times(mean, mean), -1)


def _size(tree: Tree, scene: Scene, env: Environment) -> Any:
    """How many different vectors a set has, which is what its size is."""
    e = _embeddings(scene)
    kept: list[Index] = []
    members = _set(tree[1], scene, env)
    if all(isinstance(a, int) for a in members):
        return Fraction(len(set(members)))
    for a in members:
        if all(e.mean_sq_dist([a], [b]) != 0 for b in kept):
            kept.append(a)
    return Fraction(len(kept))


def _variance(tree: Tree, scene: Scene, env: Environment) -> Any:
    e = _embeddings(scene)
    if tree[0] == "varBtwn":
        return e.between_variance()
    return e.variance(_set(tree[1], scene, env))


def _embeddings(scene: Scene) -> Embeddings:
    if scene.vectors is None:
        raise Unknown("there is no set of vectors here")
    return scene.vectors


def _dot(left: Vector, right: Vector, scene: Scene) -> Any:
    e = _embeddings(scene)
    total: Any = Fraction(0)
    for a, s in left.items():
        for b, t in right.items():
            inner = e.ip(a, b)
            if inner != 0:
                total = _plus(total, _times(_times(s, t), inner))
    return total


_VALUES: dict[str, Callable[[Tree, Scene, Environment], Any]] = {
    "num": lambda tree, scene, env: tree[1],
    "inf": lambda tree, scene, env: mpmath.inf,
    "pi": lambda tree, scene, env: mpmath.pi + 0,
    "name": _name,
    "call": _call,
    "add": _add,
    "mul": _mul,
    "frac": _frac,
    "pow": _pow,
    "sqrt": _sqrt,
    "ceil": _ceiling,
    "T": _transposed,
    "fun": _function,
    "diff": _diff,
    "at": _at,
    "norm": _norm,
    "frobenius": _frobenius,
    "expect": _expectation,
    "spread": _spread,
    "cos": _cosine,
    "unlike": _unlike,
    "abs": _absolute,
    "holds": _indicator,
    "big": _big,
    "least": _least,
    "lim": _limit,
    "interval": _interval,
    "mean": _mean,
    "size": _size,
    "var": _variance,
}


# --- numbers -------------------------------------------------------------------------------
def mp(found: Any) -> Any:
    """A number at the working precision."""
    if isinstance(found, Fraction):
        return mpmath.mpf(found.numerator) / found.denominator
    if isinstance(found, (dict, list, _Row, Interval, Matrix)):
        raise Unknown("a vector, matrix or set where a number was expected")
    if isinstance(found, (Constant, Moved)):
        constant = found if isinstance(found, Constant) else found.constant
        raise Unknown(f"nothing says what {constant.name} is")
    if isinstance(found, mpmath.mpc):
        raise NoValue("no real number")
    return mpmath.mpf(found)


def text(found: Any) -> str:
    """A value as a witness shows it: exact, or to twelve digits."""
    if isinstance(found, (int, Fraction)):
        return str(found)
    if isinstance(found, (dict, list)):
        return "a vector"
    if isinstance(found, Matrix):
        return "a matrix"
    if isinstance(found, Interval):
        return str(found)
    if isinstance(found, mpmath.mpf) and abs(found) <= CLOSE:  # it is compared as zero
        return "0.0"
    return str(mpmath.nstr(found, 12))


def _shown(env: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    out = []
    for name, member in env.items():
        if isinstance(member, dict):
            (a,) = member
            member = "(" + ", ".join(str(k + 1) for k in a) + ")"
        out.append((name, str(member)))
    return tuple(out)


@cache
def as_number(value: Any) -> Any:
    """A SymPy number as a fraction or, if irrational, as a 50-digit number."""
    from sympy import oo

    if value is oo:
        return mpmath.inf
    if value is -oo:
        return -mpmath.inf
    if value.is_Rational:
        return Fraction(int(value.p), int(value.q))
    with mpmath.workdps(DIGITS):
        return mpmath.mpf(value.evalf(DIGITS + 5))
