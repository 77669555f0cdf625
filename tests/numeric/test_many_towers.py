"""K towers with several vectors per item: loss, structures, certificate, cross-check."""

from __future__ import annotations

from dataclasses import replace
from math import exp, log1p, sqrt

import pytest
import torch
from cltheory.derive.losses.clip import SIGMOID, t
from cltheory.derive.losses.pairwise import PairTerm, PairwiseLoss, c
from cltheory.derive.results import results
from cltheory.derive.results.towers_threshold import WEIGHTED
from cltheory.derive.structures.hierarchy import p as VIEWS
from cltheory.derive.structures.towers import K as TOWERS
from cltheory.derive.structures.towers import N as ITEMS
from cltheory.numeric.certificate import certify_towers
from cltheory.numeric.embeddings import contrasts, normalise, perturb, random_embeddings
from cltheory.numeric.many_tower_embeddings import (
    POSITIVES,
    SCHEME,
    mean_products,
    relation_masks,
    segment_length,
    segment_towers,
    structured_many_towers,
)
from cltheory.numeric.many_towers import (
    bind_many_towers,
    certify_many_towers,
    minimise_many_towers,
)
from cltheory.numeric.towers import bind_towers
from sympy import Integer, S

SIZES = [(2, 3, 1), (2, 3, 2), (3, 4, 1), (3, 2, 2), (4, 3, 2)]
by_sizes = pytest.mark.parametrize("sizes", SIZES, ids=str)
PARAMS = {
    "t": torch.tensor([0.3, 1.0, 8.0], dtype=torch.float64),
    "b": torch.tensor([-0.5, 1.0, 3.0], dtype=torch.float64),
    "w": torch.tensor([1.0, 0.25, 3.0], dtype=torch.float64),
}
# Every relation, weights that depend on all the sizes, and terms that share a function.
ALL = PairwiseLoss(
    "all",
    "",
    (
        PairTerm("positive", -t * c, S.One),
        PairTerm("positive_sibling", -t * c, 1 / VIEWS),
        PairTerm("negative", c**2, 1 / (ITEMS - 1)),
        PairTerm("negative", c**4, S.Half),
        PairTerm("within_modality", c**2 / 2, 1 / TOWERS),
        PairTerm("twin", -c, S.One),
    ),
    "",
)


def kwargs(sizes):
    return dict(zip("KNp", sizes, strict=True))


def example(loss, sizes, **where):
    towers, items, views = sizes
    u = random_embeddings(range(3), m=towers, n=items, p=views, d=4, **where)
    names = ("t", "b", "w") if loss is WEIGHTED else ("t",)
    params = {k: PARAMS[k].to(u) for k in names}
    return bind_many_towers(
        loss, params, batch=3, dtype=u.dtype, device=u.device, **kwargs(sizes)
    ), u


# --- the loss ---------------------------------------------------------------------------------


@by_sizes
def test_relations_are_those_of_the_symmetry(sizes):
    towers, items, views = sizes
    masks = relation_masks(*sizes)
    at = {TOWERS: Integer(towers), ITEMS: Integer(items), VIEWS: Integer(views)}
    places = [(k, i, v) for k in range(towers) for i in range(items) for v in range(views)]
    for name, mask in masks.items():
        assert set(mask.sum(dim=1).tolist()) == {int(SCHEME.relation(name).count.xreplace(at))}
    everything = sum(mask.long() for mask in masks.values())
    assert torch.equal(everything, 1 - torch.eye(len(places), dtype=torch.long))
    for a, (k, i, v) in enumerate(places):
        for b, (other, j, z) in enumerate(places):
            if a != b:
                name = (
                    ("twin" if i == j else "within_modality")
                    if k == other
                    else "negative"
                    if i != j
                    else "positive"
                    if v == z
                    else "positive_sibling"
                )
                assert bool(masks[name][a, b])


@by_sizes
def test_nested_loops(sizes):
    """The printed loss, anchor by anchor: all positives, and w times every negative."""
    bound, u = example(WEIGHTED, sizes)
    _, items, views = sizes
    rows = u.flatten(1, 3)
    for problem in range(3):
        at, b, w = (float(PARAMS[k][problem]) for k in ("t", "b", "w"))
        gram = (rows[problem] @ rows[problem].T).tolist()
        total = 0.0
        for i, row in enumerate(gram):
            for j, inner in enumerate(row):
                if i // (items * views) == j // (items * views):
                    continue
                same = i // views % items == j // views % items
                total += log1p(exp(b - at * inner)) if same else w * log1p(exp(at * inner - b))
        assert float(bound.value(u)[problem]) == pytest.approx(total / len(gram), rel=1e-13)


