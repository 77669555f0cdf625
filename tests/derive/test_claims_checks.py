"""Every named check of every paper: what a record of it corrupts is refused."""

from __future__ import annotations

import pytest
from cltheory.derive.papers import PAPERS, ledger_of
from cltheory.derive.papers.records.family import load
from cltheory.derive.papers.records.mutate import holes
from cltheory.derive.papers.records.record import Record, Wording
from cltheory.derive.papers.records.run import CHECKS, trials

RECORDS = [one for key in PAPERS for one in ledger_of(key).records()]
#: By the name of a check the first record that holds by it, and what is known to fail by it.
HOLDS: dict[str, Record] = {}
FAILS: dict[str, Wording] = {}
for key in PAPERS:
    load(ledger_of(key).package)
    for claim in ledger_of(key):
        one = claim.record
        HOLDS.setdefault(one.right.check, one)
        if one.corrupted is not None:
            FAILS.setdefault(one.corrupted.check, one.corrupted)
        if claim.known_verdict().word != "agrees":
            FAILS.setdefault(one.printed.check, one.printed)


def test_no_check_is_idle() -> None:
    used = {w.check for one in RECORDS for w in (one.printed, one.right, *one.fair_readings)}
    assert {*CHECKS} == used - {""}


@pytest.mark.sample(25)
@pytest.mark.parametrize("check", sorted({*CHECKS} & {*HOLDS, *FAILS}))
def test_a_check_refuses_what_is_wrong(check: str) -> None:
    """A print that does not hold, what a record itself corrupts, or a slip in what holds."""
    if check in FAILS:
        assert any(trial.holds is False for trial in trials(FAILS[check]))
    else:
        assert holes(HOLDS[check], most=3).killed
