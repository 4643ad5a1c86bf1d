"""Small random models of the kinds that baselines are."""

from __future__ import annotations

import numpy as np

import rigcast as rc
from rigcast import _core
from tests.support.made.models import chain_skeleton, common_tensors, metadata

Tensors = dict[str, np.ndarray]


def map_tensors(width: int, outputs: int, quadratic: bool = True, seed: int = 0) -> Tensors:
    """A random regression from 9 of the columns of a pose, through 5 inputs."""
    rng = np.random.default_rng(seed)
    features = 5 + (15 if quadratic else 0)
    tensors = {
        "map.mean": 0.3 * rng.standard_normal(9),
        "map.project": rng.standard_normal((5, 9)) / 3,
        "map.weight": 0.2 * rng.standard_normal((outputs, features)),
        "map.bias": 0.3 * rng.standard_normal(outputs),
    }
    columns = rng.permutation(width)[:9].astype(np.int32)
    return {"map.column": columns} | {name: value.astype(np.float32) for name, value in tensors.items()}


def random_regression_tensors(num_vertices: int = 40, quadratic: bool = True, seed: int = 0) -> tuple[Tensors, str]:
    """Tensors and metadata of a random model of kind ``regression``, with four joints and two numeric controls."""
    rng = np.random.default_rng(seed)
    skeleton = chain_skeleton(4, seed)
    tensors = common_tensors(skeleton, num_vertices, seed, numeric=2) | map_tensors(50, 7, quadratic, seed)
    tensors["basis"] = (0.3 * rng.standard_normal((3 * num_vertices, 7))).astype(np.float32)
    tensors["mean"] = rng.standard_normal(3 * num_vertices).astype(np.float32)
    return tensors, metadata("regression", skeleton, ["dial0", "dial1"])


def random_regressed_skinning_tensors(num_vertices: int = 40, bones: int = 5, seed: int = 0) -> tuple[Tensors, str]:
    """Tensors and metadata of a random model of kind ``regressed_skinning``: one bone without a joint, others with."""
    rng = np.random.default_rng(seed)
    skeleton = chain_skeleton(4, seed)
    tensors = common_tensors(skeleton, num_vertices, seed, numeric=2) | map_tensors(50, 12 * bones, seed=seed)
    turned = np.linalg.qr(rng.standard_normal((bones, 3, 3)))[0]
    turned *= np.linalg.det(turned)[:, None, None]
    turned = turned @ (np.eye(3) + 0.1 * rng.standard_normal((bones, 3, 3)))
    numbers = np.concatenate([turned, rng.standard_normal((bones, 3, 1))], axis=2)
    weight = rng.random((num_vertices, 3)).astype(np.float32)
    tensors |= {
        "map.weight": (0.2 * tensors["map.weight"]).astype(np.float32),
        "map.bias": numbers.reshape(-1).astype(np.float32),
        "bone.center": rng.standard_normal((bones, 3)).astype(np.float32),
        "bone.joint": np.array([-1, *rng.integers(0, 4, bones - 1)], np.int32),
        "skin.joint": rng.integers(0, bones, (num_vertices, 3)).astype(np.int32),
        "skin.weight": weight / weight.sum(axis=1, keepdims=True),
    }
    return tensors, metadata("regressed_skinning", skeleton, ["dial0", "dial1"])


def random_regressed_skinning(**sizes: int) -> rc.Deformer:
    """A random model of kind ``regressed_skinning``; sizes as in `random_regressed_skinning_tensors`."""
    return _core.model_from_tensors(*random_regressed_skinning_tensors(**sizes))


def random_direct_delta_mush_tensors(num_vertices: int = 40, seed: int = 0) -> tuple[Tensors, str]:
    """Tensors and metadata of a random model of kind ``direct_delta_mush``, with four joints and a dial."""
    rng = np.random.default_rng(seed)
    skeleton = chain_skeleton(4, seed)
    upper = np.triu_indices(4)
    points = np.append(rng.standard_normal((num_vertices, 2, 6, 3)), np.ones((num_vertices, 2, 6, 1)), axis=3)
    weight = rng.dirichlet(np.ones(12), num_vertices).reshape(num_vertices, 2, 6)
    points[..., :3] -= np.einsum("vki,vkij->vj", weight, points[..., :3])[:, None, None]
    moments = np.einsum("vki,vkia,vkib->vkab", weight, points, points)
    tensors = common_tensors(skeleton, num_vertices, seed, numeric=1) | {
        "mush.joint": np.tile(np.int32([0, 2]), (num_vertices, 1)),
        "mush.matrix": moments[..., upper[0], upper[1]].astype(np.float32),
        "mush.center": rng.standard_normal((num_vertices, 3)).astype(np.float32),
    }
    tensors["mush.joint"][::3] = [1, 3]
    return tensors, metadata("direct_delta_mush", skeleton, ["dial0"])


def random_direct_delta_mush(**sizes: int) -> rc.Deformer:
    """A random model of kind ``direct_delta_mush``; sizes as in `random_direct_delta_mush_tensors`."""
    return _core.model_from_tensors(*random_direct_delta_mush_tensors(**sizes))


