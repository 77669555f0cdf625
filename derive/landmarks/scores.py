"""Landmarks of losses of prototypes and of features.

Prototypes: the cross-entropy between a teacher's shares q of K prototypes and the student's softmax
of its scores over tau, log sum_k exp(s_k/tau) - sum_k q_k s_k/tau. Features: an expression in a few
statistics of the two views.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import mpmath
from sympy import Expr, Float, Integer, Rational, S, Symbol, exp, log, sqrt

from ..frozen import FrozenValue
from . import chance
from .landmark import Landmark, Options, exactly, least, number

EQUAL_SCORES = (
    "all outputs are uniform: they have collapsed, or the head has not begun to tell images apart"
)


class Prototypes(FrozenValue):
    """A cross-entropy over prototypes.

    Attributes
    ----------
    own
        The teacher's share of a prototype at cosine 1, where all others are at 0.
    terms
        Cross-entropies that are added.
    """

    own: Callable[[Options], Expr]
    terms: Expr = S.One

    def landmarks(self, options: Options) -> Iterator[Landmark]:
        """Equal scores, scores at random, agreement, and the lower bound."""
        count, tau = options["prototypes"], options["tau"]

        def crossed(scores: Mapping[Expr, Expr], own: Expr) -> tuple[float, str]:
            """Scores with their counts; the first is that of the teacher's own prototype."""
            first, *others = scores
            total = sum((k * exp(s / tau) for s, k in scores.items()), S.Zero)
            mean = own * first + (1 - own) * (others[0] if others else first)
            return exactly(self.terms * (log(total) - mean / tau))

        equal: dict[Expr, Expr] = {S.One: count}
        yield Landmark(
            "all_equal", *crossed(equal, S.One), "equal scores for all prototypes", EQUAL_SCORES
        )
        d = int(options["dim"])
        spread = chance.mean_log(float("-inf"), int(count), 1, d, number(tau))
        yield Landmark(
            "random",
            number(self.terms) * spread,
            f"mean over random vectors, by quadrature at d = {d}",
            "student, teacher and prototypes drawn independently",
            "nothing is learned: student and teacher agree by chance only",
            0.0,
        )
        own = self.own(options)
        value, how = crossed({S.One: S.One, S.Zero: count - 1}, own)
        yield Landmark(
            "orthogonal",
            value,
            "evaluated: the code is iterated" if own.has(Float) else how,
            "student and teacher on one prototype, cosine 1, others 0"
            + (f"; the code gives it {number(own):.3g}" if number(own) < 0.99 else ""),
            "student and teacher agree on a prototype for each image",
            0.0,
        )
        value, _ = crossed({S.One: S.One, S.NegativeOne: count - 1}, S.One)
        yield least(value, "lower bound: all on one prototype, the others at cosine -1")


def softened(temperature: Expr) -> Callable[[Options], Expr]:
    """A teacher's softmax of scores 1 and 0 at its own temperature."""
    return lambda options: 1 / (1 + (options["prototypes"] - 1) * exp(-1 / temperature))


def balanced(epsilon: Expr, steps: int = 3) -> Callable[[Options], Expr]:
    """The code of Sinkhorn's algorithm, which gives all prototypes the same total.

    Samples are spread over prototypes as evenly as can be, so that prototypes, and their samples,
    are of two kinds: some have one sample more. With fewer samples than prototypes that is one
    sample or none, and the code of a sample must spread over prototypes that nobody is near.
    """

    def own(options: Options) -> Expr:
        count, batch = int(options["prototypes"]), int(options["batch"])
        each, more = divmod(batch, count)
        prototypes, samples = (more, count - more), (each + 1, each)
        peak = mpmath.exp(mpmath.mpf(epsilon.q) / epsilon.p)
        row, column = [mpmath.mpf(1)] * 2, [mpmath.mpf(1)] * 2
        for _ in range(steps):
            total = sum(k * n * x for k, n, x in zip(prototypes, samples, column, strict=True))
            row = [1 / (total + n * (peak - 1) * x) for n, x in zip(samples, column, strict=True)]
            total = sum(k * x for k, x in zip(prototypes, row, strict=True))
            column = [1 / (total + (peak - 1) * x) for x in row]
        kinds = zip(prototypes, samples, row, column, strict=True)
        return Float(str(sum(k * n * peak * x * y for k, n, x, y in kinds) / batch), 15)

    return own


