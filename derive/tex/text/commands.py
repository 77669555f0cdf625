r"""Commands of LaTeX by what they do to a text: define, choose, input, print nothing."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from ...language import vocabulary


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# --- displays and verbatim ----------------------------------------------------------------
_STARRED = ("equation", "align", "gather", "multline", "eqnarray", "alignat", "flalign")
DISPLAYS = {
    *_STARRED,
    *(name + "*" for name in _STARRED),
    *("math", "displaymath", "dmath", "dmath*", "IEEEeqnarray", "IEEEeqnarray*"),
}
#: Environments with displays in them that are not read: nothing after them is meant.
OTHER_DISPLAYS = {"empheq", "numcases", "subnumcases", "dgroup", "dgroup*", "darray", "darray*"}
#: Commands that begin or end a group.
BEGINS, ENDS = {"begingroup", "bgroup"}, {"endgroup", "egroup"}
#: Environments with an argument before what they display.
WITH_ARGUMENT = {"alignat", "alignat*", "IEEEeqnarray", "IEEEeqnarray*", "array", "alignedat"}
VERBATIM = {
    *("verbatim", "verbatim*", "Verbatim", "Verbatim*", "BVerbatim", "LVerbatim"),
    *("lstlisting", "minted", "comment", "filecontents", "filecontents*"),
}
#: Commands that make an environment whose inside is not read.
VERBATIM_MAKERS = _words(
    "lstnewenvironment DefineVerbatimEnvironment newtcblisting excludecomment excludeversion"
)

# --- conditionals -----------------------------------------------------------------------------
#: Tests with branches in braces.
TESTS = _words(
    "ifbool notbool iftoggle nottoggle ifdef ifundef ifcsdef ifcsundef ifdefmacro ifcsmacro "
    "ifdefparam ifcsparam ifdefprefix ifcsprefix ifdefprotected ifcsprotected ifdefltxprotect "
    "ifcsltxprotect ifdefempty ifcsempty ifdefvoid ifcsvoid ifstrempty ifblank notblank "
    "ifnumodd ifboolexpr ifboolexpe ifthenelse iflanguage IfFileExists IfBooleanTF "
    "IfNoValueTF IfValueTF IfBlankTF IfPackageLoadedTF IfClassLoadedTF ifdefcounter "
    "ifcscounter ifdeflength ifcslength ifdefdimen ifcsdimen @ifundefined @ifpackageloaded "
    "@ifclassloaded @ifdefinable @ifnextchar ifdefequal ifcsequal ifdefstring ifcsstring "
    "ifdefstrequal ifcsstrequal ifstrequal ifnumequal ifnumgreater ifnumless ifdimequal "
    "ifdimgreater ifdimless ifinlist xifinlist ifinlistcs xifinlistcs ifpatchable ifrmnum "
    "@ifpackagelater @ifpackagewith ifnumcomp ifdimcomp IfBooleanT IfBooleanF IfNoValueT "
    "IfNoValueF IfValueT IfValueF whileboolexpr unlessboolexpr @ifstar"
)
#: Conditionals of TeX, which end with \fi.
CONDITIONALS = _words(
    "if ifx ifcat ifnum ifdim ifodd ifvmode ifhmode ifmmode ifinner ifvoid ifhbox ifvbox ifeof "
    "iftrue iffalse ifcase ifdefined ifcsname iffontchar ifincsname ifpdfabsnum ifpdfprimitive "
    "ifpdf ifluatex ifxetex ifPDFTeX ifLuaTeX ifXeTeX if@twocolumn if@twoside unless"
) - {"unless"}
#: What begins like a conditional and is none.
NO_CONDITIONALS = TESTS | {"iff", "ifmmode@"}

# --- defining ---------------------------------------------------------------------------------
NEW = _words(
    "newcommand renewcommand providecommand DeclareRobustCommand newrobustcmd renewrobustcmd "
    "providerobustcmd"
)
XPARSE = frozenset(
    f"{verb}{kind}Command"
    for verb in ("New", "Renew", "Provide", "Declare")
    for kind in ("Document", "ExpandableDocument")
)
DEF = _words("def gdef edef xdef protected@edef protected@xdef")
OPERATORS = _words("DeclareMathOperator")
ENVIRONMENTS = _words("newenvironment renewenvironment provideenvironment")
#: Environments defined in ways that are not read, by name.
OTHER_ENVIRONMENTS = frozenset(
    f"{verb}DocumentEnvironment" for verb in ("New", "Renew", "Provide", "Declare")
) | _words(
    "newenvironmentx renewenvironmentx NewEnviron RenewEnviron newtheorem newtcolorbox "
    "renewtcolorbox newtcbtheorem spnewtheorem declaretheorem newmdenv newmdtheoremenv "
    "newenv excludecomment includecomment specialcomment lstnewenvironment "
    "excludeversion includeversion "
    "DefineVerbatimEnvironment newtcblisting"
)
#: The name is a word in braces: ``\@namedef{name}``.
BY_WORD = _words(
    "@namedef csdef csgdef csedef csxdef protected@csedef cslet csletcs csundef csgundef "
    "csappto csgappto cseappto csxappto cspreto csgpreto csepreto csxpreto csnumdef csnumgdef "
    "csdimdef csdimgdef csgluedef csmudef global@namedef @xnamedef"
)
#: The name gets the meaning of another one.
COPIES = _words("cslet letcs gletcs csletcs LetLtxMacro GlobalLetLtxMacro")
#: The first argument is touched, and up to four more are patches, not text.
PATCHES = _words(
    "patchcmd xpatchcmd regexpatchcmd xpatchbibmacro apptocmd pretocmd xapptocmd xpretocmd "
    "appto gappto eappto xappto preto gpreto epreto xpreto g@addto@macro addto@hook "
    "l@addto@macro addto robustify MakeRobust undef gundef listadd listgadd listeadd listxadd"
)
#: They leave a result in a macro, which is among what stands after them.
RESULTS = re.compile(
    r"(?:pgfmath[a-z]*macro|pgfkeysget[a-z]+|numg?def|dimg?def|glueg?def|mug?def|CatchFile[A-Z]?\w*"
    r"|Str(?:Substitute|Left|Right|Mid|Between|Behind|Before|Del|Remove\w*|Len|Count|Position|Char"
    r"|Compare|Gobble\w*)|FP(?!print)[a-z]+|pgfplotstableread|foreach|savesymbol|restoresymbol|SetKw[A-Z]\w*"
    r"|get(?:ref)?number|DTLget[a-z]*|xint\w*def\w*|fp_set|edtable|intcalc\w*def)\Z"
)
#: They give a colour a meaning, or the page.
COLOURING = _words(
    "definecolor providecolor xdefinecolor colorlet preparecolor definecolorset providecolorset "
    "xdefinecolorset preparecolorset DefineNamedColor definespotcolor pagecolor"
)
#: They look as if they defined something, and nothing that a formula could use.
HARMLESS = _words(
    "newpage newline newblock newtheoremstyle newcolumntype "
    "newgeometry newcites newglossaryentry newacronym declaretheoremstyle letterspace lettrine "
    "newlist setlist DeclareOption DeclareGraphicsExtensions DeclareGraphicsRule "
    "DeclareUnicodeCharacter DeclareFieldFormat DeclareNameAlias "
    "DeclareCaptionFormat DeclareCaptionFont DeclareCaptionLabelFormat DeclareCaptionStyle "
    "DeclareCaptionType DeclareBibliographyCategory DeclareFontFamily DeclareFontShape "
    "DeclareFontEncoding DeclareFixedFont defaultfontfeatures newfloat "
    "newdateformat DeclareTextSymbol DeclareNameFormat DeclareSourcemap DeclareFloatingEnvironment "
    "newpagestyle renewpagestyle newfontfamily definechangesauthor newlabel DeclareDelimFormat "
    "DeclareAcronym newrefcontext newtcbinputlisting newsavebox@ letters default defaults "
    "providehyphenmins ProvidesPackage ProvidesClass ProvidesFile defcitealias deftranslation "
    "DeclareLanguageMapping DeclareBibliographyDriver DeclareMathSizes DeclareMathVersion "
    "newabbreviation"
)
_LOOKS = re.compile(
    r"(?:g|re)?new[a-z]|renew|[Pp]rovide|[Dd]eclare|[Dd]efine[A-Z]?|re?def|[gex]?def(?![a-z])|let"
    r"(?![a-z])|[Ll]et[A-Zc]|g?let(?![a-z])|futurelet|(?:char|mathchar|count|dimen|skip|muskip|toks)"
    r"def|Set(?:Math|Symbol)|(?:New|Renew)[A-Z]|bmdefine|font(?![a-z])"
)


@lru_cache(maxsize=10_000)
def looks_defining(name: str) -> bool:
    """Whether a command that is not known may define the name that follows it."""
    if name in HARMLESS:
        return False
    return _LOOKS.match(name) is not None or name.lower().endswith(("command", "cmd", "cs"))


# --- what is not followed -----------------------------------------------------------------------
#: They change what a formula prints, or what characters mean, and name no macro.
_SHOW = (
    r"every(?:math|display|[hv]box|par|cr|job|eof)|toks(?:def)?|newtoks|globaldefs|endlinechar"
    r"|AddToHook[A-Za-z]*|hook_[a-z_]*|(?:AtBegin|AtEnd|BeforeBegin|AfterEnd)Environment"
    r"|ExplSyntaxOn|ProvidesExpl[A-Z][a-z]*|SetSymbolFont|DeclareSymbolFont[A-Za-z]*"
    r"|DeclareMath(?:Symbol|Delimiter|Active)|DeclareActiveChar|DeclareFontShape(?=\s*\{\s*O)"
    r"|(?:text|script|scriptscript)font|(?:math|del)code|U(?:math|del)code(?:num)?|[lu]ccode"
    r"|catcode(?!\s*`\\?@\s*=?\s*1[12](?!\d))|catcodetable|@makeother|MakeShortVerb"
    r"|lstMakeShortInline|activatemath|mathactive|(?:use|define|alias)shorthands?|scantokens"
    r"|luadef|directlua|luadirect|luaexec|latelua|luacode"
    r"|filecontents(?=\*?\}(?!(?:\s*\[[^\[\]]*\])?\s*\{[^{}]*\.bib\}))"
    r"|DeclareUnicodeCharacter(?=\s*\{0*(?:3[7-9A-Fa-f]|22(?!12\}\s*\{\W*(?:ensuremath)?\W*-)))"
    r"|read(?:line|def|array)?|typein|docsvlist|dolist(?:cs)?loop|csvreader|csvloop|DTLforeach"
    r"|datatooltk|let\s*\\[A-Za-z@]+\s*=?\s*\\(?:fi|else|or|expandafter)"
)
#: Names that are computed, and commands that are put off: the paper's own are not followed.
_COMPUTE = (
    r"csname|@?nameuse|csuse|(?:cs|g)?letcs|expandafter|afterassignment"
    r"|aftergroup(?!\s*\\(?:egroup|ignorespaces)(?![A-Za-z@]))"
    r"|(?=[A-Za-z]*@)[A-Za-z@]*(?:display|align|gather|multline|equation)[A-Za-z@]*"
)
_NAMES = {*NEW, *XPARSE, *DEF, *BY_WORD, *PATCHES, *COPIES, "let"}
_DEFINING = "|".join(map(re.escape, sorted(_NAMES, reverse=True)))
_PLAIN = (
    rf"(?:\\expandafter\s*)?\\(?:{_DEFINING})\s*\*?\s*(?:\\expandafter\s*)?\{{?\s*"
    r"\\csname[^\\]{0,200}(?:\\expandafter\s*)?\\endcsname(?:\s*=?\s*\\csname[^\\]{0,200}\\endcsname)?"
    # What is only asked: whether a name is defined, and whether a file was read before.
    r"|\\expandafter\s*\\(?:endinput|ifx(?:\s*\\csname[^\\]{0,200}\\endcsname)?)(?![A-Za-z@])"
)


def _unread(words: str) -> re.Pattern[str]:
    called = r"(?:begin\s*\{\s*|csname\s*)"
    word = rf"\\(?P<word>{called}(?:{_DEFINING})|{called}?(?:{words}))(?![A-Za-z@])"
    return re.compile(rf"%[^\n]*|{_PLAIN}|{word}|\\(?:[A-Za-z@]+|.)", re.DOTALL)


#: No formula after one of these is read. What a package computes is its own affair, but for the
#: names that it defines so.
UNREAD = _unread(f"{_SHOW}|{_COMPUTE}")
UNREAD_IN_PACKAGE = _unread(
    rf"{_SHOW}|expandafter(?=\s*\*|(?:\s*\\expandafter)*\s*\\(?:{_DEFINING})"
    r"(?![A-Za-z@]))"
)


# --- inputs -----------------------------------------------------------------------------------
#: Commands that read another file, and how the file is named.
INPUTS = {
    **dict.fromkeys(("input", "@input", "@@input", "subfile", "subfileinclude"), "file"),
    **dict.fromkeys(("include", "includeonlyfile"), "tex"),
    **dict.fromkeys(("import", "inputfrom", "includefrom"), "folder"),
    **dict.fromkeys(("subimport", "subinputfrom", "subincludefrom"), "subfolder"),
    **dict.fromkeys(("InputIfFileExists", "includestandalone"), "maybe"),
    "loadglsentries": "maybe",
    **dict.fromkeys(("usepackage", "RequirePackage", "RequirePackageWithOptions"), "sty"),
    **dict.fromkeys(("documentclass", "LoadClass", "LoadClassWithOptions"), "cls"),
}
#: Files that every TeX installation has.
INSTALLED = _words(
    "glyphtounicode xy xypic epsf epsf.sty amssym amssym.def amssym.tex tikz pgf miniltx binhex "
    "random pdfcolor colordvi rotate psfig psfig.sty ulem.sty xintexpr.sty eplain txfonts.tex "
    "insbox kvmacros tabmac pstricks pst-plot"
)

# --- names that LaTeX has ---------------------------------------------------------------------
_GREEK = (
    "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda "
    "mu nu xi pi varpi rho varrho sigma varsigma tau upsilon phi varphi chi psi omega Gamma "
    "Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega ell hbar infty imath jmath wp Re Im "
    "partial nabla emptyset aleph"
)
_KERNEL = """
    frac sqrt over atop choose left right middle big Big bigg Bigg bigl bigr Bigl Bigr biggl
    biggr Biggl Biggr bigm Bigm log ln lg exp max min sup inf lim limsup liminf arg det dim deg
    gcd hom ker Pr sin cos tan cot sec csc sinh cosh tanh coth arcsin arccos arctan sum prod int
    oint cdot times div pm mp ast star circ bullet le leq ge geq ne neq ll gg in ni notin subset
    supset subseteq supseteq equiv approx sim simeq cong propto to gets mapsto mid parallel perp
    cup cap setminus wedge vee land lor neg lnot forall exists rightarrow leftarrow Rightarrow
    Leftarrow Leftrightarrow leftrightarrow iff langle rangle lbrace rbrace lbrack rbrack lceil
    rceil lfloor rfloor vert Vert backslash prime top bot angle dagger ddagger sharp flat
    natural ldots cdots vdots ddots dots colon quad qquad enspace hspace hfill phantom hphantom
    vphantom mbox hbox vbox mathrm mathbf mathsf mathit mathtt mathcal mathnormal rm bf it sf tt
    textrm textbf textit textsf texttt textnormal emph displaystyle textstyle scriptstyle
    scriptscriptstyle limits nolimits overline underline hat tilde bar vec dot ddot check breve
    acute grave mathring widehat widetilde overbrace underbrace stackrel label nonumber
    ensuremath mathrel mathbin mathop mathord mathopen mathclose mathpunct boldmath begin end cr
    relax bmod pmod not fbox frenchspacing thinspace negthinspace allowbreak nobreak
