r"""Commands that only set what stands in them, taken off before anything is read.

``\mathrel{:=}``, ``\ensuremath{x}`` and ``\smash{x}`` print what is in the braces;
``{\rm min}`` is ``{\mathrm{min}}``.
"""

from __future__ import annotations

from dataclasses import replace

from ...language.statement import TexError
from ...language.tokens import Token, show
from ...language.vocabulary import ANNOTATED, COLOURS, OLD_FONTS, VISIBLE, WRAPPERS


def plain(tokens: list[Token]) -> list[Token]:
    """The same tokens without wrappers, with font switches as font commands."""
    return _with_fonts(_with_signs(_unwrapped(tokens)))


def _char(token: Token, text: str) -> bool:
    return token.kind == "char" and token.text == text


def _skip(tokens: list[Token], k: int) -> int:
    while k < len(tokens) and tokens[k].kind == "space":
        k += 1
    return k


def _after_group(tokens: list[Token], k: int, opening: str, closing: str) -> int:
    """The place after the group at ``k``; ``k`` itself if there is none."""
    start = k = _skip(tokens, k)
    if k >= len(tokens) or not _char(tokens[k], opening):
        return start
    depth = 0
    while k < len(tokens):
        depth += _char(tokens[k], opening) - _char(tokens[k], closing)
        k += 1
        if not depth:
            return k
    raise TexError(f"{opening} is not closed", tokens[start].at)


def _unwrapped(tokens: list[Token]) -> list[Token]:
    out: list[Token] = []
    dropped: set[int] = set()
    k = 0
    while k < len(tokens):
        token = tokens[k]
        k += 1
        if token.kind != "command":
            out += [token] if k - 1 not in dropped else []
        elif token.text == "\\vcentcolon":
            out.append(replace(token, kind="char", text=":"))
        elif token.text in COLOURS:  # the name of the colour is not part of the formula
            start, k = k, _after_group(tokens, k, "{", "}")
            colour = "".join(t.text for t in tokens[start:k]).strip("{} ").lower()
            if not VISIBLE.fullmatch(colour):
                colour = show(colour) if colour else "a colour that is not named"
                raise TexError(f"what is set in {colour} may not be seen", token.at)
        elif token.text == "\\fbox":  # of one formula: \fbox{$ .. $}
            dollars = [k + 1, _after_group(tokens, k, "{", "}") - 2]
            there = [j for j in range(k, dollars[1] + 1) if _char(tokens[j], "$")]
            dropped |= {*dollars} if there == dollars else set()
            out.append(replace(token, text="\\boxed") if there == dollars else token)
        elif token.text in WRAPPERS:
            k = _skip(tokens, k)
            if token.text == "\\smash":
                k = _after_group(tokens, k, "[", "]")
        else:
            out.append(token)
    return out


def _with_signs(tokens: list[Token]) -> list[Token]:
    r"""Take the braces off the colon of ``{:}=``, which ``\mathrel{\mathop:}=`` leaves."""
    out: list[Token] = []
    k = 0
    while k < len(tokens):
        three = tokens[k : k + 3]
        bare = len(three) == 3 and [t.text for t in three] == ["{", ":", "}"]
        before = next((t.text for t in reversed(out[-3:]) if t.kind != "space"), "")
        if bare and before not in ANNOTATED | {"_", "^"}:
            out.append(three[1])
            k += 3
        else:
            out.append(tokens[k])
            k += 1
    return out


def _with_fonts(tokens: list[Token]) -> list[Token]:
    r"""Write ``{\rm x}`` as ``{\mathrm{x}}``."""
    out: list[Token] = []
    closers: list[int] = []  # how many braces to close where each open one closes
    for k, token in enumerate(tokens):
        before = out[-1] if out else None
        if token.text in OLD_FONTS and token.kind == "command" and closers:
            if before is not None and _char(before, "{"):
                closers[-1] += 1
                out.append(replace(token, text=OLD_FONTS[token.text]))
                out.append(replace(token, kind="char", text="{"))
                continue
        if _char(token, "{"):
            closers.append(0)
        elif _char(token, "}") and closers:
            out.extend([token] * closers.pop())
        elif token.kind == "space" and before is not None and _char(before, "{"):
            after = tokens[k + 1] if k + 1 < len(tokens) else None
            if after is not None and after.text in OLD_FONTS:
                continue
        out.append(token)
    return out
