"""Frozen dataclasses made without compiling: as those of the standard library, on one class."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest
from cltheory.derive.decide import frozen


def classes(dataclass: Callable[..., Any], eq: bool) -> tuple[type, type]:
    @dataclass(frozen=True, eq=eq)
    class Plain:
        a: int
        b: list[int] = dataclasses.field(default_factory=list, compare=False)
        c: str = dataclasses.field(default="c", kw_only=True, repr=False)

    @dataclass(frozen=True, eq=eq)
    class More(Plain):
        d: int = 4

        def __post_init__(self) -> None:
            object.__setattr__(self, "d", self.d + 1)

    return Plain, More


@pytest.mark.parametrize("eq", [True, False])
def test_they_are_those_of_the_standard_library(eq: bool) -> None:
    ours, theirs = classes(frozen.dataclass, eq), classes(dataclasses.dataclass, eq)
    for mine, its in zip(ours, theirs, strict=True):
        for args, given in (((1,), {}), ((1, [2]), {"c": "x"}), ((), {"a": 3})):
            left, right = mine(*args, **given), its(*args, **given)
            assert vars(left) == vars(right) and repr(left) == repr(right)
            assert dataclasses.asdict(left) == dataclasses.asdict(right)
            assert vars(dataclasses.replace(left, a=9)) == vars(dataclasses.replace(right, a=9))
            assert (left == mine(*args, **given)) is (right == its(*args, **given)) is eq
            assert left != right and left.__match_args__ == right.__match_args__
            with pytest.raises(dataclasses.FrozenInstanceError):
                left.a = 2
            with pytest.raises(dataclasses.FrozenInstanceError):
                del left.a
        if eq:
            assert hash(mine(1, [1])) == hash(mine(1)) and mine(1) != mine(2)
        for wrong in ({}, {"a": 1, "z": 2}):
            with pytest.raises(TypeError):
                mine(**wrong)
        for bad in ((1, [], 3, 4, 5), (1, [], 4, 5, "c")):
            with pytest.raises(TypeError):
                mine(*bad)
        with pytest.raises(TypeError):
            mine(1, a=1)
    assert ours[0](1) != ours[1](1)


def test_either_kind_can_stand_on_these() -> None:
    base, _ = classes(frozen.dataclass, False)

    @dataclasses.dataclass(frozen=True)
    class Theirs(base):  # type: ignore[misc, valid-type]
        e: int = 5

    assert Theirs(1).e == 5 and Theirs(1) == Theirs(1)
    with pytest.raises(TypeError):
        frozen.dataclass(frozen=False)
