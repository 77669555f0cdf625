"""Stored numbers that are exact."""

from __future__ import annotations

import json
from fractions import Fraction
from importlib.resources import files


def stored_cells(package: str, name: str) -> list[list[Fraction]]:
    """Cells of a stored table of optimised embeddings, as exact decimals.

    Finding them took an optimiser; checking a claim on them does not.
    """
    text = (files(package) / name).read_text("utf-8")
    return [[Fraction(v) for v in cell] for cell in json.loads(text)["cells"]]
