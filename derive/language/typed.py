r"""LaTeX as plain text: ``\sum_i e^{s_i}`` is typed ``sum_i exp(s_i)``."""

from __future__ import annotations

import re

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\s+|.", re.DOTALL)
#: Commands that do not print, but for what is in their braces.
_SILENT = set("mathcal mathbb mathrm mathsf operatorname left right bigl bigr Bigl Bigr".split())
#: Commands that are not typed as their names.
_SIGNS = {
    **{r"\ge": ">=", r"\le": "<=", r"\ne": "!=", r"\to": "->", r"\mapsto": "->", r"\cdot": "."},
    **{r"\succeq": ">=", r"\dots": "..", r"\cdots": "..", r"\infty": "oo", r"\top": "'"},
    **{r"\langle": "<", r"\rangle": ">", r"\lVert": "|", r"\rVert": "|", r"\|": "|"},
    **{r"\varepsilon": "epsilon", r"\nabla": "grad", r"\quad": " ", r"\bar": "mean"},
    **{r"\{": "{", r"\}": "}"},
}
_FRACTIONS = (r"\frac", r"\tfrac")
#: Commands that begin no factor.
_BETWEEN = set(
    "ge le ne to mapsto cdot succeq dots cdots quad rangle rVert right bigr Bigr in".split()
)
#: Superscripts that are no powers.
_MARKS = {"'": "'", "+": "+", "prime": "_prime"}


def typed(text: str) -> str:
    """A sentence in LaTeX with its formulas, which stand between dollars, as plain text."""
    return re.sub(r"\$([^$]*)\$", lambda at: formula(at[1]), text)


def formula(tex: str) -> str:
    """A formula in LaTeX as plain text; ``\\tau_{2}`` is the name ``tau2``."""
    tex = re.sub(r"\{\}_0F_1\(;(\w+);(\w+)\)", r"hyper((), (\1,), \2)", tex)  # as SymPy has it
    named = re.sub(r"(\\[a-z]+)_\{(\d)\}", r"\1\2", tex)  # as SymPy writes it
    return " ".join(_Reader(named).read("").split())


class _Reader:
    """Reads the tokens of a formula from left to right."""

    def __init__(self, tex: str):
        self.waiting = _TOKEN.findall(tex)[::-1]

    def read(self, end: str) -> str:
        """What stands before a closing brace, or all there is."""
        out, was_word = "", False
        while self.waiting and (token := self.waiting.pop()) != end:
            part, is_word = self._part(token), token[0] == "\\"
            if token in _FRACTIONS and self._is_multiplied():
                part = f"({part})"
            apart = (is_word or was_word) and (out[-1:].isalnum() or out[-1:] == ")")
            starts_word = part[:1].isalpha() or token in _FRACTIONS
            out += f" {part}" if apart and starts_word else part
            was_word = is_word
        return out

    def _argument(self) -> str:
        token = self.waiting.pop()
        return self._argument() if token.isspace() else self._part(token)

    def _comes(self, *tokens: str) -> bool:
        return self.waiting[: -len(tokens) - 1 : -1] == [*tokens]

    def _is_multiplied(self) -> bool:
        """Whether a factor comes next, which would be read as a part of what divides."""
        after = next((t for t in self.waiting[::-1] if t != r"\," and not t.isspace()), "")
        is_name = after[:1] == "\\" and after[1:].isalpha() and after[1:] not in _BETWEEN
        return is_name or after.isalnum() or after in ("(", "[")

    def _part(self, token: str) -> str:
        if token == "{":
            return self.read("}")
        if token in _FRACTIONS:
            return f"{_term(self._argument())}/{_factor(self._argument())}"
        if token == r"\log" and self._comes(r"\frac", "{"):
            self.waiting.pop()
            return f"log({_term(self._argument())} / {_term(self._argument())})"
        if token == r"\sqrt":
            return f"sqrt({self._argument()})"
        if token == "e" and self._comes("^", "{"):
            self.waiting.pop()
            return f"exp({self._argument()})"
        if token == "_":
            index = self._argument()
            return f"_{index}" if index.isalnum() or len(index) == 1 else f"_{{{index}}}"
        if token == "^":
            power = self._argument()
            return _MARKS.get(power) or f"^{_factor(power)}"
        if token == r"\langle" and self._comes(" "):
            self.waiting.pop()
        if token[0] != "\\":
            return token
        name = token[1:]
        return "" if name in _SILENT else _SIGNS.get(token, name if name.isalpha() else " ")


def _factor(part: str) -> str:
    """What divides, or a power, in brackets unless it is one word."""
    return part if re.fullmatch(r"\w+(\^\w+)?|\w*\([^()]*\)", part) else f"({part})"


def _term(part: str) -> str:
    """What is divided, in brackets if it is a sum."""
    outside = re.sub(r"\((?:[^()]|\([^()]*\))*\)", "", part)
    return f"({part})" if re.search(" [-+] ", outside) else part
