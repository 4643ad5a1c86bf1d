"""The inverse methods compared on frames of a shot: objective against time."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._extras import MissingExtra
from rigcast.errors import SparsityWarning
from rigcast.inverse import Solution
from rigcast.inverse._distances import solved_p95
from rigcast.inverse._solution import Constraints
from rigcast.inverse._solver import Solver
from rigcast.plot._colors import SERIES
from rigcast.progress import Progress, ProgressCallback
from rigcast.report._shot.solved import ON

Array = NDArray[np.float64]

ALPHAS = (0.0, 0.001, 0.01, 0.1, 1.0, 10.0, 100.0)  # square centimeters
APART = 10  # frames between those that methods are compared on, at least
MOST_FRAMES = 8
EQUAL = 1e-6  # relative: objectives so close are equal
SECONDS = 6.0  # after which a method gets no larger budget, and no further frame
REPEATED = 0.1  # seconds that a short call is repeated for, to be timed
TINY = float(np.finfo(np.float64).tiny)
FLOOR = 1e-12  # of the targets' own energy: objectives of an exact solution are rounding


@dataclass(frozen=True)
class Run:
    """One method on some frames at one alpha.

    Attributes
    ----------
    seconds : float
        A frame, projection included.
    objective : (F,) array
    rmse, rmse_p95 : float, millimeters
        Means over the frames. ``rmse_p95`` is the 95th percentile of the distance over the vertices, which the elbow of
        alpha is drawn on.
    cardinality, total : float
        Mean number of weights that are on; mean sum of weights.
    """

    seconds: float
    objective: Array
    rmse: float
    rmse_p95: float
    cardinality: float
    total: float


@dataclass(frozen=True)
class Rival:
    """A method: its runs with ever more iterations at the shot's alpha, and over all alphas.

    Attributes
    ----------
    method, color : str
    race : list of Run
    curve : list of (alpha, Run)
        On the same frames for all methods, alpha in squared units of the rig; empty if the method is too slow for it.
    """

    method: str
    color: str
    race: list[Run]
    curve: list[tuple[float, Run]]

    def excess(self, best: Array, floor: float) -> Array:
        """Objective of each run above the best one, relative."""
        goal = max(float(best.sum()), floor, TINY)
        return np.array([max(float(run.objective.sum() - best.sum()), 0.0) / goal for run in self.race])

    def reached(self, best: Array, floor: float) -> float:
        """Seconds per frame of the first run that is equal to the best; NaN if there is none."""
        done = np.flatnonzero(self.excess(best, floor) <= EQUAL)
        return self.race[done[0]].seconds if len(done) else float("nan")


@dataclass(frozen=True)
class Comparison:
    """All methods on the same frames.

    Attributes
    ----------
    rivals : list of Rival
        The shot's own method first.
    frames : list of int
    alpha : float
    best : (F,) array
        Lowest objective of each frame over all methods.
    floor : float
        Differences below it are rounding.
    missing : list of str
        Why methods are left out.
    """

    rivals: list[Rival]
    frames: list[int]
    alpha: float
    best: Array
    floor: float
    missing: list[str]

    def figures(self) -> dict[str, Any]:
        """By method, for machines."""
        return {
            rival.method: {
                "seconds_a_frame_to_equal_objective": rival.reached(self.best, self.floor),
                "objective_above_best": float(rival.excess(self.best, self.floor)[-1]),
                "rmse_mm": rival.race[-1].rmse,
                "rmse_p95_mm": rival.race[-1].rmse_p95,
                "cardinality": rival.race[-1].cardinality,
                "curve": [[alpha, run.rmse_p95, run.cardinality] for alpha, run in rival.curve],
            }
            for rival in self.rivals
        }


def compare(
    solver: Solver,
    targets: NDArray[np.float32],
    methods: Sequence[str],
    alpha: float,
    millimeters: float,
    progress: ProgressCallback,
    solution: Solution | None = None,
) -> Comparison:
    """Let methods solve frames of a shot.

    Parameters
    ----------
    solver : Solver
    targets : (T, M, 3) array
    methods : sequence of str
        The first is the one that the shot was solved with.
    alpha : float
    millimeters : float
        In a unit of the rig.
    progress : callable
    solution : Solution, optional
        Of the shot: its bounds, pins, priors and equal weights hold for all methods.
    """
    frames = compared_frames(len(targets))
    own, first = ({}, {}) if solution is None else (solution.constraints(frames), solution.constraints(frames[:1]))
    bench = _Bench(solver, targets[frames], own, first, millimeters)
    rivals, missing = [], []
    for done, (method, color) in enumerate(zip(methods, SERIES * len(methods), strict=False)):
        progress(Progress("comparing methods", done, len(methods), method))
        try:
            rivals.append(Rival(method, color, bench.race(method, alpha), bench.curve(method)))
        except MissingExtra as reason:
            missing.append(f"{method}: {reason}")
    progress(Progress("comparing methods", len(methods), len(methods)))
    best = np.min([run.objective for rival in rivals for run in rival.race], axis=0)
    return Comparison(rivals, frames.tolist(), alpha, best, FLOOR * bench.energy(), missing)


def compared_frames(count: int) -> NDArray[np.int64]:
    """Evenly spaced frames, at least ten apart."""
    number = min(MOST_FRAMES, 1 + (count - 1) // APART)
    return np.unique(np.linspace(0, count - 1, number).round().astype(np.int64))


@dataclass(frozen=True)
class _Bench:
    solver: Solver
    targets: NDArray[np.float32]
    constraints: Constraints
    first: Constraints  # the constraints of the first frame alone
    millimeters: float

    def race(self, method: str, alpha: float) -> list[Run]:
        """Runs with 1, 2, 4, ... iterations, until more of them change nothing or take too long.

        What a method makes of the rig once is made before: as with the Gram matrix, no frame pays for it.
        """
        self.solver.solve(self.targets[:1], method, alpha=alpha, max_iterations=1, **self.first)
        runs: list[Run] = []
        budget = 1
        while True:
            solution = self._solve(method, alpha, budget)
            runs.append(self._run(solution))
            limited = (solution.iterations >= budget).any() and not solution.converged.all()
            if not limited or solution.seconds > SECONDS:
                return runs
            budget *= 2

    def curve(self, method: str) -> list[tuple[float, Run]]:
        points, spent = [], 0.0
        square_centimeter = (10.0 / self.millimeters) ** 2
        for alpha in np.array(ALPHAS) * square_centimeter:
            solution = self._solve(method, alpha, None)
            points.append((float(alpha), self._run(solution)))
            spent += solution.seconds
            if spent > len(ALPHAS) * SECONDS:
                break
        return points

    def energy(self) -> float:
        return float(self.solver.gram.core.project(self.targets)[1].sum())

    def _solve(self, method: str, alpha: float, budget: int | None) -> Solution:
        """Its time is the shortest of several calls, as many as fit into a tenth of a second."""
        fastest = self._once(method, alpha, budget)
        spent = fastest.seconds
        while spent < REPEATED:
            again = self._once(method, alpha, budget)
            spent += again.seconds
            fastest = min(fastest, again, key=lambda solution: solution.seconds)
        return fastest

    def _once(self, method: str, alpha: float, budget: int | None) -> Solution:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SparsityWarning)  # the curve goes on until no shape is left, on purpose
            return self.solver.solve(self.targets, method, alpha=alpha, max_iterations=budget, **self.constraints)

    def _run(self, solution: Solution) -> Run:
        weights = solution.weights
        return Run(
            solution.seconds / len(weights),
            solution.objective,
            self.millimeters * float(solution.rmse.mean()),
            self.millimeters * float(solved_p95(self.solver.gram.rig, self.targets, solution).mean()),
            float((np.abs(weights) > ON).sum(axis=1).mean()),
            float(weights.sum(axis=1).mean()),
        )
