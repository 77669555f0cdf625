"""Problems from TOML files: what they say, and that everything else is refused in one line."""

from __future__ import annotations

import math
import os
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from brute_force import over_shares
from cltheory.derive.decide.ball import NotEnclosed
from cltheory.derive.decide.domain import DomainError
from cltheory.derive.losses.clip import b, t, w
from cltheory.derive.losses.pairwise import c
from cltheory.derive.losses.softmax import SoftmaxLoss, tau
from cltheory.derive.losses.supcl import alpha
from cltheory.derive.optimum import face, solve
from cltheory.derive.optimum.reduce import ReducedLoss, inner_products
from cltheory.derive.optimum.threshold import threshold
from cltheory.derive.optimum.vertex import vertex
from cltheory.derive.problems.catalogue import CATALOGUE, named
from cltheory.derive.problems.file import MAX_BYTES, read_text
from cltheory.derive.proof.derivation import Derivation
from cltheory.derive.results import results
from cltheory.derive.results.phases import OfLoss
from cltheory.derive.structures.hierarchy import m, n, p
from cltheory.derive.structures.towers import K, N
from cltheory.derive.write.report import report
from sympy import Rational, S, Symbol, lambdify, latex

FILES = Path(__file__).resolve().parents[2] / "docs" / "problems"

STRUCTURE = """
[structure]
levels = [
  { name = "views", size = "p", relation = "same_instance" },
  { name = "instances", size = "n", relation = "same_class" },
  { name = "classes", size = "m", relation = "cross_class" },
]
"""
TERM = """
[[terms]]
positives = ["same_class"]
denominator = "others"
"""
GOOD = 'temperature = "tau"\n' + STRUCTURE + TERM
TOWERS = '[structure]\ntowers = 2\nitems = "N"\n'
PAIR = '[[terms]]\nrelation = "positive"\nfunction = "-x"\n'


# --- what the files say ---------------------------------------------------------------------------
def test_a_file_can_say_what_the_catalogue_says() -> None:
    ours, theirs = named(str(FILES / "supcl-exclusive.toml")), CATALOGUE["supcl-exclusive"]
    assert isinstance(ours.loss, SoftmaxLoss) and isinstance(theirs.loss, SoftmaxLoss)
    assert (ours.loss.terms, ours.loss.temperature) == (theirs.loss.terms, theirs.loss.temperature)
    g = inner_products(ours.structure)
    one, other = (ReducedLoss(q.loss, q.structure).value(g) for q in (ours, theirs))
    assert one == other
    assert set(ours.domain.ranges) == {m, n, p, alpha, tau}
    assert ours.domain.symbols()[:3] == (m, n, p)


def test_weights_of_positives_and_new_parameters() -> None:
    problem = named(str(FILES / "soft-targets.toml"))
    s = next(k for k in problem.domain.ranges if k.name == "s")
    assert s.is_positive
    (term,) = problem.loss.terms
    assert term.weights == (s, S.One)
    found = vertex(problem, "classes", Derivation())
    assert set(found.open) == {"views", "instances"}
    # At s = 1 it is SupCon, which collapses at every temperature.
    at = {s: S.One, m: S(3), n: S(2), p: S(2), tau: Rational(1, 2)}
    assert all(c.expression.xreplace(at).evalf() > 0 for c in found.open.values())


def test_the_threshold_of_towers_follows_from_a_file() -> None:
    """Three towers, as the file has them, by the general conditions against the theorem."""
    problem = named(str(FILES / "towers.toml"))
    proof, result = Derivation(), results["towers-threshold"]
    many = problem.domain.with_range(N, replace(problem.domain.ranges[N], low=S(4)), 4)
    found = vertex(problem, "shared_contrasts", proof)
    assert set(found.open) == {"differing_means"}
    for symbol, name in ((b, "b_simplex"), (w, "w_simplex")):
        border = threshold(found.open["differing_means"].criterion, symbol, many, proof)
        expected = result.quantity(name).expression.xreplace({K: S(3)})
        at = {N: S(5), p: S(2), t: Rational(3, 2), b: Rational(1, 3), w: S.Half}
        gap = (border.value - expected).xreplace(at)
        # One is solved from the other's condition; 30 digits of the same number.
        assert border.bound == result.quantity(name).bound
        assert abs(gap.evalf(30)) < 1e-25


def test_numbers_are_exact_and_sizes_may_be_numbers() -> None:
    text = GOOD.replace('size = "m"', "size = 10").replace('"tau"', "0.1")
    problem = read_text(text, "mine")
    assert problem.loss.temperature == Rational(1, 10)
    assert problem.structure.size == 10 * n * p and problem.loss.name == "mine"
    assert set(problem.domain.ranges) == {n, p}


