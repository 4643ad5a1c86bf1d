"""The base under the networks of a learned face: offsets that are linear in features of a pose.

``cpp/rigcast/rig/blendshapes/base_shapes.h`` has the formula and the tensors.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core

COLUMNS = ("group.offset", "group.vertex", "group.columns", "delta16", "scale")  # of a blendshape rig: its offsets


def derived_columns(
    poses: NDArray[np.floating[Any]], first: NDArray[np.int32], second: NDArray[np.int32]
) -> NDArray[np.floating[Any]]:
    """Products of two columns of poses (T, C), or max(x, 0) of the first where the second is -1: (T, P)."""
    x = poses[:, first]
    return np.where(second < 0, np.maximum(x, 0.0), x * poses[:, np.maximum(second, 0)])


@dataclass(frozen=True)
class BaseShapes:
    """Offsets ``constant + sum_f phi_f(x) shapes_f`` of V vertices at a pose x (C).

    Attributes
    ----------
    first, second : (P,) int32
        Features in addition to the C columns: the product of the columns first and second, or max(x, 0) of the column
        first where second is -1.
    shapes : (C + P, V, 3) float32
        What one unit of each feature adds.
    constant : (V, 3) float32
    """

    first: NDArray[np.int32]
    second: NDArray[np.int32]
    shapes: NDArray[np.float32]
    constant: NDArray[np.float32]

    def features(self, poses: NDArray[np.float32]) -> NDArray[np.float32]:
        """(T, C + P) of poses (T, C)."""
        return np.concatenate([poses, derived_columns(poses, self.first, self.second)], axis=1, dtype=np.float32)

    def offsets(self, poses: NDArray[np.float32], threads: int = 0) -> NDArray[np.float32]:
        """(T, V, 3) of poses (T, C)."""
        flat = self.shapes.reshape(len(self.shapes), -1)
        moved = _core.matrix_product(np.ascontiguousarray(self.features(poses)), flat, threads=threads)
        moved = moved.reshape(len(poses), *self.constant.shape)
        moved += self.constant
        return np.asarray(moved)

    def tensors(self) -> dict[str, NDArray[Any]]:
        """The tensors ``base.*`` of a model file."""
        rig = _core.BlendshapeRig(np.zeros_like(self.constant), self.shapes, storage="int16")
        columns = rig.tensors()
        return {f"base.{name}": columns[f"blendshape.{name}"] for name in COLUMNS} | {
            "base.first": self.first,
            "base.second": self.second,
            "base.constant": self.constant,
        }

    def of_vertices(self, vertices: NDArray[np.integer[Any]]) -> BaseShapes:
        """Of some of the vertices, in that order."""
        return BaseShapes(self.first, self.second, self.shapes[:, vertices], self.constant[vertices])

    def moved_to(self, corners: NDArray[np.integer[Any]], weights: NDArray[np.floating[Any]]) -> BaseShapes:
        """Of other vertices (W), each a blend of K of these: ``corners`` and ``weights`` (W, K)."""
        shapes = np.zeros((len(self.shapes), len(corners), 3), np.float32)
        constant = np.zeros((len(corners), 3), np.float32)
        for k in range(corners.shape[1]):
            share = weights[:, k, None].astype(np.float32)
            shapes += share * self.shapes[:, corners[:, k]]
            constant += share * self.constant[corners[:, k]]
        return BaseShapes(self.first, self.second, shapes, constant)


def read_base(tensors: Mapping[str, NDArray[Any]]) -> BaseShapes | None:
    """The base in the tensors of a model; None if it has none."""
    if "base.constant" not in tensors:
        return None
    first, second = tensors["base.first"], tensors["base.second"]
    constant = tensors["base.constant"]
    shapes = np.zeros((len(tensors["control_ranges"]) + len(first), *constant.shape), np.float32)
    offset, at = tensors["base.group.offset"], 0
    is_int16 = "base.delta16" in tensors
    delta = tensors["base.delta16"].view(np.int16) if is_int16 else tensors["base.delta"]
    for group, words in enumerate(tensors["base.group.columns"].astype(np.uint32)):
        vertices = tensors["base.group.vertex"][offset[group] : offset[group + 1]]
        bits = np.unpackbits(words.view(np.uint8), bitorder="little")[: len(shapes)]
        for column in np.flatnonzero(bits):
            values = delta[at : at + 3 * len(vertices)]
            shapes[column, vertices] = values.reshape(-1, 3)
            at += values.size
    if is_int16:
        shapes *= tensors["base.scale"][:, None, None]
    return BaseShapes(first, second, shapes, constant)


def base_words(metadata: Mapping[str, Any]) -> str:
    """``72 columns, 162 products, ridge regression of 3,616 rows; networks left out: ...``; empty without a base."""
    training = metadata.get("training", {})
    base = training.get("base")
    if not isinstance(base, Mapping):
        return ""
    counts = [(base["columns"], "column"), (base["products"], "product"), (base["positive_parts"], "positive part")]
    parts = [f"{count} {name}{'' if count == 1 else 's'}" for count, name in counts if count]
    words = f"{', '.join(parts)}, ridge regression of {base['rows']:,} rows"
    return f"{words}; networks {training['networks']}" if "networks" in training else words
