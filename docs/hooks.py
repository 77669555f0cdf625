"""What MkDocs calls while it builds: it adds the pages and files that are made, not kept.

Nothing is fetched for it, and nothing of it is committed: MathJax comes out of a package, the
gallery out of the registry of results, the reference out of the docstrings.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

sys.path.insert(0, str(Path(__file__).resolve().parent))

from made import explorer, gallery, mathjax, notebook, reference

#: Parts of the navigation that are made, by what stands for them in mkdocs.yml.
PARTS = {"results/": gallery.results, "figures/": gallery.figures, "reference/": reference.pages}


def on_startup(**_: Any) -> None:
    """Lay the copy of the package that the reference is read from."""
    reference.lay()


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the made pages into the navigation."""
    config["made"] = {"notebooks/theory.md": notebook.page(), "explorer.html": explorer.page()}
    config.nav = [_filled(entry, config["made"]) for entry in config.nav or []]
    return config


def _filled(entry: Any, made: dict[str, str]) -> Any:
    if not isinstance(entry, dict):
        return entry
    ((title, inside),) = entry.items()
    if isinstance(inside, list):
        return {title: [_filled(e, made) for e in inside]}
    if inside not in PARTS:
        return entry
    pages = PARTS[inside]()
    made |= {path: text for path, (_, text) in pages.items()}
    return {title: [{name: path} for path, (name, _) in pages.items()]}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the made pages, and MathJax."""
    for path, text in config["made"].items():
        files.append(File.generated(config, path, content=text))
    for path, text in gallery.DRAWINGS.items():
        files.append(File.generated(config, path, content=text))
    for path, source in mathjax.files().items():
        files.append(File.generated(config, path, abs_src_path=str(source)))
    return files
