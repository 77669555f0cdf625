r"""Commands that only set what stands in them, taken off before anything is read.

``\mathrel{:=}``, ``\ensuremath{x}`` and ``\smash{x}`` print what is in the braces;
``{\rm min}`` is ``{\mathrm{min}}``.
"""

from __future__ import annotations

from dataclasses import replace

from .items import Item, Items, flat
from .statement import TexError
from .tokens import Token, show
from .vocabulary import ANNOTATED, COLOURS, OLD_FONTS, VISIBLE, WRAPPERS


def plain(items: Items) -> Items:
    """The same items without wrappers, with font switches as font commands."""
    out: Items = []
    k = 0
    while k < len(items):
        item, token = items[k], items[k].token
        following = items[k + 1] if k + 1 < len(items) and items[k + 1].is_group else None
        k += 1
        if item.inside is not None:
            out.append(_nested(item, out[-1].token.text if out else ""))
        elif token.kind != "command":
            out.append(item)
        elif token.text == "\\vcentcolon":
            out.append(replace(item, token=replace(token, kind="char", text=":")))
        elif token.text in COLOURS:  # the name of the colour is not part of the formula
            named = (following.inside or []) if following else []
            colour = "".join(t.text for t in flat(named)).strip("{} ").lower()
            if not VISIBLE.fullmatch(colour):
                colour = show(colour) if colour else "a colour that is not named"
                raise TexError(f"text in {colour} may be invisible", token.at)
            k += 1
        elif token.text == "\\fbox" and following is not None and _is_formula(following):
            inside = (following.inside or [])[1:-1]
            out.append(replace(item, token=replace(token, text="\\boxed")))
            out.append(replace(following, inside=plain(inside)))
            k += 1
        elif token.text not in WRAPPERS:
            out.append(item)
        elif token.text == "\\smash" and k < len(items) and items[k].is_char("["):
            raise TexError(f"{show(token.text)} with an option is not read", token.at)
    return out


def _nested(item: Item, before: str) -> Item:
    r"""A group or an environment; of ``{:}=``, which ``\mathrel{\mathop:}=`` leaves, the colon."""
    inside = plain(item.inside or [])
    colon = len(inside) == 1 and inside[0].is_char(":") and not inside[0].blank
    if item.is_group and colon and before not in ANNOTATED | {"_", "^"}:
        return inside[0]
    return replace(item, inside=_with_font(inside) if item.is_group else inside)


def _with_font(inside: Items) -> Items:
    r"""Write ``{\rm x}`` as ``{\mathrm{x}}``."""
    if not inside or inside[0].token.text not in OLD_FONTS:
        return inside
    font = inside[0].token
    edges = (replace(font, kind="char", text=brace) for brace in "{}")
    group = Item(next(edges), _with_font(inside[1:]), next(edges))
    return [Item(Token("command", OLD_FONTS[font.text], font.at, font.chunk)), group]


def _is_formula(box: Item) -> bool:
    r"""Whether a box has one formula in it: ``\fbox{$ .. $}``."""
    inside = box.inside or []
    dollars = [t for t in flat(inside) if t.kind == "char" and t.text == "$"]
    return len(dollars) == 2 and inside[0].is_char("$") and inside[-1].is_char("$")
