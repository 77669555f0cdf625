"""Kernel-InfoNCE: softmax losses whose similarity is a function of the distance.

Conventions: embeddings have length 1, so that the squared distance is 2 - 2 c for an inner product
c; the exponential kernel is exp(-|x - y|^gamma/tau), as in ``tan2024spectral``, and gamma = 2 is
the Gaussian, that is the inner product at the temperature tau/2. A loss has the terms of its linear
sibling, with another similarity: what is a positive, and what is in a denominator, stays.

A sum of two kernels, and the concatenation, whose kernels see parts of an embedding of free
lengths, are not declared here: see ``kernel-infonce`` and ``kernel-concatenation``.
"""

from __future__ import annotations

from dataclasses import replace

from sympy import S, Symbol

from .clip import CLIP
from .pairwise import c
from .simclr import SIMCLR
from .softmax import SoftmaxLoss
from .supcl import SUPCL

gamma = Symbol("gamma", positive=True)
#: Exponent and temperature of a second kernel.
gamma2 = Symbol("gamma2", positive=True)
tau2 = Symbol("tau2", positive=True)

EXPONENT = {gamma: "exponent of the distance in the kernel; 2 is the Gaussian"}
SOURCE = "tan2024spectral, Section 5"


#: What stands over the temperature.
EXPONENTIAL = -((2 - 2 * c) ** (gamma / 2))


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


def in_similarities(loss: SoftmaxLoss) -> SoftmaxLoss:
    """The loss of similarities over the temperature, in which it is log-sum-exp minus linear."""
    return replace(loss, temperature=S.One, similarity=None)


KERNEL_INFONCE = kernel(SIMCLR)
KERNEL_SUPCL = kernel(SUPCL)
KERNEL_CLIP = kernel(CLIP)
