"""Frames that an artist corrects: what they do for the others: ``python -m benchmarks.systems.capture.corrected DATA``.

DATA is a folder with ``ict_facekit`` and ``compskin_face_anim``. Every picture is rendered, every albedo constructed.
The artist is the truth: corrected frames have the weights that the actor was posed by.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import rigcast as rc
from benchmarks.marks import write_between_marks
from benchmarks.systems.capture.filmed import SIZE, FilmedShot, Filming, Float64, dense_weights, gaze
from rigcast.capture import ActorVariation, Cast, RefineSettings

SEEDS = (900, 901, 902)
STEP = 2  # frames of the curves from one frame of a shot to the next
COUNTS = (3, 5, 10)
GOAL_REFINED, GOAL_CORRECTED = 0.8, 0.6  # millimeters


class CorrectedShot:
    """An actor with shapes of his own, solved with the character's on his neutral, then with corrected frames."""

    def __init__(self, cast: Cast, seed: int, weights: Float64) -> None:
        self.shot = FilmedShot(cast, seed, weights, Filming(variation=ActorVariation()))
        self.rig = cast.actor(seed, ActorVariation(strength=0.0, mix=0.0)).rig
        self.found = self.solve(self.rig, None)
        self.refined = self.refine(self.rig, self.found, None)

    def pins(self, frames: Float64 | None) -> Float64:
        """(T, K) the shapes of eyes, which nothing here tells, and the corrected frames."""
        pins = np.where(gaze(self.rig.shape_names), 0.0, np.nan) * np.ones((len(self.shot.weights), 1))
        if frames is not None:
            pins[frames] = self.shot.weights[frames]
        return pins

    def solve(self, rig: rc.BlendshapeRig, frames: Float64 | None) -> rc.capture.Capture:
        return rc.capture.solve(
            rig,
            self.shot.points,
            self.shot.cast.landmarks,
            fixed=self.pins(frames),
            size=(SIZE, SIZE),
            neutral=0,
            focal=self.shot.focal,
            settings=rc.capture.CaptureSettings(noise=1.0),
        )

    def refine(self, rig: rc.BlendshapeRig, found: rc.capture.Capture, frames: Float64 | None) -> rc.capture.Capture:
        settings = RefineSettings(offsets=False)
        return rc.capture.refine(
            rig, found, self.shot.color, points=self.shot.points, fixed=self.pins(frames), settings=settings
        )

    def corrected(self, count: int) -> tuple[Float64, Float64, Float64]:
        """Frames that were corrected, and weights (T, K) from landmarks and from pictures on the fitted shapes."""
        return self.with_frames(rc.capture.frames_to_correct(self.refined, count))

    def with_frames(self, frames: Float64) -> tuple[Float64, Float64, Float64]:
        """The same for frames of one's own choice."""
        rows = np.full(self.shot.weights.shape, np.nan)
        rows[frames] = self.shot.weights[frames]
        own = rc.capture.personalize(self.rig, self.found, self.shot.points, corrected=rows).rig
        found = self.solve(own, frames)
        return frames, found.weights, self.refine(own, found, frames).weights


def main() -> None:
    """Measure, and write the table."""
    folder = Path(sys.argv[1])
    cast = rc.capture.ict_cast(folder / "ict_facekit")
    weights = dense_weights(folder / "compskin_face_anim", cast.character.shape_names)[::STEP]
    shots = [CorrectedShot(cast, seed, weights) for seed in SEEDS]
    every = [np.arange(1, len(weights) + 1)] * len(shots)
    rows = [
        "| solved on | landmarks, 1 px | with pictures | frames that nobody corrected: with pictures |",
        "|---|---|---|---|",
    ]
    _row(rows, "the character's shapes on the actor's neutral", shots, every,
         [(shot.found.weights, shot.refined.weights) for shot in shots])  # fmt: skip
    for count in COUNTS:
        done = [shot.corrected(count) for shot in shots]
        others = [np.setdiff1d(all_of, frames) for all_of, (frames, _, _) in zip(every, done, strict=True)]
        _row(rows, f"shapes refitted by {count} corrected frames", shots, others, [found[1:] for found in done])
    own = [(shot.shot.found.weights, shot.shot.refine().weights) for shot in shots]
    _row(rows, "the actor's own rig", shots, every, own)
    write_between_marks("corrected frames", "\n".join(rows))
    both, ten = (float(rows[i].split("|")[3]) for i in (2, 2 + len(COUNTS)))
    text = (
        f"{both:.2f} mm refined by pictures on shapes that are not the actor's (goal {GOAL_REFINED:g}: "
        f"{'met' if both <= GOAL_REFINED else 'missed'}), {ten:.2f} after ten corrected frames "
        f"(goal {GOAL_CORRECTED:g}: {'met' if ten <= GOAL_CORRECTED else 'missed'})."
    )
    print(text)
    write_between_marks("corrected frames in one line", text)


def _row(rows, name, shots, others, pairs) -> None:
    """Mean millimeters over all frames, and over those that were not corrected."""
    errors = [[shot.shot.millimeters(w) for w in pair] for shot, pair in zip(shots, pairs, strict=True)]
    points, pictures = (np.mean([pair[i].mean() for pair in errors]) for i in (0, 1))
    left = np.mean([pair[1][frames - 1].mean() for pair, frames in zip(errors, others, strict=True)])
    rows.append(f"| {name} | {points:.2f} | {pictures:.2f} | {left:.2f} |")
    print(rows[-1], flush=True)


if __name__ == "__main__":
    main()
