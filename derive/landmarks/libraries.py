"""Which losses there are under which conventions, one row each.

A convention is data: a declaration with the library's factor in it, what stands in the denominator,
and what the options are by default. Nothing else knows a library.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sympy import Expr, Integer, Rational, S, exp, log

from ..losses.clip import CLIP
from ..losses.conventions import CONVENTIONS
from ..losses.pairwise import PairTerm, PairwiseLoss, c
from ..losses.softmax import SoftmaxLoss, tau
from ..losses.supcl import SINCERE, SUPCON
from ..losses.written import Loss
from ..structures.hierarchy import hierarchy, m, n, p
from ..structures.towers import NEGATIVE, POSITIVE, N, towers
from .landmark import Given, number
from .scores import Features, Prototypes, balanced, barlow, softened, vicreg
from .similar import Bound, Place, Similar, at_image_simplex, at_simplex, uniform


@dataclass(frozen=True)
class Row:
    """A loss under a convention.

    Attributes
    ----------
    loss, convention
        Their names; the convention of the paper is called ``paper``.
    source
        Where it is from.
    family
        What its landmarks are derived from.
    defaults
        The options that it takes, with the values they have unless given.
    """

    loss: str
    convention: str
    source: str
    family: Similar | Prototypes | Features
    defaults: Mapping[str, Expr | None]


# --- where losses are evaluated -------------------------------------------------------------------
def _classes(given: Given) -> int:
    return int(given.get("classes") or given["batch"])


def _per_class(given: Given) -> int:
    return int(given["batch"] * given["views"]) // _classes(given)


#: Without classes every image is a class of its own.
HIERARCHY = Place(
    hierarchy(),
    own=("same_instance",),
    alike=("same_class",),
    others=("cross_class",),
    sizes=lambda given: {
        m: Integer(_classes(given)),
        n: given["batch"] / _classes(given),
        p: given["views"],
    },
    counts=lambda given: (int(given["batch"]), _classes(given), _per_class(given)),
)


def _pairs(items: str, more: int = 0) -> Place:
    """Two towers; the option says how many items, and so many more."""
    return Place(
        towers(),
        own=(POSITIVE,),
        alike=(),
        others=(NEGATIVE, "within_modality"),
        sizes=lambda given: {N: given[items] + more},
        counts=lambda given: (int(given[items]) + more, int(given[items]) + more, 1),
    )


PAIRS = _pairs("batch")
#: A query, its key and the keys of the queue: an item and so many others.
QUEUE = _pairs("queue", 1)


# --- lower bounds ---------------------------------------------------------------------------------
def _sigmoid_optimum(loss: Similar, given: Given) -> tuple[float, str]:
    from ..results import results

    found = results["sigmoid-optimum"].in_convention("siglip")
    value = found.value("loss", N=given["batch"], t=given["t"], b=given["b"])
    return float(value), "sigmoid-optimum, attained where d allows it"


def _opposite(loss: Similar, given: Given) -> tuple[float, str]:
    value = log(1 + given["queue"] * exp(-2 / given["tau"]))
    return number(value), "the whole queue opposite to the query"


def _with_two_views(loss: Similar, given: Given) -> tuple[float, str]:
    """With one positive it does not matter whether the sum is inside the logarithm."""
    if _per_class(given) == 2:
        return _LABELLED(loss, given)
    return at_simplex(loss, given)


def _constant(value: int, words: str) -> Bound:
    return lambda loss, given: (float(value), words)


_LABELLED = uniform(lambda given: (_per_class(given) - 1) * _classes(given))
_UNLABELLED = uniform(lambda given: int(given["batch"] * (given["views"] - 1)))
_EACH = uniform(_classes)
_PAIRED = uniform(lambda given: int(given["batch"]))

# --- declarations ---------------------------------------------------------------------------------
_SUPCONTRAST = CONVENTIONS["supcontrast"].readings[0].loss
_NT_XENT = CONVENTIONS["simclr"].readings[0].loss
_CLIP = CONVENTIONS["open-clip"].readings[1].loss
_SIGLIP = CONVENTIONS["open-clip"].readings[0].loss


def _times(factor: Expr, loss: Loss) -> SoftmaxLoss:
    """A softmax loss with a factor."""
    assert isinstance(loss, SoftmaxLoss)
    terms = (replace(k, coefficient=factor * k.coefficient) for k in loss.terms)
    return replace(loss, terms=tuple(terms))


def _positives_only(function: Expr, source: str) -> PairwiseLoss:
    """A loss of positive pairs alone."""
    return PairwiseLoss("cosine", "cosine loss", (PairTerm(POSITIVE, function, S.One),), source)


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
PAPER = "paper"


def _options(**values: str | int | None) -> dict[str, Expr | None]:
    return {k: None if v is None else Rational(v) for k, v in values.items()}


_SUPCON = _options(batch=256, views=2, classes=None, tau="0.1", dim=128)
_SIMCLR = _options(batch=256, views=2, classes=None, tau="0.5", dim=128)
_MOCO = _options(queue=65536, tau="0.07", dim=128)
_TOWERS = _options(batch=256, t="100/7", dim=512)
_SIGMOID = _options(batch=256, t=10, b=-10, dim=512)
_DINO = _options(prototypes=65536, tau="0.1", dim=256)
_IBOT = _options(prototypes=8192, tau="0.1", dim=256)
_SWAV = _options(prototypes=3000, batch=4096, tau="0.1", dim=128)
_FEATURES = _options(batch=256, dim=8192)
_COSINE = _options(batch=256, dim=256)

_COLD, _SINKHORN = Rational(1, 25), Rational(1, 20)
_DINO_LOSS = Prototypes(softened(_COLD))
_SWAV_LOSS = Prototypes(balanced(_SINKHORN))
_MINUS_COSINE = Similar(
    _positives_only(-c, "Chen and He (2021)"),
    PAIRS,
    (_constant(-1, _NO_LESS),),
    whole_gradient=False,
)
_DISTANCE = Similar(
    _positives_only(2 - 2 * c, "Grill et al. (2020)"),
    PAIRS,
    (_constant(0, _NO_LESS),),
    whole_gradient=False,
)
_EVERY_PAIR = Similar(_SIGLIP, PAIRS, (_sigmoid_optimum,))
_BOTH_WAYS = Similar(_CLIP, PAIRS, (at_simplex, _PAIRED))
_QUEUED = Similar(CLIP, QUEUE, (_opposite,), whole_gradient=False)

ROWS: tuple[Row, ...] = (
    Row("supcon", PAPER, "Khosla et al. (2020), (2)", _labelled(SUPCON, _LABELLED), _SUPCON),
    Row(
        "supcon",
        "supcontrast",
        "HobbitLong/SupContrast: times tau/0.07",
        _labelled(_SUPCONTRAST, _LABELLED),
        _SUPCON,
    ),
    Row(
        "supcon",
        "pytorch-metric-learning",
        "pytorch-metric-learning, SupConLoss",
        _labelled(SUPCON, _LABELLED),
        _SUPCON,
    ),
    Row(
        "supcon",
        "solo-learn",
        "solo-learn, simclr_loss_func with labels: the positives are summed inside the logarithm",
        _labelled(SUPCON, _with_two_views, inside=True),
        _SUPCON,
    ),
    Row("simclr", PAPER, "Chen et al. (2020), (1)", _unlabelled(_NT_XENT, _UNLABELLED), _SIMCLR),
    Row(
        "simclr",
        "pytorch-metric-learning",
        "pytorch-metric-learning, NTXentLoss: with labels, a positive against other classes",
        _labelled(SINCERE, _EACH),
        _SIMCLR,
    ),
    Row(
        "simclr",
        "lightly",
        "lightly, NTXentLoss without a memory bank",
        _unlabelled(_NT_XENT, _UNLABELLED),
        _SIMCLR,
    ),
    Row(
        "simclr",
        "solo-learn",
        "solo-learn, simclr_loss_func: the positives are summed inside the logarithm",
        _unlabelled(_NT_XENT, inside=True),
        _SIMCLR,
    ),
    Row(
        "simclr",
        "google-research",
        "google-research/simclr: the two directions are added",
        _unlabelled(_times(Integer(2), _NT_XENT), _UNLABELLED),
        _SIMCLR,
    ),
    Row("moco", PAPER, "He et al. (2020), (1)", _QUEUED, _MOCO),
    Row("moco", "lightly", "lightly, NTXentLoss with a memory bank", _QUEUED, _MOCO),
    Row(
        "moco",
        "moco-v3",
        "facebookresearch/moco-v3: two directions over the batch, each times 2 tau",
        Similar(_times(4 * tau, CLIP), PAIRS, (at_simplex, _PAIRED)),
        _options(batch=4096, tau=1, dim=256),
    ),
    Row("clip", PAPER, "Radford et al. (2021)", _BOTH_WAYS, _TOWERS),
    Row("clip", "open-clip", "open_clip, ClipLoss", _BOTH_WAYS, _TOWERS),
    Row("siglip", PAPER, "Zhai et al. (2023)", _EVERY_PAIR, _SIGMOID),
    Row("siglip", "open-clip", "open_clip, SigLipLoss", _EVERY_PAIR, _SIGMOID),
    Row("dino", PAPER, "Caron et al. (2021), teacher at 0.04", _DINO_LOSS, _DINO),
    Row("dino", "lightly", "lightly, DINOLoss", _DINO_LOSS, _DINO),
    Row("dino", "solo-learn", "solo-learn, DINOLoss", _DINO_LOSS, _DINO),
    Row("swav", PAPER, "Caron et al. (2020), Sinkhorn at 0.05", _SWAV_LOSS, _SWAV),
    Row("swav", "lightly", "lightly, SwaVLoss", _SWAV_LOSS, _SWAV),
    Row(
        "ibot",
        PAPER,
        "Zhou et al. (2022): class tokens and patches are added",
        Prototypes(softened(_COLD), Integer(2)),
        _IBOT,
    ),
    Row("ibot", "lightly", "lightly, IBOTPatchLoss: patches alone", _DINO_LOSS, _IBOT),
    Row("vicreg", PAPER, "Bardes et al. (2022): variances are averaged", vicreg(1), _FEATURES),
    Row("vicreg", "lightly", "lightly, VICRegLoss", vicreg(1), _FEATURES),
    Row("vicreg", "solo-learn", "solo-learn: variances are added", vicreg(2), _FEATURES),
    Row(
        "barlow-twins",
        PAPER,
        "facebookresearch/barlowtwins, lambda 0.0051",
        barlow(S.One, Rational(51, 10**4)),
        _FEATURES,
    ),
    Row(
        "barlow-twins",
        "lightly",
        "lightly, BarlowTwinsLoss, lambda 0.005",
        barlow(S.One, Rational(1, 200)),
        _FEATURES,
    ),
    Row(
        "barlow-twins",
        "solo-learn",
        "solo-learn, barlow_loss_func: times 0.025",
        barlow(Rational(1, 40), Rational(1, 200)),
        _FEATURES,
    ),
    Row("simsiam", PAPER, "Chen and He (2021)", _MINUS_COSINE, _COSINE),
    Row("simsiam", "lightly", "lightly, NegativeCosineSimilarity", _MINUS_COSINE, _COSINE),
    Row("simsiam", "solo-learn", "solo-learn, simsiam_loss_func", _MINUS_COSINE, _COSINE),
    Row("byol", "lightly", "lightly, NegativeCosineSimilarity", _MINUS_COSINE, _COSINE),
    Row("byol", PAPER, "Grill et al. (2020), one direction: 2 - 2 cos", _DISTANCE, _COSINE),
    Row("byol", "solo-learn", "solo-learn, byol_loss_func: 2 - 2 cos", _DISTANCE, _COSINE),
    Row(
        "spectral",
        PAPER,
        "HaoChen et al. (2021), features of length 1",
        Similar(_SPECTRAL, PAIRS, (_constant(-2, _NO_LESS),)),
        _COSINE,
    ),
)
