"""Cross-checks of every result, and that they notice every kind of wrong prediction."""

from __future__ import annotations

import pytest
import torch
from cltheory.derive.decide.domain import DomainError
from cltheory.derive.decide.evidence import Grade
from cltheory.derive.results import results
from cltheory.derive.theorem.bounded import Bound
from cltheory.derive.theorem.measure import AtMost, Border, Face, Rank, Reading
from cltheory.derive.theorem.result import Result
from cltheory.numeric.verify import at_optimum, similar, verify


def verdicts(checks):
    return {check.verdict for check in checks}


CHECKED = [id for id, r in results.items() if r.structure is not None and r.structure.axes]


@pytest.mark.sample(10)
@pytest.mark.parametrize("id", CHECKED)
def test_embeddings_agree(id, device):
    checks = verify(id, seeds=[0], device=device)
    assert verdicts(checks) == {"agrees"}
    told = {x.what.split(",")[0].split(" ")[0] for x in checks}
    missed = {name for name in results[id].measures() if name not in told}
    # A bound shows the quantity that it bounds, and limits what they are limits of.
    assert {n for n in missed if n != "bound"} == set()
    if id.startswith("sigmoid") and id != "sigmoid-noise":
        s = [x.predicted for x in checks if x.what == "positive_similarity"]
        assert min(s) == 0
        assert max(s) == 1
        assert any(0.1 < x < 0.9 for x in s)


@pytest.mark.sample(6)
@pytest.mark.parametrize(
    ("id", "values"),
    [
        ("sigmoid-threshold", {"N": 3, "t": 2}),
        ("sigmoid-threshold", {"N": 6, "b": -2}),
        ("sigmoid-threshold", {"N": 33, "t": "1/100"}),
        ("sigmoid-optimum", {"N": 5, "t": 50, "b": 0}),
        ("sigmoid-optimum", {"N": 8, "t": "1/1000", "b": 0}),
        ("infonce-optimum", {"N": 7, "t": "1/50"}),
        ("ccem", {"N": 2}),
        ("ccem", {"N": 5, "delta": "oo"}),
        ("supcl-threshold", {"m": 2, "n": 3, "p": 1, "alpha": "9/10"}),
        ("variance-bound", {"m": 2, "n": 2, "p": 1, "r": 3}),
        ("towers-threshold", {"K": 4, "N": 6, "p": 2, "w": "3/4"}),
        ("towers-threshold", {"K": 5, "N": 20, "p": 1, "t": 1}),
        ("towers-threshold", {"t": "1/1000", "w": 40, "p": 2}),
        ("towers-threshold", {"N": 4, "b": -1, "dtype": torch.float32}),
    ],
)
def test_at_the_edges(id, values):
    checks = verify(id, seeds=[0], device="cpu", **values)
    assert verdicts(checks) <= {"agrees", "not covered"}
    judged = [x for x in checks if "too flat" not in x.what]
    assert verdicts(judged) == {"agrees"}


def test_thresholds_are_located():
    checks = verify("sigmoid-threshold", seeds=[0], N=8, t=1, device="cpu")
    located = {x.what.split(",")[0]: x for x in checks if " which " in x.what}
    assert set(located) >= {"t_simplex", "t_antipodal", "b_simplex", "b_antipodal"}
    assert located["t_simplex"].measured == pytest.approx(7 / 8 * 1.6094379124341003, abs=1e-9)
    assert located["t_antipodal"].measured == pytest.approx(0.5493061443340549, abs=1e-9)


@pytest.mark.parametrize("sizes", [(3, 3), (4, 2), (2, 2)])
def test_no_more_items_than_towers(sizes):
    """Agreeing towers are always optimal; there is no threshold to locate."""
    checks = verify("towers-threshold", seeds=[0], K=sizes[0], N=sizes[1], b=-4, w=3, device="cpu")
    assert verdicts(checks) == {"agrees"}
    assert all("N <= K" in x.at and " which " not in x.what for x in checks)
    assert {x.predicted for x in checks if x.what == "positive"} == {1.0}


# --- what cannot be told ----------------------------------------------------------------------


def told(checks):
    return {x.what: x.verdict for x in checks if "seed" in x.at}


def test_what_cannot_be_told_is_not_claimed():
    """At t = b = 40 negatives hardly push; s is still right."""
    found = told(verify("sigmoid-optimum", seeds=[0], N=4, t=40, b=40, device="cpu"))
    assert found.pop("negative (too flat to tell)") == "not covered"
    face = "regime simplex: occupied eigenspaces (too flat to tell)"
    assert found.pop(face) == "not covered"
    assert set(found.values()) == {"agrees"}
    assert {"positive_similarity", "positive", "loss"} <= set(found)


