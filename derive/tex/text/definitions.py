r"""What a defining command defines, read at its place; or which names it touches.

Only ways to define that are read precisely give a :class:`Definition`. Of every other one it is
known which names it may change, and nothing else.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from ...language.vocabulary import COLOURS, VISIBLE
from . import commands as tables
from .scope import Definition
from .source import Source

MAX_BODY = 5_000  #: characters of a definition that a formula uses

_ARITY = re.compile(r"\[\s*([0-9])\s*\]")
_PARAMETERS = re.compile(r"((?:[^{}\\%\n]|\\[A-Za-z@]+|\\[^A-Za-z@\n]|\n(?!\s*\n)){0,200}+)(?=\{)")
_EXPANDS = re.compile(r"(?:\\(?:expandafter|noexpand|protect)(?![A-Za-z@])\s*)*+")
_CSNAME = re.compile(r"\\csname(?![A-Za-z@])")
_LITERAL = re.compile(r"[^\\#{}~$%&\s]*")
_COMMAND = re.compile(r"\\(?:[A-Za-z@]+|[^A-Za-z@\s])")
_LETTERS = re.compile(r"[A-Za-z@]+\*?")
_SPEC = re.compile(r"\s*(?:\+?O\{([^{}]*)\}\s*)?((?:\+?m\s*)*)")
_PLAIN = re.compile(r"\s*(?:#\d\s*)*+")
_EDGE = re.compile(r"\\.|[{\]]", re.DOTALL)
NOT_READ = "is defined in a way that is not read"


@dataclass
class Act:
    r"""What one command does to names.

    Attributes
    ----------
    end
        Where to go on.
    defines
        Names and what they mean now; None is not known.
    prefixes
        Beginnings of names of which any may be changed; the empty one is about characters too.
    when
        ``new`` where LaTeX refuses a name that it has, ``provide`` where that changes nothing.
    meant
        For ``\let``: the token whose meaning is taken.
    body
        Of names that are not known: what a call of them may run.
    """

    end: int
    defines: list[tuple[str, Definition | None]] = field(default_factory=list)
    prefixes: list[str] = field(default_factory=list)
    when: str = ""
    meant: str = ""
    body: str = ""


@dataclass
class _Target:
    """The names that a command is about: known ones, or the beginning of what is computed."""

    end: int
    names: list[str] = field(default_factory=list)
    prefixes: list[str] = field(default_factory=list)
    computed: bool = False  #: by \\csname, which is never read precisely

    def touched(self, end: int | None = None, *, body: str = "") -> Act:
        known: list[tuple[str, Definition | None]] = [(name, None) for name in self.names]
        end = self.end if end is None else end
        return Act(end, known, self.prefixes, body=body)

    def gets(self, definition: Definition | None, end: int, when: str = "") -> Act:
        if definition is None or len(self.names) != 1:
            return self.touched(end)
        if self.computed:
            definition = replace(definition, problem=NOT_READ)
        return Act(end, [(self.names[0], definition)], when=when)


def act(source: Source, name: str, at: int) -> Act | None:
    """What a command does to names; None if it defines nothing.

    Parameters
    ----------
    name, at
        The command without its backslash, and the place after it.
    """
    reader = _READERS.get(name)
    if reader is not None:
        return reader(source, name, at)
    if tables.looks_defining(name):
        return _touch(source, name, at)
    if tables.RESULTS.match(name):
        return _result(source, name, at)
    return None


# --- names ------------------------------------------------------------------------------------
def computed(inside: str) -> tuple[list[str], list[str]]:
    r"""Names and beginnings of names of ``\csname INSIDE\endcsname``."""
    inside = inside.strip()
    literal = _LITERAL.match(inside)
    assert literal is not None
    if literal.end() == len(inside):
        return ["\\" + inside], []
    return [], ["\\" + literal[0]]


def _target(source: Source, at: int, *, word: bool = False) -> _Target:
    text = source.text
    at = source.skip(at)
    at = _EXPANDS.match(text, at).end()  # type: ignore[union-attr]
    if _CSNAME.match(text, at):
        return _csname(text, at)
    if text[at : at + 1] == "\\":
        found = _COMMAND.match(text, at)
        return _Target(found.end(), [found[0]]) if found else _Target(at + 1)
    if text[at : at + 1] == "#":
        return _Target(at + 2, prefixes=["\\"])
    if text[at : at + 1] != "{":
        return _Target(at)
    close = source.close(at)
    if close is None:
        return _Target(at + 1)
    inside = _EXPANDS.sub("", text[at + 1 : close][:1000].strip(), count=1)
    if _CSNAME.match(inside):
        found_at = _csname(inside, 0)
        return _Target(close + 1, found_at.names, found_at.prefixes, computed=True)
    if word:
        return _Target(close + 1, *computed(inside))
    if _COMMAND.fullmatch(inside):
        return _Target(close + 1, [inside])
    if "#" in inside:
        return _Target(close + 1, prefixes=["\\"])
    if _LETTERS.fullmatch(inside):
        return _Target(close + 1, ["\\" + inside])
    return _Target(close + 1, list(dict.fromkeys(_COMMAND.findall(inside))))


def _csname(text: str, at: int) -> _Target:
    start = at + len("\\csname")
    end = text.find("\\endcsname", start, start + 500)
    if end < 0:
        return _Target(start, prefixes=["\\"], computed=True)
    return _Target(end + len("\\endcsname"), *computed(text[start:end]), computed=True)


def _star(source: Source, at: int) -> tuple[int, str]:
    """Step over a star; of ``\\newcommand*``."""
    return (at + 1, "*") if source.text[at : at + 1] == "*" else (at, "")


# --- ways to define ---------------------------------------------------------------------------
def _body(
    source: Source, at: int, arity: int = 0, default: str | None = None
) -> tuple[Definition | None, int]:
    """The definition whose body is the argument here, and the place after it."""
    found = source.argument(at)
    if found is None:
        return None, at
    start, end, after = found
    body = source.text[start:end]
    problem = ""
    if len(body) > MAX_BODY:
        problem = f"is defined by {len(body)} characters (at most {MAX_BODY})"
    if default is not None and not arity:
        problem = NOT_READ
    return Definition(arity, body, default, problem), after


def _arguments(source: Source, at: int) -> tuple[int, str | None, int]:
    """``[2][default]``: how many arguments, what the first is if left out, and what is next."""
    count = _ARITY.match(source.text, source.skip(at))
    if count is None:
        return 0, None, at
    given = source.option(count.end())
    return (int(count[1]), *(given or (None, count.end())))


def _new(source: Source, name: str, at: int) -> Act:
    at = _star(source, at)[0]
    of_beamer = source.text.startswith("<>", at)  # with one more argument, <2->
    target = _target(source, at + 2 * of_beamer)
    target.computed |= of_beamer
    if not (target.names or target.prefixes):
        return target.touched()
    arity, default, at = _arguments(source, target.end)
    definition, end = _body(source, at, arity, default)
    return target.gets(definition, end, _when(name))


def _when(name: str) -> str:
    name = name.lower()
    return "new" if name.startswith("new") else "provide" if name.startswith("provide") else ""


def _def(source: Source, name: str, at: int) -> Act:
    target = _target(source, at)
    parameters = _PARAMETERS.match(source.text, target.end) if target.names else None
    if parameters is None:
        return target.touched()
    written = parameters[1].strip()
    arity = len(written) // 2
    definition, end = _body(source, parameters.end(), arity)
    if definition is not None:
        plain = written == "".join(f"#{k + 1}" for k in range(arity))
        if not plain or name not in ("def", "gdef"):
            definition = Definition(arity, definition.body, problem=NOT_READ)
    return target.gets(definition, end)


_EQUALS = re.compile(r"[ \t]*\n?[ \t]*=?[ \t]?")


def _let(source: Source, name: str, at: int) -> Act:
    target = _target(source, at)
    between = _EQUALS.match(source.text, target.end)
    assert between is not None
    at = between.end()
    token = source.command(at)
    if token is not None and token[0] not in ("\\csname", "\\expandafter"):
        meant, end = token
    elif token is not None:
        return target.touched()
    else:
        meant, end = source.text[at : at + 1], at + 1
        if meant in ("", "{", "}", "#", "~", "\n", "$", "&", "%"):
            return target.touched()
    found = target.touched(end)
    if len(target.names) == 1 and not target.computed:
        found.meant = meant
    elif meant[:1] == "\\":
        return target.gets(Definition(body=meant + " ", problem=NOT_READ), end)
    return found


def _operator(source: Source, name: str, at: int) -> Act:
    at, star = _star(source, at)
    target = _target(source, at)
    found = source.argument(target.end)
    if found is None:
        return target.touched()
    start, end, after = found
    inside = source.text[start:end]
    body = f"\\operatorname{star}{{{inside}}}"
    problem = NOT_READ if len(inside) > MAX_BODY else ""
    return target.gets(Definition(0, body, problem=problem), after)


def _xparse(source: Source, name: str, at: int) -> Act:
    target = _target(source, at)
    found = source.argument(target.end)
    if found is None:
        return target.touched()
    start, end, at = found
    arguments = _SPEC.fullmatch(source.text, start, min(end, start + 400))
    if arguments is None or end > start + 400:
        body, after = _body(source, at)
        known = Definition(body=body.body, problem=NOT_READ) if body else None
        return target.gets(known, after)
    default = arguments[1]
    arity = arguments[2].count("m") + (default is not None)
    if arity > 9:
        return target.touched(at)
    definition, after = _body(source, at, arity, default)
    return target.gets(definition, after, _when(name))


def _delimiter(source: Source, name: str, at: int) -> Act:
    target = _target(source, at)
    left = source.argument(target.end)
    right = source.argument(left[2]) if left else None
    if left is None or right is None:
        return target.touched()
    one, other = (source.text[s:e].strip() for s, e, _ in (left, right))
    if len(one) + len(other) > 100:
        return target.touched(right[2])
    return target.gets(Definition(1, f"{one}#1{other}", fences=(one, other)), right[2])


def _environment(source: Source, name: str, at: int) -> Act:
    """An environment; of those that are not read it is known what they may run."""
    read = name in tables.ENVIRONMENTS
    start = _star(source, at)[0]
    target = _target(source, start if read else _after(source, start, 0), word=True)
    keys: list[tuple[str, Definition | None]] = [
        (key, None) for n in target.names for key in (f"\\begin{{{n[1:]}}}", n, f"\\end{n[1:]}")
    ]
    if len(target.names) != 1 or not read:
        end = target.end if read else _after(source, target.end)
        return Act(end, keys, target.prefixes, body=source.text[start:end])
    arity, default, at = _arguments(source, target.end)
    begins, at = _body(source, at, arity, default)
    ends, at = _body(source, at)
    # What \NAME would stand for alone is of no use in a formula.
    (key, _), *others = keys
    return Act(at, [*others, (key, begins), (f"\\end{key[6:]}", ends)], when=_when(name))


def _after(source: Source, at: int, count: int = 4) -> int:
    """The place after the options here, and so many arguments in braces."""
    text = source.text
    while (letter := text[(start := source.skip(at)) : start + 1]) in ("[", "{"):
        close = source.close(start)
        if letter == "{":
            if close is None or not count:
                break
            at, count = close + 1, count - 1
            continue
        inside = start + 1
        while (edge := _EDGE.search(text, inside, start + MAX_BODY)) and edge[0] != "]":
            close = source.close(edge.start()) if edge[0] == "{" else None
            inside = edge.end() if close is None else close + 1
        if edge is None:
            break
        at = edge.end()
    return at


# --- what is only known to touch names --------------------------------------------------------
def _touch(source: Source, name: str, at: int) -> Act:
    """Any other command that defines: the name it is about, and what that may run now."""
    start = _star(source, at)[0]
    target = _target(source, start, word=name in tables.BY_WORD)
    end, body = target.end, ""
    copied = source.argument(end) if name in tables.COPIES else None
    if copied is not None:
        body, end = source.text[slice(*copied[:2])] + " ", copied[2]
    elif name in tables.BY_WORD | tables.PATCHES:
        end = _after(source, _PLAIN.match(source.text, end).end())  # type: ignore[union-attr]
        body = source.text[target.end : end]
    return target.touched(end, body=body)


def _counter(source: Source, name: str, at: int) -> Act:
    target = _target(source, at, word=True)
    names = ["\\the" + word[1:] for word in target.names]
    return _Target(target.end, names, ["\\the"] if target.prefixes else []).touched()


def _if(source: Source, name: str, at: int) -> Act:
    target = _target(source, at)
    stems = [word.removeprefix("\\if") for word in target.names]
    return Act(target.end, [(f"\\{stem}{x}", None) for stem in stems for x in ("true", "false")])


_UP_TO = re.compile(r"(?:[ \t*/,0-9]|\\[A-Za-z@]+|\[[^\[\]]*\])*")
_GIVEN = re.compile(r"\{\s*\\?([A-Za-z@]+)\s*\}|\[\s*\\([A-Za-z@]+)\s*\]")


def _result(source: Source, name: str, at: int) -> Act:
    """The commands that are among its arguments, one of which gets the result."""
    start = _UP_TO.match(source.text, at).end()  # type: ignore[union-attr]
    end = at if name == "foreach" else _after(source, start, 6)
    given = ["\\" + "".join(found) for found in _GIVEN.findall(source.text[start:end])]
    given += _COMMAND.findall(source.text[at:start])
    return Act(end, [(one, None) for one in given])


_COLOUR = re.compile(r"\s*(?:\[[^]]*\]\s*)?\{\s*([A-Za-z]+)\s*\}")


def _colour(source: Source, name: str, at: int) -> Act:
    """A colour that formulas are set in, and that may now be the page's."""
    found = _COLOUR.match(source.text, at)
    named = found is not None and "set" not in name and name != "DefineNamedColor"
    if found is not None and named and not VISIBLE.fullmatch(found[1].lower()):
        return Act(found.end())
    return Act(at, [(command, None) for command in sorted(COLOURS)])


