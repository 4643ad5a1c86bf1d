"""The paper's tables 1 to 5: every method on every fitted model, weights judged in the whole rig."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.optimize

import rigwright as rw
from benchmarks.inverse.mismatched.kept import Kept, Row, digits
from benchmarks.inverse.mismatched.scene import MODELS, Scene, truncated
from benchmarks.inverse.peers import GramSpace, VertexSpace
from benchmarks.inverse.published_mm import STEPS, TOLERANCE
from rigwright.inverse._elbow import ALPHAS, elbow, means

SHAPES_ALONE = ("cet", "cet_loc", "seol")
MM = ("mm", "mm_cet")
INTERIOR = ("sqp", "SciPy's defaults")
OURS = "descent"
NAMES = {
    "cet": "Cet",
    "cet_loc": "Cet-loc",
    "seol": "Seol",
    "mm": "MM from zero",
    "mm_cet": "MM from Cet",
    "sqp": "interior point, exact Hessian, to the end",
    "SciPy's defaults": "interior point as SciPy leaves it",
    OURS: "ours",
}
HEAD = [
    "fitted model",
    "method",
    "95th percentile, cm",
    "mean, cm",
    "weights > 0",
    "> 0.001",
    "L1",
    "smoothness",
    "ms a frame",
    "alpha",
]


@dataclass(frozen=True)
class Bench:
    """A scene with solvers of its truncations.

    Attributes
    ----------
    scene : Scene
    interior : slice
        Judged frames that the interior-point method solves, one after another.
    kept, kept_interior : Kept
        Rows of all others, and of the interior-point method.
    """

    scene: Scene
    interior: slice
    kept: Kept
    kept_interior: Kept
    solvers: dict[str, Any]

    def solver(self, model: str, *, whole: bool = False) -> Any:
        """Of the vertices alone, or of the whole mesh seen on them, which Cet-loc measures distances on."""
        key = model + " of the whole mesh" * whole
        if key not in self.solvers:
            fitted, how = (self.scene.rig, {"vertices": self.scene.vertices}) if whole else (self.scene.judge, {})
            self.solvers[key] = rw.inverse.Solver(truncated(fitted, model), **how)
        return self.solvers[key]

    def solve(self, model: str, method: str, targets: np.ndarray, alpha: float) -> np.ndarray:
        """Weights (T, K)."""
        if method == "SciPy's defaults":
            return as_scipy_leaves_it(self.solver(model).gram.rig, targets, alpha)
        how: dict[str, Any] = {"threads": 1}
        if method in MM:  # the stopping rule of the code that its authors released, for a frame of median size
            offsets = targets - self.scene.judge.rest_vertices
            how |= {"tolerance": TOLERANCE / float(np.median(np.square(offsets).sum(axis=(1, 2))))}
            how |= {"max_iterations": STEPS}
        solver = self.solver(model, whole=method == "cet_loc")
        return np.asarray(solver.solve(targets, method, alpha, **how).weights)

    def rows(self) -> list[Row]:
        """Rows of the table, ours last for each model; the interior-point rows are made last, they take long."""
        alone = [self.kept.row("zero", self.zero), *(self.made("linear", method) for method in SHAPES_ALONE)]
        quick = {model: [self.made(model, m) for m in (*(MM if model != "full" else ()), OURS)] for model in MODELS}
        slow = {model: [self.made(model, method) for method in INTERIOR] for model in MODELS}
        return alone + [row for model in MODELS for row in (*quick[model][:-1], *slow[model], quick[model][-1])]

    def made(self, model: str, method: str) -> Row:
        """A row, kept or new."""
        kept = self.kept_interior if method in INTERIOR else self.kept
        return kept.row(f"{model} {method}", lambda: self.row(model, method))

    def zero(self) -> Row:
        weights = np.zeros_like(self.scene.judged)
        return {"model": "none", "method": "every weight 0", "curve": [], "alpha": np.nan} | self.judged(weights)

    def row(self, model: str, method: str) -> Row:
        """A method's figures at the alpha of its own elbow; the interior-point rows take ours of the same model."""
        curve = [] if method in INTERIOR else self.curve(model, method)
        if method in INTERIOR:
            alpha = float(self.made(model, OURS)["alpha"])
        else:
            rest = self.error(np.zeros_like(self.scene.training), self.scene.training).mean()
            alpha = ALPHAS[elbow(*np.array(curve).T[:2], float(rest))]
        frames = self.interior if method in INTERIOR else slice(None)
        targets = self.scene.targets[frames]
        self.solve(model, method, targets[:1], alpha)  # what is prepared once a rig
        began = time.process_time()
        weights = self.solve(model, method, targets, alpha)
        seconds = (time.process_time() - began) / len(weights)
        figures = self.judged(weights, frames)
        told = "shapes alone" if method in SHAPES_ALONE else model
        return {"model": told, "method": method, "curve": curve, "alpha": alpha, "seconds": seconds} | figures

    def curve(self, model: str, method: str) -> list[list[float]]:
        """Error in the whole rig, weights above 1e-3 and L1, means over the training frames, for each alpha."""
        targets = self.scene.posed(self.scene.training)
        points = []
        for alpha in ALPHAS:
            weights = self.solve(model, method, targets, float(alpha))
            points.append([*means(weights, self.error(weights, self.scene.training))])
        return points

    def error(self, weights: np.ndarray, truth: np.ndarray) -> np.ndarray:
        """(T,): the paper's RMSE, per frame the 95th percentile of the distance over the vertices."""
        apart = np.linalg.norm(self.scene.posed(truth) - self.scene.posed(weights), axis=2)
        return np.percentile(apart, 95, axis=1)

    def judged(self, weights: np.ndarray, frames: slice = slice(None)) -> Row:
        """What the paper's tables hold, of judged frames."""
        wanted, found = self.scene.targets[frames], self.scene.posed(weights)
        error = rw.metrics.weight_error(weights, wanted, found, threads=1)
        bends = np.square(np.diff(weights, n=2, axis=0))
        inside = np.arange(*frames.indices(len(self.scene.judged)))[2:]
        bends = bends[(inside < self.scene.cut) | (inside >= self.scene.cut + 2)]  # none across the cut
        return {
            "p95": error.rmse_p95_mean,
            "mean": float(np.linalg.norm(wanted - found, axis=2).mean()),
            "cardinality": float(error.cardinality.mean()),
            "cardinality_001": float(error.cardinality_001.mean()),
            "l1": float(error.l1.mean()),
            "smoothness": float(bends.mean()) if len(bends) else np.nan,
            "weights": float(np.abs(weights - self.scene.judged[frames]).mean()),
            "frames": len(weights),
        }


