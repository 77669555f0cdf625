"""Sums of convex functions of single inner products for Rocq, at numerical values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import ClassVar, NamedTuple

from sympy import Expr, Max, Pow, Rational, S, Symbol, exp, factor, log

from ...losses.pairwise import PairTerm, PairwiseLoss, c
from ...problems.problem import Problem
from .sigmoid import Pairwise
from .terms import ATOM, POWER, NotWritten, term

#: What an expression is on [-1, 1]: positive, or not zero.
AT_ONCE = "first [interval | apply Rgt_not_eq; interval | apply Rlt_not_eq; interval]"

#: How near a kink an inner product is put on it.
NEAR = Rational(1, 10**20)
#: On which side of a kink numbers are, which ``interval`` does not ask.
KINKS = "repeat first [rewrite Rmax_left by lra | rewrite Rmax_right by lra];"


class Kink(NamedTuple):
    """``Max(0, inside)``, or its square."""

    inside: Expr
    squared: bool


class Functions(Pairwise):
    """A pairwise loss whose functions are convex between -1 and 1: smooth, or with one kink."""

    fields = "between share_of value_of"
    kind = "function_term"
    library = ("function_loss", "")
    valued = "function_value"
    #: No exponential gets a name of its own.
    spelled: ClassVar[dict[str, Expr]] = {}
    decided = (KINKS,)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.at:
            raise NotWritten("losses of other functions are written for numerical values only")
        for t in self.loss.terms:
            self.kink(t)

    @property
    def unfolded(self) -> tuple[str, ...]:  # type: ignore[override]
        """What is unfolded in a goal."""
        every = (f"slope{k}_" for k in range(len(self.loss.terms)))
        return ("pair_values", f"{self.called}_slopes", *every)

    @property
    def loss(self) -> PairwiseLoss:
        """The declaration, with each kink a term of its own."""
        return super().loss.by_kinks()

    # --- the functions ----------------------------------------------------------------------------
    def function(self, t: PairTerm) -> Expr:
        """The function of a term."""
        return self.put(t.function)

    def kink(self, t: PairTerm) -> Kink | None:
        """The kink of a function, if it has one.

        Raises
        ------
        NotWritten
            If it has a kink or a root elsewhere.
        """
        f = self.function(t)
        base, power = f.as_base_exp() if f.has(Max) else (f, S.One)
        if isinstance(base, Max) and power in (1, 2) and S.Zero in base.args:
            (inside,) = (e for e in base.args if e != 0)
            if inside.diff(c).is_Rational:
                return Kink(inside, power == 2)
        if f.has(Max) or any(not e.exp.is_Integer for e in f.atoms(Pow) - f.atoms(exp)):
            raise NotWritten(f"{f} is neither smooth nor max(0, a + b c) or its square")
        return None

    def derivative(self, t: PairTerm) -> Expr:
        """The derivative, or one of those on the sides of a kink."""
        kink = self.kink(t)
        if kink is None:
            return self.function(t).diff(c)
        outer = 2 * Max(0, kink.inside) if kink.squared else self._side(t, kink)
        return outer * kink.inside.diff(c)

    def _side(self, t: PairTerm, kink: Kink) -> Rational:
        """How much to take of the slope beyond the kink; on it, what the certificate says."""
        at = (self.inner[t.relation], S.One, S.NegativeOne)
        here, *ends = (kink.inside.xreplace({c: x}) for x in at)
        side = self.sides[self.loss.terms.index(t)] if self.sides else None
        if here == 0 and side is not None:
            return Rational(side)
        return Rational(int(bool(here > 0 or (here == 0 and min(ends) >= 0))))

    @cached_property
    def gradient(self) -> dict[str, Expr]:
        """The derivative in the entry of a pair, by relation."""
        found = dict.fromkeys(self.counts, S.Zero)
        for t in self.loss.terms:
            slope = self.derivative(t).xreplace({c: self.inner[t.relation]})
            found[t.relation] += self.put(t.weight) * slope
        return found

    # --- text ------------------------------------------------------------------------------------
    @cached_property
    def terms(self) -> tuple[str, ...]:
        """The terms of the loss."""
        return tuple(
            f"{{| between := {self.among(t)};\n"
            f"      share_of := {term(self.put(t.weight))};\n"
            f"      value_of := fun c => {term(self.function(t))} |}}"
            for t in self.loss.terms
        )

    def gradient_of(self, sizes: str, terms: str, inner: str) -> str:
        """Its gradient by relation."""
        return f"{self.called}_slopes"

    # --- convexity ----------------------------------------------------------------------------
    def tangent(self, inner: str) -> str:
        """That the loss lies above its tangent."""
        return "function_tangent _ _ _ _ ok"

    def convex(self, sizes: str, terms: str, inner: str) -> str:
        """That all functions lie above their tangents."""
        return (
            f"forall a_, length a_ = length {self.numbers} ->\n"
            f"  supported (pair_values {terms} a_) ({inner} a_) ({self.called}_slopes a_)"
        )

    def convex_proof(self, known: str, partition: str) -> list[str]:
        """Its proof, pattern by pattern."""
        names = ", ".join(f"{self.called}_{what}" for what in ("terms", "inner", "slopes"))
        every = range(len(self.loss.terms))
        supported = (f"assert (T{k} := support{k}_ x_ Hx_);" for k in every)
        return [
            "intros a_ e_; each_pattern a_ e_; clear e_; intros x_ Hx_;",
            f"  unfold pair_values, {names};",
            f"  cbn [over {self.fields}]; {' '.join(supported)} cbv beta in *; lra.",
        ]

    @property
    def before(self) -> tuple[str, ...]:  # type: ignore[override]
        """The slopes, and that each function lies above its tangent."""
        slopes: dict[str, list[str]] = {}
        found = []
        for k, t in enumerate(self.loss.terms):
            weight, at = term(self.put(t.weight), None, ATOM), self._at(t)
            slopes.setdefault(t.relation, []).append(f"{weight} * slope{k}_ {at}")
            found += list(self._support(k, t))
        by_pattern = self.matched({r: " + ".join(each) for r, each in slopes.items()})
        return (*found, f"Definition {self.called}_slopes : list bool -> R :=\n  {by_pattern}.")

    def _at(self, t: PairTerm) -> str:
        return term(self.inner[t.relation], None, ATOM)

    def _support(self, k: int, t: PairTerm) -> Iterator[str]:
        f, kink, at = self.function(t), self.kink(t), self._at(t)
        slope = f"slope{k}_"
        goal = f"Lemma support{k}_ : supported (fun c => {term(f)}) {at} ({slope} {at})."
        if kink is not None:
            yield f"Definition {slope} (c : R) := {term(self.derivative(t))}."
            # Applied, so that -c at 1 is not spelled as the number -1.
            of, at_x = (f"((fun c => {term(kink.inside)}) {place})" for place in (at, "x_"))
            if kink.squared:
                used = f"above_kink_squared {of} {at_x} _ eq_refl"
            else:
                chosen = term(self._side(t, kink), None, ATOM)
                known = f"ltac:(lra) ltac:(cbv beta; {KINKS} lra)"
                used = f"above_kink {of} {at_x} {chosen} {known}"
            yield (
                f"{goal}\nProof. intros x_ Hx_; unfold {slope}; cbv beta.\n"
                f"  eapply Rle_trans; [| exact ({used})].\n"
                "  right; cbv beta; first [ring | field]. Qed."
            )
            return
        first, second, opposite = _derivatives(f)
        yield f"Definition {slope} (c : R) := {first}."
        yield f"Definition curvature{k}_ (c : R) := {second}."
        smooth = (
            f"{{ intros x_ Hx_; unfold {slope}, curvature{k}_; auto_derive;\n"
            f"    [repeat split; {AT_ONCE} |]; {opposite}\n"
            "    name_exponentials; field; repeat split; first [lra | nra]. }"
        )
        yield (
            f"{goal}\nProof.\n"
            f"  apply (supported_by (fun c => {term(f)}) {slope} curvature{k}_); [.. | lra].\n"
            f"  {smooth}\n  {smooth}\n"
            f"  intros x_ Hx_; unfold curvature{k}_; interval with (i_bisect x_). Qed."
        )


def on_kinks(
    problem: Problem, inner: Mapping[str, Expr], sides: Sequence[str | None]
) -> dict[str, Expr]:
    """Inner products, of which those near a kink that has a side are on it."""
    found = dict(inner)
    terms = problem.loss.by_kinks().terms if isinstance(problem.loss, PairwiseLoss) else ()
    for t, side in zip(terms, sides, strict=False):
        if side is not None:
            (inside,) = (e for e in t.function.args if e != 0)
            place = -inside.xreplace({c: S.Zero}) / inside.diff(c)
            if place.is_Rational and abs(place - found[t.relation]) < NEAR:
                found[t.relation] = place
    return found


def _derivatives(f: Expr) -> tuple[str, str, str]:
    """The first two derivatives, and what puts the inverse for the exponential of an opposite.

    Exponentials stand in them as they do in the function, for the proof that these are they.
    """
    every = sorted((e for e in f.atoms(exp, log) if e.has(c)), key=str)
    named = {e: Symbol(f"atom{k}_") for k, e in enumerate(every)}
    spelled = {s: term(e, None, POWER) for e, s in named.items()}

    def derivative(g: Expr) -> Expr:
        found = g.diff(c)
        for e, s in named.items():
            inside = e.args[0].xreplace(named)
            outer = s if isinstance(e, exp) else 1 / inside
            if g.has(s):
                found += g.diff(s) * outer * derivative(inside)
        return found

    first = derivative(f.xreplace(named))
    opposites = [e for e in every if isinstance(e, exp) and exp(-e.exp) in named]
    lines = []
    for e in (e for e in opposites if e.exp.could_extract_minus_sign()):
        this, other = (term(a, {c: "x_"}, ATOM) for a in (e.exp, -e.exp))
        by = "by (rewrite <- exp_Ropp; f_equal; ring)"
        lines.append(f"replace (exp {this}) with (/ exp {other}) {by};")
    second = factor(derivative(first))  # in which intervals see the sign where f is steep
    return term(first, spelled), term(second, spelled), " ".join(lines)
