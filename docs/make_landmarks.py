"""Write docs/explain.md, what values of losses mean, and docs/landmarks.json, for tests of others.

python docs/make_landmarks.py           compare, exit 1 if a file is out of date
python docs/make_landmarks.py --write
"""

from __future__ import annotations

import json
import re
import sys
from math import isclose, log
from pathlib import Path
from typing import Any

from cltheory import explain
from cltheory.derive.landmarks.chance import log_mean_exponential
from cltheory.derive.landmarks.explain import completed
from cltheory.derive.landmarks.libraries import ROWS

HERE = Path(__file__).resolve().parent
PAGE, ORACLES = HERE / "explain.md", HERE / "landmarks.json"
#: Sizes at which a library's test can build the embeddings.
SMALL = {"batch": 8, "views": 2, "classes": 4, "queue": 7, "prototypes": 12, "dim": 16}
#: Of quadrature on other machines; everything else agrees to the last digits.
CLOSE = 1e-9

HEAD = """\
# What does this loss value mean?

<!-- Written by docs/make_landmarks.py; do not edit. -->

A loss that stays at 8.909 shows where training is stuck, once its values are known where all
embeddings are equal, or random, or classes have collapsed. `cltheory explain` gives these
*landmarks* in the conventions of a library, and says where a value stands among them:

```console
$ cltheory explain supcon --batch 256 --tau 0.1 --convention supcontrast --value 8.909
```

`--batch` counts images (pairs for `clip` and `siglip`), `--classes` the classes in the batch, all
of one size; without it `supcon` is self-supervised. `moco` has `--queue`, and `dino`, `swav` and
`ibot` have `--prototypes`. What is left out is taken as it usually is, and the last line says so.
Without a loss, all of them are searched, in nats and in bits; without sizes
as well, collapse is searched at powers of two (8.3178 is log 4096):

```console
$ cltheory explain --value 6.2383 --batch 512
```

A loss of your own is two functions of the cosine x, of positive and of negative pairs, with `t` and
`b` where it has them: `cltheory explain --lp "softplus(-t*x)" --ln "max(0, x)^2" --t 5`.

From Python, `cltheory.explain("supcon", batch=256, tau=0.1, value=8.909)` gives what
`--format json` prints. A library can test itself with [landmarks.json](landmarks.json): the
landmarks of every loss and convention below at sizes at which a test can build the embeddings.

## Landmarks

| name | embeddings |
| --- | --- |
| `all_equal` | all are one vector; for prototypes, all scores are equal |
| `classes_collapsed` | with `--classes`: the samples of a class are equal, classes a simplex |
| `classes_at_random` | the same, classes drawn independently; without `--classes`, images |
| `random` | all are drawn independently, views of an image too: the mean at `--dim` |
| `orthogonal`, `simplex` | views of an image are equal, images orthogonal, or a simplex |
| `least` | the best lower bound at `--dim` that is known here |

For prototypes, `orthogonal` has student and teacher on one prototype at cosine 1, the others at 0;
for VICReg and Barlow Twins, views are equal and features uncorrelated with variance 1, which takes
more images than features.

*Exact* values come from putting the cosines into the declared loss. Means over random vectors are
one-dimensional integrals, computed to more digits than are shown. Gradient norms are those in all
unit embeddings together. Where a configuration needs more dimensions than there are, `least` may
lie above it. The bound that depends on `--dim` is log N + log 0F1(; d/2; 1/(4 tau^2)) - 1/tau. For
two towers it is proved in words (`uniform-bound`), not by the engine; losses without the anchor in
the denominator follow from it with log n for n images of two views, where log(2n - 1) would be
false.

## Losses and libraries

`cltheory explain LOSS` says at which sizes and temperatures, where the table does not.

| loss | convention | at | all equal | random | orthogonal | classes collapsed | least |
| --- | --- | --- | --- | --- | --- | --- | --- |
"""

#: Options of the table: eight classes for what knows classes.
AT: dict[str, dict[str, Any]] = {
    "supcon": {"batch": 256, "classes": 8},
    "simclr": {"batch": 256, "classes": 8},
    "clip": {"batch": 512},
    "siglip": {"batch": 8},
    "byol": {"batch": 256},
    "simsiam": {"batch": 256},
    "spectral": {"batch": 256},
}
COLUMNS = ("all_equal", "random", "orthogonal", "classes_collapsed", "least")

TRAPS = """
## What is often said, and what is so

Every number here is computed when this page is made.

| often said | what is so |
| --- | --- |
"""


def value(name: str, loss: str, convention: str | None = None, **options: Any) -> str:
    """A landmark with the digits of the page."""
    found = explain(loss, convention=convention, **options)
    return shown(next(mark["value"] for mark in found["landmarks"] if mark["name"] == name))


def shown(x: float) -> str:
    """Six digits, and 0 for what is rounding."""
    return "0" if abs(x) < 1e-12 else f"{x:.6g}"


