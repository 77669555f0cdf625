"""Our dataclasses are as those of the standard library."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from dataclasses import FrozenInstanceError, field, replace
from typing import Any

import pytest
from cltheory.derive.dataclass import dataclass as own


def made(dataclass: Callable[..., Any]) -> tuple[Any, Any, Any]:
    """A frozen class, one that builds on it, and one that may change."""

    @dataclass(frozen=True)
    class Base:
        """A base."""

        a: int
        b: list[int] = field(default_factory=list, compare=False, repr=False)
        c: int = field(default=3, init=False)
        d: str = field(default="d", kw_only=True)

    @dataclass(frozen=True)
    class More(Base):
        e: int = 5

        def __post_init__(self) -> None:
            if self.e < 0:
                raise ValueError

        def __repr__(self) -> str:
            return "own"

    @dataclass
    class Open:
        x: float = float("nan")

    return Base, More, Open


def test_ours_does_what_the_standard_one_does() -> None:
    told = []
    for dataclass in (dataclasses.dataclass, own):
        base, more, free = made(dataclass)
        one, other = base(1), base(1, [2], d="d")
        same = free()
        told.append(
            (
                *(repr(x).partition("made.")[2] for x in (one, free(2.0))),
                *(
                    repr(more(1)),
                    more(1, e=7).e,
                    replace(more(1), a=2).a,
                    more(1).c,
                    one.b,
                    other.b,
                ),
                *(one == other, hash(one) == hash(other), one == base(2), one == more(1), one == 1),
                *(same == same, free() == free(), free.__hash__, base.__doc__, more.__match_args__),
                *(f.name for f in dataclasses.fields(more)),
                list(inspect.signature(more).parameters),
                dataclasses.asdict(more(1)),
            )
        )
    assert told[0] == told[1]


def test_ours_and_the_standard_ones_build_on_each_other() -> None:
    for one, other in ((own, dataclasses.dataclass), (dataclasses.dataclass, own)):
        base, _, _ = made(one)

        @other(frozen=True)
        class Later(base):  # type: ignore[misc, valid-type]
            z: int = 9

        assert (Later(1, d="x").z, repr(Later(1)).rpartition("Later")[2]) == (
            9,
            "(a=1, c=3, d='d', z=9)",
        )
        assert Later(1) == Later(1) != Later(1, z=2)
        assert Later.__match_args__ == ("a", "b", "z")
        with pytest.raises(FrozenInstanceError):
            Later(1).z = 2


def test_what_is_frozen_or_wrong_is_refused() -> None:
    base, more, free = made(own)
    for change in (lambda: setattr(base(1), "a", 2), lambda: delattr(more(1), "e")):
        with pytest.raises(FrozenInstanceError):
            change()
    for wrong in (lambda: base(), lambda: base(1, 2, 3), lambda: base(1, x=2)):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(ValueError):
        more(1, e=-1)
    changed = free(1.0)
    changed.x = 2.0
    assert changed == free(2.0)
