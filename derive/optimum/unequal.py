"""Classes of unequal size where the temperature goes to 0 or to oo, and when they form a simplex.

Each class is a point. The slope of the loss in the cosine of two of them says how much they push
each other, and what is optimal is told from these slopes:

* at the simplex a certificate is a multiple of the matrix of ones, as its null space is that of
  the simplex; so it is optimal iff all pairs push alike, and pairs of unequal classes do not;
* as tau goes to 0 what is left of the loss is a sum of exponentials, whose least value on the
  tangent of the simplex is a mean of logarithms;
* as tau goes to oo the points balance, and among all that do those win whose cosines have the
  least mean square: each cosine is then a sum of one number per class.
"""

from __future__ import annotations

from sympy import Expr, Gt, Rational, S, Symbol, exp, factor, oo

from ..decide.calculus import derivative
from ..decide.domain import POSITIVE, Domain, Range, at_least, between
from ..decide.present import solve_linear, tidy
from ..losses.softmax import SoftmaxLoss
from ..proof.derivation import Derivation
from ..proof.lemmas import Lemma
from ..proof.limiting import take_limit
from ..proof.relations import Iff, eq, ge, gt, lt
from ..proof.same_sign import SameSign
from .blocks import ReducedOnOrbits, state_reduction
from .condition import without_positive_factors
from .merging import SIZES, TWO, classes, points, state_points
from .merging import between as between_orbits
from .program import entry
from .segment_facts import with_reals

C = Symbol("C", integer=True, positive=True)
#: Three classes, and the rest.
li, lj, lk, lh = (SIZES[name] for name in "ijkh")
#: Shares of two classes in all samples, and the sum over classes of q^2/(1 - 2 q).
q, q_other, Q = (Symbol(s, positive=True) for s in ("q_i", "q_j", "Q"))

SIMPLEX = Lemma(
    "certificate of the simplex",
    statement=r"The simplex is optimal for collapsed classes iff the derivatives of the loss in "
    r"all their cosines agree.",
    proof=r"A certificate $S$ has these derivatives off its diagonal, and $S G = 0$. The Gram "
    r"matrix $G$ of the simplex vanishes on multiples of the vector of ones only, so $S$ is a "
    r"multiple of the matrix of ones.",
)
COLD = Lemma(
    "cold",
    statement=r"Let $C$ classes be points with the cosines $-1/(C-1) + \tau b_{ij}$. As $\tau \to "
    r"0$ the loss, less what it is with no other class, times $n e^{C/((C-1)\tau)}$, goes to the "
    r"sum over pairs of $w_{ij} e^{b_{ij}}$; and at the optimum $b_{ij}$ goes to the mean of "
    r"$\log w$ over all pairs less $\log w_{ij}$.",
    proof=r"The sum of the entries of a Gram matrix is not negative, so neither is that of $b$. "
    r"The mean of $\log w + b$ is at most the logarithm of the mean of $w e^b$, with equality iff "
    r"$w e^b$ is the same for all pairs; so with a sum $\ge 0$ it is least where that is so and "
    r"the sum is zero. With this sum the matrix is positive semidefinite but for terms of order "
    r"$\tau^2$.",
)
HOT = Lemma(
    "hot",
    statement=r"Let classes of $l_c$ samples, $n$ together, be points $\mu_c$. Up to constants "
    r"the loss is $\|\sum_c l_c \mu_c\|^2/(n (n-1) \tau)$ to first order in $1/\tau$, and where "
    r"that is zero the next term is the sum of $l_c l_{c'} \cos^2(\mu_c, \mu_{c'})$ over $2 n "
    r"(n-1) \tau^2$. As $\tau \to \infty$ the optimum goes to the least of the latter where "
    r"$\sum_c l_c \mu_c = 0$, if that can be.",
    proof=r"Minimisers of $F_1 + s F_2 + O(s^2)$ go, as $s \to 0$, to those of $F_1$ with the "
    r"least $F_2$, and the sum of squares is strictly convex.",
)
SUMS = Lemma(
    "sums of one number per class",
    statement=r"Let $g_{cc'}$ be the cosine of $\mu_c$ and $\mu_{c'}$. If $g_{cc'} = f_c + "
    r"f_{c'}$ for all $c \ne c'$, and $\sum_c l_c \mu_c = 0$, then no Gram matrix with this sum "
    r"zero has a smaller sum of $l_c l_{c'} g_{cc'}^2$.",
    proof=r"The multipliers of $\operatorname{diag} G = 1$ and of $G l = 0$ are a diagonal matrix "
    r"and $l z^\top + z l^\top$. With $z_c = l_c f_c$ these make up the gradient $l_c l_{c'} "
    r"g_{cc'}$, so the certificate is zero.",
)


