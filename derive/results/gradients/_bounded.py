"""Bounds as tables: what is bounded from which side, by what, and when both are equal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import Any

from sympy import Expr

from ...theorem.bounds import About, Bounds

#: The numbers of a configuration that are bounded, in LaTeX, by their names as readings.
SYMBOLS = {
    About.ANCHOR: {
        "squared_gradient": r"\|\nabla_z \mathcal{L}\|^2",
        "participation": r"\sum_j q_j^2",
        "mu": r"\|m\|",
        "squared_sampling": r"\|B\|^2",
        "squared_fluctuation": r"\|C\|^2",
        "squared_linear": r"\|C^{(1)}\|^2",
        "squared_remainder": r"\|C^{(2)}\|^2",
    },
    About.BATCH: {
        "mean_squared_gradient": r"\overline{\|\nabla_z \mathcal{L}\|^2}",
        "mean_sigma": r"\sigma_*",
    },
    About.LAW: {
        "mean_squared_gradient": r"\mathbb{E}\|\nabla_z \mathcal{L}\|^2",
        "gradient_variance": r"\mathrm{Var}(\gamma)",
    },
    About.SOFTMAX: {
        "curvature": r"\lambda_{\max}",
        "remainder_above": r"\max_j R_j",
        "remainder_below": r"\max_j (-R_j)",
        "remainder_inf": r"\|R\|_\infty",
        "remainder_2": r"\|R\|_2",
        "remainder_first": r"|R_1|",
        "deviation": r"\|q - 1/N\|_2",
        "participation": r"\sum_j q_j^2",
        "q_max": r"q_{\max}",
    },
    About.VECTORS: {
        "sigma_hat": r"\hat\sigma",
        "entropy_rank": r"e^{H(\lambda)}",
        "effective_rank": r"R_{\mathrm{eff}}",
        "t_next": r"t_{B \cup \{z\}}",
        "t": "t_B",
        "q": "q_B(z)",
    },
}
SIDES = {"<=": ("upper", r"\le"), ">=": ("lower", r"\ge")}
#: Vectors of which a configuration has several.
SEVERAL = ("negatives", "z", "batch")


def configuration(tau: str = "", **vectors: str) -> dict[str, Any]:
    """Vectors as attacks store them, from text: ``anchor="1 0", negatives="0 1; 3/5 4/5"``."""
    read = {k: [row.split() for row in v.split(";")] for k, v in vectors.items()}
    found = {k: rows if k in SEVERAL else rows[0] for k, rows in read.items()}
    return {"vectors": found} | ({"tau": tau} if tau else {})


def bounds(
    about: About,
    table: str,
    values: Mapping[str, Expr],
    cases: Mapping[str, Mapping[str, Any]],
    more: Mapping[str, Mapping[str, Any]] | None = None,
) -> dict[str, Bounds]:
    r"""Bounds on numbers that configurations of a kind have.

    Parameters
    ----------
    table
        An entry for each bound: its name, the inequality with a letter for the bound, and a
        configuration; then, indented, what it is and when both are equal::

            upper | squared_gradient <= U | ONE_POINT
                upper bound of the squared gradient
                iff all negatives are one point

        Of one that is a paper's the inequality begins with ``printed``, the configuration violates
        it, and what it is proved under follows ``proved``.
    values
        The bounds, by name.
    cases
        The configurations, by name.
    more
        Other attributes, by the name of a bound.
    """
    found = {}
    for name, inequality, case, lines in _entries(table):
        *printed, bounded, sign, letter = inequality.split(
            " ", 2 + inequality.startswith("printed")
        )
        side, relation = SIDES[sign]
        meaning = list(takewhile(lambda line: line.split()[0] not in CONDITION, lines))
        condition = " ".join(lines[len(meaning) :])
        fields: dict[str, Any] = {
            "side": side,
            "bounded": bounded,
            "about": about,
            "printed": bool(printed),
            "holds_if" if printed else "equality": condition.removeprefix("proved "),
            "violated" if printed else "attained": cases[case] if case else {},
        }
        symbol = rf"{SYMBOLS[about][bounded]} {relation} {letter}".rstrip()
        fields |= (more or {}).get(name, {})
        found[name] = Bounds(
            values[name], fields.pop("symbol", symbol), " ".join(meaning), **fields
        )
    return found


#: How a condition begins.
CONDITION = ("iff", "where", "proved")


def _entries(table: str) -> Iterator[tuple[str, str, str, list[str]]]:
    """The names, inequalities, configurations and other lines of a table."""
    entry: tuple[str, str, str, list[str]] | None = None
    for line in table.strip().splitlines():
        if line.startswith(" "):
            assert entry is not None
            entry[3].append(line.strip())
            continue
        if entry is not None:
            yield entry
        name, inequality, case = (part.strip() for part in line.split("|"))
        entry = (name, inequality + " " * (inequality[-1] == "="), case, [])
    if entry is not None:
        yield entry
