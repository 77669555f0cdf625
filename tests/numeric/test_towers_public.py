"""Our losses against implementations that are in wide use, where they are installed.

Compared, with ``open_clip_torch`` 3.3 and ``info-nce-pytorch`` 0.1.4:

* ``open_clip.loss.SigLipLoss(u, v, logit_scale, logit_bias)`` equals the sigmoid loss here
  with t = logit_scale and b = -logit_bias: both divide by N (not N^2), and t multiplies.
* ``open_clip.loss.ClipLoss`` is the mean of the two directions, ours their sum, and its
  logit_scale is 1/t: twice its value is InfoNCE here.
* ``info_nce.info_nce`` is one direction; its value for (u, v) and for (v, u) add up to ours.

None of them is a dependency: a package that is not there is a test skipped. Of open_clip
the file with the losses alone is loaded, since the package itself wants torchvision.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
import torch
from cltheory.derive.results import results
from cltheory.derive.structures.arrangement import arrange
from cltheory.numeric.problems import evaluate, value_and_gradient
from cltheory.numeric.problems.embeddings import random_embeddings

SIGMOID, INFONCE = (results[f"{name}-optimum"].problem for name in ("sigmoid", "infonce"))
POINTS = [(0.5, 0.5), (1.0, -2.0), (10.0, 10.0)]


def open_clip_losses() -> ModuleType:
    package = importlib.util.find_spec("open_clip")
    if package is None or package.origin is None:
        pytest.skip("needs open_clip_torch")
    path = Path(package.origin).with_name("loss.py")
    spec = importlib.util.spec_from_file_location("open_clip_loss", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def towers(size):
    return random_embeddings(arrange(SIGMOID.structure, {"N": size}), size, d=6).requires_grad_()


def same(ours, theirs, u, params):
    theirs.backward()
    value, gradient = value_and_gradient(ours, u.detach(), params)
    torch.testing.assert_close(value, theirs.detach(), rtol=1e-13, atol=1e-13)
    torch.testing.assert_close(gradient, u.grad, rtol=1e-11, atol=1e-13)
    u.grad = None
    evaluate(ours, u, params).backward()
    torch.testing.assert_close(u.grad, gradient, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("size", [2, 7])
@pytest.mark.parametrize(("t", "b"), POINTS)
def test_siglip_of_open_clip(size, t, b):
    loss = open_clip_losses().SigLipLoss()
    u = towers(size)
    same(SIGMOID, loss(*u, t, -b), u, {"t": t, "b": b})
    with pytest.raises(AssertionError):  # the other sign of the bias is another loss
        same(SIGMOID, loss(*(u := towers(size)), t, b), u, {"t": t, "b": b})


@pytest.mark.parametrize("size", [2, 7])
@pytest.mark.parametrize("t", [0.07, 1.0])
def test_infonce_of_open_clip(size, t):
    u = towers(size)
    same(INFONCE, 2 * open_clip_losses().ClipLoss()(*u, 1 / t), u, {"t": t})


@pytest.mark.parametrize("t", [0.07, 1.0])
def test_infonce_of_info_nce_pytorch(t):
    info_nce = pytest.importorskip("info_nce", reason="needs info-nce-pytorch").info_nce
    u, v = both = towers(7).detach()
    value, _ = value_and_gradient(INFONCE, both, {"t": t})
    theirs = info_nce(u, v, temperature=t) + info_nce(v, u, temperature=t)
    # It divides by the lengths again, which moves unit vectors by rounding.
    torch.testing.assert_close(value, theirs, rtol=1e-12, atol=1e-12)
