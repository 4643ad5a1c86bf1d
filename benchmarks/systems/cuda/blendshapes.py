"""Blendshapes on an NVIDIA GPU, all heads as one product: ``python -m benchmarks.systems.cuda.blendshapes``.

The rig is generated: every shape moves a cap of a sphere. Device times lie between two events around the kernels
(median, after warm-up, weights rotating through eight batches) and hold no copies. The peer is one matrix-vector
product per head over the dense offsets (cuBLAS through PyTorch), as one kernel per head would read them; "one product"
is one dense product of all heads by the same library. "Of copy rate" is the time that the stored numbers and the
vertices, moved once, need at the measured rate of a copy, over the device time.
"""

from __future__ import annotations

import argparse
import sys
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rigcast as rc
from benchmarks.systems.cuda.batches import ROTATE, evaluator
from benchmarks.systems.cuda.script import (
    AbsentError,
    Found,
    Script,
    copy_rate,
    device_milliseconds,
    markdown,
    torch_on_gpu,
)

BYTES = {"float32": 12, "int16": 6}  # of a stored offset


def generated(num_vertices: int, num_shapes: int, reach: float, storage: str = "float32") -> rc.BlendshapeRig:
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
    return rc.BlendshapeRig(neutral, deltas, storage=storage)


def peers(model: rc.BlendshapeRig, weights: NDArray[np.float32], heads: int, repeats: int) -> Found:
    """Milliseconds of a product per head (``each``) and of one product (``together``), or why they are ``missing``."""
    try:
        torch = torch_on_gpu()
    except AbsentError as error:
        return {"missing": str(error)}
    columns = torch.tensor(model.columns().reshape(model.num_columns, -1), device="cuda")
    across = columns.T.contiguous()
    rows = torch.tensor(model.activations(weights), device="cuda")
    out = torch.empty(heads, columns.shape[1], device="cuda")

    def each(i: int) -> None:
        for head in range(heads):
            torch.mv(across, rows[i % ROTATE * heads + head], out=out[head])

    def together(i: int) -> None:
        first = i % ROTATE * heads
        torch.mm(rows[first : first + heads], columns, out=out)

    times = {"each": device_milliseconds(torch, each, repeats)}
    return {"missing": "", "together": device_milliseconds(torch, together, repeats)} | times


def measure(given: argparse.Namespace) -> Found:
    """All storages, sparse and dense."""
    rng = np.random.default_rng(1)
    weights = rng.random((ROTATE * given.heads, given.shapes)).astype(np.float32)
    copy = copy_rate()
    rows, peer = [], None
    for storage, size in BYTES.items():
        model = generated(given.vertices, given.shapes, given.reach, storage)
        peer = peer or peers(model, weights, given.heads, given.repeats)
        one = weights[: given.heads]
        cpu = model.evaluate(one)
        for dense in (True, False):
            on_device = evaluator(model, dense=dense)
            moved = size * (model.num_columns * given.vertices if dense else model.num_entries) + cpu.nbytes
            out = np.empty_like(cpu)
            on_device.evaluate(one, out)
            device = median(on_device.milliseconds(weights, given.heads, given.repeats))
            row = {"storage": storage, "dense": dense, "device_ms": device, "fraction": 1e3 * moved / copy / device}
            rows.append(row | {"bytes": on_device.num_bytes, "difference": float(np.abs(out - cpu).max())})
    sizes = {name: getattr(given, name) for name in ("heads", "shapes", "vertices", "reach")}
    return {"sizes": sizes, "copy_rate": copy, "peer": peer, "rows": rows}


def ratio(found: Found, row: dict[str, Any]) -> str:
    """The speed relative to one kernel per head."""
    peer = found["peer"]
    return f"{peer['each'] / row['device_ms']:.1f} x" if "each" in peer else "-"


def table(found: Found) -> list[str]:
    """Lines of Markdown."""
    sizes, peer = found["sizes"], found["peer"]
    beside = (
        f"One kernel per head {peer['each']:.3f} ms, one dense product {peer['together']:.3f} ms (cuBLAS)"
        if "each" in peer
        else f"One kernel per head: not measured ({peer['missing']})"
    )
    about = (
        f"{sizes['heads']} heads, {sizes['shapes']} shapes, {sizes['vertices']:,} vertices, of which a shape moves "
        f"{sizes['reach']:.0%}. {beside}. Copies: {found['copy_rate'] / 1e9:,.0f} GB/s."
    )
    head = ["offsets", "MB on the device", "device ms", "of copy rate", "one kernel per head", "largest difference"]
    rows = [
        [
            f"{row['storage']}, {'dense' if row['dense'] else 'sparse'}",
            f"{row['bytes'] / 1e6:.1f}",
            f"{row['device_ms']:.3f}",
            f"{row['fraction']:.0%}",
            ratio(found, row),
            f"{row['difference']:.0e}",
        ]
        for row in found["rows"]
    ]
    return [about, "", *markdown(head, rows)]


def headline(found: Found) -> str:
    """The fastest row."""
    best = min(found["rows"], key=lambda row: row["device_ms"])
    beside = ratio(found, best).replace("-", "no peer")
    return f"{best['device_ms']:.3f} ms, {beside}, {best['fraction']:.0%} of the copy rate"


def sizes(parser: argparse.ArgumentParser) -> None:
    """Arguments for the size of the rig."""
    parser.add_argument("--shapes", type=int, default=72)
    parser.add_argument("--vertices", type=int, default=46000)
    parser.add_argument("--reach", type=float, default=0.3, help="share of the vertices that a shape moves")


def options(parser: argparse.ArgumentParser) -> None:
    sizes(parser)
    parser.add_argument("--heads", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=50, help="timed runs (default: %(default)s)")


SCRIPT = Script(__doc__, measure, table, headline, options)

if __name__ == "__main__":
    sys.exit(SCRIPT.main())
