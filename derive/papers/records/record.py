"""Records of a section, read from its file; what is not a record is refused in one line."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import field, replace
from functools import wraps
from typing import Any, Literal, TypeVar

from ...errors import Refusal
from ...frozen import FrozenValue
from ...language.nodes import Call, Name, Node, indexed
from ...language.parser import (
    LETTERS_OF_SETS,
    NOTHING,
    Letters,
    Read,
    binders,
    expression,
    parse,
    together,
    unused,
)
from ...language.statement import TexError
from ..verdict import Verdict
from .families import families_of
from .family import Family
from .hypotheses import (
    BadClause,
    Condition,
    Hypotheses,
    read_condition,
    read_place,
    read_under,
)
from .stored import rows_of, verdict_in

Weight = Literal["headline", "used later", "aside"]
WEIGHTS = ("headline", "used later", "aside")
ORIGINS = ("", "authors", "extraction", "unclear")


class BadRecord(Refusal, ValueError):
    """A record that cannot be read; the message is one line and names the record."""


Found = TypeVar("Found")


def once(method: Callable[[Any], Found]) -> Callable[[Any], Found]:
    """A method whose answer is kept: what is parsed is parsed once."""
    name = f"_{method.__name__}"

    @wraps(method)
    def kept(self: Any) -> Found:
        if name not in self.__dict__:
            self.__dict__[name] = method(self)
        return self.__dict__[name]  # type: ignore[no-any-return]

    return kept


class Wording(FrozenValue):
    """One wording of a statement: as printed, as read, or corrected.

    Attributes
    ----------
    text
        LaTeX, or words with LaTeX.
    formal
        What the words say, in the language of the reader; empty where the text says it itself.
    """

    text: str
    formal: tuple[str, ...] = ()
    for_all: str = ""
    where: Mapping[str, str] = field(default_factory=dict)
    under: str = ""
    on: str = ""
    about: str = ""
    names: Mapping[str, str] = field(default_factory=dict)
    check: str = ""
    given: Mapping[str, str] = field(default_factory=dict)
    proof: str = ""
    also: tuple[str, ...] = ()
    uses: tuple[str, ...] = ()
    package: str = ""  #: where the files of the paper are

    @property
    def says(self) -> tuple[str, ...]:
        """The statements that are run."""
        return self.formal or (self.text,)

    @property
    def family(self) -> Family | None:
        """Where its vectors come from."""
        return families_of(self.package)[self.on] if self.on else None

    @once
    def letters(self) -> Letters:
        """What its letters are."""
        base = LETTERS_OF_SETS if self.family is None else self.family.letters
        heads = [k.partition("(")[0] for k in self.where if "(" in k]
        names = [expression(k, base) for k in heads]
        functions = {name.full for name in names if isinstance(name, Name)}
        functions |= set(base.functions) | set(self.hypotheses().functions)
        return replace(base, functions=frozenset(functions))

    def signed(self) -> list[Wording]:
        r"""It for both signs of \pm, the same one throughout; itself where there is none."""
        everything = json.dumps([self.says, dict(self.where), dict(self.given)])
        if "pm" not in everything:
            return [self]

        def put(text: str, sign: str, other: str) -> str:
            return text.replace(r"\pm", sign).replace(r"\mp", other)

        return [
            replace(
                self,
                formal=tuple(put(s, *signs) for s in self.says),
                where={k: put(v, *signs) for k, v in self.where.items()},
                given={k: put(v, *signs) for k, v in self.given.items()},
            )
            for signs in (("+", "-"), ("-", "+"))
        ]

    # What follows is read, and may refuse.
    @once
    def read(self) -> list[Read]:
        """Its statements, each with all that it quantifies over."""
        if self.check:
            return []
        outer = binders(self.for_all, self.letters()) if self.for_all else NOTHING
        found = [parse(s, self.letters()) for s in self.says]
        return [replace(r, bound=together(outer, r.bound)) for r in found]

    def unused(self) -> list[str]:
        """Letters that it quantifies over and does not use."""
        one = self.signed()[0]
        statements = one.read()
        if not statements:
            return []
        bodies = [r.tree for r in statements] + [tree for _, tree in one.definitions().values()]
        return list(dict.fromkeys(n for r in statements for n in unused(r.bound, *bodies)))

    @once
    def hypotheses(self) -> Hypotheses:
        """Where it is said."""
        found = read_under(self.under) if self.under else Hypotheses({})
        return replace(found, also=tuple(read_place(one, found) for one in self.also))

    @once
    def definitions(self) -> dict[str, tuple[tuple[str, ...], Node]]:
        r"""Names that the paper defines beside it: ``h(\delta)``, ``u_{i,j}``, ``c_1``."""
        found: dict[str, tuple[tuple[str, ...], Node]] = {}
        for key, text in self.where.items():
            name = expression(key, self.letters())
            if not isinstance(name, Name):
                raise BadClause(f"{key!r} cannot be defined")
            body = expression(text, self.letters())
            if isinstance(name, Call):
                found[name.full] = (tuple(map(indexed, name.arguments)), body)
            else:
                letters = tuple(sub.base for sub in name.subs if isinstance(sub, Name))
                rest = tuple(sub for sub in name.subs if not isinstance(sub, Name))
                found[Name(name.base, rest).full] = (letters, body)
        return found

    def used_names(self) -> set[str]:
        """Names that the section defines, and not the record."""
        return set(replace(self, where=dict.fromkeys(self.uses, "0")).definitions())

    @once
    def values(self) -> dict[str, Node]:
        """What a named check is given."""
        return {k: expression(v, self.letters()) for k, v in self.given.items()}


class Witness(FrozenValue):
    """Where a print fails: everything that is needed to redo it by hand.

    Attributes
    ----------
    at
        Value of each letter, exactly.
    says
        What both sides come to.
    sizes, gram
        Classes, instances and views of the set of vectors, and its inner products, in the order
        of (class, instance, view).
    tables
        In place of these, matrices and points by letter, row by row.
    """

    at: Mapping[str, str]
    says: str
    sizes: tuple[int, ...] = ()
    gram: tuple[tuple[str, ...], ...] = ()
    tables: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)


class Record(FrozenValue):
    """A statement of a paper, as data."""

    paper: str
    section: str
    label: str
    weight: Weight
    printed: Wording
    reading: Wording | None = None
    correction: Wording | None = None
    corrupted: Wording | None = None
    attained: Wording | None = None  #: where every bound of it is an equality
    under_reading: str = ""  #: how a loose word is taken by what is run
    fair_readings: tuple[Wording, ...] = ()  #: the other ways to take it
    origin: str = ""
    condition: str = ""
    sufficient: bool = False
    witness: Witness | None = None
    restates: str = ""
    settled: str = ""
    sharp: bool = False
    mathematical: bool = True
    at_odds: str = ""
    remark: str = ""
    used_in: tuple[str, ...] = ()  #: labels of what the paper concludes from it
    also_true: Mapping[str, str] = field(default_factory=dict)  #: mutants that hold, and why
    source: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    @once
    def stated_under(self) -> Condition | None:
        """The condition that the record says is missing."""
        if not self.condition:
            return None
        given = self.printed.hypotheses()
        on_sets = bool(self.printed.on)
        return read_condition(
            self.condition, given.ranges, on_sets=on_sets, functions=given.functions
        )

    @property
    def right(self) -> Wording:
        """The wording that is held right: what to print instead, what is meant, or the print."""
        return self.correction or self.reading or self.printed

    @property
    def statement(self) -> str:
        """The print with its hypotheses, on one line."""
        under = f"  [{' '.join(self.printed.under.split())}]" if self.printed.under else ""
        return " ".join(self.printed.text.split()) + under

    @property
    def corrected(self) -> str:
        """What a reader should use in place of the print; empty where that is the print."""
        wording = self.correction or self.reading
        text = " ".join(wording.text.split()) if wording is not None else ""
        if self.condition:
            text = f"{text or ' '.join(self.printed.text.split())}  [{self.condition}]"
        return text

    @property
    def check_without_mutants(self) -> bool:
        """Whether no printed formula goes into its check, so that none can be mutated."""
        return bool(self.printed.check) and not self.printed.given

    def fingerprint(self) -> str:
        """Changes with anything that the verdict is computed from."""
        source = {k: v for k, v in self.source.items() if k not in ("used_in", "also_true")}
        text = json.dumps(source, sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def stored(self) -> Verdict | None:
        """The verdict that was stored for the record as it stands."""
        row = rows_of(self.printed.package, self.section).get(self.label)
        return verdict_in(row) if row and row["record"] == self.fingerprint() else None


# --- the shape of a record -----------------------------------------------------------------------
def _is_list(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(v, str) for v in value)


def _is_table(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(v, str) for v in value.values())


#: What a field may be, and how that is told.
SHAPES: dict[str, Callable[[Any], bool]] = {
    "a string": lambda v: isinstance(v, str),
    "true or false": lambda v: isinstance(v, bool),
    "a string or a list of strings": lambda v: isinstance(v, str) or _is_list(v),
    "a list of labels": _is_list,
    "a table of strings": _is_table,
    "a table of strings, with a reason for each mutant": lambda v: _is_table(v) and all(v.values()),
    f"one of {', '.join(WEIGHTS)}": lambda v: v in WEIGHTS,
    f"one of {', '.join(filter(None, ORIGINS))}": lambda v: v in ORIGINS,
    "a table with a table 'at' and a text 'says'": lambda v: (
        isinstance(v, dict)
        and _is_table(v.get("at"))
        and isinstance(v.get("says"), str)
        and not {*v} - {"at", "says", "sizes", "gram", "tables"}
    ),
}
TEXT, FLAG, TEXTS, LABELS, TABLE, REASONS, WEIGHT, ORIGIN, WITNESS = SHAPES
#: What a wording has beside its text, which all wordings of a record share if they say no other.
WORDING = {
    **dict.fromkeys(("for_all", "under", "on", "about", "check", "proof"), TEXT),
    **dict.fromkeys(("formal", "also", "uses"), TEXTS),
    **dict.fromkeys(("where", "names", "given"), TABLE),
}
#: What a record has beside its wordings.
PLAIN = {
    **dict.fromkeys(("label", "condition", "restates", "settled", "at_odds", "remark"), TEXT),
    **dict.fromkeys(("sufficient", "sharp", "mathematical"), FLAG),
    "under_reading": TEXT,
    "weight": WEIGHT,
    "origin": ORIGIN,
    "witness": WITNESS,
    "used_in": LABELS,
    "also_true": REASONS,
}


def _shaped(name: str, value: Any, shape: str) -> Any:
    """What stands in a field, if it has the shape that it must have."""
    if not SHAPES[shape](value):
        raise BadRecord(f"{name} must be {shape}, not {value!r}")
    if shape in (TEXTS, LABELS):
        return (value,) if isinstance(value, str) else tuple(value)
    return _witness(value) if shape == WITNESS else value


def _witness(table: dict[str, Any]) -> Witness:
    def texts(rows: Any) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(map(str, row)) for row in rows)

    return Witness(
        table["at"],
        table["says"],
        tuple(table.get("sizes", ())),
        texts(table.get("gram", ())),
        {k: texts(rows) for k, rows in table.get("tables", {}).items()},
    )


OTHERS = ("reading", "correction", "corrupted")
FIELDS = (*PLAIN, *WORDING, "printed", *OTHERS, "attained", "fair_readings")


def _known(table: Mapping[str, Any], names: tuple[str, ...], where: str = "") -> None:
    if unknown := set(table) - set(names):
        raise BadRecord(f"unknown field {min(unknown)!r}{where}")


# --- reading -------------------------------------------------------------------------------------
def read_section(paper: str, section: str, text: str, package: str = "") -> list[Record]:
    """Read a section's file, of a paper whose files are in ``package``.

    A record with a stored verdict was read when that was computed, and is not parsed again.

    Raises
    ------
    BadRecord
        With one line that names the record and says what is wrong.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadRecord(f"{paper}, {section}: not TOML: {error}") from None
    if extra := set(data) - {"record", "defaults", "where"}:
        raise BadRecord(
            f"{paper}, {section}: {min(extra)!r} is neither [[record]], [defaults] nor [where]"
        )
    found: dict[str, Record] = {}
    for k, table in enumerate(data.get("record", []), 1):
        label = table.get("label") if isinstance(table, dict) else None
        try:
            table = _with_used({**data.get("defaults", {}), **table}, data.get("where", {}))
            one = _record(paper, section, table, package)
            if one.stored() is None:
                _parse(one)
        except (BadClause, TexError, BadRecord) as error:
            raise BadRecord(f"{paper}, {label or f'record {k} of {section}'}: {error}") from None
        if one.label in found:
            raise BadRecord(f"{paper} has two records labelled {one.label}")
        found[one.label] = one
    return list(found.values())


