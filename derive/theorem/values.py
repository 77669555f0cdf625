"""All quantities of a result at a point, as attributes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .kinds import Expression
from .number import Value


class Values(Mapping[str, "Value | Expression"]):
    """Quantities at a point, by attribute or by name.

    Parameters
    ----------
    of
        The id of the result, and the point in words.
    found
        Numbers or expressions, by name.
    refused
        Why the other quantities have no value there.
    """

    def __init__(
        self, title: str, found: Mapping[str, Value | Expression], refused: Mapping[str, str]
    ):
        self._title, self._found, self._refused = title, dict(found), dict(refused)

    def __getattr__(self, name: str) -> Value | Expression:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(error.args[0]) from None

    def __getitem__(self, name: str) -> Value | Expression:
        """The value of a quantity.

        Raises
        ------
        KeyError
            If it has none there, with the reason, or if no quantity has this name.
        """
        if name in self._found:
            return self._found[name]
        known = ", ".join(self._found) or "nothing"
        raise KeyError(self._refused.get(name, f"{self._title} has no {name}; it has {known}"))

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._found]

    def __repr__(self) -> str:
        rows = [f"  {name} = {value}" for name, value in self._found.items()]
        rows += [f"  {name}: {why}" for name, why in self._refused.items()]
        return "\n".join([self._title, *rows])
