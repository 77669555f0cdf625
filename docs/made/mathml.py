"""LaTeX of formulas as MathML, which browsers typeset without scripts or fonts of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator

LETTERS = {
    "alpha": "α",
    "tau": "τ",
    "delta": "δ",
    "epsilon": "ε",
    "mu": "μ",
    "rho": "ρ",
    "sigma": "σ",
    "infty": "∞",
}
SIGNS = {"in": "∈"}
NAMED = ("log", "exp", "min", "max")


class NotMathML(ValueError):
    """The formula has a command that is not known here."""


def mathml(tex: str) -> str:
    """The inside of a ``<math>`` element.

    Raises
    ------
    NotMathML
        If there is more in it than fractions, roots, powers, indices, brackets and names.
    """
    tokens = iter(re.findall(r"\\[a-zA-Z]+|\\.|\d+(?:\.\d+)?|\S", tex))
    return _row(tokens, "")


def in_words(text: str) -> str:
    """Words with formulas between dollars, as HTML that needs no script: for titles."""
    return re.sub(r"\$(.*?)\$", lambda found: f"<math>{mathml(found[1])}</math>", text)


def _row(tokens: Iterator[str], end: str) -> str:
    found: list[str] = []
    for token in tokens:
        if token == end:
            break
        if token in "^_" and found:
            tag = "msup" if token == "^" else "msub"
            found.append(f"<{tag}>{found.pop()}{_one(next(tokens), tokens)}</{tag}>")
        elif token != r"\,":
            found.append(_one(token, tokens))
    return f"<mrow>{''.join(found)}</mrow>"


def _one(token: str, tokens: Iterator[str]) -> str:
    name = token.removeprefix("\\")
    if token == "{":
        return _row(tokens, "}")
    if token == r"\frac":
        return f"<mfrac>{_one(next(tokens), tokens)}{_one(next(tokens), tokens)}</mfrac>"
    if token == r"\sqrt":
        return f"<msqrt>{_one(next(tokens), tokens)}</msqrt>"
    if token in (r"\mathrm", r"\mathcal", r"\operatorname"):
        word = re.sub(r"<.*?>", "", _one(next(tokens), tokens))
        return f"<mi>{word.replace('L', 'ℒ') if name == 'mathcal' else word}</mi>"
    if token == r"\left":
        opening, inside = next(tokens), _row(tokens, r"\right")
        return f"<mrow><mo>{opening}</mo>{inside}<mo>{next(tokens)}</mo></mrow>"
    if token.startswith("\\"):
        if name in LETTERS:
            return f"<mi>{LETTERS[name]}</mi>"
        if name in SIGNS:
            return f"<mo>{SIGNS[name]}</mo>"
        if name in NAMED:
            return f"<mi>{name}</mi>"
        raise NotMathML(f"{token} is not known")
    if token[0].isdigit():
        return f"<mn>{token}</mn>"
    if token.isalpha():
        return f"<mi>{token}</mi>"
    stretchy = ' stretchy="false"' if token in "()" else ""
    return f"<mo{stretchy}>{token.replace('-', '−')}</mo>"
