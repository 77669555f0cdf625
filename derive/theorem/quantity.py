"""A quantity of a result: what was derived, what it means, and how it is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace

from sympy import Expr, Piecewise, Symbol, preorder_traversal, sign

from ..decide.domain import Domain
from ..decide.evidence import Evidence, weakest
from ..frozen import Frozen
from ..optimum.dimension import Dimension
from ..optimum.threshold import Threshold
from ..proof.hooks import Shown
from .kinds import Expression, Kind, as_basic, kind_of, numbers_in
from .measure import Border, Measure


class Quantity(Frozen, Shown):
    """A named expression, where it is meant, and how it is written.

    Attributes
    ----------
    expression
        In the symbols of the result: a number, an array of them, a set of values of one
        parameter (intervals and points), a condition, or a name.
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
    parameter
        Of a set, whose values it holds.
    ends
        Of a set, the condition that an end was solved from.
    detail
        Whether it is shown as text only where all is asked for.
    room
        In how many dimensions of embeddings it is so, where that was derived.
    measured
        How it is found in embeddings, where its name or its condition does not tell.
    rests_on
        How it is known, where that is not by all steps of the derivation.
    """

    expression: Expression
    symbol: str
    meaning: str
    domain: Domain | None = None
    extended: bool = False
    at_oo: Mapping[Symbol, Expr] = field(default_factory=dict)
    signed: bool = False
    needs: tuple[Expr, str] | None = None
    bound: tuple[Symbol, str] | None = None
    threshold: Threshold | None = None
    limit_of: tuple[Expression, Symbol, Expr] | None = None
    spellings: tuple[str, ...] = ()
    parameter: Symbol | None = None
    ends: Mapping[Expr, Threshold] = field(default_factory=dict)
    detail: bool = False
    room: Dimension | None = None
    measured: Measure | None = None
    rests_on: Evidence | None = None

    @classmethod
    def from_threshold(
        cls,
        threshold: Threshold,
        name: str,
        symbol: str,
        *,
        domain: Domain | None = None,
        needs: tuple[Expr, str] | None = None,
    ) -> Quantity:
        """The quantity of a solved criterion; what it bounds comes from the proof."""
        return cls(
            threshold.value,
            symbol,
            threshold.meaning(name),
            threshold.domain if domain is None else domain,
            bound=threshold.bound,
            threshold=threshold,
            needs=needs,
        )

    def __repr__(self) -> str:
        return f"<Quantity {self.expression}: {self.meaning}>"

    def __post_init__(self) -> None:
        object.__setattr__(self, "expression", as_basic(self.expression))
        if self.kind is Kind.SET and self.parameter is None:
            raise TypeError(f"whose values the set {self.symbol} holds is not said")

    @property
    def kind(self) -> Kind:
        """What the expression is."""
        return kind_of(self.expression)

    @property
    def is_number(self) -> bool:
        """Whether it is one number, given its symbols."""
        return self.kind is Kind.NUMBER

    @property
    def names(self) -> set[Symbol]:
        """What it may be by cases, where that is not a number: names, or parameters alone."""
        e = self.expression
        cases = [v for v, _ in e.args] if isinstance(e, Piecewise) else []
        return set(cases) if all(v.is_Symbol for v in cases) else set()

    def evidence(self, derivation: Evidence) -> Evidence:
        """How it is known, given how the derivation is: parts may be proved at each evaluation."""
        parts = [e.evidence for e in preorder_traversal(self.expression) if hasattr(e, "evidence")]
        return weakest([self.rests_on or derivation, *parts])

    @property
    def needed(self) -> tuple[Expr, str] | None:
        """What it needs, and the sign of its comparison with zero: ``1 + sign(e) > 0`` is e >= 0.

        None where it needs nothing.
        """
        if self.needs is None:
            return None
        e = self.needs[0]
        inside = e - 1
        return (inside.args[0], ">=") if isinstance(inside, sign) else (e, ">")

    @property
    def measure(self) -> Measure | None:
        """How it is found in embeddings: as it was said, or where its condition changes sign."""
        if self.measured is None and self.threshold is not None and self.limit_of is None:
            return Border.from_threshold(self.threshold)
        return self.measured

    def parts(self) -> list[Quantity]:
        """A quantity for each number that it is made of, with what that is put back into."""
        if self.is_number:
            return [self]
        of = self.limit_of
        numbers = numbers_in(self.expression)
        ways: list[tuple[Expr, Symbol, Expr] | None] = [None] * len(numbers)
        if of is not None:
            ways = [(e, of[1], of[2]) for e in numbers_in(as_basic(of[0]))]
        return [
            replace(self, expression=e, threshold=self.ends.get(e), limit_of=way)
            for e, way in zip(numbers, ways, strict=True)
        ]
