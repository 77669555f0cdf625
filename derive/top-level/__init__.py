"""Closed-form results of contrastive-learning theory, derived and checked by machine.

``cltheory.supcl_threshold`` is a result, as is ``cltheory.results["supcl-threshold"]``;
``cltheory.supcl_threshold.alpha_min`` is a SymPy expression. ``cltheory.losses`` and
``cltheory.metrics`` need torch. Nothing is imported before it is asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from os import PathLike
    from types import ModuleType

    from cltheory.derive.results import Registry, results
    from cltheory.derive.theorem.result import Result
    from cltheory.derive.write.sliders import Box

    __version__: str

#: Modules that are loaded when they are asked for.
MODULES = ("derive", "numeric", "losses", "metrics")
__all__ = ["__version__", "advise", "explain", "explore", "problem", "results", *MODULES]


def problem(file: str | PathLike[str]) -> Result:
    """What is derived of a loss in a TOML file of one's own: which structure is optimal where.

    Parameters
    ----------
    file
        Its name; what stands in it is told in docs/problem-files.md.

    Returns
    -------
    Result
        Phases, thresholds and the conditions under which each structure is optimal.

    Raises
    ------
    DomainError
        If it cannot be read, or declares no loss; one line.
    """
    from cltheory.derive.problems.catalogue import is_file
    from cltheory.derive.results import results

    name = str(file)
    return results[name] if is_file(name) else results["phases"].with_inputs(loss=name)


def explain(
    loss: str | None = None,
    *,
    value: object = None,
    convention: str | None = None,
    **options: object,
) -> dict[str, object]:
    """What a value of a loss means, by the values at embeddings that one knows.

    Parameters
    ----------
    loss
        Name of a loss, such as ``"supcon"``; without, all losses are searched for the value.
    value
        A value of the loss, as it was logged.
    convention
        A library, in whose terms the values are; the paper's without.
    **options
        Sizes and parameters: ``batch`` (images, not views), ``views``, ``classes``, ``queue``,
        ``prototypes``, ``dim``, ``alpha``, ``tau``, ``t``, ``b``. What is left out is as it usually
        is. Without a name, ``lp`` and ``ln`` give a loss of pairs as functions of the cosine x.

    Returns
    -------
    dict
        ``{"version", "landmarks": [{"name", "value", "how", "configuration"}], "nearest",
        "says"}``.

    Raises
    ------
    Refusal
        If a name or a value is not accepted; one line.
    """
    from cltheory.derive.errors import in_python
    from cltheory.derive.landmarks.explain import explained

    with in_python():
        return explained(loss, value=value, convention=convention, **options).as_json()


def explore(result: str, **start: object) -> Box:
    """Sliders of the parameters of a result, and its quantities, in a notebook.

    Parameters
    ----------
    result
        Its id, or the name of a loss whose optimum it is: ``"supcl"`` is ``supcl-optimum``.
    **start
        Values at which sliders start, such as ``m=10``; the others start inside of the domain.

    Returns
    -------
    ipywidgets.VBox
        What the notebook shows.

    Raises
    ------
    UnknownResult
        If there is none of this name.
    Refusal
        If ipywidgets is not installed, or a value is not accepted; one line.
    """
    from cltheory.derive.results import results
    from cltheory.derive.write.sliders import sliders

    known = result if f"{result}-optimum" not in results else f"{result}-optimum"
    return sliders(results[known], start)


def advise(
    loss: str,
    *,
    convention: str | None = None,
    sampling: str | None = None,
    alone: str | None = None,
    **options: object,
) -> dict[str, object]:
    """Which values of the parameters of a loss are safe, and which result says so.

    Parameters
    ----------
    loss
        ``"supcl"``, ``"supcon"``, ``"simclr"``, ``"clip"`` or ``"siglip"``.
    convention
        A library, in whose terms the loss is; the paper's without.
    sampling
        ``"uniform"``, ``"balanced:K"`` with K images of each class drawn, or ``"all"``.
    alone
        What an anchor does that is alone in its class: ``"attraction"``, ``"term"``,
        ``"renormalise"`` or ``"skip"``, as :class:`cltheory.losses.SupCL` has it.
    **options
        Sizes and parameters: ``batch`` (images of a device, not views), ``views``, ``classes``,
        ``per_class``, ``sizes``, ``devices``, ``accumulate``, ``dim``, ``tau``, ``alpha``,
        ``noise``, ``t``, ``b``. What is left out is as it usually is.

    Returns
    -------
    dict
        ``{"schema", "says", "parameters": [{"name", "low", "high", "given", "margin", "bounds"}],
        "facts", "taken"}``.

    Raises
    ------
    Refusal
        If a name or a value is not accepted; one line.
    """
    from cltheory.derive.advice.advise import advised
    from cltheory.derive.errors import in_python

    with in_python():
        report = advised(loss, convention=convention, sampling=sampling, alone=alone, **options)
    return report.as_json()


def __getattr__(name: str) -> Result | Registry | ModuleType | str:
    if name in MODULES:
        return import_module(f".{name}", __name__)
    if name == "__version__":
        from importlib.metadata import version

        return version("cltheory")
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from cltheory.derive.results import UnknownResult, results

    if name == "results":
        return results
    try:
        return results[name]
    except UnknownResult as near:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}: {near}") from None


def __dir__() -> list[str]:
    from cltheory.derive.results import results

    return sorted([*__all__, *(id.replace("-", "_") for id in results)])
