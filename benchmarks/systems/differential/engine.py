"""Times a whole differential model beside PyTorch.

    python -m benchmarks.systems.differential.engine [MODEL] [--write]

Without a file: a random model of the paper's sizes (Song et al. 2020, Agent: 4,398 vertices, 220 components, 88 anchors
with 3 x 64 networks, a network of 5 x 2,048), with the identity as transforms. What is timed beside it says
``benchmarks.peers.compare``: whole models, then the reconstruction alone. The solve beside them is this project's,
which reads CHOLMOD's factorization by supernodes. ``--write`` writes
docs/benchmarks/experiments/faces/differential_subspace_speed.md.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

import rigcast as rc
from benchmarks.marks import write_between_marks
from benchmarks.peers import compare
from benchmarks.peers.torch_differential import reconstructor_of
from benchmarks.systems.differential.tails import FRONT, ROOT, mesh
from rigcast import _core
from rigcast._timing import interleaved
from rigcast._timing.engine import batch_of

INPUTS, HIDDEN, LAYERS, ANCHOR_HIDDEN, ANCHOR_LAYERS = 247, 2048, 5, 64, 3
READ = 24  # inputs of an anchor network, on average

Tensors = dict[str, np.ndarray]


def random_tensors(faces: np.ndarray, count: int) -> tuple[Tensors, str]:
    """Tensors of the paper's sizes for a mesh of ``count`` vertices, weights of He's variance, which keep half of all
    units at zero."""
    rng = np.random.default_rng(0)
    components, anchors = round(0.05 * count), rc.differential.choose_anchors(faces, count, round(0.02 * count))
    columns = [np.sort(rng.permutation(INPUTS)[: int(rng.integers(8, 2 * READ - 8))]) for _ in anchors]
    tensors: Tensors = {
        "rest_vertices": rng.standard_normal((count, 3)),
        "faces": faces,
        "control_ranges": np.tile([0.0, 1.0], (INPUTS, 1)),
        "inputs.column": np.arange(INPUTS),
        "delta.basis": rng.standard_normal((3 * count, components)) / np.sqrt(3 * count),
        "delta.mean": np.zeros(3 * count),
        "anchors.vertex": anchors,
        "anchors.weight": np.ones(len(anchors)),
        "anchors.offset": np.arange(len(anchors) + 1),
        "anchors.input.offset": np.cumsum([0, *map(len, columns)]),
        "anchors.column": np.concatenate(columns),
    }
    widths = [INPUTS, *[HIDDEN] * LAYERS, components]
    for i in range(1, len(widths)):
        shape = (widths[i], widths[i - 1])
        tensors[f"network.layer{i}.weight"] = rng.standard_normal(shape) * np.sqrt(2.0 / widths[i - 1])
        tensors[f"network.layer{i}.bias"] = np.zeros(widths[i])
    h, s = ANCHOR_HIDDEN, len(anchors)
    rows = len(tensors["anchors.column"])
    tensors["anchors.layer1.weight"] = rng.standard_normal((rows, h)) * np.sqrt(2.0 / READ)
    for i in range(1, ANCHOR_LAYERS + 1):
        tensors[f"anchors.layer{i}.bias"] = np.zeros((s, h))
        if i > 1:
            tensors[f"anchors.layer{i}.weight"] = rng.standard_normal((s, h, h)) * np.sqrt(2.0 / h)
    tensors[f"anchors.layer{ANCHOR_LAYERS + 1}.weight"] = rng.standard_normal((3 * s, h)) * np.sqrt(1.0 / h)
    tensors[f"anchors.layer{ANCHOR_LAYERS + 1}.bias"] = np.zeros(3 * s)
    about = {
        "kind": "differential",
        "version": 1,
        "name": "random",
        "joint_names": [],
        "numeric_controls": [f"dial{i}" for i in range(INPUTS)],
        "meters_per_unit": 0.01,
        "up_axis": "Y",
        "laplacian": "D - A",
    }
    arrays = {k: v.astype(np.int32 if v.dtype.kind == "i" else np.float32) for k, v in tensors.items()}
    return arrays, json.dumps(about)


def bytes_read(arrays: Tensors, pose: np.ndarray) -> int:
    """Of the constants, by one pose: the large network's weights of inputs that are not 0, the others whole, folded."""
    total, x = 0, pose[arrays["inputs.column"]] if "inputs.column" in arrays else pose
    for i in range(1, 1 + sum(name.startswith("network.layer") and name.endswith(".weight") for name in arrays)):
        weight = arrays[f"network.layer{i}.weight"]
        total += int(np.count_nonzero(x)) * weight[:, 0].nbytes
        x = np.maximum(weight @ x + arrays[f"network.layer{i}.bias"], 0.0)
    anchors = sum(array.nbytes for name, array in arrays.items() if name.startswith("anchors.layer"))
    points = len(arrays["rest_vertices"]) * len(arrays["anchors.vertex"]) * 4
    return total + anchors + arrays["delta.basis"].nbytes + points


