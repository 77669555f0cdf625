"""Bounds on sums over pairs against points that were searched for, and sharp configurations."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import combinations, permutations, product

import numpy as np
import pytest
import torch
from brute_force import least
from cltheory.derive.decide.ball import NotEnclosed, NoValue
from cltheory.derive.decide.domain import DomainError
from cltheory.derive.optimum.delsarte import PairBound, u
from cltheory.derive.proof.derivation import Derivation, StepFailed
from cltheory.derive.results import results
from cltheory.derive.structures.sharp import CELL_24, CORNERS, CUBE, SHARP, orthoplex, simplex
from sympy import Integer, Lambda, Rational, exp, oo

RESULT = results["pair-energy"]
#: Rounding of a logarithm of a mean of up to 30,000 exponentials.
ROUNDING = 1e-12


def uniformity(x: torch.Tensor, t: float) -> torch.Tensor:
    return torch.nn.functional.pdist(x).square().mul(-t).exp().mean().log()


def e8() -> np.ndarray:
    whole = [
        a * np.eye(8)[i] + b * np.eye(8)[j]
        for i, j in combinations(range(8), 2)
        for a, b in product((1, -1), repeat=2)
    ]
    half = [np.array(s) / 2 for s in product((1, -1), repeat=8) if np.prod(s) == 1]
    return np.array([*whole, *half]) / np.sqrt(2)


def neighbours(x: np.ndarray, inner: float) -> np.ndarray:
    """Points with this inner product with the first, in the space across it."""
    near = x[np.isclose(x @ x[0], inner)]
    near = near - inner * x[0]
    return near / np.linalg.norm(near, axis=1, keepdims=True)


@cache
def leech() -> np.ndarray:
    """The shortest vectors of the Leech lattice, of length sqrt(32), from the binary Golay code."""
    squares = {k * k % 23 for k in range(1, 23)}
    first = np.array([k in squares for k in range(23)], dtype=int)
    rows = np.array([np.roll(first, k) for k in range(23)])
    words = {(0,) * 24}
    for row in rows:
        full = (*row, row.sum() % 2)
        if full not in words:
            words |= {tuple((np.array(w) + full) % 2) for w in words}
    code = np.array(sorted(words))
    assert len(code) == 4096
    even = np.array([s for s in product((2, -2), repeat=8) if np.sign(s).prod() == 1])
    eights = [np.zeros((len(even), 24), dtype=int) for w in code if w.sum() == 8]
    for found, w in zip(eights, code[code.sum(1) == 8], strict=True):
        found[:, w == 1] = even
    threes = [(1 - 2 * code) * np.where(np.arange(24) == k, -3, 1) for k in range(24)]
    fours = [
        4 * (a * np.eye(24, dtype=int)[i] + b * np.eye(24, dtype=int)[j])
        for i, j in combinations(range(24), 2)
        for a, b in product((1, -1), repeat=2)
    ]
    return np.vstack([*eights, *threes, np.array(fours)])


def across(x: np.ndarray, *given: np.ndarray) -> np.ndarray:
    """What is left of vectors across others, of length 1."""
    basis = np.linalg.qr(np.array(given, dtype=float).T)[0]
    left = x - x @ basis @ basis.T
    return left / np.linalg.norm(left, axis=1, keepdims=True)


@cache
def inside_leech(name: str) -> np.ndarray:
    """The shortest vectors nearest to some of the next length, sqrt(48), and what is in these."""
    x = leech()
    if name == "Leech":
        return x / np.sqrt(32)
    if name == "Leech 4600":
        return neighbours(inside_leech("Leech"), 1 / 2)
    if name == "Leech 891":
        return neighbours(inside_leech("Leech 4600"), 1 / 3)
    if name.startswith("McLaughlin "):
        return neighbours(inside_leech("McLaughlin"), 1 / 6 if name.endswith("second") else -1 / 4)
    if name == "McLaughlin":
        return neighbours(inside_leech("equiangular"), 1 / 5)
    a = x[0] + x[x @ x[0] == -8][0]
    if name == "equiangular":
        return across(x[x @ a == 24], a)
    longer = x[0] + x[x @ x[0] == -8]
    b = longer[longer @ a == 32][0]
    return across(x[(x @ a == 24) & (x @ b == 24)], a, b)


def coordinates(name: str) -> np.ndarray:
    golden = (1 + 5**0.5) / 2
    if name == "icosahedron":
        rows = [
            np.roll((0, a, b * golden), k) for k in range(3) for a, b in product((1, -1), (1, -1))
        ]
    elif name == "Clebsch":
        rows = [s for s in product((1, -1), repeat=5) if np.prod(s) == 1]
    elif name == "24-cell":
        rows = {p for a, b in product((1, -1), (1, -1)) for p in permutations((a, b, 0, 0))}
        rows = sorted(rows)
    elif name == "cube":
        rows = list(product((1, -1), repeat=3))
    else:
        found = {"E8": e8(), "Gosset": neighbours(e8(), 0.5)}
        found["Schlaefli"] = neighbours(found["Gosset"], 1 / 3)
        rows = found[name] if name in found else inside_leech(name)
    x = np.array(rows, dtype=float)
    return x / np.linalg.norm(x, axis=1, keepdims=True)


@pytest.mark.parametrize("one", [*SHARP, CELL_24, CUBE], ids=lambda one: one.name)
def test_named_structures_are_what_their_coordinates_say(one) -> None:
    x = coordinates(one.name)
    assert len(x) == one.size and np.linalg.matrix_rank(x) == one.dimension
    told = {round(float(k), 9): int(v) for k, v in one.products.items()}
    for row in x[:: max(1, len(x) // 100)] @ x.T:
        values, counts = np.unique(row.round(9) + 0.0, return_counts=True)
        assert dict(zip(values.tolist(), counts.tolist(), strict=True)) == {**told, 1.0: 1}
    is_sharp = all(one.moment(k) == 0 for k in range(1, one.strength + 1))
    assert is_sharp == (one in SHARP)
    for t in (0.5, 2.0, 7.0):
        bound = float(RESULT.value("uniformity_at_least", N=len(x), d=int(one.dimension), t=t))
        # All points see the same inner products.
        above = np.log(np.exp(2 * t * (x[1:] @ x[0] - 1)).mean()) - bound
        assert above > -ROUNDING and (above < ROUNDING) == is_sharp


@pytest.mark.parametrize(("size", "d"), [(4, 2), (5, 3), (7, 3), (8, 3), (9, 4), (20, 3), (40, 5)])
def test_no_points_are_below(size: int, d: int) -> None:
    t = float(np.random.default_rng(size).uniform(0.3, 1.5))

    starts = np.random.default_rng(0).standard_normal((3, size, d))
    unit = torch.nn.functional.normalize
    best = least(lambda z: uniformity(unit(z, dim=1), t), starts).fun
    bound = float(RESULT.value("uniformity_at_least", N=size, d=d, t=t))
    # It is no weak bound either, at temperatures at which all pairs count.
    assert bound - ROUNDING <= best < bound + 0.15
    if (size, d) == (8, 3):
        assert best < uniformity(torch.tensor(coordinates("cube")), t).item() - 1e-3
        assert RESULT.value("attained_by", N=size, d=d, t=t) == "unnamed"


@pytest.mark.parametrize("at", [{"N": oo}, {"d": oo}, {"t": oo}])
def test_it_has_no_limits(at: dict) -> None:
    with pytest.raises(DomainError, match="the bound on pairs is computed for finite numbers"):
        RESULT.value("uniformity_at_least", **{"N": 5, "d": 3, "t": 1, **at})


def test_polygons_attain_it() -> None:
    for size in (3, 5, 8, 11, 40):
        a = 2 * np.pi * np.arange(size) / size
        found = uniformity(torch.tensor(np.stack([np.cos(a), np.sin(a)], 1)), 1.5).item()
        bound = float(RESULT.value("uniformity_at_least", N=size, d=2, t=1.5))
        assert abs(found - bound) < ROUNDING
        attained = RESULT.value("attained_by", N=size, d=2, t=1.5)
        assert attained == ("simplex" if size == 3 else "polygon")
    assert RESULT.value("attained_by", N=CORNERS + 1, d=2, t=1.5) == "unnamed"
    assert RESULT.value("attained_by", N=7, d=3, t=1.5) == "unnamed"


def test_turning_a_face_of_the_cube_lowers_every_energy() -> None:
    x = torch.tensor(coordinates("cube"))
    a = torch.tensor(0.1, dtype=torch.float64)
    turn = torch.stack([torch.stack([a.cos(), -a.sin()]), torch.stack([a.sin(), a.cos()])])
    moved = x.clone()
    moved[x[:, 2] > 0, :2] = x[x[:, 2] > 0, :2] @ turn
    for t in (0.01, 1.0, 20.0):
        assert uniformity(moved, t) < uniformity(x, t) - 1e-12


def test_the_square_of_the_inner_product() -> None:
    rng = np.random.default_rng(0)
    for size, d in ((3, 5), (7, 3), (12, 4)):
        x = rng.standard_normal((size, d))
        x /= np.linalg.norm(x, axis=1, keepdims=True)
        off = ~np.eye(size, dtype=bool)
        least = float(RESULT.value("spectral_at_least", N=size, d=d, t=1))
        assert ((x @ x.T)[off] ** 2).mean() >= least
    bases = np.vstack([np.linalg.qr(rng.standard_normal((4, 4)))[0] for _ in range(3)])
    found = ((bases @ bases.T)[~np.eye(12, dtype=bool)] ** 2).mean()
    assert found == pytest.approx(least, rel=1e-12)


def test_at_the_sizes_of_clip() -> None:
    value = float(RESULT.value("uniformity_at_least", N=65536, d=1024, t=2))
    # Between the best of all dimensions, the simplex, and independent uniform vectors.
    assert -2 * 2 * 65536 / 65535 < value < float(np.log(np.exp(-4) * np.exp(16 / 2 / 1024)))


def test_what_is_no_bound_is_refused() -> None:
    for one in (CELL_24, CUBE, *SHARP):
        wrong = dict(one.products)
        wrong[next(iter(wrong))] += 1
        for corrupted in [replace(one, products=wrong), *([one] if one not in SHARP else [])]:
            with pytest.raises(StepFailed):
                STATE(corrupted, RESULT.domain.restricted([*RESULT.parameters[:2]]), Derivation())
    assert simplex(Integer(5)).moment(3) != 0 and orthoplex(Integer(3)).moment(4) != 0
    # Tangents of u^2 at a negative node have a negative coefficient; u^3 is not above its tangent.
    with pytest.raises(NoValue, match="negative"):
        PairBound(Lambda(u, u**2), Integer(3), Integer(2)).enclosure(60)
    with pytest.raises(NotEnclosed, match="derivative 2"):
        PairBound(Lambda(u, u**3), Integer(3), Integer(2)).enclosure(60)
    sizes = Integer(12), Integer(3)
    riesz = PairBound(Lambda(u, 1 / (Rational(5, 2) - 2 * u)), *sizes)
    ico = SHARP[0].energy(riesz.args[0].expr, u)
    assert abs(float(riesz.evalf(20) - ico.evalf(20))) < 1e-15
    with pytest.raises(NoValue):
        PairBound(Lambda(u, exp(u)), RESULT.parameters[0], Integer(3)).enclosure(60)
    for at in ({"N": 1}, {"d": 1}, {"t": 0}):
        with pytest.raises(DomainError):
            RESULT.point(**at)


STATE = RESULT._build.__globals__["_state_design"]
