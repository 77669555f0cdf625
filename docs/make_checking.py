"""Write docs/checking.md: what the check makes of the statements of the corpus, by kind.

python tests/derive/tex/statements/run.py --store     half an hour: runs and counts all of them
python docs/make_checking.py --write                  puts the counts into words
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "checking.md"
sys.path.insert(0, str(ROOT / "tests" / "derive" / "tex"))

from statements import mended, run, stored  # noqa: E402

HEAD = r"""# How well the check works

<!-- Written by docs/make_checking.py; do not edit. -->

`cltheory check` says *equal* where it has proved that a statement is about the quantity that its
directive names, that both sides are defined on the whole domain that is claimed, and that they
agree there. How often it can say so, and that it says so of nothing false, is measured on
statements that are made from every derived quantity in the typography of authors.

- A **true** one is rendered from an expression by steps that keep its value (other forms, other
  macros, brackets, fractions, names, conditions in words and signs), and is evaluated as it is
  printed, by mpmath at random points, against the derived value. That is another implementation
  than the checker: neither its reader nor its normal forms take part.
- A **false** one has one slip. A slip of *value* is kept only if it changes the value at an
  admissible point, or there is none there. The other kinds are false by what they say: another
  name at the left, a formula without a value somewhere (also where it has a limit, and the
  directive does not allow that), a claim for more than the domain, words that take the formula
  back, or a macro that means something else at that place of the document.
- Those *by hand* were found by readers: each was once refused or accepted wrongly.

All are made from a seed, so that everybody has the same ones:

```sh
python tests/derive/tex/statements/run.py --failures out.txt
python tests/derive/tex/statements/run.py true/bound false/macro
```

The counts below are stored in `tests/derive/tex/statements/counts.json`. A slow test runs every
statement again and compares (`pytest -m slow tests/derive/tex/test_statements.py`); a quick one
runs a few of each kind.
"""

KINDS = """
## By kind

{proved:.1%} of {true} true statements are proved; of {false} false ones {accepted} are accepted.
*Otherwise* is what came of the rest: *unread* (with the reason, and often what to write instead),
*undecided*, *sampled* (equal wherever it was tried), a *problem* of the document.

{table}
"""

EDITS = """
## The edit that is suggested

Where a statement differs, an edit of a token or two is looked for that makes it true, in its own
typography; it is only shown if the statement is proved with it. For the slips of value and of
relations, by their size in tokens: how often the edit takes the slip back, is another one as small
that is also proved (`-1 + n` for `n - 1`), is larger, or is not found.

{table}
"""


def page() -> str:
    """The page, of the counts that are stored."""
    found = stored.found()["kinds"]
    proved, accepted = run.rates(found)
    true = sum(sum(w.values()) for k, w in found.items() if k.startswith("true"))
    false = sum(sum(w.values()) for k, w in found.items() if not k.startswith("true"))
    kinds = KINDS.format(
        proved=proved, accepted=accepted, true=true, false=false, table=run.table(found)
    )
    return HEAD + kinds + EDITS.format(table=mended.table(stored.edits()))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    text = page()
    if arguments.write:
        PAGE.write_text(text, encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