def test_two_towers_are_the_case_of_the_two_tower_class():
    u = random_embeddings(range(3), m=2, n=5, p=1, d=4)
    params = {k: PARAMS[k] for k in ("t", "b")}
    ours = bind_many_towers(SIGMOID, params, K=2, N=5, batch=3)
    theirs = bind_towers(SIGMOID, params, N=5, batch=3)
    flat = u.squeeze(3)
    v = torch.randn(u.shape, generator=torch.Generator().manual_seed(3), dtype=u.dtype)
    point, other = ours.point(u), theirs.point(flat)
    same = {"rtol": 1e-14, "atol": 1e-15}
    for name in ("value", "unit", "noise", "resolution"):
        torch.testing.assert_close(getattr(point, name), getattr(other, name), **same)
    torch.testing.assert_close(ours.value(u), theirs.value(flat), **same)
    torch.testing.assert_close(point.gradient.squeeze(3), other.gradient, **same)
    # Second derivatives are up to 64 exp(8) times smaller ones.
    torch.testing.assert_close(
        point.hessian(v).squeeze(3), other.hessian(v.squeeze(3)), rtol=1e-12, atol=1e-13
    )
    for one, two in zip(
        ours.value_and_gram_gradient(u), theirs.value_and_gram_gradient(flat), strict=True
    ):
        torch.testing.assert_close(one, two, **same)
    assert ours.convex.tolist() == theirs.convex.tolist() == [True] * 3
    a = certify_many_towers(SIGMOID, u, params)
    torch.testing.assert_close(a.gap, certify_towers(SIGMOID, flat, params).gap)


@pytest.mark.parametrize("loss", [WEIGHTED, ALL], ids=lambda loss: loss.name)
@by_sizes
def test_derivatives_against_autograd(loss, sizes, device):
    bound, u = example(loss, sizes, device=device)
    u.requires_grad_()
    (gradient,) = torch.autograd.grad(bound.value(u).sum(), u, create_graph=True)
    v = torch.randn(u.shape, generator=torch.Generator().manual_seed(3), dtype=u.dtype).to(device)
    (along,) = torch.autograd.grad((gradient * v).sum(), u)
    u = u.detach()
    point = bound.point(u)
    torch.testing.assert_close(point.value, bound.value(u))
    torch.testing.assert_close(point.gradient, gradient.detach(), rtol=1e-12, atol=1e-12)
    torch.testing.assert_close(point.hessian(v), along, rtol=1e-11, atol=1e-11)
    value, a = bound.value_and_gram_gradient(u)
    rows = u.flatten(1, 3)
    torch.testing.assert_close((2 * a @ rows).view_as(u), gradient.detach(), rtol=1e-12, atol=1e-12)
    # Vectors without their arrangement are the same loss.
    torch.testing.assert_close(bound.value_and_gradient(rows)[0], value)
    assert bound.value_and_gradient(rows)[1].shape == rows.shape


def test_problems_are_selected():
    bound, u = example(WEIGHTED, (3, 4, 2))
    index = torch.tensor([2, 0])
    assert torch.equal(bound.select(index).value(u[index]), bound.value(u)[index])
    assert bound.to(torch.float32).value(u.float()).dtype == torch.float32
    assert torch.equal(bound.convex, torch.ones(3, dtype=torch.bool))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"K": 1}, "K >= 2"),
        ({"N": 1}, "N >= 2"),
        ({"p": 0}, "p >= 1"),
        ({"params": {"t": 1.0, "b": 1.0}}, "takes the parameters b, t, w; got b, t"),
        ({"params": {"t": 1.0, "b": float("nan"), "w": 1.0}}, "not finite"),
        ({"loss": replace(SIGMOID, terms=(PairTerm("cousin", c, S.One),))}, "term on 'cousin'"),
    ],
)
def test_bad_input_is_refused(change, message):
    given = {"loss": WEIGHTED, "params": {"t": 1.0, "b": 1.0, "w": 1.0}, "K": 2, "N": 3, **change}
    with pytest.raises(ValueError, match=message):
        bind_many_towers(given.pop("loss"), given.pop("params"), **given)


def test_bad_starts_are_refused():
    given = {"params": {"t": 1.0, "b": 1.0, "w": 1.0}, "K": 2, "N": 3, "device": "cpu"}
    with pytest.raises(ValueError, match="d must be"):
        minimise_many_towers(WEIGHTED, d=0, **given)
    with pytest.raises(ValueError, match="start has the shape"):
        minimise_many_towers(WEIGHTED, d=3, start=torch.eye(3), **given)


# --- structures -------------------------------------------------------------------------------


