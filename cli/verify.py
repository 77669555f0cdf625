"""``cltheory verify``."""

from __future__ import annotations

from dataclasses import asdict
from itertools import groupby
from typing import TYPE_CHECKING

import click

from .batches import alone_option, batch_option, over_batches, sampling_option
from .label_files import listed
from .numeric_options import DEVICE, DTYPE, SEEDS, dimension, need_torch, parse_dtype
from .parameters import (
    parameter_names,
    result_command,
    split,
)
from .progress import telling
from .tables import WIDTH, Column, show_table
from .writing import formats, json_text

if TYPE_CHECKING:
    from ..numeric.verify import Check


@result_command(
    "verify",
    """  cltheory verify supcl-threshold --m 10 --n 10 --p 2 --tau 0.2
  cltheory verify supcl-optimum --m 4 --n 5 --alpha 0.7 --tau 0.3 --seeds 0,1,2
  cltheory verify supcl-threshold --m 3 --n 2 --p 2 --tau 1/2 --batch 3
  cltheory verify towers-threshold --K 3 --N 6 --p 2 --w 1/2
  cltheory verify kernel-infonce --n 4 --p 2 --gamma 1 --tau 1/2
""",
)
@dimension("Embedding dimension (default: m n; max(N, 3) for two towers; N + K for K towers).")
@batch_option
@sampling_option
@alone_option
@SEEDS
@DTYPE
@DEVICE
@formats("text", "json")
def verify_command(
    id: str,
    parameters: tuple[str, ...],
    d: int | None,
    batch: int | None,
    sampling: str | None,
    alone: str | None,
    seeds: list[int],
    dtype: str,
    device: str,
    style: str,
) -> int:
    """Check the result ID on embeddings optimised by torch; exit 1 on disagreement.

    PARAMETERS are --name value pairs; parameters that are not given take small default values,
    with alpha on both sides of the threshold. The certified gap bounds the distance of the loss
    found from its global minimum. If the loss is not convex in the Gram matrix, no gap is
    certified and the loss found is called optimised; a search that ends above the derived minimum
    has not reached it, which is not a disagreement, while one that ends below it disagrees.
    With --dim the best proved bound on the loss in that dimension is compared with the best
    embeddings found: the difference is what is left open.
    """
    need_torch()
    id, drawn = over_batches(id, batch, sampling, alone, parameters)
    # What the vectors of an item are is no matter of most results, but embeddings need it.
    values = split((*parameters, *drawn), id, *(() if "p" in parameter_names(id) else ("p",)))
    from ..derive.results import results
    from ..numeric.verify import verify

    values |= {k: listed(k, values[k]) for k in results[id].lists if k in values}

    with telling(f"verifying {id}") as tell:
        try:
            checks = verify(
                id, d=d, seeds=seeds, dtype=parse_dtype(dtype), device=device, tell=tell, **values
            )
        except ValueError as refusal:
            if type(refusal) is not ValueError:  # ours, and the same for every command
                raise
            raise click.UsageError(str(refusal)) from None
    failed = [c for c in checks if c.verdict == "disagrees"]
    if style == "json":
        rows = [asdict(c) | {"difference": c.difference, "verdict": c.verdict} for c in checks]
        click.echo(json_text(rows))
        return 1 if failed else 0
    said = f"{id} against optimised embeddings: {len(checks)} checks, {len(failed)} disagree"
    for word in ("not reached", "not covered"):
        count = sum(c.verdict == word for c in checks)
        said += f", {count} {word}" * bool(count)
    click.echo(said)
    for at, some in groupby(checks, key=lambda c: c.at):
        show_table(at, COLUMNS, [_row(c) for c in some], piped=WIDTH)
    return 1 if failed else 0


COLOURS = {"agrees": "green", "disagrees": "red", "not covered": "yellow", "not reached": "yellow"}
COLUMNS = (
    Column("quantity"),
    Column("predicted", number=True),
    Column("measured", number=True),
    Column("difference", number=True),
    Column("allowed", number=True),
    Column("gap", number=True),
    Column("verdict", styles=COLOURS),
)


def _row(c: Check) -> tuple[str, ...]:
    gap = "" if c.gap is None else f"{c.gap:.1e}"
    if c.stop not in ("", "converged"):
        gap = f"{gap} ({c.stop})".strip()
    return (
        c.what,
        f"{c.predicted:.9f}",
        f"{c.measured:.9f}",
        f"{c.difference:+.1e}",
        f"{c.tolerance:.0e}",
        gap,
        c.verdict,
    )
