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
        ("sigmoid-threshold", 8, None, None, "not for sigmoid-threshold"),
        ("supcon", 8, None, "skip", "omit --alone"),
        ("simclr", 8, "balanced:4", None, "not for simclr"),
        ("effective-rank", 8, None, None, "not for effective-rank"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(id, batch, sampling, alone, says):
    with pytest.raises(UsageError, match=says) as refused:
        over_batches(id, batch, sampling, alone)
    assert "\n" not in refused.value.message


def test_nothing_of_a_mean_over_batches_is_certified(cltheory):
    code, _, err = cltheory("certify", "supcl-batches")
    assert code == 2 and "which is not certified" in err
