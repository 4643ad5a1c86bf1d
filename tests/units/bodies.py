"""What is computed with skeletons, skins and motion, in their own unit whatever the scale of their lengths."""

from __future__ import annotations

import numpy as np

import rigcast as rc
from tests.ik.walk import FEET, FPS, legs_skeleton, pushed, walk
from tests.units.scaled import CYLINDER, Scaled, error, samples, scaled_poses, scaled_skeleton


def decomposed(scale):
    mine = samples(scale)
    return rc.baselines.skinning_decomposition(mine.rest_vertices, mine.vertices, 5, influences=3).rms / scale


def mushed(scale):
    rig = Scaled(scale)
    model = rc.DeltaMush(rig.skeleton, rig.rest_vertices, rig.faces, CYLINDER.weights)
    return model.evaluate(samples(scale).poses[:, :48]) / scale


def dual(scale):
    rig = Scaled(scale)
    model = rc.DualQuaternionSkinning(rig.skeleton, rig.rest_vertices, rig.faces, CYLINDER.weights)
    return model.evaluate(samples(scale).poses[:, :48]) / scale


def locked(scale):
    skeleton, poses = walk()
    poses = scaled_poses(pushed(poses), skeleton.num_joints, scale)
    found = rc.ik.foot_lock(
        scaled_skeleton(skeleton, scale), poses, FEET, fps=FPS, hinge=[1, 0, 0], meters_per_unit=1.0 / scale
    )
    assert found.contacts.any()
    return scaled_poses(found.poses, skeleton.num_joints, 1.0 / scale)


def bent(scale):
    skeleton = scaled_skeleton(legs_skeleton(), scale)
    poses = np.tile(skeleton.rest.reshape(-1), (3, 1))
    targets = scale * np.array([[0.1, 0.3, 0.1], [0.2, 0.2, 0.3], [0.1, -0.5, 0.2]])
    found = rc.ik.Limb(skeleton, FEET[0][:3], hinge=[1, 0, 0]).solve(poses, targets).poses
    return scaled_poses(found, skeleton.num_joints, 1.0 / scale)


def two_bones(scale):
    base, target = np.zeros((2, 3)), scale * np.array([[0.5, 0.2, 0.1], [0.1, 0.9, 0.3]])
    found = rc.ik.two_bone(base, target, np.full(2, 0.6 * scale), np.full(2, 0.5 * scale), np.tile([0, 0, 1.0], (2, 1)))
    return np.concatenate([found.elbow, found.end]) / scale


def posed(scale):
    rig = Scaled(scale)
    model = rc.LinearBlendSkinning(rig.skeleton, rig.rest_vertices, rig.faces, CYLINDER.weights)
    reached = model.evaluate(samples(scale).poses[:4, :48])[:, [20, 40, 59]]
    start = np.tile(rig.skeleton.rest.reshape(-1), (4, 1))
    found = rc.ik.solve(model, reached, np.array([20, 40, 59]))
    return np.append(found.error / scale, len(start))


def aimed(scale):
    skeleton, poses = walk()
    mine, rows = scaled_skeleton(skeleton, scale), scaled_poses(poses, skeleton.num_joints, scale)
    looks = rc.ik.look_at(mine, rows, ["pelvis"], targets=scale * np.array([3.0, 2.0, 5.0])).poses
    moved = rc.ik.move_torso(mine, rows, "pelvis", translation=scale * np.array([0.0, -0.1, 0.05]))
    return scaled_poses(np.concatenate([looks, moved]), skeleton.num_joints, 1.0 / scale)


def synthesized(scale):
    steps = np.arange(80)[:, None] * np.array([0.2, 0.3, 0.25])
    clip = scale * (np.sin(steps) + 2.0)
    synth = rc.synthesis.fit({"idle": [clip]}, 24.0, iterations=20, held_out=False)
    return np.asarray(synth.player(seed=1, label="idle").step(40)) / scale


BODIES = {
    "skinning_decomposition": decomposed,
    "ssdr": lambda scale: error(rc.baselines.ssdr(samples(scale), 5, 3), scale),
    "linear_blend": lambda scale: error(rc.baselines.linear_blend(samples(scale)), scale),
    "pca_regression": lambda scale: error(rc.baselines.pca_regression(samples(scale)), scale),
    "kpsa": lambda scale: error(rc.baselines.kpsa(samples(scale), 20, 10), scale),
    "direct_delta_mush": lambda scale: error(rc.baselines.direct_delta_mush(samples(scale)), scale),
    "pose_space_deformation": lambda s: error(rc.baselines.pose_space_deformation(samples(s), 20), s),
    "rotational_regression": lambda s: error(rc.baselines.rotational_regression(samples(s), anchors=4), s),
    "DeltaMush": mushed,
    "DualQuaternionSkinning": dual,
    "foot_lock": locked,
    "Limb": bent,
    "two_bone": two_bones,
    "ik.solve": posed,
    "look_at, move_torso": aimed,
    "dense_network": lambda s: error(rc.baselines.dense_network(samples(s), steps=20, hidden=8, threads=1), s),
    "key_point_subspace": lambda s: rc.baselines.key_point_subspace(samples(s).vertices, 20, 10).points,
    "synthesis": synthesized,
}
