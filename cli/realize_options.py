"""What ``cltheory realize`` is asked, and what it reads for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import click

from ..derive.frozen import FrozenValue
from . import label_files
from .numeric_options import need_torch
from .parameters import short
from .writing import check_writable

if TYPE_CHECKING:
    from ..numeric.realize.pairs import Array, Tell
    from ..numeric.realize.verdict import Verdict

#: Schemes, by what their labels are.
CLASSES = ("supcon", "soft-supcon")
VECTORS = ("y-aware", "x-clr", "euclidean")
MOST_DIMENSIONS, MOST_SAMPLES = 2**16, 10**9


class Asked(SimpleNamespace):
    """The options, by their names."""

    @property
    def source(self) -> str:
        """Where the weights are from."""
        return self.labels or self.weights or "--sizes"

    @property
    def measure(self) -> Any:
        """The similarity of embeddings."""
        if self.similarity is not None:
            return self.similarity
        return "euclidean" if self.scheme == "euclidean" else "cosine"

    def check(self) -> None:
        """Refuse what does not go together, before any file is read."""
        given = [f"--{k}" for k in ("labels", "sizes", "weights") if getattr(self, k) is not None]
        scheme, of_classes = self.scheme, self.scheme in CLASSES
        for wrong, says in (
            (not given, "give --labels, --sizes or --weights"),
            (len(given) > 1, f"{' and '.join(given)} exclude each other; give only one"),
            (self.weights and scheme, "--weights and --scheme exclude each other; give only one"),
            (
                not self.weights and not scheme,
                f"give --scheme: one of {', '.join((*CLASSES, *VECTORS))}",
            ),
            (
                self.sizes and not of_classes,
                f"--sizes needs a class scheme; {scheme} takes --labels",
            ),
            (
                self.column is not None and not (of_classes and self.labels),
                "--column needs --labels with a scheme of classes",
            ),
            (
                scheme == "euclidean" and self.similarity == "cosine",
                "for cosine similarity with these weights, use --scheme y-aware",
            ),
            *self._of_one_scheme("--epsilon", self.epsilon, "soft-supcon"),
            *self._of_one_scheme("--tau-prime", self.tau_prime, "x-clr"),
            ((self.epsilon or 0) > 1, f"--epsilon must be at most 1, not {self.epsilon or 0:g}"),
            (self.measure == "cosine" and not self.tau, "cosine similarities need --tau"),
            (
                self.measure == "euclidean" and self.tau,
                "Euclidean similarities have no temperature: leave out --tau",
            ),
            (
                not self.q and not self.embeddings,
                "give --dim, the dimension of the embedding, or --embeddings",
            ),
            (
                self.embeddings and self.sizes,
                "--embeddings needs the class of each sample: give --labels",
            ),
        ):
            if wrong:
                raise click.UsageError(says)
        if self.embeddings is not None:
            need_torch()
        self._check_files()

    def _of_one_scheme(
        self, option: str, value: float | None, scheme: str
    ) -> Iterator[tuple[bool, str]]:
        yield self.scheme == scheme and value is None, f"{scheme} needs {option}"
        yield (
            self.scheme != scheme and value is not None,
            f"{option} applies only to --scheme {scheme}",
        )

    def _check_files(self) -> None:
        if self.output is not None and Path(self.output).suffix.lower() != ".npz":
            raise click.UsageError(f"--output must be a .npz file, not {short(self.output)!r}")
        files = (self.labels, self.weights, self.embeddings)
        if self.output is not None:
            check_writable(self.output, force=self.force, reads=files)


class Case(FrozenValue):
    """What was read, and the function that decides; what the loss is given, one row a sample."""

    samples: int
    decide: Callable[[Tell], Verdict]
    labels: Any = None
    names: Sequence[str] = ()
    sizes: Sequence[int] = ()
    index: Sequence[int] = ()


def case_of(asked: Asked) -> Case:
    """Read the labels or weights.

    Raises
    ------
    click.UsageError
        If a file cannot be read.
    Unfit
        If what it has is not what the loss takes.
    """
    if asked.scheme in CLASSES:
        return _of_classes(asked)
    from ..numeric.realize import points, weights
    from ..numeric.realize.pairs import Unfit
    from ..numeric.realize.verdict import TOLERANCE, Wanted

    # What is to be written is searched for; else only where that takes a moment.
    is_wanted = asked.search or asked.output is not None
    wanted = Wanted(
        asked.q,
        asked.tau,
        asked.measure,
        asked.tolerance or TOLERANCE,
        True if is_wanted else None,
        asked.seeds,
    )
    if asked.weights is not None:
        w = weights.checked(label_files.matrix(asked.weights))
        return Case(len(w), lambda tell: weights.of_weights(w, replace(wanted, tell=tell)), w)
    y = label_files.vectors(asked.labels)
    if len(y) < 2:
        raise Unfit("one sample has no pair")
    p = y if asked.scheme != "x-clr" else points.directions(y, asked.tau_prime or 1.0)

    def decide(tell: Tell) -> Verdict:
        verdict = points.of_points(p, replace(wanted, tell=tell))
        may_be_proved = asked.scheme != "x-clr" and len(p) <= points.PROVABLE
        if may_be_proved and points.proved(verdict, p, wanted):
            verdict.evidence = "exact"
        return verdict

    return Case(len(y), decide, y)


def _of_classes(asked: Asked) -> Case:
    from ..numeric.realize.classes import of_sizes
    from ..numeric.realize.pairs import Unfit
    from ..numeric.realize.verdict import DENSE, Wanted

    if asked.sizes is not None:
        names, sizes = [str(k + 1) for k in range(len(asked.sizes))], list(asked.sizes)
        index: list[int] = []
    else:
        names, sizes, index = label_files.classes(asked.labels, asked.column)
    if sum(sizes) > MOST_SAMPLES:
        raise Unfit(f"{sum(sizes)} samples are more than the maximum of {MOST_SAMPLES}")
    if len(sizes) > DENSE:
        raise Unfit(
            f"{len(sizes)} classes are more than the maximum of {DENSE}; for numerical labels use "
            "--scheme y-aware or euclidean"
        )
    if asked.scheme == "supcon" and min(sizes) < 2:
        lonely = [name for name, size in zip(names, sizes, strict=True) if size < 2]
        rest = f" (and {len(lonely) - 1} more)" if len(lonely) > 1 else ""
        raise Unfit(
            f"class {short(lonely[0])!r}{rest} has one sample, so no positive pair, and the loss "
            "of that anchor is not defined: leave it out, add a second view of it, or take "
            "soft-supcon"
        )
    q, tau, epsilon = asked.q, asked.tau, asked.epsilon or 0.0
    wanted = Wanted(q, tau, asked.measure, seeds=asked.seeds)
    return Case(
        sum(sizes),
        lambda tell: of_sizes(sizes, replace(wanted, tell=tell), epsilon),
        index,
        names,
        sizes,
        index,
    )


def in_batches(batch: int, case: Case) -> str:
    """What the verdict says of batches.

    In a batch targets and softmax probabilities are those of all data, conditional on the batch; so
    they agree in every batch if they agree at all, and three samples show each of their ratios.

    Raises
    ------
    click.UsageError
        If there are not so many samples.
    """
    if batch > case.samples:
        raise click.UsageError(f"--batch {batch} is more than the {case.samples} samples")
    return (
        f"over all batches of {batch} samples the verdict is the same: embeddings attain the bound "
        "in every batch iff they attain it on all data; the numbers are those of all data"
    )


def embeddings(asked: Asked) -> Array:
    """Read the embeddings to compare.

    Raises
    ------
    click.UsageError
        If they cannot be read, or have another dimension than was given.
    """
    z = label_files.vectors(asked.embeddings, "embeddings")
    if asked.q is not None and asked.q != z.shape[1]:
        raise click.UsageError(
            f"{short(asked.embeddings)} has {z.shape[1]} dimensions, but --dim is {asked.q}"
        )
    return z
