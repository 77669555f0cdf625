"""The double-Constant Embedding Model, as what symmetry leaves (lee2024sigmoid, Definition 3).

Two towers of N unit vectors, symmetric under relabelling of items and exchange of the
towers. Ask that the towers share no mean and differ in no contrast: a segment of Gram
matrices is left, from the (N-1)-simplex with u_i = v_i to u_i = -v_j.
"""

from sympy import Eq, Piecewise, S, oo

from ...decide.domain import Range, between
from ...decide.present import tidy
from ...losses.clip import pairwise
from ...losses.pairwise import c
from ...optimum.reduction import state_spectrum
from ...optimum.segment import DELTA, delta, x
from ...optimum.segment_facts import Ranks, state_segment
from ...problems.domains import ITEMS
from ...proof.derivation import Derivation
from ...proof.limiting import take_limit
from ...proof.relations import ge
from ...structures.towers import NEGATIVE, POSITIVE, WITHIN, N
from ...theorem.measure import Rank, Reading, product
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ...theorem.subject import Symmetric
from ._ccem import (
    SYMMETRY,
    ccem_segment,
    position_of_delta,
    state_delta,
)

#: Its two pulls balance along the segment, so every structure of it has the least mean negative
#: for its mean positive iff all of them minimise this loss.
BALANCED = pairwise("balanced", "linear loss", -(N - 2) * c / 2, c, "")
DOMAIN = ITEMS.with_range(delta, Range(low_open=False), 1)


#: With the parameter as a superscript, as the paper writes them.
SPELLED = {
    "positive": r"(u_i^\delta)^\top v_i^\delta",
    "negative": r"(u_i^\delta)^\top v_j^\delta",
    "within_modality": r"(u_i^\delta)^\top u_j^\delta",
}


def build(proof: Derivation) -> dict[str, Quantity]:
    segment = ccem_segment()
    values = segment.eigenvalues()
    inside = ITEMS.with_range(x, between(0, segment.length), 1)
    state_spectrum(segment.scheme, ITEMS, proof)
    state_segment(proof, segment, inside)
    state_delta(proof, segment, ITEMS)
    proof.holds(
        "The structure exists for every delta >= 0",
        [ge(values[segment.low], 0), ge(values[segment.high], 0)],
        "the two eigenvalues left are non-negative on the whole segment",
        inside,
    )
    proof.add(
        "Least dimension: the rank of the Gram matrix", Ranks.from_segment(segment, ITEMS), ""
    )
    start, within, far = segment.ranks()
    dimension = Piecewise((start, Eq(delta, 0)), (within, True))
    at = {x: position_of_delta(segment)}
    found = {
        "positive": (POSITIVE, r"u_i^\top v_i", "inner product of the same item in the two towers"),
        "negative": (
            NEGATIVE,
            r"u_i^\top v_j",
            "inner product of different items in different towers",
        ),
        "within_modality": (
            WITHIN,
            r"u_i^\top u_j",
            "inner product of different items in the same tower",
        ),
    }
    quantities = {
        name: Quantity(
            tidy(segment.inner[r].xreplace(at)),
            symbol,
            meaning,
            spellings=(SPELLED[name],),
            measured=Reading(product(r), least_of=BALANCED if name == "negative" else None),
        )
        for name, (r, symbol, meaning) in found.items()
    }
    for name in found:
        for label, point, to in (("delta_0", S.Zero, "0"), ("delta_oo", oo, r"\infty")):
            quantities[f"{name}_{label}"] = Quantity(
                take_limit(name, quantities[name].expression, delta, point, DOMAIN, proof),
                rf"\lim_{{\delta\to {to}}}{quantities[name].symbol}",
                f"{quantities[name].meaning}, at delta = {point}",
                limit_of=(quantities[name].expression, delta, point),
                measured=Reading(product(found[name][0])),
            )
    quantities["min_dimension"] = Quantity(
        dimension,
        r"d_{\min}",
        "least dimension in which the structure exists",
        at_oo={delta: far},
        measured=Rank(),
    )
    return quantities


RESULT = Result(
    "ccem",
    title="The double-Constant Embedding Model",
    source="lee2024sigmoid, Definition 3 and Proposition 1",
    domain=DOMAIN,
    build=build,
    meanings=DELTA,
    subject=Symmetric(structure=SYMMETRY, segment=ccem_segment, position=position_of_delta),
)
