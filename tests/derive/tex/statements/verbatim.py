r"""Statements that were found by hand to go wrong, each standing for its kind."""

from __future__ import annotations

from .printed import printed, tex
from .statement import Written
from .targets import Target

ALPHA, TAU = "supcl-threshold.alpha_min", "supcl-threshold.tau_max"
A = tex(printed(Target("supcl-threshold", "alpha_min").derived))
T = tex(printed(Target("supcl-threshold", "tau_max").derived))
N_OO = tex(printed(Target("supcl-threshold", "alpha_min_n_oo").derived))
NAME = r"\alpha_{\min}"
SIMPLEX = tex(printed(Target("sigmoid-threshold", "t_simplex").derived))
VARIANCE = "supcl-optimum.within_class_variance_n_oo"
LINE = r"1 - \frac{m-1}{m}\tau\log\frac{m-\alpha(m-1)}{\alpha}"
END = r"\frac{m}{(m-1)\log\frac{m-\alpha(m-1)}{\alpha}}"
POSITIVE = tex(printed(Target("ccem", "positive").derived))

#: 1/tau_max times this is m.
TIMES = (r"\left(m - 1\right) \log\left(\frac{-\alpha m n + \alpha n + m n - 1}{\alpha n - 1}"
         r"\right)")  # fmt: skip
SIMPLEX_MIN = "sigmoid-threshold.b_simplex_min"
CROSS = tex(printed(Target("ssem", "cross_class").derived))

FALSE = [
    (ALPHA, rf"\tau_{{\max}} = {A}"),
    ("supcl-threshold.alpha_min_tau_0", rf"\lim_{{\tau\to\infty}}{NAME}=\frac1n"),
    ("ccem.positive_delta_0", r"u_i^\top v_j = 1"),
    ("infonce-optimum.positive", r"u_i^\top v_j = 1"),
    ("infonce-optimum.positive", r"\|u-v\|^2 = 1"),
    ("infonce-optimum.positive", r"\|u_i-v_i\|^2 = 1"),
    ("ccem.positive", rf"\langle u_i,v_i\rangle^2 = {POSITIVE}"),
    ("ccem.positive", rf"\langle u,v\rangle^2 = {POSITIVE}"),
    (ALPHA, rf"{NAME} = {A} \cdot \frac{{\log(mn)-\log m-\log n}}{{\log(mn)-\log m-\log n}}"),
    (ALPHA, rf"{NAME} = {A} + \log(20-m) - \log(20-m)"),
    (ALPHA, rf"{NAME} = {A} + (\sqrt{{m-4}})^2 - m + 4"),
    (ALPHA, rf"(m-2){NAME} = (m-2) {A}"),
    (ALPHA, rf"\alpha > {A} \text{{ for all }} n \ge 2 \text{{ and }} \alpha > \frac12"),
    ("sigmoid-threshold.t_simplex",
     rf"t_{{\mathrm{{simplex}}}} = {SIMPLEX} \quad \text{{for all }} N \ge 2"),
    (TAU, rf"\tau_{{\max}} = {T} \quad \text{{for all }} \alpha \in [0, 1]"),
    (ALPHA, rf"{NAME} = {A} \quad \text{{where }} \tau \gets 2\tau"),
    (ALPHA, rf"{NAME} \overset{{?}}{{=}} {A}"),
    (ALPHA, rf"{NAME} \stackrel{{\text{{not}}}}{{=}} {A}"),
    (VARIANCE, r"\lim_{n\to\infty}\mathrm{Var}[U_i] = \begin{cases} 0 & \tau \le " + END + r" \\ "
     + LINE + r" & \tau < " + END + r" \end{cases}"),
    (TAU, rf"\left(n - 3\right) \tau_{{\max}} = \left(n - 3\right) {T}"),
    (ALPHA, rf"{NAME} = {A} + \frac{{1}}{{\infty}}"),
    (ALPHA, rf"{NAME} = {A}, \qquad \tau \in (-\infty, \infty)"),
    (ALPHA, rf"{NAME} = {A}, \qquad \tau \in (0, \infty]"),
    (ALPHA, rf"{NAME} = {A}, \qquad m, n \ge 1"),
    (ALPHA, rf"{NAME} = {A}, \qquad m, n \in \{{1, 2, \dots\}}"),
    (ALPHA, rf"{NAME} = {A}, \;\; n \ge 1"),
    (ALPHA, rf"{NAME} = \left. {A} \right.^2"),
    (SIMPLEX_MIN, r"b \in \left(\log\frac{N-2}{2}, \infty\right]"),
    (SIMPLEX_MIN, r"b \in \left(\log\frac{N-2}{2}, \frac{1}{\infty}\right)"),
    ("ssem.same_class", rf"u \cdot v = {CROSS}"),
    ("infonce-optimum.positive", r"u_i \times v_i = 1"),
    ("infonce-optimum.positive", r"\lim_{t \to 0} u_i \times v_i = 1"),
]  # fmt: skip

