"""When all small classes share one prototype beside K large ones, none of which has a majority.

K head classes of L samples each, and a tail of m samples in two classes or more. With one class in
the place of the tail the heads lean away from it: their cosine with it is -e, which one equation
fixes. The tail shares one prototype iff what presses a sample of it together, T, is at least m B,
its pushes on itself; how it is split into classes does not matter. Unlike the collapse on one
majority class it is there at moderate temperatures, and gone at small and, for K >= 2, at large.
"""

from sympy import Add, Expr, Integer, Rational, S, Symbol, exp, fraction, oo, powsimp

from ...decide.domain import POSITIVE, Domain, Range, at_least, between
from ...decide.present import solve_linear, tidy
from ...decide.root import argmin
from ...losses.labels import HARD_SUPCON
from ...losses.softmax import tau
from ...optimum.blocks import ReducedOnOrbits
from ...optimum.merging import Forces, li, lj, size, state_coarsening
from ...optimum.program import entry
from ...proof.derivation import Derivation
from ...proof.lemmas import Lemma
from ...proof.limiting import take_limit
from ...proof.relations import ge, gt, lt
from ...structures.configuration import Configuration, joined
from ...structures.hierarchy import hierarchy
from ...structures.scheme import complete
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ...theorem.subject import Symmetric
from ._of_sizes import seen

K, L, m = size("K"), size("L"), size("m")
e = Symbol("e", positive=True)
HEADS = at_least(2, "one head class is minority-collapse")
TAIL = "the tail has two classes or more, of two samples or more"
DOMAIN = Domain(
    {
        K: HEADS,
        L: at_least(4, "a head class has at least as many samples as the tail"),
        m: Range(S(4), L, False, False, True, f"{TAIL}, and no more samples than a head class"),
        tau: POSITIVE,
    },
    {K: 2, L: 300, m: 4, tau: Rational(1, 2)},
)
MEANINGS = {
    K: "head classes, all of one size",
    L: "samples in each head class",
    m: "samples in all tail classes together",
}
LEAN = Lemma(
    "lean",
    statement=r"Let $K$ head classes of one size and one other class, the tail, be points, and "
    r"let the loss increase with their cosines. At the optimum the cosine of a head class and the "
    r"tail is $-e$ and that of two head classes $(K e^2 - 1)/(K - 1)$, and the derivative of "
    r"the loss along $e \ge 0$ vanishes once.",
    proof=r"By symmetry there are two cosines. If no eigenvalue of the block of the means were "
    r"zero, the certificate would vanish on it, and no derivative does. So the cosine of two heads "
    r"is as above. It and $-e$ are convex in $e^2$, and an increasing convex function of convex "
    r"functions is convex.",
)


def around(**tails: Expr) -> ReducedOnOrbits:
    """The heads and some tail classes, at one point each."""
    heads = hierarchy((L, "same_class", "samples"), (K, "cross_class", "classes"))
    parts = {name: complete(count, "same_class", "samples") for name, count in tails.items()}
    return ReducedOnOrbits(HARD_SUPCON, joined({"h": heads, **parts}, "cross_class"))


def leaning(configuration: Configuration) -> dict[Symbol, Expr]:
    """The inner products where heads have the cosine -e with one point, at which the tail is."""
    found = {}
    for p in configuration.relations:
        heads = [end for end in (p.left, p.right) if end == "h"]
        value: Expr = S.One
        if p.kind == "cross_class" and heads:
            value = (K * e**2 - 1) / (K - 1) if len(heads) == 2 else -e
        found[entry(p.name)] = value
    return found


