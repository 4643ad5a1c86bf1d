"""Small random models of kind ``face_maps``, and the slow formula."""

from __future__ import annotations

import itertools

import numpy as np

import rigcast as rc
from rigcast import _core
from tests.rig.base_shapes import slow_base
from tests.support.made.models import metadata

Tensors = dict[str, np.ndarray]
CONTROLS = 9
SLOPE = 0.2


def _layers(rng: np.random.Generator, widths: list[int], base: int, channels: list[int]) -> Tensors:
    """The layers of a segment: `widths` of the inputs and dense layers, the last one's of the coefficients of a basis
    if there are no channels; else `channels` of the base map, then of each convolution."""
    if channels:
        widths = [*widths, channels[0] * base * base]
    shapes: dict[str, tuple[int, ...]] = {
        f"dense{layer}": (after, before) for layer, (before, after) in enumerate(itertools.pairwise(widths), 1)
    }
    for layer, (before, after) in enumerate(itertools.pairwise(channels), 1):
        shapes[f"conv{layer}"] = (after, before, 3, 3)
    layers = {}
    last = {"output": (3, channels[-1])} if channels else {"basis": (3 * base * base, widths[-1])}
    for name, shape in (shapes | last).items():
        layers[f"{name}.weight"] = 1.3 * rng.standard_normal(shape) / np.sqrt(np.prod(shape[1:]))
        layers[f"{name}.bias"] = 0.3 * rng.standard_normal(shape[0])
    return layers


def random_face_maps_tensors(
    num_vertices: int = 60,
    coarse: int = 2,
    refinements: int = 2,
    parts: int = 1,
    base: int = 4,
    doublings: int = 1,
    channels: int = 5,
    base_channels: int = 3,
    hidden: int = 12,
    hidden_layers: int = 1,
    components: int = 0,
    share: float = 0.3,
    blended: bool = False,
    seed: int = 0,
) -> tuple[Tensors, str]:
    """Tensors and metadata of a random model of kind ``face_maps`` with nine numeric controls.

    The last three vertices lie in no segment; each part takes four vertices before them. Coarse segments share the
    other vertices (if blended, each has some of the others', too); a share lies in each refinement segment, whose maps
    are twice as large. With two coarse segments or more, the second has no inputs. With `components`, maps of base x
    base texels, twice as many in refinements, are combinations of a basis, and there are no convolutions.
    """
    rng = np.random.default_rng(seed)
    moved = num_vertices - 3 - 4 * parts
    owner = rng.integers(0, max(coarse, 1), moved)
    owner[:coarse] = np.arange(coarse)
    members = [np.flatnonzero(owner == s) for s in range(coarse)]
    if blended:
        members = [np.union1d(own, rng.integers(0, moved, 12)) for own in members]
    for _ in range(refinements):
        members.append(np.flatnonzero(rng.random(moved) < share))
        members[-1] = members[-1] if len(members[-1]) else np.array([0])
    columns, tensors = [], _character(num_vertices, rng)
    for s, own in enumerate(members):
        inputs = 0 if coarse >= 2 and s == 1 else int(rng.integers(1, CONTROLS))
        columns.append(rng.permutation(CONTROLS)[:inputs])
        if not inputs or not len(own):
            columns[-1] = columns[-1][:0]
            continue
        widths, drawn = [inputs, *[hidden] * hidden_layers], [base_channels]
        drawn += [channels] * (doublings + (s >= coarse) + 1)
        if components:
            widths, drawn = [*widths, components], []
        side = base << (s >= coarse) if components else base
        for name, value in _layers(rng, widths, side, drawn).items():
            tensors[f"segment.{s:03d}.{name}"] = value
    count = sum(map(len, members))
    weight = rng.random(count)
    drawn_by = np.concatenate([*members[:coarse], np.zeros(0, int)])
    weight[: len(drawn_by)] = 1.0 / np.bincount(drawn_by)[drawn_by]
    uv = rng.random((count, 2))
    uv[::7] = rng.choice([0.0, 1.0], uv[::7].shape)
    tensors |= {
        "segments.level": np.repeat([0, 1], [coarse, refinements]),
        "segments.offset": np.cumsum([0, *map(len, members)]),
        "segments.vertex": np.concatenate([*members, np.zeros(0, int)]),
        "segments.uv": uv,
        "segments.weight": weight,
        "inputs.offset": np.cumsum([0, *map(len, columns)]),
        "inputs.column": np.concatenate([*columns, np.zeros(0, int)]),
        "parts.offset": 4 * np.arange(parts + 1),
        "parts.vertex": moved + np.arange(4 * parts),
        "parts.follower": np.array([rng.permutation(moved)[:5] for _ in range(parts)], int).reshape(parts, 5),
    }
    tensors = {k: v.astype(np.int32 if v.dtype.kind == "i" else np.float32) for k, v in tensors.items()}
    names = [f"dial{i}" for i in range(CONTROLS)]
    return tensors, metadata("face_maps", _NoSkeleton, names)


class _NoSkeleton:
    names: tuple[str, ...] = ()


def _character(num_vertices: int, rng: np.random.Generator) -> Tensors:
    faces = np.stack([rng.permutation(num_vertices)[:4] for _ in range(num_vertices)])
    faces[::3, 3] = -1
    return {
        "rest_vertices": 3 * rng.standard_normal((num_vertices, 3)),
        "faces": faces,
        "control_ranges": np.tile([-1.0, 1.0], (CONTROLS, 1)),
    }


