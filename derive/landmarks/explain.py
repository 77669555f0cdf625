"""What a value of a loss means, in a sentence and in landmarks."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from math import log
from typing import Any, SupportsFloat

from sympy import Expr, Integer

from ..decide.domain import DomainError
from ..decide.exact import exact
from ..decide.spelling import did_you_mean
from ..frozen import FrozenValue
from .landmark import Landmark, Options, number
from .libraries import ALSO, ROWS, Row, of_functions
from .similar import Similar

#: How far from a landmark a value still is it, relatively; training shows four digits.
CLOSE = 5e-4
#: How far a loss in float32 is from what it would be.
ROUNDING = 1e-6
#: The least and the largest value of each option; whole numbers are sizes.
WHOLE = {
    "batch": (2, 10**7),
    "views": (1, 1000),
    "classes": (2, 10**7),
    "queue": (1, 10**8),
    "prototypes": (2, 10**8),
    "dim": (1, 10**6),
}
#: Of other options: quadrature resolves 1/500, and exp(t + b) is a float.
REAL = {"alpha": (0.0, 1.0), "tau": (0.002, 1000.0), "t": (0.001, 300.0), "b": (-300.0, 300.0)}
#: What is searched without a loss.
ALL = "all losses"
#: Landmarks of other losses that the sentence names.
MOST = 3
#: Sizes that are tried where none is given.
SIZES, POWERS = ("batch", "queue", "prototypes"), [2**k for k in range(1, 21)]
#: What a value may be in, in nats.
UNITS = (("", 1.0), (" in bits", log(2)))
#: What every training has, with the value that losses without that option imply, if they do.
EVERYWHERE = {"batch": None, "views": Integer(2)}
OPTIONS = (*WHOLE, *REAL)
NAMES = (*dict.fromkeys(row.loss for row in ROWS), *ALSO)


class Explanation(FrozenValue):
    """The landmarks of a loss, or those of all losses that have a value.

    Attributes
    ----------
    landmarks
        The landmarks; of one loss, the lower bound is the last.
    nearest
        The name of the landmark nearest to the value; None without a value, or where no loss is
        given and none has it.
    says
        A sentence on where the value stands and what that usually means.
    taken
        The loss, its convention and its options, in words.
    """

    landmarks: tuple[Landmark, ...]
    nearest: str | None
    says: str
    taken: str

    def as_json(self) -> dict[str, Any]:
        """The object that others rely on."""
        return {
            "version": 1,
            "landmarks": [mark.as_json() for mark in self.landmarks],
            "nearest": self.nearest,
            "says": self.says,
        }


def explained(
    loss: str | None, *, value: object = None, convention: str | None = None, **options: object
) -> Explanation:
    """As :func:`cltheory.explain`, with what was taken for granted."""
    functions = {k: str(v) for k in ("lp", "ln") if (v := options.pop(k, None)) is not None}
    given = {k: _option(k, v) for k, v in options.items() if v is not None}
    wanted = None if value is None else _value(value)
    if functions:
        if convention:
            raise DomainError("--convention is for losses with a name, not for --lp and --ln")
        row = of_functions(loss=loss or "", **functions)
    elif loss is None:
        if wanted is None:
            raise DomainError(f"give a loss ({', '.join(NAMES)}), or --value to search all of them")
        return _searched(wanted, *_close(value, wanted), convention, given)
    else:
        row = find(loss, convention)
    taken = completed(row, given)
    if functions and isinstance(row.family, Similar):
        row.family.bound(taken)  # refuses what is not convex or has no value
    marks = tuple(row.family.landmarks(taken))
    words = _taken(row, taken)
    is_idle = "batch" in given and "batch" not in row.defaults
    idle = " The batch plays no role here." if is_idle else ""
    if wanted is None:
        return Explanation(marks, None, _range(marks) + idle, words)
    nearest = min(marks, key=lambda mark: abs(mark.value - wanted))
    close, own = _close(value, wanted)
    says = _says(marks, wanted, close, own) + idle
    if abs(nearest.value - wanted) > close:
        for _, mark, fewer in _of_vectors(row, taken):
            if abs(mark.value - wanted) <= own:
                says += (
                    f" {_if_vectors(taken['batch'], fewer).capitalize()}, then the batch has "
                    f"{fewer['batch']} images, and the value is that of {mark.name}."
                )
    return Explanation(marks, nearest.name, says, words)


# --- rows and options --------------------------------------------------------------------------
def find(loss: str, convention: str | None) -> Row:
    """The row of a loss and a convention; the first one of the loss without a convention.

    Raises
    ------
    DomainError
        If there is none.
    """
    rows = {row.convention: row for row in ROWS if row.loss == ALSO.get(loss, loss)}
    if not rows:
        raise DomainError(
            f"no loss is called {str(loss)[:60]!r}{did_you_mean(str(loss), NAMES)}; there are "
            f"{', '.join(NAMES)}"
        )
    if convention is None:
        return next(iter(rows.values()))
    if convention not in rows:
        raise DomainError(
            f"{loss} has no convention {str(convention)[:60]!r}"
            f"{did_you_mean(str(convention), rows)}; there are {', '.join(rows)}"
        )
    return rows[convention]


def completed(row: Row, options: Mapping[str, Expr]) -> dict[str, Expr]:
    """The options of a row: what is given, and the rest as it usually is.

    Raises
    ------
    DomainError
        If one is given that the loss does not have, or sizes that do not go together.
    """
    own = dict(options)
    if "tau" in own and _has_scale(row):
        if "t" in own:
            raise DomainError("--t and --tau both give the temperature: t is 1/tau")
        own["t"] = 1 / own.pop("tau")
    for name in own:
        if name not in row.defaults and name not in EVERYWHERE:
            takes = ", ".join(f"--{k}" for k in row.defaults)
            raise DomainError(f"{row.loss} has no --{name}; it takes {takes}")
        implied = None if name in row.defaults else EVERYWHERE[name]
        if implied not in (None, own[name]):
            raise DomainError(
                f"{row.loss} compares two vectors of each item: --{name} can only be {implied}, "
                f"not {own[name]}"
            )
    found = {k: own.get(k, v) for k, v in row.defaults.items() if own.get(k, v) is not None}
    if isinstance(row.family, Similar) and "views" in found:
        _check_classes(found, row.family, "" if "classes" in own else " (the default)")
    return found


def _has_scale(row: Row) -> bool:
    """Whether t is an inverse temperature and nothing else."""
    return "t" in row.defaults and "b" not in row.defaults


def _check_classes(found: Options, family: Similar, default: str) -> None:
    classes, batch, views = found.get("classes"), found["batch"], found["views"]
    if classes is not None and (classes > batch or batch % classes):
        raise DomainError(
            f"--classes {classes}{default} must divide --batch {batch}: landmarks are those of "
            "classes of one size"
        )
    if lacking := family.lacks(found):
        if views < 2 and not set(lacking) <= set(family.place.alike):
            raise DomainError("--views must be at least 2 where no classes give other positives")
        raise DomainError(
            f"--classes {classes}{default} must be fewer than --batch {batch}: "
            "the loss compares images of one class"
        )


def _lacks_pairs(row: Row, options: Options) -> bool:
    family = row.family
    return isinstance(family, Similar) and "views" in row.defaults and family.lacks(options) != ()


def _option(name: str, value: object) -> Expr:
    if name not in OPTIONS:
        raise DomainError(
            f"unknown option {name[:60]!r}{did_you_mean(name, OPTIONS)}; there are "
            f"{', '.join(OPTIONS)}"
        )
    return within(name, value, WHOLE.get(name), REAL.get(name, (0.0, 0.0)))


def within(
    name: str, value: object, whole: tuple[int, int] | None, real: tuple[float, float]
) -> Expr:
    """An exact number in the range of an option, of whole numbers if there is one.

    Raises
    ------
    DomainError
        If it is none.
    """
    option = name.replace("_", "-")
    found = _exact(option, value)
    low, high = whole or real
    fits = found.is_finite and low <= float(found) <= high
    if not fits or (whole and not isinstance(found, Integer)):
        kind = "whole number" if whole else "number"
        raise DomainError(f"--{option} must be a {kind} from {low:g} to {high:g}, not {found}")
    return found


def _exact(option: str, value: object) -> Expr:
    """An exact number; a float, a NumPy scalar or a tensor is the decimal that it shows."""
    try:
        if isinstance(value, str | int | Expr) or not isinstance(value, SupportsFloat):
            return exact(value)
        return exact(repr(float(value)))
    except ValueError as error:
        raise DomainError(f"--{option}: {error}") from None


def _value(value: object) -> float:
    found = _exact("value", value)
    if not found.is_finite:
        raise DomainError(f"--value must be a finite number, not {found}")
    return number(found)


def _close(value: object, wanted: float) -> tuple[float, float]:
    """How far from a landmark the value may be to be near it, and to be its own: half a digit."""
    _, _, digits = str(value).partition(".")
    own = max(0.5 * 10.0 ** -len(digits) if digits.isdigit() else 0.0, ROUNDING)
    return max(own, CLOSE * abs(wanted)), own


def _taken(row: Row, taken: Options) -> str:
    shown = ", ".join(f"{k} {_short(v)}" for k, v in taken.items())
    return f"{row.loss} ({row.convention}, {row.source}): {shown}"


def _short(e: Expr) -> str:
    return str(e) if e.is_Integer else f"{float(e):.6g}"


# --- sentences ---------------------------------------------------------------------------------
def _range(marks: tuple[Landmark, ...]) -> str:
    named = {mark.name: mark for mark in marks}
    low, equal = named["least"], named["all_equal"]
    return (
        f"The loss is {equal.value:.6g} if all embeddings are equal, {named['random'].value:.6g} "
        f"on average if they are random, and never below {low.value:.6g}."
    )


def _says(marks: tuple[Landmark, ...], value: float, close: float, own: float) -> str:
    least = marks[-1]
    if value < least.value - close:
        return (
            f"{value:.6g} lies below {least.value:.6g}, its minimum: the loss has another "
            "scale, convention or size than those given."
        )
    same = [mark for mark in marks if abs(mark.value - value) <= close]
    if same:
        shown = [mark for mark in same if mark is not least] or same
        said = "; or of ".join(map(_one, shown))
        is_own = all(abs(mark.value - value) <= own for mark in shown)
        return f"{value:.6g} is {'' if is_own else 'near '}the value of {said}.{_told_apart(same)}"
    in_bits = [mark for mark in marks if abs(mark.value - value * log(2)) <= close * log(2)]
    bits = f" If it was logged in bits, it is that of {_one(in_bits[0])}." if in_bits else ""
    return _between(marks, value) + bits


def _one(mark: Landmark) -> str:
    return f"{mark.name} ({mark.configuration}), which usually means that {mark.meaning}"


def _told_apart(same: list[Landmark]) -> str:
    """What tells apart configurations with one value."""
    found = {mark.name: mark.cosine for mark in same if mark.cosine is not None}
    for mark in same:
        found.update(mark.also)
    if len(set(found.values())) < 2:
        return ""
    each = ", ".join(f"{cosine:.3g} for {name}" for name, cosine in found.items())
    return f" The mean cosine of different images tells: {each}."


def _between(marks: tuple[Landmark, ...], value: float) -> str:
    named = {mark.name: mark.value for mark in marks}
    low = max((mark for mark in marks if mark.value < value), key=lambda mark: mark.value)
    above = [mark for mark in marks if mark.value > value]
    if not above:
        return (
            f"{value:.6g} lies above all landmarks, the highest of which is {low.name} at "
            f"{low.value:.6g}: it is worse than chance, or the loss is scaled."
        )
    high = min(above, key=lambda mark: mark.value)
    chance, equal, end = named["random"], named["all_equal"], named["least"]
    share = round(100 * (chance - value) / (chance - end))
    near = min(high, low, key=lambda mark: abs(mark.value - value))
    as_at = f", nearest to {near.name}, where {near.meaning}" * (near.value > chance)
    where = (
        f"worse than chance{as_at}"
        if value > chance
        else f"about {min(max(share, 1), 99)} % of the way from random ({chance:.6g}) to the least "
        f"({end:.6g})"
    )
    collapse = "all_equal is excluded" if value < equal else "a fall to all_equal would be collapse"
    return (
        f"{value:.6g} lies between {low.name} ({low.value:.6g}) and {high.name} "
        f"({high.value:.6g}): {where}, and {collapse} ({equal:.6g})."
    )


def _of_vectors(row: Row, taken: Options) -> Iterator[tuple[Row, Landmark, Options]]:
    """``all_equal``, if the batch that was given counts vectors, so many views of each image."""
    batch, views, classes = (taken.get(k, 1) for k in ("batch", "views", "classes"))
    images = batch / views
    if views != 1 and images % classes == 0 and images >= 2 * classes:
        fewer = {**taken, "batch": images}
        yield row, next(iter(row.family.landmarks(fewer))), fewer


def _if_vectors(batch: Expr, taken: Options) -> str:
    return f"if {batch} counts vectors, {taken['views']} views of each image"


# --- without a loss ----------------------------------------------------------------------------
def _searched(
    value: float, close: float, own: float, convention: str | None, options: Mapping[str, Expr]
) -> Explanation:
    """The landmarks of all losses that have a value, in nats and in bits."""
    rows = [row for row in ROWS if convention in (None, row.convention)]
    if not rows:
        names = dict.fromkeys(row.convention for row in ROWS)
        hint = did_you_mean(str(convention), names)
        raise DomainError(
            f"no convention is called {convention!r}{hint}; there are {', '.join(names)}"
        )
    if "classes" not in options:  # a number that was taken for granted need not divide a batch
        rows = [row for row in rows if row.defaults.get("classes") is None]
    lacking = [row for row in rows if _lacks_pairs(row, {**row.defaults, **options})]
    rows = [row for row in rows if row not in lacking] or rows  # if all do, the first is refused
    left_out = ", ".join(dict.fromkeys(row.loss for row in lacking))
    unsearched = f" Not searched, for want of positives or negatives: {left_out}." * bool(lacking)
    found: dict[tuple[str, str, str], tuple[float, Landmark, Options, list[str]]] = {}

    def look(marks: Iterator[tuple[Row, Landmark, Options]], close: float) -> None:
        for row, mark, taken in marks:
            for unit, size in UNITS:
                away = abs(mark.value / size - value)
                if away <= close and (unit == "" or "log(" in mark.how):
                    key = (row.loss, mark.name, f"{mark.value:.9g}{unit}")
                    found.setdefault(key, (away, mark, taken, []))[3].append(row.convention)

    look(_all(rows, options), close)
    usual = set(found)
    if not set(options) & set(WHOLE):
        look(_sized(rows, value, close, options), close)
    elif "batch" in options:
        look((k for row in rows for k in _of_vectors(row, _applied(row, options))), own)
    marks, lines, near = [], list[str](), list[str]()

    def order(key: tuple[str, str, str]) -> tuple[float, bool, int, int]:
        """Of those that the digits do not tell apart: usual sizes first, log(8) before 3 log(2)."""
        away, mark, *_ = found[key]
        return round(max(away, own), 6), key not in usual, mark.how.count("*"), len(mark.how)

    for loss, name, at in sorted(found, key=order):
        away, mark, taken, conventions = found[loss, name, at]
        sizes = ", ".join(f"{k} {_short(v)}" for k, v in taken.items())
        unit = " in bits" if at.endswith(" in bits") else ""
        named = ", ".join(dict.fromkeys(conventions))
        where = f"{loss} ({named}){unit}, {sizes}: {mark.configuration}"
        marks.append(Landmark(name, mark.value, mark.how, where, mark.meaning, mark.cosine))
        _, _, closed = mark.how.partition("exact: ")
        line = f"{name} of {loss}{unit}{f', {closed}' if closed else ''}"
        if "batch" in options and taken.get("batch", options["batch"]) != options["batch"]:
            line += f", {_if_vectors(options['batch'], taken)}"
        (near if away > own else lines).append(line)
    if not marks:
        says = f"No landmark of any loss has the value {value:.6g} at these sizes.{unsearched}"
        return Explanation((), None, says, ALL)
    told = lines or near
    shown = "; of ".join(told[:MOST]) + (f"; and {len(told) - MOST} more" * (len(told) > MOST))
    meanings = dict.fromkeys(mark.meaning for mark in marks[: min(MOST, len(told))])
    means = " Or that ".join(f"{m}." for m in meanings)
    says = f"{value:.6g} is {'' if lines else 'near '}the value of {shown}."
    others = f" {len(near)} others are near." if lines and near else ""
    says = f"{says} That usually means that {means}{others}{unsearched}"
    return Explanation(tuple(marks), marks[0].name, says, ALL)


def _all(rows: list[Row], options: Mapping[str, Expr]) -> Iterator[tuple[Row, Landmark, Options]]:
    """All landmarks at what is given."""
    for row in rows:
        taken = _applied(row, options)
        for mark in row.family.landmarks(taken):
            if mark.name != "least":
                yield row, mark, taken


def _applied(row: Row, options: Mapping[str, Expr]) -> dict[str, Expr]:
    """The options of a row, which takes of those given the ones that it has."""
    takes = {*row.defaults, *(["tau"] if _has_scale(row) else [])}
    own = {k: v for k, v in options.items() if k in takes}

    return completed(row, own)


def _sized(
    rows: list[Row], value: float, close: float, options: Mapping[str, Expr]
) -> Iterator[tuple[Row, Landmark, Options]]:
    """``all_equal``, which is the first landmark and grows with sizes, where it may have a value.

    Only powers of two are tried: some whole number fits nearly every value.
    """
    for row in rows:
        for name in (k for k in SIZES if k in row.defaults):

            def at(size: int, row: Row = row, name: str = name) -> tuple[Landmark, Options]:
                taken = _applied(row, {**options, name: Integer(size)})
                return next(iter(row.family.landmarks(taken))), taken

            for _, unit in UNITS:
                start = (value - close) * unit
                k = bisect_left(POWERS, start, key=lambda size: at(size)[0].value)
                if k < len(POWERS):
                    yield row, *at(POWERS[k])
