"""Symmetry with several orbits of points: every eigenspace becomes a small symmetric block.

Where all points are alike, an invariant Gram matrix has one number per eigenspace. With several
orbits (classes of different sizes, say) an eigenspace may occur once in each of them; the matrix
then acts between its copies, and what it does there is a small symmetric matrix, the block. It is
PSD iff its blocks are. Two rules build the tables here:

* ``single``: a :class:`Scheme` is one orbit, and its eigenspaces are blocks of size one;
* ``joined``: orbits side by side, each with a symmetry of its own. Points of different orbits are
  related in one way only, and what the orbits share is their constant vectors: one block for the
  means of the orbits, as large as there are orbits; all else is contrasts inside an orbit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from sympy import Expr, Integer, S, Symbol

from ..frozen import Frozen
from .scheme import Scheme


class Orbit(Frozen):
    """Points that are all alike, and how many."""

    name: str
    size: Expr


class Pairs(Frozen):
    """A relation: pairs of a point in orbit ``left`` and one in orbit ``right``, in either order.

    Attributes
    ----------
    kind
        What losses call it; relations of different orbits may be of one kind.
    count
        Partners in ``right`` of a point in ``left``.
    back
        Partners in ``left`` of a point in ``right``.
    """

    name: str
    kind: str
    left: str
    right: str
    count: Expr
    back: Expr

    def partners(self, orbit: str) -> Expr:
        """Partners of a point of an orbit in this relation."""
        return self.count if orbit == self.left else self.back if orbit == self.right else S.Zero


class Block(Frozen):
    """An eigenspace that occurs once in each of ``orbits``, with its dimension there.

    Of an eigenspace of a :class:`Scheme` it is the eigenvalue, a matrix of size one. ``spaces`` is
    what the scheme of each of the orbits calls it.
    """

    name: str
    multiplicity: Expr
    orbits: tuple[str, ...]
    spaces: tuple[str, ...]

    @property
    def size(self) -> int:
        """Rows of the matrix."""
        return len(self.orbits)

    def slots(self) -> list[tuple[int, int]]:
        """Places of its entries on and above the diagonal."""
        return [(i, j) for i in range(self.size) for j in range(i, self.size)]

    def entry(self, i: int, j: int) -> str:
        """What an entry is called: ``means[1, 2]``, or as the block if it is all of it."""
        return f"{self.name}[{self.orbits[i]}, {self.orbits[j]}]" if self.size > 1 else self.name


class Configuration(Frozen):
    """Orbits, relations, blocks, and the table that joins them.

    Between copies of a block in its orbits a and b the matrix of a relation from a to b acts as
    ``table[block][relation]`` times the square root of (size of a)/(size of b); for a = b that is
    its eigenvalue. The *share* of a block is multiplicity times the matrix, row a and column b
    divided by the roots of the sizes of a and b. In shares the table is all there is:

    * the inner product of a relation is the sum over blocks of share[a, b] table / count;
    * unit norm is one condition per orbit: the diagonal shares of it add up to one.

    ``parts`` says how the points of each orbit are arranged; ``meanings`` is as of a scheme.
    """

    orbits: tuple[Orbit, ...]
    relations: tuple[Pairs, ...]
    blocks: tuple[Block, ...]
    table: Mapping[str, Mapping[str, Expr]]
    parts: Mapping[str, Scheme]
    meanings: Mapping[Symbol, str] = field(default_factory=dict)

    @property
    def size(self) -> Expr:
        """Number of all points."""
        return sum((o.size for o in self.orbits), S.Zero)

    @property
    def axes(self) -> tuple[Expr, ...]:
        """One axis: the points of one orbit after those of another."""
        return (self.size,)

    @property
    def kinds(self) -> list[str]:
        """What losses call the relations."""
        return list(dict.fromkeys(r.kind for r in self.relations))

    def seen(self, orbit: str) -> tuple[Pairs, ...]:
        """The relations that a point of an orbit has."""
        return tuple(r for r in self.relations if orbit in (r.left, r.right))

    def orbit(self, name: str) -> Orbit:
        """Look an orbit up by name."""
        return next(o for o in self.orbits if o.name == name)

    def relation(self, name: str) -> Pairs:
        """Look a relation up by name."""
        return next(r for r in self.relations if r.name == name)

    def block(self, name: str) -> Block:
        """Look a block up by name."""
        return next(b for b in self.blocks if b.name == name)

    def place(self, block: Block, relation: Pairs) -> tuple[int, int] | None:
        """The entry of a block that a relation speaks of, if the block occurs in both orbits."""
        if relation.left not in block.orbits or relation.right not in block.orbits:
            return None
        i, j = block.orbits.index(relation.left), block.orbits.index(relation.right)
        return (min(i, j), max(i, j))

    def between(self, left: str, right: str) -> list[Pairs]:
        """The relations between two orbits."""
        return [r for r in self.relations if {r.left, r.right} == {left, right}]

    def residuals(self) -> list[Expr]:
        """Expressions that vanish iff the table is right; see :meth:`Scheme.residuals`.

        Partners and multiplicities add up to the sizes; seen from either side a relation has the
        same pairs; the matrices of two relations between the same orbits are orthogonal, and the
        square of each has as trace the number of its pairs. There are as many relations between
        two orbits as blocks that occur in both. The last block is that of the constants, on which a
        relation acts by its number of partners: this fixes the signs, which no square has.
        """
        constants = self.table[self.blocks[-1].name]
        found: list[Expr] = [constants[r.name] - r.count for r in self.relations]
        for a in self.orbits:
            inside = [b.multiplicity for b in self.blocks if a.name in b.orbits]
            found.append(sum(inside, S.Zero) - a.size)
            for b in self.orbits:
                relations = self.between(a.name, b.name)
                blocks = [e for e in self.blocks if {a.name, b.name} <= set(e.orbits)]
                found.append(Integer(len(relations) - len(blocks)))
                found.append(sum((r.partners(a.name) for r in relations), S.Zero) - b.size)
        for r in self.relations:
            left, right = self.orbit(r.left).size, self.orbit(r.right).size
            found.append(left * r.count - right * r.back)
            for other in self.between(r.left, r.right):
                trace = sum(
                    (
                        e.multiplicity * self.table[e.name][r.name] * self.table[e.name][other.name]
                        for e in self.blocks
                        if {r.left, r.right} <= set(e.orbits)
                    ),
                    S.Zero,
                )
                found.append(trace - (right * r.count if other is r else 0))
        return found


def single(scheme: Scheme, orbit: str = "all") -> Configuration:
    """A scheme as a configuration of one orbit."""
    return Configuration(
        (Orbit(orbit, scheme.size),),
        tuple(Pairs(r.name, r.name, orbit, orbit, r.count, r.count) for r in scheme.relations),
        tuple(Block(e.name, e.dimension, (orbit,), (e.name,)) for e in scheme.eigenspaces),
        scheme.table,
        {orbit: scheme},
        scheme.meanings,
    )


def joined(parts: Mapping[str, Scheme], across: str, means: str = "means") -> Configuration:
    """Orbits side by side, each with its own scheme.

    Names are those of the part and its scheme: relation ``self`` of part ``a`` is ``self_a``; the
    one between parts ``a`` and ``b`` is ``across_a_b``.

    Parameters
    ----------
    parts
        A scheme for each orbit; its last eigenspace is the constants.
    across
        Kind of the relation between points of different orbits.
    means
        Name of the block that the constants of all orbits form.
    """
    names = tuple(parts)
    orbits = tuple(Orbit(a, scheme.size) for a, scheme in parts.items())
    relations = [
        Pairs(f"{r.name}_{a}", r.name, a, a, r.count, r.count)
        for a, scheme in parts.items()
        for r in scheme.relations
    ]
    table: dict[str, dict[str, Expr]] = {means: {}}
    blocks = []
    for a, scheme in parts.items():
        *contrasts, constant = scheme.eigenspaces
        for e in contrasts:
            blocks.append(Block(f"{e.name}_{a}", e.dimension, (a,), (e.name,)))
            table[blocks[-1].name] = {
                f"{r.name}_{a}": scheme.table[e.name][r.name] for r in scheme.relations
            }
        # On the constants a relation acts by its number of partners.
        for r in scheme.relations:
            table[means][f"{r.name}_{a}"] = scheme.table[constant.name][r.name]
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            relations.append(Pairs(f"{across}_{a}_{b}", across, a, b, parts[b].size, parts[a].size))
            table[means][relations[-1].name] = parts[b].size
    constants = tuple(scheme.eigenspaces[-1].name for scheme in parts.values())
    blocks.append(Block(means, S.One, names, constants))
    return Configuration(orbits, tuple(relations), tuple(blocks), table, parts)
