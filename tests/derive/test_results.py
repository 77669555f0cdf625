"""The registry and the interface of results."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest
from cltheory.derive.decide.domain import DomainError
from cltheory.derive.decide.evidence import Grade
from cltheory.derive.decide.root import ClampedRoot
from cltheory.derive.results import UnknownResult, results
from hypothesis import given
from hypothesis import strategies as st
from sympy import Rational, oo, sqrt

#: All others are exact.
WEAKER = {"pair-energy": Grade.INTERVAL, "uniform-bound": Grade.ARGUED}


@pytest.mark.parametrize("id", list(results))
def test_every_result_is_well_formed(id: str) -> None:
    r = results[id]
    assert r.id == id and r.title and r.source
    assert set(r.parameters) <= set(r.domain.ranges)
    r.domain.check(r.domain.witness)
    bounded = set(r.domain.ranges)
    for name, q in r.quantities.items():
        averages = {s for s in q.expression.free_symbols if s.name.startswith("g_")}
        words = q.names - bounded
        assert q.expression.free_symbols - averages - words <= bounded, name
        assert q.symbol and q.meaning
    assert r.evidence.grade is WEAKER.get(id, Grade.EXACT)
    assert "$$" in r._repr_mimebundle_()["text/markdown"]


@pytest.mark.parametrize("id", list(results))
def test_every_quantity_has_a_value_at_the_witness(id: str) -> None:
    r = results[id]
    point = {s.name: v for s, v in r.domain.witness.items() if s in r.parameters}
    for name, q in r.quantities.items():
        if q.expression.free_symbols <= set(r.parameters) and (
            q.domain is None or q.domain.contains(r.domain.witness)
        ):
            if q.needs is None or q.needs[0].subs(r.domain.witness).evalf() >= 0:
                value = r.value(name, **point)
                assert not q.is_number or mpmath.isfinite(value), name


@pytest.mark.parametrize("id", list(results))
def test_what_a_threshold_is_about_exists_at_all_sizes(id: str) -> None:
    """Also at one view or one instance, where some eigenspaces have no dimension."""
    for name, q in results[id].quantities.items():
        for threshold in filter(None, [q.threshold, *q.ends.values()]):
            place = threshold.criterion.place
            for point in () if place is None else threshold.domain.points():
                entries = [*place.inner.values(), *place.along.values()]
                assert all(e.xreplace(point).is_finite for e in entries), (name, point)


def test_unknown_ids_are_refused() -> None:
    with pytest.raises(UnknownResult, match="'nope'"):
        results["nope"]
    with pytest.raises(AttributeError, match="it has alpha_min"):
        results["supcl-threshold"].nope  # noqa: B018


def test_floats_are_the_decimals_they_print_as() -> None:
    r = results["supcl-threshold"]
    at = [r.value("alpha_min", m=3, n=4, tau=t, digits=30) for t in (0.1, "0.1", Fraction(1, 10))]
    assert len({mpmath.nstr(v, 30) for v in at}) == 1


@pytest.mark.parametrize(
    "bad, says",
    [
        ({"m": 1}, "m must be an integer >= 2, not 1"),
        ({"n": 0}, "n must be an integer >= 2, not 0"),
        ({"m": "2.5"}, "m must be an integer >= 2"),
        ({"tau": 0}, "tau must be > 0, not 0"),
        ({"tau": -1}, "tau must be > 0"),
        ({"alpha": "1.1"}, r"alpha must be in \[0, 1\]"),
        ({"alpha": float("nan")}, "is not a number"),
        ({"p": "1/2"}, "p must be an integer >= 1, not 1/2"),
        ({"q": 1}, "has no parameter q; it takes m, n, alpha, tau"),
        ({"m": "__import__('os')"}, "is not a number"),
        ({"alpha": "1/10", "n": 5}, "for alpha <= 1/n classes collapse at every tau"),
    ],
)
def test_bad_values_are_refused(bad, says) -> None:
    with pytest.raises(DomainError, match=says) as refusal:
        results["supcl-threshold"].value("tau_max", **{"m": 3, "n": 5, "alpha": "1/2", **bad})
    assert "\n" not in str(refusal.value)


def test_missing_values_are_named() -> None:
    with pytest.raises(DomainError, match="alpha_min still depends on tau"):
        results["supcl-threshold"].value("alpha_min", m=3, n=5)


@given(st.integers(2, 40), st.integers(2, 60), st.integers(1, 30).map(lambda k: Fraction(k, 10)))
def test_the_two_thresholds_are_inverse(m_, n_, t) -> None:
    r = results["supcl-threshold"]
    a = r.value("alpha_min", m=m_, n=n_, tau=t, digits=40)
    # At 40 digits the inverse loses at most a dozen to cancellation in the logarithm.
    back = r.value("tau_max", m=m_, n=n_, alpha=mpmath.nstr(a, 40), digits=30)
    assert abs(back - mpmath.mpf(t.numerator) / t.denominator) < mpmath.mpf(10) ** -14


def test_the_limit_of_the_optimum_is_in_closed_form() -> None:
    o = results["supcl-optimum"]
    found = o.at("within_class_variance", o.point(n="oo", m=10, alpha="0.5", tau="0.2"))
    assert not found.atoms(ClampedRoot)
    # The variance falls linearly in tau, to zero at tau_max.
    tau_max = float(results["supcl-threshold"].value("tau_max_n_oo", m=10, alpha="0.5"))
    assert float(found) == pytest.approx(1 - 0.2 / tau_max, abs=1e-12)


def test_optimum_at_the_ends_of_alpha() -> None:
    o = results["supcl-optimum"]
    at = {"m": 3, "n": 4, "p": 2, "tau": "1/2"}
    assert o.value("delta_star", alpha=0, **at) == 0
    assert abs(o.value("delta_star", alpha=1, digits=30, **at) - 1) < mpmath.mpf(10) ** -28


def test_ssem_end_points() -> None:
    r = results["ssem"]
    for d, dimension in ((0, 2), ("1/2", 8), (1, 8)):
        assert r.value("min_dimension", m=3, n=3, p=2, delta=d) == dimension
    top = r.at("delta_max", r.point(m=3, n=3))
    assert r.value("min_dimension", m=3, n=3, p=2, delta="sqrt(4/3)") == 6 and top == sqrt(
        Rational(4, 3)
    )
    with pytest.raises(DomainError, match="delta must be in"):
        r.value("same_class", m=3, n=3, p=2, delta=2)


def test_infinity_is_only_accepted_where_there_is_a_limit() -> None:
    with pytest.raises(DomainError):
        results["supcl-optimum"].value("loss", m=2, n=2, p=1, alpha="1/2", tau="-oo")
    r = results["supcl-threshold"]
    assert r.value("alpha_min", m=3, n=4, tau="oo") == 1
    assert r.at("alpha_min", r.point(m="oo", n=4, tau=1)) is not oo
