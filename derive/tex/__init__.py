"""Equations of a paper: read as LaTeX, compared with what was derived."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .assertion import assert_equation

__all__ = ["assert_equation"]


def __getattr__(name: str) -> object:
    # Not at import: finding marked equations, as a test run does, needs no SymPy.
    if name == "assert_equation":
        from .assertion import assert_equation

        return assert_equation
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
