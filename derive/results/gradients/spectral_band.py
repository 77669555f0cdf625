"""The band of the squared InfoNCE gradient that is proved, at one anchor and for a batch.

By the identity only mu, the length of the softmax mean of the negatives, is left to bound. Between
|<m, z+>| and 1 it gives the band by epsilon and rho; the spectrum of the negatives narrows it from
above, the anchor and the mean of the negatives from below. No upper bound is weaker than the
trivial 4 epsilon^2/tau^2.
"""

from collections.abc import Mapping
from typing import Any

from sympy import Expr, Matrix, Max, Min, S, Symbol, oo, sqrt

from ...decide.domain import POSITIVE, Domain, Range, at_least, between
from ...decide.present import tidy
from ...losses.setting import INFONCE_OF_BATCH
from ...losses.softmax import tau
from ...proof.derivation import Derivation
from ...proof.relations import eq, ge, le
from ...theorem.bounds import About, Bounds
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ._bounded import BATCH_GRADIENT, GRADIENT
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

# --- configurations with equality ------------------------------------------------------------
ONE_POINT: Mapping[str, Any] = {
    "vectors": {"anchor": ["1", "0"], "positive": ["3/5", "4/5"], "negatives": [["0", "1"]] * 2},
    "tau": "1/2",
}
ALONG: Mapping[str, Any] = {
    "vectors": {
        "anchor": ["1", "0", "0"],
        "positive": ["0", "1", "0"],
        "negatives": [["0", "3/5", "4/5"], ["0", "3/5", "-4/5"]],
    },
    "tau": "1/2",
}
OPPOSITE: Mapping[str, Any] = {
    "vectors": {"anchor": ["1", "0"], "positive": ["0", "1"], "negatives": [["0", "-1"]] * 3},
    "tau": "2",
}
ORTHOGONAL: Mapping[str, Any] = {
    "vectors": {
        "anchor": ["1", "0", "0"],
        "positive": ["3/5", "4/5", "0"],
        "negatives": [["0", "1", "0"], ["0", "0", "1"]],
    },
    "tau": "1",
}
IN_PLANE: Mapping[str, Any] = {
    "vectors": {
        "anchor": ["1", "0", "0"],
        "positive": ["3/5", "4/5", "0"],
        "negatives": [["0", "3/5", "4/5"], ["0", "3/5", "-4/5"]],
    },
    "tau": "1",
}
ON_A_LINE: Mapping[str, Any] = {
    "vectors": {"anchor": ["1"], "positive": ["1"], "negatives": [["1"], ["-1"], ["-1"]]},
    "tau": "1",
}
BALANCED: Mapping[str, Any] = {
    "vectors": {"anchor": ["1"], "positive": ["1"], "negatives": [["1"], ["-1"]]},
    "tau": "1",
}
ON_ONE_AXIS: Mapping[str, Any] = {
    "vectors": {"z": [["1"], ["-1"], ["1"], ["-1"]]},
    "tau": "1",
}
OPPOSITE_PAIRS: Mapping[str, Any] = {
    "vectors": {"z": [["1"], ["1"], ["-1"], ["-1"]]},
    "tau": "2",
}
ALL_EQUAL: Mapping[str, Any] = {"vectors": {"z": [["1", "0"]] * 4}, "tau": "1"}


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
    proof.holds(
        "It is never weaker than the trivial bound",
        [
            eq("trivial", 4 * epsilon**2 / tau**2),
            ge("trivial", "upper_alignment"),
        ],
        "1 - rho is at most 2 epsilon, and the trivial bound is that of 1 - rho = 2 epsilon; what "
        "follows bounds mu^2 by the smaller of 1 and another number, so no bound is weaker",
        domain_of(tau, epsilon, rho),
        names={Symbol("trivial"): trivial, Symbol("upper_alignment"): most},
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
    proof.equal(
        "Negatives whose similarities differ are apart",
        {"square": (Matrix([s - t]).dot(Matrix([s - t])) + x, (s - t) ** 2 + x)},
        "x being the square of the difference of their parts beside the anchor. Half of it, "
        "weighted by q_j q_k and added over all pairs, is 1 - mu^2 on the left, and the variance "
        "of the similarities under q is the first of the two on the right",
        Domain(
            {s: between(-1, 1), t: between(-1, 1), x: Range(low_open=False)}, {s: 1, t: 0, x: 1}
        ),
    )


def _links(proof: Derivation) -> dict[str, Expr]:
    """The parts of the decomposition of the paper, each with what its argument gives."""
    mean = Symbol("mean", real=True)
    q_square = Domain(
        {
            count: at_least(1),
            sigma: between(1 / count, 1),
            participation: between(1 / count, 1),
            variance: between(0, sigma),
            tau: POSITIVE,
            mean: REAL,
        },
        {count: 4, sigma: "1/2", participation: "1/2", variance: "1/4", tau: 1, mean: 0},
    )
    uniform = 1 / count
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
        q_square,
    )
    proof.holds(
        "The variance of the similarities is at most sigma",
        le("variance_left", "mean_square"),
        "the mean square of <z, z_j> is at most sigma, and the square of their mean is taken off",
        q_square,
        names={
            Symbol("variance_left"): sigma - mean**2,
            Symbol("mean_square"): sigma,
        },
    )
    proof.holds(
        "The remainder of the softmax to first order",
        le("square_of_remainder", "sum_of_squares"),
        "of q_j - 1/N and (l_j - mean l)/N, l_j being the logits, the product added over j is "
        "N^-1 sum (q_j - 1/N) l_j >= 0, as larger logits have larger weights: the square of the "
        "difference is at most the sum of the squares",
        Domain(
            {
                count: at_least(1),
                participation: between(1 / count, 1),
                variance: between(0, 1),
                tau: POSITIVE,
                mean: Range(S.Zero, low_open=False),
            },
            {participation: "1/2", variance: "1/4", tau: 1, count: 3, mean: 0},
        ),
        names={
            Symbol("square_of_remainder"): participation
            - 1 / count
            - 2 * mean
            + variance / (count * tau**2),
            Symbol("sum_of_squares"): participation - 1 / count + variance / (count * tau**2),
        },
    )
    scaled = {k: epsilon**2 * e.xreplace({count: N}) for k, e in shown.items()}
    scaled["remainder"] = scaled["fluctuation"] + scaled["linear"]
    return scaled


