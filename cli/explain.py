"""``cltheory explain``: what a value of a loss means."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING, Any

import click

from .tables import WIDTH
from .writing import formats, json_text

if TYPE_CHECKING:
    from ..derive.landmarks.explain import Explanation

# Options of advise as well.
CONVENTION = click.option(
    "--convention", help="Library in whose terms the loss is (default: the paper)."
)
VIEWS = click.option("--views", help="Views of each image (default: 2).")
TAU = click.option("--tau", help="Temperature that divides the cosines.")
SCALE = click.option("--t", help="Scale that multiplies the cosines, instead of a temperature.")
BIAS = click.option("--b", help="Bias of siglip, with the sign of its paper (default: -10).")


@click.command(
    "explain",
    epilog="""\b
Examples:
  cltheory explain supcon --batch 256 --tau 0.1 --convention supcontrast --value 8.909
  cltheory explain siglip --batch 8
  cltheory explain supcon --batch 256 --classes 8 --format json
  cltheory explain --value 6.2383 --batch 512
  cltheory explain --lp "(1 - x)^2" --ln "max(0, x)^2" --batch 16

\b
Losses: supcon, supcl, sincere, cnce, simclr (nt-xent), dcl, moco, clip (infonce),
siglip (sigmoid), dino, swav, ibot, vicreg, barlow-twins, simsiam, byol, spectral,
softplus-margin, exponential, hinge, squared-hinge, cosine-embedding, linear, focal,
distance-margin.
Conventions, each for the losses that it has: paper, supcontrast, solo-learn,
pytorch-metric-learning, lightly, open-clip, google-research, moco-v3.
""",
)
@click.argument("loss", required=False)
@click.option("--lp", help="Own loss: its function of the cosine x of positives (also of t, b).")
@click.option("--ln", help="Own loss: its function of the cosine x of negatives (also of t, b).")
@click.option("--value", help="Value of the loss, as it was logged.")
@CONVENTION
@click.option("--batch", help="Images in the batch, not views; pairs for clip and siglip.")
@VIEWS
@click.option("--classes", help="Classes in the batch, of one size (default: no labels).")
@click.option("--queue", help="Keys in the queue of moco (default: 65536).")
@click.option("--prototypes", help="Prototypes of dino, swav and ibot.")
@click.option("--dim", help="Dimension of the embeddings.")
@TAU
@click.option("--alpha", help="Weight of the self-supervised term of supcl (default: 0.5).")
@SCALE
@BIAS
@formats("text", "json")
def explain_command(loss: str | None, style: str, **options: Any) -> int:
    """Explain a value of LOSS by its landmarks: collapse, chance, orthogonal images, and so on.

    Without LOSS, all losses are searched for landmarks at --value.
    """
    from ..derive.landmarks.explain import explained

    found = explained(loss, **options)
    click.echo(json_text(found.as_json()) if style == "json" else as_text(found))
    return 0


def as_text(found: Explanation) -> str:
    """The sentence, the landmarks from the highest down, and what was taken for granted.

    Without a loss those come first that are nearest to the value.
    """
    from ..derive.landmarks.explain import ALL

    rows = list(found.landmarks)
    near = [f"{mark.value:.9g}" for mark in rows if mark.name == found.nearest][:1]
    if found.taken != ALL:
        rows.sort(key=lambda mark: -mark.value)
    lines = [fill(found.says, WIDTH), ""] if rows else [fill(found.says, WIDTH)]
    for mark in rows:
        sign = "*" if mark.name == found.nearest and f"{mark.value:.9g}" in near else " "
        lines.append(f"{sign} {mark.name:<18} {mark.value:>11.6g}  {mark.how}")
        lines.append(f"      {mark.as_json()['configuration']}")
    return "\n".join([*lines, "", fill(f"taken: {found.taken}", WIDTH)])
