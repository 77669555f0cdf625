"""What a directive names: quantities, their domain, and the letters an equation may use."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from sympy import Basic, Expr, Interval, Symbol, latex, oo
from sympy.core.relational import Relational

from ...decide.defined import Condition
from ...decide.domain import Domain, DomainError
from ...decide.exact import NotANumber, expression, unknown_words
from ...decide.wanting import wanting
from ...frozen import Frozen
from ...language.statement import Inner, TexError, Unread
from ...language.units import is_closed
from ...results import UnknownResult, results
from ...theorem.bounds import Bounds
from ...theorem.kinds import Kind
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ...theorem.written import root_names, written
from ..directives import Directive
from ..formula.names import Phrase, phrase, split_at_relation
from ..formula.reader import canonical_name, read_formula

_BOUND = re.compile(r"(.*) (\\[lg]e)( .*)?")
_SIDES = {r"\le": "upper", r"\ge": "lower"}


class BadTarget(ValueError):
    """A directive names no result or quantity, or maps or sets something that cannot be."""


class Meant(Frozen):
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
    phrases
        Further names that may occur: those that are no single signs.
    stated
        A condition or a set as it was derived; ``derived`` is a number then that stands for it.
    """

    result: Result
    quantities: tuple[Quantity, ...]
    own: tuple[Symbol, ...]
    derived: tuple[Expr, ...]
    others: Mapping[Symbol, Expr]
    names: Mapping[str, Expr]
    domain: Domain
    point: Mapping[Symbol, Expr]
    phrases: tuple[Phrase, ...] = ()
    stated: Basic | None = None

    @property
    def bounded(self) -> Symbol | None:
        """What stands for the number that the quantities are bounds of."""
        (first, *_) = self.quantities
        return bounded(first)

    @property
    def substitution(self) -> dict[Symbol, Expr]:
        """What is put into the printed side too: values, and the other quantities it names."""
        values = {s: v for s, v in self.point.items() if v is not oo}
        others = {**self.others, **self.exported}
        return values | {s: e.xreplace(values) for s, e in others.items()}

    @property
    def exported(self) -> dict[Symbol, Expr]:
        """What stands for the quantities where they are written as they are exported."""
        return _exported(self.quantities)

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
    pairs = (directive.names, directive.values, directive.letters)
    if "loss" in directive.values:  # a file may change
        return _look_up(directive)
    parts = (tuple(sorted(one.items())) for one in pairs)
    return _looked_up(directive.result_id, directive.quantities, *parts)


@lru_cache(maxsize=256)
def _looked_up(
    result_id: str,
    quantities: tuple[str, ...],
    names: tuple[tuple[str, str], ...],
    values: tuple[tuple[str, str], ...],
    letters: tuple[tuple[str, str], ...],
) -> Meant:
    said = Directive(result_id, quantities, dict(names), dict(values), letters=dict(letters))
    return _look_up(said)


def _look_up(directive: Directive) -> Meant:
    try:
        result = results[directive.result_id]
        made: dict[str, Any] = {k: v for k, v in directive.values.items() if k in result.texts}
        result = result.with_inputs(**made) if made else result
        quantities = tuple(result.quantity(name) for name in directive.quantities)
        for name, q in zip(directive.quantities, quantities, strict=True):
            if not q.is_number and (len(quantities) > 1 or q.kind is Kind.NAME):
                raise BadTarget(f"{name} of {result.id} is not a number but a {q.kind.value}")
        point = result.point(**{k: v for k, v in directive.values.items() if k not in made})
        found = tuple(result.at(name, point) for name in directive.quantities)
    except DomainError as error:
        raise BadTarget(str(error)) from None
    except (UnknownResult, AttributeError) as error:
        is_own = isinstance(error, UnknownResult) and "loss" in directive.values
        more = f"; of a loss of your own write phases.{directive.quantities[0]}" if is_own else ""
        raise BadTarget(f"{error}{more}") from None
    own = tuple(Symbol(name, real=True) for name in directive.quantities)
    derived = tuple(map(_as_number, found))
    stated = None if quantities[0].is_number else found[0]
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
    phrases = _phrases(directive, result, quantities, own, names)
    return Meant(result, quantities, own, derived, others, names, domain, point, phrases, stated)


