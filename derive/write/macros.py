r"""Results as LaTeX macros and theorems, to be read by ``\input``.

For each quantity, with ``\clSupclThreshold`` for the result ``supcl-threshold`` and
digits in names spelled out:

``\clSupclThresholdAlphaMin{m}{n}{\tau}``
    The expression, with an argument for each parameter that occurs in it, in the order of
    the result's parameters. An argument that is not a single symbol is put in parentheses
    wherever it stands next to something, a number unless it comes first: ``{m+1}`` is safe. A name
    of several tokens, such as ``{\tilde m}``, keeps free of them in braces of its own:
    ``{{\tilde m}}``.
``\clSupclThresholdAlphaMinAt{n}{\tau}``
    The same with the values put in that the export was given, ``--m 10``: numbers are computed
    there, and not written as ``10 - 1``.
``\clSupclThresholdAlphaMinName``, ``\clSupclThresholdAlphaMinEq``
    What the quantity is called, and the equation in the usual letters.
``\clSupclOptimumXStarWhere{m}{n}{\alpha}{\tau}``
    For a root without closed form: the interval it lies in and its equation.
``\clSupclThresholdStatement``
    The theorem, in the environment ``theorem``, with its conditions and its source.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sympy import Add, Expr, Symbol

from ..decide.domain import Domain, DomainError
from ..decide.root import ClampedRoot
from ..papers.sources import MADE_BY, version
from ..tex.exported import ARGUMENT, FIRST, FIRST_IN_TEX, IN_TEX
from ..theorem.kinds import Kind
from ..theorem.quantity import Quantity
from ..theorem.result import Result
from .display import CLAMPED, Writer, words, written
from .layout.displays import ROOM
from .layout.layout import layout
from .layout.tex import tex
from .layout.tree import Node
from .proofs.document import theorem
from .renaming import ExportError

_DIGITS = ("Zero", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine")


def macro_name(*parts: str) -> str:
    r"""``\clSupclThresholdAlphaMin`` for ``supcl-threshold`` and ``alpha_min``."""
    bare = [word for part in parts for word in re.split(r"[-_]", part)]
    bare = ["infinity" if word == "oo" else word for word in bare]
    spelled = [re.sub(r"\d", lambda d: _DIGITS[int(d[0])], w[:1].upper() + w[1:]) for w in bare]
    return "\\cl" + "".join(spelled)


_HEAD = r"""% {made} {version}: results of contrastive-learning theory as macros.
% Made by: cltheory export --latex. Changes to this file are lost when it is made again.
%
% In the preamble: \usepackage{{amsmath,amssymb,amsthm}} and then \input{{theory}}. Statements cite
% the sources in the .bib file that is written beside this file.
%
%   \clSupclThresholdAlphaMin{{m}}{{n}}{{\tau}}  an expression (its arguments are said above it)
%   \clSupclThresholdAlphaMinName            the name of the quantity
%   \clSupclThresholdAlphaMinEq              name = expression, in the usual letters
%   \clSupclThresholdStatement               the statement, in the environment theorem
%
% An argument that is more than one symbol stands in parentheses wherever something is next to it, a
% number where something stands before it. To keep a name of several tokens free of them, put it in
% braces: {{{{\tilde m}}}}.
% The expression itself is not put in parentheses.
\ifdefined\clTheoryVersion\expandafter\endinput\fi
\newcommand{{\clTheoryVersion}}{{{version}}}
\AtBeginDocument{{\ifcsname theorem\endcsname\else\newtheorem{{theorem}}{{Theorem}}\fi}}
% An argument in parentheses, but for a letter, a symbol such as \tau, or a group in braces.
% A macro may stand for anything, so it has them.
\newcommand{{{argument}}}[1]{{{in_tex}}}
% The same where a product begins: a number needs no parentheses there.
\newcommand{{{first}}}[1]{{{first_in_tex}}}
\newcommand{{\clArgEnd}}{{\relax}}
\def\clArgOne#1#2\clArgEnd#3{{\if\relax\detokenize{{#2}}\relax
  \if\relax\detokenize{{#1}}\relax\else\clArgTwo#1{{}}\clArgEnd{{#3}}\fi
  \else{{\left(#3\right)}}\fi}}
\def\clArgTwo#1#2\clArgEnd#3{{\if\relax\detokenize{{#2}}\relax
  \ifcat\noexpand#1A#3\else\ifcat\noexpand#1\relax
    \expandafter\ifx\noexpand#1#1#3\else{{\left(#3\right)}}\fi
  \else{{\left(#3\right)}}\fi\fi
  \else#3\fi}}
"""


def point_of(result: Result, values: Mapping[str, str]) -> dict[Symbol, Expr]:
    """The values of those parameters that a result has, checked."""
    names = {s.name for s in result.parameters}
    return result.point(**{name: value for name, value in values.items() if name in names})


def to_latex(
    results: Sequence[Result],
    renamed: Mapping[str, str] | None = None,
    values: Mapping[str, str] | None = None,
    room: float = ROOM,
) -> str:
    r"""Macros for every quantity and statement, to be read by ``\input``.

    Parameters
    ----------
    results
        What to export.
    renamed
        Name of a symbol -> LaTeX, as :func:`rename` returns it.
    values
        Of parameters, for further macros with these put in; a result takes those that it has.
    room
        Width of the text in points, for the statements.

    Raises
    ------
    DomainError
        If a value is none that the parameter may have.
    ExportError
        If two macros would have one name.
    """
    head = {"made": MADE_BY, "version": version(), "argument": ARGUMENT, "in_tex": IN_TEX}
    head |= {"first": FIRST, "first_in_tex": FIRST_IN_TEX}
    parts = [_HEAD.format(**head)]
    if renamed:  # so that cltheory check reads the macros
        parts.append(f"% cltheory: [{', '.join(f'{new} -> {s}' for s, new in renamed.items())}]\n")
    parts += [_latex_result(r, renamed or {}, point_of(r, values or {}), room) for r in results]
    text = "".join(parts)
    names = re.findall(r"^\\newcommand\{(\\cl[A-Za-z]+)\}", text, re.MULTILINE)
    for name in names:
        if names.count(name) > 1:
            raise ExportError(f"two macros would be called {name}")
    return text


def _latex_result(
    result: Result, renamed: Mapping[str, str], point: Mapping[Symbol, Expr], room: float
) -> str:
    paper = _Paper(result, renamed)
    lines = ["", f"% {'-' * 96}", f"% {result.id}: {result.title}", f"% Source: {result.source}"]
    lines.append(f"% Evidence: {result.graded()}, {len(result.derivation)} checked steps")
    lines.append(_newcommand(macro_name(result.id, "Evidence"), 0, str(result.evidence.grade)))
    for root in paper.writer.roots:
        lines += paper.root(root)
    for name, q in result.quantities.items():
        lines += paper.quantity(name, q)
        if point.keys() & q.expression.free_symbols:
            lines += paper.at(name, q, point)
    lines.append(
        _newcommand(macro_name(result.id, "Statement"), 0, "%\n" + theorem(result, renamed, room))
    )
    return "\n".join(lines) + "\n"


def _newcommand(name: str, arity: int, body: str) -> str:
    count = f"[{arity}]" if arity else ""
    return f"\\newcommand{{{name}}}{count}{{{body}}}"


#: Where an argument needs no parentheses: nothing stands next to it that binds.
_FREE_BEFORE = re.compile(r"(?:^|[{(\[,=&]|\\left[(\[]|\\(?:ge|geq|le|leq|in)|\\\\)\s*\Z")
_FREE_AFTER = re.compile(
    r"\s*(?:\Z|\}(?!\s*\^)|[)\],=+&]|-|\\right|\\\\|\\end|\\(?:ge|geq|le|leq)\b)"
)
#: Where a product begins; a number there must not run into another.
_BEGINS = re.compile(r"(?:^|[{(\[,=&+<>-]|\\left[(\[]|\\(?:ge|geq|le|leq|in|iff)|\\\\|\\quad)\s*\Z")
_DIGIT = re.compile(r"\s*\d")
_FIRST_PLACE = 0xE000  #: private characters that stand for arguments while printing


def arguments(tex: str) -> str:
    """Turn the places of arguments into ``#1``, in ``\\clArg`` where something binds to them."""

    def put(place: re.Match[str]) -> str:
        number = ord(place[0]) - _FIRST_PLACE + 1
        before, after = tex[: place.start()], tex[place.end() :]
        free = _FREE_BEFORE.search(before[-12:]) and _FREE_AFTER.match(after)
        if free:
            return f"#{number}"
        first = _BEGINS.search(before[-12:]) and not _DIGIT.match(after)
        return rf"{FIRST if first else ARGUMENT}{{#{number}}}"

    return re.sub("[\ue000-\ue0ff]", put, tex)


class _Paper:
    """The macros of one result."""

    def __init__(self, result: Result, renamed: Mapping[str, str]):
        self.result = result
        self.writer = Writer(result, renamed)

    def order(self, expression: Expr) -> list[Symbol]:
        """Symbols that are arguments of the macro of a shown expression."""
        free = expression.free_symbols - words(expression)
        free -= {n.symbol for n in self.writer.roots.values()}
        first = [s for s in self.result.parameters if s in free]
        if len(free) > 9:  # TeX has no more; the rest keeps its names
            return first[:9]
        return [*first, *sorted(free - set(first), key=str)]

    def body(self, expression: Expr | Node, order: Sequence[Symbol], domain: Domain) -> str:
        """LaTeX of a shown expression with arguments in it."""
        node = expression if isinstance(expression, Node) else layout(expression, domain)
        places = {s: chr(_FIRST_PLACE + k) for k, s in enumerate(order)}
        return tex(node, lambda s: places.get(s) or self.writer.symbol(s))

    def call(self, name: str, order: Sequence[Symbol]) -> str:
        """A macro with the usual symbols as its arguments."""
        return name + "".join(f"{{{_argument(self.writer.symbol(s))}}}" for s in order)

    def root(self, root: ClampedRoot) -> list[str]:
        """The macro that says what a root is."""
        writer, name = self.writer, self.writer.roots[root]
        equation = writer.equation(root)
        low, high = writer.shown(root.low), writer.shown(root.high)
        order = self._root_order(root)
        domain = self.result.domain
        bracket = [self.body(end, order, domain) for end in (low, high)]
        close = r"\right)" if bracket[1] == r"\infty" else r"\right]"
        body = (
            rf"{name.tex} \in \left[{bracket[0]}, {bracket[1]}{close}, \quad "
            rf"{self.body(equation, order, domain)} = 0"
        )
        macro = self._macro(name.symbol.name, "Where")
        return [
            f"% {macro}{_shown_arguments(order)}: what {name.symbol.name} is,",
            f"%   {CLAMPED}",
            _newcommand(macro, len(order), arguments(body)),
        ]

    def quantity(self, name: str, q: Quantity) -> list[str]:
        """The macros of one quantity."""
        writer, macro = self.writer, self._macro(name)
        shown = writer.shown(q.expression)
        order = self.order(shown)
        condition = "; ".join(writer.beyond(q))
        if q.expression in writer.roots:
            equation = self.call(self._macro(name, "Where"), self._root_order(q.expression))
        else:
            value = self.call(macro, order)
            named = writer.quantity(q) != writer.expression(q.expression, q.domain)
            bare = q.kind is Kind.CONDITION or not named
            equation = value if bare else f"{writer.head(q)}{value}"
        lines = [f"% {macro}{_shown_arguments(order)}: {q.meaning}"]
        body = self.body(shown, order, q.domain or self.result.domain)
        lines += [f"%   for {condition}"] if condition else []
        return [
            *lines,
            _newcommand(macro, len(order), arguments(body)),
            _newcommand(macro + "Name", 0, writer.symbol_text(q.symbol)),
            _newcommand(macro + "Eq", 0, equation),
        ]

    def at(self, name: str, q: Quantity, point: Mapping[Symbol, Expr]) -> list[str]:
        """The macro of a quantity with values put in, where it has one."""
        put = {s: value for s, value in point.items() if s in q.expression.free_symbols}
        given = ", ".join(f"{s.name} = {value}" for s, value in put.items())
        macro = self._macro(name, "At")
        try:
            expression = self.result.at(name, point)
        except DomainError as refusal:
            return [f"% {macro}: no value at {given}: {refusal}"]
        if expression.has(ClampedRoot):
            return [f"% {macro}: it has no closed form at {given}"]
        order = self.order(expression)
        body = self.body(expression, order, q.domain or self.result.domain)
        head = f"% {macro}{_shown_arguments(order)}: the same at {given}"
        return [head, _newcommand(macro, len(order), arguments(body))]

    def _root_order(self, root: ClampedRoot) -> list[Symbol]:
        writer = self.writer
        ends = (writer.shown(root.low), writer.shown(root.high))
        return self.order(Add(writer.equation(root).meaning, *ends, evaluate=False))

    def _macro(self, *parts: str) -> str:
        return macro_name(self.result.id, *parts)


def _argument(tex: str) -> str:
    """A name as an argument: in braces of its own if it is several tokens."""
    return tex if re.fullmatch(r"[A-Za-z]|\\[A-Za-z]+", tex) else f"{{{tex}}}"


def _shown_arguments(order: Sequence[Symbol]) -> str:
    return "".join(f"{{{written(s)}}}" for s in order)
