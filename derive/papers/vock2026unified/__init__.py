"""Vock, Duchesnay, Dufumier. A Unified Geometric Framework for Weighted Contrastive Learning. 2026.

The text at hand was extracted from HTML, with each formula twice: once as plain signs, once as its
LaTeX. The LaTeX is what is transcribed.
"""

from ..ledger import Ledger, Source

SOURCE = Source(
    "vock2026unified",
    "misc",
    "A Unified Geometric Framework for Weighted Contrastive Learning",
    (("Vock", "Raphaël"), ("Duchesnay", "Edouard"), ("Dufumier", "Benoit")),
    2026,
    (("eprint", "2605.13943"), ("archiveprefix", "arXiv"), ("primaryclass", "cs.LG")),
)

BOUND, EUCLIDEAN, SPHERICAL = "entropic-bound", "dgp-euclidean", "dgp-spherical"
SOFT, BALANCED, IMBALANCED = "soft-supcon", "supcon-balanced", "supcon-imbalanced"
X_CLR, Y_AWARE, LABELS = "x-clr", "y-aware", "euclidean-winfonce"

LEDGER = Ledger(
    SOURCE.key,
    SOURCE.title,
    __name__,
    {
        "section_1": (SOFT, BALANCED, IMBALANCED, X_CLR, Y_AWARE, LABELS),
        "figure_1": (),
        "section_3_1": (),
        "section_3_2": (BOUND,),
        "section_3_3": (EUCLIDEAN, SPHERICAL),
        "section_3_4": (EUCLIDEAN, SPHERICAL, Y_AWARE),
        "section_3_5": (SOFT,),
        "section_3_6": (X_CLR, Y_AWARE, LABELS),
        "section_3_7": (),
        "section_3_8": (IMBALANCED, BALANCED, SOFT, "simplex-needs-balance"),
        "section_3_9": (),
        "section_4": (SOFT,),
        "appendix_a": (BOUND,),
        "appendix_b1": (EUCLIDEAN,),
        "appendix_b2": (SPHERICAL,),
        "appendix_c": (X_CLR, Y_AWARE, LABELS, SPHERICAL),
        "appendix_d_bound": (),
        "appendix_d_symmetry": (),
        "appendix_d_supcon": (BALANCED,),
        "appendix_e": (),
        "appendix_f": (),
        "appendix_g": (),
    },
)
