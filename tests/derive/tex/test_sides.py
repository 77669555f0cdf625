r"""What may stand at the left: names, inner products, limits; and rows that go on with others."""

from __future__ import annotations

import pytest
from cltheory.derive.language.statement import Called, Inner, Limit, Side, TexError, Unread, Vector
from cltheory.derive.tex.formula.reader import read_formula as read
from sympy import Expr, Integer, Symbol, oo

m, n, N, tau, alpha = (Symbol(s, positive=True) for s in "m n N tau alpha".split())
lowest, own = Symbol("alpha_min", real=True), Symbol("own", real=True)
NAMES: dict[str, Expr] = {
    "m": m,
    "n": n,
    "N": N,
    "\\tau": tau,
    "\\alpha": alpha,
    "\\alpha_{min}": lowest,
    "w_{i}^{\\top}w_{j}": own,
}


def left(text: str) -> Side:
    """The left side of an equation."""
    return read(text + r" = \frac1n", NAMES).sides[0]


def V(name: str, *indices: str) -> Vector:
    return Vector(name, indices)


UI_VJ = Inner(V("u", "i"), V("v", "j"))
INNER: list[tuple[str, Inner]] = [
    (r"u_i^\top v_j", UI_VJ),
    (r"u_i^{\mathsf{T}} v_j", UI_VJ),
    (r"\mathbf{u}_i^{\top}\mathbf{v}_j", UI_VJ),
    (r"\boldsymbol{u}_{i}^{\top} \boldsymbol{v}_{j}", UI_VJ),
    (r"(u_i)^\top (v_j)", UI_VJ),
    (r"\langle u_i, v_j\rangle", UI_VJ),
    (r"u_i\cdot v_j", UI_VJ),
    (r"u^\top v", Inner(V("u"), V("v"))),
    (r"(u_i^k)^\top u_j^l", Inner(V("u", "i", "k"), V("u", "j", "l"))),
    (r"u_{i,k}^\top u_{j,l}", Inner(V("u", "i", "k"), V("u", "j", "l"))),
    (r"\langle u_i^{(k)}, v_j \rangle", Inner(V("u", "i", "(k)"), V("v", "j"))),
    (r"(u_i^\delta)^\top v_j^\delta", Inner(V("u", "i", "\\delta"), V("v", "j", "\\delta"))),
    (r"u_i^{\delta\top} v_j^\delta", Inner(V("u", "i", "\\delta"), V("v", "j", "\\delta"))),
    (r"\langle u_i, u_{i'} \rangle", Inner(V("u", "i"), V("u", "i^{\\prime}"))),
]


@pytest.mark.parametrize("text, expected", INNER, ids=[t for t, _ in INNER])
def test_inner_products(text: str, expected: Inner) -> None:
    assert left(text) == expected


def test_an_inner_product_that_is_a_name() -> None:
    assert left(r"w_i^\top w_j") == own
    assert left(r"w_j^\top w_i") == Inner(V("w", "j"), V("w", "i"))


@pytest.mark.parametrize(
    "text",
    [
        # powers, factors, sums, norms, more than two vectors
        r"\langle u_i, v_j\rangle^2",
        r"2 u_i^\top v_j",
        r"(u_i - u_k)^\top v_j",
        r"\langle u_i, v_j, w_k \rangle",
        r"\langle u_i, v_j ]",
        r"n \langle u_i, v_j \rangle",
        r"u_i^2 \cdot v_j",
        r"u_i^\top m",
        r"\|u_i\|^2 - 1",
    ],
)
def test_no_inner_products(text: str) -> None:
    with pytest.raises(TexError):
        left(text)


def test_vectors_without_indices_and_a_dot_stand_at_the_left_only() -> None:
    assert left(r"u \cdot v") == Inner(Vector("u"), Vector("v"))
    with pytest.raises(TexError, match="not known"):
        read(r"\alpha_{\min} = u \cdot v", NAMES)


def test_a_norm_is_an_unknown_name_and_never_an_inner_product() -> None:
    for text in (r"\|u-v\|^2", r"\left\lVert u \right\rVert", r"\|u_i\|_2^2"):
        assert isinstance(left(text), Unread)


def test_inner_products_stand_in_equations_only() -> None:
    with pytest.raises(TexError):
        read(r"u_i^\top v_j \ge \frac1n", NAMES)


LIMITS: list[tuple[str, Limit]] = [
    (r"\lim_{\tau\to\infty}\alpha_{\min}", Limit(lowest, tau, oo)),
    (r"\lim_{\tau\to0^+} \alpha_{\min}", Limit(lowest, tau, Integer(0), "+")),
    (r"\lim_{\tau \downarrow 0} \alpha_{\min}", Limit(lowest, tau, Integer(0), "+")),
    (r"\lim_{\tau \nearrow 1} \alpha_{\min}", Limit(lowest, tau, Integer(1), "-")),
    (r"\lim_{n \rightarrow \infty} \alpha_{\min}(m, n)", Limit(Called(lowest, (m, n)), n, oo)),
    (r"\operatorname*{lim}_{n\to\infty} \alpha_{\min}", Limit(lowest, n, oo)),
    (r"\lim_{n\to\infty} A", Limit(Unread("A"), n, oo)),
    (r"\lim_{n\to\infty} u_i^\top v_j", Limit(UI_VJ, n, oo)),
    (r"\lim_{n\to\infty} (m + n)", Limit(m + n, n, oo)),
    (r"\lim_{n\to\infty} \frac{m}{n} \tau", Limit(m * tau / n, n, oo)),
    (r"\lim_{m\to\infty}\lim_{n\to\infty} \alpha_{\min}", Limit(Limit(lowest, n, oo), m, oo)),
]


