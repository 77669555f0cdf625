"""``cltheory diagnose``: what it takes for positives, what it says, and what it refuses."""

from __future__ import annotations

import json
import re
import zipfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

import cltheory.cli.array_files as files
from cltheory.numeric.band import BandMonitor, same_class
from cltheory.numeric.band.diagnose import Settings, diagnose, halves, pairs_in_a_row

N, D = 24, 6


def unit(x: Any) -> Any:
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


@pytest.fixture
def views() -> tuple[Any, Any]:
    random = np.random.default_rng(0)
    first = unit(random.standard_normal((N, D)))
    return first, unit(first + 0.3 * random.standard_normal((N, D)))


@pytest.fixture
def report(cltheory: Any) -> Any:
    """The report of a file as an object."""

    def command(*args: str) -> dict[str, Any]:
        code, out, err = cltheory("diagnose", *map(str, args), "--format", "json")
        assert (code, err) == (0, ""), err
        found: dict[str, Any] = json.loads(out)
        return found

    return command


# --- numbers -----------------------------------------------------------------------------------
def test_two_views_as_the_monitor_says(views: Any, report: Any, tmp_path: Path) -> None:
    path = tmp_path / "v.npz"
    np.savez(path, z1=views[0], z2=views[1])
    found = report(path, "--tau", "0.2")
    monitor = BandMonitor(0.2, per_anchor=True, closest=True, c=0.5)
    expected = monitor(*views).floats()
    for name, number in found["band"].items():
        if name in expected:
            assert number["mean"] == pytest.approx(expected[name], rel=1e-9), name
    assert (found["n"], found["d"], found["tau"], found["batches"]) == (2 * N, D, 0.2, 1)
    assert "z1 and z2 are two views" in found["taken"]
    assert found["outside"]["proved"] == 0
    assert sum(found["spectrum"]) == pytest.approx(1)
    assert len(found["anchors"]["epsilon"]) == 7


