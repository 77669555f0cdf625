"""The sigmoid loss of which a share of the pairs is mismatched, with t and b learned.

Each pair is labelled at random, so no logit is better than the one whose probability is that of its
label, and the loss is at least the entropy of the labels. At which temperatures and biases
embeddings have these logits is a question of two cosines: true pairs have one and others another,
and both exist iff the eigenvalues of the Gram matrix with the largest products within a tower are
not negative. That is a cone in t and b. At its apex are the simplex and nothing else.
"""

from dataclasses import replace

from sympy import Expr, Ge, Rational, S, Symbol, Tuple, exp, log

from ...decide.calculus import derivative
from ...decide.domain import LINE, Domain, Range, between
from ...decide.present import tidy
from ...losses.clip import MEANINGS, b, softplus, t
from ...losses.pairwise import PairTerm, PairwiseLoss, c
from ...optimum.dimension import Dimension, state_fits
from ...optimum.reduce import Inner, ReducedPairwise
from ...optimum.reduction import reduced, state_reduction
from ...optimum.threshold import Criterion, Threshold, essential, solve, threshold
from ...optimum.vertex import pure_inner
from ...problems.domains import BIASED
from ...problems.problem import Problem
from ...proof.derivation import Derivation
from ...proof.lemmas import CERTIFICATE, UNEQUAL_TOWERS
from ...proof.relations import eq, gt
from ...proof.statement import Relations
from ...structures.towers import NEGATIVE, POSITIVE, WITHIN, N
from ...theorem.measure import LOSS as LOSS_THERE
from ...theorem.measure import Reading
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ...theorem.subject import Symmetric
from .._noise import MEANING, noise, rho
from ._ccem import SYMMETRY

#: How probable it is that another pair is labelled a positive.
OTHER = rho / (N - 1)
LOSS = PairwiseLoss(
    "sigmoid-noise",
    "sigmoid loss (SigLIP) with mismatched pairs",
    tuple(
        PairTerm(relation, function, weight)
        for relation, share in ((POSITIVE, 1 - rho), (NEGATIVE, OTHER))
        for function, weight in ((softplus(b - t * c), share), (softplus(t * c - b), 1 - share))
    ),
    "lee2024sigmoid (2)",
    {**MEANINGS, **MEANING},
)
#: With values at which the loss is least for few items.
WARM = Domain(BIASED.ranges, {**BIASED.witness, t: S(8), b: S(3)})
DOMAIN = noise(WARM, (N - 1) / N, Rational(1, 10))
PROBLEM = Problem(LOSS, SYMMETRY, DOMAIN)
#: The logit of a pair, and the product within a tower.
LOGIT, W = Symbol("z", real=True), Symbol("w", real=True)
APART = {"shared_contrasts", "differing_contrasts"}


def build(proof: Derivation) -> dict[str, Quantity]:
    loss = reduced(PROBLEM)
    assert isinstance(loss, ReducedPairwise)
    state_reduction(loss, DOMAIN, proof)
    odds = {r: tidy(exp(_best_logit(loss, r))) for r in (POSITIVE, NEGATIVE)}
    # One logarithm for what the inner products differ by: then its sign is known.
    gap = log(tidy(odds[POSITIVE] / odds[NEGATIVE])) / t
    near = (b + log(odds[POSITIVE])) / t
    cosines = {POSITIVE: near, NEGATIVE: near - gap}
    least = _state_least(loss, cosines, proof)
    low, high = _biases(cosines, gap, proof)
    hot = DOMAIN.restricted({N, rho, t})
    most = N - (N - 1) * gap
    proof.holds(
        "The largest of these biases minus the smallest is this",
        eq(high.value - low.value, 2 * t * most / N),
        "both are zeros of affine functions",
        hot,
    )
    apart = Criterion("such embeddings exist at some bias", Ge(most, 0, evaluate=False))
    first = threshold(apart, t, hot, proof)
    apex = tidy(low.value.xreplace({t: first.value}))
    simplex = pure_inner(loss, "shared_contrasts")
    small = DOMAIN.restricted({N, rho})
    proof.holds(
        "At the smallest of these temperatures there is one bias, and the simplex",
        Tuple(
            eq(high.value.xreplace({t: first.value}), apex),
            *(eq(f"g_{r}", simplex[r]) for r in cosines),
        ),
        "true pairs coincide there, and others are as far apart as they can be",
        small,
        names={Symbol(f"g_{r}"): e.xreplace({b: apex, t: first.value}) for r, e in cosines.items()},
    )
    fits = state_fits("The simplex", SYMMETRY, simplex, small, proof)
    above = hot.with_range(
        t,
        Range(first.value, low_open=False, why="below t_min no embeddings have these logits"),
        2 * hot.witness_of(first.value),
    )
    why = "elsewhere no embeddings have these logits"
    middle = above.witness_of((low.value + high.value) / 2)
    inside = above.with_range(b, between(low.value, high.value, why=why), middle)
    room = _state_room(cosines, most, low, high, proof)
    said = "at which the loss is least, of all embeddings, temperatures and biases"
    return {
        "t_min": replace(
            Quantity.from_threshold(first, "t_min", r"t_{\min}", domain=small),
            meaning=f"smallest temperature {said}: the simplex is optimal",
            room=fits,
        ),
        "b_at_t_min": Quantity(
            apex, r"b_{\min}", "the only bias that goes with t_min", small, room=fits
        ),
        "b_low": replace(
            Quantity.from_threshold(low, "b_low", r"b_{\mathrm{low}}", domain=above),
            meaning=f"smallest bias {said}, at this t",
            room=room,
        ),
        "b_high": replace(
            Quantity.from_threshold(high, "b_high", r"b_{\mathrm{high}}", domain=above),
            meaning=f"largest bias {said}, at this t",
            room=room,
        ),
        "least_loss": Quantity(
            least,
            r"\mathcal{L}_{\min}",
            "minimum of the loss over embeddings, t and b: the entropy of the labels",
            small,
            room=fits,
        ),
        "loss": Quantity(
            least,
            r"\mathcal{L}^\star",
            "minimum of the loss over embeddings at such t and b",
            inside,
            room=room,
            measured=Reading(LOSS_THERE),
        ),
        POSITIVE: Quantity(
            cosines[POSITIVE],
            "c_{ii}",
            "inner product of a true pair at such t and b",
            inside,
            room=room,
        ),
        NEGATIVE: Quantity(
            cosines[NEGATIVE],
            "c_{ij}",
            "inner product of another pair at such t and b",
            inside,
            room=room,
        ),
    }


