"""A result: an id that never changes, quantities, a domain, a derivation, and claims."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, TypeAlias

import mpmath
from sympy import Derivative, Expr, Ge, Gt, Le, Lt, Piecewise, Symbol, oo, zoo

from ..decide.calculus import derivative
from ..decide.cases import opened
from ..decide.decide import refuse_nowhere
from ..decide.digits import sign
from ..decide.domain import Domain, DomainError
from ..decide.evidence import Evidence, Grade, weakest
from ..decide.exact import exact
from ..decide.expectation import Expectation
from ..decide.limits.limit import NoLimit, joint_limit, with_values
from ..decide.limits.limit import limit as limit_of
from ..decide.product import replaced
from ..decide.root import ClampedRoot
from ..decide.spelling import did_you_mean
from ..optimum.value import FaceValue
from ..problems.problem import Problem
from ..proof.derivation import Derivation
from ..proof.hooks import Shown, call
from .compile import Vectorised, compiled
from .kinds import Expression, Kind, first_case, numbers_in, rebuilt, without_empty
from .listed import Given, ListOf
from .measure import Measure, by_name
from .number import Value, decided, nested, number, numbers
from .plain import plain
from .putback import put_back
from .quantity import Quantity
from .subject import Alone, Subject, Symmetric
from .values import Values

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: A parameter, as a symbol or by its name.
Name: TypeAlias = str | Symbol
Builder = Callable[[Derivation], Mapping[str, Quantity]]
#: Each takes the texts and lists of its own result.
Reader = Callable[..., "Result"]  # type: ignore[explicit-any]


class SettledClaim(Protocol):
    """A statement as printed in a paper, which a result settles."""

    @property
    def paper(self) -> str:
        """The key of the paper."""

    @property
    def label(self) -> str:
        """As the paper numbers it."""

    @property
    def statement(self) -> str:
        """The print with its hypotheses, on one line."""


#: Relations that are told apart by equal numbers only.
OTHER = {Lt: Le, Le: Lt, Gt: Ge, Ge: Gt}


class Result(Shown):
    """A theorem with its derivation; built when first asked for, never at import.

    Parameters
    ----------
    id
        Never changes; the name of its module with hyphens.
    title
        What it says, in words.
    source
        Paper key and label.
    parameters
        Symbols that may be given, in the order they are shown; by default those of the domain.
    lists
        Lists of numbers that may be given; ``read`` makes the result for them.
    domain
        Where the result is meant; by default where its problem is.
    build
        Derives the quantities, adding checked steps to the derivation it is given.
    texts, read
        Names of expressions that may be given (a loss), and how to make the result for them and
        for lists.
    subject
        What it is about.
    meanings
        What parameters are that belong neither to the structure nor to the loss.
    """

    #: Whether values are put in before anything is derived, also without a loss.
    at_values = False

    def __init__(
        self,
        id: str,
        *,
        title: str,
        source: str,
        build: Builder,
        parameters: tuple[Symbol, ...] | None = None,
        domain: Domain | None = None,
        texts: tuple[str, ...] = (),
        lists: tuple[ListOf, ...] = (),
        read: Reader | None = None,
        subject: Subject | None = None,
        meanings: Mapping[Symbol, str] | None = None,
    ):
        self.id, self.title, self.source = id, title, source
        self._build = build
        self.texts, self._read = texts, read
        self.lists = {of.name: of for of in lists}
        #: the lists that it was made for, as their text
        self.inputs: dict[str, str] = {}
        #: whether it is about what its id is about, and not a loss or sizes of the user's
        self.is_listed = True
        #: what writes itself, having no structure
        self.alone = subject if isinstance(subject, Alone) else None
        about = Symmetric(subject if isinstance(subject, Problem) else None)
        about = subject if isinstance(subject, Symmetric) else about
        self.problem, self.segment, self.placed_at = about.problem, about.segment, about.position
        if domain is None:
            assert about.problem is not None
            domain = about.problem.domain
        self.domain = domain
        self.parameters = tuple(domain.ranges) if parameters is None else parameters
        #: the loss as declared; ``loss`` is the name of a quantity
        self.declared, self.structure = about.loss, about.structure
        #: how batches are drawn, where the loss is the mean over them
        self.draw = about.draw
        self.convention, self.reading = about.convention, about.reading
        #: what each parameter is, for a reader who types its name
        self.meanings = {**about.meanings, **(meanings or {})}

    def with_inputs(
        self, *, at: Mapping[str, object] | None = None, **inputs: Given | Problem
    ) -> Result:
        """The same result for expressions or lists of the user's: a loss, or sizes of classes.

        Parameters
        ----------
        at
            Values of parameters, if it is only asked for there: the hypotheses then need to
            hold for these values only.
        **inputs
            The expressions, as text or SymPy; lists of numbers, as sequences or text.

        Returns
        -------
        Result
            Another one; this one stays as it is.

        Raises
        ------
        DomainError
            If it takes none, or one is not accepted; one line.
        """
        if self.at_values and (at or not inputs):
            made = self.with_inputs(at=None, **inputs) if inputs else self
            there = made.at_point(made.point(**at)) if at else made
            there.is_listed = made.is_listed
            return there
        unknown = [name for name in inputs if name not in self.texts and name not in self.lists]
        if self._read is None or unknown:
            takes = ", ".join((*self.texts, *self.lists)) or "no expressions"
            raise DomainError(f"{self.id} does not take {', '.join(unknown)}; it takes {takes}")
        lists = {k: self.lists[k].read(v) for k, v in inputs.items() if k in self.lists}
        read = {**inputs, **lists}
        made = self._read(**read, at=self.point(**at)) if at else self._read(**read)
        written = {k: self.lists[k].text(v) for k, v in lists.items()}
        made.inputs = {**self.inputs, **written}
        made.is_listed = self.is_listed and not inputs
        return made

    def of_quantities(self, keep: Callable[[str], bool]) -> Result:
        """The same result with some of its quantities, by name."""
        made = copy(self)
        made.__dict__.pop("_built", None)
        made._build = lambda proof: {k: q for k, q in self._build(proof).items() if keep(k)}
        return made

    def in_convention(self, convention: str) -> Result:
        """The same result in the terms of a library: its parameters, and values of its loss.

        Raises
        ------
        DomainError
            If there is no such convention, or the library's loss is another one; one line.
        """
        made: Result = call("in convention", self, convention)
        return made

    # --- what was derived ------------------------------------------------------------
    @cached_property
    def _built(self) -> tuple[Derivation, dict[str, Quantity]]:
        proof = Derivation()
        try:
            return proof, dict(self._build(proof))
        except AttributeError as error:  # would be taken for a missing quantity
            raise RuntimeError(f"{self.id} could not be derived: {error}") from error

    @property
    def idle(self) -> tuple[Symbol, ...]:
        """What the theorem is about and no quantity depends on: the number of views, say."""
        return tuple(s for s in self.domain.ranges if s not in self.parameters)

    @property
    def derivation(self) -> Derivation:
        """The checked steps."""
        return self._built[0]

    @property
    def quantities(self) -> dict[str, Quantity]:
        """The derived quantities, by name."""
        return self._built[1]

    @property
    def evidence(self) -> Evidence:
        """The weakest link of the derivation, and of what is proved at each evaluation."""
        return weakest([self.derivation.evidence, *map(self.evidence_of, self.quantities)])

    def evidence_of(self, name: str) -> Evidence:
        """How a quantity is known."""
        return self.quantity(name).evidence(self.derivation.evidence)

    def graded(self) -> str:
        """The evidence: ``exact``, or by quantity, such as ``x: interval; the rest: exact``."""
        names: dict[Grade, list[str]] = {}
        for name in self.quantities:
            names.setdefault(self.evidence_of(name).grade, []).append(name)
        *weaker, best = sorted(names) or [self.evidence.grade]
        lists = [f"{', '.join(names[grade])}: {grade.text}; " for grade in weaker]
        return f"{''.join(lists)}{'the rest: ' if weaker else ''}{best.text}"

    @cached_property
    def claims(self) -> list[SettledClaim]:
        """The printed claims that this result settles."""
        return list(call("claims", self.id))

    @property
    def claim_counts(self) -> dict[str, int]:
        """How many printed claims it settles, by paper, without reading them."""
        return dict(call("claim counts", self.id))

    def __getitem__(self, name: str) -> Expression:
        """The same as the attribute, whatever the quantity is called.

        Raises
        ------
        KeyError
            Naming the quantities there are.
        """
        try:
            return plain(self.quantity(name).expression)
        except AttributeError as error:
            raise KeyError(str(error)) from None

    def __getattr__(self, name: str) -> Expression:
        """A quantity in plain symbols, as ``Symbol("tau")`` is, for whoever goes on with SymPy.

        So ``diff(r.alpha_min, "tau")`` and ``r.alpha_min.subs({"m": 10})`` do what they say. With
        the assumptions of the theory, as in ``r.quantity("alpha_min").expression``, these symbols
        would be others, and SymPy would answer 0 and change nothing.
        """
        if name.startswith("_"):
            raise AttributeError(name)
        return plain(self.quantity(name).expression)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.quantities]

    def quantity(self, name: str) -> Quantity:
        """Look a quantity up.

        Raises
        ------
        AttributeError
            Naming the quantities there are.
        """
        if name not in self.quantities:
            near, names = did_you_mean(name, self.quantities), ", ".join(self.quantities)
            raise AttributeError(f"{self.id} has no {name}{near}; it has {names}")
        return self.quantities[name]

    def measures(self) -> dict[str, Measure]:
        """How its quantities are found in embeddings, by name, as far as they are.

        A quantity that is called like a relation is the inner product of its pairs.
        """
        found = {
            name: q.measure or by_name(name, self.structure) for name, q in self.quantities.items()
        }
        return {name: measure for name, measure in found.items() if measure is not None}

    def at_point(self, point: Mapping[Symbol, Expr]) -> Result:
        """The result where parameters have these values: itself, if they are put in later."""
        return self

    # --- putting numbers in -----------------------------------------------------------
    def point(self, **values: object) -> dict[Symbol, Expr]:
        """Read parameter values exactly and check them against the domain.

        A value of what is :attr:`idle` is checked as well, and left out.
        A measured number that lies outside by rounding alone counts as the end of its range.

        Raises
        ------
        DomainError
            For an unknown parameter or a value that is not accepted; one line.
        """
        known = {s.name: s for s in self.parameters}
        known |= {s.name: s for s in self.idle if s.name in values}
        point: dict[Symbol, Expr] = {}
        for name, value in values.items():
            if name not in known:
                raise self._unknown("parameter", name, "takes")
            try:
                point[known[name]] = exact(value)
            except ValueError as error:
                raise DomainError(f"{name}: {error}") from None
        floats = {known[name] for name, value in values.items() if isinstance(value, float)}
        point = self.domain.settled(point, floats)
        self.domain.check(point)
        return {s: point[s] for s in self.parameters if s in point}

    def _unknown(self, what: str, name: object, verb: str = "has") -> DomainError:
        names = [s.name for s in self.parameters]
        near, all_of = did_you_mean(str(name), names), ", ".join(names) or "none"
        return DomainError(f"{self.id} has no {what} {name}{near}; it {verb} {all_of}")

    def at(self, name: str, point: Mapping[Symbol, Expr]) -> Expression:
        """A quantity with exact values put in; ``oo`` takes the limit.

        Several symbols at ``oo`` go there one after the other, and the order must not matter:
        every order, and growing together at different rates, has to give the same. At an end
        of a range where the expression divides by zero the limit from inside is the value.
        A relation or a set between numbers is decided.

        Parameters
        ----------
        name
            Of the quantity.
        point
            Exact values of parameters, as :meth:`point` reads them.

        Returns
        -------
        Expression
            The others stay symbolic.

        Raises
        ------
        DomainError
            If a condition of the quantity excludes the point, or there is no limit.
        """
        quantity = self.quantity(name)
        domain = quantity.domain or self.domain
        domain.check(point)
        # A number is what the numpy function gives, which is not told the other parameters.
        if quantity.expression.free_symbols - point.keys():
            refuse_nowhere(point, domain)
        point = domain.forced(point)
        # What stays symbolic is inside its range: at an end there may be no value.
        domain = opened(domain)
        if quantity.needs is not None:
            _check_needs(name, *quantity.needs, point, domain)
        for symbol, value in quantity.at_oo.items():
            if point.get(symbol) is oo:
                return value.xreplace(dict(point))
        felt = {s: v for s, v in point.items() if quantity.expression.has(s)}

        def put(e: Expr) -> Expr:
            return _put_in(name, quantity, e, point, domain)

        found = rebuilt(quantity.expression, put)
        if quantity.kind is Kind.CONDITION and oo in felt.values():
            # Between numbers that differ in the limit it is the same before.
            other = OTHER.get(type(quantity.expression))
            if other is None or rebuilt(other(*quantity.expression.args), put) != found:
                at = ", ".join(f"{s} = {v}" for s, v in felt.items())
                raise DomainError(f"whether {name} holds at {at} is not known: it is a limit case")
        if quantity.names and isinstance(found, Piecewise):
            return first_case(found)
        is_set = quantity.kind is Kind.SET
        return without_empty(found, with_values(domain, point)) if is_set else found

    def value(self, name: str, /, digits: int = 15, **values: Given) -> Value:
        """A number, as an mpmath float with ``digits`` digits; nested lists of them for arrays.

        Of a set it is a :class:`~.number.Numbers`, of a condition ``True`` or ``False``, and of
        a name a ``str``. Lists and expressions that the result takes may be given like values.

        Parameters
        ----------
        name
            Of the quantity.
        digits
            Significant digits, at least 1; all are right.
        **values
            Of all parameters that the quantity has: numbers, text such as ``"1/10"``, or ``oo``.

        Returns
        -------
        Value
            Of the kind that the quantity is of.

        Raises
        ------
        DomainError
            If a condition excludes the point, or a parameter that matters is missing.
        """
        made = {k: values.pop(k) for k in (*self.texts, *self.lists) if k in values}
        if made:
            return self.with_inputs(at=None, **made).value(name, digits, **values)
        point = self.point(**values)
        return self.number(name, self.at(name, point), point, digits)

    def number(
        self, name: str, expression: Expression, point: Mapping[Symbol, Expr], digits: int = 15
    ) -> Value:
        """What :meth:`at` gave for a point, its numbers put back into their conditions.

        Parameters
        ----------
        name, expression, point
            Of the quantity, what it is there, and where.
        digits
            Significant digits, at least 1; all are right.

        Returns
        -------
        Value
            As :meth:`value` gives it.

        Raises
        ------
        DomainError
            If a parameter is missing, there is no number with so many proved digits, it could
            not be put back, or ``digits`` is no number of digits.
        Inconsistent
            If the number does not satisfy its condition: a fault of this program.
        """
        quantity = self.quantity(name)
        point = (quantity.domain or self.domain).forced(point)
        names = quantity.names - self.domain.ranges.keys()
        if names or quantity.kind in (Kind.NAME, Kind.CONDITION):
            return decided(expression, name, names)
        if quantity.is_number:
            return self._number(name, quantity, expression, point, digits)
        if quantity.kind is Kind.ARRAY:
            entries = zip(numbers_in(expression), quantity.parts(), strict=True)
            known: dict[tuple[object, ...], mpmath.mpf] = {}
            found = []
            for e, q in entries:  # those that are alike are found once
                alike = (e, q.expression, q.limit_of)
                if alike not in known:
                    known[alike] = self._number(name, q, e, point, digits)
                found.append(known[alike])
            return nested(found, expression.shape)
        # Where an end is one that was derived, it is put back into what it was solved from.
        domain = opened(quantity.domain or self.domain)
        ends = {_put_in(name, quantity, q.expression, point, domain): q for q in quantity.parts()}

        def end(e: Expr) -> mpmath.mpf:
            q = ends.get(e) or replace(quantity, expression=e)
            return self._number(name, q, e, point, digits)

        return numbers(quantity.parameter, expression, end)

    def _number(
        self,
        name: str,
        quantity: Quantity,
        expression: Expr,
        point: Mapping[Symbol, Expr],
        digits: int,
    ) -> mpmath.mpf:
        value = number(expression, name, digits, extended=quantity.extended)
        put_back(name, quantity, expression, point, self.domain, value, digits)
        return value

    def __call__(
        self, point: Mapping[Name, Given] = {}, /, *, digits: int = 15, **values: Given
    ) -> Values:
        """All quantities at a point: numbers, and expressions where parameters are missing.

        >>> from cltheory import results
        >>> results["supcl-threshold"](m=10, n=50, tau="1/10").alpha_min
        0.0201464446195631

        Raises
        ------
        DomainError
            If a value is not accepted.
        """
        made, at = self._placed(_by_name(point, values))

        def number(name: str) -> Value | Expression:
            expression = made.at(name, at)
            free = expression.free_symbols & set(made.domain.ranges)
            return plain(expression) if free else made.number(name, expression, at, digits)

        return made._values(at, number)

    def subs(
        self,
        point: Mapping[Name, Given] | Iterable[tuple[Name, Given]] | Name = (),
        value: Given = "",
        /,
        **values: Given,
    ) -> Values:
        """All quantities with exact values put in, as SymPy expressions; ``oo`` takes the limit.

        ``r.subs({"m": 10})`` and ``r.subs("m", 10)`` are the same as ``r.subs(m=10)``.

        Parameters
        ----------
        point
            Values by parameter, pairs of both, or one parameter.
        value
            The value of one parameter.
        **values
            Values by name.

        Returns
        -------
        Values
            Expressions in plain symbols, as attributes.

        Raises
        ------
        DomainError
            If a value is not accepted.
        """
        pairs = {point: value} if isinstance(point, (str, Symbol)) else point
        made, at = self._placed(_by_name(pairs, values))
        return made._values(at, lambda name: plain(made.at(name, at)))

    def limit(
        self, name: str, symbol: str | Symbol = "", point: Given = "", **values: Given
    ) -> Expression:
        """The limit of a quantity, proved for all values of its other symbols in their ranges.

        Parameters
        ----------
        name, symbol
            A number or an array, and a parameter.
        point
            ``oo``, 0 or an end of the parameter's range, approached from inside it.
        **values
            Of other parameters.

        Returns
        -------
        Expression
            In plain symbols.

        Raises
        ------
        DomainError
            If there is no limit, or none that can be proved.
        """
        self.quantity(name)  # a name that there is not is told first
        ends = {s.name: str(self.domain.ranges[s].high) for s in self.parameters}
        if isinstance(point, str) and not point and str(symbol) in ("", *ends):
            k = str(symbol) or [*ends, *values][-1]
            shown = f"limit({name!r}, {k!r}, {({**ends, **values})[k]!r})"
            raise DomainError(f"say which symbol of {name} converges, and where to: {shown}")
        along, others, expression, domain = self._varied(name, symbol, values)
        try:
            goal = exact(point)
            if goal is oo:  # some quantities know this limit
                return plain(self.at(name, {**others, along: oo}))
            found = rebuilt(expression, lambda e: limit_of(e, along, goal, opened(domain)))
        except (NoLimit, ValueError) as error:
            raise DomainError(f"{name} as {along} -> {point}: {error}") from None
        return plain(found)

    def diff(self, name: str, symbol: str | Symbol = "", **values: Given) -> Expression:
        """The derivative of a quantity in a parameter, as if an integer were a real number.

        Parameters
        ----------
        name, symbol
            A number or an array, and a parameter.
        **values
            Of other parameters.

        Returns
        -------
        Expression
            In plain symbols.

        Raises
        ------
        DomainError
            If the quantity is no number or array, or a root or an optimum without closed form.
        """
        along, _, expression, _ = self._varied(name, symbol, values)
        if self.quantity(name).names - self.domain.ranges.keys():
            raise DomainError(f"{name} is a name, not a number")
        found = rebuilt(expression, lambda e: derivative(e, along))
        if found.has(Derivative):
            raise DomainError(f"{name} has no closed form to differentiate: it is a root")
        return plain(found)

    def _varied(
        self, name: str, symbol: str | Symbol, values: dict[str, Given]
    ) -> tuple[Symbol, dict[Symbol, Expr], Expression, Domain]:
        """A parameter of the theory, values of others, and a quantity and its domain at them."""
        quantity, known = self.quantity(name), {s.name: s for s in self.parameters}
        if quantity.kind not in (Kind.NUMBER, Kind.ARRAY):
            raise DomainError(f"{name} is a {quantity.kind.value}, not a number")
        if str(symbol) not in known:
            if symbol:
                raise self._unknown("symbol", symbol)
            raise DomainError(f"say in which symbol of {name}; it has {', '.join(known)}")
        if str(symbol) in values:
            raise DomainError(f"{symbol} varies here: give values of other symbols only")
        others, domain = self.point(**values), quantity.domain or self.domain
        if not values:
            return known[str(symbol)], others, quantity.expression, domain
        return known[str(symbol)], others, self.at(name, others), with_values(domain, others)

    def _placed(self, values: dict[str, Given]) -> tuple[Result, dict[Symbol, Expr]]:
        """The result for the lists and expressions among some values, and at the rest."""
        given = {k: values.pop(k) for k in (*self.texts, *self.lists) if k in values}
        made = self.with_inputs(at=None, **given) if given else self
        point = made.point(**values)
        return made.at_point(point), point

    def _values(
        self, point: Mapping[Symbol, Expr], found: Callable[[str], Value | Expression]
    ) -> Values:
        kept: dict[str, Value | Expression] = {}
        refused: dict[str, str] = {}
        for name in self.quantities:
            try:
                kept[name] = found(name)
            except DomainError as error:
                refused[name] = str(error)
        at = ", ".join(f"{s} = {v}" for s, v in point.items())
        return Values(f"{self.id} at {at}" if at else self.id, kept, refused)

    def symbols(self, names: str = "") -> Symbol | tuple[Symbol, ...]:
        """The symbols of its formulas, as ``sympy.symbols`` gives them; without names all.

        They are plain. One of your own with assumptions, such as ``Symbol("tau", positive=True)``,
        is another to SymPy, and refused: put it in first, ``r.alpha_min.subs({"tau": mine})``.

        Raises
        ------
        DomainError
            If it has no such symbol.
        """
        known = {s.name: plain(s) for s in self.parameters}
        wanted = names.replace(",", " ").split() or list(known)
        for name in wanted:
            if name not in known:
                raise self._unknown("symbol", name)
        found = tuple(known[name] for name in wanted)
        return found[0] if len(found) == 1 else found

    def function(self, name: str) -> Vectorised:
        """A vectorised numpy function of the quantity's free symbols (by keyword).

        Values are float64 and broadcast, each within a relative 1e-9 of the exact one, or 0 where
        all that is known is that it is at most 1e-28; where float64 is not enough for that, they
        are nan, and a ``RuntimeWarning`` counts them. At an end where the expression divides by
        zero they are infinite. Where the arguments are outside the domain, or the quantity does
        not exist, they are nan as well; where an argument is outside by rounding alone, the value
        is that of the formula there. The positional order is that of
        ``parameters``. The axes of an array come last. Of a set, the function tells whether the
        parameter, its last argument, is in it.
        """
        return compiled(self.quantity(name), name, self.parameters, self.domain)

    def plot(
        self,
        name: str,
        over: str = "",
        *,
        between: tuple[float, float] | None = None,
        ax: Axes | None = None,
        **values: Given,
    ) -> Axes:
        """Draw a quantity over one parameter; a value that is a list gives a curve for each entry.

        Parameters
        ----------
        name, over
            A quantity and a parameter; by default the only one that it needs a value of.
        between
            Ends of the axis; by default of the parameter's range, or of a part of it.
        ax
            Axes of matplotlib to draw on; new ones by default.
        **values
            Values of the other parameters, of one of them a list.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        DomainError
            If a value is not accepted.
        """
        drawn: Axes = call("plot", self, name, over, between, ax, values)
        return drawn

    # --- showing ------------------------------------------------------------------------
    def latex(self, name: str) -> str:
        """LaTeX of a quantity, laid out for reading."""
        return str(call("latex", self, name))

    def __repr__(self) -> str:
        return f"<Result {self.id}: {self.title}>"

    def __iter__(self) -> Iterator[str]:
        return iter(self.quantities)


def _by_name(
    point: Mapping[Name, Given] | Iterable[tuple[Name, Given]], values: dict[str, Given]
) -> dict[str, Given]:
    try:
        return {str(k): v for k, v in dict(point).items()} | values
    except (TypeError, ValueError):
        raise DomainError(f"give values by name, such as m=10, not {point}") from None


def _check_needs(
    name: str, needed: Expr, otherwise: str, point: Mapping[Symbol, Expr], domain: Domain
) -> None:
    """Refuse a point where the quantity does not exist."""
    try:
        least = joint_limit(needed, point, domain)
    except (NoLimit, ValueError) as error:
        raise DomainError(f"whether {name} exists there is not known: {error}") from None
    if least == 0 and oo in point.values():
        raise DomainError(f"whether {name} exists there is not known: it is a limit case")
    if least is -oo or (
        least not in (oo, zoo) and not least.free_symbols and sign(least) in (-1, 0)
    ):
        raise DomainError(otherwise)


def _put_in(
    name: str, quantity: Quantity, e: Expr, point: Mapping[Symbol, Expr], domain: Domain
) -> Expr:
    """One of the numbers that a quantity is made of, at a point."""
    try:
        expression = joint_limit(e, point, domain)
    except (NoLimit, ValueError) as error:
        if quantity.extended and _is_infinite(e, point, domain):
            return oo
        at = ", ".join(f"{s} = {v}" for s, v in point.items())
        why = f": {error}" if isinstance(error, NoLimit) else ", where it is not defined"
        what = "known limit" if oo in point.values() else "value"
        raise DomainError(f"{name} has no {what} at {at}{why}") from None
    if quantity.signed and expression == 0 and oo in point.values():
        raise DomainError(f"{name} converges to 0 there, and its sign nearby is not known")
    settled = {e: e.settled() for e in expression.atoms(ClampedRoot, Expectation, FaceValue)}
    expression = replaced(expression, settled)
    return oo if expression is zoo and quantity.extended else expression


def _is_infinite(expression: Expr, point: Mapping[Symbol, Expr], domain: Domain) -> bool:
    """Whether an expression that is never negative is oo there: its inverse goes to 0."""
    # 1/sqrt(a/b) has no value at b = 0, but sqrt(b/a) has.
    base, power = expression.as_base_exp()
    try:
        return bool(joint_limit((1 / base) ** power, point, domain) == 0)
    except (NoLimit, ValueError):
        return False
