"""The papers that results come from, and this project, as bibliographic data."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from . import PAPERS
from .ledger import Source

#: First words of every exported file, which say what may be overwritten by the next export.
MADE_BY = "Written by cltheory"

SOURCES: dict[str, Source] = {
    key: paper.SOURCE
    for key in PAPERS
    for paper in [import_module(f".{key}", __package__)]
    if hasattr(paper, "SOURCE")
}


@cache
def version() -> str:
    """The version of this package as it is installed."""
    from importlib.metadata import version as installed

    return installed("cltheory")


def address() -> str:
    """Where the package says that it is kept; nothing if it does not."""
    from importlib.metadata import metadata

    urls = metadata("cltheory").get_all("Project-URL") or []
    return next((u.partition(", ")[2] for u in urls if u.startswith("Repository, ")), "")


def project() -> Source:
    """This project, as something to cite."""
    where = (("url", address()),) if address() else ()
    return Source(
        "cltheory",
        "misc",
        "cltheory: closed-form results of contrastive-learning theory, derived and checked by "
        "machine",
        (("The cltheory developers", ""),),
        2026,
        (("note", f"Version {version()}"), *where),
    )


def bibtex() -> str:
    """All sources as BibTeX entries, the project last."""
    head = f"% {MADE_BY} {version()}: the sources of its results.\n"
    return "\n".join([head, *(entry(s) for s in (*SOURCES.values(), project()))])


def entry(s: Source) -> str:
    """A source as a BibTeX entry."""
    people = " and ".join(
        f"{family}, {given}" if given else f"{{{family}}}" for family, given in s.authors
    )
    # Braces around the whole title keep its capitals in every style.
    fields = [("title", f"{{{s.title}}}"), ("author", people), ("year", str(s.year)), *s.where]
    rows = "".join(f"  {name:<13} = {{{_plain(value)}}},\n" for name, value in fields)
    return f"@{s.kind}{{{s.key},\n{rows}}}\n"


def _plain(text: str) -> str:
    return text.replace("ë", r"{\"e}")
