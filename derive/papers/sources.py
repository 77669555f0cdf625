"""The papers that results come from, and this project, as bibliographic data."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

#: First words of every exported file, which say what may be overwritten by the next export.
MADE_BY = "Written by cltheory"

#: (family name, given names); a single name is that of a group.
Author = tuple[str, str]


@dataclass(frozen=True)
class Source:
    """A paper: what a bibliography says about it.

    Attributes
    ----------
    key
        Of the paper in this project.
    where
        Fields of a BibTeX entry beyond title, authors and year, in their order.
    """

    key: str
    kind: str
    title: str
    authors: tuple[Author, ...]
    year: int
    where: tuple[tuple[str, str], ...]


_AISTATS = (
    "Proceedings of the {} International Conference on Artificial Intelligence and Statistics"
)
_PMLR = ("series", "Proceedings of Machine Learning Research")

SOURCES: dict[str, Source] = {
    s.key: s
    for s in (
        Source(
            "lee2025ssem",
            "inproceedings",
            "A Theoretical Framework for Preventing Class Collapse in Supervised Contrastive "
            "Learning",
            (("Lee", "Chungpa"), ("Oh", "Jeongheon"), ("Lee", "Kibok"), ("Sohn", "Jy-yong")),
            2025,
            (("booktitle", _AISTATS.format("28th")), _PMLR, ("volume", "258")),
        ),
        Source(
            "lee2024sigmoid",
            "inproceedings",
            "Analysis of Using Sigmoid Loss for Contrastive Learning",
            (("Lee", "Chungpa"), ("Chang", "Joonhwan"), ("Sohn", "Jy-yong")),
            2024,
            (("booktitle", _AISTATS.format("27th")), _PMLR, ("volume", "238")),
        ),
        Source(
            "ochieng2025diversity",
            "inproceedings",
            "Diversity Is All You Need for Contrastive Learning: Spectral Bounds on Gradient "
            "Magnitudes",
            (("Ochieng", "Peter"),),
            2025,
            (("booktitle", "39th Conference on Neural Information Processing Systems (NeurIPS)"),),
        ),
        Source(
            "vock2026unified",
            "misc",
            "A Unified Geometric Framework for Weighted Contrastive Learning",
            (("Vock", "Raphaël"), ("Duchesnay", "Edouard"), ("Dufumier", "Benoit")),
            2026,
            (("eprint", "2605.13943"), ("archiveprefix", "arXiv"), ("primaryclass", "cs.LG")),
        ),
        Source(
            "tan2024spectral",
            "inproceedings",
            "Contrastive Learning Is Spectral Clustering on Similarity Graph",
            (("Tan", "Zhiquan"), ("Zhang", "Yifan"), ("Yang", "Jingqin"), ("Yuan", "Yang")),
            2024,
            (("booktitle", "International Conference on Learning Representations (ICLR)"),),
        ),
    )
}


@cache
def version() -> str:
    """The version of this package as it is installed."""
    from importlib.metadata import version as installed

    return installed("cltheory")


def project() -> Source:
    """This project, as something to cite."""
    return Source(
        "cltheory",
        "misc",
        "cltheory: closed-form results of contrastive-learning theory, derived and checked by "
        "machine",
        (("The cltheory developers", ""),),
        2026,
        (("note", f"Version {version()}"),),
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
