"""From a loss to a segment: what is declared, what is stated of it, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest
from cltheory.derive.decide.domain import Domain, DomainError, at_least, between
from cltheory.derive.decide.evidence import Evidence, Grade, Holds, Undecided
from cltheory.derive.decide.present import affine, collected
from cltheory.derive.losses.pairwise import PairTerm, PairwiseLoss, c
from cltheory.derive.losses.softmax import SoftmaxLoss, SoftmaxTerm, tau
from cltheory.derive.losses.supcl import CNCE, SUPCL, alpha
from cltheory.derive.optimum import segment_facts as facts
from cltheory.derive.optimum.on_segment import LossOnSegment
from cltheory.derive.optimum.reduce import Pool, ReducedLoss, ReducedPairwise, inner_products
from cltheory.derive.optimum.segment import Segment, cut_segment, x
from cltheory.derive.optimum.segment_facts import (
    Active,
    AtEnd,
    FirstOrder,
    PairGradient,
    Ranks,
    Segments,
    Spectrum,
    state_segment,
    with_reals,
)
from cltheory.derive.problems.domains import COMBINED, SIZES, TEMPERED
from cltheory.derive.proof.derivation import Derivation, StepFailed
from cltheory.derive.proof.limiting import LimitIs, take_limit
from cltheory.derive.proof.relations import Iff, eq, ge, gt, le, lt
from cltheory.derive.proof.statement import Relations, Statement, every
from cltheory.derive.results.classes._supcl import SYMMETRY, ssem_segment
from cltheory.derive.structures.hierarchy import m, n, p
from cltheory.derive.structures.scheme import complete
from cltheory.derive.structures.towers import N, towers
from sympy import Eq, Expr, Ge, Integer, Le, Limit, Lt, Rational, S, Symbol, Tuple, exp, oo

EXACT = Holds(Evidence(Grade.EXACT, "by hand"))
SAMPLED = Holds(Evidence(Grade.SAMPLED, "at points"))


def refused(statement: Statement) -> bool:
    try:
        Derivation().add("", statement, "")
    except StepFailed:
        return True
    return False


# --- statements --------------------------------------------------------------------------------
def test_relations_are_read_to_the_letter() -> None:
    def holds(*relations: object) -> bool:
        return not refused(Relations(Tuple(*relations), SIZES))

    assert holds(ge(m, 2), gt(m, 1), lt(1, m), le(2, m), eq(m + n, n + m))
    for wrong in ((), (gt(m, 2),), (lt(2, m),), (ge(2, m),), (ge(m, 2), gt(m, 2)), (m,)):
        assert not holds(*wrong), wrong
    assert not holds(gt(m, 2), ge(m, 2))


def test_every_takes_the_weakest_and_the_first_failure() -> None:
    failed = Undecided("one")
    assert every([failed, EXACT]) is failed and every([EXACT, failed]) is failed
    assert every([failed, Undecided("two")]) is failed
    for order in ([SAMPLED, EXACT], [EXACT, SAMPLED], [EXACT, SAMPLED, EXACT]):
        assert every(order).evidence.grade is Grade.SAMPLED


def test_what_is_given_and_what_is_shown_are_both_decided() -> None:
    true, false = Relations(ge(m, 2), SIZES), Relations(ge(m, 3), SIZES)
    assert not refused(replace(true, premises=(true, EXACT)))
    assert refused(replace(true, premises=(true, false)))
    assert refused(replace(true, premises=(Undecided("no"),)))
    assert refused(replace(false, premises=(true,)))


def test_a_limit_is_the_one_that_is_shown() -> None:
    proof = Derivation()
    assert take_limit("f", (n + m) / n, n, oo, SIZES, proof) == 1
    says = proof.steps[0].says
    assert isinstance(says, LimitIs)
    of = says.shown.args[0]
    for wrong in (eq(of, 2), eq(of, oo), ge(of, 1), le(of, 1), eq(Limit(Symbol("g"), n, oo), 1)):
        assert refused(says.saying(wrong)), wrong


# --- segments ----------------------------------------------------------------------------------
SEGMENTS = [
    cut_segment(SYMMETRY, ("views", "mean"), "instances", "same_class"),
    cut_segment(SYMMETRY, ("views", "classes"), "instances", "same_class"),
    cut_segment(SYMMETRY, ("instances", "mean"), "views", "same_instance"),
    cut_segment(towers(), ("differing_means", "shared_mean"), "differing_contrasts", "positive"),
]
SIZED = Domain(
    {m: at_least(2), n: at_least(2), p: at_least(2), N: at_least(2)}, {m: 3, n: 2, p: 2, N: 4}
)


def stated(s: Segment) -> tuple[Segments, Domain]:
    domain = SIZED.with_range(x, between(0, s.length), SIZED.witness_of(s.length) / 2)
    state_segment(proof := Derivation(), s, domain)
    (step,) = proof
    assert isinstance(step.says, Segments)
    return step.says, domain


def changed(shown: Tuple, rules: dict[Expr, Expr], name: str | None = None) -> Tuple:
    """The right sides of some equations with something put in."""
    return Tuple(
        *(
            eq(r.args[0], r.args[1].xreplace(rules))
            if name is None or str(r.args[0]) == name
            else r
            for r in shown.args
        )
    )


@pytest.mark.parametrize("s", SEGMENTS, ids=lambda s: f"{s.low}-{s.high}")
def test_a_segment_shares_the_trace_between_two_eigenspaces(s: Segment) -> None:
    says, domain = stated(s)
    values = s.eigenvalues()
    for point in domain.generic_points(6):
        at = {e: v.xreplace(point) for e, v in values.items()}
        total = sum(s.scheme.eigenspace(e).dimension.xreplace(point) * v for e, v in at.items())
        assert (total - s.scheme.size.xreplace(point)).simplify() == 0
        assert all(at[e].simplify() == 0 for e in s.active)
        assert at[s.low] > 0 and at[s.high] > 0
        for end, vanishes in ((0, s.low), (s.length, s.high)):
            assert values[vanishes].xreplace({x: S(end)}).xreplace(point).simplify() == 0
    here, twice = says.shown, {x: 2 * x}
    length = here.args[-1].args[1]
    for wrong in (
        changed(here, twice),  # at another pace
        Tuple(*changed(here, twice).args[:-1], eq("x_max", length / 2)),
        Tuple(*here.args[:-1], eq("x_max", 2 * length)),
        Tuple(*here.args[:-1], eq("x_max", length / 2)),
        Tuple(*changed(here, {x: x + length / 4}).args[:-1], eq("x_max", length * 3 / 4)),
        Tuple(*changed(here, {x: -x}).args[:-1], eq("x_max", -length)),
        Tuple(*here.args[:-2], here.args[-1]),
        *(
            Tuple(*here.args[:i], eq(r.args[0], r.args[1] + gap), *here.args[i + 1 :])
            for i, r in enumerate(here.args)
            for gap in (x / 7, Rational(1, 7))
        ),
    ):
        assert refused(says.saying(wrong)), wrong


def test_another_segment_is_not_this_one() -> None:
    """Eigenvalues that are not active here would have to vanish there."""
    (one, domain), (other, _) = stated(SEGMENTS[0]), stated(SEGMENTS[1])
    assert refused(one.saying(other.shown))
    assert refused(Segments(one.shown, domain, other.segment, one.eigenvalues))
    # A share of the trace in a third eigenspace, all along.
    s, share = one.segment, Rational(1, 3)
    for e in s.active:
        rows = []
        for r in s.scheme.relations[1:]:
            rest = (1 - share) * s.inner[r.name].xreplace({x: x / (1 - share)})
            rows.append(eq(f"g_{r.name}", rest + share * s.scheme.table[e][r.name] / r.count))
        length = eq("x_max", (1 - share) * s.length)
        third = Tuple(*rows, length)
        inside = SIZED.with_range(x, between(0, length.args[1]), Rational(1, 9))
        assert refused(Segments(third, inside, s, one.eigenvalues)), e
        others = replace(s, active=tuple(a for a in s.active if a != e))
        assert not refused(Segments(third, inside, others, one.eigenvalues)), e


def test_what_a_segment_needs() -> None:
    with pytest.raises(ValueError, match="does not move"):
        cut_segment(complete(n, "other", "c"), (), "c", "self")
    for active in (("views",), ("views", "classes", "mean"), ()):
        with pytest.raises(ValueError, match="not a segment"):
            cut_segment(SYMMETRY, active, "instances", "same_class")
    with pytest.raises(ValueError, match="not a segment"):
        cut_segment(SYMMETRY, ("views", "mean"), "views", "same_class")


def test_a_coordinate_that_rises_gives_no_segment() -> None:
    s = cut_segment(SYMMETRY, ("views", "mean"), "classes", "same_class")
    domain = SIZED.with_range(x, between(0, 1), S.Half)
    with pytest.raises(StepFailed):
        state_segment(Derivation(), s, domain)


@pytest.mark.parametrize(
    "s, ranks",
    [
        (SEGMENTS[0], (m - 1, m * n - 1, m * (n - 1))),
        (SEGMENTS[1], (S.One, m * (n - 1) + 1, m * (n - 1))),
        (SEGMENTS[2], (m - 1, m - 1 + m * n * (p - 1), m * n * (p - 1))),
    ],
    ids=["means", "centroid", "views"],
)
def test_ranks_by_hand(s: Segment, ranks: tuple[Expr, ...]) -> None:
    says = Ranks.from_segment(s, SIZED)
    wanted = [eq(f"rank_{k}", v) for k, v in zip(("start", "inside", "end"), ranks, strict=True)]
    assert not refused(says.saying(Tuple(*wanted)))
    for i, r in enumerate(wanted):
        wrong = eq(r.args[0], r.args[1] + 1)
        assert refused(says.saying(Tuple(*wanted[:i], wrong, *wanted[i + 1 :])))
    start, _, end = wanted
    swapped = eq(start.args[0], end.args[1]), eq(end.args[0], start.args[1])
    assert refused(says.saying(Tuple(swapped[0], wanted[1], swapped[1])))


def test_a_spectrum_names_its_relations() -> None:
    g = inner_products(SYMMETRY)
    says = Spectrum.from_scheme(SYMMETRY, g, with_reals(SIZED, g.values()))
    assert not refused(says)
    rows = says.shown.args
    for wrong in (
        says.shown.xreplace({g["same_class"]: g["cross_class"], g["cross_class"]: g["same_class"]}),
        Tuple(Tuple(rows[0].args[0] + 1, rows[0].args[1]), *rows[1:]),
        Tuple(Tuple(rows[0].args[0] ** 2, rows[0].args[1]), *rows[1:]),
        Tuple(Tuple(rows[0].args[0], rows[0].args[1] + 1), *rows[1:]),
        Tuple(Tuple(2 * rows[0].args[0], rows[0].args[1]), *rows[1:]),
        Tuple(rows[0].args[0], *rows[1:]),
    ):
        assert refused(says.saying(wrong)), wrong


def test_relations_that_could_change_places_do_not() -> None:
    """The orthogonality relations of two towers do not tell these two apart."""
    scheme = towers()
    g = inner_products(scheme)
    says = Spectrum.from_scheme(scheme, g, with_reals(SIZED, g.values()))
    assert not refused(says)
    one, other = g["within_modality"], g["negative"]
    swapped = says.shown.xreplace({one: other, other: one})
    assert refused(says.saying(swapped))


# --- first-order conditions --------------------------------------------------------------------
def test_where_an_optimum_lies_is_read_from_the_slope_there() -> None:
    problem = on_segment(ReducedLoss(SUPCL, SYMMETRY))
    length, half = problem.segment.length, Rational(1, 2)
    start, middle, end = (problem.slope_at(point) for point in (S.Zero, half, length))

    def says(where: object, relation: object) -> FirstOrder:
        return FirstOrder(Iff(where, relation), problem.domain, problem.reduced, problem.segment)

    for right in (
        says(gt("x_star", 0), lt(start, 0)),
        says(gt("x_star", half), lt(middle, 0)),
        says(eq("x_star", 0), ge(start, 0)),
        says(eq("x_last", length), le(end, 0)),
    ):
        assert not refused(right), right
    for wrong in (
        says(gt("x_star", length), lt(end, 0)),  # nothing lies beyond the far end
        says(gt("x_star", length + 1), lt(problem.slope_at(length + 1), 0)),
        says(gt("x_star", -1), lt(problem.slope_at(S.NegativeOne), 0)),
        says(gt("x_star", 0), le(start, 0)),
        says(gt("x_star", 0), lt(start, 1)),
        says(gt("x_star", 0), lt(middle, 0)),
        says(gt("x_star", 0), lt(-start, 0)),
        says(gt("x_star", 0), lt(2 * start, 0)),
        says(gt("x_last", 0), lt(start, 0)),
        says(ge("x_star", 0), lt(start, 0)),
        says(eq("x_star", 0), le(start, 0)),
        says(eq("x_last", length), ge(end, 0)),
        says(eq("x_star", length), ge(end, 0)),
        says(eq("x_last", 0), le(start, 0)),
        says(eq("x_star", 0), ge(middle, 0)),
    ):
        assert refused(wrong), wrong


def test_an_optimum_at_an_end_of_a_monotone_loss() -> None:
    falls = on_segment(ReducedLoss(CNCE, SYMMETRY), TEMPERED)
    right = AtEnd.from_segment(falls.reduced, falls.segment, falls.segment.length, falls.domain)
    assert not refused(right)
    assert refused(right.saying(eq("x_star", S.Zero)))
    assert refused(right.saying(eq("x_star", S.One)))
    neither = on_segment(ReducedLoss(SUPCL, SYMMETRY))
    for end in (S.Zero, neither.segment.length):
        assert refused(AtEnd.from_segment(neither.reduced, neither.segment, end, neither.domain))


def test_what_is_active_is_read_from_the_gradient() -> None:
    problem = on_segment(ReducedLoss(SUPCL, SYMMETRY))
    right = Active.from_segment(problem.reduced, problem.segment, True, problem.domain)
    assert not refused(right)
    assert refused(right.saying(Tuple(eq("lambda_views", S.Zero))))
    assert refused(right.saying(Tuple(eq("lambda_views", S.Zero), eq("lambda_mean", S.One))))
    # Cross-class pairs as positives: the views need not coincide.
    terms = (SoftmaxTerm(S.One, ("cross_class",), SUPCL.terms[0].denominator),)
    odd = ReducedLoss(SoftmaxLoss("odd", "", terms, tau, ""), SYMMETRY)
    assert refused(Active.from_segment(odd, problem.segment, False, problem.domain))


# --- losses on a segment -----------------------------------------------------------------------
def on_segment(reduced: object, domain: Domain = COMBINED, **more: bool) -> LossOnSegment:
    return LossOnSegment(reduced, ssem_segment(), domain, Derivation(), **more)


def pairs(*terms: tuple[str, Expr, object], shape: object = EXACT) -> ReducedPairwise:
    found = (PairTerm(r, f, S(w)) for r, f, w in terms)
    return ReducedPairwise(PairwiseLoss("made up", "", tuple(found), ""), SYMMETRY, shape)


def test_criteria_at_both_ends() -> None:
    problem = on_segment(ReducedLoss(SUPCL, SYMMETRY))
    length = problem.segment.length
    for says, kind, point in (("a", Lt, S.Zero), ("b", Ge, S.Zero), ("c", Le, length)):
        found = problem.criterion(says, kind, point, "")
        wanted = {Lt: "x_star", Ge: "x_star", Le: "x_last"}[kind]
        shown = problem.proof.steps[-1].statement.args[0]
        assert str(shown.args[0]) == wanted and shown.args[1] == point
        assert type(shown) is not Eq or kind is not Lt
        assert (found.condition - problem.slope_at(point)).simplify() == 0
    for over in (-S.One, alpha - Rational(1, 2), alpha):
        with pytest.raises(StepFailed):
            problem.criterion("a", Lt, S.Zero, "", over=over)
    assert problem.criterion("a", Lt, S.Zero, "", over=1 + alpha)


def test_a_factor_of_the_slope_is_positive(monkeypatch: pytest.MonkeyPatch) -> None:
    clearing = ReducedLoss.clearing
    for factor in (-S.One, alpha - Rational(1, 3)):
        with monkeypatch.context() as patch:
            patch.setattr(ReducedLoss, "clearing", lambda self, g, k=factor: k * clearing(self, g))
            with pytest.raises(StepFailed, match="Along the segment"):
                on_segment(ReducedLoss(SUPCL, SYMMETRY))


def test_the_certificate_is_that_of_the_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    """A gradient that no statement was made of still has to give the slope."""
    right = ReducedPairwise.pair_gradient
    monkeypatch.setattr(PairGradient, "decide", lambda self: EXACT)
    monkeypatch.setattr(
        ReducedPairwise,
        "pair_gradient",
        lambda self, g: {k: v * 2 for k, v in right(self, g).items()},
    )
    with pytest.raises(StepFailed, match="Along the segment"):
        on_segment(pairs(("same_instance", -c, 1), ("cross_class", exp(c), 1)), SIZES)


def test_a_loss_that_is_not_convex_is_not_averaged() -> None:
    terms = (("same_instance", -c, 1), ("same_class", exp(c), 1), ("cross_class", exp(c), 1))
    assert on_segment(pairs(*terms), SIZES).strict
    with pytest.raises(StepFailed, match="convex"):
        on_segment(pairs(*terms, shape=Undecided("nobody knows")), SIZES)
    with pytest.raises(DomainError, match="weight"):
        on_segment(pairs(*terms, ("cross_class", c, -1)), SIZES)


def test_repeated_and_weighted_terms_count_as_often_as_they_stand() -> None:
    g = inner_products(SYMMETRY)
    twice = pairs(("cross_class", exp(c), m), ("cross_class", c**2, 3), ("same_class", -c, 1))
    at = g["cross_class"]
    found = twice.pair_gradient(g)
    assert found["cross_class"] - (m * exp(at) + 6 * at) == 0
    assert found["same_class"] == -1 and found["self"] == 0
    value = twice.value(g)
    assert not refused(
        PairGradient(Tuple(*(eq(f"a_{r}", e) for r, e in found.items())), SIZES, twice, g)
    )
    wanted = (
        m * (m - 1) * n * p * exp(at) + 3 * (m - 1) * n * p * at**2 - (n - 1) * p * g["same_class"]
    )
    assert (value - wanted).expand() == 0


def test_some_optimum_is_not_every_optimum() -> None:
    """With two classes that are opposite, (1 + c)^2 is level: the mean is not pushed away."""
    flat = (("same_instance", -c, 1), ("cross_class", (1 + c) ** 2, 1))
    with pytest.raises(StepFailed):
        on_segment(pairs(*flat), SIZES)
    problem = on_segment(pairs(*flat), SIZES, weak=True)
    assert problem.strict is False
    titles = [s.title for s in problem.proof]
    assert any("some optimum" in t for t in titles) and not any(
        "every optimum:" in t for t in titles
    )
    strict = on_segment(pairs(*flat, ("cross_class", exp(c), 1)), SIZES, weak=True)
    assert strict.strict is True


def test_every_active_eigenspace_is_proved_all_along_the_segment() -> None:
    """Each of these losses pulls an eigenspace into play somewhere."""
    good = (("same_instance", -c, 1), ("same_class", exp(c), 1), ("cross_class", exp(c), 1))
    for extra in (
        ("same_instance", 2 * c, 1),  # views are pushed apart
        ("cross_class", -40 * c, 1),  # classes attract, so that the mean is not zero
        ("same_instance", 2 * exp(c), 1),
    ):
        for weak in (False, True):
            with pytest.raises(StepFailed, match="vanish at"):
                on_segment(pairs(*good, extra), SIZES, weak=weak)
    # Views stay together while their class does, but not where it is spread.
    late = (
        ("same_instance", c * 9 / 10, 1),
        ("same_class", exp(c), 1),
        ("cross_class", c / 100, 1),
    )
    with pytest.raises(StepFailed, match="vanish at"):
        on_segment(pairs(*late), SIZES)


# --- declarations ------------------------------------------------------------------------------
def softmax(*terms: tuple[object, tuple[str, ...], tuple[str, ...]], at: Expr = tau) -> ReducedLoss:
    found = tuple(SoftmaxTerm(S(k), a, b) for k, a, b in terms)
    return ReducedLoss(SoftmaxLoss("made up", "", found, at, ""), SYMMETRY)


ALL = ("self", "same_instance", "same_class", "cross_class")


@pytest.mark.parametrize(
    "terms, match",
    [
        (((1, ("same_instances",), ALL),), "'same_instances'"),
        (((1, ("same_instance",), (*ALL, "other")),), "'other'"),
        (((1, ("same_class", "same_class"), ALL),), "twice"),
        (((1, ("same_class",), (*ALL, "self")),), "twice"),
        (((1, (), ALL),), "without positives"),
        (((1, ("same_class",), ()),), "without denominator"),
        ((), "no terms"),
    ],
)
def test_a_declaration_that_cannot_be_read(terms, match: str) -> None:
    with pytest.raises(DomainError, match=match):
        softmax(*terms)


@pytest.mark.parametrize(
    "reduced, match",
    [
        (softmax((1, ("same_class",), ALL), at=tau - 3), "temperature tau - 3 must be > 0"),
        (softmax((1, ("same_class",), ALL), at=S.Zero), "temperature 0 must be > 0"),
        (softmax((1, ("same_class",), ALL), at=alpha), "temperature alpha must be > 0"),
        (softmax((alpha - 1, ("same_class",), ALL)), "weight .* must be >= 0"),
        (softmax((m - 10**9, ("same_class",), ALL)), "weight .* must be >= 0"),
        (softmax((1, ("same_instance",), ALL)), "number p - 1 of pairs .* must be > 0"),
        (softmax((1, ("self",), ALL), (-1, ("same_class",), ALL[:3])), "weight -1"),
    ],
)
def test_what_a_declaration_needs_is_proved(reduced: ReducedLoss, match: str) -> None:
    with pytest.raises(DomainError, match=match):
        reduced.preconditions(COMBINED)


def test_what_is_not_proved_is_not_taken_for_granted() -> None:
    # True, since (m - 5)^2 is an integer's square, but out of reach.
    with pytest.raises(DomainError, match="not proved"):
        softmax(((m - 5) ** 2 + Rational(1, 2), ("same_class",), ALL)).preconditions(TEMPERED)


def test_terms_with_one_denominator_are_merged() -> None:
    """A negative weight is no harm where the total on that denominator is not negative."""
    merged = softmax((2, ("same_class",), ALL), (-1, ("self",), tuple(reversed(ALL))))
    assert merged.denominators == {Pool(ALL): S.One}
    merged.preconditions(COMBINED)
    assert merged.pulls["same_class"] == 2 / (p * (n - 1)) and merged.pulls["self"] == -1
    both = softmax((1, ("self", "same_class"), ALL), (3, ("same_class",), ALL))
    share = 1 / (1 + p * (n - 1)) + 3 / (p * (n - 1))
    assert (both.pulls["same_class"] - share).simplify() == 0


def test_equal_inner_products_are_counted_together() -> None:
    """All pairs alike: the loss is the logarithm of their number, whatever the temperature."""
    one = ReducedLoss(SUPCL, SYMMETRY)
    same = dict.fromkeys(ALL, Symbol("g"))
    found = one.value(same)
    at = {m: Integer(3), n: Integer(4), p: Integer(2), tau: Rational(1, 3), alpha: Rational(2, 5)}
    number = found.subs(at).subs(Symbol("g"), Rational(1, 7)).evalf(30)
    assert abs(exp(number) - 24) < S(10) ** -25


# --- what is presented -------------------------------------------------------------------------
def test_an_exponent_that_is_not_affine_keeps_its_square() -> None:
    square = (8 * x / 3 - Rational(1, 3)) ** 2
    for shown, e in (
        (affine(square, x), square),
        (collected(3 * exp(square) + exp(2 * x), x), 3 * exp(square) + exp(2 * x)),
        (affine((x**2 + x) / x, x), (x**2 + x) / x),  # which has no value at 0 as it stands
    ):
        assert all(abs((shown - e).xreplace({x: S(at)}).evalf()) < 1e-12 for at in (1, 2, 5))


def test_first_order_conditions_do_not_rest_on_how_the_slope_is_presented(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    problem = on_segment(ReducedLoss(CNCE, SYMMETRY), TEMPERED)
    end = AtEnd.from_segment(
        problem.reduced, problem.segment, problem.segment.length, problem.domain
    )
    right = facts.slope_along
    assert not refused(end)
    monkeypatch.setattr(facts, "slope_along", lambda *of: 2 * right(*of))
    assert refused(end)
    shown = Iff(gt("x_star", Rational(1, 2)), lt(2 * problem.slope_at(Rational(1, 2)), 0))
    assert refused(FirstOrder(shown, problem.domain, problem.reduced, problem.segment))
