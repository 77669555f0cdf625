"""Seeds, markers and fixtures for all tests."""

from __future__ import annotations

import json
import os
import random
import sys
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Fixed examples in CI and here: a failure is the same failure everywhere.
settings.register_profile(
    "cltheory",
    deadline=None,
    derandomize=True,
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("cltheory")


@pytest.fixture(autouse=True)
def _seed() -> None:
    random.seed(0)
    try:
        import numpy as np
    except ImportError:
        return
    np.random.seed(0)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(0)


#: Tests that take more than a quick one may, with their seconds of processor time.
DURATIONS = Path(__file__).parent / "data/durations.json"
QUICK = 0.25
#: What is asked of every result is asked in the slow run of those that take longer to derive: in
#: the quick one whoever asks first would derive them for nobody else.
DERIVED = 1.5
DERIVING = "tests/derive/test_results.py::test_every_result_is_well_formed["
_stored = pytest.StashKey[dict[str, float]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--whole",
        action="store_true",
        help="quick or slow by their marks alone, and no family thinned",
    )
    says = "run whole files without workers (-n 0), and store which of their tests are not quick"
    parser.addoption("--store-durations", action="store_true", help=says)


@pytest.hookimpl(tryfirst=True)  # before xdist takes what it takes by default
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Quick tests of one file go to one worker, which derives what they share once."""
    words = vars(config.option)
    if words.get("numprocesses") and words.get("dist") == "no" and words["markexpr"] == "not slow":
        config.option.dist = "loadfile"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, bool, bool]:
    before, done = sum(os.times()[:4]), (yield)
    item.config.stash.setdefault(_stored, {})[item.nodeid] = sum(os.times()[:4]) - before
    return done


def pytest_sessionfinish(session: pytest.Session) -> None:
    if session.config.getoption("--store-durations"):
        found = session.config.stash.get(_stored, {})
        files = {id.partition("::")[0] for id in found}
        known = json.loads(DURATIONS.read_text("utf-8"))
        known = {id: s for id, s in known.items() if id.partition("::")[0] not in files} | found
        kept = {id: round(known[id], 1) for id in sorted(known) if known[id] > QUICK}
        DURATIONS.write_text(json.dumps(kept, indent=0) + "\n", "utf-8")


@pytest.hookimpl(tryfirst=True)  # before pytest looks for the slow ones
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Thin families of tests: quick runs by ``sample``, runs of a share of all by ``net``.

    Of a family marked ``net(k)`` the share is k times as large.

    Of what is left, machines that divide the work take a shard each.
    """
    whole, storing = (config.getoption(f"--{o}") for o in ("whole", "store-durations"))
    long = json.loads(DURATIONS.read_text("utf-8")) if DURATIONS.is_file() else {}
    heavy = {
        k.removeprefix(DERIVING)[:-1] for k, s in long.items() if s > DERIVED and DERIVING in k
    }
    for item in items:
        asked = vars(item).get("callspec")
        of_heavy = asked and heavy & {v for v in asked.params.values() if isinstance(v, str)}
        if (item.nodeid in long or of_heavy) and not (whole or storing):
            item.add_marker(pytest.mark.slow)
    if not whole:
        for family in _families(items, "sample"):
            (most,) = family[0].get_closest_marker("sample").args
            quick = {k * len(family) // most for k in range(most)}
            for k, item in enumerate(family):
                if len(family) > most and k not in quick:
                    item.add_marker(pytest.mark.slow)
    left: set[pytest.Item] = set()
    for family in _families(items, "net"):
        left.update(family[_part("CLTHEORY_SHARE", *family[0].get_closest_marker("net").args)])
    shard = _part("CLTHEORY_SHARD")
    kept = [i for i in items if not i.get_closest_marker("net") or i in left][shard]
    config.hook.pytest_deselected(items=list(set(items) - set(kept)))
    items[:] = kept


def _part(name: str, often: int = 1) -> slice:
    """One in n, from the k-th: ``k/n`` in the environment; or ``often`` in n."""
    first, _, step = os.environ.get(name, "1/1").partition("/")
    n = max(int(step) // often, 1)
    return slice((int(first) - 1) % n, None, n)


def _families(items: list[pytest.Item], mark: str) -> list[list[pytest.Item]]:
    """The tests that have a mark, those of one function together."""
    found: dict[tuple[object, str], list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker(mark):
            found[item.path, item.name.partition("[")[0]].append(item)
    return list(found.values())
