"""The inferences in words that results on gradients make; their proofs stand with the others."""

from ...proof.statement import Lemma

RAYLEIGH = Lemma(
    "Rayleigh quotient",
    "a sum of vectors with coefficients r has the square r^T K r <= N sigma |r|^2, K being their "
    "Gram matrix and N sigma its largest eigenvalue, with equality iff r is an eigenvector of it "
    "(or zero); and N sigma I - K is a form >= 0, for which Cauchy and Schwarz hold",
    "K and sum z_j z_j^T have the same positive eigenvalues",
)
MINKOWSKI = Lemma(
    "Minkowski",
    "the mean inner product c of two random vectors is between -x y and x y, so the root of the "
    "mean square of their sum is at most x + y",
    "Cauchy and Schwarz for the mean of inner products",
)
LIEB = Lemma(
    "Tropp",
    "of independent symmetric X_1 .. X_N the mean of tr exp(sum X_k) is at most tr exp(sum log E "
    "exp X_k)",
    "Lieb's theorem: H + log A has a concave tr exp in A; J. Tropp, User-friendly tail bounds for "
    "sums of random matrices, 2012, Lemma 3.4",
)
LEAVE_ONE_OUT = Lemma(
    "leave one out",
    "of independent draws with one law, z_1 and a vector m' that is a function of the others have "
    "E[f <m', z_1>]^2 <= E[f^2] sigma E|m'|^2 for any number f, sigma being the largest eigenvalue "
    "of the law's second moment",
    "Cauchy and Schwarz; given the others, the mean of <m', z_1>^2 is the form of m' in the second "
    "moment",
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
