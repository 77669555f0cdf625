"""Batches chosen by their spectrum against random ones, on the digits of scikit-learn.

A small encoder is trained by InfoNCE on two distorted views of each image (NT-Xent). What differs
between the methods is which images are in a batch: by ``seed`` they have the same images held out,
the same first weights, and the same random numbers for the distortions. The cache of embeddings is
filled once before training, and then written by the training loop alone.

Losses on chosen batches cannot be compared: a diverse batch has a lower loss at the same weights.
So the loss on one fixed set of random batches is followed as well (``reference``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import nan, sqrt
from statistics import mean, stdev
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import normalize

from ..batches.cache import EmbeddingCache
from ..batches.samplers import BatchSampler, GreedyBatchSampler, PoolBatchSampler
from ..losses import SupCon
from ..metrics import effective_rank, smaller_gram
from ..running.device import resolve_device, threads_for
from ..running.progress import Report, reporting
from ..running.table import Row
from . import (
    CLASSES,
    HELD_OUT,
    HIDDEN,
    Digits,
    descent,
    encoder,
    linear_accuracy,
    load,
    views,
)

RANDOM = "random"
METHODS = (RANDOM, "P1", "P2", "P3", "greedy-16", "greedy-64")
#: What is measured of a run, in the order of a table.
MEASURED = (
    "rank",
    "cached_rank",
    "sigma",
    "peak_sigma",
    "loss_area",
    "reference_area",
    "knn_area",
    "knn",
    "probe",
    "age",
    "evenness",
)
NEIGHBOURS = 5
#: Differences of accuracies that are the same come out apart by rounding; relative to the largest.
SAME = 1e-9


@dataclass(frozen=True)
class Setup:
    """What all methods share.

    Attributes
    ----------
    batch
        Images in a batch, each in two views.
    steps
        Of AdamW.
    tau, d
        Temperature, and dimension of an embedding.
    candidates
        Batches that a policy chooses from.
    pool
        Images that a greedy batch is built out of.
    replacement
        Whether each batch is chosen from all images, or every image is in one batch of an epoch.
    every
        Steps from one reading of ``reference`` and ``knn`` to the next.
    """

    batch: int = 64
    steps: int = 600
    tau: float = 0.2
    d: int = 32
    candidates: int = 10
    pool: int = 640
    replacement: bool = True
    every: int = 20


@dataclass(frozen=True)
class Run:
    """One training.

    Attributes
    ----------
    row
        ``method``, ``seed``, and what was measured. ``rank`` and ``sigma`` are the mean effective
        rank and largest eigenvalue of the second moment of the batches as they were embedded when
        trained on, ``peak_sigma`` the largest; ``cached_rank`` is by the cache they were chosen by.
        ``loss_area`` is the mean of the training loss over steps, ``reference_area`` and
        ``knn_area`` are means over the readings. ``knn`` and ``probe`` are the accuracies at the
        end, on images held out. ``age`` is how many steps old the cached embeddings were that were
        chosen, on average; ``evenness`` is 1 if all images were in as many batches, and 1/k if a
        k-th of them was in all.
    curve
        At each reading the ``step``, and ``rank``, ``sigma``, ``loss``, ``reference``, ``knn``.
    """

    row: Row
    curve: tuple[Row, ...]


def runs(
    methods: Sequence[str] = METHODS,
    seeds: Sequence[int] = tuple(range(10)),
    setup: Setup = Setup(),
    *,
    device: str | torch.device = "auto",
    progress: bool | Report = False,
) -> Iterator[Run]:
    """Train with every method and seed.

    Parameters
    ----------
    methods
        ``"random"``, ``"P1"``, ``"P2"``, ``"P3"``, or ``"greedy-M"`` with M candidates a step.
    seeds
        Of what is held out, the first weights, and the batches.
    setup
        What they share.
    device, progress
        As in :func:`~cltheory.numeric.search.minimise`.
    """
    for method in methods:  # refuse before anything is trained
        _sampler(method, 4 * setup.batch, EmbeddingCache(4 * setup.batch, setup.d), setup, 0)
    digits = load(torch.float32)
    where = resolve_device(device)
    with reporting(progress, len(methods) * len(seeds), "run") as advance:
        for seed in seeds:
            for method in methods:
                with threads_for(2 * setup.batch, HIDDEN):
                    yield _run(method, seed, setup, digits, where)
                advance(1)


def compare(rows: Iterable[Row], against: str = RANDOM) -> list[Row]:
    """Means over seeds, and differences from another method, seed by seed.

    Parameters
    ----------
    rows
        Those of runs.
    against
        The method to compare with.

    Returns
    -------
    list of Row
        For each method and ``measure``: ``mean``, ``error`` (standard error of the mean),
        ``difference`` from the other method with its own ``difference_error``, and ``p`` of a
        paired t-test, which is nan for the other method itself and for a single seed.
    """
    by: dict[str, dict[int, Row]] = {}
    for row in rows:
        by.setdefault(str(row["method"]), {})[int(row["seed"])] = row
    if against not in by:
        raise ValueError(f"no runs found of {against!r} to compare with")
    found: list[Row] = []
    for method, of in by.items():
        if of.keys() != by[against].keys():
            raise ValueError(f"{method} and {against} were not run with the same seeds")
        for measure in MEASURED:
            values = [float(of[seed][measure]) for seed in of]
            apart = [float(of[seed][measure]) - float(by[against][seed][measure]) for seed in of]
            found.append(
                {
                    "method": method,
                    "measure": measure,
                    "mean": mean(values),
                    "error": error(values),
                    "difference": mean(apart),
                    "difference_error": error(apart),
                    "p": p_of(apart),
                }
            )
    return found


def error(values: Sequence[float]) -> float:
    """The standard error of a mean; nan for one value."""
    return stdev(values) / sqrt(len(values)) if len(values) > 1 else nan


def p_of(apart: Sequence[float]) -> float:
    """Of a paired t-test, two sides; nan where all differences are the same but for rounding."""
    from scipy.stats import ttest_1samp

    is_told = max(apart) - min(apart) > SAME * max(map(abs, apart))
    return float(ttest_1samp(apart, 0).pvalue) if is_told else nan


def _sampler(
    method: str, count: int, cache: EmbeddingCache, setup: Setup, seed: int
) -> BatchSampler:
    options: dict[str, Any] = {"seed": seed, "replacement": setup.replacement}
    name, _, probe = method.partition("-")
    if name == "greedy" and probe.isdecimal():
        options |= {"probe": int(probe), "pool": setup.pool}
        return GreedyBatchSampler(count, cache, setup.batch, **options)
    candidates = 1 if method == RANDOM else setup.candidates
    policy = "P1" if method == RANDOM else method
    if policy not in ("P1", "P2", "P3"):
        raise ValueError(f"method must be one of {', '.join(METHODS)}, or greedy-M, not {method!r}")
    return PoolBatchSampler(count, cache, setup.batch, policy, candidates=candidates, **options)


def _run(method: str, seed: int, setup: Setup, digits: Digits, where: torch.device) -> Run:
    random = torch.Generator().manual_seed(seed)
    order = torch.randperm(len(digits.images), generator=random)
    test, train = order[:HELD_OUT], order[HELD_OUT:]
    images, classes = digits.images.to(where), digits.classes.to(where)
    net = encoder(images.shape[1], setup.d, random).to(where)
    loss = SupCon(setup.tau)
    # Four batches and their views, the same for all methods and steps.
    reference = train[torch.randperm(len(train), generator=random)[: 4 * setup.batch]]
    references = views(images[reference.to(where)], random).split(setup.batch)
    cache = EmbeddingCache(len(train), setup.d, device=where)
    with torch.no_grad():
        cache.update(range(len(train)), net(images[train.to(where)]))
    sampler = _sampler(method, len(train), cache, setup, seed)
    descend = descent(net, setup.steps)
    seen: dict[str, list[float]] = {
        name: [] for name in ("rank", "cached_rank", "sigma", "loss", "age")
    }
    curve: list[Row] = []
    times = torch.zeros(len(train))
    batches = _forever(sampler)
    for step in range(setup.steps):
        chosen = torch.tensor(next(batches))
        times[chosen] += 1
        if sampler.last is not None:
            seen["cached_rank"].append(sampler.last.rank)
        seen["age"].append(float(cache.age(chosen).mean()))
        z = net(views(images[train[chosen].to(where)], random))
        seen["loss"].append(descend(loss(z)))
        first = normalize(z.detach()[:, 0], dim=1)
        cache.update(chosen, first)
        seen["rank"].append(float(effective_rank(first)))
        moment = smaller_gram(first.double()) / len(first)
        seen["sigma"].append(float(torch.linalg.eigvalsh(moment)[-1]))
        if (step + 1) % setup.every == 0 or step + 1 == setup.steps:
            with torch.no_grad():
                common = mean(loss(net(both)).item() for both in references)
                z_all = net(images)
            near = _nearest(z_all, classes, train.to(where), test.to(where))
            now = {name: seen[name][-1] for name in ("rank", "sigma", "loss")}
            curve.append({"step": step + 1, **now, "reference": common, "knn": near})
    with torch.no_grad():
        features = net[:-1](images).double()
    row: Row = {
        "method": method,
        "seed": seed,
        "rank": mean(seen["rank"]),
        "cached_rank": mean(seen["cached_rank"]),
        "sigma": mean(seen["sigma"]),
        "peak_sigma": max(seen["sigma"]),
        "loss_area": mean(seen["loss"]),
        "reference_area": mean(float(at["reference"]) for at in curve),
        "knn_area": mean(float(at["knn"]) for at in curve),
        "knn": curve[-1]["knn"],
        "probe": linear_accuracy(features, classes, train.to(where), test.to(where)),
        "age": mean(seen["age"]),
        "evenness": float(times.mean().square() / times.square().mean()),
    }
    return Run(row, tuple(curve))


def _forever(sampler: BatchSampler) -> Iterator[list[int]]:
    while True:
        yield from sampler


def _nearest(z: Tensor, classes: Tensor, train: Tensor, test: Tensor) -> float:
    """Accuracy of a vote of the nearest by cosine, on images held out."""
    unit = normalize(z, dim=1)
    near = (unit[test] @ unit[train].T).topk(NEIGHBOURS).indices
    votes = nn.functional.one_hot(classes[train][near], CLASSES).sum(1)
    return float((votes.argmax(1) == classes[test]).double().mean())
