"""Times a whole differential model beside PyTorch: ``python -m benchmarks.differential.engine [model.safetensors]``.

Without a file: a random model of the paper's sizes (Song et al. 2020, Agent: 4,398 vertices, 220 components, 88 anchors
with 3 x 64 networks, a network of 5 x 2,048), with the identity as transforms. PyTorch's sides: all anchor networks
batched (its best), and one module per anchor; then the product with the basis and this project's own factorized solve.
One thread; times are medians of interleaved calls.
"""

from __future__ import annotations

import argparse
import itertools
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

import rigwright as rw
from benchmarks.differential.tails import FRONT, ROOT, mesh
from rigwright import _core
from rigwright._bench.timing import interleaved, machine

INPUTS, HIDDEN, LAYERS, ANCHOR_HIDDEN, ANCHOR_LAYERS = 247, 2048, 5, 64, 3
READ = 24  # inputs of an anchor network, on average

Tensors = dict[str, np.ndarray]


def random_tensors(data: Path) -> tuple[Tensors, str]:
    """Tensors of the paper's sizes, weights of He's variance, which keep half of all units at zero."""
    rng = np.random.default_rng(0)
    faces, count = mesh(data, FRONT)
    components, anchors = round(0.05 * count), rw.differential.choose_anchors(faces, count, round(0.02 * count))
    columns = [np.sort(rng.permutation(INPUTS)[: int(rng.integers(8, 2 * READ - 8))]) for _ in anchors]
    tensors: Tensors = {
        "rest_vertices": rng.standard_normal((count, 3)),
        "faces": faces,
        "control_ranges": np.tile([0.0, 1.0], (INPUTS, 1)),
        "inputs.column": np.arange(INPUTS),
        "delta.basis": rng.standard_normal((3 * count, components)) / np.sqrt(3 * count),
        "delta.mean": np.zeros(3 * count),
        "anchors.vertex": anchors,
        "anchors.weight": np.ones(len(anchors)),
        "anchors.offset": np.arange(len(anchors) + 1),
        "anchors.input.offset": np.cumsum([0, *map(len, columns)]),
        "anchors.column": np.concatenate(columns),
    }
    widths = [INPUTS, *[HIDDEN] * LAYERS, components]
    for i in range(1, len(widths)):
        shape = (widths[i], widths[i - 1])
        tensors[f"network.layer{i}.weight"] = rng.standard_normal(shape) * np.sqrt(2.0 / widths[i - 1])
        tensors[f"network.layer{i}.bias"] = np.zeros(widths[i])
    h, s = ANCHOR_HIDDEN, len(anchors)
    rows = len(tensors["anchors.column"])
    tensors["anchors.layer1.weight"] = rng.standard_normal((rows, h)) * np.sqrt(2.0 / READ)
    for i in range(1, ANCHOR_LAYERS + 1):
        tensors[f"anchors.layer{i}.bias"] = np.zeros((s, h))
        if i > 1:
            tensors[f"anchors.layer{i}.weight"] = rng.standard_normal((s, h, h)) * np.sqrt(2.0 / h)
    tensors[f"anchors.layer{ANCHOR_LAYERS + 1}.weight"] = rng.standard_normal((3 * s, h)) * np.sqrt(1.0 / h)
    tensors[f"anchors.layer{ANCHOR_LAYERS + 1}.bias"] = np.zeros(3 * s)
    about = {
        "kind": "differential",
        "version": 1,
        "name": "random",
        "joint_names": [],
        "numeric_controls": [f"dial{i}" for i in range(INPUTS)],
        "meters_per_unit": 0.01,
        "up_axis": "Y",
        "laplacian": "D - A",
    }
    arrays = {k: v.astype(np.int32 if v.dtype.kind == "i" else np.float32) for k, v in tensors.items()}
    return arrays, json.dumps(about)


