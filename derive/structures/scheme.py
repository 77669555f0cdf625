"""Symmetry as algebra: relations between points, and the eigenspaces they share.

A permutation-invariant Gram matrix is constant on the orbits of pairs ("relations"),
so it is a combination of their 0/1 matrices. These commute, and one table says
everything: its rows are the common eigenspaces, its columns the relations, its
entries the eigenvalues. Three rules build the tables of every structure here:

* ``complete``: points that are all alike (relations: itself, another);
* ``nested``: each point of an outer scheme is replaced by a copy of an inner one;
* ``crossed``: points are pairs, one from each of two schemes, and both symmetries act.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from sympy import Expr, Integer, S, Symbol, sympify

from ..decide.product import times
from ..frozen import Frozen

#: A name for each pair of names.
Names = Mapping[tuple[str, str], str]


class Relation(Frozen):
    """An orbit of ordered pairs, with the number of partners that an anchor has in it."""

    name: str
    count: Expr

    @property
    def kind(self) -> str:
        """What losses call it."""
        return self.name


class Eigenspace(Frozen):
    """A common eigenspace of all relation matrices, with its dimension."""

    name: str
    dimension: Expr


class Scheme(Frozen):
    """Relations, eigenspaces and the table of eigenvalues ``table[eigenspace][relation]``.

    The first relation is ``self``; the last eigenspace is the constant vectors.

    A point is a tuple of indices, one for each of ``axes`` (their sizes, outermost first), and
    ``pattern`` names the relation of two points by which of their indices agree. ``meanings`` says
    what its symbols are: the same letter is something else in another structure.
    """

    size: Expr
    relations: tuple[Relation, ...]
    eigenspaces: tuple[Eigenspace, ...]
    table: Mapping[str, Mapping[str, Expr]]
    axes: tuple[Expr, ...]
    pattern: Mapping[tuple[bool, ...], str]
    meanings: Mapping[Symbol, str] = field(default_factory=dict)

    def relation(self, name: str) -> Relation:
        """Look a relation up by name."""
        return next(r for r in self.relations if r.name == name)

    def eigenspace(self, name: str) -> Eigenspace:
        """Look an eigenspace up by name."""
        return next(e for e in self.eigenspaces if e.name == name)

    def eigenvalue(self, eigenspace: str, entries: Mapping[str, Expr]) -> Expr:
        """Eigenvalue, on an eigenspace, of the matrix with the given entry per relation."""
        row = self.table[eigenspace]
        return sum(
            (times(row[r.name], entries[r.name]) for r in self.relations if row[r.name] != 0),
            S.Zero,
        )

    def eigenvalues(self, entries: Mapping[str, Expr]) -> dict[str, Expr]:
        """All eigenvalues of the matrix with the given entry per relation."""
        return {e.name: self.eigenvalue(e.name, entries) for e in self.eigenspaces}

    def residuals(self) -> list[Expr]:
        """Expressions that vanish iff the table is right.

        Distinct rows are orthogonal (weighted by 1/count), row norms are size/dimension,
        the dimensions add up to the size, and no relation but ``self`` has a trace.
        Given in a form that divides by nothing that may vanish.
        """
        found = [
            sum((r.count for r in self.relations), S.Zero) - self.size,
            sum((e.dimension for e in self.eigenspaces), S.Zero) - self.size,
        ]
        for r in self.relations[1:]:
            found.append(sum(e.dimension * self.table[e.name][r.name] for e in self.eigenspaces))
        for a in self.relations:
            for b in self.relations:
                # sum_e dim(e) P[e,a] P[e,b] = trace(A_a A_b) = size * count(a) [a = b]
                trace = sum(
                    e.dimension * self.table[e.name][a.name] * self.table[e.name][b.name]
                    for e in self.eigenspaces
                )
                found.append(trace - (self.size * a.count if a is b else 0))
        return found


def complete(size: Expr | int, other: str, contrasts: str, constant: str = "mean") -> Scheme:
    """Points that are all alike: relations ``self`` and ``other``.

    J - I has eigenvalue size - 1 on the constants and -1 on the contrasts.
    """
    size = sympify(size)
    return Scheme(
        size,
        (Relation("self", S.One), Relation(other, size - 1)),
        (Eigenspace(contrasts, size - 1), Eigenspace(constant, S.One)),
        {
            contrasts: {"self": S.One, other: Integer(-1)},
            constant: {"self": S.One, other: size - 1},
        },
        (size,),
        {(True,): "self", (False,): other},
    )


def nested(inner: Scheme, outer: Scheme) -> Scheme:
    """Replace every point of ``outer`` by a copy of ``inner``.

    An inner relation acts within each copy, I (x) A; an outer one joins whole copies,
    B (x) J. A vector that sums to zero in a copy is killed by J and keeps its inner
    eigenvalue; a vector constant on copies sees the inner counts and, for B (x) J,
    the outer eigenvalue times the size of a copy.
    """
    size = inner.size
    constant = inner.eigenspaces[-1].name
    relations = inner.relations + tuple(
        Relation(r.name, size * r.count) for r in outer.relations[1:]
    )
    eigenspaces = tuple(
        Eigenspace(e.name, e.dimension * outer.size) for e in inner.eigenspaces[:-1]
    ) + tuple(outer.eigenspaces)
    table: dict[str, dict[str, Expr]] = {}
    for e in inner.eigenspaces[:-1]:
        table[e.name] = dict(inner.table[e.name])
        table[e.name].update({r.name: S.Zero for r in outer.relations[1:]})
    for e in outer.eigenspaces:
        table[e.name] = dict(inner.table[constant])
        table[e.name].update(
            {r.name: size * outer.table[e.name][r.name] for r in outer.relations[1:]}
        )
    pattern = {
        above + below: outer_name if outer_name != "self" else inner_name
        for above, outer_name in outer.pattern.items()
        for below, inner_name in inner.pattern.items()
    }
    return Scheme(
        size * outer.size, relations, eigenspaces, table, outer.axes + inner.axes, pattern
    )


def crossed(left: Scheme, right: Scheme, relations: Names, eigenspaces: Names) -> Scheme:
    """Pairs of points, one of each scheme; everything is a Kronecker product.

    Parameters
    ----------
    relations, eigenspaces
        A name for each pair of names; ``("self", "self")`` is ``self``.
    """
    pairs = [(a, b) for a in left.relations for b in right.relations]
    spaces = [(e, f) for e in left.eigenspaces for f in right.eigenspaces]
    names = {**relations, ("self", "self"): "self"}
    table = {
        eigenspaces[e.name, f.name]: {
            names[a.name, b.name]: left.table[e.name][a.name] * right.table[f.name][b.name]
            for a, b in pairs
        }
        for e, f in spaces
    }
    return Scheme(
        left.size * right.size,
        tuple(Relation(names[a.name, b.name], a.count * b.count) for a, b in pairs),
        tuple(
            Eigenspace(eigenspaces[e.name, f.name], e.dimension * f.dimension) for e, f in spaces
        ),
        table,
        left.axes + right.axes,
        {
            above + below: names[a, b]
            for above, a in left.pattern.items()
            for below, b in right.pattern.items()
        },
    )
