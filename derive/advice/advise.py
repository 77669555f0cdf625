"""The safe range of each parameter at a setting, and which result says so."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import isfinite, log
from typing import Any

import numpy as np
from sympy import Expr, Integer, Rational, Symbol

from ..decide.domain import DomainError
from ..frozen import FrozenValue
from ..optimum.condition import capital
from ..optimum.dimension import Dimension
from ..results import results
from ..structures.draws import UNIFORM, B
from ..structures.hierarchy import m, n
from ..theorem.dimensions import own_dimension
from ..theorem.number import as_float
from ..theorem.result import Result
from .setting import ALONE, DEFAULTS, Setting, setting
from .table import LIMITS, End, Said

SCHEMA = 1
#: Temperatures that are tried, from coarse to fine: those of the last round are 0.01 % apart.
COLDEST, HOTTEST, STEPS, ROUNDS = 0.01, 10.0, 17, 3
#: Ends that are this close, relatively, leave nothing between them.
EMPTY = 1e-5
#: Sizes of classes that may differ: ten take six seconds, thirty five minutes.
DISTINCT = 8


class Bound(FrozenValue):
    """A number that a result gives.

    Attributes
    ----------
    value
        The number.
    result, quantity, evidence
        Which result says so, and how it is known.
    side, outside
        Where the safe values are (``above``, ``below``), and what happens elsewhere.
    """

    value: float
    result: str
    quantity: str
    evidence: str
    side: str = ""
    outside: str = ""

    def inside(self, value: float) -> float:
        """How far on the safe side a value is, negative on the other."""
        return value - self.value if self.side == "above" else self.value - value

    def as_json(self) -> dict[str, Any]:
        """The object that others rely on."""
        return {k: v for k, v in vars(self).items() if v != ""}


class Safe(FrozenValue):
    """The safe values of a parameter: above ``low`` and below ``high``, both None where endless.

    ``value`` is its value, ``taken`` whether that was taken for granted, and ``margin`` how far
    inside it is, negative outside. Nothing is known below ``least`` dimensions, if that is given.
    """

    name: str
    low: float | None
    high: float | None
    value: float | None
    taken: bool
    bounds: tuple[Bound, ...]
    note: str = ""
    least: float | None = None

    @property
    def margin(self) -> float | None:
        """How far inside of the bounds the value is."""
        if self.value is None or not self.bounds:
            return None
        return min(b.inside(self.value) for b in self.bounds)

    @property
    def where(self) -> str:
        """The dimensions that it is about, if these are more than were asked for."""
        return f"in d >= {self.least:.0f}" if self.least else ""

    def holds(self, number: str) -> bool:
        """Whether a number is between the ends, and none of them."""
        above = self.low is None or self.low < float(number)
        return above and (self.high is None or float(number) < self.high)

    @property
    def is_empty(self) -> bool:
        """Whether its ends leave nothing between them that one would choose."""
        if self.low is None or self.high is None:
            return False
        return self.low >= self.high * (1 - EMPTY)

    @property
    def middle(self) -> float | None:
        """The middle of the range, if it has two ends and is not empty; of noise less is better."""
        if self.name == "noise" or self.low is None or self.high is None or self.is_empty:
            return None
        return (self.low + self.high) / 2

    def as_json(self) -> dict[str, Any]:
        """The object that others rely on."""
        own = {"name": self.name, "low": self.low, "high": self.high, "given": self.value}
        own |= {"taken": self.taken, "margin": self.margin}
        note = "; ".join(filter(None, (self.note, self.where)))
        return {**own, "note": note, "bounds": [b.as_json() for b in self.bounds]}


class Told(FrozenValue):
    """A number that bounds nothing, in a sentence."""

    name: str
    says: str
    bound: Bound | None = None

    def as_json(self) -> dict[str, Any]:
        """The object that others rely on."""
        found = self.bound.as_json() if self.bound else {}
        return {"name": self.name, "says": self.says, **found}


class Report(FrozenValue):
    """What :func:`advised` finds."""

    says: str
    parameters: tuple[Safe, ...]
    facts: tuple[Told, ...]
    taken: Mapping[str, str]

    def as_json(self) -> dict[str, Any]:
        """The object that others rely on, as docs/schema/advise.json says."""
        return {
            "schema": SCHEMA,
            "says": self.says,
            "parameters": [safe.as_json() for safe in self.parameters],
            "facts": [told.as_json() for told in self.facts],
            "taken": dict(self.taken),
        }


def advised(
    loss: str,
    *,
    convention: str | None = None,
    sampling: str | None = None,
    alone: str | None = None,
    **options: object,
) -> Report:
    """As :func:`cltheory.advise`."""
    at = setting(loss, convention, sampling, alone, **options)
    room, steered = _room(at), at.advice.steered
    ranges = here = _ranges(at)
    wide = at
    if room and room.margin and room.margin < 0:  # what is known of more dimensions is told as such
        wide = at.in_dimension(Integer(room.low))
        ranges = _ranges(wide) | here
    chosen = _chosen(at if steered in here else wide, ranges)
    if steered in ranges and steered in chosen.numbers:  # it is not where no value is safe
        ranges = ranges | (_ranges(chosen, ("tau",)) or {"tau": _tempered(chosen, steered)})
    if room:
        far = set(ranges) - set(here) - ({"tau"} if steered in here else set())
        ranges |= {name: replace(ranges[name], least=room.low) for name in far} | {"dim": room}
    chosen = replace(at, numbers={**chosen.numbers, "dim": at.numbers["dim"]})
    safe = tuple(ranges.values())
    first = sorted(safe, key=lambda k: k.name != "dim" or (k.margin or 0) >= 0)  # if too small
    hints = (Told("hint", text) for text in at.advice.hints)
    facts = (*_seen(at), *_unequal(at), *_facts(chosen), *hints)
    says = " ".join(map(sentence, first)) or capital(facts[0].says) + "."
    return Report(says, safe, facts, _taken(at))


# --- quantities ----------------------------------------------------------------------------------
def _result(said: Said) -> Result:
    found = results[said.result]
    return found.in_convention(said.convention) if said.convention else found


def _applies(said: Said, at: Setting) -> bool:
    """Whether it is asked for here, and all that it takes is known."""
    fits = all(at.words[k] == v for k, v in said.when.items())
    return fits and all(k in at.numbers for k in said.takes.values())


def _point(said: Said, at: Setting, result: Result) -> dict[Symbol, Expr]:
    try:
        return result.point(**{k: at.numbers[v] for k, v in said.takes.items()})
    except DomainError as error:  # in the letters of the result
        letter, _, rest = str(error).partition(" ")
        option = said.takes.get(letter)
        own = f"--{option.replace('_', '-')} {rest}" if option else str(error)
        raise DomainError(own) from None


def _bound(said: Said, at: Setting, end: End | None = None) -> Bound | None:
    """The number; None where the quantity does not exist."""
    if not _applies(said, at):
        return None
    result, name = _result(said), said.quantity.format(**at.words)
    point = _point(said, at, result)
    if name not in result.quantities:
        return None
    try:
        value = as_float(result.number(name, result.at(name, point), point))
    except DomainError:  # a condition of this quantity alone
        return None
    about = (end.side, end.outside) if end else ()
    return Bound(value, said.result, name, str(result.evidence_of(name).grade), *about)


def _ranges(at: Setting, only: tuple[str, ...] = ()) -> dict[str, Safe]:
    """The range of each parameter that has an end here."""
    ends: dict[str, list[Bound]] = {}
    for end in at.advice.ends:
        if not only or end.parameter in only:
            found = _bound(end.said, at, end)
            least = _bound(end.unless, at) if end.unless and found else None
            if found is None or not _exists(end, at):
                continue
            if least is not None and least.value > LIMITS[end.parameter][0]:
                outside = f"down to {least.value:.6g} {end.outside}, and below {end.beneath}"
                if least.value > found.value:  # neither holds anywhere: below both, what is beneath
                    outside = end.beneath
                    own = ends.setdefault(end.parameter, [])
                    between = end.between + _elsewhere(end, at, least.value)
                    own.append(replace(least, side=end.side, outside=between))
                found = replace(found, outside=outside)
            ends.setdefault(end.parameter, []).append(found)
    return {name: _safe(name, tuple(bounds), at) for name, bounds in ends.items()}


def _elsewhere(end: End, at: Setting, here: float) -> str:
    """Where the lowest end is under another convention for an anchor alone in its class."""
    ends: dict[str, float] = {}
    for alone in ALONE if "{alone}" in end.said.quantity else ():
        other = replace(at, words={**at.words, "alone": alone})
        both = (_bound(said, other) for said in (end.said, end.unless) if said)
        ends[alone] = max((bound.value for bound in both if bound), default=here)
    best = min(ends, key=ends.__getitem__, default="")
    if not best or ends[best] >= here:
        return ""
    said = f"if an anchor alone in its class {ALONE[best].says} (alone: {best})"
    return f" ({said}, {end.parameter} is safe {end.side} {ends[best]:.6g})"


def _safe(name: str, bounds: tuple[Bound, ...], at: Setting, note: str = "") -> Safe:
    least, most, words, _ = LIMITS[name]
    steered = at.advice.steered
    if name == "tau" and steered in at.numbers:
        note = note or f"at {steered} = {float(at.numbers[steered]):g}"
    low = max([least, *(b.value for b in bounds if b.side == "above")])
    high = min([most, *(b.value for b in bounds if b.side == "below")])
    given = at.numbers.get(name)
    return Safe(
        name,
        low if isfinite(low) else None,
        high if isfinite(high) else None,
        None if given is None else float(given),
        name not in at.options,
        bounds,
        note or words,
    )


def _chosen(at: Setting, ranges: Mapping[str, Safe]) -> Setting:
    """The same with a value of what steers, the middle of its range unless it is given."""
    name = at.advice.steered
    middle = ranges[name].middle if name in ranges else None
    if name in at.numbers or middle is None:
        return at
    short = (f"{middle:.{digits}f}" for digits in range(3, 18))
    inside = next(filter(ranges[name].holds, short), repr(middle))
    return replace(at, numbers={**at.numbers, name: Rational(inside)})


# --- temperature ---------------------------------------------------------------------------------
def _tempered(at: Setting, name: str) -> Safe:
    """Where the ends of a parameter leave its value inside; found on a grid, and so sampled."""
    value = float(at.numbers[name])
    ends = [
        end
        for end in at.advice.ends
        if end.parameter == name and _exists(end, at) and _bound(end.said, at)
    ]

    def inside(taus: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        safe = np.ones(len(taus), dtype=bool)
        for end in ends:
            sign = 1 if end.side == "above" else -1
            edges = _along(end.said, at, taus)
            if end.unless and _bound(end.unless, at):
                edges = np.fmax(edges, _along(end.unless, at, taus))
            safe &= ~(sign * (value - edges) <= 0)  # where there is no end, it is nan
        return safe

    taus = np.geomspace(COLDEST, HOTTEST, STEPS)
    safe = inside(taus)
    start = int(np.abs(np.log(taus / float(at.numbers["tau"]))).argmin())
    asked = [k for end in ends for k in (end.said, end.unless) if k and _bound(k, at)]
    if not safe.any():
        note = f"none from {COLDEST:g} to {HOTTEST:g} makes {name} = {value:g} safe"
        return replace(_safe("tau", (), at, note), high=0.0)
    nearest = int(np.flatnonzero(safe)[np.abs(np.flatnonzero(safe) - start).argmin()])
    bounds = []
    for step, side in ((-1, "above"), (1, "below")):
        edge = nearest
        while 0 <= edge + step < len(taus) and safe[edge + step]:
            edge += step
        if 0 <= edge + step < len(taus):
            within = _edge(inside, taus[edge], taus[edge + step])
            out = taus[[edge + step]]
            said = max(asked, key=lambda k: np.nan_to_num(_along(k, at, out)[0], nan=-1))
            about = (said.result, said.quantity.format(**at.words), "sampled")
            bounds.append(Bound(within, *about, side, f"{name} = {value:g} is outside its range"))
    return _safe("tau", tuple(bounds), at)


def _along(said: Said, at: Setting, taus: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A quantity at temperatures."""
    result, name = _result(said), said.quantity.format(**at.words)
    felt = {s.name for s in result.quantity(name).expression.free_symbols} - {"tau"}
    sizes = {k: float(at.numbers[v]) for k, v in said.takes.items() if k in felt}
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        values = np.array(result.function(name)(**sizes, tau=taus))
    for k in np.flatnonzero(np.isnan(values)) if told else ():  # float64 is not enough there
        moved = replace(at, numbers={**at.numbers, "tau": Rational(repr(float(taus[k])))})
        values[k] = found.value if (found := _bound(said, moved)) else np.nan
    return values


