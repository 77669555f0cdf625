r"""The commands that are read, by what they are."""

from __future__ import annotations

import re

GREEK = (
    "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa varkappa lambda "
    "mu nu xi omicron pi varpi rho varrho sigma varsigma tau upsilon phi varphi chi psi omega "
    "Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega ell hbar infty"
)
LETTERS = {f"\\{name}" for name in GREEK.split()}
ACCENTS = {
    f"\\{name}"
    for name in "tilde hat bar vec dot ddot check breve acute grave mathring widetilde widehat "
    "overline underline".split()
}
KEPT_FONTS = {"\\mathcal", "\\mathbb", "\\mathscr", "\\mathfrak"}
TEXT = {f"\\{n}" for n in "text textrm textit textbf textsf textnormal mbox hbox".split()}
FONTS = {
    f"\\{name}"
    for name in "mathbf boldsymbol bm pmb mathrm mathit mathsf mathtt mathnormal operatorname "
    "operatorname*".split()
} | TEXT
UPRIGHT = {"\\mathrm", "\\mathsf", "\\mathtt", "\\operatorname", "\\text", "\\textrm"}
FUNCTIONS = {"log", "ln", "exp", "max", "min", "tanh", "cosh", "sinh"}
#: Functions that are not read: with an argument they are no name of something defined.
OTHER_FUNCTIONS = set(
    "sin cos tan cot sec csc arcsin arccos arctan asin acos atan arsinh artanh coth sign sgn sqrt "
    "logit sigmoid softmax softplus relu erf lg lb floor ceil round inv odds id".split()
)
OPERATOR_WORDS = FUNCTIONS | {"sup", "inf", "arg", "det", "dim", "lim", "Pr"}

THIN = {"\\,", "\\;", "\\:", "\\!", "\\>", "\\thinspace", "\\medspace", "\\thickspace"}
THIN |= {"\\negthinspace", "\\allowbreak", "\\nobreak"}
BLANKS = {"\\ ", "~"}
QUADS = {"\\quad", "\\qquad", "\\enspace", "\\enskip", "\\hfill", "\\hfil"}
QUADS_OF = {"\\hspace", "\\mspace", "\\phantom", "\\hphantom"}
SILENT = {"\\displaystyle", "\\textstyle", "\\scriptstyle", "\\nonumber", "\\notag", "\\limits"}
SILENT |= {"\\tiny", "\\scriptsize", "\\footnotesize", "\\small", "\\normalsize", "\\large"}
SILENT |= {"\\nolimits", "\\mathstrut", "\\strut", "\\relax", "\\qedhere", "\\scriptscriptstyle"}
#: What only sets its argument.
WRAPPERS = {f"\\math{kind}" for kind in "rel bin op ord open close punct inner".split()}
WRAPPERS |= {"\\ensuremath", "\\smash"}
COLOURS = {"\\color", "\\textcolor"}
_HUES = (
    "black|gray|grey|red|green|blue|cyan|magenta|yellow|brown|lime|olive|orange|pink|purple|teal|"
    "violet|navy|maroon|indigo|crimson|turquoise|orchid|plum|salmon|emerald|cerulean|royal|forest|"
    "brick|sky|steel|burnt|midnight|sea|dark|light|deep|medium|my"
)
#: Colours that are told from the page; of a mixture at least three parts in ten.
VISIBLE = re.compile(rf"({_HUES})+(!([3-9][0-9]|100)(!({_HUES}|white)+)?)?")
OLD_FONTS = {
    "\\rm": "\\mathrm", "\\bf": "\\mathbf", "\\it": "\\mathit", "\\sf": "\\mathsf",
    "\\tt": "\\mathtt", "\\cal": "\\mathcal",
}  # fmt: skip
REFERENCES = {"\\ref", "\\eqref", "\\cref", "\\Cref", "\\autoref", "\\cite", "\\citep"}
SILENT_OF = {"\\label", "\\tag", "\\vphantom"}

SIZES = {f"\\{size}{side}" for size in ("big", "Big", "bigg", "Bigg") for side in ("", "l", "r")}
SIDED = {"\\left": "open", "\\right": "close"} | {
    size: {"l": "open", "r": "close"}[size[-1]] for size in SIZES if size[-1] in "lr"
}
OPENING = {
    "(": "(", "[": "[", "\\{": "\\{", "\\lbrace": "\\{", "\\lbrack": "[", "\\lvert": "\\lvert",
    "\\lVert": "\\lVert", "\\langle": "\\langle", "\\lceil": "\\lceil", "\\lfloor": "\\lfloor",
}  # fmt: skip
CLOSING = {
    ")": ")", "]": "]", "\\}": "\\}", "\\rbrace": "\\}", "\\rbrack": "]", "\\rvert": "\\rvert",
    "\\rVert": "\\rVert", "\\rangle": "\\rangle", "\\rceil": "\\rceil", "\\rfloor": "\\rfloor",
}  # fmt: skip
BARS = {"|": "vert", "\\vert": "vert", "\\|": "Vert", "\\Vert": "Vert"}

