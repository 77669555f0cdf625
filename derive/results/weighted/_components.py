"""Principal components of points, exactly: in the field of an eigenvalue."""

from __future__ import annotations

from collections.abc import Sequence

from flint import fmpq, fmpq_mat, fmpq_poly
from sympy import Expr, sqrt

from ...vectors.algebraic import Eigenvalue
from ...vectors.coordinates import Rows, in_field, padded
from ...vectors.distance import Dissimilarity


def components(D: Dissimilarity, shift: Expr, count: int) -> Rows:
    """The first principal components, largest first; eigenvalues have ``shift`` taken off.

    Each has a coordinate for every point. Those of length zero are left out.
    """
    spectrum, scale, gram = D.spectrum, D.scale, D.centred_fractions
    found: list[tuple[Expr, ...]] = []
    for e in reversed(spectrum):
        if len(found) >= count or e.number.sign() <= 0 or (shift != 0 and e is spectrum[0]):
            break
        # A projection is the Gram matrix of orthonormal columns, as it is its own square.
        onto = in_field(_projection(gram, spectrum, e), e.number.root, e.multiplicity)
        length = scale * e.number.expression - shift
        found += zip(*padded(onto, e.multiplicity, sqrt(length)), strict=True)
    return tuple(found[:count])


def _projection(
    gram: Sequence[Sequence[fmpq]], spectrum: Sequence[Eigenvalue], e: Eigenvalue
) -> list[list[fmpq_poly]]:
    """The projection on an eigenspace of B, with entries in the field of the eigenvalue x.

    It is h(B)/h(x), where h(t) = w(t)/(t - x) has all other eigenvalues as roots.
    """
    n, modulus = range(len(gram)), fmpq_poly(e.number.root.polynomial)
    w = fmpq_poly([0, 1])  # the eigenvalue zero, of the vector of ones
    for other in spectrum:
        p = fmpq_poly(other.number.root.polynomial)
        w = w * p / w.gcd(p)
    h = [fmpq_poly([w[w.degree()]])]  # its coefficients, from the highest on
    for k in range(w.degree() - 1, 0, -1):
        h.append((h[-1] * fmpq_poly([0, 1]) + fmpq_poly([w[k]])) % modulus)
    common, inverse, _ = (w.derivative() % modulus).xgcd(modulus)  # h(x) is the derivative at x
    powers = [fmpq_mat(len(n), len(n), [fmpq(int(i == j)) for i in n for j in n])]
    flat = fmpq_mat(len(n), len(n), [b for row in gram for b in row])
    for _ in h[1:]:
        powers.append(powers[-1] * flat)
    parts = list(zip(reversed(h), powers, strict=True))
    return [
        [sum((c * b[i, j] for c, b in parts), fmpq_poly([0])) * inverse / common for j in n]
        for i in n
    ]
