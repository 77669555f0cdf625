"""Equations that must not pass though they look like it, and some that must."""

from __future__ import annotations

import re

import pytest
from cltheory.derive.tex.check import check_equation
from cltheory.derive.tex.directives import directive
from cltheory.derive.tex.judge.finding import Finding
from cltheory.derive.tex.judge.lookup import BadTarget, look_up
from sympy import latex

Q = r"e^{-\frac{m}{(m-1)\tau}}"
A = rf"\frac{{1 + (mn-1){Q}}}{{n\left(1 + (m-1){Q}\right)}}"
LOG = r"\log\left(\frac{mn-1-\alpha n(m-1)}{\alpha n-1}\right)"
ALPHA, TAU = "supcl-threshold.alpha_min", "supcl-threshold.tau_max"
VARIANCE = "supcl-optimum.within_class_variance_n_oo"
LATER = rf"\frac{{1}}{{n}} + \frac{{m(n-1){Q}}}{{n(1 + (m-1){Q})}}"
LOG_1, ZERO_LOG = r"\log(\tau-1)", r"\log(20-m) - \log(20-m)"
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
        # an odd root of what may be negative
        rf"{A} + \max\{{0, \sqrt[3]{{20-m}}\}} - \sqrt[3]{{20-m}}",
        # equal at every integer from 2 to 12
        rf"{A} + {''.join(f'(m-{k})' for k in range(2, 13))}",
        # equal at every place where it is tried
        rf"{A} + \max\{{0, m - 10^6\}}",
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
        # what cancels in a case, and in the bound of one
        (
            [
                (rf"{A} + \log((\tau-1)^2) - 2 {LOG_1}", r"\tau > 1"),
                (rf"{A} + {LOG_1} - {LOG_1}", r"\text{otherwise}"),
            ],
            "log(tau - 1) has no value",
        ),
        ([(A, rf"\tau < 1 + {ZERO_LOG}"), (LATER, r"\tau \ge 1")], "log(20 - m) has no value"),
        # no case at all
        ([(A, r"\tau < 3"), (A, r"\tau > 3")], "no case"),
    ],
)
def test_cases_that_do_not_fit(rows, says) -> None:
    found = check(cases(*rows))
    assert found.verdict == "differs" and says in found.message, found


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
    "text, near",
    [
        ("supcl-treshold.alpha_min", "'supcl-threshold' or "),
        ("supcl-threshold.alphamin", "'alpha_min'"),
    ],
)
def test_the_nearest_name_is_suggested(text, near) -> None:
    with pytest.raises(BadTarget, match=re.escape(f"did you mean {near}")):
        check("x = 1", text)


ZERO = r"\log(mn)-\log m-\log n"


