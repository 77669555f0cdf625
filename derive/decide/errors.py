"""What the command line reports in one line as a fault of this program, not of its input."""


class InternalError(Exception):
    """A check that a right program passes failed; the message is one line."""
