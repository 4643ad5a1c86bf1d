"""Training in texels: the squared error of all vertices, written in the texels of the maps.

With S the sampling of maps m at M vertices, d the wanted offsets and G the relative change of the diagonals of F faces,

    |S m - d|^2 / M + w |G (S m - d)|^2 / F = m^T H m - 2 b^T m + c,
    H = S^T K S,  b = S^T K d,  c = d^T K d,  K = 1 / M + w G^T G / F.

H is sparse and fixed, b is found once for each row: a step costs no more with more vertices. (G d)_f, which is
(d_c - d_a) / |c - a| for both diagonals of a face, says how far it turns and stretches: the second term stands for the
normals of ``_loss.py``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast.training._budget import Budget
from rigcast.training._face_maps._rows import Rows, drawn
from rigcast.training._face_maps._settings import FaceMapsSettings
from rigcast.training._face_maps._train.descent import MapDescent, row_blocks
from rigcast.training._face_maps._train.problem import LevelProblem
from rigcast.training._face_maps._train.sparse import SparseProduct, Triplets, diagonal_triplets, sampling_triplets

SMALLEST = 1e-6  # of a diagonal, in the unit of the loss


class TexelProducts:
    """H, and b of any offsets, of the vertices and faces of a level.

    Parameters
    ----------
    torch : module
    problem : LevelProblem
    gradient_weight : float
        w.
    device : str

    Attributes
    ----------
    triplets : (rows, columns, values)
        H.
    texels : int
        Of all maps, one after another.
    gram : SparseProduct
        By H.
    """

    def __init__(self, torch: Any, problem: LevelProblem, gradient_weight: float, device: str) -> None:
        level, rest = problem.level, problem.rest.astype(np.float64)
        sampling, self.texels = sampling_triplets(level.segments, level.place)
        gradient = _relative_diagonals(level.corners, rest, gradient_weight)
        count = len(level.vertices)
        moved = np.unique(sampling[0])
        vertex_weight = np.zeros(count)
        vertex_weight[moved] = 1.0 / len(moved)
        self.triplets = _gram(sampling, gradient, vertex_weight, count)
        self.gram = SparseProduct(torch, self.triplets, (self.texels, self.texels), device)
        self._sample = SparseProduct(torch, sampling, (count, self.texels), device)
        self._turn = SparseProduct(torch, gradient, (2 * len(level.corners), count), device)
        self._weight = torch.from_numpy(vertex_weight.astype(np.float32)).to(device)[:, None]

    def wanted(self, offsets: Any) -> Any:
        """b (R, 3 B) of offsets (M, 3 B)."""
        turned = self._turn.transposed @ (self._turn.matrix @ offsets)
        return self._sample.transposed @ (self._weight * offsets + turned)


class TexelDescent(MapDescent):
    """Steps on the networks of a level with the squared error in texels as loss."""

    def __init__(self, problem: LevelProblem, settings: FaceMapsSettings, budget: Budget, stream: int) -> None:
        super().__init__(problem, settings, budget, stream)
        self._products = TexelProducts(self.torch, problem, settings.gradient_weight, self.device)
        self._wanted = np.empty((len(problem.truth), self._products.texels, 3), np.float32)
        for rows in row_blocks(len(self._wanted)):
            found = self._products.wanted(self._left(rows))
            self._wanted[rows] = found.view(self._products.texels, 3, -1).permute(2, 0, 1).cpu().numpy()

    def _loss(self, step: int) -> Any:
        seed = self.budget.seed + 1_000_003 * self.stream + 1
        return self._texel_loss(drawn(self.problem.bins, self.settings.batch, seed, step))

    def _texel_loss(self, rows: Rows) -> Any:
        """The loss of rows without its constant."""
        maps = self._maps(rows)
        wanted = self._columns(self._wanted[rows]).view(len(maps), -1)
        return (maps * (self._products.gram(maps) - 2.0 * wanted)).sum() / len(rows)


def _relative_diagonals(corners: NDArray[np.int64], rest: NDArray[np.float64], weight: float) -> Triplets:
    """sqrt(weight / F) G."""
    rows, columns, values = diagonal_triplets(corners)
    ends = np.concatenate([rest[corners[:, 2]] - rest[corners[:, 0]], rest[corners[:, 3]] - rest[corners[:, 1]]])
    length = np.maximum(np.linalg.norm(ends, axis=1), SMALLEST)
    return rows, columns, values * np.sqrt(weight / max(len(corners), 1)) / length[rows]


def _gram(sampling: Triplets, gradient: Triplets, vertex_weight: NDArray[np.float64], count: int) -> Triplets:
    """H: the products of all pairs of entries in a row of sqrt(1 / M) S, and of sqrt(w / F) G S."""
    order = np.argsort(sampling[0], kind="stable")
    texel, value = sampling[1][order], sampling[2][order]
    starts = np.searchsorted(sampling[0][order], np.arange(count + 1))
    entries = [(sampling[0], sampling[1], sampling[2] * np.sqrt(vertex_weight[sampling[0]]))]
    sizes = starts[gradient[1] + 1] - starts[gradient[1]]
    within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    at = np.repeat(starts[gradient[1]], sizes) + within
    entries.append((count + np.repeat(gradient[0], sizes), texel[at], np.repeat(gradient[2], sizes) * value[at]))
    rows, columns, values = (np.concatenate(parts) for parts in zip(*entries, strict=True))
    return _summed(*_pairs(rows, columns, values))


def _pairs(rows: NDArray[np.int64], columns: NDArray[np.int64], values: NDArray[np.float64]) -> Triplets:
    """All pairs of entries of one row."""
    order = np.argsort(rows, kind="stable")
    rows, columns, values = rows[order], columns[order], values[order]
    sizes = np.bincount(rows)[rows]
    begins = np.searchsorted(rows, rows)
    first = np.repeat(np.arange(len(rows)), sizes)
    second = np.repeat(begins, sizes) + np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return columns[first], columns[second], values[first] * values[second]


def _summed(rows: NDArray[np.int64], columns: NDArray[np.int64], values: NDArray[np.float64]) -> Triplets:
    """Entries of one place added."""
    width = int(columns.max(initial=0)) + 1
    keys, place = np.unique(rows * width + columns, return_inverse=True)
    return keys // width, keys % width, np.asarray(np.bincount(place, values, len(keys)), np.float64)