@pytest.mark.parametrize(
    "source, says",
    [
        (rf"{A}+(\sqrt{{m-4}})^2-m+4", "sqrt(m - 4) has no value"),
        (rf"\alpha_{{\min}} - \log(1-\tau) = {A} - \log(1-\tau)", "log(1 - tau) has no value"),
        (rf"(m-2)\alpha_{{\min}}=(m-2){A}", "says nothing about alpha_min"),
        (rf"\frac{{m-9}}{{m-9}} \alpha_{{\min}} \cdot 2 = 2 {A}", "no value where m - 9 = 0"),
        (rf"\alpha > {A} + \sqrt{{m-4}} - \sqrt{{m-4}}", "sqrt(m - 4) has no value"),
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


def test_digits_that_cancel() -> None:
    one = r"\left((e^{500m}+1)^2-e^{1000m}-2e^{500m}\right)"
    assert check(rf"\alpha_{{\min}} = {A} {one}").evidence == "exact"
    found = check(rf"\alpha_{{\min}} = {A} + {one}")
    assert found.verdict == "differs" and found.printed_value.startswith("1.")


LIMIT_0 = "supcl-threshold.alpha_min_tau_0"
ONE = r"\frac{m-3}{m-3}"


@pytest.mark.parametrize(
    "source, text",
    [
        (rf"\alpha_{{\min}} = {A} + x \text{{ where }} x = {ZERO_LOG}", ALPHA),
        (rf"\alpha_{{\min}} = {A} + x, \quad x := {ZERO_LOG}, \quad \tau > 0", ALPHA),
        (rf"\alpha_{{\min}} = {A} x \text{{ with }} x = {ONE}, m \ge 2", ALPHA),
        (rf"\lim_{{\tau\to 0}} \left({A} + {ZERO_LOG}\right) = \frac1n", LIMIT_0),
    ],
)
def test_what_parts_of_a_statement_need(source: str, text: str) -> None:
    assert check(source, text).verdict == "differs"
    fine = source.replace(ZERO_LOG, "0").replace(ONE, "1")
    assert check(fine, text).ok


def test_what_the_rows_before_need() -> None:
    row = rf"&= {A}"
    assert check_equation(row, directive(ALPHA), lead=r"\alpha_{\min} ").ok
    assert check_equation(row, directive(ALPHA), lead=rf"{A} &= \alpha_{{\min}} \\").ok
    lead = rf"{A} + {ZERO_LOG} &= \alpha_{{\min}} \\"
    assert not check_equation(row, directive(ALPHA), lead=lead).ok


@pytest.mark.parametrize(
    "written, text",
    [
        ("x", f"{ALPHA} [x -> (m - 3)/(m - 3)]"),
        ("x", f"{ALPHA} [x -> (m - 3)^0]"),
        ("x", f"{ALPHA} [x -> sqrt(5 - m) - sqrt(5 - m) + 1]"),
        ("1", rf"{ALPHA} [\tau_{{\max}} -> alpha_min]"),
    ],
)
def test_letters_that_a_directive_must_not_declare(written: str, text: str) -> None:
    with pytest.raises(BadTarget, match=r"proved to have a value|is the name of"):
        check(rf"\alpha_{{\min}} = {A} {written}", text)


FAMILIES = [
    (r"u, v \in U_i", ""),
    (r"u \in U_{i,j}, v \in U_{i,j}", ""),
    (r"u \in U_{i,j}, v \in V_{i,j'}", ""),
    (r"u, v \in \mathcal{C}", ""),
    (r"u \in U_{i,j}, v \in U_{k,l}, i = k", ""),
    (r"u \in U_{i,j}, v \in U_{i,j'}", "same_class"),
    (r"u \in U_i, v \in U_{i'}", "cross_class"),
    (r"u \in U_{i,j}, v \in U_{k,l}", "cross_class"),
]
INSIDE = {
    "same_class": r"1 - \frac{mn\delta^2}{mn-1}",
    "cross_class": r"-\frac{1}{m-1} + \frac{m(n-1)\delta^2}{(m-1)(mn-1)}",
}


@pytest.mark.parametrize("family, told", FAMILIES)
@pytest.mark.parametrize("name", INSIDE)
def test_where_the_vectors_are(family: str, told: str, name: str) -> None:
    source = rf"u^\top v = {INSIDE[name]} \quad \text{{for }} {family}"
    assert check(source, f"ssem.{name}").ok == (told == name)
    scripted = source.replace("u^", r"(\mathbf{u}^\delta)^").replace(
        " v =", r" \mathbf{v}^\delta ="
    )
    assert check(scripted, f"ssem.{name}").ok == (told == name)


def test_vectors_and_indices_that_are_not_there() -> None:
    assert check(rf"\alpha_{{\min}} = {A} \text{{ for }} u \in U_i").verdict == "unread"
    positive, negative = (
        r"\frac{1-\delta^2}{1+\delta^2}",
        r"-\frac{1+(N-1)\delta^2}{(N-1)(1+\delta^2)}",
    )
    for source, name, ok in [
        (rf"u_i^\top v_j = {negative} \text{{ for }} j = i, k = j", "negative", False),
        (rf"u_i^\top v_j = {negative} \text{{ for }} j = i", "negative", False),
        (rf"u_i^\top v_j = {negative} \text{{ for all }} i, j \in [N]", "negative", False),
        (rf"u_i^\top v_i = {negative}", "negative", False),
        (rf"u_i^\top u_j = {negative}", "negative", False),
        (rf"u_i^\top v_i = {positive} \text{{ for }} i \in [2N]", "positive", False),
        (rf"u_i^\top v_i = {positive} \text{{ for }} i \in [N]", "positive", True),
        (rf"u_i^\top v_j = {negative} \text{{ for }} i \ne j \in [N+1]", "negative", False),
    ]:
        assert check(source, f"ccem.{name}").ok is ok, source


@pytest.mark.parametrize(
    "name, vectors, fine, wrong",
    [
        ("same_class", "u_{i,j}^\\top u_{i,j'}", "j \\ne j'", ["i \\ne j'", "i \\ne j"]),
        ("same_class", "u_{i,j,k}^\\top u_{i,l,h}", "j \\ne l", ["k \\ne h", "k \\ne l"]),
    ],
)
def test_which_indices_differ(name: str, vectors: str, fine: str, wrong: list[str]) -> None:
    derived = latex(look_up(directive(f"ssem.{name}")).derived[0])
    for said in ("", fine, f"{fine}, k \\ne h" if "k" in vectors else fine):
        assert check(rf"{vectors} = {derived} \quad {said and f'({said})'}", f"ssem.{name}").ok
    for said in wrong:
        found = check(rf"{vectors} = {derived} \quad ({said})", f"ssem.{name}")
        assert found.verdict == "unread", said


@pytest.mark.parametrize(
    "ending",
    [
        r"+ 1 \textcolor{white}{- 1}",
        r"+ 1 \textcolor{paper}{- 1}",
        r"+ 1 \hspace{-3cm} - 1",
        r"\tag{false}",
        r"\tag*{if $m > n$}",
    ],
)
def test_what_is_not_seen_as_it_is_read(ending: str) -> None:
    assert check(rf"\alpha_{{\min}} = {A} {ending}").verdict == "unread"


@pytest.mark.parametrize("ending", [r"\hspace{-2pt}", r"\tag{SupCL}", r"\textcolor{blue}{+ 0}"])
def test_what_may_stand_there(ending: str) -> None:
    assert check(rf"\alpha_{{\min}} = {A} {ending}").ok


@pytest.mark.parametrize(
    "zero",
    [
        r"\log 4 - 2 \log 2",
        r"\cosh^2 1 - \sinh^2 1 - 1",
        r"\bigl|\log 6 - \log 2 - \log 3\bigr|",
    ],
)
def test_numbers_that_are_zero_divide_nothing(zero: str) -> None:
    for made in (rf"\frac{{{zero}}}{{{zero}}} ({A})", rf"{A} + \frac{{0}}{{{zero}}}"):
        assert check(rf"\alpha_{{\min}} = {made}").verdict in ("differs", "undecided"), made
    assert not check(rf"\alpha_{{\min}} = ({zero})^0 ({A})").ok
    assert check(rf"\alpha_{{\min}} = \frac{{1 + {zero}}}{{1 + {zero}}} ({A})").ok


def test_a_difference_is_one_however_small() -> None:
    for text in (ALPHA, f"{ALPHA} allow-sampled"):
        assert check(rf"\alpha_{{\min}} = {A} + e^{{-200m}}", text).verdict == "differs"
    far = rf"\lim_{{\tau\to 0}} \left({A} + \max\{{0, m - 10^6\}}\right) = \frac1n"
    assert not check(far, LIMIT_0).ok