def _edge(inside: Any, yes: float, no: float) -> float:
    """The last temperature inside, between one inside and one outside."""
    for _ in range(ROUNDS):
        taus = np.linspace(yes, no, STEPS)
        out = int(np.argmin(inside(taus)))
        yes, no = taus[out - 1], taus[out]
    return float(yes)


# --- dimension, batch, facts ---------------------------------------------------------------------
def _need(said: Said, at: Setting) -> Dimension | None:
    """The dimensions that a quantity needs, if it is asked for here and needs any."""
    result, name = _result(said), said.quantity.format(**at.words)
    own = own_dimension(result, name) if _applies(said, at) else None
    return None if own is None else own.at(_point(said, at, result))


def _fits(said: Said, at: Setting) -> bool:
    """Whether the dimension is enough for what a quantity says."""
    need = _need(said, at)
    return need is None or float(at.numbers["dim"]) >= float(need.least)


def _exists(end: End, at: Setting) -> bool:
    """Whether an end is one in this dimension."""
    asked = (end.said,) if end.in_room_of is None else end.in_room_of
    return all(_fits(said, at) for said in asked)


def _room(at: Setting) -> Safe | None:
    """The dimension from which on what was said holds."""
    given, found = float(at.numbers["dim"]), []
    for room in at.advice.rooms:
        for said in room.asked:
            if (need := _need(said, at)) is None:
                continue
            result, name = _result(said), said.quantity.format(**at.words)
            below = room.below or ("needs more" if need.sharp else "is not known to hold")
            grade = str(result.evidence_of(name).grade)
            about = (said.result, name, grade, "above", f"{room.what} {below}")
            found.append((room.what, Bound(float(need.least), *about)))
            break
    if not found:
        return None
    bounds, low = tuple(b for _, b in found), max(b.value for _, b in found)
    return Safe("dim", low, None, given, "dim" not in at.options, bounds, found[-1][0])


