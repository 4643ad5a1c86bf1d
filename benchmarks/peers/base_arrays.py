"""The base of a learned face as dense arrays, and in PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rigcast as rc
from rigcast._rigs.base_shapes import read_base


@dataclass(frozen=True)
class BaseArrays:
    """Features that move a vertex: products of two columns, the last of which may be 1, then positive parts.

    Attributes
    ----------
    first, second : (P,) int64
        Columns of the pose; C stands for 1.
    positive : (N,) int64
    shapes : (P + N, 3 V) float32
    constant : (3 V,) float32
    """

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    positive: NDArray[np.int64]
    shapes: NDArray[np.float32]
    constant: NDArray[np.float32]


def base_arrays(model: rc.Deformer) -> BaseArrays | None:
    """The base of a model; None if it has none."""
    base = read_base(model.tensors())
    if base is None:
        return None
    columns = len(base.shapes) - len(base.first)
    first = np.concatenate([np.arange(columns), base.first]).astype(np.int64)
    second = np.concatenate([np.full(columns, columns), base.second]).astype(np.int64)
    used: NDArray[np.bool_] = np.asarray(base.shapes.any(axis=(1, 2)))
    product, positive = np.flatnonzero(used & (second >= 0)), np.flatnonzero(used & (second < 0))
    shapes = base.shapes.reshape(len(used), -1)[np.concatenate([product, positive])]
    return BaseArrays(first[product], second[product], first[positive], shapes, base.constant.reshape(-1))


def torch_base(torch: Any, model: rc.Deformer) -> Callable[[Any], Any] | None:
    """Offsets (T, V, 3) of poses (T, C) as one dense product; None without a base."""
    base = base_arrays(model)
    if base is None:
        return None
    first, second, positive = (torch.from_numpy(x) for x in (base.first, base.second, base.positive))
    shapes, constant = torch.from_numpy(base.shapes), torch.from_numpy(base.constant)

    def run(poses: Any) -> Any:
        with_one = torch.nn.functional.pad(poses, (0, 1), value=1.0)
        products = poses.index_select(1, first) * with_one.index_select(1, second)
        features = torch.cat([products, torch.relu(poses.index_select(1, positive))], 1)
        return torch.addmm(constant, features, shapes).reshape(len(poses), -1, 3)

    return run
