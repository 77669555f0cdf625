"""A result at a point, as one plain object: what every output format is made from."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from functools import partial
from typing import Any, Literal

from sympy import And, Basic, Contains, Eq, Expr, Piecewise, Rational, Symbol, oo, true
from sympy.core.symbol import Str

from ..decide.ball import NoValue
from ..decide.cases import opened
from ..decide.decide import refuse_nowhere
from ..decide.digits import NotKnown, sign
from ..decide.domain import Domain, DomainError
from ..decide.root import ClampedRoot, stand_ins, without_roots
from ..losses.written import Tex
from ..proof.derivation import Step
from ..proof.hooks import call
from ..theorem.about import head
from ..theorem.bounds import Bounds, as_data
from ..theorem.dimensions import own_dimension
from ..theorem.kinds import Kind, may_be_empty
from ..theorem.number import decimal, number, numbers
from ..theorem.quantity import Quantity
from ..theorem.result import Result
from ..theorem.written import written
from .layout.displays import Letters, of_node, shown
from .layout.equations import equation
from .layout.layout import layout
from .layout.lines import POINTS
from .layout.signs import cases_by_sign
from .layout.statement import aligned
from .layout.tex import tex as tex_of
from .layout.tree import Node, Other, named
from .rocq.rungs import exported, limits

_WHERE = r"\text{where }"
#: Of the object that :func:`report` makes, described by docs/schema/derive.json.
SCHEMA = 1
_SKIP = rf"\phantom{{{_WHERE}}}"


#: LaTeX of a symbol.
Spelling = Callable[[Symbol], str]


def starred(s: Symbol) -> str:
    r"""LaTeX of a symbol; ``x_star`` has a star, and a word is text."""
    letter, star, number = s.name.partition("_star")
    if len(letter) == 1 and star and (not number or number[1:].isdigit()):
        return rf"{letter}^\star" + (rf"_{{{number[1:]}}}" if number else "")
    return written(s)


def _renamed(names: Mapping[str, str], within: Callable[[str], str], s: Symbol) -> str:
    return names.get(s.name) or within(starred(s))


def report(
    result: Result,
    point: Mapping[Symbol, Expr],
    digits: int = 15,
    *,
    claims: bool = True,
    typeset: bool = True,
    steps: bool = True,
    plain: Literal["", "text", "tex"] = "",
    renamed: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """The result with some parameters put in, as a JSON-ready object.

    Parameters
    ----------
    point
        Exact values, as :meth:`Result.point` reads them.
    digits
        Significant digits of the decimals.
    claims
        Whether to run the checks of the printed claims that the result settles.
    typeset
        Whether to add LaTeX, which takes a while to print.
    steps
        Whether to print the steps of the derivation.
    plain
        Whether to add what is laid out line by line, as text or as LaTeX: of each quantity what is
        ``shown``, the ``roots`` in it, where it is meant ``beyond`` the result; and ``verdicts``.
    renamed
        LaTeX of symbols by their names, where it is another one; names in SymPy and words stay.

    Raises
    ------
    DomainError
        If no values of what stays symbolic go with the point; one line.
    """

    spell = starred
    if renamed:
        from .display import Writer

        writer = Writer(result, renamed)
        spell = partial(_renamed, writer.renamed, writer.symbol_text)
    tex = partial(_typeset, spell=spell) if typeset else lambda *_: ""
    in_tex = Tex(spell) if renamed else Tex()
    refuse_nowhere(point, result.domain)  # what stays symbolic would hold nowhere
    about = head(result, point=point)
    # A limit is meant inside the ranges of what stays symbolic: at an end it may be another.
    inside = opened(result.domain) if oo in point.values() else result.domain
    ranges = {s: (result.domain if s in point else inside).ranges[s] for s in inside.ranges}
    names: Names = {}
    proved = names_of_roots(result) if steps else {}
    return {
        "schema": SCHEMA,
        "id": result.id,
        "title": result.title,
        "parameters": {**result.inputs, **{s.name: str(v) for s, v in point.items()}},
        "loss": {
            "text": " ".join(about.formula.split()) or None,
            "latex": (head(result, in_tex).formula or None) if typeset else None,
            "notes": list(about.notes),
            "parameters": dict(about.parameters),
            "dimension": about.dimension,
            "elsewhere": about.elsewhere or None,
        },
        "convention": about.convention or None,
        "quantities": {
            name: _quantity(result, name, q, point, digits, tex, plain, names, spell)
            for name, q in result.quantities.items()
        },
        **({"verdicts": verdicts(result, point)} if plain else {}),
        "assumptions": [f"{s} {_is(r)}" for s, r in ranges.items() if s in result.parameters],
        "steps": [
            {
                "title": s.title,
                "sympy": str(s.statement),
                "latex": _stated(s, result, proved, spell, whole=not plain) if typeset else "",
                "because": s.because,
                "evidence": str(s.evidence.grade),
                "how": s.evidence.how,
                "replay": [asdict(boxes) for boxes in s.evidence.replay],
            }
            for s in (result.derivation if steps else ())
        ],
        "claims": [
            {"paper": c.paper, "label": c.label, "verdict": v.word, "note": v.note}
            for c, v in (
                (c, c.known_verdict()) for c in (call("claims", result.id) if claims else [])
            )
        ],
        "evidence": str(result.evidence.grade),
        "kernel": exported(result.id) if result.is_listed else None,
        "kernel_limits": limits(result.id) if result.is_listed else None,
    }


def _quantity(
    result: Result,
    name: str,
    q: Quantity,
    point: Mapping[Symbol, Expr],
    digits: int,
    tex: Callable[..., str],
    plain: str,
    names: Names,
    spell: Spelling,
) -> dict[str, Any]:
    if oo in point.values() and q.domain is not None:  # as above: a limit is meant inside
        q = replace(q, domain=opened(q.domain))
    own = own_dimension(result, name)
    found: dict[str, Any] = {
        "condition": None,
        "meaning": q.meaning,
        "dimension": own and {"least": str(own.at(point).least), "sharp": own.sharp},
        "evidence": str(result.evidence_of(name).grade),
    }
    if isinstance(q, Bounds):
        found["bound"] = as_data(q, result.id, name, point)
    try:
        expression = result.at(name, point)
        value = None
        if not expression.free_symbols or expression in q.names - result.domain.ranges.keys():
            value = decimal(result.number(name, expression, point, digits))
        if _too_long(expression):
            known = "" if value is None else f"; it is {value}"
            raise DomainError(f"its exact form has a number of thousands of digits{known}")
    except DomainError as refusal:  # of this quantity; the others have values still
        why = str(refusal)
        why = "it" + why[len(name) :] if why.startswith(f"{name} ") else why
        found["condition"] = condition_of(q, result, point, names, q.expression)
        shown = _shown(q, q.expression, tex, result, names)
        return shown | {"value": None} | found | {"refused": why}
    found["condition"] = condition_of(q, result, point, names, expression)
    if plain:
        shown = without_roots(expression, names)
        laid_out = partial(tex_rows_of, spell=spell) if plain == "tex" else plainly
        found |= {
            "shown": laid_out(shown, q.domain or result.domain),
            "roots": roots_of(expression, result, names, tex=plain == "tex", spell=spell),
            "beyond": "; ".join(beyond(q, result, point)),
        }
    return _shown(q, expression, tex, result, names) | {"value": value} | found


def _too_long(expression: Basic) -> bool:
    """Whether there is an integer in it that Python does not write out in decimals."""
    most = sys.get_int_max_str_digits()
    return bool(most) and any(
        max(abs(r.p), r.q) >= 10**most for r in without_roots(expression).atoms(Rational)
    )


def _shown(
    q: Quantity, expression: Basic, tex: Callable[..., str], result: Result, names: Names
) -> dict[str, Any]:
    """An expression as SymPy and LaTeX; a set in words as well."""
    shown, domain = without_roots(expression, names), q.domain or result.domain
    if q.parameter is None or q.kind is not Kind.SET:
        return {"sympy": str(shown), "latex": tex(shown, domain)}
    return {
        "sympy": str(shown),
        "latex": tex(Contains(q.parameter, shown, evaluate=False), domain),
        "text": str(numbers(q.parameter, shown, lambda end: layout(end, domain).text(named)))
        + (", none if the lower end exceeds the upper" if may_be_empty(expression, domain) else ""),
    }


def _stated(step: Step, result: Result, names: Names, spell: Spelling, *, whole: bool) -> str:
    """LaTeX of a step; what says nothing is there only if the ``whole`` is asked for."""
    from .display import stated

    statement, domain = without_roots(step.statement, names), step.says.domain
    found = stated(statement, domain, spell)
    if not found and not whole:
        return ""
    found = found or list(shown(statement, domain, spell).rows)
    roots = roots_of(step.statement, result, names, tex=True, spell=spell)
    for root, (bracket, zero) in roots.items():
        found.append(rf"\text{{where }} {root} &\in {bracket},\quad {zero} = 0")
    return aligned(found)


def condition_of(
    q: Quantity, result: Result, point: Mapping[Symbol, Expr], known: Names, shown: Basic
) -> str | None:
    """The condition under which a quantity is meant, beyond the result's own domain.

    Where there is no closed form this is the implicit equation and its bracket.
    """
    parts = beyond(q, result, point)
    names = stand_ins(shown, known)
    for root, name in names.items():
        h, x = root.equation()
        low, high = (end.xreplace(names) for end in (root.low, root.high))
        parts.append(
            f"{name} in [{low}, {high}] solves {h.xreplace({x: name})} = 0, or is {low} where the "
            f"left side is nowhere negative and {high} where it is nowhere positive"
        )
    return "; ".join(parts) or None


def beyond(q: Quantity, result: Result, point: Mapping[Symbol, Expr]) -> list[str]:
    """Ranges of a quantity that are not those of its result, with the values put in."""
    if q.domain is None:
        return []
    whole = opened(result.domain) if oo in point.values() else result.domain
    return [
        f"{s} {_is(r.at(point))}"
        for s, r in q.domain.ranges.items()
        if s not in point and r != whole.ranges.get(s)
    ]


#: What each root is called in all that is shown together.
Names = dict[ClampedRoot, Symbol]


def names_of_roots(result: Result) -> Names:
    """Names of the roots in the quantities of a result, from the first on."""
    names: Names = {}
    for q in result.quantities.values():
        stand_ins(q.expression, names)
    return names


def roots_of(
    expression: Basic,
    result: Result,
    known: Names | None = None,
    *,
    tex: bool = False,
    spell: Spelling = starred,
) -> dict[str, tuple[str, str]]:
    """For each root in an expression its bracket and its equation, laid out, as text or LaTeX."""
    names = stand_ins(expression, known)
    found = {}
    for root, name in names.items():
        h, x = root.equation()
        ends = [layout(end.xreplace(names), result.domain) for end in (root.low, root.high)]
        zero = equation(root, h.xreplace({x: name}).xreplace(names), name, result.domain)
        close = ")" if root.high is oo else "]"
        if tex:
            low, high = (tex_of(end, spell) for end in ends)
            said = aligned(list(of_node(zero, spell).rows))
            found[spell(name)] = rf"\left[{low}, {high}\right{close}", said
        else:
            low, high = (end.text(named) for end in ends)
            found[name.name] = f"[{low}, {high}{close}", zero.text(named)
    return found


#: Where a meaning ties a parameter to another.
AT = re.compile(r"\bat (\w+) = (\w+)")


def verdicts(result: Result, point: Mapping[Symbol, Expr]) -> list[str]:
    """What follows for a parameter that was given, where the theorem bounds it."""
    found: dict[str, list[str]] = {}
    given = {s.name: value for s, value in point.items()}
    for name, q in result.quantities.items():
        if q.bound is None or q.bound[0] not in point or oo in point.values():
            continue
        symbol, side = q.bound
        what, iff, _ = q.meaning.partition(" iff ")
        if any(a in given and b in given and given[a] != given[b] for a, b in AT.findall(what)):
            continue  # "at b = t" is about other parameters than those given
        try:
            value = result.at(name, point)
            if value.free_symbols:
                continue
            margin = point[symbol] - value
            above = sign(margin)
            size = str(number(margin, name, 3))
        except (DomainError, NotKnown, NoValue):
            continue
        if not iff or above is None:
            continue
        holds = (above if side[0] == ">" else -above) > 0 or (above == 0 and side.endswith("="))
        where = (
            f"{size.removeprefix('-')} {'above' if above > 0 else 'below'}" if above else "equal to"
        )
        found.setdefault(what if holds else _denied(what), []).append(f"{symbol} is {where} {name}")
    return [f"{said}: {', '.join(margins)}" for said, margins in found.items()]


def _denied(what: str) -> str:
    """The opposite of what a quantity says: "classes do not collapse", "the simplex is optimal"."""
    for verb, opposite in (
        (" all classes ", " not all classes "),
        (" at some ", " at no "),
        (" is no ", " is "),
        (" do not ", " "),
        (" does not lower ", " lowers "),
        (" is ", " is not "),
        (" are ", " are not "),
        (" coincide ", " do not coincide "),
    ):
        if verb in (told := f" {what} "):
            return told.replace(verb, opposite, 1).strip()
    return f"it is not true that {what}"


def _is(r: object) -> str:
    text = str(r)
    return f"is {text}" if text.startswith("an ") else text


def _typeset(expression: Basic, domain: Domain | None = None, spell: Spelling = starred) -> str:
    from .display import stated
    from .display import typeset as typeset_of

    if isinstance(expression, Contains):
        return aligned(stated(expression, domain, spell))
    return typeset_of(expression, spell, domain)


def tex_rows_of(expression: Basic, domain: Domain | None, spell: Spelling = starred) -> list[str]:
    """An expression as rows of LaTeX that fit beside its name; a name is text."""
    if isinstance(expression, Str):
        return [_typeset(expression)]
    found = of_node(layout(cases_by_sign(expression, domain), domain), spell, POINTS - 90)
    return [re.sub(r"^&(\\quad \{\} )?\s*", "", row) for row in found.rows] + [
        rf"{_WHERE if row is part[0] else _SKIP} {row.replace('&', '', 1)}"
        for part in found.where
        for row in part
    ]


def plainly(expression: Basic, domain: Domain | None) -> list[str]:
    """An expression as text, laid out; then what names in it stand for."""
    if isinstance(expression, Eq):
        return [" = ".join(plainly(side, domain)[0] for side in expression.args)]
    laid = Letters([layout(cases_by_sign(expression, domain), domain)]).shorten()
    node = laid.nodes[0]
    told = _cases(node) if isinstance(expression, Piecewise) else node.text(named)
    return [told, *(f"{s} = {node.text(named)}" for s, node in laid.letters)]


def _cases(node: Node) -> str:
    """A case distinction in words: ``2 if N = 3; 1 if N > 3; else 0``."""
    if not isinstance(node, Other):
        return node.text(named)
    told, called = node.with_parts(lambda part: part.text(named))
    told = told.xreplace({s: Symbol(text) for s, text in called.items()})

    def word(condition: Basic) -> str:
        if isinstance(condition, And):
            return " and ".join(map(word, condition.args))
        if isinstance(condition, Eq):
            return f"{condition.lhs} = {condition.rhs}"
        return str(condition)

    return "; ".join(f"else {v}" if c == true else f"{v} if {word(c)}" for v, c in told.args)
