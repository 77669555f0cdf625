"""Certificates of softmax losses on points of several kinds, such as classes of different sizes.

As where all points are alike, the loss lies above its tangent. What that loses is bounded by one
number per kind, for contrasts within it, and by a matrix with a row for each kind that is positive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product
from math import prod
from typing import Any, NamedTuple

from sympy import Expr, Matrix, Rational, S

from ...losses.softmax import SoftmaxLoss, SoftmaxTerm
from ...optimum.blocks import ReducedOnOrbits
from ...optimum.reduce import ReducedLoss
from ...structures.configuration import Configuration
from .declared import at_numbers
from .softmax import SoftmaxTerms
from .statements import Theorem
from .terms import NotWritten, agreeing, term

#: Digits of what is computed, bits of the proof, and what multipliers may give away.
WORKING, BITS = 60, 170
GIVEN = [Rational(1, 2**k) for k in range(115, 9, -1)]
#: Decimals of derivatives that are proved.
CLOSE = 46
#: Two kinds, and where they are one, which indices agree.
Relation = tuple[int, int, tuple[bool, ...]]
UNFOLDED = "value_of_kinds, value_by, slack, means, partition_by, sum_of, row_of, card"
REDUCED = (
    "sum length nth fold_right Nat.eqb row split_off over fst map positive weight denominator "
    "positives"
)


class Written(NamedTuple):
    """Text of a certificate: a loss, a point, all vectors; and how the two theorems are proved."""

    loss: str
    point: str
    vectors: str
    definitions: str
    lemmas: tuple[str, ...]
    valued: tuple[str, ...]
    bounded: tuple[str, ...]


def claimed(
    called: str, claim: Mapping[str, str], proved: Expr, w: Written
) -> tuple[Theorem, Theorem]:
    """What a certificate claims: the loss of its point, and a bound on that of all unit vectors.

    Raises
    ------
    NotWritten
        If the bound is above what is proved.
    """
    loss, gap = Rational(claim["loss"]), Rational(claim["gap"])
    if loss - gap > proved:
        raise NotWritten(f"the bound that the gradient gives is {proved.n(20)}, below the claim")
    return Theorem(
        f"{called}_value",
        f"The loss of the inner products is {claim['loss']} up to {claim['gap']}",
        f"Rabs ({w.loss} {w.point}\n    - {term(loss, None, 2)}) <= {term(gap)}",
        w.valued,
        definitions=w.definitions,
        lemmas=w.lemmas,
    ), Theorem(
        f"{called}_bound",
        f"No unit vectors of any dimension have a loss below {claim['loss']} - {claim['gap']}",
        f"forall dims x, {w.vectors} dims x ->\n    {term(loss - gap)} <= {w.loss} (inner dims x)",
        w.bounded,
        whole=True,
    )


class Several(SoftmaxTerms):
    """A softmax loss at numbers, and inner products by the names of relations."""

    kind, related = "member_term", "relation"

    def __post_init__(self) -> None:
        loss = self.problem.loss
        if not isinstance(loss, SoftmaxLoss) or loss.similarity is not None:
            raise NotWritten("on points of several kinds, only softmax losses are written")
        if loss.over_batches or any(t.own_positive for t in loss.terms):
            raise NotWritten("on points of several kinds, positives share a denominator")
        if not self.tau.is_Rational:
            raise NotWritten(f"{self.tau} is not rational")

    # --- the declaration --------------------------------------------------------------------
    @property
    def structure(self) -> Configuration:
        """The kinds and their relations."""
        assert isinstance(self.problem.structure, Configuration)
        return self.problem.structure

    @cached_property
    def axes(self) -> list[tuple[int, ...]]:
        """The sizes of each kind."""
        parts = self.structure.parts.values()
        return [tuple(int(self.put(a)) for a in part.axes) for part in parts]

    @cached_property
    def relations(self) -> dict[Relation, tuple[str, str, int]]:
        """The name of each, what losses call it, and the partners that a point has in it."""
        found: dict[Relation, tuple[str, str, int]] = {}
        for (i, left), (j, right) in product(enumerate(self.structure.parts), repeat=2):
            between = self.structure.between(left, right)
            if i != j:
                found[i, j, ()] = between[0].name, between[0].kind, prod(self.axes[j])
                continue
            names = {r.kind: r.name for r in between}
            for same, kind in self.structure.parts[left].pattern.items():
                each = (1 if s else a - 1 for s, a in zip(same, self.axes[i], strict=True))
                found[i, i, same] = names[kind], kind, prod(each)
        return found

    def row(self, i: int, summand: Callable[[Relation], Expr]) -> Expr:
        """The sum over all partners of a point."""
        rows = ((r, k) for r, (_, _, k) in self.relations.items() if r[0] == i and k)
        return sum((k * summand(r) for r, k in rows), S.Zero)

    @cached_property
    def products(self) -> dict[Relation, Expr]:
        """Inner products."""
        return {r: self.inner[name] for r, (name, _, _) in self.relations.items()}

    @property
    def names(self) -> dict[Relation, str]:
        """What the loss calls each relation."""
        return {r: kind for r, (_, kind, _) in self.relations.items()}

    def above(self, t: SoftmaxTerm) -> dict[Relation, Expr]:
        """What each pair is of the mean over the positives."""
        weights = {r: self.put(t.weight(k)) for r, k in self.names.items()}
        return {r: w / self.row(r[0], weights.__getitem__) if w else w for r, w in weights.items()}

    # --- at the inner products ----------------------------------------------------------------
    @cached_property
    def _rows(self) -> tuple[tuple[Expr, ReducedLoss], ...]:
        """The part of each kind, and the loss of one of its points."""
        return ReducedOnOrbits(self.loss, self.structure).rows

    @cached_property
    def pull(self) -> dict[Relation, Expr]:
        """The derivative in the entry of a pair at its first point, times the temperature."""
        rows = [reduced.pair_gradient(self.inner) for _, reduced in self._rows]
        return {
            r: at_numbers(rows[r[0]][name], self.at).evalf(WORKING)
            for r, (name, _, _) in self.relations.items()
        }

    @property
    def value(self) -> Expr:
        """The loss of the inner products."""
        parts = (part * reduced.value(self.inner) for part, reduced in self._rows)
        return at_numbers(sum(parts, S.Zero), self.at).evalf(WORKING)

    @property
    def _every(self) -> range:
        return range(len(self.axes))

    def bound(self, y: list[Rational]) -> Expr:
        """What follows from multipliers."""
        sizes = list(map(prod, self.axes))
        rows = (self.row(i, lambda r: self.pull[r] * self.products[r]) for i in self._every)
        lost = sum((n * (v - row) for n, v, row in zip(sizes, y, rows, strict=True)), S.Zero)
        return (self.value + lost / sum(sizes) / self.tau).evalf(WORKING)

    def multipliers(self) -> Iterator[tuple[list[Rational], list[Rational]]]:
        """Multipliers that prove something, from the best on, and the diagonal of the means.

        Of contrasts no eigenvalue is below the multiplier of their kind, and the mean of a kind has
        what is left.
        """
        pull, inner = self.pull, self.products
        exact = [
            self.row(i, lambda r: (pull[r] + pull[r[1], r[0], r[2]]) / 2 * inner[r])
            for i in self._every
        ]
        for given in GIVEN:
            y = [below(e) - given for e in exact]
            if all(v >= y[i] for i in self._every for v in self._contrasts(i)):
                own = (
                    self.row(i, lambda r: pull[r] if r[0] == r[1] else S.Zero) for i in self._every
                )
                sizes = map(prod, self.axes)
                c = [below((m - e) / n) for m, e, n in zip(own, y, sizes, strict=True)]
                if self._means(c).is_positive_definite:
                    yield y, c

    def _contrasts(self, i: int) -> Iterator[Expr]:
        """The eigenvalues on contrasts within a kind."""
        names = {n: self.pull[r] for r, (n, _, _) in self.relations.items() if r[:2] == (i, i)}
        orbit = self.structure.orbits[i].name
        for block in self.structure.blocks[:-1]:
            if orbit in block.orbits and self.put(block.multiplicity) != 0:
                row = self.structure.table[block.name]
                yield sum((self.put(row[n]) * v for n, v in names.items()), S.Zero)

    def _means(self, c: list[Rational]) -> Matrix:
        def entry(i: int, j: int) -> Expr:
            return c[i] if i == j else (self.pull[i, j, ()] + self.pull[j, i, ()]) / 2

        return Matrix(len(c), len(c), entry)

    # --- text -----------------------------------------------------------------------------------
    def by_pattern(self, values: Mapping[Any, Expr]) -> str:
        """A function of the relation."""
        cases = [f"{_of(r)} => {term(v)}" for r, v in values.items() if v != 0]
        return "fun r => match r with " + "\n        | ".join([*cases, "_ => 0"]) + " end"

    @property
    def kinds(self) -> str:
        """The sizes as natural numbers."""
        return _lists(self.axes, "%nat")

    def theorems(self, claim: Mapping[str, str]) -> tuple[Theorem, Theorem]:
        """The loss of the inner products, and a bound on that of all unit vectors."""
        found = next(self.multipliers(), None)
        if found is None:
            raise NotWritten("the gradient gives no bound")
        written = Written(
            loss=f"(loss_of_kinds {self.kinds} {self.tau_text} {self.called}_terms)",
            point=f"(fun u w => {self.called}_inner (between_members u w))",
            vectors=f"unit_members {self.kinds}",
            definitions=self.definitions(),
            lemmas=tuple(self._lemmas(*found)),
            valued=(f"rewrite (kinds_value_at {self._data} ok_).", self._numeric),
            bounded=(
                "intros dims x unit.",
                f"refine (Rle_trans _ _ _ _ (kinds_bound {self._data} y_ c_ one_ some_",
                "  ltac:(lra) ok_ dims x unit multipliers_ (quadratic_pos _ _ positive_))).",
                self._numeric,
            ),
        )
        return claimed(self.called, claim, self.bound(found[0]), written)

    @property
    def _data(self) -> str:
        return f"{self.kinds} {self._given}"

    @property
    def _given(self) -> str:
        return f"{self.tau_text} {self.called}_terms {self.called}_inner"

    @property
    def _numeric(self) -> str:
        return f"{self._reduced} interval with (i_prec {BITS})."

    @property
    def _reduced(self) -> str:
        """Unfolds what is about lists, and names the pulls, about which there are lemmas."""
        names = f"{self.called}_terms, {self.called}_inner, y_, c_"
        unfolded = f"rewrite ?reals_; fold pull_; unfold {UNFOLDED}, {names};"
        return "\n  ".join([unfolded, f"cbn [{REDUCED}];", named([_of(r)] for r in self.relations)])

    def _pulls(self) -> Iterator[str]:
        """Bounds of the derivative in each entry."""
        data = f"{_lists(self.axes)} {self._given}"
        names = f"{self.called}_terms, {self.called}_inner"
        yield f"Definition pull_ : relation -> R := pull {data}."
        known = f"unfold pull_, pull, gradient_by, {UNFOLDED}, {names};\n  cbn [{REDUCED}];"
        for k, r in enumerate(self.relations):
            yield enclosed(f"pull{k}_", f"pull_ {_of(r)}", self.pull[r], CLOSE, known)

    def _lemmas(self, y: list[Rational], c: list[Rational]) -> Iterator[str]:
        reals = f"(map (map INR) {self.kinds})"
        pull = f"(pull {reals} {self._given})"
        index = "[|" * len(self.axes) + "i" + "]" * len(self.axes)
        proof = self.convex_proof("lra", self._numeric[:-1])
        every = "\n".join(["{", *proof, "}"] * len(self.axes))
        for name, values in (("y_", y), ("c_", c)):
            yield f"Definition {name} (i : nat) : R := nth i [{'; '.join(map(term, values))}] 0."
        yield from self._pulls()
        yield (
            f"Lemma reals_ : {reals} = {_lists(self.axes)}.\n"
            "Proof. cbn [map]; rewrite !INR_IZR_INZ; reflexivity. Qed."
        )
        yield (
            f"Lemma one_ : forall s N, In s {self.kinds} -> In N s -> (1 <= N)%nat.\n"
            "Proof. simpl; intros; intuition (subst; simpl in *; intuition lia). Qed."
        )
        yield f"Lemma some_ : 0 < sum_of {reals} (fun _ => 1).\nProof. {self._numeric} Qed."
        yield (
            f"Lemma ok_ : forall i, (i < length {self.kinds})%nat ->\n"
            f"  convex_by (row_of {reals} i) {self._given}.\nProof.\n"
            f"  intros i Hi; rewrite reals_; cbn [length] in Hi;\n"
            f"  destruct i as {index}; try (exfalso; lia).\n{every}\nQed."
        )
        yield (
            f"Lemma multipliers_ : forall i, (i < length {self.kinds})%nat ->\n"
            f"  multipliers (nth i {reals} []) (fun a => {pull} (i, i, a) - c_ i) (y_ i).\n"
            f"Proof.\n  intros i Hi; rewrite reals_; cbn [length] in Hi;\n"
            f"  destruct i as {index}; try (exfalso; lia); each_space; try (exfalso; lra);\n"
            f"  {self._numeric}\nQed."
        )
        yield (
            f"Lemma positive_ : positive (length {self.kinds}) (means {pull} c_).\n"
            f"Proof. {self._reduced} repeat split; interval with (i_prec {BITS}). Qed."
        )


def _of(relation: Relation) -> str:
    i, j, same = relation
    return f"({i}%nat, {j}%nat, {agreeing(same)})"


def below(value: Expr, digits: int = 36) -> Rational:
    """A decimal just below a value."""
    scale = Rational(10) ** digits
    return Rational(int((value * scale).round()) - 2) / scale


def enclosed(called: str, what: str, value: Expr, digits: int, known: str) -> str:
    """The lemma that a number is between two decimals, with tactics that come before intervals."""
    low = below(value.evalf(WORKING), digits)
    least, most = (term(e, None, 1) for e in (low, low + 4 / Rational(10) ** digits))
    proof = f"{known} interval with (i_prec {BITS})."
    return f"Lemma {called} : {least} <= {what} <= {most}.\nProof. {proof} Qed."


def named(entries: Iterable[Sequence[str]]) -> str:
    """Names derivatives, one for all entries that are alike, about which there are such lemmas."""
    lines = []
    for k, (first, *alike) in enumerate(entries):
        lines += [f"change (pull_ {of}) with (pull_ {first});" for of in alike]
        lines.append(f"generalize pull{k}_; generalize (pull_ {first}); intros p{k} E{k};")
    return "\n  ".join(lines)


def _lists(axes: list[tuple[int, ...]], scope: str = "") -> str:
    inside = ("; ".join(f"{a}{scope}" for a in sizes) for sizes in axes)
    return f"[{'; '.join(f'[{sizes}]' for sizes in inside)}]"
