"""A shot and its solution: their distance in every frame."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._validate import FPS, bad_argument
from rigcast.inverse import Jitter, Solution, head_angles, in_rig_frame, jitter

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]

ON = 1e-3  # a weight above it is counted as on, as in `inverse.trade_off`
BLOCK = 64  # frames evaluated at a time


@dataclass(frozen=True)
class SolvedShot:
    """Targets, what was found for them, and the distances between.

    Attributes
    ----------
    rig : BlendshapeRig
    solution : Solution
    targets : (T, M, 3) float32
        In the rig's frame: head motion that the solution holds is removed.
    vertices : (M,) int
        Which vertices of the rig the targets are.
    rmse, p95, largest : (T,) float64
        Millimeters, over the M vertices; ``rmse`` is weighted as the solve's vertices were.
    mean : (V,) float64
        Millimeters over the shot of every vertex; NaN where there is no target.
    fps : float
    truth : (T, K) float64 or None
        The weights that made the targets, where they are known.
    """

    rig: Any
    solution: Solution
    targets: Float32
    vertices: NDArray[np.int64]
    rmse: Float64
    p95: Float64
    largest: Float64
    mean: Float64
    fps: float
    truth: Float64 | None

    @property
    def is_whole(self) -> bool:
        """True if every vertex has a target."""
        return len(self.vertices) == len(self.rig.rest_vertices)

    @property
    def millimeters(self) -> float:
        """In a unit of the rig."""
        return 1e3 * float(self.rig.meters_per_unit)

    def posed(self, frame: int) -> Float32:
        """The rig (V, 3) at the weights found for a frame."""
        return np.asarray(self.rig.evaluate(self.solution.weights[frame].astype(np.float32)))

    def distances(self, frame: int) -> Float64:
        """Millimeters (V,) between a frame and its target, 0 where there is no target."""
        result = np.zeros(len(self.rig.rest_vertices))
        apart = self.posed(frame)[self.vertices] - self.targets[frame]
        result[self.vertices] = self.millimeters * np.linalg.norm(apart, axis=1)
        return result

    @property
    def cardinality(self) -> NDArray[np.int64]:
        """(T,): weights that are on."""
        return np.asarray((np.abs(self.solution.weights) > ON).sum(axis=1))

    @property
    def weight_error(self) -> float:
        """Mean absolute difference from the truth; NaN where it is not known."""
        return float("nan") if self.truth is None else float(np.abs(self.solution.weights - self.truth).mean())

    @cached_property
    def noise(self) -> Jitter:
        """Noise of the targets, and the jitter of the weights."""
        shot, weights = self.targets, self.solution.weights
        return jitter(self.rig, shot, weights, vertices=None if self.is_whole else self.vertices)

    @property
    def noise_rmse(self) -> float:
        """The RMSE in millimeters that a perfect fit of noisy targets would leave."""
        return float(np.sqrt(3.0)) * self.millimeters * self.noise.noise

    @cached_property
    def head(self) -> Float64 | None:
        """(T, 6): yaw, pitch and roll of the head in degrees, and its place along x, y and z in millimeters."""
        if self.solution.transforms is None:
            return None
        motion = self.solution.transforms
        return np.hstack([head_angles(motion, str(self.rig.up_axis)), self.millimeters * motion[:, :, 3]])

    @property
    def worst_weight(self) -> tuple[str, int, float] | None:
        """Shape, frame and size of the largest error of a weight; None if the truth is not known."""
        if self.truth is None:
            return None
        error = np.abs(self.solution.weights - self.truth)
        frame, shape = np.unravel_index(int(error.argmax()), error.shape)
        return self.rig.shape_names[int(shape)], int(frame), float(error.max())

    def alpha_in_square_centimeters(self, alpha: float) -> float:
        """Alpha or smoothness, from squared units of the rig."""
        return alpha * (0.1 * self.millimeters) ** 2

    def order(self) -> NDArray[np.int64]:
        """Frames from the best to the worst."""
        return np.argsort(self.rmse, kind="stable")


def solved_shot(
    rig: Any,
    targets: ArrayLike,
    solution: Solution,
    vertices: ArrayLike | None = None,
    fps: float = FPS,
    truth: ArrayLike | None = None,
) -> SolvedShot:
    """Measure a solution against its targets.

    Raises
    ------
    ValueError
        If shot, rig and weights do not fit together.
    """
    count = len(rig.rest_vertices)
    chosen = _vertices(count, solution, vertices)
    omega = np.ones(len(chosen)) if solution.vertex_weights is None else solution.vertex_weights
    shot = np.asarray(targets, np.float32)
    if shot.ndim != 3 or shot.shape[1] not in (count, len(chosen)) or shot.shape[2] != 3:
        must = f"(T, {count}, 3)" + (f" or (T, {len(chosen)}, 3)" if len(chosen) != count else "")
        raise bad_argument("report", "targets", f"of shape {shot.shape}", must)
    for name, weights in (("weights", solution.weights), ("truth", truth)):
        if weights is not None and np.shape(weights) != (len(shot), rig.num_shapes):
            raise bad_argument("report", name, f"of shape {np.shape(weights)}", f"({len(shot)}, {rig.num_shapes})")
    own = _held_still(shot[:, chosen] if shot.shape[1] == count else shot, solution)
    to_millimeters = 1e3 * float(rig.meters_per_unit)
    rmse, p95, largest, total = [], [], [], np.zeros(len(chosen))
    for begin in range(0, len(own), BLOCK):
        posed = rig.evaluate(solution.weights[begin : begin + BLOCK].astype(np.float32))[:, chosen]
        apart = to_millimeters * np.linalg.norm(posed - own[begin : begin + BLOCK], axis=2).astype(np.float64)
        rmse.append(np.sqrt(np.square(apart) @ omega / omega.sum()))
        p95.append(np.percentile(apart, 95, axis=1))
        largest.append(apart.max(axis=1))
        total += apart.sum(axis=0)
    mean = np.full(count, np.nan)
    mean[chosen] = total / len(own)
    known = None if truth is None else np.asarray(truth, np.float64)
    return SolvedShot(
        rig,
        solution,
        own,
        chosen,
        rmse=np.concatenate(rmse),
        p95=np.concatenate(p95),
        largest=np.concatenate(largest),
        mean=mean,
        fps=float(fps),
        truth=known,
    )


def _vertices(count: int, solution: Solution, vertices: ArrayLike | None) -> NDArray[np.int64]:
    """Those given, the solution's own, or all."""
    own = solution.vertices
    if vertices is None:
        return np.arange(count) if own is None else own
    chosen = np.asarray(vertices, np.int64)
    if own is not None and not np.array_equal(own, chosen):
        got = f"{len(chosen)} vertices other than the {len(own)} that were solved for"
        raise bad_argument("report", "vertices", got, "those of the solution, or None")
    return chosen


def _held_still(shot: Float32, solution: Solution) -> Float32:
    """The shot without the rigid motion that the solution took out: target = transform of the posed rig."""
    if solution.transforms is None:
        return shot
    return np.asarray(in_rig_frame(shot, solution.transforms), np.float32)
