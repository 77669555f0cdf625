r"""LaTeX of a formula that is laid out.

An exponent that is short stands up, with a slanted line: ``e^{m/((m - 1) \tau)}``; one that is
tall is an argument: ``\exp\left(..\right)``. Parentheses grow only around what is tall.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from sympy import E, Expr, Indexed, Symbol, latex, oo, pi
from sympy import Sum as Total
from sympy.core.symbol import Str

from .tree import (
    ATOM,
    ONE,
    POWER,
    PRODUCT,
    Call,
    Limited,
    Name,
    Node,
    Number,
    Other,
    Power,
    Product,
    Sum,
    joined,
    over,
)

#: What an exponent costs at most that stands up.
SHORT = 24

Names = Callable[[Symbol], str]

_CONSTANTS = {oo: r"\infty", pi: r"\pi", E: "e"}


def tex(node: Node, name: Names) -> str:
    """LaTeX of a node."""
    if isinstance(node, Number):
        return _CONSTANTS.get(node.value) or str(latex(node.value))
    if isinstance(node, Name):
        return name(node.symbol)
    if isinstance(node, Sum):
        return joined(((m, _held(part, PRODUCT, name)) for m, part in node.terms), "- ")
    if isinstance(node, Product):
        return _product(node, name)
    if isinstance(node, Power):
        inside = _held(node.base, ATOM, name)
        if _is_total(node.base):  # the exponent would be that of its terms
            inside = brackets(inside, tall=True)
        if "^" in inside and isinstance(node.base, (Name, Call)) and not inside.endswith(")"):
            inside = brackets(inside, tall=False)  # TeX takes one exponent
        return f"{inside}^{{{tex(node.exponent, name)}}}"
    if isinstance(node, Call):
        return _call(node, name)
    if isinstance(node, Limited):
        of = _held(node.node, PRODUCT, name)
        return rf"\lim_{{{name(node.symbol)} \to {latex(node.to)}}} {of}"
    assert isinstance(node, Other)
    if isinstance(node.value, Str):
        return spoken(node.value.name)
    shown, called = node.with_parts(lambda part: tex(part, name))
    names = {s: called.get(s) or name(s) for s in shown.free_symbols}
    written = str(latex(shown, symbol_names=names))
    for sympys, ours in (r"\text{for}\:", r"\text{if }"), (r"\wedge", r"\text{ and }"):
        written = written.replace(sympys, ours)
    return _without_braces(written)


def entry(e: Indexed) -> str:
    """LaTeX of what has indices, as it stands in a formula."""
    return _without_braces(str(latex(e)))


_BASE = re.compile(r"(?<![A-Za-z}\\])\{(\\?[A-Za-z]+)\}(?=_\{)")


def _without_braces(written: str) -> str:
    """``P_{i,j}``, of which SymPy makes ``{P}_{i,j}``."""
    return _BASE.sub(r"\1", written)


def is_tall(node: Node) -> bool:
    """Whether there is a line in it that numbers stand above and below."""
    if isinstance(node, Product):
        return bool(node.below) or any(map(is_tall, node.above))
    if isinstance(node, Call):
        if node.function == "exp":
            return not _is_short(node.arguments[0]) and is_tall(node.arguments[0])
        return any(map(is_tall, node.arguments))
    if isinstance(node, Power):
        return is_tall(node.base)
    if isinstance(node, Other) and isinstance(node.value, Expr) and node.value.has(Total):
        return True
    return any(map(is_tall, node.children))


def _is_total(node: Node) -> bool:
    """Whether it is a sum over an index, which has no end of its own in LaTeX."""
    return isinstance(node, Other) and isinstance(node.value, Total)


def brackets(inside: str, *, tall: bool) -> str:
    """Parentheses around LaTeX."""
    return rf"\left({inside}\right)" if tall else f"({inside})"


def _held(node: Node, tight: int, name: Names) -> str:
    inside = tex(node, name)
    return inside if node.tight >= tight else brackets(inside, tall=is_tall(node))


def _product(node: Product, name: Names) -> str:
    if not node.below:
        return _row(node.above, name)
    above, below = (tex(_side(side), name) for side in (node.above, node.below))
    return rf"\frac{{{above}}}{{{below}}}"


def _side(factors: tuple[Node, ...]) -> Node:
    if not factors:
        return ONE
    return factors[0] if len(factors) == 1 else Product(factors)


def _row(factors: tuple[Node, ...], name: Names) -> str:
    """Factors side by side; a dot between numbers."""
    parts = [_held(f, POWER, name) for f in factors]
    for k, f in enumerate(factors[:-1]):
        if _is_total(f):  # what follows would be part of its terms
            parts[k] = brackets(parts[k], tall=True)
    row = parts[0]
    for part in parts[1:]:
        row += (r" \cdot " if part[0].isdigit() else " ") + part
    return row


def _call(node: Call, name: Names) -> str:
    arguments = [tex(a, name) for a in node.arguments]
    (first, *_) = arguments
    if node.function == "exp":
        (inside,) = node.arguments
        if _is_short(inside):
            return f"e^{{{slanted(inside, name)}}}"
        return r"\exp" + brackets(first, tall=is_tall(inside))
    if node.function == "sqrt":
        return rf"\sqrt{{{first}}}"
    if node.function == "Abs":
        return rf"\left|{first}\right|"
    tall = any(map(is_tall, node.arguments))
    return rf"\{node.function.lower()}" + brackets(", ".join(arguments), tall=tall)


def _is_short(exponent: Node) -> bool:
    """Whether an exponent may stand up: it is short, and has one line at most."""
    lines = str(exponent.key).count("/")
    has_function = any(isinstance(part, Call) for part in _parts(exponent))
    return exponent.cost <= SHORT and lines <= 1 and not has_function


def _parts(node: Node) -> list[Node]:
    return [node, *(inner for child in node.children for inner in _parts(child))]


def slanted(node: Node, name: Names) -> str:
    """LaTeX with slanted lines instead of level ones."""
    if isinstance(node, Product) and node.below:
        above, below = (_row(side, name) if side else "" for side in (node.above, node.below))
        return over(above, below, len(node.below))
    if isinstance(node, Sum):
        return joined((m, slanted(part, name)) for m, part in node.terms)
    return tex(node, name)


_INDEXED = re.compile(r"\b([A-Za-z]+)_(\w+)")
_SIGNS = {">=": r"$\ge$", "<=": r"$\le$", ">": "$>$", "<": "$<$"}


def phrase(words: str) -> str:
    """Words as LaTeX: names with an index, and signs, are mathematics."""
    indexed = _INDEXED.sub(lambda at: f"${latex(Symbol(at[1]))}_{{{at[2]}}}$", words)
    return re.sub("[<>]=?", lambda sign: _SIGNS[sign[0]], indexed)


def spoken(words: str) -> str:
    """The same in a formula."""
    return rf"\text{{{phrase(words)}}}"
