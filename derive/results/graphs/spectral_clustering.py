"""InfoNCE as attraction, a trace with a Laplacian, and repulsion, with every factor written out.

The cross-entropy of the distribution of pi over subgraphs with that of a Gaussian kernel is
InfoNCE. The trace has the symmetrised shares and the factor 1/tau; the repulsion is the logarithm
of the partition function, and no constraint: only to first order in 1/tau, or where clusters are
not joined, is it spectral clustering in the sense of eigenvectors.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flint import fmpq_mat
from sympy import Expr, Matrix, Rational, S, Symbol, exp, log, oo

from ...decide.domain import POSITIVE, Domain, DomainError, Range, at_least
from ...decide.present import tidy
from ...losses.softmax import tau
from ...proof.derivation import Derivation
from ...structures.graph import Graph
from ...structures.hierarchy import n
from ...theorem.listed import ListOf
from ...theorem.quantity import Quantity
from ...vectors.algebraic import as_flint, eigenvalues
from .._for_data import ForData
from ..weighted import supcon_balanced
from ..weighted._labels import C
from ..weighted._weights import MOST_POINTS, Rows
from ._attraction import (
    attraction,
    half_distances,
    kernel,
    log_partitions,
    state_decomposition,
    state_dot_product,
    state_gradient,
    state_hot,
    state_trace,
    state_trace_at,
    trace,
)
from ._fields import cross_entropy, state_cross_entropy
from ._partition import first_order, state_partition_differs
from ._printed import printed, state_printed
from ._settings import PI, SPECTRAL

k = Symbol("k", integer=True, positive=True)
DOMAIN = Domain(
    {n: at_least(2), C: at_least(2), k: at_least(2), tau: POSITIVE},
    {n: 4, C: 3, k: 4, tau: Rational(1, 2)},
)
MEANINGS = {
    n: "number of objects",
    C: "number of clusters",
    k: "objects in each cluster",
    tau: "temperature, the variance of the kernel",
}
EMBEDDINGS = ListOf("Z", Range(-oo, oo), "embeddings, a row for each object", rows=True)


def general(proof: Derivation) -> dict[str, Quantity]:
    """What holds for all weights and embeddings."""
    state_cross_entropy(proof)
    state_decomposition(proof)
    state_trace(proof)
    state_dot_product(proof)
    state_gradient(proof)
    state_hot(proof)
    return {
        "factor": Quantity(
            1 / tau,
            r"\frac{H - \log R}{\mathrm{tr}(Z^\top L Z)}",
            "factor of the trace with the Laplacian of the symmetrised probabilities",
            DOMAIN.restricted([tau]),
        ),
        "start": Quantity(
            n * log(n - 1),
            r"\lim_{\tau\to\infty} H",
            "limit of the cross-entropy as tau -> oo, and its value if all embeddings coincide",
            DOMAIN.restricted([n]),
        ),
        "left_out": Quantity(
            n / (2 * tau**2),
            r"r_{\max}",
            "on the unit sphere the cross-entropy minus n log(n - 1) + tr(Z'MZ)/tau lies between "
            "0 and this",
            DOMAIN.restricted([n, tau]),
        ),
        "blocks": _blocks(proof),
        **state_printed(proof),
        **state_partition_differs(proof),
    }


def _blocks(proof: Derivation) -> Quantity:
    """Clusters of one size that are not joined."""
    balanced = {k: q.expression for k, q in supcon_balanced.RESULT.quantities.items()}
    cosine, loss = (balanced[q].xreplace({n: k}) for q in ("cosine", "loss"))
    over_others = k - 1 + (C - 1) * k * exp(-tidy(1 - cosine) / tau)
    where = DOMAIN.restricted([C, k, tau])
    proof.equal(
        "For clusters without edges between them the loss is SupCon, and each cluster collapses "
        "to one point",
        {
            "trace": (C * k * balanced["same_class"] - C * k, 0),
            "over_others": (over_others, exp(loss)),
        },
        "with equal weights inside clusters and none across, the loss of an anchor of unit "
        "embeddings is that of the result supcon-balanced, and H is C k times it; its only "
        "minimiser is the regular simplex. There the columns of Z are constant on clusters, so "
        "they lie in the kernel of Lap(S)",
        where,
    )
    return Quantity(
        C * k * log(over_others),
        r"H_{p=1,\,q=0}",
        "minimum of the cross-entropy of unit embeddings, for C clusters of k objects with equal "
        "weights inside and none across: attained at a regular simplex, which needs at least C - "
        "1 dimensions",
        where,
    )


# --- for given weights and embeddings ----------------------------------------------------------
def derive(
    data: Mapping[str, Any], at: Mapping[Symbol, Expr], proof: Derivation
) -> dict[str, Quantity]:
    """What holds for all, and for these."""
    in_general = general(proof)
    if not data:
        return in_general
    graph: Graph = data["pi"]
    shares = graph.transitions
    both = shares.symmetrised
    found = {
        "marginal": Quantity(
            shares.weights.tolist(), "P_{ij}", "probability that anchor i draws the positive j"
        ),
        "laplacian": Quantity(
            both.laplacian.tolist(),
            "L(S)",
            "Laplacian of the symmetrised probabilities S = (P + P')/2",
        ),
        "entropy": Quantity(
            cross_entropy(graph, graph),
            r"H(\pi)",
            "entropy of the distribution over subgraphs, a lower bound of every cross-entropy",
        ),
    }
    if graph.size <= MOST_POINTS and all(e.is_Rational for e in both.laplacian):
        flat = [as_flint(e) for e in both.laplacian]
        listed = [
            e.number.expression
            for e in eigenvalues(fmpq_mat(graph.size, graph.size, flat))
            for _ in range(e.multiplicity)
        ]
        found["eigenvalues"] = Quantity(
            listed,
            r"\lambda_i",
            "eigenvalues of the Laplacian of S in increasing order: to first order in 1/tau, with "
            "a given Frobenius norm, the columns of the best Z are eigenvectors of the second; if "
            "all but the first are equal, no Z is better than another",
        )
    if "Z" in data:
        found |= _at(graph, data["Z"], at.get(tau, tau), proof)
    return found


def _at(graph: Graph, Z: Rows, heat: Expr, proof: Derivation) -> dict[str, Quantity]:
    """The numbers of these embeddings."""
    half = half_distances(Z)
    shares = graph.transitions
    traced = trace(shares.symmetrised.laplacian, Z)
    repelled = sum(log_partitions(half, heat), S.Zero)
    model = kernel(half, heat)
    model_laplacian = model.transitions.symmetrised.laplacian
    if all(e.is_Rational for e in (*graph.weights, *Matrix(Z))):
        state_trace_at(attraction(graph, half), traced, proof)
    return {
        "cross_entropy": Quantity(
            traced / heat + repelled,
            r"H_\pi^k(Z)",
            "cross-entropy: InfoNCE, summed over anchors; trace over tau, plus log_partition",
        ),
        "trace": Quantity(
            traced, r"\mathrm{tr}(Z^\top L(S) Z)", "trace with the symmetrised probabilities"
        ),
        "trace_of_rows": Quantity(
            trace(shares.laplacian, Z),
            r"\mathrm{tr}(Z^\top L(P) Z)",
            "trace with diag(row sums) - P; the same on the unit sphere, or for symmetric P",
        ),
        "attraction": Quantity(
            traced / heat,
            r"\tfrac{1}{\tau} \mathrm{tr}(Z^\top L(S) Z)",
            "minus the mean of the logarithm of the kernel over positives, summed over anchors",
        ),
        "log_partition": Quantity(
            repelled,
            r"\log R(Z)",
            "logarithm of the partition function of the kernel: the sum over anchors of "
            "log-sum-exp over the others",
        ),
        "printed": Quantity(
            printed(traced, repelled),
            r"\mathrm{tr}(Z^\top L Z) + \log R(Z)",
            "the printed objective, without 1/tau before the trace",
        ),
        "model": Quantity(
            model.transitions.weights.tolist(),
            "Q_{ij}",
            "probabilities of the kernel, the counterpart of P for these embeddings",
        ),
        "gradient": Quantity(
            (2 / heat * (shares.symmetrised.laplacian - model_laplacian) * Matrix(Z)).tolist(),
            r"\nabla_Z H",
            "gradient of the cross-entropy in free Z: 2/tau times the difference of the "
            "Laplacians of P and Q, both symmetrised, applied to Z",
        ),
        "first_order": Quantity(
            trace(first_order(graph), Z),
            r"\mathrm{tr}(Z^\top M Z)",
            "coefficient of 1/tau in the expansion of the cross-entropy at high temperatures",
        ),
    }


def check(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    """The graph and the embeddings that were given.

    Raises
    ------
    DomainError
        If one is refused, or they do not fit together; one line.
    """
    if "pi" not in inputs:
        raise DomainError("spectral-clustering: Z without pi says nothing; give pi as well")
    graph = Graph(inputs["pi"])
    if "Z" in inputs and len(inputs["Z"]) != graph.size:
        raise DomainError(
            f"Z has {len(inputs['Z'])} rows, and pi is for {graph.size} objects: they must agree"
        )
    return {**inputs, "pi": graph}


RESULT = ForData(
    "spectral-clustering",
    title="InfoNCE as a trace with a Laplacian and the logarithm of a partition function",
    source="tan2024spectral, Lemma 2.5 and Theorem 3.1",
    with_data=(tau,),
    lists=(PI, EMBEDDINGS),
    domain=DOMAIN,
    meanings=MEANINGS,
    derive=derive,
    check=check,
    subject=SPECTRAL,
)
