"""One small edit of the source that makes a false equation true.

Every candidate changes the source at one place: another sign, symbol or number, a factor
more or less, a fraction upside down. Candidates are read and evaluated at a few points in
floating point; those that agree there are put to the same check as the equation itself.
"""

from __future__ import annotations

import cmath
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any

from sympy import Expr, Max, Min, Pow, Symbol, exp, latex, log

from ..engine.evidence import Grade
from ..engine.normal import ExpField, NotInField
from .directives import Directive
from .lookup import Meant
from .statement import TexError, Unread
from .tokens import Token, tokenise

if TYPE_CHECKING:
    from .compare import Finding
    from .macros import Macros

#: How many candidates are read, and how many of those that agree at points are proved.
MOST, PROVED = 4000, 12
#: Operations in a factor that is still a small edit.
SHORT = 8
#: Relative difference of floating point values that still counts as agreement.
NEAR = 1e-9


@dataclass(frozen=True)
class Edit:
    """A change of the source: what it is in words, and the source after it."""

    description: str
    source: str


def suggest(source: str, meant: Meant, directive: Directive, macros: Macros | None) -> Edit | None:
    """The first edit, simplest kinds first, with which the equation is proved."""
    from .compare import judge
    from .reader import read

    try:
        tokens = [t for t in tokenise(source) if t.kind != "space"]
    except TexError:
        return None
    points = _points(meant)
    seen = {source}
    tried = 0
    for edit in islice(_edits(source, tokens, meant), MOST):
        if edit.source in seen:
            continue
        seen.add(edit.source)
        try:
            statement = read(edit.source, meant.names, macros)
            if not _agrees(statement.sides, meant, points):
                continue
            tried += 1
            found: Finding = judge(statement, meant, directive)
        except (TexError, RecursionError):
            continue
        if found.verdict == "equal" and found.evidence == str(Grade.EXACT):
            return edit
        if tried == PROVED:
            break
    return _factor(source, tokens, meant, directive, macros)


def _factor(
    source: str, tokens: list[Token], meant: Meant, directive: Directive, macros: Macros | None
) -> Edit | None:
    """The factor that the last side lacks, if it is short."""
    from .compare import judge
    from .reader import read

    last = read(source, meant.names, macros).sides[-1]
    if not isinstance(last, Expr) or len(meant.derived) > 1:
        return None
    given = {s: v for s, v in meant.point.items() if v.is_finite}
    try:
        field = ExpField([meant.derived[0], last.xreplace(given)])
        quotient = field.factored(field(meant.derived[0]) / field(last.xreplace(given)))
    except (NotInField, ZeroDivisionError):
        return None
    if quotient == 1 or quotient.count_ops() > SHORT or quotient.has(log):
        return None
    start = max((_end(t) for t in tokens if t.text in _RELATIONS), default=0)
    body = source[start:].strip().rstrip(".,;")
    factor = latex(quotient)
    edit = Edit(
        f"multiply the last side by {factor}",
        rf"{source[:start]} {factor} \left({body}\right)",
    )
    try:
        found = judge(read(edit.source, meant.names, macros), meant, directive)
    except TexError:  # alignment or a label stands in it: the words are enough
        return edit
    return edit if found.ok else None


# --- candidates -----------------------------------------------------------------------------
_FLIPPED = {
    "+": "-", "-": "+", "<": ">", ">": "<", r"\le": r"\ge", r"\ge": r"\le",
    r"\leq": r"\geq", r"\geq": r"\leq", r"\leqslant": r"\geqslant", r"\geqslant": r"\leqslant",
    r"\max": r"\min", r"\min": r"\max",
}  # fmt: skip
_STRICTER = {
    "<": r"\le", ">": r"\ge", r"\le": "<", r"\ge": ">", r"\leq": "<", r"\geq": ">",
}  # fmt: skip


_RELATIONS = {"=", "<", ">", r"\le", r"\ge", r"\leq", r"\geq", r"\in"}


def _edits(source: str, tokens: list[Token], meant: Meant) -> Iterator[Edit]:
    start = _body(tokens)
    for kind in (_signs, _symbols, _numbers, _fractions, _dropped, _shifted, _inserted):
        yield from kind(source, tokens[start:], meant)


def _body(tokens: list[Token]) -> int:
    """Where the first side ends: what is defined there is not edited."""
    for i, token in enumerate(tokens):
        if token.text in _RELATIONS:
            return i
    return 0


