"""Superclasses, classes, instances, views: when all of a superclass collapses to one point.

At that structure every denominator is one number, so what a level gains or loses there depends on
its weights alone, and one number D(tau) decides for all levels. Classes of a superclass stay
together as long as their weight is large enough, and so do instances of a class; which of them
leave first as it gets colder is a question of weights, and the temperature drops out of it.
"""

from sympy import Expr, Ge, S

from ...decide.domain import Domain, between
from ...decide.present import tidy
from ...losses.softmax import tau
from ...losses.supcl import SUPERCLASSES as LOSS
from ...losses.supcl import alpha, beta
from ...optimum.condition import without_positive_factors
from ...optimum.segment import Segment
from ...optimum.threshold import Criterion, Place, threshold
from ...optimum.vertex import pure_inner, vertex
from ...problems.domains import SUPERCLASSES as DOMAIN
from ...problems.problem import Problem
from ...proof.derivation import Derivation
from ...structures.hierarchy import (
    INSTANCES,
    SUBCLASSES,
    SUPERCLASSES,
    VIEWS,
    M,
    hierarchy,
    m,
    n,
    p,
)
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ...theorem.subject import Symmetric
from .._pure import segment_from

PROBLEM = Problem(LOSS, hierarchy(VIEWS, INSTANCES, SUBCLASSES, SUPERCLASSES), DOMAIN)


def colder(low: Expr, high: Expr, why: str) -> Domain:
    """Where it can be cold enough: the weight alpha above a bound that depends on beta."""
    weights = {beta: between(0, high, "[)", why), alpha: between(low, 1 - beta, "()", why)}
    return Domain({**DOMAIN.ranges, **weights}, {**DOMAIN.witness, alpha: S.Half})


#: Elsewhere that level stays together at every temperature.
COLD = {
    "classes": colder(
        1 / m - beta,
        S.One,
        "for alpha + beta <= 1/m the classes of a superclass stay together at every tau",
    ),
    "instances": colder(
        beta / (n - 1),
        (n - 1) / n,
        "for alpha <= beta/(n - 1) the instances of a class stay together at every tau",
    ),
}

#: Where some level leaves, whatever beta: for smaller alpha both stay for the beta in between.
LEAVING = Domain(
    {
        **{k: r for k, r in DOMAIN.ranges.items() if k not in (alpha, beta)},
        alpha: between(
            1 / (m * n), 1, "(]", "for alpha <= 1/(m n) both may stay together at every tau"
        ),
        beta: DOMAIN.ranges[beta],
    },
    DOMAIN.witness,
)


def build(proof: Derivation) -> dict[str, Quantity]:
    collapse = vertex(PROBLEM, "superclasses", proof)
    found = {}
    for parameter in (alpha, tau):
        for level, cold in COLD.items():
            name = f"{parameter}_{level}"
            solved = threshold(
                collapse.conditions[level].criterion,
                parameter,
                cold if parameter is tau else DOMAIN,
                proof,
            )
            found[name] = Quantity.from_threshold(
                solved, name, rf"\{parameter}_{{\mathrm{{{level}}}}}"
            )
    theta = PROBLEM.scheme.eigenvalues(collapse.reduced.pair_gradient(collapse.inner))
    gap, _ = without_positive_factors(theta["classes"] - theta["instances"], DOMAIN)
    classes, instances = (pure_inner(collapse.reduced, e) for e in ("classes", "instances"))
    turn = Place(collapse.inner, {r: tidy(classes[r] - instances[r]) for r in classes})
    first = Criterion(
        "as tau decreases, instances leave the collapsed superclass no later than classes",
        Ge(gap, 0, evaluate=False),
        turn,
    )
    solved = threshold(first, beta, LEAVING, proof)
    found["beta_first"] = Quantity.from_threshold(solved, "beta_first", r"\beta_{\mathrm{first}}")
    return found


def segment() -> Segment:
    """An edge that leaves the collapse of superclasses: its near end is it."""
    return segment_from(PROBLEM.scheme, "superclasses", "classes", "same_superclass")


RESULT = Result(
    "superclass-threshold",
    title="When superclasses collapse, and which level leaves first",
    source="beyond lee2025ssem: four levels, one term per level",
    parameters=(M, m, n, p, alpha, beta, tau),
    build=build,
    subject=Symmetric(PROBLEM, segment=segment),
)
