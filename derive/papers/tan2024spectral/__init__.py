"""Tan, Zhang, Yang, Yuan. Contrastive Learning Is Spectral Clustering on Similarity Graph. 2024.

The text at hand was extracted from the PDF, with formulas as LaTeX.
"""

from ..ledger import Ledger, Source

SOURCE = Source(
    "tan2024spectral",
    "inproceedings",
    "Contrastive Learning Is Spectral Clustering on Similarity Graph",
    (("Tan", "Zhiquan"), ("Zhang", "Yifan"), ("Yang", "Jingqin"), ("Yuan", "Yang")),
    2024,
    (("booktitle", "International Conference on Learning Representations (ICLR)"),),
)

FIELDS, SPECTRAL = "mrf", "spectral-clustering"
PAIRS, ENTROPY, KERNEL = "clip-pair-graph", "exponential-kernel", "kernel-infonce"

LEDGER = Ledger(
    SOURCE.key,
    SOURCE.title,
    __name__,
    {
        "section_1": (SPECTRAL, FIELDS, PAIRS),
        "section_2_1": (SPECTRAL,),
        "section_2_2": (),
        "section_2_3": (),
        "section_2_4": (FIELDS, SPECTRAL),
        "section_3": (FIELDS, SPECTRAL),
        "section_4": (PAIRS,),
        "section_5_1": (ENTROPY,),
        "section_5_2": (ENTROPY, KERNEL),
        "section_6": (SPECTRAL, PAIRS),
        "appendix_a1": (FIELDS, SPECTRAL),
        "appendix_a2": (PAIRS,),
        "appendix_a3": (ENTROPY,),
        "appendix_b": (KERNEL,),
        "appendix_c": (),
    },
)
