"""Replay the interval proofs in a JSON report, by mpmath's intervals.

Nothing here is cltheory's, and the proofs were found by another library (Arb's balls).

    cltheory derive ID ... --format json | python tests/replay.py

Every box must give an interval that is not below zero (halved a few times where it is wider
than a ball would be), and the boxes must leave no gap.
"""

import ast
import json
import sys
from fractions import Fraction
from itertools import pairwise

from mpmath import iv

HALVINGS = 6
DIGITS = 35


class Undefined(ValueError):
    pass


def log(x):
    if not x.a > 0:
        raise Undefined
    return iv.log(x)


def sqrt(x):
    if not x.a >= 0:
        raise Undefined
    return iv.sqrt(x)


def divide(a, b):
    if not (b.a > 0 or b.b < 0):
        raise Undefined
    return a / b


def power(base, exponent):
    if base.a == 0 and base.b > 0 and exponent.a > 0:
        return iv.mpf([0, iv.exp(iv.log(iv.mpf(base.b)) * exponent).b])
    return iv.exp(log(base) * exponent)


FUNCTIONS = {"exp": iv.exp, "log": log, "sqrt": sqrt}


def number(value):
    return iv.mpf(value.numerator) / value.denominator


def evaluate(node, variable, box):
    match node:
        case ast.Constant(int(k)):
            return iv.mpf(k)
        case ast.Name(name) if name == variable:
            return box
        case ast.UnaryOp(ast.USub(), e):
            return -evaluate(e, variable, box)
        case ast.Call(ast.Name(name), [e]):
            return FUNCTIONS[name](evaluate(e, variable, box))
        case ast.BinOp(e, ast.Pow(), ast.Constant(int(k))):
            return evaluate(e, variable, box) ** k
        case ast.BinOp(e, ast.Pow(), exponent):
            return power(evaluate(e, variable, box), evaluate(exponent, variable, box))
        case ast.BinOp(e, op, f):
            a, b = evaluate(e, variable, box), evaluate(f, variable, box)
            match op:
                case ast.Add():
                    return a + b
                case ast.Sub():
                    return a - b
                case ast.Mult():
                    return a * b
                case ast.Div():
                    return divide(a, b)
    raise ValueError(f"not understood: {ast.dump(node)}")


def replays(record, low=None, high=None):
    iv.dps = DIGITS
    body = ast.parse(record["expression"], mode="eval").body
    ends = [(Fraction(a), Fraction(b)) for a, b in record["boxes"]]
    if any(before[1] != after[0] for before, after in pairwise(ends)):
        return False
    if (low is not None and ends[0][0] > low) or (high is not None and ends[-1][1] < high):
        return False

    def holds(a, b, halvings):
        box = iv.mpf([number(a).a, number(b).b])
        try:
            if evaluate(body, record["variable"], box).a >= 0:
                return True
        except Undefined:
            pass
        middle = (a + b) / 2
        return halvings > 0 and holds(a, middle, halvings - 1) and holds(middle, b, halvings - 1)

    return all(holds(a, b, HALVINGS) for a, b in ends)


if __name__ == "__main__":
    report = json.load(sys.stdin)
    records = [r for step in report["steps"] for r in step["replay"]]
    for r in records:
        verdict = "replayed" if replays(r) else "FAILED"
        print(f"{verdict}: {r['expression']} >= 0 on {len(r['boxes'])} boxes")
    sys.exit(not all(map(replays, records)))
