"""Cross-check a derived result on embeddings: predicted, measured, certified.

Every check optimises (or builds) actual embeddings of the declared loss and compares
what it measures with the derived value. The certificate says how far the loss found can
be from the global minimum, so agreement is not an accident of the optimiser.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from ..derive.decide.domain import DomainError
from ..derive.decide.exact import exact
from ..derive.losses.softmax import SoftmaxLoss
from ..derive.losses.supcl import CNCE, SUP_CNCE, SUPCL
from ..derive.results import results
from .certificate import certify
from .checks import CLOSE, CLOSE_FLOAT32, CLOSE_GAP, CLOSE_LOSS, CLOSE_THRESHOLD, Check
from .device import threads_for
from .embeddings import random_embeddings, structured_embeddings
from .optimise import Optimum, StopCode, minimise
from .variance import variances
from .verify_towers import CHECKS as TOWER_CHECKS
from .verify_towers import verify_towers


@dataclass(frozen=True)
class Setup:
    """Sizes and options shared by the checks of one result."""

    m: int
    n: int
    p: int
    d: int
    seeds: tuple[int, ...] = (0, 1)
    dtype: torch.dtype = torch.float64
    device: str = "auto"
    values: dict[str, Any] = field(default_factory=dict)
    tell: Callable[[str], None] = lambda _: None

    @property
    def sizes(self) -> dict[str, Any]:
        return {"m": self.m, "n": self.n, "p": self.p}

    @property
    def covered(self) -> bool:
        """Whether every point of the segment fits in d dimensions."""
        return self.d >= self.m * self.n - 1


def verify(
    id: str,
    *,
    seeds: Sequence[int] = (0, 1),
    d: int | None = None,
    dtype: torch.dtype = torch.float64,
    device: str = "auto",
    tell: Callable[[str], None] | None = None,
    **values: object,
) -> list[Check]:
    """Check a result at points on both sides of its threshold and inside.

    Parameters
    ----------
    id
        Id of a result.
    seeds
        Seeds of the random starts; every one is checked.
    d
        Embedding dimension; by default the number of instances, m n, or of items, N; of K towers
        N + K.
    tell
        Called with what is optimised next, before it is.
    values
        Any of the parameters of the result; the others take small defaults. Where alpha
        (or tau, t, b) is not given, values on both sides of the threshold are picked.

    Raises
    ------
    DomainError
        For values outside the domain, or parameters that the result has not.
    """
    result = results[id]
    if id in TOWER_CHECKS:
        return verify_towers(id, seeds=seeds, d=d, dtype=dtype, device=device, tell=tell, **values)
    if id not in _CHECKS:
        there = ", ".join([*_CHECKS, *TOWER_CHECKS])
        raise DomainError(f"{id} has no numeric cross-check; there is one for {there}")
    known = {s.name for s in result.parameters} | {"p"}
    for name in values:
        if name not in known:
            raise DomainError(f"{id} has no parameter {name}; it takes {', '.join(sorted(known))}")
    point: dict[str, Any] = {"m": 3, "n": 3, "p": 2, "tau": "1/2", **values}
    wide = results["supcl-optimum"]
    if id != "ssem":
        wide.point(**{k: v for k, v in point.items() if k in {s.name for s in wide.parameters}})
    result.point(**{k: v for k, v in point.items() if k in {s.name for s in result.parameters}})
    finite = {k: exact(v) for k, v in point.items()}
    if any(not v.is_finite for v in finite.values()):
        raise DomainError("embeddings are finite: give finite values to verify")
    m, n, p = (int(finite[k]) for k in ("m", "n", "p"))
    if d is not None and d < 1:
        raise DomainError(f"d must be an integer >= 1, not {d}")
    setup = Setup(m, n, p, d or m * n, tuple(seeds), dtype, device, point, tell or Setup.tell)
    with threads_for(m * n * p, setup.d):
        return _CHECKS[id](setup)


# --- what each result predicts ------------------------------------------------------------
def _threshold(setup: Setup) -> list[Check]:
    tau = setup.values["tau"]
    r = results["supcl-threshold"]
    sizes = {"m": setup.m, "n": setup.n}
    edge = float(r.value("alpha_min", tau=tau, **sizes))
    checks = [_located(setup, edge)]
    given = setup.values.get("alpha")
    for alpha in [given] if given is not None else _around(edge):
        checks += _supcl_at(setup, alpha, tau, ["within_class_variance", "loss"])
    if given is not None and exact(given) * setup.n > 1:
        tau_max = r.value("tau_max", alpha=given, **sizes)
        for factor in ("0.8", "1.25"):
            if float(tau_max) < 20:
                at = str(round(float(tau_max) * float(factor), 6))
                checks += _supcl_at(setup, given, at, ["within_class_variance", "loss"])
    return checks


def _located(setup: Setup, edge: float) -> Check:
    """Where the certificate of collapsed embeddings changes sign: alpha_min, measured."""
    m, n, p = setup.m, setup.n, setup.p
    u = structured_embeddings(1, 1, -1 / (m - 1), m=m, n=n, p=p, d=max(setup.d, m))
    tau = float(exact(setup.values["tau"]))

    def optimal(alpha: float) -> bool:
        found = certify(SUPCL, u, {"alpha": alpha, "tau": tau})
        return float(found.lambda_min) > -1e-14

    low, high = 0.0, 1.0
    while high - low > 1e-12:
        middle = (low + high) / 2
        low, high = (middle, high) if optimal(middle) else (low, middle)
    return Check(
        "alpha_min, where collapse stops being optimal", f"tau={tau:g}", edge, low, CLOSE_THRESHOLD
    )


def _around(edge: float) -> list[str]:
    """Below the threshold, above it, in the middle of what is left, and its end."""
    below, above = 0.8 * edge, edge + 0.1 * (1 - edge)
    return [f"{a:.6g}" for a in (below, above, (above + 1) / 2)] + ["1"]


def _optimum(setup: Setup) -> list[Check]:
    names = ["delta_star", "within_class_variance", "between_class_variance", "loss"]
    names += ["same_class", "cross_class"]
    given, tau = setup.values.get("alpha"), setup.values["tau"]
    edge = float(results["supcl-threshold"].value("alpha_min", m=setup.m, n=setup.n, tau=tau))
    checks = []
    for alpha in [given] if given is not None else _around(edge):
        checks += _supcl_at(setup, alpha, tau, names)
    return checks


def _supcl_at(setup: Setup, alpha: Any, tau: Any, names: list[str]) -> list[Check]:
    return _optimised(setup, SUPCL, "supcl-optimum", {"alpha": alpha, "tau": tau}, names)


def _cnce(setup: Setup) -> list[Check]:
    # Inner products across classes are not unique, so they are not compared.
    return _optimised(
        setup, CNCE, "cnce-optimum", {"tau": setup.values["tau"]}, ["same_class", "loss"]
    )


def _sup_cnce(setup: Setup) -> list[Check]:
    given, tau = setup.values.get("alpha"), setup.values["tau"]
    r = results["sup-cnce-optimum"]
    edge = float(r.value("alpha_inversion", m=setup.m, n=setup.n, tau=tau))
    alphas = [given] if given is not None else [f"{edge - 0.1:.6g}", f"{min(edge + 0.1, 1):.6g}"]
    checks = []
    for alpha in alphas:
        at = {"alpha": alpha, "tau": tau}
        checks += _optimised(
            setup, SUP_CNCE, "sup-cnce-optimum", at, ["same_class", "cross_class", "loss"]
        )
    return checks


def _ssem(setup: Setup) -> list[Check]:
    r = results["ssem"]
    given = setup.values.get("delta")
    top = str(r.at("delta_max", r.point(m=setup.m, n=setup.n)))
    checks = []
    for delta in [given] if given is not None else ["0", "1/2", "1", top]:
        at = {**setup.sizes, "delta": delta}
        predicted = {name: float(r.value(name, **at)) for name in r.quantities}
        u = structured_embeddings(
            1.0,
            predicted["same_class"],
            predicted["cross_class"],
            d=max(setup.d, int(predicted["min_dimension"])),
            dtype=setup.dtype,
            **setup.sizes,
        )
        measured = _measure(u)
        spectrum = torch.linalg.svdvals(u.flatten(0, 2).double())
        measured["min_dimension"] = float((spectrum > 1e-6).sum())
        for name in predicted:
            if name in measured:
                # Explicit vectors carry rounding errors only.
                checks.append(Check(name, f"delta={delta}", predicted[name], measured[name], 1e-12))
    return checks


def _variance(setup: Setup) -> list[Check]:
    checks = []
    for seed in setup.seeds:
        u = random_embeddings(seed, d=setup.d, **setup.sizes)
        measured = _measure(u)
        r = results["variance-bound"]
        for name in ("within_class_variance", "between_class_variance", "total_variance"):
            expression = r.quantity(name).expression
            values = {**setup.sizes, "r": 1.0} | {
                f"g_{k}": measured[k] for k in ("same_instance", "same_class", "cross_class")
            }
            predicted = float(expression.subs({s: values[s.name] for s in expression.free_symbols}))
            checks.append(
                Check(name, f"random embeddings, seed {seed}", predicted, measured[name], 1e-12)
            )
        least = min(1.0, measured["total_variance"])
        checks.append(
            Check("total_variance <= 1", f"seed {seed}", least, measured["total_variance"], 1e-12)
        )
    return checks


# --- measuring ------------------------------------------------------------------------------
def _optimised(
    setup: Setup, loss: SoftmaxLoss, id: str, params: dict[str, Any], names: list[str]
) -> list[Check]:
    r = results[id]
    predicted = {k: float(r.value(k, **setup.sizes, **params)) for k in names}
    where = ", ".join(f"{k}={v}" for k, v in params.items())
    setup.tell(f"{id} at {where}")
    found = minimise(
        loss,
        {k: float(exact(v)) for k, v in params.items()},
        d=setup.d,
        seeds=setup.seeds,
        dtype=setup.dtype,
        device=setup.device,
        **setup.sizes,
    )
    checks = []
    for i, seed in enumerate(setup.seeds):
        measured = _measure(found.embeddings[i])
        measured["loss"] = float(found.loss[i])
        for k in names:
            tolerance = CLOSE_LOSS if k == "loss" else CLOSE
            if k == "delta_star":  # a square root: its square is what is as close as CLOSE
                tolerance = CLOSE**0.5 if predicted[k] < CLOSE**0.5 else CLOSE / predicted[k]
            checks.append(
                Check(
                    k,
                    f"{where}, seed {seed}",
                    predicted[k],
                    measured[k],
                    tolerance if setup.dtype is torch.float64 else CLOSE_FLOAT32,
                    _gap(found, i),
                    found.stop[i].value,
                    setup.covered,
                    CLOSE_GAP if setup.dtype is torch.float64 else CLOSE_FLOAT32,
                )
            )
    return checks


def _gap(found: Optimum, i: int) -> float:
    assert found.certificate is not None
    return float(found.certificate.gap[i])


def _measure(u: Tensor) -> dict[str, float]:
    """Variances, and the mean inner product of every relation, by sums of vectors."""
    u = u.double()
    m, n, p, _ = u.shape
    spread = variances(u)
    by_instance, by_class = u.sum(dim=2), u.sum(dim=(1, 2))
    instance = float(by_instance.square().sum())
    label = float(by_class.square().sum())
    total = float(u.sum(dim=(0, 1, 2)).square().sum())
    size = m * n * p
    within, between = float(spread.within), float(spread.between)
    same_class = (label - instance) / (size * (n - 1) * p) if n > 1 else float("nan")
    return {
        "within_class_variance": within,
        "between_class_variance": between,
        "total_variance": within + between,
        "same_instance": (instance - size) / (size * (p - 1)) if p > 1 else 0.0,
        "same_class": same_class,
        "cross_class": (total - label) / (size * (m - 1) * n * p) if m > 1 else float("nan"),
        "delta_star": max(0.0, (1 - same_class) * (m * n - 1) / (m * n)) ** 0.5,
    }


_CHECKS: dict[str, Callable[[Setup], list[Check]]] = {
    "ssem": _ssem,
    "supcl-optimum": _optimum,
    "supcl-threshold": _threshold,
    "variance-bound": _variance,
    "cnce-optimum": _cnce,
    "sup-cnce-optimum": _sup_cnce,
}

__all__ = ["CLOSE", "CLOSE_GAP", "CLOSE_LOSS", "Check", "StopCode", "verify"]
