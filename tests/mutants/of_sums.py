"""Mutants of sums over indices, and of powers with symbolic exponents."""

from __future__ import annotations

from mutant import mutants

SUMS = ("derive/test_sums.py",)
POWERS = ("derive/test_powers.py", "derive/test_normal.py")
S, NAMED = "decide/sums.py", "proof/indexed.py"
N, C = "decide/normal.py", "decide/coefficients.py"

MUTANTS = [
    *mutants(
        S,
        SUMS,
        ("if not entry.is_real:", "if False:", "entries that are not real are compared"),
        (
            "if not high.is_integer or not is_proved_positive(high, domain):",
            "if not high.is_integer:",
            "an empty sum has a term",
        ),
        (
            "if not high.is_integer or not is_proved_positive(high, domain):",
            "if not is_proved_positive(high, domain):",
            "a sum has half a term",
        ),
        ("all(map(is_positive", "any(map(is_positive", "a sum with one positive term is positive"),
        ("e, Pow) and is_positive(e.base):", "e, Pow):", "every power is positive"),
        (
            "return [((), (log(argument),))]",
            "pass",
            "the logarithm of a product is split whatever the signs",
        ),
        ("if low != 1 or any(", "if any(", "a sum from 2 on is one from 1 on"),
        (
            "any(high.has(i) for i, *_ in e.limits)",
            "False",
            "a number of terms may depend on an index",
        ),
        (
            "own = Dummy(index.name, integer=True)",
            "own = index",
            "an index keeps its name, also where it stands twice",
        ),
        (
            "return _multiplied([_terms(e.base, known) for _ in range(int(e.exp))])",
            "return _multiplied([_terms(e.base, known)] * int(e.exp))",
            "the square of a sum is the sum of squares",
        ),
        (
            "if high != highs[index] or inside == 1:",
            "if inside == 1:",
            "what is known of a sum is known of one with more terms",
        ),
        (
            "[k for k in _indices(inside) - {index} if isinstance(k, Dummy) or k in others]",
            "list(_indices(inside) - {index})",
            "what is known of a row is known of the row after the last",
        ),
        ("index, value.xreplace(new),", "index, value,", "what a known sum is has no index"),
        ("return Mul(*highs.values())", "return S.One", "a sum of ones is 1"),
        ("order in permutations(highs)", "order in [tuple(highs)]", "the order of indices matters"),
        (
            'return Dummy(f"i_{level}_{place}", integer=True)',
            'return Symbol(f"i_{level}_{place}", integer=True)',
            "an index of the normal form is a symbol that others may have",
        ),
    ),
    *mutants(
        NAMED,
        SUMS,
        ("type(e) is Eq", "e is not None", "an inequality is shown where an equation is proved"),
        ("self._captured(equations):", "set():", "a sum binds the index in what a name stands for"),
        ("1].xreplace(names), self", "0].xreplace(names), self", "the other side is not looked at"),
    ),
    *mutants(
        N,
        POWERS,
        ("** int(row[j] * scale", "** int(row[j]", "fractions of a symbolic exponent are cut off"),
    ),
    *mutants(
        C,
        POWERS,
        (
            "if is_power(atom):  # it has a value where its base is positive",
            "if True:",
            "a root of zero is positive",
        ),
    ),
]
