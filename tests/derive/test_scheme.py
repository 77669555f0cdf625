"""The tables of symmetries against brute force on explicit matrices."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from cltheory.derive.structures.hierarchy import CLASSES, INSTANCES, VIEWS, hierarchy, m, n, p
from cltheory.derive.structures.scheme import complete
from sympy import Integer, Symbol, expand


def explicit(sizes: tuple[int, ...], entries: dict[str, float], names: list[str]) -> np.ndarray:
    """Gram matrix of the hierarchy by comparing index tuples, with no use of the scheme."""
    points = list(product(*(range(s) for s in sizes)))  # finest index first

    def relation(a: tuple[int, ...], b: tuple[int, ...]) -> str:
        differing = [k for k, (s, t) in enumerate(zip(a, b, strict=True)) if s != t]
        return "self" if not differing else names[max(differing)]

    return np.array([[entries[relation(a, b)] for b in points] for a in points])


LEVELS = {
    3: (VIEWS, INSTANCES, CLASSES),
    4: (VIEWS, INSTANCES, CLASSES, (Symbol("s", positive=True), "cross_super", "superclasses")),
}


@pytest.mark.parametrize("sizes", [(1, 2, 2), (2, 2, 2), (2, 3, 2), (3, 1, 2), (2, 2, 2, 3)])
def test_eigenvalues_and_multiplicities_match_the_explicit_matrix(sizes: tuple[int, ...]) -> None:
    levels = LEVELS[len(sizes)]
    scheme = hierarchy(*levels)
    values = dict(zip([lv[0] for lv in levels], map(Integer, sizes), strict=True))
    rng = np.random.default_rng(1)
    entries = {r.name: float(rng.normal()) for r in scheme.relations}
    matrix = explicit(sizes, entries, [lv[1] for lv in levels])
    expected = []
    for e in scheme.eigenspaces:
        eigenvalue = sum(
            float(scheme.table[e.name][r].subs(values)) * g for r, g in entries.items()
        )
        expected += [eigenvalue] * int(e.dimension.subs(values))
    # eigvalsh is accurate to a few units of rounding times the norm, far below 1e-10 here.
    assert np.allclose(sorted(expected), np.linalg.eigvalsh(matrix), atol=1e-10)


def test_the_residuals_vanish_for_every_depth() -> None:
    for levels in LEVELS.values():
        assert all(expand(r) == 0 for r in hierarchy(*levels).residuals())


def test_a_wrong_table_is_refused() -> None:
    right = hierarchy()
    table = {e: dict(row) for e, row in right.table.items()}
    table["classes"]["cross_class"] = -table["classes"]["cross_class"]
    wrong = replace(right, table=table)
    assert any(expand(r) != 0 for r in wrong.residuals())
    table["classes"]["cross_class"] = -(n - 1) * p
    wrong = replace(right, table=table)
    assert any(expand(r) != 0 for r in wrong.residuals())


def test_complete_is_the_one_level_case() -> None:
    scheme = complete(m, "other", "contrasts")
    assert [e.dimension for e in scheme.eigenspaces] == [m - 1, 1]
