"""Targets as scans are: noise, vertices far off, holes that were filled with the neutral, and head motion."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import rigcast as rc
from benchmarks.papers.inverse.head_motion import head
from benchmarks.papers.inverse.mismatched.kept import Kept, Row, digits
from benchmarks.papers.inverse.mismatched.scene import Scene

NOISE = 0.02  # cm, standard deviation of every coordinate
OUTLIERS, FAR = 0.02, 2.0  # share of the vertices in every frame; cm, standard deviation of their offset
HOLES, RADIUS = 3, 1.5  # in every frame; cm
HEAD = [
    "targets: head motion",
    "loss",
    "error of weights",
    "of that without damage",
    "95th percentile from the truth, cm",
    "> 0.001",
    "steps per frame",
    "ms a frame",
]
DAMAGE = {
    "noise": (),
    "noise, 2 % outliers": ("outliers",),
    "noise, holes": ("holes",),
    "noise, head motion": ("head",),
    "all of these": ("outliers", "holes", "head"),
}
WAYS: dict[str, dict[str, Any]] = {
    "squared": {},
    "Huber": {"loss": "huber"},
    "Tukey": {"loss": "tukey"},
}


def damaged(scene: Scene, frames: np.ndarray, kinds: tuple[str, ...], seed: int = 0) -> np.ndarray:
    """Targets (T, M, 3) of some judged frames."""
    rng = np.random.default_rng(seed)
    shot = scene.targets[frames].astype(np.float64)
    shot += rng.normal(0, NOISE, shot.shape)
    neutral = np.asarray(scene.judge.rest_vertices, np.float64)
    if "holes" in kinds:
        for frame in shot:
            for center in neutral[rng.choice(len(neutral), HOLES)]:
                gone = np.linalg.norm(neutral - center, axis=1) < RADIUS
                frame[gone] = neutral[gone] + rng.normal(0, NOISE, (int(gone.sum()), 3))
    if "outliers" in kinds:
        off = rng.random(shot.shape[:2]) < OUTLIERS
        shot[off] += rng.normal(0, FAR, (int(off.sum()), 3))
    if "head" in kinds:
        motion = head(len(shot))
        shot = shot @ motion[:, :, :3].transpose(0, 2, 1) + motion[:, None, :, 3]
    return shot.astype(np.float32)


class Scans:
    """The whole rig fitted to damaged targets of some judged frames: nothing but the damage is wrong.

    Parameters
    ----------
    scene : Scene
    count : int
        Frames, from the first judged one.
    alpha : float
    kept : Kept
    """

    def __init__(self, scene: Scene, count: int, alpha: float, kept: Kept) -> None:
        self.scene, self.alpha, self.kept = scene, alpha, kept
        self.frames = np.arange(min(count, scene.cut))
        self.solver: Any = None

    def rows(self) -> list[Row]:
        result = []
        for name, kinds in DAMAGE.items():
            for rigid in ("left in", "found") if "head" in kinds else ("",):
                for way, how in WAYS.items():
                    how = how | ({"rigid": "auto"} if rigid == "found" else {})
                    make = self._maker(name, kinds, rigid, way, how)
                    result.append(self.kept.row(f"{name} {rigid} {way}", make))
        return result

    def _maker(self, name: str, kinds: tuple[str, ...], rigid: str, way: str, how: dict[str, Any]) -> Callable[[], Row]:
        def make() -> Row:
            self.solver = self.solver or rc.inverse.Solver(self.scene.judge)
            return {"targets": name, "rigid": rigid, "loss": way} | self.row(kinds, how)

        return make

    def row(self, kinds: tuple[str, ...], how: dict[str, Any]) -> Row:
        targets, truth = damaged(self.scene, self.frames, kinds), self.scene.judged[self.frames]
        began = time.process_time()
        found = self.solver.solve(targets, alpha=self.alpha, threads=1, **how)
        seconds = (time.process_time() - began) / len(targets)
        error = rc.metrics.weight_error(
            found.weights, self.scene.posed(truth), self.scene.posed(found.weights), threads=1
        )
        return {
            "weights": float(np.abs(found.weights - truth).mean()),
            "p95": error.rmse_p95_mean,
            "cardinality_001": float(error.cardinality_001.mean()),
            "iterations": float(found.iterations.mean()),
            "converged": float(found.converged.mean()),
            "scale": found.loss_scale,
            "seconds": seconds,
        }

    def gram_seconds(self) -> Row:
        """The cost of one Gram matrix, on the chosen vertices and on all: a frame and round of weighted vertices."""

        def seconds(rig: Any) -> float:
            began = time.process_time()
            rc.inverse.Solver(rig)
            return time.process_time() - began

        return self.kept.row("gram", lambda: {"chosen": seconds(self.scene.judge), "all": seconds(self.scene.rig)})


def cells(row: Row, quiet: float) -> list[str]:
    """One line of the table; ``quiet`` is the error of weights of the squared solve under noise alone."""
    return [
        f"{row['targets']}: {row['rigid']}" if row["rigid"] else row["targets"],
        row["loss"] + ("" if row["scale"] is None else f", {row['scale']:.2g} cm"),
        f"{row['weights']:.4f}",
        f"{row['weights'] / quiet:.2f} x",
        digits(row["p95"]),
        f"{row['cardinality_001']:.1f}",
        f"{row['iterations']:.0f}",
        digits(1e3 * row["seconds"]),
    ]
