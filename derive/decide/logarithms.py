"""Digits of logarithms next to 0, which SymPy 1.13 and 1.14 take for 0.

Where the argument of a logarithm rounds to 1 at the working precision, ``evalf`` gives exactly 0.
SymPy compares numbers by two digits, so that ``Max`` and ``Min`` kept the wrong side.
"""

from __future__ import annotations

from typing import Any

from mpmath.libmp import fone, fzero, mpf_add, mpf_log
from sympy import Add, S, log
from sympy.core.evalf import evalf_add, evalf_log, evalf_table, fastlog, rnd


def _log(expression: log, prec: int, options: dict[str, Any]) -> Any:
    found = evalf_log(expression, prec, options)
    if found is S.ComplexInfinity or found[0] != fzero or found[1] is not None:
        return found
    beyond = evalf_add(Add(S.NegativeOne, expression.args[0], evaluate=False), prec, options)[0]
    if not beyond or beyond == fzero:
        return found
    near = mpf_add(beyond, fone, prec + 10 - fastlog(beyond))
    return mpf_log(near, prec, rnd), None, prec, None


evalf_table[log] = _log
