r"""Unit vectors of which each has a partner, what the softmax makes of them, and laws of an anchor.

Of an anchor z_i the partner is the positive, and all others are its negatives. Readings of an
anchor: similarities ``s_{ij}``, weights ``p_{ij}`` over the positive and the negatives, ``q_{ij}``
over the negatives alone, ``\epsilon_i = 1 - p_{ii^+}``, the mean ``M_i``, the gradient of its loss.

In a law the anchor and its positive have any joint law with finitely many outcomes; the negatives
are drawn independently of them, and of each other, from finitely many atoms. Outcomes are batches
whose first vector is the anchor and whose second is the positive.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import prod
from typing import Any

import mpmath

from ...language.evaluate import AXES, OUTCOMES, PARTNER, OfScene, Scene
from ...language.matrices import Matrix, total
from ...language.quantities import NoValue, Unknown, Vector, dot, mp, over
from ..records.points import (
    OF_MATRICES,
    ONE,
    ZERO,
    Row,
    eigenvalues,
    moment,
    times,
    top_eigenvalue,
    unit_axes,
)
from ..records.tables import Tables, fractions, texts


class Batch(Tables):
    """Unit vectors in R^d, each with a partner.

    Parameters
    ----------
    rows
        The vectors, by rational coordinates.
    partners
        Of each the partner, counted from 1.
    """

    def __init__(self, rows: Sequence[Row], partners: Sequence[int], note: str = ""):
        d = len(rows[0])
        super().__init__({}, {"z": rows, "e": unit_axes(d)}, note)
        self.rows = self.points["z"]
        self.partners = tuple(partners)
        self.kept: dict[Any, Any] = {}

    @property
    def size(self) -> int:
        """How many vectors there are."""
        return len(self.rows)

    def partner(self, i: int) -> int:
        """The index of the positive of an anchor."""
        if not 1 <= i <= self.size:
            raise NoValue("the index is out of range")
        return self.partners[i - 1]

    def negatives(self, i: int) -> list[int]:
        """The indices of the negatives of an anchor."""
        return [j for j in range(1, self.size + 1) if j not in (i, self.partner(i))]

    def similarity(self, i: int, j: int) -> Fraction:
        """The inner product of two."""
        if not (1 <= i <= self.size and 1 <= j <= self.size):
            raise NoValue("the index is out of range")
        return self.ip((0, i - 1, 0), (0, j - 1, 0))

    @cached_property
    def is_ahead(self) -> bool:
        """Whether every anchor is more similar to its positive than to any negative."""
        return all(
            self.similarity(i, self.partner(i)) > self.similarity(i, j)
            for i in range(1, self.size + 1)
            for j in self.negatives(i)
        )

    # --- at a temperature -------------------------------------------------------------------
    def weights(self, i: int, tau: Any) -> dict[int, Any]:
        """The softmax over the positive and the negatives of an anchor."""
        if (i, tau) not in self.kept:
            others = [j for j in range(1, self.size + 1) if j != i]
            logits = [mp(self.similarity(i, j)) / mp(tau) for j in others]
            top = max(logits)
            heat = [mpmath.exp(v - top) for v in logits]
            whole = mpmath.fsum(heat)
            even = all(v == top for v in logits)
            shares = [Fraction(1, len(others)) if even else h / whole for h in heat]
            self.kept[i, tau] = dict(zip(others, shares, strict=True))
        found: dict[int, Any] = self.kept[i, tau]
        return found

    def missed(self, i: int, tau: Any) -> Any:
        """What the positive lacks to 1, summed and not subtracted."""
        shares = self.weights(i, tau)
        return total([shares[j] for j in self.negatives(i)])

    def mean(self, i: int, tau: Any) -> Vector:
        """The softmax mean of an anchor."""
        return {(0, j - 1, 0): w for j, w in self.weights(i, tau).items()}

    def gradient(self, i: int, tau: Any) -> Vector:
        """The gradient of the loss of an anchor in the anchor."""
        own = self.partner(i)
        found = {(0, j - 1, 0): over(w, tau) for j, w in self.weights(i, tau).items() if j != own}
        return {**found, (0, own - 1, 0): over(-self.missed(i, tau), tau)}

    # --- second moments ---------------------------------------------------------------------
    def moment(self, indices: Sequence[int]) -> Matrix:
        """The mean of z z^T over some."""
        return moment([self.rows[j - 1] for j in indices])

    def top(self, indices: Sequence[int]) -> Any:
        """The largest eigenvalue of the mean of z z^T over some."""
        key = ("top", tuple(indices))
        if key not in self.kept:
            self.kept[key] = top_eigenvalue(self.moment(indices))
        return self.kept[key]

    # --- by letter --------------------------------------------------------------------------
    def named(self) -> dict[str, Any]:
        """What letters stand for, with an index t for the step where the paper has one."""
        every = list(range(1, self.size + 1))
        count = self.size - 2

        def others(i: int) -> list[int]:
            return [j for j in every if j != i]

        def vector(*indices: Any, mark: str = "") -> Vector:
            if len(indices) != 1 or mark not in ("", "+"):
                raise Unknown("z has one index")
            k = self.partner(indices[0]) if mark else indices[0]
            if not 1 <= k <= self.size:
                raise NoValue("the index is out of range")
            return {(0, k - 1, 0): ONE}

        def similarity(i: int, j: int, mark: str = "") -> Fraction:
            return self.similarity(i, self.partner(j) if mark == "+" else j)

        def weight(scene: Scene, i: int, j: int, mark: str = "") -> Any:
            found = self.weights(i, scene.numbers["tau"])
            k = self.partner(j) if mark == "+" else j
            if k not in found:
                raise NoValue("an anchor has no weight")
            return found[k]

        def share(scene: Scene, i: int, j: int, mark: str = "") -> Any:
            tau = scene.numbers["tau"]
            if j not in self.negatives(i):
                raise NoValue("q is over the negatives")
            return over(self.weights(i, tau)[j], self.missed(i, tau))

        def negatives(*indices: int, mark: str = "") -> Any:
            return self.negatives(*indices) if indices else Fraction(count)

        def mean_of_negatives(i: int, t: int = 0, mark: str = "") -> Vector:
            some = self.negatives(i)
            return {(0, j - 1, 0): Fraction(1, len(some)) for j in some}

        def mean_similarity(i: int, mark: str = "") -> Fraction:
            some = self.negatives(i)
            return sum((self.similarity(i, j) for j in some), ZERO) / len(some)

        def of_some(i: int, mark: str = "") -> Matrix:
            return self.moment(self.negatives(i) if mark == "-" else others(i))

        def top_of_some(*indices: Any, mark: str = "") -> Any:
            if indices[0] == "*":
                return self.top(self.negatives(indices[1]))
            return self.top(others(indices[0]))

        def eigenvalue(k: int, mark: str = "") -> Any:
            found = eigenvalues(self.moment(every))
            return found[k - 1] if k <= len(found) else ZERO

        def alignment(scene: Scene, i: int, t: int = 0, mark: str = "") -> Any:
            own = {(0, self.partner(i) - 1, 0): ONE}
            return dot(self.mean(i, scene.numbers["tau"]), own, self)

        def squared(scene: Scene, i: int, t: int = 0, mark: str = "") -> Any:
            found = self.gradient(i, scene.numbers["tau"])
            return dot(found, found, self)

        return {
            AXES: lambda: [(1, k, 0) for k in range(len(self.points["e"]))],
            PARTNER: self.partner,
            "n": lambda mark="": Fraction(self.size),
            "z": vector,
            "s": similarity,
            "s~bar": mean_similarity,
            "p": OfScene(weight),
            "q": OfScene(share),
            "epsilon": OfScene(lambda scene, i, t=0, mark="": self.missed(i, scene.numbers["tau"])),
            "M": OfScene(lambda scene, i, mark="": self.mean(i, scene.numbers["tau"])),
            "nabla": OfScene(lambda scene, i, mark="": self.gradient(i, scene.numbers["tau"])),
            "g": OfScene(lambda scene, i, t=0, mark="": self.gradient(i, scene.numbers["tau"])),
            "gamma": OfScene(squared),
            "rho": OfScene(alignment),
            "N": negatives,
            "S": lambda i, mark="": others(i),
            "z~bar": mean_of_negatives,
            "Sigma~hat": lambda t=0, mark="": self.moment(every),
            "Sigma~tilde": of_some,
            "sigma~hat": lambda t=0, mark="": self.top(every),
            "sigma": top_of_some,
            "lambda": eigenvalue,
            **OF_MATRICES,
        }

    # --- as text ----------------------------------------------------------------------------
    def written(self) -> dict[str, tuple[tuple[str, ...], ...]]:
        """The vectors and the partners."""
        return {"z": texts(self.rows), PARTNER: texts([self.partners])}


def read_batch(tables: Mapping[str, Sequence[Sequence[str]]]) -> Batch:
    """A batch from its text."""
    return Batch(fractions(tables["z"]), [int(v) for v in tables[PARTNER][0]])


# --- laws ---
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
            raise ValueError("probabilities must be positive and sum to 1")
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
        return total([times(p, b.top(b.negatives(1))) for p, b, _ in self.outcomes])

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
            **OF_MATRICES,
        }

    # --- as text ----------------------------------------------------------------------------
    def written(self) -> dict[str, tuple[tuple[str, ...], ...]]:
        """Anchors z, positives v, atoms w, their probabilities, and the size of the batch."""
        pairs, atoms = self.shares
        found = {**self.points, "pairs": [pairs], "atoms": [atoms], "size": [[self.size]]}
        return {k: texts(rows) for k, rows in found.items()}


def read_law(tables: Mapping[str, Sequence[Sequence[str]]]) -> Law:
    """A law from its text."""
    z, v, w, pairs, atoms = (fractions(tables[k]) for k in ("z", "v", "w", "pairs", "atoms"))
    joint = list(zip(pairs[0], z, v, strict=True))
    return Law(joint, list(zip(atoms[0], w, strict=True)), int(tables["size"][0][0]))
