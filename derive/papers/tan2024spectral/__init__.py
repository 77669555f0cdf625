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

LEDGER = Ledger(SOURCE.key, SOURCE.title, __name__)
