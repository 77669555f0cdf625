r"""Other names for symbols, in LaTeX and in Python, strictly checked.

A name in LaTeX is a letter or a Greek letter, with accents, a font and indices, and nothing
else: what is written into a paper's preamble cannot do anything there.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Sequence

from sympy import Symbol, latex

from ..theorem.compile import taken_names
from ..theorem.result import Result
from .display import words, written

MAX_NAME = 60  #: characters of a symbol's new name


class ExportError(ValueError):
    """Something cannot be written as asked; the message is one line."""


def rename(
    pairs: Iterable[str], results: Sequence[Result], *, python: bool = False
) -> tuple[dict[str, str], dict[str, str]]:
    r"""Read ``tau=T`` or ``\tau=\tilde{\tau}``: the names for LaTeX, and those for Python.

    Raises
    ------
    ExportError
        If a symbol is unknown, a new name is not accepted, or two symbols get one name.
    """
    known = {s.name: s for r in results for s in symbols_of(r)}
    tex: dict[str, str] = {}
    plain: dict[str, str] = {}
    for pair in pairs:
        old, equals, new = (part.strip() for part in pair.partition("="))
        old = old.removeprefix("\\")
        if not equals or not new:
            raise ExportError(f"{short(pair)!r} is not SYMBOL=NAME, such as tau=T")
        if old not in known:
            raise ExportError(f"no symbol is called {short(old)!r}; there are {', '.join(known)}")
        if old in tex:
            raise ExportError(f"{old} is renamed twice")
        if re.fullmatch(r"[A-Za-z]\w*", new, re.ASCII):
            tex[old] = _word(new)
            if keyword.iskeyword(new) or new in {"float", *taken_names()}:
                raise ExportError(f"{new!r} cannot be a name in Python")
            plain[old] = new
        elif python:
            raise ExportError(f"{short(new)!r} is not a name in Python; rename for LaTeX only")
        else:
            tex[old] = symbol_name(new)
    for r in results:
        _distinct([tex.get(s.name) or written(s) for s in symbols_of(r)], r)
        taken = [written(s) for s in words_of(r)] + [q.symbol for q in r.quantities.values()]
        given = {_bare(tex[s.name]): tex[s.name] for s in symbols_of(r) if s.name in tex}
        for name in sorted(set(given) & set(map(_bare, taken))):
            raise ExportError(f"{given[name]} is taken in {r.id}: it is the name of a quantity")
        if python:
            _distinct([plain.get(s.name, s.name) for s in symbols_of(r)], r)
    return tex, plain


def _bare(tex: str) -> str:
    return re.sub(r"[{}\s]", "", tex)


def _distinct(names: list[str], result: Result) -> None:
    bare = [_bare(n) for n in names]
    twice = sorted({n for n in names if bare.count(_bare(n)) > 1})
    if twice:
        raise ExportError(f"two symbols of {result.id} would be called {twice[0]}")


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
_LETTERS = {"\\" + name for name in _GREEK.split()}
_MARKS = {"\\" + n for n in ("star", "prime", "ast", "dagger", "circ", "top", "perp", "min", "max")}
_OVER = {"\\" + n for n in ("tilde", "hat", "bar", "vec", "dot", "check", "widetilde", "widehat")}
_OVER |= {"\\" + n for n in ("overline", "underline")}
_FONTS = {"\\" + n for n in ("mathrm", "mathit", "mathbf", "mathsf", "mathcal", "mathbb", "text")}
_TOKEN = re.compile(r"\s*(\\[A-Za-z]+|[A-Za-z0-9{}_^'+*-])\s*", re.ASCII)

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
    tokens, at = [], 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise ExportError(f"{short(text)!r} is not accepted as a name: {ACCEPTED}")
        tokens.append(found[1])
        at = found.end()
    reader = _NameReader(tokens, text)
    name = reader.base() + reader.indices()
    if reader.tokens:
        raise reader.refusal()
    return name


class _NameReader:
    """base { _ or ^ index }, where a base may be accented; consumes its tokens."""

    def __init__(self, tokens: list[str], text: str):
        self.tokens, self.text = tokens[::-1], text

    def refusal(self) -> ExportError:
        return ExportError(f"{short(self.text)!r} is not accepted as a name: {ACCEPTED}")

    def next(self) -> str:
        if not self.tokens:
            raise self.refusal()
        return self.tokens.pop()

    def group(self) -> list[str]:
        """A token, or what stands in braces."""
        token = self.next()
        if token != "{":
            return [token]
        found, depth = [], 1
        while depth:
            token = self.next()
            depth += {"{": 1, "}": -1}.get(token, 0)
            found.append(token)
        return found[:-1]

    def base(self) -> str:
        token = self.next()
        if token in _LETTERS or token.isalpha():
            return token
        if token in _OVER:
            inner = _NameReader(self.group(), self.text)
            name = inner.base() + inner.indices()
            if inner.tokens:
                raise self.refusal()
            return f"{token}{{{name}}}"
        if token in _FONTS:
            letters = self.group()
            if not letters or not all(t.isalnum() for t in letters):
                raise self.refusal()
            return f"{token}{{{''.join(letters)}}}"
        raise self.refusal()

    def indices(self) -> str:
        found: dict[str, str] = {}
        while self.tokens and self.tokens[-1] in ("_", "^", "'"):
            which = self.next()
            if which == "'":
                which, inside = "^", [r"\prime"]
            else:
                inside = self.group()
            if which in found or not inside:
                raise self.refusal()
            found[which] = self._index(inside)
        return "".join(f"{which}{{{inside}}}" for which, inside in found.items())

    def _index(self, tokens: list[str]) -> str:
        inner, parts = _NameReader(tokens, self.text), []
        while inner.tokens:
            token = inner.tokens[-1]
            if token in _FONTS or token in _OVER:
                parts.append(inner.base())
                continue
            if not (token.isalnum() or token in _LETTERS | _MARKS or token in "+-*"):
                raise self.refusal()
            inner.next()
            gap = " " if token[0] == "\\" and inner.tokens and inner.tokens[-1].isalpha() else ""
            parts.append(token + gap)
        return "".join(parts)


def short(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "..."
