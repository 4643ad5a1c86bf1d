"""Bases of maps: the principal components of the best maps of sampled poses.

A segment with weights w has the wanted offsets w d. With the quadratic form H of its texels (``_texels.py``), the best
map of a pose is H^-1 b; components are principal in the norm of H, so that the first K of them leave the least squared
error of vertices and faces. Each segment has as many as leave ``LEFT``. H is made regular by the squared differences of
neighboring texels. Texels that no vertex samples continue their neighbors, for meshes that the maps are transferred to.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast.training._budget import Budget, required_torch
from rigcast.training._face_maps._rows import Rows
from rigcast.training._face_maps._settings import FaceMapsSettings
from rigcast.training._face_maps._train.basis_networks import BasisShape
from rigcast.training._face_maps._train.problem import LevelProblem
from rigcast.training._face_maps._train.texels import TexelProducts
from rigcast.training._optimizers import Arrays

ROWS = 1536  # to learn from that decide the components, evenly spaced
LEFT = 0.002  # unit of the loss: RMS over poses that the components of a segment may leave, of vertices and faces
SMOOTHNESS = 1e-4  # of H's mean diagonal: weight of the squared differences of neighboring texels
SMALLEST = 1e-8  # of H's mean diagonal: weight of the squared texels
TINY = 1e-300  # in place of 0, where nothing moves
LEAST_HIDDEN = 64
HIDDEN_PER_INPUT = 8  # hidden units, at most

Float64 = NDArray[np.float64]


def with_bases(problem: LevelProblem, settings: FaceMapsSettings, budget: Budget) -> LevelProblem:
    """The problem with a basis of maps per segment, and networks of their coefficients."""
    torch, device = required_torch(), budget.device
    products = TexelProducts(torch, problem, settings.gradient_weight, device)
    learned = np.sort(np.concatenate(problem.bins))
    rows = learned[:: max(1, -(-len(learned) // ROWS))]
    shapes, fitted = [], []
    begin = 0
    for number, segment in enumerate(problem.level.segments):
        texels = slice(begin, begin + segment.resolution**2)
        begin = texels.stop
        form, sampled = _form(torch, products, texels, segment.resolution, device)
        best = _wanted(torch, products, problem, number, rows, sampled, device)
        both, coefficients = _components(torch, form, best, settings.components)
        both = continued(both, np.flatnonzero(sampled[texels]), segment.resolution)
        mean, basis = both[:, -1], both[:, :-1]
        scale = problem.scalings[number].scale
        inputs = len(segment.columns)
        hidden = min(settings.hidden, max(LEAST_HIDDEN, HIDDEN_PER_INPUT * inputs))
        shapes.append(BasisShape(inputs, hidden, basis.shape[1], segment.resolution))
        fitted.append(
            _layers(shapes[-1], basis / scale, mean / scale, coefficients.mean(axis=0), [budget.seed, 9, number])
        )
    return replace(problem, shapes=shapes, fitted=fitted)


def _form(
    torch: Any, products: TexelProducts, texels: slice, resolution: int, device: str
) -> tuple[Any, NDArray[np.bool_]]:
    """The Cholesky factor of the H (S, S) of a segment's sampled texels, made regular, and these among all texels."""
    row, column, value = products.triplets
    own = (row >= texels.start) & (row < texels.stop) & (column >= texels.start) & (column < texels.stop)
    sampled = np.zeros(products.texels, bool)
    sampled[row[own]] = True
    count = int(sampled.sum())
    place = np.full(products.texels, -1)
    place[sampled] = np.arange(count)
    form = np.zeros((count, count))
    form[place[row[own]], place[column[own]]] = value[own]
    mean = max(float(np.diagonal(form).mean()), TINY)
    at = place[texels].reshape(resolution, resolution)
    for first, second in ((at[:, :-1], at[:, 1:]), (at[:-1], at[1:])):
        both = ((first >= 0) & (second >= 0)).ravel()
        a, b, weight = first.ravel()[both], second.ravel()[both], SMOOTHNESS * mean
        np.add.at(form, (a, a), weight)
        np.add.at(form, (b, b), weight)
        form[a, b] -= weight
        form[b, a] -= weight
    form[np.arange(count), np.arange(count)] += SMALLEST * mean
    return torch.linalg.cholesky(torch.from_numpy(form).to(device)), sampled


