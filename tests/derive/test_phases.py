"""Which structure is optimal where: at numbers against brute force, and what is said else."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from brute_force import gram, over_shares
from cltheory.derive.decide.domain import DomainError
from cltheory.derive.decide.evidence import Grade, Holds
from cltheory.derive.losses.pairwise import PairTerm, PairwiseLoss, c
from cltheory.derive.losses.softmax import tau
from cltheory.derive.losses.supcl import alpha
from cltheory.derive.optimum import phases as module
from cltheory.derive.optimum.phases import OnFace, optimum, phases, state_only
from cltheory.derive.optimum.reduction import at_values, reduced
from cltheory.derive.optimum.vertex import vertex
from cltheory.derive.problems.catalogue import CATALOGUE
from cltheory.derive.problems.domains import SIZES
from cltheory.derive.problems.file import read_text
from cltheory.derive.problems.problem import Problem
from cltheory.derive.proof.derivation import Derivation, StepFailed
from cltheory.derive.proof.relations import eq
from cltheory.derive.results import results
from cltheory.derive.results.phases import OfLoss
from cltheory.derive.structures.hierarchy import hierarchy, m, n, p
from cltheory.derive.structures.towers import N
from random_losses import Problem as Pairs
from random_softmax import Drawn, draw
from sympy import Rational, S, Tuple, exp

PHASES = results["phases"]
EXCLUSIVE = PHASES.with_inputs(loss="supcl-exclusive")  # derived when first asked
RELATIONS = ("same_instance", "same_class", "cross_class")


# --- at numbers, against brute force -------------------------------------------------------------
@pytest.mark.parametrize(
    "seed", [*range(3), *(pytest.param(k, marks=pytest.mark.slow) for k in range(3, 40))]
)
def test_the_optimum_of_a_random_loss(seed: int) -> None:
    drawn = draw(seed)
    proof = Derivation()
    found = optimum(drawn.problem, proof)
    assert float(found.loss.evalf(20)) == pytest.approx(drawn.least(), abs=1e-8)
    assert set(found.occupied) <= set(drawn.spaces)
    # No face with fewer eigenspaces does it: each of those that are named is needed.
    if len(found.occupied) > 1 and found.unique:
        shares = drawn.argmin()
        small = {e for e, s in zip(drawn.spaces, shares, strict=True) if s > 1e-4}
        assert small <= set(found.occupied)
    assert proof.evidence.grade >= Grade.INTERVAL


@pytest.mark.parametrize("tau_", ["1/10", pytest.param("1", marks=pytest.mark.slow)])
@pytest.mark.parametrize("alpha_", ["1/10", "2/5", "4/5"])
def test_exclusive_at_numbers(tau_: str, alpha_: str) -> None:
    values = {"m": 3, "n": 2, "p": 2, "tau": tau_, "alpha": alpha_}
    result = EXCLUSIVE
    drawn = Drawn.of(
        CATALOGUE["supcl-exclusive"],
        {k: fraction(v) for k, v in values.items()},
    )
    shares = drawn.argmin()
    assert float(result.value("loss", **values)) == pytest.approx(drawn.loss(shares), abs=1e-8)
    g = drawn.gram(shares)
    for r in RELATIONS:
        where = np.argwhere(drawn.table[0] == drawn.relations.index(r))[0][0]
        # Inner products are to the root of what the loss is to.
        assert float(result.value(r, **values)) == pytest.approx(g[0, where], abs=2e-3)
    names = result.value("structure", **values).split("+")
    large = {e for e, s in zip(drawn.spaces, shares, strict=True) if s > 1e-3}
    assert large <= set(names)


def fraction(value: object) -> float:
    above, _, below = str(value).partition("/")
    return float(above) / float(below or 1)


def test_digits_are_those_of_the_closed_form() -> None:
    values = {"m": 10, "n": 20, "p": 2, "tau": "1/10"}
    result = PHASES.with_inputs(loss="supcon")
    assert result.value("structure", **values) == "classes"
    assert str(result.value("cross_class", digits=30, **values)) == "-0." + "1" * 30
    with mpmath.workdps(40):
        t = mpmath.mpf(1) / 10
        right = mpmath.log(39 * mpmath.exp(1 / t) + 360 * mpmath.exp(-1 / (9 * t))) - 1 / t
        assert abs(result.value("loss", digits=30, **values) - right) < mpmath.mpf(10) ** -28


def test_a_vertex_with_a_tie_is_not_proved_the_only_optimum_by_its_shares() -> None:
    """At the border itself another eigenvalue is as small; a little below it none is."""
    border = (3 * exp(-2) + 1) / (2 * (1 + exp(-2)))
    for a, verdict in ((border, "holds"), (border - Rational(1, 100), "strict")):
        numbers = {m: S(2), n: S(2), p: S(2), tau: S.One, alpha: a}
        problem = at_values(CATALOGUE["supcl"], numbers)
        found = vertex(reduced(problem), "classes", Derivation(), problem.domain)
        assert found.verdict == verdict
        proof = Derivation()
        assert state_only(found, proof) == bool(proof.steps) == (verdict == "strict")


def test_supcl_agrees_with_its_own_theorem() -> None:
    values = {"m": 5, "n": 4, "p": 3, "alpha": "2/5", "tau": "1/4"}
    theorem = results["supcl-optimum"]
    for name in ("same_class", "cross_class", "loss"):
        here = PHASES.value(name, digits=25, **values)
        assert abs(here - theorem.value(name, digits=25, **values)) < mpmath.mpf(10) ** -23
    assert PHASES.value("structure", **values) == "instances+classes"


def test_siglip_agrees_with_its_own_theorem() -> None:
    result, theorem = PHASES.with_inputs(loss="siglip"), results["sigmoid-optimum"]
    values = {"N": 6, "t": 3, "b": "1/2"}
    for b, theirs in (("1/2", "-1/2"), ("-1/2", "1/2")):  # of the library's sign
        values["b"] = b
        here = result.value("positive", **values)
        there = [theorem.value("positive", **{**values, "b": at}) for at in (b, theirs)]
        assert min(abs(here - at) for at in there) < 1e-12


def test_a_border_is_decided_exactly() -> None:
    """The linear loss on two towers changes over at N = 4, where everything between is optimal."""
    result = PHASES.with_inputs(loss="linear")
    found = {k: result.value("structure", N=k) for k in (3, 4, 5)}
    assert found[3] == "shared_contrasts" and found[5] == "differing_means"
    assert found[4] in ("shared_contrasts", "differing_means")
    here = result.with_inputs(at={"N": 4}).quantity("structure")
    assert "there are others" in here.meaning or "not known" in here.meaning


@pytest.mark.parametrize(
    "loss, structure, values",
    [
        ("hinge", "shared_contrasts", {"N": 3}),
        ("hinge", "differing_means", {"N": 9}),
        ("squared-hinge", "differing_means+shared_contrasts", {"N": 10}),
        ("cosine-embedding", "shared_contrasts", {"N": 10}),
        ("spectral", "shared_contrasts+shared_mean", {"N": 10}),
        ("clip", "shared_contrasts", {"N": 10, "tau": "1/10"}),
        ("simclr", "instances", {"n": 5, "p": 2, "tau": 1}),
        ("dcl", "instances", {"n": 5, "p": 3, "tau": "1/2"}),
        ("cnce", "instances", {"m": 3, "n": 5, "p": 2, "tau": 1}),
    ],
)
def test_structures_of_the_catalogue(loss: str, structure: str, values: dict[str, object]) -> None:
    result = PHASES.with_inputs(loss=loss)
    assert result.value("structure", **values) == structure
    least = float(result.value("loss", **values))
    relations = [q for q in result.at_point(result.point(**values)).quantities if "_" in q]
    assert relations and least == least
    for r in relations:
        assert -1 <= float(result.value(r, **values)) <= 1


# --- three eigenspaces ---------------------------------------------------------------------------
def targets(*wanted: Rational) -> Problem:
    """A loss that is least where the inner products are these, if a Gram matrix has them."""
    terms = tuple(
        PairTerm(r, (c - at) ** 2, S.One) for r, at in zip(RELATIONS, wanted, strict=True)
    )
    problem = Problem(PairwiseLoss("targets", "", terms, ""), hierarchy(), SIZES)
    return at_values(problem, {m: S(3), n: S(2), p: S(2)})


def test_a_face_with_all_eigenspaces_is_found_and_proved() -> None:
    found = optimum(targets(S.Half, S.Half, Rational(1, 4)), Derivation())
    assert found.structure == "views+instances+classes+mean"
    for r, value in zip(RELATIONS, (0.5, 0.5, 0.25), strict=True):
        assert float(found.inner[r].evalf(20)) == pytest.approx(value, abs=1e-15)
    assert float(found.loss.evalf(20)) == pytest.approx(0, abs=1e-15)


def test_a_face_with_three_eigenspaces_is_found_and_proved() -> None:
    """Instances would have a negative share with these inner products; they have none."""
    wanted = (Rational(1, 2), Rational(9, 10), Rational(1, 4))
    proof = Derivation()
    found = optimum(targets(*wanted), proof)
    assert found.structure == "views+classes+mean" and proof.evidence.grade is Grade.INTERVAL
    index = [1, 2, 4]  # a partner of the first point in each relation
    counts = np.array([1, 2, 8])

    def loss(shares: np.ndarray) -> float:
        g = gram(3, 2, 2, shares)[0, index]
        return float(
            sum(k * (x - float(w)) ** 2 for k, x, w in zip(counts, g, wanted, strict=True))
        )

    best = over_shares(loss, np.ones(4))
    assert float(found.loss.evalf(20)) == pytest.approx(best.fun, abs=1e-9)
    for r, value in zip(RELATIONS, gram(3, 2, 2, best.x)[0, index], strict=True):
        assert float(found.inner[r].evalf(20)) == pytest.approx(value, abs=1e-4)


def test_wrong_shares_of_a_face_are_refused() -> None:
    proof = Derivation()
    optimum(targets(S.Half, S.Half, Rational(1, 4)), proof)
    says = next(s.says for s in proof if isinstance(s.says, OnFace))
    assert isinstance(says.decide(), Holds)
    first, *rest = says.shown.args
    assert not isinstance(says.saying(Tuple(*rest)).decide(), Holds)
    wrong = Tuple(eq(first.args[0], first.args[1] + 1), *rest)
    assert not isinstance(says.saying(wrong).decide(), Holds)


# --- with parameters left free -------------------------------------------------------------------
def test_where_everything_is_one_structure_it_is_said_of_all_values() -> None:
    for loss, structure in (("supcon", "classes"), ("simclr", "instances")):
        found = phases(CATALOGUE[loss], Derivation())
        assert found.certain is not None and found.certain.name == structure
        assert str(PHASES.with_inputs(loss=loss).quantity("structure").expression) == structure


def test_an_edge_that_holds_every_optimum_is_found() -> None:
    found = phases(CATALOGUE["supcl"], Derivation())
    assert found.whole is not None and set(found.whole.names) == {"classes", "instances"}
    assert set(found.vertices) == {"classes", "instances"}
    assert set(found.never) == {"views", "mean"}


def test_one_free_parameter_has_a_border_in_closed_form() -> None:
    values = {"m": 10, "n": 20, "p": 2, "alpha": "1/2"}
    result = EXCLUSIVE.with_inputs(at=values)
    border = float(result.quantity("tau_classes_instances").expression)
    for at, structure in ((border - 1e-6, "instances+classes"), (border + 1e-6, "classes")):
        assert result.value("structure", **values, tau=repr(at)) == structure


@pytest.mark.slow
def test_a_border_without_a_closed_form_is_said_to_have_none() -> None:
    found = EXCLUSIVE.quantities
    assert "no closed form of its border is known" in found["classes_instances_views"].meaning
    assert "no closed-form threshold in m, n, tau" in PHASES.quantity("classes_instances").meaning
    assert "elsewhere" in found


def test_conditions_have_the_sign_of_the_structure() -> None:
    """A free condition, evaluated, says what is found with the numbers put in first."""
    result = EXCLUSIVE
    conditions = [result.quantity(f"classes_{e}").expression for e in ("views", "instances")]
    for point in CATALOGUE["supcl-exclusive"].domain.generic_points(4):
        if point[n] * point[m] > 60:
            continue
        optimal = all(e.xreplace(point).evalf(30) >= 0 for e in conditions)
        found = optimum(at_values(CATALOGUE["supcl-exclusive"], point), Derivation())
        assert (found.structure == "classes") is optimal, point


# --- what is refused -----------------------------------------------------------------------------
def test_what_is_not_accepted_is_said_in_one_line() -> None:
    for call, said in (
        (lambda: PHASES.with_inputs(loss="nope"), "no loss is called 'nope'"),
        (lambda: PHASES.with_inputs(loss="siglip").value("loss", m=3), "has no parameter m"),
        (lambda: PHASES.with_inputs(loss="supcon").value("loss", m=1), "m must be"),
        (lambda: PHASES.with_inputs(lp="x"), "does not take lp"),
        (lambda: PHASES.with_inputs(loss="sharp-focal").value("loss", N=3), "not convex"),
    ):
        with pytest.raises(DomainError, match=said) as refused:
            call()
        assert "\n" not in str(refused.value)


def test_a_kink_on_another_structure_is_refused() -> None:
    from sympy import Max

    loss = PairwiseLoss("kinked", "", (PairTerm("same_class", Max(0, 1 - c), S.One),), "")
    problem = Problem(loss, hierarchy(), CATALOGUE["supcon"].domain)
    with pytest.raises(DomainError, match="answered on two towers"):
        PHASES.with_inputs(loss=problem).quantities  # noqa: B018


def test_a_border_has_a_value_with_all_numbers_given() -> None:
    values = {"m": 10, "n": 50, "alpha": "1/2", "tau": "1/10"}
    here = PHASES.value("alpha_classes_instances", **values, p=2, digits=30)
    del values["alpha"]
    there = results["supcl-threshold"].value("alpha_min", **values, digits=30)
    assert abs(here - there) < mpmath.mpf(10) ** -28


def test_a_border_that_needs_more_items_says_so() -> None:
    """For two items a factor of the condition vanishes; the border is that of the theorem."""
    result = PHASES.with_inputs(loss="sigmoid")
    q = result.quantity("b_shared_contrasts_differing_means")
    assert q.domain is not None and q.domain.ranges[N].low == 3
    values = {"N": 8, "t": 3}
    there = results["sigmoid-threshold"].value("b_simplex", **values, digits=25)
    here = result.value("b_shared_contrasts_differing_means", **values, digits=25)
    assert abs(here - there) < mpmath.mpf(10) ** -22
    with pytest.raises(DomainError, match="N must be"):
        result.value("b_shared_contrasts_differing_means", N=2, t=3)


def test_exponents_without_a_common_measure_take_no_polynomial_of_high_degree() -> None:
    """50 and 1/3000 in exponents: multiples of 1/3000, up to 150000."""
    found = PHASES.with_inputs(loss="siglip", at={"N": 4, "t": "1/1000", "b": -50})
    assert str(found.quantity("structure").expression) == "shared_contrasts"
    g = [float(found.quantity(r).expression) for r in ("positive", "negative")]
    assert g == pytest.approx([1, -1 / 3])


# --- smooth functions of a user's own -------------------------------------------------------------
def pairs(positive: str, negative: str) -> Problem:
    """A loss on two towers."""
    terms = (("positive", positive), ("negative", negative))
    shown = "".join(f'[[terms]]\nrelation = "{r}"\nfunction = "{f}"\n' for r, f in terms)
    return read_text(f'[structure]\ntowers = 2\nitems = "N"\n{shown}')


@pytest.mark.parametrize(
    "positive, negative",
    [
        ("exp((-8*x/3 + 1/3)^2)", "exp((5*x/3 + 1/2)^2)"),  # an exponent that is not affine
        ("-log(6 + x)", "1/(13/2 + 9*x/4)"),  # poles outside of [-1, 1], and one that falls
    ],
)
def test_smooth_pairs_against_brute_force(positive: str, negative: str) -> None:
    brute = Pairs(((positive, "1"),), ((negative, "1"),), 3).least()
    result = PHASES.with_inputs(loss=pairs(positive, negative))
    assert float(result.value("loss", N=3)) == pytest.approx(brute, rel=1e-9)


@pytest.mark.slow
def test_a_step_that_fails_on_an_edge_silences_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def failing(*of: object, **more: object) -> None:
        raise StepFailed("made up")

    problem = CATALOGUE["supcl-exclusive"]
    monkeypatch.setattr(module, "edge", failing)
    found = phases(problem, Derivation())
    assert found.vertices and not found.edges and set(found.unproved.values()) == {"made up"}
    result = OfLoss(problem)  # none that was derived before
    assert "alpha_classes_views" in result.quantities
    assert "is not proved here" in result.quantity("elsewhere").meaning
    values = {"m": 3, "n": 2, "p": 2, "tau": "1/2", "alpha": "9/10"}
    assert float(result.value("loss", **values)) == pytest.approx(
        float(EXCLUSIVE.value("loss", **values))
    )
    monkeypatch.setattr(module, "vertex", failing)
    with pytest.raises(StepFailed, match="made up"):
        phases(problem, Derivation())


def test_what_is_found_at_numbers_says_so() -> None:
    with pytest.raises(DomainError, match="found for numerical values: give m, n, p, tau"):
        PHASES.value("structure", m="oo")


@pytest.mark.parametrize(
    ("loss", "at", "words", "pairs"),
    [
        ("clip", {"N": 5, "tau": "1/2"}, "the simplex: towers coincide", {"positive": 1}),
        ("siglip", {"N": 5, "t": 1, "b": 5}, "the antipodal structure", {"within_modality": 1}),
        ("supcon", {"m": 3, "n": 2, "p": 2, "tau": 1}, "the simplex of classes", {"same_class": 1}),
        ("simclr", {"n": 3, "p": 2, "tau": 1}, "the simplex of instances", {"same_instance": 1}),
    ],
)
def test_a_structure_in_words_is_the_one_of_the_inner_products(
    loss: str, at: dict[str, object], words: str, pairs: dict[str, int]
) -> None:
    made = PHASES.with_inputs(loss=loss, at=at)
    assert made.quantity("structure").meaning.startswith(words)
    assert {name: made.quantity(name).expression for name in pairs} == pairs
