r"""Conditions beside a formula: each is read as data, or the display is refused."""

from __future__ import annotations

import pytest
from cltheory.derive.language.statement import (
    Among,
    Bounds,
    Chain,
    Indices,
    Kinds,
    Relation,
    Statement,
    Tends,
    TexError,
    Vector,
)
from cltheory.derive.tex.formula.reader import read_formula as read
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Expr, Integer, Rational, Symbol, exp, oo

m, n, p, N, tau, alpha = (Symbol(s, positive=True) for s in "m n p N tau alpha".split())
lowest = Symbol("alpha_min", real=True)
NAMES: dict[str, Expr] = {
    **{str(s): s for s in (m, n, p, N)},
    "\\tau": tau,
    "\\alpha": alpha,
    "\\alpha_{min}": lowest,
}
A = r"\alpha_{\min} = \frac1n"
SIDES = (lowest, 1 / n)

Says = Chain | Kinds | Indices | Among | Tends


def says(source: str) -> list[Says]:
    """The conditions beside the only formula, which is the one above."""
    found = read(source, NAMES)
    assert found.sides == SIDES and found.rest == ()
    return [c.says for c in found.clauses]


def chain(*sides: Expr | Bounds | int, by: str) -> Chain:
    exprs = tuple(Integer(s) if isinstance(s, int) else s for s in sides)
    return Chain(exprs, tuple(by.split()))  # type: ignore[arg-type]


def inside(s: Expr, low: Expr | int, high: Expr | int, ends: str) -> Chain:
    low, high = (Integer(e) if isinstance(e, int) else e for e in (low, high))
    return Chain((s, Bounds(low, high, ends[0] == "(", ends[1] == ")")), ("in",))


I_NOT_J = Indices(("i", "j"), "!=")
TWO = chain(n, 2, by=">=")
CONDITIONS: list[tuple[str, list[Says]]] = [
    # chains
    (r"\quad \text{for all } n \ge 2", [TWO]),
    (r"\text{ for } 0<\tau\le 1", [chain(0, tau, 1, by="< <=")]),
    # lists of conditions
    (r"\quad \text{for all } m, n \ge 2", [chain(m, 2, by=">="), TWO]),
    (r"\quad \text{for } m \ge 3, n \ge 2", [chain(m, 3, by=">="), TWO]),
    (r"\text{ for all } n\ge 2 \text{ and } \alpha>\frac12",
     [TWO, chain(alpha, Rational(1, 2), by=">")]),
    (r"\quad \text{for } \alpha, \tau \in (0, 1)",
     [inside(alpha, 0, 1, "()"), inside(tau, 0, 1, "()")]),
    (r"\quad \text{for all } m \ge 2,\quad \text{and every } \tau > 0",
     [chain(m, 2, by=">="), chain(tau, 0, by=">")]),
    # without a word
    (r",\qquad \alpha\in(1/n,1]", [inside(alpha, 1 / n, 1, "(]")]),
    (r",\quad n \ge 2, \; m \ge 3", [TWO, chain(m, 3, by=">=")]),
    (r"\quad (\text{for all } n \ge 2)", [TWO]),
    # kinds
    (r", \quad m,n\in\mathbb{N}", [Kinds((m, n), "natural")]),
    (r", \quad \tau\in\mathbb R_{>0},\ n\in\mathbb Z_{\ge 2}",
     [Kinds((tau,), "positive real"), Kinds((n,), "integer"), TWO]),
    (r", \quad n \in \mathbb{N}_0", [Kinds((n,), "integer"), Kinds((n,), "nonnegative")]),
    (r", \quad n \in \{2, 3, \dots\}", [Kinds((n,), "integer"), TWO]),
    (r"\quad \text{for all integers } m, n \ge 2",
     [chain(m, 2, by=">="), TWO, Kinds((m, n), "integer")]),
    (r"\quad \text{for all positive integers } n", [Kinds((n,), "positive integer")]),
    (r"\quad \text{where } m \text{ and } n \text{ are integers}", [Kinds((m, n), "integer")]),
    (r"\quad \text{for all } m, n", [Kinds((m, n), "any")]),
    # the word belongs to the first list only: the other symbols are not narrowed by it
    (r"\quad \text{for integers } n \ge 2, \tau > 0",
     [TWO, Kinds((n,), "integer"), chain(tau, 0, by=">")]),
    # indices
    (r"\quad \text{for } i \ne i'", [Indices(("i", "i^{\\prime}"), "!=")]),
    (r"\quad \text{for } i = j", [Indices(("i", "j"), "=")]),
    (r",\quad i,j\in[N]", [Indices(("i", "j"), "any", N)]),
    (r"\quad i=1,\dots,N", [Indices(("i",), "any", N)]),
    (r"\quad \forall i\in\{1,\dots,N\}", [Indices(("i",), "any", N)]),
    (r"\quad \forall i\in[N]\setminus\{j\}", [Indices(("i",), "any", N), I_NOT_J]),
    (r"\quad \forall i \ne j \in [N]", [I_NOT_J, Indices(("i", "j"), "any", N)]),
    (r",\quad 1 \le i < j \le N", [I_NOT_J, Indices(("i", "j"), "any", N)]),
    (r"\quad \text{for } i, j \in [N] \text{ with } i \ne j",
     [Indices(("i", "j"), "any", N), I_NOT_J]),
    # families of vectors
    (r"\quad \forall u, v \in \mathbf{U}_{i} \setminus \{w\}",
     [Among((Vector("u"), Vector("v")), "U_{i}", (Vector("w"),))]),
    # what tends
    (r"\quad \text{as } \tau \downarrow 0", [Tends(tau, Integer(0), "+")]),
    (r"\quad \text{as } \tau \to 0^{+}", [Tends(tau, Integer(0), "+")]),
    (r"\quad \text{in the limit } n \to \infty", [Tends(n, oo)]),
    (r"\quad \text{as } m, n \to \infty", [Tends(m, oo), Tends(n, oo)]),
]  # fmt: skip


