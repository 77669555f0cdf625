"""log 0F1(; b; z), the logarithm of the mean of exp(k x_1) over the unit sphere.

In d dimensions b = d/2 and z = k^2/4. The function itself is too large for a float at k = 1000, and
its logarithm is what losses are compared with.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from sympy import Expr, Function, S, exp, hyper, log, oo, sqrt

from .ball import NotEnclosed, as_float, enclosure


class Log0F1(Function):  # type: ignore[misc]
    """log 0F1(; b; z) for b > 0 and z >= 0: a real number that is not negative."""

    nargs = 2
    is_extended_real = True
    is_extended_nonnegative = True

    @classmethod
    def eval(cls, b: Expr, z: Expr) -> Expr | None:
        """Zero at z = 0 and for b = oo, where all terms but the first vanish; oo for z = oo.

        On a line, b = 1/2, it is the logarithm of a hyperbolic cosine.
        """
        if z.is_zero or (b is oo and z is not oo):
            return S.Zero
        if z is oo and b is not oo:
            return oo
        if b == S.Half:
            k = 2 * sqrt(z)
            return log((exp(k) + exp(-k)) / 2)
        return None

    def fdiff(self, argindex: int = 1) -> Expr:
        """The derivative in z; the one in b has no closed form."""
        if argindex != 2:
            return super().fdiff(argindex)
        b, z = self.args
        return hyper([], [b + 1], z) / (b * hyper([], [b], z))

    @staticmethod
    def in_balls(b: Any, z: Any) -> Any:
        """A ball around the value; not finite where Arb loses all bits, and more of them help."""
        return z.hypgeom_0f1(b).log()

    def _sympystr(self, printer: Any) -> str:
        b, z = map(printer._print, self.args)
        return f"log(hyper((), ({b},), {z}))"

    def _latex(self, printer: Any) -> str:
        b, z = map(printer._print, self.args)
        return rf"\log {{}}_0F_1\left(;{b};{z}\right)"

    def _eval_evalf(self, prec: int) -> Expr | None:
        for bits in (2 * prec, 8 * prec, 32 * prec):
            with suppress(NotEnclosed):
                ball = enclosure(self, bits)
                if ball.rel_accuracy_bits() > prec:
                    return as_float(ball, prec)
        return None
