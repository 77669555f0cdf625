"""Shared by the tests of the numeric layer."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest
import torch
from cltheory.cli.main import run
from cltheory.derive.results import results


@pytest.fixture(autouse=True)
def one_thread():
    """Tests run side by side; more threads than cores only slow them down."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(
    params=[
        "cpu",
        pytest.param(
            "cuda",
            marks=[
                pytest.mark.cuda,
                pytest.mark.skipif(
                    not torch.cuda.is_available(), reason="needs a CUDA device, does not exist"
                ),
            ],
        ),
    ]
)
def device(request: pytest.FixtureRequest) -> str:
    """Every device there is."""
    return request.param


@pytest.fixture(scope="session")
def predicted_variance() -> Callable[..., float]:
    """Within-class variance of the optimum of the SupCL loss, from the derived formula."""
    function = results["supcl-optimum"].function("within_class_variance")

    def variance(m: int, n: int, alpha: float, tau: float) -> float:
        return float(function(m=m, n=n, alpha=alpha, tau=tau))

    return variance


@pytest.fixture
def drawn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[int, str, str]]:
    """``cltheory figure`` in an empty folder: its exit code, and what it says."""
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)

    def command(*words: str) -> tuple[int, str, str]:
        capsys.readouterr()
        return run(["figure", *words, "--device", "cpu"]), *capsys.readouterr()

    return command


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], ModuleType]:
    """Import a module of a package without running any ``__init__`` above it."""

    def load(name: str) -> ModuleType:
        top, *_ = name.split(".")
        monkeypatch.delitem(sys.modules, top, raising=False)
        package = find_spec(top)
        if package is None or package.origin is None:
            pytest.skip(f"needs {top}")
        folder = Path(package.origin).parent.parent
        # It wants torchvision, and the losses take one function of it that they do not call here.
        unused = ModuleType("lightly.models.utils")
        unused.__dict__["concat_all_gather"] = None
        monkeypatch.setitem(sys.modules, unused.__name__, unused)
        for inner in [folder / top, *(p.parent for p in (folder / top).rglob("__init__.py"))]:
            dotted = ".".join(inner.relative_to(folder).parts)
            empty = ModuleType(dotted)
            empty.__path__ = [str(inner)]
            monkeypatch.setitem(sys.modules, dotted, empty)
        return import_module(name)

    return load
