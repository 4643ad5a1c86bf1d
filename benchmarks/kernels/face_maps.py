"""A face on deformation maps of the paper's size, and what prepares texture coordinates for maps."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
from tests.differential import anchored
from tests.training import laid_face

from benchmarks.kernels.calls import evaluated, pulled_back, pushed_forward
from benchmarks.kernels.register import Setup, kernel
from benchmarks.systems.face_maps import paper_size
from rigcast import _core

POSES = 8
SIDE = 40  # vertices along an edge of the sheet to lay out
RESOLUTION, FIELDS = 32, 4


@functools.cache
def drawn() -> Any:
    """A random face."""
    return paper_size.face(charts=True)


def posed(frames: int) -> tuple[Any, np.ndarray, np.ndarray]:
    """A model, poses (T, C) and an array for their vertices."""
    model = drawn()
    poses = np.random.default_rng(0).random((frames, len(model.control_names)), np.float32)
    return model, poses, np.ones((frames, *model.rest_vertices.shape), np.float32)


def sheet(setup: Setup) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Texture coordinates, rest, faces and offsets (1, V, 3) of a sheet that opens along its middle."""
    points, quads = laid_face.sheet(setup.size(SIDE, least=8))
    offsets = np.zeros((1, *points.shape))
    offsets[0, :, 1] = np.where(points[:, 1] < 50.0, -10.0, 0.0)
    return points[:, :2] / 100.0, points, quads, offsets


@kernel
def face_maps_one_pose(setup: Setup) -> Callable[[], object]:
    return evaluated(setup, posed(1))


@kernel
def face_maps_batch(setup: Setup) -> Callable[[], object]:
    return evaluated(setup, posed(setup.size(POSES)))


@kernel
def face_maps_coarse_only(setup: Setup) -> Callable[[], object]:
    model, poses, out = posed(1)
    none = np.zeros(model.num_refinements)
    return lambda: model.evaluate_detail(poses, none, threads=setup.threads, out=out)


@kernel
def face_maps_vjp(setup: Setup) -> Callable[[], object]:
    return pulled_back(setup, posed(1))


@kernel
def face_maps_jvp(setup: Setup) -> Callable[[], object]:
    return pushed_forward(setup, posed(1))


@kernel
def face_maps_session_one_control(setup: Setup) -> Callable[[], object]:
    """Every other pose has another first control."""
    model, poses, out = posed(2)
    poses[1, 1:] = poses[0, 1:]
    session, turns = model.session(), itertools.cycle(poses)
    return lambda: session.evaluate(next(turns), out[0])


@kernel
def face_maps_mend_uvs(setup: Setup) -> Callable[[], object]:
    case = sheet(setup)
    return lambda: _core.mend_uvs(*case, RESOLUTION, FIELDS, threads=setup.threads)


@kernel
def face_maps_floor(setup: Setup) -> Callable[[], object]:
    uvs, _, _, offsets = sheet(setup)
    return lambda: _core.map_floor(uvs, offsets, RESOLUTION, threads=setup.threads)


@kernel
def face_maps_charts(setup: Setup) -> Callable[[], object]:
    points, faces = anchored.shield(setup.size(SIDE // 2), SIDE)
    return lambda: _core.chart_uvs(points, faces)
