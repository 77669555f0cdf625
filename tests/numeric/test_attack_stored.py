"""What is kept of attacks: it is what it says, and no proved bound is violated there."""

from __future__ import annotations

import pytest
from cltheory.derive.results import results
from cltheory.derive.theorem.bounds import ATTACKED, About
from cltheory.numeric.attack import bounds_of, load, replay
from cltheory.numeric.attack.replay import DIGITS
from cltheory.numeric.attack.stored import BadRecord, Record
from cltheory.numeric.attack.target import Target
from mpmath import nstr

FILES = sorted(ATTACKED.glob("*.json"))


def test_some_are_kept() -> None:
    assert FILES


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_ratios_are_what_they_are_said_to_be(file) -> None:
    result = results[file.stem]
    records = load(file.read_text(encoding="utf-8"))
    assert [r.quantity for r in records] == sorted({r.quantity for r in records})
    for record in records:
        assert record.result == file.stem
        sides = replay(Target.from_result(result, record.quantity, record.constants), record)
        ratio = nstr(sides.ratio, DIGITS)
        assert record.ratio == ratio, "run `cltheory attack ID --out FILE` again"
        assert bounds_of(result)[record.quantity].printed or not sides.is_violated


@pytest.mark.parametrize("tau", ["1e-3", "1e-6", "1e-30"])
@pytest.mark.parametrize("positive", [["1", "0"], ["0.999", "0.05"]])
def test_a_bound_that_vanishes_is_not_violated(tau: str, positive: list[str]) -> None:
    """Where rho is 1 to all digits of the work: what is left of 1 - rho is no 0."""
    vectors = {"anchor": ["1", "0"], "positive": positive, "negatives": [["-1", "0"], ["0", "1"]]}
    result = results["spectral-band"]
    for name, bound in bounds_of(result).items():
        if bound.about is About.ANCHOR:
            record = Record(result.id, name, bound.about, vectors, tau)
            sides = replay(Target.from_result(result, name), record)
            assert not sides.is_violated, name
            assert bound.side == "lower" or sides.bound > 0, name


def test_a_configuration_of_another_kind_is_refused() -> None:
    target = Target.from_result(results["spectral-band"], "upper")
    with pytest.raises(BadRecord, match="of the kind ANCHOR, not BATCH"):
        replay(target, Record("spectral-band", "upper", About.BATCH, {"z": [["1"]] * 4}, "1"))
