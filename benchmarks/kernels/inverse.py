"""The inverse rig on a constructed face of the published size."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

import rigcast as rc
from benchmarks.kernels.register import Setup, kernel
from benchmarks.systems.inverse.scenes import constructed_rig, smooth_curves
from rigcast import _core

VERTICES, SHAPES, PAIRS = 4000, 130, 300
FRAMES = 40
MM_STEPS = 30
ALPHA, SMOOTHNESS, NOISE = 0.01, 1.0, 0.01


@functools.cache
def scene(vertices: int, frames: int) -> tuple[rc.BlendshapeRig, np.ndarray]:
    """A rig and targets (T, V, 3) with noise."""
    rig = constructed_rig(vertices, SHAPES, PAIRS, seed=0)
    targets = rig.evaluate(smooth_curves(frames, SHAPES, seed=1))
    return rig, targets + np.float32(NOISE) * np.random.default_rng(0).standard_normal(targets.shape, np.float32)


@kernel
def inverse_gram(setup: Setup) -> Callable[[], object]:
    rig, _ = scene(setup.size(VERTICES, least=SHAPES), 1)
    every, ones = np.arange(len(rig.rest_vertices)), np.ones(len(rig.rest_vertices))
    return lambda: _core.InverseGram(rig, every, ones)


@kernel
def inverse_project(setup: Setup) -> Callable[[], object]:
    rig, targets = scene(setup.size(VERTICES, least=SHAPES), setup.size(FRAMES))
    every = np.arange(len(rig.rest_vertices))
    gram = _core.InverseGram(rig, every, np.ones(len(every)))
    return lambda: gram.project(targets, setup.threads)


@kernel
def inverse_frames(setup: Setup) -> Callable[[], object]:
    rig, targets = scene(setup.size(VERTICES, least=SHAPES), setup.size(FRAMES))
    solver = rc.inverse.Solver(rig)
    return lambda: solver.solve(targets, alpha=ALPHA, threads=setup.threads)


@kernel
def inverse_coupled(setup: Setup) -> Callable[[], object]:
    rig, targets = scene(setup.size(VERTICES, least=SHAPES), setup.size(FRAMES))
    solver = rc.inverse.Solver(rig)
    return lambda: solver.solve(targets, alpha=ALPHA, smoothness=SMOOTHNESS, threads=setup.threads)


@kernel
def inverse_majorize_minimize(setup: Setup) -> Callable[[], object]:
    """One frame and some of the hundreds of steps that the method takes."""
    rig, targets = scene(setup.size(VERTICES, least=SHAPES), 1)
    solver = rc.inverse.Solver(rig)
    return lambda: solver.solve(targets, "mm", alpha=ALPHA, max_iterations=MM_STEPS, threads=setup.threads)
