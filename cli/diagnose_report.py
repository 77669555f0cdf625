"""The report of ``cltheory diagnose`` as text, or as JSON.

JSON is one object:

    {"version": 3, "file": str, "collapse": "total" | "classes" | "dimensional" | "none",
     "verdict": str, "within_class_variance": float, "between_class_variance": float,
     "measures": {name of a measure of collapse: float}, "limits": {name: float},
     "classes": [{"name": str, "count": int, "variance": float, "collapsed": bool}],
     "loss": its parameters, value, optimum and the parts of the gap, or null,
     "taken": str, "n": int, "d": int, "tau": float, "batches": int, "batch": int,
     "band": {number of the report: {"mean", "least", "largest"} over the batches},
     "anchors": {number of an anchor: {"0%": float, ..., "100%": float}},
     "outside": {"proved": part of the anchors, "printed": part of the anchors},
     "spectrum": [float], "notes": [str]}

What is not finite is null.
"""

from __future__ import annotations

import textwrap
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

from .tables import WIDTH, labelled
from .writing import json_text

if TYPE_CHECKING:
    from ..numeric.band.diagnose import Diagnosis
    from ..numeric.problems.departure import Departure

#: What is told of collapse: its name in a report, and what it is.
MEASURES = {
    "variance": ("variance", "mean squared distance from the mean, at most 1"),
    "within": ("  within classes", "mean squared distance from the class mean"),
    "between": ("  between classes", "mean squared distance of class means from the mean"),
    "simplex_distance": ("class simplex", "distance of class means from it; 1 if all are 0"),
    "nc1": ("NC1", "tr(Sigma_W Sigma_B^+)/C, 0 where classes collapse"),
    "nc2_equinorm": ("NC2 equinorm", "relative deviation of lengths of centred class means"),
    "nc2_equiangular": ("NC2 equiangular", "deviation of their cosines"),
    "nc2_maximal": ("NC2 simplex", "mean |cosine + 1/(C - 1)|"),
    "nc3": ("NC3", "squared distance of classifier and class means, both of norm 1"),
    "effective_rank": ("effective rank", "1 / trace of the squared second moment"),
    "rankme": ("RankMe", "exp(entropy of the singular values)"),
    "alignment": ("alignment", "mean squared distance of positives"),
    "uniformity": ("uniformity", "log mean exp(-2 |x - y|^2) over all pairs"),
    "modality_gap": ("modality gap", "distance of the means of the two arrays"),
}
#: Classes that are named, at most.
NAMED = 3


def verdict(found: Diagnosis) -> str:
    """The verdict in words, with the classes that collapse alone."""
    collapse, classes = found.collapse, each_class(found)
    alone = [c["name"] for c in classes if c["collapsed"]]
    if collapse.collapse == "total":
        return collapse.says
    if "within" not in collapse.numbers:
        why = "each has one sample" if classes else "that needs --labels"
        return f"{collapse.says} Classes were not examined: {why}."
    if alone and collapse.collapse != "classes":
        names = ", ".join(alone[:NAMED]) + ", ..." * bool(alone[NAMED:])
        verb = "have" if alone[1:] else "has"
        return f"{collapse.says} {len(alone)} of {len(classes)} classes {verb} collapsed: {names}."
    return collapse.says


def measures(found: Diagnosis) -> list[tuple[str, float, str]]:
    """The numbers behind the verdict: name, value, meaning; those that there are."""
    numbers = found.collapse.numbers
    return [(name, numbers[k], says) for k, (name, says) in MEASURES.items() if k in numbers]


def each_class(found: Diagnosis) -> list[dict[str, Any]]:
    """Each class, those of the least variance first; none without labels."""
    from ..derive.tex.judge.explain import one_line

    variances, collapsed = found.collapse.classes, found.collapse.collapsed_classes
    if variances is None:
        return []
    return [
        {
            "name": one_line(found.taken.names[int(variances.classes[k])]),
            "count": int(variances.counts[k]),
            "variance": float(variances.of_class[k]),
            "collapsed": k in collapsed,
        }
        for k in variances.of_class.argsort().tolist()
    ]


