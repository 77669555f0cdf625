"""Losses that are sums over pairs of points on a sphere: least values and sharp configurations.

Uniformity (Wang and Isola 2020) has the kernel exp(-t |x - y|^2), the spectral contrastive loss
(HaoChen et al. 2021) the square of the inner product. A loss with a logarithm for each anchor is
none of them.
"""

from __future__ import annotations

from sympy import (
    And,
    Eq,
    Expr,
    Lambda,
    Le,
    Max,
    Piecewise,
    Rational,
    S,
    Symbol,
    Tuple,
    cos,
    diff,
    exp,
    log,
    pi,
)

from ...decide.calculus import derivative
from ...decide.domain import POSITIVE, Domain, at_least, between
from ...decide.gegenbauer import times_u
from ...losses.setting import Setting
from ...optimum.delsarte import DELSARTE, HERMITE, POLYGON, PairBound, u
from ...optimum.dimension import d
from ...proof.derivation import Derivation
from ...proof.relations import eq, ge, gt, lt
from ...proof.statement import Relations
from ...structures.sharp import CORNERS, CUBE, Configuration, known
from ...structures.towers import N
from ...theorem.quantity import Quantity
from ...theorem.result import Result

t = Symbol("t", positive=True)
MEANINGS = {
    N: "number of points",
    d: "dimension of the sphere's space",
    t: "factor of the squared distance, which multiplies",
}
DOMAIN = Domain({N: at_least(2), d: at_least(2), t: POSITIVE}, {N: 12, d: 3, t: 2})
UNIFORMITY = exp(2 * t * (u - 1))
SETTING = Setting(
    (
        "$N$ unit vectors $x_i$ in $d$ dimensions",
        "means are over ordered pairs of different points",
    ),
    r"\log\operatorname{mean}_{i \ne j} e^{-t |x_i - x_j|^2}",
    "d, a parameter",
    "uniformity, in the terms of no library",
)


def build(proof: Derivation) -> dict[str, Quantity]:
    inside = DOMAIN.restricted([t]).with_range(u, between(-1, 1), S.Zero)
    proof.add(
        "Every derivative of the kernel in the inner product u is 2 t times the one before",
        Relations(
            Tuple(eq("slope", 2 * t * UNIFORMITY), gt(UNIFORMITY, 0)),
            inside,
            names={Symbol("slope"): diff(UNIFORMITY, u)},
            lemma=HERMITE,
        ),
        "|x - y|^2 is 2 - 2 u; all of them are positive, so the interpolant is below the kernel, "
        "and at each evaluation ball arithmetic proves that its coefficients are >= 0",
    )
    sizes = DOMAIN.restricted([N, d])
    cases = []
    for one in known(N, d):
        _state_design(one, sizes, proof)
        cases.append((Symbol(one.name.replace(" ", "_")), one.sits(N, d)))
    _state_polygon(proof)
    cases.append((Symbol("polygon"), And(Eq(d, 2), Le(N, CORNERS))))
    _state_cube(proof)
    return {
        "uniformity_at_least": Quantity(
            log(PairBound(Lambda(u, UNIFORMITY), N, d)),
            r"\mathcal{L}_{\mathrm{uniformity}}",
            "lower bound on the uniformity of N points (Wang and Isola); the minimum where "
            "attained_by names a configuration",
        ),
        "attained_by": Quantity(
            Piecewise(*cases, (Symbol("unnamed"), True)),
            r"\text{attained by}",
            "sharp configuration that attains the bound at every t; 'unnamed' where none of those "
            "known here has so many points in d dimensions",
        ),
        "spectral_at_least": Quantity(
            _spectral(sizes, proof),
            r"\mathcal{L}_{\mathrm{spectral}}",
            "least mean squared inner product of pairs, the repulsion of the spectral contrastive "
            "loss; tight frames attain it, or orthogonal points for N <= d",
        ),
    }


def _state_design(one: Configuration, sizes: Domain, proof: Derivation) -> None:
    names = {Symbol(f"S_{k}"): one.moment(k) for k in range(1, one.strength + 1)}
    count = {Symbol("points"): 1 + sum(one.products.values(), S.Zero)}
    proof.add(
        f"The {one.name} is a design of the strength that its inner products require",
        Relations(
            Tuple(*(eq(s, S.Zero) for s in names), eq("points", one.size)),
            sizes,
            names=names | count,
            lemma=HERMITE,
        ),
        "S_k is the sum over its points of the Gegenbauer polynomial P_k of their inner products "
        "with one of them",
    )


def _state_polygon(proof: Derivation) -> None:
    """A rotation that moves something fixes no vector: less the identity it is invertible."""
    r, c, s = Symbol("r", positive=True), Symbol("c"), Symbol("s")
    proof.add(
        "The corners of a regular polygon form a design of the required strength",
        Relations(
            Tuple(eq(c**2 + s**2, 1), gt((c - 1) ** 2 + s**2, 0)),
            Domain({r: POSITIVE}, {r: 1}),
            names={c: (r**2 - 1) / (r**2 + 1), s: 2 * r / (r**2 + 1)},
            lemma=POLYGON,
        ),
        "c and s are the cosine and the sine of a rotation, r being the cotangent of half of its "
        "angle, and the second line is the determinant of the rotation minus the identity",
    )


def _spectral(sizes: Domain, proof: Derivation) -> Expr:
    """The polynomial u^2 is its own interpolant."""
    square = times_u([S.Zero, S.One], d)
    least = (N * square[0] - sum(square)) / (N - 1)
    proof.add(
        "The Gegenbauer coefficients of u^2 are not negative",
        Relations(Tuple(*(ge(a, 0) for a in square)), sizes, lemma=DELSARTE),
        "a polynomial that is its own interpolant bounds itself",
    )
    return Max(0, least.factor())


def _state_cube(proof: Derivation) -> None:
    """Turning one face of the cube by an angle lowers the energy."""
    turn, radius = Symbol("turn", real=True), Rational(2, 3)
    below = [radius - 1 + radius * cos(turn + k * pi / 2) for k in range(4)]
    assert {x.xreplace({turn: S.Zero}) for x in below} == set(CUBE.products)
    bend = diff(sum(UNIFORMITY.xreplace({u: x}) for x in below), turn, 2).xreplace({turn: S.Zero})
    form = (bend * exp(Rational(8, 3) * t) / t).expand()
    slope = derivative(form, t)
    at = {t: S.Zero}
    proof.add(
        "The cube is never best: turning a face lowers its energy to second order, at every t",
        Relations(
            Tuple(eq(form.xreplace(at), 0), eq(slope.xreplace(at), 0), lt(derivative(slope, t), 0)),
            DOMAIN.restricted([t]),
        ),
        "up to a positive factor the second derivative in the angle is zero at t = 0, and so is "
        "its derivative in t, which decreases",
    )


RESULT = Result(
    "pair-energy",
    title="Lower bounds on losses of pairs of points on a sphere, and who attains them",
    source="beyond the papers; the loss is that of Wang and Isola (2020)",
    domain=DOMAIN,
    meanings=MEANINGS,
    build=build,
    subject=SETTING,
)
