"""The report of ``cltheory diagnose`` as text, or as JSON.

JSON is one object:

    {"version": 1, "file": str, "taken": str, "not_examined": str, "n": int, "d": int,
     "tau": float, "batches": int, "batch": int,
     "band": {number of the report: {"mean", "least", "largest"} over the batches},
     "anchors": {number of an anchor: {"0%": float, ..., "100%": float}},
     "outside": {"proved": part of the anchors, "printed": part of the anchors},
     "flags": {name: batches in which it is up}, "spectrum": [float], "notes": [str]}

What is not finite is null.
"""

from __future__ import annotations

import json
from dataclasses import fields
from math import isfinite
from typing import TYPE_CHECKING, Any

from .tables import labelled

if TYPE_CHECKING:
    from ..numeric.band.diagnose import Diagnosis

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
#: Stands near the top of every report.
NOT_EXAMINED = (
    "Class collapse is not examined: neither whether the samples of a class coincide, nor whether "
    "class means coincide or form a simplex. The flags judge all embeddings together; labels only "
    "choose the positives."
)
#: Where no flag is up.
NO_FLAG = "the embeddings as a whole raise no flag"
PARTS = {"gradient": BAND, "softmax": SOFTMAX, "spectrum": SPECTRUM}


def as_text(file: str, found: Diagnosis) -> str:
    """A table; names out of files are shown so that none ends a line or drives a terminal."""
    from ..derive.tex.judge.explain import one_line

    first, many = found.reports[0], len(found.reports) > 1
    n, d = found.taken.z.shape
    lines = [f"{one_line(file)}: {n} embeddings in {d} dimensions, temperature {first.tau:g}"]
    lines += labelled("taken", one_line(found.taken.how))
    lines += labelled("batches", f"{len(found.reports)} of {first.n}") if many else []
    lines += labelled("scope", NOT_EXAMINED)
    for title, names in PARTS.items():
        lines += ["", f"  {title}"]
        for name, says in names.items():
            mean, least, largest = found.number(name)
            span = f"  ({_spelled(least)} to {_spelled(largest)})" if many else ""
            lines.append(f"    {name:<20}{_spelled(mean):>12}  {says}{span}")
    lines += ["", "  anchors             5 %         median      95 %"]
    for name in ("squared_gradient", "epsilon", "rho", "alignment", "similarity_of_negatives"):
        of = found.quantiles(name)
        three = "".join(f"{_spelled(of[part]):<12}" for part in ("5%", "50%", "95%")).rstrip()
        lines.append(f"    {SHORT.get(name, name):<16}{three}")
    lines += ["", f"  above the bounds    {_outside(found)}", ""]
    up = [name for name, count in found.flags.items() if count]
    told = [FLAGS[name] + _in(found, name) for name in up] or [NO_FLAG]
    for says in told:
        lines += labelled("collapse", says)
    for note in found.notes:
        lines += labelled("note", note)
    return "\n".join(lines)


#: What is too long for a column.
SHORT = {"squared_gradient": "gradient", "similarity_of_negatives": "negatives"}


def _outside(found: Diagnosis) -> str:
    proved, printed = (100 * found.outside(name) for name in ("upper", "upper_printed"))
    return f"proved: {proved:.3g} % of the anchors; printed: {printed:.3g} %"


def _in(found: Diagnosis, flag: str) -> str:
    count, of = found.flags[flag], len(found.reports)
    return f" (in {count} of {of} batches)" if of > 1 else ""


def _spelled(value: float) -> str:
    return f"{value:.6g}"


def as_json(file: str, found: Diagnosis) -> str:
    """The object that the head of this module describes."""
    return json.dumps(_clean(_object(file, found)), indent=2, allow_nan=False)


def _object(file: str, found: Diagnosis) -> dict[str, Any]:
    first = found.reports[0]
    n, d = found.taken.z.shape
    no_numbers = ("sigma", "n", "d", "tau", *found.flags)
    band = {
        f.name: dict(zip(("mean", "least", "largest"), found.number(f.name), strict=True))
        for f in fields(first)
        if f.name not in no_numbers
    }
    return {
        "version": 1,
        "file": file,
        "taken": found.taken.how,
        "not_examined": NOT_EXAMINED,
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


def _clean(value: Any) -> Any:
    """What JSON has no number for is null."""
    if isinstance(value, dict):
        return {k: _clean(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_clean(v) for v in value]
    return None if isinstance(value, float) and not isfinite(value) else value
