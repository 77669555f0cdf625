"""What rooms further up do for objects made further down: they register, and nobody imports them.

A theorem can be displayed, and knows the printed claims that it settles, yet it stands below the
rooms that write and that hold the papers. What stands above all of them says here where these
are; they are loaded when first asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

_PLACES: dict[str, str] = {}


def register(name: str, place: str) -> None:
    """Say where what is called by this name stands: ``.module:function``."""
    _PLACES[name] = place


def call(name: str, *args: Any) -> Any:
    """Call what is registered by this name.

    Raises
    ------
    LookupError
        If nothing is.
    """
    if name not in _PLACES:
        raise LookupError(f"nothing is registered for {name!r}")
    module, _, function = _PLACES[name].partition(":")
    return getattr(import_module(module, __package__.rpartition(".")[0]), function)(*args)


class Shown:
    """What Jupyter displays as mathematics."""

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Mapping[str, str]:
        bundle: Mapping[str, str] = call("display", self)
        return bundle
