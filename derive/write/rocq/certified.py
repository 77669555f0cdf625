"""A certificate as a theorem: no unit vectors of any dimension have a loss below its bound.

The loss is convex in the inner products, so it lies above its tangent at those of the certificate;
what the tangent loses is bounded by the least eigenvalue of the gradient. All that is left are
bounds of the entries of the gradient, one for each relation, and linear inequalities between these,
as many as there are products of means and contrasts: however many points there are, the proof is
as short.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from .several import BITS, CLOSE, WORKING, Several, Written, below, claimed, enclosed, named
from .statements import Theorem
from .terms import agreeing, term

#: Of the means of the inner products of embeddings, and of exponentials.
DIGITS, RELATIVE = 40, 48


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
    digits = _proved(declared.gradient.values())
    # Along an axis with one point there are no contrasts.
    kinds = product(*((MEAN, CONTRAST) if a >= 2 else (MEAN,) for a in declared.axes))
    least = min(declared.eigenvalue(k).evalf(WORKING) for k in kinds)
    theta = below(least, digits - 10)
    gap = (theta - declared.level) / declared.put(declared.reduced.scale)
    proved = (declared.value + gap).evalf(WORKING)
    written = Written(
        loss=declared.loss_of(f"{called}_terms"),
        point=f"(by_relation {called}_inner)",
        vectors=f"unit_vectors {declared.numbers}",
        definitions=declared.definitions(),
        lemmas=tuple(_lemmas(declared, digits)),
        valued=("assert (V := value_).", f"interval with (i_prec {BITS})."),
        bounded=tuple(_proof(declared, theta)),
    )
    return claimed(called, claim, proved, written)


def _proved(numbers: Iterable[Expr]) -> int:
    """How many of their decimals are proved: of large numbers fewer."""
    return CLOSE - int(log(max(S.One, *(abs(e.evalf(WORKING)) for e in numbers)), 10).evalf())


def inner_of(file: Mapping[str, Any]) -> Mapping[str, str]:
    """The inner products of a certificate by relation; of embeddings their means.

    The loss is convex, so these have no larger one.
    """
    if "embeddings" not in file["point"]:
        return dict(file["point"]["inner"])
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


def _unfolded(declared: Declared) -> str:
    """Unfolds what is about lists, and names each exponential."""
    powers = (
        f"assert (E{k} := power{k}_); set (y{k} := {atom}) in *; clearbody y{k};"
        for k, atom in enumerate(declared.spelled, 1)
    )
    unfolded = f"unfold {declared.all_unfolded}; cbn [row over {declared.fields}];"
    return "\n  ".join([unfolded, *powers, *declared.decided])


def _patterns(declared: Declared) -> dict[str, list[str]]:
    """The patterns of each relation."""
    found: dict[str, list[str]] = {}
    for pattern, r in declared.scheme.pattern.items():
        found.setdefault(r, []).append(agreeing(pattern))
    return found


def _lemmas(declared: Declared, digits: int) -> Iterator[str]:
    """What the two theorems share: bounds of numbers, and that the loss is convex."""
    data = (f"{declared.called}_terms", f"{declared.called}_inner")
    reals, unfolded = f"(map INR {declared.numbers})", _unfolded(declared)
    for k, (atom, power) in enumerate(declared.spelled.items(), 1):
        relative = RELATIVE - int(log(power, 10).evalf())
        yield enclosed(f"power{k}_", atom, power, relative, "idtac;")
    yield from declared.before
    yield (
        f"Lemma sizes_ : {reals} = {declared.sizes}.\n"
        "Proof. cbn [map]; rewrite !INR_IZR_INZ; reflexivity. Qed."
    )
    yield (
        f"Lemma one_ : forall N, In N {declared.numbers} -> (1 <= N)%nat.\n"
        "Proof. simpl; intros; intuition lia. Qed."
    )
    partition = f"{unfolded} interval with (i_prec {BITS})"
    known = declared.convex_proof("first [lra | interval]", partition)
    yield (
        f"Lemma ok_ : {declared.convex(reals, *data)}.\n"
        "Proof. try rewrite sizes_.\n" + "\n".join(known) + "\nQed."
    )
    point = f"{declared.loss_of(data[0])} (by_relation {data[1]})"
    large = (declared.value, 1 / declared.put(declared.reduced.scale))
    known_value = (
        f"rewrite {declared.valued}_at by (exact one_ || exact ok_);\n"
        f"  unfold {declared.valued}; rewrite sizes_; {unfolded}"
    )
    yield enclosed("value_", point, declared.value, _proved(large) - 2, known_value)
    yield f"Definition pull_ : list bool -> R := {declared.gradient_of(reals, *data)}."
    for k, (r, (first, *_)) in enumerate(_patterns(declared).items()):
        known_pull = f"unfold pull_; rewrite ?sizes_; {unfolded}"
        yield enclosed(f"pull{k}_", f"pull_ {first}", declared.gradient[r], digits, known_pull)


def _proof(declared: Declared, theta: Rational) -> list[str]:
    reals, numeric = f"(map INR {declared.numbers})", f"interval with (i_prec {BITS})."
    pulls = named(_patterns(declared).values())
    loss, inner = declared.loss_of(f"{declared.called}_terms"), f"{declared.called}_inner"
    return [
        "intros dims x unit.",
        f"assert (m : multipliers {reals} pull_ ({term(theta)})).",
        "{ rewrite sizes_; each_space; try (exfalso; lra); cbn [split_off];",
        f"  {pulls} {numeric} }}",
        "assert (ok := ok_). assert (V := value_).",
        f"assert (B : {loss} (by_relation {inner}) + {declared.scale}",
        f"    * ({term(theta)} - level {reals} pull_ {inner}) <= {loss} (inner dims x))",
        f"  by exact (bound _ _ _ _ _ one_ _ _ _ ({declared.tangent(inner)}) m unit).",
        f"refine (Rle_trans _ _ _ _ B). rewrite sizes_; unfold level; cbn [row {inner}].",
        f"{pulls} {numeric}",
    ]
