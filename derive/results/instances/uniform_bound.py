"""What softmax losses are at least in d dimensions, for any number of vectors.

The moments of the sphere give the mean of exp(x.y/tau), a series; lemmas say that no vectors have a
smaller mean logarithm; and the simplex is a bound in every dimension. The larger of the two counts.
"""

from __future__ import annotations

from sympy import Expr, Max, Piecewise, Rational, S, Symbol, diff, exp, log

from ...decide.domain import POSITIVE, Domain, Range, at_least
from ...decide.evidence import Holds
from ...losses.clip import CLIP
from ...losses.setting import Setting
from ...losses.simclr import SIMCLR
from ...losses.softmax import SoftmaxTerm, tau
from ...optimum.dimension import d
from ...optimum.uniform import Counted, at_uniform
from ...optimum.vertex import vertex
from ...problems.catalogue import CATALOGUE
from ...problems.problem import Problem
from ...proof.derivation import Derivation, StepFailed
from ...proof.relations import eq, ge, gt
from ...proof.sphere import AFFINITY
from ...proof.statement import Relations
from ...structures.hierarchy import n, p
from ...structures.scheme import Scheme, complete
from ...structures.towers import N
from ...theorem.quantity import Quantity
from ...theorem.result import Result

MEANINGS = {
    N: "number of vectors in each denominator; in one tower the anchor is among them",
    n: "number of groups (images, items or classes), where the anchor is excluded",
    p: "number of vectors in each group (views), where the anchor is excluded",
    d: "dimension of the embeddings",
    tau: "temperature, by which inner products are divided",
}
DOMAIN = Domain(
    {N: at_least(2), n: at_least(2), p: at_least(2), d: at_least(1), tau: POSITIVE},
    {N: 100, n: 50, p: 2, d: 3, tau: Rational(1, 10)},
)
SETTING = Setting(
    (
        "unit vectors in d dimensions, aligned or not",
        "the positives of an anchor have the weight 1 together",
        r"${}_0F_1(;b;z)$ is the sum of $z^k/(b (b + 1) \cdots (b + k - 1)\, k!)$",
    ),
    r"\operatorname{mean}_u \Bigl[\log\sum_w e^{\langle u, w\rangle/\tau} - \sum_v a_{uv} "
    r"\langle u, v\rangle/\tau\Bigr], \quad \sum_v a_{uv} = 1",
    "d, a parameter",
    "any softmax loss of these kinds, in the terms of no library",
)


def build(proof: Derivation) -> dict[str, Quantity]:
    _state_mean(proof)

    def counted(term: SoftmaxTerm, scheme: Scheme, title: str) -> Expr:
        says = Counted.from_term(term, scheme, DOMAIN)
        proof.add(title, says, "anchors have equal denominators, up to the anchor itself")
        return at_uniform(says.shown.args[1], tau)

    one = complete(N, "other", "contrasts")
    everything = SoftmaxTerm(S.One, positives=("other",), denominator=("self", "other"))
    clip, views = CATALOGUE["clip"], CATALOGUE["simclr"]
    first = counted(everything, one, "In one tower with the anchor all N vectors count")
    opposite = gt(2 * exp(-2 / tau) / (1 + exp(-2 / tau)), exp(-2 / tau))
    proof.add(
        "At d = 1 the affinity of opposite vectors is larger than two towers need",
        Relations(opposite, DOMAIN, lemma=AFFINITY),
        "it is 1 - tanh(1/tau) there; for d >= 2 it is proved in words",
    )
    towers = counted(CLIP.terms[0], clip.scheme, "In two towers the N items count")
    out = counted(SIMCLR.terms[0], views.scheme, "Without the anchor fewer vectors count")
    simplex = _simplex(clip, "shared_contrasts", "In two towers", proof)
    apart = _simplex(views, "instances", "Without the anchor", proof)
    words = Symbol("uniform"), Symbol("simplex")
    return {
        "loss_at_least": Quantity(
            first,
            r"\mathcal{L}_{\mathrm{uniform}}",
            "lower bound on the loss of one tower, the anchor included: its value at aligned "
            "vectors that are uniform on the sphere",
        ),
        "loss_at_least_two_towers": Quantity(
            towers,
            r"\mathcal{L}_{\mathrm{towers}}",
            "lower bound on InfoNCE of two towers in each direction, and so on CLIP",
        ),
        "loss_at_least_anchor_out": Quantity(
            out,
            r"\mathcal{L}_{\mathrm{out}}",
            "lower bound with the anchor excluded (NT-Xent: n images, p = 2 views)",
        ),
        "loss_at_least_best": Quantity(
            Max(first, simplex),
            r"\mathcal{L}_{\mathrm{best}}",
            "the larger of the first bound and that of the simplex, the minimum of CLIP over all "
            "dimensions",
        ),
        "regime": Quantity(
            Piecewise((words[0], first > simplex), (words[1], True)),
            r"\text{regime}",
            "which of the two is larger: that of the uniform distribution or of the simplex",
        ),
        "loss_at_least_best_anchor_out": Quantity(
            Max(out, apart),
            r"\mathcal{L}_{\mathrm{best,out}}",
            "the larger of the bound with the anchor excluded and that of its simplex",
        ),
    }


