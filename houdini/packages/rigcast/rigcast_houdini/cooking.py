"""The cook of a Python SOP: the points of its geometry where a model puts them."""

from __future__ import annotations

from typing import Any

import hou
import numpy as np

from rigcast_host.joints import Joints, joints_of
from rigcast_host.models import State
from rigcast_host.spaces import Space

from .attributes import node_errors, positions, set_positions
from .kinefx import bytes_of, worlds
from .nodes import HOUDINI, geometry_of, sop_of, state_of
from .numbers import Numbers, row_of, values_of

Array = np.ndarray[Any, Any]
SKELETON, POSE = 1, 2  # inputs of the node, as of a Joint Deform SOP


def cook(
    node: hou.Node,
    model: str,
    *,
    pose: Numbers | None = None,
    rest: hou.Geometry | None = None,
    controls: Numbers | None = None,
    part: str = "",
    space: Space = HOUDINI,
    check: bool = True,
) -> None:
    """Set the points of a Python SOP to what a learned model makes of a pose.

    Only what changed since the last cook is computed: the node keeps a session, until its file changes or it is
    deleted.

    Parameters
    ----------
    node : hou.SopNode
        The node that cooks, ``hou.pwd()``. Its first input is the mesh at rest, vertex by vertex that of the model.
    model : str
        A model file; ``$HIP`` and other variables are expanded.
    pose : hou.Geometry, hou.Node or mapping, optional
        Of a model with joints: a KineFX skeleton; default: the third input. Or numbers by the names of the model's
        channels or columns: a CHOP, a node with parameters, a mapping, or, of a model without joints, geometry with
        detail attributes.
    rest : hou.Geometry, optional
        The KineFX skeleton at rest (capture pose); default: the second input. Without it the axes of its joints are
        taken for those of the model's, and a message says so.
    controls : hou.Geometry, hou.Node or mapping, optional
        The numeric controls of a model with joints; default: detail attributes of the skeleton.
    part : str, optional
        The part of the model that the mesh is.
    space : Space
        The unit and up axis of the scene: by default meters, y up. What is converted is a message of the node.
    check : bool
        Whether points of the first input must be where the model's vertices rest.

    Raises
    ------
    hou.NodeError
        If a file, a pose or the geometry does not fit, in one sentence.
    """
    with node_errors():
        sop = sop_of(node)
        geometry = geometry_of(sop)
        state = state_of(sop, model, part, space)
        points = positions(geometry)
        state.check_count(len(points))
        if check:
            state.check_places(points)
        row = _pose(sop, state, sop.inputGeometry(POSE) if pose is None else pose, rest, controls)
        set_positions(geometry, state.points(row))
        _tell(sop, state, geometry)


def _pose(
    node: hou.SopNode,
    state: State,
    source: Numbers | None,
    rest: hou.Geometry | None,
    controls: Numbers | None,
) -> Array:
    """The pose (C,) float32 of what the user gave, or of the inputs."""
    if source is None:
        raise ValueError("there is no pose: connect a skeleton to the third input, or pass pose=")
    if state.model.skeleton is None or not isinstance(source, hou.Geometry):
        return row_of(state.model, source, hou.timeToFrame(hou.time()))
    joints = _joints(state, node.inputGeometry(SKELETON) if rest is None else rest)
    columns = joints.pose(worlds(source, joints.names)).astype(np.float32)
    names = state.model.control_names[len(columns) :]  # before them those of the joints' columns
    if not names:
        return np.asarray(columns)
    return np.concatenate(
        [columns, values_of(names, source if controls is None else controls, hou.timeToFrame(hou.time()))]
    )


def _joints(state: State, rest: hou.Geometry | None) -> Joints:
    """The joints, compared with a skeleton at rest whenever it is another one."""
    seen = None if rest is None else bytes_of(rest)
    if "joints" not in state.kept or state.kept["joints"][0] != seen:
        names = state.model.joint_names
        state.kept["joints"] = (
            seen,
            joints_of(state.model, state.change, None if rest is None else worlds(rest, names)),
        )
    found: Joints = state.kept["joints"][1]
    return found


def _tell(node: hou.SopNode, state: State, geometry: hou.Geometry) -> None:
    """Say on the node what was converted, assumed and left alone."""
    if state.change.words:
        node.addMessage(state.change.words)
    joints = state.kept.get("joints")
    if joints is not None and joints[1].axes is None:
        node.addMessage("no skeleton at rest in the second input: the axes of its joints are taken for the model's")
    if geometry.findPointAttrib("N") is not None or geometry.findVertexAttrib("N") is not None:
        node.addMessage("normals N are those of the input: a Normal SOP behind this node makes them anew")
    if state.shown is not state.model:
        node.addMessage(f"part {state.made_for[1]!r} of the model: {state.shown.num_vertices} vertices")
