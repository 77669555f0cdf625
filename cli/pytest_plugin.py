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
    from ..derive.tex.document import Marked, Problem
    from ..derive.tex.macros import Macros
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
    """A paper: one item for each marked equation, and for each directive that marks nothing."""

    @cached_property
    def paper(self) -> Paper:
        """What the file marks."""
        from .papers import read_paper

        return read_paper(str(self.path), by_name=False)

    @cached_property
    def macros(self) -> Macros:
        """The macros that it defines."""
        from .papers import macros_of

        return macros_of(self.paper)

    def collect(self) -> Iterable[pytest.Item]:
        """Find the items; nothing is checked, and no SymPy needed, until they run."""
        used: dict[str, int] = {}
        found: list[Marked | Problem] = [*self.paper.problems, *self.paper.marked]
        for one in found:
            directive = getattr(one, "directive", None)
            place = one.place
            where = (
                f"L{place.line}" if place.cell is None else f"cell{place.cell}:{place.cell_line}"
            )
            name = f"{where} {directive.title if directive else 'directive'}"
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
        from ..derive.tex.document import Problem
        from ..derive.tex.explain import one_line

        paper: PaperFile = self.parent  # type: ignore[assignment]
        if isinstance(self.found, Problem):
            raise EquationFailed(
                f"{self._shown}:{self.found.place}: {one_line(self.found.message)}"
            )
        from .checking import check

        try:
            macros = paper.macros
        except ValueError as error:
            raise EquationFailed(f"{self._shown}: {error}") from None
        sampled = self.config.getoption("--cltheory-allow-sampled")
        one = check(self._shown, self.found, macros, allow_sampled=sampled)
        if one.word != "equal":
            head = f"{self._shown}:{one.place}: {one.headline}"
            raise EquationFailed("\n    ".join([head, *one.details]))

    @property
    def _shown(self) -> str:
        root = self.config.invocation_params.dir
        is_below = self.path.is_relative_to(root)
        return str(self.path.relative_to(root)) if is_below else str(self.path)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The report alone, without the lines of this file."""
        if isinstance(excinfo.value, EquationFailed):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the equation stands."""
        return self.path, self.found.place.line - 1, f"{self.path.name} {self.name}"
