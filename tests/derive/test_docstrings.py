"""Docstrings of what people call: numpy style, with the sections that there is something to say in.

Read from the source, so that torch is not needed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
#: Files, and the classes and functions in them that people call; of a package those in ``__all__``.
PUBLIC = {
    "derive/top-level/__init__.py": {"problem", "explain"},
    "derive/results/__init__.py": {"Registry"},
    "derive/theorem/result.py": {"Result"},
    "numeric/losses": None,
    "numeric/metrics": None,
}
#: Their modules are called as ``loss(embeddings, labels)``, and the methods serve that.
CALLED = "numeric/losses"


def listed(package: Path) -> set[str]:
    """The names in ``__all__``."""
    for node in ast.parse((package / "__init__.py").read_text()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return set(ast.literal_eval(node.value))
    raise AssertionError(f"{package} lists no names")


def public() -> Iterator[tuple[str, ast.FunctionDef]]:
    for place, names in PUBLIC.items():
        path = ROOT / place
        files = [path] if path.suffix else sorted(path.glob("*.py"))
        wanted = names or listed(path)
        for node in (n for f in files for n in ast.parse(f.read_text()).body):
            if isinstance(node, ast.FunctionDef) and node.name in wanted:
                yield node.name, node
            if isinstance(node, ast.ClassDef) and node.name in wanted:
                for method in node.body:
                    if isinstance(method, ast.FunctionDef) and method.name[0] != "_":
                        if place != CALLED:
                            yield f"{node.name}.{method.name}", method


def lacking(function: ast.FunctionDef) -> list[str]:
    """The sections that a docstring should have and has not; one argument needs no list."""
    said = ast.get_docstring(function) or ""
    kinds = " ".join(map(ast.unparse, function.decorator_list))
    if "property" in kinds or "overload" in kinds:
        return []
    a = function.args
    args = [p.arg for p in (*a.posonlyargs, *a.args, *a.kwonlyargs) if p.arg not in ("self", "cls")]
    several = len(args) + (a.vararg is not None) > 1
    raised = any(isinstance(n, ast.Raise) and n.exc is not None for n in ast.walk(function))
    wanted = {"Parameters": several, "Raises": raised, "Returns": "\nParameters\n---" in said}
    wanted["Returns"] &= ast.unparse(function.returns or ast.Constant(None)) != "None"
    wanted["Returns"] &= not re.search(r"^Yields$", said, re.MULTILINE)
    return [what for what, is_so in wanted.items() if is_so and f"\n{what}\n---" not in said]


def test_public_docstrings_have_their_sections() -> None:
    found = {name: missing for name, f in public() if (missing := lacking(f))}
    assert not found
    assert len(list(public())) > 40


@pytest.mark.parametrize(
    ("source", "missing"),
    [
        ("def f(x, y) -> int:\n 'F.'\n return 1", ["Parameters"]),
        ("def f(x):\n 'F.'\n raise ValueError", ["Raises"]),
        ("def f(x) -> int:\n 'F.\\n\\n Parameters\\n ----------\\n x'", ["Returns"]),
        ("def f(x) -> int:\n 'F.'", []),
    ],
)
def test_what_is_missing_is_seen(source: str, missing: list[str]) -> None:
    (function,) = ast.parse(source).body
    assert isinstance(function, ast.FunctionDef)
    assert lacking(function) == missing
