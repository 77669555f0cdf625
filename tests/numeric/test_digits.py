"""Views of digits, and the linear evaluation of what an encoder makes of them."""

from __future__ import annotations

import pytest
import torch
from cltheory.numeric.digits import RIDGE, linear_accuracy, views

CLASSES = torch.arange(40) % 10
FIT, TEST = torch.arange(30), torch.arange(30, 40)


def test_views_of_an_image_are_like_it() -> None:
    image = torch.zeros(8, 8)
    image[3:5, 2:6] = 1
    found = views(image.reshape(1, -1).repeat(50, 1), torch.Generator().manual_seed(0))
    assert found.shape == (50, 2, 64)
    like = torch.cosine_similarity(found.mean((0, 1)), image.reshape(-1), dim=0)
    assert like > 0.8
    assert not torch.equal(found[:, 0], found[:, 1])


def test_linear_accuracy_is_ridge_regression() -> None:
    linear_model = pytest.importorskip("sklearn.linear_model")
    random = torch.Generator().manual_seed(0)
    means = torch.randn(10, 5, generator=random, dtype=torch.float64)
    x = means[CLASSES] + 0.7 * torch.randn(40, 5, generator=random, dtype=torch.float64)
    seen = (x - x[FIT].mean(0)) / (x[FIT] - x[FIT].mean(0)).square().mean().sqrt()
    ones = torch.cat([seen, torch.ones(40, 1, dtype=torch.float64)], 1).numpy()
    ridge = linear_model.Ridge(alpha=RIDGE * len(FIT), fit_intercept=False)
    ridge.fit(ones[:30], torch.eye(10)[CLASSES[:30]].numpy())
    right = (ridge.predict(ones[30:]).argmax(1) == CLASSES[30:].numpy()).mean()
    assert 0 < right < 1
    assert linear_accuracy(x, CLASSES, FIT, TEST) == pytest.approx(right)


def test_what_is_tested_on_is_not_fitted_on() -> None:
    """Images that belong to neither part, and the classes that are tested, change no fit."""
    random = torch.Generator().manual_seed(1)
    x = torch.randn(50, 5, generator=random, dtype=torch.float64)
    classes = torch.arange(50) % 10
    before = linear_accuracy(x, classes, FIT, TEST)
    x[40:] = 1e6
    assert linear_accuracy(x, classes, FIT, TEST) == before
    # Each image alone: the fit is the same whatever else is tested.
    single = [linear_accuracy(x, classes, FIT, TEST[k : k + 1]) for k in range(10)]
    assert sum(single) / 10 == pytest.approx(before)
    with pytest.raises(ValueError, match="1 of the images to test on"):
        linear_accuracy(x, classes, FIT, torch.arange(29, 40))
    x[0, 0] = float("nan")
    with pytest.raises(ValueError, match="not finite"):
        linear_accuracy(x, classes, FIT, TEST)
