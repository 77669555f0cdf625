"""Turn an expression into a vectorised numpy function, as source that reads like the formula.

What the source is written in is :mod:`.floats`; exported modules end with its text.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any, Protocol

from sympy import (
    Abs,
    Add,
    Basic,
    Eq,
    Expr,
    Float,
    Function,
    Max,
    Min,
    Mul,
    Piecewise,
    Rational,
    S,
    Symbol,
    cse,
    exp,
    floor,
    log,
    numbered_symbols,
    oo,
    sign,
    together,
)
from sympy.concrete.expr_with_limits import ExprWithLimits
from sympy.printing.numpy import NumPyPrinter
from sympy.printing.precedence import PRECEDENCE

from ..decide.domain import Domain, DomainError, Range
from ..decide.expectation import Expectation
from ..decide.hypergeometric import Log0F1
from ..decide.root import ClampedRoot
from .kinds import Kind, numbers_in
from .number import number
from .quantity import Quantity

#: By how much, relatively, a float64 may lie beyond an end that belongs to a range: such an end is
#: itself rounded where it is computed. It is a few units in the last place.
SLACK = Float("1e-15")


if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    Found = np.float64 | np.bool_ | NDArray[np.float64 | np.bool_]


class Vectorised(Protocol):
    """A function of numbers and arrays, which broadcast: float64, or bool of what is in a set."""

    def __call__(self, *args: ArrayLike, **kwargs: ArrayLike) -> Found:
        """The values; axes of an array come last."""


class NotNumpy(ValueError):
    """The expression has no counterpart in numpy; the message says what it needs."""


def compiled(
    quantity: Quantity, name: str, parameters: Sequence[Symbol], domain: Domain
) -> Vectorised:
    """A quantity compiled: the axes of an array come last, a set tells what is in it.

    Raises
    ------
    DomainError
        If it is a name, or one of several by cases.
    """
    if quantity.kind is Kind.NAME:
        raise DomainError(f"{name} is {quantity.expression}, a name: it has no numpy function")
    if spoken := quantity.names - domain.ranges.keys():
        said = ", ".join(sorted(map(str, spoken)))
        raise DomainError(f"{name} has no numpy function: its values are words: {said}")
    order = [s for s in parameters if s in quantity.expression.free_symbols]
    written = quantity_function(name, quantity, order, "", conditions_on(domain, quantity, order))
    from . import floats  # and with it numpy, which proofs do without

    made: dict[str, Any] = dict(vars(floats))
    exec("".join(written), made)  # it is what was just written
    function: Vectorised = made[name]
    function.__doc__ = (
        f"{name} of {', '.join(s.name for s in order)}, vectorised over numpy arrays."
    )
    return function


def quantity_function(
    name: str,
    quantity: Quantity,
    order: Sequence[Symbol],
    doc: str,
    conditions: Sequence[Expr] = (),
) -> tuple[str, str]:
    """The source of a numpy function, and of the line that gives it its domain and its checks.

    Every root is found once, before it is used. Where one of the :func:`conditions_on` the
    arguments fails, the value is nan. Of a set it tells what is in it.

    Raises
    ------
    NotNumpy
        If numpy has no function that the expression needs, or it is a name.
    """
    expression = quantity.expression
    if quantity.kind is Kind.NAME:
        raise NotNumpy(f"{name} is a name, {expression}")
    if quantity.kind is Kind.SET:
        parameter = quantity.parameter
        expression = expression.as_relational(parameter)
        order = [*(s for s in order if s != parameter), parameter]
        doc = f"Whether {parameter} is there. {doc}"
    names = ", ".join(s.name for s in order)
    shape = tuple(getattr(expression, "shape", ()))
    lines = [f'"""{doc}"""'] if doc else []
    printer = _Printer({"fully_qualified_modules": False, "allow_unknown_functions": True})
    if not order:
        listed = [_constant(e, name) for e in numbers_in(expression)] or [str(bool(expression))]
        array = f"np.array([{', '.join(listed)}]).reshape({shape})"
        lines.append(f"return {array if shape else listed[0]}")
        return _with_body(f"\n\ndef {name}():", lines), ""
    _only_numpy(expression, name)
    entries = numbers_in(expression) if shape else [expression]
    more, values = _written(entries, printer, order)
    lines += [*more, f"return [{', '.join(values)}]" if shape else f"return {values[0]}"]
    source = _with_body(f"\n\ndef {name}({names}):", lines)
    given = [name]
    if conditions:
        printer.plain = True
        tests = [printer.doprint(condition) for condition in conditions]
        given.append(f"lambda {names}: every({', '.join(tests)})")
    given += [f"shape={shape}"] if shape else []
    return source, f"\n{name} = checked(\n    " + ",\n    ".join(given) + ",\n)\n"


def _with_body(head: str, lines: Iterable[str]) -> str:
    return f"{head}\n" + "".join(f"    {line}".rstrip() + "\n" for line in lines)


def _constant(e: Expr, name: str) -> str:
    return str(e) if e.is_Integer else repr(float(number(e, name, 17, extended=True)))


def _written(
    entries: Sequence[Basic], printer: _Printer, order: Sequence[Symbol]
) -> tuple[list[str], list[str]]:
    """Lines that prepare expressions, and the expressions; what they share is computed once."""
    printer.like = order[0].name
    lines: list[str] = []
    roots = set().union(*(e.atoms(ClampedRoot) for e in entries))
    stand_ins: dict[Expr, Symbol] = {}
    for k, root in enumerate(sorted(roots, key=lambda e: (len(e.atoms(ClampedRoot)), str(e))), 1):
        (h, x), own = root.equation(), Symbol(f"at_{root.variable.name}")  # no parameter is that
        h = _over_one(h).xreplace({x: own, **stand_ins})
        known = [*order, *stand_ins.values()]
        # An argument tells in what numbers a root is found, also where it depends on none.
        args = ", ".join(s.name for s in known if s in h.free_symbols) or order[0].name
        inner, (value,) = _written([h], printer, [own])
        lines.append(f"def condition_{k}({own}, {args}):")
        lines += [f"    {line}" for line in [*inner, f"return {value}"]] + [""]
        printer.like = order[0].name
        ends = [printer.doprint(end.xreplace(stand_ins)) for end in (root.low, root.high)]
        flat = ", flat=True" if h.has(*KINKED) else ""
        lines.append(f"root_{k} = clamped_root(condition_{k}, {', '.join(ends)}, {args}{flat})")
        stand_ins[root] = Symbol(f"root_{k}")
    means = sorted(set().union(*(e.atoms(Expectation) for e in entries)), key=str)
    for k, mean in enumerate(means, 1):
        if mean.args[3] is oo:
            raise DomainError(f"{mean} of ever more things has no numpy function")
        body = _over_one(mean.body)
        powers = sorted(
            (e for e in body.atoms(exp) if mean.variable not in e.free_symbols), key=str
        )
        once = {e: Symbol(f"power_{k}_{i}") for i, e in enumerate(powers, 1)}
        lines += [f"{s} = {printer.doprint(e)}" for e, s in once.items()]
        law = ", ".join(printer.doprint(e) for e in mean.args[1:5])
        high = "np.inf" if mean.args[5] is oo else printer.doprint(mean.args[5])
        lines += [
            f"mean_{k} = mean_of_draws(",
            f"    lambda {mean.variable}: {printer.doprint(body.xreplace(once))},",
            f"    {law}, {high}, {printer.like})",
        ]
        stand_ins[mean] = Symbol(f"mean_{k}")
    parts, shown = cse(
        [_over_one(e.xreplace(stand_ins)) for e in entries],
        symbols=numbered_symbols("part_", start=1),
    )
    printer.rounded = {s for s, e in parts if e.has(exp)}
    lines += [f"{s} = {printer.doprint(e)}" for s, e in parts]
    return lines, [printer.doprint(e) for e in shown]


def _over_one(e: Basic) -> Basic:
    """Exponents over one denominator, so that those that vanish do so in floats."""
    e = e.replace(lambda s: s.is_Add and s.has(log), _within_log)
    return e.replace(exp, lambda power: exp(together(power)))


def _within_log(e: Expr) -> Expr:
    """log(a exp(u) + b) - u as log(a + b exp(-u)), where nothing cancels."""
    for term in e.args:
        c, f = term.as_coeff_Mul()
        if isinstance(f, log) and f.has(exp):
            parts = [a * exp((e - term) / c) for a in Add.make_args(f.args[0])]
            if not all(a.has(exp) for a in parts):
                return c * log(Add(*parts))
    return e


def _only_numpy(expression: Basic, name: str) -> None:
    """Refuse a function of which numbers with bounds on their errors know nothing."""
    used = {type(f) for f in expression.atoms(Function, ExprWithLimits)}
    unknown = sorted(f.__name__ for f in used if not issubclass(f, KNOWN))
    if unknown:
        raise NotNumpy(f"{name} needs {', '.join(unknown)}, which numpy does not have")


class _Printer(NumPyPrinter):  # type: ignore[misc]
    """Python code in the words of :mod:`.floats`."""

    _module = "np"
    like = ""  #: an argument: constants that no float64 is are made numbers of its kind
    plain = False  #: whether it is for floats only
    rounded: Collection[Symbol] = ()  #: what is added last, so that 1 - alpha is exact

    def _print_Rational(self, e: Rational) -> str:
        if e.q & (e.q - 1) == 0 or self.plain:  # a float64
            return f"{e.p}/{e.q}"
        return f"number({e.p}, {self.like})/{e.q}"

    def _print_Mul(self, e: Expr) -> str:
        c, rest = e.as_coeff_Mul()
        if c.is_Rational and not c.is_Integer:
            whole = Mul(c.p, rest, evaluate=False) if abs(c.p) != 1 else c.p * rest
            return f"{self.parenthesize(whole, PRECEDENCE['Mul'])}/{c.q}"
        return str(super()._print_Mul(e))

    def _as_ordered_terms(self, e: Expr, order: Any = None) -> list[Expr]:
        return sorted(super()._as_ordered_terms(e, order), key=lambda t: t.has(exp, *self.rounded))

    def _number(self, e: Expr) -> str:
        printed = self._print(e)
        return printed if e.free_symbols else f"number({printed}, {self.like})"

    def _of(self, function: str, e: Expr) -> str:
        return f"{function}({self._number(e)})"

    def _print_exp(self, e: Expr) -> str:
        return self._of(f"np.{type(e).__name__.lower()}", e.args[0])

    _print_log = _print_Abs = _print_sign = _print_exp

    def _print_Log0F1(self, e: Expr) -> str:
        return f"log_0f1({', '.join(map(self._number, e.args))})"

    def _print_Pow(self, e: Expr, rational: bool = False) -> str:
        if abs(e.exp) == S.Half:
            root = self._of("np.sqrt", e.base)
            return root if e.exp > 0 else f"1/{root}"
        return str(self._hprint_Pow(e, rational=rational))

    def _print_Relational(self, e: Expr) -> str:
        left, right = self._print(e.lhs), self._print(e.rhs)
        if isinstance(e, Eq) and not self.plain:
            return f"same({left}, {right})"
        return f"{left} {e.rel_op} {right}"

    def _print_Piecewise(self, e: Piecewise) -> str:
        *cases, (last, where) = e.args
        start = self._print(last)
        if where is not S.true:
            start = f"select({self._print(where)}, {start}, np.nan)"
        return reduce(
            lambda rest, case: f"select({self._print(case[1])}, {self._print(case[0])}, {rest})",
            reversed(cases),
            start,
        )

    def _print_And(self, e: Expr) -> str:
        return " & ".join(f"({self._print(a)})" for a in e.args)

    def _print_Or(self, e: Expr) -> str:
        return " | ".join(f"({self._print(a)})" for a in e.args)

    def _print_Not(self, e: Expr) -> str:
        return f"~({self._print(e.args[0])})"

    def _print_Max(self, e: Expr) -> str:
        return self._pairwise("np.maximum", e)

    def _print_Min(self, e: Expr) -> str:
        return self._pairwise("np.minimum", e)

    def _pairwise(self, function: str, e: Expr) -> str:
        first, *rest = map(self._print, e.args)
        return reduce(lambda a, b: f"{function}({a}, {b})", rest, first)

    def _module_format(self, fqn: str, register: bool = True) -> str:
        return "np." + str(fqn).rpartition(".")[2]


def _plain(s: Symbol) -> Symbol:
    """A symbol without assumptions, so that what they say is not taken as met."""
    return Symbol(s.name)


def conditions_on(
    domain: Domain,
    quantity: Quantity,
    order: Sequence[Symbol],
    point: Mapping[Symbol, Expr] | None = None,
) -> list[Expr]:
    """What the arguments must meet, the point being put in; in symbols without assumptions.

    That is the domain and what the quantity needs, as far as they are about arguments only.
    """
    put = {**{s: _plain(s) for s in order}, **(point or {})}
    ranges = {
        **domain.ranges,
        **(quantity.domain.ranges if quantity.domain is not None else {}),
    }
    found: list[Expr] = []
    known = {_plain(s) for s in order}
    # A range that depends on what is no argument leaves the one that all values have.
    wide = {
        s: domain.ranges[s]
        for s, r in ranges.items()
        if s in domain.ranges and not _ends_of(r, put) <= known
    }
    for s, r in [*ranges.items(), *wide.items()]:
        if s not in put:
            continue
        value, low, high = put[s], r.low.xreplace(put), r.high.xreplace(put)
        room = r.rounding.xreplace(put)
        if r.integer:
            found.append(Eq(floor(value), value))
        low_room, high_room = (
            room + (S.Zero if r.integer or end.is_Rational else SLACK * Abs(end))
            for end in (low, high)
        )
        if low is not -oo:
            found.append(value > low if r.low_open else value >= low - low_room)
        if high is not oo:
            found.append(value < high if r.high_open else value <= high + high_room)
    if quantity.needs is not None:
        found.append(quantity.needs[0].xreplace(put) > 0)
    return [k for k in dict.fromkeys(found) if k.free_symbols and k.free_symbols <= known]


def _ends_of(r: Range, put: Mapping[Symbol, Expr]) -> set[Symbol]:
    """The symbols of the ends of a range, the point being put in."""
    return {s for end in (r.low, r.high) for s in end.xreplace(put).free_symbols}


#: What makes a function jump, bend or lie flat.
KINKED = (Piecewise, Max, Min, Abs)
#: The functions that a formula may have.
KNOWN = (exp, log, sign, Log0F1, ClampedRoot, *KINKED)
