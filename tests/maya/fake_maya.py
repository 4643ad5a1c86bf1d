"""A stand-in of Maya's modules: what the files for Maya call of them, checked against their stubs by a test."""

from __future__ import annotations

from types import ModuleType, SimpleNamespace
from typing import ClassVar

import numpy as np


class MPoint:
    def __init__(self, x, y, z):
        self.x, self.y, self.z = x, y, z


class MPointArray:
    def __init__(self, rows=()):
        self.rows = [MPoint(*row) for row in rows]
        self.length = lambda: len(self.rows)

    def __getitem__(self, index):
        return self.rows[index]

    def set(self, point, index):
        self.rows[index] = point


class MMatrix:
    """Acts on rows, from one for columns."""

    def __init__(self, matrix):
        self.rows = np.array(matrix, float).T

    def __call__(self, row, column):
        return float(self.rows[row, column])


class MItGeometry:
    def __init__(self, points):
        self.points = np.array(points, np.float32)

    def allPositions(self, array):
        array.rows = [MPoint(*row) for row in self.points.tolist()]

    def setAllPositions(self, array):
        self.points = np.array([(point.x, point.y, point.z) for point in array.rows], np.float32)


class MDataHandle:
    def __init__(self, value):
        self.asFloat = self.asString = self.asMatrix = lambda: value
        self.child = lambda attribute: value


class MArrayDataHandle:
    """Elements by index; one of a list of painted weights is made of its elements."""

    def __init__(self, elements):
        self.elements, self.at = elements, None
        self.elementCount = lambda: len(self.elements)
        self.inputValue = lambda: MDataHandle(self.elements[self.at])

    def jumpToElement(self, index):
        if index not in self.elements:
            raise RuntimeError("(kInvalidParameter)")
        self.at = index


class MDataBlock:
    """Values of a node by its attributes; arrays are mappings."""

    def __init__(self, values):
        self.inputValue = lambda attribute: MDataHandle(values[attribute])
        self.inputArrayValue = lambda attribute: MArrayDataHandle(values.get(attribute, {}))


class MGlobal:
    y_up, said = True, []
    isYAxisUp = staticmethod(lambda: MGlobal.y_up)
    displayError = displayInfo = staticmethod(lambda text: MGlobal.said.append(text))


class Attribute:
    """An attribute is its long name."""

    flags = SimpleNamespace(arrays=set(), files=set())

    def create(self, name, short, *_):
        self.name = name
        return name

    def setArray(self, value):
        self.flags.arrays.add(self.name)

    def setKeyable(self, value):
        assert value

    def setUsedAsFilename(self, value):
        self.flags.files.add(self.name)


class MFnTypedAttribute(Attribute): ...


class MFnMatrixAttribute(Attribute): ...


class MFnNumericAttribute(Attribute): ...


class MPxNode:
    kDeformerNode = 2
    affected: ClassVar[list[str]] = []

    @classmethod
    def addAttribute(cls, name):
        assert name not in cls.affected

    @classmethod
    def attributeAffects(cls, name, output):
        assert output == "outputGeom"
        cls.affected.append(name)


class MPxDeformerNode(MPxNode):
    painted: ClassVar[dict[int, float]] = {}

    def weightValue(self, block, index, vertex):
        return self.painted.get(vertex, 1.0)


class MFnPlugin:
    registered: ClassVar[dict[str, tuple]] = {}

    def __init__(self, *about):
        self.about = about

    def registerNode(self, name, number, create, initialize, kind):
        initialize()
        self.registered[name] = (number, create, kind)

    def deregisterNode(self, number):
        for name in [name for name, row in self.registered.items() if row[0] is number]:
            del self.registered[name]


class Scene:
    """The commands, over values of plugs: every node is a text."""

    def __init__(self):
        self.values, self.connections, self.aliases, self.children = {}, {}, {}, {}
        self.paintable = []

    def getAttr(self, plug):
        return self.values[plug]

    def setAttr(self, plug, *value, type=None):
        self.values[plug] = value if type == "matrix" else value[0]

    def connectAttr(self, one, other):
        self.connections[other] = one

    def aliasAttr(self, name, plug):
        self.aliases[plug] = name

    def deformer(self, mesh, type):
        return [f"{type}1"]

    def makePaintable(self, node, attribute, attrType, shapeMode, remove=False):
        assert (attrType, shapeMode) == ("multiFloat", "deformer")
        (self.paintable.remove if remove else self.paintable.append)((node, attribute))

    def listRelatives(self, root, allDescendents, fullPath, type):
        return self.children.get(root)

    def ls(self, name, long):
        return [f"|{name}"]


scene = SimpleNamespace(now=Scene())


def module(name, **content):
    made = ModuleType(name)
    vars(made).update(content)
    return made


NAMES = ("getAttr", "setAttr", "makePaintable", "connectAttr", "aliasAttr", "deformer", "listRelatives", "ls")
cmds = module("maya.cmds", **{n: lambda *a, _n=n, **k: getattr(scene.now, _n)(*a, **k) for n in NAMES})
OpenMaya = module(
    "maya.OpenMaya",
    **{
        made.__name__: made
        for made in (MPoint, MPointArray, MMatrix, MItGeometry, MArrayDataHandle, MDataBlock, MGlobal)
    },
    **{made.__name__: made for made in (MFnTypedAttribute, MFnMatrixAttribute, MFnNumericAttribute)},
    MObject=str,
    MTypeId=lambda number: [number],
    MFnData=SimpleNamespace(kString=4),
    MFnNumericData=SimpleNamespace(kFloat=11),
)
CVAR = {"MPxGeometryFilter_envelope": "envelope", "MPxGeometryFilter_outputGeom": "outputGeom"}
CVAR |= {"MPxDeformerNode_weightList": "weightList", "MPxDeformerNode_weights": "weights"}
OpenMayaMPx = module(
    "maya.OpenMayaMPx", MPxNode=MPxNode, MPxDeformerNode=MPxDeformerNode, MFnPlugin=MFnPlugin,
    asMPxPtr=lambda node: node, cvar=SimpleNamespace(**CVAR),
)  # fmt: skip
maya = module("maya", cmds=cmds, OpenMaya=OpenMaya, OpenMayaMPx=OpenMayaMPx)
MODULES = {"maya": maya, "maya.cmds": cmds, "maya.OpenMaya": OpenMaya, "maya.OpenMayaMPx": OpenMayaMPx}
