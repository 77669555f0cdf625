r"""A declared loss written out in full: as text and as LaTeX, from the declaration alone.

What is summed or averaged over what, whether the anchor is in numerator and denominator,
whether a temperature divides or multiplies, which way a bias works, and how many directions
there are: papers and libraries differ in exactly these. Nothing here knows a loss by name,
so another declaration is another text.

Two towers with one vector per item are written in the items, ``c_ij = u_i . v_j``; any other
structure with an anchor u and the sets of vectors that its relations lead to.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

from sympy import Expr, S, Symbol, exp, fraction, latex

from ..decide.present import as_count
from ..decide.spelling import listed
from ..frozen import FrozenValue
from ..language.typed import formula
from ..structures.scheme import Scheme
from ..structures.towers import NEGATIVE, POSITIVE, SIBLING, TWIN, WITHIN
from .pairwise import PairwiseLoss, c
from .softmax import SoftmaxLoss, SoftmaxTerm

Loss = SoftmaxLoss | PairwiseLoss

#: Relations in words, as seen from an anchor.
WORDS = {
    "self": "the anchor itself",
    "same_instance": "the other views of its instance",
    "same_class": "the other instances of its class",
    "cross_class": "the vectors of other classes",
    "same_superclass": "the vectors of other classes of its superclass",
    "cross_superclass": "the vectors of other superclasses",
    POSITIVE: "its item in the other towers",
    SIBLING: "the other vectors of its item in the other towers",
    TWIN: "the other vectors of its item in its own tower",
    WITHIN: "the other items in its own tower",
    NEGATIVE: "the other items in the other towers",
}


def in_words(relation: str, scheme: Scheme) -> str:
    """A relation in words; without towers a negative is another instance."""
    if relation == NEGATIVE and WITHIN not in {r.name for r in scheme.relations}:
        return "the other instances"
    return WORDS.get(relation, f"vectors in the relation {relation.replace('_', ' ')}")


class Written(FrozenValue):
    """A loss as one formula, and sentences that say what its letters mean."""

    formula: str
    notes: tuple[str, ...]


# --- how formulas are put together -----------------------------------------------------------
#: Inner products in formulas: name as text -> LaTeX.
INNER = {
    "u.v": r"u^\top v",
    "u.w": r"u^\top w",
    "c_ii": "c_{ii}",
    "c_ij": "c_{ij}",
    "c_ji": "c_{ji}",
}


LINE = 84  #: a longer formula has a line for each of its terms
#: The parts of a formula, as text and as LaTeX.
FORMS = {
    "math": ("{}", "${}$"),
    "equation": ("L = {}", r"\mathcal{{L}} = {}"),
    "one over": ("(1/{})", r"\frac{{1}}{{{}}}"),
    "group": ("({})", r"\left({}\right)"),
    "member": ("{} in {}", r"{} \in {}"),
    "unequal": ("j != i", r"j \ne i"),
    "mean": ("mean_{}", r"\operatorname*{{mean}}_{{{}}}"),
    "sum": ("sum_{}", r"\sum_{{{}}}"),
    "log ratio": ("log({} / {})", r"\log\frac{{{}}}{{{}}}"),
    "together": ("[{}]", "{}"),  # in LaTeX a fraction holds it together
    "at least": ("{} >= {}", r"{} \ge {}"),
    "set": ("{}{}(u)", "{}_{}(u)"),
}


class Plain:
    """Formulas as text that fits on a few lines."""

    language = 0

    def __call__(self, template: str, *parts: object) -> str:
        """One of :data:`FORMS` with its parts put in."""
        return FORMS[template][self.language].format(*parts)

    def expression(self, e: Expr) -> str:
        """An expression."""
        return str(e)

    def tex(self, tex: str) -> str:
        """A formula that is given in LaTeX."""
        return formula(tex)

    def name(self, text: str, tex: str) -> str:
        """What a quantity is called as text and in LaTeX."""
        return text

    def over(self, template: str, index: str) -> str:
        """The sign of a sum or a mean."""
        return self(template, index if len(index) == 1 else f"{{{index}}}")

    def bracket(self, before: str, terms: Sequence[str]) -> str:
        """``before`` applied to a sum of terms, one a line if they are long."""
        short = f"{before} [ {' + '.join(terms)} ]"
        if len(short) <= LINE:
            return short
        return f"{before} [\n    " + "\n    + ".join(terms) + " ]"

    def sentence(self, text: str) -> str:
        """Words."""
        return text


class Tex(Plain):
    """Formulas as LaTeX; sentences with the mathematics between dollars.

    Parameters
    ----------
    symbol
        LaTeX of a symbol.
    escape
        What to do with words.
    named
        LaTeX of the name of a quantity.
    """

    language = 1

    def __init__(
        self,
        symbol: Callable[[Symbol], str] = latex,
        escape: Callable[[str], str] = lambda text: text,
        named: Callable[[str], str] = lambda tex: tex,
    ):
        self._symbol, self._escape, self._named = symbol, escape, named

    def expression(self, e: Expr) -> str:
        names = {s: INNER.get(s.name) or self._symbol(s) for s in e.free_symbols}
        return str(latex(e, symbol_names=names))

    def tex(self, tex: str) -> str:
        return tex

    def name(self, text: str, tex: str) -> str:
        return f"${self._named(tex)}$"

    def over(self, template: str, index: str) -> str:
        return self(template, index)

    def bracket(self, before: str, terms: Sequence[str]) -> str:
        rows = r" \\ & {} + ".join(terms)
        if len(terms) == 1:
            return rf"{before} {rows}"
        return rf"{before} \Bigl[ \begin{{aligned}}[t] & {rows} \Bigr] \end{{aligned}}"

    def sentence(self, text: str) -> str:
        return self._escape(text)


def noted(note: str, style: Plain) -> str:
    """A sentence in which formulas in LaTeX stand between dollars."""
    parts = enumerate(note.split("$"))
    return "".join(
        style("math", style.tex(part)) if k % 2 else part and style.sentence(part)
        for k, part in parts
    )


def write(loss: Loss, scheme: Scheme, style: Plain | None = None) -> Written:
    """A declared loss on a structure, written out."""
    style = style or Plain()
    if isinstance(loss, SoftmaxLoss):
        in_items = _is_two_towers(scheme) and all(_is_cross(t) for t in loss.terms)
        return (_softmax_of_items if in_items else _softmax)(loss, scheme, style)
    in_items = _is_two_towers(scheme) and {t.relation for t in loss.terms} <= {POSITIVE, NEGATIVE}
    return (_pairwise_of_items if in_items else _pairwise)(loss, scheme, style)


def structure(scheme: Scheme, style: Plain | None = None) -> str:
    """What vectors there are, and how many in which relation to each of them."""
    style = style or Plain()
    parts = [
        f"{style.sentence(in_words(r.name, scheme))} ({_math(r.count, style)})"
        for r in scheme.relations[1:]
    ]
    of = style.sentence("vectors; for each of them:")
    return f"{_math(scheme.size, style)} {of} {', '.join(parts)}"


def _math(e: Expr, style: Plain) -> str:
    return style("math", style.expression(e))


def _is_two_towers(scheme: Scheme) -> bool:
    names = {r.name for r in scheme.relations}
    return names == {"self", WITHIN, POSITIVE, NEGATIVE} and scheme.relation(POSITIVE).count == 1


def _is_cross(term: SoftmaxTerm) -> bool:
    return (
        term.positives == (POSITIVE,)
        and set(term.denominator) <= {POSITIVE, NEGATIVE}
        and not (term.own_positive or term.denominator_weights)
    )


def _factor(k: Expr, style: Plain) -> str:
    if k == 1:
        return ""
    shown = style.expression(k)
    divides = style.language == Plain.language and fraction(k)[1] != 1
    return f"{style('group', shown) if k.is_Add or divides else shown} "


def _operand(e: Expr, style: Plain) -> str:
    shown = style.expression(e)
    return style("group", shown) if e.is_Add or e.is_Mul or e.is_Pow else shown


# --- softmax losses --------------------------------------------------------------------------
def _heated(inner: str, loss: SoftmaxLoss, style: Plain) -> str:
    return style.expression(exp(loss.similar(Symbol(inner)) / loss.temperature))


def _softmax_of_items(loss: SoftmaxLoss, scheme: Scheme, style: Plain) -> Written:
    items = scheme.relation(NEGATIVE).count + 1
    terms, notes = [], []
    pair = _heated("c_ii", loss, style)
    for term in loss.terms:
        # A mean over the vectors of both towers is half of each direction.
        share = term.coefficient / 2
        for other in ("c_ij", "c_ji"):
            below = pair
            if NEGATIVE in term.denominator:
                over = "j" if POSITIVE in term.denominator else style("unequal")
                below = f"{style.over('sum', over)} {_heated(other, loss, style)}"
            terms.append(_factor(share, style) + style("log ratio", pair, below))
        if share in (S.One, S.Half):
            of = "sum" if share == 1 else "mean"
            notes.append(f"the {of} of two directions, with the anchor in either tower")
        notes.append(
            "the positive pair is in the numerator and "
            + ("" if POSITIVE in term.denominator else "not ")
            + "in the denominator"
        )
    before = f"-{style('one over', style.expression(items))} {style.over('sum', 'i')}"
    return Written(
        style("equation", style.bracket(before, terms)),
        (
            noted(ITEMS, style),
            *map(style.sentence, dict.fromkeys(notes)),
            *_of_temperature(loss, style),
        ),
    )


#: Items of two towers.
ITEMS = (
    r"$c_{ij}$ is $u_i \cdot v_j$ for unit vectors: $u_i$ of item $i$ in one tower, $v_j$ of item "
    "$j$ in the other"
)


def _softmax(loss: SoftmaxLoss, scheme: Scheme, style: Plain) -> Written:
    sets = _Sets(scheme, style)
    alike = [part for term in loss.terms for part in _alike(term, scheme)]
    positives = sets.names("P", [names for _, names, _ in alike])
    pools = [_pools(term) for *_, term in alike]
    denominators = iter(sets.names("D", [names for pool in pools for names in pool.values()]))
    terms = []
    for (coefficient, _, term), p, pool in zip(alike, positives, pools, strict=True):
        above, each = _heated("u.v", loss, style), _heated("u.w", loss, style)
        parts = [above] if term.own_positive else []
        for factor in pool:
            over = style.over("sum", style("member", "w", next(denominators)))
            parts.append(f"{_factor(factor, style)}{over} {each}")
        below = style("together", " + ".join(parts)) if len(parts) > 1 else parts[0]
        mean = style.over("mean", style("member", "v", p))
        terms.append(f"{_factor(coefficient, style)}{mean} {style('log ratio', above, below)}")
    return Written(
        style("equation", style.bracket("-" + style.over("mean", "u"), terms)),
        (sets.anchor(), *sets.said(), *_of_temperature(loss, style)),
    )


def _alike(
    term: SoftmaxTerm, scheme: Scheme
) -> Iterator[tuple[Expr, tuple[str, ...], SoftmaxTerm]]:
    """Positives that weigh the same: all of a term, or those of one relation."""
    if not term.weights:
        yield term.coefficient, term.positives, term
        return
    for r, share in term.shares(scheme).items():
        yield term.coefficient * share, (r,), term


def _pools(term: SoftmaxTerm) -> dict[Expr, tuple[str, ...]]:
    """What a denominator sums, by what its exponentials are multiplied by."""
    found: dict[Expr, tuple[str, ...]] = {}
    for r in term.denominator:
        factor = term.in_denominator(r)
        found[factor] = (*found.get(factor, ()), r)
    return found


def _of_temperature(loss: SoftmaxLoss, style: Plain) -> list[str]:
    found = []
    for s in sorted(loss.temperature.free_symbols, key=str):
        way = {1: "divides", -1: "multiplies"}.get(loss.temperature.as_powers_dict()[s])
        if way:
            what = "inner products" if loss.similarity is None else "similarities"
            found.append(f"{_math(s, style)} {style.sentence(f'{way} the {what}')}")
    return found


# --- pairwise losses -------------------------------------------------------------------------
def _pairwise_of_items(loss: PairwiseLoss, scheme: Scheme, style: Plain) -> Written:
    negatives = scheme.relation(NEGATIVE).count
    items = negatives + 1
    terms = []
    counted = {POSITIVE: (items, "positive"), NEGATIVE: (items * negatives, "negative")}
    for term in loss.terms:
        own = term.relation == POSITIVE
        inside = _operand(term.at(Symbol("c_ii" if own else "c_ij")), style)
        inside = inside if own else f"{style.over('sum', style('unequal'))} {inside}"
        terms.append(_factor(term.weight, style) + inside)
    said = [
        f"{_math(n, style)} {style.sentence(f'{name} pairs')}"
        for relation, (n, name) in counted.items()
        if relation in {t.relation for t in loss.terms}
    ]
    before = f"{style('one over', style.expression(items))} {style.over('sum', 'i')}"
    every = f"{style.sentence('a sum over all')} {' and '.join(said)}"
    return Written(
        style("equation", style.bracket(before, terms)),
        (
            noted(ITEMS, style),
            f"{every}{style.sentence(', divided by')} {_math(items, style)}",
            *_of_parameters(loss, style),
        ),
    )


def _pairwise(loss: PairwiseLoss, scheme: Scheme, style: Plain) -> Written:
    sets = _Sets(scheme, style)
    same: dict[tuple[Expr, Expr], list[str]] = {}
    for term in loss.terms:
        same.setdefault((term.function, term.weight), []).append(term.relation)
    names = sets.names("R", [tuple(relations) for relations in same.values()])
    terms = []
    for (function, weight), name in zip(same, names, strict=True):
        inside = _operand(function.xreplace({c: Symbol("u.v")}), style)
        total = style.over("sum", style("member", "v", name))
        terms.append(f"{_factor(weight, style)}{total} {inside}")
    felt = {t.relation for t in loss.terms}
    left = [r.name for r in scheme.relations[1:] if r.name not in felt]
    said = ", ".join(in_words(r, scheme) for r in left)
    unfelt = [f"not in the loss: {said}"] if left else []
    return Written(
        style("equation", style.bracket(style.over("mean", "u"), terms)),
        (
            sets.anchor(),
            *sets.said(),
            *map(style.sentence, unfelt),
            *_of_parameters(loss, style),
        ),
    )


def _of_parameters(loss: PairwiseLoss, style: Plain) -> list[str]:
    """Which parameter scales the inner product, and which way the others work."""
    kinds = {POSITIVE: "positive", NEGATIVE: "negative"}
    felt = [t for t in loss.terms if t.relation in kinds]
    symbols = set().union(*(t.function.free_symbols for t in loss.terms)) - {c}
    found = []
    for s in sorted(symbols, key=str):
        say, ways = _math(s, style), {_scaling(e, s) for t in felt for e in t.function.atoms(exp)}
        if len(ways) == 1 and (way := ways.pop()):
            found.append(f"{say} {style.sentence(f'{way} the inner products')}")
            continue
        effects = list(dict.fromkeys((_direction(t.function, s), kinds[t.relation]) for t in felt))
        one_way = len({kind for _, kind in effects}) == len(effects)  # else a label is random
        if effects and one_way and all(way for way, _ in effects):
            said = " and ".join(f"{way} the loss of {kind} pairs" for way, kind in effects)
            found.append(f"{style.sentence('a larger')} {say} {style.sentence(said)}")
    return found


def _scaling(power: Expr, s: Symbol) -> str:
    rate = power.args[0].diff(c)
    if rate and (rate / s).is_number:
        return "multiplies"
    return "divides" if rate and (rate * s).is_number else ""


def _direction(function: Expr, s: Symbol) -> str:
    rate = function.diff(s)
    return "raises" if rate.is_positive else "lowers" if rate.is_negative else ""


# --- sets of vectors, as an anchor sees them ---------------------------------------------------
class _Sets:
    """Sets of relations with a letter each, and what is in them."""

    def __init__(self, scheme: Scheme, style: Plain):
        self.scheme, self.style = scheme, style
        self._named: dict[str, tuple[str, ...]] = {}

    def names(self, letter: str, sets: Sequence[Collection[str]]) -> list[str]:
        """A name for each set, the same for equal ones."""
        order = [r.name for r in self.scheme.relations]
        keys = [tuple(sorted(set(members), key=order.index)) for members in sets]
        different = list(dict.fromkeys(keys))
        numbers = range(1, len(different) + 1) if len(different) > 1 else [None]
        called = {
            key: self.style("set", letter, number) if number else f"{letter}(u)"
            for key, number in zip(different, numbers, strict=True)
        }
        self._named.update({name: key for key, name in called.items()})
        return [called[key] for key in keys]

    def anchor(self) -> str:
        """What the outer mean is over."""
        say = self.style.sentence
        return (
            f"{say('the anchor')} {self.style('math', 'u')} {say('is each of the')} "
            f"{_math(self.scheme.size, self.style)} {say('unit vectors in turn')}"
        )

    def said(self) -> list[str]:
        """For each set what is in it."""
        return [self._members(name, key) for name, key in self._named.items()]

    def _members(self, name: str, members: tuple[str, ...]) -> str:
        say = self.style.sentence
        everything = [r.name for r in self.scheme.relations]
        others = [r for r in members if r != "self"]
        count = as_count(sum((self.scheme.relation(r).count for r in members), S.Zero))
        if others == everything[1:]:
            what = f"all vectors, the anchor {'included' if 'self' in members else 'excluded'}"
        else:
            what = listed([in_words(r, self.scheme) for r in members])
        return f"{self.style('math', name)}{say(f': {what}')} ({_math(count, self.style)})"
