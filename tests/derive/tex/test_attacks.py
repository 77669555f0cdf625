"""Equations that must not pass though they look like it, and some that must."""

from __future__ import annotations

import re

import pytest
from cltheory.derive.tex.compare import Finding, check_equation
from cltheory.derive.tex.directives import directive
from cltheory.derive.tex.lookup import BadTarget

Q = r"e^{-\frac{m}{(m-1)\tau}}"
A = rf"\frac{{1 + (mn-1){Q}}}{{n\left(1 + (m-1){Q}\right)}}"
LOG = r"\log\left(\frac{mn-1-\alpha n(m-1)}{\alpha n-1}\right)"
ALPHA, TAU = "supcl-threshold.alpha_min", "supcl-threshold.tau_max"
VARIANCE = "supcl-optimum.within_class_variance_n_oo"
END = r"\frac{m}{(m-1)\log\frac{m-\alpha(m-1)}{\alpha}}"
LINE = r"1 - \frac{m-1}{m}\tau\log\frac{m-\alpha(m-1)}{\alpha}"


def check(source: str, text: str = ALPHA) -> Finding:
    return check_equation(source, directive(text))


def cases(*rows: tuple[str, str]) -> str:
    inside = r" \\ ".join(f"{value} & {condition}" for value, condition in rows)
    return rf"\begin{{cases}} {inside} \end{{cases}}"


@pytest.mark.parametrize(
    "source",
    [
        # a value that is only there for some m, beyond the first points that are tried
        rf"{A} + \log(20-m) + \log\left(\frac{{1}}{{20-m}}\right)",
        rf"{A} + \max\{{0, \sqrt{{20-m}}\}} - \sqrt{{20-m}}",
        # an odd root of what may be negative
        rf"{A} + \max\{{0, \sqrt[3]{{20-m}}\}} - \sqrt[3]{{20-m}}",
        # equal at every integer from 2 to 12
        rf"{A} + {''.join(f'(m-{k})' for k in range(2, 13))}",
    ],
)
def test_what_is_not_proved_is_not_called_equal(source) -> None:
    found = check(source)
    assert not found.ok and found.verdict in ("undecided", "differs"), found


@pytest.mark.parametrize(
    "rows, says",
    [
        # an end of the domain that is a case of its own
        ([(A, r"\alpha < 1"), ("0", r"\text{otherwise}")], "0 is not"),
        ([(A, r"\alpha > 0"), ("0", r"\text{otherwise}")], "0 is not"),
        # two cases at once: a reader takes neither first
        ([(A, r"m \ge 2"), ("0", r"m \ge 3")], "two cases"),
        # no case at all
        ([(A, r"\tau < 3"), (A, r"\tau > 3")], "no case"),
    ],
)
def test_cases_that_do_not_fit(rows, says) -> None:
    found = check(cases(*rows))
    assert found.verdict == "differs" and says in found.message, found


def test_an_overlap_beyond_the_points_is_not_proved() -> None:
    found = check(cases((A, r"\tau < 1000"), ("0", r"\tau > 900000"), (A, r"\tau \ge 1000")))
    assert not found.ok


@pytest.mark.parametrize(
    "rows",
    [
        [("0", rf"\tau \ge {END}"), (LINE, rf"\tau < {END}")],
        [("0", rf"\tau \ge {END}"), (LINE, rf"\tau \le {END}")],  # both hold at the bound
        [(LINE, rf"\tau \le {END}"), ("0", r"\text{otherwise}")],
    ],
)
def test_cases_that_fit(rows) -> None:
    found = check(cases(*rows), VARIANCE)
    assert found.ok and found.evidence == "exact", found


@pytest.mark.parametrize(
    "name",
    [
        r"f(\alpha_{\min})",
        r"K(1-\alpha_{\min})",
        r"\operatorname{artanh}(\alpha_{\min})",
        r"\mathrm{logit}(\alpha)",
        r"\beta^2",
        r"\beta_c^{-1}",
        r"\beta^{n-1}",
        r"\alpha^\star",
        r"\alpha^{(1)}",
        r"f(m, n; \tau)",
        r"\hat\alpha(\tau)",
        "A'",
        r"\alpha^+",
        r"\alpha",
        r"\alpha_c",
        r"\alpha_{\max}",
    ],
)
def test_a_name_that_nobody_declared(name) -> None:
    found = check(f"{name} = {A}")
    assert found.verdict == "unread" and not found.ok, found


