"""What ``import cltheory`` brings: the results, and the version.

``cltheory.results["supcl-threshold"].alpha_min`` is a SymPy expression; nothing else is imported
before one of the two names is asked for. The file lies in a folder that cannot be imported, so
that it has this one name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cltheory.derive.results import results

    __version__: str

__all__ = ["__version__", "results"]


def __getattr__(name: str) -> Any:
    if name == "results":
        from cltheory.derive.results import results

        return results
    if name == "__version__":
        from importlib.metadata import version

        return version("cltheory")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
