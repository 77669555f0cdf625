"""Cross-checks of derived results on embeddings: predicted, measured, certified.

Every check optimises (or builds) actual embeddings of the declared loss and compares
what it measures with the derived value. The certificate says how far the loss found can
be from the global minimum, so agreement is not an accident of the optimiser. What is measured
is what the quantities of the result say of themselves (:mod:`cltheory.derive.theorem.measure`);
nothing here knows a result by name.
"""

from .checks import CLOSE, CLOSE_GAP, CLOSE_LOSS, Check
from .result import verify

__all__ = ["CLOSE", "CLOSE_GAP", "CLOSE_LOSS", "Check", "verify"]
