"""What structures with one occupied eigenspace are called."""

from __future__ import annotations

from .scheme import Scheme

#: Structures of towers with one occupied eigenspace: a name, and what it means.
OF_TOWERS = {
    "shared_contrasts": ("the simplex", "towers coincide, items apart"),
    "differing_means": ("the simplex of towers", "each tower is at one point"),
    "shared_mean": ("total collapse", "all vectors are equal"),
    "differing_contrasts": ("differing contrasts", "sums over items and over towers vanish"),
}


def called(space: str, scheme: Scheme) -> tuple[str, str]:
    """A structure by its eigenspaces (``a+b``): its name, and what it means for the vectors."""
    names = [e.name for e in scheme.eigenspaces]
    spaces = space.split("+")
    if spaces[1:]:
        what = f"a mixture of {' and '.join(called(s, scheme)[0] for s in spaces)}"
        if "mean" not in names:
            return what, "several eigenspaces are occupied"
        *finer, first = names[: min(map(names.index, spaces)) + 1]
        return what, f"{' and '.join(finer)} collapse, " * bool(finer) + f"{first} apart"
    if "mean" not in names or space not in names:  # not nested classes
        if space == "differing_means" and scheme.eigenspace(space).dimension == 1:
            return "the antipodal structure", OF_TOWERS[space][1]
        return OF_TOWERS.get(space, (space, "one eigenspace alone is occupied"))
    if space == "mean":
        return "total collapse", "all vectors are equal"
    k = names.index(space)
    finer, coarser = names[:k], [name for name in names[k + 1 :] if name != "mean"]
    means = [f"{' and '.join(finer)} collapse"] if finer else []
    if not coarser:
        return f"the simplex of {space}", ", ".join([*means, f"{space} apart"])
    means += [f"{space} apart", f"means of {' and '.join(coarser)} coincide"]
    return f"simplices of {space}", ", ".join(means)


def motion(start: str, end: str, scheme: Scheme) -> str:
    """The way from a structure to another."""
    return f"moving from {called(start, scheme)[0]} towards {called(end, scheme)[0]}"
