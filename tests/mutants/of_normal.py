"""Mutants of the normal form and its quotients."""

from __future__ import annotations

from mutant import Mutant

SIGNS = ("derive/test_normal.py",)
DEFINED = ("derive/test_defined.py",)
N, R = "decide/normal.py", "decide/ratio.py"

MUTANTS = [
    Mutant(
        N,
        '    "log": {"real": True},',
        '    "log": {"positive": True},',
        "SymPy is told that logarithms are positive",
        SIGNS,
    ),
    Mutant(
        N,
        '    "root": {"nonnegative": True},',
        '    "root": {"positive": True},',
        "SymPy is told that roots are positive",
        SIGNS,
    ),
    Mutant(
        N,
        "self._rename[atom] = -known[inverse]",
        "self._rename[atom] = known[inverse]",
        "log(1/a) is log(a)",
        SIGNS,
    ),
    Mutant(
        N,
        "self._rename[atom] = y**power.p",
        "self._rename[atom] = y",
        "a**(2/3) is a**(1/3)",
        SIGNS,
    ),
    Mutant(
        N,
        "            k, rest = divmod(monom[index], q)",
        "            k, rest = divmod(monom[index], q)[0], 0",
        "odd powers of a root are rounded down",
        SIGNS,
    ),
    Mutant(
        N,
        "total += term * value.numer**k * below ** (top - k)",
        "total += term * value.numer**k",
        "the denominator under a root is dropped",
        SIGNS,
    ),
    Mutant(
        N,
        "                factor = row[pivot] / other[pivot]",
        "                factor = row[pivot]",
        "elimination divides by nothing",
        SIGNS,
    ),
    Mutant(
        N,
        "combo[k] = combo.get(k, 0) + factor * v",
        "combo[k] = factor * v",
        "elimination forgets an earlier step",
        SIGNS,
    ),
    Mutant(
        N,
        "{j: ONE, **{k: -v for k, v in combo.items()}}",
        "{j: ONE, **combo}",
        "elimination with the wrong sign",
        SIGNS,
    ),
    Mutant(
        N,
        "power = int(row[j] * scale)",
        "power = int(row[j])",
        "fractions of an exponent are cut off",
        SIGNS,
    ),
    Mutant(
        N,
        "common[f] = max(common.get(f, 0), k)\n    vectors",
        "common[f] = k\n    vectors",
        "exponents over a denominator that is not common",
        SIGNS,
    ),
    Mutant(
        R,
        "            common[f] = max(common.get(f, 0), k)\n        return Ratio(",
        "            common[f] = k\n        return Ratio(",
        "a sum over a denominator that is not common",
        SIGNS,
    ),
    Mutant(
        R,
        "            left[f] = k - 1",
        "            left[f] = 0",
        "all powers of a factor cancel at once",
        SIGNS,
    ),
    Mutant(
        R,
        "shared = min(min(m[i] for m in numer.monoms()), k)",
        "shared = min(max(m[i] for m in numer.monoms()), k)",
        "a generator cancels that not all terms have",
        SIGNS,
    ),
    Mutant(
        R,
        "return content, {poly.times(ONE / content): 1}",
        "return content, {poly: 1}",
        "the content of a divisor is counted twice",
        SIGNS,
    ),
    Mutant(
        R,
        "return Ratio(numer.times(ONE / content), factors)",
        "return Ratio(numer.times(content), factors)",
        "the inverse of a number is the number",
        SIGNS,
    ),
]
