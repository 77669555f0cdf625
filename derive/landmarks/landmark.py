"""A landmark, and what is known of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from sympy import Expr, S, log

from ..frozen import FrozenValue

#: Sizes and parameters of a loss by the names that the command line has.
Options = Mapping[str, Expr]
#: Digits that a value is computed with, so that what cancels does not show in a float.
DIGITS = 30
LONGEST = 40  #: characters of a closed form that is shown


class Landmark(FrozenValue):
    """The value of a loss at a configuration.

    Attributes
    ----------
    name
        One of ``all_equal``, ``classes_collapsed``, ``classes_at_random``, ``random``,
        ``orthogonal``, ``simplex``, ``least``.
    value
        The loss there, in the library's terms.
    how
        How the value was found: exact, a mean by quadrature, or a lower bound.
    configuration
        The embeddings, in words.
    meaning
        What such a value usually means, a clause after "that".
    cosine
        Mean cosine of different images, which tells apart what has one value; None where the
        loss is not about cosines.
    gradient
        Frobenius norm of the gradient in all unit embeddings, tangent to the sphere; None where
        it depends on the draw, or there is none.
    needs, dim
        The least dimension in which the configuration exists, and the dimension that there is.
    also
        Mean cosines of other configurations that have exactly this value.
    """

    name: str
    value: float
    how: str
    configuration: str
    meaning: str
    cosine: float | None = None
    gradient: float | None = None
    needs: int = 1
    dim: int = 1
    also: Mapping[str, float] = field(default_factory=dict)

    def as_json(self) -> dict[str, str | float]:
        """The object that others rely on."""
        about = [self.configuration]
        if self.gradient is not None:
            about.append(f"gradient norm {self.gradient:.4g}")
        if self.needs > 1:
            more = f", more than {self.dim} here" if self.needs > self.dim else ""
            about.append(f"needs d >= {self.needs}{more}")
        return {
            "name": self.name,
            "value": self.value,
            "how": self.how,
            "configuration": "; ".join(about),
        }


def least(value: float, how: str) -> Landmark:
    """The landmark of a lower bound."""
    return Landmark("least", value, how, "no embeddings have less", "nothing is left to gain")


def number(e: Expr) -> float:
    """An expression without symbols as a float."""
    return float(e.evalf(DIGITS))


def _split(e: Expr) -> Expr:
    """log(k e^x) as log(k) + x; SymPy would make 9 log(2) of log(512) as well."""
    count, rest = e.as_coeff_Mul()
    base, power = rest.as_base_exp()
    return log(count) + power if base is S.Exp1 else log(e)


def exactly(e: Expr) -> tuple[float, str]:
    """The value of an expression without symbols, and how it was found, with a short form."""
    text = str(e.replace(log, _split)).replace("**", "^")
    return number(e), f"exact: {text}" if len(text) <= LONGEST else "exact"
