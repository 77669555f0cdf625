"""Domains: what is refused, which points are admissible, and that cases leave nothing out."""

from __future__ import annotations

import pytest
from cltheory.derive.decide.cases import NotSplit, opened, regions, resolved, with_signed_logs
from cltheory.derive.decide.decide import (
    any_positive,
    is_proved_positive,
    positive,
    refuse_nowhere,
)
from cltheory.derive.decide.domain import (
    POSITIVE,
    Domain,
    DomainError,
    Range,
    at_least,
    between,
    refuse_outside,
)
from cltheory.derive.decide.evidence import Holds, Refuted, Undecided
from cltheory.derive.results import results
from sympy import I, Max, Min, Piecewise, Rational, S, Symbol, log, nan, oo, sqrt, zoo

U, V, W = (Symbol(s, real=True) for s in "uvw")
K = Symbol("k", integer=True)


def one(low, high, ends: str = "[]", witness=None) -> Domain:
    middle = (S(low) + S(high)) / 2 if witness is None else witness
    return Domain({U: between(low, high, ends)}, {U: middle})


# --- points and refusals --------------------------------------------------------------------
@pytest.mark.parametrize("value", [nan, zoo, I, S(3), S(-1), S(0), S(2), -oo, oo])
def test_what_is_outside_is_refused_in_one_line(value) -> None:
    open_ends = one(0, 2, "()")
    assert not open_ends.contains({U: value})
    with pytest.raises(DomainError, match=r"u must be in \(0, 2\)"):
        open_ends.check({U: value})


def test_an_end_in_symbols_does_not_excuse_the_other() -> None:
    shared = Domain({U: between(0, 1), V: between(0, 1 - U)}, {U: S.Half, V: S.Half})
    with pytest.raises(DomainError, match=r"v must be in \[0, 1 - u\]"):
        refuse_outside("v", shared.ranges[V], Rational(-3, 2))
    refuse_outside("v", shared.ranges[V], S(0))  # whether it is too large depends on u


def test_ends_belong_as_they_are_declared() -> None:
    for ends, low, high in (("[]", 1, 1), ("()", 0, 0), ("[)", 1, 0), ("(]", 0, 1)):
        d = one(0, sqrt(2), ends, 1)
        assert d.contains({U: S.Zero}) == bool(low)
        assert d.contains({U: sqrt(2)}) == bool(high)
        assert d.contains({U: S.One})


def test_a_value_that_no_digits_tell_from_an_end_is_that_end_or_refused() -> None:
    nothing = sqrt(3 - 2 * sqrt(2)) - sqrt(2) + 1
    for ends in ("[]", "()", "[)", "(]"):
        d = one(0, 1, ends)
        assert d.contains({U: nothing}) == (ends[0] == "[")
        assert d.contains({U: 1 - nothing}) == (ends[1] == "]")
    assert one(0, 1).contains({U: log(4) - 2 * log(2)})
    assert not one(0, 1, "(]").contains({U: log(4) - 2 * log(2)})
    with pytest.raises(DomainError, match="it is not known whether"):
        one(0, 1).check({U: log(1 + sqrt(2)) + log(sqrt(2) - 1)})


def test_infinity_is_admissible_only_where_the_range_has_no_end() -> None:
    d = Domain({U: Range(), K: at_least(2)}, {U: 1, K: 2})
    assert d.contains({U: oo}) and d.contains({K: oo}) and not d.contains({U: -oo})
    with pytest.raises(DomainError, match="finite"):
        Domain({U: Range()}, {U: oo})
    real = Domain({U: Range(-oo)}, {U: 0})
    assert not real.contains({U: -oo}) and not real.contains({K: S.Half, U: nan})


def test_empty_and_contradictory_ranges_are_refused() -> None:
    with pytest.raises(DomainError, match="u must be"):
        one(3, 1, witness=2)
    with pytest.raises(DomainError, match="u must be"):
        one(1, 1, "[)", 1)
    assert one(1, 1).contains({U: S.One})
    with pytest.raises(DomainError, match="must be an integer"):
        Domain({K: at_least(1)}, {K: Rational(3, 2)})
    with pytest.raises(DomainError, match=r"must be an integer in \[1, 4\], not 5"):
        Domain({K: Range(S.One, S(4), False, False, integer=True)}, {K: 5})


