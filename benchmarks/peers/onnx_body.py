"""The learned body as an ONNX graph, for ONNX Runtime."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.peers.body_arrays import Layout
from benchmarks.peers.onnx_graph import Graph, session


def form(layout: Layout, poses: NDArray[Any], threads: int) -> Callable[[], Any]:
    """A function that computes (T, V, 3) vertices of the poses (T, C)."""
    graph = _Body(layout, poses.shape)
    return session(graph.model(graph.vertices(), len(layout.gather)), poses, threads)


class _Body(Graph):
    """Every constant is folded as far as it goes."""

    def __init__(self, layout: Layout, shape: tuple[int, ...]) -> None:
        super().__init__(shape)
        self.layout = layout

    def _transforms(self) -> str:
        """(J, T, 4, 4) global transforms in the order of the levels, as products with (4, 4) on the right."""
        layout, frames = self.layout, self.frames
        order = np.concatenate(layout.levels)
        # Transposed, so that a row vector times it is the point moved: columns of the pose in that order.
        entry = np.arange(12).reshape(3, 4).T
        columns = (12 * order[:, None, None] + entry).reshape(-1)
        local = self.reshape(self.gather("poses", columns, 1), frames, len(order), 4, 3)
        corner = np.zeros((frames, len(order), 4, 1), np.float32)
        corner[:, :, 3] = 1.0
        square = self.node("Concat", local, self.constant(corner), axis=3)
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        done: list[str] = []
        begin = 0
        for depth, level in enumerate(layout.levels):
            own = self.gather(square, np.arange(begin, begin + len(level)), 1)
            if depth:
                parents = place[layout.parents[level]] - (begin - len(layout.levels[depth - 1]))
                own = self.node("MatMul", own, self.gather(done[-1], parents, 1))
            done.append(own)
            begin += len(level)
        return self.node("Concat", *done, axis=1) if len(done) > 1 else done[0]

    def vertices(self) -> str:
        """(T, V, 3)"""
        layout, frames = self.layout, self.frames
        order = np.concatenate(layout.levels)
        transforms = self._transforms()
        parts = []
        for s in layout.sets:
            local = self._local(s)
            ones = np.ones((frames, len(s.base), 1), np.float32)
            points = self.node("Concat", local, self.constant(ones), axis=2)
            own = self.gather(transforms, np.array(np.flatnonzero(order == s.joint)[0]), 1)
            affine = self.gather(own, np.arange(3), 2)
            moved = self.node("MatMul", points, affine)
            parts.append(self.node("Mul", moved, self.constant(s.weight)))
        parts.append(self.constant(np.zeros((frames, 1, 3), np.float32)))
        stacked = self.node("Concat", *parts, axis=1)
        vertices = self.gather(stacked, layout.gather[:, 0], 1)
        for column in layout.gather.T[1:]:
            vertices = self.node("Add", vertices, self.gather(stacked, column, 1))
        return vertices

    def _local(self, s: Any) -> str:
        base = self.constant(s.base.reshape(1, -1))
        if not s.layers:
            return self.constant(np.tile(s.base[None], (self.frames, 1, 1)))
        x = self.gather("poses", s.columns, 1)
        for k, (weight, bias) in enumerate(s.layers):
            x = self.node("Gemm", x, self.constant(weight.T), self.constant(bias))
            if k < 2:
                x = self.node("Tanh", x)
        flat = self.node("Gemm", x, self.constant(s.basis.T), base)
        return self.reshape(flat, self.frames, len(s.base), 3)
