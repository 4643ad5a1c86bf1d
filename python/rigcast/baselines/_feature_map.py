"""The tensors ``map.*`` of a model: numbers regressed from poses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._regression.inputs import MOST_INPUTS, fit_inputs
from rigcast._regression.ridge import Choice, Features, choose_ridge, fit_weights, spaced
from rigcast._validate import bad_argument
from rigcast.baselines._samples import BaselineExamples

_FEATURES = ("linear", "quadratic")
_MOST_FITTED = 3000  # poses that a regression uses at most: a cubic cost


@dataclass(frozen=True)
class FittedMap:
    """A regression of numbers (T, R) on poses, as tensors, and what was chosen."""

    tensors: dict[str, NDArray[Any]]
    features: Features
    choice: Choice

    @property
    def about(self) -> dict[str, object]:
        """For the metadata: features, ridge, inputs."""
        return {
            "features": self.features,
            "ridge": self.choice.ridge,
            "products": self.choice.products,
            "inputs": int(self.tensors["map.project"].shape[0]),
        }


def check_features(function: str, features: str | None) -> None:
    if features is not None and features not in _FEATURES:
        raise bad_argument(function, "features", repr(features), "'linear', 'quadratic' or None")


def fit_map(
    function: str, examples: BaselineExamples, targets: NDArray[np.float64], features: Features | None, threads: int
) -> FittedMap:
    """Ridge regression from the examples' poses to targets (T, R).

    Parameters
    ----------
    features : "linear", "quadratic" or None
        None: whichever has the smaller error in the cross-validation that chooses the ridge.

    Raises
    ------
    ValueError
        If no column of the poses varies.
    """
    poses = examples.poses
    rows = spaced(len(poses), _MOST_FITTED)
    clip = None if examples.clip is None else examples.clip[rows]
    kinds: tuple[Features, ...] = ("linear", "quadratic") if features is None else (features,)
    found = []
    for kind in kinds:
        most = MOST_INPUTS if kind == "quadratic" else None
        inputs = fit_inputs(poses[rows], examples.num_joints, examples.extent, most)
        if inputs is None:
            raise bad_argument(function, "data", "of constant poses", "poses of which at least one column varies")
        choice = choose_ridge(inputs(poses[rows]), targets[rows], kind, clip, threads)
        found.append((choice.error, kind, choice, inputs))
    _, kind, choice, inputs = min(found, key=lambda entry: entry[0])
    weights = fit_weights(inputs(poses[rows]), targets[rows], choice, threads)
    tensors = {
        "map.column": inputs.columns,
        "map.mean": inputs.mean.astype(np.float32),
        "map.project": inputs.project.astype(np.float32),
        "map.weight": weights.weight.astype(np.float32),
        "map.bias": weights.bias.astype(np.float32),
    }
    return FittedMap(tensors, kind, choice)
