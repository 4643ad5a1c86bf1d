"""One mesh of any file, and lists of vertices beside it."""

from __future__ import annotations

import gzip
import subprocess
import sys

import numpy as np
import pytest

import rigcast as rc
from rigcast.exports import write_rig
from tests.support.characters.faces import small_face
from tests.support.characters.second_face import write_obj

FACE = small_face()
VERTICES, FACES = FACE.rest_vertices, FACE.faces


def write_ply(path, vertices, faces) -> None:
    """A text PLY of vertices with a color each, as scanners write, quads among the faces."""
    lines = ["ply", "format ascii 1.0", f"element vertex {len(vertices)}"]
    lines += [f"property float {axis}" for axis in "xyz"] + ["property uchar red"]
    lines += [f"element face {len(faces)}", "property list uchar int vertex_indices", "end_header"]
    lines += ["{:.9g} {:.9g} {:.9g} 200".format(*point) for point in vertices.tolist()]
    lines += [f"{(face >= 0).sum()} " + " ".join(str(c) for c in face if c >= 0) for face in faces]
    path.write_text("\n".join(lines) + "\n")


def test_an_obj_has_vertices_faces_and_a_name(tmp_path):
    write_obj(tmp_path / "head.obj", VERTICES, FACES)
    mesh = rc.sources.load_mesh(tmp_path / "head.obj")
    np.testing.assert_array_equal(mesh.vertices, VERTICES)
    np.testing.assert_array_equal(mesh.faces, FACES)
    assert (mesh.name, mesh.meters_per_unit, mesh.up_axis) == ("head", None, None)
    assert repr(mesh) == "<Mesh 'head': 30 vertices, 20 faces>"


def test_a_packed_obj_is_the_same(tmp_path):
    write_obj(tmp_path / "head.obj", VERTICES, FACES)
    (tmp_path / "head.obj.gz").write_bytes(gzip.compress((tmp_path / "head.obj").read_bytes()))
    np.testing.assert_array_equal(rc.sources.load_mesh(tmp_path / "head.obj.gz").vertices, VERTICES)


def test_a_ply_keeps_the_order_of_its_vertices(tmp_path):
    """Two vertices at one place stay two: trimesh would merge them by default."""
    pytest.importorskip("trimesh", reason="the meshes extra is not installed")
    doubled = np.concatenate([VERTICES, VERTICES[3:4]])
    write_ply(tmp_path / "scan.ply", doubled, FACES)
    mesh = rc.sources.load_mesh(tmp_path / "scan.ply")
    np.testing.assert_array_equal(mesh.vertices, doubled)
    assert len(mesh.faces) == 2 * (FACES[:, 3] >= 0).sum() + (FACES[:, 3] < 0).sum()
    np.testing.assert_array_equal(np.unique(mesh.faces[mesh.faces >= 0]), np.unique(FACES[FACES >= 0]))


@pytest.mark.parametrize("content", [b"", b"ply\nformat ascii 1.0\nend_header\n", b"no ply"])
def test_a_broken_ply_is_named(tmp_path, content):
    pytest.importorskip("trimesh", reason="the meshes extra is not installed")
    (tmp_path / "scan.ply").write_bytes(content)
    with pytest.raises(ValueError, match=r"load_mesh: path is .*scan\.ply: .*; it must be a PLY mesh"):
        rc.sources.load_mesh(tmp_path / "scan.ply")


def test_a_missing_trimesh_is_named_with_the_command_that_installs_it(tmp_path):
    write_ply(tmp_path / "scan.ply", VERTICES, FACES)
    code = (
        "import sys; sys.modules['trimesh'] = None\n"
        "import rigcast as rc\n"
        "try:\n    rc.sources.load_mesh(sys.argv[1])\n"
        "except ImportError as error:\n    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "scan.ply")], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == 'reading PLY files needs trimesh: pip install "rigcast[meshes]"'


@pytest.mark.parametrize("stored", [VERTICES, VERTICES[None], VERTICES.astype(np.float64)])
def test_arrays_are_meshes_without_faces(tmp_path, stored):
    np.save(tmp_path / "head.npy", stored)
    mesh = rc.sources.load_mesh(tmp_path / "head.npy")
    np.testing.assert_array_equal(mesh.vertices, VERTICES)
    assert mesh.faces.shape == (0, 4)


@pytest.mark.parametrize("rank", [2, 3])
def test_an_archive_has_vertices_and_faces(tmp_path, rank):
    np.savez(tmp_path / "head.npz", vertices=VERTICES if rank == 2 else VERTICES[None], faces=FACES)
    mesh = rc.sources.load_mesh(tmp_path / "head.npz")
    np.testing.assert_array_equal(mesh.vertices, VERTICES)
    np.testing.assert_array_equal(mesh.faces, FACES)


@pytest.mark.parametrize("ending", [".npz", ".safetensors"])
def test_a_rig_is_its_mesh_at_rest_with_unit_and_axes(tmp_path, ending):
    rig = small_face(meters_per_unit=0.01, up_axis="Z")
    write_rig(tmp_path / f"face{ending}", rig)
    mesh = rc.sources.load_mesh(tmp_path / f"face{ending}")
    np.testing.assert_array_equal(mesh.vertices, VERTICES)
    assert (mesh.name, mesh.meters_per_unit, mesh.up_axis) == ("small face", 0.01, "Z")


def test_a_mesh_is_placed_in_another_unit_and_other_axes(tolerance):
    mesh = rc.sources.Mesh(VERTICES, FACES, "head", 1.0, "Y")
    turned = mesh.placed(0.01, "Z")
    np.testing.assert_allclose(
        turned.vertices, 100 * VERTICES[:, [0, 2, 1]] * [1, -1, 1], rtol=tolerance["float64_converged"]
    )
    assert (turned.name, turned.meters_per_unit, turned.up_axis) == ("head", 0.01, "Z")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("shot.npy", np.zeros((2, 5, 3)), r"shot\.npy: float64 \(2, 5, 3\); it must be one mesh, \(V, 3\)"),
        ("nan.npy", np.full((4, 3), np.nan), r"nan\.npy: not finite at vertex 0 \(nan\)"),
        ("text.npy", np.array([["a", "b", "c"]]), r"text\.npy: no array of numbers \(<U1 \(1, 3\)\)"),
        ("words.npy", b"left eye", r"words\.npy: no array of numbers"),
        ("words.obj", b"v 1 2\n", r"words\.obj: no mesh"),
        ("words.npz", b"left eye", r"words\.npz: no zip archive"),
        ("words.json", b"{}", r"words\.json: no mesh"),
    ],
)
def test_what_is_no_mesh_is_named(tmp_path, name, content, message):
    if isinstance(content, bytes):
        (tmp_path / name).write_bytes(content)
    else:
        np.save(tmp_path / name, content)
    with pytest.raises(ValueError, match=f"^load_mesh: path is .*{message}"):
        rc.sources.load_mesh(tmp_path / name)


