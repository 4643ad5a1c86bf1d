"""Rigs that were transferred to another identity, fitted to meshes that the identity's own shapes make."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

import rigcast as rc
from benchmarks.papers.inverse.mismatched.kept import Kept, Row, digits
from benchmarks.papers.inverse.mismatched.methods import NAMES, OURS, RELEASED, as_released
from benchmarks.papers.inverse.mismatched.scene import Rig, Scene, truncated
from benchmarks.systems.inverse.published_mm import TOLERANCE
from benchmarks.systems.inverse.scenes import smooth_curves
from benchmarks.systems.transfer.faces import Hm08
from rigcast.inverse._choices.elbow import ALPHAS, elbow, means

FRAMES, TRAINING = 200, 40
METHODS = ("cet", "seol", "mm_cet" + RELEASED, OURS)
HEAD = [
    "identity",
    "fitted rig",
    "method",
    "95th percentile, cm",
    "error of weights",
    "> 0.001",
    "ms a frame",
    "alpha",
]


@dataclass(frozen=True)
class Identity:
    """An identity's own rig, rigs that stand in for it, and curves.

    Attributes
    ----------
    name : str
    own : BlendshapeRig
        Makes the targets and judges the weights.
    fitted : dict of str to BlendshapeRig
    vertices : (M,) int
    judged, training : (T, K)
        True weights.
    methods : tuple of str
    """

    name: str
    own: Rig
    fitted: dict[str, Rig]
    vertices: np.ndarray
    judged: np.ndarray
    training: np.ndarray
    methods: tuple[str, ...]

    @cached_property
    def judge(self) -> Rig:
        """The own rig on the vertices."""
        return self.own.restricted(self.vertices)

    def posed(self, weights: np.ndarray) -> np.ndarray:
        return np.asarray(self.judge.evaluate(weights.astype(np.float32), threads=1))

    def rows(self, kept: Kept) -> list[Row]:
        jobs = [(rig, method) for rig in self.fitted for method in self.methods]
        return [kept.row(f"{self.name} {rig} {m}", lambda r=rig, m=m: self.row(r, m)) for rig, m in jobs]

    def row(self, rig: str, method: str) -> Row:
        """A method's figures at the alpha of its own elbow on the training frames."""
        fitted = self.fitted[rig].restricted(self.vertices)
        solver = rc.inverse.Solver(truncated(fitted, "pairs") if method.endswith(RELEASED) else fitted)
        unit = 0.01 / float(self.own.meters_per_unit)  # of a centimeter
        targets = self.posed(self.training)
        curve = []
        for alpha in ALPHAS:
            weights = self.solve(solver, targets, method, alpha * unit**2, unit)
            curve.append(means(weights, self.error(weights, self.training).rmse_p95)[:2])
        rest = self.error(np.zeros_like(self.training), self.training).rmse_p95_mean
        alpha = ALPHAS[elbow(*np.array(curve).T, float(rest))]
        targets = self.posed(self.judged)
        began = time.process_time()
        weights = self.solve(solver, targets, method, alpha * unit**2, unit)
        seconds = (time.process_time() - began) / len(weights)
        error = self.error(weights, self.judged)
        return {
            "identity": self.name,
            "rig": rig,
            "method": method,
            "p95": error.rmse_p95_mean / unit,
            "mean": float(np.linalg.norm(targets - self.posed(weights), axis=2).mean()) / unit,
            "weights": float(np.abs(weights - self.judged).mean()),
            "cardinality_001": float(error.cardinality_001.mean()),
            "seconds": seconds,
            "alpha": alpha,
        }

    @staticmethod
    def solve(solver: Any, targets: np.ndarray, method: str, alpha: float, unit: float) -> np.ndarray:
        if method.endswith(RELEASED):
            return as_released(solver, targets, method, alpha, TOLERANCE * unit**2)
        return np.asarray(solver.solve(targets, method, alpha=alpha, threads=1).weights)

    def error(self, weights: np.ndarray, truth: np.ndarray) -> rc.metrics.WeightError:
        return rc.metrics.weight_error(weights, self.posed(truth), self.posed(weights), threads=1)


def makehuman(data: Path, frames: int, vertices: int) -> Identity:
    """MakeHuman's units, sculpted for two heads: those of one, transferred or copied, are fitted to the other's."""
    head = Hm08(data)
    given, truth = head.targets("caucasian"), head.targets("african")
    names = sorted(set(given) & set(truth))
    source, target = head.identity("caucasian"), head.identity("african")
    metadata = {"meters_per_unit": 0.1}
    rigs = {
        name: rc.BlendshapeRig(neutral, np.stack([units[k] for k in names]), faces=head.faces, metadata=metadata)
        for name, neutral, units in (("source", source, given), ("own", target, truth), ("copied", target, given))
    }
    fitted = {
        "own": rigs["own"],
        "transferred": rc.transfer.transfer_rig(rigs["source"], target, threads=1),
        "plain copy of the offsets": rigs["copied"],
    }
    moving = np.flatnonzero(np.any(np.asarray(rigs["own"].columns()) != 0, axis=(0, 2)))
    chosen = np.sort(np.random.default_rng(0).choice(moving, min(vertices, len(moving)), replace=False))
    frames = min(frames, FRAMES)
    judged, training = smooth_curves(frames, len(names), 1), smooth_curves(10 * TRAINING, len(names), 3)[::10]
    return Identity("MakeHuman, african", rigs["own"], fitted, chosen, judged, training, METHODS)


def ict(scene: Scene, data: Path, seed: int = 3) -> Identity:
    """Another head of ICT's model, whose own shapes are the model's; the order-4 face transferred to it."""
    coefficients = np.random.default_rng(seed).standard_normal(100)
    target = rc.faces.ict(data / "ict_facekit", identity=coefficients).rest_vertices
    source = scene.rig
    columns, count = np.asarray(source.columns()), source.num_shapes
    mixed = list(zip(source.combinations, columns[count:], strict=True))
    own = rc.BlendshapeRig(
        target,
        columns[:count],
        mixed,
        names=source.shape_names,
        faces=source.faces,
        metadata={"meters_per_unit": float(source.meters_per_unit)},
    )
    fitted = {"own": own, "transferred": rc.transfer.transfer_rig(source, target, threads=1)}
    training = scene.training[:: max(len(scene.training) // TRAINING, 1)]
    return Identity(f"ICT, drawn by seed {seed}", own, fitted, scene.vertices, scene.judged[:FRAMES], training, METHODS)


def cells(row: Row) -> list[str]:
    """One line of the table."""
    pairs = " (pairs model)" if row["method"].endswith(RELEASED) and row["identity"].startswith("ICT") else ""
    return [
        row["identity"],
        row["rig"] + pairs,
        NAMES[row["method"]],
        digits(row["p95"]),
        f"{row['weights']:.4f}",
        f"{row['cardinality_001']:.1f}",
        digits(1e3 * row["seconds"]),
        "" if row["method"] == "seol" else f"{row['alpha']:g}",
    ]
