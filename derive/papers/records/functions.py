"""Functions that stand for any of a kind: ``l_p convex decreasing`` is tried with all of these.

Among them are the corners of the kind: strictly convex or not, smooth or bent, linear, and one
that is not continuous, as a convex function on a closed interval may be at its end.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath

from ...frozen import Frozen
from ...language.digits import DIGITS
from ...language.matrices import mpf


class Function(Frozen):
    """A function on [-1, 1], exact where it can be.

    Attributes
    ----------
    text
        As a witness shows it, and as it is found again.
    strict, continuous
        Whether it is strictly convex, and continuous.
    """

    text: str
    at: Callable[[Any], Any]
    strict: bool = False
    continuous: bool = True

    def __str__(self) -> str:
        return self.text


def _soft(y: Any) -> Any:
    with mpmath.workdps(DIGITS):
        return mpmath.log(1 + mpmath.exp(mpf(y)))


HALF = Fraction(1, 2)
KINDS: dict[str, tuple[Function, ...]] = {
    "convex decreasing": (
        Function("(1 - y)^2", lambda y: (1 - y) ** 2, strict=True),
        Function("-y", lambda y: -y),
        Function("max(0, 1/2 - y)", lambda y: max(0 * y, HALF - y if _exact(y) else 0.5 - y)),
        Function("log(1 + exp(-y))", lambda y: _soft(-y), strict=True),
        Function(
            "(1 - y)^2 with 5 at y = -1",
            lambda y: 5 + 0 * y if y == -1 else (1 - y) ** 2,
            strict=True,
            continuous=False,
        ),
    ),
    "convex increasing": (
        Function("(1 + y)^2", lambda y: (1 + y) ** 2, strict=True),
        Function("2 y", lambda y: 2 * y),
        Function("(9 + y)^2", lambda y: (9 + y) ** 2, strict=True),
        Function("max(0, 1/2 + y)", lambda y: max(0 * y, HALF + y if _exact(y) else 0.5 + y)),
        Function("log(1 + exp(y))", _soft, strict=True),
    ),
}


def _exact(y: Any) -> bool:
    return isinstance(y, (int, Fraction))


#: What a condition may say of a function: name -> whether it is so.
SHAPES: dict[str, Callable[[Function], bool]] = {
    "strict": lambda f: f.strict,
    "continuous": lambda f: f.continuous,
}


def function_named(kind: str, text: str) -> Function:
    """The function of a kind that a witness shows.

    Raises
    ------
    ValueError
        If there is none.
    """
    for one in KINDS[kind]:
        if one.text == text:
            return one
    raise ValueError(f"{text!r} is not one of the {kind} functions that are tried")
