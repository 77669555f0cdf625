"""Shared by the tests of the numeric layer."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.util import find_spec, module_from_spec, spec_from_file_location
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


def loss_file(package: str, path: str, *empty: str) -> ModuleType:
    """A file of a package, of which ``empty`` are packages whose own files are not run.

    The packages themselves would import torchvision and more.
    """
    found = find_spec(package)
    if found is None or found.origin is None:
        pytest.skip(f"needs {package}")
    root = Path(found.origin).parent
    before = dict(sys.modules)
    try:
        for name in empty:
            sys.modules[name] = ModuleType(name)
            sys.modules[name].__path__ = [str(root.parent.joinpath(*name.split(".")))]
        spec = spec_from_file_location(f"{package}_loss_file", root / path)
        assert spec is not None and spec.loader is not None
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        for name in set(sys.modules) - set(before):
            if name.split(".")[0] == package:
                del sys.modules[name]
    return module


@pytest.fixture(scope="session")
def open_clip() -> ModuleType:
    """The file of open_clip's losses."""
    return loss_file("open_clip", "loss.py")


@pytest.fixture(scope="session")
def lightly() -> dict[str, ModuleType]:
    """The files of lightly's NT-Xent and decoupled losses."""
    empty = "lightly", "lightly.models", "lightly.models.modules", "lightly.models.utils"
    names = ("ntx_ent_loss", "dcl_loss")
    return {name: loss_file("lightly", f"loss/{name}.py", *empty) for name in names}


@pytest.fixture(scope="session")
def solo_moco() -> ModuleType:
    """The file of solo-learn's loss of MoCo."""
    return loss_file("solo", "losses/moco.py")
