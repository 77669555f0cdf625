"""A result: an id that never changes, quantities, a domain, a derivation, and claims."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Integral
from typing import TYPE_CHECKING, Any

import mpmath
from sympy import Expr, Lambda, Symbol, latex, oo, zoo

from ..decide.ball import NotEnclosed, NoValue
from ..decide.cases import opened
from ..decide.digits import GUARD_DIGITS, NotKnown, rounded, sign
from ..decide.domain import Domain, DomainError
from ..decide.evidence import Evidence
from ..decide.exact import exact
from ..decide.limits.limit import NoLimit, joint_limit
from ..decide.root import ClampedRoot
from ..optimum.endpoint import Threshold
from ..proof.derivation import Derivation
from .putback import put_back

if TYPE_CHECKING:
    from ..losses.conventions import Reading
    from ..optimum.segment import Segment
    from ..papers.ledger import Claim
    from ..problems.problem import Problem
    from ..structures.scheme import Scheme


@dataclass(frozen=True, eq=False)
class Quantity:
    """A named expression, where it is meant, and how it is written.

    Attributes
    ----------
    expression
        In the shared symbols.
    symbol
        LaTeX of its name.
    spellings
        LaTeX of other names that it has in the papers, such as ``(u_i^\\delta)^\\top v_i^\\delta``.
    meaning
        One line in words.
    domain
        Ranges beyond those of the result, such as ``alpha > 1/n``.
    extended
        Whether ``oo`` is a value like any other.
    at_oo
        Values for a symbol at ``oo`` that are not limits, such as a rank that drops.
    signed
        Whether its sign is what counts: a limit of zero then says nothing.
    needs
        An expression that must be > 0 for the quantity to exist, and what to say if not.
    bound
        Of a threshold, what the theorem says with it: ``(alpha, ">")`` for alpha > value.
    threshold
        Of a threshold, the condition that it was solved from.
    limit_of
        Of a limit, the expression, the symbol and the point that it goes to.
    """

    expression: Expr
    symbol: str
    meaning: str
    domain: Domain | None = None
    extended: bool = False
    at_oo: Mapping[Symbol, Expr] = field(default_factory=dict)
    signed: bool = False
    needs: tuple[Expr, str] | None = None
    bound: tuple[Symbol, str] | None = None
    threshold: Threshold | None = None
    limit_of: tuple[Expr, Symbol, Expr] | None = None
    spellings: tuple[str, ...] = ()

    @classmethod
    def of(cls, threshold: Threshold, name: str, symbol: str, **more: Any) -> Quantity:
        """The quantity of a solved criterion; what it bounds comes from the proof."""
        return cls(
            threshold.value,
            symbol,
            threshold.meaning(name),
            more.pop("domain", threshold.domain),
            bound=threshold.bound,
            threshold=threshold,
            **more,
        )

    def _repr_latex_(self) -> str:
        from ..write.display import quantity_latex

        return quantity_latex(self)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        from ..write.display import chosen, quantity_bundle

        return chosen(quantity_bundle(self), include, exclude)


Builder = Callable[[Derivation], Mapping[str, Quantity]]


class Result:
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
        Symbols that may be given, in the order they are shown.
    domain
        Where the result is meant.
    build
        Derives the quantities, adding checked steps to the derivation it is given.
    texts, read
        Names of expressions that may be given (a loss), and how to make the result for them.
    problem
        The loss, structure and domain that it is about.
    structure
        What it is about if there is no loss.
    segment
        Makes the segment that holds its optima, where it is about one.
    convention, reading
        The library in whose terms it is, and the loss of that library.
    """

    def __init__(
        self,
        id: str,
        *,
        title: str,
        source: str,
        parameters: tuple[Symbol, ...],
        domain: Domain,
        build: Builder,
        texts: tuple[str, ...] = (),
        read: Callable[..., Result] | None = None,
        problem: Problem | None = None,
        structure: Scheme | None = None,
        segment: Callable[[], Segment] | None = None,
        convention: str = "",
        reading: Reading | None = None,
    ):
        self.id, self.title, self.source = id, title, source
        self.parameters, self.domain = parameters, domain
        self._build = build
        self.texts, self._read = texts, read
        self.problem, self.segment = problem, segment
        #: the loss as declared; ``loss`` is the name of a quantity
        self.declared = problem.loss if problem is not None else None
        self.structure = problem.structure if problem is not None else structure
        self.convention, self.reading = convention, reading

    def given(self, *, at: Mapping[str, object] | None = None, **texts: str | Expr) -> Result:
        """The same result for expressions of the user's: a loss, say.

        Parameters
        ----------
        at
            Values of parameters, if it is only asked for there: the hypotheses then need to
            hold for these values only.
        **texts
            The expressions, as text or SymPy.

        Raises
        ------
        DomainError
            If it takes none, or one is not accepted; one line.
        """
        unknown = [name for name in texts if name not in self.texts]
        if self._read is None or unknown:
            takes = ", ".join(self.texts) or "no expressions"
            raise DomainError(f"{self.id} does not take {', '.join(unknown)}; it takes {takes}")
        return self._read(**texts, at=self.point(**at)) if at else self._read(**texts)

    def under(self, convention: str) -> Result:
        """The same result in the terms of a library: its parameters, and values of its loss.

        Raises
        ------
        DomainError
            If there is no such convention, or the library's loss is another one; one line.
        """
        from .under import under

        return under(self, convention)

    # --- what was derived ------------------------------------------------------------
    @cached_property
    def _built(self) -> tuple[Derivation, dict[str, Quantity]]:
        proof = Derivation()
        try:
            return proof, dict(self._build(proof))
        except AttributeError as error:  # would be taken for a missing quantity
            raise RuntimeError(f"{self.id} could not be derived: {error}") from error

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
        """The weakest link of the derivation."""
        return self.derivation.evidence

    @cached_property
    def claims(self) -> list[Claim]:
        """The printed claims that this result settles."""
        from ..papers import settled_by

        return settled_by(self.id)

    def __getattr__(self, name: str) -> Expr:
        if name.startswith("_"):
            raise AttributeError(name)
        return self.quantity(name).expression

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
            raise AttributeError(f"{self.id} has no {name}; it has {', '.join(self.quantities)}")
        return self.quantities[name]

    # --- putting numbers in -----------------------------------------------------------
    def point(self, **values: object) -> dict[Symbol, Expr]:
        """Read parameter values exactly and check them against the domain.

        Raises
        ------
        DomainError
            For an unknown parameter or a value that is not accepted; one line.
        """
        known = {s.name: s for s in self.parameters}
        point: dict[Symbol, Expr] = {}
        for name, value in values.items():
            if name not in known:
                raise DomainError(
                    f"{self.id} has no parameter {name}; it takes {', '.join(known) or 'none'}"
                )
            try:
                point[known[name]] = exact(value)
            except ValueError as error:
                raise DomainError(f"{name}: {error}") from None
        self.domain.check(point)
        return {s: point[s] for s in self.parameters if s in point}

    def at(self, name: str, point: Mapping[Symbol, Expr]) -> Expr:
        """A quantity with exact values put in; ``oo`` takes the limit.

        Several symbols at ``oo`` go there one after the other, and the order must not matter:
        every order, and growing together at different rates, has to give the same. At an end
        of a range where the expression divides by zero the limit from inside is the value.

        Raises
        ------
        DomainError
            If a condition of the quantity excludes the point, or there is no limit.
        """
        quantity = self.quantity(name)
        domain = quantity.domain or self.domain
        domain.check(point)
        # What stays symbolic is inside its range: at an end there may be no value.
        domain = opened(domain)
        if quantity.needs is not None:
            try:
                least = joint_limit(quantity.needs[0], point, domain)
            except (NoLimit, ValueError) as error:
                raise DomainError(f"whether {name} exists there is not known: {error}") from None
            if least == 0 and oo in point.values():
                raise DomainError(f"whether {name} exists there is not known: it is a limit case")
            if least is -oo or (
                least not in (oo, zoo) and not least.free_symbols and sign(least) in (-1, 0)
            ):
                raise DomainError(quantity.needs[1])
        for symbol, value in quantity.at_oo.items():
            if point.get(symbol) is oo:
                return value.xreplace(dict(point))
        try:
            expression = joint_limit(quantity.expression, point, domain)
        except (NoLimit, ValueError) as error:
            if quantity.extended and _is_infinite(quantity.expression, point, domain):
                return oo
            at = ", ".join(f"{s} = {v}" for s, v in point.items())
            why = f": {error}" if isinstance(error, NoLimit) else ", where it is not defined"
            what = "limit" if oo in point.values() else "value"
            raise DomainError(f"{name} has no {what} at {at}{why}") from None
        if quantity.signed and expression == 0 and oo in point.values():
            raise DomainError(f"{name} goes to 0 there, and its sign on the way is not known")
        settled = {root: root.settled() for root in expression.atoms(ClampedRoot)}
        expression = expression.xreplace(settled)
        return oo if expression is zoo and quantity.extended else expression

    def value(self, name: str, digits: int = 15, **values: object) -> Any:
        """A number, as an mpmath float with ``digits`` digits.

        Raises
        ------
        DomainError
            If a condition excludes the point, or a parameter that matters is missing.
        """
        point = self.point(**values)
        return self.number(name, self.at(name, point), point, digits)

    def number(
        self, name: str, expression: Expr, point: Mapping[Symbol, Expr], digits: int = 15
    ) -> Any:
        """What :meth:`at` gave for a point, as a number that was put back into its condition.

        Raises
        ------
        DomainError
            If a parameter is missing, there is no number with so many proved digits, it could
            not be put back, or ``digits`` is no number of digits.
        Inconsistent
            If the number does not satisfy its condition: a fault of this program.
        """
        quantity = self.quantity(name)
        value = number(expression, name, digits, extended=quantity.extended)
        put_back(name, quantity, expression, point, self.domain, value, digits)
        return value

    def function(self, name: str) -> Callable[..., Any]:
        """A vectorised numpy function of the quantity's free symbols (by keyword).

        Values are float64 and broadcast; where the arguments are outside the domain, or the
        quantity does not exist, they are nan. The positional order is that of ``parameters``.
        """
        from .compile import compile_numpy, conditions_on

        quantity = self.quantity(name)
        order = [s for s in self.parameters if s in quantity.expression.free_symbols]
        conditions = conditions_on(self, quantity, order)
        return compile_numpy(quantity.expression, order, name, conditions)

    # --- showing ------------------------------------------------------------------------
    def latex(self, name: str) -> str:
        """LaTeX of a quantity."""
        return latex(self.quantity(name).expression)

    def __repr__(self) -> str:
        return f"<Result {self.id}: {self.title}>"

    def _repr_latex_(self) -> str:
        from ..write.display import result_latex

        return result_latex(self)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        from ..write.display import chosen, result_bundle

        return chosen(result_bundle(self), include, exclude)

    def __iter__(self) -> Iterator[str]:
        return iter(self.quantities)


