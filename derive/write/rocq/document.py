"""Files for Rocq: the statements, which are to be read, and the proofs, which need not be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from re import fullmatch

from sympy import Expr, Symbol

from ...decide.domain import DomainError
from ...frozen import FrozenValue
from ...papers.sources import MADE_BY, version
from ...proof.lemmas import DESIGN
from ...proof.relations import Iff
from ...theorem.result import Result
from .anchor import at_anchor
from .between import places
from .check import FILES, LIBRARY
from .numbers import number
from .random_batches import at_random
from .statements import Theorem, not_empty, theorem
from .terms import RESERVED, NotWritten
from .whole import whole

#: The one of them that statements need.
LOSS = "cltheory_loss"
#: What stands before and after the theorem that a name belongs to.
PROOFS, HOLDS = "_proofs", "_holds"


class Written(FrozenValue):
    """What of a result is a theorem of Rocq, and what is not.

    Attributes
    ----------
    about
        What it is, in a line.
    theorems
        In the order of its derivation, then its numbers.
    left
        Titles of what is not written, with the reason.
    rung
        How far up the ladder it is written: "numbers", "thresholds", "whole theorem".
    why
        Why it is not written further up, or what of it the theorem is not about; may be empty.
    """

    about: str
    theorems: tuple[Theorem, ...]
    left: Mapping[str, str] = field(default_factory=dict)
    rung: str | None = None
    why: str = ""


def written(
    result: Result, point: Mapping[Symbol, Expr] | None = None, digits: int = 15
) -> Written:
    """The steps of a result as theorems for all parameters; with a point, its numbers there too."""
    stem = result.id.replace("-", "_")
    found: list[Theorem] = []
    left: dict[str, str] = {}
    for k, step in enumerate(result.derivation, 1):
        try:
            if step.lemma is not None and not isinstance(step.statement, Iff):
                raise NotWritten("it follows by a lemma in words")
            found.append(theorem(f"{stem}_{k}", step.title, step.says))
        except NotWritten as why:
            left[f"{k}. {step.title}"] = str(why)
    found += not_empty(f"{stem}_ranges", found)
    try:
        found += about_losses(stem, result, left)
    except NotWritten as why:
        left["whole theorem"] = str(why)
    for name in result.quantities if point else ():
        try:
            found.append(number(f"{stem}_{name}", result, name, point or {}, digits))
        except (NotWritten, DomainError) as why:
            left[name] = str(why)
    about = f"{result.id}: {result.title}"
    return Written(about, tuple(found), left, *_rung(result, found, left))


def about_losses(stem: str, result: Result, left: dict[str, str]) -> Iterator[Theorem]:
    """The theorems about losses of vectors that are written out; ``left`` gets what they lack.

    Raises
    ------
    NotWritten
        If the loss or the structure is of a kind that the library does not know.
    """
    if result.alone is not None:
        return at_anchor(stem, result, left)
    if result.draw is not None and result.draw.law is not None:
        return at_random(stem, result, left)
    return whole(stem, result)


def _rung(result: Result, found: list[Theorem], left: Mapping[str, str]) -> tuple[str | None, str]:
    """How far up, and why not further.

    A result has its thresholds only if every equivalence of its derivation is there.
    """
    steps = enumerate(result.derivation, 1)
    equivalences = (k for k in steps if isinstance(k[1].statement, Iff))
    thresholds = [f"{k}. {s.title}" for k, s in equivalences if s.says.real is not None]
    open_ = [k for k in left if k in thresholds]
    if any(t.whole for t in found):
        return "whole theorem", "; or ".join(_beyond(result, found, left))
    reason = left.get("whole theorem", "none of its quantities has a definition in Rocq")
    if thresholds and not open_:
        return "thresholds", reason
    if open_:
        whys = ", ".join(dict.fromkeys(left[k] for k in open_))
        reason = f"{len(open_)} of {len(thresholds)} thresholds are not written ({whys}); {reason}"
    return "numbers" if found else None, reason


def _beyond(result: Result, found: list[Theorem], left: Mapping[str, str]) -> Iterator[str]:
    """What a result says that its whole theorem does not cover."""
    known = {t.place for t in found}
    other = {name for place, of in places(result).items() if place not in known for name in of}
    if names := [name for name in result.quantities if name in other]:
        yield f"{', '.join(names)}, found from the root of an equation"
    if any(step.lemma is DESIGN for step in result.derivation):
        yield "families of batches other than all batches"
    if others := sum(name in left for name in result.quantities):
        yield f"{others} of the {len(result.quantities)} quantities"
    yield from (left[t.title] for t in found if t.title in left)


def files(stem: str, every: Iterable[Written]) -> dict[str, str]:
    """The text of each file by its name: statements, proofs, and what the proofs rest on.

    Raises
    ------
    NotWritten
        If Rocq would not read the stem as the name of a module.
    """
    if not fullmatch(r"[A-Za-z][A-Za-z0-9_]*", stem) or stem in RESERVED or stem in FILES:
        raise NotWritten(f"{stem} is not a name for Rocq: use letters, digits and _")
    every = list(every)
    head = f"(* {MADE_BY} {version()}. *)\n"
    statements = [
        f"{head}From Coq Require Import Reals List.\nRequire Import {LOSS}.\n"
        "Import ListNotations.\nOpen Scope R_scope.",
        *(_statements(w) for w in every),
    ]
    theorems = [t for w in every for t in w.theorems]
    uses = "From Coq Require Import Reals Lra Lia List.\n"
    uses += "From Coquelicot Require Import Coquelicot.\n"
    if any("interval" in line for t in theorems for line in t.proof):
        uses += "From Interval Require Import Tactic.\n"
    proofs = [
        f"{head}{uses}Require Import {' '.join(FILES)} {stem}.\n"
        "Import ListNotations.\nOpen Scope R_scope.",
        *map(_proof, theorems),
        _everything(theorems),
    ]
    library = {f"{name}.v": (LIBRARY / f"{name}.v").read_text(encoding="utf-8") for name in FILES}
    return {
        **library,
        f"{stem}.v": "\n\n".join(statements) + "\n",
        f"{stem}{PROOFS}.v": "\n\n".join(proofs) + "\n",
    }


def _statements(w: Written) -> str:
    lines = [f"(* {_comment(w.about)} *)"]
    for t in w.theorems:
        lines += [
            f"(* {_comment(t.title)} *)",
            *([t.definitions] if t.definitions else []),
            f"Definition {t.called} : Prop :=",
            f"  {t.statement}.",
        ]
    return "\n".join(lines)


def _proof(t: Theorem) -> str:
    head = f"Theorem {t.called}{HOLDS} : {t.called}.\nProof.\n  unfold {t.called}."
    return "\n".join([*t.lemmas, head, *(f"  {line}" for line in t.proof), "Qed."])


def _everything(theorems: list[Theorem]) -> str:
    """All theorems at once: what they rest on takes as long to find for one as for all."""
    proofs = ", ".join(f"{t.called}{HOLDS}" for t in theorems)
    return f"Definition everything := ({proofs or 'tt'}).\nPrint Assumptions everything."


def _comment(text: str) -> str:
    return text.replace("(*", "( *").replace("*)", "* )").replace('"', "'")
