"""Formulas as they are now, as text to keep, and what has changed since.

A lock is JSON, the same text every time:

    {"format": "cltheory-lock", "format_version": 1, "cltheory": version, "all": bool,
     "quantities": {id: {quantity: {"expression": text, "roots": {name: {"zero_of": text,
     "low": text, "high": text}}, "domain": {symbol: text}, "symbols": [text],
     "evidence": grade, "sha256": of the rest}}}}

A root without closed form stands in the expression by its name. ``all`` says that every
result of its time is there. Texts of a lock are compared; where they differ they are read
by the grammar of :mod:`.exact`, and nothing is ever evaluated as code.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from os.path import join
from typing import Any, Literal

from sympy import Basic, Expr, Max, Min, Mul, Symbol
from sympy.printing.str import StrPrinter

from ..decide.domain import Domain
from ..decide.equal import equal
from ..decide.evidence import Grade, Holds, Refuted
from ..decide.exact import expression as read
from ..decide.root import ClampedRoot
from ..files import read_json
from ..frozen import FrozenValue
from ..papers.sources import version
from ..problems.catalogue import is_file
from ..results import results
from ..theorem.kinds import Kind, may_be_empty
from ..theorem.result import Result
from .display import root_names

FORMAT, FORMAT_VERSION = "cltheory-lock", 1
MAX_LENGTH = 4_000_000  #: characters of a lock
MAX_TEXT = 20_000  #: characters of one text in it
MAX_READ = 4_000  #: characters of a text that is read as an expression

Difference = Literal["changed", "missing"]


class LockError(ValueError):
    """The text is not a lock that can be read; the message is one line."""


class Change(FrozenValue):
    """A difference between a lock and the results as they are.

    Attributes
    ----------
    id, quantity
        What it is about.
    kind
        ``changed``; ``missing``, which the lock has and the results do not.
    message
        What it was and what it is.
    equivalent
        Of a changed expression, whether old and new are still equal as functions: ``None``
        if that was not proved either way, or the old text could not be read.
    """

    id: str
    quantity: str
    kind: Difference
    message: str
    equivalent: bool | None = None


# --- writing ---------------------------------------------------------------------------------
class _Text(StrPrinter):  # type: ignore[misc]
    """Text that :mod:`.exact` reads back: max and min of two."""

    def _print_Max(self, e: Expr) -> str:
        return self._pairs("max", e)

    def _print_Min(self, e: Expr) -> str:
        return self._pairs("min", e)

    def _pairs(self, name: str, e: Expr) -> str:
        return reduce(lambda a, b: f"{name}({a}, {b})", sorted(map(self._print, e.args)))


def _text(e: Basic) -> str:
    return str(_Text().doprint(e))


def frozen(result: Result, name: str) -> dict[str, Any]:
    """What a lock says of a quantity."""
    q = result.quantity(name)
    names = {root: n.symbol for root, n in root_names(result).items()}
    used = q.expression.atoms(ClampedRoot)
    roots = {}
    for root, symbol in names.items():
        if root in used:
            h, x = root.equation()
            inner = {r: s for r, s in names.items() if r != root}
            zero_of = h.xreplace({x: symbol}).xreplace(inner)
            ends = {"low": root.low.xreplace(names), "high": root.high.xreplace(names)}
            roots[symbol.name] = {"zero_of": _text(zero_of)} | {
                k: _text(v) for k, v in ends.items()
            }
    ranges = {**result.domain.ranges, **(q.domain.ranges if q.domain is not None else {})}
    domain = {s.name: str(r) for s, r in ranges.items()}
    if q.needs is not None:
        domain[_text(q.needs[0])] = ">= 0"
    found: dict[str, Any] = {
        "expression": _text(q.expression.xreplace(names)),
        "roots": roots,
        "domain": domain,
        "symbols": sorted(s.name for s in q.expression.free_symbols),
        "evidence": str(result.evidence_of(name).grade),
    }
    return {**found, "sha256": _sum(found)}


def _sum(entry: Mapping[str, Any]) -> str:
    content = {k: v for k, v in entry.items() if k != "sha256"}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def freeze(ids: Iterable[str] = ()) -> str:
    """The lock of some results, or of all.

    Raises
    ------
    UnknownResult
        Naming the ids there are.
    """
    chosen = sorted(set(ids)) or list(results)
    found = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "cltheory": version(),
        "all": chosen == list(results),
        "quantities": {id: {q: frozen(results[id], q) for q in results[id]} for id in chosen},
    }
    return json.dumps(found, indent=1) + "\n"


# --- reading ---------------------------------------------------------------------------------
def read_lock(text: str) -> dict[str, Any]:
    """Check that the text is a lock, and that nothing in it was altered.

    Raises
    ------
    LockError
        If it is not, was altered, or is of a format that this version does not know.
    """
    if len(text) > MAX_LENGTH:
        raise LockError(f"a lock of {len(text)} characters is too long (at most {MAX_LENGTH})")
    try:
        found = read_json(text)
    except (ValueError, RecursionError):
        raise LockError("the lock is not valid JSON; `cltheory freeze` writes one") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise LockError("this is not a lock; `cltheory freeze` writes one")
    if found.get("format_version") != FORMAT_VERSION:
        raise LockError(
            f"the lock has format {_short(found.get('format_version'))}; this version reads "
            f"format {FORMAT_VERSION}"
        )
    quantities: Any = found.get("quantities")
    if not _is_table(quantities) or not all(map(_is_table, quantities.values())):
        raise LockError("the lock has no table of quantities")
    for id, of in quantities.items():
        for name, entry in of.items():
            if not _is_entry(entry):
                raise LockError(f"the lock is damaged at {_short(id)}.{_short(name)}")
            if entry["sha256"] != _sum(entry):
                raise LockError(
                    f"the lock was altered at {_short(id)}.{_short(name)}: its sha256 does not fit"
                )
    return found


def _is_table(value: object) -> bool:
    return isinstance(value, dict)


def _is_texts(value: object) -> bool:
    return isinstance(value, dict) and all(_is_text(v) for v in value.values())


def _is_text(value: object) -> bool:
    return isinstance(value, str) and len(value) <= MAX_TEXT


def _is_entry(entry: object) -> bool:
    if not isinstance(entry, dict):
        return False
    roots, symbols = entry.get("roots"), entry.get("symbols")
    return (
        all(_is_text(entry.get(k)) for k in ("expression", "evidence", "sha256"))
        and entry["evidence"] in map(str, Grade)
        and isinstance(roots, dict)
        and all(_is_texts(r) and {*r} == {"zero_of", "low", "high"} for r in roots.values())
        and _is_texts(entry.get("domain"))
        and isinstance(symbols, list)
        and all(map(_is_text, symbols))
    )


def _short(value: object) -> str:
    text = " ".join(str(value)[:200].split())
    return text if len(text) <= 100 else text[:97] + "..."


# --- comparing -------------------------------------------------------------------------------
#: An entry of a lock: the id of a result, the name of a quantity, and what the lock says of it.
Entry = tuple[str, str, Mapping[str, Any]]
#: Whether an old formula is the new one; None if that was not proved, or why it was given up.
Equivalent = bool | str | None


def compare_lock(
    text: str, decide: Callable[[Sequence[Entry]], Iterable[Equivalent]], folder: str = ""
) -> list[Change]:
    """What has changed since the lock was written.

    Parameters
    ----------
    decide
        Applies :func:`equivalent` to entries; it may give up on one, and say why.
    folder
        Where the lock is: files of losses are named from there.

    Raises
    ------
    LockError
        If the text is not a lock that can be read.
    """
    quantities = read_lock(text)["quantities"]
    placed = {join(folder, id) if is_file(id) else id: of for id, of in quantities.items()}
    entries = [(id, name, old) for id, of in placed.items() for name, old in of.items()]
    if not entries:
        raise LockError("the lock has no quantities in it")
    now = {
        (id, name): frozen(results[id], name)
        for id, name, _ in entries
        if id in results and name in list(results[id])
    }
    differing = [
        (id, name, old)
        for id, name, old in entries
        if (new := now.get((id, name))) is not None
        and any(old[k] != new[k] for k in ("expression", "roots"))
    ]
    decided = {(id, name): e for (id, name, _), e in zip(differing, decide(differing), strict=True)}
    found: list[Change] = []
    for id, name, old in entries:
        what, new = f"{_short(id)}.{_short(name)}", now.get((id, name))
        if new is None:
            said = f"{what} is gone: {_short(old['expression'])}"
            found.append(Change(id, name, "missing", said))
            continue
        outcome = decided.get((id, name), "the same")
        if said := "; ".join(_differences(old, new, outcome)):
            equal = outcome if isinstance(outcome, bool) else None
            found.append(Change(id, name, "changed", f"{what} {said}", equal))
    return found


def _differences(
    old: Mapping[str, Any], new: Mapping[str, Any], outcome: Equivalent
) -> Iterator[str]:
    """In what two entries differ; their formulas do not if the outcome is "the same"."""
    if outcome != "the same":
        word = f"equal or not, which was not {outcome or 'proved'}"
        if isinstance(outcome, bool):
            word = "written otherwise, but equal" if outcome else "not equal"
        yield f"was {_formula(old)}, is {_formula(new)} ({word})"
    for key in dict.fromkeys([*old["domain"], *new["domain"]]):
        before, now = (d["domain"].get(key, "not restricted") for d in (old, new))
        if before != now:
            yield f"domain: {_short(key)} was {_short(before)}, is {now}"
    before, now = (Grade[d["evidence"].upper()] for d in (old, new))
    if now < before:
        yield f"evidence was {before}, is {now}"


def _formula(entry: Mapping[str, Any]) -> str:
    roots = [
        f"{name} in [{r['low']}, {r['high']}] with {_short(r['zero_of'])} = 0"
        for name, r in entry["roots"].items()
    ]
    where = f" where {_short('; '.join(roots))}" if roots else ""
    return _short(entry["expression"]) + where


def equivalent(entry: Entry) -> bool | None:
    """Whether the expression of an entry is what is derived now; None if it was not decided."""
    id, name, old = entry
    return _equivalent(results[id], name, old)


def _equivalent(result: Result, name: str, old: Mapping[str, Any]) -> bool | None:
    """Whether the old expression is the new one, decided exactly; None if it was not.

    Roots that are described in other words are not compared.
    """
    q, new = result.quantity(name), frozen(result, name)
    if q.kind is Kind.NAME:  # one that is written otherwise is another
        return False
    (shape, before), (shape_now, now) = map(_numbers, (old["expression"], new["expression"]))
    if q.kind is Kind.CONDITION or shape != shape_now or old["roots"] != new["roots"]:
        return None
    roots = {
        n.symbol: root for root, n in root_names(result).items() if n.symbol.name in old["roots"]
    }
    symbols = (*result.domain.ranges, *result.parameters, *q.expression.free_symbols, *roots)
    known: dict[str, Expr] = {s.name: s for s in symbols}
    domain = q.domain if q.domain is not None else result.domain
    found = {_same(*pair, known, roots, domain) for pair in zip(before, now, strict=True)}
    if found <= {True}:
        return True
    # Where ends of intervals differ, both may be empty.
    is_shown = q.kind is not Kind.SET or not may_be_empty(q.expression, domain)
    return False if False in found and is_shown else None


def _same(
    before: str, now: str, known: dict[str, Expr], roots: Mapping[Symbol, Expr], domain: Domain
) -> bool | None:
    """Whether two numbers are the same, decided exactly; None if it was not."""
    try:
        texts = (read(text, known, max_length=MAX_READ, powers=True) for text in (before, now))
        one, other = (_as_read(e.xreplace(roots)) for e in texts)
    except ValueError:
        return None
    if one == other:
        return True
    outcome = equal(one, other, domain)
    if isinstance(outcome, Refuted):
        return False
    exact = isinstance(outcome, Holds) and outcome.evidence.grade is Grade.EXACT
    return True if exact else None


def _numbers(text: str) -> tuple[str, tuple[str, ...]]:
    """The shape of a set or an array as a lock has it, and the numbers in it."""
    opening = re.match(r"(?:Interval(?:\.\w+)?|Union)\(|[\[{]", text)
    if opening is None:
        return "number", (text,)
    parts, depth = [""], 0
    for letter in text[opening.end() : -1]:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    below = [_numbers(part.strip()) for part in parts]
    shape = opening[0] + ",".join(shape for shape, _ in below)
    return shape, tuple(number for _, numbers in below for number in numbers)


def _as_read(e: Expr) -> Expr:
    """The same however SymPy came to it: no smallest of numbers, and no factors inside sums.

    The reader writes a minimum by a maximum, and what is multiplied by a number first has the
    number in its sums: ``2*(x + 1)/y`` is read as ``(2*x + 2)/y``.
    """
    e = e.replace(lambda x: isinstance(x, Min), lambda x: -Max(*(-a for a in x.args)))
    return e.replace(lambda x: x.is_Mul, lambda x: x.func(*map(_primitive, x.args)))


def _primitive(e: Expr) -> Expr:
    """A sum as its content times the rest, whose first term is not negative."""
    if not e.is_Add:
        return e
    content, rest = e.primitive()
    sign = -1 if rest.could_extract_minus_sign() else 1
    return Mul(sign * content, sign * rest, evaluate=False)
