"""Derivatives and restricted models of the CUDA lane as rows."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

import rigcast as rc
from tests.cuda.operation import Inputs, Operation, T, normal
from tests.support.made.blendshapes import random_rig, random_weights
from tests.support.made.models import random_body, random_poses


def resident(lane: ModuleType, model: rc.Deformer, **options: Any) -> Any:
    return lane.ResidentModel(model, **options)


def pose_rows(model: rc.Deformer, count: int, seed: int) -> np.ndarray:
    if isinstance(model, rc.BlendshapeRig):
        return random_weights(model, count, seed)
    return random_poses(model.skeleton, count, seed, numeric=len(model.metadata["numeric_controls"]), stretch=0.0)


def jvp(model: rc.Deformer, poses: int, what: str, **options: Any) -> Operation:
    def inputs(rng: np.random.Generator) -> Inputs:
        rows = pose_rows(model, poses, int(rng.integers(1 << 30)))
        return {"poses": rows, "tangents": normal(rng, *rows.shape)}

    def device(lane: ModuleType, poses: np.ndarray, tangents: np.ndarray) -> np.ndarray:
        out = np.full((len(poses), len(model.rest_vertices), 3), np.nan, np.float32)
        resident(lane, model, **options).jvp(poses, tangents, out)
        return out

    return Operation(f"jvp of {what}, {poses} poses", inputs, model.jvp, device, "float32_sum")


def jacobian(model: rc.Deformer, poses: int, what: str, **options: Any) -> Operation:
    def device(lane: ModuleType, poses: np.ndarray) -> np.ndarray:
        out = np.full((len(poses), 3 * len(model.rest_vertices), poses.shape[1]), np.nan, np.float32)
        resident(lane, model, **options).jacobian(poses, out)
        return out

    return Operation(
        f"Jacobian of {what}, {poses} poses",
        lambda rng: {"poses": pose_rows(model, poses, int(rng.integers(1 << 30)))},
        model.jacobian,
        device,
        "float32_sum",
    )


def restricted(model: rc.Deformer, vertices: list[int], what: str) -> Operation:
    """Restricted on the CPU, then copied to the device."""
    few = model.restricted(vertices)

    def device(lane: ModuleType, poses: np.ndarray) -> np.ndarray:
        out = np.full((len(poses), len(vertices), 3), np.nan, np.float32)
        resident(lane, few).evaluate(poses, out)
        return out

    return Operation(
        f"{what} restricted to {len(vertices)} vertices",
        lambda rng: {"poses": pose_rows(model, 5, int(rng.integers(1 << 30)))},
        lambda poses: model.evaluate(poses)[:, vertices],
        device,
        "float32_sum",
    )


def rows() -> list[Operation]:
    body = random_body(num_vertices=150, num_sets=7)
    rig, small, dense = random_rig(num_vertices=600), random_rig(storage="int16"), random_rig(num_vertices=70)
    some = [5, 149, 3, 5]
    return [
        jvp(body, 1, "a body"),
        jvp(body, T + 1, "a body in chunks", workspace=50_000),
        jvp(random_body(num_joints=150, num_sets=30, num_vertices=300, seed=4), 3, "a body of 150 joints"),
        jvp(random_body(num_joints=1, numeric=0, num_vertices=4, num_sets=2), 3, "a body of one joint"),
        jvp(body.restricted(some), 3, "a restricted body"),
        jvp(body.stored("16-bit"), 3, "a body with networks in 16 bits"),
        jvp(rig, T + 1, "blendshapes"),
        jvp(small, 7, "blendshapes in 16 bits", workspace=2_000),
        jvp(dense, 7, "dense blendshapes", dense=True),
        jvp(rig.restricted(some), 3, "restricted blendshapes"),
        jacobian(body.restricted(some), 5, "a restricted body"),
        jacobian(body.restricted([7]), 3, "one vertex of a body, a direction at a time", workspace=0),
        jacobian(random_body(num_vertices=30), 2, "a body in chunks", workspace=100_000),
        jacobian(rig, 3, "blendshapes"),
        jacobian(small, 9, "blendshapes in 16 bits and chunks", workspace=10_000),
        restricted(body, some, "a body"),
        restricted(body, list(range(150)), "a body"),
        restricted(rig, [599, 0, 0, 3], "blendshapes"),
        restricted(small, [1], "blendshapes in 16 bits"),
    ]
