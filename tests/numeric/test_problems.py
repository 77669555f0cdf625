"""Bound problems against plain sums over pairs, autograd and exact arithmetic.

Losses are those declared in the project, and random declarations on random structures: nested
classes of three and four levels, towers, and towers with several views.
"""

from __future__ import annotations

from dataclasses import replace
from math import exp, log
from random import Random

import pytest
import torch
from cltheory.derive.losses.clip import INFONCE, SIGMOID, b, pairwise, t
from cltheory.derive.losses.pairwise import PairTerm, PairwiseLoss, c
from cltheory.derive.losses.softmax import SoftmaxLoss, SoftmaxTerm, tau
from cltheory.derive.losses.supcl import (
    CNCE,
    OTHERS,
    SINCERE,
    SUP_CNCE,
    SUPCL,
    SUPCL_EXCLUSIVE,
    SUPCON,
    alpha,
)
from cltheory.derive.structures.arrangement import arrange
from cltheory.numeric.problems import bind, evaluate, parameter_names
from cltheory.numeric.problems.embeddings import random_embeddings
from plain import ORBITS, PLACES, loss_of, loss_of_gram
from sympy import Abs, Max, Rational, S
from sympy import exp as Exp
from sympy import log as Log

VALUES = {
    "alpha": torch.tensor([0.0, 0.4, 1.0], dtype=torch.float64),
    "tau": torch.tensor([0.1, 0.5, 2.0], dtype=torch.float64),
    "t": torch.tensor([0.3, 1.0, 8.0], dtype=torch.float64),
    "b": torch.tensor([-0.5, 1.0, 3.0], dtype=torch.float64),
}
CLASSES, FOUR, TWO, VIEWS = PLACES[0], PLACES[4], PLACES[5], PLACES[6]
FUNCTIONS = (
    Log(1 + Exp(-t * c + b)),
    Exp(t * c / 4 - b),
    c**2,
    -t * c,
    Log(1 + Exp(t * c)) / (1 + Exp(-t * c)) ** 2,
    Max(0, c + Rational(1, 3)) ** 2,
)


def random_softmax(random, names):
    """Positives and denominators of any relations, own positives, weights; one temperature."""

    def some(of):
        return tuple(r for r in of if random.random() < 0.5) or (random.choice(of),)

    terms = []
    for _ in range(random.randint(1, 3)):
        positives = some(names)
        own = random.random() < 0.4
        rest = [r for r in names if not own or r not in positives] or list(names)
        weights = tuple(Rational(random.randint(1, 9), 4) for _ in positives)
        below = some(rest)
        factors = tuple(random.choice((S.One, Rational(9, 4), 1 + alpha**2)) for _ in below)
        terms.append(
            SoftmaxTerm(
                random.choice((alpha, 1 - alpha / 3, alpha**2, S.Half)),
                positives,
                below,
                weights if random.random() < 0.4 else (),
                own,
                factors if random.random() < 0.4 else (),
            )
        )
    return SoftmaxLoss("random", "", tuple(terms), random.choice((tau, 2 * tau)), "")


def random_pairwise(random, names):
    """Functions of any relations but the anchor itself, some of them shared."""
    terms = [
        PairTerm(random.choice(names[1:]), random.choice(FUNCTIONS), random.choice((S.One, t / 3)))
        for _ in range(random.randint(1, 4))
    ]
    return PairwiseLoss("random", "", tuple(terms), "")


def random_cases():
    random = Random(11)
    for place in PLACES:
        counts = arrange(place.scheme, place.sizes).counts
        names = [r for r, count in counts.items() if count]
        for _ in range(4):
            yield place, random_softmax(random, names)
        for _ in range(2):
            yield place, random_pairwise(random, names)


DECLARED = [
    *((CLASSES, loss) for loss in (SUPCL, CNCE, SUP_CNCE)),
    *((TWO, loss) for loss in (SIGMOID, INFONCE)),
    (VIEWS, SIGMOID),
]


def softmax(name, **of):
    return SoftmaxLoss(name, name, (SoftmaxTerm(S.One, **of),), tau, "")


#: On several orbits: with targets on all relations too, so that those between orbits pull, and
#: with one positive per anchor.
ON_ORBITS = (
    *(SUPCL, SUPCON, SUPCL_EXCLUSIVE, SINCERE, CNCE, SUP_CNCE),
    softmax("targets", positives=OTHERS, denominator=OTHERS, weights=(S(20), S(10), S.One)),
    softmax("nt-xent", positives=("same_instance",), denominator=OTHERS),
)
CASES = [*DECLARED, *((ORBITS, loss) for loss in ON_ORBITS), *random_cases()]
by_case = pytest.mark.parametrize(
    ("place", "loss"), CASES, ids=[f"{k}-{p.name}-{x.name}" for k, (p, x) in enumerate(CASES)]
)


