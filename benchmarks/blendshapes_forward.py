"""Times a batch of heads beside one NumPy matrix product: ``python benchmarks/blendshapes_forward.py --heads 100``.

The peer is one well-shaped float32 product with as many multiply-adds as the rig has stored numbers,
(heads, R) @ (R, 3 V) with R = numbers / (3 V), in the faster of its two orientations, its result preallocated. A second
peer evaluates the same rig with dense offsets. Every row is measured in a process of its own, so that BLAS has the
threads of the row.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import rigwright as rw
from rigwright import _core

ICT = Path(__file__).resolve().parents[2] / "shared" / "data" / "ict_facekit" / "expressions.npz"


def face(path: Path, seed: int = 0) -> tuple[str, np.ndarray, np.ndarray]:
    """A name, neutral (V, 3) and offsets (K, V, 3): the ICT face's, or generated ones that move patches of a sphere.

    The ICT neutral is noise here: times and differences hang on the offsets alone.
    """
    rng = np.random.default_rng(seed)
    if path.exists():
        with np.load(path) as arrays:
            deltas = np.array(arrays["deltas"], np.float32)
        return "ICT FaceKit", rng.standard_normal(deltas.shape[1:]).astype(np.float32), deltas
    turn = np.arange(26719) * np.pi * (3 - np.sqrt(5))  # neighbours on the spiral are near each other
    height = np.linspace(1, -1, len(turn))
    ring = np.sqrt(1 - height**2)
    neutral = np.stack([ring * np.cos(turn), height, ring * np.sin(turn)], axis=1)
    centres = rng.standard_normal((57, 3))
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    deltas = np.maximum(neutral @ centres.T - rng.uniform(-0.4, 0.9, 57), 0).T[:, :, None] * centres[:, None]
    return "generated face", neutral.astype(np.float32), deltas.astype(np.float32)


def rig(path: Path, corrections: int, storage: str, seed: int = 0) -> tuple[str, rw.BlendshapeRig]:
    """The face with corrections for random products of two to four shapes, constructed where all of them move it."""
    rng = np.random.default_rng(seed)
    name, neutral, deltas = face(path, seed)
    moved = (deltas != 0).any(axis=2)
    combinations: list[tuple[tuple[int, ...], np.ndarray]] = []
    while len(combinations) < corrections:
        factors = tuple(int(k) for k in rng.permutation(len(deltas))[: rng.integers(2, 5)])
        common = moved[list(factors)].all(axis=0)
        if common.sum() > 100:
            combinations.append((factors, 0.3 * deltas[factors[0]] * common[:, None]))
    return name, rw.BlendshapeRig(neutral, deltas, combinations, storage=storage)


def median(call, runs: int) -> float:
    for _ in range(3):
        call()
    seconds = []
    for _ in range(runs):
        begin = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - begin)
    return statistics.median(seconds)


def measure(arguments: argparse.Namespace) -> dict[str, object]:
    """One row: our evaluation and the peers with the same numbers of heads and threads."""
    name, model = rig(arguments.data, arguments.corrections, arguments.storage)
    vertices, heads, runs = len(model.rest_vertices), arguments.heads, arguments.runs
    rng = np.random.default_rng(1)
    weights = rng.random((heads, model.num_shapes)).astype(np.float32)
    weights *= rng.random(weights.shape) < arguments.active
    out = np.empty((heads, vertices, 3), np.float32)
    ours = median(lambda: model.evaluate(weights, threads=arguments.threads, out=out), runs)

    rank = round(model.num_entries / vertices)
    left, right = rng.random((heads, rank), np.float32), rng.random((rank, 3 * vertices), np.float32)
    wide, tall = np.empty((heads, 3 * vertices), np.float32), np.empty((3 * vertices, heads), np.float32)
    peer = min(
        median(lambda: np.matmul(left, right, out=wide), runs),
        median(lambda: np.matmul(right.T, left.T, out=tall), runs),
    )
    activations = model.activations(weights)
    columns = model.columns().reshape(model.num_columns, -1)
    dense = median(lambda: np.matmul(activations, columns, out=wide), runs)
    exact = activations.astype(np.float64) @ columns.astype(np.float64) + model.rest_vertices.reshape(-1)
    return {
        "name": name,
        "heads": heads,
        "threads": arguments.threads,
        "storage": arguments.storage,
        "shapes": model.num_shapes,
        "columns": model.num_columns,
        "vertices": vertices,
        "entries": model.num_entries,
        "nbytes": model.nbytes,
        "active": arguments.active,
        "ours": ours,
        "peer": peer,
        "dense": dense,
        "difference": float(np.abs(out.reshape(heads, -1) - exact).max()),
        "peer_difference": float(np.abs(wide + model.rest_vertices.reshape(-1) - exact).max()),
    }


def rows(arguments: argparse.Namespace) -> list[dict[str, object]]:
    """Every row in a process of its own."""
    made = []
    for storage in ("float32", "int16"):
        for heads, active in ((1, 0.3), (arguments.heads, 0.3), (arguments.heads, 1.0)):
            for threads in sorted({1, _core.num_processors()}):
                environment = {**os.environ, "OPENBLAS_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)}
                command = [sys.executable, __file__, "--measure", "--storage", storage, "--threads", str(threads)]
                command += ["--heads", str(heads), "--active", str(active), "--runs", str(arguments.runs)]
                command += ["--corrections", str(arguments.corrections), "--data", str(arguments.data)]
                done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
                made.append(json.loads(done.stdout))
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heads", type=int, default=100)
    parser.add_argument("--corrections", type=int, default=172)
    parser.add_argument("--runs", type=int, default=15, help="at least 10")
    parser.add_argument("--data", type=Path, default=ICT, help="expressions.npz of the ICT face")
    parser.add_argument("--json", action="store_true", help="everything, for machines")
    parser.add_argument("--measure", action="store_true", help="one row only, as JSON")
    parser.add_argument("--storage", default="float32", help="with --measure")
    parser.add_argument("--threads", type=int, default=1, help="with --measure")
    parser.add_argument("--active", type=float, default=1.0, help="with --measure: share of the weights not 0")
    arguments = parser.parse_args()
    if arguments.measure:
        print(json.dumps(measure(arguments)))
        return
    table = rows(arguments)
    if arguments.json:
        print(json.dumps(table, indent=2))
        return
    first = table[0]
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    print(
        f"{platform.processor() or platform.machine()}, {_core.num_processors()} processors, {_core.instruction_set()}"
    )
    print(
        f"rigwright {rw.__version__}, NumPy {np.__version__} with {blas['name']} {blas['version']}, "
        f"OPENBLAS_CORETYPE={os.environ.get('OPENBLAS_CORETYPE', 'not set')}"
    )
    print(
        f"{first['name']}: {first['vertices']} vertices, {first['shapes']} shapes, {first['columns']} columns, "
        f"{first['entries']} offsets"
    )
    print("storage  heads active threads |  ours ms  product ms  ratio |  dense ms | largest difference, dense's | MB")
    for row in table:
        print(
            f"{row['storage']:8} {row['heads']:5} {row['active']:6} {row['threads']:7} | {1e3 * row['ours']:8.3f} "
            f"{1e3 * row['peer']:11.3f} {row['ours'] / row['peer']:6.2f} | {1e3 * row['dense']:9.3f} | "
            f"{row['difference']:.1e}, {row['peer_difference']:.1e} | {row['nbytes'] / 1e6:.1f}"
        )


if __name__ == "__main__":
    main()
