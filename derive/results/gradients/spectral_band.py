"""The band of the squared InfoNCE gradient that is proved, at one anchor and for a batch.

By the identity only mu, the length of the softmax mean of the negatives, is left to bound. Between
|<m, z+>| and 1 it gives the band by epsilon and rho; the spectrum of the negatives narrows it from
above, the anchor and the mean of the negatives from below. No upper bound is weaker than the
trivial 4 epsilon^2/tau^2.
"""

from typing import Any

from sympy import Expr, Max, Min, S, Symbol, oo, sqrt

from ...decide.domain import POSITIVE, Range, at_least, between
from ...decide.present import tidy
from ...losses.setting import INFONCE_OF_BATCH
from ...losses.softmax import tau
from ...proof.derivation import Derivation
from ...proof.relations import eq, ge, le
from ...theorem.bounds import About
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ._bounded import bounds, configuration
from ._identity import Identity, state_ends, state_identity, state_plane
from ._lemmas import RAYLEIGH
from ._readings import (
    MEANINGS,
    N,
    alignment,
    domain_of,
    epsilon,
    in_own_ranges,
    mean_epsilon_squared,
    mean_norm,
    mean_rho,
    mu,
    n,
    participation,
    region,
    rho,
    sigma,
    sigma_hat,
    similarity,
    softmax_variance,
    variance,
)
from ._spectrum import Spectrum, count, state_participation, state_rayleigh

PARAMETERS = (
    n,
    tau,
    epsilon,
    rho,
    sigma,
    participation,
    mean_norm,
    similarity,
    alignment,
    variance,
    softmax_variance,
    mean_epsilon_squared,
    mean_rho,
    sigma_hat,
)
DOMAIN = domain_of(*PARAMETERS)

REAL = Range(-oo, oo)

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
    the same with the part of m in the plane of the anchor and the positive
    iff m is in the plane of the anchor and the positive
lower_mean | squared_gradient >= \ell_{\mathrm{mean}} | ORTHOGONAL
    the same with the mean of the negatives, which the softmax mean is not far from
    where all weights q are equal
lower_measured | squared_gradient >= \ell_{\mathrm{measured}} | IN_PLANE
    the best lower bound by all that is measured: the larger of the two
    where one of the two is
upper | squared_gradient <= U | ONE_POINT
    upper bound of the squared gradient by epsilon, rho and the spectrum of the negatives
    where all negatives are one point
upper_alignment | squared_gradient <= U_{\mathrm{alignment}} | ONE_POINT
    upper bound by epsilon, rho and tau alone
    iff m has the length 1: all negatives are one point
upper_trivial | squared_gradient <= U_{\mathrm{trivial}} | OPPOSITE
    the trivial upper bound, by epsilon and tau alone
    iff all negatives are opposite to the positive
upper_spectrum | squared_gradient <= U_{\mathrm{spectrum}} | OPPOSITE
    upper bound by epsilon and the spectrum of the negatives, without rho
    iff all negatives are opposite to the positive
upper_participation | squared_gradient <= U_{\mathrm{participation}} | ORTHOGONAL
    upper bound where the participation of the weights is measured
    iff the weights q are an eigenvector of the Gram matrix for its largest eigenvalue,
    or all negatives are one point
upper_mean | squared_gradient <= U_{\mathrm{mean}} | ORTHOGONAL
    upper bound where the length of the mean of the negatives is measured too; never
    weaker than that
    where all weights q are equal, or they are an eigenvector of the Gram matrix for its
    largest eigenvalue
upper_similarity | squared_gradient <= U_{\mathrm{similarity}} | ON_A_LINE
    upper bound by epsilon, rho and the variance of the similarities under q
    iff all negatives have the same part orthogonal to the anchor
upper_measured | squared_gradient <= U_{\mathrm{measured}} | ORTHOGONAL
    the best upper bound by all that is measured: the smaller of the two before it
    where one of the two is
participation_most | participation <= P_{\max} | ON_A_LINE
    largest participation of the weights by the spectrum of the negatives
    where one negative is the anchor, all others are opposite to it, and there are no more
    than 1 + exp(2/tau)
mu_most | mu <= \mu_{\max} | ONE_POINT
    largest length of the softmax mean by the spectrum of the negatives
    where all negatives are one point
sampling_most | squared_sampling <= b_{\max} | ONE_POINT
    square of epsilon times the mean of the negatives
    iff the vector of ones is an eigenvector of the Gram matrix for its largest eigenvalue