def example(place, loss, d=4, **where):
    """Embeddings and values of three problems, with sizes."""
    problem = place.problem(loss)
    u = random_embeddings(arrange(place.scheme, place.sizes), range(3), d=d, **where)
    given = {name: VALUES[name].to(u) for name in parameter_names(problem)}
    return problem, u, {**place.sizes, **given}


def at(values, k):
    return {name: float(v[k]) if isinstance(v, torch.Tensor) else v for name, v in values.items()}


@by_case
def test_values_and_derivatives(place, loss, device):
    problem, u, values = example(place, loss)
    moved = {k: v.to(device) if isinstance(v, torch.Tensor) else v for k, v in values.items()}
    bound = bind(problem, moved, batch=3, device=device)
    point = bound.point(u.to(device))
    v = torch.randn(u.shape, generator=torch.Generator().manual_seed(3), dtype=u.dtype)
    along = point.hessian(v.to(device))
    value, gradient = bound.value_and_gradient(u.to(device))
    also, a = bound.value_and_gram_gradient(u.to(device))
    for k in range(3):
        x = u[k].clone().requires_grad_()
        expected = loss_of(loss, place, x, at(values, k))
        (slope,) = torch.autograd.grad(expected, x, create_graph=True)
        (turn,) = torch.autograd.grad((slope * v[k]).sum(), x, allow_unused=True)
        # Sums of at most 24^2 numbers, of the size of a slope, 1/tau = 10 or 8 exp(8).
        close = {"rtol": 2e-13, "atol": 2e-13 * (1 + float(slope.detach().abs().max()))}
        for found in (point.value[k], value[k], also[k]):
            torch.testing.assert_close(found.cpu(), expected.detach(), **close)
        for found in (point.gradient[k], gradient[k]):
            torch.testing.assert_close(found.cpu(), slope.detach(), **close)
        turn = torch.zeros_like(x) if turn is None else turn
        close = {"rtol": 2e-12, "atol": 2e-12 * (1 + float(turn.abs().max()))}
        torch.testing.assert_close(along[k].cpu(), turn, **close)
        # dL = <A, dG> and G = U U^T, hence the gradient in U is 2 A U.
        torch.testing.assert_close(a[k], a[k].T)
        rows = u[k].flatten(0, -2)
        close = {"rtol": 2e-13, "atol": 2e-13 * (1 + float(slope.detach().abs().max()))}
        torch.testing.assert_close((2 * a[k].cpu() @ rows).view_as(x), slope.detach(), **close)


@pytest.mark.parametrize(("place", "loss"), DECLARED + CASES[8::7])
def test_gram_gradients_against_differences(place, loss):
    """dL = <A, dG> for Gram matrices that are changed in one pair of entries."""
    problem, u, values = example(place, loss, d=30)
    k = 1
    a = bind(problem, values, batch=3).value_and_gram_gradient(u)[1][k]
    rows = u[k].flatten(0, -2)
    gram = rows @ rows.T
    h = 1e-5
    for i, j in ((0, 1), (0, 2), (1, len(gram) - 1), (2, 2)):
        change = torch.zeros_like(gram)
        change[i, j] = change[j, i] = h
        up, down = (loss_of_gram(loss, place, gram + s * change, at(values, k)) for s in (1, -1))
        # h^2 from the third derivative, 1e-16 / h from rounding.
        assert float(up - down) / 2 == pytest.approx(float((a * change).sum()), abs=1e-8 * h)


def taylor_order(f, gradient, u, v):
    """Order of the remainder f(u + h v) - f(u) - h <gradient, v> as h goes to zero."""
    rest = [abs(float(f(u + h * v) - f(u) - h * (gradient * v).sum())) for h in (1e-2, 1e-3)]
    return (log(rest[0]) - log(rest[1])) / log(10)


@pytest.mark.parametrize(("place", "loss"), [DECLARED[0], DECLARED[3], DECLARED[4]])
def test_a_wrong_gradient_is_noticed(place, loss):
    problem, u, values = example(place, loss)
    one = at(values, 1)
    _, (gradient,) = bind(problem, one).value_and_gradient(u[1:2])
    v = u[2]

    def f(x):
        return evaluate(problem, x, one)

    assert taylor_order(f, gradient, u[1], v) == pytest.approx(2, abs=0.1)
    for wrong in (-gradient, 2 * gradient, gradient.flip(0)):
        assert taylor_order(f, wrong, u[1], v) == pytest.approx(1, abs=0.2)


