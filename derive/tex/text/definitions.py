r"""What a defining command defines, or which names it may change.

A few plain forms give a :class:`Definition`. Of every other command that looks as if it defined
something it is only known which names it may change.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from ...language.vocabulary import COLOURS, VISIBLE
from . import commands as tables
from .scope import Definition
from .source import Source

MAX_BODY = 5_000  #: characters of a definition that a formula uses

_ARITY = re.compile(r"\[\s*([0-9])\s*\]")
_PARAMETERS = re.compile(r"((?:#[1-9]\s*)*)(?=\{)")
_TARGET = re.compile(r"\{\s*(\\(?:[A-Za-z@]+|[^A-Za-z@\s]))\s*\}|(\\(?:[A-Za-z@]+|[^A-Za-z@\s]))")
_EQUALS = re.compile(r"[ \t]*\n?[ \t]*=?[ \t]?")
_EXPANDS = re.compile(r"(?:[*<>]|\\(?:expandafter|noexpand|protect|string)(?![A-Za-z@])\s*)*+")
_CSNAME = re.compile(r"\\csname(?![A-Za-z@])(.{0,200}?)\\endcsname(?![A-Za-z@])", re.DOTALL)
_LITERAL = re.compile(r"[^\\#{}~$%&\s]*")
_COMMANDS = re.compile(r"\\(?:[A-Za-z@]+|[^A-Za-z@\s])")
#: What stands between a name and the body of a definition by \\def.
_DELIMITED = re.compile(r"(?:[^{}\\%\n]|\\[A-Za-z@]+|\\[^A-Za-z@\n]|\n(?!\s*\n)){0,200}+(?=\{)")
#: Commands that are given the name as a word, which may be computed.
_BY_WORD = re.compile(r"^[gex]?cs|named|counter|environment|Environ", re.IGNORECASE)
_WORD = re.compile(r"\s*([A-Za-z@]+)\*?\s*")
_RESULTS = re.compile(
    r"(?:[ \t*/,0-9]|\\[A-Za-z@]+|\[[^\[\]]*\])*(?:\s*(?:\{[^{}]*\}|\[[^\[\]]*\])){0,6}"
)
_GIVEN = re.compile(r"\{\s*\\?([A-Za-z@]+)\s*\}|\\([A-Za-z@]+)")
_COLOUR = re.compile(r"\s*(?:\[[^]]*\]\s*)?\{\s*([A-Za-z]+)\s*\}")


@dataclass
class Act:
    r"""What one command does to names.

    Attributes
    ----------
    end
        Where to go on.
    name, definition
        Of a plain form.
    touched
        Names of which it is not known what they mean now.
    prefixes
        Beginnings of names of which any may be changed.
    unfollowed
        Whether the name is computed, or is an argument: it may be any.
    when
        ``new`` where LaTeX refuses a name that it has, ``provide`` where that changes nothing.
    body
        Where what a call may run begins; it ends where to go on.
    """

    end: int
    name: str = ""
    definition: Definition | None = None
    touched: list[str] = field(default_factory=list)
    prefixes: list[str] = field(default_factory=list)
    unfollowed: bool = False
    when: str = ""
    body: int = 0

    @property
    def names(self) -> list[str]:
        """All names that it is known to change."""
        return [self.name, *self.touched] if self.name else self.touched


def act(source: Source, name: str, at: int) -> Act | None:
    """What a command does to names; None if it defines nothing.

    Parameters
    ----------
    name, at
        The command without its backslash, and the place after it.
    """
    reader = _READERS.get(name)
    plain = reader(source, name, at) if reader is not None else None
    if plain is not None:
        return plain
    if tables.RESULTS.fullmatch(name):
        region = _RESULTS.match(source.text, at)
        assert region is not None
        given = ["\\" + "".join(found) for found in _GIVEN.findall(region[0])]
        return Act(at if name == "foreach" else region.end(), touched=given)
    if tables.COLOURING.fullmatch(name):
        return _colour(source, name, at)
    return _touch(source, name, at) if reader is not None or tables.looks_defining(name) else None


# --- plain forms --------------------------------------------------------------------------------
def _target(source: Source, at: int) -> tuple[str, int] | None:
    """The name that is defined, and the place after it."""
    at = source.skip(at)
    at = source.skip(at + 1) if source.text[at : at + 1] == "*" else at
    found = _TARGET.match(source.text, at)
    if found is None or (name := found[1] or found[2]) in ("\\csname", "\\expandafter"):
        return None
    return name, found.end()


def _new(source: Source, name: str, at: int) -> Act | None:
    target = _target(source, at)
    if target is None:
        return None
    defined, at = target
    count = _ARITY.match(source.text, source.skip(at))
    given = source.option(count.end()) if count else None
    at = given[1] if given else count.end() if count else at
    when = "new" if name.startswith("new") else "provide" if name.startswith("provide") else ""
    return _defined(source, defined, at, int(count[1]) if count else 0, given and given[0], when)


def _def(source: Source, name: str, at: int) -> Act | None:
    target = _target(source, at)
    parameters = _PARAMETERS.match(source.text, target[1]) if target else None
    if target is None or parameters is None:
        return None
    written = re.sub(r"\s", "", parameters[1])
    arity = len(written) // 2
    if written != "".join(f"#{k + 1}" for k in range(arity)):
        return None
    return _defined(source, target[0], parameters.end(), arity, None, "")


def _defined(
    source: Source, name: str, at: int, arity: int, default: str | None, when: str
) -> Act | None:
    """The definition whose body is the argument here."""
    found = source.argument(at)
    if found is None or (default is not None and not arity):
        return None
    start, end, after = found
    body = source.text[start:end]
    problem = ""
    if len(body) > MAX_BODY:
        problem = f"is defined by {len(body)} characters (at most {MAX_BODY})"
    return Act(after, name, Definition(arity, body, default, problem), when=when, body=start)


def _let(source: Source, name: str, at: int) -> Act | None:
    target = _target(source, at)
    if target is None:
        return None
    between = _EQUALS.match(source.text, target[1])
    assert between is not None
    token = source.command(between.end())
    meant, end = token or (source.text[between.end() : between.end() + 1], between.end() + 1)
    if meant in ("", "{", "}", "#", "~", "\n", "$", "&", "%"):
        return None
    return Act(end, target[0], Definition(meant=meant))


def _operator(source: Source, name: str, at: int) -> Act | None:
    target = _target(source, at)
    found = source.argument(target[1]) if target else None
    if target is None or found is None or found[1] - found[0] > MAX_BODY:
        return None
    body = f"\\operatorname{{{source.text[found[0] : found[1]]}}}"
    return Act(found[2], target[0], Definition(body=body))


def _delimiter(source: Source, name: str, at: int) -> Act | None:
    target = _target(source, at)
    left = source.argument(target[1]) if target else None
    right = source.argument(left[2]) if left else None
    if target is None or left is None or right is None:
        return None
    one, other = (source.text[s:e].strip() for s, e, _ in (left, right))
    if len(one) + len(other) > 100:
        return None
    return Act(right[2], target[0], Definition(1, f"{one}#1{other}", fences=(one, other)))


_Reader = Callable[[Source, str, int], "Act | None"]
_READERS: dict[str, _Reader] = {
    **dict.fromkeys(tables.NEW, _new),
    **dict.fromkeys(tables.DEF, _def),
    "let": _let,
    "DeclareMathOperator": _operator,
    "DeclarePairedDelimiter": _delimiter,
}


# --- what is only known to touch names --------------------------------------------------------
def _touch(source: Source, command: str, at: int) -> Act:
    """Any other way to define: the name that stands first, and what it may run."""
    text, found = source.text, Act(at)
    at = _past_options(source, at)
    if (name := _CSNAME.match(text, at)) is not None:
        _computed(name[1], found)
        at = name.end()
    elif (name := _COMMANDS.match(text, at)) is not None:
        found.touched.append(name[0])
        at = name.end()
    elif text[at : at + 1] == "{" and (close := source.close(at)) is not None:
        inside = text[at + 1 : close][:1000]
        word = _WORD.fullmatch(inside)
        inner = _CSNAME.search(inside)
        if word is not None:
            found.touched += _of_word(word[1])
        elif inner is not None:
            _computed(inner[1], found)
        elif inside.lstrip()[:1] == "\\" and not _BY_WORD.search(command):
            found.touched += _COMMANDS.findall(inside)
        else:
            _computed(inside, found)
        at = close + 1
    else:
        found.unfollowed = text[at : at + 1] == "#"
    found.touched += [
        "\\" + stem[3:] + x
        for stem in found.touched
        if stem[:3] == "\\if"
        for x in ("true", "false")
    ]
    parameters = _DELIMITED.match(text, at) if command.endswith("def") else None
    found.body, found.end = at, _past_groups(source, parameters.end() if parameters else at)
    return found


def _past_options(source: Source, at: int) -> int:
    """The place after stars, options and commands that only expand."""
    while True:
        end = source.skip(at)
        end = _EXPANDS.match(source.text, end).end()  # type: ignore[union-attr]
        option = source.option(end)
        end = option[1] if option else end
        if end == at:
            return at
        at = end


def _past_groups(source: Source, at: int) -> int:
    """The place after the options and groups here, five at most."""
    for _ in range(5):
        start = source.skip(at)
        option, close = source.option(start), source.close(start)
        if option is None and close is None:
            break
        at = option[1] if option else (close or 0) + 1
    return at


def _of_word(word: str) -> list[str]:
    """Names that a definition of a command, an environment or a counter may change."""
    return [f"\\{word}", f"\\end{word}", f"\\begin{{{word}}}", f"\\end{{{word}}}", f"\\the{word}"]


def _computed(inside: str, found: Act) -> None:
    r"""A name that is written as a word, ``\csname INSIDE\endcsname``, or its beginning."""
    inside = inside.strip()
    literal = _LITERAL.match(inside)[0]  # type: ignore[index]
    if literal == inside and inside:
        found.touched += _of_word(inside)
    elif literal:
        found.prefixes.append("\\" + literal)
    else:
        found.unfollowed = True


def _colour(source: Source, name: str, at: int) -> Act:
    """A colour that formulas are set in, and that may now be the page's."""
    found = _COLOUR.match(source.text, at)
    named = found is not None and "set" not in name and name != "DefineNamedColor"
    if found is not None and named and not VISIBLE.fullmatch(found[1].lower()):
        return Act(found.end())
    return Act(at, touched=sorted(COLOURS))
