"""Write the last section of docs/theory.md: dimension and limits of every result.

python docs/make_dimensions.py           compare, exit 1 if the page is out of date
python docs/make_dimensions.py --write
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from cltheory.derive.losses.written import Tex
from cltheory.derive.results import FAMILIES, results
from cltheory.derive.theorem.about import head
from cltheory.derive.theorem.result import Result
from cltheory.derive.theorem.written import written
from cltheory.derive.write.display import joint
from made.printed import escaped

PAGE = Path(__file__).resolve().parent / "theory.md"

START = "## Dimensions and limits\n"
HEAD = f"""{START}
<!-- From here on written by docs/make_dimensions.py; do not edit. -->

The dimension $d$ from which on each result holds, as it is derived, and what its quantities
converge to. A threshold needs one dimension more than the structure that it is about, not all that
the optimum beyond it occupies. In fewer dimensions a result fails somewhere, unless *suffices*
stands there, and *any* is where it holds in all of them: see
[Which dimension do I need?](dimension.md)

| result | dimension | limits |
| --- | --- | --- |
"""


def row(result: Result) -> str:
    """One result: the dimension it needs, and the limits among its quantities."""
    dimension = head(result, Tex(written, escaped)).dimension
    if "$" not in dimension:  # a sentence of the result itself
        dimension = re.sub(r"\b(d = m - 1|d|q|n - 1)\b", r"$\1$", dimension)
    limits = "<br>".join(
        f"${q.symbol}{joint(q)}{result.latex(name)}$".replace("|", r"\vert ")
        for name, q in result.quantities.items()
        if r"\lim" in q.symbol
    )
    return f"| [`{result.id}`](results/{result.id}.md) | {dimension} | {limits} |\n"


def section() -> str:
    """The whole section."""
    text = HEAD
    for title in FAMILIES.values():
        ids = [id for id in results if results.is_own(id) and results.about(id) == title]
        text += f"| **{title}** | | |\n" + "".join(row(results[id]) for id in ids)
    return text


def page() -> str:
    """The page with this section at its end."""
    before, _, _ = PAGE.read_text(encoding="utf-8").partition(START)
    return before + section()


if __name__ == "__main__":
    from made.kept import main

    sys.exit(main({PAGE: page()}))