TRUE = [
    (ALPHA, rf"\boxed{{{NAME} = {A}}}"),
    (ALPHA, rf"{NAME} = \ensuremath{{{A}}}"),
    (ALPHA, rf"\alpha_{{\rm min}} = {A}"),
    (ALPHA, rf"{NAME} = {A}".replace(r"\frac{m}{\tau", r"\nicefrac{m}{\tau")),
    (ALPHA, rf"{NAME} \mathrel{{:=}} {A}"),
    (rf"{ALPHA} [\equiv -> =]", rf"{NAME} \equiv {A}"),
    (ALPHA, rf"\alpha > {NAME} := {A}"),
    (ALPHA, rf"{NAME} = {A},\qquad \alpha \in (1/n, 1]"),
    (ALPHA, rf"{NAME} = {A} \quad (\tau > 0)"),
    (ALPHA, rf"{NAME} = {A}, \quad \tau \in (0, 1)"),
    (ALPHA, rf"{NAME} = {A}, \quad m, n \in \mathbb{{N}},\ m, n \ge 2"),
    (ALPHA, rf"{NAME} = \left. {A} \right."),
    (ALPHA, rf"{NAME} = {A}\;,"),
    (ALPHA, rf"{NAME} = {A}."),
    (ALPHA, rf"{NAME} = {A} = \frac{{mn - 1 + e^{{m/((m-1)\tau)}}}}"
     r"{n\left(m - 1 + e^{m/((m-1)\tau)}\right)}"),
    ("supcl-threshold.alpha_min, supcl-threshold.tau_max",
     rf"{NAME} = {A}, \qquad \tau_{{\max}} = {T}"),
    (ALPHA, rf"{NAME} = \frac{{1 + (mn-1) q}}{{n(1 + (m-1) q)}},"
     r" \qquad q = e^{-\frac{m}{(m-1)\tau}}"),
    (ALPHA, rf"{NAME} = {A} \left((e^{{500m}}+1)^2-e^{{1000m}}-2e^{{500m}}\right)"),
    (ALPHA, rf"{NAME} = {A} \quad \text{{for all }} n \ge 3"),
    (VARIANCE, r"\lim_{n\to\infty}\mathrm{Var}[U_i] = \begin{cases} 0 & \tau \ge " + END + r" \\ "
     + LINE + r" & \tau < " + END + r" \end{cases}"),
    ("supcl-threshold.alpha_min_n_oo", rf"{NAME} \to {N_OO} \quad \text{{as }} n \to \infty"),
    (TAU, rf"{TIMES} \cdot \tau_{{\max}} = m"),
    (TAU, rf"\tau_{{\max}} - \frac{{m}}{{{TIMES}}} = 0"),
    (ALPHA, rf"{NAME} = {A}, \qquad \tau \in (0, \infty)"),
    (ALPHA, rf"{NAME} = {A} \quad \text{{for }} 0 < \tau < \infty"),
    (ALPHA, rf"{NAME} = {A}, \qquad m, n \ge 2"),
    (ALPHA, rf"{NAME} = {A}, \qquad m, n \in \{{2, 3, \dots\}}"),
    (ALPHA, rf"{NAME} = {A} \quad \text{{for }} n \ge 2, m, \tau > 3"),
    (ALPHA, rf"{NAME} = {A}, \;\; n \ge 3,"),
    (SIMPLEX_MIN, r"b \in \left(\log\frac{N-2}{2}, \infty\right)"),
    (SIMPLEX_MIN, r"\log\frac{N-2}{2} < b < \infty"),
    ("ssem.cross_class", rf"u \cdot w = {CROSS}"),
]  # fmt: skip

HEAT = r"e^{-\frac{m}{(m-1)\tau}}"
WITH_HEAT = rf"{NAME} = \frac{{1 + (mn-1)\heat}}{{n(1 + (m-1)\heat)}}"


def _document(before: str, body: str, **more: str) -> dict[str, str]:
    start = "\\documentclass{article}\n\\usepackage{amsmath}\n"
    text = f"{start}{before}\n\\begin{{document}}\n{body}\n\\end{{document}}\n"
    return {"main.tex": text, **{k.replace("_", "."): v for k, v in more.items()}}


def _marked(source: str, directive: str = ALPHA) -> str:
    return f"% cltheory: {directive}\n\\[ {source} \\]"


_DEFINED = rf"\newcommand{{\heat}}{{{HEAT}}}"
_TURNED = HEAT.replace("-", "", 1)
FALSE_DOCUMENTS = [
    _document(_DEFINED, "\\input extra\n" + _marked(WITH_HEAT),
              extra_tex=rf"\renewcommand{{\heat}}{{{_TURNED}}}"),
    _document(_DEFINED, rf"\providecommand{{\frac}}[2]{{#2}}\renewcommand{{\heat}}{{{_TURNED}}}"
              + "\n" + _marked(WITH_HEAT)),
    _document(rf"\iffalse {_DEFINED} \fi \newcommand{{\heat}}{{{_TURNED}}}", _marked(WITH_HEAT)),
    _document("", "\\input{sec1}", sec1_tex=_marked(rf"{NAME} = {T}")),
    _document("", f"% cltheory: {ALPHA}\n\\input{{eq}}\n\\[ {NAME} = {A} \\]",
              eq_tex=rf"\[ {NAME} = {T} \]"),
]  # fmt: skip
TRUE_DOCUMENTS = [
    _document("", _marked(rf"{NAME} = {A}") + "\n" + r"\renewcommand{\sigma}{\tau}"),
    _document("", "\\iftoggle{a}{b}{c}\n" + _marked(rf"{NAME} = {A}")),
    _document("", f"% cltheory: {ALPHA} % see the appendix\n\\[ {NAME} = {A} \\]"),
    _document("", f"% cltheory: {ALPHA} inline\nWe find ${NAME} = {A}$."),
]

STATEMENTS = [
    *(Written("false/by hand", d, s) for d, s in FALSE),
    *(Written("true/by hand", d, s) for d, s in TRUE),
    *(Written("false/by hand", files=f) for f in FALSE_DOCUMENTS),
    *(Written("true/by hand", files=f) for f in TRUE_DOCUMENTS),
]