@pytest.mark.parametrize("beside, expected", CONDITIONS, ids=[c for c, _ in CONDITIONS])
def test_reads(beside: str, expected: list[Says]) -> None:
    assert says(A + beside) == expected


BEFORE: list[tuple[str, list[Says]]] = [
    (r"\text{For } n\ge 2,\quad %s", [TWO]),
    (r"\forall n \ge 2:\ %s", [TWO]),
    (r"\text{For all } m, n \ge 2,\; %s", [chain(m, 2, by=">="), TWO]),
    (r"\text{For } n \ge 2,\quad %s \quad \text{for all } \tau>0", [TWO, chain(tau, 0, by=">")]),
    (r"\text{for all } n \ge 2 \\ %s", [TWO]),
]


@pytest.mark.parametrize("around, expected", BEFORE, ids=[c for c, _ in BEFORE])
def test_reads_what_stands_before(around: str, expected: list[Says]) -> None:
    assert says(around % A) == expected


@pytest.mark.parametrize(
    "beside",
    [
        # words that take back, quantify otherwise, or are not known
        r"\quad \text{approximately}",
        r"\quad \text{at a full moon}",
        # what is no condition, or one that cannot be understood
        r"\quad \text{where } \tau = 2\tau",
        r"\quad \text{for } q > 2",
        r"\quad \text{for all } \theta",
        r"\quad \text{for } 0 < m, n < 1",
        r"\quad \text{for } m \ n \text{ the } p",
        r"\quad \text{for } i \in [0, 1]",
        r"\quad \text{for } n \in \mathbb{N} \setminus \{1\}",
        r"\quad \text{for } n \in \{2, 4, \dots\}",
        r"\quad \text{for } i = 2, \dots, N",
        r"\quad \text{for } i < 2j",
        r"\quad \text{for } 0 \le i < j \le N",
        r"\quad \text{for } 1 \le i \le j \le N",
        r"\quad \text{for } i, n \in [N]",
        r"\quad \text{as } \tau + n \to 0",
        r"\quad \text{as } n \ge 2",
        r"\quad \text{as } \tau \downarrow 0^{+}",
        # a relation in words, or what a symbol is
        r"\quad \text{for } n \text{ at least } 2",
        r"\quad \text{for every temperature } \tau > 0",
        r"\quad \text{if } \\ n \ge 2",
        r", \quad n \ge 2 \\ &= 1",
        r"\quad i,j \ge = 1, \dots, N",
        r"\quad \text{for } i \in j \in [N]",
        # a claim, not a condition
        r"\quad \text{for } n \ge 2, \quad \alpha_{\min} = 1",
        r"\quad \text{for } n \ge 2, + 1",
        # a product, or a condition
    ],
)
def test_refuses(beside: str) -> None:
    with pytest.raises(TexError) as refused:
        read(A + beside, NAMES)
    assert "\n" not in str(refused.value)
    assert refused.value.position >= 0


def test_a_condition_carries_its_text_and_place() -> None:
    source = rf"{A} \quad \text{{for all }} n \ge 2 \text{{ and }} \tau > 0."
    one, two = read(source, NAMES).clauses
    assert (one.text, two.text) == (r"n \ge 2", r"\tau > 0")
    assert source[one.at :].startswith("n") and source[two.at :].startswith(r"\tau")


