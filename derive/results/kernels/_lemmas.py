"""The inferences in words that results on kernels make."""

from ...proof.statement import Lemma

SCHOENBERG = Lemma(
    "Schoenberg",
    "for 0 < gamma <= 2 the function |x - y|^gamma is of negative type: it is the squared distance "
    "of images of x and y in a Hilbert space; so exp(-|x - y|^gamma/tau) is positive definite on "
    "R^d for every d and every tau > 0, strictly for different points",
    statement=r"For $0 < \gamma \le 2$ the function $|x - y|^\gamma$ is of negative type: it is "
    r"the squared distance of images of $x$ and $y$ in a Hilbert space. So $e^{-|x - "
    r"y|^\gamma/\tau}$ is positive definite on $\mathbb{R}^d$ for every $d$ and every $\tau > 0$, "
    r"strictly for different points.",
    proof=r"I. J. Schoenberg, Metric spaces and positive definite functions (1938): for $\gamma < "
    r"2$, $|x - y|^\gamma$ is a positive multiple of $\int_0^\infty (1 - e^{-s |x - y|^2}) s^{-1 "
    r"- \gamma/2} \, \mathrm{d}s$.",
)
TAYLOR = Lemma(
    "ends of the exponential series",
    "1 - y <= exp(-y) <= 1 - y + y^2/2 for y >= 0",
    statement=r"For $y \ge 0$, $1 - y \le e^{-y} \le 1 - y + y^2/2$.",
    proof=r"Integrate $0 \le e^{-y} \le 1$ from $0$, once and twice.",
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
    statement=r"The loss is at least its tangent at any structure: the sum over pairs of push "
    r"less pull, times the change of the similarity.",
    proof=r"The logarithm of a sum of exponentials is convex in the similarities, and the "
    r"positives enter linearly.",
)
SMALLER_POWER = Lemma(
    "smaller power",
    "x^a with 0 < a < 1 is more than any multiple of x for small x > 0, and x^a with a > 1 less",
    statement=r"For small $x > 0$, $x^a$ with $0 < a < 1$ is more than any multiple of $x$, and "
    r"$x^a$ with $a > 1$ is less.",
    proof=r"$x^a/x = x^{a - 1}$.",
)
FIRST_ORDER_OFF_FACE = Lemma(
    "first order off the face",
    "the derivative of the similarity vanishes at coincident points, for gamma > 2, so only "
    "distinct points repel each other, all alike; eigenvalues of the gradient above that of the "
    "contrasts of instances raise the loss at first order in the block of the Gram matrix off the "
    "face. The block between may be as large as the root of that one, so second derivatives count "
    "as well, for which see what follows",
    statement=r"Let $\gamma > 2$, so that the slope of the similarity vanishes at coincident "
    r"points and only points that are apart are pushed, all alike. Eigenvalues of the gradient "
    r"that are more than that of the occupied eigenspace raise the loss at first order in the "
    r"block of the Gram matrix off the face. The block between may be as large as the root of "
    r"that one, so that second derivatives count beside it.",
    proof=r"This is the first-order condition on the positive semidefinite $G$ with unit "
    r"diagonal, with the multiplier $yI$, where $y$ is the least of the eigenvalues.",
)
IN_THE_FACE = Lemma(
    "second order in the face",
    "in the face rows of G add up to 0 and the diagonal is fixed, so for n >= 4 there are "
    "n(n - 3)/2 directions, all inside the cone to both sides, in each of which negatives move "
    "and their mean does not; the second derivative has one sign in all of them",
    statement=r"In the face rows of $G$ add up to $0$ and the diagonal is fixed. So for $n \ge 4$ "
    r"there are $n(n - 3)/2$ directions, all inside the cone to both sides, in each of which "
    r"negatives move and their mean does not; the second derivative has one sign in all of them.",
    proof=r"Symmetric matrices on the contrasts have $n(n - 1)/2$ entries, of which the diagonal "
    r"fixes $n$.",
)
SPREADING = Lemma(
    "towards one vector",
    "up to rotations, instances can move in the span of the simplex in two ways, which symmetry "
    "keeps apart: in the face, and all towards one vector; off the span, or with views apart, the "
    "mean inner product of an anchor with negatives does not fall at second order and does not "
    "change at first, so that there the sign in the face decides",
    statement=r"Up to rotations, instances can move in the span of the simplex in two ways, which "
    r"symmetry keeps apart: in the face, and all towards one vector. Off the span, or with views "
    r"apart, the mean inner product of an anchor with negatives does not fall at second order and "
    r"does not change at first, so that there the sign in the face decides.",
    proof=r"The vertices add up to $0$ and their outer products to $\frac{n}{n - 1} I$ on the "
    r"span; the representation of the symmetric group is that of contrasts times contrasts.",
)
NEGATIVE_TYPE = Lemma(
    "negative type",
    "for 0 < gamma <= 2 the numbers |x - y|^gamma are squared distances in a Hilbert space, and a "
    "sum of them with weights is >= 0 if the Laplacian of the weights has no negative eigenvalue",
    statement=r"For $0 < \gamma \le 2$ the numbers $|x - y|^\gamma$ are squared distances in a "
    r"Hilbert space, and a sum of them with weights is not negative if the Laplacian of the "
    r"weights has no negative eigenvalue.",
    proof=r"By Schoenberg's theorem on $|x - y|^\gamma$. Up to a positive factor the sum is the "
    r"inner product of the Laplacian and the Gram matrix of the images.",
)
AM_GM = Lemma(
    "means of positives",
    "the sum of the kernels of p - 1 positives is at least p - 1 times their geometric mean, which "
    "is at most 2; so with it for k_positive and the mean over negatives for k_negative the loss "
    "of an anchor is at least log(p - 1 + p (n - 1) k_negative/k_positive), which falls in "
    "k_positive",
    statement=r"Let $k_+$ be the geometric mean of the kernels of $p - 1$ positives, which is at "
    r"most $2$, and $k_-$ the mean over negatives. The loss of an anchor is at least $\log(p - 1 "
    r"+ p (n - 1) k_-/k_+)$, which falls in $k_+$.",
    proof=r"The sum of the kernels of the positives is at least $(p - 1) k_+$, by the inequality "
    r"of arithmetic and geometric means.",
)
JENSEN_HALVES = Lemma(
    "Jensen over halves",
    "log-sum-exp of functions that are convex and fall in the squared distances of the halves is "
    "convex in all of them and falls: so the mean over anchors is at least its value at the mean "
    "squared distances, and those may be raised to their largest",
    "Jensen's inequality, over the negatives of each anchor and then over anchors",
)
