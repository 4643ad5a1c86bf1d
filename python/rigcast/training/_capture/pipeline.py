"""From synthetic actors to a network that reads faces."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._resume.fingerprints import fingerprint
from rigcast._validate import Arguments, bad_argument
from rigcast.capture import ActorVariation, CaptureNetwork, Cast
from rigcast.capture._network.alignment import layout_of_character
from rigcast.capture._sides import other_sides
from rigcast.progress import ProgressOption
from rigcast.training._arguments import check_record
from rigcast.training._budget import Budget, budget_of
from rigcast.training._capture.descent import CaptureDescent, Mirrored
from rigcast.training._capture.examples import CaptureExamples, film_examples
from rigcast.training._capture.poses import solved_shapes
from rigcast.training._capture.settings import CaptureNetworkSettings
from rigcast.training._descend import train
from rigcast.training._optimizers import Arrays

MOVED = 0.02  # of a shape's largest offset: vertices that count as moved
OPPOSITE = 0.02  # of the landmarks' size: as near as a landmark of the other side must lie
JUDGED = 1000  # vertices at most on which weights are compared


def capture_network(
    cast: Cast,
    settings: CaptureNetworkSettings = CaptureNetworkSettings(),
    *,
    variation: ActorVariation | None = None,
    motion: ArrayLike | None = None,
    examples: str | os.PathLike[str] | None = None,
    minutes: float | None = None,
    steps: int | None = None,
    seed: int = 0,
    device: str = "cpu",
    threads: int = 1,
    checkpoint: str | os.PathLike[str] | None = None,
    restart: bool = False,
    progress: ProgressOption = None,
) -> CaptureNetwork:
    """Learn to read a character's weights and landmarks from pictures of synthetic actors.

    Actors with shapes of their own are filmed under drawn light, and each picture is cropped by its landmarks. A
    convolutional network sees a picture and the actor's neutral and gives weights; its loss is what wrong weights move
    on the character. From the same maps it draws a heat map for each landmark, whose mean and covariance are the
    landmark and its certainty; its loss is the landmark's likelihood. After Wood et al. 2021 and 2022, who regress
    landmarks with certainties from renders; gaze and pupils are not read.

    Parameters
    ----------
    cast : Cast
        What actors are made of; its character's shapes are read.
    settings : CaptureNetworkSettings
    variation : ActorVariation, optional
        How actors differ from the character.
    motion : (T, K) array, optional
        Recorded weights, of whose rows expressions are made; by default they are drawn.
    examples : path-like, optional
        Folder in which filmed actors are kept, so that an interrupted call films none again.
    minutes : float, optional
        Time for the whole call, the filming included.
    steps : int, optional
        Steps of the optimizer; 8000 if neither ``minutes`` nor ``steps`` is given.
    seed : int
        Decides expressions, initial weights and batches; looks and shapes follow from the actors' own seeds.
    device : str
        "cpu" or "cuda".
    threads : int
        Number of threads; 0 means all processors that this process may use. Two train ten times slower than one where
        other work is done.
    checkpoint : path-like, optional
        File that a killed run continues from; it is removed when the network is finished.
    restart : bool
        Begin anew: remove the ``checkpoint`` that an earlier run left.
    progress : True or callable, optional
        The held-out error, on actors that were not trained on, in millimeters on the character.

    Returns
    -------
    rigcast.capture.CaptureNetwork

    Raises
    ------
    ValueError
        If an argument or setting makes no sense.
    NumericalError
        If training diverges.
    MissingExtra
        Without PyTorch, or without a detector that the settings ask for.

    Examples
    --------
    >>> cast = rc.capture.example_cast()
    >>> settings = rc.training.CaptureNetworkSettings(actors=4, poses=4, size=32, film_size=32, width=4, hidden=8)
    >>> network = rc.training.capture_network(cast, settings, steps=2)
    >>> network.names == cast.character.shape_names
    True
    """
    budget = budget_of("capture_network", minutes, steps, seed, device, threads, checkpoint, restart, progress)
    check_record("capture_network", settings, CaptureNetworkSettings)
    if not isinstance(cast, Cast):
        raise bad_argument("capture_network", "cast", f"a {type(cast).__name__}", "a Cast, such as ict_cast's")
    names = cast.character.shape_names
    given = None
    if motion is not None:
        given = Arguments("capture_network", K=len(names)).numbers("motion", motion, "T+ K")
    if not solved_shapes(names).any():
        raise bad_argument("capture_network", "cast", "whose shapes move eyes alone", "with shapes of the face")
    folder = None if examples is None else Path(examples)
    change = variation or ActorVariation()
    with budget.at_work():
        rows = film_examples(cast, change, given, settings, folder, budget)
        descent = CaptureDescent(
            _read_alone(rows, names), _movement(cast, names), mirrored_labels(cast), settings, budget
        )
        weights, done = _train(descent, cast, change, budget)
        return _network(
            cast, descent, weights, {**budget.record(settings), **budget.used(), **done, **_said(cast, change, given)}
        )


def _read_alone(rows: CaptureExamples, names: list[str]) -> CaptureExamples:
    """The rows with the weights that are read."""
    return replace(rows, weights=np.ascontiguousarray(rows.weights[:, solved_shapes(names)]))


def _movement(cast: Cast, names: list[str]) -> NDArray[np.float64]:
    """(K', V', 3) millimeters that the read shapes move vertices by: evenly chosen of those that any moves."""
    character = cast.character
    deltas = np.stack([character.column(k) for k in np.flatnonzero(solved_shapes(names))]).astype(np.float64)
    size = np.linalg.norm(deltas, axis=2)
    moved = (size > MOVED * np.maximum(size.max(axis=1, keepdims=True), 1e-12)).any(axis=0)
    chosen = np.flatnonzero(moved & (cast.parts == 0))
    picked = chosen[np.unique(np.linspace(0, len(chosen) - 1, min(JUDGED, len(chosen))).round().astype(int))]
    return np.asarray(1000.0 * float(character.meters_per_unit) * deltas[:, picked])


def mirrored_labels(cast: Cast) -> Mirrored:
    """Shapes and landmarks of the other side, the latter by where they lie on the character."""
    names = cast.character.shape_names
    read = np.flatnonzero(solved_shapes(names))
    place = np.full(len(names), -1)
    place[read] = np.arange(len(read))
    at = cast.character.rest_vertices[cast.landmarks].astype(np.float64)
    apart = np.linalg.norm(at[:, None] * [-1.0, 1.0, 1.0] - at, axis=2)
    landmarks = np.where(apart.min(axis=1) < OPPOSITE * np.ptp(at, axis=0).max(), apart.argmin(axis=1), -1)
    return Mirrored(place[other_sides(names)[read]], landmarks)


def _train(
    descent: CaptureDescent, cast: Cast, change: ActorVariation, budget: Budget
) -> tuple[Arrays, dict[str, Any]]:
    facts = budget.record(descent.settings), vars(change), cast.note
    run = fingerprint(*facts, descent.rows.weights, descent.rows.points, descent.rows.crops[:1])
    said = lambda _: (f"{descent.error:.3g} mm, landmarks {100 * descent.pixels:.2g} % of the crop", descent.error)  # noqa: E731
    state, done = train(descent, budget, said, run=run)
    return state.best, done


def _said(cast: Cast, change: ActorVariation, motion: Any) -> dict[str, Any]:
    made = "drawn" if motion is None else f"halves of {len(motion)} given frames, sparse expressions, gestures"
    return {"made_of": cast.note, "variation": vars(change), "motion": made}


def _network(cast: Cast, descent: CaptureDescent, weights: Arrays, about: dict[str, Any]) -> CaptureNetwork:
    """The file's tensors and metadata, with errors on held-out actors."""
    names, rows, settings = cast.character.shape_names, descent.rows, descent.settings
    layout = layout_of_character(cast.character, cast.landmarks)
    spread, error = _errors(descent, weights)
    home = np.zeros((0, 2)) if layout.home is None else layout.home
    tensors: dict[str, NDArray[Any]] = {
        **weights,
        "shapes.read": np.flatnonzero(solved_shapes(names)).astype(np.int32),
        "shapes.error": spread.astype(np.float32),
        "shapes.mirror": descent.mirrored.shapes.astype(np.int32),
        "landmarks.mirror": descent.mirrored.landmarks.astype(np.int32),
        "layout.rigid": layout.rigid.astype(np.int32),
        "layout.home": home.astype(np.float32),
    }
    metadata = {
        "kind": "capture_network",
        "version": 1,
        "size": settings.size,
        "shape_names": list(names),
        "landmarks": int(rows.points.shape[1]),
        "layout": "own" if layout.detector is None else layout.detector.name,
        "detector": settings.detector,
        "error": error,
        "licence": str(cast.character.metadata.get("licence", "")),
        "training": about,
    }
    return CaptureNetwork(tensors, metadata)


def _errors(descent: CaptureDescent, weights: Arrays) -> tuple[NDArray[np.float64], dict[str, Any]]:
    """Root mean square errors (K',) of weights on held-out actors, and a summary beside the mean of the training."""
    rows = descent.rows
    truth = rows.weights[rows.held_out]
    wrong = descent.read(weights, rows.held_out) - truth
    mean = rows.weights[rows.training].mean(axis=0) - truth
    millimeters = [
        float(np.linalg.norm(np.tensordot(w, descent.movement, axes=1), axis=2).mean()) for w in (wrong, mean, truth)
    ]
    summary = dict(zip(("mean_mm", "training_mean_mm", "neutral_mm"), millimeters, strict=True))
    return np.sqrt(np.square(wrong).mean(axis=0)), {**summary, "actors": len(np.unique(rows.neutral[rows.held_out]))}
