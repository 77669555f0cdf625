"""Pairs of two modalities, for any number of them: the form of the Laplacian, and sampling."""

from __future__ import annotations

from sympy import IndexedBase, S, Sum, Symbol, log

from ...decide.domain import POSITIVE, Domain, Range, at_least
from ...proof.derivation import Derivation
from ...proof.indexed import SumsEqual
from ...proof.relations import eq, ge, gt
from ...proof.statement import Lemma

#: Objects, those of A and of B, and pairs.
n = Symbol("n", integer=True, positive=True)
n_A = Symbol("n_A", integer=True, positive=True)
n_B = Symbol("n_B", integer=True, positive=True)
M = Symbol("M", integer=True, positive=True)
i, j = (Symbol(s, integer=True, positive=True) for s in ("i", "j"))
s = Symbol("s", real=True)
#: Weights, degrees; any vectors, losses of anchors.
P = IndexedBase("P", nonnegative=True)
deg = IndexedBase("D", positive=True)
x, v, loss = (IndexedBase(name, real=True) for name in ("x", "v", "ell"))

LINE = Range(S.NegativeInfinity)
OBJECTS = Domain({n: at_least(2), M: at_least(1)}, {n: 4, M: 3})
BOTH = Domain({n_A: at_least(1), n_B: at_least(1), M: at_least(1)}, {n_A: 3, n_B: 2, M: 4})
ROWS = {Sum(P[i, j], (j, 1, n)): S.One}
#: Every pair has an end in A and one in B.
PAIRED = {Sum(deg[i], (i, 1, n)): 2 * M}
EXTREMAL = Lemma(
    "largest degree",
    "if what comes in is 1 at every object, all objects of a component have one degree",
    "an object with the largest degree D has D partners, each with a share of 1/D at least, and "
    "they add up to 1: so each partner has the degree D, and so on along the pairs",
)


# --- the Laplacian -----------------------------------------------------------------------------
def state_form(proof: Derivation) -> None:
    """When the form of the Laplacian is never negative: iff weights are symmetric."""
    both = ((j, 1, n), (i, 1, n))
    form = Sum(x[i] ** 2, (i, 1, n)) - Sum(P[i, j] * x[i] * x[j], *both)
    squares = Sum(P[i, j] * (x[i] - x[j]) ** 2, *both) / 2
    excess = Sum(P[j, i] * x[i] ** 2, *both) - Sum(x[i] ** 2, (i, 1, n))
    proof.add(
        "The form of the Laplacian I - P, where rows of P add up to 1",
        SumsEqual(eq(form, squares - excess / 2), OBJECTS, known=ROWS),
        "each row adds up to 1; it is >= 0 if columns add up to 1 as well: then it is a sum "
        "of squares",
    )
    turned = Sum(P[j, i] * v[i], *both)
    along = form.xreplace({x[i]: 1 + s * v[i], x[j]: 1 + s * v[j]})
    bent = form.xreplace({x[i]: v[i], x[j]: v[j]})
    proof.add(
        "The form along 1 + s v, for any vector v",
        SumsEqual(
            eq("along", s * (Sum(v[i], (i, 1, n)) - turned) + s**2 * bent),
            OBJECTS.with_range(s, LINE, S.One),
            names={Symbol("along"): along},
            known=ROWS,
        ),
        "1 being the vector of ones. The derivative at s = 0 adds up v_i minus v_i times the "
        "weight that enters i. With that weight minus 1 for v_i this is minus a sum of squares: so "
        "the form is negative somewhere unless the weight that enters is 1 at every object",
    )
    degree = Symbol("D", integer=True, positive=True)
    proof.equal(
        "An object with as many pairs as its partners",
        {"comes_in": (degree * (1 / degree), 1)},
        f"D partners with the weight 1/D each. Conversely, {EXTREMAL.says}: {EXTREMAL.source}. So "
        "the Laplacian is positive semidefinite iff it is symmetric, and that is iff all objects "
        "of a component have as many pairs each; then it has as many of A as of B",
        Domain({degree: at_least(1)}, {degree: 2}),
    )
    images, at = Symbol("k", integer=True, positive=True), Symbol("t", real=True)
    star = at * (at - 1) + images * (1 - at)
    images_from = Domain({images: at_least(2), at: LINE}, {images: 2, at: 1})
    proof.equal(
        "k objects of A, all paired with the one of B: the form at 1 for A and t for B",
        {
            "star": (star, (at - 1) * (at - images)),
            "least": (star.xreplace({at: (images + 1) / 2}), -((images - 1) ** 2) / S(4)),
        },
        "the one of B has t - 1 for its mean gap, the others 1 - t; least at t = (k + 1)/2. Two "
        "pairs are the fewest: one pair is symmetric",
        images_from,
        also=[gt((images - 1) ** 2 / S(4), 0)],
    )