def random_face_maps(**sizes: float) -> rc.Deformer:
    """A random model of kind ``face_maps``; sizes as in `random_face_maps_tensors`."""
    return _core.model_from_tensors(*random_face_maps_tensors(**sizes))


def random_face_poses(frames: int, seed: int = 0) -> np.ndarray:
    """(frames, 9) random poses of such a model."""
    return np.random.default_rng(seed).standard_normal((frames, CONTROLS)).astype(np.float32)


def leaky(x: np.ndarray) -> np.ndarray:
    return np.where(x > 0, x, SLOPE * x)


def smooth_leaky(x: np.ndarray) -> np.ndarray:
    """A parabola between -1 and 1 that meets both lines of the leaky ReLU with their slopes."""
    return np.where(np.abs(x) < 1, SLOPE * x + (1 - SLOPE) * (x + 1) ** 2 / 4, leaky(x))


def slow_convolution(x: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """Cross-correlation of a map (C, R, R) with 3 x 3 weights, zeros around it."""
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1)))
    side = x.shape[1]
    result = np.tile(bias[:, None, None], (1, side, side))
    for row in range(3):
        for column in range(3):
            result += np.einsum(
                "oi,ijk->ojk", weight[:, :, row, column], padded[:, row : row + side, column : column + side]
            )
    return result


def slow_map(own: Tensors, x: np.ndarray) -> np.ndarray:
    """The map (3, R, R) that a segment's layers draw from its inputs."""
    dense = [name for name in sorted(own) if name.startswith("dense") and name.endswith(".weight")]
    for name in dense:
        x = own[name] @ x + own[name.replace("weight", "bias")]
        bent = smooth_leaky if "basis.weight" in own else leaky
        x = x if name == dense[-1] else bent(x)
    if "basis.weight" in own:
        x = own["basis.weight"] @ x + own["basis.bias"]
        return x.reshape(3, round(np.sqrt(len(x) / 3)), -1)
    layers = sum(name.endswith(".weight") and name.startswith("conv") for name in own)
    channels = own["conv1.weight"].shape[1]
    side = round(np.sqrt(len(x) / channels))
    x = x.reshape(channels, side, side)
    for layer in range(1, layers + 1):
        if layer < layers:
            x = x.repeat(2, axis=1).repeat(2, axis=2)
        x = leaky(slow_convolution(x, own[f"conv{layer}.weight"], own[f"conv{layer}.bias"]))
    return np.einsum("oi,ijk->ojk", own["output.weight"], x) + own["output.bias"][:, None, None]


def slow_sample(drawn: np.ndarray, uv: np.ndarray) -> np.ndarray:
    """(3,) bilinear between the centers of texels (i, j), column and row, at uv (i, j) / (R - 1)."""
    last = drawn.shape[1] - 1
    i, j = (int(min(x * last, last - 1)) for x in uv)
    a, b = uv[0] * last - i, uv[1] * last - j
    top = (1 - a) * drawn[:, j, i] + a * drawn[:, j, i + 1]
    bottom = (1 - a) * drawn[:, j + 1, i] + a * drawn[:, j + 1, i + 1]
    return (1 - b) * top + b * bottom


def rotation_by_kabsch(rest: np.ndarray, posed: np.ndarray, *, may_mirror: bool = False) -> np.ndarray:
    """The rotation that takes centered points to others best; `may_mirror`: without the determinant's correction."""
    u, _, v = np.linalg.svd((posed - posed.mean(axis=0)).T @ (rest - rest.mean(axis=0)))
    mirror = 1.0 if may_mirror else np.sign(np.linalg.det(u @ v))
    return u @ np.diag([1.0, 1.0, mirror]) @ v


def slow_face_maps(model: rc.Deformer, pose: np.ndarray, detail: np.ndarray | None = None) -> np.ndarray:
    """Vertices (V, 3) of one pose, segment by segment, from the formula of the engine's header."""
    tensors = model.tensors()
    vertices = model.rest_vertices.astype(np.float64)
    if "base.constant" in tensors:
        vertices += slow_base(tensors, pose[None])[0]
    refinement = 0
    for s, level in enumerate(tensors["segments.level"]):
        factor = 1.0
        if level == 1:
            factor = 1.0 if detail is None else float(detail[refinement])
            refinement += 1
        own = {k[12:]: v.astype(np.float64) for k, v in tensors.items() if k.startswith(f"segment.{s:03d}.")}
        if not own:
            continue
        column = tensors["inputs.column"][slice(*tensors["inputs.offset"][s : s + 2])]
        drawn = slow_map(own, pose[column].astype(np.float64))
        for m in range(*tensors["segments.offset"][s : s + 2]):
            offset = slow_sample(drawn, tensors["segments.uv"][m].astype(np.float64))
            vertices[tensors["segments.vertex"][m]] += factor * float(tensors["segments.weight"][m]) * offset
    rest = model.rest_vertices.astype(np.float64)
    for p, follower in enumerate(tensors["parts.follower"]):
        part = tensors["parts.vertex"][slice(*tensors["parts.offset"][p : p + 2])]
        turn = rotation_by_kabsch(rest[follower], vertices[follower])
        vertices[part] = (rest[part] - rest[follower].mean(axis=0)) @ turn.T + vertices[follower].mean(axis=0)
    return vertices
