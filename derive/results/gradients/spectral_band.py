"""The band of the squared InfoNCE gradient that is proved, at one anchor and for a batch.

By the identity only mu, the length of the softmax mean of the negatives, is left to bound. Between
|<m, z+>| and 1 it gives the band by epsilon and rho; the spectrum of the negatives narrows it from
above, the anchor and the mean of the negatives from below. No upper bound is weaker than the
trivial 4 epsilon^2/tau^2.
"""

from typing import Any

from sympy import Expr, Max, Min, S, Symbol, sqrt

from ...decide.domain import FREE, LINE, POSITIVE, at_least, between, region
from ...decide.present import tidy
from ...losses.setting import INFONCE_OF_BATCH
from ...losses.softmax import tau
from ...proof.derivation import Derivation
from ...proof.relations import ge, le
from ...theorem.bounds import About
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from . import _spectrum as spectrum
from ._bounded import bounds, configuration
from ._identity import (
    EXPANDED,
    IN_PLANE,
    MEAN_ALIGNMENT,
    gradient_at,
    state_identity,
    state_plane,
)
from ._lemmas import RAYLEIGH
from ._readings import (
    MEANINGS,
    N,
    domain_of,
    epsilon,
    in_own_ranges,
    mean_epsilon_squared,
    mean_rho,
    mu,
    n,
    participation,
    readings,
    rho,
    sigma,
    sigma_hat,
    softmax_variance,
    variance,
)
from ._spectrum import count, state_participation, state_rayleigh

PARAMETERS = readings(
    "n tau epsilon rho sigma participation mean_norm similarity alignment variance "
    "softmax_variance mean_epsilon_squared mean_rho sigma_hat"
)
DOMAIN = domain_of(*PARAMETERS)

