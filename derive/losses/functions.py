"""A pairwise loss from what a user gives: two functions as text, or a name of the literature."""

from __future__ import annotations

from sympy import Expr

from ..decide.domain import DomainError
from ..decide.exact import NotANumber, expression
from ..decide.kinks import in_x
from .clip import b, pairwise, t
from .literature import LITERATURE
from .pairwise import PairwiseLoss, c

#: Names that a function of the inner product x may use.
NAMES = {"x": c, "t": t, "b": b}


def loss_of_functions(lp: str | Expr = "", ln: str | Expr = "", loss: str = "") -> PairwiseLoss:
    """A loss as two functions of the inner product, or by its name in the literature.

    Parameters
    ----------
    lp, ln
        As text (in x) or SymPy (in c).
    loss
        A name of :data:`~cltheory.derive.losses.literature.LITERATURE`, instead of them.

    Raises
    ------
    DomainError
        If the text is not an expression, or one of the two is not given; one line.
    """
    if loss:
        if lp != "" or ln != "":
            raise DomainError("a loss by name excludes lp and ln; give only one of the two")
        if loss not in LITERATURE:
            raise DomainError(f"no loss is called {loss!r}; there are {', '.join(LITERATURE)}")
        lp, ln = LITERATURE[loss].lp, LITERATURE[loss].ln
    if lp == "" or ln == "":
        raise DomainError("a loss is two functions: give both lp (positives) and ln (negatives)")
    functions = []
    for name, given in (("lp", lp), ("ln", ln)):
        try:
            functions.append(expression(given, NAMES) if isinstance(given, str) else given)
        except NotANumber as error:
            raise DomainError(f"{name}: {error}") from None
    shown = [str(in_x(f, c)) for f in functions]
    title = f"lp = {shown[0]}, ln = {shown[1]}"
    return pairwise(loss or "given", title, functions[0], functions[1], "given")
