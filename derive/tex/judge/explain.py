"""What is said of an equation that was checked, as lines of plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from .finding import Finding

MAX_SHOWN = 1000  #: characters of an expression

#: ``sampled``: equal wherever it was tried, and not allowed to rest on that.
Word = Literal["equal", "differs", "undecided", "sampled", "unread"]


def word_of(finding: Finding) -> Word:
    """The verdict, with ``sampled`` for agreement that is not evidence enough."""
    if finding.verdict == "undecided" and finding.evidence:
        return "sampled"
    return finding.verdict


def headline(finding: Finding, title: str) -> str:
    """One line, without the place."""
    word = word_of(finding)
    if word == "unread":
        return f"not read: {one_line(finding.message)}"
    if word == "sampled":
        return (
            f"agrees with {title} at sampled points only, which proves nothing: add "
            "allow-sampled to accept that"
        )
    if word == "equal":
        return f"equal to {title} ({finding.evidence})"
    if word == "undecided":
        note = f": {one_line(finding.message)}" if finding.message else ""
        return f"could not be decided against {title}{note}"
    # Where there are two values that differ, the note only repeats them.
    apart = finding.printed_value not in ("", "no value", finding.derived_value)
    repeats = apart or not finding.message
    note = "" if repeats else f": {one_line(finding.message)}"
    return f"differs from {title}{note}"


def details(finding: Finding) -> list[str]:
    """Notes, the two expressions, a point with both values, and the edit; without indent."""
    lines = [f"note     {one_line(note)}" for note in finding.notes]
    if finding.ok or finding.verdict == "unread":
        return lines
    if finding.printed or finding.derived:
        lines += [f"printed  {_short(finding.printed)}", f"derived  {_short(finding.derived)}"]
    if finding.printed_value != finding.derived_value or finding.point:
        at = ", ".join(f"{name} = {value}" for name, value in finding.point.items())
        values = f"printed {finding.printed_value}, derived {finding.derived_value}"
        lines.append(f"at       {at}: {values}" if at else f"values   {values}")
    if finding.edit is not None:
        # On one line, with a word before it: no line may begin with what stands in a paper,
        # since a log of GitHub takes ::error:: at the beginning of a line for an order.
        lines.append(f"edit     {one_line(finding.edit.description)}")
        lines.append(f"giving   {_short(finding.edit.source)}")
    return [visible(line) for line in lines]


def one_line(text: str) -> str:
    """Text on one line, its control characters made visible."""
    return visible(" ".join(text.split()))


def visible(text: str) -> str:
    """Control characters (a file may hold orders to a terminal) and lone surrogates as escapes."""
    shown = "".join(c if c == "\t" or c.isprintable() else _escape(c) for c in text)
    return shown.encode("utf-8", "backslashreplace").decode("utf-8")


def _escape(letter: str) -> str:
    # Other white space, such as a no-break space, is not printable but does no harm.
    return " " if letter.isspace() else letter.encode("unicode_escape").decode("ascii")


def _short(text: str) -> str:
    text = one_line(text)
    return text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + " ..."
