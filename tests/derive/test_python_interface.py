"""What a user types first: attributes, numbers at a point, symbols, a plot."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from operator import neg
from pathlib import Path
from typing import Any

import cltheory as cl
import pytest
from cltheory.derive.decide.domain import DomainError
from cltheory.derive.decide.root import ClampedRoot
from cltheory.derive.errors import Refusal
from cltheory.derive.results import results
from cltheory.derive.theorem.number import Numbers, as_float
from cltheory.derive.theorem.plain import plain
from cltheory.derive.theorem.result import Result
from cltheory.derive.theorem.values import Values
from sympy import (
    Derivative,
    Expr,
    Lambda,
    Max,
    Piecewise,
    Poly,
    Rational,
    Reals,
    S,
    Symbol,
    diff,
    exp,
    expand,
    factor,
    fraction,
    integrate,
    lambdify,
    latex,
    limit,
    log,
    oo,
    powdenest,
    series,
    simplify,
    solve,
    solveset,
    sqrt,
    srepr,
    together,
)

R = cl.supcl_threshold
ROOT = Path(__file__).parents[2]


def test_a_result_by_attribute_or_by_either_name() -> None:
    assert R is cl.results["supcl-threshold"] is cl.results["supcl_threshold"]
    assert "supcl_threshold" in cl.results and "supcl_treshold" not in cl.results
    assert "supcl_threshold" in dir(cl) and "TYPE_CHECKING" not in dir(cl)
    with pytest.raises(AttributeError, match="no attribute 'supcl_treshold'"):
        _ = cl.supcl_treshold
    with pytest.raises(AttributeError, match=r"no alphamin \(did you mean 'alpha_min'\?\)"):
        R.limit("alphamin")


def test_modules_show_their_public_names_only() -> None:
    assert dir(cl.numeric) == ["band", "batches", "losses", "metrics"]
    with pytest.raises(AttributeError, match="no attribute 'bands'"):
        _ = cl.numeric.bands
    pytest.importorskip("torch")
    assert {"losses", "SupCon"} & {*dir(cl.numeric.losses), *dir(cl.losses)} == {"SupCon"}
    public = cl.numeric.losses, cl.numeric.metrics, cl.numeric.band, cl.numeric.batches
    for module in (cl.metrics, *public):
        assert dir(module) == sorted(module.__all__)


def test_what_python_prints_of_them_is_a_line_that_says_what_they_are() -> None:
    assert repr(cl.results).startswith(f"<{len(cl.results)} results: ccem, ")
    assert repr(R.quantity("alpha_min_tau_0")) == "<Quantity 1/n: limit of alpha_min as tau -> 0>"
    assert "<Claim Theorem 2 of lee2025ssem>" in map(repr, R.claims)
    assert str(R.derivation).splitlines()[18] == f"18. {R.derivation[18].title}"
    assert repr(R.domain).startswith("<Domain: m an integer >= 2, n an integer >= 2, ")
    assert repr(R.problem) == f"<Problem {R.problem.loss.title}>"


def test_importing_brings_nothing_heavy_and_modules_come_when_asked_for() -> None:
    code = "import sys, cltheory; print('sympy' in sys.modules); print(cltheory.derive.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "cltheory.derive"]


def test_numbers_at_a_point_are_those_of_value() -> None:
    at = {"m": 10, "n": 50, "tau": "1/10"}
    found = R(**at, digits=30)
    assert R({"m": 10, Symbol("n"): 50}, tau="1/10", digits=30).alpha_min == found.alpha_min
    assert found.alpha_min == found["alpha_min"] == R.value("alpha_min", **at, digits=30)
    assert found.tau_max.free_symbols == {R.symbols("alpha")}  # not given, so still symbolic
    assert "alpha_min = 0.0201464446195631276325122913233" in repr(found)
    assert set(found) <= set(R) and len(found) == len(R.quantities)


def test_a_quantity_that_does_not_exist_says_why_and_leaves_the_others() -> None:
    found = R(m=10, n=50, tau=0.1, alpha=0)  # no temperature helps at alpha = 0
    assert found.alpha_min
    with pytest.raises(AttributeError, match=r"alpha must be in \(1/n, 1\], not 0"):
        _ = found.tau_max
    with pytest.raises(AttributeError, match="has no beta; it has alpha_min"):
        _ = found.beta
    for nowhere in (R.subs(alpha=0), R(alpha=0)):  # for no n
        with pytest.raises(AttributeError, match=r"alpha must be in \(1/n, 1\], not 0"):
            _ = nowhere.tau_max


def test_expressions_with_some_values_put_in() -> None:
    n, tau = R.symbols("n tau")
    found = R.subs(m=10, n="oo")
    assert found.alpha_min.free_symbols == {tau}
    assert found.alpha_min == limit(R.alpha_min.subs(R.symbols("m"), 10), n, oo)
    assert (
        diff(R.alpha_min, tau) == diff(R.alpha_min, "tau") == diff(R.alpha_min, Symbol("tau")) != 0
    )
    assert R.alpha_min.subs({"m": 10}) == R.subs(m=10).alpha_min == R(m=10).alpha_min
    assert R.subs({"m": 10}).alpha_min == R.subs({Symbol("m"): 10}).alpha_min == R(m=10).alpha_min
    assert R.subs("m", 10).alpha_min == R.subs([(Symbol("m"), 10)]).alpha_min == R(m=10).alpha_min
    assert diff(R["alpha_min"], "tau") == diff(R.alpha_min, "tau") != 0
    mine = Symbol("tau", positive=True)
    assert limit(R.alpha_min.subs({"m": 10, "tau": mine}), mine, 0) == 1 / n
    with pytest.raises(NotImplementedError, match="sign of"):  # m is any number to SymPy
        limit(R.alpha_min, "tau", 0)


@pytest.mark.parametrize(
    "ask",
    [
        diff,
        lambda e, tau: Derivative(e, tau).doit(),
        lambda e, tau: diff(simplify(e), tau),
        lambda e, tau: diff(e.factor(), tau),
        lambda e, tau: diff(e.together().cancel(), tau),
        lambda e, tau: diff(expand(e), tau),
        lambda e, tau: limit(e, tau, 0),
        lambda e, tau: series(e, tau, 1, 2),
        lambda e, tau: integrate(e, (tau, 1, 2)),
        lambda e, tau: solve(e - 2, tau),
        lambda e, tau: solveset(e, tau, Reals),
        lambda e, tau: e.subs({"m": 10, tau: 1}),
        lambda e, tau: e.xreplace({tau: S.One}),
        lambda e, tau: e.replace(tau, S.One),
        lambda e, tau: e.coeff(tau),
        lambda e, tau: e.is_rational_function(tau),
        lambda e, tau: tau in e.free_symbols,
    ],
)
def test_another_symbol_of_the_same_name_is_never_met_with_silence(ask: Any) -> None:
    mine = Symbol("tau", positive=True)
    at = R.alpha_min.subs({"m": 10})
    for e in (
        R.alpha_min,
        2 * R.alpha_min + 1,
        -((1 / at) ** 2),
        diff(at, "n"),
        R.subs(n=2).alpha_min,
    ):
        with pytest.raises(Refusal, match="this tau has other assumptions"):
            ask(e, mine)


@pytest.mark.parametrize("mine", [Symbol("tau", positive=True), Symbol("n", integer=True)])
def test_another_symbol_does_not_mix_with_that_of_the_formula(mine: Symbol) -> None:
    for mix in (
        lambda a: mine * a,
        lambda a: a / mine,
        lambda a: mine / a,
        lambda a: a - mine,
        lambda a: mine**a,
        lambda a: a > mine,
    ):
        with pytest.raises(Refusal, match="has other assumptions"):
            mix(R.alpha_min)
    assert diff(Symbol(mine.name) * R.alpha_min, mine.name) != R.alpha_min


TAU, N = Symbol("tau", positive=True), Symbol("n")


@pytest.mark.parametrize(
    "e",
    [
        log(1 + TAU),
        exp(-TAU),
        Max(N, TAU),
        Piecewise((TAU, N > 1), (N, True)),
        TAU < N,
        ClampedRoot(Lambda(N, N - TAU), 0, oo),
    ],
)
def test_functions_cases_relations_and_roots_refuse_another_symbol_too(e: Any) -> None:
    made = plain(e)
    same = e.xreplace({TAU: Symbol("tau")})
    assert made == same and hash(made) == hash(same) and srepr(made) == srepr(same)
    for ask in (
        lambda: made.subs(TAU, 2),
        lambda: made.has(TAU),
        lambda: TAU in made.free_symbols,
        *([lambda: diff(made, TAU), lambda: diff(sqrt(made), TAU)] if isinstance(e, Expr) else []),
    ):
        with pytest.raises(Refusal, match="has other assumptions"):
            ask()
    assert made.subs("tau", 2) == same.subs("tau", 2)
    assert powdenest(made) == powdenest(same)  # SymPy replaces by what is no dictionary
    for what in ("is_polynomial", "is_rational_function", "is_algebraic_expr"):
        assert not hasattr(same, what) or getattr(made, what)() == getattr(same, what)()


def test_where_sympy_takes_no_text_for_a_symbol_text_is_refused() -> None:
    for ask in (
        lambda: R.alpha_min.has("tau"),
        lambda: "tau" in R.alpha_min.free_symbols,
        lambda: R.alpha_min.xreplace({"tau": S.One}),
        lambda: series(R.alpha_min, "tau", 1, 2),
    ):
        with pytest.raises(Refusal, match="not for the text 'tau'"):
            ask()
    assert R.alpha_min.has(exp) and R.alpha_min.coeff("q") == 0


def test_digits_that_cancel_are_computed_again_as_sympy_does_it() -> None:
    """SymPy looks up by the very class how it evaluates an expression."""
    small = plain(exp(TAU) - 1 - TAU).subs("tau", Rational(1, 10**30))
    assert small.evalf() == pytest.approx(5e-61) and small.n(5) > 0


@pytest.mark.parametrize("text", ["tua", "x", ("x", 2), "alpha"])
def test_text_that_names_no_symbol_is_not_differentiated_to_zero(text: Any) -> None:
    with pytest.raises(Refusal, match="the formula has no symbol"):
        R.alpha_min.diff(text)
    assert diff(R.alpha_min, Symbol("x")) == 0 == R.diff("alpha_min", "alpha")


def test_another_symbol_that_is_put_in_first_is_the_symbol_of_the_formula() -> None:
    mine = Symbol("tau", positive=True)
    assert lambdify([mine], R.alpha_min.subs({"m": 2, "n": 2}))(1) == pytest.approx(
        0.6192, abs=1e-4
    )
    own = R.alpha_min.subs({"tau": mine})
    assert diff(own, mine) == diff(R.alpha_min, "tau").subs({"tau": mine})
    with pytest.raises(Refusal):
        diff(own, "tau")


def test_to_sympy_a_watched_formula_is_any_other() -> None:
    e, y = R.alpha_min, Symbol("y")
    same = e.func(*e.args)
    assert (
        type(e) is not type(same) and e == same == e and hash(e) == hash(same) and {same: 1}[e] == 1
    )
    assert pickle.loads(pickle.dumps(e)) == copy.deepcopy(e) == e
    for do in (
        *(simplify, factor, expand, together, fraction, latex, str, srepr, log, abs, neg),
        lambda e: diff(e, "tau", 2),
        lambda e: limit(e.subs({"m": 3}), "tau", oo),
        lambda e: solve(e - Rational(1, 2), "n"),
        lambda e: Piecewise((e, y > 1), (0, True)).subs({y: 2}),
        lambda e: (1 + log(e)).subs(e, y),
        lambda e: Poly(fraction(e)[0], Symbol("n")),
        lambda e: lambdify(R.symbols("m n tau"), e)(3, 4, 0.5),
    ):
        assert do(e) == do(same)


def test_limits_and_derivatives_know_the_ranges_of_the_symbols() -> None:
    assert R.limit("alpha_min", "n", oo) == R.alpha_min_n_oo == R.subs(n="oo").alpha_min
    assert R.limit("alpha_min", Symbol("tau"), 0) == R.alpha_min_tau_0
    assert R.limit("alpha_min", "tau", "oo", m=10) == 1
    assert R.limit("tau_max", "alpha", 1, m=10, n=50) == oo
    with_m = R.diff("alpha_min", "tau", m=10)
    assert (
        with_m.equals(diff(R.subs(m=10).alpha_min, "tau")) and R.diff("alpha_min_tau_0", "m") == 0
    )
    assert R.diff("alpha_min", "tau").equals(diff(R.alpha_min, "tau"))
    near, step = R.value("alpha_min", m=10, n=50, tau="0.5", digits=30), 1e-6
    far = R.value("alpha_min", m=10, n=50, tau="0.500001", digits=30)
    slope = R.diff("alpha_min", "tau").subs({"m": 10, "n": 50, "tau": 0.5})
    assert float((far - near) / step) == pytest.approx(float(slope), rel=1e-4)  # of order step


def test_no_formula_is_lost_in_plain_symbols() -> None:
    for name, q in R.quantities.items():
        inside = {Symbol(s.name): s for s in R.parameters}
        assert getattr(R, name).xreplace(inside) == q.expression and R[name] == getattr(R, name)


def test_lists_and_losses_are_given_like_values() -> None:
    assert cl.soft_supcon(sizes="2,2,4", epsilon="0.1", tau="0.1").cosines[0][0] == 1
    assert "cosines" in cl.soft_supcon(sizes="2,2,4", epsilon="0.1", tau="0.1")
    assert isinstance(cl.problem("docs/problems/superclasses.toml"), Result)
    assert cl.problem(Path("docs/problems/towers.toml")).id == "towers"
    sizes = {"m1": 2, "n1": 2, "m2": 1, "n2": 3, "p": 2}
    assert "same_class_1" in cl.supcl_two_sizes(**sizes, tau="1/2", alpha="1/2")
    assert cl.phases(m=3, n=2, p=2, tau="1/10", alpha="1/2").structure == "classes"
    many = cl.soft_supcon(C=10**6, n=2, epsilon="1/10", tau=1)
    assert "cosines" not in many and many.loss > 0  # a table of 10^12 entries is not made


@pytest.mark.parametrize(
    "ask, says",
    [
        (lambda: R(m=1), "m must be an integer >= 2"),
        (lambda: R.symbols("q"), "has no symbol q; it has m, n"),
        (lambda: R.diff("alpha_min", "q"), "has no symbol q; it has m, n"),
        (lambda: R.limit("alpha_min", "n", 3), "comes no closer to 3"),
        (lambda: R.limit("alpha_min", "tau", "zero"), "is not a number"),
        (lambda: R.limit("alpha_min", "tau"), r"where to: limit\('alpha_min', 'tau', 'oo'\)"),
        (lambda: R.limit("alpha_min", m=2, tau=0), r"where to: limit\('alpha_min', 'tau', 0\)"),
        (lambda: R.limit("alpha_min", "q"), "has no symbol q"),
        (lambda: R.subs("m"), "m: '' is not a number"),
        (lambda: R.subs(3), "give values by name, such as m=10, not 3"),
        (lambda: R.subs([3]), r"such as m=10, not \[3\]"),
        (lambda: R(3), "give values by name, such as m=10, not 3"),
        (lambda: R(alhpa=1), r"no parameter alhpa \(did you mean 'alpha'\?\); it takes m, n"),
        (lambda: R.diff("alpha_min", "tua"), r"no symbol tua \(did you mean 'tau'\?\)"),
        (lambda: R.limit("alpha_min", "tau", 0, tau=1), "tau varies here"),
        (lambda: R.diff("alpha_min"), "say in which symbol of alpha_min; it has m, n"),
        (lambda: R.diff("alpha_min", "tau", m=1), "m must be an integer >= 2"),
        (lambda: R.subs({"q": 1}), "has no parameter q"),
        (lambda: cl.phases.limit("classes_for_alpha", "tau", 0), "is a set, not a number"),
        (lambda: cl.supcl_optimum.diff("x_star", "tau"), "has no closed form to differentiate"),
        (lambda: cl.sigmoid_optimum.diff("regime", "t"), "regime is a name, not a number"),
        (lambda: cl.sigmoid_optimum.function("regime"), "words: antipodal, between, simplex"),
        (lambda: cl.problem("nowhere.toml"), "nowhere.toml"),
        (lambda: cl.problem(3), "no loss is called '3'"),
        (lambda: R.plot("alpha_min", over="tau", m=[2, 3], n=[2, 3]), "one value may be a list"),
        (lambda: R.plot("alpha_min", over="q", m=2), "without a value: n, tau"),
        (lambda: R.plot("alpha_min", over="tau", tau=1, m=2, n=2), "alpha_min depends on none"),
        (lambda: R.plot("alpha_min"), "over must be a parameter .* without a value: m, n, tau"),
        (lambda: R.plot("alpha_min", over="tau", m=2), "depends on n: give"),
        (lambda: cl.phases.plot("classes_for_alpha", over="tau", m=2, n=2), "a set, not a number"),
    ],
)
def test_what_is_not_accepted_is_said_in_a_line(ask, says: str) -> None:
    with pytest.raises(DomainError, match=says) as refusal:
        ask()
    assert "\n" not in str(refusal.value)


def test_a_plot_has_a_curve_for_each_entry_of_a_list() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    ax = R.plot("alpha_min", over="tau", m=10, n=[10, 50, "1000"], between=(0.1, 1))
    assert [line.get_label() for line in ax.get_lines()] == ["$n = 10$", "$n = 50$", "$n = 1000$"]
    x, y = ax.get_lines()[1].get_data()
    assert (x[0], x[-1]) == (0.1, 1)
    assert y[0] == pytest.approx(float(R.value("alpha_min", m=10, n=50, tau="0.1")))
    whole = R.plot("alpha_min", m=10, tau=0.5).get_lines()[0].get_xdata()
    assert set(whole) == set(range(2, 53))


def test_names_of_quantities_do_not_collide_with_methods_or_attributes() -> None:
    taken = set(dir(Result)) | set(dir(Values))
    found = [(r.id, q) for r in results.values() for q in r.quantities if q in taken | set(vars(r))]
    assert found == [("exponential-kernel", "value")]  # an old name: results[id]["value"]


def test_a_number_that_was_handed_out_is_a_float_and_nothing_else_is() -> None:
    assert as_float(R.value("alpha_min", m=10, n=50, tau="0.1")) == pytest.approx(
        0.0201464446195631
    )
    assert as_float(True) == 1.0
    for other in ("classes", [1.0], Numbers("alpha", ())):
        with pytest.raises(TypeError):
            as_float(other)


def test_the_modules_whose_types_are_strict_exist() -> None:
    """A name that is mistyped there would be passed over by mypy."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (strict,) = (o for o in config["tool"]["mypy"]["overrides"] if "disallow_any_explicit" in o)
    assert {"cltheory", "cltheory.losses", "cltheory.metrics"} <= set(strict["module"])
    for name in strict["module"]:
        assert find_spec(name.removesuffix(".*")) is not None, name
