"""Who is told how much of the work is done."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

#: Called with the parts that are done and with all parts.
Progress: TypeAlias = Callable[[int, int], None]


def unheard(done: int, whole: int) -> None:
    """Show no progress."""