@pytest.mark.parametrize("text, expected", LIMITS, ids=[t for t, _ in LIMITS])
def test_limits(text: str, expected: Limit) -> None:
    assert left(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        r"\lim_{\tau\to0}",
        r"\lim_{\tau\to0} m + n",
        r"\lim_{m, n\to\infty} \alpha_{\min}",
        r"\lim_{\tau\to0}^2 \alpha_{\min}",
        r"\limsup_{\tau\to0} \alpha_{\min}",
        r"\lim_{\tau\downarrow 0^+} \alpha_{\min}",
    ],
)
def test_limits_that_cannot_be_read(text: str) -> None:
    with pytest.raises(TexError):
        left(text)


def test_a_limit_may_stand_on_the_right() -> None:
    sides = read(r"\frac1n = \lim_{\tau\to\infty} \alpha_{\min}", NAMES).sides
    assert sides == (1 / n, Limit(lowest, tau, oo))


@pytest.mark.parametrize(
    "text, arguments",
    [
        (r"\alpha_{\min}(m; \tau)", (m, tau)),
        (r"\alpha_{\min}\left(n\right)", (n,)),
    ],
)
def test_a_name_with_what_it_depends_on(text: str, arguments: tuple[Symbol, ...]) -> None:
    called = Called(lowest, arguments)
    assert left(text) == called
    assert read(rf"\alpha > {text} = \frac1n", NAMES).sides == (alpha, called, 1 / n)


@pytest.mark.parametrize(
    "text",
    [r"\alpha_{\min}(n, n)", r"\alpha_{\min}(m, 2)", r"\alpha_{\min}(m, n^2)",
     r"\alpha_{\min}(n - 1)", r"\alpha_{\min}(2\tau)", r"\alpha_{\min}(x)",
     r"\alpha_{\min}(m, n)^2", r"m \alpha_{\min}(\tau)", r"1 - \alpha_{\min}(\tau)"],
)  # fmt: skip
def test_a_function_of_anything_else_is_refused(text: str) -> None:
    with pytest.raises(TexError):
        left(text)


def test_a_name_is_defined_in_a_chain() -> None:
    assert read(r"\alpha > \alpha_{\min} := \frac1n", NAMES).sides == (alpha, lowest, 1 / n)
    found = read(r"\alpha > c := \frac1n", NAMES)
    assert found.sides == (alpha, Unread("c"), 1 / n) and found.relations == (">", "=")


# --- rows that go on with the rows before ------------------------------------------------------
@pytest.mark.parametrize(
    "lead, expected",
    [
        (r"\alpha_{\min} &= m \\", lowest),
        (r"\alpha_{\min} &= \sum_i i \\", lowest),  # what is between is not read
        (r"A(m) &= m \\ &= n \\", Unread("A(m)")),
        (r"u_i^\top v_j &= m \\ % a comment", UI_VJ),
        (r"\alpha &\ge m \\", m),  # a >= m and m = ..
        (r"\alpha &\ge \sum_i i \\", Unread("")),
        (r"\sum_i i &= m \\", Unread("")),
        (r"&= m \\", Unread("")),
        (r"\alpha &= m, \quad n \ge 2 \\", Unread("")),  # goes on with what?
    ],
)
def test_the_left_side_is_in_the_rows_before(lead: str, expected: Side) -> None:
    found = read(r"&= \frac1n \quad \text{for } n \ge 2", NAMES, lead=lead)
    assert found.sides == (expected, 1 / n) and len(found.clauses) == 1


def test_rows_before_do_not_matter_to_a_whole_statement() -> None:
    assert read(r"\alpha = m", NAMES, lead=r"n &= m \\").sides == (alpha, m)


# --- signs that are declared -------------------------------------------------------------------
def test_declared_signs() -> None:
    assert read(r"m \equiv n", NAMES, relations={r"\equiv": "="}).relations == ("=",)
    assert read(r"m \lesssim n", NAMES, relations={r"\lesssim": "<="}).relations == ("<=",)
    assert read(r"m \overset{(a)}{\equiv} n", NAMES, relations={r"\equiv": "="}).sides == (
        m,
        n,
    )
    for sign in (r"\equiv", r"\approx", r"\sim"):
        with pytest.raises(TexError):
            read(f"m {sign} n", NAMES, relations={r"\doteq": "="})


@pytest.mark.parametrize("sign", ["=", "<", r"\le", "m", r"\cdot", r"\equiv\equiv", "", r"\frac"])
def test_signs_that_cannot_be_declared(sign: str) -> None:
    with pytest.raises(TexError):
        read("m = n", NAMES, relations={sign: "="})
