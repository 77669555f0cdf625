"""Other names for symbols, in LaTeX, in text and in code, strictly checked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from keyword import iskeyword

from sympy import Symbol, latex

from ..errors import Refusal
from ..language.letters import ACCEPTED, MAX_NAME, letter
from ..losses.written import Tex
from ..theorem.about import head
from ..theorem.result import Result
from .display import words, written

#: Of JavaScript, where Python has no such word.
KEYWORDS = frozenset(
    "const default delete do enum export extends function let new null super switch this throw "
    "typeof var void".split()
)


class ExportError(Refusal, ValueError):
    """Something cannot be written as asked; the message is one line."""


def rename(pairs: Iterable[str], results: Sequence[Result]) -> dict[str, str]:
    r"""Read ``tau=T`` or ``\tau=\tilde{\tau}``: the LaTeX of symbols by their names.

    Raises
    ------
    ExportError
        If a symbol is unknown, a new name is not accepted, or two symbols get one name.
    """
    known = {s.name: s for r in results for s in symbols_of(r)}
    tex: dict[str, str] = {}
    for pair in pairs:
        old, equals, new = (part.strip() for part in pair.partition("="))
        old = old.removeprefix("\\")
        if not equals or not new:
            raise ExportError(f"{short(pair)!r} is not SYMBOL=NAME, such as tau=T")
        if old not in known:
            raise ExportError(f"no symbol is called {short(old)!r}; there are {', '.join(known)}")
        if old in tex:
            raise ExportError(f"{old} is renamed twice")
        is_word = re.fullmatch(r"[A-Za-z]\w*", new, re.ASCII)
        tex[old] = _word(new) if is_word else symbol_name(new)
    for r in results:
        names = [_bare(tex.get(s.name) or written(s)) for s in symbols_of(r)]
        if twice := sorted({n for n in names if names.count(n) > 1}):
            raise ExportError(f"two symbols of {r.id} would be called {twice[0]}")
        taken = [written(s) for s in words_of(r)] + [q.symbol for q in r.quantities.values()]
        given = {_bare(tex[s.name]): tex[s.name] for s in symbols_of(r) if s.name in tex}
        for name in sorted(set(given) & set(map(_bare, taken))):
            raise ExportError(f"{given[name]} is taken in {r.id}: it is the name of a quantity")
        for name in sorted(set(given) & _bound(r) - set(map(written, symbols_of(r)))):
            raise ExportError(f"{name} stands for something else in {r.id}: choose another name")
    return tex


def rename_plainly(pairs: Iterable[str], results: Sequence[Result]) -> dict[str, str]:
    """Read the same pairs where there is no LaTeX: names that text and code can have.

    Raises
    ------
    ExportError
        As :func:`rename` does, and if a new name is no word.
    """
    pairs = list(pairs)
    rename(pairs, results)
    halves = (pair.replace("\\", "").partition("=") for pair in pairs)
    names = {old.strip(): new.strip() for old, _, new in halves}
    for new in names.values():
        if not re.fullmatch(r"[A-Za-z]\w*", new, re.ASCII) or iskeyword(new) or new in KEYWORDS:
            raise ExportError(
                f"{short(new)!r} cannot be a name in text or code: use a word such as T"
            )
    return names


def names_in(result: Result, names: Mapping[str, str]) -> dict[str, str]:
    """The names of those symbols that a result has."""
    return {s.name: names[s.name] for s in symbols_of(result) if s.name in names}


def retold(texts: Sequence[str], names: Mapping[str, str]) -> list[str]:
    """Text or code with other names for symbols; the article is left alone.

    Raises
    ------
    ExportError
        If what a symbol is to be called stands for something else there.
    """
    for new in set(names.values()) - set(names):
        if any(re.search(rf"\b{new}\b", text) for text in texts):
            raise ExportError(f"{new} stands for something else there: choose another name")
    old = "|".join(sorted(names, key=len, reverse=True)) or "(?!)"
    symbol = re.compile(rf"(?<!\w)(?<!--)(?!a [a-z]{{2}})(?:{old})(?!\w)")
    return [symbol.sub(lambda at: names[at[0]], text) for text in texts]


def _bound(result: Result) -> set[str]:
    """Letters that the loss is written in beside its symbols: of vectors, and the dimension."""
    about = head(result, Tex(written))
    told = [about.formula.replace(r"\mathcal{L}", ""), *re.findall(r"\$(.*?)\$", str(about.notes))]
    return {"d", *re.findall(r"(?<![A-Za-z\\])[A-Za-z](?![A-Za-z])", " ".join(told))}


def _bare(tex: str) -> str:
    return re.sub(r"[{}\s]", "", tex)


def symbols_of(result: Result) -> list[Symbol]:
    """Parameters and other symbols of a result, those of its domain included."""
    used = set().union(*(q.expression.free_symbols for q in result.quantities.values()))
    others = (used | set(result.domain.ranges)) - set(result.parameters) - words_of(result)
    return [*result.parameters, *sorted(others, key=str)]


def words_of(result: Result) -> set[Symbol]:
    """Words among the values of a result's quantities."""
    return set().union(*(words(q.expression) for q in result.quantities.values()))


def _word(name: str) -> str:
    """LaTeX of a name as Python has it."""
    base, _, index = name.partition("_")
    tex = str(latex(Symbol(base)))
    if len(base) > 1 and tex == base:
        tex = rf"\mathit{{{base}}}"
    return tex + (rf"_{{\mathrm{{{index.replace('_', ' ')}}}}}" if index else "")


def symbol_name(text: str) -> str:
    r"""Check the LaTeX name of a symbol and return it in one spelling.

    Raises
    ------
    ExportError
        If it is not a letter with accents, a font and indices.
    """
    if len(text) > MAX_NAME:
        raise ExportError(f"a name of {len(text)} characters is too long (at most {MAX_NAME})")
    name = letter(text)
    if name is None:
        raise ExportError(f"{short(text)!r} is not accepted as a name: {ACCEPTED}")
    return name


def short(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "..."
