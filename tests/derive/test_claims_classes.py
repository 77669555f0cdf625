"""Classes of unequal sizes in ledgers: their families, and the search for optimal prototypes."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
import pytest
from cltheory.derive.papers.vock2026unified.checks_sparse import sequences
from cltheory.derive.papers.vock2026unified.checks_supcon import lowered
from cltheory.derive.papers.vock2026unified.supcon import (
    bound,
    loss,
    of_classes,
    optimum,
    spread,
    upper,
)
from cltheory.derive.results import results
from records import verdict

UNDER = 'under = "C in 1.., ell in 2.., p in 2.., tau in (0, oo)"\n'
#: Of the loss in blocks: the sum over the other classes is x.
LOSS = r"""printed = '''\mathcal{L} = \frac{1}{n}\sum_{c=1}^{C} \ell_c (\log((\ell_c-1)e^{a_c/\tau}+
\sum_{k \in [C] \setminus \{c\}}\ell_k e^{b_{c,k}/\tau}) - \frac{a_c}{\tau})'''
on = "blocks"
"""


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("", "", "agrees"),
        (r"(\ell_c-1)e", r"\ell_c e", "differs"),
        (r"\ell_k e", r"\ell_c e", "differs"),
        (r"b_{c,k}", r"a_c", "differs"),
        (r"- \frac{a_c}", r"+ \frac{a_c}", "differs"),
    ],
)
def test_the_loss_of_classes_of_unequal_sizes(old: str, new: str, expected: str) -> None:
    assert verdict((LOSS.replace(old, new) if old else LOSS) + UNDER)[0] == expected


@pytest.mark.parametrize("tau", ["1/3", "1", "3/2", "4"])
def test_prototypes_of_soft_weights(tau: str) -> None:
    epsilon = Fraction(1, 3)
    found = upper(optimum((2, 2, 2), Fraction(tau), epsilon))
    known = {"C": 3, "n": 2, "tau": tau, "epsilon": "1/3"}
    derived = results["soft-supcon"].value("cosine", 20, **known)
    assert found == pytest.approx(float(derived), abs=1e-5)


@pytest.mark.parametrize("sizes", [(2, 2, 5), (2, 3, 4), (3, 2, 2, 6)])
@pytest.mark.parametrize("tau", [Fraction(1, 4), Fraction(1), Fraction(20)])
def test_no_prototypes_near_the_optimum_are_better(sizes: tuple[int, ...], tau: Fraction) -> None:
    best = optimum(sizes, tau)
    drawn = np.random.default_rng(0)
    w = of_classes(sizes)
    least = loss(w, spread(sizes, best.tolist(), tau))
    for _ in range(6):
        z = drawn.normal(size=(len(sizes), len(sizes)))
        z /= np.linalg.norm(z, axis=1)[:, None]
        mixed = 0.95 * best + 0.05 * z @ z.T
        assert loss(w, spread(sizes, mixed.tolist(), tau)) > least
    assert np.abs(optimum(sizes, tau, by_size=False) - best).max() < 1e-5


def test_soft_classes_need_not_collapse_in_many_dimensions() -> None:
    sizes, tau, epsilon = (2, 2), Fraction(1, 2), Fraction(1, 3)
    at = {"C": 2, "ell": 2, "q": 3, "tau": tau, "epsilon": epsilon}
    assert lowered({**at, "q": 2}) is None
    assert lowered({**at, "tau": Fraction(2)}) is None  # beyond the regular simplex
    found = re.findall(r"-?[0-9.]+", lowered(at) or "")
    inside, across = map(float, found)
    own = np.array([[inside if a == b else across for b in (0, 0, 1, 1)] for a in (0, 0, 1, 1)])
    np.fill_diagonal(own, 1)
    values = np.linalg.eigvalsh(own)
    assert abs(values[0]) < 1e-9 and values[1] > 1e-3  # rank n - 1
    beta = 1 + float(tau) * np.log(float(epsilon))
    w = of_classes(sizes, epsilon)
    collapsed = spread(sizes, [[1, beta], [beta, 1]], tau)
    assert abs(loss(w, (own / float(tau)).tolist()) - loss(w, collapsed)) < 1e-10
    assert abs(loss(w, collapsed) - bound(w)) < 1e-10


def test_three_points_of_a_line_attain_the_bound_in_the_limit() -> None:
    (line,) = [one for one in sequences(3) if one.vanishes]
    assert line.gap < 1e-10 and not line.multiples(joint=True)
    uneven = sequences(3)[2]
    assert uneven.gap > 0.01 and not uneven.multiples(joint=False)
    halves, near = sequences(4)[3:]
    assert halves.gap < 1e-10 and near.gap > 0.01
    assert halves.multiples(joint=False) and not halves.multiples(joint=True)
    assert not near.multiples(joint=False)
    assert [one.agrees for one in (line, uneven, halves, near)] == [True, False, True, False]
