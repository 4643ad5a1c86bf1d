"""A mesh bound to a model: the deformer made, its joints connected, its controls named."""

from __future__ import annotations

import os
from typing import Any

import maya.cmds as cmds
import numpy as np

from rigcast_host.joints import joints_of, places_of
from rigcast_host.models import load
from rigcast_host.naming import legal
from rigcast_host.spaces import change_of

from .arrays import scene_space

NODE = "rigcastDeformer"


def bind(mesh: str, model: str, root: str = "", *, part: str = "", space: str = "") -> str:
    """Let a model move a mesh. Call it while the character stands at rest; the plug-in must be loaded.

    Parameters
    ----------
    mesh : str
        The mesh that the model was learned from, vertex by vertex. Take its own skinCluster off, or switch it off.
    model : str
        The model file.
    root : str
        Of a model with joints: the topmost joint of the skeleton. Joints are found by their names, without namespace.
    part : str
        The part of the model that the mesh is.
    space : str
        A transform that carries the whole character: what it does moves the vertices and is no pose.

    Returns
    -------
    str
        The deformer. Its controls are attributes of the names of the model's, for keys and connections.

    Raises
    ------
    ValueError
        If joints are missing, the skeleton rests elsewhere than the model's, or the file is no model.
    """
    path = os.path.abspath(model)
    found = load(path)[1]
    names = found.joint_names
    joints = _joints(names, root) if names else []
    if names:
        rest = np.array([cmds.getAttr(f"{joint}.worldMatrix[0]") for joint in joints], np.float64)
        place = np.eye(4)
        if space:
            place = np.array(cmds.getAttr(f"{space}.worldMatrix[0]"), np.float64).reshape(4, 4)
        world = (rest.reshape(-1, 4, 4) @ np.linalg.inv(place)).transpose(0, 2, 1)
        joints_of(found, change_of(found, scene_space()), world)
    made = cmds.deformer(mesh, type=NODE)
    assert isinstance(made, list)  # without the flag query
    node = made[0]
    cmds.setAttr(f"{node}.model", path, type="string")
    cmds.setAttr(f"{node}.part", part, type="string")
    for index, joint in enumerate(joints):
        cmds.setAttr(f"{node}.restMatrix[{index}]", *world[index].T.reshape(-1).tolist(), type="matrix")
        cmds.connectAttr(f"{joint}.worldMatrix[0]", f"{node}.jointMatrix[{index}]")
    if space:
        cmds.connectAttr(f"{space}.worldMatrix[0]", f"{node}.spaceMatrix")
    for index, name in enumerate(found.control_names[12 * len(names) :]):
        value: Any = float(found.rest_pose[12 * len(names) + index])  # the stubs of setAttr know texts alone
        cmds.setAttr(f"{node}.control[{index}]", value)
        cmds.aliasAttr(legal(name), f"{node}.control[{index}]")
    return node


def _joints(names: list[str], root: str) -> list[str]:
    """The paths of a model's joints below, and with, a root."""
    if not root:
        raise ValueError("bind: root is empty; it must be the topmost joint: the model has joints")
    below = cmds.listRelatives(root, allDescendents=True, fullPath=True, type="joint") or []
    paths = [*cmds.ls(root, long=True), *below]
    short = [path.rsplit("|", 1)[-1].rsplit(":", 1)[-1] for path in paths]
    return [paths[place] for place in places_of(names, short)]
