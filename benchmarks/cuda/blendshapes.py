"""Device time of blendshapes on an NVIDIA GPU: all heads as one product beside one kernel a head.

    python -m benchmarks.cuda.blendshapes --heads 100 --shapes 72 --vertices 46000

The rig is generated: every shape moves a cap of a sphere. Device times lie between two events around the kernels
(median, after warm-up, weights rotating through eight batches) and hold no copies. The peer is one matrix-vector
product a head over the dense offsets (cuBLAS through PyTorch), as one kernel a head would read them; "product" is one
dense product of all heads by the same library. The fraction is the time that the stored numbers and the vertices, moved
once, need at the measured rate of a copy, over the device time. Not yet run on a device.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np

import rigwright as rw
from rigwright._device_report import cuda_report

ROTATE = 8  # batches of heads
WORKSPACE = 4 << 30  # bytes: every batch in one piece


def generated(num_vertices: int, num_shapes: int, reach: float, storage: str) -> rw.BlendshapeRig:
    """A spiral of vertices on a sphere; `reach`: share of them that a shape moves."""
    rng = np.random.default_rng(0)
    turn = np.arange(num_vertices) * np.pi * (3 - np.sqrt(5))
    height = np.linspace(1, -1, num_vertices)
    ring = np.sqrt(1 - height**2)
    neutral = np.stack([ring * np.cos(turn), height, ring * np.sin(turn)], axis=1)
    centers = rng.standard_normal((num_shapes, 3))
    centers /= np.linalg.norm(centers, axis=1, keepdims=True)
    strength = np.maximum(neutral @ centers.T - (1 - 2 * reach), 0).T  # a cap of this height holds that share
    deltas = strength[:, :, None] * centers[:, None]
    return rw.BlendshapeRig(neutral, deltas, storage=storage)


def torch_times(model: rw.BlendshapeRig, weights: np.ndarray, heads: int, repeats: int) -> dict[str, float] | None:
    """Milliseconds of a product a head and of one product, or None without PyTorch on a GPU."""
    try:
        torch = importlib.import_module("torch")
    except ModuleNotFoundError:
        return None
    if not torch.cuda.is_available():
        return None
    torch.backends.cuda.matmul.allow_tf32 = False
    columns = torch.tensor(model.columns().reshape(model.num_columns, -1), device="cuda")
    across = columns.T.contiguous()
    rows = torch.tensor(model.activations(weights), device="cuda")
    out = torch.empty(heads, columns.shape[1], device="cuda")

    def each(first: int) -> None:
        for head in range(heads):
            torch.mv(across, rows[first + head], out=out[head])

    def together(first: int) -> None:
        torch.mm(rows[first : first + heads], columns, out=out)

    def milliseconds(call: Callable[[int], None]) -> float:
        times = []
        for i in range(repeats + 3):
            start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            call(i % ROTATE * heads)
            stop.record()
            stop.synchronize()
            if i >= 3:
                times.append(start.elapsed_time(stop))
        return median(times)

    return {"each": milliseconds(each), "product": milliseconds(together)}


def measure(arguments: argparse.Namespace) -> dict[str, Any]:
    extension = importlib.import_module("rigwright._cuda")
    rng = np.random.default_rng(1)
    weights = rng.random((ROTATE * arguments.heads, arguments.shapes)).astype(np.float32)
    copy = 1e9 * extension.copy_rate(1 << 30, 20)
    rows, peer = [], None
    for storage in ("float32", "int16"):
        model = generated(arguments.vertices, arguments.shapes, arguments.reach, storage)
        peer = peer or torch_times(model, weights, arguments.heads, arguments.repeats)
        one = weights[: arguments.heads]
        cpu = model.evaluate(one)
        for dense in (True, False):
            evaluator = extension.ResidentModel(model.tensors(), json.dumps(model.metadata), dense, WORKSPACE)
            entries = model.num_columns * arguments.vertices if dense else model.num_entries
            moved = entries * (12 if storage == "float32" else 6) + cpu.nbytes
            out = np.empty_like(cpu)
            evaluator.evaluate(one, out)
            device = median(evaluator.milliseconds(weights, arguments.heads, arguments.repeats))
            row = {"storage": storage, "dense": dense, "device_ms": device, "fraction": 1e3 * moved / copy / device}
            rows.append(row | {"difference": float(np.abs(out - cpu).max())})
    return {"device": cuda_report().detail, "copy_rate": copy, "peer": peer, "rows": rows}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heads", type=int, default=100)
    parser.add_argument("--shapes", type=int, default=72)
    parser.add_argument("--vertices", type=int, default=46000)
    parser.add_argument("--reach", type=float, default=0.3, help="share of the vertices that a shape moves")
    parser.add_argument("--repeats", type=int, default=50, help="timed runs (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    arguments = parser.parse_args()
    report = cuda_report()
    if not report.works:
        print(f"no GPU to measure: {report.detail}", file=sys.stderr)
        return 1
    found = measure(arguments)
    if arguments.json:
        print(json.dumps(found, indent=2))
        return 0
    print(f"{found['device']}; copy {found['copy_rate'] / 1e9:.0f} GB/s")
    print(f"{arguments.heads} heads, {arguments.shapes} shapes, {arguments.vertices} vertices")
    if found["peer"]:
        print(f"one kernel a head {found['peer']['each']:.3f} ms, one product {found['peer']['product']:.3f} ms")
    for row in found["rows"]:
        ratio = f"{found['peer']['each'] / row['device_ms']:.1f} x" if found["peer"] else "no PyTorch"
        form = "dense" if row["dense"] else "sparse"
        print(
            f"{row['storage']:8} {form:6} {row['device_ms']:8.3f} ms, {ratio}, "
            f"{row['fraction']:.0%} of the copy rate, largest difference {row['difference']:.1e}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
