"""A learned body as the arrays that a peer computes it from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import rigcast as rc

Floats = NDArray[np.float32]
Integers = NDArray[np.int64]


@dataclass
class SetArrays:
    """One vertex set: (n,) input columns, three (weight, bias), basis (3 M, r), base points (M, 3), weights (M, 1)."""

    joint: int
    columns: Integers
    layers: list[tuple[Floats, Floats]]
    basis: Floats
    base: Floats
    weight: Floats


@dataclass
class Layout:
    """All of a learned body, prepared as far as an offline step can: rest points and means are added up."""

    num_joints: int
    levels: list[Integers]  # joints by depth, roots first
    parents: Integers
    sets: list[SetArrays]
    gather: Integers  # (V, K) rows of the stacked contributions of a vertex; the last row + 1 is a row of zeros


def has_networks(model: rc.Deformer) -> bool:
    """True if a learned model has a network: something that PyTorch and ONNX Runtime would compute."""
    return any(name.endswith((".layer1.weight", ".dense1.weight")) for name in model.tensors())


def layout(model: rc.Deformer) -> Layout:
    """Read a learned body's tensors."""
    tensors, skeleton = model.tensors(), model.skeleton
    rest = skeleton.rest_globals.astype(np.float64)
    sets = []
    for i, joint in enumerate(tensors["sets.joint"]):
        member = slice(*tensors["sets.offset"][i : i + 2])
        name = f"set.{i:03d}."
        layers = [
            (tensors[f"{name}layer{k}.weight"], tensors[f"{name}layer{k}.bias"])
            for k in (1, 2, 3)
            if f"{name}layer{k}.weight" in tensors
        ]
        vertices = model.rest_vertices[tensors["sets.vertex"][member]].astype(np.float64)
        local = np.linalg.solve(rest[joint, :, :3], (vertices - rest[joint, :, 3]).T).T
        sets.append(
            SetArrays(
                joint=int(joint),
                columns=tensors["inputs.column"][slice(*tensors["inputs.offset"][i : i + 2])].astype(np.int64),
                layers=layers,
                basis=tensors[f"{name}basis"],
                base=(local + tensors[f"{name}mean"].reshape(-1, 3)).astype(np.float32),
                weight=tensors["sets.weight"][member, None],
            )
        )
    return Layout(
        num_joints=skeleton.num_joints,
        levels=levels_of(skeleton.parents),
        parents=skeleton.parents.astype(np.int64),
        sets=sets,
        gather=_gather(tensors["sets.vertex"], len(model.rest_vertices)),
    )


def levels_of(parents: NDArray[np.int32]) -> list[Integers]:
    """Joints by depth, roots first."""
    depth = np.zeros(len(parents), np.int64)
    for j, parent in enumerate(parents):
        depth[j] = 0 if parent < 0 else depth[parent] + 1
    return [np.flatnonzero(depth == level) for level in range(depth.max() + 1)]


def _gather(vertex: NDArray[np.int32], num_vertices: int) -> Integers:
    places: list[list[int]] = [[] for _ in range(num_vertices)]
    for place, k in enumerate(vertex):
        places[k].append(place)
    most = max(map(len, places))
    return np.array([row + [len(vertex)] * (most - len(row)) for row in places], np.int64)
