"""Every mutant of the engine is noticed by the tests that it names, and the runner works."""

from __future__ import annotations

import pytest
from mutant import ROOT, BadMutant, Mutant, every, survives

EVERY = every()


def test_every_mutant_can_be_made() -> None:
    """A refactored line must be followed by its mutant: this is quick, so it is always run."""
    assert len(EVERY) >= 300
    assert len({m.name for m in EVERY}) == len(EVERY)
    for m in EVERY:
        m.applied((ROOT / "derive" / m.module).read_text("utf-8"))
        assert m.tests
        for file, _, function in (t.partition("::") for t in m.tests):
            text = (ROOT / "tests" / file).read_text("utf-8")
            assert not function or f"def {function}(" in text
        compile(m.applied((ROOT / "derive" / m.module).read_text("utf-8")), m.module, "exec")


def test_a_mutant_that_cannot_be_made_is_an_error() -> None:
    text = "a = 1\nb = 1\n"
    for old, new in (("c = 1", "c = 2"), ("= 1", "= 2"), ("a = 1", "a = 1")):
        with pytest.raises(BadMutant):
            Mutant("m.py", old, new, "", ()).applied(text)
    assert Mutant("m.py", "a = 1", "a = 2", "", ()).applied(text) == "a = 2\nb = 1\n"


QUICK = "derive/test_domain.py::test_ends_belong_as_they_are_declared"


@pytest.mark.slow
def test_what_is_not_changed_survives_and_what_is_wrong_does_not() -> None:
    wrong = Mutant("decide/domain.py", 'ends[0] == "("', 'ends[0] == "["', "", (QUICK,))
    assert survives(None, (QUICK,))
    assert not survives(wrong, wrong.tests)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "test", "says"),
    [
        ("import nowhere", QUICK, "No module named 'nowhere'"),
        ("import os; os._exit(1)", QUICK, "ended with 1:"),
        ("import os; os.abort()", QUICK, "ended with -6:"),
        ("", "derive/test_nowhere.py", "file or directory not found"),
        ("", "derive/test_domain.py::test_nothing", "not found"),
    ],
)
def test_tests_that_are_not_run_notice_nothing(first: str, test: str, says: str) -> None:
    """A module that does not import, a process that dies, a test that there is not."""
    line = "from __future__ import annotations\n"
    mutant = Mutant("decide/domain.py", line, f"{line}{first}  # changed\n", "", (test,))
    with pytest.raises(BadMutant, match=says):
        survives(mutant, mutant.tests)


@pytest.mark.slow
@pytest.mark.net
@pytest.mark.parametrize("tests", sorted({m.tests for m in EVERY}))
def test_the_tests_pass_without_a_mutant(tests: tuple[str, ...]) -> None:
    assert survives(None, tests)


@pytest.mark.slow
@pytest.mark.net
@pytest.mark.parametrize("m", EVERY, ids=[m.name for m in EVERY])
def test_the_mutant_is_noticed(m: Mutant) -> None:
    assert not survives(m, m.tests)
