"""Why exponential kernels: the maximum-entropy programs P1 and P2 (tan2024spectral, Section 5.1).

P2 at the temperature tau is the Lagrangian of P1 at the multiplier 1/tau, times tau. So its value
over tau bounds that of P1, and the least bound is the value of P1: strong duality, made exact here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from sympy import Add, Expr, Integer, Lambda, S, Symbol, exp, log, oo

from ...decide.digits import sign
from ...decide.domain import POSITIVE, Domain, DomainError, Range, at_least
from ...decide.root import ClampedRoot
from ...losses.setting import MAXIMUM_ENTROPY
from ...losses.softmax import tau
from ...proof.derivation import Derivation
from ...proof.relations import eq, ge, lt
from ...theorem.listed import ListOf
from ...theorem.quantity import Quantity
from .._for_data import NUMBERS, ForData
from ._entropy import LINE, beta, state_duality, state_maximiser

n = Symbol("n", integer=True, positive=True)
psi_1 = Symbol("psi_1", real=True)
psi_i = Symbol("psi_i", real=True)
partition = Symbol("partition", positive=True)
DOMAIN = Domain(
    {
        n: at_least(2),
        tau: POSITIVE,
        psi_1: LINE,
        psi_i: LINE,
        partition: Range(exp(psi_1 / tau), why="the sum has exp(psi_1/tau) and other terms"),
    },
    {n: 3, tau: 1, psi_1: 0, psi_i: 0, partition: 3},
)
MEANINGS = {
    n: "number of similarities",
    tau: "temperature, the multiplier of the entropy",
    psi_1: "similarity of the positive",
    psi_i: "any of the similarities",
    partition: "sum of exp(psi_i/tau) over all n similarities",
}
PSI = ListOf("psi", LINE, "similarities, that of the positive first")
VALUE = r"-E(\alpha^\star)"
BOUND = "upper bound on the value of P1: value/tau"


def derive(
    data: Mapping[str, Any], at: Mapping[Symbol, Expr], proof: Derivation
) -> dict[str, Quantity]:
    """What holds for any similarities, and for these."""
    proof.steps += _of_any_number().steps
    return Program(data["psi"]).quantities(proof) if data else general()


@cache
def _of_any_number() -> Derivation:
    """The steps that hold for all similarities."""
    proof = Derivation()
    state_maximiser(proof)
    state_duality(proof)
    return proof


def general() -> dict[str, Quantity]:
    """Maximiser and value of P2 for any similarities."""
    value = tau * log(partition) - psi_1
    own = {s: DOMAIN.ranges[s] for s in (n, tau, psi_i)}
    own[partition] = Range(exp(psi_i / tau), why="the sum has exp(psi_i/tau) and other terms")
    of_one = Domain(own, {n: 3, tau: 1, psi_i: 0, partition: 3})
    return {
        "maximiser": Quantity(
            exp(psi_i / tau) / partition,
            r"\alpha_i^\star",
            "probabilities that maximise P2: the softmax",
            of_one,
        ),
        "value": Quantity(value, VALUE, "value of P2, which is tau times InfoNCE"),
        "bound": Quantity(value / tau, r"F", BOUND),
        "largest": Quantity(
            log(n),
            r"H_1",
            "largest value of P1, attained iff psi_1 is at most the mean of all; the smallest is 0",
            DOMAIN.restricted([n]),
        ),
    }


class Program:
    """P1 and P2 for given similarities.

    Parameters
    ----------
    psi
        Exact numbers, that of the positive first.

    Raises
    ------
    DomainError
        If which of them are largest is not decided; one line.
    """

    def __init__(self, psi: Sequence[Expr]):
        self.size = len(psi)
        self.gaps = [e - psi[0] for e in psi]
        self.most = max(self.gaps, key=lambda e: e.evalf(30))
        self.signs = [0, *(_sign(e, "psi_1 and another of psi") for e in self.gaps[1:])]
        self.ties = self.signs.count(0)
        #: whether the positive is among the largest, and the sign of the mean less psi_1
        self.is_largest = max(self.signs) <= 0
        self.mean = _sign(Add(*self.gaps), "psi_1 and the mean of psi")

    @property
    def regime(self) -> str:
        """Which of the cases it is, in words."""
        if self.ties == self.size:
            return "all similarities are equal: every tau attains the value of P1"
        if self.is_largest:
            return "psi_1 is the largest: the bound converges to the value of P1 as tau -> 0"
        if self.mean >= 0:
            return "psi_1 is at most the mean: the bound converges to the value of P1 as tau -> oo"
        return "psi_1 is above the mean and not the largest: one tau attains the value of P1"

    @property
    def is_inside(self) -> bool:
        """Whether one temperature attains the value of P1."""
        return not self.is_largest and self.mean < 0

    # --- at an inverse temperature ---------------------------------------------------------
    def whole(self, b: Expr) -> Expr:
        """Sum of exp(b d_i)."""
        return Add(*(exp(b * d) for d in self.gaps))

    def slope(self, b: Expr) -> Expr:
        """Sum of d_i exp(b d_i): negative where the bound falls with b."""
        return Add(*(d * exp(b * d) for d in self.gaps))

    def shares(self, b: Expr) -> list[Expr]:
        """The softmax."""
        whole = self.whole(b)
        return [exp(b * d) / whole for d in self.gaps]

    # The same, the largest term taken out of the sum, so that numpy functions do not overflow.
    def bound_at(self, b: Expr) -> Expr:
        """The logarithm of the sum of exp(b d_i)."""
        return log(Add(*(exp(b * (d - self.most)) for d in self.gaps))) + b * self.most

    def softmax_at(self, b: Expr) -> list[Expr]:
        """The softmax."""
        terms = [exp(b * (d - self.most)) for d in self.gaps]
        return [e / Add(*terms) for e in terms]

    @property
    def best(self) -> Expr:
        """The inverse temperature of the least bound, where there is one."""
        return ClampedRoot(Lambda(beta, self.slope(beta)), S.Zero, oo)

    # --- P1 --------------------------------------------------------------------------------
    @property
    def p1(self) -> tuple[Expr, list[Expr], Expr | None]:
        """Value and maximiser of P1, and the temperature of the least bound."""
        if self.is_inside:
            return log(self.whole(self.best)), self.shares(self.best), 1 / self.best
        if self.is_largest:
            shares = [S.One / self.ties if s == 0 else S.Zero for s in self.signs]
            return log(self.ties), shares, None if self.ties == self.size else S.Zero
        return log(self.size), [S.One / self.size] * self.size, oo

    def quantities(self, proof: Derivation) -> dict[str, Quantity]:
        """What is derived, in the regime that a step decides."""
        self._state_signs(proof)
        value, shares, at = self.p1
        bound = self.bound_at(1 / tau)
        found = {
            "maximiser": Quantity(
                self.softmax_at(1 / tau),
                r"\alpha^\star",
                "probabilities that maximise P2: the softmax",
            ),
            "value": Quantity(
                (tau * bound).expand(), VALUE, "value of P2, which is tau times InfoNCE"
            ),
            "bound": Quantity(bound, "F", BOUND),
            "slack": Quantity(
                Add(*(a * d for a, d in zip(self.softmax_at(1 / tau), self.gaps, strict=True))),
                r"\sum_i \alpha_i^\star \psi_i - \psi_1",
                "slack of the softmax in the constraint of P1; negative iff it is not feasible",
            ),
            "p1_value": Quantity(value, r"H^\star", "value of P1"),
            "p1_maximiser": Quantity(shares, r"\hat\alpha", "probabilities that maximise P1"),
            "gap": Quantity(
                bound - value, r"F - H^\star", "bound minus the value of P1, >= 0 at every tau"
            ),
            "regime": Quantity(self.regime, r"\text{regime}", "description of the case"),
            "ties": Quantity(
                Integer(self.ties), "k", "number of similarities equal to psi_1, itself included"
            ),
            "only_first": Quantity(
                S.true if self.is_largest and self.ties == 1 else S.false,
                r"\text{only } e_1",
                "whether alpha = e_1 is the only feasible point of P1",
            ),
        }
        if at is not None:
            found["tau_star"] = Quantity(
                at,
                r"\tau^\star",
                "temperature that minimises the bound; 0 and oo are approached, not attained",
                extended=True,
            )
        return found

    # --- steps -----------------------------------------------------------------------------
    def _state_signs(self, proof: Derivation) -> None:
        """Which case it is, and that the bound is least where it is said to be."""
        at_0, largest = Symbol("h_at_0"), Symbol("largest_d")
        names = {
            at_0: self.slope(S.Zero),
            largest: next((d for d, s in zip(self.gaps, self.signs, strict=True) if s > 0), S.Zero),
        }
        shown = [lt(at_0, 0) if self.mean < 0 else ge(at_0, 0)]
        shown.append(eq(largest, 0) if self.is_largest else lt(0, largest))
        proof.holds(
            f"For these similarities {self.regime}",
            shown,
            "h = sum d_i exp(beta d_i) with d_i = psi_i - psi_1, at beta = 0, has the sign of the "
            "mean of psi minus psi_1; if some d_i is positive, so is h for large beta",
            NUMBERS,
            names=names,
        )


def _sign(e: Expr, what: str) -> int:
    found = sign(e)
    if found is None:
        raise DomainError(f"could not decide which of {what} is larger")
    return found


def check(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    """The similarities that were given.

    Raises
    ------
    DomainError
        If there is only one; one line.
    """
    if len(inputs["psi"]) < 2:
        raise DomainError("psi: the positive alone has no negatives; give two similarities or more")
    return inputs


RESULT = ForData(
    "exponential-kernel",
    title="Maximum entropy: why exponential kernels, and how tight the bound is",
    source="tan2024spectral, Section 5.1 and Theorem 5.1",
    with_data=(tau,),
    lists=(PSI,),
    domain=DOMAIN,
    meanings=MEANINGS,
    derive=derive,
    check=check,
    subject=MAXIMUM_ENTROPY,
)
