"""The report of ``cltheory diagnose`` as one HTML page with its plots: nothing is fetched."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from io import StringIO
from typing import TYPE_CHECKING

from .diagnose_report import FLAGS, PARTS, SHORT, numbers, verdict

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..numeric.band.diagnose import Diagnosis
    from .diagnose_loss import Compared

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
       color: #222; background: #fff; }
table { border-collapse: collapse; margin: 0.5rem 0 1.5rem; }
td, th { text-align: left; padding: 0.15rem 1.2rem 0.15rem 0; border-bottom: 1px solid #ddd; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
.verdict { font-size: 1.3rem; }
.flag { color: #a40000; font-weight: 600; }
svg { width: 100%; height: auto; }
"""
#: Inches.
SIZE = (9.0, 6.6)


def page(file: str, found: Diagnosis, compared: Compared | None = None) -> str:
    """The page: the verdict, the numbers behind it, the loss, and then the gradient band."""
    first = found.reports[0]
    n, d = found.taken.z.shape
    many = len(found.reports)
    batches = f", {many} batches of {first.n}" if many > 1 else ""
    up = [FLAGS[name] for name, count in found.flags.items() if count]
    flags = "".join(f'<li class="flag">{escape(says)}</li>' for says in up)
    told = (*found.notes, *(compared.notes if compared else ()))
    notes = "".join(f"<li>{escape(note)}</li>" for note in told)
    title = escape(f"Diagnosis of {file}")
    tables = "".join(
        f"<h2>{escape(part.capitalize())}</h2>{_table(found, names)}"
        for part, names in PARTS.items()
    )
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{STYLE}</style></head><body>\n<h1>{title}</h1>\n"
        f'<p class="verdict">{escape(verdict(found))}</p>\n'
        f"<p>{n} embeddings in {d} dimensions; {escape(found.taken.how)}.</p>\n"
        f"{_rows(numbers(found))}{_loss(compared) if compared else ''}"
        f"<h2>Gradient band</h2><p>Temperature {first.tau:g}{batches}.</p>\n"
        f"<ul>{flags}{notes}</ul>\n"
        f"{plots(found)}\n{tables}<h2>Anchors</h2>{_anchors(found)}</body></html>"
    )


def _rows(rows: Iterable[tuple[str, float, str]]) -> str:
    return _with_head(
        ["", "", ""],
        [
            f'<tr><td>{escape(name)}</td><td class="number">{value:.4g}</td>'
            f"<td>{escape(says)}</td></tr>"
            for name, value, says in rows
        ],
    )


def _loss(compared: Compared) -> str:
    of = compared.found
    rows = [("here", of.loss, ""), ("predicted optimum", of.least, ""), ("gap", compared.gap, "")]
    rows += [(f"{name}, {side}", value, why) for name, side, value, why in compared.rows]
    return f"<h2>Loss</h2><p>{escape(compared.called)}</p>{_rows(rows)}"


def _table(found: Diagnosis, names: dict[str, str]) -> str:
    rows = []
    for name, says in names.items():
        mean, least, largest = found.number(name)
        cells = f'<td class="number">{mean:.6g}</td>'
        if len(found.reports) > 1:
            cells += f'<td class="number">{least:.6g}</td><td class="number">{largest:.6g}</td>'
        rows.append(f"<tr><td>{escape(name)}</td>{cells}<td>{escape(says)}</td></tr>")
    heads = ["", "mean", "least", "largest", ""] if len(found.reports) > 1 else ["", "", ""]
    return _with_head(heads, rows)


def _anchors(found: Diagnosis) -> str:
    rows, heads = [], [""]
    for name in found.anchors:
        if name == "has_a_copy":
            continue
        of = found.quantiles(name)
        heads = ["", *of]
        cells = "".join(f'<td class="number">{value:.4g}</td>' for value in of.values())
        rows.append(f"<tr><td>{escape(SHORT.get(name, name))}</td>{cells}</tr>")
    return _with_head(heads, rows)


def _with_head(heads: list[str], rows: list[str]) -> str:
    head = "".join(f"<th>{escape(cell)}</th>" for cell in heads)
    return f"<table><tr>{head}</tr>{''.join(rows)}</table>\n"


# --- plots -------------------------------------------------------------------------------------
def plots(found: Diagnosis) -> str:
    """Four panels as one SVG element."""
    from matplotlib.figure import Figure

    from ..numeric.figures.look import Look

    look = Look(SIZE[0])
    with look.applied():
        figure = Figure(figsize=SIZE, layout="constrained")
        (band, spectrum), (alike, error) = figure.subplots(2, 2)
        _band(band, found, look.palette())
        _spectrum(spectrum, found, look.palette())
        _alike(alike, found, look.palette())
        error.hist(found.anchors["epsilon"], bins=40, range=(0, 1), color=look.palette()[0])
        error.set(xlabel=r"softmax error $\varepsilon$", ylabel="anchors")
        error.set_title("(d) softmax error", loc="left")
        file = StringIO()
        figure.savefig(file, format="svg", metadata={"Date": None, "Creator": "cltheory"})
    drawn = file.getvalue()
    # In a page there is neither a declaration nor a document type, nor where they are described.
    drawn = drawn[drawn.index("<svg") :]
    return re.sub(r"<metadata>.*?</metadata>", "", drawn, flags=re.DOTALL).strip()


def _band(ax: Axes, found: Diagnosis, colours: list[str]) -> None:
    import numpy as np

    of = found.anchors
    order = np.argsort(of["squared_gradient"])
    # More than can be seen is thinned out.
    order = order[np.unique(np.linspace(0, len(order) - 1, min(len(order), 600)).astype(int))]
    x = np.linspace(0, 100, len(order))
    floor = max(float(of["squared_gradient"].max()) * 1e-9, 1e-300)
    low, high = (np.maximum(of[name][order], floor) for name in ("lower", "upper"))
    ax.fill_between(x, low, high, color=colours[4], alpha=0.5, linewidth=0, label="proved band")
    ax.plot(x, np.maximum(of["squared_gradient"][order], floor), color=colours[0], label="measured")
    printed = np.maximum(of["upper_printed"][order], floor)
    ax.plot(x, printed, color=colours[5], linestyle=":", label="printed upper band")
    ax.set(yscale="log", xlabel="anchors by their gradient, %", ylabel="squared gradient")
    ax.set_title("(a) band", loc="left")
    ax.legend()


def _spectrum(ax: Axes, found: Diagnosis, colours: list[str]) -> None:
    import numpy as np

    values = found.spectrum[found.spectrum > 1e-12]
    d = found.reports[0].d
    ax.plot(np.arange(1, len(values) + 1), values, color=colours[2], marker=".", markersize=3)
    ax.axhline(1 / d, color="black", linestyle=":", linewidth=0.8, label="$1/d$")
    ax.set(xscale="log", yscale="log", xlabel="number", ylabel="eigenvalue")
    ax.set_title("(b) spectrum of the second moment", loc="left")
    ax.legend()


def _alike(ax: Axes, found: Diagnosis, colours: list[str]) -> None:
    for k, (name, says) in enumerate(
        {"alignment": "positive", "similarity_of_negatives": "negatives, mean"}.items()
    ):
        ax.hist(
            found.anchors[name], bins=60, range=(-1, 1), color=colours[k], alpha=0.7, label=says
        )
    ax.set(xlabel="similarity to the anchor", ylabel="anchors")
    ax.set_title("(c) similarities", loc="left")
    ax.legend()
