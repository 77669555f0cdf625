"""``cltheory derive`` in all formats, and the numbers it prints."""

from __future__ import annotations

import ast
import inspect
import json
import re
import sys
from pathlib import Path
from typing import Any

import jsonschema
import mpmath
import pytest
from cltheory.derive.decide.domain import DomainError
from cltheory.derive.papers.verdict import WORDS
from cltheory.derive.results import results
from cltheory.derive.theorem.kinds import Kind
from cltheory.derive.theorem.result import Result
from cltheory.derive.write.report import _denied

IDS = list(results)
SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs/schema/derive.json").read_text(encoding="utf-8")
)


def witness(id: str) -> dict[str, str]:
    """A point inside the domain of a result."""
    r = results[id]
    return {s.name: str(r.domain.witness[s]) for s in r.parameters}


def options(point: dict[str, str]) -> list[str]:
    return [word for k, v in point.items() for word in (f"--{k}", v)]


def report(cltheory: Any, *args: str) -> dict[str, Any]:
    code, out, err = cltheory("derive", *args, "--format", "json")
    assert (code, err) == (0, "")
    found: dict[str, Any] = json.loads(out)
    return found


# --- formats -----------------------------------------------------------------------------------
@pytest.mark.sample(20)
@pytest.mark.parametrize("id", IDS)
@pytest.mark.parametrize("given", [False, True], ids=["symbolic", "at a point"])
def test_json_follows_the_published_schema(cltheory: Any, id: str, given: bool) -> None:
    point = witness(id) if given else {}
    found = report(cltheory, id, *options(point))
    jsonschema.validate(found, SCHEMA)
    assert (found["id"], found["parameters"]) == (id, point)
    assert found["assumptions"] and found["steps"]
    quantities = asked(id, point).quantities
    assert list(found["quantities"]) == list(quantities)
    for name, q in found["quantities"].items():
        assert q["sympy"] and q["latex"]
        if quantities[name].kind is not Kind.NUMBER or quantities[name].names:
            continue
        assert q["value"] is None or isinstance(mpmath.mpmathify(_decimal(q["value"])), mpmath.mpf)
    assert all(step["title"] and step["sympy"] and step["latex"] for step in found["steps"])
    assert all(claim["verdict"] in WORDS for claim in found["claims"])