def test_positives_that_nothing_holds_are_not_claimed():
    """For N = 2 negatives are -1 all along the CCEM, and here l_p pushes 1e-22 as hard as l_n."""
    found = told(verify("sigmoid-optimum", seeds=[0], N=2, t=44, b=-25, device="cpu"))
    assert found["negative"] == found["loss"] == "agrees"
    for name in ("positive_similarity", "positive", "x_star", "delta_star"):
        assert found[f"{name} (too flat to tell)"] == "not covered"


@pytest.mark.parametrize(
    ("id", "values"),
    [
        ("kernel-infonce", {"n": 2, "p": 3, "gamma": "1/4"}),
        ("kernel-infonce", {"n": 5, "gamma": "3/2", "tau": 2}),
        ("kernel-supcl", {"m": 2, "n": 3, "p": 1, "gamma": "1/2"}),
        ("kernel-supcl", {"m": 3, "alpha": 1, "tau": 1}),
        ("kernel-threshold", {"k": 3, "p": 2}),
        ("kernel-threshold", {"q": 3, "gamma": 4}),
    ],
)
def test_losses_of_other_similarities_are_optimised_and_not_certified(id, values):
    checks = verify(id, seeds=[0], device="cpu", **values)
    assert verdicts(checks) == {"agrees"}
    assert {x.stop for x in checks} <= {"optimised", ""}
    assert all(x.gap is None for x in checks)


def test_kernels_have_both_sides_of_their_thresholds():
    checks = verify("kernel-supcl", seeds=[0], m=2, device="cpu")
    assert {x.predicted for x in checks if x.what == "collapsed"} == {0, 1}
    checks = verify("kernel-threshold", seeds=[0], device="cpu")
    assert {x.predicted for x in checks if x.what.startswith("leaves")} == {0, 1}


@pytest.mark.parametrize(
    ("id", "values"),
    [
        ("kernel-infonce", {"n": 3, "p": 3, "gamma": "1/10", "tau": "1/100"}),
        ("kernel-supcl", {"m": 4, "gamma": "1/10", "tau": "1/100"}),
        ("kernel-supcl", {"m": 4, "gamma": "19/10", "tau": 100}),
        ("kernel-supcl", {"m": 2, "d": 1}),
        ("kernel-threshold", {"gamma": "201/100"}),
    ],
)
def test_a_search_that_stalls_refutes_nothing(id, values):
    """Where the loss is flat, gains are too near to be seen, or one dimension leaves no way."""
    checks = verify(id, seeds=[0], device="cpu", **values)
    assert "disagrees" not in verdicts(checks)
    assert verdicts(checks) & {"not reached", "not covered"}
    explicit = [x for x in checks if not x.stop]
    assert explicit and verdicts(explicit) == {"agrees"}
    assert all(x.stop for x in checks if x.verdict in ("not reached", "not covered"))


@pytest.mark.parametrize(
    ("change", "verdict"), [(1e-6, "not reached"), (-1e-6, "disagrees"), (1e-12, "agrees")]
)
def test_a_loss_below_what_was_derived_disagrees(monkeypatch, change, verdict):
    """The losses that searches end with are moved; what is derived is as it was."""

    search = similar.Kernel.search
    monkeypatch.setattr(similar.Kernel, "search", lambda self, z: search(self, z) + change)
    for id, name, values in (
        ("kernel-infonce", "least_loss", {"gamma": 1}),
        ("kernel-supcl", "loss_collapsed", {"m": 2, "alpha": 0}),
    ):
        checks = verify(id, seeds=[0], device="cpu", **values)
        assert {x.verdict for x in checks if x.what == name} == {verdict}


@pytest.mark.parametrize(
    ("id", "values", "said"),
    [
        ("kernel-infonce", {"gamma": 3}, "gamma must be in"),
        ("kernel-infonce", {"k": 3}, "no parameter k"),
        ("kernel-threshold", {"p": 1}, "p must be"),
        ("kernel-threshold", {"d": 2}, "needs 3 dimensions"),
        ("kernel-supcl", {"n": "oo"}, "finite"),
    ],
)
def test_what_a_kernel_result_does_not_take_is_refused(id, values, said):
    with pytest.raises(DomainError, match=said):
        verify(id, seeds=[0], **values)


def test_a_users_loss_that_is_flat_along_the_ccem():
    """-2x and x balance for N = 6: the least loss is right, its place is not unique."""
    checks = verify("pairwise-threshold", seeds=[0], device="cpu", N=6, lp="-2*x", ln="x")
    found = {x.what.partition(" ")[0]: x.verdict for x in checks}
    assert found["loss"] == "agrees"
    assert found["positive"] == found["positive_similarity"] == found["negative"] == "not covered"


