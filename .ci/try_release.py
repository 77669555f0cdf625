"""Use an installed package as its users do, where nothing but what it asks for is there.

python .ci/try_release.py      prints the versions that it was tried with
"""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import requires, version
from pathlib import Path

TREE = Path(__file__).resolve().parent.parent
PAPER = TREE / "tests" / "data" / "paper.tex"


def says(*words: str) -> str:
    """What the installed command prints."""
    command = [str(Path(sys.executable).parent / "cltheory"), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path.home())
    return done.stdout


def main() -> int:
    import cltheory

    own = Path(cltheory.__file__).parts
    assert "site-packages" in own, "this is the tree, not what was built"
    assert "0.0201464446195631" in says(*"derive supcl-threshold --m 10 --n 50 --tau 0.1".split())
    assert says("check", str(PAPER)) == "9 marked equations in 1 file: 9 equal (9 exact)\n"
    assert "def ssem_delta_max" in says("export", "--python", "-", "ssem")
    assert str(cltheory.supcl_threshold(m=10, n=50, tau="1/10").alpha_min) == "0.0201464446195631"
    assert says("claims", "lee2025ssem", "--stored").startswith("Of 324 statements in ")
    needed = [line for line in requires("cltheory") or [] if "extra ==" not in line]
    names = ["cltheory", *(re.match(r"[\w-]+", line)[0] for line in needed)]
    print("works:", ", ".join(f"{name} {version(name)}" for name in names), sys.version.split()[0])
    return 0


if __name__ == "__main__":
    sys.exit(main())
