"""Theorems for Rocq: what is written, and what its kernel accepts and refuses."""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
from ast import literal_eval
from dataclasses import replace
from decimal import Decimal, localcontext
from functools import cache
from itertools import combinations, islice, product
from pathlib import Path
from typing import Any

import pytest
from cltheory.derive.decide.coefficients import closure
from cltheory.derive.decide.domain import Domain
from cltheory.derive.decide.evidence import Holds
from cltheory.derive.losses.clip import SIGMOID, b
from cltheory.derive.losses.pairwise import c
from cltheory.derive.losses.softmax import SoftmaxLoss, tau
from cltheory.derive.losses.supcl import alpha
from cltheory.derive.optimum.threshold import ChangesSign
from cltheory.derive.problems.batches import BatchProblem, over_batches
from cltheory.derive.problems.catalogue import OWN
from cltheory.derive.problems.declared import declared
from cltheory.derive.problems.domains import COMBINED
from cltheory.derive.proof.relations import Iff, eq, ge, gt, lt
from cltheory.derive.proof.statement import Relations
from cltheory.derive.results import results
from cltheory.derive.structures.hierarchy import m, n
from cltheory.derive.write.rocq.anchor import _theorem, at_anchor
from cltheory.derive.write.rocq.batches import BatchSoftmax
from cltheory.derive.write.rocq.certified import certified, inner_of
from cltheory.derive.write.rocq.check import Checked, assumed, check, compiled_library
from cltheory.derive.write.rocq.document import Written, about_losses, files, written
from cltheory.derive.write.rocq.kinds import read
from cltheory.derive.write.rocq.merging import merged, merging
from cltheory.derive.write.rocq.numbers import last_unit, number
from cltheory.derive.write.rocq.random_batches import AtRandom
from cltheory.derive.write.rocq.rungs import limits, rungs, standing
from cltheory.derive.write.rocq.signs import NO_SIGNS
from cltheory.derive.write.rocq.statements import Theorem, of_relations, stated, theorem
from cltheory.derive.write.rocq.terms import NotWritten, roots, term
from cltheory.derive.write.rocq.whole import problem_of, whole
from sympy import Rational, Symbol, Tuple, exp, gamma, log, sympify

PROBLEMS = Path(__file__).parents[2] / "docs" / "problems"
ANY = Domain.of_ranges({})
POINT = {"m": 10, "n": 50, "tau": "1/10", "alpha": "1/2"}


@pytest.fixture
def rocq() -> None:
    """Rocq; where it is missing these tests are skipped, but not in CI, whose step installs it."""
    if shutil.which("coqc") is None:
        assert not os.environ.get("CLTHEORY_ROCQ"), "coqc is missing in the step that needs it"
        pytest.skip("coqc (Rocq) is not installed")


# --- terms ------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "written_as"),
    [
        ("m - 1", "m - 1"),
        ("-m", "- m"),
        ("2/3*m", "2 * m / 3"),
        ("exp(-m/tau)/(m - 1)", "exp (- m / tau) / (m - 1)"),
        ("(m + 1)**2*tau**-3", "(m + 1) ^ 2 / tau ^ 3"),
        ("sqrt(m) + log(tau)", "sqrt m + ln tau"),
        ("(-1)*(m - tau)", "- m + tau"),
        ("1/m - (tau - 1)", "- tau + 1 + / m"),
    ],
)
def test_terms_are_those_of_rocq(text: str, written_as: str) -> None:
    assert term(sympify(text, locals={"m": m, "tau": tau})) == written_as


def test_what_has_no_term_is_refused_by_name() -> None:
    with pytest.raises(NotWritten, match="gamma has no term"):
        term(gamma(m))


def test_the_last_unit_of_a_decimal() -> None:
    assert last_unit("0.0201", 3) == Rational(1, 10**4)
    assert last_unit("123.0", 4) == Rational(1, 10)


# --- statements -------------------------------------------------------------------------------
def test_a_threshold_is_written_as_it_was_derived() -> None:
    (step,) = [s for s in results["supcl-threshold"].derivation if "iff alpha" in s.title]
    found = theorem("it", step.title, step.says)
    says = found.statement
    assert says.startswith("forall m n tau alpha : R, 2 <= m -> 2 <= n -> 0 < tau -> 0 <= alpha")
    assert "(alpha > " in says and "<->" in says and says.endswith("< 0))")
    texts = files("mine", [Written("it", (found,))])
    assert list(texts)[-2:] == ["mine.v", "mine_proofs.v"]
    assert "Proof" not in texts["mine.v"]
    for word in ("Admitted", "Axiom", "admit"):
        assert word not in "".join(texts.values())


def test_a_limit_is_written_with_epsilon() -> None:
    steps = [s for s in results["supcl-threshold"].derivation if s.says.limit is not None]
    near, far = (theorem("it", s.title, s.says) for s in steps[1:3])
    assert (
        "forall eps_ : R, 0 < eps_ ->\n  exists X_ : R, 0 < X_ /\\ forall tau : R" in near.statement
    )
    assert "tau < X_ -> Rabs (" in near.statement and "X_ < tau -> Rabs (" in far.statement
    says = steps[1].says
    wrong = says.saying(eq(says.shown.args[0], 2 * says.shown.args[1]))
    with pytest.raises(NotWritten, match="is not zero in the normal form"):
        theorem("it", "wrong", wrong)


def test_what_increases_is_said_of_the_condition_and_not_of_its_derivative() -> None:
    (step,) = [s for s in results["supcl-threshold"].derivation if "alpha_min incr" in s.title]
    found = theorem("it", step.title, step.says)
    assert "increases (fun tau => 0 < tau)\n    (fun tau => ((m * n - 1)" in found.statement
    shown = step.says.shown
    for wrong in (lt(*shown.args), gt(2 * shown.args[0], 0), gt(shown.args[0], 1)):
        assert not isinstance(step.says.saying(wrong).decide(), Holds)
    with pytest.raises(NotWritten, match="no proof that"):
        theorem("it", "wrong", step.says.saying(lt(*shown.args)))


def test_the_ranges_of_formulas_are_said_not_to_be_empty() -> None:
    found = {t.called: t for t in written(results["supcl-threshold"]).theorems}
    says = found["supcl_threshold_ranges"]
    assert "(exists m n tau : R, 2 <= m /\\ 2 <= n /\\ 0 < tau)" in says.statement
    assert all(
        t.ranges is None or t.ranges[0] in says.statement for t in found.values() if not t.whole
    )


def test_a_root_is_said_to_be_the_only_one() -> None:
    result = results["supcl-optimum"]
    point = result.point(m=3, n=3, tau="1/2", alpha="3/4")
    for quantity in ("x_star", "same_class"):
        assert "increases (fun x => 0 <= x" in number("it", result, quantity, point, 15).statement


