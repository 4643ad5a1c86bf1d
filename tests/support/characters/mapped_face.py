"""A small face for deformation maps: two connected sheets, a rigid tooth, dials with a product; clips; slow maps."""

from __future__ import annotations

import numpy as np

import rigcast as rc
from rigcast.sampling import Animation, Clip
from rigcast.sources import Surface
from tests.support.made.face_maps import smooth_leaky

SIDE = 13  # vertices along an edge of the face
HEIGHT = 0.2  # of the box of the face, in meters


def grid(rows, columns):
    index = np.arange(rows * columns).reshape(rows, columns)
    corners = [index[:-1, :-1], index[:-1, 1:], index[1:, 1:], index[1:, :-1]]
    return np.stack([corner.ravel() for corner in corners], axis=1)


class MappedFace:
    """A square face of two materials that share a row of vertices, and a tooth that turns with the jaw.

    The dial ``idle`` moves nothing. ``smile`` and ``frown`` act together by their product.
    """

    name = "mapped face"
    meters_per_unit = 1.0
    up_axis = "Y"
    licence = "CC0-1.0"
    origin = "an analytic test rig"
    skeleton = None

    def __init__(self) -> None:
        v, u = np.meshgrid(np.linspace(0, 1, SIDE), np.linspace(0, 1, SIDE), indexing="ij")
        sheet = np.stack([u, v, 0.2 * np.sin(3 * u) * v], axis=2).reshape(-1, 3)
        tooth = np.array([[x, y, z] for x in (0.45, 0.55) for y in (0.2, 0.3) for z in (0.1, 0.15)])
        self.sheet = SIDE * SIDE
        self.rest_vertices = (HEIGHT * np.concatenate([sheet, tooth])).astype(np.float32)
        box = np.array([[0, 2, 6, 4], [1, 5, 7, 3], [0, 4, 5, 1], [2, 3, 7, 6]])
        sheets = grid(SIDE, SIDE)
        self.faces = np.concatenate([sheets, self.sheet + box]).astype(np.int32)
        upper = sheets.min(axis=1) >= SIDE * (SIDE // 2)
        materials = np.concatenate([np.where(upper, 0, 1), np.full(4, 2)])
        uvs = np.concatenate([np.stack([u, v], axis=2).reshape(-1, 2), [1.1, 0.1] + 0.8 * tooth[:, :2]])
        self.surface = Surface([], [], ["brow", "mouth", "tooth"], materials, uvs.astype(np.float32), self.faces)
        self.dial_names = ["raise", "smile", "frown", "jaw", "idle"]
        self.channel_names = list(self.dial_names)
        self.channel_ranges = np.tile([0.0, 1.0], (len(self.dial_names), 1))

    def sample(self, channels):
        """The dials (T, 5) and vertices (T, V, 3)."""
        rows = np.asarray(channels, np.float64)
        high, smile, frown, jaw, _ = rows.T[:, :, None]
        rest = self.rest_vertices.astype(np.float64) / HEIGHT
        x, y = rest[:, 0], rest[:, 1]
        moved = np.tile(rest, (len(rows), 1, 1))
        skin = np.arange(len(rest)) < self.sheet
        moved[:, :, 1] += 0.1 * high * np.maximum(y - 0.6, 0.0) * np.sin(4 * x) * skin
        moved[:, :, 0] += 0.2 * (smile - 0.5 * smile * frown) * np.exp(-8 * (y - 0.3) ** 2) * (x - 0.5) * skin
        moved[:, :, 1] += 0.1 * frown * np.exp(-10 * ((x - 0.5) ** 2 + (y - 0.3) ** 2)) * skin
        angle = 0.5 * jaw * np.where(skin, np.exp(-6 * (y - 0.1) ** 2), 1.0)
        arm = moved[:, :, 1:] - np.array([0.8, 0.0])
        moved[:, :, 1] = 0.8 + np.cos(angle) * arm[..., 0] - np.sin(angle) * arm[..., 1]
        moved[:, :, 2] = np.sin(angle) * arm[..., 0] + np.cos(angle) * arm[..., 1]
        return rows.astype(np.float32), (HEIGHT * moved).astype(np.float32)


def clips_of(frames=60, count=4, seed=0):
    """Smooth curves of the dials as an animation of named clips."""
    rng = np.random.default_rng(seed)
    time = np.arange(frames)[:, None] / frames
    rows = [0.5 + 0.5 * np.sin(2 * np.pi * (time * rng.integers(1, 4, 5) + rng.random(5))) for _ in range(count)]
    clips = [Clip(f"take {number + 1}", 30.0) for number in range(count)]
    return Animation(np.concatenate(rows), 0.0, clips, np.repeat(np.arange(count), frames))


def clip_data(folder, frames=60, count=4):
    """Samples of clips, with the influence probe."""
    return rc.sampling.sample(MappedFace(), folder, frames * count, sampler=clips_of(frames, count), probe=2)


def random_data(folder, count=200, seed=1):
    """Random poses without a probe."""
    return rc.sampling.sample(MappedFace(), folder, count, sampler="uniform", seed=seed, probe=0)


def slow_network(tensors, number, inputs):
    """The map (3, R, R) of one network for raw inputs (n,): nearest-neighbor x 2, one texel at a time; or a basis."""

    def layer(name):
        return [tensors[f"segment.{number:03d}.{name}.{part}"].astype(np.float64) for part in ("weight", "bias")]

    def leaky(x):
        return np.where(x > 0, x, 0.2 * x)

    def correlate(maps, weight, bias):
        padded = np.pad(maps, ((0, 0), (1, 1), (1, 1)))
        rows, columns = maps.shape[1:]
        result = np.empty((len(weight), rows, columns))
        for j in range(rows):
            for i in range(columns):
                result[:, j, i] = (weight * padded[:, j : j + 3, i : i + 3]).sum(axis=(1, 2, 3)) + bias
        return result

    dense = [n for n in range(1, 9) if f"segment.{number:03d}.dense{n}.weight" in tensors]
    maps = inputs
    for n in dense:
        weight, bias = layer(f"dense{n}")
        maps = weight @ maps + bias
        bent = smooth_leaky if f"segment.{number:03d}.basis.weight" in tensors else leaky
        maps = maps if n == dense[-1] else bent(maps)
    if f"segment.{number:03d}.basis.weight" in tensors:
        weight, bias = layer("basis")
        maps = weight @ maps + bias
        return maps.reshape(3, round(np.sqrt(len(maps) / 3)), -1)
    maps = maps.reshape(-1, 8, 8)
    convolutions = sum(f"segment.{number:03d}.conv{n}.weight" in tensors for n in range(1, 9))
    for n in range(1, convolutions + 1):
        if n < convolutions:
            maps = maps.repeat(2, axis=1).repeat(2, axis=2)
        maps = leaky(correlate(maps, *layer(f"conv{n}")))
    weight, bias = layer("output")
    return np.einsum("oc,cji->oji", weight, maps) + bias[:, None, None]


def slow_offsets(tensors, pose, num_vertices):
    """Offsets (V, 3) of all segments of a model's tensors at one pose (C,), one vertex at a time."""
    result = np.zeros((num_vertices, 3))
    starts, inputs = tensors["segments.offset"], tensors["inputs.offset"]
    for number in range(len(tensors["segments.level"])):
        columns = tensors["inputs.column"][inputs[number] : inputs[number + 1]]
        maps = slow_network(tensors, number, pose[columns].astype(np.float64))
        last = maps.shape[1] - 1
        for row in range(starts[number], starts[number + 1]):
            u, v = tensors["segments.uv"][row].astype(np.float64) * last
            i, j = min(int(u), last - 1), min(int(v), last - 1)
            a, b = u - i, v - j
            low = (1 - a) * maps[:, j, i] + a * maps[:, j, i + 1]
            high = (1 - a) * maps[:, j + 1, i] + a * maps[:, j + 1, i + 1]
            result[tensors["segments.vertex"][row]] += tensors["segments.weight"][row] * ((1 - b) * low + b * high)
    return result