def _wanted(
    torch: Any,
    products: TexelProducts,
    problem: LevelProblem,
    number: int,
    rows: Rows,
    sampled: NDArray[np.bool_],
    device: str,
) -> Any:
    """b (S, 3 T) of a segment's share of the wanted offsets in some rows: texel, then axis, then row."""
    segment, level = problem.level.segments[number], problem.level
    share = np.zeros(len(level.vertices), np.float32)
    share[level.place[segment.vertices]] = segment.weights
    picked = torch.from_numpy(np.flatnonzero(sampled)).to(device)
    parts = []
    for begin in range(0, len(rows), 64):
        some = rows[begin : begin + 64]
        left = problem.truth[some] - (0.0 if problem.base is None else problem.base[some])
        flat = np.ascontiguousarray((left * share[:, None]).transpose(1, 2, 0)).reshape(len(share), -1)
        found = products.wanted(torch.from_numpy(flat).to(device))[picked]
        parts.append(found.reshape(found.shape[0], 3, -1))
    return torch.cat(parts, dim=2).double().reshape(len(picked), -1)


def _components(torch: Any, form: Any, wanted: Any, most: int) -> tuple[Float64, Float64]:
    """Components and the mean map (3 S, K + 1), and coefficients (T, K); the largest has unit variance."""
    count = form.shape[0]
    maps = torch.linalg.solve_triangular(form, wanted, upper=False)
    rows = maps.reshape(count, 3, -1).permute(2, 1, 0).reshape(-1, 3 * count)
    mean = rows.mean(dim=0)
    rows = rows - mean
    square, left = torch.linalg.eigh(rows @ rows.mT)
    square, left = square.flip(0).clamp(min=0.0), left.flip(1)
    beyond = square.sum() - square.cumsum(0)
    needed = int((beyond > len(rows) * LEFT**2).sum()) + 1
    kept = min(needed, most, int((square > 1e-12 * square[0]).sum()), 3 * count)
    kept = max(kept, 1)
    size = square[:kept].sqrt().clamp(min=TINY)
    unit = float(size[0]) / np.sqrt(len(rows))
    basis = (rows.mT @ left[:, :kept]) * (unit / size)
    both = torch.cat([basis, mean[:, None]], dim=1).reshape(3, count, -1).permute(1, 0, 2).reshape(count, -1)
    both = torch.linalg.solve_triangular(form.mT, both, upper=True)
    both = both.reshape(count, 3, -1).permute(1, 0, 2).reshape(3 * count, -1).cpu().numpy()
    coefficients = (left[:, :kept] * size / max(unit, TINY)).cpu().numpy()
    return both, coefficients


def continued(maps: Float64, sampled: NDArray[np.intp], resolution: int) -> Float64:
    """Maps (3 R^2, K) from those of the sampled texels (3 S, K): each other texel is the mean of its neighbors.

    Of those that are there already, ring by ring outwards.
    """
    values = np.zeros((3, resolution**2, maps.shape[1]))
    values[:, sampled] = maps.reshape(3, len(sampled), -1)
    values = np.pad(values.reshape(3, resolution, resolution, -1), ((0, 0), (1, 1), (1, 1), (0, 0)))
    known = np.zeros((resolution + 2, resolution + 2), bool)
    known[1 + sampled // resolution, 1 + sampled % resolution] = True
    inside = np.zeros_like(known)
    inside[1:-1, 1:-1] = True
    while not known[inside].all():
        neighbors = np.sum([np.roll(known, step, axis) for axis in (0, 1) for step in (-1, 1)], axis=0)
        j, i = np.nonzero(inside & ~known & (neighbors > 0))
        around = ((j - 1, i), (j + 1, i), (j, i - 1), (j, i + 1))
        values[:, j, i] = np.sum([values[:, a, b] for a, b in around], axis=0) / neighbors[j, i][:, None]
        known[j, i] = True
    return np.ascontiguousarray(values[:, 1:-1, 1:-1].reshape(3 * resolution**2, -1))


def _layers(shape: BasisShape, basis: Float64, mean: Float64, bias: Float64, seed: list[int]) -> Arrays:
    """The last layers: the basis, and coefficients that are near their mean."""
    layers = {
        "dense3.weight": shape.initial_weights(seed)["dense3.weight"],
        "dense3.bias": bias[None, None],
        "basis.weight": basis[None],
        "basis.bias": mean[None, None],
    }
    return {name: np.ascontiguousarray(value, np.float32) for name, value in layers.items()}
