"""The losses of the literature by name. Listing the names imports neither SymPy nor torch.

Conventions: means over anchors and over positives, and tau divides. The pairwise ones are those of
:mod:`~cltheory.derive.losses.literature`, on two towers; their t multiplies.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ..losses.literature import LITERATURE

if TYPE_CHECKING:
    from .problem import Problem

#: The softmax losses and SigLIP, with what they are in a line.
SOFTMAX = {
    "simclr": "NT-Xent: n instances with p views, the anchor in no denominator",
    "supcon": "SupCon with the mean outside the logarithm, without the anchor",
    "supcl": "(1-alpha) L_Sup + alpha L_Self, the anchor in numerator and denominator",
    "supcl-exclusive": "the same without the anchor",
    "dcl": "SimCLR without the anchor's own views in the denominator",
    "sincere": "each positive against itself and the other classes",
    "cnce": "class-conditional InfoNCE: own views against the own class",
    "siglip": "sigmoid loss on two towers, its bias added to t c",
    "clip": "two towers, the mean of the two directions",
}


class Catalogue(Mapping[str, "Problem"]):
    """Problems by name, each made when it is first asked for."""

    def __init__(self) -> None:
        self._made: dict[str, Problem] = {}

    def __getitem__(self, name: str) -> Problem:
        if name not in self:
            raise KeyError(name)
        if name not in self._made:
            from .declared import declared

            self._made[name] = declared(name)
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in SOFTMAX or name in LITERATURE

    def __iter__(self) -> Iterator[str]:
        yield from SOFTMAX
        yield from LITERATURE

    def __len__(self) -> int:
        return len(SOFTMAX) + len(LITERATURE)

    def says(self, name: str) -> str:
        """What a loss is, in a line."""
        return SOFTMAX.get(name) or LITERATURE[name].source


CATALOGUE = Catalogue()


def named(text: str) -> Problem:
    """The problem of a name of the catalogue, or of a file whose name ends in ``.toml``.

    Raises
    ------
    DomainError
        If there is none, naming those there are; or what is wrong with the file. One line.
    """
    if text in CATALOGUE:
        return CATALOGUE[text]
    if text.endswith(".toml"):
        from .file import read_file

        return read_file(text)
    from ..decide.domain import DomainError

    shown = text if len(text) <= 40 else text[:37] + "..."
    names = ", ".join(CATALOGUE)
    raise DomainError(f"no loss is called {shown!r}; there are {names}, and files ending in .toml")
