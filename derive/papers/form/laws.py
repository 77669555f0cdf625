r"""Finite laws of one anchor: what is expected of it is a finite sum.

The anchor and its positive have any joint law with finitely many outcomes; the negatives are drawn
independently of them, and of each other, from finitely many atoms. Outcomes are batches whose first
vector is the anchor and whose second is the positive.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import prod
from typing import Any

from .batches import Batch, Row, times
from .tables import Tables
from .values import OUTCOMES, Unknown, mp

#: Most outcomes of a law that a family offers.
MOST = 100


class Law(Tables):
    """A joint law of an anchor and its positive, and one of each of the negatives.

    Parameters
    ----------
    pairs
        Anchors and positives, each pair with its probability.
    atoms
        Where a negative may be, with the probability.
    size
        How many vectors a batch has: two more than it has negatives.
    """

    def __init__(
        self,
        pairs: Sequence[tuple[Fraction, Row, Row]],
        atoms: Sequence[tuple[Fraction, Row]],
        size: int,
        note: str = "",
    ):
        anchors, positives = ([pair[k] for pair in pairs] for k in (1, 2))
        places = [row for _, row in atoms]
        points = {"z": anchors, "v": positives, "w": places}
        super().__init__({}, points, note)  # type: ignore[arg-type]
        self.shares = [pair[0] for pair in pairs], [share for share, _ in atoms]
        if any(sum(some) != 1 or min(some) <= 0 for some in self.shares):
            raise ValueError("these are no probabilities")
        self.size = size

    @cached_property
    def outcomes(self) -> list[tuple[Fraction, Batch, dict[str, Any]]]:
        """Every outcome, with its probability and what is named on it."""
        found = []
        anchors, positives, atoms = (self.points[k] for k in "zvw")
        own, others = self.shares
        partners = [2, 1, *([1] * (self.size - 2))]
        for k, share in enumerate(own):
            for drawn in product(range(len(atoms)), repeat=self.size - 2):
                rows = [anchors[k], positives[k], *(atoms[j] for j in drawn)]
                batch = Batch(rows, partners)
                found.append((share * prod(others[j] for j in drawn), batch, batch.named()))
        return found

    @cached_property
    def is_centred(self) -> bool:
        """Whether the mean of a negative is zero."""
        columns = zip(*self.points["w"], strict=True)
        return all(
            sum(p * v for p, v in zip(self.shares[1], column, strict=True)) == 0
            for column in columns
        )

    @cached_property
    def spectrum(self) -> Any:
        """The expectation of the largest eigenvalue of the second moment of the negatives."""
        total: Any = Fraction(0)
        for share, batch, _ in self.outcomes:
            found = times(share, batch.top(batch.negatives(1)))
            exact = isinstance(total, Fraction) and isinstance(found, Fraction)
            total = total + found if exact else mp(total) + mp(found)
        return total

    def named(self) -> dict[str, Any]:
        """What is said outside of expectations."""

        def sigma(*indices: Any, mark: str = "") -> Any:
            if indices != ("*",):
                raise Unknown("outside of an expectation, sigma is an expectation")
            return self.spectrum

        return {
            OUTCOMES: lambda: self.outcomes,
            "n": lambda mark="": Fraction(self.size),
            "N": lambda mark="": Fraction(self.size - 2),
            "sigma": sigma,
        }

    # --- as text ----------------------------------------------------------------------------
    def written(self) -> dict[str, tuple[tuple[str, ...], ...]]:
        """Anchors z, positives v, atoms w, their probabilities, and the size of the batch."""

        def text(rows: Sequence[Row]) -> tuple[tuple[str, ...], ...]:
            return tuple(tuple(str(v) for v in row) for row in rows)

        found = {k: text(self.points[k]) for k in "zvw"}
        return {**found, "pairs": text([self.shares[0]]), "atoms": text([self.shares[1]])} | {
            "size": text([[self.size]])
        }


def read_law(tables: Mapping[str, Sequence[Sequence[str]]]) -> Law:
    """A law from its text."""
    z, v, w, pairs, atoms = (
        [[Fraction(x) for x in row] for row in tables[k]] for k in ("z", "v", "w", "pairs", "atoms")
    )
    joint = list(zip(pairs[0], z, v, strict=True))
    return Law(joint, list(zip(atoms[0], w, strict=True)), int(tables["size"][0][0]))
