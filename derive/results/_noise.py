"""What results share about a softmax loss of which a share rho of the positives is wrong.

The targets of the softmax are 1 - rho on the true positives and rho on wrong ones, so the loss is
at least their entropy (Gibbs' inequality), and it is that where the softmax equals them. True
positives are then closer than the others by tau times the logarithm of the ratio of the targets. A
pure structure is optimal while its gap is smaller than that. At a smaller temperature it is too
wide, and it closes to a cone: true positives stay together, all others have one inner product.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sympy import Expr, Ge, S, Symbol, Tuple, exp

from ..decide.domain import POSITIVE, Domain, Range, between
from ..decide.present import tidy
from ..losses.softmax import tau
from ..optimum.dimension import Dimension, state_fits
from ..optimum.threshold import Criterion, Threshold, solve, threshold
from ..optimum.vertex import Vertex, vertex
from ..problems.problem import Problem
from ..proof.derivation import Derivation
from ..proof.lemmas import CERTIFICATE
from ..proof.relations import eq, ge, gt
from ..proof.statement import Relations
from ..theorem.measure import LOSS, Reading
from ..theorem.quantity import Quantity
from ._pure import least_loss

rho = Symbol("rho", positive=True)
MEANING = {rho: "share of the positives that are wrong, spread evenly over all others"}


def noise(domain: Domain, most: Expr, value: object) -> Domain:
    """A domain with rho up to the share at which wrong positives are as many as the others."""
    why = "beyond it a wrong positive weighs as much as a true one"
    return domain.with_range(rho, between(0, most, "()", why), value)


def with_noise(
    problem: Problem, pure: str, true: Iterable[str], says: str, proof: Derivation
) -> dict[str, Quantity]:
    """When a pure structure is optimal in spite of noise, and the least loss beyond.

    Parameters
    ----------
    problem
        The loss, a term of weight 1 - rho on true positives and one of weight rho on all others.
    pure
        The eigenspace of the structure.
    true
        Relations of true positives, which coincide there.
    says
        In words, that it is optimal.

    Raises
    ------
    StepFailed
        If something is not proved.
    """
    found = vertex(problem, pure, proof)
    criterion = _one_condition(found, says, proof)
    domain = problem.domain
    most_noise = threshold(criterion, rho, domain, proof)
    coldest = threshold(criterion, tau, domain, proof)
    fits = state_fits("The pure structure", found.reduced.scheme, found.inner, domain, proof)
    cone, least, inside, room = _cone(found, set(true), coldest, proof)
    above = domain.with_range(
        tau,
        Range(coldest.value, low_open=False, why="below tau_min a cone is optimal"),
        2 * domain.witness_of(coldest.value),
    )
    entropy = Quantity(
        least,
        r"\mathcal{L}_{\mathrm{noise}}",
        "minimum of the loss below tau_min: the entropy of the targets",
        inside,
        room=room,
        measured=Reading(LOSS),
    )
    apart = Quantity(
        cone,
        r"c_{\mathrm{cone}}",
        "inner product of all others in the cone that is optimal below tau_min, where true "
        "positives coincide",
        inside,
        room=room,
    )
    return {
        "tau_min": Quantity.from_threshold(coldest, "tau_min", r"\tau_{\min}"),
        "rho_max": Quantity.from_threshold(most_noise, "rho_max", r"\rho_{\max}"),
        "loss": replace(least_loss(found.loss), domain=above, room=fits),
        "loss_below": entropy,
        "cosine_below": apart,
    }


def _one_condition(found: Vertex, says: str, proof: Derivation) -> Criterion:
    """The condition of the structure, which is the same for every direction.

    It is told of one that exists at all sizes.
    """
    of = sorted(found.conditions.values(), key=lambda c: c.domain != found.domain)
    first, *others = (c.criterion for c in of)
    proof.holds(
        "All these conditions are the same",
        Tuple(*(eq(first.condition, other.condition) for other in others)),
        "targets and probabilities add up to one, so one number is left of the gradient",
        found.domain,
    )
    return Criterion(says, first.relation, first.place)


def _cone(
    found: Vertex, true: set[str], coldest: Threshold, proof: Derivation
) -> tuple[Expr, Expr, Domain, Dimension]:
    """The inner product of the others where the softmax meets its targets, the loss, and where."""
    loss, domain = found.reduced, found.domain
    spectrum = loss.scheme.eigenvalues
    gap = Symbol("gap", positive=True)

    def inner(near: Expr, far: Expr) -> dict[str, Expr]:
        return {r.name: near if r.name in {"self", *true} else far for r in loss.scheme.relations}

    # Probabilities depend on differences of inner products only.
    pull = loss.pair_gradient(inner(S.Zero, -tau * gap))[min(true)]
    wide = domain.with_range(gap, POSITIVE, 1)
    ratio = solve(pull, gap, wide)

    def on_cone(e: Expr) -> Expr:
        """At this gap; the exponential of a logarithm is what that is of."""
        return e.xreplace({gap: ratio}).replace(exp, lambda power: exp(power.expand()))

    cone = inner(S.One, 1 - tau * gap)
    theta = spectrum(loss.pair_gradient(cone))
    proof.add(
        "The gradient vanishes where true positives coincide and all others are tau times this "
        "logarithm further away",
        Relations(
            Tuple(gt(ratio, S.Zero), *(eq(f"theta_{e}", S.Zero) for e in theta)),
            domain,
            names={Symbol(f"theta_{e}"): on_cone(value) for e, value in theta.items()},
            lemma=CERTIFICATE,
        ),
        "the softmax equals its targets there",
    )
    eigenvalues = {e: tidy(value) for e, value in spectrum(cone).items()}
    total = tidy(sum((r.count * cone[r.name] for r in loss.scheme.relations), S.Zero))
    proof.holds(
        "All eigenvalues of this Gram matrix but that of the mean are never negative",
        Tuple(*(ge(value, S.Zero) for value in eigenvalues.values() if value != total)),
        "others are not closer than true positives",
        wide,
    )
    fits = Criterion("vectors with these inner products exist", Ge(total, 0, evaluate=False))
    room = threshold(fits, tau, wide, proof)
    proof.holds(
        "They exist up to the temperature from which on the pure structure is optimal",
        eq(room.value.xreplace({gap: ratio}), coldest.value),
        "there they are those of the pure structure",
        domain,
    )
    low = between(0, coldest.value, "(]", "above tau_min the pure structure is optimal")
    inside = domain.with_range(tau, low, domain.witness_of(coldest.value) / 2)
    least = on_cone(loss.value(inner(S.Zero, -tau * gap)))
    return (
        on_cone(1 - tau * gap),
        least,
        inside,
        state_fits("The cone", loss.scheme, cone, wide, proof),
    )
