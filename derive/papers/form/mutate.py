"""Mutants of a printed formula: one place changed as a slip of the pen would change it.

A check that a mutant passes has a hole. Mutants that say the same as the formula are told apart by
the values of their sides at points with nothing special about them; a mutant of an inequality
that only makes it weaker is true, and is a hole only where the bound is said to be sharp.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from sympy import Integer, Rational, oo

from .functions import KINDS
from .hypotheses import SYMBOLS, Hypotheses, put_in
from .matrices import Matrix
from .reader import Read, Tree, spell, unused
from .record import Record, Wording
from .run import Trial, equations, scenes, trials
from .values import NoValue, Scene, Unknown, assignments, compare, judge, mp, related, value

ONE: Tree = ("num", Fraction(1))
MET_AT = 24  #: points at which premises are looked at
_FLIPPED = {"<=": ">=", ">=": "<=", "<": ">", ">": "<", "=": "<", "!=": "="}
_GENERIC = (Rational(3, 7), Rational(5, 11), Rational(8, 13))
_SIZES = ((3, 2, 4), (2, 4, 3), (4, 3, 2))


@dataclass(frozen=True)
class Holes:
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


@dataclass(frozen=True)
class Mutant:
    """What is put in place of a part of a wording."""

    statements: list[Read]
    definitions: Mapping[str, tuple[tuple[str, ...], Tree]] | None = None
    given: Mapping[str, Tree] | None = None


def mutants(wording: Wording) -> Iterator[tuple[str, Mutant]]:
    """Every mutant, with what was changed."""
    statements = wording.read()
    letters = list(wording.hypotheses().ranges)
    for k, one in enumerate(statements):
        seen = {spell(_clipped(one.tree, wording.hypotheses()))}
        for what, tree in changed(one.tree, letters, [n for n, _ in one.bound[1]]):
            clipped = spell(_clipped(tree, wording.hypotheses()))
            if clipped not in seen:
                seen.add(clipped)
                relations = tree[2] if tree[0] == "rel" else one.relations
                new = replace(one, tree=tree, relations=relations)
                found = [*statements[:k], new, *statements[k + 1 :]]
                yield f"{what}: {spell(tree)}", Mutant(found)
    definitions = wording.definitions()
    others = wording.used_names()
    for name, (arguments, body) in definitions.items():
        if body[0] == "name" and body[1] in letters:
            continue  # whatever it is: there is nothing to mistake
        if name in others:
            continue  # it is mutated where it is stated
        for what, tree in changed(body, letters, list(arguments)):
            new_ones = {**definitions, name: (arguments, tree)}
            yield f"{what} in {name}: {spell(tree)}", Mutant(statements, new_ones)
    given = wording.values()
    for name, body in given.items():
        for what, tree in changed(body, letters, []):
            if tree != body:  # 1 / tau without its 1
                yield f"{what} in {name}: {spell(tree)}", Mutant([], None, {**given, name: tree})


def _clipped(tree: Tree, hypotheses: Hypotheses) -> Tree:
    """Intervals cut to the range of their letter: [-1, 1] says what [0, 1] says if delta >= 0."""
    if tree[0] in ("iff", "implies", "and"):
        return (tree[0], *(_clipped(part, hypotheses) for part in tree[1:]))
    if tree[0] != "in" or tree[1][0] != "name" or tree[1][1] not in hypotheses.ranges:
        return tree
    low, r = tree[2], hypotheses.ranges[tree[1][1]]
    value_of = low[1] if low[0] == "num" else None
    if low[0] == "add" and len(low[1]) == 1 and low[1][0][1][0] == "num":
        value_of = -low[1][0][1][1]
    if value_of is None or not r.low.is_Rational or value_of > Fraction(int(r.low.p), int(r.low.q)):
        return tree
    end: Tree = ("num", Fraction(int(r.low.p), int(r.low.q)))
    opened = tree[4] if value_of == end[1] else r.low_open
    return (*tree[:2], end, tree[3], opened, tree[5])


def changed(tree: Tree, letters: list[str], bound: list[str]) -> Iterator[tuple[str, Tree]]:
    """Trees with one place changed."""
    yield from _here(tree, letters, bound)
    for k, part in enumerate(tree):
        if isinstance(part, tuple) and part and isinstance(part[0], str):
            # Other constants that exist make another condition, which may be as good.
            if tree[0] in ("name", "call", "bind", "mean", "size", "exists") or tree[0].startswith(
                "var"
            ):
                continue
            inner = [*bound, *(n for n, _ in tree[2][1])] if tree[0] == "big" else bound
            for what, new in changed(part, letters, inner):
                yield what, (*tree[:k], new, *tree[k + 1 :])
        elif isinstance(part, tuple) and (
            tree[0] in ("add", "mul", "rel", "least") or (tree[0] == "call" and k == 4)
        ):
            for i, inside in enumerate(part):
                child = inside[1] if tree[0] in ("add", "mul") else inside
                if not isinstance(child, tuple):
                    continue
                for what, new in changed(child, letters, bound):
                    if tree[0] == "rel" and _is_unit(tree, child, new):
                        continue
                    put = (inside[0], new) if tree[0] in ("add", "mul") else new
                    yield what, (*tree[:k], (*part[:i], put, *part[i + 1 :]), *tree[k + 1 :])


def _is_unit(relation: Tree, side: Tree, new: Tree) -> bool:
    """Whether only the power of a norm is another one, where it is said to be 1: that is no
    mutant."""
    others = {part for part in relation[1] if part != side}
    powers = side[0] == new[0] == "pow" and side[1][0] == "norm" and side[1] == new[1]
    return powers and set(relation[2]) == {"="} and others == {ONE}


def _here(tree: Tree, letters: list[str], bound: list[str]) -> Iterator[tuple[str, Tree]]:
    kind = tree[0]
    if kind == "num":
        yield "off by one", ("num", tree[1] + 1)
        yield "off by one", ("num", tree[1] - 1)
    elif kind == "name" and tree[1] in letters:
        for other in letters:
            if other != tree[1] and _alike(other, tree[1]):
                yield "swapped letter", ("name", other, (), "")
        yield "off by one", ("add", (("+", tree), ("+", ONE)))
        yield "off by one", ("add", (("+", tree), ("-", ONE)))
        yield "upside down", ("frac", ONE, tree)
    elif kind == "name" and tree[2]:
        for k, sub in enumerate(tree[2]):
            for other in bound:
                if sub[0] == "name" and sub[1] != other and _is_index(other):
                    subs = (*tree[2][:k], ("name", other, (), ""), *tree[2][k + 1 :])
                    yield "swapped index", ("name", tree[1], subs, tree[3])
    elif kind == "add":
        for k, (sign, part) in enumerate(tree[1]):
            other = "-" if sign == "+" else "+"
            yield "sign", ("add", (*tree[1][:k], (other, part), *tree[1][k + 1 :]))
            if len(tree[1]) > 1:
                rest = tree[1][:k] + tree[1][k + 1 :]
                yield "dropped term", ("add", rest)
    elif kind == "mul":
        for k, (sign, part) in enumerate(tree[1]):
            if part[0] == "T" or (k and tree[1][k - 1][1][0] == "T"):
                continue  # half an inner product
            rest = tree[1][:k] + tree[1][k + 1 :]
            if k == 0 and rest[0][0] == "/":
                rest = (("*", ONE), *rest)
            yield "dropped factor", rest[0][1] if len(rest) == 1 else ("mul", rest)
            if k:
                turned = "/" if sign == "*" else "*"
                yield "upside down", ("mul", (*tree[1][:k], (turned, part), *tree[1][k + 1 :]))
    elif kind == "frac":
        yield "upside down", ("frac", tree[2], tree[1])
    elif kind == "pow" and tree[1][0] != "norm":
        yield "dropped power", tree[1]
    elif kind in ("fun", "sqrt", "ceil", "abs"):
        yield "dropped function", tree[-1]
    elif kind == "least":
        yield "least or largest", (kind, "min" if tree[1] == "max" else "max", tree[2])
    elif kind == "big":
        if tree[2][2]:
            yield "indices may be equal", (kind, tree[1], (*tree[2][:2], ()), tree[3])
    elif kind == "diff":
        yield "dropped derivative", tree[3]
        yield "off by one", (*tree[:2], tree[2] + 1, tree[3])
    elif kind == "at":
        for k, (name, where) in enumerate(tree[2]):
            rest = tree[2][:k] + tree[2][k + 1 :]
            yield "dropped value", ("at", tree[1], rest) if rest else tree[1]
            if where[0] == "num":
                more = (name, ("num", where[1] + 1))
                yield "off by one", ("at", tree[1], (*tree[2][:k], more, *tree[2][k + 1 :]))
    elif kind == "rel":
        for k, relation in enumerate(tree[2]):
            if relation in ("<=", ">=", "<", ">"):
                signs = (*tree[2][:k], _FLIPPED[relation], *tree[2][k + 1 :])
                yield "flipped relation", (kind, tree[1], signs)
    elif kind == "and":
        for k in range(1, len(tree)):
            rest = (*tree[1:k], *tree[k + 1 :])
            yield "dropped condition", rest[0] if len(rest) == 1 else ("and", *rest)
    elif kind == "in":
        yield "end open or closed", (*tree[:4], not tree[4], tree[5])
        yield "end open or closed", (*tree[:5], not tree[5])


def _alike(one: str, other: str) -> bool:
    """Whether one letter may be written for another by mistake: sizes for sizes."""
    return bool(SYMBOLS[one].is_integer) == bool(SYMBOLS[other].is_integer)


def _is_index(name: str) -> bool:
    return name[0] in "ijk"


# --- what becomes of them ---------------------------------------------------------------------
def _inside(record: Record, wording: Wording, mutant: Mutant) -> Iterator[Trial]:
    condition = record.stated_under()
    for trial in trials(wording, mutant.statements, mutant.definitions, mutant.given):
        if condition is None or condition.holds(trial.point, trial.vectors):
            yield trial


def _is_refused(record: Record, wording: Wording, mutant: Mutant) -> bool:
    """Whether it fails, says nothing (a vector plus a number), or is a condition never met."""
    met: set[bool] = set()
    for trial in _inside(record, wording, mutant):
        if trial.holds is not True:
            return True
        met |= trial.seen
    return any(one.tree[0] == "implies" for one in mutant.statements) and True not in met


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
    found = trials(wording, equations(mutant.statements), mutant.definitions, mutant.given)
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


def sides_of(tree: Tree) -> list[Tree]:
    if tree[0] == "rel":
        return list(tree[1])
    if tree[0] in ("all", "exists"):
        return []
    if tree[0] in ("iff", "implies", "and"):
        return [s for part in tree[1:] for s in sides_of(part)]
    return list(tree[1:4])


def shape_of(tree: Tree) -> Any:
    """What is not a side: relations, connectives, ends."""
    if tree[0] == "rel":
        return tree[2]
    if tree[0] in ("all", "exists"):
        return tree
    if tree[0] in ("iff", "implies", "and"):
        return (tree[0], *(shape_of(part) for part in tree[1:]))
    return tree[4:]


def _says_the_same(wording: Wording, mutant: Mutant) -> bool:
    """Whether every side has the value that it has in the original, at generic points."""
    if mutant.given is not None:
        original = wording.values()
        pairs = [(original[k], tree) for k, tree in mutant.given.items()]
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
    pairs: list[tuple[Tree, Tree]], scene: Scene, other: Scene, envs: list[dict[str, Any]]
) -> Iterator[bool]:
    for env in envs:
        for one, new in pairs:
            if one == new and scene is other:
                continue
            yield same_value(attempted(one, scene, env), attempted(new, other, env), scene)


def attempted(tree: Tree, scene: Scene, env: Mapping[str, Any]) -> Any:
    try:
        return value(tree, scene, env)
    except (NoValue, Unknown, ZeroDivisionError):
        return None


def same_value(one: Any, new: Any, scene: Scene) -> bool:
    if one is None or new is None:
        return one is new
    if isinstance(one, type(new)) and isinstance(one, (dict, Matrix)):
        return related(one, new, "=", scene)  # as vectors, not as linear combinations
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
        if one.tree[0] != "rel" or new.tree[0] != "rel" or one.relations != new.relations:
            return False
        if not set(one.relations) <= {"<", "<=", ">", ">=", "="} or set(one.relations) == {"="}:
            return False
        for point in generic_points(wording.hypotheses()):
            for scene in list(scenes(wording, point))[:2]:
                for env in list(assignments(one.bound, scene))[:6]:
                    if not _follows(one, new, scene, env):
                        return False
    return True


def _says_nothing(tree: Tree) -> bool:
    """Whether it is ``a <= a``, which follows from anything."""
    return tree[0] == "rel" and len(set(tree[1])) == 1 and set(tree[2]) <= {"=", "<=", ">="}


def _conclusions(one: Read, new: Read) -> tuple[Read, Read] | None:
    """What is concluded, from the same premise."""
    same = one.tree[0] == new.tree[0] == "implies" and one.tree[1] == new.tree[1]
    return (_alone(one, 2), _alone(new, 2)) if same else None


def _premises(one: Read, new: Read) -> tuple[Read, Read] | None:
    """What is premised for the same conclusion, the other way round."""
    same = one.tree[0] == new.tree[0] == "implies" and one.tree[2] == new.tree[2]
    return (_alone(new, 1), _alone(one, 1)) if same else None


def _same_where_met(record: Record, wording: Wording, mutant: Mutant) -> bool:
    """Whether another conclusion has the values of the right one wherever its premise is met, as
    a factor that is 1 there."""
    own, condition = wording.read(), record.stated_under()
    pairs = [p for p in zip(own, mutant.statements, strict=False) if p[0].tree != p[1].tree]
    if mutant.definitions is not None or any(_conclusions(*pair) is None for pair in pairs):
        return False
    if any(shape_of(one.tree[2]) != shape_of(new.tree[2]) for one, new in pairs):
        return False
    met = False
    for point, wrong in wording.hypotheses().points(MET_AT):
        for scene in [] if wrong else scenes(wording, point):
            if condition is not None and not condition.holds(point, scene.vectors):
                continue
            for one, new in pairs:
                if judge(one.tree[1], scene, one.bound).holds:
                    met = True
                    sides = zip(sides_of(one.tree[2]), sides_of(new.tree[2]), strict=False)
                    if not all(_pairs(list(sides), scene, scene, [{}])):
                        return False
    return met and bool(pairs)


def _alone(read: Read, part: int) -> Read:
    tree = read.tree[part]
    return replace(read, tree=tree, relations=tree[2] if tree[0] == "rel" else ())


def _follows(one: Read, new: Read, scene: Scene, env: Mapping[str, Any]) -> bool:
    """Whether each link of a chain leaves at least the room that it leaves in the original."""
    sides, others = ([attempted(t, scene, env) for t in r.tree[1]] for r in (one, new))
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