def test_a_missing_file_is_a_missing_file(tmp_path):
    for load in (
        rc.sources.load_mesh,
        rc.sources.load_vertex_indices,
        rc.sources.load_landmarks,
        rc.sources.load_markers,
    ):
        with pytest.raises(FileNotFoundError, match=r"load_\w+: path is .*nowhere\.obj., which does not exist"):
            load(tmp_path / "nowhere.obj")


def test_scans_of_one_topology_are_read_in_order(tmp_path, tolerance):
    np.save(tmp_path / "two.npy", np.stack([VERTICES, 2 * VERTICES]))
    write_obj(tmp_path / "third.obj", 3 * VERTICES, FACES)
    scans = rc.sources.load_scans([tmp_path / "two.npy", tmp_path / "third.obj"])
    np.testing.assert_allclose(scans, [VERTICES, 2 * VERTICES, 3 * VERTICES], rtol=tolerance["float64_converged"])
    np.save(tmp_path / "short.npy", VERTICES[:4])
    with pytest.raises(ValueError, match=r"short\.npy: float32 \(1, 4, 3\); every mesh must have 30 vertices"):
        rc.sources.load_scans([tmp_path / "two.npy", tmp_path / "short.npy"])
    with pytest.raises(ValueError, match="load_scans: paths is empty"):
        rc.sources.load_scans([])


def test_lists_of_vertices_are_text_or_arrays(tmp_path):
    (tmp_path / "some.txt").write_text("3\n1\n4\n")
    (tmp_path / "pairs.csv").write_text("3,30\n1,10\n")
    (tmp_path / "none.txt").write_text("")
    np.save(tmp_path / "some.npy", np.array([3, 1, 4]))
    for name in ("some.txt", "some.npy"):
        assert rc.sources.load_vertex_indices(tmp_path / name).tolist() == [3, 1, 4]
        assert rc.sources.load_markers(tmp_path / name)[0].tolist() == [3, 1, 4]
    assert rc.sources.load_landmarks(tmp_path / "pairs.csv").tolist() == [[3, 30], [1, 10]]
    for written in ("source,target\n3,30\n1,10\n", "# pairs\n3 30\n1 10\n", "3;30\n\n1;10 # nose\n", "3\t30\n1\t10\n"):
        (tmp_path / "table.csv").write_text(written)
        assert rc.sources.load_landmarks(tmp_path / "table.csv").tolist() == [[3, 30], [1, 10]]
    assert rc.sources.load_landmarks(tmp_path / "none.txt").shape == (0, 2)


def test_markers_may_have_weights(tmp_path):
    (tmp_path / "markers.txt").write_text("3 0.5\n1 2.0\n")
    vertices, weights = rc.sources.load_markers(tmp_path / "markers.txt")
    assert vertices.tolist() == [3, 1]
    assert weights is not None
    assert weights.tolist() == [0.5, 2.0]


@pytest.mark.parametrize("text", ["left eye", "1.5\n", "1 2 3\n", "nan\n"])
def test_other_lists_are_refused(tmp_path, text):
    (tmp_path / "list.txt").write_text(text)
    for load in (rc.sources.load_vertex_indices, rc.sources.load_landmarks, rc.sources.load_markers):
        with pytest.raises(ValueError, match=rf"{load.__name__}: path is .*list\.txt(: no|, line 1: )"):
            load(tmp_path / "list.txt")


def test_shapes_get_other_names(tmp_path):
    (tmp_path / "names.json").write_text('{"jawOpen": "Mouth_Open"}')
    for names in ({"jawOpen": "Mouth_Open"}, tmp_path / "names.json"):
        renamed = rc.sources.rename_shapes(FACE, names)
        assert renamed.shape_names == ["Mouth_Open", *FACE.shape_names[1:]]
        np.testing.assert_array_equal(renamed.columns(), FACE.columns())
        assert renamed.combinations == FACE.combinations
    with pytest.raises(ValueError, match="rename_shapes: 'ear' is no shape of the rig"):
        rc.sources.rename_shapes(FACE, {"ear": "nose"})
    with pytest.raises(ValueError, match="names is a mapping with other entries than strings"):
        rc.sources.rename_shapes(FACE, {"jawOpen": 3})
