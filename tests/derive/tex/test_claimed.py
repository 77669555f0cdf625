"""Conditions beside a statement: a wider claim is refused, a narrower one accepted and noted."""

from __future__ import annotations

from dataclasses import replace

import pytest
from cltheory.derive.language.statement import (
    Bounds,
    Chain,
    Clause,
    Indices,
    Kinds,
    Statement,
    Tends,
    TexError,
)
from cltheory.derive.losses.clip import b
from cltheory.derive.losses.kernel import gamma
from cltheory.derive.losses.softmax import tau
from cltheory.derive.losses.supcl import alpha, beta
from cltheory.derive.optimum.segment import delta
from cltheory.derive.structures.hierarchy import m, n
from cltheory.derive.structures.towers import N
from cltheory.derive.tex.directives import directive
from cltheory.derive.tex.judge.compare import judge
from cltheory.derive.tex.judge.finding import Finding
from cltheory.derive.tex.judge.lookup import look_up
from sympy import Eq, Expr, Piecewise, Rational, S, Symbol, exp, log, oo

ALPHA_MIN, TAU_MAX = "supcl-threshold.alpha_min", "supcl-threshold.tau_max"
T_SIMPLEX = "sigmoid-threshold.t_simplex"
ANTIPODAL, Y_AWARE = "towers-threshold.w_antipodal", "y-aware.cosine"
K, n_A, n_B = (Symbol(name, integer=True, positive=True) for name in ("K", "n_A", "n_B"))
rho, tau_prime = Symbol("rho", positive=True), Symbol("tau_prime", positive=True)
epsilon = Symbol("epsilon", positive=True)
BETA, LEAST_LOSS = "soft-supcon.beta", "kernel-infonce.least_loss"


def clause(says: object) -> Clause:
    return Clause(says, str(says))  # type: ignore[arg-type]


def chain(*parts: object) -> Clause:
    sides = tuple(e if isinstance(e, Bounds) else S(e) for e in parts[::2])
    return clause(Chain(sides, tuple(parts[1::2])))  # type: ignore[arg-type]


def verdict(text: str, *clauses: Clause, sides=None, relations=("=",)) -> Finding:
    """Of the derived value under its own name, with clauses beside it."""
    said = directive(text)
    meant = look_up(said)
    if sides is None:
        sides = (meant.own[0], meant.derived[0])
    try:
        return judge(Statement(sides, relations, clauses=clauses), meant, said)
    except TexError as error:
        return Finding("unread", False, message=str(error))


@pytest.mark.parametrize(
    "text, clauses",
    [
        (TAU_MAX, [chain(1 / n, "<", alpha, "<=", 1), chain(m, ">=", 2)]),
        (ALPHA_MIN, [clause(Kinds((tau,), "positive")), clause(Kinds((m, n), "any"))]),
        (ALPHA_MIN, [chain(0, "<", tau, "<", oo)]),
        (ALPHA_MIN, [chain(Symbol("alpha_min", real=True), ">", 0)]),
        ("sigmoid-threshold.t_antipodal_max", [clause(Kinds((b,), "real"))]),
        (ANTIPODAL, [chain(2, "<=", K, "<=", N - 1)]),
        (TAU_MAX, [chain(n, ">", 1 / alpha)]),
        (Y_AWARE, [chain(0, "<", rho, "<=", (2 * tau) ** Rational(-1, 2))]),
    ],
)
def test_the_same_claim(text: str, clauses: list[Clause]) -> None:
    found = verdict(text, *clauses)
    assert found.ok and found.evidence == "exact" and not found.notes, found


@pytest.mark.parametrize(
    "text, clauses, says",
    [
        (TAU_MAX, [chain(1 / n, "<", alpha, "<", 1)], "only"),
        (ALPHA_MIN, [clause(Kinds((tau,), "integer"))], "integers"),
        (ANTIPODAL, [chain(K, "<=", N / 2)], "only"),
        (Y_AWARE, [chain(rho, "<=", 1 / (2 * tau ** Rational(1, 2)))], "only"),
    ],
)
def test_a_narrower_claim_is_noted(text: str, clauses: list[Clause], says: str) -> None:
    import re

    found = verdict(text, *clauses)
    assert found.ok and found.evidence == "exact", found
    assert found.notes and re.search(says, found.notes[0]), found.notes


