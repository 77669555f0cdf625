"""What is trained: sizes, parameters and conventions, and the sizes that follow from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sympy import Expr, Integer, S, Tuple

from ..decide.domain import DomainError
from ..decide.spelling import did_you_mean
from ..frozen import FrozenValue
from ..landmarks.explain import REAL, WHOLE, find, within
from ..landmarks.libraries import ALSO, Row
from ..landmarks.similar import Similar
from ..losses.alone import ALONE
from ..structures.draws import BALANCED, UNIFORM
from .table import LOSSES, Advice

#: Images of a class if it is not said how many: the thresholds of batches have converged.
MANY = 10**6
COUNTS = {**WHOLE, "per_class": (2, 10**9), "devices": (1, 10**5), "accumulate": (1, 10**5)}
SHARES = {**REAL, "noise": (0.0, 1.0)}
#: What every training has.
DEFAULTS = {"batch": "256", "views": "2", "devices": "1", "accumulate": "1"}
SAMPLINGS = (UNIFORM.sampling, BALANCED.sampling, "all")


class Setting(FrozenValue):
    """A loss at numbers.

    Attributes
    ----------
    loss, row, advice
        Its name, its convention, and what is known of it.
    options
        Options that were given.
    numbers
        All of them, and the sizes that follow: ``seen`` images that an anchor sees, ``vectors``
        with their views, and ``each`` of ``drawn`` classes in a balanced batch.
    words
        ``anchor``, ``sampling``, ``alone``, and ``room``: ``span`` in ``classes`` - 1 dimensions.
    """

    loss: str
    row: Row
    advice: Advice
    options: Mapping[str, Expr]
    numbers: Mapping[str, Expr]
    words: Mapping[str, str]

    def in_dimension(self, dim: Expr) -> Setting:
        """The same in another dimension; two classes in one are no case of any result."""
        in_span = dim == self.numbers.get("classes", S.Zero) - 1 and dim > 1
        words = {**self.words, "room": "span" if in_span else "more"}
        return replace(self, numbers={**self.numbers, "dim": dim}, words=words)

    def factor(self) -> float:
        """What the convention multiplies the loss by."""
        assert isinstance(self.row.family, Similar)
        return self.row.family.factor(self.numbers)


def setting(
    loss: str, convention: str | None, sampling: str | None, alone: str | None, **options: Any
) -> Setting:
    """Read options; what is left out is as it usually is.

    Raises
    ------
    DomainError
        If a name or a number is not accepted, or they do not go together.
    """
    name = ALSO.get(loss, loss)
    if name not in LOSSES:
        known = (*LOSSES, *ALSO)
        near = did_you_mean(loss, known)
        raise DomainError(f"advise knows no loss {loss[:60]!r}{near}; there are {', '.join(known)}")
    row, advice = find(name, convention), LOSSES[name]
    sizes = _sizes(options.pop("sizes", None))
    if sizes:
        advice = _unequal(loss, advice, options)
    assert isinstance(row.family, Similar)
    terms = row.family.loss.terms
    if row.family.inside or any(getattr(k, "own_positive", 0) for k in terms):
        raise DomainError(
            f"{loss} of {row.convention} is another loss ({row.source}), of which no result is "
            "known that advise could use"
        )
    wanted = {k: v for k, v in options.items() if v is not None}
    takes = {**DEFAULTS, **advice.defaults, **({"t": ""} if "tau" in advice.defaults else {})}
    for k in wanted:
        if k not in takes:
            asked = (*takes, *({"sampling", "alone"} & advice.asks))
            all_of = ", ".join(sorted(f"--{name}".replace("_", "-") for name in asked))
            raise DomainError(f"{loss} has no --{k[:60].replace('_', '-')}; it takes {all_of}")
    for word, value in (("sampling", sampling), ("alone", alone)):
        if value is not None and word not in advice.asks:
            raise DomainError(f"nothing that is known of {loss} here depends on --{word}: omit it")
    given = {k: within(k, v, COUNTS.get(k), SHARES.get(k, (0, 0))) for k, v in wanted.items()}
    if "views" not in advice.asks and not sizes and given.get("views", 2) != 2:
        raise DomainError(f"{loss} compares two vectors of each item: --views can only be 2")
    if "t" in given and "tau" in advice.defaults:
        if "tau" in given:
            raise DomainError("--t and --tau both give the temperature: t is 1/tau")
        given["tau"] = 1 / given.pop("t")
    numbers = {k: S(v) for k, v in takes.items() if v} | given
    numbers["seen"] = numbers["batch"] * numbers["devices"]
    numbers["many"] = Integer(MANY)
    numbers |= sizes
    words = {
        "anchor": _anchor(terms),
        "alone": _one_of("alone", alone or "attraction", ALONE),
        "sampling": _sampling(sampling or "uniform", numbers),
    }
    if alone is not None and words["sampling"] != UNIFORM.sampling:
        raise DomainError("--alone is about uniform batches: in others no anchor is alone, omit it")
    if "classes" in numbers:
        _check_data(numbers, words["sampling"])
    elif advice.labelled:
        raise DomainError(f"{loss} is about classes: give --classes")
    elif "per_class" in given or sampling is not None:
        raise DomainError("--per-class and --sampling are about classes: give --classes")
    numbers["vectors"] = numbers["seen"] * numbers["views"]
    made = Setting(loss, row, advice, given, numbers, words)
    return made.in_dimension(numbers["dim"])


def _unequal(loss: str, advice: Advice, options: Mapping[str, Any]) -> Advice:
    if advice.unequal is None:
        known = ", ".join(k for k, v in LOSSES.items() if v.unequal)
        raise DomainError(f"no result about {loss} takes --sizes; there is one about {known}")
    for other in ("classes", "per_class"):
        if options.get(other) is not None:
            raise DomainError("--sizes says how many classes there are: omit --classes")
    return advice.unequal


def _sizes(text: object) -> dict[str, Any]:
    """Sizes of classes, largest first, and what results call of them; none without a text."""
    if text is None:
        return {}
    words = text.split(",") if isinstance(text, str) else text
    if not isinstance(words, list | tuple):
        raise DomainError("--sizes must be a list such as 500,100,20")
    found = sorted((int(within("sizes", k, (2, 10**9), (0, 0))) for k in words), reverse=True)
    if len(set(found)) < 2 or len(found) < 3:
        raise DomainError("--sizes are three or more that are not all equal; else use --classes")
    largest, rest = found[0], sum(found[1:])
    named: dict[str, Any] = {"sizes": Tuple(*found), "largest": Integer(largest)}
    if rest >= 4:
        named["rest"] = Integer(rest)
    tail = found[found.count(largest) :]
    if found.count(largest) > 1 and len(tail) > 1 and 4 <= sum(tail) <= largest:
        named |= {"heads": Integer(found.count(largest)), "tail": Integer(sum(tail))}
    return named


def _anchor(terms: Any) -> str:
    denominators = {r for k in terms for r in getattr(k, "denominator", ())}
    return "included" if "self" in denominators else "excluded"


def _one_of(option: str, value: str, known: Any) -> str:
    if value not in known:
        near = did_you_mean(value, known)
        raise DomainError(f"--{option} must be one of {', '.join(known)}, not {value[:60]!r}{near}")
    return value


def _sampling(text: str, numbers: dict[str, Expr]) -> str:
    """The name of a way to draw batches; ``balanced:K`` has K images of each class drawn."""
    kind, _, each = text.partition(":")
    _one_of("sampling", kind, SAMPLINGS)
    if (kind == BALANCED.sampling) is not bool(each):
        raise DomainError("--sampling is uniform, balanced:K with K images of a class, or all")
    if each:
        numbers["each"] = within("sampling", each, (2, 10**7), (0.0, 0.0))
        numbers["drawn"] = numbers["seen"] / numbers["each"]
        if not isinstance(numbers["drawn"], Integer):
            raise DomainError(f"{each} images of each class do not fill {numbers['seen']}")
    return kind


def _check_data(numbers: dict[str, Expr], sampling: str) -> None:
    """Fill in how many images a class has, and see that a batch can be drawn from them."""
    seen, classes = numbers["seen"], numbers["classes"]
    if sampling == "all" and "per_class" not in numbers:
        numbers["per_class"] = seen / classes
        if not isinstance(numbers["per_class"], Integer):
            raise DomainError(f"--classes {classes} must divide {seen} images, or give --per-class")
    each = numbers.setdefault("per_class", Integer(MANY))
    if sampling == "all":
        numbers["seen"] = classes * each
    if sampling != "all" and seen > classes * each:
        raise DomainError(f"a batch of {seen} is more than the {classes * each} images there are")
    if numbers.get("drawn", 0) > classes or numbers.get("each", 0) > each:
        raise DomainError(
            f"a batch of {numbers['drawn']} classes of {numbers['each']} is more than the data "
            f"have, {classes} classes of {each}"
        )