def _replace(source: str, start: int, end: int, new: str, words: str) -> Edit:
    # A command and a letter after it must not run together.
    if new and new[-1:].isalpha() and "\\" in new and source[end : end + 1].isalpha():
        new += " "
    return Edit(words, source[:start] + new + source[end:])


def _end(token: Token) -> int:
    return token.at + len(token.text)


def _signs(source: str, tokens: list[Token], meant: Meant) -> Iterator[Edit]:
    for table in (_FLIPPED, _STRICTER):
        for t in tokens:
            if t.text in table:
                new = table[t.text]
                words = f"write {new} for {t.text} {_where(source, t)}"
                yield _replace(source, t.at, _end(t), f"{new} " if new[0] == "\\" else new, words)
    for before, t in pairwise(tokens):
        if _begins(t) and (before.text in "{([=" or before.text in (r"\exp", r"\left")):
            yield _replace(source, t.at, t.at, "-", f"insert - before {t.text} {_where(source, t)}")
        if before.text in "{([=" and t.text == "-":
            yield _replace(source, t.at, _end(t), "", f"delete - {_where(source, t)}")


def _symbols(source: str, tokens: list[Token], meant: Meant) -> Iterator[Edit]:
    names = _short_names(meant)
    for t in tokens:
        if t.text in names:
            for new in names:
                if new != t.text:
                    words = f"write {new} for {t.text} {_where(source, t)}"
                    yield _replace(source, t.at, _end(t), new, words)


def _numbers(source: str, tokens: list[Token], meant: Meant) -> Iterator[Edit]:
    for t in tokens:
        if t.text.isdigit():
            for value in (int(t.text) + 1, int(t.text) - 1):
                if value >= 0:
                    words = f"write {value} for {t.text} {_where(source, t)}"
                    yield _replace(source, t.at, _end(t), str(value), words)


def _shifted(source: str, tokens: list[Token], meant: Meant) -> Iterator[Edit]:
    names = _short_names(meant)
    for t in tokens:
        if t.text in names:
            for new in (
                f"({t.text}-1)",
                f"({t.text}+1)",
                f"{t.text}^2",
                rf"\frac{{1}}{{{t.text}}}",
            ):
                words = f"write {new} for {t.text} {_where(source, t)}"
                yield _replace(source, t.at, _end(t), new, words)


def _fractions(source: str, tokens: list[Token], meant: Meant) -> Iterator[Edit]:
    for i, t in enumerate(tokens):
        if t.text in (r"\frac", r"\dfrac", r"\tfrac"):
            above = _group(tokens, i + 1)
            below = _group(tokens, above[1] + 1) if above else None
            if above and below:
                (a, b), (c, d) = above, below
                first = source[tokens[a].at : _end(tokens[b])]
                second = source[tokens[c].at : _end(tokens[d])]
                yield _replace(
                    source,
                    tokens[a].at,
                    _end(tokens[d]),
                    second + first,
                    f"turn the fraction {_where(source, t)} upside down",
                )


def _group(tokens: list[Token], i: int) -> tuple[int, int] | None:
    """First and last token of a braced group that starts at ``i``."""
    if i >= len(tokens) or tokens[i].text != "{":
        return None
    depth = 0
    for j in range(i, len(tokens)):
        depth += {"{": 1, "}": -1}.get(tokens[j].text, 0)
        if depth == 0:
            return i, j
    return None


def _dropped(source: str, tokens: list[Token], meant: Meant) -> Iterator[Edit]:
    names = _short_names(meant)
    for i, t in enumerate(tokens):
        if t.text in names or t.text.isdigit():
            yield _replace(source, t.at, _end(t), "", f"delete {t.text} {_where(source, t)}")
            after = tokens[i + 1] if i + 1 < len(tokens) else None
            if i and tokens[i - 1].text in "+-":
                words = f"delete {tokens[i - 1].text}{t.text} {_where(source, t)}"
                yield _replace(source, tokens[i - 1].at, _end(t), "", words)
            if after and after.text == "^" and i + 2 < len(tokens):
                words = f"delete the power {_where(source, t)}"
                group = _group(tokens, i + 2)
                last = tokens[group[1] if group else i + 2]
                yield _replace(source, after.at, _end(last), "", words)


