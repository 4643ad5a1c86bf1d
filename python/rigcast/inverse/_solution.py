"""The result of a solve, in memory and in files."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from rigcast._atomic_files import atomic_npz, npz_content
from rigcast._formats.npz.archive import BROKEN, Member, check_shape
from rigcast._formats.npz.array import HEADER
from rigcast._safe_reading import errors_naming
from rigcast._shown import counted, one_line
from rigcast._validate import bad_argument, missing_file
from rigcast.inverse._problem import ShotProblem
from rigcast.inverse._request import Request

Float64 = NDArray[np.float64]


UNREADABLE = (*BROKEN, *HEADER, AttributeError)
EXTRA = ("names", "fps")  # what a file may hold for other readers
PER_SHOT = ("vertices", "vertex_weights", "bounds", "symmetric")  # arrays without one row per frame
PER_FRAME = ("fixed", "prior_target", "prior_strength")  # what the problem may have of each frame
ROBUST = ("loss", "loss_scale")
TEXTS, NUMBER, ROWS = Member("U", ()), Member("f", ()), Member("f", ("T",))
MEMBERS = {
    "weights": Member("f", ("T", "K")),
    **dict.fromkeys(("objective", "optimality", "gap", "rmse"), ROWS),
    "iterations": Member("iu", ("T",)),
    "converged": Member("b", ("T",)),
    "transforms": Member("f", ("T", 3, 4)),
    **dict.fromkeys(("method", "loss"), TEXTS),
    **dict.fromkeys(("alpha", "smoothness", "seconds", "loss_scale"), NUMBER),
    "warnings": Member("U", ("W",)),
    "vertices": Member("iu", ("M",)),
    "vertex_weights": Member("f", ("M",)),
    "bounds": Member("f", ("K", 2)),
    **dict.fromkeys(PER_FRAME, Member("f", ("T", "K"))),
    "symmetric": Member("iu", ("P", 2)),
}
FINITE = ("weights", "transforms", "alpha", "smoothness")
OPTIONAL = {"gap", "transforms", *PER_SHOT, *PER_FRAME, *ROBUST}


class Constraints(TypedDict, total=False):
    """Arguments of ``Solver.solve``; without those that were not given."""

    bounds: Float64
    fixed: Float64
    priors: tuple[Float64, Float64]
    symmetric: list[tuple[int, int]]


@one_line
@dataclass
class Solution:
    """Weights of a shot and how good they are; ``solve`` states the objective.

    Attributes
    ----------
    weights : (T, K) float64
        Inside the box, never NaN.
    objective : (T,) float64
        A frame's own terms: fidelity, ``alpha sum_k w_k``, priors.
    iterations : (T,) int64
        Steps of the method; in a joint solve every frame has those of the shot.
    converged : (T,) bool
        Whether the method reached its stopping rule.
    optimality : (T,) float64
        Largest entry of the projected gradient, temporal term included: 0 at a first-order optimum. At a knot of an
        in-between, the steepest descent to either side. With ``joint=False`` that of each frame given the two before.
    gap : (T,) float64 or None
        Duality gap of rigs without combinations, solved frame by frame: no weights in the box have an objective
        below ``objective - gap``.
    rmse : (T,) float64
        Root mean square distance of the chosen vertices (weighted as given), in the rig's unit.
    transforms : (T, 3, 4) float64 or None
        The rigid motion that was removed from the targets: target = transform applied to the posed rig. A scale that
        was asked for is a factor of the rotation.
    method : str
    alpha, smoothness : float
    loss : str or None
        ``"huber"`` or ``"tukey"``, of which ``objective`` and ``optimality`` then are; None: squared distances.
    loss_scale : float or None
        The distance beyond which it differs from the square, in the rig's unit.
    seconds : float
        Wall time of the whole call, projection included; files do not keep it.
    warnings : list of str
    vertices, vertex_weights : (M,) int64 and float64, or None
        Of the solve; None in files of before they were kept.
    bounds : (K, 2) float64 or None
        None: the rig's.
    fixed : (T, K) float64 or None
        Pinned weights, NaN where free.
    prior_target, prior_strength : (T, K) float64 or None
    symmetric : (P, 2) int64 or None
        Shapes with equal weights.

    Examples
    --------
    >>> rig = rc.faces.example()
    >>> found = rc.inverse.solve(rig, rig.rest_vertices[None], alpha=0.01)
    >>> found.weights.shape, bool(found.converged.all()), float(found.rmse.max())
    ((1, 22), True, 0.0)
    """

    weights: Float64
    objective: Float64
    iterations: NDArray[np.int64]
    converged: NDArray[np.bool_]
    optimality: Float64
    gap: Float64 | None
    rmse: Float64
    transforms: Float64 | None = None
    method: str = "descent"
    alpha: float = 0.0
    smoothness: float = 0.0
    seconds: float = 0.0
    warnings: list[str] = field(default_factory=list)
    vertices: NDArray[np.int64] | None = None
    vertex_weights: Float64 | None = None
    bounds: Float64 | None = None
    fixed: Float64 | None = None
    prior_target: Float64 | None = None
    prior_strength: Float64 | None = None
    symmetric: NDArray[np.int64] | None = None
    loss: str | None = None
    loss_scale: float | None = None

    def _facts(self) -> list[str]:
        frames, shapes = self.weights.shape[:2]
        rmse = f"rmse {self.rmse.mean():.3g} (at most {self.rmse.max():.3g})" if frames else ""
        known = f"{int(self.converged.sum()):,} of {frames:,} converged"
        warned = counted(len(self.warnings), "warning", "warnings")
        return [f"{frames:,} frames of {shapes} weights", known, rmse, self.method, f"alpha {self.alpha:.3g}", warned]

    def constraints(self, frames: NDArray[np.int64] | slice = slice(None)) -> Constraints:
        """Arguments of ``Solver.solve`` that make the same problem of some frames: box, pins, priors, equal weights."""
        result: Constraints = {} if self.bounds is None else {"bounds": self.bounds}
        if self.fixed is not None:
            result["fixed"] = self.fixed[frames]
        if self.prior_target is not None and self.prior_strength is not None:
            result["priors"] = (self.prior_target[frames], self.prior_strength[frames])
        if self.symmetric is not None:
            result["symmetric"] = [(int(first), int(second)) for first, second in self.symmetric]
        return result

    @property
    def shot_objective(self) -> float:
        """The objective of the whole shot: the sum over frames and the temporal term."""
        bends = np.diff(self.weights, n=2, axis=0)
        return float(self.objective.sum() + self.smoothness * np.square(bends).sum())

    def save(self, path: str | os.PathLike[str], names: Sequence[str] | None = None, fps: float | None = None) -> None:
        """Write everything but ``seconds`` to a ``.npz`` file, in one step: equal solves give equal bytes.

        Parameters
        ----------
        path : path-like
        names : sequence of str, optional
            Of the K shapes; with them ``rigcast.sources.load_blendshape_weights`` finds each weight's shape.
        fps : float, optional
            Frames per second, for the same reader.
        """
        extra = {"names": names if names is None else np.array(names, np.str_), "fps": fps}
        own = {name: value for name, value in (_arrays(self) | extra).items() if value is not None}
        del own["seconds"]
        atomic_npz(path, own)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Solution:
        """Read what :meth:`save` wrote; ``seconds`` is 0 if the file lacks them.

        Raises
        ------
        FileNotFoundError
            If the file does not exist.
        ValueError
            If the file is no saved solution, or was cut off.
        """
        if not os.path.exists(path):
            raise missing_file("Solution.load", "path", path)
        return _read(Path(path), str(path))

    @classmethod
    def joined(cls, parts: Sequence[Solution]) -> Solution:
        """One solution of several that follow each other in a shot, solved with the same settings.

        Seconds add up, each warning is kept once.
        """
        together: dict[str, Any] = {}
        for f in fields(cls):
            if f.name in PER_SHOT:
                continue
            values = [getattr(part, f.name) for part in parts]
            if isinstance(values[0], np.ndarray) or values[0] is None:
                together[f.name] = None if any(value is None for value in values) else np.concatenate(values)
        warnings = list(dict.fromkeys(text for part in parts for text in part.warnings))
        seconds = sum(part.seconds for part in parts)
        return replace(parts[0], **together, warnings=warnings, seconds=seconds)


def measured(
    problem: ShotProblem,
    request: Request,
    weights: Float64,
    iterations: NDArray[np.int64],
    converged: NDArray[np.bool_],
) -> Solution:
    """Make a solution of weights (T, K) of any method, measured from the weights alone.

    Raises
    ------
    NumericalError
        If something overflowed.
    """
    weights = np.clip(weights, problem.lower, problem.upper)
    found = problem.measure(weights, request.threads, request.device, causal=request.joint is False)
    return Solution(
        weights=weights,
        objective=found.objective,
        iterations=np.asarray(iterations, np.int64),
        converged=np.asarray(converged, bool),
        optimality=found.optimality,
        gap=found.gap,
        rmse=found.rmse,
        method=request.method,
        alpha=problem.alpha,
        smoothness=problem.smoothness,
        warnings=problem.warnings,
        vertices=problem.gram.vertices,
        vertex_weights=problem.gram.vertex_weights,
        **problem.given,
    )


def content_of(solution: Solution) -> memoryview:
    """Return everything, ``seconds`` too, in bytes."""
    return npz_content(_arrays(solution))


def from_content(content: bytes) -> Solution:
    """Return the solution in the bytes that :func:`content_of` made."""
    return _read(io.BytesIO(content), "content")


def _arrays(solution: Solution) -> dict[str, Any]:
    own = {name: value for name, value in vars(solution).items() if value is not None}
    return own | {"warnings": np.array(solution.warnings, np.str_)}


def _check(stored: dict[str, Any]) -> None:
    sizes: dict[str, int] = {}
    for name, array in stored.items():
        kinds, form = MEMBERS[name].kinds, MEMBERS[name].shape
        if not isinstance(array, np.ndarray | np.generic):  # a member that is no array
            raise bad_argument("Solution.load", name, "no array", "an array written by numpy.save")
        if array.dtype.kind not in kinds:
            raise bad_argument("Solution.load", name, f"of type {array.dtype}", f"of dtype kind {' or '.join(kinds)}")
        check_shape(array.shape, form or (), name, sizes, "Solution.load")
        if name in FINITE and not np.isfinite(array).all():
            raise bad_argument("Solution.load", name, "not finite everywhere", "finite")


def _read(file: Path | io.BytesIO, name: str) -> Solution:
    known = {f.name for f in fields(Solution)}
    try:
        # NumPy does not close a file that it opened itself and cannot read.
        with open(file, "rb") if isinstance(file, Path) else file as stream, np.load(stream) as archive:
            stored = {name: archive[name] for name in archive.files if name not in EXTRA}
    except UNREADABLE as error:
        raise bad_argument("Solution.load", "path", f"{name} ({error})", "a solution saved as .npz", name) from None
    stored.setdefault("seconds", np.float64(0.0))
    missing = known - OPTIONAL - set(stored)
    if missing or set(stored) - known:
        wrong = f"without {', '.join(sorted(missing))}" if missing else f"with {sorted(set(stored) - known)}"
        raise bad_argument("Solution.load", "path", f"{name} {wrong}", "a solution saved as .npz", name)
    with errors_naming(name):
        _check(stored)
    single = ("method", "alpha", "smoothness", "seconds", *(name for name in ROBUST if name in stored))
    scalar = {name: stored.pop(name).item() for name in single}
    warnings = [str(text) for text in stored.pop("warnings")]
    return Solution(**dict.fromkeys(OPTIONAL) | stored | scalar, warnings=warnings)
