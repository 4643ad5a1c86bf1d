"""glTF files made by hand, and slow evaluation written straight from the specification."""

from __future__ import annotations

import base64
import json
import math
import struct
from pathlib import Path
from typing import Any

import numpy as np

COMPONENTS = {"i1": 5120, "u1": 5121, "i2": 5122, "u2": 5123, "u4": 5125, "f4": 5126}
TYPES = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}


class Gltf:
    """A document under construction: ``json`` is what will be written, ``data`` the values of each accessor."""

    def __init__(self) -> None:
        self.blob = bytearray()
        self.data: list[np.ndarray] = []
        self.json: dict[str, Any] = {
            "asset": {"version": "2.0", "copyright": "CC0"},
            "buffers": [{}],
            "bufferViews": [],
            "accessors": [],
        }

    def view(self, array: np.ndarray, stride: int | None = None) -> int:
        rows = [row.tobytes() for row in np.ascontiguousarray(array)]
        self.blob += b"\0" * (-len(self.blob) % 4)
        start = len(self.blob)
        self.blob += b"".join(row.ljust(stride or 0, b"\xee") for row in rows)
        view = {"buffer": 0, "byteOffset": start, "byteLength": len(self.blob) - start}
        self.json["bufferViews"].append(view | ({"byteStride": stride} if stride else {}))
        return len(self.json["bufferViews"]) - 1

    def add(self, array, dtype="f4", *, normalized=False, stride=None, sparse=None) -> int:
        """An accessor of the rows of ``array``; ``sparse`` are rows stored as patches over zeros."""
        values = np.asarray(array)
        rows = values.reshape(len(values), -1)
        limit = 1.0 if dtype == "f4" else np.iinfo(dtype).max
        stored = np.round(rows * limit).astype("<" + dtype) if normalized else rows.astype("<" + dtype)
        record: dict[str, Any] = {
            "componentType": COMPONENTS[dtype],
            "count": len(rows),
            "type": TYPES[rows.shape[1]],
        }
        if normalized:
            record["normalized"] = True
            self.data.append(stored.astype(np.float64) / limit)
        else:
            self.data.append(stored.astype(np.float64))
        if sparse is None:
            record["bufferView"] = self.view(stored, stride)
        else:
            record["sparse"] = {
                "count": len(sparse),
                "indices": {"bufferView": self.view(np.array(sparse, "<u2")[:, None]), "componentType": 5123},
                "values": {"bufferView": self.view(stored[sparse])},
            }
        self.json["accessors"].append(record)
        return len(self.json["accessors"]) - 1

    def bytes(self, *, embedded: bool = False) -> bytes:
        self.json["buffers"][0]["byteLength"] = len(self.blob)
        if embedded:
            uri = "data:application/octet-stream;base64," + base64.b64encode(self.blob).decode()
            buffers = [{**self.json["buffers"][0], "uri": uri}]
            return json.dumps({**self.json, "buffers": buffers}).encode()
        text = json.dumps(self.json).encode()
        return container(text + b" " * (-len(text) % 4), bytes(self.blob) + b"\0" * (-len(self.blob) % 4))

    def write(self, path: Path) -> Path:
        path.write_bytes(self.bytes(embedded=path.suffix == ".gltf"))
        return path


def container(text: bytes, blob: bytes) -> bytes:
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(blob), b"BIN\0") + blob
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def random_quaternions(random, count):
    q = random.normal(size=(count, 4))
    return q / np.linalg.norm(q, axis=1, keepdims=True)


def node(random, name, children=(), scale=1.0):
    record = {
        "name": name,
        "translation": random.normal(size=3).tolist(),
        "rotation": random_quaternions(random, 1)[0].tolist(),
        "scale": [scale] * 3,
    }
    return record | ({"children": list(children)} if children else {})


