"""Results, losses and papers of other packages: a tiny one is laid on the path, and broken ones."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from importlib import invalidate_caches
from pathlib import Path

import pytest
from cltheory.derive.papers import PLUGINS, UnknownPaper, ledger_of
from cltheory.derive.plugins import PluginError, Plugins, PluginWarning
from cltheory.derive.problems.catalogue import CATALOGUE, Catalogue
from cltheory.derive.results import Registry, UnknownResult

MODULE = """
from cltheory.derive.papers.ledger import Ledger
from cltheory.derive.problems.catalogue import CATALOGUE
from cltheory.derive.results import results
from cltheory.derive.theorem.result import Result
from cltheory.derive.theorem.subject import Symmetric

LOSS = CATALOGUE["simclr"]
LEDGER = Ledger("doe2030", "A paper of somebody", __name__)
_simclr = results["simclr"]


def build(proof):
    return _simclr._build(proof)


RESULT = Result(
    "views-coincide",
    title="Views of an instance coincide",
    source="doe2030, Theorem 1",
    parameters=_simclr.parameters,
    domain=LOSS.domain,
    build=build,
    subject=Symmetric(LOSS, segment=_simclr.segment),
)
OTHER = 3
"""
GOOD = """
[cltheory.results]
views-coincide = somebodys_theory:RESULT
[cltheory.losses]
simclr-again = somebodys_theory:LOSS
[cltheory.papers]
doe2030 = somebodys_theory:LEDGER
"""
Lay = Callable[..., Path]


@pytest.fixture
def lay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lay:
    """Install a package: its code and what pip writes about it, in a folder on the path."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "somebodys_theory", raising=False)

    def package(entries: str, name: str = "somebodys-theory", module: str = MODULE) -> Path:
        about = tmp_path / f"{name.replace('-', '_')}-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (about / "entry_points.txt").write_text(entries)
        (tmp_path / f"{name.replace('-', '_')}.py").write_text(module)
        invalidate_caches()
        return tmp_path

    return package


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> Callable[[], Registry]:
    """Registries that have not looked yet."""

    def made() -> Registry:
        for known in (CATALOGUE.plugins, PLUGINS):
            monkeypatch.setattr(known, "_loaded", {})
            monkeypatch.setattr(known, "_told", set())
            known.__dict__.pop("_entries", None)
        return Registry()

    yield made
    for known in (CATALOGUE.plugins, PLUGINS):
        known.__dict__.pop("_entries", None)


def test_a_result_of_another_package_is_one_like_ours(lay: Lay, fresh) -> None:
    lay(GOOD)
    results = fresh()
    assert "views-coincide" in results and "views-coincide" in list(results)
    assert len(results) == len(list(results))
    found = results["views-coincide"]
    assert found.evidence.grade.name == "EXACT"
    assert found.value("same_instance", n=4, p=2, tau=1) == 1


def test_a_loss_and_a_paper_of_another_package(lay: Lay, fresh) -> None:
    lay(GOOD)
    fresh()
    losses = Catalogue()
    assert "simclr-again" in losses and list(losses)[-1] == "simclr-again"
    assert losses["simclr-again"].loss is losses["simclr"].loss
    assert losses.says("simclr-again") == losses["simclr"].loss.title
    assert ledger_of("doe2030").key == "doe2030"
    with pytest.raises(UnknownPaper, match="doe2030"):
        ledger_of("nobody2020")


def test_our_own_names_need_no_look_at_other_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    def looks(self: object) -> None:
        raise AssertionError("the packages were looked at")

    monkeypatch.setattr(Plugins, "_registered", looks)
    results, losses = Registry(), Catalogue()
    assert results["simclr"].id == "simclr" and "simclr" in results
    assert losses["simclr"].loss and "hinge" in losses and losses.says("hinge")
    with pytest.raises(AssertionError):  # and the look is noticed
        results["nope"]


def test_an_unknown_id_names_theirs_too(lay: Lay, fresh) -> None:
    lay(GOOD)
    with pytest.raises(
        UnknownResult, match=r"called 'views-coincides' \(did you mean 'views-coinc"
    ):
        fresh()["views-coincides"]


