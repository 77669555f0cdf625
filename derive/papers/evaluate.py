"""The value of a declared loss on given embeddings, in 50-digit arithmetic.

Sums over all pairs, straight from the declaration: what a printed nested sum, a
reduced loss or a minimiser is compared with.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
from sympy import Expr, sympify

from ..language.digits import DIGITS
from ..language.matrices import mpf
from ..losses.softmax import SoftmaxLoss
from ..vectors.embeddings import Embeddings, Index


def relation(a: Index, b: Index) -> str:
    """Name of the relation of an ordered pair, as loss declarations use it."""
    if a == b:
        return "self"
    if a[:2] == b[:2]:
        return "same_instance"
    return "same_class" if a[0] == b[0] else "cross_class"


def value(
    loss: SoftmaxLoss,
    u: Embeddings,
    relation: Callable[[Index, Index], str] = relation,
    **parameters: Fraction | int,
) -> Any:
    """Evaluate a loss; ``parameters`` gives its symbols by name (``alpha=Fraction(1, 2)``).

    ``relation`` names the relation of an ordered pair. Terms of weight zero are left out,
    so that they need no positives.

    Raises
    ------
    ZeroDivisionError
        If an anchor has no positives: the mean over them does not exist.
    """
    with mpmath.workdps(DIGITS):
        tau = _number(loss.temperature, parameters)
        similarity = {(a, b): mpf(u.ip(a, b)) / tau for a in u.everything for b in u.everything}
        weight = {pair: mpmath.exp(s) for pair, s in similarity.items()}
        total = mpmath.mpf(0)
        for term in loss.terms:
            coefficient = _number(term.coefficient, parameters)
            if coefficient == 0:
                continue
            for a in u.everything:
                positives = {
                    b: _number(term.weight(relation(a, b)), parameters)
                    for b in u.everything
                    if relation(a, b) in term.positives
                }
                pool = mpmath.fsum(
                    weight[a, b] for b in u.everything if relation(a, b) in term.denominator
                )
                losses = (
                    share * (mpmath.log(pool + term.own_positive * weight[a, b]) - similarity[a, b])
                    for b, share in positives.items()
                )
                total += coefficient * mpmath.fsum(losses) / mpmath.fsum(positives.values())
        return total / len(u.everything)


def _number(expression: Expr, parameters: dict[str, Fraction | int]) -> Any:
    point = {s: sympify(parameters[s.name]) for s in expression.free_symbols}
    return mpmath.mpmathify(expression.subs(point).evalf(DIGITS))
