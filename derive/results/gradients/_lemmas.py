"""The inferences in words that results on gradients make; their proofs stand with the others."""

from ...proof.statement import Lemma

RAYLEIGH = Lemma(
    "Rayleigh quotient",
    statement=r"Let $K$ be the Gram matrix of unit vectors $z_1, \dots, z_N$ and $\sigma$ the "
    r"largest eigenvalue of $\tfrac1N \sum_j z_j z_j^\top$. Then $\|\sum_j r_j z_j\|^2 = r^\top K "
    r"r \le N \sigma \|r\|^2$, with equality iff $K r = N \sigma r$; and $(u^\top A v)^2 \le "
    r"(u^\top A u)(v^\top A v)$ for $A = N \sigma I - K$.",
    proof=r"$K$ and $\sum_j z_j z_j^\top$ have the same positive eigenvalues, so $A$ is positive "
    r"semidefinite.",
)
MINKOWSKI = Lemma(
    "Minkowski",
    statement=r"If the mean squares of two random vectors are $x^2$ and $y^2$, that of their sum "
    r"is at most $(x + y)^2$.",
    proof=r"The mean of their inner product is at most $x y$, by the inequality of Cauchy and "
    r"Schwarz for means.",
)
LIEB = Lemma(
    "Tropp",
    statement=r"For independent random symmetric matrices $X_1, \dots, X_N$ the mean of "
    r"$\operatorname{tr} \exp(\sum_k X_k)$ is at most $\operatorname{tr} \exp(\sum_k \log "
    r"\mathbb{E} \exp X_k)$.",
    proof=r"By Lieb's theorem $A \mapsto \operatorname{tr} \exp(H + \log A)$ is concave: J. "
    r"Tropp, User-friendly tail bounds for sums of random matrices, 2012, Lemma 3.4.",
)
LEAVE_ONE_OUT = Lemma(
    "leave one out",
    statement=r"For independent vectors $z_1, \dots, z_N$ with the same distribution, a function "
    r"$m'$ of all but $z_1$ and any random number $f$, $(\mathbb{E}[f \langle m', z_1\rangle])^2 "
    r"\le \mathbb{E}[f^2]\, \sigma\, \mathbb{E}\|m'\|^2$, where $\sigma$ is the largest "
    r"eigenvalue of $\mathbb{E}[z_1 z_1^{\mathsf{T}}]$.",
    proof=r"By the inequality of Cauchy and Schwarz it is at most $\mathbb{E}[f^2]\, "
    r"\mathbb{E}\langle m', z_1\rangle^2$; given the others, the second mean is the form of $m'$ "
    r"in $\mathbb{E}[z_1 z_1^{\mathsf{T}}]$.",
)
TWO_ATOMS = Lemma(
    "two values",
    statement=r"Let $Y = e^{s/\tau}$. Among all distributions of $s$ on $[a, b]$ with "
    r"$\mathbb{E} s^2 \le \sigma$ and a mass of at least $\alpha_0 \ge 0$ at $b$, "
    r"$\mathbb{E}[Y^2]/\mathbb{E}[Y]^2$ is largest for one that is concentrated on $b$ and "
    r"one other value.",
    proof=r"The distributions are a compact convex set. At a maximum the derivative towards any "
    r"other distribution is at most $0$, so apart from the mass $\alpha_0$ the distribution "
    r"is concentrated where $\psi(s) = Y^2/\mathbb{E}[Y^2] - 2Y/\mathbb{E}[Y] - \kappa s^2$ "
    r"is largest, for a multiplier $\kappa \ge 0$. As $\tau^2\psi''/Y = 4Y/\mathbb{E}[Y^2] - "
    r"2/\mathbb{E}[Y] - 2\kappa\tau^2/Y$ increases with $s$, $\psi$ is concave below one "
    r"value and convex above it: it is largest at one value of the concave part, at $b$, or "
    r"at both.",
)
