"""Device time of a learned body on an NVIDIA GPU, by batch, against what the device can copy and multiply.

    python -m benchmarks.cuda.body hero.safetensors

Device times lie between two events around the kernels (median, after warm-up, poses rotating through eight batches) and
hold no copies; "call" is the wall time of ``evaluate(device="cuda")`` with its copies, "cpu" that of the CPU on all
threads. Floors: each number the kernels must move once through the device's memory over the measured rate of a copy,
and their multiply-adds over the measured float32 rate of a large matrix product (PyTorch with CUDA, TF32 off; left out
where that is not installed). A fraction is the larger floor over the time.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np

import rigwright as rw
from rigwright._device_report import cuda_report

BATCHES = [1, 4, 16, 64, 256, 1024, 4096]
ROTATE = 8  # batches of poses
WORKSPACE = 16 << 30  # bytes: every batch in one piece


def work(model: rw.Deformer) -> dict[str, float]:
    """Floating-point operations a pose, bytes of weights, and bytes a pose that the kernels read and write."""
    tensors = model.tensors()
    matrices = {k: v for k, v in tensors.items() if k.startswith("set.") and v.ndim == 2}
    rows = {part: sum(len(v) for k, v in matrices.items() if k.endswith(part)) for part in ("1.weight", "2.weight")}
    coefficients = sum(len(v) for k, v in matrices.items() if k.endswith("3.weight"))
    members, sets, vertices = (len(tensors[k]) for k in ("sets.vertex", "sets.joint", "rest_vertices"))
    inputs = len(tensors["inputs.column"])
    between = inputs + rows["1.weight"] + rows["2.weight"] + coefficients + 3 * members + 12 * sets
    ends = len(model.control_names) + 3 * vertices
    return {
        "flops": 2.0 * sum(v.size for v in matrices.values()) + 24.0 * members,
        "weights": 4.0 * sum(v.size for v in tensors.values()),
        "bytes": 4.0 * (ends + 2 * between),  # what lies between two kernels is written and read
    }


def matrix_rate() -> float | None:
    """Float32 operations a second of a large product through PyTorch, or None without PyTorch on a GPU."""
    try:
        torch = importlib.import_module("torch")
    except ModuleNotFoundError:
        return None
    if not torch.cuda.is_available():
        return None
    torch.backends.cuda.matmul.allow_tf32 = False
    size, times = 8192, []
    a, b = (torch.randn(size, size, device="cuda") for _ in range(2))
    for i in range(13):
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        torch.mm(a, b)
        stop.record()
        stop.synchronize()
        if i >= 3:
            times.append(start.elapsed_time(stop))
    return 2.0 * size**3 / (median(times) * 1e-3)


def wall(function: Callable[[], Any], repeats: int) -> float:
    """Median milliseconds of a call, after two to warm up."""
    times = []
    for i in range(repeats + 2):
        begin = time.perf_counter()
        function()
        if i >= 2:
            times.append(1e3 * (time.perf_counter() - begin))
    return median(times)


def measure(model: rw.Deformer, repeats: int) -> dict[str, Any]:
    extension = importlib.import_module("rigwright._cuda")
    evaluator = extension.ResidentModel(model.tensors(), json.dumps(model.metadata), workspace=WORKSPACE)
    job, copy, matrix = work(model), 1e9 * extension.copy_rate(1 << 30, 20), matrix_rate()
    rng = np.random.default_rng(0)
    low, high = model.control_ranges.T
    poses = rng.uniform(low, high, (ROTATE * max(BATCHES), len(low))).astype(np.float32)
    rows = []
    for batch in BATCHES:
        some = poses[: ROTATE * batch]
        device = median(evaluator.milliseconds(some, batch, repeats))
        floors = [(job["weights"] + batch * job["bytes"]) / copy]
        if matrix:
            floors.append(batch * job["flops"] / matrix)
        one, out = some[:batch], np.empty((batch, len(model.rest_vertices), 3), np.float32)
        cpu = model.evaluate(one)
        rows.append(
            {
                "batch": batch,
                "device_ms": device,
                "fraction": 1e3 * max(floors) / device,
                "call_ms": wall(lambda one=one, out=out: model.evaluate(one, device="cuda", out=out), 10),
                "cpu_ms": wall(lambda one=one, out=out: model.evaluate(one, out=out), 10),
                "difference": float(np.abs(model.evaluate(one, device="cuda") - cpu).max() / np.abs(cpu).max()),
            }
        )
    return {"device": cuda_report().detail, "copy_rate": copy, "matrix_rate": matrix, **job, "rows": rows}


def main() -> int:
    parser = argparse.ArgumentParser(description="Device time of a learned body on a GPU, by batch.")
    parser.add_argument("model", help="a model file of kind body")
    parser.add_argument("--repeats", type=int, default=50, help="timed runs a batch (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    args = parser.parse_args()
    report = cuda_report()
    if not report.works:
        print(f"no GPU to measure: {report.detail}", file=sys.stderr)
        return 1
    found = measure(rw.load(args.model), args.repeats)
    if args.json:
        print(json.dumps(found, indent=2))
        return 0
    matrix = f"{found['matrix_rate'] / 1e12:.1f} TFLOP/s" if found["matrix_rate"] else "not measured"
    print(f"{found['device']}; copy {found['copy_rate'] / 1e9:.0f} GB/s, float32 product {matrix}")
    print(
        f"{'batch':>6} {'device ms':>10} {'us/pose':>9} {'of floor':>9} {'call ms':>9} {'cpu ms':>9} {'difference':>11}"
    )
    for row in found["rows"]:
        each = 1e3 * row["device_ms"] / row["batch"]
        print(
            f"{row['batch']:>6} {row['device_ms']:>10.4f} {each:>9.2f} {row['fraction']:>9.0%} "
            f"{row['call_ms']:>9.3f} {row['cpu_ms']:>9.3f} {row['difference']:>11.1e}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
