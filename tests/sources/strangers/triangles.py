"""Small glTF and USD files of triangles, written without our own writers."""

from __future__ import annotations

import base64
import itertools
import json

import numpy as np

TRIANGLE = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
UP = [[0, 0, 1]] * 3
TYPES = {1: "SCALAR", 3: "VEC3", 4: "VEC4", 16: "MAT4"}
CODES = {"f4": 5126, "u1": 5121}


class Gltf:
    """Collects arrays and properties; a triangle is accessor 0, its shape accessor 1."""

    def __init__(self, **properties):
        self.properties = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], **properties}
        self.chunks, self.accessors = [], []
        self.add(TRIANGLE)
        self.add(UP)

    def add(self, rows, kind="f4"):
        values = np.asarray(rows, kind)
        values = values.reshape(len(values), -1)
        self.accessors.append({"count": len(values), "type": TYPES[values.shape[1]], "componentType": CODES[kind]})
        self.chunks.append(values.tobytes())
        return len(self.accessors) - 1

    def write(self, path):
        ends = np.cumsum([0, *(len(chunk) for chunk in self.chunks)]).tolist()
        views = [{"buffer": 0, "byteOffset": a, "byteLength": b - a} for a, b in itertools.pairwise(ends)]
        content = base64.b64encode(b"".join(self.chunks)).decode()
        made = self.properties | {
            "accessors": [{**record, "bufferView": k} for k, record in enumerate(self.accessors)],
            "bufferViews": views,
            "buffers": [{"byteLength": ends[-1], "uri": f"data:application/octet-stream;base64,{content}"}],
        }
        path.write_text(json.dumps(made))
        return path


def morphing(name="open"):
    """A mesh with a shape."""
    primitive = {"attributes": {"POSITION": 0}, "targets": [{"POSITION": 1}]}
    return {"primitives": [primitive], "extras": {"targetNames": [name]}}


def still():
    """A mesh without one."""
    return {"primitives": [{"attributes": {"POSITION": 0}}]}


def weights_at(times):
    """A file whose only clip keys a shape at some seconds, 0 and 1 in turns."""
    g = Gltf(nodes=[{"mesh": 0}], meshes=[morphing()])
    sampler = {"input": g.add(np.reshape(times, (-1, 1))), "output": g.add(np.arange(len(times)).reshape(-1, 1) % 2)}
    target = {"node": 0, "path": "weights"}
    g.properties["animations"] = [{"samplers": [sampler], "channels": [{"sampler": 0, "target": target}]}]
    return g