def test_the_same_numbers_whatever_says_the_pairs(views: Any, report: Any, tmp_path: Path) -> None:
    first, second = views
    mixed = np.stack([first, second], 1).reshape(2 * N, D)
    np.savez(tmp_path / "v.npz", z1=first, z2=second)
    np.save(tmp_path / "row.npy", mixed)
    np.save(tmp_path / "stacked.npy", np.stack([first, second], 1))
    np.save(tmp_path / "halves.npy", np.concatenate([first, second]))
    np.savez(tmp_path / "classes.npz", z=mixed, labels=np.arange(2 * N) // 2)
    np.savetxt(tmp_path / "row.csv", mixed, delimiter=",", fmt="%.17g")
    head = ",".join([*(f"x{k}" for k in range(D)), "label"])
    with_labels = np.c_[mixed, np.arange(2 * N) // 2]
    np.savetxt(
        tmp_path / "label.csv", with_labels, delimiter=",", fmt="%.17g", header=head, comments=""
    )
    (tmp_path / "quoted.csv").write_text(
        "\n".join(";".join(f'"{x:.17g}"' for x in row) for row in mixed) + "\n"
    )
    cases = [
        ("v.npz",),
        ("row.npy",),
        ("stacked.npy",),
        ("halves.npy", "--positives", "halves"),
        ("classes.npz",),
        ("row.csv",),
        ("label.csv",),
        ("quoted.csv",),
    ]
    of = [report(tmp_path / name, *more) for name, *more in cases]
    for found in of[1:]:
        for name, number in of[0]["band"].items():
            if number["mean"] is not None:
                assert number["mean"] == pytest.approx(found["band"][name]["mean"], rel=1e-9), name
    assert len({found["taken"] for found in of}) >= 5


def test_a_class_of_one_sample_is_not_in_the_band(views: Any, report: Any, tmp_path: Path) -> None:
    z, labels = views[0], np.arange(N) % 4
    labels[3] = 9
    np.savez(tmp_path / "z.npz", z=z, labels=labels)
    found = report(tmp_path / "z.npz", "--loss", "supcon", "--tau", "0.2")
    rest = np.delete(np.arange(N), 3)
    expected = BandMonitor(0.2, per_anchor=True)(z[rest], positive=same_class(labels[rest]))
    assert found["band"]["measured"]["mean"] == pytest.approx(expected.measured, rel=1e-9)
    assert "not in the band: 1 rows" in str(found["notes"]) and found["collapse"] == "none"


def test_labels_take_the_next_of_a_class(views: Any, report: Any, tmp_path: Path) -> None:
    z, labels = views[0], np.arange(N) % 4
    np.save(tmp_path / "z.npy", z)
    (tmp_path / "names.csv").write_text("\n".join("abcd"[k] for k in labels) + "\n")
    found = report(tmp_path / "z.npy", "--labels", tmp_path / "names.csv")
    expected = BandMonitor(0.1, per_anchor=True)(z, positive=same_class(labels))
    assert found["band"]["measured"]["mean"] == pytest.approx(expected.measured, rel=1e-9)
    assert any("4 classes of 6:" in note for note in found["notes"])
    lines = [f"{k},{'abcd'[label]}" for k, label in enumerate(labels)]
    (tmp_path / "two.csv").write_text("number,kind\n" + "\n".join(lines) + "\n")
    again = report(tmp_path / "z.npy", "--labels", tmp_path / "two.csv", "--column", "kind")
    assert again["band"] == found["band"]


def test_lengths_count_only_with_normalise(
    views: Any, report: Any, refused: Any, tmp_path: Path
) -> None:
    path = tmp_path / "v.npz"
    np.savez(path, z1=views[0], z2=3 * views[1])
    assert f"row {N}" in refused("diagnose", str(path))
    found = report(path, "--normalise")
    expected = BandMonitor(0.1, per_anchor=True)(*views)
    assert found["band"]["measured"]["mean"] == pytest.approx(expected.measured, rel=1e-9)


def test_batches_are_disjoint_pairs_and_seeded(views: Any, report: Any, tmp_path: Path) -> None:
    path = tmp_path / "v.npz"
    np.savez(path, z1=views[0], z2=views[1])
    one, again, other = (report(path, "--batch", "10", "--seed", k) for k in ("0", "0", "1"))
    assert one == again != other
    assert (one["batches"], one["batch"]) == (4, 10)
    assert one["band"]["measured"]["least"] < one["band"]["measured"]["largest"]
    # Pairs stay together, so alignment is near that of all.
    whole = report(path)["band"]["alignment"]["mean"]
    assert one["band"]["alignment"]["mean"] == pytest.approx(whole, abs=0.1)
    few = report(path, "--batch", "10", "--batches", "2")
    assert few["batches"] == 2


def test_a_large_file_is_sampled_and_looked_at_whole(tmp_path: Path, report: Any) -> None:
    z = unit(np.random.default_rng(0).standard_normal((5000, 4))).astype(np.float32)
    np.save(tmp_path / "z.npy", z)
    found = report(tmp_path / "z.npy")
    assert (found["n"], found["batch"]) == (5000, 2048)
    assert any("2048 of 5000" in note for note in found["notes"])
    z[4321] = 0  # is seen although it need not be in the sample
    with pytest.raises(ValueError, match="row 4321 is zero"):
        diagnose(pairs_in_a_row(z, ""), Settings())


# --- what is told of odd embeddings --------------------------------------------------------------
def test_collapse_and_copies(tmp_path: Path, report: Any) -> None:
    point = np.repeat([[0.6, 0.8]], 8, 0)
    np.save(tmp_path / "z.npy", point)
    found = report(tmp_path / "z.npy")
    assert found["collapse"] == "total"
    assert any("8 anchors have a copy" in note for note in found["notes"])
    assert found["outside"]["proved"] == 0


@pytest.mark.parametrize("style", ["text", "json", pytest.param("html", marks=pytest.mark.slow)])
def test_the_verdict_stands_before_the_numbers(cltheory: Any, tmp_path: Path, style: str) -> None:
    if style == "html":
        pytest.importorskip("matplotlib")
    labels = np.repeat(range(3), 6)
    path = tmp_path / "z.npz"
    np.savez(path, z=np.eye(3)[labels], labels=labels)  # every class is one point
    code, out, _ = cltheory("diagnose", str(path), "--tau", "0.5", "--format", style)
    assert code == 0
    said = " ".join(out.split())
    told = said.index("Classes have collapsed: less than 0.01 % of the variance")
    assert told < min(said.index(word) for word in ("0.6667", "0.66666", "0.667") if word in said)
    assert style != "text" or out.count("\n") <= 40


# --- the verdict --------------------------------------------------------------------------------
M, EACH, WIDE = 4, 12, 16
LABELS = np.arange(M * EACH) % M


def of_kind(kind: str) -> Any:
    """Embeddings that have collapsed in a known way, with noise."""
    random = np.random.default_rng(3)
    noise = random.standard_normal((M * EACH, WIDE))
    simplex = np.eye(M, WIDE) - np.eye(M, WIDE)[:M].mean(0)
    plane = noise.copy()
    plane[:, 2:] = 0
    made = {
        "total": np.eye(WIDE)[0] + 0.01 * noise,
        "classes": unit(simplex)[LABELS] + 0.05 * noise,
        "dimensional": plane,
        "none": unit(simplex)[LABELS] + 0.2 * noise,
    }
    return unit(made[kind])


@pytest.mark.parametrize("kind", ["total", "classes", "dimensional", "none"])
def test_each_kind_of_collapse_is_told(kind: str, report: Any, tmp_path: Path) -> None:
    z = of_kind(kind)
    np.savez(tmp_path / "z.npz", z=z, labels=LABELS)
    found = report(tmp_path / "z.npz")
    assert found["collapse"] == kind
    means = np.array([z[LABELS == c].mean(0) for c in range(M)])
    within = ((z - means[LABELS]) ** 2).sum(1).mean()
    between = ((means - z.mean(0)) ** 2).sum(1).mean()
    assert found["within_class_variance"] == pytest.approx(within, rel=1e-9)
    assert found["between_class_variance"] == pytest.approx(between, rel=1e-9)
    assert sum(c["collapsed"] for c in found["classes"]) == (M if kind == "classes" else 0)
    # Shuffled labels are those of no collapsed class.
    np.savez(tmp_path / "y.npz", z=z, labels=np.roll(LABELS, EACH // 2)[np.argsort(LABELS)])
    if kind == "classes":
        assert report(tmp_path / "y.npz")["collapse"] != "classes"


def test_without_labels_classes_are_not_spoken_of(cltheory: Any, tmp_path: Path) -> None:
    np.save(tmp_path / "z.npy", of_kind("none"))
    code, out, _ = cltheory("diagnose", str(tmp_path / "z.npy"))
    assert code == 0 and "that needs --labels" in " ".join(out.split())
    assert "NC1" not in out and "within classes" not in out


def test_one_class_that_collapses_alone_is_named(cltheory: Any, tmp_path: Path) -> None:
    z = of_kind("none")
    z[LABELS == 2] = unit(np.arange(WIDE) + 1.0)
    names = np.array(["ant", "bee", "cat", "dog"])[LABELS]
    np.savez(tmp_path / "z.npz", z=z, labels=names)
    _, out, _ = cltheory("diagnose", str(tmp_path / "z.npz"))
    assert "1 of 4 classes has collapsed: cat." in " ".join(out.split())
    assert re.search(r"least variance within: \S+ \(cat\)", out)


def test_two_towers_have_a_gap_and_are_judged_apart(report: Any, tmp_path: Path) -> None:
    z = of_kind("total")
    np.savez(tmp_path / "v.npz", image=z, text=-z)  # each tower at a point of its own
    found = report(tmp_path / "v.npz")
    assert found["collapse"] == "total"
    assert found["measures"]["modality_gap"] == pytest.approx(2 * np.linalg.norm(z.mean(0)))


def test_two_views_with_labels(report: Any, tmp_path: Path) -> None:
    z = of_kind("classes")
    np.savez(tmp_path / "v.npz", a=z, b=z, labels=LABELS)
    found = report(tmp_path / "v.npz")
    assert (found["collapse"], len(found["classes"])) == ("classes", M)
    assert "two views" in found["taken"]


def test_nc3_needs_a_classifier(report: Any, refused: Any, tmp_path: Path) -> None:
    z = of_kind("classes")
    means = np.array([z[LABELS == c].mean(0) for c in range(M)])
    np.savez(tmp_path / "z.npz", z=z, labels=LABELS, w=3 * (means - means.mean(0)))
    assert "nc3" not in report(tmp_path / "z.npz", "--arrays", "z")["measures"]
    found = report(tmp_path / "z.npz", "--classifier", "w")
    assert found["measures"]["nc3"] == pytest.approx(0, abs=1e-12)
    words = ("diagnose", str(tmp_path / "z.npz"), "--arrays", "z", "--classifier", "z")
    assert "must be (4, 16)" in refused(*words)


# --- the loss -----------------------------------------------------------------------------------
LOSS = ("--loss", "supcl", "--alpha", "0.8", "--tau", "0.2")


def test_the_loss_of_the_optimum_has_no_gap(report: Any, tmp_path: Path) -> None:
    """At the optimum that is derived, and off it, where the gap is the rise of the loss."""
    import torch
    from cltheory.derive.problems.catalogue import CATALOGUE
    from cltheory.derive.results import results
    from cltheory.derive.structures.arrangement import arrange
    from cltheory.numeric.problems.binding import evaluate

    problem, m, n = CATALOGUE["supcl"], 3, 4
    at = {"m": m, "n": n, "alpha": "0.8", "tau": "0.2"}
    inner = {
        name: float(results["supcl-optimum"].value(name, **at))
        for name in ("same_class", "cross_class")
    }
    within = float(results["supcl-optimum"].value("within_class_variance", **at))
    arrangement = arrange(problem.structure, {"m": m, "n": n, "p": 1})
    z = arrangement.vectors({"same_instance": 1.0, **inner}).reshape(m * n, -1)
    labels = np.arange(m * n) // n
    np.savez(tmp_path / "z.npz", z=z, labels=labels)
    best = report(tmp_path / "z.npz", *LOSS)["loss"]
    assert best["gap"] == pytest.approx(0, abs=1e-9) and best["dimension_at_most"] == 0
    assert best["within"] == pytest.approx(within, rel=1e-6)
    moved = unit(z + 0.2 * np.random.default_rng(0).standard_normal(z.shape))
    np.savez(tmp_path / "moved.npz", z=moved, labels=labels)
    found = report(tmp_path / "moved.npz", *LOSS)["loss"]
    expected = evaluate(
        problem, torch.tensor(moved).reshape(m, n, 1, -1), {"alpha": 0.8, "tau": 0.2}
    )
    assert found["loss"] == pytest.approx(float(expected), rel=1e-12)
    assert found["least"] == pytest.approx(best["least"], rel=1e-12)
    parts = found["not_converged_at_least"] + found["not_this_theory_at_most"]
    assert parts == pytest.approx(found["gap"], rel=1e-12) and found["gap"] > 0.01
    # In three dimensions there is the class simplex, whose loss bounds what dimension costs.
    low = report(tmp_path / "moved.npz", *LOSS, "--dim", "3")["loss"]
    corner = torch.tensor(unit(np.eye(m) - 1 / m))[:, None, None].expand(m, n, 1, m)
    fits = float(evaluate(problem, corner, {"alpha": 0.8, "tau": 0.2}))
    assert low["dimension_at_most"] == pytest.approx(fits - best["least"], rel=1e-9)
    assert low["not_converged_at_least"] == pytest.approx(max(low["of_means"] - fits, 0))
    # The embeddings themselves fit into the dimensions that they have.
    np.savez(tmp_path / "few.npz", z=unit(moved[:, :6]), labels=labels)
    few = report(tmp_path / "few.npz", *LOSS)["loss"]
    assert few["dimension_at_most"] <= few["gap"] + 1e-12 and few["needs"] > 6


def test_no_optimum_is_told_that_was_not_found(refused: Any, tmp_path: Path) -> None:
    z = of_kind("none")
    np.savez(tmp_path / "v.npz", a=z, b=z)
    words = ("diagnose", str(tmp_path / "v.npz"), "--loss")
    assert "not found in float64 at tau = 1e-06" in refused(*words, "clip", "--tau", "1e-6")
    assert "convex in cosines; hinge is not" in refused(*words, "hinge")


def test_towers_batches_and_files(report: Any, cltheory: Any, tmp_path: Path) -> None:
    z = of_kind("none")
    np.savez(tmp_path / "v.npz", image=z, text=unit(z + 0.1 * of_kind("dimensional")))
    more = ("--loss", "siglip", "--t", "10", "--b", "-10", "--batch", "24")
    found = report(tmp_path / "v.npz", *more)["loss"]
    assert found["sizes"] == {"N": 12} and found["batches"] == 4
    assert any("mean over 4 batches" in note for note in found["notes"])
    np.savez(tmp_path / "z.npz", z=z[:-3], labels=LABELS[:-3])
    own = Path(__file__).parents[2] / "docs" / "problems" / "supcl-exclusive.toml"
    words = ("diagnose", str(tmp_path / "z.npz"), "--loss", str(own), "--set", "alpha=1/2")
    code, out, err = cltheory(*words)
    assert code == 2 and "p must be" in err  # the loss needs two views
    words = ("diagnose", str(tmp_path / "z.npz"), "--loss", "supcon")
    code, out, _ = cltheory(*words)
    assert code == 0 and "classes have different sizes, which this theory does not" in out
    assert out.count("\n") <= 40


@pytest.mark.parametrize(
    "args, says",
    [
        (("--alpha", "1/2"), "--alpha needs --loss"),
        (("--dim", "3"), "--dim needs --loss"),
        (("--loss", "supcll"), "no loss is called 'supcll'"),
        (("--loss", "supcl"), "needs a value of alpha"),
        (("--loss", "supcon", "--alpha", "1/2"), "has no parameter alpha"),
        (("--loss", "supcl", "--alpha", "2"), "alpha"),
        (("--loss", "supcl", "--alpha", "many"), "'many'"),
        (("--loss", "supcl", "--set", "alpha"), "--set takes NAME=VALUE"),
        (("--loss", "siglip", "--t", "1", "--b", "1"), "two towers"),
        (("--loss", "simclr"), "p must be"),
        (("--loss", "supcon", "--batch", "4"), "fewer vectors than"),
    ],
)
def test_losses_that_do_not_fit(
    args: tuple[str, ...], says: str, refused: Any, tmp_path: Path
) -> None:
    np.savez(tmp_path / "z.npz", z=GOOD, labels=np.arange(12) % 6)
    assert says in refused("diagnose", str(tmp_path / "z.npz"), *args)


def test_a_bound_that_is_too_low_would_be_seen(views: Any) -> None:
    found = diagnose(halves(np.concatenate(views), ""), Settings())
    assert found.outside("upper") == 0
    found.anchors["upper"][:12] = found.anchors["squared_gradient"][:12] * 0.99
    assert found.outside("upper") == 12 / (2 * N)


# --- forms ---------------------------------------------------------------------------------------
def test_a_page_that_fetches_nothing(views: Any, cltheory: Any, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    path, out = tmp_path / "<b>.npz", tmp_path / "band.html"
    np.savez(path, z1=views[0], z2=views[1])
    assert cltheory("diagnose", str(path), "--format", "html", "--out", str(out)).code == 0
    text = out.read_text()
    assert not re.search(r"<(script|link|iframe|img)\b|(src|href)=\"(?!#)", text)
    assert text.count("<svg") == 1
    assert "&lt;b&gt;.npz" in text and "<b>.npz" not in text
    assert "url(http" not in text and "@import" not in text
    before = out.read_bytes()
    words = ("diagnose", str(path), "--format", "html", "--out", str(out), "--force")
    assert cltheory(*words).code == 0
    assert out.read_bytes() == before


@pytest.mark.slow
def test_the_page_shows_the_variance_of_classes(views: Any, cltheory: Any, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    path, out = tmp_path / "z.npz", tmp_path / "page.html"
    np.savez(path, z=views[0], y=np.arange(len(views[0])) % 3)
    words = ("diagnose", str(path), "--labels", "y", "--format", "html", "--out", str(out))
    assert cltheory(*words).code == 0
    assert "variance within classes" in out.read_text()


def test_other_formats_where_they_are_installed(views: Any, report: Any, tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    columns = {"z1": list(views[0]), "z2": list(views[1])}
    parquet.write_table(pa.table(columns), tmp_path / "v.parquet")
    np.savez(tmp_path / "v.npz", z1=views[0], z2=views[1])
    assert report(tmp_path / "v.parquet")["band"] == report(tmp_path / "v.npz")["band"]


def test_safetensors_where_it_is_installed(views: Any, report: Any, tmp_path: Path) -> None:
    save = pytest.importorskip("safetensors.numpy").save_file
    save({"query": views[0], "key": views[1]}, tmp_path / "v.safetensors")
    np.savez(tmp_path / "v.npz", z1=views[0], z2=views[1])
    found, same = (report(tmp_path / f"v.{kind}")["band"] for kind in ("safetensors", "npz"))
    for name, numbers in same.items():  # sums go by where arrays begin in memory
        assert found[name] == pytest.approx(numbers, rel=1e-12), name


@pytest.mark.parametrize("kind, package", [("parquet", "pyarrow"), ("safetensors",) * 2])
def test_what_to_install(
    kind: str, package: str, refused: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(
        files, "find_spec", lambda name: None if name == package else find_spec(name)
    )
    (tmp_path / f"z.{kind}").write_bytes(b"something")
    line = refused("diagnose", str(tmp_path / f"z.{kind}"))
    assert f"pip install {package}" in line


# --- refusals ------------------------------------------------------------------------------------
GOOD = unit(np.random.default_rng(1).standard_normal((12, 3)))


def _changed(row: int, value: float) -> Any:
    z = GOOD.copy()
    z[row] = value
    return z


@pytest.mark.parametrize(
    "array, says",
    [
        (_changed(5, 0.0), "row 5 is zero"),
        (_changed(4, np.nan), "row 4 is not finite"),
        (2 * GOOD, "length 2, not 1; --normalise"),
        (GOOD[:2], "n > 2"),
        (GOOD[:11], "odd number"),
        (GOOD[:, 0], "no embeddings (n, d)"),
        (np.zeros((0, 3)), "(0, 3)"),
        (np.array([{}, 1], dtype=object), "not unpickled"),
    ],
)
def test_embeddings_that_are_none(array: Any, says: str, refused: Any, tmp_path: Path) -> None:
    np.save(tmp_path / "z.npy", array, allow_pickle=True)
    assert says in refused("diagnose", str(tmp_path / "z.npy"))


@pytest.mark.parametrize(
    "arrays, args, says",
    [
        ({"z": GOOD, "labels": np.zeros(12, int)}, (), "no negatives are left"),
        ({"z": GOOD, "labels": np.array([0] * 11 + [1])}, (), "fewer than two classes"),
        ({"z": GOOD, "labels": np.arange(12)}, (), "fewer than two classes"),
        ({"z": GOOD[:0], "labels": np.zeros(0, int)}, (), "fewer than two classes"),
        ({"z": GOOD, "labels": np.zeros(3, int)}, (), "3 labels of 12"),
        ({"z1": GOOD, "z2": GOOD}, ("--positives", "halves"), "two views"),
        ({"a": GOOD, "b": GOOD, "c": GOOD}, (), "--arrays"),
        ({"a": GOOD}, ("--arrays", "b"), "no array 'b'"),
        ({"a": GOOD}, ("--column", "2"), "--labels"),
        ({"a": GOOD, "y": np.arange(12) % 3}, ("--labels", "y", "--column", "2"), "one array"),
        ({"a": GOOD}, ("--labels", "a", "--positives", "pairs"), "both"),
        ({"a": GOOD}, ("--tau", "1e20"), "--tau must be from"),
        ({}, (), "no arrays"),
    ],
)
def test_what_does_not_fit(
    arrays: Any, args: tuple[str, ...], says: str, refused: Any, tmp_path: Path
) -> None:
    np.savez(tmp_path / "z.npz", **arrays)
    assert says in refused("diagnose", str(tmp_path / "z.npz"), *args)


#: Headers that NumPy reads as Python, and what comes of them.
HEADERS = {
    "no whole number": "{'descr': '<f8', 'fortran_order': False, 'shape': (True, 4)}",
    "no end": "{",
    "more than a machine counts": "{'descr': '<f8', 'fortran_order': False, 'shape': (1%s,)}"
    % (99 * "0"),
    "code": "__import__('os').abort()",
}


@pytest.mark.parametrize("why", HEADERS)
def test_a_header_that_is_none(why: str, refused: Any, tmp_path: Path) -> None:
    head = HEADERS[why].encode()
    data = b"\x93NUMPY\1\0" + len(head).to_bytes(2, "little") + head + bytes(256)
    (tmp_path / "z.npy").write_bytes(data)
    with zipfile.ZipFile(tmp_path / "z.npz", "w") as archive:
        archive.writestr("z.npy", data)
    np.save(tmp_path / "good.npy", GOOD)
    for args in (["z.npy"], ["z.npz"], ["good.npy", "--labels", "z.npy"]):
        words = [str(tmp_path / word) if "." in word else word for word in args]
        assert "not a NumPy array" in refused("diagnose", *words)


@pytest.mark.parametrize("style", ["text", "json", "html"])
def test_names_that_are_no_text(style: str, cltheory: Any, tmp_path: Path) -> None:
    if style == "html":
        pytest.importorskip("matplotlib")
    path, out = tmp_path / "\udcff\n<b>.npz", tmp_path / "out"
    np.savez(path, **{"a\x1b[31m\n<i>": GOOD, "b": GOOD})
    code, _, err = cltheory("diagnose", str(path), "--format", style, "--out", str(out))
    assert (code, err) == (0, "")
    text = out.read_text(encoding="utf-8")
    if style == "text":
        assert "\x1b" not in text
        assert "\n<" not in text
    if style == "json":
        assert json.loads(text)["file"].endswith("<b>.npz")
    if style == "html":
        assert "<b>" not in text
        assert "<i>" not in text


def test_what_is_no_array_in_an_archive(report: Any, refused: Any, tmp_path: Path) -> None:
    path = tmp_path / "z.npz"
    np.savez(path, z=GOOD)
    (tmp_path / "z.npy").write_bytes(path.read_bytes())
    assert "not a NumPy array" in refused("diagnose", str(tmp_path / "z.npy"))
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("notes.txt", "none")
    assert report(path)["n"] == len(GOOD)
    assert "no array 'notes.txt'" in refused("diagnose", str(path), "--arrays", "notes.txt")


@pytest.mark.parametrize(
    "name, junk, says",
    [
        ("z.npz", b"PK\x03\x04junk", "not a NumPy array"),
        ("z.csv", b"", "is empty"),
        ("z.csv", b"a,b\nx,y\n", "'x' is not a number"),
        ("z.pt", b"x", "pickle"),
        ("z.foo", b"x", "must end in one of"),
    ],
)
def test_junk(name: str, junk: bytes, says: str, refused: Any, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(junk)
    assert says in refused("diagnose", str(tmp_path / name))


def test_files_that_are_not_there_or_not_to_be_replaced(refused: Any, tmp_path: Path) -> None:
    path = tmp_path / "z.npy"
    assert "does not exist" in refused("diagnose", str(path))
    np.save(path, GOOD)
    (tmp_path / "there.txt").write_text("mine")
    for out, says in (
        (path, "is an input"),
        (tmp_path / "there.txt", "--force"),
        (tmp_path / "no" / "a.txt", "does not exist"),
    ):
        assert says in refused("diagnose", str(path), "--out", str(out))
    assert (tmp_path / "there.txt").read_text() == "mine"
