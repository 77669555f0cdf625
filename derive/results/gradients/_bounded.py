"""Numbers of a configuration that results bound from above and from below."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sympy import Expr

from ...decide.domain import Domain
from ...theorem.bounds import About, Bounds


@dataclass(frozen=True)
class Bounded:
    """A number that configurations of some kind have.

    Attributes
    ----------
    name
        Its name as a reading of a configuration.
    symbol
        In LaTeX.
    about
        The kind of configuration.
    """

    name: str
    symbol: str
    about: About

    def upper(
        self, bound: Expr, meaning: str, domain: Domain | None = None, letter: str = "", **more: Any
    ) -> Bounds:
        """An upper bound; ``letter`` is the LaTeX of the bound, where it has one."""
        symbol = rf"{self.symbol} \le {letter}".rstrip()
        return Bounds(bound, symbol, meaning, domain, bounded=self.name, about=self.about, **more)

    def lower(
        self, bound: Expr, meaning: str, domain: Domain | None = None, letter: str = "", **more: Any
    ) -> Bounds:
        """A lower bound."""
        symbol = rf"{self.symbol} \ge {letter}".rstrip()
        return Bounds(
            bound,
            symbol,
            meaning,
            domain,
            side="lower",
            bounded=self.name,
            about=self.about,
            **more,
        )


GRADIENT = Bounded("squared_gradient", r"\|\nabla_z \mathcal{L}\|^2", About.ANCHOR)
BATCH_GRADIENT = Bounded(
    "mean_squared_gradient", r"\overline{\|\nabla_z \mathcal{L}\|^2}", About.BATCH
)
