"""Weights written and read again, in every format, and what other readers of a format see."""

from __future__ import annotations

import csv

import numpy as np
import pytest

import rigcast as rc
from rigcast.errors import InputWarning
from rigcast.exports import write_blendshape_weights
from tests.support.characters.faces import random_curves, small_face


def read_csv(path):
    with path.open(newline="") as stream:
        return list(csv.reader(stream))


@pytest.mark.parametrize("fps", [24.0, 60.0, 29.97])
def test_an_archive_keeps_weights_names_and_rate(tmp_path, fps):
    rig, curves = small_face(), random_curves(1, 7)
    write_blendshape_weights(tmp_path / "w.npz", rig, curves, fps=fps)
    again, rate = rc.sources.load_blendshape_weights(tmp_path / "w.npz", rig)
    np.testing.assert_array_equal(again, curves)
    assert rate == fps


def test_weights_are_matched_by_name(tmp_path):
    rig, curves = small_face(), random_curves(2, 5)
    write_blendshape_weights(tmp_path / "w.npz", rig, curves)
    other = rc.BlendshapeRig(
        rig.rest_vertices, rig.columns()[:3], names=["unknown", "my shape", "jawOpen"], faces=rig.faces
    )
    with pytest.warns(InputWarning) as told:
        again, _ = rc.sources.load_blendshape_weights(tmp_path / "w.npz", other)
    assert "4 of 6 curves move no shape of the rig: eyeBlink_L" in str(told[0].message)
    assert str(told[1].message) == "1 of 3 shapes stay at 0, since no curve names them: unknown"
    np.testing.assert_array_equal(again, np.stack([np.zeros(5), curves[:, 5], curves[:, 0]], axis=1))


def test_a_solution_is_read_as_weights(tmp_path):
    rig = small_face(combinations=False)
    curves = random_curves(3, 4)
    solution = rc.inverse.solve(rig, rig.evaluate(curves), alpha=0.0)
    solution.save(tmp_path / "solution.npz")
    again, rate = rc.sources.load_blendshape_weights(tmp_path / "solution.npz", rig)
    np.testing.assert_array_equal(again, solution.weights.astype(np.float32))
    assert rate == 30.0


@pytest.mark.parametrize("fps", [30.0, 60.0])
def test_live_link_has_its_61_columns_and_comes_back(tmp_path, fps, tolerance):
    rig, curves = small_face(), random_curves(4, 130)
    write_blendshape_weights(tmp_path / "w.csv", rig, curves, fps=fps)
    table = read_csv(tmp_path / "w.csv")
    header = table[0]
    assert header[:3] == ["Timecode", "BlendshapeCount", "EyeBlinkLeft"]
    assert header[53:63] == ["TongueOut", "HeadYaw", "HeadPitch", "HeadRoll"] + [
        f"{side}Eye{angle}" for side in ("Left", "Right") for angle in ("Yaw", "Pitch", "Roll")
    ]
    assert header[63:] == ["browInnerUp_L", "browInnerUp_R", "my shape"]
    assert table[1][0] == "00:00:00:00.000"
    assert table[1 + int(fps)][0] == "00:00:01:00.000"
    assert {row[1] for row in table[1:]} == {"61"}
    both = header.index("BrowInnerUp")
    np.testing.assert_allclose(
        [float(row[both]) for row in table[1:]], curves[:, 3:5].mean(axis=1), rtol=tolerance["float64_converged"]
    )
    again, rate = rc.sources.load_blendshape_weights(tmp_path / "w.csv", rig)
    np.testing.assert_array_equal(again, curves)
    assert rate == fps


def test_live_link_says_what_its_columns_cannot_hold(tmp_path):
    both, alone = write_blendshape_weights(tmp_path / "w.csv", small_face(), random_curves(4, 3))
    assert "column BrowInnerUp holds the mean of browInnerUp_L and browInnerUp_R" in both
    assert "no column for my shape:" in alone
    for other in ("npz", "py"):
        assert not write_blendshape_weights(tmp_path / f"w.{other}", small_face(), random_curves(4, 3))


def test_live_link_loses_no_shape_whatever_its_name(tmp_path):
    """A name that the layout has for an angle, two spellings of one column, one side without the other."""
    names = ["eye_blink.L", "EyeBlinkLeft", "HeadYaw", "browInnerUp_L", "headPitch"]
    rig = rc.BlendshapeRig(np.zeros((1, 3)), np.ones((5, 1, 3)), names=names)
    curves = random_curves(11, 4, 5)
    (note,) = write_blendshape_weights(tmp_path / "w.csv", rig, curves)
    assert "no column for eye_blink.L, headPitch:" in note
    np.testing.assert_array_equal(rc.sources.load_blendshape_weights(tmp_path / "w.csv", rig)[0], curves)


