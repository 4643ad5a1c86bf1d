"""Files of targets."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc

HEADER = "frame,vertex,x,y,z\n"


def test_both_formats_hold_the_same(tmp_path):
    targets = np.random.default_rng(0).random((3, 2, 3))
    np.savez(tmp_path / "a.npz", targets=targets, vertices=[7, 4], weights=[1.0, 2.0], fps=24)
    rows = [f"{t + 5}, {v}, {x}, {y}, {z}" for t in range(3) for v, (x, y, z) in zip([7, 4], targets[t], strict=True)]
    (tmp_path / "a.csv").write_text(HEADER + "\n".join(rows))
    archive, table = rc.ik.load_targets(tmp_path / "a.npz"), rc.ik.load_targets(tmp_path / "a.csv")
    assert (archive.targets == table.targets).all()
    assert archive.vertices.tolist() == table.vertices.tolist() == [7, 4]
    assert archive.fps == 24.0
    assert archive.weights is not None


WRONG = {
    "": "begins with ''",
    "a,b\n1,2\n": "begins with 'a,b'",
    HEADER: "begins with 'frame,vertex,x,y,z'",
    HEADER + "0,1,2,3\n": "with '0,1,2,3' in line 2",
    HEADER + "0,1,2,3,x\n": "with '0,1,2,3,x' in line 2",
    HEADER + "0,1,2,3,nan\n": "with '0,1,2,3,nan' in line 2",
    HEADER + "0,1,2,3,4\n0,1,2,3,4\n": "vertex 1 of frame 0 twice, in line 3 again",
    HEADER + "0,1,2,3,4\n2,1,2,3,4\n": "without a frame 1",
    HEADER + "0,1,2,3,4\n0,2,2,3,4\n1,1,2,3,4\n": "without vertex 2 in frame 1",
}


@pytest.mark.parametrize("text", WRONG)
def test_a_wrong_table_is_named(text, tmp_path):
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(ValueError, match=f"^load_targets: .*{WRONG[text]}.*; it must be "):
        rc.ik.load_targets(tmp_path / "a.csv")


def test_an_archive_without_vertices_is_named(tmp_path):
    np.savez(tmp_path / "a.npz", targets=np.zeros((1, 1, 3)))
    with pytest.raises(ValueError, match=r"^load_targets: vertices is missing"):
        rc.ik.load_targets(tmp_path / "a.npz")


def test_another_format_is_named(tmp_path):
    (tmp_path / "a.txt").write_text("")
    with pytest.raises(ValueError, match=r"it must be \.npz"):
        rc.ik.load_targets(tmp_path / "a.txt")


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="load_targets"):
        rc.ik.load_targets(tmp_path / "a.npz")