@pytest.mark.parametrize(
    "declared, r",
    [
        ({"positive": True}, Range(-oo)),
        ({"positive": True}, between(0, 1)),
        ({"nonnegative": True}, between(-1, 1)),
        ({"negative": True}, Range(-oo)),
        ({"negative": True}, between(-1, 0)),
        ({"nonpositive": True}, between(-1, 1)),
        ({"integer": True}, between(0, 1)),
        ({"imaginary": True}, between(0, 1)),
    ],
)
def test_a_range_may_not_allow_what_the_symbol_excludes(declared, r) -> None:
    s = Symbol("s", **declared)
    with pytest.raises(DomainError, match="is always"):
        Domain({s: r}, {s: 1 if r.high != 0 else S(-1) / 2})


def test_a_range_may_allow_less_than_its_symbol() -> None:
    s = Symbol("s", positive=True)
    for r in (POSITIVE, between(0, 1, "(]"), between(1, 2)):
        assert Domain({s: r}, {s: 1}).symbols() == (s,)
    t = Symbol("t", negative=True)
    assert Domain({t: between(-1, 0, "[)")}, {t: Rational(-1, 2)}).symbols() == (t,)
    assert Domain({t: Range(-oo, S.Zero)}, {t: -1}).symbols() == (t,)


def test_ranges_may_refer_to_symbols_in_any_order() -> None:
    d = Domain({U: between(0, V), W: Range(), V: between(1, 2)}, {U: 1, V: 1, W: 1})
    assert d.symbols() == (W, V, U)
    assert all(d.contains(p) and p[U] <= p[V] for p in d.points())
    assert isinstance(positive(3 - U, d), Holds)
    assert isinstance(positive(V - U, d, strict=False), Holds)
    assert isinstance(positive(Rational(3, 2) - U, d), Refuted)
    with pytest.raises(DomainError, match="circle"):
        Domain({U: between(0, V), V: between(0, U)}, {U: 1, V: 1})
    with pytest.raises(DomainError, match="refers to v"):
        Domain({U: between(0, V)}, {U: 1})


SHAPES = [
    {U: between(0, 2)},
    {U: between(0, 2, "()")},
    {U: Range(-oo)},
    {U: Range(-oo, S(-5))},
    {U: Range(-oo, S(-5), high_open=False)},
    {U: Range(S(7), low_open=False)},
    {K: at_least(3)},
    {K: Range(S(2), S(3), low_open=False, high_open=False, integer=True)},
    {K: Range(S(2), S(6), low_open=True, high_open=True, integer=True)},
    {K: Range(-oo, S(4), high_open=False, integer=True)},
    {K: Range(-oo, integer=True)},
    {V: between(1, 2), U: Range(V, V + 1, True, False)},
    {V: between(1, 2), U: Range(S.One, V, True, True)},  # empty at v = 1
    {V: between(1, 2), K: Range(V, integer=True)},
]
INSIDE = {U: [1, 1, 0, -6, -5, 7, 0, 0, 0, 0, 0, Rational(9, 4), Rational(5, 4), 0]}


@pytest.mark.parametrize("k", range(len(SHAPES)))
def test_points_are_admissible_and_more_than_one(k: int) -> None:
    ranges = SHAPES[k]
    witness = {U: INSIDE[U][k], V: Rational(3, 2), K: 3}
    d = Domain(ranges, {s: witness[s] for s in ranges})
    for draw in (d.points, d.generic_points):
        points = list(draw())
        assert len({tuple(p.values()) for p in points}) > 1
        for p in points:
            d.check(p)
            assert list(p) == list(d.ranges)


def test_points_reach_the_ends_that_belong_and_no_others() -> None:
    for ends in ("[]", "()", "[)", "(]"):
        seen = {p[U] for p in one(0, 2, ends).points()}
        assert (S.Zero in seen) == (ends[0] == "[") and (S(2) in seen) == (ends[1] == "]")


# --- cases ---------------------------------------------------------------------------------
def images(d: Domain, values) -> set:
    """What the cases reach when their variables take the given values (where they may)."""
    found = set()
    for case in d.cases():
        for v in values:
            if v == 0 and case.strict:
                continue
            at = dict.fromkeys(case.variables, S(v))
            found.add(case.substitution[U].xreplace(at))
    return found


def test_cases_cover_exactly_the_domain() -> None:
    grid = [S.Zero, S.One, S(3), Rational(1, 3), S(10) ** 9]
    for low, high in ((0, 2), (-1, 1)):
        for ends in ("[]", "()", "[)", "(]"):
            d = one(low, high, ends)
            reached = images(d, grid)
            assert all(d.contains({U: v}) for v in reached)
            assert (S(low) in reached) == (ends[0] == "[") and (S(high) in reached) == (
                ends[1] == "]"
            )
    for r in (
        Range(),
        Range(low_open=False),
        Range(-oo, S.One),
        Range(-oo, S.One, high_open=False),
    ):
        d = Domain({U: r}, {U: Rational(1, 2)})
        reached = images(d, grid)
        assert all(d.contains({U: v}) for v in reached) and len(reached) >= 4
        end = S.Zero if r.high is oo else S.One
        assert (end in reached) == d.contains({U: end})
    real = images(Domain({U: Range(-oo)}, {U: 0}), grid)
    assert {S(3), S(-3), S.Zero} <= real


