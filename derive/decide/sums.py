"""Sums over indices, with any number of terms: a normal form, by which two are proved equal.

A sum is ``Sum(f, (i, 1, n))`` with ``n`` any expression that is an integer >= 1 and ``f`` made of
``Indexed`` entries. What is used, for every n, is that

- sums are linear, and their order does not matter;
- what does not depend on an index leaves its sum, and sums over different indices of factors that
  share none are multiplied;
- a sum of ones has as many as there are terms;
- logarithms of products of positive factors are sums, and exponentials of sums are products;
- and what is given of some sums, such as that of shares being 1.

What is left are sums that no rule touches, each with one name for its indices.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import permutations, product

from sympy import (
    Add,
    Dummy,
    Expr,
    Indexed,
    Mul,
    Pow,
    S,
    Sum,
    Symbol,
    default_sort_key,
    exp,
    log,
)

from .decide import is_proved_positive, zero
from .domain import Domain, Range
from .evidence import Evidence, Grade, Holds, Outcome, Undecided

#: A term: the index that runs, up to what; and the factors.
Indices = tuple[tuple[Symbol, Expr], ...]
Term = tuple[Indices, tuple[Expr, ...]]
#: What a sum over one index is known to be.
Known = Mapping[Sum, Expr]

HOW = "linearity of sums, for any number of terms"


class NoSum(ValueError):
    """A sum that is not of the form that is read; one line."""


def normal(e: Expr, known: Known | None = None) -> Expr:
    """The normal form of an expression with sums.

    Parameters
    ----------
    known
        Sums over one index, and what they are: ``{Sum(a[i], (i, 1, n)): 1}``. Another index in them
        stands for itself, and for any that is summed over.

    Raises
    ------
    NoSum
        If a sum does not run over an index from 1 on, or how far depends on another index.
    """
    return Add(*(_gathered(term, known or {}) for term in _terms(e, known or {})))


def equal(left: Expr, right: Expr, domain: Domain, known: Known | None = None) -> Outcome:
    """Whether two expressions with sums are equal, for any number of terms.

    Symbols outside of sums are bounded by the ``domain``; entries are what their bases say, which
    has to be that they are real. Sums have a term or more everywhere on the domain.
    """
    given = [left, right, *(known or {}), *(known or {}).values()]
    for entry in (e for part in given for e in part.atoms(Indexed)):
        if not entry.is_real:
            return Undecided(f"{entry} is not known to be real")
    try:
        gap = normal(left - right, known)
    except NoSum as error:
        return Undecided(str(error))
    for high in dict.fromkeys(high for part in given for high in _highs(part)):
        if not high.is_integer or not is_proved_positive(high, domain):
            return Undecided(f"{high} is not known to be an integer >= 1")
    atoms = _outermost(gap)
    stand_ins = {a: Dummy(f"s{k}", real=True) for k, a in enumerate(atoms)}
    # Their signs were used where logarithms were split; here they are any numbers.
    ranges = dict.fromkeys(stand_ins.values(), Range())
    witness = dict.fromkeys(ranges, S.One)
    whole = Domain({**domain.ranges, **ranges}, {**domain.witness, **witness})
    found = zero(gap.xreplace(stand_ins), whole)
    if isinstance(found, Holds):
        return Holds(Evidence(Grade.EXACT, HOW))
    return Undecided(f"{gap} is not proved to be zero")


def is_positive(e: Expr) -> bool:
    """Whether every value is known to be > 0; a sum has a term."""
    if isinstance(e, Sum):
        return is_positive(e.function)
    if isinstance(e, Add | Mul):
        return all(map(is_positive, e.args)) or bool(e.is_positive)
    if isinstance(e, Pow) and is_positive(e.base):
        return bool(e.exp.is_real)
    return bool(e.is_positive)


# --- terms -----------------------------------------------------------------------------------
def _terms(e: Expr, known: Known) -> list[Term]:
    """The expression as a sum of terms, each a product summed over indices of its own."""
    if isinstance(e, Add):
        return [term for part in e.args for term in _terms(part, known)]
    if isinstance(e, Mul):
        return _multiplied([_terms(part, known) for part in e.args])
    if isinstance(e, Pow) and e.exp.is_Integer and e.exp > 0 and isinstance(e.base, Add | Sum):
        return _multiplied([_terms(e.base, known) for _ in range(int(e.exp))])
    if isinstance(e, Sum):
        return _of_sum(e, known)
    if isinstance(e, Indexed) or not e.args or not all(isinstance(a, Expr) for a in e.args):
        return [((), (e,))]
    inside = [normal(a, known) for a in e.args]
    if isinstance(e, log):
        return _of_log(inside[0])
    if isinstance(e, exp):
        return [((), tuple(exp(part) for part in Add.make_args(inside[0])))]
    return [((), Mul.make_args(e.func(*inside)))]


def _of_log(argument: Expr) -> list[Term]:
    found: list[Term] = []
    for factor in Mul.make_args(argument):
        if not is_positive(factor):
            return [((), (log(argument),))]
        if isinstance(factor, exp):
            found += _terms(factor.args[0], {})
        elif isinstance(factor, Pow) and is_positive(factor.base):
            found += _multiplied([_terms(factor.exp, {}), [((), (log(factor.base),))]])
        else:
            found.append(((), (log(factor),)))
    return found


def _of_sum(e: Sum, known: Known) -> list[Term]:
    found = e.function
    names: list[tuple[Symbol, Expr]] = []
    for index, low, high in e.limits:  # the innermost first: it binds an index that stands twice
        if low != 1 or any(high.has(i) for i, *_ in e.limits):
            raise NoSum(f"{e} does not run from 1 on to a number of terms")
        own = Dummy(index.name, integer=True)
        found = found.xreplace({index: own})
        names.append((own, high))
    terms = _terms(found, known)
    if any(high.has(index) for own, _ in terms for _, high in own for index, _ in names):
        raise NoSum(f"{e} has a sum inside, whose number of terms depends on an index")
    return [((*names, *own), factors) for own, factors in terms]


def _multiplied(parts: Sequence[list[Term]]) -> list[Term]:
    """Every term of each by every term of the others; none has an index of another's."""
    return [
        (
            tuple(pair for indices, _ in chosen for pair in indices),
            tuple(f for _, factors in chosen for f in factors),
        )
        for chosen in product(*parts)
    ]


