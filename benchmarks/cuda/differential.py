"""Device time of a model in a differential subspace on an NVIDIA GPU, by batch.

    python -m benchmarks.cuda.differential [MODEL]

Without a model, a random one of the paper's sizes (benchmarks/differential/engine.py). Device times lie between two
events around the kernels (median, after warm-up, poses rotating through eight batches) and hold no copies. "call" is
the wall time of ``evaluate(device="cuda")`` with its copies, "cpu" that of the CPU on all threads. Floors: constants,
poses and vertices moved once over the measured rate of a copy, and multiply-adds over the measured float32 rate of a
large matrix product (PyTorch with CUDA, TF32 off: cuBLAS; left out where that is not installed). A fraction is the
larger floor over the time. Not yet run on a device.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

import rigwright as rw
from benchmarks.cuda.body import matrix_rate, wall
from benchmarks.differential.engine import ROOT, random_tensors
from rigwright import _core
from rigwright._device_report import cuda_report

BATCHES = [1, 4, 16, 64, 256, 1024]
ROTATE = 8  # batches of poses
WORKSPACE = 16 << 30  # bytes: every batch of the paper's size in one piece


def multiply_adds(tensors: dict[str, np.ndarray], vertices: int) -> int:
    """Multiply-adds of a pose: all networks, the folded last step with the anchors' columns once per axis."""
    layers = sum(
        v.size for k, v in tensors.items() if k.endswith(".weight") and k.startswith(("network.", "anchors.l"))
    )
    components = tensors["delta.basis"].shape[1]
    return int(layers + 3 * vertices * (components + len(tensors["anchors.vertex"])))


def measure(model: Any, repeats: int) -> dict[str, Any]:
    """All batches."""
    extension = importlib.import_module("rigwright._cuda")
    evaluator = extension.ResidentModel(model.tensors(), json.dumps(model.metadata), workspace=WORKSPACE)
    copy, matrix = 1e9 * extension.copy_rate(1 << 30, 20), matrix_rate()
    low, high = model.control_ranges.T
    poses = np.random.default_rng(0).uniform(low, high, (ROTATE * max(BATCHES), len(low))).astype(np.float32)
    work = multiply_adds(model.tensors(), len(model.rest_vertices))
    moved = 4 * (len(low) + model.rest_vertices.size)  # bytes a pose
    rows = []
    for batch in BATCHES:
        some, one = poses[: ROTATE * batch], poses[:batch]
        device = median(evaluator.milliseconds(some, batch, repeats))
        floors = [(4 * work + batch * moved) / copy] + ([2.0 * batch * work / matrix] if matrix else [])
        cpu, out = model.evaluate(one), np.empty((batch, *model.rest_vertices.shape), np.float32)
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
    return {"device": cuda_report().detail, "copy_rate": copy, "matrix_rate": matrix, "work": work, "rows": rows}


def main() -> int:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", nargs="?", help="a model file of kind differential")
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--repeats", type=int, default=50, help="timed runs a batch (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    given = parser.parse_args()
    report = cuda_report()
    if not report.works:
        print(f"no GPU to measure: {report.detail}", file=sys.stderr)
        return 1
    model = rw.load(given.model) if given.model else _core.model_from_tensors(*random_tensors(given.data))
    found = measure(model, given.repeats)
    if given.json:
        print(json.dumps(found, indent=2))
        return 0
    matrix = f"{found['matrix_rate'] / 1e12:.1f} TFLOP/s" if found["matrix_rate"] else "not measured"
    print(f"{found['device']}; copy {found['copy_rate'] / 1e9:.0f} GB/s, float32 product {matrix}")
    print(f"{model!r}; {found['work'] / 1e6:.1f} M multiply-adds a pose")
    print("batch  device ms  us/pose  of floor   call ms    cpu ms  difference")
    for row in found["rows"]:
        each = 1e3 * row["device_ms"] / row["batch"]
        print(
            f"{row['batch']:>5} {row['device_ms']:>10.4f} {each:>8.2f} {row['fraction']:>9.0%} "
            f"{row['call_ms']:>9.3f} {row['cpu_ms']:>9.3f} {row['difference']:>11.1e}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
