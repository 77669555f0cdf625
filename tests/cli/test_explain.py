"""``cltheory explain`` on the command line."""

from __future__ import annotations

import json
from typing import Any

import pytest
from cltheory.derive.decide.domain import DomainError
from cltheory.derive.landmarks.explain import explained
from cltheory.derive.landmarks.libraries import ROWS


def test_the_sentence_comes_first(cltheory: Any) -> None:
    args = ("supcon", "--batch", "256", "--tau", "0.1", "--convention", "supcontrast")
    code, out, _ = cltheory("explain", *args, "--value", "8.909")
    assert code == 0 and out.startswith("8.909 is the value of all_equal")
    assert "* all_equal" in out and "10*log(511)/7" in out


def test_json_is_what_python_says(cltheory: Any) -> None:
    import cltheory as cl

    code, out, _ = cltheory(
        "explain", "moco", "--queue", "4096", "--value", "8.318", "--format", "json"
    )
    assert code == 0
    assert json.loads(out) == cl.explain("moco", queue=4096, value="8.318")
    assert json.loads(out)["nearest"] == "all_equal"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.loss} {row.convention}")
def test_it_fits_one_screen(row, cltheory: Any) -> None:
    code, out, _ = cltheory("explain", row.loss, "--convention", row.convention, "--value", "1")
    lines = out.splitlines()
    assert code == 0 and len(lines) <= 24
    assert all(len(line) <= 100 for line in lines)


def test_the_help_lists_losses_and_examples(cltheory: Any) -> None:
    code, out, _ = cltheory("explain", "--help")
    assert code == 0 and "Examples" in out
    assert all(row.loss in out and row.convention in out for row in ROWS)


@pytest.mark.parametrize(
    "loss, conventions",
    [
        ("supcon", ["supcontrast", "pytorch-metric-learning", "solo-learn"]),
        ("simclr", ["pytorch-metric-learning", "lightly", "solo-learn"]),
        ("clip", ["open-clip"]),
        ("siglip", ["open-clip"]),
    ],
)
def test_names_that_others_rely_on(loss: str, conventions: list[str]) -> None:
    there = {row.convention for row in ROWS if row.loss == loss}
    assert there >= set(conventions)


def test_only_what_has_the_value_is_said_to_have_it(cltheory: Any) -> None:
    _, out, _ = cltheory("explain", "--value", "6.2383")
    words = " ".join(out.split())
    assert "of swav, log(512); and 1 more. " in words and "3 others are near." in words
    marked = [line.startswith("*") for line in out.splitlines() if " all_equal " in line[:12]]
    assert marked == [True] * 4 + [False] * 3  # log(512), then 511 and 513
    assert cltheory("explain", "--value", "6.239")[1].startswith("6.239 is near the value of ")


def test_the_smallest_sizes_are_searched_to_the_digits_that_are_given() -> None:
    for value, how in (("0.6931", "is"), ("0.6932", "is near")):
        says = explained(None, value=value, convention="open-clip").says
        assert says.startswith(f"{value} {how} the value of all_equal of clip, log(2).")


def test_of_what_the_digits_do_not_tell_apart_usual_sizes_come_first() -> None:
    assert (
        "11.09 is the value of all_equal of moco, log(65537); "
        in explained(None, value="11.09").says
    )


def test_losses_that_lack_positives_are_left_out_and_named() -> None:
    says = explained(None, value="6.2383", views=1, batch=512).says
    assert says.startswith("6.2383 is the value of all_equal of clip, log(512). ")
    assert says.endswith(" Not searched, for want of positives or negatives: supcon, simclr, dcl.")
    assert "Not searched" not in explained(None, value="6.2383", batch=512).says
    for options in ({"convention": "supcontrast"}, {"tau": 1, "t": 1}, {"batch": 9, "classes": 2}):
        with pytest.raises(DomainError, match=r"--views|--t and --tau|must divide --batch 9"):
            explained(None, value=0, views=1, **options)


