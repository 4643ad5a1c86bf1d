"""The node: a deformer of API 1.0.

"Maya Python API 1.0 is generated from the Maya C++ API. It is more comprehensive than Maya Python API 2.0" ("Maya
Python API 1.0 vs Maya Python API 2.0"); the developer kit's deformer in Python, ``py1YTwistNode.py``, is of API 1.0,
too, in the reference of Maya 2025.
"""

from __future__ import annotations

from typing import Any

import maya.OpenMaya as om
import maya.OpenMayaMPx as mpx
import numpy as np

from rigcast_host.joints import Joints, joints_of
from rigcast_host.models import State, state_for

from .arrays import matrix_of, positions, scene_space, write_positions

Array = np.ndarray[Any, Any]


class RigcastDeformer(mpx.MPxDeformerNode):
    """A mesh moved as a model does; envelope and painted weights blend to the input.

    Attributes of the node: ``model`` and ``part`` (texts), ``spaceMatrix``, ``jointMatrix`` and ``restMatrix`` (a world
    matrix per joint of the model, now and at rest), ``control`` (a number per control of the model).
    """

    NAME = "rigcastDeformer"
    ID = om.MTypeId(0x0007F5C1)  # of the block for internal use: a studio registers its own
    model: om.MObject
    part: om.MObject
    space: om.MObject
    joints: om.MObject
    rests: om.MObject
    controls: om.MObject

    def __init__(self) -> None:
        mpx.MPxDeformerNode.__init__(self)
        self._state: State | None = None
        self._said = ""

    @classmethod
    def create(cls) -> Any:
        """A node, which Maya owns."""
        return mpx.asMPxPtr(cls())

    @classmethod
    def initialize(cls) -> None:
        """Add the attributes."""
        texts, matrices, numbers = om.MFnTypedAttribute(), om.MFnMatrixAttribute(), om.MFnNumericAttribute()
        cls.model = texts.create("model", "rcm", om.MFnData.kString)
        texts.setUsedAsFilename(True)
        cls.part = texts.create("part", "rcp", om.MFnData.kString)
        cls.space = matrices.create("spaceMatrix", "rcs")
        cls.joints = matrices.create("jointMatrix", "rcj")
        matrices.setArray(True)
        cls.rests = matrices.create("restMatrix", "rcr")
        matrices.setArray(True)
        cls.controls = numbers.create("control", "rcc", om.MFnNumericData.kFloat, 0.0)
        numbers.setArray(True)
        numbers.setKeyable(True)
        for attribute in (cls.model, cls.part, cls.space, cls.joints, cls.rests, cls.controls):
            cls.addAttribute(attribute)
            cls.attributeAffects(attribute, mpx.cvar.MPxGeometryFilter_outputGeom)

    def deform(self, block: om.MDataBlock, iterator: om.MItGeometry, matrix: om.MMatrix, index: int) -> None:
        """Move the points. What is wrong is displayed once, and the mesh stays as it comes."""
        envelope = float(block.inputValue(mpx.cvar.MPxGeometryFilter_envelope).asFloat())
        path = str(block.inputValue(self.model).asString())
        if not path or not envelope:
            return
        try:
            points = om.MPointArray()
            iterator.allPositions(points)
            moved = self._moved(block, path, points, matrix_of(matrix))
            share = self._weights(block, index, points.length()) * envelope
            if np.any(share != 1.0):
                before = positions(points)
                moved = before + share * (moved - before)
            write_positions(points, moved)
            iterator.setAllPositions(points)
            self._said = ""
        except FileNotFoundError as error:
            self._say(f"the model file {error.filename} is not there")
        except (ValueError, ArithmeticError, OSError) as error:
            self._say(str(error))

    def _moved(self, block: om.MDataBlock, path: str, points: om.MPointArray, to_world: Array) -> Array:
        """The vertices (V, 3) in the mesh's own coordinates."""
        state = state_for(self._state, path, str(block.inputValue(self.part).asString()), scene_space())
        state.check_count(points.length())
        place = local = np.eye(4)
        if state.model.joint_names:
            place = matrix_of(block.inputValue(self.space).asMatrix())
            local = np.linalg.inv(to_world) @ place
        if state is not self._state or "places" not in state.kept:  # kept by the check, once it passes
            self._state = state
            _check_places(state, positions(points), local)
            if state.change.words:
                om.MGlobal.displayInfo(f"rigcast: {state.change.words}")
        return _placed(state.points(self._pose(block, state, place)), local)

    def _pose(self, block: om.MDataBlock, state: State, place: Array) -> Array:
        """The pose (C,) float32 of the node's attributes."""
        count = len(state.model.joint_names)
        columns = np.empty(0, np.float32)
        if count:
            world = _elements(block, self.joints, state.model.joint_names, "jointMatrix")
            columns = self._skeleton(block, state).pose(np.linalg.inv(place) @ world).astype(np.float32)
        names = state.model.control_names[len(columns) :]
        numbers = block.inputArrayValue(self.controls)
        values = [_number(numbers, index) for index in range(len(names))]
        return np.concatenate([columns, np.array(values, np.float32)])

    def _skeleton(self, block: om.MDataBlock, state: State) -> Joints:
        """The joints, compared with the matrices at rest whenever these are others."""
        rest = _elements(block, self.rests, state.model.joint_names, "restMatrix")
        if "joints" not in state.kept or state.kept["joints"][0] != rest.tobytes():
            state.kept["joints"] = (rest.tobytes(), joints_of(state.model, state.change, rest))
        found: Joints = state.kept["joints"][1]
        return found

    def _weights(self, block: om.MDataBlock, index: int, count: int) -> Array:
        """The painted weights (V, 1); ones if nothing is painted."""
        lists = block.inputArrayValue(mpx.cvar.MPxDeformerNode_weightList)
        if not _jumps(lists, index):
            return np.ones((1, 1))
        painted = om.MArrayDataHandle(lists.inputValue().child(mpx.cvar.MPxDeformerNode_weights))
        if not painted.elementCount():
            return np.ones((1, 1))
        return np.array([[self.weightValue(block, index, vertex)] for vertex in range(count)], np.float64)

    def _say(self, text: str) -> None:
        if text != self._said:
            self._said = text
            om.MGlobal.displayError(f"rigcast: {text}")


