"""The graph of pairs of two modalities: who is paired with whom, and how pairs are drawn.

An edge joins an object of A with one of B. The weight of an edge from an object is one over the
number of its edges, so every object draws its partner uniformly (tan2024spectral, Definition 4.1).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property

from sympy import Abs, Expr, Integer, Rational, S, sqrt

from ..decide.domain import DomainError
from .graph import Graph

Edge = tuple[int, int]


class PairGraph:
    """Pairs of objects, numbered from 1 on in each of the modalities A and B.

    Parameters
    ----------
    edges
        Pairs (number in A, number in B), each once.

    Raises
    ------
    DomainError
        If there is none, a number is no integer >= 1, a pair is given twice, or an object below the
        largest number has no pair: its row of weights would be zero. One line.
    """

    def __init__(self, edges: Sequence[Sequence[object]]):
        self.edges = tuple(_edge(e) for e in edges)
        if not self.edges:
            raise DomainError("edges: the list is empty; give pairs such as 1,1;2,1")
        twice = [e for e, count in Counter(self.edges).items() if count > 1]
        if twice:
            a, b = twice[0]
            raise DomainError(
                f"edges: the pair {a}-{b} is given {Counter(self.edges)[a, b]} times; a pair has "
                "the weight of one"
            )
        sides = [Counter(e[side] for e in self.edges) for side in (0, 1)]
        for name, found in zip("AB", sides, strict=True):
            missing = next((k for k in range(1, max(found)) if k not in found), None)
            if missing is not None:
                raise DomainError(
                    f"edges: object {missing} of {name} has no pair, so its row of weights is zero "
                    "and it has nothing to draw; number the objects without gaps"
                )
        #: degrees of the objects of each modality
        self.degrees_of = tuple(
            tuple(found[k] for k in range(1, max(found) + 1)) for found in sides
        )

    # --- the graph ---------------------------------------------------------------------------
    @cached_property
    def sizes(self) -> tuple[int, int]:
        """How many objects A and B have."""
        return len(self.degrees_of[0]), len(self.degrees_of[1])

    @property
    def size(self) -> int:
        """How many objects there are; those of A come first."""
        return sum(self.sizes)

    @property
    def count(self) -> int:
        """How many pairs there are."""
        return len(self.edges)

    @cached_property
    def degrees(self) -> tuple[int, ...]:
        """Pairs of every object."""
        return self.degrees_of[0] + self.degrees_of[1]

    def name(self, v: int) -> str:
        """What an object is called: A1, B2."""
        first = self.sizes[0]
        return f"A{v + 1}" if v < first else f"B{v - first + 1}"

    @cached_property
    def partners(self) -> tuple[tuple[int, ...], ...]:
        """The partners of every object, by their places among all objects."""
        found: list[list[int]] = [[] for _ in range(self.size)]
        for a, b in self.edges:
            left, right = a - 1, self.sizes[0] + b - 1
            found[left].append(right)
            found[right].append(left)
        return tuple(tuple(sorted(f)) for f in found)

    @cached_property
    def graph(self) -> Graph:
        """All objects, with one over the degree as the weight of an edge."""
        rows = [[S.Zero] * self.size for _ in range(self.size)]
        for v, partners in enumerate(self.partners):
            for u in partners:
                rows[v][u] = Rational(1, self.degrees[v])
        return Graph(rows, "edges")

    @cached_property
    def in_weights(self) -> tuple[Expr, ...]:
        """What comes in at every object: the sums of columns."""
        return tuple(
            sum((Rational(1, self.degrees[u]) for u in partners), S.Zero)
            for partners in self.partners
        )

    @property
    def is_symmetric(self) -> bool:
        """Whether pairs join objects with as many pairs each."""
        return all(self.degrees_of[0][a - 1] == self.degrees_of[1][b - 1] for a, b in self.edges)

    # --- the form of the Laplacian ---------------------------------------------------------------
    def quadratic_form(self, x: Sequence[Expr]) -> Expr:
        """x' L x for the Laplacian L: the sum over v of x_v (x_v - mean of its partners)."""
        return sum(
            (
                x[v] * (x[v] - sum((x[u] for u in partners), S.Zero) / len(partners))
                for v, partners in enumerate(self.partners)
            ),
            S.Zero,
        )

    @cached_property
    def witness(self) -> tuple[Expr, ...] | None:
        """A vector at which the form is negative, where there is one.

        The form is zero at 1 = (1, .., 1) and its slope there is 1 - r, r being what comes in. So
        along 1 + e y with y = r - 1 it falls at first, unless r = 1.
        """
        y = [r - 1 for r in self.in_weights]
        square = sum((e**2 for e in y), S.Zero)
        if square == 0:
            return None
        bent = self.quadratic_form(y)
        step = square / (2 * bent) if bent > 0 else S.One
        return tuple(1 + step * e for e in y)

    # --- how pairs are drawn ---------------------------------------------------------------------
    @cached_property
    def by_edges(self) -> tuple[Expr, ...]:
        """How often an object is the anchor, if a pair is drawn, and one of its two objects."""
        return tuple(Rational(d, 2 * self.count) for d in self.degrees)

    @cached_property
    def by_objects(self) -> tuple[Expr, ...]:
        """The same, if an object is drawn."""
        return (Rational(1, self.size),) * self.size

    @cached_property
    def total_variation(self) -> Expr:
        """Half the sum over directed edges of how much the two differ in their probability."""
        found = S.Zero
        for v, partners in enumerate(self.partners):
            one = Rational(1, 2 * self.count)
            other = Rational(1, self.size * self.degrees[v])
            found += len(partners) * Abs(one - other)
        return found / 2

    @cached_property
    def variation(self) -> Expr:
        """The coefficient of variation of all degrees: standard deviation over mean."""
        mean = Rational(2 * self.count, self.size)
        squares = sum((Integer(d) ** 2 for d in self.degrees), S.Zero) / self.size
        return sqrt(squares - mean**2) / mean

    @cached_property
    def sharing(self) -> Expr | None:
        """The chance that two different pairs share an object; None if there is one pair."""
        if self.count == 1:
            return None
        return Rational(sum(d * (d - 1) for d in self.degrees), self.count * (self.count - 1))


def _edge(e: Sequence[object]) -> Edge:
    numbers = list(e)
    if len(numbers) != 2:
        raise DomainError(
            f"edges: a pair has two numbers, not {len(numbers)}; give pairs such as 1,1;2,1"
        )
    for k in numbers:
        if not (isinstance(k, int | Integer) and not isinstance(k, bool) and k >= 1):
            raise DomainError(f"edges: objects are numbered 1, 2, ..; {k} is not such a number")
    return int(str(numbers[0])), int(str(numbers[1]))
