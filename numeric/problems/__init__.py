"""Declared losses on embeddings: values, gradients and Hessians written by hand.

:func:`bind` puts sizes and parameters into a problem of the symbolic side. Behind it,

* :mod:`.views` says which inner products a part of a loss looks at,
* :mod:`.parts` how the part depends on them (softmax, pairwise, linear),
* :mod:`.bound` puts parts together.
"""

from .binding import bind, evaluate, parameter_names
from .bound import BoundProblem, Point

__all__ = ["BoundProblem", "Point", "bind", "evaluate", "parameter_names"]