def _seen(at: Setting) -> Iterator[Told]:
    """How many images an anchor sees, and how many of them are of its class."""
    if "sizes" in at.numbers:
        if idle := [k for k in DEFAULTS if k in at.options]:
            says = "no role: what is known of unequal classes is about all data at once"
            yield Told("batch", f"{', '.join(idle)} play{'s' * (len(idle) == 1)} {says}")
        return
    number = {k: int(at.numbers[k]) for k in ("batch", "devices", "accumulate", "seen")}
    says = f"an anchor sees {number['seen']} images"
    if number["devices"] > 1:
        says += f", {number['batch']} of each of {number['devices']} devices, if these gather them"
    if number["accumulate"] > 1:
        says += f"; {number['accumulate']} accumulated batches do not add to that"
    yield Told("batch", says)
    if number["devices"] > 1:
        alone = replace(at, numbers={**at.numbers, "seen": at.numbers["batch"]})
        for end in at.advice.ends:
            is_asked = "seen" in end.said.takes.values() and _exists(end, alone)
            if is_asked and (found := _bound(end.said, alone, end)):
                says = f"without gathering, {end.parameter} must be {end.side} {found.value:.6g}"
                yield Told("ungathered", says, found)
    if "classes" in at.numbers and at.words["sampling"] == "uniform":
        assert UNIFORM.law is not None
        marked, drawn, total = UNIFORM.law  # of a hypergeometric distribution
        sizes = {m: "classes", n: "per_class", B: "seen"}
        mean = (marked * drawn / total).xreplace({s: at.numbers[k] for s, k in sizes.items()})
        said = f"on average {float(mean):.4g} others are of its class"
        known = "" if "per_class" in at.options else ", if classes have many images"
        yield Told("same_class", said + known)


