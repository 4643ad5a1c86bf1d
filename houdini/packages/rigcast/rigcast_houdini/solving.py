"""The inverse rig: the weights of a blendshape rig that reproduce a moving mesh."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import hou
import numpy as np

import rigcast_runtime as rr
from rigcast_host.models import State
from rigcast_host.naming import legal
from rigcast_host.spaces import Change, Space, change_of

from .attributes import node_errors, positions
from .nodes import HOUDINI, geometry_of, load_model, sop_of, state_of

Array = np.ndarray[Any, Any]
ERROR = "rigcast_error_mm"  # a detail attribute


def solve(node: hou.Node, model: str, *, alpha: float = 0.0, space: Space = HOUDINI) -> rr.Solution:
    """Solve the mesh of a Python SOP at the present frame, by itself; the weights become detail attributes.

    They have the names of the shapes, with ``_`` for signs that attributes may not have, so that ``cook`` of a node
    behind it reads them: ``cook(node, model, pose=node.inputGeometry(1))``. ``rigcast_error_mm`` is the root mean
    square distance in millimeters. The points stay. The same frame gives the same weights, whatever was cooked before.

    Parameters
    ----------
    node : hou.SopNode
        The node that cooks, ``hou.pwd()``; its first input is the moving mesh, in the order of the model's vertices.
    model : str
        A blendshape rig.
    alpha : float
        Sparsity, >= 0, in squared units of the model, as in ``rigcast_runtime.solve``.
    space : Space
        The unit and up axis of the scene.

    Returns
    -------
    rigcast_runtime.Solution

    Raises
    ------
    hou.NodeError
        If a file or the geometry does not fit.
    """
    with node_errors():
        sop = sop_of(node)
        geometry = geometry_of(sop)
        state = state_of(sop, model, "", space)
        rig = _rig(state.model)
        target = _target(rig, state.change, geometry, "the geometry")
        found = _inverse(state, rig).solve(target, alpha)
        for name, weight in zip(map(legal, rig.shape_names), found.weights[0].tolist()):
            _set_detail(geometry, name, weight)
        _set_detail(geometry, ERROR, 1000.0 * rig.meters_per_unit * float(found.rmse[0]))
        if state.change.words:
            sop.addMessage(state.change.words)
        return found


def solve_shot(
    source: hou.Node,
    model: str,
    frames: Sequence[float],
    *,
    alpha: float = 0.0,
    smoothness: float = 0.0,
    space: Space = HOUDINI,
) -> rr.Solution:
    """Solve all frames of a moving mesh at once, with progress in the status line and Esc to stop.

    For shelf tools and hython; ``key_weights`` makes keyframes of the result.

    Parameters
    ----------
    source : hou.SopNode
        The moving mesh, in the order of the model's vertices.
    model : str
        A blendshape rig.
    frames : sequence of float
        T frames of the timeline.
    alpha, smoothness : float
        As in ``rigcast_runtime.solve``: of squared units of the model.
    space : Space
        The unit and up axis of the scene.

    Returns
    -------
    rigcast_runtime.Solution
        ``weights`` (T, K), ``rmse`` (T,) in the model's unit, ``converged`` (T,).

    Raises
    ------
    hou.NodeError
        If a file or a frame does not fit.
    hou.OperationInterrupted
        After Esc: nothing was changed.
    """
    with node_errors(), hou.InterruptableOperation("rigcast: solving a shot", open_interrupt_dialog=True) as operation:
        sop = sop_of(source)
        rig = _rig(load_model(model)[1])
        change = change_of(rig, space)
        if not len(frames):
            raise ValueError("frames is empty; it must have at least one frame")
        targets = []
        for place, frame in enumerate(frames):
            operation.updateProgress(0.5 * place / len(frames))
            geometry = sop.geometryAtFrame(frame)
            if geometry is None:
                raise ValueError(f"{sop.path()} has no geometry in frame {frame:g}")
            targets.append(_target(rig, change, geometry, f"{sop.path()} in frame {frame:g}"))
        return rr.solve(
            rig,
            np.array(targets),
            alpha,
            smoothness,
            progress=lambda done, total: operation.updateProgress(0.5 + 0.5 * done / max(total, 1)),
        )


def _rig(model: rr.Deformer) -> rr.BlendshapeRig:
    if not isinstance(model, rr.BlendshapeRig):
        raise ValueError(f"the model is of kind {model.kind}; only the weights of a blendshape rig can be solved here")
    return model


def _target(rig: rr.BlendshapeRig, change: Change, geometry: hou.Geometry, what: str) -> Array:
    """The points (V, 3) of a mesh in the rig's space."""
    points = positions(geometry)
    if len(points) != rig.num_vertices:
        raise ValueError(
            f"{what} has {len(points)} points, the model {rig.num_vertices} vertices: the shot must have the vertices "
            "of the face, in its order"
        )
    return change.to_model(points)


def _inverse(state: State, rig: rr.BlendshapeRig) -> rr.InverseRig:
    """The prepared solve of a rig, made once for a node."""
    if "inverse" not in state.kept:
        state.kept["inverse"] = (None, rr.InverseRig(rig))
    found: rr.InverseRig = state.kept["inverse"][1]
    return found


def _set_detail(geometry: hou.Geometry, name: str, value: float) -> None:
    if geometry.findGlobalAttrib(name) is None:
        geometry.addAttrib(hou.attribType.Global, name, 0.0)
    geometry.setGlobalAttribValue(name, value)
