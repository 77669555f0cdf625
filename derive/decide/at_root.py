"""Is an expression zero at the root of another? By algebra, without knowing the root.

Balls around a root never prove that something vanishes there. But where both are polynomials in
the place and in exponentials, what they have in common is found by Euclid: if the function of the
root is that times a factor which is not zero there, then the common part is, and so are both.
"""

from __future__ import annotations

from functools import lru_cache

from sympy import Dummy, Expr

from .ball import NotEnclosed
from .digits import sign
from .normal import ExpField, NotInField
from .polynomial import Poly
from .root import ClampedRoot

#: Of polynomials whose common factor is looked for: terms, and total degree.
MOST_TERMS, LARGEST_DEGREE = 400, 400


@lru_cache(maxsize=256)
def vanishes_at_root(e: Expr) -> bool:
    """Whether a number with one root in it is proved to be zero; False if that was not found."""
    roots = e.atoms(ClampedRoot)
    if len(roots) != 1 or e.free_symbols:
        return False
    (root,) = roots
    h, x = root.equation()
    place = Dummy("x", real=True)
    try:
        if not _is_inside(root):
            return False
        here, zero = e.xreplace({root: place}), h.xreplace({x: place})
        field = ExpField([here, zero])
        one, other = field.ratio(here), field.ratio(zero)
        if any(_is_large(r.numer) for r in (one, other)):
            return False
        common = one.numer.gcd(other.numer)
        if common.is_number:
            return False
        rest = [other.numer.over(common), *one.denom, *other.denom]
        # The rest of h is not zero at the root, so the common part is; nothing is divided by zero.
        return all(sign(field.back(part).xreplace({place: root})) in (1, -1) for part in rest)
    except (NotInField, NotEnclosed):
        return False


def _is_inside(root: ClampedRoot) -> bool:
    """Whether the function is smooth and changes its sign, so that it is zero at the root."""
    h, x = root.equation()
    ends = (sign(h.xreplace({x: end})) for end in (root.low, root.high))
    return root.settled() is root and tuple(ends) == (-1, 1)


def _is_large(poly: Poly) -> bool:
    return len(poly) > MOST_TERMS or sum(max(d, 0) for d in poly.degrees()) > LARGEST_DEGREE
