r"""A result as a theorem with its proof: to be read by ``\input``, or as a document of its own."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import chain, count

from sympy import Contains, Expr, S, Symbol, latex, oo

from ...decide.domain import DomainError
from ...decide.evidence import Grade
from ...decide.exact import expression as exact
from ...decide.root import without_roots
from ...decide.spelling import listed
from ...frozen import FrozenValue
from ...optimum.value import FaceValue
from ...papers.sources import MADE_BY, SOURCES, Source, entry, project, version
from ...proof.derivation import Step
from ...proof.statement import Lemma
from ...theorem.about import head
from ...theorem.bounds import Bounds
from ...theorem.dimensions import dimensions
from ...theorem.kinds import Kind, may_be_empty
from ...theorem.number import decimal
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from ..display import CLAMPED, sentence
from ..layout.displays import LETTERS, NUMBER, ROOM, SUMS, Shown, expression, of_node, shown
from ..layout.layout import layout
from ..layout.tex import Names, phrase, tex
from ..layout.width import width
from ..wording import cited, escape
from .notation import Notation, Row, Typeset
from .sentences import Paragraph, Teller

#: Of lines that are written.
WIDTH = 96
#: Of numbers in a theorem.
DIGITS = 6
#: Up to this denominator a fraction is shown as it is.
PLAIN = 1000
#: Between a parameter and its value, and if the value is a limit.
WAYS = ("=", r"\to")
#: Lines of words with much mathematics in them would stick out.
STRETCH = r"\emergencystretch=5em\relax"
#: Longer lists are not written out.
MOST_GIVEN = 200
#: Of the letters in the steps of a proof on a symmetry.
OF_GRADIENT = (
    r"The Gram matrix has the eigenvalue $\lambda_e$ on the eigenspace $e$, and $s_e$ is the share "
    r"of its trace that lies there; the gradient of the loss has the entries $a_r$ and, as the "
    r"same combinations of them, the eigenvalues $\theta_e$."
)
#: Where what a theorem says of a quantity is about collapse.
COLLAPSE = r"Classes \emph{collapse} if all embeddings of a class are equal."
#: Between a loss and what a name in it stands for; and where that has a row of its own.
SIDE, ROW = r", \quad ", r", \\ "
TERMS = r"\Bigl[ \begin{aligned}[t]", r"\Bigl[ \\ \begin{aligned}[t]"
#: What a snippet needs.
PACKAGES = r"\usepackage{amsmath,amssymb,amsthm}"
THEOREMS = (r"\newtheorem{theorem}{Theorem}", r"\newtheorem{lemma}[theorem]{Lemma}")


class Proof(FrozenValue):
    """A theorem and its proof in LaTeX, with what they refer to.

    Attributes
    ----------
    theorem, proof
        The two environments.
    lemmas
        The lemmas that are cited, in the order in which they are.
    sources
        Keys of the papers that are cited.
    """

    theorem: str
    proof: str
    lemmas: tuple[Lemma, ...]
    sources: tuple[str, ...]


def proof_of(
    result: Result,
    point: Mapping[Symbol, Expr] | None = None,
    renamed: Mapping[str, str] | None = None,
    room: float = ROOM,
) -> Proof:
    """A result as a theorem, and its derivation as a proof.

    Parameters
    ----------
    point
        Values of parameters that are put into the theorem beside the general statement.
    renamed
        LaTeX of symbols by their names, where it is another one.
    room
        Width of the text in points; formulas are broken to fit, and tables told in words where they
        would not.
    """
    return Writer(result, point or {}, renamed, room=room).proof()


def theorem(result: Result, renamed: Mapping[str, str], room: float = ROOM) -> str:
    """A result as a theorem that stands without its proof, with other names for symbols."""
    return Writer(result, {}, renamed, is_alone=True, room=room).theorem()


def snippet(proofs: Sequence[Proof]) -> str:
    r"""Lemmas, theorems and proofs, to be read by ``\input``."""
    keys = list(dict.fromkeys(k for p in proofs for k in p.sources))
    head = [
        f"% {MADE_BY} {version()}.",
        "% In the preamble:",
        f"%   {PACKAGES}",
        *(f"%   {line}" for line in THEOREMS),
        f"% Cited: {', '.join(keys)}. Their BibTeX entries:",
        *(f"%   {line}" for k in keys for line in entry(_source(k)).strip().split("\n")),
    ]
    return "\n".join([*head, "", _body(proofs)])


def document(proofs: Sequence[Proof], columns: int = 1) -> str:
    """The same as a document that pdflatex compiles."""
    keys = list(dict.fromkeys(k for p in proofs for k in p.sources))
    items = [rf"\bibitem{{{k}}} {_reference(_source(k))}" for k in keys]
    lines = [
        f"% {MADE_BY} {version()}. Compile twice with pdflatex.",
        r"\documentclass[twocolumn]{article}" if columns > 1 else r"\documentclass{article}",
        PACKAGES,
        *THEOREMS,
        r"\allowdisplaybreaks",
        r"\begin{document}",
        _body(proofs),
        rf"\begin{{thebibliography}}{{{len(keys)}}}",
        *items,
        r"\end{thebibliography}",
        r"\end{document}",
    ]
    return "\n".join(lines) + "\n"


def _body(proofs: Sequence[Proof]) -> str:
    lemmas = list({lemma.name: lemma for p in proofs for lemma in p.lemmas}.values())
    parts = []
    for lemma in lemmas:
        parts.append(
            rf"\begin{{lemma}}[{sentence(lemma.name)}]\label{{{lemma.label}}}{STRETCH}"
            f"\n{lemma.statement}\n\\end{{lemma}}\n\\begin{{proof}}{STRETCH}\n{lemma.proof}\n\\end{{proof}}\n"
        )
    for p in proofs:
        parts += [p.theorem, p.proof]
    return "\n".join(row for line in "\n".join(parts).split("\n") for row in _folded(line))


def _folded(line: str) -> list[str]:
    """A long line as several; TeX takes their ends for spaces."""
    if len(line) <= WIDTH or line.startswith("%"):
        return [line]
    indent = line[: len(line) - len(line.lstrip())]
    return textwrap.wrap(
        line, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def _source(key: str) -> Source:
    return SOURCES[key] if key in SOURCES else project()


def _reference(s: Source) -> str:
    people = listed([" ".join(filter(None, (given, family))) for family, given in s.authors])
    where = next((v for k, v in s.where if k in ("booktitle", "note")), "")
    eprint = next((v for k, v in s.where if k == "eprint"), "")
    where = where or (f"arXiv:{eprint}" if eprint else "")
    text = f"{people}. {s.title}. {where}, {s.year}."
    return escape(text).replace("ë", r"\"e")


# --- one result --------------------------------------------------------------------------------
class Writer:
    """Writes one result; alone, the theorem has no label and does not refer to the proof."""

    def __init__(
        self,
        result: Result,
        point: Mapping[Symbol, Expr],
        renamed: Mapping[str, str] | None = None,
        *,
        is_alone: bool = False,
        room: float = ROOM,
    ):
        self.result, self.point, self.is_alone = result, point, is_alone
        self.note = Notation(result, renamed, room)
        self.label = result.id
        domain = result.domain
        known = {s.name for s in (*result.parameters, *domain.ranges)}
        #: what is not free for parts of formulas in the theorem
        self.letters = known | {self.note.symbol_of(name) for name in result.quantities}
        self.teller = Teller(self.note, known | set(result.quantities))

    @cached_property
    def paragraphs(self) -> list[tuple[Step, Paragraph]]:
        """Each step of the derivation, and how it is told."""
        return [(step, self.teller.tell(step)) for step in self.result.derivation]

    def proof(self) -> Proof:
        theorem = self.theorem()
        lemmas = [p.lemma for _, p in self.paragraphs if p.lemma is not None]
        proof = self._proof()
        keys = dict.fromkeys(re.findall(r"\\cite(?:\[[^\]]*\])?\{([^}]*)\}", theorem + proof))
        return Proof(theorem, proof, tuple({e.name: e for e in lemmas}.values()), tuple(keys))

    # --- the theorem ---------------------------------------------------------------------------
    def theorem(self) -> str:
        """The environment."""
        result = self.result
        source = cited(result.source.removeprefix("beyond the papers; "))
        title = f"{self.note.prose(result.title)}; {source}"
        lines = [
            rf"\begin{{theorem}}[{{{title}}}]"
            + ("" if self.is_alone else rf"\label{{thm:{self.label}}}"),
            STRETCH,
            *self._setting(),
        ]
        lines += [r"\begin{enumerate}"]
        for name, q in result.quantities.items():
            lines += self._item(name, q)
        lines += [r"\end{enumerate}", *self._roots(), *self._values()]
        return "\n".join([*lines, r"\end{theorem}"])

    def _setting(self) -> list[str]:
        """Sizes and parameters with what they are, the loss, the dimension."""
        result, note = self.result, self.note
        ranges = result.domain.ranges
        whole = [s for s in ranges if ranges[s].integer]
        others = [s for s in ranges if not ranges[s].integer]
        said = []
        for symbols, noun in ((whole, " be integers"), (others, "")):
            parts = [
                f"${note.range(s, ranges[s])}$"
                + (f" ({note.prose(result.meanings[s])})" if s in result.meanings else "")
                for s in symbols
            ]
            if parts:
                noun = noun if len(parts) > 1 else noun.replace("integers", "an integer")
                said.append(listed(parts) + noun)
        lines = [f"Let {', and let '.join(said)}."] if said else []
        lines += self._lists_given()
        about = head(result, Typeset(note.symbol, note.prose, note.symbol_text))
        if about.formula:
            notes = "; ".join(about.notes)
            formula = note.symbol_text(about.formula) if result.alone else about.formula
            lines += ["Consider the loss", self._loss(formula), f"where {notes}."]
        else:
            is_clause = re.match(r"\$[^$]*\$ (is|are)\b", about.notes[0]) is not None
            first = "Here" if is_clause else "Consider"
            lines.append(f"{first} {'; '.join(about.notes[:-1])}.")  # the last: there is no loss
        entries = {s.name for q in result.quantities.values() for s in q.expression.free_symbols}
        felt = [r for r in note.relations if f"g_{r.name}" in entries]
        if felt:
            listed_ = listed([f"$g_{{{r.index}}}$ ({escape(r.words)})" for r in felt])
            lines.append(
                "Write for the mean inner product of a vector with those that stand to it in one "
                f"relation {listed_}."
            )
        groups = dimensions(result, {})
        if len(groups) == 1:
            least = note.expression(next(iter(groups)).least)
            lines.append(f"Let the vectors lie in $\\mathbb{{R}}^d$ with $d \\ge {least}$.")
        elif groups:
            lines.append(f"Let the vectors lie in $\\mathbb{{R}}^d$, where {about.dimension}.")
        if any("collapse" in q.meaning for q in result.quantities.values()):
            lines.append(COLLAPSE)
        lines.append("Then the following holds.")
        return lines

    def _loss(self, formula: str) -> str:
        """The loss displayed; in a column what comes after a comma has a row of its own.

        So have terms that would be too wide in small type beside what they are the mean of.
        """
        if self.note.room < ROOM:
            found = formula.replace(SIDE, ROW)
            if width(formula) > 1.4 * self.note.room:
                found = found.replace(*TERMS)
            if found != formula:
                formula = rf"\begin{{gathered}} {found} \end{{gathered}}"
        small = r"\scriptsize" if width(formula) > self.note.room + 15 else ""
        return rf"{{{small}\[ {formula} \]}}" if small else rf"\[ {formula} \]"

    def _lists_given(self) -> list[str]:
        """The lists that were given: without them the theorem would be about all."""
        return [
            f"Let {called(name)} ({self.note.prose(self.result.lists[name].meaning)}) "
            f"{listing(text)}."
            for name, text in self.result.inputs.items()
            if name in self.result.lists
        ]

    def _name(self) -> Names:
        """How symbols are written in a formula: a letter for a part has no other meaning."""
        own: dict[str, str] = {}

        def name(s: Symbol) -> str:
            if s.name not in (*SUMS, *LETTERS) or s in self.result.domain.ranges:
                return self.note.symbol(s)
            if s.name not in own:
                more = (f"A_{k}" for k in count(10))
                pool = chain(SUMS if s.name in SUMS else (), LETTERS, more)
                own[s.name] = next(k for k in pool if k not in self.letters)
                self.letters.add(own[s.name])
            return self.note.symbol(Symbol(own[s.name]))

        return name

    def _item(self, name: str, q: Quantity) -> list[str]:
        note = self.note
        said = q.meaning
        if name in {r.name for r in note.relations} and not said.startswith("inner product"):
            said = f"inner product {said}" if said[:3] == "of " else f"inner product, {said}"
        symbol = note.symbol_of(name)
        # Its formula stands below and not above.
        meaning = note.sentence(said)[:-1].replace(" iff this is ", f" iff ${symbol}$ is ")
        what, iff, _ = q.meaning.partition(" iff ")
        beyond = note.beyond(q)
        condition = f", for {listed([f'${c}$' for c in beyond])}" if beyond else ""
        if q.expression in note.roots:
            return [rf"\item {meaning}{condition}: ${symbol}$, a root that is described below."]
        if q.is_number and q.expression.has(FaceValue):
            return [rf"\item {meaning}{condition}: ${symbol}$, which is found at numbers."]
        if q.kind is Kind.NAME:
            return [rf"\item {meaning}: {phrase(str(q.expression))}."]
        if q.kind is Kind.SET and q.parameter is not None:
            said = Contains(q.parameter, q.expression, evaluate=False)
            inside = shown(said, q.domain, self._name(), room=note.room - NUMBER)
            lines = [rf"\item {meaning}{condition}:", *display(inside)]
            if may_be_empty(q.expression, q.domain or self.result.domain):
                lines.append("An interval whose ends are in reverse order is empty.")
            return lines
        e = note.shown(q.expression)
        domain, sign = q.domain or self.result.domain, r"\iff" if q.kind is Kind.CONDITION else "="
        formula = expression(e, domain, self._name(), symbol, note.room - 30, sign)
        condition += self._infinite(name, q, symbol)
        if q.expression in (S.true, S.false):
            return [rf"\item {meaning}{condition}: {'yes' if q.expression == S.true else 'no'}."]
        if q.bound is not None and iff:
            meaning = note.sentence(f"{what} iff {q.bound[0]} {q.bound[1]} {name}")[:-1]
            return [rf"\item {meaning}{condition}, where", *display(formula, stop=".")]
        opening = f"{meaning}{condition}:"
        if meaning.startswith("Limit of "):
            opening = f"The l{meaning[1:]}{condition}{',' * bool(condition)} is"
        lines = [rf"\item {opening}", *display(formula, stop=".")]
        if isinstance(q, Bounds):
            lines += self._of_bound(q)
        return lines

    def _infinite(self, name: str, q: Quantity, symbol: str) -> str:
        """At which ends of its own ranges a number is infinite."""
        ends = []
        for s, r in (q.domain.ranges if q.domain and q.is_number else {}).items():
            for end, is_open in ((r.low, r.low_open), (r.high, r.high_open)):
                if is_open or not end.is_Rational or not q.expression.has(s):
                    continue
                with suppress(DomainError):
                    if self.result.at(name, {s: end}) is oo:
                        ends.append(f"${self.note.symbol(s)} = {self.note.expression(end)}$")
        return rf" (${symbol} = \infty$ at {listed(ends)})" if ends else ""

    def _of_bound(self, q: Bounds) -> list[str]:
        """When both are equal, and how far what is printed is proved."""
        said = [f"Both are equal {q.equality}"] if q.equality else []
        if q.printed:
            said.append(f"This is as printed; it is {q.standing}")
        return [self.note.sentence(text) for text in said]

    def _roots(self) -> list[str]:
        lines = []
        for root, called in self.note.roots.items():
            node = self.note.equation(root)
            formula = of_node(node, self._name(), self.note.room - 20)
            lines += [
                f"Here ${called.tex} \\in {self.note.bracket(root)}$ is the zero of",
                *display(formula, stop=","),
                CLAMPED,
            ]
        return lines

    def _values(self) -> list[str]:
        """What the quantities are at the values that were given."""
        if not self.point:
            return []
        at = ",\\; ".join(
            f"{self.note.symbol(s)} {WAYS[v is oo]} {self.note.expression(v)}"
            for s, v in self.point.items()
        )
        rows = [self._value(name, q) for name, q in self.result.quantities.items()]
        if not any(rows):
            return []
        joined = " \\\\\n  ".join(filter(None, rows))
        return [f"In particular, for ${at}$", r"\begin{align*}", f"  {joined}.", r"\end{align*}"]

    def _value(self, name: str, q: Quantity) -> str:
        """``name = expression``, with a decimal if it is a number; else nothing."""
        symbol = self.note.symbol_of(name)
        try:
            e = self.result.at(name, self.point)
            if not isinstance(e, Expr):
                return ""
            is_closed = without_roots(e) == e and not e.has(FaceValue)
            domain = (q.domain or self.result.domain) if e.free_symbols else None
            closed = expression(e, domain, self._name(), symbol, self.note.room)
            rows = " \\\\\n  ".join((*closed.rows, *(row for part in closed.where for row in part)))
            if e.free_symbols:  # what a root is, is said above
                return rows if is_closed else ""
            value = str(decimal(self.result.number(name, e, self.point, DIGITS)))
        except DomainError:
            return ""
        if e.is_Rational and e.q <= PLAIN:
            return closed.rows[0]
        value = re.sub(r"e([-+]?)0*(\d+)$", r" \\times 10^{\1\2}", value).replace("^{+", "^{")
        if is_closed and not e.is_Rational and len(closed.rows) == 1 and not closed.where:
            return rf"{closed.rows[0]} \approx {value}"
        return rf"{symbol} &\approx {value}"

    # --- the proof -----------------------------------------------------------------------------
    def _proof(self) -> str:
        lines = [
            rf"\begin{{proof}}[Proof of Theorem~\ref{{thm:{self.label}}}]",
            rf"{STRETCH}{self._evidence()}",
        ]
        lines += self._notation()
        for k, (step, p) in enumerate(self.paragraphs, 1):
            lines += ["", *self._paragraph(k, step, p)]
        return "\n".join([*lines, r"\end{proof}", ""])

    def _evidence(self) -> str:
        steps = self.result.derivation
        exact = sum(s.evidence.grade is Grade.EXACT for s in steps)
        how = (
            "all of them by exact algebra"
            if exact == len(steps)
            else (f"{exact} of them by exact algebra, the others as is said there")
        )
        return (
            rf"\footnote{{Derived with cltheory {version()} \cite{{cltheory}}, which checked each "
            rf"of the "
            f"{len(steps)} statements of this proof, {how}.}}"
        )

    def _notation(self) -> list[str]:
        note = self.note
        if not note.relations:
            return []
        wide = max(len(r.words) for r in note.relations) > 40
        middle = r"p{.49\linewidth}" if wide else "l"
        head = "inner product & relation to the anchor & number of vectors"
        relations = ((rf"g_{{{r.index}}}", r) for r in note.relations)
        lines = ["Relative to an anchor, the vectors fall into the relations"]
        lines += self._table(head, relations, middle, ";" if note.spaces else ".")
        if note.spaces:
            lines.append(
                "and the common eigenspaces of all matrices that are constant on relations are"
            )
            spaces = ((rf"\lambda_{{{e.index}}}", e) for e in note.spaces)
            lines += [*self._table("eigenvalue & eigenspace & dimension", spaces), OF_GRADIENT]
        return lines

    def _table(
        self, head: str, rows: Iterable[tuple[str, Row]], middle: str = "l", stop: str = "."
    ) -> list[str]:
        """What relations or eigenspaces are called, what they are, and their sizes."""
        if self.note.room < ROOM:
            first, middle, last = head.split(" & ")
            said = (f"${tex}$ ({escape(r.words)}; {self.note.math(r.size)})" for tex, r in rows)
            return [f"({first}; {middle}; {last}):", listed(list(said)) + stop]
        said = (rf"${tex}$ & {escape(r.words)} & {self.note.math(r.size)} \\" for tex, r in rows)
        begin, end = rf"\begin{{tabular}}{{l{middle}l}}", r"\end{tabular}"
        return [r"\begin{center}", begin, rf"{head} \\ \hline", *said, end, r"\end{center}"]

    def _label(self, k: int) -> str:
        return f"eq:{self.label}:{k}"

    def _paragraph(self, k: int, step: Step, p: Paragraph) -> list[str]:
        before, after = p.before, p.after
        if p.lemma is not None:
            lemma = f"Lemma~\\ref{{{p.lemma.label}}}"
            if before.endswith((":", ",", ".")):
                before = f"{before[:-1]} ({lemma}){before[-1]}"
            else:
                before += f" ({lemma})"
        if step.evidence.grade is not Grade.EXACT:
            how = f"{step.evidence.grade}; {step.evidence.how}"
            before += rf"\footnote{{Evidence: {escape(how)}.}}"
        if p.formula is None:
            return [before, *([after] if after else [])]
        return [before, *display(p.formula, self._label(k), stop="."), *([after] if after else [])]


def called(name: str) -> str:
    """The name of a list in a sentence: a letter, or a word."""
    written = str(latex(Symbol(name)))
    return name if written.isalpha() and len(written) > 1 else f"${written}$"


def listing(text: str) -> str:
    """``have the rows ..`` or ``be ..``, of numbers or pairs as they are typed."""
    rows = [row.split(",") for row in text.split(";")]
    if sum(map(len, rows)) > MOST_GIVEN:
        return f"be what was given, {len(rows)} rows" if len(rows) > 1 else "be what was given"
    if re.fullmatch(r"\d+-\d+", rows[0][0]):
        return f"be {listed(['--'.join(pair.split('-')) for pair in rows[0]])}"
    written = [f"$({', '.join(tex(layout(exact(e, {})), str) for e in row)})$" for row in rows]
    return f"have the rows {listed(written)}" if len(written) > 1 else f"be {written[0]}"


def display(formula: Shown, label: str = "", stop: str = ".") -> list[str]:
    """A formula as a display, numbered if it has a label; what letters in it are comes below."""
    star = "" if label else "*"
    last_is_where = bool(formula.where)
    rows = list(formula.rows)
    rows[-1] += "," if last_is_where else stop
    joined = " \\notag \\\\\n  ".join(rows) if label else " \\\\\n  ".join(rows)
    tail = f" \\label{{{label}}}" if label else ""
    lines = [rf"\begin{{align{star}}}", f"  {joined}{tail}", rf"\end{{align{star}}}"]
    if formula.where:
        parts = [row for where in formula.where for row in where]
        parts[-1] += stop
        lines += ["where", r"\begin{align*}", "  " + " \\\\\n  ".join(parts), r"\end{align*}"]
    return lines
