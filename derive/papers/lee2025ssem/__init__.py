"""Lee, Oh, Lee, Sohn. A Theoretical Framework for Preventing Class Collapse in
Supervised Contrastive Learning. AISTATS 2025."""

from ..ledger import Ledger

LEDGER = Ledger(
    "lee2025ssem",
    "A Theoretical Framework for Preventing Class Collapse in Supervised Contrastive Learning",
)

# In the order of the paper's pages.
from . import main, variance, structure, optimality, collapse  # noqa: E402, F401, I001
