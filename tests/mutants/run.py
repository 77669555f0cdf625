"""Run mutants of the engine: ``python tests/mutants/run.py [PARTS OF NAMES]``.

A mutant is one wrong line (see ``mutant.py``); the tests that it names must fail with it. Lists
are the files ``of_*.py`` here, one for each module or group of modules; to add one, write such a
file with ``MUTANTS = [Mutant(...), ...]``. Exits 1 if one survives: a test is missing.
"""

from __future__ import annotations

import sys
import time

from mutant import every, survives


def main(*parts: str) -> int:
    chosen = [m for m in every() if not parts or any(part in m.name for part in parts)]
    if not chosen:
        print(f"no mutant is called {' or '.join(map(repr, parts))}")
        return 2
    alive = 0
    for k, m in enumerate(chosen, 1):
        start = time.monotonic()
        survived = survives(m, m.tests)
        alive += survived
        word = "SURVIVED" if survived else "noticed"
        print(f"[{k}/{len(chosen)}] {word} ({time.monotonic() - start:.0f} s) {m.name}", flush=True)
    print(f"{len(chosen) - alive} of {len(chosen)} noticed")
    return 1 if alive else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
