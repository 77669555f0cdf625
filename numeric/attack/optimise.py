"""L-BFGS on many starts at once: each has its own memory and its own line search."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

#: Pairs that are remembered.
MEMORY = 8
#: Times that a step is made four times shorter before it is given up.
SHORTER = 8
#: What is demanded of a step: a part of what the slope promises.
ARMIJO = 1e-4
#: Gains below this end a start.
FLAT = 1e-12

#: Values [starts] of starts [starts, numbers]; -inf where there is none.
Objective = Callable[[Tensor], Tensor]


def value_and_slope(objective: Objective, x: Tensor) -> tuple[Tensor, Tensor]:
    """Values, and the gradient of each with respect to its own start; 0 where it is not finite."""
    x = x.detach().requires_grad_(True)
    value = objective(x)
    total = torch.where(value.isfinite(), value, torch.zeros_like(value)).sum()
    if total.requires_grad:
        (slope,) = torch.autograd.grad(total, x)
        slope = torch.nan_to_num(slope, nan=0.0, posinf=0.0, neginf=0.0)
    else:
        slope = torch.zeros_like(x)
    return value.detach(), slope


def climb(
    objective: Objective,
    x: Tensor,
    *,
    adam: int = 40,
    iterations: int = 150,
) -> tuple[Tensor, Tensor]:
    """Increase the objective from every start: Adam first, which passes kinks, then L-BFGS.

    Parameters
    ----------
    objective, x
        What to increase, and where to start.
    adam, iterations
        Steps of each.

    Returns
    -------
    tuple
        The best of each start, and its value.
    """
    best, highest = x.detach().clone(), objective(x.detach()).detach()
    x = best.clone()

    def keep(points: Tensor, values: Tensor) -> None:
        better = values > highest
        best[better], highest[better] = points[better], values[better]

    first, second = torch.zeros_like(x), torch.zeros_like(x)
    for k in range(adam):
        value, slope = value_and_slope(objective, x)
        keep(x, value)
        first = 0.9 * first + 0.1 * slope
        second = 0.99 * second + 0.01 * slope**2
        rate = 0.15 * (1 - k / adam) + 0.005
        ahead = first / (1 - 0.9 ** (k + 1))
        x = x + rate * ahead / ((second / (1 - 0.99 ** (k + 1))).sqrt() + 1e-12)
    x = best.clone()

    value, slope = value_and_slope(objective, x)
    # Newest last; [starts, numbers], and [starts].
    steps: list[Tensor] = []
    turns: list[Tensor] = []
    inverse: list[Tensor] = []
    alive = value.isfinite()
    for _ in range(iterations):
        if not alive.any():
            break
        direction = _direction(slope, steps, turns, inverse)
        promise = (direction * slope).sum(-1)
        lost = promise <= 0
        direction[lost] = slope[lost]
        promise = torch.where(lost, (slope**2).sum(-1), promise)
        size = torch.linalg.vector_norm(direction, dim=-1)
        # Of rows that are normalised, a step longer than they are says nothing.
        length = torch.where(size > 1, 1 / size.clamp_min(1e-300), torch.ones_like(size))
        if not steps:
            length = length * 0.3
        taken, new, new_value = torch.zeros_like(alive), x.clone(), value.clone()
        for _ in range(SHORTER):
            trial = x + length[:, None] * direction
            found = objective(trial).detach()
            good = alive & ~taken & (found >= value + ARMIJO * length * promise)
            new[good], new_value[good] = trial[good], found[good]
            taken |= good
            if bool((taken | ~alive).all()):
                break
            length = torch.where(taken, length, length / 4)
        _, new_slope = value_and_slope(objective, new)
        gained = new_value - value
        step, turn = new - x, slope - new_slope  # of the function to be decreased
        curve = (step * turn).sum(-1)
        sound = taken & (curve > 1e-12 * (turn**2).sum(-1).clamp_min(1e-300))
        weight = torch.where(sound, 1 / curve.clamp_min(1e-300), torch.zeros_like(curve))
        steps.append(torch.where(sound[:, None], step, torch.zeros_like(step)))
        turns.append(torch.where(sound[:, None], turn, torch.zeros_like(turn)))
        inverse.append(weight)
        if len(steps) > MEMORY:
            del steps[0], turns[0], inverse[0]
        alive = alive & taken & (gained > FLAT)
        x, value, slope = new, new_value, new_slope
    keep(x, value)
    return best, highest


def _direction(
    slope: Tensor, steps: list[Tensor], turns: list[Tensor], inverse: list[Tensor]
) -> Tensor:
    """The two loops; a pair of weight 0 is none."""
    q = slope.clone()
    parts = []
    for s, y, w in zip(reversed(steps), reversed(turns), reversed(inverse), strict=True):
        a = w * (s * q).sum(-1)
        q = q - a[:, None] * y
        parts.append(a)
    if steps:
        curve, norm = (steps[-1] * turns[-1]).sum(-1), (turns[-1] ** 2).sum(-1)
        scale = torch.where(norm > 0, curve / norm.clamp_min(1e-300), torch.ones_like(norm))
        q = q * scale[:, None]
    for s, y, w, a in zip(steps, turns, inverse, reversed(parts), strict=True):
        b = w * (y * q).sum(-1)
        q = q + (a - b)[:, None] * s
    return q