def _inserted(source: str, tokens: list[Token], meant: Meant) -> Iterator[Edit]:
    names = _short_names(meant)
    factors = [*names, "2", *(f"({s}-1)" for s in names)]
    places = [
        (before, t)
        for before, t in pairwise(tokens)
        if _begins(t) and before.text not in ("^", "_", r"\frac", r"\dfrac", r"\tfrac", r"\sqrt")
    ]
    for factor in factors:
        for _, t in places:
            words = f"insert {factor} before {t.text} {_where(source, t)}"
            yield _replace(source, t.at, t.at, f"{factor} ", words)
    for factor in factors:
        for _, t in places:
            words = f"insert 1/{factor} before {t.text} {_where(source, t)}"
            yield _replace(source, t.at, t.at, rf"\frac{{1}}{{{factor}}} ", words)
    for before, t in pairwise(tokens):
        if before.text in "{(" and _begins(t):
            for term in ("1+", *(f"{s}+" for s in names), *(f"{s}-" for s in names)):
                words = f"insert {term} before {t.text} {_where(source, t)}"
                yield _replace(source, t.at, t.at, term, words)
        if t.text in "})" and before.text not in "{(":
            for term in ("-1", "+1"):
                yield _replace(source, t.at, t.at, term, f"insert {term} {_where(source, t)}")


def _begins(token: Token) -> bool:
    """Whether a factor may begin with a token."""
    if token.kind == "command":
        return bool(re.fullmatch(r"\\(frac|dfrac|tfrac|sqrt|log|ln|exp|left|[a-z]+)", token.text))
    return token.kind == "char" and (token.text.isalnum() or token.text in "({[")


def _where(source: str, token: Token) -> str:
    line = source.count("\n", 0, token.at)
    column = token.at - (source.rfind("\n", 0, token.at) + 1) + 1
    return f"at column {column}" + (f" of line {line + 1} of the display" if line else "")


def _short_names(meant: Meant) -> list[str]:
    """LaTeX names of one token, for the symbols that the derived value may contain."""
    used = set().union(*(e.free_symbols for e in meant.derived))
    used |= {q.bound[0] for q in meant.quantities if q.bound}
    return [k for k, e in meant.names.items() if e in used and re.fullmatch(r"\\?[A-Za-z]+", k)]


# --- values ---------------------------------------------------------------------------------
Point = Mapping[Symbol, complex]


def _points(meant: Meant) -> list[Point]:
    """Three points inside the domain, with nothing special about them."""
    found: list[Point] = []
    for k, place in enumerate(meant.domain.points(40)):
        if k % 5 == 2 and meant.domain.contains(place):
            found.append({s: complex(v) for s, v in place.items()})
    return found[:3]


def _agrees(sides: tuple[object, ...], meant: Meant, points: list[Point]) -> bool:
    """Whether the last side has the derived value at the points; True if that is not plain."""
    last: Any = sides[-1]
    if isinstance(last, Unread) or not isinstance(last, Expr) or len(meant.derived) > 1:
        return True
    (own,), (derived,) = meant.own, meant.derived
    if own in last.free_symbols or (meant.quantities[0].bound and len(sides) > 2):
        return True
    symbols = {s for s in last.free_symbols if isinstance(s, Symbol)}
    given = {s: complex(v) for s, v in meant.point.items() if v.is_finite}
    for point in points:
        there = {**point, **given}
        if not symbols <= set(there):
            return True
        one, other = value(last, there), value(derived, there)
        if other is None:
            continue
        if one is None or abs(one - other) > NEAR * (1 + abs(other)):
            return False
    return True


def value(e: Expr, point: Point) -> complex | None:
    """A floating point value, fast; None where there is none or a function is not known."""
    try:
        return _value(e, point)
    except (ValueError, OverflowError, ZeroDivisionError, KeyError):
        return None


def _value(e: Expr, point: Point) -> complex:
    if e.is_Symbol:
        return point[e]
    if e.is_Number or e.is_NumberSymbol:
        return complex(e)
    if e.is_Add:
        return sum((_value(a, point) for a in e.args), 0j)
    if e.is_Mul:
        total = 1 + 0j
        for a in e.args:
            total *= _value(a, point)
        return total
    function = _FUNCTIONS.get(e.func)
    if function is not None:
        return function(*(_value(a, point) for a in e.args))
    raise ValueError(f"{e.func} is not known")


def _power(base: complex, exponent: complex) -> complex:
    return complex(base**exponent)


_FUNCTIONS: dict[type, Callable[..., complex]] = {
    Pow: _power,
    exp: cmath.exp,
    log: cmath.log,
    Max: lambda *a: max(a, key=lambda z: z.real),
    Min: lambda *a: min(a, key=lambda z: z.real),
}
