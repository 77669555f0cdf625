r"""Macros of a document, and their expansion in a formula, with hard limits."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from ...language.statement import TexError
from ...language.tokens import MAX_LENGTH, MAX_TOKENS, Token, show, tokenise
from .definitions import MAX_BODY
from .scope import MAX_NAMES, Definition

MAX_DEPTH = 50
MAX_EXPANSIONS = 5_000
_SIZE = re.compile(r"\[\\[bB]igg?\]\Z")
#: What prints nothing in a formula, at the end of a body.
_SILENT = {"\\xspace", "\\protect"}
#: The well-known correction of the spaces around \\left and \\right.
_SPACING = re.compile(
    r"\\mathopen\s*\{\}\s*\\mathclose\s*\\bgroup(?=\s*\\)|\\aftergroup\s*\\egroup(?=\s*\\)"
)


@dataclass(frozen=True)
class Macro:
    """A definition in tokens. Parameters in the body are the tokens of kind ``parameter``."""

    arity: int
    body: tuple[Token, ...]
    default: tuple[Token, ...] | None = None
    problem: str = ""  #: why it must not be used, if it must not
    starred: tuple[Token, ...] | None = None  #: the body after a star
    final: bool = False  #: the body is not expanded again


def _body(text: str, arity: int) -> tuple[Token, ...]:
    """Split a definition into tokens, ``#1`` being one of kind ``parameter``."""
    tokens: list[Token] = []
    for token in tokenise(_SPACING.sub("", text), MAX_BODY + 100):
        if tokens and tokens[-1].text == "#" and tokens[-1].kind == "char":
            if not (token.text.isdigit() and 1 <= int(token.text) <= arity):
                raise TexError("a # that is not a parameter")
            tokens[-1] = Token("parameter", token.text, 0)
        elif token.text not in _SILENT:
            tokens.append(replace(token, at=0))
    if tokens and (tokens[-1].kind, tokens[-1].text) == ("char", "#"):
        raise TexError("a # that is not a parameter")
    return tuple(tokens)


@lru_cache(maxsize=5_000)
def _macro(definition: Definition) -> Macro:
    if definition.problem:
        return Macro(0, (), problem=definition.problem)
    if definition.meant:
        try:
            return Macro(0, _body(definition.meant, 0), final=True)
        except TexError:
            return Macro(0, (), problem="is defined in a way that is not read")
    arity, default, starred = definition.arity, definition.default, definition.fences
    try:
        return Macro(
            arity,
            _body(definition.body, arity),
            None if default is None else _body(default, 0),
            starred=starred and _body("\\left{}#1\\right{}".format(*starred), 1),
        )
    except TexError:
        return Macro(0, (), problem="is defined in a way that is not read")


