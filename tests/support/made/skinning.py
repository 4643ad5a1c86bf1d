"""Characters with skin weights, and a check of derivatives."""

from __future__ import annotations

import numpy as np

import rigcast as rc
from tests.support.made.models import chain_skeleton


def skinned(make, num_joints=5, num_vertices=40, influences=3, seed=0, **more):
    """A random character for a constructor of rigcast._skinning."""
    rng = np.random.default_rng(seed)
    faces = np.stack([rng.permutation(num_vertices)[:4] for _ in range(num_vertices)])
    faces[::3, 3] = -1
    joints = np.stack([rng.permutation(num_joints)[:influences] for _ in range(num_vertices)])
    weights = rng.dirichlet(np.ones(influences), num_vertices)
    return make(
        chain_skeleton(num_joints, seed), rng.standard_normal((num_vertices, 3)), faces, (joints, weights), **more
    )


def tube(rings=13, sides=8):
    """A skeleton of three joints up the y axis, and a tube of quads with weights that run from one to the next."""
    rest = np.tile(np.eye(3, 4, dtype=np.float32), (3, 1, 1))
    rest[1:, 1, 3] = 1.0
    skeleton = rc.Skeleton(["a", "b", "c"], [-1, 0, 1], rest)
    height, around = np.meshgrid(np.linspace(0, 2, rings), 2 * np.pi * np.arange(sides) / sides, indexing="ij")
    vertices = np.stack([0.3 * np.sin(around), height, 0.3 * np.cos(around)], axis=-1).reshape(-1, 3)
    weights = np.maximum(1 - np.abs(vertices[:, 1:2] - np.arange(3)), 0)
    index = np.arange(rings * sides).reshape(rings, sides)
    after = np.roll(index, -1, axis=1)
    faces = np.stack([index[:-1], after[:-1], after[1:], index[1:]], axis=-1).reshape(-1, 4)
    return skeleton, vertices.astype(np.float32), faces, weights


def bumpy_tube(make=rc.DeltaMush, loose=0, **more):
    """A tube with uneven radius, and loose vertices beside it."""
    skeleton, rest, faces, weights = tube()
    rng = np.random.default_rng(0)
    rest = rest * (1 + 0.1 * rng.standard_normal((len(rest), 1)) * [1, 0, 1])
    rest = np.concatenate([rest, rng.standard_normal((loose, 3))])
    weights = np.concatenate([weights, np.tile([0.5, 0.25, 0.25], (loose, 1))])
    return make(skeleton, rest, faces, weights, **more)


def bent(model, degrees=50):
    """(3, C) poses of a tube that turn both upper joints."""
    poses = np.tile(model.skeleton.rest.reshape(1, -1), (3, 1))
    for t, angle in enumerate(np.radians([0.3 * degrees, degrees, -degrees])):
        turn = np.array([[1, 0, 0], [0, np.cos(angle), -np.sin(angle)], [0, np.sin(angle), np.cos(angle)]])
        for joint in (1, 2):
            poses[t, 12 * joint : 12 * joint + 12].reshape(3, 4)[:, :3] = turn
    return poses


def check_vjp(model, poses, tolerance, step=5e-3):
    """The gradient against central differences of the float32 evaluation, every column."""
    shape = (len(poses), len(model.rest_vertices), 3)
    cotangents = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    gradient = model.vjp(poses, cotangents)
    expected = np.empty_like(gradient)
    for column in range(poses.shape[1]):
        ahead, behind = poses.copy(), poses.copy()
        ahead[:, column] += step
        behind[:, column] -= step
        change = model.evaluate(ahead).astype(np.float64) - model.evaluate(behind)
        width = ahead[:, column].astype(np.float64) - behind[:, column]
        expected[:, column] = (change * cotangents).sum(axis=(1, 2)) / width
    scale = np.abs(expected).max()
    np.testing.assert_allclose(gradient / scale, expected / scale, atol=tolerance["finite_difference"])