# --- the bounds ------------------------------------------------------------------------------
CASES = {
    "ONE_POINT": configuration("1/2", anchor="1 0", positive="3/5 4/5", negatives="0 1; 0 1"),
    "ALONG": configuration(
        "1/2", anchor="1 0 0", positive="0 1 0", negatives="0 3/5 4/5; 0 3/5 -4/5"
    ),
    "OPPOSITE": configuration("2", anchor="1 0", positive="0 1", negatives="0 -1; 0 -1; 0 -1"),
    "ORTHOGONAL": configuration(
        "1", anchor="1 0 0", positive="3/5 4/5 0", negatives="0 1 0; 0 0 1"
    ),
    "IN_PLANE": configuration(
        "1", anchor="1 0 0", positive="3/5 4/5 0", negatives="0 3/5 4/5; 0 3/5 -4/5"
    ),
    "ON_A_LINE": configuration("1", anchor="1", positive="1", negatives="1; -1; -1"),
    "BALANCED": configuration("1", anchor="1", positive="1", negatives="1; -1"),
    "ON_ONE_AXIS": configuration("1", z="1; -1; 1; -1"),
    "OPPOSITE_PAIRS": configuration("2", z="1; 1; -1; -1"),
    "ALL_EQUAL": configuration("1", z="1 0; 1 0; 1 0; 1 0"),
}
AT_ANCHOR = r"""
lower | squared_gradient >= \ell | ALONG
    lower bound of the squared gradient
    iff m is a multiple of the positive
lower_plane | squared_gradient >= \ell_{\mathrm{plane}} | IN_PLANE
    lower bound of the squared gradient by the projection of m on the plane of anchor and positive
    iff m lies in the plane of the anchor and the positive
lower_mean | squared_gradient >= \ell_{\mathrm{mean}} | ORTHOGONAL
    lower bound of the squared gradient by the length of the mean of the negatives
    where all weights q are equal
lower_measured | squared_gradient >= \ell_{\mathrm{measured}} | IN_PLANE
    best lower bound by all readings: the larger of lower_plane and lower_mean
    where lower_plane or lower_mean is attained
upper | squared_gradient <= U | ONE_POINT
    upper bound of the squared gradient by epsilon, rho and the spectrum of the negatives
    where all negatives coincide
upper_alignment | squared_gradient <= U_{\mathrm{alignment}} | ONE_POINT
    upper bound by epsilon, rho and tau alone
    iff all negatives coincide, that is m has length 1
upper_trivial | squared_gradient <= U_{\mathrm{trivial}} | OPPOSITE
    the trivial upper bound, by epsilon and tau alone
    iff all negatives are opposite to the positive
upper_spectrum | squared_gradient <= U_{\mathrm{spectrum}} | OPPOSITE
    upper bound by epsilon and the spectrum of the negatives, without rho
    iff all negatives are opposite to the positive
upper_participation | squared_gradient <= U_{\mathrm{participation}} | ORTHOGONAL
    upper bound of the squared gradient by the participation of the weights
    iff the weights q are an eigenvector of the Gram matrix for its largest eigenvalue,
    or all negatives coincide
upper_mean | squared_gradient <= U_{\mathrm{mean}} | ORTHOGONAL
    upper bound of the squared gradient by the participation and the length of the mean of the
    negatives; never weaker than upper_participation
    where all weights q are equal, or they are an eigenvector of the Gram matrix for its
    largest eigenvalue
upper_similarity | squared_gradient <= U_{\mathrm{similarity}} | ON_A_LINE
    upper bound by epsilon, rho and the variance of the similarities under q
    iff all negatives have the same component orthogonal to the anchor
upper_measured | squared_gradient <= U_{\mathrm{measured}} | ORTHOGONAL
    best upper bound by all readings: the smaller of upper_mean and upper_similarity
    where upper_mean or upper_similarity is attained
participation_most | participation <= P_{\max} | ON_A_LINE
    largest participation of the weights by the spectrum of the negatives
    where one negative equals the anchor, all others are opposite to it, and there are at most
    1 + exp(2/tau) negatives
mu_most | mu <= \mu_{\max} | ONE_POINT
    largest length of the softmax mean by the spectrum of the negatives
    where all negatives coincide
sampling_most | squared_sampling <= b_{\max} | ONE_POINT
    squared norm of the sampling part, epsilon times the mean of the negatives
    iff the vector of ones is an eigenvector of the Gram matrix for its largest eigenvalue
linear_most | squared_linear <= c^{(1)}_{\max} | BALANCED
    squared norm of the part that is linear in the logits
    iff the similarities minus their mean are an eigenvector of the Gram matrix for its
    largest eigenvalue, or zero
linear_spectrum | squared_linear <= c^{(1)}_{\sigma} | BALANCED
    squared norm of the part that is linear in the logits, by sigma alone
    iff the similarities are an eigenvector of the Gram matrix for its largest eigenvalue and
    have mean zero, and the anchor is a leading eigenvector of the second moment
fluctuation_most | squared_fluctuation <= c_{\max} | BALANCED
    squared norm of the fluctuation part, epsilon times the softmax mean minus the mean
    iff the weights minus 1/N are an eigenvector of the Gram matrix for its largest
    eigenvalue, or zero
remainder_most | squared_remainder <= c^{(2)}_{\max} |
    squared norm of the fluctuation part minus its linear part
    where all similarities are equal, so that both sides are zero
"""
IN_THE_MEAN = r"""
batch_lower | mean_squared_gradient >= \bar\ell | ON_ONE_AXIS
    lower bound of the mean squared gradient of a batch
    iff all rho are equal and every m is a multiple of the positive
batch_upper | mean_squared_gradient <= \bar U | OPPOSITE_PAIRS
    upper bound of the mean squared gradient of a batch, by its spectrum
    where the negatives of every anchor are opposite to its positive
batch_upper_alignment | mean_squared_gradient <= \bar U_{\mathrm{alignment}} | OPPOSITE_PAIRS
    upper bound of the mean squared gradient of a batch by the means of epsilon^2 and rho
    where the negatives of every anchor are opposite to its positive
sigma_most | mean_sigma <= \sigma_{\max} | ALL_EQUAL
    largest eigenvalue of the second moment of the negatives of an anchor, by that of the batch
    where all vectors of the batch coincide, or they are orthonormal
"""
#: Coefficients of the bounds that are made of terms, by what they are of.
CONSTANTS = {
    "lower": {"of (1 - rho)^2": tau**-2},
    "upper_alignment": {"of epsilon (1 - rho)": 2 / tau**2},
    "upper_trivial": {"of epsilon^2": 4 / tau**2},
    "linear_most": {"of epsilon^2 sigma variance": tau**-2},
    "linear_spectrum": {"of epsilon^2 sigma^2": tau**-2},
    "batch_lower": {"of (1 - mean rho)^2": tau**-2},
    "batch_upper_alignment": {"of the smaller mean": 2 / tau**2},
}


