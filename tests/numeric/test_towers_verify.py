"""Cross-checks of the two-tower results, and that they refuse wrong predictions."""

from __future__ import annotations

import pytest
import torch
from cltheory.derive.decide.domain import DomainError
from cltheory.derive.theorem.result import Result
from cltheory.numeric.verify import verify
from cltheory.numeric.verify_towers import CHECKS


def verdicts(checks):
    return {check.verdict for check in checks}


@pytest.mark.parametrize("id", CHECKS)
def test_embeddings_agree(id, device):
    checks = verify(id, seeds=[0], device=device)
    assert verdicts(checks) == {"agrees"}
    if id.startswith("sigmoid"):
        s = [c.predicted for c in checks if c.what == "positive_similarity"]
        assert min(s) == 0
        assert max(s) == 1
        assert any(0.1 < x < 0.9 for x in s)


@pytest.mark.parametrize(
    ("id", "values"),
    [
        ("sigmoid-threshold", {"N": 2}),
        ("sigmoid-threshold", {"N": 3, "t": 2}),
        ("sigmoid-threshold", {"N": 4}),
        ("sigmoid-threshold", {"N": 6, "b": -2}),
        ("sigmoid-threshold", {"N": 33, "t": "1/100"}),
        ("sigmoid-optimum", {"N": 5, "t": 50, "b": 0}),
        ("sigmoid-optimum", {"N": 8, "t": "1/1000", "b": 0}),
        ("infonce-optimum", {"N": 7, "t": "1/50"}),
        ("infonce-optimum", {"t": 100}),
        ("ccem", {"N": 2}),
        ("ccem", {"N": 5, "delta": "oo"}),
    ],
)
def test_at_the_edges(id, values):
    assert verdicts(verify(id, seeds=[0], device="cpu", **values)) == {"agrees"}


def test_thresholds_are_located():
    checks = verify("sigmoid-threshold", seeds=[0], N=8, t=1, device="cpu")
    located = {c.what.split(",")[0]: c for c in checks if ", where" in c.what}
    assert set(located) == {"t_simplex", "t_antipodal", "b_simplex", "b_antipodal"}
    assert located["t_simplex"].measured == pytest.approx(7 / 8 * 1.6094379124341003, abs=1e-9)
    assert located["t_antipodal"].measured == pytest.approx(0.5493061443340549, abs=1e-9)


def test_what_cannot_be_told_is_not_claimed():
    """At t = b = 40 negatives hardly push; s is still right."""
    checks = verify("sigmoid-optimum", seeds=[0], N=4, t=40, b=40, device="cpu")
    assert {c.what: c.verdict for c in checks} == {
        "positive_similarity": "agrees",
        "positive": "agrees",
        "negative (too flat to tell)": "not covered",
        "loss": "agrees",
    }


def test_positives_that_nothing_holds_are_not_claimed():
    """For N = 2 negatives are -1 all along the CCEM, and here l_p pushes 1e-22 as hard as l_n."""
    checks = verify("sigmoid-optimum", seeds=[0], N=2, t=44, b=-25, device="cpu")
    assert {c.what: c.verdict for c in checks} == {
        "positive_similarity (too flat to tell)": "not covered",
        "positive (too flat to tell)": "not covered",
        "negative": "agrees",
        "loss": "agrees",
    }


@pytest.mark.parametrize(
    ("lp", "ln", "values"),
    [
        ("(1-x)^2", "(1+x)^2", {}),
        ("exp(-t*x)", "exp(t*x-b)", {"t": 2, "b": 1}),
        ("log(1+exp(-3*x))", "log(1+exp(3*x))/2", {}),
        ("-x", "exp(2*x)", {"N": 4}),
    ],
)
def test_a_loss_of_the_users(lp, ln, values):
    checks = verify(
        "pairwise-threshold", seeds=[0], device="cpu", **{"N": 6, **values}, lp=lp, ln=ln
    )
    assert len(checks) == 4
    assert verdicts(checks) == {"agrees"}


def test_a_users_loss_that_is_flat_along_the_ccem():
    """-2x and x balance for N = 6: the least loss is right, its place is not unique."""
    checks = verify("pairwise-threshold", seeds=[0], device="cpu", N=6, lp="-2*x", ln="x")
    told = {c.what.partition(" ")[0]: c.verdict for c in checks}
    assert told["loss"] == "agrees"
    assert told["positive"] == told["positive_similarity"] == told["negative"] == "not covered"


def test_too_small_a_dimension_is_not_covered():
    assert verdicts(verify("sigmoid-optimum", seeds=[0], N=6, d=3, device="cpu")) == {"not covered"}
    assert verdicts(verify("sigmoid-optimum", seeds=[0], N=2, d=2, device="cpu")) == {"not covered"}


def test_float32():
    checks = verify("sigmoid-optimum", seeds=[0], N=6, dtype=torch.float32, device="cpu")
    assert verdicts(checks) == {"agrees"}


@pytest.mark.parametrize(
    ("id", "name", "wrong"),
    [
        ("ccem", "negative", lambda x: -x),
        ("ccem", "min_dimension", lambda x: x + 1),
        ("sigmoid-threshold", "t_simplex", lambda x: x * (1 + 1e-6)),
        ("sigmoid-threshold", "b_antipodal", lambda x: x + 1e-6),
        ("sigmoid-optimum", "positive_similarity", lambda x: x + 1e-5),
        ("sigmoid-optimum", "loss", lambda x: x * (1 + 1e-8)),
        ("infonce-optimum", "loss", lambda x: x / 2),  # one direction instead of both
    ],
)
def test_a_wrong_prediction_is_noticed(monkeypatch, id, name, wrong):
    value = Result.value

    def lies(self, asked, digits=15, **values):
        found = value(self, asked, digits, **values)
        return wrong(found) if asked == name else found

    monkeypatch.setattr(Result, "value", lies)
    checks = verify(id, seeds=[0], device="cpu")
    assert any(c.verdict == "disagrees" and name in c.what for c in checks)


@pytest.mark.parametrize(
    ("id", "values", "message"),
    [
        ("sigmoid-optimum", {"m": 3}, "no parameter m"),
        ("sigmoid-optimum", {"t": "oo"}, "give a finite t"),
        ("infonce-optimum", {"N": "oo"}, "give a finite N"),
        ("infonce-optimum", {"t": 0}, "t must be"),
        ("ccem", {"N": 1}, "N must be"),
        ("ccem", {"d": 0}, "d must be"),
        ("pairwise-threshold", {"lp": "-x"}, "two functions"),
        ("pairwise-threshold", {"lp": "x", "ln": "x"}, "decreasing"),
        ("pairwise-threshold", {"lp": "import", "ln": "x"}, "not an expression|may use|unknown"),
    ],
)
def test_bad_input_is_refused(id, values, message):
    with pytest.raises(DomainError, match=message):
        verify(id, **values)


def test_a_loss_by_name_is_the_one_that_is_checked() -> None:
    checks = verify("pairwise-threshold", seeds=[0], device="cpu", N=10, loss="focal")
    positive = next(c for c in checks if c.what == "positive")
    assert 0.1 < positive.measured < 0.2  # SigLIP's, the default, is 1 here
    checks = verify("pairwise-threshold", seeds=[0], device="cpu", N=10, loss="hinge")
    assert verdicts(checks) == {"agrees"} and "invariant" in " ".join(map(str, checks))
