"""What lies outside a model's training poses, against the definition of its confidence written out."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rigcast as rc
from rigcast import _core
from rigcast._pose_statistics.confidence import confidence_groups, confidence_tensors
from tests.support.characters.cylinder import CylinderRig
from tests.support.made.cylinder_models import cylinder_body, facts


@pytest.fixture(scope="module")
def learned():
    """A cylinder that has seen its last joint at rest only, its training poses, and the character."""
    rig = CylinderRig(3)
    plain = cylinder_body(rig)
    rows = np.random.default_rng(0).uniform(*rig.channel_ranges.T, (60, len(rig.channel_names)))
    rows[:, [i for i, name in enumerate(rig.channel_names) if name.startswith("joint2")]] = 0.0
    poses = rig.sample(rows)[0]
    roots = np.repeat(np.asarray(rig.skeleton.parents) < 0, 12)
    ignored = np.concatenate([roots, np.zeros(poses.shape[1] - len(roots), bool)])
    groups = confidence_groups(poses, rig.skeleton.num_joints, ignored, 1.0)
    tensors = {**plain.tensors(), **confidence_tensors(groups)}
    model = _core.model_from_tensors(tensors, facts(rig, "body", resting={"joint2": "no limits"}))
    return rig, model, poses


def posed(rig, **channels):
    row = np.zeros((1, len(rig.channel_names)))
    for name, value in channels.items():
        row[0, rig.channel_names.index(name.replace("__", "."))] = value
    return rig.sample(row)[0]


def test_nothing_of_the_training_poses_is_outside(learned):
    _, model, poses = learned
    outside = rc.metrics.outside_training(model, poses)
    assert (outside.names, outside.doubtful, outside.resting) == ([], 0, {})
    assert outside.lines() == ["confidence: median 1.00, lowest 1.00"]


def test_a_joint_that_never_moved_is_named(learned):
    rig, model, _ = learned
    name = next(name for name in rig.channel_names if name.startswith("joint2"))
    outside = rc.metrics.outside_training(model, posed(rig, **{name.replace(".", "__"): 20.0}))
    assert outside.names == ["joint2"]
    assert outside.resting == {"joint2": "no limits"}
    assert outside.confidence[0] < 0.1
    assert outside.lines()[1] == "moved, though it rested in training: joint2 (1 poses)"


def test_the_excess_is_the_one_of_the_confidence(learned, tolerance):
    _, model, poses = learned
    beyond = poses + 0.4 * (poses - poses.mean(axis=0))
    outside = rc.metrics.outside_training(model, beyond)
    expected = 2.0 ** -((outside.excess[0] / 0.25) ** 2)  # cpp/rigcast/rig/confidence.h
    assert outside.confidence.min() == pytest.approx(expected, rel=tolerance["printed"])
    assert not outside.resting


def test_a_pose_just_outside_is_not_named(learned):
    rig, model, _ = learned
    name = next(name for name in rig.channel_names if name.startswith("joint2"))
    near = rc.metrics.outside_training(model, posed(rig, **{name.replace(".", "__"): 0.01}))
    assert (near.names, near.confidence[0]) == ([], 1.0)


def test_models_without_training_poses_have_nothing_outside(learned):
    _, _, poses = learned
    assert rc.metrics.outside_training(cylinder_body(CylinderRig(3)), poses).names == []


def test_no_pose_is_refused(learned):
    _, model, poses = learned
    with pytest.raises(ValueError, match="outside_training: poses is empty"):
        rc.metrics.outside_training(model, poses[:0])


def test_a_model_keeps_what_never_moved(tmp_path):
    from rigcast.training._export import common_metadata

    rig = CylinderRig(3)
    rig.resting = {"joint2": "no limits"}
    data = rc.sampling.sample(rig, tmp_path / "a.rwdata", count=4, probe=0)
    assert common_metadata(data, "body", {})["resting"] == {"joint2": "no limits"}
    assert json.loads((data.path / "manifest.json").read_text())["resting"] == {"joint2": "no limits"}


@pytest.mark.parametrize("wrong", [["joint2"], {"joint2": ""}, {"joint2": 3}, {2: "no limits"}])
def test_resting_that_is_no_mapping_is_refused(tmp_path, wrong):
    rig = CylinderRig(3)
    rig.resting = wrong
    with pytest.raises(ValueError, match=r"sample: rig\.resting is .*a mapping from names to reasons"):
        rc.sampling.sample(rig, tmp_path / "a.rwdata", count=4, probe=0)
