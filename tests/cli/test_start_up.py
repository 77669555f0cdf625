"""Help, version, completion, ``list`` and ``show``; what is imported to get there."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from click.shell_completion import get_completion_class
from cltheory.cli.main import COMMANDS, cli
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


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_imports_nothing_heavy(command: str) -> None:
    heavy = "sympy,mpmath,flint,numpy,torch,matplotlib,rich"
    assert imported(heavy, *command.split(), "--help") == "[]"


@pytest.mark.parametrize("style", ["text", "json", "latex", "markdown"])
def test_derive_does_not_import_torch(style: str) -> None:
    args = ("derive", "supcl-threshold", "--m", "10", "--format", style)
    assert imported("numpy,torch,matplotlib,rich", *args) == "[]"


def test_the_answer_in_text_loads_no_more_than_it_needs() -> None:
    args = ("derive", "supcl-threshold", "--m", "10")
    assert imported("json,tomllib,zipfile,importlib.resources", *args) == "[]"


def test_a_sum_loads_no_tensors_until_there_are_some() -> None:
    code = (
        "import sys; from cltheory.cli import main as m; m._without_tensors(); import sympy;"
        "x, y, z = sympy.symbols('x y z'); x + y + z;"
        "print('sympy.combinatorics' in sys.modules, end=' ');"
        "from sympy.tensor.tensor import TensorHead, TensorIndexType, tensor_indices;"
        "space = TensorIndexType('L'); A, B = (TensorHead(n, [space]) for n in 'AB');"
        "i = tensor_indices('i', space);"
        "print(A(i) + A(i), type(A(i) + B(i)).__name__)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "2*A(i)", "TensAdd"]


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
    *heads, legend = [line for line in out.splitlines() if line and line[0] != " "]
    assert heads == list(FAMILIES.values())
    assert "cltheory prove" in legend


def test_list_searches(cltheory: Any) -> None:
    out = cltheory("list", "SigLIP").out
    assert "pairwise-threshold" in out and "supcl" not in out


@pytest.mark.parametrize(
    "word, id",
    [
        ("clip", "infonce-optimum"),  # a library
        ("siglip", "sigmoid-threshold"),
        ("long-tailed", "tail-collapse"),  # a keyword
        ("hard negatives", "phases"),
        ("Class Collapse", "supcl-threshold"),
        ("gain_in_any_dimension", "whitening-gain"),
    ],
)
def test_list_knows_libraries_keywords_and_quantities(cltheory: Any, word: str, id: str) -> None:
    assert f"  {id} " in cltheory("list", word).out


@pytest.mark.parametrize("id", list(results))
def test_show_says_what_a_result_takes_and_gives(cltheory: Any, id: str) -> None:
    code, out, err = cltheory("show", id)
    assert (code, err) == (0, "")
    assert all(f"--{s.name} " in out for s in results[id].parameters)
    assert all(f"    {name} " in out for name in results[id].quantities)
    assert results[id].title in out
    assert all(len(line) <= 100 for line in out.splitlines())


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