def character(seed: int = 0, *, bind_is_default: bool = False) -> Gltf:
    """Nodes: 0 mesh, 1 armature, 2 hip, 3 a node that is no joint, 4 knee, 5 ankle. Clips ``wave`` and ``steps``."""
    random = np.random.default_rng(seed)
    g = Gltf()
    g.json["nodes"] = [
        {**node(random, "body"), "mesh": 0, "skin": 0},
        node(random, "armature", [2], 0.5),
        node(random, "hip", [3]),
        node(random, "between", [4], 1.5),
        node(random, "knee", [5]),
        node(random, "ankle"),
    ]
    bind = np.array([world(g, joint, {}) for joint in (2, 4, 5)])
    if not bind_is_default:
        bind = bind @ np.array([world_of(node(random, "")) for _ in range(3)])
    vertices = random.normal(size=(12, 3))
    position = g.add(vertices, stride=16)
    joints = g.add(random.integers(0, 3, (12, 4)), "u1")
    weight = random.dirichlet(np.ones(4), 12)
    weights = g.add(weight, "u1", normalized=True)
    deltas = random.normal(size=(2, 12, 3))
    deltas[1][[0, 1, 2, 3, 4, 6, 8]] = 0
    targets = [{"POSITION": g.add(deltas[0])}, {"POSITION": g.add(deltas[1], sparse=[5, 7, 9, 10, 11])}]
    attributes = {"POSITION": position, "JOINTS_0": joints, "WEIGHTS_0": weights}
    more = {
        "POSITION": g.add(vertices[:4] * 2),
        "JOINTS_0": g.add(random.integers(0, 3, (4, 4)), "u2"),
        "WEIGHTS_0": g.add(weight[:4]),
    }
    primitives = [
        {"attributes": attributes, "indices": g.add(np.arange(12)[:, None], "u2"), "targets": targets},
        {"attributes": attributes, "indices": g.add([[0], [4], [8]], "u1"), "targets": targets},
        {"attributes": more, "targets": [{"POSITION": g.add(deltas[0, :4])}, {}], "mode": 5},
    ]
    mesh = {"name": "skin of body", "primitives": primitives, "extras": {"targetNames": ["smile", "frown"]}}
    g.json["meshes"] = [{**mesh, "weights": [0.0, 0.25]}]
    # joints of the skin in an order of its own: ankle before its parents
    inverse = np.linalg.inv(bind[[2, 0, 1]])
    g.json["skins"] = [{"joints": [5, 2, 4], "inverseBindMatrices": g.add(inverse.swapaxes(1, 2).reshape(3, 16))}]
    g.json["animations"] = [_wave(g, random), _steps(g, random)]
    return g


def _clip(name, entries):
    samplers = [{"input": i, "output": o, "interpolation": mode} for _, _, i, o, mode in entries]
    channels = [
        {"sampler": k, "target": {"node": node, "path": path}} for k, (node, path, _, _, _) in enumerate(entries)
    ]
    return {"name": name, "samplers": samplers, "channels": channels}


def _wave(g, random):
    """Rotations and morph weights only, so that channels can follow exactly where bind and default agree."""
    times = g.add(np.array([[0.1], [0.5], [0.6], [1.3]]))
    return _clip(
        "wave",
        [
            (2, "rotation", times, g.add(random_quaternions(random, 4)), "LINEAR"),
            (5, "rotation", times, g.add(random_quaternions(random, 4), "i2", normalized=True), "LINEAR"),
            (0, "weights", times, g.add(random.uniform(size=(8, 1))), "LINEAR"),
        ],
    )


def _steps(g, random):
    """Everything else: steps, cubic splines, scaling, nodes that are no joints."""
    times = g.add(np.array([[0.0], [0.5], [2.0]]))
    return _clip(
        "steps",
        [
            (4, "translation", times, g.add(random.normal(size=(9, 3))), "CUBICSPLINE"),
            (4, "rotation", times, g.add(random.normal(size=(9, 4))), "CUBICSPLINE"),
            (3, "scale", times, g.add(random.uniform(0.5, 2, (3, 3))), "LINEAR"),
            (1, "rotation", times, g.add(random_quaternions(random, 3)), "STEP"),
            (1, "translation", times, g.add(random.normal(size=(3, 3))), "LINEAR"),
            (0, "weights", times, g.add(random.uniform(-1, 2, (18, 1))), "CUBICSPLINE"),
        ],
    )


def animated_values(g: Gltf, clip: str, time: float) -> dict[tuple[int, str], np.ndarray]:
    """All tracks of a clip at one time, as the specification words it (appendix C)."""
    record = next(a for a in g.json["animations"] if a["name"] == clip)
    result = {}
    for channel in record["channels"]:
        sampler, target = record["samplers"][channel["sampler"]], channel["target"]
        times = g.data[sampler["input"]][:, 0]
        mode = sampler.get("interpolation", "LINEAR")
        cubic = mode == "CUBICSPLINE"
        values = g.data[sampler["output"]].reshape(len(times), 3 if cubic else 1, -1)
        result[target["node"], target["path"]] = _interpolate(times, values, time, mode, target["path"] == "rotation")
    return result


