"""Sigmoid losses for Rocq: sums of ln (1 + exp) of affine functions of single inner products."""

from __future__ import annotations

from functools import cached_property

from sympy import Expr, S, exp, expand, log

from ...decide.evidence import Undecided
from ...losses.pairwise import PairTerm, PairwiseLoss, c
from ...optimum.reduce import ReducedPairwise
from .declared import Declared
from .terms import ATOM, NotWritten, term


class Pairwise(Declared):
    """A sum of functions of single inner products."""

    @property
    def reduced(self) -> ReducedPairwise:
        """The loss of one anchor for all."""
        return ReducedPairwise(self.loss, self.scheme, Undecided("convexity is proved in Rocq"))

    @property
    def loss(self) -> PairwiseLoss:
        """The declaration."""
        if not isinstance(self.problem.loss, PairwiseLoss):
            raise NotWritten("its loss is not one of single inner products")
        return self.problem.loss

    def among(self, t: PairTerm) -> str:
        """A function of which indices agree: whether a term is about such pairs."""
        return self.matched({t.relation: "true"}, "false")


class Sigmoid(Pairwise):
    """A pairwise loss each of whose functions is ln (1 + exp (rate c + shift))."""

    unfolded = ("pair_gradient",)
    fields = "among strength rate shift"
    kind = "pair_term"
    library = ("pair_loss", "pair_gradient")
    smooth = "pair_smooth {sizes} _ {inner} ok"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.at:
            raise NotWritten("numbers are put in as into any other function")
        for t in self.loss.terms:
            self.affine(t)

    def affine(self, t: PairTerm) -> tuple[Expr, Expr]:
        """The rate and the shift of a term.

        Raises
        ------
        NotWritten
            If its function is another one.
        """
        inside = t.function.args[0] - 1 if isinstance(t.function, log) else S.Zero
        logit = inside.args[0].expand() if isinstance(inside, exp) else S.Zero
        rate = logit.coeff(c)
        shift = expand(logit - rate * c)
        if rate == 0 or c in shift.free_symbols:
            raise NotWritten(f"{t.function} is not ln(1 + exp) of an affine function of c")
        return self.put(rate), self.put(shift)

    def _power(self, t: PairTerm) -> Expr:
        rate, shift = self.affine(t)
        return exp(expand(rate * self.inner[t.relation] + shift))

    # --- text ------------------------------------------------------------------------------------
    @cached_property
    def terms(self) -> tuple[str, ...]:
        """The terms of the loss."""
        found = []
        for t in self.loss.terms:
            rate, shift = self.affine(t)
            found.append(
                f"{{| among := {self.among(t)};\n"
                f"      strength := {term(self.put(t.weight))};\n"
                f"      rate := {term(rate)}; shift := {term(shift)} |}}"
            )
        return tuple(found)

    def gradient_of(self, sizes: str, terms: str, inner: str) -> str:
        """Its gradient by relation."""
        return f"(pair_gradient {terms} {inner})"

    @cached_property
    def spelled(self) -> dict[str, Expr]:
        """Exponentials as they stand in the goals."""
        found = {}
        for t in self.loss.terms:
            rate, shift = self.affine(t)
            of = (term(e, None, ATOM) for e in (rate, self.inner[t.relation], shift))
            found["exp ({} * {} + {})".format(*of)] = self._power(t)
        return found

    # --- convexity ----------------------------------------------------------------------------
    @property
    def weights(self) -> list[Expr]:
        """What its pairs weigh."""
        return [self.put(t.weight) for t in self.loss.terms]

    def convex(self, sizes: str, terms: str, inner: str) -> str:
        """What is to be known of them."""
        return f"forall term_, In term_ {terms} -> 0 <= strength term_"

    def convex_proof(self, known: str, partition: str) -> list[str]:
        """Its proof, term by term."""
        return [f"intros t_ I_; each_term I_; cbn [strength]; {known}."]
