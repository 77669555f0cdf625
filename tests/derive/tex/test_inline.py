r"""Formulas in running text, rows with those before them, and what HTML in Markdown shows."""

from __future__ import annotations

import pytest
from cltheory.derive.tex.text.document import Kind, Marked, Problem, find

MARK = "% cltheory: a.x\n"
INLINE = "% cltheory: a.x inline\n"
HTML = "<!-- cltheory: a.x -->\n"


def one(text: str, kind: Kind = "tex") -> str:
    """The source of the only marked equation, or the problem with it."""
    (found,) = find(text, kind)
    return found.source if isinstance(found, Marked) else "? " + found.message


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("The end $a = 1$ is near.", "a = 1"),
        ("With\n$a % comment = 2\n = 1$ here", "a              \n = 1"),
        (r"\note{$a = 1$}", "? the directive for a.x marks nothing: a brace or"),
        (r"\[ a = 1 \] and $b = 1$", "? the directive for a.x marks nothing: no inline formula"),
        ("text\n" * 20 + "$a = 1$", "? the directive for a.x marks nothing: no formula"),
    ],
)
def test_the_next_formula_in_the_text(text: str, source: str) -> None:
    assert one(INLINE + text).startswith(source)


def test_without_the_word_it_is_about_a_display() -> None:
    assert one(MARK + "With $c = 1$ we have\n\\[ b = 2 \\]") == "b = 2"
    assert one(MARK + "The end $a = 1$ is near.").startswith("? ")


def test_a_directive_inside_a_formula_is_not_about_it() -> None:
    assert one("$a\n" + INLINE + "= 1$").startswith("?")


def test_places_of_inline_formulas() -> None:
    (found,) = find("text\n" + INLINE + "The end $ a = 1$", "tex")
    assert isinstance(found, Marked)
    assert (found.line, found.column) == (3, 11)


@pytest.mark.parametrize(
    ("text", "source"),
    [
        (r"It costs \$5, $a = 1$.", "a = 1"),
        ("`$b = 1$` and $a = 1$", "a = 1"),
    ],
)
def test_formulas_in_the_text_of_markdown(text: str, source: str) -> None:
    assert one(HTML.replace("a.x", "a.x inline") + text, "md").startswith(source)


# --- rows -------------------------------------------------------------------------------------
def test_a_row_knows_the_rows_before_it() -> None:
    text = r"""\begin{align}
  a &= 1 % a comment
  \\
  &= 2 \\
  % cltheory: a.x
  &= 3 \\
  % cltheory: a.x
  b &= 4 \\
  a &= 5 \\
  \left\{ \begin{aligned}
    c \\
    % cltheory: a.x
    d \end{aligned} \right.
\end{align}"""
    rows = [item for item in find(text, "tex") if isinstance(item, Marked)]
    assert [row.source.split()[0] for row in rows] == ["&=", "b", "d"]
    assert ["".join(row.lead.split()) for row in rows] == [
        r"a&=1\\&=2\\",
        r"a&=1\\&=2\\&=3\\",
        r"c\\",
    ]
    assert not any(row.whole for row in rows)
    (whole,) = find(MARK + r"\[ a \\ b \]", "tex")
    assert isinstance(whole, Marked) and whole.lead == ""


# --- HTML in Markdown -------------------------------------------------------------------------
@pytest.mark.parametrize("tag", ["pre", "code", "script", "style", "textarea"])
def test_in_elements_without_mathematics_a_directive_is_a_problem(tag: str) -> None:
    text = f"<{tag} class='x'>\n{HTML}$$a = 1$$\n</{tag}>\n{HTML}$$b$$"
    problem, found = find(text, "md")
    assert isinstance(problem, Problem) and f"inside <{tag}> marks nothing" in problem.message
    assert problem.place.line == 2
    assert isinstance(found, Marked) and found.source == "b"
    # A display there is none for a directive above it, either.
    assert one(f"{HTML}<{tag}>$$a$$</{tag}>\n\n$$b$$", "md") == "b"
    if tag != "code":
        assert one(f"<{tag}>\n{HTML}$$a$$", "md").startswith("? a directive inside")


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("> > <!-- cltheory: a.x -->\n> > $$\n> > a\n> > > 1\n> > $$", "a\n    > 1"),
        ("> <!-- cltheory: a.x -->\n> ```math\n> a\n> > 1\n> ```", "a\n  > 1"),
        (f"{HTML}```{{math}}\n:label: eq\na = 1\n```", "a = 1"),
        (f"{HTML}:::{{math}}\n:label: eq\na = 1\n:::", "a = 1"),
        (f"{HTML}$$\na = 1\n$$ {{#eq-one}}", "a = 1"),
    ],
)
def test_what_markdown_shows_is_read(text: str, source: str) -> None:
    assert one(text, "md") == source
