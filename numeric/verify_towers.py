"""Cross-checks of the results on two towers; see :mod:`.verify`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any

import torch

from ..derive.engine.domain import DomainError
from ..derive.engine.result import Result
from ..derive.exact import exact
from ..derive.losses.clip import INFONCE, SIGMOID, pairwise
from ..derive.results import results
from ..derive.symbols import c
from .certificate import certify_bound, certify_towers
from .checks import CLOSE, CLOSE_FLOAT32, CLOSE_GAP, CLOSE_LOSS, CLOSE_THRESHOLD, Check
from .optimise import TOLERANCE
from .tower_embeddings import alignment, ccem_towers
from .tower_optimise import minimise_towers
from .towers import TowerLoss, bind_towers

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
    known = {s.name for s in result.parameters}
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
    setup = Setup(int(N), d or room(int(N)), tuple(seeds), dtype, device, dict(values))
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
    checks = []
    for t, b in _points(setup):
        checks += _optimised(setup, SIGMOID, "sigmoid-optimum", {"t": t, "b": b}, _OPTIMUM)
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
        checks += _optimised(setup, INFONCE, "infonce-optimum", {"t": t}, names)
    return checks


# --- measuring --------------------------------------------------------------------------------
def _optimised(
    setup: Setup, loss: TowerLoss, id: str, params: dict[str, Any], names: list[str]
) -> list[Check]:
    r = results[id]
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
            f"{k} (too flat to tell)" if k == "negative" and flat else k,
            f"{where}, seed {seed}",
            predicted[k],
            float(measured[k][i]),
            (CLOSE_LOSS if k == "loss" else CLOSE) if double else CLOSE_FLOAT32,
            float(found.certificate.gap[i]),
            found.stop[i].value,
            setup.covered and not (k == "negative" and flat),
            CLOSE_GAP if double else CLOSE_FLOAT32,
        )
        for i, seed in enumerate(setup.seeds)
        for k in names
    ]


def _flat(loss: TowerLoss, params: dict[str, float], N: int, positive: float) -> bool:
    """Whether negatives push so little that the gradient cannot tell where they are.

    A gradient within the tolerance leaves inner products of negatives off by its ratio to
    the curvature, and their mean, which the sum of all vectors fixes, by the square of that.
    At t = b = 40, for one, that curvature is 1e-20.
    """
    x = max(0.0, min(2.0, 1 - positive))
    u = ccem_towers(inf if x == 2 else (x / (2 - x)) ** 0.5, N=N, d=N)
    point = bind_towers(loss, params, N=N).point(u[None])
    curvature = float(point.loss.stiffness(point.slopes, point.memory)[0, 0, 1]) * 2 * N
    off = TOLERANCE[torch.float64] * float(point.unit)
    return off**2 > 0.01 * CLOSE * curvature**2


CHECKS: dict[str, Callable[[Setup], list[Check]]] = {
    "ccem": _ccem,
    "sigmoid-threshold": _threshold,
    "sigmoid-optimum": _sigmoid,
    "infonce-optimum": _infonce,
}
