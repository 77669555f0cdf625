"""Maximum entropy, P1 and P2: against constrained optimisation that shares no code with it."""

import cvxpy
import mpmath
import numpy as np
import pytest
from cltheory.cli.main import run
from cltheory.derive.decide.evidence import Grade
from cltheory.derive.results import results
from scipy.special import logsumexp, softmax
from sympy import Rational, sympify

RESULT = results["exponential-kernel"]
#: Cases that have ties, ends and extremes: psi, the value of P1 as text, tau_star as text.
CORNERS = [
    ("1,0", "0", "0"),
    ("1,1", "log(2)", None),
    ("3,3,3", "log(3)", None),
    ("2,2,0,-1", "log(2)", "0"),
    ("0,1", "log(2)", "oo"),
    ("0,1,-1", "log(3)", "oo"),  # psi_1 is the mean
    ("1000,0", "0", "0"),
    ("0,1000,-1001", None, None),
    ("1/1000,0,1/500", "log(3)", "oo"),
    ("sqrt(2),sqrt(2),1", "log(2)", "0"),
]


def entropy(shares):
    shares = np.asarray(shares, dtype=float)
    inside = shares[shares > 0]
    return float(-(inside * np.log(inside)).sum())


def p1_by_interior_points(psi):
    """P1 as a cone program; with equality where the first is the largest, which has no interior."""
    gaps = np.asarray(psi) - psi[0]
    gaps /= max(abs(gaps).max(), 1)
    shares = cvxpy.Variable(len(psi), nonneg=True)
    mean = shares @ gaps
    problem = cvxpy.Problem(
        cvxpy.Maximize(cvxpy.sum(cvxpy.entr(shares))),
        [cvxpy.sum(shares) == 1, mean == 0 if gaps.max() <= 0 else mean >= 0],
    )
    problem.solve(solver=cvxpy.CLARABEL)
    assert problem.status == cvxpy.OPTIMAL
    return float(problem.value)


def random_psi(seed):
    rng = np.random.default_rng(seed)
    return [Rational(int(k), 7) for k in rng.integers(-12, 13, size=int(rng.integers(2, 7)))]


@pytest.mark.parametrize("seed", range(12))
def test_both_programs_against_optimisation(seed):
    psi = random_psi(seed)
    floats = np.array([float(e) for e in psi])
    at = results["exponential-kernel"].with_inputs(psi=psi)
    # Clarabel ends within 1e-8 of feasibility, which costs entropy 1e-8 log(1e8) where it is low.
    assert float(at.value("p1_value")) == pytest.approx(p1_by_interior_points(floats), abs=2e-6)
    shares = np.array([float(e) for e in at.value("p1_maximiser")])
    assert shares.sum() == pytest.approx(1) and shares @ floats >= floats[0] - 1e-12
    assert entropy(shares) == pytest.approx(float(at.value("p1_value")), abs=1e-12)
    rng = np.random.default_rng(seed)
    for t in ("1/10", "1/2", "3"):
        heat = float(Rational(t))
        value = float(at.value("value", tau=t))
        assert value == pytest.approx(heat * logsumexp(floats / heat) - floats[0], rel=1e-12)
        best = [float(e) for e in at.value("maximiser", tau=t)]
        assert best == pytest.approx(softmax(floats / heat), rel=1e-12)
        for other in rng.dirichlet(np.ones(len(psi)), size=20):  # none does better
            assert other @ floats - floats[0] + heat * entropy(other) <= value + 1e-12
        assert float(at.value("gap", tau=t)) >= -1e-15


@pytest.mark.parametrize("seed", range(12))
def test_the_best_temperature_closes_the_gap(seed):
    at = RESULT.with_inputs(psi=random_psi(seed))
    if "one tau" not in str(at.regime):
        return
    heat = at.value("tau_star", digits=40)
    # Forty digits in; the gap is quadratic in the error of the temperature.
    assert abs(at.value("gap", tau=str(heat), digits=30)) < 1e-30
    assert abs(at.value("slack", tau=str(heat), digits=30)) < 1e-30
    for factor in ("0.9", "1.1"):
        assert at.value("gap", tau=str(heat * sympify(factor))) > 0


