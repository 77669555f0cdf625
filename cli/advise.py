"""``cltheory advise``: which values of the parameters of a loss are safe, and who says so."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING, Any

import click

from .batches import ALONE
from .explain import BIAS, CONVENTION, SCALE, TAU, VIEWS
from .tables import WIDTH
from .writing import formats, json_text

if TYPE_CHECKING:
    from ..derive.advice.advise import Bound, Report, Safe


@click.command(
    "advise",
    epilog="""\b
Examples:
  cltheory advise --classes 100 --batch 1024 --views 2 --dim 128 --loss supcl
  cltheory advise --loss supcl --classes 10 --batch 256 --alpha 0.05 --convention supcontrast
  cltheory advise --loss supcon --classes 100 --batch 512 --sampling balanced:8 --noise 0.2
  cltheory advise --loss simclr --batch 512 --devices 8 --classes 1000 --per-class 1281
  cltheory advise --loss siglip --batch 4096 --t 10 --b -10 --format json
  cltheory advise --loss supcon --sizes 500,100,20 --tau 0.1

Losses: supcl, supcon, simclr, clip (or infonce), siglip (or sigmoid). Conventions are those of
explain: paper, supcontrast, pytorch-metric-learning, lightly, open-clip, google-research.
""",
)
@click.option("--loss", required=True, help="Loss that is trained with.")
@CONVENTION
@click.option("--batch", help="Images in a batch of a device, not views; or pairs (default: 256).")
@VIEWS
@click.option("--classes", help="Classes in the data, of one size.")
@click.option("--per-class", help="Images of each class (default: 1,000,000, for many).")
@click.option("--sizes", help="Samples of each class where they differ, such as 500,100,20.")
@click.option("--sampling", help="uniform (default), balanced:K (K of each class drawn), or all.")
@click.option("--alone", help=f"An anchor alone in its class: {', '.join(ALONE)}.")
@click.option("--devices", help="Devices that gather their embeddings (default: 1).")
@click.option("--accumulate", help="Batches whose gradients are accumulated (default: 1).")
@click.option("--dim", help="Dimension of the embeddings (default: 128; 512 for two towers).")
@TAU
@click.option("--alpha", help="Weight of the self-supervised term of supcl.")
@click.option(
    "--noise",
    help="Share of positive pairs that are wrong (supcon: about twice that of labels; clip).",
)
@SCALE
@BIAS
@formats("text", "json")
def advise_command(style: str, **options: Any) -> int:
    """Say which values of a loss's parameters are safe, by what margin, and which theorem says so.

    What is not given is taken as it usually is, and the last line says so.
    """
    from ..derive.advice.advise import advised

    found = advised(**options)
    click.echo(json_text(found.as_json()) if style == "json" else as_text(found))
    return 0


def as_text(found: Report) -> str:
    """The answer, each parameter with what bounds it, what else is known, what was taken."""
    lines = [fill(found.says, WIDTH), ""]
    for safe in found.parameters:
        lines += _range(safe)
        lines += [line for bound in safe.bounds for line in _bound(bound)]
    if found.parameters:
        lines.append("")
    for told in found.facts:
        who = f" ({_who(told.bound)})" if told.bound else ""
        lines.append(fill(f"{told.name}: {told.says}{who}", WIDTH, subsequent_indent="    "))
    taken = ", ".join(f"{k} {v}" for k, v in found.taken.items())
    return "\n".join([*lines, "", fill(f"taken: {taken}", WIDTH)])


def _range(safe: Safe) -> list[str]:
    ends = [f"{k:.6g}" if k is not None else "any" for k in (safe.low, safe.high)]
    said = (
        f"{safe.name:<6} from {ends[0]} to {ends[1]}"
        if ends[0] != ends[1]
        else f"{safe.name:<6} none"
    )
    if safe.value is not None:
        said += f"; {'taken' if safe.taken else 'given'}: {safe.value:g}"
        if safe.margin is not None:
            side = "margin" if safe.margin >= 0 else "outside by"
            said += f", {side} {abs(safe.margin):.4g}"
    elif safe.middle is not None:
        said += f"; the middle is {safe.middle:.4g}"
    words = "; ".join(filter(None, (safe.note, safe.where)))
    note = f" ({words})" if words else ""
    return fill(said + note, WIDTH, subsequent_indent="       ").splitlines()


def _bound(bound: Bound) -> list[str]:
    other = {"above": "below", "below": "above"}[bound.side]
    text = f"{other} {bound.value:.6g}: {bound.outside} ({_who(bound)})"
    return fill(text, WIDTH, initial_indent="    ", subsequent_indent="      ").splitlines()


def _who(bound: Bound) -> str:
    return f"{bound.result} {bound.quantity}, {bound.evidence}"
