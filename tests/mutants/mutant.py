"""A mutant: one wrong line in a copy of the engine, which the named tests must notice."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
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
        Test files, relative to ``tests/``, of which one must fail. Quick ones.
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


@contextmanager
def tree(mutant: Mutant | None) -> Iterator[Path]:
    """A folder that holds the packages, with the mutant (or nothing) applied to a copy."""
    with tempfile.TemporaryDirectory(prefix="mutant") as folder:
        top = Path(folder) / "cltheory"
        top.mkdir()
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / "derive", top / "derive", ignore=ignored)
        for other in PACKAGES[1:]:
            (top / other).symlink_to(ROOT / other, target_is_directory=True)
        if mutant is not None:
            path = top / "derive" / mutant.module
            path.write_text(mutant.applied(path.read_text("utf-8")), "utf-8")
        yield Path(folder)


def survives(mutant: Mutant | None, tests: tuple[str, ...]) -> bool:
    """Whether the tests pass on a copy of the tree with the mutant applied.

    Raises
    ------
    BadMutant
        If the tests could not be run at all: the copy does not import, or is not used.
    """
    with tree(mutant) as folder:
        env = {
            **os.environ,
            "PYTHONPATH": str(folder),
            "PYTHONDONTWRITEBYTECODE": "1",
            "OMP_NUM_THREADS": "1",
        }
        where = "import cltheory.derive as d; print(d.__file__)"
        used = subprocess.run(
            [sys.executable, "-c", where], env=env, capture_output=True, text=True, cwd=folder
        )
        if str(folder) not in used.stdout:
            raise BadMutant(f"the copy is not what is imported: {used.stdout}{used.stderr}")
        files = [str(ROOT / "tests" / t) for t in tests]
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *files]
        try:
            found = subprocess.run(
                command, env=env, capture_output=True, text=True, cwd=ROOT, timeout=TIMEOUT
            )
        except subprocess.TimeoutExpired:
            return False
    if found.returncode not in (0, 1):
        raise BadMutant(f"pytest ended with {found.returncode}: {found.stdout[-2000:]}")
    return found.returncode == 0


def every() -> list[Mutant]:
    """The mutants of all lists: the files ``of_*.py`` in this folder."""
    lists = sorted(path.stem for path in HERE.glob("of_*.py"))
    return [m for stem in lists for m in import_module(stem).MUTANTS]