def test_a_wrong_convention_differs():
    """The plain sums are not fooled: each of these is a different loss."""
    for place, right, wrong in (
        (CLASSES, SUPCL, replace(SUPCL, temperature=1 / tau)),
        *((CLASSES, SUPCL, replace(SUPCL, terms=(x, SUPCL.terms[1]))) for x in _changed()),
        (TWO, SIGMOID, pairwise("x", "", *(f.function.subs(b, -b) for f in SIGMOID.terms), "")),
        (TWO, INFONCE, replace(INFONCE, temperature=1 / t)),
    ):
        problem, u, values = example(place, right)
        ours = evaluate(problem, u, values)[1]
        assert abs(float(loss_of(right, place, u[1], at(values, 1)) - ours)) < 1e-13
        others = {**at(values, 1), "tau": 0.3, "t": 1.7, "b": 0.3}
        ours = evaluate(problem, u[1], {k: others[k] for k in values})
        assert abs(float(loss_of(wrong, place, u[1], others) - ours)) > 1e-3


def _changed():
    term = SUPCL.terms[0]
    yield replace(term, positives=("same_instance",))
    yield replace(term, denominator=term.denominator[1:])
    yield replace(term, coefficient=-term.coefficient)
    yield replace(term, own_positive=True)
    yield replace(term, positives=("same_instance", "same_class"), weights=(S(3), S.One))


@by_case
def test_autograd_is_given_the_gradient(place, loss):
    problem, u, values = example(place, loss)
    u.requires_grad_()
    total = (evaluate(problem, u, values) * torch.tensor([1.0, 2.0, -1.0])).sum()
    (found,) = torch.autograd.grad(total, u)
    _, gradient = bind(problem, values, batch=3).value_and_gradient(u.detach())
    for k, factor in enumerate((1, 2, -1)):
        torch.testing.assert_close(found[k], factor * gradient[k])


@by_case
def test_float32(place, loss, device):
    problem, u, values = example(place, loss)
    moved = {k: v.to(device) if isinstance(v, torch.Tensor) else v for k, v in values.items()}
    bound = bind(problem, moved, batch=3, device=device)
    exact, point = bound.point(u.to(device)), bound.to(torch.float32).point(u.to(device).float())
    assert point.value.dtype == point.gradient.dtype == torch.float32
    again = bind(problem, moved, batch=3, dtype=torch.float32, device=device)
    torch.testing.assert_close(point.value, again.value(u.to(device).float()), rtol=1e-5, atol=1e-5)
    # eps is 1.2e-7, logits are up to 20 and functions up to exp(8).
    for name in ("value", "gradient"):
        found, wanted = getattr(point, name).double(), getattr(exact, name)
        close = 3e-5 * (1 + float(wanted.abs().max()))
        torch.testing.assert_close(found, wanted, rtol=1e-4, atol=close)


@by_case
def test_problems_are_selected_and_points_mixed(place, loss):
    problem, u, values = example(place, loss)
    bound = bind(problem, values, batch=3)
    first, second = bound.point(u), bound.point(u.flip(0))
    mixed = first.mix(torch.tensor([True, False, True]), second)
    v = torch.ones_like(u)
    for name in ("u", "value", "gradient", "unit", "noise", "resolution"):
        got, mine, theirs = (getattr(p, name) for p in (mixed, first, second))
        assert torch.equal(got[0], theirs[0])
        assert torch.equal(got[1], mine[1])
    close = {"rtol": 1e-13, "atol": 1e-13}  # other batches are other kernels
    torch.testing.assert_close(mixed.hessian(v)[2], second.hessian(v)[2], **close)
    index = torch.tensor([2, 0])
    some = first.select(index)
    torch.testing.assert_close(some.hessian(v[index]), first.hessian(v)[index], **close)
    torch.testing.assert_close(some.loss.value(u[index]), bound.value(u)[index], **close)
    assert torch.equal(bound.select(index).convex, bound.convex[index])


# --- accuracy ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("place", "loss"), [x for x in CASES if isinstance(x[1], SoftmaxLoss)])
def test_small_temperatures_do_not_overflow(place, loss):
    """At tau = 1e-3 the exponentials span e^2000."""
    problem, u, values = example(place, loss)
    cold = values | {k: 1e-3 for k in ("tau", "t") if k in values}
    point = bind(problem, cold, batch=3).point(u)
    for x in (point.value, point.gradient, point.hessian(torch.ones_like(u))):
        assert torch.isfinite(x).all()


