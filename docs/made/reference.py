"""The reference: a page for each room, with the docstrings of what is public in it.

The docstrings are read, and nothing is imported for it. They are read from a copy in which the
folders lie as they are installed.
"""

from __future__ import annotations

import ast
import re
import shutil
from pathlib import Path

from .gallery import Page

ROOT = Path(__file__).resolve().parents[2]
#: Where mkdocs.yml says that the package is.
COPY = ROOT / "build" / "reference"

#: The rooms, in the order in which a reader meets them, and what stands in each.
ROOMS = {
    "numeric/losses": "Losses to train with: cltheory.losses",
    "numeric/metrics": "Metrics: cltheory.metrics",
    "derive/results": "Results",
    "derive/advice": "Advice",
    "derive/landmarks": "Landmarks",
    "derive/theorem": "Theorems",
    "derive/problems": "Problems",
    "derive/losses": "Declared losses",
    "derive/structures": "Structures",
    "derive/optimum": "Optima",
    "derive/vectors": "Vectors",
    "derive/proof": "Proofs",
    "derive/language": "Language",
    "derive/decide": "Decisions",
    "derive/papers": "Papers",
    "derive/tex": "Equations",
    "derive/write": "Formats",
    "numeric": "Embeddings",
}
#: What is read by those who have it open, not looked up: theorems, ledgers, how a figure is drawn.
INSIDE = ("results", "papers", "figures", "losses", "metrics")

#: Looked up while one writes a training loop: a page for each module, not for the folder.
BY_MODULE = ("numeric/losses", "numeric/metrics")

HEAD = """\
# Reference

Every public module, from its docstrings, room by room; [the engine](../engine.md) tells how they
fit together. Which of them are an interface that stays is told in [versions](../versions.md).

| room | holds |
| --- | --- |
"""


def pages() -> dict[str, Page]:
    """Path -> page, the overview first."""
    found: dict[str, Page] = {}
    rows = ""
    for room, title in ROOMS.items():
        of: dict[str, list[str]] = {}
        for module in filter(_documented, _modules(ROOT / room)):
            folder = module.relative_to(ROOT).parent.as_posix()
            of.setdefault(_dotted(module if folder in BY_MODULE else module.parent), []).append(
                _dotted(module)
            )
        name = "cltheory." + room.replace("/", ".")
        rows += f"| [{title}]({next(iter(of))}.md), `{name}` | "
        rows += f"{_first_line(ROOT / room / '__init__.py')} |\n"
        for place, modules in of.items():
            text = "\n\n".join([f"# `{place}`", *(f"::: {module}" for module in modules)])
            inside = place.removeprefix(name).removeprefix(".") or name
            found[f"reference/{place}.md"] = Page(inside, text + "\n", title)
    return {"reference/index.md": Page("Overview", HEAD + rows), **found}


def _modules(room: Path) -> list[Path]:
    """Public modules of a room, its own file first."""
    own = [room / "__init__.py"]
    below = [] if room.name in INSIDE else [p for p in room.rglob("*.py") if p not in own]
    beside = sorted(room.glob("*.py")) if room.name in INSIDE else sorted(below)
    return own + [
        p
        for p in beside
        if p not in own
        and not any(part.startswith("_") and part != "__init__.py" for part in p.parts)
        and not set(p.relative_to(room).parts[:-1]) & set(INSIDE)
    ]


def _documented(module: Path) -> bool:
    return bool(ast.get_docstring(ast.parse(module.read_text(encoding="utf-8"))))


def _first_line(module: Path) -> str:
    text = ast.get_docstring(ast.parse(module.read_text(encoding="utf-8"))) or ""
    return text.partition("\n\n")[0].replace("\n", " ").replace("|", "\\|")


def _dotted(module: Path) -> str:
    inside = module.relative_to(ROOT).with_suffix("").parts
    return ".".join(("cltheory", *(p for p in inside if p != "__init__")))


def lay() -> None:
    """Make the copy that is read; it has to be there before MkDocs looks where to read."""
    shutil.rmtree(COPY, ignore_errors=True)
    package = COPY / "cltheory"
    only_code = shutil.ignore_patterns("__pycache__", "*.json", "top-level")
    for top in ("derive", "numeric"):
        shutil.copytree(ROOT / top, package / top, ignore=only_code)
    shutil.copy(ROOT / "derive" / "top-level" / "__init__.py", package)
    for path in package.rglob("*.py"):
        path.write_text(_in_markdown(path.read_text(encoding="utf-8")), encoding="utf-8")


def _in_markdown(code: str) -> str:
    """Displays and references of docstrings, as a page has them."""

    def display(found: re.Match[str]) -> str:
        indent = found[1]
        rows = "\n".join(f"{indent}{row.strip()}" for row in found[2].splitlines())
        return f"{indent}$$\n{rows}\n{indent}$$\n\n"

    code = re.sub(r"^( *)\.\. math:: (.*(?:\n\1 +\S.*)*)\n", display, code, flags=re.MULTILINE)
    return re.sub(r":(?:mod|class|func|meth|data|attr):`~?([\w.]+)`", r"`\1`", code)
