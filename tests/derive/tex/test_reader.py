"""What is read and how, what is refused as ambiguous, and that printing and reading agree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from cltheory.derive.language.statement import Bounds, Statement, TexError, Unread
from cltheory.derive.tex.formula.names import Phrase, phrase
from cltheory.derive.tex.formula.reader import canonical_name
from cltheory.derive.tex.formula.reader import read_formula as read
from cltheory.derive.tex.text.macros import Macros
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sympy import (
    Abs,
    And,
    Expr,
    I,
    Integer,
    Max,
    Min,
    Piecewise,
    Rational,
    Symbol,
    cosh,
    exp,
    latex,
    log,
    nan,
    oo,
    pi,
    sinh,
    sqrt,
    symbols,
    tanh,
    zoo,
)

m, n, p, N, x, t, tau, alpha, delta, t_B, minus, star = symbols(
    "m n p N x t tau alpha delta t_B minus star", positive=True
)
y = Symbol("y", real=True)
NAMES: dict[str, Expr] = {
    **{str(s): s for s in (m, n, p, N, x, y, t)},
    "\\tau": tau,
    "\\alpha": alpha,
    "\\delta": delta,
    "t_{B}": t_B,
    "N^{-}": minus,
    "\\tilde{\\delta}^{\\star}": star,
}


def one(source: str, macros: Macros | None = None) -> Expr:
    """The only side of the only statement of a display."""
    statement = read(source, NAMES, macros)
    assert statement.relations == () and statement.rest == ()
    (side,) = statement.sides
    assert isinstance(side, Expr)
    return side


READ: list[tuple[str, Expr]] = [
    # products
    (r"\alpha(m-1)", alpha * (m - 1)),
    (r"\delta^2 m(1-n)", delta**2 * m * (1 - n)),
    (r"2 \cdot 3 \times m", 6 * m),
    (r"\left[m+n\right]\{n\}", n * (m + n)),
    (r"m\,n\;p\:x\!t~n \  m", m**2 * n**2 * p * x * t),
    (r"{N}(N-1)", N * (N - 1)),
    # sums and signs
    (r"-m^2", -(m**2)),
    (r"(-1)^n", (-1) ** n),
    (r"-\frac{m}{m-1}/\tau", -m / ((m - 1) * tau)),
    # quotients
    (r"\tfrac{1}{2}\dfrac mn", m / n / 2),
    (r"{m \over n} + 1", m / n + 1),
    (r"\cfrac{1}{1+\cfrac{1}{m}}", 1 / (1 + 1 / m)),
    # powers
    (r"x^{n^2}", x ** (n**2)),
    (r"t^2_B", None),  # set below: the order of scripts does not print
    (r"{N^-}^2", minus**2),
    # functions
    (r"\ln m + 1", log(m) + 1),
    (r"\log \frac{m}{n} - n", log(m / n) - n),
    (r"\log(N-1) \cdot (x+1)", log(N - 1) * (x + 1)),
    (r"\log^2 m", log(m) ** 2),
    (r"\log\log N", log(log(N))),
    (r"\mathrm{e}^m + \mathrm{e}", exp(m) + exp(1)),
    (r"\tanh x + \cosh(x) - \sinh x", tanh(x) + cosh(x) - sinh(x)),
    (r"\operatorname{log} m + \mathrm{exp}(m)", log(m) + exp(m)),
    (r"\min\left\{ 1, \ \frac{1}{m} + n \right\}", Min(1, 1 / m + n)),
    (r"\mathrm{max}\{m, n, p\}^2", Max(m, n, p) ** 2),
    (r"\left|y\right|^3", Abs(y) ** 3),
    (r"2\big|y - 1\big| - \frac{|y|}{2}", 2 * Abs(y - 1) - Abs(y) / 2),
    (r"\sqrt2 n", sqrt(2) * n),
    (r"\sqrt[3]{x}", x ** Rational(1, 3)),
    # numbers
    (r"0.25 + .5", Rational(3, 4)),
    # names
    (r"N^- + N^{-} + N", 2 * minus + N),
    (r"t_{B} - t_B t_\mathrm{B}", t_B - t_B**2),
    (r"\tilde{\delta}^\star - \tilde\delta^{\star}", Integer(0)),
    (r"\mathbf{m} + \boldsymbol{\alpha}", m + alpha),
    # what does not print
    (r"\displaystyle m \label{eq:m} + n \tag{3} \nonumber", m + n),
    ("m % + n\n + p", m + p),
    (r"m \quad (15)", m),
    (r"m, \quad (\text{A.12})", m),
    (r"\underbrace{m n}_{\text{count}} \cdot p", m * n * p),
]  # fmt: skip
READ = [(s, t_B**2 if e is None else e) for s, e in READ]


@pytest.mark.parametrize("source, expected", READ, ids=[s for s, _ in READ])
def test_reads(source: str, expected: Expr) -> None:
    assert one(source) == expected


def bare(statement: Statement) -> Statement:
    """Without the conditions beside it, which have tests of their own."""
    return replace(statement, clauses=(), rest=tuple(map(bare, statement.rest)))


def S(*sides: object, by: str = "=", rest: tuple[Statement, ...] = ()) -> Statement:
    return Statement(sides, tuple(by.split()), rest)  # type: ignore[arg-type]


STATEMENTS: list[tuple[str, Statement]] = [
    (r"m := n \triangleq p \coloneqq 3", S(m, n, p, Integer(3), by="= = =")),
    (r"0 < m \le n \leqslant p", S(Integer(0), m, n, p, by="< <= <=")),
    (r"x^\star(N) = m", S(Unread("x^{\\star}(N)"), m)),
    (r"f(x; m, n) = m", S(Unread("f(x;m,n)"), m)),
    (r"\alpha \in \left( \frac1n, 1 \right]", S(alpha, Bounds(1 / n, Integer(1), True, False),
                                                 by="in")),
    # rows
    (r"m &= n \\ &= p", S(m, n, p, by="= =")),
    (r"m &= n \\[2pt] &\quad + p, \\ &\ge 1.", S(m, n + p, Integer(1), by="= >=")),
    (r"m &= n \\ p &= x", S(m, n, rest=(S(p, x),))),
    (r"\begin{aligned} m &= n \\ &= p. \end{aligned} \quad (12)", S(m, n, p, by="= =")),
    (r"m = \begin{split} & n \\ & + p \end{split}", S(m, n + p)),
    (r"m &= \left( n \right. \\ &\quad \left. + p \right)", S(m, n + p)),
    # statements side by side, side conditions
    (r"m = n \quad \text{and} \quad p = x", S(m, n, rest=(S(p, x),))),
    (r"m = n, \quad \forall i \in [n] \setminus \{1\}.", S(m, n)),
    (r"m &= n && \text{for } n \ge 2 \\ &= p", S(m, n, p, by="= =")),
    # cases
    (r"m = \begin{cases} 1 & \text{if } 0 < y \le 1, \\ 2, & \text{otherwise.} \end{cases}",
     S(m, Piecewise((1, And(y > 0, y <= 1)), (2, True)))),
    (r"\beta = \begin{cases} 1 & y < 2 \\ 3 & \text{if and only if $y > 4$ and } y < 5 "
     r"\end{cases}", S(Unread("\\beta"), Piecewise((1, y < 2), (3, And(y > 4, y < 5))))),
    (r"m = \begin{cases} 1 & \text{for}\: y \in (0, 1] \\ n & \text{when } y > 2, y \ge x \\"
     r" p & \text{else} \end{cases}",
     S(m, Piecewise((1, And(y > 0, y <= 1)), (n, And(y > 2, y >= x)), (p, True)))),
]  # fmt: skip


@pytest.mark.parametrize("source, expected", STATEMENTS, ids=[s for s, _ in STATEMENTS])
def test_reads_statements(source: str, expected: Statement) -> None:
    assert bare(read(source, NAMES)) == expected


# Each with the place where the doubt begins.
REFUSED: list[tuple[str, str]] = [
    # what a division or a function reaches
    (r"m/n x", "x"),
    (r"\log m n", "n"),
    (r"\log m (n)", "n)"),
    (r"\exp(m)^{n}", r"\exp"),
    (r"\log^{-1} m", r"\log"),
    (r"\log_2 m", r"\log"),
    (r"\frac{m}{n}^2", r"\frac"),
    # scripts
    (r"m^n^p", "^p"),
    (r"{m+n}^2", "^2"),
    (r"m^\frac12", r"\frac"),
    (r"{}^2", "^2"),
    (r"m^{}", "^"),
    # arguments without braces
    (r"\frac123", "23"),
    (r"\frac1\log", r"\log"),
    # signs
    (r"m--n", "-n"),
    (r"m \pm n", r"\pm"),
    # numbers
    (r"1 0", "0"),
    (r"10\,000 m", "000"),
    (r"m 2", "2"),
    (r"\max(1,000, m)", ",000"),
    # bars, brackets
    (r"|m + |n| + p|", "|m"),
    (r"\|m\|", r"\|"),
    (r"(m]", "]"),
    (r"\left. m \right|", r"\left"),
    (r"m \in ]0, 1[", "]"),
    # names
    (r"f(x)", "f"),
    (r"m + x^*", "x^*"),
    (r"m + x^{\mathrm{mn}}", "x"),
    (r"m \hat n", r"\hat"),
    (r"\mathrm{mn}", r"\mathrm"),
    (r"\operatorname{softplus}(x)", r"\operatorname"),
    (r"e", "e"),
    (r"\alpha_{\min} + m = n", r"\alpha"),
    (r"\beta < m", r"\beta"),
    # several formulas
    (r"m = n \quad p = x", r"\quad"),
    (r"m &= n & p &= x", "& p"),
    (r"m = n \\ p", "p"),
    (r"m = n \\ \cdot p", r"\cdot"),
    (r"m = (n \\ p)", r"\\"),
    (r"m = n \Rightarrow p = x", r"\Rightarrow"),
    (r"m \equiv n", r"\equiv"),
    (r"2 \begin{aligned} m \\ + n \end{aligned}", r"\begin"),
    (r"\begin{aligned} m \end{aligned} \begin{aligned} n \end{aligned}", r"\begin{aligned} n"),
    (r"\begin{aligned} m \end{aligned} n", r"\end"),
    (r"\underbrace{m + n}_{a} \cdot p", "+"),
    # words
    (r"m = n \quad \text{where } n = 2", "= 2"),
    (r"m = n \quad \text{for } n > 2 \Rightarrow p < 3", r"\Rightarrow"),
    (r"\begin{cases} 1 & \text{if } 0 < m, n < 1 \\ 2 & \text{else} \end{cases}", ", n"),
    (r"\begin{cases} 1 & \text{otherwise} \\ 2 & m > 1 \end{cases}", r"\text"),
    # not formulas
    (r"m !", "!"),
    (r"\frac{\partial m}{\partial n}", r"\partial m"),
    (r"\frac{m}{0}", "0"),
    (r"0^{0}", "0^"),
    (r"m \in [0, 1]^2", "]^2"),
    (r"m \in [0, 1] = 1", "= 1"),
    (r"m + \tilde{\pi}", r"\tilde"),
    (r"\sqrt{-1}", "-1"),
    (r"\log(-2)", r"\log"),
    (r"\max m", "m"),
    (r"\max^2(m, n)", r"\max"),
]


@pytest.mark.parametrize("source, doubt", REFUSED, ids=[s for s, _ in REFUSED])
def test_refuses_with_position(source: str, doubt: str) -> None:
    with pytest.raises(TexError) as refused:
        read(source, NAMES)
    assert source[refused.value.position :].startswith(doubt), str(refused.value)
    assert "\n" not in str(refused.value)


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(TexError, match=r"'N\^\{-\}' is not known; known: N, n"):
        read("n + N^-", {"N": N, "n": n})


@pytest.mark.parametrize(
    "spelled, canonical",
    [
        ("N^-", "N^{-}"),
        (r"\alpha_{\rm min}", r"\alpha_{min}"),
        (r"\mathcal L^*_i", r"\mathcal{L}_{i}^{*}"),
        (r"\mathbb{E}[\epsilon_i^2]", r"\mathbb{E}[\epsilon_{i}^{2}]"),
        (r"\mathrm{tr}(\Sigma_B^2)", r"\operatorname{tr}(\Sigma_{B}^{2})"),
        (r"\mathcal{L}^{\mathrm{sig}}", r"\mathcal{L}^{\mathrm{sig}}"),
    ],
)
def test_canonical_names(spelled: str, canonical: str) -> None:
    assert canonical_name(spelled) == canonical
    assert canonical_name(canonical) == canonical


@pytest.mark.parametrize("text", ["", "m = n", r"\frac{m}{n}", "m_a_b", "{", r"\text{for } m", "é"])
def test_not_names(text: str) -> None:
    with pytest.raises(TexError):
        canonical_name(text)


def test_the_longest_name_is_taken() -> None:
    names = {"q": x, "q(z)": y, "q(z)^2": t, r"\lambda_{max}(S)": m, "S": n}
    assert read(r"q(z) + q \cdot \lambda_{\max}(S)^3", names).sides == (y + x * m**3,)
    assert read(r"q\left(z\right)^2", names).sides == (t,)
    with pytest.raises(TexError, match="z"):
        read("q(z + 1)", names)


@pytest.mark.parametrize("name", ["m - 1", "m + 1", "a/b", r"a \cdot b", "a = b", "2a", ")("])
def test_a_name_must_not_bind_to_what_stands_beside_it(name: str) -> None:
    # 2 m - 1 would be 2(m - 1) where m - 1 is a name.
    with pytest.raises(TexError, match="is not a name"):
        read(f"2 {name}", {name: x, "m": m, "a": x, "b": y})


def test_bars_beside_those_of_a_norm_have_two_readings() -> None:
    known = {"x": x, "y": y, "m": m}, (Phrase(phrase(r"\|y\|"), n),)
    for text in (r"||y||", r"\left|\left|y\right|\right|", r"||y||_2", r"\|y\|_{2}"):
        assert read(f"{text}^2 x", known[0], phrases=known[1]).sides == (n**2 * x,)
    assert read(r"\left|x\right| \|y\|", known[0], phrases=known[1]).sides == (abs(x) * n,)
    assert read("|x| = ||y||", known[0], phrases=known[1]).sides == (abs(x), n)
    with pytest.raises(TexError, match="two readings"):
        read("|x||y||m|", known[0], phrases=known[1])


@pytest.mark.parametrize(
    "text", ["x_{}", r"x_{\,}", r"\frac{x}{y}_{}", r"x_{\sum}", r"\mathbf{0}", "x_{'y}"]
)
def test_what_a_known_name_may_hide_is_refused(text: str) -> None:
    with pytest.raises(TexError):
        read(f"{text} + 1", {"x": x, "y": y})


def test_a_word_with_an_index_may_be_defined_beside_a_formula() -> None:
    text = r"x = 2\operatorname{Var}_{k}, \quad \text{where } \mathrm{Var}_k = m"
    assert read(text, {"x": x, "m": m}).sides == (x, 2 * m)


def test_letters_above_are_not_an_exponent() -> None:
    names = {"x": x, "a": m, "b": n, r"x^{\mathrm{ab}}": y}
    assert read(r"x^{ab} + x^{\mathrm{ab}} + x^\text{ab}", names).sides == (x ** (m * n) + 2 * y,)


def test_constants_can_be_names() -> None:
    assert read(r"\pi e^{m} e", {r"\pi": x, "e": y, "m": m}).sides == (x * y**m * y,)


def test_one_spelling_cannot_mean_two_things() -> None:
    with pytest.raises(TexError, match="two expressions"):
        read("m", {"t_B": m, "t_{B}": n})


# --- Macros ---------------------------------------------------------------------------------
DOCUMENT = r"""
\newcommand{\temp}{\tau} % \newcommand{\hidden}{m}
\newcommand*\half[1]{\frac{#1}{2}}
\newcommand{\pw}[2][2]{#2^{#1}}
\def\ratio#1#2{#1/#2}
\DeclareMathOperator{\lg}{log}
\providecommand{\temp}{wrong}
\begin{verbatim} \newcommand{\shown}{m} \end{verbatim}
\newcommand{\sq}{m^2}\renewcommand{\sq}{m^3}
\def\odd(#1){m}
\newcommand{\two}{mn}
\renewcommand{\epsilon}{\alpha}
\newcommand{\unclosed}{m
"""


@pytest.mark.parametrize(
    "source, expected",
    [
        (r"\half{m+n}\temp", (m + n) / 2 * tau),
        (r"\pw{m} + \pw[3]{n} + \pw [n] m", m**2 + n**3 + m**n),
        (r"\ratio{m+n}{2}", m + n / 2),  # what it prints
        (r"\lg(m)", log(m)),
        (r"x^\two", x**m * n),  # what it prints
        (r"1\half{2}", None),
    ],
)
def test_macros(source: str, expected: Expr | None) -> None:
    macros = Macros.from_document(DOCUMENT)
    if expected is None:
        with pytest.raises(TexError, match="mixed"):
            one(source, macros)
    else:
        assert one(source, macros) == expected


@pytest.mark.parametrize(
    "source", [r"\hidden", r"\shown", r"\odd(m)", r"\half", r"\frac1\two", r"\unclosed"]
)
def test_macros_that_cannot_be_used(source: str) -> None:
    with pytest.raises(TexError) as refused:
        one("m + " + source, Macros.from_document(DOCUMENT))
    assert refused.value.position >= 4


# --- Printing and reading back ---------------------------------------------------------------
SYMBOLS = (m, n, x, tau, y)
PRINTED = {latex(s): s for s in SYMBOLS}
STYLES: list[dict[str, object]] = [
    {},
    {"fold_frac_powers": True},
    {"mul_symbol": "dot"},
    {"mul_symbol": "times"},
    {"ln_notation": True},
    {"long_frac_ratio": 2},
    {"root_notation": False},
    {"fold_short_frac": True},
    {"fold_func_brackets": True},
    {"inv_trig_style": "power"},
    {"order": "rev-lex"},
    {"parenthesize_super": False},
]


def _apply(make: Callable[..., Expr], *arguments: Expr) -> Expr:
    try:
        value = make(*arguments)
    except ValueError:  # Max and Min of complex numbers
        return m
    return m if value.has(nan, zoo, oo, I) else value


def expressions() -> st.SearchStrategy[Expr]:
    leaves = st.sampled_from([*SYMBOLS, pi, Integer(2)]) | st.builds(
        Rational, st.integers(-9, 20), st.integers(1, 12)
    )
    powers = st.sampled_from(
        [Integer(2), Integer(-1), Integer(-2), Rational(1, 2), Rational(-3, 2), m, -n, 1 / tau]
    )
    functions = st.sampled_from([exp, log, tanh, cosh, sinh, Abs, sqrt])
    pairs = st.sampled_from([Max, Min, lambda a, b: a + b, lambda a, b: a * b, lambda a, b: a / b])

    def more(inner: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
        return st.one_of(
            st.builds(_apply, pairs, inner, inner),
            st.builds(_apply, pairs, inner, inner),
            st.builds(_apply, functions, inner),
            st.builds(_apply, st.just(lambda a, b: a**b), inner, powers),
        )

    return st.recursive(leaves, more, max_leaves=10)


#: What SymPy prints and can be read in two ways; and numbers that are out of bounds.
NOT_READ = (
    "two readings",
    "of a number",
    "of numbers",
    "'e' is not known",
    "positive argument",
    "negative number",
)


@settings(max_examples=300, deadline=None)
@given(expressions(), st.sampled_from(STYLES))
def test_what_is_printed_is_read_back(expr: Expr, style: dict[str, object]) -> None:
    printed = latex(expr, **style)
    try:
        (side,) = read(printed, PRINTED).sides
    except TexError as refused:
        assume(not any(why in str(refused) for why in NOT_READ))
        raise AssertionError(f"{printed}: {refused}") from None
    assert isinstance(side, Expr)
    if side == expr:
        return
    # SymPy prints some products in another shape, such as -2 (a + b) and 2 (-a - b).
    points = [dict(zip(SYMBOLS, map(Integer, values), strict=True)) for values in POINTS]
    for point in points:
        one, other = side.subs(point).evalf(40), expr.subs(point).evalf(40)
        assert abs(one - other) <= abs(other) * Rational(1, 10**20) + Rational(1, 10**20), printed


POINTS = [(2, 3, 5, 7, 11), (13, 2, 3, 5, -7)]
