r"""What a proof calls things: inner products, eigenvalues, and the names that steps introduce.

Relations are numbered, :math:`g_0, g_1, \dots`, from the anchor outwards; in towers the pairs
of the loss are :math:`g_+` and :math:`g_-`. Eigenspaces go by the initials of their names. A table
at the start of a proof says which is which, and a name is said what it is before it is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property

from sympy import Expr, Indexed, Symbol, latex

from ...decide.domain import Domain, Range
from ...decide.root import ClampedRoot
from ...frozen import FrozenValue
from ...losses.setting import Setting
from ...losses.written import WORDS as RELATIONS
from ...losses.written import Tex, in_words
from ...structures.configuration import Configuration
from ...structures.scheme import Scheme
from ...structures.towers import NEGATIVE, POSITIVE, SIBLING, TWIN, WITHIN
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ..display import GREEK, Writer, sentence, written
from ..layout.displays import ROOM
from ..layout.layout import layout
from ..layout.tex import entry, tex
from ..wording import escape, with_math
from .phrases import marked

#: Indices of relations that are not numbered.
INDICES = {
    POSITIVE: "+",
    SIBLING: r"+\prime",
    NEGATIVE: "-",
    WITHIN: r"\mathrm{w}",
    TWIN: r"\mathrm{t}",
}

#: Names in steps: how they are written, and what they are.
NAMES: dict[str, tuple[str, str]] = {
    "L": (r"\mathcal{L}", ""),
    "h": ("h", ""),
    "x_max": (r"x_{\max}", ""),
    "y": ("y", "the common value of the two eigenvalues of the gradient that belong to the edge"),
    "x_star": (r"x^\star", r"the smallest minimiser of $\mathcal{L}$ on $[0, x_{\max}]$"),
    "x_last": (r"\bar x", r"the largest minimiser of $\mathcal{L}$ on $[0, x_{\max}]$"),
    "h_star": (r"h(x^\star)", ""),
    "c2": (r"\|\bar u\|^2", r"the squared norm of the centroid $\bar u$, the mean of all vectors"),
    "V_W": (r"V_{\mathrm{W}}", "the within-class variance"),
    "V_B": (r"V_{\mathrm{B}}", "the between-class variance"),
    "Var": (r"V_1", "the variance of one class"),
    "share": ("s", "the share of the trace that belongs to the difference of the towers"),
    "below": (r"\beta", r"how far $b$ is below that value"),
    "dh_start_dp": (r"\partial h(0)/\partial p", ""),
    "dh_far_dp": (r"\partial h(x_{\max})/\partial p", ""),
    "gap": (r"\varepsilon", "a bound on the loss minus its minimum"),
    "rank_start": (r"\operatorname{rank} G|_{x=0}", ""),
    "rank_inside": (r"\operatorname{rank} G|_{0<x<x_{\max}}", ""),
    "omega": (
        r"\omega_{ij}",
        r"the derivative of the loss in the cosine of the classes $i$ and $j$, times $n \tau "
        r"e^{C/((C-1)\tau)}$",
    ),
    "condition_over_r2": (r"\kappa", "the condition divided by $r^2$"),
    "slope_far": (r"\sigma", "$L$ times the derivative along $e$"),
    "force_far": (r"\varphi", "the ratio $T/(m B)$"),
    "weight_gap": (
        r"\delta_w",
        "the weight of the classes $i$ and $k$ minus that of the classes $j$ and $k$",
    ),
    "balance": ("s", ""),
    "cosine_gap": (r"\delta", "the cosine minus that sum"),
    "part": ("p", ""),
    "slope_apart": ("h", "the derivative along that curve, times a positive factor"),
    "rank_end": (r"\operatorname{rank} G|_{x=x_{\max}}", ""),
    "c_min": (r"c_{\min}", "the smallest $c$ for which no eigenvalue is negative"),
    "eta_min": (r"\eta_{\min}", r"the $\eta$ at which $D$ vanishes"),
    "h2": ("h^2", "the square of the coordinate that is appended"),
    "a_ij - a_kj": (
        r"a_{ij} - a_{kj}",
        "the derivative of the loss in the cosine of the classes $i$ and $j$ minus that of $k$ and "
        "$j$",
    ),
}
#: Names of pairs of classes: how they are written, and what they are.
PAIRS: dict[str, tuple[str, str]] = {
    "cos": ("c", "the cosine of the classes ${}$ and ${}$"),
    "a": ("a", "the derivative of the loss in the cosine of the classes ${}$ and ${}$"),
    "b": (
        "b",
        r"the cosine of the classes ${}$ and ${}$ plus $1/(C-1)$, divided by $\tau$",
    ),
}
#: The same of rows of a graph.
ROWS = {
    "r": "the sum of the weights in row ${}$",
    "u": "the sum of weights times costs in row ${}$",
}
_ROW = re.compile(rf"({'|'.join(ROWS)})_([0-9])")
_PAIR = re.compile(rf"({'|'.join(PAIRS)})_([A-Za-z0-9])_([A-Za-z0-9])")


class Row(FrozenValue):
    """A relation or an eigenspace: its index, what it is in words, its size."""

    name: str
    index: str
    words: str
    size: Expr


class Notation(Writer):
    """LaTeX of every symbol of a result's derivation."""

    def __init__(
        self, result: Result, renamed: Mapping[str, str] | None = None, room: float = ROOM
    ):
        super().__init__(result, renamed)
        self.room = room  #: for a formula, in points
        #: Ranges are those of parameters, which are called there as everywhere.
        self._plain = Writer(result, renamed)
        self._plain.line = room / 3
        #: LaTeX of names that a proof gives.
        self.extra: dict[str, str] = {}
        self._zeros: set[str] = set()

    # --- relations and eigenspaces -----------------------------------------------------------
    @cached_property
    def _structure(self) -> object | None:
        """The structure that the derivation is about."""
        found = (step.says.structure for step in self.result.derivation)
        return next((s for s in found if s is not None), None)

    @cached_property
    def relations(self) -> tuple[Row, ...]:
        """The relations that the derivation is about, with the number of partners of an anchor."""
        about = self._structure
        if isinstance(about, Scheme):
            return tuple(
                Row(r.name, INDICES.get(r.name, str(k)), in_words(r.name, about), r.count)
                for k, r in enumerate(about.relations)
            )
        if isinstance(about, Configuration):
            some = (r for r in about.relations if r.count != 0)
            return tuple(
                Row(r.name, str(k), _of_orbits(r.name), r.count) for k, r in enumerate(some, 1)
            )
        return ()

    @cached_property
    def spaces(self) -> tuple[Row, ...]:
        """The eigenspaces, with their dimensions."""
        spaces = self._structure.eigenspaces if isinstance(self._structure, Scheme) else ()
        initials = ["".join(w[0] for w in e.name.split("_")) for e in spaces]
        return tuple(
            Row(
                e.name,
                rf"\mathrm{{{i}}}" if initials.count(i) == 1 else str(k),
                e.name.replace("_", " "),
                e.dimension,
            )
            for k, (e, i) in enumerate(zip(spaces, initials, strict=True), 1)
        )

    @cached_property
    def _indexed(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for r in self.relations:
            found |= {f"{letter}_{r.name}": f"{letter}_{{{r.index}}}" for letter in "gad"}
        for e in self.spaces:
            for letter, drawn in (("lambda", r"\lambda"), ("theta", r"\theta"), ("share", "s")):
                found[f"{letter}_{e.name}"] = f"{drawn}_{{{e.index}}}"
        return found

    @property
    def _of_vectors(self) -> bool:
        """Whether steps are about an anchor, vectors and the like, without a structure."""
        return type(self.result.alone) is Setting

    @property
    def tabulated(self) -> set[str]:
        """Names that the tables at the start of the proof say what they are."""
        return {*self._indexed, "L", "x", "x_max", "h"} if self.relations else set()

    def is_known(self, s: Symbol) -> bool:
        """Whether a name in a step has a meaning outside it."""
        return s.name in self.result.quantities or s.name in NAMES

    def root(self, root: ClampedRoot) -> Symbol:
        """A name for a root that is in no quantity."""
        letter = root.variable.name.rstrip("_")
        name = f"{letter}_star"
        self.extra[name] = rf"{latex(Symbol(letter))}^\star"
        self._zeros.add(name)
        return Symbol(name)

    # --- symbols ------------------------------------------------------------------------------
    def symbol(self, s: Symbol) -> str:
        """LaTeX of a symbol."""
        if s.name in self.extra:
            return self.extra[s.name]
        if s in self._called:
            return self._called[s]
        if s.name in self._indexed:
            return self._indexed[s.name]
        if s.name in NAMES and s.name not in {p.name for p in self.result.parameters}:
            return NAMES[s.name][0]
        if s.name in self.result.quantities:
            return self.symbol_of(s.name)
        pair = _PAIR.fullmatch(s.name)
        if pair is not None:
            return f"{PAIRS[pair[1]][0]}_{{{pair[2]}{pair[3]}}}"
        if isinstance(s, Indexed):
            return entry(s)
        return super().symbol(s)

    def symbol_of(self, quantity: str) -> str:
        """What a quantity of the result is called."""
        q = self.result.quantity(quantity)
        if q.symbol.startswith(r"g_{\mathrm") and f"g_{quantity}" in self._indexed:
            return self._indexed[f"g_{quantity}"]
        shown = self.symbol_text(q.symbol)
        for e in self.spaces:
            shown = shown.replace(rf"\mathrm{{{e.name}}}", e.index)
        return re.sub(r"c_\{(positive|negative)\}", lambda at: f"g_{INDICES[at[1]]}", shown)

    def introduced(self, name: str) -> str:
        """What a name in a step is, if it is one that has to be said."""
        pair = _PAIR.fullmatch(name)
        if pair is not None:
            return PAIRS[pair[1]][1].format(pair[2], pair[3])
        row = _ROW.fullmatch(name)
        if row is not None:
            return ROWS[row[1]].format(row[2])
        if name in {f"d_{r.name}" for r in self.relations}:
            return f"the slope of the loss in ${self._indexed[f'g_{name[2:]}']}$"
        if name in self._zeros:
            return "the value at which the condition vanishes"
        return NAMES.get(name, ("", ""))[1]

    def range(self, s: Symbol, r: Range) -> str:
        """A range as mathematics."""
        return self._plain.range(s, r)

    def bracket(self, root: ClampedRoot) -> str:
        """The interval that a root lies in."""
        return self._plain.bracket(root)

    def ranges_beyond(self, q: Quantity) -> Iterator[str]:
        """The same, without those of inner products."""
        found = q.domain.ranges if q.domain is not None else {}
        of_products = {self.range(s, r) for s, r in found.items() if s.name in self._indexed}
        return (said for said in super().ranges_beyond(q) if said not in of_products)

    def within(self, part: Domain) -> str:
        """``For p >= 2``: the ranges of a part of the domain that are not those of the result."""
        found = [
            f"${self.range(s, r)}$"
            for s, r in part.ranges.items()
            if s in self.result.domain.ranges and r != self.result.domain.ranges[s]
        ]
        return f"for {' and '.join(found)} " if found else ""

    # --- formulas and words --------------------------------------------------------------------
    def math(self, e: Expr) -> str:
        """LaTeX of an expression, between dollars."""
        return f"${self.expression(e)}$"

    @property
    def _of_steps(self) -> list[Symbol]:
        """Letters that steps have beside those of the result, those that are words left out."""
        found: dict[Symbol, None] = {}
        for step in self.result.derivation:
            found |= dict.fromkeys((*step.says.domain.ranges, *step.says.names))
            capitals = (s for s in step.statement.free_symbols if s.name in CAPITALS)
            found |= dict.fromkeys(sorted(capitals, key=str))
        return [
            s
            for s in found
            if (len(s.name) == 1 or "_" in s.name or written(s).startswith("\\"))
            and s.name not in WORDS
            and s.name != "a"
            and ("_" in s.name or r"\mathrm" not in written(s))
        ]

    @property
    def _entries(self) -> dict[str, str]:
        """Entries of what has indices, ``P_ij`` for ``P[i, j]``."""
        found: dict[str, str] = {}
        for step in self.result.derivation:
            parts = (step.statement, *step.says.names)
            for e in {e for part in parts for e in part.atoms(Indexed)}:
                indices = [str(k) for k in e.indices]
                if all(len(k) == 1 for k in indices):
                    found[f"{e.base}_{''.join(indices)}"] = self.symbol(e)
        return found

    @cached_property
    def _known(self) -> dict[str, str]:
        known = {s.name: self.symbol(s) for s in self._of_steps}
        known |= {s.name: self.symbol(s) for s in self.result.domain.ranges if s.name not in WORDS}
        known |= {name: self.symbol_of(name) for name in self.result.quantities if "_" in name}
        known |= {name: written for name, (written, _) in NAMES.items() if name not in WORDS}
        letters = {**LETTERS, **OF_ANCHORS} if self._of_vectors else LETTERS
        return {**letters, **self._entries, **known, **self._indexed}

    def prose(self, text: str, escape: Callable[[str], str] = escape) -> str:
        """A sentence, with what is mathematics in it between dollars."""
        text, formulas = marked(text, vectors=self._of_vectors)
        for e in self.spaces:
            own = rf"\b{e.name}\b"
            text = re.sub(
                rf"(?i)(?:\bthe )?{own}(?= (is|need|enters) )", f"the structure of {e.words}", text
            )
            text = re.sub(rf"(?i){own}(?= stays )", f"lambda_{e.name}", text)
            text = re.sub(rf"(?<=towards ){own}", e.words, text)
            text = text.replace(e.name, e.words) if "_" in e.name else text
        shown = with_math(text, self._known, escape)
        for character, formula in formulas.items():
            shown = shown.replace(character, self.symbol_text(formula))
        return shown.replace("$$", "")  # a formula and its power are one

    def sentence(self, text: str) -> str:
        """The same, with a capital letter at the start and a full stop."""
        text = text.strip()
        article = re.match(r"[Aa] (?=[a-z]{4})", text)  # it may be a letter of the result too
        if article is not None:
            rest = self.sentence(text[2:])
            return f"A {rest[:1].lower()}{rest[1:]}"
        shown = sentence(self.prose(text))
        return shown if shown.endswith((".", ":")) else f"{shown}."


#: Names in steps, and of readings, that are words elsewhere.
WORDS = {"share", "below", "gap", "Var", "balance", "part", "beside", "mean", "along", "product"}
WORDS |= {"participation", "similarity", "alignment", "variance"}
#: Letters that are no words, for which what a step shows is enough to be formulas in its words.
CAPITALS = frozenset("BCDEFGHJKLMNPQRSTUVWXYZ")
#: Letters in words of steps that no result says what they are.
LETTERS = {
    **{letter: letter for letter in ("x", "i", "j", "k", "u", "v", "n", "q", "r", "N", "d", "G")},
    **{"u_i": "u_i", "v_i": "v_i", "v_j": "v_j", "l_p": r"\ell_p", "oo": r"\infty"},
    **{"U_i": "U_i", "x_i": "x_i", "y_i": "y_i"},
    **{"V_i": "V_i", "V_j": "V_j", "Z_i": "Z_i", "Z_j": "Z_j"},
    **{name: rf"\{name}" for name in ("exp", "cos", "log", "cosh", "sinh", *GREEK)},
}
#: More of them where it is one anchor that steps are about.
OF_ANCHORS = {
    **{letter: letter for letter in "bcempsxyABCEIKMPSXY"},
    **{"sqrt": r"\sqrt", "kappa": r"\kappa", "alpha": r"\alpha"},
}


def _of_orbits(name: str) -> str:
    """A relation of several orbits in words: ``cross_class_1_2``, ``same_class_i``."""
    parts = name.split("_")
    groups = [part for part in parts if len(part) == 1 or part.isdigit()]
    kind = "_".join(parts[: len(parts) - len(groups)])
    said = RELATIONS.get(kind, kind.replace("_", " "))
    where = f"group {groups[0]}" if groups else ""
    if len(groups) > 1:
        where = f"group {groups[1]}, of an anchor in group {groups[0]}"
    return f"{said} ({where})" if groups else said


class Typeset(Tex):
    """Losses in LaTeX with formulas laid out."""

    def expression(self, e: Expr) -> str:
        laid = layout(e)
        return tex(laid, lambda s: INNER_NAMES.get(s.name) or self._symbol(s))


INNER_NAMES = {
    "u.v": r"u^\top v",
    "u.w": r"u^\top w",
    "c_ii": "c_{ii}",
    "c_ij": "c_{ij}",
    "c_ji": "c_{ji}",
}
