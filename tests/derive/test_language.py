"""Nodes of printed statements: parts are put back, texts are plain, what is wrong is refused."""

from __future__ import annotations

import pytest
from cltheory.derive.language.items import tree
from cltheory.derive.language.mutants import Slips
from cltheory.derive.language.nodes import Node
from cltheory.derive.language.parser import Letters, expression, parse
from cltheory.derive.language.statement import TexError
from cltheory.derive.language.symbolic import NotClosed, Writer
from cltheory.derive.language.tokens import tokenise
from cltheory.derive.language.typed import formula, typed
from cltheory.derive.language.units import Formula
from cltheory.derive.proof import lemmas
from cltheory.derive.proof.statement import Lemma
from cltheory.derive.tex.formula.grammar import Grammar
from cltheory.derive.tex.formula.names import Names
from sympy import Abs, Max, Rational, symbols

a, b = symbols("a b", positive=True)
LETTERS = Letters(vectors="uz", sets="U", functions={"f"}, over="n")
STATEMENTS = {
    r"\frac{a}{2} - |b|^2 \le \sqrt{a b}": "((a)/(2) - (|b|)^(2)) <= sqrt(a * b)",
    r"\sum_{i \ne j \in [n]} u_i^\top u_j = 0": (
        "sum[i in 1..n, j in 1..n, i != j] u_i^T * u_j = 0"
    ),
    r"a \in [0, b) \iff \exists c: (u = c z \ \forall u \in U)": (
        "a in [0, b) iff exists c: (u = c * z for all u in U)"
    ),
    r"\frac{\partial^2}{\partial a^2} f(a; b) = \lim_{b \to \infty} \max(a, b)": (
        "d^2/da^2 f(a, b) = lim[b -> oo] max(a, b)"
    ),
    r"\mathbb{E}[U \setminus \{u_1\}] = z_{i^+} \wedge \cos(u, z) = \|u\|": (
        "mean(U setminus {u_1}) = z_i^+ and cos(u, z) = norm(u)"
    ),
}


def parts(node: Node) -> list[Node]:
    """A node and all that it consists of."""
    return [node, *(inner for part, _ in node.places() for inner in parts(part))]


@pytest.mark.parametrize("text", STATEMENTS)
def test_a_statement_is_spelled_and_its_parts_can_be_exchanged(text: str) -> None:
    tree = parse(text, LETTERS).tree
    assert str(tree) == STATEMENTS[text]
    for node in parts(tree):
        for part, put in node.places():
            assert put(part) == node and hash(put(part)) == hash(node)
            assert put(expression("q")) != node
            assert part.names <= node.names


def test_every_mutant_is_another_statement() -> None:
    slips = Slips(["a", "b"], lambda one, other: True)
    for text in STATEMENTS:
        tree = parse(text, LETTERS).tree
        changed = [str(mutant) for _, mutant in slips.changed(tree, ["i", "j"])]
        assert changed and str(tree) not in changed


@pytest.mark.parametrize("text", ["1.2.3", "2.5 1.5", r"\|u\|_3", r"\log^2 a", "(a", r"\vec{ab}"])
def test_what_is_no_expression_is_refused(text: str) -> None:
    with pytest.raises(TexError):
        expression(text, LETTERS)


def test_a_proof_reads_absolute_values_and_extrema_and_notes_what_they_need() -> None:
    writer = Writer({"a": a, "b": b})
    assert writer.expression(expression(r"\max(a, b) - |\frac{1}{2}|")) == Max(a, b) - Rational(
        1, 2
    )
    assert writer.expression(expression(r"|a - b|/b")) == Abs(a - b) / b
    assert [str(one.argument) for one in writer.needs] == ["b"]
    with pytest.raises(NotClosed, match="norm"):
        writer.expression(expression(r"\|u\|", LETTERS))


def strictly(text: str) -> Node:
    """What a display says, of which nobody says how it is meant."""
    items = tree(tokenise(text))
    grammar = Grammar(Formula(items), Names({"a": a, "b": b, "c_{1}": a}), len(text))
    (node,), _ = grammar.chain(grammar.pieces(items), grammar.sum, lambda body, k: None)
    assert isinstance(node, Node)
    return node


@pytest.mark.parametrize(
    "text",
    [
        r"-2a^{b+1} + \frac{a}{3b} - \left|a - b\right|",
        r"\log\left(1 + \exp(-a/b)\right) \cdot (b - 1)",
        r"\sqrt{a b} (a + b)^2 \max(a, 2b, 1.5)",
        r"\tfrac12 [a \times b] - \ln \exp a",
        r"\sqrt[3]{a}/\{b^2\}",
    ],
)
def test_a_display_and_a_ledger_are_read_to_the_same_nodes(text: str) -> None:
    assert strictly(text) == expression(text)


@pytest.mark.parametrize(
    "text",
    [r"a/b a", r"a/b \cdot a", r"a/b/a", r"\log a b", r"\log(a)^2", r"\log(a)(b)", r"a 2",
     r"2\frac{1}{2}", r"\frac{a}{b}^2", r"\exp a \cdot b"],
)  # fmt: skip
def test_what_has_two_readings_is_read_by_a_ledger_only(text: str) -> None:
    assert isinstance(expression(text), Node)
    with pytest.raises(TexError):
        strictly(text)


@pytest.mark.parametrize(
    ("tex", "plain"),
    [
        (r"\tfrac1N \sum_{j \ne i} z_j z_j^\top", "(1/N) sum_{j != i} z_j z_j'"),
        (r"\log\tfrac1N \ge \frac{1}{2}\,\varepsilon + \frac a2", "log 1/N >= (1/2) epsilon + a/2"),
        (r"\log\frac{e^{\langle z, z^+\rangle/\tau}}{a + b}", "log(exp(<z, z+>/tau) / (a + b))"),
        (r"\frac{k (k - 1)}{2 n}\lambda_e - e^2", "(k (k - 1)/(2 n)) lambda_e - e^2"),
        (r"\sqrt{s}\,\nabla\mathcal{L}(G) \succeq 0", "sqrt(s) grad L(G) >= 0"),
        (r"\tau_{2}^{\prime} \in \{1, n\}", "tau2_prime in {1, n}"),
        (r"{}_0F_1(;b;z)", "hyper((), (b,), z)"),
    ],
)
def test_latex_is_typed_as_plain_text(tex: str, plain: str) -> None:
    assert formula(tex) == plain
    assert typed(f"Let ${tex}$ be it.") == f"Let {plain} be it."


@pytest.mark.parametrize("lemma", [v for v in vars(lemmas).values() if isinstance(v, Lemma)])
def test_a_lemma_is_said_in_plain_text(lemma: Lemma) -> None:
    assert not set("\\$") & set(lemma.says)
    assert lemma.statement.count("$") % 2 == lemma.proof.count("$") % 2 == 0