def test_ranges_may_refer_to_other_parameters() -> None:
    text = GOOD.replace('positives = ["same_class"]', 'positives = ["same_class"]\nweight = "g*h"')
    text += (
        '[parameters]\nh = { above = 0, to = "1 - g" }\ng = { from = 0, to = "1/2", at = 0.25 }\n'
    )
    problem = read_text(text)
    g, h = (next(s for s in problem.domain.ranges if s.name == k) for k in "gh")
    assert problem.domain.witness[g] == Rational(1, 4)
    assert problem.domain.contains({g: S.Half, h: S.Half})
    assert not problem.domain.contains({g: S.Half, h: Rational(3, 4)})
    assert g.is_nonnegative and h.is_positive


def test_a_denominator_with_the_positive_alone() -> None:
    text = GOOD.replace('"others"', '["cross_class"]\nown_positive = true')
    (term,) = read_text(text).loss.terms
    assert term.own_positive and term.denominator == ("cross_class",)


# --- what is refused ------------------------------------------------------------------------------
REFUSED = {
    "": "the key structure is missing",
    "x": "it is not TOML",
    "[" * 5000: "too deeply nested|not TOML",
    "a = " + "[" * 20000 + "]" * 20000: "too deeply nested|not TOML",
    f"temperature = {'9' * 5000}": "too large",
    "temperature = 1\ntemperature = 2": "it is not TOML",
    GOOD + "extra = 1": "terms.1.: unknown key extra",
    "colour = 1\n" + GOOD: "unknown key colour; there are name, title",
    '"a\\nb" = 1\n' + GOOD: r"unknown key a\\nb",
    STRUCTURE + TERM: "temperature: softmax terms need one",
    GOOD.replace('"tau"', '"oo"'): "temperature: it must be finite",
    GOOD.replace('"tau"', str(10**40)): "temperature: the number is too large",
    GOOD.replace('"tau"', '"__import__(1)"'): "temperature: .* is not an expression",
    GOOD.replace('"tau"', '"tau*K"'): "parameters: K is not declared; declare it",
    GOOD.replace('["same_class"]', "[]"): "terms.1..positives: it is empty",
    GOOD.replace('["same_class"]', '"same_class"'): "terms.1..positives: it must be a list",
    GOOD.replace('["same_class"]', '["aunt"]'): "aunt is not a relation; there are self, same_inst",
    GOOD.replace('"others"', '"others"\nown_positive = 1'): "own_positive: it must be true or",
    GOOD.replace('"others"', '"others"\nown_positive = true'): "same_class is in the denominator",
    GOOD.replace('"others"', '"others"\ntargets = { aunt = 1 }'): "unknown key aunt",
    GOOD.replace('"others"', '"others"\nweight = "1/0"'): "weight: .*divides by zero",
    GOOD.replace('"others"', '"others"\nrelation = "self"'): "temperature: functions have none",
    GOOD + PAIR: "terms: functions and softmax terms do not mix",
    'temperature = "tau"\n' + TOWERS + PAIR: "temperature: functions have none",
    TOWERS + PAIR.replace("-x", "-y"): r"y is not declared; declare it under \[parameters\], as y",
    TOWERS + PAIR.replace("-x", "Max(0, -x)"): r"Max is not known.*, max, min",
    TOWERS + PAIR.replace('"N"', '"N"'): None,
    TOWERS.replace('"N"', "1") + PAIR: "items: a size is a symbol or an integer from 2",
    TOWERS.replace('"N"', '"tau"') + PAIR: "items: tau is not an integer",
    TOWERS + "levels = []\n" + PAIR: "either levels or towers",
    TOWERS.replace("towers = 2\n", "") + PAIR: "structure: the key towers is missing",
    GOOD.replace('relation = "same_class"', 'relation = "self"'): "the name self is taken",
    "structure = 1\n" + 'temperature = "tau"\n' + TERM: "structure: it must be a table",
    "terms = [1]\n" + 'temperature = "tau"\n' + STRUCTURE: r"terms\[1\]: it must be a table",
    GOOD + TERM * 40: "terms: there must be 1 to",
    'title = "a\\nb"\n' + GOOD: "title: it must be one line",
    GOOD + "[parameters]\ntau = { from = 0 }\n": "tau is always positive: it cannot be >= 0",
    GOOD + "[parameters]\ntau = { above = 2, from = 1 }\n": "tau: give one of from and above",
    GOOD + "[parameters]\ntau = { above = 0, at = 0 }\n": "parameters: tau must be > 0, not 0",
    GOOD + '[parameters]\ntau = { below = "oo" }\n': "tau.below: it must be finite",
    GOOD + '[parameters]\ntau = { above = "s" }\ns = { above = 1 }\n': "refers to s, which is not",
    GOOD + '[parameters]\n"a b" = { above = 1 }\n': "this cannot be the name of a parameter",
    GOOD + "[parameters]\nn = { from = 0, integer = true }\n": "n: it is a size: give from >= 1",
    GOOD + "[parameters]\nn = { from = 2, to = 5, integer = true }\n": "an integer 'from' only",
}
REFUSED |= {
    GOOD + f"[parameters]\nk = {{ above = 0, latex = {tex} }}\n": says
    for tex, says in (("'\\input{x'", "k.latex: it must be a letter in LaTeX"), ("1", "be text"))
} | {GOOD + "[parameters]\ntau = { latex = 'T' }\n": "tau.latex: tau has a LaTeX of its own"}
REFUSED |= {
    GOOD + "[parameters]\nu = { above = 0 }\n": "u: this cannot be the name of a parameter",
    GOOD.replace('"tau"', '"w"'): "w runs over denominators",
}
CYCLE = GOOD.replace('"tau"', '"g*h"') + (
    '[parameters]\ng = { above = 0, below = "h" }\nh = { above = 0, below = "g" }\n'
)


