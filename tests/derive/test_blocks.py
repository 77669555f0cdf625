"""Several orbits of points: tables, optima and certificates, against explicit matrices."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from cltheory.derive.decide.ball import enclosure, precision
from cltheory.derive.decide.digits import rounded
from cltheory.derive.decide.domain import DomainError
from cltheory.derive.decide.evidence import Grade, Holds, Refuted, Undecided
from cltheory.derive.losses.softmax import SoftmaxLoss, tau
from cltheory.derive.losses.supcl import SUPCL, SUPCON, alpha
from cltheory.derive.optimum.blocks import (
    TOLERANCE,
    BlockOptima,
    BlockOptimum,
    Blocks,
    Certified,
    ReducedOnOrbits,
)
from cltheory.derive.optimum.duality import Certificate
from cltheory.derive.optimum.face import least
from cltheory.derive.optimum.program import entry
from cltheory.derive.optimum.reduce import ReducedLoss
from cltheory.derive.proof.statement import decided
from cltheory.derive.results import results
from cltheory.derive.results.sizes._two_sizes import SIZES, STRUCTURE
from cltheory.derive.structures.classes import groups_of_classes, m1, m2, n1, n2
from cltheory.derive.structures.configuration import Configuration, single
from cltheory.derive.structures.hierarchy import hierarchy, m, n, p
from cltheory.derive.theorem.putback import Inconsistent
from sympy import Expr, Integer, Le, Rational, S, Symbol, Tuple, expand

from .explicit import explicit

PARAMETERS = (m1, n1, m2, n2, p, alpha, tau)
OPTIMA = {
    loss.name: BlockOptima(ReducedOnOrbits(loss, STRUCTURE), PARAMETERS) for loss in (SUPCL, SUPCON)
}


def at(*sizes: int, a: str = "1/2", t: str = "1/2") -> dict[Symbol, Expr]:
    values = [*map(Integer, sizes), Rational(a), Rational(t)]
    return dict(zip(PARAMETERS, values, strict=True))


def number(value: Expr) -> float:
    return float(rounded(value, 15)[0])


# --- the table ----------------------------------------------------------------------------------
#: (group, classes, instances) and views, at numbers.
EXPLICIT = [([("a", 2, 3), ("b", 3, 2)], 2), ([("a", 1, 2), ("b", 2, 3), ("c", 2, 1)], 2)]


@pytest.mark.parametrize("groups, views", EXPLICIT)
def test_blocks_have_the_eigenvalues_of_the_explicit_matrix(groups, views) -> None:
    found = groups_of_classes(groups, views)
    names, _ = explicit(groups, views)
    rng = np.random.default_rng(3)
    g = {r.name: float(rng.normal()) for r in found.relations}
    matrix = np.vectorize(g.__getitem__)(names)
    expected: list[float] = []
    for e in found.blocks:
        rows = np.zeros((e.size, e.size))
        for r in found.relations:
            place = found.place(e, r)
            if place is None:
                continue
            i, j = place
            ratio = float(found.orbit(e.orbits[i]).size) / float(found.orbit(e.orbits[j]).size)
            rows[i, j] += float(found.table[e.name].get(r.name, 0)) * g[r.name] * np.sqrt(ratio)
            rows[j, i] = rows[i, j]
        expected += list(np.linalg.eigvalsh(rows)) * int(e.multiplicity)
    # eigvalsh is right to rounding times the norm, far below 1e-9 here.
    assert np.allclose(sorted(expected), np.linalg.eigvalsh(matrix), atol=1e-9)


def test_the_residuals_vanish_for_all_sizes() -> None:
    assert all(expand(r) == 0 for r in STRUCTURE.residuals())
    assert all(expand(r) == 0 for r in single(hierarchy()).residuals())
    k, q = (Symbol(s, integer=True, positive=True) for s in "kq")
    three = groups_of_classes([("a", m, n), ("b", m1, n1), ("c", k, q)], p)
    assert [b.size for b in three.blocks if b.name == "means"] == [3]
    assert all(expand(r) == 0 for r in three.residuals())


def wrong_tables() -> list[Configuration]:
    found = []
    for block, relation in (("means", "cross_class_1_2"), ("classes_1", "cross_class_1")):
        table = {e: dict(row) for e, row in STRUCTURE.table.items()}
        table[block][relation] = table[block][relation] * 2
        found.append(replace(STRUCTURE, table=table))
    means = STRUCTURE.blocks[-1]
    blocks = (*STRUCTURE.blocks[:-1], replace(means, multiplicity=Integer(2)))
    return [*found, replace(STRUCTURE, blocks=blocks)]


@pytest.mark.parametrize("wrong", wrong_tables(), ids=["means", "classes", "multiplicity"])
def test_a_wrong_table_is_refused(wrong: Configuration) -> None:
    assert any(expand(r) != 0 for r in wrong.residuals())
    assert not isinstance(Blocks.from_configuration(wrong, SIZES).decide(), Holds)


def test_the_statement_of_the_blocks_is_what_is_decided() -> None:
    says = Blocks.from_configuration(STRUCTURE, SIZES)
    assert isinstance(decided(says), Holds)
    rows = list(says.shown.args)
    rows[0] = Tuple(2 * rows[0].args[0], rows[0].args[1])
    assert not isinstance(decided(says.saying(Tuple(*rows))), Holds)
    assert not isinstance(decided(says.saying(Tuple(*rows[1:]))), Holds)


def test_the_sign_of_an_entry_counts_where_three_orbits_meet() -> None:
    """No square has it; but of three entries off the diagonal two may change theirs, not one."""
    three = groups_of_classes([("a", Integer(1), n1), ("b", m2, n2), ("c", m1, n2)], None)
    says = Blocks.from_configuration(three, SIZES)
    assert isinstance(decided(says), Holds)
    rows = list(says.shown.args)
    wanted = [k for k, row in enumerate(rows) if row.args[0].has(entry("cross_class_a_b"))]
    assert len(wanted) == 1
    value, count = rows[wanted[0]].args
    rows[wanted[0]] = Tuple(-value, count)
    assert not isinstance(decided(says.saying(Tuple(*rows))), Holds)


def test_a_block_that_never_occurs_has_no_row() -> None:
    """One class in a group: there are no contrasts of its classes."""
    two = groups_of_classes([("a", Integer(1), n1), ("b", m2, n2)], None)
    empty = [e.name for e in two.blocks if e.multiplicity == 0]
    assert len(empty) == 1
    says = Blocks.from_configuration(two, SIZES)
    assert all(row.args[1] != 0 for row in says.shown.args)
    assert isinstance(decided(says), Holds)


# --- the loss -----------------------------------------------------------------------------------
def by_hand(loss: SoftmaxLoss, names: np.ndarray, gram: np.ndarray, a: float, t: float) -> float:
    """The loss of a Gram matrix, anchor by anchor."""
    kinds = np.vectorize(lambda name: name.rsplit("_", 1)[0] if name[-1] in "12" else name)(names)
    kinds = np.where(np.char.startswith(names.astype(str), "cross_class"), "cross_class", kinds)
    total = 0.0
    for term in loss.terms:
        weight = float(term.coefficient.subs(alpha, a))
        for u in range(len(gram)):
            positives = gram[u][np.isin(kinds[u], term.positives)]
            below = np.exp(gram[u][np.isin(kinds[u], term.denominator)] / t).sum()
            total += weight * (np.log(below) - positives.mean() / t)
    return total / len(gram)


@pytest.mark.parametrize("loss", [SUPCL, SUPCON], ids=lambda loss: loss.name)
def test_the_loss_of_the_optimum_is_that_of_its_gram_matrix(loss: SoftmaxLoss) -> None:
    names, _ = explicit([("1", 3, 4), ("2", 2, 2)], 2)
    found = OPTIMA[loss.name].at(at(3, 4, 2, 2, 2))
    inner = {r: number(v) for r, v in found.inner.items()}
    gram = np.vectorize(inner.__getitem__)(names)
    assert by_hand(loss, names, gram, 0.5, 0.5) == pytest.approx(number(found.loss), abs=1e-12)
    spectrum = np.linalg.eigvalsh(gram)
    assert spectrum.min() > -1e-12 and (spectrum > 1e-9).sum() == found.dimension


# --- the optimum --------------------------------------------------------------------------------
@pytest.mark.slow
@pytest.mark.parametrize(
    "sizes", [(5, 10, 3, 4, 2), (2, 100, 8, 5, 1), (1, 10, 1, 4, 2), (4, 2, 1, 30, 3)]
)
@pytest.mark.parametrize("name", ["supcl", "supcon"])
def test_the_gap_is_proved_to_be_below_the_tolerance(name: str, sizes: tuple[int, ...]) -> None:
    for heat in ("1", "1/10"):
        found = OPTIMA[name].at(at(*sizes, t=heat))
        assert found.gap <= TOLERANCE
        assert found.evidence.grade == Grade.INTERVAL
        with precision(256):
            above = found.certificate.loss(found.program) - enclosure(found.loss, 256)
        assert 0 <= float(above.mid()) < 1e-12


@pytest.mark.slow
def test_a_small_temperature() -> None:
    found = OPTIMA["supcl"].at(at(2, 100, 8, 5, 1, t="1/50"))
    assert found.gap <= TOLERANCE
    assert 0.9 < number(found.inner["same_class_1"]) < number(found.inner["same_class_2"]) < 1


def test_two_groups_of_one_size_are_one_hierarchy() -> None:
    halves = OPTIMA["supcl"].at(at(2, 5, 3, 5, 2))
    whole = least(
        ReducedLoss(SUPCL, hierarchy()),
        {m: Integer(5), n: Integer(5), p: Integer(2), alpha: S.Half, tau: S.Half},
    )
    assert rounded(halves.loss, 30)[1] == rounded(whole.loss, 30)[1]
    for r in ("cross_class_1", "cross_class_2", "cross_class_1_2"):
        assert rounded(halves.inner[r], 30)[1] == rounded(whole.inner["cross_class"], 30)[1]


def test_a_class_size_may_collapse_while_the_other_does_not() -> None:
    found = OPTIMA["supcl"].at(at(5, 10, 3, 4, 1))
    assert found.inner["same_class_2"] == 1
    assert number(found.inner["same_class_1"]) < 0.95


# --- certificates that are wrong ----------------------------------------------------------------
def test_corrupted_certificates_are_refused() -> None:
    found = OPTIMA["supcl"].at(at(5, 10, 3, 4, 2))
    program, right = found.program, found.certificate
    assert isinstance(right.check(program, TOLERANCE), Holds)
    for k in range(len(right.shares)):
        shares = list(right.shares)
        shares[k] += Rational(1, 1000)
        outcome = Certificate(tuple(shares), right.multipliers).check(program, TOLERANCE)
        assert isinstance(outcome, Refuted if k in program.trace else (Refuted, Undecided)), k
    for a in range(len(right.multipliers)):
        for step in (Rational(1, 1000), -Rational(1, 1000)):
            y = list(right.multipliers)
            y[a] += step
            outcome = Certificate(right.shares, tuple(y)).check(program, TOLERANCE)
            assert isinstance(outcome, Undecided)


def test_below_a_zero_on_the_diagonal_there_is_nothing() -> None:
    """A share of zero of one group's means, with an inner product between the groups left."""
    found = OPTIMA["supcl"].at(at(2, 3, 2, 2, 2))
    program, shares = found.program, list(found.certificate.shares)
    (b,) = (b for b, e in enumerate(program.blocks) if e.size > 1)
    corner, beside = program.by_block[b][:2]
    assert shares[beside] != 0
    orbit = program.trace[corner]
    other = next(k for k, a in program.trace.items() if a == orbit and k != corner)
    shares[other] += shares[corner]
    shares[corner] = S.Zero
    outcome = Certificate(tuple(shares), found.certificate.multipliers).check(program, TOLERANCE)
    assert isinstance(outcome, Refuted) and "positive semidefinite" in str(outcome)
    # Where the diagonal is as it should be and the determinant is not.
    shares = list(found.certificate.shares)
    shares[beside] = S(2)
    outcome = Certificate(tuple(shares), found.certificate.multipliers).check(program, TOLERANCE)
    assert isinstance(outcome, Refuted) and "positive semidefinite" in str(outcome)


