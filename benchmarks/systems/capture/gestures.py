"""Gestures that detectors are known to lose, each by itself: ``python -m benchmarks.systems.capture.gestures DATA``.

DATA is a folder with ``ict_facekit``. Every picture is rendered, every albedo constructed. Solved on the character's
shapes on the actor's neutral, then with three corrected frames, one per kind of gesture at its height; and on faces
that are fitted to twelve neutral frames.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import rigcast as rc
from benchmarks.marks import write_between_marks
from benchmarks.systems.capture.corrected import CorrectedShot
from benchmarks.systems.capture.own_rig import MANY, OwnRigShot

SEEDS = (900, 901)
GESTURES = {
    "wink, left": ("eyeBlink_L",),
    "wink, right": ("eyeBlink_R",),
    "one cheek puffed": ("cheekPuff_L",),
    "half a smile": ("mouthSmile_L",),
    "half a frown": ("mouthFrown_R",),
    "one brow": ("browOuterUp_L",),
    "jaw to the side": ("jawOpen", "jawLeft"),
    "tongue": (),  # the ICT face has no such shape, and no landmark lies there
}
LENGTH, HEIGHT = 12, 0.8  # frames of a gesture, and its weight
CORRECTED = ("wink, left", "one cheek puffed", "half a smile")


def main() -> None:
    """Measure, and write the table."""
    cast = rc.capture.ict_cast(Path(sys.argv[1]) / "ict_facekit")
    names = cast.character.shape_names
    bump = HEIGHT * np.sin(np.pi * np.arange(LENGTH) / LENGTH) ** 2
    weights = np.zeros((LENGTH * len(GESTURES), len(names)))
    for i, shapes in enumerate(GESTURES.values()):
        for shape in shapes:
            weights[LENGTH * i : LENGTH * (i + 1), names.index(shape)] = bump
    shots = [CorrectedShot(cast, seed, weights) for seed in SEEDS]
    middle = np.array([1 + LENGTH * list(GESTURES).index(name) + LENGTH // 2 for name in CORRECTED])
    results = [
        [shot.found.weights for shot in shots],
        [shot.refined.weights for shot in shots],
        [shot.with_frames(middle)[2] for shot in shots],
        fitted(cast, weights, middle),
    ]
    rows = ["| gesture | neutral, mm | landmarks | with pictures | 3 corrected frames | 3, on a fitted face "
            "| weight of 0.8 | other side |", "|---|---|---|---|---|---|---|---|"]  # fmt: skip
    for i, (gesture, shapes) in enumerate(GESTURES.items()):
        if not shapes:
            rows.append(f"| {gesture} | | | | | | not observed | |")
            continue
        here = slice(LENGTH * i, LENGTH * (i + 1))
        errors = [np.mean([s.shot.millimeters(w)[here].mean() for s, w in zip(shots, found, strict=True)])
                  for found in ([0.0 * s.shot.weights for s in shots], *results)]  # fmt: skip
        at, other = names.index(shapes[-1]), _other(names, shapes[-1])
        top = 1 + LENGTH * i + LENGTH // 2
        seen, leak = (np.mean([w[top, k] for w in results[1]]) if k >= 0 else np.nan for k in (at, other))
        cells = " | ".join(f"{error:.2f}" for error in errors)
        rows.append(f"| {gesture} | {cells} | {seen:.2f} | {'' if other < 0 else f'{leak:.2f}'} |")
        print(rows[-1], flush=True)
    write_between_marks("gestures", "\n".join(rows))
    write_between_marks("jitter and lag", _still_and_late(shots))


def fitted(cast: rc.capture.Cast, weights: np.ndarray, middle: np.ndarray) -> list[np.ndarray]:
    """Weights of each actor on his fitted face, after the corrected frames."""
    results = []
    for seed in SEEDS:
        shot = OwnRigShot(cast, seed, weights)
        results.append(shot.with_frames(MANY, shot.solve(MANY, shot.rigs[MANY])[0], middle))
    return results


def _other(names: list[str], name: str) -> int:
    """The shape of the other side; -1 if there is none."""
    swapped = name[:-1] + {"L": "R", "R": "L"}.get(name[-1], "")
    return names.index(swapped) if name.endswith(("_L", "_R")) else -1


def _still_and_late(shots: list[CorrectedShot]) -> str:
    """Jitter where nothing moves, between gestures, and frames by which the fastest weights come late."""
    jitter, lag = [], []
    for shot in shots:
        truth, found = shot.shot.weights, shot.refined.weights
        speed = np.gradient(truth, axis=0)
        fast = np.abs(speed) >= np.quantile(np.abs(speed[speed != 0.0]), 0.9)
        lag.append(-float((speed[fast] * (found - truth)[fast]).sum() / np.square(speed[fast]).sum()))
        still = 1 + LENGTH * (len(GESTURES) - 1) + np.arange(1, LENGTH)  # the last one, which shows nothing
        jitter.append(shot.shot.millimeters(found)[still - 1].std())
    text = f"Jitter of a held face {np.mean(jitter):.3f} mm; the fastest weights come {np.mean(lag):.2f} frames late."
    print(text)
    return text


if __name__ == "__main__":
    main()
