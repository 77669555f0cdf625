"""How a quantity is found in embeddings, so that what was derived can be compared with them.

A reading is a function of a few numbers that any embeddings have: the mean inner product of
each relation, the share of the trace that lies in each eigenspace, and the loss. A border is
where a structure stops being optimal. Nothing here computes: the numeric side does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from sympy import Expr, Ge, Gt, Lambda, Lt, Symbol

from ..frozen import Frozen
from ..optimum.threshold import Threshold
from ..problems.problem import Loss
from ..structures.scheme import Scheme

#: The loss of embeddings.
LOSS = Symbol("L")
#: How the symbols of readings begin.
PRODUCT, SHARE = "g_", "s_"


def product(relation: str) -> Symbol:
    """The mean inner product of a relation."""
    return Symbol(PRODUCT + relation, real=True)


def share(eigenspace: str) -> Symbol:
    """The share of the trace of the Gram matrix that lies in an eigenspace."""
    return Symbol(SHARE + eigenspace, real=True)


class Reading(Frozen):
    """A number that embeddings have.

    Attributes
    ----------
    expression
        An expression in :func:`product`, :func:`share` and :data:`LOSS`, and in sizes.
    through
        A function of one number: where the quantity may be infinite, what is compared is this
        of it.
    least_of
        A loss that is least at every structure of the result: the number is then as low (or
        high) as it can be for what else the structure has.
    """

    expression: Expr
    through: Lambda | None = None
    least_of: Loss | None = None


class Entries(Frozen):
    """Numbers that embeddings have, one for each entry of an array of rows."""

    rows: tuple[tuple[Expr, ...], ...]


class Rank(Frozen):
    """The dimension of the space that the vectors span."""


class AtMost(Frozen):
    """An upper bound on another quantity of the result, whatever the embeddings."""

    quantity: str


class Face(Frozen):
    """The name of a structure: which eigenspaces have a share of the trace.

    Attributes
    ----------
    names
        For each name, the eigenspaces; any other name is theirs, with a plus between them.
    """

    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def occupied(self, name: str) -> tuple[str, ...]:
        """The eigenspaces that are meant."""
        return self.names.get(name) or tuple(name.split("+"))


class Border(Frozen):
    """A value of a parameter at which a structure starts or stops being optimal.

    Attributes
    ----------
    inner
        Inner products of the structure, by relation.
    parameter
        What is varied.
    above
        Whether it is optimal above the value (or, with ``along``, the loss falls there).
    along
        If the structure lies inside a segment: how inner products change along it. It is then
        optimal at the value alone, and what changes sign is the slope of the loss.
    fixed
        Parameters that are not free, such as ``b = t``.
    """

    inner: Mapping[str, Expr]
    parameter: Symbol
    above: bool
    along: Mapping[str, Expr] = field(default_factory=dict)
    fixed: Mapping[Symbol, Expr] = field(default_factory=dict)

    @classmethod
    def from_threshold(cls, threshold: Threshold) -> Border | None:
        """The border that a solved criterion is, if the criterion says at which structure."""
        at = threshold.criterion.place
        if at is None:
            return None
        # At an end a loss that falls says that the structure is not optimal.
        optimal = bool(at.along) is isinstance(threshold.criterion.relation, Lt)
        above = isinstance(threshold.relation, (Gt, Ge))
        return cls(at.inner, threshold.parameter, above is optimal, at.along, at.fixed)


Measure = Reading | Entries | Rank | AtMost | Face | Border


def by_name(name: str, structure: Scheme | None) -> Measure | None:
    """The measure of a quantity that is called like a relation, ``loss`` or ``structure``."""
    if name == "loss":
        return Reading(LOSS)
    if name == "structure":
        return Face()
    if structure is not None and any(r.name == name for r in structure.relations):
        return Reading(product(name))
    return None
