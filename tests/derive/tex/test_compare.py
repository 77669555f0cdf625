"""What a statement under a directive is taken to say, and the edit that would mend it."""

from __future__ import annotations

import pytest
from cltheory.derive.tex.check import check_equation
from cltheory.derive.tex.directives import Directive
from cltheory.derive.tex.judge.explain import details, headline
from cltheory.derive.tex.judge.lookup import BadTarget

E = r"e^{\frac{m}{(m-1)\tau}}"
ALPHA = rf"\frac{{mn - 1 + {E}}}{{n(m - 1 + {E})}}"
TAU = r"\frac{m}{m-1}\left(\log\left(1 + \frac{mn(1-\alpha)}{\alpha n - 1}\right)\right)^{-1}"


def check(source, *names, **options):
    id, _, first = names[0].partition(".")
    quantities = (first, *(n.partition(".")[2] for n in names[1:]))
    return check_equation(source, Directive(id, quantities, **options))


ALPHA_MIN, TAU_MAX = "supcl-threshold.alpha_min", "supcl-threshold.tau_max"
SIGMOID = "sigmoid-threshold.t"


@pytest.mark.parametrize(
    "source, name",
    [
        (rf"\alpha_{{\mathrm{{min}}}}(m, n, \tau) := {ALPHA}", ALPHA_MIN),
        (rf"\alpha \in \left({ALPHA}, 1\right]", ALPHA_MIN),
        (rf"{ALPHA} < \alpha \le 1", ALPHA_MIN),
        # solved for nothing: the same bound in another shape
        (rf"\alpha n (m - 1 + {E}) > mn - 1 + {E}", ALPHA_MIN),
        (rf"n \alpha_{{\min}} (m - 1 + {E}) = mn - 1 + {E}", ALPHA_MIN),
        (rf"\tau \in (0, {TAU})", TAU_MAX),
        (r"t \ge \frac{N-1}{N} \log(N-3)", "sigmoid-threshold.t_simplex"),
        (r"e^{2t} \le \frac{N-2}{2}", "sigmoid-threshold.t_antipodal"),
    ],
)
def test_statements_that_agree(source, name) -> None:
    found = check(source, name)
    assert found.ok and found.verdict == "equal" and found.evidence == "exact", found


@pytest.mark.parametrize(
    "source, name",
    [
        (r"\alpha_{\min} = \alpha_{\min}", ALPHA_MIN),
        (r"0 \cdot \alpha_{\min} = 0", ALPHA_MIN),
        (rf"\tau < {ALPHA}", ALPHA_MIN),
        (r"x < 1", "supcl-optimum.x_star"),
        # one end of two
        (rf"\alpha \in \left({ALPHA}, 2\right]", ALPHA_MIN),
        (r"1 < t \ge \frac{N-1}{N} \log(N-3)", f"{SIGMOID}_simplex"),
        (rf"-\infty < \tau < {TAU}", TAU_MAX),
        (r"e^{2t} \le \frac{N-2}{2}", ", ".join(f"{SIGMOID}_antipodal{s}" for s in ("_max", ""))),
        # nothing where a factor vanishes; a second claim on what has no value, or an infinite one
        (rf"(m-2) \alpha > (m-2) {ALPHA}", ALPHA_MIN),
        (rf"\alpha_{{\min}} = {ALPHA} \text{{ for }} \alpha_{{\min}} > \sqrt{{-\tau}}", ALPHA_MIN),
        (rf"\tau_{{\max}} = {TAU} < \infty", TAU_MAX),
        (rf"7 < \alpha_{{\min}} = {ALPHA} < \alpha", ALPHA_MIN),
        (rf"\alpha_{{\min}} = {ALPHA} + \tau_{{\max}} - \tau_{{\max}}", ALPHA_MIN),
        (rf"\alpha_{{\min}}(m, n, \tau_{{\max}}) = {ALPHA}", ALPHA_MIN),
    ],
)
def test_what_says_nothing_or_another_thing_is_never_equal(source, name) -> None:
    found = check(source, *name.split(", "))
    assert found.verdict in ("unread", "differs", "undecided") and not found.ok


@pytest.mark.parametrize(
    "name, options, says",
    [
        ("supcl-optimum.nothing", {}, "has no nothing"),
        (ALPHA_MIN, {"values": {"q": "1"}}, "no parameter q"),
        (ALPHA_MIN, {"names": {"C": "import os"}}, "is not an expression"),
    ],
)
def test_directives_that_name_nothing(name, options, says) -> None:
    with pytest.raises(BadTarget, match=says) as refusal:
        check(ALPHA, name, **options)
    assert "\n" not in str(refusal.value)


def test_a_complement_is_asked_for() -> None:
    assert not check(rf"\alpha \le {ALPHA}", ALPHA_MIN).ok
    assert check(rf"\alpha \le {ALPHA}", ALPHA_MIN, negated=True).ok
    assert not check(rf"\alpha < {ALPHA}", ALPHA_MIN, negated=True).ok
    assert check(rf"\alpha_{{\min}} = {ALPHA}", ALPHA_MIN, negated=True).verdict == "unread"


