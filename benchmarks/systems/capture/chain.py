"""The chain from pictures to weights on unseen actors: ``python -m benchmarks.systems.capture.chain DATA [NETWORK]``.

DATA is a folder with ``ict_facekit``, ``compskin_face_anim`` and ``makehuman_hm08``; NETWORK a file of
``rigcast capture train``, by default the package's. Every picture is rendered, every albedo constructed. The network
was trained on other actors, with the curves' other rows.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import rigcast as rc
from benchmarks.systems.capture.actors import by_names
from benchmarks.systems.capture.filmed import Float64, dense_weights, size_of
from rigcast.capture import ActorShot, ActorVariation, CaptureNetwork, Cast, Reading, ShotPlan

SEEDS = (900, 901)
STEP, SIZE, NOISE = 2, 256, 1.0  # frames of the curves, pixels, a detector's noise in pixels
GOAL_LEARNED, GOAL_REFINED, GOAL_CORRECTED = 1.0, 0.8, 0.6  # millimeters
CORRECTED = 10
PRIOR = 0.25  # of a weight's inverse variance: its errors last over many frames


@dataclass(frozen=True)
class Subject:
    """A shot of an unseen actor, and the points that a detector of 1 px noise has on it."""

    title: str
    cast: Cast
    shot: ActorShot
    rig: rc.BlendshapeRig

    @property
    def points(self) -> Float64:
        exact = np.asarray(self.shot.labels["landmarks_2d"], np.float64)
        return np.asarray(exact + NOISE * np.random.default_rng(self.shot.color.shape[0]).normal(size=exact.shape))

    @property
    def weights(self) -> Float64:
        return np.asarray(self.shot.labels["weights"], np.float64)


@dataclass(frozen=True)
class Chain:
    """A network, the character that all weights are judged on, and mean errors by method."""

    network: CaptureNetwork
    character: Cast

    def millimeters(self, subject: Subject, weights: Float64, names: list[str]) -> float:
        """Mean over frames of how far weights by names move the front of the character's face off."""
        own = self.character.character.shape_names
        truth = by_names(subject.weights, subject.rig.shape_names, own)
        return float(size_of(self.character, by_names(weights, names, own) - truth)[1:].mean())

    def reading(self, subject: Subject) -> Reading:
        return self.network.read(subject.shot.color, subject.points)

    def priors(self, reading: Reading, rig: rc.BlendshapeRig) -> tuple[Float64, Float64]:
        """What was read as a prior of a rig's weights: targets, and strengths by how far they are off on average."""
        target = by_names(reading.weights, self.network.names, rig.shape_names)
        spread = by_names(reading.error[None], self.network.names, rig.shape_names)[0]
        strength = np.where(spread > 0.0, PRIOR / np.maximum(spread, 0.02) ** 2 / 100.0, 0.0)
        return target, np.broadcast_to(strength, target.shape)


def subjects(folder: Path) -> list[Subject]:
    """Two actors with shapes of their own, the first again with glasses and with a hand, and one of MakeHuman's."""
    cast = rc.capture.ict_cast(folder / "ict_facekit", tongue=True)
    motion = dense_weights(folder / "compskin_face_anim", cast.character.shape_names)[::STEP]
    made = []
    for seed in SEEDS:
        made.append(_subject(f"actor {seed}", cast, seed, motion))
    made.append(_subject(f"actor {SEEDS[0]}, glasses", cast, SEEDS[0], motion, glasses=True))
    made.append(_subject(f"actor {SEEDS[0]}, a hand before the mouth", cast, SEEDS[0], motion, hand=True))
    other = rc.capture.makehuman_cast(folder / "makehuman_hm08")
    foreign = by_names(motion, cast.character.shape_names, other.character.shape_names)
    made.append(_subject("another topology: MakeHuman's head", other, SEEDS[0], foreign))
    return made


def _subject(title: str, cast: Cast, seed: int, motion: Float64, **plan: bool) -> Subject:
    shot = rc.capture.film(cast.actor(seed), ShotPlan(len(motion) + 1, SIZE, **plan), motion)
    neutral = cast.actor(seed, ActorVariation(strength=0.0, mix=0.0))
    return Subject(title, cast, shot, neutral.rig)


def main() -> None:
    folder = Path(sys.argv[1])
    network = rc.capture.load_network(sys.argv[2] if len(sys.argv) > 2 else None)
    chain = Chain(network, rc.capture.ict_cast(folder / "ict_facekit", tongue=True))
    for subject in subjects(folder):
        reading = chain.reading(subject)
        none = 0.0 * subject.weights
        mean = none + subject.weights[1:].mean(axis=0)
        names = subject.rig.shape_names
        off = (
            np.linalg.norm(reading.tracks.points - subject.shot.labels["landmarks_2d"], axis=2)
            if reading.tracks.points.shape[1] == 68
            else np.zeros(1)
        )
        print(
            f"{subject.title}: neutral {chain.millimeters(subject, none, names):.2f}, clip mean "
            f"{chain.millimeters(subject, mean, names):.2f}, read {chain.millimeters(subject, reading.weights, network.names):.2f}, landmarks {off.mean():.2f} px",
            flush=True,
        )


if __name__ == "__main__":
    main()