def _with_used(table: dict[str, Any], shared: Mapping[str, Any]) -> dict[str, Any]:
    """A record with the definitions of its section that it uses."""
    used = _shaped("uses", table.get("uses", []), TEXTS)
    missing = [k for k in used if k not in shared]
    if missing:
        raise BadRecord(f"the section does not define {missing[0]!r}")
    if not used:
        return table
    return {**table, "where": {**{k: shared[k] for k in used}, **table.get("where", {})}}


def _record(paper: str, section: str, table: dict[str, Any], package: str) -> Record:
    _known(table, FIELDS)
    for name in ("label", "printed", "weight"):
        if not isinstance(table.get(name), str) or not table[name].strip():
            raise BadRecord(f"the record has no {name}")
    shared = {k: _shaped(k, table[k], shape) for k, shape in WORDING.items() if k in table}
    shared["package"] = package
    printed = Wording(table["printed"].strip(), **shared)
    found = {k: _shaped(k, table[k], shape) for k, shape in PLAIN.items() if k in table}
    found |= {k: _other(table[k], shared) for k in OTHERS if k in table}
    if "fair_readings" in table:
        found["fair_readings"] = _fair(table["fair_readings"], shared, printed)
    if "attained" in table:
        if not isinstance(table["attained"], dict) or set(table["attained"]) - {"on", "under"}:
            raise BadRecord("attained must be a table with 'on' and 'under' only")
        own: dict[str, Any] = {k: _shaped(k, v, TEXT) for k, v in table["attained"].items()}
        found["attained"] = replace(printed, **own)
    return Record(paper, section, printed=printed, source=table, **found)


