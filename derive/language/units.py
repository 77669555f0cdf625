r"""Units of a formula: a letter with its scripts, a bracket, a relation, a fraction.

An upright word of several letters is one name, never a product of letters. Braces around a part
of a formula do not print, so they do not group. A box or a horizontal brace may seem to, and is
read where that makes no difference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from . import vocabulary
from .items import Item, Items, flat, tree
from .notes import check_label, check_note, check_overlap
from .plain import plain
from .spelling import (
    Unit,
    argument,
    check_spelled,
    joined,
    script,
    scripts,
    spelling,
    spelling_or_none,
)
from .statement import Relation, TexError
from .tokens import Token, show, tokenise
from .vocabulary import BARS, BLANKS, CLOSING, MARKS, OPENING, OPERATORS, TEXT, UPRIGHT

#: What a side of a relation can begin after.
_ENDS = {"relation", "quad", "comma", "semicolon", "amp", "row", "and"}
_LENGTHS = ("pt", "em", "ex", "mm", "cm", "in", "mu")
_BARE = {"operator", "relation", "comma", "semicolon", "dot", "amp", "row", "quad", "open", "text",
         "frac", "and", "forall", "fence", "bar"}  # fmt: skip
_SCRIPTED = {"name", "function", "close", "limit", "bar", "strange"}
#: What each sign is, and its canonical spelling.
_SIGNS: Mapping[str, tuple[str, str]] = {
    **{text: ("quad", text) for text in vocabulary.QUADS},
    **{text: ("name", text) for text in vocabulary.LETTERS},
    **{f"\\{name}": ("function", name) for name in vocabulary.FUNCTIONS},
    **{text: ("open", plain) for text, plain in OPENING.items()},
    **{text: ("close", plain) for text, plain in CLOSING.items()},
    **{text: ("stated", text) for text in vocabulary.STATED},
    **{text: ("and", text) for text in vocabulary.AND},
    **{text: ("operator", plain) for text, plain in OPERATORS.items()},
    **{text: (kind, text) for text, kind in MARKS.items()},
    **{text: ("bar", text) for text in BARS},
    **{"\\forall": ("forall", "\\forall"), "\\lim": ("limit", "\\lim")},
}


class Formula:
    r"""The items of a display and how to cut runs of them into units.

    ``signs`` are further relations: ``\equiv`` where it is declared to be one.
    """

    def __init__(self, items: Items, signs: Mapping[str, Relation] | None = None):
        self.items = items
        self.relations: Mapping[str, str] = {**vocabulary.RELATIONS, **(signs or {})}
        _check_over(self.items, group=True)

    def units(self, items: Items) -> list[Unit]:
        """Cut items into units."""
        middle = _over(items)
        if middle is not None:
            parts = [items[:middle], items[middle + 1 :]]
            return [Unit("frac", "\\over", items[middle].token.at, parts=parts)]
        cutter = _Cutter(self.relations)
        cutter.run(items)
        return cutter.out


def _over(items: Items) -> int | None:
    return next((k for k, item in enumerate(items) if item.token.text == "\\over"), None)


def _check_over(items: Items, group: bool) -> None:
    r"""Refuse an ``\over`` without braces around its fraction."""
    fenced = found = 0
    for item in items:
        text = item.token.text
        fenced += (text == "\\left") - (text == "\\right")
        if text == "\\over":
            if found or fenced or not group:
                raise TexError("\\over here needs braces around its fraction", item.token.at)
            found = 1
        if item.inside is not None:
            _check_over(item.inside, item.is_group)


class _Cutter:
    """Cuts items; a class to keep the state of cutting together."""

    def __init__(self, relations: Mapping[str, str]):
        self.relations = relations
        self.out: list[Unit] = []
        self.items: Items = []
        self.k = 0
        self.groups = 0  # that are open, with boxes and such
        self.in_text = False
        self.unseen: list[Item] = []  # the points of each \right. that goes with a \left.

    def run(self, items: Items) -> None:
        """Cut items, which may be some in a group of others."""
        outer = self.items, self.k
        self.items, self.k = items, 0
        while self.k < len(items):
            item = items[self.k]
            if item.token.kind == "begin":
                self._environment(item)
            elif item.is_group:
                self._group(item)
            else:
                self._sign(item, item.token)
        self.items, self.k = outer

    def _add(self, kind: str, text: str, token: Token, *, after: int | None = None) -> Unit:
        """Add a unit with its scripts, if it can have some, and go on after it."""
        unit = Unit(kind, text, token.at)
        return self._put(unit, self.k + 1 if after is None else after, kind in _SCRIPTED)

    def _put(self, unit: Unit, after: int, scripted: bool = True) -> Unit:
        self.out.append(unit)
        self.k = scripts(unit, self.items, after) if scripted else after
        return unit

    def _text_at(self, k: int) -> str:
        return self.items[k].token.text if k < len(self.items) else ""

    def _is(self, k: int, text: str) -> bool:
        return k < len(self.items) and self.items[k].is_char(text)

    # -- signs --------------------------------------------------------------------------

    def _sign(self, item: Item, token: Token) -> None:
        text = token.text
        two = text + self._text_at(self.k + 1)
        if text in _COMMANDS:
            _COMMANDS[text](self, token)
        elif item.is_digit or (text == "." and self._digit_at(self.k + 1)):
            self._number(token)
        elif token.kind == "char" and text.isalpha():
            self._add("name", text, token)
        elif two in (":=", "=:") and token.kind == "char":
            self._add("relation", "=", token, after=self.k + 2)
        elif text in self.relations:
            unit = self._add("relation", self.relations[text], token)
            unit.sup = vocabulary.FROM_SIDE.get(text, "")
        elif item.is_script:
            raise TexError(f"{show(text)} with nothing before it that it could belong to", token.at)
        else:  # what is strange is an error, unless it is in a side condition
            self._add(*_SIGNS.get(text, ("strange", text)), token)
            if text == "\\\\":
                self._row_options()

    def _row_options(self) -> None:
        r"""Pass over the ``*`` and ``[2pt]`` of a ``\\``."""
        k = self.k + (self._is(self.k, "*") and not self.items[self.k].blank)
        near = self.items[k : k + 10]
        close = next((j for j, item in enumerate(near) if item.is_char("]")), 0)
        inside = "".join(t.text for t in flat(near[1:close]))
        if close and near[0].is_char("[") and not near[0].blank and inside.endswith(_LENGTHS):
            k += close + 1
        self.k = k

    def _digit_at(self, k: int) -> bool:
        """Whether a digit stands there that no blank sets apart."""
        return k < len(self.items) and self.items[k].is_digit and not self.items[k].blank

    def _number(self, token: Token) -> None:
        k = self.k + 1 if token.text != "." else self.k
        while self._digit_at(k):
            k += 1
        if self._is(k, ".") and not (k > self.k and self.items[k].blank) and self._digit_at(k + 1):
            k += 1
            while self._digit_at(k):
                k += 1
        text = "".join(item.token.text for item in self.items[self.k : k])
        if self.out and self.out[-1].kind == "number" and not self.out[-1].sup:
            raise TexError(
                f"{self.out[-1].text} {text}: one number or a product? (a blank does not print)",
                token.at,
            )
        self._put(Unit("number", text, token.at), k)

    def _thin(self, token: Token) -> None:
        r"""Pass over a space; two ``\;`` or ``\ `` in a row set formulas apart, as a quad does."""
        self.k += 1
        following = self._text_at(self.k)
        if (token.text == "\\;" == following) or (token.text in BLANKS and following in BLANKS):
            self._add("quad", token.text, token)

    def _space(self, token: Token) -> None:
        inside, self.k = argument(self.items, self.k + 1 + self._is(self.k + 1, "*"), token)
        if token.text == "\\tag":
            check_label(inside, token)
        if token.text in ("\\hspace", "\\mspace") and any(t.text == "-" for t in flat(inside)):
            check_overlap(inside, token)
        if token.text in vocabulary.QUADS_OF:
            self.out.append(Unit("quad", token.text, token.at))

    # -- braces that do not print -------------------------------------------------------

    def _group(self, item: Item) -> None:
        inside = item.inside or []
        middle = _over(inside)
        if middle is not None:
            unit = Unit("frac", "\\over", item.token.at)
            unit.parts = [inside[:middle], inside[middle + 1 :]]
            self._put(unit, self.k + 1)
            return
        before = len(self.out)
        self._enter(inside)
        self.k += 1
        self._after_group(self.out[before:], item)

    def _enter(self, inside: Items) -> None:
        self.groups += 1
        self.run(inside)
        self.groups -= 1

    def _after_group(self, inside: list[Unit], item: Item) -> None:
        """Leave a group: a script after it must belong to the one thing that is in it."""
        if len(inside) == 1 and inside[0].kind == "comma" and item.end is not None:
            raise TexError(
                "{,}: a decimal comma or thousands? write the number plainly", item.end.at
            )
        if self.k >= len(self.items) or not self.items[self.k].is_script:
            return
        unit = inside[-1] if inside else None
        if len(inside) == 1 and unit is not None and unit.decorated:
            # {N^-}^2: what is in the braces is a name, and this is its power.
            self.out.pop()
            self._put(Unit(unit.kind, unit.full, unit.at), self.k)
            return
        if not item.inside and self._text_at(self.k) == "_":
            # {}_0F_1: it is read as part of a phrase only.
            self._put(Unit("sign", "{}", item.token.at), self.k)
            return
        whole = len(inside) == 1 or (unit is not None and unit.kind == "close" and _one(inside))
        if unit is None or not whole or unit.kind in _BARE or unit.sup or unit.primes:
            raise TexError(
                "a script after braces: braces do not print, so it seems to belong to the last "
                "sign in them only; use parentheses",
                self.items[self.k].token.at,
            )
        self.k = scripts(unit, self.items, self.k)

    def _braced(self, token: Token) -> None:
        r"""Read the argument of ``\underbrace`` or ``\boxed`` as if it stood alone.

        It may seem to group what is in it.
        """
        argument(self.items, self.k + 1, token)
        if not self.items[self.k + 1].is_group:
            raise TexError(f"{show(token.text)} needs braces", token.at)
        before = len(self.out)
        self._enter(self.items[self.k + 1].inside or [])
        self.k += 2
        if self._text_at(self.k) in ("_", "^"):
            if token.text == "\\boxed":
                raise TexError("a script at a box", self.items[self.k].token.at)
            label, self.k = script(self.items, self.k)
            check_label(label, token)
        while self._text_at(self.k) in vocabulary.THIN | vocabulary.SILENT:
            self.k += 1
        left = before == 0 or self.out[before - 1].kind in _ENDS
        if left and self._ends_a_side():
            return
        depth = 0
        for unit in self.out[before:]:
            depth += (unit.kind == "open") - (unit.kind == "close")
            if not depth and unit.kind in ("operator", "relation", "function") and unit.text != "*":
                raise TexError(
                    f"{show(token.text)} around more than a product: does it group?", unit.at
                )

    def _ends_a_side(self) -> bool:
        if self.k >= len(self.items):
            return not self.groups
        text = self._text_at(self.k)
        following = self.items[self.k + 1] if self.k + 1 < len(self.items) else None
        if text in TEXT and following is not None:  # a text that is no letter of the formula
            first = next(flat(following.inside or []), following.end)
            return following.is_group and first is not None and not first.text[-1].isalnum()
        return text in self.relations or text in _ENDING_A_SIDE

    # -- arguments ----------------------------------------------------------------------

    def _arguments(self, token: Token) -> None:
        above, after = argument(self.items, self.k + 1, token, last=False)
        below, after = argument(self.items, after, token)
        self._put(Unit("frac", token.text, token.at, parts=[above, below]), after)

    def _root(self, token: Token) -> None:
        unit = Unit("sqrt", token.text, token.at)
        after = self.k + 1
        if self._is(after, "["):
            after, index = self._bracket(after, token)
            unit.parts.append(index)
        inside, after = argument(self.items, after, token)
        unit.parts.append(inside)
        self._put(unit, after)

    def _bracket(self, k: int, token: Token) -> tuple[int, Items]:
        """The place after what stands in the square brackets at ``k``, and that."""
        start, depth = k + 1, 0
        for k in range(start, len(self.items)):
            depth += self._is(k, "[") - self._is(k, "]")
            if depth < 0:
                return k + 1, self.items[start:k]
        raise TexError(f"[ is not closed at {show(token.text)}", token.at)

    def _accent(self, token: Token) -> None:
        inside, after = argument(self.items, self.k + 1, token, last=False)
        unit = Unit("name", f"{token.text}{{{spelling_or_none(inside)}}}", token.at)
        unit.parts = [inside] if "\\?" in unit.text else []
        self._put(unit, after)

    def _delimiter(self, token: Token) -> None:
        side = vocabulary.SIDED.get(token.text, "")
        self.k += 1
        if self.k >= len(self.items):
            raise TexError(f"{show(token.text)} lacks its delimiter", token.at)
        point, text = self.items[self.k], self._text_at(self.k)
        close = self._unseen() if text == "." and token.text == "\\left" else None
        if close is not None:
            self.unseen.append(close)
            self.k += 1
        elif text == "." and side:
            if point in self.unseen:
                self.k += 1
            else:
                self._add("null", token.text, token)
        elif side and text in BARS:
            letter = {"open": "l", "close": "r"}[side]
            unit = Unit(side, f"\\{letter}{BARS[text]}", token.at)
            self._put(unit, self.k + 1)
        elif text in OPENING and side != "close":
            self._add("open", OPENING[text], token)
        elif text in CLOSING and side != "open":
            self._add("close", CLOSING[text], token)
        elif text in BARS:
            self._add("bar", text, token)
        else:
            raise TexError(f"{show(token.text + text)} cannot be read", token.at)

    def _unseen(self) -> Item | None:
        r"""The point of the ``\right.`` that goes with the ``\left.`` here: nothing prints."""
        depth = 1
        for k in range(self.k + 1, len(self.items)):
            depth += {"\\left": 1, "\\right": -1}.get(self._text_at(k), 0)
            if not depth:
                scripted = self._text_at(k + 2) in ("^", "_", "'")
                return self.items[k + 1] if self._is(k + 1, ".") and not scripted else None
        return None

    def _annotated(self, token: Token) -> None:
        r"""Read ``\overset{(a)}{=}``: the relation. Below an arrow stands what tends."""
        note, k = argument(self.items, self.k + 1, token, last=False)
        at = self.items[k : k + 1]
        marks = [t.text for t in flat(at) if t.kind != "space" and not _is_brace(t)]
        relation = self.relations.get("".join(marks)) if marks != [":", "="] else "="
        if marks == ["\\lim"] and token.text == "\\underset":
            self._put(Unit("limit", "\\lim", token.at, index=note), k + 1)
            return
        if relation is None or relation == "in":
            raise TexError(f"{show(token.text)} cannot be read except at a relation", token.at)
        unit = self._add("relation", relation, token, after=k + 1)
        if relation == "->" and note:
            unit.parts = [note]
        else:
            check_note(note, token)

    def _arrow(self, token: Token) -> None:
        r"""Read ``\xrightarrow[below]{above}``: what tends stands at one of the places."""
        k, below = self.k + 1, list[Item]()
        if self._is(k, "["):
            k, below = self._bracket(k, token)
        above, k = argument(self.items, k, token, last=False)
        self._add("relation", "->", token, after=k).parts = [p for p in (below, above) if p]

    # -- fonts and text -----------------------------------------------------------------

    def _font(self, token: Token) -> None:
        start = self.k + 1 + self._is(self.k + 1, "*")
        inside, after = argument(self.items, start, token, last=False)
        parts = [t for t in flat(inside) if t.kind != "space"]
        whole = [t for t in parts if t.text != "\\ "]
        together = "".join(t.text for t in whole)
        letters = "".join(t.text for t in parts if t.kind == "char")
        if token.text in UPRIGHT and len(whole) < len(parts) and together.isalnum():
            # The words of one name, such as \mathrm{mean\ norm}.
            self._put(Unit("word", f"\\operatorname{{{together}}}", token.at), after)
        elif token.text in vocabulary.KEPT_FONTS:
            self._add("name", f"{token.text}{{{spelling(inside)}}}", token, after=after)
        elif len(parts) == 1 and letters.isalpha():
            unit = Unit("name", letters, token.at)
            unit.parts = [inside] if token.text in UPRIGHT else []
            self._put(unit, after)
        elif together.isdigit():
            self._put(Unit("figure", together, token.at), after)
        elif token.text in TEXT and not (
            letters.isalpha() and len(parts) == len(letters) and not self._has_blank(start, inside)
        ):
            self.k = after
            self._words([*flat(inside), *self._last_blank(start)], token)
        elif letters.isalnum() and letters[0].isalpha() and len(parts) == len(letters):
            known = {"lim": ("limit", "\\lim")}
            known |= {name: ("function", name) for name in vocabulary.FUNCTIONS}
            kind, text = known.get(letters, ("word", f"\\operatorname{{{letters}}}"))
            self._put(Unit(kind, text, token.at), after)
        elif token.text not in TEXT and parts and parts[0].text in _IN_FONTS:
            spelled = spelling(inside)
            if parts[0].text in vocabulary.LETTERS and len(parts) > 1:
                raise TexError("a font around more than one letter", token.at)
            self._add("name", spelled, token, after=after)
        else:
            raise TexError(f"{show(token.text)} around something that is not a name", token.at)

    def _has_blank(self, start: int, inside: Items) -> bool:
        return self.items[start].blank_at_end or any(t.kind == "space" for t in flat(inside))

    def _last_blank(self, start: int) -> list[Token]:
        return [Token("space", " ", 0)] if self.items[start].blank_at_end else []

    def _words(self, tokens: list[Token], font: Token) -> None:
        """Read the words of a text, and the formulas between dollars in it."""
        parts: list[tuple[Token, list[Token]]] = [(font, [])]
        for token in tokens:
            if token.kind == "char" and token.text == "$":
                parts.append((token, []))
            else:
                parts[-1][1].append(token)
        for k, (before, part) in enumerate(parts):
            if k % 2:
                outer = self.groups, self.in_text
                self.groups, self.in_text = 0, True
                self.run(tree(part))
                self.groups, self.in_text = outer
                continue
            words = ""
            for piece in part:
                if piece.kind in ("begin", "end") or piece.text in ("_", "^", "&", "\\\\"):
                    raise TexError(f"{show(piece.text)} in a text", piece.at)
                words += " " if piece.text in BLANKS | vocabulary.QUADS else piece.text
            self.out.append(Unit("text", " ".join(words.lower().split()), before.at))

    # -- environments -------------------------------------------------------------------

    def _environment(self, item: Item) -> None:
        token, inside = item.token, item.inside or []
        if token.text in vocabulary.CASES:
            self._put(Unit("cases", "\\begin{cases}", token.at, parts=[inside]), self.k + 1)
            return
        if token.text not in vocabulary.TRANSPARENT or self.groups or self.in_text:
            # It may be part of a phrase that is known.
            self._put(Unit("environment", token.text, token.at, parts=[inside]), self.k + 1)
            return
        if self.out and self.out[-1].kind not in ("relation", "quad"):
            raise TexError(f"{show(token.text)} cannot be read after {show('...')}", token.at)
        start = 0
        if token.text in ("alignedat", "array"):
            _, start = argument(inside, 0, token)
        elif inside and inside[0].is_char("[") and not inside[0].blank:
            start = 3
        self.run(inside[start:])
        assert item.end is not None
        # The end of an environment that is read as if it were not there.
        self._add("fence", item.end.text, item.end)


def _is_brace(token: Token) -> bool:
    return token.kind == "char" and token.text in "{}"


def _one(units: list[Unit]) -> bool:
    """Whether these are one bracket from its opening to its end."""
    depth = 0
    for place, unit in enumerate(units):
        depth += (unit.kind == "open") - (unit.kind == "close")
        if depth <= 0:
            return place == len(units) - 1
    return False


_IN_FONTS = vocabulary.LETTERS | vocabulary.ACCENTS | vocabulary.KEPT_FONTS
_ENDING_A_SIDE = vocabulary.SILENT_OF | vocabulary.QUADS | {*MARKS}
_COMMANDS: Mapping[str, Callable[[_Cutter, Token], None]] = {
    **dict.fromkeys(vocabulary.FONTS | vocabulary.KEPT_FONTS, _Cutter._font),
    **dict.fromkeys(vocabulary.THIN | vocabulary.SILENT | BLANKS, _Cutter._thin),
    **dict.fromkeys(vocabulary.QUADS_OF | vocabulary.SILENT_OF, _Cutter._space),
    **dict.fromkeys(vocabulary.ACCENTS, _Cutter._accent),
    **dict.fromkeys(vocabulary.FRACTIONS, _Cutter._arguments),
    **dict.fromkeys({*vocabulary.SIDED, *vocabulary.SIZES, "\\middle"}, _Cutter._delimiter),
    **dict.fromkeys(vocabulary.ANNOTATED, _Cutter._annotated),
    **dict.fromkeys(("\\underbrace", "\\overbrace", "\\boxed"), _Cutter._braced),
    "\\sqrt": _Cutter._root,
    "\\xrightarrow": _Cutter._arrow,
}
#: Signs that print the same, or nearly so.
_SAME = {
    **dict.fromkeys(("\\lVert", "\\rVert", "\\Vert"), "\\|"),
    **dict.fromkeys(("\\lvert", "\\rvert", "\\vert"), "|"),
    **dict.fromkeys((*vocabulary.FRACTIONS, "\\over"), "\\frac"),
    **{f"\\{word}": word for word in vocabulary.OPERATOR_WORDS},
    "\\intercal": "\\top",
    "\\ast": "*",
}
RELATIONS_PRINTED = {*vocabulary.RELATIONS.values()}
_MARKS = {*vocabulary.MARKS, *vocabulary.QUADS, *vocabulary.STATED}


def texts_of(units: Sequence[Unit]) -> tuple[str, ...]:
    """What units print, by which a name is looked for."""
    return tuple(unit.full for unit, _ in with_norms([printed(u) for u in units]))


def with_norms(units: Sequence[Unit]) -> Iterator[tuple[Unit, int]]:
    """Units, and how many there are up to each; two bars are those of a norm."""
    k = 0
    while k < len(units):
        two = units[k : k + 2]
        is_norm = len(two) == 2 and two[0].full == two[1].text == "|" and two[0].kind == two[1].kind
        k += 1 + is_norm
        yield (printed(replace(two[1], text="\\|")) if is_norm else two[0]), k


def without_quads(items: Items) -> list[Unit]:
    """The units of items but for wide spaces."""
    return [u for u in Formula(items).units(items) if u.kind != "quad"]


def printed(unit: Unit) -> Unit:
    """The unit with everything that it prints as its text and scripts."""

    def inside(items: Items | None) -> str:
        return joined(printed(u).full for u in without_quads(items or []))

    text = (
        unit.text.removeprefix("\\operatorname{").removesuffix("}")
        if unit.kind == "word"
        else ("," if unit.kind == "text" else _SAME.get(unit.text, unit.text))
    )
    if unit.kind != "name":
        text += "".join(f"{{{inside(part)}}}" for part in unit.parts)
    elif "\\?" in text:
        text = text.replace("\\?", inside(unit.parts[0]))
    sub = inside(unit.index) if "\\?" in unit.sub else unit.sub
    sub = "" if text == "\\|" and sub == "2" else sub  # the Euclidean norm, said or not
    sup = inside(unit.power) if "\\?" in unit.sup else unit.sup
    return replace(unit, text=text, sub=sub, sup=sup)


def is_closed(units: Sequence[str]) -> bool:
    """Whether a phrase is one thing wherever it stands: nothing in it binds to what is beside it.

    It is no name that could be spelled, and begins with no number.
    """
    depth = bars = 0
    for unit in units:
        bars += unit.startswith(("\\|", "|"))
        depth += unit.startswith(("(", "[", "\\{")) - unit.startswith((")", "]", "\\}"))
        if depth < 0:
            return False
        loose = unit in {*"+-/*"} or unit in RELATIONS_PRINTED or unit in _MARKS
        if loose and not depth and bars % 2 == 0:
            return False
    return not depth and bars % 2 == 0 and not units[0][0].isdigit()


_KINDS_IN_NAMES = {"name", "word", "number", "function", "open", "close", "bar", "operator",
                   "comma", "semicolon", "dot", "strange"}  # fmt: skip


def name_units(text: str) -> list[Unit]:
    """Cut the spelling of a name into units.

    Raises
    ------
    TexError
        If it cannot be read.
    """
    units = without_quads(plain(tree(tokenise(text))))
    for unit in units:
        check_spelled(unit)
        if (unit.parts and unit.kind != "name") or unit.kind not in _KINDS_IN_NAMES:
            raise TexError(f"{show(text)} is not a name", unit.at)
    if not units:
        raise TexError("an empty name")
    if len(units) > 1 and not is_closed(texts_of(units)):
        raise TexError(f"{show(text)} is not a name: its neighbours may bind to a part of it")
    return units


def canonical_name(text: str) -> str:
    r"""One spelling for all the ways to write a name.

    ``\tilde \delta`` is ``\tilde{\delta}``, ``t_B`` is ``t_{B}``, ``\alpha_{\mathrm{min}}`` is
    ``\alpha_{min}``, ``x'`` is ``x^{\prime}``.

    Raises
    ------
    TexError
        If it is not the spelling of a name.
    """
    return joined(u.full for u in name_units(text))
