"""A learned body of about the size of the demo's."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
from tests.support.made import models

import rigcast as rc
from benchmarks.kernels.calls import evaluated, pulled_back, pushed_forward
from benchmarks.kernels.register import Setup, kernel

BODY_SIZES: dict[str, Any] = {
    "num_joints": 40,
    "num_vertices": 13000,
    "num_sets": 30,
    "hidden": 128,
    "components": 25,
    "overlap": 0.2,
}
POSES = 64
LANDMARKS = 100  # vertices of the restricted model


@functools.cache
def learned(num_vertices: int) -> rc.Deformer:
    """A random body."""
    return models.random_body(**BODY_SIZES | {"num_vertices": num_vertices})


def body(setup: Setup, frames: int, storage: str = "float32") -> tuple[Any, np.ndarray, np.ndarray]:
    """A model, poses (T, C) in its ranges and an array for their vertices."""
    model: Any = learned(setup.size(BODY_SIZES["num_vertices"], least=200))
    low, high = model.control_ranges.T
    poses = (low + np.random.default_rng(0).random((frames, len(low))) * (high - low)).astype(np.float32)
    out = np.ones((frames, *model.rest_vertices.shape), np.float32)
    return model.stored(storage) if storage != "float32" else model, poses, out


@kernel
def body_one_pose(setup: Setup) -> Callable[[], object]:
    return evaluated(setup, body(setup, 1))


@kernel
def body_batch(setup: Setup) -> Callable[[], object]:
    return evaluated(setup, body(setup, setup.size(POSES)))


@kernel
def body_one_pose_16_bit(setup: Setup) -> Callable[[], object]:
    return evaluated(setup, body(setup, 1, "16-bit"))


@kernel
def body_vjp(setup: Setup) -> Callable[[], object]:
    return pulled_back(setup, body(setup, 1))


@kernel
def body_jvp(setup: Setup) -> Callable[[], object]:
    return pushed_forward(setup, body(setup, 1))


@kernel
def body_session_one_joint(setup: Setup) -> Callable[[], object]:
    """Every other pose has another last joint."""
    model, poses, out = body(setup, 2)
    poses[1, :-12] = poses[0, :-12]
    session, turns = model.session(), itertools.cycle(poses)
    return lambda: session.evaluate(next(turns), out[0])


@kernel
def body_restricted(setup: Setup) -> Callable[[], object]:
    model, poses, out = body(setup, 1)
    part = model.restricted(np.linspace(0, len(out[0]) - 1, LANDMARKS).astype(int))
    return lambda: part.evaluate(poses, threads=setup.threads)


@kernel
def body_restricted_jacobian(setup: Setup) -> Callable[[], object]:
    model, poses, out = body(setup, 1)
    part = model.restricted(np.linspace(0, len(out[0]) - 1, 8).astype(int))
    return lambda: part.jacobian(poses, threads=setup.threads)
