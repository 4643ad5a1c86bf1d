"""``CaptureNetwork``: weights and landmarks read from pictures of a face."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast import _core
from rigcast._atomic_files import atomic_write
from rigcast._safe_reading import errors_naming
from rigcast._shown import counted, one_line
from rigcast._validate import Arguments, bad_argument, bad_file, check_threads, missing_file
from rigcast.capture._detectors import DETECTORS, MEDIAPIPE, of_count
from rigcast.capture._network.alignment import CropLayout, align, crop, layout_of
from rigcast.capture._network.onnx_graph import FaceGraph
from rigcast.capture._tracks import Tracks, checked_tracks
from rigcast.capture._video.crops import Square

Float64 = NDArray[np.float64]

SHIPPED = Path(__file__).with_name("ict.safetensors")
BATCH = 64  # frames whose crops are in memory


@one_line
@dataclass(frozen=True, eq=False)
class FaceReading:
    """Readings of a network in a shot.

    Attributes
    ----------
    weights : (T, K) float64
        Of the network's shapes, in [0, 1]; 0 for gaze and pupils, which it does not read, and for lost frames.
    error : (K,) float64
        Root mean square errors of these weights on actors that the network was not trained on; 0 if it does not read
        them.
    tracks : Tracks
        Landmarks in pixels of the pictures; NaN in lost frames. The certainty is 1 for those as certain as the median,
        and falls with the variance.
    covariance : (T, P, 2, 2) float64
        Of the landmarks, in square pixels.
    lost : (T,) bool
        Frames without a face.
    notes : tuple of str
    names : tuple of str
        Of the network's K shapes.
    """

    weights: Float64
    error: Float64
    tracks: Tracks
    covariance: Float64
    lost: NDArray[np.bool_]
    notes: tuple[str, ...]
    names: tuple[str, ...]

    def _facts(self) -> list[str]:
        frames, shapes = self.weights.shape[:2]
        lost = counted(int(self.lost.sum()), "frame lost", "frames lost")
        error = f"stated error {np.nanmean(self.error):.3g} of full weights" if np.isfinite(self.error).any() else ""
        notes = counted(len(self.notes), "note", "notes")
        return [f"{frames:,} frames of {shapes} weights", error, lost, notes]


@one_line
class CaptureNetwork:
    """Weights and landmarks of a character, read from pictures of actors. Immutable.

    Made by :func:`rigcast.training.capture_network`, read by :func:`load_network`. It was trained on rendered actors
    alone; ``metadata`` says which, and how far it is off on others of them.

    Attributes
    ----------
    names : list of str
        The K shapes.
    num_landmarks : int
    size : int
        Width of the crops that it sees.
    detector : str
        "mediapipe" if it can also use where that detector has its points, else "none".
    metadata : dict

    Examples
    --------
    >>> cast = rc.capture.example_cast()
    >>> settings = rc.training.CaptureNetworkSettings(actors=4, poses=4, size=32, film_size=32, width=4, hidden=8)
    >>> network = rc.training.capture_network(cast, settings, steps=2)  # minutes=20 for one worth having
    >>> shot = rc.capture.film(cast.actor(1), rc.capture.ShotPlan(frames=3, size=64))
    >>> reading = network.read(shot.color, shot.labels["landmarks_2d"])
    >>> reading.weights.shape, reading.tracks.points.shape
    ((3, 22), (3, 40, 2))
    """

    def __init__(self, tensors: Mapping[str, NDArray[np.generic]], metadata: Mapping[str, object]) -> None:
        self.metadata: dict[str, Any] = dict(metadata)
        self._tensors = dict(tensors)
        own: dict[str, NDArray[Any]] = dict(tensors)
        self._engine = _core.FaceNetwork(own, json.dumps(self.metadata))
        check = Arguments("load_network", K=len(list(self.metadata.get("shape_names", []))))
        self.names = [str(name) for name in self.metadata.get("shape_names", [])]
        self.size, self.num_landmarks = self._engine.size, self._engine.num_landmarks
        self._read = check.integers("shapes.read", own.get("shapes.read", []), "R+", below=len(self.names))
        if len(self._read) != self._engine.num_weights:
            got = f"{len(self._read)} shapes for {self._engine.num_weights} weights"
            raise bad_argument("load_network", "shapes.read", got, "one for each weight that is read")
        error = Arguments("load_network", R=len(self._read)).numbers("shapes.error", own.get("shapes.error", []), "R")
        self.error = np.zeros(len(self.names))
        self.error[self._read] = error
        self.detector = str(self.metadata.get("detector", "none"))
        self._layout = self._own_layout(own)
        self._other_shapes = self._sides("shapes.mirror", own, len(self._read))
        self._other_landmarks = self._sides("landmarks.mirror", own, self.num_landmarks)

    def _own_layout(self, tensors: Mapping[str, NDArray[Any]]) -> CropLayout:
        """The layout of the landmarks that it was trained on."""
        named = str(self.metadata.get("layout", "own"))
        if named in DETECTORS:
            return layout_of(DETECTORS[named])
        check = Arguments("load_network", P=self.num_landmarks)
        home = check.numbers("layout.home", tensors.get("layout.home", []), "P 2")
        rigid = check.integers("layout.rigid", tensors.get("layout.rigid", []), "n+", below=self.num_landmarks)
        return CropLayout(np.asarray(rigid, np.int64), None, home)

    def _sides(self, name: str, tensors: Mapping[str, NDArray[Any]], count: int) -> NDArray[np.int64]:
        """(count,) what each is called in a mirrored picture; -1 if it has no other side."""
        given = tensors.get(name, np.full(count, -1))
        check = Arguments("load_network", N=count)
        return np.asarray(check.integers(name, given, "N", low=-1, below=count), np.int64)

    def read(
        self,
        pictures: Sequence[NDArray[np.uint8]] | NDArray[np.uint8],
        points: Tracks | ArrayLike,
        neutral: int = 0,
        *,
        threads: int = 0,
    ) -> FaceReading:
        """Read a shot.

        Each frame is cropped by a detector's points that hardly move with an expression, so that it lies as the neutral
        does, and read beside it; then both once more as mirror images, with the sides exchanged: the result is the mean
        of both.

        Parameters
        ----------
        pictures : sequence of (H, W, 3) uint8
            Such as :class:`Pictures`.
        points : Tracks or (T, P, 2) array
            Of MediaPipe, of 68 points, or of the landmarks that the network was trained on, in pixels.
        neutral : int
            The frame that shows the actor at rest.
        threads : int
            Number of threads; 0 means all processors that this process may use.

        Raises
        ------
        ValueError
            If the points are of no layout that the network knows, or the neutral has no face.
        """
        check = Arguments("read")
        check_threads("read", threads)
        tracks = points if isinstance(points, Tracks) else checked_tracks("read", points, None, 30.0, None)
        frames, count = tracks.points.shape[:2]
        if tracks.points.shape[2] != 2 or len(pictures) != frames:
            got = f"of shape {tracks.points.shape} for {len(pictures)} pictures"
            raise check.wrong("points", got, "pixels (T, P, 2), for each picture")
        at = check.whole("neutral", neutral, most=frames - 1)
        layout = self._layout_of(count)
        seen = np.where(tracks.certainty[..., None] > 0.0, tracks.points, np.nan)
        if not np.isfinite(seen[at][layout.rigid]).all():
            raise check.wrong("neutral", f"frame {at}, without a face", "a frame whose points were found")
        aligned = align(seen, seen[at], layout)
        uses = self.detector == MEDIAPIPE.name and layout.detector is MEDIAPIPE
        motion = np.full((frames, 2 * self._engine.num_points), np.nan, np.float32)
        if uses:
            known = np.isfinite(seen).all(axis=(1, 2))
            motion[known] = aligned.moved[known, : self._engine.num_points].reshape(known.sum(), -1)
        lost = np.array([square is None for square in aligned.squares])
        found = self._frames(pictures, aligned.squares, at, motion, threads)
        return self._reading(found, aligned.squares, lost, tracks, uses)

    def _layout_of(self, count: int) -> CropLayout:
        if count == self.num_landmarks:
            return self._layout
        if (known := of_count(count)) is not None:
            return layout_of(known)
        must = f"MediaPipe's 468 or 478, 68, or the {self.num_landmarks} that the network was trained on"
        raise bad_argument("read", "points", f"{count} points per frame", must)

    def _frames(
        self, pictures: Any, squares: list[Square | None], at: int, motion: NDArray[np.float32], threads: int
    ) -> tuple[NDArray[np.float32], ...]:
        neutral = crop(pictures[at], squares[at], self.size)[None]
        parts = []
        for begin in range(0, len(squares), BATCH):
            rows = range(begin, min(begin + BATCH, len(squares)))
            crops = np.stack([crop(pictures[t], squares[t], self.size) for t in rows])
            parts.append(self._both_ways(crops, neutral, motion[begin : rows.stop], threads))
        return tuple(np.concatenate(column) for column in zip(*parts, strict=True))

    def _both_ways(
        self, crops: NDArray[np.uint8], neutral: NDArray[np.uint8], motion: NDArray[np.float32], threads: int
    ) -> tuple[NDArray[np.float32], ...]:
        """Means of what is read in crops (B, S, S, 3) and in their mirror images, where what is read has another side.

        A detector would name its points anew in a mirror image, so there they are not known.
        """
        weights, landmarks, covariance = self._engine.read(crops, neutral, motion, threads)
        if (self._other_shapes < 0).all():
            return weights, landmarks, covariance
        flipped, rest = (np.ascontiguousarray(pictures[:, :, ::-1]) for pictures in (crops, neutral))
        others = self._engine.read(flipped, rest, np.full_like(motion, np.nan), threads)
        known = self._other_landmarks >= 0
        at = self._other_landmarks[known]
        weights = 0.5 * (weights + others[0][:, self._other_shapes])
        landmarks[:, known] = 0.5 * (landmarks[:, known] + others[1][:, at] * [-1, 1] + [1, 0])
        covariance[:, known] = 0.5 * (covariance[:, known] + others[2][:, at] * [1, -1, 1])
        return weights, landmarks, covariance

    def _reading(
        self, found: Any, squares: list[Square | None], lost: NDArray[np.bool_], tracks: Tracks, uses: bool
    ) -> FaceReading:
        weights = np.zeros((len(lost), len(self.names)))
        weights[:, self._read] = np.clip(found[0], 0.0, 1.0)
        weights[lost] = 0.0
        points = np.full((len(lost), self.num_landmarks, 2), np.nan)
        covariance = np.tile(np.eye(2), (len(lost), self.num_landmarks, 1, 1))
        for t, square in enumerate(squares):
            if square is None:
                continue
            cos, sin = np.cos(square.angle), np.sin(square.angle)
            turn = square.side * np.array([[cos, -sin], [sin, cos]])
            points[t] = square.placed(found[1][t].astype(np.float64))
            xx, xy, yy = found[2][t].astype(np.float64).T
            covariance[t] = turn @ np.stack([xx, xy, xy, yy], axis=1).reshape(-1, 2, 2) @ turn.T
        variance = 0.5 * np.trace(covariance, axis1=2, axis2=3)
        usual = float(np.median(variance[~lost]))
        certainty = np.where(lost[:, None], 0.0, np.minimum(1.0, usual / variance))
        notes = ["weights and landmarks were read by a network that was trained on rendered actors alone"]
        if uses:
            notes.append("it also sees where MediaPipe has its points")
        read = Tracks(points, certainty, tracks.fps, tracks.size, tracks.notes)
        return FaceReading(weights, self.error.copy(), read, covariance, lost, tuple(notes), tuple(self.names))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file (kind ``capture_network``), atomically."""
        self._engine.save(os.fspath(path))

    def export_onnx(self, path: str | os.PathLike[str]) -> None:
        """Write the network as a graph of ONNX, for other runtimes; crops are cut as :meth:`read` does.

        Inputs: ``pictures`` (T, S, S, 3) uint8; ``neutrals`` (T or 1, S, S, 3) uint8; ``motion`` (T, 2 Q) float32, NaN
        where a detector's points are not known (not there if the network uses none). Outputs: ``weights`` (T, K') of
        the shapes that it reads, unbounded, whose names are in the graph's metadata ``shape_names`` as JSON;
        ``landmarks`` (T, P, 2) and ``covariance`` (T, P, 3), xx, xy and yy, in shares of the picture.

        Parameters
        ----------
        path : path-like

        Raises
        ------
        MissingExtra
            Without the ``onnx`` extra.
        """
        facts = {"shape_names": [self.names[k] for k in self._read]}
        facts |= {key: self.metadata[key] for key in ("licence", "layout", "detector", "error") if key in self.metadata}
        graph = FaceGraph(self._tensors, self.size)
        atomic_write(path, graph.model({key: json.dumps(value) for key, value in facts.items()}))

    def __reduce__(self) -> tuple[type[CaptureNetwork], tuple[dict[str, NDArray[np.generic]], dict[str, Any]]]:
        """For pickle and copy: the tensors and metadata of the network's file."""
        return CaptureNetwork, (self._tensors, self.metadata)

    def _facts(self) -> list[str]:
        read = f"{len(self._read)} of {len(self.names)} weights"
        stated = self.error[self.error > 0]
        error = f"off by {stated.mean():.3g} of full weights on other actors" if len(stated) else ""
        return [read, f"{self.num_landmarks} landmarks", f"{self.size} pixels", error]


def load_network(path: str | os.PathLike[str] | None = None) -> CaptureNetwork:
    """Load a network that reads faces.

    Parameters
    ----------
    path : path-like, optional
        A file of :meth:`CaptureNetwork.save`; default the network of the package, which reads the shapes of the ICT
        FaceKit face. It comes with its seed, its recipe and its licence (``metadata``).

    Raises
    ------
    FileNotFoundError
    ValueError
        If the file is no such network.

    Examples
    --------
    >>> network = rc.capture.load_network()
    >>> "jawOpen" in network.names, network.num_landmarks
    (True, 68)
    """
    file = SHIPPED if path is None else Path(path)
    if not file.is_file():
        raise missing_file("load_network", "path", file, "an existing file, as rigcast capture train makes it")
    stored = _core.TensorFile.read(file)
    metadata = json.loads(stored.metadata or "{}")
    if not isinstance(metadata, dict) or metadata.get("kind") != "capture_network":
        kind = metadata.get("kind") if isinstance(metadata, dict) else None
        raise bad_file(file, f"of kind {kind!r}", "a network that reads faces", "load_network")
    with errors_naming(file):
        return CaptureNetwork(stored.arrays(), metadata)