def test_what_follows_by_words_is_not_said_to_be_a_theorem() -> None:
    found = written(results["simclr"])
    assert any("by a lemma in words" in why for why in found.left.values())
    assert not any("unique" in t.title for t in found.theorems)


def test_a_name_that_rocq_does_not_read_is_refused() -> None:
    for stem in ("a-b", "1a", "fun", "Prop", "cltheory_signs"):
        with pytest.raises(NotWritten, match="not a name for Rocq"):
            files(stem, [])


def test_a_formula_that_is_equal_to_itself_is_no_theorem() -> None:
    for nothing in (eq(exp(m), exp(m)), ge(exp(m), exp(m)), Iff(gt(m, n), gt(m, n))):
        with pytest.raises(NotWritten, match="the same formula"):
            of_relations("it", "it", nothing, COMBINED)
    with pytest.raises(NotWritten, match="is not zero"):
        of_relations("it", "it", eq(exp(m), exp(n)), COMBINED)
    assert of_relations("it", "it", eq((m + 1) ** 2, m**2 + 2 * m + 1), COMBINED).proof
    part = of_relations("it", "it", Tuple(eq(exp(n), exp(n)), gt(m, 1)), COMBINED)
    assert part.statement == of_relations("it", "it", gt(m, 1), COMBINED).statement
    assert all("1. The loss" not in t.title for t in written(results["simclr"]).theorems)


def test_an_inequality_between_numbers_is_proved_by_intervals() -> None:
    assert any("interval" in line for line in of_relations("it", "it", gt(exp(1), 2), ANY).proof)


@pytest.mark.parametrize(
    "false",
    [
        lt(exp(1), 2),
        gt(m - 3, 0),  # m = 2
        lt(alpha, Rational(1, 2)),
        eq(exp(m), exp(n)),
        Iff(gt(alpha, 1 / n), gt(1 / n - alpha, 0)),
        Iff(gt(alpha, 1 / n), gt((alpha - 1 / n) * (m - 3), 0)),
    ],
    ids=str,
)
def test_no_proof_is_written_of_what_is_false(false: object) -> None:
    with pytest.raises(NotWritten):
        of_relations("wrong", "wrong", false, COMBINED)  # type: ignore[arg-type]


def test_axioms_are_read_off_what_rocq_prints() -> None:
    assert assumed("Axioms:\nmine\n  : forall x, x = 1\nA.b : nat\n") == ["mine", "A.b"]
    assert assumed("Closed under the global context\n") == []


def test_an_axiom_is_seen_whatever_it_is_called_and_whatever_it_is_about() -> None:
    assert assumed("Axioms:\né : False\nf is assumed to be guarded.\n") == [
        "é",
        "f is assumed to be guarded.",
    ]
    assert not Checked("", ("f is assumed to be guarded.",), 1.0).accepted


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ("Axiom classic : False.", "has 'Axiom'"),  # by the name of one that is expected
        ("Module PrimFloat.", "has 'Module'"),
        ("Unset Guard Checking.", "has 'Unset'"),
        ("Theorem t : 1 = 2. Admitted.", "has 'Admitted'"),
        ('Definition s := (* " *) 1. (* " *)', "has '\"'"),
        ("Notation least := (fun _ _ _ => True).", "has 'Notation'"),
    ],
)
def test_a_file_has_nothing_but_definitions_and_proofs(
    monkeypatch: pytest.MonkeyPatch, more: str, why: str
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: "/coqc")
    monkeypatch.setattr(subprocess, "run", lambda *a, **k: pytest.fail("it was compiled"))
    monkeypatch.setattr("cltheory.derive.write.rocq.check.installed", lambda: "8.16.1")
    texts = files("mine", [Written("it (* about *)", ())])
    texts["mine.v"] += more
    assert why in check(texts).error
    library = {"cltheory_loss.v": texts["cltheory_loss.v"] + more}  # no longer what it was
    assert not check(library).accepted


def test_a_name_that_says_more_is_not_written() -> None:
    for text in ("x : R, False -> forall y", "é", "x'", ""):
        with pytest.raises(NotWritten, match="not the name of a variable"):
            term(Symbol(text) + 1)


# --- whole theorems ----------------------------------------------------------------------------
def test_a_whole_theorem_has_the_loss_written_out_and_names_no_formula_of_ours() -> None:
    (found,) = whole("simclr", results["simclr"])
    assert found.whole
    assert "positives := fun a => match a with [true; false] => / (p - 1)" in found.definitions
    assert "(2 <= n)%nat -> (2 <= p)%nat -> 0 < tau ->" in found.statement
    assert (
        "attained [n; p]" in found.statement and "least [n; p] (loss [n; p] tau" in found.statement
    )
    assert "<->" not in found.statement


def test_the_eigenvalue_of_an_eigenspace_is_compared_once() -> None:
    """Two axes have four products of means and contrasts, which are three eigenspaces."""
    (found,) = whole("simclr", results["simclr"])
    (other,) = (text for text in found.lemmas if "replace (eigen" in text)
    assert len(found.lemmas) == 1 + 4
    assert "Lemma simclr_instances_CC " in other and "[apply simclr_instances_MC;" in other
    assert "gap." not in other


@pytest.mark.slow
def test_the_threshold_of_supcl_is_the_condition_of_its_whole_theorem() -> None:
    (found,) = whole("supcl_threshold", results["supcl-threshold"])
    value = results["supcl-threshold"].quantity("alpha_min").expression
    assert f"iff alpha <= {value}" in found.title
    assert "<-> least [m; n; p] (loss [m; n; p] tau" in found.statement


@pytest.mark.slow
def test_the_sigmoid_loss_is_written_out_and_has_its_two_structures() -> None:
    ends = {t.called: t for t in whole("it", results["sigmoid-threshold"])}
    assert set(ends) == {"it_differing_means", "it_shared_contrasts"}
    for found in ends.values():
        # log(1 + exp(b - t c)) for true pairs and log(1 + exp(t c - b)) for others.
        assert "match a with [false; true] => true |" in found.definitions
        assert "rate := - t; shift := b" in found.definitions
        assert "rate := t; shift := - b" in found.definitions
        assert "<-> least [2%nat; N] (pair_loss [2%nat; N]" in found.statement
        assert "(2 <= N)%nat -> 0 < t ->" in found.statement


