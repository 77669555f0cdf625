r"""What a side of an equation is about: the quantity, something else by name, or a formula.

A name counts as the quantity's only if it is one of its known spellings, or if the directive
declares it. Of an inner product the vectors, and which of their indices are the same, must be
those of the quantity; of a limit, the symbol and the point.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from itertools import zip_longest

from sympy import Expr, S, Symbol, oo

from ...decide.equal import equal
from ...decide.evidence import Grade, Holds
from ...language.statement import (
    Among,
    Bounds,
    Called,
    Indices,
    Inner,
    Limit,
    Side,
    Statement,
    Tends,
    TexError,
    Unread,
    Vector,
)
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from .lookup import Meant, pattern


def with_subject(statement: Statement, meant: Meant, at_limit: bool) -> Statement:
    """Write symbols for the names, inner products and limits among the sides.

    ``at_limit`` is whether a condition beside it says the limit that the quantity is.

    Raises
    ------
    TexError
        If a side is about something that is not known, or not about this quantity.
    """
    if "->" in statement.relations and not at_limit and not meant.gone:
        raise TexError("write beside the arrow which symbol tends to what, such as \\tau \\to 0")
    indices = [c.says for c in statement.clauses if isinstance(c.says, (Indices, Among))]
    goes = {c.says.symbol for c in statement.clauses if isinstance(c.says, Tends)}
    sides = tuple(
        _quantity_of_limit(_called(side, meant, goes), meant, at_limit)
        if isinstance(side, Called)
        else _subject(side, meant, at_limit, indices)
        for side in statement.sides
    )
    read = [s.xreplace(meant.exported) for s in sides if isinstance(s, Expr)]
    used = set[object]().union(*(e.free_symbols for e in read))
    for gone in used & meant.gone:
        raise TexError(f"the directive takes {gone} to oo, and the formula contains it")
    relations = tuple("=" if r == "->" else r for r in statement.relations)
    return replace(statement, sides=sides, relations=relations)


def _subject(side: Side, meant: Meant, at_limit: bool, indices: list[Indices | Among]) -> Side:
    if isinstance(side, Unread):
        return _unread(side, meant, at_limit)
    if isinstance(side, Inner):
        return _quantity_of_limit(_of_vectors(side, meant, indices), meant, at_limit)
    if isinstance(side, Limit):
        return _limit(side, meant, indices)
    if isinstance(side, Bounds):
        return side
    return _quantity_of_limit(side, meant, at_limit)


def _quantity_of_limit(side: Expr, meant: Meant, at_limit: bool) -> Expr:
    """The quantity itself, if it is a limit and the side is what it is the limit of."""
    (own, *more), (quantity, *_) = meant.own, meant.quantities
    if quantity.limit_of is None or more or side != base(quantity, meant.result):
        return side
    if not at_limit:
        raise TexError(
            f"the quantity is a limit of this name: write {shown(quantity)}, or "
            f"'as {quantity.limit_of[1]} \\to {quantity.limit_of[2]}' beside it"
        )
    return own


def base(quantity: Quantity, result: Result) -> Symbol | None:
    """The symbol of what a quantity is a limit of."""
    if quantity.limit_of is None:
        return None
    for name, q in result.quantities.items():
        if q.limit_of is None and q.expression == quantity.limit_of[0]:
            return Symbol(name, real=True)
    return None


def shown(quantity: Quantity) -> str:
    """LaTeX of a quantity, a limit as one."""
    if quantity.limit_of is None or "\\lim" in quantity.symbol:
        return quantity.symbol
    _, symbol, point = quantity.limit_of
    to = "\\infty" if point is oo else point
    return rf"\lim_{{\{symbol} \to {to}}} {quantity.symbol}"


# --- names --------------------------------------------------------------------------------
def _called(side: Called, meant: Meant, tending: Collection[Expr]) -> Expr:
    """The name, if it is called with parameters that it may depend on and that are left open."""
    quantity = meant.result.quantities.get(str(side.name))
    parameters = set(meant.result.domain.ranges)
    for q in meant.quantities:
        parameters |= set(q.domain.ranges if q.domain is not None else ())
    for s in side.arguments:
        why = ""
        if s not in parameters:
            why = "is not a parameter: this is a value at another place"
        elif s in meant.point and s not in tending:
            why = "has a value in the directive: the name says that it is left open"
        elif quantity is not None and quantity.bound is not None and s == quantity.bound[0]:
            why = "is the parameter that this threshold bounds"
        if why:
            raise TexError(f"{side.name} is written with {s} in brackets, which {why}")
    return side.name


def _unread(side: Unread, meant: Meant, at_limit: bool) -> Expr:
    """A norm that is a known spelling; else a refusal that says what is known."""
    for quantity, symbol in _written(meant):
        if side in patterns(quantity):
            return _quantity_of_limit(symbol, meant, at_limit)
    called = " or ".join(dict.fromkeys(shown(q) for q in meant.quantities))
    if not side.text:
        raise TexError(
            f"nothing stands left of the relation: begin the row with {called}, or with a formula"
        )
    raise TexError(
        f"it is not known what {side.text} is: the quantity is called {called}; "
        f"[{side.text} -> {meant.own[0]}] in the directive declares another name"
    )


# --- vectors ------------------------------------------------------------------------------
def patterns(quantity: Quantity) -> list[Inner | Unread]:
    """Inner products and norms that a quantity is written as."""
    found = [pattern(written) for written in (quantity.symbol, *quantity.spellings)]
    return [p for p in found if isinstance(p, (Inner, Unread))]


def _of_vectors(side: Inner, meant: Meant, conditions: list[Indices | Among]) -> Expr:
    """The symbol of the quantity that an inner product is."""
    indices = [c for c in conditions if isinstance(c, Indices)]
    families = {v.name: c for c in conditions if isinstance(c, Among) for v in c.vectors}
    if families:
        return _of_families(side, meant, families, indices)
    if any(c.relation == "=" for c in indices):
        raise TexError("indices that are equal are written as one letter")
    for quantity, symbol in _written(meant):
        if any(isinstance(p, Inner) and fits(side, p) for p in patterns(quantity)):
            places = zip_longest(letters(side.one), letters(side.other), fillvalue="")
            _check_indices(list(places), indices, meant)
            return symbol
    called = " or ".join(dict.fromkeys(q.symbol for q in meant.quantities))
    raise TexError(f"this inner product is not a known one; the quantity is called {called}")


def _of_families(
    side: Inner, meant: Meant, families: Mapping[str, Among], indices: list[Indices]
) -> Expr:
    r"""What an inner product is by where its vectors are: ``u \in U_{i,j}, v \in U_{i,j'}``.

    The first index is that of the class, the second that of the instance.
    """
    names = [side.one.name, side.other.name]
    if set(families) != set(names):
        raise TexError("the condition is about vectors other than those in the inner product")
    one, other = (families[name] for name in names)
    if one.without or other.without or any(c.relation == "=" for c in indices):
        raise TexError("say where the vectors of the inner product lie as u \\in U_{i,j}")
    (base, places), (its_base, its_places) = (_places_in(c.family) for c in (one, other))
    if base != its_base or len(places) != len(its_places) or not 1 <= len(places) <= 2:
        raise TexError("say where the vectors of the inner product lie as u \\in U_{i,j}")
    if places[0] != its_places[0]:
        relation = "cross_class"
    elif places != its_places:
        relation = "same_class"
    else:
        raise TexError(
            f"{names[0]} and {names[1]} may be one vector in {one.family}, where it is another "
            "quantity: write U_{i,j} and U_{i,j'}"
        )
    for quantity, symbol in _written(meant):
        scripts = [
            (p.one.indices, p.other.indices) for p in patterns(quantity) if isinstance(p, Inner)
        ]
        if symbol.name == relation and (side.one.indices, side.other.indices) in scripts:
            _check_indices(list(zip(places, its_places, strict=True)), indices, meant)
            return symbol
    raise TexError(f"no quantity here is an inner product of {relation.replace('_', ' ')}")


def _places_in(family: str) -> tuple[str, list[str]]:
    r"""The name of a family without its index, and the index: ``U^{\delta}``, ``[i, j]``."""
    start = family.find("_{")
    if start < 0:
        return family, []
    depth, end = 1, start + 2
    while depth and end < len(family):
        depth += {"{": 1, "}": -1}.get(family[end], 0)
        end += 1
    inside = family[start + 2 : end - 1]
    parts = (inside,) if "," in inside or not inside.isalpha() else tuple(inside)
    return family[:start] + family[end:], letters(Vector("", parts))


def _written(meant: Meant) -> list[tuple[Quantity, Symbol]]:
    """The quantities that have a name of their own, with their symbols: what is meant first."""
    own = [(q, s) for q, s in zip(meant.quantities, meant.own, strict=True) if q.limit_of is None]
    every = meant.result.quantities.items()
    return own + [(q, Symbol(name, real=True)) for name, q in every if q.limit_of is None]


_LETTER = re.compile(r"[a-z](\^\{(\\prime ?)+\}|'+)?")


def letters(vector: Vector) -> list[str]:
    """The indices of a vector, one by one."""
    found, depth = [""], 0
    for sign in ",".join(vector.indices):
        depth += {"{": 1, "}": -1}.get(sign, 0)
        if sign == "," and not depth:
            found.append("")
        else:
            found[-1] += sign
    return [f for f in found if f]


def fits(side: Inner, pattern: Inner) -> bool:
    """Whether two inner products are one, up to order and to the letters of their indices."""
    return any(
        _renamed(
            [side.one, side.other] if first else [side.other, side.one],
            [pattern.one, pattern.other],
        )
        for first in (True, False)
    )


def _renamed(vectors: list[Vector], pattern: list[Vector]) -> bool:
    if [v.name for v in vectors] != [v.name for v in pattern]:
        return False
    forth: dict[str, str] = {}
    back: dict[str, str] = {}
    for vector, other in zip(vectors, pattern, strict=True):
        one, two = letters(vector), letters(other)
        if len(one) != len(two):
            return False
        for a, b in zip(one, two, strict=True):
            index = bool(_LETTER.fullmatch(a)) and bool(_LETTER.fullmatch(b))
            if not index and a != b:
                return False
            if forth.setdefault(a, b) != b or back.setdefault(b, a) != a:
                return False
    return True


def _check_indices(places: list[tuple[str, str]], indices: list[Indices], meant: Meant) -> None:
    """Refuse conditions on indices that do not leave what the letters already say.

    Each place counts something else, classes or instances or views; what two vectors are to
    one another is said by the first place at which their indices differ.
    """
    used = {i for pair in places for i in pair if _LETTER.fullmatch(i)}
    pairs = [{*pair} for pair in places if pair[0] != pair[1]]
    apart = [set(said.letters) for said in indices if said.relation == "!="]
    ranging = {i for said in indices if said.relation == "any" for i in said.letters}
    counts = {s for s, r in meant.result.domain.ranges.items() if r.integer}
    for said in indices:
        if not set(said.letters) <= used:
            missing = ", ".join(sorted(set(said.letters) - used))
            raise TexError(f"a condition on the index {missing}, which the vectors do not have")
        if said.size is not None and said.size not in counts and not said.size.is_Integer:
            raise TexError(f"an index runs to {said.size}, which is not a number of vectors here")
    if pairs and apart and pairs[0] not in apart:
        first, second = sorted(pairs[0])
        raise TexError(f"the condition on indices is not {first} \\ne {second}")
    for pair in pairs[:1]:
        first, second = sorted(pair)
        if pair <= ranging and not apart:
            raise TexError(
                f"for all {first} and {second} includes {first} = {second}, where it is "
                f"another quantity: add {first} \\ne {second}"
            )


# --- limits -------------------------------------------------------------------------------
def _limit(side: Limit, meant: Meant, indices: list[Indices | Among]) -> Expr:
    tending: dict[Expr, Limit] = {}
    inner: Side = side
    while isinstance(inner, Limit):
        if not isinstance(inner.symbol, Symbol):
            raise TexError("what tends must be one symbol")
        if tending.setdefault(inner.symbol, inner) is not inner:
            raise TexError(f"{inner.symbol} tends twice")
        inner = inner.expression
    if isinstance(inner, Inner):
        of: Expr = _of_vectors(inner, meant, indices)
    elif isinstance(inner, Called):
        of = _called(inner, meant, tending)
    elif isinstance(inner, Expr):
        of = inner
    else:
        raise TexError("it is not known what this is a limit of")
    if of in meant.own and set(tending) & meant.gone:
        to_infinity = all(one.point is oo and not one.side for one in tending.values())
        if set(tending) != meant.gone or not to_infinity:
            names = " and ".join(sorted(map(str, meant.gone)))
            raise TexError(f"the directive is about the limit {names} -> oo")
        return of
    if len(tending) > 1:
        raise TexError("nested limits are read only where the directive names them")
    every = [*zip(meant.quantities, meant.own, strict=True)]
    every += [(q, Symbol(n, real=True)) for n, q in meant.result.quantities.items()]
    for quantity, symbol in every:
        if is_limit_at(quantity, side.symbol, side.point, side.side) and _is_base(
            of, quantity, meant
        ):
            return symbol
    called = " or ".join(shown(q) for q in meant.quantities)
    raise TexError(f"this limit was not derived; the quantity is called {called}")


def is_limit_at(quantity: Quantity, symbol: Expr, point: Expr, side: str) -> bool:
    """Whether a quantity is the limit at this point, from this side."""
    if quantity.limit_of is None or quantity.limit_of[1:] != (symbol, point):
        return False
    # All are taken from inside: down to 0, or up to infinity.
    return side in ("", "+" if point is S.Zero else "-") if point.is_finite else not side


def _is_base(expression: Expr, quantity: Quantity, meant: Meant) -> bool:
    assert quantity.limit_of is not None
    whole, symbol, _ = quantity.limit_of
    if expression == base(quantity, meant.result):
        return True
    letters = expression.free_symbols
    if not (letters <= set(meant.result.domain.ranges) and symbol in letters):
        return False
    outcome = equal(expression, whole, meant.result.domain)
    return isinstance(outcome, Holds) and outcome.evidence.grade is Grade.EXACT
