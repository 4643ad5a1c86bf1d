"""Text as others write it: marks, encodings, indents, lines that go on, remarks, relative corners, too many values."""

from __future__ import annotations

import json
import os

import numpy as np
import pytest

import rigcast as rc
from rigcast.faces import _ict_files
from rigcast.ik import _target_files

SQUARE = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"
BVH = """HIERARCHY
ROOT hips
{
OFFSET 0 0 0
CHANNELS 3 Xposition Yposition Zposition
}
MOTION
Frames: 2
Frame Time: 0.04
1 2 3
4 5 6
"""
TARGETS = "frame,vertex,x,y,z\n0,3,1,2,3\n1,3,4,5,6\n"
TAKE = "Timecode,BlendshapeCount,jawOpen\n00:00:00:00.000,1,0.5\n"
PLY = (
    "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
    "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"
)
GLTF = {
    "asset": {"version": "2.0"},
    "scene": 0,
    "scenes": [{"nodes": [0]}],
    "nodes": [{"mesh": 0}],
    "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
    "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
    "bufferViews": [{"buffer": 0, "byteLength": 36}],
    "buffers": [
        {
            "byteLength": 36,
            "uri": "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA",
        }
    ],
}


def jaw():
    return rc.BlendshapeRig(np.zeros((3, 3), "f4"), np.ones((1, 3, 3), "f4"), names=["jawOpen"])


def targets(path):
    return _target_files.load_targets(path).targets.tolist()


READERS = {
    "mesh.obj": (SQUARE + "f 1 2 3 4\n", lambda path: rc.sources.load_mesh(path).faces.tolist(), [[0, 1, 2, 3]]),
    "shot.obj": (SQUARE + "f 1 2 3 4\n", lambda path: rc.sources.load_shot(path).vertices.shape, (1, 4, 3)),
    "motion.bvh": (BVH, lambda path: rc.sources.load_bvh(path).values.tolist(), [[1, 2, 3], [4, 5, 6]]),
    "take.csv": (TAKE, lambda path: rc.sources.load_blendshape_weights(path, jaw(), fps=60)[0].tolist(), [[0.5]]),
    "goals.csv": (TARGETS, targets, [[[1, 2, 3]], [[4, 5, 6]]]),
    "marks.txt": ("1 4\n2 5\n", lambda path: rc.sources.load_landmarks(path).tolist(), [[1, 4], [2, 5]]),
    "mesh.gltf": (json.dumps(GLTF), lambda path: rc.sources.load_mesh(path).vertices.shape, (3, 3)),
    "neutral.obj": (SQUARE, lambda path: len(_ict_files.vertices_of(_ict_files.read_text(path, "f"), path, "f")), 4),
}
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32")
LINES = {"\\n": "\n", "\\r\\n": "\r\n", "\\r": "\r"}


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("name", READERS)
def test_any_unicode_text_is_read(name, encoding, line, tmp_path):
    text, read, expected = READERS[name]
    (tmp_path / name).write_bytes(text.replace("\n", LINES[line]).encode(encoding))
    assert read(tmp_path / name) == expected


@pytest.mark.parametrize(
    ("text", "faces"),
    [
        (SQUARE + "f 1 2 \\\n3 4\n", [[0, 1, 2, 3]]),
        ("v 0 0 \\\n 0\n" + SQUARE[8:] + "f 1 2 3 4", [[0, 1, 2, 3]]),
        (SQUARE + "f 1 2 3 4 # one quad\n", [[0, 1, 2, 3]]),
        (SQUARE + "f 1/1/1 2//2 3/3 4#one quad\n", [[0, 1, 2, 3]]),
        ("  v 0 0 0\n\tv 1 0 0\n v 1 1 0\n v 0 1 0\n   f 1 2 3 4\n", [[0, 1, 2, 3]]),
        (SQUARE + "f -4 -3 -2 -1\n" + SQUARE + "f -4 -3 -2 -1\n", [[0, 1, 2, 3], [4, 5, 6, 7]]),
        (SQUARE + "f -1 -2 -3\n" + SQUARE, [[3, 2, 1, -1]]),
        (SQUARE + "fo 1 2 3 4\n", [[0, 1, 2, 3]]),
        (SQUARE + "\x0cf 1 2 3 4\n", [[0, 1, 2, 3]]),
        ("# a remark that ends in \\\n" + SQUARE + "f 1 2 3 4\n", [[0, 1, 2, 3]]),
    ],
)
def test_legal_objs_are_read(text, faces, tmp_path):
    (tmp_path / "legal.obj").write_text(text)
    assert rc.sources.load_mesh(tmp_path / "legal.obj").faces.tolist() == faces


