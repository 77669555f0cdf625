"""The band that the squared gradient of InfoNCE lies in, measured on embeddings."""

from .inputs import same_class
from .measured import Band, measure
from .monitor import BandMonitor, Report, sigmas
from .readings import neighbours, views

__all__ = [
    "Band",
    "BandMonitor",
    "Report",
    "measure",
    "neighbours",
    "same_class",
    "sigmas",
    "views",
]


def __dir__() -> list[str]:
    return __all__
