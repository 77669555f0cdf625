r"""Macros that a document defines for itself, and their expansion, with hard limits.

``\newcommand``, ``\renewcommand``, ``\providecommand`` (starred or not, with one optional
argument), ``\def`` with undelimited arguments, and ``\DeclareMathOperator``. Other ways to
define a name, and two different definitions of one name, are remembered as such: a formula
that uses the name is refused, since what it prints is not known.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from .statement import TexError
from .tokens import MAX_LENGTH, MAX_TOKENS, Token, show, tokenise

MAX_MACROS = 1_000  #: a widely used preamble for machine-learning papers defines 300
MAX_BODY = 2_000  #: characters of one definition
MAX_DEPTH = 50
MAX_EXPANSIONS = 5_000


@dataclass(frozen=True)
class Macro:
    """One definition. Parameters in the body are the tokens of kind ``parameter``."""

    arity: int
    body: tuple[Token, ...]
    default: tuple[Token, ...] | None = None
    problem: str = ""  #: why it must not be used, if it must not


_DEFINES = re.compile(
    r"\\(?:(?P<new>(?:new|renew|provide)command)|(?P<operator>DeclareMathOperator)|(?P<def>g?def)"
    r"|(?P<other>[ex]def|let|futurelet|DeclareRobustCommand|DeclareDocumentCommand"
    r"|(?:New|Renew|Provide)(?:Document|Expandable)\w*Command|DeclarePairedDelimiter\w*"
    r"|DeclareMathSymbol|newmathcommand))(?P<star>\*?)(?![A-Za-z])"
)
_NAME = re.compile(r"\s*(?:\{\s*(\\(?:[A-Za-z]+|[^A-Za-z\s]))\s*\}|(\\(?:[A-Za-z]+|[^A-Za-z\s])))")
_ARITY = re.compile(r"\s*\[\s*([0-9])\s*\]")
_DEFAULT = re.compile(r"\s*\[([^\[\]{}\n]{0,200})\]")
_PARAMETERS = re.compile(r"((?:#[1-9])*)\s*(?=\{)")
_UNREAD_VERBATIM = ("verbatim", "verbatim*", "lstlisting", "comment", "minted", "Verbatim")


def _without_verbatim(text: str) -> str:
    """Blank what LaTeX would not run, comments and verbatim, without moving anything."""
    kept: list[str] = []
    at = 0
    while True:
        begin = text.find("\\begin{", at)
        if begin < 0:
            kept.append(text[at:])
            break
        close = text.find("}", begin, begin + 20)
        name = text[begin + 7 : close] if close >= 0 else ""
        if name not in _UNREAD_VERBATIM:
            kept.append(text[at : begin + 7])
            at = begin + 7
            continue
        kept.append(text[at:begin])
        end = text.find(f"\\end{{{name}}}", close)
        if end < 0:
            break
        at = end
    text = "".join(kept)
    return re.sub(r"(?<!\\)((?:\\\\)*)%[^\n]*", r"\1", text)


def _group(text: str, at: int) -> tuple[str, int] | None:
    """Return the inside of the brace group at ``at`` and where it ends."""
    while at < len(text) and text[at].isspace():
        at += 1
    if at >= len(text) or text[at] != "{":
        return None
    depth, start = 0, at + 1
    end = min(len(text), start + MAX_BODY)
    while at < end:
        if text[at] == "\\":
            at += 1
        elif text[at] == "{":
            depth += 1
        elif text[at] == "}":
            depth -= 1
            if not depth:
                return text[start:at], at + 1
        at += 1
    return None


def _body(text: str, arity: int) -> tuple[Token, ...]:
    """Split a definition into tokens, ``#1`` being one of kind ``parameter``."""
    tokens: list[Token] = []
    for token in tokenise(text, MAX_BODY):
        if tokens and tokens[-1].text == "#" and tokens[-1].kind == "char":
            if not (token.text.isdigit() and 1 <= int(token.text) <= arity):
                raise TexError("a # that is not a parameter")
            tokens[-1] = Token("parameter", token.text, 0)
        else:
            tokens.append(replace(token, at=0))
    if tokens and (tokens[-1].kind, tokens[-1].text) == ("char", "#"):
        raise TexError("a # that is not a parameter")
    return tuple(tokens)


def _definition(text: str, match: re.Match[str]) -> tuple[str, Macro] | None:
    """Read one definition; None if not even its name can be found."""
    named = _NAME.match(text, match.end())
    if named is None:
        return None
    name, at = named[1] or named[2], named.end()
    unread = name, Macro(0, (), problem="is defined in a way that is not read")
    arity, default = 0, None
    if match["other"]:
        return unread
    if match["def"]:
        parameters = _PARAMETERS.match(text, at)
        if parameters is None:
            return unread
        arity = len(parameters[1]) // 2
        if parameters[1] != "".join(f"#{k + 1}" for k in range(arity)):
            return unread
        at = parameters.end()
    elif match["new"]:
        if (count := _ARITY.match(text, at)) is not None:
            arity, at = int(count[1]), count.end()
            if (given := _DEFAULT.match(text, at)) is not None:
                default, at = given[1], given.end()
    group = _group(text, at)
    if group is None or (default is not None and not arity):
        return unread
    try:
        if match["operator"]:
            inside = _body(group[0], 0)
            head = "\\operatorname" + match["star"]
            wrapped = (*tokenise(head), Token("char", "{", 0), *inside, Token("char", "}", 0))
            return name, Macro(0, tuple(replace(t, at=0) for t in wrapped))
        body = _body(group[0], arity)
        return name, Macro(arity, body, None if default is None else _body(default, 0))
    except TexError:
        return unread


@dataclass(frozen=True)
class Macros:
    """The macros of one document, by name with the backslash."""

    known: Mapping[str, Macro] = field(default_factory=dict)

    @classmethod
    def from_document(cls, text: str) -> Macros:
        """Collect the definitions in a document; what cannot be read is left out.

        Raises
        ------
        TexError
            If there are more than ``MAX_MACROS``.
        """
        text = _without_verbatim(text)
        known: dict[str, Macro] = {}
        for count, match in enumerate(_DEFINES.finditer(text)):
            if count >= 3 * MAX_MACROS:
                raise TexError(f"more than {3 * MAX_MACROS} definitions of macros")
            found = _definition(text, match)
            if found is None:
                continue
            name, macro = found
            old = known.get(name)
            if old is not None and match["new"] == "providecommand":
                continue
            if old is not None and old != macro:
                macro = Macro(0, (), problem="is defined twice, and differently")
            known[name] = macro
            if len(known) > MAX_MACROS:
                raise TexError(f"more than {MAX_MACROS} macros are defined")
        return cls(known)

    def expand(self, tokens: list[Token]) -> list[Token]:
        """Replace every macro by what it stands for.

        Raises
        ------
        TexError
            If a macro lacks an argument, is not readable, or the limits are passed.
        """
        if not self.known:
            return tokens
        out: list[Token] = []
        waiting = [(token, 0) for token in reversed(tokens)]  # last first, with its depth
        expansions = printed = 0
        while waiting:
            token, depth = waiting.pop()
            macro = self.known.get(token.text) if token.kind == "command" else None
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
