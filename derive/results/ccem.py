"""The double-Constant Embedding Model, as what symmetry leaves (lee2024sigmoid, Definition 3).

Two towers of N unit vectors, symmetric under relabelling of items and exchange of the
towers. Ask that the towers share no mean and differ in no contrast: a segment of Gram
matrices is left, from the (N-1)-simplex with u_i = v_i to u_i = -v_j.
"""

from sympy import Eq, Expr, Piecewise, S, Tuple, oo

from ..engine.derivation import Derivation, by_construction
from ..engine.domain import Range, between
from ..engine.limits import limit
from ..engine.present import tidy
from ..engine.relations import eq, ge
from ..engine.result import Quantity, Result
from ..structures.towers import NEGATIVE, POSITIVE, WITHIN
from ..symbols import N, delta, x
from ._ccem import ITEMS, ccem_segment, position_of_delta, state_delta

DOMAIN = ITEMS.with_range(delta, Range(low_open=False), 1)


def build(proof: Derivation) -> dict[str, Quantity]:
    segment = ccem_segment()
    scheme, values = segment.scheme, segment.eigenvalues()
    proof.zero(
        "Symmetry: relations, eigenspaces and the table of eigenvalues",
        scheme.residuals(),
        "items crossed with towers",
        ITEMS,
        Tuple(*(Tuple(e.dimension, values[e.name]) for e in scheme.eigenspaces)),
    )
    proof.zero(
        "No shared mean and no differing contrast leave a segment",
        [values[e] for e in segment.active],
        "two of four eigenvalues vanish along it",
        ITEMS,
        Tuple(*(eq(f"g_{r}", e) for r, e in segment.inner.items())),
    )
    state_delta(proof, segment, ITEMS)
    inside = ITEMS.with_range(x, between(0, segment.length), 1)
    proof.positive(
        "It exists for every delta >= 0",
        [values[segment.low], values[segment.high]],
        "the two eigenvalues left are non-negative on the whole segment",
        inside,
        ge(segment.length, x),
        strict=False,
    )

    def rank(at: Expr) -> Expr:
        live = (e for e in scheme.eigenspaces if tidy(values[e.name].xreplace({x: at})) != 0)
        return tidy(sum((e.dimension for e in live), S.Zero))

    dimension = Piecewise((rank(S.Zero), Eq(delta, 0)), (rank(x), True))
    proof.add(
        "Least dimension: the rank of the Gram matrix",
        dimension,
        "the dimensions of the eigenspaces whose eigenvalue is not zero",
        by_construction("eigenvalues that vanish were found above"),
    )
    at = {x: position_of_delta(segment)}
    found = {
        "positive": (POSITIVE, r"u_i^\top v_i", "same item, other tower"),
        "negative": (NEGATIVE, r"u_i^\top v_j", "other item, other tower"),
        "within_modality": (WITHIN, r"u_i^\top u_j", "other item, same tower"),
    }
    quantities = {
        name: Quantity(tidy(segment.inner[r].xreplace(at)), symbol, meaning)
        for name, (r, symbol, meaning) in found.items()
    }
    for name in found:
        for label, point in (("delta_0", S.Zero), ("delta_oo", oo)):
            quantities[f"{name}_{label}"] = Quantity(
                limit(quantities[name].expression, delta, point, DOMAIN),
                quantities[name].symbol,
                f"{quantities[name].meaning}, at delta = {point}",
            )
    quantities["min_dimension"] = Quantity(
        dimension,
        r"d_{\min}",
        "least dimension it fits in",
        at_oo={delta: rank(segment.length)},
    )
    return quantities


RESULT = Result(
    "ccem",
    title="The double-Constant Embedding Model",
    source="lee2024sigmoid, Definition 3 and Proposition 1",
    parameters=(N, delta),
    domain=DOMAIN,
    build=build,
    segment=ccem_segment,
)
