"""Losses to train with: the names of :mod:`cltheory.numeric.losses`. Needs torch."""

from cltheory.numeric.losses import *  # noqa: F403
from cltheory.numeric.losses import __all__ as __all__


def __dir__() -> list[str]:
    return __all__