@pytest.mark.parametrize("psi, value, heat", CORNERS)
def test_ties_ends_and_extremes(psi, value, heat):
    at = RESULT.with_inputs(psi=psi)
    if value is not None:
        assert at.p1_value == sympify(value)
    if heat is not None:
        assert at.tau_star == sympify(heat)
    elif value is not None:
        assert "tau_star" not in at.quantities and at.gap == 0
    numbers = [float(sympify(e)) for e in psi.split(",")]
    largest = numbers[0] == max(numbers)
    assert bool(at.only_first) == (largest and numbers.count(numbers[0]) == 1)
    assert at.ties == numbers.count(numbers[0])
    assert float(at.value("p1_value")) == pytest.approx(
        entropy([float(e) for e in at.value("p1_maximiser")]), abs=1e-12
    )


def test_the_general_formulas_are_those_of_given_similarities():
    at = {"psi_1": "1/3", "tau": "1/2", "n": 3}
    given = RESULT.with_inputs(psi="1/3,1,-2")
    partition = "exp(2/3)+exp(2)+exp(-4)"
    total = sympify(partition)
    for name in ("value", "bound"):
        there = RESULT.quantity(name).expression.subs(
            {
                s: {"partition": total}.get(s.name, sympify(at.get(s.name, 0)))
                for s in RESULT.parameters
            }
        )
        assert float(there) == pytest.approx(float(given.value(name, tau="1/2")), rel=1e-12)


@pytest.mark.parametrize(
    "words, said",
    [
        (["--psi", "1"], "the positive alone has no negatives"),
        (["--psi", "1,oo"], "must be finite"),
        (["--psi", "1,2", "--tau", "0"], "tau must be > 0"),
        (["--psi", "__import__('os').getpid(),1"], "psi"),
    ],
)
def test_bad_input_is_one_line(words, said, capsys):
    assert run(["derive", "exponential-kernel", *words]) == 2
    told = capsys.readouterr().err
    assert said in told and "Traceback" not in told


@pytest.mark.parametrize(
    "psi",
    [
        "0.623456789,1,0.2,-0.3",  # a polynomial of the degree 10^9
        "1,1+1e-40,0",
        "1,2,-10**7",
        "1/3,sqrt(2),log(2),-5,pi",
    ],
)
def test_similarities_whose_exponentials_are_no_small_polynomials(psi, capsys):
    # Such as those of an encoder, with all their digits: the general steps hold for them.
    given = RESULT.with_inputs(psi=psi)
    with mpmath.workdps(120):
        rows = [mpmath.mpf(str(e.evalf(120))) for e in given.data["psi"]]
        gaps = [e - rows[0] for e in rows]
        whole = mpmath.fsum(mpmath.exp(2 * e) for e in gaps)
        value = mpmath.mpf(str(given.value("value", tau="1/2", digits=20)))
        assert abs(value - mpmath.log(whole) / 2) < 1e-19
        best = 1 / mpmath.mpf(str(given.value("tau_star", tau="1/2", digits=50)))
        slope = [e * mpmath.exp(best * e) for e in gaps]
        assert abs(mpmath.fsum(slope)) < 1e-35 * max(map(abs, slope))
    assert given.derivation.evidence.grade is Grade.EXACT
    assert run(["derive", "exponential-kernel", "--psi", psi]) == 0
    assert "tau_star" in capsys.readouterr().out


def test_numpy_functions_do_not_overflow_at_low_temperatures() -> None:
    """At tau = 1/1000 the exponentials are beyond the largest float."""
    given = results["exponential-kernel"].with_inputs(psi="1,2,0,-3")
    for name in ("maximiser", "value", "bound", "slack", "gap"):
        exact = np.array(given.value(name, tau="1/1000"), float)
        np.testing.assert_allclose(given.function(name)(tau=1e-3), exact, rtol=1e-12, atol=1e-300)
