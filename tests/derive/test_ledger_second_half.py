"""The claims of Appendices A.3 to A.5 and B: verdicts, witnesses, and checks that must refuse."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import pytest
from cltheory.derive.papers.embeddings import Embeddings
from cltheory.derive.papers.ledger import Claim, Verdict
from cltheory.derive.papers.lee2025ssem import (
    LEDGER,
    appendix_b,
    bound_self,
    bound_sup,
    cnce,
    collapse,
    jensen,
    lemmas,
    optimality,
    reduced,
)
from cltheory.derive.papers.lee2025ssem.sums import cross, means, spread, temperature
from cltheory.derive.symbols import alpha, delta, m, n, p, tau, x
from sympy import exp, log, sqrt

MODULES = (jensen, lemmas, optimality, bound_sup, bound_self, reduced, collapse, cnce, appendix_b)
CLAIMS = [c for c in LEDGER if c.check.__module__ in {module.__name__ for module in MODULES}]

DIFFERS = {
    "Proposition A.5: equality condition",
    "(A.19): equality condition",
    "Proposition A.5, proof: equality condition",
    "Lemma A.1, proof: display before (A.25), first line",
    "(A.25), first line",
    "Lemma A.2",
    "Lemma A.2: delta*(c)",
    "(A.30)",
    "(A.42), last line",
    "Theorem A.2, proof: display after (A.44), middle lines",
    "(A.45)",
    "(A.50): equality condition",
    "(A.54)",
    "(A.55)",
    "Proposition A.6, proof: where the minimum is attained",
}
NEEDS_CONDITION = {
    "Lemma A.1",
    "Lemma A.1, proof: range of c",
    "Lemma A.1, proof: SSEM sums to zero",
    "(A.26)",
    "Lemma A.2, proof: range of c",
    "(A.28): equality condition",
    "Theorem A.2",
    "(A.43)",
    "Theorem A.2, proof: SSEM satisfies the equality conditions",
    "Theorem A.2, proof: optimal delta-tilde",
    "Theorem A.2, proof: conclusion",
    "Theorem A.3: temperature",
    "Theorem A.3: dimension",
    "Theorem A.3, proof: equivalent conditions",
    "Theorem A.3, proof: upper end",
    "Proposition A.6",
    "Proposition A.6, proof: conclusion",
    "Appendix B: existence",
}


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda c: c.label)
def test_each_claim_reaches_its_verdict(claim: Claim) -> None:
    verdict = claim.verdict()
    expected = {
        **dict.fromkeys(DIFFERS, "differs"),
        **dict.fromkeys(NEEDS_CONDITION, "needs-condition"),
    }
    assert verdict.word == expected.get(claim.label, "agrees")
    assert verdict.evidence.how
    if verdict.word in ("differs", "needs-condition"):
        assert verdict.note
        assert {"point", "printed", "derived"} <= set(verdict.witness)


def test_all_numbered_equations_are_there() -> None:
    labels = " ".join(c.label for c in CLAIMS)
    assert [k for k in range(18, 65) if f"(A.{k})" not in labels] == []
    assert {c.label for c in CLAIMS} >= DIFFERS | NEEDS_CONDITION


def test_verdicts_do_not_depend_on_the_run() -> None:
    assert lemmas.lemma_1() == lemmas.lemma_1()
    assert optimality.theorem_a2() == optimality.theorem_a2()


# --- the witnesses, redone in floats or by hand ------------------------------------------------
Vectors = list[tuple[float, ...]]


def dot(u: tuple[float, ...], v: tuple[float, ...]) -> float:
    return sum(a * b for a, b in zip(u, v, strict=True))


def supcl(u: Vectors, n: int, weight: float, tau: float) -> float:
    """SupCL for p = 1 and classes of n consecutive vectors."""
    found = 0.0
    for k, a in enumerate(u):
        pool = math.log(sum(math.exp(dot(a, w) / tau) for w in u))
        mates = [w for j, w in enumerate(u) if j // n == k // n and j != k]
        pull = sum(dot(a, w) for w in mates) / len(mates) / tau
        found += (1 - weight) * (pool - pull) + weight * (pool - dot(a, a) / tau)
    return found / len(u)


def ssem(delta_squared: str, p: int = 1) -> Embeddings:
    return Embeddings.ssem(2, 2, p, Fraction(delta_squared))


def test_equality_in_jensen_without_equal_vectors() -> None:
    # a = (1), w = 0 and 1: both sides are 1/2.
    left = (math.log(math.exp(0)) + math.log(math.exp(1))) / 2
    assert left == pytest.approx(math.log(math.exp(0.5)), abs=1e-15)


def test_lines_that_lost_c() -> None:
    # m = n = 2, p = 1, c = 2: same-class inner product 2/4, so delta^2 = 3/8.
    u = ssem("3/8")
    assert means(u) == 2
    assert cross(u) == -4 - 2 != -4 - 1
    assert Fraction(3, 8) != Fraction(3, 16) * (4 - 1)


def test_lemma_2_at_its_largest_c() -> None:
    assert spread(ssem("3/2")) == 2 * 2 * 2**2
    assert spread(ssem("3/4")) == 8  # the end that is printed reaches half of the interval
    with pytest.raises(ValueError, match="positive semidefinite"):
        ssem("6")  # the square of the printed delta*(8)
    assert spread(ssem("3/4")) == 8  # and of the corrected one


def test_the_last_line_of_a42() -> None:
    u = ssem("1/2")
    t = temperature(u)
    before = -Fraction(1, 2) / t - Fraction(3, 8) * 4 / t + Fraction(3, 16) * spread(u) / t
    assert before == -2 / t + Fraction(3, 16) * spread(u) / t
    assert before != -2 / t - Fraction(3, 16) * spread(u) / t


def test_equality_in_a50_needs_a47() -> None:
    u: Vectors = [(1, 0), (0, 1), (1, 0), (0, -1)]
    t = 3.5
    bound = math.log(2 * math.exp((0 - 1) / t) + 1 * math.exp((0 - 1) / t) + 1)
    assert supcl(u, 2, 1.0, t) > bound + 1e-3


def test_one_class_in_the_plane_beats_every_ssem() -> None:
    c, s = -0.5, math.sqrt(0.75)
    better = supcl([(1, 0), (1, 0), (0, 1)], 3, 0.5, 1.0)
    assert better < supcl([(1, 0)] * 3, 3, 0.5, 1.0) - 1e-3
    assert better < supcl([(1, 0), (c, s), (c, -s)], 3, 0.5, 1.0) - 1e-3


def test_on_the_line_classes_collapse_above_the_threshold() -> None:
    threshold = (3 + math.exp(2)) / (2 + 2 * math.exp(2))
    assert threshold < 0.75
    losses = {
        signs: supcl([(s,) for s in signs], 2, 0.75, 1.0) for signs in product((1, -1), repeat=4)
    }
    best = min(losses.values())
    optimal = {signs for signs, value in losses.items() if value < best + 1e-12}
    assert optimal == {(1, 1, -1, -1), (-1, -1, 1, 1)}


def test_the_open_interval_misses_the_root_at_alpha_one() -> None:
    def h(at: float) -> float:
        return -math.exp(-at) + math.exp(-2 + at / 2)

    assert h(0) < 0
    assert h(4 / 3) == pytest.approx(0, abs=1e-15)


def test_cnce_minimum_needs_the_root() -> None:
    with pytest.raises(ValueError, match="positive semidefinite"):
        ssem(str(Fraction(3, 2) ** 2))
    assert means(ssem("3/2")) == -4


def test_collapsed_ssem_fits_in_nine_dimensions() -> None:
    assert Embeddings.ssem(10, 10, 1, Fraction(0)).rank == 9


def test_no_small_dimension_reaches_the_ends() -> None:
    # Three signs never sum to zero: c >= -2 > -3, and at most 16 < 18 in Lemma A.2.
    sums = {sum(signs) ** 2 for signs in product((1, -1), repeat=3)}
    assert min(sums) - 3 == -2
    assert 2 * 3 * 3 - 2 * min(sums) == 16


# --- the corrections that the notes give do pass -------------------------------------------------
def multiples_of_ones(w: list[list[Fraction]]) -> bool:
    return all(len({a - b for a, b in zip(v, w[0], strict=True)}) == 1 for v in w)


def corrected_after_a44(u: Embeddings) -> list[Fraction]:
    t, size = temperature(u), u.m * u.n
    first, middle, _, _ = bound_sup.second_exponent_of_a40(u)
    shared = middle + means(u) / (size * (u.n - 1)) * t
    repaired = shared - means(u) / (size * (u.n - 1)) / t
    return [first, repaired, repaired]


CORRECTED: list[tuple[str, Callable[[], Verdict]]] = [
    ("jensen equality", lambda: jensen.jensen_equality(multiples_of_ones)),
    ("before A.25", lambda: lemmas.before_a25(-m * n * p**2 - p**2 * lemmas.c)),
    (
        "A.25",
        lambda: lemmas.a25_first(
            sqrt(
                (m * n - 1)
                / (m**2 * n**2 * (n - 1) * p**2)
                * (m * n * (n - 1) * p**2 - p**2 * lemmas.c)
            )
        ),
    ),
    ("Lemma A.2", lambda: lemmas.lemma_2(sqrt((m * n - 1) / (m * (n - 1))))),
    (
        "A.30",
        lambda: lemmas.delta_star_2(sqrt((m * n - 1) / (2 * m**2 * n**2 * (n - 1)) * lemmas.c)),
    ),
    (
        "A.42",
        lambda: bound_sup.a42_last(
            lambda u: -2 * Fraction(u.m, u.m - 1) / temperature(u) - bound_sup.a42_last_line(u)
        ),
    ),
    ("after A.44", lambda: bound_sup.after_a44(corrected_after_a44)),
    ("A.50", lambda: bound_self.a50_equality(bound_sup.GROUPS)),
    ("A.6", lambda: cnce.cnce_at(sqrt((m * n - 1) / (m * (n - 1))))),
]


@pytest.mark.parametrize(
    ("name", "check"), CORRECTED, ids=lambda v: v if isinstance(v, str) else ""
)
def test_corrections_agree(name: str, check: Callable[[], Verdict]) -> None:
    assert check().word == "agrees"


# --- corrupted formulas are refused --------------------------------------------------------------
H = optimality.PRINTED_H
N_FOR_N_MINUS_1 = H.subs(n, n + 1)
WRONG: list[tuple[str, Callable[[], Verdict]]] = [
    (
        "delta*(c): n for n-1",
        lambda: lemmas.delta_star_1(sqrt((m * n - 1) * (1 / (m * n) - lemmas.c / (m**2 * n**3)))),
    ),
    ("A.21: sign", lambda: lemmas.a21(lambda u: u.m * u.n * u.p**2 - lemmas.same(u))),
    ("A.22: p^2 dropped", lambda: lemmas.a22(lambda u: -u.m * u.n * u.p**2 - means(u))),
    ("A.29: factor 1/2 dropped", lambda: lemmas.a29(lambda u: u.m * u.n * (u.n - 1) - spread(u))),
    ("zero sum: n for n-1", lambda: lemmas.zero_sum(m * n**2 * p**2 - m * n**2 * p**2 * delta**2)),
    ("before A.25: sign", lambda: lemmas.before_a25_rest(-m * n**2 * p**2 - delta**2)),
    ("before A.30: factor", lambda: lemmas.before_a30(m * n * (n - 1) * p**2 - lemmas.c * p**2)),
    ("A.31: sign", lambda: optimality.optimal_delta(H - 2 * (1 - alpha))),
    ("A.31: interval", lambda: optimality.optimal_delta(end=n)),
    ("h: n for n-1", lambda: optimality.h_function(N_FOR_N_MINUS_1)),
    ("h: sign", lambda: optimality.h_function(-H)),
    ("h: 1/tau", lambda: optimality.h_function(H.subs(tau, 1 / tau))),
    ("A.38: too high", lambda: bound_sup.a38(lambda u: bound_sup.a38_bound(u) + Fraction(1, 9))),
    ("A.39: classes mixed", lambda: bound_sup.a39(bound_sup.a40_bound)),
    ("A.40: too high", lambda: bound_sup.a40(lambda u: bound_sup.a40_bound(u) + Fraction(1, 9))),
    (
        "A.42: sign",
        lambda: bound_sup.a42(lambda u: [*bound_sup._first_exponent(u)[:-1], Fraction(0)]),
    ),
    ("A.50: too high", lambda: bound_self.a50(lambda u: {"(A.50)": temperature(u) * 9})),
    (
        "A.53: sign",
        lambda: bound_self.a53(lambda u: {"(A.53)": -bound_self.self_bounds(u)["(A.53)"] + 9}),
    ),
    ("A.56: p dropped", lambda: reduced.a56(reduced.PRINTED_G / p)),
    ("L_Sup: sign", lambda: reduced.sup_on_ssem(log(reduced.PRINTED_G) + 1 / tau)),
    ("L_Self: tau", lambda: reduced.self_on_ssem(log(reduced.PRINTED_G) - tau)),
    (
        "A.57: log p dropped",
        lambda: reduced.a57_next(log(reduced.PRINTED_SUM) + (1 - alpha) * x / tau),
    ),
    ("range: n for n-1", lambda: reduced.range_of_x((n + 1) / n)),
    ("A.58: sign", lambda: reduced.a58(-H)),
    ("h increases: sign", lambda: reduced.h_increases(-H)),
    ("h at the simplex", lambda: reduced.h_at_simplex(1 - alpha)),
    ("alpha: n for n-1", lambda: collapse.theorem_a3(collapse.PRINTED_ALPHA.subs(n, n + 1))),
    ("alpha: 1/tau", lambda: collapse.theorem_a3(collapse.PRINTED_ALPHA.subs(tau, 1 / tau))),
    ("tau: 1/m dropped", lambda: collapse.theorem_a3_tau(1 / log(collapse.RATIO))),
    (
        "tau: ratio upside down",
        lambda: collapse.equivalents(m / ((m - 1) * log(1 / collapse.RATIO))),
    ),
    ("condition: sign", lambda: collapse.condition(-H)),
    ("A.59: last line", lambda: collapse.a59((*collapse.PRINTED_A59[:2], 1 - alpha * n))),
    ("A.60: sign", lambda: collapse.a60(left=1 - alpha * n)),
    ("ratio: m for n", lambda: collapse.ratio((alpha * m - 1) / (alpha * n - 1 + m * n))),
    ("least alpha: m for n", lambda: collapse.least_alpha(1 / m)),
    ("L_cNCE: sign", lambda: cnce.cnce_loss(lambda u: -cnce._printed_cnce(u))),
    ("A.64: too high", lambda: cnce.a64(lambda u: [v + 1 for v in cnce._a64_lines(u)])),
    (
        "L_cNCE on SSEM: p",
        lambda: cnce.cnce_on_ssem(log((n - 1) * exp(-cnce.X_OF_DELTA / tau) + 1)),
    ),
    ("decreases: sign", lambda: cnce.cnce_decreases(-cnce.PRINTED_CNCE)),
    ("99: off by one", lambda: appendix_b.b_dimension(100)),
]


@pytest.mark.parametrize(("name", "check"), WRONG, ids=lambda v: v if isinstance(v, str) else "")
def test_corrupted_formulas_are_refused(name: str, check: Callable[[], Verdict]) -> None:
    verdict = check()
    assert verdict.word == "differs"
    assert verdict.witness
