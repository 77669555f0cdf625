"""The inferences in words that results on kernels make."""

from ...proof.statement import Lemma

SCHOENBERG = Lemma(
    "Schoenberg",
    "for 0 < gamma <= 2 the function |x - y|^gamma is of negative type: it is the squared distance "
    "of images of x and y in a Hilbert space; so exp(-|x - y|^gamma/tau) is positive definite on "
    "R^d for every d and every tau > 0, strictly for different points",
    "I. J. Schoenberg, Metric spaces and positive definite functions (1938): |x - y|^gamma is "
    "a positive multiple of the integral of (1 - exp(-s |x - y|^2)) s^(-1 - gamma/2) ds for "
    "gamma < 2",
)
TAYLOR = Lemma(
    "ends of the exponential series",
    "1 - y <= exp(-y) <= 1 - y + y^2/2 for y >= 0",
    "integrate 0 <= exp(-y) <= 1 from 0, once and twice",
)
JENSEN = Lemma(
    "Jensen over pairs",
    "log-sum-exp is convex and rises in the similarities of the denominator, and the positives "
    "enter by their mean: so the mean loss over anchors is at least the loss at the mean "
    "similarity of other views and the mean similarity of negatives; that is at least the "
    "similarity of their mean inner product, the similarity being convex in it",
    "Jensen's inequality, over the pairs of each anchor and then over anchors",
)
CHORD = Lemma(
    "chord and tangent",
    "a convex function on an interval lies below its chord and above its tangents",
    "by definition",
)
TANGENT = Lemma(
    "tangent in the similarities",
    "log-sum-exp is convex in the similarities and the positives enter linearly, so the loss is at "
    "least its tangent at any structure: the sum over pairs of (push - pull) times the change of "
    "the similarity",
    "by definition of convexity",
)
SMALLER_POWER = Lemma(
    "smaller power",
    "x^a with 0 < a < 1 is more than any multiple of x for small x > 0, and x^a with a > 1 less",
    "x^a/x = x^(a - 1)",
)
FIRST_ORDER_OFF_FACE = Lemma(
    "first order off the face",
    "the slope of the similarity vanishes at coincident points, for gamma > 2, so only points that "
    "are apart are pushed, all alike; eigenvalues of the gradient that are more than that of the "
    "occupied eigenspace raise the loss at first order in the block of the Gram matrix off the "
    "face. The block between may be as large as the root of that one, so that second derivatives "
    "count beside it, for which see what follows",
    "the first-order condition on {G PSD, diag G = 1}, with multiplier y I, y the least of them",
)
IN_THE_FACE = Lemma(
    "second order in the face",
    "in the face rows of G add up to 0 and the diagonal is fixed, so for n >= 4 there are "
    "n(n - 3)/2 directions, all inside the cone to both sides, in each of which negatives move "
    "and their mean does not; the second derivative has one sign in all of them",
    "symmetric matrices on the contrasts have n(n - 1)/2 entries, of which the diagonal fixes n",
)
SPREADING = Lemma(
    "towards one vector",
    "up to rotations, instances can move in the span of the simplex in two ways, which symmetry "
    "keeps apart: in the face, and all towards one vector; off the span, or with views apart, the "
    "mean inner product of an anchor with negatives does not fall at second order and does not "
    "change at first, so that there the sign in the face decides",
    "the vertices add up to 0 and their outer products to n/(n - 1) times the identity; "
    "representations of the symmetric group: contrasts times contrasts",
)
PARTING = Lemma(
    "parting",
    "vertices add up to 0 and their outer products to m/(m - 1) times the identity; the mean of "
    "the points that part stays, so the mean inner product with them does not change at first "
    "order; similarities inside a class change by |x - y|^gamma, which is less than second order. "
    "Off the span of the classes inner products change at second order only, and the mean rises: "
    "there the second derivative is positive",
    "Taylor's theorem at second order",
)
NEGATIVE_TYPE = Lemma(
    "negative type",
    "for 0 < gamma <= 2 the numbers |x - y|^gamma are squared distances in a Hilbert space, and a "
    "sum of them with weights is >= 0 if the Laplacian of the weights has no negative eigenvalue",
    "Schoenberg's lemma; the sum is half of <Laplacian, Gram matrix of the images> up to a factor",
)
AM_GM = Lemma(
    "means of positives",
    "the sum of the kernels of p - 1 positives is at least p - 1 times their geometric mean, which "
    "is at most 2; so with it for k_positive and the mean over negatives for k_negative the loss "
    "of an anchor is at least log(p - 1 + p (n - 1) k_negative/k_positive), which falls in "
    "k_positive",
    "the inequality of arithmetic and geometric means",
)
JENSEN_HALVES = Lemma(
    "Jensen over halves",
    "log-sum-exp of functions that are convex and fall in the squared distances of the halves is "
    "convex in all of them and falls: so the mean over anchors is at least its value at the mean "
    "squared distances, and those may be raised to their largest",
    "Jensen's inequality, over the negatives of each anchor and then over anchors",
)
