"""JavaScript functions of quantities, run by node, against the exact values."""

from __future__ import annotations

import html
import json
import math
import os
import random
import re
import shutil
import subprocess
import warnings
from pathlib import Path
from typing import Any

import mpmath
import pytest
from cltheory.derive.decide.domain import POSITIVE, Domain, DomainError, at_least
from cltheory.derive.decide.root import argmin
from cltheory.derive.results import results
from cltheory.derive.theorem.kinds import Kind
from cltheory.derive.theorem.quantity import Quantity
from cltheory.derive.theorem.result import Result
from cltheory.derive.write.display import words
from cltheory.derive.write.javascript import javascript_source, to_javascript
from sympy import Interval, Matrix, Rational, S, Symbol, exp, oo

if shutil.which("node") is None and not os.environ.get("CI"):
    pytest.skip("node is not installed", allow_module_level=True)

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
BROWSER = next(filter(None, map(shutil.which, NAMES)), None)
#: Points are read from standard input, [function, arguments] each; what throws has its message.
READ = """
import * as module from %s;
let text = "";
for await (const part of process.stdin) text += part;
"""
EACH = """
const found = JSON.parse(text).map(([name, given]) => {
  try { return module[name](given); } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { error: error.message };
  }
});
const shown = (k, v) => typeof v === "number" && !Number.isFinite(v) ? { number: String(v) } : v;
"""
PAGE = """<pre></pre><script type="module">
%s
const module = { %s }, text = %s;
%s
document.querySelector("pre").textContent = JSON.stringify(found, shown);
</script>
"""
COUNTS = [2, 3, 4, 5, 9, 100]
#: As exact values and floats: moderate ones more often than extreme ones.
REALS = [Rational(k, 2) for k in (-3, -1, 0, 1, 2, 5)] * 3
REALS += [Rational(s * k, 2**e) for s in (1, -1) for k in (1, 3) for e in (2, 3, 5, 9, -3)]
Point = tuple[str, dict[str, Any]]