@pytest.mark.parametrize("number", ["1,0", "1.0D+00", "1.#QNAN", "nan", "1e400"])
def test_a_vertex_that_is_none_is_refused_with_its_line(number, tmp_path):
    (tmp_path / "wrong.obj").write_text(SQUARE.replace("v 1 0 0", f"v {number} 0 0") + "f 1 2 3 4\n")
    with pytest.raises(ValueError, match="line 2: 'v "):
        rc.sources.load_mesh(tmp_path / "wrong.obj")


@pytest.mark.parametrize("text", ["f -5 -3 -2 -1\n", "f 1 2 9\n", "f 1 2\n", "f 1 2 0\n"])
def test_corners_that_are_not_there_are_refused(text, tmp_path):
    (tmp_path / "wrong.obj").write_text(SQUARE + text)
    with pytest.raises(ValueError, match="line 5"):
        rc.sources.load_mesh(tmp_path / "wrong.obj")


def test_a_line_that_goes_on_keeps_the_numbers_of_lines(tmp_path):
    (tmp_path / "wrong.obj").write_text(SQUARE + "f 1 2 \\\n3 4\nf 1 2 9\n")
    with pytest.raises(ValueError, match="line 7"):
        rc.sources.load_mesh(tmp_path / "wrong.obj")


def test_what_an_obj_holds_beside_polygons_is_said(tmp_path):
    (tmp_path / "more.obj").write_text(SQUARE + "f 1 2 3 4\nl 1 2\nl 2 3\np 1\ncurv 0 1 1 2\nfoo 3\nvn 0 0 1\ng a\n")
    notes = rc.sources.load_mesh(tmp_path / "more.obj").notes
    assert set(notes) == {
        "2 lines are left out",
        "1 points are left out",
        "1 lines of curves and free-form surfaces are left out",
        "1 lines that begin with 'foo' are left out",
    }


@pytest.mark.parametrize(
    ("names", "order"),
    [
        (["c.0010.obj", "c.0009.obj", "c.-001.obj", "c.-002.obj"], [3, 2, 1, 0]),
        (["c_2.obj", "c_10.obj", "c_-1.obj"], [2, 0, 1]),
        (["c.1.5.obj", "c.1.25.obj", "c.1.0.obj", "c.2.0.obj"], [2, 1, 0, 3]),
        (["c.1.75.obj", "c.1.5.obj", "c.1.25.obj"], [2, 1, 0]),
        (["shot.12.9.obj", "shot.12.10.obj", "shot.12.11.obj"], [0, 1, 2]),
        (["f-2.obj", "f-10.obj", "f-1.obj"], [2, 0, 1]),
        (["take2_9.obj", "take2_10.obj", "take10_1.obj"], [0, 1, 2]),
        (["-1.obj", "0.obj", "-2.obj"], [2, 0, 1]),
        (["b.obj", "a.obj"], [1, 0]),
    ],
)
def test_frames_come_in_order_of_time(names, order, tmp_path):
    for number, name in enumerate(names):
        (tmp_path / name).write_text(SQUARE.replace("v 0 0 0", f"v {number} 0 0") + "f 1 2 3 4\n")
    assert rc.sources.load_shot(tmp_path).vertices[:, 0, 0].astype(int).tolist() == order


