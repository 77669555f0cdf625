"""How variance splits, and its bound (lee2025ssem, Propositions A.1, 3 and 4).

For *any* embeddings of norm r, averaging the Gram matrix over the symmetry keeps its
trace on every eigenspace. So within-class variance, between-class variance and the
squared norm of the centroid depend only on the mean inner product of each relation,
and they are the shares of the trace r^2.
"""

from sympy import Add, Rational, S, Symbol

from ...decide.domain import POSITIVE, Range
from ...decide.domain import between as interval
from ...decide.present import tidy
from ...optimum.reduce import inner_products
from ...optimum.segment import x
from ...optimum.segment_facts import Spectrum
from ...problems.domains import SIZES
from ...proof.derivation import Derivation
from ...proof.relations import eq, le
from ...structures.hierarchy import n, p
from ...structures.scheme import complete
from ...theorem.measure import AtMost, Reading
from ...theorem.measure import share as trace_share
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ...theorem.subject import Symmetric
from ._supcl import (
    BETWEEN,
    NAMED,
    SYMMETRY,
    WITHIN,
    by_name,
    ssem_segment,
    sums_to_one,
    variances,
)

radius = Symbol("r", positive=True)
RADIUS = {radius: "common norm of the embeddings, 1 unless said otherwise"}

BALL = SIZES.with_range(radius, POSITIVE, 1)


def build(proof: Derivation) -> dict[str, Quantity]:
    g = inner_products(SYMMETRY)
    entries = {**g, "self": radius**2}
    domain = BALL
    for name, symbol in g.items():
        if name != "self":
            domain = domain.with_range(symbol, Range(-S.Infinity), 0)
    values = SYMMETRY.eigenvalues(entries)
    share = {
        e.name: tidy(e.dimension * values[e.name] / SYMMETRY.size) for e in SYMMETRY.eigenspaces
    }
    proof.add(
        "Eigenvalues of the averaged Gram matrix, with multiplicities",
        Spectrum.from_scheme(SYMMETRY, g, domain),
        "views nested in instances nested in classes; the table obeys its orthogonality relations",
    )
    within = tidy(share["views"] + share["instances"])
    between, centroid = share["classes"], share["mean"]
    # Proposition A.1: one set is the case of one level.
    one = complete(n * p, "other", "contrasts")
    single = {"self": radius**2, "other": g["same_class"]}
    spread = one.eigenspace("contrasts").dimension * one.eigenvalue("contrasts", single)
    variance = Symbol("Var")
    proof.holds(
        "Variance of one set of N = np vectors",
        eq(variance, tidy(spread / one.size)),
        "trace/N is variance plus squared centroid",
        domain,
        names={variance: radius**2 - one.eigenvalue("mean", single) / one.size},
    )
    proof.holds(
        "Within-class variance + between-class variance + squared centroid = r^2",
        eq(Add(*NAMED.values()), radius**2),
        "the eigenspaces are orthogonal and fill the space, so their shares add up to the trace; "
        "c2 is the squared norm of the centroid",
        domain,
        names=by_name({"within": within, "between": between, "centroid": centroid}),
    )
    squared = Symbol("c2", nonnegative=True)
    proof.holds(
        "The total variance is at most r^2, and equal to it iff the centroid is zero",
        le(radius**2 - squared, radius**2),
        "it is r^2 - c2 by the step before, and c2 is a squared norm, never negative",
        domain.with_range(squared, Range(low_open=False), 1),
    )
    segment = ssem_segment()
    ssem = variances(segment.inner)
    proof.holds(
        "The SSEM attains the bound",
        sums_to_one(),
        "c2, the squared norm of its centroid, is zero",
        SIZES.with_range(x, interval(0, segment.length), Rational(1, 2)),
        names=by_name(ssem),
    )
    return {
        "within_class_variance": Quantity(
            within,
            r"\mathrm{Var}^{\mathrm{Wthn}}[U]",
            "mean within-class variance, (1/m) sum_i Var[U_i]",
            domain,
            measured=WITHIN,
        ),
        "between_class_variance": Quantity(
            between,
            r"\mathrm{Var}^{\mathrm{Btwn}}[U]",
            "between-class variance",
            domain,
            measured=BETWEEN,
        ),
        "centroid_norm_squared": Quantity(
            centroid,
            r"\|\mathbb{E}[U]\|^2",
            "squared norm of the centroid",
            domain,
            measured=Reading(trace_share("mean")),
        ),
        "total_variance": Quantity(
            tidy(radius**2 - centroid),
            r"\mathrm{Var}[U]",
            "within-class plus between-class variance",
            domain,
            measured=Reading(WITHIN.expression + BETWEEN.expression),
        ),
        "bound": Quantity(
            radius**2,
            r"\mathrm{Var}_{\max}",
            "largest total variance",
            measured=AtMost("total_variance"),
        ),
    }


RESULT = Result(
    "variance-bound",
    title="Within-class and between-class variance, and the bound on their sum",
    source="lee2025ssem, Propositions A.1, 3, 4",
    domain=BALL,
    build=build,
    subject=Symmetric(structure=SYMMETRY),
    meanings=RADIUS,
)