def test_a_positive_against_its_denominator_keeps_its_digits():
    """Where the loss is 1e-43, as it is where it is one."""
    u = torch.eye(4, dtype=torch.float64).expand(1, 2, 4, 4)
    value, (gradient,) = bind(TWO.problem(INFONCE), {"N": 4, "t": 0.01}).value_and_gradient(u)
    exact = 2 * 3 * exp(-100)
    assert float(value) == pytest.approx(exact, rel=1e-12)
    assert float(gradient[0, 0, 1]) == pytest.approx(exact / 3 / 4 / 0.01, rel=1e-12)
    own = SoftmaxTerm(S.One, ("same_class",), ("cross_class",), own_positive=True)
    sincere = replace(SUPCL, terms=(own,))
    u = torch.eye(3, dtype=torch.float64)[:, None, None].expand(3, 2, 2, 3)
    value = evaluate(CLASSES.problem(sincere), u, {"tau": 0.01})
    assert float(value) == pytest.approx(8 * exp(-100), rel=1e-12)


# --- convexity --------------------------------------------------------------------------------


def test_convexity_is_judged_for_each_problem():
    focal = pairwise("focal", "", FUNCTIONS[4], c, "")
    bound = bind(TWO.problem(focal), {"N": 4, "t": torch.tensor([0.3, 8.0])}, batch=2)
    assert bound.convex.tolist() == [True, False]
    for loss, expected in (
        (pairwise("x", "", -c, c**2, ""), True),
        (pairwise("x", "", -c, -(c**2), ""), False),
        (pairwise("x", "", Abs(c), -c, ""), True),
        (pairwise("x", "", -Abs(c), -c, ""), False),
    ):
        assert bind(TWO.problem(loss), {"N": 4}).convex.tolist() == [expected]
    signs = torch.tensor([-0.1, 0.0, 1.0, 1.1])
    values = {**CLASSES.sizes, "tau": 1.0, "alpha": signs}
    negative = replace(
        SUPCL, terms=(SUPCL.terms[0], replace(SUPCL.terms[1], denominator=("self",)))
    )
    assert bind(CLASSES.problem(negative), values, batch=4).convex.tolist() == [
        False,
        True,
        True,
        False,
    ]
    own = replace(INFONCE, terms=(replace(INFONCE.terms[0], coefficient=-t),))
    assert not bind(TWO.problem(own), {"N": 4, "t": 1.0}).convex.item()


# --- what is refused --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"alpha": None}, "parameters alpha, tau; got m, n, p, tau"),
        ({"tau": -1.0}, "temperature must be positive"),
        ({"alpha": float("nan")}, "not finite"),
        ({"alpha": torch.zeros(3)}, "3 values for 1 problems"),
        ({"n": 1}, "has no pairs when m=2, n=1, p=2"),
        ({"n": 2.5}, "one integer"),
    ],
)
def test_bad_values_are_refused(change, message):
    values = {"m": 2, "n": 2, "p": 2, "alpha": 0.5, "tau": 1.0} | change
    values = {k: v for k, v in values.items() if v is not None}
    with pytest.raises(ValueError, match=message):
        bind(CLASSES.problem(SUPCL), values)


def test_unknown_relations_are_refused():
    with pytest.raises(ValueError, match="term on 'cousin'"):
        bind(TWO.problem(replace(SIGMOID, terms=(PairTerm("cousin", c, S.One),))), {"N": 3})
    wrong = replace(SUPCL, terms=(replace(SUPCL.terms[0], positives=("cousin",)),))
    with pytest.raises(ValueError, match="must be distinct names"):
        bind(CLASSES.problem(wrong), {**CLASSES.sizes, "alpha": 0.5, "tau": 1.0})


def test_other_shapes_are_refused():
    with pytest.raises(ValueError, match=r"the shape \(..., m, n, p, d\)"):
        evaluate(CLASSES.problem(SUPCL), torch.eye(4), {"alpha": 0.5, "tau": 1.0})
    with pytest.raises(ValueError, match="arranged as"):
        evaluate(TWO.problem(SIGMOID), torch.ones(3, 4, 2), {"t": 1.0, "b": 1.0})
    with pytest.raises(ValueError, match="arranged as"):
        evaluate(TWO.problem(SIGMOID), torch.ones(2, 4, 2), {"N": 5, "t": 1.0, "b": 1.0})
