"""The differential network and the anchor networks: batched dense layers with relu, their problem, their layers.

With linear units every layer after the first reads the inputs beside the layer before it, and of each dial x that has
both signs max(x, 0), which drives other shapes than min(x, 0). The last layer begins as the regression of the targets
on both: hidden units have only to learn what is left. A model file knows relu alone; there a linear unit is
relu(z + ``REACH``), max(x, 0) is relu(x), both are passed on from layer to layer, and each layer that reads a linear
unit takes REACH off again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._regression.inputs import signed_controls
from rigcast.training._differential._inputs import normalization
from rigcast.training._differential._labels import Labels
from rigcast.training._differential._settings import DifferentialSettings
from rigcast.training._optimizers import Arrays

REACH = 16.0  # deviations below the mean down to which a linear unit is linear
FAINT = 0.1  # of the last layer's weights of the other units at the start
RIDGE = 1e-3  # of the mean square of an input, times the squared number of inputs per row
HIDDEN_PER_INPUT = 4  # hidden units of an anchor network, at most
GROUPS = 6  # of anchor networks; one group would be two thirds padding on a face

Layers = list[tuple[NDArray[np.float64], NDArray[np.float64]]]  # weights (inputs, outputs) and biases


@dataclass(frozen=True)
class Group:
    """Networks of one shape, with inputs padded to the widest: S networks over T rows.

    Attributes
    ----------
    name : str
        "network", or "anchors0", "anchors1", ...
    columns : list of (n,) int32
    places : (S, n + k) int64
        The normalized columns that each network reads, n, and positive parts that layers after the first read beside
        them, k; padding reads the zeros after the last column.
    num_inputs : int
        n.
    targets : (S, T, r) float32
        Scaled to a root mean square of 1 per network.
    scale : (S,) float64
        One unit of a target.
    importance : (S,) float64
        Squared displacement, over all vertices, that a unit error of a target causes.
    hidden, layers : int
    linear : bool
        Whether the layers after the first read the inputs, too.
    """

    name: str
    columns: list[NDArray[np.int32]]
    places: NDArray[np.int64]
    num_inputs: int
    targets: NDArray[np.float32]
    scale: NDArray[np.float64]
    importance: NDArray[np.float64]
    hidden: int
    layers: int
    linear: bool

    @property
    def units(self) -> int:
        """What a layer after the first reads."""
        return self.hidden + int(self.places.shape[1]) * self.linear

    def sizes(self) -> list[tuple[int, int]]:
        """Inputs and outputs of the layers."""
        return [
            (self.num_inputs if i == 0 else self.units, self.hidden if i < self.layers else self.targets.shape[2])
            for i in range(self.layers + 1)
        ]


class Problem:
    """What is learned from all rows.

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
    inputs : (T, C + 1 + K) float32
        Normalized columns, one of zeros, and the positive parts of signed controls, in their deviations.
    signed : (K,) int64
        The columns of these controls; none without linear units.
    network : Group
    anchors : list of Group
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
        self.signed = signed_controls(poses[training], joints) if settings.linear else np.zeros(0, np.int64)
        zero = np.zeros((len(poses), 1))
        positive = np.maximum(poses[:, self.signed], 0.0) / self.deviation[self.signed]
        self.inputs = np.concatenate([(poses - self.mean) / self.deviation, zero, positive], axis=1).astype(np.float32)
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
    ) -> Group:
        widest = max(1, *(len(c) for c in columns))
        parts = [np.flatnonzero(np.isin(self.signed, c)) for c in columns]
        places = np.full((len(columns), widest + max(map(len, parts))), self._padding)
        for s, (c, own) in enumerate(zip(columns, parts, strict=True)):
            places[s, : len(c)] = c
            places[s, widest : widest + len(own)] = self._padding + 1 + own
        scale = np.sqrt(np.square(targets[:, self.training]).mean(axis=(1, 2)))
        scale = np.maximum(scale, 1e-6 * max(float(scale.max()), 1e-12))
        scaled = (targets / scale[:, None, None]).astype(np.float32)
        linear = self.settings.linear
        return Group(
            name, columns, places, widest, scaled, scale, importance * np.square(scale), hidden, layers, linear
        )

    def initial(self) -> Arrays:
        """He-normal weights (S, inputs, outputs) and zero biases (S, 1, outputs).

        With linear units the last layer is the linear regression, and hardly sees the others.
        """
        rng = np.random.default_rng([self.settings.seed, 2])
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
            if group.linear:
                last = f"{group.name}_weight{len(sizes)}", f"{group.name}_bias{len(sizes)}"
                result[last[0]] *= FAINT
                result[last[0]][:, group.hidden :], result[last[1]][:, 0] = self._regression(group)
        return result

    def regression(self) -> Arrays:
        """Weights with which the linear units and positive parts alone decide: the regression of the targets."""
        result = self.initial()
        for group in self.groups:
            result[f"{group.name}_weight{group.layers + 1}"][:, : group.hidden] = 0.0
        return result

    def _regression(self, group: Group) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Weights (S, n, r) and biases (S, r) of the linear regression of the targets on the training rows."""
        inputs = self.inputs[self.training].astype(np.float64)
        mean = inputs.mean(axis=0)
        inputs -= mean
        gram = inputs.T @ inputs
        share = min(1.0, int((inputs != 0.0).any(axis=0).sum()) / len(inputs))
        gram[np.diag_indices(len(gram))] += RIDGE * share**2 * max(float(np.trace(gram)) / len(gram), 1e-30)
        weights = np.zeros((len(group.columns), group.places.shape[1], group.targets.shape[2]))
        biases = np.zeros((len(group.columns), group.targets.shape[2]))
        for s, places in enumerate(group.places):
            used = np.flatnonzero(places != self._padding)
            read = places[used]
            targets = group.targets[s, self.training].astype(np.float64)
            found = np.linalg.solve(gram[np.ix_(read, read)], inputs[:, read].T @ targets)
            weights[s, used] = found
            biases[s] = targets.mean(axis=0) - mean[read] @ found
        return weights.astype(np.float32), biases.astype(np.float32)

    def layers(self, group: Group, weights: Arrays, s: int) -> Layers:
        """The layers of network s on raw columns, with scaled outputs."""
        columns = group.columns[s]
        result = []
        for i in range(1, group.layers + 2):
            weight = weights[f"{group.name}_weight{i}"][s].astype(np.float64)
            bias = weights[f"{group.name}_bias{i}"][s, 0].astype(np.float64)
            if group.linear:
                weight, bias = _passed_on(group, i, weight, bias)
                if i == 1:
                    self._add_positive_parts(group, s, weight, bias)
            if i == 1:
                weight = weight[: len(columns)] / self.deviation[columns][:, None]
                bias = bias - self.mean[columns] @ weight
            if i == group.layers + 1:
                weight, bias = weight * group.scale[s], bias * group.scale[s]
            result.append((weight, bias))
        return result

    def _add_positive_parts(self, group: Group, s: int, weight: NDArray[np.float64], bias: NDArray[np.float64]) -> None:
        """The units relu(x) of a first layer on normalized columns."""
        for unit, place in enumerate(group.places[s, group.num_inputs :], group.hidden + group.num_inputs):
            if place != self._padding:
                column = self.signed[place - self._padding - 1]
                weight[np.flatnonzero(group.places[s, : group.num_inputs] == column), unit] = 1.0
                bias[unit] = self.mean[column] / self.deviation[column]


def forward(torch: Any, group: Group, weights: dict[str, Any], inputs: Any) -> Any:
    """Scaled targets (S, B, r) of normalized inputs and positive parts (S, B, n + k)."""
    x = inputs[:, :, : group.num_inputs]
    for i in range(1, group.layers + 1):
        x = torch.relu(torch.baddbmm(weights[f"{group.name}_bias{i}"], x, weights[f"{group.name}_weight{i}"]))
        x = torch.cat([x, inputs], dim=2) if group.linear else x
    return torch.baddbmm(
        weights[f"{group.name}_bias{group.layers + 1}"], x, weights[f"{group.name}_weight{group.layers + 1}"]
    )


def _passed_on(
    group: Group, layer: int, weight: NDArray[np.float64], bias: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A layer with linear units as relu units: the first makes them, the others read them, the last passes none on.

    Positive parts are passed on as they are; what the first layer makes of them is left at 0.
    """
    inputs, kept = group.num_inputs, group.places.shape[1]
    before = 0 if layer == 1 else group.hidden
    if layer > 1:
        bias = bias - REACH * weight[before : before + inputs].sum(axis=0)
    if layer == group.layers + 1:
        return weight, bias
    rows = inputs if layer == 1 else before + kept
    result = np.zeros((rows, group.units))
    result[:, : group.hidden] = weight
    result[before:, group.hidden :] = np.eye(rows - before, kept)
    added = np.zeros(kept)
    added[:inputs] = REACH if layer == 1 else 0.0
    return result, np.concatenate([bias, added])
