"""Principal components of points, exactly: in the field of an eigenvalue."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flint import fmpq, fmpq_mat, fmpq_poly
from sympy import Expr, S, sqrt
from sympy.core.symbol import Str

from ...decide.ball import enclosure, precision
from ...optimum.value import Digits, Handle
from ...vectors.algebraic import Algebraic, Eigenvalue, as_sympy
from ...vectors.distance import Dissimilarity

#: Kept beyond the bits asked for.
GUARD = 32


class Component:
    """Coordinates along one direction: a column in the field of an eigenvalue, times a root.

    Parameters
    ----------
    column
        One for each point.
    square
        What the square root is taken of, beside ``length``.
    length
        The squared length that the component shall have: an eigenvalue, shifted or not.
    """

    def __init__(self, column: Sequence[Algebraic], square: Algebraic, length: Expr):
        self.column, self.square, self.length = column, square, length

    def coordinates(self) -> list[Expr]:
        """An expression for each point, zero where it is."""
        return [self._coordinate(k) for k in range(len(self.column))]

    def _coordinate(self, k: int) -> Expr:
        at = self.column[k]
        if at.is_zero():
            return S.Zero
        if at.at.degree() <= 0 and self.square.at.degree() <= 0 and self.length.is_Rational:
            return as_sympy(at.at[0]) * sqrt(as_sympy(self.square.at[0]) * self.length)
        return Digits(Handle(self, "principal component"), Str("coordinate"), Str(str(k)))

    def ball(self, kind: str, name: str, bits: int) -> Any:
        """A ball around a coordinate."""
        work = bits + GUARD
        at, square = (a.ball("", "", work) for a in (self.column[int(name)], self.square))
        with precision(work):
            return at * (square * enclosure(self.length, work)).sqrt()


def components(D: Dissimilarity, shift: Expr, count: int) -> list[Component] | None:
    """The first principal components, largest first; eigenvalues have ``shift`` taken off.

    Those of length zero are left out. None where the entries of D are no fractions of one number.
    """
    spectrum, scale = D.spectrum, D.scale
    if spectrum is None or scale is None or D.fractions is None:
        return None
    gram = fmpq_mat(D.size, D.size, [e for row in D.centred_fractions or [] for e in row])
    found: list[Component] = []
    for e in reversed(spectrum):
        length = scale * e.number.expression - shift
        if len(found) >= count or e.number.sign() <= 0 or (shift != 0 and e is spectrum[0]):
            break
        for column, square in _basis(gram, spectrum, e):
            found.append(Component(column, square, length))
    return found[:count]


def _basis(
    gram: fmpq_mat, spectrum: Sequence[Eigenvalue], e: Eigenvalue
) -> list[tuple[list[Algebraic], Algebraic]]:
    """An orthonormal basis of an eigenspace: columns, and the squares of what they are to be times.

    The projection on it is h(B)/h(eigenvalue), where h is the polynomial with all different
    eigenvalues as roots but this one. It is eliminated symmetrically, in the field.
    """
    root, n = e.number.root, gram.nrows()
    modulus = fmpq_poly(root.polynomial)
    x = fmpq_poly([0, 1]) % modulus
    whole = fmpq_poly([0, 1])  # the eigenvalue zero, of the vector of ones
    factors = {tuple(s.number.root.polynomial): s.number.root.polynomial for s in spectrum}
    for p in factors.values():
        whole = whole * fmpq_poly(p) / (fmpq_poly(p).gcd(whole))
    degree = whole.degree()
    # whole(t)/(t - x) = sum over k of t^k h_k(x)
    h = [fmpq_poly([0])] * degree
    h[degree - 1] = fmpq_poly([whole[degree]])
    for k in range(degree - 2, -1, -1):
        h[k] = (h[k + 1] * x + fmpq_poly([whole[k + 1]])) % modulus
    inverse = _inverse(whole.derivative().__call__(x) % modulus, modulus)
    powers = [fmpq_mat(n, n, [fmpq(int(i == j)) for i in range(n) for j in range(n)])]
    for _ in range(degree - 1):
        powers.append(powers[-1] * gram)
    rest = [
        [
            sum((h[k] * powers[k][i, j] for k in range(degree)), fmpq_poly([0])) * inverse % modulus
            for j in range(n)
        ]
        for i in range(n)
    ]
    found = []
    for _ in range(e.multiplicity):
        k = max(
            (i for i in range(n) if rest[i][i] != 0),
            key=lambda i: float(Algebraic(root, rest[i][i]).ball("", "", 53)),
        )
        over = _inverse(rest[k][k], modulus)
        column = [rest[i][k] * over % modulus for i in range(n)]
        found.append(
            ([Algebraic(root, c) for c in column], Algebraic(root, rest[k][k])),
        )
        pivot = rest[k][k]
        for i in range(n):
            for j in range(n):
                rest[i][j] = (rest[i][j] - column[i] * column[j] * pivot) % modulus
    return found


def _inverse(p: fmpq_poly, modulus: fmpq_poly) -> fmpq_poly:
    common, inverse, _ = p.xgcd(modulus)
    return inverse / common % modulus
