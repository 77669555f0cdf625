"""Errors that end a command in one line."""

import re
from collections.abc import Iterator
from contextlib import contextmanager


class InternalError(Exception):
    """A check that a right program passes failed; the message is one line."""


class Refusal(Exception):
    """Bad input; the message is one line and says what is accepted."""

    exit_code = 2


class Unproved(Refusal):
    """What was asked for could not be proved; the message is one line."""

    exit_code = 1


@contextmanager
def in_python() -> Iterator[None]:
    """Refusals of options, in the words of Python: ``--per-class`` is the argument per_class."""
    try:
        yield
    except Refusal as error:
        words = re.sub(r"--(\w[\w-]*)", lambda m: m[1].replace("-", "_"), str(error))
        raise type(error)(words) from None
