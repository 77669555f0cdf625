"""Ochieng. Diversity Is All You Need for Contrastive Learning. NeurIPS 2025.

The text at hand was extracted from the PDF, with formulas as LaTeX.
"""

from ..ledger import Ledger, Source

SOURCE = Source(
    "ochieng2025diversity",
    "inproceedings",
    "Diversity Is All You Need for Contrastive Learning: Spectral Bounds on Gradient Magnitudes",
    (("Ochieng", "Peter"),),
    2025,
    (("booktitle", "39th Conference on Neural Information Processing Systems (NeurIPS)"),),
)

LEDGER = Ledger(
    SOURCE.key,
    SOURCE.title,
    __name__,
    {
        "section_1": ("spectral-band-printed", "gradient-identity"),
        "section_1_1": ("effective-rank",),
        "section_1_2": (
            "effective-rank",
            "spectral-band-printed",
            "spectral-band",
            "gradient-identity",
            "gradient-variance",
        ),
        "section_1_3": ("effective-rank",),
        "section_1_4": ("trace-update",),
        "section_2_1": ("spectral-band", "spectral-band-printed"),
        "section_2_2": ("gradient-identity",),
        "section_2_3": (
            "spectral-band",
            "effective-rank",
            "spectral-band-printed",
            "gradient-variance",
        ),
        "section_2_4": ("gradient-variance", "effective-rank", "whitening-gain"),
        "section_2_5": ("effective-rank",),
        "section_2_6": ("trace-update", "effective-rank"),
        "section_3": ("effective-rank", "spectral-band-printed"),
        "appendix_a1": (
            "effective-rank",
            "gradient-identity",
            "spectral-band-printed",
            "gradient-variance",
            "spectral-band",
        ),
        "appendix_a2": (),
        "appendix_a3": (
            "softmax-smoothness",
            "spectral-band-printed",
        ),
        "appendix_a4": ("gradient-variance",),
        "appendix_a5": ("effective-rank",),
        "appendix_a6": ("trace-update",),
        "appendix_a7": (
            "gradient-identity",
            "spectral-band-printed",
            "gradient-variance",
            "effective-rank",
        ),
        "appendix_a8": (
            "spectral-band-printed",
            "effective-rank",
        ),
        "appendix_a9": (
            "effective-rank",
            "spectral-band",
        ),
        "appendix_a11": (),
        "appendix_a14": ("spectral-band",),
        "appendix_b": (),
        "appendix_b1": ("effective-rank",),
        "appendix_b2": ("softmax-smoothness",),
        "appendix_b3": (),
        "appendix_c": ("spectral-band-printed",),
    },
)
