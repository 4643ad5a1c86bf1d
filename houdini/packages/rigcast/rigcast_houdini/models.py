"""Models by file, shared by nodes, and what a node keeps between two cooks.

A node keeps its state as cached user data: Houdini frees it with the node and does not save it with the scene ("HOM:
hou.Node.setCachedUserData": "useful for nodes implemented in Python that want to save temporary values between cooks").
"""

from __future__ import annotations

import os
import weakref
from dataclasses import dataclass, field
from typing import Any

import hou
import numpy as np

from .runtime import rr
from .spaces import Change, Space, change_of

Array = np.ndarray[Any, Any]
KEY = "rigcast"  # of the cached user data
Stamp = tuple[str, int, int]  # path, time of change, size

_models: weakref.WeakValueDictionary[Stamp, rr.Deformer] = weakref.WeakValueDictionary()


@dataclass(eq=False)
class State:
    """What a node keeps of a model.

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
        What was made of inputs, by name: the input's bytes and the result.
    """

    made_for: tuple[Stamp, str, Space]
    model: rr.Deformer
    shown: rr.Deformer
    change: Change
    session: rr.Session
    made: Array
    kept: dict[str, tuple[Any, Any]] = field(default_factory=dict)


def load(path: str) -> tuple[Stamp, rr.Deformer]:
    """A model and the stamp of its file; variables of Houdini in the path are expanded.

    Raises
    ------
    FileNotFoundError, ValueError
        If it is not there, or no model that moves vertices.
    """
    name = os.path.abspath(hou.text.expandString(path))
    about = os.stat(name)
    stamp = (name, about.st_mtime_ns, about.st_size)
    model: rr.Deformer | None = _models.get(stamp)
    if model is None:
        found = rr.load(name)
        if not isinstance(found, rr.Deformer):
            raise ValueError(f"{name} is a {type(found).__name__}, which has no vertices; it must be a model of a mesh")
        _models[stamp] = model = found
    return stamp, model


def state_of(node: hou.OpNode, path: str, part: str, space: Space) -> State:
    """The state of a node for a file as it is now: that of the last cook, or a new one.

    Raises
    ------
    FileNotFoundError, ValueError
        If the file is not there, no model, or has no such part.
    """
    before = node.cachedUserData(KEY)
    try:
        stamp, model = load(path)
    except (OSError, ValueError):
        if before is not None:
            node.destroyCachedUserData(KEY)
        raise
    if isinstance(before, State) and before.made_for == (stamp, part, space):
        return before
    shown = model
    if part:
        if part not in model.parts:
            raise ValueError(f"the model has no part {part!r}; it has {', '.join(model.parts) or 'none'}")
        shown = model.restricted(np.flatnonzero(model.vertex_parts == model.parts.index(part)))
    made = np.empty((shown.num_vertices, 3), np.float32)
    state = State((stamp, part, space), model, shown, change_of(model, space), shown.session(), made)
    node.setCachedUserData(KEY, state)
    return state
