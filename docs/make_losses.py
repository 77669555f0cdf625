"""Write docs/losses.md: the losses of the literature, put to ``pairwise-threshold``.

python docs/make_losses.py           compare, exit 1 if the page is out of date
python docs/make_losses.py --write
"""

from __future__ import annotations

import sys
from pathlib import Path

from cltheory.derive.decide.domain import DomainError
from cltheory.derive.losses.literature import LITERATURE
from cltheory.derive.results import results
from sympy import latex

PAGE = Path(__file__).resolve().parent / "losses.md"
ITEMS, GIVEN = 10, {"t": 2, "b": 1}

HEAD = """\
# Losses of the literature

<!-- Written by docs/make_losses.py; do not edit. -->

Theorem 1 of `lee2024sigmoid` is about any loss made of a convex decreasing function of positive
pairs and a convex increasing one of negative pairs. `pairwise-threshold` knows some losses by name
(`--loss hinge`), and takes any other as text (`--lp`, `--ln`); the shapes are proved before
anything else is, and a loss without them is refused with the point where it fails.

```console
$ cltheory derive pairwise-threshold --loss hinge --N 4 --brief
...
  x_star = 0
      position on the Gram segment
...
  x_last = 2
      the optimum farthest from the simplex; all from x_star to here are optimal
...
```

Neither function needs to be smooth. At a kink any number between the slopes on its left and on its
right will do for the certificate, so an end is optimal iff the one-sided slope of the loss there
does not point inwards, and the optimum is where the slope changes sign, which may be at the kink
itself or all along an interval. `x_star` is then the optimum nearest to the simplex and `x_last`
the one farthest from it.

A smooth loss is *strict* if the proof shows that every optimum lies on the CCEM, and not only some
optimum.
"""

TABLE = """
## With {N} items

At {N} items, with t = {t} and b = {b} where the loss has them.

| name | positive pairs | negative pairs | positive | negative | optimum | evidence |
| --- | --- | --- | --- | --- | --- | --- |
"""

REFUSED = """
## Refused

These do not meet the hypotheses.

| name | positive pairs | negative pairs | what the tool says |
| --- | --- | --- | --- |
"""

SOURCES = """
## Sources

| name | is |
| --- | --- |
"""


def _row(name: str) -> tuple[bool, str]:
    loss = LITERATURE[name]
    head = f"`{name}` | `{loss.lp}` | `{loss.ln}`"
    try:
        result = results["pairwise-threshold"].with_inputs(loss=name)
        result.derivation  # noqa: B018 - is built here
    except DomainError as refusal:
        return False, f"| {head} | {str(refusal).replace('|', '&#124;')} |\n"
    at = {s.name: GIVEN.get(s.name, ITEMS) for s in result.parameters}
    point = result.point(**at)
    cells = []
    for quantity in ("positive", "negative"):
        exact = result.at(quantity, point)
        number = exact.is_Rational
        cells.append(f"${latex(exact)}$" if number else str(result.value(quantity, 6, **at)))
    return True, f"| {head} | {' | '.join(cells)} | {_kind(name, at)} | {result.evidence.grade} |\n"


def _kind(name: str, at: dict[str, int]) -> str:
    """Which structure it is, and in what sense it is the optimum."""
    result = results["pairwise-threshold"].with_inputs(loss=name)
    first = result.value("x_star", **at)
    place = {0: "the simplex", 2: "the antipodal structure"}.get(float(first), "between the ends")
    if "x_last" in result and result.value("x_last", **at) != first:
        return "an interval of the CCEM"
    every = any("vanish at every optimum" in s.title for s in result.derivation)
    return f"{place}, {'strict' if every else 'unique on the CCEM'}"


def page() -> str:
    """The whole page."""
    rows = {name: _row(name) for name in LITERATURE}
    text = HEAD + TABLE.format(N=ITEMS, **GIVEN)
    text += "".join(row for accepted, row in rows.values() if accepted)
    text += REFUSED + "".join(row for accepted, row in rows.values() if not accepted)
    return text + SOURCES + "".join(f"| `{k}` | {v.source} |\n" for k, v in LITERATURE.items())


if __name__ == "__main__":
    from made.kept import main

    sys.exit(main({PAGE: page()}))
