"""Kernel-InfoNCE: softmax losses whose similarity is a function of the distance.

Conventions: embeddings have length 1, so that the squared distance is 2 - 2 c for an inner product
c; the exponential kernel is exp(-|x - y|^gamma/tau), as in ``tan2024spectral``, and gamma = 2 is
the Gaussian, that is the inner product at the temperature tau/2. A loss has the terms of its linear
sibling, with another similarity: what is a positive, and what is in a denominator, stays.

Said here are one kernel and a sum of two, on all three structures. Not said are a convex
combination of two losses, which is no softmax loss but two of them, and the concatenation, whose
kernels see parts of an embedding whose lengths are free: see ``kernel-concatenation``.
"""

from __future__ import annotations

from dataclasses import replace

from sympy import Expr, Integer, S, Symbol, exp, log

from .clip import CLIP
from .pairwise import c
from .simclr import SIMCLR
from .softmax import SoftmaxLoss, tau
from .supcl import SUPCL

gamma = Symbol("gamma", positive=True)
#: Of the second kernel of a sum, and the weight of the first; the second has the rest.
gamma2 = Symbol("gamma2", positive=True)
tau2 = Symbol("tau2", positive=True)
lam = Symbol("lam", positive=True)

EXPONENT = {gamma: "exponent of the distance in the kernel; 2 is the Gaussian"}
SECOND = {
    gamma2: "exponent of the second kernel",
    tau2: "temperature of the second kernel",
    lam: "weight of the first kernel in the sum, that of the second being 1 - lam",
}
SOURCE = "tan2024spectral, Section 5"


def power(inner: Expr, exponent: Expr = gamma) -> Expr:
    """|x - y|^exponent of unit vectors with this inner product."""
    return (2 - 2 * inner) ** (exponent / 2)


#: What stands over the temperature.
EXPONENTIAL = -power(c)
#: The logarithm of a sum of two kernels; it has temperatures of its own.
SUM = log(lam * exp(-power(c) / tau) + (1 - lam) * exp(-power(c, gamma2) / tau2))


def kernel(loss: SoftmaxLoss) -> SoftmaxLoss:
    """The loss with an exponential kernel in the place of that of inner products."""
    return replace(
        loss,
        name=f"kernel-{loss.name}",
        title=f"{loss.title} with an exponential kernel",
        source=f"{SOURCE}; {loss.source}",
        others={**loss.others, **EXPONENT},
        similarity=EXPONENTIAL,
    )


def kernel_sum(loss: SoftmaxLoss) -> SoftmaxLoss:
    """The loss with a sum of two exponential kernels."""
    return replace(
        loss,
        name=f"kernel-sum-{loss.name}",
        title=f"{loss.title} with a sum of two exponential kernels",
        temperature=S.One,
        source=f"{SOURCE}; {loss.source}",
        others={
            **loss.others,
            **EXPONENT,
            tau: "temperature of the first kernel",
            **SECOND,
        },
        similarity=SUM,
    )


def in_similarities(loss: SoftmaxLoss) -> SoftmaxLoss:
    """The loss of similarities over the temperature, in which it is log-sum-exp minus linear."""
    return replace(loss, temperature=S.One, similarity=None)


def gaussian(loss: SoftmaxLoss) -> SoftmaxLoss:
    """The loss at gamma = 2: one of inner products, which the whole engine takes."""
    return replace(
        loss,
        name=f"gaussian-{loss.name}",
        title=f"{loss.title}, gamma = 2",
        temperature=loss.temperature / Integer(2),
        similarity=None,
    )


KERNEL_INFONCE = kernel(SIMCLR)
KERNEL_SUPCL = kernel(SUPCL)
KERNEL_CLIP = kernel(CLIP)
SUM_INFONCE = kernel_sum(SIMCLR)
