"""When classes share a prototype, for all sizes at once.

Put one class of m points in the place of some classes M that have m points together, and let G be
the optimum then. Is it optimal for the classes of M as well, all at that point? Denominators do not
tell classes at one point apart, so between a class of l points in M and another class k the loss
has the slope l a_k, and between two classes of M it has B l l'. A certificate S has these off its
diagonal and is zero on the prototypes, which leaves no choice of its diagonal: on the classes of M
it is what (T - m B) I + B J is on m points, T = - sum a_k cos_k being the force per point that the
others press them together with. Contrasts of M meet nothing else in S, and on everything else S is
the certificate of the smaller problem. So all depends on the sign of T - m B, and how the m points
are split into classes does not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from sympy import Expr, Ge, Rational, S, Symbol, Tuple

from ..decide.calculus import derivative
from ..decide.domain import POSITIVE, Domain, Range, at_least
from ..decide.present import tidy
from ..frozen import Frozen
from ..losses.softmax import SoftmaxLoss
from ..proof.derivation import Derivation
from ..proof.lemmas import CERTIFICATE, CONVEX_LSE, Lemma
from ..proof.relations import Iff, eq, ge, gt, lt
from ..proof.same_sign import SameSign
from ..structures.configuration import Configuration, Pairs, joined
from ..structures.scheme import complete
from .blocks import ReducedOnOrbits, state_reduction
from .condition import without_positive_factors
from .program import entry
from .segment_facts import with_reals
from .threshold import Criterion


def size(name: str) -> Symbol:
    """A number of points."""
    return Symbol(name, integer=True, positive=True)


#: Points in the largest class, and in all others together.
l1, r = size("l1"), size("r")
MEANINGS = {
    l1: "samples in the largest class",
    r: "samples in all other classes together, which are two or more",
}
#: Classes i, j and o of M, and two others.
SIZES = {name: size(f"l_{name}") for name in "ijokh"}
li, lj, lo = (SIZES[name] for name in "ijo")

TWO = "a class has two samples or more: one that is alone has no positive"
SMALL = "there are two smaller classes or more, of two samples or more"
#: Where the law is meant: one class against at least two others.
LAW = {l1: at_least(2, TWO), r: at_least(4, SMALL)}
#: The largest class has more than half of all points.
MAJORITY = {
    r: at_least(4, SMALL),
    l1: Range(r + 1, S.Infinity, False, True, True, "merging takes more than half of all samples"),
}

POINTS = Lemma(
    "classes are points",
    statement=r"Let the loss of an anchor decrease with the inner product within its class, which "
    r"occurs in the terms of no other anchors. Then every class of two or more collapses to one "
    r"point at every optimum.",
    proof=r"Average an optimum over exchanges within a class: by convexity that is an optimum, "
    r"and the inner products within the class are one number $g$. Put $1$ in its place and keep "
    r"all others. On contrasts within the class the eigenvalue $1 - g \ge 0$ becomes $0$; else "
    r"only the entry of the mean of the class on the diagonal changes, and it grows. So the "
    r"matrix stays positive semidefinite, and the loss falls unless $g = 1$.",
)
ROWS = Lemma(
    "rows with a fixed entry",
    statement=r"Let $\mathcal{L}$ be a sum, with positive weights, of logarithms of sums of "
    r"exponentials of the inner products of an anchor with all others, and of linear functions. "
    r"If at every optimum each anchor has the inner product $1$ with another vector, the same "
    r"one, there is only one optimal Gram matrix.",
    proof=(
        CONVEX_LSE
        + r"So rows of two optima differ by constants, and the entry $1$ makes these zero."
    ),
)
SAME_POINT = Lemma(
    "the same point",
    statement=r"What holds for the derivatives at classes with one prototype and one or two other "
    r"classes holds for any number of other classes.",
    proof=r"Further classes add the same terms to the sums on both sides; and as $e^{u^\top "
    r"v/\tau}$ is the same for all samples $v$ at one point, denominators of others do not tell "
    r"classes at one point apart.",
)
SHARED = Lemma(
    "shared prototype",
    statement=r"Let classes of $m$ points together be at one point, and let the loss be least for "
    r"one class of $m$ points in their place. It is least for these classes iff the form $(T - m "
    r"B) I + B J$ on $m$ points is positive semidefinite on sums of one number per class, where "
    r"$J$ is the matrix of ones, $T$ the force per point with which the others press them "
    r"together, and $B$ that with which each of their points drives another away.",
    proof=r"A certificate $S$ has the derivatives off its diagonal, and $S G = 0$ gives the "
    r"diagonal: between classes of $l$ and $l'$ points here it is $B l l'$, and "
    r"$(T - m B) l + B l^2$ on the diagonal, which is the form with a class of $l$ being $l$ "
    r"of the points. Entries between a class of $l$ points and another class are proportional to "
    r"$l$, so contrasts of these classes meet nothing else; and on all else $S$ is the "
    r"certificate with one class in their place.",
)


def classes(sizes: Mapping[str, Expr]) -> Configuration:
    """Classes by name, one of each size."""
    parts = {name: complete(count, "same_class", "samples") for name, count in sizes.items()}
    return joined(parts, "cross_class")


def points(
    configuration: Configuration, cosine: Callable[[Pairs], Expr] | None = None
) -> dict[Symbol, Expr]:
    """The inner products where each orbit is a point, given the cosines of two of them."""
    return {
        entry(p.name): S.One
        if p.left == p.right
        else Symbol(f"cos_{p.left}_{p.right}", real=True)
        if cosine is None
        else cosine(p)
        for p in configuration.relations
    }


def between(one: str, other: str, configuration: Configuration) -> str:
    """The relation of two orbits."""
    return next(p.name for p in configuration.relations if {p.left, p.right} == {one, other})


class Forces(Frozen):
    """What acts on a point of classes i and j that share a prototype.

    Attributes
    ----------
    together
        T, the force with which the other classes press them together.
    apart
        B, the force with which each other point of them drives it away.
    points
        m, how many points share the prototype.
    """

    together: Expr
    apart: Expr
    points: Expr

    @classmethod
    def at(cls, reduced: ReducedOnOrbits, inner: Mapping[Symbol, Expr], points: Expr) -> Forces:
        """Those of classes i and j, which have so many points together, at inner products."""
        configuration = reduced.configuration
        slopes = {p: reduced.function.slopes[p.name] for p in configuration.relations}
        pair = between("i", "j", configuration)
        together = S.Zero
        for p, slope in slopes.items():
            if "i" in (p.left, p.right) and p.left != p.right and p.name != pair:
                together -= slope.xreplace(inner) * entry(p.name).xreplace(inner) / li
        apart = reduced.function.slopes[pair].xreplace(inner) / (li * lj)
        whole = {li: points - lj}
        return cls(tidy(together.xreplace(whole)), tidy(apart.xreplace(whole)), points)

    @property
    def gap(self) -> Expr:
        """T - m B, which is not negative iff the classes stay together."""
        return self.together - self.points * self.apart


def state_coarsening(loss: SoftmaxLoss, proof: Derivation) -> None:
    """Record when classes share a prototype, for all sizes, temperatures and other classes.

    Raises
    ------
    StepFailed
        If a step is not proved: the loss may tell classes apart in other ways than SupCon.
    """
    tau = loss.temperature
    domain = Domain(
        {**{s: at_least(2, TWO) for s in SIZES.values()}, tau: POSITIVE},
        {**dict(zip(SIZES.values(), (2, 3, 2, 7, 4), strict=True)), tau: Rational(1, 2)},
    )
    reduced = ReducedOnOrbits(loss, classes(SIZES))
    state_reduction(reduced, domain, proof)
    state_points(reduced, domain, proof)
    _state_slopes(reduced, "ijo", domain, proof)
    few = {name: SIZES[name] for name in "ijk"}
    _state_slopes(ReducedOnOrbits(loss, classes(few)), "ij", domain, proof)
    m = size("m")
    together, apart = (Symbol(s, real=True) for s in ("T", "B"))
    matrix = {"self": together - m * apart + apart, "points": apart}
    scheme = complete(m, "points", "contrasts")
    proof.holds(
        "Eigenvalues of the certificate on the points at a shared prototype: on their "
        "mean, and on contrasts between the classes that share it",
        [eq("theta_mean", together), eq("theta_contrasts", together - m * apart)],
        SHARED,
        with_reals(Domain({m: at_least(4)}, {m: 5}), (together, apart)),
        names={Symbol(f"theta_{e}"): v for e, v in scheme.eigenvalues(matrix).items()},
    )


def merging(loss: SoftmaxLoss, proof: Derivation) -> tuple[Criterion, Expr]:
    """Find when all classes but the largest share a prototype, and the loss there.

    Raises
    ------
    StepFailed
        If a step is not proved.
    """
    tau = loss.temperature
    state_coarsening(loss, proof)
    law = Domain({**LAW, tau: POSITIVE}, {l1: 7, r: 4, tau: Rational(1, 2)})
    two = ReducedOnOrbits(loss, classes({"1": l1, "M": r}))
    at = _at_one_point(two.configuration, {"M"})
    proof.holds(
        "Two classes are opposite to each other: the derivative in their cosine is positive",
        gt(two.function.slopes["cross_class_1_M"].xreplace(at), S.Zero),
        "the loss increases with the cosine, so the optimal cosine is -1",
        with_reals(law, [g for g in at.values() if g.is_Symbol]),
    )
    three = ReducedOnOrbits(loss, classes({"1": l1, "i": li, "j": lj}))
    forces = Forces.at(three, apart_from("1", three.configuration), r)
    parts = law.with_range(lj, Range(S(2), r - 2, False, False, True), 2)
    shown = (forces.together, forces.apart)
    proof.holds(
        "The force T that merges the smaller classes, the largest being opposite, and "
        "the force B that splits them",
        [eq("T", forces.together), eq("B", forces.apart)],
        "both are derivatives of the loss per sample, and do not depend on how the "
        "samples are split into classes",
        parts,
        names=dict(zip((Symbol("T"), Symbol("B")), _as_found(three, forces), strict=True)),
    )
    proof.holds(
        "T is positive, so the sign of the eigenvalue on contrasts decides",
        gt(shown[0], S.Zero),
        "T is the eigenvalue of the certificate on the mean",
        law,
    )
    condition, over = without_positive_factors(forces.gap, law)
    proof.add(
        "All classes but the largest share one prototype, opposite to it, iff this is not negative",
        SameSign(
            Iff(ge("theta_contrasts", 0), ge(condition, 0)),
            law,
            over,
            names={Symbol("theta_contrasts"): forces.gap},
            lemma=CERTIFICATE,
        ),
        "it is the eigenvalue T - r B on contrasts up to a positive factor",
    )
    criterion = Criterion(
        "all classes but the largest share one prototype", Ge(condition, 0, evaluate=False)
    )
    least = tidy(two.function.value.xreplace(apart_from("1", two.configuration)))
    return criterion, least


def apart_from(one: str, configuration: Configuration) -> dict[Symbol, Expr]:
    """The inner products where one orbit is opposite to all others, which are at one point."""
    return points(configuration, lambda p: S.NegativeOne if one in (p.left, p.right) else S.One)


def _as_found(reduced: ReducedOnOrbits, forces: Forces) -> tuple[Expr, Expr]:
    """The forces on a point of the two classes, with the size of one of them in it."""
    inner = apart_from("1", reduced.configuration)
    slopes = reduced.function.slopes
    whole = {li: forces.points - lj}
    return (
        (slopes["cross_class_1_j"] / lj).xreplace(inner).xreplace(whole),
        (slopes["cross_class_i_j"] / (li * lj)).xreplace(inner).xreplace(whole),
    )


def state_points(reduced: ReducedOnOrbits, domain: Domain, proof: Derivation) -> None:
    """Record that each class is a point at every optimum, and that there is only one."""
    g = {p.name: entry(p.name) for p in reduced.configuration.relations}
    orbit = reduced.configuration.orbits[0].name
    _, row = reduced.rows[0]
    slope = derivative(row.value(g), g[f"same_class_{orbit}"])
    proof.holds(
        "The loss of an anchor decreases with the inner product within its class, so "
        "every class collapses to a point",
        lt(slope, S.Zero),
        POINTS,
        with_reals(domain, g.values()),
    )
    weights = [w for _, one in reduced.rows for w in one.denominators.values()]
    parts = [part for part, _ in reduced.rows]
    proof.holds(
        "The optimal Gram matrix is unique",
        Tuple(*(gt(e, S.Zero) for e in (*parts, *weights))),
        ROWS,
        domain,
    )


def _state_slopes(
    reduced: ReducedOnOrbits, shared: Iterable[str], domain: Domain, proof: Derivation
) -> None:
    """Record the slopes at classes of one prototype, beside those with one class in their place."""
    configuration = reduced.configuration
    together = set(shared)
    others = [o.name for o in configuration.orbits if o.name not in together]
    m = sum((SIZES[name] for name in sorted(together)), S.Zero)
    coarse = ReducedOnOrbits(reduced.loss, classes({"M": m, **{k: SIZES[k] for k in others}}))
    at = _at_one_point(configuration, together)
    slopes = reduced.function.slopes
    found = {
        Symbol(f"a_{i}_{k}"): slopes[between(i, k, configuration)].xreplace(at)
        for i, k in (("i", "k"), ("j", "k"), ("i", "j"))
    }
    whole = coarse.function.slopes[between("M", "k", coarse.configuration)].xreplace(
        _at_one_point(coarse.configuration, {"M"})
    )
    per_pair = (slopes[between("i", "j", configuration)] / (li * lj)).xreplace(at)
    total = tidy(
        per_pair.xreplace({li: size("m") - sum((SIZES[k] for k in together - {"i"}), S.Zero)})
    )
    free = [s for s in at.values() if s.is_Symbol]
    used = {SIZES[o.name] for o in configuration.orbits}
    proof.holds(
        f"Derivatives in the inner products of classes {', '.join(sorted(together))} "
        "at one point, compared with those of one class M in their place",
        [
            eq("a_i_k", li / m * whole),
            eq("a_j_k", lj / m * whole),
            eq("a_i_j", li * lj * total.xreplace({size("m"): m})),
        ],
        SAME_POINT,
        with_reals(domain.restricted([*used, reduced.loss.temperature]), set(free)),
        names=found,
    )


def _at_one_point(configuration: Configuration, together: set[str]) -> dict[Symbol, Expr]:
    """Inner products where some orbits are at one point M, and each is a point."""
    found: dict[Symbol, Expr] = {}
    for p in configuration.relations:
        ends = ["M" if e in together else e for e in (p.left, p.right)]
        same = ends[0] == ends[1]
        name = "_".join(sorted(ends, key=lambda e: (e != "M", e)))
        found[entry(p.name)] = S.One if same else Symbol(f"cos_{name}", real=True)
    return found
