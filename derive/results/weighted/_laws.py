"""Laws of the SupCon optimum on classes of given sizes, beside the numbers of it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from sympy import Integer, Matrix, Mul, Rational, S, eye, log, oo, true, zeros

from ...decide.domain import POSITIVE, Domain
from ...losses.labels import HARD_SUPCON
from ...losses.softmax import tau
from ...optimum.merging import l1, merging, r
from ...optimum.threshold import threshold
from ...optimum.unequal import (
    Q,
    li,
    lj,
    q,
    q_other,
    state_cold,
    state_dimension,
    state_hot,
    state_simplex,
)
from ...proof.derivation import Derivation
from ...proof.relations import eq, lt
from ...theorem.quantity import Quantity

#: So many classes at most have a table of cosines here: each entry is an exact number.
LISTED = 16
HEATED = Domain({tau: POSITIVE}, {tau: S.One})


def laws(sizes: Sequence[int], proof: Derivation) -> dict[str, Quantity]:
    """What is proved of classes of these sizes at all temperatures, as steps of a derivation.

    Tables of cosines at the ends of the temperature are left out for very many classes.
    """
    found = {"tau_merge": _tau_merge(sizes, proof)}
    state_dimension(HARD_SUPCON, proof)
    found["dimension"] = Quantity(
        Integer(len(sizes) - 1),
        "C - 1",
        "smallest embedding dimension in which the optimum is that of every larger dimension",
    )
    found["uniform"] = _uniform(sizes, proof)
    if len(sizes) <= LISTED:
        found["small_tau"] = _small_tau(sizes, proof)
        found["cosines_tau_oo"] = _large_tau(sizes, proof)
    return found


def _tau_merge(sizes: Sequence[int], proof: Derivation) -> Quantity:
    """The temperature from which all classes but the largest share one prototype."""
    meaning = (
        "smallest temperature from which on all classes except the largest share one "
        "prototype, opposite to that of the largest; oo if they never do"
    )
    written = r"\tau_{\mathrm{merge}}"
    if len(sizes) == 2:
        return Quantity(S.Zero, written, f"{meaning} (two classes are always opposite)")
    largest = max(sizes)
    rest = sum(sizes) - largest
    at = {l1: Integer(largest), r: Integer(rest)}
    merged, _ = merging(HARD_SUPCON, proof)
    criterion = merged.at(at, f"for l1 = {largest}, r = {rest}")
    if largest > rest:
        found = threshold(criterion, tau, HEATED, proof)
        return Quantity.of(found, "tau_merge", written, extended=True)
    proof.holds(
        "If the largest class has at most half of all samples, the smaller classes "
        "never share one prototype",
        lt(criterion.condition, S.Zero),
        "at every temperature the certificate of a shared prototype has a negative eigenvalue",
        HEATED,
    )
    return Quantity(oo, written, meaning, extended=True)


def _uniform(sizes: Sequence[int], proof: Derivation) -> Quantity:
    """Whether the optimum is the regular simplex."""
    alike = len(sizes) == 2 or len(set(sizes)) == 1
    if not alike:
        state_simplex(HARD_SUPCON, proof)
    return Quantity(
        true if alike else S.false,
        r"\mathrm{uniform}",
        "whether the prototypes form a regular simplex; for given sizes they do at "
        "every temperature or at none",
    )


def _small_tau(sizes: Sequence[int], proof: Derivation) -> Quantity:
    """The first order of the cosines as the temperature goes to zero."""
    count = len(sizes)
    weight, _ = state_cold(HARD_SUPCON, proof)
    pairs = list(combinations(range(count), 2))
    weights = {
        (i, j): weight.xreplace({li: Integer(sizes[i]), lj: Integer(sizes[j])}) for i, j in pairs
    }
    product = Mul(*weights.values())
    first = zeros(count, count)
    for (i, j), w in weights.items():
        first[i, j] = first[j, i] = log(product / w ** len(pairs)) / len(pairs)
    proof.holds(
        "With b_ij the mean of log w over all pairs minus log w_ij, the numbers b_ij "
        "add up to zero",
        eq(Mul(*(product / w ** len(pairs) for w in weights.values())), S.One),
        "the product of exp(b_ij) over all pairs, raised to the number of pairs, is "
        "1; and w_ij exp(b_ij) is the same for all pairs by definition",
        HEATED,
    )
    return Quantity(
        first,
        r"\lim_{\tau\to 0}\tfrac{1}{\tau}\bigl(\cos(\mu_c, \mu_{c'}) + \tfrac{1}{C-1}\bigr)",
        "limit of (cosine of two classes + 1/(C - 1))/tau as tau -> 0; the simplex "
        "has the cosine -1/(C - 1)",
    )


def _large_tau(sizes: Sequence[int], proof: Derivation) -> Quantity:
    """The cosines as the temperature grows."""
    total, largest = sum(sizes), max(sizes)
    count = len(sizes)
    if 2 * largest < total:
        cosine = state_hot(HARD_SUPCON, proof)
        parts = [Rational(size, total) for size in sizes]
        whole = sum((p**2 / (1 - 2 * p) for p in parts), S.Zero)
        cosines = eye(count)
        for i, j in combinations(range(count), 2):
            value = cosine.xreplace({q: parts[i], q_other: parts[j], Q: whole})
            cosines[i, j] = cosines[j, i] = value
        rows = (sum((cosines[i, j] * parts[j] for j in range(count)), S.Zero) for i in range(count))
        proof.holds(
            "With these cosines the class means, weighted by class size, add up to zero",
            [eq(row, S.Zero) for row in rows],
            "their weighted sum has inner product zero with each of them",
            HEATED,
        )
    else:
        v = Matrix([S.NegativeOne if k == sizes.index(largest) else S.One for k in range(count)])
        cosines = v * v.T
    return Quantity(
        cosines,
        r"\lim_{\tau\to\infty}\cos(\mu_c, \mu_{c'})",
        "cosines of the class means in the limit tau -> oo",
    )
