"""Cross-checks of the results on two towers; see :mod:`.verify`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any

import torch
from sympy import Expr

from ..derive.engine.domain import DomainError
from ..derive.engine.result import Result
from ..derive.exact import exact, expression
from ..derive.losses.clip import INFONCE, SIGMOID, pairwise
from ..derive.results import results
from ..derive.results.pairwise_threshold import NAMES
from ..derive.symbols import c
from .certificate import certify_bound, certify_towers
from .checks import CLOSE, CLOSE_FLOAT32, CLOSE_GAP, CLOSE_LOSS, CLOSE_THRESHOLD, Check
from .optimise import TOLERANCE
from .tower_embeddings import alignment, ccem_towers
from .tower_optimise import minimise_towers
from .towers import TowerLoss, bind_towers, tower_parameter_names

#: Largest temperature and size of a bias between which thresholds are looked for.
_RANGE = 60.0


@dataclass(frozen=True)
class Setup:
    """Sizes and options shared by the checks of one result."""

    N: int
    d: int
    seeds: tuple[int, ...] = (0, 1)
    dtype: torch.dtype = torch.float64
    device: str = "auto"
    values: dict[str, Any] = field(default_factory=dict)

    @property
    def covered(self) -> bool:
        """Whether the whole CCEM fits in d dimensions, with room to get there.

        Two items on a circle can be locked: (u, -u) and (v, -v) at right angles, say, pass
        each other only through a third dimension.
        """
        return self.d >= room(self.N)


def room(N: int) -> int:
    """Dimension in which a search from random towers finds every point of the CCEM."""
    return max(N, 3)


def verify_towers(
    id: str,
    *,
    seeds: Sequence[int],
    d: int | None,
    dtype: torch.dtype,
    device: str,
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
    # N = 10 has all three regimes at b = t, well apart.
    N = exact(values.pop("N", 10))
    for name, value in [("N", N), *values.items()]:
        if not exact(value).is_finite and name != "delta":
            raise DomainError(f"embeddings are finite: give a finite {name} to verify")
    if d is not None and d < 1:
        raise DomainError(f"d must be an integer >= 1, not {d}")
    setup = Setup(int(N), d or room(int(N)), tuple(seeds), dtype, device, values | texts)
    return CHECKS[id](setup)


# --- the CCEM ---------------------------------------------------------------------------------
def _ccem(setup: Setup) -> list[Check]:
    r = results["ccem"]
    given = setup.values.get("delta")
    checks = []
    for delta in [given] if given is not None else ["0", "1/2", "1", "3", "oo"]:
        at: dict[str, Any] = {"N": setup.N, "delta": delta}
        names = ("positive", "negative", "within_modality", "min_dimension")
        predicted = {name: float(r.value(name, **at)) for name in names}
        u = ccem_towers(_number(delta), N=setup.N, d=max(setup.d, setup.N))
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


def _number(value: object) -> float:
    number = exact(value)
    return float(number) if number.is_finite else inf


# --- the sigmoid loss -------------------------------------------------------------------------
_OPTIMUM = ["positive_similarity", "positive", "negative", "loss"]


def _threshold(setup: Setup) -> list[Check]:
    r = results["sigmoid-threshold"]
    checks = []
    t = setup.values.get("t")
    # Where the certificate of a structure changes sign, as b = t grows and as b does alone.
    for name in ("t_simplex", "t_antipodal", "b_simplex", "b_antipodal"):
        at = {"N": setup.N} if name[0] == "t" else {"N": setup.N, "t": t if t is not None else "1"}
        predicted = _value(r, name, at)
        if predicted is not None:
            checks.append(_located(setup, name, predicted, _number(at.get("t", 1))))
    return checks + _sigmoid(setup)


def _located(setup: Setup, name: str, predicted: float, t: float) -> Check:
    delta = 0.0 if name.endswith("simplex") else inf
    u = ccem_towers(delta, N=setup.N, d=max(setup.d, setup.N))

    def optimal(value: float) -> bool:
        params = {"t": value, "b": value} if name[0] == "t" else {"t": t, "b": value}
        problem = bind_towers(SIGMOID, params, N=setup.N)
        # Rounding of an eigenvalue is relative to the entries of the matrix, which are as
        # small as the loss is flat.
        entries = problem.value_and_gram_gradient(u[None])[1].abs().max()
        floor = -1e-15 * problem.size * float(entries)
        return float(certify_bound(problem, u[None]).lambda_min) > floor

    low, high = (1e-12, _RANGE) if name[0] == "t" else (-_RANGE, _RANGE)
    # The simplex is optimal from its threshold on, the antipodal structure up to its own.
    while high - low > 1e-12 * max(1.0, abs(low)):
        middle = (low + high) / 2
        if optimal(middle) == (delta == 0):
            high = middle
        else:
            low = middle
    what = "the simplex starts" if delta == 0 else "the antipodal structure stops"
    where = f"N={setup.N}, " + ("b = t" if name[0] == "t" else f"t={t:g}")
    return Check(f"{name}, where {what} being optimal", where, predicted, high, CLOSE_THRESHOLD)


def _value(r: Result, name: str, at: dict[str, Any]) -> float | None:
    """A threshold as a number; None where it does not exist or is out of range."""
    try:
        value = float(r.value(name, **at))
    except DomainError:
        return None
    return value if abs(value) < 0.9 * _RANGE else None


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
        low, high = (_value(r, k, at) for k in ("b_antipodal", "b_simplex"))
        return [(t, b) for b in [t, *_regimes(low, high, step=0.5)]]
    if b is not None:
        return [(t, b) for t in ("1/2", "1", "3")]
    low, high = (_value(r, k, {"N": setup.N}) for k in ("t_antipodal", "t_simplex"))
    found = [t for t in _regimes(low, high, step=0.2) if float(t) > 0] or ["1/5", "1", "5"]
    return [(t, t) for t in found]


def _regimes(low: float | None, high: float | None, step: float) -> list[str]:
    """Below, between and above two thresholds, as far as there are two."""
    if low is None or high is None:
        return []
    inside = [(low + high) / 2] if high - low > 1e-9 else []
    return [f"{v:.6g}" for v in (low - step, *inside, high + step)]


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
    texts = {k: setup.values[k] for k in ("lp", "ln") if k in setup.values}
    r, loss = results["pairwise-threshold"], SIGMOID
    if texts:
        r = r.given(**texts)  # which refuses what is not a loss of this kind
        lp, ln = (e if isinstance(e, Expr) else expression(e, NAMES) for e in texts.values())
        loss = pairwise("given", "given", lp, ln, "given")
    params = {name: setup.values.get(name, "1") for name in tower_parameter_names(loss)}
    r.point(N=setup.N, **params)
    return _optimised(setup, loss, r, params, _OPTIMUM)


# --- measuring --------------------------------------------------------------------------------
def _optimised(
    setup: Setup, loss: TowerLoss, r: Result, params: dict[str, Any], names: list[str]
) -> list[Check]:
    predicted = {k: float(r.value(k, N=setup.N, **params)) for k in names}
    numbers = {k: _number(v) for k, v in params.items()}
    found = minimise_towers(
        loss,
        numbers,
        N=setup.N,
        d=setup.d,
        seeds=setup.seeds,
        dtype=setup.dtype,
        device=setup.device,
    )
    assert found.certificate is not None
    seen = alignment(found.embeddings)
    measured = {k: getattr(seen, k) for k in names if k != "loss"} | {"loss": found.loss}
    flat = _flat(loss, numbers, setup.N, predicted["positive"])
    double = setup.dtype is torch.float64
    where = ", ".join([f"N={setup.N}", *(f"{k}={v}" for k, v in params.items())])
    return [
        Check(
            f"{k} (too flat to tell)" if k in flat else k,
            f"{where}, seed {seed}",
            predicted[k],
            float(measured[k][i]),
            (CLOSE_LOSS if k == "loss" else CLOSE) if double else CLOSE_FLOAT32,
            float(found.certificate.gap[i]),
            found.stop[i].value,
            setup.covered and k not in flat,
            CLOSE_GAP if double else CLOSE_FLOAT32,
        )
        for i, seed in enumerate(setup.seeds)
        for k in names
    ]


def _flat(loss: TowerLoss, params: dict[str, float], N: int, positive: float) -> set[str]:
    """Quantities that a gradient within the tolerance says nothing about.

    At t = b = 40, for one, the second derivative of l_n at the simplex is 1e-20: where the
    negatives are can hardly be felt, though the positives are held fast.
    """
    x = max(0.0, min(2.0, 1 - positive))
    u = ccem_towers(inf if x == 2 else (x / (2 - x)) ** 0.5, N=N, d=N)[None]
    problem = bind_towers(loss, params, N=N)
    point = problem.point(u)
    slack = TOLERANCE[torch.float64] * float(point.unit)
    # Along the CCEM the cross block is affine in x. Vectors that are r from an end have
    # x = 2 r^2 there, and a gradient of 4 r (h + 2 h' r^2) for the slope h and its own h';
    # inside it is 4 r h' for each unit that x is off.
    ends = [ccem_towers(delta, N=N, d=N) for delta in (0.0, inf)]
    change = ((ends[1][0] @ ends[1][1].mT - ends[0][0] @ ends[0][1].mT) / 2)[None]
    h = abs(float((point.slopes * change).sum()))
    rise = float((problem.turn(point.memory, change) * change).sum())
    r = (x / 2 * (1 - x / 2)) ** 0.5
    at_end = 2 * min(_ratio(slack, 4 * h) ** 2, _ratio(slack, 8 * rise) ** (2 / 3))
    off = min(at_end, _ratio(slack, 4 * r * rise))
    flat = {"positive", "positive_similarity"} if off > 0.1 * CLOSE else set()
    # Negatives, one by one, are off by the ratio to their curvature, and their mean, which
    # the sum of all vectors fixes, by the square of that; for N = 2 they are all there is.
    curvature = float(problem.stiffness(point.slopes, point.memory)[0, 0, 1]) * 2 * N
    pull = abs(float(point.slopes[0, 0, 1])) * 2 * N
    held = max(curvature, pull if N == 2 else 0.0)
    if (flat and N > 2) or _ratio(slack, held) ** 2 > 0.01 * CLOSE:
        flat.add("negative")
    return flat


def _ratio(a: float, b: float) -> float:
    return a / b if b > 0 else inf


CHECKS: dict[str, Callable[[Setup], list[Check]]] = {
    "ccem": _ccem,
    "sigmoid-threshold": _threshold,
    "sigmoid-optimum": _sigmoid,
    "infonce-optimum": _infonce,
    "pairwise-threshold": _pairwise,
}
