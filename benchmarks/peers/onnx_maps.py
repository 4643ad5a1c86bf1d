"""Deformation maps as an ONNX graph, for ONNX Runtime."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rigcast as rc
from benchmarks.peers.base_arrays import base_arrays
from benchmarks.peers.map_arrays import MapArrays, map_arrays
from benchmarks.peers.onnx_graph import Graph, session
from benchmarks.peers.torch_maps import SLOPE, groups_of


def forms(model: rc.Deformer, poses: NDArray[Any], threads: int) -> dict[str, Callable[[], Any]]:
    """Functions that compute (T, V, 3) vertices of the poses (T, C), by name: see `torch_maps.forms`."""
    found = {}
    for name in ("segments", "grouped"):
        graph = _Face(model, len(poses))
        found[name] = session(graph.model(graph.vertices(name == "grouped"), len(model.rest_vertices)), poses, threads)
    return found


class _Face(Graph):
    def __init__(self, model: rc.Deformer, frames: int) -> None:
        super().__init__((frames, len(model.control_names)))
        self.face = model

    def vertices(self, grouped: bool) -> str:
        """(T, V, 3)"""
        vertices = self._start(np.tile(self.face.rest_vertices, (self.frames, 1, 1)))
        for level in (False, True):
            groups = groups_of([s for s in map_arrays(self.face) if s.is_refinement == level], grouped)
            if not groups:
                continue
            offsets = [self._offsets(group) for group in groups]
            members = [segment for group in groups for segment in group]
            vertices = self._add(vertices, offsets, members)
        return vertices

    def _start(self, rest: NDArray[np.float32]) -> str:
        """Vertices (T, V, 3) at rest, or where the base puts them."""
        base = base_arrays(self.face)
        if base is None:
            return self.constant(rest)
        one = self.constant(np.ones((self.frames, 1), np.float32))
        first = self.gather("poses", base.first, 1)
        second = self.gather(self.node("Concat", "poses", one, axis=1), base.second, 1)
        positive = self.node("Relu", self.gather("poses", base.positive, 1))
        features = self.node("Concat", self.node("Mul", first, second), positive, axis=1)
        moved = self.node("Gemm", features, self.constant(base.shapes), self.constant(base.constant))
        return self.node("Add", self.reshape(moved, *rest.shape), self.constant(rest))

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
        return self.node("Add", vertices, self.gather(padded, source, 1))

    def _offsets(self, segments: list[MapArrays]) -> str:
        """(T, M, 3) of segments of the same shape."""
        first, count = segments[0], len(segments)
        hidden = [self._dense(segment) for segment in segments]
        x = self.node("Concat", *hidden, axis=1) if count > 1 else hidden[0]
        x = self.reshape(x, self.frames, count * first.channels, first.base, first.base)
        for layer in range(1, first.convolutions + 1):
            if layer < first.convolutions:
                scales = self.constant(np.array([1, 1, 2, 2], np.float32))
                more = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
                x = self.node("Resize", x, "", scales, **more)
            x = self.node("LeakyRelu", self._convolution(x, segments, f"conv{layer}", 1), alpha=SLOPE)
        x = self._convolution(x, segments, "output", 0) if first.convolutions else x
        x = self.reshape(x, self.frames, count, 3, -1)
        x = self.reshape(self.node("Transpose", x, perm=[0, 1, 3, 2]), self.frames, -1, 3)
        samples = [segment.samples() for segment in segments]
        place = np.concatenate([texel + i * first.resolution**2 for i, (texel, _) in enumerate(samples)])
        x = self.gather(x, place, 1)
        x = self.node("Mul", x, self.constant(np.concatenate([weight for _, weight in samples])[:, :, None]))
        return self.node("ReduceSum", x, self.constant(np.array([2], np.int64)), keepdims=0)

    def _dense(self, segment: MapArrays) -> str:
        x = self.gather("poses", segment.column, 1)
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
