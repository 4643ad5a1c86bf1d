"""Networks of random weights, and readings as an exact network would give them."""

from __future__ import annotations

from typing import Any

import numpy as np

import rigcast as rc
from rigcast.capture import FaceReading, Tracks

SIZE, WIDTH, FLAT, HIDDEN = 32, 4, 3, 8
SHAPES, LANDMARKS = 6, 5


def tensors(points: int = 0, landmarks: int = LANDMARKS, seed: int = 0) -> dict[str, np.ndarray]:
    """Random weights of the smallest network, which sees so many points of a detector."""
    rng, w = np.random.default_rng(seed), WIDTH
    sizes = {
        "conv1": (24, w), "conv2": (w, w), "conv3": (w, 2 * w), "conv4": (2 * w, 2 * w), "conv5": (2 * w, 4 * w),
        "conv6": (4 * w, 4 * w), "conv7": (4 * w, FLAT), "up1": (4 * w, 2 * w), "up2": (2 * w, w),
        "heat": (w, landmarks),
    }  # fmt: skip
    made: dict[str, np.ndarray] = {}
    for name, (inputs, outputs) in sizes.items():
        made[f"{name}.weight"] = rng.standard_normal((outputs, inputs, 3, 3)) / np.sqrt(5 * inputs)
        made[f"{name}.bias"] = 0.1 * rng.standard_normal(outputs)
    wide = FLAT * (SIZE // 8) ** 2 + (7 if points else 0)
    layers = {"dense1": (wide, HIDDEN), "dense2": (HIDDEN, SHAPES)} | ({"points": (2 * points, 7)} if points else {})
    for name, (inputs, outputs) in layers.items():
        made[f"{name}.weight"] = rng.standard_normal((outputs, inputs)) / np.sqrt(inputs)
        made[f"{name}.bias"] = 0.1 * rng.standard_normal(outputs)
    made["heat.spread"] = np.log(rng.uniform(0.01, 0.3, (landmarks, 2)))
    made = {name: value.astype(np.float32) for name, value in made.items()}
    made["shapes.read"] = np.arange(SHAPES, dtype=np.int32)
    made["shapes.error"] = np.linspace(0.05, 0.2, SHAPES).astype(np.float32)
    made["layout.rigid"] = np.arange(min(4, landmarks), dtype=np.int32)
    made["layout.home"] = rng.uniform(0.2, 0.8, (landmarks, 2)).astype(np.float32)
    return made


def facts(names: list[str] | None = None, **changes: object) -> dict[str, Any]:
    """Metadata of such a network."""
    shapes = names or [f"shape{k}" for k in range(SHAPES)]
    made = {"kind": "capture_network", "version": 1, "size": SIZE, "shape_names": shapes, "layout": "own"}
    return {**made, "detector": "none", **changes}


def network(points: int = 0, landmarks: int = LANDMARKS, seed: int = 0, **changes: object) -> rc.capture.CaptureNetwork:
    return rc.capture.CaptureNetwork(tensors(points, landmarks, seed), facts(**changes))


def pictures(count: int, seed: int = 3) -> np.ndarray:
    """Crops (count, SIZE, SIZE, 3) of smooth noise."""
    rng = np.random.default_rng(seed)
    coarse = rng.integers(0, 256, (count, SIZE // 4, SIZE // 4, 3)).repeat(4, axis=1).repeat(4, axis=2)
    return np.clip(coarse + rng.normal(0, 12, coarse.shape), 0, 255).astype(np.uint8)


def exact_reading(names: list[str], weights: np.ndarray, points: np.ndarray, error: float = 0.05) -> FaceReading:
    """The reading of a network that is right, and states an error."""
    frames, count = points.shape[:2]
    tracks = Tracks(points.astype(float), np.ones((frames, count)))
    covariance = np.tile(np.eye(2), (frames, count, 1, 1))
    lost = np.zeros(frames, np.bool_)
    return FaceReading(weights, np.full(len(names), error), tracks, covariance, lost, (), tuple(names))