# --- several formulas, several rows ----------------------------------------------------------
def test_a_long_relation_without_a_word_is_a_formula_of_its_own() -> None:
    found = read(r"\tau < \frac{m}{\log m}, \quad \alpha > \frac{1 + e^{m}}{n}", NAMES)
    assert found.clauses == () and len(found.rest) == 1
    assert found.rest[0].sides == (alpha, (1 + exp(m)) / n)


def test_a_relation_after_the_word_and_is_a_formula() -> None:
    found = read(r"\tau < m \text{ and } \alpha > \frac12", NAMES)
    assert found.clauses == () and found.rest[0].relations == (">",)


def test_each_row_has_its_conditions_and_all_have_the_last() -> None:
    source = r"m &= n && \text{for } n \ge 2 \\ p &= N \\ \alpha &= \tau && \text{for } \tau > 0"
    found = read(source, NAMES)
    rows = [found, *found.rest]
    last = chain(tau, 0, by=">")
    assert [[c.says for c in row.clauses] for row in rows] == [[TWO, last], [last], [last]]


def test_a_condition_without_a_word_ends_with_its_row() -> None:
    found = read(r"m = n, \quad n \ge 2 \\ p = N", NAMES)
    assert [c.says for c in found.clauses] == [TWO]
    assert found.rest == (Statement((p, N), ("=",)),)


def test_a_condition_before_the_last_row_is_its_own() -> None:
    found = read(r"m = n \\ \text{for } n \ge 2, \quad p = N", NAMES)
    assert found.clauses == () and [c.says for c in found.rest[0].clauses] == [TWO]


def test_an_arrow_needs_what_tends() -> None:
    for source in (
        r"\alpha_{\min} \to \frac1n \quad \text{as } \tau\to 0",
        r"\alpha_{\min} \xrightarrow[\tau\to0]{} \frac1n",
        r"\alpha_{\min} \xrightarrow{\tau\to0} \frac1n",
        r"\alpha_{\min} \underset{\tau\to0}{\longrightarrow} \frac1n",
        r"\alpha_{\min} \longrightarrow \frac1n \quad (\tau \to 0)",
    ):
        found = read(source, NAMES)
        assert found.sides == SIDES and found.relations == ("->",)
        assert [c.says for c in found.clauses] == [Tends(tau, Integer(0))]
    for source in (
        r"\alpha_{\min} \to \frac1n",
        r"\alpha_{\min} \to \frac1n \quad \text{for } n \ge 2",
        r"\alpha_{\min} \xrightarrow{d} \frac1n",
        r"\alpha_{\min} \downarrow \frac1n \quad (\tau \to 0)",
    ):
        with pytest.raises(TexError):
            read(source, NAMES)


# --- letters that the display defines --------------------------------------------------------
Q = r"e^{-\frac{m}{(m-1)\tau}}"


@pytest.mark.parametrize(
    "source",
    [
        rf"\alpha_{{\min}} = \frac{{1 + q^{{2}}}}n \text{{ with }} q = {Q} \text{{ for }} n > 2",
        rf"\alpha_{{\min}} = \frac{{1 + q_0^k}}{{n}} \quad \text{{where }} q_0 = {Q}, k = 2",
        rf"\alpha_{{\min}} = \frac{{1 + c}}{{n}} \text{{ where }} q = {Q} \text{{ and }} c = q^2",
    ],
)
def test_letters_are_put_in(source: str) -> None:
    found = read(source, NAMES)
    assert found.rest == ()
    assert found.sides == (lowest, (1 + exp(-2 * m / ((m - 1) * tau))) / n)


@pytest.mark.parametrize(
    "source",
    [
        r"\alpha_{\min} = \frac{k}{n} \text{ with } k = m - 1 \text{ and } k = m",
        r"\alpha_{\min} = \frac{1}{n} \text{ with } k = m - 1",
        r"\alpha_{\min} = \frac{k}{n} \text{ with } k^2 = m",
        r"\alpha_{\min} = \frac{k}{n} \text{ with } m = k",
        r"\alpha_{\min} = \frac{k}{n} \text{ with } k > 2",
        r"\alpha_{\min} = \frac{k}{n} \text{ with } k = m = n",
    ],
)
def test_letters_that_are_not_defined_once(source: str) -> None:
    with pytest.raises(TexError):
        read(source, NAMES)


def test_two_unknown_names_are_two_statements() -> None:
    found = read(r"B = m, \qquad C = n", NAMES)
    assert len(found.rest) == 1 and found.rest[0].sides[1] == n


