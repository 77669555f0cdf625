"""Functions of one inner product: stable forms, values and derivatives."""

from __future__ import annotations

import mpmath
import pytest
import torch
from cltheory.derive.losses.clip import SIGMOID, t
from cltheory.derive.losses.pairwise import c
from cltheory.numeric.problems.scalar import compile_scalar, stable
from sympy import Function, Max, Min, S
from sympy import exp as Exp
from sympy import log as Log


@pytest.mark.parametrize("at", [(1.0, 1000.0, 0.0), (-1.0, 1000.0, -900.0), (0.3, 1e-6, 40.0)])
def test_the_sigmoid_loss_neither_overflows_nor_cancels(at):
    inner, temperature, bias = at
    function = compile_scalar(SIGMOID.terms[0].function)
    assert function.names == ("b", "t")
    numbers = [torch.tensor(v, dtype=torch.float64) for v in (inner, bias, temperature)]
    with mpmath.workdps(1000):  # 1 - weight is as small as exp(-1900)
        z = mpmath.mpf(bias) - mpmath.mpf(temperature) * mpmath.mpf(inner)
        weight = 1 / (1 + mpmath.exp(-z))
        exact = (
            mpmath.log1p(mpmath.exp(z)),
            -mpmath.mpf(temperature) * weight,
            mpmath.mpf(temperature) ** 2 * weight * (1 - weight),
        )
        for found, wanted in zip(function.expand(*numbers), exact, strict=True):
            # exp of 1000 has a relative error of 1000 eps; what underflows is 0 in both.
            assert float(found) == pytest.approx(float(wanted), rel=1e-12, abs=1e-300)


def test_stable_forms():
    assert "Softplus" in str(stable(Log(2 + 3 * Exp(t * c))))
    assert "Sigmoid" in str(stable(1 / (1 + Exp(t * c)) ** 2))
    x = torch.linspace(-1, 1, 5, dtype=torch.float64)
    for form in (
        Log(2 + 3 * Exp(2 * c)),
        5 / (2 + 3 * Exp(2 * c)) ** 3,
        Max(0, c, c**2),
        Min(c, 0),
    ):
        value = compile_scalar(form).expand(x, order=0)[0]
        expected = [float(form.subs(c, float(v))) for v in x]
        torch.testing.assert_close(value, torch.tensor(expected, dtype=torch.float64))
    constant, slope, second = compile_scalar(S(3) + 2 * c).expand(x)
    assert (float(constant[0]), slope.tolist(), second.tolist()) == (1.0, [2.0] * 5, [0.0] * 5)


def test_a_function_without_torch_form_is_refused():
    with pytest.raises(ValueError, match="torch cannot evaluate"):
        compile_scalar(Function("f")(c))
