"""Small models made of arrays, for tests."""

from __future__ import annotations

import json

import numpy as np

import rigcast as rc
from rigcast import _core


def chain_skeleton(num_joints: int, seed: int = 0) -> rc.Skeleton:
    """A skeleton whose joints hang from random earlier ones, with random rigid rest transforms."""
    rng = np.random.default_rng(seed)
    parents = np.array([-1] + [int(rng.integers(j)) for j in range(1, num_joints)], np.int32)
    return rc.Skeleton([f"joint{j}" for j in range(num_joints)], parents, random_transforms(num_joints, rng))


def random_transforms(count: int, rng: np.random.Generator, stretch: float = 0.0) -> np.ndarray:
    """(count, 3, 4) rotations with translations; `stretch` adds a random part that scales and shears."""
    rotation, _ = np.linalg.qr(rng.standard_normal((count, 3, 3)))
    rotation *= np.sign(np.linalg.det(rotation))[:, None, None]
    rotation += stretch * rng.standard_normal((count, 3, 3))
    return np.concatenate([rotation, rng.standard_normal((count, 3, 1))], axis=2).astype(np.float32)


def random_poses(
    skeleton: rc.Skeleton, frames: int, seed: int = 0, numeric: int = 0, stretch: float = 0.1
) -> np.ndarray:
    """(frames, 12 J + numeric) random poses."""
    rng = np.random.default_rng(seed)
    joints = random_transforms(frames * skeleton.num_joints, rng, stretch).reshape(frames, -1)
    return np.concatenate([joints, rng.standard_normal((frames, numeric))], axis=1).astype(np.float32)


def common_tensors(skeleton: rc.Skeleton, num_vertices: int, seed: int = 0, numeric: int = 0) -> dict[str, np.ndarray]:
    """The tensors that every kind of model has."""
    rng = np.random.default_rng(seed)
    width = 12 * skeleton.num_joints + numeric
    faces = np.stack([rng.permutation(num_vertices)[:4] for _ in range(num_vertices)]).astype(np.int32)
    faces[::3, 3] = -1
    return {
        "skeleton.parents": skeleton.parents,
        "skeleton.rest": skeleton.rest,
        "rest_vertices": rng.standard_normal((num_vertices, 3)).astype(np.float32),
        "faces": faces,
        "control_ranges": np.tile(np.float32([-1, 1]), (width, 1)),
    }


def metadata(kind: str, skeleton: rc.Skeleton, numeric: list[str] | None = None, **more: object) -> str:
    """Metadata text of a model of a kind."""
    entries = {
        "kind": kind,
        "version": 1,
        "name": "test",
        "joint_names": skeleton.names,
        "numeric_controls": numeric or [],
        "meters_per_unit": 1.0,
        "up_axis": "Y",
        **more,
    }
    return json.dumps(entries)


def linear_blend(num_joints: int = 5, num_vertices: int = 40, influences: int = 3, seed: int = 0) -> rc.Deformer:
    """A random linear blend skinning model."""
    skeleton = chain_skeleton(num_joints, seed)
    rng = np.random.default_rng(seed + 1)
    weight = rng.random((num_vertices, influences)).astype(np.float32)
    tensors = common_tensors(skeleton, num_vertices, seed) | {
        "skin.joint": rng.integers(0, num_joints, (num_vertices, influences)).astype(np.int32),
        "skin.weight": weight / weight.sum(axis=1, keepdims=True),
    }
    return _core.model_from_tensors(tensors, metadata("linear_blend", skeleton))


def random_body_tensors(
    num_joints: int = 6,
    num_vertices: int = 90,
    num_sets: int = 5,
    numeric: int = 2,
    hidden: int = 20,
    components: int = 7,
    overlap: float = 0.4,
    seed: int = 0,
) -> tuple[dict[str, np.ndarray], str]:
    """Tensors and metadata of a random learned body.

    A share `overlap` of the vertices lies in a second and a tenth in a third set. With four sets or more, one has
    no inputs and no components, one has inputs but no components, and one has a single hidden unit and component.
    """
    rng = np.random.default_rng(seed)
    skeleton = chain_skeleton(num_joints, seed)
    width = 12 * num_joints + numeric
    weight = np.zeros((num_sets, num_vertices))
    for share in (1.0, overlap, 0.1):
        chosen = np.flatnonzero(rng.random(num_vertices) < share)
        weight[rng.integers(num_sets, size=len(chosen)), chosen] += rng.uniform(0.1, 1.0, len(chosen))
    weight /= weight.sum(axis=0)

    tensors = common_tensors(skeleton, num_vertices, seed, numeric)
    sizes, columns = [], []
    for i in range(num_sets):
        plain, still, thin = (num_sets >= 4 and i == special for special in (1, 2, 3))
        inputs = 0 if plain else int(rng.integers(1, width + 1))
        r = 0 if plain or still else 1 if thin else components
        h1, h2 = (1, 1) if thin else (hidden, hidden + 3)
        members = np.flatnonzero(weight[i])
        sizes.append(len(members))
        columns.append(rng.permutation(width)[:inputs])
        name = f"set.{i:03d}"
        if r:
            shapes = [(h1, inputs), (h2, h1), (r, h2)]
            for layer, (n, k) in enumerate(shapes, 1):
                tensors[f"{name}.layer{layer}.weight"] = rng.standard_normal((n, k)) / np.sqrt(k)
                tensors[f"{name}.layer{layer}.bias"] = 0.3 * rng.standard_normal(n)
        tensors[f"{name}.basis"] = 0.3 * rng.standard_normal((3 * len(members), r))
        tensors[f"{name}.mean"] = 0.1 * rng.standard_normal(3 * len(members))
    tensors |= {
        "sets.joint": rng.integers(0, num_joints, num_sets),
        "sets.offset": np.cumsum([0, *sizes]),
        "sets.vertex": np.concatenate([np.flatnonzero(row) for row in weight]),
        "sets.weight": np.concatenate([row[row > 0] for row in weight]),
        "inputs.offset": np.cumsum([0, *map(len, columns)]),
        "inputs.column": np.concatenate(columns),
    }
    tensors = {k: v.astype(np.int32 if v.dtype.kind == "i" else np.float32) for k, v in tensors.items()}
    return tensors, metadata("body", skeleton, [f"dial{i}" for i in range(numeric)])


def random_body(**sizes: object) -> rc.Deformer:
    """A random learned body; sizes as in `random_body_tensors`."""
    return _core.model_from_tensors(*random_body_tensors(**sizes))