linear_most | squared_linear <= c^{(1)}_{\max} | BALANCED
    square of the part of first order in the logits
    iff the similarities less their mean are an eigenvector of the Gram matrix for its
    largest eigenvalue, or zero
linear_spectrum | squared_linear <= c^{(1)}_{\sigma} | BALANCED
    the same by sigma alone
    iff the similarities are an eigenvector of the Gram matrix for its largest eigenvalue and
    have mean zero, and the anchor is one of the second moment
fluctuation_most | squared_fluctuation <= c_{\max} | BALANCED
    square of what the weights differ from equal ones by
    iff the weights less 1/N are an eigenvector of the Gram matrix for its largest
    eigenvalue, or zero
remainder_most | squared_remainder <= c^{(2)}_{\max} |
    square of what is left of that after the first order
    where all similarities are equal, and both are zero
"""
IN_THE_MEAN = r"""
batch_lower | mean_squared_gradient >= \bar\ell | ON_ONE_AXIS
    lower bound of the mean squared gradient of a batch
    iff all rho are equal and every m is a multiple of the positive
batch_upper | mean_squared_gradient <= \bar U | OPPOSITE_PAIRS
    upper bound of the mean squared gradient of a batch, by its spectrum
    where the negatives of every anchor are opposite to its positive
batch_upper_alignment | mean_squared_gradient <= \bar U_{\mathrm{alignment}} | OPPOSITE_PAIRS
    upper bound by the means of epsilon^2 and rho
    where the negatives of every anchor are opposite to its positive
sigma_most | mean_sigma <= \sigma_{\max} | ALL_EQUAL
    largest eigenvalue that the negatives of an anchor have, by that of the batch
    where all vectors are one, or orthonormal
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
def _at_anchor(identity: Identity, proof: Derivation) -> dict[str, Expr]:
    """Bounds by epsilon and rho alone, and by the anchor."""
    where = domain_of(tau, epsilon, rho).with_range(mu, between(0, 1), S.Half)
    most = identity.at(S.One)
    least = identity.at(identity.mean_alignment**2)
    trivial = tidy(most.xreplace({rho: 1 - 2 * epsilon}))
    proof.equal(
        "The upper bound by alignment",
        {"left_over": (most - identity.expanded, epsilon**2 * (1 - mu**2) / tau**2)},
        "the identity, with mu <= 1; both are equal iff mu = 1",
        where,
        also=[ge("left_over", 0)],
    )
    proof.equal(
        "It is never weaker than the trivial bound",
        {"trivial": (trivial, 4 * epsilon**2 / tau**2)},
        "1 - rho is at most 2 epsilon, and the trivial bound is that of 1 - rho = 2 epsilon; what "
        "follows bounds mu^2 by the smaller of 1 and another number, so no bound is weaker",
        domain_of(tau, epsilon, rho),
        also=[ge("trivial", most)],
    )
    proof.equal(
        "The lower bound",
        {"least": (least, (1 - rho) ** 2 / tau**2)},
        "the identity, with mu >= |<m, z+>|; both are equal iff m is a multiple of z+",
        domain_of(tau, epsilon, rho),
    )
    state_plane(proof)
    return {
        "most": most,
        "least": least,
        "trivial": trivial,
        "in_plane": identity.in_plane,
    }


def _similarities(proof: Derivation) -> None:
    s, t = Symbol("s", real=True), Symbol("t", real=True)
    x = Symbol("x", nonnegative=True)
    proof.holds(
        "Negatives whose similarities differ are apart",
        ge((s - t) ** 2 + x, (s - t) ** 2),
        "x is the squared difference of their parts orthogonal to the anchor, so the left side is "
        "their squared distance. Half of it, weighted by q_j q_k and added over all pairs, is 1 - "
        "mu^2, and the variance of the similarities under q is half of the right side",
        region({s: between(-1, 1), t: between(-1, 1), x: Range(low_open=False)}),
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
            mean: REAL,
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
        "The parts of the decomposition",
        {f"of_{k}": (count * sigma * squares[k], e) for k, e in shown.items()},
        RAYLEIGH,
        readings,
    )
    proof.holds(
        "The variance of the similarities is at most sigma",
        ge(sigma, sigma - mean**2),
        "the mean square of <z, z_j> is at most sigma, and the square of their mean is taken off",
        readings,
    )
    product = Symbol("product", nonnegative=True)
    both = squares["fluctuation"] + squares["linear"]
    proof.holds(
        "The remainder of the softmax to first order",
        le(both - 2 * product, both),
        "of q_j - 1/N and (l_j - mean l)/N, l_j being the logits, the product added over j is "
        "N^-1 sum (q_j - 1/N) l_j >= 0, as larger logits have larger weights: the square of the "
        "difference is at most the sum of the squares",
        readings.with_range(product, Range(S.Zero, low_open=False), 0),
    )
    scaled = {k: epsilon**2 * e.xreplace({count: N}) for k, e in shown.items()}
    scaled["remainder"] = scaled["fluctuation"] + scaled["linear"]
    return scaled