def as_text(file: str, found: Diagnosis, compared: Departure | None = None) -> str:
    """A verdict, then numbers; names out of files neither end a line nor drive a terminal."""
    from ..derive.tex.judge.explain import one_line

    n, d = found.taken.z.shape
    lines = [f"{one_line(file)}: {n} embeddings in {d} dimensions", verdict(found), ""]
    lines = [part for line in lines for part in (textwrap.wrap(line, WIDTH) or [""])]
    for name, value, says in measures(found):
        lines += labelled(f"{name:<18}{value:>10.4g}", says, 30)
    if "within" in found.collapse.numbers:
        classes = each_class(found)
        least, largest = (
            ", ".join(f"{c['variance']:.3g} ({c['name']})" for c in some)
            for some in (classes[:NAMED], classes[:-NAMED:-1])
        )
        lines += labelled("classes", f"least variance within: {least}; largest: {largest}")
    if compared is not None:
        lines += ["", *_loss(compared)]
    lines += ["", *_band(found)]
    lines += labelled("positives", one_line(found.taken.how))
    for note in (*found.notes, *(compared.notes if compared else ())):
        lines += labelled("note", note)
    return "\n".join(lines)


def _loss(departure: Departure) -> list[str]:
    """The loss beside the least, and what the gap is made of."""
    at = ", ".join(f"{k} = {v}" for k, v in (departure.parameters | departure.sizes).items())
    best = f"{_spelled(departure.least)} at the predicted optimum"
    lines = labelled("loss", f"{_spelled(departure.loss)} here, {best} ({departure.name}, {at})")
    if departure.within is not None and departure.between is not None:
        said = f"variance {departure.within:.4g} within classes, {departure.between:.4g} between"
        lines += labelled("optimum", said)
    cosines = (
        f"{k.replace('_', ' ')} {departure.inner[k]:.3g} ({best:.3g})"
        for k, best in departure.optimal.items()
    )
    lines += labelled("cosines", f"mean here (at the optimum): {', '.join(cosines)}")
    lines += labelled("gap", _spelled(departure.gap))
    for name, side, value, why in departure.parts:
        lines += labelled(f"  {name}", f"{side} {_spelled(value)}: {why}", 18)
    return lines


def _band(found: Diagnosis) -> list[str]:
    first, many = found.reports[0], len(found.reports)
    names = ("measured", "closest_lower", "closest_upper")
    means = [f"{found.number(name)[0]:.4g}" for name in names]
    at = f"temperature {first.tau:g}" + (f", {many} batches of {first.n}" if many > 1 else "")
    bounds = f"mean square {means[0]}, between the proved bounds {means[1]} and {means[2]}"
    lines = labelled("gradient", f"{bounds} (InfoNCE, {at})")
    return lines


def _spelled(value: float) -> str:
    return f"{value:.6g}"


def as_json(file: str, found: Diagnosis, compared: Departure | None = None) -> str:
    """The object that the head of this module describes."""
    return json_text(_object(file, found, compared), version=3)


def _object(file: str, found: Diagnosis, compared: Departure | None) -> dict[str, Any]:
    collapse = found.collapse
    first = found.reports[0]
    n, d = found.taken.z.shape
    no_numbers = ("sigma", "n", "d", "tau")
    band = {
        f.name: dict(zip(("mean", "least", "largest"), found.number(f.name), strict=True))
        for f in fields(first)
        if f.name not in no_numbers
    }
    return {
        "file": file,
        "collapse": collapse.collapse,
        "verdict": verdict(found),
        "within_class_variance": collapse.numbers.get("within"),
        "between_class_variance": collapse.numbers.get("between"),
        "measures": collapse.numbers,
        "limits": asdict(collapse.limits),
        "classes": each_class(found),
        "loss": _of_loss(compared) if compared else None,
        "taken": found.taken.how,
        "n": n,
        "d": d,
        "tau": first.tau,
        "batches": len(found.reports),
        "batch": first.n,
        "band": band,
        "anchors": {name: found.quantiles(name) for name in found.anchors},
        "outside": {"proved": found.outside("upper"), "printed": found.outside("upper_printed")},
        "spectrum": found.spectrum.tolist(),
        "notes": list(found.notes),
    }


def _of_loss(departure: Departure) -> dict[str, Any]:
    parts = {f"{p.name} {p.side}".replace(" ", "_"): p.value for p in departure.parts}
    return {**asdict(departure), "gap": departure.gap, **parts}
