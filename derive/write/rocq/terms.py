"""Expressions and relations as terms of Rocq over the real numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from re import ASCII, fullmatch
from typing import Any

from sympy import Abs, Add, Basic, Expr, Integer, Max, Min, Mul, Pow, S, Symbol, Tuple
from sympy import exp as Exp
from sympy import log as Log
from sympy.core.relational import Relational

from ...decide.domain import Domain, Range
from ...errors import Refusal
from ...proof.relations import Iff

#: Words that Rocq reads as something else than the name of a variable.
RESERVED = frozenset(
    "as at by cofix else end exists fix for forall fun if in let match R return then using "
    "where with exp ln sqrt pi Prop SProp Set Type".split()
)
FUNCTIONS = {Exp: "exp", Log: "ln", Abs: "Rabs"}
PAIRED = {Max: "Rmax", Min: "Rmin"}
#: How tightly a term holds together: sum, product, power, atom.
SUM, PRODUCT, POWER, ATOM = range(4)

#: What symbols, and means that stand as one, are called.
Names = Mapping[Any, str]


class NotWritten(Refusal, ValueError):
    """What is not (yet) written for Rocq; the message says which part, in a line."""


def exponentials(e: Expr) -> list[Expr]:
    """The exponentials in an expression, always in the same order, so that proofs are."""
    return sorted(e.atoms(Exp), key=str)


def roots(e: Expr) -> list[Expr]:
    """The powers of square roots in an expression, always in the same order."""
    halves = (p for p in e.atoms(Pow) if not isinstance(p, Exp) and p.exp.is_Rational)
    return sorted((p for p in halves if p.exp.q == 2), key=str)


def name(symbol: Symbol) -> str:
    """A symbol as a variable of Rocq.

    Raises
    ------
    NotWritten
        If its name would be read as something else.
    """
    if not fullmatch(r"[A-Za-z][A-Za-z0-9_]*", symbol.name, ASCII):
        raise NotWritten(f"{symbol.name!r} is not the name of a variable in Rocq")
    return f"{symbol.name}_" if symbol.name in RESERVED else symbol.name


def term(e: Expr, names: Names | None = None, place: int = SUM) -> str:
    """An expression as a term; ``names`` calls some of its parts otherwise.

    Raises
    ------
    NotWritten
        If it has a part that Rocq has no name for here: a root without a formula, a mean.
    """
    text, tight = _term(e, names or {})
    return f"({text})" if tight < place else text


def _term(e: Expr, names: Names) -> tuple[str, int]:
    if e in names:
        return names[e], ATOM
    if e.is_Symbol:
        return name(e), ATOM
    if e.is_Integer:
        return str(e), ATOM if e >= 0 else SUM
    if e.is_Rational:
        return f"{e.p} / {e.q}", PRODUCT if e > 0 else SUM
    if e is S.Exp1:
        return "exp 1", POWER
    if isinstance(e, Add):
        first, *rest = e.as_ordered_terms()
        text = term(first, names)
        for part in rest:
            minus = part.could_extract_minus_sign()
            text += f" {'-' if minus else '+'} {term(-part if minus else part, names, PRODUCT)}"
        return text, SUM
    if isinstance(e, Mul):
        if e.could_extract_minus_sign():
            return f"- {term(-e, names, PRODUCT)}", SUM
        above, below = e.as_numer_denom() if e.is_Rational else _split(e)
        text = " * ".join(term(f, names, POWER) for f in above) or "1"
        return text + "".join(f" / {term(f, names, POWER)}" for f in below), PRODUCT
    if isinstance(e, Pow) and not isinstance(e, Exp):
        if e.exp.is_Integer and e.exp > 0:
            return f"{term(e.base, names, ATOM)} ^ {e.exp}", POWER
        if e.exp.is_Integer:
            return f"/ {term(e.base**-e.exp, names, POWER)}", PRODUCT
        if e.exp.is_Rational and e.exp.q == 2:
            root = f"sqrt {term(e.base, names, ATOM)}"
            power = abs(e.exp.p)
            text = root if power == 1 else f"({root}) ^ {power}"
            return (text, POWER) if e.exp > 0 else (f"/ ({text})", PRODUCT)
    for kind, called in FUNCTIONS.items():
        if isinstance(e, kind):
            return f"{called} {term(e.args[0], names, ATOM)}", POWER
    for kind, called in PAIRED.items():
        if isinstance(e, kind):
            inner, *rest = (term(part, names, ATOM) for part in e.args)
            for part in rest:
                inner = f"({called} {inner} {part})"
            return inner, ATOM
    raise NotWritten(f"{type(e).__name__} has no term in Rocq")


def _split(e: Expr) -> tuple[list[Expr], list[Expr]]:
    """The factors above and below the line."""
    above, below = [], []
    for f in Mul.make_args(e):
        if f.is_Rational and not f.is_Integer:
            above += [Integer(f.p)] if f.p != 1 else []
            below.append(Integer(f.q))
        elif isinstance(f, Pow) and not isinstance(f, Exp) and f.exp.is_Integer and f.exp < 0:
            below.append(f.base**-f.exp)
        else:
            above.append(f)
    return above, below


def relation(shown: Basic, names: Names | None = None) -> str:
    """Relations, several of them, or two of which one holds where the other does."""
    if isinstance(shown, Tuple):
        return " /\\ ".join(relation(part, names) for part in shown.args)
    if isinstance(shown, Iff):
        return " <-> ".join(f"({relation(part, names)})" for part in shown.args)
    if isinstance(shown, Relational) and shown.rel_op != "!=":
        left, right = (term(side, names) for side in shown.args)
        return f"{left} {shown.rel_op.replace('==', '=')} {right}"
    raise NotWritten(f"{type(shown).__name__} is not a relation between numbers")


def hypotheses(domain: Domain) -> dict[str, str]:
    """What is known of the symbols of a domain: a name for each inequality, and it."""
    every = (bounds(s, r).items() for s, r in domain.ranges.items())
    return dict(chain.from_iterable(every))


def bounds(s: Symbol, r: Range, names: Names | None = None) -> dict[str, str]:
    """What a range says of its symbol: a name for each inequality, and it."""
    called, found = (names or {}).get(s, name(s)), {}
    if r.low.is_finite is not False:
        sign = "<" if r.low_open else "<="
        found[f"{called}_low"] = f"{term(r.low, names, PRODUCT)} {sign} {called}"
    if r.high.is_finite is not False:
        sign = "<" if r.high_open else "<="
        found[f"{called}_high"] = f"{called} {sign} {term(r.high, names, PRODUCT)}"
    return found


def quantified(domain: Domain, goal: str) -> tuple[str, list[str]]:
    """A goal for all points of a domain, and what introduces them in its proof."""
    variables, given = " ".join(name(s) for s in domain.ranges), hypotheses(domain)
    text = (f"forall {variables} : R, " if variables else "") + " -> ".join([*given.values(), goal])
    return text, [f"intros {' '.join([variables, *given])}."] if variables else []


def lemma(called: str, domain: Domain, goal: str, proof: Iterable[str]) -> str:
    """A lemma on all points of a domain."""
    text, introduced = quantified(domain, goal)
    return "\n".join([f"Lemma {called} : {text}.", "Proof.", *introduced, *proof, "Qed."])


def agreeing(pattern: Iterable[bool]) -> str:
    """Which indices agree, as a list."""
    return f"[{'; '.join('true' if same else 'false' for same in pattern)}]"
