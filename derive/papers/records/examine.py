"""From a record to its verdict, computed; and what is wrong with the record itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from ...decide.evidence import Evidence, Grade, weakest
from ...decide.exact import NotANumber, exact
from ...frozen import FrozenValue
from ...language.nodes import Connected
from ...language.quantities import Unknown
from ...vectors.embeddings import Embeddings
from ..verdict import Verdict
from .families import first_alone
from .functions import function_named
from .hypotheses import Condition
from .record import Record, Witness, Wording
from .run import Trial, checked, equations, proof, scene_of, trials, tried
from .tables import Tables

#: Fewest trials that are any support.
FEWEST = 1


class Examined(FrozenValue):
    """A verdict, and what is wrong with the record itself (nothing, if it may be published)."""

    verdict: Verdict
    problems: tuple[str, ...] = ()
    found: Witness | None = None


@dataclass
class Tally:
    """What trying a wording came to."""

    good: list[Trial] = field(default_factory=list)
    bad: list[Trial] = field(default_factory=list)
    open: list[Trial] = field(default_factory=list)

    @classmethod
    def from_trials(cls, found: Iterable[Trial]) -> Tally:
        """Sort trials."""
        tally = cls()
        for trial in found:
            {True: tally.good, False: tally.bad, None: tally.open}[trial.holds].append(trial)
        return tally

    def where(self, condition: Condition | None, holds: bool) -> Tally:
        """Those inside a condition, or outside."""
        if condition is None:
            return self if holds else Tally()

        def part(some: list[Trial]) -> list[Trial]:
            return [t for t in some if condition.holds(t.point, t.vectors) == holds]

        return Tally(part(self.good), part(self.bad), part(self.open))


def verdict_on(record: Record) -> Verdict:
    """The verdict on a record, computed."""
    return examine(record).verdict


def examine(record: Record) -> Examined:
    """Reach the verdict on a record."""
    if not record.mathematical:
        note = f"at odds: {record.at_odds}" if record.at_odds else ""
        how = Evidence(Grade.EXACT, "nothing to run")
        readings = {record.under_reading: "nothing to run"} if record.under_reading else {}
        return Examined(Verdict("not-mathematical", how, note, readings=readings))
    try:
        found = _examine(record)
        return over_readings(record, found) if record.under_reading else found
    except LookupError as error:  # a name, result or check that is not there
        text = str(error.args[0])
        how = Evidence(Grade.SAMPLED, text)
        return Examined(Verdict("undecided", how, text), (f"it cannot be run: {text}",))


def _examine(record: Record) -> Examined:
    condition = record.stated_under()
    tally = Tally.from_trials(trials(record.printed))
    slips = record.printed.unused()
    problems = [*_wrong_with_tests(record, tally)]
    verdict: Verdict
    if not tally.bad and not slips:
        verdict = _agreeing(record.printed, None, tally)
        if verdict.word == "agrees" and not verdict.note:
            verdict = verdict._replace(note=record.remark)
        if condition is not None:
            problems.append(f"nothing fails without {condition.text}")
        vain = [k for k in ("reading", "witness", "correction") if getattr(record, k) is not None]
        problems += [f"the record has a {k}, but the print holds as it stands" for k in vain]
        return Examined(verdict, tuple(problems))
    tally.bad.sort(key=_simplicity)
    if record.correction or record.reading:  # what is wrong where these are right comes first
        tally.bad.sort(key=lambda t: condition is not None and not _met(condition, t))
    found = witness_of(tally.bad[0]) if tally.bad else None
    problems += _stored_witness(record, found)
    failing = tally.bad[0] if tally.bad else None
    if record.reading is not None:
        verdict, more = _misprint(record, condition)
    elif condition is not None and record.correction is None:
        verdict, more = _conditional(record, condition, tally)
    elif slips and failing is None:
        verdict, more = _slip(slips), ["a letter that is not used needs a reading"]
    else:
        drawn = failing is not None and failing.simulated
        grade = Grade.SAMPLED if drawn else Grade.EXACT
        verdict = Verdict("differs", Evidence(grade, f"fails {_where(failing)}"))
        more = []
    problems += more
    if record.correction is not None:
        problems += _wrong_with_correction(record, condition)
    elif record.reading is None and condition is None and not record.fair_readings:
        problems.append("it differs and has no correction")
    if verdict.word != "agrees" and not record.origin:
        problems.append("a verdict that is not agrees has an origin")
    note = _note(record, verdict, failing, slips)
    verdict = verdict._replace(note=note, witness=shown(record.witness or found))
    return Examined(verdict, tuple(problems), found)


# --- loose words -----------------------------------------------------------------------------
def over_readings(record: Record, found: Examined) -> Examined:
    """The verdict over all fair readings: only where every one fails it differs."""
    first = found.verdict
    wordings = (record.printed, *record.fair_readings)
    verdicts = [first, *(_for_wording(record, wording) for wording in record.fair_readings)]
    names = [record.under_reading, *(w.text for w in record.fair_readings)]
    outcomes = (_outcome(record, w, v) for w, v in zip(wordings, verdicts, strict=True))
    said = dict(zip(names, outcomes, strict=True))
    words = {v.word for v in verdicts}
    problems = list(found.problems)
    if "undecided" in words:
        verdict = next(v for v in verdicts if v.word == "undecided")
        problems += [] if first.word == "undecided" else ["a fair reading is undecided"]
    elif words == {"differs"} and len(verdicts) == 1:
        how = Evidence(Grade.SAMPLED, "it fails under one reading, and no other was tried")
        verdict = Verdict("undecided", how)
        problems.append("it fails under one reading: list every fair one, each must fail")
    elif len(words) == 1:
        verdict = first
    else:
        how = weakest(v.evidence for v in verdicts if v.word != "differs")
        verdict = first._replace(word="needs-condition", evidence=how)
    if verdict.word == "differs" and record.correction is None:
        problems.append("it differs and has no correction")
    if verdict.word != "agrees" and not record.origin:
        problems.append("a verdict that is not agrees has an origin")
    problems = list(dict.fromkeys(problems))
    verdict = verdict._replace(note=first.note, witness=first.witness, readings=said)
    return Examined(verdict, tuple(problems), found.found)


def _for_wording(record: Record, wording: Wording) -> Verdict:
    """What a fair reading comes to: agrees, differs or undecided."""
    same = wording.under == record.printed.under
    return _reached(record, wording, record.stated_under(), within=same)


def _reached(
    record: Record, wording: Wording, condition: Condition | None, *, within: bool = True
) -> Verdict:
    """What a wording comes to: agrees, differs or undecided; ``within`` a condition only."""
    tally = Tally.from_trials(trials(wording))
    if within:
        tally = tally.where(condition, True)
    if tally.bad:
        failing = min(tally.bad, key=_simplicity)
        grade = Grade.SAMPLED if failing.simulated else Grade.EXACT
        return Verdict("differs", Evidence(grade, f"fails {_where(failing)}"))
    if wording.unused():
        return _slip(wording.unused())
    return _agreeing(wording, condition, tally)


def _outcome(record: Record, wording: Wording, verdict: Verdict) -> str:
    if verdict.word in ("agrees", "needs-condition"):
        within = record.condition and wording.under == record.printed.under
        return f"holds where {record.condition}" if within else "holds"
    how = verdict.evidence.how.replace("fails always:", "fails:")
    return how if verdict.word == "differs" else verdict.word


# --- the verdicts ----------------------------------------------------------------------------
def _agreeing(wording: Wording, condition: Condition | None, tally: Tally) -> Verdict:
    """Agrees, by proof or by trials; undecided where some of them are open."""
    proved = proof(wording, condition, tally.good + tally.open)
    # Where a result proves it for a part only, elsewhere only what was tried speaks for it.
    if proved is not None and (proved.grade is Grade.EXACT or not tally.open):
        return Verdict("agrees", proved)
    if tally.open:
        return Verdict("undecided", Evidence(Grade.SAMPLED, tally.open[0].says), tally.open[0].says)
    if len(tally.good) < FEWEST:
        return Verdict("undecided", Evidence(Grade.SAMPLED, "nothing was tried"))
    return Verdict("agrees", Evidence(Grade.SAMPLED, _count(tally)))


def _count(tally: Tally) -> str:
    points = len({tuple(sorted((k, str(v)) for k, v in t.point.items())) for t in tally.good})
    if any(t.vectors is not None for t in tally.good):
        return f"{len(tally.good)} sets of vectors at {points} points, corners included"
    return f"{points} points, corners included"


def _conditional(record: Record, condition: Condition, tally: Tally) -> tuple[Verdict, list[str]]:
    inside, outside = tally.where(condition, True), tally.where(condition, False)
    problems: list[str] = []
    if inside.bad:
        text = f"it fails also where {condition.text}: {_where(inside.bad[0])}"
        return Verdict("differs", Evidence(Grade.EXACT, f"fails {_where(inside.bad[0])}")), [text]
    if not inside.good:
        return Verdict("undecided", Evidence(Grade.SAMPLED, "nothing was tried")), [
            f"nothing was tried where {condition.text}"
        ]
    within = _agreeing(record.printed, condition, inside)
    if within.word != "agrees":
        return within, [f"undecided where {condition.text}"]
    if outside.good and not record.sufficient:
        where = _where(outside.good[0])
        problems.append(f"{condition.text} is not necessary (it holds {where}): say sufficient")
    idle = _idle_parts(condition, outside)
    problems += [f"nothing fails where only {part} does not hold" for part in idle]
    if not outside.good and record.sufficient:
        problems.append("sufficient is said, and the print fails at every point tried outside")
    return within._replace(word="needs-condition"), problems


def _met(condition: Condition, trial: Trial) -> bool:
    return condition.holds(trial.point, trial.vectors)


def _idle_parts(condition: Condition, outside: Tally) -> list[str]:
    """Parts of a conjunction without which nothing was seen to fail."""
    if len(condition.parts) != 1 or len(condition.parts[0]) == 1:
        return []
    found = []
    for part in condition.parts[0]:
        others = [r for r in condition.parts[0] if r is not part]
        if not any(
            part.holds(t.point, t.vectors) is not True
            and all(r.holds(t.point, t.vectors) is not False for r in others)
            for t in outside.bad
        ):
            found.append(part.text)
    return found


def _misprint(record: Record, condition: Condition | None) -> tuple[Verdict, list[str]]:
    assert record.reading is not None
    found = _reached(record, record.reading, condition)
    if found.word == "agrees":
        return found._replace(word="misprint"), []
    return found, [f"the reading is not confirmed: {found.evidence.how}"]


def _slip(slips: list[str]) -> Verdict:
    text = f"{', '.join(slips)} is quantified over and not used"
    return Verdict("differs", Evidence(Grade.EXACT, text))


def _wrong_with_correction(record: Record, condition: Condition | None) -> list[str]:
    assert record.correction is not None
    own = record.correction.under != record.printed.under
    found = _reached(record, record.correction, None if own else condition)
    good = found.word == "agrees"
    return [] if good else [f"the correction is not confirmed: {found.evidence.how}"]


def _note(record: Record, verdict: Verdict, failing: Trial | None, slips: list[str]) -> str:
    parts = []
    if verdict.word == "needs-condition" or (record.condition and verdict.word == "misprint"):
        sharp = "which is sufficient" if record.sufficient else "and fails outside"
        parts.append(f"holds where {record.condition}, {sharp}")
    if slips:
        parts.append(f"{', '.join(slips)} is quantified over and not used")
    if record.witness is not None:
        place = ", ".join(f"{k} = {v}" for k, v in record.witness.at.items())
        parts.append(f"fails at {place}: {record.witness.says}" if place else record.witness.says)
    elif failing is not None:
        parts.append(f"fails {_where(failing)}")
    if record.remark:
        parts.append(record.remark)
    if verdict.word == "misprint" and not parts:
        parts.append("the correction says what is meant")
    return "; ".join(parts)


# --- tests of the tests ------------------------------------------------------------------------
def _wrong_with_tests(record: Record, tally: Tally) -> list[str]:
    """An equivalence whose condition was never met, or always, was not tested."""
    problems = []
    right = record.right
    found = tally.good + tally.bad if right is record.printed else list(trials(right))
    for wording in right.signed():
        kinds = {r.tree.how for r in wording.read() if isinstance(r.tree, Connected)}
        seen = frozenset().union(*(t.seen for t in found))
        if "iff" in kinds and seen != {True, False}:
            problems.append("the condition was not both met and not met: nothing was tested")
        if "implies" in kinds and True not in seen:
            problems.append("the condition was never met: nothing was tested")
    if record.sharp and not _attained(record):
        problems.append("the bound is said to be sharp, and was nowhere attained")
    if record.attained is not None:
        for wording in record.attained.signed():
            for trial in trials(wording, equations(wording.read())):
                if trial.holds is not True:
                    problems.append(f"the bound is not attained {_where(trial)}")
                    break
    if record.corrupted is not None and not any(t.holds is False for t in trials(record.corrupted)):
        problems.append("the corrupted wording was not refuted")
    return problems


def _attained(record: Record) -> bool:
    """Whether every inequality is an equality somewhere, in the wording that is held right."""
    for wording in record.right.signed():
        for read in wording.read():
            if not any(t.holds for t in trials(wording, equations([read]))):
                return False
    return True


def _simplicity(trial: Trial) -> tuple[int, int]:
    """How much there is to write down."""
    e = trial.vectors
    if isinstance(e, Tables):
        numbers, digits = e.length
        return numbers, digits + sum(len(str(v)) for v in trial.point.values())
    size = 0 if e is None else len(e.everything)
    entries = 0 if e is None else sum(len(str(e.ip(a, b))) for a, b in e.pairs())
    return size, entries + sum(len(str(v)) for v in trial.point.values())


# --- witnesses -----------------------------------------------------------------------------------
def _where(trial: Trial | None) -> str:
    if trial is None:
        return ""
    place = ", ".join(f"{k} = {v}" for k, v in trial.point.items())
    letters = ", ".join(f"{k} = {v}" for k, v in trial.letters)
    note = trial.vectors.note if trial.vectors is not None else ""
    parts = [p for p in (place, note, letters) if p]
    return f"at {'; '.join(parts)}: {trial.says}" if parts else f"always: {trial.says}"


def witness_of(trial: Trial) -> Witness:
    """Everything that is needed to redo a trial by hand."""
    e = trial.vectors
    at = {k: str(v) for k, v in trial.point.items()}
    if e is None:
        return Witness(at, trial.says)
    if isinstance(e, Tables):
        return Witness(at, trial.says, tables=e.written())
    gram = tuple(tuple(str(e.ip(a, b)) for b in e.everything) for a in e.everything)
    return Witness(at, trial.says, (e.m, e.n, e.p), gram)


def shown(witness: Witness | None) -> dict[str, object]:
    """A witness as the command line prints it."""
    if witness is None:
        return {}
    found: dict[str, object] = {
        "point": dict(witness.at),
        "printed": witness.says,
        "derived": "does not hold",
    }
    if witness.gram:
        found["sizes"] = list(witness.sizes)
        found["gram"] = [list(row) for row in witness.gram]
    if witness.tables:
        found["tables"] = {k: [list(row) for row in rows] for k, rows in witness.tables.items()}
    return found


def _stored_witness(record: Record, found: Witness | None) -> list[str]:
    """A stored witness is tried again, from what it says alone."""
    stored = record.witness
    if stored is None:
        return [] if found is None else ["it has no witness; cltheory found one"]
    try:
        trial = retried(record.printed, stored)
    except (ValueError, Unknown, NotANumber) as error:
        return [f"the witness cannot be tried: {error}"]
    if trial.holds is not False:
        return ["the print does not fail at the witness"]
    kept = witness_of(trial)
    if (stored.gram or stored.tables) and (kept.gram, dict(kept.tables)) != (
        stored.gram,
        dict(stored.tables),
    ):
        return ["the vectors of the witness are not those at which it fails"]
    if trial.says != stored.says:
        return [f"at the witness it comes to {trial.says!r}, not {stored.says!r}"]
    return []


def retried(wording: Wording, witness: Witness) -> Trial:
    """Try a wording at a witness.

    Raises
    ------
    ValueError
        If the witness lies outside the hypotheses, or its vectors are none.
    """
    kinds = wording.hypotheses().functions
    point: dict[str, Any] = {
        k: function_named(kinds[k], v) if k in kinds else exact(v) for k, v in witness.at.items()
    }
    vectors: Embeddings | None = None
    if witness.tables and wording.family is not None and wording.family.again is not None:
        vectors = wording.family.again(witness.tables)
    elif witness.tables and wording.family is not None:
        vectors = Tables.read(witness.tables, tuple(wording.family.letters.vectors), exact)
    elif witness.gram:
        vectors = _embeddings(witness)
    last: Trial | None = None
    for one in wording.signed():
        hypotheses = one.hypotheses()
        wrong = hypotheses.refuses(point)
        if vectors is not None:
            wrong = wrong or hypotheses.refuses_set(vectors, point)
        if wrong:
            raise ValueError(wrong)
        missing = [k for k in (*hypotheses.ranges, *kinds) if k not in point]
        if missing:
            end = "" if missing[0] in kinds else hypotheses.no_end(point, missing[0])
            if not end:
                raise ValueError(f"it does not say what {missing[0]} is")
            return Trial(False, point, f"no value: {end}")
        if one.check:
            last = checked(one, point, one.values(), vectors)
        else:
            if one.family is not None and vectors is None:
                raise ValueError("it does not say what the vectors are")
            last = tried(one.read(), scene_of(one, point, vectors), point)
        if last.holds is False:
            return last
    assert last is not None
    return last


def _embeddings(witness: Witness) -> Embeddings:
    m, n, p = witness.sizes
    order = [(i, j, k) for i in range(m) for j in range(n) for k in range(p)]
    uneven = len(witness.gram) < len(order)
    if uneven:
        order = first_alone(order)
    rows = dict(zip(order, witness.gram, strict=True))
    places = {a: k for k, a in enumerate(order)}
    return Embeddings(
        m, n, p, lambda a, b: Fraction(rows[a][places[b]]), only=order if uneven else None
    )
