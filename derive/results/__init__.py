"""The registry of results: one module each, named like the id, in folders by family.

A module is loaded when its result is asked for. Other packages may register more, under the group
``cltheory.results`` (:mod:`~cltheory.derive.plugins`).
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from ..decide.spelling import did_you_mean
from ..errors import Refusal
from ..plugins import Plugins
from ..problems.catalogue import is_file

if TYPE_CHECKING:
    from ..theorem.result import Result


#: What the results in a folder are about, in the order in which they are listed.
FAMILIES = {
    "classes": "Classes of one size",
    "instances": "Instances without classes",
    "sizes": "Classes of two sizes",
    "weighted": "Weighted InfoNCE: class imbalance, label geometry",
    "towers": "Pairs and tuples of encoders",
    "kernels": "Exponential kernels",
    "graphs": "Similarity graphs",
    "gradients": "The gradient and its spectrum",
    "": "Any declared loss",
}
OTHERS = "Results of other packages"


class UnknownResult(Refusal, KeyError):
    """No result has this id; the message is one line and names the nearest."""

    def __str__(self) -> str:
        return str(self.args[0])


class Registry(Mapping[str, "Result"]):
    """Results by id: our own, then those of other packages; a file ``NAME.toml`` is one too.

    Asking for one of our own looks at no other package. Listing imports none of our own, but what
    others register, since what cannot be loaded is not listed.
    """

    def __init__(self) -> None:
        here = Path(__file__).parent
        found = [*here.glob("*.py"), *here.glob("[a-z]*/*.py")]
        self._modules = {
            f.stem.replace("_", "-"): ".".join(("", *f.relative_to(here).with_suffix("").parts))
            for f in sorted(found, key=lambda f: f.stem)
            if f.stem[0] != "_"
        }
        self.plugins: Plugins[Result] = Plugins("cltheory.results", "result", self._modules, _wrong)

    def __getitem__(self, id: str) -> Result:
        if is_file(id):
            phases = import_module(self._modules["phases"], __package__)
            own: Result = phases.of_file(id)
            return own
        id = self._spelled(id)
        if not self.is_own(id):
            if id in self.plugins.names:
                return self.plugins[id]
            raise self.unknown(id)
        module = import_module(self._modules[id], __package__)
        result: Result = module.RESULT
        return result

    def __iter__(self) -> Iterator[str]:
        yield from self._modules
        yield from self.plugins.working()

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"<{len(self.names())} results: {', '.join(self.names())}>"

    def names(self) -> tuple[str, ...]:
        """All ids, also of what cannot be loaded; nothing is imported."""
        return (*self._modules, *self.plugins.names)

    def unknown(self, id: str) -> UnknownResult:
        """The refusal of what is no id, with the nearest there are."""
        from ..problems.catalogue import CATALOGUE

        # What begins so is mostly the name of a loss, of which these are asked for first.
        main = sorted(self.names(), key=lambda k: not k.endswith(("-threshold", "-optimum")))
        near = did_you_mean(id, main, 3)
        loss = f"; 'cltheory derive phases --loss {id}' is about that loss" * (id in CATALOGUE)
        word = id if id.replace("-", "").isalnum() else "WORD"
        search = f"'cltheory list' lists all, 'cltheory list {word}' searches"
        return UnknownResult(f"no result is called {id!r}{near}{loss}; {search}")

    def family(self, id: str) -> list[str]:
        """The results in the same folder; of those that other packages register, all."""
        if not self.is_own(id):
            return list(self.plugins.working())
        folder = self._modules[id].rpartition(".")[0]
        return [k for k, module in self._modules.items() if module.rpartition(".")[0] == folder]

    def is_own(self, id: object) -> bool:
        """Whether it is none of another package; no other package is looked at."""
        return id in self._modules

    def about(self, id: str) -> str:
        """What a result and its neighbours are about, in a few words."""
        if not self.is_own(id):
            return OTHERS
        return FAMILIES[self._modules[id].rpartition(".")[0].removeprefix(".")]

    def keywords(self, id: str) -> str:
        """What people search for and the title does not say: ``KEYWORDS`` of the module."""
        own = self._own_module(id)
        return "" if own is None else str(getattr(own, "KEYWORDS", ""))

    def texts(self, id: str) -> str:
        """All that the module of a result says in words: quantities, meanings, steps."""
        own = self._own_module(id)
        nodes = () if own is None else ast.walk(ast.parse(inspect.getsource(own)))
        return "\n".join(str(e.value) for e in nodes if isinstance(e, ast.Constant))

    def _own_module(self, id: str) -> ModuleType | None:
        return import_module(self._modules[id], __package__) if self.is_own(id) else None

    def __contains__(self, id: object) -> bool:
        if isinstance(id, str) and is_file(id):
            return True
        known = self._spelled(id) if isinstance(id, str) else id
        return self.is_own(known) or known in self.plugins.names

    def _spelled(self, id: str) -> str:
        """An id as it is registered: ``supcl_threshold`` is ours with hyphens."""
        hyphens = id.replace("_", "-")
        return hyphens if self.is_own(hyphens) else id


def _wrong(id: str, found: object) -> str:
    from ..theorem.result import Result

    if not isinstance(found, Result):
        return f"is not a Result, but of type {type(found).__name__}"
    return "" if found.id == id else f"has another id: {found.id!r}"


results = Registry()
