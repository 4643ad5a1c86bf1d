"""What the networks of a differential model predict, and the displacements that they should, in NumPy."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast.training._differential._transforms import Transforms, displacements

Tensors = dict[str, NDArray[Any]]
Floats = NDArray[np.float32]


def coefficients(tensors: Tensors, poses: Floats) -> Floats:
    """Of the basis of delta coordinates, (T, R)."""
    x = poses[:, tensors["inputs.column"]]
    count = _count(tensors, "network")
    for i in range(1, count + 1):
        x = x @ tensors[f"network.layer{i}.weight"].T + tensors[f"network.layer{i}.bias"]
        x = np.maximum(x, 0.0) if i < count else x
    return np.asarray(x, np.float32)


def anchor_displacements(tensors: Tensors, poses: Floats) -> Floats:
    """Of the anchors in rest space, (T, A, 3)."""
    count, found = _count(tensors, "anchors"), []
    outputs = itertools.pairwise(tensors["anchors.offset"])
    inputs = itertools.pairwise(tensors["anchors.input.offset"])
    for s, ((first, last), (begin, end)) in enumerate(zip(outputs, inputs, strict=True)):
        x = poses[:, tensors["anchors.column"][begin:end]] @ tensors["anchors.layer1.weight"][begin:end]
        x = np.maximum(x + tensors["anchors.layer1.bias"][s], 0.0)
        for i in range(2, count):
            x = np.maximum(x @ tensors[f"anchors.layer{i}.weight"][s].T + tensors[f"anchors.layer{i}.bias"][s], 0.0)
        rows = slice(3 * first, 3 * last)
        found.append(x @ tensors[f"anchors.layer{count}.weight"][rows].T + tensors[f"anchors.layer{count}.bias"][rows])
    return np.asarray(np.concatenate(found, axis=1).reshape(len(poses), -1, 3), np.float32)


def true_displacements(model: _core.DifferentialModel, tensors: Tensors, poses: Floats, vertices: Floats) -> Floats:
    """``T^-1 v - v0`` of vertices, (T, V, 3)."""
    return displacements(transforms_of(model, tensors), model.skeleton, poses, vertices, model.rest_vertices, str)


def placed(model: _core.DifferentialModel, tensors: Tensors, poses: Floats, moved: Floats) -> Floats:
    """``T (v0 + d)`` of displacements, (T, V, 3)."""
    points = model.rest_vertices + moved
    transforms = transforms_of(model, tensors)
    if transforms.origin == "identity":
        return points
    matrix = transforms.matrices(model.skeleton, poses)
    turned = (matrix[..., :3] @ points[..., None])[..., 0]
    return np.asarray(turned + matrix[..., 3], np.float32)


def transforms_of(model: _core.DifferentialModel, tensors: Tensors) -> Transforms:
    """The linear transforms in a model's file."""
    if "skin.joint" not in tensors:
        none = np.zeros((len(model.rest_vertices), 0))
        return Transforms("identity", none.astype(np.int32), none.astype(np.float32))
    return Transforms(model.transforms, tensors["skin.joint"], tensors["skin.weight"])


def _count(tensors: Tensors, name: str) -> int:
    return sum(key.startswith(f"{name}.layer") for key in tensors) // 2
