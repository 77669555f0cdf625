"""Shared by the tests of the numeric layer."""

from __future__ import annotations

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


@pytest.fixture(scope="session")
def open_clip() -> ModuleType:
    """The file of open_clip's losses; the package would import torchvision."""
    package = find_spec("open_clip")
    if package is None or package.origin is None:
        pytest.skip("needs open_clip_torch")
    path = Path(package.origin).with_name("loss.py")
    spec = spec_from_file_location("open_clip_loss_file", path)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
