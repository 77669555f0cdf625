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
from dataclasses import dataclass
from functools import reduce
from typing import Any, Literal

from sympy import Basic, Expr, Lambda, Max, Min, Rational, Symbol, oo
from sympy.printing.str import StrPrinter

from ..decide.domain import Domain, Range
from ..decide.equal import equal, same_root, value_at
from ..decide.evidence import Grade, Holds, Refuted
from ..decide.exact import expression as read
from ..decide.root import ClampedRoot
from ..papers.sources import version
from ..results import results
from ..theorem.kinds import Kind
from ..theorem.quantity import Quantity
from ..theorem.result import Result
from .display import root_names

FORMAT, FORMAT_VERSION = "cltheory-lock", 1
MAX_LENGTH = 4_000_000  #: characters of a lock
MAX_TEXT = 20_000  #: characters of one text in it
MAX_READ = 4_000  #: characters of a text that is read as an expression

FEW = 6  #: points at which roots are compared: each takes a while
CLOSE = Rational(1, 10**30)  #: relative, of values to 50 digits

Difference = Literal["changed", "missing", "new"]


class LockError(ValueError):
    """The text is not a lock that can be read; the message is one line."""


@dataclass(frozen=True)
class Change:
    """A difference between a lock and the results as they are.

    Attributes
    ----------
    id, quantity
        What it is about.
    kind
        ``changed``; ``missing``, which the lock has and the results do not; ``new``.
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
        "evidence": str(result.evidence.grade),
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
        found = json.loads(text)
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


def equivalents(entries: Sequence[Entry]) -> Iterator[Equivalent]:
    """Decide entries one after the other, however long that takes."""
    return map(equivalent, entries)


def compare_lock(
    text: str, decide: Callable[[Sequence[Entry]], Iterable[Equivalent]] = equivalents
) -> list[Change]:
    """What has changed since the lock was written.

    Parameters
    ----------
    decide
        Applies :func:`equivalent` to entries; it may give up on one, and say why.

    Raises
    ------
    LockError
        If the text is not a lock that can be read.
    """
    lock = read_lock(text)
    if not any(lock["quantities"].values()):
        raise LockError("the lock has no quantities in it")
    quantities: Mapping[str, Mapping[str, Any]] = lock["quantities"]
    differing = [
        (id, name, old)
        for id, of in quantities.items()
        for name, old in of.items()
        if id in results and name in list(results[id]) and _is_written_otherwise(id, name, old)
    ]
    decided = {(id, name): e for (id, name, _), e in zip(differing, decide(differing), strict=True)}
    return list(_changes(quantities, bool(lock.get("all")), decided))


def _is_written_otherwise(id: str, name: str, old: Mapping[str, Any]) -> bool:
    new = frozen(results[id], name)
    return bool((old["expression"], old["roots"]) != (new["expression"], new["roots"]))


def _changes(
    quantities: Mapping[str, Mapping[str, Any]],
    everything: bool,
    decided: Mapping[tuple[str, str], Equivalent],
) -> Iterator[Change]:
    for id, of in quantities.items():
        there = list(results[id]) if id in results else []
        for name, old in of.items():
            if name not in there:
                what = f"{_short(id)}.{_short(name)}"
                yield Change(id, name, "missing", f"{what} is gone: {_short(old['expression'])}")
                continue
            found = _compared(results[id], name, old, decided)
            if found is not None:
                yield found
        yield from (_new(id, name) for name in there if name not in of)
    for id in results if everything else ():
        if id not in quantities:
            yield from (_new(id, name) for name in results[id])


def _new(id: str, name: str) -> Change:
    return Change(id, name, "new", f"{id}.{name} is not in the lock")


def _compared(
    result: Result,
    name: str,
    old: Mapping[str, Any],
    decided: Mapping[tuple[str, str], Equivalent],
) -> Change | None:
    new = frozen(result, name)
    said: list[str] = []
    outcome: Equivalent = None
    if (result.id, name) in decided:
        outcome = decided[result.id, name]
        word = f"equal or not, which was not {outcome or 'proved'}"
        if isinstance(outcome, bool):
            word = "written otherwise, but equal" if outcome else "not equal"
        said.append(f"was {_formula(old)}, is {_formula(new)} ({word})")
    for key in dict.fromkeys([*old["domain"], *new["domain"]]):
        before, now = (d["domain"].get(key, "not restricted") for d in (old, new))
        if before != now:
            said.append(f"domain: {_short(key)} was {_short(before)}, is {now}")
    grades = [Grade[d["evidence"].upper()] for d in (old, new)]
    if grades[1] < grades[0]:
        said.append(f"evidence was {grades[0]}, is {grades[1]}")
    if not said:
        return None
    is_equal = outcome if isinstance(outcome, bool) else None
    return Change(result.id, name, "changed", f"{result.id}.{name} {'; '.join(said)}", is_equal)


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
    return _equivalent(results[id], results[id].quantity(name), old)


def _equivalent(result: Result, q: Quantity, old: Mapping[str, Any]) -> bool | None:
    """Whether the old expression is the new one, decided exactly; None if it was not."""
    if q.kind is Kind.ARRAY:
        return _entrywise(result, q, old)
    if not q.is_number:  # a name that is written otherwise is another
        return False if q.kind is Kind.NAME else None
    domain = q.domain if q.domain is not None else result.domain
    names = {n.symbol.name: root for root, n in root_names(result).items()}
    names = {name: root for name, root in names.items() if root in q.expression.atoms(ClampedRoot)}
    known: dict[str, Expr] = {s.name: s for s in q.expression.free_symbols}
    known |= {s.name: s for s in (*result.domain.ranges, *result.parameters)}
    try:
        roots = {name: _thawed(parts, known, names) for name, parts in old["roots"].items()}
        stand_ins: dict[str, Expr] = {name: Symbol(name, real=True) for name in roots}
        shown = read(old["expression"], {**known, **stand_ins}, max_length=MAX_READ, powers=True)
    except ValueError:
        return None
    whole = shown.xreplace({stand_ins[name]: root for name, root in roots.items()})
    if not roots and not names:
        # With letters for what is largest more is asked than needed: only that it holds counts.
        by_letters = _decided(*_inside_out(whole, q.expression, domain))
        return by_letters or _decided(whole, q.expression, domain)
    if set(roots) == set(names) and all(_same(roots[k], names[k], domain) for k in roots):
        inside, put = domain, {}
        for name, root in names.items():
            middle = (root.low + root.high) / 2 if root.high is not oo else root.low + 1
            held = Symbol(name, real=True)
            ends = Range(root.low, root.high, False, root.high is oo)
            inside = inside.with_range(held, ends, domain.witness_of(middle))
            put[root] = held
        if _decided(shown, q.expression.xreplace(put), inside):
            return True
    return False if _apart(whole, q.expression, domain) else None


def _entrywise(result: Result, q: Quantity, old: Mapping[str, Any]) -> bool | None:
    """The same of an array, which is written in brackets."""
    texts = entries(old["expression"])
    if texts is None or texts[1] != q.expression.shape:
        return False
    found = []
    for text, part in zip(texts[0], q.parts(), strict=True):
        roots = {k: v for k, v in old["roots"].items() if re.search(rf"\b{re.escape(k)}\b", text)}
        found.append(_equivalent(result, part, {**old, "expression": text, "roots": roots}))
    return False if False in found else None if None in found else True


def entries(text: str) -> tuple[list[str], tuple[int, ...]] | None:
    """The entries of ``[[a, b], [c, d]]`` and the shape; None if it is no array."""
    if not (text.startswith("[") and text.endswith("]")):
        return None
    parts, depth, start = [], 0, 1
    for at, letter in enumerate(text):
        depth += {"[": 1, "(": 1, "]": -1, ")": -1}.get(letter, 0)
        if (depth == 1 and letter == ",") or (depth == 0 and at == len(text) - 1):
            parts.append(text[start:at].strip())
            start = at + 1
        elif depth < 1:
            return None
    inner = [entries(part) for part in parts]
    if all(found is None for found in inner):
        return parts, (len(parts),)
    shapes = {found[1] if found is not None else () for found in inner}
    if len(shapes) > 1:
        return None
    return [e for found in inner if found for e in found[0]], (len(parts), *shapes.pop())


def _thawed(parts: Mapping[str, str], known: Mapping[str, Expr], now: Mapping[str, Expr]) -> Expr:
    """A root as the lock describes it; its name is the one that ``known`` has not."""
    unknown = {name: Symbol(name, real=True) for name in now}
    h = read(parts["zero_of"], {**known, **unknown}, max_length=MAX_READ, powers=True)
    names = h.free_symbols & set(unknown.values())
    if len(names) != 1:
        raise LockError("a root whose equation does not contain it")
    low, high = (
        read(parts[end], known, max_length=MAX_READ, powers=True) for end in ("low", "high")
    )
    return ClampedRoot(Lambda(names.pop(), h), low, high)


def _decided(one: Expr, other: Expr, domain: Domain) -> bool | None:
    if one == other:
        return True
    outcome = equal(one, other, domain)
    if isinstance(outcome, Refuted):
        return False
    exact = isinstance(outcome, Holds) and outcome.evidence.grade is Grade.EXACT
    return True if exact else None


def _inside_out(one: Expr, other: Expr, domain: Domain) -> tuple[Expr, Expr, Domain]:
    """Both with one letter for each largest (or smallest) of numbers that are proved equal.

    Those inside others come first, so that what is decided has few of them at a time.
    """
    one, other = _by_largest(one), _by_largest(other)
    while True:
        pairs = [(a, b) for a in _innermost(one) for b in _innermost(other)]
        same = next((p for p in pairs if _same_entries(*p, domain)), None)
        if same is None:
            return one, other, domain
        held = Symbol(f"largest_{len(domain.ranges)}", real=True)
        witness = domain.witness_of(same[1])
        domain = domain.with_range(held, Range(-oo, oo), witness)
        one, other = (e.xreplace({m: held}) for e, m in zip((one, other), same, strict=True))


def _by_largest(e: Expr) -> Expr:
    """The same with the smallest of numbers as minus the largest of theirs, as it is read."""
    return e.replace(lambda x: isinstance(x, Min), lambda x: -Max(*(-a for a in x.args)))


def _innermost(e: Expr) -> list[Max]:
    return sorted((m for m in e.atoms(Max) if not any(a.has(Max) for a in m.args)), key=str)


def _same_entries(one: Max, other: Max, domain: Domain) -> bool:
    left = list(other.args)
    for a in one.args:
        equal_to = next((b for b in left if _decided(a, b, domain)), None)
        if equal_to is None:
            return False
        left.remove(equal_to)
    return not left


def _same(old: ClampedRoot, new: ClampedRoot, domain: Domain) -> bool:
    """Whether two roots are proved to be one: equal ends, and functions of equal sign."""
    if not all(_decided(*ends, domain) for ends in ((old.low, new.low), (old.high, new.high))):
        return False
    h, x = new.equation()
    before = old.equation()[0].xreplace({old.variable: x})
    if before == h:
        return True
    if not isinstance(same_root(before, new, domain), Holds):
        return False
    # The signs are proved to agree everywhere or nowhere: one point tells which.
    middle = (new.low + new.high) / 2 if new.high is not oo else new.low + 1
    there = {**domain.witness, x: domain.witness_of(middle)}
    return bool((before.xreplace(there) / h.xreplace(there)).evalf(30) > 0)


def _apart(one: Expr, other: Expr, domain: Domain) -> bool:
    """Whether the values differ at one of a few admissible points."""
    for point in (domain.witness, *domain.points(FEW)):
        if domain.contains(point):
            values = [value_at(e, point) for e in (one, other)]
            if all(v.is_real and v.is_finite for v in values):
                if abs(values[0] - values[1]) > CLOSE * (1 + abs(values[1])):
                    return True
    return False
