r"""Macros of a document, and their expansion in a formula, with hard limits."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field, replace
from functools import lru_cache

from ...frozen import FrozenValue
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


class Macro(FrozenValue):
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
    default, fences = definition.default, definition.fences
    try:
        if definition.meant:
            return Macro(0, _body(definition.meant, 0), final=True)
        return Macro(
            definition.arity,
            _body(definition.body, definition.arity),
            None if default is None else _body(default, 0),
            starred=fences and _body("\\left{}#1\\right{}".format(*fences), 1),
        )
    except TexError:
        return Macro(0, (), problem="is defined in a way that is not read")


class Macros(FrozenValue):
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
                raise TexError(f"the macro {show(token.text)} never stops expanding", token.at)
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

    def up_to(end: str) -> _Pieces:
        """What stands before a closing bracket, which is taken too."""
        taken: _Pieces = []
        depth = 0
        while waiting:
            piece = waiting.pop()
            if not depth and piece[0].kind == "char" and piece[0].text == end:
                return taken
            depth += {"{": 1, "}": -1}.get(piece[0].text, 0) if piece[0].kind == "char" else 0
            taken.append(piece)
        raise TexError(f"the macro {show(call.text)} lacks an argument", call.at)

    for k in range(macro.arity):
        while waiting and waiting[-1][0].kind == "space":
            waiting.pop()
        first = waiting[-1][0] if waiting else Token("end", "", call.at)
        if k == 0 and macro.default is not None:
            if first.text == "[":
                waiting.pop()
                arguments.append(up_to("]"))
            else:
                default = (replace(t, at=call.at, chunk=call.chunk) for t in macro.default)
                arguments.append([(t, 0) for t in default])
        elif first.kind in ("begin", "end") or first.text == "}":
            up_to("")
        else:
            piece = waiting.pop()
            is_group = first.kind == "char" and first.text == "{"
            arguments.append(up_to("}") if is_group else [piece])
    return arguments
