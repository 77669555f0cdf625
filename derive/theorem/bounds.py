"""A bound: an inequality between numbers that any configuration of some kind has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

from sympy import Expr, Symbol

from .quantity import Quantity

#: Where ``cltheory attack ID --store`` leaves, for each result, what it reached.
ATTACKED = Path(__file__).parents[1] / "results" / "gradients" / "attacked"


class About(Enum):
    """The kinds of configuration that bounds are about."""

    ANCHOR = "one anchor, its positive and N negatives, at any temperature"
    BATCH = "n unit vectors in pairs, at any temperature"
    SOFTMAX = "N logits"
    VECTORS = "unit vectors (and a candidate, if there is one)"
    LAW = "a finite distribution of anchors, positives and negatives, at any temperature"


class Bounds(Quantity):
    """A number that bounds another one; ``expression`` is the bound.

    Attributes
    ----------
    side
        ``upper`` or ``lower``.
    bounded
        The number that is bounded, by the name it has as a reading of a configuration.
    about
        The kind of configuration.
    constants
        Coefficients by name, where the bound is made of terms.
    equality
        When both are equal, such as "iff ..." or "where ..."; empty where that is not known.
    attained
        A configuration with equality, as an attack stores it: ``vectors`` by name and ``tau``,
        entries as text that reads exactly. Empty where there is none.
    violated
        Of a printed one, a configuration that violates it, in the same form; empty where it holds.
    printed
        Whether it is a paper's, and not proved here.
    fails_at
        Of a printed one, numbers at which it fails, with ``bounded`` for what it bounds; a step of
        the derivation has put them in. Empty where it holds, or ``violated`` is small enough to
        attack.
    fails_for
        In words, the configuration that has these numbers.
    holds_if
        Of a printed one, what it is proved under, such as "where ..."; empty where it is proved
        as it stands, or is false and nothing more is said.
    """

    side: str = "upper"
    bounded: str = "squared_gradient"
    about: About = About.ANCHOR
    constants: Mapping[str, Expr] = field(default_factory=dict)
    equality: str = ""
    attained: Mapping[str, Any] = field(default_factory=dict)
    violated: Mapping[str, Any] = field(default_factory=dict)
    fails_at: Mapping[Symbol, Expr] = field(default_factory=dict)
    fails_for: str = ""
    printed: bool = False
    holds_if: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.side not in ("upper", "lower"):
            raise ValueError(f"a bound is an upper or a lower one, not {self.side!r}")
        for said in (self.equality, self.holds_if):
            if said and said.split()[0] not in ("iff", "if", "where"):
                raise ValueError(f"a condition starts with iff, if or where, unlike {said!r}")

    @property
    def readings(self) -> tuple[Symbol, ...]:
        """The numbers of a configuration that the bound is a function of."""
        return tuple(sorted(self.expression.free_symbols, key=str))

    @property
    def standing(self) -> str:
        """Of a printed one, how far it is proved."""
        if self.holds_if:
            return f"{'false in general, ' * self.is_false}proved {self.holds_if}"
        return "false as it stands" if self.is_false else "proved as it stands"

    @property
    def is_false(self) -> bool:
        """Whether a configuration is known that violates it."""
        return bool(self.violated or self.fails_at)

    @property
    def failing_ratio(self) -> Expr | None:
        """What is bounded over the bound, where it fails; None where no such numbers are stored."""
        if not self.fails_at:
            return None
        ratio = self.fails_at[Symbol(self.bounded)] / self.expression.xreplace(dict(self.fails_at))
        return ratio if self.side == "upper" else 1 / ratio


@lru_cache(maxsize=64)
def attacks(id: str) -> tuple[Mapping[str, Any], ...]:
    """What attacks on the bounds of a result have stored, as it stands in the file."""
    file = ATTACKED / f"{id}.json"
    if not file.exists():
        return ()
    import json

    found = json.loads(file.read_text(encoding="utf-8"))
    return tuple(found if isinstance(found, list) else [found])


def tightness(id: str, name: str) -> str | None:
    """The largest ratio that an attack on a bound has stored, as text; None if there is none.

    It is what is bounded over an upper bound, a lower one over what is bounded: at most 1 unless
    the bound is violated.
    """
    of = [a["ratio"] for a in attacks(id) if a.get("quantity") == name and a.get("ratio")]
    return max(of, key=Fraction, default=None)


def as_data(q: Bounds, id: str, name: str, point: Mapping[Symbol, Expr]) -> dict[str, Any]:
    """What a bound is beside a quantity, as an object for JSON; constants with values put in."""
    return {
        "side": q.side,
        "bounded": q.bounded,
        "about": q.about.name,
        "constants": {k: str(e.xreplace(dict(point))) for k, e in q.constants.items()},
        "equality": q.equality or None,
        "tightness": tightness(id, name),
        "fails": None
        if q.failing_ratio is None
        else {"for": q.fails_for, "ratio": str(q.failing_ratio.n(50))},
        "printed": q.printed,
        "proved_if": (q.holds_if or None) if q.printed else None,
        "standing": q.standing if q.printed else "proved",
    }


def in_words(name: str, bound: Mapping[str, Any], code: Callable[[str], str] = str) -> list[str]:
    """The same object as phrases about a bound of this name; ``code`` marks what is no word."""
    sign = "<=" if bound["side"] == "upper" else ">="
    said = [f"{code(bound['bounded'])} {sign} {code(name)} for {About[bound['about']].value}"]
    if bound["printed"]:
        said[0] += f" (as printed; {bound['standing']})"
    if bound["equality"]:
        said.append(f"equal {bound['equality']}")
    if bound["constants"]:
        listed = ", ".join(f"{code(e)} {k}" for k, e in bound["constants"].items())
        said.append(f"constants: {listed}")
    reached, fails = bound["tightness"], bound["fails"]
    if fails:
        said.append(f"false for {fails['for']}: the ratio is {float(fails['ratio']):.6g}")
    if reached and (not fails or Fraction(reached) > Fraction(fails["ratio"])):
        said.append(f"largest ratio that an attack has reached: {float(Fraction(reached)):.6g}")
    return said
