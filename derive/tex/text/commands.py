r"""Commands of LaTeX by what they do to a text: define, choose, input, print nothing."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from ...language import vocabulary


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile("|".join(text.split()))


# --- displays and verbatim ----------------------------------------------------------------
_STARRED = ("equation", "align", "gather", "multline", "eqnarray", "alignat", "flalign")
DISPLAYS = {
    *_STARRED,
    *(name + "*" for name in _STARRED),
    *("math", "displaymath", "dmath", "dmath*", "IEEEeqnarray", "IEEEeqnarray*"),
}
#: Environments with displays in them that are not read: nothing after them is meant.
OTHER_DISPLAYS = _words(
    "empheq numcases subnumcases dgroup dgroup* darray darray*",
)
#: Environments with an argument before what they display.
WITH_ARGUMENT = {"alignat", "alignat*", "IEEEeqnarray", "IEEEeqnarray*", "array", "alignedat"}
VERBATIM = _words(
    "verbatim verbatim* Verbatim Verbatim* BVerbatim LVerbatim lstlisting minted comment "
    "filecontents filecontents*"
)
#: Commands that make an environment whose inside is not read.
VERBATIM_MAKERS = _words(
    "lstnewenvironment DefineVerbatimEnvironment newtcblisting excludecomment excludeversion"
)

# --- groups and conditionals ----------------------------------------------------------------
BEGINS, ENDS = {"begingroup", "bgroup"}, {"endgroup", "egroup"}
#: Conditionals of TeX, which end with \fi.
CONDITIONALS = _words(
    "if ifx ifcat ifnum ifdim ifodd ifvmode ifhmode ifmmode ifinner ifvoid ifhbox ifvbox ifeof "
    "iftrue iffalse ifcase ifdefined ifcsname iffontchar ifincsname ifpdf ifluatex ifxetex "
    "if@twocolumn if@twoside"
)
#: Tests with branches in braces, or what only begins like a conditional.
TESTS = _pattern(
    r"iff ifmmode@ ifthenelse iftoggle ifbool ifboolexpe? ifblank ifnumodd iflanguage ifdefempty "
    r"if(?:cs|def|str|num|dim|undef|patch|rm|x?inlist)[a-z]+"
)

# --- defining ---------------------------------------------------------------------------------
NEW = _words(
    "newcommand renewcommand providecommand DeclareRobustCommand newrobustcmd renewrobustcmd "
    "providerobustcmd"
)
DEF = _words("def gdef")
#: They leave a result in a macro, which is among what stands after them.
RESULTS = _pattern(
    r"pgfmath[a-z]*macro pgfkeysget[a-z]+ (?:num|dim|glue|mu)g?def CatchFile[A-Z]?\w* "
    r"Str(?!ut)[A-Z][A-Za-z]* FP(?!print)[a-z]+ pgfplotstableread foreach (?:save|re)?storesymbol "
    r"savesymbol SetKw[A-Z]\w* get(?:ref)?number DTLget[a-z]* xint\w*def\w* intcalc\w*def"
)
#: They give a colour a meaning, or the page.
COLOURING = _pattern(
    r"x?definecolor(?:set)? providecolor(?:set)? colorlet preparecolor(?:set)? DefineNamedColor "
    r"definespotcolor pagecolor"
)
#: They look as if they defined something.
_HARMLESS = _words("newpage newline newblock providehyphenmins letterspace letters newtheoremstyle")
_LOOKS = re.compile(
    r"(?:sp|g|re)?new[a-z]|renew|[Pp]rovide|[Dd]eclare|[Dd]efine[A-Z]?|re?def|(?:protected@)?[gex]?def"
    r"(?![a-z])|let(?![a-z])|[Ll]et[A-Zc]|g?let(?![a-z])|futurelet|(?:char|mathchar|count|dimen|skip"
    r"|muskip|toks)def|Set(?:Math|Symbol)|(?:New|Renew)[A-Z]|bmdefine|x?patchbib|regexpatch"
    r"|(?:font|[gex]?(?:app|pre)to|x(?:app|pre)to|addto|g?undef)(?![a-z])|[lg]@addto@macro|robustify"
    r"|MakeRobust|list[gex]?add|cs[gex]?(?:let|def|undef|appto|preto|num|dim)|(?:global)?@[nx]?namedef"
    r"|(?:in|ex)clude(?:comment|version)|specialcomment|lstnew"
)


@lru_cache(maxsize=10_000)
def looks_defining(name: str) -> bool:
    """Whether a command that is not known may define the name that follows it."""
    if name in _HARMLESS:
        return False
    return _LOOKS.match(name) is not None or name.lower().endswith(("command", "cmd", "cs"))


# --- what is not followed -----------------------------------------------------------------------
#: They change what a formula prints, or what its characters mean, and name no macro.
_SHOW = _pattern(
    r"every(?:math|display|[hv]box|cr|job|eof) globaldefs AddToHook[A-Za-z]* "
    r"(?:AtBegin|AtEnd|BeforeBegin|AfterEnd)Environment (?:Set|Declare)SymbolFont[A-Za-z]* "
    r"DeclareMath(?:Symbol|Delimiter|Active) DeclareActiveChar (?:script)*textfont (?:script)+font "
    r"U?(?:math|del)code(?:num)? activatemath mathactive scantokens luadef directlua luadirect "
    r"luaexec latelua luacode newunicodechar "
    r"(?=[A-Za-z]*@)(?:end)?(?:math)?(?:display|align|gather|multline|equation)[A-Za-z]*@[A-Za-z@]*"
)
#: They compute names, put commands off or change characters: of packages that is their own affair.
_COMPUTE = _pattern(
    r"everypar endlinechar toks(?:def)? newtoks hook_[a-z_]* ExplSyntaxOn ProvidesExpl[A-Z][a-z]* "
    r"DeclareFontShape [lu]ccode catcode catcodetable @makeother MakeShortVerb lstMakeShortInline "
    r"(?:use|define|alias)shorthands? read(?:line|def|array)? typein docsvlist dolist(?:cs)?loop "
    r"csvreader csvloop DTLforeach datatooltk csname @?nameuse csuse (?:cs|g)?letcs "
    r"afterassignment aftergroup DeclareUnicodeCharacter"
)
#: Uses of them that do no harm, with what stands after them.
_FINE = re.compile(
    r"catcode\s*`\\?@\s*=?\s*1[12](?!\d)|aftergroup\s*\\(?:egroup|ignorespaces)(?![A-Za-z@])"
    r"|DeclareUnicodeCharacter\s*\{0*+(?!3[7-9A-Fa-f]|22(?!12\}\s*\{\W*(?:ensuremath)?\W*-))"
)
#: A character of formulas that becomes a command.
_ACTIVATES = re.compile(
    r"catcode\s*`\\?[-+=<>*/|!'()\[\],.;0-9A-Za-z]\s*=?\s*(?:13(?!\d)|\\active)"
)


@lru_cache(maxsize=10_000)
def is_unfollowed(name: str, package: bool = False) -> bool:
    """Whether no formula is read after a command, whatever it does there."""
    return _SHOW.fullmatch(name) is not None or (
        not package and _COMPUTE.fullmatch(name) is not None
    )


def activates(text: str, at: int) -> bool:
    """Whether a character that formulas have gets another meaning here."""
    return _ACTIVATES.match(text, at) is not None


def is_fine(text: str, at: int) -> bool:
    """Whether a command that is not followed is used in a way that does no harm."""
    return _FINE.match(text, at) is not None


# --- inputs -----------------------------------------------------------------------------------
#: Commands that read another file, and how the file is named.
INPUTS = {
    **dict.fromkeys(("input", "@input", "@@input", "include", "subfile", "subfileinclude"), "file"),
    **dict.fromkeys(("import", "inputfrom", "includefrom"), "folder"),
    **dict.fromkeys(("subimport", "subinputfrom", "subincludefrom"), "folder"),
    "InputIfFileExists": "maybe",
    **dict.fromkeys(("usepackage", "RequirePackage", "RequirePackageWithOptions"), "sty"),
    **dict.fromkeys(("documentclass", "LoadClass", "LoadClassWithOptions"), "cls"),
}
#: Files that every TeX installation has.
INSTALLED = _words("glyphtounicode xy epsf amssym.def amssym tikz pstricks ulem.sty random insbox")

# --- names that LaTeX has ---------------------------------------------------------------------
#: Those that the kernel has, which \newcommand refuses to define.
KERNEL = frozenset(
    vocabulary.LETTERS
    | {"\\" + name for name in vocabulary.OPERATOR_WORDS}
    | {"\\" + name for name in "frac sqrt left right cdot times le ge leq geq ne neq in to".split()}
)
_PACKAGES = _words(
    "mathbbm mathds abs norm qty argmin argmax xspace square given E Var Pr genfrac binom dbinom "
    "tbinom substack intertext lVert rVert iint dddot mod pod sideset over atop choose phi limsup "
    "liminf Re Im partial nabla emptyset sum prod int mathbf mathsf mathit mathtt"
)


@cache
def of_packages() -> frozenset[str]:
    r"""Names that LaTeX or a package may define, so that ``\providecommand`` may or may not."""
    known: set[str] = {"\\" + name for name in _PACKAGES}
    for found in vars(vocabulary).values():
        if isinstance(found, (set, frozenset, dict)):
            known |= {name for name in found if isinstance(name, str) and name[:1] == "\\"}
    return frozenset(known | KERNEL)


#: If one of these gets another meaning, nothing after it is known.
CORE = frozenset(
    "\\" + name
    for name in (
        *NEW, *DEF, "DeclareMathOperator", "let", "begin", "end", "fi", "else", "csname",
        "newenvironment", "endcsname", "expandafter", "begingroup", "endgroup", "global", "iffalse",
        "input@path",
    )
)  # fmt: skip
