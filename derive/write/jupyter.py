"""What Jupyter shows of results, quantities and proofs."""

from __future__ import annotations

from ..proof.derivation import Derivation, Step
from ..theorem.quantity import Quantity
from ..theorem.result import Result
from ..theorem.written import written
from .display import Writer, joint, sentence, stated, typeset
from .layout.displays import shown as displayed
from .layout.statement import aligned
from .statement import lead, rest
from .wording import inert


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


def _step_markdown(step: Step, indent: str = "") -> str:
    says, domain = step.statement, step.says.domain
    shown = aligned(stated(says, domain) or list(displayed(says, domain, written).rows))
    found = (
        f"**{inert(step.title)}** ({step.evidence.grade})",
        "",
        f"{indent}$${shown}$$",
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
        plain, page = repr(shown), _result_markdown(shown)
    elif isinstance(shown, Step):
        plain, page = f"<Step: {shown.title} ({shown.evidence.grade})>", _step_markdown(shown)
    else:
        plain = repr(shown)
        steps = (f"{k}. {_step_markdown(s, indent='    ')}" for k, s in enumerate(shown, 1))
        page = "\n\n".join(steps)
    return {"text/plain": plain, "text/markdown": page}
