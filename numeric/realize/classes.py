"""Classes: SupCon and Soft SupCon, by their sizes alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .pairs import Unfit
from .prototypes import (
    Prototypes,
    critical_temperature,
    equiangular,
    least_epsilon,
    merge_temperature,
    of_classes,
    optimum,
)
from .search import about_search
from .verdict import (
    TOLERANCE,
    Verdict,
    Wanted,
    at_least,
    beside,
    cooler,
    dimensions,
    exactly,
)


def of_sizes(sizes: Sequence[int], wanted: Wanted, epsilon: float = 0.0) -> Verdict:
    """Classes: SupCon where epsilon is 0, else Soft SupCon.

    That points of a class are in one place is no restriction on verdicts of Soft SupCon. Another
    constant c' is below 1 (two points of a class have that cosine), and adds (1 - c')(I - E) to the
    Gram matrix. Where the prototypes do not exist that is negative on the sum of the class means,
    and there (1 - c') (sum 1/l - C^2) < 0 is added.
    """
    n, k, q = int(sum(sizes)), len(sizes), wanted.q
    if k < 2 or epsilon == 1 or (epsilon > 0 and max(sizes) == 1):
        return _equal_weights(n, q, k)
    if wanted.similarity == "euclidean":
        return _classes_apart(sizes, q, epsilon)
    tau = wanted.heat
    found = optimum(sizes, tau, epsilon, d=q, seeds=wanted.seeds, tell=wanted.tell)
    verdict = _hard(sizes, q, tau, found) if epsilon == 0 else _soft(k, q, tau, epsilon)
    if verdict.word == "realisable" and q >= n - 1:
        verdict.notes.append(
            "with so few points the optimum is not unique: those of a class need not be in one "
            "place"
        )
    verdict.bound, verdict.loss, verdict.excess = found.bound, found.loss, found.excess
    verdict.gap, verdict.vectors, verdict.cosines = found.gap, found.vectors, found.cosines
    verdict.stop = found.stop
    if verdict.word != "realisable":
        verdict.found = "optimised"
        _about_optimum(verdict, found, q)
    values = found.eigenvalues
    verdict.certificate |= {"rank": found.rank, "eigenvalues of the prototypes": values}
    return verdict


def _equal_weights(n: int, q: int, k: int) -> Verdict:
    if n < 2:
        raise Unfit("a single sample has no pairs")
    bound = float(np.log(n - 1))
    return Verdict(
        "realisable",
        "all weights are equal: all points in one place attain the bound",
        {"rank": 1},
        bound=bound,
        loss=bound,
        excess=0.0,
        gap=0.0,
        vectors=np.tile(np.eye(1, q), (k, 1)),
        cosines=np.ones((k, k)),
    )


def _hard(sizes: Sequence[int], q: int, tau: float, found: Prototypes) -> Verdict:
    k = len(sizes)
    verdict = Verdict(
        "degenerate",
        "pairs of two classes have weight 0, so the bound asks for a cosine of -oo between them; "
        "on the sphere it is not attained at any temperature",
    )
    verdict.evidence = "exact"  # a weight of zero is one
    epsilon = least_epsilon(k, tau)
    verdict.remedies = [
        f"Soft SupCon with epsilon >= {at_least(epsilon)} at this tau, in {dimensions(k)}"
    ]
    balanced = len(set(sizes)) == 1
    merge = merge_temperature(sizes)
    verdict.certificate["tau_merge"] = merge
    if balanced and q >= k - 1:
        verdict.notes.append("the classes are balanced: the prototypes are a regular simplex")
    elif np.isfinite(merge):
        then = "here they do" if tau >= merge else "here they do not"
        verdict.notes.append(
            f"from tau = {at_least(merge)} on, all classes but the largest share one prototype"
            + (f": {then}" if found.is_convex else " in any dimension")
        )
    elif k > 2 and not balanced:
        verdict.notes.append(
            "the largest class has at most half of all samples: the others merge at no temperature"
        )
    return verdict


def _soft(k: int, q: int, tau: float, epsilon: float) -> Verdict:
    cosine = 1 + tau * float(np.log(epsilon))
    critical = critical_temperature(k, epsilon)
    certificate = {
        "cosine asked for": cosine,
        "least cosine of a simplex": -1 / (k - 1),
        "tau_critical": critical,
    }
    needed = k - 1 if np.isclose(tau, critical, rtol=TOLERANCE, atol=0) else k
    if tau > critical * (1 + TOLERANCE):
        warm, limit = beside(tau, critical)
        low, least = beside(cosine, -1 / (k - 1))
        wider = "" if q >= k else f", in {dimensions(k)}"
        return Verdict(
            "inconsistent",
            f"tau = {warm} is beyond {limit}: classes would need the cosine {low}, and {k} vectors "
            f"cannot all be below {least}",
            certificate,
            [
                *cooler(critical, k - 1, q),
                f"epsilon >= {at_least(least_epsilon(k, tau))} at this tau{wider}",
            ],
        )
    certificate["dimensions needed"] = needed
    if q < needed:
        return Verdict(
            "inconsistent",
            f"{k} classes at the cosine {cosine:.6g} need {dimensions(needed)}, q is {q}",
            certificate,
            [f"dimension >= {needed}"]
            + ([f"tau = {exactly(critical)}, where the simplex is regular"] if q == k - 1 else []),
        )
    return Verdict(
        "realisable",
        f"the cosine {cosine:.6g} between classes is that of {k} vectors in {dimensions(needed)}, "
        "whatever the sizes of the classes",
        certificate,
        notes=[
            f"classes are farthest apart, as a regular simplex, at tau = {critical:.6g}, or at "
            f"epsilon = {least_epsilon(k, tau):.6g} for this tau"
        ]
        if needed == k
        else ["the simplex is regular: no classes are farther apart at any temperature"],
    )


def _about_optimum(verdict: Verdict, found: Prototypes, q: int) -> None:
    about_search(verdict, found.is_convex, q)
    if bool((found.collapse < 0).any()) and found.excess > 1e-9:
        worst = int(np.argmin(found.collapse))
        verdict.notes.append(f"class number {worst + 1} is not proved to collapse to a point")


def _classes_apart(sizes: Sequence[int], q: int, epsilon: float) -> Verdict:
    k, n = len(sizes), sum(sizes)
    if epsilon == 0:
        if min(sizes) < 2:
            raise Unfit("a class with a single sample has no positive pair")
        return Verdict(
            "degenerate",
            "pairs of two classes have weight 0: the bound is approached as the classes move "
            "apart without end, in any dimension and any arrangement, and never attained",
            remedies=[f"Soft SupCon with any epsilon > 0, in {dimensions(k - 1)}"],
            bound=float(sum(s * np.log(s - 1) for s in sizes) / n),
        )
    certificate = {"rank": k - 1, "squared distance": -float(np.log(epsilon))}
    bound = of_classes(sizes, 1.0, epsilon).bound
    if q < k - 1:
        return Verdict(
            "inconsistent",
            f"{k} classes at equal distances need {dimensions(k - 1)}, q is {q}",
            certificate,
            [f"dimension >= {k - 1}"],
            bound=bound,
        )
    # The edges of a simplex of unit vectors have the squared length 2 k / (k - 1).
    scale = np.sqrt(-np.log(epsilon) * (k - 1) / (2 * k))
    z = scale * equiangular(k, -1 / (k - 1), q)
    return Verdict(
        "realisable",
        f"the classes are a regular simplex with squared distance -log(epsilon) in "
        f"{dimensions(k - 1)}, whatever their sizes",
        certificate,
        bound=bound,
        loss=bound,
        excess=0.0,
        gap=0.0,
        vectors=z,
    )
