"""A result in the terms of a library: its parameters put in, its values given back.

The derivation stays as it is, in the terms of the result's source: putting the library's
parameters in for ours is done to what was derived, and a change of parameters that goes one
way only turns an inequality for a threshold round or leaves it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from sympy import Expr, FiniteSet, Interval, S, Symbol, Union, oo
from sympy.sets.sets import Set

from ..decide.domain import Domain, DomainError, Range
from ..losses.conventions import CONVENTIONS, Convention, Reading
from ..losses.written import write
from ..optimum.dimension import d
from ..optimum.threshold import MIRROR, Threshold
from ..problems.problem import Problem
from ..proof.derivation import Derivation
from ..proof.relations import TURNED
from .at_numbers import AtNumbers
from .bounded import with_bound
from .kinds import Kind, pieces
from .quantity import Quantity
from .result import Result
from .subject import Symmetric


def in_convention(result: Result, name: str) -> Result:
    """The result in the terms of a convention.

    Raises
    ------
    DomainError
        If there is no such convention, or it has no loss that is the result's in other
        letters; one line.
    """
    if name not in CONVENTIONS:
        raise DomainError(f"no convention is called {name!r}; there are {', '.join(CONVENTIONS)}")
    if result.draw is not None:
        raise DomainError(f"{result.id} is about random batches, and has no other convention")
    reading = CONVENTIONS[name].reading(result.declared)
    if result.declared is None or result.structure is None or reading is None:
        raise DomainError(_refusal(result, CONVENTIONS[name]))
    kind = partial(AtTheirNumbers, result) if isinstance(result, AtNumbers) else Result
    theirs = reading.of_loss(result.declared)
    title = result.title
    if not reading.is_extended_by(theirs):  # it may be called by its functions, in our letters
        title = re.sub(rf"{re.escape(result.declared.title)}$", reading.called, title)
    made = kind(
        result.id,
        title=f"{title}, in the terms of {name}",
        source=result.source,
        parameters=result.parameters,
        domain=_domain(result.domain, reading),
        build=lambda proof: _build(result, reading, proof),
        texts=result.texts,
        # Values are in the terms of the library, and stay beside the loss.
        read=lambda at=None, **inputs: result.with_inputs(**inputs).in_convention(name),
        subject=Symmetric(
            Problem(theirs, result.structure, _domain(result.domain, reading)),
            segment=result.segment,
            convention=name,
            reading=reading,
        ),
        meanings=result.meanings,
        lists=tuple(result.lists.values()),
    )
    made.inputs = dict(result.inputs)
    return made


class AtTheirNumbers(AtNumbers):
    """A result in the terms of a library; values in these terms are put in first.

    Parameters
    ----------
    ours
        The result in our terms.
    id, **described
        As of any result.
    """

    def __init__(self, ours: AtNumbers, id: str, **described: Any):
        super().__init__(id, **described)
        self.ours, self.fixed, self.takes_oo = ours, {}, ours.takes_oo

    def made_at(self, fixed: Mapping[Symbol, Expr]) -> AtNumbers:
        """The same for these values, which are ours in other letters."""
        assert self.reading is not None
        ours = {s: _of_value(s, v, self.reading) for s, v in fixed.items()}
        put_in: Result = self.ours.at_point(ours)
        put_in = with_bound(put_in) if d in self.ours.parameters else put_in
        made = in_convention(put_in, self.convention)
        assert isinstance(made, AtNumbers)
        made.fixed = dict(fixed)
        return made

    def found_at_numbers(self, name: str) -> bool:
        """As in our terms."""
        return self.ours.found_at_numbers(name)


def _refusal(result: Result, convention: Convention) -> str:
    known = [n for n, c in CONVENTIONS.items() if c.reading(result.declared) is not None]
    said = f"; conventions for it: {', '.join(known)}" if known else ""
    if result.alone is not None and (what := result.alone.kind_of_loss):
        return f"{result.id} is about {what}"
    if result.declared is None:
        return f"{result.id} is about no loss, and reads the same under every convention"
    losses = " and ".join(r.called for r in convention.readings)
    return (
        f"{convention.name} computes another loss than {result.id}, so parameters cannot be "
        f"converted: {losses}{_difference(result, convention)}{said}"
    )


def _difference(result: Result, convention: Convention) -> str:
    """What is said of the library's loss that is not said of this one."""
    scheme = result.structure
    if result.declared is None or scheme is None:
        return ""
    relations = {r.name for r in scheme.relations}
    ours = write(result.declared, scheme)
    for reading in convention.readings:
        if type(reading.loss) is type(result.declared) and reading.relations() <= relations:
            theirs = write(reading.loss, scheme)
            new = [note for note in theirs.notes if note not in ours.notes]
            return f" is {' '.join(theirs.formula.split())} with {', '.join(new)}"
    return ""


