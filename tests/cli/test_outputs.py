"""The report as JSON, SARIF and GitHub annotations, on hostile texts too."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from cltheory.cli.checking import Checked, Report
from cltheory.cli.outputs import RULES, WORDS, render
from cltheory.derive.tex.judge.finding import Edit, Finding
from cltheory.derive.tex.text.document import Marked, Place, Problem, find
from cltheory.derive.write.lock import Change

HOSTILE = "a<b>&\"'\x00\x1b[31m\x85\ud800\n::error::%0A]]> é €\U0001f600"
TEXT = """% cltheory: a.x [\\u -> v] (m = 2) allow-sampled
\\begin{equation}
  x =
  1
\\end{equation}"""
EDIT = Edit("write 2 for 1", "x =\n  2")
FINDINGS = {
    "equal": Finding("equal", True, "exact", "proved equal", printed="1", derived="1"),
    "differs": Finding(
        "differs",
        False,
        message="1 is not 2",
        printed="one",
        derived="two",
        printed_latex="1",
        derived_latex="2",
        point={"m": "2", "n": "1/3"},
        printed_value="1",
        derived_value="2",
        edit=EDIT,
    ),
    "undecided": Finding("undecided", False, message="no time", printed="1", derived="2"),
    "sampled": Finding("undecided", False, "sampled", "300 points", printed="1", derived="2"),
    "unread": Finding("unread", False, message="what is =", position=2),
    "refused": None,
}


def marked(text: str = TEXT, kind: Any = "tex") -> Marked:
    (found,) = find(text, kind)
    assert isinstance(found, Marked)
    return found


def report(*words: str, path: str = "papers/a b.tex", **more: Any) -> Report:
    checked = [
        Checked(path, marked(), FINDINGS[word], "" if FINDINGS[word] else "no result is called 'a'")
        for word in words
    ]
    return Report(**({"files": 1, "problems": [], "marked": len(checked)} | more), checked=checked)


PROBLEM = ("b.md", Problem("no display follows", Place(7, 3)))
CHANGE = Change("ssem", "x", "changed", "ssem.x was 1, is 2", False)
EVERYTHING = report(*FINDINGS, problems=[PROBLEM], changes=[CHANGE], lock="c.lock")
STYLES = ("text", "json", "sarif", "github")


@pytest.mark.parametrize(
    ("found", "code"),
    [
        (report(), 0),
        (report("equal"), 0),
        (report("equal", "differs"), 1),
        (report("undecided"), 1),
        (report("sampled"), 1),
        (report("unread"), 2),
        (report("refused"), 2),
        (report("differs", "unread"), 2),
        (report("equal", problems=[PROBLEM]), 2),
        (report("equal", changes=[CHANGE], lock="c"), 1),
    ],
)
def test_codes(found: Report, code: int) -> None:
    assert found.code == code
    assert json.loads(render(found, "json"))["code"] == code


# --- text -----------------------------------------------------------------------------------
def test_long_expressions_are_cut() -> None:
    long = Finding("differs", False, printed="x" * 100_000, derived="1")
    found = render(Report(1, [Checked("a.tex", marked(), long)], [], marked=1), "text")
    assert len(found) < 2000


# --- JSON -----------------------------------------------------------------------------------
def test_json() -> None:
    found = json.loads(render(EVERYTHING, "json"))
    assert set(found) == {
        "version",
        "tool",
        "code",
        "files",
        "summary",
        "equations",
        "problems",
        "changes",
    }
    assert found["version"] == 1
    assert re.fullmatch(r"cltheory \d.*", found["tool"])
    assert found["summary"] == {"marked": 6, "problems": 1, "changes": 1} | dict.fromkeys(WORDS, 1)
    assert [e["verdict"] for e in found["equations"]] == list(FINDINGS)
    one = found["equations"][1]
    assert (one["file"], one["line"], one["column"]) == ("papers/a b.tex", 3, 3)
    assert (one["result"], one["quantities"], one["negated"]) == ("a", ["x"], False)
    assert (one["names"], one["values"], one["allow_sampled"]) == ({"\\u": "v"}, {"m": "2"}, True)
    assert one["source"] == "x =\n  1"
    assert (one["printed"], one["derived"], one["point"]) == ("one", "two", {"m": "2", "n": "1/3"})
    assert (one["printed_value"], one["derived_value"]) == ("1", "2")
    assert one["edit"] == {"description": "write 2 for 1", "source": "x =\n  2"}
    assert all(set(e) == set(one) for e in found["equations"])
    assert found["problems"] == [
        {"file": "b.md", "line": 7, "column": 3, "cell": None, "cell_line": None,
         "message": "no display follows"}
    ]  # fmt: skip
    assert found["changes"][0]["kind"] == "changed"


def test_the_documented_keys_are_those_of_the_object() -> None:
    from cltheory.cli import outputs

    found = json.loads(render(EVERYTHING, "json"))
    documented = set(re.findall(r'"(\w+)":', outputs.__doc__ or ""))
    written = {key for part in [found, found["summary"], *found["equations"]] for key in part}
    assert (
        written | {"id", "quantity", "kind", "message", "equivalent", "description"} == documented
    )


# --- SARIF ----------------------------------------------------------------------------------
def test_sarif(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = json.loads(render(EVERYTHING, "sarif"))
    assert found["version"] == "2.1.0"
    assert "sarif-2.1.0" in found["$schema"]
    (run,) = found["runs"]
    assert run["columnKind"] == "unicodeCodePoints"
    assert run["invocations"] == [{"executionSuccessful": False, "exitCode": 2}]
    driver = run["tool"]["driver"]
    assert driver["name"] == "cltheory" and driver["version"]
    ids = [rule["id"] for rule in driver["rules"]]
    assert ids == [f"cltheory/{word}" for word in RULES]
    assert all(rule["shortDescription"]["text"].endswith(".") for rule in driver["rules"])
    assert [r["ruleId"].partition("/")[2] for r in run["results"]] == [
        "differs",
        "undecided",
        "sampled",
        "unread",
        "refused",
        "problem",
        "changed",
    ]
    for result in run["results"]:
        assert ids[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] == "error"
        assert result["message"]["text"]
        (location,) = result["locations"]
        address = location["physicalLocation"]["artifactLocation"]
        assert address["uriBaseId"] == "%SRCROOT%"
        assert not address["uri"].startswith("/")
        region = location["physicalLocation"]["region"]
        assert all(isinstance(n, int) and n >= 1 for n in region.values())
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "papers/a%20b.tex"
    assert place["region"] == {"startLine": 3, "startColumn": 3, "endLine": 4, "endColumn": 4}
    prints = [r["partialFingerprints"]["equation/v1"] for r in run["results"]]
    assert len(set(prints)) == len(prints)


def test_fingerprints_do_not_move_with_the_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    def prints(text: str, path: str = "a.tex") -> list[str]:
        items = [m for m in find(text, "tex") if isinstance(m, Marked)]
        checked = [Checked(path, m, FINDINGS["differs"]) for m in items]
        run = json.loads(render(Report(1, checked, [], marked=len(checked)), "sarif"))["runs"][0]
        return [r["partialFingerprints"]["equation/v1"] for r in run["results"]]

    (before,) = prints(TEXT)
    assert prints("text\n\n" + TEXT.replace("\n  1", " 1")) == [before]
    assert prints(TEXT, "b.tex") != [before]
    assert prints(TEXT.replace("1", "3")) != [before]
    twice = prints(TEXT + "\n" + TEXT)
    assert twice[0] == before != twice[1]


def test_a_notebook_has_no_columns() -> None:
    cell = {"cell_type": "markdown", "source": ["<!-- cltheory: a.x -->\n", "$$x$$"]}
    one = Checked(
        "a.ipynb", marked(json.dumps({"cells": [cell]}, indent=1), "ipynb"), FINDINGS["differs"]
    )
    found = Report(1, [one], [], marked=1)
    run = json.loads(render(found, "sarif"))["runs"][0]
    assert run["results"][0]["locations"][0]["physicalLocation"]["region"] == {"startLine": 7}
    assert "a.ipynb:7: cell 1, line 2: differs" in render(found, "text")
    assert ",col=" not in render(found, "github")
    row = json.loads(render(found, "json"))["equations"][0]
    assert (row["line"], row["column"], row["cell"], row["cell_line"]) == (7, 0, 1, 2)


# --- GitHub ---------------------------------------------------------------------------------
def test_github(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = render(EVERYTHING, "github").splitlines()
    assert len(lines) == 8
    assert lines[0].startswith(
        "::error file=papers/a b.tex,line=3,col=3,title=a.x%3A differs::differs from a.x%0A"
        "printed  one%0Aderived  two%0A"
    )
    assert lines[5] == "::error file=b.md,line=7,col=3,title=cltheory::no display follows"
    assert lines[6].startswith("::error file=c.lock,line=1,title=ssem.x%3A changed::")
    assert not lines[7].startswith("::")
    assert all(line.startswith("::error ") for line in lines[:7])
    full = str(tmp_path / "a.tex")
    assert "file=a.tex,line" in render(report("differs", path=full), "github")


# --- hostile texts --------------------------------------------------------------------------
def hostile() -> Report:
    finding = Finding(
        "differs",
        False,
        message=HOSTILE,
        printed=HOSTILE,
        derived=HOSTILE,
        point={HOSTILE: HOSTILE},
        printed_value=HOSTILE,
        derived_value=HOSTILE,
        edit=Edit(HOSTILE, HOSTILE),
    )
    one = marked(TEXT.replace("\\u", re.sub(r"[\n\[\]]", "", HOSTILE)))
    path = HOSTILE.replace("\0", "").replace("\ud800", "\udcff")  # as a file system has them
    checked = [Checked(path, one, finding), Checked(path, one, None, HOSTILE)]
    problem = (path, Problem(HOSTILE, Place(1)))
    change = Change(HOSTILE, HOSTILE, "changed", HOSTILE)
    return Report(1, checked, [problem], [change], path, 2)


@pytest.mark.parametrize("style", STYLES)
def test_hostile_texts_stay_data(style: str) -> None:
    text = render(hostile(), style)
    text.encode("utf-8")
    assert not re.search("[\x00-\x08\x0b-\x1f\ud800-\udfff]", text)
    if style in ("text", "github"):
        starts = [line.lstrip()[:9] for line in text.splitlines() if line.lstrip()[:2] == "::"]
        assert starts == (["::error f"] * 4 if style == "github" else [])
    else:
        json.loads(text)


@pytest.mark.parametrize("style", STYLES)
def test_nothing_to_report(style: str) -> None:
    assert render(report(), style)
    assert render(report("equal"), style)
