"""The reader on the display formulas of the five papers.

The corpus was made by reading the papers, independently of the reader (see its README). A
display may be refused, and is then listed in ``known_misses.json``; a wrong reading fails.
"""

from __future__ import annotations

import copy
import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from cltheory.derive.language.statement import Bounds, Inner, Side, Statement, TexError, Unread
from cltheory.derive.tex.formula.reader import canonical_name
from cltheory.derive.tex.formula.reader import read_formula as read
from sympy import Expr, Piecewise, Rational, Symbol
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean
from sympy.parsing.sympy_parser import parse_expr

#: Points at which two forms are compared, and their digits.
POINTS, DIGITS = 3, 40
#: Names that are no symbols in an expected form.
KNOWN = {"exp", "log", "sqrt", "Max", "Min", "Abs", "Piecewise", "oo", "pi"}
CORPUS = Path(__file__).parent / "corpus"
PAPERS = (
    "lee2025ssem",
    "lee2024sigmoid",
    "ochieng2025diversity",
    "vock2026unified",
    "tan2024spectral",
)
Entry = dict[str, Any]


# --- The corpus -----------------------------------------------------------------------------
def _load(paper: str) -> dict[str, Any]:
    return json.loads((CORPUS / f"{paper}.json").read_text(encoding="utf-8"))


def _entries(paper: str) -> dict[str, Entry]:
    """The entries by id: paper:line, and a letter where a display has several."""
    found = _load(paper)["in"]
    count, seen = Counter(e["line"] for e in found), Counter[int]()
    entries = {}
    for entry in found:
        line = entry["line"]
        letter = "abcdefgh"[seen[line]] if count[line] > 1 else ""
        entries[f"{paper}:{line}{letter}"] = entry
        seen[line] += 1
    return entries


ENTRIES = {key: entry for paper in PAPERS for key, entry in _entries(paper).items()}
OUT = {f"{p}:{o['line']}": o for p in PAPERS for o in _load(p)["out"] if "latex" in o}
MISSES: dict[str, str] = json.loads((CORPUS / "known_misses.json").read_text(encoding="utf-8"))


def _symbol(name: str) -> Symbol:
    return Symbol(name, positive=True)


def _names(*entries: Entry) -> dict[str, Expr]:
    return {canonical_name(tex): _symbol(name) for e in entries for tex, name in e["names"].items()}


# --- Expected forms ------------------------------------------------------------------------------
def _expected(text: str) -> Expr:
    names = {name: _symbol(name) for name in re.findall(r"[A-Za-z_]\w*", text)}
    return parse_expr(text, {n: s for n, s in names.items() if n not in KNOWN}, evaluate=True)


def _side(side: str | Mapping[str, Any]) -> Side:
    if isinstance(side, str):
        return _expected(side)
    low, high = _expected(side["low"]), _expected(side["high"])
    return Bounds(low, high, side["low_open"], side["high_open"])


def _statements(entry: Entry) -> Iterator[Statement]:
    for part in (entry, *entry.get("rest", [])):
        first = (Unread(part["unread"]),) if "unread" in part else ()
        yield Statement((*first, *map(_side, part["sides"])), tuple(part["relations"]))


# --- Comparison at points -------------------------------------------------------------------
def same(one: Side, other: Side) -> bool:
    """Whether two sides have one value at random points, and distinguish the same cases."""
    if isinstance(one, Unread) and isinstance(other, Unread):
        return _bare(one.text) == _bare(other.text)
    if isinstance(one, Inner) and isinstance(other, Unread):
        letters = re.sub(r"\^\{?\\top\}?|[()_^,]", "", _bare(other.text))
        return "".join(v.name + "".join(v.indices) for v in (one.one, one.other)) == letters
    if isinstance(one, Bounds) and isinstance(other, Bounds):
        ends = (one.low_open, one.high_open) == (other.low_open, other.high_open)
        return ends and same(one.low, other.low) and same(one.high, other.high)
    if not (isinstance(one, Expr) and isinstance(other, Expr)):
        return False
    if isinstance(one, Piecewise) and isinstance(other, Piecewise):
        return len(one.args) == len(other.args) and all(
            same(e, f) and _same_condition(c, d)
            for (e, c), (f, d) in zip(one.args, other.args, strict=True)
        )
    if one == other:
        return True
    symbols = sorted(one.free_symbols | other.free_symbols, key=str)
    compared = 0
    for chance in map(random.Random, range(99)):
        point = {s: Rational(chance.randrange(1, 999), 100) for s in symbols}
        try:
            gap, size = (e.subs(point).evalf(DIGITS) for e in (one - other, one))
        except ValueError:  # a maximum of what is not real there
            continue
        if not abs(gap) <= (1 + abs(size)) * Rational(1, 10 ** (DIGITS - 10)):
            return False
        compared += 1
        if compared == POINTS:
            return True
    return False


