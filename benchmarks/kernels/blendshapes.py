"""A blendshape rig of the size of a production face."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable

import numpy as np
from tests.support.made import blendshapes

import rigcast as rc
from benchmarks.kernels.calls import evaluated, pulled_back, pushed_forward
from benchmarks.kernels.register import Setup, kernel

VERTICES, SHAPES, REACH = 20_000, 60, 0.1
HEADS = 100


@functools.cache
def face(num_vertices: int, storage: str) -> rc.BlendshapeRig:
    """A random rig."""
    return blendshapes.random_rig(num_vertices=num_vertices, num_shapes=SHAPES, reach=REACH, storage=storage)


def heads(setup: Setup, count: int, storage: str = "float32") -> tuple[rc.BlendshapeRig, np.ndarray, np.ndarray]:
    """A rig, weights (T, K) and an array for their vertices."""
    rig = face(setup.size(VERTICES), storage)
    return rig, blendshapes.random_weights(rig, count), np.ones((count, *rig.rest_vertices.shape), np.float32)


@kernel
def blendshapes_one_head(setup: Setup) -> Callable[[], object]:
    return evaluated(setup, heads(setup, 1))


@kernel
def blendshapes_batch(setup: Setup) -> Callable[[], object]:
    return evaluated(setup, heads(setup, setup.size(HEADS)))


@kernel
def blendshapes_batch_int16(setup: Setup) -> Callable[[], object]:
    return evaluated(setup, heads(setup, setup.size(HEADS), "int16"))


@kernel
def blendshapes_prefix(setup: Setup) -> Callable[[], object]:
    return evaluated(setup, heads(setup, setup.size(HEADS)), prefix=SHAPES // 4)


@kernel
def blendshapes_vjp(setup: Setup) -> Callable[[], object]:
    return pulled_back(setup, heads(setup, 1))


@kernel
def blendshapes_jvp(setup: Setup) -> Callable[[], object]:
    return pushed_forward(setup, heads(setup, 1))


@kernel
def blendshapes_session_one_weight(setup: Setup) -> Callable[[], object]:
    """Every other head has another first weight."""
    rig, weights, out = heads(setup, 1)
    session, turns = rig.session(), itertools.cycle([weights[0], weights[0] + np.eye(SHAPES, dtype=np.float32)[0]])
    return lambda: session.evaluate(next(turns), out[0])