def test_every_kind_of_range_is_covered_on_both_sides() -> None:
    real = Domain({U: Range(-oo)}, {U: 0})
    assert isinstance(positive(U, real), Refuted)
    assert isinstance(positive(U + 1000, real), (Refuted, Undecided))
    assert isinstance(positive(-U - U**3, real, strict=False), (Refuted, Undecided))
    assert isinstance(positive(1 + U**2, real), Holds)
    below = Domain({U: Range(-oo, S(-2))}, {U: -3})
    assert isinstance(positive(-U, below), Holds)
    assert isinstance(positive(-2 - U, below), Holds)
    assert isinstance(positive(U + 1000, below), (Refuted, Undecided))
    closed = Domain({U: Range(-oo, S(-2), high_open=False)}, {U: -3})
    assert isinstance(positive(-2 - U, closed), Refuted)
    assert isinstance(positive(-2 - U, closed, strict=False), Holds)


def test_strict_at_open_ends_and_weak_at_closed_ones() -> None:
    for ends, at_low, at_high in (("[]", 0, 0), ("()", 1, 1), ("[)", 0, 1), ("(]", 1, 0)):
        d = one(0, 2, ends)
        assert isinstance(positive(U, d), Holds) == bool(at_low)
        assert isinstance(positive(2 - U, d), Holds) == bool(at_high)
        assert isinstance(positive(U, d, strict=False), Holds)
        assert isinstance(positive(2 - U, d, strict=False), Holds)
        assert not isinstance(positive(U - 1, d, strict=False), Holds)
        assert not isinstance(positive(1 - U, d, strict=False), Holds)
    assert isinstance(positive(U, Domain({U: Range(low_open=False)}, {U: 1})), Refuted)
    assert isinstance(positive(U, Domain({U: Range()}, {U: 1})), Holds)


def test_a_few_integers_are_all_covered() -> None:
    few = Domain({K: Range(S(2), S(4), False, False, True)}, {K: 2})
    assert isinstance(positive(K - 1, few), Holds) and isinstance(positive(5 - K, few), Holds)
    assert isinstance(positive(4 - K, few), Refuted)
    assert isinstance(positive(4 - K, few, strict=False), Holds)
    assert not isinstance(positive(3 - K, few, strict=False), Holds)


def test_an_end_that_divides_by_what_changes_sign_proves_nothing() -> None:
    # u >= 1/(v - 1): for v < 1 that allows u < 0.
    d = Domain({V: Range(), U: Range(1 / (V - 1), low_open=False)}, {V: 2, U: 1})
    assert not isinstance(positive(1 + U, d), Holds)
    assert not isinstance(positive(U * (V - 1) + 1, d), Holds)
    # For v < 1 these u are negative, and for v > 1 there are none.
    d = Domain({V: Range(), U: between(2 / (V - 1), 1 / (V - 1))}, {V: S.Half, U: -3})
    assert isinstance(positive(U, d), Refuted) and not isinstance(positive(U + 9, d), Holds)
    above = Domain({V: Range(S.One), U: Range(1 / (V - 1), low_open=False)}, {V: 2, U: 1})
    assert isinstance(positive(U, above), Holds)


def test_the_case_decides_which_of_several_is_positive() -> None:
    d = one(-1, 1)
    real = Domain({U: Range(-oo)}, {U: 0})
    assert isinstance(any_positive([U, -U], real, strict=False), Holds)
    assert not isinstance(any_positive([U, -U], real), Holds)
    assert not isinstance(any_positive([U, -U], d), Holds)
    assert isinstance(any_positive([U, -U + 1], real), (Holds, Undecided))
    assert not isinstance(any_positive([U - 1, -U - 1], real), Holds)


# --- parts of a domain ---------------------------------------------------------------------
def test_opened_has_a_witness_inside() -> None:
    for d in (
        one(0, 2, witness=2),
        Domain({U: Range(-oo, S.One, high_open=False)}, {U: 1}),
        Domain({V: between(1, 2), U: Range(V, V + 1, True, False)}, {V: 1, U: 1 + S(10) ** -9}),
        Domain({U: Range(-oo), K: at_least(1)}, {U: 0, K: 1}),
    ):
        inner = opened(d)
        inner.check(inner.witness)
        for r in inner.ranges.values():
            assert r.integer or (r.low_open and r.high_open)
    assert opened(one(1, 1)).contains({U: S.One})


