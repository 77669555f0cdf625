"""``cltheory completion``."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command(
    "completion",
    epilog="""\b
Examples:
  eval "$(cltheory completion bash)"
  cltheory completion fish > ~/.config/fish/completions/cltheory.fish
""",
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion_command(shell: str) -> int:
    """Print the script that enables tab completion in SHELL."""
    from .main import cli

    found = get_completion_class(shell)
    assert found is not None
    click.echo(found(cli, {}, "cltheory", "_CLTHEORY_COMPLETE").source())
    return 0
