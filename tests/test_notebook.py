"""The example notebook runs, and is kept without its outputs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

NOTEBOOK = Path(__file__).parents[1] / "docs" / "notebooks" / "theory.ipynb"


def notebook() -> Any:
    return nbformat.read(NOTEBOOK, as_version=4)


def executed(book: Any) -> list[Any]:
    """Outputs of the cells with code, in their order."""
    nbclient.NotebookClient(book, timeout=120, kernel_name="python3").execute()
    return [cell.outputs for cell in book.cells if cell.cell_type == "code"]


def test_the_notebook_is_kept_clean() -> None:
    book = notebook()
    nbformat.validate(book)
    for cell in book.cells:
        if cell.cell_type == "code":
            assert cell.outputs == [] and cell.execution_count is None


# The kernel's messages about its own transport are none of ours.
@pytest.mark.filterwarnings("ignore")
def test_the_notebook_runs_and_typesets() -> None:
    outputs = executed(notebook())
    assert all(outputs)
    shown = [o.data for cell in outputs for o in cell if o.output_type == "execute_result"]
    typeset = [d for d in shown if "text/markdown" in d]
    assert len(typeset) == 4
    assert all(len(d["text/plain"]) < 200 for d in typeset)
    assert r"\alpha_{\min} = \frac{" in typeset[0]["text/markdown"]
    plain = [d["text/plain"] for d in shown]
    assert "0.0201464446195631276325122913233" in plain
    assert "'exact'" in plain
    assert sum("text/latex" in d for d in shown) == 3  # SymPy's
    assert any("image/png" in o.data for cell in outputs for o in cell if "data" in o)
    (refusal,) = [o.text for cell in outputs for o in cell if o.output_type == "stream"]
    assert refusal.startswith("differs from supcl-threshold.alpha_min")


@pytest.mark.filterwarnings("ignore")
def test_a_cell_that_fails_is_noticed() -> None:
    book = notebook()
    book.cells = [nbformat.v4.new_code_cell("from cltheory.derive import results\nresults['no']")]
    with pytest.raises(nbclient.exceptions.CellExecutionError, match="no result is called 'no'"):
        executed(book)
