"""Numbers of logits, of a batch with a candidate, and of a law, to any number of digits.

They have the names by which bounds call them. Numbers are read as :mod:`.anchor` reads them, and
vectors normalised.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mpmath
from mpmath import mp, mpf

from .anchor import Anchor, dot, length, middle, number, unit

#: Digits beyond those that are asked for.
GUARD = 15

Row = Sequence[Any]
Numbers = dict[str, Any]


def of_logits(logits: Row, digits: int = 50) -> Numbers:
    """``N`` logits, and the softmax ``q`` of them.

    ``curvature`` is the largest eigenvalue of diag(q) - q q', ``remainder`` what q - 1/N differs
    by from the centred logits over N: its norms, its largest entry (``remainder_above``), minus
    its least (``remainder_below``) and that of the first logit (``remainder_first``).
    """
    with mp.workdps(digits + GUARD):
        given = [number(x) for x in logits]
        size, mean = len(given), middle(given)
        centred = [x - mean for x in given]
        top = max(given)
        weights = [mpmath.exp(x - top) for x in given]
        q = [w / mpmath.fsum(weights) for w in weights]
        hessian = mpmath.diag(q) - mpmath.matrix(q) * mpmath.matrix(q).T
        rest = [a - mpf(1) / size - x / size for a, x in zip(q, centred, strict=True)]
        return {
            "N": mpf(size),
            "curvature": max(mpmath.eigsy(hessian, eigvals_only=True)),
            "q_max": max(q),
            "participation": mpmath.fsum(a * a for a in q),
            "spread_2": length(centred),
            "spread_inf": max(map(abs, centred)),
            "deviation": length([a - mpf(1) / size for a in q]),
            "remainder_2": length(rest),
            "remainder_inf": max(map(abs, rest)),
            "remainder_above": max(rest),
            "remainder_below": -min(rest),
            "remainder_first": abs(rest[0]),
            "offset_first": abs(centred[0]),
        }


def of_batch(batch: Sequence[Row], candidate: Row, digits: int = 50) -> Numbers:
    """A batch of ``b`` (or ``n``) unit vectors in ``d`` dimensions, and a candidate.

    ``t`` is the trace of the squared second moment, ``q`` the candidate's form in that moment, and
    ``t_next`` the trace with the candidate; ``centroid`` is the candidate's inner product with the
    mean of the batch, ``entropy_rank`` the exponential of the entropy of the eigenvalues.
    """
    with mp.workdps(digits + GUARD):
        rows, z = [unit(x) for x in batch], unit(candidate)
        size, d = len(rows), len(z)
        products = [dot(x, z) for x in rows]
        moment = second_moment(rows)
        values = [max(x, mpf(0)) for x in mpmath.eigsy(moment, eigvals_only=True)]
        t = squared_norm(moment)
        logs = [x * mpmath.log(x) for x in values if x > 0]
        return {
            "b": mpf(size),
            "n": mpf(size),
            "d": mpf(d),
            "t": t,
            "effective_rank": 1 / t,
            "sigma_hat": max(values),
            "entropy_rank": mpmath.exp(-mpmath.fsum(logs)),
            "q": dot(products, products) / size,
            "centroid": middle(products),
            "t_next": squared_norm(second_moment([*rows, z])),
        }


def of_law(
    weights: Row,
    anchor: Sequence[Row],
    positive: Sequence[Row],
    negatives: Sequence[Sequence[Row]],
    tau: object,
    digits: int = 50,
) -> Numbers:
    """A law of anchors with positives and negatives: atoms with weights, at a temperature.

    ``epsilon`` is the root of the mean square of the softmax error, ``sigma`` the mean of the
    largest eigenvalues of the negatives' moments, ``gradient_variance`` that of the squared norm
    of the gradient, whose mean is ``mean_squared_gradient``.
    """
    with mp.workdps(digits + GUARD):
        share = [number(w) for w in weights]
        share = [w / mpmath.fsum(share) for w in share]
        atoms = [
            Anchor(z, y, rows, tau) for z, y, rows in zip(anchor, positive, negatives, strict=True)
        ]

        def expected(name: str, power: int = 1) -> Any:
            return mpmath.fsum(w * a[name] ** power for w, a in zip(share, atoms, strict=True))

        first = expected("squared_gradient")
        spread = [(a["squared_gradient"] - first) ** 2 for a in atoms]
        return {
            "N": mpf(len(negatives[0])),
            "n": mpf(len(negatives[0]) + 2),
            "tau": number(tau),
            "epsilon": mpmath.sqrt(expected("epsilon", 2)),
            "mean_epsilon_squared": expected("epsilon", 2),
            "epsilon_max": max(a["epsilon"] for a in atoms),
            "mean_epsilon_squared_sigma": mpmath.fsum(
                w * a["epsilon"] ** 2 * a["sigma"] for w, a in zip(share, atoms, strict=True)
            ),
            "mean_squared_sampling": expected("squared_sampling"),
            "sigma": expected("sigma"),
            "mean_squared_gradient": first,
            "gradient_variance": mpmath.fsum(w * s for w, s in zip(share, spread, strict=True)),
        }


# --- vectors -----------------------------------------------------------------------------------
def second_moment(rows: Sequence[list[Any]]) -> Any:
    """The mean of ``x x'``."""
    columns = list(zip(*rows, strict=True))
    return mpmath.matrix([[dot(u, v) for v in columns] for u in columns]) / len(rows)


def squared_norm(matrix: Any) -> Any:
    """Squared Frobenius norm."""
    return mpmath.fsum(e * e for e in matrix)
