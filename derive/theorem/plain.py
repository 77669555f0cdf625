"""Expressions for whoever goes on with SymPy: plain symbols, and no silence about other ones.

To SymPy ``Symbol("tau")`` and ``Symbol("tau", positive=True)`` are two symbols. Asked about one
where the other stands, it answers 0, or changes nothing. With plain symbols strings and
``symbols("m n tau")`` do what they say; here the question about any other symbol of the same name
raises. No symbol can see to that: SymPy looks symbols up by their hash before it asks them
anything, so the sums, products and powers do in which they stand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sympy import Add, Expr, Mul, Pow, Symbol, simplify

from ..errors import Refusal
from .kinds import Expression


def plain(e: Expression) -> Expression:
    """An expression in symbols without assumptions, which refuses others of their names."""
    return _watched(e.xreplace({s: Symbol(s.name) for s in e.free_symbols}))


class _Free(set[Symbol]):
    """Free symbols, in which SymPy looks for those that it is asked about."""

    __slots__ = ()

    def __contains__(self, symbol: object) -> bool:
        _check(self, [symbol])
        return super().__contains__(symbol)

    def __and__(self, others: Iterable[object]) -> set[Symbol]:
        _check(self, others)
        return set(self).intersection(others)

    __rand__ = __and__

    def __repr__(self) -> str:
        return repr(set(self))


def _check(free: set[Symbol], asked: Iterable[object]) -> None:
    """Refuse a symbol that is not among some free ones, though one of its name is."""
    names = {str(s) for s in free}
    for s in asked:
        if type(s) is Symbol and str(s) in names and not set.__contains__(free, s):
            raise Refusal(
                f"this {s} has other assumptions than the {s} of the formula, and is another "
                f"symbol to SymPy: use '{s}', or put yours in first, .subs({{'{s}': {s}}})"
            )


class _Watched(Expr):
    """Before the class of an expression: equal to it, with the same hash and the same name."""

    __slots__ = ()
    _op_priority = Expr._op_priority + 1
    __hash__ = Expr.__hash__

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, self.func):
            return False
        return bool(self._hashable_content() == other._hashable_content())

    def __reduce__(self) -> tuple[object, ...]:
        return _watched, (self.func(*self.args),)

    @property
    def free_symbols(self) -> set[Symbol]:
        return _Free(super().free_symbols)

    def _subs(self, old: Expr, new: Expr, **hints: bool) -> Expr:
        _check(self.free_symbols, [old])
        return new if self == old else _watched(super()._subs(old, new, **hints))

    def _xreplace(self, rule: dict[Expr, Expr]) -> tuple[Expr, bool]:
        _check(self.free_symbols, rule)
        found, changed = super()._xreplace(rule)
        return _watched(found), changed

    def _eval_simplify(self, **options: object) -> Expr:
        return _watched(simplify(self.func(*self.args), **options))


def _method(name: str, asks: bool = False, mixes: bool = False) -> Callable[..., object]:
    def method(self: _Watched, *others: object, **options: object) -> object:
        if asks:
            _check(self.free_symbols, others)
        if mixes:  # a product of both would be differentiated in one of them
            own = (getattr(o, "free_symbols", ()) for o in others)
            _check(self.free_symbols, set().union(*own))
        return _watched(getattr(super(_Watched, self), name)(*others, **options))

    return method


for _name in "has has_free coeff as_independent as_poly replace collect".split():
    setattr(_Watched, _name, _method(_name, asks=True))
for _name in "add sub mul truediv pow radd rsub rmul rtruediv rpow neg lt le gt ge".split():
    setattr(_Watched, f"__{_name}__", _method(f"__{_name}__", mixes=True))
for _name in ("diff", "doit", "expand", "rewrite"):
    setattr(_Watched, _name, _method(_name))


def _class(kind: type[Expr]) -> type[Expr]:
    own = {"__slots__": (), "func": property(lambda _: kind)}
    return type(kind.__name__, (_Watched, kind), own)


#: The kinds of expressions that have symbols and are built by their arguments alone.
_CLASSES = {kind: _class(kind) for kind in (Add, Mul, Pow)}


def _watched(e: Expression) -> Expression:
    if type(e) not in _CLASSES:
        return e
    found = Expr.__new__(_CLASSES[type(e)], *e.args)
    found.is_commutative = e.is_commutative
    return found
