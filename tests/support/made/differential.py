"""Small random differential models, and what they are in slow NumPy."""

from __future__ import annotations

import itertools
import json

import numpy as np

import rigcast as rc
from rigcast import _core
from tests.differential.anchored import dense_laplacian, dense_solve, two_shields
from tests.rig.base_shapes import slow_base
from tests.support.made.models import chain_skeleton, metadata

ANCHORS = np.int32([3, 40, 77, 140, 160])
OFFSETS = np.int32([0, 1, 3, 4, 5])  # four networks, the second gives two anchors


def random_differential_tensors(
    joints: int = 3,
    numeric: int = 4,
    components: int = 6,
    hidden: tuple[int, ...] = (70, 33),
    anchor_hidden: int = 17,
    seed: int = 0,
    **entries: object,
) -> tuple[dict[str, np.ndarray], str]:
    """Tensors and metadata; the third anchor network has no inputs. Without joints, transforms are the identity."""
    rng = np.random.default_rng(seed)
    points, faces = two_shields()
    count, width = len(points), 12 * joints + numeric
    skeleton = chain_skeleton(joints, seed) if joints else None
    tensors: dict[str, np.ndarray] = {
        "rest_vertices": points,
        "faces": faces,
        "control_ranges": np.tile(np.float32([-1, 1]), (width, 1)),
        "inputs.column": rng.permutation(width)[: width // 2 + 1],
        "delta.basis": 0.2 * rng.standard_normal((3 * count, components)),
        "delta.mean": 0.1 * rng.standard_normal(3 * count),
        "anchors.vertex": ANCHORS,
        "anchors.weight": 0.5 + rng.random(len(ANCHORS)),
        "anchors.offset": OFFSETS,
    }
    if skeleton is not None:
        weight = rng.random((count, 2))
        tensors |= {
            "skeleton.parents": skeleton.parents,
            "skeleton.rest": skeleton.rest,
            "skin.joint": rng.integers(0, joints, (count, 2)),
            "skin.weight": weight / weight.sum(axis=1, keepdims=True),
        }
    widths = [len(tensors["inputs.column"]), *hidden, components]
    for i, (a, b) in enumerate(itertools.pairwise(widths), 1):
        tensors[f"network.layer{i}.weight"] = 0.5 * rng.standard_normal((b, a)) / np.sqrt(a)
        tensors[f"network.layer{i}.bias"] = far_from_kinks(rng, b)
    columns = [rng.integers(0, width, n) for n in (3, 5, 0, 2)]
    h, s = anchor_hidden, len(columns)
    tensors |= {
        "anchors.input.offset": np.cumsum([0, *map(len, columns)]),
        "anchors.column": np.concatenate(columns),
        "anchors.layer1.weight": 0.3 * rng.standard_normal((10, h)),
        "anchors.layer1.bias": far_from_kinks(rng, s, h),
        "anchors.layer2.weight": 0.3 * rng.standard_normal((s, h, h)) / np.sqrt(h),
        "anchors.layer2.bias": far_from_kinks(rng, s, h),
        "anchors.layer3.weight": rng.standard_normal((3 * len(ANCHORS), h)) / np.sqrt(h),
        "anchors.layer3.bias": 0.3 * rng.standard_normal(3 * len(ANCHORS)),
    }
    arrays = {name: np.asarray(value) for name, value in tensors.items()}
    tensors = {k: v.astype(np.int32 if v.dtype.kind == "i" else np.float32) for k, v in arrays.items()}
    dials = [f"dial{i}" for i in range(numeric)]
    about = {"laplacian": "D - A", "transforms": "source" if joints else "identity", **entries}
    if skeleton is not None:
        return tensors, metadata("differential", skeleton, dials, **about)
    text = json.loads(metadata("differential", chain_skeleton(1), dials, **about))
    return tensors, json.dumps(text | {"joint_names": []})


def far_from_kinks(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Biases that keep units of relu on one side at ordinary poses."""
    return rng.choice([-6.0, 6.0], shape) + 0.3 * rng.standard_normal(shape)


def random_differential(**sizes: object) -> rc.Deformer:
    """A random differential model; arguments as in `random_differential_tensors`."""
    return _core.model_from_tensors(*random_differential_tensors(**sizes))


def slow_differential(tensors: dict[str, np.ndarray], poses: np.ndarray) -> np.ndarray:
    """Vertices (T, V, 3): networks, dense least squares, blended transforms, in float64."""
    t = {name: value.astype(np.float64) if value.dtype.kind == "f" else value for name, value in tensors.items()}
    count = len(t["rest_vertices"])
    x = poses[:, t["inputs.column"]].astype(np.float64)
    layer = 1
    while f"network.layer{layer}.weight" in t:
        x = x @ t[f"network.layer{layer}.weight"].T + t[f"network.layer{layer}.bias"]
        layer += 1
        x = np.maximum(x, 0.0) if f"network.layer{layer}.weight" in t else x
    delta = (x @ t["delta.basis"].T + t["delta.mean"]).reshape(-1, count, 3)
    positions = []
    for s in range(len(t["anchors.offset"]) - 1):
        used = slice(*t["anchors.input.offset"][s : s + 2])
        y = poses[:, t["anchors.column"][used]] @ t["anchors.layer1.weight"][used] + t["anchors.layer1.bias"][s]
        y = np.maximum(y, 0.0) @ t["anchors.layer2.weight"][s].T + t["anchors.layer2.bias"][s]
        rows = slice(*(3 * t["anchors.offset"][s : s + 2]))
        positions.append(np.maximum(y, 0.0) @ t["anchors.layer3.weight"][rows].T + t["anchors.layer3.bias"][rows])
    a = np.concatenate(positions, axis=1).reshape(len(poses), -1, 3)
    laplacian = dense_laplacian(t["faces"], count)
    points = t["rest_vertices"] + dense_solve(laplacian, t["anchors.vertex"], t["anchors.weight"], delta, a)
    if "base.constant" in t:
        points = points + slow_base(t, poses)
    if "skin.joint" not in t:
        return points
    names = [f"joint{i}" for i in range(len(t["skeleton.parents"]))]
    skeleton = rc.Skeleton(names, t["skeleton.parents"], t["skeleton.rest"])
    square = np.zeros((len(t["skeleton.parents"]), 4, 4))
    square[:, :3], square[:, 3, 3] = skeleton.rest_globals, 1.0
    moved = np.zeros((len(poses), len(square), 4, 4))
    moved[:, :, :3], moved[:, :, 3, 3] = skeleton.globals(poses), 1.0
    matrix = (moved @ np.linalg.inv(square))[:, t["skin.joint"]]
    blended = (matrix * t["skin.weight"][None, :, :, None, None]).sum(axis=2)
    return np.einsum("tvab,tvb->tva", blended[..., :3, :3], points) + blended[..., :3, 3]