@pytest.mark.parametrize(
    "entries, module, says",
    [
        ("views-coincide = nowhere:RESULT", "", "cannot be loaded: ModuleNotFoundError: No mod"),
        ("views-coincide = somebodys_theory:R", "1 / 0", "cannot be loaded: ZeroDivisionError: "),
        ("views-coincide = somebodys_theory:OTHER", MODULE, "is not a Result, but of type int"),
        ("another = somebodys_theory:RESULT", MODULE, "has another id: 'views-coincide'"),
    ],
)
def test_a_broken_one_is_told_and_silences_nobody(
    lay: Lay, fresh, entries: str, module: str, says: str
) -> None:
    lay(f"[cltheory.results]\n{entries}\n", module=module)
    results = fresh()
    name = entries.partition(" ")[0]
    with pytest.warns(PluginWarning, match=f"the result '{name}' of somebodys-theory 1.0") as told:
        listed = list(results)
    assert len(told) == 1 and says in str(told[0].message)
    assert "\n" not in str(told[0].message)
    assert listed == sorted(results._modules) and name not in listed
    with pytest.raises(PluginError) as refused:
        results[name]
    assert str(refused.value) == str(told[0].message)
    assert list(results) == listed  # it is told once


def test_our_own_names_cannot_be_taken(lay: Lay, fresh) -> None:
    lay("[cltheory.results]\nssem = somebodys_theory:RESULT\n[cltheory.losses]\nhinge = x:y\n")
    results = fresh()
    assert results["ssem"].title == "The Simplex-to-Simplex Embedding Model"
    with pytest.warns(PluginWarning, match="'ssem' of somebodys-theory 1.0 .* is ignored"):
        assert list(results) == sorted(results._modules)
    with pytest.warns(PluginWarning, match="the loss 'hinge' .* is ignored"):
        assert "somebody" not in "".join(Catalogue())


def test_of_two_that_say_the_same_name_neither_is_taken(lay: Lay, fresh) -> None:
    lay(GOOD)
    lay("[cltheory.results]\nviews-coincide = other:RESULT\n", name="other")
    results = fresh()
    with pytest.raises(PluginError, match=r"is registered twice, by .* and "):
        results["views-coincide"]


@pytest.mark.parametrize("name", ["bad name", "ä", "1st", "-x", "a/b", "x" * 200])
def test_what_is_no_name_is_ignored(lay: Lay, fresh, name: str) -> None:
    lay(f"[cltheory.results]\n{name} = somebodys_theory:RESULT\n")
    results = fresh()
    with pytest.warns(PluginWarning, match="is not a name: ignored"):
        assert list(results) == sorted(results._modules)


def test_metadata_that_cannot_be_read_is_told(lay: Lay, fresh) -> None:
    lay("[cltheory.results]\nno value here\n")
    with pytest.warns(PluginWarning, match="entry points of somebodys-theory 1.0 cannot be read"):
        assert "ssem" in list(fresh())


def command(path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    code = "import sys; sys.path.insert(0, sys.argv.pop(1))\n"
    code += "from cltheory.cli.main import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, str(path), *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )


def test_the_command_line_knows_them(lay: Lay) -> None:
    here = lay(GOOD)
    lay("[cltheory.results]\nbroken = brk:RESULT\nssem = brk:R\n", name="brk", module="1 / 0")
    listed = command(here, "list")
    assert (listed.returncode, "\n  views-coincide " in listed.stdout) == (0, True)
    said = sorted(listed.stderr.splitlines())
    assert len(said) == 2 and all(line.startswith("cltheory: the result ") for line in said)
    derived = command(here, "derive", "views-coincide", "--n", "4", "--tau", "1", "--brief")
    assert derived.returncode == 0
    assert "views-coincide: Views of an instance coincide with n = 4" in derived.stdout
    asked = command(here, "derive", "broken")
    assert (asked.returncode, asked.stdout) == (2, "")
    assert asked.stderr.endswith("cannot be loaded: ZeroDivisionError: division by zero\n")
    claims = command(here, "claims", "doe2030")
    assert (claims.returncode, claims.stderr) == (0, "")
    own = command(here, "derive", "ssem", "--m", "3")
    assert (own.returncode, own.stderr) == (0, "")  # nothing was looked for
