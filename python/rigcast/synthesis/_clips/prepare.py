"""Clips made ready: at one rate, inside limits, as coordinates with their effect on the mesh."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._validate import Arguments, bad_argument
from rigcast.synthesis._clips.clips import Clip, checked_clips, resampled_clip
from rigcast.synthesis._clips.rotations import Rotations
from rigcast.synthesis._coordinates import Coordinates
from rigcast.synthesis._learning.embedding import rounded
from rigcast.synthesis._mesh import SMALL, ControlledMesh, effects_of
from rigcast.synthesis._space import Segment

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]

JUMPY = 150.0  # degrees from the mean rotation, near which rotation vectors jump


@dataclass(frozen=True, eq=False)
class Prepared:
    """Frames of all labels, with their coordinates and what these do."""

    fps: float
    names: list[str]
    around: Coordinates
    weights: Float64  # (N,), 0 where dropped
    scales: dict[str, Float64]  # (N,) of each label: the weights, or its own
    effects: Float64
    dropped: dict[str, str]
    frames: dict[str, Float32]
    segments: dict[str, list[Segment]]
    clipped: dict[str, float]  # share of the numbers of a label's clips that lay outside the limits
    notes: list[str]
    mesh: ControlledMesh | None

    @property
    def millimeters(self) -> float:
        """Of one unit of distances; 1 without a rig, where they are of controls."""
        return 1.0 if self.mesh is None else self.mesh.millimeters


def prepared(
    clips: Mapping[str, Iterable[Any]],
    fps: float,
    limits: ArrayLike | None,
    rig: Any,
    names: Iterable[str] | None,
    scaling: str = "all",
) -> Prepared:
    """Check and resample clips, and measure what controls do, around the mean of all or (``"label"``) of each."""
    mesh = None if rig is None else ControlledMesh(rig, "fit")
    given = checked_clips("fit", clips, fps, None if mesh is None else len(mesh.control_names))
    width = next(iter(given.values()))[0].controls.shape[1]
    check = Arguments("fit", N=width)
    own = [f"control {i}" for i in range(width)] if mesh is None else mesh.control_names
    named = own if names is None else check.names("names", list(names), width)
    rotations = Rotations(np.zeros((0, 3), np.int32), []) if mesh is None else mesh.rotations
    bounds = _limits(check, limits, mesh, given)
    resampled = {label: [resampled_clip(c, fps, rotations, bounds) for c in rows] for label, rows in given.items()}
    whole = {label: np.concatenate([clip.controls for clip in rows]) for label, rows in resampled.items()}
    low, high = bounds.astype(np.float32).T
    frames = {label: np.clip(rows, low, high) for label, rows in whole.items()}
    clipped = {label: float((rows != frames[label]).mean()) for label, rows in whole.items()}
    segments = {label: _segments(rows, given[label]) for label, rows in resampled.items()}
    everything = np.concatenate(list(frames.values()))
    around = _rounded(Coordinates.around(everything, rotations, bounds))
    coordinates = around.of(everything)
    moving, dropped = _moving(coordinates, named, bounds)
    deviation = np.where(moving, coordinates.std(axis=0), 0.0)
    weights, effects = np.where(moving, 1.0, 0.0), np.diag(moving.astype(np.float64))
    if mesh is not None:
        weights, effects = effects_of(mesh, around, deviation)
        idle = moving & (weights * deviation <= SMALL * float((weights * deviation).max(initial=0.0)))
        dropped |= {named[i]: "no effect on the mesh" for i in np.flatnonzero(idle)}
        moving &= ~idle
    if not moving.any():
        raise bad_argument("fit", "clips", "without any control that moves", "clips that move")
    weights, effects = rounded(np.where(moving, weights, 0.0)), rounded(np.where(moving[:, None], effects, 0.0))
    scales = dict.fromkeys(frames, weights)
    if mesh is not None and scaling == "label":
        scales = {label: _own_scale(mesh, around, rows, weights) for label, rows in frames.items()}
    notes = _notes(around, coordinates, clipped)
    return Prepared(fps, named, around, weights, scales, effects, dropped, frames, segments, clipped, notes, mesh)


def _own_scale(mesh: ControlledMesh, around: Coordinates, frames: Float32, weights: Float64) -> Float64:
    """Scale of a label around its own mean; that of all labels, where a control rests in it or moves nothing there."""
    coordinates = around.of(frames)
    moving = (weights > 0) & _varying(coordinates, around.limits)
    deviation = np.where(moving, coordinates.std(axis=0), 0.0)
    own, _ = effects_of(mesh, around, deviation, coordinates.mean(axis=0))
    moving &= own * deviation > SMALL * float((own * deviation).max(initial=0.0))
    return rounded(np.where(moving, own, weights))


def _limits(
    check: Arguments, limits: ArrayLike | None, mesh: ControlledMesh | None, clips: Mapping[str, list[Clip]]
) -> Float64:
    """(N, 2) as float32 numbers."""
    if limits is not None:
        bounds = check.numbers("limits", limits, "N 2", dtype=np.float32)
        if (bounds[:, 0] > bounds[:, 1]).any():
            place = int(np.argmax(bounds[:, 0] > bounds[:, 1]))
            raise check.wrong("limits", f"{bounds[place].tolist()} at {place}", "the lowest and the highest value")
        return np.asarray(bounds, np.float64)
    rows = [clip.controls for own in clips.values() for clip in own]
    used = np.stack([np.min([r.min(axis=0) for r in rows], axis=0), np.max([r.max(axis=0) for r in rows], axis=0)], 1)
    if mesh is None:
        return np.asarray(used, np.float64)
    stated = mesh.limits.astype(np.float32)
    carrying = stated[:, :1] == stated[:, 1:]  # channels of a root that nothing limits
    return np.where(carrying, used, stated).astype(np.float64)


def _segments(clips: list[Clip], given: list[Clip]) -> list[Segment]:
    ends = np.cumsum([len(clip) for clip in clips])
    return [
        Segment(clip.name, int(end) - len(clip), int(end), clip.origin, clip.licence, float(source.fps or 0.0))
        for clip, source, end in zip(clips, given, ends, strict=True)
    ]


def _rounded(around: Coordinates) -> Coordinates:
    """The same with numbers that a file holds."""
    return Coordinates(around.rotations, rounded(around.mean), rounded(around.mean_rotations), around.limits)


def _moving(coordinates: Float64, names: list[str], limits: Float64) -> tuple[NDArray[np.bool_], dict[str, str]]:
    """The coordinates that vary by more than rounding, and the controls that do not."""
    moving = _varying(coordinates, limits)
    return moving, {names[i]: "constant in all clips" for i in np.flatnonzero(~moving)}


def _varying(coordinates: Float64, limits: Float64) -> NDArray[np.bool_]:
    size = np.maximum(np.abs(limits).max(axis=1, initial=0.0), 1e-3)
    return np.asarray(coordinates.std(axis=0) > 1e-6 * size)


def _notes(around: Coordinates, coordinates: Float64, clipped: Mapping[str, float]) -> list[str]:
    turn = around.largest_turn(coordinates)
    notes = [f"{100 * share:.2g} % of the numbers of {label!r} were clipped to the limits"
             for label, share in clipped.items() if share > 0]  # fmt: skip
    if turn > JUMPY:
        notes.append(f"a joint turns {turn:.0f} degrees from its mean: beyond 180 its coordinates jump")
    return notes
