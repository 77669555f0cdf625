"""Cross-check of the sigmoid loss on K towers with weighted negatives; see :mod:`.verify`."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from ..derive.decide.exact import exact
from ..derive.results import results
from ..derive.results.towers_threshold import WEIGHTED
from ..derive.structures.towers import NEGATIVE, TWIN
from .checks import CLOSE_THRESHOLD, Check
from .many_tower_embeddings import POSITIVES, mean_products, segment_length, segment_towers
from .many_towers import ManyTowersProblem, bind_many_towers, minimise_many_towers
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

#: Items when not given: the least number at which three towers have all regimes well apart.
ITEMS = 6


def many_towers(setup: Setup) -> list[Check]:
    """Both thresholds located by the certificate, and optima in every regime."""
    checks = []
    for case in _cases({"K": "3", "t": "1", **setup.values}):
        one = _Case(setup, case)
        for name in ("b_simplex", "b_antipodal", "w_simplex", "w_antipodal"):
            checks += one.located(name)
        for b in one.biases():
            checks += one.optimised(b)
    return checks


def _cases(given: dict[str, Any]) -> list[dict[str, Any]]:
    """One and two vectors per item, weights of one and one half, of what was not given."""
    free = [k for k in ("p", "w") if k not in given]
    other = {"p": "2", "w": "1/2"}
    if not free:
        return [given]
    return [given | dict.fromkeys(free, "1"), given | {k: other[k] for k in free}]


class _Case:
    """Checks at one number of towers, vectors per item, temperature and weight."""

    def __init__(self, setup: Setup, values: dict[str, Any]) -> None:
        self.setup, self.values = setup, values
        self.result = results["towers-threshold"]
        towers, views = (int(exact(values[k])) for k in ("K", "p"))
        self.sizes: dict[str, Any] = {"K": towers, "N": setup.N, "p": views}
        # The segment spans N + K - 2 dimensions. Two more leave room to get there: where
        # vectors leave a dimension unused, all that is stationary and not a saddle is optimal.
        least = max(setup.N + towers - 2, 3)
        self.d = setup.d or setup.N + towers
        self.covered = self.d >= least

    def at(self, *names: str) -> dict[str, Any]:
        """Sizes as numbers, and the parameters of these names as they were given."""
        return {**self.sizes, **{k: self.values[k] for k in names}}

    def where(self, **values: Any) -> str:
        text = ", ".join(f"{k}={v}" for k, v in {**self.sizes, **values}.items())
        few = self.setup.N <= self.sizes["K"]
        return text + (" (N <= K: always the simplex)" if few else "")

    def problem(self, **values: float) -> ManyTowersProblem:
        return bind_many_towers(WEIGHTED, values, **self.sizes)

    def structure(self, x: float) -> Tensor:
        d = max(self.d, self.setup.N + self.sizes["K"] - 2)
        return segment_towers(x, d=d, **self.sizes)

    # --- where the certificate of an end changes sign ------------------------------------
    def located(self, name: str) -> list[Check]:
        """As b or w grows, with the other one fixed; nothing where there is no threshold."""
        varied, end = name.split("_")
        fixed = {"t": self.values["t"]}
        if varied == "b":
            fixed["w"] = self.values["w"]
        else:
            fixed["b"] = self.values.get("b", "0")
        predicted = value_in_range(self.result, name, {**self.sizes, **fixed})
        if predicted is None:
            return []
        numbers = {k: number(v) for k, v in fixed.items()}
        simplex = end == "simplex"
        u = self.structure(0.0 if simplex else segment_length(self.sizes["K"]))
        # Agreeing towers are optimal from a bias on, and up to a weight.
        starts = simplex == (varied == "b")
        measured = where_optimal_changes(
            lambda value: self.problem(**{varied: value}, **numbers),
            u,
            -RANGE if varied == "b" else 1e-12,
            RANGE,
            starts=starts,
        )
        what = "agreeing towers" if simplex else "a simplex of towers"
        verb = ("start" if starts else "stop") + ("" if simplex else "s")
        where = self.where(**fixed)
        return [
            Check(
                f"{name}, where {what} {verb} being optimal",
                where,
                predicted,
                measured,
                CLOSE_THRESHOLD,
            )
        ]

    # --- optima ------------------------------------------------------------------------------
    def biases(self) -> list[Any]:
        """Biases in every regime that there is, unless one was given."""
        if "b" in self.values:
            return [self.values["b"]]
        low, high = (
            value_in_range(self.result, k, self.at("t", "w")) for k in ("b_antipodal", "b_simplex")
        )
        return regimes(low, high, step=0.5) or ["-1", "1"]

    def optimised(self, b: Any) -> list[Check]:
        params = {"t": self.values["t"], "b": b, "w": self.values["w"]}
        names = ["positive", "negative", "loss"]
        at = {**self.sizes, **params}
        predicted = {k: float(self.result.value(k, **at)) for k in names}
        numbers = {k: number(v) for k, v in params.items()}
        setup = self.setup
        setup.tell(f"towers-threshold at {self.where(**params)}")
        found = minimise_many_towers(
            WEIGHTED,
            numbers,
            d=self.d,
            seeds=setup.seeds,
            dtype=setup.dtype,
            device=setup.device,
            **self.sizes,
        )
        assert found.certificate is not None
        measured = {
            "positive": mean_products(found.embeddings, POSITIVES),
            "negative": mean_products(found.embeddings, [NEGATIVE]),
            "loss": found.loss,
        }
        length = segment_length(self.sizes["K"])
        x = max(0.0, min(length, 1 - predicted["positive"]))
        few = setup.N == self.sizes["K"] == 2  # the CCEM of two items, whose negatives are -1
        other = (setup.N + 1) * self.sizes["p"]
        flat = flat_at(self.problem(**numbers), self.structure, x, length, other, pushed=few)
        if self.sizes["p"] > 1:  # derived, though not a quantity: the vectors of an item coincide
            names.append(TWIN)
            predicted[TWIN] = 1.0
            measured[TWIN] = mean_products(found.embeddings, [TWIN])
        return checks_of(
            found,
            {k: predicted[k] for k in names},
            measured,
            where=self.where(**params),
            setup=setup,
            covered=self.covered,
            flat=flat,
        )
