"""Mutants of a printed formula: one place changed as a slip of the pen would change it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

from ..frozen import FrozenValue
from . import nodes
from .nodes import ONE, Node

Changes = Iterator[tuple[str, Node]]
_FLIPPED = {"<=": ">=", ">=": "<=", "<": ">", ">": "<"}


class Slips(FrozenValue):
    """The slips of the pen that are tried.

    Parameters
    ----------
    letters
        Letters of the hypotheses.
    alike
        Whether one of them may be written for another by mistake.
    """

    letters: Collection[str]
    alike: Callable[[str, str], bool]

    def changed(self, node: Node, bound: Sequence[str] = ()) -> Changes:
        """The node with one place changed; ``bound`` are the names that are bound around it."""
        rule = _RULES.get(type(node))
        if rule is not None:
            yield from rule(self, node, bound)
        for part, put in _places(node):
            inner = [*bound, *dict(node.bound.over)] if isinstance(node, nodes.Big) else bound
            for what, new in self.changed(part, inner):
                if not (isinstance(node, nodes.Chain) and _is_unit(node, part, new)):
                    yield what, put(new)

    def _name(self, node: nodes.Name, bound: Sequence[str]) -> Changes:
        if node.base in self.letters:
            for other in self.letters:
                if other != node.base and self.alike(other, node.base):
                    yield "swapped letter", nodes.Name(other)
            yield "off by one", nodes.Sum((("+", node), ("+", ONE)))
            yield "off by one", nodes.Sum((("+", node), ("-", ONE)))
            yield "upside down", nodes.Quotient(ONE, node)
            return
        for k, sub in enumerate(node.subs):
            for other in bound:
                if isinstance(sub, nodes.Name) and sub.base != other and other[0] in "ijk":
                    yield (
                        "swapped index",
                        replace(node, subs=_with(node.subs, k, nodes.Name(other))),
                    )


def _with(parts: Sequence[Any], k: int, *new: Any) -> tuple[Any, ...]:
    """Parts with others in one place, or with none there."""
    return (*parts[:k], *new, *parts[k + 1 :])


def _places(node: Node) -> Sequence[tuple[Node, Callable[[Node], Node]]]:
    """The parts of a node that are changed by themselves.

    Other constants that exist make another condition, which may be as good.
    """
    found = list(node.places())
    if isinstance(node, nodes.At):
        return found[:1]
    if isinstance(node, nodes.Call):
        return found[len(node.subs) :]
    of_set = isinstance(node, nodes.Applied) and node.function.startswith(("mean", "size", "var"))
    return (
        []
        if of_set or isinstance(node, (nodes.Name, nodes.Bound, nodes.Exists, nodes.Members))
        else found
    )


def _is_unit(relation: nodes.Chain, side: Node, new: Node) -> bool:
    """Whether only the power of a norm is another one, where it is said to be 1: that is no
    mutant."""
    if (
        not isinstance(side, nodes.Power)
        or not isinstance(new, nodes.Power)
        or side.base != new.base
    ):
        return False
    others = {part for part in relation.sides if part != side}
    return _is_norm(side.base) and set(relation.relations) == {"="} and others == {ONE}


def _is_norm(node: Node) -> bool:
    return isinstance(node, nodes.Applied) and node.function == "norm"


def _number(slips: Slips, node: nodes.Number, bound: Sequence[str]) -> Changes:
    yield "off by one", nodes.Number(node.value + 1)
    yield "off by one", nodes.Number(node.value - 1)


def _sum(slips: Slips, node: nodes.Sum, bound: Sequence[str]) -> Changes:
    for k, (sign, part) in enumerate(node.terms):
        yield "sign", nodes.Sum(_with(node.terms, k, ("-" if sign == "+" else "+", part)))
        if len(node.terms) > 1:
            yield "dropped term", nodes.Sum(_with(node.terms, k))


def _product(slips: Slips, node: nodes.Product, bound: Sequence[str]) -> Changes:
    factors = node.factors
    for k, (sign, part) in enumerate(factors):
        near = (part, factors[k - 1][1] if k else part)
        if any(isinstance(one, nodes.Applied) and one.function == "T" for one in near):
            continue  # half an inner product
        rest = _with(factors, k)
        if k == 0 and rest[0][0] == "/":
            rest = (("*", ONE), *rest)
        yield "dropped factor", rest[0][1] if len(rest) == 1 else nodes.Product(rest)
        if k:
            yield (
                "upside down",
                nodes.Product(_with(factors, k, ("/" if sign == "*" else "*", part))),
            )


def _quotient(slips: Slips, node: nodes.Quotient, bound: Sequence[str]) -> Changes:
    yield "upside down", nodes.Quotient(node.below, node.above)


def _power(slips: Slips, node: nodes.Power, bound: Sequence[str]) -> Changes:
    if not _is_norm(node.base):
        yield "dropped power", node.base


def _applied(slips: Slips, node: nodes.Applied, bound: Sequence[str]) -> Changes:
    if node.function in ("log", "exp", "sqrt", "ceil", "abs"):
        yield "dropped function", node.argument


def _extremum(slips: Slips, node: nodes.Extremum, bound: Sequence[str]) -> Changes:
    yield "least or largest", replace(node, what="min" if node.what == "max" else "max")


def _big(slips: Slips, node: nodes.Big, bound: Sequence[str]) -> Changes:
    if node.bound.apart:
        yield "indices may be equal", replace(node, bound=nodes.Bound(node.bound.over))


def _derivative(slips: Slips, node: nodes.Derivative, bound: Sequence[str]) -> Changes:
    yield "dropped derivative", node.body
    yield "off by one", replace(node, order=node.order + 1)


def _at(slips: Slips, node: nodes.At, bound: Sequence[str]) -> Changes:
    for k, (name, where) in enumerate(node.values):
        rest = _with(node.values, k)
        yield "dropped value", nodes.At(node.body, rest) if rest else node.body
        if isinstance(where, nodes.Number):
            more = (name, nodes.Number(where.value + 1))
            yield "off by one", nodes.At(node.body, _with(node.values, k, more))


def _relations(slips: Slips, node: nodes.Chain, bound: Sequence[str]) -> Changes:
    for k, relation in enumerate(node.relations):
        if relation in _FLIPPED:
            signs = _with(node.relations, k, _FLIPPED[relation])
            yield "flipped relation", replace(node, relations=signs)


def _and(slips: Slips, node: nodes.And, bound: Sequence[str]) -> Changes:
    for k in range(len(node.parts)):
        rest = _with(node.parts, k)
        yield "dropped condition", rest[0] if len(rest) == 1 else nodes.And(rest)


def _within(slips: Slips, node: nodes.Within, bound: Sequence[str]) -> Changes:
    yield "end open or closed", replace(node, low_open=not node.low_open)
    yield "end open or closed", replace(node, high_open=not node.high_open)


_RULES: dict[type[Node], Callable[[Slips, Any, Sequence[str]], Changes]] = {
    nodes.Number: _number,
    nodes.Name: Slips._name,
    nodes.Sum: _sum,
    nodes.Product: _product,
    nodes.Quotient: _quotient,
    nodes.Power: _power,
    nodes.Applied: _applied,
    nodes.Extremum: _extremum,
    nodes.Big: _big,
    nodes.Derivative: _derivative,
    nodes.At: _at,
    nodes.Chain: _relations,
    nodes.And: _and,
    nodes.Within: _within,
}
