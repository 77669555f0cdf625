"""Convexity and monotonicity of scalar functions on [-1, 1]: exactly, or by intervals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sympy import Dummy, Expr, S, Symbol

from ..symbols import c
from .ball import non_negative
from .calculus import derivative
from .decide import positive
from .domain import Domain, Range, between
from .evidence import Evidence, Grade, Holds, Outcome, Refuted, Undecided, weakest
from .kinks import Bent, NotBent, Pattern, in_x


def convex_and_monotone(parts: Iterable[tuple[Expr, int]], domain: Domain) -> Outcome:
    """Whether each function of ``c`` is convex, and rises (1), falls (-1) or either (0).

    On [-1, 1]. Neither needs to be strict. A function with kinks is treated piece by piece, and its
    slope must not fall at a kink. The first that fails is returned, with the point.
    """
    found = [Evidence(Grade.EXACT, "second derivatives are proved >= 0 on [-1, 1]")]
    for function, direction in parts:
        try:
            bent = Bent(function, c, domain)
        except NotBent as error:
            return Undecided(str(error))
        for outcome in _outcomes(bent, direction, domain):
            if isinstance(outcome, Holds):
                found.append(outcome.evidence)
            else:
                return outcome
    return Holds(weakest(found))


def convex(function: Expr, domain: Domain) -> Outcome:
    """Whether a function of ``c`` is convex on [-1, 1]; see :func:`convex_and_monotone`."""
    return convex_and_monotone([(function, 0)], domain)


def monotone(function: Expr, direction: int, domain: Domain) -> Outcome:
    """Whether a function of ``c`` rises (1) or falls (-1) on [-1, 1], convex or not."""
    bent = Bent(function, c, domain)
    outcomes = [
        _sign(bent, pattern, direction * derivative(bent.piece(pattern), c), domain)
        for pattern in bent.patterns()
    ]
    return next((o for o in outcomes if not isinstance(o, Holds)), outcomes[0])


def _outcomes(bent: Bent, direction: int, domain: Domain) -> Iterator[Outcome]:
    falls = "decreasing" if direction < 0 else "increasing"
    shown = in_x(bent.function, c)
    for pattern in bent.patterns():
        slope = derivative(bent.piece(pattern), c)
        # Monotony first: a loss the wrong way round is what users try.
        for part, says in ((direction * slope, falls), (derivative(slope, c), "convex")):
            if part == 0:
                continue
            outcome = _sign(bent, pattern, part, domain)
            if isinstance(outcome, Refuted):
                outcome = Refuted(outcome.witness, f"{shown} is not {says} {_at(outcome)}")
            yield outcome
    for kink, jump in bent.jumps():
        if bent.located and not -1 < kink.at < 1:
            continue
        outcome = positive(jump, domain, strict=False)
        if isinstance(outcome, Refuted):
            outcome = Refuted(outcome.witness, f"{shown} is not convex at its kink x = {kink.at}")
        yield outcome


def _sign(bent: Bent, pattern: Pattern, part: Expr, domain: Domain) -> Outcome:
    """Whether ``part`` is >= 0 where a piece applies."""
    if bent.located:
        ends = bent.ends(pattern, -S.One, S.One)
        if ends is None:
            return Holds(Evidence(Grade.EXACT, "the piece is outside [-1, 1]"))
        middle = sum(ends) / 2
        outcome = positive(part, domain.with_range(c, between(*ends), middle), strict=False)
        if isinstance(outcome, Refuted) and bent.kinks and not outcome.witness:
            return Refuted({c.name: middle}, outcome.note)
        if not isinstance(outcome, (Holds, Refuted)):
            return non_negative(part, c, *ends)
        return outcome
    # Where the kinks are depends on parameters: each bounds its piece on one side.
    outcome = positive(part, domain.with_range(c, between(-1, 1), 0), strict=False)
    for maximum, above in pattern.items():
        if isinstance(outcome, Holds):
            return outcome
        away = Dummy("away", nonnegative=True)
        at = bent.kinks[maximum].at
        outcome = positive(
            part.xreplace({c: at + away if above else at - away}),
            domain.with_range(away, Range(low_open=False), 1),
            strict=False,
        )
    if isinstance(outcome, Holds):
        return outcome
    return _refutation(bent, part, pattern, domain)


def _refutation(bent: Bent, part: Expr, pattern: Pattern, domain: Domain) -> Outcome:
    """A point where a piece applies and ``part`` is negative, if one is found."""
    for point in domain.with_range(c, between(-1, 1), 0).points(64):
        sides = {m: point[c] > k.at.xreplace(point) for m, k in bent.kinks.items()}
        if sides == dict(pattern) and part.xreplace(point).evalf(30) < 0:
            return Refuted({s.name: v for s, v in point.items() if s in _used(bent)})
    return Undecided(f"the shape of {bent.function} was not decided: give numbers for parameters")


def _used(bent: Bent) -> set[Symbol]:
    return set(bent.function.free_symbols)


def _at(outcome: Refuted) -> str:
    names = {"c": "x"}
    found = (f"{names.get(k, k)} = {v}" for k, v in outcome.witness.items())
    return "at " + ", ".join(found) if outcome.witness else "anywhere"