@pytest.mark.parametrize(
    "text, clauses, says",
    [
        (ALPHA_MIN, [chain(m, ">=", 1)], "m >= 2"),
        (ALPHA_MIN, [clause(Kinds((tau,), "real"))], "real"),
        (f"{ALPHA_MIN} (m = 10)", [chain(m, "=", 11)], "does not hold"),
        (f"{ALPHA_MIN} (m = 10)", [chain(m, ">=", 2)], "leaves m open"),
        (f"{ALPHA_MIN} (m = 10)", [clause(Kinds((m,), "any"))], "says m = 10"),
        # an end that is not said, and is none by what the symbol is
        (TAU_MAX, [chain(alpha, "<=", 1)], "how small alpha"),
        (BETA, [chain(tau, ">", 0)], "how large tau"),
        (LEAST_LOSS, [chain(gamma, ">=", 2)], "how large gamma"),
        ("supcl-threshold.tau_max_n_oo", [chain(alpha, "<=", 1)], "how small alpha"),
        ("soft-supcon.tau_critical", [chain(epsilon, ">", 0)], "how large epsilon"),
        ("superclass-threshold.alpha_classes", [chain(beta, ">=", 0)], "how large beta"),
        (ALPHA_MIN, [chain(m, "<=", 5)], "how small m"),
        # an end that does not belong to it
        (ALPHA_MIN, [clause(Kinds((tau,), "nonnegative"))], "tau >= 0"),
        # all numbers but one
        (ALPHA_MIN, [chain(0, "!=", tau)], "how small tau"),
        # what holds on the whole domain, and beyond it
        (TAU_MAX, [chain(3 * alpha, ">=", 1)], "alpha >= 1/3"),
        (ALPHA_MIN, [chain(-oo, "<", tau)], "tau is > 0"),
        # two symbols, of which the range of one refers to the other, solved for either
        (ANTIPODAL, [chain(N, "<=", 2 * K)], "how small N"),
        (ANTIPODAL, [chain(2, "<=", K, "<=", N)], "N >= K, .* N >= K \\+ 1"),
        ("clip-pair-graph.total_variation_at_least", [chain(n_B, ">=", n_A)], "how small n_A"),
        ("x-clr.c_prime", [chain(tau_prime, "<=", tau)], "how large tau"),
        (Y_AWARE, [chain(rho, "<=", tau ** Rational(-1, 2))], "tau <= 1/"),
        ("superclass-threshold.tau_classes", [chain(beta, "<=", 1 / m - alpha)], "nowhere"),
        # a sort of numbers that begins before the quantity does
        (TAU_MAX, [clause(Kinds((alpha,), "any"))], "every alpha"),
        (ALPHA_MIN, [clause(Kinds((m,), "real"))], "every real m"),
        ("kernel-threshold.tau_local", [clause(Kinds((gamma,), "natural"))], "gamma >= 1"),
    ],
)
def test_a_wider_claim_is_refused(text: str, clauses: list[Clause], says: str) -> None:
    import re

    found = verdict(text, *clauses)
    assert found.verdict == "differs" and not found.ok
    assert re.search(says, found.message), found.message


@pytest.mark.parametrize(
    "clauses, says",
    [
        ([chain(N, ">=", 2)], "not a symbol of supcl-threshold"),
        ([clause(Indices(("i", "j"), "!="))], "indices"),
        ([chain(0, "<", tau, "<=", oo)], "cannot be compared"),
        ([chain(Symbol("alpha_min", real=True), ">", Rational(1, 2))], "second claim"),
        ([chain(m, ">=", 2), chain(m, "<", 2)], "no point"),
    ],
)
def test_what_cannot_be_held_against_the_domain(clauses: list[Clause], says: str) -> None:
    found = verdict(ALPHA_MIN, *clauses)
    assert found.verdict == "unread" and says in found.message, found


def test_a_condition_bounds_its_symbol_once() -> None:
    value = look_up(directive(ALPHA_MIN)).derived[0]
    for clauses, ok in [
        ([], True),
        ([chain(alpha, "<=", 1)], True),
        ([chain(alpha, "in", Bounds(S.Zero, S.One, False, False))], True),
        ([chain(m, ">=", 2)], True),
        ([chain(alpha, ">", Rational(1, 2))], False),
        ([chain(alpha, "<", 1)], False),
        ([chain(alpha * n, ">", 1)], False),
    ]:
        found = verdict(ALPHA_MIN, *clauses, sides=(alpha, value), relations=(">",))
        assert found.ok is ok, (clauses, found)


def test_conditions_of_each_row_are_its_own() -> None:
    said = directive(f"{ALPHA_MIN}, {TAU_MAX}")
    meant = look_up(said)
    rows = [Statement((own, e), ("=",)) for own, e in zip(meant.own, meant.derived, strict=True)]
    wide = chain(alpha, ">=", 0)
    assert judge(replace(rows[0], rest=(rows[1],)), meant, said).ok
    first = replace(rows[0], clauses=(wide,), rest=(rows[1],))
    assert judge(first, meant, said).ok
    second = replace(rows[0], rest=(replace(rows[1], clauses=(wide,)),))
    assert not judge(second, meant, said).ok


