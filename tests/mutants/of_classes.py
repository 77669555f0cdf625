"""Mutants of what is evaluated on a tape, and of the theorems on classes of given sizes."""

from __future__ import annotations

from mutant import mutants

TAPE = ("derive/test_tape.py",)
CLASSES = ("derive/test_weighted_classes.py",)

MUTANTS = [
    *mutants(
        "decide/tape.py",
        TAPE,
        ("add if e.is_Add else mul", "add", "factors are added"),
        ("if not ball.is_finite():", "if False:", "an unbounded ball is handed on"),
    ),
    *mutants(
        "decide/ball.py",
        TAPE,
        ("if not (x > 0 or x < 0):", "if not (x >= 0 or x < 0):", "zero is inverted"),
    ),
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
