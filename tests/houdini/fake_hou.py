"""A stand-in of Houdini's module ``hou``: what ``rigcast_houdini`` calls of it, checked against its stubs by a test."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np


class Error(Exception): ...


class NodeError(Error): ...


class OperationInterrupted(Error): ...


class Attrib:
    def __init__(self, name, size):
        self.name, self.size = lambda: name, lambda: size


class Numbered:
    def __init__(self, number):
        self.number = lambda: number
        self.point = lambda: self


class Prim:
    def __init__(self, corners):
        self.vertices = lambda: (Numbered(corner) for corner in corners)


class PointGroup:
    def __init__(self, name, places):
        self.name, self.points = lambda: name, lambda: tuple(map(Numbered, places))


class Geometry:
    """Points (N, 3), other float attributes (N, size) and texts by name, polygons, detail attributes, point groups."""

    def __init__(self, points, texts=None, faces=(), details=None, groups=None, **floats):
        self.floats = {name: np.asarray(values, np.float32) for name, values in {"P": points, **floats}.items()}
        self.texts, self.details, self.groups = texts or {}, details or {}, groups or {}
        self.prims = lambda: tuple(map(Prim, faces))

    def findPointAttrib(self, name):
        if name in self.floats:
            return Attrib(name, self.floats[name].shape[1])
        return Attrib(name, 1) if name in self.texts else None

    def findVertexAttrib(self, name):
        return None

    def findGlobalAttrib(self, name):
        return Attrib(name, 1) if name in self.details else None

    def globalAttribs(self):
        return tuple(Attrib(name, 1) for name in self.details)

    def attribValue(self, name):
        return self.details[name]

    def addAttrib(self, kind, name, default):
        assert kind == attribType.Global
        self.details[name] = default

    def setGlobalAttribValue(self, name, value):
        assert name in self.details
        self.details[name] = value

    def intrinsicValue(self, name):
        return {"pointcount": len(self.floats["P"])}[name]

    def pointStringAttribValues(self, name):
        return tuple(self.texts[name])

    def pointFloatAttribValuesAsString(self, name):
        return self.floats[name].tobytes()

    def setPointFloatAttribValuesFromString(self, name, values):
        assert type(values) is bytes
        self.floats[name] = np.frombuffer(values, np.float32).reshape(self.floats[name].shape)

    def pointGroups(self):
        return tuple(PointGroup(name, places) for name, places in self.groups.items())


class Parm:
    def __init__(self, name, keys):
        self.name, self.keys = lambda: name, dict(keys)

    def evalAtFrame(self, frame):
        return self.keys[frame]

    def setKeyframes(self, keys):
        self.keys.update((FPS * key.time + 1.0, key.value) for key in keys)


class Node:
    def path(self):
        return f"/obj/{type(self).__name__}"


class ParmTemplateGroup(list):
    """Folders: lists of names, with a label."""

    def findFolder(self, label):
        return next((folder for folder in self if folder.label == label), None)

    def appendToFolder(self, label, template):
        self.findFolder(label).append(template)


class FolderParmTemplate(list):
    def __init__(self, name, label, templates):
        super().__init__(templates)
        self.label = label


class OpNode(Node):
    def __init__(self, **numbers):
        self.own = {name: Parm(name, {1.0: value}) for name, value in numbers.items()}
        self.cached, self.messages = {}, []
        self.cachedUserData = self.cached.get
        self.setCachedUserData = self.cached.__setitem__
        self.destroyCachedUserData = self.cached.pop
        self.addMessage = self.messages.append
        self.parm = self.own.get
        self.parms = lambda: tuple(self.own.values())
        self.folders = ParmTemplateGroup()
        self.parmTemplateGroup = lambda: self.folders

    def setParmTemplateGroup(self, folders):
        for name in (name for folder in folders for name in folder):
            self.own.setdefault(name, Parm(name, {}))


class SopNode(OpNode):
    def __init__(self, geometry=None, *inputs, frames=None):
        super().__init__()
        self.inputs = inputs
        self.geometry = lambda: geometry
        self.geometryAtFrame = (frames or {}).get
        self.inputGeometry = lambda index: ((geometry, *self.inputs) + (None,) * 3)[index]


class Track:
    def __init__(self, name, value):
        self.name, self.evalAtFrame = lambda: name, lambda frame: value * frame


class ChopNode(OpNode):
    """Channels that are as many times their number as the frame."""

    def __init__(self, **numbers):
        super().__init__()
        self.tracks = lambda: tuple(Track(name, value) for name, value in numbers.items())


class InterruptableOperation:
    escape_after = 10**9  # updates

    def __init__(self, operation_name, open_interrupt_dialog=False):
        self.shown = []
        InterruptableOperation.last = self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    def updateProgress(self, percentage=-1.0):
        self.shown.append(percentage)
        if len(self.shown) > self.escape_after:
            raise OperationInterrupted


FPS = 24.0
attribType = SimpleNamespace(Global="Global")
text = SimpleNamespace(expandString=lambda given: given.replace("$HIP", HIP))
HIP = ""
here = SimpleNamespace(node=None, frame=1.0, nodes={})
pwd = lambda: here.node  # noqa: E731
time = lambda: (here.frame - 1.0) / FPS  # noqa: E731
timeToFrame = lambda time: time * FPS + 1.0  # noqa: E731
node = lambda path: here.nodes.get(path)  # noqa: E731
frameToTime = lambda frame: (frame - 1.0) / FPS  # noqa: E731
Keyframe = lambda value, time: SimpleNamespace(value=value, time=time)  # noqa: E731
FloatParmTemplate = lambda name, label, size, min, max: name  # noqa: E731
