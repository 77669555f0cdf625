r"""Formulas in words of steps that are more than names and signs, and what they are in LaTeX.

While the rest of a sentence is read, each is one private character. In sentences about one anchor
these are also inner products, lengths, sums and indices of vectors.
"""

from __future__ import annotations

import re

#: Those that hold others in them come first.
PHRASES: dict[str, str] = {
    "(1/m) sum_i Var[U_i]": r"$\frac{1}{m} \sum_i \mathrm{Var}[U_i]$",
    "log-sum-exp": "log-sum-exp",
    "log-": "log-",  # part of a word
    "R^d": r"$\mathbb{R}^d$",
    "dG/dx": "$dG/dx$",
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
    "-J (E - I) J/2 = J/2": r"$-\tfrac12 J (E - I) J = \tfrac12 J$",
    "-J D J/2": r"$-\tfrac12 J D J$",
}
#: The first of these characters.
FIRST = 0xE200
_ITEM = r"[A-Za-z](?:_[a-z])?\+?"
_PARTS = re.compile(
    rf"\(1/(?P<of>[Nn])\) sum z_(?P<i>[ij]) z_(?P=i)\^T"
    rf"|<(?P<left>{_ITEM}), (?P<right>{_ITEM})>(?P<power>\^2)?"
    r"|\|(?P<inside>[^|<>=]+)\|(?P<square>\^2)?(?P<over>/tau\^2)?"
    r"|(?P<u>[a-z])\^T (?P<form>[A-Z]) (?P<v>[a-z])"
    r"|(?<![A-Za-z])(?P<letter>[zZqpls])(?:_(?P<index>[a-z])\b|(?P<plus>\+)(?=[\s,;.)]|$))"
    r"|\b(?P<part>[AC])\^\((?P<order>[12])\)"
)


def marked(text: str, *, vectors: bool = True) -> tuple[str, dict[str, str]]:
    """The text with a character of its own for each formula, and what these stand for."""
    found: dict[str, str] = {}

    def put(formula: str) -> str:
        character = chr(FIRST + len(found))
        found[character] = formula
        return character

    for said, formula in PHRASES.items():
        if said in text:
            text = text.replace(said, put(formula))
    if vectors:
        text = _PARTS.sub(lambda at: put(f"${_tex(at)}$"), text)
    return text, found


def _tex(at: re.Match[str]) -> str:
    if at["of"]:
        i = at["i"]
        return rf"\frac{{1}}{{{at['of']}}} \sum_{i} z_{i} z_{i}^\top"
    if at["left"]:
        power = "^2" if at["power"] else ""
        return rf"\langle {_item(at['left'])}, {_item(at['right'])}\rangle{power}"
    if at["inside"]:
        inside = re.sub(_ITEM, lambda m: _item(m[0]), at["inside"])
        over = r"/\tau^2" if at["over"] else ""
        if re.match(r"n_|[A-Z]_\w n/", at["inside"]):  # of numbers, no vectors
            return f"|{at['inside']}|"
        return rf"\|{inside}\|{'^2' if at['square'] else ''}{over}"
    if at["form"]:
        return rf"{at['u']}^\top {at['form']} {at['v']}"
    if at["part"]:
        return f"{at['part']}^{{({at['order']})}}"
    letter = r"\ell" if at["letter"] == "l" else at["letter"]
    return f"{letter}_{at['index']}" if at["index"] else f"{letter}^+"


def _item(name: str) -> str:
    return f"{name[:-1]}^+" if name.endswith("+") else name
