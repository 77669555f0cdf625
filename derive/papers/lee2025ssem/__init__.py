"""Lee, Oh, Lee, Sohn. A Theoretical Framework for Preventing Class Collapse in
Supervised Contrastive Learning. AISTATS 2025."""

from ..ledger import Ledger

LEDGER = Ledger(
    "lee2025ssem",
    "A Theoretical Framework for Preventing Class Collapse in Supervised Contrastive Learning",
)

# In the order of the paper's pages.
from . import main, variance, structure  # noqa: E402, F401, I001
from . import jensen, lemmas, optimality, bound_sup, bound_self, reduced  # noqa: E402, F401
from . import collapse, cnce, appendix_b  # noqa: E402, F401
