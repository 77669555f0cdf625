"""Whole theorems about InfoNCE at one anchor: identities and bounds of its gradient.

The statement has the loss written out, and says of every gradient of it, that is of its derivative
in the anchor, what a quantity of the result is. The readings of a configuration are defined beside
the loss. A bound follows from one fact of the library, such as that the softmax mean of the
negatives has length at most 1: with a slack in it, the two sides differ by what has a sign.
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Expr, Max, Min, S, Symbol, oo, symbols

from ...decide.domain import POSITIVE, Domain, Range, between
from ...frozen import FrozenValue
from ...losses.setting import INFONCE, INFONCE_OF_BATCH
from ...theorem.bounds import About, Bounds
from ...theorem.quantity import Quantity
from ...theorem.result import Result
from .signs import Signs
from .statements import Theorem
from .terms import NotWritten, lemma, term

tau, epsilon, rho, n, participation, variance, softmax_variance = symbols(
    "tau epsilon rho n participation variance softmax_variance", real=True
)
sigma, sigma_positive, place, slack = symbols("sigma sigma_positive place slack", real=True)
#: What is known of them in proofs of signs; of the others nothing.
RANGES = {tau: POSITIVE, epsilon: between(0, 1, "()"), rho: between(1 - 2 * epsilon, 1)}
#: The numbers that readings are in the library, by their names.
READINGS = {
    "tau": "(temperature c)",
    "n": "(INR (negatives c) + 2)",
    "sigma": "sigma",
    "sigma_positive": "sigma_positive",
} | {
    s: f"(read_{s} c)"
    for s in "epsilon rho mu alignment similarity participation variance softmax_variance".split()
}
#: Largest eigenvalues: a bound is proved for every number that none of them is above.
MOMENTS = {"sigma": "(z_negative c)", "sigma_positive": "(across c)"}
NAMES = {Symbol(s, real=True): text for s, text in READINGS.items()}


class Fact(FrozenValue):
    """A lemma of the library: what is bounded is at most (at least) this."""

    lemma: str
    most: bool
    value: Expr
    moment: str = ""


class Measured(FrozenValue):
    """A number that a configuration has.

    Attributes
    ----------
    text
        The number.
    at
        What of it facts bound, which is ``place`` in its ``value``.
    value
        The number by the readings, as the lemma has it; empty where it is that very place.
    lemma
        Says so.
    facts
        Bounds of the place.
    """

    text: str
    at: str = ""
    value: Expr = place
    lemma: str = ""
    facts: tuple[Fact, ...] = ()


ALIGNED = (epsilon + rho - 1) / epsilon
SQUARE = (2 * epsilon * (1 - rho) - epsilon**2 * (1 - place)) / tau**2
SPREAD = (n - 2) * participation
LENGTH = (
    Fact("at_most_1", True, S.One),
    Fact("by_alignment", False, ALIGNED**2),
    Fact("by_variance", True, 1 - softmax_variance),
    Fact("by_moment", True, sigma * SPREAD, "sigma"),
    Fact("by_across", True, ALIGNED**2 + sigma_positive * SPREAD, "sigma_positive"),
)
LONG = "(read_mu c ^ 2)"
MEASURED = {
    "squared_gradient": Measured("dot (coordinates c) g g", LONG, SQUARE, "square", LENGTH),
    "squared_tangential": Measured(
        "dot (coordinates c) (tangential c g) (tangential c g)", lemma="tangential_square"
    ),
    "mean_alignment": Measured(
        "dot (coordinates c) (read_m c) (z_positive c)", lemma="mean_alignment"
    ),
} | {
    f"squared_{part}": Measured(
        text,
        f"({text})",
        facts=tuple(Fact(lemma, True, sigma * epsilon**2 * of, "sigma") for lemma, of in most),
    )
    for part, text, *most in (
        ("sampling", "sampling c", ("sampling_most", S.One)),
        ("fluctuation", "fluctuation c", ("fluctuation_most", SPREAD - 1)),
        (
            "linear",
            "linear_part c",
            ("linear_most", variance / tau**2),
            ("linear_spectrum", sigma / tau**2),
        ),
    )
}


def at_anchor(called: str, result: Result, left: dict[str, str]) -> Iterator[Theorem]:
    """The quantities of a result that are about the gradient at one anchor, as theorems.

    ``left`` is told of the others why they are not.

    Raises
    ------
    NotWritten
        If the result is about something else.
    """
    if result.alone is None or not result.alone.kind_of_loss:
        raise NotWritten("the result is not about a loss")
    if result.alone not in (INFONCE, INFONCE_OF_BATCH):
        raise NotWritten(
            "the result is neither about a loss in any dimension that weights pairs of points by "
            "how they are related, nor about InfoNCE with given negatives"
        )
    for key, q in result.quantities.items():
        try:
            yield _theorem(f"{called}_{key}", key, q)
        except NotWritten as why:
            left[key] = str(why)


def _theorem(called: str, key: str, q: Quantity) -> Theorem:
    bound = q if isinstance(q, Bounds) else None
    if bound is not None and (bound.about is not About.ANCHOR or bound.printed):
        raise NotWritten("it is a printed bound" if bound.printed else "it is about a batch")
    measured = MEASURED.get(bound.bounded if bound is not None else key)
    if measured is None or not isinstance(q.expression, Expr):
        raise NotWritten("what it is has no definition in Rocq")
    read = {s: Symbol(s.name, real=True) for s in q.expression.free_symbols}
    value = q.expression.xreplace(read)
    if unknown := {s.name for s in value.free_symbols} - READINGS.keys():
        raise NotWritten(f"{min(unknown)} has no definition in Rocq")
    moments = [s.name for s in (sigma, sigma_positive) if s in value.free_symbols]
    about = "g" if measured.text.startswith("dot") and measured.lemma != "mean_alignment" else ""
    sign = {"upper": "<=", "lower": ">="}[bound.side] if bound is not None else "="
    known = "".join(f"moment_at_most c {MOMENTS[s]} {s} -> " for s in moments)
    inner = f"{known}{measured.text} {sign} {term(value, NAMES)}"
    if moments:
        inner = f"forall {' '.join(moments)} : R, {inner}"
    if about:
        inner = f"(exists g, is_gradient c g) /\\\n  forall g, is_gradient c g -> {inner}"
    start = ["split; [exact some_anchored |].", "intros c ok."]
    if about:
        start += ["split; [eexists; apply (gradient_here c ok) |].", "intros g G."]
    start += [f"intros {' '.join([*moments, *(f'M_{s}' for s in moments)])}."] * bool(moments)
    start.append("assert (T := warm c ok). assert (E := eps_range c ok).")
    if measured.lemma:
        start.append(f"rewrite ({measured.lemma} c ok{' g G' * bool(about)}).")
    lemmas: list[str] = []
    proof = ["field; lra."]
    if bound is not None:
        proof = _bounded(called, measured, value, lemmas, upper=bound.side == "upper")
    return Theorem(
        called,
        f"{key}: {q.meaning}",
        f"(exists c, unit_anchored c) /\\\n  forall c, unit_anchored c ->\n  {inner}",
        (*start, *proof),
        lemmas=tuple(lemmas),
        whole=True,
    )


def _bounded(
    called: str, measured: Measured, bound: Expr, lemmas: list[str], *, upper: bool
) -> list[str]:
    """The proof of a bound: in each case of a minimum by one fact, and a lemma for it."""
    cases = sorted(bound.atoms(Min, Max), key=str)
    if len(cases) > 1 or not all(isinstance(case, Min if upper else Max) for case in cases):
        raise NotWritten("it has cases that no fact of the library settles")
    proof = [] if upper else ["apply Rle_ge."]
    branches = [bound]
    for case in cases:
        rule = "Rmin_case" if upper else "Rmax_case"
        proof.append(f"pattern {term(case, NAMES, 3)}; apply {rule}; cbv beta.")
        branches = [bound.xreplace({case: part}) for part in case.args]
    for k, branch in enumerate(branches, 1):
        lemma, lines = _by_fact(f"{called}_{k}", measured, branch, upper=upper)
        lemmas.append(lemma)
        proof += ["{ " + lines[0], *(f"  {line}" for line in lines[1:]), "}"]
    return proof


def _by_fact(called: str, measured: Measured, bound: Expr, *, upper: bool) -> tuple[str, list[str]]:
    """A lemma on real numbers that the bound is right where a fact has a slack, and its use."""
    for fact in measured.facts:
        if fact.most is not upper:
            continue
        limit = fact.value - slack if upper else fact.value + slack
        moved = measured.value.xreplace({place: limit})
        small, large = (moved, bound) if upper else (bound, moved)
        ranges = {**RANGES, slack: Range(low_open=False)}
        free = (small - large).free_symbols | small.free_symbols | large.free_symbols
        ranges |= {s: Range(-oo) for s in sorted(free - ranges.keys(), key=str)}
        try:
            signs = Signs([large - small, small, large], Domain.of_ranges(ranges))
            lines = signs.proof(large - small, strict=False)
        except NotWritten:
            continue
        shown = f"{term(small)} <= {term(large)}"
        known = term(fact.value, NAMES)
        text = f"({known} - {measured.at})" if upper else f"({measured.at} - ({known}))"
        values = " ".join(text if s == slack else NAMES[s] for s in signs.domain.ranges)
        use = f"{fact.lemma} c ok" + f" _ M_{fact.moment}" * bool(fact.moment)
        first = "[exact F |]" if upper else "[| exact F]"
        return lemma(called, signs.domain, shown, [*signs.lines, "gap.", *lines]), [
            f"assert (F := {use}). assert (P := rho_range c ok).",
            f"assert (L : 0 <= {text}).",
            f"{{ apply -> le_gap. eapply Rle_trans; {first}. right; field; lra. }}",
            f"apply ({called} {values}) in L; [| first [assumption | lra] ..].",
            "match type of L with ?a <= ?b => apply Rle_trans with a; [|apply Rle_trans with b];",
            "  [right; field; lra | exact L | right; field; lra] end.",
        ]
    raise NotWritten("it follows from no single fact of the library")