@pytest.mark.parametrize(
    ("id", "values"),
    [
        ("sigmoid-optimum", {"N": 6, "d": 3}),
        ("sigmoid-optimum", {"N": 2, "d": 2}),
        ("towers-threshold", {"d": 3, "p": 1, "w": 1, "b": 0}),
        ("supcl-optimum", {"d": 2, "alpha": "9/10", "tau": "1/2"}),
    ],
)
def test_too_small_a_dimension_is_not_covered(id, values):
    checks = verify(id, seeds=[0], device="cpu", **values)
    # A lower bound holds in every dimension.
    found = {x.verdict for x in checks if "seed" in x.at and not x.is_bound}
    assert found == {"not covered"}


def test_float32():
    checks = verify("sigmoid-optimum", seeds=[0], N=6, dtype=torch.float32, device="cpu")
    # Where the loss is so flat that float32 cannot tell, a position is not judged.
    assert verdicts(checks) <= {"agrees", "not covered"}
    assert sum(c.verdict == "agrees" for c in checks) > 0.9 * len(checks)


# --- a loss of the user's ---------------------------------------------------------------------


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
    assert {"positive", "negative", "positive_similarity", "loss"} <= {x.what for x in checks}
    assert verdicts(checks) == {"agrees"}


def test_a_loss_by_name_is_the_one_that_is_checked() -> None:
    checks = verify("pairwise-threshold", seeds=[0], device="cpu", N=10, loss="focal")
    positive = next(c for c in checks if c.what == "positive")
    assert 0.1 < positive.measured < 0.2  # SigLIP's, the default, is 1 here
    checks = verify("pairwise-threshold", seeds=[0], device="cpu", N=10, loss="hinge")
    assert verdicts(checks) == {"agrees"} and "invariant" in " ".join(map(str, checks))


# --- wrong predictions ------------------------------------------------------------------------


def lying(monkeypatch, name, wrong):
    """Let a result predict something else."""
    value, at = Result.value, Result.at

    def lies(self, asked, /, digits=15, **values):
        found = value(self, asked, digits, **values)
        return wrong(found) if asked == name else found

    def lies_at(self, asked, point):
        found = at(self, asked, point)
        return wrong(str(found)) if asked == name and found.is_Symbol else found

    monkeypatch.setattr(Result, "value", lies)
    monkeypatch.setattr(Result, "at", lies_at)


@pytest.mark.sample(8)
@pytest.mark.parametrize(
    ("id", "name", "wrong", "values"),
    [
        ("ccem", "negative", lambda x: -x, {}),
        ("ccem", "min_dimension", lambda x: x + 1, {}),
        ("ssem", "same_class", lambda x: x - 1e-11, {}),
        ("ssem", "within_class_variance", lambda x: 1 - x, {}),
        ("supcl-threshold", "alpha_min", lambda x: x + 1e-8, {}),
        ("supcl-optimum", "delta_star", lambda x: x + 1e-5, {"alpha": "9/10"}),
        ("sup-cnce-optimum", "alpha_inversion", lambda x: x + 1e-7, {"tau": "1/2"}),
        ("cnce-optimum", "same_class", lambda x: x / 2, {"tau": "1/2"}),
        ("sigmoid-threshold", "t_simplex", lambda x: x * (1 + 1e-6), {}),
        ("sigmoid-threshold", "t_simplex_max", lambda x: x + 1e-6, {}),
        ("sigmoid-optimum", "positive_similarity", lambda x: x + 1e-5, {}),
        ("sigmoid-optimum", "delta_star", lambda x: x + 1e-4, {}),
        ("sigmoid-optimum", "regime", lambda x: {"between": "simplex"}.get(x, x), {}),
        ("infonce-optimum", "loss", lambda x: x / 2, {}),  # one direction instead of both
        ("towers-threshold", "b_simplex", lambda x: x + 1e-6, {"p": 2, "w": "1/2"}),
        ("towers-threshold", "w_simplex", lambda x: x * (1 + 1e-6), {"p": 2, "w": "1/2"}),
        ("towers-threshold", "positive", lambda x: x + 1e-5, {"p": 2, "w": "1/2"}),
        ("towers-threshold", "loss", lambda x: x * (1 + 1e-8), {"p": 2, "w": "1/2"}),
        ("kernel-infonce", "least_loss", lambda x: x * (1 + 1e-7), {"n": 3, "gamma": 1}),
        ("kernel-infonce", "similarity", lambda x: x + 1e-5, {"n": 3, "gamma": 1}),
        (
            "kernel-infonce",
            "least_loss_towers",
            lambda x: x * (1 + 1e-7),
            {"gamma": 1, "tau": "1/50"},
        ),
        ("kernel-supcl", "similarity", lambda x: x * (1 + 1e-7), {"gamma": "1/10", "tau": "1/100"}),
        ("kernel-supcl", "collapsed", lambda x: not x, {"m": 2}),
        ("kernel-supcl", "loss_collapsed", lambda x: x * (1 + 1e-8), {"m": 2}),
        ("kernel-threshold", "tau_clusters", lambda x: x * (1 + 1e-6), {}),
    ],
)
def test_a_wrong_prediction_is_noticed(monkeypatch, id, name, wrong, values):
    lying(monkeypatch, name, wrong)
    checks = verify(id, seeds=[0], device="cpu", **values)
    assert any(x.verdict == "disagrees" and x.what.startswith(name) for x in checks)


