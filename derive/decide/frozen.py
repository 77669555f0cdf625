"""Frozen dataclasses that cost little to declare.

``dataclasses.dataclass`` writes the methods of each class as text and compiles it, which for the
classes behind one theorem takes as long as its proofs. Here every class gets the same few
functions; what they do is the same. A type checker sees ``dataclass`` itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError, fields
from dataclasses import dataclass as _dataclass
from typing import TYPE_CHECKING, Any, NoReturn

_PARAMS = "__dataclass_params__"

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(*, frozen: bool, eq: bool = True) -> Callable[[type], type]:
        """``dataclass(frozen=True)``, with ``eq`` as there."""
        if not frozen:
            raise TypeError("these are frozen")

        def made(cls: type) -> type:
            if cls.__doc__ is None:  # or one would be made of its signature, which takes long
                cls.__doc__ = cls.__name__
            own = set(vars(cls))
            # It would compile what refuses to assign, and is not to know that a base does so.
            bases = [
                params
                for base in cls.__mro__[1:]
                if (params := vars(base).get(_PARAMS)) is not None and params.frozen
            ]
            for params in bases:
                params.frozen = False
            _dataclass(init=False, repr=False, eq=False)(cls)
            for params in (*bases, vars(cls)[_PARAMS]):
                params.frozen = True
            vars(cls)[_PARAMS].eq = eq
            methods = {
                "__init__": _init(cls),
                "__repr__": _repr,
                "__setattr__": _refuse,
                "__delattr__": _refuse,
            }
            if eq:
                methods |= {"__eq__": _eq, "__hash__": _hash}
            for name, method in methods.items():
                if name not in own:
                    setattr(cls, name, method)
            return cls

        return made


def _init(cls: type) -> Callable[..., None]:
    every = [f for f in fields(cls) if f.init]
    order = [f.name for f in every if not f.kw_only]
    names = {f.name for f in every}
    plain = {f.name: f.default for f in every if f.default is not MISSING}
    made = {f.name: f.default_factory for f in every if f.default_factory is not MISSING}
    has_more = hasattr(cls, "__post_init__")

    def __init__(self: Any, *args: Any, **given: Any) -> None:
        if len(args) > len(order):
            raise TypeError(f"{cls.__name__} takes {len(order)} values in order, not {len(args)}")
        values = {**plain, **dict(zip(order, args, strict=False)), **given}
        for name, make in made.items():
            if name not in values:
                values[name] = make()
        if values.keys() != names or given.keys() & order[: len(args)]:
            wrong = ", ".join(sorted(values.keys() ^ names)) or "one given twice"
            raise TypeError(f"{cls.__name__} does not have, or lacks: {wrong}")
        self.__dict__.update(values)
        if has_more:
            self.__post_init__()

    return __init__


def _refuse(self: Any, name: str, *_: Any) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _compared(self: Any) -> tuple[Any, ...]:
    return tuple([getattr(self, f.name) for f in fields(self) if f.compare])


def _eq(self: Any, other: object) -> Any:
    if type(other) is not type(self):
        return NotImplemented
    return _compared(self) == _compared(other)


def _hash(self: Any) -> int:
    return hash(_compared(self))


def _repr(self: Any) -> str:
    shown = ", ".join(f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if f.repr)
    return f"{type(self).__qualname__}({shown})"
