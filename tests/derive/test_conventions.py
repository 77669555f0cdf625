"""Results in the terms of libraries, and the dimension that a result needs."""

from __future__ import annotations

from dataclasses import replace

import mpmath
import pytest
from cltheory.derive.decide.domain import DomainError
from cltheory.derive.losses.clip import INFONCE, SIGMOID, b, t
from cltheory.derive.losses.conventions import CONVENTIONS, Reading
from cltheory.derive.losses.setting import Setting
from cltheory.derive.losses.supcl import SUPCL
from cltheory.derive.losses.written import Tex, write
from cltheory.derive.optimum.on_segment import LossOnSegment
from cltheory.derive.optimum.segment import Segment
from cltheory.derive.optimum.vertex import Pure
from cltheory.derive.proof.derivation import Derivation
from cltheory.derive.results import results
from cltheory.derive.structures.hierarchy import hierarchy, m, n
from cltheory.derive.structures.towers import K, N, towers
from cltheory.derive.theorem.about import head
from cltheory.derive.theorem.bounded import with_bound
from cltheory.derive.theorem.dimensions import least_dimension
from cltheory.derive.vectors.anchor import Anchor
from sympy import Rational, S, diff, exp, log, simplify, symbols, sympify

IDS = list(results)
WITH_LOSS = [id for id in IDS if results[id].declared is not None]


# --- what stands before a result ---------------------------------------------------------------
# --- results on anchors, logits and vectors ------------------------------------------------------


SETTINGS = [id for id in IDS if type(results[id].alone) is Setting]


@pytest.mark.parametrize("id", SETTINGS)
def test_every_parameter_has_its_meaning(id: str) -> None:
    r = results[id]
    shown = dict(head(r).parameters)
    missing = {s.name for s in r.parameters} - set(shown)
    assert not missing - {"tau"}  # which the loss says
    assert all(shown.values())


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("tau", [Rational(1, 2), Rational(2)])
def test_the_loss_at_an_anchor_has_the_gradient_that_is_said(count: int, tau: Rational) -> None:
    z = symbols("z1 z2", real=True)
    positive, *negatives = [(Rational(3, 5), Rational(4, 5)), (0, 1), (1, 0), (0, -1)][: count + 1]
    similar = [exp((z[0] * v[0] + z[1] * v[1]) / tau) for v in (positive, *negatives)]
    text = head(results["gradient-identity"]).formula.partition("L = ")[2]
    read = text.replace("exp(<z, z+>/tau)", "a").replace("sum_j exp(<z, z_j>/tau)", "b")
    assert read == "-log(a / (a + b))"
    loss = -log(similar[0] / sum(similar))
    at = dict(zip(z, (Rational(5, 13), Rational(12, 13)), strict=True))
    slope = [diff(loss, x).subs(at) for x in z]
    anchor = Anchor(list(at.values()), positive, negatives, tau)
    assert [float(a - b) for a, b in zip(slope, anchor.gradient, strict=True)] == pytest.approx(
        [0, 0], abs=1e-14
    )


@pytest.mark.parametrize("id", WITH_LOSS)
def test_the_head_is_the_declared_loss(id: str) -> None:
    r = results[id]
    about = head(r)
    assert r.structure is not None and r.declared is not None
    structure = r.segment().scheme if r.segment is not None else r.structure
    written = write(r.declared, structure if r.draw is None else r.draw.drawn)
    assert about.formula == written.formula
    # After the notes of the loss come letters that are no parameters, if there are any.
    assert about.notes[: len(written.notes)] == written.notes
    rest = about.notes[len(written.notes) :]
    if r.draw is not None:  # or what batches there are
        assert rest[0].startswith("the mean is over all batches of ")
        rest = rest[len(r.draw.says) :]
    assert all(" is the number of " in note for note in rest)
    assert about.formula.startswith("L = ")
    assert about.dimension.startswith("d >= ")


@pytest.mark.parametrize("loss", [SIGMOID, INFONCE, SUPCL], ids=lambda x: x.name)
def test_the_two_ways_of_writing_change_together(loss: object) -> None:
    scheme = hierarchy() if loss is SUPCL else towers()
    other = replace(loss, terms=loss.terms[:1])
    if loss is INFONCE:
        other = replace(loss, temperature=2 * t)
    for style in (None, Tex()):
        assert write(other, scheme, style).formula != write(loss, scheme, style).formula


