"""One small model of every kind, with poses: what all kinds promise is tested over this table."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import rigcast as rc
from tests.baselines.baselines import (
    random_dense_network,
    random_direct_delta_mush,
    random_pose_space,
    random_regressed_skinning,
    random_regression,
    random_rotational_regression,
)
from tests.rig.base_shapes import based_model
from tests.support.made.blendshapes import random_rig
from tests.support.made.differential import random_differential, random_differential_tensors
from tests.support.made.face_maps import random_face_maps, random_face_maps_tensors
from tests.support.made.models import random_body, random_poses
from tests.support.made.skinning import bent, bumpy_tube, skinned

MAKERS: dict[str, Callable[[], rc.Deformer]] = {
    "linear_blend": lambda: skinned(rc.LinearBlendSkinning, dials=["dial"]),
    "dual_quaternion": lambda: skinned(rc.DualQuaternionSkinning, num_joints=4),
    "delta_mush": lambda: bumpy_tube(loose=2, iterations=2),
    "body": lambda: random_body(num_vertices=50),
    "blendshape": lambda: random_rig(num_vertices=40),
    "regression": lambda: random_regression(),
    "regressed_skinning": lambda: random_regressed_skinning(),
    "direct_delta_mush": lambda: random_direct_delta_mush(),
    "pose_space": lambda: random_pose_space(),
    "dense_network": lambda: random_dense_network(),
    "rotational_regression": lambda: random_rotational_regression(),
    "face_maps": lambda: random_face_maps(),
    "differential": lambda: random_differential(),
    "face_maps on a base": lambda: based_model(*random_face_maps_tensors(components=4, hidden_layers=2)),
    "differential on a base": lambda: based_model(*random_differential_tensors()),
}
KINDS = list(MAKERS)
FORWARD_ONLY = (  # refuse derivatives and restriction
    "regression",
    "regressed_skinning",
    "direct_delta_mush",
    "pose_space",
    "dense_network",
    "rotational_regression",
)
WITH_DERIVATIVES = [kind for kind in KINDS if kind not in FORWARD_ONLY]


def poses_of(model: rc.Deformer, frames: int, seed: int = 0) -> np.ndarray:
    """(frames, C) random poses at which the model is smooth: weights keep away from the corners of tents."""
    rng = np.random.default_rng(seed)
    width = len(model.control_names)
    if model.skeleton is None:
        return rng.choice(np.float32([-0.1, 0.1, 0.15, 0.35, 0.6, 0.9, 1.1]), (frames, width))
    if model.kind == "delta_mush":  # random transforms would fold the surface
        near = bent(model)[rng.integers(3, size=frames)]
        return near + 0.05 * rng.standard_normal(near.shape).astype(np.float32)
    if model.kind in ("direct_delta_mush", "pose_space", "rotational_regression"):
        # blends of random rotations may have no nearest rotation, and rotation vectors jump at half turns
        rest = np.append(model.skeleton.rest.reshape(-1), np.zeros(width - 12 * model.skeleton.num_joints))
        return (rest + 0.1 * rng.standard_normal((frames, width))).astype(np.float32)
    return random_poses(model.skeleton, frames, seed, numeric=width - 12 * model.skeleton.num_joints)