@pytest.mark.parametrize("text", [*REFUSED, CYCLE], ids=range(len(REFUSED) + 1))
def test_everything_else_is_refused_in_one_line(text: str) -> None:
    says = REFUSED.get(text, "in a circle")
    if says is None:
        read_text(text)
        return
    with pytest.raises(DomainError, match=says) as refusal:
        read_text(text)
    message = str(refusal.value)
    assert message.isprintable() and len(message) < 400


def test_a_refusal_names_the_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(GOOD + "extra = 1")
    with pytest.raises(DomainError, match=r"mine.toml: terms\[1\]: unknown key extra"):
        named(str(file))
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(DomainError, match=r"mine.toml: it is not UTF-8"):
        named(str(file))
    file.write_text("#" * (MAX_BYTES + 1))
    with pytest.raises(DomainError, match=r"mine.toml: it is longer than"):
        named(str(file))
    with pytest.raises(DomainError, match=r"none.toml: it cannot be read: No such file"):
        named(str(tmp_path / "none.toml"))
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(DomainError, match=r"folder.toml: it (is not a file|cannot be read)"):
        named(str(tmp_path / "folder.toml"))
    os.mkfifo(tmp_path / "pipe.toml")
    with pytest.raises(DomainError, match=r"pipe.toml: it is not a file"):
        named(str(tmp_path / "pipe.toml"))
    with pytest.raises(DomainError, match="no such name is possible"):
        named("a\0b.toml")
    with pytest.raises(DomainError) as refusal:
        named("/" + "a\n" * 500 + ".toml")
    assert str(refusal.value).isprintable() and len(str(refusal.value)) < 200


def test_positives_that_are_none_are_refused_before_anything_is_proved() -> None:
    """Own views only, and one view allowed: the declaration does not fit the domain."""
    text = GOOD.replace('["same_class"]', '["same_instance"]')
    text += "[parameters]\np = { from = 1, integer = true }\n"
    with pytest.raises(DomainError, match="pairs in the positives same_instance must be > 0"):
        vertex(read_text(text), "classes", Derivation())
    # Sizes are from 2 on unless said otherwise.
    vertex(read_text(text.partition("[parameters]")[0]), "classes", Derivation())


def test_symbols_are_the_shared_ones() -> None:
    text = GOOD.replace('"m"', '"classes_"').replace('"tau"', '"tau*k"')
    problem = read_text(text + "[parameters]\nk = { above = 1 }\n")
    names = {s.name: s for s in problem.domain.ranges}
    assert names["tau"] is tau and names["n"] is n
    assert names["classes_"] == Symbol("classes_", integer=True, positive=True)


def test_a_letter_may_have_latex_of_its_own() -> None:
    text = GOOD.replace('"tau"', '"tau*lam"')
    text += "[parameters]\nlam = { above = 0, latex = '\\lambda_0' }\ntau = { latex = '\\tau' }\n"
    (found, again) = (read_text(text).loss.temperature for _ in range(2))
    assert latex(found) == r"\lambda_{0} \tau"  # in the one spelling that a renamed symbol has
    marked = read_text(text.replace(r"\lambda_0", r"\tilde\lambda_{\max}")).loss.temperature
    assert latex(marked) == r"\tilde{\lambda}_{\max} \tau"
    assert found == again == pickle.loads(pickle.dumps(found))
    assert found != tau * Symbol("lam", positive=True)  # it would be written otherwise