def _facts(at: Setting) -> Iterator[Told]:
    for fact in at.advice.facts:
        found = _bound(fact.said, at)
        if found is not None and fact.less:
            assert fact.lemma is not None
            value = found.value - log(int(at.numbers[fact.less]))
            found = replace(found, value=value, evidence=str(fact.lemma.grade))
        if found is not None and (found.value > 0 or not fact.scaled):  # no loss is below 0
            scaled = replace(found, value=found.value * at.factor()) if fact.scaled else found
            says = fact.says if found.value or not fact.otherwise else fact.otherwise
            if _fits(fact.said, at):
                says = fact.fits + says
            elif fact.optimum:
                continue
            yield Told(fact.name, says.format(value=f"{scaled.value:.6g}"), scaled)


def _unequal(at: Setting) -> Iterator[Told]:
    """Which classes of unequal sizes are one point, and which are closest."""
    if "sizes" not in at.numbers:
        return
    sizes = tuple(map(int, at.numbers["sizes"]))
    if len(set(sizes)) > DISTINCT:
        yield Told("cosines", f"the optimum is not searched for more than {DISTINCT} sizes")
        return
    id = "supcon-imbalanced"
    made = results[id].with_inputs(at={"tau": at.numbers["tau"]}, sizes=",".join(map(str, sizes)))
    rows = made.value("cosines", tau=at.numbers["tau"])
    assert isinstance(rows, list)
    cosines = [[float(k) for k in row] for row in rows]
    pairs = {(i, j): cosines[i][j] for j in range(len(sizes)) for i in range(j)}
    (i, j), most = max(pairs.items(), key=lambda pair: pair[1])
    bound = Bound(most, id, "cosines", str(made.evidence_of("cosines").grade))
    together = sorted({k for pair, cosine in pairs.items() if cosine == 1 for k in pair})
    if together:
        shown = ", ".join(str(sizes[k]) for k in together)
        says = f"at this tau some classes are one point: those of {shown}"
    else:
        least, equal = min(pairs.values()), -1 / (len(sizes) - 1)
        says = (
            f"no two classes are one point: cosines are from {least:.4g} to {most:.4g}, the "
            f"largest between classes of {sizes[i]} and {sizes[j]}; equal sizes have {equal:.4g}"
        )
    yield Told("cosines", says, bound)
    rank = int(as_float(made.value("rank", tau=at.numbers["tau"])))
    enough = f"and d = {at.numbers['dim']} is {'enough' if at.numbers['dim'] >= rank else 'less'}"
    yield Told("rank", f"the optimum needs d >= {rank}, {enough}")


