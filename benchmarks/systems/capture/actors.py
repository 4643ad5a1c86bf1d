"""Pictures per second, and simple methods on synthetic actors: ``python -m benchmarks.systems.capture.actors DATA``.

DATA is a folder with ``ict_facekit`` and ``makehuman_hm08``. Every picture is rendered, every albedo constructed.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

import rigcast as rc
from benchmarks.marks import write_between_marks
from rigcast.capture import ActorVariation, Cast, ShotPlan, film
from rigcast.capture._sides import shares_of_names

TRAINING, TESTS = range(1000, 1030), range(6)  # seeds, which must not overlap
FRAMES, SIZE, NOISE = 60, 128, 0.5  # NOISE: of landmarks, in pixels at SIZE: 1 px at 256
RIDGE = 100.0
FRONT = 6706  # first vertices of the ICT mesh: the front of the face


def main() -> None:
    """Measure, and write the tables."""
    cast = rc.capture.ict_cast(Path(sys.argv[1]) / "ict_facekit")
    foreign = rc.capture.makehuman_cast(Path(sys.argv[1]) / "makehuman_hm08")
    write_between_marks("pictures per second", _speed(cast))
    rng = np.random.default_rng(0)
    rows = ["| actors | neutral | clip mean | ridge, exact landmarks | ridge, 1 px at 256 |", "|---|---|---|---|---|"]
    plain, own = ActorVariation(identity=0.8, strength=0.0, mix=0.0), ActorVariation()
    same, other = cast.character.shape_names, foreign.character.shape_names
    for words, change, tested, names in (
        ("shapes of the character (trivial)", plain, cast, same),
        ("own shapes: gradient, 20 %, personal mix", own, cast, same),
        ("another topology: MakeHuman's head, own shapes", own, foreign, other),
    ):
        training = [_labels(cast, seed, change) for seed in TRAINING]
        tests = [_labels(tested, seed, change) for seed in TESTS]
        for shot in tests:
            shot["weights"] = by_names(shot["weights"], names, same)
        errors = [
            _error(cast, tests, lambda x, w: np.zeros_like(w)),
            _error(cast, tests, lambda x, w: w * 0 + w.mean(0)),
        ]
        for noise in (0.0, NOISE):
            fit = _ridge(training, noise, rng)
            errors.append(
                _error(cast, tests, lambda x, w, fit=fit, noise=noise: fit(x + rng.normal(0, noise, x.shape)))
            )
        rows.append(f"| {words} | " + " | ".join(f"{error:.2f}" for error in errors) + " |")
        print(rows[-1], flush=True)
    write_between_marks("simple methods on synthetic actors", "\n".join(rows))


def by_names(weights: np.ndarray, names: list[str], wanted: list[str]) -> np.ndarray:
    """Weights (T, K) of shapes with ARKit's names on others: of the same name, of both sides or their mean, or 0."""
    return np.asarray(weights @ shares_of_names(names, wanted).T)


def _speed(cast: Cast) -> str:
    """Processor time of one thread, the best of five."""
    vertices, count = cast.character.rest_vertices, 20
    distance = np.tile([0.0, -2.0, 54.0], (count, 1))
    camera = rc.render.Camera(SIZE, SIZE, focal=2.2 * SIZE, translation=distance)
    sensor = rc.render.Sensor(blur=0.5, noise=0.01)
    times = []
    for _ in range(5):
        start = time.process_time()
        rc.render.render(vertices, cast.character.faces, camera, sensor=sensor, threads=1)
        times.append(time.process_time() - start)
    rate = count / min(times)
    print(f"{rate:.0f} pictures/s", flush=True)
    return f"{rate:.0f} pictures of {SIZE} px per second on one core (goal 60), {len(vertices):,} vertices."


def _labels(cast: Cast, seed: int, change: ActorVariation) -> dict[str, np.ndarray]:
    """Landmarks and weights of an actor's shot, without its pictures' noise or blur: labels are exact."""
    return film(cast.actor(seed, change), ShotPlan(frames=FRAMES, size=SIZE)).labels


def _features(points: np.ndarray) -> np.ndarray:
    """Differences (T - 1, 2 P) from the neutral frame, aligned with it by a similarity on the upper landmarks."""
    rigid = [*range(27, 36), 36, 39, 42, 45]  # nose and corners of the eyes
    plane = points[..., 0] + 1j * points[..., 1]
    neutral = plane[0] - plane[0, rigid].mean()
    moved = plane[1:] - plane[1:, rigid].mean(axis=1, keepdims=True)
    turn = (np.conj(moved[:, rigid]) * neutral[rigid]).sum(axis=1) / (np.abs(moved[:, rigid]) ** 2).sum(axis=1)
    away = (turn[:, None] * moved - neutral) / abs(neutral[45] - neutral[36])
    return np.concatenate([away.real, away.imag], axis=1)


def _ridge(training: list[dict[str, np.ndarray]], noise: float, rng: np.random.Generator):
    """A map from landmarks (T, P, 2) to weights (T - 1, K)."""
    noisy = [shot["landmarks_2d"] + rng.normal(0.0, noise, shot["landmarks_2d"].shape) for shot in training]
    x = np.concatenate([_features(points) for points in noisy])
    y = np.concatenate([shot["weights"][1:] for shot in training])
    mean, deviation = x.mean(axis=0), x.std(axis=0) + 1e-9
    z = (x - mean) / deviation
    beta = np.linalg.solve(z.T @ z + RIDGE * np.eye(z.shape[1]), z.T @ (y - y.mean(axis=0)))
    return lambda points: np.clip((_features(points) - mean) / deviation @ beta + y.mean(axis=0), 0.0, 1.0)


def _error(cast: Cast, tests: list[dict[str, np.ndarray]], method) -> float:
    """Millimeters on the character: mean distance over the front of the face, all frames of all actors."""
    errors = []
    for shot in tests:
        truth = shot["weights"][1:]
        difference = np.asarray(method(shot["landmarks_2d"], truth) - truth, np.float32)
        moved = cast.character.evaluate(difference) - cast.character.rest_vertices
        errors.append(10.0 * np.linalg.norm(moved[:, :FRONT], axis=2).mean())
    return float(np.mean(errors))


if __name__ == "__main__":
    main()
