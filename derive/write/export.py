"""Results as text for use elsewhere: LaTeX, proofs, BibTeX, numpy functions, JavaScript.

Every function here is pure: results in, text out, the same text every time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..papers.sources import MADE_BY, bibtex
from ..theorem.result import Result
from .javascript import to_javascript
from .layout.displays import room_of
from .macros import point_of, to_latex
from .python import to_python
from .renaming import ExportError, rename, rename_plainly

__all__ = [
    "MADE_BY",
    "ExportError",
    "bibtex",
    "rename",
    "rename_plainly",
    "room_of",
    "to_javascript",
    "to_latex",
    "to_proofs",
    "to_python",
]


def to_proofs(
    results: Iterable[Result],
    renamed: Mapping[str, str] | None = None,
    *,
    values: Mapping[str, str] | None = None,
    standalone: bool = False,
    columns: int = 1,
) -> str:
    r"""Each result as a theorem with its proof; the lemmas that they use stand first, once.

    Parameters
    ----------
    renamed
        LaTeX of symbols by their names, where it is another one.
    values
        Of parameters, which are put into the theorems beside the general statement; a result takes
        those that it has.
    standalone
        Whether it is a document of its own; else it is read by ``\input``.
    columns
        Columns of the page, one or two.
    """
    from .proofs.document import document, proof_of, snippet

    room, put = room_of(columns), values or {}
    told = [proof_of(result, point_of(result, put), renamed, room) for result in results]
    return document(told, columns) if standalone else snippet(told)