def build(proof: Derivation) -> dict[str, Quantity]:
    state_coarsening(HARD_SUPCON, proof)
    inside = DOMAIN.with_range(e, between(0, 1, "()"), Rational(1, 2))
    coarse = around(M=m)
    at = leaning(coarse.configuration)
    among, across = (
        coarse.function.slopes[name].xreplace(at) for name in ("cross_class_h", "cross_class_h_M")
    )
    rise = among * 2 * K * e / (K - 1) - across
    proof.holds(
        "Head classes and the tail repel each other: the loss increases with both cosines",
        [gt(among, S.Zero), gt(across, S.Zero)],
        LEAN,
        inside,
    )
    proof.holds(
        "The derivative of the loss in e is negative at e = 0 and positive at e = 1, "
        "so the loss is minimal between them",
        [lt(rise.xreplace({e: S.Zero}), S.Zero), gt(tidy(rise.xreplace({e: S.One})), S.Zero)],
        "the derivative has one root, and its signs at the two ends differ",
        DOMAIN,
    )
    fine = around(i=li, j=lj)
    forces = Forces.at(fine, leaning(fine.configuration), m)
    proof.holds(
        "B is positive, so T >= m B is the same as T/(m B) >= 1",
        gt(forces.apart, S.Zero),
        "every sample of the tail repels those of other tail classes",
        inside,
    )
    ratio = tidy(forces.together / (m * forces.apart))
    bound = Symbol("e_", positive=True)
    # per push of the tail, which is positive, and with one exponential in a term: floats keep the
    # sign at small temperatures
    pull, push = (
        Add(*(powsimp(p) for p in Add.make_args((part * exp(-1 / tau)).expand())))
        for part in fraction(tidy(among / across * 2 * K * e / (K - 1)))
    )
    root = argmin((pull / push - 1).xreplace({e: bound}), bound, S.Zero, S.One)
    many = _many(rise, forces, proof)
    return {
        "cosine_tail": Quantity(
            -root,
            r"\cos(\mu_h, \mu_t)",
            "cosine of a head class and one class of m samples that replaces the tail",
        ),
        "force": Quantity(
            ratio.xreplace({e: root}),
            r"T/(m B)",
            "ratio of the force that merges the tail to the force that splits it",
        ),
        "merged": Quantity(
            ge(ratio.xreplace({e: root}), 1),
            r"\mathrm{merged}",
            "whether all tail classes share one prototype",
        ),
        "force_many": Quantity(
            many,
            r"\lim_{L\to\infty} T/(m B)",
            "limit of that ratio for many samples per head class; if it exceeds 1, the tail merges",
        ),
    }


def _many(rise: Expr, forces: Forces, proof: Derivation) -> Expr:
    """The ratio of the forces for large head classes, where the lean is y m/L."""
    y, large, tail = (Symbol(s, positive=True) for s in ("y", "L", "m"))
    domain = Domain(
        {K: HEADS, tau: POSITIVE, y: POSITIVE, tail: POSITIVE, large: POSITIVE},
        {K: 3, tau: S.One, y: S.One, tail: 4, large: 100},
    )

    def far(name: str, expression: Expr) -> Expr:
        put = expression.xreplace({L: large, m: tail}).xreplace({e: y * tail / large})
        return take_limit(name, put, large, oo, domain, proof)

    slope = far("slope_far", L * rise)
    ratio = far("force_far", forces.together / (m * forces.apart))
    lean = tidy(solve_linear(slope, y))
    many = tidy(ratio.xreplace({y: lean}))
    two = tidy(many.xreplace({K: Integer(2)}))
    proof.holds(
        "With two sufficiently large head classes the tail shares one prototype, at "
        "every temperature",
        gt(two, S.One),
        "for K = 2 the limit of T/(m B) is larger than 1",
        domain.restricted([tau]),
    )
    return many


KEYWORDS = "long-tailed, imbalanced classes, imbalance"
RESULT = Result(
    "tail-collapse",
    title="When all small classes share one prototype beside K large ones in SupCon",
    source="beyond the papers; the loss is that of vock2026unified, Section 3.8",
    domain=DOMAIN,
    build=build,
    subject=Symmetric(loss=HARD_SUPCON, structure=seen(K * L + m)),
    meanings=MEANINGS,
)
