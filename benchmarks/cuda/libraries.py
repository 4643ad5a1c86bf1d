"""Our own kernels beside cuBLAS and cuSPARSE on an NVIDIA GPU, by batch, for models in a differential subspace.

    python -m benchmarks.cuda.libraries [MODEL]

Decides which is the default (``ResidentOptions::libraries``). Needs a build with ``RIGWRIGHT_CUDA_LIBRARIES=ON``.
Without a model, a random one of the paper's sizes (benchmarks/differential/engine.py). Columns: "own" is our grouped
product with the folded last step, "cuBLAS" the same products by cuBLAS, "solve" cuBLAS with the factorized last step by
cuSPARSE's triangular solver. Device times in milliseconds lie between two events around the kernels (median, after
warm-up, poses rotating through eight batches); they hold no copies and no analysis of the solver. "difference" is the
largest one of the two libraries' vertices from the CPU's, over the largest coordinate. Not yet run on a device.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from types import ModuleType
from typing import Any

import numpy as np

import rigwright as rw
from benchmarks.cuda.differential import BATCHES, ROTATE, WORKSPACE
from benchmarks.differential.engine import ROOT, random_tensors
from rigwright import _core
from rigwright._device_report import cuda_libraries, cuda_report

WAYS = {"own": ("folded", False), "cuBLAS": ("folded", True), "solve": ("factorized", True)}
GAIN = 1.1  # a library becomes the default if it is faster by this at every batch


def evaluator(extension: ModuleType, model: Any, libraries: bool) -> Any:
    """The model on the device."""
    metadata = json.dumps(model.metadata)
    return extension.ResidentModel(model.tensors(), metadata, workspace=WORKSPACE, libraries=libraries)


def measure(model: Any, repeats: int, batches: list[int] = BATCHES) -> list[dict[str, Any]]:
    """A row per batch: milliseconds of each of the WAYS, and the libraries' difference from the CPU."""
    extension = importlib.import_module("rigwright._cuda")
    models = {way: model.with_tail(tail) for way, (tail, _) in WAYS.items()}
    on_device = {way: evaluator(extension, models[way], libraries) for way, (_, libraries) in WAYS.items()}
    low, high = model.control_ranges.T
    poses = np.random.default_rng(0).uniform(low, high, (ROTATE * max(batches), len(low))).astype(np.float32)
    rows = []
    for batch in batches:
        some, one = poses[: ROTATE * batch], poses[:batch]
        row: dict[str, Any] = {"batch": batch, "difference": 0.0}
        for way, device in on_device.items():
            row[way] = median(device.milliseconds(some, batch, repeats))
            cpu, out = models[way].evaluate(one), np.empty((batch, *model.rest_vertices.shape), np.float32)
            device.evaluate(one, out)
            if way != "own":
                row["difference"] = max(row["difference"], float(np.abs(out - cpu).max() / np.abs(cpu).max()))
        rows.append(row)
    return rows


def verdict(rows: list[dict[str, Any]], way: str) -> str:
    """Whether a library is to be the default."""
    least = min(row["own"] / row[way] for row in rows)
    return f"{way}: {least:.2f} x own at its worst batch: {'the default' if least >= GAIN else 'own stays the default'}"


def table(rows: list[dict[str, Any]]) -> list[str]:
    """Lines to print."""
    lines = ["batch     own ms  cuBLAS ms   solve ms  cuBLAS gain  solve gain  difference"]
    for row in rows:
        gains: Mapping[str, float] = {way: row["own"] / row[way] for way in WAYS}
        lines.append(
            f"{row['batch']:>5} {row['own']:>10.4f} {row['cuBLAS']:>10.4f} {row['solve']:>10.4f} "
            f"{gains['cuBLAS']:>10.2f} x {gains['solve']:>9.2f} x {row['difference']:>11.1e}"
        )
    return [*lines, verdict(rows, "cuBLAS"), verdict(rows, "solve")]


def main() -> int:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", nargs="?", help="a model file of kind differential")
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--repeats", type=int, default=50, help="timed runs per batch (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    given = parser.parse_args()
    report = cuda_report()
    if not report.works:
        print(f"no GPU to measure: {report.detail}", file=sys.stderr)
        return 1
    if not cuda_libraries().startswith("cuBLAS"):
        print(f"no libraries to measure: {cuda_libraries()}", file=sys.stderr)
        return 1
    model = rw.load(given.model) if given.model else _core.model_from_tensors(*random_tensors(given.data))
    rows = measure(model, given.repeats)
    if given.json:
        print(json.dumps({"device": report.detail, "libraries": cuda_libraries(), "rows": rows}, indent=2))
        return 0
    print(f"{report.detail}; {cuda_libraries()}\n{model!r}")
    print("\n".join(table(rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
