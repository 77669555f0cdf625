"""MathJax, out of the package that brings it: one script and its fonts."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

#: Where it is in the package django-static-mathjax (which needs no Django).
INSIDE = "static/mathjax/es5"
SCRIPT, FONTS = "tex-chtml.js", "output/chtml/fonts/woff-v2"


def files() -> dict[str, Path]:
    """Each file by its place in the site."""
    spec = find_spec("mathjax")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("MathJax is missing: pip install 'cltheory[docs]'")
    home = Path(spec.origin).parent / INSIDE
    found = [home / SCRIPT, *sorted((home / FONTS).glob("*.woff"))]
    return {f"mathjax/{f.relative_to(home).as_posix()}": f for f in found}
