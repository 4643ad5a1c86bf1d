"""Findings about a capture or its points, one sentence per kind."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rigcast._core import solve_points
from rigcast.capture._neutral import Ready, ShotStage, engine_terms, face_size
from rigcast.capture._solution import Capture
from rigcast.capture._tracks import Tracks

Float64 = NDArray[np.float64]

RENDERED = (
    "No figure that comes with this program was measured on footage of a face: every actor of its tests and benchmarks "
    "is rendered, and every albedo constructed."
)
STRONG = 0.5  # weight that a neutral has none of
EXPLAINED = 0.5  # of the points' distances from the character that shapes take away
JUMP = 1.0  # sizes of the face between frames: another face, or another shot
ROUGH = 0.04  # of the face's size: points that the character does not follow
SHAKY = 0.015  # of the face's size
MANY = 0.05  # share of the frames


def notes_of(found: Capture, tracks: Tracks, focal_given: bool) -> list[str]:
    """Sentences about a solved shot."""
    face = face_size(tracks.points[int(np.argmax(~found.lost))])
    notes = []
    if len(found.neutral):
        frames = found.neutral
        more = f" and {len(frames) - 1} like it" if len(frames) > 1 else ""
        notes.append(f"the neutral is frame {frames[0]}{more}")
    if not focal_given:
        how = "found" if found.focal_found else "assumed: the shot does not determine it"
        notes.append(f"the focal length, {found.focal:.0f} pixels, was {how}")
    if found.lost.any():
        first = int(np.argmax(found.lost))
        notes.append(f"{found.lost.sum()} frames have no face, first {first}: weights lie between those beside them")
    center = np.nanmedian(np.where(tracks.certainty[:, :, None] > 0, tracks.points, np.nan)[~found.lost], axis=1)
    jumps = np.flatnonzero(np.linalg.norm(np.diff(center, axis=0), axis=1) > JUMP * face)
    if len(jumps):
        at = int(np.flatnonzero(~found.lost)[jumps[0] + 1])
        notes.append(f"the face jumps {len(jumps)} times, first at frame {at}: is it another face, or a cut?")
    with np.errstate(invalid="ignore"):
        rough = np.nanmedian(np.where(found.lost[:, None], 1e30, found.residual), axis=1) > ROUGH * face
    rough &= ~found.lost
    if rough.mean() > MANY:
        at = int(np.argmax(rough))
        notes.append(f"{rough.sum()} frames fit badly, first {at}: more than {100 * ROUGH:g} % of the face's size")
    if found.noise > SHAKY * face:
        notes.append(
            f"the points shake by {found.noise:.1f} pixels, {100 * found.noise / face:.1f} % of the face's size"
        )
    if not found.settled[~found.lost].all():
        notes.append(f"{(~found.settled[~found.lost]).sum()} frames stopped before an optimum")
    return notes


def seeming_expression(stage: ShotStage, neutral: Float64, ready: Ready) -> list[str]:
    """A note if the neutral looks much more like another expression of the character than like its neutral."""
    used, shapes = stage.places.used, stage.rig.num_shapes
    points = neutral[used][None]
    seen = np.isfinite(points).all(axis=2).astype(float)
    free, none = np.full((1, shapes), np.nan), np.zeros((1, shapes))
    found = solve_points(
        stage.model(np.zeros((len(used), 3))),
        points,
        seen,
        free,
        none,
        none,
        ready.camera.array,
        ready.camera.rotation,
        engine_terms(stage.settings, max(ready.noise, 0.02 * face_size(points[0])), 30.0),
    )
    pixels = ready.camera.focal / (ready.neutral_pose[2, 3] if neutral.shape[1] == 2 else 1.0)
    before = pixels * np.sqrt(np.square(ready.offsets).sum(axis=1).mean())
    after = np.sqrt(np.nanmean(np.square(found["residual"])))
    best = int(np.argmax(found["weights"][0]))
    if found["weights"][0, best] < STRONG or after > EXPLAINED * before or before < 0.02 * face_size(points[0]):
        return []
    name = stage.rig.shape_names[best]
    return [f"the neutral frame looks like {name} at {found['weights'][0, best]:.1f}: is the face at rest there?"]
