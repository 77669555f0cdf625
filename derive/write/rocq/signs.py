"""Proofs of signs, written out: factors of one sign once the domain is put in.

These are the proofs of :mod:`~cltheory.derive.decide.coefficients` step by step: exponentials
become variables, a ratio its factors, and each symbol the end of its range plus a variable that is
>= 0. Each identity is checked by ``ring`` or ``field`` of Rocq, each sign by those of its terms. A
square root is a variable too; the sign of a factor that is linear in it is found from its square.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from itertools import product

from sympy import Basic, Expr, Mul, Pow, S, Symbol, exp, log, oo, preorder_traversal, sqrt

from ...decide.coefficients import closure, substituted
from ...decide.decide import is_proved_positive
from ...decide.domain import POSITIVE, Case, Domain, Range, between
from ...decide.normal import ExpField, NotInField, canonical, factor_list
from ...decide.polynomial import Poly, Ring, to_sympy
from ...decide.ratio import NotRational, reader
from .terms import ATOM, NotWritten, exponentials, name, roots, term

#: Why there is no proof where other functions than exponentials and square roots occur.
NO_SIGNS = "logarithms and higher roots have no proofs of signs here"


class Signs:
    """The signs that a few expressions and their parts have on a domain, as lines of a proof.

    Parameters
    ----------
    expressions
        All that the proof is about.
    domain
        Where.
    spelled
        Exponentials as they are written in the goal, where that is otherwise.

    Raises
    ------
    NotWritten
        If they have parts that are neither rational nor exponentials nor square roots.
    """

    def __init__(
        self,
        expressions: Iterable[Expr],
        domain: Domain,
        spelled: Mapping[str, Expr] | None = None,
    ):
        every = [*expressions, *(spelled or {}).values()]
        used = set().union(*(e.free_symbols for e in every))
        if not used <= set(domain.ranges):
            raise NotWritten(f"the domain does not bound {used - set(domain.ranges)}")
        self.domain = domain.restricted(closure(used, domain))
        self.lines: list[str] = []
        self._facts: dict[Poly, int] = {}
        self.roots: dict[Expr, Symbol] = {}
        self._hide_roots(every)
        every = [*map(self._rootless, [*every, *self.roots])]
        exponents = [a.args[0] for e in every for a in exponentials(e)]
        try:
            self.field = ExpField([*every, *(1 / e for e in exponents if e.free_symbols)])
        except NotInField as error:
            raise NotWritten(str(error)) from None
        if set(self.field.atoms) != set(self.field.exponents):
            raise NotWritten(NO_SIGNS)
        self._meaning = {**self.field.atoms, **{s: sqrt(q) for q, s in self.roots.items()}}
        self.names: dict[Symbol, str] = {y: f"y{k}" for k, y in enumerate(self.field.atoms, 1)}
        self._denominators(exponents)
        for text, e in (spelled or {}).items():
            if term(e) != text:
                self.lines.append(f"replace ({text}) with ({term(e)}) by exp_eq.")
        self._name_exponentials(every)
        self._denominators(self.named(e) for e in every)

    # --- roots -------------------------------------------------------------------------------
    def _hide_roots(self, every: Iterable[Expr]) -> None:
        """A variable >= 0 for each square root, of which nothing else is known but its square."""
        for k, base in enumerate(dict.fromkeys(p.base for e in every for p in roots(e)), 1):
            root = self.roots[base] = Symbol(f"root_{k}")
            of, low = term(base, None, ATOM), f"{root}_low"
            self.lines += [
                f"assert ({low} : 0 <= {of}).",
                *shown_positive("", base, self.domain, strict=False),
                f"assert ({root}_is := sqrt_sqrt _ {low}). clear {low}.",
                f"assert ({low} := sqrt_pos {of}).",
                f"set ({root} := sqrt {of}) in *; clearbody {root}.",
            ]
        ranges = dict.fromkeys(self.roots.values(), Range(low_open=False))
        #: What is known of all variables; at first without an end above for exponentials.
        self._wide = self._narrow = Domain.of_ranges({**self.domain.ranges, **ranges})

    def _rootless(self, e: Expr) -> Expr:
        return e.xreplace({p: self.roots[p.base] ** (2 * p.exp) for p in roots(e)})

    def _rooted(self, f: Poly) -> tuple[bool, list[str]] | None:
        """The proof that a factor is > 0 by the square of its root, or by its terms in a symbol."""
        symbols = f.ring.symbols
        for base, root in self.roots.items():
            parts = f.by_powers(symbols.index(root))
            if parts.keys() != {0, 1}:
                continue
            rest, times = parts[0].as_expr(), parts[1].as_expr()
            gap = times**2 * self._rootless(base) - rest**2
            for lemma, side, large in (("wins", 1, times), ("loses", -1, rest)):
                with suppress(NotWritten):
                    sure = [*self.proof(large), *self.proof(side * gap)]
                    inner = f"({term(rest, self.names)}) + ({term(times, self.names)}) * {root}"
                    return True, [
                        f"apply pos_eq with ({inner}); [eq |].",
                        f"apply root_{lemma}; [assumption | |].",
                        *(f"{{ {line} }}" for line in sure),
                    ]
            for s, parts in zip(symbols, map(f.by_powers, range(len(symbols))), strict=True):
                is_known = is_proved_positive(self.field.atoms.get(s, s), self._wide, strict=False)
                if s == root or len(parts) == 1 or not is_known:
                    continue
                with suppress(NotWritten):
                    found = [(i, self._product(parts[i], {})) for i in sorted(parts, reverse=True)]
                    if all(sign > 0 for _, (sign, *_) in found) and found[-1][1][2]:
                        terms = (f"{term(s, self.names)} ^ {i} * ({e})" for i, (_, e, _) in found)
                        return True, [_equal(" + ".join(terms), strict=True)]
        return None

    # --- exponentials ------------------------------------------------------------------------
    def named(self, e: Expr) -> Expr:
        """An expression with its exponentials as monomials in the variables that stand for them."""
        e = self._rootless(e)
        return e.xreplace({a: self._monomial(a) for a in e.atoms(exp)})

    def _monomial(self, atom: Expr) -> Expr:
        ratio = self.field.ratio(atom)
        below = Mul(*(f.as_expr() ** k for f, k in ratio.denom.items()))
        found: Expr = ratio.numer.as_expr() / below
        return found

    def _name_exponentials(self, every: list[Expr]) -> None:
        meaning, where = dict(self.field.atoms), "in * " * bool(self.roots)
        for atom in dict.fromkeys(a for e in every for a in exponentials(e)):
            monomial = self._monomial(atom)
            if monomial in meaning and meaning[monomial] == atom:
                continue
            text = _as_product(monomial, meaning)
            self.lines.append(f"replace ({term(atom)}) with ({text}) {where}by exp_eq.")
        above, below = dict[Symbol, Range](), dict[Symbol, Range]()
        for y, e in self.field.exponents.items():
            called = self.names[y]
            sign = next((k for k in (1, -1) if is_proved_positive(k * e, self.domain)), 0)
            if sign <= 0:
                self.lines.append(f"assert ({called}_low := exp_pos ({term(e)})).")
            if sign:
                end, lemma = ("low", "exp_above_1") if sign > 0 else ("high", "exp_below_1")
                size = term(e) if sign > 0 else f"- ({term(e)})"
                self._assert(f"{called}_{end} : 0 < {size}", self.proof(sign * e))
                self.lines.append(f"apply {lemma} in {called}_{end}.")
            above[Symbol(called)] = Range(S.One) if sign > 0 else POSITIVE
            below |= {Symbol(called): between(0, 1, "()")} if sign < 0 else {}
        self._wide = Domain.of_ranges({**self._wide.ranges, **above})
        self._narrow = Domain.of_ranges({**self._wide.ranges, **below})
        for y in self.field.exponents:
            atom = term(self.field.atoms[y])
            self.lines.append(f"set ({self.names[y]} := {atom}) in *; clearbody {self.names[y]}.")

    # --- signs -------------------------------------------------------------------------------
    def proof(self, e: Expr, *, strict: bool = True) -> list[str]:
        """Lines that prove the goal ``0 < e`` (``0 <= e``), written in the variables.

        Raises
        ------
        NotWritten
            If no such proof is known.
        """
        sign, text, sharp = self._split(self.named(e))
        if sign < 0 or (strict and not sharp):
            raise NotWritten(f"no proof that {e} is positive")
        return [_equal(text, strict=strict)]

    def positive_ratio(self, one: Expr, other: Expr) -> str:
        """What is > 0 and gives one times the other, as factors that the proof shows to be > 0.

        Raises
        ------
        NotWritten
            If that is not proved.
        """
        if self.named(other) == 0:
            raise NotWritten("the other is zero")
        try:
            quotient = self.field(self.named(one) / self.named(other))
            for base, root in self.roots.items():
                # A root stays below only, as the other has none.
                above, below = (e.as_expr() for e in (quotient.numer, quotient.denom))
                turned = above.xreplace({root: -root})
                norm = (above * turned).expand().xreplace({root**2: self._rootless(base)})
                quotient = self.field(norm / below / turned)
        except NotInField as error:
            raise NotWritten(str(error)) from None
        sign, text, strict = self._product(quotient.numer, {quotient.denom: 1})
        if sign < 0 or not strict:
            raise NotWritten(f"no proof that {one} is a positive multiple of {other}")
        return text

    def same_sign(self, one: Expr, other: Expr, *, strict: bool = False) -> str:
        """The proof that one is > 0 iff the other is; or that they are >= 0.

        Raises
        ------
        NotWritten
            If neither is a positive multiple of the other.
        """
        lemma = "same_sign" if strict else "same_sign_or_zero"
        return f"apply {lemma} with ({self.positive_ratio(one, other)}); [eq | pos]."

    def check_zero(self, e: Expr) -> None:
        """Refuse what ``field`` could not prove.

        Raises
        ------
        NotWritten
            If it is not zero as a ratio of polynomials in the variables.
        """
        if self.field.ratio(self.named(e)).numer:
            raise NotWritten(f"{e} is not zero in the normal form")

    def _split(self, e: Expr) -> tuple[int, str, bool]:
        """The sign of an expression, its factors > 0 as a term, and whether it is strict."""
        ratio = self.field.ratio(e)
        return self._product(ratio.numer, ratio.denom) if ratio.numer else (1, "0", False)

    def _product(self, numer: Poly, denom: Mapping[Poly, int]) -> tuple[int, str, bool]:
        content, above = factor_list(numer)
        powers = list(above)
        for divisor, power in denom.items():
            scale, below = factor_list(divisor)
            content /= scale**power
            powers += [(f, -k * power) for f, k in below]
        sign, strict = (1 if content > 0 else -1), True
        up, down = [term(to_sympy(abs(content)), None, 2)], list[str]()
        for f, k in powers:
            fact, size = self._fact(f), abs(k)
            strict = strict and abs(fact) == 1
            sign *= (1 if fact > 0 else -1) ** size
            body = f"({self._text(f if fact > 0 else -f)})" + (f" ^ {size}" if size > 1 else "")
            (up if k > 0 else down).append(body)
        text = " * ".join(up) + (f" / ({' * '.join(down)})" if down else "")
        return sign, text, strict

    def _text(self, f: Poly) -> str:
        return term(f.as_expr(), self.names)

    def _fact(self, f: Poly) -> int:
        """The sign of a factor, 2 where it may vanish; that it is so is said in the proof, once."""
        if f not in self._facts:
            cases = [partial(self._cases, among) for among in (self._wide, self._narrow)]
            ways: list[Callable[[Poly], tuple[bool, list[str]] | None]] = [*cases, self._rooted]
            for how, side in product(ways, (1, -1)):
                found = how(f if side == 1 else -f)
                if found is None:
                    continue
                strict, blocks = found
                self._facts[f] = side if strict else 2 * side
                called = f"F{len(self._facts)}"
                text = self._text(f if side == 1 else -f)
                self._assert(f"{called} : 0 {'<' if strict else '<='} {text}", blocks)
                break
            else:
                raise NotWritten(f"no proof of the sign of {f.as_expr().xreplace(self._meaning)}")
        return self._facts[f]

    def _cases(self, among: Domain, f: Poly) -> tuple[bool, list[str]] | None:
        """Whether a factor is > 0 in every case of the domain, or >= 0, and the proof."""
        known = {s: Symbol(self.names[s]) if s in self.names else s for s in f.ring.symbols}
        active = {known[s] for s, d in zip(f.ring.symbols, f.degrees(), strict=True) if d > 0}
        domain = among.restricted(closure(active, among))
        tactics = [split(s, r) for s, r in domain.ranges.items()]
        goals = []
        for case in domain.cases():
            found = _positive(f, case, known)
            if found is None:
                return None
            goals.append(found)
        strict_everywhere = all(strict for _, strict in goals)
        lines = ["; ".join(tactics) + "."] if tactics else []
        for text, strict in goals:
            weak = "" if strict_everywhere or not strict else "left; "
            one = weak + _equal(text, strict=strict)
            lines.append(one if len(goals) == 1 else f"{{ {one} }}")
        return strict_everywhere, lines

    # --- denominators -------------------------------------------------------------------------
    def _denominators(self, among: Iterable[Expr]) -> None:
        """What divides has a sign, which is said in the form in which it divides."""
        seen = set[Expr]()
        for e in among:
            for base in reversed(divisors(e)):
                for f in Mul.make_args(base):
                    if f.free_symbols and f not in seen:
                        seen.add(f)
                        self._known(f.base if isinstance(f, Pow) else f)

    def _known(self, f: Expr) -> None:
        sign, _, strict = self._split(f)
        if not strict:
            raise NotWritten(f"{f.xreplace(self._meaning)} divides and may vanish")
        ratio = self.field.ratio(f)
        if len(factor_list(ratio.numer)[1]) == 1 and not any(not d.is_number for d in ratio.denom):
            return  # said already, as a factor
        self._assert(f"0 < {term(sign * f, self.names)}", self.proof(sign * f))

    def _assert(self, what: str, lines: list[str]) -> None:
        self.lines += [f"assert ({what}).", "{ " + lines[0], *("  " + line for line in lines[1:])]
        self.lines[-1] += " }"


def divisors(e: Expr) -> list[Expr]:
    """What divides somewhere in an expression."""
    powers = (p for p in preorder_traversal(e) if isinstance(p, Pow) and not isinstance(p, exp))
    return [p.base for p in powers if p.exp.is_negative]


def _equal(text: str, *, strict: bool) -> str:
    """The proof that something has a sign, since it is equal to what visibly has it."""
    lemma, tactic = ("pos_eq", "pos") if strict else ("nneg_eq", "nneg")
    return f"apply {lemma} with ({text}); [eq | {tactic}]."


def shown_positive(called: str, e: Expr, domain: Domain, *, strict: bool = True) -> list[str]:
    """Lines that prove that an expression is > 0, said first if the proof has a name for it."""
    signs = Signs([e], domain)
    proof = signs.proof(e, strict=strict)
    said = [f"assert ({called} : 0 < {term(e)})."] if called else []
    return [*said, "{ idtac.", *signs.lines, *proof, "}"]


def without_logarithms(part: Basic, domain: Domain) -> tuple[dict[Expr, Symbol], Domain, list[str]]:
    """Any numbers for its logarithms, the domain with these, and lines that put them in."""
    logs = sorted(part.atoms(log), key=lambda e: (-e.count_ops(), str(e)))
    same = {canonical(e.args[0]): e for e in reversed(logs)}
    firsts = {e: same[canonical(e.args[0])] for e in logs}
    every = enumerate(dict.fromkeys(firsts.values()), 1)
    named = {e: Symbol(f"log_{k}", real=True) for k, e in every}
    wide = Domain.of_ranges({**domain.ranges, **{s: Range(-oo) for s in named.values()}})
    others = ((term(e), term(first)) for e, first in firsts.items() if e != first)
    lines = [f"replace ({e}) with ({first}) by (f_equal; field; nz)." for e, first in others]
    lines += [f"set ({s} := {term(e)}) in *; clearbody {s}." for e, s in named.items()]
    return {e: named[first] for e, first in firsts.items()}, wide, lines


def split(s: Symbol, r: Range) -> str:
    """The tactic that writes a symbol by one that is >= 0, in each of the cases of its domain."""
    x, new = name(s), f"[u_{s.name} [U_{s.name} ->]]"
    if r.low is -oo and r.high is oo:
        return f"destruct (line {x}) as [{new} | {new}]"
    if r.high is oo:
        return f"destruct ({'above' if r.low_open else 'from'} _ {x} {x}_low) as {new}"
    if r.low is -oo:
        return f"destruct ({'below' if r.high_open else 'upto'} _ {x} {x}_high) as {new}"
    lemma = f"{'inside' if r.low_open else 'within'} _ _ {x} {x}_low"
    if r.high_open:
        return f"destruct ({lemma} {x}_high) as {new}"
    return (
        f"(destruct (or_end _ {x} {x}_high) as [{x}_less | ->]; "
        f"[destruct ({lemma} {x}_less) as {new} |])"
    )


def _positive(f: Poly, case: Case, known: Mapping[Symbol, Symbol]) -> tuple[str, bool] | None:
    """A factor in variables >= 0, if its coefficients are positive there, and whether it is > 0.

    ``known`` are the symbols of the case that those of the factor are.
    """
    fresh = case.variables
    ring = Ring(fresh)
    read = reader(ring)
    images: dict[Symbol, tuple[Poly, Poly]] = {}
    below: Expr = S.One
    try:
        for s, d in zip(f.ring.symbols, f.degrees(), strict=True):
            if d > 0:
                ratio = read(case.substitution[known[s]])
                images[s] = (ratio.numer, ratio.below)
                below *= ratio.below.as_expr() ** d
                if any(c < 0 for c in ratio.below.coeffs()):
                    return None
    except NotRational:
        return None
    poly = substituted(f, ring, images)
    if not poly or any(c < 0 for c in poly.coeffs()):
        return ("0", False) if not poly else None

    def strict(monomial: tuple[int, ...]) -> bool:
        return all(s in case.strict for s, k in zip(fresh, monomial, strict=True) if k)

    # The last of them is > 0 if one is.
    terms = sorted(poly.terms(), key=lambda of: strict(of[0]))
    powers = (Mul(to_sympy(c), *(s**k for s, k in zip(fresh, m, strict=True))) for m, c in terms)
    names = {v: v.name for v in fresh}
    text = " + ".join(term(p, names, 1) for p in powers)
    if below != 1:
        text = f"({text}) / ({term(below, names)})"
    return text, strict(terms[-1][0])


def _as_product(monomial: Expr, meaning: Mapping[Symbol, Expr]) -> str:
    """A monomial of exponentials as a product of them and of their inverses."""
    factors = []
    for f in Mul.make_args(monomial):
        base, k = f.as_base_exp()
        if not meaning.get(base, S.One).args:
            raise NotWritten(f"{f} is not an exponential of parameters")
        atom = f"exp ({term(meaning[base].args[0])})"
        factors += [atom if k > 0 else f"/ {atom}"] * abs(int(k))
    return " * ".join(factors)
