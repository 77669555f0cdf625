"""Derivations as proofs in LaTeX: what is displayed is what was checked, and it compiles."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from cltheory.derive.decide.domain import Domain
from cltheory.derive.errors import InternalError
from cltheory.derive.proof.derivation import Step
from cltheory.derive.proof.relations import Iff
from cltheory.derive.results import results
from cltheory.derive.write.layout import displays, signs
from cltheory.derive.write.layout.displays import room_of
from cltheory.derive.write.layout.layout import layout
from cltheory.derive.write.layout.statement import is_evident, without_evident
from cltheory.derive.write.layout.tree import Limited, Node
from cltheory.derive.write.layout.width import width
from cltheory.derive.write.proofs.document import (
    Proof,
    Writer,
    document,
    proof_of,
    snippet,
)
from cltheory.derive.write.proofs.notation import Notation
from cltheory.derive.write.proofs.sentences import Paragraph
from cltheory.derive.write.wording import escape, with_math
from entries import has_entries, with_entries
from sympy import (
    Basic,
    Expr,
    Gt,
    Indexed,
    Integer,
    Limit,
    Rational,
    Symbol,
    Tuple,
    exp,
)

#: Small results of each family, for what takes a while.
SOME = ("ssem", "supcl-threshold", "infonce-optimum", "supcon-two-sizes")
ALL = [pytest.param(id, marks=[] if id in SOME else pytest.mark.slow) for id in results]


@cache
def writer(id: str) -> Writer:
    return Writer(results[id], {})


def paragraphs(id: str) -> list[tuple[Step, Paragraph]]:
    return writer(id).paragraphs


@cache
def told(id: str) -> Proof:
    return writer(id).proof()


# --- the document ----------------------------------------------------------------------------
@pytest.mark.parametrize("id", ALL)
def test_the_text_is_whole(id: str) -> None:
    """Environments close, references have their labels, citations their entries."""
    text = document([told(id)])
    opened: list[str] = []
    for what, name in re.findall(r"\\(begin|end)\{([^}]*)\}", text):
        if what == "begin":
            opened.append(name)
        else:
            assert opened.pop() == name
    assert not opened
    plain = re.sub(r"\\[{}]", "", text)
    assert plain.count("{") == plain.count("}")
    assert text.replace(r"\$", "").count("$") % 2 == 0
    assert not re.search(r"\\[lg]e &= ", text)  # the symbol of a bound ends in its relation
    assert "iff this is" not in " ".join(told(id).theorem.split())  # what it is stands below
    labels = re.findall(r"\\label\{([^}]*)\}", text)
    assert len(labels) == len(set(labels))
    assert set(re.findall(r"\\(?:eq)?ref\{([^}]*)\}", text)) <= set(labels)
    cited = set(re.findall(r"\\cite(?:\[[^\]]*\])?\{([^}]*)\}", text))
    assert cited == set(re.findall(r"\\bibitem\{([^}]*)\}", text))
    entries = snippet([told(id)])
    assert all(re.search(rf"^%\s+@\w+\{{{key},$", entries, re.M) for key in cited)


#: What no reader should meet: names as the program has them, what says nothing, floats.
UGLY = (
    r"\\mathtt|\\_|g_\{\\mathrm\{[a-z]+\\ |\b(\d+|r\^\{?2\}?) (&?=|\\ge|>) \1\b|\d\.0000|\boo\b|"
    r"root_|(?<!\\)(theta|lambda|alpha|tau)\b|Piecewise|\bexp\("
)


@pytest.mark.parametrize("id", ALL)
def test_nothing_is_left_as_the_program_has_it(id: str) -> None:
    text = re.sub(
        r"\\(label|ref|eqref|cite|bibitem|begin|end)(\[[^\]]*\])?\{[^}]*\}", "", proofs(id)
    )
    found = re.search(UGLY, text.replace(r"\exp", "").replace(r"\infty", ""))
    assert found is None, text[max(found.start() - 60, 0) : found.end() + 60]
    # Claims between numbers are left out.
    assert not re.search(r"^\s*(& )?-?\d+ &?(=|<|>|\\ge|\\le) -?\d+[.,]?$", text, re.M)


def proofs(id: str) -> str:
    return told(id).theorem + told(id).proof


@pytest.mark.parametrize(
    "line", ["g_{\\mathrm{cross\\ class}}", "1 = 1", "0 \\ge 0", "alpha\\_min"]
)
def test_the_check_for_ugly_lines_can_fail(line: str) -> None:
    assert re.search(UGLY, line)


@pytest.mark.parametrize("id", ALL)
def test_symbols_are_introduced_before_they_are_used(id: str) -> None:
    """Every symbol of a display stands in the text before it, or is what the display defines."""
    result, note = results[id], writer(id).note
    text = told(id).theorem + told(id).proof
    start = text.index(r"\begin{proof}")
    for k, (step, p) in enumerate(paragraphs(id), 1):
        if p.formula is None:
            continue
        here = text.index(rf"\label{{eq:{result.id}:{k}}}", start)
        own = " ".join(p.formula.rows)
        entries = {s for node in p.formula.nodes for s in node.symbols if isinstance(s, Indexed)}
        labels = {Symbol(str(s.base)) for s in entries}
        before = text[: text.rindex(r"\begin{align}", 0, here)] + p.after
        defined = {row.partition("&=")[0].strip() for row in p.formula.rows if "&=" in row}
        defined |= {row[0].partition("&=")[0].strip() for row in p.formula.where}
        for s in {s for node in p.formula.nodes for s in node.symbols}:
            if Symbol(s.name) in labels:  # of entries, which are looked at
                continue
            name = note.symbol(s) if s.name not in LETTERS else s.name
            if name in defined or s.name.startswith(("apart_", "dF_", "d")) or name not in own:
                continue
            if re.fullmatch(r"\\mathrm\{[a-z\\ 2]{5,}\}", name):  # words say what they name
                continue
            family = name.partition("_")[0]  # theta_e for every eigenspace e
            if isinstance(s, Indexed):  # one entry stands for all
                assert f"${family}_{{" in before, f"{name} in {step.title}"
                continue
            known = any(x in before for x in (name, f"${family}_e$", f"${family}_r$"))
            assert known, f"{name} ({s}) in {step.title}"
    assert note.relations or result.segment is None


LETTERS = {*displays.SUMS, *displays.LETTERS}


# --- what is displayed -------------------------------------------------------------------------
def sides(shown: Basic) -> Iterator[Basic]:
    """The sides of the relations of a statement, in order."""
    for part in shown.args:
        if isinstance(part, (Tuple, Iff)) or hasattr(part, "rel_op"):
            yield from sides(part)
        else:
            yield part.args[0] if isinstance(part, Limit) else part


@pytest.mark.parametrize("id", ALL)
def test_what_is_displayed_is_what_was_checked(id: str) -> None:
    """Letters put back, each side has the value that the side of the statement has."""
    compared = 0
    for step, p in paragraphs(id):
        if p.formula is None or p.formula.signs:
            continue
        stated = [s for s in sides(step.says.displayed) if isinstance(s, Expr)]
        if len(stated) != len(p.formula.nodes):
            continue  # told in part, or in its own words
        known = dict(p.formula.letters)
        point = at_random(step.says.domain, stated)
        for side, node in zip(stated, p.formula.nodes, strict=True):
            node = node.node if isinstance(node, Limited) else node
            back = displays.put_back(node, known).meaning
            compared += assert_same(side, back, point)
    assert compared or id in ("ssem", "supcon-two-sizes", "supcl-two-sizes")


def assert_same(side: Expr, back: Basic, point: dict[Symbol, Expr]) -> bool:
    if side.is_Symbol or not isinstance(back, Expr):
        return False
    names = {s.name for s in side.free_symbols | back.free_symbols}
    if names - {s.name for s in point}:
        return False  # the letter of a sum that was named before
    at = {
        s: v
        for t, v in point.items()
        for s in side.free_symbols | back.free_symbols
        if s.name == t.name
    }
    if side.is_infinite:  # a limit
        assert side == back
        return True
    one, other = (
        (with_entries(e, at) if has_entries(e) else e.xreplace(at)).evalf(30) for e in (side, back)
    )
    assert abs(one - other) < Rational(1, 10**20), f"{side} is not {back}"
    return True


def at_random(domain: Domain, stated: list[Expr]) -> dict[Symbol, Expr]:
    found = dict(domain.witness)
    for e in stated:
        for s in e.free_symbols:
            found.setdefault(
                s, Integer(2) if s.is_integer else Rational(3, 7) + Rational(len(found), 11)
            )
    return found


def test_a_wrong_part_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A formula put together from its letters is compared with what was laid out."""
    step = next(s for s in results["supcl-threshold"].derivation if s.title.startswith("Deriv"))
    note = Notation(results["supcl-threshold"])
    displays.shown(step.statement, step.says.domain, note.symbol)
    renamed = displays.renamed
    wrong = layout(exp(Symbol("tau")))

    def corrupt(node: Node, key: str, name: Node) -> Node:
        return renamed(node, key, wrong if name.key == "Z" else name)

    monkeypatch.setattr(displays, "renamed", corrupt)
    with pytest.raises(InternalError):
        displays.shown(step.statement, step.says.domain, note.symbol)