def run(source: str, points: list[Point], folder: Path) -> list[Any]:
    """What the functions of a module give."""
    (folder / "theory.mjs").write_text(source, encoding="utf-8")
    code = READ % json.dumps((folder / "theory.mjs").as_uri()) + EACH
    code += "console.log(JSON.stringify(found, shown));"
    done = subprocess.run(
        ["node", "--input-type=module", "-e", code],
        input=_asked(points),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return _told(done.stdout)


def run_in_browser(source: str, points: list[Point], folder: Path) -> list[Any]:
    """The same in a page of a browser without a window."""
    names = re.findall(r"^export function (\w+)", source, re.M)
    page = PAGE % (source, ", ".join(names), json.dumps(_asked(points)), EACH)
    (folder / "page.html").write_text(page, encoding="utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--dump-dom"]
    options += ["--disable-dev-shm-usage", f"--user-data-dir={folder / 'profile'}"]
    assert BROWSER is not None
    done = subprocess.run(
        [BROWSER, *options, "--virtual-time-budget=60000", (folder / "page.html").as_uri()],
        capture_output=True,
        text=True,
        timeout=300,
    )
    (text,) = re.findall("<pre>(.*)</pre>", done.stdout)
    return _told(html.unescape(text))


def _asked(points: list[Point]) -> str:
    return json.dumps([[name, {k: float(v) for k, v in at.items()}] for name, at in points])


def _told(text: str) -> list[Any]:
    def number(d: dict[str, Any]) -> Any:
        return float(d["number"].replace("inity", "")) if "number" in d else d

    found: list[Any] = json.loads(text, object_hook=number)
    return found


def drawn(id: str, many: int) -> list[tuple[Point, Any]]:
    """Points for every quantity, with the exact values; None outside of the domain."""
    result, draw, found = results[id], random.Random(id), []
    # What is derived anew at every point is not at large sizes.
    counts = COUNTS[:-1] if result.at_values else COUNTS
    for name, q in result.quantities.items():
        order = [s for s in result.parameters if s in q.expression.free_symbols]
        if q.kind not in (Kind.NUMBER, Kind.CONDITION) or words(q.expression) or not order:
            continue
        witness = [dict(result.domain.witness), *result.domain.points(min(many, 8))]
        witness = [at for at in witness if all(v == Rational(float(v)) for v in at.values())]
        for k in range(many):
            at = {s.name: draw.choice(counts if s.is_integer else REALS) for s in order}
            if k < len(witness):
                at = {s.name: witness[k][s] for s in order if s in witness[k]}
            try:
                value: Any = result.value(name, digits=20, **at)
            except DomainError:
                value = None
            found.append(((f"{id.replace('-', '_')}_{name}", at), value))
    return found


def wrong(value: Any, found: Any) -> bool:
    """Whether a function does not give a value, or gives one where there is none."""
    if value is None:
        return not (isinstance(found, dict) or math.isinf(found) or math.isnan(found))
    if isinstance(value, bool) or isinstance(found, (dict, bool)):
        return bool(value != found)
    exact = float(value)
    if math.isinf(exact) and not mpmath.isinf(value):
        return not math.isnan(found)  # no float is as large
    if math.isinf(exact) or math.isnan(found):
        return exact != found
    # What is at most 1e-28 may be 0, the least floats have no more digits.
    return not math.isclose(found, exact, rel_tol=1e-12, abs_tol=1e-28 if found == 0 else 1e-322)


def compared(id: str, many: int, folder: Path, run: Any = run) -> list[Any]:
    text = to_javascript([results[id]])
    # What has no formula is left out, and the module says so.
    points = [one for one in drawn(id, many) if f"// Left out: {one[0][0]}: " not in text]
    found = run(text, [point for point, _ in points], folder)
    return [
        (point, value, own)
        for (point, value), own in zip(points, found, strict=True)
        if wrong(value, own) and not _as_numpy(id, *point, value, own)
    ]


def _as_numpy(id: str, name: str, at: dict[str, Any], value: Any, own: Any) -> bool:
    """Whether the numpy function does the same where it may differ from the exact value.

    Neither knows a value where too much cancels or a condition holds with equality, and neither
    refuses what only symbols that the function does not take make inadmissible.
    """
    if value is not None and not (isinstance(own, float) and math.isnan(own)):
        return False
    function = results[id].function(name.removeprefix(f"{id.replace('-', '_')}_"))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = float(function(**{k: float(v) for k, v in at.items()}))
    return bool(said) if value is not None else not math.isnan(found)


@pytest.mark.sample(3)
@pytest.mark.parametrize("id", list(results))
def test_functions_agree_with_values(id: str, tmp_path: Path) -> None:
    assert not compared(id, 6, tmp_path)


@pytest.mark.slow
@pytest.mark.net
@pytest.mark.skipif(BROWSER is None, reason="there is no Chromium or Chrome")
@pytest.mark.parametrize("id", list(results))
def test_functions_agree_with_a_thousand_values_in_a_browser(id: str, tmp_path: Path) -> None:
    assert not compared(id, 1000, tmp_path, run_in_browser)


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    "id, name, at",
    [
        ("supcl-threshold", "alpha_min", {"m": 2, "n": 4, "tau": 5e-324}),
        ("supcl-exclusive", "loss", {"m": 3, "n": 4, "p": 3, "alpha": 0.5, "tau": 2.0**-10}),
        ("supcl-optimum", "x_star", {"m": 3, "n": 2, "alpha": 1, "tau": 2.0**-10}),
        ("supcl-batches", "alpha_high_skip", {"m": 100, "n": 500, "B": 512, "tau": 2.0**-4}),
        ("supcl-batches", "alpha_high_term", {"m": 300, "n": 1000, "B": 2000, "tau": 6.5}),
        ("sigmoid-optimum", "positive", {"N": 7, "t": 3000, "b": 2.0**-10}),
        ("soft-supcon", "loss", {"C": 10**6, "n": 10**8, "epsilon": 2.0**-40, "tau": 2.0**-9}),
        ("uniform-bound", "loss_at_least", {"N": 4096, "d": 3, "tau": 2.0**-7}),
        ("supcl-threshold", "tau_max", {"m": 3, "n": 4, "alpha": 1}),
    ],
)
def test_at_extremes_functions_agree_with_values(
    id: str, name: str, at: dict[str, Any], tmp_path: Path
) -> None:
    free = {s.name for s in results[id].quantity(name).expression.free_symbols}
    exact = {k: Rational(v) for k, v in at.items() if k in free}
    point = f"{id.replace('-', '_')}_{name}", exact
    (found,) = run(to_javascript([results[id]]), [point], tmp_path)
    assert not wrong(results[id].value(name, digits=20, **exact), found), found