def _batch(identity: Identity, spectrum: Spectrum, proof: Derivation) -> dict[str, Expr]:
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
    most = identity.at(length**2).xreplace({rho: 1 - x})
    two = (2 * x * epsilon, 2 * (1 + length) * epsilon**2)
    proof.holds(
        "The anchors of a batch, each with 1 - rho = x",
        [
            eq("upper", (epsilon**2 * (length**2 - 1) + 2 * epsilon * x) / tau**2),
            ge(2 * x, "product"),
            ge("without_rho", "product"),
        ],
        "epsilon <= 1 and x <= epsilon (1 + mu): in the mean, 2 epsilon x is at most twice the "
        "mean of x, and at most 2 (1 + mu) times the mean of epsilon^2, for any mu that none of "
        "the anchors exceeds",
        at_one,
        names={
            Symbol("upper"): most,
            Symbol("product"): two[0],
            Symbol("without_rho"): two[1],
        },
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
        "so the mean of (1 - rho)^2 is at least that of the mean, with equality iff all are equal",
        region(
            {x: Range(low_open=False), other: Range(low_open=False), share: between(0, 1, "()")}
        ),
    )
    sigma_most = Min(1, n * sigma_hat / N)
    along, with_z = Symbol("along", real=True), Symbol("beside", real=True)
    proof.holds(
        "The spectrum of the negatives of an anchor, by that of the batch",
        le(n * sigma_hat - along**2 - with_z**2, n * sigma_hat),
        "along any unit vector the sum over the negatives lacks two squares of that over the "
        "batch; with equality iff a leading eigenvector of the batch is orthogonal to the anchor "
        "and its positive",
        region(
            {
                n: at_least(3),
                sigma_hat: between(1 / n, 1),
                along: REAL,
                with_z: REAL,
            }
        ),
    )
    square = spectrum.most_square.xreplace({sigma: sigma_most})
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
    identity = state_identity(proof)
    state_ends(identity, proof)
    ends = _at_anchor(identity, proof)
    state_rayleigh(proof)
    spectrum = state_participation(proof)
    _similarities(proof)
    links = _links(proof)
    batch = _batch(identity, spectrum, proof)
    by_mean = spectrum.least_by_mean - identity.mean_alignment**2

    def beside(square: Expr) -> Expr:
        """The lower bound for a square of the part of m beside the positive."""
        return tidy(ends["least"]) + epsilon**2 * square / tau**2

    at_anchor = {
        "lower": beside(S.Zero),
        "lower_plane": beside(ends["in_plane"]),
        "lower_mean": beside(Max(0, by_mean)),
        "lower_measured": beside(Max(ends["in_plane"], by_mean)),
        "upper": identity.at(spectrum.most_square),
        "upper_alignment": tidy(ends["most"]),
        "upper_trivial": ends["trivial"],
        "upper_spectrum": epsilon**2 * (1 + sqrt(spectrum.most_square)) ** 2 / tau**2,
        "upper_participation": identity.at(spectrum.by_participation),
        "upper_mean": identity.at(spectrum.by_mean),
        "upper_similarity": identity.at(1 - softmax_variance),
        "upper_measured": identity.at(Min(spectrum.by_mean, 1 - softmax_variance)),
        "participation_most": spectrum.most_participation,
        "mu_most": sqrt(spectrum.most_square),
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
    title="The band of the squared InfoNCE gradient",
    source="beyond the paper; in place of ochieng2025diversity, Theorem 1.1",
    parameters=PARAMETERS,
    domain=DOMAIN,
    build=build,
    meanings={s: MEANINGS[s] for s in PARAMETERS},
    subject=INFONCE_OF_BATCH,
)
