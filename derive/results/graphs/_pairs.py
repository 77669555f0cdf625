"""Pairs of two modalities, for any number of them: the form of the Laplacian, and sampling."""

from __future__ import annotations

from sympy import IndexedBase, S, Sum, Symbol, Tuple, log

from ...decide.domain import LINE, POSITIVE, Domain, at_least
from ...proof.derivation import Derivation
from ...proof.indexed import SumsEqual
from ...proof.relations import eq, gt

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

OBJECTS = Domain({n: at_least(2), M: at_least(1)}, {n: 4, M: 3})
BOTH = Domain({n_A: at_least(1), n_B: at_least(1), M: at_least(1)}, {n_A: 3, n_B: 2, M: 4})
ROWS = {Sum(P[i, j], (j, 1, n)): S.One}
#: Every pair has an end in A and one in B.
PAIRED = {Sum(deg[i], (i, 1, n)): 2 * M}


# --- the Laplacian -----------------------------------------------------------------------------
def state_form(proof: Derivation) -> None:
    """When the form of the Laplacian is never negative: iff weights are symmetric."""
    both = ((j, 1, n), (i, 1, n))
    form = Sum(x[i] ** 2, (i, 1, n)) - Sum(P[i, j] * x[i] * x[j], *both)
    squares = Sum(P[i, j] * (x[i] - x[j]) ** 2, *both) / 2
    excess = Sum(P[j, i] * x[i] ** 2, *both) - Sum(x[i] ** 2, (i, 1, n))
    proof.add(
        "The quadratic form of the Laplacian I - P, for P whose rows sum to 1",
        SumsEqual(eq(form, squares - excess / 2), OBJECTS, known=ROWS),
        "the rows of P sum to 1. If its columns do as well, the form is a sum of squares and so "
        "at least 0",
    )
    turned = Sum(P[j, i] * v[i], *both)
    along = form.xreplace({x[i]: 1 + s * v[i], x[j]: 1 + s * v[j]})
    bent = form.xreplace({x[i]: v[i], x[j]: v[j]})
    proof.add(
        "The quadratic form at 1 + s v, for any vector v",
        SumsEqual(
            eq("along", s * (Sum(v[i], (i, 1, n)) - turned) + s**2 * bent),
            OBJECTS.with_range(s, LINE, S.One),
            names={Symbol("along"): along},
            known=ROWS,
        ),
        "1 is the vector of ones. The derivative at s = 0 is the sum of v_i (1 - r_i), r_i being "
        "the weight that enters i; for v_i = r_i - 1 it is minus a sum of squares, so the form is "
        "negative somewhere unless every r_i is 1",
    )
    degree = Symbol("D", integer=True, positive=True)
    proof.equal(
        "The incoming weight of an object with the same number of pairs as each of its partners",
        {"comes_in": (degree * (1 / degree), 1)},
        "its D partners have the weight 1/D towards it. Conversely, let the incoming weight be 1 "
        "at every object: an object of the largest degree D has D partners, whose weights towards "
        "it are at least 1/D each and sum to 1, so each partner has degree D, and so on along the "
        "pairs. So the Laplacian is positive semidefinite iff it is symmetric, that is iff all "
        "objects of a connected component have the same degree; a component then has equally many "
        "objects of A and of B",
        Domain({degree: at_least(1)}, {degree: 2}),
    )
    images, at = Symbol("k", integer=True, positive=True), Symbol("t", real=True)
    star = at * (at - 1) + images * (1 - at)
    images_from = Domain({images: at_least(2), at: LINE}, {images: 2, at: 1})
    proof.equal(
        "The quadratic form for k objects of A all paired with one of B, at the vector that is 1 "
        "on A and t on B",
        {
            "star": (star, (at - 1) * (at - images)),
            "least": (star.xreplace({at: (images + 1) / 2}), -((images - 1) ** 2) / S(4)),
        },
        "the object of B contributes t (t - 1) and each of A 1 - t; minimal at t = (k + 1)/2, and "
        "negative for k >= 2. With one pair the weights are symmetric",
        images_from,
        also=[gt((images - 1) ** 2 / S(4), 0)],
    )


