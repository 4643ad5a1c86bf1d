"""Our own kernels beside cuBLAS and cuSPARSE on an NVIDIA GPU: ``python -m benchmarks.systems.cuda.libraries [MODEL]``.

Decides which is the default (``ResidentOptions::libraries``). Needs a build with ``RIGCAST_CUDA_LIBRARIES=ON``.
Without a model in a differential subspace, a random one of the paper's sizes. "Own" is our grouped product with the
folded last step, "cuBLAS" the same products by cuBLAS, "solve" cuBLAS with the factorized last step by cuSPARSE's
triangular solver. Device times in milliseconds lie between two events around the kernels (median, after warm-up, poses
rotating through eight batches); they hold no copies and no analysis of the solver. The difference is the largest one of
the two libraries' vertices from the CPU's, over the largest coordinate.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

import numpy as np

import rigcast as rc
from benchmarks.systems.cuda.batches import BATCHES, REPEATS, ROTATE, evaluator, rotating_poses
from benchmarks.systems.cuda.differential import random_model
from benchmarks.systems.cuda.script import AbsentError, Found, Script, markdown
from rigcast._device_report import cuda_libraries

WAYS = {"own": ("folded", False), "cuBLAS": ("folded", True), "solve": ("factorized", True)}
GAIN = 1.1  # a library becomes the default if it is faster by this at every batch


def measure(model: Any, repeats: int, batches: Sequence[int] = tuple(BATCHES[:-1])) -> list[dict[str, Any]]:
    """A row per batch: milliseconds of each of the WAYS, and the libraries' difference from the CPU."""
    models = {way: model.with_tail(tail) for way, (tail, _) in WAYS.items()}
    on_device = {way: evaluator(models[way], libraries=libraries) for way, (_, libraries) in WAYS.items()}
    poses = rotating_poses(model, max(batches))
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
    """The verdict on a library as the default."""
    least = min(row["own"] / row[way] for row in rows)
    return f"{way}: {least:.2f} x own at its worst batch: {'the default' if least >= GAIN else 'own stays the default'}"


def table(found: Found) -> list[str]:
    """Lines of Markdown."""
    rows = []
    for row in found["rows"]:
        gains: Mapping[str, float] = {way: row["own"] / row[way] for way in WAYS}
        times = [f"{row[way]:.4f}" for way in WAYS]
        rows.append(
            [
                f"{row['batch']:,}",
                *times,
                *(f"{gains[way]:.2f} x" for way in ("cuBLAS", "solve")),
                f"{row['difference']:.0e}",
            ]
        )
    head = ["poses", "own ms", "cuBLAS ms", "solve ms", "gain of cuBLAS", "gain of solve", "largest difference"]
    return [f"{found['libraries']}; `{found['model']}`.", "", *markdown(head, rows), "", headline(found) + "."]


def headline(found: Found) -> str:
    """Both verdicts."""
    return "; ".join(verdict(found["rows"], way) for way in ("cuBLAS", "solve"))


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", nargs="?", help="a model file of kind differential (default: a random one)")
    parser.add_argument("--repeats", type=int, default=REPEATS, help="timed runs per batch (default: %(default)s)")


def measured(given: argparse.Namespace) -> Found:
    """The figures of the script."""
    if not cuda_libraries().startswith("cuBLAS"):
        raise AbsentError(f"cuBLAS and cuSPARSE are {cuda_libraries()}")
    model = rc.load(given.model) if given.model else random_model()
    return {"libraries": cuda_libraries(), "model": repr(model), "rows": measure(model, given.repeats)}


SCRIPT = Script(__doc__, measured, table, headline, options)

if __name__ == "__main__":
    sys.exit(SCRIPT.main())
