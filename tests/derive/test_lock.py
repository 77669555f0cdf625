"""Locks: what is frozen, what is said to have changed, and locks that are none."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from cltheory.derive.decide.domain import Domain, Range
from cltheory.derive.decide.evidence import Evidence, Grade
from cltheory.derive.decide.expectation import Expectation
from cltheory.derive.decide.hypergeometric import Log0F1
from cltheory.derive.optimum.delsarte import PairBound
from cltheory.derive.proof.derivation import Derivation
from cltheory.derive.results import UnknownResult, results
from cltheory.derive.theorem.kinds import Kind
from cltheory.derive.theorem.quantity import Quantity
from cltheory.derive.theorem.result import Result
from cltheory.derive.write import lock as locks
from cltheory.derive.write.lock import Change, LockError, freeze, read_lock
from hypothesis import given
from hypothesis import strategies as st
from sympy import FiniteSet, Gt, Interval, Max, Min, Piecewise, S, Union, exp, symbols

ID, NAME = "supcl-threshold", "alpha_min"


@cache
def frozen(*ids: str) -> str:
    return freeze(ids)


def altered(text: str, id: str, name: str, **new: Any) -> str:
    """The lock as an older version might have written it: with a sum that fits."""
    found = json.loads(text)
    entry = found["quantities"][id][name]
    entry |= new
    entry["sha256"] = locks._sum(entry)
    return json.dumps(found)


def compare_lock(text: str) -> list[Change]:
    return locks.compare_lock(text, lambda entries: map(locks.equivalent, entries))


def only(text: str) -> Change:
    (found,) = compare_lock(text)
    return found


# --- what is frozen ---------------------------------------------------------------------------
def test_nothing_has_changed() -> None:
    assert compare_lock(frozen()) == []
    assert compare_lock(frozen(ID)) == []


def test_unknown_results_are_refused() -> None:
    with pytest.raises(UnknownResult):
        freeze(["no-such"])


# --- what has changed -------------------------------------------------------------------------
def test_another_form_is_found_equal() -> None:
    old = "(1 + (m*n - 1)*exp(-m/((m - 1)*tau)))/(n + n*(m - 1)*exp(-m/((m - 1)*tau)))"
    found = only(altered(frozen(ID), ID, NAME, expression=old))
    assert (found.id, found.quantity, found.kind) == (ID, NAME, "changed")
    assert found.equivalent is True
    assert "written otherwise, but equal" in found.message
    assert old in found.message


@pytest.mark.parametrize(
    "old",
    [
        "(1 - (m*n - 1)*exp(-m/((m - 1)*tau)))/(n + n*(m - 1)*exp(-m/((m - 1)*tau)))",
        "(1 + (m*n - 1)*exp(-m/((m - 1)*tau)))/(m + n*(m - 1)*exp(-m/((m - 1)*tau)))",
        "1/n",
        "tau",
    ],
)
def test_another_formula_is_found_different(old: str) -> None:
    found = only(altered(frozen(ID), ID, NAME, expression=old))
    assert found.kind == "changed" and found.equivalent is False
    assert "not equal" in found.message


@pytest.mark.parametrize(
    "old",
    [
        "__import__('os').system('true')",
        "q + 1",
        "9**9**9**9",
        "(" * 500 + "m" + ")" * 500,
        "",
    ],
)
def test_what_cannot_be_read_is_not_decided(old: str) -> None:
    found = only(altered(frozen(ID), ID, NAME, expression=old))
    assert found.kind == "changed" and found.equivalent is None
    assert len(found.message) < 1000


def test_expressions_of_roots_are_compared_and_their_equations_are_not() -> None:
    text = frozen("supcl-optimum")
    entry = json.loads(text)["quantities"]["supcl-optimum"]["same_class"]
    (name, root) = next(iter(entry["roots"].items()))
    found = only(altered(text, "supcl-optimum", "same_class", expression="(2 - 2*x_star)/2"))
    assert found.equivalent is True
    found = only(altered(text, "supcl-optimum", "same_class", expression="1 - 2*x_star"))
    assert found.equivalent is not True
    for other in ({"zero_of": f"2*({root['zero_of']})"}, {"high": "n/(n - 1)/2"}):
        roots = {name: root | other}
        found = only(altered(text, "supcl-optimum", "same_class", roots=roots))
        assert found.equivalent is None


#: What the reader of locks has no words for, or does not compare.
UNREAD = (Max, Min, Expectation, Log0F1, PairBound)


@pytest.mark.sample(6)
@pytest.mark.parametrize("id", list(results))
def test_the_text_of_a_lock_is_read_back(id: str) -> None:
    for name, entry in json.loads(frozen(id))["quantities"][id].items():
        q = results[id].quantity(name)
        if q.kind in (Kind.NAME, Kind.CONDITION) or q.expression.has(Piecewise):
            continue
        found = locks._equivalent(results[id], name, entry)
        assert found is True or (found is None and q.expression.has(*UNREAD)), name


@pytest.mark.parametrize(
    "part, old, says",
    [
        ("1/m", "m/m**2", True),
        ("1/m", "1/(m + 1)", False),
        ("{5", "{6", False),
        ("Ropen", "Lopen", None),
        (", Interval(2/m, 3)", "", None),
        ("3)", "3", None),
        ("1/m", "__import__('os')", None),
    ],
)
@pytest.mark.parametrize("may_be_empty", [False, True])
def test_sets_are_compared_by_their_ends(
    part: str, old: str, says: bool | None, may_be_empty: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where ends differ that may be in reverse order, both sets may be empty."""
    m = symbols("m", positive=True)
    parts = Interval.Ropen(0, 1 / m), Interval(2 / m, 3), FiniteSet(5 + 4 / m)
    x = Quantity(Union(*parts, evaluate=False), "x", "a set", parameter=symbols("x"))
    domain = Domain({m: Range(S(2))}, {m: S(3)})

    def build(proof: Derivation) -> dict[str, Quantity]:
        proof.holds("m > 0", Gt(m, 0, evaluate=False), "", domain)
        return {"x": x}

    made = Result("made", title="", source="", domain=domain, build=build)
    monkeypatch.setattr(locks, "may_be_empty", lambda *_: may_be_empty)
    entry = locks.frozen(made, "x")
    assert part in entry["expression"] and locks._equivalent(made, "x", entry) is True
    entry["expression"] = entry["expression"].replace(part, old)
    assert locks._equivalent(made, "x", entry) is ((says or None) if may_be_empty else says)


