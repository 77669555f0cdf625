"""Mutants of the theorems on classes of given sizes."""

from __future__ import annotations

from mutant import mutants

CLASSES = ("derive/test_weighted_classes.py",)

MUTANTS = [
    *mutants(
        "results/weighted/_of_sizes.py",
        CLASSES,
        ("high = sorted((sizes[i", "high = sorted((sizes[0", "cosines are those of another class"),
    ),
    *mutants(
        "results/weighted/_soft_sizes.py",
        CLASSES,
        (
            "beyond = sign(fixed[tau] - value)",
            "beyond = -1",
            "the weights are said to be met beyond the critical temperature",
        ),
    ),
]