# --- losses of features ------------------------------------------------------------------------
#: Statistics of two views of features.
distance = Symbol("distance", nonnegative=True)
shortfall = Symbol("shortfall", nonnegative=True)
covariance = Symbol("covariance", nonnegative=True)
diagonal = Symbol("diagonal", nonnegative=True)
beside = Symbol("beside", nonnegative=True)

Values = Mapping[Symbol, Expr]


class Features(FrozenValue):
    """An expression in statistics of features that are not normalised.

    Attributes
    ----------
    loss
        The expression.
    equal, random
        The statistics where all vectors are equal, and their means where features are independent
        standard normal numbers.
    """

    loss: Expr
    equal: Callable[[Options], Values]
    random: Callable[[Options], Values]

    def landmarks(self, options: Options) -> Iterator[Landmark]:
        """Collapse, chance, and views that agree on features of variance 1 without correlation."""

        def at(values: Values) -> tuple[float, str]:
            return exactly(self.loss.xreplace(dict(values)))

        yield Landmark(
            "all_equal",
            *at(self.equal(options)),
            "all vectors equal",
            "all embeddings have collapsed to one vector",
        )
        value, _ = at(self.random(options))
        yield Landmark(
            "random",
            value,
            "mean over independent standard normal features",
            "views independent",
            "nothing is learned: views are no more alike than others",
        )
        if options["batch"] > options["dim"]:  # covariances of fewer images have no full rank
            yield Landmark(
                "orthogonal",
                *at(dict.fromkeys(self.loss.free_symbols, S.Zero)),
                "views equal, features of variance 1 and uncorrelated",
                "views agree and no feature is redundant, which is the optimum",
            )
        yield least(0.0, "lower bound: 0, attained with more images than features only")


def vicreg(variances: int) -> Features:
    """VICReg: 25 of the distance, 25 of the hinge of the deviations, 1 of the covariances.

    ``shortfall`` is the mean over views of max(0, 1 - sqrt(variance + 1e-4)), which counts
    ``variances`` times, and ``covariance`` the sum over both views.
    """
    eps = Rational(1, 10**4)

    def random(options: Options) -> Values:
        n, d = options["batch"], options["dim"]
        missing = _mean_shortfall(int(n), eps)
        return {distance: Integer(2), shortfall: missing, covariance: 2 * (d - 1) / (n - 1)}

    return Features(
        25 * distance + 25 * variances * shortfall + covariance,
        lambda options: {distance: S.Zero, shortfall: 1 - sqrt(eps), covariance: S.Zero},
        random,
    )


def _mean_shortfall(n: int, eps: Expr) -> Expr:
    """E max(0, 1 - sqrt(v + eps)) of the sample variance v of n standard normal numbers."""
    half = mpmath.mpf(n - 1) / 2
    at = mpmath.log(half) * half - mpmath.loggamma(half)

    def part(v: Any) -> Any:
        density = mpmath.exp(at + (half - 1) * mpmath.log(v) - half * v)
        return density * (1 - mpmath.sqrt(v + mpmath.mpf(eps.p) / eps.q))

    width = 10 / mpmath.sqrt(half)
    ends = {max(mpmath.mpf(0), 1 - k * width) for k in (1, 0.3, 0.1)}
    return Float(str(mpmath.quad(part, [*sorted(ends), 1 - mpmath.mpf(eps.p) / eps.q])), 15)


def barlow(scale: Expr, weight: Expr) -> Features:
    """Barlow Twins: squares of 1 - c_ii, and ``weight`` times those of c_ij, summed."""

    def random(options: Options) -> Values:
        n, d = options["batch"], options["dim"]
        square = 1 / (n - 1)  # of a correlation of n pairs of independent normal numbers
        return {diagonal: d * (1 + square), beside: d * (d - 1) * square}

    return Features(
        scale * (diagonal + weight * beside),
        lambda options: {diagonal: options["dim"], beside: S.Zero},
        random,
    )
