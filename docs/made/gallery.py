"""The gallery: a page for each result and each figure, made from the registries.

A page of a result has its statement, a drawing of its quantities, code to copy and the proof that
``cltheory derive ID --format markdown --proof`` prints. Nothing on it is written by hand.
"""

from __future__ import annotations

import io
import os
import re
from concurrent.futures import ProcessPoolExecutor
from contextlib import redirect_stdout
from functools import cache
from inspect import cleandoc
from typing import TYPE_CHECKING, NamedTuple

from . import drawings
from .displays import on_lines_of_their_own
from .mathml import in_words
from .previews import PREVIEWS, caption

if TYPE_CHECKING:
    from cltheory.derive.theorem.result import Result

HEAD = """\
# Results

What each theorem says, its proof, a drawing and code to copy. The pages are made from the registry
when the site is built; [what the theory says](../theory.md) tells how they hang together.

"""
FIGURES = """\
# Figures

Theory, and optimised embeddings beside or beneath it. The pictures are small previews; without
options the commands draw what the papers show. Each page has the caption, which says what is
derived and what is measured, and how a figure is fitted into a paper.

"""
PAPER = """\
In a paper: `--width one-column` is 3.25 inches, `--width two-column` 6.75, and any number is
inches; text is 8 pt at that width, so include the file without scaling it. PDF and EPS embed
TrueType fonts (type 42, never type 3), SVG has its text as outlines or, with `--svg-text text`, as
text. Colours are those of Okabe and Ito for structures and viridis for numbers; hatches, markers
and dashes tell the same in grey. `--style` takes a name of matplotlib or a file of its settings,
from which nothing is evaluated. The same cells give the same bytes: no file has a date in it.

"""


class Page(NamedTuple):
    """A page that is made, and under which head the navigation has it."""

    title: str
    text: str
    group: str = ""


class Entry(NamedTuple):
    """What a worker hands back."""

    id: str
    about: str
    title: str
    text: str
    drawing: str


@cache
def results() -> dict[str, Page]:
    """Path -> page on results, the overview first; by what they are about."""
    from cltheory.derive.results import FAMILIES
    from cltheory.derive.results import results as registry

    with ProcessPoolExecutor(os.cpu_count()) as workers:
        entries = list(workers.map(_entry, filter(registry.is_own, registry)))
    pages = {"results/index.md": Page("Overview", HEAD)}
    overview = HEAD
    for about in FAMILIES.values():
        some = [e for e in entries if e.about == about]
        overview += f"## {about}\n\n" + _grid("".join(_card(*_shown(e)) for e in some)) + "\n"
        pages |= {f"results/{e.id}.md": Page(e.title, e.text, about) for e in some}
    DRAWINGS.update({f"results/{e.id}.svg": e.drawing for e in entries if e.drawing})
    return pages | {"results/index.md": Page("Overview", overview)}


#: Drawings of the results, by their place in the site.
DRAWINGS: dict[str, str] = {}


def figures() -> dict[str, Page]:
    """Path -> page on figures, the overview first."""
    import click
    from cltheory.cli.figure import figure_command

    pages = {"figures/index.md": Page("Overview", "")}
    cards = ""
    for name, preview in PREVIEWS.items():
        command = figure_command.commands[name]
        says, _, more = cleandoc(command.help or "").partition("\n\n")
        says = says.replace("\n", " ").removesuffix(".")
        context = click.Context(command, info_name=f"cltheory figure {name}", max_content_width=90)
        drawn = ", ".join(f"[`{id}`](../results/{id}.md)" for id in preview.of)
        shows = caption(name).replace("\n", " ")
        pages[f"figures/{name}.md"] = Page(
            says,
            f"# {says}\n\n{more}\n\n![{says}]({name}.png){{ .preview }}\n\n*{shows}*\n\n"
            f"Drawn from: {drawn}.\n\n## Code to copy\n\nThe preview above, and its caption:\n\n"
            f"```sh\n{preview.command} \\\n    --out {name}.pdf --caption {name}.tex\n```\n\n"
            f"As in the paper, or with its defaults:\n\n"
            f"```sh\ncltheory figure {name} --out {name}.pdf\n```\n\n{PAPER}"
            f"## Options\n\n```text\n{command.get_help(context)}\n```\n",
        )
        cards += _card(name, says, f"{name}.png")
    return pages | {"figures/index.md": Page("Overview", FIGURES + _grid(cards))}


