"""An eigenvalue of the gradient at the root of an edge, without knowing the root.

At the root the two eigenvalues of the edge agree, so any multiple of their difference may be added
to the gap of a third before its sign is asked for; with a good multiple it has one sign at every x.
"""

from __future__ import annotations

from sympy import Expr, Gt, Symbol

from ..decide.decide import positive
from ..decide.evidence import Outcome, Refuted, Undecided
from ..proof.derivation import Derivation
from ..proof.lemmas import Lemma
from ..proof.relations import gt
from ..proof.statement import Statement
from ..structures.scheme import Scheme
from .edge import Edge
from .reduce import Reduced
from .segment import Segment

AT_A_ROOT = Lemma(
    "at a root",
    statement=r"Where the loss is least inside an edge, the eigenvalues of the gradient on its "
    r"two eigenspaces agree. So a multiple of their difference may be added to the gap of a third "
    r"one before its sign is asked for.",
    proof=r"The derivative of the loss along the edge is a positive multiple of their difference.",
)


class AboveAtRoot(Statement):
    """``theta_e > y`` wherever the two eigenvalues of an edge agree.

    ``multiplier`` is what their difference is taken times.
    """

    reduced: Reduced
    segment: Segment
    other: str
    multiplier: Expr

    def decide(self) -> Outcome:
        """Whether the gap plus that multiple is positive all along the edge."""
        s = self.segment
        if type(self.shown) is not Gt or self.shown != gt(f"theta_{self.other}", Symbol("y")):
            return Undecided(f"{self.shown} is not about theta_{self.other} and y")
        if self.other in (s.low, s.high):
            return Refuted(note=f"{self.other} belongs to the edge")
        theta = self.reduced.scheme.eigenvalues(self.reduced.pair_gradient(s.inner))
        gap = theta[self.other] - theta[s.high]
        sum_ = gap + self.multiplier * (theta[s.low] - theta[s.high])
        return positive(self.reduced.clearing(s.inner) * sum_, self.domain)


def by_trace(scheme: Scheme, segment: Segment, other: str) -> Expr:
    """The multiple that turns a gap into the trace, where the gradient has no diagonal."""
    return scheme.eigenspace(segment.low).dimension / scheme.eigenspace(other).dimension


def state_above_at_root(found: Edge, other: str, proof: Derivation) -> None:
    """Record that a third eigenvalue is larger than the two of an edge where these agree.

    Raises
    ------
    StepFailed
        If that is not proved.
    """
    s, scheme = found.segment, found.reduced.scheme
    proof.add(
        f"{other[:1].upper()}{other[1:]} has eigenvalue zero at the optimum, wherever the root is",
        AboveAtRoot(
            gt(f"theta_{other}", Symbol("y")),
            found.along[other].domain,
            found.reduced,
            s,
            other,
            by_trace(scheme, s, other),
            lemma=AT_A_ROOT,
        ),
        "the gradient has no diagonal, so all its eigenvalues add up to zero",
    )
