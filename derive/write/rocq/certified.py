"""A certificate as a theorem: no unit vectors of any dimension have a loss below its bound.

The loss is convex in the inner products, so it lies above its tangent at those of the certificate;
what the tangent loses is bounded by the least eigenvalue of the gradient. All that is left are
inequalities between numbers, as many as there are products of means and contrasts: however many
points there are, the proof is as short.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, product
from typing import Any

from flint import ctx
from sympy import Expr, Rational, S, Symbol, log

from ...certificate import BITS as BITS_OF_BALLS
from ...certificate import gram, relations
from ...problems.problem import Problem
from ...structures.configuration import Configuration
from .declared import CONTRAST, MEAN, Declared
from .functions import on_kinks
from .kinds import read
from .several import BITS, WORKING, Several, Written, below, claimed
from .statements import Theorem
from .terms import term

#: Of the means of the inner products of embeddings.
DIGITS = 40


def certified(
    called: str,
    problem: Problem,
    point: Mapping[Symbol, Expr],
    inner: Mapping[str, str],
    claim: Mapping[str, str],
    sides: Sequence[str | None] = (),
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
    sides
        Those of the certificate, if it has some; an inner product near its kink is put on it.

    Raises
    ------
    NotWritten
        If the loss or the structure is of another kind, or the bound is below what is claimed.
    """
    exact: dict[str, Expr] = {
        r.name: S.One if r.kind == "self" else Rational(inner.get(r.name, 0))
        for r in problem.structure.relations
    }
    if isinstance(problem.structure, Configuration):
        return Several(called, problem, exact, point).theorems(claim)
    exact = on_kinks(problem, exact, sides)
    declared = read(called, problem, exact, point, sides)
    # Along an axis with one point there are no contrasts.
    kinds = product(*((MEAN, CONTRAST) if a >= 2 else (MEAN,) for a in declared.axes))
    least = min(declared.eigenvalue(k).evalf(WORKING) for k in kinds)
    theta = below(least)
    gap = (theta - declared.level) / declared.put(declared.reduced.scale)
    proved = (declared.value + gap).evalf(WORKING)
    terms, inner_ = f"{called}_terms", f"{called}_inner"
    written = Written(
        loss=declared.loss_of(terms),
        point=f"(by_relation {inner_})",
        vectors=f"unit_vectors {declared.numbers}",
        definitions=declared.definitions(),
        lemmas=_lemmas(declared),
        valued=(
            f"rewrite {declared.valued}_at by (exact one_ || exact ok_).",
            f"unfold {declared.valued}. rewrite sizes_. unfold {declared.all_unfolded}.",
            _numeric(declared),
        ),
        bounded=tuple(_proof(declared, theta)),
    )
    return claimed(called, claim, proved, written)


def inner_of(file: Mapping[str, Any]) -> Mapping[str, str]:
    """The inner products of a certificate by relation; of embeddings their means.

    The loss is convex, so these have no larger one.

    """
    inner = file["point"].get("inner")
    if inner is not None:
        return dict(inner)
    found: dict[str, list[Any]] = {}
    before, ctx.prec = ctx.prec, BITS_OF_BALLS
    try:
        pair = relations(file["axes"], file["pattern"])
        products = zip(chain(*pair), chain(*gram(file["point"], pair)), strict=True)
        for name, value in products:
            found.setdefault(name, []).append(value)
        means = {name: sum(values) / len(values) for name, values in found.items()}
        return {name: mean.mid().str(DIGITS, radius=False) for name, mean in means.items()}
    finally:
        ctx.prec = before


def _numeric(declared: Declared) -> str:
    """Unfolds what is about lists, names each exponential, and compares numbers."""
    named = (
        f"assert (E{k} := power{k}_); set (y{k} := {atom}) in *; clearbody y{k};"
        for k, atom in enumerate(declared.spelled, 1)
    )
    unfolded = f"cbn [row split_off over {declared.fields}];"
    return "\n  ".join([unfolded, *named, *declared.decided, f"interval with (i_prec {BITS})."])


def _powers(declared: Declared) -> Iterator[str]:
    """Bounds of each exponential."""
    for k, (atom, power) in enumerate(declared.spelled.items(), 1):
        value = power.evalf(WORKING)
        digits = WORKING - 10 - max(0, int(log(value, 10).evalf()) + 1)
        middle, width = below(value, digits), Rational(10) ** (1 - digits)
        low, high = (term(middle + side * width) for side in (-1, 1))
        yield (
            f"Lemma power{k}_ : {low} <= {atom} <= {high}.\n"
            f"Proof. split; interval with (i_prec {BITS}). Qed."
        )


def _lemmas(declared: Declared) -> tuple[str, ...]:
    """What the two theorems share: the sizes, and that the loss is convex."""
    data = (f"{declared.called}_terms", f"{declared.called}_inner")
    partition = f"unfold {declared.all_unfolded};\n  {_numeric(declared).removesuffix('.')}"
    known = declared.convex_proof("first [lra | interval]", partition)
    return (
        *_powers(declared),
        *declared.before,
        f"Lemma sizes_ : map INR {declared.numbers} = {declared.sizes}.\n"
        "Proof. cbn [map]; rewrite !INR_IZR_INZ; reflexivity. Qed.",
        f"Lemma one_ : forall N, In N {declared.numbers} -> (1 <= N)%nat.\n"
        "Proof. simpl; intros; intuition lia. Qed.",
        f"Lemma ok_ : {declared.convex(f'(map INR {declared.numbers})', *data)}.\n"
        "Proof. try rewrite sizes_.\n" + "\n".join(known) + "\nQed.",
    )


def _proof(declared: Declared, theta: Rational) -> list[str]:
    reals = f"(map INR {declared.numbers})"
    data = (f"{declared.called}_terms", f"{declared.called}_inner")
    loss, inner = declared.loss_of(data[0]), data[1]
    return [
        "intros dims x unit.",
        f"assert (m : multipliers {reals}",
        f"  {declared.gradient_of(reals, *data)} ({term(theta)})).",
        "{ rewrite sizes_; each_space; try (exfalso; lra);",
        f"  unfold {declared.all_unfolded};",
        f"  {_numeric(declared)} }}",
        "assert (ok := ok_).",
        f"assert (B : {loss} (by_relation {inner}) + {declared.scale}",
        f"    * ({term(theta)} - level {reals} {declared.gradient_of(reals, *data)} {inner})",
        f"  <= {loss} (inner dims x))",
        f"  by exact (bound _ _ _ _ _ one_ _ _ _ ({declared.tangent(inner)}) m unit).",
        f"refine (Rle_trans _ _ _ _ B). rewrite {declared.valued}_at by (exact one_ || exact ok_).",
        f"unfold {declared.valued}. rewrite sizes_. unfold {declared.all_unfolded}.",
        _numeric(declared),
    ]
