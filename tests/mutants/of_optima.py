"""Mutants of the way to an optimum: vertices, edges, phases, faces, blocks and certificates."""
# ruff: noqa: E501 (lines of the engine are quoted as they are)

from __future__ import annotations

from mutant import mutants

VERTICES = ("derive/test_vertex.py",)
EDGES = ("derive/test_edge.py",)
PHASES = ("derive/test_phases.py",)
FACES = ("derive/test_face.py",)
BLOCKS = ("derive/test_blocks.py",)
EXCLUSIVE = ("derive/test_supcl_exclusive.py",)

V, B, ED, PH, F, P, S, D, BL, MU, CO = (
    f"optimum/{s}.py"
    for s in "vertex borders edge phases face polish solve duality blocks multiplier condition".split()
)
C = "structures/configuration.py"

MUTANTS = [
    *mutants(
        "proof/same_sign.py",
        (*VERTICES, *EDGES),
        (
            "[all_zero([gap], self.domain), *factors]",
            "[all_zero([gap], self.domain)]",
            "a condition of a vertex or an edge may be divided by what is negative",
        ),
        ("[all_zero([gap], self.domain), *factors]", "factors", "the condition on an edge is any"),
    ),
    *mutants(
        CO,
        VERTICES,
        ("if not named <= set(wanted):", "if False:", "anything may be compared at a vertex"),
        (
            "return decided(self.reduced.preconditions(outside))",
            "return Holds(decided(self.reduced.preconditions(outside)).evidence) if False else zero(S.Zero, self.domain)",
            "a loss at a vertex need not be convex",
        ),
        ("left *= S(fixed) ** power", "left *= S.One", "a negative factor is dropped"),
    ),
    *mutants(
        V,
        VERTICES,
        ("if missing:", "if len(missing) > 1:", "one relation need not be felt"),
        (
            "felt |= {r for r, value in self.inner.items() if value == 1}",
            "felt |= set(self.inner)",
            "all inner products are one",
        ),
    ),
    *mutants(
        B,
        VERTICES,
        ("if not values or not inside:", "if not values:", "a border beyond the range is the end"),
    ),
    *mutants(
        MU,
        EXCLUSIVE,
        ("* sum_, self.domain", "* sum_, self.domain, strict=False", "a gap at a root may be zero"),
    ),
    *mutants(
        PH,
        PHASES,
        (
            'if found.verdict != "strict" or not isinstance(held.decide(), Holds):',
            "if not isinstance(held.decide(), Holds):",
            "a vertex that may be left is the only optimum",
        ),
    ),
    *mutants(
        F,
        FACES,
        ("if not ties:\n            return True", "return True", "a tie does not matter"),
        (
            "unique = left.unique if not level else False if len(level) == len(dropped) else None",
            "unique = True",
            "what is not felt is unique",
        ),
    ),
    *mutants(
        S,
        FACES,
        ("if all(sign.right for sign in signs):", "if True:", "signs are not looked at"),
    ),
    *mutants(
        D,
        (*BLOCKS, *FACES),
        (
            "if not all(d >= 0 for d in _exact_pivots(program.matrix(b, self.shares)))",
            "if False",
            "shares need not be PSD",
        ),
        (
            "if pivot == 0 and any(left[i][k] != 0 for i in range(k + 1, len(left))):",
            "if False:",
            "below a zero pivot there may be anything",
        ),
    ),
    *mutants(
        BL,
        BLOCKS,
        ("* r.count * gradient[r.name] /", "* gradient[r.name] /", "a slope is that of one pair"),
    ),
    *mutants(
        C,
        BLOCKS,
        (
            "                found.append(trace - (right * r.count if other is r else 0))\n",
            "",
            "rows need not be orthogonal",
        ),
        ("constants[r.name] - r.count for r in self.relations]", "]", "signs of entries are free"),
    ),
]
