r"""The commands that are read, by what they are."""

from __future__ import annotations

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
#: What a side condition may say in words. Other words may take back what the formula says.
CONDITION_WORDS = set(
    "for where if with when whenever provided assuming all any every each some and or fixed given "
    "distinct different integer integers real positive nonnegative non-negative negative number "
    "numbers of classes instances items samples views towers modalities temperature temperatures "
    "bias the a an is are be such that in on at least most only iff i.e. respectively st s.t. "
    "sufficiently large small enough than greater less equal to both let we have has".split()
)
OPERATOR_WORDS = FUNCTIONS | {"sup", "inf", "arg", "det", "dim", "lim", "Pr"}

THIN = {"\\,", "\\;", "\\:", "\\!", "\\>", "\\thinspace", "\\medspace", "\\thickspace"}
THIN |= {"\\negthinspace", "\\allowbreak", "\\nobreak"}
BLANKS = {"\\ ", "~"}
QUADS = {"\\quad", "\\qquad", "\\enspace", "\\hfill"}
QUADS_OF = {"\\hspace", "\\phantom", "\\hphantom"}
SILENT = {"\\displaystyle", "\\textstyle", "\\scriptstyle", "\\nonumber", "\\notag", "\\limits"}
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
    "\\ne": "!=", "\\neq": "!=", "\\in": "in",
}  # fmt: skip
OPERATORS = {"+": "+", "-": "-", "/": "/", "\\cdot": "*", "\\times": "*"}
MARKS = {",": "comma", ";": "semicolon", ".": "dot", "&": "amp", "\\\\": "row", "\\cr": "row"}
AND = {"\\land", "\\wedge"}
FRACTIONS = {"\\frac", "\\dfrac", "\\tfrac", "\\cfrac"}
ANNOTATED = {"\\overset", "\\stackrel", "\\underset"}
CASES = {"cases", "dcases"}
TRANSPARENT = {"aligned", "split", "gathered", "alignedat", "multlined"}

#: What makes a superscript part of a name.
DECORATING = {"+", "-", "*", "\\star", "\\prime", "\\dagger", "\\ddagger", "\\top", "\\bot"}
DECORATING |= {"\\perp", "\\circ", "\\infty", "\\sharp", "\\flat", "\\natural"}

IN_NAMES = {
    *"+-/=<>(),.;:|!",
    "[",
    "]",
    "\\|",
    "\\le",
    "\\ge",
    "\\ne",
    "\\in",
    "\\cdot",
    "\\times",
}
IN_NAMES |= {"\\to", "\\rightarrow", "\\mid", "\\setminus", "\\cup", "\\cap", "\\ldots", "\\dots"}

REFUSED = {
    "\\pm": "two statements in one; write them separately",
    "\\mp": "two statements in one; write them separately",
    "\\equiv": "can mean a definition, an identity or a congruence; write = or :=",
    "\\approx": "an approximation is not compared",
    "\\sim": "an approximation is not compared",
    "\\iff": "two statements joined; check them one by one",
    "\\Leftrightarrow": "two statements joined; check them one by one",
    "\\Rightarrow": "two statements joined; check them one by one",
    "\\Longrightarrow": "two statements joined; check them one by one",
    "\\implies": "two statements joined; check them one by one",
    "\\sum": "a sum over an index is not in closed form",
    "\\prod": "a product over an index is not in closed form",
    "\\lim": "a limit is not read",
    "*": "can be a product or an operation of its own; write \\cdot",
    "\\ast": "can be a product or an operation of its own; write \\cdot",
}
