"""How figures are written: fonts, widths, styles; and that the same is written every time."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("matplotlib")

import matplotlib
from cltheory.numeric.figures.look import (
    Look,
    StyleError,
    write,
)
from cltheory.numeric.figures.panels import Scale, drawn
from matplotlib.figure import Figure

X = Scale((0.0, 0.5, 1.0), r"$\alpha$", 0, 1)
Y = Scale((0.25, 0.5), r"temperature $\tau$", 0)


def small(look: Look) -> Figure:
    values = np.array([[0.0, 0.5, 1.0], [1.0, 0.5, 0.0]])
    panels = {"derived": values, r"optimised, $\delta^\star$": values}
    with look.applied():
        return drawn(look, X, Y, panels, [], "SupCL loss, $m = 2$", "variance")


def saved(look: Look, path: Path) -> bytes:
    figure = small(look)
    with look.applied():
        write(figure, path)
    return path.read_bytes()


# --- fonts --------------------------------------------------------------------------------------
def outlines(file: bytes) -> list[bytes]:
    """Fonts of a PDF or of PostScript that are drawings of letters, which publishers refuse."""
    return re.findall(rb"/Subtype\s*/Type3|/FontType\s+3\b", file)


def test_fonts_are_embedded_as_truetype(tmp_path: Path) -> None:
    pdf, eps = (saved(Look(), tmp_path / f"a.{kind}") for kind in ("pdf", "eps"))
    assert outlines(pdf) == outlines(eps) == []
    assert b"/CIDFontType2" in pdf and b"/FontFile2" in pdf and b"STIXGeneral" in pdf
    assert b"/FontType 42" in eps


@pytest.mark.parametrize("kind", ["pdf", "eps"])
def test_other_fonts_are_noticed(kind: str, tmp_path: Path) -> None:
    figure = small(Look())
    with Look().applied(), matplotlib.rc_context({"pdf.fonttype": 3, "ps.fonttype": 3}):
        write(figure, tmp_path / f"a.{kind}")
    assert outlines((tmp_path / f"a.{kind}").read_bytes())


# --- files --------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", ["pdf", "svg", "eps", "png"])
def test_the_same_is_written_every_time(
    kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    first = saved(Look(), tmp_path / f"a.{kind}")
    monkeypatch.setattr("time.time", lambda: 0.0)
    monkeypatch.setattr("time.ctime", lambda *_: "another day")
    assert saved(Look(), tmp_path / f"b.{kind}") == first
    assert b"Date" not in first and b"dc:date" not in first


def test_a_file_that_cannot_be_drawn_is_left_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(b"what there was")
    figure = small(Look())
    figure.text(0.5, 0.5, r"$\nope$")
    with Look().applied(), pytest.raises(ValueError, match="nope"):
        write(figure, path)
    assert path.read_bytes() == b"what there was"


def test_settings_of_the_user_are_neither_used_nor_changed(tmp_path: Path) -> None:
    first = saved(Look(), tmp_path / "a.pdf")
    with matplotlib.rc_context({"font.size": 20.0, "axes.facecolor": "red", "pdf.fonttype": 3}):
        assert saved(Look(), tmp_path / "b.pdf") == first
        assert matplotlib.rcParams["font.size"] == 20.0


# --- colours ------------------------------------------------------------------------------------
# --- styles -------------------------------------------------------------------------------------
def test_a_style_may_change_what_is_seen_and_not_how_it_is_embedded(tmp_path: Path) -> None:
    style = tmp_path / "own.mplstyle"
    style.write_text(
        'font.size: 9  # points\nimage.cmap: cividis\npdf.fonttype: 3\nsavefig.bbox: "tight"\n'
        "axes.prop_cycle: cycler('color', ['000000', 'red']) + cycler('lw', [1, 2])\n"
        "backend: TkAgg\nfigure.autolayout: True\n\n"
    )
    look = Look(3.25, str(style))
    look.tried()
    assert look.palette() == ["#000000", "red"]
    with look.applied():
        assert matplotlib.rcParams["font.size"] == 9
        assert matplotlib.rcParams["image.cmap"] == "cividis"
    pdf = saved(look, tmp_path / "a.pdf")
    assert not outlines(pdf)
    assert b"/MediaBox [ 0 0 234 " in pdf  # 3.25 inches


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("font.sizes: 9", "matplotlib has no setting 'font.sizes' (did you mean"),
        ("font.size: nine", "nine"),
        ("axes.prop_cycle: __import__('os').mkdir('made')", "not a valid cycler"),
        ("image.cmap: nope", "nope"),
    ],
)
def test_a_style_that_is_none_is_refused_in_one_line(
    text: str, says: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own.mplstyle").write_text(text)
    with pytest.raises(StyleError) as caught:
        Look(style="own.mplstyle").tried()
    assert says in str(caught.value) and "\n" not in str(caught.value)
    assert not Path("made").exists()


def test_nothing_is_imported_or_fetched_for_a_style(monkeypatch: pytest.MonkeyPatch) -> None:
    """Matplotlib itself would import the package, and ask the host."""

    def never(*args: Any, **kwargs: Any) -> None:
        raise AssertionError("asked for")

    monkeypatch.setattr("importlib.resources.files", never)
    monkeypatch.setattr("urllib.request.urlopen", never)
    for name in ("antigravity.style", "https://example.invalid/a.mplstyle", "x" * 5000):
        with pytest.raises(StyleError, match="does not exist"):
            Look(style=name).tried()
