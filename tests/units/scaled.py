"""Rigs and samples in other units of length.

Float32 ends at 1e-38, so that faint tails of shapes vanish in small units; the face here has none.
"""

from __future__ import annotations

from functools import cache

import numpy as np

import rigcast as rc
from tests.support.characters.cylinder import CylinderRig
from tests.support.characters.mapped_face import MappedFace
from tests.support.characters.second_face import first_face, second_neutral

FAINTEST = 1e-12
OTHER = second_neutral()
CYLINDER = CylinderRig(rings=10, sides=6)


def without_tails(rig):
    columns = np.where(np.abs(rig.columns()) > FAINTEST, rig.columns(), 0.0)
    combinations = list(zip(rig.combinations, columns[rig.num_shapes :], strict=True))
    about = {"names": rig.shape_names, "faces": rig.faces, "bounds": rig.bounds, "metadata": dict(rig.metadata)}
    return rc.BlendshapeRig(rig.rest_vertices, columns[: rig.num_shapes], combinations, **about)


FACE = without_tails(first_face())
RNG = np.random.default_rng(0)
WEIGHTS = RNG.random((16, FACE.num_shapes)) * (RNG.random((16, FACE.num_shapes)) < 0.7)
NOISE = 0.002 * RNG.normal(size=(16, len(FACE.rest_vertices), 3))
OUTLIERS = (RNG.random((16, len(FACE.rest_vertices), 1)) < 0.05) * RNG.normal(0, 2, (16, len(FACE.rest_vertices), 3))


class Scaled:
    """The cylinder in another unit."""

    licence, origin, up_axis, name = CYLINDER.licence, CYLINDER.origin, CYLINDER.up_axis, CYLINDER.name
    joint_names, dial_names, channel_names = CYLINDER.joint_names, CYLINDER.dial_names, CYLINDER.channel_names
    channel_rest, faces = CYLINDER.channel_rest, CYLINDER.faces

    def __init__(self, scale: float) -> None:
        self.scale, self.meters_per_unit = scale, CYLINDER.meters_per_unit / scale
        self.rest_vertices = (scale * CYLINDER.rest_vertices.astype(np.float64)).astype(np.float32)
        self.skeleton = scaled_skeleton(CYLINDER.skeleton, scale)
        self.channel_ranges = CYLINDER.channel_ranges.copy()
        self.channel_ranges[0] *= scale  # the root's translation

    def sample(self, channels):
        rows = np.array(channels, np.float64)
        rows[:, 0] /= self.scale
        poses, vertices = CYLINDER.sample(rows)
        return scaled_poses(poses, len(self.joint_names), self.scale), (vertices * self.scale).astype(np.float32)


class ScaledFace(MappedFace):
    """A face for deformation maps in another unit."""

    def __init__(self, scale: float) -> None:
        super().__init__()
        self.scale, self.plain, self.meters_per_unit = scale, self.rest_vertices, 1.0 / scale
        self.rest_vertices = (scale * self.plain.astype(np.float64)).astype(np.float32)

    def sample(self, channels):
        mine, self.rest_vertices = self.rest_vertices, self.plain
        poses, vertices = super().sample(channels)
        self.rest_vertices = mine
        return poses, (self.scale * vertices.astype(np.float64)).astype(np.float32)


def scaled_poses(poses, joints, scale):
    result = np.array(poses, np.float64)
    result[:, : 12 * joints].reshape(len(result), joints, 3, 4)[..., 3] *= scale
    return result.astype(np.float32)


def scaled_skeleton(skeleton, scale):
    rest = np.array(skeleton.rest, np.float64)
    rest[..., 3] *= scale
    return rc.Skeleton(skeleton.names, skeleton.parents, rest)


@cache
def face(scale):
    combinations = [
        (drivers, scale * column)
        for drivers, column in zip(FACE.combinations, FACE.columns()[FACE.num_shapes :], strict=True)
    ]
    about = dict(FACE.metadata) | {"meters_per_unit": 0.01 / scale}
    shapes = scale * FACE.columns()[: FACE.num_shapes].astype(np.float64)
    rest = scale * FACE.rest_vertices.astype(np.float64)
    return rc.BlendshapeRig(
        rest, shapes, combinations, names=FACE.shape_names, faces=FACE.faces, bounds=FACE.bounds, metadata=about
    )


@cache
def samples(scale):
    rig = Scaled(scale)
    rows = np.random.default_rng(1).uniform(*rig.channel_ranges.T, (60, len(rig.channel_names)))
    poses, vertices = rig.sample(rows)
    return rc.baselines.Samples(rig.skeleton, rig.rest_vertices, rig.faces, poses, vertices)


def error(model, scale):
    """Root mean square error of a model of the samples, in the cylinder's own unit."""
    mine = samples(scale)
    return rc.metrics.vertex_error(mine.vertices, model.evaluate(mine.poses)).rms / scale


def shapes(scale):
    return rc.transfer.positions_from_rig(face(scale))
