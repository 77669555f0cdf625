"""Results, losses and papers of other packages, found by their entry points.

A package that registers something under one of the groups has it found here by its name::

    [project.entry-points."cltheory.results"]
    my-theorem = "my_package.my_theorem:RESULT"

Looking is left until a name is asked for that is none of our own, or until all are listed. What
cannot be used is told in one line, once, and never keeps the rest from being used; a name of our
own keeps its meaning.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Collection, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .errors import Refusal

if TYPE_CHECKING:
    from importlib.metadata import Distribution, EntryPoint

Thing = TypeVar("Thing")

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,99}")


class PluginError(Refusal):
    """What another package registers cannot be used; the message is one line."""


class PluginWarning(UserWarning):
    """The same, where the rest can go on without it."""


class Plugins(Generic[Thing]):
    """What other packages register under one group, by name.

    Parameters
    ----------
    group
        Of the entry points.
    what
        One of them, in words.
    own
        The names that are taken.
    wrong
        What is wrong with an object under a name, or nothing.
    """

    def __init__(
        self, group: str, what: str, own: Collection[str], wrong: Callable[[str, Any], str]
    ):
        self.group, self.what = group, what
        self._own, self._wrong = own, wrong
        self._loaded: dict[str, Thing] = {}
        self._told: set[str] = set()

    @property
    def names(self) -> tuple[str, ...]:
        """All names that are registered; nothing is imported for it."""
        return tuple(self._entries)

    def __getitem__(self, name: str) -> Thing:
        """What is registered under one of the names.

        Raises
        ------
        PluginError
            If it cannot be loaded, or is something else than it should be.
        """
        if name not in self._loaded:
            self._loaded[name] = self._load(name)
        return self._loaded[name]

    def working(self) -> Iterator[str]:
        """The names of what can be loaded; of the others it is told why not."""
        for name in self.names:
            try:
                self[name]
            except PluginError as error:
                self._tell(str(error))
            else:
                yield name

    def _load(self, name: str) -> Thing:
        first, *others = self._entries[name]
        if others:
            both = " and ".join(_where(e) for e in (first, *others))
            raise PluginError(f"the {self.what} {name!r} is registered twice, by {both}")
        try:
            found: Thing = first.load()
        except (Exception, SystemExit) as error:
            why = f"{type(error).__name__}: {' '.join(str(error).split())}"
            raise PluginError(
                f"the {self.what} {name!r} of {_where(first)} cannot be loaded: {why}"
            ) from error
        wrong = self._wrong(name, found)
        if wrong:
            raise PluginError(f"the {self.what} {name!r} of {_where(first)} {wrong}")
        return found

    @cached_property
    def _entries(self) -> dict[str, list[EntryPoint]]:
        found: dict[str, dict[str, EntryPoint]] = {}
        for entry in self._registered():
            if entry.name in self._own:
                self._tell(
                    f"the {self.what} {entry.name!r} of {_where(entry)} is ignored: cltheory has "
                    "one of that name"
                )
            elif not NAME.fullmatch(entry.name):
                self._tell(
                    f"the {self.what} {entry.name!r} of {_where(entry)} is not a name: ignored"
                )
            else:  # a package may be found twice, say in the folder that one is in
                found.setdefault(entry.name, {}).setdefault(entry.value, entry)
        return {name: list(found[name].values()) for name in sorted(found)}

    def _registered(self) -> Iterator[EntryPoint]:
        from importlib.metadata import distributions  # slow to import, and seldom needed

        for package in distributions():
            try:
                entries = list(package.entry_points.select(group=self.group))
            except Exception as error:
                name = _name(package)
                self._tell(f"the entry points of {name} cannot be read: {type(error).__name__}")
                continue
            yield from entries

    def _tell(self, message: str) -> None:
        if message not in self._told:
            self._told.add(message)
            warnings.warn(PluginWarning(message), stacklevel=2)


def _where(entry: EntryPoint) -> str:
    """The package and the object, for whoever has to mend it."""
    return f"{_name(entry.dist)} ({entry.value})"


def _name(package: Distribution | None) -> str:
    try:
        return f"{package.metadata['Name']} {package.version}" if package else "a package"
    except Exception:
        return "a package without a name"
