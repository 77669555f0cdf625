"""What is derived of a declared loss as a mean over batches.

Where the composition of a batch is known, or its probabilities are, the mean is a loss on all data
and has the phases of one. Where they are not, pure structures are tried: conditions are means over
the number K of others of an anchor's class.
"""

from __future__ import annotations

from collections.abc import Mapping

from sympy import Add, Expr, Gt, Symbol, Tuple, log

from ..decide.digits import sign
from ..decide.domain import Domain, DomainError
from ..decide.evidence import Evidence, Grade, Holds, Outcome, Refuted, Undecided
from ..losses.alone import ALONE
from ..losses.softmax import SoftmaxLoss
from ..losses.supcl import CROSS_CLASS, alpha
from ..optimum.batches import BatchLoss, MeanCondition, batch_vertex, mean_threshold
from ..optimum.phases import Optimum
from ..optimum.reduce import inner_products
from ..optimum.reduction import at_values, present, reduced
from ..optimum.segment_facts import with_inner
from ..optimum.vertex import pure_inner
from ..problems.batches import MOST, BatchProblem
from ..problems.problem import Problem
from ..proof.derivation import Derivation, StepFailed
from ..proof.lemmas import AVERAGING
from ..proof.relations import eq, gt
from ..proof.statement import Relations, Statement
from ..structures.called import called
from ..theorem.quantity import Quantity
from ..theorem.subject import Subject, Symmetric


def subject_of(problem: Problem) -> Subject:
    """What a result is about: the problem, or the loss and how its batches are drawn."""
    if not isinstance(problem, BatchProblem):
        return problem
    return Symmetric(loss=problem.loss, structure=problem.scheme, draw=problem.draw)


def state_mean(problem: BatchProblem, fixed: Mapping[Symbol, Expr], proof: Derivation) -> None:
    """Record which loss on all data is the mean over batches, where relations are constant."""
    whole = at_values(problem.on_all_data(fixed), fixed)
    loss, g = reduced(whole), inner_products(problem.scheme)
    values = dict(fixed)
    mean = Add(
        *(
            kind.probability
            * reduced(Problem(kind.loss, kind.drawn, problem.domain)).declared(g).xreplace(values)
            for kind in problem.kinds(fixed)
            if kind.loss.terms
        )
    )
    value = Symbol("L")
    proof.add(
        "The mean of the losses of all batches is convex in the Gram matrix and invariant, so some "
        "optimum has one inner product per relation; there it is a loss on all data, in which "
        "pairs weigh what they are in batches",
        Relations(
            Tuple(eq(value, loss.value(g).replace(log, log))),
            with_inner(whole.domain, g.values()),
            names={value: mean},
            premises=(loss.preconditions(whole.domain),),
        ),
        AVERAGING,
    )


def of_means(
    problem: BatchProblem, fixed: Mapping[Symbol, Expr], proof: Derivation
) -> Optimum | dict[str, Quantity]:
    """A pure structure that is optimal; or for which values of alpha each of them is.

    Raises
    ------
    DomainError
        If nothing is decided without more numbers.
    """
    assert isinstance(problem.loss, SoftmaxLoss)
    _check_one_class(problem.loss)
    draw = problem.draw
    loss = BatchLoss.from_draw(problem.loss, draw, problem.domain, ALONE.get(draw.convention))
    quantities: dict[str, Quantity] = {}
    names = present(loss.scheme, [e.name for e in loss.scheme.eigenspaces], problem.domain)
    for name in reversed(names):
        attempt = Derivation()
        attempt.steps = list(proof.steps)
        try:
            found = batch_vertex(loss, name, alpha, problem.domain, attempt)
            left = {e: c for e, c in found.items() if not _holds(c, name, e, fixed, attempt)}
            if not left:
                inner = pure_inner(loss, name)
                least = loss.mean(part.loss.value(inner) for part in loss.parts)
                proof.steps[:] = attempt.steps
                return Optimum((name,), inner, least, None)
            if alpha not in loss.parts[0].loss.loss.meanings or alpha in fixed:
                continue
            what, _ = called(name, loss.scheme)
            ends: dict[str, Quantity] = {}
            for e, c in left.items():
                solved = mean_threshold(c, f"{what} is not left for {e}", c.domain, attempt)
                of = f"alpha_{name}_{e}"
                symbol = rf"\alpha_{{\mathrm{{{name}}},\mathrm{{{e}}}}}"
                inside = solved.domain.restricted(set(solved.domain.ranges) - {alpha})
                ends[of] = Quantity.from_threshold(solved, of, symbol, domain=inside)
        except StepFailed:
            continue
        proof.steps[:] = attempt.steps
        quantities |= ends
    if not quantities:
        free = ", ".join(s.name for s in problem.domain.ranges if s not in fixed)
        what = f"is not decided: add {free}" if free else "occupies several eigenspaces"
        raise DomainError(
            f"the optimum of {problem.loss.name} over these batches {what}; it is computed where "
            f"an anchor can have at most {MOST} numbers of others of its class"
        )
    return quantities


def _check_one_class(loss: SoftmaxLoss) -> None:
    """Refuse a loss of which an anchor lacks something where all its batch is of its class.

    Means over K tell apart K = 0 and more, not K = B - 1.
    """
    for t in loss.terms:
        other = "positives" if t.positives == (CROSS_CLASS,) else ""
        if t.denominator == (CROSS_CLASS,) and not t.own_positive:
            other = "denominator"
        if other:
            raise DomainError(
                f"in a batch of one class an anchor of {loss.name} has no {other}; such a loss is "
                f"answered where an anchor can have at most {MOST} numbers of others of its class"
            )


def _holds(
    c: MeanCondition, name: str, space: str, fixed: Mapping[Symbol, Expr], proof: Derivation
) -> bool:
    """Whether trace never moves there: by the proof, at numbers, or as there is no such space."""
    values = dict(fixed)
    mean = c.relation.args[0].xreplace(values)
    if c.holds or c.loss.scheme.eigenspace(space).dimension.xreplace(values) == 0:
        return True
    if mean.free_symbols or (sign(mean) or 0) <= 0:
        return False
    says = f"At these values moving trace from {name} to {space} raises the loss"
    proof.add(says, SignOfMean(gt(mean, 0), Domain({}, {})), "the mean is a number, in a ball")
    return True


class SignOfMean(Statement):
    """``mean > 0``, a number."""

    def decide(self) -> Outcome:
        """Whether a ball around it says so."""
        if not isinstance(self.shown, Gt) or self.shown.args[1] != 0:
            return Undecided(f"{self.shown} is not about a sign")
        found = sign(self.shown.args[0])
        if found is None:
            return Undecided("no ball tells its sign")
        if found > 0:
            return Holds(Evidence(Grade.INTERVAL, "its sign in ball arithmetic"))
        return Refuted(note="it is not positive")
