"""A normal form for rational functions of symbols, exponentials, logarithms and roots.

Exponentials of exponents that are linearly independent over Q (modulo constants)
are algebraically independent over the rational functions. So once all exponents
are written in a Q-basis, ``exp(E)`` becomes a monomial in new variables, the
expression becomes an element of a fraction field, and "is it zero?" is decided.

A power with a symbolic exponent has a value where its base is positive, and is
``exp(e * log(base))`` there: a product of such powers of the factors of the base.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cache, lru_cache
from math import lcm
from typing import Any

from flint import fmpq
from sympy import Add, Dummy, Expr, Integer, Mul, Pow, Rational, S, Symbol, exp, log

from .logarithms import primes, with_prime_logs
from .polynomial import ONE, Poly, Quotient, Ring, to_sympy
from .product import power as raised
from .product import replaced, times
from .radicals import is_zero
from .ratio import NotRational, Ratio, common_denominator, reader

#: What is known of each kind of generator wherever it has a value.
_KNOWN: dict[str, dict[str, bool]] = {
    "exp": {"positive": True},
    "root": {"nonnegative": True},
    "log": {"real": True},
    "power": {"positive": True},
    "mean": {"real": True},
}
#: A number with more bits is not factored where it is the base of a power.
FACTORED_BITS = 64
#: So deep may powers stand in the bases of powers.
NESTED = 4


#: The highest power of one exponential: polynomials of far higher degree take too much memory.
HIGHEST = 20_000

Parts = frozenset[Expr]


class NotInField(ValueError):
    """An expression has parts that the normal form does not know."""


def is_opaque(e: Expr) -> bool:
    """Whether nothing is used of a number but that it is one: of a mean over draws."""
    return getattr(e, "is_opaque", False)


class ExpField:
    """The fraction field that holds a few given expressions.

    Attributes
    ----------
    atoms
        What each new variable stands for: ``{Dummy: expression}``.
    exponents
        For those that stand for exponentials, the exponent: ``{Dummy: exponent}``.
    """

    def __new__(cls, expressions: Iterable[Expr]) -> ExpField:
        """The field is the same for all expressions that are made of the same parts."""
        return _field(*_survey(expressions))

    def _build(self, symbols: Parts, exponentials: Parts, opaque: Parts, powers: Parts) -> None:
        self.atoms: dict[Symbol, Expr] = {}
        self.exponents: dict[Symbol, Expr] = {}
        self._rename: dict[Expr, Expr] = {}
        self._bases: dict[Symbol, Expr] = {}
        self._collect_opaque(opaque)
        if powers:
            exponentials = self._collect_powers(powers, exponentials)
        self._collect_exponentials(exponentials)
        self.ring = Ring([*sorted(symbols, key=lambda s: s.name), *self.atoms])
        try:
            self._read = reader(self.ring, self._named() if powers else self._rename)
        except NotRational as error:
            raise NotInField("the base of a power cannot be normalised") from error

    # --- building -------------------------------------------------------------------
    def _collect_opaque(self, found: Parts) -> None:
        for atom in in_order(found):
            if atom in self._rename:
                continue
            if is_opaque(atom):
                self._rename[atom] = self._new(atom, "mean")
            elif isinstance(atom, log):
                argument = canonical(atom.args[0])
                inverse = canonical(1 / argument)
                known = {v.args[0]: k for k, v in self.atoms.items() if isinstance(v, log)}
                if argument in known:
                    self._rename[atom] = known[argument]
                elif inverse in known:
                    self._rename[atom] = -known[inverse]
                else:
                    self._rename[atom] = self._new(log(argument, evaluate=False), "log")
            else:
                base, power = canonical(atom.base), atom.exp
                root = Pow(base, Rational(1, power.q), evaluate=False)
                same = [k for k, v in self.atoms.items() if v == root]
                y = same[0] if same else self._new(root, "root")
                self._bases.setdefault(y, atom.base)
                self._rename[atom] = y**power.p

    def _collect_exponentials(self, found: Parts) -> None:
        ordered = in_order(found)
        exponents = [S.One if a is S.Exp1 else a.args[0].xreplace(self._rename) for a in ordered]
        basis, rows = _rational_basis(exponents)
        for j, e in enumerate(basis):
            scale = lcm(*(int(row[j].denominator) for row in rows.values()), 1)
            exponent = e if scale == 1 else e / scale
            # Roots and logarithms of numbers stay themselves in what a variable stands for.
            exponent = exponent.xreplace(self.atoms)
            # An exponent that stood in an expression is not simplified a second time.
            y = self._new(exp(exponent, evaluate=scale != 1 or e is S.One), "exp")
            self.exponents[y] = exponent
            for i, row in rows.items():
                power = int(row[j] * scale)
                if abs(power) > HIGHEST:
                    raise NotInField(f"{ordered[i]} is a power above {HIGHEST} of another")
                factor = y**power
                self._rename[ordered[i]] = self._rename.get(ordered[i], 1) * factor

    def _collect_powers(self, powers: Parts, exponentials: Parts) -> Parts:
        """Unknowns for the factors of bases with their exponents; what exponentials are left."""
        left = set(exponentials)
        split: dict[Expr, list[tuple[Expr, Expr]]] = {}
        plain: dict[Expr, Expr] = {}
        for atom in in_order(powers):
            left.discard(atom)  # an exponential of logarithms is a power too
            bases, plain[atom] = _as_powers(atom)
            left |= plain[atom].atoms(exp)
            split[atom] = [(f, (k * e).expand()) for b, e in bases for f, k in positive_factors(b)]
        exponents: dict[Expr, list[Expr]] = {}
        for parts in split.values():
            for f, e in parts:
                exponents.setdefault(f, []).append(e)
        rows: dict[tuple[Expr, Expr], Expr] = {}
        for f in in_order(exponents):
            different = in_order(set(exponents[f]))
            if f is S.Exp1:
                made = [exp(e) for e in different]
                left |= set().union(*(a.atoms(exp) for a in made))
            else:
                made = self._monomials(f, different)
            rows |= {(f, e): m for e, m in zip(different, made, strict=True)}
        for atom, parts in split.items():
            self._rename[atom] = Mul(plain[atom], *(rows[part] for part in parts))
        self._rename = self._named()
        return frozenset(left)

    def _monomials(self, base: Expr, exponents: list[Expr]) -> list[Expr]:
        """Powers of a base as monomials in as few new unknowns as there are exponents over Q."""
        basis, rows = _rational_basis([e.xreplace(self._rename) for e in exponents])
        made: list[Expr] = [S.One] * len(exponents)
        for j, e in enumerate(basis):
            scale = lcm(*(int(row[j].denominator) for row in rows.values()), 1)
            y = self._new(Pow(base, (e / scale).xreplace(self.atoms)), "power")
            for i, row in rows.items():
                made[i] *= y ** int(row[j] * scale)
        return made

    def _named(self) -> dict[Expr, Expr]:
        """What each part is in the unknowns; a power may stand in the base of another one."""
        names = self._rename
        for _ in range(NESTED):
            done = {e: m.xreplace(names) for e, m in names.items()}
            if done == names:
                break
            names = done
        return names

    def _new(self, meaning: Expr, kind: str) -> Symbol:
        # SymPy may use what is said here: it writes y for Abs(y) and Max(0, y) of a positive y.
        y = Dummy(kind, **_KNOWN[kind])
        self.atoms[y] = meaning
        return y

    # --- using ------------------------------------------------------------------------
    def ratio(self, expression: Expr) -> Ratio:
        """Bring an expression (one of those given, or built from their parts) into the ring.

        Raises
        ------
        NotInField
            If it has parts that the normal form does not know.
        """
        try:
            return self._read(expression)
        except NotRational as error:
            raise NotInField(f"cannot normalise {expression}") from error

    def vanishes(self, expression: Expr) -> bool:
        """Whether an expression is zero, with (b**(1/q))**q put back as b."""
        numer = self.ratio(expression).numer
        for y, meaning in self.atoms.items():
            if numer and y in self._bases:
                numer = self._reduced(numer, y, meaning.exp.q)
        return not numer or self._is_zero_by_numbers(numer)

    def _is_zero_by_numbers(self, numer: Poly) -> bool:
        """Whether all coefficients vanish that are made of roots of numbers."""
        numbers = [y for y, base in self._bases.items() if not base.free_symbols]
        others = [s for s in numer.ring.symbols if s not in numbers]
        return bool(numbers) and all(
            is_zero(self.back(part)) for part in self.coefficients(numer, others).values()
        )

    def _reduced(self, poly: Poly, y: Symbol, q: int) -> Poly:
        index = poly.ring.symbols.index(y)
        top = poly.degree(index) // q
        if top < 1:
            return poly
        value = self.ratio(self._bases[y])
        total = self.ring.zero
        for power, part in poly.by_powers(index).items():
            k, rest = divmod(power, q)
            part = part * self.ring.gens[index] ** rest
            total += part * value.numer**k * value.below ** (top - k)
        return total

    def __call__(self, expression: Expr) -> Quotient:
        """The same in lowest terms, in the fraction field."""
        return self.ratio(expression).cancelled()

    def back(self, element: Quotient | Poly) -> Expr:
        """Return to SymPy, with the exponentials written out again."""
        return replaced(element.as_expr(), self.atoms)

    def factored(self, element: Quotient) -> Expr:
        """Numerator over denominator, factored over Q, each factor sorted by exponentials."""
        above, factors = factor_list(element.numer)
        below, divisors = factor_list(element.denom)
        # One number in front, or SymPy would multiply it into the factors.
        result: Expr = to_sympy(above / below)
        for factor, power in [*factors, *((g, -k) for g, k in divisors)]:
            result = times(result, raised(self._sorted(factor), Integer(power)))
        return result

    def by_atoms(self, poly: Poly) -> dict[tuple[int, ...], Poly]:
        """Coefficients of a polynomial in the atoms: {exponents of the atoms: coefficient}."""
        return self.coefficients(poly, self.atoms)

    def coefficients(self, poly: Poly, unknowns: Collection[Symbol]) -> dict[tuple[int, ...], Poly]:
        """Coefficients of a polynomial in some of its symbols: {their exponents: coefficient}."""
        where = [i for i, s in enumerate(poly.ring.symbols) if s in unknowns]
        groups: dict[tuple[int, ...], dict[tuple[int, ...], object]] = {}
        for monom, c in poly.terms():
            key = tuple(monom[i] for i in where)
            rest = tuple(0 if i in where else k for i, k in enumerate(monom))
            groups.setdefault(key, {})[rest] = c
        return {key: poly.ring.from_dict(d) for key, d in groups.items()}

    def _sorted(self, factor: Poly) -> Expr:
        groups = self.by_atoms(factor)
        if len(groups) == 1:
            return factor.as_expr().xreplace(self.atoms)
        symbols = [s for s in factor.ring.symbols if s in self.atoms]
        total = S.Zero
        for key in sorted(groups):
            monomial = Mul(*(s**k for s, k in zip(symbols, key, strict=True)))
            total += _plain_factored(groups[key]) * monomial.xreplace(self.atoms)
        return total


def vanishes(expression: Expr) -> bool:
    """Whether the normal form of an expression is zero; False as well if it has none."""
    expression = with_prime_logs(expression)
    try:
        return expression == 0 or ExpField([expression]).vanishes(expression)
    except (NotInField, ZeroDivisionError):
        return False


@lru_cache(maxsize=512)
def _field(symbols: Parts, exponentials: Parts, opaque: Parts, powers: Parts) -> ExpField:
    field = object.__new__(ExpField)
    field._build(symbols, exponentials, opaque, powers)
    return field


def canonical(expression: Expr) -> Expr:
    """The normal form of an expression, as an expression."""
    if not expression.free_symbols:
        return expression
    return _canonical(expression)


@cache
def _canonical(expression: Expr) -> Expr:
    ring = ExpField([expression])
    return ring.back(ring(expression))


def _plain_factored(poly: Poly) -> Expr:
    content, factors = factor_list(poly)
    result = to_sympy(content)
    for factor, multiplicity in factors:
        result *= factor.as_expr() ** multiplicity
    return result


def _is_plainly_irreducible(poly: Poly) -> bool:
    """Whether some variable occurs in one term only, and there to the first power.

    As c * v + rest, with c one term: a common factor of c and the rest would be a monomial
    that divides everything, and there is none left.
    """
    for exponents in zip(*poly.monoms(), strict=True):
        if sum(exponents) == 1:
            return True
    return False


#: A polynomial is factored where its degree is at most so many times the number of its terms, and
#: kept as it is where its factors have more terms than so many times as many: x^1000 - 7 x + 6 is
#: (x - 1) times a thousand terms, which say less and take long. Exponentials of fractions, such as
#: exp(16807 s/243), are such powers.
SPARSE, LONGER = 100, 4


def factor_list(poly: Poly) -> tuple[Any, list[tuple[Poly, int]]]:
    """Factor over Q, without the general algorithm where the answer is plain."""
    if poly.is_number:
        return poly.leading, []
    shared = tuple(map(min, zip(*poly.monoms(), strict=True)))
    rest = poly.ring.from_dict(
        {tuple(a - b for a, b in zip(m, shared, strict=True)): c for m, c in poly.terms()}
    )
    plain = [(g, k) for g, k in zip(poly.ring.gens, shared, strict=True) if k]
    if len(rest) == 1:
        return rest.leading, plain
    content, primitive = rest.primitive()
    factors = [(primitive, 1)]
    if not _is_plainly_irreducible(rest) and max(rest.degrees()) <= SPARSE * len(rest):
        scale, found = rest.factor_list()
        if sum(len(f) for f, _ in found) <= LONGER * len(rest):
            content, factors = scale, found
    for factor, power in factors:
        # Most terms positive reads best: alpha/(m + alpha - alpha m), not -alpha/(alpha m ...).
        signs = [1 if c > 0 else -1 for c in factor.coeffs()]
        if sum(signs) < 0:
            factor, content = -factor, content * (-1) ** power
        plain.append((factor, power))
    return content, plain


def is_power(e: Expr) -> bool:
    """Whether it is a power with an exponent that is no rational number."""
    symbolic = e.is_Pow and not isinstance(e, exp) and not e.exp.is_Rational
    return bool(symbolic and not e.base.is_extended_nonpositive)  # (-1)**k is a sign by parity


def _survey(expressions: Iterable[Expr]) -> tuple[Parts, Parts, Parts, Parts]:
    """Symbols, exponentials, logarithms and roots, and powers, each subexpression seen once."""
    symbols: set[Expr] = set()
    exponentials: set[Expr] = set()
    opaque: set[Expr] = set()
    powers: set[Expr] = set()
    seen: set[Expr] = set()
    todo = list(expressions)
    while todo:
        e = todo.pop()
        if e in seen:
            continue
        seen.add(e)
        if e.is_Symbol:
            symbols.add(e)
        elif is_opaque(e):
            opaque.add(e)
            continue
        elif isinstance(e, exp) or e is S.Exp1:
            exponentials.add(e)
            if e.has(log) and _as_powers(e)[0]:
                powers.add(e)
        elif isinstance(e, log) or (e.is_Pow and e.exp.is_Rational and not e.exp.is_Integer):
            opaque.add(e)
        elif is_power(e):
            powers.add(e)
            todo.append(_as_powers(e)[1])  # b**(x + 1/2) is b**x * sqrt(b)
        todo.extend(e.args)
    return frozenset(symbols), frozenset(exponentials), frozenset(opaque), frozenset(powers)


@lru_cache(maxsize=1024)
def _as_powers(e: Expr) -> tuple[list[tuple[Expr, Expr]], Expr]:
    """A power, or an exponential of logarithms: its bases with exponents, and what is left."""
    if not isinstance(e, exp):
        number, rest = e.exp.expand().as_coeff_Add()
        if number.is_Integer:
            return [(e.base, rest)], e.base**number
        roots = (Pow(f, k * number) for f, k in positive_factors(e.base))
        return [(e.base, rest)], Mul(*roots)
    found, others = list[tuple[Expr, Expr]](), list[Expr]()
    for term in Add.make_args(e.args[0].expand()) if e.has(log) else ():
        logs = [a for a in Mul.make_args(term) if isinstance(a, log)]
        rate = term / logs[0] if len(logs) == 1 else S.One
        if rate.is_Rational or rate.has(log):
            others.append(term)
        else:
            found.append((logs[0].args[0], rate))
    return found, exp(Add(*others)) if found else e


@lru_cache(maxsize=1024)
def positive_factors(base: Expr) -> tuple[tuple[Expr, Expr], ...]:
    """What a positive expression is the product of: pairs of a positive factor and its power.

    Where it is positive, so are they: at most one of them is of a sign that is not known of
    its symbols. ``E`` stands for exponentials.
    """
    try:
        field = ExpField([base])
        whole = field(base)
    except NotInField:
        return ((base, S.One),)
    above, factors = factor_list(whole.numer)
    below, divisors = factor_list(whole.denom)
    number = to_sympy(above / below)
    found: list[tuple[Expr, Expr]] = []
    unknown: list[tuple[Expr, int]] = []
    for f, k in [*factors, *((g, -k) for g, k in divisors)]:
        e = field.back(f)
        if isinstance(e, exp):
            found.append((S.Exp1, k * e.args[0]))
        elif e.is_Pow and not e.exp.is_Integer:  # it has a value, so what stands in it is positive
            found += [(g, j * k * e.exp) for g, j in positive_factors(e.base)]
        elif e.is_positive or e.is_negative:
            found.append((e if e.is_positive else -e, Integer(k)))
            number *= 1 if e.is_positive else S.NegativeOne**k
        else:
            unknown.append((e, k))
    sign = 1 if number > 0 else -1
    if len(unknown) == 1 and unknown[0][1] % 2:
        ((e, k),) = unknown
        found.append((sign * e, Integer(k)))
    elif unknown:
        found.append((canonical(sign * Mul(*(e**k for e, k in unknown))), S.One))
    elif number <= 0:
        return ((base, S.One),)
    return (*found, *_primes(abs(number)))


def _primes(number: Rational) -> list[tuple[Expr, Expr]]:
    if number == 1:
        return []
    if max(abs(int(k)).bit_length() for k in (number.p, number.q)) > FACTORED_BITS:
        return [(number, S.One)]
    return [*primes(number)]


def in_order(found: Iterable[Expr]) -> list[Expr]:
    """Sort by printed form, which does not depend on the hash seed; one needs no printing."""
    items = list(found)
    return items if len(items) < 2 else sorted(items, key=_printed)


@lru_cache(maxsize=4096)
def _printed(e: Expr) -> str:
    try:
        return str(e)
    except ValueError:  # Python prints integers of more than 4300 digits in hexadecimal alone
        numbers = e.atoms(Rational)
        return str(e.xreplace({k: Symbol(f"{int(k.p):x}/{int(k.q):x}") for k in numbers}))


def _rational_basis(exponents: list[Expr]) -> tuple[list[Expr], dict[int, list[Rational]]]:
    """Choose some exponents as a Q-basis; give the coordinates of all of them."""
    if len(exponents) < 2:
        return exponents, {i: [ONE] for i in range(len(exponents))}
    symbols = sorted(set().union(*(e.free_symbols for e in exponents)), key=lambda s: s.name)
    read = reader(Ring(symbols))
    try:
        elements = [read(e) for e in exponents]
    except NotRational as error:
        raise NotInField("an exponent is not a rational function") from error
    common = common_denominator(elements)
    vectors = [dict(e.over(common).terms()) for e in elements]

    basis: list[Expr] = []
    echelon: list[tuple[tuple[int, ...], dict[Any, Any], dict[int, Any]]] = []
    coordinates: dict[int, dict[int, Any]] = {}
    for i, vector in enumerate(vectors):
        row = dict(vector)
        combo: dict[int, Any] = {}
        for pivot, other, other_combo in echelon:
            if row.get(pivot, 0) != 0:
                factor = row[pivot] / other[pivot]
                for k, v in other.items():
                    row[k] = row.get(k, 0) - factor * v
                for k, v in other_combo.items():
                    combo[k] = combo.get(k, 0) + factor * v
        row = {k: v for k, v in row.items() if v != 0}
        if row:
            j = len(basis)
            basis.append(exponents[i])
            # row = vector - sum(combo) so, in basis coordinates, row = e_j - combo
            echelon.append((max(row), row, {j: ONE, **{k: -v for k, v in combo.items()}}))
            coordinates[i] = {j: ONE}
        else:
            coordinates[i] = combo
    size = len(basis)
    rows = {i: [fmpq(c.get(j, 0)) for j in range(size)] for i, c in coordinates.items()}
    return basis, rows
