"""The picture of docs/noise.md: the share of wrong positives that a temperature bears.

python docs/made/noise.py     draw it again
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from cltheory.derive.results import results

PICTURE = Path(__file__).resolve().parents[1] / "pictures" / "noise.png"
SHARES = np.geomspace(1e-4, 0.5, 60)


def main() -> None:
    """Draw the picture."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    pairs = results["infonce-noise"].function("tau_min")
    labels = results["supcon-noise"].function("tau_min")
    fig, ax = plt.subplots(figsize=(5.5, 3.2), layout="constrained")
    for name, size in (("CLIP, 32,768 pairs", 32768), ("InfoNCE, 1,024 pairs", 1024)):
        ax.plot(SHARES, pairs(N=size, rho=SHARES), label=name)
    ax.plot(SHARES, labels(m=10, n=50, p=2, rho=SHARES), label="SupCon, 10 x 50, two views")
    ax.axhline(0.01, color="black", linestyle=":", linewidth=1)
    ax.annotate("CLIP's clamp", (1.2e-4, 0.0105), fontsize="small")
    ax.set(xscale="log", yscale="log", xlabel=r"share of wrong positives, $\rho$")
    ax.set_ylabel(r"$\tau_{\min}$: the simplex above it")
    ax.legend(frameon=False)
    fig.savefig(PICTURE, dpi=150, metadata={"Software": None})


if __name__ == "__main__":
    main()
