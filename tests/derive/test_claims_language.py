"""Limits, intervals as sides, accents and several arguments; the loss along a segment by name."""

from __future__ import annotations

import pytest
from cltheory.derive.language.parser import parse
from cltheory.derive.language.statement import TexError
from cltheory.derive.papers.records.examine import Examined, examine
from cltheory.derive.papers.records.mutate import holes
from records import record


def examined(text: str) -> Examined:
    return examine(record(text))


def word(text: str) -> str:
    return examined(text).verdict.word


SIZES = 'under = "m in 1.., n in 1.."\n'


def test_a_limit_is_taken_from_above_and_at_infinity() -> None:
    zero = r"printed = '''\lim_{\tau \rightarrow 0} \frac{m + \tau}{n + \tau^2} = \frac{m}{n}'''"
    far = r"printed = '''\frac{m}{n} = \lim_{x \to \infty} \frac{m x - 1}{n x + 1}'''"
    assert word(f"{zero}\n{SIZES}") == "agrees"
    assert word(f"{far}\n{SIZES}") == "agrees"
    assert word(f"{far.replace('m x', 'n x')}\n{SIZES}") == "differs"
    # exp(-1/tau) goes to 0 from above, and below zero it would not.
    assert word("printed = '''\\lim_{\\tau \\to 0} \\exp(-1/\\tau) = 0'''\n") == "agrees"


def test_a_number_is_no_interval() -> None:
    text = "printed = '''m = (0, m)'''\norigin = \"authors\"\n" + SIZES
    text += "[record.reading]\ntext = '''m \\in (0, m]'''\n"
    assert word(text) == "misprint"
    assert examined(text).verdict.note.endswith("n = 2: 2 = the interval (0, 2)")
    assert word(f"printed = '''[0, 2m) = [0, m + m)'''\n{SIZES}") == "agrees"
    assert word(f"printed = '''[0, m) = [0, m]'''\n{SIZES}") == "differs"


def test_a_letter_with_an_accent_is_another_letter() -> None:
    where = "[record.where]\n'\\tilde{\\delta}' = '''\\delta^2'''\n"
    under = 'under = "delta in [2, 3]"\n'
    assert word(f"printed = '''\\tilde\\delta = \\delta^2'''\n{under}{where}") == "agrees"
    assert word(f"printed = '''\\tilde\\delta = \\delta'''\n{under}{where}") == "differs"
    assert word(f"printed = '''\\hat\\delta = \\delta^2'''\n{under}{where}") == "undecided"
    with pytest.raises(TexError, match="over one letter"):
        parse(r"\tilde{m n} = 1")


SSEM = 'under = "m in 2.., n in 2.., p in 1.., alpha in [0, 1], tau in (0, oo), x in [0, n/(n-1)]"'
H = r"(1-\alpha) - \alpha(n-1) e^{-x/\tau} + (mn-1-\alpha(m-1)n) e^{(-\frac{m}{m-1} + "
H += r"x\frac{n-1}{(m-1)n})/\tau}"
SUM = r"1 + (n-1) e^{-x/\tau} + (m-1)n e^{(-\frac{m}{m-1} + x\frac{n-1}{(m-1)n})/\tau}"


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("named", "printed"),
    [
        ("loss_along", rf"\log({SUM}) + \log p + (1-\alpha)x/\tau"),
        ("slope_along", rf"\frac{{1}}{{\tau}} \frac{{{H}}}{{{SUM}}}"),
        ("x_star.function", H),
    ],
)
def test_the_loss_along_a_segment_its_slope_and_the_function_of_a_root(
    named: str, printed: str
) -> None:
    text = f"printed = '''L = {printed}'''\n{SSEM}\nnames = {{ L = \"supcl-optimum.{named}\" }}\n"
    verdict = examined(text).verdict
    assert (verdict.word, str(verdict.evidence.grade)) == ("agrees", "exact")
    assert word(text.replace(r"\alpha)", r"\alpha^2)", 1)) == "differs"
    assert word(text.replace(r"/\tau", r"\tau", 1)) == "differs"


def test_a_letter_of_a_derived_quantity_may_be_an_expression() -> None:
    text = "printed = '''s = 1 - x'''\nunder = \"m in 2.., n in 2.., x in [0, 1]\"\n"
    text += 'names = { s = "ssem.same_class(delta = sqrt(x*(m*n-1)/(m*n)))" }\n'
    assert str(examined(text).verdict.evidence.grade) == "exact"
    assert word(text.replace("m*n-1", "m*n-2")) == "differs"
    assert word(text.replace("sqrt(x", "moon(x")) == "undecided"


def test_a_mutant_that_says_the_same_where_the_premise_is_met_is_none() -> None:
    # Where m = n the factor n/m may be left out, and another conclusion is refused.
    text = "printed = '''m = n \\Rightarrow \\frac{n}{m} p = p'''\n"
    found = holes(record(f'under = "m in 2.., n in 2.., p in 1.."\n{text}'))
    assert found.same > 0
    assert found.killed > 0
    assert found.survivors == ()
