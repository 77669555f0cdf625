"""Losses as torch modules, on embeddings and labels: one weighted InfoNCE.

`SupCon`, `SoftSupCon`, `YAware`, `XCLR`, `EuclideanWInfoNCE` and `WInfoNCE` differ in the
weights and in the similarity, which are data; `infonce.py` evaluates all of them.

`SupCL`, `SimCLR`, `DCL`, `SINCERE`, `CLIP`, `SigmoidLoss` and `MoCo`, in `contrastive.py`, are put
together from the sums over pairs of `sums.py`.

`KernelInfoNCE` and its mixtures compare views by kernels of their distances; `kernel.py` evaluates
them.
"""

from .contrastive import (
    CLIP,
    DCL,
    SINCERE,
    Contrastive,
    MoCo,
    SigmoidLoss,
    SimCLR,
    SupCL,
)
from .infonce import weighted_infonce
from .kernel import Exponential, kernel_infonce
from .kernel_modules import (
    KernelConcatenationInfoNCE,
    KernelInfoNCE,
    KernelLoss,
    KernelSumInfoNCE,
    LossConcatenationInfoNCE,
    LossSumInfoNCE,
)
from .modules import XCLR, EuclideanWInfoNCE, Loss, SoftSupCon, SupCon, WInfoNCE, YAware
from .weights import Classes, Dense, Kernel, Weights

__all__ = [
    "CLIP",
    "DCL",
    "SINCERE",
    "XCLR",
    "Classes",
    "Contrastive",
    "Dense",
    "EuclideanWInfoNCE",
    "Exponential",
    "Kernel",
    "KernelConcatenationInfoNCE",
    "KernelInfoNCE",
    "KernelLoss",
    "KernelSumInfoNCE",
    "Loss",
    "LossConcatenationInfoNCE",
    "LossSumInfoNCE",
    "MoCo",
    "SigmoidLoss",
    "SimCLR",
    "SoftSupCon",
    "SupCL",
    "SupCon",
    "WInfoNCE",
    "Weights",
    "YAware",
    "kernel_infonce",
    "weighted_infonce",
]


def __dir__() -> list[str]:
    return __all__
