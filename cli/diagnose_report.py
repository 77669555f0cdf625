"""The report of ``cltheory diagnose`` as text, or as JSON.

JSON is one object:

    {"version": 2, "file": str, "collapse": "total" | "classes" | "dimensional" | "none",
     "verdict": str, "within_class_variance": float, "between_class_variance": float,
     "measures": {name of a measure of collapse: float}, "limits": {name: float},
     "classes": [{"name": str, "count": int, "variance": float, "collapsed": bool}] or null,
     "loss": what `Compared.as_object` says, or null,
     "taken": str, "n": int, "d": int, "tau": float, "batches": int, "batch": int,
     "band": {number of the report: {"mean", "least", "largest"} over the batches},
     "anchors": {number of an anchor: {"0%": float, ..., "100%": float}},
     "outside": {"proved": part of the anchors, "printed": part of the anchors},
     "flags": {name: batches in which it is up}, "spectrum": [float], "notes": [str]}

What is not finite is null.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Sequence
from dataclasses import asdict, fields
from math import isfinite
from typing import TYPE_CHECKING, Any

from .tables import WIDTH, labelled

if TYPE_CHECKING:
    from ..numeric.band.diagnose import Diagnosis
    from .diagnose_loss import Compared

#: What is told of batches, with what it is.
BAND = {
    "closest_lower": "proved lower bound",
    "measured": "mean squared gradient of an anchor",
    "closest_upper": "proved upper bound",
    "upper": "proved upper bound from epsilon, rho, sigma",
    "upper_printed": "printed upper bound, not proved",
    "tangential": "mean squared gradient tangent to the sphere",
}
SOFTMAX = {
    "epsilon": "softmax weight of the negatives",
    "rho": "<softmax mean, positive>",
    "mu": "length of the softmax mean of the negatives",
    "alignment": "<anchor, positive>",
}
SPECTRUM = {
    "sigma_hat": "largest eigenvalue of the second moment",
    "sigma_max": "largest eigenvalue for an anchor's negatives",
    "effective_rank": "1 / trace of the squared second moment",
    "isotropy_deviation": "distance of the second moment from I/d, in %",
    "mean_norm": "length of the mean embedding",
    "spread": "mean squared distance from the mean embedding",
}
FLAGS = {
    "collapsed_to_point": "all embeddings collapse to one point",
    "dimensional_collapse": "the effective rank is below a tenth of min(n, d)",
    "vanishing_gradient": "gradients are a millionth of 4/tau^2 or less",
}
PARTS = {"gradient": BAND, "softmax": SOFTMAX, "spectrum": SPECTRUM}


#: Classes that are named, at most.
NAMED = 3


def verdict(found: Diagnosis) -> str:
    """The verdict in words, with the classes that collapse alone."""
    collapse = found.collapse
    alone = collapse.collapsed_classes
    said = collapse.says
    if collapse.collapse == "total":
        return said
    if collapse.of_class is None:
        return f"{said} Classes were not examined: that needs --labels."
    if collapse.within != collapse.within:
        return f"{said} Classes were not examined: each has one sample."
    if alone and collapse.collapse != "classes":
        return f"{said} But {_listed(found, alone)} of {len(collapse.of_class)} classes collapse."
    return said


def _listed(found: Diagnosis, places: Sequence[int]) -> str:
    names = ", ".join(name_of(found, k) for k in places[:NAMED])
    return names if len(places) <= NAMED else f"{len(places)} ({names}, ...)"


def name_of(found: Diagnosis, place: int) -> str:
    """The name of a class, on one line."""
    from ..derive.tex.judge.explain import one_line

    assert found.collapse.classes is not None
    return one_line(found.taken.names[int(found.collapse.classes[place])])


def numbers(found: Diagnosis) -> list[tuple[str, float, str]]:
    """The numbers behind the verdict: name, value, meaning; those that there are."""
    of = found.collapse
    classes = extremes(found)
    ranks = f"of {min(of.n, of.d)}"
    told = [
        ("variance", of.variance, "mean squared distance from the mean; 1 at most"),
        ("  within classes", of.within, classes),
        ("  between classes", of.between, "mean squared distance of class means from the mean"),
        (
            "class simplex",
            of.simplex_distance,
            "distance of class means (0 there, 1 if they are 0)",
        ),
        ("NC1", of.nc1, "tr(Sigma_W Sigma_B^+)/C, 0 if classes collapse"),
        ("NC2 equinorm", of.nc2_equinorm, "relative deviation of norms of centred class means"),
        ("NC2 equiangular", of.nc2_equiangular, f"deviation of their cosines{_closest(found)}"),
        ("NC2 simplex", of.nc2_maximal, "mean |cosine + 1/(C - 1)|"),
        ("NC3", of.nc3, "distance of classifier and class means, each scaled to norm 1, squared"),
        ("effective rank", of.effective_rank, f"{ranks}: 1 / trace of the squared second moment"),
        ("RankMe", of.rankme, f"{ranks}: exp(entropy of the singular values)"),
        ("alignment", of.alignment, "mean squared distance of positives"),
        ("uniformity", of.uniformity, "log mean exp(-2 |x - y|^2) over all pairs"),
        ("modality gap", of.modality_gap, "distance of the means of the two arrays"),
    ]
    return [row for row in told if row[1] == row[1]]


def extremes(found: Diagnosis) -> str:
    """The classes with the least and the largest variance, by name."""
    of = found.collapse.of_class
    if (
        of is None
        or found.collapse.counts is None
        or found.collapse.within_share != found.collapse.within_share
    ):
        return ""
    places = (found.collapse.counts > 1).nonzero()[:, 0]
    order = places[of[places].argsort()].tolist()
    least, most = (
        f"{_spelled(float(of[k]), 3)} in {name_of(found, k)}" for k in (order[0], order[-1])
    )
    return f"mean squared distance from the class mean; {least} to {most}"


def _closest(found: Diagnosis) -> str:
    nearest = found.collapse.nearest
    if nearest is None:
        return ""
    first, second, cosine = nearest
    names = f"{name_of(found, first)} and {name_of(found, second)}"
    return f"; largest {_spelled(cosine, 3)}, {names}"


def as_text(
    file: str, found: Diagnosis, compared: Compared | None = None, *, band: bool = False
) -> str:
    """A verdict, then numbers; names out of files neither end a line nor drive a terminal."""
    from ..derive.tex.judge.explain import one_line

    n, d = found.taken.z.shape
    lines = [f"{one_line(file)}: {n} embeddings in {d} dimensions", verdict(found), ""]
    lines = [part for line in lines for part in (textwrap.wrap(line, WIDTH) or [""])]
    for name, value, says in numbers(found):
        lines += labelled(f"{name:<18}{_spelled(value, 4):>10}", says, 30)
    if found.collapse.nc1 == found.collapse.nc1 and found.collapse.nc3 != found.collapse.nc3:
        lines += labelled("NC3", "not measured: it needs --classifier", 30)
    if compared is not None:
        lines += ["", *_loss(compared)]
    lines += ["", *(_band(found) if band else _band_in_a_line(found))]
    lines += labelled("positives", one_line(found.taken.how))
    for note in (*found.notes, *(compared.notes if compared else ())):
        lines += labelled("note", note)
    return "\n".join(lines)


def _loss(compared: Compared) -> list[str]:
    """The loss beside the least, and what the gap is made of."""
    of = compared.found
    lines = labelled(
        "loss",
        f"{_spelled(of.loss)} here, {_spelled(of.least)} at the predicted optimum "
        f"({compared.called})",
    )
    if of.within is not None and of.between is not None:
        lines += labelled(
            "optimum",
            f"variance {_spelled(of.within, 4)} within classes, {_spelled(of.between, 4)} between",
        )
    told = (
        f"{name.replace('_', ' ')} {_spelled(of.inner[name], 3)} ({_spelled(best, 3)})"
        for name, best in of.optimal.items()
    )
    lines += labelled("cosines", f"mean here (at the optimum): {', '.join(told)}")
    lines += labelled("gap", _spelled(compared.gap))
    for name, side, value, why in compared.rows:
        lines += labelled(f"  {name}", f"{side} {_spelled(value)}: {why}", 18)
    return lines


def _band_in_a_line(found: Diagnosis) -> list[str]:
    first, many = found.reports[0], len(found.reports) > 1
    low, middle, high = (
        _spelled(found.number(name)[0], 4)
        for name in ("closest_lower", "measured", "closest_upper")
    )
    said = (
        f"{middle}, between the proved bounds {low} and {high} (mean squared InfoNCE gradient at "
        f"temperature {first.tau:g}"
        + (f", {len(found.reports)} batches of {first.n}" if many else "")
        + "; --band for more)"
    )
    lines = labelled("gradient", said)
    if found.flags["vanishing_gradient"]:
        vanishing = "vanishing_gradient"
        lines += labelled("flag", FLAGS[vanishing] + _in(found, vanishing))
    return lines


def _band(found: Diagnosis) -> list[str]:
    """All numbers of the gradient band."""
    first, many = found.reports[0], len(found.reports) > 1
    of = f", {len(found.reports)} batches of {first.n}" if many else ""
    lines = [f"gradient band at temperature {first.tau:g}{of}"]
    for title, names in PARTS.items():
        lines += ["", f"  {title}"]
        for name, says in names.items():
            mean, least, largest = found.number(name)
            span = f"  ({_spelled(least)} to {_spelled(largest)})" if many else ""
            lines.append(f"    {name:<20}{_spelled(mean):>12}  {says}{span}")
    lines += ["", "  anchors             5 %         median      95 %"]
    for name in ("squared_gradient", "epsilon", "rho", "alignment", "similarity_of_negatives"):
        of_name = found.quantiles(name)
        three = "".join(f"{_spelled(of_name[part]):<12}" for part in ("5%", "50%", "95%")).rstrip()
        lines.append(f"    {SHORT.get(name, name):<16}{three}")
    lines += ["", f"  above the bounds    {_outside(found)}", ""]
    for name in (name for name, count in found.flags.items() if count):
        lines += labelled("flag", FLAGS[name] + _in(found, name))
    return lines


#: What is too long for a column.
SHORT = {"squared_gradient": "gradient", "similarity_of_negatives": "negatives"}


def _outside(found: Diagnosis) -> str:
    proved, printed = (100 * found.outside(name) for name in ("upper", "upper_printed"))
    return f"proved: {proved:.3g} % of the anchors; printed: {printed:.3g} %"


def _in(found: Diagnosis, flag: str) -> str:
    count, of = found.flags[flag], len(found.reports)
    return f" (in {count} of {of} batches)" if of > 1 else ""


def _spelled(value: float, digits: int = 6) -> str:
    return f"{value:.{digits}g}"


def as_json(file: str, found: Diagnosis, compared: Compared | None = None) -> str:
    """The object that the head of this module describes."""
    return json.dumps(_clean(_object(file, found, compared)), indent=2, allow_nan=False)


def _object(file: str, found: Diagnosis, compared: Compared | None) -> dict[str, Any]:
    collapse = found.collapse
    first = found.reports[0]
    n, d = found.taken.z.shape
    no_numbers = ("sigma", "n", "d", "tau", *found.flags)
    band = {
        f.name: dict(zip(("mean", "least", "largest"), found.number(f.name), strict=True))
        for f in fields(first)
        if f.name not in no_numbers
    }
    return {
        "version": 2,
        "file": file,
        "collapse": collapse.collapse,
        "verdict": verdict(found),
        "within_class_variance": collapse.within,
        "between_class_variance": collapse.between,
        "measures": collapse.floats(),
        "limits": asdict(collapse.limits),
        "classes": classes(found),
        "loss": compared.as_object() if compared else None,
        "taken": found.taken.how,
        "n": n,
        "d": d,
        "tau": first.tau,
        "batches": len(found.reports),
        "batch": first.n,
        "band": band,
        "anchors": {name: found.quantiles(name) for name in found.anchors},
        "outside": {"proved": found.outside("upper"), "printed": found.outside("upper_printed")},
        "flags": found.flags,
        "spectrum": found.spectrum.tolist(),
        "notes": list(found.notes),
    }


def classes(found: Diagnosis) -> list[dict[str, Any]] | None:
    """Each class, those of the least variance first."""
    of = found.collapse
    if of.of_class is None or of.counts is None:
        return None
    collapsed = set(of.collapsed_classes)
    return [
        {
            "name": name_of(found, k),
            "count": int(of.counts[k]),
            "variance": float(of.of_class[k]),
            "collapsed": k in collapsed,
        }
        for k in of.of_class.argsort().tolist()
    ]


def _clean(value: Any) -> Any:
    """What JSON has no number for is null."""
    if isinstance(value, dict):
        return {k: _clean(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_clean(v) for v in value]
    return None if isinstance(value, float) and not isfinite(value) else value
