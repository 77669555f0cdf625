"""Records of a section, read from its file; what is not a record is refused in one line."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

from ...errors import Refusal
from ...language.statement import TexError
from . import families
from .blocks import BLOCKS
from .families import Family
from .families_batches import BATCHES
from .graphs import GRAPHS
from .hypotheses import (
    BadClause,
    Condition,
    Hypotheses,
    read_condition,
    read_place,
    read_under,
)
from .kernels import KERNELS
from .reader import (
    LETTERS,
    NOTHING,
    Letters,
    Read,
    Tree,
    binders,
    expression,
    indexed,
    read,
    together,
    unused,
)

Weight = Literal["headline", "used later", "aside"]
WEIGHTS = ("headline", "used later", "aside")
ORIGINS = ("authors", "extraction", "unclear")


#: All families of sets, by name.
FAMILIES = {**families.FAMILIES, **BLOCKS, **BATCHES, **KERNELS, **GRAPHS}


class BadRecord(Refusal, ValueError):
    """A record that cannot be read; the message is one line and names the record."""


@dataclass(frozen=True)
class Wording:
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

    @property
    def says(self) -> tuple[str, ...]:
        """The statements that are run."""
        return self.formal or (self.text,)

    @property
    def family(self) -> Family | None:
        """Where its vectors come from."""
        return FAMILIES[self.on] if self.on else None

    def letters(self) -> Letters:
        """What its letters are."""
        base = LETTERS if self.family is None else self.family.letters
        heads = [k.partition("(")[0] for k in self.where if "(" in k]
        names = [expression(k, base) for k in heads]
        functions = {indexed(name[1], name[2]) for name in names if name[0] == "name"}
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
    def read(self) -> list[Read]:
        """Its statements, each with all that it quantifies over."""
        if self.check:
            return []
        outer = binders(self.for_all, self.letters()) if self.for_all else NOTHING
        found = [read(s, self.letters()) for s in self.says]
        return [replace(r, bound=together(outer, r.bound)) for r in found]

    def unused(self) -> list[str]:
        """Letters that it quantifies over and does not use."""
        one = self.signed()[0]
        statements = one.read()
        if not statements:
            return []
        bodies = [r.tree for r in statements] + [tree for _, tree in one.definitions().values()]
        return list(dict.fromkeys(n for r in statements for n in unused(r.bound, *bodies)))

    def hypotheses(self) -> Hypotheses:
        """Where it is said."""
        found = read_under(self.under) if self.under else Hypotheses({})
        return replace(found, also=tuple(read_place(one, found) for one in self.also))

    def definitions(self) -> dict[str, tuple[tuple[str, ...], Tree]]:
        r"""Names that the paper defines beside it: ``h(\delta)``, ``u_{i,j}``, ``c_1``."""
        found: dict[str, tuple[tuple[str, ...], Tree]] = {}
        for key, text in self.where.items():
            name = expression(key, self.letters())
            if name[0] == "call":
                letters = tuple(str(a[1]) for a in name[4])
                found[indexed(name[1], name[2])] = (letters, expression(text, self.letters()))
            elif name[0] == "name":
                letters = tuple(str(s[1]) for s in name[2] if s[0] == "name")
                numbered = "".join(f"_{s[1]}" for s in name[2] if s[0] != "name")
                found[name[1] + numbered] = (letters, expression(text, self.letters()))
            else:
                raise BadClause(f"{key!r} cannot be defined")
        return found

    def used_names(self) -> set[str]:
        """Names that the section defines, and not the record."""
        return set(replace(self, where=dict.fromkeys(self.uses, "0")).definitions())

    def values(self) -> dict[str, Tree]:
        """What a named check is given."""
        return {k: expression(v, self.letters()) for k, v in self.given.items()}


@dataclass(frozen=True)
class Witness:
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


@dataclass(frozen=True)
class Record:
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
    package: str = ""  #: where the files of the paper are
    source: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

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
    def check_without_mutants(self) -> bool:
        """Whether no printed formula goes into its check, so that none can be mutated."""
        return bool(self.printed.check) and not self.printed.given

    def fingerprint(self) -> str:
        """Changes with anything that the verdict is computed from."""
        source = {k: v for k, v in self.source.items() if k not in ("used_in", "also_true")}
        text = json.dumps(source, sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


_WORDING = {f.name for f in fields(Wording)} - {"text"}
_PLAIN = {
    "label", "weight", "printed", "reading", "correction", "corrupted", "attained", "origin",
    "condition", "sufficient", "witness", "restates", "settled", "sharp", "mathematical",
    "at_odds", "remark", "used_in", "also_true", "under_reading", "fair_readings",
}  # fmt: skip
_TEXTS = {"for_all", "under", "on", "about", "check", "proof", "condition", "origin", "restates"}
_TEXTS |= {"settled", "at_odds", "remark", "label", "weight", "under_reading"}


def read_section(paper: str, section: str, text: str, package: str = "") -> list[Record]:
    """Read a section's file, of a paper whose files are in ``package``.

    Raises
    ------
    BadRecord
        With one line that names the record and says what is wrong.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadRecord(f"{paper}, {section}: not TOML: {error}") from None
    extra = set(data) - {"record", "defaults", "where"}
    if extra:
        raise BadRecord(
            f"{paper}, {section}: {min(extra)!r} is neither [[record]], [defaults] nor [where]"
        )
    found: list[Record] = []
    for k, table in enumerate(data.get("record", []), 1):
        label = table.get("label") if isinstance(table, dict) else None
        try:
            table = _with_used({**data.get("defaults", {}), **table}, data.get("where", {}))
            one = _record(paper, section, table)
            one = replace(one, package=package)
        except (BadClause, TexError, BadRecord) as error:
            raise BadRecord(f"{paper}, {label or f'record {k} of {section}'}: {error}") from None
        if any(one.label == other.label for other in found):
            raise BadRecord(f"{paper} has two records labelled {one.label}")
        found.append(one)
    return found


