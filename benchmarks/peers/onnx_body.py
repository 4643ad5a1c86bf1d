"""The learned body as an ONNX graph, for ONNX Runtime."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.peers.body_arrays import Layout
from rigcast._extras import require


def session(layout: Layout, poses: NDArray[Any], threads: int) -> Callable[[], Any]:
    """A function that computes (T, V, 3) vertices of the poses (T, C) with ONNX Runtime on the CPU."""
    runtime = require("onnxruntime", extra="test", purpose="comparing with ONNX Runtime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_ENABLE_ALL
    graph = _Graph(layout, poses.shape)
    run = runtime.InferenceSession(graph.model(), options, providers=["CPUExecutionProvider"]).run
    feed = {"poses": np.ascontiguousarray(poses, np.float32)}
    return lambda: run(None, feed)[0]


class _Graph:
    """Builds the graph for a fixed number of poses T; every constant is folded as far as it goes."""

    def __init__(self, layout: Layout, shape: tuple[int, ...]) -> None:
        self.onnx = require("onnx", extra="test", purpose="comparing with ONNX Runtime")
        self.layout, self.shape = layout, shape
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def model(self) -> bytes:
        helper, tensor = self.onnx.helper, self.onnx.TensorProto
        frames, _ = self.shape
        self._vertices()
        graph = helper.make_graph(
            self.nodes,
            "body",
            [helper.make_tensor_value_info("poses", tensor.FLOAT, self.shape)],
            [helper.make_tensor_value_info("vertices", tensor.FLOAT, [frames, len(self.layout.gather), 3])],
            self.constants,
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        return bytes(model.SerializeToString())

    def constant(self, value: NDArray[Any]) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(self.onnx.numpy_helper.from_array(np.asarray(value, order="C"), name))
        return name

    def node(self, kind: str, *inputs: str, output: str | None = None, **attributes: object) -> str:
        name = output or f"n{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def _gather(self, source: str, index: NDArray[Any], axis: int) -> str:
        return self.node("Gather", source, self.constant(index), axis=axis)

    def _transforms(self) -> str:
        """(J, T, 4, 4) global transforms in the order of the levels, as products with (4, 4) on the right."""
        layout, frames = self.layout, self.shape[0]
        order = np.concatenate(layout.levels)
        # Transposed, so that a row vector times it is the point moved: columns of the pose in that order.
        entry = np.arange(12).reshape(3, 4).T
        columns = (12 * order[:, None, None] + entry).reshape(-1)
        local = self.node(
            "Reshape", self._gather("poses", columns, 1), self.constant(np.array([frames, len(order), 4, 3], np.int64))
        )
        corner = np.zeros((frames, len(order), 4, 1), np.float32)
        corner[:, :, 3] = 1.0
        square = self.node("Concat", local, self.constant(corner), axis=3)
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        done: list[str] = []
        begin = 0
        for depth, level in enumerate(layout.levels):
            own = self._gather(square, np.arange(begin, begin + len(level)), 1)
            if depth:
                parents = place[layout.parents[level]] - (begin - len(layout.levels[depth - 1]))
                own = self.node("MatMul", own, self._gather(done[-1], parents, 1))
            done.append(own)
            begin += len(level)
        return self.node("Concat", *done, axis=1) if len(done) > 1 else done[0]

    def _vertices(self) -> None:
        layout, frames = self.layout, self.shape[0]
        order = np.concatenate(layout.levels)
        transforms = self._transforms()
        parts = []
        for s in layout.sets:
            local = self._local(s)
            ones = np.ones((frames, len(s.base), 1), np.float32)
            points = self.node("Concat", local, self.constant(ones), axis=2)
            own = self._gather(transforms, np.array(np.flatnonzero(order == s.joint)[0]), 1)
            affine = self._gather(own, np.arange(3), 2)
            moved = self.node("MatMul", points, affine)
            parts.append(self.node("Mul", moved, self.constant(s.weight)))
        parts.append(self.constant(np.zeros((frames, 1, 3), np.float32)))
        stacked = self.node("Concat", *parts, axis=1)
        vertices = self._gather(stacked, layout.gather[:, 0], 1)
        for column in layout.gather.T[1:]:
            vertices = self.node("Add", vertices, self._gather(stacked, column, 1))
        self.node("Identity", vertices, output="vertices")

    def _local(self, s: Any) -> str:
        shape = self.constant(np.array([self.shape[0], len(s.base), 3], np.int64))
        base = self.constant(s.base.reshape(1, -1))
        if not s.layers:
            return self.constant(np.tile(s.base[None], (self.shape[0], 1, 1)))
        x = self._gather("poses", s.columns, 1)
        for k, (weight, bias) in enumerate(s.layers):
            x = self.node("Gemm", x, self.constant(weight.T), self.constant(bias))
            if k < 2:
                x = self.node("Tanh", x)
        flat = self.node("Gemm", x, self.constant(s.basis.T), base)
        return self.node("Reshape", flat, shape)
