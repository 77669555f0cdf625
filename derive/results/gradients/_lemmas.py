"""The inferences in words that results on gradients make; their proofs stand with the others."""

from ...proof.statement import Lemma

RAYLEIGH = Lemma(
    "Rayleigh quotient",
    "a sum of vectors with coefficients r has the square r^T K r <= N sigma |r|^2, K being their "
    "Gram matrix and N sigma its largest eigenvalue, with equality iff r is an eigenvector of it "
    "(or zero); and N sigma I - K is a form >= 0, for which Cauchy and Schwarz hold",
    statement=r"Let $K$ be the Gram matrix of unit vectors $z_1, \dots, z_N$ and $\sigma$ the "
    r"largest eigenvalue of $\tfrac1N \sum_j z_j z_j^\top$. Then $\|\sum_j r_j z_j\|^2 = r^\top K "
    r"r \le N \sigma \|r\|^2$, with equality iff $K r = N \sigma r$; and $(u^\top A v)^2 \le "
    r"(u^\top A u)(v^\top A v)$ for $A = N \sigma I - K$.",
    proof=r"$K$ and $\sum_j z_j z_j^\top$ have the same positive eigenvalues, so $A$ is positive "
    r"semidefinite.",
)
MINKOWSKI = Lemma(
    "Minkowski",
    "the mean inner product c of two random vectors is between -x y and x y, so the root of the "
    "mean square of their sum is at most x + y",
    statement=r"If the mean squares of two random vectors are $x^2$ and $y^2$, that of their sum "
    r"is at most $(x + y)^2$.",
    proof=r"The mean of their inner product is at most $x y$, by the inequality of Cauchy and "
    r"Schwarz for means.",
)
LIEB = Lemma(
    "Tropp",
    "of independent symmetric X_1 .. X_N the mean of tr exp(sum X_k) is at most tr exp(sum log E "
    "exp X_k)",
    statement=r"For independent random symmetric matrices $X_1, \dots, X_N$ the mean of "
    r"$\operatorname{tr} \exp(\sum_k X_k)$ is at most $\operatorname{tr} \exp(\sum_k \log "
    r"\mathbb{E} \exp X_k)$.",
    proof=r"By Lieb's theorem $A \mapsto \operatorname{tr} \exp(H + \log A)$ is concave: J. "
    r"Tropp, User-friendly tail bounds for sums of random matrices, 2012, Lemma 3.4.",
)
LEAVE_ONE_OUT = Lemma(
    "leave one out",
    "of independent draws with one law, z_1 and a vector m' that is a function of the others have "
    "E[f <m', z_1>]^2 <= E[f^2] sigma E|m'|^2 for any number f, sigma being the largest eigenvalue "
    "of the law's second moment",
    statement=r"For independent vectors $z_1, \dots, z_N$ of one law, a function $m'$ of all but "
    r"$z_1$ and any random number $f$, $(\mathbb{E}[f \langle m', z_1\rangle])^2 \le "
    r"\mathbb{E}[f^2]\, \sigma\, \mathbb{E}\|m'\|^2$, where $\sigma$ is the largest eigenvalue of "
    r"$\mathbb{E}[z_1 z_1^{\mathsf{T}}]$.",
    proof=r"By the inequality of Cauchy and Schwarz it is at most $\mathbb{E}[f^2]\, "
    r"\mathbb{E}\langle m', z_1\rangle^2$; given the others, the second mean is the form of $m'$ "
    r"in $\mathbb{E}[z_1 z_1^{\mathsf{T}}]$.",
)
TWO_ATOMS = Lemma(
    "two values",
    "of all laws of a number s on an interval with a mean square of sigma at most, and with a "
    "share at the upper end of at least a given one, the ratio of the mean of Y^2 to the square of "
    "the mean of Y, Y = exp(s/tau), is largest for one that sits at the upper end and at one other "
    "value",
    statement=r"Let $Y = e^{s/\tau}$. Of all laws of $s$ on $[a, b]$ with $\mathbb{E} s^2 \le "
    r"\sigma$ and a mass of at least $\alpha_0 \ge 0$ at $b$, some one for which "
    r"$\mathbb{E}[Y^2]/\mathbb{E}[Y]^2$ is largest sits at $b$ and at one other value.",
    proof=r"The laws are a compact convex set. Where the ratio is largest it rises towards no "
    r"other law, so but for the mass $\alpha_0$ the law sits where $\psi(s) = Y^2/\mathbb{E}[Y^2] "
    r"- 2Y/\mathbb{E}[Y] - \kappa s^2$ is largest, for a multiplier $\kappa \ge 0$. As "
    r"$\tau^2\psi''/Y = 4Y/\mathbb{E}[Y^2] - 2/\mathbb{E}[Y] - 2\kappa\tau^2/Y$ rises with $s$, "
    r"$\psi$ is concave before one value and convex after: it is largest at one value of the "
    r"first part, at $b$, or at both.",
)
