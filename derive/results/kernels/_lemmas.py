"""The inferences in words that results on kernels make."""

from ...proof.statement import Lemma

SCHOENBERG = Lemma(
    "Schoenberg",
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
    statement=r"For $y \ge 0$, $1 - y \le e^{-y} \le 1 - y + y^2/2$.",
    proof=r"Integrate $0 \le e^{-y} \le 1$ from $0$, once and twice.",
)
JENSEN = Lemma(
    "Jensen over pairs",
    statement="Log-sum-exp is convex and increasing in the similarities of the denominator, and "
    "the positives enter by their mean; so the mean loss over anchors is at least the loss at the "
    "mean similarity of other views and the mean similarity of negatives. That mean similarity is "
    "at least the similarity at the mean inner product, the similarity being convex in it.",
    proof="Jensen's inequality, over the pairs of each anchor and then over anchors.",
)
TANGENT = Lemma(
    "tangent in the similarities",
    statement="Log-sum-exp is convex in the similarities and the positives enter linearly, so the "
    "loss is at least its tangent at any structure: the sum over pairs of (repulsion - attraction) "
    "times the change of the similarity.",
    proof="By definition of convexity.",
)
SMALLER_POWER = Lemma(
    "smaller power",
    statement=r"For small $x > 0$, $x^a$ with $0 < a < 1$ is more than any multiple of $x$, and "
    r"$x^a$ with $a > 1$ is less.",
    proof=r"$x^a/x = x^{a - 1}$.",
)
FIRST_ORDER_OFF_FACE = Lemma(
    "first order off the face",
    statement=r"Let $\gamma > 2$. Then the derivative of the similarity vanishes at coincident "
    r"points, so only distinct points repel each other, all equally. Eigenvalues of the gradient "
    r"above that of the contrasts of instances increase the loss at first order in the block of "
    r"the Gram matrix outside the face. The off-diagonal block may be as large as the square root "
    r"of that one, so second derivatives count as well.",
    proof=r"This is the first-order condition on the positive semidefinite $G$ with unit "
    r"diagonal, with the multiplier $yI$, where $y$ is the least of the eigenvalues.",
)
IN_THE_FACE = Lemma(
    "second order in the face",
    statement=r"In the face the rows of $G$ sum to $0$ and the diagonal is fixed. So for $n \ge 4$ "
    r"there are $n(n - 3)/2$ directions, each feasible in both senses, along which inner products "
    r"with negatives change and their mean does not; the second derivative has the same sign along "
    r"all of them.",
    proof=r"Symmetric matrices on the contrasts have $n(n - 1)/2$ entries, of which the diagonal "
    r"fixes $n$.",
)
SPREADING = Lemma(
    "towards one vector",
    statement="Up to rotations, instances can move in the span of the simplex in two ways that "
    "symmetry separates: inside the face, and all towards one vector; if they leave the span, or "
    "views of an instance separate, the mean inner product of an anchor with negatives is "
    "unchanged at first order and does not decrease at second, so that the sign in the face "
    "decides there.",
    proof=r"The vertices sum to $0$ and their outer products to $\frac{n}{n - 1} I$ on the "
    r"span; the representation of the symmetric group is that of contrasts times contrasts.",
)
NEGATIVE_TYPE = Lemma(
    "negative type",
    statement=r"For $0 < \gamma \le 2$ the numbers $|x - y|^\gamma$ are squared distances in a "
    r"Hilbert space, and a weighted sum of them is at least 0 if the Laplacian of the "
    r"weights has no negative eigenvalue.",
    proof=r"By Schoenberg's theorem on $|x - y|^\gamma$. Up to a positive factor the sum is the "
    r"inner product of the Laplacian and the Gram matrix of the images.",
)
AM_GM = Lemma(
    "means of positives",
    statement=r"Let $k_+$ be the geometric mean of the kernels of $p - 1$ positives, which is at "
    r"most $2$, and $k_-$ the mean over negatives. The loss of an anchor is at least $\log(p - 1 "
    r"+ p (n - 1) k_-/k_+)$, which decreases with $k_+$.",
    proof=r"The sum of the kernels of the positives is at least $(p - 1) k_+$, by the inequality "
    r"of arithmetic and geometric means.",
)
JENSEN_HALVES = Lemma(
    "Jensen over halves",
    statement="Log-sum-exp of functions that are convex and decreasing in the squared distances of "
    "the halves is convex and decreasing in all of them; so the mean over anchors is at least its "
    "value at the mean squared distances, and at upper bounds of those.",
    proof="Jensen's inequality, over the negatives of each anchor and then over anchors.",
)
