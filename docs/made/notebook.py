"""The example notebook as a page: its cells are run here, and what they show stands below them.

The notebook is kept without outputs; tests run it in a kernel. Here it is run as the kernel
would: the last expression of a cell is shown, typeset if it can be.
"""

from __future__ import annotations

import ast
import io
import json
import warnings
from base64 import b64encode
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from .displays import on_lines_of_their_own

PATH = Path(__file__).resolve().parents[1] / "notebooks" / "theory.ipynb"

FOOT = """
---

The notebook itself: [theory.ipynb](theory.ipynb).
"""


def page() -> str:
    """The notebook as Markdown."""
    names: dict[str, Any] = {}
    parts = []
    for cell in json.loads(PATH.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
        else:
            parts += [f"```python\n{source}\n```", *_shown(source, names)]
    return "\n\n".join([*parts, FOOT])


def _shown(source: str, names: dict[str, Any]) -> list[str]:
    """What a cell prints, and the value of its last expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("error")
        exec(compile(tree, str(PATH), "exec"), names)
        value = (
            eval(compile(ast.Expression(last.value), str(PATH), "eval"), names)
            if isinstance(last, ast.Expr)
            else None
        )
    parts = [_block(printed.getvalue())] if printed.getvalue() else []
    return parts if value is None else [*parts, _displayed(value)]


def _displayed(value: Any) -> str:
    bundle = value._repr_mimebundle_() if hasattr(value, "_repr_mimebundle_") else {}
    if "text/markdown" in bundle:
        return on_lines_of_their_own(bundle["text/markdown"])
    if hasattr(value, "_repr_latex_"):
        return f"$$\n{value._repr_latex_().strip('$')}\n$$"
    if hasattr(value, "figure"):
        picture = io.BytesIO()
        value.figure.savefig(picture, format="png", metadata={"Software": None})
        source = b64encode(picture.getvalue()).decode()
        return f'<img alt="{value.get_ylabel().strip("$")}" src="data:image/png;base64,{source}">'
    return _block(repr(value))


def _block(text: str) -> str:
    return f"``` {{ .text .output }}\n{text.rstrip()}\n```"