@pytest.mark.slow
def test_the_optimum_between_two_structures_is_where_the_equation_of_the_result_is_zero() -> None:
    result = results["sigmoid-optimum"]
    found = {t.called: t for t in whole("it", result)}
    edge = found["it_shared_contrasts_differing_means"]
    assert edge.place == result.quantity("x_star").expression.function.expr and edge.whole
    assert edge.statement.count("= 0 -> attained") == 1
    assert "=> 1 - x |" in edge.definitions
    assert " h 0 <= 0 -> 0 <= h 2 -> exists x : R," in found[f"{edge.called}_zero"].statement
    # The ends, where the loss is least if it has no zero, have theorems of their own.
    assert {"it_shared_contrasts", "it_differing_means"} <= set(found)


def test_minority_collapse_is_about_classes_of_any_number_and_sizes() -> None:
    (found,) = whole("it", results["minority-collapse"])
    assert "forall (l1 : nat) (rest : list nat) (tau : R)" in found.statement
    assert ">= 0 <-> forall dims x, unit_members" in found.statement
    assert "(i, _, [false]) => / ((INR (nth i sizes 0%nat)) - 1)" in found.definitions
    condition = results["minority-collapse"].quantity("merged").expression
    for wrong in (-condition.lhs, condition.lhs - 1):
        with pytest.raises(NotWritten):
            merged("it", results["minority-collapse"], ge(wrong, 0))
    assert merging(results["tail-collapse"]) is None


def test_the_ranges_of_a_whole_theorem_are_said_not_to_be_empty() -> None:
    (found,) = whole("it", results["simclr"])
    ranges = "(2 <= n)%nat /\\ (2 <= p)%nat /\\ 0 < tau"
    assert found.statement.startswith(f"(exists (n p : nat) (tau : R), {ranges}) /\\")
    assert found.proof[0].startswith("split; [exists 3%nat, 2%nat, (1 / 2);")


def test_a_loss_that_stands_for_batches_is_not_the_loss_that_is_written_out() -> None:
    problem = results["simclr"].problem
    assert problem is not None and isinstance(problem.loss, SoftmaxLoss)
    with pytest.raises(NotWritten, match="mean over batches"):
        read("it", replace(problem, loss=replace(problem.loss, over_batches=True)), {})


def test_the_mean_over_batches_is_written_out_with_how_they_are_drawn() -> None:
    (found,) = whole("it", results["simclr-batches"])
    assert "in the mean over batches" in found.title and "(2 <= B <= n)%nat" in found.statement
    assert "least [n; p] (batch_loss [n; p] [B] tau" in found.statement
    # What the positives weigh, and not what each is of a mean that a batch need not have.
    assert "positives := fun a => match a with [true; false] => 1 |" in found.definitions
    problem = over_batches(declared("supcl"), "balanced")
    balanced = read("it", problem, {})
    assert isinstance(balanced, BatchSoftmax) and list(map(str, balanced.drawn)) == ["C", "k"]
    for loss, why in (("supcon", "how many instances of a class"), ("clip", "of a hierarchy")):
        with pytest.raises(NotWritten, match=why):
            read("it", over_batches(declared(loss), "uniform"), {})


@pytest.mark.slow
def test_a_gap_over_random_batches_is_what_its_mean_is_of() -> None:
    result = results["supcl-batches"]
    problem = problem_of(result)
    assert isinstance(problem, BatchProblem)
    at = AtRandom.of("it", result, problem, "classes", "skip")
    assert "random_loss [m; n; p] B tau" in at.theorem.statement and "<->" in at.theorem.statement
    instances = at.vertex.conditions["instances"]
    wrong = {**at.vertex.conditions, "instances": replace(instances, over=2 * instances.over)}
    with pytest.raises(NotWritten, match="is not zero in the normal form"):
        _ = replace(at, vertex=replace(at.vertex, conditions=wrong)).theorem


def test_another_function_of_a_pair_is_not_taken_for_a_sigmoid_loss() -> None:
    problem = results["sigmoid-threshold"].problem
    assert problem is not None
    attract, repel = SIGMOID.terms
    for function in (exp(-c), log(1 + exp(c**2)), log(2 + exp(c)), log(1 + exp(b))):
        other = replace(SIGMOID, terms=(replace(attract, function=function), repel))
        with pytest.raises(NotWritten, match="not ln"):
            read("it", replace(problem, loss=other), {})


@pytest.mark.slow
def test_in_sincere_each_positive_has_its_own_denominator() -> None:
    (found,) = whole("it", results["sincere"])
    assert "least [m; n; p] (own_loss [m; n; p] tau" in found.statement
    assert "<->" not in found.statement
    denominator = re.search(r"denominator := (.*);", found.definitions)
    assert denominator is not None and "[true" not in denominator[1]  # no positive is in it


@pytest.mark.slow
def test_a_condition_that_is_not_there_for_one_view_is_that_of_another_eigenspace() -> None:
    (found,) = whole("it", results["supcon-noise"])
    assert found.title.count("rho <=") == 1 and "(1 <= p)%nat" in found.statement


def test_what_the_library_does_not_know_has_no_whole_theorem() -> None:
    for id, why in (
        ("supcl-two-sizes", "different sizes"),
        ("kernel-infonce", "is a kernel"),
        ("ssem", "without a loss"),
    ):
        with pytest.raises(NotWritten, match=why):
            list(whole("it", results[id]))
    for id, why in (
        ("mrf", "not about a loss"),
        ("supcl-second-order", "nor about InfoNCE"),
    ):
        with pytest.raises(NotWritten, match=why):
            list(at_anchor("it", results[id], {}))


def test_a_bound_at_one_anchor_is_about_the_gradient_of_the_loss_written_out() -> None:
    left: dict[str, str] = {}
    found = {t.called: t for t in at_anchor("it", results["spectral-band"], left)}
    says = found["it_upper_participation"].statement
    assert "forall g, is_gradient c g -> forall sigma : R" in says
    assert "moment_at_most c (z_negative c) sigma ->" in says and "(exists g, is_gradient" in says
    assert len(found) + len(left) == len(results["spectral-band"].quantities)
    assert left["batch_upper"] == "it is about a batch"


def test_no_bound_that_is_too_sharp_has_a_proof() -> None:
    q = results["spectral-band"].quantity("upper_alignment")
    for scale in (Rational(99, 100), -1):
        other = replace(q, expression=scale * q.expression)
        with pytest.raises(NotWritten, match="no single fact"):
            _theorem("it", "upper_alignment", other)


