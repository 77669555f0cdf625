"""Marked equations as tests: ``pytest --cltheory`` checks those of .tex, .md and .ipynb files.

    [pytest]
    addopts = --cltheory
    cltheory_files = paper.tex sections/*.tex

pytest loads this with every run, so it imports nothing until it is switched on.
"""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatch
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from ..derive.tex.text.document import Marked, Problem
    from .papers import Paper

DEFAULT = ["*.tex", "*.md", "*.ipynb"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--cltheory``, ``--cltheory-allow-sampled`` and ``cltheory_files``."""
    group = parser.getgroup("cltheory", "equations of papers")
    group.addoption(
        "--cltheory",
        action="store_true",
        help="check the equations that .tex, .md and .ipynb files mark for cltheory",
    )
    group.addoption(
        "--cltheory-allow-sampled",
        action="store_true",
        help="let agreement at sampled points be enough",
    )
    parser.addini(
        "cltheory_files",
        "files whose marked equations --cltheory checks: patterns of names, or of paths "
        f"(default: {' '.join(DEFAULT)})",
        type="args",
        default=DEFAULT,
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> PaperFile | None:
    """Collect a file if it is one of those asked for."""
    if file_path.suffix.lower() not in (".tex", ".md", ".ipynb"):
        return None
    if not parent.config.getoption("--cltheory"):
        return None
    patterns: Iterable[str] = parent.config.getini("cltheory_files")
    if not any(_matches(file_path, pattern, parent.config.rootpath) for pattern in patterns):
        return None
    found: PaperFile = PaperFile.from_parent(parent, path=file_path)
    return found


def _matches(path: Path, pattern: str, root: Path) -> bool:
    if "/" not in pattern:
        return fnmatch(path.name, pattern)
    shown = path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()
    return fnmatch(shown, pattern)


class EquationFailed(Exception):
    """A marked equation does not hold, or was not checked; the message is the report."""


class PaperFile(pytest.File):
    """A paper: one item for each marked equation, and for each directive that marks nothing.

    Those of the files that it inputs are among them, so a file that is input by a paper in the
    same run has none of its own.
    """

    @cached_property
    def papers(self) -> list[Paper]:
        """What the file marks, and what it inputs."""
        from .papers import read_papers

        within = [str(self.config.rootpath), str(self.path.parent)]
        return read_papers([(str(self.path), False)], within=within)

    def _is_input(self) -> bool:
        """Whether a whole document, collected in this run, inputs this file."""
        from .papers import inputs_of

        if self.path.suffix.lower() != ".tex":
            return False
        asked = [Path(str(arg).split("::")[0]).absolute() for arg in self.config.args]
        patterns: Iterable[str] = self.config.getini("cltheory_files")
        folders = [self.path.parent, *self.path.parent.parents]
        for folder in folders:
            if not folder.is_relative_to(self.config.rootpath):
                break
            for root in sorted(folder.glob("*.tex")):
                wanted = any(one in (root, *root.parents) for one in asked)
                matches = any(_matches(root, p, self.config.rootpath) for p in patterns)
                if root != self.path and wanted and matches and self.path in inputs_of(root):
                    return True
        return False

    def collect(self) -> Iterable[pytest.Item]:
        """Find the items; nothing is checked, and no SymPy needed, until they run."""
        used: dict[str, int] = {}
        if self._is_input():
            return
        found: list[Marked | Problem] = []
        for paper in self.papers:
            found += [*paper.problems, *paper.marked]
        for one in found:
            directive = getattr(one, "directive", None)
            place = one.place
            where = (
                f"L{place.line}" if place.cell is None else f"cell{place.cell}:{place.cell_line}"
            )
            name = f"{where} {directive.title if directive else 'directive'}"
            if Path(one.path) != self.path:
                name = f"{Path(one.path).name}:{name}"
            used[name] = used.get(name, 0) + 1
            if used[name] > 1:
                name += f" ({used[name]})"
            yield EquationItem.from_parent(self, name=name, found=one)


class EquationItem(pytest.Item):
    """A marked equation."""

    def __init__(self, *, found: Marked | Problem, **rest: Any):
        super().__init__(**rest)
        self.found = found

    def runtest(self) -> None:
        """Check it.

        Raises
        ------
        EquationFailed
            If it does not say what was derived.
        """
        from ..derive.tex.judge.explain import one_line
        from ..derive.tex.text.document import Problem

        if isinstance(self.found, Problem):
            raise EquationFailed(
                f"{self._shown}:{self.found.place}: {one_line(self.found.message)}"
            )
        from .checking import check

        sampled = self.config.getoption("--cltheory-allow-sampled")
        one = check(self._shown, self.found, allow_sampled=sampled)
        if one.word != "equal":
            head = f"{self._shown}:{one.place}: {one.headline}"
            raise EquationFailed("\n    ".join([head, *one.details]))

    @property
    def _shown(self) -> str:
        root = self.config.invocation_params.dir
        path = Path(self.found.path)
        return str(path.relative_to(root)) if path.is_relative_to(root) else str(path)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The report alone, without the lines of this file."""
        if isinstance(excinfo.value, EquationFailed):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the equation stands."""
        return Path(self.found.path), self.found.place.line - 1, f"{self.path.name} {self.name}"