def test_arguments_are_checked_in_one_line(tmp_path: Path) -> None:
    source = to_javascript([results["supcl-threshold"]])
    at = {"m": Rational(5, 2), "n": Rational(4)}
    (found,) = run(source, [("supcl_threshold_alpha_min", at)], tmp_path)
    assert found["error"] == (
        "supcl_threshold_alpha_min needs m: an integer >= 2; n: an integer >= 2; tau: > 0; "
        "it was given m = 2.5, n = 4, tau = undefined"
    )


def test_arrays_are_nested_and_sets_tell_what_is_in_them(tmp_path: Path) -> None:
    m, tau, alpha = Symbol("m", integer=True), Symbol("tau", positive=True), Symbol("alpha")
    root = argmin(exp(alpha) - 1 - tau, alpha, S.Zero, oo)
    found = {
        "cosines": Quantity(Matrix([[1, exp(-m)], [1 / m, root]]), "C", "inner products"),
        "fixed": Quantity(Matrix([[1, S.Half], [S.Half, 1]]), "F", "numbers"),
        "collapse": Quantity(Interval.Ropen(exp(-m), 1 / m), "A", "values", parameter=alpha),
    }
    one = Result(
        "one",
        title="*/ boom()\u2028boom()",  # stays inside of its comment
        source="nowhere",
        parameters=(m, tau, alpha),
        domain=Domain({m: at_least(2), tau: POSITIVE}, {m: 3, tau: 1}),
        build=lambda proof: found,
    )
    at: list[dict[str, Any]] = [{"m": 2, "tau": 1}, {}]
    at += [{"m": 2, "alpha": a} for a in (0.5, 0.4, 0.1)]
    names = ["one_cosines", "one_fixed", *["one_collapse"] * 3]
    points = list(zip(names, at, strict=True))
    (one_row, other), fixed, *inside = run(to_javascript([one]), points, tmp_path)
    assert [*one_row, *other] == pytest.approx([1, math.exp(-2), 0.5, math.log(2)], rel=1e-12)
    assert fixed == [[1, 0.5], [0.5, 1]]
    assert inside == [False, True, False]


def test_values_put_in_leave_functions_of_the_rest(tmp_path: Path) -> None:
    result = results["supcl-threshold"]
    source = javascript_source(result, result.point(m=10, n=50))
    tau = {"tau": Rational(1, 8)}
    assert run(source, [("alpha_min", tau), ("alpha_min_tau_0", {})], tmp_path) == pytest.approx(
        [float(result.value("alpha_min", m=10, n=50, tau="1/8")), 1 / 50], rel=1e-12
    )


def test_a_module_that_was_changed_is_refused(tmp_path: Path) -> None:
    points = drawn("supcl-optimum", 3)
    source = to_javascript([results["supcl-optimum"]])
    for old, new in [
        ("$.sub(n, 1)", "$.add(n, 1)"),
        ("const v = this.v + y.v", "const v = this.v + y.v * (1 + 1e-11)"),
        ("return $.value(", "return 1e-12 + $.value("),
    ]:
        assert old in source
        found = run(source.replace(old, new), [point for point, _ in points], tmp_path)
        assert any(wrong(value, own) for (_, value), own in zip(points, found, strict=True)), old
