"""Bases of maps: the principal components of the best maps of sampled poses.

A segment with weights w has the wanted offsets w d. With the quadratic form H of its texels (``_texels.py``), the best
map of a pose is H^-1 b; components are principal in the norm of H, so that the first K of them leave the least squared
error of vertices and faces. H is made regular by the squared differences of neighboring texels: texels that no vertex
samples continue their neighbors.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigwright.training._face_maps._basis_networks import BasisShape
from rigwright.training._face_maps._problem import Problem
from rigwright.training._face_maps._rows import Rows
from rigwright.training._face_maps._settings import FaceMapsSettings
from rigwright.training._face_maps._texels import TexelProducts
from rigwright.training._optimizers import Arrays

ROWS = 1536  # to learn from that decide the components, evenly spaced
TAIL = 1e-5  # of the squared motion that components may leave
SMOOTHNESS = 1e-4  # of H's mean diagonal: weight of the squared differences of neighboring texels
SMALLEST = 1e-8  # of H's mean diagonal: weight of the squared texels
RIDGE = 1e-4  # of the regression of coefficients on normalized inputs
LEAST_HIDDEN = 64
HIDDEN_PER_INPUT = 8  # hidden units, at most

Float64 = NDArray[np.float64]


def with_bases(torch: Any, problem: Problem, settings: FaceMapsSettings, device: str) -> Problem:
    """The problem with a basis of maps per segment, and networks of their coefficients that begin as regressions."""
    products = TexelProducts(torch, problem, settings.gradient_weight, device)
    learned = np.sort(np.concatenate(problem.bins))
    rows = learned[:: max(1, -(-len(learned) // ROWS))]
    shapes, fitted = [], []
    begin = 0
    for number, segment in enumerate(problem.level.segments):
        texels = slice(begin, begin + segment.resolution**2)
        begin = texels.stop
        form = _form(torch, products, texels, segment.resolution, device)
        best = _wanted(torch, products, problem, number, rows, texels, device)
        mean, basis, coefficients = _components(torch, form, best, settings.components)
        scale = problem.scalings[number].scale
        inputs = len(segment.columns)
        hidden = min(settings.hidden, max(LEAST_HIDDEN, HIDDEN_PER_INPUT * inputs))
        shapes.append(BasisShape(inputs, hidden, basis.shape[1], segment.resolution))
        regression = _regression(problem.inputs[number][rows].astype(np.float64), coefficients)
        fitted.append(_layers(shapes[-1], basis / scale, mean / scale, regression, [settings.seed, 9, number]))
    return replace(problem, shapes=shapes, fitted=fitted)


def _form(torch: Any, products: TexelProducts, texels: slice, resolution: int, device: str) -> Any:
    """The Cholesky factor of a segment's H (R^2, R^2), made regular."""
    row, column, value = products.triplets
    own = (row >= texels.start) & (row < texels.stop) & (column >= texels.start) & (column < texels.stop)
    count = resolution**2
    form = np.zeros((count, count))
    form[row[own] - texels.start, column[own] - texels.start] = value[own]
    mean = max(float(np.diagonal(form).mean()), np.finfo(np.float64).tiny)
    at = np.arange(count).reshape(resolution, resolution)
    for first, second in ((at[:, :-1], at[:, 1:]), (at[:-1], at[1:])):
        a, b, weight = first.ravel(), second.ravel(), SMOOTHNESS * mean
        np.add.at(form, (a, a), weight)
        np.add.at(form, (b, b), weight)
        form[a, b] -= weight
        form[b, a] -= weight
    form[np.arange(count), np.arange(count)] += SMALLEST * mean
    return torch.linalg.cholesky(torch.from_numpy(form).to(device))


def _wanted(
    torch: Any, products: TexelProducts, problem: Problem, number: int, rows: Rows, texels: slice, device: str
) -> Any:
    """b (R^2, 3 T) of a segment's share of the wanted offsets in some rows: texel, then axis, then row."""
    segment, level = problem.level.segments[number], problem.level
    share = np.zeros(len(level.vertices), np.float32)
    share[level.place[segment.vertices]] = segment.weights
    parts = []
    for begin in range(0, len(rows), 64):
        some = rows[begin : begin + 64]
        left = problem.truth[some] - (0.0 if problem.base is None else problem.base[some])
        flat = np.ascontiguousarray((left * share[:, None]).transpose(1, 2, 0)).reshape(len(share), -1)
        found = products.wanted(torch.from_numpy(flat).to(device))[texels]
        parts.append(found.reshape(found.shape[0], 3, -1))
    return torch.cat(parts, dim=2).double().reshape(texels.stop - texels.start, -1)


def _components(torch: Any, form: Any, wanted: Any, most: int) -> tuple[Float64, Float64, Float64]:
    """The mean map (3 R^2), components (3 R^2, K), and coefficients (T, K); the largest has unit variance."""
    count = form.shape[0]
    maps = torch.linalg.solve_triangular(form, wanted, upper=False)
    rows = maps.reshape(count, 3, -1).permute(2, 1, 0).reshape(-1, 3 * count)
    mean = rows.mean(dim=0)
    rows = rows - mean
    square, left = torch.linalg.eigh(rows @ rows.mT)
    square, left = square.flip(0).clamp(min=0.0), left.flip(1)
    beyond = square.sum() - square.cumsum(0)
    kept = min(int((beyond > TAIL * square.sum()).sum()) + 1, most, int((square > 1e-12 * square[0]).sum()), 3 * count)
    kept = max(kept, 1)
    size = square[:kept].sqrt().clamp(min=np.finfo(np.float64).tiny)
    unit = float(size[0]) / np.sqrt(len(rows))
    basis = (rows.mT @ left[:, :kept]) * (unit / size)
    both = torch.cat([basis, mean[:, None]], dim=1).reshape(3, count, -1).permute(1, 0, 2).reshape(count, -1)
    both = torch.linalg.solve_triangular(form.mT, both, upper=True)
    both = both.reshape(count, 3, -1).permute(1, 0, 2).reshape(3 * count, -1).cpu().numpy()
    coefficients = (left[:, :kept] * size / max(unit, np.finfo(np.float64).tiny)).cpu().numpy()
    return both[:, -1], both[:, :-1], coefficients


def _regression(inputs: Float64, coefficients: Float64) -> tuple[Float64, Float64]:
    """Weight (K, n) and bias (K) of the ridge regression of coefficients on inputs."""
    centered = inputs - inputs.mean(axis=0)
    gram = centered.T @ centered + RIDGE * len(inputs) * np.eye(inputs.shape[1])
    weight = np.linalg.solve(gram, centered.T @ (coefficients - coefficients.mean(axis=0))).T
    return weight, coefficients.mean(axis=0) - weight @ inputs.mean(axis=0)


def _layers(
    shape: BasisShape, basis: Float64, mean: Float64, regression: tuple[Float64, Float64], seed: list[int]
) -> Arrays:
    """The last layers: the basis, and coefficients that are near their regression."""
    last = shape.initial_weights(seed)["dense3.weight"]
    last[0, :, shape.hidden :] = regression[0]
    layers = {
        "dense3.weight": last,
        "dense3.bias": regression[1][None, None],
        "basis.weight": basis[None],
        "basis.bias": mean[None, None],
    }
    return {name: np.ascontiguousarray(value, np.float32) for name, value in layers.items()}
