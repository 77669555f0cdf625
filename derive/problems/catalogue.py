"""The losses of the literature by name. Listing the names imports neither SymPy nor torch.

Conventions: means over anchors and over positives, and tau divides. The pairwise ones are those of
:mod:`~cltheory.derive.losses.literature`, on two towers; their t multiplies.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ..losses.literature import LITERATURE
from ..plugins import Plugins

if TYPE_CHECKING:
    from .problem import Problem


#: Our own losses (declared in :mod:`.declared`), with what they are in a line.
OWN: dict[str, str] = {
    "simclr": "NT-Xent: n instances with p views, without the anchor",
    "supcon": "SupCon with the mean outside the logarithm, without the anchor",
    "supcl": "(1-alpha) L_Sup + alpha L_Self, with the anchor",
    "supcl-exclusive": "SupCL without the anchor",
    "dcl": "SimCLR without the anchor's own views in the denominator",
    "sincere": "each positive against itself and the other classes",
    "cnce": "class-conditional InfoNCE: own views against the own class",
    "siglip": "sigmoid loss on two towers, with the bias added to t c",
    "clip": "two towers, the mean of the two directions",
    **{name: loss.source for name, loss in LITERATURE.items()},
}


class Catalogue(Mapping[str, "Problem"]):
    """Problems by name, each made when it is first asked for.

    After our own come those that other packages register under the group ``cltheory.losses``.
    """

    def __init__(self) -> None:
        self._made: dict[str, Problem] = {}
        self.plugins: Plugins[Problem] = Plugins("cltheory.losses", "loss", OWN, _wrong)

    def __getitem__(self, name: str) -> Problem:
        if name not in self:
            raise KeyError(name)
        if name not in OWN:
            return self.plugins[name]
        if name not in self._made:
            from .declared import declared

            self._made[name] = declared(name)
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in OWN or name in self.plugins.names

    def __iter__(self) -> Iterator[str]:
        yield from OWN
        yield from self.plugins.working()

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def says(self, name: str) -> str:
        """What a loss is, in a line."""
        return OWN[name] if name in OWN else self[name].loss.title


def _wrong(name: str, found: object) -> str:
    from .problem import Problem

    return "" if isinstance(found, Problem) else f"is of type {type(found).__name__}, not Problem"


CATALOGUE = Catalogue()


def is_file(text: str) -> bool:
    """Whether it names a file that declares a loss, not a loss or a result."""
    return text.endswith(".toml")


def named(text: str) -> Problem:
    """The problem of a name of the catalogue, or of a file whose name ends in ``.toml``.

    Raises
    ------
    DomainError
        If there is none, naming those there are; or what is wrong with the file. One line.
    """
    if is_file(text):
        from .file import read_file

        return read_file(text)
    if text in CATALOGUE:
        return CATALOGUE[text]
    from ..decide.domain import DomainError

    shown = text if len(text) <= 40 else text[:37] + "..."
    names = ", ".join(CATALOGUE)
    raise DomainError(f"no loss is called {shown!r}; there are {names}, and files ending in .toml")
