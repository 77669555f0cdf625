"""Work for other processes, which import it from here, and a log of what they began."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from time import sleep


def begun(log: Path) -> list[str]:
    """What was begun, once for each time."""
    return log.read_text().split() if log.exists() else []


def noted(log: Path, part: object) -> None:
    with log.open("a") as file:
        file.write(f"{part}\n")


def square(log: Path, part: int) -> int:
    """Part 3 kills its process the first time, when others are finished."""
    noted(log, part)
    if part == 3 and begun(log).count("3") == 1:
        sleep(0.5)
        os.kill(os.getpid(), signal.SIGKILL)
    if part < 0:
        raise ValueError("no square is negative")
    return part * part


def dead(part: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return part
