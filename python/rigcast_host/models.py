"""Models by file, shared by the nodes of a scene, and the state of a node between two evaluations."""

from __future__ import annotations

import os
import weakref
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import rigcast_runtime as rr

from .spaces import Change, Space, change_of

Array = np.ndarray[Any, Any]
Stamp = tuple[str, int, int]  # path, time of change, size
ELSEWHERE = 0.02  # of the mesh's size: vertices that are not the same

_models: weakref.WeakValueDictionary[Stamp, rr.Deformer] = weakref.WeakValueDictionary()


@dataclass(eq=False)
class State:
    """The model of a node, and what the node keeps of it.

    Attributes
    ----------
    made_for : tuple
        File, part and space: with others the state is made anew.
    model : rr.Deformer
        Whole.
    shown : rr.Deformer
        The part that the node moves.
    change : Change
    session : rr.Session
        Of ``shown``.
    made : (V, 3) float32 array
        Where the session writes.
    kept : dict
        What was made of inputs, by name: the input and the result.
    """

    made_for: tuple[Stamp, str, Space]
    model: rr.Deformer
    shown: rr.Deformer
    change: Change
    session: rr.Session
    made: Array
    kept: dict[str, tuple[Any, Any]] = field(default_factory=dict)

    def points(self, row: Array) -> Array:
        """The vertices (V, 3) float32 of a pose (C,) in the scene; they hold until the next call."""
        return self.change.to_scene(self.session.evaluate(row, out=self.made))

    def check_count(self, count: int) -> None:
        """Raise a ValueError unless a mesh has as many points as the model, or the part, has vertices."""
        wanted, names = self.shown.num_vertices, self.model.parts
        if count == wanted:
            return
        parts = self.model.vertex_parts
        sizes = np.bincount(parts[parts >= 0], minlength=len(names)).tolist()
        fitting = [name for name, size in zip(names, sizes) if size == count]
        hint = f"; its parts have {dict(zip(names, sizes))}" if names else ""
        if fitting:
            hint = f"; its part {fitting[0]!r} has as many: name this part"
        raise ValueError(f"the geometry has {count} points, the model {wanted} vertices{hint}")

    def check_places(self, points: Array) -> None:
        """Raise a ValueError unless points (V, 3) at rest are where the vertices are, in their order.

        The same points are compared once.
        """
        seen = points.tobytes()
        if self.kept.get("places", ("", None))[0] == seen:
            return
        model = self.change.to_scene(self.shown.rest_vertices)
        size = max(float(np.ptp(model, axis=0).max()), 1e-6)
        off = np.linalg.norm(points - model, axis=1)
        if not off.max() < ELSEWHERE * size:
            ordered = np.abs(np.sort(points, axis=0) - np.sort(model, axis=0)).max() < ELSEWHERE * size
            reason = f"it must be the mesh at rest. {self.change.words}".rstrip()
            if ordered:
                reason = "they are the model's in another order: keep that of the file the model was learned from"
            worst = int(off.argmax())
            raise ValueError(
                f"the points are not where the model's vertices rest, point {worst} is {off[worst]:.3g} away: {reason}"
            )
        self.kept["places"] = (seen, None)


def load(path: str) -> tuple[Stamp, rr.Deformer]:
    """A model and the stamp of its file.

    Raises
    ------
    FileNotFoundError, ValueError
        If it is not there, or no model that moves vertices.
    """
    name = os.path.abspath(path)
    about = os.stat(name)
    stamp = (name, about.st_mtime_ns, about.st_size)
    model: rr.Deformer | None = _models.get(stamp)
    if model is None:
        found = rr.load(name)
        if not isinstance(found, rr.Deformer):
            raise ValueError(f"{name} is a {type(found).__name__}, which has no vertices; it must be a model of a mesh")
        _models[stamp] = model = found
    return stamp, model


def state_for(before: object, path: str, part: str, space: Space) -> State:
    """The state for a file as it is now: the one before, or a new one.

    Raises
    ------
    FileNotFoundError, ValueError
        If the file is not there, no model, or has no such part.
    """
    stamp, model = load(path)
    if isinstance(before, State) and before.made_for == (stamp, part, space):
        return before
    shown = model
    if part:
        if part not in model.parts:
            raise ValueError(f"the model has no part {part!r}; it has {', '.join(model.parts) or 'none'}")
        shown = model.restricted(np.flatnonzero(model.vertex_parts == model.parts.index(part)))
    made = np.empty((shown.num_vertices, 3), np.float32)
    return State((stamp, part, space), model, shown, change_of(model, space), shown.session(), made)