def _character(source: Source, name: str, at: int) -> Act:
    """``\\newunicodechar``: harmless of what is no letter, or of a letter of that name."""
    letter = source.argument(at)
    body = source.argument(letter[2]) if letter else None
    if letter is None or body is None:
        return Act(at, prefixes=[""])
    inside = source.text[slice(*letter[:2])].strip()
    named = re.search(r"\\([a-z]+)\W*\Z", source.text[slice(*body[:2])])
    own = named is not None and unicodedata.name(inside[:1], "").lower().endswith(f" {named[1]}")
    return Act(body[2], prefixes=[] if own or not inside.isalpha() else [""])


_Reader = Callable[[Source, str, int], Act]
_READERS: dict[str, _Reader] = {
    **dict.fromkeys(tables.NEW, _new),
    **dict.fromkeys(tables.DEF, _def),
    **dict.fromkeys(tables.XPARSE, _xparse),
    **dict.fromkeys(tables.OPERATORS, _operator),
    **dict.fromkeys(tables.ENVIRONMENTS | tables.OTHER_ENVIRONMENTS, _environment),
    **dict.fromkeys(tables.BY_WORD | tables.PATCHES | tables.COPIES, _touch),
    **dict.fromkeys(tables.COLOURING, _colour),
    "newunicodechar": _character,
    "newcounter": _counter,
    "DeclarePairedDelimiter": _delimiter,
    "let": _let,
    "newif": _if,
}
