"""Bad input ends in one line that says what is accepted, exit 2, and nothing evaluated."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Refused = Callable[..., str]

PROBLEMS = Path(__file__).resolve().parents[2] / "docs/problems"

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


#: What commands refuse, and part of the line that says why.
OPTIONS = {
    "--seeds ''": "--seeds takes",
    "--seeds -1": "--seeds takes",
    "--seeds 1,1": "repeats",
    "--device nope": "--device takes auto",
    "--device cuda:99": "CUDA devices",
    "--dtype int8": "float64",
}
RENAMED = "--latex - supcl-threshold --rename"
AT = "--dim 4 --tau 1"
REFUSED = {
    "": {
        "nope": "no such command",
        "supcl-threshold": "'cltheory show supcl-threshold' shows that result; there are",
        "show supcl": "(did you mean 'supcl-optimum' or 'supcl-threshold' or 'supcl-batches'?)",
        "show siglip": "'cltheory derive phases --loss siglip' is about that loss",
        "advise supcl": "such as --loss supcl; there are supcl, supcon, simclr, clip, siglip",
        "explain --value 1 --convention openclip": "(did you mean 'open-clip'?)",
        "export --rocq - --python - ssem": "--rocq and --python both write standard output",
        "diagnose x.npz --set c": "--set takes NAME=VALUE, such as c=1/2, not 'c'",
        "new-theorem": "Missing argument 'ID'\n",
        "--nope": "nope",
        "freeze --loss gone.toml": "gone.toml: it cannot be read: No such file or directory\n",
        "list qqq": "no result mentions 'qqq'",
        "list byol": "docs/problem-files.md",
        "show ssem more": "unexpected",
        "claims nope": "lee2025ssem",
        "claims lee2024": "(did you mean 'lee2024sigmoid'?); accepted: lee2025ssem, ",
        "dervie ssem": "(did you mean 'derive'?); there are list, ",
    },
    "derive": {
        "": "Missing argument",
        "nope": "'cltheory list' lists all, 'cltheory list nope' searches",
        f'"{CODE}"': "no result is called",
        "../results/ssem": "no result is called",
        "supcl-threshhold": "(did you mean 'supcl-threshold' or ",
        "ssem --M 3": "(did you mean 'm'?); it takes m, n, p, delta",
        "pairwise-threshold --loss squared_hinge": "(did you mean 'squared-hinge'?); there are ",
        "ssem --bogus 3": "it takes m, n, p, delta",
        "ssem --m": "--m needs a value",
        "ssem --m 3 --m 4": "given twice",
        "ssem --digits 0": "1<=x",
        "ssem --format nope": "'markdown'",
        "ssem --m 2 --n 2 --delta 2": "delta must be in",
        "spectral-band --epsilon 1/2 --rho 3": "rho must be in",
        "softmax-smoothness --N 1": "the softmax of one logit is constant",
        "supcon-imbalanced --sizes 2,1 --tau 1": "a sample alone in its class",
        "supcon-imbalanced --sizes 3 --tau 1": "two classes or more",
        "supcon-imbalanced --sizes 2,3/2": "must be an integer",
        "soft-supcon --sizes 1,1": "two samples",
        "dgp-euclidean --D 0,1;2,0 --q 1": "D is not symmetric",
        "spectral-clustering --pi 0,-1;-1,0": "each of pi must be >= 0, not -1",
        "mrf --pi 0,1;0,0": "row 2 is all zero",
        f"mrf --pi {5000 * '0,'}0;1": "the rows have different lengths",
        "spectral-clustering --pi 0,1,1;1,0,1;1,1,0 --Z 1;1": "Z has 2 rows, and pi is for 3",
        "spectral-clustering --Z 1,0;0,1;-1,0": "give pi as well",
        "supcl-threshold --convention supcontrast": "another loss",
        "ssem --convention clip": "about no loss",
        "ssem --m 3 --n 4 --delta 5": "not 5: the end is 1.10554 here",
        "effective-rank --convention clip": "about no loss",
        "gradient-identity --convention clip": "the loss of one anchor",
        "sigmoid-optimum --convention siglap": "'siglip', 'clip', 'open-clip', 'supcontrast', 'sim",
        "gone.toml": "cltheory: gone.toml: it cannot be read: No such file or directory\n",
        f"{PROBLEMS}/towers": "towers.toml for the loss in that file",
        f"phases --loss {PROBLEMS}/towers": "towers.toml for the loss in that file",
        "sigmoid-optimum --format latex --standalone": "--standalone needs --format latex --proof",
        "sigmoid-optimum --proof --standalone": "--standalone needs --format latex --proof",
        "sigmoid-optimum --format latex --proof --convention siglip": "omit --convention",
        "sigmoid-optimum --proof --brief": "exclude each other",
    },
    "export": {
        "": "--latex, --proofs, --bib, --python, --javascript, --rocq FILE",
        "--latex - --python -": "standard output",
        "--latex x.tex --bib x.tex": "x.tex",
        "--bib - --rename tau=T": "--rename needs --latex, --proofs, --python or",
        "--python - --rename tau=T_{0} ssem": "no symbol is called 'tau'",
        r"--javascript - --rename 'delta=\tilde{d}' ssem": "cannot be a name in text",
        "--python - --rename delta=exp supcl-optimum": "no symbol is called 'delta'",
        "--python - --rename tau=exp supcl-optimum": "stands for something else",
        f"{RENAMED} tau": "SYMBOL=NAME",
        f"{RENAMED} q=x": "no symbol is called 'q'; there are m, n",
        f"{RENAMED} tau=n": "two symbols of supcl-threshold would be called n",
        rf"{RENAMED} 'm=\alpha_{{\min}}'": "taken",
        "--latex - no-such-result": "no result is called",
        "--latex - supcl-threshold --q 3": "has a parameter q",
        "--latex - supcl-threshold --m 3/2": "m must be an integer >= 2",
        "--python - supcl-threshold --m 10": "need --latex or --proofs",
        "--latex no/such/folder/x.tex ssem": "does not exist",
        "--python a.py --proofs ./a.py ssem": "--python and --proofs both write ./a.py",
        "--latex - --loss gone": "no result is called 'gone'",
        "--rocq my-file.v dcl": "not a name for Rocq",
        "--rocq mine.txt dcl": "ends in .v",
    },
    "certify": {
        "": "ID|FILE.json",
        "supcl-optimm": "no result is called",
        "ssem": "there is nothing to certify",
        "kernel-infonce": "a loss that need not be convex in the Gram matrix",
        "kernel-concatenation": "declares no loss on a structure",
        "supcl-batches": "which is not certified",
        "minority-collapse --l1 12 --r 5": "any number of classes",
        "simclr --n oo --p 2 --tau 1": "finite",
        "simclr --n 1001 --p 2 --tau 1": "2002 points",
        "pairwise-threshold --loss distance-margin --N 3": "cannot be certified",
        "supcl-optimum --m 2 --n 2 --p 2 --tau 1/2 --alpha 3/4 --out no/c.json": "does not exist",
        "nowhere.json": "the file 'nowhere.json' does not exist",
    },
    "realize": {
        AT: "give --labels, --sizes or --weights",
        f"--sizes 3,3 --weights W.npy {AT}": "exclude each other",
        f"--sizes 3,3 {AT}": "give --scheme",
        "--scheme supcon --sizes 3,3 --dim 4": "need --tau",
        "--scheme supcon --sizes 3,3 --dim 4 --tau 1/0": "positive number",
        "--scheme supcon --sizes 3,3 --dim 4 --tau 1e-9": "at least",
        f"--scheme supcon --sizes 3,0 {AT}": "takes the samples of each class",
        f"--scheme supcon --sizes 3,3 {AT} --epsilon 0.1": "applies only to --scheme soft-supcon",
        f"--scheme soft-supcon --sizes 3,3 {AT}": "needs --epsilon",
        f"--scheme x-clr --labels y.csv {AT}": "needs --tau-prime",
        f"--scheme euclidean --labels y.csv {AT}": "no temperature",
        f"--scheme y-aware --sizes 3,3 {AT}": "takes --labels",
        f"--scheme y-aware --labels y.csv --column a {AT}": "--column",
        f"--scheme supcon --sizes 3,3 {AT} --tolerance 5": "--tolerance",
    },
    "attack": {
        "": "Missing argument 'ID'",
        "nothing": "no result is called 'nothing'",
        "ssem": "ssem has no bounds; results on the gradient and its spectrum have them",
        "spectral-band --n 3,5": "(n even, 4 or more)",
    },
    "attack softmax-smoothness": {
        "--quantity nothing": "has no nothing; its bounds are",
        "--seeds x": "--seeds takes whole numbers from 0 to 999999999, such as 3,4,6 or 3-6",
        "--seeds 0-1000000": "at most 1000 of them",
        "--n 2": "no size among those given",
        "--out nowhere/best.json": "the folder nowhere does not exist",
        "--replay best.json --quantity upper": "--replay takes the bound",
        "--replay best.json --table t.csv": "no --quantity, --set, --out or --table",
        "--replay none.json": "does not exist",
        "--table t.csv --out t.csv": "--out and --table both write t.csv",
        "--workers 2 --scheduler tcp://a:1": "exclude each other",
        "--device tpu": "--device takes",
        "--set N=1": "N is computed from the configuration",
    },
    "advise --loss": {
        "supcom": "advise knows no loss 'supcom' (did you mean 'supcon'?); there are supcl, ",
        "supcl": "give --classes",
        "supcl --classes 10 --alpha 2": "--alpha must be a number from 0 to 1, not 2",
        "supcl --classes 10 --views 1 --convention supcontrast": "--views must be an integer >= 2",
        "supcl --classes 10 --convention lightly": "there are paper, supcontrast, pytorch-metric-",
        "supcon --classes 10 --convention solo-learn": "is another loss",
        "supcl --classes 10 --per-class 5 --batch 100": "more than the 50 images there are",
        "supcl --classes 10 --sampling balanced": "--sampling is uniform, balanced:K",
        "supcl --classes 10 --sampling balanced:7": "7 images of each class do not fill 256",
        "supcl --classes 4 --batch 64 --sampling balanced:2": "32 classes of 2 is more than the",
        "supcl --classes 10 --alone x": "--alone must be one of attraction, term, renormalise",
        "supcl --sizes 5,4,3": "no result about supcl takes --sizes; there is one about supcon",
        "supcon --sizes 5,a": "--sizes: 'a' is not a number",
        "supcon --sizes 5,5,5": "three or more that are not all equal; else use --classes",
        "supcon --sizes 5,4,3 --classes 3": "omit --classes",
        "clip --alpha 0.5": "clip has no --alpha; it takes --accumulate, ",
        "clip --alone skip": "nothing that is known of clip here depends on --alone: omit it",
        "siglip --sampling all": "depends on --sampling: omit it",
        "clip --t 10 --tau 0.1": "--t and --tau both give the temperature: t is 1/tau",
    },
    "explain": {
        "": "or --value to search all of them",
        "supcom": "(did you mean 'supcon'?); there are ",
        "--lp -x": "a loss is two functions: give both lp",
        "hinge --lp -x --ln x": "a loss by name excludes lp and ln",
        "--lp -x --ln os.x": "ln: 'os.x' is not an expression",
        "--lp x --ln x": "x is not decreasing",
        "--lp 1/x --ln x": "1/x has a pole at x = 0",
        "--lp exp(-999*x) --ln x": "the loss is too large for a number at random",
        "--lp -x --ln x --convention paper": "--convention is for losses with a name",
        "supcon --batch x": "cltheory: --batch: 'x' is not a number",
        "--value nan": "--value: 'nan' is not a number",
    },
    "verify": {
        "minority-collapse --l1 12 --r 5": "any number of classes",
        "gradient-identity": "there is nothing to train for\n",
        "spectral-band": "nothing to train for; what tries to break its bounds is cltheory attack ",
        "supcl-threshold --d 0": "x>=1",
        "supcl-threshold --n oo": "finite",
        "supcl-threshold --bogus 1": "no parameter bogus",
    },
    "verify ssem": OPTIONS,
    "new-theorem --to new": {
        "ssem": "the result 'ssem' already exists",
        "My_Theorem": "is not lower-case words with hyphens",
        "../x": "is not lower-case words with hyphens",
        "a --family none": "is not one of",
    },
    "new-paper --to new": {
        "lee2025ssem": "the paper 'lee2025ssem' already exists",
        "doe": "is not a name, a year and a word",
        "'doe2030\nimport os'": "is not a name, a year and a word",
    },
    "figure ssem-fig2": {
        **OPTIONS,
        "--grid 1x5": "--grid takes",
        "--d 0": "x>=1",
        "--tolerance nan": "not a number",
        "--out nowhere/figure.png": "does not exist",
        "--out .": "directory",
        "--table ./ssem-fig2.png": "--out and --table both write ssem-fig2.png",
        "--width wide": "'wide' is not a width: use one-column, two-column, or 2 to 20 inches",
        "--style ggplott": "did you mean 'ggplot'",
        "--style https://example.invalid/a.mplstyle": "does not exist",
        "--caption nowhere/fig.tex": "does not exist",
    },
    "figure phases": {
        "--loss nope": "nope",
        "--loss simclr": "needs two parameters of simclr",
        "--loss supcl --x-range 0:2": "alpha must be",
        "--loss supcl --points 1": "--points takes",
        "--loss supcl --x alpha --alpha 1/2": "alpha is on an axis",
        f"--loss {PROBLEMS}/superclasses.toml": "alpha and beta depend on each other",
    },
    "figure": {
        "ccem-fig2 --m 3": "--m",
        "ccem-fig2 --N 4 --t 1,2": "two or more numbers of items",
        "ccem-fig2 --N 1,4": "from 2 to 9999",
        "ccem-fig2 --t 0,1": "--t takes numbers above",
        "ccem-fig2 --t 1:0": "LOW:HIGH:COUNT",
        "band-fig1 --tau 0": "--tau takes numbers",
        "band-fig1 --lambda1 1/d,2": "--lambda1 takes numbers",
        "band-fig1 --lambda1 1/d,1/d": "repeats",
        "band-fig2 --tau 0.1,0.2": "at least three temperatures",
        "band-fig2 --lambda1 2": "range",
        "imbalance-fig4 --sizes 1,2": "two or more classes of two or more samples",
        "imbalance-fig4 --sizes 2,x": "--sizes takes the samples",
        "imbalance-fig4 --sizes 2,2 --sizes 2,2,2": "same number of classes",
        "imbalance-fig4 --tau cold": "--tau",
    },
    "figure spectral-fig3 --seeds 0 --n 2 --k 5 --p 0.9 --q 0.2": {
        "--p 1.5": "p is a probability, from 0 to 1",
        "--p open(1)": "--p takes probabilities",
        "--p 1,0.5": "--p has 2 values and --q 1",
        "--n 100 --k 1000": "too large: 4000 at most",
        "--lr 0": "the learning rate must be a positive number",
        "--tau -1": "tau must be a positive number",
        "--d 0": "--d takes whole numbers from 1 to 64",
        "--d 11": "must be from 1 to 9",
        "--d 1 --sphere": "must be from 2 to 9",
        "--p 0 --q 0": "seed 0: vertex 0 has no edge",
        "--lr 1e200 --iterations 5": "diverged with learning rate 1e+200",
    },
}
CASES = {f"{k} {more}": says for k, rows in REFUSED.items() for more, says in rows.items()}
NEEDS = {"certify": "flint", "verify": "torch", "attack": "torch", "figure": "matplotlib"}


@pytest.mark.parametrize("words, says", CASES.items(), ids=[words[:60] for words in CASES])
def test_one_line_says_what_is_accepted(
    refused: Refused, here: Path, words: str, says: str
) -> None:
    command, *more = shlex.split(words)
    if command == "figure":
        pytest.importorskip("torch")
    pytest.importorskip(NEEDS.get(command, "cltheory"))
    assert says.lower() in refused(command, *more).lower()
    assert not list(here.iterdir())


def test_a_value_that_begins_with_a_minus_is_a_value(cltheory: Any, refused: Refused) -> None:
    # The h of -tanh is no request for help.
    assert "tanh" not in refused("derive", "pairwise-threshold", "--lp", "-tanh(x)", "--ln", "x")
    split = cltheory("derive", "sigmoid-threshold", "--N", "8", "--t", "1", "--b", "-1/2")
    assert split == cltheory("derive", "sigmoid-threshold", "--N=8", "--t=1", "--b=-1/2")
    assert split.code == 0


def test_parameters_may_come_before_the_id(cltheory: Any) -> None:
    assert cltheory("derive", "--m", "3", "ssem") == cltheory("derive", "ssem", "--m", "3")


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
