"""Would bfloat16 products pay for crowds? ``python -m benchmarks.papers.body.bfloat16 model.safetensors held_out.rwdata``.

Prints what rounding to bfloat16 does to the vertices of a learned body (weights and bases alone, and with the inputs of
each product, which AVX-512 BF16 and AMX need), beside the model's own error, and how fast PyTorch multiplies in
bfloat16 on one thread, with and without rounding the inputs.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

import rigcast as rc
from benchmarks.peers.body_arrays import layout
from rigcast._timing import interleaved, load_average, machine

Floats = NDArray[np.float32]
Round = Callable[[Floats], Floats]
SHAPES = {"first layer": (300, 128), "second layer": (128, 128), "basis": (25, 660)}  # inputs, outputs
FRAMES, MOST_POSES = 256, 40


def to_bfloat16(x: Floats) -> Floats:
    """Round to the upper half of a float32, ties to even."""
    bits = np.ascontiguousarray(x, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) & np.uint32(0xFFFF0000)).view(np.float32)


def exact(x: Floats) -> Floats:
    return x


def vertices(model: rc.Deformer, poses: Floats, inputs: Round, matrices: Round) -> NDArray[np.float64]:
    """The model's vertices with rounded inputs of products and rounded matrices, sums in float32."""
    tensors, transforms = model.tensors(), model.skeleton.globals(poses)
    result = np.zeros((len(poses), len(model.rest_vertices), 3))
    for i, part in enumerate(layout(model).sets):
        x, points = poses[:, part.columns], part.base
        if part.layers:
            for place, (weight, bias) in enumerate(part.layers):
                x = inputs(x) @ matrices(weight).T + bias
                x = np.tanh(x) if place < 2 else x
            points = points + (inputs(x) @ matrices(part.basis).T).reshape(len(poses), -1, 3)
        transform = transforms[:, part.joint]
        moved = points @ transform[:, :, :3].transpose(0, 2, 1) + transform[:, None, :, 3]
        members = tensors["sets.vertex"][slice(*tensors["sets.offset"][i : i + 2])]
        result[:, members] += moved * part.weight
    return result


def print_errors(model: rc.Deformer, dataset: rc.Dataset) -> None:
    rows = np.linspace(0, len(dataset) - 1, min(len(dataset), MOST_POSES)).astype(int)
    _, poses, truth = dataset.take(rows)
    own = np.linalg.norm(model.evaluate(poses) - truth, axis=2).mean()
    whole = vertices(model, poses, exact, exact)
    print(f"the model's own error on {len(poses)} poses: {own:.2e}")
    for name, inputs in {"weights and bases": exact, "inputs of products, too": to_bfloat16}.items():
        error = np.linalg.norm(vertices(model, poses, inputs, to_bfloat16) - whole, axis=2).mean()
        print(f"bfloat16 {name}: {error:.2e}, {error / own:.1%} of it")


def print_speeds(runs: int) -> None:
    import torch

    torch.set_num_threads(1)
    for name, (inputs, outputs) in SHAPES.items():
        x, weight = torch.randn(FRAMES, inputs), torch.randn(inputs, outputs)
        narrow_x, narrow = x.bfloat16(), weight.bfloat16()
        calls = {
            "float32": lambda a=x, b=weight: a @ b,
            "bfloat16": lambda a=narrow_x, b=narrow: a @ b,
            "bfloat16 with conversions": lambda a=x, b=narrow: (a.bfloat16() @ b).float(),
        }
        with torch.inference_mode():
            times = interleaved(calls, runs)
        operations = 2e-9 * FRAMES * inputs * outputs
        print(f"{name}: " + ", ".join(f"{key} {operations / time:.0f} GFLOP/s" for key, time in times.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="a model file of kind body")
    parser.add_argument("data", help="a data set with the rig's vertices")
    parser.add_argument("--runs", type=int, default=60, help="rounds of each speed")
    arguments = parser.parse_args()
    print_errors(rc.load(arguments.model), rc.Dataset(arguments.data))
    print_speeds(arguments.runs)
    print(f"{machine()}; load {load_average():.1f}")


if __name__ == "__main__":
    main()