def _as_number(found: Basic) -> Expr:
    """What was derived, or a number that stands for it: of a condition, what is to be positive."""
    if isinstance(found, Expr):
        return found
    if isinstance(found, Interval):
        return found.start
    if isinstance(found, Relational):
        return found.lhs - found.rhs if found.rel_op == "==" else found.gts - found.lts
    return Symbol("the array" if hasattr(found, "shape") else str(found))


def bounded(quantity: Quantity) -> Symbol | None:
    """What stands for the number that a bound is a bound of."""
    if isinstance(quantity, Bounds):
        return Symbol(f"the {quantity.bounded}")
    head = bound_name(quantity)
    return Symbol(f"the {head[0]}") if head else None


def bound_name(quantity: Quantity) -> tuple[str, str, str] | None:
    r"""LaTeX of what is bounded and of the bound, ``\|m\|`` and ``\mu_{\max}``, and the side."""
    head = _BOUND.fullmatch(quantity.symbol)
    return (head[1], (head[3] or "").strip(), _SIDES[head[2]]) if head else None


def _phrases(
    directive: Directive,
    result: Result,
    quantities: tuple[Quantity, ...],
    own: tuple[Symbol, ...],
    names: Mapping[str, Expr],
) -> tuple[Phrase, ...]:
    """Names that are no single signs: that the directive declares, and of its quantities."""
    usual, redefined, found = _usual(result), False, []
    for spelled, meaning in _declared(directive, result, own).items():
        if not _is_name(spelled):
            found.append(Phrase(phrase(spelled), meaning))
        elif usual.get(canonical_name(spelled), meaning) != meaning:
            redefined = True  # then the formula as it is exported says something else
    for q, symbol in zip(quantities, own, strict=True):
        heads = [(written, symbol) for written in (q.symbol, *q.spellings)]
        whole, head = bounded(q), bound_name(q)
        if whole is not None and head is not None:
            heads = [(head[0], whole), *([(head[1], symbol)] if head[1] else [])]
        for spelled, meaning in heads:
            known = names.get(canonical_name(spelled)) if _is_name(spelled) else None
            vectors = isinstance(pattern(spelled), Inner)
            if q.limit_of is None and known != meaning and not vectors:
                # What is a name of something else is that at the right of a relation.
                first = known is not None and meaning == symbol
                found.append(Phrase(phrase(spelled), meaning, True, first))
        value = phrase(result.latex(directive.quantities[own.index(symbol)]))
        found = [p for p in found if p.units != value]
        parts = split_at_relation(value)
        bare = q.kind is not Kind.SET and not directive.values and not redefined
        exported = list(_exported((q,))) if bare else []
        if len(parts) == len(exported) and (len(value) > 1 or not value[0].isalnum()):
            found += [Phrase(*pair, whole=True) for pair in zip(parts, exported, strict=True)]
    return tuple(found)


def _exported(quantities: tuple[Quantity, ...]) -> dict[Symbol, Expr]:
    """What stands for a quantity as it is exported, or for both sides of a condition."""
    found: dict[Symbol, Expr] = {}
    for q in quantities:
        e = q.expression
        sides = [e.lhs, e.rhs] if isinstance(e, Relational) else [_as_number(e)]
        found |= {Symbol(f"side {k} of {q.meaning}", real=True): e for k, e in enumerate(sides)}
    return found


def _is_name(written: str) -> bool:
    """Whether it can be found as a name; what is closed is rather found as a phrase."""
    try:
        name, probe = canonical_name(written), Symbol("probe")
        alone = len(phrase(written)) == 1
        return alone and read_formula(written, {name: probe}).sides == (probe,)
    except TexError:
        return False


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
    ranges = {s: r.at(point) for s, r in domain.ranges.items() if s not in point}
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
        side = read_formula(f"{written} = 0", {}).sides[0]
    except TexError:
        return None
    return side if isinstance(side, (Inner, Unread)) else None