def test_a_feasible_point_that_is_not_optimal_has_a_gap_that_is_right() -> None:
    found = OPTIMA["supcl"].at(at(5, 10, 3, 4, 2))
    other = Certificate(tuple(found.program.start()), found.certificate.multipliers)
    assert isinstance(other.check(found.program, TOLERANCE), Undecided)
    with precision(256):
        excess = other.loss(found.program) - enclosure(found.loss, 256)
        assert excess > 0 and other.gap(found.program) > excess


def test_the_statement_of_the_certificate_can_fail() -> None:
    gap = Symbol("gap")
    right = Certified(Le(gap, TOLERANCE), SIZES.with_range(alpha, *_half()), OPTIMA["supcl"])
    assert isinstance(right.decide(), Holds)
    assert not isinstance(right.saying(Le(gap, Rational(1, 10**60))).decide(), Holds)
    assert not isinstance(right.saying(Le(TOLERANCE, gap)).decide(), Holds)


def _half() -> tuple:
    from cltheory.derive.decide.domain import between

    return between(0, 1), S.Half


# --- the results --------------------------------------------------------------------------------
def test_the_results_give_proved_digits() -> None:
    found = results["supcl-two-sizes"]
    given = {"m1": 5, "n1": 10, "m2": 3, "n2": 4, "p": 1, "alpha": "1/2", "tau": "1/2"}
    few, many = (str(found.value("loss", digits=d, **given)) for d in (20, 60))
    assert many.startswith(few[:19])
    assert str(found.value("rank", **given)).startswith("52")
    with pytest.raises(DomainError, match="numerical values: give n1, m2"):
        found.value("loss", m1=5)
    with pytest.raises(DomainError, match="numerical values: give a finite n1"):
        found.value("loss", **{**given, "n1": "oo"})
    with pytest.raises(AttributeError, match="same_instance_1"):
        found.value("same_instance_1", **given)  # with one view there are no such pairs
    assert set(found.quantities) == {"vectors"}
    assert found.with_inputs(at=given).evidence.grade == Grade.INTERVAL