def test_symbols_and_values() -> None:
    C = ALPHA.replace("m", "C").replace(r"\tau", "T")
    assert check(C, ALPHA_MIN).verdict == "unread"
    assert check(C, ALPHA_MIN, names={"C": "m", "T": "tau"}).ok
    assert not check(C, ALPHA_MIN, names={"C": "n", "T": "tau"}).ok
    shifted = ALPHA.replace("m - 1", "K").replace("(m-1)", "K")
    assert check(shifted, ALPHA_MIN, names={"K": "m - 1"}).ok
    ten = r"\frac{10 n - 1 + e^{\frac{10}{9\tau}}}{n(9 + e^{\frac{10}{9\tau}})}"
    assert check(ten, ALPHA_MIN, values={"m": "10"}).ok
    assert not check(ten, ALPHA_MIN, values={"m": "11"}).ok
    limit = r"\frac{m}{m - 1 + e^{\frac{m}{(m-1)\tau}}}"
    assert check(limit, ALPHA_MIN, values={"n": "oo"}).ok
    gone = check(ALPHA, ALPHA_MIN, values={"n": "oo"})
    assert gone.verdict == "unread" and "n" in gone.message


def test_a_row_for_each_quantity() -> None:
    rows = rf"\alpha_{{\min}} &= {ALPHA} \\ \tau_{{\max}} &= {TAU}"
    assert check(rows, ALPHA_MIN, TAU_MAX).ok
    assert not check(rows, TAU_MAX, ALPHA_MIN).ok
    one = check(rows, ALPHA_MIN)
    assert one.verdict == "unread" and "above each row" in one.message


def test_cases() -> None:
    name = "supcl-optimum.within_class_variance_n_oo"
    top = r"\frac{m}{m-1} \left(\log\left(1 + \frac{m(1-\alpha)}{\alpha}\right)\right)^{-1}"
    line = (
        r"\begin{cases} 1 - \tau \frac{m-1}{m} \log\left(1 + \frac{m(1-\alpha)}{\alpha}\right)"
        rf" & \text{{if }} \tau %s {top}, \\ 0 & \text{{otherwise}} \end{{cases}}"
    )
    assert check(line % "<", name).ok
    assert check(line % r"\le", name).ok
    assert check(line % ">", name).verdict == "differs"


def test_an_equation_for_a_root() -> None:
    name = "sigmoid-optimum.x_star"
    A, B = r"e^{b - t(1 - x^\star)}", r"e^{-b - t\frac{2 + (N-2) x^\star}{2(N-1)}}"
    source = rf"2 {A} - (N-4) {A} {B} = (N-2) {B}"
    assert check(source, name).ok
    assert not check(source.replace("N-4", "N-3"), name).ok
    assert not check(source.replace("2 {A}", "{A}").replace("2 e", "3 e", 1), name).ok


def test_a_letter_may_stand_for_a_root_inside_another_quantity() -> None:
    y, z = {"y": "x_star"}, {"z": "s_star"}
    assert check("p = 1 - y", "sigmoid-optimum.positive", names={**y, "p": "positive"}).ok
    assert not check("1 + y", "sigmoid-optimum.positive", names=y).ok
    assert check(r"\tau > 1/z", "kernel-threshold.tau_clusters", names=z).ok  # its bracket is open
    with pytest.raises(BadTarget, match="y -> x_str"):
        check("1 - y", "sigmoid-optimum.positive", names={"y": "x_str"})


def test_the_name_of_another_quantity_is_no_name_of_this_one() -> None:
    limit = r"\frac{m}{m-1}\left(\log\frac{m - \alpha(m-1)}{\alpha}\right)^{-1}"
    name = "supcl-threshold.tau_max_n_oo"
    assert not check(rf"\tau_{{\max}} = {limit}", name).ok
    assert check(rf"\tau_{{\max}} = {limit}", TAU_MAX, values={"n": "oo"}).ok
    assert not check(rf"\tau_{{\max}} = {TAU}", name).ok
    assert not check(rf"{limit} = \tau_{{\max}}", name).ok
    assert not check(rf"1/n = {limit}", name).ok
    positive, negative = r"1 - x^\star", r"-\frac{1}{N-1} - \frac{N-2}{2(N-1)} x^\star"
    assert check(f"p = {positive}", "sigmoid-optimum.positive", names={"p": "positive"}).ok
    assert check(negative, "sigmoid-optimum.negative").ok
    assert not check(positive, "sigmoid-optimum.negative").ok


def test_a_condition_with_the_other_sign_is_told_by_the_sign_and_no_values() -> None:
    found = check(r"2 \gamma < 4", "kernel-infonce.positive_definite")
    assert headline(found, "it") == "differs from it: the sign is <, and it was derived with <="
    assert [line.split()[0] for line in details(found)] == ["printed", "derived"]
