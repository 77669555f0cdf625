"""What a release says of itself, in all the places that say it.

The address is `project.urls.Repository` of pyproject.toml, and the version that of CITATION.cff.

python .ci/release.py                compare; exit 1 and name what is out of date
python .ci/release.py --write        write it
python .ci/release.py --tag v0.1.0   compare, and refuse a tag that is not ready to be released
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parent.parent

INSTALL = """\
python3 -m venv .venv
.venv/bin/pip install -c constraints.txt .                # symbolic: SymPy, python-flint, numpy
.venv/bin/pip install -c constraints.txt '.[torch,plot]'  # and verification, figures
"""
#: What stands in the code block below each mark: without an address what works beside a clone.
BLOCKS = {
    ("docs/first-steps.md", "install"): (
        INSTALL,
        "git clone {address} cltheory && cd cltheory\n" + INSTALL,
    ),
    ("docs/papers.md", "pre-commit"): (
        """\
repos:
  - repo: ../cltheory  # a clone of this repository
    rev: HEAD
    hooks:
      - id: cltheory-check
""",
        """\
repos:
  - repo: {address}
    rev: v{version}
    hooks:
      - id: cltheory-check
""",
    ),
    ("docs/papers.md", "action"): (
        """\
- uses: actions/checkout@v4
  with:
    submodules: true  # a clone of this repository, in the folder cltheory
- uses: ./cltheory
  with:
    paths: paper
    require: true  # fail if no equation is marked, as --require does
""",
        """\
- uses: {name}@v{version}
  with:
    paths: paper
    require: true  # fail if no equation is marked, as --require does
""",
    ),
}
#: What nobody can copy as it stands.
PLACEHOLDER = re.compile(r"\bOWNER\b|URL-OF|@COMMIT\b|\bYOUR-|example\.(?:com|org)|<(?:url|owner)>")


def project() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def address() -> str:
    """Where the project is kept; nothing as long as that is not set."""
    return project().get("urls", {}).get("Repository", "").rstrip("/")


def files(url: str) -> dict[str, str]:
    """Every file that says the address or the version, as it should read."""

    def read(path: str) -> str:
        return found.get(path) or (ROOT / path).read_text(encoding="utf-8")

    found: dict[str, str] = {}
    cff = re.sub(r"^repository-code: .*\n", "", read("CITATION.cff"), flags=re.M)
    (version,) = re.findall(r"^version: (.*)$", cff, re.M)
    own = f'repository-code: "{url}"\n' if url else ""
    found["CITATION.cff"] = cff.replace("license: ", f"{own}license: ", 1)
    for (path, mark), texts in BLOCKS.items():
        text = texts[bool(url)].format(
            address=url, version=version, name=urlsplit(url).path.strip("/")
        )
        block = re.compile(
            rf"(<!-- made by .ci/release.py: {mark} -->\n```\w+\n).*?(?=^```$)", re.M | re.S
        )
        found[path], count = block.subn(lambda at, text=text: at[1] + text, read(path))
        if count != 1:
            raise ValueError(f"{path} has {count} blocks marked {mark}")
    entry = re.sub(r"^  url .*\n", "", read("README.md"), flags=re.M)
    where = f"\n  url           = {{{url}}}," if url else ""
    found["README.md"] = re.sub(
        r"(\n  note          = \{)Version [^}]*\},", rf"\1Version {version}}},{where}", entry
    )
    own = project()
    zenodo = {
        "title": re.findall(r'^title: "(.*)"$', cff, re.M)[0],
        "description": own["description"],
        "upload_type": "software",
        "license": own["license"],
        "creators": own["authors"],
        "keywords": own["keywords"],
    }
    if url:
        zenodo["related_identifiers"] = [{"identifier": url, "relation": "isSupplementTo"}]
    found[".zenodo.json"] = json.dumps(zenodo, indent=2) + "\n"
    return found


def not_ready(tag: str, url: str) -> list[str]:
    """Why a tag cannot be released."""
    version = re.findall(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text("utf-8"), re.M)[0]
    told = re.findall(r"^## \[(.*?)\]", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)
    faults = []
    if tag != f"v{version}":
        faults.append(f"the tag is {tag}, and CITATION.cff has the version {version}")
    if tag.removeprefix("v") not in told:
        faults.append(f"CHANGELOG.md has no section [{tag.removeprefix('v')}]")
    if not url:
        faults.append("pyproject.toml has no project.urls.Repository")
    return faults


def main(words: list[str]) -> int:
    url = address()
    made = files(url)
    if words == ["--write"]:
        for path, text in made.items():
            (ROOT / path).write_text(text, encoding="utf-8")
    faults = [
        f"{path} is out of date: python .ci/release.py --write"
        for path, text in made.items()
        if not (ROOT / path).is_file() or (ROOT / path).read_text(encoding="utf-8") != text
    ]
    if words[:1] == ["--tag"]:
        faults += not_ready(words[1], url)
    print("\n".join(faults) or "address and version are the same everywhere")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
