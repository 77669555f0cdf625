r"""Typography: variants that print the same formula read equal, what changes it is refused."""

from __future__ import annotations

import pytest
from cltheory.derive.language.statement import TexError
from cltheory.derive.tex.formula.reader import read_formula as read
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Expr, Symbol, exp

m, n, tau = (Symbol(s, positive=True) for s in "m n tau".split())
lowest = Symbol("alpha_min", real=True)
NAMES: dict[str, Expr] = {"m": m, "n": n, "\\tau": tau, "\\alpha_{min}": lowest}

VALUE = (m + n) / 2 - exp(-m / tau)
LEFTS = [
    r"\alpha_{\min}",
    r"\alpha_{\rm min}",
    r"\alpha_{\mathrm{min}}",
    r"{\alpha}_{\text{min}}",
    r"\ensuremath{\alpha_{\min}}",
    r"\boxed{\alpha_{\min}}",
]
EQUALS = [
    "=",
    ":=",
    r"\coloneqq",
    r"\triangleq",
    r"\mathrel{:=}",
    r"\mathrel{\mathop:}=",
    r"{:=}",
    "=:",
    r"\;=\;",
    r"& =",
    r"\overset{(a)}{=}",
    r"\stackrel{\text{def}}{=}",
    r"\stackrel{\triangle}{=}",
    r"\overset{*}{=}",
    r"\overset{\text{by Lemma 3}}{=}",
    r"\overset{\text{Eq.~\ref{eq:a}}}{=}",
    r"\underset{(a)}{=}",
]
RIGHTS = [
    r"\frac{m+n}{2} - e^{-m/\tau}",
    r"\frac{m+n}2 - \mathrm{e}^{-m/\tau}",
    r"\tfrac12 (m+n) - \exp\!\left(-\frac{m}{\tau}\right)",
    r"\nicefrac{1}{2}\,(m+n) - \operatorname{exp}(-m/\tau)",
    r"\sfrac12 \bigl[ m+n \bigr] - \exp\{-m/\tau\}",
    r"{m+n \over 2} - {\rm e}^{-m/\tau}",
    r"\dfrac{{m}{+}{n}}{2} \mathbin{-} e^{-m/\tau}",
    r"\boxed{\frac{m+n}{2} - e^{-m/\tau}}",
    r"{\displaystyle \cfrac{m+n}{2}} - {\textstyle e^{-m/\tau}}",
    r"\frac{m+n}{2} - \underbrace{e^{-m/\tau}}_{q}",
    r"\frac{|m+n|}{2} - e^{-|m|/\tau}",
    r"\color{blue} \frac{m+n}{2} - \mathop{\rm exp}(-m/\tau)",
]
ENDS = ["", ".", r"\;,", r"\,.", r"\quad .", r" \tag{3}", r" \label{eq:x}", r"\nonumber",
        r"\quad (15)", r"\text{.}", r"\text{,}", r"\phantom{x}", r"\relax"]  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(*(st.sampled_from(parts) for parts in (LEFTS, EQUALS, RIGHTS, ENDS)))
def test_variants_read_equal(left: str, equals: str, right: str, end: str) -> None:
    found = read(f"{left} {equals} {right}{end}", NAMES)
    assert found.sides == (lowest, VALUE)
    assert found.relations == ("=",) and found.rest == () and found.clauses == ()


@pytest.mark.parametrize("part", [LEFTS, EQUALS, RIGHTS, ENDS], ids="left equals right end".split())
def test_each_variant_is_read(part: list[str]) -> None:
    """The test above draws at random; here is every one once."""
    for text in part:
        parts = [p[0] if p is not part else text for p in (LEFTS, EQUALS, RIGHTS, ENDS)]
        assert read(f"{parts[0]} {parts[1]} {parts[2]}{parts[3]}", NAMES).sides == (
            lowest,
            VALUE,
        )


def test_a_box_around_the_whole() -> None:
    whole = rf"\boxed{{{LEFTS[0]} = {RIGHTS[0]}}}"
    for end in ("", ".", r" \tag{1}", r"\quad \text{for } n \ge 2"):
        assert read(whole + end, NAMES).sides == (lowest, VALUE)


@pytest.mark.parametrize(
    "source",
    [
        # notes at a relation that may say that it does not hold
        r"m \overset{?}{=} n",
        r"m \overset{\text{wrong}}{=} n",
        r"m \overset{\approx}{=} n",
        r"m \overset{d}{=} n",
        r"m \overset{n \to \infty}{=} n",
        r"m \overset{\begin{cases} 1 \end{cases}}{=} n",
        r"m \not= n",
        r"m = \cancel{n}",
        # labels of braces
        r"m = \underbrace{n}_{\text{not}}",
        r"m = \underbrace{n}_{= 2}",
        r"m = \underbrace{n}_{\text{to be dropped}}",
        # what may group, or not
        r"m = 2\boxed{m + n}",
        r"m = \boxed{m + n}\,n",
        # values at a place
        r"m = \left. n \right|_{n = 2}",
        r"m = \left. n \right\}",
        # functions that are not those of the grammar
        r"m = \log_{e} n",
        r"m \approx n",
        r"m = \smash[b{n}",
    ],
)
def test_what_may_change_the_formula_is_refused(source: str) -> None:
    with pytest.raises(TexError) as refused:
        read(source, NAMES)
    assert "\n" not in str(refused.value) and str(refused.value)


def test_an_array_in_a_brace_is_no_case_distinction() -> None:
    rows = r"1 & \text{if } \tau < 1 \\ m & \text{otherwise}"
    for opening in ("\\{", "["):
        around = rf"\left{opening} \begin{{array}}{{ll}} {rows} \end{{array}} \right."
        with pytest.raises(TexError):
            read(rf"\alpha_{{\min}} = {around}", NAMES)
    with pytest.raises(TexError):
        read(r"\left. \begin{array}{l} m \\ n \end{array} \right\} = 1", NAMES)


def test_numbers_in_exponents_are_bounded() -> None:
    for fine in ("e^{9999 m}", r"e^{\frac{32768}{32767} m}", r"e^{1.0000001m}", r"e^{m/100000}"):
        assert read(fine, NAMES).sides[0].free_symbols == {m}  # type: ignore[union-attr]
    for huge in ("e^{10^6 m}", "e^{-10^{6}}", "2^{20000 m}", r"\exp(m - 10001)", "m^{123456}"):
        with pytest.raises(TexError, match=r"in an exponent|of a number"):
            read(huge, NAMES)


def test_nothing_is_expanded() -> None:
    found = read(r"(m+\tau)^{3}(m+n+\tau)^{27}(m+2n+\tau)^{9}", NAMES).sides[0]
    assert isinstance(found, Expr) and len(found.args) == 3