def test_a_number_is_the_same_in_a_sum_and_before_it() -> None:
    x, y = symbols("x y", positive=True)
    before, inside, other = 2 * ((-x - 1) / y), (-2 * x - 2) / y, 2 * ((1 - x) / y)
    one, same, differs = (locks._as_read(Max(exp(e), x)) for e in (before, inside, other))
    assert before != inside and one == same != differs


def test_a_minimum_is_told_from_another() -> None:
    text = frozen("effective-rank")
    assert json.loads(text)["quantities"]["effective-rank"]["effective_rank_upper"][
        "expression"
    ] in ("min(d, n)", "min(n, d)")
    for old, same in (("-max(-n, -d)", True), ("min(d, n + 1)", False), ("max(d, n)", False)):
        found = only(altered(text, "effective-rank", "effective_rank_upper", expression=old))
        assert found.equivalent is same


def test_a_domain_or_weaker_evidence_is_a_change(monkeypatch: pytest.MonkeyPatch) -> None:
    domain = json.loads(frozen(ID))["quantities"][ID][NAME]["domain"]
    found = only(altered(frozen(ID), ID, NAME, domain={**domain, "tau": ">= 0"}))
    assert found.kind == "changed" and found.equivalent is None
    assert "domain: tau was >= 0, is > 0" in found.message
    # What was known less well is no loss.
    assert compare_lock(altered(frozen(ID), ID, NAME, evidence="sampled")) == []
    text = frozen(ID)
    weak = Evidence(Grade.SAMPLED, "for a test")
    monkeypatch.setattr(type(results[ID]), "evidence_of", lambda self, name: weak)
    assert all("evidence was exact, is sampled" in c.message for c in compare_lock(text))
    assert compare_lock(text)


