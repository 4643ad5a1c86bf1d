"""Graphs of ONNX from poses to vertices, and their runs with ONNX Runtime."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._extras import require

OPSET, IR_VERSION = 17, 8


class Graph:
    """Nodes and constants from an input "poses" (T, C) to an output "vertices" (T, V, 3), for a fixed T.

    Parameters
    ----------
    shape : tuple of int
        T and C.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.onnx = require("onnx", extra="test", purpose="comparing with ONNX Runtime")
        self.shape = shape
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    @property
    def frames(self) -> int:
        """T."""
        return self.shape[0]

    def constant(self, value: NDArray[Any]) -> str:
        """Add a constant and return its name."""
        name = f"c{len(self.constants)}"
        self.constants.append(self.onnx.numpy_helper.from_array(np.asarray(value, order="C"), name))
        return name

    def node(self, kind: str, *inputs: str, output: str | None = None, **attributes: object) -> str:
        """Add a node and return the name of its output."""
        name = output or f"n{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def reshape(self, x: str, *shape: int) -> str:
        return self.node("Reshape", x, self.constant(np.array(shape, np.int64)))

    def gather(self, x: str, index: NDArray[Any], axis: int) -> str:
        return self.node("Gather", x, self.constant(index), axis=axis)

    def model(self, vertices: str, count: int) -> bytes:
        """Return the file of the graph whose node `vertices` computes that many vertices."""
        helper, tensor = self.onnx.helper, self.onnx.TensorProto
        self.node("Identity", vertices, output="vertices")
        graph = helper.make_graph(
            self.nodes,
            "model",
            [helper.make_tensor_value_info("poses", tensor.FLOAT, self.shape)],
            [helper.make_tensor_value_info("vertices", tensor.FLOAT, [self.frames, count, 3])],
            self.constants,
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
        return bytes(model.SerializeToString())


def session(model: bytes, poses: NDArray[Any], threads: int) -> Callable[[], Any]:
    """A function that computes (T, V, 3) vertices of the poses (T, C) with ONNX Runtime on the CPU."""
    runtime = require("onnxruntime", extra="test", purpose="comparing with ONNX Runtime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_ENABLE_ALL
    run = runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"]).run
    feed = {"poses": np.ascontiguousarray(poses, np.float32)}
    return lambda: run(None, feed)[0]
