"""The actor's own rig, from template to corrected frames: ``python -m benchmarks.systems.capture.own_rig DATA``.

DATA is a folder with ``ict_facekit`` and ``compskin_face_anim``. Every picture is rendered, every albedo constructed.
Unseen actors with shapes of their own, landmarks with 1 px of noise. The character's shapes stand on the template, on a
face that is fitted to one neutral frame or to twelve with a turned head, and on the true neutral; then pictures, then
frames that an artist corrected. The artist is the truth.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import rigcast as rc
from benchmarks.marks import write_between_marks
from benchmarks.systems.capture.corrected import COUNTS, GOAL_CORRECTED, GOAL_REFINED, SEEDS, STEP
from benchmarks.systems.capture.filmed import FRONT, SIZE, FilmedShot, Filming, Float64, dense_weights, gaze
from rigcast.capture import ActorVariation, Capture, Cast, RefineSettings, ShotPlan

TURNED, APART = 12, 5  # neutral frames of a clip in which the head turns, and how many frames each is after another
TURN = 0.25  # radians: standard deviation of the head's rotation in that clip
TEMPLATE, ONE, MANY, TRUE = "the template", "fitted to one frame", "fitted to twelve frames", "the true one"


class OwnRigShot:
    """An actor with shapes of his own, and the neutrals that the character's shapes may stand on."""

    def __init__(self, cast: Cast, seed: int, weights: Float64) -> None:
        self.shot = FilmedShot(cast, seed, weights, Filming(variation=ActorVariation()))
        self.cast, actor = cast, self.shot.actor
        plan = ShotPlan(frames=TURNED * APART, size=SIZE, turn=TURN)
        clip = rc.capture.film(actor, plan, np.zeros((1, actor.rig.num_shapes)))
        points = np.asarray(clip.labels["landmarks_2d"], np.float64)[::APART]
        points = points + np.random.default_rng([seed, 7]).normal(size=points.shape)
        size = (SIZE, SIZE)
        shot = self.shot
        self.fits = {
            ONE: rc.capture.fit_actor(cast, shot.points, neutral=0, size=size, focal=shot.focal, noise=1.0),
            MANY: rc.capture.fit_actor(cast, points, neutral=np.arange(TURNED), size=size, noise=1.0),
        }
        self.rigs = {
            TEMPLATE: cast.character,
            **{name: fit.rig for name, fit in self.fits.items()},
            TRUE: cast.actor(seed, ActorVariation(strength=0.0, mix=0.0)).rig,
        }

    def pins(self, frames: Float64 | None) -> Float64:
        """(T, K) the shapes of eyes, which nothing here tells, and the corrected frames."""
        pins = np.where(gaze(self.cast.character.shape_names), 0.0, np.nan) * np.ones((len(self.shot.weights), 1))
        if frames is not None:
            pins[frames] = self.shot.weights[frames]
        return pins

    def solve(self, name: str, rig: rc.BlendshapeRig, frames: Float64 | None = None) -> tuple[Capture, Capture]:
        """From landmarks, and refined by pictures; on the template points count from where they lay at rest."""
        settings = rc.capture.CaptureSettings(noise=1.0, offsets=name == TEMPLATE)
        shot, pins = self.shot, self.pins(frames)
        found = rc.capture.solve(
            rig, shot.points, self.cast.landmarks, fixed=pins, size=(SIZE, SIZE), neutral=0, focal=shot.focal,
            settings=settings,
        )  # fmt: skip
        terms = RefineSettings(offsets=name == TEMPLATE)
        return found, rc.capture.refine(rig, found, shot.color, points=shot.points, fixed=pins, settings=terms)

    def corrected(self, name: str, found: Capture, refined: Capture, count: int) -> Float64:
        """Weights (T, K) after as many frames were corrected, by pictures on the refitted shapes."""
        return self.with_frames(name, found, rc.capture.frames_to_correct(refined, count))

    def with_frames(self, name: str, found: Capture, frames: Float64) -> Float64:
        """The same for frames of one's own choice."""
        rows = np.full(self.shot.weights.shape, np.nan)
        rows[frames] = self.shot.weights[frames]
        own = rc.capture.personalize(self.rigs[name], found, self.shot.points, corrected=rows).rig
        return self.solve(name, own, frames)[1].weights

    def errors(self, name: str) -> Float64:
        """Millimeters: the neutral, landmarks, pictures, and after each number of corrected frames."""
        found, refined = self.solve(name, self.rigs[name])
        rows = [found.weights, refined.weights, *(self.corrected(name, found, refined, count) for count in COUNTS)]
        neutral = face_distance(self.rigs[name].rest_vertices, self.shot.actor.rig.rest_vertices)
        return np.array([neutral, *(self.shot.millimeters(row).mean() for row in rows)])


def face_distance(face: Float64, actor: Float64) -> float:
    """Mean millimeters over the front of faces, with the size and the place that pictures do not tell taken out."""
    a, b = (x[:FRONT].astype(np.float64) - x[:FRONT].astype(np.float64).mean(axis=0) for x in (face, actor))
    u, size, vt = np.linalg.svd(a.T @ b)
    return float(10.0 * np.linalg.norm(size.sum() / (a**2).sum() * a @ u @ vt - b, axis=1).mean())


def main() -> None:
    """Measure, and write the table."""
    folder = Path(sys.argv[1])
    cast = rc.capture.ict_cast(folder / "ict_facekit")
    weights = dense_weights(folder / "compskin_face_anim", cast.character.shape_names)[::STEP]
    shots = [OwnRigShot(cast, seed, weights) for seed in SEEDS]
    corrected = " | ".join(f"{count} corrected" for count in COUNTS)
    rows = [f"| neutral | off, mm | landmarks, 1 px | with pictures | {corrected} |", "|---|---|---|---|---|---|---|"]
    means = {}
    for name in (TEMPLATE, ONE, MANY, TRUE):
        means[name] = np.mean([shot.errors(name) for shot in shots], axis=0)
        rows.append(f"| {name} | " + " | ".join(f"{value:.2f}" for value in means[name]) + " |")
        print(rows[-1], flush=True)
    write_between_marks("own rigs", "\n".join(rows))
    modes = [np.mean([shot.fits[name].determined for shot in shots]) for name in (ONE, MANY)]
    refined, ten = (float(means[MANY][i].round(2)) for i in (2, -1))
    text = (
        f"On faces fitted to twelve neutral frames: {refined:.2f} mm refined by pictures (goal {GOAL_REFINED:g}: "
        f"{_met(refined, GOAL_REFINED)}), {ten:.2f} after ten corrected frames (goal {GOAL_CORRECTED:g}: "
        f"{_met(ten, GOAL_CORRECTED)}). One frame determines {modes[0]:.0f} of {len(cast.modes)} identity modes, "
        f"twelve {modes[1]:.0f}."
    )
    print(text)
    write_between_marks("own rigs in one line", text)


def _met(value: float, goal: float) -> str:
    return "met" if value <= goal else "missed"


if __name__ == "__main__":
    main()
