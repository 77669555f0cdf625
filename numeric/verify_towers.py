"""Cross-checks of the results on two towers; see :mod:`.verify`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import Any

import torch
from sympy import Abs, Add, Max, Min, lambdify
from torch import Tensor

from ..derive.decide.domain import DomainError
from ..derive.decide.exact import exact
from ..derive.losses.clip import INFONCE, SIGMOID, pairwise
from ..derive.losses.given import NAMES, given_loss
from ..derive.losses.pairwise import PairwiseLoss, c
from ..derive.results import results
from ..derive.structures.towers import NEGATIVE, POSITIVE
from ..derive.theorem.result import Result
from . import verify_many_towers
from .certificate import certify_towers
from .checks import CLOSE, CLOSE_LOSS, CLOSE_THRESHOLD, Check
from .device import threads_for
from .invariant import least_invariant
from .tower_checks import (
    RANGE,
    Setup,
    checks_of,
    flat_at,
    number,
    regimes,
    value_in_range,
    where_optimal_changes,
)
from .tower_embeddings import alignment, ccem_towers
from .tower_optimise import minimise_towers
from .towers import TowerLoss, TowerProblem, bind_towers

#: Items when not given: 10 have all three regimes of two towers at b = t, well apart.
_ITEMS = 10


def room(N: int) -> int:
    """Dimension in which a search from random towers finds every point of the CCEM.

    Two items on a circle can be locked: (u, -u) and (v, -v) at right angles, say, pass each
    other only through a third dimension.
    """
    return max(N, 3)


def _dimension(setup: Setup) -> int:
    return setup.d or room(setup.N)


def verify_towers(
    id: str,
    *,
    seeds: Sequence[int],
    d: int | None,
    dtype: torch.dtype,
    device: str,
    tell: Callable[[str], None] | None = None,
    **values: object,
) -> list[Check]:
    """What :func:`~cltheory.numeric.verify.verify` does for the results in :data:`CHECKS`."""
    result = results[id]
    known = {*result.texts, *(s.name for s in result.parameters)}
    texts = {k: values.pop(k) for k in result.texts if k in values}
    for name in values:
        if name not in known:
            raise DomainError(f"{id} has no parameter {name}; it takes {', '.join(sorted(known))}")
    result.point(**values)
    N = exact(values.pop("N", verify_many_towers.ITEMS if id == "towers-threshold" else _ITEMS))
    for name, value in [("N", N), *values.items()]:
        if not exact(value).is_finite and name != "delta":
            raise DomainError(f"embeddings are finite: give a finite {name} to verify")
    if d is not None and d < 1:
        raise DomainError(f"d must be an integer >= 1, not {d}")
    setup = Setup(int(N), d, tuple(seeds), dtype, device, values | texts, tell or Setup.tell)
    points = int(N) * (_vectors(values) if id == "towers-threshold" else 2)
    with threads_for(points, d or points):
        return CHECKS[id](setup)


def _vectors(values: Mapping[str, object]) -> int:
    """Vectors of an item of several towers, with the defaults of its check at their largest."""
    return int(exact(values.get("K", 3))) * int(exact(values.get("p", 2)))


# --- the CCEM ---------------------------------------------------------------------------------
def _ccem(setup: Setup) -> list[Check]:
    r = results["ccem"]
    given = setup.values.get("delta")
    checks = []
    for delta in [given] if given is not None else ["0", "1/2", "1", "3", "oo"]:
        at: dict[str, Any] = {"N": setup.N, "delta": delta}
        names = ("positive", "negative", "within_modality", "min_dimension")
        predicted = {name: float(r.value(name, **at)) for name in names}
        u = ccem_towers(number(delta), N=setup.N, d=max(_dimension(setup), setup.N))
        found = alignment(u)
        measured = {name: float(getattr(found, name)) for name in names[:3]}
        singular = torch.linalg.svdvals(u.flatten(0, 1))
        measured["min_dimension"] = float((singular > 1e-6).sum())
        where = f"N={setup.N}, delta={delta}"
        # Explicit vectors carry rounding errors only.
        checks += [Check(k, where, predicted[k], measured[k], 1e-12) for k in names]
        for name in ("positive", "negative", "within"):
            spread = float(getattr(found, f"{name}_spread"))
            checks.append(Check(f"{name}: largest deviation", where, 0.0, spread, 1e-12))
        # Every CCEM has the least mean negative for its mean positive: all of them minimise
        # the linear loss whose two pulls balance along the segment.
        linear = pairwise("linear", "linear", -(setup.N - 2) * c / 2, c, "")
        gap = float(certify_towers(linear, u, {}).gap)
        checks.append(Check("least mean negative: certified excess", where, 0.0, gap, 1e-12))
    return checks


# --- the sigmoid loss -------------------------------------------------------------------------
_OPTIMUM = ["positive_similarity", "positive", "negative", "loss"]


def _threshold(setup: Setup) -> list[Check]:
    r = results["sigmoid-threshold"]
    checks = []
    t = setup.values.get("t")
    # Where the certificate of a structure changes sign, as b = t grows and as b does alone.
    for name in ("t_simplex", "t_antipodal", "b_simplex", "b_antipodal"):
        at = {"N": setup.N} if name[0] == "t" else {"N": setup.N, "t": t if t is not None else "1"}
        predicted = value_in_range(r, name, at)
        if predicted is not None:
            checks.append(_located(setup, name, predicted, number(at.get("t", 1))))
    return checks + _sigmoid(setup)


def _located(setup: Setup, name: str, predicted: float, t: float) -> Check:
    simplex = name.endswith("simplex")
    u = ccem_towers(0.0 if simplex else inf, N=setup.N, d=max(_dimension(setup), setup.N))

    def problem(value: float) -> TowerProblem:
        params = {"t": value, "b": value} if name[0] == "t" else {"t": t, "b": value}
        return bind_towers(SIGMOID, params, N=setup.N)

    # The simplex is optimal from its threshold on, the antipodal structure up to its own.
    low = 1e-12 if name[0] == "t" else -RANGE
    measured = where_optimal_changes(problem, u, low, RANGE, starts=simplex)
    what = "the simplex starts" if simplex else "the antipodal structure stops"
    where = f"N={setup.N}, " + ("b = t" if name[0] == "t" else f"t={t:g}")
    return Check(f"{name}, where {what} being optimal", where, predicted, measured, CLOSE_THRESHOLD)


def _sigmoid(setup: Setup) -> list[Check]:
    r = results["sigmoid-optimum"]
    checks = []
    for t, b in _points(setup):
        checks += _optimised(setup, SIGMOID, r, {"t": t, "b": b}, _OPTIMUM)
    return checks


def _points(setup: Setup) -> list[tuple[Any, Any]]:
    """Points (t, b) in every regime that there is, of what was given."""
    t, b = setup.values.get("t"), setup.values.get("b")
    r = results["sigmoid-threshold"]
    if t is not None and b is not None:
        return [(t, b)]
    if t is not None:
        at = {"N": setup.N, "t": t}
        low, high = (value_in_range(r, k, at) for k in ("b_antipodal", "b_simplex"))
        return [(t, b) for b in [t, *regimes(low, high, step=0.5)]]
    if b is not None:
        return [(t, b) for t in ("1/2", "1", "3")]
    low, high = (value_in_range(r, k, {"N": setup.N}) for k in ("t_antipodal", "t_simplex"))
    found = [t for t in regimes(low, high, step=0.2) if float(t) > 0] or ["1/5", "1", "5"]
    return [(t, t) for t in found]


# --- InfoNCE ----------------------------------------------------------------------------------
def _infonce(setup: Setup) -> list[Check]:
    given = setup.values.get("t")
    checks = []
    for t in [given] if given is not None else ["1/10", "1/2", "2"]:
        names = ["positive", "negative", "loss"]
        checks += _optimised(setup, INFONCE, results["infonce-optimum"], {"t": t}, names)
    return checks


# --- a loss of the user's ---------------------------------------------------------------------
def _pairwise(setup: Setup) -> list[Check]:
    r, loss = results["pairwise-threshold"], SIGMOID
    texts = {k: setup.values[k] for k in r.texts if k in setup.values}
    if texts:
        loss = given_loss(**texts)
    used = set().union(*(term.function.free_symbols for term in loss.terms)) - {c}
    params = {s.name: setup.values.get(s.name, "1") for s in used}
    params = dict(sorted(params.items()))
    if texts:
        r = r.given(at=params, **texts)
    r.point(N=setup.N, **params)
    if any(term.function.has(*_KINKS) for term in loss.terms):
        quantities = ["positive", "negative", "loss", "x_star", "x_last"]
        at = {"N": setup.N, **params}
        predicted = {k: float(r.value(k, **at)) for k in quantities if k in r.quantities}
        return over_invariant(loss, setup.N, params, predicted)
    return _optimised(setup, loss, r, params, _OPTIMUM)


#: Functions with kinks, where Newton's method has no second derivative to go by.
_KINKS = (Max, Min, Abs)


def over_invariant(
    loss: PairwiseLoss, N: int, params: Mapping[str, Any], predicted: Mapping[str, float]
) -> list[Check]:
    """Compare with the least loss over all invariant Gram matrices, kinks or not.

    Where several positions are optimal, the prediction is meant to be the one nearest to the
    simplex, with ``x_last`` the farthest; without ``x_last`` it claims to be the only one.
    """
    values = {NAMES[k]: exact(v) for k, v in params.items()}
    functions = {
        r: Add(*(t.weight * t.function for t in loss.terms if t.relation == r)).xreplace(values)
        for r in (POSITIVE, NEGATIVE)
    }
    lp, ln = (lambdify([c], function, "mpmath") for function in functions.values())
    found = least_invariant(lp, ln, N)
    measured = {
        "loss": found.loss,
        "positive": found.positive,
        "negative": found.negative,
        "x_star": 1 - found.positive,
        "x_last": 1 - found.positive_last,
    }
    ends = {"x_last": predicted["x_star"]} if "x_last" not in predicted else {}
    where = ", ".join([f"N={N}", *(f"{k}={v}" for k, v in params.items())])
    return [
        Check(
            name,
            where,
            value,
            measured[name],
            CLOSE_LOSS if name == "loss" else CLOSE,
            stop="over invariant Gram matrices",
        )
        for name, value in {**predicted, **ends}.items()
    ]


# --- measuring --------------------------------------------------------------------------------
def _optimised(
    setup: Setup, loss: TowerLoss, r: Result, params: dict[str, Any], names: list[str]
) -> list[Check]:
    predicted = {k: float(r.value(k, N=setup.N, **params)) for k in names}
    numbers = {k: number(v) for k, v in params.items()}
    where = ", ".join([f"N={setup.N}", *(f"{k}={v}" for k, v in params.items())])
    setup.tell(f"{r.id} at {where}")
    found = minimise_towers(
        loss,
        numbers,
        N=setup.N,
        d=_dimension(setup),
        seeds=setup.seeds,
        dtype=setup.dtype,
        device=setup.device,
    )
    assert found.certificate is not None
    seen = alignment(found.embeddings)
    measured = {k: getattr(seen, k) for k in names if k != "loss"} | {"loss": found.loss}
    flat = _flat(loss, numbers, setup.N, predicted["positive"])
    return checks_of(
        found,
        {k: predicted[k] for k in names},
        measured,
        where=where,
        setup=setup,
        covered=_dimension(setup) >= room(setup.N),
        flat=flat,
    )


def _flat(loss: TowerLoss, params: dict[str, float], N: int, positive: float) -> set[str]:
    def structure(x: float) -> Tensor:
        return ccem_towers(inf if x == 2 else (x / (2 - x)) ** 0.5, N=N, d=N)

    x = max(0.0, min(2.0, 1 - positive))
    # For N = 2 negatives are -1 all along the CCEM.
    return flat_at(bind_towers(loss, params, N=N), structure, x, 2.0, N + 1, pushed=N == 2)


CHECKS: dict[str, Callable[[Setup], list[Check]]] = {
    "ccem": _ccem,
    "sigmoid-threshold": _threshold,
    "sigmoid-optimum": _sigmoid,
    "infonce-optimum": _infonce,
    "pairwise-threshold": _pairwise,
    "towers-threshold": verify_many_towers.many_towers,
}
