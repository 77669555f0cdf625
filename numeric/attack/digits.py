"""Readings of a stored configuration, to any number of digits."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mpmath import mp

from ...derive.theorem.bounds import About
from ...derive.vectors.anchor import Anchor, Batch
from ...derive.vectors.measured import of_batch, of_law, of_logits
from .stored import Record


def readings_of(record: Record, names: Iterable[str]) -> dict[str, Any]:
    """The readings of these names, at the working precision of mpmath.

    Raises
    ------
    KeyError
        If the kind of configuration has no such reading.
    """
    found = _all(record)
    return {name: found[name] for name in names}


def _all(record: Record) -> Any:
    v, tau = record.vectors, record.tau
    if record.about is About.ANCHOR:
        return Anchor.read(v, tau)
    if record.about is About.BATCH:
        return Batch.read(v, tau)
    if record.about is About.SOFTMAX:
        return of_logits(v["logits"], mp.dps)
    if record.about is About.VECTORS:
        return of_batch(v["batch"], v["candidate"], mp.dps)
    return of_law(v["weights"], v["anchor"], v["positive"], v["negatives"], tau, mp.dps)
