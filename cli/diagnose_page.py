"""The report of ``cltheory diagnose`` as one HTML page with its plots: nothing is fetched."""

from __future__ import annotations

import re
from html import escape
from io import StringIO
from typing import TYPE_CHECKING

from .diagnose_report import as_text, verdict

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..numeric.band.diagnose import Diagnosis
    from ..numeric.problems.departure import Departure

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
       color: #222; background: #fff; }
.verdict { font-size: 1.3rem; }
pre { overflow-x: auto; }
svg { width: 100%; height: auto; }
"""
#: Inches.
SIZE = (9.0, 6.6)


def page(file: str, found: Diagnosis, compared: Departure | None = None) -> str:
    """The verdict, plots, and the report in full."""
    title = escape(f"Diagnosis of {file}")
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{STYLE}</style></head><body>\n<h1>{title}</h1>\n"
        f'<p class="verdict">{escape(verdict(found))}</p>\n{plots(found)}\n'
        f"<pre>{escape(as_text(file, found, compared))}</pre></body></html>"
    )


# --- plots -------------------------------------------------------------------------------------
def plots(found: Diagnosis) -> str:
    """Four panels as one SVG element; what draws one returns its title."""
    from matplotlib.figure import Figure

    from ..numeric.figures.look import Look

    look = Look(SIZE[0])
    with look.applied():
        figure = Figure(figsize=SIZE, layout="constrained")
        draws = (_band, _spectrum, _alike, _classes if found.collapse.classes else _errors)
        for ax, letter, draw in zip(figure.subplots(2, 2).flat, "abcd", draws, strict=True):
            ax.set_title(f"({letter}) {draw(ax, found, look.palette())}", loc="left")
            if ax.get_legend_handles_labels()[0]:
                ax.legend()
        file = StringIO()
        figure.savefig(file, format="svg", metadata={"Date": None, "Creator": "cltheory"})
    drawn = file.getvalue()
    # In a page there is neither a declaration nor a document type, nor where they are described.
    drawn = drawn[drawn.index("<svg") :]
    return re.sub(r"<metadata>.*?</metadata>", "", drawn, flags=re.DOTALL).strip()


def _band(ax: Axes, found: Diagnosis, colours: list[str]) -> str:
    import numpy as np

    each = found.anchors
    order = np.argsort(each["squared_gradient"])
    # More than can be seen is thinned out.
    order = order[np.unique(np.linspace(0, len(order) - 1, min(len(order), 600)).astype(int))]
    x = np.linspace(0, 100, len(order))
    floor = max(float(each["squared_gradient"].max()) * 1e-9, 1e-300)
    low, high = (np.maximum(each[name][order], floor) for name in ("lower", "upper"))
    ax.fill_between(x, low, high, color=colours[4], alpha=0.5, linewidth=0, label="proved band")
    measured = np.maximum(each["squared_gradient"][order], floor)
    ax.plot(x, measured, color=colours[0], label="measured")
    printed = np.maximum(each["upper_printed"][order], floor)
    ax.plot(x, printed, color=colours[5], linestyle=":", label="printed upper band")
    ax.set(yscale="log", xlabel="anchors by their gradient, %", ylabel="squared gradient")
    return "band"


def _spectrum(ax: Axes, found: Diagnosis, colours: list[str]) -> str:
    import numpy as np

    values = found.spectrum[found.spectrum > 1e-12]
    d = found.reports[0].d
    ax.plot(np.arange(1, len(values) + 1), values, color=colours[2], marker=".", markersize=3)
    ax.axhline(1 / d, color="black", linestyle=":", linewidth=0.8, label="$1/d$")
    ax.set(xscale="log", yscale="log", xlabel="number", ylabel="eigenvalue")
    return "spectrum of the second moment"


def _alike(ax: Axes, found: Diagnosis, colours: list[str]) -> str:
    for k, (name, says) in enumerate(
        {"alignment": "positive", "similarity_of_negatives": "negatives, mean"}.items()
    ):
        ax.hist(
            found.anchors[name], bins=60, range=(-1, 1), color=colours[k], alpha=0.7, label=says
        )
    ax.set(xlabel="similarity to the anchor", ylabel="anchors")
    return "similarities"


def _errors(ax: Axes, found: Diagnosis, colours: list[str]) -> str:
    ax.hist(found.anchors["epsilon"], bins=40, range=(0, 1), color=colours[0])
    ax.set(xlabel=r"softmax error $\varepsilon$", ylabel="anchors")
    return "softmax error"


def _classes(ax: Axes, found: Diagnosis, colours: list[str]) -> str:
    """The variance of each class, and below which part of the whole it counts as collapsed."""
    collapse = found.collapse
    assert collapse.classes is not None
    classes = collapse.classes
    values = sorted(classes.of_class[classes.counts > 1].tolist())
    edge = collapse.limits.classes * collapse.numbers["variance"]
    ax.plot(range(1, len(values) + 1), values, "o", color=colours[0], markersize=3)
    ax.axhline(edge, color="black", linestyle=":", linewidth=0.8, label="collapsed below")
    ax.set(xlabel="classes by their variance", ylabel="variance", ylim=(0, None))
    return "variance within classes"