@pytest.mark.parametrize("name", [r"\alpha^\star", r"\alpha^{(1)}", "A'", r"\alpha^+", r"\alpha"])
def test_a_name_that_the_directive_declares(name) -> None:
    assert check(f"{name} = {A}", f"{ALPHA} [{name} -> alpha_min]").ok
    assert not check(f"{name} = {A}", f"{ALPHA} [{name} -> tau]").ok


def test_what_is_not_known_is_said_with_the_way_to_declare_it() -> None:
    found = check(f"A' = {A}")
    assert r"the quantity is called \alpha_{\min}" in found.message
    assert "-> alpha_min] in the directive" in found.message
    assert "goes on" in check(f"= {A}").message or "begin the row" in check(f"= {A}").message
    assert r"[\alpha -> alpha_min]" in check(rf"\alpha = {A}").message


def test_the_name_of_another_quantity_is_judged_as_what_it_says() -> None:
    assert check(rf"\tau_{{\max}} = {A}").verdict == "differs"
    assert check(rf"\alpha_{{\min}} = {A} = \tau_{{\max}}").verdict == "differs"


@pytest.mark.parametrize(
    "source",
    [
        rf"(\alpha_{{\min}} - {A})(\alpha_{{\min}} - \frac12) = 0",
        rf"\alpha_{{\min}} \cdot (1 - \alpha_{{\min}}) = {A}\left(1 - {A}\right)",
    ],
)
def test_an_equation_with_other_solutions(source) -> None:
    found = check(source)
    assert found.verdict == "unread" and "other solutions" in found.message


@pytest.mark.parametrize(
    "source",
    [
        rf"\tau {LOG} < \frac{{m}}{{m-1}}",
        rf"\frac{{1}}{{\tau}} > \left(1-\frac1m\right) {LOG}",
    ],
)
def test_a_condition_with_a_factor_that_vanishes_where_the_bound_is_infinite(source) -> None:
    assert check(source, TAU).ok


@pytest.mark.parametrize(
    "source",
    [
        rf"(1-\alpha)\left(\tau {LOG} - \frac{{m}}{{m-1}}\right) < 0",  # says nothing at alpha = 1
        rf"\left(\alpha-\frac12\right)\left(\tau {LOG} - \frac{{m}}{{m-1}}\right) < 0",
        rf"\frac{{1}}{{\tau}} < \left(1-\frac1m\right) {LOG}",
    ],
)
def test_a_condition_with_another_factor(source) -> None:
    assert not check(source, TAU).ok


def test_a_value_where_a_condition_is_named() -> None:
    assert "for a value, write =" in check(rf"\alpha_{{\min}} \ge {A}").message
    assert "excludes alpha = 1" in check(rf"\alpha \in \left({A}, 1\right)").message


def test_the_plain_name_of_a_limit_is_not_enough() -> None:
    found = check(r"\alpha_{\min} = \frac1n", "supcl-threshold.alpha_min_tau_0")
    assert found.verdict == "unread" and "is a limit of this name" in found.message
    assert check(r"\frac1n", "supcl-threshold.alpha_min_tau_0").ok
    assert check(r"a = \frac1n", "supcl-threshold.alpha_min_tau_0 [a -> alpha_min_tau_0]").ok


def test_other_roots_in_the_equation_of_a_root() -> None:
    found = check(r"x^\star + u^\top v = 1", "supcl-optimum.x_star")
    assert found.verdict == "unread"


def test_an_absolute_value_with_a_sign() -> None:
    source = r"t_{\mathrm{simplex}} = \frac{N-1}{N}\log\left|3-N\right|"
    assert check(source, "sigmoid-threshold.t_simplex").ok
    assert not check(source.replace("3", "5"), "sigmoid-threshold.t_simplex").ok


def test_a_suggested_factor_is_checked() -> None:
    found = check(rf"n\alpha_{{\min}} = {A}")
    assert found.edit is not None and check(found.edit.source).ok
    found = check(rf"\alpha_{{\min}} = \frac{{m-1}}{{n}}{A}")
    assert found.edit is not None and check(found.edit.source).ok


@pytest.mark.parametrize(
    "text, near",
    [
        ("supcl-treshold.alpha_min", "supcl-threshold?"),
        ("supcl-threshold.alphamin", "supcl-threshold.alpha_min?"),
    ],
)
def test_the_nearest_name_is_suggested(text, near) -> None:
    with pytest.raises(BadTarget, match=re.escape(f"did you mean {near}")):
        check("x = 1", text)