def _same_condition(one: Boolean, other: Boolean) -> bool:
    if not (isinstance(one, Relational) and isinstance(other, Relational)):
        return one == other
    if one.func is not other.func:
        other = other.reversed
    return one.func is other.func and same(one.lhs, other.lhs) and same(one.rhs, other.rhs)


def _bare(text: str) -> str:
    """A name without what only sets it: spaces, braces, fonts."""
    fonts = r"\\(?:text|mathrm|mathbf|mathcal|boldsymbol|operatorname|left|right|displaystyle)\b"
    return re.sub(rf"{fonts}|\\[,;!]|[\s{{}}&]", "", text).replace(r"\star", "*")


def difference(found: Statement, entry: Entry) -> str | None:
    """What is wrong with a reading, or None."""
    read_as, meant = [found, *_flat(found.rest)], list(_statements(entry))
    if len(read_as) != len(meant):
        return f"{len(read_as)} statements, not {len(meant)}"
    for one, other in zip(read_as, meant, strict=True):
        if one.relations != other.relations or len(one.sides) != len(other.sides):
            return f"relations {one.relations}, not {other.relations}: {one.sides}"
        for a, b in zip(one.sides, other.sides, strict=True):
            if not same(a, b):
                return f"{a}, not {b}"
    return None


def _flat(statements: tuple[Statement, ...]) -> Iterator[Statement]:
    for statement in statements:
        yield statement
        yield from _flat(statement.rest)


# --- The reader -----------------------------------------------------------------------------
@cache
def _outcome(key: str) -> tuple[str, str]:
    """``read``, ``refused`` or ``wrong``, and why."""
    return _try(ENTRIES[key]["latex"], ENTRIES[key], _names(ENTRIES[key]))


def _try(latex: str, entry: Entry, names: Mapping[str, Expr]) -> tuple[str, str]:
    try:
        found = read(latex, names)
    except TexError as error:
        return "refused", str(error)
    wrong = difference(found, entry)
    return ("wrong", wrong) if wrong else ("read", "")


@pytest.mark.parametrize("key", ENTRIES)
def test_read(key: str) -> None:
    outcome, why = _outcome(key)
    assert outcome != "wrong", f"a wrong reading: {why}"
    if key in MISSES:
        assert outcome == "refused", "is read now: take it off known_misses.json"
    else:
        assert outcome == "read", why


@pytest.mark.parametrize("key", [k for k, e in ENTRIES.items() if "printed" in e])
def test_equation_number_in_the_formula_is_no_factor(key: str) -> None:
    """``\\quad (15)`` for a tag, as the extraction has it, may be refused, not multiplied."""
    entry = ENTRIES[key]
    outcome, why = _try(entry["printed"], entry, _names(entry))
    assert outcome != "wrong", why


@pytest.mark.parametrize("key", ENTRIES)
def test_more_names_do_not_change_a_reading(key: str) -> None:
    entry, paper = ENTRIES[key], key.partition(":")[0]
    everything = _names(*_entries(paper).values())
    defined = {_bare(p["unread"]) for p in (entry, *entry.get("rest", [])) if "unread" in p}
    # Of "A(n) = .." the name is A, with or without its arguments.
    defined |= {text.partition("(")[0] for text in defined}
    everything = {n: s for n, s in everything.items() if _bare(n) not in defined}
    outcome, why = _try(entry["latex"], entry, everything)
    assert outcome != "wrong", why


@pytest.mark.parametrize("key", [k for k, e in ENTRIES.items() if e["names"]])
def test_a_missing_name_is_refused(key: str) -> None:
    """Without one of its names a display is refused, or that name was what is defined."""
    entry = ENTRIES[key]
    for name in entry["names"]:
        fewer = {canonical_name(n): _symbol(s) for n, s in entry["names"].items() if n != name}
        try:
            found = read(entry["latex"], fewer)
        except TexError:
            continue
        firsts = [s.sides[0] for s in (found, *_flat(found.rest))]
        assert any(isinstance(s, Unread) and _bare(s.text) == _bare(name) for s in firsts)