def _with_used(table: dict[str, Any], shared: Mapping[str, Any]) -> dict[str, Any]:
    """A record with the definitions of its section that it uses."""
    used = _texts("uses", table.get("uses", []))
    missing = [k for k in used if k not in shared]
    if missing:
        raise BadRecord(f"the section does not define {missing[0]!r}")
    if not used:
        return table
    return {**table, "where": {**{k: shared[k] for k in used}, **table.get("where", {})}}


def _record(paper: str, section: str, table: dict[str, Any]) -> Record:
    unknown = set(table) - _PLAIN - _WORDING
    if unknown:
        raise BadRecord(f"there is no field {min(unknown)!r}")
    for name in ("label", "printed", "weight"):
        if not isinstance(table.get(name), str) or not table[name].strip():
            raise BadRecord(f"it has no {name}")
    for name in _TEXTS & set(table):
        if not isinstance(table[name], str):
            raise BadRecord(f"{name} is a text")
    if table["weight"] not in WEIGHTS:
        raise BadRecord(f"weight is one of {', '.join(WEIGHTS)}, not {table['weight']!r}")
    if table.get("origin", "") not in ("", *ORIGINS):
        raise BadRecord(f"origin is one of {', '.join(ORIGINS)}, not {table['origin']!r}")
    shared = {k: v for k, v in table.items() if k in _WORDING}
    printed = _wording(table["printed"], shared)
    plain: dict[str, Any] = {k: table[k] for k in _SIMPLE & set(table)}
    for k in ("reading", "correction", "corrupted"):
        if k in table:
            plain[k] = _other(table[k], shared)
    if "fair_readings" in table:
        plain["fair_readings"] = _fair(table["fair_readings"], shared, printed)
    if "attained" in table:
        if not isinstance(table["attained"], dict) or set(table["attained"]) - {"on", "under"}:
            raise BadRecord("attained says on what, and under which hypotheses")
        plain["attained"] = _wording(table["printed"], {**shared, **table["attained"]})
    if "witness" in table:
        plain["witness"] = _witness(table["witness"])
    if "also_true" in table:
        plain["also_true"] = _reasons(table["also_true"])
    if "used_in" in table:
        plain["used_in"] = _labels(table["used_in"])
    record = Record(paper, section, table["label"], table["weight"], printed, source=table, **plain)
    _sound(record)
    return record


_SIMPLE = {
    "origin", "condition", "sufficient", "restates", "settled", "sharp", "mathematical",
    "at_odds", "remark", "under_reading",
}  # fmt: skip


def _labels(value: Any) -> tuple[str, ...]:
    """Labels of other records."""
    if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
        raise BadRecord("used_in is a list of labels")
    return tuple(value)


def _reasons(value: Any) -> dict[str, str]:
    """Mutants that are true as well, each with the reason."""
    if not isinstance(value, dict) or not all(isinstance(v, str) and v for v in value.values()):
        raise BadRecord("also_true is a table of reasons")
    return dict(value)


