"""Comments that were meant as directives and are none."""

from __future__ import annotations

import re

from ..results import results

_MISS = re.compile(r"[ \t]*cl-?theory[ \t]*[:;=,.]?[ \t]+([a-z0-9-]+)\.[a-z]", re.IGNORECASE)


def near_miss(comment: str) -> str:
    """What to write instead of a comment that names a result; empty for any other comment."""
    found = _MISS.match(comment)
    if found is None or found[1] not in results:
        return ""
    return "write it 'cltheory: " + found[1] + ".QUANTITY' to mark an equation"
