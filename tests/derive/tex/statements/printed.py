"""Formulas as they stand on paper: a tree that is printed and evaluated, and nothing else.

Nothing here is the checker's. What a formula is worth is found by mpmath from the tree that is
printed, in the order in which it is printed, so that a statement is known to be true or false
by other means than the checker that is tested.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import mpmath
from sympy import Add, Expr, Max, Min, Mul, Piecewise, Pow, Rational, Symbol, exp, latex, log
from sympy.core.relational import Relational

#: A denominator or an argument of a logarithm nearer to zero than this is zero.
ZERO = mpmath.mpf(10) ** -30
DIGITS = 60


@dataclass(frozen=True)
class Node:
    """A formula: ``kind`` says how the parts are put together, ``text`` is a name or the signs."""

    kind: str
    parts: tuple[Node, ...] = ()
    text: str = ""


def num(value: int) -> Node:
    return Node("num", (), str(value)) if value >= 0 else minus(num(-value))


def sym(s: Symbol | str) -> Node:
    return Node("sym", (), s if isinstance(s, str) else s.name)


def minus(x: Node) -> Node:
    return Node("sum", (x,), "-")


def add(*parts: Node, signs: str = "") -> Node:
    return Node("sum", parts, signs or "+" * len(parts))


def mul(*parts: Node) -> Node:
    return parts[0] if len(parts) == 1 else Node("prod", parts)


def frac(above: Node, below: Node) -> Node:
    return Node("frac", (above, below))


def power(base: Node, exponent: Node) -> Node:
    return Node("pow", (base, exponent))


def letter(name: str, of: Node) -> Node:
    """A name that stands for a formula."""
    return Node("letter", (of,), name)


# --- from SymPy -----------------------------------------------------------------------------
def printed(e: Expr) -> Node:
    """The formula of a SymPy expression, term by term."""
    sign, node = _signed(e)
    return minus(node) if sign < 0 else node


def _signed(e: Expr) -> tuple[int, Node]:
    if e.is_Rational:
        sign, e = (-1, -e) if e < 0 else (1, e)
        return sign, num(int(e)) if e.q == 1 else frac(num(e.p), num(e.q))
    if e.is_Symbol:
        return 1, sym(e)
    if isinstance(e, Add):
        terms = [_signed(a) for a in e.as_ordered_terms()]
        return 1, add(*(t for _, t in terms), signs="".join("+-"[s < 0] for s, _ in terms))
    if isinstance(e, (Mul, Pow)):
        return _product(e)
    if isinstance(e, (exp, log)):
        return 1, Node(type(e).__name__, (printed(e.args[0]),))
    if isinstance(e, (Max, Min)):
        return 1, Node(type(e).__name__.lower(), tuple(printed(a) for a in e.args))
    if isinstance(e, Piecewise):
        parts = [p for value, c in e.args for p in (printed(value), _condition(c))]
        return 1, Node("cases", tuple(parts))
    raise NotImplementedError(type(e).__name__)


def _condition(c: object) -> Node:
    if isinstance(c, Relational):
        return Node("relation", (printed(c.lhs), printed(c.rhs)), c.rel_op)
    return Node("otherwise")


def _product(e: Expr) -> tuple[int, Node]:
    coefficient, rest = e.as_coeff_Mul()
    above, below = [], []
    if abs(coefficient.p) != 1:
        above.append(num(abs(int(coefficient.p))))
    if coefficient.q != 1:
        below.append(num(int(coefficient.q)))
    for f in rest.as_ordered_factors():
        if isinstance(f, Pow) and f.exp.is_Rational and f.exp < 0:
            below.append(_power(f.base, -f.exp))
        elif isinstance(f, Pow):
            above.append(_power(f.base, f.exp))
        elif f != 1:
            above.append(printed(f))
    above.sort(key=_late)
    below.sort(key=_late)
    sign = -1 if coefficient < 0 else 1
    if not below:
        return sign, mul(*above) if above else num(1)
    return sign, frac(mul(*above) if above else num(1), mul(*below))


def _late(x: Node) -> int:
    """Functions are written behind the rest of a product."""
    return x.kind in ("log", "exp", "max", "min")


def _power(base: Expr, exponent: Expr) -> Node:
    if exponent == 1:
        return printed(base)
    if exponent == Rational(1, 2):
        return Node("sqrt", (printed(base),))
    return power(printed(base), printed(exponent))


# --- values ---------------------------------------------------------------------------------
class Undefined(ArithmeticError):
    """A formula has no value at a point."""


Point = Mapping[str, mpmath.mpf]


def value(node: Node, point: Point) -> mpmath.mpf:
    """What a formula is worth, among the real numbers.

    Raises
    ------
    Undefined
        Where it divides by zero, or takes a logarithm or a root that is not there.
    """
    if node.kind == "num":
        return mpmath.mpf(int(node.text))
    if node.kind == "sym":
        return point[node.text]
    if node.kind == "cases":
        return _case(node, point)
    values = [value(p, point) for p in node.parts]
    if node.kind == "sum":
        return mpmath.fsum(v if s == "+" else -v for s, v in zip(node.text, values, strict=True))
    if node.kind == "prod":
        return mpmath.fprod(values)
    if node.kind == "letter":
        return values[0]
    return _FUNCTIONS[node.kind](*values)


def _divided(above: mpmath.mpf, below: mpmath.mpf) -> mpmath.mpf:
    if abs(below) < ZERO:
        raise Undefined
    return above / below


def _raised(base: mpmath.mpf, exponent: mpmath.mpf) -> mpmath.mpf:
    whole = exponent == mpmath.nint(exponent)
    if (base < 0 and not whole) or (abs(base) < ZERO and exponent <= 0):
        raise Undefined
    return base**exponent


def _logarithm(x: mpmath.mpf) -> mpmath.mpf:
    if x < ZERO:
        raise Undefined
    return mpmath.log(x)


def _root(x: mpmath.mpf) -> mpmath.mpf:
    if x < -ZERO:
        raise Undefined
    return mpmath.sqrt(max(x, 0))


_FUNCTIONS: dict[str, Callable[..., mpmath.mpf]] = {
    "frac": _divided, "pow": _raised, "exp": mpmath.exp, "log": _logarithm, "sqrt": _root,
    "max": max, "min": min,
}  # fmt: skip
_HOLDS: dict[str, Callable[[mpmath.mpf], bool]] = {
    "==": lambda d: abs(d) < ZERO, "=": lambda d: abs(d) < ZERO, "!=": lambda d: abs(d) >= ZERO,
    "<": lambda d: d <= -ZERO, "<=": lambda d: d < ZERO,
    ">": lambda d: d >= ZERO, ">=": lambda d: d > -ZERO,
}  # fmt: skip


def _case(node: Node, point: Point) -> mpmath.mpf:
    """Every row whose condition holds must have the same value; otherwise is the rest."""
    rows = list(zip(node.parts[::2], node.parts[1::2], strict=True))
    held = [v for v, c in rows if c.kind == "relation" and holds(c, point)]
    held = held or [v for v, c in rows if c.kind == "otherwise"]
    values = [value(v, point) for v in held]
    if not values or any(abs(v - values[0]) > ZERO for v in values):
        raise Undefined
    return values[0]


def holds(relation: Node, point: Point) -> bool:
    """Whether a relation holds at a point."""
    one, other = (value(p, point) for p in relation.parts)
    return _HOLDS[relation.text](one - other)


# --- places ---------------------------------------------------------------------------------
Path = tuple[int, ...]


def places(node: Node, at: Path = ()) -> Iterator[tuple[Path, Node]]:
    """Every part of a formula, and where it is; not inside of what a letter stands for."""
    yield at, node
    if node.kind != "letter":
        for i, part in enumerate(node.parts):
            yield from places(part, (*at, i))


def put(node: Node, at: Path, new: Node) -> Node:
    """The formula with the part at a place replaced."""
    if not at:
        return new
    parts = list(node.parts)
    parts[at[0]] = put(parts[at[0]], at[1:], new)
    return replace(node, parts=tuple(parts))


def symbols(node: Node) -> set[str]:
    """Names of the symbols that occur."""
    inside = {node.text} if node.kind == "sym" else set()
    return inside.union(*(symbols(p) for p in node.parts))


# --- typography -----------------------------------------------------------------------------
@dataclass(frozen=True)
class Style:
    r"""How somebody writes.

    Attributes
    ----------
    fractions
        How fractions are set, outermost first, the last one for all deeper ones: ``\frac``,
        ``\tfrac``, ``\nicefrac``, ``over``, ``/``.
    exponential
        ``e^``, ``\mathrm{e}^``, ``\exp``.
    brackets, times, logarithm
        Round brackets by their opening one; the sign between factors.
    names
        Symbol -> LaTeX, where it is not SymPy's.
    """

    fractions: tuple[str, ...] = (r"\frac",)
    exponential: str = "e^"
    brackets: str = r"\left("
    times: str = " "
    logarithm: str = r"\log"
    names: Mapping[str, str] = field(default_factory=dict)


BRACKETS = {
    r"\left(": (r"\left(", r"\right)"), "(": ("(", ")"), r"\bigl(": (r"\bigl(", r"\bigr)"),
    r"\left[": (r"\left[", r"\right]"), r"\Big(": (r"\Big(", r"\Big)"),
    r"\big[": (r"\big[", r"\big]"), r"\{": (r"\{", r"\}"),
}  # fmt: skip
OPENING = tuple(left for left, _ in BRACKETS.values())
FUNCTIONS = (r"\log", r"\ln", r"\exp", r"\max", r"\min")
RELATIONS = {"==": "=", "=": "=", "!=": r"\ne", "<": "<", "<=": r"\le", ">": ">", ">=": r"\ge"}


def tex(node: Node, style: Style = Style(), depth: int = 0) -> str:
    """The formula in LaTeX."""
    if node.kind in ("num", "letter"):
        return node.text
    if node.kind == "sym":
        return style.names.get(node.text) or latex(Symbol(node.text))
    if node.kind == "sum":
        terms = [_bracketed(p, style, depth, 1) for p in node.parts]
        text = "".join(f" {s} {t}" for s, t in zip(node.text, terms, strict=True))
        return text[3:] if text[1] == "+" else "-" + text[3:]
    if node.kind == "prod":
        return _factors([_bracketed(p, style, depth, 2) for p in node.parts], style)
    if node.kind == "frac":
        return _fraction(node, style, depth)
    if node.kind == "pow":
        base, exponent = node.parts
        return f"{_bracketed(base, style, depth, 3)}^{{{tex(exponent, style, depth + 1)}}}"
    if node.kind == "exp" and style.exponential != r"\exp":
        return f"{style.exponential}{{{tex(node.parts[0], style, depth + 1)}}}"
    if node.kind in ("exp", "log"):
        left, right = BRACKETS[style.brackets]
        name = style.logarithm if node.kind == "log" else r"\exp"
        return f"{name}{left}{tex(node.parts[0], style, depth)}{right}"
    if node.kind == "sqrt":
        return rf"\sqrt{{{tex(node.parts[0], style, depth)}}}"
    if node.kind in ("max", "min"):
        inside = ", ".join(tex(p, style, depth) for p in node.parts)
        left, right = (r"\{", r"\}") if style.brackets == "(" else (r"\left\{", r"\right\}")
        return rf"\{node.kind}{left}{inside}{right}"
    if node.kind == "cases":
        return _cases(node, style, depth)
    if node.kind == "relation":
        one, other = (tex(p, style, depth) for p in node.parts)
        return f"{one} {RELATIONS[node.text]} {other}"
    if node.kind == "otherwise":
        return r"\text{otherwise}"
    raise NotImplementedError(node.kind)


def _level(node: Node, style: Style, depth: int) -> int:
    """How strongly a formula holds together: 0 a sum, 1 a product, 2 a factor, 3 a letter."""
    if node.kind == "frac":
        return 1 if _setting(style, depth) == "/" else 2
    return {"sum": 0, "cases": 0, "prod": 1, "num": 3, "sym": 3, "letter": 3}.get(node.kind, 2)


def _bracketed(node: Node, style: Style, depth: int, level: int) -> str:
    text = tex(node, style, depth)
    if _level(node, style, depth) >= level:
        return text
    left, right = BRACKETS[style.brackets]
    return f"{left}{text}{right}"


def _factors(texts: list[str], style: Style) -> str:
    out = texts[0]
    for before, text in itertools.pairwise(texts):
        # 2 \frac{1}{3} is a mixed number to some, and 2 3 is none to anybody.
        # \log(a) (b) could be the logarithm of the product.
        applied = before.startswith(FUNCTIONS) and text.startswith(OPENING)
        digits = text[0].isdigit() or (before.isdigit() and ("frac" in text[:9] or text[0] == "{"))
        out += (r" \cdot " if digits or applied else style.times) + text
    return out


def _setting(style: Style, depth: int) -> str:
    return style.fractions[min(depth, len(style.fractions) - 1)]


def _fraction(node: Node, style: Style, depth: int) -> str:
    setting = _setting(style, depth)
    if setting == r"\nicefrac" and any(p.kind == "frac" for _, p in places(node) if p is not node):
        setting = r"\frac"  # nobody puts one into another
    if setting == "/":
        above, below = node.parts
        return f"{_bracketed(above, style, depth, 2)}/{_bracketed(below, style, depth, 3)}"
    one, other = (tex(p, style, depth + 1) for p in node.parts)
    if setting == "over":
        return rf"{{{one} \over {other}}}"
    return f"{setting}{{{one}}}{{{other}}}"


def _cases(node: Node, style: Style, depth: int) -> str:
    rows = []
    for one, condition in zip(node.parts[::2], node.parts[1::2], strict=True):
        word = r"\text{if } " if condition.kind == "relation" else ""
        rows.append(f"{tex(one, style, depth)} & {word}{tex(condition, style, depth)}")
    return r"\begin{cases} " + r" \\ ".join(rows) + r" \end{cases}"


def misprint(node: Node) -> Node:
    """With every fraction upside down."""
    parts = tuple(misprint(p) for p in node.parts)
    return replace(node, parts=parts[::-1] if node.kind == "frac" else parts)
