"""Writes certificates of optimality as files; :mod:`cltheory.derive.certificate` replays them.

The point is either a set of embeddings or one inner product for each relation. What is written
beside it (y, S, a shift) is found here in whatever way; the replay believes none of it.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import product
from typing import Any

import numpy as np
from flint import arb, arb_mat, ctx
from sympy import Expr, Function, Max, S, Symbol, Wild, exp, log
from sympy.printing.str import StrPrinter

from ...derive import certificate
from ...derive.certificate import BITS, FORMAT, Refused
from ...derive.decide.domain import DomainError
from ...derive.losses.pairwise import c
from ...derive.losses.softmax import SoftmaxLoss, SoftmaxTerm
from ...derive.problems.problem import Problem
from ...derive.structures.configuration import Configuration, Pairs, single

#: Digits of y and S, and how many of them are sure to be right.
DIGITS, SURE = 40, 36
#: Shifts that are tried, as powers of ten, on S and on a matrix of inner products.
SHIFTS = (-34, -31, -28, -25, -22, -19, -16, -15, -14, -13, -12, -11, -10, -9, -8, -6, -4, -2, 0)
TOWARDS_IDENTITY = -30
#: How near a kink an inner product is, up to a factor, for a slope there to be sought.
NEAR = 0.1
#: What is below this is as good as zero: gaps are not below 1e-34.
SMALL = 1e-100


def certificate_of(
    problem: Problem,
    values: Mapping[Symbol, Expr],
    *,
    embeddings: Any = None,
    inner: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """A certificate for embeddings, or for the Gram matrix with given inner products.

    Parameters
    ----------
    problem, values
        The loss on its structure, with an exact value for every symbol.
    embeddings
        Vectors, ``(*axes, d)``, of about unit length.
    inner
        Decimal strings by relation, as many digits as there are.

    Returns
    -------
    dict
        For ``json.dump``; :func:`cltheory.derive.certificate.replay` accepts it.

    Raises
    ------
    DomainError
        If a value is missing or the loss has parts that certificates cannot express.
    Refused
        If what is given is no point that can be certified at all.
    """
    file = {
        "format": FORMAT,
        **declared(problem, values),
        "point": _point(_whole(problem), embeddings, inner),
    }
    before, ctx.prec = ctx.prec, BITS
    try:
        sides = _sides(file)
        if sides is None:
            return file | _multipliers(file)
        found = [file | _multipliers(file | {"sides": sides}) | {"sides": sides}]
        with suppress(Refused):  # where no inner product is on a kink, the loss itself may do
            found.append(file | _multipliers(file))
        return min(found, key=lambda one: float(one["claim"]["gap"]))
    finally:
        ctx.prec = before


def declared(problem: Problem, values: Mapping[Symbol, Expr]) -> dict[str, Any]:
    """The part of a certificate that says what it is about: the loss on its points, at values."""
    return {
        "title": problem.loss.title,
        "parameters": {s.name: _written(v) for s, v in values.items()},
        **_points(_whole(problem), values),
        "loss": _loss(problem, values),
    }


def _whole(problem: Problem) -> Configuration:
    structure = problem.structure
    return structure if isinstance(structure, Configuration) else single(structure)


def _points(whole: Configuration, values: Mapping[Symbol, Expr]) -> dict[str, Any]:
    """Axes and pattern; of several orbits, axes of each, and keys that begin with their numbers."""
    pattern: dict[str, str] = {}
    several = len(whole.parts) > 1
    for (a, left), (b, right) in product(enumerate(whole.parts), repeat=2):
        names = {r.kind: _seen(r, left) for r in whole.between(left, right)}
        if a != b:
            (pattern[f"{a} {b}"],) = names.values()
            continue
        for same, kind in whole.parts[left].pattern.items():
            key = "".join("=" if s else "/" for s in same)
            pattern[f"{a} {key}" if several else key] = names[kind]
    axes = [[int(_at(k, values)) for k in part.axes] for part in whole.parts.values()]
    return {"axes": axes if several else axes[0], "pattern": pattern}


def _seen(r: Pairs, orbit: str) -> str:
    """What a relation is called as an anchor of an orbit sees it."""
    return "self" if r.kind == "self" else r.name if r.left == orbit else f"{r.name}_back"


def _point(
    whole: Configuration, embeddings: Any, inner: Mapping[str, str] | None
) -> dict[str, Any]:
    if inner is not None:
        occurring = (r for r in whole.relations if r.name in inner)
        seen = {_seen(r, o): inner[r.name] for r in occurring for o in (r.left, r.right)}
        return {"inner": seen, "shift": f"1e{TOWARDS_IDENTITY}"}
    rows = np.asarray(embeddings, dtype=np.float64)
    return {
        "embeddings": [[repr(float(x)) for x in row] for row in rows.reshape(-1, rows.shape[-1])]
    }


def _loss(problem: Problem, values: Mapping[Symbol, Expr]) -> dict[str, Any]:
    """The declaration with values put in, as expressions of the format."""
    loss = problem.loss
    if not isinstance(loss, SoftmaxLoss):
        return {
            "kind": "pairwise",
            "terms": [
                {
                    "relation": term.relation,
                    "weight": _written(_at(term.weight, values)),
                    "function": as_written(term.function.xreplace(dict(values))),
                }
                for term in loss.by_kinks().terms
            ],
        }
    loss.check_linear()  # nothing else can be certified
    if any(set(term.denominator_weights) - {S.One} for term in loss.terms):
        raise DomainError(
            f"{loss.name} has weights in a denominator, which certificates do not support"
        )
    return {
        "kind": "softmax",
        "temperature": _written(_at(loss.temperature, values)),
        "terms": [_term(term, _whole(problem), values) for term in loss.terms],
    }


def _term(term: SoftmaxTerm, whole: Configuration, values: Mapping[Symbol, Expr]) -> dict[str, Any]:
    positives: dict[str, str] = {}
    denominator: dict[str, None] = {}
    for orbit in whole.parts:
        seen = {kind: [r for r in whole.seen(orbit) if r.kind == kind] for kind in whole.kinds}
        pulls = [(r, term.weight(kind)) for kind in term.positives for r in seen[kind]]
        total = sum((weight * r.partners(orbit) for r, weight in pulls), S.Zero)
        positives |= {_seen(r, orbit): _written(_at(w / total, values)) for r, w in pulls}
        denominator |= {_seen(r, orbit): None for kind in term.denominator for r in seen[kind]}
    return {
        "coefficient": _written(_at(term.coefficient, values)),
        "positives": positives,
        "denominator": list(denominator),
        "own_positive": term.own_positive,
    }


class _Printer(StrPrinter):
    """Numbers as the format has them."""

    def _print_Exp1(self, expr: Expr) -> str:
        return "exp(1)"

    def _print_Max(self, expr: Expr) -> str:
        return f"max({', '.join(map(self._print, expr.args))})"


def _written(e: Expr) -> str:
    return str(_Printer().doprint(e))


def as_written(function: Expr) -> str:
    """A function of an inner product, in which the replay sees the curvature.

    log(1 + exp(a)) is softplus(a), and max(0, a + b c) has no kink if it is beyond [-1, 1].
    """
    a = Wild("a")
    zeros = (k for k in function.atoms(Max) if k.args[0] == 0 and len(k.args) == 2)
    lines = (k for k in zeros if k.args[1].diff(c).is_number)
    smooth = {k: k.args[1] for k in lines if all(k.args[1].subs(c, x) >= 0 for x in (-1, 1))}
    return _written(function.xreplace(smooth).replace(log(1 + exp(a)), Function("softplus")(a)))


def _at(e: Expr, values: Mapping[Symbol, Expr]) -> Expr:
    found = e.xreplace(dict(values))
    if found.free_symbols:
        names = ", ".join(sorted(s.name for s in found.free_symbols))
        raise DomainError(f"a certificate needs numerical values: give {names}")
    return found


def _sides(file: dict[str, Any]) -> list[str | None] | None:
    """Which slope to take at each kink that an inner product is near: what makes S G vanish.

    S = A - diag(y) is affine in them, so these are the least squares.
    """
    if file["loss"]["kind"] != "pairwise":
        return None
    pair = certificate.relations(file["axes"], file["pattern"])
    g = certificate.gram(file["point"], pair)
    kinked = [k for k, term in enumerate(file["loss"]["terms"]) if _is_near_kink(term, g, pair)]
    if not kinked:
        return None
    every = [None] * len(file["loss"]["terms"])

    def left(sides: Mapping[int, str]) -> Any:
        """S G with these sides, as a column."""
        at = [sides.get(k, "0") if k in kinked else none for k, none in enumerate(every)]
        _, a = certificate.gradient(certificate.beneath(file["loss"], at, g, pair)[0], g, pair)
        product = arb_mat(a) * arb_mat(g)
        size = range(len(g))
        return [product[i, j] - product[i, i] * g[i][j] for i in size for j in size]

    none = left({})
    each = [[x - y for x, y in zip(left({k: "1"}), none, strict=True)] for k in kinked]
    normal = arb_mat([[certificate.dot(x, y) for y in each] for x in each])
    try:
        found = normal.solve(arb_mat([[-certificate.dot(x, none)] for x in each]))
    except ZeroDivisionError:  # S G is the same with all
        return None
    shares = (max(arb(0), min(arb(1), found[k, 0].mid())) for k in range(len(kinked)))
    chosen = dict(zip(kinked, map(_text, shares), strict=True))
    return [chosen.get(k) for k in range(len(every))]


def _is_near_kink(term: Mapping[str, str], g: Any, pair: list[list[str]]) -> bool:
    """Whether a term is max(0, f), where f nearly vanishes for a pair."""
    inside = certificate.inside_kinks(term["function"])
    if ast.unparse(certificate.parsed(term["function"])) != f"max(0, {inside})":
        return False
    among = (
        x
        for at, row in zip(g, pair, strict=True)
        for x, r in zip(at, row, strict=True)
        if r == term["relation"]
    )
    return any(abs(certificate.evaluated(inside, x).parts[0]) < NEAR for x in among)


def _multipliers(file: dict[str, Any]) -> dict[str, Any]:
    """y and S from the gradient, the least shift that works, and what follows from it."""
    pair = certificate.relations(file["axes"], file["pattern"])
    g = certificate.gram(file["point"], pair)
    loss, less = file["loss"], arb(0)
    if "sides" in file:
        loss, less = certificate.beneath(loss, file["sides"], g, pair)
    value, a = certificate.gradient(loss, g, pair)
    value += less
    size = len(g)
    y = [_text(certificate.dot(p, q)) for p, q in zip(a, g, strict=True)]
    s = [
        [_text(a[i][j] - (certificate.number(y[i]) if i == j else 0)) for j in range(size)]
        for i in range(size)
    ]
    largest = max(abs(float(x)) for row in s for x in row)
    unsure = max(float(x.rad()) for row in a for x in row)  # 1 - p is no surer than 1 is
    radius = f"1e{int(np.ceil(np.log10(max(10.0**-SURE * largest, 4 * unsure, SMALL))))}"
    least = -np.linalg.eigvalsh(np.array(s, dtype=np.float64))[0]
    exact = [[certificate.number(x) for x in row] for row in s]
    for shift in _shifts(float(least)):
        try:
            certificate.has_cholesky(certificate.shifted(exact, certificate.number(shift)), "S")
            break
        except Refused:
            continue
    else:
        raise Refused("the gradient has an eigenvalue that no shift can compensate")
    loose = certificate.sum_of_products(a, g) - sum((certificate.number(v) for v in y), arb(0))
    gap = size * (certificate.number(shift) + size * certificate.number(radius)) + loose + less
    return {
        "y": y,
        "S": s,
        "radius": radius,
        "shift": shift,
        "claim": {"loss": _text(value), "gap": f"{float(abs(gap).upper()) * 1.01:.2e}"},
    }


def _shifts(least: float) -> Sequence[str]:
    """Candidates for the shift, in rising order; ``least`` is what float64 thinks is needed."""
    fixed = [f"1e{k}" for k in SHIFTS]
    if least <= 1e-13:
        return fixed
    near = [f"{least * factor:.3e}" for factor in (1 + 1e-3, 1.01, 1.1, 2)]
    return [*near, *(s for s in fixed if float(s) > least)]


def _text(ball: Any) -> str:
    """The middle of a ball; what is nearer to zero than any number of the format is zero."""
    if abs(ball.mid()) < SMALL:
        return "0"
    return str(ball.mid().str(DIGITS, radius=False))