def random_pose_space_tensors(num_vertices: int = 40, seed: int = 0) -> tuple[Tensors, str]:
    """Tensors and metadata of a random model of kind ``pose_space``, with four joints, a dial and three examples."""
    rng = np.random.default_rng(seed)
    skeleton = chain_skeleton(4, seed)
    weight = rng.dirichlet(np.ones(2), num_vertices).astype(np.float32)
    column = np.int32([0, 5, 14, 17, 38, 48])
    scale = rng.uniform(0.5, 1.5, 6)
    rest = np.append(skeleton.rest.reshape(-1), 0.0)[column]
    values = {
        "space.scale": scale,
        "space.example": scale * (rest + 0.3 * rng.standard_normal((3, 6))),
        "space.weight": rng.random((num_vertices, 2)),
        "space.delta": 0.2 * rng.standard_normal((num_vertices, 3, 3)),
    }
    tensors = common_tensors(skeleton, num_vertices, seed, numeric=1) | {
        "space.offset": np.int32([0, 2, 4, 5, 6]),
        "space.column": column,
        "space.group": rng.integers(0, 4, (num_vertices, 2)).astype(np.int32),
        "skin.joint": np.tile(np.int32([1, 3]), (num_vertices, 1)),
        "skin.weight": weight,
    }
    tensors |= {name: value.astype(np.float32) for name, value in values.items()}
    return tensors, metadata("pose_space", skeleton, ["dial0"])


def random_pose_space(**sizes: int) -> rc.Deformer:
    """A random model of kind ``pose_space``; sizes as in `random_pose_space_tensors`."""
    return _core.model_from_tensors(*random_pose_space_tensors(**sizes))


def random_regression(**sizes: int) -> rc.Deformer:
    """A random model of kind ``regression``; sizes as in `random_regression_tensors`."""
    return _core.model_from_tensors(*random_regression_tensors(**sizes))


def random_dense_network_tensors(num_vertices: int = 40, seed: int = 0) -> tuple[Tensors, str]:
    """Tensors and metadata of a random model of kind ``dense_network``: two networks; one vertex belongs to none."""
    rng = np.random.default_rng(seed)
    skeleton = chain_skeleton(4, seed)
    tensors = common_tensors(skeleton, num_vertices, seed, numeric=2)
    first = num_vertices // 3
    tensors |= {
        "mean": rng.standard_normal(3 * num_vertices).astype(np.float32),
        "networks.vertex": rng.permutation(num_vertices)[:-1].astype(np.int32),
        "networks.offset": np.int32([0, first, num_vertices - 1]),
        "inputs.column": rng.integers(0, 50, 16).astype(np.int32),
        "inputs.offset": np.int32([0, 5, 16]),
    }
    for s, (inputs, members) in enumerate([(5, first), (11, num_vertices - 1 - first)]):
        shapes = [("layer1.weight", (18, inputs)), ("layer1.bias", (18,)), ("layer2.weight", (21, 18))]
        shapes += [("layer2.bias", (21,)), ("layer3.weight", (3 * members, 21))]
        for name, shape in shapes:
            tensors[f"network.{s:03d}.{name}"] = (0.3 * rng.standard_normal(shape)).astype(np.float32)
    return tensors, metadata("dense_network", skeleton, ["dial0", "dial1"])


def random_dense_network(**sizes: int) -> rc.Deformer:
    """A random model of kind ``dense_network``; sizes as in `random_dense_network_tensors`."""
    return _core.model_from_tensors(*random_dense_network_tensors(**sizes))


def random_rotational_regression_tensors(num_vertices: int = 40, seed: int = 0) -> tuple[Tensors, str]:
    """Tensors and metadata of a random model of kind ``rotational_regression``: a strip of triangles, a few anchors."""
    rng = np.random.default_rng(seed)
    skeleton = chain_skeleton(4, seed)
    tensors = common_tensors(skeleton, num_vertices, seed, numeric=1)
    count, anchors = num_vertices - 2, num_vertices // 4
    joint = rng.integers(0, 4, (count, 2)).astype(np.int32)
    joint[::3, 1] = -1
    bias = 0.2 * rng.standard_normal((count, 9))
    bias[:, [3, 6, 8]] += 1.0
    tensors |= {
        "rotation.rest": tensors["rest_vertices"].copy(),
        "rotation.faces": np.arange(count, dtype=np.int32)[:, None] + np.arange(3, dtype=np.int32),
        "rotation.output": rng.permutation(num_vertices).astype(np.int32),
        "rotation.bone": rng.integers(0, 4, count).astype(np.int32),
        "rotation.joint": joint,
        "rotation.weight": (0.2 * rng.standard_normal((count, 2, 27))).astype(np.float32),
        "rotation.bias": bias.astype(np.float32),
        "rotation.anchor": rng.permutation(num_vertices)[:anchors].astype(np.int32),
        "skin.joint": np.tile(np.int32([1, 3]), (anchors, 1)),
        "skin.weight": rng.dirichlet(np.ones(2), anchors).astype(np.float32),
    }
    return tensors, metadata("rotational_regression", skeleton, ["dial0"])


def random_rotational_regression(**sizes: int) -> rc.Deformer:
    """A random model of kind ``rotational_regression``; sizes as in `random_rotational_regression_tensors`."""
    return _core.model_from_tensors(*random_rotational_regression_tensors(**sizes))
