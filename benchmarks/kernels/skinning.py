"""Skinned characters: linear blend, dual quaternions, delta mush."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from tests.support.made import models, skinning

import rigcast as rc
from benchmarks.kernels.calls import evaluated, pulled_back, pushed_forward
from benchmarks.kernels.register import Setup, kernel

JOINTS, VERTICES, INFLUENCES = 60, 6000, 4
POSES = 8


@functools.cache
def character(make: Any, num_vertices: int) -> rc.Deformer:
    """A random character."""
    return skinning.skinned(make, JOINTS, num_vertices, INFLUENCES)


def posed(setup: Setup, make: Any, frames: int = POSES) -> tuple[rc.Deformer, np.ndarray, np.ndarray]:
    """A model, poses (T, C) and an array for their vertices."""
    model = character(make, setup.size(VERTICES))
    poses = models.random_poses(model.skeleton, frames)
    return model, poses, np.ones((frames, *model.rest_vertices.shape), np.float32)


@kernel
def skinning_linear_blend_one_pose(setup: Setup) -> Callable[[], object]:
    return evaluated(setup, posed(setup, rc.LinearBlendSkinning, 1))


@kernel
def skinning_linear_blend(setup: Setup) -> Callable[[], object]:
    return evaluated(setup, posed(setup, rc.LinearBlendSkinning))


@kernel
def skinning_linear_blend_vjp(setup: Setup) -> Callable[[], object]:
    return pulled_back(setup, posed(setup, rc.LinearBlendSkinning))


@kernel
def skinning_linear_blend_jvp(setup: Setup) -> Callable[[], object]:
    return pushed_forward(setup, posed(setup, rc.LinearBlendSkinning))


@kernel
def skinning_dual_quaternion(setup: Setup) -> Callable[[], object]:
    return evaluated(setup, posed(setup, rc.DualQuaternionSkinning))


@kernel
def skinning_dual_quaternion_vjp(setup: Setup) -> Callable[[], object]:
    return pulled_back(setup, posed(setup, rc.DualQuaternionSkinning))


@kernel
def skinning_delta_mush(setup: Setup) -> Callable[[], object]:
    return evaluated(setup, posed(setup, rc.DeltaMush))


@kernel
def skinning_delta_mush_vjp(setup: Setup) -> Callable[[], object]:
    return pulled_back(setup, posed(setup, rc.DeltaMush))