@pytest.mark.sample(12)
@pytest.mark.parametrize("id", IDS)
def test_one_name_is_one_root_in_all_quantities(cltheory: Any, id: str) -> None:
    """Symbolic, and with the first parameters put in, which reorders what is alike."""
    point = options(witness(id))
    for some in ([], point[: len(point) // 4 * 2]):
        code, out, _ = cltheory("derive", id, *some, "--format", "json")
        seen: dict[str, str] = {}
        for q in json.loads(out)["quantities"].values() if code == 0 else ():
            for part in (q["condition"] or "").split("; "):
                if " solves " in part:
                    name = part.partition(" ")[0]
                    assert seen.setdefault(name, part) == part


def test_the_schema_refuses_what_it_does_not_promise(cltheory: Any) -> None:
    found = report(cltheory, "variance-bound")
    for wrong in (
        {"version": 2},
        {"schema": 2},
        {"evidence": "certain"},
        {"steps": [{}]},
        {"more": 1},
    ):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(found | wrong, SCHEMA)


def asked(id: str, point: dict[str, str]) -> Result:
    """The result that the command line answers from: some put values in before they derive."""
    r = results[id]
    return r.with_inputs(at=point) if r.at_values and point else r


def _decimal(text: str) -> str:
    return text.replace("oo", "inf")


@pytest.mark.sample(20)
@pytest.mark.parametrize("id", IDS)
def test_text_tells_everything(cltheory: Any, id: str) -> None:
    code, out, err = cltheory("derive", id, "--proof", "--all")
    assert (code, err) == (0, "")
    r = results[id]
    assert out.startswith(f"{id}: {r.title}\n")
    answer, _, derivation = out.partition("\nDerivation")
    assert all(re.search(rf"\n  (    )?{name}[ :]", answer) for name in r.quantities)
    flat = " ".join(derivation.split())
    for step in r.derivation:
        assert " ".join(f"{step.title} [{step.evidence.grade}]".split()) in flat
    assert ("(--claims lists them)" in " ".join(answer.split())) == bool(r.claims)
    assert "\x1b" not in out
    short = cltheory("derive", id).out
    assert short.splitlines()[:1] == out.splitlines()[:1] and "\nDerivation" not in short
    assert f"{len(r.derivation)} checked steps (--proof prints them)" in " ".join(short.split())


@pytest.mark.sample(20)
@pytest.mark.net(13)  # one in three of them in the slow run: no style and no point is left out
@pytest.mark.parametrize("id", IDS)
@pytest.mark.parametrize("style", ["latex", "markdown"])
@pytest.mark.parametrize("given", [False, True], ids=["symbolic", "at a point"])
def test_markup_is_balanced(cltheory: Any, id: str, style: str, given: bool) -> None:
    point = witness(id) if given else {}
    code, out, err = cltheory("derive", id, *options(point), "--format", style, "--all")
    assert (code, err) == (0, "")
    assert results[id].title in out
    depth = 0
    for before, character in zip(" " + out, out, strict=False):
        if before != "\\":
            depth += {"{": 1, "}": -1}.get(character, 0)
        assert depth >= 0
    assert depth == 0
    assert out.count(r"\begin{") == out.count(r"\end{")
    assert out.count(r"\left") == out.count(r"\right") + out.count(r"\leftarrow")
    assert out.count("$$") % 2 == 0
    if style == "latex":
        rows = re.sub(r"\\begin\{aligned\}.*?\\end\{aligned\}", "", out, flags=re.DOTALL)
        rows = rows.partition(r"\end{align}")[0]
        relation = r"&(?:[=:<>]|\\(?:iff|le|ge|in)\b)|\\[lg]e \{\} &"
        assert len(re.findall(relation, rows)) == len(asked(id, point).quantities)


# --- Python output -------------------------------------------------------------------------
def module(source: str) -> dict[str, Any]:
    """Run a written module, which may import numpy only."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            name = node.module if isinstance(node, ast.ImportFrom) else node.names[0].name
            assert name == "numpy" or name in sys.stdlib_module_names
    names: dict[str, Any] = {}
    exec(compile(source, "written", "exec"), names)
    return names


@pytest.mark.sample(20)
@pytest.mark.parametrize("id", IDS)
@pytest.mark.parametrize("given", [False, True], ids=["symbolic", "at a point"])
def test_python_output_agrees_with_the_values(
    cltheory: Any, request: pytest.FixtureRequest, id: str, given: bool
) -> None:
    point = witness(id)
    code, out, err = cltheory("derive", id, *options(point if given else {}), "--format", "python")
    assert (code, err) == (0, "")
    written = module(out)
    r = asked(id, point if given else {})
    numbers = {k: float(r.point(**{k: v}).popitem()[1]) for k, v in point.items()}
    compared = 0
    for name, quantity in r.quantities.items():
        if quantity.kind is not Kind.NUMBER or quantity.names:
            continue
        try:
            expected = r.value(name, **point)
        except DomainError:  # symbols beyond the parameters, or excluded there
            continue
        if not r.quantity(name).is_number:  # tests/derive/test_kinds.py
            continue
        if f"# Left out: {name}: " in out:  # it has no formula
            continue
        takes = inspect.signature(written[name]).parameters
        found = written[name](**{k: numbers[k] for k in takes})
        # float64, with roots by bisection
        assert float(found) == pytest.approx(float(expected), rel=1e-9, abs=1e-9), name
        compared += 1
    assert compared or id == "variance-bound"


# --- numbers -----------------------------------------------------------------------------------
def alpha_min(m: int, n: int, tau: str) -> mpmath.mpf:
    """The threshold, written out again."""
    heat = mpmath.exp(mpmath.mpf(m) / (m - 1) / mpmath.mpf(tau))
    return (m * n - 1 + heat) / (m * n - n + n * heat)


@pytest.mark.parametrize("digits", [3, 15, 30, 200])
def test_as_many_digits_as_asked_for(cltheory: Any, digits: int) -> None:
    point = {"m": "10", "n": "50", "tau": "0.1"}
    found = report(cltheory, "supcl-threshold", *options(point), "--digits", str(digits))
    text = found["quantities"]["alpha_min"]["value"]
    assert len(text.partition(".")[2].lstrip("0")) == digits
    with mpmath.workdps(digits + 10):
        expected = alpha_min(10, 50, "0.1")
        # half a unit in the last of ``digits`` digits
        assert abs(mpmath.mpf(text) / expected - 1) < mpmath.mpf(10) ** (1 - digits)


# --- conditions -------------------------------------------------------------------------------
@pytest.mark.parametrize("alpha", ["1/10", "0.05", "0"])
def test_no_temperature_saves_a_small_alpha(cltheory: Any, alpha: str) -> None:
    given = ("supcl-threshold", "--m", "10", "--n", "10", "--alpha", alpha)
    q = report(cltheory, *given)["quantities"]["tau_max"]
    assert q["value"] is None
    code, out, err = cltheory("derive", *given)
    assert (code, err) == (0, "")
    (line,) = [s for s in out.splitlines() if s.startswith("      tau_max:")]
    assert "no value" in line
    assert "collapse at every tau" in line
    source = cltheory("derive", *given, "--format", "python").out
    assert "tau_max" not in module(source)


def test_what_the_theorem_says_comes_before_its_formula(cltheory: Any) -> None:
    lines = cltheory("derive", "supcl-threshold", "--m", "10").out.splitlines()
    assert lines[2] == "  classes do not collapse iff alpha > alpha_min"
    assert lines[3].startswith("      alpha_min = (10*n - 1 + ") and len(lines) <= 40
    cases = cltheory("derive", "sigmoid-optimum", "--brief").out
    assert "regime = simplex if 4 - N + " in cases and "else between" in cases


@pytest.mark.parametrize("style", ["latex", "markdown"])
def test_latex_and_markdown_have_the_verdict_first_the_dimension_and_no_long_arrays(
    cltheory: Any, style: str
) -> None:
    sizes = ("--sizes", ",".join(["5"] * 30), "--epsilon", "0.1", "--tau", "0.2")
    at = ("derive", "soft-supcon", *sizes, "--brief", "--format", style)
    out = cltheory(*at).out
    assert "Dimension: $d \\ge 150$ suffices." in out and len(out) < 2500
    assert 0 < out.index("Unit vectors whose softmax") < out.index("Dimension") < out.index("beta")
    assert "an array of 30 x 30 numbers (all of them with --all)" in out
    assert "an array of" not in cltheory(*at, "--all").out


def test_what_is_longer_than_a_screen_is_named_and_left_to_all(cltheory: Any) -> None:
    out, whole = (cltheory("derive", "trace-update", *word).out for word in ((), ("--all",)))
    assert out == whole  # that is less than a screen and a half
    out, whole = (cltheory("derive", "effective-rank", *word).out for word in ((), ("--all",)))
    assert "  and 6 more (--all): sigma_hat_least .. mean_sigma_lower\n" in out
    left = [line for line in whole.splitlines() if line not in out.splitlines()]
    assert len(left) > 20 and left[0].startswith("  sigma_hat_least = ")


def test_what_is_denied_is_said_in_english() -> None:
    for said, denied in (
        ("classes do not collapse", "classes collapse"),
        ("all classes but one share a point", "not all classes but one share a point"),
        ("class means coincide", "class means do not coincide"),
        ("the simplex is optimal at some t", "the simplex is optimal at no t"),
        ("views vanish", "it is not true that views vanish"),
    ):
        assert _denied(said) == denied


def test_a_proof_is_written_on_request(cltheory: Any) -> None:
    out = cltheory("derive", "ssem", "--format", "latex", "--proof").out
    assert out.count(r"\begin{theorem}") == 1
    assert r"\documentclass" not in out
    assert "% In the preamble:" in out
    whole = cltheory("derive", "ssem", "--format", "latex", "--proof", "--standalone").out
    assert whole.startswith("% Written by cltheory")
    assert whole.rstrip().endswith(r"\end{document}")


@pytest.mark.parametrize("style", ["text", "latex", "markdown"])
def test_a_parameter_beside_its_bound_gets_an_answer(cltheory: Any, style: str) -> None:
    point = ("--m", "10", "--n", "50", "--alpha", "1/2", "--tau", "1/10")
    out = cltheory("derive", "supcl-threshold", *point, "--format", style, "--brief").out
    (said,) = (line for line in out.splitlines() if "lasses do not collapse: " in line)
    plain = said.replace("$", "")
    assert plain.count("0.480 above") == plain.count("0.356 below") == 1
    below = cltheory("derive", "supcl-threshold", *point[:4], "--alpha", "1/100", "--brief").out
    assert "classes collapse: " not in below  # alpha_min depends on tau, which is not given
    few = ("--m", "10", "--n", "50", "--alpha", "1/100", "--tau", "1/10", "--brief")
    assert (
        "classes collapse: alpha is 0.0101 below" in cltheory("derive", "supcl-threshold", *few).out
    )


def test_a_verdict_at_b_equal_t_is_not_given_elsewhere(cltheory: Any) -> None:
    """At t = 1 and b = 0 nothing is said about b = t, where the simplex is optimal later."""
    point = ("derive", "sigmoid-threshold", "--N", "10", "--t", "1", "--brief", "--b")
    _, apart, _ = cltheory(*point, "0")
    _, equal, _ = cltheory(*point, "1")
    assert "is optimal at b = t: " not in apart
    assert "the antipodal structure is optimal: " in apart
    assert "the simplex is not optimal at b = t: " in equal


@pytest.mark.parametrize("style", ["text", "json", "latex", "markdown"])
def test_a_number_too_long_to_write_out_leaves_the_others(cltheory: Any, style: str) -> None:
    """1999^2000 has more digits than Python writes: its decimal is said, and the rest is shown."""
    point = ("--gamma", "1/1000", "--tau", "1", "--n", "4", "--p", "2")
    code, out, _ = cltheory("derive", "kernel-infonce", *point, "--brief", "--format", style)
    assert code == 0
    assert "has a number of thousands of digits; it is 4.22268063145500e+6601" in out
    assert "1.16508461577194" in out


def test_a_condition_is_known_where_something_else_is_infinite(cltheory: Any) -> None:
    _, out, _ = cltheory("derive", "kernel-infonce", "--gamma", "1", "--n", "oo", "--brief")
    assert "positive_definite = True" in out
    _, out, _ = cltheory("derive", "kernel-infonce", "--gamma", "oo", "--brief")
    assert "positive_definite = False" in out
    assert "whether convex holds at gamma = oo is not known" in out


def test_a_limit_is_meant_inside_the_ranges_of_what_stays_symbolic(cltheory: Any) -> None:
    """At m = oo tau_max is 0 inside (1/n, 1) and oo at alpha = 1."""
    assert "for alpha in (1/n, 1]" in cltheory("derive", "supcl-threshold", "--brief").out
    out = cltheory("derive", "supcl-threshold", "--m", "oo", "--brief").out
    assert "for alpha in (1/n, 1)" in out and "1]" not in out
    at_end = cltheory("derive", "supcl-threshold", "--m", "oo", "--alpha", "1", "--brief").out
    assert "tau_max = oo" in at_end


def test_what_plays_no_role_is_said_in_a_line(cltheory: Any) -> None:
    code, out, err = cltheory("derive", "supcl-threshold", "--m", "10", "--p", "2", "--brief")
    assert code == 0
    assert err == "cltheory: p plays no role: supcl-threshold holds for every p\n"
    assert out == cltheory("derive", "supcl-threshold", "--m", "10", "--brief").out
    code, _, err = cltheory("derive", "supcl-threshold", "--p", "1/2")
    assert code == 2 and "p" in err


def test_a_symbol_is_renamed_in_what_is_typeset(cltheory: Any, refused: Any) -> None:
    at = ("derive", "supcl-threshold", "--m", "10", "--rename", "tau=T")
    for more in (["latex"], ["latex", "--proof"], ["markdown"], ["markdown", "--proof"], ["json"]):
        out = cltheory(*at, "--format", *more).out
        assert r"e^{10/(9 T)}" in out and not re.search(r"\\tau\b", out)
    proof = cltheory(*at, "--format", "markdown", "--proof").out.partition("## Printed claims")[0]
    assert (
        r"**Derivative of the loss in the Gram entry of one pair, by relation, times $T$**" in proof
    )
    assert not re.search(r"\btau\b", proof)
    plain = cltheory(*at[:-2], "--format", "latex").out
    renamed = cltheory(*at, "--format", "latex").out
    assert renamed == plain.replace(r"9 \tau", "9 T").replace(r"\tau", "T")
    assert "no symbol is called 'q'" in refused(*at[:-1], "q=T", "--format", "latex")
    for letter in "udD":  # of the anchor, the dimension, a set in the loss
        says = f"{letter} stands for something else in supcl-threshold"
        assert says in refused(*at[:-1], f"tau={letter}", "--format", "latex")
    other = cltheory("derive", "sigmoid-threshold", "--rename", "t=T", "--format", "latex").out
    assert not re.search(r"\bt_", other)  # in the sentence about dimensions neither


def test_markdown_has_a_sentence_and_an_equation_for_each_quantity(cltheory: Any) -> None:
    out = cltheory("derive", "supcl-threshold", "--m", "10", "--brief", "--format", "markdown").out
    said = r"**`tau_max`** Classes do not collapse iff $\tau < \tau_{\max}$"
    assert f"\n\n{said}\n\n$$\\tau_{{\\max}} = \\frac{{10}}{{9 " in out


@pytest.mark.parametrize("style", ["text", "python", "javascript"])
def test_a_symbol_is_renamed_in_text_and_code(cltheory: Any, refused: Any, style: str) -> None:
    """Two change places at once; names with it in them and what code is evaluated with stay."""
    at = ("derive", "supcl-threshold", "--proof", "--format", style, "--rename")
    out, plain = cltheory(*at, "tau=heat").out, cltheory(*at[:-1]).out
    assert not re.search(r"\btau\b", out) and "alpha_min_tau_0" in out
    assert re.sub(r"\bheat\b", "tau", out) == plain
    swapped = cltheory(*at, "m=n", "--rename", "n=m").out
    assert swapped.count("alpha") == plain.count("alpha") and swapped.split() != plain.split()
    if style != "text":  # a module says which values are put in
        named = cltheory(*at, "tau=heat", "--tau", "0.1").out.split("\n", 1)[0]
        assert "collapses classes with heat = 1/10 (supcl-threshold), written by" in named
        assert " with " not in plain.split("\n", 1)[0]
    assert "'tilde{m}' cannot be a name in text or code" in refused(*at, r"m=\tilde{m}")
    assert "alpha_min stands for something else" in refused(*at, "m=alpha_min")


def test_dim_of_a_result_in_one_dimension_less_than_classes(cltheory: Any, refused: Any) -> None:
    id = ("derive", "supcl-second-order", "--brief")
    assert "d = 9 is m - 1" in cltheory(*id, "--m", "10", "--dim", "9").out
    assert "with d = 9 about m = 10" in cltheory(*id, "--dim", "9").out
    assert "12 is more than 9: ask supcl-threshold" in refused(*id, "--m", "10", "--dim", "12")
    for m, d in (("10", "8"), ("oo", "8")):
        assert "so the simplex of classes does not exist" in refused(*id, "--m", m, "--dim", d)


def test_dim_gives_a_bound_for_kernels(cltheory: Any) -> None:
    words = ("--n", "5", "--p", "2", "--tau", "1", "--gamma", "1", "--dim", "3", "--format", "json")
    found = json.loads(cltheory("derive", "kernel-infonce", *words).out)["quantities"]
    assert found["loss_at_least"]["value"] == found["least_loss"]["value"]
    assert found["least_loss"]["dimension"] == {"least": "4", "sharp": False}


def test_dim_gives_the_best_bound_and_d_where_that_is_a_parameter(cltheory: Any) -> None:
    words = ("derive", "simclr", "--n", "300", "--p", "2", "--tau", "0.1")
    found = json.loads(cltheory(*words, "--dim", "3", "--format", "json")[1])
    assert found["parameters"]["d"] == "3"
    assert found["quantities"]["loss_at_least_by"]["value"] == "uniform"
    assert found["quantities"]["loss_at_least"]["dimension"] is None
    grades = {name: q["evidence"] for name, q in found["quantities"].items()}
    argued = ("loss_at_least", "loss_at_least_by")
    assert all(grade == ("argued" if k in argued else "exact") for k, grade in grades.items())
    assert found["evidence"] == "argued" and "loss" in grades
    brief = " ".join(cltheory(*words, "--dim", "3", "--brief").out.split())
    assert brief.endswith("loss_at_least_by: argued in words, not published; the rest: exact")
    bound = ("derive", "uniform-bound", "--n", "300", "--p", "2", "--tau", "0.1", "--dim", "3")
    same = json.loads(cltheory(*bound, "--format", "json")[1])["quantities"]
    value = same["loss_at_least_best_anchor_out"]["value"]
    assert found["quantities"]["loss_at_least"]["value"] == value
    assert "loss_at_least" not in cltheory(*words, "--format", "json")[1]
    code, _, err = cltheory(*bound, "--d", "4")
    assert (code, err) == (2, "cltheory: --d and --dim are the same here: give one\n")
