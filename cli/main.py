"""The command line: parse, call, render. Nothing heavy is imported until a command runs."""

from __future__ import annotations

import atexit
import gc
import io
import os
import re
import sys
import warnings
from importlib import import_module
from types import ModuleType
from typing import Any

import click

from ..derive.decide.spelling import did_you_mean
from ..derive.errors import InternalError, Refusal, Unproved
from ..derive.plugins import PluginWarning
from ..derive.results import results  # imports no SymPy
from . import guard

#: command -> (module, one line of help). The modules are loaded when the command is.
COMMANDS = {
    "list": ("listing", "List the results, one line each."),
    "show": ("listing", "Show a result: its quantities, parameters and conditions."),
    "derive": ("derive", "Derive a result and evaluate it at given parameters."),
    "claims": ("claims", "Check every statement of a paper and print the verdicts."),
    "check": ("check", "Check marked equations of papers against the derived formulas."),
    "prove": ("prove", "Have the kernel of Rocq check the theorems and numbers of a result."),
    "verify": ("verify", "Compare a result with optimised embeddings."),
    "realize": ("realize", "Decide whether the geometry prescribed by weights can be realised."),
    "diagnose": ("diagnose", "Say whether embeddings in a file have collapsed."),
    "explain": ("explain", "Explain a value of a loss: collapse, chance, or the least possible."),
    "advise": (
        "advise",
        "Say which values of the parameters of a loss are safe.",
    ),
    "attack": ("attack", "Search for violations of the bounds of a result."),
    "certify": ("certify", "Certify how far the loss of embeddings is above its minimum."),
    "figure": ("figure", "Draw a figure: theory and optimised embeddings."),
    "export": ("export", "Write results as LaTeX macros, numpy functions or JSON."),
    "freeze": ("freeze", "Print all formulas, for later comparison by check --frozen."),
    "new-theorem": ("new", "Write the files of a theorem of your own."),
    "new-paper": ("new", "Write the files of a ledger of a paper."),
    "completion": ("completion", "Print the script that enables tab completion."),
}


