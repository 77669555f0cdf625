r"""How far the samples of each class have gathered, and how class means stand to each other.

An embedding :math:`z_i` of class c has the class mean :math:`\mu_c`; classes count by their samples
in variances, and one each in what is said of means, whose centre is
:math:`\mu = \frac1C \sum_c \mu_c`. Everything can be differentiated.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from .inputs import Points, batch_of, members

#: Class means count as equal below this times the mean square, the rounding of a float squared.
COINCIDE = 100


class ClassVariances(NamedTuple):
    """Variances of embeddings in classes; ``within + between`` is the variance of all.

    Attributes
    ----------
    within
        Mean squared distance of an embedding to the mean of its class.
    between
        Mean squared distance of an embedding's class mean to the mean of all.
    of_class, counts, classes
        For each class the mean squared distance of its embeddings to their mean, ``(C,)``, their
        number, and the label.
    means
        ``(C, d)``.
    """

    within: Tensor
    between: Tensor
    of_class: Tensor
    counts: Tensor
    classes: Tensor
    means: Tensor


def class_variances(z: Points, labels: Points) -> ClassVariances:
    r"""Within-class and between-class variance.

    .. math:: \text{within} = \frac1n \sum_i |z_i - \mu_{c(i)}|^2, \qquad
              \text{between} = \frac1n \sum_i |\mu_{c(i)} - \bar z|^2.

    For unit vectors both are at most 1, and their sum is 1 less the squared length of the mean. A
    class of one sample has no variance within.

    Parameters
    ----------
    z
        ``(n, d)``.
    labels
        ``(n,)``, integers.

    Returns
    -------
    ClassVariances
        ``within`` and ``between``, each at least 0.

    Raises
    ------
    ValueError
        If there is not one label for each row, or a row is not finite.
    """
    z = batch_of(z)
    classes, member, counts = members(labels, z)
    sums = z.new_zeros(len(classes), z.shape[1]).index_add(0, member, z)
    means = sums / counts[:, None]
    apart = (z - means[member]).square().sum(1)
    of_class = apart.new_zeros(len(classes)).index_add(0, member, apart) / counts
    between = (means - z.mean(0)).square().sum(1) @ counts.to(z.dtype) / len(z)
    return ClassVariances(apart.mean(), between, of_class, counts, classes, means)


class NeuralCollapse(NamedTuple):
    """The measures of Papyan, Han and Donoho; each is 0 at neural collapse.

    Attributes
    ----------
    nc1
        Within-class variability: tr(Sigma_W Sigma_B^+) / C.
    nc2_equinorm
        Standard deviation of the lengths of the centred class means over their mean.
    nc2_equiangular
        Standard deviation of the cosines of different centred class means.
    nc2_maximal
        Mean of |cosine + 1/(C - 1)| of them: how far from the simplex.
    nc3
        Self-duality, :math:`|W/|W|_F - M/|M|_F|_F^2`; None without a classifier.
    """

    nc1: Tensor
    nc2_equinorm: Tensor
    nc2_equiangular: Tensor
    nc2_maximal: Tensor
    nc3: Tensor | None


def neural_collapse(z: Points, labels: Points, classifier: Points | None = None) -> NeuralCollapse:
    r"""NC1, NC2 and, with a classifier, NC3.

    With :math:`\Sigma_W = \frac1n \sum_i (z_i - \mu_{c(i)})(z_i - \mu_{c(i)})^\top` and
    :math:`\Sigma_B = \frac1C \sum_c (\mu_c - \mu)(\mu_c - \mu)^\top`.

    Parameters
    ----------
    z, labels
        ``(n, d)`` and ``(n,)``.
    classifier
        Weights ``(C, d)`` of the last layer, classes in the order of their labels.

    Returns
    -------
    NeuralCollapse
        All nan where the class means coincide.

    Raises
    ------
    ValueError
        If there is one class only, or the classifier does not match.

    References
    ----------
    Papyan, Han, Donoho: Prevalence of neural collapse during the terminal phase of deep learning
    training, PNAS 2020, figures 2 to 6.
    """
    z = batch_of(z)
    found = class_variances(z, labels)
    size = len(found.classes)
    if size < 2:
        raise ValueError("neural collapse needs two classes or more, and there is one")
    m = found.means - found.means.mean(0)
    lengths = torch.linalg.vector_norm(m, dim=1)
    rounding = COINCIDE * torch.finfo(z.dtype).eps
    known = lengths.amax().detach() > rounding * z.detach().square().sum(1).mean().sqrt()
    unknown = z.new_tensor(torch.nan)
    # |w M^+|^2 in the mean is tr(Sigma_W Sigma_B^+) / C; the smaller of C and d is formed.
    w, inverse = z - found.means[members(labels, z).own], torch.linalg.pinv(m)
    if size > z.shape[1]:
        nc1 = torch.linalg.vecdot(w @ (inverse @ inverse.mT), w).mean()
    else:
        nc1 = (w @ inverse).square().sum(1).mean()
    angles = cosines(m)[~torch.eye(size, dtype=torch.bool, device=z.device)]
    nc3 = None
    if classifier is not None:
        weights = batch_of(classifier, "the classifier").to(z)
        if weights.shape != m.shape:
            raise ValueError(f"the classifier must be {tuple(m.shape)}, not {tuple(weights.shape)}")
        apart = weights / torch.linalg.matrix_norm(weights) - m / torch.linalg.matrix_norm(m)
        nc3 = torch.where(known, apart.square().sum(), unknown)
    equinorm, equiangular = lengths.std(correction=0) / lengths.mean(), angles.std(correction=0)
    measures = (nc1, equinorm, equiangular, (angles + 1 / (size - 1)).abs().mean())
    a, b, c, d = (torch.where(known, x, unknown) for x in measures)
    return NeuralCollapse(a, b, c, d, nc3)


def cosines(rows: Tensor) -> Tensor:
    """Of all pairs of rows; those of a zero row are 0."""
    unit = torch.nn.functional.normalize(rows, dim=-1)
    return unit @ unit.mT


def simplex_distance(means: Points) -> Tensor:
    r"""Root mean square distance of class means to the regular simplex, however that is turned.

    The simplex has C unit vectors with inner products -1/(C - 1); the distance is
    :math:`\min_Q \sqrt{\frac1C \sum_c |\mu_c - Q s_c|^2}` over all rotations and reflections.
    Where d < C - 1 there is no simplex, and the distance is positive.

    Parameters
    ----------
    means
        ``(C, d)``, C >= 2: `class_variances` has them.

    Returns
    -------
    Tensor
        0 at the simplex, 1 if all means vanish, the square root of 2 if all are one unit vector.

    Raises
    ------
    ValueError
        If there is one class only.
    """
    means = batch_of(means, "class means")
    size = len(means)
    if size < 2:
        raise ValueError("a simplex needs two classes or more, and there is one")
    eye = torch.eye(size, dtype=means.dtype, device=means.device)
    simplex = (eye - 1 / size) * (size / (size - 1)) ** 0.5
    # Of all turns the best has the sum of the singular values of M^T S for inner products.
    inner = torch.linalg.svdvals(means.mT @ simplex).sum() / size
    squared: Tensor = means.square().sum(1).mean() + 1 - 2 * inner
    return squared.clamp_min(torch.finfo(means.dtype).tiny).sqrt()
