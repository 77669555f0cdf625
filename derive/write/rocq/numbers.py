"""Numbers as they are handed out, as theorems that the tactic ``interval`` proves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from math import ceil
from typing import Any

from sympy import Expr, Rational, Symbol, log, oo

from ...decide.ball import NotEnclosed, TooWide, enclosure
from ...decide.calculus import derivative
from ...decide.domain import Domain, between
from ...decide.root import ClampedRoot
from ...proof.relations import gt
from ...theorem.kinds import numbers_in
from ...theorem.number import decimal
from ...theorem.result import Result
from .monotone import monotone
from .statements import Theorem
from .terms import NotWritten, term

#: Bits beyond those of the digits.
GUARD = 40
#: How often an interval is halved on which a derivative is to be positive.
DEPTH = 8


def number(
    called: str, result: Result, quantity: str, point: Mapping[Symbol, Expr], digits: int
) -> Theorem:
    """A quantity at a point: the expression is within one unit of the last digit of its decimals.

    Of a root, its function changes sign between the two ends of that interval.

    Raises
    ------
    NotWritten
        If it is not one finite number, or its expression has no term in Rocq.
    DomainError
        If it has no value there; one line.
    """
    expression = result.at(quantity, point)
    if len(numbers_in(expression)) != 1 or not isinstance(expression, Expr):
        raise NotWritten("it is not a single number")
    if expression.free_symbols:
        raise NotWritten("it depends on parameters without a value")
    text = decimal(result.number(quantity, expression, point, digits))
    assert isinstance(text, str)
    if text.endswith("oo"):
        raise NotWritten("it is infinite")
    value, unit = Rational(text), last_unit(text, digits)
    bits = ceil(3.33 * digits) + GUARD

    def near(e: Expr) -> str:
        return f"Rabs ({term(e)} - {term(value, None, 2)}) <= {term(unit)}"

    settled = expression.settled() if isinstance(expression, ClampedRoot) else expression
    found = settled.xreplace({r: r.settled() for r in settled.atoms(ClampedRoot)})
    proof = [f"interval with (i_prec {bits})."]
    if isinstance(settled, ClampedRoot):
        h, x = settled.equation()
        low, high = (term(h.xreplace({x: value + side * unit})) for side in (-1, 1))
        only, lines = _only(settled)
        statement = f"({low}) < 0 /\\ 0 < ({high}){only}"
        proof = [f"repeat split; try solve [interval with (i_prec {bits})].", *lines]
    elif roots := found.atoms(ClampedRoot):
        statement, proof = _at_roots(found, roots, near, bits)
    else:
        statement = near(found)
    return Theorem(called, f"{quantity} = {text}", statement, tuple(proof))


def _at_roots(
    expression: Expr, roots: set[ClampedRoot], near: Callable[[Expr], str], bits: int
) -> tuple[str, list[str]]:
    """That a number that depends on a root is right wherever between two signs the root may be."""
    if len(roots) > 1:
        raise NotWritten("it depends on several roots")
    (root,) = roots
    h, x = root.equation()
    low, high = ends(root.enclosure(bits + GUARD), bits)
    signs = " < 0 /\\ 0 < ".join(f"({term(h.xreplace({x: end}))})" for end in (low, high))
    right = near(expression.xreplace({root: Symbol("root")}))
    only, lines = _only(root)
    return (
        f"(forall root : R, {term(low)} <= root <= {term(high)} -> {right}) /\\\n    {signs}{only}",
        [
            f"split; [intros root between; interval with (i_prec {bits}) |].",
            f"repeat split; try solve [interval with (i_prec {2 * bits})].",
            *lines,
        ],
    )


def _only(root: ClampedRoot) -> tuple[str, list[str]]:
    """That the function increases all along, so that it has one root, and lines, if it does."""
    h, x = root.equation()
    rate = derivative(h, x)
    if any(e.has(x) for e in h.atoms(log)):  # logarithms are named before x is
        return "", []
    try:
        if not _is_positive(rate, x, root.low, root.high):
            return "", []
        domain = Domain.of_ranges({x: between(root.low, root.high)})
        by = [f"interval with (i_bisect {x}, i_depth {2 * DEPTH}, i_prec {GUARD})."]
        statement, lines = monotone(h, x, gt(rate, 0), domain, by)
    except (NotEnclosed, NotWritten):
        return "", []
    return f" /\\\n    {statement}", lines


def _is_positive(rate: Expr, x: Symbol, low: Expr, high: Expr, depth: int = DEPTH) -> bool:
    """Whether balls around a few pieces of an interval show it."""
    if high is oo:
        return False
    piece = enclosure(low, GUARD).union(enclosure(high, GUARD))
    try:
        if enclosure(rate, GUARD, {x: piece}) > 0:
            return True
    except TooWide:
        pass
    middle = (low + high) / 2
    return depth > 0 and all(
        _is_positive(rate, x, a, b, depth - 1) for a, b in ((low, middle), (middle, high))
    )


def ends(ball: Any, bits: int) -> tuple[Rational, Rational]:
    """Two rational numbers around a ball, a little apart."""
    man, power = (int(v) for v in ball.mid().man_exp())
    middle, width = Rational(man) * Rational(2) ** power, Rational(1, 2**bits)
    return middle - width, middle + width


def last_unit(text: str, digits: int) -> Rational:
    """One unit of the last digit of a decimal; zeros at the end may be left out."""
    value = Decimal(text)
    first = value.adjusted() if value else -1
    return Rational(10) ** (first - digits + 1)
