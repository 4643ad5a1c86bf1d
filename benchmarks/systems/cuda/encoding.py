"""Delta coordinates of many frames, on the CPU and by cuSPARSE: ``python -m benchmarks.systems.cuda.encoding``.

The Laplacian of a mesh times the displacements of its vertices, frame by frame (``Reconstructor.encode``), on all
threads; the peer is one product of a sparse matrix in compressed rows and a dense one, in float32 by PyTorch, with
displacements that are on the device. Wall times on the CPU, times between two events on the device, medians. There is
no such kernel of ours: encoding happens once per data set.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

import numpy as np

import rigcast as rc
from benchmarks.systems.cuda import floors
from benchmarks.systems.cuda.differential import sphere
from benchmarks.systems.cuda.gpus import Gpu
from benchmarks.systems.cuda.script import (
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
    wall,
)

FRAMES = (1, 64, 1024)


def neighbors(faces: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Offsets and vertices of the neighbors of each vertex of a triangle mesh."""
    edges = np.concatenate([faces[:, [i, (i + 1) % 3]] for i in range(3)])
    pairs = np.unique(np.concatenate([edges, edges[:, ::-1]]), axis=0)
    return np.concatenate([[0], np.cumsum(np.bincount(pairs[:, 0], minlength=count))]), pairs[:, 1]


def laplacian(faces: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """D - A in compressed rows: offsets, columns and float32 values, each row's own vertex first."""
    start, vertex = neighbors(faces, count)
    degree, place = np.diff(start), start[:-1] + np.arange(count)
    columns = np.insert(vertex, start[:-1], np.arange(count))
    values = -np.ones(len(columns), np.float32)
    values[place] = degree
    return (start + np.arange(count + 1)).astype(np.int32), columns.astype(np.int32), values


def plan(given: argparse.Namespace) -> Plan:
    """The sparse product by number of frames."""
    faces, count = sphere()
    kernels = [floors.encoding(count, len(laplacian(faces[:, :3], count)[1]))]
    return {"vertices": count, "frames": list(given.frames), "kernels": floors.as_json(kernels)}


def on_device(displacements: np.ndarray, matrix: tuple[Any, ...]) -> float:
    """Milliseconds of PyTorch's product."""
    torch = torch_on_gpu()
    start, columns, values = (torch.tensor(part, device="cuda") for part in matrix)
    size = len(start) - 1
    sparse = torch.sparse_csr_tensor(start, columns, values, size=(size, size))
    dense = torch.tensor(displacements.transpose(1, 0, 2).reshape(size, -1), device="cuda")  # (V, 3 T)
    return device_milliseconds(torch, lambda _: torch.sparse.mm(sparse, dense), 20)


def measure(given: argparse.Namespace, plan: Plan) -> Found:
    """Figures by number of frames."""
    faces, count = sphere()
    reconstructor = rc.differential.Reconstructor(faces, count, [0])
    matrix, rng, rows = laplacian(faces[:, :3], count), np.random.default_rng(0), {}
    for frames in given.frames:
        given_frames = rng.standard_normal((frames, count, 3)).astype(np.float32)
        cpu = wall(lambda given_frames=given_frames: reconstructor.encode(given_frames))
        device = milliseconds_or_why(lambda given_frames=given_frames: on_device(given_frames, matrix))
        rows[str(frames)] = {"cpu_ms": cpu, "device_ms": device}
    return rows


def ratio(found: Found | None, frames: int) -> str:
    """The CPU's time over the device's."""
    cpu, device = (value_of(found, str(frames), key) for key in ("cpu_ms", "device_ms"))
    return f"{cpu / device:.1f} x" if isinstance(device, float) else cell(device, "")


def table(plan: Plan, found: Found | None, gpu: Gpu) -> list[str]:
    """Lines of Markdown."""
    rows = []
    for frames in plan["frames"]:
        time = floors.estimate(floors.from_json(plan["kernels"]), frames, gpu)
        cpu, device = (cell(value_of(found, str(frames), key), ".3f") for key in ("cpu_ms", "device_ms"))
        rows.append(
            [
                f"{frames:,}",
                f"{1e3 * time.floor:.4f}",
                f"{1e3 * time.predicted:.4f}",
                cpu,
                device,
                ratio(found, frames),
            ]
        )
    about = f"A mesh of {plan['vertices']:,} vertices. Floors and predictions of {gpu.name}. No goal: a peer alone."
    head = ["frames", "floor ms", "predicted ms", "ours on the CPU ms", "cuSPARSE ms", "cuSPARSE beside the CPU"]
    return [about, "", *markdown(head, rows)]


def headline(plan: Plan, found: Found | None, gpu: Gpu) -> Headline:
    """The most frames."""
    frames = plan["frames"][-1]
    time = floors.estimate(floors.from_json(plan["kernels"]), frames, gpu)
    predicted = f"{frames:,} frames in {1e3 * time.predicted:.3f} ms by cuSPARSE"
    return Headline(predicted) if found is None else Headline(predicted, f"{ratio(found, frames)} the CPU")


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--frames", type=int, nargs="+", default=FRAMES)


SCRIPT = Script(__doc__, plan, measure, table, headline, options)

if __name__ == "__main__":
    sys.exit(SCRIPT.main())
