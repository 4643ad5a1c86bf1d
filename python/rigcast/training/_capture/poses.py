"""Expressions to train on: halves of recorded frames, sparse ones, and gestures that detectors lose."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rigcast._rigs.matching import plain_name
from rigcast.capture._actors.shot import CLOSED
from rigcast.capture._sides import other_sides

Float64 = NDArray[np.float64]

UPPER = ("brow", "eye", "cheeksquint", "cheekraiser", "nose")  # how names of shapes of the upper half begin
SHARES = (0.55, 0.2, 0.25)  # of recorded halves, sparse expressions, gestures
NOISE = 0.15  # of weights that are not 0 (Bailey 2020, section 6.5)
MOST = 25  # shapes of an expression that is not recorded: one less
TONGUE = 0.3  # least jawOpen of a tongue that is out
# Alone or with others: winks, one cheek, one side of the mouth or brow, the jaw aside, tongue.
GESTURES = (
    ("eyeblinkleft",), ("eyeblinkright",), ("cheekpuffleft",), ("cheekpuffright",), ("cheekpuffleft", "cheekpuffright"),
    ("mouthsmileleft",), ("mouthsmileright",), ("mouthfrownleft",), ("mouthfrownright",), ("browouterupleft",),
    ("browouterupright",), ("browdownleft",), ("browdownright",), ("jawopen", "jawleft"), ("jawopen", "jawright"),
    ("tongueout",), ("nosesneerleft",), ("nosesneerright",), ("mouthleft",), ("mouthright",),
    ("eyeblinkleft", "eyeblinkright"), ("mouthpucker",), ("mouthfunnel",), ("mouthupperupleft",),
    ("mouthupperupright",),
)  # fmt: skip


def solved_shapes(names: list[str]) -> NDArray[np.bool_]:
    """(K,) shapes that pictures of a face tell: all but gaze and pupils."""
    return np.array([not ("look" in plain_name(name) or "pupil" in plain_name(name)) for name in names])


def training_poses(names: list[str], count: int, rng: np.random.Generator, motion: Float64 | None = None) -> Float64:
    """Weights (count, K) in [0, 1]; gaze and pupils at rest.

    Of recorded frames (T, K), each half of a face is the larger of one to three rows, mirrored with probability one
    half, with noise on what is not 0; without a recording, sparse expressions take their place. Some rows get a jaw or
    a blink.
    """
    plain, free = [plain_name(name) for name in names], solved_shapes(names)
    upper = np.array([name.startswith(UPPER) for name in plain])
    swap = other_sides(names)
    rows = np.zeros((count, len(names)))
    shares = SHARES if motion is not None else (0.0, SHARES[0] + SHARES[1], SHARES[2])
    for row, kind in zip(rows, rng.choice(3, count, p=shares), strict=True):
        if kind == 0 and motion is not None:
            halves = [motion[rng.integers(len(motion), size=rng.integers(1, 4))].max(axis=0) for _ in range(2)]
            halves = [half[swap] if rng.random() < 0.5 else half for half in halves]
            row[:] = np.where(upper, *halves)
            row += np.where(row > 0.0, rng.uniform(-NOISE, NOISE, len(row)), 0.0)
            row *= rng.uniform(0.6, 1.2)
        else:
            chosen = rng.choice(np.flatnonzero(free), min(int(rng.integers(1, MOST)), int(free.sum())), replace=False)
            row[chosen] = 0.95 * rng.uniform(0.0, 1.0, len(chosen)) ** 2 * (1.0 if kind == 1 else 0.3)
            if kind == 2:
                for name in GESTURES[rng.integers(len(GESTURES))]:
                    row[[k for k, own in enumerate(plain) if own == name]] = rng.uniform(0.3, 1.0)
        _add_jaw_and_blinks(row, plain, rng)
    return np.asarray(possible(np.clip(rows, 0.0, 1.0) * free, plain))


def possible(rows: Float64, plain: list[str]) -> Float64:
    """Weights (T, K) whose lips do not tear, and whose tongue comes out of an open mouth."""
    place = {name: k for k, name in enumerate(plain)}
    jaw = place.get("jawopen")
    if jaw is None:
        return rows
    if (tongue := place.get("tongueout")) is not None:
        rows[:, jaw] = np.maximum(rows[:, jaw], TONGUE * (rows[:, tongue] > 0.05))
    if (closing := place.get("mouthclose")) is not None:
        rows[:, closing] = np.minimum(rows[:, closing], CLOSED * rows[:, jaw])
    return rows


def _add_jaw_and_blinks(row: Float64, plain: list[str], rng: np.random.Generator) -> None:
    """Open the jaw of some rows, close both eyes of others."""
    jaw, blink = rng.random() < 0.2, rng.random() < 0.15
    amounts = rng.uniform(0.0, 1.0, 2)
    for k, name in enumerate(plain):
        if jaw and name == "jawopen":
            row[k] = max(row[k], amounts[0])
        if blink and name.startswith("eyeblink"):
            row[k] = max(row[k], amounts[1])
