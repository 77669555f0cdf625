"""Errors that end a command in one line."""


class InternalError(Exception):
    """A check that a right program passes failed; the message is one line."""


class Refusal(Exception):
    """Bad input; the message is one line and says what is accepted."""

    exit_code = 2


class Unproved(Refusal):
    """What was asked for could not be proved; the message is one line."""

    exit_code = 1