def limit(model: Any, found: dict[str, Any]) -> str:
    """The limit of the machine's memory on one pose on one thread, and on the product with the basis."""
    arrays = model.tensors()
    size = bytes_read(arrays, batch_of(model, None, 1, 0)[0])
    buffer = bytearray(b"\x01") * size
    seconds = interleaved({"read": lambda: _core.read_memory(buffer, 1)}, 10, in_a_row=5)["read"]
    row = found["rows"][0]
    caps = " and ".join(f"{peer / seconds:.1f} x {name}" for name, peer in row["peers"].items())
    words = [
        f"One pose reads {size / 1e6:.0f} MB of {model.num_bytes / 1e6:.0f}:",
        "where a unit of the large network is 0, its weights are skipped.",
        f"A plain read of as many bytes takes {1e3 * seconds:.2f} ms, {size / seconds / 1e9:.0f} GB/s:",
        f"{caps} is the most that float32 weights allow here,",
        f"and the pose reaches {100 * seconds / row['seconds']:.0f} % of that rate.",
    ]
    for row in found["rows"][2:]:
        ours, alone = beside_product(model, row["poses"], row["threads"])
        words.append(
            f"In turns with the product with the basis alone, by PyTorch, {row['job']}: {1e3 * ours / row['poses']:.3f}"
            f" ms a pose, the product {1e3 * alone / row['poses']:.3f} ms."
        )
    return " ".join(words)


def beside_product(model: Any, count: int, threads: int) -> tuple[float, float]:
    """Seconds of the folded reconstruction, and of PyTorch for the basis times coefficients, in turns."""
    import torch

    before, arrays = torch.get_num_threads(), model.tensors()
    columns = torch.from_numpy(np.ascontiguousarray(arrays["delta.basis"].T))
    mean, z = torch.from_numpy(arrays["delta.mean"]), torch.randn(count, len(columns))
    folded = reconstructor_of(model, arrays).folded(arrays["delta.basis"], arrays["delta.mean"])
    anchors = np.random.default_rng(0).standard_normal((count, model.num_anchors, 3)).astype(np.float32)
    calls = {
        "ours": lambda: folded.solve(z.numpy(), anchors, threads=threads),
        "product": lambda: torch.addmm(mean, z, columns),
    }
    torch.set_num_threads(threads)
    times = interleaved(calls, 10, in_a_row=5)
    torch.set_num_threads(before)
    return times["ours"], times["product"]


def table(found: dict[str, Any], allowed: str) -> str:
    """All jobs: the engine and its variants, the fastest form of each peer, and one module per anchor network."""
    lines = ["", "| job | threads | what | ms a pose | x | differs by |", "| --- | ---: | --- | ---: | ---: | ---: |"]
    for row in found["rows"]:
        modules = {f"PyTorch, {name}": seconds for name, seconds in row["forms"].items() if name == "modules, folded"}
        times = {"rigcast": row["seconds"], **row["variants"], **row["peers"], **modules}
        for name, seconds in times.items():
            differs = f"{row['difference']:.1e}" if name == "rigcast" else ""
            each = 1e3 * seconds / row["poses"]
            ratio = seconds / row["seconds"]
            lines.append(f"| {row['job']} | {row['threads']} | {name} | {each:.3f} | {ratio:.2f} | {differs} |")
    versions = ", ".join(f"{name} {version}" for name, version in found["versions"].items())
    return "\n".join(
        [*lines, "", allowed, "", f"Machine: {found['machine']}; load {found['load']:.0f}; {versions}.", ""]
    )


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", nargs="?", help="a model file of kind differential")
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--write", action="store_true", help="write the table into the page")
    given = parser.parse_args()
    model = rc.load(given.model) if given.model else _core.model_from_tensors(*random_tensors(*mesh(given.data, FRONT)))
    half = model.stored("16-bit")
    found = compare(model, runs=given.runs, batch=given.batch)
    print(found["machine"], f"load {found['load']:.1f}, torch {found['versions']['torch']}")
    print(f"{model!r}, {model.num_bytes / 1e6:.1f} MB, {half.num_bytes / 1e6:.1f} MB with 16 bits, {model.tail}")
    for row in found["rows"]:
        print(f"{row['job']}, {row['threads']} threads; differs by {row['difference']:.1e}")
        times = {"rigcast": row["seconds"], **row["variants"], **row["peers"]}
        for name, seconds in times.items():
            each = 1e3 * seconds / row["poses"]
            print(f"  {name}: {each:.3f} ms a frame, {seconds / row['seconds']:.2f} x")
        for name, seconds in row["forms"].items():
            print(f"    form {name}: {1e3 * seconds / row['poses']:.3f} ms a frame")
    allowed = limit(model, found) if model.tail == "folded" else ""
    print(allowed)
    if given.write:
        write_between_marks("speed of differential subspaces", table(found, allowed))


if __name__ == "__main__":
    main()
