"""What makes the site, and the look at its pages: each fault that it is to see is put in a page."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from cltheory.derive.results import results
from cltheory.derive.write import statement
from cltheory.derive.write.statement import rest

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"


@pytest.fixture(scope="module", autouse=True)
def made() -> Iterator[None]:
    """What makes pages is imported as MkDocs does it."""
    sys.path.insert(0, str(DOCS))
    yield
    sys.path.remove(str(DOCS))


def load(name: str) -> ModuleType:
    return import_module(name)


# --- pages that are made ------------------------------------------------------------------------
def test_displays_stand_on_lines_of_their_own() -> None:
    alone = load("made.displays").on_lines_of_their_own
    assert alone("**a** (b): $$x$$\n\n1. c\n\n    $$y$$ d") == (
        "**a** (b):\n\n$$\nx\n$$\n\n1. c\n\n    $$\n    y\n    $$\n\n    d"
    )
    assert alone("$$\nx\n$$\n$y$") == "$$\nx\n$$\n$y$"


def test_a_page_names_a_bound_beside_what_it_bounds() -> None:
    page = rest(results["projected-spectrum"])
    assert "`squared_gradient` <= `upper_projected_spectrum` for one anchor" in page.replace(
        "\n", " "
    )


def test_a_page_of_a_result_begins_with_its_sentence_and_its_formula() -> None:
    result = results["supcl-threshold"]
    entry = load("made.gallery")._entry("supcl-threshold")
    assert (entry.title, entry.about) == (result.title, "Classes of one size")
    heads = re.findall(r"^## (.*)$", entry.text, re.MULTILINE)
    assert heads == [
        "The loss", "Further quantities", "Limits", "In figures", "Code to copy", "Proof",
        "Printed claims",
    ]  # fmt: skip
    first = entry.text.split("\n\n")[1:4]
    assert first[0] == r"**Classes do not collapse iff $\alpha > \alpha_{\min}$**"
    assert first[1] == f"$$\n\\alpha_{{\\min}} = {result.latex('alpha_min')}\n$$"
    assert first[2] == r"For $d \ge m$."
    statement, proof = entry.text.split("## Code to copy")
    assert r"\mathcal{L} = " in statement
    assert r"For $\alpha \in \left(\frac{1}{n}, 1\right]$, $d \ge m$." in statement
    assert statement.count("| `") == sum(q.limit_of is not None for q in result.quantities.values())
    assert proof.count(" (exact)") == len(result.derivation)
    assert 'r = cltheory.results["supcl-threshold"]' in proof
    assert entry.drawing.startswith("<?xml") and "<script" not in entry.drawing


def test_a_page_that_is_kept_is_compared_or_written(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = load("made.kept")
    made = {DOCS / "formulas.md": (DOCS / "formulas.md").read_text("utf-8")}
    monkeypatch.setattr(sys, "argv", ["docs/make_it.py"])
    assert kept.main(made) == 0
    assert kept.main({page: f"{text} " for page, text in made.items()}) == 1
    assert capsys.readouterr().out == (
        "docs/formulas.md is out of date: python docs/make_it.py --write\n"
    )


def test_titles_are_typeset() -> None:
    title = load("made.gallery").titled
    assert title(results["sup-cnce-optimum"]) == (
        "The optimum of <math><mrow><msub><mi>ℒ</mi><mrow><mi>Sup</mi></mrow></msub></mrow></math>"
        " combined with class-conditional InfoNCE"
    )
    plain = results["softmax-smoothness"]
    assert "log-sum-exp" in plain.title and title(plain) == plain.title


def test_the_page_of_an_optimum_begins_with_the_minimum_of_the_loss() -> None:
    lead = statement.lead(results["sigmoid-optimum"])
    assert lead.startswith("**Minimum of the loss**\n\n$$\n")
    assert "Here" in lead and r"x^\star \in \left[0, 2\right]" in lead


@pytest.mark.parametrize("id", ["softmax-smoothness", "supcl-threshold", "supcon-two-sizes"])
def test_every_quantity_is_stated(id: str) -> None:
    text = statement.lead(results[id]) + statement.rest(results[id])
    first = statement.known_by(results[id])
    others = [name for name in results[id].quantities if name != first]
    assert all(f"`{name}`" in text for name in others) and f"**`{first}`**" not in text
    assert text.count("$$") % 2 == 0


def test_results_are_grouped_by_what_they_are_about(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("mkdocs")  # the extra `docs`
    gallery, hooks = load("made.gallery"), load("hooks")
    pages = {
        "index.md": gallery.Page("Overview", ""),
        "a.md": gallery.Page("A", "of a", "One"),
        "b.md": gallery.Page("B", "of b", "One"),
    }
    monkeypatch.setitem(hooks.PARTS, "some/", lambda: pages)
    made: dict[str, str] = {}
    assert hooks._filled({"Some": "some/"}, made) == {
        "Some": [{"Overview": "index.md"}, {"One": [{"A": "a.md"}, {"B": "b.md"}]}]
    }
    assert made["b.md"] == "of b"


@pytest.mark.parametrize("url", ["", "https://forge.test/people/cltheory"])
def test_the_site_links_the_repository_once_its_place_is_known(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("mkdocs")  # the extra `docs`
    from mkdocs.config.defaults import MkDocsConfig

    hooks = load("hooks")
    for name in ("notebook", "explorer"):
        monkeypatch.setattr(hooks, name, SimpleNamespace(page=str))
    monkeypatch.setattr(hooks, "run_path", lambda path: {"address": lambda: url})
    config = MkDocsConfig()
    hooks.on_config(config)
    assert (config.repo_url or "", config.repo_name or "") == (url, "people/cltheory" * bool(url))


def test_every_line_of_code_to_copy_runs() -> None:
    text = load("made.gallery")._entry("ssem").text
    (code,) = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    names: dict[str, object] = {}
    exec(code, names)
    assert names["r"] is results["ssem"]


def test_a_result_at_numbers_has_no_drawing() -> None:
    drawings = load("made.drawings")
    assert drawings.of(results["supcon-two-sizes"]) == ("", "")
    again = drawings.of(results["ccem"])
    assert again == drawings.of(results["ccem"])  # the same bytes every time
    caption, legend = again[1].split("\n\n")
    assert caption == r"Along $\delta$, at $N = 4$."
    assert re.findall(r"</svg> (.*)", legend) == [
        f"${q.symbol}$" for q in list(results["ccem"].quantities.values())[:3]
    ]
    assert all(colour in again[0] for colour in re.findall(r'stroke="(.*?)"', legend))


def test_there_is_a_preview_of_every_figure() -> None:
    from cltheory.cli.figure import figure_command

    previews = load("made.previews")
    assert set(previews.PREVIEWS) == set(figure_command.commands)
    for name, preview in previews.PREVIEWS.items():
        assert preview.command.startswith(f"cltheory figure {name} ")
        assert set(preview.of) <= set(results)
        picture = (previews.FOLDER / f"{name}.png").read_bytes()
        assert picture.startswith(b"\x89PNG") and len(picture) < 200_000
        caption = previews.caption(name)  # what is derived, and what is measured
        assert "erived" in caption and "easured" in caption and caption.endswith(".")
        assert caption in load("made.gallery").figures()[f"figures/{name}.md"].text
    assert {p.stem for p in previews.FOLDER.iterdir()} == set(previews.PREVIEWS)


def test_the_reference_has_every_public_module(tmp_path: Path, monkeypatch) -> None:
    reference = load("made.reference")
    monkeypatch.setattr(reference, "COPY", tmp_path / "copy")
    reference.lay()
    pages = reference.pages()
    named = re.findall(r"^::: (\S+)$", "".join(page.text for page in pages.values()), re.MULTILINE)
    assert len(named) == len(set(named)) > 100
    assert {"cltheory.derive.results", "cltheory.derive.theorem.result"} <= set(named)
    assert not [m for m in named if "._" in m or ".papers.lee" in m or ".figures" in m]
    for module in named:
        path = tmp_path / "copy" / Path(*module.split("."))
        assert path.with_suffix(".py").is_file() or (path / "__init__.py").is_file(), module
    rooms = {
        p.parent.name for p in (ROOT / "derive").glob("*/__init__.py") if p.parent.name[0] != "_"
    }
    shown = {r.removeprefix("derive/") for r in reference.ROOMS if r.startswith("derive/")}
    assert rooms - {"top-level"} == shown


def test_pages_load_nothing_from_another_host() -> None:
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert "://" not in settings and "font: false" in settings
    for path in (*DOCS.glob("*.css"), *DOCS.glob("*.js")):
        assert "//" not in re.sub(r"^ *//.*$", "", path.read_text("utf-8"), flags=re.MULTILINE)


def test_mathjax_comes_out_of_its_package() -> None:
    pytest.importorskip("mathjax")
    files = load("made.mathjax").files()
    assert "mathjax/tex-chtml.js" in files and len(files) > 10
    assert all(path.is_file() for path in files.values())


# --- the look at the pages ----------------------------------------------------------------------
GOOD = "<p>Text, <code>\\frac</code>, $5.</p>"
FAULTS = {
    "raw": ("<p>so \\(x\\) is</p>", "raw formula: so \\(x"),
    "command": ("<p>a \\frac b</p>", "raw formula"),
    "dollars": ("<p>$$x$$</p>", "raw formula"),
    "left": ('<span class="arithmatex">x</span>', "not typeset: x"),
    "refused": (
        "<mjx-container><mjx-merror>no</mjx-merror></mjx-container>",
        "refused formula: no",
    ),
    "console": ("<script>console.error('oh')</script>", "console: oh"),
    "warned": ("<script>console.warn('ah')</script>", "console: ah"),
    "thrown": ("<script>throw new Error('thrown')</script>", "error: Uncaught Error: thrown"),
    "promise": ("<script>Promise.reject('late')</script>", "error: late"),
    "script": ("<script src='/none.js'></script>", "/none.js does not load"),
    "picture": ("<img src='/none.png'>", "/none.png does not load"),
    "host": ("<script src='https://example.invalid/a.js'></script>", "another host: https://exam"),
    "style": ("<link rel=stylesheet href='https://example.invalid/a.css'>", "another host: https"),
    "fetch": ("<script>fetch('https://example.invalid/x').catch(e => 0)</script>", "another host"),
    "wide": ("<div style='width: 3000px'>x</div>", "too wide: "),
    "output": (
        f"<pre style='width: 90px'><code style='display: block; overflow: auto'>{'x' * 99}"
        "</code></pre>",
        "output scrolls: 99 characters",
    ),
    "claims/tall": ("<div style='height: 3100px'>x</div>", "too tall: "),
    "narrow": (f"<table><td style='width: 9px'>{'a ' * 40}</td></table>", "narrow column: a a"),
}

#: Says how much the search of a page knows.
SEARCHES = """<script>
const asked = new XMLHttpRequest();
asked.open("GET", "/search/search_index.json", false);
asked.send();
console.warn("pages " + JSON.parse(asked.response).docs.length);
</script>"""


def test_the_search_knows_all_pages_on_the_first_one(tmp_path: Path) -> None:
    browser = load("browser")
    program = browser.browser()
    if program is None:
        pytest.skip("there is no browser here")
    (tmp_path / "search").mkdir()
    (tmp_path / "search" / browser.INDEX).write_text('{"config": {}, "docs": [1, 2]}', "utf-8")
    for name in "ab":
        (tmp_path / f"{name}.html").write_text(f"<head></head>{SEARCHES}", encoding="utf-8")
    found = browser.looked_at(tmp_path, program).faults
    assert found == {"/a.html": ["console: pages 2"], "/b.html": ["console: pages 0"]}


def test_the_look_sees_every_fault(tmp_path: Path) -> None:
    browser = load("browser")
    program = browser.browser()
    if program is None:
        pytest.skip("there is no browser here")
    bodies = {name: body for name, (body, _) in FAULTS.items()} | {"good": GOOD}
    (tmp_path / "claims").mkdir()
    for name, body in bodies.items():
        html = f"<!doctype html><html><head><title>x</title></head><body>{body}</body></html>"
        (tmp_path / f"{name}.html").write_text(html, encoding="utf-8")
    found = browser.looked_at(tmp_path, program).faults
    assert set(found) == {f"/{name}.html" for name in bodies}
    assert found["/good.html"] == []
    for name, (_, says) in FAULTS.items():
        assert any(says in fault for fault in found[f"/{name}.html"]), (name, found)
