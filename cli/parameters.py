"""Parameters of results on the command line: ``--m 10 --tau=0.2``, any that the result has."""

from __future__ import annotations

import ast
from importlib.util import find_spec
from pathlib import Path

import click
from click.shell_completion import CompletionItem


def split(words: tuple[str, ...], id: str) -> dict[str, str]:
    """Read ``--name value`` and ``--name=value`` pairs; the values stay text.

    Raises
    ------
    click.UsageError
        For a word that is not an option, an option without a value, or one given twice.
    """
    found: dict[str, str] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if not word.startswith("--") or len(word) < 3:
            raise click.UsageError(f"unexpected {word!r} after {id}: give --parameter value")
        name, equals, value = word[2:].partition("=")
        if not equals:
            if not rest:
                raise click.UsageError(f"--{name} needs a value")
            value = rest.pop(0)
        if name in found:
            raise click.UsageError(f"--{name} is given twice")
        found[name] = value
    return found


def complete_id(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Ids of results, without importing SymPy."""
    return [id for id in result_ids() if id.startswith(incomplete)]


class ResultCommand(click.Command):
    """A command on a result: the parameters of the result are completed among its options."""

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Options, and the parameters that were not given yet."""
        found = super().shell_complete(ctx, incomplete)
        given: tuple[str, ...] = ctx.params.get("parameters") or ()
        names = [f"--{name}" for name in parameter_names(str(ctx.params.get("id") or ""))]
        known = {word.partition("=")[0] for word in given}
        return [
            *(CompletionItem(n) for n in names if n.startswith(incomplete) and n not in known),
            *(item for item in found if item.value not in names),
        ]


def results_folder() -> Path:
    """Folder of the result modules, found without importing SymPy."""
    spec = find_spec("cltheory.derive")
    if spec is None or spec.origin is None:  # pragma: no cover - a broken installation
        raise click.ClickException("cltheory.derive is not installed")
    return Path(spec.origin).parent / "results"


def result_ids() -> list[str]:
    """Ids of all results."""
    return sorted(f.stem.replace("_", "-") for f in results_folder().glob("[!_]*.py"))


def convention_names() -> list[str]:
    """Names of the conventions, read from their module without running it."""
    text = (results_folder().parent / "losses" / "conventions.py").read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.AnnAssign) and isinstance(node.value, ast.Dict):
            if getattr(node.target, "id", "") == "CONVENTIONS":
                return [str(k.value) for k in node.value.keys if isinstance(k, ast.Constant)]
    return []


def parameter_names(id: str) -> list[str]:
    """Names in ``parameters=(...)`` of a result module, read without running it."""
    if id not in result_ids():
        return []
    text = (results_folder() / (id.replace("-", "_") + ".py")).read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.keyword) and node.arg == "parameters":
            names = node.value.elts if isinstance(node.value, ast.Tuple) else []
            return [e.id for e in names if isinstance(e, ast.Name)]
    return []
