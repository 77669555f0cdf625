"""What is shown is what was checked: a false change to any displayed statement is refused.

Every statement of every derivation is changed in one place, as a slip of the pen would change
it, and decided again. A changed statement may hold only if it is still true: whether it is, is
found by evaluating it at random points, which is none of the engine's doing.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from cltheory.derive.decide.domain import POSITIVE, Domain, at_least, between
from cltheory.derive.decide.evidence import Grade
from cltheory.derive.decide.root import ClampedRoot
from cltheory.derive.losses.softmax import SoftmaxLoss, SoftmaxTerm, tau
from cltheory.derive.losses.supcl import alpha
from cltheory.derive.optimum.batches import MeanSign
from cltheory.derive.optimum.threshold import (
    ChangesSign,
    Criterion,
    NoClosedForm,
    NoThreshold,
    UpToARoot,
    threshold,
)
from cltheory.derive.problems.domains import TEMPERED
from cltheory.derive.proof.derivation import Derivation, Step, StepFailed
from cltheory.derive.proof.indexed import SumsEqual
from cltheory.derive.proof.limiting import LimitIs
from cltheory.derive.proof.relations import Iff, eq, ge, gt, le, lt
from cltheory.derive.proof.statement import Lemma, Relations, Statement, each
from cltheory.derive.results import results
from cltheory.derive.results.classes._supcl import on_segment
from cltheory.derive.structures.hierarchy import m, n, p
from entries import with_entries
from mutate import mutants
from sympy import (
    Basic,
    Eq,
    Expr,
    Ge,
    Gt,
    Indexed,
    IndexedBase,
    Integer,
    Lambda,
    Le,
    Limit,
    Lt,
    Rational,
    S,
    Sum,
    Symbol,
    Tuple,
    exp,
    log,
    oo,
    symbols,
)

SEED = 20261121
#: Mutants of each statement in the quick run; the slow one takes up to MANY.
FEW, MANY = 2, 60
POINTS = 24
CLOSE = S(10) ** -25

#: Indices that are free in sums.
INDICES_AT = {
    Symbol(s, integer=True, positive=True): Integer(k) for s, k in zip("ij", (1, 2), strict=True)
}

#: What a slip makes of a relation. Exchanging the sides of an equation changes nothing.
SLIPS = {Gt: (Lt, Ge), Ge: (Le, Gt), Lt: (Gt, Le), Le: (Ge, Lt), Eq: (Lt,)}
RELATION = {Gt: gt, Ge: ge, Lt: lt, Le: le, Eq: eq}
#: Which gaps, over the size of the two sides, make a relation true.
HOLDS = {
    Gt: lambda gap: gap > CLOSE,
    Ge: lambda gap: gap >= -CLOSE,
    Lt: lambda gap: gap < -CLOSE,
    Le: lambda gap: gap <= CLOSE,
    Eq: lambda gap: abs(gap) <= CLOSE,
}


def steps() -> Iterator[tuple[str, int]]:
    for id in results:
        yield from ((id, k) for k in range(len(results[id].derivation)))


def changed(shown: Basic, symbols: list[Symbol]) -> Iterator[Basic]:
    """Statements that differ from this one in one place."""
    if isinstance(shown, Tuple | Iff):
        for i, part in enumerate(shown.args):
            for new in changed(part, symbols):
                yield shown.func(*shown.args[:i], new, *shown.args[i + 1 :])
    elif type(shown) in SLIPS:
        left, right = shown.args
        for kind in SLIPS[type(shown)]:
            yield RELATION[kind](left, right)
        for new in changed(left, symbols):
            yield RELATION[type(shown)](new, right)
        for new in changed(right, symbols):
            yield RELATION[type(shown)](left, new)
    elif isinstance(shown, Expr):
        yield from (new for _, new in mutants(shown, symbols))


def gap_at(left: Expr, right: Expr, statement: Statement, point: dict[Symbol, Expr]) -> Expr | None:
    """How far two sides are apart, over their size; None where they have no real value."""
    names = dict(getattr(statement, "names", {}))
    try:
        sides = [_at(e.xreplace(names), statement, point) for e in (left, right)]
    except ValueError:  # SymPy does not compare complex numbers in a maximum
        return None
    if not all(e.is_real and e.is_finite for e in sides):
        return None
    return (sides[0] - sides[1]) / (sum(map(abs, sides)) or 1)


def _at(e: Expr, statement: Statement, point: dict[Symbol, Expr]) -> Expr:
    if isinstance(statement, SumsEqual):
        known = {s: v for s, v in statement.known.items() if s.function.atoms(Indexed)}
        e = with_entries(e, {**INDICES_AT, **point}, known)
    return e.xreplace(point).evalf(40, maxn=400)


def points(statement: Statement) -> Iterator[dict[Symbol, Expr]]:
    """Points of the domain and, for a threshold, close to it on both sides; few terms of sums."""
    if isinstance(statement, SumsEqual):
        yield statement.domain.witness
        yield {s: v + 1 if s.is_integer else v for s, v in statement.domain.witness.items()}
        return
    for point in statement.domain.generic_points(POINTS):
        yield point
        if isinstance(statement, ChangesSign):
            parameter, at = statement.shown.args[0].args
            for factor in (Rational(99, 100), Rational(101, 100), Rational(1, 2), Integer(2)):
                near = {**point, parameter: (at.xreplace(point) * factor).evalf(40)}
                if statement.domain.contains(near):
                    yield near


def is_false(statement: Statement) -> bool:
    """Whether what is shown fails at some point, as far as numbers tell."""
    relations = [
        r for one in each(statement.shown) for r in (one.args if isinstance(one, Iff) else [one])
    ]
    for point in points(statement):
        gaps = [gap_at(*r.args, statement, point) for r in relations]
        if None in gaps:
            continue
        truths = [HOLDS[type(r)](gap) for r, gap in zip(relations, gaps, strict=True)]
        if isinstance(statement.shown, Iff):
            if truths[0] is not truths[1]:
                return True
        elif not all(truths):
            return True
    return False


def expressions(shown: Basic) -> Iterator[Expr]:
    if isinstance(shown, Expr):
        yield shown
    else:
        for part in shown.args:
            yield from expressions(part)


def is_far(statement: LimitIs) -> bool:
    """Whether what a limit is said to be is not approached."""
    limit, claimed = statement.shown.args
    of, symbol, point, _ = limit.args
    one = S.One if claimed == 0 else S.Zero  # the size of what is zero is that of one
    for at in statement.domain.generic_points(POINTS // 4):
        away = S(10) ** (12 if point is oo else -12)
        for near in (away, 2 * away):
            gap = gap_at(of + one, claimed + one, statement, {**at, symbol: near})
            if gap is not None and abs(gap) > Rational(1, 1000):
                return True
    return False


def is_same(one: Statement, other: Statement) -> bool:
    """Whether two statements of one kind differ in how they are written only."""
    pairs = list(zip(expressions(one.shown), expressions(other.shown), strict=True))
    kinds = [[type(r) for r in each(s.shown)] for s in (one, other)]
    for point in points(one):
        for a, b in pairs:
            gap = gap_at(a, b, one, point) if a != b else S.Zero
            if gap is None or abs(gap) > CLOSE:
                return False
    return kinds[0] == kinds[1]


def survivors(step: Step, count: int, chance: random.Random) -> tuple[int, list[Basic]]:
    """How many mutants of a step were tried, and those that hold though they should not."""
    says = step.says
    symbols = sorted(says.domain.ranges, key=str)[:4]
    found = list(dict.fromkeys(changed(says.shown, symbols)))
    tried, bad = 0, []
    for shown in chance.sample(found, min(count, len(found))):
        if shown == says.shown:
            continue
        tried += 1
        mutant = says.saying(shown)
        try:
            Derivation().add("mutant", mutant, "")
        except StepFailed:
            continue
        if isinstance(mutant, LimitIs):
            false = is_far(mutant)
        elif isinstance(mutant, Relations | ChangesSign | MeanSign):
            false = is_false(mutant)
        else:
            false = not is_same(says, mutant)
        if false:
            bad.append(shown)
    return tried, bad


@pytest.mark.sample(8)
@pytest.mark.parametrize("id", list(results))
def test_a_changed_statement_is_refused(id: str) -> None:
    chance = random.Random(SEED)
    for step in results[id].derivation:
        _, bad = survivors(step, FEW, chance)
        assert not bad, f"{step.title}: {bad}"


def test_sums_are_compared_at_entries_that_have_the_known_sum() -> None:
    i, j = symbols("i j", integer=True, positive=True)
    P, z = IndexedBase("P", positive=True), IndexedBase("z", real=True)
    rows, unit = Sum(P[i, j], (j, 1, n)), Sum(z[j] ** 2, (j, 1, n))
    known, at = {rows: S.One, unit: S(2)}, {n: Integer(4), i: Integer(2)}
    assert with_entries(rows, at, known) == 1
    assert with_entries(unit, at, known).equals(2)
    assert with_entries(rows, at) != 1
    assert with_entries(Sum(rows, (i, 1, n)), at, known) == 4
    assert with_entries(P[i, 1] + 2 * P[i, 2], at) != with_entries(2 * P[i, 1] + P[i, 2], at)
    says = SumsEqual(eq(rows, 1), Domain({n: at_least(2)}, {n: 4}), known=known)
    assert is_same(says, says.saying(eq(rows * rows, 1)))
    assert not is_same(says, says.saying(eq(Sum(P[i, j] ** 2, (j, 1, n)), 1)))


@pytest.mark.slow
@pytest.mark.net
@pytest.mark.parametrize("id", list(results))
def test_many_changed_statements_are_refused(id: str) -> None:
    chance = random.Random(SEED + 1)
    total = 0
    for step in results[id].derivation:
        tried, bad = survivors(step, MANY, chance)
        total += tried
        assert not bad, f"{step.title}: {bad}"
    print(f"{id}: {total} changed statements, none of which holds though it is false")
    assert total > 40  # the shortest derivation has two lines


D = Domain({m: at_least(2), n: at_least(2), alpha: between(0, 1)}, {m: 3, n: 2, alpha: 1})


def test_steps_that_fail_raise() -> None:
    proof = Derivation()
    with pytest.raises(StepFailed, match="wrong"):
        proof.holds("wrong", eq(m + n, m - n), "", D)
    with pytest.raises(StepFailed, match="wrong"):
        proof.holds("wrong", gt(m, n), "", D)
    with pytest.raises(StepFailed, match="wrong"):
        proof.holds("wrong", [eq(m, m), eq(m, n)], "", D)
    with pytest.raises(StepFailed):  # true, but not provable: undecided is not proved
        proof.holds("out of reach", gt((m - 5) ** 2 + Rational(1, 2), 0), "", D)
    with pytest.raises(StepFailed):  # what it is concluded from has to hold
        proof.holds("given", ge(m, 1), "", D, premises=[Relations(ge(m, 3), D)])
    with pytest.raises(StepFailed):  # not a relation
        proof.holds("nothing", m, "", D)
    assert len(proof) == 0
    proof.holds("right", ge(m, 2), "", D, premises=[Relations(ge(n, 2), D)])
    assert len(proof) == 1


@pytest.mark.parametrize("place", ["its own", "because", "given"])
def test_a_step_is_no_better_than_the_lemma_that_it_uses(place: str) -> None:
    x = Symbol("x", positive=True)
    domain = Domain({x: POSITIVE}, {x: 1})
    for grade in (Grade.ARGUED, Grade.EXACT):
        lemma = Lemma("a lemma", "It says so.", "It does.", grade=grade)
        inner = Relations(gt(x + 1, 0), domain, lemma=lemma if place == "given" else None)
        says = Relations(
            gt(x, 0), domain, premises=(inner,), lemma=lemma if place == "its own" else None
        )
        proof = Derivation()
        step = proof.add("x > 0", says, lemma if place == "because" else "it is so")
        assert step.evidence.grade is proof.evidence.grade is grade


def test_a_quantity_is_no_better_than_what_is_proved_where_it_is_evaluated() -> None:
    found = results["pair-energy"]
    grades = {name: found.evidence_of(name).grade for name in found.quantities}
    assert found.derivation.evidence.grade is Grade.EXACT
    assert grades.pop("uniformity_at_least") is found.evidence.grade is Grade.INTERVAL
    assert set(grades.values()) == {Grade.EXACT}
    assert found.graded() == "uniformity_at_least: interval; the rest: exact"
    assert results["uniform-bound"].graded() == "argued in words, not published"
    assert results["supcl-threshold"].graded() == "exact"


def test_a_name_stands_for_what_is_given() -> None:
    total = Symbol("total")
    proof = Derivation()
    proof.holds("named", eq(total, m + n), "", D, names={total: n + m})
    with pytest.raises(StepFailed):
        proof.holds("named", eq(total, m + n), "", D, names={total: n * m})
    with pytest.raises(StepFailed):  # a name without a meaning
        proof.holds("named", eq(total, m + n), "", D)


def test_a_name_is_not_written_like_a_symbol_of_the_domain() -> None:
    with pytest.raises(StepFailed, match="written like"):
        Derivation().holds("", eq(Symbol("m"), m + 1), "", D, names={Symbol("m"): m + 1})


def test_a_limit_is_taken_from_where_it_says() -> None:
    hot, q = D.with_range(tau, POSITIVE, 1), Symbol("q")
    right = LimitIs(eq(Limit(q, tau, 0), oo), hot, names={q: 1 / tau})
    Derivation().add("", right, "")
    for wrong in (
        eq(Limit(q, tau, 0, "-"), oo),
        eq(Limit(q, tau, 0, "+-"), oo),
        eq(Limit(q, tau, 0), -oo),
        eq(Limit(q, m, 0), oo),
        eq(Limit(tau, tau, 0), oo),
        eq(q, oo),
    ):
        with pytest.raises(StepFailed):
            Derivation().add("", right.saying(wrong), "")


@pytest.mark.parametrize(
    "condition, says",
    [
        (n * (1 + exp(-1 / tau)), "at no tau"),
        (-n * exp(-1 / tau), "at every tau"),
        (n * exp(-1 / tau), "at no tau"),
    ],
)
def test_a_condition_that_never_vanishes_has_no_threshold(condition: Expr, says: str) -> None:
    hot = D.with_range(tau, POSITIVE, 1)
    with pytest.raises(NoThreshold, match=f"it falls {says}: a threshold does not exist"):
        threshold(Criterion("it falls", lt(condition, 0)), tau, hot, Derivation())


def test_a_threshold_lies_where_the_parameter_can_be() -> None:
    """The condition rises for tau > 0, and its zero is negative: it is positive there."""
    hot = D.with_range(tau, POSITIVE, 1)
    with pytest.raises(NoThreshold, match="at every tau"):
        threshold(Criterion("it rises", gt(m * exp(-1 / tau) + tau + n, 0)), tau, hot, Derivation())
    with pytest.raises((NoClosedForm, StepFailed)):  # exp(-1/tau) = m has no solution tau > 0
        threshold(Criterion("it falls", lt(exp(-1 / tau) - m, 0)), tau, hot, Derivation())


@pytest.mark.parametrize("relation", [lt, le, gt, ge])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_threshold_says_what_its_criterion_says(relation, sign: int) -> None:
    """m alpha - 1 rises: the comparison of alpha is that of the condition, or its mirror."""
    criterion = Criterion("it holds", relation(sign * (m * alpha - 1), 0))
    found = threshold(criterion, alpha, D, Derivation())
    assert found.value == 1 / m
    wanted = criterion.relation.rel_op
    if sign < 0:
        wanted = wanted.translate(str.maketrans("<>", "><"))
    assert found.bound == (alpha, wanted)
    assert found.meaning("a") == f"it holds iff alpha {wanted} a"
    assert found.side == ("<" if sign > 0 else ">")


def test_simclr_without_the_anchor_never_collapses() -> None:
    """With several views the self-pair is no positive: nothing pulls a class together."""
    several = TEMPERED.with_range(p, at_least(2), 2)
    others = ("same_instance", "same_class", "cross_class")
    loss = SoftmaxLoss("simclr", "", (SoftmaxTerm(S.One, ("same_instance",), others),), tau, "")
    problem = on_segment(loss, several, proof := Derivation())
    collapse = problem.criterion("classes do not collapse", Lt, S.Zero, "")
    with pytest.raises(
        NoThreshold, match="do not collapse at every tau: a threshold does not exist"
    ):
        threshold(collapse, tau, several, proof)


def test_a_condition_is_positive_up_to_its_only_root() -> None:
    hot, u = D.with_range(tau, POSITIVE, 1), Symbol("u", positive=True)
    condition, start = m - exp(tau), Criterion("", gt(m - 1, 0))

    def root(h: Expr, low: Expr = S.Zero, high: Expr = oo) -> ClampedRoot:
        return ClampedRoot(Lambda(u, h), low, high)

    def says(solved: Basic, relation: Basic, first: Criterion = start) -> UpToARoot:
        return UpToARoot(Iff(solved, relation), hot, first)

    right = root(exp(u) - m)
    Derivation().add("", says(le(tau, right), ge(condition, 0)), "")
    for wrong in (
        says(lt(tau, right), ge(condition, 0)),
        says(le(tau, right), gt(condition, 0)),
        says(ge(tau, right), ge(condition, 0)),
        says(le(tau, right), ge(-condition, 0)),
        says(le(tau, right), ge(condition, 1)),
        says(le(tau, root(exp(u) - m - 1)), ge(condition, 0)),
        says(le(tau, root(exp(u) * exp(tau - u) - m)), ge(condition, 0)),
        says(le(tau, root(exp(u) - m, S.One)), ge(condition, 0)),
        says(le(tau, root(exp(u) - m, S.Zero, S(2))), ge(condition, 0)),
        says(le(tau, log(m)), ge(condition, 0)),
        # It says nothing where the condition is not positive at zero, or may come back.
        says(le(tau, right), ge(condition, 0), Criterion("", ge(m - 1, 0))),
        says(le(tau, right), ge(condition, 0), Criterion("", gt(m, 0))),
        says(le(tau, root(-exp(u) + m)), ge(exp(tau) - m, 0), Criterion("", gt(1 - m, 0))),
    ):
        with pytest.raises(StepFailed):
            Derivation().add("", wrong, "")
