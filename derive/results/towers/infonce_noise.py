"""InfoNCE on two towers of which a share of the pairs is mismatched."""

from dataclasses import replace

from sympy import Max, Min, Rational, S, Symbol, Tuple

from ...decide.domain import at_least
from ...losses.softmax import SoftmaxLoss, SoftmaxTerm, tau
from ...optimum.dimension import Dimension
from ...problems.domains import PAIRED
from ...problems.problem import Problem
from ...proof.derivation import Derivation
from ...proof.lemmas import CENTRED_TOWERS
from ...proof.relations import eq
from ...proof.statement import Relations
from ...structures.towers import NEGATIVE, POSITIVE, N
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ...theorem.subject import Symmetric
from .._noise import MEANING, noise, rho, with_noise
from ._ccem import SYMMETRY

LOSS = SoftmaxLoss(
    "infonce-noise",
    "CLIP loss, the mean of both directions, with mismatched pairs",
    (
        SoftmaxTerm(1 - rho, positives=(POSITIVE,), denominator=(POSITIVE, NEGATIVE)),
        SoftmaxTerm(rho, positives=(NEGATIVE,), denominator=(POSITIVE, NEGATIVE)),
    ),
    tau,
    "Radford et al. (2021), Figure 3",
    MEANING,
)
DOMAIN = noise(PAIRED, (N - 1) / N, Rational(1, 10))
PROBLEM = Problem(LOSS, SYMMETRY, DOMAIN)
#: Without aligned towers the entropy takes no more dimensions than the simplex, from N = 4 on.
ROOM = Dimension(Max(N - 1, Min(N, 3)), False)
#: What holds where towers need not coincide.
IN_SPAN = ("tau_min", "rho_max", "loss_below")


def build(proof: Derivation) -> dict[str, Quantity]:
    found = with_noise(PROBLEM, "shared_contrasts", (POSITIVE,), "the simplex is optimal", proof)
    gap = S.One - found["cosine_below"].expression
    ends = {tau: S.Zero}, {tau: found["tau_min"].expression}
    names = {Symbol(f"gap_{k}"): gap.xreplace(end) for k, end in enumerate(ends)}
    proof.add(
        "For N >= 4 towers in N - 1 dimensions have the entropy as their loss below tau_min",
        Relations(
            Tuple(*(eq(s, e) for s, e in zip(names, (0, N / (N - 1)), strict=True))),
            DOMAIN.restricted({N, rho}).with_range(N, at_least(4), 4),
            names=names,
            lemma=CENTRED_TOWERS,
        ),
        "the gap that the targets ask for is linear in tau, from 0 to that of the simplex; so the "
        "simplex is left there too",
    )
    return {**found, **{k: replace(found[k], room=ROOM) for k in IN_SPAN}}


RESULT = Result(
    "infonce-noise",
    title="When the simplex survives mismatched pairs, and the least InfoNCE loss",
    source="beyond the papers; the loss is that of Radford et al. (2021)",
    parameters=(N, rho, tau),
    build=build,
    subject=Symmetric(PROBLEM),
)
