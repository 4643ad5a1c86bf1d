"""Networks that give the offsets of segments directly: trained as the networks of a body are."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rigwright._extras import require
from rigwright._validate import bad_argument
from rigwright.progress import Progress, ProgressCallback
from rigwright.training._basis import Basis, reduce_residuals
from rigwright.training._checkpoint import State, only_run, read_checkpoint, write_checkpoint
from rigwright.training._networks import layers, make_problem, normalize
from rigwright.training._optimize import Budget, Trainer, torch_settings
from rigwright.training._optimizers import Arrays
from rigwright.training._outlook import Outlook
from rigwright.training._pipeline import seconds_of_training
from rigwright.training._settings import BodySettings


@dataclass(frozen=True)
class Segment:
    """What one network learns.

    Attributes
    ----------
    columns : (n,) int32
        Pose columns that are its inputs.
    basis : Basis
        Of its offsets (T, 3 M).
    """

    columns: NDArray[np.int32]
    basis: Basis


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


def check_device(function: str, device: object) -> None:
    """Raise MissingExtra without PyTorch, and ValueError if networks cannot be trained on the device here."""
    torch = require("torch", extra="training", purpose="training a model")
    usable = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]
    if device not in usable:
        raise bad_argument(function, "device", repr(device), " or ".join(map(repr, usable)) + " here")


def offset_basis(
    offsets: NDArray[np.float32], training: NDArray[np.bool_], hidden: int, least: float, seed: int
) -> Basis:
    """Orthonormal coordinates of offsets (T, M, 3), which are overwritten.

    At most as many as hidden units, the rank of a last layer, and none for offsets below ``least`` on average.
    """
    return reduce_residuals(offsets, np.ones(offsets.shape[1], np.float32), training, least, hidden, seed)


class DirectNetworks:
    """The networks of the segments that have inputs and move.

    The loss is the squared distance of the vertices, divided by each segment's variance: in the orthonormal
    coordinates of a basis it is that of the coefficients, so the last layer W3 of a network, whose rank is at most its
    hidden width, is trained as its coefficients and multiplied by the basis afterwards.

    Parameters
    ----------
    poses : (T, C) float32
    segments : list of Segment
    training : (T,) bool
        The other rows are held out.
    settings : BodySettings
    function : str
        Named in errors.
    """

    def __init__(
        self,
        poses: NDArray[np.float32],
        segments: list[Segment],
        training: NDArray[np.bool_],
        settings: BodySettings,
        function: str,
    ) -> None:
        self.segments, self.training, self.settings, self.function = segments, training, settings, function
        self.active = [i for i, s in enumerate(segments) if len(s.columns) and s.basis.components.shape[1]]
        self.inputs = [poses[:, segments[i].columns] for i in self.active]
        self.targets = [segments[i].basis.coefficients for i in self.active]
        self.maps = [normalize(x[training], y[training]) for x, y in zip(self.inputs, self.targets, strict=True)]

    def layers(self, weights: Arrays) -> list[DirectLayers]:
        """The layers of all segments that these weights make."""
        result = [DirectLayers({}, np.zeros((len(s.basis.mean), 0), np.float32), s.basis.mean) for s in self.segments]
        for s, i in enumerate(self.active):
            found, basis = layers(weights, s, self.maps[s]), self.segments[i].basis
            last = basis.components @ found.pop("layer3.weight").astype(np.float64)
            constant = basis.mean + basis.components @ found.pop("layer3.bias").astype(np.float64)
            result[i] = DirectLayers(found, last.astype(np.float32), constant)
        return result

    def train(
        self,
        error: Callable[[list[DirectLayers]], float],
        report: ProgressCallback,
        *,
        started: float,
        device: str = "cpu",
        threads: int = 0,
        checkpoint: Path | None = None,
        run: str = "",
        restart: bool = False,
    ) -> tuple[list[DirectLayers], int]:
        """Train; the layers of the lowest held-out loss, and the steps that were done.

        Parameters
        ----------
        error : callable
            The mean held-out distance of layers, for the report.
        started : float
            When the call began (``time.monotonic``).
        checkpoint : Path, optional
            A file that a killed run continues from; it is removed at the end.
        run : str
            Identifies data and settings.
        restart : bool
            Ignore what an earlier run left in ``checkpoint``.

        Raises
        ------
        ValueError
            If the checkpoint belongs to another run or is written by one.
        NumericalError
            If training diverges.
        """
        if not self.active:
            return self.layers({}), 0
        torch = require("torch", extra="training", purpose="training a model")
        with contextlib.nullcontext() if checkpoint is None else only_run(checkpoint, self.function):
            if checkpoint is not None and restart:
                checkpoint.unlink(missing_ok=True)
            with torch_settings(torch, threads, device):
                state = self._train(error, report, started, device, checkpoint, run)
            if checkpoint is not None:
                checkpoint.unlink(missing_ok=True)
        return self.layers(state.best), state.step

    def _train(
        self,
        error: Callable[[list[DirectLayers]], float],
        progress: ProgressCallback,
        started: float,
        device: str,
        checkpoint: Path | None,
        run: str,
    ) -> State:
        settings = self.settings
        problem = make_problem(self.inputs, self.targets, self.maps, self.training)
        widths = [len(m.mean) for m in self.maps], [len(m.scale) for m in self.maps]
        trainer = Trainer(problem, *widths, settings, device, self.function)
        budget = Budget(settings.steps, seconds_of_training(settings.minutes, time.monotonic() - started))
        outlook = Outlook(budget)
        state = (read_checkpoint(checkpoint, run, self.function) if checkpoint else None) or trainer.start()
        state.seconds += time.monotonic() - started

        def report(now: State, weights: Arrays) -> None:
            distance = error(self.layers(weights))
            message = f"held-out error {distance:.3g}, {outlook.words(now, distance)}"
            progress(Progress("training", budget.spent(now), 1.0, message))

        def keep(now: State) -> None:
            if checkpoint is not None:
                write_checkpoint(checkpoint, now, run)

        return trainer.run(state, budget, report, keep)
