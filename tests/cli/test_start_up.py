"""Help, version, completion, ``list`` and ``show``; what is imported to get there."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import click
import pytest
from click.shell_completion import get_completion_class
from cltheory.cli.main import COMMANDS, cli
from cltheory.derive.decide.exact import FUNCTIONS
from cltheory.derive.losses.literature import LITERATURE
from cltheory.derive.results import FAMILIES, results

IDS = [
    "ssem",
    "supcl-optimum",
    "supcl-threshold",
    "variance-bound",
    "cnce-optimum",
    "sup-cnce-optimum",
]

#: Runs a command, and prints on stderr which of some modules it imported.
SPY = """
import sys
from cltheory.cli.main import run
code = run(sys.argv[2:])
print(sorted(set(sys.argv[1].split(",")) & set(sys.modules)), file=sys.stderr)
sys.exit(code)
"""


def imported(modules: str, *args: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", SPY, modules, *args], capture_output=True, text=True, check=True
    )
    assert done.stdout
    return done.stderr.strip()


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_every_command_has_help(cltheory: Any, command: str, flag: str) -> None:
    code, out, err = cltheory(command, flag)
    assert (code, err) == (0, "")
    assert f"Usage: cltheory {command}" in out
    assert "Example" in out


# --- how the options are worded --------------------------------------------------------------
#: Words for which users read the standard term: "least loss" is the minimum of the loss.
OURS = (
    "least loss", "falls?", "rises?", "slopes?", "cold", "hot", "goes to", "comes to",
    "there (?:is|are) no", "(?:is|are) one point", "without the anchor", "pulls?(?! request)",
    "push(?:es)?", "occupied", "shares?", "laws?", "top direction", "on one line", "beside",
    "as many", "at numbers", "in balls", "felt", "put back", "told", "said", "by default",
)  # fmt: skip


def every_option(command: click.Command, path: str = "") -> Iterator[tuple[str, click.Option]]:
    """The options of a command and of those below it."""
    for param in command.params:
        if isinstance(param, click.Option):
            yield f"{path} {param.opts[0]}", param
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from every_option(below, f"{path} {name}")


def wrong_in(help: str | None, values: tuple[str, ...] = ()) -> str:
    """What is wrong with the help of an option that takes these values; "" if nothing is."""
    if not help:
        return "no help"
    if not help[0].isupper() and help.partition(":")[0] not in values:
        return "starts with neither a capital letter nor a value"
    if not help.endswith("."):
        return "no full stop at the end"
    if help.startswith("Of "):
        return "starts with Of"
    found = re.search(rf"\b(?:{'|'.join(OURS)})\b", help, re.IGNORECASE)
    return f"says {found[0]!r}" if found else ""


def test_the_help_of_every_option_is_in_standard_terms() -> None:
    found = dict(every_option(cli))
    assert len(found) > 240 and {" derive --digits", " figure ssem-fig2 --out"} <= set(found)
    wrong = {
        name: why
        for name, option in found.items()
        if (why := wrong_in(option.help, tuple(getattr(option.type, "choices", ()))))
    }
    assert not wrong


@pytest.mark.parametrize(
    "help, why",
    [
        (None, "no help"),
        ("temperature.", "starts with"),
        ("sarif: a file.", "starts with"),
        ("Temperature", "no full stop"),
        ("Of the loss.", "starts with Of"),
        ("Distance to the least loss.", "says 'least loss'"),
        ("Batches of each law.", "says 'law'"),
        ("Told by a colleague.", "says 'Told'"),
        ("Dimension; by default 3.", "says 'by default'"),
    ],
)
def test_other_words_in_the_help_of_an_option_are_noticed(help: str | None, why: str) -> None:
    assert why in wrong_in(help, ("text", "github"))
    assert not wrong_in("github: workflow commands.", ("text", "github"))


def test_without_a_command_there_is_help(cltheory: Any) -> None:
    code, out, _ = cltheory()
    assert code == 2
    assert "Usage: cltheory" in out


def test_version(cltheory: Any) -> None:
    code, out, _ = cltheory("--version")
    assert code == 0
    assert out.startswith("cltheory, version ")


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_imports_nothing_heavy(command: str) -> None:
    heavy = "sympy,mpmath,flint,numpy,torch,matplotlib,rich"
    assert imported(heavy, *command.split(), "--help") == "[]"


@pytest.mark.parametrize("style", ["text", "json", "latex", "markdown"])
def test_derive_does_not_import_torch(style: str) -> None:
    args = ("derive", "supcl-threshold", "--m", "10", "--format", style)
    assert imported("numpy,torch,matplotlib,rich", *args) == "[]"


@pytest.mark.parametrize(
    "args", [("list",), ("show", "ssem"), ("derive", "ssem", "--format", "python")]
)
def test_symbolic_commands_do_not_import_torch(args: tuple[str, ...]) -> None:
    assert imported("torch,matplotlib", *args) == "[]"


# --- list and show -------------------------------------------------------------------------
def test_list_names_every_result_by_what_it_is_about(cltheory: Any) -> None:
    code, out, err = cltheory("list")
    assert (code, err) == (0, "")
    found = [line.split()[0] for line in out.splitlines() if line.startswith("  ")]
    assert sorted(found) == list(results)
    assert set(IDS) <= set(found)
    heads = [line for line in out.splitlines() if line and line[0] != " "]
    assert heads == list(FAMILIES.values())


def test_list_searches(cltheory: Any, refused: Any) -> None:
    out = cltheory("list", "SigLIP").out
    assert "pairwise-threshold" in out and "supcl" not in out
    assert "no result mentions 'qqq'" in refused("list", "qqq")


def test_list_as_json(cltheory: Any) -> None:
    rows = json.loads(cltheory("list", "--format", "json").out)
    by_id = {row["id"]: row for row in rows}
    assert by_id["supcl-threshold"]["parameters"] == ["m", "n", "alpha", "tau"]
    assert all(row["title"] and row["source"] and row["about"] for row in rows)


def test_an_unknown_id_gets_at_most_three_guesses(refused: Any) -> None:
    line = refused("derive", "supcl-treshold")
    assert "did you mean 'supcl-threshold'" in line and "cltheory list" in line
    assert sum(id in line for id in results) <= 3
    assert "'cltheory list' lists the results" in refused("derive")


@pytest.mark.parametrize("id", list(results))
def test_show_says_what_a_result_takes_and_gives(cltheory: Any, id: str) -> None:
    code, out, err = cltheory("show", id)
    assert (code, err) == (0, "")
    assert all(f"--{s.name} " in out for s in results[id].parameters)
    assert all(f"    {name} " in out for name in results[id].quantities)
    assert results[id].title in out


# --- completion ------------------------------------------------------------------------------


def completed(args: list[str], incomplete: str) -> list[str]:
    shell = get_completion_class("bash")
    assert shell is not None
    found = shell(cli, {}, "cltheory", "_CLTHEORY_COMPLETE").get_completions(args, incomplete)
    return [item.value for item in found]


@pytest.mark.parametrize("command", ["derive", "show", "verify"])
def test_ids_are_completed(command: str) -> None:
    assert completed([command], "supcl") == [id for id in results if id.startswith("supcl")]
    assert completed([command], "") == list(results)


@pytest.mark.parametrize("command", ["derive", "verify"])
@pytest.mark.parametrize("id", list(results))
def test_help_on_a_result_lists_what_it_takes(cltheory: Any, command: str, id: str) -> None:
    code, out, err = cltheory(command, id, "--help")
    assert (code, err) == (0, "")
    flat = " ".join(out.split())
    r = results[id]
    for s in r.parameters:
        assert f"--{s.name} {r.domain.ranges[s]}: {r.meanings[s]}" in flat
    assert ("--loss" in out) == bool(r.texts)
    assert cltheory(command, "--help", id) == (code, out, err)


def test_help_on_a_loss_says_what_it_may_use(cltheory: Any) -> None:
    flat = " ".join(cltheory("derive", "pairwise-threshold", "--help").out.split())
    assert "--lp loss of a positive pair" in flat
    assert "--ln loss of a negative pair" in flat
    assert "x, t, b, numbers" in flat
    assert all(f"{name}" in flat for name in (*FUNCTIONS, *LITERATURE))


def test_the_shell_gets_completions_from_the_command(process: Callable[..., Any]) -> None:
    done = process(
        _CLTHEORY_COMPLETE="bash_complete", COMP_WORDS="cltheory derive supcl-th", COMP_CWORD="2"
    )
    assert done.out.split() == ["plain,supcl-threshold"]


def test_completing_an_id_imports_no_sympy() -> None:
    code = (
        "import sys; from click.shell_completion import get_completion_class as g;"
        "from cltheory.cli.main import cli;"
        "s = g('bash')(cli, {}, 'cltheory', '_X');"
        "s.get_completions(['derive'], '');"
        "s.get_completions(['claims'], '');"
        "print('sympy' in sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "False"
