"""The explorer: one page with everything in it, derived formulas and landmarks as JavaScript.

    cd docs && python -m made.explorer ../build/explorer.html

What is written by hand lies in docs/explorer; nothing is loaded from anywhere.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from cltheory.derive.decide.domain import Domain
from cltheory.derive.landmarks.explain import find
from cltheory.derive.landmarks.libraries import HIERARCHY, PAIRS, PAIRWISE
from cltheory.derive.landmarks.similar import Drawn, Place, Similar, kinks
from cltheory.derive.losses.clip import SIGMOID
from cltheory.derive.losses.pairwise import PairwiseLoss, c
from cltheory.derive.losses.supcl import SUPCL, SUPCL_EXCLUSIVE
from cltheory.derive.results import results
from cltheory.derive.results.classes._supcl import variances
from cltheory.derive.results.phases import for_loss
from cltheory.derive.structures import hierarchy, towers
from cltheory.derive.theorem.dimensions import own_dimension
from cltheory.derive.theorem.quantity import Quantity
from cltheory.derive.theorem.result import Result
from cltheory.derive.write.javascript import function, functions, module
from sympy import Add, Expr, S, Symbol, simplify, sympify

from .mathml import NotMathML, mathml

SOURCES = Path(__file__).resolve().parents[1] / "explorer"
#: In the order in which they use each other.
SCRIPTS = ("random.js", "models.js", "scale.js", "drawing.js", "map.js", "page.js")
#: The results whose formulas are there.
RESULTS = (
    *("supcl-threshold", "supcl-optimum", "supcl-exclusive"),
    *("supcl-batches", "supcl-batches-exclusive", "supcon", "supcon-batches", "sincere"),
    *("cnce-optimum", "simclr", "simclr-batches", "dcl", "infonce-optimum"),
    *("sigmoid-threshold", "sigmoid-optimum", "uniform-bound"),
)
#: The thresholds that are shown, with their formulas.
THRESHOLDS = (
    *("alpha_min", "tau_max", "alpha_low", "alpha_high"),
    *("b_simplex", "b_antipodal", "t_simplex_max", "t_antipodal_max"),
)
#: What else is asked of a result, and of which quantities it is asked which dimension they need.
ASKED = re.compile(
    "same_instance|same_class|cross_class|positive|negative|loss|x_star"
    "|(within|between)_class_variance|alpha_high_.*|loss_at_least.*|" + "|".join(THRESHOLDS)
)
DIMENSIONS = ("loss", "alpha_min", "alpha_high")
#: Results that are linked, whose formulas depend on a loss that is chosen, or are not shown.
LINKED = ("pairwise-threshold", "pair-energy", "phases")
#: Losses that have no result of their own over random batches but their phases, and what of these
#: is there, by its name on the page.
BATCHED = ("sincere", "cnce", "dcl", "clip", "sigmoid")
IN_BATCHES = {
    "loss": "loss",
    "b_shared_contrasts_differing_means": "b_simplex",
    "b_differing_means_shared_contrasts": "b_antipodal",
}


def similar(loss: str, convention: str) -> Similar:
    """A loss of cosines that ``cltheory explain`` knows."""
    family = find(loss, convention).family
    assert isinstance(family, Similar)
    return family


#: Losses whose landmarks are there, and the result whose domain they have.
LOSSES: dict[str, tuple[Similar, str]] = {
    "supcl": (Similar(SUPCL, HIERARCHY, ()), "supcl-optimum"),
    "supcl_exclusive": (Similar(SUPCL_EXCLUSIVE, HIERARCHY, ()), "supcl-exclusive"),
    "sigmoid": (Similar(SIGMOID, PAIRS, ()), "sigmoid-optimum"),
}
for _key, _loss, _convention, _result in (
    ("supcl_supcontrast", "supcl", "supcontrast", "supcl-exclusive"),
    ("supcon", "supcon", "paper", "supcon"),
    ("supcontrast", "supcon", "supcontrast", "supcon"),
    ("sincere", "sincere", "paper", "sincere"),
    ("cnce", "cnce", "paper", "cnce-optimum"),
    ("simclr", "simclr", "paper", "supcon"),
    ("google_research", "simclr", "google-research", "supcon"),
    ("dcl", "dcl", "paper", "supcon"),
    ("moco_v3", "moco", "moco-v3", "uniform-bound"),
    ("clip", "clip", "paper", "infonce-optimum"),
    ("siglip", "siglip", "paper", "sigmoid-optimum"),
    ("spectral", "spectral", "paper", "infonce-optimum"),
):
    LOSSES[_key] = similar(_loss, _convention), _result
LOSSES["moco"] = replace(similar("moco", "paper"), place=PAIRS), "uniform-bound"  # as Q + 1 pairs

#: Those that know no classes: every image is one of its own.
UNLABELLED = ("simclr", "google_research", "dcl")


def theory() -> str:
    """The module of all formulas."""
    body = ""
    families = {key: (family, results[id].domain) for key, (family, id) in LOSSES.items()}
    about = {id: results[id] for id in RESULTS}
    for loss in PAIRWISE:
        result = about[f"pairwise-{loss}"] = results["pairwise-threshold"].with_inputs(loss=loss)
        families[f"pairwise_{loss.replace('-', '_')}"] = similar(loss, "paper"), result.domain
    about |= over_batches()
    for key, (family, domain) in families.items():
        for name, expression in _landmarks(family, labelled=key not in UNLABELLED):
            body += _written(f"{key}_{name}", expression, domain)
    for id, result in about.items():
        key = id.replace("-", "_")
        for text in re.split(r"(?=\n/\*\*\n)", functions(result, f"{key}_", {})):
            written = re.search(rf"^export function {key}_(\w+)", text, re.M)
            name = written[1] if written else ""
            if id.startswith("batches-"):
                text = text.replace(f"{key}_{name}", f"{key}_{IN_BATCHES.get(name, '')}")
                name = IN_BATCHES.get(name, "")
            body += text if ASKED.fullmatch(name) else ""
        if "same_class" in result and "batches" not in id and f"{key}_within" not in body:
            known = {r.name: S.One for r in HIERARCHY.scheme.relations}
            known |= {k: q.expression for k, q in result.quantities.items() if k in known}
            for name in ("within", "between"):
                share = variances(known)[name]
                body += _written(f"{key}_{name}_class_variance", share, result.domain)
        for name in DIMENSIONS:
            if name in result and (found := own_dimension(result, name)) is not None:
                body += _written(f"dimension_{key}_{name}", found.least, result.domain)
    return module("Formulas of the explorer, written by cltheory", body)


def over_batches() -> dict[str, Result]:
    """The phases of losses over random batches of any size."""
    return {f"batches-{k}": for_loss(k, sampling="uniform") for k in BATCHED}


def _written(name: str, expression: Expr, domain: Domain) -> str:
    order = sorted(expression.free_symbols, key=str)
    return function(name, Quantity(expression, name, name.replace("_", " ")), order, domain)


def _landmarks(family: Similar, *, labelled: bool) -> Iterator[tuple[str, Expr]]:
    """The loss at each configuration in symbols, and what the mean of random vectors is made of."""
    alone: dict[Expr, Expr] = {}
    if family.place is PAIRS:
        classes = images = towers.N
    else:
        classes, images = hierarchy.m, hierarchy.m * hierarchy.n
        if not labelled:
            images, alone = classes, {hierarchy.n: S.One}
    # More than one class, and more images than classes: so much must be seen by the declaration.
    one, more = (Symbol(k, integer=True, positive=True) for k in ("one", "more"))
    known = one + 1, one + 1 + (more if images != classes else 0)
    back = {one: classes - 1, more: images - classes}
    counts = (known[1], known[0], 1)
    symbolic: Any = Place(
        **{**vars(family.place), "counts": lambda given: counts}  # symbols in place of integers
    )
    told = Similar(family.loss, symbolic, (), family.inside, family.detached)
    for configuration in told.configurations({}):
        g = told.cosines(configuration)
        fixed = {r: e for r, e in g.items() if not isinstance(e, Drawn)}
        if len(fixed) == len(g):
            yield configuration.name, told._symbolic(fixed).subs(back).subs(alone)
            needs = sympify(configuration.needs)
            yield f"{configuration.name}_needs", needs.subs(back).subs(alone)
    for name, expression in _random(family):
        yield name, expression.subs(alone)


def _random(family: Similar) -> Iterator[tuple[str, Expr]]:
    scheme, loss = family.place.scheme, family.loss
    counts = {r.name: r.count for r in scheme.relations}
    if isinstance(loss, PairwiseLoss):
        cosine = Symbol("cosine", real=True)
        parts = (
            counts[k.relation] * k.weight * k.function.xreplace({c: cosine}) for k in loss.terms
        )
        yield "of_cosine", Add(*parts)
        for kink in {at for k in loss.terms for at in kinks(k.function)}:
            yield "kink", sympify(kink)
        return
    from cltheory.derive.optimum.reduce import ReducedLoss

    weights, pools = zip(*family._logs(loss), strict=True)
    # A positive is drawn like all others, so that the pools of SINCERE are one.
    (others,) = {
        Add(*(counts[r] for r in p.members if r != "self"), int(bool(p.own))) for p in pools
    }
    yield "factor", simplify(Add(*weights))
    yield "others", others
    yield "own", S("self" in pools[0].members)
    yield "pull", ReducedLoss(loss, scheme).pulls.get("self", S.Zero)


def facts() -> dict[str, Any]:
    """Titles of the results, and their formulas as MathML, in the terms of SigLIP too."""
    known = {id: results[id] for id in (*RESULTS, *LINKED)}
    known["sigmoid-threshold@siglip"] = results["sigmoid-threshold"].in_convention("siglip")
    known |= over_batches()
    known["batches-sigmoid@siglip"] = for_loss("siglip", sampling="uniform")
    return {id: {"title": r.title, "formulas": _formulas(r)} for id, r in known.items()}


def _formulas(result: Result) -> dict[str, str]:
    found = {}
    for name in result.quantities:
        if (told := IN_BATCHES.get(name, name)) in THRESHOLDS:
            with suppress(NotMathML):
                found[told] = mathml(result.latex(name))
    return found


def engine() -> str:
    """What the numbers of the page come from, as a module of its own: for tests."""
    scripts = "".join(map(_script, SCRIPTS[:2]))
    return f"{_inlined(theory())}\n{scripts}\n"


def page() -> str:
    """The page, with its style, formulas and scripts in it."""
    html = (SOURCES / "page.html").read_text("utf-8")
    known = f"const FACTS = {json.dumps(facts())};"
    scripts = [known, _inlined(theory()), *map(_script, SCRIPTS)]
    parts = {"STYLE": (SOURCES / "style.css").read_text("utf-8"), "SCRIPT": "\n".join(scripts)}
    return re.sub(r"/\*(STYLE|SCRIPT)\*/", lambda found: parts[found[1]], html)


def _inlined(text: str) -> str:
    """The module of formulas as an object."""
    written = r"^export function (\w+)\(.*\n(?:.*, \[(.*?)\], given)?"
    names = [
        f"{name}: remembered({name}{order and f', {order}'})"
        for name, order in re.findall(written, text, re.M)
    ]
    short = re.sub(r"^ *//.*\n|^ */\*\*(?:.|\n)*?\*/\n", "", text, flags=re.M)
    inside = re.sub(r"^ +", "", re.sub(r"^export ", "", short, flags=re.M), flags=re.M)
    return f"const theory = (() => {{\n{inside}\nreturn {{ {', '.join(names)} }};\n}})();\n"


def _script(name: str) -> str:
    """A module without what it imports and exports: all of them stand in one."""
    text = (SOURCES / name).read_text("utf-8")
    return re.sub(r"^export ", "", re.sub(r"^import .*\n", "", text, flags=re.M), flags=re.M)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), encoding="utf-8")
