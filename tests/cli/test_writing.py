"""Files are replaced whole or not at all, and not without --force."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cltheory.cli.writing import json_text
from cltheory.derive import files

OLD = "what was there"
CLI = Path(__file__).parents[2] / "cli"

#: Dies at the first byte that is written to any file, or just before a file takes its place.
DIES = """
import os, sys
from cltheory.derive import files
def die(*_):
    os.kill(os.getpid(), 9)
if sys.argv[1] == "move":
    os.replace = die
else:
    os.fsync = die
files.write_all({name: "new" * 10**6 for name in sys.argv[2:]})
"""


def test_all_json_says_its_version() -> None:
    assert json.loads(json_text({"a": 1}, version=2)) == {"version": 2, "a": 1}
    assert json.loads(json_text([{"a": 1}, {}])) == [{"version": 1, "a": 1}, {"version": 1}]
    assert json.loads(json_text({"a": [float("inf")]})) == {"version": 1, "a": [None]}
    # The others write SARIF, which has another version, and a certificate, which is a file.
    own = {p.name for p in CLI.glob("*.py") if "json.dumps(" in p.read_text(encoding="utf-8")}
    assert own == {"writing.py", "outputs.py", "certify.py"}


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs signals")
@pytest.mark.parametrize("at", ["move", "sync"])
def test_a_process_that_dies_leaves_the_old_files(tmp_path: Path, at: str) -> None:
    names = [tmp_path / "a.json", tmp_path / "b.json"]
    for name in names:
        name.write_text(OLD)
    done = subprocess.run([sys.executable, "-c", DIES, at, *map(str, names)])
    assert done.returncode == -signal.SIGKILL
    assert [name.read_text() for name in names] == [OLD, OLD]


def test_of_several_files_none_is_replaced_when_one_cannot_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    first.write_text(OLD)
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    class Full:
        def __init__(self, file: Any) -> None:
            self.file = file

        def write(self, data: bytes) -> int:
            if b"too much" in data:
                raise full
            return int(self.file.write(data))

        def __getattr__(self, name: str) -> Any:
            return getattr(self.file, name)

        def __enter__(self) -> Full:
            return self

        def __exit__(self, *_: Any) -> None:
            self.file.close()

    opened = Path.open
    monkeypatch.setattr(Path, "open", lambda self, *args: Full(opened(self, *args)))
    with pytest.raises(OSError) as raised:
        files.write_all({first: "new", second: "too much"})
    assert raised.value.filename == str(second)
    monkeypatch.undo()
    assert first.read_text() == OLD
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a"]


def test_links_permissions_and_devices(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text(OLD)
    target.chmod(0o640)
    link.symlink_to(target)
    files.write(link, "new \udc80")  # of a file whose name is no text
    assert link.is_symlink() and target.read_text() == "new \\udc80"
    assert target.stat().st_mode & 0o777 == 0o640
    files.write(os.devnull, "nothing")
    assert Path(os.devnull).is_char_device()


@pytest.mark.parametrize(
    "words",
    [
        ("certify", "supcl-optimum", "--m", "2", "--n", "2", "--p", "1", "--out"),
        ("check", "a.tex", "--output"),
        ("diagnose", "a.csv", "--out"),
        ("attack", "gradient-identity", "--starts", "1", "--out"),
        ("export", "ccem", "--python"),
        ("figure", "ccem-fig2", "--N", "4,8", "--out"),
        ("figure", "ccem-fig2", "--N", "4,8", "--out", "new.png", "--caption"),
    ],
    ids=lambda words: " ".join(words),
)
def test_nothing_is_replaced_without_being_asked(
    refused: Callable[..., str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.tex").write_text("")
    Path("a.csv").write_text("1,2\n3,4\n")
    Path("mine.png").write_text(OLD)
    assert "--force" in refused(*words, "mine.png")
    assert Path("mine.png").read_text() == OLD
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.csv", "a.tex", "mine.png"]


@pytest.mark.parametrize(
    "words",
    [
        ("certify", "supcon-imbalanced", "--sizes", "mine.csv", "--tau", "1", "--out", "mine.csv"),
        ("check", ".", "--output", "mine.tex"),
        ("check", "root.tex", "--output", "mine.tex"),
        ("diagnose", "a.csv", "--classifier", "mine.csv", "--out", "mine.csv"),
        ("diagnose", "a.csv", "--loss", "mine.toml", "--out", "link"),
        ("export", "--latex", "mine.toml", "--loss", "mine.toml"),
        ("figure", "phases", "--loss", "mine.toml", "--caption", "mine.toml"),
    ],
    ids=lambda words: " ".join(words),
)
def test_what_is_read_is_not_replaced_even_when_asked(
    refused: Callable[..., str], here: Path, words: tuple[str, ...]
) -> None:
    loss = (CLI.parent / "docs/problems/towers.toml").read_text(encoding="utf-8")
    marked = "% cltheory: ssem.cross_class\n\\[ 1 \\]\n"
    old = {"mine.csv": "2,2", "mine.tex": marked, "mine.toml": loss, "a.csv": "1,0\n0,1\n"}
    old["root.tex"] = "\\input{mine}\n"
    for name, text in old.items():
        Path(name).write_text(text)
    Path("link").symlink_to("mine.toml")
    assert "is an input of this command" in refused(*words, "--force")
    assert old == {name: Path(name).read_text() for name in old}
    assert len(list(here.iterdir())) == len(old) + 1


def test_neither_file_is_written_where_one_is_refused(
    refused: Callable[..., str], here: Path
) -> None:
    pytest.importorskip("flint")
    theirs = Path("mine.v")
    theirs.write_text(OLD)
    words = ("certify", "simclr", "--n", "2", "--p", "2", "--tau", "1", "--out", "new.json")
    assert "--force" in refused(*words, "--rocq", "mine.v")
    assert "ends in .v, not 'mine.csv'" in refused(*words, "--rocq", "mine.csv")
    assert [(p.name, p.read_text()) for p in here.iterdir()] == [("mine.v", OLD)]


HOLDS = """
import sys, time
from pathlib import Path
from cltheory.numeric.running.table import Table
table = Table(Path(sys.argv[1]), {}, {"x": float})
with table.alone():
    table.append([{"x": 1.0}])
    print("holding", flush=True)
    sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no flock")
def test_one_process_fills_a_table_at_a_time(tmp_path: Path) -> None:
    from cltheory.numeric.running.table import Table, TableError

    path = tmp_path / "cells.csv"
    table = Table(path, {}, {"x": float})
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None and other.stdout.readline() == b"holding\n"
        with pytest.raises(TableError, match="another process is filling"), table.alone():
            pass
        other.communicate(b"")
    with table.alone():  # what the other wrote is not computed again
        assert table.rows == [{"x": 1.0}]


def test_a_table_that_nothing_was_written_to_is_not_left(tmp_path: Path) -> None:
    from cltheory.numeric.running.table import Table

    path = tmp_path / "cells.csv"
    with pytest.raises(KeyboardInterrupt), Table(path, {}, {"x": float}).alone():
        raise KeyboardInterrupt
    assert not path.exists()


def test_text_that_is_not_unicode_is_refused(refused: Callable[..., str], tmp_path: Path) -> None:
    import numpy as np

    path = tmp_path / "labels.npy"
    np.save(path, np.array(["ab", "cd"]))
    path.write_bytes(path.read_bytes()[:-4] + b"\xff\xff\xff\x7f")
    scheme = ("realize", "--scheme", "supcon", "--dim", "2", "--tau", "1", "--labels")
    assert "not Unicode" in refused(*scheme, str(path))