"""
_SIGNS = r",;:!>\{}|[]()%&#$_ "
KERNEL = frozenset("\\" + name for name in (*(_GREEK + _KERNEL).split(), *_SIGNS))
_AMSMATH = """
    dfrac tfrac cfrac genfrac binom dbinom tbinom text operatorname substack overset underset
    boxed tag notag eqref lvert rvert lVert rVert implies impliedby boldsymbol pmb intertext
    iint iiint idotsint dotsc dotsb dotsm dotsi dotso dddot varlimsup varliminf varinjlim
    varprojlim injlim projlim medspace thickspace negmedspace negthickspace mod pod smash
    overrightarrow underrightarrow xrightarrow xleftarrow sideset numberwithin tbinom
"""
AMSMATH = frozenset("\\" + name for name in _AMSMATH.split())
#: Defined by packages that papers use; the vocabulary of formulas has more of them.
_PACKAGES = _words(
    "nicefrac sfrac bm mathbb mathbbm mathscr mathfrak coloneqq coloneq eqqcolon triangleq "
    "leqslant geqslant mathds abs norm qty eqdef defeq argmin argmax xspace leqq geqq lesssim "
    "gtrsim varnothing blacksquare square shortparallel given E Var"
)


@cache
def of_packages() -> frozenset[str]:
    """Names that LaTeX or a package may define, so that ``\\providecommand`` may or may not."""
    known: set[str] = {"\\" + name for name in _PACKAGES}
    for found in vars(vocabulary).values():
        if isinstance(found, (set, frozenset, dict)):
            known |= {name for name in found if isinstance(name, str) and name[:1] == "\\"}
    return frozenset(known | KERNEL | AMSMATH)


#: If one of these gets another meaning, nothing after it is known.
CORE = frozenset(
    "\\" + name
    for name in (
        *NEW, *XPARSE, *DEF, *ENVIRONMENTS, *OPERATORS, "let", "begin", "end", "fi", "else",
        "csname", "endcsname", "expandafter", "begingroup", "endgroup", "global", "par",
        "iffalse", "@namedef", "input@path",
    )
)  # fmt: skip
