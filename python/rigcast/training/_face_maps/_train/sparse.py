"""Fixed sparse matrices in PyTorch: sampling of maps at vertices, and diagonals of faces."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast.training._face_maps._layout.segments import MapSegment

Triplets = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]


class SparseProduct:
    """``matrix @ x`` for a fixed sparse matrix (A, B) and x (B, K), differentiable in x.

    Parameters
    ----------
    torch : module
    triplets : (rows, columns, values)
        Entries; none twice.
    shape : (A, B)
    device : str
    """

    def __init__(self, torch: Any, triplets: Triplets, shape: tuple[int, int], device: str) -> None:
        rows, columns, values = triplets
        forward = _compressed(torch, rows, columns, values, shape, device)
        backward = _compressed(torch, columns, rows, values, shape[::-1], device)

        class Product(torch.autograd.Function):  # type: ignore[misc]
            @staticmethod
            def forward(_: Any, x: Any) -> Any:
                return forward @ x

            @staticmethod
            def backward(_: Any, gradient: Any) -> Any:
                return backward @ gradient.contiguous()

        self._apply, self.matrix, self.transposed = Product.apply, forward, backward

    def __call__(self, x: Any) -> Any:
        """The product (A, K)."""
        return self._apply(x)


def sampling_triplets(segments: Sequence[MapSegment], place: NDArray[np.int64]) -> tuple[Triplets, int]:
    """Offsets of vertices from all maps, one after another: entries, and the number of texels.

    A vertex gets, from each segment that holds it, its weight times the map, sampled bilinearly; texel (i, j) of a map
    of R x R has the number j R + i and lies at (i, j) / (R - 1).

    Parameters
    ----------
    segments : sequence of MapSegment
    place : (V,) int64 array
        The row of each vertex.
    """
    rows, columns, values = [], [], []
    start = 0
    for segment in segments:
        size = segment.resolution
        where = np.clip(segment.uvs, 0.0, 1.0) * (size - 1)
        low = np.minimum(where.astype(np.int64), size - 2)
        part = where - low
        for dj, v in ((0, 1.0 - part[:, 1]), (1, part[:, 1])):
            for di, u in ((0, 1.0 - part[:, 0]), (1, part[:, 0])):
                rows.append(place[segment.vertices])
                columns.append(start + (low[:, 1] + dj) * size + low[:, 0] + di)
                values.append(u * v * segment.weights)
        start += size * size
    return (np.concatenate(rows), np.concatenate(columns), np.concatenate(values)), start


def diagonal_triplets(corners: NDArray[np.int64]) -> Triplets:
    """Both diagonals of faces (F, 4): c - a of all, then d - b of all; a triangle's fourth corner is its third."""
    count = len(corners)
    rows = np.concatenate([np.arange(count), np.arange(count), count + np.arange(count), count + np.arange(count)])
    columns = np.concatenate([corners[:, 2], corners[:, 0], corners[:, 3], corners[:, 1]])
    values = np.repeat([1.0, -1.0, 1.0, -1.0], count)
    return rows, columns, values


def _compressed(
    torch: Any,
    rows: NDArray[np.int64],
    columns: NDArray[np.int64],
    values: NDArray[np.float64],
    shape: tuple[int, int],
    device: str,
) -> Any:
    order = np.lexsort((columns, rows))
    starts = np.zeros(shape[0] + 1, np.int64)
    np.cumsum(np.bincount(rows, minlength=shape[0]), out=starts[1:])
    parts = map(torch.from_numpy, (starts, columns[order], values[order].astype(np.float32)))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sparse CSR tensor support is in beta state")  # products by it are not
        return torch.sparse_csr_tensor(*parts, size=shape, check_invariants=True).to(device)
