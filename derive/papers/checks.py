"""The ways in which a printed claim is put to the test.

Each function returns a :class:`Verdict`. ``differs`` always carries a witness:
the point and both values there, so that a reader can redo it by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import mpmath
from sympy import Expr, nan, zoo

from ..decide.decide import positive, zero
from ..decide.domain import Domain
from ..decide.evidence import Evidence, Grade, Holds, Refuted, weakest
from .verdict import Verdict

if TYPE_CHECKING:
    from ..vectors.embeddings import Embeddings

Sets = TypeVar("Sets", bound="Embeddings")

#: A printed formula, built when it is needed; tests put a wrong one in its place.
Formula = Callable[[], Expr]

DIGITS = 50
#: Two 50-digit values closer than this (relative to 1 + |value|) count as equal:
#: ten digits are left for rounding in sums of at most a few hundred terms.
CLOSE = mpmath.mpf(10) ** (10 - DIGITS)

Relation = Literal["=", "<=", ">=", "<", ">"]


def equal(
    printed: Expr,
    derived: Expr,
    domain: Domain,
    note: str = "",
    *,
    at: Mapping[str, Any] | None = None,
) -> Verdict:
    """Compare a printed expression with a derived one on a domain.

    ``at`` is a point to show should they differ, in place of the one that is found.
    """
    outcome = zero(printed - derived, domain)
    if isinstance(outcome, Holds):
        return Verdict("agrees", outcome.evidence, note)
    if isinstance(outcome, Refuted):
        if at is None:
            # The residual may have lost symbols that the two sides still have.
            used = printed.free_symbols | derived.free_symbols
            at = {s.name: v for s, v in domain.witness.items() if s in used}
            at |= outcome.witness
        return differs_at(at, printed, derived, note)
    return Verdict("undecided", Evidence(Grade.SAMPLED, outcome.reason), note)


def all_equal(
    printed: Iterable[Expr],
    derived: Expr,
    domain: Domain,
    note: str = "",
    *,
    at: Mapping[str, Any] | None = None,
) -> Verdict:
    """Compare every line of a chain of equations with one derived expression."""
    verdicts = [equal(line, derived, domain, note, at=at) for line in printed]
    failed = [v for v in verdicts if v.word != "agrees"]
    return failed[0] if failed else verdicts[0]


def equal_roots(
    printed: Expr,
    squared: Expr,
    domain: Domain,
    note: str = "",
    *,
    at: Mapping[str, Any] | None = None,
) -> Verdict:
    """Compare a printed square root, positive inside the domain, by its square and its sign.

    The square is not zero inside, so that one point tells the sign everywhere.
    """
    verdict = equal(printed**2, squared, domain, note, at=at)
    if verdict.word != "agrees":
        return verdict
    here = domain.witness_of(printed).evalf(DIGITS)
    if here == 0:
        raise ValueError("the root vanishes at the point where its sign was to be seen")
    if here > 0:
        return verdict
    point = {s.name: str(domain.witness[s]) for s in sorted(printed.free_symbols, key=str)}
    witness = {"point": point, "printed": str(here.n(12)), "derived": str(-here.n(12))}
    how = f"the square is right, and the sign is not at {_show(point)}"
    return decided(False, how, note, witness=witness)


def holds_positive(
    expression: Expr, domain: Domain, note: str = "", *, strict: bool = True
) -> Verdict:
    """Check that an expression is > 0 (or >= 0) on a domain."""
    outcome = positive(expression, domain, strict=strict)
    if isinstance(outcome, Holds):
        return Verdict("agrees", outcome.evidence, note)
    if isinstance(outcome, Refuted):
        point = {k: str(v) for k, v in outcome.witness.items()}
        how = Evidence(Grade.EXACT, f"the sign is wrong at {_show(point)}")
        witness = {"point": point, "printed": "> 0", "derived": outcome.note}
        return Verdict("differs", how, note, witness)
    return Verdict("undecided", Evidence(Grade.SAMPLED, outcome.reason), note)


def both(first: Verdict, *others: Verdict) -> Verdict:
    """Join verdicts on the parts of one claim: the first that does not agree, else the first."""
    parts = (first, *others)
    failed = [v for v in parts if v.word != "agrees"]
    if failed:
        return failed[0]
    return Verdict("agrees", weakest(v.evidence for v in parts), first.note, first.witness)


def differs_at(point: Mapping[str, Any], printed: Expr, derived: Expr, note: str = "") -> Verdict:
    """State a difference at a point, after checking that the two values do differ there."""
    left, right = (
        e.subs({s: point[s.name] for s in e.free_symbols if s.name in point})
        for e in (printed, derived)
    )
    a, b = mpmath.mpmathify(left.evalf(DIGITS)), mpmath.mpmathify(right.evalf(DIGITS))
    if abs(a - b) <= CLOSE * (1 + abs(b)):
        raise ValueError("the two expressions agree at the point given as a difference")
    witness = {
        "point": {k: str(v) for k, v in point.items()},
        "printed": mpmath.nstr(a, 12),
        "derived": mpmath.nstr(b, 12),
    }
    return Verdict(
        "differs", Evidence(Grade.EXACT, f"the two differ at {_show(point)}"), note, witness
    )


def on_embeddings(
    sides: Callable[[Sets], tuple[Any, Any]],
    relation: Relation,
    cases: Iterable[Sets],
    *,
    where: Callable[[Sets], bool] = lambda _: True,
    note: str = "",
) -> Verdict:
    """Test ``left relation right`` on exact embeddings, stopping at the first that fails.

    ``sides`` gives both sides as Fractions (compared exactly) or mpmath numbers
    (compared to 40 digits). Embeddings for which ``where`` is false are passed over;
    a claim tested on nothing is an error.
    """
    tried = 0
    with mpmath.workdps(DIGITS):
        for u in cases:
            if not where(u):
                continue
            tried += 1
            left, right = sides(u)
            if not _compare(left, right, relation):
                return Verdict(
                    "differs",
                    Evidence(Grade.EXACT, f"fails on embeddings with {_describe(u)}"),
                    note,
                    {"point": _describe(u), "printed": _text(left), "derived": _text(right)},
                )
    if not tried:
        raise ValueError("no embeddings satisfied the hypotheses: nothing was tested")
    return Verdict("agrees", Evidence(Grade.SAMPLED, f"{tried} exact embedding sets"), note)


def needs_condition(
    condition: str, within: Verdict, without: Verdict | Callable[[], Verdict], note: str = ""
) -> Verdict:
    """Combine two runs: the claim holds under ``condition`` and fails at a point outside it.

    If it does not even hold under the condition, that is the verdict. ``without`` is
    a function where it makes sense only once the claim is known to hold within.
    """
    if within.word != "agrees":
        return within
    outside = without() if callable(without) else without
    if outside.word != "differs":
        raise ValueError(f"nothing fails without {condition}: {outside}")
    text = f"needs {condition}" + (f"; {note}" if note else "")
    return Verdict("needs-condition", within.evidence, text, outside.witness)


def undefined_at(point: Mapping[str, Any], compute: Callable[[], Any], note: str = "") -> Verdict:
    """State that a printed expression divides by zero at a point, after computing it there."""
    try:
        value = compute()
        if isinstance(value, Expr) and value.has(zoo, nan):
            raise ZeroDivisionError
    except ZeroDivisionError:
        shown = {k: str(v) for k, v in point.items()}
        return Verdict(
            "differs",
            Evidence(Grade.EXACT, f"division by zero at {_show(point)}"),
            note,
            {"point": shown, "printed": "division by zero", "derived": "no value"},
        )
    raise ValueError(f"the expression has the value {value} where it was said to have none")


def first_difference(values: Sequence[Any]) -> tuple[Any, Any]:
    """Pair the first value with the first one that differs from it, for a chain of equations."""
    return next(((v, values[0]) for v in values if v != values[0]), (values[0], values[0]))


def stored_cells(package: str, name: str) -> list[list[Fraction]]:
    """Cells of a stored table of optimised embeddings, as exact decimals.

    Finding them took an optimiser; checking a claim on them does not.
    """
    import json
    from importlib.resources import files

    text = (files(package) / name).read_text("utf-8")
    return [[Fraction(v) for v in cell] for cell in json.loads(text)["cells"]]


def decided(
    holds: bool, how: str, note: str = "", *, grade: Grade = Grade.EXACT, witness: Any = None
) -> Verdict:
    """A verdict from a check written out by hand; ``how`` says what was run."""
    if not holds and not witness:
        raise ValueError("a difference needs a witness")
    return Verdict(
        "agrees" if holds else "differs", Evidence(grade, how), note, {} if holds else witness
    )


def _compare(left: Any, right: Any, relation: Relation) -> bool:
    exact = isinstance(left, (int, Fraction)) and isinstance(right, (int, Fraction))
    if not exact:
        left, right = _mp(left), _mp(right)
    slack = 0 if exact else CLOSE * (1 + abs(right))
    gap = left - right
    return bool(
        {
            "=": abs(gap) <= slack,
            "<=": gap <= slack,
            ">=": gap >= -slack,
            "<": gap < -slack or (exact and gap < 0),
            ">": gap > slack or (exact and gap > 0),
        }[relation]
    )


def _mp(value: Any) -> Any:
    if isinstance(value, Fraction):
        return mpmath.mpf(value.numerator) / value.denominator
    return mpmath.mpmathify(value)


def _text(value: Any) -> str:
    return str(value) if isinstance(value, (int, Fraction)) else mpmath.nstr(value, 12)


def _show(point: Mapping[str, Any]) -> str:
    return ", ".join(f"{k} = {v}" for k, v in point.items())


def _describe(u: Embeddings) -> str:
    text = getattr(u, "shape", f"m = {u.m}, n = {u.n}, p = {u.p}, d = {u.dimension}")
    return f"{text} ({u.note})" if u.note else text
