"""Deformation maps as an ONNX graph, for ONNX Runtime."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rigcast as rc
from benchmarks.peers.base_arrays import base_arrays
from benchmarks.peers.map_arrays import MapArrays, map_arrays
from benchmarks.peers.torch_maps import SLOPE, groups_of
from rigcast._extras import require


def forms(model: rc.Deformer, poses: NDArray[Any], threads: int) -> dict[str, Callable[[], Any]]:
    """Functions that compute (T, V, 3) vertices of the poses (T, C), by name: see `torch_maps.forms`."""
    runtime = require("onnxruntime", extra="test", purpose="comparing with ONNX Runtime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_ENABLE_ALL
    feed = {"poses": np.ascontiguousarray(poses, np.float32)}
    found: dict[str, Callable[[], Any]] = {}
    for grouped in (False, True):
        graph = _Graph(model, len(poses)).model(grouped)
        session = runtime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
        found["grouped" if grouped else "segments"] = _call(session, feed)
    return found


def _call(session: Any, feed: dict[str, NDArray[np.float32]]) -> Callable[[], Any]:
    return lambda: session.run(None, feed)[0]


class _Graph:
    """Builds the graph for a fixed number of poses T."""

    def __init__(self, model: rc.Deformer, frames: int) -> None:
        self.onnx = require("onnx", extra="test", purpose="comparing with ONNX Runtime")
        self.face, self.frames = model, frames
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def model(self, grouped: bool) -> bytes:
        helper, tensor = self.onnx.helper, self.onnx.TensorProto
        rest = self.face.rest_vertices
        vertices = self._start(np.tile(rest, (self.frames, 1, 1)))
        for level in (False, True):
            groups = groups_of([s for s in map_arrays(self.face) if s.is_refinement == level], grouped)
            if not groups:
                continue
            offsets = [self._offsets(group) for group in groups]
            members = [segment for group in groups for segment in group]
            vertices = self._add(vertices, offsets, members)
        self.node("Identity", vertices, output="vertices")
        graph = helper.make_graph(
            self.nodes,
            "face",
            [helper.make_tensor_value_info("poses", tensor.FLOAT, [self.frames, len(self.face.control_names)])],
            [helper.make_tensor_value_info("vertices", tensor.FLOAT, [self.frames, len(rest), 3])],
            self.constants,
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        return bytes(model.SerializeToString())

    def _start(self, rest: NDArray[np.float32]) -> str:
        """Vertices (T, V, 3) at rest, or where the base puts them."""
        base = base_arrays(self.face)
        if base is None:
            return self.constant(rest)
        one = self.constant(np.ones((self.frames, 1), np.float32))
        first = self.node("Gather", "poses", self.constant(base.first), axis=1)
        second = self.node("Gather", self.node("Concat", "poses", one, axis=1), self.constant(base.second), axis=1)
        positive = self.node("Relu", self.node("Gather", "poses", self.constant(base.positive), axis=1))
        features = self.node("Concat", self.node("Mul", first, second), positive, axis=1)
        moved = self.node("Gemm", features, self.constant(base.shapes), self.constant(base.constant))
        return self.node("Add", self._reshape(moved, *rest.shape), self.constant(rest))

    def constant(self, value: NDArray[Any]) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(self.onnx.numpy_helper.from_array(np.asarray(value, order="C"), name))
        return name

    def node(self, kind: str, *inputs: str, output: str | None = None, **attributes: object) -> str:
        name = output or f"n{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def _reshape(self, x: str, *shape: int) -> str:
        return self.node("Reshape", x, self.constant(np.array(shape, np.int64)))

    def _add(self, vertices: str, offsets: list[str], members: list[MapArrays]) -> str:
        """Vertices plus offsets: a gather, or sums if a vertex lies in several segments."""
        vertex = np.concatenate([s.vertex for s in members])
        all_offsets = self.node("Concat", *offsets, axis=1) if len(offsets) > 1 else offsets[0]
        if len(np.unique(vertex)) < len(vertex):
            index = np.stack(np.broadcast_arrays(np.arange(self.frames)[:, None], vertex), axis=-1)
            return self.node("ScatterND", vertices, self.constant(index), all_offsets, reduction="add")
        source = np.full(len(self.face.rest_vertices), len(vertex))
        source[vertex] = np.arange(len(vertex))
        zero = self.constant(np.zeros((self.frames, 1, 3), np.float32))
        padded = self.node("Concat", all_offsets, zero, axis=1)
        return self.node("Add", vertices, self.node("Gather", padded, self.constant(source), axis=1))

    def _offsets(self, segments: list[MapArrays]) -> str:
        """(T, M, 3) of segments of the same shape."""
        first, count = segments[0], len(segments)
        hidden = [self._dense(segment) for segment in segments]
        x = self.node("Concat", *hidden, axis=1) if count > 1 else hidden[0]
        x = self._reshape(x, self.frames, count * first.channels, first.base, first.base)
        for layer in range(1, first.convolutions + 1):
            if layer < first.convolutions:
                scales = self.constant(np.array([1, 1, 2, 2], np.float32))
                more = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
                x = self.node("Resize", x, "", scales, **more)
            x = self.node("LeakyRelu", self._convolution(x, segments, f"conv{layer}", 1), alpha=SLOPE)
        x = self._convolution(x, segments, "output", 0) if first.convolutions else x
        x = self._reshape(x, self.frames, count, 3, -1)
        x = self._reshape(self.node("Transpose", x, perm=[0, 1, 3, 2]), self.frames, -1, 3)
        samples = [segment.samples() for segment in segments]
        place = np.concatenate([texel + i * first.resolution**2 for i, (texel, _) in enumerate(samples)])
        x = self.node("Gather", x, self.constant(place), axis=1)
        x = self.node("Mul", x, self.constant(np.concatenate([weight for _, weight in samples])[:, :, None]))
        return self.node("ReduceSum", x, self.constant(np.array([2], np.int64)), keepdims=0)

    def _dense(self, segment: MapArrays) -> str:
        x = self.node("Gather", "poses", self.constant(segment.column), axis=1)
        for name, bends in segment.dense:
            weight, bias = (self.constant(segment.layers[f"{name}.{what}"]) for what in ("weight", "bias"))
            x = self.node("Gemm", x, weight, bias, transB=1)
            x = self._bent(x, bool(segment.convolutions)) if bends else x
        return x

    def _bent(self, x: str, kinked: bool) -> str:
        """The leaky ReLU, or the smooth one."""
        if kinked:
            return self.node("LeakyRelu", x, alpha=SLOPE)
        one, factor, slope = (self.constant(np.array(c, np.float32)) for c in (1.0, 0.25 * (1.0 - SLOPE), SLOPE))
        ends = [self.constant(np.array(c, np.float32)) for c in (0.0, 2.0)]
        inside = self.node("Clip", self.node("Add", x, one), *ends)
        bowl = self.node("Mul", self.node("Mul", inside, inside), factor)
        low = self.node("Add", self.node("Mul", x, slope), bowl)
        return self.node("Where", self.node("Greater", x, one), x, low)

    def _convolution(self, x: str, segments: list[MapArrays], name: str, pad: int) -> str:
        weight = np.concatenate([s.layers[f"{name}.weight"] for s in segments])
        weight = weight if weight.ndim == 4 else weight[:, :, None, None]
        bias = np.concatenate([s.layers[f"{name}.bias"] for s in segments])
        return self.node(
            "Conv", x, self.constant(weight), self.constant(bias), group=len(segments), pads=[pad, pad, pad, pad]
        )
