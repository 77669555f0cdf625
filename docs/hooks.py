"""What MkDocs calls while it builds: it adds the pages and files that are made, not kept.

Nothing is fetched for it, and nothing of it is committed: MathJax comes out of a package, the
gallery out of the registry of results, the reference out of the docstrings.
"""

from __future__ import annotations

import re
import sys
from itertools import groupby
from pathlib import Path
from runpy import run_path
from typing import Any
from urllib.parse import urlsplit

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

sys.path.insert(0, str(Path(__file__).resolve().parent))

from made import explorer, gallery, mathjax, notebook, reference

DOCS = Path(__file__).resolve().parent
#: Parts of the navigation that are made, by what stands for them in mkdocs.yml.
PARTS = {"results/": gallery.results, "figures/": gallery.figures, "reference/": reference.pages}


def on_startup(**_: Any) -> None:
    """Lay the copy of the package that the reference is read from."""
    reference.lay()


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the made pages into the navigation, and a link to the repository into all of them."""
    release = run_path(str(DOCS.parent / ".ci" / "release.py"))
    if url := release["address"]():  # as long as pyproject.toml does not say it there is none
        config.repo_url, config.repo_name = url, urlsplit(url).path.strip("/")
    config["made"] = {"notebooks/theory.md": notebook.page(), "explorer.html": explorer.page()}
    config.nav = [_filled(entry, config["made"]) for entry in config.nav or []]
    return config


def _claims() -> list[dict[str, Any]]:
    """The pages of docs/claims: each paper with its sections, in the order of its contents."""

    def title(path: str) -> str:
        return (DOCS / path).read_text("utf-8").partition("\n")[0].removeprefix("# ")

    found = []
    for path in sorted((DOCS / "claims").glob("*.md")):
        links = re.findall(r"\]\((\w+/\w+\.md)\)", path.read_text("utf-8"))
        listed = [{title(f"claims/{link}"): f"claims/{link}"} for link in links]
        found.append({path.stem: [f"claims/{path.name}", *listed]})
    return found


def _filled(entry: Any, made: dict[str, str]) -> Any:
    if not isinstance(entry, dict):
        return entry
    ((title, inside),) = entry.items()
    if isinstance(inside, list):
        return {title: [_filled(e, made) for e in inside]}
    if inside == "claims/":
        return {title: _claims()}
    if inside not in PARTS:
        return entry
    pages = PARTS[inside]()
    made |= {path: page.text for path, page in pages.items()}
    entries: list[dict[str, Any]] = []
    for group, some in groupby(pages.items(), lambda item: item[1].group):
        listed = [{page.title: path} for path, page in some]
        entries += [{group: listed}] if group else listed
    return {title: entries}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the made pages, and MathJax."""
    for path, text in config["made"].items():
        files.append(File.generated(config, path, content=text))
    for path, text in gallery.DRAWINGS.items():
        files.append(File.generated(config, path, content=text))
    for path, source in mathjax.files().items():
        files.append(File.generated(config, path, abs_src_path=str(source)))
    return files
