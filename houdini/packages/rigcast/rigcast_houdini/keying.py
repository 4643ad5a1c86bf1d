"""Weights of a shot as keyframes of a node's parameters."""

from __future__ import annotations

from collections.abc import Sequence

import hou
import numpy as np
from numpy.typing import ArrayLike

from rigcast_host.naming import legal

from .attributes import node_errors


def key_weights(node: hou.Node, names: Sequence[str], frames: Sequence[float], weights: ArrayLike) -> list[str]:
    """Key float parameters of a node, one key per frame; ``cook(..., pose=node)`` reads them.

    Parameters that are missing are added, to a folder of their own. Keys of other frames stay.

    Parameters
    ----------
    node : hou.OpNode
        A Null, for instance: not the SOP that cooks ("Python SOP": "Do not set node parameters inside a Python SOP").
    names : sequence of str
        K shapes, ``model.shape_names``; the parameters have ``_`` for signs that names of parameters may not have.
    frames : sequence of float
        T frames.
    weights : array_like, shape (T, K)
        As ``solve_shot`` gives them.

    Returns
    -------
    list of str
        The names of the parameters that were added.

    Raises
    ------
    hou.NodeError
        If the sizes differ, two shapes have the same name as parameters, or a parameter of this name is no number.
    """
    with node_errors():
        if not isinstance(node, hou.OpNode):
            raise ValueError(f"node is a {type(node).__name__}; it must be a node with parameters")
        rows = np.asarray(weights, np.float64)
        if rows.shape != (len(frames), len(names)):
            raise ValueError(f"weights are {rows.shape}; they must be ({len(frames)}, {len(names)})")
        known = [legal(name) for name in names]
        if len(set(known)) < len(known):
            twice = next(name for name in known if known.count(name) > 1)
            raise ValueError(f"two of the shapes would be the parameter {twice}: rename one")
        added = _add_parameters(node, names, known)
        seconds = [hou.frameToTime(frame) for frame in frames]
        for name, column in zip(known, rows.T):
            parameter = node.parm(name)
            if parameter is None:
                raise ValueError(f"{node.path()} has no parameter {name}, and could not be given one")
            keys = [hou.Keyframe(float(value), time) for value, time in zip(column, seconds)]
            parameter.setKeyframes(keys)
        return added


def _add_parameters(node: hou.OpNode, names: Sequence[str], known: Sequence[str]) -> list[str]:
    """Add the parameters that are missing, in one go."""
    missing = [(name, label) for name, label in zip(known, names) if node.parm(name) is None]
    if missing:
        group = node.parmTemplateGroup()
        templates = [hou.FloatParmTemplate(name, label, 1, min=0.0, max=1.0) for name, label in missing]
        if group.findFolder("Rigcast") is None:
            group.append(hou.FolderParmTemplate("rigcast", "Rigcast", templates))
        else:
            for template in templates:
                group.appendToFolder("Rigcast", template)
        node.setParmTemplateGroup(group)
    return [name for name, _ in missing]
