"""The chain from pictures to weights on unseen actors: ``python -m benchmarks.systems.capture.chain DATA [NETWORK]``.

DATA is a folder with ``ict_facekit``, ``compskin_face_anim`` and ``makehuman_hm08``; NETWORK a file of
``rigcast capture train``, by default the package's. Every picture is rendered, every albedo constructed. The network
was trained on other actors, in expressions made of other frames of the curves.
"""

from __future__ import annotations

import functools
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import rigcast as rc
from benchmarks.marks import write_between_marks
from benchmarks.systems.capture.actors import by_names
from benchmarks.systems.capture.filmed import Float64, dense_weights, gaze, size_of
from rigcast._extras import MissingExtra
from rigcast.capture import ActorShot, Capture, CaptureNetwork, Cast, FaceReading, ShotPlan
from rigcast.capture._network.solve_read import OWN_SHAPES
from rigcast.capture._video.follow import FaceFollower
from rigcast.capture._video.networks import FaceNetworks

SEEDS = (900, 901)
STEP, SIZE, NOISE = 2, 256, 1.0  # frames of the curves, pixels, noise of landmarks in pixels
GOALS = {"read": 1.0, "with pictures": 0.8, "corrected": 0.6}  # millimeters
CORRECTED = 10
SPREADS = {"strength": 0.1, "mix": 0.06}  # of shapes that are fitted to what was read: half of those for true weights
STAGES = ("neutral", "clip mean", "landmarks", "read", "solved", "with pictures", "corrected")


@dataclass(frozen=True)
class Subject:
    """A shot of an unseen actor."""

    title: str
    shot: ActorShot
    names: tuple[str, ...]

    @functools.cached_property
    def points(self) -> Float64:
        """(T, 68, 2) landmarks with noise, in pixels."""
        exact = np.asarray(self.shot.labels["landmarks_2d"], np.float64)
        return np.asarray(exact + NOISE * np.random.default_rng(len(exact)).normal(size=exact.shape))

    @property
    def focal(self) -> float:
        """In pixels."""
        return float(self.shot.labels["focal"])


class Chain:
    """A network, the character that it reads, and a shot's weights stage by stage.

    Parameters
    ----------
    network : CaptureNetwork
    cast : Cast
        Of the character.
    """

    def __init__(self, network: CaptureNetwork, cast: Cast) -> None:
        self.network, self.cast = network, cast
        self.names = cast.character.shape_names
        try:
            self.detector: FaceNetworks | None = FaceNetworks()
        except MissingExtra:
            self.detector = None
        self.fixed = np.where(gaze(self.names), 0.0, np.nan)
        self.settings = rc.capture.CaptureSettings(noise=NOISE)

    def truth(self, subject: Subject) -> Float64:
        """(T, K) weights by the character's names."""
        return by_names(np.asarray(subject.shot.labels["weights"], np.float64), list(subject.names), self.names)

    def read(self, subject: Subject) -> FaceReading:
        """The network's reading, with MediaPipe's points if they are at hand."""
        points = subject.points
        if self.detector is not None:
            follower = FaceFollower(self.detector)
            seen = [follower.step(picture, t).points for t, picture in enumerate(subject.shot.color)]
            if np.isfinite(seen[0]).all():
                points = np.asarray(seen, np.float64)
        return self.network.read(subject.shot.color, points)

    def stages(self, subject: Subject) -> dict[str, Float64]:
        """(T, K) weights by stage."""
        truth, reading = self.truth(subject), self.read(subject)
        read = by_names(reading.weights, self.network.names, self.names)
        camera = {"size": (SIZE, SIZE), "neutral": 0, "focal": subject.focal}
        rig = rc.capture.fit_actor(self.cast, subject.points, noise=NOISE, **camera).rig
        first = rc.capture.solve(
            rig, subject.points, self.cast.landmarks, fixed=self.fixed, settings=self.settings, **camera
        )
        rows = read.copy()
        rows[0] = np.nan
        own = rc.capture.personalize(rig, first, subject.points, corrected=rows, **SPREADS).rig
        solved, refined = self._solved(own, first, reading, subject, self.fixed)
        frames = rc.capture.frames_to_correct(refined, CORRECTED)
        pins = np.tile(self.fixed, (len(truth), 1))
        pins[frames] = truth[frames]
        rows = np.full(truth.shape, np.nan)
        rows[frames] = truth[frames]
        corrected = rc.capture.personalize(rig, first, subject.points, corrected=rows).rig
        _, last = self._solved(corrected, first, reading, subject, pins)
        found = (
            0.0 * truth,
            0.0 * truth + truth[1:].mean(axis=0),
            first.weights,
            read,
            solved.weights,
            refined.weights,
        )
        return dict(zip(STAGES, (*found, last.weights), strict=True))

    def _solved(
        self, rig: rc.BlendshapeRig, first: Capture, reading: FaceReading, subject: Subject, pins: Float64
    ) -> tuple[Capture, Capture]:
        """The shot on a rig by what was read, then refined by its pictures."""
        use = rc.capture.ReadingUse(prior=OWN_SHAPES, landmarks="none")
        found = rc.capture.solve_read(
            rig, first, reading, points=subject.points, use=use, fixed=pins, settings=self.settings
        )
        refined = rc.capture.refine(
            rig, found.found, subject.shot.color, points=found.tracks, fixed=pins, priors=found.priors
        )  # fmt: skip
        return found.found, refined

    def millimeters(self, subject: Subject, weights: Float64) -> float:
        """Mean over frames of how far weights move the front of the character's face off."""
        return float(size_of(self.cast, weights - self.truth(subject))[1:].mean())


