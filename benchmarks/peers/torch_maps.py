"""Deformation maps in PyTorch, in several forms; the fastest is the peer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rigcast as rc
from benchmarks.peers.base_arrays import torch_base
from benchmarks.peers.map_arrays import MapArrays, map_arrays
from rigcast._extras import require

SLOPE = 0.2


def forms(model: rc.Deformer, poses: NDArray[Any]) -> dict[str, Callable[[], Any]]:
    """Functions that compute (T, V, 3) vertices of the poses (T, C), by name.

    "segments": one network after another. "grouped": networks of the same shape as batched products and grouped
    convolutions. Each with channels first or last, as it is and frozen by TorchScript.
    """
    torch = require("torch", extra="training", purpose="comparing with PyTorch")
    inputs = torch.from_numpy(np.ascontiguousarray(poses, np.float32))
    found: dict[str, Callable[[], Any]] = {}
    for name in ("segments", "grouped"):
        for order in ("channels first", "channels last"):
            module = _module(torch, model, grouped=name == "grouped", last=order == "channels last").eval()
            found[f"{name}, {order}"] = _call(torch, module, inputs)
            with torch.inference_mode():
                traced = torch.jit.freeze(torch.jit.trace(module, inputs, check_trace=False))
                traced = torch.jit.optimize_for_inference(traced)
            found[f"{name}, {order}, TorchScript"] = _call(torch, traced, inputs)
    return found


def _call(torch: Any, module: Any, inputs: Any) -> Callable[[], Any]:
    def run() -> Any:
        with torch.inference_mode():
            return module(inputs).numpy()

    return run


def groups_of(segments: list[MapArrays], grouped: bool) -> list[list[MapArrays]]:
    """Segments of one shape together, or each alone."""
    if not grouped:
        return [[segment] for segment in segments]
    shapes: dict[tuple[object, ...], list[MapArrays]] = {}
    for segment in segments:
        shapes.setdefault((segment.is_refinement, *segment.shape), []).append(segment)
    return list(shapes.values())


def _module(torch: Any, model: rc.Deformer, grouped: bool, last: bool) -> Any:
    class Face(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            groups = groups_of(map_arrays(model), grouped)
            self.rest = torch.from_numpy(model.rest_vertices.copy())
            self.base = torch_base(torch, model)
            self.groups = torch.nn.ModuleList(_group(torch, group, last) for group in groups)
            self.vertex = [torch.from_numpy(np.concatenate([s.vertex for s in group])) for group in groups]

        def forward(self, poses: Any) -> Any:
            vertices = self.rest.expand(poses.shape[0], -1, -1).clone()
            if self.base is not None:
                vertices += self.base(poses)
            for group, vertex in zip(self.groups, self.vertex, strict=True):
                vertices.index_add_(1, vertex, group(poses))
            return vertices

    return Face()


def _group(torch: Any, segments: list[MapArrays], last: bool) -> Any:
    """The offsets (T, M, 3) of segments of the same shape."""
    count, first = len(segments), segments[0]
    functional = torch.nn.functional

    def bent(x: Any) -> Any:
        if first.convolutions:
            return functional.leaky_relu(x, SLOPE)
        inside = (x + 1.0).clamp(0.0, 2.0)
        return torch.where(x > 1.0, x, SLOPE * x + (0.25 * (1.0 - SLOPE)) * inside * inside)

    def stack(name: str) -> Any:
        return torch.from_numpy(np.stack([s.layers[name] for s in segments]))

    class Group(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            width = max(len(s.column) for s in segments)
            column = np.zeros((count, width), np.int64)
            weight = np.zeros((count, width, len(first.layers["dense1.bias"])), np.float32)
            for i, segment in enumerate(segments):
                column[i, : len(segment.column)] = segment.column
                weight[i, : len(segment.column)] = segment.layers["dense1.weight"].T
            self.column = torch.from_numpy(column.reshape(-1))
            self.dense = [(torch.from_numpy(weight), stack("dense1.bias")[:, None], True)]
            for name, bends in first.dense[1:]:
                matrix = stack(f"{name}.weight").transpose(1, 2).contiguous()
                self.dense.append((matrix, stack(f"{name}.bias")[:, None], bends))
            self.weight, self.bias = [], []
            convolved = [*(f"conv{i + 1}" for i in range(first.convolutions)), "output"]
            for name in convolved if first.convolutions else []:
                kernel = stack(f"{name}.weight").flatten(0, 1)
                kernel = kernel if kernel.ndim == 4 else kernel[:, :, None, None]
                self.weight.append(kernel.to(memory_format=torch.channels_last) if last else kernel)
                self.bias.append(stack(f"{name}.bias").flatten())
            texels = first.resolution**2
            samples = [segment.samples() for segment in segments]
            place = [texel + i * texels for i, (texel, _) in enumerate(samples)]
            self.texel = torch.from_numpy(np.concatenate(place).reshape(-1))
            self.share = torch.from_numpy(np.concatenate([weight for _, weight in samples]))[:, :, None]

        def forward(self, poses: Any) -> Any:
            frames = poses.shape[0]
            x = poses.index_select(1, self.column).reshape(frames, count, -1).transpose(0, 1)
            for weight, bias, bends in self.dense:
                x = torch.baddbmm(bias, x, weight)
                x = bent(x) if bends else x
            x = x.transpose(0, 1).reshape(frames, count * first.channels, first.base, first.base)
            if last:
                x = x.contiguous(memory_format=torch.channels_last)
            for layer in range(first.convolutions):
                if layer + 1 < first.convolutions:
                    x = functional.interpolate(x, scale_factor=2.0, mode="nearest")
                x = functional.conv2d(x, self.weight[layer], self.bias[layer], padding=1, groups=count)
                x = functional.leaky_relu(x, SLOPE)
            if first.convolutions:
                x = functional.conv2d(x, self.weight[-1], self.bias[-1], groups=count)
            x = x.reshape(frames, count, 3, -1).transpose(2, 3).reshape(frames, -1, 3)
            x = x.index_select(1, self.texel).reshape(frames, -1, 4, 3)
            return (x * self.share).sum(2)

    return Group()
