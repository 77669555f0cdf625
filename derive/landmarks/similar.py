"""Landmarks of losses of cosines: the declaration at a configuration that is given by relations.

A configuration says, for each relation of a structure, which cosine its pairs have, or that the
vectors are drawn. Putting the cosines into the declared loss gives its value and its gradient;
where vectors are drawn, the mean of each logarithm is one of :mod:`.chance`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from math import isfinite, sqrt
from typing import NamedTuple

from sympy import Expr, Integer, Max, Number, S, Symbol, exp, lambdify, nan, oo, zoo
from sympy import log as symbolic_log

from ..decide.domain import Domain, DomainError
from ..decide.kinks import bent
from ..frozen import FrozenValue
from ..losses.pairwise import PairTerm, PairwiseLoss, c
from ..losses.softmax import SoftmaxLoss
from ..optimum import uniform as sphere
from ..optimum.reduce import Pool, ReducedLoss, inner_products
from ..structures.scheme import Scheme
from . import chance
from .landmark import Landmark, Options, exactly, least, number

SELF = "self"
#: Panels of a mean are no narrower than for exp of so many cosines.
SHARPEST = 1000.0


class Drawn(NamedTuple):
    """Vectors drawn independently and uniformly on the sphere, so many equal ones each time."""

    together: int


Cosines = Mapping[str, Expr | Drawn]
Bound = Callable[["Similar", Options], tuple[float, str]]


class Configuration(NamedTuple):
    """Embeddings that one knows.

    ``cosines`` are those of own, alike and other images (:class:`Place`); then come the
    configuration and what it usually means, in words, and the least dimension.
    """

    name: str
    cosines: tuple[Expr | Drawn, ...]
    words: str
    meaning: str
    needs: int = 1


class Place(FrozenValue):
    """Where a loss is evaluated: a structure, and what is alike in it.

    ``own`` are the relations of views of one image (or of a pair), ``alike`` those of other images
    of its class, ``others`` all others. ``sizes`` gives the sizes of the structure.
    """

    scheme: Scheme
    own: tuple[str, ...]
    alike: tuple[str, ...]
    others: tuple[str, ...]
    sizes: Callable[[Options], Mapping[Symbol, Expr]]
    #: (images, classes, vectors in a group of equal ones where images or classes coincide)
    counts: Callable[[Options], tuple[int, int, int]]


class Similar(FrozenValue):
    """A loss of cosines under one convention.

    Attributes
    ----------
    loss
        The declaration, with the library's factor in it.
    place
        Its structure.
    least
        Lower bounds; the largest is shown.
    inside
        Whether the sum over positives is inside the logarithm: minus the logarithm of all
        positives together over the denominator.
    detached
        Whether the gradient is stopped at some of the embeddings.
    """

    loss: SoftmaxLoss | PairwiseLoss
    place: Place
    least: tuple[Bound, ...]
    inside: bool = False
    detached: bool = False

    def lacks(self, options: Options) -> tuple[str, ...]:
        """The relations of positives or negatives of a term of which no vector has any."""
        point = self.place.sizes(options)
        for term in self.loss.terms:
            if isinstance(term, PairTerm):
                continue
            negatives = tuple(r for r in term.denominator if r not in term.positives)
            for relations in (term.positives, negatives):
                counts = (self.place.scheme.relation(r).count.xreplace(point) for r in relations)
                if all(count == 0 for count in counts):
                    return relations
        return ()

    def factor(self, options: Options) -> float:
        """What the coefficients of a softmax loss sum to; of functions of pairs, 1."""
        if isinstance(self.loss, PairwiseLoss):
            return 1.0
        total = sum((k.coefficient for k in self.loss.terms), S.Zero)
        return number(total.xreplace(self._point(options)))

    # --- the loss -------------------------------------------------------------------------------
    def value(self, g: Cosines, options: Options) -> tuple[float, str]:
        """The loss at a configuration, or its mean, and how it was found."""
        d, point = int(options["dim"]), self._point(options)
        fixed = {r: e for r, e in g.items() if isinstance(e, Expr)}
        if len(fixed) == len(g):
            return exactly(self._symbolic(fixed).xreplace(point).doit())
        how = f"mean over random vectors, by quadrature at d = {d}"
        if isinstance(self.loss, PairwiseLoss):
            return sum(self._drawn_pairs(g, point, d)), how
        return sum(self._drawn_logs(self.loss, g, point, d)), how

    def _point(self, options: Options) -> dict[Symbol, Expr]:
        """Sizes and parameters by the symbols of the declaration."""
        names = {s.name: s for s in _symbols(self.loss)}
        return {
            **self.place.sizes(options),
            **{names[k]: v for k, v in options.items() if k in names},
        }

    def _symbolic(self, g: Mapping[str, Expr]) -> Expr:
        scheme, loss = self.place.scheme, self.loss
        if isinstance(loss, PairwiseLoss):
            counts = {r.name: r.count for r in scheme.relations}
            parts = (counts[k.relation] * k.weight * k.at(g[k.relation]) for k in loss.terms)
            return sum(parts, S.Zero)
        reduced = ReducedLoss(loss, scheme)
        if not self.inside:
            return reduced.value(g)
        logs = self._logs(loss)
        return sum((k * symbolic_log(reduced.partition(pool, g)) for k, pool in logs), S.Zero)

    def _logs(self, loss: SoftmaxLoss) -> Iterator[tuple[Expr, Pool]]:
        """The logarithms that the loss is a sum of, with their weights."""
        if not self.inside:
            for pool, weight in ReducedLoss(loss, self.place.scheme).denominators.items():
                yield weight, pool
            return
        for term in loss.terms:
            yield term.coefficient, Pool(term.denominator)
            yield -term.coefficient, Pool(term.positives)

    def _drawn_logs(
        self, loss: SoftmaxLoss, g: Cosines, point: Mapping[Symbol, Expr], d: int
    ) -> Iterator[float]:
        reduced = ReducedLoss(loss, self.place.scheme)
        heat = loss.temperature.xreplace(point)
        tau = number(heat)
        for weight, pool in self._logs(loss):
            fixed: Expr = S.Zero
            drawn, together = 0, 1
            for r in (*pool.members, *((pool.own,) if pool.own else ())):
                several = reduced.scheme.relation(r).count.xreplace(point)
                count, cosine = 1 if r == pool.own else int(several), g[r]
                if isinstance(cosine, Drawn):
                    drawn, together = drawn + count // cosine.together, cosine.together
                else:
                    fixed += count * exp(cosine / heat)
            inner = number(symbolic_log(fixed)) if fixed else float("-inf")
            yield number(weight.xreplace(point)) * chance.mean_log(inner, drawn, together, d, tau)
        if not self.inside:  # the cosine of a vector that is drawn is 0 in the mean
            for r, pull in reduced.pulls.items():
                if not isinstance(cosine := g[r], Drawn):
                    count = reduced.scheme.relation(r).count
                    yield -number((count * pull).xreplace(point) * cosine) / tau

    def _drawn_pairs(self, g: Cosines, point: Mapping[Symbol, Expr], d: int) -> Iterator[float]:
        assert isinstance(self.loss, PairwiseLoss)
        for k in self.loss.terms:
            weight = (self.place.scheme.relation(k.relation).count * k.weight).xreplace(point)
            function, cosine = k.function.xreplace(point), g[k.relation]
            if isinstance(cosine, Drawn):
                # What multiplies the cosine is among the numbers, t or one of an own loss.
                scale = min(max([1.0, *(abs(number(e)) for e in function.atoms(Number))]), SHARPEST)
                each = chance.mean_of(lambdify(c, function, "numpy"), d, 1 / scale, kinks(function))
            else:
                each = number(function.xreplace({c: cosine}))
            yield number(weight) * each

    def gradient(self, g: Cosines, options: Options) -> float | None:
        r"""Frobenius norm of the gradient in all unit embeddings, tangent to the sphere.

        With A the derivative in each pair and G the Gram matrix, a row of the gradient is 2/N
        times (A - y) U, where y = (A G)_uu takes off the radial part. All matrices are constant on
        relations, so its square is :math:`4/N^2 \sum_e \dim_e (\theta_e - y)^2 \lambda_e`.
        """
        if self.detached or any(isinstance(e, Drawn) for e in g.values()):
            return None
        scheme, point = self.place.scheme, self._point(options)
        symbols = inner_products(scheme)
        at = {symbols[r]: e for r, e in g.items() if isinstance(e, Expr)}
        value = self._symbolic(symbols)
        slopes: dict[str, Expr] = {}
        for r in scheme.relations:
            count = r.count.xreplace(point)
            slope = value.diff(symbols[r.name]).xreplace(point).xreplace(at)
            slopes[r.name] = slope / count if count else S.Zero
            if slope.has(nan, zoo, oo):
                return None  # as of a distance that is 0
        size = scheme.size.xreplace(point)
        parts = []
        for e in scheme.eigenspaces:
            dimension = e.dimension.xreplace(point)
            theta = scheme.eigenvalue(e.name, slopes).xreplace(point)
            share = scheme.eigenvalue(e.name, {r: at[symbols[r]] for r in g}).xreplace(point)
            parts.append((dimension, theta, share))
        radial = sum((n * t * x for n, t, x in parts), S.Zero) / size
        square = sum((n * (t - radial) ** 2 * x for n, t, x in parts), S.Zero)
        return 2 / number(size) * sqrt(max(0.0, number(square)))

    # --- its landmarks --------------------------------------------------------------------------
    def configurations(self, options: Options) -> Iterator[Configuration]:
        """What embeddings may look like; without classes each image is one of its own."""
        images, classes, together = self.place.counts(options)
        one, zero, drawn = S.One, S.Zero, Drawn(1)
        apart = Integer(-1) / (images - 1)
        labelled = 1 < classes < images
        collapsed = "the samples of a class coincide and the classes are"
        yield Configuration(
            "all_equal",
            (one, one, one),
            "all cosines 1",
            "all embeddings have collapsed to one vector and the encoder ignores its input",
        )
        if labelled:
            yield Configuration(
                "classes_collapsed",
                (one, one, class_apart := Integer(-1) / (classes - 1)),
                f"within a class 1, across classes {class_apart}",
                f"{collapsed} as far apart as they can be, as at the end of supervised training",
                classes - 1,
            )
        yield Configuration(
            "classes_at_random",
            (one, one if labelled else zero, Drawn(together)),
            "within a class 1, classes drawn independently"
            if labelled
            else "views 1, images drawn independently",
            f"{collapsed} spread at random"
            if labelled
            else "views coincide and images are spread at random",
        )
        yield Configuration(
            "random",
            (drawn, drawn, drawn),
            "all vectors drawn independently",
            "nothing is learned: positives are no more alike than others",
        )
        told = "images are told apart" + (" and classes are not learned" if labelled else "")
        yield Configuration("orthogonal", (one, zero, zero), "views 1, images 0", told, images)
        yield Configuration(
            "simplex",
            (one, apart, apart),
            f"views 1, images {apart}",
            "images are as far apart as they can be" + told.removeprefix("images are told apart"),
            images - 1,
        )

    def cosines(self, configuration: Configuration) -> Cosines:
        """The cosine of each relation."""
        place, (own, alike, others) = self.place, configuration.cosines
        return {
            SELF: S.One,
            **dict.fromkeys(place.own, own),
            **dict.fromkeys(place.alike, alike),
            **dict.fromkeys(place.others, others),
        }

    def bound(self, options: Options) -> tuple[float, str]:
        """The best lower bound that is known, and why it holds."""
        return max(bound(self, options) for bound in self.least)

    def landmarks(self, options: Options) -> Iterator[Landmark]:
        """All landmarks, the lower bound last."""
        point = self._point(options)
        relations = (*self.place.alike, self.place.others[0])
        counts = {r: self.place.scheme.relation(r).count.xreplace(point) for r in relations}
        unrelated = {r.name: Integer(r.name == SELF) for r in self.place.scheme.relations}
        bound = cache(lambda: self.bound(options))
        for configuration in self.configurations(options):
            g = self.cosines(configuration)
            value, how = self.value(g, options)
            if any(isinstance(e, Drawn) for e in g.values()) and value < bound()[0]:
                continue  # no mean is below the bound: it was lost to rounding
            if not isfinite(value):
                raise DomainError(f"the loss is too large for a number at {configuration.name}")
            fixed = {r: e for r in counts if isinstance(e := g[r], Expr)}
            mean = sum((counts[r] * e for r, e in fixed.items()), S.Zero) / sum(counts.values())
            same = configuration.name == "all_equal" and self.value(unrelated, options)[0] == value
            yield Landmark(
                configuration.name,
                value,
                how,
                configuration.words,
                configuration.meaning,
                number(mean),
                self.gradient(g, options),
                configuration.needs,
                int(options["dim"]),
                {"all vectors orthogonal, views too": 0.0} if same else {},
            )
        lowest, why = bound()
        yield least(lowest, f"lower bound: {why}")

    def at(self, name: str, options: Options) -> float:
        """The value of one configuration."""
        (found,) = (k for k in self.configurations(options) if k.name == name)
        return self.value(self.cosines(found), options)[0]


def kinks(function: Expr) -> tuple[float, ...]:
    """Where a function of the inner product bends inside (-1, 1)."""
    return tuple(map(number, bent(function, c, Domain({})).kinks)) if function.has(Max) else ()


def _symbols(loss: SoftmaxLoss | PairwiseLoss) -> set[Symbol]:
    if isinstance(loss, SoftmaxLoss):
        found = set(loss.temperature.free_symbols)
        return found.union(*(k.coefficient.free_symbols for k in loss.terms))
    return set().union(*(k.function.free_symbols | k.weight.free_symbols for k in loss.terms)) - {c}


# --- lower bounds ------------------------------------------------------------------------------
def at_simplex(loss: Similar, options: Options) -> tuple[float, str]:
    """The value at the simplex of classes or, without classes, of images.

    It is the minimum in every dimension that the simplex needs, and so a bound in all
    (``simclr``, ``supcon``, ``sincere``, ``infonce-optimum``). With the sum over positives inside
    the logarithm too: each anchor has log(1 + N/P) with P at most its number of positives times
    e^(1/tau), so that Jensen leaves the mean cosine across classes, which is at least -1/(m - 1).
    """
    images, classes, _ = loss.place.counts(options)
    name = "classes_collapsed" if 1 < classes < images else "simplex"
    return loss.at(name, options), "the simplex, optimal where d allows it"


def at_image_simplex(loss: Similar, options: Options) -> tuple[float, str]:
    """The same for a loss that knows no classes, whatever the labels are."""
    return loss.at("simplex", options), "the simplex, optimal where d allows it"


def uniform(items: Callable[[Options], int]) -> Bound:
    """The bound of ``uniform-bound`` with log(items), times the factor of the loss.

    With the anchor left out, and classes of K, there are (K - 1) m items: n for two views.
    """

    def bound(loss: Similar, options: Options) -> tuple[float, str]:
        assert isinstance(loss.loss, SoftmaxLoss)
        point = loss._point(options)
        tau = loss.loss.temperature.xreplace(point)
        count = items(options)
        bound = sphere.at_uniform(Integer(count), tau).xreplace({sphere.d: Integer(options["dim"])})
        said = f"uniform-bound, d = {options['dim']}, log {count}; proved in words"
        return loss.factor(options) * number(bound), said

    return bound
