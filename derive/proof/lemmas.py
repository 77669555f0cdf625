"""The inferences that derivations make in words, by name, each with its proof in a line.

What a lemma needs is given to the statement that applies it, and decided at each use.
"""

from __future__ import annotations

from .statement import Lemma

AVERAGING = Lemma(
    "averaging",
    "averaging over the symmetry group does not raise a convex invariant function, so with the "
    "Gram matrix that is least its average is least too, and has one entry per relation",
    "Jensen's inequality over the finite group of relabellings",
)
SLACKNESS = Lemma(
    "slackness",
    "there the eigenvalue of gradient - y I is positive for y = min(theta_low, theta_high), so "
    "complementary slackness makes the Gram eigenvalue zero",
    "convex duality: loss(G') - loss(G) >= <gradient - y I, G' - G> for unit diagonals",
)
WEAK_SLACKNESS = Lemma(
    "weak slackness",
    "there the eigenvalue of gradient - y I is non-negative for y = min(theta_low, theta_high); "
    "with zero Gram eigenvalues the certificate is complete",
    "convex duality: loss(G') - loss(G) >= <gradient - y I, G' - G> for unit diagonals",
)
CERTIFICATE = Lemma(
    "certificate",
    "the eigenvalue of gradient - y I is zero on the eigenspace with the trace, for y its own "
    "eigenvalue; the others are >= 0 iff no direction lowers the convex loss",
    "convex duality: loss(G') - loss(G) >= <gradient - y I, G' - G> for unit diagonals",
)
DUALITY = Lemma(
    "duality",
    "loss - least loss <= <gradient, G> - sum of y + k eps for one multiplier y for each of k "
    "orbits, if gradient - diag(y) + eps is PSD on every block",
    "convexity, and a trace of one on every orbit",
)
STRICT_ROWS = Lemma(
    "strict rows",
    "log-sum-exp is strictly convex up to a constant added to a row, so rows of two optima differ "
    "by a constant, the same for rows that share an inner product; it is zero if the inner "
    "products have the same mean",
    "the Hessian of log-sum-exp vanishes along the constants only",
)
FIRST_ORDER = Lemma(
    "first-order condition",
    "a convex function on an interval has all its minimisers beyond a point iff it falls there, "
    "and is least at an end iff it does not fall away from it",
    "the slope of a convex function never falls",
)
MONOTONE = Lemma(
    "monotone",
    "a function that falls (rises) all along an interval is least at its far (near) end only",
    "by definition",
)
RANK = Lemma(
    "rank",
    "vectors with a given Gram matrix exist in as many dimensions as its rank, and in no fewer; "
    "the rank is the sum of the dimensions of the eigenspaces whose eigenvalue is not zero",
    "a positive semidefinite matrix has a square root",
)
ONLY_ONE = Lemma(
    "only one Gram matrix",
    "log-sum-exp is strictly convex up to a constant added to a row; every pair is in the "
    "denominator, and the unit diagonal fixes the constant to zero",
    "the Hessian of log-sum-exp vanishes along the constants only",
)
ONLY_ONE_UNLESS_FREE = Lemma(
    "only one Gram matrix unless the gradient vanishes",
    "where every pair is in a denominator, two optima differ by a number c added to the inner "
    "products of all pairs; if c is not 0 the slack S = A - diag(y) of the gradient A has "
    "S (J - I) = 0, so S = 0, and as A has no diagonal A = 0: if the gradient vanishes at no Gram "
    "matrix, there is one optimum, in any dimension that it fits into",
    "the gradient is the same at all optima and S G = 0 at each; J - I is invertible, J being the "
    "matrix of ones",
)
NOT_FELT = Lemma(
    "not felt",
    "the loss does not change with what no term contains, so any value that leaves the Gram "
    "matrix positive semidefinite is as good",
    "by definition",
)
CONCAVE = Lemma(
    "concave",
    "a concave function is >= 0 on one interval, which may be empty; one that is not positive "
    "at the start and falls there is negative beyond it",
    "the slope of a concave function never rises",
)
SUM_OF_CONVEX = Lemma(
    "sum of convex functions",
    "a sum, with weights >= 0, of convex functions of inner products that are affine along the "
    "segment is convex along it",
    "by definition",
)
COMPOSED = Lemma(
    "composition of convex functions",
    "a convex function that rises with an argument stays convex where that argument is a convex "
    "function of the other",
    "at a mean of two points the argument is at most the mean of its values, so the function, "
    "which rises with it, is at most what it is at both means: at most the mean of its values",
)
ANALYTIC = Lemma(
    "analytic",
    "a sum of convex functions, analytic inside the segment, one of which bends at a point, is "
    "affine on no part of it: the optimum on it is unique",
    "the zeros of an analytic function that is not zero are isolated",
)
SUBGRADIENTS = Lemma(
    "subgradients",
    "any subgradients pull >= 0 and push >= 0 will do for the certificate, so a point is optimal "
    "iff the slope is not positive before it and not negative after it",
    "the subgradients of a convex function at a point are all numbers between its two slopes",
)
SHAPE = Lemma(
    "shape",
    "a continuous function, smooth on pieces, is convex if its slope does not fall on the pieces "
    "and at the kinks, and falls (rises) if its slope is nowhere positive (negative)",
    "the slope of a convex function never falls",
)
UNIFORM = Lemma(
    "uniform limit",
    "functions of the shares that converge at every point, all with one Lipschitz constant, do so "
    "uniformly; so the least values go to that of the limit, and the optima to its optimum, if it "
    "has only one",
    "the simplex of shares is compact (Arzela-Ascoli)",
)
