"""A configuration as a record of decimal strings, and the record read back without evaluating it.

    {"result": id, "quantity": name, "about": "ANCHOR", "vectors": {name: nested lists of decimal
     strings}, "tau": str or null, "ratio": str, "seed": int, "how": str}

Numbers of the bound that are no readings, such as a constant ``c``, are under ``"given"``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...derive.errors import Refusal
from ...derive.files import read_json
from ...derive.theorem.bounds import About

#: Of a decimal string: anything longer was not written by us.
MAX_DIGITS = 400
MAX_NUMBERS = 200_000
#: Exponents beyond this take more digits to add up than a replay has; no float64 has them.
MAX_EXPONENT = 330
_DECIMAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?(\d{1,6}))?", re.ASCII)

Nested = Any  #: decimal strings, or lists of them
#: What each field of a record has to be.
_FIELDS: dict[str, tuple[Any, str]] = {
    **dict.fromkeys(("result", "quantity", "about", "ratio", "how"), (str, "a string")),
    "vectors": (dict, "an object of nested lists"),
    "tau": (str | None, "a decimal number, written as a string"),
    "seed": (int, "an integer"),
    "given": (dict, "an object whose values are strings"),
}


class BadRecord(Refusal, ValueError):
    """What was given is no record of an attack; the message is one line."""


@dataclass(frozen=True)
class Record:
    """A configuration that a bound was tried at.

    Attributes
    ----------
    result, quantity
        The bound.
    about
        The kind of configuration.
    vectors
        Nested lists of decimal strings by name. Rows that are to be unit vectors are normalised
        wherever they are used.
    tau
        The temperature; None where the kind has none.
    ratio
        Bounded to bound of an upper bound, bound to bounded of a lower one.
    seed, how
        Where it came from.
    constants
        Values of other numbers in the bound.
    """

    result: str
    quantity: str
    about: About
    vectors: Mapping[str, Nested]
    tau: str | None
    ratio: str = ""
    seed: int = 0
    how: str = ""
    constants: Mapping[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The record as it is written."""
        found: dict[str, Any] = {
            "result": self.result,
            "quantity": self.quantity,
            "about": self.about.name,
            "vectors": dict(self.vectors),
            "tau": self.tau,
            "ratio": self.ratio,
            "seed": self.seed,
            "how": self.how,
        }
        return found | ({"given": dict(self.constants)} if self.constants else {})


def dump(records: list[Record]) -> str:
    """Records as the text of a file: one as it is, several as a list."""
    rows = [r.as_json() for r in records]
    return json.dumps(rows[0] if len(rows) == 1 else rows, indent=1) + "\n"


def load(text: str) -> list[Record]:
    """Read what :func:`dump` wrote.

    Raises
    ------
    BadRecord
        If it is anything else.
    """
    try:
        found = read_json(text, parse_constant=_refuse_constant)
    except RecursionError:
        raise BadRecord("it is nested too deeply") from None
    except ValueError as error:
        raise BadRecord(f"it is not JSON: {error}") from None
    rows = found if isinstance(found, list) else [found]
    if not rows:
        raise BadRecord("it is an empty list")
    return [record_of(row) for row in rows]


def _refuse_constant(word: str) -> None:
    raise ValueError(f"{word} is not a number")


def record_of(row: object) -> Record:
    """A record out of what JSON holds.

    Raises
    ------
    BadRecord
        If a field is missing or is not what it has to be.
    """
    if not isinstance(row, dict):
        raise BadRecord("a record is an object with result, quantity, about and vectors")
    found: dict[str, Any] = {"tau": None, "ratio": "", "seed": 0, "how": "", "given": {}} | row
    for name, (kinds, says) in _FIELDS.items():
        if name not in found:
            raise BadRecord(f"{name!r} is missing")
        if not isinstance(found[name], kinds) or isinstance(found[name], bool):
            raise BadRecord(f"{name!r} must be {says}")
    about, vectors, tau = found["about"], found["vectors"], found["tau"]
    if about not in About.__members__:
        raise BadRecord(
            f"'about' is {about[:40]!r}, which is not a kind of configuration: "
            f"{', '.join(About.__members__)}"
        )
    if sum(_count(v, f"'vectors.{name[:40]}'") for name, v in vectors.items()) > MAX_NUMBERS:
        raise BadRecord(f"'vectors' has more than {MAX_NUMBERS} numbers")
    if tau is not None:
        _count(tau, "'tau'")
    if not all(isinstance(v, str) for v in found["given"].values()):
        raise BadRecord("the values of 'given' must be strings")
    kept = {name: found[name] for name in _FIELDS if name != "given"}
    return Record(**kept | {"about": About[about], "constants": found["given"]})


def _count(value: object, what: str, depth: int = 0) -> int:
    """How many numbers there are, each a decimal string, in lists of equal lengths."""
    if isinstance(value, str):
        found = _DECIMAL.fullmatch(value) if len(value) <= MAX_DIGITS else None
        if found is None or int(found.group(4) or 0) > MAX_EXPONENT:
            raise BadRecord(
                f"{what} has {value[:40]!r}, which is not a decimal number written as a string"
            )
        return 1
    if not isinstance(value, list) or not value or depth > 4:
        raise BadRecord(f"{what} must be a nested list of decimal numbers, written as strings")
    counts = {shape_of(part) for part in value}
    if len(counts) > 1:
        raise BadRecord(f"{what} has rows of different lengths")
    return sum(_count(part, what, depth + 1) for part in value)


def shape_of(value: Nested) -> tuple[int, ...]:
    """Lengths of nested lists, by the first of each."""
    found = []
    while isinstance(value, list):
        found.append(len(value))
        value = value[0] if value else None
    return tuple(found)
