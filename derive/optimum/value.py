"""Numbers of an optimum that is found at numbers, as expressions.

What solves for them (:mod:`.face`, :mod:`.blocks`) is held, not imported: a result without
such a number need not load it.
"""

from __future__ import annotations

from typing import Any

from sympy import Atom, Expr, Tuple
from sympy.core.symbol import Str

from ..decide.ball import Enclosed, NotEnclosed, NoValue, enclosure
from ..decide.domain import DomainError


class Handle(Atom):
    """Something that is no expression, in an expression; equal to itself only."""

    def __new__(cls, held: Any, name: str) -> Handle:
        self = super().__new__(cls)
        self.held, self.name = held, name
        return self

    def _hashable_content(self) -> tuple[Any, ...]:
        return (id(self.held), self.name)

    def _sympystr(self, printer: Any) -> str:
        return self.name

    def _latex(self, printer: Any) -> str:
        return rf"\text{{{self.name}}}"


class Computed(Enclosed):
    """A number that is computed where all symbols are numbers, by no formula."""

    def _pythoncode(self, printer: Any) -> str:
        if self.free_symbols:
            raise DomainError(f"{self} is computed for numerical values and has no formula")
        found = self.settled()
        return repr(float(self.evalf(17))) if found is self else str(printer._print(found))

    _numpycode = _npcode = _pythoncode


class Digits(Computed):
    """A number of a proved optimum, as an expression: a ball of any width."""

    is_number = True

    def __new__(cls, solved: Handle, kind: Str, name: Str) -> Expr:
        return Expr.__new__(cls, solved, kind, name)

    def enclosure(self, bits: int) -> Any:
        """A ball around the number."""
        solved, kind, name = self.args
        return solved.held.ball(kind.name, name.name, bits)

    def _sympystr(self, printer: Any) -> str:
        shown = self._eval_evalf(53)
        return f"{shown.n(15)}..." if shown is not None else f"{self.args[1]} {self.args[2]}"

    def _latex(self, printer: Any) -> str:
        shown = self._eval_evalf(53)
        return rf"{printer._print(shown.n(15))}\ldots" if shown is not None else r"\text{?}"


class FaceValue(Computed):
    """A number of the optimum of a declared loss, as a function of its symbols.

    ``FaceValue.from_optima(reduced, "inner", "same_class")`` stands for the inner product of a
    class at the optimum; symbols can be given one by one, and when all are given it has an
    enclosure.
    """

    def __new__(cls, problem: Handle, kind: Str, name: Str, at: Tuple) -> Expr:
        return Expr.__new__(cls, problem, kind, name, at)

    @classmethod
    def from_optima(cls, optima: Any, kind: str, name: str = "") -> Expr:
        """A number of an optimum: ``share``, ``inner``, ``slack``, ``loss`` or ``multiplier``.

        ``optima`` is a :class:`Faces`, or anything with ``parameters``, ``name`` and ``at``.
        """
        return cls(Handle(optima, optima.name), Str(kind), Str(name), Tuple(*optima.parameters))

    @property
    def optimum(self) -> Any:
        """The optimum at the values that were given.

        Raises
        ------
        DomainError
            If a symbol has no value, or there is no proved optimum.
        """
        optima, values = self.args[0].held, self.args[3]
        return optima.at(dict(zip(optima.parameters, values, strict=True)))

    def settled(self) -> Expr:
        """The number, exact where it is known exactly; itself while symbols are left."""
        if self.free_symbols:
            return self
        return self.optimum.value(self.args[1].name, self.args[2].name)

    def enclosure(self, bits: int) -> Any:
        """A ball around the number.

        Raises
        ------
        NotEnclosed
            If the optimum is not proved; the message says why.
        """
        if self.free_symbols:
            raise NoValue(f"{self} is not evaluated with a proof")
        try:
            return enclosure(self.settled(), bits)
        except DomainError as error:
            raise NotEnclosed(str(error)) from None

    def _sympystr(self, printer: Any) -> str:
        problem, kind, name, at = self.args
        of = f" {name.name}" if name.name else ""
        return f"least({problem.name}: {kind.name}{of}; {', '.join(map(printer._print, at))})"

    def _latex(self, printer: Any) -> str:
        _, kind, name, at = self.args
        of = f",\\ {name.name}".replace("_", r"\_") if name.name else ""
        given = ",\\, ".join(map(printer._print, at))
        return rf"\operatorname{{least}}_{{\text{{{kind.name}{of}}}}}\left({given}\right)"
