"""SupCL in m - 1 dimensions, where m classes just fit: how long collapse is a local minimum.

Beyond alpha_min collapse is left along one dimension that is orthogonal to all class means. In
m - 1 dimensions there is none, and instances that move apart change their inner products with the
other classes. What that costs to second order is added to the condition.
"""

from __future__ import annotations

from dataclasses import replace

from sympy import Expr, Integer, S, Symbol, exp

from ...decide.calculus import derivative
from ...decide.domain import POSITIVE, at_least
from ...losses.softmax import tau
from ...losses.supcl import SUPCL, alpha
from ...optimum.dimension import d
from ...optimum.reduce import ReducedLoss
from ...optimum.reduction import state_spectrum
from ...optimum.tangent import THIRD
from ...optimum.threshold import threshold
from ...optimum.uniform import at_uniform
from ...optimum.vertex import vertex
from ...problems.domains import COMBINED, TEMPERED
from ...proof.derivation import Derivation
from ...proof.relations import eq, gt, lt
from ...proof.sphere import ON_A_LINE
from ...proof.statement import Relations
from ...structures.hierarchy import m, n, p
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ._in_its_span import Written, curves_up, in_three, keeps_simplex
from ._supcl import SYMMETRY

ROOM = in_three(COMBINED)
SIZES = in_three(TEMPERED)


def build(proof: Derivation) -> dict[str, Quantity]:
    loss = ReducedLoss(SUPCL, SYMMETRY)
    state_spectrum(SYMMETRY, ROOM, proof)
    collapse = vertex(loss, "classes", proof, ROOM)
    instances = curves_up(collapse, "instances", proof, ROOM)
    for title, criterion in (
        ("Views do not separate", curves_up(collapse, "views", proof, ROOM)),
        ("Whole classes do not move", keeps_simplex(collapse, proof, ROOM)),
    ):
        proof.holds(title, gt(criterion.condition, 0), "it is positive", ROOM)
    alpha_local = threshold(instances, alpha, ROOM, proof)
    wide = replace(collapse.conditions["instances"].criterion, place=None)
    alpha_min = threshold(wide, alpha, ROOM, proof)
    proof.holds(
        "The threshold of alpha in m dimensions and more is smaller",
        lt(alpha_min.value, alpha_local.value),
        "the variance of the logits is positive",
        SIZES,
    )
    _state_self_supervised(instances.condition, proof)
    _state_skew(collapse.inner["cross_class"], proof)
    _state_two_classes(proof)
    local = Quantity.from_threshold(
        alpha_local, "alpha_local", r"\alpha_{\mathrm{local}}", domain=ROOM
    )
    ends = "; beyond it classes do not collapse, and for m >= 4, n >= 3 not even up to it"
    return {
        "alpha_local": replace(local, meaning=local.meaning + ends),
    }


def _state_self_supervised(condition: Expr, proof: Derivation) -> None:
    """At alpha = 1 the condition is negative, so that alpha_local < 1."""
    s = Symbol("s", positive=True)
    form = (s * condition.xreplace({alpha: S.One, tau: 1 / s})).expand()
    proof.holds(
        "At alpha = 1 it is negative: it decreases with s = 1/tau",
        [eq(form.xreplace({s: S.Zero}), S.Zero), lt(derivative(form, s), 0)],
        "up to the factor s it is zero for s -> 0",
        SIZES.restricted([m, n]).with_range(s, POSITIVE, 2),
    )


def _state_skew(g: Expr, proof: Derivation) -> None:
    """For four classes and three instances the third variation at alpha_local is not zero.

    The instances 2, -1, -1 of a class move along what is orthogonal to it in another class mean.
    """
    cubes = (1 - g**2) ** 3 + (m - 2) * (g - g**2) ** 3
    instances = sum(S(f) ** 3 for f in (2, -1, -1))
    proof.add(
        "For m >= 4 and n >= 3 classes do not collapse at alpha_local, nor a little below it",
        Relations(gt(instances * cubes, 0), SIZES.with_range(m, at_least(4), 4), lemma=THIRD),
        "one instance of a class moves twice as far towards another class as two move away",
    )


def _state_two_classes(proof: Derivation) -> None:
    """For m = 2 and d = 1 collapse attains the uniform bound."""
    two = TEMPERED.restricted([n, p, tau])
    found = vertex(ReducedLoss(SUPCL, SYMMETRY), "classes", Derivation(), COMBINED)
    at = {Symbol("L"): found.loss.xreplace({m: Integer(2)})}
    bound = at_uniform(2 * n * p, tau).xreplace({d: S.One})
    same = eq(exp(Symbol("L")), exp(bound))
    says = Relations(same, two, names=at, lemma=ON_A_LINE)
    proof.add(
        "For m = 2 and d = 1 classes collapse at every alpha",
        says,
        "inner products of positives are at most 1, so collapse attains the bound",
    )


RESULT = Result(
    "supcl-second-order",
    title="SupCL in m - 1 dimensions: up to which alpha collapse is a local minimum",
    source="beyond the papers; the loss is that of lee2025ssem",
    parameters=(m, n, alpha, tau),
    domain=ROOM,
    build=build,
    meanings={**SYMMETRY.meanings, **SUPCL.meanings},
    subject=Written((), declared=SUPCL, more="supcl-threshold"),
)
