"""Blendshapes on an NVIDIA GPU, all heads as one product: ``python -m benchmarks.systems.cuda.blendshapes``.

The rig is generated: every shape moves a cap of a sphere. Device times lie between two events around the kernels
(median, after warm-up, weights rotating through eight batches) and hold no copies. Peers through PyTorch: one
matrix-vector product per head over the dense offsets (cuBLAS), as one kernel per head would read them, one dense
product of all heads (cuBLAS), and one sparse product (cuSPARSE). "cuSPARSE, libraries=True" is our rig by the sparse
product of a build with ``RIGCAST_CUDA_LIBRARIES=ON``. "Of copy rate" is the time that the stored numbers and the
vertices, moved once, need at the rate of a copy, over the measured time.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rigcast as rc
from benchmarks.systems.cuda import floors
from benchmarks.systems.cuda.batches import ROTATE, evaluator
from benchmarks.systems.cuda.gpus import Gpu
from benchmarks.systems.cuda.script import (
    NOT_RUN,
    Found,
    Headline,
    Plan,
    Script,
    cell,
    device_milliseconds,
    markdown,
    milliseconds_or_why,
    torch_on_gpu,
    value_of,
)

BYTES = {"float32": 12, "int16": 6}  # of a stored offset
EACH, DENSE, SPARSE = "one kernel per head (cuBLAS)", "one dense product (cuBLAS)", "one sparse product (cuSPARSE)"
LIBRARY = "cuSPARSE, libraries=True"
PEERS = (LIBRARY, SPARSE, DENSE, EACH)
GOAL = "20 x one kernel per head, 80 % of the copy rate, ahead of cuBLAS"


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


def name_of(storage: str, dense: bool) -> str:
    return f"{storage}, {'dense' if dense else 'sparse'}"


WAYS = {name_of(storage, dense): (storage, dense) for storage in BYTES for dense in (True, False)}


def plan(given: argparse.Namespace) -> Plan:
    """The kernels of each row, ours and the peers'."""
    rig = generated(given.vertices, given.shapes, given.reach)
    sizes = {name: getattr(given, name) for name in ("heads", "shapes", "vertices", "reach")}

    def kernels(dense: bool, item: int) -> list[floors.Kernel]:
        entries = rig.num_columns * given.vertices if dense else rig.num_entries
        return floors.heads(rig.num_shapes, rig.num_columns, given.vertices, entries, item)

    def peer(product: floors.Kernel, heads: int = 1) -> list[floors.Kernel]:
        """On the scalar units; `heads` above 1: all offsets are read for each of them."""
        again = product.constant_bytes * (heads > 1)
        moved = {"frame_bytes": product.frame_bytes + again, "constant_bytes": product.constant_bytes - again}
        return [replace(product, unit="float32", launches=heads, **moved)]

    rows = {name: kernels(dense, BYTES[storage]) for name, (storage, dense) in WAYS.items()}
    sparse, dense = kernels(False, 24)[-1], kernels(True, 12)[-1]  # a sparse offset is three values with an index each
    rows |= {LIBRARY: peer(sparse), SPARSE: peer(sparse), DENSE: peer(dense), EACH: peer(dense, given.heads)}
    shown = [rows[next(iter(WAYS))][0], *(replace(rows[name][-1], name=f"{name} offsets") for name in WAYS)]
    return {
        "sizes": sizes,
        "rows": {name: floors.as_json(found) for name, found in rows.items()},
        "shown": floors.as_json(shown),
    }


def peers(model: rc.BlendshapeRig, weights: NDArray[np.float32], heads: int, repeats: int) -> Found:
    """Milliseconds of each peer, or why there are none."""

    def operands() -> tuple[Any, Any, Any]:
        torch = torch_on_gpu()
        columns = torch.tensor(model.columns().reshape(model.num_columns, -1), device="cuda")
        return torch, columns, torch.tensor(model.activations(weights), device="cuda")

    def each() -> float:
        torch, columns, rows = operands()
        across, out = columns.T.contiguous(), torch.empty(heads, columns.shape[1], device="cuda")

        def run(i: int) -> None:
            for head in range(heads):
                torch.mv(across, rows[i % ROTATE * heads + head], out=out[head])

        return device_milliseconds(torch, run, repeats)

    def together() -> float:
        torch, columns, rows = operands()
        out = torch.empty(heads, columns.shape[1], device="cuda")

        def run(i: int) -> None:
            torch.mm(rows[i % ROTATE * heads :][:heads], columns, out=out)

        return device_milliseconds(torch, run, repeats)

    def sparse() -> float:
        torch, columns, rows = operands()
        matrix = columns.T.contiguous().to_sparse_csr()  # (3 V, N)
        batches = [rows[i * heads :][:heads].T.contiguous() for i in range(ROTATE)]
        return device_milliseconds(torch, lambda i: torch.sparse.mm(matrix, batches[i % ROTATE]), repeats)

    calls = {EACH: each, DENSE: together, SPARSE: sparse}
    return {name: {"device_ms": milliseconds_or_why(call)} for name, call in calls.items()}


