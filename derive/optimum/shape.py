"""Convexity and monotonicity of scalar functions on [-1, 1]: exactly, or by intervals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sympy import Expr

from ..decide.calculus import derivative
from ..decide.domain import Domain
from ..decide.evidence import Evidence, Grade, Holds, Outcome, Refuted, Undecided, weakest
from ..decide.kinks import Cut, NotBent, bent, in_x
from ..decide.poles import place
from ..losses.pairwise import c


def convex_and_monotone(parts: Iterable[tuple[Expr, int]], domain: Domain) -> Outcome:
    """Whether each function of ``c`` is convex, and rises (1), falls (-1) or either (0).

    On [-1, 1]. Neither needs to be strict. A function with kinks is treated piece by piece, and its
    slope must not fall at a kink; it is continuous, so the insides of the pieces suffice. The first
    that fails is returned, with the point.
    """
    found = [Evidence(Grade.EXACT, "second derivatives are proved >= 0 on [-1, 1]")]
    for function, direction in parts:
        try:
            read = bent(function, c, domain)
        except NotBent as error:
            return Undecided(str(error))
        for outcome in _outcomes(read, direction):
            if isinstance(outcome, Holds):
                found.append(outcome.evidence)
            else:
                return outcome
    return Holds(weakest(found))


def convex(function: Expr, domain: Domain) -> Outcome:
    """Whether a function of ``c`` is convex on [-1, 1]; see :func:`convex_and_monotone`."""
    return convex_and_monotone([(function, 0)], domain)


def _outcomes(read: Cut, direction: int) -> Iterator[Outcome]:
    shown = in_x(read.function, c)
    falls = "decreasing" if direction < 0 else "increasing"
    for decide, slope in read.checked():
        # Monotony first: a loss the wrong way round is what users try.
        for part, says in ((direction * slope, falls), (derivative(slope, c), "convex")):
            if part == 0:
                continue
            outcome = decide(part)
            if isinstance(outcome, Refuted):
                outcome = Refuted(outcome.witness, f"{shown} is not {says} {place(outcome)}")
            yield outcome
    for at, outcome in read.jumps():
        if isinstance(outcome, Refuted):
            why = f": {outcome.note}" if outcome.note.startswith("the slope") else ""
            outcome = Refuted(
                outcome.witness, f"{shown} is not convex at its kink x = {in_x(at, c)}{why}"
            )
        yield outcome