def others(loss: SoftmaxLoss) -> tuple[tuple[ReducedOnOrbits, Domain], ...]:
    """Three classes and a rest that stands for any number of others; and three alone."""
    sizes = {s: at_least(2, TWO) for s in (li, lj, lk, lh)}
    domain = Domain(
        {**sizes, C: at_least(4), loss.temperature: POSITIVE},
        {li: 4, lj: 3, lk: 2, lh: 5, C: 4, loss.temperature: Rational(1, 2)},
    )
    four = ReducedOnOrbits(loss, classes({k: SIZES[k] for k in "ijkh"}))
    three = ReducedOnOrbits(loss, classes({k: SIZES[k] for k in "ijk"}))
    return (four, domain), (three, domain.restricted([li, lj, lk, loss.temperature]))


def state_sizes(loss: SoftmaxLoss, proof: Derivation) -> None:
    """Record the loss on four classes that stand for any number, each of which is a point."""
    reduced, domain = others(loss)[0]
    inside = domain.restricted([li, lj, lk, lh, loss.temperature])
    state_reduction(reduced, inside, proof)
    state_points(reduced, inside, proof)


def state_simplex(loss: SoftmaxLoss, proof: Derivation) -> Expr:
    """Record that classes of unequal size form no simplex; returns how unlike pairs push.

    Raises
    ------
    StepFailed
        If a step is not proved.
    """
    found = []
    for reduced, domain in others(loss):
        count = C if C in domain.ranges else S(3)
        inner = points(reduced.configuration, lambda p, k=count: -1 / (k - 1))  # type: ignore[misc]
        slopes = reduced.function.slopes
        a_ij, a_jk = (slopes[f"cross_class_{pair}"].xreplace(inner) for pair in ("i_j", "j_k"))
        unlike = tidy((a_ij - a_jk) / (li - lk))
        larger = domain.with_range(li, Range(lj, oo, False, True, True), 4)
        proof.holds(
            f"At the simplex of {'C' if count is C else 3} classes, two classes of "
            "different sizes repel a third with different forces",
            eq("a_ij - a_kj", (li - lk) * unlike),
            SIMPLEX,
            larger.with_range(lk, Range(S(2), li - 1, False, False, True), 2),
            names={Symbol("a_ij - a_kj"): a_ij - a_jk},
        )
        proof.holds(
            "The larger of the two classes repels the third more, unless the third is larger still",
            gt(unlike, S.Zero),
            "take i as the largest class and k as the smallest: the derivatives differ at "
            "every temperature, so the simplex is not optimal",
            larger,
        )
        found.append(unlike)
    return found[0]


def state_cold(loss: SoftmaxLoss, proof: Derivation) -> tuple[Expr, Gt]:
    """Record the limit as tau goes to 0: the weight of a pair, and which class is farther off.

    Raises
    ------
    StepFailed
        If a step is not proved.
    """
    tau = loss.temperature
    own = Symbol("b_i_j", real=True)
    limits = []
    for reduced, domain in others(loss):
        count = C if C in domain.ranges else S(3)
        inner = {entry(p.name): S.One for p in reduced.configuration.relations}
        b = []
        for p in reduced.configuration.relations:
            if p.left != p.right:
                b.append(Symbol(f"b_{p.left}_{p.right}", real=True))
                inner[entry(p.name)] = -1 / (count - 1) + tau * b[-1]
        slope = reduced.function.slopes["cross_class_i_j"].xreplace(inner)
        scale = reduced.configuration.size * tau * exp(count / ((count - 1) * tau))
        inside = with_reals(domain, b)
        limits.append(take_limit("omega", scale * slope, tau, S.Zero, inside, proof))
    pushed = limits[0]
    proof.holds(
        "The limit is the same for three classes and for more",
        eq(limits[1], pushed),
        "the limit does not contain the number of classes or the sizes of other classes",
        with_reals(domain, [own]),
    )
    weight = tidy(pushed * exp(-own))
    symbol = Symbol("w_ij", positive=True)
    proof.holds(
        "The weight w_ij of a pair of classes in the limit tau -> 0",
        eq(symbol, weight),
        COLD,
        domain.restricted([li, lj]),
        names={symbol: pushed.xreplace({own: S.Zero})},
    )
    gap = weight.xreplace({lj: lk}) - weight.xreplace({li: lj, lj: lk})
    sizes = domain.restricted([li, lj, lk]).with_range(li, Range(lj + 1, oo, False, True, True), 4)
    condition, over = without_positive_factors(gap, sizes)
    proof.add(
        "To first order in tau the larger of two classes is at least as far from a "
        "third iff this is not negative",
        SameSign(
            Iff(ge("weight_gap", 0), ge(condition, 0)),
            sizes,
            over,
            names={Symbol("weight_gap"): gap},
        ),
        "it is the difference of the two weights up to a positive factor",
    )
    _state_closest(weight, domain, proof)
    return weight, Gt(condition, 0, evaluate=False)


def _state_closest(weight: Expr, domain: Domain, proof: Derivation) -> None:
    """Record that the two smallest classes have the least weight."""
    above = Range(lk, oo, False, True, True)
    sorted_ = domain.restricted([li, lj, lk]).with_range(lj, above, 3)
    sorted_ = sorted_.with_range(li, Range(lj, oo, False, True, True), 4)
    two = weight.xreplace({li: lj, lj: lk})
    proof.holds(
        "Among three classes the two smallest have the least weight: no pair is closer to first "
        "order",
        [ge(weight - two, S.Zero), ge(weight.xreplace({lj: lk}) - two, S.Zero)],
        "for more classes, replace one class of a pair at a time by a smaller one",
        sorted_,
    )


