"""The public constructors of analytic models."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.support.made.models import chain_skeleton, random_poses

FACES = [[0, 1, 2], [1, 2, 3]]


def character(num_joints=4, num_vertices=6):
    rng = np.random.default_rng(0)
    weights = rng.random((num_vertices, num_joints)) * (rng.random((num_vertices, num_joints)) < 0.6)
    weights[:, 0] += 0.1
    return chain_skeleton(num_joints), rng.standard_normal((num_vertices, 3)), weights / weights.sum(1, keepdims=True)


def test_dense_and_sparse_weights_are_the_same(tolerance):
    skeleton, rest, weights = character()
    dense = rc.LinearBlendSkinning(skeleton, rest, FACES, weights)
    joints = np.tile(np.arange(4), (6, 1))
    sparse = rc.LinearBlendSkinning(skeleton, rest, FACES, (joints, weights))
    poses = random_poses(skeleton, 3)
    np.testing.assert_allclose(dense.evaluate(poses), sparse.evaluate(poses), atol=tolerance["float32_sum"])
    assert dense.tensors()["skin.joint"].shape[1] == (weights > 0).sum(axis=1).max()


def test_metadata_and_numeric_controls_are_kept(tmp_path):
    skeleton, rest, weights = character()
    about = {"name": "hero", "meters_per_unit": 0.01, "up_axis": "Z", "licence": "CC0-1.0", "shop": {"id": 7}}
    model = rc.LinearBlendSkinning(skeleton, rest, FACES, weights, dials=["smile"], metadata=about)
    model.save(tmp_path / "hero.safetensors")
    model = rc.load(tmp_path / "hero.safetensors")
    assert about.items() <= model.metadata.items()
    assert model.metadata["topology_hash"] == rc.topology_hash(FACES, 6)
    assert (model.meters_per_unit, model.up_axis) == (0.01, "Z")
    assert model.control_names[-1] == "smile"
    assert model.control_ranges.shape == (49, 2)
    assert (model.control_ranges[:, 0] < model.control_ranges[:, 1]).all()


def test_wrong_characters_are_named():
    skeleton, rest, weights = character()
    joints = np.tile(np.arange(4), (6, 1))
    negative = weights.copy()
    negative[2, :2] += [-1, 1]
    for change, text in [
        ({"weights": weights[:, :3]}, r"LinearBlendSkinning: weights is float64 \(6, 3\); it must be numbers \(6, 4\)"),
        ({"weights": weights * 0.9}, "LinearBlendSkinning: weights is .* at vertex 0; it must be not negative and"),
        ({"weights": negative}, "LinearBlendSkinning: weights is .* at vertex 2"),
        (
            {"weights": (joints + 1, weights)},
            r"weights\[0\] is 4 at \(0, 3\); it must be .* from 0 to 3",
        ),
        ({"weights": (joints[:, :3], weights)}, r"weights\[1\] is float64 \(6, 4\); it must be numbers \(6, 3\)"),
        ({"weights": (joints * 1.0, weights)}, r"weights\[0\] is float64 \(6, 4\)"),
        ({"weights": weights * np.nan}, "weights is not finite"),
        ({"rest_vertices": rest[:, :2]}, r"rest_vertices is float64 \(6, 2\); it must be numbers \(V, 3\)"),
        ({"rest_vertices": rest * np.inf}, "rest_vertices is not finite"),
        ({"faces": [[0, 1, 6]]}, "faces is 6 in face 0; it must be vertex indices from 0 to 5"),
        ({"faces": [[0, 1, -1]]}, "faces is -1 in face 0"),
        ({"control_ranges": np.zeros((3, 2))}, r"control_ranges is float64 \(3, 2\); it must be numbers \(48, 2\)"),
        ({"metadata": {"up_axis": "W"}}, "metadata: up_axis is 'W'"),
    ]:
        arguments = {"skeleton": skeleton, "rest_vertices": rest, "faces": FACES, "weights": weights} | change
        with pytest.raises(ValueError, match=text):
            rc.LinearBlendSkinning(**arguments)
