"""Differential models, and reconstruction from delta coordinates."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
from tests.differential import anchored
from tests.support.made.differential import random_differential

import rigcast as rc
from benchmarks.kernels.calls import evaluated, pulled_back, pushed_forward
from benchmarks.kernels.register import Setup, kernel

COMPONENTS, HIDDEN = 200, (1024, 1024, 1024)  # the mesh of the model has 160 vertices
POSES = 64
HALF, ROWS, ANCHORS = 30, 70, 80  # 4,270 vertices
CHOSEN = 4  # anchors, each of which takes an inverse diagonal


@functools.cache
def model() -> rc.Deformer:
    """A random model."""
    return random_differential(components=COMPONENTS, hidden=HIDDEN)


def posed(frames: int) -> tuple[rc.Deformer, np.ndarray, np.ndarray]:
    """A model, poses (T, C) and an array for their vertices."""
    made = model()
    poses = np.random.default_rng(0).random((frames, len(made.control_names)), np.float32)
    return made, poses, np.ones((frames, *made.rest_vertices.shape), np.float32)


def surface(setup: Setup) -> tuple[np.ndarray, int, np.ndarray]:
    """Faces, the number of vertices, and anchors."""
    points, faces = anchored.shield(setup.size(HALF), ROWS)
    return faces, len(points), np.linspace(0, len(points) - 1, ANCHORS).astype(np.int32)


@kernel
def differential_one_pose(setup: Setup) -> Callable[[], object]:
    return evaluated(setup, posed(1))


@kernel
def differential_batch(setup: Setup) -> Callable[[], object]:
    return evaluated(setup, posed(setup.size(POSES)))


@kernel
def differential_vjp(setup: Setup) -> Callable[[], object]:
    return pulled_back(setup, posed(1))


@kernel
def differential_jvp(setup: Setup) -> Callable[[], object]:
    return pushed_forward(setup, posed(1))


@kernel
def differential_factorize(setup: Setup) -> Callable[[], object]:
    mesh = surface(setup)
    return lambda: rc.differential.Reconstructor(*mesh)


@kernel
def differential_reconstruct(setup: Setup) -> Callable[[], object]:
    faces, count, anchors = surface(setup)
    made = rc.differential.Reconstructor(faces, count, anchors)
    delta = np.random.default_rng(0).standard_normal((8, count, 3)).astype(np.float32)
    return lambda: made.solve(delta, delta[:, anchors], threads=setup.threads)


@kernel
def differential_choose_anchors(setup: Setup) -> Callable[[], object]:
    faces, count, _ = surface(setup)
    return lambda: rc.differential.choose_anchors(faces, count, CHOSEN, threads=setup.threads)