def traps() -> list[tuple[str, str]]:
    """Lines of the second table."""
    equal, supcon = "all_equal", {"batch": 256, "tau": "0.1"}
    cold = {"batch": 256, "t": 100, "dim": 512}
    few = {**supcon, "classes": 8}
    eight = {name: value(name, "supcon", "supcontrast", **few) for name in (*COLUMNS, "simplex")}
    above = float(value("random", "simclr", **supcon)) - log(511)
    field = log(256) + log_mean_exponential(512, 0.01)
    return [
        (
            "Values of two libraries can be compared.",
            "At total collapse of 256 images of two views, tau = 0.1, SupCon has "
            f"{value(equal, 'supcon', **supcon)} in the paper and in pytorch-metric-learning and "
            f"{value(equal, 'supcon', 'supcontrast', **supcon)} in SupContrast, which multiplies "
            "by tau/0.07; google-research's SimCLR adds two directions, "
            f"{value(equal, 'simclr', 'google-research', **supcon)}. MoCo v3 multiplies by 4 tau "
            f"in all, and iBOT adds two losses, 2 log 8192 = {value(equal, 'ibot')}.",
        ),
        (
            "With labels, collapse is at log(2N - 1).",
            "With eight classes in this batch (B = 512 vectors, K = 64 in a class), NT-Xent of "
            "pytorch-metric-learning has log(B - K + 1) = "
            f"{value(equal, 'simclr', 'pytorch-metric-learning', **few)}, SupCon of solo-learn "
            f"log((B - 1)/(K - 1)) = {value(equal, 'supcon', 'solo-learn', **few)}.",
        ),
        (
            "log(2N - 1) proves collapse.",
            "Vectors that are all orthogonal, views too, have it as well, and random ones lie "
            f"above it: at N = 256, tau = 0.1, d = 128 by {above:.3f}, never by more than "
            "log 0F1(; d/2; 1/(4 tau^2)). The mean cosine of different images tells.",
        ),
        (
            "Random vectors have log(2N - 1) + log 0F1(; d/2; 1/(4 tau^2)).",
            "That is an upper bound, close where tau is not small. CLIP with 1/tau = 100, N = 256 "
            f"pairs and d = 512 has {value('random', 'clip', **cold)} in the mean, and log N + log "
            f"0F1 is {field:.4f}, two nats too high: average over draws, or say bound.",
        ),
        (
            "The least value of SupCon is 0.",
            f"With eight classes in a batch of 256 it is {eight['least']} in SupContrast at tau = "
            "0.1. Telling images apart but not classes costs more than total collapse: "
            f"{eight['orthogonal']} if they are orthogonal, {eight['simplex']} at the simplex, "
            f"against {eight[equal]}.",
        ),
        (
            "MoCo begins at log K.",
            f"log 65537 = {value(equal, 'moco')} is collapse. At first query and key agree and "
            f"the queue is random, {value('classes_at_random', 'moco')}.",
        ),
        (
            "A loss below its first value has not collapsed.",
            f"SigLIP begins at {value('random', 'siglip', batch=8)} with N = 8, and collapse, "
            f"N log 2 = {value(equal, 'siglip', batch=8)}, lies below.",
        ),
        (
            "Where student and teacher agree, there is no loss.",
            "DINO with 65536 prototypes, one at cosine 1 and the others at 0, has "
            f"{value('orthogonal', 'dino')}. SwAV with 256 samples for 3000 prototypes has "
            f"{value('orthogonal', 'swav', batch=256)} there, more than the "
            f"{value(equal, 'swav', batch=256)} of equal scores: codes must use all prototypes.",
        ),
        (
            "VICReg collapses at 25.",
            f"At {value(equal, 'vicreg')}, for the 1e-4 under its root, and at "
            f"{value(equal, 'vicreg', 'solo-learn')} in solo-learn, which adds both variances.",
        ),
        (
            "An anchor without positives does nothing.",
            "In SupContrast the loss is then nan (02f458c) or, since its division was mended, the "
            "anchor counts with 0; in solo-learn it is infinite; pytorch-metric-learning leaves "
            "the anchor out of the mean.",
        ),
    ]


def page() -> str:
    """The page as it should be; docs/examples.py fills in what commands print."""
    lines = []
    for row in ROWS:
        options = AT.get(row.loss, {})
        options = {k: v for k, v in options.items() if k in row.defaults}
        found = explain(row.loss, convention=row.convention, **options)
        values = {mark["name"]: shown(mark["value"]) for mark in found["landmarks"]}
        sizes = {**completed(row, {}), **options}
        at = ", ".join(f"{k} {v}" for k, v in sizes.items() if k != "views")
        cells = " | ".join(values.get(name, "") for name in COLUMNS)
        lines.append(f"| `{row.loss}` | `{row.convention}` | {at} | {cells} |")
    table = "\n".join(f"| {said} | {so} |" for said, so in traps())
    return HEAD + "\n".join(lines) + "\n" + TRAPS + table + "\n"


def oracles() -> list[dict[str, Any]]:
    """All landmarks of all losses at small sizes, with twelve digits."""
    found = []
    for row in ROWS:
        options = {k: SMALL.get(k, str(v)) for k, v in row.defaults.items()}
        marks = explain(row.loss, convention=row.convention, **options)["landmarks"]
        found.append(
            {
                "loss": row.loss,
                "convention": row.convention,
                "source": row.source,
                "options": options,
                "landmarks": [{**mark, "value": float(f"{mark['value']:.12g}")} for mark in marks],
            }
        )
    return found


def agree(one: Any, other: Any) -> bool:
    """Whether two JSON values are the same, numbers up to CLOSE."""
    if isinstance(one, float) and isinstance(other, float | int):
        return isclose(one, other, rel_tol=CLOSE, abs_tol=CLOSE)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(agree(one[k], other[k]) for k in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(agree, one, other))
    return bool(one == other)


def without_output(text: str) -> str:
    """A page without what commands print, which docs/examples.py compares."""
    return re.sub(r"(```console\n\$[^\n]*\n).*?(?=```\n)", r"\1", text, flags=re.DOTALL)


def main() -> int:
    made, found = page(), oracles()
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(made, encoding="utf-8")
        lines = ",\n".join(map(json.dumps, found))
        ORACLES.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
        return 0
    same = without_output(PAGE.read_text(encoding="utf-8")) == made
    return 0 if same and agree(found, json.loads(ORACLES.read_text(encoding="utf-8"))) else 1


if __name__ == "__main__":
    sys.exit(main())
