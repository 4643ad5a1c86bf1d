"""Indices in text files: one that is no vertex is refused with its file and line, and without a warning of NumPy."""

from __future__ import annotations

import json
import warnings

import pytest

import rigcast as rc
from rigcast._formats.mpfb.skeleton import read_weights
from rigcast._formats.mpfb.targets import read_target

WRONG = ("-1", "2147483648", "9223372036854775808", "1" + 40 * "0", "-9223372036854775809")

READERS = {
    "load_vertex_indices": ("vertices.txt", "0\n# none\n{}\n", rc.sources.load_vertex_indices, "line 3"),
    "load_landmarks": ("pairs.csv", "source,target\n0,1\n2,{}\n", rc.sources.load_landmarks, "line 3"),
    "load_markers": ("markers.txt", "0 1.0\n\n{} 0.5\n", rc.sources.load_markers, "line 3"),
    "rigcast.ik.load_targets": ("t.csv", "frame,vertex,x,y,z\n0,{},0,0,0\n", rc.ik.load_targets, "line 2"),
    "an OBJ face": ("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 {}9\n", rc.sources.load_mesh, "line 4"),
    "a MakeHuman target": ("a.target", "0 0 0 0\n{} 0 0 1\n", lambda path: read_target(path, 5, "f"), "vertex"),
}


@pytest.mark.parametrize("index", WRONG)
@pytest.mark.parametrize(("name", "text", "read", "place"), READERS.values(), ids=READERS)
def test_an_index_that_is_none_is_refused_with_its_place(tmp_path, name, text, read, place, index):
    path = tmp_path / name
    path.write_text(text.format(index))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match=rf"{name}.*{place}"):
            read(path)


@pytest.mark.parametrize("index", ["0.5", "nan", "1e300"])
def test_a_number_that_is_no_index_is_refused_with_its_line(tmp_path, index):
    path = tmp_path / "pairs.csv"
    path.write_text(f"0,1\n{index},2\n")
    with pytest.raises(ValueError, match=r"pairs\.csv, line 2: .*, 2; it must be indices of vertices"):
        rc.sources.load_landmarks(path)


def test_weights_of_vertices_that_the_mesh_lacks_are_left_out(tmp_path):
    path = tmp_path / "weights.json"
    path.write_text(json.dumps({"weights": {"bone": [[0, 1.0], [2**63, 1.0], [1e300, 1.0]]}}))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_weights(path, 5, "f")["bone"][0].tolist() == [0]


LARGE = {
    "a.obj": "v 1e308 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\n",
    "a.ply": "ply\nformat ascii 1.0\nelement vertex 3\nproperty double x\nproperty double y\nproperty double z\n"
    "element face 1\nproperty list uchar int vertex_indices\nend_header\n1e308 0 0\n0 1 0\n0 0 1\n3 0 1 2\n",
}


@pytest.mark.parametrize("name", LARGE)
def test_a_mesh_with_a_number_beyond_float32_is_refused_without_a_warning(tmp_path, name):
    if name.endswith(".ply"):
        pytest.importorskip("trimesh", reason="trimesh is not installed (extra meshes)")
    (tmp_path / name).write_text(LARGE[name])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match=rf"{name}.*finite"):
            rc.sources.load_mesh(tmp_path / name)
