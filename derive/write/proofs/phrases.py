r"""Formulas in words of steps that are more than names and signs, and what they are in LaTeX.

While the rest of a sentence is read, each is one private character.
"""

from __future__ import annotations

#: Those that hold others in them come first.
PHRASES: dict[str, str] = {
    "(1/m) sum_i Var[U_i]": r"$\frac{1}{m} \sum_i \mathrm{Var}[U_i]$",
    "log-sum-exp": "log-sum-exp",
    "log-": "log-",  # part of a word
    "R^d": r"$\mathbb{R}^d$",
    "log |x - y|": r"$\log |x - y|$",
    "|x - y|^gamma": r"$|x - y|^\gamma$",
    "(twice the cosine)^gamma": r"(twice the cosine)${}^\gamma$",
    "n log(n - 1)": r"$n \log(n - 1)$",
    "log R": r"$\log R$",
    "tr(Z'MZ)/tau": r"$\operatorname{tr}(Z^\top M Z)/\tau$",
    "tr(Z'MZ)": r"$\operatorname{tr}(Z^\top M Z)$",
    "tr(Z'LZ)": r"$\operatorname{tr}(Z^\top L Z)$",
    "tr(Z' Lap(S) Z)": r"$\operatorname{tr}(Z^\top \operatorname{Lap}(S) Z)$",
    "(2/tau) (Lap(S) - Lap(S_Q)) Z": (
        r"$(2/\tau) (\operatorname{Lap}(S) - \operatorname{Lap}(S_Q)) Z$"
    ),
    "Lap(P) = diag(row sums of P) - P": (
        r"$\operatorname{Lap}(P) = \operatorname{diag}(\text{row sums of } P) - P$"
    ),
    "Lap(S) = diag(row sums) - S": (
        r"$\operatorname{Lap}(S) = \operatorname{diag}(\text{row sums}) - S$"
    ),
    "M = Lap(S) - (n I - J)/(n - 1)": r"$M = \operatorname{Lap}(S) - (n I - J)/(n - 1)$",
    "(n I - J)/(n - 1)": "$(n I - J)/(n - 1)$",
    "Lap(S) - n/(n - 1)": r"$\operatorname{Lap}(S) - n/(n - 1)$",
    "Lap(S)": r"$\operatorname{Lap}(S)$",
    "M - diag(y)": r"$M - \operatorname{diag}(y)$",
    "S = (P + P')/2": r"$S = (P + P^\top)/2$",
    "(Q + Q')/2": r"$(Q + Q^\top)/2$",
    "8 - x'ZZ'x/8": r"$8 - x^\top Z Z^\top x/8$",
    "x'Lx": r"$x^\top L x$",
    "Lv = s v + r": "$L v = s v + r$",
}
#: By the character that stands for one.
CHARACTERS = {said: chr(0xE100 + k) for k, said in enumerate(PHRASES)}


def held(text: str) -> str:
    """The text with a character for each of these formulas."""
    for said, character in CHARACTERS.items():
        text = text.replace(said, character)
    return text


def released(text: str) -> str:
    """The text with LaTeX for each of the characters."""
    for said, character in CHARACTERS.items():
        text = text.replace(character, PHRASES[said])
    return text