@pytest.mark.parametrize(
    ("rows", "values", "words"),
    [
        ("1 2 3 0\n4 5 6 0\n", [[1, 2, 3], [4, 5, 6]], "1 value more than channels"),
        ("1 2 3\n4 5 6 0 0\n", [[1, 2, 3], [4, 5, 6]], "2 values more than channels"),
        ("1 2\n3 4 5 6\n", [[1, 2, 3], [4, 5, 6]], None),  # wrapped
        ("1 2 3 4 5 6\n", [[1, 2, 3], [4, 5, 6]], None),
        ("1 2 3\n4 5\n", [[1, 2, 3]], "1 and 2 values of another"),
    ],
)
def test_rows_of_a_bvh_are_its_frames(rows, values, words, tmp_path):
    (tmp_path / "rows.bvh").write_text(BVH[: BVH.index("1 2 3")] + rows)
    bvh = rc.sources.load_bvh(tmp_path / "rows.bvh")
    assert bvh.values.tolist() == values
    assert [words in note for note in bvh.notes] == [True] * bool(words) if words else not bvh.notes


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("Frame Time: 0.04", "Frame Time: 30", "is a rate of 30 meant?"),
        ("ROOT hips", "ROOT h\xfcfte", "names are read as Latin-1"),
        ("}\nMOTION", "JOINT hips\n{\nOFFSET 0 1 0\nCHANNELS 0\n}\n}\nMOTION", "two joints are named 'hips'"),
    ],
)
def test_what_is_odd_about_a_bvh_is_said(old, new, words, tmp_path):
    (tmp_path / "odd.bvh").write_bytes(BVH.replace(old, new).encode("latin-1"))
    assert any(words in note for note in rc.sources.load_bvh(tmp_path / "odd.bvh").notes)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Frames:", "Frames :"),
        ("Frame Time:", "FrameTime:"),
        ("Frame Time:", "frame time :"),
        ("HIERARCHY", "# of a studio\nHIERARCHY"),
        ("4 5 6\n", "4 5 6\n# end\n"),
        ("}\nMOTION", "EndSite\n{\nOFFSET 0 1 0\n}\n}\nMOTION"),
    ],
)
def test_a_bvh_is_read_as_others_write_it(old, new, tmp_path):
    assert old in BVH
    (tmp_path / "odd.bvh").write_text(BVH.replace(old, new))
    bvh = rc.sources.load_bvh(tmp_path / "odd.bvh")
    assert bvh.values.tolist() == [[1, 2, 3], [4, 5, 6]]
    assert not bvh.notes


@pytest.mark.parametrize(
    "broken",
    [
        PLY.replace("element face 1\nproperty list uchar int", "element tristrips 1\nproperty list int int"),
        PLY.replace("3 0 1 2", "3 0 x 2"),
        PLY.replace("3 0 1 2", "3 0 1"),
        PLY.replace("3 0 1 2\n", ""),
        PLY.replace("0 1 0\n3 0 1 2\n", ""),
        PLY.replace("element face 1", "element face 2"),
        PLY.replace("element vertex 3", "element vertex 4"),
        PLY.replace("end_header\n", ""),
    ],
)
def test_a_ply_that_is_not_whole_is_refused(broken, tmp_path):
    pytest.importorskip("trimesh", reason="trimesh is not installed")
    (tmp_path / "whole.ply").write_text(PLY)
    assert len(rc.sources.load_mesh(tmp_path / "whole.ply").faces) == 1
    (tmp_path / "torn.ply").write_text(broken)
    with pytest.raises(ValueError, match=r"torn\.ply"):
        rc.sources.load_mesh(tmp_path / "torn.ply")


@pytest.mark.parametrize(
    "ending", ["obj", "ply", "npy", "npz", "glb", "gltf", "usd", "abc", "bvh", "csv", "fbx", "vrm"]
)
def test_a_pipe_is_no_file(ending, tmp_path):
    path = tmp_path / f"pipe.{ending}"
    os.mkfifo(path)
    readers = [rc.sources.load_mesh, rc.sources.load_shot, rc.sources.load]
    readers += [rc.sources.load_bvh] * (ending == "bvh")
    readers += [lambda file: rc.sources.load_blendshape_weights(file, jaw())] * (ending == "csv")
    for read in readers:
        with pytest.raises(ValueError, match=r"no file|a pipe|must be a file that ends in"):
            read(path)
