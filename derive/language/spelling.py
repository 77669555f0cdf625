r"""Spelling: letters with their scripts, in one canonical form for all ways to write them.

Here it is decided what a name is. ``N^-`` is one, ``N^2`` is a power of ``N``. Fonts are
dropped except ``\mathcal``, ``\mathbb``, ``\mathscr`` and ``\mathfrak``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import takewhile

from . import vocabulary
from .items import Items, flat
from .statement import TexError
from .tokens import Token, show

_BLANK = vocabulary.THIN | vocabulary.BLANKS
_SPACE = _BLANK | vocabulary.QUADS
_WRITTEN = vocabulary.ACCENTS | vocabulary.KEPT_FONTS
_SAME = {"\\leq": "\\le", "\\geq": "\\ge", "\\neq": "\\ne", "\\ast": "*", "'": "^{\\prime}"}
_SPELLED = vocabulary.LETTERS | vocabulary.DECORATING | vocabulary.IN_NAMES | {"^{\\prime}"}


@dataclass(slots=True)
class Unit:
    """One unit.

    Attributes
    ----------
    kind
        ``name number function word text open close bar operator relation and comma semicolon
        dot amp row quad forall frac sqrt cases environment fence limit null figure
        strange``.
    text
        Canonical spelling without scripts.
    at
        Offset into the source.
    sub, primes, sup
        Canonical spelling of the scripts; ``sup`` is empty if there is none.
    power, index
        The items of the superscript and of the subscript.
    parts
        The items of the arguments, where there are some.
    """

    kind: str
    text: str
    at: int
    sub: str = ""
    primes: int = 0
    sup: str = ""
    decorated: bool = False
    power: Items | None = None
    index: Items | None = None
    parts: list[Items] = field(default_factory=list)

    @property
    def stem(self) -> str:
        """The spelling up to a power."""
        sub = f"_{{{self.sub}}}" if self.sub else ""
        return self.text + sub + ("^{" + "\\prime" * self.primes + "}" if self.primes else "")

    @property
    def full(self) -> str:
        """The spelling with everything."""
        if not self.sup:
            return self.stem
        if self.primes and self.decorated:
            return self.stem[:-1] + self.sup + "}"
        return f"{self.stem}^{{{self.sup}}}"


def joined(texts: Iterable[str]) -> str:
    r"""Put canonical spellings side by side: ``\alpha`` before a letter needs a blank."""
    out = ""
    for text in texts:
        word = out[out.rfind("\\") + 1 :] if "\\" in out else ""
        out += " " + text if word.isalpha() and text[:1].isalpha() else text
    return out


def spelling(items: Items) -> str:
    """Canonical spelling of what stands in a script or under an accent."""
    pieces: list[str] = []
    takes = ""  # the command that waits for its argument
    for item in items:
        token, text = item.token, item.token.text
        if item.inside is None and (text in _SPACE or text in vocabulary.FONTS):
            continue  # the argument of a font stands as it is
        if item.is_script and not pieces:
            raise TexError(f"{show(text)} with nothing before it that it could belong to", token.at)
        if text in ("_", "^") or text in _WRITTEN:
            if takes:  # `x_\hat y`: the inner command takes one more token
                raise TexError(f"{show(takes)} needs braces around {show(text)}", token.at)
            pieces.append(text)
            takes = text
            continue
        if item.inside is not None:
            if not item.is_group:
                raise TexError("an environment in a name", token.at)
            text = spelling(item.inside)
        else:
            text = text[1:] if text[1:] in vocabulary.OPERATOR_WORDS else _SAME.get(text, text)
            if not (text in _SPELLED or text.isalnum()):
                raise TexError(f"{show(text)} in a name", token.at)
        pieces.append(f"{{{text}}}" if takes else text)
        takes = ""
    if takes:
        raise TexError(f"{show(takes)} lacks its argument", items[0].token.at)
    return joined(p for p in pieces if p)


def spelling_or_none(items: Items) -> str:
    """The same; ``\\?`` for a script that is no part of any name."""
    try:
        return spelling(items)
    except TexError:
        return "\\?"


def check_spelled(unit: Unit) -> None:
    """Refuse an accent over, or an index of, what is no part of any name.

    Raises
    ------
    TexError
        If there is one; only as a part of a phrase that is known it can be read.
    """
    if unit.kind == "environment":
        raise TexError(f"the environment {show(unit.text)} cannot be read here", unit.at)
    if unit.kind == "name" and "\\?" in unit.text:
        spelling(unit.parts[0])
    if unit.index is not None and unit.kind != "limit":
        if not unit.sub:
            raise TexError("an empty subscript", unit.at)
        spelling(unit.index)


def argument(items: Items, k: int, command: Token, last: bool = True) -> tuple[Items, int]:
    """The argument at ``k``, a group or one token that cannot be mistaken, and what is next."""
    what = show(command.text)
    if k >= len(items):
        raise TexError(f"{what} lacks an argument", command.at)
    item = items[k]
    token = item.token
    foreign = token.chunk not in (0, command.chunk)
    if item.is_group and not foreign:
        return item.inside or [], k + 1
    plain = (token.kind == "char" and token.text.isalnum()) or token.text in vocabulary.LETTERS
    if not plain or foreign:
        raise TexError(f"{what} needs braces around its argument", token.at)
    after = items[k + 1] if last and k + 1 < len(items) and not items[k + 1].blank else None
    if after is not None and (
        after.is_script or (item.is_digit and (after.is_digit or after.is_char(".")))
    ):
        raise TexError(
            f"{what} takes one token, {show(token.text)}, and not what follows it too: "
            "braces are needed to tell which is meant",
            token.at,
        )
    return [item], k + 1


def script(items: Items, k: int) -> tuple[Items, int]:
    """The inside of the script whose ``_`` or ``^`` is at ``k``, and what is next."""
    mark = items[k].token
    k += 1
    if k >= len(items):
        raise TexError(f"{show(mark.text)} with nothing after it", mark.at)
    item, token = items[k], items[k].token
    if item.is_group:
        return item.inside or [], k + 1
    if token.text in vocabulary.FONTS | vocabulary.KEPT_FONTS:
        if k + 1 >= len(items) or not items[k + 1].is_group:
            argument(items, k + 1, token)
        return items[k : k + 2], k + 2
    if token.text in vocabulary.FRACTIONS | {"\\sqrt"}:
        end = k + (3 if token.text in vocabulary.FRACTIONS else 2)
        if len(items) < end or not all(i.is_group for i in items[k + 1 : end]):
            raise TexError(f"{show(mark.text)} needs braces around {show(token.text)}", token.at)
        return items[k:end], end
    word = token.text[1:] in vocabulary.OPERATOR_WORDS or token.text == "\\ast"
    word = word or token.text in vocabulary.LETTERS | vocabulary.DECORATING
    if token.kind == "char" and (token.text.isalnum() or token.text in "*+-"):
        near = [*takewhile(lambda i: not i.blank, items[k + 1 : k + 3])]
        point = len(near) == 2 and near[0].is_char(".") and near[1].is_digit
        if item.is_digit and near and (near[0].is_digit or point):
            raise TexError(
                f"{mark.text}{token.text}{near[0].token.text} prints only {token.text} as the "
                "script: put the script in braces",
                mark.at,
            )
    elif not word:
        raise TexError(f"{show(mark.text)} needs braces around {show(token.text)}", token.at)
    return [item], k + 1


def scripts(unit: Unit, items: Items, k: int) -> int:
    """Read the scripts that stand at ``k`` into the unit; return what is next."""
    while k < len(items):
        mark = items[k].token
        if mark.text in ("\\limits", "\\nolimits"):
            k += 1
        elif not items[k].is_script:
            break
        elif mark.text == "'":
            if unit.sup:
                raise TexError("a prime after a superscript", mark.at)
            unit.primes += 1
            k += 1
        elif mark.text == "_":
            if unit.index is not None:
                raise TexError("two subscripts: a_{b_c} or {a_b}_c?", mark.at)
            unit.index, k = script(items, k)
            unit.sub = spelling_or_none(unit.index)
        else:
            if unit.sup:
                raise TexError("two superscripts: a^{b^c} or (a^b)^c?", mark.at)
            inside, k = script(items, k)
            _superscript(unit, inside, mark)
    return k


def _superscript(unit: Unit, inside: Items, mark: Token) -> None:
    texts = [
        t.text
        for t in flat(inside)
        if t.kind != "space" and t.text not in _BLANK and not (t.kind == "char" and t.text in "{}")
    ]
    if not texts:
        raise TexError("an empty superscript", mark.at)
    if set(texts) == {"\\prime"} and not unit.primes:
        unit.primes = len(texts)
        return
    unit.power = inside
    unit.sup = spelling_or_none(inside)
    # Letters in an upright superscript must not be taken for a product in the exponent.
    first = next((k for k, i in enumerate(inside) if i.token.kind != "command"), len(inside))
    font = texts[0] in vocabulary.UPRIGHT | vocabulary.TEXT and first + 1 == len(inside)
    if font or (len(texts) == 1 and texts[0][1:] in vocabulary.OPERATOR_WORDS):
        unit.sup = f"\\mathrm{{{unit.sup}}}"
        unit.decorated = True
    elif set(texts) <= vocabulary.DECORATING | {"\\ast"}:
        unit.decorated = True
    elif texts[0] == "(" and texts[-1] == ")" and texts.count("(") == 1:
        unit.decorated = True
