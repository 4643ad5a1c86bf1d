"""The learned body in PyTorch, in several forms; the fastest is the peer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.peers.body_arrays import Layout
from rigcast._extras import require


def forms(layout: Layout, poses: NDArray[Any]) -> dict[str, Callable[[], Any]]:
    """Functions that compute (T, V, 3) vertices of the poses (T, C), by name.

    "sets": a chain of small matrix products for each set. "stacked": the layers of all sets as one batched product
    of padded matrices each, then the sets' bases one by one. "padded": the bases as a batched product, too. Each as
    it is, and traced and frozen by TorchScript.
    """
    torch = require("torch", extra="training", purpose="comparing with PyTorch")
    inputs = torch.from_numpy(np.ascontiguousarray(poses, np.float32))
    found: dict[str, Callable[[], Any]] = {}
    for name, bases in (("sets", "sets"), ("stacked", "sets"), ("padded", "padded")):
        module = _module(torch, layout, stacked=name != "sets", padded=bases == "padded").eval()
        found[name] = _call(torch, module, inputs)
        with torch.inference_mode():
            traced = torch.jit.freeze(torch.jit.trace(module, inputs, check_trace=False))
        found[f"{name}, TorchScript"] = _call(torch, traced, inputs)
    return found


def _call(torch: Any, module: Any, inputs: Any) -> Callable[[], Any]:
    def run() -> Any:
        with torch.inference_mode():
            return module(inputs).numpy()

    return run


def _module(torch: Any, layout: Layout, stacked: bool, padded: bool) -> Any:
    class Body(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.kinematics = Kinematics(torch, layout)
            self.networks = (_Stacked if stacked else _Sets)(torch, layout)
            self.offsets = (_PaddedPoints if padded else _Points)(torch, layout)
            self.gather = [torch.from_numpy(np.ascontiguousarray(column)) for column in layout.gather.T]

        def forward(self, poses: Any) -> Any:
            contributions = self.offsets(self.networks(poses), self.kinematics(poses))  # (T, M + 1, 3)
            vertices = contributions.index_select(1, self.gather[0])
            for more in self.gather[1:]:
                vertices = vertices + contributions.index_select(1, more)
            return vertices

    return Body()


class Kinematics:
    """Global transforms (T, J, 3, 4), one product for each depth of the tree."""

    def __init__(self, torch: Any, layout: Layout) -> None:
        self.torch, self.num_joints = torch, layout.num_joints
        self.levels = [torch.from_numpy(level) for level in layout.levels]
        place = np.empty(layout.num_joints, np.int64)
        place[np.concatenate(layout.levels)] = np.arange(layout.num_joints)
        self.order = torch.from_numpy(place)
        begins = np.cumsum([0, *map(len, layout.levels)])
        self.parents = [
            torch.from_numpy(place[layout.parents[level]] - begins[depth])
            for depth, level in enumerate(layout.levels[1:])
        ]

    def __call__(self, poses: Any) -> Any:
        torch = self.torch
        local = poses[:, : 12 * self.num_joints].reshape(poses.shape[0], self.num_joints, 3, 4)
        done = [local.index_select(1, self.levels[0])]
        for level, parents in zip(self.levels[1:], self.parents, strict=True):
            parent, own = done[-1].index_select(1, parents), local.index_select(1, level)
            product = parent[..., :3] @ own
            done.append(torch.cat([product[..., :3], product[..., 3:] + parent[..., 3:]], 3))
        return torch.cat(done, 1).index_select(1, self.order)


class _Sets:
    """Coefficients of each set, (T, r) or None, by products of its own."""

    def __init__(self, torch: Any, layout: Layout) -> None:
        self.torch = torch
        self.sets = [
            (torch.from_numpy(s.columns), [(torch.from_numpy(w.T.copy()), torch.from_numpy(b)) for w, b in s.layers])
            for s in layout.sets
        ]

    def __call__(self, poses: Any) -> list[Any]:
        torch = self.torch
        found: list[Any] = []
        for columns, layers in self.sets:
            if not layers:
                found.append(None)
                continue
            x = poses.index_select(1, columns)
            for weight, bias in layers[:-1]:
                x = torch.tanh(torch.addmm(bias, x, weight))
            found.append(torch.addmm(layers[-1][1], x, layers[-1][0]))
        return found


class _Stacked:
    """The same with each layer of all sets as one batched product of matrices padded with zeros."""

    def __init__(self, torch: Any, layout: Layout) -> None:
        self.torch = torch
        self.index = [i for i, s in enumerate(layout.sets) if s.layers]
        self.num_sets = len(layout.sets)
        sets = [layout.sets[i] for i in self.index]
        self.sizes = [len(s.layers[-1][1]) for s in sets]
        most = max((len(s.columns) for s in sets), default=0)
        columns = np.zeros((len(sets), most), np.int64)
        for row, s in zip(columns, sets, strict=True):
            row[: len(s.columns)] = s.columns  # what is left over meets zero weights
        self.columns = torch.from_numpy(columns.reshape(-1))
        self.layers = [self._stack([s.layers[k] for s in sets]) for k in range(3)]

    def _stack(self, layers: list[tuple[NDArray[Any], NDArray[Any]]]) -> tuple[Any, Any]:
        rows = max(w.shape[0] for w, _ in layers)
        columns = max(w.shape[1] for w, _ in layers)
        weight = np.zeros((len(layers), columns, rows), np.float32)
        bias = np.zeros((len(layers), 1, rows), np.float32)
        for i, (w, b) in enumerate(layers):
            weight[i, : w.shape[1], : w.shape[0]] = w.T
            bias[i, 0, : len(b)] = b
        return self.torch.from_numpy(weight), self.torch.from_numpy(bias)

    def __call__(self, poses: Any) -> list[Any]:
        torch = self.torch
        x = poses.index_select(1, self.columns).reshape(poses.shape[0], len(self.index), -1).transpose(0, 1)
        for weight, bias in self.layers[:-1]:
            x = torch.tanh(torch.baddbmm(bias, x, weight))
        x = torch.baddbmm(self.layers[-1][1], x, self.layers[-1][0])
        found: list[Any] = [None] * self.num_sets
        for place, (i, size) in enumerate(zip(self.index, self.sizes, strict=True)):
            found[i] = x[place, :, :size]
        return found


class _Points:
    """Contributions (T, M + 1, 3) of all sets one after another, and a row of zeros."""

    def __init__(self, torch: Any, layout: Layout) -> None:
        self.torch = torch
        self.sets = [
            (
                s.joint,
                torch.from_numpy(s.basis.T.copy()),
                torch.from_numpy(s.base.reshape(1, -1)),
                torch.from_numpy(s.weight),
            )
            for s in layout.sets
        ]

    def __call__(self, coefficients: list[Any], transforms: Any) -> Any:
        torch, frames = self.torch, transforms.shape[0]
        parts = []
        for (joint, basis, base, weight), c in zip(self.sets, coefficients, strict=True):
            local = base.expand(frames, -1) if c is None else torch.addmm(base, c, basis)
            x = transforms[:, joint]
            moved = torch.baddbmm(x[:, None, :, 3], local.reshape(frames, -1, 3), x[:, :, :3].transpose(1, 2))
            parts.append(moved * weight)
        parts.append(torch.zeros(frames, 1, 3))
        return torch.cat(parts, 1)


class _PaddedPoints:
    """The same with the bases of all sets as one batched product of matrices padded with zeros."""

    def __init__(self, torch: Any, layout: Layout) -> None:
        self.torch = torch
        self.sizes = [len(s.base) for s in layout.sets]
        self.components = max(s.basis.shape[1] for s in layout.sets)
        most, count = max(self.sizes), len(layout.sets)
        basis = np.zeros((count, self.components, 3 * most), np.float32)
        base = np.zeros((count, 1, 3 * most), np.float32)
        for i, s in enumerate(layout.sets):
            basis[i, : s.basis.shape[1], : s.basis.shape[0]] = s.basis.T
            base[i, 0, : s.base.size] = s.base.reshape(-1)
        self.basis, self.base = torch.from_numpy(basis), torch.from_numpy(base)
        self.weight = torch.from_numpy(np.concatenate([s.weight for s in layout.sets]))
        self.joints = torch.tensor([s.joint for s in layout.sets])
        self.rows = torch.from_numpy(np.concatenate([i * most + np.arange(size) for i, size in enumerate(self.sizes)]))

    def __call__(self, coefficients: list[Any], transforms: Any) -> Any:
        torch, frames = self.torch, transforms.shape[0]
        pad = torch.nn.functional.pad
        empty = torch.zeros(frames, self.components)
        c = torch.stack([empty if c is None else pad(c, (0, self.components - c.shape[1])) for c in coefficients])
        local = torch.baddbmm(self.base, c, self.basis)  # (S, T, 3 most)
        x = transforms.index_select(1, self.joints).transpose(0, 1)  # (S, T, 3, 4)
        points = local.reshape(len(self.sizes), frames, -1, 3)
        moved = torch.matmul(points, x[..., :3].transpose(2, 3)) + x[:, :, None, :, 3]
        flat = moved.transpose(0, 1).reshape(frames, -1, 3).index_select(1, self.rows) * self.weight
        return torch.cat([flat, torch.zeros(frames, 1, 3)], 1)
