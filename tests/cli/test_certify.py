"""``cltheory certify``: what is proved is told, what is not is refused, each in its own way."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("flint")

SMALL = ("--m", "2", "--n", "2", "--p", "2", "--tau", "1/2")
SUPCL = ("supcl-optimum", *SMALL, "--alpha", "3/4")


@pytest.fixture
def stored(cltheory: Any, tmp_path: Path) -> Path:
    """A certificate as the command writes it."""
    path = tmp_path / "optimum.json"
    code, _, err = cltheory("certify", *SUPCL, "--out", str(path))
    assert (code, err) == (0, "")
    return path


def test_a_derived_optimum_is_certified_without_torch(
    cltheory: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for loaded in [name for name in sys.modules if name.startswith("cltheory.numeric")]:
        monkeypatch.delitem(sys.modules, loaded)  # by other tests, with torch
    monkeypatch.setitem(sys.modules, "torch", None)
    code, out, err = cltheory("certify", *SUPCL)
    assert (code, err) == (0, "")
    first, about = out.splitlines()
    assert about.startswith("SupCL loss") and about.endswith("tau = 1/2, alpha = 3/4")
    digits = cltheory("derive", *SUPCL, "--format", "json", "--digits", "25").out
    assert json.loads(digits)["quantities"]["loss"]["value"][:24] in first
    assert gap_of(out) < 1e-28 and first.endswith("above its minimum  [interval]")


def gap_of(out: str) -> float:
    """What is said first: ``loss L, at most GAP above ...``."""
    return float(out.partition("at most ")[2].split()[0])


def test_what_is_written_is_replayed_to_the_same_words(cltheory: Any, stored: Path) -> None:
    assert cltheory("certify", str(stored)).out == cltheory("certify", *SUPCL).out


@pytest.mark.parametrize(
    "words",
    [
        (*SUPCL, "--search"),
        ("phases", "--loss", "supcon", *SMALL, "--search", "--seed", "3", "--d", "9"),
        ("infonce-optimum", "--N", "3", "--t", "2"),
    ],
)
def test_embeddings_that_were_found_are_certified(cltheory: Any, words: tuple[str, ...]) -> None:
    pytest.importorskip("torch")
    code, out, err = cltheory("certify", *words)
    assert (code, err) == (0, "")
    assert 0 < gap_of(out) < 1e-9  # rounding of 16 digits, not 40


def test_a_search_in_too_few_dimensions_ends_far_above(cltheory: Any) -> None:
    pytest.importorskip("torch")
    code, out, _ = cltheory(
        "certify", "supcl-optimum", "--m", "3", *SUPCL[3:], "--search", "--d", "1"
    )
    assert code == 0
    assert gap_of(out) > 0.1


CHANGES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "a gap that is not proved": lambda f: f["claim"].update(gap="1e-40"),
    "another loss": lambda f: f["claim"].update(loss="1.5"),
    "another temperature": lambda f: f["loss"].update(temperature="1/3"),
    "no claim": lambda f: f.pop("claim"),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("style", ["text", "json"])
def test_what_is_not_proved_is_exit_1(cltheory: Any, stored: Path, change: str, style: str) -> None:
    file = json.loads(stored.read_text(encoding="utf-8"))
    CHANGES[change](file)
    stored.write_text(json.dumps(file), encoding="utf-8")
    code, out, err = cltheory("certify", str(stored), "--format", style)
    assert code == 1
    if style == "json":
        assert set(json.loads(out)) == {"version", "certificate", "refused"} and err == ""
    else:
        assert out == "" and err.count("\n") == 1 and "refused" in err
    theorem = stored.with_name("mine.v")
    assert cltheory("certify", str(stored), "--rocq", str(theorem))[0] == 1
    assert not theorem.exists()


def test_no_theorem_is_written_of_an_easier_problem_under_the_name_of_another(
    cltheory: Any, stored: Path
) -> None:
    file = json.loads(stored.read_text(encoding="utf-8"))
    theorem = stored.with_name("mine.v")
    for change in (
        {"title": "SimCLR (NT-Xent) loss"},
        {"parameters": file["parameters"] | {"tau": "1/3"}},
    ):
        stored.write_text(json.dumps(file | change), encoding="utf-8")
        code, _, err = cltheory("certify", str(stored), "--rocq", str(theorem))
        assert code == 2 and "not about the loss that its title names" in err
        assert not theorem.exists()
    stored.write_text("[]", encoding="utf-8")
    assert cltheory("certify", str(stored), "--rocq", str(theorem))[0] == 1


@pytest.mark.parametrize(
    "change",
    [
        {"parameters": {"tau": "1/100"}},
        {"parameters": {"m": "2", "n": "2", "p": "2", "tau": "1/3", "alpha": "3/4"}},
        {"parameters": {"m": "2", "n": "2", "p": "2", "tau": "nonsense", "alpha": "3/4"}},
        {"parameters": 3},
        {"title": "SimCLR (NT-Xent) loss"},
        {"title": "\x1b[31m"},
    ],
)
def test_a_name_that_the_loss_has_not_is_not_told(
    cltheory: Any, stored: Path, change: dict[str, Any]
) -> None:
    # The replay proves something of the loss that is written out: no other name is given to it.
    file = json.loads(stored.read_text(encoding="utf-8")) | change
    stored.write_text(json.dumps(file), encoding="utf-8")
    code, out, err = cltheory("certify", str(stored))
    assert (code, err) == (0, "")
    assert f"on points [2, 2, 2] with the relations {json.dumps(file['pattern'])}, of" in out
    assert out.splitlines()[1].startswith('the loss {"kind": "softmax", "temperature": "1/2"')
    assert "of no known name" in out and "1/100" not in out and "\x1b" not in out


SIZED = ("supcon-imbalanced", "--sizes", "2,3", "--tau", "1/2")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({}, "at sizes = 2,3, tau = 1/2"),
        ({"sizes": "3,2"}, "at sizes = 3,2, tau = 1/2"),  # the same classes in another order
        ({"sizes": "2,2"}, "was not confirmed"),
        ({"sizes": "2,4"}, "was not confirmed"),
        ({"sizes": "2,x"}, "was not confirmed"),
        ({"sizes": 3}, "was not confirmed"),
        ({"tau": "1/3"}, "was not confirmed"),
        ({"C": "2"}, "was not confirmed"),
        (None, "was not confirmed"),
    ],
    ids=str,
)
def test_sizes_of_classes_stand_in_the_file_and_are_compared(
    cltheory: Any, tmp_path: Path, change: dict[str, Any] | None, told: str
) -> None:
    path = tmp_path / "sized.json"
    first = cltheory("certify", *SIZED, "--out", str(path)).out
    assert first == cltheory("certify", str(path)).out
    file = json.loads(path.read_text(encoding="utf-8"))
    file["parameters"] = {} if change is None else file["parameters"] | change
    path.write_text(json.dumps(file), encoding="utf-8")
    code, out, err = cltheory("certify", str(path))
    assert (code, err) == (0, "") and told in out.splitlines()[1]
    theorem = tmp_path / "mine.v"
    refused = cltheory("certify", str(path), "--rocq", str(theorem))[0]
    assert theorem.exists() is (refused == 0) is ("not confirmed" not in told)


@pytest.mark.parametrize("key", ["claim", "title", "gap"])
def test_a_key_that_stands_twice_is_refused(cltheory: Any, stored: Path, key: str) -> None:
    """A reader may take the first, which is not what is replayed."""
    text = stored.read_text(encoding="utf-8")
    stored.write_text(text.replace(f'"{key}":', f'"{key}": "0", "{key}":', 1), encoding="utf-8")
    code, out, err = cltheory("certify", str(stored))
    assert (code, out) == (2, "") and "a key stands twice" in err


def test_too_many_points_are_refused_in_a_short_line(cltheory: Any, stored: Path) -> None:
    file = json.loads(stored.read_text(encoding="utf-8"))
    file["axes"][0] = 10**4200
    stored.write_text(json.dumps(file), encoding="utf-8")
    code, out, err = cltheory("certify", str(stored))
    assert (code, out) == (1, "") and "more than 1000000000 points" in err and len(err) < 400


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[" * 100_000, b"1" * 10_000, b'{"a": NaN, "a": '],
    ids=repr,
)
def test_a_file_that_is_no_json_is_one_line(
    refused: Callable[..., str], tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "c.json"
    path.write_bytes(content)
    assert "not valid JSON" in refused("certify", str(path))


@pytest.mark.parametrize("content", ["[]", "null", "3", '"x"', "{}", '{"format": 3}'])
def test_json_that_is_no_certificate_is_refused(
    cltheory: Any, tmp_path: Path, content: str
) -> None:
    path = tmp_path / "c.json"
    path.write_text(content, encoding="utf-8")
    code, out, err = cltheory("certify", str(path))
    assert (code, out) == (1, "") and err.count("\n") == 1 and "not a file of the format" in err


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads all")
def test_files_that_may_not_be_read_or_written(
    refused: Callable[..., str], tmp_path: Path, stored: Path
) -> None:
    stored.chmod(0)
    assert "cannot be read" in refused("certify", str(stored))
    assert "--force" in refused("certify", *SUPCL, "--out", str(stored))


def test_a_search_without_torch_says_how_to_get_it(
    refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cltheory.cli.numeric_options.find_spec", lambda _: None)
    assert "cltheory[torch]" in refused("certify", *SUPCL, "--search")


def test_the_bracket_in_the_dimension_of_the_embeddings(cltheory: Any) -> None:
    pytest.importorskip("torch")
    words = ("simclr", "--n", "9", "--p", "2", "--tau", "1/5", "--search", "--dim", "2")
    found = json.loads(cltheory("certify", *words, "--format", "json")[1])
    assert found["loss_at_least_by"] == "uniform" and found["loss_at_least_evidence"] == "argued"
    assert float(found["loss"]) - float(found["gap"]) < float(found["loss_at_least"])
    assert float(found["loss_at_least"]) < float(found["loss"])
    below, left = cltheory("certify", *words)[1].splitlines()[2:4]
    assert float(below.split()[-2]) <= float(found["loss_at_least"])
    left = left.removesuffix("  [argued in words, not published]")
    assert float(below.split()[-2]) + float(left.split()[-1]) >= float(found["loss"])
    assert "loss_at_least" not in cltheory("certify", *words[:-2], "--format", "json")[1]