def test_a_glb_plays_the_rig_in_any_viewer(tmp_path, tolerance):
    """The file's own targets and keys, summed as glTF says, are the rig's vertices in meters."""
    rig, curves = small_face(meters_per_unit=0.01, up_axis="Y"), random_curves(5, 9)
    write_blendshape_weights(tmp_path / "w.glb", rig, curves, fps=24.0)
    seen = rc.sources.load_blendshapes(tmp_path / "w.glb")
    assert seen.column_names == rig.column_names
    assert seen.num_shapes == rig.num_shapes
    keys, rate = rc.sources.load_blendshape_weights(tmp_path / "w.glb", seen)
    assert rate == pytest.approx(24.0)
    np.testing.assert_allclose(seen.evaluate(keys), 0.01 * rig.evaluate(curves), atol=tolerance["float32"])
    again, _ = rc.sources.load_blendshape_weights(tmp_path / "w.glb", rig)
    np.testing.assert_allclose(again, curves, atol=tolerance["float32"])
    shot = rc.sources.load_shot(tmp_path / "w.glb")
    np.testing.assert_allclose(shot.vertices, 0.01 * rig.evaluate(curves), atol=tolerance["float32"])
    assert shot.faces.shape == (39, 4)  # 19 quads, split, and a triangle


@pytest.mark.parametrize(("axis", "column"), [("Z", 2), ("X", 0)])
def test_a_glb_stands_upright(tmp_path, tolerance, axis, column):
    rig = small_face(up_axis=axis)
    write_blendshape_weights(tmp_path / "w.glb", rig, random_curves(6, 2))
    seen = rc.sources.load_blendshapes(tmp_path / "w.glb")
    np.testing.assert_allclose(seen.rest_vertices[:, 1], rig.rest_vertices[:, column], atol=5 * tolerance["float32"])
    span = np.linalg.norm(seen.rest_vertices[7] - seen.rest_vertices[1])
    assert span == pytest.approx(
        np.linalg.norm(rig.rest_vertices[7] - rig.rest_vertices[1]), rel=tolerance["float32_scaled"]
    )


def test_a_rig_that_moves_everything_is_written_dense(tmp_path, tolerance):
    random = np.random.default_rng(7)
    rig = rc.BlendshapeRig(random.normal(size=(20, 3)), random.normal(size=(2, 20, 3)))
    write_blendshape_weights(tmp_path / "w.glb", rig, random_curves(7, 3, 2))
    document = (tmp_path / "w.glb").read_bytes()
    assert b'"sparse"' not in document
    assert b'"mode": 0' in document  # points: the rig has no faces


@pytest.mark.parametrize("ending", ["npz", "csv", "glb", "py"])
def test_a_failed_write_leaves_the_old_file(tmp_path, ending, monkeypatch):
    path = tmp_path / f"w.{ending}"
    path.write_bytes(b"old")

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        write_blendshape_weights(path, small_face(), random_curves(0, 3))
    assert path.read_bytes() == b"old"
    assert [item.name for item in tmp_path.iterdir()] == [path.name]


def test_wrong_arguments_are_refused(tmp_path):
    rig, curves = small_face(), random_curves(8, 3)
    for path, weights, fps, match in (
        ("w.mov", curves, 30, "path"),
        ("w.npz", curves[:, :2], 30, "weights"),
        ("w.npz", curves[:0], 30, "weights"),
        ("w.npz", curves * np.nan, 30, "weights"),
        ("w.npz", curves, 0, "fps"),
        ("w.npz", curves, np.inf, "fps"),
        ("w.npz", curves, "30", "fps"),
        ("w.npz", np.full(curves.shape, 1e300), 30, "weights"),
    ):
        with pytest.raises(ValueError, match=f"write_blendshape_weights: {match}"):
            write_blendshape_weights(tmp_path / path, rig, weights, fps=fps)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("frames", "read"), [(48, 24.0), (25, 24.0), (24, 60.0)])
def test_live_link_tells_the_rate_from_the_first_new_second(tmp_path, frames, read):
    rig = small_face()
    write_blendshape_weights(tmp_path / "w.csv", rig, np.zeros((frames, rig.num_shapes)), fps=24.0)
    assert rc.sources.load_blendshape_weights(tmp_path / "w.csv", rig)[1] == read
