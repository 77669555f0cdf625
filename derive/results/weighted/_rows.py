"""Matrices of weights: what is refused, components, and scalings that make them symmetric."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from sympy import Expr, S, log, oo

from ...decide.domain import DomainError
from ...vectors.distance import check_square, zero

Rows = tuple[tuple[Expr, ...], ...]


class WeightRows:
    """A square matrix of weights >= 0; the diagonal is left out.

    Parameters
    ----------
    rows
        The weights, as they were read.

    Raises
    ------
    DomainError
        If it is not square, or a row has no weight; one line.
    """

    def __init__(self, rows: Sequence[Sequence[Expr]]):
        check_square(rows, "W")
        self.size = len(rows)
        self.rows: Rows = tuple(
            tuple(S.Zero if i == j else e for j, e in enumerate(row)) for i, row in enumerate(rows)
        )
        for i, row in enumerate(self.rows):
            if all(e == 0 for e in row):
                raise DomainError(
                    f"W: row {i + 1} is isolated: it has no weight off the diagonal, and the mean "
                    "over its positives divides by their sum"
                )

    def pairs(self) -> Iterator[tuple[int, int]]:
        """All i < j."""
        return ((i, j) for i in range(self.size) for j in range(i + 1, self.size))

    def log_weights(self) -> Rows:
        """Their logarithms; -oo where there is none."""
        return tuple(tuple(-oo if e == 0 else log(e) for e in row) for row in self.rows)

    @cached_property
    def zeros(self) -> tuple[int, ...]:
        """How many weights of each row are zero, the diagonal left out."""
        return tuple(
            sum(e == 0 for j, e in enumerate(row) if j != i) for i, row in enumerate(self.rows)
        )

    @cached_property
    def mutual(self) -> tuple[tuple[int, int], ...]:
        """Pairs i < j with weights in both directions."""
        return tuple((i, j) for i, j in self.pairs() if self.rows[i][j] != 0 != self.rows[j][i])

    @cached_property
    def one_way(self) -> tuple[tuple[int, int], ...]:
        """Pairs (i, j) where i has a weight for j, and j has none for i."""
        n = range(self.size)
        return tuple((i, j) for i in n for j in n if self.rows[i][j] != 0 and self.rows[j][i] == 0)

    @cached_property
    def tree(self) -> tuple[tuple[int, int | None], ...]:
        """Points in an order in which each but the first of a component comes with a mutual one.

        That one stands before it.
        """
        beside: dict[int, list[int]] = {i: [] for i in range(self.size)}
        for i, j in self.mutual:
            beside[i].append(j)
            beside[j].append(i)
        found: list[tuple[int, int | None]] = []
        left = set(beside)
        while left:
            todo: list[tuple[int, int | None]] = [(min(left), None)]
            while todo:
                i, before = todo.pop(0)
                if i in left:
                    left.remove(i)
                    found.append((i, before))
                    todo += [(j, i) for j in beside[i] if j in left]
        return tuple(found)

    @property
    def components(self) -> int:
        """Of the graph of the mutual pairs."""
        return sum(before is None for _, before in self.tree)

    @cached_property
    def factors(self) -> tuple[Expr, ...]:
        """Factors of the rows with which they agree along the tree, where they are forced."""
        found: dict[int, Expr] = {}
        for i, before in self.tree:
            if before is None:
                found[i] = S.One
            elif self.rows[before][i] == self.rows[i][before]:
                found[i] = found[before]
            else:
                found[i] = found[before] * self.rows[before][i] / self.rows[i][before]
        return tuple(found[i] for i in range(self.size))

    @cached_property
    def apart(self) -> tuple[int, int] | None:
        """A mutual pair whose weights are not made equal by any factors of the rows."""
        w, factors = self.rows, self.factors
        for i, j in self.mutual:
            a, b = factors[i] * w[i][j], factors[j] * w[j][i]
            if a != b and not zero(a - b):
                return i, j
        return None

    @cached_property
    def circular(self) -> bool:
        """Whether one-way weights lead round in a circle, through mutual ones or not."""
        component: dict[int, int] = {}
        for i, before in self.tree:
            component[i] = i if before is None else component[before]
        leads = {(component[i], component[j]) for i, j in self.one_way}
        while leads:
            last = {b for _, b in leads} - {a for a, _ in leads}
            kept = {(a, b) for a, b in leads if b not in last}
            if kept == leads:
                return True
            leads = kept
        return False

    @property
    def symmetric(self) -> bool:
        """Whether the weights are."""
        return not self.one_way and self.apart is None and set(self.factors) == {S.One}

    @property
    def approached(self) -> bool:
        """Whether the bound is the infimum over all symmetric similarities."""
        return self.apart is None and not self.circular

    @property
    def attained(self) -> bool:
        """Whether some symmetric similarities attain it."""
        return self.approached and not any(self.zeros)

    @cached_property
    def similarities(self) -> Rows | None:
        """Logarithms of the weights, scaled to be symmetric; -oo where there are none."""
        if self.one_way or self.apart is not None:
            return None
        return tuple(
            tuple(
                S.Zero if i == j else -oo if e == 0 else log(factor * e) for j, e in enumerate(row)
            )
            for i, (row, factor) in enumerate(zip(self.rows, self.factors, strict=True))
        )

    def verdict(self) -> str:
        """Whether the bound is attained, in a line."""
        if self.apart is not None:
            return (
                "neither attained nor approached by symmetric similarities: no rescaling of "
                "the rows makes W symmetric"
            )
        if self.circular:
            return (
                "neither attained nor approached by symmetric similarities: the graph of the "
                "weights has a directed cycle through a weight whose reverse is zero"
            )
        if any(self.zeros):
            many = f"; each of the {self.components} components has its own constant"
            return (
                "approached but not attained: a similarity would have to be -oo where a "
                f"weight is zero{many if self.components > 1 else ''}"
            )
        if self.size == 2:
            return "attained by all similarities: with two points the loss is 0"
        if not self.symmetric:
            return (
                "attained: a rescaling of the rows makes W symmetric, and the loss does not "
                "depend on the scale of a row"
            )
        return "attained by s_ij = log w_ij + c, with one constant c, and by no other similarities"
