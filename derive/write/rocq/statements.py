"""Statements of a derivation as theorems of Rocq for all real parameters of their domain."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from sympy import Basic, Eq, Expr, Le, Lt, S, Symbol, Tuple, exp, log
from sympy.core.relational import Relational

from ...decide.coefficients import closure
from ...decide.decide import is_proved_positive
from ...decide.domain import Domain
from ...frozen import FrozenValue
from ...proof.relations import Iff, put_in
from ...proof.statement import ORDER, Statement, each
from .limits import limit
from .monotone import monotone
from .signs import NO_SIGNS, Signs, shown_positive, without_logarithms
from .terms import ATOM, NotWritten, hypotheses, name, quantified, relation, term


class Theorem(FrozenValue):
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
    ranges
        That there are numbers of which it says something, and a tactic that proves it.
    place
        What is zero where the optimum is that it is about, if that is a root.
    """

    called: str
    title: str
    statement: str
    proof: tuple[str, ...]
    definitions: str = ""
    lemmas: tuple[str, ...] = ()
    whole: bool = False
    ranges: tuple[str, str] | None = None
    place: Expr | None = None


def theorem(called: str, title: str, says: Statement) -> Theorem:
    """A statement of a derivation as a theorem.

    Raises
    ------
    NotWritten
        If it is about more than relations of real numbers, or its proof is not known here.
    """
    ranges = somewhere(says)
    if says.limit is not None:
        statement, lines = limit(*says.limit, says.domain)
    elif says.real is None:
        raise NotWritten("it is not about real numbers alone")
    elif says.monotone is not None:
        statement, lines = monotone(*says.monotone, says.real, says.domain)
    else:
        return replace(of_relations(called, title, says.real, says.domain), ranges=ranges)
    return Theorem(called, title, statement, tuple(lines), ranges=ranges)


def somewhere(says: Statement) -> tuple[str, str] | None:
    """That there are numbers in the ranges of a statement, and the tactic that gives some."""
    ranges = " /\\ ".join(hypotheses(says.domain).values())
    if not ranges:
        return None
    variables = " ".join(name(s) for s in says.domain.ranges)
    values = (term(says.domain.witness_of(s), None, ATOM) for s in says.domain.ranges)
    return f"exists {variables} : R, {ranges}", f"exists {', '.join(values)}; in_ranges"


def not_empty(called: str, theorems: Iterable[Theorem]) -> Iterator[Theorem]:
    """The theorem that what others ask of parameters can be, without which they say nothing."""
    found = dict.fromkeys(t.ranges for t in theorems if t.ranges is not None)
    if found:
        yield Theorem(
            called,
            "The ranges of the parameters are not empty",
            " /\\\n  ".join(f"({text})" for text, _ in found),
            (*(f"split; [{tactic} |]." for _, tactic in [*found][:-1]), f"{[*found][-1][1]}."),
        )


def of_relations(called: str, title: str, shown: Basic, domain: Domain) -> Theorem:
    """Relations that hold everywhere on a domain, as a theorem.

    Raises
    ------
    NotWritten
        If the proof is not known here.
    """
    parts = list(each(shown))
    telling = [part for part in parts if not _says_nothing(part)]
    if not telling:
        raise NotWritten("both of its sides are the same formula for Rocq")
    if len(telling) < len(parts):
        shown = Tuple(*telling)
    used = domain.restricted(closure(shown.free_symbols, domain))
    statement, introduced = stated(shown, used)
    lines = with_logarithms(shown, used) if shown.has(log) else proved(shown, used)
    return Theorem(called, title, statement, (*introduced, *lines))


def _says_nothing(part: Basic) -> bool:
    said = relation if isinstance(part, Iff) else term
    return len({said(side) for side in part.args}) == 1


def proved(shown: Basic, domain: Domain) -> list[str]:
    """Lines that prove relations on a domain."""
    parts = list(each(shown))
    if all(_is_of_numbers(part) for part in parts):
        return ["repeat split; interval with (i_prec 100)."]
    signs = Signs([side for part in parts for side in _sides(part)], domain)
    proofs = [_proof(part, signs) for part in parts]
    lines = list(signs.lines)
    if len(proofs) > 1:
        lines.append("repeat match goal with |- _ /\\ _ => split end.")
        proofs = [[f"- {first}", *(f"  {line}" for line in rest)] for first, *rest in proofs]
    return [*lines, *(line for p in proofs for line in p)]


