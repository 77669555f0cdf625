r"""Other names for symbols in LaTeX, strictly checked.

A name in LaTeX is a letter or a Greek letter, with accents, a font and indices, and nothing
else: what is written into a paper's preamble cannot do anything there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from sympy import Symbol, latex

from ..theorem.result import Result
from .display import words, written

MAX_NAME = 60  #: characters of a symbol's new name


class ExportError(ValueError):
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
    return tex


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


_GREEK = (
    "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi "
    "pi rho varrho sigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma "
    "Upsilon Phi Psi Omega ell"
)
_LETTER = rf"(?:[A-Za-z]|\\(?:{_GREEK.replace(' ', '|')})(?![A-Za-z]))"
_MARK = r"\\(?:star|prime|ast|dagger|circ|top|perp|min|max)(?![A-Za-z])"
_FONT = r"\\(?:mathrm|mathit|mathbf|mathsf|mathcal|mathbb|text)(?![A-Za-z])"
_OVER = r"\\(?:tilde|hat|bar|vec|dot|check|widetilde|widehat|overline|underline)(?![A-Za-z])"
#: A control word or a character, blanks after it.
_TOKEN = re.compile(r"(\\[A-Za-z]+|[A-Za-z0-9{}_^'+*-])\s*", re.ASCII)
#: A letter, perhaps in a font or with an accent, then its indices.
_NAME = re.compile(
    rf"(?:(?P<letter>{_LETTER})|(?P<font>{_FONT}) ?\{{?(?P<word>(?<=\{{)[A-Za-z0-9]+(?=\}})|"
    rf"(?<!\{{)[A-Za-z0-9])\}}?|(?P<over>{_OVER}) ?(?:(?P<one>{_LETTER})|"
    rf"\{{(?P<inner>(?:[^{{}}]|\{{[^{{}}]*\}})+)\}}))(?P<indices>.*)"
)
_PART = rf"(?:[A-Za-z0-9+*-]|{_LETTER} ?|{_MARK} ?|{_FONT}\{{[A-Za-z0-9]+\}})"
_INDEX = re.compile(rf"(?P<which>[_^])(?:(?P<one>{_PART})|\{{(?P<parts>{_PART}+)\}})|(?P<prime>')")

ACCEPTED = (
    "a letter or Greek letter, with accents such as \\tilde{..}, fonts such as \\mathcal{..}, "
    "and indices"
)


def symbol_name(text: str) -> str:
    r"""Check the LaTeX name of a symbol and return it in one spelling.

    Raises
    ------
    ExportError
        If it is not a letter with accents, a font and indices.
    """
    if len(text) > MAX_NAME:
        raise ExportError(f"a name of {len(text)} characters is too long (at most {MAX_NAME})")
    name = None
    if re.fullmatch(f"(?:{_TOKEN.pattern})+", text.lstrip(), re.ASCII):
        tokens = _TOKEN.findall(text)
        gaps = [t[0] == "\\" and next_[0].isalpha() for t, next_ in pairwise([*tokens, "}"])]
        name = _spelled("".join(t + " " * gap for t, gap in zip(tokens, gaps, strict=True)))
    if name is None:
        raise ExportError(f"{short(text)!r} is not accepted as a name: {ACCEPTED}")
    return name


def _spelled(text: str) -> str | None:
    """A name in one spelling, None if it is none."""
    found = _NAME.fullmatch(text)
    if found is None:
        return None
    name = found["letter"] or f"{found['font']}{{{found['word']}}}"
    if found["over"]:
        inner = _spelled(found["one"] or found["inner"])
        if inner is None:
            return None
        name = f"{found['over']}{{{inner}}}"
    indices = list(_INDEX.finditer(found["indices"]))
    put = {i["which"] or "^": i["one"] or i["parts"] or r"\prime" for i in indices}
    if len(put) < len(indices) or "".join(i[0] for i in indices) != found["indices"]:
        return None
    return name + "".join(f"{which}{{{inside.strip()}}}" for which, inside in put.items())


def short(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "..."
