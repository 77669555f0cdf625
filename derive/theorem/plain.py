"""Expressions for whoever goes on with SymPy: plain symbols, and no silence about other ones.

To SymPy ``Symbol("tau")`` and ``Symbol("tau", positive=True)`` are two symbols. Asked about one
where the other stands, it answers 0, or changes nothing. With plain symbols strings and
``symbols("m n tau")`` do what they say; here the question about any other symbol of the same name
raises. No symbol can see to that: SymPy looks symbols up by their hash before it asks them
anything, so the sums, products, powers and functions do in which they stand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from itertools import chain
from types import MemberDescriptorType, new_class

from sympy import Add, Basic, Expr, Max, Min, Mul, Piecewise, Pow, Symbol, Tuple, exp, log, simplify
from sympy.core.evalf import evalf_table
from sympy.core.relational import Relational
from sympy.core.rules import Transform

from ..decide.root import ClampedRoot
from ..decide.spelling import did_you_mean
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
    """Refuse a symbol that is not among some free ones, though one of its name is, and a text."""
    names = {str(s) for s in free}
    for s in asked:
        if type(s) is str and s in names:
            raise Refusal(f"SymPy looks for a symbol here, not for the text {s!r}: Symbol({s!r})")
        if type(s) is Symbol and str(s) in names and not set.__contains__(free, s):
            raise Refusal(
                f"this {s} has other assumptions than the {s} of the formula, and is another "
                f"symbol to SymPy: use '{s}', or put yours in first, .subs({{'{s}': {s}}})"
            )


def _check_names(free: set[Symbol], asked: Iterable[object]) -> None:
    """Refuse a text that names no symbol of a formula: it would be differentiated to 0."""
    names = sorted(map(str, free))
    for s in asked:
        name = s[0] if isinstance(s, (tuple, Tuple)) and s else s
        if isinstance(name, str) and name not in names:
            near, all_of = did_you_mean(name, names), ", ".join(names) or "none"
            raise Refusal(
                f"the formula has no symbol {name}{near}; it has {all_of}. "
                f"Its derivative in Symbol({name!r}) is 0"
            )


class _Watched(Basic):
    """Before the class of an expression: equal to it, with the same hash and the same name."""

    __slots__ = ()
    _op_priority = Expr._op_priority + 1
    __hash__ = Basic.__hash__

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

    def _xreplace(self, rule: dict[Expr, Expr] | Transform) -> tuple[Expr, bool]:
        _check(self.free_symbols, () if isinstance(rule, Transform) else rule)
        found, changed = super()._xreplace(rule)
        return _watched(found), changed

    def _eval_power(self, power: Expr) -> Expr:
        made = super()._eval_power(power)  # None: no simpler one
        return _watched(Pow(self, power, evaluate=False) if made is None else made)

    def _eval_simplify(self, **options: object) -> Expr:
        return _watched(simplify(self.func(*self.args), **options))


def _method(name: str) -> Callable[..., object]:
    def method(self: _Watched, *others: object, **options: object) -> object:
        if name.startswith("is_"):  # by default of all symbols, in what SymPy takes for a set only
            others = others or tuple(self.free_symbols)
        # A product of both would be differentiated in one of them. Most take text for a symbol.
        asked = others[:1] if name == "replace" else others
        asked = tuple(o for o in asked if type(o) is not str or name.startswith("has"))
        parts = (o.free_symbols if isinstance(o, Basic) else [o] for o in asked)
        _check(self.free_symbols, chain(*parts))
        if name == "diff":
            _check_names(self.free_symbols, others)
        return _watched(getattr(super(_Watched, self), name)(*others, **options))

    return method


_METHODS = {
    name: _method(name)
    for name in (
        "has has_free coeff as_independent as_poly replace collect diff doit expand rewrite "
        "is_polynomial is_rational_function is_algebraic_expr "
        "factor together cancel apart normal powsimp radsimp ratsimp evalf n "
        "__neg__ __add__ __sub__ __mul__ __truediv__ __pow__ __radd__ __rsub__ __rmul__ "
        "__rtruediv__ __rpow__ __lt__ __le__ __gt__ __ge__"
    ).split()
}
#: The kinds of expressions that have symbols and are built by their arguments alone.
_KINDS = (Add, Mul, Pow, exp, log, Max, Min, Piecewise, Relational, ClampedRoot)


@cache
def _class(kind: type[Expr]) -> type[Expr]:
    own: dict[str, object] = {k: method for k, method in _METHODS.items() if hasattr(kind, k)}
    own |= {"__slots__": (), "func": property(lambda _: kind)}
    made: type[Expr] = new_class(
        kind.__name__, (_Watched, kind), exec_body=lambda ns: ns.update(own)
    )
    if kind in evalf_table:  # where SymPy looks for the very class, and takes digits as they come
        evalf_table[made] = evalf_table[kind]
    return made


def _watched(e: Expression) -> Expression:
    if isinstance(e, _Watched) or not isinstance(e, _KINDS):
        return e
    kind: type[Expr] = type(e)
    found = Basic.__new__(_class(kind), *e.args)  # type: ignore[arg-type]
    for name in ("is_commutative", "_argset"):  # what sums and maxima are told beside them
        if isinstance(getattr(kind, name, None), MemberDescriptorType):
            setattr(found, name, getattr(e, name))
    return found
