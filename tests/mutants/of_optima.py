"""Mutants of the way to an optimum: vertices, edges, phases, faces, blocks and certificates."""
# ruff: noqa: E501 (lines of the engine are quoted as they are)

from __future__ import annotations

from mutant import Mutant

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
    # --- vertex ---
    Mutant(
        CO,
        "        if not named <= set(wanted):",
        "        if False:",
        "anything may be compared at a vertex",
        VERTICES,
    ),
    Mutant(
        CO,
        "return decided(self.reduced.preconditions(outside))",
        "return Holds(decided(self.reduced.preconditions(outside)).evidence) if False else zero(S.Zero, self.domain)",
        "a loss at a vertex need not be convex",
        VERTICES,
    ),
    Mutant(
        CO,
        "                positive(over, self.domain),\n",
        "",
        "a condition of a vertex may be divided by what is negative",
        VERTICES,
    ),
    Mutant(
        CO,
        "            left *= S(fixed) ** power",
        "            left *= S.One",
        "a negative factor is dropped",
        VERTICES,
    ),
    Mutant(
        V,
        "        if missing:",
        "        if len(missing) > 1:",
        "one relation need not be felt",
        VERTICES,
    ),
    Mutant(
        V,
        "        felt |= {r for r, value in self.inner.items() if value == 1}",
        "        felt |= set(self.inner)",
        "all inner products are one",
        VERTICES,
    ),
    # --- borders ---
    Mutant(
        B,
        "    if not values or not inside:",
        "    if not values:",
        "a border beyond the range is the end",
        VERTICES,
    ),
    # --- edge ---
    Mutant(
        CO,
        "                zero(over * relation.args[0] - clearing * gap, self.domain),\n",
        "",
        "the condition on an edge is any",
        EDGES,
    ),
    Mutant(
        CO,
        "                positive(over, self.domain),\n",
        "",
        "a condition on an edge may be divided by what is negative",
        EDGES,
    ),
    Mutant(
        ED,
        '        if condition.verdict not in ("strict", "holds"):',
        '        if condition.verdict == "open":',
        "what never holds holds at a root",
        EDGES,
    ),
    # --- multiplier ---
    Mutant(
        MU,
        "        return positive(self.reduced.clearing(s.inner) * sum_, self.domain)",
        "        return positive(self.reduced.clearing(s.inner) * sum_, self.domain, strict=False)",
        "a gap at a root may be zero",
        EXCLUSIVE,
    ),
    # --- phases ---
    Mutant(
        PH,
        '    if found.verdict != "strict" or not isinstance(held.decide(), Holds):',
        "    if not isinstance(held.decide(), Holds):",
        "a vertex that may be left is the only optimum",
        PHASES,
    ),
    # --- face ---
    Mutant(
        F,
        "        if not ties:\n            return True",
        "        return True",
        "a tie does not matter",
        FACES,
    ),
    Mutant(
        F,
        "unique = left.unique if not level else False if len(level) == len(dropped) else None",
        "unique = True",
        "what is not felt is unique",
        FACES,
    ),
    # --- polish ---
    # --- solve ---
    Mutant(
        S,
        "                if all(sign.right for sign in signs):\n                    return",
        "                if True:\n                    return",
        "signs are not looked at",
        FACES,
    ),
    # --- duality ---
    Mutant(
        D,
        "            if not all(d >= 0 for d in _exact_pivots(exact)):",
        "            if False:",
        "shares need not be PSD",
        (*BLOCKS, *FACES),
    ),
    Mutant(
        D,
        "        if pivot == 0 and any(left[i][k] != 0 for i in range(k + 1, len(left))):",
        "        if False:",
        "below a zero pivot there may be anything",
        (*BLOCKS, *FACES),
    ),
    # --- blocks ---
    Mutant(
        BL,
        "slopes[r.name] += part * r.count * gradient[r.name] / reduced.scale",
        "slopes[r.name] += part * gradient[r.name] / reduced.scale",
        "a slope is that of one pair",
        BLOCKS,
    ),
    # --- configuration ---
    Mutant(
        C,
        "                found.append(trace - (right * r.count if other is r else 0))\n",
        "",
        "rows need not be orthogonal",
        BLOCKS,
    ),
    Mutant(
        C,
        "[constants[r.name] - r.count for r in self.relations]",
        "[]",
        "signs of entries are free",
        BLOCKS,
    ),
]
