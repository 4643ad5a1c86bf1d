"""Differential models in PyTorch, in several forms; the fastest is the peer."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.peers.base_arrays import torch_base
from benchmarks.peers.body_arrays import Layout, levels_of
from benchmarks.peers.torch_body import Kinematics
from rigcast._core import DifferentialModel, Reconstructor
from rigcast._extras import require

Calls = dict[str, Callable[[], Any]]


def forms(model: DifferentialModel, poses: NDArray[Any]) -> tuple[Calls, Calls]:
    """Functions that compute (T, V, 3) vertices of the poses (T, C), by name: folded, and with a solve per frame.

    All anchor networks as batched products of padded matrices ("batched"), or a module per anchor network ("modules").
    Folded: basis and solve as one dense product. Otherwise the product with the basis, then this project's factorized
    solve, as published.
    """
    torch = require("torch", extra="training", purpose="comparing with PyTorch")
    inputs = torch.from_numpy(np.ascontiguousarray(poses, np.float32))
    arrays = model.tensors()
    networks = {"batched": _Batched(torch, arrays), "modules": _Modules(torch, arrays)}
    dense, solved = _Folded(torch, model, arrays), _Solved(torch, model, arrays)
    posed = _Posed(torch, model, arrays)

    def call(anchors: Any, tail: Any) -> Callable[[], Any]:
        network = _network(torch, arrays)

        def run() -> Any:
            with torch.inference_mode():
                return posed(inputs, tail(network(inputs), anchors(inputs))).numpy()

        return run

    return (
        {f"{name}, folded": call(anchors, dense) for name, anchors in networks.items()},
        {f"{name}, solve": call(anchors, solved) for name, anchors in networks.items()},
    )


def reconstructor_of(model: DifferentialModel, arrays: dict[str, NDArray[Any]]) -> Reconstructor:
    """The reconstruction that the model was made for."""
    return Reconstructor(model.faces, len(model.rest_vertices), arrays["anchors.vertex"], arrays["anchors.weight"])


def _network(torch: Any, arrays: dict[str, NDArray[Any]]) -> Any:
    columns = torch.from_numpy(arrays["inputs.column"].astype(np.int64))
    count = sum(name.startswith("network.layer") for name in arrays) // 2
    read = [(arrays[f"network.layer{i}.weight"], arrays[f"network.layer{i}.bias"]) for i in range(1, count + 1)]
    layers = _chain(torch, read)
    return lambda poses: layers(poses.index_select(1, columns))


def _chain(torch: Any, layers: list[tuple[NDArray[Any], NDArray[Any]]]) -> Callable[[Any], Any]:
    """Dense layers of weights (outputs, inputs) with relu between them."""
    linear = torch.nn.functional.linear
    *hidden, last = [tuple(torch.from_numpy(np.ascontiguousarray(a)) for a in layer) for layer in layers]

    def run(x: Any) -> Any:
        for layer in hidden:
            x = torch.relu_(linear(x, *layer))
        return linear(x, *last)

    return run


class _AnchorLayers:
    """Columns, weights (inputs, outputs) and biases of every anchor network."""

    def __init__(self, arrays: dict[str, NDArray[Any]]) -> None:
        begins, outputs = arrays["anchors.input.offset"], arrays["anchors.offset"]
        last = sum(name.startswith("anchors.layer") for name in arrays) // 2
        self.columns = [arrays["anchors.column"][a:b].astype(np.int64) for a, b in itertools.pairwise(begins)]
        self.layers: list[list[tuple[NDArray[Any], NDArray[Any]]]] = []
        for s, (a, b) in enumerate(itertools.pairwise(begins)):
            own = [(arrays["anchors.layer1.weight"][a:b], arrays["anchors.layer1.bias"][s])]
            own += [
                (arrays[f"anchors.layer{i}.weight"][s].T, arrays[f"anchors.layer{i}.bias"][s]) for i in range(2, last)
            ]
            rows = slice(3 * outputs[s], 3 * outputs[s + 1])
            own.append((arrays[f"anchors.layer{last}.weight"][rows].T, arrays[f"anchors.layer{last}.bias"][rows]))
            self.layers.append(own)


class _Modules:
    """Anchor displacements (T, A, 3) by a chain of small products per network."""

    def __init__(self, torch: Any, arrays: dict[str, NDArray[Any]]) -> None:
        self.torch, read = torch, _AnchorLayers(arrays)
        self.columns = [torch.from_numpy(columns) for columns in read.columns]
        self.modules = [_chain(torch, [(weight.T, bias) for weight, bias in layers]) for layers in read.layers]

    def __call__(self, poses: Any) -> Any:
        found = [
            module(poses.index_select(1, columns)).reshape(len(poses), -1, 3)
            for module, columns in zip(self.modules, self.columns, strict=True)
        ]
        return self.torch.cat(found, 1)


class _Batched:
    """The same with each layer of all networks as one batched product of matrices padded with zeros."""

    def __init__(self, torch: Any, arrays: dict[str, NDArray[Any]]) -> None:
        self.torch, read = torch, _AnchorLayers(arrays)
        count, most = len(read.columns), max(map(len, read.columns))
        columns = np.zeros((count, most), np.int64)
        for row, own in zip(columns, read.columns, strict=True):
            row[: len(own)] = own  # what is left over meets zero weights
        self.columns, self.count = torch.from_numpy(columns.reshape(-1)), count
        self.layers = [self._stack([layers[k] for layers in read.layers]) for k in range(len(read.layers[0]))]
        sizes = [layers[-1][0].shape[1] for layers in read.layers]
        widest = max(sizes)
        kept = np.concatenate([s * widest + np.arange(size) for s, size in enumerate(sizes)])
        self.kept = None if widest == min(sizes) else torch.from_numpy(kept)

    def _stack(self, layers: list[tuple[NDArray[Any], NDArray[Any]]]) -> tuple[Any, Any]:
        rows, columns = (max(w.shape[axis] for w, _ in layers) for axis in (0, 1))
        weight = np.zeros((len(layers), rows, columns), np.float32)
        bias = np.zeros((len(layers), 1, columns), np.float32)
        for i, (w, b) in enumerate(layers):
            weight[i, : w.shape[0], : w.shape[1]], bias[i, 0, : len(b)] = w, b
        return self.torch.from_numpy(weight), self.torch.from_numpy(bias)

    def __call__(self, poses: Any) -> Any:
        torch = self.torch
        x = poses.index_select(1, self.columns).reshape(len(poses), self.count, -1).transpose(0, 1)
        for weight, bias in self.layers[:-1]:
            x = torch.relu(torch.baddbmm(bias, x, weight))
        x = torch.baddbmm(self.layers[-1][1], x, self.layers[-1][0]).transpose(0, 1).reshape(len(poses), -1)
        return (x if self.kept is None else x.index_select(1, self.kept)).reshape(len(poses), -1, 3)


class _Folded:
    """Displacements (T, V, 3) as two dense products."""

    def __init__(self, torch: Any, model: DifferentialModel, arrays: dict[str, NDArray[Any]]) -> None:
        self.torch = torch
        folded = reconstructor_of(model, arrays).folded(arrays["delta.basis"], arrays["delta.mean"])
        components, anchors = model.num_components, model.num_anchors
        nothing = np.zeros((1, components), np.float32), np.zeros((1, anchors, 3), np.float32)
        mean = folded.solve(*nothing)
        units = np.repeat(nothing[1], anchors, axis=0)
        units[np.arange(anchors), np.arange(anchors), 0] = 1.0
        basis = folded.solve(np.eye(components), np.repeat(nothing[1], components, axis=0)) - mean
        moved = (folded.solve(np.zeros((anchors, components)), units) - mean)[..., 0]
        self.mean = torch.from_numpy(mean.reshape(1, -1))
        self.basis = torch.from_numpy(basis.reshape(components, -1))
        self.anchors = torch.from_numpy(np.ascontiguousarray(moved.T))  # (V, A)

    def __call__(self, z: Any, anchors: Any) -> Any:
        own = self.torch.addmm(self.mean, z, self.basis).reshape(len(z), -1, 3)
        return own + self.anchors @ anchors


class _Solved:
    """The same as a product with the basis, and a factorized solve."""

    def __init__(self, torch: Any, model: DifferentialModel, arrays: dict[str, NDArray[Any]]) -> None:
        self.torch, self.solver = torch, reconstructor_of(model, arrays)
        self.basis = torch.from_numpy(np.ascontiguousarray(arrays["delta.basis"].T))
        self.mean = torch.from_numpy(arrays["delta.mean"])

    def __call__(self, z: Any, anchors: Any) -> Any:
        delta = self.torch.addmm(self.mean, z, self.basis).reshape(len(z), -1, 3)
        threads = self.torch.get_num_threads()
        return self.torch.from_numpy(self.solver.solve(delta.numpy(), anchors.contiguous().numpy(), threads=threads))


class _Posed:
    """Vertices ``T (v0 + o + d)`` (T, V, 3)."""

    def __init__(self, torch: Any, model: DifferentialModel, arrays: dict[str, NDArray[Any]]) -> None:
        self.torch, self.rest = torch, torch.from_numpy(model.rest_vertices.copy())
        self.base = torch_base(torch, model)
        self.kinematics: Kinematics | None = None
        if "skin.joint" not in arrays:
            return
        skeleton = model.skeleton
        parents = skeleton.parents.astype(np.int64)
        tree = Layout(skeleton.num_joints, levels_of(skeleton.parents), parents, [], np.zeros((0, 0), np.int64))
        self.kinematics = Kinematics(torch, tree)
        square = np.zeros((skeleton.num_joints, 4, 4))
        square[:, :3], square[:, 3, 3] = skeleton.rest_globals, 1.0
        self.inverse = torch.from_numpy(np.linalg.inv(square).astype(np.float32))
        self.joint = torch.from_numpy(arrays["skin.joint"].astype(np.int64))
        self.weight = torch.from_numpy(arrays["skin.weight"])

    def __call__(self, poses: Any, offsets: Any) -> Any:
        points = self.rest + offsets if self.base is None else self.rest + offsets + self.base(poses)
        if self.kinematics is None:
            return points
        transforms = self.kinematics(poses)
        moved = self.torch.matmul(transforms[..., :3], self.inverse[:, :3])
        moved = self.torch.cat([moved[..., :3], moved[..., 3:] + transforms[..., 3:]], 3)
        blended = (moved[:, self.joint] * self.weight[None, :, :, None, None]).sum(2)
        return (blended[..., :3] @ points[..., None])[..., 0] + blended[..., 3]
