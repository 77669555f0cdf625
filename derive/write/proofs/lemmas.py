r"""The lemmas of derivations as they stand in a paper: what each says, and its proof in a line.

Each is the lemma of the same name in ``proof/lemmas.py``, with its hypotheses, in symbols. A lemma
that is not here, such as one of another package, is printed in its own words.
"""

from __future__ import annotations

from ...decide.frozen import dataclass
from ...proof.statement import Lemma
from ..display import sentence
from ..macros import escape


@dataclass(frozen=True)
class Printed:
    """A lemma in LaTeX."""

    title: str
    statement: str
    proof: str

    @property
    def label(self) -> str:
        """What it is referred to by."""
        return "lem:" + self.title.lower().replace(" ", "-")


_DUAL = (
    r"For Gram matrices $G$, $G'$ of unit vectors convexity gives $\mathcal{L}(G') - "
    r"\mathcal{L}(G) \ge \langle \nabla\mathcal{L}(G), G' - G\rangle = \langle "
    r"\nabla\mathcal{L}(G) - yI, G' - G\rangle$, since $G$ and $G'$ have the same diagonal. "
)
_LSE = (
    r"The Hessian of $x \mapsto \log\sum_i c_i e^{x_i}$ with $c_i > 0$ is positive semidefinite, "
    r"and its kernel is spanned by the constant vector. "
)

