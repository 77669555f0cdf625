"""``cltheory realize``: what it says, what it writes, and what it refuses."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cltheory.cli.label_files import classes

Command = Callable[..., Any]
Refused = Callable[..., str]


pytestmark = pytest.mark.usefixtures("here")


def words(text: str) -> list[str]:
    return text.split()


def asked(cltheory: Command, *options: str) -> dict[str, Any]:
    code, out, err = cltheory("realize", *words(" ".join(options)), "--format", "json")
    assert code == 0, err
    found: dict[str, Any] = json.loads(out)
    return found


def sphere(n: int = 20, dims: int = 3) -> np.ndarray:
    y = np.random.default_rng(0).standard_normal((n, dims))
    return y / np.linalg.norm(y, axis=1, keepdims=True)


# --- verdicts -----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "options, verdict",
    [
        ("--scheme supcon --sizes 5,9,30 --dim 8 --tau 0.1", "degenerate"),
        ("--scheme supcon --sizes 5,9,30 --dim 8 --similarity euclidean", "degenerate"),
        ("--scheme soft-supcon --sizes 5,9,30 --epsilon 1/10 --dim 8 --tau 0.1", "realisable"),
        ("--scheme soft-supcon --sizes 5,9,30 --epsilon 1/10 --dim 8 --tau 1", "inconsistent"),
        (
            "--scheme soft-supcon --sizes 5,9 --epsilon 0.1 --dim 1 --similarity euclidean",
            "realisable",
        ),
        ("--scheme y-aware --labels sphere.npy --dim 8 --tau 0.3", "realisable"),
        ("--scheme y-aware --labels sphere.npy --dim 8 --tau 0.6", "inconsistent"),
        ("--scheme euclidean --labels line.csv --dim 1", "realisable"),
        ("--scheme x-clr --labels sphere.npy --dim 4 --tau 0.1 --tau-prime 0.2", "realisable"),
        ("--scheme x-clr --labels sphere.npy --dim 9 --tau 0.3 --tau-prime 0.2", "inconsistent"),
        ("--weights soft.npy --dim 2 --tau 0.5", "inconsistent"),
        ("--weights prism.npy --dim 2 --similarity euclidean", "degenerate"),
    ],
)
def test_verdicts(cltheory: Command, options: str, verdict: str) -> None:
    np.save("sphere.npy", sphere())
    Path("line.csv").write_text("age\n" + "\n".join(map(str, range(12))), encoding="utf-8")
    labels = np.repeat(range(3), 4)
    np.save("soft.npy", np.where(labels[:, None] == labels[None, :], 1, 0.2))
    # Two triangles, and a side from each corner to its counterpart.
    np.save("prism.npy", np.kron(np.eye(2), 1 - np.eye(3)) + np.kron(1 - np.eye(2), np.eye(3)))
    found = asked(cltheory, options)
    assert found["verdict"] == verdict
    assert found["evidence"] in ("exact", "float64")
    assert found["reason"]
    assert bool(found["realisable_by"]) == (verdict != "realisable")
    if found["loss"] is not None:
        assert found["loss"] >= found["bound"] - 1e-12


def test_labels_in_decimals_are_decided_exactly(cltheory: Command) -> None:
    Path("y.csv").write_text("1.5,0\n-1.5,0\n0,1.5\n0,-1.5\n0.9,1.2\n", encoding="utf-8")
    for tau, q, verdict in (("2/9", 2, "realisable"), ("0.22", 2, "inconsistent")):
        found = asked(cltheory, f"--scheme y-aware --labels y.csv --dim {q} --tau {tau}")
        assert found["verdict"] == verdict
        assert found["evidence"] == "exact"
    # On a sphere within the tolerance, but not exactly: no proof is claimed.
    Path("y.csv").write_text("1.5,0\n-1.5,0\n0,1.5\n0,-1.5\n0.900001,1.2\n", encoding="utf-8")
    near = "--scheme y-aware --labels y.csv --dim 2 --tau 2/9 --tolerance 1e-4"
    found = asked(cltheory, near)
    assert (found["verdict"], found["evidence"]) == ("realisable", "float64")


def test_no_proof_is_claimed_of_labels_that_are_rounded(cltheory: Command) -> None:
    # The third is not on the line of the others, but 2^53 + 1 is no float64.
    for at, evidence in ((2**53, "float64"), (2**32, "exact")):
        far = at + (evidence == "float64")
        Path("y.csv").write_text(f"0,0\n{at},{at}\n{far},{at}\n-7,-7\n", encoding="utf-8")
        found = asked(cltheory, "--scheme euclidean --labels y.csv --dim 1")
        assert (found["verdict"], found["evidence"]) == ("realisable", evidence)


def test_what_is_proposed_makes_it_realisable(cltheory: Command) -> None:
    soft = "--scheme soft-supcon --sizes 5,9,30 --dim 8"
    said = asked(cltheory, soft, "--epsilon 0.1 --tau 1")["realisable_by"]
    tau, epsilon = (part.split(" = ")[-1].split("= ")[-1].split()[0] for part in said)
    assert asked(cltheory, soft, f"--epsilon 0.1 --tau {tau}")["verdict"] == "realisable"
    assert asked(cltheory, soft, f"--epsilon {epsilon} --tau 1")["verdict"] == "realisable"
    (hint,) = asked(cltheory, "--scheme supcon --sizes 5,9,30 --dim 8 --tau 0.3")["realisable_by"]
    epsilon = hint.split(">= ")[1].split()[0]
    assert asked(cltheory, soft, f"--epsilon {epsilon} --tau 0.3")["verdict"] == "realisable"


@pytest.mark.parametrize(
    "options",
    [
        "--scheme soft-supcon --sizes 5,9,30,4 --epsilon 0.001 --dim 3 --tau 0.1",
        "--scheme soft-supcon --sizes 5,9,30,4 --epsilon 0.001 --dim 2 --tau 0.3",
        "--scheme y-aware --labels y.npy --dim 3 --tau 0.3",
        "--scheme y-aware --labels y.npy --dim 2 --tau 0.7",
        "--weights W.npy --dim 2 --tau 0.7",
        "--weights any.npy --dim 2 --tau 0.2",
    ],
)
def test_every_proposal_holds_as_it_is_printed(cltheory: Command, options: str) -> None:
    y = sphere(8)
    rng = np.random.default_rng(0)
    some = rng.random((8, 8)) + 0.1
    np.save("y.npy", y)
    np.save("W.npy", np.exp(2 * y @ y.T))
    np.save("any.npy", some + some.T)
    before = asked(cltheory, options)
    assert before["verdict"] == "inconsistent"
    for said in before["realisable_by"]:
        more = options
        for pattern, option in (
            (r"dimension >= (\d+)", "--dim"),
            (r"in (\d+) dimension", "--dim"),
            (r"tau <?= ([^ ,]+)", "--tau"),
            (r"epsilon >= ([^ ,]+)", "--epsilon"),
        ):
            if found := re.search(pattern, said):
                more = re.sub(f"{option} [^ ]+", f"{option} {found[1]}", more)
        if found := re.search("labels times at most ([^ ,]+)", said):
            np.save("less.npy", y * float(found[1]))
            more = more.replace("y.npy", "less.npy")
        if "Euclidean" in said:
            more = re.sub("--tau [^ ]+", "--similarity euclidean", more)
        assert asked(cltheory, more)["verdict"] == "realisable", (said, more)


# --- files ----------------------------------------------------------------------------------------
CLASSES = {
    "plain.csv": "cat\ndog\ncat\ndog\ndog\n",
    "head.csv": "label\ncat\ndog\ncat\ndog\ndog\n",
    "numbers.csv": "y\n0\n1\n0\n1\n1\n",
    "crlf.csv": "0\r\n1\r\n0\r\n1\r\n1\r\n\r\n",
    "bom.csv": "\ufeffcat\ndog\ncat\ndog\ndog\n",
    # Lines within a label: Unicode has more kinds of ends of lines than CSV.
    "lines.csv": "c\u2028at\nd\x0cog\nc\u2028at\nd\x0cog\nd\x0cog\n",
    "quoted.csv": '"c\nat"\r\n"d,og"\r\n"c\nat"\r\n"d,og"\r\n"d,og"\r\n',
}


@pytest.mark.parametrize("name", CLASSES)
def test_files_of_classes(cltheory: Command, name: str) -> None:
    Path(name).write_bytes(CLASSES[name].encode())
    found = asked(cltheory, f"--scheme supcon --labels {name} --dim 4 --tau 0.5")
    assert found["sizes"] == [2, 3]
    known = (["cat", "dog"], ["0", "1"], ["c\u2028at", "d\x0cog"], ["c\nat", "d,og"])
    assert found["classes"] in known


def test_a_column_by_its_name_or_number(cltheory: Command, refused: Refused) -> None:
    Path("t.csv").write_text("id;kind\n1;a\n2;a\n3;b\n4;b\n", encoding="utf-8")
    options = "--scheme supcon --labels t.csv --dim 4 --tau 0.5 --column"
    assert asked(cltheory, options, "kind")["sizes"] == [2, 2]
    assert asked(cltheory, options.replace("supcon", "soft-supcon --epsilon 1/2"), "2")
    base = words("realize --scheme supcon --labels t.csv --dim 4 --tau 0.5")
    assert "2 columns" in refused(*base)
    assert "no column 'sort'" in refused(*base, "--column", "sort")


#: Numbers that meet when they are rounded to int64, to float64 or to so many digits.
HARD = [1e300, 2e300, -1e300, 2.0**63, 2.0**64, -(2.0**63), 2.0**53, 2.0**53 + 2, 0.0, -0.0, 1.0]


@pytest.mark.parametrize("kind", ["float16", "float32", "float64", "longdouble", "uint64"])
@pytest.mark.parametrize("whole", [True, False])
def test_labels_that_are_numbers_are_one_class_iff_they_are_equal(kind: str, whole: bool) -> None:
    rng = np.random.default_rng(22)
    values = [2**64 - 1, 2**63, 2**63 - 1, 2**53 + 1, 2**53, 0, 1] if kind == "uint64" else HARD
    with np.errstate(over="ignore"):
        array = rng.choice(np.array(values, dtype=kind), 60)
    array = array[np.isfinite(array)]
    if kind != "uint64" and not whole:
        array[:4] = [0.5, -0.0, np.nextafter(array.dtype.type(1), array.dtype.type(2)), 1]
    np.save("y.npy", array)
    of = classes("y.npy", None).of_sample
    assert np.array_equal(np.equal.outer(of, of), np.equal.outer(array, array))


def test_the_embedding_is_written_without_pickle_and_has_the_similarities(
    cltheory: Command,
) -> None:
    Path("y.csv").write_text("a\nb\nb\na\nc\nc\nc\n", encoding="utf-8")
    options = "realize --scheme supcon --labels y.csv --dim 6 --tau 0.5 --output o.npz"
    code, out, _ = cltheory(*words(options))
    assert code == 0
    assert "wrote o.npz" in out
    with np.load("o.npz", allow_pickle=False) as found:
        z = found["prototypes"]
        assert z.shape == (3, 6)
        assert found["index"].tolist() == [0, 1, 1, 0, 2, 2, 2]
        assert found["classes"].tolist() == ["a", "b", "c"]
        assert np.allclose(z @ z.T, found["similarity"])
        assert json.loads(str(found["verdict"]))["verdict"] == "degenerate"


def test_the_embedding_of_points_attains_what_was_asked(cltheory: Command) -> None:
    y = sphere()
    np.save("y.npy", y)
    options = "realize --scheme y-aware --labels y.npy --dim 5 --tau 0.4 --output o.npz"
    assert cltheory(*words(options)).code == 0
    with np.load("o.npz", allow_pickle=False) as found:
        d = 2 - 2 * y @ y.T
        assert np.allclose(found["similarity"], 1 - 0.4 * d)
        assert found["embedding"].shape == (20, 5)


def test_nothing_is_overwritten(refused: Refused) -> None:
    np.save("y.npy", sphere())
    Path("o.npz").write_bytes(b"mine")
    base = "realize --scheme y-aware --labels y.npy --dim 5 --tau 0.4"
    assert "--force" in refused(*words(base), "--output", "o.npz")
    assert Path("o.npz").read_bytes() == b"mine"
    np.savez("y.npz", y=sphere())
    same = base.replace("y.npy", "y.npz")
    assert "not replaced" in refused(*words(same), "--output", "y.npz", "--force")
    assert "the folder nowhere does not exist" in refused(*words(base), "--output", "nowhere/o.npz")
    assert ".npz" in refused(*words(base), "--output", "o.csv")
    assert sorted(p.name for p in Path().iterdir()) == ["o.npz", "y.npy", "y.npz"]


# --- after training ------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "options",
    [
        "--scheme supcon --labels y.npy --tau 0.5",
        "--scheme supcon --labels y.npy --tau 20",
        "--scheme soft-supcon --labels y.npy --tau 0.3 --epsilon 0.2",
        "--scheme soft-supcon --labels y.npy --epsilon 0.2 --similarity euclidean",
        "--scheme y-aware --labels sphere.npy --tau 0.4",
        "--scheme x-clr --labels sphere.npy --tau 0.1 --tau-prime 0.2",
        "--scheme euclidean --labels sphere.npy",
        "--weights W.npy --tau 0.5",
        "--weights W.npy --similarity euclidean",
    ],
)
def test_an_optimal_embedding_is_no_distance_away_and_another_is(
    cltheory: Command, options: str
) -> None:
    pytest.importorskip("torch")
    labels = np.array([0, 1, 2, 2, 0, 2, 2, 2, 1, 2, 2, 2, 2, 2])
    np.save("y.npy", labels)
    np.save("sphere.npy", sphere())
    np.save("W.npy", np.where(labels[:, None] == labels[None, :], 1, 0.4))
    assert cltheory("realize", *words(options), "--dim", "6", "--output", "o.npz").code == 0
    with np.load("o.npz") as found:
        z = found["embedding"] if "embedding" in found else found["prototypes"][found["index"]]
    rng = np.random.default_rng(3)
    turn = np.linalg.qr(rng.standard_normal((6, 6)))[0]
    np.save("Z.npy", z @ turn)
    np.save("far.npy", z + 0.2 * rng.standard_normal(z.shape))
    near, far = (
        asked(cltheory, options, f"--embeddings {name}")["embeddings"]
        for name in ("Z.npy", "far.npy")
    )
    assert near["above"] == pytest.approx(0, abs=1e-9)
    assert near["similarity_r2"] == pytest.approx(1, abs=1e-9)
    assert near["procrustes_r2"] == pytest.approx(1, abs=1e-9)
    assert far["above"] > 1e-3
    assert far["loss_gap"] > near["loss_gap"] > -1e-12
    assert far["similarity_r2"] < 1 - 1e-4
    assert far["procrustes_r2"] < 1 - 1e-4


def test_embeddings_that_do_not_fit(refused: Refused) -> None:
    pytest.importorskip("torch")
    np.save("y.npy", np.array([0, 0, 1, 1]))
    np.save("Z.npy", np.ones((4, 3)))
    np.save("short.npy", np.ones((3, 3)))
    np.save("zero.npy", np.eye(4)[:, :3])
    options = words("realize --scheme supcon --tau 1 --labels y.npy --embeddings")
    assert "3 embeddings of 4 samples" in refused(*options, "short.npy")
    assert "embedding 4 is zero" in refused(*options, "zero.npy")
    assert "has 3 dimensions, but --dim is 5" in refused(*options, "Z.npy", "--dim", "5")
    sizes = words("realize --scheme supcon --tau 1 --sizes 2,2 --embeddings Z.npy")
    assert "give --labels" in refused(*sizes)


# --- what is refused -----------------------------------------------------------------------------
@pytest.mark.parametrize(
    "text, why",
    [
        ("", "is empty"),
        ("a\nb\n\nb\na\n", "sample 3 is missing"),
        ("a\nb\nnan\nb\na\n", "sample 3 is missing"),
        ('a\n"b\n', "not a CSV file"),
        ("a\nb\nb\n", "one sample"),
    ],
)
def test_bad_files_of_classes(refused: Refused, text: str, why: str) -> None:
    Path("y.csv").write_text(text, encoding="utf-8")
    options = "realize --scheme supcon --labels y.csv --dim 4 --tau 1"
    assert why in refused(*words(options))


@pytest.mark.parametrize(
    "text, why",
    [
        ("", "is empty"),
        ("1\n2\nx\n", "'x' is not a number"),
        ("NA,NA\n1,2\n2,1\n", "sample 1, column 1: 'NA' is missing"),
        ("1\ninf\n", "not finite"),
    ],
)
def test_bad_files_of_vectors(refused: Refused, text: str, why: str) -> None:
    Path("y.csv").write_text(text, encoding="utf-8")
    options = "realize --scheme y-aware --labels y.csv --dim 4 --tau 1"
    assert why in refused(*words(options))


def test_bad_arrays(refused: Refused, here: Path) -> None:
    options = "realize --scheme y-aware --dim 4 --tau 1 --labels"
    np.save("o.npy", np.array([1, "a", None], dtype=object), allow_pickle=True)
    assert "not unpickled" in refused(*words(options), "o.npy")
    np.savez("o.npz", a=np.array([None, 1], dtype=object))
    assert "not unpickled" in refused(*words(options), "o.npz")
    np.savez("two.npz", a=np.ones(3), b=np.ones(3))
    assert "2 arrays (a, b)" in refused(*words(options), "two.npz")
    np.save("cube.npy", np.ones((2, 2, 2)))
    assert "shape (2, 2, 2)" in refused(*words(options), "cube.npy")
    np.save("nan.npy", np.array([[1.0], [np.nan]]))
    assert "row 2" in refused(*words(options), "nan.npy")
    np.save("zero.npy", np.zeros((3, 2)))
    assert "zero" in refused(
        *words("realize --scheme x-clr --dim 4 --tau 1 --tau-prime 1 --labels zero.npy")
    )
    (here / "text.npy").write_text("no array", encoding="utf-8")
    assert "not a NumPy array" in refused(*words(options), "text.npy")
    with zipfile.ZipFile("text.npz", "w") as archive:
        archive.writestr("a.txt", "no array")
    assert "has no arrays" in refused(*words(options), "text.npz")
    with (here / "large.npy").open("wb") as file:
        header = {"descr": "<f8", "fortran_order": False, "shape": (10**15, 10**3)}
        np.lib.format.write_array_header_1_0(file, header)
    assert "greater than file size" in refused(*words(options), "large.npy")
    (here / "bytes.csv").write_bytes(b"\xff\xfe\x00")
    assert "UTF-8" in refused(*words(options), "bytes.csv")
    np.save("float.npy", np.array([0.5, np.nan]))
    assert "sample 2 is missing" in refused(
        *words("realize --scheme supcon --dim 4 --tau 1 --labels float.npy")
    )
    supcon = words("realize --scheme supcon --dim 4 --tau 1 --labels")
    np.save("text.npy", np.array(["a", "a", ""]))
    assert "sample 3 is missing" in refused(*supcon, "text.npy")
    np.save("latin.npy", np.array([b"a", b"\xff"]))
    assert "UTF-8" in refused(*supcon, "latin.npy")


def test_distances_that_are_none_show_the_most_negative_eigenvalue(cltheory: Command) -> None:
    d = np.ones((6, 6))
    d[0, 1] = d[1, 0] = 9.0  # the triangle with any third point does not close
    np.save("W.npy", np.exp(-d))
    found = asked(cltheory, "--weights W.npy --dim 2 --similarity euclidean")
    assert found["verdict"] == "inconsistent"
    assert found["certificate"]["least_eigenvalue"] < 0
    assert f"{found['certificate']['least_eigenvalue']:.6g}" in found["reason"]


@pytest.mark.parametrize(
    ("options", "which"),
    [
        ("--scheme supcon --sizes 4,4,4,4,5,6 --dim 2 --tau 0.3", "uniform bound"),
        ("--scheme supcon --sizes 4,4,4,4,5,6 --dim 5 --tau 0.3", "certified gap"),
        ("--scheme soft-supcon --sizes 4,4,4 --epsilon 0.1 --dim 2 --tau 0.1", "entropic bound"),
    ],
)
def test_the_best_lower_bound_in_the_dimension(cltheory: Command, options: str, which: str) -> None:
    """The loss found is above it, and it is the largest of those that hold."""
    found = asked(cltheory, options)
    assert found["loss_at_least_by"] == which
    assert max(found["bound"], found["loss"] - found["gap"]) <= found["loss_at_least"]
    assert found["loss_at_least"] <= found["loss"]
    _, out, _ = cltheory("realize", *words(options))
    assert ("  [uniform bound, argued" in out) == (which == "uniform bound")


def test_batches_do_not_change_the_verdict(cltheory, refused) -> None:
    sizes = "--scheme supcon --sizes 5,4 --dim 4 --tau 1"
    found = asked(cltheory, sizes, "--batch 4")
    assert any("batches of 4 samples the verdict is the same" in note for note in found["notes"])
    assert "more than the 9 samples" in refused("realize", *words(sizes), "--batch", "10")
    # By hand: weights that some embeddings realise, and others, in all batches of three.
    rng = np.random.default_rng(0)
    logits = 2 * sphere(6) @ sphere(6).T
    other = logits + rng.normal(size=(6, 6))

    def gap(weights: np.ndarray, i: int, batch: list[int]) -> float:
        q, p = (x[i, batch] / x[i, batch].sum() for x in (weights, np.exp(logits)))
        return float((q * np.log(q / p)).sum())

    triples = [(i, [j, k]) for i in range(6) for j in range(6) for k in range(j) if i not in (j, k)]
    assert all(abs(gap(3 * np.exp(logits), *t)) < 1e-14 for t in triples)
    assert all(gap(np.exp(other), *t) > 0 for t in triples)
