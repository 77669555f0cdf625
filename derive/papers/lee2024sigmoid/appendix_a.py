"""Appendix A: NCE, InfoNCE and the sigmoid loss for one anchor."""

from __future__ import annotations

from collections.abc import Callable

from sympy import Expr, S, Symbol, exp, log

from ...decide.domain import Domain, Range
from ...losses.clip import SIGMOID, b, t
from ...losses.pairwise import c
from ...structures.towers import NEGATIVE, POSITIVE
from ..checks import both, decided, equal
from ..verdict import Verdict
from . import LEDGER

NEAR = Symbol("u_v", real=True)
FAR = tuple(Symbol(f"u_w{j}", real=True) for j in range(3))
_LINE = Range(-S.Infinity)
ANCHOR = Domain({NEAR: _LINE, **dict.fromkeys(FAR, _LINE)}, dict.fromkeys((NEAR, *FAR), S.Zero))

#: A loss is written as the product whose -log it is.
Lines = Callable[[], tuple[Expr, Expr]]


def nce() -> tuple[Expr, Expr]:
    """Both lines of L^NCE, for the first negative."""
    far = FAR[0]
    return exp(NEAR) / (exp(NEAR) + exp(far)), 1 / (1 + exp(-NEAR + far))


def info_nce() -> tuple[Expr, Expr]:
    """Both lines of L^InfoNCE."""
    first = exp(NEAR) / (exp(NEAR) + sum(exp(far) for far in FAR))
    return first, 1 / (1 + sum(exp(-NEAR + far) for far in FAR))


def sigmoid() -> tuple[Expr, tuple[Expr, ...]]:
    """What the logarithms of L^sig are taken of: the positive, and each negative."""
    return 1 / (1 + exp(-NEAR)), tuple(1 / (1 + exp(far)) for far in FAR)


@LEDGER.claim(
    "Appendix A: NCE",
    r"L^{NCE} = -\log\frac{\exp(u^\top v_+)}{\exp(u^\top v_+) + \exp(u^\top v_-)} = "
    r"-\log\frac{1}{1 + \exp(-u^\top v_+ + u^\top v_-)}",
)
def appendix_a_nce(lines: Lines = nce) -> Verdict:
    first, second = lines()
    return equal(first, second, ANCHOR)


@LEDGER.claim(
    "Appendix A: InfoNCE",
    r"L^{InfoNCE} = -\log\frac{\exp(u^\top v_+)}{\exp(u^\top v_+) + \sum_j \exp(u^\top "
    r"v_-^{(j)})} = -\log\frac{1}{1 + \sum_j \exp(-u^\top v_+ + u^\top v_-^{(j)})}",
)
def appendix_a_info_nce(lines: Lines = info_nce) -> Verdict:
    first, second = lines()
    return equal(first, second, ANCHOR)


@LEDGER.claim(
    "Appendix A: sigmoid",
    r"L^{sig} = -\log\frac{1}{1 + \exp(-u^\top v_+)} - \sum_j \log\frac{1}{1 + \exp(u^\top "
    r"v_-^{(j)})}",
)
def appendix_a_sigmoid(
    factors: Callable[[], tuple[Expr, tuple[Expr, ...]]] = sigmoid,
) -> Verdict:
    plain = {t: S.One, b: S.Zero}
    declared = {a.relation: exp(-a.function.xreplace(plain)) for a in SIGMOID.terms}
    near, far = factors()
    return both(
        equal(near, declared[POSITIVE].xreplace({c: NEAR}), ANCHOR),
        *(
            equal(f, declared[NEGATIVE].xreplace({c: s}), ANCHOR)
            for f, s in zip(far, FAR, strict=True)
        ),
    ).with_note("the summand of (2) for t = 1 and b = 0")


@LEDGER.claim(
    "Appendix A: one negative",
    r"L^{NCE} has only one negative pair; L^{InfoNCE} is its extension to several",
)
def one_negative(lines: Lines = info_nce) -> Verdict:
    extra = dict.fromkeys((exp(far) for far in FAR[1:]), S.Zero)
    first, _ = lines()
    return equal(first.xreplace(extra), nce()[0], ANCHOR)


@LEDGER.claim(
    "Appendix A: separation",
    "L^sig separates the positive and the negative pairs through summation, whereas the losses "
    "derived from the softmax cannot",
)
def separation(sigmoid_mixes: bool = False) -> Verdict:
    # A sum of functions of single inner products has no mixed derivatives.
    near, far = sigmoid()
    separate = log(near) + sum((log(f) for f in far), S.Zero)
    first, _ = info_nce()
    return both(
        decided(
            all((separate.diff(NEAR, f) == 0) != sigmoid_mixes for f in FAR),
            "mixed derivatives of L^sig vanish",
            witness={"derived": str([separate.diff(NEAR, f) for f in FAR])},
        ),
        decided(
            bool(log(first).diff(NEAR, FAR[0]).subs(dict.fromkeys((NEAR, *FAR), 0)) != 0),
            "a mixed derivative of L^InfoNCE at 0",
            witness={"derived": "0"},
        ),
    )
