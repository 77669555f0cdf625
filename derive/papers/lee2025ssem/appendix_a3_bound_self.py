"""Appendix A.3, fifth part: the proof of Theorem A.2 from (A.46) to the chain of minima."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath

from ...vectors.embeddings import Embeddings
from ..checks import both, needs_condition
from ..verdict import Verdict
from . import LEDGER
from ._sums import (
    all_sets,
    at_temperature,
    chain,
    cross,
    log_mean,
    loss,
    norms,
    own,
    same,
    sharp_chain,
    spread,
    ssem_matching,
    ssem_sets,
    temperature,
    total,
)
from ._sums import exp as e_to
from .appendix_a3_bound_sup import (
    GROUPS,
    LOST,
    Bound,
    Inside,
    a45_bound,
    a45_meant,
    apart_with_zero_sum,
    constant,
    is_bound,
    jensen_inside,
    jensen_is_tight,
    on_collapsed,
    pairs_of,
)


# --- the self-supervised loss ------------------------------------------------------------------
def self_bounds(u: Embeddings) -> dict[str, Any]:
    """The bounds on L_Self from (A.46) to (A.53), by label."""
    t, m, n, p = temperature(u), u.m, u.n, u.p
    views = own(u) / (m * n * p**2) / t
    far, near = (m - 1) * n * p, (n - 1) * p
    outside = cross(u) / (m * (m - 1) * n**2 * p**2) / t
    apart = e_to(-spread(u) / (2 * m * n * (n - 1)) / t)
    shrunk = -Fraction((m - 1) * n + 1, (m - 1) * n) / t
    return {
        "(A.46)": log_mean(jensen_inside(u, a, b) for a, b in pairs_of(u, own_views=True)),
        "(A.50)": mpmath.log(
            far * e_to(outside - views)
            + near * e_to(same(u) / (m * n * (n - 1) * p**2) / t - views)
            + p
        ),
        "(A.51), first line": mpmath.log(far * e_to(outside - views) + near * apart + p),
        "(A.51)": mpmath.log(far * e_to(outside - 1 / t) + near * apart + p),
        "(A.52)": mpmath.log(
            far * e_to(shrunk - same(u) / (m * (m - 1) * n**2 * p**2) / t) + near * apart + p
        ),
        "(A.53)": mpmath.log(
            far * e_to(-Fraction(m, m - 1) / t + spread(u) / (2 * m * (m - 1) * n**2) / t)
            + near * apart
            + p
        ),
    }


Bounds = Callable[[Embeddings], dict[str, Any]]


@LEDGER.claim(
    "(A.46)",
    r"L_{Self}(U) = \dots \ge \frac{1}{mnp^2} \sum_{i,j} \sum_{u,v \in U_{ij}} \log((m-1)np "
    r"\exp(\dots) "
    r"+ (n-1)p \exp(\dots) + p \exp(\dots))",
)
def a46(printed: Bounds = self_bounds) -> Verdict:
    return sharp_chain(lambda u: [loss(u, Fraction(1)), printed(u)["(A.46)"]], (">=",))


@LEDGER.claim(
    "(A.47)", r"with (A.48) and (A.49): u^\top(w-v) = c_4 for w \in U \setminus U_i gives equality"
)
def a47(printed: Inside = jensen_inside) -> Verdict:
    return jensen_is_tight(True, printed)


@LEDGER.claim("(A.48)", r"with (A.47) and (A.49): u^\top(w-v) = c_5 for w \in U_i \setminus U_{ij}")
def a48(printed: Inside = jensen_inside) -> Verdict:
    return jensen_is_tight(True, printed)


@LEDGER.claim("(A.49)", r"with (A.47) and (A.48): u^\top(w-v) = c_6 for w \in U_{ij}")
def a49(printed: Inside = jensen_inside) -> Verdict:
    return jensen_is_tight(True, printed)


@LEDGER.claim(
    "(A.50)",
    r"L_{Self}(U) \ge \log((m-1)np \exp(\frac{1}{m(m-1)n^2p^2} \sum \sum \sum u^\top w/\tau - "
    r"\frac{1}{mnp^2} \sum \sum \sum u^\top v/\tau) + (n-1)p \exp(\dots) + p)",
)
def a50(printed: Bounds = self_bounds) -> Verdict:
    return sharp_chain(
        lambda u: [loss(u, Fraction(1)), self_bounds(u)["(A.46)"], printed(u)["(A.50)"]],
        (">=", ">="),
    )


@LEDGER.claim(
    "(A.50): equality condition",
    "equality in (A.50) holds if (A.48), (A.48), and (A.49) are satisfied",
)
def a50_equality(groups: tuple[str, ...] = ("rest", "rest", "views")) -> Verdict:
    # Same-class inner products are all 0 here, and cross-class sums are not all equal.
    uneven = Embeddings.from_vectors(2, 2, 1, [[1, 0], [0, 1], [1, 0], [0, -1]], note="signed axes")
    return at_temperature(
        lambda u: (self_bounds(u)["(A.50)"], loss(u, Fraction(1))),
        "=",
        (uneven, *ssem_sets()),
        where=lambda u: constant(u, pairs_of(u, own_views=True), *groups),
        note="(A.47) is needed as well; the first of the two (A.48) is meant to be (A.47)",
    )


@LEDGER.claim(
    "(A.51), first line",
    r"the right side of (A.50) is \log((m-1)np \exp(\dots) + (n-1)p \exp(-\frac{1}{2mn(n-1)} "
    r"\sum_{i, j \neq j'} \|E[U_{ij}] - E[U_{ij'}]\|^2/\tau) + p)",
)
def a51_first(printed: Bounds = self_bounds) -> Verdict:
    return at_temperature(
        lambda u: (self_bounds(u)["(A.50)"], printed(u)["(A.51), first line"]), "=", all_sets()
    )


@LEDGER.claim(
    "(A.51)",
    r"\dots \ge \log((m-1)np \exp(\frac{1}{m(m-1)n^2p^2} \sum \sum \sum u^\top w/\tau - 1/\tau) + "
    r"(n-1)p \exp(\dots) + p)",
)
def a51(printed: Bounds = self_bounds) -> Verdict:
    return sharp_chain(lambda u: [self_bounds(u)["(A.50)"], printed(u)["(A.51)"]], (">=",))


@LEDGER.claim(
    "(A.51): equality condition", "the equality condition for (A.51) is equivalent to (A.44)"
)
def a51_equality() -> Verdict:
    def sides(u: Embeddings) -> tuple[int, int]:
        # equality of the exponents: the mean inner product within instances is 1
        return int(own(u) == u.m * u.n * u.p**2), int(norms(u) == u.m * u.n)

    return at_temperature(sides, "=", (*all_sets(), apart_with_zero_sum()))


@LEDGER.claim(
    "(A.52)",
    r"L_{Self}(U) \ge \log((m-1)np \exp(-\frac{(m-1)n+1}{(m-1)n}/\tau - \frac{1}{m(m-1)n^2p^2} "
    r"\sum_{i, j \neq j'} \sum_u \sum_w u^\top w/\tau) + (n-1)p \exp(\dots) + p)",
)
def a52(printed: Bounds = self_bounds) -> Verdict:
    return sharp_chain(
        lambda u: [loss(u, Fraction(1)), self_bounds(u)["(A.51)"], printed(u)["(A.52)"]],
        (">=", ">="),
    )


@LEDGER.claim(
    "(A.53)",
    r"\dots \ge \log((m-1)np \exp(-\frac{m}{m-1}/\tau + \frac{1}{2m(m-1)n^2} \sum_{i, j \neq j'} "
    r"\|E[U_{ij}] - E[U_{ij'}]\|^2/\tau) + (n-1)p \exp(\dots) + p)",
)
def a53(printed: Bounds = self_bounds) -> Verdict:
    return sharp_chain(
        lambda u: [loss(u, Fraction(1)), self_bounds(u)["(A.52)"], printed(u)["(A.53)"]],
        (">=", ">="),
    )


@LEDGER.claim(
    "(A.53): equality condition",
    "equality in (A.52) and (A.53) holds if (A.43) and (A.44) are satisfied",
)
def a53_equality() -> Verdict:
    zero_sum = Embeddings.from_vectors(
        2, 2, 1, [[1, 0], [0, 1], [-1, 0], [0, -1]], note="plus and minus the axes"
    )
    return chain(
        lambda u: [self_bounds(u)[k] for k in ("(A.51)", "(A.52)", "(A.53)")],
        ("=", "="),
        (*ssem_sets(), zero_sum),
        where=lambda u: total(u) == 0 and norms(u) == u.m * u.n,
    )


# --- both losses -------------------------------------------------------------------------------
WEIGHTS = (Fraction(0), Fraction(2, 3), Fraction(1))


def a54_bound(u: Embeddings, weight: Fraction) -> Any:
    """The right-hand side of (A.54), as printed."""
    return a45_bound(u, weight) + weight * self_bounds(u)["(A.53)"]


def a54_meant(u: Embeddings, weight: Fraction) -> Any:
    """The same with (A.45) as it is meant."""
    return a45_meant(u, weight) + weight * self_bounds(u)["(A.53)"]


@LEDGER.claim(
    "(A.54)",
    r"L(U) \ge (1-\alpha) \log(-\frac{m}{m-1}/\tau - \frac{mn-1}{2m(m-1)n^2(n-1)} \sum "
    r"\dots/\tau) + "
    r"(n-1)p + p \exp(\dots) + \alpha \log((m-1)np \exp(\dots) + (n-1)p \exp(\dots) + p)",
)
def a54(printed: Bound = a54_bound) -> Verdict:
    note = LOST + "; and 1 - alpha multiplies all of it"
    return both(*(is_bound(printed, a, note) for a in WEIGHTS))


@LEDGER.claim(
    "(A.55)",
    r"(A.54) is a function l of \sum_{i, j \neq j'} \|E[U_{ij}] - E[U_{ij'}]\|^2",
)
def a55(printed: Bound = a54_bound) -> Verdict:
    note = "as printed, l has no real value; corrected as at (A.45), it has"
    real = on_collapsed(printed, Fraction(2, 3), note)
    if real.word != "agrees":
        return real
    # Sets with one spread have one value.
    return both(
        *(
            at_temperature(
                lambda u, a=a: (printed(u, a), printed(ssem_matching(u, spread), a)),  # type: ignore[misc]
                "=",
                all_sets(),
            )
            for a in WEIGHTS
        )
    )


@LEDGER.claim(
    "Theorem A.2, proof: SSEM satisfies the equality conditions",
    "SSEM satisfies (A.35), (A.36), (A.37), (A.43), (A.44), (A.47), (A.48) and (A.49)",
)
def ssem_equality() -> Verdict:
    def sides(u: Embeddings) -> tuple[int, int]:
        good = (
            constant(u, pairs_of(u, own_views=False), *GROUPS)
            and constant(u, pairs_of(u, own_views=True), *GROUPS)
            and total(u) == 0
            and norms(u) == u.m * u.n
        )
        return int(good), 1

    return needs_condition(
        "m >= 2",
        at_temperature(sides, "=", ssem_sets()),
        at_temperature(sides, "=", [Embeddings.ssem(1, 2, 1, Fraction(0))]),
        "for m = 1 the sum of the embeddings is zero at delta = 1 only",
    )


@LEDGER.claim(
    "Theorem A.2, proof: SSEM attains every spread",
    r"SSEM attains all possible values of \sum_{i, j \neq j'} \|E[U_{ij}] - E[U_{ij'}]\|^2",
)
def ssem_spread() -> Verdict:
    return at_temperature(
        lambda u: (spread(ssem_matching(u, spread)), spread(u)),
        "=",
        all_sets(),
        note="in dimension mn - 1 or more, for m >= 2 and n >= 2",
    )


@LEDGER.claim(
    "Theorem A.2, proof: chain of minima",
    r"L(U) \ge l(\sum \|E[U_{ij}] - E[U_{ij'}]\|^2) \ge \dots = \min_{U^\delta} L(U^\delta) "
    r"= \min_\delta L(U^\delta)",
    result="supcl-optimum",
)
def chain_of_minima(meant: Bound = a54_meant) -> Verdict:
    def lines(u: Embeddings, weight: Fraction) -> list[Any]:
        best = ssem_matching(u, spread)
        return [loss(u, weight), meant(u, weight), meant(best, weight), loss(best, weight)]

    return both(
        *(
            chain(lambda u, a=a: lines(u, a), (">=", "=", "="), all_sets())  # type: ignore[misc]
            for a in WEIGHTS
        )
    ).with_note("with l corrected as at (A.45): it is then the loss of the SSEM of equal spread")