def _fair(value: Any, shared: Mapping[str, Any], printed: Wording) -> tuple[Wording, ...]:
    """The other readings of a loose word, each run in its own way."""
    if not isinstance(value, list) or not all(isinstance(v, dict) and v.get("text") for v in value):
        raise BadRecord("fair_readings must be a list of tables, each with a text")
    found = tuple(_other(v, shared) for v in value)
    if len({w.text for w in found}) < len(found):
        raise BadRecord("two fair readings have the same text")
    run = [replace(w, text="", formal=w.formal or printed.says) for w in (printed, *found)]
    if any(one in run[:k] for k, one in enumerate(run)):
        raise BadRecord("two fair readings are run in the same way; keep one")
    return found


def _other(value: Any, shared: Mapping[str, Any]) -> Wording:
    """Another wording: a text, or a table that says what changes beside it."""
    own = {"text": value} if isinstance(value, str) else value
    if not isinstance(own, dict):
        raise BadRecord("a reading or correction must be a string or a table")
    _known(own, ("text", *WORDING), " in a reading or correction")
    kept = {k: v for k, v in shared.items() if k != "formal" or "text" not in own}
    mine = {k: _shaped(k, v, WORDING[k]) for k, v in own.items() if k != "text"}
    text = _shaped("text", own.get("text", ""), TEXT).strip()
    return Wording(text, **{**kept, **mine})


