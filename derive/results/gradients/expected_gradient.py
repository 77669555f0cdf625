"""The mean squared InfoNCE gradient over random negatives, by their spectrum.

M - z+ is epsilon times (z' - z+) + (m - z'), z' being the mean of the negatives and m their softmax
mean. The softmax may weigh negatives by up to exp(2/tau) to 1, which no polynomial in 1/tau bounds:
sinh(1/tau)^2 sigma takes the place of the paper's sigma/tau^2 + c sigma^2/tau^4. For independent
negatives v of one law the mean of |m|^2 is bounded by the spectrum of that law in any dimension.
"""

from __future__ import annotations

from sympy import Expr, Min, S, Symbol, sqrt

from ...decide.domain import FREE, Domain, Range, at_least, between, region
from ...losses.setting import INFONCE_OF_LAW
from ...losses.softmax import tau
from ...proof.derivation import Derivation
from ...proof.relations import ge
from ...theorem.bounds import About
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ...vectors.combination import inner, plus
from . import _readings as of_anchor
from ._bounded import bounds
from ._lemmas import LEAVE_ONE_OUT, MINKOWSKI, RAYLEIGH
from ._readings import N, n
from ._spectrum import COSH, SINH, state_weights

square, spectral = of_anchor.mean_epsilon_squared, of_anchor.mean_epsilon_squared_sigma
KNOWN = (n, tau, square, spectral)
sampled, highest, sigma_law = (
    Symbol(s, nonnegative=True) for s in ("mean_squared_sampling", "epsilon_max", "sigma_law")
)
#: Ranges, points inside, and meanings.
OWN: dict[Symbol, tuple[Range, Expr, str]] = {
    sampled: (between(0, square), S.Zero, "mean of epsilon^2 |z'|^2, z' being the mean negative"),
    highest: (between(sqrt(square), 1), S.Half, "largest softmax error"),
    sigma_law: (between(0, 1, "(]"), S.Half, "largest eigenvalue of E[v v^T], v being a negative"),
}
DOMAIN = Domain(
    {s: of_anchor.RANGES[s] for s in KNOWN} | {s: r for s, (r, _, _) in OWN.items()},
    {s: of_anchor.WITNESS[s] for s in KNOWN} | {s: w for s, (_, w, _) in OWN.items()},
)

#: One outcome: the negatives are opposite to the positive.
CASES = {
    "OPPOSITE": {
        "vectors": {
            "weights": ["1"],
            "anchor": [["1"]],
            "positive": [["1"]],
            "negatives": [[["-1"], ["-1"]]],
        },
        "tau": "2",
    }
}
BOUNDS = """
upper_any | mean_squared_gradient <= U | OPPOSITE
    upper bound of the mean squared gradient for any distribution of the negatives, from the three
    parts of Theorem 1.1
    where all negatives are opposite to the positive
"""


def _softmax_mean(proof: Derivation) -> Expr:
    """A bound on the mean of |m|^2 for independent negatives of one law."""
    q, x = Symbol("q_1", nonnegative=True), Symbol("x", real=True)
    own, others = {"z_1": S.One}, {"m'": S.One}
    gram = {("z_1", "z_1"): S.One, ("m'", "z_1"): x}
    proof.equal(
        "The inner product of the softmax mean m of the negatives with one negative z_1",
        {"along": (inner(plus((q, own), (1 - q, others)), own, gram), q + (1 - q) * x)},
        "m = q_1 z_1 + (1 - q_1) m', where m' is the softmax mean of the other negatives and x = "
        "<m', z_1>; |m|^2 is the sum of q_j <m, z_j>, whose terms all have the same mean",
        region({q: between(0, 1), x: between(-1, 1)}),
    )
    a, b, k, s = (Symbol(c, nonnegative=True) for c in ("a", "b", "kappa", "sigma"))
    proof.equal(
        "With kappa = cosh(1/tau)^2, the mean of |m|^2 for N negatives is at most kappa/N + "
        "sqrt(kappa sigma X), X being that for N - 1 negatives, so at most kappa/N + (kappa sigma "
        "+ X)/2",
        {"gap": ((a**2 + b**2) / 2 - a * b, (a - b) ** 2 / 2)},
        LEAVE_ONE_OUT,
        region({a: FREE, b: FREE}),
    )

    def most(size: Expr) -> Expr:
        return s + 3 / size

    proof.equal(
        "The mean of |m|^2 is at most kappa (sigma + 3/N)",
        {"room": (k * (most(N) - 1 / N - (s + most(N - 1)) / 2), k * (N - 4) / (2 * N * (N - 1)))},
        "by induction over N >= 4: room is this bound minus kappa/N + (kappa sigma + X)/2 for the "
        "bound X of N - 1 negatives. For N <= 3 the bound is at least 1, and |m| <= 1",
        region({n: at_least(6), k: Range(S.One, low_open=False), s: between(0, 1)}),
        also=[ge("room", 0)],
    )
    return Min(1, COSH**2 * most(N).xreplace({s: sigma_law}))


def build(proof: Derivation) -> dict[str, Quantity]:
    state_weights(proof)
    sigma, k = of_anchor.sigma, Symbol("k", nonnegative=True)
    proof.holds(
        "The softmax mean m and the mean z' of the negatives satisfy |m - z'|^2 <= sinh(1/tau)^2 "
        "sigma",
        ge(SINH**2 * (sigma - k), 0),
        RAYLEIGH,
        of_anchor.domain_of(n, tau, sigma).with_range(k, between(0, sigma), S.Half / 2),
    )
    x, y = Symbol("x", nonnegative=True), Symbol("y", nonnegative=True)
    mixed, free = Symbol("c", real=True), FREE
    proof.holds(
        "The root mean square of M - z+ is at most the sum of the root mean squares x and y of "
        "two parts",
        ge((x + y) ** 2 - (x**2 + y**2 + 2 * mixed), 0),
        MINKOWSKI,
        region({x: free, y: free, mixed: between(-x * y, x * y)}),
    )
    rest, first = SINH * sqrt(spectral), sqrt(square)
    trivial = 4 * square
    by_law = highest * sqrt(_softmax_mean(proof))
    upper = Min(trivial, (first + sqrt(sampled) + rest) ** 2) / tau**2
    constants = {"of the mean of epsilon^2 sigma, before roots are added": SINH**2 / tau**2}
    found: dict[str, Quantity] = {
        **bounds(
            About.LAW, BOUNDS, {"upper_any": upper}, CASES, {"upper_any": {"constants": constants}}
        ),
        "upper_law": Quantity(
            Min(trivial, (first + by_law) ** 2) / tau**2,
            r"\mathbb{E}\|\nabla_z \mathcal{L}\|^2 \le U_\Sigma",
            "upper bound of the mean squared gradient over independent negatives with the same "
            "distribution, by the largest eigenvalue of its second moment, in any dimension",
        ),
    }
    return of_anchor.in_own_ranges(found, DOMAIN)


RESULT = Result(
    "expected-gradient",
    title="The mean squared InfoNCE gradient over random negatives",
    source="beyond the paper; in place of ochieng2025diversity, Theorem 1.1, equation (1)",
    domain=DOMAIN,
    build=build,
    meanings={s: of_anchor.MEANINGS[s] for s in KNOWN}
    | {s: m for s, (_, _, m) in OWN.items()}
    | {square: "mean of epsilon^2", spectral: "mean of epsilon^2 sigma, sigma being of the sample"},
    subject=INFONCE_OF_LAW,
)
