"""The inferences in words that results on gradients make; their proofs stand with the others."""

from ...proof.statement import Lemma

RAYLEIGH = Lemma(
    "Rayleigh quotient",
    "a sum of vectors with coefficients r has the square r^T K r <= N sigma |r|^2, K being their "
    "Gram matrix and N sigma its largest eigenvalue, with equality iff r is an eigenvector of it "
    "(or zero); and N sigma I - K is a form >= 0, for which Cauchy and Schwarz hold",
    "K and sum z_j z_j^T have the same positive eigenvalues",
)
TWO_ATOMS = Lemma(
    "two values",
    "of all laws of a number s on an interval with a mean square of sigma at most, and with a "
    "share at the upper end of at least a given one, the ratio of the mean of Y^2 to the square of "
    "the mean of Y, Y = exp(s/tau), is largest for one that sits at the upper end and at one other "
    "value",
    "where it is largest, it rises towards no other law, so the law sits where Y^2/A - 2 Y/B - "
    "kappa s^2 is largest, A and B being the means of Y^2 and Y and kappa >= 0 a multiplier. That "
    "is concave before one value of s and convex after, as its second derivative over Y rises",
)
