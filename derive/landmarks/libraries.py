"""Which losses there are under which conventions, one row each.

A convention is data: a declaration with the library's factor in it, what stands in the denominator,
and what the options are by default. Nothing else knows a library.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from sympy import Expr, Integer, Rational, S, exp, log

from ..frozen import FrozenValue
from ..losses.clip import CLIP
from ..losses.conventions import CONVENTIONS
from ..losses.functions import loss_of_functions
from ..losses.literature import LITERATURE
from ..losses.pairwise import PairTerm, PairwiseLoss, c
from ..losses.softmax import SoftmaxLoss, SoftmaxTerm, tau
from ..losses.supcl import (
    CNCE,
    CROSS_CLASS,
    SAME_CLASS,
    SAME_INSTANCE,
    SINCERE,
    SUPCL,
    SUPCL_EXCLUSIVE,
    SUPCON,
)
from ..losses.written import Loss
from ..structures.hierarchy import hierarchy, m, n, p
from ..structures.towers import NEGATIVE, POSITIVE, N, towers
from .landmark import Options, number
from .scores import Features, Prototypes, balanced, barlow, softened, vicreg
from .similar import Bound, Place, Similar, at_image_simplex, at_simplex, uniform

if TYPE_CHECKING:
    from ..theorem.result import Result


class Row(FrozenValue):
    """A loss under a convention.

    Attributes
    ----------
    loss, convention
        Their names; the convention of the paper is called ``paper``.
    family
        What its landmarks are derived from.
    source
        Where it is from: the paper, or what the library calls it.
    defaults
        The options that it takes, with the values they have unless given.
    """

    loss: str
    convention: str
    family: Similar | Prototypes | Features
    source: str
    defaults: Mapping[str, Expr | None]


# --- where losses are evaluated -------------------------------------------------------------------
def _classes(options: Options) -> int:
    return int(options.get("classes") or options["batch"])


def _per_class(options: Options) -> int:
    return int(options["batch"] * options["views"]) // _classes(options)


#: Without classes every image is a class of its own.
HIERARCHY = Place(
    hierarchy(),
    own=("same_instance",),
    alike=("same_class",),
    others=("cross_class",),
    sizes=lambda options: {
        m: Integer(_classes(options)),
        n: options["batch"] / _classes(options),
        p: options["views"],
    },
    counts=lambda options: (int(options["batch"]), _classes(options), _per_class(options)),
)


def _pairs(items: str, more: int = 0) -> Place:
    """Two towers; the option says how many items, and so many more."""
    return Place(
        towers(),
        own=(POSITIVE,),
        alike=(),
        others=(NEGATIVE, "within_modality"),
        sizes=lambda options: {N: options[items] + more},
        counts=lambda options: (int(options[items]) + more, int(options[items]) + more, 1),
    )


PAIRS = _pairs("batch")
#: A query, its key and the keys of the queue: an item and so many others.
QUEUE = _pairs("queue", 1)


# --- lower bounds ---------------------------------------------------------------------------------
def _derived(id: str, convention: str = "", **inputs: str) -> Bound:
    """The minimum over all dimensions, which a result has; a bound in each."""

    @cache
    def result() -> Result:
        from ..results import results

        found = results[id].in_convention(convention) if convention else results[id]
        return found.with_inputs(at=None, **inputs) if inputs else found

    def bound(loss: Similar, options: Options) -> tuple[float, str]:
        from ..theorem.number import as_float

        value = result().value("loss", **{s.name: e for s, e in loss._point(options).items()})
        return loss.factor(options) * as_float(value), f"{id}, attained where d allows it"

    return bound


def _opposite(loss: Similar, options: Options) -> tuple[float, str]:
    value = log(1 + options["queue"] * exp(-2 / options["tau"]))
    return number(value), "the whole queue opposite to the query"


def _with_two_views(loss: Similar, options: Options) -> tuple[float, str]:
    """With one positive it does not matter whether the sum is inside the logarithm."""
    if _per_class(options) == 2:
        return _LABELLED(loss, options)
    return at_simplex(loss, options)


def _constant(value: int, words: str) -> Bound:
    return lambda loss, options: (float(value), words)


_LABELLED = uniform(lambda options: (_per_class(options) - 1) * _classes(options))
_ALL = uniform(lambda options: int(options["batch"] * options["views"]))
_UNLABELLED = uniform(lambda options: int(options["batch"] * (options["views"] - 1)))
_EACH = uniform(_classes)
_PAIRED = uniform(lambda options: int(options["batch"]))

# --- declarations ---------------------------------------------------------------------------------
_SUPCONTRAST = CONVENTIONS["supcontrast"].readings[0].loss
_NT_XENT = CONVENTIONS["simclr"].readings[0].loss
_DCL = SoftmaxLoss(
    "dcl",
    "decoupled contrastive loss",
    (SoftmaxTerm(S.One, positives=(SAME_INSTANCE,), denominator=(SAME_CLASS, CROSS_CLASS)),),
    tau,
    "Yeh et al. (2022), equation (6)",
)
_CLIP = CONVENTIONS["open-clip"].readings[1].loss
_SIGLIP = CONVENTIONS["open-clip"].readings[0].loss


def _times(factor: Expr, loss: Loss) -> SoftmaxLoss:
    """A softmax loss with a factor."""
    assert isinstance(loss, SoftmaxLoss)
    terms = (replace(k, coefficient=factor * k.coefficient) for k in loss.terms)
    return replace(loss, terms=tuple(terms))


def _of_positives(function: Expr) -> PairwiseLoss:
    """A loss of positive pairs alone."""
    return PairwiseLoss("cosine", "cosine loss", (PairTerm(POSITIVE, function, S.One),), "")


#: Means over positive and over negative pairs.
_SPECTRAL = PairwiseLoss(
    "spectral",
    "spectral contrastive loss",
    (PairTerm(POSITIVE, -2 * c, S.One), PairTerm(NEGATIVE, c**2, 1 / (N - 1))),
    "HaoChen et al. (2021)",
)
_NO_LESS = "every cosine at its best"


def _labelled(loss: Loss, *also: Bound, inside: bool = False) -> Similar:
    return Similar(loss, HIERARCHY, (at_simplex, *also), inside=inside)


def _unlabelled(loss: Loss, *also: Bound, inside: bool = False) -> Similar:
    return Similar(loss, HIERARCHY, (at_image_simplex, *also), inside=inside)


# --- the table ------------------------------------------------------------------------------------
PAPER, METRIC, LIGHTLY = "paper", "pytorch-metric-learning", "lightly"
SOLO, OPEN_CLIP = "solo-learn", "open-clip"


def _options(**values: str | int | None) -> dict[str, Expr | None]:
    return {k: None if v is None else Rational(v) for k, v in values.items()}


_COLD, _SINKHORN = Rational(1, 25), Rational(1, 20)
_SHARPENED = Prototypes(softened(_COLD))
_BALANCED = Prototypes(balanced(_SINKHORN))
_MINUS_COSINE = Similar(_of_positives(-c), PAIRS, (_constant(-1, _NO_LESS),), detached=True)
_DISTANCE = Similar(_of_positives(2 - 2 * c), PAIRS, (_constant(0, _NO_LESS),), detached=True)
_EVERY_PAIR = Similar(_SIGLIP, PAIRS, (_derived("sigmoid-optimum", "siglip"),))
_BOTH_WAYS = Similar(_CLIP, PAIRS, (at_simplex, _PAIRED))
_QUEUED = Similar(CLIP, QUEUE, (_opposite,), detached=True)
_QUEUELESS = Similar(_times(4 * tau, CLIP), PAIRS, (at_simplex, _PAIRED), detached=True)


_SUP = _labelled(SUPCON, _LABELLED)
_SCALED = _labelled(_SUPCONTRAST, _LABELLED)
_SUMMED = _labelled(SUPCON, _with_two_views, inside=True)
_WITH_ANCHOR = Similar(SUPCL, HIERARCHY, (_derived("supcl-optimum"), _ALL))
_LEFT_OUT = _derived("supcl-exclusive")
_WITHOUT_ANCHOR = Similar(SUPCL_EXCLUSIVE, HIERARCHY, (_LEFT_OUT,))
_WEIGHTED = Similar(_times(tau / Rational(7, 100), SUPCL_EXCLUSIVE), HIERARCHY, (_LEFT_OUT,))
_INSIDE_CLASSES = Similar(CNCE, HIERARCHY, (_derived("cnce-optimum"),))
_DECOUPLED = _unlabelled(_DCL)
_PLAIN = _unlabelled(_NT_XENT, _UNLABELLED)
_TWICE = _unlabelled(_times(Integer(2), _NT_XENT), _UNLABELLED)
_EACH_ALONE = _labelled(SINCERE, _EACH)
_ONE_POSITIVE = _unlabelled(_NT_XENT, inside=True)
_ADDED = Prototypes(softened(_COLD), Integer(2))
_SQUARES = Similar(_SPECTRAL, PAIRS, (_constant(-2, _NO_LESS),))
#: Losses of two functions whose minimum is derived; ``sigmoid`` and ``spectral`` have rows below.
PAIRWISE = tuple(k for k in LITERATURE if k not in ("sigmoid", "sharp-focal", "spectral"))
_BARLOW = barlow(S.One, Rational(51, 10**4))
_BARLOW_OF_LIGHTLY = barlow(S.One, Rational(1, 200))
_BARLOW_OF_SOLO = barlow(Rational(1, 40), Rational(1, 200))

# --- options, with their usual values -------------------------------------------------------------
_SUP_AT = _options(batch=256, views=2, classes=None, tau="0.1", dim=128)
_SUPCL_AT = _options(batch=256, views=2, classes=8, alpha="0.5", tau="0.1", dim=128)
_CLASSES_AT = _options(batch=256, views=2, classes=8, tau="0.1", dim=128)
_PLAIN_AT = _options(batch=256, views=2, classes=None, tau="0.5", dim=128)
_QUEUE_AT = _options(queue=65536, tau="0.07", dim=128)
_V3_AT = _options(batch=4096, tau=1, dim=256)
_CLIP_AT = _options(batch=256, t="100/7", dim=512)
_SIGLIP_AT = _options(batch=256, t=10, b=-10, dim=512)
_DINO_AT = _options(prototypes=65536, tau="0.1", dim=256)
_IBOT_AT = _options(prototypes=8192, tau="0.1", dim=256)
_SWAV_AT = _options(prototypes=3000, batch=4096, tau="0.1", dim=128)
_FEATURES_AT = _options(batch=256, dim=8192)
_COSINE_AT = _options(batch=256, dim=256)


def of_functions(**given: str) -> Row:
    """A loss that is two functions of the inner product: a name of the literature, or lp and ln.

    Raises
    ------
    DomainError
        If the text is not an expression, or one of the two is not given.
    """
    loss, name = loss_of_functions(**given), given.get("loss", "")
    source = f"{LITERATURE[name].source if name else loss.title}; pairs summed per item"
    family = Similar(loss, PAIRS, (_derived("pairwise-threshold", **given),))
    defaults = {
        k: v for k, v in _SIGLIP_AT.items() if k in ("batch", "dim", *map(str, loss.meanings))
    }
    return Row(name or "own loss", PAPER if name else "as given", family, source, defaults)


#: The first row of a loss is the one without a convention given.
#: Other names of a loss.
ALSO = {"infonce": "clip", "sigmoid": "siglip", "nt-xent": "simclr"}
ROWS: tuple[Row, ...] = (
    Row("supcon", PAPER, _SUP, "Khosla et al. (2020), (2)", _SUP_AT),
    Row("supcon", "supcontrast", _SCALED, "SupConLoss: times tau/0.07", _SUP_AT),
    Row("supcon", METRIC, _SUP, "SupConLoss", _SUP_AT),
    Row("supcon", SOLO, _SUMMED, "positives are summed inside the logarithm", _SUP_AT),
    Row("supcl", PAPER, _WITH_ANCHOR, "Lee et al. (2025), (1)-(3): the anchor included", _SUPCL_AT),
    Row("supcl", "supcontrast", _WEIGHTED, "the anchor excluded, times tau/0.07", _SUPCL_AT),
    Row("supcl", METRIC, _WITHOUT_ANCHOR, "the anchor excluded, as in SupConLoss", _SUPCL_AT),
    Row("sincere", PAPER, _EACH_ALONE, "Feeney and Hughes (2023), (6)", _CLASSES_AT),
    Row("cnce", PAPER, _INSIDE_CLASSES, "Lee et al. (2025), Proposition A.6", _CLASSES_AT),
    Row("simclr", PAPER, _PLAIN, "Chen et al. (2020), (1)", _PLAIN_AT),
    Row("simclr", METRIC, _EACH_ALONE, "NTXentLoss: a positive, other classes", _PLAIN_AT),
    Row("simclr", LIGHTLY, _PLAIN, "NTXentLoss without a memory bank", _PLAIN_AT),
    Row("simclr", SOLO, _ONE_POSITIVE, "positives are summed inside the logarithm", _PLAIN_AT),
    Row("simclr", "google-research", _TWICE, "two directions are added", _PLAIN_AT),
    Row("dcl", PAPER, _DECOUPLED, "Yeh et al. (2022), (6)", _PLAIN_AT),
    Row("dcl", LIGHTLY, _DECOUPLED, "DCLLoss", _PLAIN_AT),
    Row("moco", PAPER, _QUEUED, "He et al. (2020), (1)", _QUEUE_AT),
    Row("moco", LIGHTLY, _QUEUED, "NTXentLoss with a memory bank", _QUEUE_AT),
    Row("moco", "moco-v3", _QUEUELESS, "two directions over the batch, times 2 tau", _V3_AT),
    Row("clip", PAPER, _BOTH_WAYS, "Radford et al. (2021)", _CLIP_AT),
    Row("clip", OPEN_CLIP, _BOTH_WAYS, "ClipLoss", _CLIP_AT),
    Row("siglip", PAPER, _EVERY_PAIR, "Zhai et al. (2023)", _SIGLIP_AT),
    Row("siglip", OPEN_CLIP, _EVERY_PAIR, "SigLipLoss", _SIGLIP_AT),
    Row("dino", PAPER, _SHARPENED, "Caron et al. (2021), teacher at 0.04", _DINO_AT),
    Row("dino", LIGHTLY, _SHARPENED, "DINOLoss", _DINO_AT),
    Row("dino", SOLO, _SHARPENED, "DINOLoss", _DINO_AT),
    Row("swav", PAPER, _BALANCED, "Caron et al. (2020), Sinkhorn at 0.05", _SWAV_AT),
    Row("swav", LIGHTLY, _BALANCED, "SwaVLoss", _SWAV_AT),
    Row("ibot", PAPER, _ADDED, "Zhou et al. (2022): class tokens plus patches", _IBOT_AT),
    Row("ibot", LIGHTLY, _SHARPENED, "IBOTPatchLoss: patches alone", _IBOT_AT),
    Row("vicreg", PAPER, vicreg(1), "Bardes et al. (2022): mean of variances", _FEATURES_AT),
    Row("vicreg", LIGHTLY, vicreg(1), "VICRegLoss", _FEATURES_AT),
    Row("vicreg", SOLO, vicreg(2), "vicreg_loss_func: sum of variances", _FEATURES_AT),
    Row("barlow-twins", PAPER, _BARLOW, "Zbontar et al. (2021), 0.0051", _FEATURES_AT),
    Row("barlow-twins", LIGHTLY, _BARLOW_OF_LIGHTLY, "BarlowTwinsLoss, 0.005", _FEATURES_AT),
    Row("barlow-twins", SOLO, _BARLOW_OF_SOLO, "barlow_loss_func: times 0.025", _FEATURES_AT),
    Row("simsiam", PAPER, _MINUS_COSINE, "Chen and He (2021)", _COSINE_AT),
    Row("simsiam", LIGHTLY, _MINUS_COSINE, "NegativeCosineSimilarity", _COSINE_AT),
    Row("simsiam", SOLO, _MINUS_COSINE, "simsiam_loss_func", _COSINE_AT),
    Row("byol", LIGHTLY, _MINUS_COSINE, "NegativeCosineSimilarity", _COSINE_AT),
    Row("byol", PAPER, _DISTANCE, "Grill et al. (2020), one direction: 2 - 2 cos", _COSINE_AT),
    Row("byol", SOLO, _DISTANCE, "byol_loss_func: 2 - 2 cos", _COSINE_AT),
    Row("spectral", PAPER, _SQUARES, "HaoChen et al. (2021), at length 1", _COSINE_AT),
    *(of_functions(loss=name) for name in PAIRWISE),
)
