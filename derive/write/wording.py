"""Words with mathematics in them: what is a formula is told from what is a word."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from ..papers.sources import SOURCES

_TOKEN = re.compile(
    r"(?P<word>\b[A-Za-z]{3,}(?:-[A-Za-z]{3,})+\b)|(?P<name>[A-Za-z]+\d*(?:_[A-Za-z0-9]+)*)|(?P<number>\d+(?:\.\d+)?)|(?P<sign>>=|<=|->|[-+*/^=<>])"
    r"|(?P<open>[(\[])|(?P<close>[)\]])|(?P<space>\s+)|(?P<other>'s\b|.)"
)
#: A letter with an index, which no word has.
_INDEXED = re.compile("([A-Za-z])_([A-Za-z]+|[0-9])")
_SIGNS = {">=": r"\ge ", "<=": r"\le ", "->": r"\to ", "*": r"\,"}


def with_math(text: str, known: Mapping[str, str], escape: Callable[[str], str]) -> str:
    """Text with the longest runs of names, numbers and signs between dollars, the rest escaped."""
    tokens = [(at.lastgroup or "", at[0]) for at in _TOKEN.finditer(text)]
    out: list[str] = []
    formula = ""

    def close() -> None:
        nonlocal formula
        if formula:
            # A power that is no formula is one in words, as that in x^(2 words).
            base = formula.rstrip().removesuffix("^")
            out.append(f"${base}$" if base else "")
            out.append(escape("^" * (base != formula.rstrip())) + " " * formula.endswith(" "))
            formula = ""

    k = 0
    while k < len(tokens):
        end, (kind, part) = _run(tokens, k, known), tokens[k]
        if end > k:
            formula += _as_tex(tokens[k:end], known)
        elif kind == "sign" and part not in "-/":
            formula += (_SIGNS.get(part) or part).strip()
        elif kind == "space" and formula:
            formula += " "
        else:
            close()
            out.append(escape(part))
        k = max(end, k + 1)
    close()
    return "".join(out)


def _is_name(token: tuple[str, str], known: Mapping[str, str]) -> bool:
    kind, text = token
    if kind == "name":
        indexed = _INDEXED.fullmatch(text) is not None
        return text in known or _is_product(text, known) or indexed
    return kind == "number"


def _is_power(tokens: list[tuple[str, str]], k: int) -> bool:
    """Whether this is a word that is raised to a power, or a letter that is one, as T."""
    kind, text = tokens[k]
    power = ("sign", "^")
    return kind == "name" and (
        tokens[k + 1 : k + 2] == [power] or (len(text) == 1 and k > 0 and tokens[k - 1] == power)
    )


def _is_product(text: str, known: Mapping[str, str]) -> bool:
    return 1 < len(text) <= 3 and set(text) <= set("mnp") and all(c in known for c in text)


def _is_factor(tokens: list[tuple[str, str]], k: int, depth: int) -> bool:
    """Whether this comes after a number, ``2q``; inside brackets with a space, ``(2 N sigma)``."""
    spaced = depth > 0 and k > 0 and tokens[k - 1][0] == "space"
    before = tokens[k - 1 - spaced][0] if k > spaced else ""
    return before == "number" or (spaced and before == "name")


def _run(tokens: list[tuple[str, str]], start: int, known: Mapping[str, str]) -> int:
    """Where mathematics that starts here ends; it does not end in a sign or an open bracket."""
    depth, end, ready = 0, start, True  # whether a name may come next
    if tokens[start][0] == "space":
        return start
    for k in range(start, len(tokens)):
        kind, text = tokens[k]
        if (_is_name(tokens[k], known) or _is_power(tokens, k)) and (
            ready or _is_factor(tokens, k, depth)
        ):
            ready = text == "sqrt"  # a bracket comes next
        elif kind == "sign" and (not ready or text == "-"):
            ready = True
        elif kind == "open":
            depth += 1
            ready = True
        elif kind == "close" and depth and not ready:
            depth -= 1
        elif text == "," and depth and not ready:
            ready = True
        elif text == "." and not ready and k + 1 < len(tokens) and tokens[k + 1][1][1:2] == "_":
            ready = True
        elif kind == "space":
            continue
        else:
            break
        if depth == 0 and not ready:
            end = k + 1
    return end


def _indexed(text: str) -> str:
    """LaTeX of a letter with an index; that of L, which is a loss, is a name."""
    found = _INDEXED.fullmatch(text)
    if found is None or len(found[2]) == 1:
        return text if found is not None else ""
    letter = r"\mathcal{L}" if found[1] == "L" else found[1]
    return rf"{letter}_{{\mathrm{{{found[2]}}}}}"


def _closing(tokens: list[tuple[str, str]], k: int) -> int:
    """Where the bracket that opens at k closes."""
    depth = 0
    for at in range(k, len(tokens)):
        depth += (tokens[at][0] == "open") - (tokens[at][0] == "close")
        if not depth:
            break
    return at


def _as_tex(tokens: list[tuple[str, str]], known: Mapping[str, str]) -> str:
    out, inside = [], 0
    for k, (kind, text) in enumerate(tokens):
        if k < inside:
            continue
        if text == "sqrt" and tokens[k + 1 : k + 2] == [("open", "(")]:
            inside = _closing(tokens, k + 1) + 1
            out.append(rf"\sqrt{{{_as_tex(tokens[k + 2 : inside - 1], known)}}}")
        elif kind == "name":
            named = known.get(text) or _indexed(text)
            if _is_product(text, known):
                named = named or " ".join(known[c] for c in text)
            word = text if len(text) == 1 else rf"\mathrm{{{text}}}"
            out.append(named or (r"\top" if text == "T" else word))
        else:
            out.append(_SIGNS.get(text) or (r"^\top " if text == "." else text))
    joined = out[0]
    for part in out[1:]:
        apart = re.search(r"\\[A-Za-z]+\Z", joined) and part[:1].isalpha()
        joined += f" {part}" if apart else part
    return joined


# --- sentences in LaTeX ---------------------------------------------------------------------------
_SPECIAL = {
    **{c: "\\" + c for c in "_&%#${}"},
    **{"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"},
    **{"<": "$<$", ">": "$>$"},
}


def escape(text: str) -> str:
    """Plain text as LaTeX."""
    return "".join(_SPECIAL.get(c, c) for c in text)


def inert(text: str) -> str:
    """Plain text as Markdown, in which nothing is markup."""
    return re.sub(r"[\\|_*`<>&\[\]~^$#{}]", lambda c: f"&#{ord(c[0])};", text)


def cited(source: str) -> str:
    r"""``lee2025ssem, Theorem 2`` as ``\cite[Theorem 2]{lee2025ssem}``."""
    key = next((k for k in SOURCES if k in source), None)
    if key is None:
        return escape(source)
    before, _, after = source.partition(key)
    where = after.strip(" ,:")
    return f"{escape(before)}\\cite{f'[{escape(where)}]' if where else ''}{{{key}}}"
