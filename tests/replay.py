"""Replay the interval proofs in a JSON report, by Arb balls: nothing here is cltheory's.

    cltheory derive ID ... --format json | python tests/replay.py

Every box must give a ball that is not below zero (halved a few times where a ball is wider
than an interval would be), and the boxes must leave no gap.
"""

import ast
import json
import sys
from fractions import Fraction
from itertools import pairwise

from flint import arb, ctx, fmpq

HALVINGS = 6
FUNCTIONS = {"exp": arb.exp, "log": arb.log, "sqrt": arb.sqrt}


def number(text):
    value = Fraction(text)
    return arb(fmpq(value.numerator, value.denominator))


def evaluate(node, variable, box):
    match node:
        case ast.Constant(int(k)):
            return arb(k)
        case ast.Name(name) if name == variable:
            return box
        case ast.UnaryOp(ast.USub(), e):
            return -evaluate(e, variable, box)
        case ast.Call(ast.Name(name), [e]):
            return FUNCTIONS[name](evaluate(e, variable, box))
        case ast.BinOp(e, ast.Pow(), ast.Constant(int(k))):
            return evaluate(e, variable, box) ** k
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
                    return a / b
    raise ValueError(f"not understood: {ast.dump(node)}")


def replays(record, low=None, high=None):
    ctx.prec = 120
    body = ast.parse(record["expression"], mode="eval").body
    ends = [(Fraction(a), Fraction(b)) for a, b in record["boxes"]]
    if any(before[1] != after[0] for before, after in pairwise(ends)):
        return False
    if (low is not None and ends[0][0] > low) or (high is not None and ends[-1][1] < high):
        return False

    def holds(a, b, halvings):
        if evaluate(body, record["variable"], number(a).union(number(b))) >= 0:
            return True
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
