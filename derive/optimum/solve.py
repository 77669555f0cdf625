"""The optimum of a program: guessed, put on a face, polished and proved, to as many bits as asked.

A share or a slack may be as small as exp(-1/tau), so a guess may take the face for another. That
shows at the root of its conditions: a share is negative there, or a slack, and with enough bits
that is proved. Then the face is changed, as in an active-set method.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any, Generic, TypeVar

from sympy import Expr, S, Symbol
from sympy.core.symbol import Str

from ..decide.ball import NotEnclosed, TooWide, enclosure, precision
from ..decide.domain import DomainError
from .interior import Interior, NoOptimum
from .polish import Conditions, Face, Found, NotProved, Part, Sign
from .program import Program
from .value import Digits, Handle

#: Bits of the guess: numbers are moved on later, matrices need another guess.
GUESSES = (256, 1024, 4096)
#: Bits of the proofs: shares down to about 1e-19000 are seen.
LADDER = (256, 1024, 4096, 16384, 65536)
#: Changes of the face.
CHANGES = 24
#: Sweeps over all pairs of eigenspaces, halvings for each, and the change that ends them.
SWEEPS, BISECTIONS, SETTLED = 12, 40, 1e-9
#: Bits of all evaluations in these sweeps together, at most: some 20 seconds.
MOST_WORK = 60_000_000
#: Bits beyond those that are asked for.
GUARD_BITS = 64
#: Optima that are kept.
MOST_KNOWN = 1024

#: Shares in the slots, and multipliers.
Start = tuple[list[Any], list[Any]]


class NotDecided(DomainError):
    """Which face holds the optimum, or whether there is only one, was not decided; one line."""


class Solved:
    """The optimum of a program, and balls around it that can be made narrower."""

    def __init__(self, program: Program, near: tuple[Face, Start, int] | None = None):
        """Find the face and prove it; ``near`` is a face, a start on it and bits for no guess.

        Raises
        ------
        NotDecided
            Saying what was not proved.
        """
        self.program, self.work = program, 0
        why = ""
        if near is not None:
            try:
                self.found = self._prove(*near)
                return
            except (NotProved, NotEnclosed) as error:
                raise NotDecided(f"the optimum is not decided: {error}") from None
        for bits in GUESSES[: 1 if self._is_simplex else None]:
            try:
                self.found = self._prove(*self._guess(bits), bits)
                return
            except (NoOptimum, NotProved, NotEnclosed) as error:
                why = str(error)
        raise NotDecided(f"the optimum is not decided: {why}")

    @classmethod
    def guess(cls, program: Program, bits: int) -> list[Any]:
        """Shares near an optimum, of which nothing is proved.

        Raises
        ------
        NoOptimum, NotProved
            If none were found.
        """
        made = cls.__new__(cls)
        made.program, made.work = program, 0
        return [v.mid() for v in made._guess(bits)[1][0]]

    def _guess(self, bits: int) -> tuple[Face, Start]:
        try:
            guess = Interior(self.program, bits).run()
        except NoOptimum:
            if not self._is_simplex:
                raise
            return self._moved(*self._identity(), bits)
        return Face.from_guess(self.program, guess), (guess.shares, guess.multipliers)

    def within(self, bits: int) -> Found:
        """Balls that are computed with at least so many bits; the proof is done again."""
        if self.found.bits < bits + GUARD_BITS:
            more = max(bits + GUARD_BITS, 2 * self.found.bits)
            conditions = Conditions(self.program, self.found.face, more)
            try:
                u = conditions.root(self.found.unknowns)
            except NotProved as error:
                raise NotEnclosed(str(error)) from None
            if not all(sign.right for sign in conditions.signs(u)):
                raise NotEnclosed("the face was proved with fewer bits, and not with more")
            self.found = conditions.found(u)
        return self.found

    def _prove(self, face: Face, start: Start, bits: int) -> Found:
        """Polish a guess on its face, changing the face where a sign is proved to be wrong."""
        seen = {face}
        most = LADDER[-1] if self._is_simplex else 4 * bits
        rungs = (rung for rung in LADDER if bits < rung <= most)
        for _ in range(CHANGES):
            conditions = Conditions(self.program, face, bits)
            why, signs = "", None
            try:
                u = conditions.root(conditions.unknowns(*start))
                signs = conditions.signs(u)
            except (NotProved, NotEnclosed) as error:
                why = str(error)
            if signs is not None:
                if all(sign.right for sign in signs):
                    return conditions.found(u)
                start = conditions.shares(u), u[len(conditions.places) :]
                wrong = self._worst(face, signs)
                if wrong is not None:
                    face = face.changed(wrong)
                    if face in seen:
                        raise NotProved("no face holds the optimum alone")
                    seen.add(face)
                    continue
                why = self._unknown(face, signs)
            more = next(rungs, None)
            if more is None:
                raise NotProved(why)
            bits = more
            if signs is None and self._is_simplex:
                face, start = self._moved(*start, bits)
        raise NotProved("the face was changed too often")

    # --- where Newton's method fails ---------------------------------------------------------
    @property
    def _is_simplex(self) -> bool:
        """Whether all shares are numbers that add up to one."""
        return len(self.program.orbits) == 1 == max(b.size for b in self.program.blocks)

    def _identity(self) -> Start:
        from flint import arb

        shares = self.program.start()
        return [enclosure(e, LADDER[0]) for e in shares], [arb(0)]

    def _moved(self, z: list[Any], y: list[Any], bits: int) -> tuple[Face, Start]:
        """Move share between two eigenspaces after the other, each time to where that is least.

        Where the slope is as small as exp(-1/tau) Newton's steps are too short; its sign is enough.
        """
        from flint import arb

        with precision(bits):
            z = [max(v.mid(), arb(0)) for v in z]
            total = sum(z, arb(0))
            z = [(v / total).mid() for v in z]
            for _ in range(SWEEPS):
                before = z
                for i, j in combinations(range(len(z)), 2):
                    if z[i] > 0 or z[j] > 0:
                        z = self._balanced(z, i, j, bits)
                if all(abs(a - b) < SETTLED for a, b in zip(z, before, strict=True)):
                    break
            _, down, _ = self.program.evaluate(z, bits, order=1)
            y = [sum((a * d for a, d in zip(z, down, strict=True)), arb(0)).mid()]
        return Face(tuple(Part((0,), int(v > 0)) for v in z)), (z, y)

    def _balanced(self, z: list[Any], i: int, j: int, bits: int) -> list[Any]:
        """The shares of two eigenspaces, their sum kept, where the loss is least in them."""
        from flint import arb

        both = z[i] + z[j]

        def at(share: Any) -> list[Any]:
            moved = list(z)
            moved[i], moved[j] = share.mid(), (both - share).mid()
            return moved

        def slope(share: Any) -> Any:
            """Its sign is enough, so most of the time a few of the bits are."""
            few = min(bits, LADDER[0])
            while True:
                self.work += few
                if self.work > MOST_WORK:
                    raise NotProved(
                        f"probabilities as small as exp(-1/tau) need {bits} bits or more, which "
                        "takes too long"
                    )
                try:
                    _, down, _ = self.program.evaluate(at(share), few, order=1)
                    found = down[i] - down[j]
                    if few == bits or found > 0 or found < 0:
                        return found.mid()
                except TooWide:
                    if few == bits:
                        raise
                few = min(bits, 4 * few)

        low, high = arb(0), both.mid()
        if slope(low) >= 0:
            return at(low)
        if slope(high) <= 0:
            return at(high)
        for _ in range(BISECTIONS):
            middle = ((low + high) / 2).mid()
            low, high = (middle, high) if slope(middle) < 0 else (low, middle)
        return at((low + high) / 2)

    # --- signs that are not right ------------------------------------------------------------
    def _worst(self, face: Face, signs: list[Sign]) -> int | None:
        """The block whose sign is most wrong, shares before slacks."""
        for occupied in (1, 0):
            wrong = [
                b
                for b, sign in enumerate(signs)
                if sign.right is False
                and self.program.blocks[b].size == 1
                and face.parts[b].rank == occupied
            ]
            if wrong:
                return min(wrong, key=lambda b: _mid(signs[b].size))
        return None

    def _unknown(self, face: Face, signs: list[Sign]) -> str:
        """Which sign was not told, in words."""
        b = next(b for b, sign in enumerate(signs) if not sign.right)
        e, part, sign = self.program.blocks[b], face.parts[b], signs[b]
        what = "share" if part.rank == e.size else "slack"
        if sign.right is False:
            return f"the {what} of {e.name} is not positive where it should be"
        with precision(64):
            size = sign.size.abs_upper()
            shown = size.str(2, radius=False)
        return f"the {what} of {e.name} is zero or below {shown}: it may be a border"


def _mid(ball: Any) -> Any:
    return ball.mid()


class Numbers:
    """The numbers of a solved program as expressions; theta is ``scale`` times a derivative."""

    def __init__(self, solved: Solved, name: str, scale: Expr = S.One):
        self.solved, self.scale = solved, scale
        self.handle = Handle(self, name)
        blocks = solved.program.blocks
        self.slots = [blocks[s.block].entry(s.i, s.j) for s in solved.program.slots]
        self.ranks = {
            e.name: part.rank for e, part in zip(blocks, solved.found.face.parts, strict=True)
        }

    def __call__(self, kind: str, name: str = "") -> Expr:
        """``share``, ``inner``, ``slack`` or ``multiplier`` of a name, or the ``loss``."""
        return Digits(self.handle, Str(kind), Str(name))

    @property
    def inner(self) -> dict[str, Expr]:
        """The inner products, exact where the shares do not matter."""
        program = self.solved.program
        occupied = [b for b, rank in enumerate(self.ranks.values()) if rank]
        return {
            r.name: program.constant(r.name, occupied) or self("inner", r.name)
            for r in program.relations
        }

    def ball(self, kind: str, name: str, bits: int) -> Any:
        """A ball around one of them."""
        found, program = self.solved.within(bits), self.solved.program
        with precision(found.bits):
            if kind == "loss":
                return found.value
            if kind == "inner":
                return found.inner[[r.name for r in program.relations].index(name)]
            if kind == "share":
                return found.shares[self.slots.index(name)]
            scale = enclosure(self.scale, found.bits)
            if kind == "slack":
                return scale * found.slacks[self.slots.index(name)]
            return scale * found.multipliers[program.orbits.index(name) if name else 0]


def number_of(tables: Mapping[str, Mapping[str, Expr]], kind: str, name: str) -> Expr:
    """A number of an optimum; what there is only one of has no name.

    Raises
    ------
    DomainError
        If there is none of that name.
    """
    table = tables[kind]
    if name not in table:
        raise DomainError(f"{name} has no {kind} there; these have one: {', '.join(table)}")
    return table[name]


Optimum = TypeVar("Optimum")


class Optima(Generic[Optimum]):
    """The optima of a loss, as a function of numbers for its symbols; each is found once."""

    def __init__(self, name: str, parameters: tuple[Symbol, ...]):
        self.name, self.parameters = name, parameters
        self._known: dict[tuple[Expr, ...], Optimum] = {}

    def at(self, point: Mapping[Symbol, Expr]) -> Optimum:
        """The optimum at numbers for all parameters.

        Raises
        ------
        DomainError
            If a symbol has no value, the loss is not defined or not convex there, or the face of
            the optimum is not decided; one line.
        """
        values = tuple(point.get(s, s) for s in self.parameters)
        if values not in self._known:
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            try:
                self._known[values] = self.solve(dict(zip(self.parameters, values, strict=True)))
            except (NotEnclosed, NoOptimum, NotProved) as error:
                raise NotDecided(f"the optimum is not decided: {error}") from None
        return self._known[values]

    def solve(self, point: Mapping[Symbol, Expr]) -> Optimum:
        """The optimum, which was not found before."""
        raise NotImplementedError