def _names(
    directive: Directive, result: Result, own: tuple[Symbol, ...], domain: Domain
) -> dict[str, Expr]:
    found: dict[str, Expr] = {}
    # What the directive names has its name first: others may be called the same.
    for name, q in sorted(
        result.quantities.items(), key=lambda i: i[0] not in directive.quantities
    ):
        if q.limit_of is not None or not q.is_number:
            continue  # it is written as the limit of what has the name
        head = bound_name(q)
        if head and not head[1]:
            continue  # it has no name: only what is bounded has one
        is_own = name in directive.quantities
        meant = own[directive.quantities.index(name)] if is_own else Symbol(name, real=True)
        called = (head[1],) if head else (q.symbol, *q.spellings)
        for spelled in called:
            if isinstance(pattern(spelled), Inner):
                continue  # which vectors, and which of their indices: see subject.py
            try:
                found.setdefault(canonical_name(spelled), meant)
            except TexError:  # of vectors, or a limit
                continue
    found |= _usual(result)
    for root, called_ in root_names(result).items():
        found.setdefault(canonical_name(called_.tex), root)
    for spelled, meaning in _declared(directive, result, own, domain).items():
        if _is_name(spelled):
            name = canonical_name(spelled)
            known = found.get(name, meaning)
            others = {Symbol(q, real=True) for q in result.quantities if q != str(meaning)}
            if known != meaning and known in others:
                raise BadTarget(f"{spelled} is the name of {known}, and cannot stand for {meaning}")
            found[name] = meaning
    for name, meaning in [*found.items()]:
        found.setdefault(name.replace("^{*}", r"^{\star}"), meaning)
        found.setdefault(name.replace(r"^{\star}", "^{*}"), meaning)
    return found


def _usual(result: Result) -> dict[str, Expr]:
    """The letters of a result, as it writes them."""
    return {canonical_name(x): s for s in _symbols(result).values() for x in (latex(s), written(s))}


def _symbols(result: Result) -> dict[str, Symbol]:
    symbols = {s.name: s for s in result.domain.ranges}
    for q in result.quantities.values():
        used = {*q.expression.free_symbols, *(q.bound or ())[:1]}
        symbols |= {s.name: s for s in used if isinstance(s, Symbol)}
    return symbols


def _declared(
    directive: Directive, result: Result, own: tuple[Symbol, ...], domain: Domain | None = None
) -> dict[str, Expr]:
    """What the directive says that names stand for; with a domain it is checked to be defined.

    Raises
    ------
    BadTarget
        If something is no name, or what it stands for is not known.
    """
    every = [q for q in result.quantities.values() if isinstance(q, Bounds)]
    known: dict[str, Expr] = {q.bounded: bounded(q) for q in every}  # type: ignore[misc]
    roots: dict[str, Expr] = {n.symbol.name: root for root, n in root_names(result).items()}
    known |= {**roots, **_symbols(result), **{s.name: s for s in own}}
    for q in map(result.quantity, directive.quantities):
        if isinstance(q, Bounds) and known[q.bounded] not in q.expression.free_symbols:
            known[q.bounded] = bounded(q)  # type: ignore[assignment]
    found: dict[str, Expr] = {}
    for spelled, text in {**directive.letters, **directive.names}.items():
        of_file = spelled not in directive.names
        try:
            if not _is_name(spelled) and not is_closed(phrase(spelled)):
                raise BadTarget(f"{spelled} is not a name")
            needed: list[tuple[str, Expr]] = []
            # A root alone is taken as it is: its bracket may have no upper end.
            root = known[text] if text in roots else None
            found[spelled] = root or expression(text, known, needed=needed)
        except NotANumber as error:
            if of_file and (unknown := unknown_words(text, known)):  # of other results in the file
                if not _is_name(spelled) or canonical_name(spelled) not in _usual(result):
                    continue
                meant = _usual(result)[canonical_name(spelled)]
                raise BadTarget(
                    f"{spelled} -> {text} is said for the file, and this result has a {spelled} "
                    f"but no {unknown[0]}: write [{spelled} -> {meant}] in this directive"
                ) from None
            raise BadTarget(f"{spelled} -> {text}: {error}") from None
        except TexError as error:
            raise BadTarget(f"{spelled} is not a name: {error}") from None
        if domain is not None:
            _check_defined(spelled, found[spelled], needed, domain)
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
