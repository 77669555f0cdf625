"""The picture of docs/dimension.md: below what the loss of a system cannot fall in d dimensions.

python docs/made/dimension.py     draw it again
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from cltheory.derive.results import results

PICTURE = Path(__file__).resolve().parents[1] / "pictures" / "dimension.png"
#: Name, the quantity of uniform-bound, sizes, temperature, and the dimension of its head.
SYSTEMS = (
    ("SimCLR, 4,096 images", "loss_at_least_best_anchor_out", {"n": 4096, "p": 2}, 0.1, 128),
    ("MoCo v2, 65,536 in the queue", "loss_at_least_best", {"N": 65537}, 0.2, 128),
    ("CLIP at the start, 32,768 pairs", "loss_at_least_best", {"N": 32768}, 0.07, 512),
)
DIMENSIONS = np.unique(np.geomspace(2, 2048, 60).round())


def main() -> None:
    """Draw the picture."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    fig, ax = plt.subplots(figsize=(5.5, 3.2), layout="constrained")
    for name, quantity, sizes, tau, own in SYSTEMS:
        bound = results["uniform-bound"].function(quantity)
        (line,) = ax.plot(DIMENSIONS, bound(**sizes, tau=tau, d=DIMENSIONS), label=name)
        ax.plot(own, bound(**sizes, tau=tau, d=np.array([own])), "o", color=line.get_color())
    ax.set(xscale="log", xlabel="dimension $d$", ylabel="no loss below", ylim=(-0.2, None))
    ax.legend(frameon=False)
    fig.savefig(PICTURE, dpi=150, metadata={"Software": None})


if __name__ == "__main__":
    main()