def _shown(entry: Entry) -> tuple[str, str, str]:
    """Id, title and picture of a result in the overview."""
    made = (f"../figures/{k}.png" for k, v in PREVIEWS.items() if entry.id in v.of)
    picture = f"{entry.id}.svg" if entry.drawing else next(made, "")
    return entry.id, entry.title, picture


def _grid(cards: str) -> str:
    return f'<div class="grid cards" markdown>\n\n{cards}\n</div>\n'


def _card(name: str, title: str, image: str) -> str:
    shown = f"    [![{title}]({image})]({name}.md)\n\n" if image else ""
    return f"-   **[{title}]({name}.md)**\n\n{shown}    `{name}`\n\n"


# --- one result -------------------------------------------------------------------------------
def _entry(id: str) -> Entry:
    """Everything about one result; run in a process of its own."""
    from cltheory.cli.main import run
    from cltheory.derive.results import results as registry
    from cltheory.derive.write.rocq.rungs import RUNGS, exported, limits
    from cltheory.derive.write.statement import lead, rest

    command = f"derive {id} --format markdown --proof --claims --time 0 --memory 0"
    told = io.StringIO()
    with redirect_stdout(told):
        code = run(command.split())
    if code:
        raise RuntimeError(f"cltheory derive {id} ended with {code}")
    result = registry[id]
    proof, claims = _parts(told.getvalue())
    title = titled(result)
    drawing, caption = drawings.of(result)
    image = f"![Quantities of {id}]({id}.svg)\n\n{caption}"
    shown = f'<div class="plot" markdown>\n\n{image}\n</div>\n\n' if drawing else ""
    figures = "".join(
        f"[![{name}](../figures/{name}.png){{ .preview }}](../figures/{name}.md)\n\n"
        f"*[`cltheory figure {name}`](../figures/{name}.md)*\n\n"
        for name, preview in PREVIEWS.items()
        if id in preview.of
    )
    rung = exported(id)
    rocq = rung and (
        f"; [`cltheory prove {id}`](../how-do-you-know.md) has Rocq check {RUNGS[rung][1]}"
        f"{f' ({beyond})' if (beyond := limits(id)) else ''}"
    )
    text = (
        f"# {title}\n\n{lead(result)}\n\n{shown}`{id}`: {result.source}; "
        f"{result.graded()}, {len(result.derivation)} checked steps{rocq or ''}.\n\n"
        f"{rest(result)}\n\n{figures and '## In figures'}\n\n{figures}"
        f"## Code to copy\n\n{_code(result)}\n\n"
        f"## Proof\n\n{proof}\n\n"
    )
    if claims:
        text += f"## Printed claims\n\n{claims}\n\nAll of them: [the ledger](../claims.md).\n"
    return Entry(id, registry.about(id), title, text, drawing)


def titled(result: Result) -> str:
    """The title with its formulas typeset, for headings, links and the navigation."""
    from cltheory.derive.write.display import Writer

    return in_words(Writer(result).prose(result.title, str))


def _parts(told: str) -> tuple[str, str]:
    """Proof and claims of what the tool prints."""
    sections = re.split(r"^## ", on_lines_of_their_own(told), flags=re.M)
    found = {s.partition("\n")[0].partition(" ")[0]: s.partition("\n")[2] for s in sections}
    return found["Derivation"].strip(), found.get("Printed", "").strip()


def _code(result: Result) -> str:
    """Command line, Python and LaTeX, at numbers that the theorem takes."""
    at = {s.name: result.domain.witness[s] for s in result.parameters}
    options = " ".join(f"--{k} {v}" for k, v in at.items())
    name = next(iter(result.quantities))
    given = ", ".join(
        f"{k}={v}" if getattr(v, "is_Integer", False) else f'{k}="{v}"' for k, v in at.items()
    )
    tex = "\n".join(
        f"{q.symbol} &= {result.latex(n)} \\\\" for n, q in result.quantities.items() if q.is_number
    )
    return (
        f"```sh\ncltheory derive {result.id}\ncltheory derive {result.id} {options}\n"
        f"cltheory verify {result.id} {options}\ncltheory export --latex theory.tex {result.id}\n"
        f'```\n\n```python\nimport cltheory\n\nr = cltheory.results["{result.id}"]\n'
        f'r["{name}"]  # a SymPy expression\nr.value("{name}", {given}, digits=30)\n```\n'
        + (f"\n```latex\n\\begin{{align}}\n{tex}\n\\end{{align}}\n```\n" if tex else "")
    )