@pytest.mark.parametrize(
    ("id", "title", "solved", "by"),
    [
        ("supcl-threshold", "iff tau", "(tau < m / (m - 1) / ln (", "beyond with (tau / ln"),
        ("soft-supcon", "iff x is", "(x >= - tau * ln epsilon)", "((epsilon) * exp"),
        ("spectral-band-printed", "iff mu", "(mu <= -1 + sqrt 3)", "sqrt_pos 3"),
        ("sigmoid-noise", "iff t is", "(t >= (N - 1) * ln (", "clearbody log_1"),
    ],
)
def test_a_threshold_is_solved_with_a_logarithm_or_a_root(
    id: str, title: str, solved: str, by: str
) -> None:
    (step,) = [s for s in results[id].derivation if title in s.title]
    found = theorem("it", step.title, step.says)
    assert solved in found.statement
    assert any(by in line for line in found.proof)
    place, condition = step.says.real.args
    parameter, value = place.args
    turned = {"StrictLessThan": gt, "LessThan": ge}.get(type(place).__name__, lt)
    for wrong in (
        place.func(parameter, 2 * value, evaluate=False),
        place.func(parameter, value.xreplace({e: -e for e in roots(value)}), evaluate=False),
        turned(parameter, value),
    ):
        if wrong != place:
            with pytest.raises(NotWritten):
                of_relations("it", "wrong", Iff(wrong, condition), step.says.domain)


#: Losses of certificates that have no name.
GIVEN = {"lines": {"lp": "max(0, -x)", "ln": "max(0, x/3)"}}
#: Parameters, inner products, the loss and the gap of certificates, by result.
CERTIFIED: dict[str, tuple[dict[str, Any], dict[str, str], str, str]] = {
    "supcl-optimum": (
        {"m": 3, "n": 3, "p": 2, "alpha": "3/4", "tau": "1/2"},
        {
            "same_instance": "1",
            "same_class": "0.4518223932565080201180543668740167011563",
            "cross_class": "-0.3172741310855026733726847889580055670521",
        },
        "1.708545194404946026545699541437696793677",
        "1.82e-30",
    ),
    # Between its two structures, where neither is optimal.
    "sigmoid-optimum": (
        {"N": 5, "t": 3, "b": 1},
        {
            "within_modality": "-0.1394935497974710138701884367125540972098",
            "positive": "0.8231896796759536221923014987400865555356",
            "negative": "-0.3163038701215173916778869379724675416741",
        },
        "0.7396609745206444989452257595370728702585",
        "1.01e-27",
    ),
    # So steep that the curvature, as a difference, is lost in wide intervals.
    "pairwise-threshold": (
        {"N": 50, "t": 10, "b": 5},
        {
            "within_modality": "0.08308129626344756925254838173539683430699",
            "positive": "0.7971606593236427642650051717986222047583",
            "negative": "-0.1197580444129096664824464464659809609347",
        },
        "0.1495340415842667665770938760280148086694",
        "1.01e-29",
    ),
    "sincere": (
        {"m": 3, "n": 2, "p": 2, "tau": "1/2"},
        {"same_instance": "1", "same_class": "1", "cross_class": "-0.5"},
        "0.3352547435936301613181164240039492238703",
        "1.21e-30",
    ),
    "focal": (
        {"N": 3},
        {
            "within_modality": "-0.2911963347164911450008457186199482922605",
            "positive": "0.7215951129553215266677942914932643896807",
            "negative": "-0.5696012217611696183330514271266839025798",
        },
        "0.04038955086932299702672232807605535652619",
        "6.06e-31",
    ),
    "squared-hinge": (
        {"N": 3},
        {
            "within_modality": "-0.3333333333333333333333333333333333333333",
            "positive": "0.7777777777777777777777777777777777777778",
            "negative": "-0.5555555555555555555555555555555555555556",
        },
        "0.4444444444444444444444444444457777777777",
        "6.06e-28",
    ),
    "cosine-embedding": (
        {"N": 3},
        {"within_modality": "-0.5", "positive": "1", "negative": "-0.5"},
        "9.99999999999999999999999999999e-31",
        "6.06e-28",
    ),
    # Kinks of lines: at 1 the negative of c is not the number -1.
    "lines": (
        {"N": 3},
        {"within_modality": "-0.5", "positive": "1", "negative": "-0.5"},
        "0",
        "1e-27",
    ),
    # Of embeddings, which have no more digits.
    "supcon-imbalanced": (
        {"C": 3, "n1": 2, "n2": 3, "tau": "1/2"},
        {
            "same_class_1": "1",
            "cross_class_1_2": "-0.487631639539394",
            "same_class_2": "1",
            "cross_class_2": "-0.5244307682402453",
        },
        "0.6730787598817434712255887211644724431686",
        "1.8e-13",
    ),
}


def _certified(id: str, more: str = "0") -> Written:
    """The theorems of a certificate, with ``more`` added to the loss that it claims."""
    values, inner, loss, gap = CERTIFIED[id]
    pairwise = results["pairwise-threshold"]
    given = GIVEN.get(id, {"loss": id})
    problem = (results[id] if id in results else pairwise.with_inputs(**given)).problem
    assert problem is not None
    symbols = {s.name: s for s in problem.domain.ranges}
    point = {symbols[k]: sympify(v, rational=True) for k, v in values.items()}
    claim = {"loss": str(Decimal(loss) + Decimal(more)), "gap": gap}
    return Written("it", certified("it", problem, point, inner, claim))


@pytest.mark.parametrize("id", CERTIFIED)
def test_a_certificate_that_claims_too_much_has_no_theorem(id: str) -> None:
    with localcontext(prec=60):
        _, bound = _certified(id).theorems
        assert re.search(r"unit_\w+ \[.*%nat\]+ dims x", bound.statement)
        # Only lemmas unfold denominators: a proof that does so in each eigenspace takes minutes.
        assert not re.search(r"power\d", " ".join(bound.proof))
        with pytest.raises(NotWritten, match="below the claim"):
            _certified(id, "1e-12" if id == "supcon-imbalanced" else "1e-24")


#: Where the inner product of positives is that of the kink of their function, and its side there.
KINK = {"within_modality": "0." + 40 * "1", "positive": "0." + 40 * "3"}
KINK["negative"] = f"-0.{39 * '5'}6"
SIDE = "0.1044597998105446071702509672554981647995"


def _on_a_kink(*sides: str | None) -> Written:
    loss = results["pairwise-threshold"].with_inputs(lp="max(0, 1/3 - x)", ln="exp(x/9)")
    assert loss.problem is not None
    (size,) = loss.problem.domain.ranges
    claim = {"loss": "2.820414594884704393596776115897726127447", "gap": "1.11e-30"}
    point = {size: sympify(4)}
    return Written("it", certified("it", loss.problem, point, KINK, claim, sides))


def test_an_optimum_on_a_kink_has_a_theorem_by_the_slope_of_its_certificate() -> None:
    value, bound = _on_a_kink(SIDE, None).theorems
    assert "value_of := fun c => (Rmax 0 (1 / 3 - c))" in value.definitions
    assert "[false; true] => 1 / 3 |" in value.definitions
    assert "unit_vectors [2%nat; 4%nat] dims x" in bound.statement
    for sides in ((), ("0.2", None), ("1", None)):
        with pytest.raises(NotWritten, match="below the claim"):
            _on_a_kink(*sides)


