"""Where a walk over a document stands, and what it has met so far."""

from __future__ import annotations

from . import commands as tables
from .displays import Displays, Found
from .effects import Calls
from .groups import Groups
from .inputs import Files, Reader
from .scope import Scope
from .source import Source


class State:
    """A walk over one document.

    Parameters
    ----------
    read
        Gives the text of a file, None if there is none. Without it no input is followed.
    root
        Path of the file that the walk begins with.
    """

    def __init__(self, read: Reader | None = None, root: str = ""):
        self.scope = Scope()
        self.files = Files(read, root)
        self.displays = Displays(self.scope)
        self.groups = Groups()
        self.calls = Calls(self.scope)
        self.problems: list[Found] = []  #: with files, not with directives
        self.source = Source("")
        self.finished = ""  #: what ended the document
        self.tokens = 0  #: that were met
        self._stop = ""  #: what ended this file
        self._inline = -1  #: where the inside of an inline formula began
        self._money = -1  #: the same in Markdown, where it may be none
        self._branches: list[int] = []  #: where those of tests with branches in braces end
        #: environments whose inside is not printed as text; False: perhaps
        self._hides = dict.fromkeys(tables.VERBATIM, True)
        self._unclear = (self.source, -1)  #: what may be a conditional, in text that is hidden
        self._doubts: list[str] = []  #: those that are open and perhaps hide
        self._unclosed: set[tuple[Source, str]] = set()  #: tags without an end

    def walk(self, source: Source) -> None:
        """Walk over a text; of the class that has all the parts."""
        raise NotImplementedError