class Peer:
    """The networks in PyTorch, then the basis and a solve: of models without joints, with one network per anchor."""

    def __init__(self, tensors: Tensors, batched: bool) -> None:
        self.batched = batched
        self.layers = self._stack(tensors, "network")
        self.anchor_layers = sum(name.startswith("anchors.layer") for name in tensors) // 2
        begins, columns = tensors["anchors.input.offset"], tensors["anchors.column"]
        self.columns = [torch.tensor(columns[a:b].astype(np.int64)) for a, b in itertools.pairwise(begins)]
        widest = max(len(c) for c in self.columns)
        s, h = len(self.columns), tensors["anchors.layer1.weight"].shape[1]
        first = np.zeros((s, widest, h), np.float32)
        self.gather = torch.zeros((s, widest), dtype=torch.int64)
        for i, (a, b) in enumerate(itertools.pairwise(begins)):
            first[i, : b - a] = tensors["anchors.layer1.weight"][a:b]
            self.gather[i, : b - a] = self.columns[i]
        weights = [first]
        for i in range(2, self.anchor_layers):
            weights.append(tensors[f"anchors.layer{i}.weight"].transpose(0, 2, 1))
        last = tensors[f"anchors.layer{self.anchor_layers}.weight"].reshape(s, 3, h)
        weights.append(last.transpose(0, 2, 1))
        biases = [tensors[f"anchors.layer{i}.bias"].reshape(s, 1, -1) for i in range(1, self.anchor_layers + 1)]
        self.weights = [torch.tensor(np.ascontiguousarray(w)) for w in weights]
        self.biases = [torch.tensor(b) for b in biases]
        self.modules = [self._module(i) for i in range(s)]
        self.basis, self.mean = torch.tensor(tensors["delta.basis"]), torch.tensor(tensors["delta.mean"])
        self.rest = tensors["rest_vertices"]
        self.solver = rw.differential.Reconstructor(
            tensors["faces"], len(self.rest), tensors["anchors.vertex"], tensors["anchors.weight"]
        )

    @staticmethod
    def _stack(tensors: Tensors, name: str) -> torch.nn.Sequential:
        count = sum(key.startswith(f"{name}.layer") for key in tensors) // 2
        parts: list[torch.nn.Module] = []
        for i in range(1, count + 1):
            weight, bias = tensors[f"{name}.layer{i}.weight"], tensors[f"{name}.layer{i}.bias"]
            linear = torch.nn.Linear(weight.shape[1], weight.shape[0])
            linear.weight.data, linear.bias.data = torch.tensor(weight), torch.tensor(bias)
            parts += [linear, torch.nn.ReLU()]
        return torch.nn.Sequential(*parts[:-1])

    def _module(self, s: int) -> torch.nn.Sequential:
        parts: list[torch.nn.Module] = []
        for i, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            used = weight[s, : len(self.columns[s])] if i == 0 else weight[s]
            linear = torch.nn.Linear(*used.shape)
            linear.weight.data, linear.bias.data = used.T.contiguous(), bias[s, 0].clone()
            parts += [linear, torch.nn.ReLU()]
        return torch.nn.Sequential(*parts[:-1])

    @torch.inference_mode()
    def __call__(self, poses: np.ndarray) -> np.ndarray:
        x = torch.from_numpy(poses)
        delta = torch.addmm(self.mean, self.layers(x), self.basis.T).reshape(len(poses), -1, 3)
        if self.batched:
            y = x[:, self.gather].transpose(0, 1)
            for i, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
                y = torch.baddbmm(bias, y, weight)
                y = torch.relu(y) if i + 1 < len(self.weights) else y
            anchors = y.transpose(0, 1)
        else:
            outputs = [module(x[:, c]) for module, c in zip(self.modules, self.columns, strict=True)]
            anchors = torch.stack(outputs, dim=1)
        return self.rest + self.solver.solve(delta.numpy(), anchors.contiguous().numpy(), threads=1)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", nargs="?", help="a model file of kind differential without joints")
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--runs", type=int, default=15)
    given = parser.parse_args()
    torch.set_num_threads(1)
    if given.model:
        model = rw.load(given.model)
        tensors = _core.TensorFile.read(given.model).arrays()
    else:
        tensors, about = random_tensors(given.data)
        model = _core.model_from_tensors(tensors, about)
    half = model.stored("16-bit")
    print(machine(), f"torch {torch.__version__}")
    print(f"{model!r}, {model.num_bytes / 1e6:.1f} MB, {half.num_bytes / 1e6:.1f} MB with 16 bits, {model.tail}")
    peers = {"PyTorch, anchors batched": Peer(tensors, True), "PyTorch, one module per anchor": Peer(tensors, False)}
    for frames in (1, 64):
        poses = np.random.default_rng(1).random((frames, len(model.control_names))).astype(np.float32)
        calls: dict[str, Callable[[], np.ndarray]] = {
            "ours": lambda p=poses: model.evaluate(p, threads=1),
            "ours, 16 bits": lambda p=poses: half.evaluate(p, threads=1),
            **{name: (lambda peer=peer, p=poses: peer(p)) for name, peer in peers.items()},
        }
        seconds = interleaved(calls, given.runs, in_a_row=3 if frames == 1 else 1)
        truth = calls["PyTorch, anchors batched"]()
        print(f"{frames} frames, one thread")
        for name, call in calls.items():
            error = np.abs(call() - truth).max()
            ratio = seconds[name] / seconds["ours"]
            print(f"  {name}: {1e3 * seconds[name] / frames:.3f} ms a frame, {ratio:.2f} x, differs by {error:.1e}")


if __name__ == "__main__":
    main()