# --- properties ------------------------------------------------------------------------------
FORMULAS = [
    A,
    r"\alpha > \frac{mn - 1 + e^{1/\tau}}{n}",
    r"\tau \in \left(0, \frac{m}{n}\right)",
    r"x = \begin{cases} 1 & \text{if } \tau < 1 \\ m & \text{otherwise} \end{cases}",
    r"u_i^\top v_j = -\frac{1}{N-1}",
    r"\lim_{\tau \to 0} \alpha_{\min} = \frac1n",
    r"m &= n \\ &= p",
]
BESIDE = [c for c, _ in CONDITIONS if not c.startswith("&&")]


def sides_of(statement: Statement) -> list[tuple[tuple[object, ...], tuple[Relation, ...]]]:
    return [(s.sides, s.relations) for s in (statement, *statement.rest)]


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(FORMULAS), st.sampled_from(BESIDE))
def test_a_condition_never_changes_the_formula(formula: str, beside: str) -> None:
    alone, found = read(formula, NAMES), read(formula + beside, NAMES)
    assert sides_of(found) == sides_of(alone)
    assert found.clauses != ()


# --- what may be false in another reading, or would be lost -----------------------------------
@pytest.mark.parametrize(
    "text, says",
    [
        (rf"{A} + 1, \\ - 1", "a row starts with a sign"),
        (rf"{A} \\ - n = 1", "a row starts with a sign"),
        (rf"{A} \\ \text{{for }} n \ge 2 \\ + 1", "go on with the formula or the condition"),
        (r"\alpha_{\min} = n + 1 \\ \cdot m", "does it multiply the whole row"),
        (r"\alpha_{\min} = (n \\ m)", "a row ends inside brackets"),
        (r"\alpha_{\min} = \max(1,5, n)", "a decimal comma or two numbers"),
        (r"\lim_{\tau\to 0} \alpha + n = 1", r"lim \(a \+ b\)"),
        (r"\alpha = m_{}", "an empty subscript"),
        (rf"{A} \text{{ for }} n \ge 2, m", "a name after a condition"),
        (rf"{A} \text{{ for }} n, i \in [3]", "symbols and indices in one set"),
        (rf"{A} \text{{ for }} i \ne m", "an index compared with something else"),
        (rf"{A} \text{{ if}}", "begin a condition, and no condition"),
        (rf"{A} \text{{ for }} n \ge 2 \text{{ and all}}", "begin a condition, and no condition"),
        (rf"{A} \quad \text{{where }} x = 3", "is it a condition or a claim"),
        # a part that would be lost
        (rf"{A},\quad m", "one of several formulas in a row lacks a relation"),
        (rf"{A} \text{{ for }} \alpha \in (0, 5) \setminus \{{1\}}", "an interval without points"),
        (
            rf"{A} \text{{ for }} n \in \{{0, 1, \dots\}} \setminus \{{1\}}",
            "a set that is not known",
        ),
        (
            rf"{A} \text{{ for }} n \in \{{0, 1, \dots\}} \setminus [1]",
            "write a set without one of its members",
        ),
        (
            rf"{A} \text{{ for }} i \in [n] \setminus \{{n\}}",
            "write a set without one of its members",
        ),
        (
            rf"{A} \text{{ for }} u \in U \setminus \{{2\}}",
            "write a set without one of its members",
        ),
        (rf"{A} \text{{ for }} i^2 \in [n]", "is not known"),
        (rf"{A} \text{{ for }} n^2 \in (4, 9)", "is not known"),
        (rf"{A} \text{{ for }} m, n + 1 \ge 2", "goes on with one more name"),
        (rf"{A} \text{{ for }} n \in \mathbb{{C}}", "is not known"),
        (rf"{A} \text{{ for }} i < j > k", "a condition on indices that cannot"),
        (rf"{A} \text{{ for }} n + 1 \in (2, 3)", "one name, or a list of them"),
        (rf"{A} \text{{ for }} n \notin m", "before a list in braces"),
        (rf"{A} \text{{ for }} n \ge 2 \text{{ integer }} m \ge 3", "no mark between"),
        (rf"{A} \text{{ for every integer, }} n \ge 2", "name no symbol"),
        (rf"{A} \text{{ for }} m, \text{{ integers }} n \ge 2", "a second list of names"),
        (r"u_i^\top v_j w_k = n", "an inner product must have two vectors"),
        (r"\alpha = \begin{cases} 1 & n \ge 2 \\ 2 \end{cases}", "a case without a condition"),
        (
            r"\alpha = \begin{cases} 1 & n \ge 2 \\ 2 & n < 2 \\ 3 & \text{otherwise} \end{cases}",
            "leave nothing for it",
        ),
        (
            r"\alpha = \begin{cases} 1 & \text{otherwise} \\ 2 & n \ge 2 \end{cases}",
            "before the last case",
        ),
    ],
)
def test_neither_of_two_readings_is_taken(text: str, says: str) -> None:
    with pytest.raises(TexError, match=says):
        read(text, NAMES)
