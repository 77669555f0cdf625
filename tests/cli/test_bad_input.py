"""Bad input ends in one line that says what is accepted, exit 2, and nothing evaluated."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest

Refused = Callable[..., str]

CODE = "__import__('os').system('true')"
VALUES = [
    ("--m", "1", "integer >= 2"),
    ("--m", "2.5", "integer >= 2"),
    ("--tau", "0", "> 0"),
    ("--m", "nan", "accepted"),
    ("--tau", "1/0", "divides by zero"),
    ("--tau", "sqrt(-1)", "not real"),
    ("--tau", "1e400000000", "too large"),
    ("--tau", "9**9**9**9", "too large"),
    ("--tau", "1" * 5000, "too long"),
    ("--tau", CODE, "accepted"),
    ("--tau", "sin(1)", "accepted"),
]


@pytest.mark.parametrize(
    "value", ["1e999999999", "1e-999999999", "1/1e999999999", "1e308", "1e-60"]
)
def test_a_number_is_bounded_before_it_is_formed(refused: Refused, value: str) -> None:
    for command in (("realize", "--scheme", "supcon"), ("diagnose", "z.npy")):
        assert "from 1e-50 to 1e+50" in refused(*command, f"--tau={value}")


@pytest.mark.parametrize("command", ["derive", "verify"])
@pytest.mark.parametrize(
    ("name", "value", "says"), VALUES, ids=[f"{n}={v[:12]}" for n, v, _ in VALUES]
)
def test_a_value_is_refused(
    refused: Refused, command: str, name: str, value: str, says: str
) -> None:
    if command == "verify":
        pytest.importorskip("torch")
    line = refused(command, "supcl-threshold", name, value)
    assert says in line
    assert name[2:] in line
    assert refused(command, "supcl-threshold", f"{name}={value}") == line


def test_code_is_not_run(refused: Refused, monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[Any] = []
    monkeypatch.setattr(os, "system", called.append)
    for command in ("derive", "verify"):
        if command == "verify":
            pytest.importorskip("torch")
        refused(command, "supcl-threshold", "--tau", CODE)
    assert not called


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["nope"], "No such command"),
        (["derive"], "Missing argument"),
        (["derive", "nope"], "'cltheory list' lists all, 'cltheory list WORD' searches"),
        (["show", "ssem", "more"], "unexpected"),
        (["claims", "nope"], "lee2025ssem"),
        (["derive", CODE], "no result is called"),
        (["derive", "../results/ssem"], "no result is called"),
        (["derive", "ssem", "--bogus", "3"], "it takes m, n, p, delta"),
        (["derive", "ssem", "--m"], "--m needs a value"),
        (["derive", "ssem", "--m", "3", "--m", "4"], "given twice"),
        (["derive", "ssem", "--digits", "0"], "1<=x"),
        (["derive", "ssem", "--format", "nope"], "'markdown'"),
        (["derive", "ssem", "--m", "2", "--n", "2", "--delta", "2"], "delta must be in"),
        (["derive", "spectral-band", "--epsilon", "1/2", "--rho", "3"], "rho must be in"),
        (["derive", "softmax-smoothness", "--N", "1"], "the softmax of one logit is constant"),
        (["--nope"], "nope"),
    ],
    ids=lambda v: " ".join(v)[:40] if isinstance(v, list) else "",
)
def test_one_line_says_what_is_accepted(refused: Refused, args: list[str], says: str) -> None:
    assert says.lower() in refused(*args).lower()


@pytest.mark.parametrize(
    ("args", "meant"),
    [
        (["dervie", "ssem"], "derive"),
        (["derive", "supcl-threshhold"], "supcl-threshold"),
        (["claims", "lee2024"], "lee2024sigmoid"),
        (["derive", "ssem", "--M", "3"], "m"),
        (["derive", "pairwise-threshold", "--loss", "squared_hinge"], "squared-hinge"),
    ],
    ids=lambda v: " ".join(v) if isinstance(v, list) else "",
)
def test_a_name_nearly_right_is_recognised(refused: Refused, args: list[str], meant: str) -> None:
    if args[0] == "verify":
        pytest.importorskip("torch")
    line = refused(*args)
    assert f"(did you mean {meant!r}" in line
    assert any(said in line for said in ("there are", "it takes", "accepted:", "lists all"))


def test_a_value_that_begins_with_a_minus_is_a_value(cltheory: Any, refused: Refused) -> None:
    # The h of -tanh is no request for help.
    assert "tanh" not in refused("derive", "pairwise-threshold", "--lp", "-tanh(x)", "--ln", "x")
    split = cltheory("derive", "sigmoid-threshold", "--N", "8", "--t", "1", "--b", "-1/2")
    assert split == cltheory("derive", "sigmoid-threshold", "--N=8", "--t=1", "--b=-1/2")
    assert split.code == 0


def test_parameters_may_come_before_the_id(cltheory: Any) -> None:
    assert cltheory("derive", "--m", "3", "ssem") == cltheory("derive", "ssem", "--m", "3")


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["--seeds", ""], "--seeds takes"),
        (["--seeds", "-1"], "--seeds takes"),
        (["--seeds", "1,1"], "repeats"),
        (["--device", "nope"], "--device takes auto"),
        (["--device", "cuda:99"], "CUDA devices"),
        (["--dtype", "int8"], "float64"),
    ],
    ids=lambda v: " ".join(v) if isinstance(v, list) else "",
)
@pytest.mark.parametrize(
    "command", [["verify", "ssem"], ["figure", "ssem-fig2"]], ids=lambda v: v[0]
)
def test_numeric_options(refused: Refused, command: list[str], args: list[str], says: str) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("matplotlib")
    assert says in refused(*command, *args)


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["--d", "0"], "x>=1"),
        (["--n", "oo"], "finite"),
        (["--bogus", "1"], "no parameter bogus"),
    ],
)
def test_verify_options(refused: Refused, args: list[str], says: str) -> None:
    pytest.importorskip("torch")
    assert says in refused("verify", "supcl-threshold", *args)


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["--grid", "1x5"], "--grid takes"),
        (["--d", "0"], "x>=1"),
        (["--tolerance", "nan"], "not a number"),
        (["--out", "nowhere/figure.png"], "does not exist"),
        (["--out", "."], "directory"),
    ],
    ids=lambda v: " ".join(v) if isinstance(v, list) else "",
)
def test_figure_options(
    refused: Refused, monkeypatch: pytest.MonkeyPatch, tmp_path: Any, args: list[str], says: str
) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    assert says in refused("figure", "ssem-fig2", *args)
    assert not list(tmp_path.iterdir())


def test_a_process_ends_the_same_way(process: Callable[..., Any]) -> None:
    code, out, err = process("derive", "supcl-threshold", "--m", "1")
    assert (code, out) == (2, "")
    assert err == "cltheory: m must be an integer >= 2, not 1\n"


def test_without_torch_one_line_says_how_to_get_it(
    refused: Refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cltheory.cli.numeric_options.find_spec", lambda _: None)
    assert "cltheory[torch]" in refused("verify", "ssem")
    assert "cltheory[torch]" in refused("figure", "ssem-fig2")


def test_without_matplotlib_one_line_says_how_to_get_it(
    refused: Refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    monkeypatch.setattr("cltheory.cli.figure_options.find_spec", lambda _: None)
    assert "cltheory[plot]" in refused("figure", "ssem-fig2")


@pytest.mark.parametrize("command", ["verify", "certify"])
def test_a_law_for_any_sizes_has_no_arrangement(refused: Refused, command: str) -> None:
    assert "any number of classes" in refused(
        command, "minority-collapse", "--l1", "12", "--r", "5"
    )
