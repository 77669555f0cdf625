r"""How wide TeX will set a formula, from what is written: at ten points, within a few in a hundred.

Spaces around signs, the smaller styles of fractions in fractions and of scripts, and rows of
environments are followed; letters have the widths of Computer Modern, in classes.
"""

from __future__ import annotations

import re
from functools import lru_cache

_TOKEN = re.compile(r"\\begin\{[a-z*]+\}|\\end\{[a-z*]+\}|\\[A-Za-z]+|\\.|[^\s\\]")
#: Points of what is written, by classes; all other letters are a little wider than figures.
_CLASSES = {
    **dict.fromkeys("0123456789", 5.0),
    **dict.fromkeys(r"( ) [ ] \lbrack \rbrack \langle \rangle \vert".split(), 3.9),
    **dict.fromkeys(r"| i j l \ell \prime ' / \|".split(), 4.2),
    **dict.fromkeys(r". , ; :".split(), 4.5),
    **dict.fromkeys(r"m w \omega \infty".split(), 8.8),
    **dict.fromkeys("ABCDEFGHKLMNOPQRSTUVWXYZ", 8.3),
    **dict.fromkeys(r"\ , t r".split(), 3.8),
    **dict.fromkeys("KM", 9.5),
    **{r"\,": 1.7, r"\;": 2.8, r"\:": 2.3, r"\!": -1.7, r"\ ": 3.4, "~": 3.4},
    **{r"\quad": 10.0, r"\qquad": 20.0, r"\{": 5.0, r"\}": 5.0, r"\allowbreak": 0.0},
    **{r"\sum": 14.5, r"\cdot": 7.2, r"\dots": 13.0, r"\nabla": 8.4, r"\mathcal": 1.0},
}
_LETTER, _TALL, _BRACE, _COLUMN = 5.5, 7.4, 9.0, 10.0
#: Signs with the spaces around them, and where there are none.
_SIGNS = {
    **dict.fromkeys(["+", "-", r"\pm", r"\times"], (12.3, 7.8)),
    **dict.fromkeys("= < > \\le \\ge \\leq \\geq \\ne \\in \\succ \\approx".split(), (13.4, 7.8)),
    **{r"\to": (15.6, 10.0), r"\iff": (29.0, 20.0)},
}
#: Functions, set upright; and commands that take no room themselves.
_WORDS = frozenset(r"\log \exp \min \max \lim \cos \Pr".split())
_LIMITS = frozenset(r"\lim \sum \max \min".split())  # scripts stand below where displayed
_NOTHING = frozenset(
    r"\displaystyle \scriptsize \mathrm \mathbb \mathbf \mathsf \operatorname \bar \hat \tilde "
    r"\overline \emph \text \mathit \substack \notag \limits \vec \dot".split()
)
#: Sizes of displayed formulas, of those in a line, and of scripts and scripts on them.
_SIZES = (1.0, 1.0, 0.82, 0.68)


@lru_cache(maxsize=65536)
def width(tex: str, style: int = 0) -> float:
    """Points that a formula takes, displayed or, in style 1, in a line."""
    return _Reader(tex).all(style)


class _Reader:
    def __init__(self, tex: str):
        self.tokens = _TOKEN.findall(tex)
        self.at = 0

    def all(self, style: int, upright: bool = False) -> float:
        """Up to the end of the group or the environment: its columns, each as wide as need be."""
        columns, column = [0.0], 0
        used, below, script = 0.0, 0.0, [0.0, 0.0]
        is_first = True  # a sign has no operand before it, and no spaces
        while True:
            token = self.tokens[self.at] if self.at < len(self.tokens) else "}"
            if token in ("^", "_"):
                self.at += 1
                script[token == "^"] += self.atom(max(style + 1, 2))
                continue
            used += max(max(script) - below, 0.0)
            below, script = 0.0, [0.0, 0.0]
            ends = token == "}" or token.startswith(r"\end")
            if ends or token in ("&", r"\\"):
                columns[column] = max(columns[column], used)
                self.at += 1
                if ends:
                    return sum(columns) + _COLUMN * (len(columns) - 1)
                column = column + 1 if token == "&" else 0
                columns += [0.0] * (column == len(columns))
                used, is_first = 0.0, True
            elif token in _SIGNS and not upright:
                self.at += 1
                used += _SIGNS[token][is_first or style > 1] * _SIZES[style]
                is_first = True
            else:
                is_first = token in ("(", ",", r"\quad", r"\qquad")
                part = self.atom(style, upright)
                below = part if token in _LIMITS and style == 0 else 0.0
                used += part

    def atom(self, style: int, upright: bool = False) -> float:
        """What the next token begins."""
        style = min(style, len(_SIZES) - 1)
        token = self.tokens[self.at] if self.at < len(self.tokens) else "}"
        self.at += 1
        if token == "{":
            return self.all(style, upright)
        if token.startswith(r"\begin"):
            is_cases = "cases" in token
            return _BRACE * is_cases + self.all(max(style, 1), upright)
        if token == r"\frac":
            return max(self.atom(style + 1), self.atom(style + 1)) + 2.4
        if token == r"\sqrt":
            return 10.0 + self.atom(style)
        if token in (r"\left", r"\right") or token[:4].lower() == r"\big":
            self.at += 1
            return _TALL
        if token in (r"\text", r"\mathrm", r"\operatorname", r"\mathit"):
            return self.atom(style, upright=True)
        if token in _NOTHING:
            return self.atom(style, upright)
        if token in _WORDS:
            return (4.7 * (len(token) - 1) + 1.7) * _SIZES[style]
        if upright and token.isalpha():
            return (7.5 if token in "mwMW" else 3.3 if token in "iljtrf" else 5.0) * _SIZES[style]
        return _CLASSES.get(token, _LETTER) * _SIZES[style]
