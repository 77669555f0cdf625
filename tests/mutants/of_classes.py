"""Mutants of what is evaluated on a tape, and of the theorems on classes of given sizes."""

from __future__ import annotations

from mutant import Mutant

TAPE = ("derive/test_tape.py",)
CLASSES = ("derive/test_weighted_classes.py",)

MUTANTS = [
    Mutant(
        "decide/tape.py",
        "            total = total * found[k]",
        "            total = total + found[k]",
        "factors are added",
        TAPE,
    ),
    Mutant(
        "decide/tape.py",
        "            if not ball.is_finite():",
        "            if False:",
        "an unbounded ball is handed on",
        TAPE,
    ),
    Mutant(
        "decide/ball.py",
        "        if not (x > 0 or x < 0):",
        "        if not (x >= 0 or x < 0):",
        "zero is inverted",
        TAPE,
    ),
    Mutant(
        "results/weighted/_of_sizes.py",
        "    low, high = sorted((sizes[i], sizes[j]))",
        "    low, high = sorted((sizes[0], sizes[j]))",
        "cosines are those of another class",
        CLASSES,
    ),
    Mutant(
        "results/weighted/_soft_sizes.py",
        "        beyond = sign(fixed[tau] - value)",
        "        beyond = -1",
        "the weights are said to be met beyond the critical temperature",
        CLASSES,
    ),
]
