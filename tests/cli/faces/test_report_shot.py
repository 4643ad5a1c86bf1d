"""What the report of a shot takes from weights that are no saved solution."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast.cli._ways.report_shot import open_solution
from rigcast.inverse import Solver
from tests.support.characters.moving_head import face_curves, head_turns, moved, moving_face

FRAMES = 12


@pytest.fixture(scope="module")
def scene():
    face, weights, motion = moving_face(), face_curves(FRAMES), head_turns(FRAMES)
    return face, weights, motion, moved(face.evaluate(weights.astype(np.float32)), motion).astype(np.float32)


def test_head_motion_beside_written_weights_is_taken_out(scene, tmp_path):
    face, weights, motion, shot = scene
    rc.exports.write_blendshape_weights(tmp_path / "w.npz", face, weights, fps=30.0, transforms=motion)
    found = open_solution(tmp_path / "w.npz", face, Solver(face), shot)
    np.testing.assert_array_equal(found.transforms, motion)
    assert found.rmse.max() < 1e-4  # of a face 20 units high whose head moves by 3


def test_weights_alone_know_of_no_head_motion(scene, tmp_path):
    face, weights, _, shot = scene
    rc.exports.write_blendshape_weights(tmp_path / "w.npz", face, weights, fps=30.0)
    assert open_solution(tmp_path / "w.npz", face, Solver(face), shot).transforms is None


def test_resampled_weights_are_refused_with_the_file_to_give(scene, tmp_path):
    face, weights, _, shot = scene
    rc.exports.write_blendshape_weights(tmp_path / "w.csv", face, weights[::2], fps=15.0)
    with pytest.raises(ValueError, match=r"resampled.*\.npz"):
        open_solution(tmp_path / "w.csv", face, Solver(face), shot)


def test_head_motion_of_another_length_is_refused(scene, tmp_path):
    face, weights, motion, shot = scene
    np.savez(tmp_path / "w.npz", weights=weights, names=face.shape_names, transforms=motion[:5])
    with pytest.raises(ValueError, match="transforms"):
        open_solution(tmp_path / "w.npz", face, Solver(face), shot)
