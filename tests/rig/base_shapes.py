"""Random base shapes under models, and their slow formula."""

from __future__ import annotations

import numpy as np

import rigcast as rc
from rigcast import _core

Tensors = dict[str, np.ndarray]
COLUMNS = ("group.offset", "group.vertex", "group.columns", "delta")


def with_base(tensors: Tensors, text: str, seed: int = 0, products: int = 5) -> tuple[Tensors, str]:
    """A model with a random base: most features move some points, some move none; squares and positive parts, too."""
    rng = np.random.default_rng(seed)
    controls, points = len(tensors["control_ranges"]), len(tensors["rest_vertices"])
    first = rng.integers(0, controls, products)
    second = np.where(np.arange(products) % 3 == 2, -1, rng.integers(0, controls, products))
    second[:1] = first[:1]
    shapes = 0.2 * rng.standard_normal((controls + products, points, 3))
    shapes[rng.random(shapes.shape[:2]) < 0.6] = 0.0
    rig = rc.BlendshapeRig(np.zeros((points, 3)), shapes)
    columns = rig.tensors()
    base = {f"base.{name}": columns[f"blendshape.{name}"] for name in COLUMNS}
    base |= {"base.first": first.astype(np.int32), "base.second": second.astype(np.int32)}
    base["base.constant"] = (0.1 * rng.standard_normal((points, 3))).astype(np.float32)
    return tensors | base, text


def slow_base(tensors: Tensors, poses: np.ndarray) -> np.ndarray:
    """Offsets (T, V, 3) of the base, feature by feature."""
    x = poses.astype(np.float64)
    pairs = zip(tensors["base.first"], tensors["base.second"], strict=True)
    added = [np.maximum(x[:, a], 0.0) if b < 0 else x[:, a] * x[:, b] for a, b in pairs]
    features = np.stack([*x.T, *added], axis=1)
    return np.einsum("tf,fva->tva", features, dense_shapes(tensors)) + tensors["base.constant"]


def dense_shapes(tensors: Tensors) -> np.ndarray:
    """(F, V, 3) from the groups of the file."""
    count = len(tensors["control_ranges"]) + len(tensors["base.first"])
    result = np.zeros((count, len(tensors["base.constant"]), 3))
    offset, at = tensors["base.group.offset"], 0
    delta = tensors["base.delta"] if "base.delta" in tensors else tensors["base.delta16"].view(np.int16)
    scale = tensors.get("base.scale", np.ones(count))
    for g in range(len(offset) - 1):
        vertices = tensors["base.group.vertex"][offset[g] : offset[g + 1]]
        for feature in range(count):
            if tensors["base.group.columns"][g, feature // 32] >> (feature % 32) & 1:
                size = 3 * len(vertices)
                result[feature, vertices] = scale[feature] * delta[at : at + size].reshape(-1, 3).astype(np.float64)
                at += size
    return result


def based_model(tensors: Tensors, text: str) -> rc.Deformer:
    return _core.model_from_tensors(*with_base(tensors, text))
