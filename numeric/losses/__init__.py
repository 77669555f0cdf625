"""Losses as torch modules, on embeddings and labels: one weighted InfoNCE.

`SupCon`, `SoftSupCon`, `YAware`, `XCLR`, `EuclideanWInfoNCE` and `WInfoNCE` differ in the
weights and in the similarity, which are data; `infonce.py` evaluates all of them.
"""

from .infonce import weighted_infonce
from .modules import XCLR, EuclideanWInfoNCE, Loss, SoftSupCon, SupCon, WInfoNCE, YAware
from .weights import Classes, Dense, Kernel, Weights

__all__ = [
    "XCLR",
    "Classes",
    "Dense",
    "EuclideanWInfoNCE",
    "Kernel",
    "Loss",
    "SoftSupCon",
    "SupCon",
    "WInfoNCE",
    "Weights",
    "YAware",
    "weighted_infonce",
]
