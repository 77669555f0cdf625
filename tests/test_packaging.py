"""The list of packages in pyproject.toml is the tree."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def test_every_folder_with_code_is_packaged() -> None:
    if not (ROOT / "derive").is_dir():
        pytest.skip("not run from a checkout")
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    found = {
        "cltheory." + ".".join(f.parent.relative_to(ROOT).parts)
        for top in ("derive", "numeric", "cli")
        for f in (ROOT / top).rglob("__init__.py")
    }
    assert set(listed) == found
