r"""How symbols and roots of a result are called in LaTeX."""

from __future__ import annotations

from sympy import Symbol, latex

from ..decide.root import ClampedRoot
from ..frozen import FrozenValue
from .result import Result


def written(symbol: Symbol) -> str:
    r"""LaTeX of a symbol: ``g_same_class`` is g with the rest as its index."""
    if own := getattr(symbol, "tex", ""):
        return str(own)
    base, _, index = symbol.name.partition("_")
    if base == "mean":
        factors = [latex(Symbol(part)) for part in index.replace("_squared", "^2").split("_")]
        if all(factor.startswith("\\") for factor in factors):
            return rf"\overline{{{' '.join(factors)}}}"
    if len(base) > 1 and base.isalpha() and latex(Symbol(base)) == base:  # a word
        return rf"\mathrm{{{symbol.name.replace('_', chr(92) + ' ')}}}"
    if index == "prime":
        return rf"{latex(Symbol(base))}^{{\prime}}"
    if "_" in index or len(index) > 2:
        spaced = index.replace("_", r"\ ")
        return rf"{latex(Symbol(base))}_{{\mathrm{{{spaced}}}}}"
    return str(latex(symbol))


class Name(FrozenValue):
    """What a root is called: a stand-in symbol, and its LaTeX."""

    symbol: Symbol
    tex: str


def root_names(result: Result) -> dict[ClampedRoot, Name]:
    """A name for every root of a result, the same in all its quantities."""
    names: dict[ClampedRoot, Name] = {}
    for name, q in result.quantities.items():
        if isinstance(q.expression, ClampedRoot) and q.expression not in names:
            names[q.expression] = Name(Symbol(name), q.symbol)
    taken = {n.symbol.name for n in names.values()}
    for q in result.quantities.values():
        for root in sorted(q.expression.atoms(ClampedRoot) - set(names), key=str):
            letter = root.variable.name.rstrip("_")
            count = 1
            while (name := f"{letter}_star" + (f"_{count}" if count > 1 else "")) in taken:
                count += 1
            taken.add(name)
            tex = rf"{latex(Symbol(letter))}^\star" + (rf"_{{{count}}}" if count > 1 else "")
            names[root] = Name(Symbol(name), tex)
    return names
