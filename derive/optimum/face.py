"""The optimum of a loss on a scheme at given numbers, however many eigenspaces are occupied.

The loss is convex in the shares of the eigenspaces, which form a simplex, and a point of it is
optimal iff theta_e, the eigenvalue of the gradient, is the same y on the occupied eigenspaces and
no smaller on the others. A vertex is tried exactly. Anything else is found by the interior-point
method, polished by Newton's method and proved by balls (:mod:`.solve`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, lru_cache

from sympy import Expr, Matrix, Rational, S, Symbol

from ..decide.ball import NotEnclosed, enclosure, precision
from ..decide.digits import is_zero, sign
from ..decide.domain import Domain, DomainError
from ..decide.evidence import Evidence, Grade, Holds
from ..decide.normal import vanishes
from ..frozen import Frozen
from ..structures.configuration import single
from .duality import Certificate
from .interior import pivots
from .program import Program, Smooth, entry
from .reduce import Reduced, ReducedPairwise, check_at_numbers, inner_products
from .reduction import is_smooth
from .solve import NotDecided, Numbers, Optima, Solved, number_of

#: Bits with which curvature is looked for where slacks vanish.
BITS = 256
ALL = "all"


class FaceOptimum(Frozen):
    """Where a loss is least on a scheme at given numbers.

    Attributes
    ----------
    occupied
        Eigenspaces with a positive share, in the order of the scheme.
    shares
        Of every eigenspace (those of dimension zero left out): dimension times eigenvalue over N.
    inner
        The inner product of each relation (those without pairs left out).
    loss
        The least value.
    multiplier
        y: theta_e on the occupied eigenspaces.
    slacks
        theta_e - y of every eigenspace.
    evidence
        ``exact`` at a vertex, else ``interval``.
    unique
        Whether it is the only optimum on the simplex; None if that was not decided.
    note
        What is special, in words: eigenspaces whose slack vanishes though they are not occupied.
    program, solved
        What can be checked again, and made more precise; a vertex is exact.

    Numbers are exact expressions, or :class:`Digits` with as many proved digits as are asked for.
    """

    occupied: tuple[str, ...]
    shares: Mapping[str, Expr]
    inner: Mapping[str, Expr]
    loss: Expr
    multiplier: Expr
    slacks: Mapping[str, Expr]
    evidence: Evidence
    program: Program
    solved: Solved | None = None
    unique: bool | None = True
    note: str = ""

    def written(self, bits: int) -> tuple[Program, Certificate]:
        """A certificate with so many bits."""
        if self.solved is not None:
            found = self.solved.within(2 * bits)
            return self.solved.program, Certificate.from_found(self.solved.program, found, bits)
        scale = self.program.function.scale.xreplace(self.program.point)
        y = Rational(str((self.multiplier / scale).evalf(int(0.302 * bits) + 2)))
        return self.program, Certificate(tuple(self.shares.values()), (y,))

    def value(self, kind: str, name: str = "") -> Expr:
        """``share``, ``inner`` or ``slack`` of a name, or ``loss`` or ``multiplier``."""
        tables = {
            "loss": {"": self.loss},
            "multiplier": {"": self.multiplier},
            "share": self.shares,
            "inner": self.inner,
            "slack": self.slacks,
        }
        return number_of(tables, kind, name)


class Faces(Optima[FaceOptimum]):
    """The optima of a reduced loss, as a function of numbers for its symbols."""

    def __init__(self, reduced: Reduced):
        self.reduced = reduced
        super().__init__(reduced.loss.name, _symbols_of(reduced))

    @cached_property
    def function(self) -> Smooth:
        """The loss and its slopes in the inner products."""
        reduced, scheme = self.reduced, self.reduced.scheme
        g = inner_products(scheme)
        gradient = reduced.pair_gradient(g)
        slopes = {r.name: r.count * gradient[r.name] / reduced.scale for r in scheme.relations}
        return Smooth(single(scheme, ALL), reduced.value(g), slopes, reduced.scale)

    def solve(self, point: Mapping[Symbol, Expr]) -> FaceOptimum:
        """The optimum at numbers for all parameters; see :func:`least`."""
        far = [s.name for s, v in point.items() if not v.free_symbols and not v.is_finite]
        if far:
            raise DomainError(
                f"a face is computed for finite values: give a finite {', '.join(far)}"
            )
        self._check(point)
        program = Program(self.function, point)
        program.check_parameters()
        corner = self._vertex(program)
        if corner is not None:
            return corner
        unfelt = unfelt_exchanges(program)
        return self._level(program, unfelt) if unfelt else self._inside(program)

    def _check(self, point: Mapping[Symbol, Expr]) -> None:
        """Refuse what is not convex and smooth, or not defined at these numbers."""
        reduced = self.reduced
        if isinstance(reduced, ReducedPairwise):
            if not isinstance(reduced.shape, Holds):
                raise DomainError(
                    f"{reduced.loss.name} is not proved to be convex: {reduced.shape}"
                )
            for term in reduced.loss.terms:
                if not is_smooth(term.function.xreplace(dict(point)), Domain({})):
                    raise DomainError(
                        f"{reduced.loss.name} has a kink or a root in {term.function}; a face "
                        "needs second derivatives (on its segment it may still be solved)"
                    )
            conditions = reduced.loss.preconditions()
        else:
            conditions = reduced.declaration()
        check_at_numbers(conditions, reduced.loss.name, point)

    # --- vertices ------------------------------------------------------------------------------
    def _vertex(self, program: Program) -> FaceOptimum | None:
        """The optimum if it is a vertex: all there is is exact."""
        for v in range(len(program.slots)):
            shares = [S.One if k == v else S.Zero for k in range(len(program.slots))]
            g = dict(zip((r.name for r in program.relations), program.inner(shares), strict=True))
            theta = self._theta(program, g)
            slacks = [t - theta[v] for t in theta]
            signs = [0 if k == v else sign(slack) for k, slack in enumerate(slacks)]
            if any(s is not None and s < 0 for s in signs):
                continue
            names = [e.name for e in program.blocks]
            if None in signs:
                unknown = ", ".join(e for e, s in zip(names, signs, strict=True) if s is None)
                raise NotDecided(
                    f"the optimum is not decided: the sign of the slack of {unknown} at {names[v]}"
                )
            ties = [k for k, s in enumerate(signs) if s == 0 and k != v]
            told = ", ".join(names[k] for k in ties)
            return FaceOptimum(
                occupied=(names[v],),
                shares=dict(zip(names, shares, strict=True)),
                inner=g,
                loss=self._loss(program, g),
                multiplier=theta[v],
                slacks={
                    e: S.Zero if s == 0 else slack
                    for e, s, slack in zip(names, signs, slacks, strict=True)
                },
                evidence=Evidence(Grade.EXACT, "theta_e >= y at a vertex: signs of exact numbers"),
                program=program,
                unique=self._alone(program, v, ties),
                note=f"the slack of {told} is exactly zero: a border" if ties else "",
            )
        return None

    def _theta(self, program: Program, g: Mapping[str, Expr]) -> list[Expr]:
        slopes = {
            r.name: self._at(self.function.slopes[r.name], program, g) for r in program.relations
        }
        scale = self.function.scale.xreplace(program.point)
        found = [S.Zero] * len(program.slots)
        for r, row in zip(program.relations, program.weights, strict=True):
            for k, w in row.items():
                found[k] += scale * w * slopes[r.name]
        return found

    def _loss(self, program: Program, g: Mapping[str, Expr]) -> Expr:
        return self._at(self.function.value, program, g)

    def _at(self, e: Expr, program: Program, g: Mapping[str, Expr]) -> Expr:
        """At inner products of all relations; those without pairs count for nothing."""
        relations = self.function.configuration.relations
        known = {entry(r.name): g.get(r.name, S.Zero) for r in relations}
        return e.xreplace(known).xreplace(program.point)

    def _alone(self, program: Program, v: int, ties: list[int]) -> bool | None:
        """Whether a vertex is the only optimum, given those whose slack vanishes there."""
        if not ties:
            return True
        shares = [S.One if k == v else S.Zero for k in range(len(program.slots))]
        with precision(BITS):
            z = [enclosure(e, BITS) for e in shares]
            _, _, curved = program.evaluate(z, BITS)
            along = [
                [curved[a][b] - curved[a][v] - curved[v][b] + curved[v][v] for b in ties]
                for a in ties
            ]
            if len(found := pivots(along)) == len(ties) and all(d > 0 for d in found):
                return True  # it is strictly convex in the only directions that are level
        here = self._loss(program, self._corner(program, v))
        if any(is_zero(self._loss(program, self._corner(program, t)) - here) for t in ties):
            return False  # a convex function that is level at both ends of a segment
        return None

    def _corner(self, program: Program, v: int) -> dict[str, Expr]:
        shares = [S.One if k == v else S.Zero for k in range(len(program.slots))]
        return dict(zip((r.name for r in program.relations), program.inner(shares), strict=True))

    # --- where the loss does not feel an exchange --------------------------------------------
    def _level(self, program: Program, unfelt: list[list[Expr]]) -> FaceOptimum:
        """One of many optima: share is moved as the loss does not feel until some is used up.

        Along an exchange the loss is level, so the thetas in it, weighted with it, add up to zero:
        what was used up has slack zero, if all others are occupied.
        """
        names = [e.name for e in program.blocks]
        shares = Solved.guess(program, BITS)
        dropped: dict[str, list[Expr]] = {}
        while unfelt:
            exchange = unfelt[0]
            steps = {
                k: shares[k] / abs(enclosure(d, BITS)) for k, d in enumerate(exchange) if d < 0
            }
            first = min(steps, key=lambda k: steps[k])
            with precision(BITS):
                step = steps[first]
                shares = [
                    (v + step * enclosure(d, BITS)).mid()
                    for v, d in zip(shares, exchange, strict=True)
                ]
            dropped[names[first]] = exchange
            unfelt = unfelt_exchanges(program, [names.index(e) for e in dropped])
        left = self._inside(program.without(tuple(dropped)))
        slacks = {e: left.slacks.get(e, S.Zero) for e in names}
        for e, exchange in dropped.items():
            weights = dict(zip(names, exchange, strict=True))
            slacks[e] = -sum((d * slacks[f] for f, d in weights.items() if f != e), S.Zero)
            slacks[e] /= weights[e]
            if slacks[e] != 0 and sign(slacks[e]) != 1:
                raise NotDecided(f"the optimum is not decided: whether {e} is occupied")
        told = "; ".join(
            ", ".join(f for f, d in zip(names, exchange, strict=True) if d != 0)
            for exchange in dropped.values()
        )
        # Where the slack is positive the share is zero at every optimum: no exchange is possible.
        level = [e for e in dropped if slacks[e] == 0]
        unique = left.unique if not level else False if len(level) == len(dropped) else None
        return replace(
            left,
            shares={e: left.shares.get(e, S.Zero) for e in names},
            slacks=slacks,
            unique=unique,
            note=f"the loss does not feel an exchange of shares between {told}" if level else "",
        )

    # --- inside a face -------------------------------------------------------------------------
    def _inside(self, program: Program, dropped: tuple[str, ...] = ()) -> FaceOptimum:
        try:
            solved = Solved(program)
        except NotDecided:
            for e, f in self._ties(program):
                away = (*dropped, e)
                with suppress(NotDecided):
                    left = self._inside(program.without(away), away)
                    if f in left.occupied:  # so the slack of e is that of f, which is zero
                        return _beside(left, [b.name for b in program.blocks], e)
            raise
        number = Numbers(solved, self.name, self.function.scale.xreplace(program.point))
        names = [e.name for e in program.blocks]
        occupied = [e for e in names if number.ranks[e]]
        return FaceOptimum(
            occupied=tuple(occupied),
            shares={e: number("share", e) if e in occupied else S.Zero for e in names},
            inner=number.inner,
            loss=number("loss"),
            multiplier=number("multiplier"),
            slacks={e: S.Zero if e in occupied else number("slack", e) for e in names},
            evidence=Evidence(
                Grade.INTERVAL,
                "Krawczyk's test in ball arithmetic: one root of the optimality conditions on the "
                f"face of {', '.join(occupied)}, positive shares there, positive slacks elsewhere",
            ),
            program=program,
            solved=solved,
        )

    def _ties(self, program: Program) -> Iterator[tuple[str, str]]:
        """Eigenspaces of which the first, while it has no share, has the theta of the second.

        A slack that is zero wherever the second is occupied is not told from its balls.
        """
        names = [e.name for e in program.blocks]
        for k, e in enumerate(names):
            shares = [S.Zero if e == f else Symbol(f"s_{f}", real=True) for f in names]
            g = dict(zip((r.name for r in program.relations), program.inner(shares), strict=True))
            theta = self._theta(program, g)
            for f, other in zip(names, theta, strict=True):
                if f != e and vanishes(other - theta[k]):
                    yield e, f


def _beside(left: FaceOptimum, names: Sequence[str], e: str) -> FaceOptimum:
    """An optimum without an eigenspace whose slack is zero there."""
    told = f"the slack of {e} is exactly zero: a border"
    return replace(
        left,
        shares={f: left.shares.get(f, S.Zero) for f in names},
        slacks={f: left.slacks.get(f, S.Zero) for f in names},
        unique=None,
        note="; ".join(filter(None, (left.note, told))),
    )


def unfelt_exchanges(program: Program, without: Collection[int] = ()) -> list[list[Expr]]:
    """Changes of the shares, adding up to zero, along which the loss is level everywhere."""
    n, function = len(program.slots), program.function
    rows = [[S.One] * n + [S.Zero] * len(function.groups)]
    rows += [[S.One if k == e else S.Zero for k in range(n)] for e in without]
    rows = [row + [S.Zero] * (n + len(function.groups) - len(row)) for row in rows]
    # All inner products of a group move alike, by an unknown of its own, or not at all.
    rates = [function.rate(group, program) for group in function.groups]
    for j, group in enumerate(function.groups):
        for r, row in zip(program.relations, program.weights, strict=True):
            if r.name in group:
                moved = [-S.One if i == j else S.Zero for i in range(len(rates))]
                rows.append([row.get(k, S.Zero) for k in range(n)] + moved)
        if rates[j] is None:
            rows.append([S.Zero] * n + [S.One if i == j else S.Zero for i in range(len(rates))])
    rows.append([S.Zero] * n + [rate or S.Zero for rate in rates])
    found = [list(v[:n]) for v in Matrix(rows).nullspace()]
    return [v for v in found if any(v)]


@lru_cache(maxsize=64)
def faces(reduced: Reduced) -> Faces:
    """The optima of a reduced loss; its derivatives are taken once."""
    return Faces(reduced)


def least(reduced: Reduced, point: Mapping[Symbol, Expr], digits: int = 15) -> FaceOptimum:
    """Where a reduced loss is least, at exact numbers for all its symbols.

    Parameters
    ----------
    digits
        How many digits of the loss are made sure of before it leaves, and of the inner products
        as far as they can be told; more may be asked of them afterwards.

    Raises
    ------
    DomainError
        If a symbol has no value, the loss is not convex, smooth and defined there, or it is not
        decided which face holds the optimum; one line.
    """
    found = faces(reduced).at(point)
    bits = int(3.33 * digits) + 16
    enclosure(found.loss, bits)
    for value in found.inner.values():
        with suppress(NotEnclosed):  # whoever asks for it is told; the others have digits still
            enclosure(value, bits)
    return found


def _symbols_of(reduced: Reduced) -> tuple[Symbol, ...]:
    """All symbols of a loss and its structure, by name."""
    scheme = reduced.scheme
    own = set(inner_products(scheme).values())
    used: set[Symbol] = set()
    g = inner_products(scheme)
    for e in (
        reduced.value(g),
        *(r.count for r in scheme.relations),
        *(e.dimension for e in scheme.eigenspaces),
    ):
        used |= e.free_symbols
    return tuple(sorted(used - own, key=lambda s: s.name))
