"""The registry of results: one module each, named like the id, in folders by family.

A module is loaded when its result is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..theorem.result import Result


class UnknownResult(KeyError):
    """No result has this id; the message is one line and names those there are."""

    def __str__(self) -> str:
        return str(self.args[0])


class Registry(Mapping[str, "Result"]):
    """Results by id. Listing the ids imports nothing."""

    def __init__(self) -> None:
        here = Path(__file__).parent
        found = [*here.glob("*.py"), *here.glob("[a-z]*/*.py")]
        self._modules = {
            f.stem.replace("_", "-"): ".".join(("", *f.relative_to(here).with_suffix("").parts))
            for f in sorted(found, key=lambda f: f.stem)
            if f.stem[0] != "_"
        }

    def __getitem__(self, id: str) -> Result:
        if id not in self._modules:
            raise UnknownResult(f"there is no result {id!r}; there are {', '.join(self._modules)}")
        module = import_module(self._modules[id], __package__)
        result: Result = module.RESULT
        return result

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)

    def __contains__(self, id: object) -> bool:
        return id in self._modules


results = Registry()
