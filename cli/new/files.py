"""Where the files of a theorem or of a paper go, and what is in them."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path

import click

from ...derive.frozen import FrozenValue

ROOMS = "derive/results"


@dataclass
class Laid:
    """New files, files that change, and what the author does next."""

    files: dict[Path, str] = field(default_factory=dict)
    changed: dict[Path, str] = field(default_factory=dict)
    next: list[str] = field(default_factory=list)


def lay_theorem(id: str, folder: Path, family: str) -> Laid:
    """The files of a theorem: in a clone, or in a package of the author's."""
    name = id.replace("-", "_")
    if _is_clone(folder):
        module = f"cltheory.derive.results.{family}.{name}"
        path, test = folder / ROOMS / family / f"{name}.py", folder / "tests" / "derive"
        laid = Laid()
        laid.next = [
            f"fill in {path}; `cltheory derive {id}` shows what it derives",
            f"python -m pytest {test / f'test_{name}.py'} says what is still missing",
            "a paragraph in docs/theory.md; .ci/run",
        ]
    else:
        package = _Package.at(folder)
        module, path, test = f"{package.name}.{name}", package.code / f"{name}.py", package.tests
        laid = package.laid("cltheory.results", id, f"{module}:RESULT")
        laid.next += [
            f"fill in {path}; `cltheory derive {id}` shows what it derives",
            f"python -m pytest {test} says what is still missing",
        ]
    laid.files[path] = _text("result.py", ID=id)
    laid.files[test / f"test_{name}.py"] = _text("test_result.py", ID=id, MODULE=module)
    return laid


def lay_paper(key: str, folder: Path) -> Laid:
    """The files of a ledger: in a clone, or in a package of the author's."""
    if _is_clone(folder):
        module = f"cltheory.derive.papers.{key}"
        room, test = folder / "derive" / "papers" / key, folder / "tests" / "derive"
        laid = Laid()
    else:
        package = _Package.at(folder)
        module, room, test = f"{package.name}.{key}", package.code / key, package.tests
        laid = package.laid("cltheory.papers", key, f"{module}:LEDGER")
        laid.next += package.data_to_list()
    laid.files[room / "__init__.py"] = _text("paper_init.py", KEY=key)
    laid.files[room / "section_1.toml"] = _text("section.toml")
    laid.files[test / f"test_{key}.py"] = _text("test_paper.py", KEY=key, MODULE=module)
    stamp = f"python -m cltheory.derive.papers.stamp {key}"
    laid.next += [
        f"fill in {room / 'section_1.toml'}; `{stamp}` computes the verdicts",
        f"`{stamp} --write` stores them, with witnesses; `cltheory claims {key}` shows them",
        f"python -m pytest {test / f'test_{key}.py'} says what is still missing",
    ]
    return laid


def _text(template: str, **words: str) -> str:
    """A template with names put in, and its imports in the order that the names ask for."""
    text = (files(__package__) / f"{template}.txt").read_text(encoding="utf-8")
    for word, value in words.items():
        text = text.replace(f"@{word}@", value)
    package = words.get("MODULE", "").partition(".")[0]

    def in_order(block: re.Match[str]) -> str:
        lines = sorted(block[0].splitlines(keepends=True), key=lambda line: line.split()[1])
        own = [line for line in lines if line.split()[1].partition(".")[0] == package]
        if not own or package == "cltheory":
            return "".join(lines)
        return "".join([*(line for line in lines if line not in own), "\n", *own])

    return re.sub(r"(?:^from \S+ import .*\n)+", in_order, text, flags=re.MULTILINE)


def _is_clone(folder: Path) -> bool:
    return (folder / ROOMS).is_dir() and _project(folder).get("name") == "cltheory"


def _project(folder: Path) -> dict[str, object]:
    path = folder / "pyproject.toml"
    if not path.is_file():
        return {}
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8")).get("project", {})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise click.UsageError(f"{path} cannot be read: {error}") from None
    return found if isinstance(found, dict) else {}


class _Package(FrozenValue):
    """A package of the author's: its folder, and what it is called."""

    folder: Path
    name: str
    is_new: bool

    @classmethod
    def at(cls, folder: Path) -> _Package:
        known = _project(folder).get("name")
        name = re.sub(r"[^a-z0-9]+", "_", str(known or folder.resolve().name).lower()).strip("_")
        if not name.isidentifier() or name == "cltheory":
            raise click.UsageError(f"{name!r} cannot be the name of a package; give --to FOLDER")
        package = cls(folder, name, known is None)
        if not package.is_new and not package.code.is_dir():
            raise click.UsageError(f"{folder}/pyproject.toml exists, but {package.code} does not")
        return package

    @property
    def code(self) -> Path:
        return self.folder / "src" / self.name

    @property
    def tests(self) -> Path:
        return self.folder / "tests"

    def data_to_list(self) -> list[str]:
        """What is to be done so that files of records are installed with the package."""
        path = self.folder / "pyproject.toml"
        if self.is_new or "package-data" in path.read_text(encoding="utf-8"):
            return []
        return [f"in {path}, *.toml and *.json to the package data"]

    def laid(self, group: str, name: str, value: str) -> Laid:
        """What the package needs besides: to be one, and to register what is new."""
        laid = Laid()
        path = self.folder / "pyproject.toml"
        if self.is_new:
            kept = _text("pyproject.toml", NAME=self.name.replace("_", "-"))
            laid.files[path] = _registered(kept, group, name, value)
            laid.files[self.code / "__init__.py"] = '"""FILL IN: in one line, what it holds."""\n'
            laid.files[self.code / "py.typed"] = ""
        else:
            kept = path.read_text(encoding="utf-8")
            laid.changed[path] = _registered(kept, group, name, value)
        laid.next = [f"pip install -e {self.folder}, again after each new-... command"]
        return laid


def _registered(text: str, group: str, name: str, value: str) -> str:
    """The text of a pyproject.toml with one more entry point."""
    head, line = f'[project.entry-points."{group}"]', f'{name} = "{value}"'
    if line in text.splitlines():
        return text
    if head in text.splitlines():
        made = text.replace(f"{head}\n", f"{head}\n{line}\n", 1)
    else:
        made = f"{text.rstrip()}\n\n{head}\n{line}\n"
    try:
        found = tomllib.loads(made)["project"]["entry-points"][group]
    except tomllib.TOMLDecodeError:
        found = {}
    if found.get(name) != value:
        raise click.UsageError(f"add to pyproject.toml by hand, under {head}: {line}")
    return made
