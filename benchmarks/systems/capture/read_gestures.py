"""Gestures that detectors are known to lose, as a network reads them.

    python -m benchmarks.systems.capture.read_gestures DATA [NETWORK]

DATA is a folder with ``ict_facekit``; NETWORK a file of ``rigcast capture train``, by default the package's. Every
picture is rendered, every albedo constructed. Two unseen actors with shapes of their own.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import rigcast as rc
from benchmarks.marks import write_between_marks
from benchmarks.systems.capture.chain import SIZE, Chain, Subject
from benchmarks.systems.capture.filmed import Float64
from rigcast.capture import ShotPlan
from rigcast.capture._sides import other_sides

SEEDS = (900, 901)
GESTURES = {
    "wink, left": {"eyeBlink_L": 0.9},
    "wink, right": {"eyeBlink_R": 0.9},
    "one cheek puffed": {"cheekPuff_L": 0.8},
    "both cheeks puffed": {"cheekPuff_L": 0.8, "cheekPuff_R": 0.8},
    "half a smile": {"mouthSmile_L": 0.8},
    "half a frown": {"mouthFrown_R": 0.8},
    "one brow": {"browOuterUp_L": 0.8},
    "jaw to the side": {"jawLeft": 0.8, "jawOpen": 0.4},
    "tongue": {"tongueOut": 0.8, "jawOpen": 0.5},
}
LENGTH = 12  # frames of a gesture, from rest and back
MOVED = 0.1  # of a gesture's largest motion: vertices that it is judged on


def main() -> None:
    """Measure, and write the table."""
    network = rc.capture.load_network(sys.argv[2] if len(sys.argv) > 2 else None)
    chain = Chain(network, rc.capture.ict_cast(Path(sys.argv[1]) / "ict_facekit", tongue=True))
    bump = np.sin(np.pi * np.arange(LENGTH) / LENGTH) ** 2
    weights = np.zeros((LENGTH * (len(GESTURES) + 1), len(chain.names)))  # the last ones at rest
    for i, shapes in enumerate(GESTURES.values()):
        for name, height in shapes.items():
            weights[LENGTH * i : LENGTH * (i + 1), chain.names.index(name)] = height * bump
    found = []
    for seed in SEEDS:
        shot = rc.capture.film(chain.cast.actor(seed), ShotPlan(len(weights) + 1, SIZE), weights)
        found.append(chain.read(Subject(str(seed), shot, tuple(chain.names))).weights[1:])
    read = np.stack(found)  # (actors, T, K) by the network's names
    others = other_sides(chain.names)
    rows = ["| gesture | at rest, mm | read, mm | its weight | read | other side |", "|---|---|---|---|---|---|"]
    for i, (gesture, shapes) in enumerate(GESTURES.items()):
        here = slice(LENGTH * i, LENGTH * (i + 1))
        rest, error = _errors(chain, weights[here], read[:, here])
        first = next(iter(shapes))
        top = read[:, LENGTH * i + LENGTH // 2]
        other = int(others[chain.names.index(first)])
        is_alone = other != chain.names.index(first) and chain.names[other] not in shapes
        leak = f"{top[:, other].mean():.2f}" if is_alone else ""
        cells = f"{rest:.2f} | {error:.2f} | {shapes[first]:g} | {top[:, chain.names.index(first)].mean():.2f} | {leak}"
        rows.append(f"| {gesture} | {cells} |")
        print(rows[-1], flush=True)
    write_between_marks("gestures as they are read", "\n".join(rows))
    write_between_marks("jitter and lag of readings", _still_and_late(weights, read))


def _errors(chain: Chain, truth: Float64, read: Float64) -> tuple[float, float]:
    """Millimeters of a gesture (T, K), and of what is read (A, T, K), over the vertices that it moves."""
    character = chain.cast.character
    moved = character.evaluate(truth.astype(np.float32)) - character.rest_vertices
    size = np.linalg.norm(moved, axis=2)
    chosen = size.max(axis=0) > MOVED * size.max()
    away = [np.linalg.norm(_moved(chain, one) - moved, axis=2)[:, chosen].mean() for one in read]
    return 10.0 * float(size[:, chosen].mean()), 10.0 * float(np.mean(away))


def _moved(chain: Chain, weights: Float64) -> Float64:
    character = chain.cast.character
    return np.asarray(character.evaluate(weights.astype(np.float32)) - character.rest_vertices)


def _still_and_late(truth: Float64, read: Float64) -> str:
    """Deviation of weights where the truth stands still, and frames by which the fastest come late."""
    speed = np.gradient(truth, axis=0)
    fast = np.abs(speed) >= np.quantile(np.abs(speed[speed != 0.0]), 0.9)
    lag = [-float((speed[fast] * (one - truth)[fast]).sum() / np.square(speed[fast]).sum()) for one in read]
    steps = np.diff(read, axis=1)[:, np.abs(np.diff(truth, axis=0)).max(axis=1) == 0.0]
    text = f"{np.mean(lag):.2f} frames late where weights change fastest"
    if steps.size:
        text += f", and a held face jitters by {steps.std():.3f} of a weight"
    print(text)
    return f"Readings are {text}."


if __name__ == "__main__":
    main()
