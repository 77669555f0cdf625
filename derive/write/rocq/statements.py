"""Statements of a derivation as theorems of Rocq for all real parameters of their domain."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sympy import Basic, Eq, Expr
from sympy.core.relational import Relational

from ...decide.domain import Domain
from ...proof.relations import Iff
from ...proof.statement import ORDER, Statement, each
from .signs import Signs
from .terms import NotWritten, hypotheses, name, relation


@dataclass(frozen=True)
class Theorem:
    """A statement that can be read without its proof, and the proof.

    Attributes
    ----------
    called
        Its name in Rocq.
    title
        What it says, in words.
    statement
        A proposition.
    proof
        Lines between ``Proof.`` and ``Qed.``, after the name was unfolded.
    definitions
        What the statement needs.
    lemmas
        What the proof needs.
    whole
        Whether it is about the loss of vectors, not about formulas.
    """

    called: str
    title: str
    statement: str
    proof: tuple[str, ...]
    definitions: str = ""
    lemmas: tuple[str, ...] = ()
    whole: bool = False


def theorem(called: str, title: str, says: Statement) -> Theorem:
    """A statement of a derivation as a theorem.

    Raises
    ------
    NotWritten
        If it is about more than relations of real numbers, or its proof is not known here.
    """
    shown = says.real
    if shown is None:
        raise NotWritten("it is not about real numbers only")
    return of_relations(called, title, shown, says.domain)


def of_relations(called: str, title: str, shown: Basic, domain: Domain) -> Theorem:
    """Relations that hold everywhere on a domain, as a theorem.

    Raises
    ------
    NotWritten
        If the proof is not known here.
    """
    parts = list(each(shown))
    signs = Signs([side for part in parts for side in _sides(part)], domain)
    proofs = [_proof(part, signs) for part in parts]
    variables = " ".join(name(s) for s in signs.domain.ranges)
    given = hypotheses(signs.domain)
    quantified = f"forall {variables} : R, " if variables else ""
    statement = quantified + " -> ".join([*given.values(), f"({relation(shown)})"])
    introduced = f"intros {' '.join([*map(name, signs.domain.ranges), *given])}."
    lines = [introduced] if variables else []
    lines += signs.lines
    if len(proofs) > 1:
        lines.append("repeat match goal with |- _ /\\ _ => split end.")
        proofs = [[f"- {first}", *(f"  {line}" for line in rest)] for first, *rest in proofs]
    return Theorem(called, title, statement, (*lines, *(line for p in proofs for line in p)))


def _sides(part: Basic) -> Iterator[Expr]:
    for one in part.args if isinstance(part, Iff) else [part]:
        if not isinstance(one, Relational) or not all(isinstance(e, Expr) for e in one.args):
            raise NotWritten(f"{one} is not a relation of real numbers")
        yield from one.args


def _proof(part: Basic, signs: Signs) -> list[str]:
    if isinstance(part, Iff):
        return _equivalence(part, signs)
    left, right = part.args
    if isinstance(part, Eq):
        signs.check_zero(left - right)
        return ["eq."]
    gap, strict = _gap(part)
    return ["gap.", *signs.proof(gap, strict=strict)]


def _gap(part: Basic) -> tuple[Expr, bool]:
    """What is > 0, or >= 0, where a relation holds."""
    if type(part) not in ORDER:
        raise NotWritten(f"{part} is not an inequality")
    side, strict = ORDER[type(part)]
    return side * (part.args[0] - part.args[1]), strict


def _equivalence(part: Basic, signs: Signs) -> list[str]:
    """Two inequalities whose gaps are positive multiples of each other."""
    (first, strict), (second, also) = (_gap(one) for one in part.args)
    if strict is not also:
        raise NotWritten("a strict inequality does not hold with one that is not")
    lemma = "same_sign" if strict else "same_sign_or_zero"
    return [f"gap; apply {lemma} with ({signs.positive_ratio(first, second)}); [eq | pos]."]
