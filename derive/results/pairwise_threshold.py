"""Both ends and the optimum for any pairwise loss a user writes (lee2024sigmoid, Theorem 1).

For l_p convex decreasing and l_n convex increasing the optimum lies on the CCEM, and the
loss is convex along it: the simplex is optimal iff the loss does not fall there, the
antipodal structure iff it does not rise there. Without a loss, that of SigLIP is taken.
"""

from sympy import Expr, S

from ..engine.calculus import derivative
from ..engine.decide import positive
from ..engine.derivation import Derivation, StepFailed
from ..engine.domain import Domain, DomainError
from ..engine.evidence import Holds
from ..engine.reduce import ReducedPairwise
from ..engine.relations import ge, gt
from ..engine.result import Quantity, Result, argmin
from ..exact import NotANumber, expression
from ..losses.clip import SIGMOID, pairwise
from ..losses.pairwise import PairwiseLoss
from ..symbols import N, b, c, t, x
from ._ccem import BIASED, SYMMETRY, on_ccem, optimum, shape_of, state_delta

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
        texts=("lp", "ln"),
        read=read,
    )


def read(lp: str | Expr = SIGMOID.terms[0].function, ln: str | Expr = "") -> Result:
    """The result for two functions of the inner product, as text (in x) or SymPy (in c).

    Raises
    ------
    DomainError
        If the text is not an expression, or one of the two is not given; one line.
    """
    if ln == "" or lp is SIGMOID.terms[0].function:
        raise DomainError("a loss is two functions: give both lp (positives) and ln (negatives)")
    functions = []
    for name, given in (("lp", lp), ("ln", ln)):
        try:
            functions.append(expression(given, NAMES) if isinstance(given, str) else given)
        except NotANumber as error:
            raise DomainError(f"{name}: {error}") from None
    title = f"lp = {functions[0]}, ln = {functions[1]}".replace(c.name, "x")
    return for_loss(pairwise("given", title, functions[0], functions[1], "given"))


def build(loss: PairwiseLoss, domain: Domain, proof: Derivation) -> dict[str, Quantity]:
    shape = shape_of(loss, domain)
    if not isinstance(shape, Holds):
        why = getattr(shape, "note", "") or getattr(shape, "reason", "")
        raise DomainError(f"lp must be convex decreasing, ln convex increasing on [-1, 1]: {why}")
    try:
        problem = on_ccem(ReducedPairwise(loss, SYMMETRY, shape), domain, proof, weak=True)
    except StepFailed:
        raise DomainError(
            "no optimum on the CCEM could be proved: the signs of lp' and ln' along it were not "
            "decided"
        ) from None
    segment, slope = problem.segment, problem.slope
    state_delta(proof, segment, domain)
    curvature = derivative(derivative(problem.value, x), x)
    unique = positive(curvature, problem.domain)
    if isinstance(unique, Holds):
        proof.add(
            "The loss is strictly convex along the segment: the optimum is unique",
            gt(curvature, S.Zero),
            "its second derivative is positive",
            unique,
        )
    else:
        proof.add(
            "The least loss is unique; the optimum may be a whole interval",
            ge(curvature, S.Zero),
            "the loss is convex along the segment, but strictness was not proved; the "
            "position shown is the one nearest to the simplex",
            shape,
        )
    found = {
        "simplex_condition": Quantity(
            problem.slope_at(S.Zero), r"h(0)", "the simplex is optimal iff this is >= 0"
        ),
        "antipodal_condition": Quantity(
            problem.slope_at(segment.length),
            r"h(x_{\max})",
            "the antipodal structure is optimal iff this is <= 0",
        ),
    }
    position = argmin(slope, x, S.Zero, segment.length)
    return found | optimum(segment, position, problem.value, domain)


RESULT = for_loss(SIGMOID)
