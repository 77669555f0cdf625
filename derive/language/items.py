"""What a text in math mode consists of: tokens, and groups and environments with others in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .tokens import Token, closing


@dataclass(frozen=True, slots=True, eq=False)
class Item:
    """A token that is no blank, or a group or an environment with what is in it.

    Attributes
    ----------
    token, end
        The token, or the one that opens it and the one that closes it.
    inside
        What is in it, if it is a group or an environment.
    blank
        Whether a blank stands before it, and whether one ends it.
    """

    token: Token
    inside: list[Item] | None = None
    end: Token | None = None
    blank: bool = False
    blank_at_end: bool = False

    def is_char(self, text: str) -> bool:
        """Whether it is this character."""
        return self.inside is None and self.token.kind == "char" and self.token.text == text

    @property
    def is_digit(self) -> bool:
        """Whether it is a digit."""
        return self.token.kind == "char" and self.token.text.isdigit()

    @property
    def is_script(self) -> bool:
        """Whether it begins a script, or is a prime."""
        return self.token.kind == "char" and self.token.text in ("_", "^", "'")

    @property
    def is_group(self) -> bool:
        """Whether it is a group in braces."""
        return self.inside is not None and self.token.kind == "char"

    @property
    def tokens(self) -> Iterator[Token]:
        """All its tokens; a blank is one again."""
        if self.blank:
            yield Token("space", " ", self.token.at)
        yield self.token
        if self.inside is not None and self.end is not None:
            yield from flat(self.inside)
            if self.blank_at_end:
                yield Token("space", " ", self.end.at)
            yield self.end


Items = list[Item]


def flat(items: Iterable[Item]) -> Iterator[Token]:
    """The tokens of items."""
    for item in items:
        yield from item.tokens


def tree(tokens: list[Token]) -> Items:
    """The items of tokens.

    Raises
    ------
    TexError
        If braces or environments do not match or are nested too deeply.
    """
    partner = closing(tokens)

    def items(start: int, end: int) -> Items:
        out: Items = []
        k, blank = start, False
        while k < end:
            token, close = tokens[k], partner.get(k)
            if token.kind == "space":
                blank = True
            elif close is None:
                out.append(Item(token, None, None, blank))
                blank = False
            else:
                ends = close > k + 1 and tokens[close - 1].kind == "space"
                out.append(Item(token, items(k + 1, close), tokens[close], blank, ends))
                k, blank = close, False
            k += 1
        return out

    return items(0, len(tokens))
