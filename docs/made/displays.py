"""Markdown as the tool writes it, made ready for a page."""

from __future__ import annotations

import re

DISPLAY = re.compile(r"^(?P<indent> *)(?P<before>.*?)\$\$(?P<tex>.+?)\$\$(?P<after>.*)$", re.M)


def on_lines_of_their_own(text: str) -> str:
    """Each display on lines of its own: after other words it would not be read as one."""

    def alone(found: re.Match[str]) -> str:
        indent = found["indent"]
        before, after = found["before"].rstrip(), found["after"].strip()
        display = f"{indent}$$\n{indent}{found['tex'].strip()}\n{indent}$$"
        head = f"{indent}{before}\n\n" if before else ""
        tail = f"\n\n{indent}{after}" if after else ""
        return f"{head}{display}{tail}"

    return DISPLAY.sub(alone, text)


def headings_below(text: str, by: int = 1) -> str:
    """The same with every heading some levels lower."""
    return re.sub(r"^(#+ )", "#" * by + r"\1", text, flags=re.M)
