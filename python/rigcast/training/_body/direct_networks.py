"""Networks that give the offsets of segments directly: trained as the networks of a body are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast._regression.components import principal_components
from rigcast._regression.inputs import Inputs
from rigcast.training._body.networks import Normalization, layers, make_problem
from rigcast.training._body.settings import BodySettings
from rigcast.training._body.trainer import Trainer
from rigcast.training._budget import Budget
from rigcast.training._descend import train
from rigcast.training._optimizers import Arrays

WATCHED = 32  # held-out poses whose error is reported while training


@dataclass(frozen=True)
class Offsets:
    """Offsets (T, 3 M) of a segment in principal components.

    Attributes
    ----------
    components : (3 M, r) float32 array
        Orthonormal.
    mean : (3 M,) float64 array
    coefficients : (T, r) float32 array
        Of every row, the held-out ones too.
    """

    components: NDArray[np.float32]
    mean: NDArray[np.float64]
    coefficients: NDArray[np.float32]


@dataclass(frozen=True)
class DirectSegment:
    """The data of one network.

    Attributes
    ----------
    inputs : Inputs or None
        Of the poses; None if nothing moves the segment.
    offsets : Offsets
    """

    inputs: Inputs | None
    offsets: Offsets


@dataclass(frozen=True)
class DirectLayers:
    """A trained network: ``offsets = last @ tanh(W2 @ tanh(W1 @ x + b1) + b2) + constant``.

    Attributes
    ----------
    hidden : dict of arrays
        ``layer1.weight``, ``layer1.bias``, ``layer2.weight``, ``layer2.bias``; empty without a network.
    last : (3 M, H2) float32
    constant : (3 M,) float64
    """

    hidden: dict[str, NDArray[np.float32]]
    last: NDArray[np.float32]
    constant: NDArray[np.float64]


def reduced_offsets(
    offsets: NDArray[np.float32], training: NDArray[np.bool_], hidden: int, least: float, threads: int = 0
) -> Offsets:
    """Principal components of offsets (T, M, 3), which are overwritten.

    At most as many as hidden units, the rank of a last layer, and as few as leave a root mean square distance of at
    most ``least`` on the training rows: none for offsets below it.
    """
    flat = offsets.reshape(len(offsets), -1)
    most = min(hidden, int(training.sum()) - 1, flat.shape[1])
    found = principal_components(flat[training], most, threads)
    flat -= found.mean
    coefficients = _core.matrix_product(flat, found.basis, threads=threads)
    total = float(np.square(flat[training], dtype=np.float64).sum())
    left = total - np.append(0.0, np.cumsum(np.square(coefficients[training], dtype=np.float64).sum(axis=0)))
    enough = np.flatnonzero(left <= np.square(least) * training.sum() * offsets.shape[1])
    count = int(enough[0]) if len(enough) else most
    return Offsets(found.basis[:, :count], found.mean.astype(np.float64), np.ascontiguousarray(coefficients[:, :count]))


class DirectNetworks:
    """The networks of the segments that have inputs and move.

    The loss is the squared distance of the vertices, divided by each segment's variance: in the orthonormal
    coordinates of a basis it is that of the coefficients, so the last layer W3 of a network, whose rank is at most its
    hidden width, is trained as its coefficients and multiplied by the basis afterwards.

    Parameters
    ----------
    poses : (T, C) float32
    segments : list of DirectSegment
    training : (T,) bool
        The other rows are held out.
    settings : BodySettings
    budget : Budget
    """

    def __init__(
        self,
        poses: NDArray[np.float32],
        segments: list[DirectSegment],
        training: NDArray[np.bool_],
        settings: BodySettings,
        budget: Budget,
    ) -> None:
        self.segments, self.training, self.settings, self.budget = segments, training, settings, budget
        self.active = [i for i, s in enumerate(segments) if s.inputs and s.offsets.components.shape[1]]
        self.inputs = [_unit_inputs(segments[i].inputs, poses) for i in self.active]
        self.targets = [segments[i].offsets.coefficients for i in self.active]
        self.maps = [_as_they_are(x, y[training]) for x, y in zip(self.inputs, self.targets, strict=True)]

    def layers(self, weights: Arrays) -> list[DirectLayers]:
        """The layers of all segments that these weights make."""
        result = [
            DirectLayers({}, np.zeros((len(s.offsets.mean), 0), np.float32), s.offsets.mean) for s in self.segments
        ]
        for s, i in enumerate(self.active):
            found, segment = layers(weights, s, self.maps[s]), self.segments[i]
            inputs, offsets = segment.inputs, segment.offsets
            assert inputs is not None
            first = found["layer1.weight"].astype(np.float64) @ inputs.project * np.sqrt(len(inputs.project))
            found["layer1.bias"] = (found["layer1.bias"] - first @ inputs.mean).astype(np.float32)
            found["layer1.weight"] = np.ascontiguousarray(first, np.float32)
            last = offsets.components @ found.pop("layer3.weight")
            constant = offsets.mean + offsets.components @ found.pop("layer3.bias").astype(np.float64)
            result[i] = DirectLayers(found, last, constant)
        return result

    def distance(self, weights: Arrays, rows: NDArray[np.intp]) -> float:
        """The mean distance of all vertices that these weights leave in some rows, within the components."""
        total = 0.0
        for s, i in enumerate(self.active):
            found, x = layers(weights, s, self.maps[s]), self.inputs[s][rows]
            for name in ("layer1", "layer2"):
                x = np.tanh(x @ found[f"{name}.weight"].T + found[f"{name}.bias"])
            left = x @ found["layer3.weight"].T + found["layer3.bias"] - self.targets[s][rows]
            offsets = (left @ self.segments[i].offsets.components.T).reshape(len(rows), -1, 3)
            total += float(np.linalg.norm(offsets, axis=2).sum(dtype=np.float64))
        count = sum(len(s.offsets.mean) for s in self.segments) // 3
        return total / (max(count, 1) * len(rows))

    def train(self, run: str) -> tuple[list[DirectLayers], int]:
        """Train; the layers of the lowest held-out loss, and the steps that were done.

        Parameters
        ----------
        run : str
            Identifies data and settings of the checkpoint.

        Raises
        ------
        ValueError
            If the checkpoint belongs to another run or is written by one.
        NumericalError
            If training diverges.
        """
        if not self.active:
            return self.layers({}), 0
        with self.budget.at_work():
            problem = make_problem(self.inputs, self.targets, self.maps, self.training)
            widths = [len(m.mean) for m in self.maps], [len(m.scale) for m in self.maps]
            trainer = Trainer(problem, *widths, self.settings, self.budget)
            watched = np.flatnonzero(~self.training)[:WATCHED]

            def said(weights: Arrays) -> tuple[str, float]:
                distance = self.distance(weights, watched)
                return f"{distance:.3g}", distance

            state, _ = train(trainer, self.budget, said, run=run)
        return self.layers(state.best), state.step


def _unit_inputs(inputs: Inputs | None, poses: NDArray[np.float32]) -> NDArray[np.float32]:
    """Inputs (T, D) whose mean square is 1 on average."""
    assert inputs is not None
    return np.asarray(inputs(poses) * np.sqrt(len(inputs.project)), np.float32)


def _as_they_are(inputs: NDArray[np.float32], coefficients: NDArray[np.float32]) -> Normalization:
    """Inputs are scaled already; coefficients are divided by their root mean square, one number for all."""
    count = inputs.shape[1]
    scale = float(np.sqrt(np.square(coefficients, dtype=np.float64).mean())) or 1.0
    return Normalization(np.zeros(count), np.eye(count), np.full(coefficients.shape[1], scale))
