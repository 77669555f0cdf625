"""True statements are proved and false ones are not, in the typography of authors."""

from __future__ import annotations

import random
import runpy
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from cltheory.derive.tex.check import check_equation
from cltheory.derive.tex.directives import directive
from cltheory.derive.tex.edit import edits
from statements import mended, run, stored, verbatim
from statements.printed import add, num, printed
from statements.run import KINDS, count, counts, rates, shown, statements, table
from statements.statement import made
from statements.targets import FORMULAS, IDS, misstates, states

DOCS = Path(__file__).resolve().parents[3] / "docs"
#: Of the true statements, how many have to be proved.
PROVED = 0.9
#: Of those of one kind.
IN_EACH = 0.8
#: Each has seconds of its own, so that on a slow machine this part may end as "undecided", or
#: without an edit.
SLOWER = 0.05
#: Statements of each kind in the quick run.
FEW = 2


# --- the corpus itself ----------------------------------------------------------------------
def test_there_are_thousands_and_they_are_always_the_same() -> None:
    assert sum(number for number, _ in KINDS.values()) > 2500
    for kind, (_, maker) in KINDS.items():
        assert made(kind, 1, maker) == made(kind, 1, maker)


@pytest.mark.parametrize("id", IDS)
def test_what_is_printed_has_the_derived_value(id: str) -> None:
    for target in (t for t in FORMULAS if t.id == id):
        chance = random.Random(target.text)
        node = printed(target.derived)
        assert states(node, target, chance), target
        assert not misstates(node, target, chance), target
        assert not states(add(node, num(1)), target, chance), target
        assert misstates(add(node, num(1)), target, chance), target


@pytest.mark.slow
def test_all_quantities_occur() -> None:
    seen = Counter(w.directive.split()[0] for w in statements(["true/algebra"]))
    assert set(seen) == {t.text for t in FORMULAS}


# --- rates ----------------------------------------------------------------------------------
def accepted(rows: dict[str, run.Row]) -> list[str]:
    return [shown(*f) for k, r in rows.items() for f in r.failures if k.startswith("false")]


def test_a_sample(monkeypatch) -> None:
    # What an edit would be is looked for below, and takes longer than all the rest.
    monkeypatch.setattr("cltheory.derive.tex.edit.edits.suggest", lambda *a, **more: None)
    rows = count(statements(few=FEW))
    assert accepted(rows) == []
    assert rates(counts(rows))[0] >= PROVED, table(counts(rows))


def test_what_is_stored_is_good_and_is_what_the_docs_show() -> None:
    found = stored.found()["kinds"]
    proved, wrong = rates(found)
    assert proved >= PROVED and wrong == 0
    for kind, words in found.items():
        assert not kind.startswith("true") or words["equal"] >= IN_EACH * sum(words.values()), kind
    assert set(found) == set(run.EVERY_KIND)
    page = runpy.run_path(str(DOCS / "make_checking.py"))["page"]()
    assert page == (DOCS / "checking.md").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.net
@pytest.mark.parametrize("kind", run.EVERY_KIND)
def test_every_statement(kind: str) -> None:
    rows = count(run.of_kind(kind))
    assert accepted(rows) == []
    there, here = stored.found(), stored.of(rows)
    slack = 1 + SLOWER * sum(there["kinds"][kind].values())
    for sort in ("kinds", "edits"):
        before, now = (Counter(_by_word(k[sort].get(kind, {}))) for k in (there, here))
        assert now.total() == before.total()
        assert sum((now - before).values()) <= slack, (before, now)


def _by_word(row: dict[str, Any]) -> dict[str, int]:
    """Numbers by size and word, or by word alone."""
    return {
        f"{k} {word}": n
        for k, v in row.items()
        for word, n in (v if isinstance(v, dict) else {"": v}).items()
    }


