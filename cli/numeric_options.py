"""Options that the numeric commands share."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.util import find_spec
from math import inf
from typing import Any

import click

from .parameters import short

DTYPE = click.option(
    "--dtype", type=click.Choice(["float64", "float32"]), default="float64", help="Precision."
)
WORKERS = click.option(
    "--workers", type=click.IntRange(1, 1024), default=1, help="Processes of this machine."
)
SCHEDULER = click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Scheduler of a Dask cluster that does the work, such as tcp://10.0.0.1:8786.",
)

MOST_LISTED = 1000  #: numbers in a list such as 2,4,6-8
#: Positive numbers that are taken: their squares, products and quotients are floats as well.
LEAST, MOST = 1e-50, 1e50
#: Temperatures that the gradient band is looked at.
COLDEST, HOTTEST = 1e-6, 1e6


Decorator = Callable[[Any], Any]


class Parsed(click.ParamType):
    """An option that a function reads, which refuses what it cannot read."""

    name = "text"

    def __init__(self, read: Callable[[str, str], Any]) -> None:
        self.read = read

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """What the function makes of the name of the option and its text."""
        assert param is not None
        return self.read(param.opts[0], str(value))


def text(
    names: str, default: str | None, says: str, read: Callable[[str, str], Any], **more: Any
) -> Decorator:
    """An option whose text a function reads, given the name of the option and the text."""
    kind = Parsed(read)
    return click.option(*names.split(), type=kind, default=default, help=says, **more)


def is_count(text: str) -> bool:
    """Whether it is digits that ``int`` reads; "²" is a digit that it does not."""
    return text.isascii() and text.isdigit()


def is_number(text: str) -> bool:
    """Whether ``float`` reads it."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def counts(text: str, least: int, most: int, *, ranges: bool = False) -> list[int] | None:
    """The whole numbers from ``least`` to ``most`` in ``2,4,6``; None if it is no such list.

    With ``ranges`` also those in ``2,4,6-8``, at most so many that a search ends.
    """
    found: list[int] = []
    for part in text.split(","):
        ends = [end.strip() for end in (part.split("-") if ranges else [part])]
        if len(ends) > 2 or not all(is_count(end) and len(end) <= len(str(most)) for end in ends):
            return None
        low, high = int(ends[0]), int(ends[-1])
        if not least <= low <= high <= most or high - low >= MOST_LISTED:
            return None
        found += range(low, high + 1)
    return None if ranges and len(found) > MOST_LISTED else found


def different(option: str, text: str, least: int, most: int) -> list[int]:
    """Read ``3,4,6-8``: different whole numbers.

    Raises
    ------
    click.UsageError
        For anything else.
    """
    found = counts(text, least, most, ranges=True)
    if found is None:
        raise click.UsageError(
            f"{option} takes whole numbers from {least} to {most}, such as 3,4,6 or 3-6, at most "
            f"{MOST_LISTED} of them; got {short(text)!r}"
        )
    if len(set(found)) != len(found):
        raise click.UsageError(f"{option} repeats a number: {short(text)}")
    return found


class Number(click.ParamType):
    """A positive number: 0.1, 1/10 or 1e-1."""

    name = "number"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Refuse what is none; no exact number is formed, as 1e999999999 has too many digits."""
        above, slash, below = str(value).strip()[:100].partition("/")
        try:
            found = float(above) / (float(below) if slash else 1.0)
        except (ValueError, ZeroDivisionError):
            found = inf
        if not LEAST <= found <= MOST:
            self.fail(
                f"{short(str(value))!r} is not a positive number from {LEAST:g} to {MOST:g}, such "
                "as 0.1 or 1/10"
            )
        return found


def seeds_of(option: str, text: str) -> list[int]:
    """Read ``0,1,2`` or ``0-4``."""
    return different(option, text, 0, 999_999_999)


def class_sizes(option: str, text: str, most: int = 999_999_999) -> tuple[int, ...]:
    """Samples of each class: ``500,100,20``."""
    if not (found := counts(text, 1, most)):
        raise click.UsageError(
            f"{option} takes the samples of each class, such as 500,100,20; got {short(text)!r}"
        )
    return tuple(found)


def numbers(
    option: str, text: str, low: float, high: float, *, low_open: bool = True
) -> tuple[float, ...]:
    """Different numbers in a range, ``0.1,0.2``, rising.

    Raises
    ------
    click.UsageError
        For anything else.
    """
    try:
        found = [float(part) for part in text.split(",")]
    except ValueError:
        found = []
    inside = [x for x in found if (low < x if low_open else low <= x) and x <= high]
    if not found or len(inside) < len(found):
        more = "above" if low_open else "from"
        raise click.UsageError(
            f"{option} takes numbers {more} {low:g} to {high:g}, such as 0.1,0.2; got "
            f"{short(text)!r}"
        )
    if len(set(found)) < len(found):
        raise click.UsageError(f"{option} repeats a value: {short(text)}")
    return tuple(sorted(found))


def need_torch() -> None:
    """Refuse in one line where torch is not installed."""
    if find_spec("torch") is None:
        raise click.UsageError("this command needs torch: pip install 'cltheory[torch]'")


def device_of(option: str, name: str) -> str:
    """Check that the device exists, before any work."""
    if not re.fullmatch(r"auto|cpu|cuda(:\d{1,3})?", name):
        raise click.UsageError(f"{option} takes auto, cpu, cuda or cuda:1; got {name!r}")
    if name.startswith("cuda"):
        need_torch()
        import torch

        count, index = torch.cuda.device_count(), int(name.partition(":")[2] or 0)
        if index >= count:
            raise click.UsageError(f"{name} does not exist: torch finds {count} CUDA devices")
    return name


def parse_workers(count: int, scheduler: str | None) -> Any:
    """The processes that are meant.

    Raises
    ------
    click.UsageError
        For both kinds at once, or a cluster where its package is not installed.
    """
    from ..numeric.running.workers import Workers

    if scheduler is None:
        return Workers(count)
    if count > 1:
        raise click.UsageError("--workers and --scheduler exclude each other; give only one")
    if find_spec("distributed") is None:
        raise click.UsageError("--scheduler needs distributed: pip install 'cltheory[cluster]'")
    return Workers(scheduler=scheduler)


def parse_dtype(name: str) -> Any:
    """The torch dtype of that name."""
    import torch

    return getattr(torch, name)


SEEDS = text("--seeds", "0,1", "Random seeds, such as 0,1,2 or 0-4.", seeds_of)
DEVICE = text("--device", "auto", "Device: auto, cpu, cuda or cuda:1.", device_of)


def dimension(says: str) -> Callable[..., Any]:
    """The option ``--d``, with its help."""
    return click.option("--d", "--dim", "d", type=click.IntRange(min=1), help=says)