PRINTED: dict[str, Printed] = {
    "averaging": Printed(
        "Averaging",
        r"Let $\mathcal{L}$ be a convex function of the Gram matrix that does not change when a "
        r"finite group relabels the vectors. If $\mathcal{L}$ is least at $G$, it is least at the "
        r"average of $G$ over the group too, which has one entry for each orbit of pairs.",
        r"By Jensen's inequality $\mathcal{L}$ of the average is at most the average of "
        r"$\mathcal{L}$, which is $\mathcal{L}(G)$. The average of positive semidefinite matrices "
        r"with unit diagonal is one.",
    ),
    "slackness": Printed(
        "Complementary slackness",
        r"Let $\mathcal{L}$ be convex and invariant, let $G$ be an invariant Gram matrix of unit "
        r"vectors, and let $\lambda_e$ and $\theta_e$ be the eigenvalues of $G$ and of the "
        r"gradient of $\mathcal{L}$ at $G$ on the common eigenspaces $e$. If for some $y$ all "
        r"$\theta_e \ge y$, with equality wherever $\lambda_e > 0$, then $G$ is least among all "
        r"Gram matrices of unit vectors; and every other Gram matrix that is least vanishes on "
        r"the eigenspaces with $\theta_e > y$.",
        _DUAL + r"With such a $y$ the matrix $\nabla\mathcal{L}(G) - yI$ is positive semidefinite "
        r"and $\langle \nabla\mathcal{L}(G) - yI, G\rangle = 0$, so the right side is $\langle "
        r"\nabla\mathcal{L}(G) - yI, G'\rangle \ge 0$; and it is zero only if $G'$ vanishes "
        r"wherever $\theta_e > y$.",
    ),
    "weak slackness": Printed(
        "Weak slackness",
        r"In the setting of an invariant convex $\mathcal{L}$, let $\lambda_e$ and $\theta_e$ be "
        r"the eigenvalues of an invariant Gram matrix $G$ and of the gradient there. If for some "
        r"$y$ all $\theta_e \ge y$, and $\theta_e = y$ wherever $\lambda_e > 0$, then $G$ is "
        r"least among all Gram matrices of unit vectors. This is so at the least point among those "
        r"that vanish outside some eigenspaces, if $y$ is the smallest $\theta_e$ of these there "
        r"and no other one is smaller.",
        _DUAL + r"The matrix $\nabla\mathcal{L}(G) - yI$ is positive semidefinite, and its inner "
        r"product with $G$ is $0$. At the least point among those that vanish outside some "
        r"eigenspaces no $\theta_e$ of these is smaller than one that belongs to a positive "
        r"$\lambda_e$: trace moved to it would lower $\mathcal{L}$.",
    ),
    "certificate": Printed(
        "Certificate",
        r"Let $\mathcal{L}$ be convex and invariant under a group that takes each vector to each, "
        r"and let the trace of an invariant Gram matrix $G$ of unit vectors lie on eigenspaces on "
        r"which the gradient of $\mathcal{L}$ has one "
        r"common eigenvalue $y$. Then $G$ is least iff $\theta_e \ge y$ for every eigenspace $e$.",
        _DUAL + r"If $\theta_e \ge y$ for all $e$, the right side is $\langle \nabla\mathcal{L}(G) "
        r"- yI, G'\rangle \ge 0$. If $\theta_e < y$ for some $e$, trace moved to $e$ lowers "
        r"$\mathcal{L}$ to first order, and leaves the diagonal as it is, which is constant.",
    ),
    "duality": Printed(
        "Duality",
        r"Let $\mathcal{L}$ be a convex function of matrices $G$ whose trace on each of $k$ "
        r"orbits of points is one. For one multiplier $y_i$ per orbit and $\varepsilon \ge 0$ with "
        r"$\nabla\mathcal{L}(G) - \operatorname{diag}(y) + \varepsilon I$ positive semidefinite "
        r"on every block, $\mathcal{L}(G) - \min\mathcal{L} \le \langle \nabla\mathcal{L}(G), "
        r"G\rangle - \sum_i y_i + k \varepsilon$.",
        r"By convexity $\mathcal{L}(G) - \mathcal{L}(G') \le \langle \nabla\mathcal{L}(G), "
        r"G - G'\rangle$, and $\langle \nabla\mathcal{L}(G), G'\rangle \ge \sum_i y_i - "
        r"k \varepsilon$, since $G'$ is positive semidefinite and has the trace $k$.",
    ),
    "strict rows": Printed(
        "Strict rows",
        r"Let $\mathcal{L}$ be a sum, with positive weights, of logarithms of sums of exponentials "
        r"of inner products, and of linear functions. Two optima differ by a constant on the inner "
        r"products in one logarithm, and by the same constant in logarithms that share one or are "
        r"linked by others that do. If all are linked, two optima whose inner products there have "
        r"the same mean agree in them; and so do two optima that occupy the same single eigenspace "
        r"of the relations, linked or not.",
        _LSE + r"Between two optima $\mathcal{L}$ is constant, so each of its convex terms is "
        r"affine there, and the difference is in the kernel of each Hessian. Where two logarithms "
        r"share an inner product their constants are the same; a constant of mean zero is zero. "
        r"If $G$ occupies one eigenspace, $A_r G = p_r G$ for the matrix $A_r$ of each relation "
        r"$r$; on the diagonal, the inner products of a vector with those in $r$ sum to $p_r$, for "
        r"every such $G$, so the mean of the difference is zero in each logarithm.",
    ),
    "first-order condition": Printed(
        "First-order condition",
        r"Let $f$ be convex and differentiable on a closed interval. All its minimisers lie beyond "
        r"a point iff $f' < 0$ there; and it is least at an end iff it does not fall away from "
        r"that end.",
        r"The slope of a convex function never falls.",
    ),
    "monotone": Printed(
        "Monotone",
        r"A function that falls (rises) all along an interval is least at its far (near) end only.",
        "By definition.",
    ),
    "rank": Printed(
        "Rank",
        r"Vectors with the Gram matrix $G$ exist in $\mathbb{R}^d$ iff $d \ge \operatorname{rank} "
        r"G$, and the rank is the sum of the dimensions of the eigenspaces on which the eigenvalue "
        r"is not zero.",
        r"$G = U^\top U$ with $U$ the square root of $G$, whose columns are such vectors, in a "
        r"space of dimension $\operatorname{rank} G$; and $U^\top U$ has no larger rank than $U$, "
        r"which has $d$ rows.",
    ),
    "only one Gram matrix": Printed(
        "Only one Gram matrix",
        r"Let $\mathcal{L}$ be a sum, with positive weights, of logarithms of sums of exponentials "
        r"and of linear functions. If every anchor has a logarithm over all vectors, itself among "
        r"them, there is only one optimal Gram matrix.",
        _LSE + r"Between two optima $\mathcal{L}$ is constant, so each of its convex terms is "
        r"affine there. So the rows of two optima differ by constants, and the unit diagonal makes "
        r"these zero.",
    ),
    "not felt": Printed(
        "Not felt",
        r"If no term of $\mathcal{L}$ contains an inner product, any value of it that leaves the "
        r"Gram matrix positive semidefinite is as good.",
        "By definition.",
    ),
    "concave": Printed(
        "Concave",
        r"A concave function is $\ge 0$ on one interval, which may be empty. If it is not positive "
        r"at the start and falls there, it is negative beyond it.",
        r"The slope of a concave function never rises.",
    ),
    "sum of convex functions": Printed(
        "Sum of convex functions",
        r"A sum, with weights $\ge 0$, of convex functions of inner products that are affine along "
        r"a segment is convex along it.",
        "By definition.",
    ),
    "analytic": Printed(
        "Analytic",
        r"A sum of convex functions, analytic inside a segment, one of which has a positive second "
        r"derivative at a point, is affine on no part of it, so its minimiser is unique.",
        r"The zeros of an analytic function that does not vanish are isolated.",
    ),
    "subgradients": Printed(
        "Subgradients",
        r"That the certificate suffices holds with any subgradient in place of the gradient. And a "
        r"point of a segment is the least there iff the slope before it is not positive and the "
        r"slope after it is not negative.",
        r"The proof uses no more of the gradient than that $\mathcal{L}(G') - \mathcal{L}(G) \ge "
        r"\langle \nabla\mathcal{L}(G), G' - G\rangle$. The subgradients of a convex function of "
        r"one variable at a point are the numbers between its two slopes.",
    ),
    "shape": Printed(
        "Shape",
        r"A continuous function that is smooth on pieces is convex if its slope falls neither on a "
        r"piece nor at a kink, and nowhere rises (falls) if its slope is nowhere positive "
        r"(negative).",
        r"By the mean value theorem on each piece.",
    ),
    "uniform limit": Printed(
        "Uniform limit",
        r"Let functions on the simplex of shares converge at every point, all with one Lipschitz "
        r"constant. Then the least values go to the least value of the limit, and the minimisers "
        r"to its minimiser, if it has only one.",
        r"The simplex is compact, so the convergence is uniform (Arzel\`a--Ascoli).",
    ),
    "at a root": Printed(
        "At a root",
        r"Where the loss is least inside an edge, the eigenvalues of the gradient on its two "
        r"eigenspaces agree. So a multiple of their difference may be added to the gap of a third "
        r"one before its sign is asked for.",
        r"The slope of the loss along the edge is a positive multiple of their difference.",
    ),
}


def printed(lemma: Lemma) -> Printed:
    """A lemma in LaTeX; in its own words if it is not one of ours."""
    known = PRINTED.get(lemma.name)
    if known is not None:
        return known
    said, why = (f"{escape(sentence(text).rstrip('.'))}." for text in (lemma.says, lemma.source))
    return Printed(sentence(lemma.name), said, why)
