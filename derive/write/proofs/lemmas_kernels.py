r"""The lemmas of results on kernels as they stand in a paper, as in :mod:`.lemmas`."""

from __future__ import annotations

from .printed import Printed

#: By the name that a lemma has in ``results/kernels/_lemmas.py``.
OF_KERNELS: dict[str, Printed] = {
    "Schoenberg": Printed(
        "Schoenberg",
        r"For $0 < \gamma \le 2$ the function $|x - y|^\gamma$ is of negative type: it is the "
        r"squared distance of images of $x$ and $y$ in a Hilbert space. So $e^{-|x - "
        r"y|^\gamma/\tau}$ is positive definite on $\mathbb{R}^d$ for every $d$ and every $\tau > "
        r"0$, strictly for different points.",
        r"I. J. Schoenberg, Metric spaces and positive definite functions (1938): for $\gamma < "
        r"2$, $|x - y|^\gamma$ is a positive multiple of $\int_0^\infty (1 - e^{-s |x - y|^2}) "
        r"s^{-1 - \gamma/2} \, \mathrm{d}s$.",
    ),
    "ends of the exponential series": Printed(
        "Ends of the exponential series",
        r"For $y \ge 0$, $1 - y \le e^{-y} \le 1 - y + y^2/2$.",
        r"Integrate $0 \le e^{-y} \le 1$ from $0$, once and twice.",
    ),
    "Jensen over pairs": Printed(
        "Jensen over pairs",
        r"The mean loss over anchors is at least the loss at the mean similarity of other views "
        r"and the mean similarity of negatives. If the similarity is convex in the inner product, "
        r"each of these is at least the similarity at the mean inner product.",
        r"The logarithm of a sum of exponentials is convex and rises in the similarities of the "
        r"denominator, and the positives enter by their mean. So this is Jensen's inequality, "
        r"over the pairs of each anchor and then over anchors.",
    ),
    "chord and tangent": Printed(
        "Chord and tangent",
        r"A convex function on an interval lies below its chord and above its tangents.",
        r"By definition.",
    ),
    "tangent in the similarities": Printed(
        "Tangent in the similarities",
        r"The loss is at least its tangent at any structure: the sum over pairs of push less pull, "
        r"times the change of the similarity.",
        r"The logarithm of a sum of exponentials is convex in the similarities, and the positives "
        r"enter linearly.",
    ),
    "smaller power": Printed(
        "Smaller power",
        r"For small $x > 0$, $x^a$ with $0 < a < 1$ is more than any multiple of $x$, and $x^a$ "
        r"with $a > 1$ is less.",
        r"$x^a/x = x^{a - 1}$.",
    ),
    "first order off the face": Printed(
        "First order off the face",
        r"Let $\gamma > 2$, so that the slope of the similarity vanishes at coincident points and "
        r"only points that are apart are pushed, all alike. Eigenvalues of the gradient that are "
        r"more than that of the occupied eigenspace raise the loss at first order in the block of "
        r"the Gram matrix off the face. The block between may be as large as the root of that one, "
        r"so that second derivatives count beside it.",
        r"This is the first-order condition on the positive semidefinite $G$ with unit diagonal, "
        r"with the multiplier $yI$, where $y$ is the least of the eigenvalues.",
    ),
    "second order in the face": Printed(
        "Second order in the face",
        r"In the face rows of $G$ add up to $0$ and the diagonal is fixed. So for $n \ge 4$ there "
        r"are $n(n - 3)/2$ directions, all inside the cone to both sides, in each of which "
        r"negatives move and their mean does not; the second derivative has one sign in all of "
        r"them.",
        r"Symmetric matrices on the contrasts have $n(n - 1)/2$ entries, of which the diagonal "
        r"fixes $n$.",
    ),
    "towards one vector": Printed(
        "Towards one vector",
        r"Up to rotations, instances can move in the span of the simplex in two ways, which "
        r"symmetry keeps apart: in the face, and all towards one vector. Off the span, or with "
        r"views apart, the mean inner product of an anchor with negatives does not fall at second "
        r"order and does not change at first, so that there the sign in the face decides.",
        r"The vertices add up to $0$ and their outer products to $\frac{n}{n - 1} I$ on the span; "
        r"the representation of the symmetric group is that of contrasts times contrasts.",
    ),
    "parting": Printed(
        "Parting",
        r"Let the points of a class part so that their mean stays. The mean inner product with "
        r"the other classes does not change at first order; similarities inside the class change "
        r"by $|x - y|^\gamma/\tau$, which for $\gamma > 2$ is less than second order. Off the span "
        r"of the classes inner products change at second order only, and their mean rises: there "
        r"the second derivative is positive.",
        r"The vertices add up to $0$ and their outer products to $\frac{m}{m - 1} I$ on the span. "
        r"The rest is Taylor's theorem at second order.",
    ),
    "negative type": Printed(
        "Negative type",
        r"For $0 < \gamma \le 2$ the numbers $|x - y|^\gamma$ are squared distances in a Hilbert "
        r"space, and a sum of them with weights is not negative if the Laplacian of the weights "
        r"has no negative eigenvalue.",
        r"By Schoenberg's theorem on $|x - y|^\gamma$. Up to a positive factor the sum is the "
        r"inner product of the Laplacian and the Gram matrix of the images.",
    ),
    "means of positives": Printed(
        "Means of positives",
        r"Let $k_+$ be the geometric mean of the kernels of $p - 1$ positives, which is at most "
        r"$2$, and $k_-$ the mean over negatives. The loss of an anchor is at least $\log(p - 1 + "
        r"p (n - 1) k_-/k_+)$, which falls in $k_+$.",
        r"The sum of the kernels of the positives is at least $(p - 1) k_+$, by the inequality of "
        r"arithmetic and geometric means.",
    ),
    "Jensen over halves": Printed(
        "Jensen over halves",
        r"The mean over anchors is at least its value at the mean squared distances of the "
        r"halves, and those may be raised to their largest.",
        r"The logarithm of a sum of exponentials of functions that are convex and fall in the "
        r"squared distances is convex in all of them and falls. So this is Jensen's inequality, "
        r"over the negatives of each anchor and then over anchors.",
    ),
}
