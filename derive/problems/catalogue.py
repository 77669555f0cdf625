"""The losses of the literature by name. Listing the names imports neither SymPy nor torch.

Conventions: means over anchors and over positives, and tau divides. The pairwise ones are those of
:mod:`~cltheory.derive.losses.literature`, on two towers; their t multiplies.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..losses.literature import LITERATURE
from ..plugins import Plugins

if TYPE_CHECKING:
    from .problem import Problem


def _declared() -> dict[str, str]:
    """The losses of :mod:`.declared`, with what they are in a line, read from its text."""
    tree = ast.parse(Path(__file__).with_name("declared.py").read_text("utf-8"))
    (rows,) = (
        node.value.elts
        for node in tree.body
        if isinstance(node, ast.AnnAssign) and isinstance(node.value, ast.Tuple)
    )
    found = {}
    for row in rows:
        assert isinstance(row, ast.Tuple) and isinstance(row.elts[0], ast.Name)
        found[row.elts[0].id.lower().replace("_", "-")] = ast.literal_eval(row.elts[-1])
    return found


#: Our own losses, with what they are in a line.
OWN: dict[str, str] = _declared() | {name: loss.source for name, loss in LITERATURE.items()}


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


def _wrong(name: str, found: Any) -> str:
    from .problem import Problem

    return "" if isinstance(found, Problem) else f"is of type {type(found).__name__}, not Problem"


CATALOGUE = Catalogue()


def named(text: str) -> Problem:
    """The problem of a name of the catalogue, or of a file whose name ends in ``.toml``.

    Raises
    ------
    DomainError
        If there is none, naming those there are; or what is wrong with the file. One line.
    """
    if text.endswith(".toml"):
        from .file import read_file

        return read_file(text)
    if text in CATALOGUE:
        return CATALOGUE[text]
    from ..decide.domain import DomainError

    shown = text if len(text) <= 40 else text[:37] + "..."
    names = ", ".join(CATALOGUE)
    raise DomainError(f"no loss is called {shown!r}; there are {names}, and files ending in .toml")
