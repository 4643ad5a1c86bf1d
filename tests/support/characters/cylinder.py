"""A small analytic rig: a jointed cylinder, linear skinning, and a bulge beyond linear skinning."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

SEGMENT = 10.0  # length between two joints, scene units
RADIUS = 2.0


class CylinderRig:
    """A cylinder along +y over a chain of joints, in centimeters.

    Channels: the root's translation along x and rotation about y, three rotations in degrees for every other
    joint, and with ``extra_control`` the dial ``flex`` that swells the middle of the first segment. The
    surface is a tube of quads closed by triangle fans. With ``bulge`` the skin swells beside a bent joint,
    quadratically in the bend.

    Parameters
    ----------
    num_joints : int
        Joints of the chain, the root included (at least 1).
    rings, sides : int
        Vertices along and around the tube; V = rings * sides + 2.
    """

    name = "cylinder"
    meters_per_unit = 0.01
    up_axis = "Y"
    licence = "CC0-1.0"
    origin = "an analytic test rig"

    def __init__(
        self,
        num_joints: int = 4,
        rings: int = 24,
        sides: int = 12,
        bulge: bool = True,
        extra_control: bool = True,
    ) -> None:
        from rigcast import Skeleton

        self.bulge = bulge
        self.joint_names = ["root", *(f"joint{j}" for j in range(1, num_joints))]
        rest = np.zeros((num_joints, 3, 4), np.float32)
        rest[:, :, :3] = np.eye(3)
        rest[1:, 1, 3] = SEGMENT
        self.skeleton = Skeleton(self.joint_names, np.arange(-1, num_joints - 1), rest)
        self.dial_names = ["flex"] if extra_control else []
        self.channel_names = [
            "root.tx",
            "root.ry",
            *(f"{name}.{axis}" for name in self.joint_names[1:] for axis in ("rx", "ry", "rz")),
            *self.dial_names,
        ]
        bounds = [(-20, 20), (-90, 90), *[(-80, 80), (-45, 45), (-60, 60)] * (num_joints - 1)]
        self.channel_ranges = np.array(bounds + [(0, 1)] * extra_control, np.float64)
        self.channel_rest = np.zeros(len(self.channel_names))
        self.rest_vertices, self.faces = _tube(num_joints * SEGMENT, rings, sides)
        self.weights = _chain_weights(self.rest_vertices[:, 1], num_joints)  # (V, J)

    def sample(self, channels: ArrayLike) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Poses (T, C) and world-space vertices (T, V, 3) of channel rows (T, N)."""
        rows = np.asarray(channels, np.float64)
        local, flex = self._locals(rows)
        world = np.empty_like(local)
        world[:, 0] = local[:, 0]
        for j in range(1, local.shape[1]):
            world[:, j] = _compose(world[:, j - 1], local[:, j])
        shaped = self._shaped(local, flex)
        vertices = np.zeros_like(shaped)
        for j in range(local.shape[1]):
            in_joint = shaped - np.array([0.0, j * SEGMENT, 0.0])
            moved = np.einsum("tab,tvb->tva", world[:, j, :, :3], in_joint) + world[:, j, None, :, 3]
            vertices += self.weights[:, j, None] * moved
        dials = flex[:, None][:, : len(self.dial_names)]
        poses = np.concatenate([local.reshape(len(rows), -1), dials], axis=1)
        return poses.astype(np.float32), vertices.astype(np.float32)

    def _locals(self, rows: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Parent-relative transforms (T, J, 3, 4) and the dial (T,)."""
        num_joints = len(self.joint_names)
        angles = np.zeros((len(rows), num_joints, 3))
        angles[:, 0, 1] = rows[:, 1]
        angles[:, 1:] = rows[:, 2 : 2 + 3 * (num_joints - 1)].reshape(len(rows), -1, 3)
        local = np.zeros((len(rows), num_joints, 3, 4))
        local[..., :3] = _rotations(np.radians(angles))
        local[:, 0, 0, 3] = rows[:, 0]
        local[:, 1:, 1, 3] = SEGMENT
        flex = rows[:, -1] if self.dial_names else np.zeros(len(rows))
        return local, flex

    def _shaped(self, local: NDArray[np.float64], flex: NDArray[np.float64]) -> NDArray[np.float64]:
        """Rest vertices displaced in rest space (T, V, 3), before skinning."""
        rest = self.rest_vertices.astype(np.float64)
        outward = np.stack([rest[:, 0], np.zeros(len(rest)), rest[:, 2]], axis=1) / RADIUS
        swell = flex[:, None] * np.exp(-(((rest[:, 1] - 0.5 * SEGMENT) / 2.0) ** 2))
        if self.bulge:
            for j in range(1, local.shape[1]):
                near = np.exp(-(((rest[:, 1] - j * SEGMENT) / 2.5) ** 2))
                bend = 1.0 - local[:, j, 1, 1]  # 1 - cos of the angle between the two segments
                inside = np.einsum("va,ta->tv", outward, local[:, j, :, 1])  # 1 where the bend folds the skin
                swell = swell + near * bend[:, None] * (0.5 + inside)
        return rest + swell[:, :, None] * outward


def _tube(length: float, rings: int, sides: int) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    around = 2.0 * np.pi * np.arange(sides) / sides
    circle = np.stack([RADIUS * np.sin(around), np.zeros(sides), RADIUS * np.cos(around)], axis=1)
    heights = np.linspace(0.0, length, rings)
    tube = (circle[None] + heights[:, None, None] * np.array([0.0, 1.0, 0.0])).reshape(-1, 3)
    vertices = np.concatenate([tube, [[0.0, 0.0, 0.0], [0.0, length, 0.0]]])
    bottom, top, last = rings * sides, rings * sides + 1, (rings - 1) * sides
    faces = []
    for side in range(sides):
        after = (side + 1) % sides
        faces.append((bottom, after, side, -1))
        faces.append((top, last + side, last + after, -1))
        for ring in range(rings - 1):
            low, high = ring * sides, (ring + 1) * sides
            faces.append((low + side, low + after, high + after, high + side))
    return vertices.astype(np.float32), np.array(faces, np.int32)


def _chain_weights(height: NDArray[np.floating], num_joints: int) -> NDArray[np.float64]:
    """Smooth weights (V, J), sum 1: joint j takes over within a quarter of a segment around its height."""
    reach = [np.ones(len(height))]
    for j in range(1, num_joints):
        x = np.clip((height - j * SEGMENT) / (0.5 * SEGMENT) + 0.5, 0.0, 1.0)
        reach.append(x * x * (3.0 - 2.0 * x))
    reach.append(np.zeros(len(height)))
    return np.stack([reach[j] - reach[j + 1] for j in range(num_joints)], axis=1)


def _rotations(angles: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rz Ry Rx of angles (..., 3) in radians."""
    (cx, cy, cz), (sx, sy, sz) = np.moveaxis(np.cos(angles), -1, 0), np.moveaxis(np.sin(angles), -1, 0)
    rows = [
        [cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx],
        [sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx],
        [-sy, cy * sx, cy * cx],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def _compose(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Product of 3x4 affine transforms (T, 3, 4)."""
    product = np.einsum("tab,tbc->tac", a[..., :3], b)
    product[..., 3] += a[..., 3]
    return product