# --- the dimension ---------------------------------------------------------------------------
@pytest.mark.parametrize(
    "id, dimension",
    [
        ("supcl-optimum", m * n - 1),
        ("supcl-threshold", m * n - 1),
        ("sup-cnce-optimum", m * n - 1),
        ("cnce-optimum", m * (n - 1)),
        ("ssem", m * n - 1),
        ("ccem", N),
        ("sigmoid-optimum", N),
        ("sigmoid-threshold", N),
        ("pairwise-threshold", N),
        ("infonce-optimum", N - 1),
        ("towers-threshold", N + K - 2),
    ],
)
def test_a_dimension_that_is_enough(id: str, dimension: object) -> None:
    assert simplify(least_dimension(results[id]) - dimension) == 0


@pytest.mark.parametrize("id", ["ssem", "ccem"])
def test_it_is_the_rank_that_the_structure_has(id: str) -> None:
    rank = results[id].quantity("min_dimension").expression
    inside = rank.args[-1][0]
    assert simplify(least_dimension(results[id]) - inside) == 0


def test_values_are_put_into_the_dimension() -> None:
    r = results["supcl-threshold"]
    assert head(r, point=r.point(m=10, n=50)).dimension == "d >= m = 10"
    assert head(r, point=r.point(m=10, n="oo")).dimension == "d >= m = 10"