def test_regions_cover_the_domain_or_are_refused() -> None:
    d = one(0, 2)

    def parts(*args) -> list[Domain]:
        told = Piecewise(*args, evaluate=False)
        return regions([told], opened(d), d, frozenset([told]))

    found = parts((U, U < 1), (U**2, True))
    assert len(found) == 2 and all(
        any(q.contains({U: S(v) / 4}) for q in found) for v in range(1, 8)
    )
    assert [q.contains({U: S.One}) for q in found] == [False, True]
    for gap in (
        [(U, U < 1), (1, U > 2)],
        [(U, U < 1), (1, U > 1)],  # neither at 1
        [(U, U <= 1), (1, U < Rational(1, 2))],
        [(U, U <= Rational(3, 2)), (U**2, U >= 1)],  # two at once
    ):
        with pytest.raises(NotSplit):
            parts(*gap)
    # Met at the end alone, which belongs to the domain: it is not left out.
    for left in ([(U, U < 2), (5, True)], [(U, U > 0), (5, True)], [(U, U + V < 2), (5, True)]):
        with pytest.raises(NotSplit):
            parts(*left)
    # Met nowhere: what is said of such a case was not derived.
    with pytest.raises(NotSplit):
        parts((U, U <= 2), (5, True))


def test_maxima_and_cases_are_resolved_only_by_proof() -> None:
    d = one(0, 2)
    assert resolved(Max(U, -1 - U), d) == U
    assert resolved(Min(U, -1 - U), d) == -1 - U
    assert resolved(Max(U, 1), d) == Max(U, 1)
    assert resolved(Max(U, log(U)), d) == Max(U, log(U))
    told = Piecewise((1, U < 3), (2, True))
    assert resolved(told, d) == 1
    assert resolved(Piecewise((1, U > 3), (2, True)), d) == 2
    for open_question in (Piecewise((1, U < 2), (2, True)), Piecewise((1, U <= 1), (2, True))):
        assert resolved(open_question, d) == open_question
    assert resolved(Piecewise((1, U <= 2), (2, True)), d) == 1
    assert resolved(Piecewise((1, U < 2), (2, True)), one(0, 2, "[)")) == 1


def test_logarithms_get_a_sign_from_their_argument_alone() -> None:
    d = one(0, 2)
    (e,), signed = with_signed_logs([log(2 + U) + U], d)
    assert not e.has(log) and is_proved_positive(e, signed)
    (e,), signed = with_signed_logs([log(1 / (2 + U))], d)
    assert not e.has(log) and is_proved_positive(-e, signed)
    for unknown in (log(U + Rational(1, 2)), log(U + 1), log(U)):
        (e,), signed = with_signed_logs([unknown], d)
        assert e == unknown and signed is d
    (e,), _ = with_signed_logs([log(2 + U) + log(1 / (2 + U))], d)
    assert e == 0
    (e,), signed = with_signed_logs([log(3 - sqrt(U + 1))], d)  # a surd, by its square
    assert not e.has(log) and is_proved_positive(e, signed)
    (e,), _ = with_signed_logs([log(3 - sqrt(U - 1))], d)  # without a value below u = 1
    assert e.has(log)


def test_a_range_whose_end_is_not_real_there_holds_nothing() -> None:
    here = Domain({U: between(-5, 5), V: between(0, sqrt(U - 1))}, {U: 2, V: 0})
    assert here.contains({U: S(2), V: S(1)})
    assert not here.contains({U: S(0), V: S(0)})
    with pytest.raises(DomainError, match="has no real end there"):
        here.check({U: S(0), V: S(0)})


@pytest.mark.parametrize(
    ("id", "given", "refused"),
    [
        ("infonce-noise", {"rho": "3/2"}, True),
        ("infonce-noise", {"rho": 1}, True),  # (N - 1)/N is less for every N
        ("infonce-noise", {"rho": "9/10"}, False),  # from N = 11 on
        ("infonce-noise", {"rho": "9/10", "N": 10}, True),
        ("superclass-threshold", {"beta": "3/2"}, True),
        ("superclass-threshold", {"beta": 1}, False),  # with alpha = 0
        ("supcl-batches", {"B": 1000, "m": 3}, False),
    ],
)
def test_a_value_that_no_values_of_the_others_go_with(id, given, refused) -> None:
    """Given to ``derive``, it would leave formulas that hold nowhere."""
    result = results[id]
    if not refused:
        refuse_nowhere(result.point(**given), result.domain)
        return
    with pytest.raises(DomainError, match="must be in"):
        refuse_nowhere(result.point(**given), result.domain)
