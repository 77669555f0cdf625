"""The problems of the catalogue: each loss on the structure that it is used on."""

from __future__ import annotations

from ..decide.domain import Domain
from ..losses.clip import CLIP, SIGLIP, b, t
from ..losses.functions import loss_of_functions
from ..losses.pairwise import PairwiseLoss, c
from ..losses.simclr import DCL, SIMCLR
from ..losses.supcl import CNCE, SINCERE, SUPCL, SUPCL_EXCLUSIVE, SUPCON
from ..structures.hierarchy import VIEWS, hierarchy, n
from ..structures.scheme import Scheme
from ..structures.towers import NEGATIVE, N, towers
from .domains import BIASED, COMBINED, INSTANCES, PAIRED, SEVERAL_VIEWS, TEMPERED
from .problem import Loss, Problem

CLASSES = hierarchy()
#: Views in instances, and no classes: another instance is a negative.
NO_CLASSES = hierarchy(VIEWS, (n, NEGATIVE, "instances"))
TWO_TOWERS = towers()

#: The softmax losses and SigLIP, with what they are in a line. A constant is called like its loss:
#: the catalogue reads names and lines from this text, without importing SymPy.
PROBLEMS: tuple[tuple[Loss, Scheme, Domain, str], ...] = (
    (SIMCLR, NO_CLASSES, INSTANCES, "NT-Xent: n instances with p views, without the anchor"),
    (SUPCON, CLASSES, TEMPERED, "SupCon with the mean outside the logarithm, without the anchor"),
    (SUPCL, CLASSES, COMBINED, "(1-alpha) L_Sup + alpha L_Self, with the anchor"),
    (SUPCL_EXCLUSIVE, CLASSES, SEVERAL_VIEWS, "SupCL without the anchor"),
    (DCL, NO_CLASSES, INSTANCES, "SimCLR without the anchor's own views in the denominator"),
    (SINCERE, CLASSES, TEMPERED, "each positive against itself and the other classes"),
    (CNCE, CLASSES, TEMPERED, "class-conditional InfoNCE: own views against the own class"),
    (SIGLIP, TWO_TOWERS, BIASED, "sigmoid loss on two towers, with the bias added to t c"),
    (CLIP, TWO_TOWERS, PAIRED, "two towers, the mean of the two directions"),
)


def declared(name: str) -> Problem:
    """The problem of a name of the catalogue."""
    for loss, structure, domain, _ in PROBLEMS:
        if loss.name == name:
            return Problem(loss, structure, domain)
    return pairs(loss_of_functions(loss=name))


def pairs(loss: PairwiseLoss) -> Problem:
    """A pairwise loss on two towers, for all values of what it depends on."""
    used = set().union(*(k.function.free_symbols | k.weight.free_symbols for k in loss.terms))
    return Problem(loss, TWO_TOWERS, BIASED.restricted({N} | (used & {t, b}) - {c}))