# --- edits ----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "number, kind",
    [(k, kind) for kind in ("false/value", "false/bound") for k in (1, 2, 4)],
)
def test_the_suggested_edit_is_proved(number: int, kind: str) -> None:
    written = made(kind, number, KINDS[kind][1])
    found = check_equation(written.source, directive(written.directive))
    assert found.verdict == "differs" and found.edit is not None
    assert check_equation(found.edit.source, directive(written.directive)).ok


@pytest.mark.parametrize(
    "text, right, wrong",
    [
        # a condition inside cases
        (verbatim.VARIANCE, r"\tau \ge", r"\tau \le"),
        # the first side of a chain
        (verbatim.ALPHA, r"= \frac{1 + (mn-1)", r"= \frac{1 - (mn-1)"),
        # strictness, direction, and the bracket of an interval
        (verbatim.ALPHA, r"\alpha >", r"\alpha \ge "),
        (verbatim.ALPHA, r"\alpha >", r"\alpha < "),
        (verbatim.ALPHA, r"\alpha \in (", r"\alpha \in ["),
    ],
)
def test_one_token_is_taken_back(text: str, right: str, wrong: str) -> None:
    q = r"e^{-\frac{m}{(m-1)\tau}}"
    a = rf"\frac{{1 + (mn-1){q}}}{{n(1 + (m-1){q})}}"
    sources = [
        rf"\begin{{cases}} 0 & \tau \ge {verbatim.END} \\ {verbatim.LINE} & "
        rf"\tau < {verbatim.END} \end{{cases}}",
        rf"\alpha_{{\min}} = {a} = {verbatim.A}",
        rf"\alpha > {a}",
        rf"\alpha \in ({a}, 1]",
    ]
    source = next(s for s in sources if right in s)
    found = check_equation(source.replace(right, wrong, 1), directive(text))
    assert found.verdict == "differs" and found.edit is not None
    assert not mended.distance(mended.tokens(found.edit.source), mended.tokens(source))


def test_a_condition_that_is_turned_round_is_taken_back() -> None:
    source = r"d_{\min} = \begin{cases} N - 1 & \delta \ne 0 \\ N & \text{otherwise} \end{cases}"
    found = check_equation(source, directive("ccem.min_dimension"))
    assert found.verdict == "differs" and found.edit is not None
    assert found.edit.source == source.replace(r"\ne", "=")


@pytest.mark.parametrize("printed", ["n - 1", "1 + n", "n+1"])
def test_a_term_too_many_is_deleted_and_not_made_0(printed: str) -> None:
    marked = directive(r"supcl-threshold.alpha_min_tau_0 [x -> alpha_min_tau_0]")
    found = check_equation(rf"x = \frac{{1}}{{{printed}}}", marked)
    assert found.edit is not None and found.edit.description.startswith("delete ")
    assert found.edit.source.replace(" ", "") == r"x=\frac{1}{n}"


def test_a_condition_that_differs_in_its_end_says_so_without_a_point() -> None:
    source = rf"\alpha \ge {verbatim.A}"
    found = check_equation(source, directive(verbatim.ALPHA))
    assert found.message.endswith("includes the threshold itself, the derived one excludes it")
    assert found.printed.startswith("alpha >= ") and found.derived.startswith("alpha > ")
    assert r"\alpha \geq \frac" in found.printed_latex and not found.point
    assert check_equation(source.replace(r"\ge ", "> "), directive(verbatim.ALPHA)).ok


def test_the_search_for_an_edit_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    before = edits._Search.read

    def counted(self: edits._Search, text: str, **more: object) -> object:
        read.append(len(text))
        return before(self, text, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(edits._Search, "read", counted)
    monkeypatch.setattr(edits, "READ", 4000)
    source = rf"\alpha_{{\min}} = {verbatim.A} + \log(m + n) - \frac{{m^5}}{{n}}"
    found = check_equation(source, directive(verbatim.ALPHA))
    assert found.verdict == "differs" and found.edit is None
    assert len(read) > 3 and sum(read) < 4000 + 3 * max(read)
