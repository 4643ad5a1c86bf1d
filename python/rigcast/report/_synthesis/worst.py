"""The worst moments of what a synthesizer plays: where it moves least like its clips."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigcast.progress import Progress, ProgressCallback
from rigcast.report._synthesis.races import accelerations
from rigcast.synthesis import Synthesizer

SEED = 1  # of idling

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Moment:
    """A frame that was played, and the clip frame whose mesh is nearest."""

    title: str
    note: str
    label: str
    frame: int  # of the idling
    controls: Float32  # (N,)
    nearest: str
    nearest_controls: Float32  # (N,)
    distance: float  # between the two, in millimeters


@dataclass(frozen=True, eq=False)
class Idling:
    """A label's idling, frame by frame."""

    label: str
    controls: Float32
    distance: Float64  # (T,) to the nearest frame of the label's clips, in millimeters
    row: NDArray[np.intp]  # that frame
    acceleration: Float64  # (T - 2,) in millimeters per frame squared


def idling(synth: Synthesizer, seconds: float, progress: ProgressCallback) -> list[Idling]:
    """Each label idles by itself, from the same seed."""
    found = []
    for done, label in enumerate(synth.labels):
        progress(Progress("idling", done, len(synth.labels), label))
        player = synth.player(SEED, label=label)
        player.idle(label)
        controls = player.render(seconds)
        distance, row = nearest_frames(synth, label, controls)
        found.append(Idling(label, controls, distance, row, accelerations(synth, controls)))
    progress(Progress("idling", len(synth.labels), len(synth.labels)))
    return found


def nearest_frames(synth: Synthesizer, label: str, controls: Float32) -> tuple[Float64, NDArray[np.intp]]:
    """(T,) distances in millimeters to the nearest frames of a label's clips, and these."""
    own, clips = synth.mesh_features(controls), synth.mesh_features(synth.space(label).frames)
    square = (own**2).sum(axis=1)[:, None] + (clips**2).sum(axis=1) - 2.0 * own @ clips.T
    row = square.argmin(axis=1)
    return 1e3 * synth.meters_per_unit * np.linalg.norm(own - clips[row], axis=1), row


def worst_moments(synth: Synthesizer, played: list[Idling], count: int) -> list[Moment]:
    """The frame farthest from all clips of each of the worst labels, and the hardest acceleration of all."""
    order = sorted(played, key=lambda own: -float(own.distance.max()))
    moments = [_moment(synth, own, int(own.distance.argmax()), "farthest from its clips") for own in order[:count]]
    hardest = max(played, key=lambda own: float(own.acceleration.max()))
    frame = int(hardest.acceleration.argmax()) + 1
    size = float(hardest.acceleration.max())
    return [*moments, _moment(synth, hardest, frame, f"hardest acceleration, {size:.3g} mm per frame²")]


def _moment(synth: Synthesizer, own: Idling, frame: int, title: str) -> Moment:
    space, row = synth.space(own.label), int(own.row[frame])
    seconds = frame / synth.fps
    return Moment(
        title,
        f"{own.label}, {seconds:.1f} s",
        own.label,
        frame,
        own.controls[frame],
        synth.engine.frame_name(own.label, row),
        np.asarray(space.frames[row], np.float32),
        float(own.distance[frame]),
    )