@pytest.mark.parametrize("symbol, value, beside", [(alpha, 1 / n, ()), (tau, -1, ()), (tau, 0, 1)])
def test_a_row_that_only_bounds_is_a_condition_on_the_others(symbol, value, beside) -> None:
    """But not on what the quantity bounds; and what stands beside it is one too."""
    said = directive(ALPHA_MIN)
    meant = look_up(said)
    clauses = (chain(m, ">=", beside),) if beside else ()
    row = Statement((symbol, S(value)), (">",), clauses=clauses)
    assert not judge(Statement((*meant.own, *meant.derived), ("=",), rest=(row,)), meant, said).ok


def test_values_at_a_limit() -> None:
    derived: Expr = S.One
    own = Symbol("positive", real=True)
    for clauses, ok in [
        ([clause(Tends(delta, S.Zero))], True),
        ([clause(Tends(delta, S.Zero, "+"))], True),
        ([clause(Tends(delta, S.Zero, "-"))], False),
        ([clause(Tends(delta, oo))], False),
        ([], False),
    ]:
        found = verdict("ccem.positive_delta_0", *clauses, sides=(own, derived))
        assert found.ok is ok, (clauses, found)


def test_a_condition_with_an_equation_in_it() -> None:
    value = look_up(directive(ALPHA_MIN)).derived[0]
    own = Symbol("alpha_min", real=True)
    both = {"sides": (alpha, own, value), "relations": (">", "=")}
    assert verdict(ALPHA_MIN, **both).ok
    assert not verdict(ALPHA_MIN, sides=(alpha, own, value + 1), relations=(">", "=")).ok
    assert not verdict(ALPHA_MIN, sides=(alpha, own, value), relations=(">=", "=")).ok
    assert not verdict(ALPHA_MIN, sides=(alpha, own, value), relations=("=", "=")).ok
    assert not verdict(ALPHA_MIN, sides=(alpha, value + 1, value), relations=(">", "=")).ok


def test_the_quantity_in_an_equation_must_be_the_only_solution() -> None:
    value = look_up(directive(ALPHA_MIN)).derived[0]
    own = Symbol("alpha_min", real=True)
    for left, right, ok in [
        (log(own), log(value), True),
        (1 / own, 1 / value, True),
        (m * own, m * value, True),
        (exp(own / tau), exp(value / tau), True),
        ((m - 2) * own, (m - 2) * value, False),
        (own**2 - own, value**2 - value, False),
        (log(own) + own, log(value) + value, True),
    ]:
        assert verdict(ALPHA_MIN, sides=(left, right)).ok is ok, left
    nothing = verdict(ALPHA_MIN, sides=((m - 2) * own, (m - 2) * value))
    assert "says nothing" in nothing.message and nothing.point["m"] == "2"
    assert verdict(ALPHA_MIN, chain(m, ">=", 3), sides=((m - 2) * own, (m - 2) * value)).ok
    # The other solution is negative, or beyond what the parameter may be.
    for target, shift in (("ccem.negative", 0), ("superclass-threshold.alpha_classes", 5)):
        (value,), (own,) = look_up(directive(target)).derived, look_up(directive(target)).own
        assert not verdict(target, sides=((own + shift) ** 2, (value + shift) ** 2)).ok
    # Nor does a condition say anything where it is multiplied by 0.
    assert not verdict(target, sides=(beta * alpha, beta * value), relations=("<=",)).ok


def cases(target: str, *rows: tuple[Expr | int | None, object], beside=()) -> Finding:
    """Of a quantity, whose value is None in the rows."""
    derived = look_up(directive(target)).derived[0]
    told = Piecewise(*((derived if v is None else v, c) for v, c in rows), evaluate=False)
    return verdict(target, *beside, sides=(told,), relations=())


@pytest.mark.parametrize(
    "target, rows",
    [
        (T_SIMPLEX, [(None, N >= 4), (7, N <= 3)]),
        (T_SIMPLEX, [(None, N >= 4), (7, True)]),
        (T_SIMPLEX, [(None, N >= 4), (7, Eq(N, 3))]),
    ],
)
def test_cases_are_no_wider_than_what_was_derived(target: str, rows) -> None:
    assert not cases(target, *rows).ok


def test_cases_that_are_narrower_say_no_more() -> None:
    rows = [(None, N < 10), (None, N >= 10)]
    assert not cases(T_SIMPLEX, *rows).ok
    assert cases(T_SIMPLEX, *rows, beside=[chain(N, ">=", 4)]).ok
