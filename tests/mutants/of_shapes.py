"""Mutants of functions of one variable: kinks, shapes, zeros, poles, signs on an interval."""
# ruff: noqa: E501 (lines of the engine are quoted as they are)

from __future__ import annotations

from mutant import mutants

SHAPES = ("derive/test_shapes.py",)
KINKS = (
    *SHAPES,
    "derive/test_kinks.py::test_shapes_with_kinks",
    "derive/test_kinks.py::test_one_sided_slopes",
)

K, Z, P, IV, PIECES = (f"decide/{s}.py" for s in "kinks zeros poles interval pieces".split())
SH = "optimum/shape.py"

MUTANTS = [
    *mutants(
        K,
        KINKS,
        ("largest, x, low, high) > 0", "largest, x, low, high) < 0", "the smallest is the maximum"),
        (
            "for one, other in combinations(maximum.args, 2):",
            "for one, other in list(combinations(maximum.args, 2))[:1]:",
            "two sides of a maximum stand for all",
        ),
        (
            "x < p.high if side > 0 else x <= p.high",
            "x <= p.high if side > 0 else x < p.high",
            "one-sided slopes change places",
        ),
        ("rise = after - before", "rise = before - after", "a slope jumps the other way"),
        ("{self.variable: piece.high}", "{self.variable: S.Zero}", "jumps are looked at elsewhere"),
        (
            'return Refuted({}, "the derivative is infinite there")',
            'return Holds(Evidence(Grade.EXACT, ""))',
            "a slope may be infinite at a kink",
        ),
        (
            "check_defined(function, x, a, b, self.domain)\n            yield Piece(a, b, function)",
            "yield Piece(a, b, function)",
            "a piece need not be defined",
        ),
        ("lambda e: -Max(*(-a for a in e.args))", "lambda e: Max(*e.args)", "minima are maxima"),
        ("None and before.smooth == piece.smooth:", "None:", "a piece goes on beyond its end"),
    ),
    *mutants(
        PIECES,
        KINKS,
        (
            "if sign(at - low) > 0 and sign(high - at) > 0:",
            "if True:",
            "kinks outside of the interval count",
        ),
    ),
    *mutants(
        SH,
        KINKS,
        ("((direction * slope, falls),", "((slope, falls),", "what falls rises"),
        ('falls), (derivative(slope, c), "convex"))', "falls),)", "pieces need not be convex"),
        ("for at, outcome in read.jumps():", "for at, outcome in ():", "kinks need not be convex"),
        ("return Holds(weakest(found))", "return Holds(found[0])", "an interval proof is exact"),
    ),
    *mutants(
        Z,
        SHAPES,
        ("v) < 0 and order(v, b) < 0}", "v) <= 0 and order(v, b) <= 0}", "ends are zeros inside"),
        ("(2 * a) for side in (1, -1)}", "(2 * a) for side in (1,)}", "a quadratic has one root"),
        ("< 0:\n            return", "<= 0:\n            return", "a double root is none"),
        ("count_roots() == 0:", "degree() > 2:", "polynomials of degree three have no roots"),
        (
            "if side and isinstance(non_negative(side * function, x, a, b), Holds):",
            "if side:",
            "zeros that are guessed are all there are",
        ),
        ("value) if sign(value) > 0", "abs(value)) if value != 0", "an exponential is negative"),
        ("exp.q if sign(value) >= 0 else None", "exp.q", "a root is negative"),
        ("v in values if sign(v) >= 0}", "v in values}", "a root beside its variable is negative"),
        (
            'if len(moving) > 1:\n        raise NotSolved("several parts vary at once")\n    (y,) = moving',
            "y = moving[0]",
            "of several parts that vary one is solved for",
        ),
    ),
    *mutants(
        P,
        SHAPES,
        ("args[0], strict=True)", "args[0], strict=False)", "the logarithm of zero is defined"),
        ("strict=bool(part.exp < 0))", "strict=False)", "one over the root of zero is defined"),
        (
            "if self._positive(below, True) or self._positive(-below, True):",
            "if self._positive(below, False) or self._positive(-below, False):",
            "a pole at an end is none",
        ),
        ("self._inside(base - MARGIN),", "self._inside(base),", "what is >= 0 by intervals is > 0"),
        (
            "if not strict:\n                return",
            "return",
            "where a logarithm may be infinite it is defined",
        ),
        (
            "elif not (part.is_Add or part.is_Mul or isinstance(part, (exp, Max))):",
            "elif False:",
            "every function is defined everywhere",
        ),
        ("0:\n                where", "-1:\n                where", "simple poles are passed over"),
    ),
    *mutants(
        IV,
        SHAPES,
        ("sign(value) >= 0:\n        return", "True:\n        return", "every number is >= 0"),
        (
            "        if not isinstance(middle, Holds):\n            return middle\n",
            "",
            "the middle of an interval is not looked at",
        ),
        (
            "function = inward * derivative(function, v)",
            "function = derivative(function, v)",
            "at the right end what rises inwards falls",
        ),
        (
            "low, high = ends if sign(rate) > 0 else reversed(ends)",
            "low, high = ends",
            "ends keep their places in a function of a root that falls",
        ),
        (
            "if place == len(found) or order(found[place], value) != 0:",
            "if True:",
            "one number counts twice",
        ),
        ("and order(found[place], value) <", "and order(found[place], value) >", "numbers descend"),
        ("if len(signs) != 1 or None in", "if None in", "infinite terms of both signs add up"),
        ("close + far if above else close - far", "close", "a rational number near is one above"),
    ),
]