# --- one term --------------------------------------------------------------------------------
def _gathered(term: Term, known: Known) -> Expr:
    """A term as a product of sums, of which none is a product of others."""
    highs = dict(term[0])
    factors = list(Mul.make_args(Mul(*term[1])))
    found: Expr = S.One
    while (replaced := _replaced(highs, factors, known)) is not None:
        index, value, rest = replaced
        del highs[index]
        # The value may depend on the other indices.
        factors = list(Mul.make_args(Mul(value, *rest)))
    left = set(highs)
    while left:
        part = _joined(left, factors)
        inside = [f for f in factors if f.free_symbols & part]
        factors = [f for f in factors if not f.free_symbols & part]
        found *= _named({i: highs[i] for i in part}, inside)
        left -= part
    return found * Mul(*factors)


def _replaced(
    highs: Mapping[Symbol, Expr], factors: list[Expr], known: Known
) -> tuple[Symbol, Expr, list[Expr]] | None:
    """An index whose factors add up to what is known, that, and what is left."""
    for index, (sum_, value) in product(highs, known.items()):
        ((bound, _, high),) = sum_.limits
        inside = Mul(*(f for f in factors if index in f.free_symbols))
        if high != highs[index] or inside == 1:
            continue
        for new in _renamings(sum_, inside, index):
            if sum_.function.xreplace({**new, bound: index}) == inside:
                rest = [f for f in factors if index not in f.free_symbols]
                return index, value.xreplace(new), rest
    return None


def _renamings(sum_: Sum, inside: Expr, index: Symbol) -> Iterator[dict[Expr, Expr]]:
    """What the other indices of a known sum may stand for."""
    symbols = {s for s in _indices(sum_.function) if s.is_Symbol}
    others = sorted(symbols - {sum_.limits[0][0]}, key=default_sort_key)
    # What runs is a dummy by now; another expression, such as i + 1, may be out of range.
    indices = [k for k in _indices(inside) - {index} if isinstance(k, Dummy) or k in others]
    indices = sorted(indices, key=default_sort_key)
    for chosen in product(indices, repeat=len(others)):
        yield dict(zip(others, chosen, strict=True))


def _indices(e: Expr) -> set[Expr]:
    """What stands as an index in it."""
    return {i for entry in e.atoms(Indexed) for i in entry.indices}


def _joined(left: set[Symbol], factors: Sequence[Expr]) -> set[Symbol]:
    """The indices that factors join to one of them."""
    part = {min(left, key=default_sort_key)}
    while (
        more := {i for f in factors if f.free_symbols & part for i in f.free_symbols & left} - part
    ):
        part |= more
    return part


def _named(highs: Mapping[Symbol, Expr], factors: Sequence[Expr]) -> Expr:
    """One sum, its indices called the same in whatever order they come."""
    if not factors:
        return Mul(*highs.values())
    summand = Mul(*factors)
    level = 1 + max((_level(s) for s in summand.atoms(Sum)), default=0)
    names = [_name(level, k) for k in range(len(highs))]
    best: Sum | None = None
    for order in permutations(highs):
        new = dict(zip(order, names, strict=True))
        made = Sum(summand.xreplace(new), *((new[i], 1, highs[i]) for i in order))
        if best is None or str(made) < str(best):
            best = made
    assert best is not None
    return best


@cache
def _name(level: int, place: int) -> Dummy:
    """An index of a normal form: none that anyone else uses."""
    return Dummy(f"i_{level}_{place}", integer=True)


def _highs(e: Expr) -> list[Expr]:
    """Up to what sums in it run."""
    return [high for s in e.atoms(Sum) for _, _, high in s.limits]


def _level(s: Sum) -> int:
    """How deep the sums in it are nested; an index inside another sum has another name."""
    return 1 + max((_level(inner) for inner in s.function.atoms(Sum)), default=0)


def _outermost(e: Expr) -> list[Expr]:
    """Sums and entries that stand in no other sum."""
    if isinstance(e, Sum | Indexed):
        return [e]
    return list(dict.fromkeys(a for arg in e.args for a in _outermost(arg)))
