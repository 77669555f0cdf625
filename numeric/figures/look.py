"""How figures look: widths, fonts, colours, and a style of the user's own; how they are written."""

from __future__ import annotations

import logging
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...derive.errors import Refusal
from ...derive.files import write as write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: What tells a figure of ours from another file.
MARK = "cltheory"
#: Inches, as in the templates of conferences and journals.
WIDTHS = {"one-column": 3.25, "two-column": 6.75}
NARROWEST, WIDEST = 2.0, 20.0

#: Okabe and Ito: told apart by readers with any colour vision. Black is left for borders.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#999999")
#: What tells structures apart where there is no colour: hatches of cells, markers of points.
HATCHES = ("", "////", "....", r"\\\\", "xxxx", "----", "||||", "++++")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "p")
#: And borders.
DASHES = ("-", (0, (4, 1.5)), (0, (1, 1)), (0, (4, 1.5, 1, 1.5)), (0, (6, 2)), (0, (2, 2)))

#: Sizes are those of a figure that is set at its own width. STIX comes with matplotlib, so that
#: the same file is drawn everywhere, and looks like the Times of the papers.
BASE: dict[str, Any] = {
    "font.family": "STIXGeneral",
    "mathtext.fontset": "stix",
    "font.size": 8.0,
    "axes.titlesize": "medium",
    "axes.labelsize": "medium",
    "xtick.labelsize": "medium",
    "ytick.labelsize": "medium",
    "legend.fontsize": "medium",
    "legend.title_fontsize": "medium",
    "legend.frameon": False,
    "legend.handlelength": 2.6,
    "axes.linewidth": 0.6,
    "axes.titlepad": 4.0,
    "axes.labelpad": 2.0,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "lines.linewidth": 1.2,
    "lines.markersize": 4.0,
    "hatch.linewidth": 0.4,
    "image.cmap": "viridis",
    "savefig.dpi": 300,
}
#: What no style changes: text stays text that is embedded as TrueType, the file has the width
#: that was asked for, and is the same every time.
HELD: dict[str, Any] = {
    "pdf.fonttype": 42,
    "ps.fonttype": 42,
    "pdf.use14corefonts": False,
    "ps.useafm": False,
    "svg.hashsalt": "cltheory",
    "savefig.bbox": None,
    "savefig.format": "png",
    "figure.autolayout": False,
    "figure.constrained_layout.use": False,
}


class StyleError(Refusal, ValueError):
    """A style that is not known or cannot be read; the message is one line."""


