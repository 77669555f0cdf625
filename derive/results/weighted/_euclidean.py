"""Squared distances compared with squared distances: what the results on it share.

The loss asks for the squared distances of the data up to a constant off the diagonal, which adds
its half to all eigenvalues of the centred Gram matrix. So the optimum has the principal components
of the data, all of them; or in fewer dimensions, where the least eigenvalues are equal, the first
ones with that eigenvalue taken off.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sympy import Expr, S, Symbol

from ...decide.domain import Domain, Range, at_least, between
from ...decide.present import solve_linear, tidy
from ...proof.derivation import Derivation
from ...proof.relations import eq
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ._geometry import GIBBS
from ._weights import REAL, q

mu = Symbol("mu", nonnegative=True)
mu_min = Symbol("mu_min", nonnegative=True)
MEANINGS = {
    q: "dimension of the embeddings",
    mu: "an eigenvalue of the centred Gram matrix of the data",
    mu_min: "smallest of its n - 1 eigenvalues on vectors of sum zero",
}
SPECTRUM = {mu: Range(S.Zero, low_open=False), mu_min: between(0, mu)}


def of_one_pair(squared: Expr, what: str, domain: Domain, proof: Derivation) -> dict[str, Quantity]:
    """What holds for all data: of one pair, and of one principal component."""
    wanted, c = Symbol("d_z", real=True), Symbol("c", real=True)
    proof.holds(
        "The entropic bound is attained iff the similarities are the log-weights plus one constant",
        eq(-wanted, -squared - c),
        GIBBS,
        domain.with_range(c, REAL, 0),
        names={wanted: squared + c},
    )
    shift = solve_linear(mu_min + c / 2, c)
    proof.equal(
        "Adding a constant c to all squared distances adds c/2 to every eigenvalue of "
        "the centred Gram matrix",
        {"shrunk": (mu - mu_min, (mu + c / 2).xreplace({c: shift}))},
        "-J (E - I) J/2 = J/2; the rank decreases only if the smallest eigenvalues, "
        "which are equal, become zero: mu_min + c/2 = 0",
        domain,
    )
    return {
        "squared_distance": Quantity(
            squared,
            r"\lVert z_i - z_j \rVert^2",
            f"optimal squared distance of two embeddings, {what}, if q is at least the "
            "dimension that the data span; the optimum is unique if q <= n - 2",
        ),
        "shrunk": Quantity(
            tidy(mu + shift / 2),
            r"\mu^\star",
            "eigenvalue of the centred Gram matrix at the optimum, if the data span n - 1 "
            "> q dimensions and the n - 1 - q smallest eigenvalues all equal mu_min: each "
            "principal component is shortened",
        ),
    }


def squared_result(
    id: str,
    *,
    squared: Expr,
    pair: str,
    ranges: Mapping[Symbol, Range],
    witness: Mapping[Symbol, Any],
    meanings: Mapping[Symbol, str],
    first: Mapping[str, Quantity] | None = None,
    **described: Any,
) -> Result:
    """The theorem on a loss whose weights come from squared distances.

    Parameters
    ----------
    squared, pair
        The squared distance of a pair, by the symbols of ``ranges``, and what it is the one of.
    first
        What else is derived.
    """
    domain = Domain({**ranges, **SPECTRUM, q: at_least(1)}, {**witness, mu: 2, mu_min: 1, q: 2})
    return Result(
        id,
        parameters=(*ranges, q, mu, mu_min),
        domain=domain,
        meanings={**meanings, **MEANINGS},
        build=lambda proof: {**(first or {}), **of_one_pair(squared, pair, domain, proof)},
        **described,
    )
