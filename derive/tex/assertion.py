"""An equation as an assertion in a test."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from .check import check_equation
from .directives import Directive, DirectiveError, directive
from .judge.explain import details, headline
from .judge.lookup import BadTarget
from .text.commands import DISPLAYS
from .text.macros import Macros

if TYPE_CHECKING:
    from .judge.finding import Finding

_AROUND = [("$$", "$$"), (r"\[", r"\]"), (r"\(", r"\)"), ("$", "$")]


def assert_equation(
    latex: str,
    target: str,
    *,
    names: Mapping[str, str] | None = None,
    values: Mapping[str, object] | None = None,
    allow_sampled: bool = False,
    macros: str = "",
) -> Finding:
    r"""Assert that an equation, written in LaTeX, states what was derived.

    Parameters
    ----------
    latex
        The equation, with or without ``$$``, ``\[`` or an environment around it.
    target
        ``"supcl-threshold.alpha_min"``, or all that a directive in a paper may say.
    names
        LaTeX names and the expressions they stand for, in the symbols of the result.
    values
        Exact values put into the derived quantity first.
    allow_sampled
        Whether agreement at sampled points is enough.
    macros
        LaTeX definitions that the equation uses.

    Returns
    -------
    Finding
        With the evidence, if the equation holds.

    Raises
    ------
    AssertionError
        If it does not, or was not decided or read; with both expressions and a point.
    ValueError
        If there is no such result or quantity.
    """
    __tracebackhide__ = True
    try:
        said = directive(target)
        said = replace(
            said,
            names={**said.names, **(names or {})},
            values={**said.values, **{k: str(v) for k, v in (values or {}).items()}},
            allow_sampled=said.allow_sampled or allow_sampled,
        )
        found = check_equation(_inside(latex), said, Macros.from_document(macros))
    except (DirectiveError, BadTarget) as error:  # without the frames it came through
        raise BadTarget(str(error)) from None
    if not found.ok:
        raise AssertionError(report(found, said))
    return found


def report(finding: Finding, said: Directive) -> str:
    """What is wrong with an equation, on a few lines."""
    return "\n  ".join([headline(finding, said.title), *details(finding)])


def _inside(latex: str) -> str:
    text = latex.strip()
    around = [*_AROUND, *((rf"\begin{{{name}}}", rf"\end{{{name}}}") for name in DISPLAYS)]
    for left, right in around:
        if text.startswith(left) and text.endswith(right) and len(text) >= len(left) + len(right):
            return text[len(left) : len(text) - len(right)].strip()
    return text
