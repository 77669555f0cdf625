"""Names that are nearly right, and lists of words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def listed(parts: Sequence[str]) -> str:
    """``a, b and c``."""
    return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))


def did_you_mean(name: str, known: Iterable[str], most: int = 1) -> str:
    """A guess at a name that is misspelt, to be put behind it; empty if there is nothing near."""
    from difflib import get_close_matches

    known = list(known)
    found = (
        [k for k in known if k.lower() == name.lower()]
        or sorted(
            (k for k in known if len(name) > 2 and k.startswith(name)),
            key=lambda k: k.count("-") or len(k),
        )
        or get_close_matches(name, known, most)
    )
    return f" (did you mean {' or '.join(map(repr, found[:most]))}?)" if found else ""