def _taken(at: Setting) -> dict[str, str]:
    """What was read and taken for granted, and how many images follow from it."""
    found: dict[str, str] = {"loss": at.loss, "convention": at.row.convention}
    shown = [*at.advice.defaults, "sizes"]
    if "sizes" not in at.numbers:
        shown = [*DEFAULTS, *shown, "seen", "drawn", "each"]
    asks = at.advice.asks
    unused = {"views"} - asks
    found |= {k: str(at.numbers[k]) for k in shown if k in at.numbers and k not in unused}
    if "classes" in at.numbers:
        found |= {k: at.words[k] for k in ("anchor", "sampling", "alone") if k in asks}
    return found


# --- the sentence --------------------------------------------------------------------------------
def sentence(safe: Safe) -> str:
    """What to choose, or where the value that was chosen stands."""
    said = _sentence(safe)
    return f"{capital(safe.where)}: {said[0].lower()}{said[1:]}" if safe.where else said


def _sentence(safe: Safe) -> str:
    if safe.name == "dim":
        assert safe.margin is not None and safe.value is not None
        if safe.margin >= 0:
            return f"d = {safe.value:.0f} is enough for {safe.note} (d >= {safe.low:.0f})."
        least = next(b for b in safe.bounds if b.inside(safe.value) < 0)
        return f"d = {safe.value:.0f} is below {least.value:.0f}, and {least.outside}."
    named = LIMITS[safe.name]
    ends = (("above", safe.low, named[0]), ("below", safe.high, named[1]))
    where = " and ".join(
        f"{word} {end:.6g}" for word, end, own in ends if end is not None and (end != own or own)
    )
    if safe.is_empty:
        why = safe.bounds[0].outside if safe.bounds else safe.note
        is_none = safe.low is not None and safe.high is not None and safe.low >= safe.high
        return f"{'No' if is_none else 'Next to no'} {safe.name} is safe: {why}."
    if not where:
        return f"{safe.name} = {safe.value:g} is safe (no end up to {HOTTEST:g})."
    if not safe.bounds and safe.note:
        return f"{capital(safe.note)}."
    if safe.value is None:
        return f"{named[3]} {where}."
    if safe.margin is None or safe.margin > 0:
        return f"{safe.name} = {safe.value:g} is safe ({where})."
    beyond = [b.outside for b in safe.bounds if b.inside(safe.value) <= 0]
    why = f": {beyond[0]}" if beyond else ""
    return f"{safe.name} = {safe.value:g} is not safe{why}; it must be {where}."
