"""The graph of ONNX that computes what ``cpp/rigcast/capture/learned/face_network.h`` states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._extras import require

OPSET, IR_VERSION = 17, 8
SLOPE = 0.2  # of leaky ReLU below 0
ALIKE = 1.0  # least mean of a neutral's numbers


class FaceGraph:
    """Nodes and constants; T, the number of pictures, is free.

    Parameters
    ----------
    tensors : mapping
        As of the network's file.
    size : int
        Width of the pictures.
    """

    def __init__(self, tensors: Mapping[str, NDArray[Any]], size: int) -> None:
        self.onnx = require("onnx", extra="onnx", purpose="writing a graph of ONNX")
        self.tensors, self.size = tensors, size
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, value: Any, dtype: Any = np.float32) -> str:
        """Add a constant and return its name."""
        name = f"c{len(self.constants)}"
        self.constants.append(self.onnx.numpy_helper.from_array(np.asarray(value, dtype, order="C"), name))
        return name

    def node(self, kind: str, *inputs: str, output: str | None = None, **attributes: object) -> str:
        """Add a node and return the name of its output."""
        name = output or f"n{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def shape(self, *sizes: int) -> str:
        """A constant shape; 0 keeps a size."""
        return self.constant(sizes, np.int64)

    def convolved(self, name: str, x: str) -> str:
        """A 3 x 3 convolution with zero padding, and a leaky ReLU."""
        weights = [self.constant(self.tensors[f"{name}.{part}"]) for part in ("weight", "bias")]
        y = self.node("Conv", x, *weights, kernel_shape=[3, 3], pads=[1, 1, 1, 1])
        return self.node("LeakyRelu", y, alpha=SLOPE)

    def dense(self, name: str, x: str) -> str:
        weights = [self.constant(self.tensors[f"{name}.{part}"]) for part in ("weight", "bias")]
        return self.node("Gemm", x, *weights, transB=1)

    def halved(self, x: str) -> str:
        return self.node("AveragePool", x, kernel_shape=[2, 2], strides=[2, 2])

    def doubled(self, x: str) -> str:
        scales = self.constant([1.0, 1.0, 2.0, 2.0])
        how = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
        return self.node("Resize", x, "", scales, **how)

    def added(self, x: str, y: str) -> str:
        return self.node("Add", x, y)

    def folded(self) -> str:
        """(T, 24, S/2, S/2): pictures minus neutrals, and neutrals, over the neutrals' mean, two by two."""
        one = self.constant(1.0)
        neutral = self.node("Cast", "neutrals", to=self.onnx.TensorProto.FLOAT)
        mean = self.node("ReduceMean", neutral, axes=[1, 2, 3], keepdims=1)
        level = self.node("Max", mean, self.constant(ALIKE))
        picture = self.node("Cast", "pictures", to=self.onnx.TensorProto.FLOAT)
        shades = [self.node("Sub", self.node("Div", x, level), one) for x in (picture, neutral)]
        both = [self.node("Sub", *shades), self.node("Add", shades[1], self.node("Mul", shades[0], self.constant(0.0)))]
        texels = self.node("Transpose", self.node("Concat", *both, axis=3), perm=[0, 3, 1, 2])
        half = self.size // 2
        split = self.node("Reshape", texels, self.shape(0, 6, half, 2, half, 2))
        return self.node(
            "Reshape", self.node("Transpose", split, perm=[0, 1, 3, 5, 2, 4]), self.shape(0, 24, half, half)
        )

    def maps(self) -> tuple[str, str, str]:
        """The maps of three resolutions."""
        a = self.convolved("conv1", self.folded())
        a = self.added(self.convolved("conv2", a), a)
        b = self.convolved("conv3", self.halved(a))
        b = self.added(self.convolved("conv4", b), b)
        c = self.convolved("conv5", self.halved(b))
        return a, b, self.added(self.convolved("conv6", c), c)

    def read_weights(self, c: str) -> str:
        """(T, K) weights of the coarsest map, and of a detector's points where all of them are known."""
        seen = self.node("Flatten", self.convolved("conv7", c), axis=1)
        if "points.weight" in self.tensors:
            unknown = self.node("IsNaN", "motion")
            zero = self.constant(0.0)
            moved = self.node("Where", unknown, zero, "motion")
            missing = self.node("Cast", unknown, to=self.onnx.TensorProto.FLOAT)
            known = self.node("Sub", self.constant(1.0), self.node("ReduceMax", missing, axes=[1], keepdims=1))
            points = self.node("LeakyRelu", self.dense("points", moved), alpha=SLOPE)
            seen = self.node("Concat", seen, self.node("Mul", points, known), axis=1)
        hidden = self.node("LeakyRelu", self.dense("dense1", seen), alpha=SLOPE)
        return self.dense("dense2", hidden)

    def read_landmarks(self, a: str, b: str, c: str) -> tuple[str, str]:
        """Means (T, P, 2) and covariances (T, P, 3) of the heat maps."""
        up = self.added(self.convolved("up1", self.doubled(c)), b)
        heat = self.convolved("heat", self.added(self.convolved("up2", self.doubled(up)), a))
        count, side = len(self.tensors["heat.bias"]), self.size // 2
        share = self.node("Softmax", self.node("Reshape", heat, self.shape(0, count, side * side)), axis=2)
        axis = (np.arange(side) + 0.5) / side
        places = np.stack([np.tile(axis, side), np.repeat(axis, side)], axis=1)
        mean = self.node("MatMul", share, self.constant(places))
        # Of places about the middle of the picture, as squares of small numbers lose fewer digits.
        middle = self.node("Sub", mean, self.constant(0.5))
        about = places - 0.5
        squares = np.stack([about[:, 0] ** 2, about[:, 0] * about[:, 1], about[:, 1] ** 2], axis=1)
        second = self.node("MatMul", share, self.constant(squares))
        x, y = (self.node("Gather", middle, self.constant([k], np.int64), axis=2) for k in (0, 1))
        products = [self.node("Mul", *pair) for pair in ((x, x), (x, y), (y, y))]
        spread = np.exp(self.tensors["heat.spread"].astype(np.float64))
        scaled = self.node(
            "Mul", self.node("Sub", second, self.node("Concat", *products, axis=2)), self.constant(spread[:, :1])
        )
        return mean, self.added(scaled, self.constant(spread[:, 1:] * [1.0, 0.0, 1.0]))

    def model(self, facts: Mapping[str, str]) -> bytes:
        """The file of the whole graph, with facts as its metadata."""
        helper, tensor, s = self.onnx.helper, self.onnx.TensorProto, self.size
        a, b, c = self.maps()
        found = (self.read_weights(c), *self.read_landmarks(a, b, c))
        names = ("weights", "landmarks", "covariance")
        for name, made in zip(names, found, strict=True):
            self.node("Identity", made, output=name)
        points = self.tensors["points.weight"].shape[1] if "points.weight" in self.tensors else 0
        landmarks = len(self.tensors["heat.bias"])
        inputs = {
            "pictures": (tensor.UINT8, ["T", s, s, 3]),
            "neutrals": (tensor.UINT8, ["N", s, s, 3]),
            **({"motion": (tensor.FLOAT, ["T", points])} if points else {}),
        }
        sizes = [["T", len(self.tensors["dense2.bias"])], ["T", landmarks, 2], ["T", landmarks, 3]]
        graph = helper.make_graph(
            self.nodes,
            "capture_network",
            [helper.make_tensor_value_info(name, *of) for name, of in inputs.items()],
            [helper.make_tensor_value_info(name, tensor.FLOAT, of) for name, of in zip(names, sizes, strict=True)],
            self.constants,
        )
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
        helper.set_model_props(made, dict(facts))
        self.onnx.checker.check_model(made)
        return bytes(made.SerializeToString())