def test_weights_of_a_denominator() -> None:
    """They count like pairs: 3 times as heavy or 3 times as many, the loss is the same."""
    (first, _) = named(str(FILES / "hard-negatives.toml")).loss.terms
    h = first.in_denominator("cross_class")
    assert (str(h), first.in_denominator("same_class")) == ("h", S.One)
    three = GOOD.replace('"others"', '"others"\ndenominator_weights = { cross_class = 3 }')
    heavy, plain = (ReducedLoss(q.loss, q.scheme) for q in map(read_text, (three, GOOD)))
    g = {r.name: Symbol(r.name) for r in plain.scheme.relations}
    many = plain.value(g).xreplace({m: 3 * m - 2})  # (m - 1) of them
    at = {m: 4, n: 3, p: 2, tau: 1, **{g[r]: Rational(k, 5) for k, r in enumerate(g)}}
    assert abs((heavy.value(g) - many).subs(at).n(30)) < 1e-25
    assert abs((heavy.value(g) - plain.value(g)).subs(at).n(30)) > 0.1
    for weight in ("0", "-1", '"1 - tau"'):
        with pytest.raises(DomainError, match="in the denominator must be > 0"):
            vertex(read_text(three.replace("= 3", f"= {weight}")), "classes", Derivation())
    with pytest.raises(DomainError, match="denominator_weights: unknown key aunt"):
        read_text(three.replace("cross_class = 3", "aunt = 3"))


def test_the_page_shows_the_files() -> None:
    page = (FILES.parent / "problem-files.md").read_text(encoding="utf-8")
    shown = [part.partition("```")[0] for part in page.split("```toml\n")[1:]]
    files = ("supcl-exclusive", "soft-targets", "towers")
    assert shown == [(FILES / f"{k}.toml").read_text(encoding="utf-8") for k in files]


def test_superclasses_are_those_of_the_result() -> None:
    problem, result = named(str(FILES / "superclasses.toml")), results["superclass-threshold"]
    assert result.problem is not None and isinstance(problem.loss, SoftmaxLoss)
    assert set(problem.loss.terms) == set(result.problem.loss.terms)
    assert set(problem.domain.ranges) == set(result.problem.domain.ranges)
    names = [(e.name, e.dimension) for e in problem.structure.eigenspaces]
    assert names == [(e.name, e.dimension) for e in result.problem.structure.eigenspaces]


# --- functions with kinks -------------------------------------------------------------------------
HINGES = """
[structure]
towers = 2
items = ITEMS
[[terms]]
relation = "positive"
function = "max(0, 1 - x)"
[[terms]]
relation = "negative"
function = "relu(x)"
"""


def test_kinked_functions_of_a_file_are_those_of_the_name() -> None:
    """As two functions and as a file: in N, in items of another name, and at a number of them."""
    theorem = results["pairwise-threshold"].with_inputs(lp="max(0, 1 - x)", ln="relu(x)")
    by_n = OfLoss(read_text(HINGES.replace("ITEMS", '"N"')))
    by_k = OfLoss(read_text(HINGES.replace("ITEMS", '"k"')))
    for items in (2, 3, 5):
        by_number = OfLoss(read_text(HINGES.replace("ITEMS", str(items))))
        for name in ("positive", "negative", "loss"):
            wanted = theorem.value(name, N=items)
            assert by_n.value(name, N=items) == by_k.value(name, k=items) == wanted
            assert by_number.value(name) == wanted


@pytest.mark.parametrize("items", ["2", "3", '"N"'])
def test_negatives_that_are_not_pushed_leave_more_than_one_optimum(items: str) -> None:
    """Then all vectors may be equal, too; that the loss bends along the segment is not enough."""
    text = HINGES.replace("max(0, 1 - x)", "exp(-x)").replace("relu(x)", "max(0, x - 1)")
    result = OfLoss(read_text(text.replace("ITEMS", items)))
    at = {} if items.isdigit() else {"N": 3}
    meaning = result.at_point(result.point(**at)).quantities["structure"].meaning
    assert "whether there are others is not known" in meaning


