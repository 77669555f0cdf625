"""Theorems for Rocq: what is written, and what its kernel accepts and refuses."""

from __future__ import annotations

import os
import re
import shutil

import pytest
from cltheory.derive.losses.softmax import tau
from cltheory.derive.losses.supcl import alpha
from cltheory.derive.problems.domains import COMBINED
from cltheory.derive.proof.relations import Iff, eq, gt, lt
from cltheory.derive.results import results
from cltheory.derive.structures.hierarchy import m, n
from cltheory.derive.write.rocq.check import assumed, check
from cltheory.derive.write.rocq.document import files, written
from cltheory.derive.write.rocq.numbers import last_unit
from cltheory.derive.write.rocq.statements import of_relations
from cltheory.derive.write.rocq.terms import NotWritten, term
from sympy import Rational, exp, gamma, sympify

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
    found = written(results["supcl-threshold"])
    (says,) = [t.statement for t in found.theorems if "collapse iff alpha" in t.title]
    assert says.startswith("forall m n tau alpha : R, 2 <= m -> 2 <= n -> 0 < tau -> 0 <= alpha")
    assert "(alpha > " in says and "<->" in says and says.endswith("< 0))")
    texts = files("mine", [found])
    assert list(texts)[-2:] == ["mine.v", "mine_proofs.v"]
    assert "Proof" not in texts["mine.v"]
    for word in ("Admitted", "Axiom", "admit"):
        assert word not in "".join(texts.values())


def test_what_follows_by_words_is_not_said_to_be_a_theorem() -> None:
    found = written(results["simclr"])
    assert any("by a lemma in words" in why for why in found.left.values())
    assert not any("unique" in t.title for t in found.theorems)


def test_a_name_that_rocq_does_not_read_is_refused() -> None:
    for stem in ("a-b", "1a", "fun", "cltheory_signs"):
        with pytest.raises(NotWritten, match="not a name for Rocq"):
            files(stem, [])


@pytest.mark.parametrize(
    "false",
    [
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


# --- what the kernel says ----------------------------------------------------------------------
@pytest.mark.slow
@pytest.mark.usefixtures("rocq")
def test_rocq_accepts_the_threshold_and_its_numbers() -> None:
    result = results["supcl-threshold"]
    found = written(result, result.point(**POINT), digits=30)
    assert found.rung == "whole theorem"
    checked = check(files("mine", [found]))
    assert checked.accepted, checked
    assert "ClassicalDedekindReals.sig_not_dec" in checked.axioms


#: How a statement is made false: each must be refused, with the proof as it was written.
MUTANTS = {
    "a tampered number": (r"201464446195631276325122913233 /", "201464446195631276325122913236 /"),
    "a reversed inequality": (r"\(alpha > ", "(alpha < "),
    "another side": (r"\(/ n < ", "(2 / n < "),
    "a wider range": (r"2 <= m -> 2 <= n", "0 <= m -> 2 <= n"),
    "a swapped quantifier": (r"forall m n tau alpha : R, (.*) -> \(alpha >", None),
    "an axiom": (r"Open Scope R_scope\.", "Open Scope R_scope. Axiom mine : forall x : R, x = 1."),
}


@pytest.mark.slow
@pytest.mark.usefixtures("rocq")
@pytest.mark.parametrize("mutant", MUTANTS)
def test_rocq_refuses_a_mutant(mutant: str) -> None:
    result = results["supcl-threshold"]
    point = result.point(**POINT) if "number" in mutant else None
    texts = files("mine", [written(result, point, digits=30)])
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
