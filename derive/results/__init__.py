"""The registry of results: one module each, named like the id, loaded when asked for."""

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
        found = Path(__file__).parent.glob("*.py")
        self._ids = sorted(f.stem.replace("_", "-") for f in found if f.stem[0] != "_")

    def __getitem__(self, id: str) -> Result:
        if id not in self._ids:
            raise UnknownResult(f"there is no result {id!r}; there are {', '.join(self._ids)}")
        module = import_module("." + id.replace("-", "_"), __package__)
        result: Result = module.RESULT
        return result

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)

    def __contains__(self, id: object) -> bool:
        return id in self._ids


results = Registry()
