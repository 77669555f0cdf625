"""What a result is about: its loss written out, or its structure, and the dimension it needs."""

from __future__ import annotations

from collections.abc import Mapping

from sympy import Expr, Symbol

from ..frozen import FrozenValue
from ..losses.clip import w
from ..losses.conventions import CONVENTIONS, Reading
from ..losses.written import Plain, noted, structure, write
from ..structures.hierarchy import p
from ..structures.scheme import Scheme
from ..structures.towers import K
from .dimensions import dimension_of
from .result import Result

NO_LOSS = "there is no loss here"


class Head(FrozenValue):
    """What stands before a result.

    Attributes
    ----------
    formula
        The loss; empty where there is none.
    notes
        What its letters mean, or what the structure is.
    dimension
        A dimension that is large enough, as a sentence.
    elsewhere
        Which conventions of libraries differ from this one.
    convention
        Whose convention this is, if not that of the source.
    parameters
        Each parameter and what it is, where neither loss nor structure says it.
    """

    formula: str
    notes: tuple[str, ...]
    dimension: str
    elsewhere: str = ""
    convention: str = ""
    parameters: tuple[tuple[str, str], ...] = ()

    def sentences(self) -> list[str]:
        """All but the formula, as sentences."""
        here = "Here " if self.formula else "About "
        parts = {
            "Parameters": "; ".join(f"{s}, {what}" for s, what in self.parameters),
            "Dimension": self.dimension,
            "Elsewhere": self.elsewhere,
            "Convention": self.convention,
        }
        said = [f"{name}: {text}." for name, text in parts.items() if text]
        return [f"{here}{'; '.join(self.notes)}.", *said]


def head(
    result: Result,
    style: Plain | None = None,
    point: Mapping[Symbol, Expr] | None = None,
) -> Head:
    """What a result is about, from its declarations."""
    style = style or Plain()
    if result.alone is not None:
        formula, said = result.alone.written(style)
        said = said if formula else (*said, style.sentence(NO_LOSS))
        dimension = style.sentence(result.alone.dimension)
        return Head(formula, said, dimension, parameters=_parameters(result, style))
    scheme = result.structure
    dimension = dimension_of(result, style, point or {})
    if result.declared is None or scheme is None:
        if scheme is None:
            return Head("", (style.sentence(NO_LOSS),), dimension)
        none = style.sentence(f"{NO_LOSS}: this is about the structure itself")
        return Head("", (structure(scheme, style), none), dimension)
    draw = result.draw
    loss = write(result.declared, scheme if draw is None else draw.drawn, style)
    said = () if draw is None else tuple(noted(note, style) for note in draw.says)
    notes = (*loss.notes, *said, *_letters(result, scheme, style))
    if result.reading is None:
        elsewhere = _elsewhere(result, style) if draw is None else ""
        return Head(loss.formula, notes, dimension, elsewhere=elsewhere)
    whose = _whose(result, result.declared.source, result.reading, style)
    return Head(loss.formula, notes, dimension, convention=whose)


def _parameters(result: Result, style: Plain) -> tuple[tuple[str, str], ...]:
    """What the parameters are, in the order in which they are given."""
    return tuple(
        (_math(s, style), style.sentence(result.meanings[s]))
        for s in result.parameters
        if s in result.meanings
    )


def _letters(result: Result, scheme: Scheme, style: Plain) -> list[str]:
    """What letters are that stand in sizes of sets and are no parameters."""
    used = {s for r in scheme.relations for s in r.count.free_symbols if isinstance(s, Symbol)}
    new = (used & set(scheme.meanings)) - set(result.parameters) - set(result.domain.ranges)
    return [
        f"{_math(s, style)} {style.sentence(f'is {scheme.meanings[s]}')}"
        for s in sorted(new, key=str)
    ]


# --- other conventions -----------------------------------------------------------------------
def _elsewhere(result: Result, style: Plain) -> str:
    """Who has this loss in other letters."""
    same: dict[str, list[str]] = {}
    for name, convention in CONVENTIONS.items():
        reading = convention.reading(result.declared)
        if reading is not None and result.declared is not None:
            changes = _changes(reading, style, "there", "the loss there is {} times this one")
            if reading.is_extended_by(reading.of_loss(result.declared)):
                changes += (
                    f"; {style.sentence('this is the loss there,')} {_extended(result, style)}"
                )
            same.setdefault(changes, []).append(name)
    names = {what: style.sentence(f"{' and '.join(who)}:") for what, who in same.items() if what}
    return "; ".join(f"{who} {what}" for what, who in names.items())


def _whose(result: Result, source: str, reading: Reading, style: Plain) -> str:
    """Whose letters these are, and what they are in those of the source."""
    letters = [
        f"{_math(s, style)} {style.sentence(f'is {name}')}"
        for s, name in reading.letters.items()
        if s in result.parameters
    ]
    where = f"of {source}" if source != "given" else "of the loss given"
    changes = _changes(reading, style, where, "the loss is {} times that one")
    said = ", ".join(filter(None, (*letters, changes)))
    if result.declared is not None and reading.is_extended_by(result.declared):
        whose = style.sentence(f"the loss of {result.convention} ({reading.called}),")
        return f"{whose} {_extended(result, style)}: {said}"
    return f"{style.sentence(f'{result.convention}, {reading.called}:')} {said}"


def _extended(result: Result, style: Plain) -> str:
    """What a loss has beyond that of a library: "extended to K towers and weight w"."""
    words = {K: "{} towers", p: "{} positives", w: "weight {}"}
    parts = [_put(s, text, style) for s, text in words.items() if s in result.parameters]
    *most, last = parts
    listed = f"{', '.join(most)} {style.sentence('and')} {last}" if most else last
    return f"{style.sentence('extended to')} {listed}"


def _changes(reading: Reading, style: Plain, where: str, factor: str) -> str:
    parts = [
        f"{_math(s, style)} {style.sentence(f'{where} is')} {_math(e, style)}"
        for s, e in reading.ours.items()
    ]
    if reading.factor != 1:
        parts.append(_put(reading.factor, factor, style))
    return ", ".join(parts)


def _put(e: Expr, text: str, style: Plain) -> str:
    """An expression where ``{}`` stands in a text."""
    before, after = (style.sentence(part.strip()) for part in text.split("{}"))
    return f"{before} {_math(e, style)} {after}".strip()


def _math(e: Expr, style: Plain) -> str:
    return style("math", style.expression(e))