def test_every_kind_of_measure_has_a_wrong_prediction():
    """What is tried above, and for the bound below, is all that there is."""
    kinds = {type(m) for id in CHECKED for m in results[id].measures().values()}
    assert kinds == {Reading, Border, Rank, Face, AtMost}


@pytest.mark.parametrize("name", ["within_class_variance", "total_variance", "bound"])
def test_a_wrong_identity_is_noticed(monkeypatch, name):
    quantity = Result.quantity

    def lies(self, asked):
        found = quantity(self, asked)
        if asked == name:
            object.__setattr__(found, "expression", found.expression * 9 / 10)
        return found

    right = results["variance-bound"].quantity(name).expression
    monkeypatch.setattr(Result, "quantity", lies)
    try:
        checks = verify("variance-bound", seeds=[0], m=3, n=3, p=2, d=40)
    finally:
        object.__setattr__(results["variance-bound"].quantities[name], "expression", right)
    assert "disagrees" in verdicts(checks)


# --- refusals ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("id", "values", "message"),
    [
        ("supcl-two-sizes", {"tau": "oo"}, "give a finite tau"),
        ("supcl-two-sizes", {"n1": 1}, "n1 must be"),
        ("sigmoid-optimum", {"m": 3}, "no parameter m"),
        ("infonce-optimum", {"N": "oo"}, "give a finite N"),
        ("ccem", {"d": 0}, "d must be"),
        ("pairwise-threshold", {"lp": "-x"}, "two functions"),
        ("pairwise-threshold", {"lp": "x", "ln": "x"}, "decreasing"),
        ("pairwise-threshold", {"lp": "import", "ln": "x"}, "not an expression|may use|unknown"),
        ("towers-threshold", {"K": 1}, "K must be"),
        ("towers-threshold", {"d": 0}, "d must be"),
    ],
)
def test_bad_input_is_refused(id, values, message):
    with pytest.raises(DomainError, match=message):
        verify(id, **values)


def test_coarser_numbers_do_not_refute_what_they_cannot_tell():
    # At tau = 1/10 the loss hardly feels where vectors of a class are: not to float32's gradients.
    checks = verify("cnce-optimum", seeds=[0], dtype=torch.float32, p=1, tau="1/10", device="cpu")
    assert verdicts(checks) == {"agrees", "not covered"}
    assert all("too flat" in x.what for x in checks if x.verdict == "not covered")
    assert {x.what for x in checks if x.verdict == "agrees"} >= {"loss"}
    felt = verify("cnce-optimum", seeds=[0], dtype=torch.float32, p=1, tau=2, device="cpu")
    assert verdicts(felt) == {"agrees"}


def test_a_search_that_did_not_end_refutes_no_position(monkeypatch):
    from cltheory.numeric.verify import at_optimum

    # What ends after a step is far away, and not certified: that is no agreement.
    minimise = at_optimum.minimise

    def early(*args, steps=1, **more):
        return minimise(*args, max_iterations=steps, **more)

    given = {"seeds": [0], "m": 2, "n": 2, "p": 2, "tau": 2, "alpha": "1/10", "device": "cpu"}
    monkeypatch.setattr(at_optimum, "minimise", early)
    assert "disagrees" in verdicts(verify("supcl-exclusive", **given))


def test_the_bracket_in_a_dimension_that_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    """The best embeddings are above the bound, and a bound that is too high is refuted."""
    asked = {"d": 2, "seeds": (0,), "n": 9, "p": 2, "tau": "1/5"}
    (bracket,) = (c for c in verify("simclr", **asked) if c.is_bound)
    assert bracket.what == "loss_at_least (uniform, argued)" and bracket.verdict == "agrees"
    assert 0 < bracket.difference < 0.7  # log 17/9 at most is lost to the anchor
    assert not any(c.is_bound for c in verify("simclr", **{**asked, "d": None}))
    (other,) = (c for c in verify("dcl", **asked) if c.is_bound)
    assert other.what.startswith("loss_at_least (all_dimensions") and other.verdict == "agrees"

    def too_high(*_: object, **__: object) -> Bound:
        return Bound(bracket.measured + 1e-6, "uniform", Grade.ARGUED)

    monkeypatch.setattr(at_optimum, "bound_at", too_high)
    (bracket,) = (c for c in verify("simclr", **asked) if c.is_bound)
    assert bracket.verdict == "disagrees"