def test_a_wrong_sign_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A condition may lack a factor only if that is proved to be positive."""
    x = Symbol("x", positive=True)
    claim = Gt(x**2 - x, 0, evaluate=False)
    domain = Domain.of_ranges(
        {x: results["ssem"].domain.ranges[next(iter(results["ssem"].domain.ranges))]}
    )
    monkeypatch.setattr(signs, "sign_of", lambda e, _: layout(-e))
    with pytest.raises(InternalError):
        signs.by_sign(claim, domain, always=True)


def test_evident_claims_are_left_out() -> None:
    domain = results["supcl-threshold"].domain
    tau = next(s for s in domain.ranges if s.name == "tau")
    alpha = next(s for s in domain.ranges if s.name == "alpha")
    one = Gt(Rational(1), 0, evaluate=False)
    assert is_evident(one, domain)
    assert is_evident(Gt(tau, 0, evaluate=False), domain)
    assert not is_evident(Gt(alpha, 0, evaluate=False), domain)
    assert without_evident(Tuple(one, Gt(alpha, 0)), domain) == Tuple(Gt(alpha, 0))
    assert without_evident(Tuple(one), domain) is None


# --- lemmas --------------------------------------------------------------------------------------


# --- words ---------------------------------------------------------------------------------------


def test_a_limit_shows_what_it_is_of() -> None:
    said = proof_of(results["mrf"]).proof
    assert r"\lim_{q \to 0} (- p \log(q)) &= \infty" in said


def theorem_of(id: str, **given: object) -> str:
    return " ".join(proof_of(results[id].with_inputs(**given)).theorem.split())


def test_collapse_is_defined_where_the_word_is_used() -> None:
    defined = r"Classes \emph{collapse} if all embeddings of a class are equal."
    assert defined in told("supcl-threshold").theorem
    assert "collapse" not in told("sigmoid-threshold").theorem
    page = (Path(__file__).parents[2] / "docs" / "theory.md").read_text(encoding="utf-8")
    assert defined.replace(r"\emph{collapse}", "*collapse*") in page


def letters_of(theorem: str) -> list[str]:
    return re.findall(r"^ *([A-Z](?:_\{\d\})?) &= ", theorem, re.MULTILINE)


@pytest.mark.parametrize("id", [*ALL, "expected-gradient"])
def test_a_letter_means_one_thing_in_a_theorem(id: str) -> None:
    found = letters_of(told(id).theorem)
    assert len(set(found)) == len(found)
    assert id != "expected-gradient" or found == ["A", "B"]


def test_a_theorem_says_where_a_number_is_infinite() -> None:
    said = "1\\right]$ ($\\tau_{\\max} = \\infty$ at $\\alpha = 1$), where"
    theorem = told("supcl-threshold").theorem
    assert said in theorem and theorem.count("infty$ at") == 2  # and its limit
    assert "infty$ at" not in told("ssem").theorem


@pytest.mark.slow
def test_a_theorem_says_when_a_range_is_empty() -> None:
    empty = "An interval whose ends are in reverse order is empty."
    assert empty not in told("supcl-exclusive").theorem
    assert told("phases").theorem.count(empty) == 1


def test_a_theorem_about_what_was_given_says_what_that_is() -> None:
    # "There are 8 subgraphs, of the weight 9" is false of other weights.
    said = theorem_of("mrf", pi=[["0", "1/3", "2"], [1, 0, 0], [0, 3, 0]])
    assert r"have the rows $(0, \frac{1}{3}, 2)$, $(1, 0, 0)$ and $(0, 3, 0)$." in said
    assert r"Let $\psi$ (similarities, that of the positive first) be $(3, 1, 4)$." in theorem_of(
        "exponential-kernel", psi=[3, 1, 4]
    )
    of_pairs = theorem_of("clip-pair-graph", edges="1,1;2,1")
    assert "have the rows $(1, 1)$ and $(2, 1)$." in of_pairs
    assert "is never negative: no." in of_pairs


# --- values --------------------------------------------------------------------------------------
def test_values_stand_beside_the_general_statement() -> None:
    r = results["supcl-threshold"]
    text = proof_of(r, r.point(m=10, n=50, tau="1/10")).theorem
    assert "In particular, for $m = 10" in text
    value = r.value("alpha_min", m=10, n=50, tau="1/10", digits=6)
    assert str(value) in text
    assert r"\tau_{\max} &\approx" not in text  # alpha was not given


def test_weaker_evidence_has_a_footnote() -> None:
    r = results["supcon-two-sizes"]
    values = {"m1": 3, "n1": 4, "m2": 2, "n2": 2, "p": 1, "tau": "1/2"}
    made = r.with_inputs(at=values)
    text = proof_of(made, made.point(**values)).proof
    assert r"\footnote{Evidence: interval" in text
    assert "all of them by exact algebra" not in text


# --- pdflatex ----------------------------------------------------------------------------------
needs_tex = pytest.mark.skipif(
    shutil.which("pdflatex") is None, reason="no pdflatex (Debian: texlive-latex-recommended)"
)
HAIR = 1.0  #: points that a line may stick out: less than anyone sees


def compiled(folder: Path, text: str) -> str:
    """The log of the second run; errors fail."""
    (folder / "proof.tex").write_text(text)
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "proof"]
    for _ in range(2):
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=120)
        assert done.returncode == 0, done.stdout.decode("latin-1")[-2000:]
    return (folder / "proof.log").read_text("latin-1").replace("\n", "")


def check_log(log: str) -> None:
    assert "undefined" not in log
    assert "multiply" not in log
    wide = [float(w) for w in re.findall(r"Overfull \\hbox \(([\d.]+)pt too wide", log)]
    assert max(wide, default=0) <= HAIR, wide


@needs_tex
def test_widths_are_those_of_tex(tmp_path: Path) -> None:
    """Within a tenth less and a quarter more: classes of letters, no table of each font."""
    formulas = [p.formula for id in SOME for _, p in paragraphs(id) if p.formula is not None]
    rows = sorted({row.replace("&", "") for f in formulas for row in f.rows})
    boxes = [rf"\setbox0\hbox{{$\displaystyle {r}$}}\typeout{{W:\the\wd0}}" for r in rows]
    head = r"\documentclass{article}\usepackage{amsmath,amssymb}\begin{document}"
    log = compiled(tmp_path, "\n".join([head, *boxes, r"x\end{document}"]))
    widths = [float(w) for w in re.findall(r"W:([\d.]+)pt", log)]
    assert len(widths) == len(rows) > 40

    def is_close(row: str, measured: float) -> bool:
        return measured < 40 or 0.9 < width(row) / measured < 1.25

    assert [row for row, w in zip(rows, widths, strict=True) if not is_close(row, w)] == []
    assert not is_close(max(rows, key=len) * 2, max(widths))


@needs_tex
def test_a_proof_compiles(tmp_path: Path) -> None:
    check_log(compiled(tmp_path, document([told("ssem"), told("supcl-threshold")])))


#: Losses of one's own, the terms of which are longer than any of the literature.
PROBLEMS = Path(__file__).parents[2] / "docs" / "problems"
SOFT, HARD = (str(PROBLEMS / f"{name}.toml") for name in ("soft-targets", "hard-negatives"))
SEEN = 5.0  #: points that a line may stick out of a column, half of what is between two


def check_columns(log: str) -> None:
    wide = [float(w) for w in re.findall(r"Overfull \\hbox \(([\d.]+)pt too wide", log)]
    assert max(wide, default=0) <= SEEN, wide


def in_columns(*ids: str) -> str:
    return document([proof_of(results[id], room=room_of(2)) for id in ids], 2)


@needs_tex
def test_a_proof_fits_one_of_two_columns(tmp_path: Path) -> None:
    text = in_columns("supcl-threshold", "soft-supcon", SOFT)
    check_columns(compiled(tmp_path, text))
    assert r"\begin{tabular}" not in text  # they are told in words, and not cut
    with pytest.raises(AssertionError):  # as it is for a page
        check_columns(compiled(tmp_path, document([told("supcl-threshold")], 2)))


@needs_tex
@pytest.mark.slow
def test_all_proofs_fit_one_of_two_columns(tmp_path: Path) -> None:
    text = in_columns(*results, HARD)
    check_columns(compiled(tmp_path, text))


def test_values_in_a_theorem_are_shown_in_all_of_their_rows() -> None:
    """A formula that is broken keeps its end."""
    r = results["ssem"]
    found = [proof_of(r, r.point(m=3), room=room) for room in (140.0, 2000.0)]
    narrow, wide = (f.theorem.partition("In particular")[2] for f in found)
    signs = [re.sub(r"\\\\|&|\\quad|\{\}|\s", "", text) for text in (narrow, wide)]
    assert signs[0] == signs[1] and narrow.count(r"\\") > wide.count(r"\\")


@needs_tex
def test_the_log_of_a_bad_document_is_refused(tmp_path: Path) -> None:
    text = document([told("ssem")])
    wide = text.replace(r"\end{document}", r"\noindent\rule{360pt}{1pt}" + r"\end{document}")
    with pytest.raises(AssertionError):
        check_log(compiled(tmp_path, wide))
    with pytest.raises(AssertionError):
        check_log(compiled(tmp_path, text.replace(r"\end{document}", r"\ref{no}\end{document}")))


@needs_tex
@pytest.mark.slow
def test_all_proofs_compile(tmp_path: Path) -> None:
    """Every result of the registry."""
    text = document([told(id) for id in results])
    assert BLEMISHES.search(r"e^{-y/\tau{}_2}") and not BLEMISHES.search(text)
    check_log(compiled(tmp_path, text))


#: What a printer gets wrong easily: a power in words, an empty group, two signs in a row.
BLEMISHES = re.compile(r"\\textasciicircum|[A-Za-z]\{\}_|[+-] -|\\cdot 1\b|\$\$")


# --- renamed symbols ---------------------------------------------------------------------------
def test_a_symbol_with_an_index_is_not_the_letter_with_an_index() -> None:
    concatenated = results["kernel-concatenation"]
    for name, powers in {"gamma": ("g", r"\gamma_{2}"), "gamma2": (r"\gamma", "g")}.items():
        text = proof_of(concatenated, None, {name: "g"}).theorem
        assert all(f"|^{{{power}}}/" in text for power in powers)


@pytest.mark.parametrize(
    ("id", "new"), [("supcl-threshold", "T"), ("simclr", r"\tilde{\tau}"), ("mrf", "")]
)
def test_a_renamed_symbol_is_so_in_theorem_and_proof(id: str, new: str) -> None:
    """Only the letter differs, and the old one is nowhere left; mrf has none."""
    told = proof_of(results[id], None, {"tau": new} if new else {})
    plain = proof_of(results[id])
    if not new:
        assert (told.theorem, told.proof) == (plain.theorem, plain.proof)
        return
    for ours, theirs in ((told.theorem, plain.theorem), (told.proof, plain.proof)):
        assert r"\tau" in theirs and new in ours
        assert r"\tau" not in ours.replace(new, "")


def test_a_letter_for_a_part_is_no_name_that_a_symbol_was_given() -> None:
    node = layout(results["supcl-threshold"].quantity("alpha_min").expression)
    for name, first in ((str, "A"), (lambda s: "A" if s.name == "tau" else str(s), "B")):
        assert displays.Letters([node]).shorten(name, 60).letters[0][0].name == first


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("sqrt((N P - 1)(sigma - N^2))/2 = N", r"$\sqrt{(N P - 1)(\sigma - N^2)}/2 = N$"),
        ("at most sqrt(N P) is", r"at most $\sqrt{N P}$ is"),
        ("the sqrt of N", "the sqrt of $N$"),
        ("sqrt(N is open", "sqrt($N$ is open"),
        ("sqrt(sigma Q)", r"sqrt($\sigma$ Q)"),
        ("the mean of slope^2 and a^2", r"the mean of $\mathrm{slope}^2$ and $a^2$"),
        ("the N N^T over T", r"the $N N^\top$ over T"),
        ("(a mean)^2 - 1", "(a mean)$^2 - 1$"),
        ("vectors in R^d", "vectors in $R^d$"),  # where d is no name
        ("N^(2k) and N^ ", r"$N$\textasciicircum{}($2$k) and $N$\textasciicircum{} "),
    ],
)
def test_roots_and_powers_in_words_are_typeset_or_left_as_they_are(said: str, shown: str) -> None:
    known = {"sqrt": r"\sqrt", "N": "N", "P": "P", "sigma": r"\sigma"}
    assert with_math(said, known, escape) == shown
