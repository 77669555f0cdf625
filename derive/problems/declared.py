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

#: The softmax losses and SigLIP.
PROBLEMS: tuple[tuple[Loss, Scheme, Domain], ...] = (
    (SIMCLR, NO_CLASSES, INSTANCES),
    (SUPCON, CLASSES, TEMPERED),
    (SUPCL, CLASSES, COMBINED),
    (SUPCL_EXCLUSIVE, CLASSES, SEVERAL_VIEWS),
    (DCL, NO_CLASSES, INSTANCES),
    (SINCERE, CLASSES, TEMPERED),
    (CNCE, CLASSES, TEMPERED),
    (SIGLIP, TWO_TOWERS, BIASED),
    (CLIP, TWO_TOWERS, PAIRED),
)


def declared(name: str) -> Problem:
    """The problem of a name of the catalogue."""
    for loss, structure, domain in PROBLEMS:
        if loss.name == name:
            return Problem(loss, structure, domain)
    return pairs(loss_of_functions(loss=name))


def pairs(loss: PairwiseLoss) -> Problem:
    """A pairwise loss on two towers, for all values of what it depends on."""
    used = set().union(*(k.function.free_symbols | k.weight.free_symbols for k in loss.terms))
    return Problem(loss, TWO_TOWERS, BIASED.restricted({N} | (used & {t, b}) - {c}))
