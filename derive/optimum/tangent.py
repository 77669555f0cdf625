"""The second variation of a softmax loss at a pure structure, in no more dimensions than it spans.

With one more dimension a structure is left as soon as the gradient has a smaller eigenvalue on some
other eigenspace. Without it points that coincide can only move apart along the span of the others,
which changes the inner products with them: that costs the variance of the logits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sympy import Eq, Expr, Integer, S, Symbol, exp

from ..decide.decide import positive, zero
from ..decide.evidence import Outcome, Refuted, Undecided
from ..decide.present import tidy
from ..proof.statement import Lemma, Statement, every
from .reduce import Pool, ReducedLoss

#: What a statement calls tau times the second variation, over the mean squared length.
VARIATION = Symbol("Q")
IN_ITS_SPAN = Lemma(
    "second variation in its span",
    "points that coincide and move apart within the span of the structure change their inner "
    "products with all other points, which costs the variance of the logits",
    statement=r"Let a softmax loss with temperature $\tau$ on $N$ points have the gradient "
    r"$A/\tau$ at the Gram matrix $G$ of unit vectors $u_i \in \mathbb{R}^r$, with the whole trace "
    r"on one eigenspace, of dimension $r$. Let points that do not coincide have one inner product "
    r"and, in every denominator $D$ that has one of them, the same softmax probability $q_D$; let "
    r"$c_D$ be the coefficient of its logarithm. If $w_i \perp u_i$ sum to zero over coinciding "
    r"points and each coordinate lies in an eigenspace $e$, moving $u_i$ along $\varepsilon w_i$ "
    r"on the sphere changes the loss by $\frac{\varepsilon^2}{\tau N} Q \sum_i |w_i|^2 + "
    r"O(\varepsilon^3)$ with $Q = \theta_e - \theta + \frac{N}{r\tau} \sum_D c_D q_D$, where "
    r"$\theta_e$ and $\theta$ are the eigenvalues of $A$ on $e$ and on the trace. If $\theta_{e'} "
    r"\ge \theta$ for the eigenspaces $e'$ that are constant on coinciding points, no motion has a "
    r"negative second variation unless $Q < 0$ for one of the others; if $Q > 0$ for all of them "
    r"and every denominator has the anchor or a point that coincides with it, only rotations have "
    r"the second variation zero.",
    proof=r"To second order $u_i$ moves by $\varepsilon w_i - \frac12\varepsilon^2 |w_i|^2 u_i$, "
    r"so $g_{ij}$ changes by $\varepsilon\delta_{ij} + \varepsilon^2 (w_i \cdot w_j - \frac12 "
    r"(|w_i|^2 + |w_j|^2) g_{ij})$ with $\delta_{ij} = u_i \cdot w_j + w_i \cdot u_j$. As $AU = "
    r"\theta U$, the gradient contributes $\frac{1}{\tau N} (\theta_e - \theta) \sum |w_i|^2$. The "
    r"logarithms contribute $\frac{1}{2\tau^2}$ times the variance of $\delta_{i\cdot}$ under "
    r"their softmax. Where $i$ and $j$ coincide $\delta_{ij} = 0$; over the others its mean is "
    r"zero, and so is that of $(u_i \cdot w_j)(w_i \cdot u_j)$, as the $w_j$ of coinciding points "
    r"add up to zero. And $\sum_j (w_i \cdot u_j)^2 = \frac{N}{r} |w_i|^2$, since $\sum_j u_j "
    r"u_j^\top = \frac{N}{r} I$; likewise with $i$ and $j$ exchanged, so the mean over anchors is "
    r"$\frac{1}{\tau^2 N} \frac{N}{r} q_D \sum |w_i|^2$. Motions that are constant on coinciding "
    r"points do not mix with these; there the variance is not negative, and the gradient "
    r"contributes $\sum_{e'} (\theta_{e'} - \theta) |w_{e'}|^2$. If the variance is zero, all "
    r"$\delta_{ij}$ are, as it is zero for the anchor; so the motion is a rotation.",
)
THIRD = Lemma(
    "third variation in its span",
    "where the second variation of a motion is zero, its third one is that of the logits, and one "
    "of the two directions lowers the loss unless it is zero",
    statement=r"As in the lemma on the second variation, let $\sum_i u_i = 0$, and move one group "
    r"of coinciding points $u$ by $\varepsilon f_i t$ with $\sum_i f_i = 0$, $t \perp u$ and $|t| "
    r"= 1$. Let $F = \sum_i f_i^3$ and $T = \sum_j (t \cdot u_j)^3$. The third variation of the "
    r"loss is $\frac{\varepsilon^3}{3 \tau^3 N} F T \sum_D c_D q_D$. If it is not zero where $Q = "
    r"0$, the structure is no local minimum there, nor the minimum where $Q$ is small enough.",
    proof=r"Inner products of the group among itself are even in $\varepsilon$, and those with the "
    r"others are $\cos(\varepsilon f_i)\, u \cdot u_j + \sin(\varepsilon f_i)\, t \cdot u_j$. Sums "
    r"over $j$ of $t \cdot u_j$ and over $i$ of $f_i$ vanish, so of the third cumulants and mixed "
    r"terms of all anchors only $\frac{1}{6\tau^3} q_D f_i^3 (t \cdot u_j)^3$ is left, once with "
    r"$i$ and once with $j$ as the anchor. It changes sign with $t$; the loss is continuous in its "
    r"parameters.",
)


def second_variation(loss: ReducedLoss, inner: Mapping[str, Expr], trace: str, e: str) -> Expr:
    """Q of the lemma, for contrasts of an eigenspace among points that coincide."""
    theta = loss.scheme.eigenvalues(loss.pair_gradient(inner))
    apart = _apart(loss, inner)
    spread = S.Zero
    for pool, coefficient in loss.denominators.items():
        weights = dict(zip(pool.members, pool.weights, strict=False))
        seen = [r for r in pool.members if r in apart]
        if seen:
            weight = weights.get(seen[0], S.One) * exp(inner[seen[0]] / loss.loss.temperature)
            spread += coefficient * weight / loss.partition(pool, inner)
    room = loss.scheme.eigenspace(trace).dimension * loss.loss.temperature
    return theta[e] - theta[trace] + loss.scheme.size / room * spread


def _apart(loss: ReducedLoss, inner: Mapping[str, Expr]) -> list[str]:
    """Relations of points that do not coincide."""
    return [r.name for r in loss.scheme.relations if inner[r.name] != 1]


@dataclass(frozen=True, eq=False)
class SecondVariation(Statement):
    """``Q == ..``: the second variation along contrasts of an eigenspace in the span.

    Attributes
    ----------
    trace, contrasts
        The eigenspace with the trace, and the one along which coinciding points move apart.
    """

    loss: ReducedLoss
    inner: Mapping[str, Expr] = field(repr=False)
    trace: str
    contrasts: str

    def decide(self) -> Outcome:
        """Whether the lemma applies, and this is what it says."""
        if not isinstance(self.shown, Eq) or self.shown.args[0] != VARIATION:
            return Undecided(f"{self.shown} is not about the second variation")
        scheme, apart = self.loss.scheme, _apart(self.loss, self.inner)
        together = {r.name: Integer(r.name not in apart) for r in scheme.relations}
        if len({self.inner[r] for r in apart}) != 1 or any(p.own in apart for p in self._pools):
            return Undecided("points that do not coincide are not alike")
        for pool in self._pools:
            if set(pool.members) <= set(apart):
                return Undecided("a denominator has only points that do not coincide")
            weights = dict(zip(pool.members, pool.weights, strict=False))
            seen = {r: weights.get(r, S.One) for r in pool.members if r in apart}
            if seen and (set(seen) != set(apart) or len(set(seen.values())) != 1):
                return Undecided("points that do not coincide are not alike in a denominator")
        sums = scheme.eigenvalues(together)
        inside = [e for e, value in sums.items() if tidy(value) == 0]
        killed = (scheme.table[e][r] for e in inside for r in apart)
        if self.contrasts not in inside or any(tidy(value) != 0 for value in killed):
            return Refuted(note=f"{self.contrasts} is not among points that coincide")
        theta = scheme.eigenvalues(self.loss.pair_gradient(self.inner))
        rigid = (theta[e] - theta[self.trace] for e in sums if e not in (*inside, self.trace))
        found = second_variation(self.loss, self.inner, self.trace, self.contrasts)
        return every(
            [
                *(positive(gap, self.domain, strict=False) for gap in rigid),
                zero(self.shown.args[1] - found, self.domain),
            ]
        )

    @property
    def _pools(self) -> list[Pool]:
        return list(self.loss.denominators)
