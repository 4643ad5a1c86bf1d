# SPDX-License-Identifier: GPL-3.0-or-later
"""Controls with which the skin of a learned character reaches its pins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..evaluation import character_of, dial_meshes, model_of, part_rows, placement, pose_row
from ..jobs.running import JobError
from ..learning.compare import aside_of
from ..runtime import rr
from .controls import Controls
from .pins import pins_of

Array = np.ndarray[Any, Any]
STILL = 1e-4  # a channel that moves by a smaller share of its range stays
TOLERANCE, STEPS, PREFERENCE = 1e-5, 40, 2e-4
_solvers: dict[Any, Any] = {}


class Reached(NamedTuple):
    """Channels (N,), those that differ from what is set, and the miss of the farthest pin in millimeters."""

    row: Array
    changed: list[int]
    pose: Array
    miss: float


def controls_of(item: Any) -> Controls:
    """The controls of the rig that a bound mesh follows, in the order of the model's channels."""
    names = [channel.name for channel in model_of(item).channels]
    return Controls(names, item.rigcast.armature, dial_meshes(item))


def reach(
    item: Any, depsgraph: Any, controls: Controls, *, start: Array | None = None, pins: Sequence[Any] | None = None
) -> Reached:
    """Find channels for the pins of a character as the scene has them now; sets nothing.

    Parameters
    ----------
    item : object
        The bound mesh.
    depsgraph : Depsgraph
        Evaluated.
    controls : Controls
        :func:`controls_of` the mesh.
    start : (C,), optional
        Pose to begin at. Default: the present one, near which the pose stays in any case.
    pins : list of objects, optional
        Default: all pins of the mesh.

    Raises
    ------
    JobError
        If the model does not know how controls pose its joints.
    """
    model, chosen = model_of(item), pins_of(item) if pins is None else pins
    rows = part_rows(model, item.rigcast.part)  # of the model, where the mesh is a part of it
    vertices = [pin.rigcast_pin.vertex if rows is None else int(rows[pin.rigcast_pin.vertex]) for pin in chosen]
    places = _in_model(item, depsgraph, [pin.evaluated_get(depsgraph).matrix_world.translation for pin in chosen])
    weights = np.array([pin.rigcast_pin.weight for pin in chosen])
    now = pose_row(item, depsgraph)
    found = _solver(model, vertices).solve(
        places,
        now if start is None else start,
        preferred=now,
        weights=weights,
        preference=PREFERENCE,
        tolerance=TOLERANCE,
        max_iterations=STEPS,
    )
    if found.channels is None:
        raise JobError(f"{item.name}: its model takes joints and does not know how controls pose them: nothing to set")
    row, ranges = found.channels[0], np.array([channel.high - channel.low for channel in model.channels])
    apart = np.abs(row - controls.read()) > STILL * np.maximum(ranges, 1e-9)
    miss = float((found.error[0] * (weights > 0.0)).max())  # a pin without weight pulls nothing
    return Reached(
        row,
        np.flatnonzero(apart).tolist(),
        found.poses[0],
        1000.0 * model.meters_per_unit * miss,
    )


def _in_model(item: Any, depsgraph: Any, points: Sequence[Any]) -> Array:
    """Places of the world (M, 3), where a mesh shows its skin, in the model's space."""
    own = np.array(item.evaluated_get(depsgraph).matrix_world, np.float64)
    inside = placement(character_of(item), item, depsgraph)
    back = np.linalg.inv(own if inside is None else own @ inside)
    places = np.array(points, np.float64).reshape(-1, 3) - [aside_of(item), 0.0, 0.0]
    return np.asarray(places @ back[:3, :3].T + back[:3, 3])


def _solver(model: Any, vertices: list[int]) -> Any:
    """A solver, kept while the model and the pins are the same."""
    key = (id(model), tuple(vertices))
    if key not in _solvers:
        _solvers.clear()
        _solvers[key] = (model, rr.Solver(model, vertices))  # the model stays while its id is a key
    return _solvers[key][1]


def forget() -> None:
    """Drop what is kept."""
    _solvers.clear()
