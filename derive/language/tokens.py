"""Tokens of LaTeX in math mode, each with its place in the source.

A control word swallows the blanks after it, as in TeX. Blanks elsewhere stay (one token a
run): they mean nothing in mathematics, but a text such as ``if and only if`` needs them, and
``1 0`` prints as 10, so that somebody has to notice.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .statement import TexError

MAX_LENGTH = 20_000  #: characters of one display
MAX_TOKENS = 5_000  #: after macros are expanded, blanks not counted
MAX_NESTING = 60


@dataclass(frozen=True, slots=True)
class Token:
    r"""One token.

    Attributes
    ----------
    kind
        ``command`` (text with the backslash), ``char``, ``space``, or ``begin`` and ``end`` of
        an environment (text is its name).
    at
        Offset into the source. What a macro expands to stands where the macro was called.
    chunk
        Which expansion of several tokens it came from, 0 for the source itself. TeX takes an
        unbraced argument before it expands macros, so such an argument must not be taken
        from the middle of an expansion.
    """

    kind: str
    text: str
    at: int
    chunk: int = 0


_TOKEN = re.compile(
    r"""
      (?P<comment> % [^\n]* (?: \n [ \t]* | $ ) )
    | \\ (?P<edge> begin | end ) [ \t\n]* \{ (?P<environment> [A-Za-z]+ \*? ) \}
    | (?P<command> \\ (?: [A-Za-z]+ | . ) )
    | (?P<space> [ \t\r\n]+ )
    | (?P<char> . )
    """,
    re.VERBOSE | re.DOTALL,
)
#: Characters beyond ASCII that print what a command or another character does.
_SIGNS = {
    **{chr(0x3B1 + k): f"\\{name}" for k, name in enumerate(
        "alpha beta gamma delta varepsilon zeta eta theta iota kappa lambda mu nu xi omicron pi "
        "rho varsigma sigma tau upsilon varphi chi psi omega".split())},
    **{"ϵ": "\\epsilon", "ϕ": "\\phi", "ϑ": "\\vartheta", "Φ": "\\Phi", "Ω": "\\Omega"},
    **{"Γ": "\\Gamma", "Δ": "\\Delta", "Θ": "\\Theta", "Λ": "\\Lambda", "Σ": "\\Sigma"},
    **{"−": "-", "×": "\\times", "·": "\\cdot", "⋅": "\\cdot", "≤": "\\le", "≥": "\\ge"},
    **{"≠": "\\ne", "→": "\\to", "∞": "\\infty", "∈": "\\in", "⊤": "\\top", "∇": "\\nabla"},
    **{"ℓ": "\\ell", "‖": "\\|", "⟨": "\\langle", "⟩": "\\rangle", "\u00a0": " "},
}  # fmt: skip
_BLANKS = re.compile(r"[ \t\r\n]*")


def show(text: str) -> str:
    """Quote a piece of the source for a message of one line, whatever is in it."""
    text = text if len(text) <= 40 else text[:37] + "..."
    return "'" + "".join(c if " " <= c <= "~" else ascii(c)[1:-1] for c in text) + "'"


def tokenise(source: str, limit: int = MAX_LENGTH) -> list[Token]:
    """Split a display into tokens.

    Raises
    ------
    TexError
        If it is longer than ``limit`` or holds a character that is not ASCII.
    """
    if len(source) > limit:
        raise TexError(f"a formula of {len(source)} characters is too long (at most {limit})")
    tokens: list[Token] = []
    at = 0
    while at < len(source):
        match = _TOKEN.match(source, at)
        assert match is not None  # the last alternative is any character
        start, at = at, match.end()
        kind, text = match.lastgroup or "", match.group()
        if kind == "comment":
            continue
        if kind == "environment":
            kind, text = match["edge"], match["environment"]
        elif kind == "command" and text[1].isalpha():
            at = _BLANKS.match(source, at).end()  # type: ignore[union-attr]
        elif kind == "char" and text in _SIGNS:
            text = _SIGNS[text]
            kind = {"\\": "command", " ": "space"}.get(text[0], "char")
        elif kind != "space" and not " " <= text[-1] <= "~":
            if text[-1] not in "\t\r\n":
                raise TexError(f"the character U+{ord(text[-1]):04X} cannot be read", start)
            text = "\\ "  # a backslash at the end of a line is a blank
        tokens.append(Token(kind, text, start))
    return tokens


def closing(tokens: list[Token]) -> dict[int, int]:
    """Match braces and environments: index of the opening token -> index of the closing one.

    Raises
    ------
    TexError
        If they do not match or are nested too deeply.
    """
    opened: list[int] = []
    partner: dict[int, int] = {}
    for index, token in enumerate(tokens):
        if token.kind == "begin" or (token.kind == "char" and token.text == "{"):
            opened.append(index)
            if len(opened) > MAX_NESTING:
                raise TexError(f"nested more than {MAX_NESTING} deep", token.at)
        elif token.kind == "end" or (token.kind == "char" and token.text == "}"):
            wanted = ("begin", token.text) if token.kind == "end" else ("char", "{")
            start = tokens[opened[-1]] if opened else None
            if start is None or (start.kind, start.text) != wanted:
                what = f"\\end{{{token.text}}}" if token.kind == "end" else "a closing brace"
                raise TexError(f"{what} has no beginning", token.at)
            partner[opened.pop()] = index
    if opened:
        token = tokens[opened[-1]]
        what = "a brace" if token.kind == "char" else f"\\begin{{{token.text}}}"
        raise TexError(f"{what} is not closed", token.at)
    return partner