def _parse(record: Record) -> None:
    """Parse everything in a record, so that what cannot be read is found when it is loaded."""
    if record.fair_readings and not record.under_reading:
        raise BadRecord("fair_readings needs under_reading, the reading that is run first")
    if not record.mathematical:
        kinds = ("under", "on", "condition", "check", "fair_readings")
        used = [k for k in kinds if record.source.get(k)]
        if used:
            raise BadRecord(f"a record with mathematical = false cannot have {used[0]}")
        return
    if record.at_odds:
        raise BadRecord("at_odds needs mathematical = false")
    if record.sufficient and not record.condition:
        raise BadRecord("sufficient needs a condition")
    if record.reading is not None and not record.origin:
        raise BadRecord("a reading needs an origin")
    known = {"": record.printed, "reading": record.reading, "correction": record.correction}
    more = {"corrupted": record.corrupted, "attained": record.attained}
    more |= {f"fair reading {k}": w for k, w in enumerate(record.fair_readings, 1)}
    for name, wording in {**known, **more}.items():
        if wording is not None:
            try:
                _parse_wording(wording)
            except (TexError, BadClause, BadRecord) as error:
                raise BadRecord(f"in its {name}: {error}" if name else str(error)) from None
    if record.check_without_mutants and record.corrupted is None:
        raise BadRecord("a check without 'given' needs a corrupted wording, which it must refuse")
    record.stated_under()


def _parse_wording(wording: Wording) -> None:
    families = families_of(wording.package) if wording.on else {"": None}
    if wording.on not in families:
        raise BadRecord(f"unknown family {wording.on!r}; accepted: {', '.join(sorted(families))}")
    ranges, family = wording.hypotheses().ranges, families[wording.on]
    missing = [s for s in family.sizes if s not in ranges] if family else []
    if missing:
        raise BadRecord(f"the family {wording.on!r} needs a range of {missing[0]} in 'under'")
    for one in wording.signed():
        one.read(), one.definitions(), one.values()