def test_what_is_gone_is_noticed() -> None:
    found = json.loads(frozen(ID))
    entry = found["quantities"][ID]["no_such"] = found["quantities"][ID].pop("tau_max")
    found["quantities"]["no-such"] = {"x": entry}
    changes = compare_lock(json.dumps(found))
    assert {(c.id, c.quantity, c.kind) for c in changes} == {
        (ID, "no_such", "missing"),
        ("no-such", "x", "missing"),
    }


# --- what is not a lock -----------------------------------------------------------------------
def corrupted(text: str, change: Callable[[dict[str, Any]], object]) -> str:
    found = json.loads(text)
    change(found)
    return json.dumps(found)


def entry_of(found: dict[str, Any]) -> dict[str, Any]:
    entry: dict[str, Any] = found["quantities"][ID][NAME]
    return entry


@pytest.mark.parametrize(
    "change, says",
    [
        (lambda f: f.update(format="other"), "not a lock"),
        (lambda f: f.update(format_version=2), "format 2"),
        (lambda f: f.pop("quantities"), "no table"),
        (lambda f: f["quantities"].update({ID: 3}), "no table"),
        (lambda f: entry_of(f).update(expression="m"), "was altered at supcl-threshold.alpha_min"),
        (lambda f: entry_of(f).update(evidence="certain"), "damaged"),
        (lambda f: entry_of(f).update(sha256="0" * 64), "was altered"),
        (lambda f: entry_of(f).update(roots={"x_star": {}}), "damaged"),
        (lambda f: entry_of(f).update(domain=["m"]), "damaged"),
        (lambda f: f["quantities"][ID].update({NAME: None}), "damaged"),
    ],
)
def test_a_damaged_lock_is_refused(change: Callable[[dict[str, Any]], object], says: str) -> None:
    with pytest.raises(LockError, match=says) as refusal:
        compare_lock(corrupted(frozen(ID), change))
    assert len(str(refusal.value)) < 300 and "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    "text",
    ["", "null", "[]", "{", "{}", "\x00", "[" * 100_000, '{"a":' * 100_000, "9" * 10_000]
    + ['{"format": "cltheory-lock"}', " " * (locks.MAX_LENGTH + 1)],
    ids=lambda text: text[:12],
)
def test_what_is_no_lock_is_refused(text: str) -> None:
    with pytest.raises(LockError) as refusal:
        read_lock(text)
    assert len(str(refusal.value)) < 300


def test_a_lock_in_which_a_key_stands_twice_is_refused() -> None:
    text = frozen(ID)
    with pytest.raises(LockError, match="not valid JSON"):
        read_lock(text.replace('"quantities"', '"quantities": {"mine": {}}, "quantities"'))


@given(st.integers(0, 10**6), st.text(min_size=1, max_size=3))
def test_a_lock_changed_anywhere_is_refused_or_noticed(place: int, put: str) -> None:
    text = frozen(ID)
    at = place % len(text)
    broken = text[:at] + put + text[at + 1 :]
    if broken == text:
        return
    try:
        compare_lock(broken)
    except LockError:
        return
    # What is left: white space, the version that wrote it, names, and what is not said.
    one, other = json.loads(text), json.loads(broken)
    for found in (one, other):
        for extra in set(found) - {"format", "format_version", "quantities"}:
            del found[extra]
    assert one == other or compare_lock(broken)


def test_a_lock_of_nothing_is_no_lock() -> None:
    for quantities in ({}, {"supcl-threshold": {}}):
        text = json.dumps({**json.loads(freeze([ID])), "quantities": quantities})
        with pytest.raises(LockError, match="no quantities"):
            compare_lock(text)
