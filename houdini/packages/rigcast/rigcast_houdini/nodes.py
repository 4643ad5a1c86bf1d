"""Nodes of Houdini, and the model that one keeps.

A node keeps its state as cached user data: Houdini frees it with the node and does not save it with the scene ("HOM:
hou.Node", setCachedUserData: "useful for nodes implemented in Python that want to save temporary values between
cooks").
"""

from __future__ import annotations

import hou

import rigcast_runtime as rr
from rigcast_host.models import Stamp, State, load, state_for
from rigcast_host.spaces import Space

KEY = "rigcast"  # of the cached user data
HOUDINI = Space(1.0, "Y")  # what a scene of Houdini has unless its user says otherwise


def load_model(path: str) -> tuple[Stamp, rr.Deformer]:
    """A model and the stamp of its file; variables of Houdini in the path are expanded."""
    return load(hou.text.expandString(path))


def sop_of(node: hou.Node) -> hou.SopNode:
    """A node as one with geometry; a ValueError if it is none."""
    if not isinstance(node, hou.SopNode):
        raise ValueError(f"node is a {type(node).__name__}; it must be the Python SOP that cooks, hou.pwd()")
    return node


def geometry_of(node: hou.SopNode) -> hou.Geometry:
    """The geometry of a node that cooks, which may be written; a ValueError if there is none."""
    geometry = node.geometry()
    if geometry is None:
        raise ValueError("the node has no geometry")
    return geometry


def state_of(node: hou.OpNode, path: str, part: str, space: Space) -> State:
    """The state of a node for a file as it is now; without a file the node keeps none.

    Raises
    ------
    FileNotFoundError, ValueError
        If the file is not there, no model, or has no such part.
    """
    before = node.cachedUserData(KEY)
    try:
        state = state_for(before, hou.text.expandString(path), part, space)
    except (OSError, ValueError):
        if before is not None:
            node.destroyCachedUserData(KEY)
        raise
    if state is not before:
        node.setCachedUserData(KEY, state)
    return state
