"""``cltheory export``: macros that say what was derived, numpy functions, JSON."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from cltheory.derive.decide.equal import value_at
from cltheory.derive.decide.expectation import Expectation
from cltheory.derive.decide.hypergeometric import Log0F1
from cltheory.derive.optimum.delsarte import PairBound
from cltheory.derive.papers import PAPERS, ledger_of
from cltheory.derive.papers.sources import SOURCES
from cltheory.derive.results import results
from cltheory.derive.tex.formula.reader import read_formula as read
from cltheory.derive.tex.text.macros import Macros
from cltheory.derive.theorem.result import Result
from cltheory.derive.write import export
from cltheory.derive.write.display import Writer, words
from cltheory.derive.write.macros import macro_name
from cltheory.derive.write.renaming import ExportError, symbol_name
from hypothesis import given
from hypothesis import strategies as st
from sympy import Expr, Piecewise, Rational, S, Symbol, oo

ROOT = Path(__file__).parents[2]

#: Results whose macros are looked at as one document in the quick tests: in the slow ones, all.
SOME = ("ssem", "supcl-threshold", "supcl-optimum", "infonce-optimum", "soft-supcon", "mrf")
DOCUMENTS = [pytest.param(SOME, id="some"), pytest.param((), marks=pytest.mark.slow, id="all")]


@cache
def theory(*ids: str) -> str:
    """What is exported of some results, or of all."""
    return export.to_latex([results[id] for id in ids or results])


@cache
def definitions(*ids: str) -> dict[str, tuple[int, str]]:
    return defined(theory(*ids))


def defined(text: str) -> dict[str, tuple[int, str]]:
    r"""Arity and body of every ``\newcommand``; the braces of a body are balanced."""
    found: dict[str, tuple[int, str]] = {}
    for match in re.finditer(r"^\\newcommand\{(\\cl[A-Za-z]+)\}(?:\[(\d)\])?\{", text, re.M):
        depth, at = 1, match.end()
        while depth:
            step = re.compile(r"\\.|[{}]|\Z", re.S).search(text, at)
            assert step is not None and step[0], f"{match[1]} is not closed"
            depth += {"{": 1, "}": -1}.get(step[0], 0)
            at = step.end()
        assert match[1] not in found, f"{match[1]} is defined twice"
        found[match[1]] = int(match[2] or 0), text[match.end() : at - 1]
    return found


def check_macro(arity: int, body: str) -> None:
    """Every argument is used and there, and what is opened is closed."""
    used, given = {int(k) for k in re.findall(r"#(\d)", body)}, set(range(1, arity + 1))
    mean = r"\operatorname{E}" in body or r"\operatorname{P}" in body  # its law has sizes too
    assert used <= given if mean else used == given
    assert len(re.findall(r"\\left(?![a-z])", body)) == len(re.findall(r"\\right(?![a-z])", body))
    waiting = []
    for kind, name in re.findall(r"\\(begin|end)\{([a-z]+)\}", body):
        if kind == "begin":
            waiting.append(name)
        else:
            assert waiting and waiting.pop() == name
    assert not waiting


# --- the text of the macros -----------------------------------------------------------------------
@pytest.mark.parametrize("ids", DOCUMENTS)
def test_every_quantity_and_statement_has_its_macros(ids: tuple[str, ...]) -> None:
    there = definitions(*ids)
    for id in ids or results:
        assert macro_name(id, "statement") in there
        for name in results[id].quantities:
            for kind in ("", "name", "eq"):
                assert macro_name(id, name, *filter(None, [kind])) in there
    assert r"\clSupclThresholdAlphaMinTauZero" in there
    assert ids or len(there) > 250
    for name, (arity, body) in there.items():
        if name != r"\clArgEnd":
            check_macro(arity, body)


@pytest.mark.parametrize(
    "arity, body", [(1, "x"), (1, "#1 + #2"), (0, r"\left(x"), (0, r"\begin{cases} x")]
)
def test_the_check_of_macros_can_fail(arity: int, body: str) -> None:
    with pytest.raises(AssertionError):
        check_macro(arity, body)


def test_two_macros_of_one_name_are_refused() -> None:
    one = results["supcl-threshold"]
    with pytest.raises(ExportError, match=r"two macros would be called \\clSupclThreshold"):
        export.to_latex([one, one])


def test_the_text_is_the_same_every_time() -> None:
    code = (
        "import sys\nfrom cltheory.derive.write import export\nfrom cltheory.derive.results import "
        f"results\nsys.stdout.write(export.to_latex([results[id] for id in {SOME}]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONHASHSEED": "7", "PATH": "", "PYTHONPATH": os.environ.get("PYTHONPATH", "")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == theory(*SOME)


# --- what the macros say --------------------------------------------------------------------------
@cache
def macros(*ids: str) -> Macros:
    return Macros.from_document(theory(*ids))


def points(result: Result, expression: Expr) -> Iterator[dict[Symbol, Expr]]:
    """Admissible points; roots and other symbols take small fractions."""
    others = sorted(expression.free_symbols - set(result.domain.ranges), key=str)
    for k, point in enumerate([dict(result.domain.witness), *result.domain.points(8)]):
        if result.domain.contains(point):
            yield {**point, **{s: Rational(k + 2 * i + 1, 17) for i, s in enumerate(others)}}


def disagrees(printed: str, derived: Expr, result: Result, text: Macros) -> bool:
    """Whether an expression in LaTeX has another value than the derived one somewhere."""
    writer = Writer(result)
    names: dict[str, Expr] = {writer.symbol(s): s for s in result.domain.ranges}
    names |= {writer.symbol(s): s for s in derived.free_symbols}
    names |= {name.tex: name.symbol for name in writer.roots.values()}
    found = read(printed, names, text)
    assert not found.relations and not found.rest
    compared = 0
    for point in points(result, derived):
        one, other = value_at(found.sides[0], point), value_at(derived, point)
        if other.is_finite and other.is_real:
            compared += 1
            if one is S.NaN or abs(one - other) > Rational(1, 10**30) * (1 + abs(other)):
                return True
    assert compared > 2
    return False


def calls(id: str, name: str) -> tuple[Result, Expr, str, list[Symbol]]:
    result = results[id]
    writer = Writer(result)
    shown = writer.shown(result.quantity(name).expression)
    roots = {n.symbol for n in writer.roots.values()}
    free = shown.free_symbols - roots
    order = [s for s in result.parameters if s in free]
    order += sorted(free - set(order), key=str)
    return result, shown, macro_name(id, name), order


def numeric(*ids: str) -> list[tuple[str, str]]:
    """Quantities that are numbers; the other kinds are in tests/derive/test_kinds.py."""
    every = ((id, name, q) for id in ids for name, q in results[id].quantities.items())
    return [(id, name) for id, name, q in every if q.is_number and not words(q.expression)]


def closed(*ids: str) -> list[tuple[str, str]]:
    """Those that the reader of formulas reads: it knows no cases inside of one, means or 0F1."""
    return [
        (id, name)
        for id, name in numeric(*ids)
        if not results[id].quantity(name).expression.has(Piecewise, Expectation, Log0F1, PairBound)
    ]


@pytest.mark.sample(6)
@pytest.mark.parametrize("id", list(results))
def test_compound_arguments_stay_whole(id: str) -> None:
    for _, name in closed(id):
        result, shown, macro, order = calls(id, name)
        assert definitions(id)[macro][0] == len(order)
        if id == "simclr-batches":  # half of a number of vectors in a batch is none
            continue
        writer = Writer(result)
        call, put = macro, {}
        for k, s in enumerate(order):
            # The value stays in the range of the symbol: above its low end, below its high one.
            if s in result.domain.ranges and result.domain.ranges[s].high != oo:
                call, put[s] = call + rf"{{\frac{{{writer.symbol(s)}}}{{2}}}}", s / 2
            else:
                call, put[s] = call + f"{{{writer.symbol(s)} + {k + 1}}}", s + k + 1
        assert not disagrees(call, shown.subs(put, simultaneous=True), result, macros(id)), name


def test_a_wrong_macro_is_noticed() -> None:
    wrong = 0
    for id, name in closed(*SOME):
        result, shown, macro, order = calls(id, name)
        if not order or len(order) > 8:
            continue
        arity, body = definitions(id)[macro]
        writer = Writer(result)
        call = macro + "".join(f"{{{writer.symbol(s)}}}" for s in order)
        for old, new in (
            (" - ", " + "),
            (" + ", " - "),
            (r"\clArgFirst{#1}", "#1"),
            ("- 1", "- 2"),
        ):
            if (broken := body.replace(old, new, 1)) == body:
                continue
            text = theory(id).replace(f"[{arity}]{{{body}}}", f"[{arity}]{{{broken}}}")
            if old.startswith("\\"):  # an argument without its parentheses
                call = macro + "".join(f"{{{writer.symbol(s)} + 1}}" for s in order)
                derived = shown.subs({s: s + 1 for s in order}, simultaneous=True)
            else:
                derived = shown
            wrong += disagrees(call, derived, result, Macros.from_document(text))
            break
        if wrong > 8:
            return
    raise AssertionError(f"only {wrong} wrong macros were noticed")


def test_a_root_is_said_to_be_one() -> None:
    arity, body = definitions("supcl-optimum")[r"\clSupclOptimumXStarWhere"]
    assert arity == 4
    assert body.startswith(r"x^\star \in \left[0, \frac{\clArgFirst{#1} \clArg{#2}}")
    assert body.endswith(" = 0")
    assert definitions("supcl-optimum")[r"\clSupclOptimumXStar"] == (0, r"x^\star")
    result = results["supcl-optimum"]
    (root,) = Writer(result).roots
    function = body.partition(r"\quad ")[2].removesuffix(" = 0")
    for k, s in enumerate(("m", "n", r"\alpha", r"\tau"), 1):
        function = function.replace(f"#{k}", s)
    assert not disagrees(
        function, Writer(result).equation(root).meaning, result, macros("supcl-optimum")
    )


# --- other names ----------------------------------------------------------------------------------
def test_symbols_are_renamed_everywhere() -> None:
    one = [results["supcl-threshold"]]
    tex = export.rename([r"\tau=T", r"m=\tilde{m}", r"alpha=\lambda"], one)
    text = export.to_latex(one, tex)
    found = defined(text)
    assert (
        found[r"\clSupclThresholdAlphaMin"]
        == definitions("supcl-threshold")[r"\clSupclThresholdAlphaMin"]
    )
    assert found[r"\clSupclThresholdTauMaxEq"][1] == (
        r"T_{\max} = \clSupclThresholdTauMax{{\tilde{m}}}{n}{\lambda}"
    )
    statement = found[r"\clSupclThresholdStatement"][1]
    assert r"$\lambda > \lambda_{\min}$" in statement
    assert not re.search(r"\\(tau|alpha)\b", statement)


def test_names_in_the_dimensions_are_renamed() -> None:
    one = [results["supcon-noise"]]
    text = export.to_latex(one, export.rename([r"\tau=T", r"rho=\epsilon"], one))
    statement = defined(text)[r"\clSupconNoiseStatement"][1]
    assert r"for $T_{\min}$, $\epsilon_{\max}$" in statement
    assert not re.search(r"\\(tau|rho)\b", statement)


HOSTILE = [
    *("", "1", "m+n", "m n", "{m", "m}", "m^2^3", "m_", r"\mathrm{}", "m%", "m#1", "$m$"),
    *(r"\input{x}", r"\def\x{1}", r"\catcode", r"^^41", r"\text{\input}", "~", "m&n", "m\n\nn"),
    *(
        "m" * 100,
        "{" * 60,
        r"\tilde{" * 8 + "m" + "}" * 8,
        "é",
        "m\x00",
        r"m_{\input{x}}",
        r"\m@th",
    ),
]


@pytest.mark.parametrize("text", HOSTILE)
def test_names_that_are_refused(text: str) -> None:
    with pytest.raises(ExportError) as refusal:
        symbol_name(text)
    assert len(str(refusal.value)) < 300


@given(st.text(alphabet="\\{}_^'ab1%#$& \ntildeinpumahrsc*+-", max_size=40))
def test_whatever_is_accepted_can_do_nothing(text: str) -> None:
    try:
        name = symbol_name(text)
    except ExportError:
        return
    assert re.fullmatch(r"[A-Za-z0-9{}_^\\ *+-]+", name)
    assert not set(re.findall(r"\\([A-Za-z]+)", name)) & {"input", "def", "csname", "catcode"}
    assert symbol_name(name) == name


# --- numpy ----------------------------------------------------------------------------------------
@pytest.fixture(scope="session")
def module(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    path = tmp_path_factory.mktemp("export") / "theory.py"
    path.write_text(export.to_python(list(results.values())), encoding="utf-8")
    spec = importlib.util.spec_from_file_location("exported_theory", path)
    assert spec is not None and spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def test_what_numpy_lacks_is_left_out(module: ModuleType) -> None:
    assert not hasattr(module, "sigmoid_optimum_regime")
    text = export.to_python([results["sigmoid-optimum"]])
    assert "# Left out: sigmoid_optimum_regime: its values are words: antipodal, between" in text


def test_javascript_is_exported(cltheory: Any) -> None:
    ran = cltheory("export", "--javascript", "-", "ssem")
    assert "export function ssem_same_class(given) {" in ran.out
    at = ["--m", "3", "--n", "4", "--format", "javascript"]
    assert "export function alpha_min(given) {" in cltheory("derive", "supcl-threshold", *at).out


ALONE = """
import sys
class Only:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("sympy", "mpmath", "cltheory", "torch", "scipy"):
            raise ImportError(name)
