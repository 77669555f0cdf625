"""Lower bounds for vectors on a sphere of any dimension: lemmas with their proofs.

The bound for one set of vectors rests on the von Mises-Fisher distribution being that of Brownian
motion at a random time (P. Hartman and G. S. Watson 1974) that is infinitely divisible (J. T. Kent
1977). The one for two sets is proved in words, from the shape of the heat kernel.
"""

from __future__ import annotations

from ..decide.evidence import Grade
from .statement import Lemma

_KERNEL = (
    r"Let $\kappa = 1/\tau$, $\sigma$ the uniform probability on $S^{d-1}$, $\Lambda = \log\int "
    r"e^{\kappa x \cdot y} \, d\sigma(y)$ and $K(x, y) = e^{\kappa x \cdot y - \Lambda}$. "
)
ONE_SET = Lemma(
    "uniform bound",
    statement=_KERNEL + r"For every $d \ge 1$, $\tau > 0$ and every probability $\mu$ on "
    r"$S^{d-1}$, $\int\log\int e^{\kappa x \cdot y} \, d\mu(y) \, d\mu(x) \ge \Lambda$, with "
    r"equality if $\mu = \sigma$. As $x \cdot y \le 1$, a softmax loss whose denominators are "
    r"sums over the same $N$ vectors, anchors among them, and whose positives have the weight 1 "
    r"together, is at least $\log N + \Lambda - \kappa$.",
    proof=r"$K$ has the eigenvalues $I_{\nu_0 + l}(\kappa)/I_{\nu_0}(\kappa)$, $\nu_0 = d/2 - 1$ "
    r"(Funk and Hecke). Let $d \ge 2$, and let $R$ be the diffusion with the generator $\frac12 "
    r"D^2 + (\frac{1}{2r} + \frac{I_{\nu_0}'}{I_{\nu_0}}) D$ from $\kappa$ on. With the potential "
    r"$-(\nu^2 - \nu_0^2)/(2r^2)$ it leaves $I_\nu/I_{\nu_0}$ as it is, which tends to 1, so "
    r"$I_\nu(\kappa)/I_{\nu_0}(\kappa) = E e^{-(\nu^2 - \nu_0^2) T/2}$ with $T = \int_0^\infty "
    r"R_s^{-2} ds$. $T$ is the sum of independent parts, one from each level to the next, however "
    r"close the levels: it is infinitely divisible (Khinchin; Kent 1977), $T = T' + T''$. As "
    r"$(\nu_0 + l)^2 - \nu_0^2$ are the eigenvalues of $-\Delta$, $K$ is the heat kernel at the "
    r"random time $T$, and $K = Q Q$ with $Q$ that at $T'$, symmetric, positive, and Markov. For "
    r"$d = 1$, $Q = 1 \pm \sqrt{\tanh\kappa}$. By Jensen's inequality and symmetry $\int\log "
    r"K\mu \, d\mu \ge \int Q\log(Q\mu) \, d\mu = \int Q\mu\log Q\mu \, d\sigma \ge 0$, a relative "
    r"entropy.",
    grade=Grade.ARGUED,
)
ON_A_LINE = Lemma(
    "uniform bound on a line",
    statement=r"Let $\kappa = 1/\tau$ and $x_1, \dots, x_N \in \{-1, 1\}$. Then $\frac1N \sum_i "
    r"\log\bigl(\frac1N \sum_j e^{\kappa x_i x_j}\bigr) \ge \log\cosh\kappa$, with equality if "
    r"half of them are $1$.",
    proof=r"Divided by $\cosh\kappa$ the inner mean is $1 + \tanh(\kappa)\, x_i \bar x = \frac12 "
    r"\sum_{y = \pm 1} Q(x_i, y)\, (1 + r \bar x y)$ with $r = \sqrt{\tanh\kappa}$ and $Q(x, y) = "
    r"1 + r x y > 0$. By Jensen's inequality its logarithm is at least $\frac12 \sum_y Q(x_i, y) "
    r"\log(1 + r \bar x y)$, and the mean of that over $i$ is $\frac12 \sum_y (1 + r \bar x y) "
    r"\log(1 + r \bar x y) \ge 0$, as $u \log u$ is convex.",
)
AFFINITY = Lemma(
    "affinity",
    statement=_KERNEL + r"With $K = QQ$ as in the proof of the uniform bound, "
    r"$(\int\sqrt{Q_u Q_v} \, d\sigma)^2 \ge K(u, v)/K(u, u) = e^{-\kappa (1 - u \cdot v)}$.",
    proof=r"For $d = 1$ the left side is $1 - \tanh\kappa \ge e^{-2\kappa}$. Let $d \ge 2$, $n = d "
    r"- 1$, $p_t(y)$ the heat kernel of $\frac12\Delta$ at $y = \cos x$, $\psi = \log p_t$ and $b "
    r"= \psi_y$, as limits of solutions that start from $e^{k y}$. (A) By the maximum principle "
    r"for the equations of $b$, $b_y$ and $-\psi'/x$: $b \ge 0$, $b_y \le 0$, $b$ falls with $t$ "
    r"and $b + y b_y \ge 0$. So $Z = -(\Delta\psi)_y - \frac23 (n - 1) b$ has $Z_t = \frac12 "
    r"(L_{n+2} - n) Z + ((1 - y^2) b Z)_y + 2 \psi'' Z + 2 (n - 1)(1 - y^2)(-b_y)(b + y b_y)$ "
    r"with $L_m = (1 - y^2)\partial_y^2 - m y \partial_y$, so $Z \ge 0$: $\Delta\log p_t$ does "
    r"not fall with the distance. (B) The density $\beta \propto p_T(u, \cdot)\, p_S(v, \cdot)$ of "
    r"the bridge from $u$ to $v$ at time $T$ is majorised by that of the loop, $v = u$: it arises "
    r"from a cap around $v$ by heat and by the flow along $\nabla\log p$. Heat keeps it majorised "
    r"(Riesz on the sphere; Baernstein and Taylor 1976), and so does the flow, for which by (A) no "
    r"set has a larger preimage than the cap around $u$ of its size. (C) $Q_u Q_v/K(u, v)$ "
    r"is a mixture of bridges. The mass of a cap falls with $T$ and $S$ by (A), and moving $v$ to "
    r"$u$ shifts the weights to smaller times (the inequality of Fortuin, Kasteleyn and Ginibre: "
    r"the density $p_{T+S}(u, u)$ of times is log-convex in $T + S$). So the mixture is majorised "
    r"by $Q_u^2/K(u, u)$, and the integral of the square root, which is Schur-concave, is at least "
    r"$\int Q_u/\sqrt{K(u, u)} = K(u, u)^{-1/2}$.",
    grade=Grade.ARGUED,
)
TWO_SETS = Lemma(
    "uniform bound for two towers",
    statement=_KERNEL + r"For every coupling $\pi$ of probabilities $\mu$ and $\nu$ on "
    r"$S^{d-1}$, $\int\log\int e^{\kappa u \cdot y} \, d\nu(y) \, d\mu(u) - \kappa\int u \cdot v "
    r"\, d\pi(u, v) \ge \Lambda - \kappa$, with equality if $u = v$ is uniform.",
    proof=r"Let $R_{uv} = \sqrt{Q_u Q_v}/\int\sqrt{Q_u Q_v} \, d\sigma$ and $\bar R$ its mean over "
    r"$\pi$. By Gibbs' inequality $\log K\nu(u) = \log\int Q_u \, Q\nu \, d\sigma \ge "
    r"\int\log(Q\nu) \, R_{uv} \, d\sigma - D(R_{uv} \| Q_u)$. As $Q\nu$ is the mean of $Q_v$ and "
    r"$D$ is convex, $\int\log(Q\nu) \, \bar R \, d\sigma \ge -D(\bar R \| Q\nu) \ge -E_\pi "
    r"D(R_{uv} \| Q_v)$. Together $\int\log K\nu \, d\mu \ge 2 E_\pi \log\int\sqrt{Q_u Q_v} \, "
    r"d\sigma \ge -\kappa E_\pi (1 - u \cdot v)$ by the affinity lemma.",
    grade=Grade.ARGUED,
)
WITHOUT_ANCHOR = Lemma(
    "uniform bound without the anchor",
    statement=r"Let $M$ vectors come in groups of $K_c \ge 2$, let the positives of an anchor be "
    r"the others of its group, alike in weight, and let its denominator be the sum over all other "
    r"vectors. Then the loss is at least $\log M + \sum_c \frac{K_c}{M} \log\frac{K_c - 1}{K_c} + "
    r"\Lambda - \kappa$, in the terms of the bound for two towers: for equal groups $\log((K - 1) "
    r"M/K) + \Lambda - \kappa$.",
    proof=r"Draw an ordered pair of different members $x_c, y_c$ of each group $c$, of weight "
    r"$w_c = K_c/M$. In each draw the mean over $c$, by these weights, of $\log\sum_{c'} w_{c'} "
    r"e^{\kappa x_c \cdot y_{c'}} - \kappa x_c \cdot y_c$ is at least $\Lambda - \kappa$. Given "
    r"$x_c$, the mean of the sum is $\frac{K_c}{M (K_c - 1)}$ of that over the others of the group "
    r"and $\frac1M$ of that over the other groups, at most $\frac{K_c}{M (K_c - 1)}$ of the "
    r"denominator; and the logarithm is concave.",
    grade=Grade.ARGUED,
)
