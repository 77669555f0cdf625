"""Frozen dataclasses that share their methods.

The standard library writes up to six methods of each dataclass as text and compiles it, which takes
a twelfth of the time of a short command. Here a class has the methods of its base.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from inspect import Parameter, Signature
from operator import attrgetter
from typing import Any, ClassVar, NoReturn, dataclass_transform


class _ByFields:
    """The signature of a class, which ``help`` and Jupyter show: made when asked for."""

    def __get__(self, one: object, cls: type) -> Signature:
        if one is not None:
            raise AttributeError("an object is not called as its class is")
        given = sorted(fields(cls), key=lambda f: f.kw_only is True)
        kinds = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
        defaults = (f.default_factory if f.default is MISSING else f.default for f in given)
        return Signature(
            [
                Parameter(
                    f.name,
                    kinds[f.kw_only is True],
                    default=Parameter.empty if default is MISSING else default,
                    annotation=f.type,
                )
                for f, default in zip(given, defaults, strict=True)
            ]
        )


@dataclass_transform(eq_default=False, frozen_default=True, field_specifiers=(field,))
class Frozen:
    """A frozen dataclass, whose objects are equal to themselves only."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    __match_args__: ClassVar[tuple[str, ...]] = ()
    _names: ClassVar[frozenset[str]]
    _defaults: ClassVar[dict[str, Any]]
    _factories: ClassVar[dict[str, Callable[[], Any]]]
    __signature__: ClassVar = _ByFields()

    def __init_subclass__(cls) -> None:
        dataclass(init=False, repr=False, eq=False)(cls)
        every = fields(cls)
        cls._names = frozenset(f.name for f in every)
        cls._defaults = {f.name: f.default for f in every if f.default is not MISSING}
        cls._factories = {
            f.name: f.default_factory for f in every if f.default_factory is not MISSING
        }

    def __init__(self, *args: Any, **given: Any) -> None:
        values = dict(zip(self.__match_args__, args))  # noqa: B905, which doubles its time
        if given:
            values.update(given)
        is_twice = len(values) < len(args) + len(given)
        if len(values) < len(self._names):
            values = {**self._defaults, **values}
            for name, make in self._factories.items():
                if name not in values:
                    values[name] = make()
        if values.keys() != self._names or is_twice:
            type(self).__signature__.bind(*args, **given)  # which says what is wrong
        self.__dict__.update(values)
        self.__post_init__()

    def __post_init__(self) -> None:
        """Check or change what was given; the fields are set."""

    def __repr__(self) -> str:
        shown = (f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if f.repr)
        return f"{type(self).__qualname__}({', '.join(shown)})"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise FrozenInstanceError(f"cannot delete field {name!r}")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class FrozenValue(Frozen):
    """A frozen dataclass, whose objects are equal if their fields are."""

    _compared: ClassVar[attrgetter[Any]]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        names = [f.name for f in fields(cls) if f.compare]
        cls._compared = attrgetter(*(names or ["__class__"]))

    def __eq__(self, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        get = self._compared
        return (get(self),) == (get(other),)  # what is the same is equal, as in tuples

    def __hash__(self) -> int:
        return hash(self._compared(self))
