"""The differential network and the anchor networks: batched dense layers with relu, their problem, their layers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast.training._differential._inputs import normalization
from rigcast.training._differential._labels import Labels
from rigcast.training._differential._settings import DifferentialSettings
from rigcast.training._optimizers import Arrays

FAINT = 0.1  # of the last layer at the start, where networks correct a base
HIDDEN_PER_INPUT = 4  # hidden units of an anchor network, at most
GROUPS = 6  # of anchor networks; one group would be two thirds padding on a face

Layers = list[tuple[NDArray[np.float64], NDArray[np.float64]]]  # weights (inputs, outputs) and biases


@dataclass(frozen=True)
class NetworkGroup:
    """Networks of one shape, with inputs padded to the widest: S networks over T rows.

    Attributes
    ----------
    name : str
        "network", or "anchors0", "anchors1", ...
    columns : list of (n,) int32
    places : (S, n) int64
        The normalized columns that each network reads; padding reads the zeros after the last column.
    targets : (S, T, r) float32
        Scaled to a root mean square of 1 per network.
    scale : (S,) float64
        One unit of a target.
    importance : (S,) float64
        Squared displacement, over all vertices, that a unit error of a target causes.
    hidden, layers : int
    """

    name: str
    columns: list[NDArray[np.int32]]
    places: NDArray[np.int64]
    targets: NDArray[np.float32]
    scale: NDArray[np.float64]
    importance: NDArray[np.float64]
    hidden: int
    layers: int

    def sizes(self) -> list[tuple[int, int]]:
        """Inputs and outputs of the layers."""
        return [
            (self.places.shape[1] if i == 0 else self.hidden, self.hidden if i < self.layers else self.targets.shape[2])
            for i in range(self.layers + 1)
        ]


class SubspaceProblem:
    """The data of all rows.

    Parameters
    ----------
    poses : (T, C) float32
    labels : Labels
    columns : (n,) int32
        Inputs of the differential network.
    anchor_columns : list of (n_s,) int32
        Inputs of each anchor network; one without any is a constant, and not trained.
    training : (T,) bool
        The other rows are held out.

    Attributes
    ----------
    inputs : (T, C + 1) float32
        Normalized columns, and one of zeros.
    network : NetworkGroup
    anchors : list of NetworkGroup
        Anchor networks with about as many inputs: little of a group is padding.
    anchor_columns : list
        As given.
    trained : list of lists of int
        The anchor networks in each of these groups.
    """

    def __init__(
        self,
        poses: NDArray[np.float32],
        joints: int,
        labels: Labels,
        columns: NDArray[np.int32],
        anchor_columns: list[NDArray[np.int32]],
        training: NDArray[np.bool_],
        settings: DifferentialSettings,
    ) -> None:
        self.training, self.settings, self.labels = training, settings, labels
        self.anchor_columns = anchor_columns
        self.mean, self.deviation = normalization(poses[training], joints, settings.recipe)
        zero = np.zeros((len(poses), 1))
        self.inputs = np.concatenate([(poses - self.mean) / self.deviation, zero], axis=1).astype(np.float32)
        self._padding = poses.shape[1]
        trained = [s for s, c in enumerate(anchor_columns) if len(c)] or [0]
        trained.sort(key=lambda s: len(anchor_columns[s]))
        self.trained = [list(map(int, part)) for part in np.array_split(trained, GROUPS) if len(part)]
        z = labels.coefficients.astype(np.float64)
        self.center = z[training].mean(axis=0)
        y = z - self.center
        if settings.loss == "displacement":
            y = y @ labels.metric
        self.network = self._group("network", [columns], y[None], np.ones(1), settings.hidden, settings.layers)
        a = labels.positions.astype(np.float64)
        targets = a.reshape(1, len(a), -1) if settings.anchor_networks == "one" else a.transpose(1, 0, 2)
        self.anchor_center = targets[:, training].mean(axis=1)
        gains = np.square(labels.gains)
        if settings.anchor_networks == "one":
            gains = gains.mean(keepdims=True)
        left = targets - self.anchor_center[:, None]
        self.anchors = []
        for number, part in enumerate(self.trained):
            read = [anchor_columns[s] for s in part]
            hidden = settings.anchor_hidden
            if settings.recipe == "narrow":
                hidden = min(hidden, HIDDEN_PER_INPUT * max(map(len, read)))
            sizes = max(hidden, 1), settings.anchor_layers
            self.anchors.append(self._group(f"anchors{number}", read, left[part], gains[part], *sizes))
        self.groups = (self.network, *self.anchors)

    def _group(
        self,
        name: str,
        columns: list[NDArray[np.int32]],
        targets: NDArray[np.float64],
        importance: NDArray[np.float64],
        hidden: int,
        layers: int,
    ) -> NetworkGroup:
        widest = max(1, *(len(c) for c in columns))
        places = np.full((len(columns), widest), self._padding)
        for s, c in enumerate(columns):
            places[s, : len(c)] = c
        scale = np.sqrt(np.square(targets[:, self.training]).mean(axis=(1, 2)))
        scale = np.maximum(scale, 1e-6 * float(scale.max()) or 1.0)
        scaled = (targets / scale[:, None, None]).astype(np.float32)
        return NetworkGroup(name, columns, places, scaled, scale, importance * np.square(scale), hidden, layers)

    def initial(self, seed: int) -> Arrays:
        """He-normal weights (S, inputs, outputs) and zero biases (S, 1, outputs); on a base, small ones in the end."""
        rng = np.random.default_rng([seed, 2])
        result: Arrays = {}
        for group in self.groups:
            sizes = group.sizes()
            for i, (a, b) in enumerate(sizes, 1):
                weight = np.zeros((len(group.columns), a, b), np.float32)
                for s, columns in enumerate(group.columns):
                    used = len(columns) if i == 1 else a
                    spread = np.sqrt((2.0 if i < len(sizes) else 1.0) / max(used, 1))
                    weight[s, :used] = spread * rng.standard_normal((used, b))
                result[f"{group.name}_weight{i}"] = weight
                result[f"{group.name}_bias{i}"] = np.zeros((len(group.columns), 1, b), np.float32)
            if self.settings.base:
                result[f"{group.name}_weight{len(sizes)}"] *= FAINT
        return result

    def nothing(self, seed: int) -> Arrays:
        """Weights with which the base alone decides: networks whose outputs are the means of the targets."""
        result = self.initial(seed)
        for group in self.groups:
            result[f"{group.name}_weight{group.layers + 1}"][:] = 0.0
        return result

    def layers(self, group: NetworkGroup, weights: Arrays, s: int) -> Layers:
        """The layers of network s on raw columns, with scaled outputs."""
        columns = group.columns[s]
        result = []
        for i in range(1, group.layers + 2):
            weight = weights[f"{group.name}_weight{i}"][s].astype(np.float64)
            bias = weights[f"{group.name}_bias{i}"][s, 0].astype(np.float64)
            if i == 1:
                weight = weight[: len(columns)] / self.deviation[columns][:, None]
                bias = bias - self.mean[columns] @ weight
            if i == group.layers + 1:
                weight, bias = weight * group.scale[s], bias * group.scale[s]
            result.append((weight, bias))
        return result


def forward(torch: Any, group: NetworkGroup, weights: dict[str, Any], inputs: Any) -> Any:
    """Scaled targets (S, B, r) of normalized inputs (S, B, n)."""
    x = inputs
    for i in range(1, group.layers + 1):
        x = torch.relu(torch.baddbmm(weights[f"{group.name}_bias{i}"], x, weights[f"{group.name}_weight{i}"]))
    return torch.baddbmm(
        weights[f"{group.name}_bias{group.layers + 1}"], x, weights[f"{group.name}_weight{group.layers + 1}"]
    )
