"""``--batch`` leads from results about all data to those about batches."""

import pytest
from click import UsageError
from cltheory.cli.batches import ALONE, over_batches
from cltheory.derive.losses import alone
from cltheory.derive.results import results

AT = "--m 10 --n 50 --p 2 --tau 0.1 --brief"


@pytest.mark.parametrize("id", ["supcon", "simclr"])
def test_losses_without_an_anchor_alone_lead_there_too(id):
    assert over_batches(id, 8, None, None) == (f"{id}-batches", ("--B=8",))


@pytest.mark.parametrize("id", ["supcl-threshold", "supcl-exclusive"])
@pytest.mark.parametrize("sampling", [None, "uniform", "balanced:5"])
def test_the_result_about_batches_has_the_same_loss(id, sampling):
    other, words = over_batches(id, 100, sampling, None)
    found = results[other]
    assert found.declared is results[id].declared and found.draw is not None
    at = dict(w.removeprefix("--").split("=") for w in words)
    assert at == ({"C": "20", "k": "5"} if sampling == "balanced:5" else {"B": "100"})


@pytest.mark.parametrize(
    "id, sampling, words, leads",
    [
        ("sigmoid-threshold", None, ("--N=9",), "--loss=sigmoid --sampling=uniform --B=8"),
        ("supcl-optimum", None, ("--alpha=1/2",), "--loss=supcl --sampling=uniform --B=8"),
        ("mine.toml", "balanced:4", (), "--loss=mine.toml --sampling=balanced --C=2 --k=4"),
        ("phases", None, ("--loss=dcl",), "--sampling=uniform --B=8"),
    ],
)
def test_any_other_loss_leads_to_its_phases(id, sampling, words, leads):
    assert over_batches(id, 8, sampling, None, words) == ("phases", tuple(leads.split()))


def test_phases_over_batches_are_derived_and_verified(cltheory):
    sizes = "--loss sincere --m 3 --n 2 --p 2 --tau 0.5 --batch 3".split()
    code, shown, _ = cltheory("derive", "phases", *sizes)
    assert code == 0 and "structure = classes" in shown and "all batches of B" in shown
    code, shown, _ = cltheory("verify", "phases", *sizes, "--seeds", "0")
    assert code == 0 and "0 disagree" in shown
    for more, says in (("--alone skip", "no anchor of sincere"), ("--B 4", "given twice")):
        code, _, err = cltheory("derive", "phases", *sizes, *more.split())
        assert code == 2 and says in err


def test_the_conventions_are_those_that_are_declared(cltheory):
    assert set(ALONE) == set(alone.ALONE)
    command = f"derive supcl-threshold {AT} --batch 20 --alone term"
    _, shown, _ = cltheory(*command.split())
    assert "alpha_high_term = 0.3547" in shown and "skip" not in shown


@pytest.mark.parametrize(
    "id, batch, sampling, alone, says",
    [
        ("supcl-threshold", None, "uniform", None, "needs --batch"),
        ("supcl-threshold", None, None, "skip", "needs --batch"),
        ("supcl-threshold", 8, "balanced", None, "uniform or balanced:K"),
        ("supcl-threshold", 8, "uniform:2", None, "uniform or balanced:K"),
        ("supcl-threshold", 8, "balanced:0", None, "not made of"),
        ("supcl-threshold", 8, "balanced:3", None, "not made of"),
        ("supcl-threshold", 8, "balanced:4", "skip", "omit --alone"),
        ("supcon", 8, None, "skip", "omit --alone"),
        ("effective-rank", 8, None, None, "effective-rank is about another, or none"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(id, batch, sampling, alone, says):
    with pytest.raises(UsageError, match=says) as refused:
        over_batches(id, batch, sampling, alone)
    assert "\n" not in refused.value.message