@pytest.mark.parametrize(
    "tail",
    [
        r"\quad \text{with probability } 1/2",
        r"\quad \text{for } \tau > 0, + 8",
        r"\\ \text{where the value is doubled}",
        r"\quad \text{for half of the } m",
    ],
)
def test_words_that_take_back_the_formula(tail) -> None:
    assert check(rf"\alpha_{{\min}} = {A} {tail}").verdict == "unread"
    assert check(rf"\alpha_{{\min}} = {A} \quad \text{{for all }} m \ge 2").ok


@pytest.mark.parametrize(
    "left, fine",
    [
        (r"\alpha_{\min}(m, n, \tau)", True),
        (r"\alpha_{\min}(m)", True),
        (r"\alpha(m, n, \tau)", False),
        (r"\operatorname{logit}(c)", False),
        (r"\sin(c)", False),
        (r"c^{2k}", False),
        (r"\alpha_{\min}(m - 1)", False),
        (r"\alpha_{\min}(m, n^2)", False),
    ],
)
def test_what_may_stand_left(left, fine) -> None:
    assert check(f"{left} = {A}").ok is fine


@pytest.mark.parametrize(
    "rows",
    [
        ((A, r"\text{if } m > 0"), ("0", r"\text{if } m \ge 3")),
        ((A, r"\tau < 100"), (A, r"\tau \ge 100"), ("0", r"\tau = 200")),
        ((A, r"\text{if } m \ge 1"), ("0", r"\text{otherwise}")),
    ],
)
def test_cases_that_nothing_is_left_for(rows) -> None:
    assert not check(rf"\alpha_{{\min}} = {cases(*rows)}").ok


ZERO = r"\log(mn)-\log m-\log n"


@pytest.mark.parametrize(
    "source, says",
    [
        (rf"{A}\cdot\frac{{{ZERO}}}{{{ZERO}}}", "has no value anywhere"),
        (rf"{A}+\frac{{0}}{{{ZERO}}}", "has no value anywhere"),
        (rf"{A}+\log(20-m)-\log(20-m)", "log(20 - m) has no value"),
        (rf"{A}+(\sqrt{{m-4}})^2-m+4", "sqrt(m - 4) has no value"),
        (rf"{A}+0\cdot\log(1-\tau)", "log(1 - tau) has no value"),
        (rf"{A}+\tau_{{\max}}-\tau_{{\max}}", "has no value"),
        (rf"\alpha_{{\min}} - \log(1-\tau) = {A} - \log(1-\tau)", "log(1 - tau) has no value"),
        (rf"(m-2)\alpha_{{\min}}=(m-2){A}", "says nothing about alpha_min"),
        (rf"\alpha > {A} + \sqrt{{m-4}} - \sqrt{{m-4}}", "sqrt(m - 4) has no value"),
        (rf"{A}\cdot\frac{{m-20}}{{m-20}}", "removable singularity"),
    ],
)
def test_what_has_no_value_somewhere(source, says) -> None:
    found = check(source)
    assert found.verdict == "differs" and says in found.message, found
    assert found.printed_value in ("no value", found.derived_value)


def test_a_removable_singularity_may_be_allowed() -> None:
    source = rf"\alpha_{{\min}} = {A}\cdot\frac{{m-20}}{{m-20}}"
    assert check(source).point["m"] == "20"
    found = check(source, f"{ALPHA} allow-removable")
    assert found.ok and found.evidence == "exact" and "m - 20 = 0" in found.notes[0]
    for wrong in (rf"{A}\cdot\frac{{{ZERO}}}{{{ZERO}}}", rf"{A}+\log(20-m)-\log(20-m)"):
        assert not check(wrong, f"{ALPHA} allow-removable").ok
    assert not check(rf"2 {source[15:]}", f"{ALPHA} allow-removable").ok


def test_an_end_of_the_domain_counts() -> None:
    inside = r"\frac{\alpha}{\alpha} \cdot"
    assert "removable" in check(rf"{A} \cdot \frac{{1-\alpha}}{{1-\alpha}}").message
    # The largest temperature is infinite at alpha = 1, and alpha is never 0 there.
    assert check(rf"\tau_{{\max}} = {inside} \frac{{m}}{{(m-1){LOG}}}", TAU).ok


def test_digits_that_cancel() -> None:
    one = r"\left((e^{500m}+1)^2-e^{1000m}-2e^{500m}\right)"
    assert check(rf"\alpha_{{\min}} = {A} {one}").evidence == "exact"
    found = check(rf"\alpha_{{\min}} = {A} + {one}")
    assert found.verdict == "differs" and found.printed_value.startswith("1.")