def _build(result: Result, reading: Reading, proof: Derivation) -> dict[str, Quantity]:
    proof.steps += result.derivation.steps
    return {name: _quantity(name, q, reading) for name, q in result.quantities.items()}


def _quantity(name: str, q: Quantity, reading: Reading) -> Quantity:
    value, bound, ends = q.expression.xreplace(reading.ours), q.bound, dict(q.ends)
    if q.kind is Kind.SET and q.parameter is not None:
        value = _set(q.expression, q.parameter, reading)
        images = {_of_value(q.parameter, e, reading): t for e, t in ends.items()}
        ends = {e: _threshold(t, e, reading) for e, t in images.items()}
    elif name in ("loss", "loss_at_least") and q.is_number:
        value = reading.factor * value
    if bound is not None:  # a value of a parameter
        parameter, sign = bound
        value = _of_value(parameter, q.expression, reading)
        bound = (parameter, TURNED[sign] if reading.falls(parameter) else sign)
    return replace(
        q,
        expression=value,
        meaning=_meaning(q.meaning, reading),
        domain=q.domain and _domain(q.domain, reading),
        at_oo={s: e.xreplace(reading.ours) for s, e in q.at_oo.items()},
        needs=q.needs and (q.needs[0].xreplace(reading.ours), q.needs[1]),
        bound=bound,
        ends=ends,
        threshold=q.threshold and _threshold(q.threshold, value, reading),
        limit_of=q.limit_of and _limit_of(*q.limit_of, reading),
    )


def _of_value(parameter: Symbol, value: Expr, reading: Reading) -> Expr:
    """A value of a parameter of ours, as one of theirs."""
    if value in (oo, -oo):
        return _image(parameter, value, reading) if parameter in reading.ours else value
    theirs = value.xreplace(reading.ours)
    return reading.ours.get(parameter, parameter).xreplace({parameter: theirs})


def _set(values: Set, parameter: Symbol, reading: Reading) -> Set:
    """Values of a parameter in their terms: the ends change places if it falls with ours."""
    found: list[Set] = []
    for part in pieces(values):
        if isinstance(part, FiniteSet):
            found.append(FiniteSet(*(_of_value(parameter, e, reading) for e in part.args)))
            continue
        ends = [_of_value(parameter, e, reading) for e in (part.inf, part.sup)]
        opens = [bool(part.left_open), bool(part.right_open)]
        if reading.falls(parameter):
            ends, opens = ends[::-1], opens[::-1]
        found.append(Interval(*ends, *opens))
    return Union(*found, evaluate=False) if len(found) > 1 else found[0] if found else S.EmptySet


def _threshold(threshold: Threshold, value: Expr, reading: Reading) -> Threshold:
    """The condition in their parameters, which is negative on the other side if ours falls."""
    kind, side = type(threshold.relation), threshold.side
    if reading.falls(threshold.parameter):
        kind, side = MIRROR[kind], "<" if side == ">" else ">"
    return replace(
        threshold,
        condition=threshold.condition.xreplace(reading.ours),
        value=value,
        side=side,
        relation=kind(threshold.parameter, value, evaluate=False),
    )


def _limit_of(e: Expr, symbol: Symbol, point: Expr, reading: Reading) -> tuple[Expr, Symbol, Expr]:
    end = _image(symbol, point, reading) if symbol in reading.ours else point
    return e.xreplace(reading.ours), symbol, end


def _meaning(text: str, reading: Reading) -> str:
    """The words, with inequalities for a parameter that falls with the other turned round."""
    for s, e in reading.ours.items():
        if reading.falls(s):
            text = re.sub(rf"\b({s} )(>=|<=|>|<)(?= )", lambda at: at[1] + TURNED[at[2]], text)
        text = re.sub(rf"\b{s} = ", f"{e} = ", text)
    return text


def _domain(domain: Domain, reading: Reading) -> Domain:
    theirs = {s: e for s, e in reading.ours.items() if s in domain.ranges}
    return Domain(
        {s: _range(s, r, reading) for s, r in domain.ranges.items()},
        {s: theirs.get(s, s).xreplace({s: v}) for s, v in domain.witness.items()},
    )


def _range(s: Symbol, r: Range, reading: Reading) -> Range:
    r = replace(r, low=r.low.xreplace(reading.ours), high=r.high.xreplace(reading.ours))
    if s not in reading.ours:
        return r
    ends = [(_image(s, r.low, reading), r.low_open), (_image(s, r.high, reading), r.high_open)]
    (low, low_open), (high, high_open) = ends[::-1] if reading.falls(s) else ends
    return replace(r, low=low, high=high, low_open=low_open, high_open=high_open)


def _image(s: Symbol, end: Expr, reading: Reading) -> Expr:
    """Where an end of the range of a parameter goes; one at 0 is approached from above."""
    if end in (S.Zero, oo, -oo):
        return reading.ours[s].limit(s, end, "-" if end is oo else "+")
    return reading.ours[s].xreplace({s: end})
