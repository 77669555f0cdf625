r"""The lemmas of derivations as they stand in a paper: what each says, and its proof in a line.

Each is the lemma of the same name in ``proof/lemmas.py``, with its hypotheses, in symbols. A lemma
that is not here, such as one of another package, is printed in its own words.
"""

from __future__ import annotations

from ...proof.statement import Lemma
from ..display import sentence
from ..macros import escape
from .lemmas_kernels import OF_KERNELS
from .printed import Printed

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
    "entropic bound": Printed(
        "Entropic bound",
        r"Weighted InfoNCE minus the mean over rows of the entropy of $p_{ij} = w_{ij}/\sum_{k \ne "
        r"i} w_{ik}$ is the mean over rows of the divergence of $p_{i\cdot}$ from the softmax of "
        r"$s_{i\cdot}$. So it is at least $0$, and $0$ iff $s_{ij} = \log w_{ij} + c_i$ for all $i "
        r"\ne j$. If $w$ and $s$ are symmetric and all $w_{ij} > 0$, the constants $c_i$ are one.",
        r"Gibbs' inequality for each row: $p\log(p/s) \ge p - s$, with equality iff $p = s$. By "
        r"symmetry $c_i = s_{ij} - \log w_{ij} = c_j$.",
    ),
    "centred Gram matrix": Printed(
        "Centred Gram matrix",
        r"Let $D$ be symmetric with zero diagonal, and $B = -\tfrac12 J D J$ with $J = I - "
        r"\tfrac1n E$. There are points with $\|z_i - z_j\|^2 = d_{ij}$ iff $B$ is positive "
        r"semidefinite. Their affine hull then has the dimension $\operatorname{rank} B$, and they "
        r"are unique up to isometry.",
        r"$d_{ij} = b_{ii} + b_{jj} - 2 b_{ij}$ are the squared distances of vectors with the Gram "
        r"matrix $B$; and $B$ is the Gram matrix of points with these distances and centroid $0$.",
    ),
    "an eigenvalue and its copies": Printed(
        "An eigenvalue and its copies",
        r"If $D + c\,(E - I)$ with $c \ne 0$ holds the squared distances of points in $q < n - 1$ "
        r"dimensions, $-c/2$ is an eigenvalue of $-\tfrac12 J D J$ with multiplicity at least "
        r"$n - 1 - q$, so $\operatorname{rank} J D J \ge n - 1 - q$.",
        r"At least $n - 1 - q$ of the $n - 1$ eigenvalues of the centred Gram matrix with $c$ "
        r"vanish, and each is one without $c$, plus $c/2$.",
    ),
    "a trace of zero": Printed(
        "A trace of zero",
        r"If $D + c\,(E - I)$ with $c > 0$ holds the squared distances of points in $q < n - 1$ "
        r"dimensions, $D$ has at least $n - 1 - q$ eigenvalues $\ge c$ and one that is negative, "
        r"so $\operatorname{rank} D \ge n - q$.",
        r"$x^\top D x = c\,\|x\|^2$ on the eigenspace of $-\tfrac12 J D J$ of $-c/2$; "
        r"Courant--Fischer. The diagonal of $D$ is zero, and so is the sum of its eigenvalues.",
    ),
    "a largest eigenvalue": Printed(
        "A largest eigenvalue",
        r"If moreover $D \ge 0$ and $n > q + 2$, two eigenvalues of $D$ are negative, so "
        r"$\operatorname{rank} D \ge n - q + 1$.",
        r"No eigenvalue is larger in absolute value than the largest, $P$ (Perron--Frobenius). One "
        r"negative eigenvalue would be minus the sum of the positive ones, $P + (n - 2 - q)\,c > "
        r"P$ or more in absolute value.",
    ),
    "points of full dimension": Printed(
        "Points of full dimension",
        r"If $D + c\,(E - I)$ with $c < 0$ holds squared distances of points, $D$ holds those of "
        r"points in $n - 1$ dimensions, and $\operatorname{rank} D = n$. So it does if $D$ is a "
        r"Euclidean distance matrix and a constant other than $0$ is needed in $q < n - 1$ "
        r"dimensions.",
        r"All eigenvalues of $-\tfrac12 J D J$ beside that of the vector of ones are then at least "
        r"$-c/2 > 0$: $D$ is negative definite on $n - 1$ dimensions, and its trace is zero.",
    ),
    "only one Gram matrix unless the gradient vanishes": Printed(
        "Only one Gram matrix unless the gradient vanishes",
        r"Let $\mathcal{L}$ be a mean over anchors of $\log\sum_{j \ne i} e^{g_{ij}/\tau}$ less a "
        r"linear function of the $g_{ij}$, $j \ne i$. If two Gram matrices of unit vectors are "
        r"least, the symmetrised gradient of $\mathcal{L}$ vanishes at both.",
        _LSE + r"So rows of two optima differ by one number, which is the same for all rows as "
        r"every two share an entry: $G' = G + c\,(J - I)$ with $c \ne 0$, $J$ being the matrix of "
        r"ones. Let $A$ be the symmetrised gradient at $G$ and $S = A - \operatorname{diag}(y) "
        r"\succeq 0$ with $SG = 0$. Then $0 = \mathcal{L}(G') - \mathcal{L}(G) \ge \langle S, G'"
        r"\rangle \ge 0$, so $SG' = 0$ and $S(J - I) = 0$. As $J - I$ is invertible, $S = 0$; and "
        r"$A$ has no diagonal, so $A = 0$. It is the same at $G'$, as softmax probabilities do not "
        r"change with $c$.",
    ),
    "composition of convex functions": Printed(
        "Composition of convex functions",
        r"Let $f(x, y)$ be convex and not fall with $y$, and let $y(x)$ be convex. Then "
        r"$f(x, y(x))$ is convex.",
        r"At the mean of two $x$ the value of $y$ is at most the mean $\bar y$ of its two values, "
        r"so $f$ is at most $f(\bar x, \bar y)$, and that is at most the mean of its two values.",
    ),
    "Rayleigh quotient": Printed(
        "Rayleigh quotient",
        r"Let $K$ be the Gram matrix of unit vectors $z_1, \dots, z_N$ and $\sigma$ the largest "
        r"eigenvalue of $\tfrac1N \sum_j z_j z_j^\top$. Then $\|\sum_j r_j z_j\|^2 = r^\top K r "
        r"\le N \sigma \|r\|^2$, with equality iff $K r = N \sigma r$; and $(u^\top A v)^2 \le "
        r"(u^\top A u)(v^\top A v)$ for $A = N \sigma I - K$.",
        r"$K$ and $\sum_j z_j z_j^\top$ have the same positive eigenvalues, so $A$ is positive "
        r"semidefinite.",
    ),
    "two values": Printed(
        "Two values",
        r"Let $Y = e^{s/\tau}$. Of all laws of $s$ on $[a, b]$ with $\mathbb{E} s^2 \le \sigma$ "
        r"and a mass of at least $\alpha_0 \ge 0$ at $b$, some one for which $\mathbb{E}[Y^2]/"
        r"\mathbb{E}[Y]^2$ is largest sits at $b$ and at one other value.",
        r"The laws are a compact convex set. Where the ratio is largest it rises towards no other "
        r"law, so but for the mass $\alpha_0$ the law sits where $\psi(s) = Y^2/\mathbb{E}[Y^2] - "
        r"2Y/\mathbb{E}[Y] - \kappa s^2$ is largest, for a multiplier $\kappa \ge 0$. As "
        r"$\tau^2\psi''/Y = 4Y/\mathbb{E}[Y^2] - 2/\mathbb{E}[Y] - 2\kappa\tau^2/Y$ rises with "
        r"$s$, $\psi$ is concave before one value and convex after: it is largest at one value of "
        r"the first part, at $b$, or at both.",
    ),
    "spheres and cosines": Printed(
        "Spheres and cosines",
        r"$1 - \tau (d_{ij} + c)$ are the cosines of points iff those with the squared distances "
        r"$d_{ij} + c$ lie on a sphere of radius $\rho \le 1/\sqrt{2 \tau}$. They have as many "
        r"dimensions as these points, and one more if $\rho < 1/\sqrt{2 \tau}$.",
        r"Unit vectors have the squared distances $2 - 2\cos$. A coordinate more, the same for all "
        r"points, enlarges their sphere.",
    ),
    "classes are points": Printed(
        "Classes are points",
        r"Let the loss of an anchor fall with the inner product within its class, which is in "
        r"the terms of no other anchors. Then every class of two or more is one point at every "
        r"optimum.",
        r"Average an optimum over exchanges within a class: by convexity that is an optimum, and "
        r"the inner products within the class are one number $g$. Put $1$ in its place and keep "
        r"all others. On contrasts within the class the eigenvalue $1 - g \ge 0$ becomes $0$; "
        r"else only the entry of the mean of the class on the diagonal changes, and it grows. So "
        r"the matrix stays positive semidefinite, and the loss falls unless $g = 1$.",
    ),
    "rows with a fixed entry": Printed(
        "Rows with a fixed entry",
        r"Let $\mathcal{L}$ be a sum, with positive weights, of logarithms of sums of "
        r"exponentials of the inner products of an anchor with all others, and of linear "
        r"functions. If at every optimum each anchor has the inner product $1$ with another "
        r"vector, the same one, there is only one optimal Gram matrix.",
        _LSE + r"So rows of two optima differ by constants, and the entry $1$ makes these zero.",
    ),
    "the same point": Printed(
        "The same point",
        r"What holds of the slopes at classes of one prototype beside one or two other classes "
        r"holds beside any number of them.",
        r"Further classes add the same terms to the sums on both sides; and as $e^{u^\top "
        r"v/\tau}$ is the same for all samples $v$ at one point, denominators of others do not "
        r"tell classes at one point apart.",
    ),
    "shared prototype": Printed(
        "Shared prototype",
        r"Let classes of $m$ points together be at one point, and let the loss be least for one "
        r"class of $m$ points in their place. It is least for these classes iff the form $(T - m "
        r"B) I + B J$ on $m$ points is positive semidefinite on sums of one number per class, "
        r"where $J$ is the matrix of ones, $T$ the force per point with which the others press "
        r"them together, and $B$ that with which each of their points drives another away.",
        r"A certificate $S$ has the slopes off its diagonal, and $S G = 0$ gives the diagonal: "
        r"between classes of $l$ and $l'$ points here it is $B l l'$, and $(T - m B) l + B l^2$ "
        r"on the diagonal, which is the form with a class of $l$ being $l$ of the points. "
        r"Entries between a class of $l$ points and another class are proportional to $l$, so "
        r"contrasts of these classes meet nothing else; and on all else $S$ is the certificate "
        r"with one class in their place.",
    ),
    "certificate of the simplex": Printed(
        "Certificate of the simplex",
        r"The simplex is optimal for classes that are points iff the slopes of the loss in all "
        r"their cosines agree.",
        r"A certificate $S$ has these slopes off its diagonal, and $S G = 0$. The Gram matrix "
        r"$G$ of the simplex vanishes on multiples of the vector of ones only, so $S$ is a "
        r"multiple of the matrix of ones.",
    ),
    "cold": Printed(
        "Cold",
        r"Let $C$ classes be points with the cosines $-1/(C-1) + \tau b_{ij}$. As $\tau \to 0$ "
        r"the loss, less what it is with no other class, times $n e^{C/((C-1)\tau)}$, goes to "
        r"the sum over pairs of $w_{ij} e^{b_{ij}}$; and at the optimum $b_{ij}$ goes to the "
        r"mean of $\log w$ over all pairs less $\log w_{ij}$.",
        r"The sum of the entries of a Gram matrix is not negative, so neither is that of $b$. "
        r"The mean of $\log w + b$ is at most the logarithm of the mean of $w e^b$, with "
        r"equality iff $w e^b$ is the same for all pairs; so with a sum $\ge 0$ it is least "
        r"where that is so and the sum is zero. With this sum the matrix is positive "
        r"semidefinite but for terms of order $\tau^2$.",
    ),
    "hot": Printed(
        "Hot",
        r"Let classes of $l_c$ samples, $n$ together, be points $\mu_c$. Up to constants the "
        r"loss is $\|\sum_c l_c \mu_c\|^2/(n (n-1) \tau)$ to first order in $1/\tau$, and where "
        r"that is zero the next term is the sum of $l_c l_{c'} \cos^2(\mu_c, \mu_{c'})$ over $2 "
        r"n (n-1) \tau^2$. As $\tau \to \infty$ the optimum goes to the least of the latter "
        r"where $\sum_c l_c \mu_c = 0$, if that can be.",
        r"Minimisers of $F_1 + s F_2 + O(s^2)$ go, as $s \to 0$, to those of $F_1$ with the "
        r"least $F_2$, and the sum of squares is strictly convex.",
    ),
    "sums of one number per class": Printed(
        "Sums of one number per class",
        r"Let $g_{cc'}$ be the cosine of $\mu_c$ and $\mu_{c'}$. If $g_{cc'} = f_c + f_{c'}$ for "
        r"all $c \ne c'$, and $\sum_c l_c \mu_c = 0$, then no Gram matrix with this sum zero has a "
        r"smaller sum of $l_c l_{c'} g_{cc'}^2$.",
        r"The multipliers of $\operatorname{diag} G = 1$ and of $G l = 0$ are a diagonal matrix "
        r"and $l z^\top + z l^\top$. With $z_c = l_c f_c$ these make up the gradient $l_c l_{c'} "
        r"g_{cc'}$, so the certificate is zero.",
    ),
    "one dimension less": Printed(
        "One dimension less",
        r"If two prototypes push each other, the Gram matrix of the prototypes is singular, and "
        r"one dimension less than there are classes suffices.",
        r"A certificate $S$ has these slopes off its diagonal, so it is not zero, and $S G = 0$.",
    ),
    "lean": Printed(
        "Lean",
        r"Let $K$ head classes of one size and one other class, the tail, be points, and let the "
        r"loss rise with their cosines. At the optimum the cosine of a head class and the tail "
        r"is $-e$ and that of two head classes $(K e^2 - 1)/(K - 1)$, and the slope of the loss "
        r"along $e \ge 0$ vanishes once.",
        r"By symmetry there are two cosines. If no eigenvalue of the block of the means were "
        r"zero, the certificate would vanish on it, and no slope does. So the cosine of two "
        r"heads is as above. It and $-e$ are convex in $e^2$, and an increasing convex function "
        r"of convex functions is convex.",
    ),
    "rigid constant": Printed(
        "Rigid constant",
        r"Let $B + c E + d I$ be the Gram matrix of $n$ points, where $E$ is the matrix of ones "
        r"and $B$ a positive multiple of the Gram matrix of $n$ labels, or a negative one of the "
        r"matrix of their squared distances. If $d > 0$ the points have $n - 1$ dimensions or "
        r"more, and if $d < 0$ the affine hull of the labels has $n - 1$. So if neither has so "
        r"many, $d = 0$.",
        r"On vectors whose entries add up to zero $E$ vanishes, and $B$ is positive "
        r"semidefinite; it vanishes on some of them unless the affine hull of the labels has $n "
        r"- 1$ dimensions, and there $d I$ is left.",
    ),
    "Minkowski": Printed(
        "Minkowski",
        r"If the mean squares of two random vectors are $x^2$ and $y^2$, that of their sum is at "
        r"most $(x + y)^2$.",
        r"The mean of their inner product is at most $x y$, by the inequality of Cauchy and "
        r"Schwarz for means.",
    ),
    "Tropp": Printed(
        "Tropp",
        r"For independent random symmetric matrices $X_1, \dots, X_N$ the mean of "
        r"$\operatorname{tr} \exp(\sum_k X_k)$ is at most $\operatorname{tr} \exp(\sum_k \log "
        r"\mathbb{E} \exp X_k)$.",
        r"By Lieb's theorem $A \mapsto \operatorname{tr} \exp(H + \log A)$ is concave: J. Tropp, "
        r"User-friendly tail bounds for sums of random matrices, 2012, Lemma 3.4.",
    ),
    "leave one out": Printed(
        "Leave one out",
        r"For independent vectors $z_1, \dots, z_N$ of one law, a function $m'$ of all but $z_1$ "
        r"and any random number $f$, $(\mathbb{E}[f \langle m', z_1\rangle])^2 \le "
        r"\mathbb{E}[f^2]\, \sigma\, \mathbb{E}\|m'\|^2$, where $\sigma$ is the largest "
        r"eigenvalue of $\mathbb{E}[z_1 z_1^{\mathsf{T}}]$.",
        r"By the inequality of Cauchy and Schwarz it is at most $\mathbb{E}[f^2]\, "
        r"\mathbb{E}\langle m', z_1\rangle^2$; given the others, the second mean is the form of "
        r"$m'$ in $\mathbb{E}[z_1 z_1^{\mathsf{T}}]$.",
    ),
    **OF_KERNELS,
}


def printed(lemma: Lemma) -> Printed:
    """A lemma in LaTeX; in its own words if it is not one of ours."""
    known = PRINTED.get(lemma.name)
    if known is not None:
        return known
    said, why = (f"{escape(sentence(text).rstrip('.'))}." for text in (lemma.says, lemma.source))
    return Printed(sentence(lemma.name), said, why)
