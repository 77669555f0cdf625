r"""A step of a derivation as a paragraph of a proof: words, a formula, words.

What kind of statement it is tells the words; a statement without words of its own has those of its
step. What stands in a formula and was not met before is said what it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from sympy import Basic, Eq, Expr, Ge, Gt, Indexed, Limit, Lt, Symbol, Tuple, exp, latex

from ...decide.calculus import derivative
from ...decide.decide import positive, zero
from ...decide.domain import Domain
from ...decide.evidence import Holds
from ...decide.root import ClampedRoot
from ...optimum.blocks import Blocks, places
from ...optimum.condition import without_positive_factors
from ...optimum.edge import EdgeGap, EdgeOptimal, ZeroAlong
from ...optimum.multiplier import AboveAtRoot
from ...optimum.reduce import ReducedLoss
from ...optimum.segment import Segment
from ...optimum.segment_facts import (
    Active,
    AtEnd,
    FirstOrder,
    PairGradient,
    Ranks,
    Segments,
    Spectrum,
    assignments,
)
from ...optimum.threshold import ChangesSign, NoClosedForm, UpToARoot, essential
from ...optimum.vertex import Pure, UniqueGram, VertexGap, VertexOptimal
from ...proof.derivation import Step
from ...proof.limiting import LimitIs
from ...proof.relations import ge, gt
from ...proof.statement import Lemma, Relations, each
from ..layout.displays import NUMBER, ROOM, Shown, expression, of_node, shown
from ..layout.equations import has_same_sign, sign_of
from ..layout.layout import layout
from ..layout.statement import without_evident
from ..layout.tree import Node
from ..macros import listed
from .notation import NAMES, Notation

#: Where a lemma is cited.
CITED = "@lemma@"


@dataclass(frozen=True)
class Paragraph:
    """Words before a formula, the formula, words after it.

    Attributes
    ----------
    before, after
        Sentences; those before lead to the formula, if there is one.
    formula
        What is displayed.
    lemma
        The lemma that is cited.
    """

    before: str
    formula: Shown | None = None
    after: str = ""
    lemma: Lemma | None = None


class Teller:
    """Tells the steps of one derivation, each after those before it."""

    def __init__(self, notation: Notation, met: set[str]):
        self.notation = notation
        self.met = set(met)
        self._sums: dict[str, Symbol] = {}
        self._segment_told: Segment | None = None
        self._solved_next: Step | None = None
        self._factor_told = False
        self._following: Step | None = None
        #: Whether the step after the one told last was told with it.
        self.took_next = False
        self._kinds: dict[type, Callable[[Step], Paragraph]] = {
            PairGradient: self._gradient,
            Spectrum: self._spectrum,
            Blocks: self._blocks,
            Active: self._active,
            ZeroAlong: self._zero_along,
            Segments: self._segment,
            FirstOrder: self._first_order,
            ChangesSign: self._threshold,
            UpToARoot: self._up_to_a_root,
            LimitIs: self._limit,
            Pure: self._pure,
            VertexOptimal: self._vertex,
            EdgeOptimal: self._edge,
            VertexGap: self._gap,
            EdgeGap: self._gap,
            AboveAtRoot: self._above,
            AtEnd: self._plain,
            Ranks: self._ranks,
            UniqueGram: self._unique,
        }

    def tell(self, step: Step, following: Step | None = None) -> Paragraph:
        """A step as a paragraph; names that are new in it are said what they are.

        ``following`` is the step after it, if there is one.
        """
        self._following, self.took_next = following, False
        is_solved = following is not None and isinstance(following.says, ChangesSign)
        self._solved_next = following if is_solved else None
        kind = self._kinds.get(type(step.says))
        if kind is None and type(step.says) is Relations:
            kind = self._relations(step)
        found = (kind or self._plain)(step)
        new = self._introduced(step, found)
        if found.lemma is None and step.lemma is not None:
            found = replace(found, lemma=step.lemma)
        before = self._where(step, found.before)
        return replace(found, before=" ".join(filter(None, (*new, before))))

    # --- helpers --------------------------------------------------------------------------------
    def _show(self, step: Step, statement: Basic | None = None, **how: bool) -> Shown | None:
        domain = step.says.domain
        left = without_evident(step.statement if statement is None else statement, domain)
        if left is None:
            return None
        return shown(left, domain, self.notation.name, keep=self._sums, **how)

    def _where(self, step: Step, before: str) -> str:
        """The words before a formula, with the part of the domain that the step is about."""
        where = self.notation.within(step.says.domain)
        bare = before.lower().replace(" ", "")
        if not where or where.lower().replace(" ", "") in bare or bare.startswith(("hence", "so")):
            return before
        if before.startswith(CITED) or not before[:2].isalpha():
            return f"{where[:1].upper()}{where[1:].rstrip()}: {before}"
        return f"{where[:1].upper()}{where[1:]}{before[:1].lower()}{before[1:]}"

    def _introduced(self, step: Step, found: Paragraph) -> list[str]:
        """Sentences about names in a step that were not met."""
        if found.formula is None:
            return []
        said = []
        written = {s for node in found.formula.nodes for s in node.symbols}
        for s in sorted(written | set(step.says.domain.ranges) & written, key=str):
            if s.name in self.met:
                continue
            self.met.add(s.name)
            meaning = self.notation.meaning(s.name)
            if s.name == "y" and s in step.says.domain.ranges:
                meaning = ""  # a variable of its own
            if meaning:
                said.append(f"Let ${self.notation.name(s)}$ be {meaning}.")
            elif s in step.says.domain.ranges and s.name not in ("x",):
                r = step.says.domain.ranges[s]
                said.append(f"Let ${self.notation.writer.range(s, r)}$.")
        return [*said, *self._entries(step, written)]

    def _entries(self, step: Step, written: Iterable[Symbol | Indexed]) -> list[str]:
        """Sentences about what has indices, one for all entries."""
        said = []
        entries = (s for s in written if isinstance(s, Indexed))
        for s in sorted(entries, key=lambda s: (not all(k.is_Symbol for k in s.indices), str(s))):
            family = f"{s.base}["
            if family in self.met or any(name.startswith(f"{s.base}_") for name in self.met):
                continue
            self.met.add(family)
            name, stands_for = self.notation.name(s), getattr(step.says, "names", {}).get(s)
            if stands_for is not None:
                said.append(f"Let ${name} = {self.notation.formula(stands_for)}$.")
                continue
            sign = "> 0" if s.is_positive else r"\ge 0" if s.is_nonnegative else r"\in \mathbb{R}"
            said.append(f"Let ${name} {sign}$.")
        return said

    def _meet(self, *names: str) -> None:
        self.met.update(names)

    def _because(self, step: Step) -> str:
        """Why, without the words of the lemma, which is cited."""
        why = step.because
        if step.lemma is not None:
            why = why.replace(step.lemma.says, "").rstrip(": ")
        return self.notation.sentence(why) if why else ""

    def _titled(self, step: Step) -> str:
        return self.notation.sentence(step.title)

    def _plain(self, step: Step) -> Paragraph:
        formula = self._show(step)
        title = self._titled(step)
        before = f"{title[:-1]}:" if formula is not None else title
        if formula is not None and formula.signs:
            before = f"{title[:-1]}; up to a positive factor,"
        return Paragraph(before, formula, self._because(step))

    # --- the reduction ----------------------------------------------------------------------------
    def _relations(self, step: Step) -> Callable[[Step], Paragraph] | None:
        names = getattr(step.says, "names", {})
        if self._solved_next is not None and type(step.statement) in (Gt, Lt):
            return self._rate
        # A theorem of one's own may use these letters for something else.
        if Symbol("L") in names and self.notation.relations:
            return self._loss
        if Symbol("h") in names and self._segment_told is not None:
            return self._slope
        if step.lemma is not None and step.lemma.name == "averaging":
            return self._convex
        if re.fullmatch(r"\w+ (rises|falls) with \w+", step.title):
            if step.title.split(" ")[0] in self.notation.result.quantities:
                return self._varies
        return None

    def _loss(self, step: Step) -> Paragraph:
        self._meet("L", *(f"g_{r.name}" for r in self.notation.relations))
        before = (
            "Let a Gram matrix have one inner product for each relation. Then one anchor stands "
            "for all, and the loss is"
        )
        if self.notation.reduced is None:
            before = (
                "Let a Gram matrix have one inner product for each relation. Then one anchor of "
                "each group stands for all of it, and the loss is"
            )
        return Paragraph(before, self._show(step))

    def _convex(self, step: Step) -> Paragraph:
        weights = self._show(step)
        of = (
            "convex functions of single inner products"
            if self.notation.reduced is not None
            and not isinstance(self.notation.reduced, ReducedLoss)
            else "logarithms of sums of exponentials of inner products, and of linear functions"
        )
        said = (
            rf"As a function of the Gram matrix $\mathcal{{L}}$ is a sum, with weights $\ge 0$, "
            rf"of {of}, "
            "so it is convex; and it does not change when the vectors are relabelled."
        )
        after = (
            rf"Hence by {CITED} some optimum has one inner product for each relation, and it is "
            r"enough to find "
            r"the least value of $\mathcal{L}$ among these"
        )
        if weights is None:
            return Paragraph(f"{said} {after}.")
        return Paragraph(f"{said} The weights that depend on parameters are", weights, f"{after}.")

    def _gradient(self, step: Step) -> Paragraph:
        reduced = self.notation.reduced
        assert reduced is not None
        scale = "" if reduced.scale == 1 else f"{self.notation.formula(reduced.scale)}\\,"
        self._meet(*(f"a_{r.name}" for r in self.notation.relations))
        before = (
            rf"Let $a_r$ be ${scale}\partial\mathcal{{L}}/\partial g_r$ divided by the number of "
            rf"vectors "
            "that an anchor has in relation $r$: the derivative in the entry of one pair"
        )
        before += f", times ${self.notation.formula(reduced.scale)}$." if scale else "."
        zeros = [(s, e) for s, e in assignments(step.statement).items() if e == 0]
        rest = [r for r in each(step.statement) if r.args[1] != 0]
        if zeros:
            before += f" Then ${' = '.join(self.notation.name(s) for s, _ in zeros)} = 0$ and"
        return Paragraph(before, self._show(step, Tuple(*rest)))

    def _spectrum(self, step: Step) -> Paragraph:
        says = step.says
        assert isinstance(says, Spectrum)
        note = self.notation
        rows: list[str] = []
        nodes: list[Node] = []
        for row, e in zip(step.statement.args, note.spaces, strict=True):
            left = rf"\lambda_{{{e.index}}}"
            inside = expression(row.args[0], says.domain, note.name, left, ROOM - NUMBER)
            rows += inside.rows
            nodes += inside.nodes
        self._meet(*(f"g_{r.name}" for r in note.relations))
        self._meet(
            *(f"{what}_{e.name}" for e in note.spaces for what in ("lambda", "theta", "share"))
        )
        before = (
            "The matrices of the relations commute. A matrix that has the entry $g_r$ on relation "
            "$r$ has on their common eigenspaces the eigenvalues"
        )
        sizes = ", ".join(f"${note.formula(e.size)}$" for e in note.spaces)
        after = (
            f"with the multiplicities {sizes} (the orthogonality relations of this table hold). "
        )
        if note.reduced is not None:
            after += (
                r"The gradient has the eigenvalues $\theta_e$, the same combinations of the $a_r$. "
            )
        after += (
            r"A matrix of this form is the Gram matrix of unit vectors iff $g_0 = 1$ and all "
            r"$\lambda_e \ge 0$."
        )
        return Paragraph(before, Shown(tuple(rows), nodes=tuple(nodes)), after)

    def _blocks(self, step: Step) -> Paragraph:
        rows: list[str] = []
        nodes: list[Node] = []
        says = step.says
        assert isinstance(says, Blocks)
        called = [
            rf"b_{{{i + 1}{j + 1}}}" if e.size > 1 else "" for e, i, j in places(says.configuration)
        ]
        for row, place in zip(step.statement.args, called, strict=True):
            value, count = row.args
            room = ROOM - NUMBER - 80
            inside = (
                expression(value, says.domain, self.notation.name, place, room)
                if place
                else of_node(layout(value, says.domain), self.notation.name, room)
            )
            rows += [
                *inside.rows[:-1],
                rf"{inside.rows[-1]} \qquad ({self.notation.formula(count)})",
            ]
            nodes += inside.nodes
        before = (
            "On the common eigenspaces the Gram matrix acts as small blocks, with these entries "
            "(in parentheses, how often the block occurs):"
        )
        after = (
            "Where a block occurs in one group only it is an eigenvalue. "
            + (
                r"The block that occurs in several has the entries $b_{jk}$, each divided by "
                r"$\sqrt{N_k/N_j}$, where $N_j$ is the number of vectors of group $j$. "
                if any(called)
                else ""
            )
            + "The matrix is positive semidefinite iff all blocks are."
        )
        return Paragraph(before, Shown(tuple(rows), nodes=tuple(nodes)), after)

    # --- the segment ------------------------------------------------------------------------------
    def _active(self, step: Step) -> Paragraph:
        says = step.says
        assert isinstance(says, Active)
        return self._zero(
            step, says.segment.active, "every optimum" if says.strict else "some optimum"
        )

    def _zero_along(self, step: Step) -> Paragraph:
        says = step.says
        assert isinstance(says, ZeroAlong)
        return self._zero(step, (says.other,), "every optimum on this edge")

    def _zero(self, step: Step, names: Sequence[str], where: str) -> Paragraph:
        """Eigenvalues that vanish, with the gaps of the gradient that were found positive."""
        says = step.says
        assert isinstance(says, (Active, ZeroAlong))
        note, s = self.notation, says.segment
        theta = says.reduced.scheme.eigenvalues(says.reduced.pair_gradient(s.inner))
        low, high = note.space(s.low), note.space(s.high)
        gaps = []
        for e in names:
            for other in (s.high, s.low):
                gap = theta[e] - theta[other]
                if isinstance(positive(gap, says.domain, strict=says.strict), Holds):
                    gaps.append((note.space(e), note.space(other), gap))
                    break
        vanish = " = ".join(rf"\lambda_{{{note.space(e).index}}}" for e in names)
        smaller = rf"\min(\theta_{{{low.index}}}, \theta_{{{high.index}}})"
        every = ", ".join(rf"\theta_{{{note.space(e).index}}}" for e in names)
        sign = ">" if says.strict else r"\ge"
        claim = rf"${every} {sign} {smaller}$"
        then = rf"so by {CITED}, with $y = {smaller}$, "
        if isinstance(says, Active):
            then += (
                r"the least point of $\mathcal{L}$ on the segment is least among all Gram matrices"
            )
            then += rf", and ${vanish} = 0$ at {where}" if says.strict else ""
        else:
            then += rf"${vanish} = 0$ at {where}"
        if not gaps or len(gaps) < len(names):
            return Paragraph(f"All along it {claim}, {then}.")
        weight = says.reduced.clearing(s.inner)
        positives = [without_positive_factors(weight * gap, says.domain)[0] for *_, gap in gaps]
        compared = gt if says.strict else ge
        claims = (Relations(compared(e, 0), says.domain).decide() for e in positives)
        if not all(isinstance(outcome, Holds) for outcome in claims):
            return Paragraph(f"All along it {claim}, {then}.")
        formula = self._show(step, Tuple(*(compared(e, 0) for e in positives)))
        assert formula is not None
        apart = [rf"$\theta_{{{e.index}}} - \theta_{{{other.index}}}$" for e, other, _ in gaps]
        verb = "is" if len(apart) == 1 else "are"
        factors = "a positive factor" if len(apart) == 1 else "positive factors"
        before = f"All along it {claim}: up to {factors} {listed(apart)} {verb}"
        return Paragraph(before, formula, f"{then[:1].upper()}{then[1:]}.")

    def _segment(self, step: Step) -> Paragraph:
        says = step.says
        assert isinstance(says, Segments)
        note, s = self.notation, says.segment
        self._segment_told = s
        self._meet("x", "x_max")
        gone = " = ".join(rf"\lambda_{{{note.space(e).index}}}" for e in s.active)
        zeros = f"${gone} = 0$" if s.active else "the trace given"
        low, high = note.space(s.low).index, note.space(s.high).index
        before = f"The Gram matrices with {zeros} form a segment: for $0 \\le x \\le x_{{\\max}}$,"
        after = (
            rf"Along it $\lambda_{{{low}}}$ rises from zero at $x = 0$, and $\lambda_{{{high}}}$ "
            rf"falls to "
            r"zero at $x = x_{\max}$."
        )
        return Paragraph(before, self._show(step), after)

    def _slope(self, step: Step) -> Paragraph:
        self._meet("h")
        assert self._segment_told is not None
        low, high = (
            self.notation.space(e).index for e in (self._segment_told.low, self._segment_told.high)
        )
        before = (
            r"Along the segment $\mathrm{d}\mathcal{L}/\mathrm{d}x$ is, up to a positive factor,"
        )
        after = (
            rf"and this is a positive multiple of $\theta_{{{low}}} - \theta_{{{high}}}$. So "
            rf"where the "
            r"convex function of $x$ is least these two agree, or the smaller one belongs to the "
            r"eigenspace that has the whole trace, and this point is least among all Gram matrices "
            r"iff no other $\theta_e$ is smaller."
        )
        name, value = step.statement.args
        if not self._h_is_used() and value.free_symbols <= set(step.says.domain.ranges):
            short = sign_of(value, step.says.domain).meaning
            if isinstance(short, Expr) and has_same_sign(short, value, step.says.domain):
                formula = self._show(step, Eq(name, short, evaluate=False))
                assert formula is not None
                return Paragraph(before, replace(formula, signs=True), after)
        return Paragraph(before, self._show(step), after)

    def _h_is_used(self) -> bool:
        """Whether h stands for that very multiple of the slope later on."""
        result = self.notation.result
        titles = [s.title for s in result.derivation]
        return any(re.search(r"\bh\b", t) for t in titles) or any(
            q.symbol.startswith("h(") for q in result.quantities.values()
        )

    def _first_order(self, step: Step) -> Paragraph:
        title = step.title.partition(" iff ")[0]
        at = step.statement.args[0].args[1]
        falls = step.title.partition("convex loss ")[2].removesuffix(" there")
        before = (
            f"{self.notation.sentence(title)[:-1]} iff the convex loss {falls} at "
            f"$x = {self.notation.formula(at)}$"
        )
        why = self._because(step)[:-1]
        before += f" ({why[:1].lower() + why[1:] if why[:1] != '$' else why}):" if why else ":"
        return Paragraph(f"By {CITED}: {before[:1].lower()}{before[1:]}", self._show(step))

    def _rate(self, step: Step) -> Paragraph:
        """What carries the sign of a condition, and its derivative in a parameter."""
        domain = step.says.domain
        relation = step.statement
        assert self._solved_next is not None
        parameter = self._solved_next.statement.args[0].args[0]
        condition = self._solved_next.statement.args[1].args[0]
        rises = type(relation) is Gt
        factor = monotone_form(condition, parameter, relation.args[0], domain)
        if factor is None:
            self._factor_told = False
            return self._plain(step)
        self._factor_told = True
        name = self.notation.name(parameter)
        where = self.notation.within(domain)
        said = self._said(self._solved_next)
        before = (
            f"{where}whether {said} is decided by the sign of a factor $F$ of the condition, the "
            f"others being positive; and $F$ {'rises' if rises else 'falls'} with ${name}$:"
        )
        before = before[:1].upper() + before[1:]
        self._meet("F")
        rate_of = Symbol(f"dF_d{parameter.name}")
        self.notation.extra[rate_of.name] = rf"\frac{{\partial F}}{{\partial {name}}}"
        self._meet(rate_of.name)
        both = Tuple(
            Eq(Symbol("F"), factor, evaluate=False), Eq(rate_of, relation.args[0], evaluate=False)
        )
        formula = self._show(step, both)
        assert formula is not None
        last = f"{formula.rows[-1]} {'> 0' if rises else '< 0'}"
        formula = replace(formula, rows=(*formula.rows[:-1], last))
        return Paragraph(before, formula)

    def _threshold(self, step: Step) -> Paragraph:
        parameter = self.notation.math(step.statement.args[0].args[0])
        first = "Hence $F$ vanishes at most once, and solving" if self._factor_told else "Solving"
        before = f"{first} for {parameter} shows when {self._said(step)}:"
        return Paragraph(before, self._show(step))

    def _said(self, step: Step) -> str:
        """What a threshold is about, as part of a sentence."""
        words = step.title.partition(" iff ")[0]
        return self.notation.prose(words[0].lower() + words[1:])

    def _up_to_a_root(self, step: Step) -> Paragraph:
        """The root by a name, and what it is the root of."""
        (root,) = step.statement.atoms(ClampedRoot)
        names = self.notation.writer.roots
        called = (
            names[root].symbol
            if root in names
            else Symbol(f"{root.variable.name.rstrip('_')}_star")
        )
        if root not in names:
            self.notation.extra[called.name] = (
                rf"{latex(Symbol(root.variable.name.rstrip('_')))}^\star"
            )
        self._meet(called.name)
        star = self.notation.name(called)
        shown_as = step.statement.xreplace({root: called})
        found = self._plain(step)
        after = f"Here ${star} \\ge 0$ is the value at which the condition on the right vanishes."
        return replace(found, formula=self._show(step, shown_as), after=after)

    def _varies(self, step: Step) -> Paragraph:
        """A quantity rises or falls: its derivative."""
        name, way, parameter = (
            step.title.split(" ")[0],
            step.title.split(" ")[1],
            step.title.split(" ")[-1],
        )
        q = self.notation.result.quantity(name)
        left, right = step.statement.args
        rate = right if left == 0 else left
        s = next((s for s in q.expression.free_symbols if s.name == parameter), None)
        if s is None or not is_zero(rate - derivative(q.expression, s), step.says.domain):
            return self._plain(step)
        called = Symbol(f"d{name}_d{parameter}")
        self.notation.extra[called.name] = (
            rf"\frac{{\partial {self.notation.symbol_of(name)}}}{{\partial "
            rf"{self.notation.name(s)}}}"
        )
        self._meet(called.name)
        formula = self._show(step, Eq(called, rate, evaluate=False))
        assert formula is not None
        sign = "> 0" if way == "rises" else "< 0"
        formula = replace(formula, rows=(*formula.rows[:-1], f"{formula.rows[-1]} {sign}"))
        return Paragraph(f"{self._titled(step)[:-1]}:", formula)

    def _limit(self, step: Step) -> Paragraph:
        (at,) = step.statement.atoms(Limit)
        to = self.notation.formula(at.args[2])
        before = rf"As ${self.notation.name(at.args[1])} \to {to}$,"
        of, *where, _ = at.args
        assert isinstance(step.says, LimitIs)
        if of.name in self.notation.result.quantities or of.name in NAMES:
            return Paragraph(before, self._show(step))
        whole = Eq(Limit(step.says.names[of], *where), step.statement.args[1], evaluate=False)
        return Paragraph(before, self._show(step, whole))

    def _ranks(self, step: Step) -> Paragraph:
        return Paragraph("The rank of the Gram matrix is", self._show(step))

    # --- vertices and edges -----------------------------------------------------------------------
    def _pure(self, step: Step) -> Paragraph:
        says = step.says
        assert isinstance(says, Pure)
        e = self.notation.space(says.name)
        before = (
            f"Let the eigenspace of {e.words} have the whole trace, so that all eigenvalues but "
            rf"$\lambda_{{{e.index}}}$ vanish. Then"
        )
        return Paragraph(before, self._show(step))

    def _vertex(self, step: Step) -> Paragraph:
        says = step.says
        assert isinstance(says, VertexOptimal)
        return self._optimal(f"This structure ({self.notation.space(says.name).words})", step)

    def _optimal(self, what: str, step: Step) -> Paragraph:
        before = (
            f"{what} is optimal iff no other eigenvalue of the gradient is smaller there; with "
            r"$s_e$ the share of the trace that lies on the eigenspace $e$,"
        )
        return Paragraph(before, self._compared(step))

    def _compared(self, step: Step) -> Shown:
        """``s_e = 1 iff theta_f, theta_g >= theta_e`` on one line."""
        place, compared = step.statement.args
        self._meet(*(s.name for s in step.statement.free_symbols if s.name != "y"))
        name = self.notation.name
        (level,) = {r.args[1] for r in compared.args}
        others = ", ".join(name(r.args[0]) for r in compared.args)
        shares = " + ".join(name(s) for s in sorted(place.free_symbols, key=str))
        row = rf"{shares} = 1 \quad\iff\quad {others} \ge {name(level)}"
        sides = [side for r in (place, *compared.args) for side in r.args]
        return Shown((f"& {row}",), nodes=tuple(layout(side) for side in sides))

    def _edge(self, step: Step) -> Paragraph:
        says = step.says
        assert isinstance(says, EdgeOptimal)
        s = says.segment
        names = f"{self.notation.space(s.high).words} and {self.notation.space(s.low).words}"
        return self._optimal(f"The least point of the edge of {names}", step)

    def _gap(self, step: Step) -> Paragraph:
        """A comparison of two eigenvalues; with what is known of its sign, if that comes next."""
        title = step.title.partition(" iff ")[0]
        compared, relation = step.statement.args
        theta, level = (self.notation.name(s) for s in compared.args)
        after = self._following
        if (
            after is not None
            and type(after.says) is Relations
            and type(after.statement) in (Gt, Ge, Lt)
            and after.statement.args == relation.args
        ):
            self.took_next = True
            said = self.notation.sentence(after.title)
            if relation.args[0].is_number:
                e = relation.args[0]
                sign = "zero" if e == 0 else "positive" if e.is_positive else "negative"
                return Paragraph(f"{said[:-1]}: at this structure ${theta} - {level}$ is {sign}.")
            before = (
                f"{said[:-1]}: at this structure ${theta} - {level}$ is, up to a positive factor, "
                f"the "
                "left side of"
            )
            return Paragraph(before, self._show(after))
        return Paragraph(f"{self.notation.sentence(title)[:-1]} iff", self._show(step))

    def _above(self, step: Step) -> Paragraph:
        return Paragraph(f"{self._titled(step)[:-1]}:", self._show(step), self._because(step))

    def _unique(self, step: Step) -> Paragraph:
        formula = self._show(step)
        title = self._titled(step)
        if formula is not None:
            title = f"{title[:-1]}, as the weights of the logarithms are positive:"
        return Paragraph(title, formula, self._because(step))


def is_zero(e: Expr, domain: Domain) -> bool:
    """Whether an expression is proved zero."""
    return isinstance(zero(e, domain), Holds)


def monotone_form(condition: Expr, parameter: Symbol, rate: Expr, domain: Domain) -> Expr | None:
    """The factor of a condition, perhaps over an exponential, that has this derivative."""
    try:
        factor = essential(condition, parameter, domain)
    except NoClosedForm:
        return None
    ys = sorted((e for e in factor.atoms(exp) if parameter in e.free_symbols), key=str)
    for form in (factor, *((factor / y).expand() for y in ys)):
        if is_zero(rate - derivative(form, parameter), domain):
            return form
    return None
