"""Deformation transfer between two shields with bumps as shapes."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from tests.differential.anchored import shield
from tests.support.near_copies import local_shapes

import rigcast as rc
from benchmarks.kernels.register import Setup, kernel

HALF, ROWS, SHAPES = 30, 60, 10  # 3,660 vertices
REACH = 2.0  # of contacts, in edge lengths


class Pair(NamedTuple):
    """Two neutrals (V, 3) of one topology, faces, and shapes (K, V, 3) of the source."""

    source: np.ndarray
    target: np.ndarray
    faces: np.ndarray
    shapes: np.ndarray


def pair(setup: Setup) -> Pair:
    """A shield, and a wider one that is bent."""
    points, faces = shield(setup.size(HALF), ROWS)
    x, y, z = points.T
    target = np.stack([1.2 * x, y + 0.03 * x**2, z + 0.4 * np.sin(0.5 * y)], axis=1).astype(np.float32)
    return Pair(points, target, faces, points + local_shapes(points, SHAPES, np.random.default_rng(0)))


@kernel
def transfer_factorize(setup: Setup) -> Callable[[], object]:
    source, target, faces, _ = pair(setup)
    return lambda: rc.transfer.DeformationTransfer(source, target, faces)


@kernel
def transfer_shapes(setup: Setup) -> Callable[[], object]:
    source, target, faces, shapes = pair(setup)
    made = rc.transfer.DeformationTransfer(source, target, faces)
    return lambda: made.transfer(shapes, threads=setup.threads)


@kernel
def transfer_keep_rest(setup: Setup) -> Callable[[], object]:
    source, target, faces, shapes = pair(setup)
    made = rc.transfer.DeformationTransfer(source, target, faces)
    return lambda: made.transfer_keep_rest(shapes, threads=setup.threads)


@kernel
def transfer_with_examples(setup: Setup) -> Callable[[], object]:
    source, target, faces, shapes = pair(setup)
    made = rc.transfer.DeformationTransfer(source, target, faces)
    examples, weights = made.transfer(shapes[:3]), np.eye(SHAPES)[:3]
    return lambda: made.transfer_with_examples(shapes, examples, weights, 0.5, threads=setup.threads)


@kernel
def transfer_find_contacts(setup: Setup) -> Callable[[], object]:
    source, _, faces, shapes = pair(setup)
    return lambda: rc.transfer.find_contacts(source, shapes, faces, reach=REACH, threads=setup.threads)