def _is_of_numbers(part: Basic) -> bool:
    """Whether it is a strict inequality without symbols, which balls decide."""
    if part.free_symbols or type(part) not in ORDER:
        return False
    gap, strict = gap_of(part)
    return strict and is_proved_positive(gap, Domain.of_ranges({}))


def stated(shown: Basic, domain: Domain) -> tuple[str, list[str]]:
    """A statement about all points of a domain, and what introduces them in its proof."""
    return quantified(domain, f"({relation(shown)})")


def with_logarithms(shown: Basic, domain: Domain) -> list[str]:
    """The same where logarithms occur: a threshold is solved, and others are any numbers."""
    try:
        return solved(shown, domain)
    except NotWritten:
        named, wide, hidden = without_logarithms(shown, domain)
    try:
        return [*hidden, *proved(put_in(shown, named), wide)]
    except NotWritten:
        raise NotWritten(NO_SIGNS) from None


def solved(shown: Basic, domain: Domain) -> list[str]:
    """The proof that a parameter is beyond c/log(r), or a + k log(r), iff a condition holds.

    It is where r exp(-c/parameter) is above 1, or exp((parameter - a)/k) above r; for k < 0 the
    inverse of r is taken.
    """
    if not isinstance(shown, Iff) or shown.args[1].has(log):
        raise NotWritten(NO_SIGNS)
    (parameter, value), place = shown.args[0].args, Symbol("l")
    if len(logs := value.atoms(log)) != 1:
        raise NotWritten(NO_SIGNS)
    (of,) = logs
    r, at = of.args[0], value.xreplace({of: place})
    scale = (at * place).cancel()
    if scale.has(place):
        k, a = at.expand().coeff(place), at.expand().coeff(place, 0)
        p, q = S.One, r
        if is_proved_positive(-k, domain):
            p, q, k = r, S.One, -k
        positive, inside = [k, r], ((parameter - a) / k).expand()
    else:
        p, q, k = r, S.One, parameter / of
        positive, inside = [r - 1, scale, parameter], -scale / parameter
    middle = p * exp(inside) - q
    lines = [line for k, e in enumerate(positive) for line in shown_positive(f"Q{k}", e, domain)]
    lines += [f"assert (QL := ln_above ({term(r)}) ltac:(lra))."] * (not scale.has(place))
    beyond = f"{name(parameter)} ({term(value)}) (({term(p)}) * exp ({term(inside)}) - ({term(q)}))"
    lines += [
        f"assert (W : changes_sign {beyond}).",
        f"{{ apply beyond with ({term(k)}); [pos | lra | lra | rewrite ?ln_1; field; nz]. }}",
        "destruct W as [W_gt [W_ge [W_lt W_le]]].",
        "eapply iff_trans; [gap_of |]. eapply iff_trans; [eassumption |].",
        "eapply iff_trans; [| apply iff_sym; gap_of]. clear W_gt W_ge W_lt W_le.",
    ]
    (gap, strict) = _gaps(shown)[1]
    if type(shown.args[0]) in (Lt, Le):
        middle = -middle
    signs = Signs([middle, gap], domain)
    proof = signs.same_sign(middle, gap, strict=strict)
    return [*lines, *signs.lines, proof]


def _sides(part: Basic) -> Iterator[Expr]:
    for one in part.args if isinstance(part, Iff) else [part]:
        if not isinstance(one, Relational) or not all(isinstance(e, Expr) for e in one.args):
            raise NotWritten(f"{one} is not a relation of real numbers")
        yield from one.args


def _proof(part: Basic, signs: Signs) -> list[str]:
    if isinstance(part, Iff):
        (first, strict), (second, _) = _gaps(part)
        return [f"gap; {signs.same_sign(first, second, strict=strict)}"]
    left, right = part.args
    if isinstance(part, Eq):
        signs.check_zero(left - right)
        return ["eq."]
    gap, strict = gap_of(part)
    return ["gap.", *signs.proof(gap, strict=strict)]


def gap_of(part: Basic) -> tuple[Expr, bool]:
    """What is > 0, or >= 0, where a relation holds."""
    if type(part) not in ORDER:
        raise NotWritten(f"{part} is not an inequality")
    side, strict = ORDER[type(part)]
    return side * (part.args[0] - part.args[1]), strict


def _gaps(part: Iff) -> list[tuple[Expr, bool]]:
    """Those of two inequalities, of which both are strict or none."""
    gaps = [gap_of(one) for one in part.args]
    if gaps[0][1] is not gaps[1][1]:
        raise NotWritten("a strict inequality does not hold with one that is not")
    return gaps