def subjects(folder: Path, cast: Cast) -> list[Subject]:
    """Two actors with shapes of their own; the first with glasses, and with a hand; one of MakeHuman's topology."""
    motion = dense_weights(folder / "compskin_face_anim", cast.character.shape_names)[::STEP]
    other = rc.capture.makehuman_cast(folder / "makehuman_hm08")
    foreign = by_names(motion, cast.character.shape_names, other.character.shape_names)
    first = SEEDS[0]
    return [
        *(_filmed(f"actor {seed}", cast, seed, motion) for seed in SEEDS),
        _filmed(f"actor {first}, glasses", cast, first, motion, glasses=True),
        _filmed(f"actor {first}, a hand before the mouth", cast, first, motion, hand=True),
        _filmed("another topology: MakeHuman's head", other, first, foreign),
    ]


def _filmed(title: str, cast: Cast, seed: int, motion: Float64, **plan: bool) -> Subject:
    shot = rc.capture.film(cast.actor(seed), ShotPlan(len(motion) + 1, SIZE, **plan), motion)
    return Subject(title, shot, tuple(cast.character.shape_names))


def main() -> None:
    """Measure, and write the table."""
    folder = Path(sys.argv[1])
    network = rc.capture.load_network(sys.argv[2] if len(sys.argv) > 2 else None)
    chain = Chain(network, rc.capture.ict_cast(folder / "ict_facekit", tongue=True))
    rows = [f"| {' | '.join(('judged on', *STAGES))} |", "|---" * (1 + len(STAGES)) + "|"]
    unseen: list[dict[str, float]] = []
    for subject in subjects(folder, chain.cast):
        errors = {stage: chain.millimeters(subject, weights) for stage, weights in chain.stages(subject).items()}
        rows.append(f"| {subject.title} | " + " | ".join(f"{error:.2f}" for error in errors.values()) + " |")
        unseen += [errors] if len(unseen) < len(SEEDS) else []
        print(rows[-1], flush=True)
    with_points = "with" if chain.detector is not None else "without"
    rows.append(f"\nRead {with_points} MediaPipe's points; {_speed(chain)} ms a frame on one thread.")
    write_between_marks("chain on unseen actors", "\n".join(rows))
    means = {stage: float(np.mean([errors[stage] for errors in unseen])) for stage in GOALS}
    text = ", ".join(
        f"{stage} {error:.2f} mm (goal {GOALS[stage]:g}: {'met' if error <= GOALS[stage] else 'missed'})"
        for stage, error in means.items()
    )
    print(text)
    write_between_marks("chain in one line", f"Two unseen actors: {text}.")


def _speed(chain: Chain) -> str:
    """Milliseconds of processor time of the engine for a frame read both ways, the best of five."""
    size, times = chain.network.size, []
    crops = np.zeros((20, size, size, 3), np.uint8)
    motion = np.full((20, 2 * chain.network._engine.num_points), np.nan, np.float32)
    for _ in range(5):
        start = time.process_time()
        for _ in range(2):
            chain.network._engine.read(crops, crops[:1], motion, 1)
        times.append(time.process_time() - start)
    return f"{1000.0 * min(times) / len(crops):.1f}"


if __name__ == "__main__":
    main()
