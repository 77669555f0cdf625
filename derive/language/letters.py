r"""The LaTeX of a letter: a letter or a Greek letter, with accents, a font and indices.

It is nothing else: what is written into a paper's preamble cannot do anything there.
"""

from __future__ import annotations

import re
from itertools import pairwise

MAX_NAME = 60  #: characters
_GREEK = (
    "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi "
    "pi rho varrho sigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma "
    "Upsilon Phi Psi Omega ell"
)
_LETTER = rf"(?:[A-Za-z]|\\(?:{_GREEK.replace(' ', '|')})(?![A-Za-z]))"
_MARK = r"\\(?:star|prime|ast|dagger|circ|top|perp|min|max)(?![A-Za-z])"
_FONT = r"\\(?:mathrm|mathit|mathbf|mathsf|mathcal|mathbb|text)(?![A-Za-z])"
_OVER = r"\\(?:tilde|hat|bar|vec|dot|check|widetilde|widehat|overline|underline)(?![A-Za-z])"
#: A control word or a character, blanks after it.
_TOKEN = re.compile(r"(\\[A-Za-z]+|[A-Za-z0-9{}_^'+*-])\s*", re.ASCII)
#: A letter, perhaps in a font or with an accent, then its indices.
_NAME = re.compile(
    rf"(?:(?P<letter>{_LETTER})|(?P<font>{_FONT}) ?\{{?(?P<word>(?<=\{{)[A-Za-z0-9]+(?=\}})|"
    rf"(?<!\{{)[A-Za-z0-9])\}}?|(?P<over>{_OVER}) ?(?:(?P<one>{_LETTER})|"
    rf"\{{(?P<inner>(?:[^{{}}]|\{{[^{{}}]*\}})+)\}}))(?P<indices>.*)"
)
_PART = rf"(?:[A-Za-z0-9+*-]|{_LETTER} ?|{_MARK} ?|{_FONT}\{{[A-Za-z0-9]+\}})"
_INDEX = re.compile(rf"(?P<which>[_^])(?:(?P<one>{_PART})|\{{(?P<parts>{_PART}+)\}})|(?P<prime>')")

ACCEPTED = (
    "a letter or Greek letter, with accents such as \\tilde{..}, fonts such as \\mathcal{..}, "
    "and indices"
)


def letter(text: str) -> str | None:
    """A letter in one spelling, None if it is none."""
    if len(text) > MAX_NAME or not re.fullmatch(f"(?:{_TOKEN.pattern})+", text.lstrip(), re.ASCII):
        return None
    tokens = _TOKEN.findall(text)
    gaps = [t[0] == "\\" and next_[0].isalpha() for t, next_ in pairwise([*tokens, "}"])]
    return _spelled("".join(t + " " * gap for t, gap in zip(tokens, gaps, strict=True)))


def _spelled(text: str) -> str | None:
    """A name in one spelling, None if it is none."""
    found = _NAME.fullmatch(text)
    if found is None:
        return None
    name = found["letter"] or f"{found['font']}{{{found['word']}}}"
    if found["over"]:
        inner = _spelled(found["one"] or found["inner"])
        if inner is None:
            return None
        name = f"{found['over']}{{{inner}}}"
    indices = list(_INDEX.finditer(found["indices"]))
    put = {i["which"] or "^": i["one"] or i["parts"] or r"\prime" for i in indices}
    if len(put) < len(indices) or "".join(i[0] for i in indices) != found["indices"]:
        return None
    return name + "".join(f"{which}{{{inside.strip()}}}" for which, inside in put.items())
