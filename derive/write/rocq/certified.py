"""A certificate as a theorem: no unit vectors of any dimension have a loss below its bound.

The loss is convex in the inner products, so it lies above its tangent at those of the certificate;
what the tangent loses is bounded by the least eigenvalue of the gradient. All that is left are
inequalities between numbers, as many as there are products of means and contrasts: however many
points there are, the proof is as short.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from sympy import Expr, Rational, S, Symbol, exp, log

from ...problems.problem import Problem
from .declared import CONTRAST, MEAN, Kinds
from .softmax import Softmax
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
    declared = Softmax(called, problem, {**exact, "self": S.One}, point)
    tau = declared.tau
    if not tau.is_Rational:
        raise NotWritten(f"the temperature {tau} is not rational")
    there = [k for k in product((MEAN, CONTRAST), repeat=len(declared.axes)) if _is(k, declared)]
    least = min(declared.eigenvalue(k).evalf(WORKING) for k in there)
    theta = _down(least)
    loss, gap = Rational(claim["loss"]), Rational(claim["gap"])
    proved = (_value(declared) + (theta - declared.level) / tau).evalf(WORKING)
    bound = loss - gap
    if bound > proved:
        raise NotWritten(f"the bound that the gradient gives is {proved.n(20)}, below the claim")
    at = f"{term(tau, None, 3)} {called}_terms"
    title = f"No unit vectors of any dimension have a loss below {claim['loss']} - {claim['gap']}"
    value = Theorem(
        f"{called}_value",
        f"The loss of the inner products is {claim['loss']} up to {claim['gap']}",
        f"Rabs (loss {declared.numbers} {at} (by_relation {called}_inner)\n"
        f"    - {term(loss, None, 2)}) <= {term(gap)}",
        (
            "rewrite value_at by exact one_.",
            f"unfold value. rewrite sizes_. unfold {_unfold(called)}.",
            _numeric(declared),
        ),
        definitions=declared.definitions(),
        lemmas=_lemmas(declared),
    )
    lower = Theorem(
        f"{called}_bound",
        title,
        f"forall dims x, unit_vectors {declared.numbers} dims x ->\n"
        f"    {term(bound)} <= loss {declared.numbers} {at} (inner dims x)",
        tuple(_proof(declared, theta)),
        whole=True,
    )
    return value, lower


def _value(declared: Softmax) -> Expr:
    """The loss of the inner products."""
    total = S.Zero
    for t in declared.loss.terms:
        pulls = declared.pulls(t)
        pulled = sum((k * pulls[r] * declared.inner[r] for r, k in declared.counts.items()), S.Zero)
        total += declared.weight(t) * (log(declared.partition(t)) - pulled / declared.tau)
    return total


def _is(kinds: Kinds, declared: Softmax) -> bool:
    """Whether the space has a dimension."""
    return all(k == MEAN or a >= 2 for k, a in zip(kinds, declared.axes, strict=True))


def _down(value: Expr, digits: int = DIGITS) -> Rational:
    """A decimal just below a value."""
    scale = Rational(10) ** digits
    return Rational(int((value * scale).round()) - 2) / scale


def _unfold(called: str) -> str:
    return f"level, gradient, partition, {called}_terms, {called}_inner"


def _numeric(declared: Softmax) -> str:
    """Unfolds what is about lists, puts bounds for each exponential, and compares numbers."""
    tau = term(declared.tau, None, 3)
    lines = ["cbn [row eigen over weight denominator positives];"]
    for k, h in enumerate(dict.fromkeys(declared.inner[r] for r in declared.counts), 1):
        atom = f"exp ({term(h, None, 1)} / {tau})"
        middle = _down(exp(h / declared.tau).evalf(WORKING), WORKING - 10)
        low, high = (term(middle + side * Rational(1, 10 ** (WORKING - 11))) for side in (-1, 1))
        lines += [
            f"assert (E{k} : {low} <= {atom} <= {high})",
            f"  by (split; interval with (i_prec {BITS}));",
            f"set (y{k} := {atom}) in *; clearbody y{k};",
        ]
    return "\n  ".join([*lines, f"interval with (i_prec {BITS})."])


def _lemmas(declared: Softmax) -> tuple[str, ...]:
    """What the two theorems share: the sizes, and that the loss is convex."""
    called, tau = declared.called, term(declared.tau, None, 3)
    every = range(len(declared.loss.terms))
    among = f"{'[<-|' * len(every)}[]{']' * len(every)}"
    return (
        f"Lemma sizes_ : map INR {declared.numbers} = {declared.sizes}.\n"
        "Proof. cbn [map]; rewrite !INR_IZR_INZ; reflexivity. Qed.",
        f"Lemma one_ : forall N, In N {declared.numbers} -> (1 <= N)%nat.\n"
        "Proof. simpl; intros; intuition lia. Qed.",
        f"Lemma ok_ : convex (map INR {declared.numbers}) {tau} {called}_terms {called}_inner.\n"
        "Proof. rewrite sizes_. constructor; [lra | | |].\n"
        f"{{ intros t {among}; cbn [weight]; lra. }}\n"
        f"{{ intros t a {among}; cbn [denominator];\n"
        f"  do {len(declared.axes) + 1} (try destruct a as [|[|] a]); lra. }}\n"
        f"{{ intros t {among}; unfold {_unfold(called)};\n  {_numeric(declared)} }}\nQed.",
    )


def _proof(declared: Softmax, theta: Rational) -> list[str]:
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
        f"  try (exfalso; lia); rewrite sizes_; unfold {_unfold(called)};",
        f"  {_numeric(declared)} }}",
        "assert (B := softmax_bound _ _ _ _ one_ ok_ _ _ _ m unit).",
        "refine (Rle_trans _ _ _ _ B). rewrite value_at by exact one_.",
        f"unfold value. rewrite sizes_. unfold {_unfold(called)}.",
        _numeric(declared),
    ]
