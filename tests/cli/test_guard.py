"""Work under a budget ends, whatever it does, and the next is done; nobody is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from cltheory.cli.guard import Limits, Spent, each, is_possible
from cltheory.derive.tex import check as of_tex

pytestmark = pytest.mark.skipif(not is_possible(), reason="no copies of a process here")

FEW = Limits(time=0.2, memory=0.25)
Tell = Callable[[Any], None]


def endless(_: Tell) -> str:
    while True:
        pass


def native(_: Tell) -> int:
    return int(pow(7, 10**10))


def large(_: Tell) -> int:
    return len(bytearray(2**30))


def nested(tell: Tell) -> str:
    return nested(tell)


def dies(_: Tell) -> str:
    os.kill(os.getpid(), signal.SIGFPE)
    return "not reached"


def wrong(_: Tell) -> str:
    raise ZeroDivisionError("by nothing")


def told(tell: Tell) -> str:
    tell("the verdict")
    return endless(tell)


def quick(_: Tell) -> str:
    return "done"


def outcomes(*items: Callable[[Tell], Any], workers: int = 1, limits: Limits = FEW) -> list[Any]:
    found = list(each(lambda item, tell: item(tell), items, limits, workers=workers))
    with pytest.raises(ChildProcessError):  # nobody is left
        os.waitpid(-1, os.WNOHANG)
    return found


@pytest.mark.parametrize(
    ("item", "says"),
    [
        (endless, "more than 0.2 s (--time)"),
        (native, "more than 0.2 s (--time)"),
        (large, "more memory than 0.25 GB (--memory)"),
        (nested, "too deeply nested"),
        (dies, "its process died (SIGFPE)"),
        (wrong, "ZeroDivisionError: by nothing"),
    ],
)
def test_what_does_not_end_is_given_up_and_the_next_is_done(
    item: Callable[[Tell], Any], says: str
) -> None:
    first, given_up, last = outcomes(quick, item, quick)
    assert (first, last) == ("done", "done")
    assert given_up == Spent(says)


def test_what_was_told_before_the_budget_ended_stays() -> None:
    assert outcomes(told, quick) == ["the verdict", "done"]


@pytest.mark.parametrize("workers", [1, 2, 7])
def test_outcomes_come_in_order(workers: int) -> None:
    items = [lambda _, k=k: k * k for k in range(20)]
    items[3] = endless  # type: ignore[assignment]
    found = outcomes(*items, workers=workers)
    assert isinstance(found[3], Spent)
    assert [f for f in found if not isinstance(f, Spent)] == [k * k for k in range(20) if k != 3]


def test_without_limits_it_is_done_here() -> None:
    here = os.getpid()
    assert outcomes(lambda _: os.getpid(), limits=Limits()) == [here]
    assert outcomes(lambda _: os.getpid()) != [here]


def test_an_iterator_that_is_closed_ends_its_workers() -> None:
    work = each(lambda item, tell: item(tell), [quick, endless], Limits(time=60), workers=2)
    assert next(work) == "done"
    work.close()
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


# --- equations -----------------------------------------------------------------------------------
ONE = "% cltheory: supcl-threshold.alpha_min\n\\[ \\alpha_{\\min} = FORMULA \\]\n"
RIGHT = r"\frac{1+(mn-1)e^{-\frac{m}{(m-1)\tau}}}{n+n(m-1)e^{-\frac{m}{(m-1)\tau}}}"


def paper(folder: Path, *formulas: str) -> str:
    path = folder / "paper.tex"
    path.write_text("".join(ONE.replace("FORMULA", f) for f in formulas))
    return str(path)


def test_an_equation_beyond_the_budget_is_undecided_and_the_next_is_read(
    cltheory: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    usual = of_tex.judge

    def slow(statement: Any, *rest: Any) -> Any:
        return endless(print) if "777" in str(statement) else usual(statement, *rest)

    monkeypatch.setattr(of_tex, "judge", slow)
    code, out, err = cltheory("check", paper(tmp_path, "777", RIGHT), "--time", "0.3")
    assert (code, err) == (1, "")
    assert "too large to decide: more than 0.3 s (--time)" in out
    assert "1 equal (1 exact), 1 undecided" in out


def test_a_verdict_stays_when_the_search_for_an_edit_is_given_up(
    cltheory: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("cltheory.derive.tex.check.suggest", lambda *_: endless(print))
    code, out, _ = cltheory("check", paper(tmp_path, r"\frac1n", RIGHT), "--time", "1")
    assert code == 1
    assert "differs from supcl-threshold.alpha_min" in out and "edit" not in out
    assert "1 equal (1 exact), 1 different" in out


LARGE = [
    r"e^{1.0000001m}+e^{m}",
    r"(m+\tau)^{3}(m+n+\tau)^{27}(m+2n+\tau)^{9}",
    "+".join(rf"e^{{\frac{{m}}{{n+{k}}}}}" for k in range(1, 16)),
    r"\sqrt{m+\sqrt{n+\sqrt{m+\sqrt{n+\sqrt{\tau}}}}}",
    RIGHT + r"+e^{-10^{6}}",
    RIGHT + r"+e^{-10^{6}m^{1000}}",
    RIGHT + r"+e^{10^{600}m}",
    RIGHT + r"+e^{-10^{6}e^{10^{6}m}}",
    RIGHT + r"+e^{10^{6}2^{1000m}}",
]


def test_large_formulas_end(cltheory: Any, tmp_path: Path) -> None:
    code, out, err = cltheory("check", paper(tmp_path, *LARGE, RIGHT), "--time", "0.3")
    assert (code, err) == (2, "")  # numbers of that size in an exponent are not read
    assert "1 equal" in out and "defect" not in out and "died" not in out


# --- locks, and whole commands ------------------------------------------------------------------
def test_a_lock_beyond_the_budget_is_a_change_that_was_not_decided(
    cltheory: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from cltheory.derive.write.lock import freeze
    from test_lock import altered

    lock = tmp_path / "a.lock"
    lock.write_text(altered(freeze(["ccem"]), "ccem", "positive", expression="1 - delta"))
    monkeypatch.setattr("cltheory.derive.write.lock.equal", lambda *_: endless(print))
    code, out, err = cltheory("check", "--frozen", str(lock), "--time", "0.3")
    assert (code, err) == (1, "")
    assert "equal or not, which was not decided: more than 0.3 s (--time)" in out


def test_a_derivation_beyond_the_budget_ends_in_one_line(process: Callable[..., Any]) -> None:
    code, out, err = process("derive", "supcl-threshold", "--m", "10", "--time", "0.05")
    assert (code, out) == (1, "")
    assert err == "cltheory: too large to decide: more than 0.05 s (--time)\n"
    for time_ in ("0", "100"):
        code, out, err = process("derive", "ccem", "--brief", "--time", time_, "--memory", "0")
        assert (code, err) == (0, "") and out.startswith("ccem: ")


@pytest.mark.parametrize("value", ["-1", "nan", "inf", "1e999", "", "x", "1" * 500])
@pytest.mark.parametrize("option", ["--time", "--memory"])
def test_a_budget_is_a_number(refused: Callable[..., str], option: str, value: str) -> None:
    assert f"'{option}'" in refused("derive", "ssem", option, value)


LOOP = """
import sys
from cltheory.derive.tex import check
from cltheory.derive.theorem.result import Result
def loop(*_, **__):
    open(sys.argv[1], "w").close()
    while True:
        pass
