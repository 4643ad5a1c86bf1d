"""Device time of a face on deformation maps on an NVIDIA GPU, by batch and detail.

    python -m benchmarks.cuda.face_maps [MODEL]

Without a model, a random face of the paper's size (10 + 4 maps) whose charts leave texels out. Device times lie between
two events around the kernels (median, after warm-up, poses rotating through eight batches) and hold no copies: with
all refinements, and coarse maps alone. "call" is the wall time of ``evaluate(device="cuda")`` with its copies, "cpu"
that of the CPU on all threads. Floors: constants, poses and vertices moved once over the measured rate of a copy, and
the multiply-adds that the CPU does over the measured float32 rate of a large matrix product (PyTorch with CUDA, TF32
off; left out where that is not installed). A fraction is the larger floor over the time. Not yet run on a device.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from statistics import median
from typing import Any

import numpy as np

import rigwright as rw
from benchmarks.cuda.body import matrix_rate, wall
from benchmarks.face_maps.paper_size import face
from rigwright._device_report import cuda_report

BATCHES = [1, 4, 16, 64, 256, 1024]
ROTATE = 8  # batches of poses
WORKSPACE = 16 << 30  # bytes: every batch of the paper's size in one piece


def measure(model: Any, repeats: int) -> dict[str, Any]:
    extension = importlib.import_module("rigwright._cuda")
    evaluator = extension.ResidentModel(model.tensors(), json.dumps(model.metadata), workspace=WORKSPACE)
    copy, matrix = 1e9 * extension.copy_rate(1 << 30, 20), matrix_rate()
    low, high = model.control_ranges.T
    poses = np.random.default_rng(0).uniform(low, high, (ROTATE * max(BATCHES), len(low))).astype(np.float32)
    coarse = np.zeros((1, model.num_refinements), np.float32)
    moved = 4 * (len(low) + model.rest_vertices.size)  # bytes a pose
    rows = []
    for batch in BATCHES:
        some, one = poses[: ROTATE * batch], poses[:batch]
        device = median(evaluator.milliseconds(some, batch, repeats))
        floors = [(model.num_bytes + batch * moved) / copy]
        if matrix:
            floors.append(2.0 * batch * model.multiply_adds() / matrix)
        cpu, out = model.evaluate(one), np.empty((batch, *model.rest_vertices.shape), np.float32)
        rows.append(
            {
                "batch": batch,
                "device_ms": device,
                "coarse_ms": median(evaluator.milliseconds(some, batch, repeats, coarse)),
                "fraction": 1e3 * max(floors) / device,
                "call_ms": wall(lambda one=one, out=out: model.evaluate(one, device="cuda", out=out), 10),
                "cpu_ms": wall(lambda one=one, out=out: model.evaluate(one, out=out), 10),
                "difference": float(np.abs(model.evaluate(one, device="cuda") - cpu).max() / np.abs(cpu).max()),
            }
        )
    work = {"multiply_adds": model.multiply_adds(), "constants": model.num_bytes, "moved": moved}
    return {"device": cuda_report().detail, "copy_rate": copy, "matrix_rate": matrix, **work, "rows": rows}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", nargs="?", help="a model file of kind face_maps")
    parser.add_argument("--repeats", type=int, default=50, help="timed runs a batch (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    arguments = parser.parse_args()
    report = cuda_report()
    if not report.works:
        print(f"no GPU to measure: {report.detail}", file=sys.stderr)
        return 1
    found = measure(rw.load(arguments.model) if arguments.model else face(charts=True), arguments.repeats)
    if arguments.json:
        print(json.dumps(found, indent=2))
        return 0
    matrix = f"{found['matrix_rate'] / 1e12:.1f} TFLOP/s" if found["matrix_rate"] else "not measured"
    print(f"{found['device']}; copy {found['copy_rate'] / 1e9:.0f} GB/s, float32 product {matrix}")
    print(f"{found['multiply_adds'] / 1e6:.1f} M multiply-adds a pose, {found['constants'] / 1e6:.2f} MB of constants")
    print("batch  device ms  us/pose  of floor  coarse ms   call ms    cpu ms  difference")
    for row in found["rows"]:
        each = 1e3 * row["device_ms"] / row["batch"]
        print(
            f"{row['batch']:>5} {row['device_ms']:>10.4f} {each:>8.2f} {row['fraction']:>9.0%} "
            f"{row['coarse_ms']:>10.4f} {row['call_ms']:>9.3f} {row['cpu_ms']:>9.3f} {row['difference']:>11.1e}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
