"""A certificate as a theorem: no unit vectors of any dimension have a loss below its bound.

The loss is convex in the inner products, so it lies above its tangent at those of the certificate;
what the tangent loses is bounded by the least eigenvalue of the gradient. All that is left are
inequalities between numbers, as many as there are products of means and contrasts: however many
points there are, the proof is as short.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from re import sub

from sympy import Expr, Rational, S, Symbol

from ...problems.problem import Problem
from .declared import CONTRAST, MEAN, Declared, Kinds
from .kinds import read
from .statements import Theorem
from .terms import NotWritten, term

#: Digits of the multiplier and of the bound, of what is computed for them, and bits of the proof.
DIGITS, WORKING, BITS = 36, 60, 170


def certified(
    called: str,
    problem: Problem,
    point: Mapping[Symbol, Expr],
    inner: Mapping[str, str],
    claim: Mapping[str, str],
) -> tuple[Theorem, Theorem]:
    """Two theorems: the loss of the inner products, and a bound on that of all unit vectors.

    Parameters
    ----------
    problem, point
        The loss on its structure, with an exact value for every symbol.
    inner
        Decimal inner products, by relation.
    claim
        The loss and the gap of the certificate, as decimals.

    Raises
    ------
    NotWritten
        If the loss or the structure is of another kind, or the bound is below what is claimed.
    """
    exact = {r.name: Rational(inner.get(r.name, 0)) for r in problem.structure.relations}
    declared = read(called, problem, {**exact, "self": S.One}, point)
    for e in declared.rational:
        if not e.is_Rational:
            raise NotWritten(f"{e} is not rational")
    there = [k for k in product((MEAN, CONTRAST), repeat=len(declared.axes)) if _is(k, declared)]
    least = min(declared.eigenvalue(k).evalf(WORKING) for k in there)
    theta = _down(least)
    loss, gap = Rational(claim["loss"]), Rational(claim["gap"])
    proved = (declared.value + declared.scale * (theta - declared.level)).evalf(WORKING)
    bound = loss - gap
    if bound > proved:
        raise NotWritten(f"the bound that the gradient gives is {proved.n(20)}, below the claim")
    terms, inner_ = f"{called}_terms", f"{called}_inner"
    loss_ = declared.loss_of(terms)
    title = f"No unit vectors of any dimension have a loss below {claim['loss']} - {claim['gap']}"
    value = Theorem(
        f"{called}_value",
        f"The loss of the inner products is {claim['loss']} up to {claim['gap']}",
        f"Rabs ({loss_} (by_relation {inner_})\n    - {term(loss, None, 2)}) <= {term(gap)}",
        (
            f"rewrite {declared.valued}_at by exact one_.",
            f"unfold {declared.valued}. rewrite sizes_. unfold {_unfold(declared)}.",
            _numeric(declared),
        ),
        definitions=declared.definitions(),
        lemmas=_lemmas(declared),
    )
    lower = Theorem(
        f"{called}_bound",
        title,
        f"forall dims x, unit_vectors {declared.numbers} dims x ->\n"
        f"    {term(bound)} <= {loss_} (inner dims x)",
        tuple(_proof(declared, theta)),
        whole=True,
    )
    return value, lower


def _is(kinds: Kinds, declared: Declared) -> bool:
    """Whether the space has a dimension."""
    return all(k == MEAN or a >= 2 for k, a in zip(kinds, declared.axes, strict=True))


def _down(value: Expr, digits: int = DIGITS) -> Rational:
    """A decimal just below a value."""
    scale = Rational(10) ** digits
    return Rational(int((value * scale).round()) - 2) / scale


def _unfold(declared: Declared) -> str:
    called = declared.called
    return ", ".join(["level", *declared.unfolded, f"{called}_terms", f"{called}_inner"])


def _numeric(declared: Declared) -> str:
    """Unfolds what is about lists, puts bounds for each exponential, and compares numbers."""
    lines = [f"cbn [row eigen over {declared.fields}];"]
    for k, (atom, power) in enumerate(declared.spelled.items(), 1):
        middle = _down(power.evalf(WORKING), WORKING - 10)
        low, high = (term(middle + side * Rational(1, 10 ** (WORKING - 11))) for side in (-1, 1))
        lines += [
            f"assert (E{k} : {low} <= {atom} <= {high})",
            f"  by (split; interval with (i_prec {BITS}));",
            f"set (y{k} := {atom}) in *; clearbody y{k};",
        ]
    return "\n  ".join([*lines, f"interval with (i_prec {BITS})."])


def _lemmas(declared: Declared) -> tuple[str, ...]:
    """What the two theorems share: the sizes, and that the loss is convex."""
    data = (f"{declared.called}_terms", f"{declared.called}_inner")
    partition = f"unfold {_unfold(declared)};\n  {_numeric(declared)}"
    known = (sub(r"use partition\d+\.", partition, line) for line in declared.convex_proof())
    return (
        f"Lemma sizes_ : map INR {declared.numbers} = {declared.sizes}.\n"
        "Proof. cbn [map]; rewrite !INR_IZR_INZ; reflexivity. Qed.",
        f"Lemma one_ : forall N, In N {declared.numbers} -> (1 <= N)%nat.\n"
        "Proof. simpl; intros; intuition lia. Qed.",
        f"Lemma ok_ : {declared.convex(f'(map INR {declared.numbers})', *data)}.\n"
        "Proof. try rewrite sizes_.\n"
        + "\n".join(sub(r"use \w+", "lra", line) for line in known)
        + "\nQed.",
    )


def _proof(declared: Declared, theta: Rational) -> list[str]:
    called, depth = declared.called, len(declared.axes)
    reals, data = f"(map INR {declared.numbers})", (f"{called}_terms", f"{called}_inner")
    kinds = "[|[| |] " * depth + "[|]" + "]" * depth
    return [
        "intros dims x unit.",
        f"assert (m : multipliers {declared.numbers}",
        f"  {declared.gradient_of(reals, *data)} ({term(theta)})).",
        f"{{ intros k min th; destruct k as {kinds}; cbn [there] in th; try tauto;",
        "  try (exfalso; repeat match goal with",
        "    H : Forall _ (_ :: _) |- _ => inversion H; clear H; subst end; congruence);",
        f"  try (exfalso; lia); rewrite sizes_; unfold {_unfold(declared)};",
        f"  {_numeric(declared)} }}",
        f"assert (B := {declared.bound}).",
        f"refine (Rle_trans _ _ _ _ B). rewrite {declared.valued}_at by exact one_.",
        f"unfold {declared.valued}. rewrite sizes_. unfold {_unfold(declared)}.",
        _numeric(declared),
    ]
