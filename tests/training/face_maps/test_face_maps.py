"""A face learned as maps: what the engine evaluates is what was trained, and the model says how it was judged."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rigcast as rc
from tests.rig.base_shapes import slow_base
from tests.support.characters.mapped_face import clip_data, random_data, slow_offsets
from tests.support.trainings import train_with

pytest.importorskip("torch", reason="PyTorch is not installed")

QUICK = {"steps": 8, "hidden": 8, "first_channels": 2, "channels": 4, "batch": 4, "threads": 1}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return clip_data(tmp_path_factory.mktemp("face") / "face.rwdata", frames=30)


@pytest.fixture(scope="module")
def model(data):
    return train_with("face_maps", data, **QUICK)


@pytest.fixture(scope="module")
def random(tmp_path_factory):
    return random_data(tmp_path_factory.mktemp("random") / "face.rwdata", 60)


def test_the_engine_evaluates_what_was_trained(data, model, tolerance):
    tensors = model.tensors()
    for row in (0, 40):
        expected = data.rest_vertices + slow_offsets(tensors, data.poses[row], len(data.rest_vertices))
        expected += slow_base(tensors, data.poses[row : row + 1])[0]
        np.testing.assert_allclose(model.evaluate(data.poses[row : row + 1])[0], expected, atol=tolerance["float32"])


def test_the_model_says_how_it_was_judged(model, tolerance):
    found = model.metadata["face_maps"]
    assert found["judged_by"].startswith("held-out clips: take")
    assert model.metadata["error"]["poses"] == 30
    error = found["quality"]["coarse"]
    assert error["mean_mm"] == pytest.approx(1e3 * model.metadata["error"]["mean"], rel=tolerance["printed"])
    json.dumps(found, allow_nan=False)


def test_the_steps_of_quality_are_measured(model):
    quality = model.metadata["face_maps"]["quality"]
    assert {"coarse", "16-bit"} <= set(quality)
    assert all(set(step) == {"mean_mm", "max_mm", "normals_degrees", "poses"} for step in quality.values())


def test_a_set_of_random_poses_trains_and_says_so(random):
    found = train_with("face_maps", random, **QUICK).metadata["face_maps"]
    assert found["judged_by"] == "random poses"
    assert "Judged by random poses." in found["notes"]


def test_without_a_probe_every_control_is_an_input_and_a_note_says_so(random):
    model = train_with("face_maps", random, **QUICK)
    assert {segment["inputs"] for segment in model.metadata["face_maps"]["segments"]} == {5}
    assert any("no influence probe" in note for note in model.metadata["face_maps"]["notes"])


def test_a_segment_sees_only_controls_that_move_it(data, model):
    """Turned with many others at once, a control that is no input moves nothing at all."""
    tensors = model.tensors()
    rng = np.random.default_rng(0)
    poses = rng.random((20, 5)).astype(np.float32)
    for number in range(len(tensors["segments.level"])):
        columns = tensors["inputs.column"][slice(*tensors["inputs.offset"][number : number + 2])]
        vertices = tensors["segments.vertex"][slice(*tensors["segments.offset"][number : number + 2])]
        other = rng.random((20, 5)).astype(np.float32)
        other[:, columns] = poses[:, columns]
        np.testing.assert_array_equal(model.evaluate(other)[:, vertices], model.evaluate(poses)[:, vertices])


def test_a_body_with_joints_is_learned(tmp_path):
    """Columns of joints are inputs like any other."""
    from tests.support.characters.cylinder import CylinderRig

    bent = rc.sampling.sample(CylinderRig(rings=8, sides=6), tmp_path / "bent.rwdata", count=60, seed=0, probe=1)
    model = train_with("face_maps", bent, **QUICK)
    assert model.evaluate(bent.poses[:2]).shape == bent.vertices[:2].shape


def test_a_set_that_never_moves_is_refused(tmp_path):
    from tests.support.characters.mapped_face import MappedFace

    still = rc.sampling.sample(
        MappedFace(), tmp_path / "still.rwdata", sampler=rc.sampling.Animation(np.zeros((12, 5))), probe=0
    )
    with pytest.raises(ValueError, match="0 everywhere"):
        train_with("face_maps", still, **QUICK)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"data": "hero.rwdata"}, "data is a str without skeleton"),
        ({"threads": -1}, r"threads is -1; it must be 0 \(all processors\) or more"),
        ({"texels": 1.5}, "texels is 1.5; it must be a part from 0 to 1"),
        ({"refinement": 2.0}, "refinement is 2.0; it must be a part from 0 to 1"),
        ({"normal_weight": -1.0}, "normal_weight is -1.0; it must be a finite number not below 0"),
        ({"hidden": 0}, "hidden is 0; it must be"),
        ({"method": "best"}, "method is 'best'; it must be"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(data, changes, message):
    arguments = {"data": data, **QUICK, **changes}
    with pytest.raises(ValueError, match=f"face_maps: {message}"):
        train_with("face_maps", arguments.pop("data"), **arguments)


def test_the_checkpoints_are_removed_at_the_end(data, tmp_path):
    train_with("face_maps", data, **QUICK, checkpoint=tmp_path / "run")
    assert not list(tmp_path.iterdir())
