"""The second variation of a softmax loss at a pure structure, in no more dimensions than it spans.

With one more dimension a structure is left as soon as the gradient has a smaller eigenvalue on some
other eigenspace. Without it points that coincide can only move apart along the span of the others,
which changes the inner products with them: that costs the variance of the logits. And groups of
coinciding points on a simplex can only bend it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from sympy import Add, Eq, Expr, Integer, S, Symbol, exp, log

from ..decide.calculus import derivative
from ..decide.decide import positive, zero
from ..decide.evidence import Outcome, Refuted, Undecided
from ..decide.present import tidy
from ..proof.statement import Lemma, Statement, every
from .reduce import ReducedLoss

#: What a statement calls tau times the second variation, over the mean squared length.
VARIATION = Symbol("Q")
IN_ITS_SPAN = Lemma(
    "second variation in its span",
    statement=r"Let a softmax loss with temperature $\tau$ on $N$ points have the gradient "
    r"$A/\tau$ at the Gram matrix $G$ of unit vectors $u_i \in \mathbb{R}^r$, with the whole trace "
    r"on one eigenspace, of dimension $r$. Let points that do not coincide have one inner product "
    r"and, in every denominator $D$ that has one of them, the same softmax probability $q_D$; let "
    r"$c_D$ be the coefficient of its logarithm. If $w_i \perp u_i$ sum to zero over coinciding "
    r"points and each coordinate lies in an eigenspace $e$, moving $u_i$ along $\varepsilon w_i$ "
    r"on the sphere changes the loss by $\frac{\varepsilon^2}{\tau N} Q \sum_i |w_i|^2 + "
    r"O(\varepsilon^3)$ with $Q = \theta_e - \theta + \frac{N}{r\tau} \sum_D c_D q_D$, where "
    r"$\theta_e$ and $\theta$ are the eigenvalues of $A$ on $e$ and on the trace. No motion "
    r"has a negative second variation iff $Q \ge 0$ for all these $e$ and no motion that is "
    r"constant on coinciding points has one.",
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
    r"points do not mix with these.",
)
#: tau times the second derivative of the loss in the inner product of one group with the others.
BEND = Symbol("R")
#: That inner product.
BENT = Symbol("z", real=True)
TO_ONE = Lemma(
    "bending a simplex",
    statement=r"As in the lemma on the second variation, let the groups of coinciding points be at "
    r"the $M \ge 3$ corners of a simplex in $\mathbb{R}^{M-1}$, $g = -1/(M-1)$, and every "
    r"denominator have a point that coincides with the anchor, or the anchor. Let $f(z)$ be the "
    r"loss where all other groups have the inner product $z$ with one of them and form a simplex "
    r"around it. No motion that is constant on coinciding points has a negative second variation "
    r"iff $f''(g) \ge 0$.",
    proof=r"Let the corners $u_i$ move along $w_i \perp u_i$. There is a vector $v$ such that "
    r"$w'_i = v - a_i u_i$ with $a_i = v \cdot u_i$ has the same sum as $w_i$, since $\sum_i w'_i "
    r"= M \frac{M-2}{M-1} v$. The gradient contributes a multiple of the square of this sum alone, "
    r"and the logarithms the variance of $\delta_{ij} = u_i \cdot w_j + w_i \cdot u_j$, which is "
    r"zero where $i = j$. For $w'' = w - w'$ the sum is zero, so $\sum_j \delta''_{ij} = -2 u_i "
    r"\cdot w''_i = 0$, while $\delta'_{ij} = (1 - g)(a_i + a_j)$; so $\sum_{ij} \delta'_{ij} "
    r"\delta''_{ij} = 0$ and the covariance of the two vanishes. That of $w''$ is not negative. "
    r"The second variation along $w'$ is a quadratic form in $v$ that no permutation of corners "
    r"changes, hence a multiple of $|v|^2$, and for $v = u_1$ it is $f''(g)$ times a square, as "
    r"$f'(g) = 0$ by symmetry.",
)
THIRD = Lemma(
    "third variation in its span",
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
        seen = [r for r in pool.members if r in apart]
        if seen:
            weight = pool.weight(seen[0]) * exp(inner[seen[0]] / loss.loss.temperature)
            spread += coefficient * weight / loss.partition(pool, inner)
    room = loss.scheme.eigenspace(trace).dimension * loss.loss.temperature
    return theta[e] - theta[trace] + loss.scheme.size / room * spread


def _apart(loss: ReducedLoss, inner: Mapping[str, Expr]) -> list[str]:
    """Relations of points that do not coincide."""
    return [r.name for r in loss.scheme.relations if inner[r.name] != 1]


def bent(loss: ReducedLoss, inner: Mapping[str, Expr]) -> Expr:
    """The loss where all other groups have the inner product :data:`BENT` with one of them.

    They form a simplex around it. Points that do not coincide are alike in a denominator.
    """
    counts = {r.name: r.count for r in loss.scheme.relations}
    apart, groups = _apart(loss, inner), groups_of(loss, inner)
    around = BENT**2 - (1 - BENT**2) / (groups - 2)
    # The share of the other groups in an inner product: of the one group, of all others.
    views = (((BENT, S.One),), ((BENT, 1 / (groups - 1)), (around, (groups - 2) / (groups - 1))))
    total = S.Zero
    for weight, seen in zip((1 / groups, (groups - 1) / groups), views, strict=True):
        of = S.Zero
        for pool, coefficient in loss.denominators.items():
            parts = [
                share * counts[r] * pool.weight(r) * exp((value - 1) / loss.loss.temperature)
                for r in pool.members
                for value, share in (seen if r in apart else ((S.One, S.One),))
            ]
            of += coefficient * log(Add(*parts))
        pulls = sum((loss.pulls[r] * counts[r] for r in apart), S.Zero)
        of -= pulls * Add(*(share * (value - 1) for value, share in seen)) / loss.loss.temperature
        total += weight * of
    return total


def bending(loss: ReducedLoss, inner: Mapping[str, Expr]) -> Expr:
    """R of the lemma: tau times the second derivative of :func:`bent` at the simplex."""
    slope = derivative(derivative(bent(loss, inner), BENT), BENT)
    return loss.loss.temperature * slope.xreplace({BENT: inner[_apart(loss, inner)[0]]})


def groups_of(loss: ReducedLoss, inner: Mapping[str, Expr]) -> Expr:
    """The number of groups of coinciding points."""
    together = sum((r.count for r in loss.scheme.relations if inner[r.name] == 1), S.Zero)
    return tidy(loss.scheme.size / together)


class InItsSpan(Statement):
    """A statement on motions in the span of a structure with its trace on one eigenspace."""

    loss: ReducedLoss
    inner: Mapping[str, Expr] = field(repr=False)
    trace: str

    def _unfit(self, name: Symbol, about: str) -> Undecided | None:
        """Why no lemma applies, if it is not about this, or not all that is apart is alike."""
        if not isinstance(self.shown, Eq) or self.shown.args[0] != name:
            return Undecided(f"{self.shown} is not about {about}")
        apart = _apart(self.loss, self.inner)
        pools = list(self.loss.denominators)
        if len({self.inner[r] for r in apart}) != 1 or any(pool.own in apart for pool in pools):
            return Undecided("points that do not coincide are not alike")
        for pool in pools:
            if set(pool.members) <= set(apart):
                return Undecided("a denominator has only points that do not coincide")
            seen = {r: pool.weight(r) for r in pool.members if r in apart}
            if seen and (set(seen) != set(apart) or len(set(seen.values())) != 1):
                return Undecided("points that do not coincide are not alike in a denominator")
        return None

    def _inside(self) -> list[str]:
        """Eigenspaces of motions that sum to zero over coinciding points."""
        apart = set(_apart(self.loss, self.inner))
        together = {r.name: Integer(r.name not in apart) for r in self.loss.scheme.relations}
        sums = self.loss.scheme.eigenvalues(together)
        return [e for e, value in sums.items() if tidy(value) == 0]


class SecondVariation(InItsSpan):
    """``Q == ..``: the second variation along contrasts of an eigenspace in the span.

    Attributes
    ----------
    trace, contrasts
        The eigenspace with the trace, and the one along which coinciding points move apart.
    """

    contrasts: str

    def decide(self) -> Outcome:
        """Whether the lemma applies, and this is what it says."""
        unfit = self._unfit(VARIATION, "the second variation")
        if unfit is not None:
            return unfit
        inside = self._inside()
        far = _apart(self.loss, self.inner)
        killed = (self.loss.scheme.table[e][r] for e in inside for r in far)
        if self.contrasts not in inside or any(tidy(value) != 0 for value in killed):
            return Refuted(note=f"{self.contrasts} is not among points that coincide")
        found = second_variation(self.loss, self.inner, self.trace, self.contrasts)
        return zero(self.shown.args[1] - found, self.domain)


class Bends(InItsSpan):
    """``R == ..``: how the loss changes to second order where groups move towards one of them."""

    def decide(self) -> Outcome:
        """Whether the groups are at the corners of a simplex, and this is what it says."""
        unfit = self._unfit(BEND, "bending a simplex")
        if unfit is not None:
            return unfit
        groups = groups_of(self.loss, self.inner)
        room = self.loss.scheme.eigenspace(self.trace).dimension
        whole = {*self._inside(), self.trace}
        left = [e.dimension for e in self.loss.scheme.eigenspaces if e.name not in whole]
        far = self.inner[_apart(self.loss, self.inner)[0]]
        if left != [1] or tidy(room - groups + 1) != 0 or tidy(far * room + 1) != 0:
            return Refuted(note="the groups are not at the corners of a simplex")
        return every(
            [
                positive(groups - 2, self.domain),
                zero(self.shown.args[1] - bending(self.loss, self.inner), self.domain),
            ]
        )
