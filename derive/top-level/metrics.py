"""Metrics of embeddings: the names of :mod:`cltheory.numeric.metrics`. Needs torch."""

from cltheory.numeric.metrics import *  # noqa: F403
from cltheory.numeric.metrics import __all__ as __all__


def __dir__() -> list[str]:
    return __all__