def _simplex(problem: Problem, pure: str, where: str, proof: Derivation) -> Expr:
    """The minimum over all dimensions; its own steps are those of the result on that loss."""
    own = Derivation()
    found = vertex(problem, pure, own)
    if found.verdict != "strict":
        raise StepFailed(f"{pure} is not proved to be optimal everywhere")
    at, known = {Symbol("loss"): found.reduced.value(found.inner)}, (Holds(own.evidence),)
    says = Relations(eq("loss", found.loss), problem.domain, names=at, premises=known)
    proof.add(
        f"{where} the loss is at least that of the simplex, in every dimension",
        says,
        "no other Gram matrix has a smaller one, by the conditions on the eigenvalues of the "
        "gradient",
    )
    return found.loss


def _state_mean(proof: Derivation) -> None:
    """The mean of exp(x.y/tau) over the sphere, from its moments."""
    k, x = Symbol("k", integer=True, nonnegative=True), Symbol("x", positive=True)
    domain = Domain(
        {**DOMAIN.restricted([d, tau]).ranges, k: Range(S.Zero, low_open=False, integer=True)},
        {d: 3, tau: 1, k: 1},
    )
    log_power = (2 * k + 1) * log(x) + (d - 1) / 2 * log(1 - x**2)
    proof.equal(
        "Moments E x^(2k) of a coordinate: the next one is (2k + 1)/(2k + d) times as large",
        {"slope": (x * (1 - x**2) * diff(log_power, x), 2 * k + 1 - (2 * k + d) * x**2)},
        "its density is a multiple of (1 - x^2)^((d - 3)/2), and x^(2k + 1) (1 - x^2)^((d - 1)/2) "
        "vanishes at both ends, so the mean of x^(2k) times this is 0; at d = 1 all moments are 1",
        domain.with_range(x, Range(high=S.One), Rational(1, 2)),
    )
    ratio = (2 * k + 1) / (2 * k + d) / tau**2 / ((2 * k + 1) * (2 * k + 2))
    b, z = d / 2, 1 / (4 * tau**2)
    proof.equal(
        "So the mean of exp(x/tau) is 0F1(; d/2; 1/(4 tau^2)), term by term",
        {"ratio": (ratio, z / ((k + 1) * (b + k)))},
        "the terms E x^(2k)/(tau^(2k) (2k)!) have these ratios, and the first is 1",
        domain,
    )
    proof.holds(
        "Its logarithm lies between 0 and 1/(2 d tau^2), and decreases with tau and with d",
        (gt(ratio, S.Zero), ge(z / b / (k + 1), ratio)),
        "the terms are at most those of exp(1/(2 d tau^2)); their ratios decrease with both",
        domain,
    )


RESULT = Result(
    "uniform-bound",
    title="Lower bounds on softmax losses in d dimensions, for any number of vectors",
    source="beyond the papers; the loss is that of Chen et al. (2020) and Radford et al. (2021)",
    domain=DOMAIN,
    meanings=MEANINGS,
    build=build,
    subject=SETTING,
)