sys.meta_path.insert(0, Only())
import theory
print(theory.supcl_threshold_alpha_min(10, 50, 0.1))
print(theory.supcl_optimum_x_star([10, 20], 50, 0.5, [[0.1], [0.2]]).shape)
try:
    import sympy
except ImportError:
    print("blocked")
"""


def test_the_module_needs_numpy_only(tmp_path: Path) -> None:
    (tmp_path / "theory.py").write_text(export.to_python(list(results.values())), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", ALONE], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    value, shape, blocked = done.stdout.split("\n")[:3]
    expected = results["supcl-threshold"].value("alpha_min", m=10, n=50, tau="0.1")
    assert float(value) == pytest.approx(float(expected), rel=1e-14)
    assert (shape, blocked) == ("(2, 2)", "blocked")


# --- files ----------------------------------------------------------------------------------------
def test_files_are_written_and_may_be_written_again(cltheory: Any, tmp_path: Path) -> None:
    args = ["--latex", str(tmp_path / "theory.tex"), "--python", str(tmp_path / "theory.py")]
    args += ["supcl-threshold"]
    for _ in range(2):
        assert cltheory("export", *args).code == 0
        names = ["theory.bib", "theory.py", "theory.tex"]
        assert sorted(p.name for p in tmp_path.iterdir()) == names
    assert "@inproceedings{lee2025ssem," in (tmp_path / "theory.bib").read_text()


@pytest.mark.parametrize("name", ["paper.tex", "paper.bib"])
def test_a_paper_is_not_overwritten(
    cltheory: Any, refused: Callable[..., str], tmp_path: Path, name: str
) -> None:
    (tmp_path / name).write_text("my work")
    tex = str(tmp_path / "paper.tex")
    assert "was not written by cltheory" in refused("export", "--latex", tex, "ssem")
    assert (tmp_path / name).read_text() == "my work"
    assert len(list(tmp_path.iterdir())) == 1
    assert cltheory("export", "--latex", tex, "--force", "ssem").code == 0


@pytest.mark.parametrize("kind", ["--python", "--javascript"])
def test_symbols_are_renamed_in_code_where_a_result_has_them(cltheory: Any, kind: str) -> None:
    words = ("export", kind, "-", "supcl-threshold", "ssem")
    out, plain = cltheory(*words, "--rename", "tau=heat").out, cltheory(*words).out
    assert not re.search(r"\btau\b", out.split("numbers.mjs")[0]) and "alpha_min_tau_0" in out
    assert re.sub(r"\bheat\b", "tau", out) == plain


def test_values_are_put_into_further_macros_and_into_theorems(cltheory: Callable[..., Any]) -> None:
    two = ("supcl-threshold", "supcl-optimum", "simclr")
    plain = cltheory("export", "--latex", "-", *two).out
    tex = cltheory("export", "--latex", "-", *two, "--m", "10", "--alpha=1/2").out
    more = [line for line in tex.split("\n") if line not in plain.split("\n")]
    assert all(re.match(r"(% |\\newcommand\{)\\cl\w+At\b", line) for line in more)
    assert r"\newcommand{\clSupclThresholdAlphaMinAt}[2]{\frac{10 \clArg{#1} - 1" in tex
    assert r"\clSupclThresholdTauMaxAt}[1]" in tex and "SimclrAt" not in tex
    assert r"% \clSupclOptimumXStarAt: it has no closed form at m = 10, alpha = 1/2" in tex
    nowhere = cltheory("export", "--latex", "-", *two, "--n", "2", "--alpha", "1/4").out
    assert r"% \clSupclThresholdTauMaxAt: no value at n = 2, alpha = 1/4: " in nowhere
    proofs = cltheory("export", "--proofs", "-", *two, "--m", "10").out
    assert proofs.count("In particular, for $m = 10$") == 2


@pytest.mark.parametrize(
    ("old", "new", "put"),
    [
        (r"\tau_{\max}", "T_0", r"T_{0, \max}"),
        (r"\tau_{\max}", r"\tilde{T}_{ab}", r"\tilde{T}_{ab, \max}"),
        (r"\tau_{\max}", "T^*", r"{T^*}_{\max}"),
        (r"\tau_{\max}", r"T_{\mathrm{b}}^{*}", r"T_{\mathrm{b}, \max}^{*}"),
        (r"\tau_{\max}", "T", r"T_{\max}"),
        (r"\lim_{\tau\to 0}\alpha", "T_0", r"\lim_{{T_0}\to 0}\alpha"),
    ],
)
def test_a_letter_with_an_index_gets_no_second_one(old: str, new: str, put: str) -> None:
    writer = Writer(results["supcl-threshold"], {"tau": new})
    assert writer.symbol_text(old) == put


# --- sources --------------------------------------------------------------------------------------
def test_the_sources_are_those_of_the_project() -> None:
    for key in PAPERS:
        assert SOURCES[key].title == ledger_of(key).title
    for result in results.values():
        # Of a paper of the project, or a theorem of its own about a loss whose authors it names.
        own = result.source.startswith("beyond the papers; the loss is that of ")
        assert own or any(key in result.source for key in SOURCES)
    citation = ROOT / "CITATION.cff"
    if citation.is_file():
        text = citation.read_text(encoding="utf-8")
        for source in SOURCES.values():
            part = text.partition(f'"{source.title}"')[2].partition("- type:")[0]
            assert f"year: {source.year}" in part
            assert tuple(re.findall(r"family-names: (.+)", part)) == tuple(
                family for family, _ in source.authors
            )


# --- TeX ------------------------------------------------------------------------------------------
needs_tex = pytest.mark.skipif(
    shutil.which("pdflatex") is None or shutil.which("bibtex") is None,
    reason="no pdflatex and bibtex (Debian: texlive-latex-base, texlive-latex-recommended)",
)
PREAMBLE = r"""\documentclass{article}
\usepackage{amsmath,amssymb,amsthm}
\input{theory}
"""


def tex(folder: Path, document: str, program: str = "pdflatex") -> tuple[int, str]:
    if program == "pdflatex":
        (folder / "paper.tex").write_text(document, encoding="utf-8")
        command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper"]
    else:
        command = [program, "paper"]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, stdin=subprocess.DEVNULL, timeout=120
    )
    return done.returncode, done.stdout.decode(errors="replace")


@pytest.fixture
def folder(cltheory: Any, tmp_path: Path) -> Path:
    assert cltheory("export", "--latex", str(tmp_path / "theory.tex"), *SOME).code == 0
    return tmp_path


@needs_tex
@pytest.mark.parametrize("ids", DOCUMENTS)
def test_a_document_that_uses_everything_compiles(
    cltheory: Any, folder: Path, ids: tuple[str, ...]
) -> None:
    assert cltheory("export", "--latex", str(folder / "theory.tex"), *ids).code == 0
    rows = []
    simple, compound = "mntpbwKNr", ["m+1", "50", r"{\tilde m}", "-t", "N^-", r"\tau", "", "5", "x"]
    for name, (arity, _) in definitions(*ids).items():
        if name.endswith(("Statement", "Evidence", "Version")):
            rows.append(name + "\n")
        elif not name.startswith(r"\clArg"):
            for given_ in (list(simple), compound):
                rows.append("$" + name + "".join(f"{{{a}}}" for a in given_[:arity]) + "$\n")
    document = "\n".join(
        # Twice: a file that several parts read does no harm.
        [PREAMBLE, r"\input{theory}\begin{document}\nocite{*}", *rows]
        + [r"\bibliographystyle{plain}\bibliography{theory}\end{document}"]
    )
    assert tex(folder, document)[0] == 0
    code, log = tex(folder, document, "bibtex")
    assert code == 0, log
    assert "Warning" not in log
    tex(folder, document)
    code, log = tex(folder, document)
    assert code == 0
    assert "undefined" not in log


@needs_tex
def test_a_broken_macro_does_not_compile(folder: Path) -> None:
    path = folder / "theory.tex"
    text = path.read_text(encoding="utf-8")
    broken = text.replace(r"\clArgFirst{#1}", r"\clArgh{#1}")
    assert broken != text
    path.write_text(broken, encoding="utf-8")
    document = PREAMBLE + r"\begin{document}$\clSupclThresholdAlphaMin{m}{n}{t}$\end{document}"
    assert tex(folder, document)[0] != 0


@needs_tex
def test_the_authors_own_theorems_are_used(folder: Path) -> None:
    document = PREAMBLE + (
        r"\newtheorem{theorem}{Satz}\begin{document}\clSsemStatement\typeout{<\thetheorem>}"
        r"\end{document}"
    )
    code, log = tex(folder, document)
    assert code == 0
    assert "<1>" in log


def test_proofs_of_several_results_go_into_one_file(cltheory: Any, tmp_path: Path) -> None:
    path = tmp_path / "appendix.tex"
    args = ("export", "--proofs", str(path), "ssem", "infonce-optimum")
    assert cltheory(*args).code == 0
    text = path.read_text(encoding="utf-8")
    assert text.count(r"\begin{theorem}") == 2
    assert text.count(r"\begin{lemma}[Averaging]") == 1
    assert cltheory(*args, "--standalone").code == 0  # written by cltheory, so overwritten
    assert path.read_text(encoding="utf-8").endswith("\\end{document}\n")


def test_macros_with_other_names_are_read_back(
    cltheory: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names = [part for new in (r"tau=T_{\max}", r"m=\tilde{m}") for part in ("--rename", new)]
    assert cltheory("export", "--latex", "theory.tex", "supcl-threshold", *names).code == 0
    paper = (
        "\\input{theory}\n% cltheory: supcl-threshold.alpha_min\n$$\\clSupclThresholdAlphaMinEq$$\n"
    )
    Path("paper.tex").write_text(paper, encoding="utf-8")
    assert "1 equal (1 exact)" in cltheory("check", "paper.tex").out
