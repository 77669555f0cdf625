"""A mutant: one wrong line in a copy of the engine, which the named tests must notice."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from multiprocessing import get_context
from multiprocessing.context import ForkServerContext
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PACKAGES = ("derive", "numeric", "cli")

#: Seconds for the tests of one mutant; one that never ends has been noticed.
TIMEOUT = 600


class BadMutant(ValueError):
    """The mutant cannot be made, or its tests cannot be run: nothing would be learnt."""


@dataclass(frozen=True)
class Mutant:
    """A textual replacement in one file.

    Attributes
    ----------
    module
        The file, relative to ``derive/``.
    old, new
        What is replaced, which must occur exactly once, and by what.
    why
        What would be wrong, in words; also the name.
    tests
        Test files, relative to ``tests/``, of which one must fail; or one function of a file
        that takes long, as pytest names it: ``derive/test_limits.py::test_known_limits``.
    """

    module: str
    old: str
    new: str
    why: str
    tests: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"{Path(self.module).stem}: {self.why}"

    def applied(self, text: str) -> str:
        """The text of the file with the replacement made.

        Raises
        ------
        BadMutant
            If ``old`` does not occur exactly once, or nothing changes.
        """
        found = text.count(self.old)
        if found != 1:
            raise BadMutant(f"{self.name}: {self.old!r} occurs {found} times in {self.module}")
        if self.old == self.new:
            raise BadMutant(f"{self.name}: nothing is changed")
        return text.replace(self.old, self.new)


def mutants(module: str, tests: tuple[str, ...], *changes: tuple[str, str, str]) -> list[Mutant]:
    """Mutants of one file that the same tests notice: (old, new, why) each."""
    return [Mutant(module, *change, tests) for change in changes]


@contextmanager
def tree(mutant: Mutant | None) -> Iterator[Path]:
    """A folder that holds the packages, with the mutant (or nothing) applied to a copy."""
    with tempfile.TemporaryDirectory(prefix="mutant") as folder:
        top = Path(folder) / "cltheory"
        top.mkdir()
        shutil.copy(ROOT / "derive" / "top-level" / "__init__.py", top)
        ignored = shutil.ignore_patterns("__pycache__", "top-level")
        shutil.copytree(ROOT / "derive", top / "derive", ignore=ignored)
        for other in PACKAGES[1:]:
            (top / other).symlink_to(ROOT / other, target_is_directory=True)
        if mutant is not None:
            path = top / "derive" / mutant.module
            path.write_text(mutant.applied(path.read_text("utf-8")), "utf-8")
        yield Path(folder)


#: Exit codes of a process: that of pytest is told as so much more, since one that ends in an
#: exception, or otherwise before its tests are run, exits with 1 as well.
RAN = 100
PASSED, FAILED = RAN + 0, RAN + 1


def survives(mutant: Mutant | None, tests: tuple[str, ...]) -> bool:
    """Whether the tests pass on a copy of the tree with the mutant applied.

    Raises
    ------
    BadMutant
        If the tests could not be run at all: the copy does not import or is not used, pytest did
        not get as far as a test, or the process died.
    """
    with tree(mutant) as folder:
        said = folder / "said"
        module = "" if mutant is None else mutant.module.removesuffix(".py").replace("/", ".")
        process = _server().Process(target=_run, args=(folder, module, tests, said))
        process.start()
        process.join(TIMEOUT)
        if process.exitcode is None:
            process.kill()
            process.join()
            return False
        text = said.read_text("utf-8") if said.exists() else ""
    if process.exitcode not in (PASSED, FAILED):
        raise BadMutant(f"the tests ended with {process.exitcode}: {text[-2000:]}")
    return process.exitcode == PASSED


@cache
def _server() -> ForkServerContext:
    """Processes that start with what takes long to import, but nothing of this project."""
    context = get_context("forkserver")
    context.set_forkserver_preload(["flint", "mpmath", "numpy", "pytest", "sympy"])
    return context


def _run(folder: Path, module: str, tests: tuple[str, ...], said: Path) -> None:
    """Run the tests on a copy, in a process of its own, and exit with what pytest returns + RAN."""
    code = 1
    try:
        os.environ |= {"PYTHONPATH": str(folder), "OMP_NUM_THREADS": "1"}
        sys.dont_write_bytecode = True
        sys.path.insert(0, str(folder))
        os.chdir(ROOT)
        with said.open("w", encoding="utf-8") as stream:
            os.dup2(stream.fileno(), 1)
            os.dup2(stream.fileno(), 2)
        import pytest

        files = [str(ROOT / "tests" / t) for t in tests]
        words = ["-x", "-q", "--whole", "-p", "no:cacheprovider", *files]
        code = RAN + int(pytest.main(words, plugins=[_Used(folder, module)]))
    except BaseException:
        traceback.print_exc()
    with suppress(OSError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)


@dataclass
class _Used:
    """The first thing in a session: the module is imported, and from the copy.

    Tests that import it late would fail for that alone. It is too early before, as pytest may
    have to rewrite a module that it loads as a plugin.
    """

    folder: Path
    module: str

    def pytest_sessionstart(self) -> None:
        used = import_module(f"cltheory.derive.{self.module}".rstrip("."))
        if not Path(str(used.__file__)).is_relative_to(self.folder):
            raise BadMutant(f"the copy is not what is imported: {used.__file__}")


def every() -> list[Mutant]:
    """The mutants of all lists: the files ``of_*.py`` in this folder."""
    lists = sorted(path.stem for path in HERE.glob("of_*.py"))
    return [m for stem in lists for m in import_module(stem).MUTANTS]
