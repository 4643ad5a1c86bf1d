"""Inverse kinematics: limbs in closed form, and poses by damped least squares."""

from __future__ import annotations

from collections.abc import Callable

from tests.ik import limb_cases, limb_skeletons
from tests.rig.channels import channel, entry, rotations
from tests.support.characters.cylinder import CylinderRig
from tests.support.made.cylinder_models import cylinder_skinning

import rigcast as rc
from benchmarks.kernels.register import Setup, kernel
from benchmarks.systems.ik.scenes import Scene, scene

LIMBS = 10_000
LIMB_POSES = 200
JOINTS, RINGS, SIDES = 12, 120, 24
FRAMES = 24
PREFERENCE = 1e-4


@kernel
def ik_two_bone(setup: Setup) -> Callable[[], object]:
    limbs = limb_cases.random_limbs(setup.size(LIMBS), seed=0)
    out = rc.ik.two_bone(*limbs)
    return lambda: rc.ik.two_bone(*limbs, threads=setup.threads, out=out)


@kernel
def ik_limb(setup: Setup) -> Callable[[], object]:
    skeleton = limb_skeletons.limb_skeleton(0)
    limb = rc.ik.Limb(skeleton, limb_skeletons.LIMB)
    poses = limb_skeletons.random_poses(skeleton, setup.size(LIMB_POSES), 1)
    targets = limb_skeletons.reachable_targets(skeleton, poses, 2)
    return lambda: limb.solve(poses, targets, threads=setup.threads)


def chain(setup: Setup) -> Scene:
    """A cylinder over a chain of joints, eight of its vertices and a motion."""
    rig = CylinderRig(JOINTS, setup.size(RINGS, least=16), SIDES)
    turns = [turn for joint in rig.joint_names[1:] for turn in rotations(joint, "ZYX", -60.0, 60.0)]
    root = channel("root.tx", "translate_x", "root", low=-20.0, high=20.0)
    return scene(cylinder_skinning(rig, 4, channels=entry(root, *turns, channel("flex", "dial", low=0.0, high=1.0))))


@kernel
def ik_one_pose(setup: Setup) -> Callable[[], object]:
    task = chain(setup)
    solver = rc.ik.Solver(task.model, task.vertices)
    return lambda: solver.solve(task.targets[9], task.channels[8], preference=PREFERENCE, threads=setup.threads)


@kernel
def ik_batch(setup: Setup) -> Callable[[], object]:
    task = chain(setup)
    solver, frames = rc.ik.Solver(task.model, task.vertices), slice(1, 1 + setup.size(FRAMES))
    targets, starts = task.targets[frames], task.channels[: len(task.targets[frames])]
    return lambda: solver.solve(targets, starts, preference=PREFERENCE, threads=setup.threads)
