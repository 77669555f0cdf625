"""Feed the command line hostile input for as long as you like: ``run.py KIND COUNT [SEED]``.

KIND is one of those in ``inputs.py``. Every input that ends badly is printed, with what is wrong;
the exit code is 1 if there was one. What is found and mended becomes a line of ``found.json``.
"""

from __future__ import annotations

import sys
import time

from harness import Input, faults, run
from hypothesis import HealthCheck, Phase, given, seed, settings
from inputs import KINDS

BATCH = 20


def main(kind: str, count: str, first: str = "0") -> int:
    from cltheory.derive.results import results

    for id in results:
        _ = results[id].quantities
    bad = 0
    start = time.monotonic()

    def one(given_input: Input) -> None:
        nonlocal bad
        began = time.monotonic()
        outcome = run(given_input)
        took = time.monotonic() - began
        wrong = faults(given_input, outcome)
        bad += bool(wrong)
        if "too large to decide" in outcome.out + outcome.err:
            wrong.append("given up")
        if wrong:
            print(f"{'; '.join(wrong)} ({took:.1f} s): {given_input}", flush=True)

    for number in range(int(count) // BATCH):
        made = settings(
            max_examples=BATCH,
            database=None,
            deadline=None,
            derandomize=False,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )(given(KINDS[kind])(one))
        seed(int(first) * 1_000_000 + number)(made)()
    print(f"{count} of {kind}: {bad} bad ({time.monotonic() - start:.0f} s)")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
