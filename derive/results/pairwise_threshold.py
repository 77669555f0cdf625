"""Both ends and the optimum for any pairwise loss a user writes (lee2024sigmoid, Theorem 1).

For l_p convex decreasing and l_n convex increasing the optimum lies on the CCEM, and the
loss is convex along it: the simplex is optimal iff the loss does not fall there, the
antipodal structure iff it does not rise there. Neither function need be smooth: at a kink
every subgradient is one, and the slope along the segment may jump. Without a loss, that of
SigLIP is taken.
"""

from dataclasses import dataclass

from sympy import Expr, S, Symbol, Tuple, floor

from ..engine.calculus import derivative
from ..engine.decide import positive
from ..engine.derivation import Derivation, StepFailed, by_construction
from ..engine.domain import Domain, DomainError, Range
from ..engine.evidence import Holds, Outcome
from ..engine.kinks import Bent, NotBent, has_kinks, in_x
from ..engine.present import solve_linear
from ..engine.reduce import ReducedPairwise
from ..engine.relations import eq, ge, gt
from ..engine.result import Quantity, Result, argmin
from ..engine.root import ClampedRoot
from ..engine.segment import Segment
from ..engine.shape import convex, monotone
from ..exact import NotANumber, expression
from ..losses.clip import SIGMOID, pairwise
from ..losses.literature import LITERATURE
from ..losses.pairwise import PairwiseLoss
from ..structures.towers import NEGATIVE, POSITIVE
from ..symbols import N, b, c, t, x
from ._ccem import BIASED, SYMMETRY, ccem_segment, on_ccem, optimum, shape_of, state_delta

#: Names that a loss on the command line may use; x is the inner product.
NAMES = {"x": c, "t": t, "b": b}


def for_loss(loss: PairwiseLoss) -> Result:
    """The result for a declared pairwise loss in ``c``, ``t`` and ``b``."""
    used = set().union(*(term.function.free_symbols for term in loss.terms)) - {c}
    domain = BIASED.restricted({N} | used)
    return Result(
        "pairwise-threshold",
        title=f"Both ends and the optimum of a pairwise loss: {loss.title}",
        source="lee2024sigmoid, Theorem 1",
        parameters=tuple(s for s in (N, t, b) if s in domain.ranges),
        domain=domain,
        build=lambda proof: build(loss, domain, proof),
        loss=loss,
        segment=ccem_segment,
        texts=("lp", "ln", "loss"),
        read=read,
    )


def read(lp: str | Expr = "", ln: str | Expr = "", loss: str = "") -> Result:
    """The result for a loss of the user's; see :func:`given_loss`."""
    return for_loss(given_loss(lp, ln, loss))


def given_loss(lp: str | Expr = "", ln: str | Expr = "", loss: str = "") -> PairwiseLoss:
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
            raise DomainError("give either a loss by name or both lp and ln")
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


def build(loss: PairwiseLoss, domain: Domain, proof: Derivation) -> dict[str, Quantity]:
    shape = shape_of(loss, domain)
    if not isinstance(shape, Holds):
        why = getattr(shape, "note", "") or getattr(shape, "reason", "")
        raise DomainError(
            f"lp must be convex decreasing, ln convex increasing on [-1, 1]: {why}"
            + weaker_statement(loss, domain)
        )
    kinked = any(has_kinks(t.function) for t in loss.terms)
    along = None if kinked else _smooth(loss, shape, domain, proof)
    along = along or _by_subgradients(loss, shape, domain, proof)
    segment = along.segment
    state_delta(proof, segment, domain)
    position = argmin(along.after, x, S.Zero, segment.length)
    conditions = {
        "simplex_condition": Quantity(
            along.after.xreplace({x: S.Zero}),
            r"h(0)",
            "the simplex is optimal iff this is >= 0",
        ),
        "antipodal_condition": Quantity(
            along.before.xreplace({x: segment.length}),
            r"h(x_{\max})",
            "the antipodal structure is optimal iff this is <= 0",
        ),
    }
    quantities = conditions | optimum(segment, position, along.value, domain)
    if not along.unique:
        # The same condition read from the other end.
        back = argmin(-along.before.xreplace({x: segment.length - y}), y, S.Zero, segment.length)
        quantities["x_last"] = Quantity(
            segment.length - back,
            r"x_{\mathrm{last}}",
            "the optimum farthest from the simplex; all from x_star to here are optimal",
            domain,
        )
    return quantities