def _state_orders(loss: SoftmaxLoss, proof: Derivation) -> None:
    """Record the first two orders of the loss in s = 1/tau, for classes that are points."""
    reduced, domain = others(loss)[0]
    configuration = reduced.configuration
    names = [o.name for o in configuration.orbits]
    inner = points(configuration)
    s = Symbol("s", positive=True)
    rate = reduced.function.value.xreplace(inner).xreplace({loss.temperature: 1 / s})
    cosine = {
        (a, b): inner[entry(between_orbits(a, b, configuration))] if a != b else S.One
        for a in names
        for b in names
    }
    size = {a: SIZES[a] for a in names}
    n = configuration.size
    first, second = S.Zero, S.Zero
    for a in names:
        means = [
            (sum((size[b] * cosine[a, b] ** k for b in names), S.Zero) - 1) / (n - 1)
            for k in (1, 2)
        ]
        first += size[a] / n * (means[0] - 1)
        second += size[a] / n * (means[1] - means[0] ** 2)
    slopes = [derivative(rate, s)]
    slopes.append(derivative(slopes[0], s))
    proof.holds(
        "The loss to second order in one over the temperature: means and variances of cosines",
        [eq("F_1", first), eq("F_2", second)],
        HOT,
        with_reals(domain.restricted([li, lj, lk, lh]), [g for g in inner.values() if g != 1]),
        names={Symbol(f"F_{k}"): e.xreplace({s: S.Zero}) for k, e in enumerate(slopes, 1)},
    )


def _balanced_cosine() -> Expr:
    """The cosine f_c + f_c' of two classes, seen from each of which the samples balance.

    Seen from a class with the share q: q + (1 - q) f + F - q f = 0, F being the mean of all f.
    """
    h, h_other, f, mean = (Symbol(s, real=True) for s in ("h_i", "h_j", "f", "F"))
    share = solve_linear(h * (1 - 2 * q) - q, q)
    own = factor(solve_linear(share + (1 - 2 * share) * f + mean, f)).expand()
    # The shares add up to one, and each times its h to Q: so the mean of what is affine in h.
    total = solve_linear(own.coeff(h, 0) + own.coeff(h, 1) * Q - mean, mean)
    own = own.xreplace({mean: total})
    both = factor(own + own.xreplace({h: h_other}))
    return both.xreplace({h: q / (1 - 2 * q), h_other: q_other / (1 - 2 * q_other)})


def state_hot(loss: SoftmaxLoss, proof: Derivation) -> Expr:
    """Record the limit as tau goes to oo where no class has half of all samples.

    Raises
    ------
    StepFailed
        If a step is not proved.
    """
    _state_orders(loss, proof)
    cosine = _balanced_cosine()
    h = q / (1 - 2 * q)
    half = between(0, Rational(1, 2), "()")
    domain = Domain({q: half, q_other: half, Q: POSITIVE}, {q: "1/4", q_other: "1/3", Q: 2})
    proof.holds(
        "The class means, weighted by class size, add up to zero: the mean cosine of "
        "any class with all samples is zero",
        eq("balance", S.Zero),
        "the fractions q of all classes add up to 1, and their products q h to Q, "
        "where h = q/(1 - 2 q)",
        domain,
        names={Symbol("balance"): q + (1 - q) * (Q - h) / (1 + Q) - (Q - q * h) / (1 + Q)},
    )
    proof.holds(
        "In the limit the cosine of two classes decreases with the size of either",
        lt(derivative(cosine, q), S.Zero),
        "the derivative in its fraction q_i is negative; so the two smallest classes "
        "are the closest pair",
        domain,
    )
    double = cosine.xreplace({q_other: q})
    proof.holds(
        "Every cosine is a sum f_c + f_c' of one number per class, with f_c half the "
        "formula at two classes of that size",
        eq("cosine_gap", S.Zero),
        SUMS,
        domain,
        names={Symbol("cosine_gap"): cosine - (double + double.xreplace({q: q_other})) / 2},
    )
    x, mean = (Symbol(s, real=True) for s in ("x", "X"))
    # Of Q X^2 a class has h_c q_c X^2, as these add up to Q.
    adds = q**2 * (1 - double) * x**2 + (q * h * mean**2 - 2 * h * q * x * mean) / (1 + Q)
    proof.holds(
        "Contribution of one class to the quadratic form of the Gram matrix, X being "
        "the mean of all x",
        eq("part", h * q * (x - mean) ** 2 / (1 + Q)),
        "the form is a sum of squares: the matrix is positive semidefinite, vanishes "
        "on constants only, and has rank C - 1",
        with_reals(domain, (x, mean)),
        names={Symbol("part"): adds},
    )
    return cosine