def as_scipy_leaves_it(rig: Any, targets: np.ndarray, alpha: float) -> np.ndarray:
    """Weights (T, K) of trust-constr from zero, with SciPy's stopping rules and its BFGS; nothing is clipped."""
    space = GramSpace(VertexSpace(rig))
    count, result = space.num_shapes, []
    for target in targets:
        goal = space.projected(target.reshape(-1).astype(np.float64) - space.neutral)
        objective: Callable[..., Any] = space.value_and_gradient
        found = scipy.optimize.minimize(
            objective,
            np.zeros(count),
            (goal, alpha),
            method="trust-constr",
            jac=True,
            bounds=scipy.optimize.Bounds(np.zeros(count), np.ones(count)),
        )
        result.append(found.x)
    return np.array(result)


def cells(row: Row) -> list[str]:
    """One line of the table."""
    fewer = f" ({row['frames']} frames)" if row["method"] in INTERIOR else ""
    seconds = 1e3 * row.get("seconds", np.nan)
    return [
        row["model"],
        NAMES.get(row["method"], row["method"]) + fewer,
        *(digits(row[name]) for name in ("p95", "mean")),
        *(f"{row[name]:.1f}" for name in ("cardinality", "cardinality_001")),
        digits(row["l1"]),
        "" if np.isnan(row["smoothness"]) else f"{1e4 * row['smoothness']:.2f}",
        digits(seconds),
        "" if row["method"] in ("seol", "every weight 0") else f"{row['alpha']:g}",
    ]