class _Lazy(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module = import_module(f".{COMMANDS[name][0]}", __package__)
        found: click.Command = getattr(module, name.replace("-", "_") + "_command")
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if not ctx.resilient_parsing and args[0] not in COMMANDS and args[0][:1] != "-":
            near = did_you_mean(args[0], COMMANDS)
            also = f"; 'cltheory show {args[0]}' shows that result" if args[0] in results else ""
            ctx.fail(f"No such command {args[0]!r}{near}{also}; there are {', '.join(COMMANDS)}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:  # click would put an empty line before ours
            raise click.exceptions.Abort from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


EXAMPLES = """\b
Examples:
  cltheory derive supcl-threshold --m 10
  cltheory derive supcl-threshold --m 10 --n 50 --tau 0.1 --digits 30
  cltheory verify supcl-threshold --m 10 --n 10 --p 2 --tau 0.2
  cltheory claims lee2025ssem
  cltheory check paper.tex

Exit codes: 0 success; 1 a check failed, or a theorem could not be proved for these parameters;
2 bad input; 130 interrupted.
"""

#: What torch says of arrays that it cannot hold; it raises plain RuntimeError.
NO_MEMORY = re.compile(r"can't allocate memory|out of memory|overflow", re.IGNORECASE)
MAX_WORD = 200  #: characters of a word in a message, which may be the user's
UNPROVED = (
    "it cannot be proved for what was given: {}. Nothing is shown without its proof; try numbers "
    "for what is left free, or another loss or value"
)


@click.group(
    cls=_Lazy,
    context_settings={
        "help_option_names": ["-h", "--help"],
        "max_content_width": 100,
        "show_default": True,
    },
    epilog=EXAMPLES,
)
@click.version_option(
    package_name="cltheory", prog_name="cltheory", message="%(prog)s, version %(version)s"
)
def cli() -> None:
    """Closed-form results of contrastive-learning theory, derived and checked by machine."""


def main(args: list[str] | None = None) -> None:
    """Run a command; bad input ends in one line and exit code 2, never in a traceback."""
    # A command is short-lived and builds many small objects: collecting them costs
    # a fifth of its time and frees nothing that matters.
    gc.disable()
    _without_tensors()
    guard.program()
    _warn_in_a_line()
    sys.stdout = _Patient.over(sys.stdout)
    code = run(args)
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:  # a full disk, say
        code = refuse(f"standard output: {error.strerror}")
    if sys.stderr is not None:
        sys.stderr.flush()
    atexit._run_exitfuncs()  # temporary folders are removed
    # Taking the interpreter apart, object by object, would take longer than the proofs.
    os._exit(code)


def _without_tensors() -> None:
    sys.modules.setdefault(_NoTensors.NAME, _NoTensors(_NoTensors.NAME))


class _NoTensors(ModuleType):
    """Stands for ``sympy.tensor.tensor`` until more of it is asked for than these two classes.

    SymPy's first sum loads it, and all permutation groups with it, to ask whether a term is a
    tensor. Until it is loaded, none is.
    """

    NAME = "sympy.tensor.tensor"
    TensExpr = TensAdd = type("NoTensor", (), {})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what an import looks at first
            raise AttributeError(name)
        if sys.modules.get(self.NAME) is self:
            del sys.modules[self.NAME]
        return getattr(import_module(self.NAME), name)


def _warn_in_a_line() -> None:
    """What another package registers and cannot be used is told as everything else is."""
    others = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
        if issubclass(category, PluginWarning):
            refuse(str(message))
        else:
            others(message, category, *where, **more)

    warnings.showwarning = show


def run(args: list[str] | None = None) -> int:
    """Run a command and return its exit code.

    0 fine; 1 a check failed, or a theorem could not be proved; 2 bad input; 130 interrupted.
    """
    if args is not None and any("\0" in word for word in args):
        return refuse("a command-line argument contains a NUL byte")
    try:
        code: Any = cli.main(args=args, prog_name="cltheory", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return 2
    except click.ClickException as error:
        missing = error.param if isinstance(error, click.MissingParameter) else None
        is_result = missing is not None and missing.type.name.startswith("id")
        hint = "; 'cltheory list' lists the results" if is_result else ""
        if missing and missing.name == "paper":
            from ..derive.papers import PAPERS

            hint = f"; there are {', '.join(PAPERS)}"
        elif missing and missing.name == "loss":
            from ..derive.advice.table import LOSSES

            hint = f", such as --loss supcl; there are {', '.join(LOSSES)}"
        return refuse(f"{error.format_message().rstrip('.')}{hint}")
    except (click.exceptions.Abort, KeyboardInterrupt):
        return refuse("interrupted", code=130)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except InternalError as error:
        return refuse(f"internal check failed: {error}; please report", code=1)
    except OSError as error:
        return refuse(f"{error.filename or 'output'}: {error.strerror or error}")
    except (MemoryError, RecursionError) as error:
        what = "more memory than it may have" if isinstance(error, MemoryError) else "nesting"
        return refuse(f"too large to decide: {what}", 1)
    except Unproved as error:
        return refuse(UNPROVED.format(error), error.exit_code)
    except Refusal as error:
        return refuse(str(error), error.exit_code)
    except Exception as error:
        if guard.is_too_long(error):
            return refuse(f"too large to decide: {guard.TOO_LONG}", 1)
        if isinstance(error, RuntimeError) and NO_MEMORY.search(str(error)):
            return refuse("too large: more memory than there is", 1)
        raise
    return code if isinstance(code, int) else 0


def refuse(message: str, code: int = 2) -> int:
    """Print one line on standard error; what a user typed may be long, or no text at all."""
    from ..derive.tex.judge.explain import one_line

    words = (w if len(w) <= MAX_WORD else f"{w[: MAX_WORD - 3]}..." for w in message.split())
    click.echo(f"cltheory: {one_line(' '.join(words))}", err=True)
    return code


class _Patient(io.TextIOWrapper):
    """Standard output whose reader may leave: ``cltheory verify ID | head -1``.

    A closed pipe is no failed check: what follows goes nowhere, and the command ends with the
    code that it would have ended with.
    """

    @classmethod
    def over(cls, stream: Any) -> Any:
        """The same stream, patient; what has no file below it is left alone."""
        try:
            stream.fileno()
        except (AttributeError, OSError, ValueError):
            return stream
        # What the encoding of the terminal lacks is written as an escape, not refused.
        errors = "backslashreplace" if stream.errors == "strict" else stream.errors
        encoding, lines = stream.encoding, stream.line_buffering
        return cls(stream.detach(), encoding, errors, line_buffering=lines)

    def write(self, text: str) -> int:
        try:
            return super().write(text)
        except BrokenPipeError:
            self._let_go()
            return len(text)

    def flush(self) -> None:
        try:
            super().flush()
        except BrokenPipeError:
            self._let_go()

    def _let_go(self) -> None:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self.fileno())
        os.close(nowhere)


if __name__ == "__main__":
    main()
