"""What a directive names: quantities, their domain, and the letters an equation may use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import lru_cache

from sympy import Expr, Symbol, latex, oo

from ...decide.defined import Condition
from ...decide.domain import Domain, DomainError
from ...decide.exact import NotANumber, expression
from ...decide.wanting import wanting
from ...results import UnknownResult, results
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ..directives import Directive
from ..formula.reader import canonical_name, read
from ..statement import Inner, TexError, Unread


class BadTarget(ValueError):
    """A directive names no result or quantity, or maps or sets something that cannot be."""


@dataclass(frozen=True, eq=False)
class Meant:
    """A directive that was looked up.

    Attributes
    ----------
    own
        A symbol for the value of each quantity, where an equation may name it.
    derived
        The quantities, with the values put in.
    others
        Symbols for the other quantities of the result, and what they are.
    names
        Every LaTeX name that may occur, in canonical spelling.
    domain
        Where all of it is meant; symbols with values are gone.
    point
        The values.
    """

    result: Result
    quantities: tuple[Quantity, ...]
    own: tuple[Symbol, ...]
    derived: tuple[Expr, ...]
    others: Mapping[Symbol, Expr]
    names: Mapping[str, Expr]
    domain: Domain
    point: Mapping[Symbol, Expr]

    @property
    def given(self) -> dict[Symbol, Expr]:
        """What is put into the printed side too: values, and the other quantities it names."""
        values = {s: v for s, v in self.point.items() if v is not oo}
        return values | {s: e.xreplace(values) for s, e in self.others.items()}

    @property
    def gone(self) -> set[Symbol]:
        """Symbols that went to infinity."""
        return {s for s, v in self.point.items() if v is oo}

    def single(self, i: int) -> Meant:
        """One quantity of several."""
        return replace(
            self,
            quantities=(self.quantities[i],),
            own=(self.own[i],),
            derived=(self.derived[i],),
            domain=_domain(self.result, (self.quantities[i],), self.point),
        )


def look_up(directive: Directive) -> Meant:
    """Find what a directive names.

    Raises
    ------
    BadTarget
        With one line that says what is wrong and what there is.
    """
    parts = (tuple(sorted(pairs.items())) for pairs in (directive.names, directive.values))
    return _looked_up(directive.result_id, directive.quantities, *parts)


@lru_cache(maxsize=256)
def _looked_up(
    result_id: str,
    quantities: tuple[str, ...],
    names: tuple[tuple[str, str], ...],
    values: tuple[tuple[str, str], ...],
) -> Meant:
    return _look_up(Directive(result_id, quantities, dict(names), dict(values)))


def _look_up(directive: Directive) -> Meant:
    try:
        result = results[directive.result_id]
        quantities = tuple(result.quantity(name) for name in directive.quantities)
        for name, q in zip(directive.quantities, quantities, strict=True):
            if not q.is_number:
                raise BadTarget(f"{name} of {result.id} is no number but a {q.kind.value}")
        point = result.point(**directive.values)
        derived = tuple(result.at(name, point) for name in directive.quantities)
    except (UnknownResult, DomainError, AttributeError) as error:
        raise BadTarget(str(error) + _nearest(directive)) from None
    own = tuple(Symbol(name, real=True) for name in directive.quantities)
    domain = _domain(result, quantities, point)
    gone = {s for s, v in point.items() if v is oo}
    finite = {s: v for s, v in point.items() if v is not oo}
    others = {
        Symbol(name, real=True): q.expression.xreplace(finite)
        for name, q in result.quantities.items()
        if name not in directive.quantities and q.is_number
    }
    names = {
        name: e
        for name, e in _names(directive, result, own, domain).items()
        # A symbol that is gone may still be what tends to infinity below a limit.
        if e not in others or not others[e].free_symbols & gone
    }
    return Meant(result, quantities, own, derived, others, names, domain, point)


def _nearest(directive: Directive) -> str:
    """A guess at a name that is misspelt; empty if there is nothing near."""
    if directive.result_id not in results:
        found = get_close_matches(directive.result_id, list(results), 1)
        return f"; did you mean {found[0]}?" if found else ""
    there = list(results[directive.result_id])
    wrong = [name for name in directive.quantities if name not in there]
    found = get_close_matches(wrong[0], there, 1) if wrong else []
    return f"; did you mean {directive.result_id}.{found[0]}?" if found else ""


def _domain(
    result: Result, quantities: tuple[Quantity, ...], point: Mapping[Symbol, Expr]
) -> Domain:
    """The domain of the last quantity that narrows that of the result, less what is given."""
    narrowed = [q.domain for q in quantities if q.domain is not None]
    domain = result.domain
    for more in narrowed:
        for s, r in more.ranges.items():
            if r != result.domain.ranges.get(s):
                domain = domain.with_range(s, r, more.witness[s])
    finite = {s: v for s, v in point.items() if v is not oo}
    gone = [s for s, v in point.items() if v is oo]

    def end(e: Expr) -> Expr:
        e = e.xreplace(finite)
        for s in gone:
            e = e.limit(s, oo) if s in e.free_symbols else e
        return e

    ranges = {
        s: replace(r, low=end(r.low), high=end(r.high))
        for s, r in domain.ranges.items()
        if s not in point
    }
    try:
        found = Domain(ranges, {s: v for s, v in domain.witness.items() if s in ranges})
    except DomainError:
        found = _with_witness(ranges, domain)
    return found


def _with_witness(ranges: Mapping[Symbol, object], domain: Domain) -> Domain:
    """The same ranges with a witness looked for: given values may exclude the stored one."""
    for place in domain.points(200):
        try:
            return Domain(ranges, {s: place[s] for s in ranges})  # type: ignore[arg-type]
        except DomainError:
            continue
    raise BadTarget("no admissible point was found with the values given")


@lru_cache(maxsize=512)
def pattern(written: str) -> Inner | Unread | None:
    """What the reader makes of a spelling that is an inner product or a norm."""
    try:
        side = read(f"{written} = 0", {}).sides[0]
    except TexError:
        return None
    return side if isinstance(side, (Inner, Unread)) else None


def _names(
    directive: Directive, result: Result, own: tuple[Symbol, ...], domain: Domain
) -> dict[str, Expr]:
    symbols = {s.name: s for s in result.domain.ranges}
    for q in result.quantities.values():
        symbols |= {s.name: s for s in q.expression.free_symbols if isinstance(s, Symbol)}
    found: dict[str, Expr] = {}
    for name, q in result.quantities.items():
        if q.limit_of is not None or not q.is_number:
            continue  # it is written as the limit of what has the name
        is_own = name in directive.quantities
        meant = own[directive.quantities.index(name)] if is_own else Symbol(name, real=True)
        for written in (q.symbol, *q.spellings):
            if isinstance(pattern(written), Inner):
                continue  # which vectors, and which of their indices: see subject.py
            try:
                found.setdefault(canonical_name(written), meant)
            except TexError:  # of vectors, or a limit
                continue
    found |= {canonical_name(latex(s)): s for s in symbols.values()}
    for written, text in directive.names.items():
        try:
            name, probe = canonical_name(written), Symbol("probe")
            if read(written, {name: probe}).sides != (probe,):
                raise BadTarget(f"{written} is not a name")
            needed: list[tuple[str, Expr]] = []
            meaning = expression(text, {**symbols, **{s.name: s for s in own}}, needed=needed)
        except NotANumber as error:
            raise BadTarget(f"{written} -> {text}: {error}") from None
        except TexError as error:
            raise BadTarget(f"{written} is not a name: {error}") from None
        known = found.get(name, meaning)
        if known != meaning and any(known == Symbol(q, real=True) for q in result.quantities):
            raise BadTarget(f"{written} is the name of {known}, and cannot stand for {meaning}")
        _check_defined(written, meaning, needed, domain)
        found[name] = meaning
    return found


def _check_defined(
    written: str, meaning: Expr, needed: list[tuple[str, Expr]], domain: Domain
) -> None:
    """Refuse a letter whose meaning has no value as it is written, whatever cancels in it."""
    every = [Condition(meaning, need, argument) for need, argument in needed]  # type: ignore[arg-type]
    for lost in wanting(every, meaning, domain):
        raise BadTarget(
            f"{written} -> {meaning}: it is not proved to have a value where it is written with "
            f"{lost.argument}"
        )
