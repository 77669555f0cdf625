"""Which quantities of results say what is safe for a loss; nothing is computed here.

A quantity is asked for by the names that a setting has: ``seen`` are the images that an anchor
sees, ``vectors`` their views, ``drawn`` and ``each`` the classes of a balanced batch and their
images.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from string import Formatter
from typing import Literal

from ..frozen import FrozenValue
from ..proof.lemmas import CLASSES_OF_PAIRS
from ..proof.statement import Lemma

OF = Mapping[str, str]
#: m classes of n instances in p views: how results on classes call it.
DATA = {"m": "classes", "n": "per_class", "p": "views", "tau": "tau"}
#: B of them at random, or k of each of C classes.
RANDOM, BALANCED = {**DATA, "B": "seen"}, {**DATA, "C": "drawn", "k": "each"}
ITEMS = {"N": "seen", "tau": "tau"}


class Said(FrozenValue):
    """A quantity of a result.

    Attributes
    ----------
    result, quantity
        Their names; ``{alone}`` in the second is the convention for an anchor alone in its class.
    takes
        What the parameters of the result are called in a setting.
    when
        Words of the setting under which it is asked.
    convention
        In whose terms; empty for those of the result's source.
    """

    result: str
    quantity: str
    takes: OF
    when: OF = field(default_factory=dict)
    convention: str = ""


class End(FrozenValue):
    """An end of the safe values of a parameter: they lie above or below it.

    What happens ``outside`` also needs values that are not below ``unless``. Below both ends, what
    ``beneath`` says happens, and ``between`` where ``unless`` is the larger one. An end is told
    only in the dimensions that the quantities ``in_room_of`` need; by default its own.
    """

    parameter: str
    side: Literal["above", "below"]
    said: Said
    outside: str
    unless: Said | None = None
    beneath: str = ""
    between: str = ""
    in_room_of: tuple[Said, ...] | None = None


class Fact(FrozenValue):
    """A number that does not bound a parameter; ``says`` has a place for it.

    Where the dimension is enough for it, ``fits`` is told before; elsewhere nothing is if it is an
    ``optimum``, and bounds hold.

    ``scaled`` is whether it is a value of the loss, which a convention multiplies by a factor.
    Of a condition that does not hold, ``otherwise`` is told. The logarithm of the number called
    ``less`` is subtracted, for the reason in ``lemma``.
    """

    name: str
    said: Said
    says: str
    scaled: bool = False
    otherwise: str = ""
    fits: str = ""
    optimum: bool = False
    less: str = ""
    lemma: Lemma | None = None


class Room(FrozenValue):
    """What needs a dimension, in words, and the quantities that know which.

    ``below`` is what is known of fewer dimensions; without, whether they are proved too few.
    """

    what: str
    asked: tuple[Said, ...]
    below: str = ""


class Advice(FrozenValue):
    """What is known of a loss.

    Attributes
    ----------
    defaults
        Its options, with the values that are taken unless given.
    ends, facts
        Asked in this order.
    rooms
        What needs a dimension, the structure first.
    steered
        The parameter whose ends depend on ``tau``: the range of ``tau`` is where it stays inside.
    labelled
        Whether it needs classes.
    unequal
        What is known where classes are of unequal sizes.
    hints
        What may be done, with the results that say so.
    """

    defaults: Mapping[str, str | None]
    ends: tuple[End, ...] = ()
    facts: tuple[Fact, ...] = ()
    rooms: tuple[Room, ...] = ()
    steered: str = ""
    labelled: bool = False
    unequal: Advice | None = None
    hints: tuple[str, ...] = ()

    @property
    def asks(self) -> set[str]:
        """What something here depends on, as a setting calls it."""
        said = [k for end in self.ends for k in (end.said, end.unless) if k]
        said += [fact.said for fact in self.facts]
        said += [k for room in self.rooms for k in room.asked]
        found = {name for k in said for name in (*k.takes.values(), *k.when)}
        found |= {name for k in said for _, name, _, _ in Formatter().parse(k.quantity) if name}
        return found | ({"views"} if "vectors" in found else set())


#: Values that a parameter has by definition, what is at its upper end, and what one does with it.
LIMITS: Mapping[str, tuple[float, float, str, str]] = {
    "alpha": (0, 1, "at 1 labels play no role", "Choose alpha"),
    "noise": (0, 1, "", "Noise does no harm"),
    "tau": (0, float("inf"), "", "Choose tau"),
    "t": (0, float("inf"), "", "Choose t"),
    "b": (float("-inf"), float("inf"), "", "Choose b"),
}

# --- SupCL ---------------------------------------------------------------------------------------
_COLLAPSE = "all instances of a class collapse to one point"
#: Proved below both ends: among embeddings whose views coincide, collapse would be the best.
_SPLIT = "the views of an instance separate"
_MAY_SPLIT = "the views of an instance may separate"


def _sampled(anchor: str, sampling: str, id: str, takes: OF, alone: str = "") -> tuple[Said, Said]:
    """Between the second and the first value of alpha classes collapse."""
    when = {"anchor": anchor, "sampling": sampling}
    high, low = (Said(id, f"alpha_{end}{alone}", takes, when) for end in ("high", "low"))
    return high, low


_WHOLE = {"m": "classes", "n": "per_class", "tau": "tau"}
_VECTORS = {"N": "vectors", "d": "dim", "tau": "tau"}
_INCLUDED = {"anchor": "included"}
_ALL_IN = {**_INCLUDED, "sampling": "all"}
_INTERVALS = (
    (Said("supcl-threshold", "alpha_min", _WHOLE, _ALL_IN), None),
    _sampled("excluded", "all", "supcl-exclusive", DATA),
    _sampled("included", "uniform", "supcl-batches", RANDOM, "_{alone}"),
    _sampled("excluded", "uniform", "supcl-batches-exclusive", RANDOM, "_{alone}"),
    (*_sampled("included", "balanced", "supcl-batches-balanced", BALANCED)[:1], None),
    _sampled("excluded", "balanced", "supcl-batches-balanced-exclusive", BALANCED),
)
_TAU_MAX = Said(
    "supcl-threshold", "tau_max", {"m": "classes", "n": "per_class", "alpha": "alpha"}, _ALL_IN
)
#: In m - 1 dimensions, where nothing can leave the span of the simplex.
_IN_SPAN = {"room": "span"}
_SPAN = {**_ALL_IN, **_IN_SPAN}
_LOCAL = "class collapse is a local minimum in m - 1 dimensions, where it lasts longer"
_NONE = "does not exist, so the optimum is another one"
_BOUND = "no embeddings in d dimensions have a loss below {value}, by lemmas proved in words"
_SUPCL = Advice(
    {"classes": None, "per_class": None, "alpha": None, "tau": "1/10", "dim": "128"},
    (
        *(
            End("alpha", "above", high, _COLLAPSE, low, _SPLIT, _MAY_SPLIT)
            for high, low in _INTERVALS
        ),
        End("alpha", "above", Said("supcl-second-order", "alpha_local", _WHOLE, _SPAN), _LOCAL),
        End("tau", "below", _TAU_MAX, _COLLAPSE),
    ),
    (
        Fact(
            "within_class_variance",
            Said("supcl-optimum", "within_class_variance", {**DATA, "alpha": "alpha"}, _ALL_IN),
            "the optimum at this alpha has within-class variance {value}, out of a total of 1",
            optimum=True,
        ),
        Fact(
            "least",
            Said("uniform-bound", "loss_at_least", _VECTORS, {**_INCLUDED, "alone": "attraction"}),
            _BOUND,
            scaled=True,
        ),
    ),
    (
        Room("the simplex of classes", (Said("supcon", "loss", DATA),), _NONE),
        Room("the threshold of alpha", tuple(high for high, _ in _INTERVALS)),
    ),
    steered="alpha",
    labelled=True,
)

# --- losses that have one optimum ----------------------------------------------------------------
_NOISE = "with all data in a batch, wrong labels move the optimum away from the simplex"
_NOT_SURE = "with all data in a batch, wrong labels may move the optimum away from the simplex"
_SURELY = "in m - 1 dimensions, wrong labels move the optimum if more than {value} of all are wrong"
_MISMATCH = "mismatched pairs move the optimum away from the simplex"
_LEAST = "no embeddings have a loss below {value}"
_DRAWN = {"m": "drawn", "n": "each", "p": "views", "tau": "tau"}
_SUPCON_LOSS = (
    Said("supcon", "loss", DATA, {"sampling": "all"}),
    Said("supcon-batches", "loss", RANDOM, {"sampling": "uniform"}),
    Said("supcon", "loss", _DRAWN, {"sampling": "balanced"}),
)
_TAIL = {"K": "heads", "L": "largest", "m": "tail", "tau": "tau"}
_UNEQUAL = Advice(
    {"tau": "1/10", "dim": "128"},
    (
        End(
            "tau",
            "below",
            Said("minority-collapse", "tau_merge", {"l1": "largest", "r": "rest"}),
            "all classes but the largest are one point",
            in_room_of=(),
        ),
    ),
    (
        Fact(
            "tail",
            Said("tail-collapse", "merged", _TAIL),
            "all smaller classes together collapse to one point, apart from the largest ones",
            otherwise="the smaller classes do not collapse to one point",
        ),
    ),
    hints=(
        "only classes of one size have a regular simplex (simplex-needs-balance): in batches "
        "with equally many of each class it is the optimum at every tau (supcon-balanced)",
        "as tau -> 0 the optimum converges to the simplex (imbalance-cold); Soft SupCon has one "
        "cosine for all pairs up to its tau_critical, whatever the sizes (soft-supcon)",
    ),
)
_SUPCON = Advice(
    {"classes": None, "per_class": None, "noise": None, "tau": "1/10", "dim": "128"},
    (
        End("noise", "below", Said("supcon-noise", "rho_max", DATA), _NOISE),
        End(
            "noise",
            "below",
            Said("supcon-noise", "rho_max", DATA, _IN_SPAN),
            _NOT_SURE,
            in_room_of=_SUPCON_LOSS,
        ),
    ),
    (
        *(
            Fact("least", said, _LEAST, scaled=True, fits="classes collapse at every tau; ")
            for said in _SUPCON_LOSS
        ),
        Fact("noise", Said("supcon-noise-second-order", "rho_local", DATA, _IN_SPAN), _SURELY),
    ),
    (Room("the simplex of classes", _SUPCON_LOSS, _NONE),),
    labelled=True,
    unequal=_UNEQUAL,
)
_PLAIN = {"n": "seen", "p": "views", "tau": "tau"}
_SIMCLR = Advice(
    {"classes": None, "per_class": None, "tau": "1/2", "dim": "128"},
    facts=(
        Fact(
            "least",
            Said("uniform-bound", "loss_at_least_best_anchor_out", {**_PLAIN, "d": "dim"}),
            _BOUND,
            scaled=True,
        ),
        Fact(
            "duplicates",
            Said("supcon-batches", "loss", RANDOM, {"sampling": "uniform"}),
            "an encoder that cannot tell images of a class apart has no loss below {value}",
            scaled=True,
        ),
    ),
    rooms=(Room("the simplex of images", (Said("simclr", "loss", _PLAIN),), _NONE),),
)
_SIMPLEX = Room(
    "the simplex of pairs", (Said("infonce-optimum", "negative", {"N": "seen"}),), _NONE
)
_PAIRS = Advice(
    {"classes": None, "per_class": None, "noise": None, "tau": "7/100", "dim": "512"},
    (End("noise", "below", Said("infonce-noise", "rho_max", ITEMS), _MISMATCH),),
    (
        Fact(
            "least",
            Said("uniform-bound", "loss_at_least_best", {**ITEMS, "d": "dim"}),
            f"{_BOUND} (mean of both directions)",
        ),
        Fact(
            "duplicates",
            Said("supcon-batches", "loss", {**RANDOM, "p": "many"}, {"sampling": "uniform"}),
            "towers that cannot tell pairs of a class apart have no loss below {value}, that of "
            f"the simplex of classes (lemma '{CLASSES_OF_PAIRS.name}', proved in words)",
            scaled=True,
            less="many",
            lemma=CLASSES_OF_PAIRS,
        ),
    ),
    (_SIMPLEX,),
)


def _sigmoid(parameter: str, side: Literal["above", "below"], name: str, outside: str) -> End:
    fixed = {"t": "b", "b": "t"}[parameter]
    said = Said("sigmoid-threshold", name, {"N": "seen", fixed: fixed}, convention="siglip")
    return End(parameter, side, said, outside)


_APART = "the two of a pair do not coincide at the optimum"
_OPPOSITE = "each tower collapses to one point, opposite to the other"
_SIGMOID = Advice(
    {"t": "10", "b": "-10", "dim": "512"},
    (
        _sigmoid("t", "below", "t_simplex_max", _APART),
        _sigmoid("t", "above", "t_antipodal_max", _OPPOSITE),
        _sigmoid("b", "below", "b_simplex", _APART),
    ),
    (
        Fact(
            "least",
            Said("sigmoid-optimum", "loss", {"N": "seen", "t": "t", "b": "b"}, convention="siglip"),
            f"{_LEAST} (at this t and b)",
        ),
    ),
    (
        _SIMPLEX,
        Room(
            "the range of t and b",
            (_sigmoid("t", "below", "t_simplex_max", "").said,),
        ),
    ),
)

#: By the names that `explain` has.
LOSSES = {"supcl": _SUPCL, "supcon": _SUPCON, "simclr": _SIMCLR, "clip": _PAIRS, "siglip": _SIGMOID}