check.judge = Result.point = loop
from cltheory.cli.main import main
main(sys.argv[2:])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize(
    ("command", "ends", "code"),
    [
        ("check", signal.SIGINT, 130),
        ("check", signal.SIGTERM, 130),
        ("derive", signal.SIGINT, 130),
        ("derive", signal.SIGTERM, 130),
    ],
)
def test_an_interrupt_leaves_nobody(
    tmp_path: Path, command: str, ends: signal.Signals, code: int
) -> None:
    flag = tmp_path / "started"
    of = [paper(tmp_path, RIGHT, RIGHT)] if command == "check" else ["ccem", "--N", "4"]
    with subprocess.Popen(
        [sys.executable, "-c", LOOP, str(flag), command, *of, "--time", "30"],
        stderr=subprocess.PIPE,
        start_new_session=True,
        text=True,
        # A shell that runs the tests in the background lets them ignore it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as run:
        while not flag.exists() and run.poll() is None:
            time.sleep(0.02)
        os.kill(run.pid, ends)
        err = run.communicate()[1]
    assert run.returncode == code
    assert err == ("cltheory: interrupted\n" if code == 130 else "")
    for _ in range(500):  # the kernel takes a moment to end a process
        if not running(run.pid):
            return
        time.sleep(0.01)
    pytest.fail("a worker went on")


FINALIZER = """
import os, signal, time
from cltheory.cli import guard
signal.signal(signal.SIGINT, signal.default_int_handler)
guard.program()
class Pipe:
    def __del__(self):
        os.kill(os.getpid(), signal.{ends})
        time.sleep(0.2)
try:
    Pipe()
    time.sleep(10)
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize("ends", ["SIGINT", "SIGTERM"])
def test_an_interrupt_in_a_finalizer_is_not_lost(ends: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FINALIZER.format(ends=ends)], capture_output=True, text=True
    )
    assert (done.stdout, done.stderr) == ("interrupted\n", "")


def test_an_interrupt_waits_for_the_end_of_an_import(tmp_path: Path) -> None:
    text = "import os, signal, time\nos.kill(os.getpid(), signal.SIGTERM)\ntime.sleep(0.1)\n"
    (tmp_path / "slow_module.py").write_text(text + "print('imported')\n")
    program = FINALIZER.format(ends="SIGINT").replace("Pipe()\n", "import slow_module\n")
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True
    )
    assert (done.stdout, done.stderr) == ("imported\ninterrupted\n", "")


def running(group: int) -> list[str]:
    """The processes of a group that have not ended, whether or not they are mourned."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, _, of_group = stat.read_text().rpartition(")")[2].split()[:3]
            if int(of_group) == group and state not in "ZX":
                found.append(str(stat))
    return found


@pytest.mark.parametrize("closed", [(1,), (2,), (0, 1, 2)])
def test_closed_streams_do_not_get_in_the_way(closed: tuple[int, ...], tmp_path: Path) -> None:
    """A pipe to a worker must not take the number of a stream that the worker closes."""
    code = (
        "import os, sys\n"
        f"for fd in {closed}: os.close(fd)\n"
        "from cltheory.cli.guard import Limits, each\n"
        "found = list(each(lambda one, tell: one + 1, [1, 2], Limits(5, 1), workers=2))\n"
        f"open({str(tmp_path / 'found')!r}, 'w').write(str(found))\n"
    )
    subprocess.run([sys.executable, "-c", code], check=False, timeout=60, capture_output=True)
    assert (tmp_path / "found").read_text() == "[2, 3]"


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux")
def test_the_command_itself_has_no_memory_without_end() -> None:
    code = (
        "from cltheory.cli import guard\n"
        "guard.limit_memory(0.25); bytearray(2**29)\n"  # of a program that calls it: nothing
        "guard.program(); guard.limit_memory(0.25)\n"
        "try:\n    bytearray(2**29)\nexcept MemoryError:\n    print('ended')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "ended\n"