def test_a_kink_that_is_not_of_a_line_is_not_written() -> None:
    for id, why in (
        ("distance-margin", "neither smooth nor max"),
        ("hinge", "for numerical values only"),
    ):
        problem = results["pairwise-threshold"].with_inputs(loss=id).problem
        assert problem is not None
        (size,) = problem.domain.ranges
        with pytest.raises(NotWritten, match=why):
            read("it", problem, {}, {size: sympify(3)} if id != "hinge" else None)


def test_embeddings_have_the_means_of_their_inner_products() -> None:
    with localcontext(prec=60):
        values, inner, loss, _ = CERTIFIED["sincere"]
        corners = [["1.0", "0.0"], ["-0.5", "0.8660254037844386"], ["-1.0", "-1.7320508075688772"]]
        pattern = {"===": "self", "==/": "same_instance", "=/=": "same_class", "=//": "same_class"}
        file = {
            "axes": [3, 2, 2],
            "pattern": pattern | {f"/{k[1:]}": "cross_class" for k in pattern},
            # Inner products beside embeddings are not what is replayed.
            "point": {
                "embeddings": [row for row in corners for _ in range(4)],
                "inner": {"a": "b"},
            },
        }
        means = inner_of(file)
        assert {k: pytest.approx(float(v), abs=1e-14) for k, v in inner.items()} == {
            k: float(v) for k, v in means.items() if k != "self"
        }
        problem = results["sincere"].problem
        assert problem is not None
        point = {s: sympify(values[s.name], rational=True) for s in problem.domain.ranges}
        certified("it", problem, point, means, {"loss": loss, "gap": "1e-13"})
        with pytest.raises(NotWritten, match="below the claim"):
            certified("it", problem, point, means, {"loss": f"{loss[:10]}9", "gap": "1e-13"})
        assert inner_of({"axes": [3], "point": {"inner": {"a": "1"}}}) == {"a": "1"}


# --- what the kernel says ----------------------------------------------------------------------
def test_the_list_of_rungs_names_results_and_known_rungs() -> None:
    assert list(rungs()) == sorted(results)
    assert set(rungs().values()) == {"numbers", "thresholds", "whole theorem"}
    # Whoever is not at the top says why.
    assert all(why for rung, why in standing().values() if rung != "whole theorem")
    assert limits("simclr") is None and "different sizes" in (limits("tail-collapse") or "")
    assert limits("sigmoid-threshold") == (
        "the theorem does not cover t_simplex_max, found from the root of an equation"
    )
    wanted = ("supcl-threshold", "simclr", "supcon")
    assert all(rungs()[id] == "whole theorem" for id in wanted)


def test_the_page_names_the_results_that_are_whole_theorems() -> None:
    page = (Path(__file__).parents[2] / "docs" / "how-do-you-know.md").read_text(encoding="utf-8")
    listed = re.search(r"(\d+) results are on the third rung: (.*?)\.\n\n", page, re.S)
    assert listed is not None
    ids = re.findall(r"`([\w-]+)`", listed[2])
    assert ids == [id for id, rung in rungs().items() if rung == "whole theorem"]
    assert int(listed[1]) == len(ids)


#: Their proofs take Rocq long, and others of their kind are checked in their place; these with the
#: nets.
LONG = {
    "superclass-threshold",
    "supcl-batches-balanced-exclusive",
    "supcl-batches-exclusive",
    "phases",
    "pairwise-threshold",
}


def on_its_rung(id: str) -> Written:
    """A result as the list has it: where no step is written, with numbers at a point."""
    result = results[id]
    found = written(result)
    if found.theorems:
        return found
    return written(result, {s: result.domain.witness[s] for s in result.parameters})


#: Results that are checked in one file: to start Rocq, and to ask what the proofs rest on, takes
#: longer than most of them.
TOGETHER = 8
SHORT = [id for id in rungs() if id not in LONG]


