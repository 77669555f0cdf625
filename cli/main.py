"""The command line: parse, call, render. Nothing heavy is imported until a command runs."""

from __future__ import annotations

import gc
import os
import sys
from importlib import import_module
from typing import Any

import click

from ..derive.engine.errors import InternalError

#: command -> (module, one line of help). The modules are loaded when the command is.
COMMANDS = {
    "list": ("listing", "List the results, one line each."),
    "show": ("listing", "Show a result: what it says, its quantities and parameters."),
    "derive": ("derive", "Derive a result and print it, with numbers put in."),
    "claims": ("claims", "Check every statement of a paper and print the verdicts."),
    "check": ("check", "Check that marked equations of papers say what was derived."),
    "verify": ("verify", "Cross-check a result on optimised embeddings, with a certificate."),
    "figure": ("figure", "Draw theory against optimised embeddings."),
    "export": ("export", "Write results as LaTeX macros, numpy functions or JSON."),
    "freeze": ("freeze", "Print the formulas as they are now, to notice when one changes."),
    "completion": ("completion", "Print the script that switches tab completion on."),
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
"""


@click.group(
    cls=_Lazy,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=EXAMPLES,
)
@click.version_option(package_name="cltheory", prog_name="cltheory")
def cli() -> None:
    """Closed-form results of contrastive-learning theory, derived and checked by machine."""


def main(args: list[str] | None = None) -> None:
    """Run a command; bad input ends in one line and exit code 2, never in a traceback."""
    # A command is short-lived and builds many small objects: collecting them costs
    # a fifth of its time and frees nothing that matters.
    gc.disable()
    code = run(args)
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (BrokenPipeError, ValueError):
        pass
    # Taking the interpreter apart, object by object, would take longer than the proofs.
    os._exit(code)


def run(args: list[str] | None = None) -> int:
    """Run a command and return its exit code: 0 fine, 1 a check failed, 2 bad input."""
    try:
        code: Any = cli.main(args=args, prog_name="cltheory", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return 2
    except click.ClickException as error:
        return refuse(error.format_message())
    except click.exceptions.Abort:
        return refuse("interrupted", code=130)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except InternalError as error:
        return refuse(f"internal check failed: {error}; please report", code=1)
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    return code if isinstance(code, int) else 0


def refuse(message: str, code: int = 2) -> int:
    """Print one line on standard error."""
    click.echo("cltheory: " + " ".join(message.split()), err=True)
    return code


if __name__ == "__main__":
    main()
