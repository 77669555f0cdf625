"""Vectors in sentences about one anchor: inner products, lengths, sums and indices as LaTeX."""

from __future__ import annotations

import re

#: What a formula of vectors is called while the rest of its sentence is read.
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


def marked(text: str) -> tuple[str, dict[str, str]]:
    """The text with a character of its own for each formula, and what these stand for."""
    found: dict[str, str] = {}

    def put(at: re.Match[str]) -> str:
        character = chr(FIRST + len(found))
        found[character] = f"${_tex(at)}$"
        return character

    return _PARTS.sub(put, text), found


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
