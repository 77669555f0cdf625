"""The check of marked equations: one by one, and the report of a run."""

from __future__ import annotations

import errno
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, Literal

from ..derive.frozen import FrozenValue
from ..derive.tex.judge.explain import details, headline, one_line, word_of
from ..derive.tex.text.document import Marked, Place, Problem
from .guard import Limits, Spent, cores, each, is_too_long
from .papers import Paper

if TYPE_CHECKING:
    from ..derive.tex.judge.finding import Finding
    from ..derive.write.lock import Change

MAX_SHIFT = 200
MAX_MARKED = 5_000  #: equations in one run
#: Of an equation.
DEFAULT = Limits(time=5, memory=1)

#: ``sampled``: equal at sampled points only. ``refused``: the directive names nothing there is.
Word = Literal["equal", "differs", "undecided", "sampled", "unread", "refused"]
FAILED = ("differs", "undecided", "sampled")
BAD_INPUT = ("unread", "refused")


class Checked(FrozenValue):
    """A marked equation and what came of it.

    Attributes
    ----------
    finding
        None if the directive was refused.
    refusal
        Why.
    """

    path: str
    marked: Marked
    finding: Finding | None
    refusal: str = ""

    @property
    def word(self) -> Word:
        """The verdict."""
        return word_of(self.finding) if self.finding else "refused"

    @property
    def place(self) -> Place:
        """Where to look: the equation, where reading stopped, or the directive."""
        if self.finding is None:
            return self.marked.directive_place
        position = self.finding.position if self.word == "unread" else 0
        return self.marked.where(position)

    @property
    def headline(self) -> str:
        """One line, without the place."""
        title = self.marked.directive.title
        return headline(self.finding, title) if self.finding else one_line(self.refusal)

    @property
    def details(self) -> list[str]:
        """Further lines."""
        return details(self.finding) if self.finding else []


class Report(FrozenValue):
    """Everything that one run of the check found."""

    files: int
    checked: list[Checked]
    problems: list[tuple[str, Problem]]
    changes: list[Change] = field(default_factory=list)
    lock: str = ""
    marked: int = 0

    def count(self, *words: str) -> int:
        """How many equations have one of these verdicts."""
        return sum(c.word in words for c in self.checked)

    @property
    def code(self) -> int:
        """0 all equal; 1 something is not; 2 something was not checked at all, whatever else."""
        if self.problems or self.count(*BAD_INPUT):
            return 2
        return 1 if self.changes or self.count(*FAILED) else 0


Judged = tuple["Finding | None", str]


def check(path: str, marked: Marked, *, allow_sampled: bool = False) -> Checked:
    """Check one marked equation, here and without a budget."""
    return Checked(path, marked, *judge(marked, allow_sampled=allow_sampled))


def judge(
    marked: Marked,
    tell: Callable[[Judged], None] = lambda _: None,
    *,
    allow_sampled: bool = False,
) -> Judged:
    """The finding, or None and why there is none; ``tell`` gets it before an edit is sought."""
    from ..derive.tex.check import check_equation
    from ..derive.tex.judge.lookup import BadTarget

    asked = marked.directive
    asked = replace(asked, allow_sampled=asked.allow_sampled or allow_sampled)
    # With spaces before it, what is said of a column is about the column in the file.
    shift = marked.column - 1 if 0 < marked.column <= MAX_SHIFT else 0

    def in_file(found: Finding) -> Finding:
        edit = found.edit and replace(found.edit, source=found.edit.source.lstrip())
        return replace(found, position=max(0, found.position - shift), edit=edit)

    try:
        found = check_equation(
            " " * shift + marked.source,
            asked,
            marked.macros,
            marked.lead,
            tell=lambda found: tell((in_file(found), "")),
        )
        return in_file(found), ""
    except BadTarget as error:
        return None, str(error)
    except (MemoryError, RecursionError):  # too large, which is for the guard to say
        raise
    except Exception as error:  # one equation must not hide the others
        if _of_memory(error):
            raise MemoryError from error
        if is_too_long(error):
            raise
        kind = type(error).__name__
        return None, f"the check failed, which is a defect: {kind}: {error}"


def _of_memory(error: Exception) -> bool:
    """Whether the system had no memory: for a library that is loaded late, it says so so."""
    enough = getattr(error, "errno", None) != errno.ENOMEM
    return not enough or (isinstance(error, ImportError) and "failed to map" in str(error))


def check_papers(
    papers: Sequence[Paper],
    *,
    allow_sampled: bool = False,
    track: Callable[[list[Any]], Any] = iter,
    limits: Limits = DEFAULT,
) -> Report:
    """Check every marked equation under a budget; ``track`` may show progress."""
    checked: list[Checked] = []
    problems = [(paper.path, problem) for paper in papers for problem in paper.problems]
    todo: list[tuple[Paper, Marked]] = [(paper, one) for paper in papers for one in paper.marked]
    count, todo = len(todo), todo[:MAX_MARKED]
    if count > MAX_MARKED:
        error = f"{count} equations are marked, and the first {MAX_MARKED} are checked"
        problems.append((todo[-1][0].path, Problem(error, todo[-1][1].place)))
    if todo:
        asked = (marked.directive for _, marked in todo)
        _warm_up({(one.result_id, one.values.get("loss", "")) for one in asked})

    def work(item: tuple[Paper, Marked], tell: Callable[[Judged], None]) -> Judged:
        return judge(item[1], tell, allow_sampled=allow_sampled)

    with closing(each(work, todo, limits, workers=cores())) as outcomes:
        for (paper, marked), outcome in zip(track(todo), outcomes, strict=True):
            checked.append(Checked(paper.path, marked, *_judged(outcome)))
    return Report(len(papers), checked, problems, marked=count)


def _judged(outcome: Judged | Spent) -> Judged:
    if not isinstance(outcome, Spent):
        return outcome
    from ..derive.tex.judge.finding import Finding

    return Finding("undecided", False, message=f"too large to decide: {outcome.why}"), ""


def _warm_up(asked: set[tuple[str, str]]) -> None:
    """Import and derive what the equations need, before there are copies that all would."""
    import flint  # noqa: F401

    from ..derive.results import results
    from ..derive.tex import check  # noqa: F401

    for id, loss in sorted(asked):
        with suppress(Exception):  # which the check of an equation meets again, and reports
            _ = (results[id].with_inputs(loss=loss) if loss else results[id]).quantities
