"""Mutants of sums over indices, and of powers with symbolic exponents."""

from __future__ import annotations

from mutant import Mutant

SUMS = ("derive/test_sums.py",)
POWERS = ("derive/test_powers.py", "derive/test_normal.py")
S, NAMED = "decide/sums.py", "proof/indexed.py"
N, C = "decide/normal.py", "decide/coefficients.py"

MUTANTS = [
    Mutant(
        S,
        "        if not entry.is_real:",
        "        if False:",
        "entries that are not real are compared",
        SUMS,
    ),
    Mutant(
        S,
        "if not high.is_integer or not is_proved_positive(high, domain):",
        "if not high.is_integer:",
        "an empty sum has a term",
        SUMS,
    ),
    Mutant(
        S,
        "if not high.is_integer or not is_proved_positive(high, domain):",
        "if not is_proved_positive(high, domain):",
        "a sum has half a term",
        SUMS,
    ),
    Mutant(
        S,
        "return all(map(is_positive, e.args)) or bool(e.is_positive)",
        "return any(map(is_positive, e.args)) or bool(e.is_positive)",
        "a sum with one positive term is positive",
        SUMS,
    ),
    Mutant(
        S,
        "    if isinstance(e, Pow) and is_positive(e.base):",
        "    if isinstance(e, Pow):",
        "every power is positive",
        SUMS,
    ),
    Mutant(
        S,
        "            return [((), (log(argument),))]\n",
        "            pass\n",
        "the logarithm of a product is split whatever the signs",
        SUMS,
    ),
    Mutant(
        S,
        "        if low != 1 or any(",
        "        if any(",
        "a sum from 2 on is one from 1 on",
        SUMS,
    ),
    Mutant(
        S,
        "any(high.has(i) for i, *_ in e.limits)",
        "False",
        "a number of terms may depend on an index",
        SUMS,
    ),
    Mutant(
        S,
        "        own = Dummy(index.name, integer=True)\n",
        "        own = index\n",
        "an index keeps its name, also where it stands twice",
        SUMS,
    ),
    Mutant(
        S,
        "return _multiplied([_terms(e.base, known) for _ in range(int(e.exp))])",
        "return _multiplied([_terms(e.base, known)] * int(e.exp))",
        "the square of a sum is the sum of squares",
        SUMS,
    ),
    Mutant(
        S,
        "if high != highs[index] or inside == 1:",
        "if inside == 1:",
        "what is known of a sum is known of one with more terms",
        SUMS,
    ),
    Mutant(
        S,
        "there = [k for k in _indices(inside) - {index} if isinstance(k, Dummy) or k in others]",
        "there = list(_indices(inside) - {index})",
        "what is known of a row is known of the row after the last",
        SUMS,
    ),
    Mutant(
        S,
        "return index, value.xreplace(new), rest",
        "return index, value, rest",
        "what a known sum is has no index",
        SUMS,
    ),
    Mutant(
        S,
        "        return Mul(*highs.values())",
        "        return S.One",
        "a sum of ones is 1",
        SUMS,
    ),
    Mutant(
        S,
        "for order in permutations(highs):",
        "for order in [tuple(highs)]:",
        "the order of indices matters",
        SUMS,
    ),
    Mutant(
        S,
        '    return Dummy(f"i_{level}_{place}", integer=True)',
        '    return Symbol(f"i_{level}_{place}", integer=True)',
        "an index of the normal form is a symbol that others may have",
        SUMS,
    ),
    Mutant(
        NAMED,
        "all(type(e) is Eq for e in equations)",
        "all(e is not None for e in equations)",
        "an inequality is shown where an equation is proved",
        SUMS,
    ),
    Mutant(
        NAMED,
        "if captured := self._captured(equations):",
        "if captured := set():",
        "a sum binds the index in what a name stands for",
        SUMS,
    ),
    Mutant(
        NAMED,
        "e.args[1].xreplace(names), self.domain",
        "e.args[0].xreplace(names), self.domain",
        "the other side is not looked at",
        SUMS,
    ),
    Mutant(
        N,
        "made[i] *= y ** int(row[j] * scale)",
        "made[i] *= y ** int(row[j])",
        "fractions of a symbolic exponent are cut off",
        POWERS,
    ),
    Mutant(
        C,
        "    if is_power(atom):  # it has a value where its base is positive\n",
        "    if True:\n",
        "a root of zero is positive",
        POWERS,
    ),
]
