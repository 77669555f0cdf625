"""The inferences that derivations make in words, by name, each with its proof in a line.

What a lemma needs is given to the statement that applies it, and decided at each use.
"""

from __future__ import annotations

from ..decide.evidence import Grade
from .statement import Lemma

_DUAL = (
    r"For Gram matrices $G$, $G'$ of unit vectors convexity gives $\mathcal{L}(G') - "
    r"\mathcal{L}(G) \ge \langle \nabla\mathcal{L}(G), G' - G\rangle = \langle "
    r"\nabla\mathcal{L}(G) - yI, G' - G\rangle$, since $G$ and $G'$ have the same diagonal. "
)
CONVEX_LSE = (
    r"The Hessian of $x \mapsto \log\sum_i c_i e^{x_i}$ with $c_i > 0$ is positive semidefinite, "
    r"and its kernel is spanned by the constant vector. "
)

AVERAGING = Lemma(
    "averaging",
    statement=r"Let $\mathcal{L}$ be a convex function of the Gram matrix that does not change "
    r"when a finite group relabels the vectors. If $G$ minimises $\mathcal{L}$, so does the "
    r"average of $G$ over the group, which has one entry for each orbit of pairs.",
    proof=r"By Jensen's inequality $\mathcal{L}$ of the average is at most the average of "
    r"$\mathcal{L}$, which is $\mathcal{L}(G)$. The average of positive semidefinite matrices "
    r"with unit diagonal is one.",
)
DESIGN = Lemma(
    "design",
    statement=r"Let $\mathcal{L}$ be the sum over some batches of $B$ of $n$ instances of a convex "
    r"loss that is the same for all batches and does not change when instances of a batch are "
    r"relabelled, and let the derivative in the inner product of two instances of a batch be "
    r"$s > 0$ at the simplex $G$ of all $n$ instances with equal views. If $G$ is optimal for the "
    r"family of all batches, then it is optimal for a family iff every pair of instances is in the "
    r"same number of its batches.",
    proof=r"At $G$ the gradient $A$ has the entry $\lambda_{ij} s$ for views of instances "
    r"$i \ne j$ that are together in $\lambda_{ij}$ batches, and for two views of $i$ the entry "
    r"$r_i t$, $r_i$ being the number of batches with $i$. $G$ is optimal iff $S = A - "
    r"\operatorname{diag}(y) \succeq 0$ and $SG = 0$ for some $y$. The range of $G$ are the vectors"
    r" that are equal on views and have the sum zero; so $SG = 0$ says that in each row of $S$, "
    r"summed over the views of an instance, all entries are equal, and $\lambda_{ij}$ is the same "
    r"for all $j \ne i$. As $\lambda_{ij} = \lambda_{ji}$, it is the same for all pairs. If it is, "
    r"then $r_i (B - 1) = \lambda (n - 1)$ is the same for all $i$, and $A$ is a multiple of the "
    r"gradient of the family of all batches, for which $G$ is optimal.",
)
FREE_BLOCKS = Lemma(
    "free blocks",
    statement=r"Let data be dealt into $k$ batches, each with a loss of its own that has only one "
    r"minimiser, a Gram matrix of rank $r$. Then the Gram matrices of all data that minimise the "
    r"mean of the losses form a convex set of dimension $\frac{k (k - 1)}{2} r^2$.",
    proof=r"The mean is minimal iff each loss is, so iff the diagonal blocks are those, $P_i = R_i "
    r"R_i^\top$ with $R_i$ of $r$ independent columns. A matrix with these is positive "
    r"semidefinite iff the other blocks are $R_i C_{ij} R_j^\top$ and the matrix of the "
    r"$r \times r$ matrices $C_{ij} = C_{ji}^\top$, with $C_{ii} = I$, is. It is for all small "
    r"$C_{ij}$, $i < j$, which are $\frac{k (k - 1)}{2}$ free matrices; and $R_i C R_j^\top$ tells "
    r"all entries of $C$.",
)
SLACKNESS = Lemma(
    "slackness",
    statement=r"Let $\mathcal{L}$ be convex and invariant, let $G$ be an invariant Gram matrix of "
    r"unit vectors, and let $\lambda_e$ and $\theta_e$ be the eigenvalues of $G$ and of the "
    r"gradient of $\mathcal{L}$ at $G$ on the common eigenspaces $e$. If for some $y$ all "
    r"$\theta_e \ge y$, with equality wherever $\lambda_e > 0$, then $G$ minimises $\mathcal{L}$ "
    r"over all Gram matrices of unit vectors; and every other minimiser vanishes on the "
    r"eigenspaces with $\theta_e > y$.",
    proof=(
        _DUAL + r"With such a $y$ the matrix $\nabla\mathcal{L}(G) - yI$ is positive semidefinite "
        r"and $\langle \nabla\mathcal{L}(G) - yI, G\rangle = 0$, so the right side is $\langle "
        r"\nabla\mathcal{L}(G) - yI, G'\rangle \ge 0$; and it is zero only if $G'$ vanishes "
        r"wherever $\theta_e > y$."
    ),
)
WEAK_SLACKNESS = Lemma(
    "weak slackness",
    statement=r"In the setting of an invariant convex $\mathcal{L}$, let $\lambda_e$ and "
    r"$\theta_e$ be the eigenvalues of an invariant Gram matrix $G$ and of the gradient there. If "
    r"for some $y$ all $\theta_e \ge y$, and $\theta_e = y$ wherever $\lambda_e > 0$, then $G$ "
    r"minimises $\mathcal{L}$ over all Gram matrices of unit vectors. This is so at a minimiser "
    r"over those that vanish outside some eigenspaces, if $y$ is the smallest $\theta_e$ of these "
    r"there and no other one is smaller.",
    proof=(
        _DUAL + r"The matrix $\nabla\mathcal{L}(G) - yI$ is positive semidefinite, and its inner "
        r"product with $G$ is $0$. At a minimiser over those that vanish outside some "
        r"eigenspaces no $\theta_e$ of these is smaller than one that belongs to a positive "
        r"$\lambda_e$: trace moved to it would lower $\mathcal{L}$."
    ),
)
CERTIFICATE = Lemma(
    "certificate",
    statement=r"Let $\mathcal{L}$ be convex and invariant under a group that takes each vector to "
    r"each, and let the trace of an invariant Gram matrix $G$ of unit vectors lie on eigenspaces "
    r"on which the gradient of $\mathcal{L}$ has one common eigenvalue $y$. Then $G$ is optimal "
    r"iff $\theta_e \ge y$ for every eigenspace $e$.",
    proof=(
        _DUAL + r"If $\theta_e \ge y$ for all $e$, the right side is $\langle \nabla\mathcal{L}(G) "
        r"- yI, G'\rangle \ge 0$. If $\theta_e < y$ for some $e$, trace moved to $e$ lowers "
        r"$\mathcal{L}$ to first order, and leaves the diagonal as it is, which is constant."
    ),
)
DUALITY = Lemma(
    "duality",
    statement=r"Let $\mathcal{L}$ be a convex function of matrices $G$ whose trace on each of $k$ "
    r"orbits of points is one. For one multiplier $y_i$ per orbit and $\varepsilon \ge 0$ with "
    r"$\nabla\mathcal{L}(G) - \operatorname{diag}(y) + \varepsilon I$ positive semidefinite on "
    r"every block, $\mathcal{L}(G) - \min\mathcal{L} \le \langle \nabla\mathcal{L}(G), G\rangle - "
    r"\sum_i y_i + k \varepsilon$.",
    proof=r"By convexity $\mathcal{L}(G) - \mathcal{L}(G') \le \langle \nabla\mathcal{L}(G), G - "
    r"G'\rangle$, and $\langle \nabla\mathcal{L}(G), G'\rangle \ge \sum_i y_i - k \varepsilon$, "
    r"since $G'$ is positive semidefinite and has the trace $k$.",
)
STRICT_ROWS = Lemma(
    "strict rows",
    statement=r"Let $\mathcal{L}$ be a sum, with positive weights, of logarithms of sums of "
    r"exponentials of inner products, and of linear functions. Two optima differ by a constant on "
    r"the inner products in one logarithm, and by the same constant in logarithms that share one "
    r"or are linked by others that do. If all are linked, two optima whose inner products there "
    r"have the same mean agree in them; and so do two optima that occupy the same single "
    r"eigenspace of the relations, linked or not.",
    proof=(
        CONVEX_LSE
        + r"Between two optima $\mathcal{L}$ is constant, so each of its convex terms is "
        r"affine there, and the difference is in the kernel of each Hessian. Where two logarithms "
        r"share an inner product their constants are the same; a constant of mean zero is zero. "
        r"If $G$ occupies one eigenspace, $A_r G = p_r G$ for the matrix $A_r$ of each relation "
        r"$r$; on the diagonal, the inner products of a vector with those in $r$ sum to $p_r$, for "
        r"every such $G$, so the mean of the difference is zero in each logarithm."
    ),
)
FIRST_ORDER = Lemma(
    "first-order condition",
    statement="A convex function on an interval has all its minimisers beyond a point iff it "
    "decreases there, and is minimal at an end iff it does not decrease away from it.",
    proof="The derivative of a convex function is non-decreasing.",
)
MONOTONE = Lemma(
    "monotone",
    statement="A function that decreases (increases) along a whole interval is minimal at its far "
    "(near) end only.",
    proof="By definition.",
)
RANK = Lemma(
    "rank",
    statement=r"Vectors with the Gram matrix $G$ exist in $\mathbb{R}^d$ iff $d \ge "
    r"\operatorname{rank} G$, and the rank is the sum of the dimensions of the eigenspaces on "
    r"which the eigenvalue is not zero.",
    proof=r"$G = U^\top U$ with $U$ the square root of $G$, whose columns are such vectors, in a "
    r"space of dimension $\operatorname{rank} G$; and $U^\top U$ has no larger rank than $U$, "
    r"which has $d$ rows.",
)
UNEQUAL_TOWERS = Lemma(
    "unequal towers",
    statement=r"Let the matrix of the inner products of $N$ vectors of one tower with $N$ of "
    r"another have the eigenvalue $g > 0$ on contrasts and $s$ on the mean, with $|s| \le N - "
    r"(N - 1) g$. Unit vectors with these inner products exist in $N$ dimensions.",
    proof=r"Let the Gram matrices of the towers have the eigenvalues $a$ and $b$ on contrasts, "
    r"with $ab = g^2$, and $\alpha = N - (N - 1) a$, $\beta = N - (N - 1) b$ on the mean, so that "
    r"the vectors have unit length. If $\alpha, \beta \ge 0$ and $\alpha \beta = s^2$, the whole "
    r"Gram matrix is positive semidefinite of rank at most $N$. With $a = g e^r$, $b = g e^{-r}$ "
    r"the product $\alpha \beta$ is $(N - (N - 1) g)^2 \ge s^2$ at $r = 0$ and goes to zero "
    r"continuously, as $\alpha$ does, so for some $r$ it is $s^2$.",
)
CENTRED_TOWERS = Lemma(
    "centred towers",
    statement=r"For $N \ge 4$ and $0 < g \le \frac{N}{N - 1}$ there are unit vectors $u_i, v_i \in "
    r"\mathbb{R}^{N-1}$ with $u_i \cdot v_j = g (\delta_{ij} - \frac1N)$. In $N - 2$ dimensions "
    r"no vectors have products $a$ for $i = j$ and $c \ne a$ for $i \ne j$.",
    proof=r"Let $K$ be a circulant symmetric matrix with the eigenvalue $0$ on the mean and "
    r"$\lambda_k > 0$ on the other Fourier modes, $\sum_k \lambda_k = N$, and $K^+$ its inverse on "
    r"them. Both have constant diagonals, so the rows of $\sqrt{K}$, and $g$ times those of "
    r"$\sqrt{K^+}$, are unit vectors with these products if $g^2 \sum_k 1/\lambda_k = N$. For $N "
    r"\ge 4$ the modes have two frequencies or more, so $\sum_k 1/\lambda_k$ takes all values from "
    r"$(N - 1)^2/N$, where all $\lambda_k$ are equal, to infinity. The products are a matrix $(a - "
    r"c) I + c J$, whose rank is at least $N - 1$.",
)
ONE_MORE = Lemma(
    "one more dimension",
    statement=r"Let $\mathcal{L}$ be invariant, and let $G$ be an invariant Gram matrix of unit "
    r"vectors $u_i$ with its whole trace on one eigenspace. If the gradient of $\mathcal{L}$ at "
    r"$G$ has the eigenvalue $y$ there and $\theta < y$ on another one, $G$ is not optimal among "
    r"vectors in $\operatorname{rank} G + 1$ dimensions; and where $G$ is optimal among all Gram "
    r"matrices, it is so in $\operatorname{rank} G$ dimensions.",
    proof=r"Let $f$ be an eigenvector for $\theta$. For small $\varepsilon$ the vectors "
    r"$(\sqrt{1 - \varepsilon^2 f_i^2}\,u_i, \varepsilon f_i)$ have unit length, and their Gram "
    r"matrix is $G + \varepsilon^2 (f f^\top - \frac12 (F G + G F)) + O(\varepsilon^4)$ with $F = "
    r"\operatorname{diag}(f_i^2)$. As $\nabla\mathcal{L}(G)\,G = y G$, the loss changes by "
    r"$\varepsilon^2 (\theta - y) \lVert f \rVert^2 + O(\varepsilon^4) < 0$. The second part "
    r"holds since fewer dimensions leave fewer Gram matrices.",
)
STAYS = Lemma(
    "stays optimal in its span",
    statement=r"Let a convex loss $\mathcal{L}$ of softmax terms, continuous in a parameter, have "
    r"the pure Gram matrix $G$ for its only optimum where the parameter reaches a threshold, let "
    r"$G$ be stationary for all values of it, and let every inner product but those of vectors "
    r"that coincide be in a logarithm with the anchor or a vector that coincides with it. In "
    r"$\operatorname{rank} G$ dimensions $G$ is the optimum on both sides of the threshold, near "
    r"it.",
    proof=r"Let $G = U U^\top$ with $U$ of $\operatorname{rank} G$ columns, and let the rows move "
    r"by those of $\varepsilon W$, tangent to the sphere. To second order the loss changes by "
    r"$\langle \nabla\mathcal{L}(G) - y I, W W^\top \rangle + \frac12 H(S, S)$ with $S = U W^\top "
    r"+ W U^\top$ and $H$ the Hessian. At the threshold the first term is $\ge 0$. The second is a "
    r"sum of variances of the rows of $S$ under the softmax; if it vanishes the rows are constant "
    r"in each logarithm, and $S_{ij} = 0$ where $i = j$ or $u_i = u_j$, so $S = 0$ and $W$ is a "
    r"rotation. So near $G$ it is the only optimum, up to rotations, for all values of the "
    r"parameter near the threshold; away from $G$ the loss is larger at the threshold by a fixed "
    r"amount, as the set of embeddings is compact.",
)
ONLY_ONE = Lemma(
    "only one Gram matrix",
    statement=r"Let $\mathcal{L}$ be a sum, with positive weights, of logarithms of sums of "
    r"exponentials and of linear functions. If every anchor has a logarithm over all vectors, "
    r"itself among them, there is only one optimal Gram matrix.",
    proof=(
        CONVEX_LSE
        + r"Between two optima $\mathcal{L}$ is constant, so each of its convex terms is "
        r"affine there. So the rows of two optima differ by constants, and the unit diagonal makes "
        r"these zero."
    ),
)
ONLY_ONE_UNLESS_FREE = Lemma(
    "only one Gram matrix unless the gradient vanishes",
    statement=r"Let $\mathcal{L}$ be a mean over anchors of $\log\sum_{j \ne i} e^{g_{ij}/\tau}$ "
    r"minus a linear function of the $g_{ij}$, $j \ne i$. If two Gram matrices of unit vectors "
    r"minimise $\mathcal{L}$, its symmetrised gradient vanishes at both.",
    proof=(
        CONVEX_LSE
        + r"So rows of two optima differ by one number, which is the same for all rows as "
        r"every two share an entry: $G' = G + c\,(J - I)$ with $c \ne 0$, $J$ being the matrix of "
        r"ones. Let $A$ be the symmetrised gradient at $G$ and $S = A - \operatorname{diag}(y) "
        r"\succeq 0$ with $SG = 0$. Then $0 = \mathcal{L}(G') - \mathcal{L}(G) \ge \langle S, G'"
        r"\rangle \ge 0$, so $SG' = 0$ and $S(J - I) = 0$. As $J - I$ is invertible, $S = 0$; and "
        r"$A$ has no diagonal, so $A = 0$. It is the same at $G'$, as softmax probabilities do not "
        r"change with $c$."
    ),
)
NOT_FELT = Lemma(
    "absent inner products",
    statement="The loss does not change with what no term contains, so any value that leaves the "
    "Gram matrix positive semidefinite is as good.",
    proof="By definition.",
)
CONCAVE = Lemma(
    "concave",
    statement=r"A concave function is $\ge 0$ on one interval, which may be empty; one that is not "
    r"positive at the start and decreases there is negative beyond it.",
    proof="The derivative of a concave function is non-increasing.",
)
COMPOSED = Lemma(
    "composition of convex functions",
    statement=r"Let $f(x, y)$ be convex and not fall with $y$, and let $y(x)$ be convex. Then "
    r"$f(x, y(x))$ is convex.",
    proof=r"At the mean of two $x$ the value of $y$ is at most the mean $\bar y$ of its two "
    r"values, so $f$ is at most $f(\bar x, \bar y)$, and that is at most the mean of its two "
    r"values.",
)
ANALYTIC = Lemma(
    "analytic",
    statement=r"A sum of convex functions, analytic inside a segment, one of which has a positive "
    r"second derivative at a point, is affine on no part of it, so its minimiser is unique.",
    proof=r"The zeros of an analytic function that does not vanish are isolated.",
)
SUBGRADIENTS = Lemma(
    "subgradients",
    statement=r"That the certificate suffices holds with any subgradient in place of the "
    r"gradient. And a point of a segment is the minimum there iff the left derivative is not "
    r"positive and the right derivative is not negative.",
    proof=r"The proof uses no more of the gradient than that $\mathcal{L}(G') - \mathcal{L}(G) "
    r"\ge \langle \nabla\mathcal{L}(G), G' - G\rangle$. The subgradients of a convex function of "
    r"one variable at a point are the numbers between its two one-sided derivatives.",
)
SHAPE = Lemma(
    "shape",
    statement=r"A continuous function that is smooth on pieces is convex if its derivative "
    r"decreases neither on a piece nor at a kink, and is non-increasing (non-decreasing) if its "
    r"derivative is nowhere positive (negative).",
    proof=r"By the mean value theorem on each piece.",
)
CLASSES_OF_PAIRS = Lemma(
    "classes of pairs",
    statement=r"Let $u_i \cdot v_j$ depend only on the classes of the pairs $i$ and $j$, of $m$ of "
    r"one size. The mean of InfoNCE over both directions and over all batches of $B$ pairs is "
    r"minimal where $u_i = v_i$ are the simplex of classes. Its value there is the supremum over "
    r"$p$ of that of SupCon with $p$ equal views, over batches of $B$ samples, minus $\log p$.",
    proof=r"The loss is convex in the matrix $C$ of the cosines of classes and does not change "
    r"when these are relabelled, so it does not rise when $C$ is averaged: to $s$ on the diagonal "
    r"and $x$ beside it. An anchor with $k$ pairs of its class in the batch, itself among them, "
    r"has $\log(k + (B - k) e^{(x - s)/\tau})$, which falls with $s - x$. With $2a = \sum_c (u_c "
    r"+ v_c)$ and $2b = \sum_c (u_c - v_c)$ the sum of $C$ is $|a|^2 - |b|^2 \ge -\frac{m^2}{2} "
    r"(1 - s)$, so $(m - 1) x \ge -s - \frac m2 (1 - s)$ and $(m - 1)(s - x) \le \frac m2 (1 + s) "
    r"\le m$, with equality at the simplex. SupCon has $k - 1/p$ in the place of $k$.",
    grade=Grade.ARGUED,
)