# --- steps -----------------------------------------------------------------------------------
def _at_anchor(proof: Derivation) -> dict[str, Expr]:
    """Bounds by epsilon and rho alone, and by the anchor."""
    where = domain_of(tau, epsilon, rho).with_range(mu, between(0, 1), S.Half)
    most = gradient_at(S.One)
    least = gradient_at(MEAN_ALIGNMENT**2)
    trivial = tidy(most.xreplace({rho: 1 - 2 * epsilon}))
    proof.equal(
        "The squared gradient is at most its value for mu = 1, the bound by alignment",
        {"left_over": (most - EXPANDED, epsilon**2 * (1 - mu**2) / tau**2)},
        "the identity gives the difference left_over, and mu <= 1; with equality iff mu = 1",
        where,
        also=[ge("left_over", 0)],
    )
    proof.equal(
        "The bound by alignment is never weaker than the trivial bound 4 epsilon^2/tau^2",
        {"trivial": (trivial, 4 * epsilon**2 / tau**2)},
        "the trivial bound is the bound by alignment for 1 - rho = 2 epsilon, its largest value. "
        "Every further upper bound replaces mu^2 by at most 1, so none is weaker",
        domain_of(tau, epsilon, rho),
        also=[ge("trivial", most)],
    )
    proof.equal(
        "The squared gradient is at least its value for mu = |<m, z+>|",
        {"least": (least, (1 - rho) ** 2 / tau**2)},
        "the squared gradient increases with mu, and mu >= |<m, z+>|; with equality iff m is a "
        "multiple of z+",
        domain_of(tau, epsilon, rho),
    )
    state_plane(proof)
    return {
        "most": most,
        "least": least,
        "trivial": trivial,
    }


def _similarities(proof: Derivation) -> None:
    s, t = Symbol("s", real=True), Symbol("t", real=True)
    x = Symbol("x", nonnegative=True)
    proof.holds(
        "The squared distance of two negatives is at least the squared difference of their "
        "similarities",
        ge((s - t) ** 2 + x, (s - t) ** 2),
        "x is the squared distance of their components orthogonal to the anchor. Half of the "
        "squared distance, summed over all pairs with weights q_j q_k, is 1 - mu^2; half of the "
        "squared difference gives the variance of the similarities under q, so mu^2 is at most 1 "
        "minus this variance",
        region({s: between(-1, 1), t: between(-1, 1), x: FREE}),
    )


def _links(proof: Derivation) -> dict[str, Expr]:
    """The parts of the decomposition of the paper, each with what its argument gives."""
    mean, uniform = Symbol("mean", real=True), 1 / count
    readings = region(
        {
            count: at_least(1),
            sigma: between(1 / count, 1),
            participation: between(1 / count, 1),
            variance: between(0, sigma),
            tau: POSITIVE,
            mean: LINE,
        }
    )
    squares = {
        "sampling": count * uniform**2,
        "fluctuation": participation - 2 * uniform + count * uniform**2,
        "linear": count * variance / (count * tau) ** 2,
    }
    shown = {
        "sampling": sigma,
        "fluctuation": sigma * (count * participation - 1),
        "linear": sigma * variance / tau**2,
    }
    proof.equal(
        "Upper bounds of the squared norms of the sampling, fluctuation and linear parts of the "
        "gradient, divided by epsilon^2",
        {f"of_{k}": (count * sigma * squares[k], e) for k, e in shown.items()},
        RAYLEIGH,
        readings,
    )
    proof.holds(
        "The variance of the similarities is at most sigma",
        ge(sigma, sigma - mean**2),
        "the mean square of <z, z_j> is at most sigma, and the variance is the mean square minus "
        "the squared mean",
        readings,
    )
    product = Symbol("product", nonnegative=True)
    both = squares["fluctuation"] + squares["linear"]
    proof.holds(
        "The squared norm of the fluctuation minus its linear part is at most the sum of their "
        "two bounds",
        le(both - 2 * product, both),
        "product is the sum over j of (q_j - 1/N)(l_j - mean l)/N, l_j being the logits; it is at "
        "least 0, as larger logits have larger weights. So the square of the difference is at "
        "most the sum of the squares",
        readings.with_range(product, FREE, 0),
    )
    scaled = {k: epsilon**2 * e.xreplace({count: N}) for k, e in shown.items()}
    scaled["remainder"] = scaled["fluctuation"] + scaled["linear"]
    return scaled