# --- sampling ------------------------------------------------------------------------------------
def state_sampling(proof: Derivation) -> None:
    """How uniform sampling of pairs differs from that of objects."""
    degree = Symbol("D", positive=True)
    mean = 2 * M / n
    proof.equal(
        "A directed edge out of an object with D pairs, drawn either way",
        {
            "gap_of_edges": (
                degree * (1 / (2 * M) - 1 / (n * degree)),
                (degree / Symbol("mean") - 1) / n,
            ),
            "mean": (mean, 2 * M / n),
        },
        "a pair and one of its two directions: 1/(2M); an object and one of its pairs: 1/(n D). "
        "The D edges differ alike, so what they differ by adds up; mean is the mean degree",
        OBJECTS.with_range(degree, POSITIVE, S.One),
    )
    gap = deg[i] / (2 * M) - 1 / n
    proof.add(
        "Both are distributions, degrees adding up to 2M",
        SumsEqual(eq(Sum(gap, (i, 1, n)), S.Zero), OBJECTS, known=PAIRED),
        "the total variation is half the sum of |D_i n/(2M) - 1| over n",
    )
    u = IndexedBase("u", nonnegative=True)
    average = Sum(u[i], (i, 1, n)) / n
    proof.add(
        "The mean of squares less the square of the mean, for any numbers u",
        SumsEqual(
            eq(
                Sum(u[i] ** 2, (i, 1, n)) / n - average**2,
                Sum((u[i] - average) ** 2, (i, 1, n)) / n,
            ),
            OBJECTS,
        ),
        "with u_i = |D_i n/(2M) - 1|: the total variation is half the mean of u, so at most half "
        "the root of the mean of u^2, the coefficient of variation of all degrees; equal "
        "iff all u are",
    )
    proof.add(
        "The mean of u^2",
        SumsEqual(
            eq(
                Sum((deg[i] / mean - 1) ** 2, (i, 1, n)) / n,
                (Sum(deg[i] ** 2, (i, 1, n)) / n - mean**2) / mean**2,
            ),
            OBJECTS,
            known=PAIRED,
        ),
        "the variance of degrees over the square of their mean",
    )
    state_modalities(proof)


def state_modalities(proof: Derivation) -> None:
    """What the numbers of objects say of it."""
    whole = n_A + n_B
    of_A = Sum(deg[i] / (2 * M) - 1 / whole, (i, 1, n_A))
    proof.add(
        "What A has more as anchors, if pairs are drawn; its degrees add up to M",
        SumsEqual(eq(of_A, (n_B - n_A) / (2 * whole)), BOTH, known={Sum(deg[i], (i, 1, n_A)): M}),
        "pairs give a half to each modality. B has as much less, so the total variation is at "
        "least |n_A - n_B|/(2(n_A + n_B)), with equality iff no two objects of a modality lie on "
        "different sides of the mean degree: such as if degrees do not vary within A, nor within B",
    )
    mean = 2 * M / whole
    proof.equal(
        "Degrees that do not vary within A: M/n_A each",
        {
            "gap_of_A": (n_A * ((M / n_A) / mean - 1) / whole, (n_B - n_A) / (2 * whole)),
            "degrees_less": (M / n_A - M / n_B, M * (n_B - n_A) / (n_A * n_B)),
        },
        "together they differ by this, and those of B by as much the other way; a degree in B "
        "is less by M/n_A - M/n_B. So the total variation is zero iff all degrees are "
        "equal, and then n_A = n_B; that degrees vary in neither modality is not enough",
        BOTH,
    )


def state_expected_loss(proof: Derivation) -> None:
    """The expected loss under both."""
    by_edges = Sum(deg[i] * loss[i], (i, 1, n)) / (2 * M)
    by_objects = Sum(loss[i], (i, 1, n)) / n
    mean = 2 * M / n
    proof.add(
        "The expected loss if pairs are drawn, less that if objects are",
        SumsEqual(
            eq("difference", (Sum(deg[i] * loss[i], (i, 1, n)) / n - mean * by_objects) / mean),
            OBJECTS,
            names={Symbol("difference"): by_edges - by_objects},
            known=PAIRED,
        ),
        "ell_i is the mean loss of anchor i over its pairs. It is the covariance of degree and "
        "loss over the mean degree. As both are distributions, any number may be taken off all "
        "ell_i: with their middle, the difference is at most the total variation times their range",
    )


def state_batch(proof: Derivation) -> None:
    """A batch of all pairs, as CLIP has it, where an object stands once for each of its pairs."""
    kernel = IndexedBase("K", positive=True)
    one, total = (Symbol(name, positive=True) for name in ("kappa", "R"))
    weighted = Sum(deg[j] * kernel[j], (j, 1, n))
    plain = Sum(kernel[j], (j, 1, n))
    proof.add(
        "A batch of all pairs: an anchor's loss less that with every object once",
        SumsEqual(
            eq("more", log(Sum(kernel[j] / plain * deg[j], (j, 1, n)))),
            OBJECTS,
            names={Symbol("more"): -log(one / weighted) + log(one / plain)},
        ),
        "an object is a candidate as often as it has pairs; the difference is the logarithm of the "
        "mean degree of the candidates under the softmax, >= 0 and zero iff all degrees there "
        "are 1. Copies of the positive are false negatives",
    )
    copies = Symbol("D", integer=True, positive=True)
    proof.equal(
        "With D copies of the positive the loss is at least log D",
        {"above": ((copies * one + total) / one - copies, total / one)},
        "the loss is log(D + R/kappa), kappa being the kernel of the positive and R the rest of "
        "the denominator",
        Domain(
            {copies: at_least(1), total: POSITIVE, one: POSITIVE}, {copies: 1, total: 1, one: 1}
        ),
        also=[ge("above", 0)],
    )
