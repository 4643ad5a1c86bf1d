"""The paper's tables 1 to 5: every method on every fitted model, weights judged in the whole rig.

All judged frames are solved by all methods but the interior-point one, which takes seconds per frame. A part of the
frames is solved by that one and again by the others, so that each table compares rows of the same frames.
"""

from __future__ import annotations

import statistics
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.optimize

import rigcast as rc
from benchmarks.papers.inverse.mismatched.kept import Kept, Row, digits
from benchmarks.papers.inverse.mismatched.scene import MODELS, Scene, truncated
from benchmarks.systems.inverse.peers import GramSpace, VertexSpace
from benchmarks.systems.inverse.published_mm import STEPS, TOLERANCE
from rigcast.inverse._choices.elbow import ALPHAS, elbow, means

SHAPES_ALONE = ("cet", "cet_loc", "seol")
RELEASED = " as released"  # steps up to 50 times as long, ended by the rule of the authors' code
MM = ("mm", "mm_cet")  # with the paper's steps, to convergence
ALL_MM = (*MM, *(method + RELEASED for method in MM))
MM_ON = {"linear": ALL_MM[1:], "pairs": ALL_MM, "full": ()}
INTERIOR = ("sqp", "SciPy's defaults")
OURS = "descent"
EVERY = 8  # training frames from one to the next that the interior-point method solves
RUNS, ENOUGH = 10, 2.0  # a row's time is the median of so many runs, of fewer if they take more seconds
NAMES = {
    "cet": "Cet",
    "cet_loc": "Cet-loc",
    "seol": "Seol",
    "mm": "MM from zero, paper's steps, 10,000 at most",
    "mm_cet": "MM from Cet, paper's steps, 10,000 at most",
    "mm" + RELEASED: "MM from zero, released code, 200 steps at most",
    "mm_cet" + RELEASED: "MM from Cet, released code, 200 steps at most",
    "sqp": "interior point, exact Hessian, to the end",
    "SciPy's defaults": "interior point as SciPy leaves it",
    OURS: "ours",
}
HEAD = [
    "fitted model: method",
    "95th percentile, cm",
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
        Rows of all judged frames, and of those that the interior-point method solves.
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
            self.solvers[key] = rc.inverse.Solver(truncated(fitted, model), **how)
        return self.solvers[key]

    def solve(self, model: str, method: str, targets: np.ndarray, alpha: float) -> np.ndarray:
        """Weights (T, K)."""
        if method == "SciPy's defaults":
            return as_scipy_leaves_it(self.solver(model).gram.rig, targets, alpha)
        solver = self.solver(model, whole=method == "cet_loc")
        if method.endswith(RELEASED):
            return as_released(solver, targets, method, alpha, TOLERANCE)
        return np.asarray(solver.solve(targets, method, alpha=alpha, threads=1).weights)

    def rows(self) -> list[Row]:
        """All judged frames, by all methods but the interior-point one; ours last for each model."""
        rows = [self.kept.row("zero", self.zero), *(self.made("linear", method) for method in SHAPES_ALONE)]
        return rows + [self.made(model, m) for model in MODELS for m in (*MM_ON[model], OURS)]

    def interior_rows(self) -> list[Row]:
        """The frames of the interior-point method, by the methods of the paper's tables and ours."""
        rows = [self.kept_interior.row("zero", lambda: self.zero(self.interior))]
        jobs = [("linear", method) for method in SHAPES_ALONE]
        for model in MODELS:
            from_cet = ("mm_cet", "mm_cet" + RELEASED) if model != "full" else ()
            jobs += [(model, method) for method in (*from_cet, OURS, *INTERIOR[: 1 + (model == "pairs")])]
        return rows + [self.made_on_interior(*job) for job in jobs]

    def made(self, model: str, method: str) -> Row:
        """A row of all judged frames, kept or new, at the alpha of the method's own elbow."""

        def make() -> Row:
            curve = self.curve(model, method)
            rest = self.error(np.zeros_like(self.scene.training), self.scene.training).mean()
            alpha = ALPHAS[elbow(*np.array(curve).T[:2], float(rest))]
            return self.row(model, method, float(alpha), slice(None)) | {"curve": curve}

        return self.kept.row(f"{model} {method}", make)

    def made_on_interior(self, model: str, method: str) -> Row:
        """The same of the frames of the interior-point method, which takes our alpha of the model."""

        def make() -> Row:
            alpha = float(self.made(model, OURS if method in INTERIOR else method)["alpha"])
            return self.row(model, method, alpha, self.interior)

        return self.kept_interior.row(f"{model} {method}", make)

    def zero(self, frames: slice = slice(None)) -> Row:
        weights = np.zeros_like(self.scene.judged[frames])
        return {"model": "none", "method": "every weight 0", "curve": [], "alpha": np.nan} | self.judged(
            weights, frames
        )

    def row(self, model: str, method: str, alpha: float, frames: slice) -> Row:
        """A method's figures on some judged frames."""
        targets = self.scene.targets[frames]
        self.solve(model, method, targets[:1], alpha)  # what is prepared once a rig
        times: list[float] = []
        while sum(times) < ENOUGH and len(times) < RUNS:
            began = time.process_time()
            weights = self.solve(model, method, targets, alpha)
            times.append(time.process_time() - began)
        seconds = statistics.median(times) / len(weights)
        told = "shapes alone" if method in SHAPES_ALONE else model
        figures = self.judged(weights, frames)
        return {"model": told, "method": method, "curve": [], "alpha": alpha, "seconds": seconds} | figures

    def interior_curve(self, model: str = "pairs") -> Row:
        """The curve of the interior-point method, which figures 8 and 9 draw; it has our alpha in the tables."""

        def make() -> Row:
            alpha = self.made(model, OURS)["alpha"]
            truth = self.scene.training[::EVERY]
            return {"model": model, "method": "sqp", "alpha": alpha, "curve": self.curve(model, "sqp", truth)}

        return self.kept.row(f"{model} sqp curve", make)

    def curve(self, model: str, method: str, truth: np.ndarray | None = None) -> list[list[float]]:
        """Error in the whole rig, weights above 1e-3 and L1, means over the training frames, for each alpha."""
        truth = self.scene.training if truth is None else truth
        targets, points = self.scene.posed(truth), []
        for alpha in ALPHAS:
            weights = self.solve(model, method, targets, float(alpha))
            points.append([*means(weights, self.error(weights, truth))])
        return points

    def error(self, weights: np.ndarray, truth: np.ndarray) -> np.ndarray:
        """(T,): the paper's RMSE, per frame the 95th percentile of the distance over the vertices."""
        apart = np.linalg.norm(self.scene.posed(truth) - self.scene.posed(weights), axis=2)
        return np.percentile(apart, 95, axis=1)

    def judged(self, weights: np.ndarray, frames: slice = slice(None)) -> Row:
        """The figures of the paper's tables, of judged frames."""
        wanted, found = self.scene.targets[frames], self.scene.posed(weights)
        error = rc.metrics.weight_error(weights, wanted, found, threads=1)
        return {
            "p95": error.rmse_p95_mean,
            "mean": float(np.linalg.norm(wanted - found, axis=2).mean()),
            "cardinality": float(error.cardinality.mean()),
            "cardinality_001": float(error.cardinality_001.mean()),
            "l1": float(error.l1.mean()),
            "smoothness": self.smoothness(weights, frames),
            "weights": float(np.abs(weights - self.scene.judged[frames]).mean()),
            "frames": len(weights),
            "by_frame": {
                "p95": error.rmse_p95.tolist(),
                "cardinality": error.cardinality.tolist(),
                "l1": error.l1.tolist(),
            },
        }

    def smoothness(self, weights: np.ndarray, frames: slice) -> float:
        """The paper's (22), ``sum_t (w_{t-1} - 2 w_t + w_{t+1})^2``, mean over the weights; none across the cut."""
        before = np.arange(*frames.indices(len(self.scene.judged))) < self.scene.cut
        bends = [np.square(np.diff(shot, n=2, axis=0)) for shot in (weights[before], weights[~before])]
        return float(np.concatenate(bends).sum(axis=0).mean()) if any(map(len, bends)) else np.nan


def as_released(solver: Any, targets: np.ndarray, method: str, alpha: float, least: float) -> np.ndarray:
    """Weights (T, K) of MM as its authors' code runs it.

    Each step is tried 50, 20, 10 and 5 times as long; a frame ends after 200 steps or where its objective falls by less
    than ``least``, 5e-4 square centimeters in the solver's unit.
    """
    energies = np.square(np.asarray(targets, np.float64) - solver.gram.neutral).sum(axis=(1, 2))
    how = {"threads": 1, "max_iterations": STEPS, "lengthened": True}
    start = method.removesuffix(RELEASED)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rc.errors.SparsityWarning)  # of curves over alpha, once a frame
        return np.concatenate(
            [
                solver.solve(target[None], start, alpha=alpha, tolerance=least / energy if energy else 1.0, **how).weights
                for target, energy in zip(targets, energies, strict=True)
            ]
        )


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
    seconds = 1e3 * row.get("seconds", np.nan)
    return [
        f"{row['model']}: {NAMES.get(row['method'], row['method'])}",
        digits(row["p95"]),
        *(f"{row[name]:.1f}" for name in ("cardinality", "cardinality_001")),
        digits(row["l1"]),
        digits(row["smoothness"]),
        digits(seconds),
        "" if row["method"] in ("seol", "every weight 0") else f"{row['alpha']:g}",
    ]