@pytest.mark.parametrize("id", WITH_LOSS)
def test_the_declared_segment_is_the_derived_one(id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[Segment] = []
    original = LossOnSegment.__init__

    def spy(self: LossOnSegment, *args: object, **kwargs: object) -> None:
        original(self, *args, **kwargs)  # type: ignore[arg-type]
        found.append(self.segment)

    monkeypatch.setattr(LossOnSegment, "__init__", spy)
    r = results[id]
    proof = Derivation()
    r._build(proof)
    if not found and r.segment is not None:  # it starts at the pure structure that is optimal
        (pure,) = (s.says for s in proof if isinstance(s.says, Pure))
        assert pure.name == r.segment().high
        return
    assert bool(found) is (r.segment is not None)
    for segment in found:
        declared = r.segment()
        assert (segment.low, segment.high) == (declared.low, declared.high)
        assert segment.inner == declared.inner


# --- the terms of others ---------------------------------------------------------------------
@pytest.mark.parametrize("name", ["siglip", "open-clip"])
def test_the_initialisation_of_siglip_is_not_antipodal(name: str) -> None:
    given = {"N": 32768, "t": 10, "b": -10}
    ours, theirs = results["sigmoid-optimum"], results["sigmoid-optimum"].in_convention(name)
    # Typed as it stands the bias has the wrong sign, and the answer is another one.
    assert str(ours.at("regime", ours.point(**given))) == "antipodal"
    assert ours.value("loss", **given) == pytest.approx(32768 * mpmath.log(2))
    assert str(theirs.at("regime", theirs.point(**given))) == "between"
    assert theirs.value("loss", **given) == ours.value("loss", N=32768, t=10, b=10)
    assert theirs.value("positive", **given) > 0.95


@pytest.mark.parametrize("name", ["b_simplex", "b_antipodal", "b_simplex_min"])
def test_thresholds_of_the_bias_turn_round(name: str) -> None:
    ours, theirs = (
        results["sigmoid-threshold"],
        results["sigmoid-threshold"].in_convention("siglip"),
    )
    given = {"N": 8, "t": 10}
    given = given if name != "b_simplex_min" else {"N": 8}
    # The last of 15 digits may be rounded another way.
    assert theirs.value(name, **given) == pytest.approx(-ours.value(name, **given), rel=1e-14)
    before, after = ours.quantity(name), theirs.quantity(name)
    assert before.bound is not None and after.bound is not None
    turned = {">": "<", ">=": "<=", "<=": ">="}[before.bound[1]]
    assert after.bound == (before.bound[0], turned)
    assert f"b {turned} {name}" in after.meaning


@pytest.mark.parametrize("margin", ["1/100", "-1/100"])
def test_a_threshold_separates_in_their_terms(margin: str) -> None:
    thresholds = results["sigmoid-threshold"].in_convention("siglip")
    optimum = results["sigmoid-optimum"].in_convention("siglip")
    edge = thresholds.value("b_simplex", N=8, t=10)
    parameter, sign = thresholds.quantity("b_simplex").bound
    assert (parameter, sign) == (b, "<=")
    bias = str(edge + mpmath.mpf(mpmath.mpmathify(margin)))
    regime = str(optimum.at("regime", optimum.point(N=8, t=10, b=bias)))
    assert (regime == "simplex") == (margin[0] == "-")


def test_conditions_on_the_bias_are_theirs() -> None:
    ours, theirs = (
        results["sigmoid-threshold"],
        results["sigmoid-threshold"].in_convention("siglip"),
    )
    given = {"N": 8, "b": -3}
    assert theirs.value("t_simplex_max", **given) == ours.value("t_simplex_max", N=8, b=3)
    with pytest.raises(DomainError, match="at no temperature at this bias"):
        theirs.value("t_simplex_max", N=8, b=3)
    assert "at -b = t" in theirs.quantity("t_simplex").meaning
    assert "at a fixed b < b_simplex_min" in theirs.quantity("t_simplex_max").meaning


@pytest.mark.parametrize("name", ["clip", "open-clip"])
def test_clip_averages_and_multiplies(name: str) -> None:
    ours, theirs = results["infonce-optimum"], results["infonce-optimum"].in_convention(name)
    for scale in ("1", "100", "1/3"):
        given = mpmath.mpf(1) / mpmath.mpf(mpmath.mpmathify(scale))
        at = ours.value("loss", N=8, t=1 / S(scale)) / 2
        assert theirs.value("loss", N=8, t=scale) == pytest.approx(float(at), rel=1e-13)
        hot = mpmath.log1p(7 * mpmath.exp(-mpmath.mpf(8) / 7 / given))
        assert theirs.value("loss", N=8, t=scale) == pytest.approx(float(hot), rel=1e-12)
    assert theirs["positive"] == 1
    assert "the mean of two directions" in " ".join(head(theirs).notes)


def test_what_is_handed_back_is_a_result_like_any_other() -> None:
    theirs = results["sigmoid-optimum"].in_convention("siglip")
    assert theirs.convention == "siglip"
    assert theirs.function("positive")(N=5, t=2.0, b=-1.0) == pytest.approx(
        float(theirs.value("positive", N=5, t=2, b=-1)), rel=1e-12
    )
    assert list(theirs.derivation) == list(results["sigmoid-optimum"].derivation)
    assert "exp(-b - c_ii*t)" in head(theirs).formula
    bundle = theirs._repr_mimebundle_()
    assert "Convention: siglip, SigLipLoss" in bundle["text/markdown"]


def test_a_users_loss_that_is_theirs_is_recognised() -> None:
    given = results["pairwise-threshold"].with_inputs(
        lp="softplus(-t*x + b)", ln="softplus(t*x - b)"
    )
    theirs = given.in_convention("siglip")
    again = theirs.with_inputs(lp="softplus(-t*x + b)", ln="softplus(t*x - b)")
    assert again.convention == "siglip"
    ours = given.value("positive", N=5, t=2, b=1)
    assert theirs.value("positive", N=5, t=2, b=-1) == ours
    with pytest.raises(DomainError, match="another loss"):
        results["pairwise-threshold"].with_inputs(lp="exp(-x)", ln="exp(x)").in_convention("siglip")


def test_what_is_given_in_their_terms_is_put_in_first() -> None:
    ours = results["phases"].with_inputs(loss="sigmoid")
    theirs = ours.in_convention("siglip")
    assert theirs.title.endswith(": SigLipLoss, in the terms of siglip")
    given = {"N": 8, "t": 10}
    borders = [r.with_inputs(at=given).quantities for r in (ours, theirs)]
    # No border is in N or t, which have values.
    assert list(borders[0]) == list(borders[1])
    assert {q.parameter.name for q in borders[1].values() if q.parameter is not None} == {"b"}
    assert borders[0]["shared_contrasts_for_b"].expression.inf == (
        -borders[1]["shared_contrasts_for_b"].expression.sup
    )
    assert theirs.value("loss", b=-10, **given) == ours.value("loss", b=10, **given)
    assert theirs.value("structure", b=-10, **given) == "shared_contrasts"
    assert theirs.value("structure", b=10, **given) == "differing_means"
    with pytest.raises(DomainError, match="structure is found for numerical values: give t, b"):
        theirs.value("structure", N=8)
    bounded = with_bound(ours).in_convention("siglip").with_inputs(at={**given, "b": -10, "d": 4})
    assert bounded.value("loss_at_least", d=4) == ours.value("loss", b=10, **given)


@pytest.mark.parametrize(
    "id, name, says",
    [
        ("supcl-threshold", "supcontrast", r"D\(u\): all vectors, the anchor excluded"),
        ("supcl-optimum", "simclr", r"P\(u\): the other views of its instance \(p"),
        ("supcl-optimum", "siglip", "another loss than supcl-optimum"),
        ("sigmoid-optimum", "clip", "conventions for it: siglip, open-clip"),
        ("ssem", "siglip", "about no loss"),
        ("sigmoid-optimum", "sigclip", "there are siglip, clip, open-clip, supcontrast, simclr"),
    ],
)
def test_a_different_loss_is_refused_in_one_line(id: str, name: str, says: str) -> None:
    with pytest.raises(DomainError, match=says) as refusal:
        results[id].in_convention(name)
    assert "\n" not in str(refusal.value)


def test_a_convention_is_compared_not_asserted() -> None:
    reading = CONVENTIONS["siglip"].reading(SIGMOID)
    assert reading is not None
    for ours in ({}, {t: 1 / t, b: -b}):
        assert not replace(reading, ours=ours).expresses(SIGMOID)
    attract, repel = SIGMOID.terms
    louder = replace(SIGMOID, terms=(attract, replace(repel, function=2 * repel.function)))
    assert not reading.expresses(louder)
    clip = CONVENTIONS["clip"].reading(INFONCE)
    assert clip is not None and not replace(clip, factor=S.One).expresses(INFONCE)


def test_a_change_of_parameters_undoes_itself() -> None:
    with pytest.raises(ValueError, match="is not its own inverse"):
        Reading("wrong", SIGMOID, {b: 1 - 2 * b}, S.One, {})


# --- weights, and more than the library has  -----------------------------------------------------
def test_another_weight_is_another_loss() -> None:
    siglip = CONVENTIONS["siglip"]
    attract, repel = SIGMOID.terms
    for weights in ((5, 1), (1, 5), (5, 5)):
        terms = tuple(
            replace(k, weight=sympify(v)) for k, v in zip((attract, repel), weights, strict=True)
        )
        assert siglip.reading(replace(SIGMOID, terms=terms)) is None
    assert siglip.reading(SIGMOID) is not None


def test_an_extension_is_not_called_the_loss_of_the_library() -> None:
    r = results["towers-threshold"]
    said = head(r.in_convention("siglip")).convention
    assert said.startswith(
        "the loss of siglip (SigLipLoss), extended to K towers, p positives and weight w: t is"
    )
    assert "this is the loss there, extended to K towers" in head(r).elsewhere
    for id in ("sigmoid-threshold", "sigmoid-optimum"):
        assert head(results[id].in_convention("siglip")).convention.startswith(
            "siglip, SigLipLoss: t is"
        )
        assert "extended" not in head(results[id]).elsewhere


def test_the_dimension_is_that_of_the_optimum_where_its_place_is_known() -> None:
    r = results["sigmoid-optimum"]
    for at, said in (
        ({"N": 32768, "t": 10, "b": -10}, "d >= 1 suffices"),  # antipodal
        ({"N": 4, "t": 10, "b": 10}, "d >= N - 1 = 3 suffices"),  # simplex
        ({"N": 4, "t": 3, "b": 0}, "d >= N = 4 suffices"),
    ):
        assert head(r, None, r.point(**at)).dimension == said
    # The class-conditional loss does not feel pairs of classes, which may share dimensions.
    assert head(results["cnce-optimum"]).dimension.startswith("d >= m*(n - 1) suffices")
