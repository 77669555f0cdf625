"""What the sides of a statement are about: which vectors, which indices, which limit."""

from __future__ import annotations

import pytest
from cltheory.derive.language.statement import (
    Clause,
    Inner,
    Limit,
    Side,
    Statement,
    Tends,
    TexError,
    Unread,
    Vector,
)
from cltheory.derive.losses.softmax import tau
from cltheory.derive.losses.supcl import alpha
from cltheory.derive.optimum.segment import delta
from cltheory.derive.structures.hierarchy import m, n
from cltheory.derive.tex.directives import directive
from cltheory.derive.tex.judge.compare import judge
from cltheory.derive.tex.judge.finding import Finding
from cltheory.derive.tex.judge.lookup import look_up, pattern
from cltheory.derive.tex.judge.subject import fits
from sympy import Expr, Integer, S, Symbol, oo


def test_a_spelling_of_vectors_is_read_as_these() -> None:
    assert pattern(r"u_i^\top v_j") == Inner(Vector("u", ("i",)), Vector("v", ("j",)))
    assert pattern(r"u^\top w") == Inner(Vector("u"), Vector("w"))
    assert pattern(r"\alpha_{\min}") is None or isinstance(pattern(r"\alpha_{\min}"), Unread)


def verdict(text: str, side: Side, *says: object, value: Expr | None = None, arrow="=") -> Finding:
    said = directive(text)
    meant = look_up(said)
    clauses = tuple(Clause(s, str(s)) for s in says)  # type: ignore[arg-type]
    right = meant.derived[0] if value is None else value
    try:
        return judge(Statement((side, right), (arrow,), clauses=clauses), meant, said)
    except TexError as error:
        return Finding("unread", False, message=str(error))


def inner(one: str, other: str) -> Inner:
    def vector(text: str) -> Vector:
        name, _, indices = text.partition("_")
        return Vector(name, tuple(indices))

    return Inner(vector(one), vector(other))


def test_letters_that_are_no_indices_stay_what_they_are() -> None:
    at_delta = Inner(Vector("u", ("i", "\\delta")), Vector("v", ("i", "\\delta")))
    plain = inner("u_i", "v_i")
    assert fits(at_delta, Inner(Vector("u", ("k", "\\delta")), Vector("v", ("k", "\\delta"))))
    assert not fits(at_delta, Inner(Vector("u", ("i", "k")), Vector("v", ("i", "k"))))
    assert not fits(at_delta, plain) and not fits(plain, at_delta)
    primed = Inner(Vector("u", ("i,j^{\\prime}",)), Vector("u", ("i,j",)))
    assert fits(primed, inner("u_ik", "u_il"))
    assert not fits(primed, inner("u_kj", "u_lj"))
    assert not fits(primed, inner("u_ij", "u_ij"))


ALPHA_MIN = Symbol("alpha_min", real=True)
IN_M = Limit(ALPHA_MIN, m, oo)
TO_0 = Limit(ALPHA_MIN, tau, S.Zero)


@pytest.mark.parametrize(
    "text, side, says, ok",
    [
        ("supcl-threshold.alpha_min_tau_0", Limit(ALPHA_MIN, tau, S.Zero, "+"), [], True),
        ("supcl-threshold.alpha_min_tau_0", Limit(ALPHA_MIN, tau, oo), [], False),
        ("supcl-threshold.alpha_min_tau_0", Limit(alpha, tau, S.Zero), [], False),
        ("supcl-threshold.alpha_min", TO_0, [], False),
        ("supcl-threshold.alpha_min (n = oo)", Limit(ALPHA_MIN, n, oo), [], True),
        ("supcl-threshold.alpha_min (n = oo)", ALPHA_MIN, [Tends(n, oo)], True),
        ("supcl-threshold.alpha_min (n = oo)", ALPHA_MIN, [Tends(n, S.Zero)], False),
        ("supcl-threshold.alpha_min (n = oo)", Limit(IN_M, n, oo), [], False),
        ("supcl-threshold.alpha_min_tau_0", Limit(IN_M, tau, S.Zero), [], False),
        ("ccem.positive_delta_0", Limit(inner("u_i", "v_i"), delta, S.Zero), [], True),
        ("ccem.positive_delta_0", Limit(inner("u_i", "v_j"), delta, S.Zero), [], False),
        ("ccem.positive_delta_0", inner("u_i", "v_i"), [Tends(delta, S.Zero)], True),
    ],
)
def test_which_limit(text: str, side: Side, says: list[Tends], ok: bool) -> None:
    assert verdict(text, side, *says).ok is ok


def test_an_arrow_needs_what_tends() -> None:
    text = "supcl-threshold.alpha_min_tau_0"
    assert verdict(text, ALPHA_MIN, Tends(tau, S.Zero), arrow="->").ok
    assert not verdict(text, ALPHA_MIN, arrow="->").ok
    assert not verdict("supcl-threshold.alpha_min", ALPHA_MIN, arrow="->").ok
    wrong = verdict(text, ALPHA_MIN, Tends(tau, S.Zero), value=Integer(2) / n, arrow="->")
    assert wrong.verdict == "differs"


def test_names_that_are_not_known() -> None:
    found = verdict("supcl-threshold.alpha_min", Unread(r"\alpha_c"))
    assert found.verdict == "unread"
    assert r"\alpha_{\min}" in found.message and r"[\alpha_c -> alpha_min]" in found.message
    blank = verdict("supcl-threshold.alpha_min", Unread(""))
    assert blank.verdict == "unread" and "begin the row with" in blank.message