RELATIONS = {
    "=": "=", "\\triangleq": "=", "\\coloneqq": "=", "\\coloneq": "=", "\\eqdef": "=",
    "<": "<", "\\lt": "<", ">": ">", "\\gt": ">",
    "\\le": "<=", "\\leq": "<=", "\\leqslant": "<=",
    "\\ge": ">=", "\\geq": ">=", "\\geqslant": ">=",
    "\\ne": "!=", "\\neq": "!=", "\\in": "in", "\\notin": "notin",
    "\\colonequals": "=", "\\defeq": "=", "\\eqqcolon": "=", "\\equalscolon": "=",
    "\\to": "->", "\\rightarrow": "->", "\\longrightarrow": "->",
    "\\downarrow": "->", "\\searrow": "->", "\\uparrow": "->", "\\nearrow": "->",
}  # fmt: skip
#: From which side an arrow comes to its point.
FROM_SIDE = {"\\downarrow": "+", "\\searrow": "+", "\\uparrow": "-", "\\nearrow": "-"}
#: Signs that a directive may declare to stand for a relation: they have several meanings.
DECLARABLE = {
    f"\\{name}"
    for name in "equiv approx simeq cong sim doteq doteqdot gets leftarrow asymp prec preceq succ "
    "succeq lesssim gtrsim leqq geqq lessapprox gtrapprox propto".split()
}
OPERATORS = {"+": "+", "-": "-", "/": "/", "\\cdot": "*", "\\times": "*"}
MARKS = {",": "comma", ";": "semicolon", ".": "dot", "&": "amp", "\\\\": "row", "\\cr": "row"}
#: Signs between two statements that hold together or not at all.
STATED = {"\\iff", "\\Leftrightarrow", "\\Longleftrightarrow"}
AND = {"\\land", "\\wedge"}
FRACTIONS = {f"\\{name}" for name in "frac dfrac tfrac cfrac nicefrac sfrac".split()}
ANNOTATED = {"\\overset", "\\stackrel", "\\underset"}
CASES = {"cases", "dcases"}
TRANSPARENT = {"array", "aligned", "split", "gathered", "alignedat", "multlined"}

#: What makes a superscript part of a name.
DECORATING = {"+", "-", "*", "\\star", "\\prime", "\\dagger", "\\ddagger", "\\top", "\\bot"}
DECORATING |= {"\\perp", "\\intercal", "\\circ", "\\infty", "\\sharp", "\\flat", "\\natural"}

IN_NAMES = {*"+-/=<>(),.;:|![]", "\\|", "\\le", "\\ge", "\\ne", "\\in", "\\cdot", "\\times"}
IN_NAMES |= {"\\to", "\\rightarrow", "\\mid", "\\setminus", "\\cup", "\\cap", "\\ldots", "\\dots"}

REFUSED = {
    "\\pm": "two statements in one; write them separately",
    "\\mp": "two statements in one; write them separately",
    "\\equiv": "can mean a definition, an identity, a congruence; write =, or [\\equiv -> =]",
    "\\approx": "an approximation is not compared",
    "\\cancel": "what is crossed out is not read",
    "\\gets": "a replacement is not read",
    "\\leftarrow": "a replacement is not read",
    "\\sim": "an approximation is not compared",
    "\\iff": "two statements joined; check them one by one",
    "\\Leftrightarrow": "two statements joined; check them one by one",
    "\\Rightarrow": "two statements joined; check them one by one",
    "\\Longrightarrow": "two statements joined; check them one by one",
    "\\implies": "two statements joined; check them one by one",
    "\\sum": "a sum over an index is not in closed form",
    "\\prod": "a product over an index is not in closed form",
    "\\not": "write \\ne for not equal",
    "\\lim": "a limit is read where a whole side is one, \\lim_{\\tau \\to 0} ..",
    "\\xleftarrow": "write \\to",
    "*": "can be a product or an operation of its own; write \\cdot",
    "\\ast": "can be a product or an operation of its own; write \\cdot",
}

# --- words beside a formula -----------------------------------------------------------------
# Every word that is read, since any other may take back what the formula says.
#: Words that begin a condition.
STARTS = set(
    "for where if with when whenever provided assuming given as such s.t. st holds hold valid in "
    "fixed all any every each".split()
)
#: Those that may also stand behind a condition: *where n >= 2 is fixed*.
BEHIND = set("given holds hold valid fixed".split())
#: Words that lead over from a condition to the formula after it.
THEN = {"then", "we have", "it holds", "it holds that", "one has", "we get", "then we have"}
THEN |= {"we have that", "we obtain"}
#: Words before a formula that only lead to it.
LEADS = THEN | set("hence thus therefore so consequently finally similarly also moreover".split())
LEADS |= {
    "\\therefore",
    "\\Rightarrow",
    "\\Longrightarrow",
    "\\implies",
    "in particular",
    "and hence",
    "and thus",
    "so that",
    "it follows that",
    "which gives",
}
#: Words that say nothing that is not said by the formulas beside them.
NEUTRAL = STARTS | set(
    "both arbitrary the a an that of number numbers parameter parameters value values index "
    "indices is are be limit let pair pairs".split()
)
KINDS = {
    "integer": "integer", "integers": "integer", "whole": "integer", "natural": "natural",
    "naturals": "natural", "real": "real", "reals": "real", "positive": "positive",
    "nonnegative": "nonnegative", "non-negative": "nonnegative", "negative": "negative",
}  # fmt: skip
DOTS = {"\\dots", "\\ldots", "\\cdots", "\\dotsc"}