def _batch(identity: Identity, spectrum: Spectrum, proof: Derivation) -> dict[str, Expr]:
    """Averages over the anchors of a batch."""
    x = Symbol("x", nonnegative=True)
    length = Symbol("length", nonnegative=True)
    at_one = Domain(
        {
            tau: POSITIVE,
            epsilon: between(0, 1, "()"),
            length: between(0, 1),
            x: between(0, epsilon * (1 + length)),
        },
        {tau: 1, epsilon: "1/2", length: "1/2", x: "1/2"},
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
        Domain(
            {x: Range(low_open=False), other: Range(low_open=False), share: between(0, 1, "()")},
            {x: 1, other: 2, share: "1/3"},
        ),
    )
    sigma_most = Min(1, n * sigma_hat / N)
    along, with_z = Symbol("along", real=True), Symbol("beside", real=True)
    proof.holds(
        "The spectrum of the negatives of an anchor, by that of the batch",
        le("quadratic_form", n * sigma_hat),
        "along any unit vector the sum over the negatives lacks two squares of that over the "
        "batch; with equality iff a leading eigenvector of the batch is orthogonal to the anchor "
        "and its positive",
        Domain(
            {
                n: at_least(3),
                sigma_hat: between(1 / n, 1),
                along: REAL,
                with_z: REAL,
            },
            {n: 4, sigma_hat: "1/2", along: "1/2", with_z: 0},
        ),
        names={Symbol("quadratic_form"): n * sigma_hat - along**2 - with_z**2},
    )
    square = spectrum.most_square.xreplace({sigma: sigma_most})
    sum_ = mean_epsilon_squared * (square - 1)
    room = (1 + sqrt(square)) * mean_epsilon_squared
    by_rho = 1 - mean_rho
    return {
        "lower": by_rho**2 / tau**2,
        "upper_alignment": 2 * Min(by_rho, 2 * mean_epsilon_squared) / tau**2,
        "upper": (sum_ + 2 * Min(by_rho, room)) / tau**2,
        "sigma": sigma_most,
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

    along = "iff m is a multiple of the positive"
    eigen = "iff the weights q are an eigenvector of the Gram matrix for its largest eigenvalue"
    found: dict[str, Quantity] = {
        "lower": GRADIENT.lower(
            beside(S.Zero),
            "lower bound of the squared gradient",
            letter=r"\ell",
            constants={"of (1 - rho)^2": tau**-2},
            equality=along,
            attained=ALONG,
        ),
        "lower_plane": GRADIENT.lower(
            beside(ends["in_plane"]),
            "the same with the part of m in the plane of the anchor and the positive",
            letter=r"\ell_{\mathrm{plane}}",
            equality="iff m is in the plane of the anchor and the positive",
            attained=IN_PLANE,
        ),
        "lower_mean": GRADIENT.lower(
            beside(Max(0, by_mean)),
            "the same with the mean of the negatives, which the softmax mean is not far from",
            letter=r"\ell_{\mathrm{mean}}",
            equality="where all weights q are equal",
            attained=ORTHOGONAL,
        ),
        "upper": GRADIENT.upper(
            identity.at(spectrum.most_square),
            "upper bound of the squared gradient by epsilon, rho and the spectrum of the negatives",
            letter="U",
            equality="where all negatives are one point",
            attained=ONE_POINT,
        ),
        "upper_alignment": GRADIENT.upper(
            tidy(ends["most"]),
            "upper bound by epsilon, rho and tau alone",
            letter=r"U_{\mathrm{alignment}}",
            constants={"of epsilon (1 - rho)": 2 / tau**2},
            equality="iff m has the length 1: all negatives are one point",
            attained=ONE_POINT,
        ),
        "upper_trivial": GRADIENT.upper(
            ends["trivial"],
            "the trivial upper bound, by epsilon and tau alone",
            letter=r"U_{\mathrm{trivial}}",
            constants={"of epsilon^2": 4 / tau**2},
            equality="iff all negatives are opposite to the positive",
            attained=OPPOSITE,
        ),
        "upper_spectrum": GRADIENT.upper(
            epsilon**2 * (1 + sqrt(spectrum.most_square)) ** 2 / tau**2,
            "upper bound by epsilon and the spectrum of the negatives, without rho",
            letter=r"U_{\mathrm{spectrum}}",
            equality="iff all negatives are opposite to the positive",
            attained=OPPOSITE,
        ),
        "upper_participation": GRADIENT.upper(
            identity.at(spectrum.by_participation),
            "upper bound where the participation of the weights is measured",
            letter=r"U_{\mathrm{participation}}",
            equality=f"{eigen}, or all negatives are one point",
            attained=ORTHOGONAL,
        ),
        "upper_mean": GRADIENT.upper(
            identity.at(spectrum.by_mean),
            "upper bound where the length of the mean of the negatives is measured too; never "
            "weaker than that",
            letter=r"U_{\mathrm{mean}}",
            equality="where all weights q are equal, or they are an eigenvector of the Gram "
            "matrix for its largest eigenvalue",
            attained=ORTHOGONAL,
        ),
        "upper_similarity": GRADIENT.upper(
            identity.at(1 - softmax_variance),
            "upper bound by epsilon, rho and the variance of the similarities under q",
            letter=r"U_{\mathrm{similarity}}",
            equality="iff all negatives have the same part orthogonal to the anchor",
            attained=ON_A_LINE,
        ),
        "lower_measured": GRADIENT.lower(
            beside(Max(ends["in_plane"], by_mean)),
            "the best lower bound by all that is measured: the larger of the two",
            letter=r"\ell_{\mathrm{measured}}",
            equality="where one of the two is",
            attained=IN_PLANE,
        ),
        "upper_measured": GRADIENT.upper(
            identity.at(Min(spectrum.by_mean, 1 - softmax_variance)),
            "the best upper bound by all that is measured: the smaller of the two before it",
            letter=r"U_{\mathrm{measured}}",
            equality="where one of the two is",
            attained=ORTHOGONAL,
        ),
        "participation_most": Bounds(
            spectrum.most_participation,
            r"\sum_j q_j^2 \le P_{\max}",
            "largest participation of the weights by the spectrum of the negatives",
            bounded="participation",
            equality="where one negative is the anchor, all others are opposite to it, and there "
            "are no more than 1 + exp(2/tau)",
            attained=ON_A_LINE,
        ),
        "mu_most": Bounds(
            sqrt(spectrum.most_square),
            r"\|m\| \le \mu_{\max}",
            "largest length of the softmax mean by the spectrum of the negatives",
            bounded="mu",
            equality="where all negatives are one point",
            attained=ONE_POINT,
        ),
        "sampling_most": Bounds(
            links["sampling"],
            r"\|B\|^2 \le b_{\max}",
            "square of epsilon times the mean of the negatives",
            bounded="squared_sampling",
            equality="iff the vector of ones is an eigenvector of the Gram matrix for its largest "
            "eigenvalue",
            attained=ONE_POINT,
        ),
        "linear_most": Bounds(
            links["linear"],
            r"\|C^{(1)}\|^2 \le c^{(1)}_{\max}",
            "square of the part of first order in the logits",
            bounded="squared_linear",
            constants={"of epsilon^2 sigma variance": tau**-2},
            equality="iff the similarities less their mean are an eigenvector of the Gram "
            "matrix for its largest eigenvalue, or zero",
            attained=BALANCED,
        ),
        "linear_spectrum": Bounds(
            links["linear"].xreplace({variance: sigma}),
            r"\|C^{(1)}\|^2 \le c^{(1)}_{\sigma}",
            "the same by sigma alone",
            bounded="squared_linear",
            constants={"of epsilon^2 sigma^2": tau**-2},
            equality="iff the similarities are an eigenvector of the Gram matrix for its largest "
            "eigenvalue and have mean zero, and the anchor is one of the second moment",
            attained=BALANCED,
        ),
        "fluctuation_most": Bounds(
            links["fluctuation"],
            r"\|C\|^2 \le c_{\max}",
            "square of what the weights differ from equal ones by",
            bounded="squared_fluctuation",
            equality="iff the weights less 1/N are an eigenvector of the Gram matrix for its "
            "largest eigenvalue, or zero",
            attained=BALANCED,
        ),
        "remainder_most": Bounds(
            links["remainder"],
            r"\|C^{(2)}\|^2 \le c^{(2)}_{\max}",
            "square of what is left of that after the first order",
            bounded="squared_remainder",
            equality="where all similarities are equal, and both are zero",
        ),
        "batch_lower": BATCH_GRADIENT.lower(
            batch["lower"],
            "lower bound of the mean squared gradient of a batch",
            letter=r"\bar\ell",
            constants={"of (1 - mean rho)^2": tau**-2},
            equality="iff all rho are equal and every m is a multiple of the positive",
            attained=ON_ONE_AXIS,
        ),
        "batch_upper": BATCH_GRADIENT.upper(
            batch["upper"],
            "upper bound of the mean squared gradient of a batch, by its spectrum",
            letter=r"\bar U",
            equality="where the negatives of every anchor are opposite to its positive",
            attained=OPPOSITE_PAIRS,
        ),
        "batch_upper_alignment": BATCH_GRADIENT.upper(
            batch["upper_alignment"],
            "upper bound by the means of epsilon^2 and rho",
            letter=r"\bar U_{\mathrm{alignment}}",
            constants={"of the smaller mean": 2 / tau**2},
            equality="where the negatives of every anchor are opposite to its positive",
            attained=OPPOSITE_PAIRS,
        ),
        "sigma_most": Bounds(
            batch["sigma"],
            r"\sigma_i \le \sigma_{\max}",
            "largest eigenvalue that the negatives of an anchor have, by that of the batch",
            bounded="mean_sigma",
            about=About.BATCH,
            equality="where all vectors are one, or orthonormal",
            attained=ALL_EQUAL,
        ),
    }
    return in_own_ranges(found, DOMAIN)


RESULT = Result(
    "spectral-band",
    title="The band of the squared InfoNCE gradient",
    source="beyond the paper; in place of ochieng2025diversity, Theorem 1.1",
    parameters=PARAMETERS,
    domain=DOMAIN,
    build=build,
    meanings={s: MEANINGS[s] for s in PARAMETERS},
    setting=INFONCE_OF_BATCH,
)
