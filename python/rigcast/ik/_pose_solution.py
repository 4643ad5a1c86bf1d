"""The result of an iterative solve."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rigcast._shown import counted, one_line


@one_line
@dataclass(frozen=True)
class PoseSolution:
    """Poses that reach targets, and how well.

    Attributes
    ----------
    poses : (T, C) float32
    unknowns : (T, N) float64
        What the solver moved, in the order of ``names``.
    names : list of str
        Names of the unknowns.
    channels : (T, N) float64 or None
        The unknowns if they are the model's channels.
    error : (T, M) float64
        Per target: a distance in the rig's unit, of an orientation an angle in radians.
    objective : (T,) float64
        As :func:`rigcast.ik.solve` states it; hard targets count with the penalties of their last round.
    iterations : (T,) int64
        Steps that lowered the objective.
    converged : (T,) bool
    at_bound : (T, N) int8
        -1 for an unknown at its lowest value, 1 at its highest, 0 between them and for one that cannot move.

    Examples
    --------
    >>> rig = rc.faces.example()
    >>> vertices = np.arange(0, rig.rest_vertices.shape[0], 40)
    >>> found = rc.ik.solve(rig, rig.rest_vertices[None, vertices], vertices)
    >>> found.poses.shape == (1, rig.num_shapes), bool(found.converged[0])
    (True, True)
    """

    poses: NDArray[np.float32]
    unknowns: NDArray[np.float64]
    names: list[str]
    channels: NDArray[np.float64] | None
    error: NDArray[np.float64]
    objective: NDArray[np.float64]
    iterations: NDArray[np.int64]
    converged: NDArray[np.bool_]
    at_bound: NDArray[np.int8]

    def _facts(self) -> list[str]:
        frames = len(self.poses)
        error = self.__dict__.get("error")  # what nobody asked for is not measured for a line
        missed = f"error {error.mean():.3g} (at most {error.max():.3g})" if error is not None and error.size else ""
        known = f"{int(self.converged.sum()):,} of {frames:,} converged"
        return [counted(frames, "pose", "poses"), counted(len(self.names), "unknown", "unknowns"), missed, known]

    if not TYPE_CHECKING:  # for type checkers the two are fields

        def __getattr__(self, name: str) -> Any:
            if name not in ("error", "objective") or "_measure" not in self.__dict__:
                raise AttributeError(name)
            error, objective = self.__dict__["_measure"]()
            self.__dict__.update(error=error, objective=objective)
            return self.__dict__[name]

    def __getstate__(self) -> dict[str, Any]:
        """The state to copy and pickle: measured, without the model."""
        _ = self.error
        return {name: value for name, value in self.__dict__.items() if name != "_measure"}

    def bounds_reached(self, frame: int = 0) -> dict[str, str]:
        """Unknowns that end at a bound in a frame: names to ``"lowest"`` or ``"highest"``."""
        sides = self.at_bound[frame]
        return {self.names[k]: "lowest" if sides[k] < 0 else "highest" for k in np.flatnonzero(sides)}


def measured_later(measure: Callable[[], tuple[Any, Any]], **fields: Any) -> PoseSolution:
    """A solution whose ``error`` and ``objective`` are measured when one of them is first asked for.

    Evaluating the model takes longer than a network's answer. ``measure`` returns both, ``fields`` are the other
    attributes.
    """
    solution = object.__new__(PoseSolution)
    solution.__dict__.update(fields, _measure=measure)
    return solution
