"""Minority collapse for Rocq: all classes but one share a point, for any number and any sizes."""

from __future__ import annotations

from sympy import Expr, S, exp
from sympy.core.relational import Relational

from ...decide.domain import Domain
from ...losses.softmax import SoftmaxLoss
from ...optimum.blocks import ReducedOnOrbits
from ...optimum.merging import apart_from, classes, l1, li, lj, r
from ...optimum.program import entry
from ...theorem.result import Result
from .signs import Signs
from .statements import Theorem
from .terms import NotWritten, agreeing, lemma, relation, term

#: The relations of classes: within one by which indices agree, and between two.
PATTERNS = {(True,): "self", (False,): "same_class", (): "cross_class"}
#: What is asked of the sizes and of the temperature.
ASKED = ("(forall s, In s (l1 :: rest) -> (2 <= s)%nat)", "(2 <= length rest)%nat", "0 < tau")
#: Sizes as real numbers, and that of the class of a point.
REAL = {l1: "(INR l1)", r: "(INR (list_sum rest))"}
OWN = {l1: "(INR (nth i sizes 0%nat))"}
KINDS = "(map (fun s => [s]) (l1 :: rest))"


def merging(result: Result) -> Relational | None:
    """The condition of a result that all classes but one share a point."""
    found = result.quantities.get("merged")
    if found is None or not {l1, r} <= found.expression.free_symbols:
        return None
    assert isinstance(found.expression, Relational)
    return found.expression


def merged(called: str, result: Result, condition: Relational) -> Theorem:
    """The theorem that no vectors have a smaller loss iff the condition holds.

    Raises
    ------
    NotWritten
        If the loss is another one.
    """
    loss, some = result.declared, result.domain.witness
    if not isinstance(loss, SoftmaxLoss) or loss.similarity is not None or loss.over_batches:
        raise NotWritten("its loss is not a softmax loss of inner products")
    if len(loss.terms) != 1 or loss.terms[0].own_positive:
        raise NotWritten("classes have different sizes, for which only numerical values are proved")
    given, holds = "(l1 : nat) (rest : list nat) (tau : R)", relation(condition, REAL)
    inner, terms = f"{called}_inner (between_members u v)", f"({called}_terms (l1 :: rest))"
    some_sizes, all_sizes = " /\\ ".join(ASKED), " -> ".join(ASKED)
    vectors, least = f"unit_members {KINDS} dims x", f"loss_of_kinds {KINDS} tau {terms}"
    return Theorem(
        f"{called}_merged",
        "No unit vectors of any dimension have a smaller loss than those where all classes but one "
        "share a vector, opposite to that of the one, for any number of classes of any sizes, iff "
        f"{condition}",
        f"(exists {given}, {some_sizes}) /\\\n"
        f"  forall {given}, {all_sizes} ->\n"
        f"  (exists dims x, {vectors} /\\ forall u v, inner dims x u v = {inner}) /\\\n"
        f"  ({holds} <-> forall dims x, {vectors} ->\n"
        f"    {least} (fun u v => {inner}) <= {least} (inner dims x))",
        (
            f"split; [exists {some[l1]}%nat, [2%nat; {some[r] - 2}%nat], {some[loss.temperature]};",
            "  repeat split; [simpl; intuition lia | simpl; lia | lra] |].",
            "intros l1 rest tau two_ many_ tau_low.",
            "assert (l1_low : 2 <= INR l1) by (apply (le_INR 2), two_; left; reflexivity).",
            "rewrite (together_ _ _ tau l1_low (rest_four l1 rest two_ many_) tau_low).",
            "apply merged; try assumption; try reflexivity.",
            "{ intros [[i j] a]; simpl; each_case; lra. }",
            "all: intros i j; repeat split.",
        ),
        definitions=_definitions(called, loss),
        lemmas=(_together(loss, condition, result.domain.restricted([l1, r, loss.temperature])),),
        whole=True,
    )


def _definitions(called: str, loss: SoftmaxLoss) -> str:
    """The loss for a list of the sizes of classes, and the inner products."""
    (t,) = loss.terms
    total = t.total(classes({"1": l1}).parts["1"])

    def function(first: str, values: dict[str, Expr]) -> str:
        cases = [
            f"({first}, _, {agreeing(a)}) => {term(values[k], OWN)}" for a, k in PATTERNS.items()
        ]
        return f"fun q => match q with {' | '.join([*cases, '_ => 0'])} end"

    below = {k: t.in_denominator(k) for k in PATTERNS.values()}
    above = {k: t.weight(k) / total for k in PATTERNS.values()}
    return (
        f"Definition {called}_terms (sizes : list nat) : list member_term :=\n"
        f"  [ {{| weight := {term(t.coefficient)};\n"
        f"       denominator := {function('_', below)};\n"
        f"       positives := {function('i', above)} |}} ].\n"
        f"Definition {called}_inner (q : relation) : R :=\n"
        "  match q with (O, O, _) | (S _, S _, _) => 1 | _ => -1 end."
    )


def _together(loss: SoftmaxLoss, condition: Relational, domain: Domain) -> str:
    """The lemma that the condition has the sign of the eigenvalue on contrasts of the others."""
    three = ReducedOnOrbits(loss, classes({"1": l1, "i": li, "j": lj}))
    at = apart_from("1", three.configuration)
    inner = {p.name: at.get(entry(p.name), S.One) for p in three.configuration.relations}
    (_, first), (_, second), _ = three.rows
    one, other = first.pair_gradient(inner), second.pair_gradient(inner)
    force = (one["cross_class_1_i"] + other["cross_class_1_i"]) / 2
    gap = (l1 * force - r * other["cross_class_i_j"]).xreplace({lj: r - li})
    tau = loss.temperature
    spelled = {"exp (1 / tau)": exp(1 / tau), "exp (- 1 / tau)": exp(-1 / tau)}
    signs = Signs([gap, *condition.args], domain, spelled)
    proof = signs.same_sign(condition.lhs, gap)
    return lemma(
        "together_",
        domain,
        f"{relation(condition)} <-> 0 <= l1 * force_of l1 r tau - r * apart_of l1 r tau",
        ["unfold force_of, apart_of.", *signs.lines, f"eapply iff_trans; [gap_of |]. {proof}"],
    )