def test_kinks_elsewhere_are_refused_in_a_line() -> None:
    """On three towers, on pairs within a tower, and with the wrong shape."""
    cases = (
        (HINGES.replace("towers = 2", "towers = 3"), "answered on two towers"),
        (HINGES.replace('"negative"', '"within_modality"'), "within_modality"),
        (HINGES.replace("relu(x)", "relu(-x)"), "convex increasing"),
    )
    for text, says in cases:
        with pytest.raises(DomainError, match=says) as refused:
            OfLoss(read_text(text.replace("ITEMS", '"N"'))).quantities  # noqa: B018
        assert "\n" not in str(refused.value)


ROOTS = """
[structure]
towers = 3
items = 3
[[terms]]
relation = "positive"
function = "POSITIVE"
[[terms]]
relation = "negative"
function = "NEGATIVE"
[[terms]]
relation = "within_modality"
function = "(x + 1/3)^2"
"""


@pytest.mark.parametrize(
    "positive, negative",
    [
        ("-sqrt(2 + x)", "sqrt(1 + x^2)"),
        ("exp(-x)", "2*sqrt(1/10 + (x - 1/2)^2)"),
        ("1/sqrt(2 + x)", "-(3 - x)^(1/3)"),
    ],
)
def test_roots_of_what_is_positive_are_smooth_on_any_structure(
    positive: str, negative: str
) -> None:
    """Against a minimiser over the shares that knows nothing of faces."""
    result = OfLoss(read_text(ROOTS.replace("POSITIVE", positive).replace("NEGATIVE", negative)))
    scheme, terms = result.problem.structure, result.problem.loss.terms
    counts = {r.name: r.count for r in scheme.relations}
    functions = [
        (
            [
                float(scheme.table[e.name][k.relation] / counts[k.relation])
                for e in scheme.eigenspaces
            ],
            lambdify(c, k.function),
            float(k.weight * counts[k.relation]),
        )
        for k in terms
    ]

    def loss(shares):
        return sum(w * f(float(np.dot(row, shares))) for row, f, w in functions)

    found = over_shares(loss, np.ones(len(scheme.eigenspaces)))
    assert float(result.value("loss")) == pytest.approx(found.fun, rel=1e-8)


@pytest.mark.parametrize("function", ["sqrt(1 + x)", "sqrt(x^2)", "(x^2 - 1/4)^(3/2)"])
def test_a_root_that_vanishes_on_the_interval_is_refused(function: str) -> None:
    text = ROOTS.replace("POSITIVE", "-x").replace("NEGATIVE", function)
    with pytest.raises(DomainError, match="kink or a root"):
        OfLoss(read_text(text)).quantities  # noqa: B018


#: Five levels at a cold temperature: shares as small as exp(-1/tau), and Newton's steps too short.
COLD = """
temperature = "TAU"
[structure]
levels = [
  { name = "views", size = 2, relation = "same_instance" },
  { name = "instances", size = 3, relation = "same_class" },
  { name = "classes", size = 2, relation = "same_group" },
  { name = "groups", size = 5, relation = "same_half" },
  { name = "halves", size = 3, relation = "across" },
]
[[terms]]
weight = "2/3"
positives = ["same_class"]
denominator = "others"
[[terms]]
weight = "1/3"
positives = ["same_instance"]
denominator = "others"
"""


@pytest.mark.parametrize("tau_", [pytest.param("1/200", marks=pytest.mark.slow), "1/1000"])
def test_five_levels_at_a_cold_temperature(tau_: str) -> None:
    """Of an instance one other view, of its class four: log(1 + 4 exp(-d)) + 2 d/3 is least."""
    result = OfLoss(read_text(COLD.replace("TAU", tau_)))
    apart = (1 - float(result.value("same_class"))) / float(Rational(tau_))
    assert float(result.value("same_instance")) == 1
    assert apart == pytest.approx(math.log(2), rel=1e-9)
    assert float(result.value("loss")) == pytest.approx(math.log(3) + 2 / 3 * math.log(2))


def test_an_inner_product_without_digits_silences_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    ball = solve.Numbers.ball

    def short(self, kind: str, name: str, bits: int):
        if (kind, name) == ("inner", "negative"):
            raise NotEnclosed("it is smaller than 1e-9 in size")
        return ball(self, kind, name, bits)

    monkeypatch.setattr(solve.Numbers, "ball", short)
    face.faces.cache_clear()
    text = ROOTS.replace("POSITIVE", "exp(-x)").replace("NEGATIVE", "exp(x) + exp(-2*x)")
    try:
        result = OfLoss(read_text(text))
        found = report(result, {}, typeset=False, steps=False, claims=False)["quantities"]
    finally:
        face.faces.cache_clear()
    assert found["negative"]["value"] is None and "1e-9" in found["negative"]["refused"]
    assert all(found[k]["value"] is not None for k in ("loss", "positive", "within_modality"))
