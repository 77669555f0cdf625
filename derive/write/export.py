"""Results as text for use elsewhere: LaTeX, BibTeX, numpy functions, JSON.

Every function here is pure: results in, text out, the same text every time.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sympy import Symbol

from ..papers.sources import MADE_BY, SOURCES, bibtex, version
from ..theorem.about import head
from ..theorem.compile import NotNumpy, conditions_on, quantity_function
from ..theorem.quantity import Quantity
from ..theorem.result import Result
from .display import sentence, words
from .macros import to_latex
from .python import python_module
from .renaming import ExportError, rename
from .report import condition_of, report

__all__ = [
    "MADE_BY",
    "ExportError",
    "bibtex",
    "registry",
    "rename",
    "to_latex",
    "to_proofs",
    "to_python",
]


def to_proofs(results: Iterable[Result], *, standalone: bool = False) -> str:
    r"""Each result as a theorem with its proof; the lemmas that they use stand first, once.

    Parameters
    ----------
    standalone
        Whether it is a document of its own; else it is read by ``\input``.
    """
    from .proofs.document import document, proof_of, snippet

    told = [proof_of(result) for result in results]
    return document(told) if standalone else snippet(told)


def to_python(results: Sequence[Result], renamed: Mapping[str, str] | None = None) -> str:
    """Every quantity as a function of numpy arrays, in one module that needs numpy only.

    A function is named like its result and quantity: ``supcl_threshold_alpha_min(m, n, tau)``.
    What numpy has no counterpart for is left out, and a comment says so.
    """
    body, wrapped = "", ""
    for result in results:
        body += f"\n\n# --- {result.id}: {result.title}\n{_about(result)}"
        for name, q in result.quantities.items():
            function = f"{result.id.replace('-', '_')}_{name}"
            try:
                source, wrapper = _python_quantity(result, function, q, renamed or {})
            except NotNumpy as refusal:
                body += f"\n\n# Left out: {refusal}.\n"
                continue
            body, wrapped = body + source, wrapped + wrapper
    title = f"{MADE_BY} {version()}: results of contrastive-learning theory"
    return python_module(title, body, wrapped)


def _about(result: Result) -> str:
    """The loss and the dimension of a result, as comments."""
    about = head(result)
    lines = [*(about.formula.split("\n") if about.formula else []), *about.sentences()]
    wrapped = (textwrap.wrap(line, 98, subsequent_indent="    ") for line in lines)
    return "".join(f"# {row}\n" for rows in wrapped for row in rows)


def _python_quantity(
    result: Result, function: str, q: Quantity, renamed: Mapping[str, str]
) -> tuple[str, str]:
    spoken = words(q.expression)
    if spoken:
        listed = ", ".join(sorted(s.name for s in spoken))
        raise NotNumpy(f"{function} has words as values: {listed}")
    free = q.expression.free_symbols
    order = [s for s in result.parameters if s in free]
    order += sorted(free - set(order), key=str)
    new = {s: Symbol(renamed[s.name], **s.assumptions0) for s in free if s.name in renamed}
    order = [new.get(s, s) for s in order]
    ranges = {**result.domain.ranges, **(q.domain.ranges if q.domain is not None else {})}
    old = {s: t for t, s in new.items()}
    domain = [f"{s.name}: {ranges[t]}" for s in order if (t := old.get(s, s)) in ranges]
    if q.needs is not None:
        domain.append(f"{q.needs[0].xreplace(new)} > 0")
    letters = {Symbol(s.name): Symbol(t.name) for s, t in new.items()}
    conditions = [
        k.xreplace(letters) for k in conditions_on(result.domain, q, [old.get(s, s) for s in order])
    ]
    shown = replace(
        q,
        expression=q.expression.xreplace(new),
        parameter=q.parameter and new.get(q.parameter, q.parameter),
    )
    return quantity_function(function, shown, order, _doc(result, q, domain), conditions)


def _doc(result: Result, q: Quantity, domain: Sequence[str]) -> str:
    lines = [f"{sentence(q.meaning)}.", ""]
    lines += [f"For {'; '.join(domain)}.", ""] if domain else []
    lines += [f"Source: {result.source} ({result.id}).", ""]
    text = "\n    ".join(lines[:-1] + [""])
    return text.replace("\\", r"\\").replace("\n    \n", "\n\n")


# --- JSON ----------------------------------------------------------------------------------------
SCHEMA = 1


def registry(results: Iterable[Result], *, claims: bool = False) -> str:
    """Results as one JSON object.

    ``{"schema": "cltheory-registry", "schema_version": 1, "made_by", "cltheory": version,
    "sources": [{"key", "title", "authors": [[family, given]], "year"}], "results": [..]}``.
    Each result is the object of ``cltheory derive --format json`` with no parameters put in,
    and ``"source"``, ``"takes"`` (names of expressions that may be given) and, in each
    quantity, ``"symbol"`` (LaTeX of its name) and ``"free_symbols"``. ``"claims"`` is there
    only with ``claims``, which runs the checks of the printed claims.
    """
    found: dict[str, Any] = {
        "schema": "cltheory-registry",
        "schema_version": SCHEMA,
        "made_by": f"{MADE_BY} {version()}",
        "cltheory": version(),
        "sources": [
            {
                "key": s.key,
                "title": s.title,
                "authors": [list(a) for a in s.authors],
                "year": s.year,
            }
            for s in SOURCES.values()
        ],
        "results": [_registered(r, claims) for r in results],
    }
    return json.dumps(found, indent=2, ensure_ascii=False) + "\n"


def _registered(result: Result, claims: bool) -> dict[str, Any]:
    found = report(result, {}, claims=claims)
    if not claims:
        del found["claims"]
    for name, q in result.quantities.items():
        found["quantities"][name] |= {
            "symbol": q.symbol,
            "condition": condition_of(q, result),
            "free_symbols": sorted(s.name for s in q.expression.free_symbols),
        }
    return {
        "id": result.id,
        "source": result.source,
        "takes": [*result.texts, *result.lists],
        **found,
    }
