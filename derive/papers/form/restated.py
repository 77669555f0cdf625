"""A statement that is printed twice: do both say the same, under the same hypotheses?"""

from __future__ import annotations

from ...language.evaluate import assignments
from ...language.nodes import Bound, Node
from .hypotheses import SYMBOLS, letters_at
from .mutate import attempted, generic_points, same_value, shape_of, sides_of
from .record import Record
from .run import scenes


def differences(one: Record, other: Record) -> list[str]:
    """In what a statement differs from the one that it restates; nothing if in nothing."""
    found = []
    for first, second in ((one, other), (other, one)):
        outside = next(
            (
                p
                for p, wrong in first.printed.hypotheses().points()
                if not wrong
                and set(letters_at(p)) == {SYMBOLS[k] for k in second.printed.hypotheses().ranges}
                and second.printed.hypotheses().refuses(p)
            ),
            None,
        )
        if outside is not None:
            place = ", ".join(f"{k} = {v}" for k, v in outside.items())
            found.append(f"{first.label} is said also at {place}, {second.label} is not")
    mine, theirs = one.printed.hypotheses().ranges, other.printed.hypotheses().ranges
    if set(mine) != set(theirs):
        letters = ", ".join(sorted(set(mine) ^ set(theirs)))
        found.append(f"only one of them has {letters}")
    if one.printed.check or other.printed.check:
        if (one.printed.check, one.printed.given) != (other.printed.check, other.printed.given):
            found.append("they are not put to the same check")
        return found
    if one.printed.on != other.printed.on:
        sets = [w.family.says if w.family else "no vectors" for w in (one.printed, other.printed)]
        return [*found, f"it is about {sets[0]}, the other about {sets[1]}"]
    left, right = one.printed.read(), other.printed.read()
    if [shape_of(r.tree) for r in left] != [shape_of(r.tree) for r in right]:
        says = " against ".join("; ".join(str(r.tree) for r in some) for some in (left, right))
        return [*found, f"they are of different form: {says}"]
    for a, b in zip(left, right, strict=True):
        for x, y in zip(sides_of(a.tree), sides_of(b.tree), strict=True):
            if not _agree(one, other, a.bound, x, y):
                found.append(f"{x} here is {y} in {other.label}")
    return found


def _agree(one: Record, other: Record, bound: Bound, x: Node, y: Node) -> bool:
    for point in generic_points(one.printed.hypotheses()):
        for scene, there in zip(
            scenes(one.printed, point), scenes(other.printed, point), strict=False
        ):
            for env in list(assignments(bound, scene))[:6]:
                left = attempted(x, scene, env)
                right = attempted(y, there, env)
                if not same_value(left, right, scene):
                    return False
    return True