@by_sizes
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_the_segment_is_two_simplices_side_by_side(sizes, share, device):
    """From the inner products, and by the definition that they belong to."""
    towers, items, views = sizes
    length = segment_length(towers)
    assert length == towers / (towers - 1)
    rank = (items - 1) * (share < 1) + (towers - 1) * (share > 0)
    u = segment_towers(share * length, d=rank, device=device, **kwargs(sizes)).cpu()
    ones = torch.ones(towers, items, views, 1, dtype=torch.float64)
    item = normalise(contrasts(items))[None, :, None] * ones * sqrt(1 - share)
    tower = normalise(contrasts(towers))[:, None, None] * ones * sqrt(share)
    v = torch.cat((item, tower), dim=-1).flatten(0, 2)
    rows = u.flatten(0, 2)
    torch.testing.assert_close(rows @ rows.T, v @ v.T, rtol=0, atol=1e-14)
    found = mean_products(u[None], POSITIVES)
    assert float(found[0]) == pytest.approx(1 - share * length, abs=1e-14)
    with pytest.raises(ValueError, match=f"needs d >= {rank}, got d={rank - 1}"):
        segment_towers(share * length, d=rank - 1, **kwargs(sizes))


def test_structures_that_do_not_exist_are_refused():
    for x in (-0.01, 1.51, float("nan")):
        with pytest.raises(ValueError, match=r"0 <= x <= 1\.5"):
            segment_towers(x, K=3, N=4, d=9)
    inner = dict.fromkeys(("twin", "within_modality", "positive", "positive_sibling"), 0.0)
    with pytest.raises(ValueError, match=r"eigenvalue -.* \(shared_mean\)"):
        structured_many_towers({**inner, "negative": -0.5}, K=3, N=4, p=2, d=24)
    assert structured_many_towers({**inner, "negative": 0.0}, K=3, N=4, p=2, d=24).shape[-1] == 24


# --- the certificate --------------------------------------------------------------------------


def predicted(name, sizes, **params):
    return float(results["towers-threshold"].value(name, **kwargs(sizes), **params))


@pytest.mark.parametrize("sizes", [(2, 5, 2), (3, 6, 1), (4, 6, 2)], ids=str)
@pytest.mark.parametrize(("b", "w"), [(-4.0, 1.0), (-0.3, 0.8), (4.0, 0.5)])
def test_only_the_right_position_is_accepted(sizes, b, w):
    params = {"t": 1.0, "b": b, "w": w}
    x, d = predicted("x_star", sizes, **params), sum(sizes)
    right = segment_towers(x, d=d, **kwargs(sizes))[None]
    found = certify_many_towers(WEIGHTED, right, params)
    assert float(found.gap) < 1e-12  # up to 48 vectors of losses up to 100
    assert float(found.loss) == pytest.approx(predicted("loss", sizes, **params), rel=1e-13)
    for wrong in {max(0.0, x - 0.02), min(segment_length(sizes[0]), x + 0.02)} - {x}:
        u = segment_towers(wrong, d=d, **kwargs(sizes))[None]
        assert float(certify_many_towers(WEIGHTED, u, params).gap) > 1e-5
    moved = certify_many_towers(WEIGHTED, perturb(right, [1], 1e-3), params)
    assert float(moved.gap) > float(moved.loss - found.loss) > 0
    # Items that agree across towers but not within one.
    inner = {"twin": 0.5, "positive": 1.0, "positive_sibling": 0.5}
    inner |= {"negative": 0.0, "within_modality": 0.0}
    other = structured_many_towers(inner, d=sizes[1] * sizes[2], **kwargs(sizes))[None]
    assert float(certify_many_towers(WEIGHTED, other, params).gap) > 1e-3


def test_a_loss_that_is_not_convex_gets_no_bound():
    u = random_embeddings([0], m=3, n=2, p=2, d=4)
    wrong = replace(ALL, terms=(PairTerm("negative", -(c**2), S.One),))
    assert torch.isinf(certify_many_towers(wrong, u, {}).gap).all()
    negative_weight = {"t": 1.0, "b": 0.0, "w": -1.0}
    assert torch.isinf(certify_many_towers(WEIGHTED, u, negative_weight).gap).all()


def test_parameters_per_problem(device):
    w = torch.tensor([0.3, 1.0, 4.0], dtype=torch.float64, device=device)
    found = minimise_many_towers(
        WEIGHTED, {"t": 1.0, "b": 0.0, "w": w}, K=3, N=6, p=2, d=9, seeds=range(3), device=device
    )
    assert found.converged
    assert found.certificate is not None
    assert float(found.certificate.gap.max()) < 1e-10
    for i in range(3):
        least = predicted("loss", (3, 6, 2), t=1, b=0, w=float(w[i]))
        assert float(found.loss[i]) == pytest.approx(least, abs=1e-12)
    again = minimise_many_towers(
        WEIGHTED, {"t": 1.0, "b": 0.0, "w": w}, K=3, N=6, p=2, d=9, start=found.embeddings
    )
    assert again.seeds is None
    assert int(again.iterations.max()) <= 1
