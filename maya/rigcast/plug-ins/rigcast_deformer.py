"""Plug-in for Maya: the deformer ``rigcastDeformer``, whose code is in ``rigcast_maya``. Not run in Maya."""

from __future__ import annotations

import maya.cmds as cmds
import maya.OpenMaya as om
import maya.OpenMayaMPx as mpx
from rigcast_maya.deformer import RigcastDeformer


def initializePlugin(plugin: om.MObject) -> None:
    """Register the node."""
    mpx.MFnPlugin(plugin, "rigcast", "0.1.0", "Any").registerNode(
        RigcastDeformer.NAME,
        RigcastDeformer.ID,
        RigcastDeformer.create,
        RigcastDeformer.initialize,
        mpx.MPxNode.kDeformerNode,
    )
    cmds.makePaintable(RigcastDeformer.NAME, "weights", attrType="multiFloat", shapeMode="deformer")


def uninitializePlugin(plugin: om.MObject) -> None:
    """Deregister it."""
    cmds.makePaintable(RigcastDeformer.NAME, "weights", attrType="multiFloat", shapeMode="deformer", remove=True)
    mpx.MFnPlugin(plugin).deregisterNode(RigcastDeformer.ID)
