"""The same problems on embeddings: what one trains with and looks at, and what cross-checks.

Needs torch. Nothing is imported before it is asked for.
"""

from importlib import import_module
from types import ModuleType

__all__ = ["band", "batches", "losses", "metrics"]


def __getattr__(name: str) -> ModuleType:
    if name in __all__:
        return import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
