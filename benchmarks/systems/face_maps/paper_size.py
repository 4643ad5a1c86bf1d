"""A random face of the paper's size: 10 coarse maps of 32 x 32 texels and 4 refinements of 64 x 64."""

from __future__ import annotations

import json

import numpy as np
from numpy.typing import NDArray

import rigcast as rc
from rigcast import _core

VERTICES, CONTROLS, INPUTS = 12_510, 258, 60
COARSE, REFINEMENTS = 10, 4
HIDDEN, BASE, BASE_CHANNELS, CHANNELS = 256, 8, 8, 16


def face(*, charts: bool, seed: int = 0) -> rc.Deformer:
    """The face of the paper's figures for Hiccup with random weights, without rigid parts.

    `charts`: vertices fill discs with holes, as charts of a face do, so that masks leave texels out; otherwise they
    lie on a grid that samples every texel. Each segment reads 60 of the 258 controls: the networks then have the
    published size of 8.66 MB.
    """
    rng = np.random.default_rng(seed)
    coarse = np.array_split(np.arange(VERTICES), COARSE)
    members = [*coarse, *(rng.choice(coarse[0], len(coarse[0]), replace=False) for _ in range(REFINEMENTS))]
    members = [np.sort(own) for own in members]
    tensors: dict[str, NDArray[np.generic]] = {}
    for s in range(COARSE + REFINEMENTS):
        for name, value in _layers(rng, 2 + (s >= COARSE)).items():
            tensors[f"segment.{s:03d}.{name}"] = value
    count = sum(map(len, members))
    tensors |= {
        "rest_vertices": rng.standard_normal((VERTICES, 3)),
        "faces": np.array([[0, 1, 2, -1]]),
        "control_ranges": np.tile([0.0, 1.0], (CONTROLS, 1)),
        "segments.level": np.repeat([0, 1], [COARSE, REFINEMENTS]),
        "segments.offset": np.cumsum([0, *map(len, members)]),
        "segments.vertex": np.concatenate(members),
        "segments.uv": np.concatenate([_chart(rng, len(own)) if charts else _grid(len(own)) for own in members]),
        "segments.weight": np.ones(count),
        "inputs.offset": INPUTS * np.arange(len(members) + 1),
        "inputs.column": np.concatenate([np.sort(rng.permutation(CONTROLS)[:INPUTS]) for _ in members]),
        "parts.offset": np.zeros(1, int),
        "parts.vertex": np.zeros(0, int),
        "parts.follower": np.zeros((0, 3), int),
    }
    stored = {k: v.astype(np.int32 if v.dtype.kind == "i" else np.float32) for k, v in tensors.items()}
    entries = {"kind": "face_maps", "version": 1, "joint_names": [], "meters_per_unit": 0.01, "up_axis": "Y"}
    entries["numeric_controls"] = [f"control{i}" for i in range(CONTROLS)]
    return _core.model_from_tensors(stored, json.dumps(entries))


def _layers(rng: np.random.Generator, doublings: int) -> dict[str, NDArray[np.float64]]:
    shapes = {"dense1": (HIDDEN, INPUTS), "dense2": (BASE_CHANNELS * BASE * BASE, HIDDEN)}
    for layer in range(1, doublings + 2):
        shapes[f"conv{layer}"] = (CHANNELS, BASE_CHANNELS if layer == 1 else CHANNELS, 3, 3)
    layers = {}
    for name, shape in (shapes | {"output": (3, CHANNELS)}).items():
        layers[f"{name}.weight"] = rng.standard_normal(shape) / np.sqrt(np.prod(shape[1:]))
        layers[f"{name}.bias"] = 0.1 * rng.standard_normal(shape[0])
    return layers


def _grid(count: int) -> NDArray[np.float64]:
    """A grid fine enough to sample every texel of 64 x 64, from the first row on until `count` vertices are used up."""
    side = int(np.ceil(np.sqrt(count)))
    at = np.stack(np.meshgrid(np.linspace(0, 1, side), np.linspace(0, 1, side)), axis=-1).reshape(-1, 2)
    return at[np.linspace(0, len(at) - 1, count).round().astype(int)]


def _chart(rng: np.random.Generator, count: int) -> NDArray[np.float64]:
    """A disc with holes for the eyes and the mouth."""
    at = rng.random((20 * count, 2))
    inside = np.linalg.norm(at - 0.5, axis=1) < 0.5
    for center, size in (((0.3, 0.65), (0.1, 0.05)), ((0.7, 0.65), (0.1, 0.05)), ((0.5, 0.25), (0.17, 0.06))):
        inside &= (((at - center) / size) ** 2).sum(axis=1) > 1
    return at[inside][:count]
