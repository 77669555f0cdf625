"""Dataclasses whose methods are shared, not compiled for each class.

The standard library compiles up to six methods of a dataclass when its module is imported, a tenth
of the time of a short command. Here one is, ``__init__``; the others go over the names of fields.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError
from inspect import get_annotations
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls: type | None = None, /, *, frozen: bool = False, eq: bool = True) -> Any:
        """As :func:`dataclasses.dataclass`, of whose options it has these two."""

        def made(cls: type) -> type:
            fields = _declare(cls, frozen)
            methods = {"__init__": _init(cls, fields), "__repr__": _repr}
            if eq:
                methods |= _comparing([f.name for f in fields if f.compare])
                methods |= {} if frozen else {"__hash__": None}
            if frozen:
                methods |= {"__setattr__": _refuse, "__delattr__": _refuse}
            # Python itself puts a hash of None beside a comparison of one's own.
            own = {k for k, v in vars(cls).items() if k != "__hash__" or v is not None}
            for name in methods.keys() - own:
                setattr(cls, name, methods[name])
            return cls

        return made if cls is None else made(cls)


def _declare(cls: type, frozen: bool) -> tuple[Field[Any], ...]:
    """Make it a dataclass without methods, by the fields of a class that has no bases."""
    own = {name: vars(cls)[name] for name in get_annotations(cls) if name in vars(cls)}
    bare = {"__module__": cls.__module__, "__annotations__": get_annotations(cls), "__doc__": "-"}
    twin: Any = type(cls.__name__, (), bare | own)
    twin = dataclasses.dataclass(init=False, repr=False, eq=False)(twin)
    twin.__dataclass_params__.frozen = frozen
    named: dict[str, Field[Any]] = {}
    for base in (*cls.__mro__[:0:-1], twin):
        named |= vars(base).get("__dataclass_fields__", {})
    for name, value in own.items():
        if isinstance(value, Field) and value.default is MISSING:
            delattr(cls, name)
        elif isinstance(value, Field):
            setattr(cls, name, value.default)
    told: Any = cls
    told.__dataclass_fields__, told.__dataclass_params__ = named, twin.__dataclass_params__
    fields = dataclasses.fields(told)
    matched = tuple(f.name for f in fields if f.init and not f.kw_only)
    told.__match_args__ = matched  # type: ignore[misc]
    return fields


def _init(cls: type, fields: tuple[Field[Any], ...]) -> Callable[..., None]:
    names: dict[str, Any] = {"MISSING": MISSING, "put": object.__setattr__}
    given: dict[bool, list[str]] = {False: ["self"], True: ["*"]}
    lines = []
    for f in fields:
        name, made = f.name, f.default_factory is not MISSING
        names[f"_{name}"] = f.default_factory if made else f.default
        if f.init:
            default = "=MISSING" if made else "" if f.default is MISSING else f"=_{name}"
            given[f.kw_only is True].append(name + default)
            value = f"_{name}() if {name} is MISSING else {name}" if made else name
        elif made:
            value = f"_{name}()"
        else:  # the default stands in the class
            continue
        lines.append(f" put(self, {name!r}, {value})")
    if hasattr(cls, "__post_init__"):
        lines.append(" self.__post_init__()")
    words = ", ".join(given[False] + (given[True] if given[True][1:] else []))
    exec("\n".join([f"def __init__({words}):", *(lines or [" pass"])]), names)
    init: Callable[..., None] = names["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__annotations__ = {f.name: f.type for f in fields if f.init} | {"return": "None"}
    return init


def _comparing(names: list[str]) -> dict[str, Any]:
    get = attrgetter(*names) if names else lambda self: ()

    def __eq__(self: object, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return (get(self),) == (get(other),)  # what is the same is equal, as in tuples

    def __hash__(self: object) -> int:
        return hash(get(self))

    return {"__eq__": __eq__, "__hash__": __hash__}


def _repr(self: Any) -> str:
    shown = (f"{f.name}={getattr(self, f.name)!r}" for f in dataclasses.fields(self) if f.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _refuse(self: object, name: str, *value: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot change field {name!r}")
