"""The Simplex-to-Simplex Embedding Model, as what symmetry leaves (lee2025ssem, Definition A.2).

Ask for unit vectors whose views coincide and whose centroid is zero, symmetric under
relabelling of views, instances and classes: a segment of Gram matrices is left, from
the (m-1)-simplex of collapsed classes to classes whose means coincide.
"""

from sympy import Eq, Expr, Piecewise, Rational, S, Tuple, sqrt

from ..engine.derivation import Derivation, by_construction
from ..engine.domain import between
from ..engine.present import tidy
from ..engine.relations import eq, ge
from ..engine.result import Quantity, Result
from ..symbols import delta, m, n, p, x
from ._supcl import SIZES, position_of_delta, simplex_position, ssem_segment, state_delta, variances

SEGMENT = ssem_segment()
DELTA_MAX = sqrt(tidy(SEGMENT.length / simplex_position(SEGMENT)))
DOMAIN = SIZES.with_range(delta, between(0, DELTA_MAX), Rational(1, 2))


def at_delta(expression: Expr) -> Expr:
    """Write an expression along the segment in delta."""
    return expression.xreplace({x: position_of_delta(SEGMENT)})


def build(proof: Derivation) -> dict[str, Quantity]:
    scheme, values = SEGMENT.scheme, SEGMENT.eigenvalues()
    proof.zero(
        "Symmetry: relations, eigenspaces and the table of eigenvalues",
        scheme.residuals(),
        "views nested in instances nested in classes",
        SIZES,
        Tuple(*(Tuple(e.dimension, values[e.name]) for e in scheme.eigenspaces)),
    )
    proof.zero(
        "Coinciding views and a zero centroid leave a segment",
        [*(values[e] for e in SEGMENT.active), values["instances"].xreplace({x: S.Zero})],
        "two of four eigenvalues vanish along it, a third at its start",
        SIZES,
        Tuple(*(eq(f"g_{r}", e) for r, e in SEGMENT.inner.items())),
    )
    state_delta(proof, SEGMENT, SIZES)
    inside = SIZES.with_range(x, between(0, SEGMENT.length), Rational(1, 2))
    proof.positive(
        "It exists exactly for 0 <= x <= n/(n-1)",
        [values["instances"], values["classes"]],
        "the two eigenvalues left are non-negative there, and one is negative outside",
        inside,
        ge(SEGMENT.length, x),
        strict=False,
    )
    share = variances(SEGMENT)
    proof.zero(
        "The variances add up to one",
        [share["within"] + share["between"] - 1, share["centroid"]],
        "the trace splits over the eigenspaces",
        inside,
        eq(share["within"] + share["between"], S.One),
    )
    ranks = {
        end: sum(
            (
                e.dimension
                for e in scheme.eigenspaces
                if tidy(values[e.name].xreplace({x: at})) != 0
            ),
            S.Zero,
        )
        for end, at in (("low", S.Zero), ("inside", x), ("high", SEGMENT.length))
    }
    dimension = Piecewise(
        (tidy(ranks["low"]), Eq(delta, 0)),
        (tidy(ranks["high"]), Eq(delta, DELTA_MAX)),
        (tidy(ranks["inside"]), True),
    )
    proof.add(
        "Least dimension: the rank of the Gram matrix",
        dimension,
        "the dimensions of the eigenspaces whose eigenvalue is not zero",
        by_construction("eigenvalues that vanish were found above"),
    )
    inner = SEGMENT.inner
    return {
        "same_class": Quantity(
            at_delta(inner["same_class"]), r"u^\top v", "other instance of the class"
        ),
        "cross_class": Quantity(at_delta(inner["cross_class"]), r"u^\top w", "other class"),
        "delta_max": Quantity(DELTA_MAX, r"\delta_{\max}", "class means coincide there"),
        "min_dimension": Quantity(dimension, r"d_{\min}", "least dimension it fits in"),
        "within_class_variance": Quantity(
            at_delta(share["within"]), r"\mathrm{Var}[U_i]", "within-class variance"
        ),
        "between_class_variance": Quantity(
            at_delta(share["between"]), r"\mathrm{Var}^{\mathrm{Btwn}}[U]", "between-class variance"
        ),
    }


RESULT = Result(
    "ssem",
    title="The Simplex-to-Simplex Embedding Model",
    source="lee2025ssem, Definition A.2 and Propositions A.3, A.4",
    parameters=(m, n, p, delta),
    domain=DOMAIN,
    build=build,
    segment=ssem_segment,
)
