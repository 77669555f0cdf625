"""The loss that `diagnose` is asked to compare with its optimum."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

import click

from .parameters import read_assigned, short

if TYPE_CHECKING:
    from sympy import Expr, Symbol

    from ..derive.problems.problem import Problem
    from ..numeric.band.diagnose import Settings, Taken
    from ..numeric.problems.departure import Departure


def of_loss(options: SimpleNamespace) -> tuple[Problem, dict[Symbol, Expr]] | None:
    """The loss that was asked for, with its parameters; None where there is none.

    Raises
    ------
    click.UsageError
        If parameters are missing, unknown, or there without a loss.
    """
    values = {k: v for k in ("alpha", "t", "b") if (v := getattr(options, k)) is not None}
    values |= read_assigned(options.others)
    if options.loss is None:
        if values or options.dim is not None:
            raise click.UsageError(f"--{next(iter(values), 'dim')} needs --loss")
        return None
    from ..derive.decide.exact import exact
    from ..derive.problems.catalogue import named

    problem = named(options.loss)
    sizes = set().union(*(axis.free_symbols for axis in problem.structure.axes))
    symbols = {s.name: s for s in problem.domain.ranges if s not in sizes}
    if "tau" in symbols:
        values.setdefault("tau", repr(options.tau))
    for name in values:
        if name not in symbols:
            takes = ", ".join(symbols)
            raise click.UsageError(
                f"{options.loss} has no parameter {short(name)}; it takes {takes}"
            )
    if missing := [name for name in symbols if name not in values]:
        raise click.UsageError(f"{options.loss} needs a value of {', '.join(missing)}")
    return problem, {symbols[k]: exact(v) for k, v in values.items()}


def compare(
    options: SimpleNamespace,
    asked: tuple[Problem, dict[Symbol, Expr]],
    taken: Taken,
    settings: Settings,
) -> Departure:
    """The loss at embeddings beside its optimum."""
    from ..numeric.band.diagnose import towers_of
    from ..numeric.problems.departure import departure

    how = {name: getattr(options, name) for name in ("dim", "batch", "batches", "seed")}

    towers = towers_of(taken, settings, taken.paired)
    labels = None if taken.labels is None else taken.labels[taken.paired]
    return departure(*asked, towers, labels, **how)