@pytest.mark.slow
@pytest.mark.rocq
@pytest.mark.usefixtures("rocq")
@pytest.mark.parametrize(
    "ids",
    [
        *(SHORT[k :: len(SHORT) // TOGETHER] for k in range(len(SHORT) // TOGETHER)),
        *(pytest.param([id], marks=pytest.mark.net) for id in sorted(LONG)),
    ],
    ids=lambda ids: ids[0],
)
def test_rocq_accepts_what_is_exported(ids: list[str]) -> None:
    found = [on_its_rung(id) for id in ids]
    assert [(one.rung, one.why) for one in found] == [standing()[id] for id in ids]
    for id, one in zip(ids, found, strict=True):
        steps = enumerate(results[id].derivation, 1)
        equivalences = [f"{k}. {s.title}" for k, s in steps if isinstance(s.statement, Iff)]
        assert NO_SIGNS not in map(one.left.get, equivalences)
    checked = check(files("mine", found))
    assert checked.accepted, checked


@pytest.mark.slow
@pytest.mark.rocq
@pytest.mark.usefixtures("rocq")
@pytest.mark.parametrize(
    ("id", "old", "new"),
    [
        ("supcl-optimum", "4518223932565", "4518223932575"),
        ("sigmoid-optimum", "exp (3 * c - 1)", "exp (2 * c - 1)"),
        ("pairwise-threshold", "exp (5 - 10 * c)", "exp (5 - 9 * c)"),
        ("sincere", "own_loss", "loss"),
        ("focal", "exp (2 * c)", "exp (3 * c)"),
        ("squared-hinge", "<= (function_loss", "> (function_loss"),
        ("cosine-embedding", "Rmax 0 (c - 1 / 2)", "Rmax 0 (c + 1)"),
        ("lines", "Rmax 0 (- c)", "Rmax 0 (1 - 2 * c)"),
        ("supcon-imbalanced", "243815819769697", "243815829769697"),
        ("supcon-imbalanced", "[[1%nat; 2%nat]; ", "[[2%nat; 2%nat]; "),
        ("supcon-imbalanced", "<= (loss_of_kinds", "> (loss_of_kinds"),
    ],
)
def test_rocq_accepts_a_certificate_and_not_a_tampered_one(id: str, old: str, new: str) -> None:
    texts = certified_files(id)
    assert id == accepted_once(id)
    assert old in texts["mine.v"]
    assert not check({**texts, "mine.v": texts["mine.v"].replace(old, new)}).accepted


@pytest.mark.slow
@pytest.mark.rocq
@pytest.mark.usefixtures("rocq")
def test_rocq_accepts_a_certificate_on_a_kink_and_no_slope_beyond_it() -> None:
    texts = files("mine", [_on_a_kink(SIDE, None)])
    assert check(texts).accepted
    for old, new in (("1 / 3 - c", "1 / 2 - c"), ("282041459", "282041469")):
        assert old in texts["mine.v"]
        assert not check({**texts, "mine.v": texts["mine.v"].replace(old, new)}).accepted


#: Numbers for the parameters of losses, by name; others are 2, or 1/2.
NUMBERS = {"m": "3", "N": "3", "C": "3", "n2": "3", "m1": "1", "alpha": "3/4", "beta": "1/8"}
NUMBERS |= {"rho": "1/8", "epsilon": "1/8", "tau": "1/2", "b": "1/2"}
#: Losses on their structures: of the catalogue, of files, and of results. What certify refuses:
REFUSED = ("sharp-focal", "distance-margin", "hard-negatives")
PAIRS = [
    *(("phases", "--loss", name) for name in OWN),
    *(("phases", "--loss", str(path)) for path in sorted(PROBLEMS.glob("*.toml"))),
    ("pairwise-threshold", "--loss", "cosine-embedding"),
    *((id,) for id in ("infonce-noise", "sigmoid-noise", "soft-supcon", "sup-cnce-optimum")),
    *((id,) for id in ("supcl-two-sizes", "supcon-balanced", "supcon-imbalanced", "supcon-noise")),
    *((id,) for id in ("supcon-two-sizes", "towers-threshold")),
    ("supcon-imbalanced", "--sizes", "2,2,4"),
]
#: Some are checked in CI, and all with the nets.
SOME = (("phases", "--loss", "dcl"), ("phases", "--loss", "clip"), ("sup-cnce-optimum",))


@pytest.mark.slow
@pytest.mark.rocq
@pytest.mark.usefixtures("rocq")
@pytest.mark.parametrize("search", [(), ("--search",)], ids=["derived", "searched"])
@pytest.mark.parametrize(
    "words", [p if p in SOME else pytest.param(p, marks=pytest.mark.net) for p in PAIRS], ids=str
)
def test_rocq_accepts_the_certificates_of_all_losses(
    words: tuple[str, ...], search: tuple[str, ...], tmp_path: Path
) -> None:
    from cltheory.cli.main import run

    result = results[words[0]]
    given = dict(zip(words[1::2], words[2::2], strict=True))
    made = result.with_inputs(**{k.strip("-"): v for k, v in given.items()}) if given else result
    assert made.problem is not None
    values = {
        s.name: NUMBERS.get(s.name, "2" if s.is_integer or s.name in "tw" else "1/2")
        for s in made.problem.domain.ranges
    }
    numbers = [word for k, v in values.items() for word in (f"--{k}", v)]
    path = tmp_path / "mine.v"
    code = run(["certify", *words, *numbers, *search, "--rocq", str(path)])
    if any(name in words[-1] for name in REFUSED):
        assert code == 2 and not path.exists()
        return
    assert code == 0
    own = (path, path.with_name("mine_proofs.v"))
    assert check({one.name: one.read_text(encoding="utf-8") for one in own}).accepted


def certified_files(id: str) -> dict[str, str]:
    """A certificate as files."""
    with localcontext(prec=60):
        return files("mine", [_certified(id)])


@cache
def accepted_once(id: str) -> str:
    """The same, if Rocq accepts the certificate as it is."""
    assert check(certified_files(id)).accepted
    return id


@pytest.mark.slow
@pytest.mark.rocq
@pytest.mark.usefixtures("rocq")
def test_rocq_accepts_numbers_to_thirty_digits() -> None:
    result = results["supcl-threshold"]
    found = written(result, result.point(**POINT), digits=30)
    checked = check(files("mine", [_numbers(found)]))
    assert checked.accepted, checked
    assert "ClassicalDedekindReals.sig_not_dec" in checked.axioms


@pytest.mark.slow
@pytest.mark.rocq
@pytest.mark.usefixtures("rocq")
def test_rocq_accepts_the_only_root_and_no_other_function() -> None:
    result = results["supcl-optimum"]
    point = result.point(m=3, n=3, tau="1/2", alpha="3/4")
    found = [number(f"it_{q}", result, q, point, 15) for q in ("x_star", "same_class")]
    texts = files("mine", [Written("it", tuple(found))])
    assert check(texts).accepted
    for old, new in (("increases (", "decreases ("), ("(fun x => 7 *", "(fun x => - 7 *")):
        assert old in texts["mine.v"]
        changed = {**texts, "mine.v": texts["mine.v"].replace(old, new)}
        assert not check(changed).accepted


@pytest.mark.slow
@pytest.mark.rocq
@pytest.mark.usefixtures("rocq")
def test_rocq_accepts_a_root_in_a_logarithm_which_is_not_said_to_be_the_only_one() -> None:
    result = results["pairwise-threshold"].with_inputs(loss="focal")
    found = number("it", result, "loss", result.point(N=3), 15)
    assert "increases" not in found.statement
    texts = files("mine", [Written("it", (found,))])
    assert check(texts).accepted
    wrong = texts["mine.v"].replace("40389550869323 /", "40389550869333 /")
    assert wrong != texts["mine.v"] and not check({**texts, "mine.v": wrong}).accepted


def _numbers(found: Written) -> Written:
    return replace(found, theorems=tuple(t for t in found.theorems if "i_prec" in t.proof[-1]))


def _formulas(found: Written) -> Written:
    return replace(found, theorems=tuple(t for t in found.theorems if not t.whole))


#: Those with a theorem for each convention.
RANDOM = {"supcl-batches"}
#: How whole theorems are made false, by result.
WHOLE = {
    "simclr": {
        "a smaller denominator": ("[false; false] => 1 |", "[false; false] => 0 |"),
        "other inner products": ("[false; true] => - / (n - 1)", "[false; true] => - / n"),
        "a wider range": ("(2 <= p)%nat", "(1 <= p)%nat"),
        "a negative weight": ("weight := 1;", "weight := - 1;"),
        "a swapped quantifier": (
            "(tau : R), (2",
            "(tau : R), exists q : R, q <> q /\\ (2",
        ),
    },
    "sigmoid-threshold": {
        "a tampered number": ("INR N) - 2) * exp", "INR N) - 3) * exp"),
        "a reversed inequality": (">= 0", "<= 0"),
        "another sign of the bias": ("rate := - t; shift := b", "rate := - t; shift := - b"),
        "other inner products": ("[false; true] => -1", "[false; true] => 1"),
        "all pairs attract": ("[false; false] => true", "[false; true] => true"),
        "a wider range": ("(2 <= N)%nat -> 0 < t", "(2 <= N)%nat -> 0 <= t"),
        "an empty range": ("(2 <= N)%nat", "(2 <= N < 2)%nat"),
        "a swapped quantifier": ("(t b : R)", "(t : R), exists b : R"),
    },
    "sigmoid-optimum": {
        "another equation": (
            "+ 2 * exp (b + x * t - t)) / 2 /",
            "+ 3 * exp (b + x * t - t)) / 2 /",
        ),
        "any place": (" = 0 -> attained", " <= 0 -> attained"),
        "other inner products": ("=> 1 - x | [false", "=> 1 - 2 * x | [false"),
        "a longer edge": ("0 <= x -> x <= 2 ->", "0 <= x -> x <= 3 ->"),
        "a zero without a sign": ("0 <= h 2 -> ", ""),
        "a reversed inequality": ("h 0 <= 0 -> 0 <= h 2", "h 0 <= 0 -> h 2 <= 0"),
        "all places": ("exists x : R, 0 <= x", "forall x : R, 0 <= x"),
    },
    "simclr-batches": {
        "the simplex of a batch": ("[false; true] => - / (n - 1)", "[false; true] => - / (B - 1)"),
        "batches that are not there": ("(2 <= B <= n)%nat ->", "(2 <= B)%nat ->"),
        "a smaller denominator": ("[false; false] => 1 |", "[false; false] => 0 |"),
        "other batches": ("(batch_loss [n; p] [B]", "(batch_loss [n; p] [p]"),
        "a reversed inequality": ("least [n; p]", "~ least [n; p]"),
        "a swapped quantifier": ("forall (n p B : nat)", "forall (n p : nat), exists (B : nat)"),
    },
    "supcon-batches": {
        "batches that are not there": ("(2 <= B <= m * n)%nat ->", "(2 <= B)%nat ->"),
        "other batches": ("(random_loss [m; n; p] B", "(random_loss [m; n; p] p"),
        "other inner products": ("[false; true; true] => - / (m - 1)", "[false; true; true] => 0"),
        "a reversed inequality": ("least [m; n; p]", "~ least [m; n; p]"),
    },
    "supcl-batches": {
        "a reversed inequality": ("/\\ alpha <= 1", "/\\ alpha >= 1"),
        "a tampered number": ("(fun K => (K * (INR n)", "(fun K => (2 * K * (INR n)"),
        "another law": ("(chance_of_none (n - 1)%nat", "(chance_of_none n%nat"),
        "another convention": (
            "(it_classes_attraction_terms (INR m) (INR n) (INR p) tau alpha (INR B))",
            "[]",
        ),
    },
    "minority-collapse": {
        "a tampered number": ("2 * (INR (list_sum rest)) * (1", "(INR (list_sum rest)) * (1"),
        "a reversed inequality": (">= 0", "<= 0"),
        "other inner products": ("=> 1 | _ => -1", "=> 1 | _ => 0"),
        "the anchor in its denominator": ("(_, _, [true]) => 0", "(_, _, [true]) => 1"),
        "other positives": ("0%nat)) - 1)", "0%nat)))"),
        "classes of one": ("(2 <= s)%nat", "(1 <= s)%nat"),
        "one smaller class": ("(2 <= length rest)%nat ->", ""),
        "a swapped quantifier": (
            "(tau : R), (forall s",
            "(tau : R), exists q : R, q <> q /\\ (forall s",
        ),
    },
    "supcl-batches-balanced": {
        "a tampered number": ("(INR m) * (INR n) - 1)", "(INR m) * (INR n) - 2)"),
        "a reversed inequality": ("((alpha <= ", "((alpha >= "),
    },
    "spectral-band": {
        "another constant": ("<= 4 *", "<= 3 *"),
        "a reversed inequality": ("dot (coordinates c) g g >=", "dot (coordinates c) g g <="),
        "a loss that is not a gradient": ("is_gradient c g -> dot", "unit_anchored c -> dot"),
        "no largest eigenvalue": ("moment_at_most c (z_negative c) sigma", "0 <= sigma"),
        "any vectors": ("forall c, unit_anchored c ->", "forall c, 0 < temperature c ->"),
    },
    "sincere": {
        "a shared denominator": ("own_loss", "loss"),
        "positives in the denominator": ("[false; true; true] =>", "[true; true; true] =>"),
        "other inner products": ("=> - / (m - 1)", "=> - / m"),
        "a wider range": ("(2 <= m)%nat", "(1 <= m)%nat"),
        "a swapped quantifier": (
            "(tau : R), (2",
            "(tau : R), exists q : R, q <> q /\\ (2",
        ),
    },
}


@pytest.mark.slow
@pytest.mark.rocq
@pytest.mark.usefixtures("rocq")
@pytest.mark.parametrize(("id", "mutant"), [(id, k) for id, each in WHOLE.items() for k in each])
def test_rocq_refuses_a_mutant_of_a_whole_theorem(id: str, mutant: str) -> None:
    texts, (old, new) = whole_files(id), WHOLE[id][mutant]
    assert old in texts["mine.v"]
    assert not check({**texts, "mine.v": texts["mine.v"].replace(old, new)}).accepted


@cache
def whole_files(id: str) -> dict[str, str]:
    """The whole theorems of a result, without its steps."""
    result = results[id]
    found = about_losses("it", result, {})
    # Under each convention for an anchor that is alone the theorem has the same form.
    return files("mine", [Written("it", (next(found), *(() if id in RANDOM else found)))])


@pytest.mark.slow
@pytest.mark.rocq
@pytest.mark.usefixtures("rocq")
def test_the_batches_of_the_library_are_all_of_their_kind() -> None:
    """At small sizes, where they can be listed."""
    every = list(product(range(3), range(3)))
    texts = ("batches [3; 3] [2]", "batches [3; 3] [2; 2]", "random_batches [3; 3] 4")
    places = "[" + "; ".join(f"[{i}; {j}]" for i, j in every) + "]"
    said = session(
        ["Import ListNotations. Open Scope nat_scope."]
        + [f"Eval vm_compute in map (fun b => filter b {places}) ({text})." for text in texts]
    )
    found = [
        literal_eval(text.replace(";", ","))
        for text in re.findall(r"= (\[.*?)\s+: list", said, re.S)
    ]
    sets = {size: list(combinations(every, size)) for size in (4, 6)}
    per_class = [[[i for i, _ in c].count(k) for k in range(3)] for c in sets[4]]
    wanted = [
        [c for c in sets[6] if len({i for i, _ in c}) == 2],
        [c for c, n in zip(sets[4], per_class, strict=True) if sorted(n) == [0, 2, 2]],
        sets[4],
    ]
    for listed, those in zip(found, wanted, strict=True):
        assert sorted(sorted(map(tuple, c)) for c in listed) == sorted(map(sorted, those))


#: How a statement is made false: each must be refused, with the proof as it was written.
MUTANTS = {
    "a tampered number": (r"201464446195631276325122913233 /", "201464446195631276325122913236 /"),
    "a reversed inequality": (r"\(alpha > ", "(alpha < "),
    "another side": (r"\(/ n < ", "(2 / n < "),
    "a wider range": (r"2 <= m -> 2 <= n", "0 <= m -> 2 <= n"),
    "a swapped quantifier": (r"forall m n tau alpha : R, (.*) -> \(alpha >", None),
    "an empty range": (r": R, 2 <= m /\\", r": R, m < 2 /\\ 2 <= m /\\"),
    "an axiom": (r"Open Scope R_scope\.", "Open Scope R_scope. Axiom mine : forall x : R, x = 1."),
}


@pytest.mark.slow
@pytest.mark.rocq
@pytest.mark.usefixtures("rocq")
@pytest.mark.parametrize("mutant", MUTANTS)
def test_rocq_refuses_a_mutant(mutant: str) -> None:
    result = results["supcl-threshold"]
    point = result.point(**POINT) if "number" in mutant else None
    found = written(result, point, digits=30)
    texts = files("mine", [(_numbers if point else _formulas)(found)])
    old, new = MUTANTS[mutant]
    if new is None:
        changed = texts["mine.v"].replace("forall m n tau alpha : R,", "exists m n tau alpha : R,")
    else:
        changed = re.sub(old, new, texts["mine.v"])
    assert changed != texts["mine.v"]
    texts["mine.v"] = changed
    if mutant == "an axiom":  # one that a proof uses
        proofs = texts["mine_proofs.v"]
        texts["mine_proofs.v"] = proofs.replace(
            "Definition everything := (", "Definition everything := (mine, "
        )
    assert not check(texts).accepted


#: Steps of these are mutated whenever Rocq is there; those of all others with the nets.
MUTATED = ("gradient-identity", "supcon-noise")
#: Mutants of a step, and seconds that a step of a proof may take.
FEW, PATIENCE = 3, 10


@pytest.mark.slow
@pytest.mark.rocq
@pytest.mark.usefixtures("rocq")
@pytest.mark.parametrize(
    "id", [id if id in MUTATED else pytest.param(id, marks=pytest.mark.net) for id in rungs()]
)
def test_rocq_refuses_what_our_engine_calls_false(id: str) -> None:
    from test_statements import changed, is_false

    chance, goals, expected = random.Random(0), [], []
    for k, step in enumerate(results[id].derivation):
        try:
            proof = theorem("it", step.title, step.says) if step.lemma is None else None
        except NotWritten:
            proof = None
        if proof is None or not isinstance(step.says, Relations | ChangesSign):
            continue
        if step.says.monotone is not None:
            other = {"increases (": "decreases (", "decreases (": "increases ("}
            (old,) = [word for word in other if word in proof.statement]
            for j, text in enumerate((proof.statement, proof.statement.replace(old, other[old]))):
                expected += [f"it_{k}_{j}"] * (j == 0)
                goals += _goal(f"it_{k}_{j}", text, proof)
            continue
        symbols = sorted(step.says.domain.ranges, key=str)[:4]
        mutants = list(dict.fromkeys(changed(step.says.shown, symbols)))
        chance.shuffle(mutants)
        false = islice(filter(is_false, map(step.says.saying, mutants)), FEW)
        for j, says in enumerate([step.says, *false]):
            domain, shown = says.domain, says.real
            assert shown is not None
            try:
                text, _ = stated(shown, domain.restricted(closure(shown.free_symbols, domain)))
            except NotWritten:
                continue
            expected += [f"it_{k}_{j}"] * (j == 0)
            goals += _goal(f"it_{k}_{j}", text if j else proof.statement, proof)
    accepted = re.findall(r"^(it_\d+_\d+)$", session(goals), re.M)
    assert accepted == expected


#: How thresholds that are solved with a root or a logarithm are made false.
SOLVED = {
    ("sigmoid-threshold", "The simplex is optimal iff b"): (
        ("- ln (sqrt", "- ln (- sqrt"),  # the other root
        ("(N - 4) ^ 2", "(N - 3) ^ 2"),
        ("(b >= ", "(b <= "),
        ("3 <= N", "1 <= N"),
    ),
    ("minority-collapse", "share one prototype iff rho"): (
        ("+ sqrt (4", "- sqrt (4"),
        ("5 * exp", "4 * exp"),
        ("forall rho tau : R", "exists rho : R, forall tau : R"),
    ),
    ("sigmoid-noise", "exist at some bias iff t"): (
        ("(t >= (N - 1)", "(t >= N"),
        (">= 0", "<= 0"),
        ("ln ((rho - 1)", "ln (2 * (rho - 1)"),
    ),
}


@pytest.mark.slow
@pytest.mark.rocq
@pytest.mark.usefixtures("rocq")
@pytest.mark.parametrize("where", SOLVED, ids=lambda where: where[0])
def test_rocq_refuses_a_threshold_that_is_not_the_root(where: tuple[str, str]) -> None:
    (step,) = [s for s in results[where[0]].derivation if where[1] in s.title]
    proof = theorem("it", step.title, step.says)
    assert all(old in proof.statement for old, _ in SOLVED[where])
    texts = [proof.statement, *(proof.statement.replace(*change) for change in SOLVED[where])]
    said = session(
        [line for k, text in enumerate(texts) for line in _goal(f"it_0_{k}", text, proof)]
    )
    assert re.findall(r"^(it_0_\d+)$", said, re.M) == ["it_0_0"]


def _goal(called: str, text: str, by: Theorem) -> list[str]:
    """A statement with the proof of another, and whether it was accepted."""
    return [
        f"Lemma {called} : {text}.",
        "Proof.",
        *by.proof,
        "Qed.",
        "Abort All.",
        f"Check {called}.",
    ]


def session(lines: list[str]) -> str:
    """What Rocq says to these lines; one that it refuses does not keep it from the next."""
    uses = "From Coq Require Import Reals Lra Lia List. Open Scope R_scope."
    head = [
        uses,
        "From Coquelicot Require Import Coquelicot. From Interval Require Import Tactic.",
        "Require Import cltheory_loss cltheory_signs.",
        f"Set Default Timeout {PATIENCE}.",
    ]
    return subprocess.run(
        ["coqtop", "-q", "-R", str(compiled_library()), ""],
        input="\n".join([*head, *lines, ""]), capture_output=True, text=True, check=False,
    ).stdout  # fmt: skip