def _fair(value: Any, shared: Mapping[str, Any], printed: Wording) -> tuple[Wording, ...]:
    """The other readings of a loose word, each run in its own way."""
    if not isinstance(value, list) or not all(isinstance(v, dict) and v.get("text") for v in value):
        raise BadRecord("fair_readings is a list of tables, each with a text")
    found = tuple(_other(v, shared) for v in value)
    if len({w.text for w in found}) < len(found):
        raise BadRecord("two fair readings have one text")
    run = [replace(w, text="", formal=w.formal or printed.says) for w in (printed, *found)]
    if any(one in run[:k] for k, one in enumerate(run)):
        raise BadRecord("two readings are run in the same way: they are one")
    return found


def _other(value: Any, shared: Mapping[str, Any]) -> Wording:
    """Another wording: a text, or a table that says what changes beside it."""
    if isinstance(value, str):
        return _wording(value, {k: v for k, v in shared.items() if k != "formal"})
    if not isinstance(value, dict):
        raise BadRecord("a reading or correction is a text or a table")
    unknown = set(value) - _WORDING - {"text"}
    if unknown:
        raise BadRecord(f"there is no field {min(unknown)!r} in a reading or correction")
    mine = {k: v for k, v in value.items() if k != "text"}
    rest = {k: v for k, v in shared.items() if k != "formal" or "text" not in value}
    return _wording(value.get("text", ""), {**rest, **mine})


def _wording(text: str, rest: Mapping[str, Any]) -> Wording:
    known = dict(rest)
    formal, also, uses = (_texts(k, known.pop(k, ())) for k in ("formal", "also", "uses"))
    for name in _TEXTS & set(known) | {"text"}:
        if not isinstance(known.get(name, text), str):
            raise BadRecord(f"{name} is a text")
    for name in ("where", "names", "given"):
        table = known.get(name, {})
        if not isinstance(table, dict) or not all(isinstance(v, str) for v in table.values()):
            raise BadRecord(f"{name} is a table of texts")
    return Wording(text.strip(), formal, also=also, uses=uses, **known)


def _texts(name: str, value: Any) -> tuple[str, ...]:
    """One text, or a list of them."""
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list | tuple) or not all(isinstance(v, str) for v in listed):
        raise BadRecord(f"{name} is a text or a list of texts")
    return tuple(listed)


def _witness(table: Any) -> Witness:
    if not isinstance(table, dict) or not isinstance(table.get("at"), dict) or "says" not in table:
        raise BadRecord("a witness has a table `at` and what it `says`")
    extra = set(table) - {"at", "says", "sizes", "gram", "tables"}
    if extra:
        raise BadRecord(f"there is no field {min(extra)!r} in a witness")
    return Witness(
        {k: str(v) for k, v in table["at"].items()},
        str(table["says"]),
        tuple(table.get("sizes", ())),
        tuple(tuple(str(v) for v in row) for row in table.get("gram", ())),
        {
            k: tuple(tuple(str(v) for v in row) for row in rows)
            for k, rows in table.get("tables", {}).items()
        },
    )


def _sound(record: Record) -> None:
    """Read everything in a record, so that what cannot be read is found when it is loaded."""
    if record.fair_readings and not record.under_reading:
        raise BadRecord("fair_readings stand beside under_reading, the one that is run first")
    if not record.mathematical:
        kinds = ("under", "on", "condition", "check", "fair_readings")
        used = [k for k in kinds if record.source.get(k)]
        if used:
            raise BadRecord(f"what is not mathematical has no {used[0]}")
        return
    if record.at_odds:
        raise BadRecord("at_odds is for what is not mathematical")
    if record.sufficient and not record.condition:
        raise BadRecord("sufficient is said of a condition, and there is none")
    if (record.reading is not None) and not record.origin:
        raise BadRecord("a reading that differs from the print has an origin")
    known = {"": record.printed, "reading": record.reading, "correction": record.correction}
    more = {"corrupted": record.corrupted, "attained": record.attained}
    more |= {f"fair reading {k}": w for k, w in enumerate(record.fair_readings, 1)}
    for name, wording in {**known, **more}.items():
        if wording is None:
            continue
        where = f"in its {name}: " if name else ""
        if wording.on and wording.on not in FAMILIES:
            raise BadRecord(f"{where}there is no family {wording.on!r}; {', '.join(FAMILIES)}")
        try:
            hypotheses = wording.hypotheses()
            family = wording.family
            missing = [s for s in family.sizes if s not in hypotheses.ranges] if family else []
            if missing:
                raise BadRecord(f"{where}{wording.on} needs a range of {missing[0]}")
            for one in wording.signed():
                one.read(), one.definitions(), one.values()
        except (TexError, BadClause) as error:
            raise BadRecord(f"{where}{error}") from None
    if record.check_without_mutants and record.corrupted is None:
        raise BadRecord("a named check that is given nothing has a corrupted wording to refuse")
    record.stated_under()
