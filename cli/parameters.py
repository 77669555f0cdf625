"""Results and their parameters on the command line: ``--m 10 --tau=0.2``, any that there are."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from ..derive.decide.spelling import did_you_mean
from ..derive.problems.catalogue import is_file  # imports no SymPy
from ..derive.results import results  # neither does this

CONVENTIONS = Path(__file__).resolve().parents[1] / "derive" / "losses" / "conventions.py"

#: What the expressions are that a result may take.
TEXTS = {
    "lp": "loss of a positive pair, a function of its inner product x",
    "ln": "loss of a negative pair, a function of its inner product x",
    "loss": "name of a loss, instead of --lp and --ln",
}
#: What it is where a loss comes with its structure, so that the parameters are those of the loss.
DECLARED = "name of a loss, or a file NAME.toml that declares one"


# --- ids -----------------------------------------------------------------------------------
class ResultId(click.ParamType):
    """The id of a result, completed and refused without importing SymPy."""

    name = "id"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Refuse what is not one, with the nearest there is."""
        if value not in results:
            _check_file(value, "result")
            raise results.unknown(value)
        return str(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Ids that begin like this."""
        return [CompletionItem(id) for id in results.names() if id.startswith(incomplete)]


OWN_LOSS = click.option(
    "--loss",
    "losses",
    type=ResultId(),
    metavar="FILE",
    multiple=True,
    help="Also a loss of your own, declared in FILE.toml.",
)


def convention_names() -> list[str]:
    """Names of the conventions, read from their module without running it."""
    return re.findall(
        r'^    "([\w-]+)": Convention\(', CONVENTIONS.read_text("utf-8"), re.MULTILINE
    )


# --- parameters ------------------------------------------------------------------------------
def split(words: tuple[str, ...], id: str, *also: str) -> dict[str, str]:
    """Read ``--name value`` and ``--name=value`` pairs; the values stay text.

    ``also`` names what the command takes besides the parameters of the result.

    Raises
    ------
    click.UsageError
        For a word that is not an option, an option without a value, one given twice, or a name
        that the result does not know.
    """
    idle = [s.name for s in results[id].idle] if id in results else []
    known = [*parameter_names(id, _text_in(words), _text_in(words, "sampling")), *also]

    def check(name: str) -> None:
        if name not in (*known, *idle):
            raise click.UsageError(
                f"{id} has no parameter {short(name)}{did_you_mean(name, known)}; it takes "
                f"{', '.join(known)}"
            )

    found = pairs(words, f" after {id}", check)
    if "loss" in found:
        _check_loss(found["loss"], id)
    return found


def pairs(
    words: Iterable[str], after: str = "", check: Callable[[str], None] = lambda name: None
) -> dict[str, str]:
    """Read ``--name value`` and ``--name=value``; ``check`` refuses names."""
    found: dict[str, str] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if not word.startswith("--") or len(word) < 3:
            raise click.UsageError(f"unexpected {short(word)!r}{after}: give --parameter value")
        name, equals, value = word[2:].partition("=")
        check(name)
        if not equals:
            if not rest or rest[0].startswith("--"):
                raise click.UsageError(f"--{short(name)} needs a value")
            value = rest.pop(0)
        if name in found:
            raise click.UsageError(f"--{short(name)} is given twice")
        found[name] = value
    return found


def read_assigned(words: Iterable[str]) -> dict[str, str]:
    """Read the NAME=VALUE pairs of ``--set``, each name once."""
    for word in words:
        name, _, value = word.partition("=")
        if not (name.isidentifier() and value):
            raise click.UsageError(f"--set takes NAME=VALUE, such as c=1/2, not {short(word)!r}")
    return pairs(f"--{word}" for word in words)


def _text_in(words: Iterable[str], name: str = "loss") -> str:
    """The loss (or how batches are drawn) among the words that were typed, if one is."""
    return next((w.partition("=")[2] for w in words if w.startswith(f"--{name}=")), "")


def _check_loss(value: str, id: str) -> None:
    """Refuse a loss that there is not, with the nearest there is."""
    known = _losses(id)
    if (takes_declared(id) and is_file(value)) or value in known:
        return
    _check_file(value, "loss")
    files = ", and files ending in .toml" if takes_declared(id) else ""
    raise click.UsageError(
        f"no loss is called {short(value)!r}{did_you_mean(value, known)}; there are "
        f"{', '.join(known)}{files}"
    )


def _check_file(value: str, what: str) -> None:
    """Refuse the name of a file without its ending: results of a loss in a file are called so."""
    if Path(f"{value}.toml").is_file():
        says = f"no {what} is called {short(value)!r}; write {short(value)}.toml"
        raise click.UsageError(f"{says} for the loss in that file")


def takes_declared(id: str) -> bool:
    """Whether a result takes a loss with its structure, not two functions of an inner product."""
    names = parameter_names(id)
    return "loss" in names and "lp" not in names


#: A list of numbers may be in a file with one of these endings, of at most so many bytes.
FILES, MAX_FILE = (".txt", ".csv"), 2_000_000


def from_file(name: str, value: str) -> str:
    """The text of a list: as it is typed, or what is in the file that it names.

    Raises
    ------
    click.UsageError
        If the file cannot be read, is too large, or of another kind.
    """
    if value.lower().endswith(FILES):
        return read_text(value, MAX_FILE, f"--{name}: ").strip()
    if os.path.isfile(value):  # as Path.is_file, but a list may be longer than a name may
        raise click.UsageError(
            f"--{name}: {short(value)!r} is not a .txt, .csv or .npy file, "
            "as a list or a matrix must be"
        )
    return value


def read_text(name: str, largest: int, about: str = "") -> str:
    """The text of a file of the user's, about which one line says what is wrong.

    Raises
    ------
    click.UsageError
        If there is none, it has more bytes than ``largest``, or cannot be read.
    """
    path, said = Path(name), short(name)
    try:
        if not path.is_file():
            raise click.UsageError(f"{about}the file {said!r} does not exist")
        if path.stat().st_size > largest:
            raise click.UsageError(f"{about}{said!r} has more than {largest} bytes")
        return path.read_bytes().decode("utf-8-sig")  # spreadsheets put a mark first
    except UnicodeDecodeError:
        raise click.UsageError(f"{about}{said} is not a UTF-8 text file") from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise click.UsageError(f"{about}{said!r} cannot be read: {why}") from None


def short(text: str) -> str:
    """Text of a user's in a message of one line."""
    return text if len(text) <= 60 else text[:57] + "..."


def parameter_names(id: str, loss: str = "", sampling: str = "") -> list[str]:
    """Names of the parameters of a result and of the expressions and lists it takes.

    Where a loss comes with its structure, they are those of the ``loss`` that was given, and of
    the batches that are drawn.
    """
    if id not in results:
        return []
    result, drawn = results[id], []
    if loss and takes_declared(id):
        _check_loss(loss, id)
        result = result.with_inputs(loss=loss)
    if sampling:
        drawn = ["C", "k"] if sampling == "balanced" else ["B"]
    return [*(s.name for s in result.parameters), *drawn, *result.texts, *result.lists]


class ResultCommand(click.Command):
    """A command on a result: its parameters are among the options, in the help and on TAB."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep a value with its name: ``--lp -tanh(x)`` is no bundle of short options."""
        own = {
            opt for param in self.get_params(ctx) for opt in (*param.opts, *param.secondary_opts)
        }
        takes = {
            opt
            for param in self.get_params(ctx)
            if isinstance(param, click.Option) and not param.is_flag
            for opt in param.opts
        }
        kept: list[str] = []
        named: list[str] = []
        words: list[str] = []
        rest = list(args)
        while rest:
            word = rest.pop(0)
            if not word.startswith("--") or word == "--" or word.partition("=")[0] in own:
                kept.append(word)
                words += [word] if word[:1] != "-" else []
                if word in takes and rest:
                    kept.append(rest.pop(0))
            elif "=" in word or not rest or rest[0].startswith("--"):
                named.append(word)
            else:
                named.append(f"{word}={rest.pop(0)}")
        loss = _text_in(named)
        if loss and not words:  # a loss alone: which structure is optimal for it
            kept.insert(0, "phases")
            words = ["phases"]
        ids = (w for known in (results.is_own, results.__contains__) for w in words if known(w))
        ctx.meta["cltheory.id"] = next(ids, None)
        ctx.meta["cltheory.loss"] = loss
        return super().parse_args(ctx, kept + named)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """With an id before ``--help``, what the result takes comes first."""
        id = ctx.meta.get("cltheory.id")
        if id is not None:
            _describe(id, formatter, ctx.meta.get("cltheory.loss", ""))
        super().format_options(ctx, formatter)


def result_command(
    name: str, examples: str, kind: click.ParamType = ResultId(), metavar: str | None = None
) -> Callable[[Any], Any]:
    """A command on a result and its parameters, with examples at the end of its help."""

    def made(function: Any) -> Any:
        words = click.argument("parameters", nargs=-1, type=click.UNPROCESSED)(function)
        return click.command(
            name,
            cls=ResultCommand,
            context_settings={"ignore_unknown_options": True},
            epilog=f"\b\nExamples:\n{examples}",
        )(click.argument("id", type=kind, metavar=metavar)(words))

    return made


def _losses(id: str) -> Mapping[str, Any]:
    """The losses that a result takes by name."""
    if takes_declared(id):
        from ..derive.problems.catalogue import CATALOGUE  # imports no SymPy

        return CATALOGUE
    from ..derive.losses.literature import LITERATURE  # neither does this

    return LITERATURE


def _describe(id: str, formatter: click.HelpFormatter, loss: str = "") -> None:
    from ..derive.decide.exact import ACCEPTED, FUNCTIONS

    result = results[id]
    declared = takes_declared(id)
    if declared and loss:
        _check_loss(loss, id)
        result = result.with_inputs(loss=loss)
    with_loss = f" with the loss {result.declared.name}" if declared and result.declared else ""
    with formatter.section(f"Parameters of {id}{with_loss}"):
        formatter.write_dl(
            [
                (
                    f"--{s.name}",
                    f"{result.domain.ranges[s]}: {result.meanings.get(s, '')}".rstrip(": "),
                )
                for s in result.parameters
            ]
            + [(f"--{k.name}", f"{k.takes}: {k.meaning}") for k in result.lists.values()]
        )
        formatter.write_text(f"A value is {ACCEPTED}.")
    if not result.texts:
        return
    texts = (
        {"loss": DECLARED} if declared else {k: TEXTS.get(k, "an expression") for k in result.texts}
    )
    with formatter.section("The loss" if declared else "A loss of your own"):
        formatter.write_dl([(f"--{name}", what) for name, what in texts.items()])
        if not declared:
            symbols = ", ".join(("x", *(s.name for s in result.parameters if s.name in ("t", "b"))))
            formatter.write_text(
                f"Expressions use {symbols}, numbers, + - * / ^ and {', '.join(FUNCTIONS)}."
            )
        formatter.write_text(f"Named losses: {', '.join(_losses(id))}.")