def weaker_statement(loss: PairwiseLoss, domain: Domain) -> str:
    """What still holds when l_n is convex but not increasing: both terms are least at once.

    That is where the towers agree and the negatives are at the least point of l_n, if a Gram
    matrix has these inner products.
    """
    lp, ln = (next(t.function for t in loss.terms if t.relation == r) for r in (POSITIVE, NEGATIVE))
    try:
        holds = [monotone(lp, -1, domain), convex(ln, domain)]
        least = _least_point(Bent(ln, c, domain).slope(1))
    except NotBent:
        return ""
    if not all(isinstance(o, Holds) for o in holds) or least.free_symbols:
        return ""
    items = "N" if least >= 0 else f"N <= {floor(1 - 1 / least)}"
    value = lp.xreplace({c: S.One}) + (N - 1) * ln.xreplace({c: least})
    return (
        f". Weaker, for every {items}: the least loss is {value}, where all positives are 1 and "
        f"all negatives {least}"
    )


def _least_point(slope: Expr) -> Expr:
    """Where a convex function with this slope is least on [-1, 1]; exact if it is affine."""
    least = argmin(slope, c, -S.One, S.One).settled()
    if not least.has(ClampedRoot) or least.free_symbols:
        return least
    rate = derivative(slope, c)
    return solve_linear(slope, c) if rate.is_Rational and rate else least.evalf(15)


@dataclass(frozen=True, eq=False)
class Along:
    """A convex loss along the segment: its value and its slope before and after a point."""

    segment: Segment
    value: Expr
    before: Expr
    after: Expr
    unique: bool


def _smooth(loss: PairwiseLoss, shape: Outcome, domain: Domain, proof: Derivation) -> Along | None:
    """From the slopes themselves; None if their signs along the segment are not decided."""
    attempt = Derivation()
    try:
        problem = on_ccem(ReducedPairwise(loss, SYMMETRY, shape), domain, attempt, weak=True)
    except StepFailed:
        return None
    proof.steps += attempt.steps
    curvature = derivative(derivative(problem.value, x), x)
    unique = positive(curvature, problem.domain)
    if isinstance(unique, Holds):
        proof.add(
            "The loss is strictly convex along the segment: the optimum on it is unique",
            gt(curvature, S.Zero),
            "its second derivative is positive",
            unique,
        )
    else:
        proof.add(
            "The least loss is unique; the optimum may be a whole interval",
            ge(curvature, S.Zero),
            f"the loss is convex along the segment, but strictness was not proved; {SHOWN}",
            shape,
        )
    return Along(
        problem.segment, problem.value, problem.slope, problem.slope, isinstance(unique, Holds)
    )


#: Minus a slope of l_p, and a slope of l_n: all that a certificate needs of a loss.
PULL, PUSH = Symbol("pull", nonnegative=True), Symbol("push", nonnegative=True)
#: How far short of the far end.
y = Symbol("y", nonnegative=True)
SHOWN = "the position shown is the one nearest to the simplex"


def _by_subgradients(
    loss: PairwiseLoss, shape: Outcome, domain: Domain, proof: Derivation
) -> Along:
    """The same for any subgradients: the certificate asks only for their signs."""
    functions = {term.relation: Bent(term.function, c, domain) for term in loss.terms}
    kinks = [k.at for bent in functions.values() for k in bent.kinks.values()]
    proof.add(
        "Both functions are convex, one falls, one rises"
        + (", with kinks where a maximum changes over" if kinks else ""),
        Tuple(*(eq("x_kink", at) for at in kinks)),
        "the slope never falls, on the pieces and at the kinks",
        shape,
    )
    signs = domain.with_range(PULL, Range(low_open=False), 1)
    signs = signs.with_range(PUSH, Range(low_open=False), 1)
    linear = pairwise("linearised", "any subgradients", -PULL * c, PUSH * c, loss.source)
    convex_ = by_construction("a linear function is convex")
    problem = on_ccem(ReducedPairwise(linear, SYMMETRY, convex_), signs, proof, weak=True)
    segment = problem.segment
    fall = {r: -derivative(segment.inner[r], x) for r in functions}
    proof.positive(
        "Both inner products fall along the segment",
        fall.values(),
        "so after a point the slopes on the left of them count, and before it those on the right",
        signs,
        ge(fall[NEGATIVE], S.Zero),
        strict=False,
    )
    before, after = (
        problem.slope.xreplace(
            {
                PULL: -functions[POSITIVE].slope(side).xreplace({c: segment.inner[POSITIVE]}),
                PUSH: functions[NEGATIVE].slope(side).xreplace({c: segment.inner[NEGATIVE]}),
            }
        )
        for side in (1, -1)
    )
    proof.add(
        "The least loss is where the slope changes sign, perhaps by a jump",
        Tuple(eq("h_after", after), eq("h_before", before)),
        f"any subgradients pull >= 0 and push >= 0 will do for the certificate; {SHOWN}",
        shape,
    )
    value = ReducedPairwise(loss, SYMMETRY, shape).value(segment.inner)
    return Along(segment, value, before, after, False)


RESULT = for_loss(SIGMOID)
