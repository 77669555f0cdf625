"""How libraries write the losses: their declarations, and which are ours in other letters.

A library's loss is declared as ours are, in the library's own terms. It expresses one of
our losses if some change of parameters, and a constant factor, turns ours into it; that is
compared, not asserted. The others are different losses, and a result about ours says
nothing about them. The numeric tests hold the declarations against the packages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from sympy import Expr, Rational, S, Symbol

from ..frozen import FrozenValue
from ..structures.towers import NEGATIVE, POSITIVE
from .clip import SIGLIP, b, t, w
from .pairwise import PairwiseLoss
from .simclr import SIMCLR
from .softmax import SoftmaxLoss, SoftmaxTerm, tau
from .supcl import OTHERS, SUPCON
from .written import Loss


class Reading(FrozenValue):
    """A loss of a library.

    Attributes
    ----------
    called
        What the library calls it.
    loss
        Its declaration, in the library's terms.
    ours
        A parameter of ours through the library's parameter of that name: ``{b: -b}``. Each
        undoes itself, so it also gives theirs through ours.
    factor
        Their loss is this times ours.
    letters
        What the library calls its parameters.

    Raises
    ------
    ValueError
        On construction, if a change of parameters does not undo itself.
    """

    called: str
    loss: Loss
    ours: Mapping[Symbol, Expr]
    factor: Expr
    letters: Mapping[Symbol, str]

    def __post_init__(self) -> None:
        for s, e in self.ours.items():
            if e.xreplace({s: e}) != s:
                raise ValueError(f"{s} = {e} is not its own inverse")

    def of_loss(self, loss: Loss) -> Loss:
        """A loss of ours with the library's parameters and factor put in."""
        if isinstance(loss, SoftmaxLoss):
            return replace(
                loss,
                terms=tuple(
                    replace(term, coefficient=self.factor * term.coefficient.xreplace(self.ours))
                    for term in loss.terms
                ),
                temperature=loss.temperature.xreplace(self.ours),
            )
        return replace(
            loss,
            terms=tuple(
                replace(
                    term,
                    function=term.function.xreplace(self.ours),
                    weight=self.factor * term.weight.xreplace(self.ours),
                )
                for term in loss.terms
            ),
        )

    def expresses(self, loss: Loss) -> bool:
        """Whether a loss of ours is this one in other letters, or extends it."""
        theirs = self.of_loss(loss)
        return _same(theirs, self.loss) or self.is_extended_by(theirs)

    def is_extended_by(self, theirs: Loss) -> bool:
        """Whether a loss in the library's terms is this one with more towers or a weight ``w``."""
        return not _same(theirs, self.loss) and _extends(theirs, self.loss)

    def relations(self) -> set[str]:
        """Names of the relations that it is about."""
        if isinstance(self.loss, SoftmaxLoss):
            return {r for term in self.loss.terms for r in (*term.positives, *term.denominator)}
        return {term.relation for term in self.loss.terms}

    def falls(self, s: Symbol) -> bool:
        """Whether a parameter of ours falls when theirs grows."""
        return bool(self.ours.get(s, s).diff(s).is_negative)


def _same(one: Loss, other: Loss) -> bool:
    return _said(one) == _said(other)


def _said(loss: Loss) -> tuple[object, ...]:
    """What a loss says, whatever its name and the order of its terms."""
    if isinstance(loss, PairwiseLoss):
        return (Counter((term.relation, term.function, term.weight) for term in loss.terms),)
    terms = Counter(
        (
            term.coefficient,
            frozenset((r, term.weight(r)) for r in term.positives),
            frozenset((r, term.in_denominator(r)) for r in term.denominator),
            term.own_positive,
        )
        for term in loss.terms
    )
    return loss.temperature, loss.similarity, terms


def _pairs(loss: PairwiseLoss) -> set[tuple[str, Expr, Expr]]:
    return {(term.relation, term.function, term.weight) for term in loss.terms}


def _extends(one: Loss, other: Loss) -> bool:
    """Whether at weight 1 it is the other one, perhaps repeated on relations of more towers."""
    if not isinstance(one, PairwiseLoss) or not isinstance(other, PairwiseLoss):
        return False
    mine = {(r, f, v.xreplace({w: S.One})) for r, f, v in _pairs(one)}
    theirs = _pairs(other)
    return theirs <= mine and {k[1:] for k in mine} == {k[1:] for k in theirs}


class Convention(FrozenValue):
    """The losses of a library under its own conventions."""

    name: str
    source: str
    readings: tuple[Reading, ...]

    def reading(self, loss: Loss | None) -> Reading | None:
        """The loss of the library that is this one in other letters, if there is one."""
        if loss is None:
            return None
        return next((r for r in self.readings if r.expresses(loss)), None)


# --- their losses ------------------------------------------------------------------------------
#: The mean of the cross-entropies of rows and columns; a mean over all anchors is that.
_CLIP = SoftmaxLoss(
    "clip",
    "CLIP loss",
    (SoftmaxTerm(S.One, positives=(POSITIVE,), denominator=(POSITIVE, NEGATIVE)),),
    1 / t,
    "Radford et al. (2021), Figure 3",
)
#: Every library's SupConLoss but this one has no base temperature.
_BASE = tau / Rational(7, 100)
_SUPCON = replace(
    SUPCON,
    terms=tuple(replace(term, coefficient=_BASE * term.coefficient) for term in SUPCON.terms),
    source="HobbitLong/SupContrast, losses.py",
)

#: SimCLR where there are classes, which it does not know.
_NT_XENT = replace(SIMCLR, terms=tuple(replace(term, denominator=OTHERS) for term in SIMCLR.terms))

_SIGMOID_READING = Reading(
    "SigLipLoss", SIGLIP, {b: -b}, S.One, {t: "logit_scale", b: "logit_bias"}
)
_CLIP_READING = Reading("ClipLoss", _CLIP, {t: 1 / t}, S.Half, {t: "logit_scale"})

#: By name; the command line reads the names from this text, without importing SymPy.
CONVENTIONS: dict[str, Convention] = {
    "siglip": Convention("siglip", "SigLIP in big_vision and transformers", (_SIGMOID_READING,)),
    "clip": Convention("clip", "CLIP in openai/CLIP and transformers", (_CLIP_READING,)),
    "open-clip": Convention("open-clip", "open_clip_torch", (_SIGMOID_READING, _CLIP_READING)),
    "supcontrast": Convention(
        "supcontrast",
        "HobbitLong/SupContrast",
        (Reading("SupConLoss", _SUPCON, {}, _BASE, {tau: "temperature"}),),
    ),
    "simclr": Convention(
        "simclr",
        "SimCLR (NT-Xent)",
        tuple(
            Reading("NT-Xent", loss, {}, S.One, {tau: "temperature"}) for loss in (_NT_XENT, SIMCLR)
        ),
    ),
}