def _interpolate(times, values, t, mode, rotation):
    middle = 1 if mode == "CUBICSPLINE" else 0
    if t <= times[0] or t >= times[-1]:
        result = values[0 if t <= times[0] else -1, middle]
        return result / np.linalg.norm(result) if rotation else result
    k = max(i for i in range(len(times)) if times[i] <= t)
    span = times[k + 1] - times[k]
    u = (t - times[k]) / span
    if mode == "STEP":
        result = values[k, 0]
    elif mode == "CUBICSPLINE":
        result = (
            (2 * u**3 - 3 * u**2 + 1) * values[k, 1]
            + span * (u**3 - 2 * u**2 + u) * values[k, 2]
            + (-2 * u**3 + 3 * u**2) * values[k + 1, 1]
            + span * (u**3 - u**2) * values[k + 1, 0]
        )
    elif rotation:
        a, b = (values[i, 0] / np.linalg.norm(values[i, 0]) for i in (k, k + 1))
        d = a @ b
        angle = math.acos(min(1.0, abs(d)))
        if angle < 1e-9:
            result = a
        else:
            result = (math.sin(angle * (1 - u)) * a + math.copysign(1, d) * math.sin(angle * u) * b) / math.sin(angle)
    else:
        result = (1 - u) * values[k, 0] + u * values[k + 1, 0]
    return result / np.linalg.norm(result) if rotation else result


def world_of(record) -> np.ndarray:
    if "matrix" in record:
        return np.array(record["matrix"]).reshape(4, 4).T
    x, y, z, w = record.get("rotation", [0, 0, 0, 1])
    turn = np.array(
        [
            [1 - 2 * y * y - 2 * z * z, 2 * x * y - 2 * z * w, 2 * x * z + 2 * y * w],
            [2 * x * y + 2 * z * w, 1 - 2 * x * x - 2 * z * z, 2 * y * z - 2 * x * w],
            [2 * x * z - 2 * y * w, 2 * y * z + 2 * x * w, 1 - 2 * x * x - 2 * y * y],
        ]
    )
    result = np.eye(4)
    result[:3, :3] = turn @ np.diag(record.get("scale", [1, 1, 1]))
    result[:3, 3] = record.get("translation", [0, 0, 0])
    return result


def world(g: Gltf, index: int, animated) -> np.ndarray:
    """World transform (4, 4) of a node."""
    record = dict(g.json["nodes"][index])
    for path in ("translation", "rotation", "scale"):
        if (index, path) in animated:
            record[path] = animated[index, path]
    above = [i for i, other in enumerate(g.json["nodes"]) if index in other.get("children", [])]
    own = world_of(record)
    return world(g, above[0], animated) @ own if above else own


def slow_vertices(g: Gltf, mesh_node: int, animated) -> np.ndarray:
    """World vertices of one mesh node; primitives that share vertices count once."""
    record = g.json["nodes"][mesh_node]
    mesh = g.json["meshes"][record["mesh"]]
    count = len(mesh["primitives"][0].get("targets", []))
    weights = animated.get((mesh_node, "weights"), mesh.get("weights", [0.0] * count))
    skin = g.json["skins"][record["skin"]] if "skin" in record else None
    result, seen = [], []
    for primitive in mesh["primitives"]:
        if primitive["attributes"] in seen:
            continue
        seen.append(primitive["attributes"])
        points = g.data[primitive["attributes"]["POSITION"]].copy()
        for amount, target in zip(weights, primitive.get("targets", []), strict=True):
            if "POSITION" in target:
                points += amount * g.data[target["POSITION"]]
        if skin is None:
            matrices = [world(g, mesh_node, animated)] * len(points)
        else:
            inverse = g.data[skin["inverseBindMatrices"]].reshape(-1, 4, 4).swapaxes(1, 2)
            joint = [world(g, j, animated) @ inverse[k] for k, j in enumerate(skin["joints"])]
            index = g.data[primitive["attributes"]["JOINTS_0"]].astype(int)
            weight = g.data[primitive["attributes"]["WEIGHTS_0"]]
            weight = weight / weight.sum(axis=1, keepdims=True)
            matrices = [sum(w * joint[j] for j, w in zip(index[v], weight[v], strict=True)) for v in range(len(points))]
        result += [(matrix @ [*point, 1.0])[:3] for matrix, point in zip(matrices, points, strict=True)]
    return np.array(result)


def close(got, expected, tolerance):
    """Equal up to float32 sums, relative to the largest value."""
    np.testing.assert_allclose(got, expected, atol=tolerance["float32_sum"] * max(1, np.abs(expected).max()))