def _check_places(state: State, given: Array, local: Array) -> None:
    """Compare the points with the model's at rest, as what carries the character stands; else as it stood at rest."""
    try:
        state.check_places(np.asarray(_placed(given, np.linalg.inv(local)), np.float32))
    except ValueError as error:
        try:  # it may have moved since the mesh was bound, whose points stay
            state.check_places(np.asarray(given, np.float32))
        except ValueError:
            raise error from None


def _placed(points: Array, matrix: Array) -> Array:
    """Points (V, 3) moved by a matrix (4, 4); the same ones if it moves nothing."""
    if np.array_equal(matrix, np.eye(4)):
        return points
    return np.asarray(points @ matrix[:3, :3].T + matrix[:3, 3])


def _elements(block: om.MDataBlock, attribute: om.MObject, names: list[str], shown: str) -> Array:
    """The matrices (J, 4, 4) of an array attribute, one per joint."""
    array = block.inputArrayValue(attribute)
    found = []
    for index, name in enumerate(names):
        if not _jumps(array, index):
            raise ValueError(f"{shown}[{index}], which is joint {name!r}, has no value: bind the mesh again")
        found.append(matrix_of(array.inputValue().asMatrix()))
    return np.array(found)


def _number(array: om.MArrayDataHandle, index: int) -> float:
    """An element of an array attribute; 0 where there is none, as Maya has it."""
    return float(array.inputValue().asFloat()) if _jumps(array, index) else 0.0


def _jumps(array: om.MArrayDataHandle, index: int) -> bool:
    """Go to an element by its index. Returns False if there is none, which API 1.0 says by a RuntimeError."""
    try:
        array.jumpToElement(index)
    except RuntimeError:
        return False
    return True