# --- sampling ------------------------------------------------------------------------------------
def state_sampling(proof: Derivation) -> None:
    """How uniform sampling of pairs differs from that of objects."""
    degree = Symbol("D", positive=True)
    mean = 2 * M / n
    proof.equal(
        "The probabilities of the D directed edges out of an object of degree D: drawn by pairs "
        "minus drawn by objects",
        {
            "gap_of_edges": (
                degree * (1 / (2 * M) - 1 / (n * degree)),
                (degree / Symbol("mean") - 1) / n,
            ),
            "mean": (mean, 2 * M / n),
        },
        "drawing a pair and one of its directions gives 1/(2M), drawing an object and one of its "
        "pairs 1/(n D). All D edges differ by the same amount, so the differences add up; mean is "
        "the mean degree",
        OBJECTS.with_range(degree, POSITIVE, S.One),
    )
    u = IndexedBase("u", nonnegative=True)
    average = Sum(u[i], (i, 1, n)) / n
    proof.add(
        "The total variation is at most half the coefficient of variation of the degrees",
        SumsEqual(
            Tuple(
                eq(Sum(deg[i] / (2 * M) - 1 / n, (i, 1, n)), S.Zero),
                eq(
                    Sum(u[i] ** 2, (i, 1, n)) / n - average**2,
                    Sum((u[i] - average) ** 2, (i, 1, n)) / n,
                ),
                eq(
                    Sum((deg[i] / mean - 1) ** 2, (i, 1, n)) / n,
                    (Sum(deg[i] ** 2, (i, 1, n)) / n - mean**2) / mean**2,
                ),
            ),
            OBJECTS,
            known=PAIRED,
        ),
        "the probabilities D_i/(2M) and 1/n of anchors have the same sum, so their total variation "
        "is half the mean of u_i = |D_i/mean - 1|. The square of this mean is at most the mean of "
        "u^2, their difference being a variance, with equality iff all u_i are equal; the mean of "
        "u^2 is the variance of the degrees over the square of their mean",
    )
    state_modalities(proof)


def state_modalities(proof: Derivation) -> None:
    """What the numbers of objects say of it."""
    whole = n_A + n_B
    of_A = Sum(deg[i] / (2 * M) - 1 / whole, (i, 1, n_A))
    proof.add(
        "The probability of an anchor in A if pairs are drawn, minus that if objects are drawn",
        SumsEqual(eq(of_A, (n_B - n_A) / (2 * whole)), BOTH, known={Sum(deg[i], (i, 1, n_A)): M}),
        "the degrees of A sum to M, so pairs give each modality the probability 1/2. For B the "
        "difference has the opposite sign, so the total variation is at least |n_A - n_B|/(2(n_A "
        "+ n_B)), with equality iff no two objects of a modality lie on different sides of the "
        "mean degree, as when degrees are constant on A and on B",
    )
    mean = 2 * M / whole
    proof.equal(
        "Constant degrees M/n_A on A and M/n_B on B",
        {
            "gap_of_A": (n_A * ((M / n_A) / mean - 1) / whole, (n_B - n_A) / (2 * whole)),
            "degrees_less": (M / n_A - M / n_B, M * (n_B - n_A) / (n_A * n_B)),
        },
        "the objects of A together differ by gap_of_A, those of B by the opposite; degrees_less "
        "is the degree in A minus that in B. So the total variation is zero iff all degrees are "
        "equal, and then n_A = n_B; constant degrees in each modality are not enough",
        BOTH,
    )


def state_expected_loss(proof: Derivation) -> None:
    """The expected loss under both."""
    by_edges = Sum(deg[i] * loss[i], (i, 1, n)) / (2 * M)
    by_objects = Sum(loss[i], (i, 1, n)) / n
    mean = 2 * M / n
    proof.add(
        "The expected loss if pairs are drawn minus the expected loss if objects are drawn",
        SumsEqual(
            eq("difference", (Sum(deg[i] * loss[i], (i, 1, n)) / n - mean * by_objects) / mean),
            OBJECTS,
            names={Symbol("difference"): by_edges - by_objects},
            known=PAIRED,
        ),
        "ell_i is the mean loss of anchor i over its pairs, and the difference is the covariance "
        "of degree and loss over the mean degree. Subtracting a constant from all ell_i does not "
        "change it; with the midpoint of their range, it is at most the total variation times the "
        "range",
    )


def state_batch(proof: Derivation) -> None:
    """A batch of all pairs, as CLIP has it, where an object stands once for each of its pairs."""
    kernel = IndexedBase("K", positive=True)
    one = Symbol("kappa", positive=True)
    weighted = Sum(deg[j] * kernel[j], (j, 1, n))
    plain = Sum(kernel[j], (j, 1, n))
    proof.add(
        "In a batch of all pairs, the loss of an anchor minus its loss if every object occurs once",
        SumsEqual(
            eq("more", log(Sum(kernel[j] / plain * deg[j], (j, 1, n)))),
            OBJECTS,
            names={Symbol("more"): -log(one / weighted) + log(one / plain)},
        ),
        "an object occurs once for each of its pairs, so the difference is the logarithm of the "
        "mean degree of the candidates under the softmax: at least 0, and zero iff all these "
        "degrees are 1. Copies of the positive are false negatives",
    )