def test_no_meaning_repeats_another(cltheory: Any) -> None:
    assert explained(None, value=0).says.count("told apart") == 1
    assert explained("cosine-embedding", value=0).says.count("told apart") == 1


def test_a_batch_that_may_count_vectors_is_searched_as_well() -> None:
    of_supcontrast = {"batch": 512, "value": "8.909", "convention": "supcontrast"}
    says = explained(None, **of_supcontrast).says
    assert "all_equal of supcon, 10*log(511)/7, if 512 counts vectors, 2 views of each" in says
    for options in ({"value": "8.919"}, {"batch": 511}):
        assert "counts vectors" not in explained(None, **of_supcontrast | options).says


def test_a_batch_that_may_count_vectors_is_said() -> None:
    """A value at collapse of half the images is named, and no other value nor odd batch."""
    hint = " If 512 counts vectors, 2 views of each image, then the batch has 256 images, "
    assert hint in explained("supcon", batch=512, value="6.24").says
    assert hint in explained("supcon", batch=512, classes=8, value="6.24").says
    for options in ({"value": "6.25"}, {"classes": 256}, {"views": 1, "value": "5.54"}):
        chosen = {"batch": 512, "classes": 8, "value": "6.24"} | options
        assert "counts vectors" not in explained("supcon", **chosen).says


def test_values_may_be_negative(cltheory: Any) -> None:
    args = ("siglip", "--batch", "8", "--t", "10", "--b", "-10", "--convention", "open-clip")
    code, out, _ = cltheory("explain", *args, "--value", "10.0004")
    assert code == 0 and out.startswith("10.0004 is the value of random")
    code, out, _ = cltheory("explain", "simsiam", "--value", "-1")
    assert code == 0 and "all_equal" in out and "tells: 1 for all_equal" in out


def test_a_size_that_does_not_matter_is_taken_and_that_is_said() -> None:
    found, plain = explained("moco", batch=256, views=2), explained("moco")
    assert found.landmarks == plain.landmarks
    assert found.says == f"{plain.says} The batch plays no role here."


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.loss}-{row.convention}")
def test_no_option_is_ignored(row) -> None:
    """Each changes what is said, or is refused; views of two towers can only be two."""
    plain = explained(row.loss, convention=row.convention)
    values = {"batch": 128, "views": 4, "classes": 4, "queue": 1000, "prototypes": 500, "dim": 64}
    for name, value in {**values, "tau": "0.3", "alpha": "0.2", "t": 5, "b": -3}.items():
        try:
            found = explained(row.loss, convention=row.convention, **{name: value})
        except DomainError:
            continue
        assert found.as_json() != plain.as_json(), name


def test_an_own_loss_has_the_landmarks_of_its_functions() -> None:
    options = {"batch": 8, "dim": 4}
    named = explained("cosine-embedding", **options)
    functions = {"lp": "1 - x", "ln": "max(0, x - 1/2)"}
    own = explained(None, **functions, **options)
    assert (own.landmarks, own.says) == (named.landmarks, named.says)
    assert own.taken.startswith("own loss (as given, lp = 1 - x, ln = Max(0, x - 1/2)")
    assert explained(None, **{**functions, "ln": "max(0, x)"}, **options).landmarks != own.landmarks
    assert explained(None, lp=0, ln="x", batch=4).landmarks[0].value == 3


def test_a_number_in_an_own_loss_is_as_sharp_as_t() -> None:
    at = {"batch": 4, "dim": 64}
    by_t = explained(None, lp="softplus(-t*x)", ln="softplus(t*x)", t=300, **at)
    own = explained(None, lp="softplus(-300*x)", ln="softplus(300*x)", **at)
    values = [[mark.value for mark in found.landmarks] for found in (by_t, own)]
    assert values[0] == pytest.approx(values[1], rel=1e-12)
