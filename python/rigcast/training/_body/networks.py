"""The networks of all vertex sets at once: padded, batched matrix products (Bailey et al. 2018, equation 6).

Set s maps its normalized inputs z to scaled coefficients y = W3 tanh(W2 tanh(W1 z + b1) + b2) + b3. Inputs and
outputs are padded to the widest set; padded inputs are zero and padded outputs weigh nothing, so their weights have no
effect, and they are cut off again when a model is exported.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

PARAMETERS = ("weight1", "bias1", "weight2", "bias2", "weight3", "bias3")


def initial_parameters(inputs: list[int], outputs: list[int], hidden: int, seed: int) -> dict[str, NDArray[np.float32]]:
    """Glorot-normal weights of S networks: weight1 (S, n, H), weight2 (S, H, H), weight3 (S, H, r); zero biases."""
    rng = np.random.default_rng([seed, 2])
    count, n, r = len(inputs), max(inputs), max(outputs)
    result = {
        "weight1": np.zeros((count, n, hidden), np.float32),
        "bias1": np.zeros((count, 1, hidden), np.float32),
        "weight2": np.zeros((count, hidden, hidden), np.float32),
        "bias2": np.zeros((count, 1, hidden), np.float32),
        "weight3": np.zeros((count, hidden, r), np.float32),
        "bias3": np.zeros((count, 1, r), np.float32),
    }
    for s, (a, b) in enumerate(zip(inputs, outputs, strict=True)):
        result["weight1"][s, :a] = rng.standard_normal((a, hidden)) * np.sqrt(2.0 / (a + hidden))
        result["weight2"][s] = rng.standard_normal((hidden, hidden)) * np.sqrt(1.0 / hidden)
        result["weight3"][s, :, :b] = rng.standard_normal((hidden, b)) * np.sqrt(2.0 / (hidden + b))
    return result


def forward(torch: Any, parameters: dict[str, Any], inputs: Any) -> Any:
    """Scaled coefficients (S, B, r) of normalized inputs (S, B, n)."""
    first = torch.tanh(torch.baddbmm(parameters["bias1"], inputs, parameters["weight1"]))
    second = torch.tanh(torch.baddbmm(parameters["bias2"], first, parameters["weight2"]))
    return torch.baddbmm(parameters["bias3"], second, parameters["weight3"])


@dataclass(frozen=True)
class NetworkProblem:
    """The data of all networks, padded: S sets over T rows.

    Attributes
    ----------
    inputs : (S, T, n) float32 array
        Normalized.
    targets : (S, T, r) float32 array
        Scaled coefficients.
    importance : (S, 1, r) float32 array
        Square of what one unit of a target is worth as a length; 0 for padding.
    training : (T,) bool array
        The other rows are held out.
    """

    inputs: NDArray[np.float32]
    targets: NDArray[np.float32]
    importance: NDArray[np.float32]
    training: NDArray[np.bool_]


@dataclass(frozen=True)
class Normalization:
    """Affine maps around a network: z = (x - mean) @ whiten, coefficients = y * scale."""

    mean: NDArray[np.float64]  # (n,)
    whiten: NDArray[np.float64]  # (n, n)
    scale: NDArray[np.float64]  # (r,)


def normalize(
    inputs: NDArray[np.float32], coefficients: NDArray[np.float32], smallest: ArrayLike = 1e-6
) -> Normalization:
    """Normalization of one set from its training rows (T, n) and (T, r).

    Inputs of unit deviation, but deviations of at least ``smallest`` (n,): columns that hardly vary carry the rounding
    of the host, which networks would follow. Coefficients divided by one number, their root mean square, so that a
    step of the last layer moves all of them equally far (better than a number each: the small components matter less).
    """
    data = inputs.astype(np.float64)
    deviation = np.maximum(data.std(axis=0), smallest)
    scale = float(np.sqrt(np.square(coefficients, dtype=np.float64).mean())) or 1.0
    return Normalization(data.mean(axis=0), np.diag(1.0 / deviation), np.full(coefficients.shape[1], scale))


def make_problem(
    inputs: list[NDArray[np.float32]],
    coefficients: list[NDArray[np.float32]],
    maps: list[Normalization],
    training: NDArray[np.bool_],
) -> NetworkProblem:
    """Pad the normalized inputs (T, n_s) and scaled coefficients (T, r_s) of S sets."""
    count, rows = len(inputs), len(training)
    n, r = max(x.shape[1] for x in inputs), max(c.shape[1] for c in coefficients)
    problem = NetworkProblem(
        np.zeros((count, rows, n), np.float32),
        np.zeros((count, rows, r), np.float32),
        np.zeros((count, 1, r), np.float32),
        training,
    )
    for s, (x, c, m) in enumerate(zip(inputs, coefficients, maps, strict=True)):
        problem.inputs[s, :, : x.shape[1]] = (x - m.mean) @ m.whiten
        problem.targets[s, :, : c.shape[1]] = c / m.scale
        problem.importance[s, 0, : c.shape[1]] = np.square(m.scale)
    return problem


def layers(parameters: dict[str, NDArray[np.float32]], s: int, maps: Normalization) -> dict[str, NDArray[np.float32]]:
    """Layers of set s on raw inputs and coefficients: normalization folded in, padding cut off."""
    n, r = len(maps.mean), len(maps.scale)
    p = {name: parameters[name][s].astype(np.float64) for name in PARAMETERS}
    first = maps.whiten @ p["weight1"][:n]
    result = {
        "layer1.weight": first.T,
        "layer1.bias": p["bias1"][0] - maps.mean @ first,
        "layer2.weight": p["weight2"].T,
        "layer2.bias": p["bias2"][0],
        "layer3.weight": (p["weight3"][:, :r] * maps.scale).T,
        "layer3.bias": p["bias3"][0, :r] * maps.scale,
    }
    return {name: np.ascontiguousarray(value, np.float32) for name, value in result.items()}
