"""The demo's performance: ten seconds of a rendered actor, read by a network, on the demo's face."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rigcast as rc
from examples.characters.assets import asset_folder
from examples.characters.face import build_face, expression_curves
from examples.demo.stored import edition, read_json, write_json
from rigcast import exports, report
from rigcast._extras import MissingExtra
from rigcast._resume.fingerprints import fingerprint
from rigcast.progress import Progress, ProgressCallback

Float64 = NDArray[np.float64]

FPS, SECONDS, SIZE = 30.0, 10, 192  # pixels
SEED = 7  # of the actor: no actor that the network has seen is MakeHuman's
NOISE = 0.75  # pixels, of the points that stand for a detector's
STILL = 6  # frames at rest, the neutral among them


@dataclass(frozen=True)
class Performance:
    """A rendered actor and what a detector would find on it."""

    cast: rc.capture.Cast
    shot: rc.capture.ActorShot
    points: Float64

    @property
    def truth(self) -> Float64:
        """(T, K) the actor's weights."""
        return np.asarray(self.shot.labels["weights"], np.float64)


def capture_performance(folder: Path, announce: Callable[[str], None], progress: ProgressCallback) -> dict[str, Any]:
    """Film an actor for ten seconds, capture him, and give his performance to the face; re-used when done.

    The actor is rendered, with MakeHuman's topology and shapes of his own; the network of the package was trained on
    actors of the ICT FaceKit face. His weights are copied by the names of shapes.

    Parameters
    ----------
    folder : Path
        Takes ``performance.npz`` (weights of the face), ``performance.html`` and, where ffmpeg is installed,
        ``performance.mp4``.
    announce, progress : callables
        See :class:`examples.demo.pipeline.Demo`.

    Returns
    -------
    dict
        ``frames``, ``frames_per_second`` of both solves, ``millimeters`` on the face, ``neutral`` and ``mean``
        and ``points_alone`` beside it, ``page``, ``video`` or None.
    """
    face = build_face()
    page, numbers_file = folder / "performance.html", folder / "performance.json"
    key = fingerprint(edition(), face.rest_vertices, FPS, SECONDS, SIZE, SEED)
    known = read_json(numbers_file)
    if known.get("key") == key and page.exists():
        announce("re-using the performance")
        return dict(known["numbers"])
    announce(f"filming an actor for {SECONDS} seconds, and capturing him")
    acted = _filmed(progress)
    read, numbers = _captured(acted, face)
    found = read.found
    weights = on_face(found.weights, found.names, face)
    exports.write_blendshape_weights(folder / "performance.npz", face, weights, fps=FPS)
    title = f"{SECONDS} seconds of a rendered actor"
    shot = list(acted.shot.color)
    report.write_capture(
        page, acted.cast.character, found, points=read.tracks, pictures=shot, name=title, progress=progress
    )
    numbers |= {"page": str(page), "video": _video(folder, acted, read, progress)}
    write_json(numbers_file, {"key": key, "numbers": numbers})
    return numbers


def on_face(weights: Float64, names: Any, face: rc.BlendshapeRig) -> Float64:
    """Weights (T, K) of the face's shapes of the same names; 0 for the others."""
    place = {name: k for k, name in enumerate(names)}
    result = np.zeros((len(weights), face.num_shapes))
    for k, name in enumerate(face.shape_names):
        if name in place:
            result[:, k] = weights[:, place[name]]
    return result


def _filmed(progress: ProgressCallback) -> Performance:
    progress(Progress("filming", 0, 1))
    cast = rc.capture.makehuman_cast(asset_folder())
    names = list(cast.character.shape_names)
    frames = round(SECONDS * FPS)
    motion = expression_curves(names, frames - 1, SEED, FPS).astype(np.float64)
    motion[: STILL - 1] = 0.0
    gaze = [k for k, name in enumerate(names) if name.startswith("eyeLook")]
    motion[:, gaze] = 0.0  # nothing here follows pupils
    shot = rc.capture.film(cast.actor(SEED), rc.capture.ShotPlan(frames=frames, size=SIZE), motion)
    exact = np.asarray(shot.labels["landmarks_2d"], np.float64)
    noise = np.random.default_rng(SEED).normal(size=exact.shape)
    return Performance(cast, shot, exact + NOISE * noise)


def _captured(acted: Performance, face: rc.BlendshapeRig) -> tuple[rc.capture.ReadCapture, dict[str, Any]]:
    """The capture, and how far the face is from where the actor's true weights put it."""
    network, character = rc.capture.load_network(), acted.cast.character
    reading = network.read(acted.shot.color, acted.points)
    settings = rc.capture.CaptureSettings(noise=NOISE)
    first = rc.capture.solve(
        character, acted.points, acted.cast.landmarks, neutral=0, size=(SIZE, SIZE), fps=FPS, settings=settings,
        focal=float(acted.shot.labels["focal"]),
    )  # fmt: skip
    read = rc.capture.solve_read(
        character, first, reading, points=acted.points, landmarks=acted.cast.landmarks, settings=settings
    )
    found = read.found
    truth, names = acted.truth, acted.cast.character.shape_names
    mean = np.broadcast_to(truth[1:].mean(axis=0), truth.shape)
    errors = {
        "millimeters": found.weights, "points_alone": first.weights, "neutral": 0.0 * truth, "mean": mean,
    }  # fmt: skip
    wanted = face.evaluate(on_face(truth, names, face).astype(np.float32)).astype(np.float64)
    unit = 1000.0 * face.meters_per_unit
    moved = (
        np.linalg.norm(wanted - face.rest_vertices, axis=2).max(axis=0)
        > 0.001 * np.ptp(face.rest_vertices, axis=0).max()
    )
    result: dict[str, Any] = {
        "frames": len(truth),
        "frames_per_second": len(truth) / max(first.seconds + found.seconds, 1e-9),
    }
    for name, weights in errors.items():
        placed = face.evaluate(on_face(weights, names, face).astype(np.float32))
        result[name] = unit * float(np.linalg.norm(placed - wanted, axis=2)[1:, moved].mean())
    return read, result


def _video(folder: Path, acted: Performance, read: rc.capture.ReadCapture, progress: ProgressCallback) -> str | None:
    path, shot = folder / "performance.mp4", list(acted.shot.color)
    try:
        rc.capture.write_preview(
            path, acted.cast.character, read.found, pictures=shot, tracks=read.tracks, height=320, progress=progress
        )
    except MissingExtra:
        return None
    return str(path)