def _is_infinite(expression: Expr, point: Mapping[Symbol, Expr], domain: Domain) -> bool:
    """Whether an expression that is never negative is oo there: its inverse goes to 0."""
    # 1/sqrt(a/b) has no value at b = 0, but sqrt(b/a) has.
    base, power = expression.as_base_exp()
    try:
        return bool(joint_limit((1 / base) ** power, point, domain) == 0)
    except (NoLimit, ValueError):
        return False


def number(expression: Expr, name: str, digits: int, *, extended: bool = False) -> Any:
    """Evaluate an expression without free symbols; extended ones may be infinite.

    Raises
    ------
    DomainError
        If symbols are left, the value is not real, or that is not a number of digits.
    """
    if not isinstance(digits, Integral) or isinstance(digits, bool) or digits < 1:
        raise DomainError(f"digits must be an integer from 1 on, not {digits!r}")
    if expression.free_symbols:
        left = ", ".join(sorted(s.name for s in expression.free_symbols))
        raise DomainError(f"{name} still depends on {left}: give a value")
    if expression in (oo, -oo):
        return mpmath.inf if expression is oo else -mpmath.inf
    if extended and expression is zoo:
        return mpmath.inf
    try:
        value, text = rounded(expression, digits)
    except NoValue:
        raise DomainError(f"{name} has no real value there") from None
    except (NotEnclosed, NotKnown) as error:
        raise DomainError(f"{name}: {error}") from None
    with mpmath.workdps(digits + GUARD_DIGITS):
        found = _Number(value)
    found.text = text
    return found


class _Number(mpmath.mpf):
    """An mpmath float that prints the digits that were asked for, all of them proved."""

    text = ""

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__


def decimal(value: Any) -> str:
    """The decimal string of a number, ``oo`` for infinity."""
    if mpmath.isinf(value):
        return "oo" if value > 0 else "-oo"
    return str(value)


def argmin(slope: Expr, x: Symbol, low: Expr, high: Expr) -> ClampedRoot:
    """Where the convex function with the sign of ``slope`` is least on [low, high]."""
    return ClampedRoot(Lambda(x, slope), low, high)