@dataclass(frozen=True)
class Look:
    """Width and style of a figure.

    Attributes
    ----------
    width
        Inches.
    style
        A style of matplotlib by name, or a file of settings; nothing for our own.
    svg_text
        Whether text in SVG stays text, for a reader who has the font; else it is outlines.
    """

    width: float = WIDTHS["two-column"]
    style: str = ""
    svg_text: bool = False

    def __post_init__(self) -> None:
        if not (isfinite(self.width) and NARROWEST <= self.width <= WIDEST):
            raise ValueError(f"a width is {NARROWEST:g} to {WIDEST:g} inches, not {self.width:g}")

    @cached_property
    def settings(self) -> dict[str, Any]:
        """All that differs from matplotlib's own settings.

        Raises
        ------
        StyleError
            If the style is not one.
        """
        import cycler

        own = {**BASE, "axes.prop_cycle": cycler.cycler(color=list(COLOURS))}
        more = style(self.style) if self.style else {}
        return {**own, **more, **HELD, "svg.fonttype": "none" if self.svg_text else "path"}

    @contextmanager
    def applied(self) -> Iterator[None]:
        """The settings, while something is drawn or written; those of the user's are not used."""
        import matplotlib

        with matplotlib.rc_context():
            matplotlib.rcdefaults()
            current: Any = matplotlib.rcParams
            current.update(self.settings)
            yield

    def tried(self) -> None:
        """Draw a little of everything, so that a style that cannot be used is refused at once.

        Raises
        ------
        StyleError
            With what was wrong, in one line.
        """
        try:
            settings = self.settings
            with self.applied():
                from matplotlib.figure import Figure

                figure = Figure(figsize=(1, 1))
                ax = figure.subplots()
                ax.pcolormesh([0, 1], [0, 1], [[0.5]], cmap=settings["image.cmap"])
                ax.plot([0, 1], [0, 1], "o-", label="$x$")
                ax.legend()
                with _quiet("fontTools"):
                    figure.savefig(BytesIO(), format="pdf")
        except StyleError:
            raise
        except Exception as error:  # whatever matplotlib makes of a value that it has let pass
            why = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise StyleError(f"nothing can be drawn in the style {self.style}: {why}") from None

    def palette(self) -> list[Any]:
        """Colours of categories: ours, or those of the style."""
        found: list[Any] = self.settings["axes.prop_cycle"].by_key().get("color", [])
        return found or list(COLOURS)

    def columns(self, panels: int, least: float = 1.9) -> int:
        """How many of some panels stand side by side, each at least so many inches wide."""
        most = max(1, min(panels, int(self.width / least)))
        rows = -(-panels // most)
        return -(-panels // rows)


#: Our own, at the width of two columns.
PLAIN = Look()


# --- styles -------------------------------------------------------------------------------------
def style(name: str) -> dict[str, Any]:
    """Settings of a style that matplotlib knows, or of a file that it reads; nothing is fetched.

    Raises
    ------
    StyleError
        If there is none, or it has a setting or a value that matplotlib does not; one line.
    """
    import matplotlib.style

    from ...derive.decide.spelling import did_you_mean

    if name in matplotlib.style.library:
        named: Any = matplotlib.style.library[name]
        return dict(named)
    path = Path(name)
    try:
        text = path.read_text("utf-8")
    except UnicodeDecodeError:
        raise StyleError(f"{name} is not a text file") from None
    except (OSError, ValueError):  # a name that is too long, or has a NUL byte, is none
        near = did_you_mean(name, matplotlib.style.available)
        raise StyleError(
            f"the style {name!r} does not exist{near}; give the name of a matplotlib style, such "
            "as grayscale, or a file of settings"
        ) from None
    known: Any = matplotlib.rcParamsDefault
    for key in re.findall(r"(?m)^[ \t]*([\w.]+)[ \t]*:", text):
        if key not in known:
            raise StyleError(f"{name}: matplotlib has no setting {key!r}{did_you_mean(key, known)}")
    try:
        with warnings.catch_warnings(action="ignore"):  # of settings that will go
            found: Any = matplotlib.rc_params_from_file(path, True, False)
        return {k: found[k] for k in found if not k.startswith("backend")}
    except Exception as error:  # what checks a value raises what it likes
        why = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise StyleError(f"{name}: {why}") from None


# --- files --------------------------------------------------------------------------------------
def write(figure: Figure, path: Path) -> None:
    """Write a figure in the format that its name tells; no date is in it.

    Raises
    ------
    OSError, ValueError, RuntimeError
        If it cannot be written or drawn; a file that was there is then still whole.
    """
    kind = path.suffix[1:].lower()
    # No version of matplotlib either: who draws a figure again gets the file that there is.
    undated: dict[str, dict[str, Any]] = {
        "pdf": {"CreationDate": None, "Producer": None, "Creator": MARK},
        "svg": {"Date": None, "Creator": MARK},
        "png": {"Software": MARK},
        "eps": {"Creator": MARK},
    }
    file = BytesIO()
    with _quiet("fontTools"):  # which warns of the age of a font that comes with matplotlib
        figure.savefig(file, format=kind, metadata=undated.get(kind))
    written = file.getvalue()
    if kind == "eps":
        written = re.sub(rb"(?m)^%%CreationDate:.*\n", b"", written, count=1)
    write_whole(path, written)


@contextmanager
def _quiet(name: str) -> Iterator[None]:
    logger = logging.getLogger(name)
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(before)
