"""Mutants of a printed formula: one place changed as a slip of the pen would change it.

A check that a mutant passes has a hole. Mutants that say the same as the formula are told apart by
the values of their sides at points with nothing special about them; a mutant of an inequality
that only makes it weaker is true, and is a hole only where the bound is said to be sharp.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from sympy import Integer, Rational, oo

from ...frozen import FrozenValue
from ...language.evaluate import Scene, assignments, judge, value
from ...language.matrices import Matrix
from ...language.mutants import Slips
from ...language.nodes import And, Chain, Connected, Name, Node, Number, Sum, Within
from ...language.parser import Read, unused
from ...language.quantities import NoValue, Unknown, compare, mp, related
from .functions import KINDS
from .hypotheses import SYMBOLS, Hypotheses, put_in
from .record import Record, Wording
from .run import Trial, equations, scenes, trials

MET_AT = 24  #: points at which premises are looked at
_GENERIC = (Rational(3, 7), Rational(5, 11), Rational(8, 13))
_SIZES = ((3, 2, 4), (2, 4, 3), (4, 3, 2))


class Holes(FrozenValue):
    """What became of the mutants of a record."""

    label: str
    killed: int
    same: int
    weaker: tuple[str, ...]
    survivors: tuple[str, ...]
    known: tuple[str, ...] = ()  #: those that the record says are true, and why


def holes(record: Record, most: int | None = None) -> Holes:
    """Try the mutants of what a record holds to be true: all, or ``most`` of them."""
    wording, *other_signs = record.right.signed()
    killed, same = 0, 0
    known: list[str] = []
    weaker: list[str] = []
    survivors: list[str] = []
    for what, mutant in _some(list(mutants(wording)), most):
        # Most are refused at the first trial; whether one says the same takes longest to see.
        if _leaves_a_letter(mutant) or _is_refused(record, wording, mutant):
            killed += 1
        elif any(_says_the_same(one, mutant) for one in (wording, *other_signs)):
            same += 1
        elif record.attained is not None and not _holds_on(record.attained, mutant):
            killed += 1  # it is true, and no longer attained
        elif _is_weaker(wording, mutant):
            if record.sharp and not _attained(record, wording, mutant):
                killed += 1
            else:
                weaker.append(what)
        elif _same_where_met(record, wording, mutant):
            same += 1
        else:
            (known if what in record.also_true else survivors).append(what)
    return Holes(record.label, killed, same, tuple(weaker), tuple(survivors), tuple(known))


def _some(found: list[tuple[str, Mutant]], most: int | None) -> list[tuple[str, Mutant]]:
    if most is None or len(found) <= most:
        return found
    return [found[k * len(found) // most] for k in range(most)]


class Mutant(FrozenValue):
    """What is put in place of a part of a wording."""

    statements: list[Read]
    definitions: Mapping[str, tuple[tuple[str, ...], Node]] | None = None
    values: Mapping[str, Node] | None = None


def mutants(wording: Wording) -> Iterator[tuple[str, Mutant]]:
    """Every mutant, with what was changed."""
    statements, hypotheses = wording.read(), wording.hypotheses()
    slips = Slips(list(hypotheses.ranges), _alike)
    for k, one in enumerate(statements):
        seen = {str(_clipped(one.tree, hypotheses))}
        for what, tree in slips.changed(one.tree, [*dict(one.bound.over)]):
            clipped = str(_clipped(tree, hypotheses))
            if clipped not in seen:
                seen.add(clipped)
                found = [*statements[:k], replace(one, tree=tree), *statements[k + 1 :]]
                yield f"{what}: {tree}", Mutant(found)
    definitions = wording.definitions()
    others = wording.used_names()
    for name, (arguments, body) in definitions.items():
        if type(body) is Name and body.base in slips.letters:
            continue  # whatever it is: there is nothing to mistake
        if name in others:
            continue  # it is mutated where it is stated
        for what, tree in slips.changed(body, arguments):
            new_ones = {**definitions, name: (arguments, tree)}
            yield f"{what} in {name}: {tree}", Mutant(statements, new_ones)
    given = wording.values()
    for name, body in given.items():
        for what, tree in slips.changed(body):
            if tree != body:  # 1 / tau without its 1
                yield f"{what} in {name}: {tree}", Mutant([], None, {**given, name: tree})


def _clipped(tree: Node, hypotheses: Hypotheses) -> Node:
    """Intervals cut to the range of their letter: [-1, 1] says what [0, 1] says if delta >= 0."""
    if isinstance(tree, And):
        return And(tuple(_clipped(part, hypotheses) for part in tree.parts))
    if isinstance(tree, Connected):
        one, other = (_clipped(part, hypotheses) for part in (tree.one, tree.other))
        return replace(tree, one=one, other=other)
    if not isinstance(tree, Within) or not isinstance(tree.side, Name):
        return tree
    r = hypotheses.ranges.get(tree.side.base)
    low = _number(tree.low)
    if r is None or low is None or not r.low.is_Rational:
        return tree
    end = Fraction(int(r.low.p), int(r.low.q))
    if low > end:
        return tree
    opened = tree.low_open if low == end else r.low_open
    return replace(tree, low=Number(end), low_open=opened)


def _number(node: Node) -> Fraction | None:
    """A number, or its negative."""
    if isinstance(node, Number):
        return node.value
    if isinstance(node, Sum) and len(node.terms) == 1 and isinstance(node.terms[0][1], Number):
        return -node.terms[0][1].value
    return None


def _alike(one: str, other: str) -> bool:
    """Whether one letter may be written for another by mistake: sizes for sizes."""
    return bool(SYMBOLS[one].is_integer) == bool(SYMBOLS[other].is_integer)


# --- what becomes of them ---------------------------------------------------------------------
def _inside(record: Record, wording: Wording, mutant: Mutant) -> Iterator[Trial]:
    condition = record.stated_under()
    for trial in trials(wording, mutant.statements, mutant.definitions, mutant.values):
        if condition is None or condition.holds(trial.point, trial.vectors):
            yield trial


def _is_refused(record: Record, wording: Wording, mutant: Mutant) -> bool:
    """Whether it fails, says nothing (a vector plus a number), or is a condition never met."""
    met: set[bool] = set()
    for trial in _inside(record, wording, mutant):
        if trial.holds is not True:
            return True
        met |= trial.seen
    trees = [one.tree for one in mutant.statements if isinstance(one.tree, Connected)]
    return any(tree.how == "implies" for tree in trees) and True not in met


def _leaves_a_letter(mutant: Mutant) -> bool:
    """Whether it no longer uses a letter that it quantifies over, which is found by itself."""
    bodies = [r.tree for r in mutant.statements]
    bodies += [tree for _, tree in (mutant.definitions or {}).values()]
    return any(unused(r.bound, *bodies) for r in mutant.statements)


def _attained(record: Record, wording: Wording, mutant: Mutant) -> bool:
    turned = replace(mutant, statements=equations(mutant.statements))
    return any(t.holds for t in _inside(record, wording, turned))


def _holds_on(wording: Wording, mutant: Mutant) -> bool:
    """Whether the bounds of a mutant are equalities wherever a record says that they are."""
    found = trials(wording, equations(mutant.statements), mutant.definitions, mutant.values)
    return all(t.holds is True for t in found)


def generic_points(hypotheses: Hypotheses) -> Iterator[dict[str, Any]]:
    """Points with nothing special about them, sizes all different where there is room."""
    for k in range(3):
        point: dict[str, Any] = {}
        for i, (name, r) in enumerate(hypotheses.ranges.items()):
            at = {SYMBOLS[s]: v for s, v in point.items()}
            low, high = put_in(r.low, at), put_in(r.high, at)
            if low is None or high is None:
                break
            if r.integer:
                wanted = Integer(_SIZES[k][i % 3]) if name != "p" else Integer(2 - k % 2)
                point[name] = min(max(low, wanted), high)
            else:
                share = _GENERIC[(k + i) % 3]
                if low == -oo:
                    point[name] = share if high is oo else high - share
                else:
                    point[name] = low + share if high is oo else low + (high - low) * share
        else:
            chosen = {name: KINDS[kind][k] for name, kind in hypotheses.functions.items()}
            yield {**point, **chosen}


def sides_of(tree: Node) -> list[Node]:
    """The sides of all that a statement says."""
    if isinstance(tree, Chain):
        return list(tree.sides)
    if isinstance(tree, Within):
        return [tree.side, tree.low, tree.high]
    parts = tree.places() if isinstance(tree, (And, Connected)) else ()
    return [side for part, _ in parts for side in sides_of(part)]


def shape_of(tree: Node) -> Any:
    """What is not a side: relations, connectives, ends."""
    if isinstance(tree, Chain):
        return tree.relations
    if isinstance(tree, Within):
        return tree.low_open, tree.high_open
    if isinstance(tree, (And, Connected)):
        kind = tree.how if isinstance(tree, Connected) else "and"
        return (kind, *(shape_of(part) for part, _ in tree.places()))
    return tree


def _says_the_same(wording: Wording, mutant: Mutant) -> bool:
    """Whether every side has the value that it has in the original, at generic points."""
    if mutant.values is not None:
        original = wording.values()
        pairs = [(original[k], tree) for k, tree in mutant.values.items()]
        return _equal_at_points(wording, lambda scene: _pairs(pairs, scene, scene, [{}]))
    own = wording.read()
    if [shape_of(r.tree) for r in own] != [shape_of(r.tree) for r in mutant.statements]:
        return False

    def compared(scene: Scene) -> Iterator[bool]:
        other = scene
        if mutant.definitions is not None:
            other = replace(scene, defined=mutant.definitions, known={})
        for one, new in zip(own, mutant.statements, strict=True):
            envs = list(assignments(one.bound, scene))[:6]
            pairs = list(zip(sides_of(one.tree), sides_of(new.tree), strict=True))
            yield from _pairs(pairs, scene, other, envs)

    return _equal_at_points(wording, compared)


def _pairs(
    pairs: list[tuple[Node, Node]], scene: Scene, other: Scene, envs: list[dict[str, Any]]
) -> Iterator[bool]:
    for env in envs:
        for one, new in pairs:
            if one == new and scene is other:
                continue
            yield same_value(attempted(one, scene, env), attempted(new, other, env), scene)


def attempted(tree: Node, scene: Scene, env: Mapping[str, Any]) -> Any:
    try:
        return value(tree, scene, env)
    except (NoValue, Unknown, ZeroDivisionError):
        return None


def same_value(one: Any, new: Any, scene: Scene) -> bool:
    if one is None or new is None:
        return one is new
    if isinstance(one, type(new)) and isinstance(one, (dict, Matrix)):
        return related(one, new, "=", scene.vectors)  # as vectors, not as linear combinations
    if isinstance(one, (dict, list, Matrix)) or isinstance(new, (dict, list, Matrix)):
        return bool(one == new)
    return compare(one, new, "=")


def _equal_at_points(wording: Wording, compared: Callable[[Scene], Iterator[bool]]) -> bool:
    found = 0
    for point in generic_points(wording.hypotheses()):
        for scene in list(scenes(wording, point))[:2]:
            for same in compared(scene):
                found += 1
                if not same:
                    return False
    return found > 0


def _is_weaker(wording: Wording, mutant: Mutant) -> bool:
    """Whether a mutant of an inequality follows from it, as far as generic points tell."""
    own = wording.read()
    changed_ones = [p for p in zip(own, mutant.statements, strict=False) if p[0].tree != p[1].tree]
    if not changed_ones or mutant.definitions is not None:
        return False
    for pair in changed_ones:
        # Of A => B another A says less if it implies this one, and another B if it follows.
        one, new = _conclusions(*pair) or _premises(*pair) or pair
        if _says_nothing(new.tree):
            continue
        if not one.relations or one.relations != new.relations:
            return False
        if not set(one.relations) <= {"<", "<=", ">", ">=", "="} or set(one.relations) == {"="}:
            return False
        for point in generic_points(wording.hypotheses()):
            for scene in list(scenes(wording, point))[:2]:
                for env in list(assignments(one.bound, scene))[:6]:
                    if not _follows(one, new, scene, env):
                        return False
    return True


def _says_nothing(tree: Node) -> bool:
    """Whether it is ``a <= a``, which follows from anything."""
    if not isinstance(tree, Chain):
        return False
    return len(set(tree.sides)) == 1 and set(tree.relations) <= {"=", "<=", ">="}


def _implications(one: Read, new: Read) -> tuple[Connected, Connected] | None:
    """Both, if they are implications."""
    both = one.tree, new.tree
    if all(isinstance(tree, Connected) and tree.how == "implies" for tree in both):
        return both  # type: ignore[return-value]
    return None


def _conclusions(one: Read, new: Read) -> tuple[Read, Read] | None:
    """What is concluded, from the same premise."""
    found = _implications(one, new)
    if found is None or found[0].one != found[1].one:
        return None
    return replace(one, tree=found[0].other), replace(new, tree=found[1].other)


def _premises(one: Read, new: Read) -> tuple[Read, Read] | None:
    """What is premised for the same conclusion, the other way round."""
    found = _implications(one, new)
    if found is None or found[0].other != found[1].other:
        return None
    return replace(new, tree=found[1].one), replace(one, tree=found[0].one)


def _same_where_met(record: Record, wording: Wording, mutant: Mutant) -> bool:
    """Whether another conclusion has the values of the right one wherever its premise is met, as
    a factor that is 1 there."""
    own, condition = wording.read(), record.stated_under()
    changed = [p for p in zip(own, mutant.statements, strict=False) if p[0].tree != p[1].tree]
    pairs = [_conclusions(*pair) for pair in changed]
    if mutant.definitions is not None or not all(pairs):
        return False
    sides = [(sides_of(one.tree), sides_of(new.tree)) for one, new in filter(None, pairs)]
    if any(shape_of(one.tree) != shape_of(new.tree) for one, new in filter(None, pairs)):
        return False
    met = False
    for point, wrong in wording.hypotheses().points(MET_AT):
        for scene in [] if wrong else scenes(wording, point):
            if condition is not None and not condition.holds(point, scene.vectors):
                continue
            for (one, _), (left, right) in zip(changed, sides, strict=True):
                assert isinstance(one.tree, Connected)
                if judge(one.tree.one, scene, one.bound).holds:
                    met = True
                    if not all(_pairs(list(zip(left, right, strict=False)), scene, scene, [{}])):
                        return False
    return met and bool(pairs)


def _follows(one: Read, new: Read, scene: Scene, env: Mapping[str, Any]) -> bool:
    """Whether each link of a chain leaves at least the room that it leaves in the original."""
    sides, others = ([attempted(t, scene, env) for t in sides_of(r.tree)] for r in (one, new))
    if None in (*sides, *others) or any(
        isinstance(v, (dict, list, Matrix)) for v in (*sides, *others)
    ):
        return False
    for k, relation in enumerate(one.relations):
        sign = 1 if relation in ("<", "<=") else -1
        margin, other = ((mp(v[k + 1]) - mp(v[k])) * sign for v in (sides, others))
        if not compare(other, margin, "=" if relation == "=" else ">="):
            return False
    return True
