"""The inferences in words that results on kernels make."""

from ...proof.statement import Lemma

SCHOENBERG = Lemma(
    "Schoenberg",
    "for 0 < gamma <= 2 the function |x - y|^gamma is of negative type: it is the squared distance "
    "of images of x and y in a Hilbert space; so exp(-|x - y|^gamma/tau) is positive definite on "
    "R^d for every d and every tau > 0, strictly for different points",
    "I. J. Schoenberg, Metric spaces and positive definite functions (1938): |x - y|^gamma is a "
    "positive multiple of the integral of (1 - exp(-s |x - y|^2)) s^(-1 - gamma/2) ds for gamma < 2",
)
TAYLOR = Lemma(
    "ends of the exponential series",
    "1 - y <= exp(-y) <= 1 - y + y^2/2 for y >= 0",
    "integrate 0 <= exp(-y) <= 1 from 0, once and twice",
)
JENSEN = Lemma(
    "Jensen over pairs",
    "log-sum-exp is convex and rises in the similarities of the denominator, and the positives "
    "enter by their mean: so the mean loss over anchors is at least the loss at the mean similarity "
    "of other views and the mean similarity of negatives; that is at least the similarity of "
    "their mean inner product, the similarity being convex in it",
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
DESCARTES = Lemma(
    "Descartes",
    "a sum of real powers of y has at most as many zeros y > 0, with multiplicity, as its "
    "coefficients change sign, in the order of the exponents",
    "Rolle's theorem, dividing by the lowest power: each derivative has one zero less",
)
