"""The cook of a Python SOP: the points of its geometry where a model puts them."""

from __future__ import annotations

from typing import Any

import hou
import numpy as np

from .attributes import node_errors, positions, set_positions
from .joints import Joints, joints_of
from .models import State, state_of
from .numbers import Numbers, row_of, values_of
from .spaces import HOUDINI, Space

Array = np.ndarray[Any, Any]
REST, SKELETON, POSE = 0, 1, 2  # inputs of the node, as of a Joint Deform SOP
ELSEWHERE = 0.02  # of the mesh's size: vertices that are not the same


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
        Of a model with joints: a KineFX skeleton; default: the third input. Or else numbers by the names of the
        model's channels or columns: a CHOP, a node with parameters, geometry with detail attributes, or a mapping.
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
        geometry = sop.geometry()
        if geometry is None:
            raise ValueError("the node has no geometry")
        state = state_of(sop, model, part, space)
        check_points(state, geometry, check)
        row = _pose(sop, state, sop.inputGeometry(POSE) if pose is None else pose, rest, controls)
        vertices = state.session.evaluate(row, out=state.made)
        set_positions(geometry, state.change.to_scene(vertices))
        _tell(sop, state, geometry)


def sop_of(node: hou.Node) -> hou.SopNode:
    """A node as one with geometry.

    Raises
    ------
    ValueError
        If it has none.
    """
    if not isinstance(node, hou.SopNode):
        raise ValueError(f"node is a {type(node).__name__}; it must be the Python SOP that cooks, hou.pwd()")
    return node


def check_points(state: State, geometry: hou.Geometry, places: bool = True) -> None:
    """Compare the points of a mesh at rest with a model's vertices; the same points are compared once.

    Raises
    ------
    ValueError
        If their number differs, or they lie elsewhere or in another order.
    """
    count, wanted = geometry.intrinsicValue("pointcount"), state.shown.num_vertices
    if count != wanted:
        raise ValueError(f"the geometry has {count} points, the model {wanted} vertices{_part_hint(state, count)}")
    if not places:
        return
    points = positions(geometry)
    seen = points.tobytes()
    if state.kept.get("rest", ("", None))[0] == seen:
        return
    model = state.change.to_scene(state.shown.rest_vertices)
    size = max(float(np.ptp(model, axis=0).max()), 1e-6)
    off = np.linalg.norm(points - model, axis=1)
    if not off.max() < ELSEWHERE * size:
        ordered = np.abs(np.sort(points, axis=0) - np.sort(model, axis=0)).max() < ELSEWHERE * size
        reason = (
            "they are the model's in another order: keep the order of the file that the model was learned from"
            if ordered
            else f"the first input must be the mesh at rest (check=False skips this). {state.change.words}".rstrip()
        )
        worst = int(off.argmax())
        raise ValueError(
            f"the points are not where the model's vertices rest, point {worst} is {off[worst]:.3g} away: {reason}"
        )
    state.kept["rest"] = (seen, None)


def _part_hint(state: State, count: object) -> str:
    """Parts of the model with this number of vertices, in words."""
    names = state.model.parts
    sizes = np.bincount(state.model.vertex_parts[state.model.vertex_parts >= 0], minlength=len(names))
    fitting = [name for name, size in zip(names, sizes.tolist()) if size == count]
    if fitting:
        return f"; its part {fitting[0]!r} has as many: pass part={fitting[0]!r}"
    return f"; its parts have {dict(zip(names, sizes.tolist()))}" if names else ""


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
        return row_of(state.model, source, hou.frame(True))
    joints = _joints(state, node.inputGeometry(SKELETON) if rest is None else rest)
    columns = joints.pose(source).astype(np.float32)
    names = state.model.control_names[len(columns) :]  # before them those of the joints' columns
    if not names:
        return np.asarray(columns)
    return np.concatenate([columns, values_of(names, source if controls is None else controls, hou.frame(True))])


def _joints(state: State, rest: hou.Geometry | None) -> Joints:
    """The joints, compared with a skeleton at rest whenever it is another one."""
    seen: Any = None
    if rest is not None and rest.findPointAttrib("name") is not None:
        names = rest.pointStringAttribValues("name")
        kept = [name for name in ("P", "transform", "localtransform") if rest.findPointAttrib(name) is not None]
        seen = (names, [rest.pointFloatAttribValuesAsString(name) for name in kept])
    if "joints" not in state.kept or state.kept["joints"][0] != seen:
        state.kept["joints"] = (seen, joints_of(state.model, state.change, rest))
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
