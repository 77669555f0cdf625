"""What Jupyter shows of results, quantities and proofs."""

from __future__ import annotations

from collections.abc import Iterable

from ..losses.written import Tex
from ..proof.derivation import Derivation, Step
from ..theorem.about import head
from ..theorem.quantity import Quantity
from ..theorem.result import Result
from ..theorem.written import written
from .display import Writer, joint, sentence, stated, typeset
from .layout.displays import shown as displayed
from .layout.statement import aligned
from .statement import lead, rest
from .wording import inert


def _result_latex(result: Result) -> str:
    """The loss and all quantities of a result, and what defines their roots, as rows."""
    writer = Writer(result)
    formula = head(result, Tex(written)).formula
    found = [formula.replace(" = ", " &= ", 1)] if formula else []
    for q in result.quantities.values():
        if q.expression not in writer.roots:
            value, where = writer.named(q)
            found.append(rf"{q.symbol}{joint(q, '&')}{value}")
            found += [rf"&\text{{where }} {row}" for row in where]
    for root, name in writer.roots.items():
        found.append(rf"{name.tex} &\in {writer.bracket(root)}")
        first, *more = writer.equation_rows(root)
        found += [rf"0 &= {first}", *(rf"&\quad {row}" for row in more)]
    return _rows(found)


def _rows(found: Iterable[str]) -> str:
    return r"\begin{aligned}" + r" \\ ".join(found) + r"\end{aligned}"


def _result_markdown(result: Result) -> str:
    title = Writer(result).prose(result.title, inert)
    steps = len(result.derivation)
    parts = (
        f"**{title}** (`{result.id}`; {inert(result.source)})",
        lead(result),
        rest(result, level=4),
        f"Evidence: {result.graded()}, {steps} checked steps.",
    )
    return "\n\n".join(parts)


def _stated(step: Step) -> str:
    says, domain = step.statement, step.says.domain
    return aligned(stated(says, domain) or list(displayed(says, domain, written).rows))


def _step_markdown(step: Step, indent: str = "") -> str:
    found = (
        f"**{inert(step.title)}** ({step.evidence.grade})",
        "",
        f"{indent}$${_stated(step)}$$",
        "",
        f"{indent}{inert(sentence(step.because))}.",
    )
    return "\n".join(found)


def bundle(shown: Quantity | Result | Step | Derivation) -> dict[str, str]:
    """What Jupyter displays, by its MIME type."""
    if isinstance(shown, Quantity):
        plain = f"<Quantity {shown.symbol}: {shown.meaning}>"
        tex = f"{shown.symbol}{joint(shown)}{typeset(shown.expression, domain=shown.domain)}"
        page = f"$\\displaystyle {tex}$\n\n{inert(sentence(shown.meaning))}."
    elif isinstance(shown, Result):
        plain, tex, page = repr(shown), _result_latex(shown), _result_markdown(shown)
    elif isinstance(shown, Step):
        plain, tex = f"<Step: {shown.title} ({shown.evidence.grade})>", _stated(shown)
        page = _step_markdown(shown)
    else:
        plain = repr(shown)
        tex = _rows(rf"({k})\quad& {_stated(s)}" for k, s in enumerate(shown, 1))
        steps = (f"{k}. {_step_markdown(s, indent='    ')}" for k, s in enumerate(shown, 1))
        page = "\n\n".join(steps)
    return {
        "text/plain": plain,
        "text/latex": rf"$\displaystyle {tex}$",
        "text/markdown": page,
    }