def test_a_number_that_cannot_be_put_back_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    given = {"m1": 3, "n1": 3, "m2": 2, "n2": 2, "p": 1, "alpha": "1/2", "tau": "1/2"}
    found = results["supcl-two-sizes"]
    assert found.value("loss", **given) > 0
    right = BlockOptimum.written

    def elsewhere(self: BlockOptimum, bits: int) -> tuple:
        program, certificate = right(self, bits)
        return program, Certificate(tuple(program.start()), certificate.multipliers)

    def shifted(self: BlockOptimum, bits: int) -> tuple:
        program, certificate = right(self, bits)
        moved = tuple(y + 1 for y in certificate.multipliers)
        return program, replace(certificate, multipliers=moved)

    for wrong in (elsewhere, shifted):
        monkeypatch.setattr(BlockOptimum, "written", wrong)
        for name in ("loss", "same_class_1"):
            with pytest.raises(Inconsistent, match="minimiser"):
                found.value(name, **given)


def test_a_group_without_positives_is_refused() -> None:
    with pytest.raises(DomainError, match="positives") as error:
        OPTIMA["supcl"].at(at(5, 1, 3, 4, 2))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("heat", ["1/100", pytest.param("1/1000", marks=pytest.mark.slow)])
@pytest.mark.parametrize("other", ["4", "10"])
def test_small_temperatures_are_followed_from_larger_ones(heat: str, other: str) -> None:
    """Of equal sizes the optimum is that of the theorem; of others it is certified."""
    given = {"m1": 5, "n1": 10, "m2": 3, "n2": other, "p": 1, "alpha": "1/2", "tau": heat}
    sizes = results["supcl-two-sizes"]
    assert sizes.value("gap", **given) < 1e-12
    assert sizes.value("rank", **given) == 8 * 9 + 7 if other == "10" else 5 * 9 + 3 * 3 + 7
    if other == "10":
        alike = {"m": 8, "n": 10, "p": 1, "alpha": "1/2", "tau": heat}
        wanted = results["supcl-optimum"].value("loss", 25, **alike)
        assert abs(sizes.value("loss", 25, **given) - wanted) < 1e-22
