"""Has Rocq check files: what it accepted, what the proofs rest on, and how long it took."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from ...errors import Refusal

#: The classical real numbers of the standard library, and the machine numbers that ``interval``
#: computes with. Another axiom makes a proof one that is not accepted.
EXPECTED = re.compile(
    r"(ClassicalDedekindReals\.)?sig_(not_dec|forall_dec)"
    r"|(FunctionalExtensionality\.)?functional_extensionality_dep"
    r"|(Classical_Prop\.)?classic"
    r"|(Uint63|Uint63Axioms|PrimInt63|PrimFloat|FloatAxioms)\.\w+"
)
HOW_TO_GET = "apt-get install coq libcoq-interval, or opam install rocq-core coq-interval"
#: Seconds after which a file is given up.
LIMIT = 600


class NoRocq(Refusal, RuntimeError):
    """Rocq is not installed."""


@dataclass(frozen=True)
class Checked:
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
        If ``coqc`` is not on the path; one line that says how to get it.
    """
    if shutil.which("coqc") is None:
        raise NoRocq(f"coqc (Rocq) is not installed: {HOW_TO_GET}")
    found = subprocess.run(["coqc", "--print-version"], capture_output=True, text=True, check=False)
    return found.stdout.split()[0] if found.stdout.split() else "unknown"


def check(texts: Mapping[str, str]) -> Checked:
    """Compile files in this order, in a folder of their own.

    Raises
    ------
    NoRocq
        If it is not installed.
    """
    installed()
    start, axioms = monotonic(), dict[str, None]()
    with TemporaryDirectory(prefix="cltheory-") as folder:
        for name, text in texts.items():
            Path(folder, name).write_text(text, encoding="utf-8")
            try:
                done = subprocess.run(
                    ["coqc", "-q", name],
                    cwd=folder, capture_output=True, text=True, timeout=LIMIT, check=False,
                )  # fmt: skip
            except subprocess.TimeoutExpired:
                return Checked(f"{name}: not done after {LIMIT} s", (), monotonic() - start)
            axioms |= dict.fromkeys(assumed(done.stdout))
            if done.returncode:
                error = re.sub(r"\s+", " ", done.stderr).replace(f'"./{name}"', name).strip()
                return Checked(error or f"{name}: coqc failed", tuple(axioms), monotonic() - start)
    return Checked("", tuple(axioms), monotonic() - start)


def assumed(output: str) -> list[str]:
    """The axioms in what ``Print Assumptions`` printed."""
    found = re.findall(r"^([A-Za-z_][\w.']*)\s*(?::|$)", output, re.M)
    return [name for name in found if name != "Axioms"]