@pytest.mark.parametrize("key", OUT)
def test_what_is_no_closed_form_is_refused(key: str) -> None:
    """Sums, expectations, vectors: never read as something else."""
    out, paper = OUT[key], key.partition(":")[0]
    names = _names(*_entries(paper).values())
    if "reads" in out:  # why there is nothing wrong with that
        read(out["latex"], names)
        return
    with pytest.raises(TexError):
        read(out["latex"], names)


def test_misses_are_entries() -> None:
    assert set(MISSES) <= set(ENTRIES)
    assert all(MISSES.values())


# --- The rate -------------------------------------------------------------------------------
def _table() -> str:
    rows = [
        "| paper | displays | whole, read | parts, read | out |",
        "| --- | --- | --- | --- | --- |",
    ]
    totals = Counter[str]()
    for paper in PAPERS:
        data, n = _load(paper), Counter[str]()
        n["displays"], n["out"] = data["displays"], len(data["out"])
        for key, entry in _entries(paper).items():
            kind = "parts" if "part" in entry else "whole"
            n[kind] += 1
            n[f"{kind} read"] += _outcome(key)[0] == "read"
        rows.append(_row(f"`{paper}`", n))
        totals += n
    return "\n".join([*rows, _row("all", totals)])


def _row(name: str, n: Counter[str]) -> str:
    whole, parts = f"{n['whole read']} of {n['whole']}", f"{n['parts read']} of {n['parts']}"
    return f"| {name} | {n['displays']} | {whole} | {parts} | {n['out']} |"


def test_the_rate_in_the_readme_is_true() -> None:
    assert _table() in (CORPUS / "README.md").read_text(encoding="utf-8"), f"now:\n{_table()}"


def test_every_display_is_in_or_out() -> None:
    for paper in PAPERS:
        data = _load(paper)
        split = {e["line"] for e in data["in"]} - {e["line"] for e in data["out"]}
        assert len(split) + len(data["out"]) == data["displays"], paper
        assert all(e["reason"] for e in data["out"])


# --- The comparison is tested on wrong forms ----------------------------------------------------
@pytest.mark.parametrize("key", ENTRIES)
def test_wrong_forms_are_refused(key: str) -> None:
    entry = ENTRIES[key]
    first, *rest = _statements(entry)
    right = Statement(first.sides, first.relations, tuple(rest))
    assert difference(right, entry) is None
    for wrong in _corrupted(entry):
        assert difference(right, wrong) is not None, wrong


def _corrupted(entry: Entry) -> Iterator[Entry]:
    for i, side in enumerate(entry["sides"]):
        for worse in _worse(side):
            wrong = copy.deepcopy(entry)
            wrong["sides"][i] = worse
            yield wrong
    for i, relation in enumerate(entry["relations"]):
        wrong = copy.deepcopy(entry)
        wrong["relations"][i] = "<" if relation != "<" else "<="
        yield wrong
    if entry.get("rest"):
        yield {**entry, "rest": entry["rest"][:-1]}
    if "unread" in entry:
        yield {**entry, "unread": entry["unread"] + "_0"}


def _worse(side: str | dict[str, Any]) -> Iterator[str | dict[str, Any]]:
    """A sign, one less for a symbol, an end that is closed for open.

    Some printed sides vanish or do not depend on a symbol that they have: no change then.
    """
    if not isinstance(side, str):
        yield {**side, "low_open": not side["low_open"]}
        yield {**side, "high_open": not side["high_open"]}
        for end in ("low", "high"):
            yield from ({**side, end: text} for text in _worse(side[end]))
        return
    meant = _expected(side)
    if isinstance(meant, Piecewise):
        yield side.replace(">", "<")
        yield side.replace("(N - 1)", "N")
        return
    symbols = sorted(s.name for s in meant.free_symbols)
    worse = [re.sub(rf"\b{s}\b", f"({s} - 1)", side) for s in symbols]
    for text in (f"-({side})", f"1 + {side}", *worse):
        if not same(_expected(text), meant):
            yield text
