"""The forms that a formula may be written in; the shortest is chosen.

As derived; over one line, factored; split by a symbol; each polynomial expanded, factored or
collected by one or two of its symbols; each exponential with either sign of its exponent, the
others multiplied through; exponentials taken out of logarithms and roots, or put into them.
Nothing is proved here: whatever comes out is compared with what went in (:mod:`.layout`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, reduce
from operator import add

from sympy import Abs, Add, Basic, Dummy, Expr, Max, Min, Mul, Pow, S, Symbol, exp, log

from ...decide.normal import ExpField, NotInField, is_power
from ...decide.polynomial import ONE as UNIT
from ...decide.polynomial import Monomial, Poly, Quotient, Ring
from .arrange import Signed, alone, natural, power, quotient, signed, total, where
from .plans import NONE, Search, Shift, Terms, numbers_in, terms_of, without
from .tree import ONE, ZERO, Call, Node, Number, Other, Power, Product, name_of, number

LARGEST = 60  #: terms of a polynomial that other forms are looked for of
DEGREE = 12  #: in an exponential; exponents without a common measure make high ones
SPLIT = 16  #: terms above the line of a quotient that is split
PARTS = 6  #: parts that a quotient is split into
LONGEST = 210  #: parts of a formula that other forms are looked for of
FUNCTIONS = 3  #: independent exponentials and logarithms in one


def rank(node: Node) -> tuple[int, int, str]:
    """Which of two forms that cost the same is better: small numbers, few signs."""
    return (numbers_in(node), node.key.count("-"), node.key)


def cheapest(forms: Iterable[Node]) -> Node:
    """The form with least to read."""
    found = list(forms)
    least = min(node.cost for node in found)
    best = [node for node in found if node.cost == least]
    return best[0] if len(best) == 1 else min(best, key=rank)


def best(expression: Expr) -> Node:
    """The shortest form."""
    return ordered(expression)[0]


def ordered(expression: Expr) -> tuple[Node, ...]:
    """The forms that were found, the shortest first, the one as derived among them."""
    return _ordered(expression, where(expression.free_symbols))


@lru_cache(maxsize=4096)
def _ordered(expression: Expr, where: object) -> tuple[Node, ...]:
    found = [as_derived(expression, best)]
    if not _is_plain(expression):
        if (expression.is_Add or expression.is_Mul) and not _is_small(expression):
            found.append(_by_parts(expression))
            found += _by_divisors(expression)
        plain, parts = _without_others(expression)
        for e in dict.fromkeys((plain, _with_exponentials_out(plain))):
            if _is_small(e):
                found += _rational(e, parts)
        if len(found) == 1 and (expression.is_Add or expression.is_Mul):
            found.append(_by_parts(expression))
    if (merged := _merged(cheapest(found))) is not None:
        found.append(merged)
    first = cheapest(found)
    rest = {node.key: node for node in sorted(found, key=lambda node: node.cost)}
    return first, *(node for key, node in rest.items() if key != first.key)


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
    """Each term or factor by itself."""
    if e.is_Add:
        return total(signed(best(a)) for a in e.args)
    above, below = _sides(e)
    return alone(quotient(map(best, above), map(best, below)))


def _merged(node: Node) -> Node | None:
    """With exponentials that are multiplied as one; None if there are none."""
    if not _multiplies_exponentials(node):
        return None

    def change(part: Node) -> Node:
        part = part.rebuilt(change) if part.children else part
        if not isinstance(part, Product):
            return part
        exponents = [e for f in part.above if (e := _exponent_of(f)) is not None]
        if len(exponents) < 2:
            return part
        rest = [f for f in part.above if _exponent_of(f) is None]
        return alone(quotient([*rest, Call("exp", (best(Add(*exponents)),))], part.below))

    return change(node)


def _multiplies_exponentials(node: Node) -> bool:
    """Whether some product in it has several exponentials above its line."""
    if isinstance(node, Product):
        kinds = (f.base if isinstance(f, Power) else f for f in node.above)
        if sum(isinstance(f, Call) and f.function == "exp" for f in kinds) > 1:
            return True
    return any(map(_multiplies_exponentials, node.children))


def _exponent_of(node: Node) -> Expr | None:
    """What an exponential, or a power of one, is the exponential of."""
    power: Expr = S.One
    while isinstance(node, Power):
        if not isinstance(node.exponent, Number):
            return None
        power *= node.exponent.value
        node = node.base
    if not isinstance(node, Call) or node.function != "exp":
        return None
    inside = node.arguments[0].meaning
    return power * inside if isinstance(inside, Expr) else None


def _by_divisors(e: Expr) -> list[Node]:
    """Terms over powers of the same sums brought together, if that leaves several."""
    groups: dict[frozenset[Expr], list[Expr]] = {}
    for term in Add.make_args(e):
        below = {b for f in _sides(term)[1] if (b := f.as_base_exp()[0]).is_Add and b.has(exp)}
        groups.setdefault(frozenset(below), []).append(term)
    together = [terms for below, terms in groups.items() if below and len(terms) > 1]
    if not together or len(groups) == 1:
        return []
    return [total(signed(best(Add(*terms))) for terms in groups.values())]


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


def _is_small(e: Expr) -> bool:
    """Whether other forms are looked for; terms of what is longer are laid out one by one."""
    left, todo = LONGEST, [e]
    while todo and left:
        left -= 1
        todo += todo.pop().args
    return not todo


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


def _has_powers(ring: ExpField) -> bool:
    """Whether there are symbols in exponents; such powers stay as they are written."""
    return any(map(is_power, ring.atoms.values()))


def _taken_out(e: Expr) -> tuple[Expr, Expr] | None:
    """The exponential that the terms above have in common, or the first of them has."""
    try:
        ring = ExpField([e])
        element = ring(e)
    except (NotInField, ZeroDivisionError):
        return None
    if _has_powers(ring):
        return None
    if not 0 < len(ring.exponents) <= FUNCTIONS or max(element.numer.degrees(), default=0) > DEGREE:
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
        if _has_powers(ring):
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
            numer.ring,
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
    if not isinstance(e, log):
        return False
    (argument,) = e.args
    return ExpField([argument])(argument).denom != ExpField([argument]).ring.one


def _is_square_root(e: Expr) -> bool:
    return bool(e.is_Pow and not isinstance(e, exp) and e.exp == S.Half)


def _spelling(ring: ExpField, s: Symbol, flipped: bool, parts: Mapping[Symbol, Node]) -> Node:
    if s in parts:
        return parts[s]
    meaning = ring.atoms.get(s)
    if meaning is None:
        return name_of(s)
    inner = {k: v for k, v in parts.items() if k in meaning.free_symbols}
    back = {k: v.meaning for k, v in inner.items()}
    if isinstance(meaning, exp):
        return ONE  # spelled with the others of its term
    if isinstance(meaning, log):
        argument = meaning.args[0].xreplace(back)
        return Call("log", (best(1 / argument if flipped else argument),))
    if not meaning.args:  # e, which is a power of itself
        return Number(meaning)
    base = best(meaning.base.xreplace(back))
    if meaning.exp == S.Half:
        return Call("sqrt", (base,))
    exponent = meaning.exp
    return Power(base, number(exponent) if exponent.is_Rational else best(exponent.xreplace(back)))


def _reversed(numer: Poly, denom: Poly, i: int) -> tuple[Poly, Poly]:
    """In 1/y instead of y, multiplied through by the power of it that is needed."""
    top = max(p.degree(i) for p in (numer, denom))

    def turned(poly: Poly) -> Poly:
        return poly.ring.from_dict({(*m[:i], top - m[i], *m[i + 1 :]): c for m, c in poly.terms()})

    return turned(numer), turned(denom)


def _negated(poly: Poly, i: int) -> Poly:
    """With minus the variable: a logarithm of the inverse."""
    return poly.ring.from_dict({m: -c if m[i] % 2 else c for m, c in poly.terms()})


class Speller:
    """Polynomials in some variables, as formulas.

    Parameters
    ----------
    names
        How each variable is written.
    exponents
        For those that are exponentials, the exponent.
    roots
        For those that are square roots, the base.
    """

    def __init__(
        self,
        ring: Ring,
        names: Sequence[Node],
        exponents: Mapping[int, Expr],
        roots: Mapping[int, Expr],
    ):
        self.names, self.exponents, self.roots = names, exponents, roots
        self.places = tuple(sorted(exponents))
        self._search = Search(ring, names, self.places, roots, self._exponential, self._term)
        self._exponentials: dict[Shift, Node] = {}

    # --- quotients ---------------------------------------------------------------------------
    def quotients(self, numer: Poly, denom: Poly) -> Iterator[Node]:
        """A quotient in lowest terms over one line, and split by each of its variables."""
        yield self.over(numer, denom)
        if not 2 <= len(numer) <= SPLIT or denom.is_number:
            return
        others = [i for i, top in enumerate(numer.degrees()) if top > 0 and self.names[i].kind != 2]
        for group in (*((i,) for i in others), self.places):
            by = _grouped(numer, group) if group else []
            if not 2 <= len(by) <= PARTS:
                continue
            parts = [(Quotient(coefficient, denom), key) for key, coefficient in by]
            if any(part.denom != denom for part, _ in parts):  # or it would be longer
                yield total(signed(self.over(part.numer * key, part.denom)) for part, key in parts)

    def over(self, numer: Poly, denom: Poly) -> Node:
        """One line; an exponential that everything below has goes above, into the terms."""
        above, under = terms_of(numer), terms_of(denom)
        below = {tuple(m[i] for i in self.places) for m, _ in under}
        shift = NONE
        if len(below) == 1 and any(next(iter(below))):
            shift = next(iter(below))
            under = without(under, self.places)
        low = self.spelled(under)
        forms = [times([self.spelled(above, shift)], [low])]
        if shift:
            apart = self._exponential(tuple(-k for k in shift))
            forms.append(times([self.spelled(above), apart], [low]))
        return cheapest(alone(_joined(form)) for form in forms)

    def spelled(self, terms: Terms, shift: Shift = NONE) -> Node:
        """The shortest form of a polynomial, its exponentials divided by those of ``shift``."""
        return self._search.plan(terms, shift).make()

    # --- terms ---------------------------------------------------------------------------------
    def _term(self, monom: Monomial, c: int, shift: Shift) -> Signed:
        """One term."""
        powers = tuple(monom[i] for i in self.places)
        if shift:
            powers = tuple(a - b for a, b in zip(powers, shift, strict=True))
        used = [(i, k) for i, k in enumerate(monom) if k and i not in self.exponents]
        factors = [number(c), *(power(self.names[i], k) for i, k in used)]
        exponential = self._exponential(powers)
        forms = [quotient([*factors, exponential])]
        under = [i for i, k in used if i in self.roots and k == 1]
        if exponential != ONE and len(under) == 1:  # the exponential under the root
            (i,) = under
            base = self.roots[i] * exp(2 * self._exponent(powers))
            rest = [f for f in factors if f is not self.names[i]]
            forms.append(quotient([*rest, Call("sqrt", (best(_together(base)),))]))
        return signed(cheapest(map(alone, forms)))

    def _exponent(self, powers: Shift) -> Expr:
        parts = (k * self.exponents[i] for i, k in zip(self.places, powers, strict=True) if k)
        return reduce(add, parts, S.Zero)

    def _exponential(self, powers: Shift) -> Node:
        if powers not in self._exponentials:
            inside = best(self._exponent(powers)) if any(powers) else ZERO
            self._exponentials[powers] = ONE if inside == ZERO else Call("exp", (inside,))
        return self._exponentials[powers]


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
    one = ONE if inside == ZERO else Call("exp", (inside,))
    other, node = quotient([*rest[0], one], rest[1])
    return minus ^ other, node


def _together(e: Expr) -> Expr:
    """With the exponentials of each term as one."""
    try:
        ring = ExpField([e])
        return e if _has_powers(ring) else ring.factored(ring(e))
    except (NotInField, ZeroDivisionError):
        return e


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
