"""When all classes but the largest share one prototype: minority collapse, for all sizes.

They do from one temperature on if the largest class has more than half of all samples, and never
if not. How many smaller classes there are, and how large each is, does not matter. The temperature
falls as the largest class grows and rises with the rest; with many samples only their ratio counts.
"""

from sympy import Expr, S, Symbol, oo

from ...decide.calculus import derivative
from ...decide.domain import POSITIVE, Domain, Range, at_least
from ...losses.labels import HARD_SUPCON
from ...losses.softmax import tau
from ...optimum.merging import LAW, MAJORITY, MEANINGS, TWO, l1, merging, r
from ...optimum.threshold import Criterion, threshold
from ...proof.derivation import Derivation
from ...proof.lemmas import CONCAVE
from ...proof.limiting import take_limit
from ...proof.relations import ge, gt, lt
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ...theorem.subject import Symmetric
from ._of_sizes import seen

DOMAIN = Domain({**LAW, tau: POSITIVE}, {l1: 12, r: 5, tau: 3})
INSIDE = Domain({**MAJORITY, tau: POSITIVE}, {r: 5, l1: 12, tau: 3})
#: The largest class has no more than half of all points.
HALF = Domain(
    {l1: at_least(2, TWO), r: Range(l1, oo, False, True, True), tau: POSITIVE},
    {l1: 5, r: 5, tau: S.One},
)
#: How many times the samples of all others the largest class has.
rho = Symbol("rho", positive=True)
MORE = Range(S.One, why="merging takes more than half of all samples")
RATIO = Domain({rho: MORE, tau: POSITIVE}, {rho: 2, tau: S.One})


def build(proof: Derivation) -> dict[str, Quantity]:
    merged, loss = merging(HARD_SUPCON, proof)
    proof.holds(
        "If the largest class has at most half of all samples, the smaller classes never merge",
        lt(merged.condition, S.Zero),
        "at every temperature the certificate of a shared prototype has a negative eigenvalue",
        HALF,
    )
    tau_merge = threshold(merged, tau, INSIDE, proof)
    _state_order(merged, proof)
    many = _many(merged, proof)
    at_ratio = threshold(many, tau, RATIO, proof)
    ratio = threshold(many, rho, RATIO, proof)
    return {
        "tau_merge": Quantity.from_threshold(tau_merge, "tau_merge", r"\tau_{\mathrm{merge}}"),
        "merged": Quantity(
            merged.relation,
            r"\mathrm{merged}",
            "whether all classes but the largest share one prototype",
        ),
        "loss_merged": Quantity(
            loss,
            r"\mathcal{L}_{\mathrm{merged}}",
            "loss of the configuration in which all classes but the largest share one prototype",
        ),
        "tau_merge_many": Quantity.from_threshold(
            at_ratio, "tau_merge_many", r"\lim_{n\to\infty}\tau_{\mathrm{merge}}"
        ),
        "ratio_merge_many": Quantity.from_threshold(
            ratio, "ratio_merge_many", r"\rho_{\mathrm{merge}}"
        ),
        "merged_many": Quantity(
            many.relation,
            r"\mathrm{merged}_{\infty}",
            "whether all classes but the largest share one prototype in the limit of many "
            "samples, if the largest class has rho times the samples of all others",
        ),
    }


def _state_order(merged: Criterion, proof: Derivation) -> None:
    """Record that tau_merge falls with the largest class, and rises with the rest."""
    condition = merged.condition

    def bend(s: Symbol) -> Expr:
        return derivative(derivative(condition, s), s)

    proof.holds(
        "Minus the condition is concave in l1 and positive at l1 = r, so the smaller "
        "classes merge for all l1 above some value",
        [lt(-bend(l1), S.Zero), gt(-condition.xreplace({l1: r}), S.Zero)],
        CONCAVE,
        DOMAIN.restricted([r, tau]),
    )
    proof.holds(
        "The condition is concave in r and positive at r = 0, so the smaller classes "
        "merge for all r up to some value",
        [lt(bend(r), S.Zero), gt(condition.xreplace({r: S.Zero}), S.Zero)],
        CONCAVE,
        DOMAIN.restricted([l1, tau]),
    )


def _many(merged: Criterion, proof: Derivation) -> Criterion:
    """The criterion with many samples, at a given ratio of the largest class to the rest."""
    size = Symbol("r", positive=True)
    condition = merged.condition.xreplace({l1: rho * size, r: size})
    domain = RATIO.with_range(size, POSITIVE, 5)
    limit = take_limit("condition_over_r2", condition / size**2, size, oo, domain, proof)
    return Criterion(f"in the limit of many samples {merged.says}", ge(limit, 0))


KEYWORDS = "long-tailed, imbalanced classes, imbalance"
RESULT = Result(
    "minority-collapse",
    title="When all classes but the largest share one prototype in SupCon, for all sizes",
    source="beyond the papers; the loss is that of vock2026unified, Section 3.8",
    domain=Domain({**DOMAIN.ranges, rho: MORE}, {**DOMAIN.witness, rho: 2}),
    build=build,
    subject=Symmetric(loss=HARD_SUPCON, structure=seen(l1 + r)),
    meanings={**MEANINGS, rho: "ratio of the samples in the largest class to those in all others"},
)
