"""The forms that a formula may be written in; the shortest is chosen.

As derived; over one line, factored; split by a symbol; each polynomial expanded, factored or
collected by one or two of its symbols; each exponential with either sign of its exponent, the
others multiplied through; exponentials taken out of logarithms and roots, or put into them.
Nothing is proved here: whatever comes out is compared with what went in (:mod:`.layout`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial, reduce
from itertools import combinations
from operator import add

from sympy import Abs, Basic, Dummy, Expr, Max, Min, Mul, Pow, Rational, S, Symbol, exp, log

from ...decide.normal import ExpField, NotInField, factor_list
from ...decide.polynomial import ONE as UNIT
from ...decide.polynomial import Monomial, Poly, Quotient, to_sympy
from .arrange import Signed, alone, natural, power, quotient, signed, total, where
from .tree import (
    DIGIT,
    HELD,
    LINE,
    MIXED,
    NESTED,
    ONE,
    SIGN,
    Call,
    Name,
    Node,
    Number,
    Other,
    Power,
    Product,
    number,
)

LARGEST = 60  #: terms of a polynomial that other forms are looked for of
PAIRS = 10  #: terms of one that is collected by two symbols at once
DEGREE = 12  #: in an exponential; exponents without a common measure make high ones
TRIES = 80  #: polynomials in one quotient that are collected
SPLIT = 16  #: terms above the line of a quotient that is split
PARTS = 6  #: parts that a quotient is split into
LONGEST = 90  #: operations of a formula that other forms are looked for of
FUNCTIONS = 3  #: independent exponentials and logarithms in one


def rank(node: Node) -> tuple[int, int, str]:
    """Which of two forms that cost the same is better: small numbers, few signs."""
    return (_numbers(node), node.key.count("-"), node.key)


def cheapest(forms: Iterable[Node]) -> Node:
    """The form with least to read."""
    found = list(forms)
    least = min(node.cost for node in found)
    best = [node for node in found if node.cost == least]
    return best[0] if len(best) == 1 else min(best, key=rank)


def _numbers(node: Node) -> int:
    if isinstance(node, Number):
        return int(node.value) if node.value.is_Integer else 0
    return sum(map(_numbers, node.children))


def best(expression: Expr) -> Node:
    """The shortest form."""
    return ordered(expression)[0]


def ordered(expression: Expr) -> tuple[Node, ...]:
    """The forms that were found, the shortest first, the one as derived among them."""
    return _ordered(expression, where())


@lru_cache(maxsize=4096)
def _ordered(expression: Expr, where: object) -> tuple[Node, ...]:
    found = [as_derived(expression, best)]
    if not expression.is_Atom:
        if (expression.is_Add or expression.is_Mul) and not _is_small(expression):
            found.append(_by_parts(expression))
        plain, parts = _without_others(expression)
        for e in dict.fromkeys((plain, _with_exponentials_out(plain))):
            if _is_small(e):
                found += _rational(e, parts)
    first = cheapest(found)
    rest = {node.key: node for node in sorted(found, key=lambda node: node.cost)}
    return first, *(node for key, node in rest.items() if key != first.key)


def _by_parts(e: Expr) -> Node:
    """Each term or factor by itself."""
    if e.is_Add:
        return total(signed(best(a)) for a in e.args)
    above, below = _sides(e)
    return alone(quotient(map(best, above), map(best, below)))


def _sides(e: Expr) -> tuple[list[Expr], list[Expr]]:
    above, below = [], []
    for factor in Mul.make_args(e):
        if factor.is_Pow and not isinstance(factor, exp) and factor.exp.could_extract_minus_sign():
            below.append(1 / factor)
        else:
            above.append(factor)
    return above, below


def _is_small(e: Expr) -> bool:
    """Whether other forms are looked for; terms of what is longer are laid out one by one."""
    return bool(e.count_ops() <= LONGEST)


# --- as derived --------------------------------------------------------------------------------
def as_derived(e: Basic, inside: object = None) -> Node:
    """The formula in the form it has, its terms and factors in order.

    ``inside`` lays out arguments of functions; without it they too are as derived.
    """
    inner = inside if callable(inside) else as_derived
    if isinstance(e, Symbol):
        return Name(e)
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
        return Call(type(e).__name__, tuple(sorted(map(inner, e.args), key=str)) or ())
    if e.is_number and not e.args:
        return Number(e)
    return Other(e)


def _product(e: Expr, inside: object) -> Signed:
    above, below = _sides(e)
    return quotient(*([as_derived(f, inside) for f in side] for side in (above, below)))


def _power(e: Expr, inside: object) -> Node:
    if e.exp.could_extract_minus_sign():
        return alone(quotient([], [as_derived(1 / e, inside)]))
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
    if not any(isinstance(a, log) or _is_root(a) for a in e.atoms(log, Pow)):
        return e
    rules: dict[Expr, Expr] = {}
    for atom in sorted((a for a in e.atoms(log, Pow) if _is_root(a) or isinstance(a, log)),
                       key=lambda a: (a.count_ops(), str(a))):  # fmt: skip
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
    """The exponential that the terms above have in common, or the first of them has."""
    try:
        ring = ExpField([e])
        element = ring(e)
    except (NotInField, ZeroDivisionError):
        return None
    if not ring.exponents or max(element.numer.degrees(), default=0) > DEGREE:
        return None
    gens = list(element.numer.ring.symbols)
    places = [(gens.index(y), exponent) for y, exponent in ring.exponents.items()]
    below = _exponents_of(element.denom, places)
    if len(below) != 1:
        return None
    roots = [i for i, s in enumerate(gens) if s in ring.atoms and s not in ring.exponents]
    # Out goes what a term without a root has, so that the others keep theirs.
    plain = sorted({tuple(m[i] for i, _ in places) for m in element.numer.monoms()
                    if not any(m[i] for i in roots)})  # fmt: skip
    if not plain:
        return None
    ((shift,), first) = (tuple(below), plain[0])
    exponent = reduce(
        add,
        ((a - b) * E for a, b, (_, E) in zip(first, shift, places, strict=True)),
        S.Zero,
    )
    if exponent == 0:
        return None
    return _shifted(e, exponent), exponent


def _shifted(e: Expr, exponent: Expr) -> Expr:
    """e exp(-exponent), with the exponentials of each term together."""
    ring = ExpField([e, exp(exponent)])
    return ring.factored(ring(e) / ring(exp(exponent)))


def _exponents_of(poly: Poly, places: Sequence[tuple[int, Expr]]) -> set[tuple[int, ...]]:
    return {tuple(m[i] for i, _ in places) for m in poly.monoms()}


# --- quotients of polynomials --------------------------------------------------------------------
def _rational(e: Expr, parts: Mapping[Symbol, Node]) -> Iterator[Node]:
    try:
        ring = ExpField([e])
        if sum(isinstance(a, (exp, log)) for a in ring.atoms.values()) > FUNCTIONS:
            return
        element = ring(e)
    except (NotInField, ZeroDivisionError):
        return
    if max((*element.numer.degrees(), *element.denom.degrees()), default=0) > 5 * DEGREE:
        return
    if max(len(element.numer), len(element.denom)) > LARGEST:
        return
    gens = list(element.numer.ring.symbols)
    places = [gens.index(s) for s in ring.exponents]
    below = {tuple(m[i] for i in places) for m in element.denom.monoms()}
    turning = places if len(below) > 1 else []
    turning += [i for i, s in enumerate(gens) if _is_log_of_quotient(ring.atoms.get(s))]
    least = 10**9
    for flipped in _ways(turning):
        numer, denom = element.numer, element.denom
        exps = [i for i in flipped if gens[i] in ring.exponents]
        for i in exps:
            numer, denom = _reversed(numer, denom, i)
        for i in flipped:
            if i not in exps:
                numer, denom = _negated(numer, i), _negated(denom, i)
        speller = Speller(
            tuple(_spelling(ring, s, i in flipped, parts) for i, s in enumerate(gens)),
            {i: -ring.exponents[s] if i in flipped else ring.exponents[s]
             for i, s in enumerate(gens) if s in ring.exponents},
            {i: ring.atoms[s].args[0] for i, s in enumerate(gens)
             if s in ring.atoms and _is_square_root(ring.atoms[s])},
        )  # fmt: skip
        found = list(speller.quotients(numer, denom))
        if len(exps) == len(flipped):
            least = min(least, *(node.cost for node in found))
            yield from found
        else:  # a logarithm of the inverse has to be shorter
            yield from (node for node in found if node.cost < least)


def _ways(turning: Sequence[int]) -> list[Sequence[int]]:
    """None of them, all of them, each of them alone."""
    alone = [[i] for i in turning] if len(turning) > 1 else []
    return [[], *([turning] if turning else []), *alone]


def _is_log_of_quotient(e: Expr | None) -> bool:
    return isinstance(e, log) and e.args[0].as_numer_denom()[1] != 1


def _is_square_root(e: Expr) -> bool:
    return bool(e.is_Pow and not isinstance(e, exp) and e.exp == S.Half)


def _spelling(ring: ExpField, s: Symbol, flipped: bool, parts: Mapping[Symbol, Node]) -> Node:
    if s in parts:
        return parts[s]
    meaning = ring.atoms.get(s)
    if meaning is None:
        return Name(s)
    inner = {k: v for k, v in parts.items() if k in meaning.free_symbols}
    back = {k: v.meaning for k, v in inner.items()}
    if isinstance(meaning, exp):
        return ONE  # spelled with the others of its term
    if isinstance(meaning, log):
        argument = meaning.args[0].xreplace(back)
        return Call("log", (best(1 / argument if flipped else argument),))
    base = best(meaning.base.xreplace(back))
    if meaning.exp == S.Half:
        return Call("sqrt", (base,))
    return Power(base, number(meaning.exp))


def _reversed(numer: Poly, denom: Poly, i: int) -> tuple[Poly, Poly]:
    """In 1/y instead of y, multiplied through by the power of it that is needed."""
    top = max(p.degree(i) for p in (numer, denom))

    def turned(poly: Poly) -> Poly:
        return poly.ring.from_dict({(*m[:i], top - m[i], *m[i + 1 :]): c for m, c in poly.terms()})

    return turned(numer), turned(denom)


def _negated(poly: Poly, i: int) -> Poly:
    """With minus the variable: a logarithm of the inverse."""
    return poly.ring.from_dict({m: -c if m[i] % 2 else c for m, c in poly.terms()})


@dataclass(frozen=True)
class Plan:
    """A form that is not made yet: only the cheapest one is.

    Attributes
    ----------
    cost
        What there is to read, without a minus sign in front, and the numbers in it.
    kinds
        Kinds of its terms.
    minus
        Whether it is one term with a minus sign, or a sum of such terms.
    depth
        Pairs of parentheses in it, one inside the other.
    is_sum
        Whether it is a sum.
    """

    cost: tuple[int, int]
    kinds: frozenset[int]
    minus: bool
    depth: int
    is_sum: bool
    make: Callable[[], Node]


def _added(plans: Sequence[Plan]) -> Plan:
    kinds = frozenset().union(*(p.kinds for p in plans))
    minus = all(p.minus for p in plans)
    flat = sum(p.cost[0] for p in plans) + SIGN * (len(plans) - 1)
    cost = (flat, sum(p.cost[1] for p in plans))
    depth = 1 + max(p.depth for p in plans)
    return Plan(cost, kinds, minus, depth, True, lambda: total(signed(p.make()) for p in plans))


def _multiplied(c: Rational, plans: Sequence[tuple[Plan, int]]) -> Plan:
    cost = sum(p.cost[0] + (DIGIT if k > 1 else 0) for p, k in plans)
    numbers = sum(p.cost[1] + (k if k > 1 else 0) for p, k in plans)
    minus = (c < 0) != (sum(p.minus for p, k in plans if k % 2) % 2 == 1)
    for part, line in ((abs(c.p), 0), (c.q, LINE)):
        if part != 1:
            cost += DIGIT * len(str(part)) + line
            numbers += int(part)
    if len(plans) > 1 or c.p not in (1, -1) or plans[0][1] > 1:
        for p, _ in plans:
            if p.is_sum:
                mixed = 2 in p.kinds and bool(p.kinds & {1, 3})
                inner = NESTED * (p.depth - 1)
                cost += (HELD + inner) * bool(p.kinds & {1, 3}) + MIXED * mixed + inner
    kinds = frozenset().union(*(p.kinds for p, _ in plans))
    kind = frozenset({1 if 1 in kinds and max(kinds) == 2 else max(kinds, default=0)})
    depth = max(p.depth for p, _ in plans)

    def make() -> Node:
        return alone(times([number(c), *(power(p.make(), k) for p, k in plans)]))

    return Plan((cost, numbers), kind, minus, depth, False, make)


def _kept(term: Signed) -> Node:
    return alone(term)


Shift = tuple[int, ...]
NONE: Shift = ()


@dataclass
class Speller:
    """Polynomials in some variables, as formulas.

    Attributes
    ----------
    names
        How each variable is written.
    exponents
        For those that are exponentials, the exponent.
    roots
        For those that are square roots, the base.
    tried
        How many polynomials forms were looked for of; from some number on fewer are.
    """

    names: tuple[Node, ...]
    exponents: Mapping[int, Expr]
    roots: Mapping[int, Expr] = field(default_factory=dict)
    tried: int = 0
    _known: dict[object, Plan] = field(default_factory=dict)

    # --- quotients ---------------------------------------------------------------------------
    def quotients(self, numer: Poly, denom: Poly) -> Iterator[Node]:
        """A quotient in lowest terms over one line, and split by each of its variables."""
        yield self.over(numer, denom)
        if not 2 <= len(numer) <= SPLIT or denom.is_number:
            return
        others = [i for i in self._used(numer) if self.names[i].kind != 2]
        for group in (*((i,) for i in others), tuple(self.exponents)):
            by = _grouped(numer, group) if group else []
            if 2 <= len(by) <= PARTS:
                yield total(signed(self._times(coefficient, denom, key)) for key, coefficient in by)

    def _times(self, numer: Poly, denom: Poly, key: Poly) -> Node:
        """A part of a split quotient: (numer / denom) times a monomial."""
        part = Quotient(numer, denom)
        return self.over(part.numer * key, part.denom)

    def over(self, numer: Poly, denom: Poly) -> Node:
        """One line; an exponential that everything below has goes above, into the terms."""
        places = sorted(self.exponents)
        below = {tuple(m[i] for i in places) for m in denom.monoms()}
        shift = NONE
        if len(below) == 1 and any(next(iter(below))):
            shift = next(iter(below))
            put = dict.fromkeys(places, 0)
            denom = denom.ring.from_dict(
                {tuple(put.get(i, k) for i, k in enumerate(m)): c for m, c in denom.terms()}
            )
        forms = [times([self.spelled(numer, shift)], [self.spelled(denom)])]
        if shift:
            apart = self._exponential(dict(zip(places, shift, strict=True)), -1)
            forms.append(times([self.spelled(numer), apart], [self.spelled(denom)]))
        return cheapest(alone(_joined(form)) for form in forms)

    # --- polynomials ---------------------------------------------------------------------------
    def spelled(self, poly: Poly, shift: Shift = NONE) -> Node:
        """The shortest form of a polynomial, its exponentials divided by those of ``shift``."""
        return self._plan(poly, shift).make()

    def _plan(self, poly: Poly, shift: Shift) -> Plan:
        key = (_key(poly), shift)
        if key not in self._known:
            self.tried += 1
            self._known[key] = min(self._plans(poly, shift), key=lambda plan: plan.cost)
        return self._known[key]

    def _plans(self, poly: Poly, shift: Shift) -> Iterator[Plan]:
        if len(poly) < 2:
            yield self._monomial(poly, shift)
            return
        if not shift:
            content, factors = factor_list(poly)
            if len(factors) > 1 or factors[0][1] > 1 or abs(content) != 1:
                yield _multiplied(to_sympy(content), [(self._plan(f, NONE), k) for f, k in factors])
                if len(factors) == 1:  # a number in front; the rest was tried in every way
                    yield self._expanded(poly, shift)
                    return
        yield self._expanded(poly, shift)
        if len(poly) == 2 and not shift:
            return
        used = self._used(poly)
        groups: list[tuple[int, ...]] = [(i,) for i in used]
        if 4 <= len(poly) <= PAIRS:
            groups += combinations([i for i in used if self.names[i].kind != 2], 2)
        others = tuple(i for i in used if self.names[i].kind in (1, 3))
        if len(others) > 2:
            groups.append(others)
        block = tuple(i for i in used if i in self.exponents)
        if len(block) > 1:
            groups.append(block)
        if shift:  # all exponentials of a term stay together
            groups = [g for g in groups if set(g) >= set(block) or not set(g) & set(block)]
        for group in groups:
            if self.tried < TRIES:
                yield from self._collected(poly, group, shift, block)

    def _expanded(self, poly: Poly, shift: Shift) -> Plan:
        return _added([self._monomial(poly.ring.from_dict({m: c}), shift) for m, c in poly.terms()])

    def _collected(
        self, poly: Poly, group: tuple[int, ...], shift: Shift, block: tuple[int, ...]
    ) -> Iterator[Plan]:
        """As a sum of products of a polynomial in some variables and one in the others."""
        found: dict[object, tuple[Poly, Poly]] = {}
        for key, coefficient in _grouped(poly, group):
            content, plain = coefficient.primitive()
            if plain.leading < 0:
                content, plain = -content, -plain
            _, so_far = found.get(_key(plain), (plain, poly.ring.zero))
            found[_key(plain)] = plain, so_far + key.times(content)
        merged = list(found.values())
        if len(merged) >= len(poly) or (len(merged) == 1 and poly in merged[0]):
            return
        inner = bool(set(group) & set(block)) or not block
        yield _added(
            [
                _multiplied(
                    S.One,
                    [
                        (self._plan(key, shift if inner else NONE), 1),
                        (self._plan(plain, NONE if inner else shift), 1),
                    ],
                )
                for plain, key in merged
            ]
        )

    def _used(self, poly: Poly) -> list[int]:
        return [i for i, top in enumerate(poly.degrees()) if top > 0]

    def _monomial(self, poly: Poly, shift: Shift) -> Plan:
        key = (_key(poly), shift)
        if key in self._known:
            return self._known[key]
        minus, node = self._term(poly, shift)
        kinds, make = frozenset({node.kind}), partial(_kept, (minus, node))
        cost = (node.cost, _numbers(node))
        self._known[key] = Plan(cost, kinds, minus, node.depth, False, make)
        return self._known[key]

    def _term(self, poly: Poly, shift: Shift) -> Signed:
        """One term."""
        if not poly:
            return False, number(0)
        ((monom, c),) = poly.terms()
        factors = [number(to_sympy(c))]
        powers: dict[int, int] = {}
        for i, k in enumerate(monom):
            if i in self.exponents:
                powers[i] = k
            elif k:
                factors.append(power(self.names[i], k))
        for i, k in zip(sorted(self.exponents), shift, strict=False):
            powers[i] = powers.get(i, 0) - k
        exponential = self._exponential(powers)
        forms = [quotient([*factors, exponential])]
        under = [i for i, k in enumerate(monom) if i in self.roots and k == 1]
        if exponential != ONE and len(under) == 1:  # the exponential under the root
            (i,) = under
            base = self.roots[i] * exp(2 * self._exponent(powers))
            rest = [f for f in factors if f is not self.names[i]]
            forms.append(quotient([*rest, Call("sqrt", (best(_together(base)),))]))
        return signed(cheapest(map(alone, forms)))

    def _exponent(self, powers: Mapping[int, int]) -> Expr:
        return reduce(add, (k * self.exponents[i] for i, k in powers.items()), S.Zero)

    def _exponential(self, powers: Mapping[int, int], sign: int = 1) -> Node:
        exponent = sign * self._exponent(powers)
        if exponent == 0:
            return ONE
        inside = best(exponent)
        return ONE if inside == number(0) else Call("exp", (inside,))


def times(above: Iterable[Node], below: Iterable[Node] = ()) -> Signed:
    """A product over a product, with one exponential."""
    minus, node = quotient(above, below)
    if not isinstance(node, Product):
        return minus, node
    up, down = ([_exponent_of(f) for f in side] for side in (node.above, node.below))
    found = [e for e in up if e is not None] + [-e for e in down if e is not None]
    if len(found) < 2 and not any(isinstance(f, Power) and _exponent_of(f) is not None
                                  for f in node.children):  # fmt: skip
        return minus, node
    rest = [[f for f in side if _exponent_of(f) is None] for side in (node.above, node.below)]
    inside = best(reduce(add, found))
    one = ONE if inside.cost == number(0).cost and inside.key == "0" else Call("exp", (inside,))
    other, node = quotient([*rest[0], one], rest[1])
    return minus ^ other, node


def _exponent_of(f: Node) -> Expr | None:
    """The exponent of an exponential, or of a power of one."""
    if isinstance(f, Power) and isinstance(f.exponent, Number):
        inner = _exponent_of(f.base)
        return None if inner is None else inner * f.exponent.value
    return f.arguments[0].meaning if isinstance(f, Call) and f.function == "exp" else None


def _together(e: Expr) -> Expr:
    """With the exponentials of each term as one."""
    try:
        ring = ExpField([e])
        return ring.factored(ring(e))
    except (NotInField, ZeroDivisionError):
        return e


def _key(poly: Poly) -> tuple[tuple[Monomial, object], ...]:
    """What a polynomial is remembered by."""
    return tuple(poly.terms())


def _grouped(poly: Poly, group: Iterable[int]) -> list[tuple[Poly, Poly]]:
    """The monomials in some variables, with the coefficient of each."""
    inside = set(group)
    found: dict[Monomial, dict[Monomial, object]] = {}
    for m, c in poly.terms():
        key = tuple(k if i in inside else 0 for i, k in enumerate(m))
        rest = tuple(0 if i in inside else k for i, k in enumerate(m))
        found.setdefault(key, {})[rest] = c
    ring = poly.ring
    return [(ring.from_dict({key: UNIT}), ring.from_dict(rest)) for key, rest in found.items()]


def _joined(term: Signed) -> Signed:
    """Square roots that are factors of one quotient as one root, if that is shorter."""
    minus, node = term
    if not isinstance(node, Product):
        return term
    up = [f for f in node.above if isinstance(f, Call) and f.function == "sqrt"]
    down = [f for f in node.below if isinstance(f, Call) and f.function == "sqrt"]
    if len(up) + len(down) < 2:
        return term
    bases = [[f.arguments[0] for f in part] for part in (up, down)]
    inside = best(Mul(*(b.meaning for b in bases[0]), *(1 / b.meaning for b in bases[1])))
    above = [f for f in node.above if f not in up]
    below = [f for f in node.below if f not in down]
    other, joined = quotient([*above, Call("sqrt", (inside,))], below)
    return signed(cheapest(map(alone, [term, (minus ^ other, joined)])))