def _batch(proof: Derivation) -> dict[str, Expr]:
    """Averages over the anchors of a batch."""
    x = Symbol("x", nonnegative=True)
    length = Symbol("length", nonnegative=True)
    at_one = region(
        {
            tau: POSITIVE,
            epsilon: between(0, 1, "()"),
            length: between(0, 1),
            x: between(0, epsilon * (1 + length)),
        }
    )
    most = gradient_at(length**2).xreplace({rho: 1 - x})
    product = 2 * x * epsilon
    proof.equal(
        "Upper bounds of the squared gradient of an anchor, where x = 1 - rho and mu = length",
        {"upper": (most, (epsilon**2 * (length**2 - 1) + product) / tau**2)},
        "epsilon <= 1 and x <= epsilon (1 + mu), so 2 epsilon x is at most 2 x and at most 2 (1 + "
        "mu) epsilon^2; averaged over the anchors, this holds with the means of x and of "
        "epsilon^2, and for any mu that no anchor exceeds",
        at_one,
        also=[ge(2 * x, product), ge(2 * (1 + length) * epsilon**2, product)],
    )
    other, share = Symbol("y", nonnegative=True), Symbol("alpha", positive=True)
    proof.equal(
        "The mean of squares is at least the square of the mean",
        {
            "gap": (
                share * x**2 + (1 - share) * other**2 - (share * x + (1 - share) * other) ** 2,
                share * (1 - share) * (x - other) ** 2,
            )
        },
        "gap is the variance of a number with two values; so the mean of (1 - rho)^2 is at least "
        "(1 - mean rho)^2, with equality iff all rho are equal",
        region({x: FREE, other: FREE, share: between(0, 1, "()")}),
    )
    sigma_most = Min(1, n * sigma_hat / N)
    along, with_z = Symbol("along", real=True), Symbol("beside", real=True)
    proof.holds(
        "The largest eigenvalue of the sum z_j z_j^T over the negatives of an anchor is at most "
        "that over the batch, n sigma_hat",
        le(n * sigma_hat - along**2 - with_z**2, n * sigma_hat),
        "along any unit vector the quadratic form over the negatives is that over the batch minus "
        "two squares; with equality iff a leading eigenvector of the batch is orthogonal to the "
        "anchor and its positive",
        region(
            {
                n: at_least(3),
                sigma_hat: between(1 / n, 1),
                along: LINE,
                with_z: LINE,
            }
        ),
    )
    square = spectrum.MOST_SQUARE.xreplace({sigma: sigma_most})
    sum_ = mean_epsilon_squared * (square - 1)
    room = (1 + sqrt(square)) * mean_epsilon_squared
    by_rho = 1 - mean_rho
    return {
        "batch_lower": by_rho**2 / tau**2,
        "batch_upper": (sum_ + 2 * Min(by_rho, room)) / tau**2,
        "batch_upper_alignment": 2 * Min(by_rho, 2 * mean_epsilon_squared) / tau**2,
        "sigma_most": sigma_most,
    }


def build(proof: Derivation) -> dict[str, Quantity]:
    state_identity(proof)
    ends = _at_anchor(proof)
    state_rayleigh(proof)
    state_participation(proof)
    _similarities(proof)
    links = _links(proof)
    batch = _batch(proof)
    by_mean = spectrum.LEAST_BY_MEAN - MEAN_ALIGNMENT**2

    def beside(square: Expr) -> Expr:
        """The lower bound, by the squared component of m orthogonal to the positive."""
        return tidy(ends["least"]) + epsilon**2 * square / tau**2

    at_anchor = {
        "lower": beside(S.Zero),
        "lower_plane": beside(IN_PLANE),
        "lower_mean": beside(Max(0, by_mean)),
        "lower_measured": beside(Max(IN_PLANE, by_mean)),
        "upper": gradient_at(spectrum.MOST_SQUARE),
        "upper_alignment": tidy(ends["most"]),
        "upper_trivial": ends["trivial"],
        "upper_spectrum": epsilon**2 * (1 + sqrt(spectrum.MOST_SQUARE)) ** 2 / tau**2,
        "upper_participation": gradient_at(spectrum.BY_PARTICIPATION),
        "upper_mean": gradient_at(spectrum.BY_MEAN),
        "upper_similarity": gradient_at(1 - softmax_variance),
        "upper_measured": gradient_at(Min(spectrum.BY_MEAN, 1 - softmax_variance)),
        "participation_most": spectrum.MOST_PARTICIPATION,
        "mu_most": sqrt(spectrum.MOST_SQUARE),
        "sampling_most": links["sampling"],
        "linear_most": links["linear"],
        "linear_spectrum": links["linear"].xreplace({variance: sigma}),
        "fluctuation_most": links["fluctuation"],
        "remainder_most": links["remainder"],
    }
    more: dict[str, dict[str, Any]] = {k: {"constants": e} for k, e in CONSTANTS.items()}
    more["sigma_most"] = {"symbol": r"\sigma_i \le \sigma_{\max}"}
    found = bounds(About.ANCHOR, AT_ANCHOR, at_anchor, CASES, more)
    found |= bounds(About.BATCH, IN_THE_MEAN, batch, CASES, more)
    return in_own_ranges(found, DOMAIN)


RESULT = Result(
    "spectral-band",
    title="Proved lower and upper bounds of the squared InfoNCE gradient",
    source="beyond the paper; in place of ochieng2025diversity, Theorem 1.1",
    domain=DOMAIN,
    build=build,
    meanings={s: MEANINGS[s] for s in PARAMETERS},
    subject=INFONCE_OF_BATCH,
)