def measure(given: argparse.Namespace, plan: Plan) -> Found:
    """All storages, sparse and dense, the library's product, and the peers."""
    rng = np.random.default_rng(1)
    weights = rng.random((ROTATE * given.heads, given.shapes)).astype(np.float32)
    models = {storage: generated(given.vertices, given.shapes, given.reach, storage) for storage in BYTES}

    def one_way(model: rc.BlendshapeRig, **options: bool) -> dict[str, Any]:
        on_device = evaluator(model, **options)
        cpu = model.evaluate(weights[: given.heads])
        out = np.empty_like(cpu)
        on_device.evaluate(weights[: given.heads], out)
        device = median(on_device.milliseconds(weights, given.heads, given.repeats))
        return {"device_ms": device, "bytes": on_device.num_bytes, "difference": float(np.abs(out - cpu).max())}

    found: Found = {name: one_way(models[storage], dense=dense) for name, (storage, dense) in WAYS.items()}
    try:
        found[LIBRARY] = one_way(models["float32"], libraries=True)
    except rc.errors.ArgumentError:
        found[LIBRARY] = {"device_ms": "not built in"}
    return found | peers(models["float32"], weights, given.heads, given.repeats)


def moved_ms(plan: Plan, name: str, gpu: Gpu) -> float:
    """The time of the row's offsets and vertices at the rate of a copy."""
    kernels = floors.from_json(plan["rows"][name])
    return 1e3 * kernels[-1].bytes_seconds(plan["sizes"]["heads"], gpu)


def ratio(found: Found | None, name: str) -> str:
    """The speed relative to one kernel per head."""
    own, peer = value_of(found, name, "device_ms"), value_of(found, EACH, "device_ms")
    if found is None:
        return NOT_RUN
    return f"{peer / own:.1f} x" if isinstance(peer, float) and isinstance(own, float) else "-"


def row(plan: Plan, found: Found | None, gpu: Gpu, name: str) -> list[str]:
    """Cells: both floors, the prediction of our own kernels, the time, share of the copy rate, speed, accuracy."""
    both = floors.from_json(plan["rows"][name])[-1]
    heads, time = plan["sizes"]["heads"], value_of(found, name, "device_ms")
    ours = floors.estimate(floors.from_json(plan["rows"][name]), heads, gpu)
    rate = f"{moved_ms(plan, name, gpu) / time:.0%}" if isinstance(time, float) else NOT_RUN if time is None else "-"
    return [
        name,
        f"{1e3 * both.bytes_seconds(heads, gpu):.4f}",
        f"{1e3 * both.operations_seconds(heads, gpu):.4f}",
        f"{1e3 * ours.predicted:.4f}" if name in WAYS else "-",
        cell(time, ".3f"),
        rate,
        ratio(found, name),
        cell(value_of(found, name, "difference"), ".0e") if name in (*WAYS, LIBRARY) else "-",
    ]


def table(plan: Plan, found: Found | None, gpu: Gpu) -> list[str]:
    """Lines of Markdown."""
    sizes = plan["sizes"]
    about = (
        f"{sizes['heads']} heads, {sizes['shapes']} shapes, {sizes['vertices']:,} vertices, of which a shape moves "
        f"{sizes['reach']:.0%}. Goal: {GOAL}. Floors and predictions of {gpu.name}; "
        "speed is relative to one kernel per head."
    )
    head = ["offsets", "bytes ms", "operations ms", "predicted ms", "measured ms", "of copy rate", "speed", "error"]
    return [about, "", *markdown(head, [row(plan, found, gpu, name) for name in plan["rows"]])]


def headline(plan: Plan, found: Found | None, gpu: Gpu) -> Headline:
    """The fastest of our own rows."""
    heads = plan["sizes"]["heads"]
    times = {name: 1e3 * floors.estimate(floors.from_json(plan["rows"][name]), heads, gpu).predicted for name in WAYS}

    def phrase(of: dict[str, float]) -> str:
        best = min(of, key=of.__getitem__)
        return f"{of[best]:.3f} ms, {moved_ms(plan, best, gpu) / of[best]:.0%} of the copy rate"

    if found is None:
        return Headline(phrase(times))
    measured = {name: found[name]["device_ms"] for name in WAYS}
    beside = ratio(found, min(measured, key=measured.__getitem__)).replace("-", "no peer")
    return Headline(phrase(times), f"{phrase(measured)}, {beside} one kernel per head")


def sizes(parser: argparse.ArgumentParser) -> None:
    """Arguments for the size of the rig."""
    parser.add_argument("--shapes", type=int, default=72)
    parser.add_argument("--vertices", type=int, default=46000)
    parser.add_argument("--reach", type=float, default=0.3, help="share of the vertices that a shape moves")


def options(parser: argparse.ArgumentParser) -> None:
    sizes(parser)
    parser.add_argument("--heads", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=50, help="timed runs (default: %(default)s)")


SCRIPT = Script(__doc__, plan, measure, table, headline, options)

if __name__ == "__main__":
    sys.exit(SCRIPT.main())
