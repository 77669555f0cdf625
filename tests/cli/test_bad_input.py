"""Bad input ends in one line that says what is accepted, exit 2, and nothing evaluated."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Refused = Callable[..., str]

PROBLEMS = Path(__file__).resolve().parents[2] / "docs/problems"
GRAPH = "spectral-fig3 --seeds 0 --n 2 --k 5 --p 0.9 --q 0.2"

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
    ("words", "says"),
    [
        ("ssem-fig2 --grid 1x5", "--grid takes"),
        ("ssem-fig2 --d 0", "x>=1"),
        ("ssem-fig2 --tolerance nan", "not a number"),
        ("ssem-fig2 --out nowhere/figure.png", "does not exist"),
        ("ssem-fig2 --out .", "directory"),
        ("ssem-fig2 --table ./ssem-fig2.png", "would replace its table"),
        ("ssem-fig2 --width wide", "'wide' is not a width: use one-column, two-column, or 2 to 20"),
        ("ssem-fig2 --style ggplott", "did you mean 'ggplot'"),
        ("ssem-fig2 --style https://example.invalid/a.mplstyle", "does not exist"),
        ("ssem-fig2 --caption nowhere/fig.tex", "does not exist"),
        ("phases --loss nope", "nope"),
        ("phases --loss simclr", "needs two parameters of simclr"),
        ("phases --loss supcl --x-range 0:2", "alpha must be"),
        ("phases --loss supcl --points 1", "--points takes"),
        ("phases --loss supcl --x alpha --alpha 1/2", "alpha is on an axis"),
        (f"phases --loss {PROBLEMS}/superclasses.toml", "alpha and beta depend on each other"),
        ("ccem-fig2 --m 3", "--m"),
        ("ccem-fig2 --N 4 --t 1,2", "two or more numbers of items"),
        ("ccem-fig2 --N 1,4", "from 2 to 9999"),
        ("ccem-fig2 --t 0,1", "--t takes numbers above"),
        ("ccem-fig2 --t 1:0", "LOW:HIGH:COUNT"),
        ("band-fig1 --tau 0", "--tau takes numbers"),
        ("band-fig1 --lambda1 1/d,2", "--lambda1 takes numbers"),
        ("band-fig1 --lambda1 1/d,1/d", "repeats"),
        ("band-fig2 --tau 0.1,0.2", "at least three temperatures"),
        ("band-fig2 --cosine 2", "range"),
        ("imbalance-fig4 --sizes 1,2", "two or more classes of two or more samples"),
        ("imbalance-fig4 --sizes 2,x", "--sizes takes the samples"),
        ("imbalance-fig4 --sizes 2,2 --sizes 2,2,2", "same number of classes"),
        ("imbalance-fig4 --tau cold", "--tau"),
        (f"{GRAPH} --p 1.5", "p is a probability, from 0 to 1"),
        (f"{GRAPH} --p __import__('os')", "--p takes probabilities"),
        (f"{GRAPH} --p 1,0.5", "--p has 2 values and --q 1"),
        (f"{GRAPH} --n 100 --k 1000", "too large: 4000 at most"),
        (f"{GRAPH} --lr 0", "the learning rate must be a positive number"),
        (f"{GRAPH} --tau -1", "tau must be a positive number"),
        (f"{GRAPH} --d 0", "--d takes whole numbers from 1 to 64"),
        (f"{GRAPH} --d 11", "must be from 1 to 9"),
        (f"{GRAPH} --d 1 --sphere", "must be from 2 to 9"),
        (f"{GRAPH} --p 0 --q 0", "seed 0: vertex 0 has no edge"),
        (f"{GRAPH} --lr 1e200 --iterations 5", "diverged with learning rate 1e+200"),
    ],
)
def test_figure_options(
    refused: Refused, monkeypatch: pytest.MonkeyPatch, tmp_path: Any, words: str, says: str
) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    assert says in refused("figure", *words.split())
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
