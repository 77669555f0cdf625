"""Logarithms of numbers: over their primes, and their digits next to 0, which SymPy takes for 0.

In SymPy 1.13 and 1.14 ``evalf`` gives exactly 0 where the argument of a logarithm rounds to 1 at
the working precision. SymPy compares numbers by two digits, so that ``Max`` and ``Min`` kept the
wrong side.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from mpmath.libmp import fone, fzero, mpf_add, mpf_log
from sympy import Add, Expr, Integer, Rational, S, log
from sympy.core.evalf import evalf_add, evalf_log, evalf_table, fastlog, rnd

#: Logarithms of numbers of so many bits are split; larger ones take long.
BITS = 200
#: Numbers of so many bits are factored, which takes 0.1 s; larger ones are divided by small primes.
FACTORED_BITS, LARGEST_PRIME = 150, 10_000


def primes(number: Rational) -> list[tuple[Integer, Integer]]:
    """The primes of a number >= 0 and their powers; what is left of a large one is whole."""
    from flint import fmpz

    found = [(S.Zero, S.One)] if number == 0 else []
    for part, sign in ((int(number.p), 1), (int(number.q), -1)):
        limit = LARGEST_PRIME if part.bit_length() > FACTORED_BITS else None
        split = fmpz(part).factor(trial_limit=limit)
        found += [(Integer(int(p)), Integer(sign * k)) for p, k in split]
    return found


def with_prime_logs(e: Expr) -> Expr:
    """An expression in which log(12) is 2 log(2) + log(3)."""
    of = {a: a.args[0] for a in e.atoms(log) if _is_split(a.args[0])}
    if not of:
        return e
    split = {a: primes(x) for a, x in of.items()}
    try:
        return e.xreplace({a: Add(*(k * log(p) for p, k in x)) for a, x in split.items()})
    except ValueError:  # a maximum of numbers that SymPy cannot compare is not made a second time
        return e


def spellings(expressions: Sequence[Expr]) -> Iterator[list[Expr]]:
    """Expressions as they are and, where that differs, with logarithms over primes."""
    yield [*expressions]
    split = [with_prime_logs(e) for e in expressions]
    if split != [*expressions]:
        yield split


def _is_split(e: Expr) -> bool:
    return isinstance(e, Rational) and e > 0 and max(e.p, e.q).bit_length() <= BITS


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
