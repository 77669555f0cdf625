"""A theorem about one structure: that no unit vectors of any dimension have a smaller loss.

The statement has the loss written out, from its declaration: what each relation weighs in the
denominator and among the positives, or the function of an inner product. The proof is generated
from the declaration too: the gradient by relation at the structure, which by the library is at
least its least eigenvalue on unit vectors, and for each eigenvalue an inequality between real
numbers that none is below the level of the structure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import product

from sympy import Expr, Symbol, expand

from ...decide.domain import Domain
from ...frozen import FrozenValue
from ...problems.batches import BatchProblem
from ...problems.problem import Problem
from ...theorem.result import Result
from .declared import ALL, CONTRAST, MEAN, Declared, Kinds, listed
from .kinds import read
from .signs import Signs, shown_positive
from .statements import Theorem
from .terms import PRODUCT, NotWritten, bounds, hypotheses, lemma, name, term

#: How what a lemma asks of its arguments is known.
KNOWN = "assumption | lra"
#: That real numbers are in ranges, or numbers of both kinds.
REALS = "simpl; repeat split; lra"
SOMEWHERE = "repeat split; try lia; rewrite ?INR_IZR_INZ; cbn; lra"


class AtStructure(FrozenValue):
    """A theorem about one structure: that its loss is the least, and when."""

    called: str
    result: Result
    problem: Problem

    @property
    def domain(self) -> Domain:
        """Where."""
        raise NotImplementedError

    @property
    def inner(self) -> Mapping[str, Expr]:
        """Inner products of the structure, by relation."""
        raise NotImplementedError

    @cached_property
    def declared(self) -> Declared:
        """The loss, and the inner products of the structure."""
        return read(self.called, self.problem, self.inner)

    # --- eigenspaces as tensor products -----------------------------------------------------
    @cached_property
    def spaces(self) -> dict[Kinds, str]:
        """The eigenspace of each product of means and contrasts."""
        found = {}
        for kinds in product((MEAN, CONTRAST), repeat=len(self.problem.scheme.axes)):
            values = self.declared.eigenvalues(kinds)
            rows = self.problem.scheme.table.items()
            same = [e for e, row in rows if all(expand(row[r] - v) == 0 for r, v in values.items())]
            if len(same) != 1:
                raise NotWritten("an eigenspace is not a product of means and contrasts")
            found[kinds] = same[0]
        return found

    def pure(self, name: str) -> Kinds:
        """The product that a pure structure is, where ``All`` is both of an axis."""
        mine = {k for k, e in self.spaces.items() if e == name}
        for kinds in product((MEAN, CONTRAST, ALL), repeat=len(self.problem.scheme.axes)):
            both = (((MEAN, CONTRAST) if k == ALL else (k,)) for k in kinds)
            if set(product(*both)) == mine:
                return kinds
        raise NotWritten("the structure is not one product of means and contrasts")

    # --- text ---------------------------------------------------------------------------------
    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """All symbols, in order."""
        return tuple(self.domain.ranges)

    def _given(self, *, real: bool) -> str:
        """The symbols as arguments; sizes are natural numbers, or have become real ones."""
        return arguments(self.symbols, real=real)

    # --- lemmas about real numbers ----------------------------------------------------------------
    def _spelled_out(self) -> list[str]:
        return [
            f"unfold {self.declared.all_unfolded};",
            f"  cbn [nth row eigen split_off over {self.declared.fields}].",
            *self.declared.cleared,
        ]

    def _unfolded(self, signs: Signs) -> list[str]:
        return [*self._spelled_out(), *signs.lines]

    def _convexity(self) -> str:
        lines: list[str] = []
        for weight in self.declared.weights:
            proof = shown_positive("", weight, self.domain, strict=False)
            lines += [f"assert (0 <= {term(weight, None, PRODUCT)}).", *proof]
        partition = f"unfold {self.declared.all_unfolded}; cbn [row {self.declared.fields}]; pos"
        lines += self.declared.convex_proof("first [assumption | pos]", partition)
        goal = f"({self.declared.convex(self.declared.sizes, *self._data(real=True))})"
        return lemma(f"{self.called}_convex", self.domain, goal, lines)

    def _data(self, *, real: bool) -> tuple[str, str]:
        given = self._given(real=real)
        return f"({self.called}_terms {given})", f"({self.called}_inner {given})"

    def _above(self, kinds: Kinds, *, real: bool = True) -> str:
        """That the eigenvalue on a space is at least the level, by default for real sizes."""
        return f"{self._level(real=real)} <= {self._eigenvalue(kinds, real=real)}"

    def _gradient(self, *, real: bool) -> str:
        return self.declared.gradient_of(self._sizes(real=real), *self._data(real=real))

    def _sizes(self, *, real: bool) -> str:
        return self.declared.sizes if real else self._reals

    def _level(self, *, real: bool = True) -> str:
        inner = self._data(real=real)[1]
        return f"level {self._sizes(real=real)} {self._gradient(real=real)} {inner}"

    def _eigenvalue(self, kinds: Kinds, *, real: bool = True) -> str:
        return f"eigen {self._sizes(real=real)} {listed(kinds)} {self._gradient(real=real)}"

    def _gap(self, kinds: Kinds) -> Expr:
        return self.declared.eigenvalue(kinds) - self.declared.level

    def _name(self, kinds: Kinds) -> str:
        return "".join(k[0] for k in kinds)

    def _at(self, called: str) -> str:
        """One of its lemmas at the symbols."""
        return f"{self.called}_{called} {self._given(real=False)}"

    def _first(self, e: str) -> Kinds:
        """The product in an eigenspace with the fewest contrasts."""
        return min(
            (k for k, own in self.spaces.items() if own == e), key=lambda k: k.count(CONTRAST)
        )

    def _quantified(self) -> str:
        naturals = " ".join(name(s) for s in self.symbols if s.is_integer)
        reals = " ".join(name(s) for s in self.symbols if not s.is_integer)
        return f"({naturals} : nat)" + (f" ({reals} : R)" if reals else "")

    def _witness(self, s: Symbol) -> str:
        value = self.domain.witness_of(s)
        return f"{value}%nat" if s.is_integer else f"({term(value)})"

    @cached_property
    def _naturals(self) -> dict[Symbol, str]:
        """Sizes where they are natural numbers and a real number is meant."""
        return {s: f"(INR {name(s)})" for s in self.symbols if s.is_integer}

    def _ranges(self) -> list[str]:
        found = []
        for s, r in self.domain.ranges.items():
            if s.is_integer:
                bounded = r.high.is_finite is not False
                if not r.low.is_Integer or r.low_open or (bounded and r.high.is_Integer):
                    raise NotWritten(f"the range of {s} is not from a number on, or up to a size")
                upto = f" <= {term(r.high)}" if bounded else ""
                found.append(f"({r.low} <= {name(s)}{upto})%nat")
            else:
                found += bounds(s, r, self._naturals).values()
        return found

    # --- the theorem -----------------------------------------------------------------------------
    def _theorem(self, claim: str, when: str, lemmas: Iterable[str]) -> Theorem:
        """The theorem that says so of all sizes and parameters, and that there are some."""
        relations = ", ".join(f"{r} = {v}" for r, v in self.inner.items() if r != "self")
        least = f"No unit vectors of any dimension have a smaller loss{self.mean}"
        ranges = self._ranges()
        somewhere = " /\\ ".join(ranges)
        return Theorem(
            self.called,
            f"{least} than {relations}{when}",
            f"(exists {self._quantified()}, {somewhere}) /\\\n"
            f"  forall {self._quantified()}, {' -> '.join(ranges)} ->\n  {claim}",
            (*self._begun(), *self._proof()),
            definitions=self.declared.definitions(self.symbols),
            lemmas=tuple(lemmas),
            whole=True,
        )

    def _least(self) -> tuple[str, str]:
        """That vectors have these inner products, and that none have a smaller loss."""
        sizes, (terms, inner) = self.declared.numbers, self._data(real=False)
        loss = self.declared.loss_of(terms)
        return f"attained {sizes} {inner}", f"least {sizes} {loss} {inner}"

    def _begun(self) -> Iterator[str]:
        """Lines up to that the loss is smooth at the structure."""
        sizes, data = self.declared.numbers, self._data(real=False)
        hyps: list[str] = []
        for s, r in self.domain.ranges.items():
            given = list(bounds(s, r))
            hyps += [f"[{' '.join(given)}]"] if s.is_integer and len(given) > 1 else given
        naturals = sorted(self.symbols, key=lambda s: not s.is_integer)
        yield f"split; [exists {', '.join(map(self._witness, naturals))}; {SOMEWHERE} |]."
        yield f"intros {' '.join(map(name, naturals))} {' '.join(hyps)}."
        for s in self._naturals:
            for end in bounds(s, self.domain.ranges[s]):
                yield f"assert (R{end} := le_INR _ _ {end})."
                if not self.domain.ranges[s].high.is_Atom:
                    yield f"rewrite ?plus_INR, ?minus_INR, ?mult_INR in R{end} by nia."
                yield f"simpl in R{end}."
        yield f"assert (one : forall size_, In size_ {sizes} -> (1 <= size_)%nat)"
        yield "  by (simpl; intros; intuition lia)."
        yield from self._prepared()
        smooth = self.declared.smooth.format(sizes=sizes, inner=data[1])
        yield f"assert (smooth_ := {smooth})."

    def _prepared(self) -> Iterator[str]:
        """That the loss is convex, and lines before it is compared."""
        data, holes = self._data(real=False), " _" * len(hypotheses(self.domain))
        yield f"assert (ok : {self.declared.convex(self._reals, *data)})."
        yield f"{{ refine ({self._at('convex')}{holes}); first [{KNOWN}]. }}"
        yield from self.declared.prepared(*data)

    @property
    def mean(self) -> str:
        """Over what the loss is a mean, after it."""
        return " in the mean over batches" if isinstance(self.problem, BatchProblem) else ""

    @property
    def _reals(self) -> str:
        return f"(map INR {self.declared.numbers})"

    def _proof(self) -> Iterator[str]:
        """Lines after these."""
        raise NotImplementedError

    def _there(self, called: str, kinds: Kinds) -> str:
        return f"assert ({called} : there {self._reals} {listed(kinds)}) by ({REALS})."

    def _is(self, called: str, inner: str) -> Iterator[str]:
        """That the inner products are these of patterns a_."""
        yield f"assert ({called} : forall a_, length a_ = length {self.declared.numbers} ->"
        yield f"  {self._data(real=False)[1]} a_ = {inner})."
        yield "{ intros a_ e_; each_pattern a_ e_; clear e_;"
        yield f"  unfold {self.declared.inner_name};"
        yield "  cbn [map pure off INR]; field; repeat split; lra. }"


def arguments(symbols: Iterable[Symbol], *, real: bool) -> str:
    """Symbols as arguments; sizes are natural numbers, or have become real ones."""
    return " ".join(name(s) if real or not s.is_integer else f"(INR {name(s)})" for s in symbols)