@dataclass(frozen=True)
class Macros:
    """What the names in a formula mean, by name with the backslash."""

    known: Mapping[str, Definition] = field(default_factory=dict)

    @classmethod
    def from_document(cls, text: str) -> Macros:
        """What names mean at the end of a text.

        Raises
        ------
        TexError
            If there are more than ``MAX_NAMES``.
        """
        from .walk import Walk

        walk = Walk()
        walk.file("", text)
        if walk.scope.crowded:
            raise TexError(f"more than {MAX_NAMES} macros are defined")
        return cls(walk.scope.everything())

    def _find(self, token: Token) -> Macro | None:
        if token.kind == "begin":
            for name in (f"\\begin{{{token.text}}}", f"\\{token.text}", f"\\end{token.text}"):
                if name in self.known:
                    raise TexError(f"the environment {show(token.text)} is redefined", token.at)
        if token.kind != "command":
            return None
        found = self.known.get(token.text)
        return None if found is None else _macro(found)

    def expand(self, tokens: list[Token]) -> list[Token]:
        """Replace every macro by what it stands for.

        Raises
        ------
        TexError
            If a macro lacks an argument, may have another meaning than is known, or is not
            readable, or if the limits are passed.
        """
        if "" in self.known:
            raise TexError(f"what a formula prints {self.known[''].problem}")
        if not self.known:
            return tokens
        out: list[Token] = []
        waiting = [(token, 0) for token in reversed(tokens)]  # last first, with its depth
        expansions = printed = 0
        while waiting:
            token, depth = waiting.pop()
            macro = self._find(token) if token.kind in ("command", "begin") else None
            if macro is None:
                out.append(token)
                printed += token.kind != "space"
                if printed > MAX_TOKENS:
                    raise TexError(f"more than {MAX_TOKENS} tokens", token.at)
                continue
            expansions += 1
            if macro.problem:
                raise TexError(f"the macro {show(token.text)} {macro.problem}", token.at)
            if depth >= MAX_DEPTH or expansions > MAX_EXPANSIONS:
                raise TexError(f"the macro {show(token.text)} expands without end", token.at)
            if macro.final:
                out += [replace(t, at=token.at, chunk=token.chunk) for t in macro.body]
                continue
            macro = _variant(macro, token, waiting)
            arguments = _arguments(macro, token, waiting)
            body: list[tuple[Token, int]] = []
            for piece in macro.body:
                if piece.kind == "parameter":
                    body.extend((t, max(depth + 1, d)) for t, d in arguments[int(piece.text) - 1])
                else:
                    body.append((replace(piece, at=token.at), depth + 1))
                if len(body) + len(waiting) > MAX_LENGTH:
                    raise TexError(f"the macro {show(token.text)} expands too far", token.at)
            # An expansion of one token may stand where TeX wants one token; a longer one may not.
            chunk = token.chunk if len(body) == 1 else expansions
            body = [(replace(t, chunk=chunk), d) for t, d in body]
            waiting.extend(reversed(body))
        return out


_Pieces = list[tuple[Token, int]]


def _variant(macro: Macro, call: Token, waiting: _Pieces) -> Macro:
    r"""``\abs*`` and ``\abs[\big]`` of paired delimiters."""
    if macro.starred is None or not waiting:
        return macro
    if waiting[-1][0].text == "[":
        if not _SIZE.match("".join(token.text for token, _ in waiting[:-4:-1])):
            raise TexError(f"the macro {show(call.text)} with a size is not read", call.at)
        del waiting[-3:]
        return macro
    if waiting[-1][0].text != "*":
        return macro
    waiting.pop()
    return replace(macro, body=macro.starred)


def _arguments(macro: Macro, call: Token, waiting: _Pieces) -> list[_Pieces]:
    """Take the arguments of a call off the tokens that wait."""
    arguments: list[_Pieces] = []
    lacking = TexError(f"the macro {show(call.text)} lacks an argument", call.at)

    def skip_blanks() -> None:
        while waiting and waiting[-1][0].kind == "space":
            waiting.pop()

    if macro.default is not None:
        skip_blanks()
        if waiting and waiting[-1][0].text == "[":
            waiting.pop()
            taken: _Pieces = []
            depth = 0
            while waiting and (depth or waiting[-1][0].text != "]"):
                taken.append(waiting.pop())
                depth += {"{": 1, "}": -1}.get(taken[-1][0].text, 0)
            if not waiting:
                raise lacking
            waiting.pop()
            arguments.append(taken)
        else:
            arguments.append([(replace(t, at=call.at, chunk=call.chunk), 0) for t in macro.default])
    while len(arguments) < macro.arity:
        skip_blanks()
        if not waiting or waiting[-1][0].text == "}":
            raise lacking
        first = waiting.pop()
        if first[0].text != "{" or first[0].kind != "char":
            if first[0].kind in ("begin", "end"):
                raise lacking
            arguments.append([first])
            continue
        taken, depth = [], 1
        while waiting:
            piece = waiting.pop()
            depth += {"{": 1, "}": -1}.get(piece[0].text, 0) if piece[0].kind == "char" else 0
            if not depth:
                break
            taken.append(piece)
        if depth:
            raise lacking
        arguments.append(taken)
    return arguments
