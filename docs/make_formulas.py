"""Write docs/formulas.md: headline formulas as the papers print them, beside ours.

python docs/make_formulas.py           compare, exit 1 on a difference
python docs/make_formulas.py --write   write the page
"""

from __future__ import annotations

import sys
from pathlib import Path

PAGE = Path(__file__).resolve().with_name("formulas.md")

HEAD = """# Formulas beside the papers'

What is derived is laid out for reading, and proved equal to what was derived before it is shown
(`derive/write/layout`). Here the headline formulas stand beside the same ones as their papers print
them; this page is made by `python docs/make_formulas.py --write`.

| where | printed | derived |
| --- | --- | --- |
"""

#: (where, as it is printed, result, quantity)
PRINTED = (
    (
        "Lee et al. 2025, (15)",
        r"\frac{mn-1+\exp\left(\frac{m}{m-1}/\tau\right)}{mn-n+n\cdot\exp\left(\frac{m}{m-1}/\tau\right)}",
        "supcl-threshold",
        "alpha_min",
    ),
    (
        "Lee et al. 2025, (16)",
        r"\frac{1}{\left(1-\frac{1}{m}\right)\cdot"
        r"\log\left(\frac{mn-1-\alpha(m-1)n}{\alpha n-1}\right)}",
        "supcl-threshold",
        "tau_max",
    ),
    (
        "Lee et al. 2025, section 5.2",
        r"\left((1-\frac{1}{m})\cdot\log(1+\frac{1-\alpha}{\alpha}m)\right)^{-1}",
        "supcl-threshold",
        "tau_max_n_oo",
    ),
    ("Lee et al. 2025, (9)", r"1-\delta^2\frac{mn}{mn-1}", "ssem", "same_class"),
    (
        "Lee et al. 2024, Theorem 2",
        r"\frac{N-1}{N}\log(N-3)",
        "sigmoid-threshold",
        "t_simplex",
    ),
    (
        "Lee et al. 2024, Theorem 2",
        r"\frac{1}{2}\log\frac{N-2}{2}",
        "sigmoid-threshold",
        "t_antipodal",
    ),
    (
        "Lee et al. 2024, proof of Theorem 2",
        r"\frac{1-\delta^2}{1+\delta^2}",
        "ccem",
        "positive",
    ),
)


def page() -> str:
    """The page as it should be."""
    from cltheory.derive.results import results

    rows = [
        f"| {where}, `{id}` `{name}` | ${printed}$ | $\\displaystyle {results[id].latex(name)}$ |\n"
        for where, printed, id, name in PRINTED
    ]
    return HEAD + "".join(rows)


if __name__ == "__main__":
    from made.kept import main

    sys.exit(main({PAGE: page()}))
