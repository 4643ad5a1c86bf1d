"""Slow, obvious NumPy in double precision: what the engine is compared with."""

from __future__ import annotations

import numpy as np

import rigcast as rc


def slow_globals(skeleton: rc.Skeleton, pose: np.ndarray) -> np.ndarray:
    """Global 4x4 transforms (J, 4, 4) of one pose, one joint after another."""
    result = []
    for j, parent in enumerate(skeleton.parents):
        local = np.vstack([pose[12 * j : 12 * j + 12].reshape(3, 4), [0, 0, 0, 1]]).astype(np.float64)
        result.append(local if parent < 0 else result[parent] @ local)
    return np.array(result)


def slow_skinning(skeleton: rc.Skeleton, pose: np.ndarray) -> np.ndarray:
    """Skinning transforms G_j (G_j^0)^-1, (J, 4, 4), of one pose."""
    return slow_globals(skeleton, pose) @ np.linalg.inv(slow_globals(skeleton, skeleton.rest.reshape(-1)))


def slow_body(model: rc.Deformer, pose: np.ndarray) -> np.ndarray:
    """Vertices (V, 3) of one pose of a learned body, set by set, from the formula of its header."""
    tensors, skeleton = model.tensors(), model.skeleton
    now, rest = slow_globals(skeleton, pose), slow_globals(skeleton, skeleton.rest.reshape(-1))
    vertices = np.zeros((len(model.rest_vertices), 3))
    for i, joint in enumerate(tensors["sets.joint"]):
        member = slice(*tensors["sets.offset"][i : i + 2])
        column = tensors["inputs.column"][slice(*tensors["inputs.offset"][i : i + 2])]
        vertex, weight = tensors["sets.vertex"][member], tensors["sets.weight"][member].astype(np.float64)
        own = {k[8:]: v.astype(np.float64) for k, v in tensors.items() if k.startswith(f"set.{i:03d}.")}
        offset = own["mean"]
        if "layer1.weight" in own:
            x = pose[column].astype(np.float64)
            x = np.tanh(own["layer1.weight"] @ x + own["layer1.bias"])
            x = np.tanh(own["layer2.weight"] @ x + own["layer2.bias"])
            offset = own["basis"] @ (own["layer3.weight"] @ x + own["layer3.bias"]) + offset
        homogeneous = np.concatenate([model.rest_vertices[vertex], np.ones((len(vertex), 1))], axis=1)
        local = (homogeneous @ np.linalg.inv(rest[joint]).T)[:, :3] + offset.reshape(-1, 3)
        moved = local @ now[joint, :3, :3].T + now[joint, :3, 3]
        vertices[vertex] += weight[:, None] * moved
    return vertices
