"""Write the tables of docs/dimension.md: what fits, and below what losses cannot fall.

python docs/make_bounds.py           compare, exit 1 if the page is out of date
python docs/make_bounds.py --write
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mpmath
from cltheory.derive.optimum.delsarte import u
from cltheory.derive.results import results
from cltheory.derive.structures.sharp import CELL_24, CUBE, SHARP, orthoplex
from cltheory.derive.theorem.bounded import bound_at
from cltheory.derive.theorem.dimensions import own_dimension
from sympy import Expr, Integer, exp, log

PAGE = Path(__file__).resolve().parent / "dimension.md"
START = "<!-- Written by docs/make_bounds.py ({}); do not edit. -->\n"
END = "<!-- Up to here. -->\n"
DECIMALS = 1000
HEAD = """
| system | denominator | $d$ | $\\tau$ | uniform bound | simplex | no loss below |
| --- | --- | --- | --- | --- | --- | --- |
"""
PAIR_T = 2
PAIR_HEAD = """
| points | $N$ | $d$ | no uniformity below | attained by | uniformity of these points |
| --- | --- | --- | --- | --- | --- |
"""


@dataclass(frozen=True)
class System:
    """A setting of the literature; ``n`` images with two views, or ``N`` in each denominator."""

    name: str
    size: tuple[str, int]
    d: int
    tau: str


SYSTEMS = (
    System("SimCLR, ImageNet", ("n", 4096), 128, "0.1"),
    System("SimCLR, CIFAR-10", ("n", 512), 128, "0.5"),
    System("MoCo v1", ("N", 65537), 128, "0.07"),
    System("MoCo v2", ("N", 65537), 128, "0.2"),
    System("MoCo v3, each direction", ("N", 4096), 256, "0.2"),
    System("CLIP, at the start", ("N", 32768), 512, "0.07"),
    System("CLIP, trained", ("N", 32768), 512, "0.01"),
)
#: SigLIP at its start, in our sign of b: the minimum in all dimensions.
SIGLIP = {"N": 32768, "t": 10, "b": 10}
#: Of the second table, by two towers or one with the anchor.
SIZES = ((512, 128), (4096, 128), (65536, 128), (32768, 512), (65536, 1024))
TEMPERATURES = ("1", "0.5", "0.2", "0.1", "0.07", "0.05", "0.02")


def down(x: Any) -> str:
    """Rounded down, as a lower bound has to be."""
    found = mpmath.floor(mpmath.mpf(x) * DECIMALS)
    return f"{int(found) / DECIMALS:.3f}"


def row(one: System) -> str:
    """The bounds of a system."""
    letter, size = one.size
    at = {letter: size, "d": one.d, "tau": one.tau}
    if letter == "n":
        at["p"] = 2
        uniform = results["uniform-bound"].value("loss_at_least_anchor_out", **at)
        simplex = results["simclr"].value("loss", n=size, p=2, tau=one.tau)
    else:
        uniform = results["uniform-bound"].value("loss_at_least", **at)
        simplex = results["infonce-optimum"].value("loss", N=size, t=one.tau) / 2
    cells = [down(x) for x in (uniform, simplex, max(uniform, simplex))]
    start = f"| {one.name} | ${letter} = {size}$ | {one.d} | {one.tau}"
    return f"{start} | {' | '.join(cells)} |\n"


def siglip() -> str:
    """The row of the sigmoid loss, which has no denominator."""
    least = down(results["sigmoid-optimum"].value("loss", **SIGLIP))
    name = "SigLIP, at the start ($b = -10$)"
    return f"| {name} | $N = 32768$, pairs | 768 | 0.1 | | | {least}, in any $d$ |\n"


#: Name, dimension, result, sizes, what its theorem is about, the quantity that takes it, and how
#: many losses of the literature the derived one is.
SETTINGS: tuple[tuple[str, int, str, dict[str, Any], str, str, int], ...] = (
    (
        "SupCL, 10 classes",
        128,
        "supcl-threshold",
        {"m": 10},
        "threshold of $\\alpha$",
        "alpha_min",
        1,
    ),
    (
        "SupCL, 100 classes",
        128,
        "supcl-threshold",
        {"m": 100},
        "threshold of $\\alpha$",
        "alpha_min",
        1,
    ),
    (
        "SupCon, 1000 classes of 4, two views, $\\tau = 0.1$",
        128,
        "supcon",
        {"m": 1000, "n": 4, "p": 2, "tau": "0.1"},
        "simplex",
        "loss",
        1,
    ),
    (
        "the same before the head",
        2048,
        "supcon",
        {"m": 1000, "n": 4, "p": 2, "tau": "0.1"},
        "simplex",
        "loss",
        1,
    ),
    (
        "SimCLR, 4096 images, $\\tau = 0.1$",
        128,
        "simclr",
        {"n": 4096, "p": 2, "tau": "0.1"},
        "simplex",
        "loss",
        1,
    ),
    (
        "MoCo v2, queue of 65536, $\\tau = 0.2$",
        128,
        "infonce-optimum",
        {"N": 65537, "t": "0.2"},
        "simplex",
        "loss",
        2,
    ),
    (
        "CLIP, 32768 pairs, $\\tau = 0.07$",
        512,
        "infonce-optimum",
        {"N": 32768, "t": "0.07"},
        "simplex",
        "loss",
        2,
    ),
    ("SigLIP, 32768 pairs, at its start", 768, "sigmoid-optimum", SIGLIP, "optimum", "loss", 1),
)
SETTINGS_HEAD = """
| setting | $d$ | the theorem on its | takes | so |
| --- | --- | --- | --- | --- |
"""


def settings() -> str:
    """Which theorem speaks of which setting, and what is left where it does not."""
    found = SETTINGS_HEAD
    for name, d, id, at, about, quantity, parts in SETTINGS:
        own = own_dimension(results[id], quantity)
        assert own is not None
        least, so = int(own.at(results[id].point(**at)).least), "it holds"
        if d < least:
            bound = bound_at(results[id], **at, d=d)
            assert bound is not None
            so = f"no loss is below {down(bound.value / parts)}"
        found += f"| {name} | {d} | {about} | $d \\ge {least}$ | {so} |\n"
    return found + "\n"


def cell(size: int, d: int, tau: str) -> str:
    """The larger bound, with a star where it is the uniform one."""
    bound = results["uniform-bound"]
    at = {"N": size, "d": d, "tau": tau}
    star = "*" if bound.value("regime", **at) == "uniform" else ""
    return down(bound.value("loss_at_least_best", **at)) + star


def tables() -> str:
    """Both tables."""
    found = HEAD + "".join(map(row, SYSTEMS)) + siglip()
    columns = " | ".join(f"$N = {size}$, $d = {d}$" for size, d in SIZES)
    found += (
        "\nThe same over $N$, $d$ and $\\tau$; a star marks the uniform bound where it is larger:"
    )
    found += f"\n\n| $\\tau$ | {columns} |\n"
    found += "| --- " * (len(SIZES) + 1) + "|\n"
    for tau in TEMPERATURES:
        found += f"| {tau} | {' | '.join(cell(*size, tau) for size in SIZES)} |\n"
    return found + "\n"


def pair_row(name: str, size: int, d: int, own: Expr | None) -> str:
    """The bound on uniformity, what attains it, and the uniformity of the points of a name."""
    at = {"N": size, "d": d, "t": PAIR_T}
    bound = results["pair-energy"].value("uniformity_at_least", **at)
    by = str(results["pair-energy"].value("attained_by", **at)).replace("_", " ")
    by = "none known" if by == "unnamed" else by
    found = "" if own is None else down(str(log(own).evalf(20)))
    return f"| {name} | {size} | {d} | {down(bound)} | {by} | {found} |\n"


def pairs() -> str:
    """The table of sums over pairs."""
    f = exp(2 * PAIR_T * (u - 1))
    named = (orthoplex(Integer(3)), CUBE, *SHARP[:1], CELL_24, *SHARP[1:])
    rows = [pair_row(o.name, int(o.size), int(o.dimension), o.energy(f, u)) for o in named]
    rows += [pair_row(f"a batch of {n}", n, d, None) for n, d in SIZES]
    return PAIR_HEAD + "".join(rows) + "\n"


def page() -> str:
    """The page with the tables renewed."""
    text = PAGE.read_text(encoding="utf-8")
    for name, made in (("settings", settings), ("softmax", tables), ("pairs", pairs)):
        start = START.format(name)
        before, _, rest = text.partition(start)
        text = before + start + made() + END + rest.partition(END)[2]
    return text


if __name__ == "__main__":
    from made.kept import main

    sys.exit(main({PAGE: page()}))
