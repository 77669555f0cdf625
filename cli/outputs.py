"""The report of ``cltheory check`` as text, JSON, SARIF or GitHub annotations.

JSON is one object:

    {"version": 1, "tool": "cltheory VERSION", "code": the exit code,
     "files": int,
     "summary": {"marked": int, "equal": int, "differs": int, "undecided": int, "sampled": int,
                 "unread": int, "refused": int, "problems": int, "changes": int},
     "equations": [{"file": str, "line": int, "column": int (0 unknown), "cell": int or null,
                    "cell_line": int or null, "result": str, "quantities": [str],
                    "negated": bool, "names": {LaTeX: expression}, "values": {parameter: value},
                    "allow_sampled": bool, "source": str, "verdict": one of the words above,
                    "evidence": "exact", "interval", "sampled" or "", "message": str,
                    "printed": str, "derived": str, "printed_latex": str, "derived_latex": str,
                    "point": {parameter: exact value}, "printed_value": str,
                    "derived_value": str, "notes": [str],
                    "edit": {"description": str, "source": str} or null}],
     "problems": [{"file", "line", "column", "cell", "cell_line", "message"}],
     "changes": [{"id": str, "quantity": str, "kind": "changed" or "missing",
                  "message": str, "equivalent": bool or null}]}

``sampled`` is agreement at sampled points that was not allowed to be enough, ``refused`` a
directive that names no result or quantity; ``changes`` are those to a lock file.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from ..derive.papers.sources import version
from ..derive.tex.judge.explain import one_line, visible
from ..derive.tex.text.document import Place
from .writing import json_text

if TYPE_CHECKING:
    from .checking import Checked, Report

WORDS = ("equal", "differs", "undecided", "sampled", "unread", "refused")

#: Rules of SARIF: what a verdict means in general.
RULES = {
    "differs": "A marked equation does not say what was derived.",
    "undecided": "Whether a marked equation says what was derived was not decided.",
    "sampled": "A marked equation agrees with what was derived at sampled points only.",
    "unread": "A marked equation could not be read.",
    "refused": "A directive names no result or quantity, or puts in what cannot be.",
    "problem": "A directive marks nothing, or a file could not be read.",
    "changed": "A derived formula is no longer the one that was pinned.",
}


def render(report: Report, style: str) -> str:
    """One of the formats, without a line end."""
    return {"text": text, "json": as_json, "sarif": sarif, "github": github}[style](report)


# --- text --------------------------------------------------------------------------------------
def text(report: Report) -> str:
    """What failed, and a last line with the counts."""
    lines = [
        f"{_at(one.path, one.place)}: {note}"
        for one in report.checked
        if one.word == "equal"
        for note in one.details
    ]
    for said in _said(report):
        at = visible(said.path) if said.rule == "changed" else _at(said.path, said.place)
        first, *rest = said.lines
        lines += [f"{at}: {first}", *(f"    {line}" for line in rest)]
    return "\n".join([*lines, summary(report)])


def summary(report: Report) -> str:
    """One line: how many equations, and what came of them."""
    said = []
    grades = [c.finding.evidence for c in report.checked if c.finding and c.word == "equal"]
    if grades:
        by = ", ".join(
            f"{grades.count(g)} {g}" for g in ("exact", "interval", "sampled") if g in grades
        )
        said.append(f"{len(grades)} equal ({by})")
    names = {
        "differs": "{} different",
        "undecided": "{} undecided",
        "sampled": "{} agreeing at sampled points only",
        "unread": "{} not read",
        "refused": "{} with a directive that was refused",
    }
    said += [t.format(report.count(w)) for w, t in names.items() if report.count(w)]
    files = _number(report.files, "file")
    if report.lock and not report.files:
        line = ""
    elif report.marked:
        line = f"{_number(report.marked, 'marked equation')} in {files}: {', '.join(said)}"
    else:
        line = f"no marked equation in {files}"
        if not report.problems and report.files:
            line += "; '% cltheory: RESULT.QUANTITY' above a display marks it"
    if report.problems:
        line += f"; {_number(len(report.problems), 'problem')}"
    if report.lock:
        line += f"; {_number(len(report.changes), 'change')} to {visible(report.lock)}"
    return line.removeprefix("; ").rstrip(": ")


def _number(n: int, noun: str) -> str:
    return f"{n} {noun}" + ("" if n == 1 else "s")


class _Said(NamedTuple):
    """An equation that is not equal, a problem, or a change to a lock file, as formats show it."""

    rule: str
    path: str
    place: Place
    title: str
    lines: list[str]
    region: dict[str, int]
    key: str  #: what tells it from others of its rule in its file


def _said(report: Report) -> Iterator[_Said]:
    for one in report.checked:
        if one.word != "equal":
            name = one.marked.directive.title
            key = f"{name}\0{' '.join(one.marked.source.split())}"
            lines = [one.headline, *one.details]
            title = f"{name}: {one.word}"
            yield _Said(one.word, one.path, one.place, title, lines, _region(one), key)
    for path, problem in report.problems:
        lines, region = [one_line(problem.message)], _start(problem.place)
        yield _Said("problem", path, problem.place, "cltheory", lines, region, problem.message)
    for c in report.changes:
        key, lines, first = f"{c.id}.{c.quantity}", [one_line(c.message)], Place(1)
        yield _Said("changed", report.lock, first, f"{key}: {c.kind}", lines, _start(first), key)


def _at(path: str, place: Place) -> str:
    return f"{visible(path)}:{place}"


# --- JSON --------------------------------------------------------------------------------------
def as_json(report: Report) -> str:
    """The object that the head of this module describes."""
    found = {
        "tool": f"cltheory {version()}",
        "code": report.code,
        "files": report.files,
        "summary": {
            "marked": report.marked,
            **{word: report.count(word) for word in WORDS},
            "problems": len(report.problems),
            "changes": len(report.changes),
        },
        "equations": [_equation(c) for c in report.checked],
        "problems": [
            {**_place(path, problem.place), "message": problem.message}
            for path, problem in report.problems
        ],
        "changes": [
            {
                "id": c.id,
                "quantity": c.quantity,
                "kind": c.kind,
                "message": c.message,
                "equivalent": c.equivalent,
            }
            for c in report.changes
        ],
    }
    return json_text(found)


def _place(path: str, place: Place) -> dict[str, Any]:
    return {
        "file": path,
        "line": place.line,
        "column": place.column,
        "cell": place.cell,
        "cell_line": place.cell_line,
    }


def _equation(one: Checked) -> dict[str, Any]:
    said, found = one.marked.directive, one.finding
    texts = ("printed", "derived", "printed_latex", "derived_latex")
    values = ("printed_value", "derived_value")
    edit = found.edit if found else None
    return {
        **_place(one.path, one.place),
        "result": said.result_id,
        "quantities": list(said.quantities),
        "negated": said.negated,
        "names": dict(said.names),
        "values": dict(said.values),
        "allow_sampled": said.allow_sampled,
        "source": one.marked.source,
        "verdict": one.word,
        "evidence": found.evidence if found else "",
        "message": found.message if found else one.refusal,
        **{name: getattr(found, name, "") for name in texts},
        "point": dict(found.point) if found else {},
        **{name: getattr(found, name, "") for name in values},
        "notes": [*found.notes] if found else [],
        "edit": {"description": edit.description, "source": edit.source} if edit else None,
    }


def _printable(text: str) -> str:
    """Without what no report can show: most control characters, and lone surrogates."""
    return re.sub("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", text)


# --- SARIF -------------------------------------------------------------------------------------
def sarif(report: Report) -> str:
    """SARIF 2.1.0, with addresses relative to the working directory where a file is below it."""
    ids = list(RULES)
    rules = [
        {
            "id": f"cltheory/{word}",
            "name": "Equation" + word.title(),
            "shortDescription": {"text": meaning},
            "defaultConfiguration": {"level": "error"},
        }
        for word, meaning in RULES.items()
    ]
    seen: dict[str, int] = {}
    results = []

    for said in _said(report):
        # The same equation marked twice in a file: told apart by the order.
        where = _address(said.path)
        text = f"{said.rule}\0{where['uri']}\0{said.key}"
        mark = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
        seen[mark] = seen.get(mark, 0) + 1
        results.append(
            {
                "ruleId": f"cltheory/{said.rule}",
                "ruleIndex": ids.index(said.rule),
                "level": "error",
                "message": {"text": _printable("\n".join(said.lines))},
                "locations": [
                    {"physicalLocation": {"artifactLocation": where, "region": said.region}}
                ],
                "partialFingerprints": {"equation/v1": f"{mark[:32]}:{seen[mark]}"},
            }
        )
    driver = {"name": "cltheory", "version": version(), "rules": rules}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": report.code < 2, "exitCode": report.code}],
        "results": results,
    }
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    return json.dumps({"$schema": schema, "version": "2.1.0", "runs": [run]}, indent=2)


def _start(place: Place) -> dict[str, int]:
    return {"startLine": place.line} | ({"startColumn": place.column} if place.column else {})


def _region(one: Checked) -> dict[str, int]:
    region = _start(one.place)
    if one.word not in ("unread", "refused") and one.place.column:
        end = one.marked.where(len(one.marked.source))
        region |= {"endLine": end.line, "endColumn": end.column}
    return region


def _address(path: str) -> dict[str, str]:
    """A relative address with slashes; what is not below the working directory is absolute."""
    relative = _relative(path)
    if relative is None:
        return {"uri": Path(path).absolute().as_uri()}
    return {"uri": quote(relative, errors="surrogateescape"), "uriBaseId": "%SRCROOT%"}


def _relative(path: str) -> str | None:
    full, here = Path(path).absolute(), Path.cwd()
    return full.relative_to(here).as_posix() if full.is_relative_to(here) else None


# --- GitHub ------------------------------------------------------------------------------------
def github(report: Report) -> str:
    """Workflow commands, which GitHub shows at the lines of a pull request, and the counts."""
    lines = [_command(said) for said in _said(report)]
    return "\n".join([*lines, summary(report)])


def _command(said: _Said) -> str:
    properties = {"file": _relative(said.path) or said.path, "line": str(said.place.line)}
    if said.place.column:
        properties["col"] = str(said.place.column)
    properties["title"] = said.title
    named = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::error {named}::{_data(chr(10).join(said.lines))}"


def _data(text: str) -> str:
    return _printable(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
