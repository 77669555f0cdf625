"""The loss that is printed is the loss that is evaluated: formulas are read back as text.

The reader below knows the notation and nothing of declarations: it evaluates the printed
formula, and the printed sets, on random embeddings with plain loops.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import product

import losses_by_hand as by_hand
import pytest
import torch
from cltheory.derive.decide.domain import Domain
from cltheory.derive.losses.clip import INFONCE, SIGMOID
from cltheory.derive.losses.conventions import CONVENTIONS
from cltheory.derive.losses.softmax import SoftmaxLoss
from cltheory.derive.losses.supcl import CNCE, SINCERE, SUP_CNCE, SUPCL, SUPCL_EXCLUSIVE, alpha
from cltheory.derive.losses.supcl import SUPCON as SUPCON_BY_TAU
from cltheory.derive.losses.written import WORDS, Written, write
from cltheory.derive.problems.problem import Problem
from cltheory.derive.results.towers.towers_threshold import WEIGHTED
from cltheory.derive.structures.arrangement import arrange
from cltheory.derive.structures.hierarchy import hierarchy, p
from cltheory.derive.structures.towers import K, towers, towers_of_views
from cltheory.numeric.problems import evaluate
from cltheory.numeric.problems.embeddings import random_embeddings
from sympy import S

SUPCON = CONVENTIONS["supcontrast"].readings[0].loss
NT_XENT = CONVENTIONS["simclr"].readings[0].loss

NOTHING = Domain(ranges={}, witness={})  # is asked of parameters

#: Both sides add up a few hundred numbers of order one.
CLOSE = {"rel": 1e-12, "abs": 1e-13}


# --- a reader of the notation ------------------------------------------------------------------
def matching(text: str, start: int) -> int:
    """Index of the bracket that closes the one at ``start``."""
    depth = 0
    for k in range(start, len(text)):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(text[k], 0)
        if depth == 0:
            return k
    raise ValueError(f"unbalanced: {text}")


def parts(text: str, sign: str) -> Iterator[str]:
    """Split at a sign outside all brackets."""
    start = k = 0
    while k < len(text):
        if text[k] in "([{":
            k = matching(text, k)
        elif text.startswith(sign, k):
            yield text[start:k]
            start = k + len(sign)
        k += 1
    yield text[start:]


def total(text: str) -> str:
    return " + ".join(factors(part) for part in parts(text, " + "))


def factors(text: str) -> str:
    """A product of numbers, sums, means and one function, as an expression of Python."""
    text = text.strip()
    if text.startswith("-"):
        return f"-1*{factors(text[1:])}"
    over = re.match(r"(mean|sum)_(?:\{(.*?)\}|(\w))", text)
    if over:
        index = over[2] or over[3]
        variable, _, where = index.partition(" in ")
        chosen = {"u": "all_", "i": "items", "j": "items", "j != i": "(k for k in items if k != i)"}
        domain = re.sub(r"(\w+)\(u\)", r"sets['\1'](u)", where) or chosen[index]
        rest = factors(text[over.end() :])
        return f"{over[1]}([{rest} for {variable.split(' ')[0]} in {domain}])"
    if text.startswith("["):
        return f"({total(text[1 : matching(text, 0)])})"
    if text.startswith("log(") and matching(text, 3) == len(text) - 1:
        above, *below = parts(text[4:-1], " / ")
        quotient = f"({atom(above)})" + "".join(f"/({factors(b)})" for b in below)
        return f"log({quotient})"
    first, *rest = parts(text, " ")
    if rest and not re.match(r"[+*/-]", rest[0]):
        return f"({atom(first)})*{factors(text[len(first) :])}"
    return atom(text)


def atom(text: str) -> str:
    text = re.sub(r"\bu\.([vw])", r"inner(u, \1)", text)
    text = re.sub(r"\bc_(\w)(\w)", r"inner(\1, N + \2)", text)
    return f"({text})"


def value(written: Written, inner: torch.Tensor, sets: Mapping, **numbers: float) -> float:
    """The printed formula at a Gram matrix."""
    size = len(inner)
    formula = " ".join(written.formula.split()).removeprefix("L = ")
    names = {
        "mean": lambda x: sum(x) / len(x),
        "sum": sum,
        "log": math.log,
        "exp": math.exp,
        "inner": lambda a, b: float(inner[a, b]),
        "all_": range(size),
        "items": range(size // 2),
        "N": size // 2,
        "sets": sets,
    }
    return eval(total(formula), {**names, **numbers})


def printed_sets(
    written: Written, related: Callable[[int, str], list[int]], size: int
) -> dict[str, Callable[[int], list[int]]]:
    """What the notes say is in each set, by the words for the relations."""
    relations = {said: name for name, said in WORDS.items()}
    found = {}
    for note in written.notes:
        named = re.fullmatch(r"(\w+)\(u\): (.*) \(([^()]|\(.*?\))*\)", note)
        if not named:
            continue
        text = named[2]
        own = "the anchor included" in text or "the anchor itself" in text
        if text.startswith("all vectors"):
            members = [name for name in WORDS if name != "self"]
        else:
            members = [relations[t] for t in re.split(", | and ", text)]

        def of(u: int, members: list[str] = members, own: bool = own) -> list[int]:
            found = {w for name in members for w in related(u, name)} - {u}
            return sorted(found | {u} if own else found)

        found[named[1]] = of
    return found


# --- nested classes ----------------------------------------------------------------------------
M, N_, P = 3, 2, 2
PLACES = list(product(range(M), range(N_), range(P)))


def related(u: int, name: str) -> list[int]:
    nearness = {"self": 3, "same_instance": 2, "same_class": 1, "cross_class": 0}

    def near(w: int) -> int:
        a, b = PLACES[u], PLACES[w]
        return next((k for k in range(3) if a[k] != b[k]), 3)

    return [w for w in range(len(PLACES)) if near(w) == nearness.get(name)]


def hierarchical(loss: SoftmaxLoss, **params: float) -> tuple[float, float]:
    """The printed value and that of the numeric layer."""
    structure = hierarchy()
    u = random_embeddings(arrange(structure, {"m": M, "n": N_, "p": P}), 7, d=4)
    flat = u.reshape(-1, 4)
    written = write(loss, structure)
    sets = printed_sets(written, related, len(flat))
    ours = float(evaluate(Problem(loss, structure, NOTHING), u, params))
    return value(written, flat @ flat.T, sets, **params), ours


@pytest.mark.parametrize("loss", [SUPCL, CNCE, SUP_CNCE, SUPCON, NT_XENT], ids=lambda x: x.name)
def test_a_softmax_loss_is_what_is_printed(loss: SoftmaxLoss) -> None:
    params = {"tau": 0.3} | ({"alpha": 0.7} if loss in (SUPCL, SUP_CNCE) else {})
    printed, evaluated = hierarchical(loss, **params)
    assert printed == pytest.approx(evaluated, **CLOSE)


def test_losses_without_the_anchor_are_what_is_printed() -> None:
    """One with each positive in its denominator, and one whose positives are weighted."""
    classes = arrange(hierarchy(), {"m": M, "n": N_, "p": P})
    flat = random_embeddings(classes, 7, d=4).reshape(-1, 4)
    gram, of = (flat @ flat.T).numpy(), by_hand.labels(M, N_, P)
    (term,) = SUPCON_BY_TAU.terms
    weighted = replace(SUPCON_BY_TAU, terms=(replace(term, weights=(S.One, S.One)),))
    for loss, expected in (
        (SINCERE, by_hand.sincere(gram, of, 0.3)),
        (SUPCL_EXCLUSIVE, by_hand.supcl_exclusive(gram, of, 0.3, 0.7)),
        (SUPCON_BY_TAU, by_hand.supcon(gram, of, 0.3)),
        (weighted, by_hand.supcon(gram, of, 0.3)),
    ):
        written = write(loss, hierarchy())
        sets = printed_sets(written, related, len(flat))
        # Shares of weighted positives are written in the sizes.
        numbers = {"tau": 0.3, "alpha": 0.7, "m": M, "n": N_, "p": P}
        printed = value(written, flat @ flat.T, sets, **numbers)
        assert printed == pytest.approx(expected, **CLOSE)


def corruptions() -> Iterator[SoftmaxLoss]:
    first, second = SUPCL.terms
    yield replace(SUPCL, temperature=1 / SUPCL.temperature)
    yield replace(SUPCL, terms=(replace(first, coefficient=2 * (1 - alpha)), second))
    yield replace(SUPCL, terms=(first, replace(second, positives=("same_instance",))))
    yield replace(SUPCL, terms=(replace(first, positives=("same_instance", "same_class")), second))
    harder = replace(first, denominator_weights=(S.One, S.One, S.Half, 3 * alpha))
    yield replace(SUPCL, terms=(harder, second))
    for term in (first, second):
        for left in term.denominator:
            fewer = tuple(r for r in term.denominator if r != left)
            changed = replace(term, denominator=fewer)
            yield replace(SUPCL, terms=tuple(changed if t is term else t for t in SUPCL.terms))


@pytest.mark.parametrize("loss", list(corruptions()))
def test_another_declaration_is_another_text(loss: SoftmaxLoss) -> None:
    assert write(loss, hierarchy()) != write(SUPCL, hierarchy())
    printed, evaluated = hierarchical(loss, alpha=0.7, tau=0.3)
    assert printed == pytest.approx(evaluated, **CLOSE)
    assert abs(printed - hierarchical(SUPCL, alpha=0.7, tau=0.3)[1]) > 1e-3


# --- towers ------------------------------------------------------------------------------------
def tower_losses() -> Iterator[object]:
    yield SIGMOID
    yield INFONCE
    for name in ("siglip", "open-clip", "clip"):
        for reading in CONVENTIONS[name].readings:
            yield reading.loss
    (term,) = INFONCE.terms
    yield replace(INFONCE, terms=(replace(term, coefficient=3 * term.coefficient),))
    attract, repel = SIGMOID.terms
    yield replace(SIGMOID, terms=(replace(attract, weight=attract.weight * 3), repel))
    yield replace(SIGMOID, terms=(attract, replace(repel, function=repel.function**2)))


@pytest.mark.parametrize("loss", list(tower_losses()))
def test_a_loss_of_two_towers_is_what_is_printed(loss: object) -> None:
    structure = towers()
    u = random_embeddings(arrange(structure, {"N": 4}), 3, d=3)
    params = {"t": 1.7} | ({} if isinstance(loss, SoftmaxLoss) else {"b": -0.4})
    both = u.flatten(0, 1)
    printed = value(write(loss, structure), both @ both.T, {}, **params)
    evaluated = float(evaluate(Problem(loss, structure, NOTHING), u, params))
    assert printed == pytest.approx(evaluated, **CLOSE)


@pytest.mark.parametrize("sizes", [(2, 4, 1), (3, 3, 2)])
def test_a_loss_of_many_towers_is_what_is_printed(sizes: tuple[int, int, int]) -> None:
    structure = towers_of_views(K, p)
    at = arrange(structure, dict(zip("KNp", sizes, strict=True)))
    u = random_embeddings(at, 5, d=3)
    flat = u.reshape(at.size, 3)
    written = write(WEIGHTED, structure)

    def related(u: int, name: str) -> list[int]:
        known = name in at.counts and name != "self"
        return at.mask(name)[u].nonzero()[0].tolist() if known else []

    params = {"t": 1.7, "b": -0.4, "w": 0.3}
    sets = printed_sets(written, related, at.size)
    printed = value(written, flat @ flat.T, sets, **params)
    evaluated = float(evaluate(Problem(WEIGHTED, structure, NOTHING), u, params))
    assert printed == pytest.approx(evaluated, **CLOSE)