def _best_logit(loss: ReducedPairwise, relation: str) -> Expr:
    """The logit t c - b at which the mean loss of a pair is least."""
    pull = loss.pair_gradient({r.name: (b + LOGIT) / t for r in SYMMETRY.relations})[relation]
    pull = pull.replace(exp, lambda power: exp(power.expand()))
    wide = DOMAIN.with_range(LOGIT, LINE, 0)
    return solve(essential(pull, LOGIT, wide), LOGIT, wide)


def _state_least(loss: ReducedPairwise, cosines: Inner, proof: Derivation) -> Expr:
    """Record that the loss is least where logits are these, and only there; what it is."""

    def at_apex(e: Expr) -> Expr:
        return e.replace(exp, lambda power: exp(tidy(power.expand())))

    inner = {r.name: cosines.get(r.name, S.Zero) for r in SYMMETRY.relations}
    theta = SYMMETRY.eigenvalues(loss.pair_gradient(inner))
    proof.add(
        "The gradient vanishes iff the inner products of true pairs and of others are these",
        Relations(
            Tuple(*(eq(f"theta_{e}", S.Zero) for e in theta)),
            DOMAIN,
            names={Symbol(f"theta_{e}"): at_apex(value) for e, value in theta.items()},
            lemma=CERTIFICATE,
        ),
        "there each logit has the probability of its label",
    )
    bends = [derivative(derivative(loss.loss.total(r), c), c) for r in cosines]
    proof.holds(
        "The loss of a pair is strictly convex in its inner product, so no other one is as good",
        Tuple(*(gt(bend, S.Zero) for bend in bends)),
        "the second derivative is t^2 times the variance of the label under the logit",
        DOMAIN.with_range(c, between(-1, 1), 0),
    )
    least = at_apex(loss.value(inner)).xreplace({t: S.One, b: S.Zero})
    proof.holds(
        "The loss there is the entropy of the labels, at every temperature and bias",
        eq("L", least),
        "only logits are left in it",
        DOMAIN,
        names={Symbol("L"): at_apex(loss.value(inner))},
    )
    return least


def _biases(cosines: Inner, gap: Expr, proof: Derivation) -> tuple[Threshold, Threshold]:
    """Between which biases vectors with these inner products exist, at a temperature."""
    inner = {"self": S.One, WITHIN: W, **cosines}
    values = SYMMETRY.eigenvalues(inner)
    wide = DOMAIN.with_range(W, LINE, 0)
    proof.holds(
        "With products w within a tower the eigenvalues on contrasts are not negative iff w is at "
        "most 1 minus the difference of the two inner products, and the others increase with w",
        Tuple(
            gt(gap, S.Zero),
            eq(values["differing_contrasts"], 1 - gap - W),
            gt(tidy(values["shared_contrasts"] - values["differing_contrasts"]), S.Zero),
            *(gt(derivative(e, W), S.Zero) for name, e in values.items() if name not in APART),
        ),
        "the largest w is then the best one, and averaged over relabellings all vectors have one w",
        wide,
    )
    found = []
    for space in ("shared_mean", "differing_means"):
        edge = tidy(values[space].xreplace({W: 1 - gap}))
        criterion = Criterion(
            f"at the best w the eigenvalue of {space.replace('_', ' ')} is not negative",
            Ge(edge, 0, evaluate=False),
        )
        found.append(threshold(criterion, b, DOMAIN, proof))
    low, high = found
    return low, high


def _state_room(
    cosines: Inner, most: Expr, low: Threshold, high: Threshold, proof: Derivation
) -> Dimension:
    """Record in how many dimensions vectors with these inner products exist."""
    mean = cosines[POSITIVE] + (N - 1) * cosines[NEGATIVE]
    proof.holds(
        "Between the two biases vectors with these inner products exist in N dimensions",
        Tuple(eq(low.condition, most + mean), eq(high.condition, most - mean)),
        UNEQUAL_TOWERS,
        DOMAIN,
    )
    return Dimension(N, False)


RESULT = Result(
    "sigmoid-noise",
    title="Which t and b the sigmoid loss learns from mismatched pairs",
    source="beyond the papers; the loss is that of lee2024sigmoid (2)",
    parameters=(N, rho, t, b),
    build=build,
    subject=Symmetric(PROBLEM),
)
