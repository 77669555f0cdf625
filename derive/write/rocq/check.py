"""Has Rocq check files: what it accepted, what the proofs rest on, and how long it took."""

from __future__ import annotations

import atexit
import re
import shutil
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from time import monotonic
from typing import Any

from ...errors import Refusal
from ...frozen import FrozenValue

LIBRARY = Path(__file__).parent / "library"
#: Files that the proofs need, in the order in which they are checked.
ORDER = ("loss", "signs", "gram", "optimal", "convex", "kinds", "merging", "batches", "anchor")
FILES = tuple(f"cltheory_{name}" for name in ORDER)
#: The classical real numbers of the standard library, and the machine numbers that ``interval``
#: computes with. Another axiom makes a proof one that is not accepted.
EXPECTED = re.compile(
    r"(ClassicalDedekindReals\.)?sig_(not_dec|forall_dec)"
    r"|(FunctionalExtensionality\.)?functional_extensionality_dep"
    r"|(Classical_Prop\.)?classic"
    r"|(Uint63|Uint63Axioms|PrimInt63|PrimFloat|FloatAxioms)\.\w+"
)
#: Commands that could make a statement mean less than it says, or a proof prove less. An axiom of
#: our own might also have the name of one that is expected.
COMMANDS = re.compile(
    r"\b(Axioms?|Parameters?|Conjectures?|Hypothes[ie]s|Variables?|Context|Admitted|admit|give_up"
    r"|Abort|Module|Section|Primitive|Unset|Set|Notation|Infix|Coercion|Instance|Declare|Redirect"
    r"|Load|Extract|Add|bypass_check|Fixpoint|Inductive|Record|Ltac)\b"
)
#: What ``Print Assumptions`` prints before axioms, and instead of them.
ANSWER, NOTHING = "Axioms:", "Closed under the global context"
HOW_TO_GET = "apt-get install coq libcoq-interval, or opam install rocq-core coq-interval"
#: How what ``coqc`` prints is read; another program of that name may print anything.
TEXT: dict[str, Any] = {"encoding": "utf-8", "errors": "replace"}
#: Seconds after which a file is given up.
LIMIT = 600


class NoRocq(Refusal, RuntimeError):
    """Rocq is not installed."""


class Checked(FrozenValue):
    """What Rocq said of some files.

    Attributes
    ----------
    error
        Its first error, with the file and the line; empty if it accepted all of them.
    axioms
        What the proofs rest on.
    seconds
        How long that took.
    """

    error: str
    axioms: tuple[str, ...]
    seconds: float

    @property
    def unexpected(self) -> tuple[str, ...]:
        """Axioms beyond those of the real numbers and of machine numbers."""
        return tuple(a for a in self.axioms if not EXPECTED.fullmatch(a))

    @property
    def accepted(self) -> bool:
        """Whether every proof was accepted, on no axioms but those expected."""
        return not self.error and not self.unexpected


def installed() -> str:
    """The version of Rocq.

    Raises
    ------
    NoRocq
        If ``coqc`` is not on the path, or does not run; one line that says how to get it.
    """
    if shutil.which("coqc") is None:
        raise NoRocq(f"coqc (Rocq) is not installed: {HOW_TO_GET}")
    try:
        found = subprocess.run(
            ["coqc", "--print-version"], capture_output=True, timeout=LIMIT, check=False, **TEXT
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoRocq(f"coqc does not run: {error}") from None
    return found.stdout.split()[0] if found.stdout.split() else "unknown"


def check(texts: Mapping[str, str]) -> Checked:
    """Compile files in this order, in a folder of their own.

    Those that are not of the library have nothing but definitions and proofs.

    Raises
    ------
    NoRocq
        If it is not installed.
    """
    installed()
    start = monotonic()
    own = {name: text for name, text in texts.items() if not is_library(name, text)}
    for name, text in own.items():
        # In a comment, what is between quotes does not end it.
        found = re.search('"', text) or COMMANDS.search(without_comments(text))
        if found is not None:
            return Checked(f"{name}: has {found[0]!r}", (), monotonic() - start)
    error, printed = "", ""
    with TemporaryDirectory(prefix="cltheory-") as folder:
        for name, text in own.items():
            Path(folder, name).write_text(text, encoding="utf-8")
            error, said = _compiled(name, Path(folder), compiled_library())
            printed += said
            if error:
                break
    if not error and not (ANSWER in printed or NOTHING in printed):
        error = "what the proofs rest on was not printed"
    return Checked(error, tuple(dict.fromkeys(assumed(printed))), monotonic() - start)


@cache
def compiled_library() -> Path:
    """A folder with the library, compiled once; it is removed when the process ends.

    Raises
    ------
    NoRocq
        If Rocq does not compile it, as another version may not.
    """
    folder = Path(mkdtemp(prefix="cltheory-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for name in FILES:
        shutil.copy(LIBRARY / f"{name}.v", folder)
        error, _ = _compiled(f"{name}.v", folder, folder)
        if error:
            raise NoRocq(f"Rocq {installed()} does not compile the library of proofs: {error}")
    return folder


def _compiled(name: str, folder: Path, library: Path) -> tuple[str, str]:
    """The first error of a file, and what it printed.

    Raises
    ------
    NoRocq
        If Rocq lacks what a file requires.
    """
    try:
        done = subprocess.run(
            ["coqc", "-q", "-w", "none", "-R", str(library), "", name],
            cwd=folder, capture_output=True, timeout=LIMIT, check=False, **TEXT,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"{name}: not done after {LIMIT} s", ""
    if done.returncode < 0:  # what the system does where memory is short
        return f"{name}: coqc was ended by signal {-done.returncode}", done.stdout
    if not done.returncode:
        return "", done.stdout
    error = re.sub(r"\s+", " ", done.stderr).replace(f'"./{name}"', name).strip()
    if "Cannot find a physical path" in error:
        raise NoRocq(f"Rocq lacks a package: {HOW_TO_GET} ({error})")
    return error or f"{name}: coqc failed", done.stdout


def assumed(output: str) -> list[str]:
    """The axioms in what ``Print Assumptions`` printed, and whatever else is not known to be none.

    A line that is not indented begins with a name, which need not be in our alphabet; or says that
    something is assumed to be guarded or positive.
    """
    lines = (line for line in output.splitlines() if line.strip() and not line[0].isspace())
    found = (re.split(r"\s*:(?:\s|$)", line, maxsplit=1)[0].strip() for line in lines)
    return [name for name in found if name not in (ANSWER[:-1], NOTHING)]


def is_library(name: str, text: str) -> bool:
    """Whether a text is a file of the library, as it stands there."""
    path = LIBRARY / name
    return path.is_file() and path.read_text(encoding="utf-8") == text


def without_comments(text: str) -> str:
    """The text without its comments, of which those of :mod:`.document` have none inside."""
    return re.sub(r"\(\*.*?\*\)", " ", text, flags=re.S)
