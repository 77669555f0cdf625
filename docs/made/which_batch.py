"""The picture of docs/which-batch.md: alpha_min against the size of a batch.

python docs/made/which_batch.py     draw it again
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from cltheory.derive.results import results

PICTURE = Path(__file__).resolve().parents[1] / "pictures" / "which-batch.png"
#: Name, classes, instances per class.
DATA = (("10 x 5,000", 10, 5000), ("100 x 500", 100, 500), ("1,000 x 1,300", 1000, 1300))
TAU = 0.1


def curve(m: int, n: int, sizes: np.ndarray) -> np.ndarray:
    """alpha_min over random batches of these sizes."""
    return np.asarray(
        results["supcl-batches"].function("alpha_high_term")(m=m, n=n, B=sizes, tau=TAU)
    )


def main() -> None:
    """Draw the picture."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    fig, ax = plt.subplots(figsize=(5.5, 3.2), layout="constrained")
    for name, m, n in DATA:
        sizes = np.unique(np.geomspace(8, min(m * n, 65536), 40).round())
        (line,) = ax.plot(sizes, curve(m, n, sizes), label=name)
        whole = results["supcl-threshold"].value("alpha_min", m=m, n=n, tau="1/10")
        ax.axhline(float(whole), color=line.get_color(), linestyle=":", linewidth=1)
    ax.set(xscale="log", yscale="log", xlabel="instances in a batch, $B$")
    ax.set_ylabel(r"$\alpha_{\min}$: classes stay collapsed below")
    ax.legend(title="classes x instances", frameon=False)
    fig.savefig(PICTURE, dpi=150, metadata={"Software": None})


if __name__ == "__main__":
    main()
