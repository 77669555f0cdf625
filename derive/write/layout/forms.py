"""The forms that a formula may be written in; the shortest is chosen.

As derived; term by term; over one line, and split by a symbol; each polynomial expanded, factored,
or collected by some of its symbols; numerator and denominator divided by the exponential of any
term below the line; logarithms of quotients with either sign; exponentials taken out of
logarithms and roots. Nothing is proved here: what comes out is compared with what went in
(:mod:`.layout`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, islice
from math import gcd

from sympy import (
    Abs,
    Add,
    Basic,
    Dummy,
    Expr,
    Integer,
    Max,
    Min,
    Mul,
    Pow,
    S,
    Symbol,
    exp,
    log,
    preorder_traversal,
)

from ...decide.normal import ExpField, NotInField, factor_list, is_power
from ...decide.polynomial import ONE as UNIT
from ...decide.polynomial import Monomial, Poly, Quotient
from .arrange import Signed, alone, natural, power, quotient, signed, total, where
from .tree import ONE, Call, Node, Number, Other, Power, Product, name_of, number

LARGEST = 60  #: terms of a polynomial that other forms are looked for of
DEGREE = 60  #: the same of degrees; exponents without a common measure make high ones
SPLIT = 16  #: terms above the line of a quotient that is split
PARTS = 6  #: parts that a quotient is split into
PAIRS = 10  #: terms of a polynomial that is collected by two symbols at once
#: Polynomials in one quotient that are collected, if they have more terms than a few.
TRIES, FEW = 40, 4
LONGEST = 210  #: parts of a formula that other forms are looked for of
FUNCTIONS = 3  #: independent exponentials and logarithms in one

#: Exponents, which may be negative of exponentials, and whole coefficients.
Terms = tuple[tuple[Monomial, int], ...]


def rank(node: Node) -> tuple[int, int, int, int, str]:
    """Which form is better: less to read, small numbers, few parentheses in others, few signs."""
    return (node.cost, _numbers_in(node), node.depth, node.key.count("-"), node.key)


def _numbers_in(node: Node) -> int:
    if isinstance(node, Number):
        return int(node.value) if isinstance(node.value, Integer) else 0
    return sum(map(_numbers_in, node.children))


def cheapest(forms: Iterable[Node]) -> Node:
    """The form with least to read."""
    found = list(forms)
    least = min(node.cost for node in found)
    return min((node for node in found if node.cost == least), key=rank)


def best(expression: Expr) -> Node:
    """The shortest form."""
    return ordered(expression)[0]


def ordered(expression: Expr) -> tuple[Node, ...]:
    """The forms that were found, the shortest first, the one as derived among them."""
    return _ordered(expression, where(expression.free_symbols))


@lru_cache(maxsize=4096)
def _ordered(e: Expr, where: object) -> tuple[Node, ...]:
    found = [as_derived(e, best)]
    if not _is_plain(e):
        if e.is_Add or e.is_Mul:
            found.append(_by_parts(e))
        plain, parts = _without_others(e)
        for form in dict.fromkeys((plain, _with_exponentials_out(plain))):
            found += _quotients(form, parts)
    return tuple(sorted({node.key: node for node in found}.values(), key=rank))


def _is_plain(e: Expr) -> bool:
    """Whether each symbol stands once in a formula without functions and numbers but 1 and -1."""
    seen: set[Expr] = set()
    todo = [e]
    while todo:
        part = todo.pop()
        if part.is_Symbol and part not in seen:
            seen.add(part)
        elif part.is_Add or part.is_Mul or (part.is_Pow and part.exp == -1):
            todo += part.args
        elif not (part.is_Integer and abs(part.p) == 1):
            return False
    return True


def _by_parts(e: Expr) -> Node:
    """Each term or factor by itself, exponentials as one."""
    if e.is_Add:
        return total(signed(best(a)) for a in e.args)
    above, below = _sides(e)
    exponents = [f.args[0] for f in above if isinstance(f, exp)]
    if len(exponents) > 1:
        above = [f for f in above if not isinstance(f, exp)] + [exp(Add(*exponents))]
    return alone(quotient(map(best, above), map(best, below)))


def _sides(e: Expr) -> tuple[list[Expr], list[Expr]]:
    above, below = [], []
    for factor in Mul.make_args(e):
        if factor.is_Pow and not isinstance(factor, exp) and _is_negative(factor.exp):
            below.append(factor.base if factor.exp == -1 else 1 / factor)
        else:
            above.append(factor)
    return above, below


def _is_negative(e: Expr) -> bool:
    """Whether an exponent has a minus sign."""
    return bool(e.is_negative if e.is_Rational else e.could_extract_minus_sign())


# --- as derived --------------------------------------------------------------------------------
def as_derived(e: Basic, inside: object = None) -> Node:
    """The formula in the form it has, its terms and factors in order.

    ``inside`` lays out arguments of functions; without it they too are as derived.
    """
    inner = inside if callable(inside) else as_derived
    if isinstance(e, Symbol):
        return name_of(e)
    if e.is_Rational:
        return number(e)
    if e.is_Add:
        return total(signed(as_derived(a, inside)) for a in e.args)
    if e.is_Mul:
        return alone(_product(e, inside))
    if isinstance(e, exp):
        return Call("exp", (inner(e.args[0]),))
    if e.is_Pow:
        return _power(e, inside)
    if isinstance(e, (log, Abs, Max, Min)):
        arguments = sorted(map(inner, e.args), key=lambda node: node.key)
        return Call(type(e).__name__, tuple(arguments))
    if e.is_number and not e.args:
        return Number(e)
    return Other(e)


def _product(e: Expr, inside: object) -> Signed:
    above, below = _sides(e)
    return quotient(*([as_derived(f, inside) for f in side] for side in (above, below)))


def _power(e: Expr, inside: object) -> Node:
    if _is_negative(e.exp):
        below = e.base if e.exp == -1 else 1 / e
        return alone(quotient([], [as_derived(below, inside)]))
    base = as_derived(e.base, inside)
    if e.exp == S.Half:
        inner = inside if callable(inside) else as_derived
        return Call("sqrt", (inner(e.base),))
    if e.exp.is_Integer:
        minus, base = natural(base)
        found = power(base, int(e.exp))
        return alone((minus and int(e.exp) % 2 == 1, found))
    return Power(base, as_derived(e.exp, inside))


# --- what the normal form does not know ----------------------------------------------------------
def _without_others(e: Expr) -> tuple[Expr, dict[Symbol, Node]]:
    """A symbol for each part that is neither rational, exponential, logarithm nor root."""
    put: dict[Basic, Symbol] = {}
    parts: dict[Symbol, Node] = {}

    def visit(part: Basic) -> None:
        if part.is_Atom and (part.is_Symbol or part.is_Rational):
            return
        rooted = part.is_Pow and part.exp.is_Rational
        if part.is_Add or part.is_Mul or rooted or isinstance(part, (exp, log)):
            for a in part.args:
                visit(a)
        elif part not in put:
            put[part] = Dummy(f"part{len(put)}", real=True)
            parts[put[part]] = as_derived(part, best)

    visit(e)
    return (e.xreplace(put) if put else e), parts


def _with_exponentials_out(e: Expr) -> Expr:
    """log(A exp(s)) as log(A) + s, and the root of A exp(s) as root(A) exp(s/2)."""
    found = [a for a in e.atoms(log, Pow) if isinstance(a, log) or _is_root(a)]
    if not found:
        return e
    rules: dict[Expr, Expr] = {}
    if len(found) > 1:
        found.sort(key=lambda a: (a.count_ops(), str(a)))
    for atom in found:
        inside = atom.args[0].xreplace(rules)
        taken = _taken_out(inside)
        if taken is None:
            if inside != atom.args[0]:
                rules[atom] = atom.func(inside, *atom.args[1:])
            continue
        rest, exponent = taken
        if isinstance(atom, log):
            rules[atom] = log(rest) + exponent
        else:
            rules[atom] = Pow(rest, atom.exp) * exp(exponent * atom.exp)
    return e.xreplace(rules)


def _is_root(e: Expr) -> bool:
    return bool(e.is_Pow and e.exp.is_Rational and e.exp.q > 1 and not e.base.is_number)


def _taken_out(e: Expr) -> tuple[Expr, Expr] | None:
    """The exponential of the first term above without a root, over that of all terms below."""
    ring = _field(e)
    if ring is None or not ring.exponents:
        return None
    element = ring(e)
    gens = list(ring.ring.symbols)
    places = [(gens.index(y), exponent) for y, exponent in ring.exponents.items()]
    roots = [i for i, s in enumerate(gens) if s in ring.atoms and s not in ring.exponents]
    below = {tuple(m[i] for i, _ in places) for m in element.denom.monoms()}
    plain = sorted(
        tuple(m[i] for i, _ in places)
        for m in element.numer.monoms()
        if not any(m[i] for i in roots)
    )
    if len(below) != 1 or not plain:
        return None
    exponent = Add(*((a - b) * E for a, b, (_, E) in zip(plain[0], *below, places, strict=True)))
    if exponent == 0:
        return None
    return over_exponential(e, exponent), exponent


def over_exponential(e: Expr, exponent: Expr) -> Expr:
    """e exp(-exponent), with the exponentials of each term together."""
    if exponent == 0:
        return e
    ring = ExpField([e, exp(exponent)])
    return ring.factored(ring(e) / ring(exp(exponent)))


# --- quotients of polynomials --------------------------------------------------------------------
def _field(e: Expr) -> ExpField | None:
    """The field of a formula of which other forms are looked for; None if it is too large."""
    if next(islice(preorder_traversal(e), LONGEST, None), None) is not None:
        return None
    try:
        ring = ExpField([e])
        atoms = ring.atoms.values()
        if any(map(is_power, atoms)):  # symbols in exponents: these stay as they are written
            return None
        if sum(isinstance(a, (exp, log)) for a in atoms) > FUNCTIONS:
            return None
        element = ring(e)
    except (NotInField, ZeroDivisionError):
        return None
    numer, denom = element.numer, element.denom
    if max(len(numer), len(denom)) > LARGEST:
        return None
    return ring if max((*numer.degrees(), *denom.degrees()), default=0) <= DEGREE else None


def _quotients(e: Expr, parts: Mapping[Symbol, Node]) -> Iterator[Node]:
    ring = _field(e)
    if ring is None:
        return
    element = ring(e)
    yield from Speller(ring, parts).quotients(element.numer, element.denom)
    logs = [i for i, s in enumerate(ring.ring.symbols) if _is_log_of_quotient(ring.atoms.get(s))]
    if logs:
        numer, denom = (_negated(p, logs) for p in (element.numer, element.denom))
        yield from Speller(ring, parts, logs).quotients(numer, denom)


def _is_log_of_quotient(e: Expr | None) -> bool:
    if not isinstance(e, log):
        return False
    ring = ExpField(e.args)
    return ring(e.args[0]).denom != ring.ring.one


def _negated(poly: Poly, places: Sequence[int]) -> Poly:
    """With minus these variables."""
    return poly.ring.from_dict({m: c * (-1) ** sum(m[i] for i in places) for m, c in poly.terms()})


class Speller:
    """Polynomials in the variables of a field, as formulas.

    Parameters
    ----------
    parts
        Variables that stand for parts that are laid out already.
    inverted
        Where logarithms are written as those of the inverse.
    """

    def __init__(self, ring: ExpField, parts: Mapping[Symbol, Node], inverted: Sequence[int] = ()):
        symbols = ring.ring.symbols
        self.ring = ring.ring
        self.exponents = {
            i: ring.exponents[s] for i, s in enumerate(symbols) if s in ring.exponents
        }
        self.names = [_spelling(ring, s, i in inverted, parts) for i, s in enumerate(symbols)]
        self._known: dict[Terms, Node] = {}
        self._most = TRIES
        self._exponentials: dict[Monomial, Node] = {}

    # --- quotients ---------------------------------------------------------------------------
    def quotients(self, numer: Poly, denom: Poly) -> Iterator[Node]:
        """A quotient in lowest terms over one line, and split by each of its variables."""
        yield self.over(numer, denom)
        if not 2 <= len(numer) <= SPLIT or denom.is_number:
            return
        others = [i for i, top in enumerate(numer.degrees()) if top > 0 and self.names[i].kind != 2]
        for group in (*([i] for i in others if i not in self.exponents), list(self.exponents)):
            by = _grouped(terms_of(numer), group)
            if not 2 <= len(by) <= PARTS:
                continue
            parts = [
                (Quotient(self.ring.from_dict(dict(rest)), denom), self.ring.from_dict({key: UNIT}))
                for key, rest in by.items()
            ]
            if any(part.denom != denom for part, _ in parts):  # or it would be longer
                split = (Quotient(part.numer * key, part.denom) for part, key in parts)
                yield total(signed(self.over(part.numer, part.denom)) for part in split)

    def over(self, numer: Poly, denom: Poly) -> Node:
        """One line, above and below divided by the exponential of any term below."""
        above, below = terms_of(numer), terms_of(denom)
        found = []
        for shift in dict.fromkeys(self._exponential_part(m) for m, _ in below):
            self._most = len(self._known) + TRIES
            up, down = (self.spelled(_divided(side, shift)) for side in (above, below))
            found.append(_joined(alone(quotient([up], [down]))))
        return cheapest(found)

    def _exponential_part(self, monom: Monomial) -> Monomial:
        return tuple(k if i in self.exponents else 0 for i, k in enumerate(monom))

    # --- polynomials -------------------------------------------------------------------------
    def spelled(self, terms: Terms) -> Node:
        """The shortest form of a polynomial: expanded, factored, or collected."""
        if terms not in self._known:
            expanded = total(self._term(m, c) for m, c in terms)
            more = self._shorter(terms) if len(terms) > 1 else ()
            self._known[terms] = cheapest([expanded, *more])
        return self._known[terms]

    def _shorter(self, terms: Terms) -> Iterator[Node]:
        content, factors = self._factors(terms)
        if abs(content) != 1 or factors != [(terms, 1)]:
            powers = (power(self.spelled(f), k) for f, k in factors)
            yield alone(quotient([number(content), *powers]))
        if len(factors) == 1 and abs(content) != 1:  # a number in front; the rest was tried
            return
        if len(terms) < 3 or (len(self._known) > self._most and len(terms) > FEW):
            return
        for group in self._groups(terms):
            keys: dict[Terms, list[tuple[Monomial, int]]] = {}
            for key, rest in _grouped(terms, group).items():
                content = gcd(*(c for _, c in rest)) * (1 if rest[0][1] > 0 else -1)
                plain = _in_order((m, c // content) for m, c in rest)
                keys.setdefault(plain, []).append((key, content))
            if len(keys) < len(terms) and (len(keys) > 1 or terms not in keys):
                products = [(_in_order(k), rest) for rest, k in keys.items()]
                if all(key != terms for key, _ in products):
                    yield total(
                        quotient([self.spelled(key), self.spelled(rest)]) for key, rest in products
                    )

    def _groups(self, terms: Terms) -> Iterable[tuple[int, ...]]:
        """Variables that a polynomial may be collected by; exponentials stay together."""
        used = [
            i for i, powers in enumerate(zip(*(m for m, _ in terms), strict=True)) if any(powers)
        ]
        block = tuple(i for i in used if i in self.exponents)
        alone = [i for i in used if i not in self.exponents]
        others = tuple(i for i in alone if self.names[i].kind in (1, 3))
        if len(others) > 2 and all(sum(m[i] for i in others) <= 1 for m, _ in terms):
            return [others]  # they are the terms then, and sizes their coefficients
        groups: list[tuple[int, ...]] = [
            (i,) for i in alone if not (len(others) > 2 and self.names[i].kind == 2)
        ]
        if 4 <= len(terms) <= PAIRS:
            groups += combinations(others, 2)
        return dict.fromkeys(g for g in (*groups, others, block) if g)

    def _factors(self, terms: Terms) -> tuple[int, list[tuple[Terms, int]]]:
        """A number and factors; those of a polynomial in the inverse of an exponential as such."""
        turned = {i for i in self.exponents if max(m[i] for m, _ in terms) <= 0}

        def turn(terms: Terms) -> Terms:
            return _in_order(
                (tuple(-k if i in turned else k for i, k in enumerate(m)), c) for m, c in terms
            )

        around = turn(terms)
        low = tuple(map(min, zip(*(m for m, _ in around), strict=True)))
        content, factors = factor_list(self.ring.from_dict(dict(_divided(around, low))))
        found = [(turn(terms_of(f)), k) for f, k in factors]
        if any(low):
            found.append((turn(((low, 1),)), 1))
        return int(content.p), found

    # --- terms ---------------------------------------------------------------------------------
    def _term(self, monom: Monomial, c: int) -> Signed:
        factors = (power(self.names[i], k) for i, k in enumerate(monom)
                   if k and i not in self.exponents)  # fmt: skip
        exponential = self._exponential(self._exponential_part(monom))
        return signed(_joined(alone(quotient([number(c), *factors, exponential]))))

    def _exponential(self, powers: Monomial) -> Node:
        if powers not in self._exponentials:
            exponent = Add(*(powers[i] * E for i, E in self.exponents.items()))
            self._exponentials[powers] = ONE if exponent == 0 else Call("exp", (best(exponent),))
        return self._exponentials[powers]


def _spelling(ring: ExpField, s: Symbol, inverted: bool, parts: Mapping[Symbol, Node]) -> Node:
    if s in parts:
        return parts[s]
    meaning = ring.atoms.get(s)
    if meaning is None:
        return name_of(s)
    if isinstance(meaning, exp):
        return ONE  # spelled with the others of its term
    if not meaning.args:  # e, which is a power of itself
        return Number(meaning)
    inside = meaning.args[0].xreplace({k: v.meaning for k, v in parts.items()})
    if isinstance(meaning, log):
        return Call("log", (best(1 / inside if inverted else inside),))
    if meaning.exp == S.Half:
        return Call("sqrt", (best(inside),))
    return Power(best(inside), best(meaning.exp))


def _joined(node: Node) -> Node:
    """Roots and an exponential that are factors of one quotient as one root, if that is shorter."""
    minus, inner = signed(node)
    if not isinstance(inner, Product):
        return node
    sides = [[(f, _square(f)) for f in side] for side in (inner.above, inner.below)]
    squares = [[e for _, e in side if e is not None] for side in sides]
    if len(squares[0]) + len(squares[1]) < 2 or "sqrt" not in node.key:
        return node
    inside = best(Mul(*squares[0], *(1 / e for e in squares[1])))
    above, below = ([f for f, e in side if e is None] for side in sides)
    other, joined = quotient([*above, Call("sqrt", (inside,))], below)
    return cheapest([node, alone((minus ^ other, joined))])


def _square(node: Node) -> Expr | None:
    """The square of a root or of an exponential."""
    if not isinstance(node, Call) or node.function not in ("sqrt", "exp"):
        return None
    inside = node.arguments[0].meaning
    return inside if node.function == "sqrt" else exp(2 * inside)


def terms_of(poly: Poly) -> Terms:
    """A polynomial with whole coefficients as its terms."""
    return _in_order((m, int(c.p)) for m, c in poly.terms())


def _in_order(terms: Iterable[tuple[Monomial, int]]) -> Terms:
    return tuple(sorted(terms, reverse=True))


def _divided(terms: Terms, by: Monomial) -> Terms:
    return _in_order((tuple(a - b for a, b in zip(m, by, strict=True)), c) for m, c in terms)


def _grouped(terms: Terms, group: Sequence[int]) -> dict[Monomial, list[tuple[Monomial, int]]]:
    """The monomials in some variables, with the coefficient of each."""
    found: dict[Monomial, list[tuple[Monomial, int]]] = {}
    for m, c in terms:
        key = tuple(k if i in group else 0 for i, k in enumerate(m))
        rest = tuple(0 if i in group else k for i, k in enumerate(m))
        found.setdefault(key, []).append((rest, c))
    return found
