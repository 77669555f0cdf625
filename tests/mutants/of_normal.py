"""Mutants of the normal form and its quotients."""

from __future__ import annotations

from mutant import mutants

SIGNS = ("derive/test_normal.py",)
DEFINED = ("derive/test_defined.py",)
N, R = "decide/normal.py", "decide/ratio.py"

MUTANTS = [
    *mutants(
        N,
        SIGNS,
        (
            '"log": {"real": True},',
            '"log": {"positive": True},',
            "SymPy is told that logarithms are positive",
        ),
        ('{"nonnegative": True},', '{"positive": True},', "SymPy is told that roots are positive"),
        ("_rename[atom] = -known[inverse]", "_rename[atom] = known[inverse]", "log(1/a) is log(a)"),
        ("self._rename[atom] = y**power.p", "self._rename[atom] = y", "a**(2/3) is a**(1/3)"),
        ("divmod(power, q)", "divmod(power, q)[0], 0", "odd powers of a root are rounded down"),
        ("**k * value.below ** (top - k)", "**k", "the denominator under a root is dropped"),
        ("= row[pivot] / other[pivot]", "= row[pivot]", "elimination divides by nothing"),
        ("k] = combo.get(k, 0) + factor *", "k] = factor *", "elimination forgets an earlier step"),
        ("**{k: -v for k, v in combo.items()}}", "**combo}", "elimination with the wrong sign"),
        ("= int(row[j] * scale)", "= int(row[j])", "fractions of an exponent are cut off"),
        ("bool(numbers) and all(", "bool(numbers) and any(", "one coefficient of roots vanishes"),
    ),
    *mutants(
        "decide/radicals.py",
        SIGNS,
        ("for _, q in roots) - 1)", "for _, q in roots[:1]) - 1)", "one root makes the field"),
        ("max(above + v, u + below) + 1", "1", "a sum is small"),
        ("(-p * below, -p * above)", "(p * above, p * below)", "what divides multiplies"),
    ),
    *mutants(
        R,
        SIGNS,
        ("f] = max(common.get(f, 0), k)", "f] = k", "a sum over a denominator that is not common"),
        ("left[f] = k - 1", "left[f] = 0", "all powers of a factor cancel at once"),
        ("min(numer.lowest(i), k)", "k", "a generator cancels that not all terms have"),
        ("{poly.times(ONE / content):", "{poly:", "the content of a divisor is counted twice"),
        ("ONE / content), factors)", "content), factors)", "the inverse of a number is the number"),
    ),
]
