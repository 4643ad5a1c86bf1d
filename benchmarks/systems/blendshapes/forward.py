"""Times a batch of heads beside one NumPy matrix product: ``python -m benchmarks.systems.blendshapes.forward --write``.

Takes about two minutes on a quiet machine. The peer is one well-shaped float32 product with as many multiply-adds as
the rig has stored numbers, (heads, R) @ (R, 3 V) with R = numbers / (3 V), in the faster of its two orientations, its
result preallocated. A second peer evaluates the same rig with dense offsets. Every row is measured in a process of its
own, so that BLAS has the threads of the row; in it ours and the peers take turns. OpenBLAS runs with the kernels
(OPENBLAS_CORETYPE) that make the product fastest here.

A second table, ``--only shapes``, has the time of 1 and 100 heads by the number of shapes that are evaluated, and of
100 heads that share weights (Carrigan 2020, figures 4.6 and 4.7): ``benchmarks/systems/blendshapes/prefixes.py``.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

import rigcast as rc
from benchmarks.marks import write_between_marks
from benchmarks.systems.blendshapes import prefixes
from benchmarks.systems.blendshapes.clock import medians
from benchmarks.systems.blendshapes.rigs import ICT, rig
from rigcast import _core
from rigcast._timing import machine

OWN_COMMAND = [sys.executable, "-m", "benchmarks.systems.blendshapes.forward"]


def measure(arguments: argparse.Namespace) -> dict[str, object]:
    """One row: our evaluation and the peers with the same numbers of heads and threads."""
    name, model = rig(arguments.data, arguments.corrections, arguments.storage)
    vertices, heads, runs = len(model.rest_vertices), arguments.heads, arguments.runs
    rng = np.random.default_rng(1)
    weights = rng.random((heads, model.num_shapes)).astype(np.float32)
    weights *= rng.random(weights.shape) < arguments.active
    out = np.empty((heads, vertices, 3), np.float32)
    rank = round(model.num_entries / vertices)
    left, right = rng.random((heads, rank), np.float32), rng.random((rank, 3 * vertices), np.float32)
    wide, tall = np.empty((heads, 3 * vertices), np.float32), np.empty((3 * vertices, heads), np.float32)
    activations = model.activations(weights)
    columns = model.columns().reshape(model.num_columns, -1)
    ours, flat, upright, dense = medians(
        [
            lambda: model.evaluate(weights, threads=arguments.threads, out=out),
            lambda: np.matmul(left, right, out=wide),
            lambda: np.matmul(right.T, left.T, out=tall),
            lambda: np.matmul(activations, columns, out=wide),
        ],
        runs,
        arguments.threads,
    )
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
        "peer": min(flat, upright),
        "dense": dense,
        "difference": float(np.abs(out.reshape(heads, -1) - exact).max()),
        "peer_difference": float(np.abs(wide + model.rest_vertices.reshape(-1) - exact).max()),
    }


def probe() -> float:
    """Seconds of a product of the peer's size."""
    left, right = np.ones((100, 64), np.float32), np.ones((64, 80000), np.float32)
    out = np.empty((100, 80000), np.float32)
    return medians([lambda: np.matmul(left, right, out=out)], 15, 1)[0]


def best_kernels() -> str:
    """The OPENBLAS_CORETYPE with which NumPy is fastest on this machine; "" is what OpenBLAS chooses."""
    found = {}
    for kind in ("", "Haswell", "Zen", "SkylakeX"):
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OPENBLAS_CORETYPE": kind}
        if not kind:
            del environment["OPENBLAS_CORETYPE"]
        done = subprocess.run(
            [*OWN_COMMAND, "--probe"],
            env=environment,
            capture_output=True,
            text=True,
        )
        if done.returncode == 0:  # kernels of a larger instruction set end the process
            found[kind] = float(done.stdout)
    return min(found, key=lambda kind: found[kind])


def rows(arguments: argparse.Namespace) -> list[dict[str, object]]:
    """Every row in a process of its own."""
    made = []
    for storage in ("float32", "int16"):
        for heads, active in ((1, 0.3), (arguments.heads, 0.3), (arguments.heads, 1.0)):
            for threads in sorted({1, _core.num_processors()}):
                environment = {**os.environ, "OPENBLAS_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)}
                environment |= {"OPENBLAS_CORETYPE": arguments.kernels} if arguments.kernels else {}
                command = [
                    sys.executable,
                    "-m",
                    "benchmarks.systems.blendshapes.forward",
                    "--measure",
                    "--storage",
                    storage,
                    "--threads",
                    str(threads),
                ]
                command += ["--heads", str(heads), "--active", str(active), "--runs", str(arguments.runs)]
                command += ["--corrections", str(arguments.corrections), "--data", str(arguments.data)]
                done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
                made.append(json.loads(done.stdout))
    return made


def about(table: list[dict[str, Any]], arguments: argparse.Namespace) -> str:
    first = table[0]
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    return (
        f"{first['name']}: {first['vertices']:,} vertices, {first['shapes']} shapes, "
        f"{first['columns'] - first['shapes']} constructed combinations, {first['entries']:,} offsets that are not 0. "
        f"{machine()}; rigcast {rc.__version__}, NumPy {np.__version__} with {blas['name']} {blas['version']} "
        f"(OPENBLAS_CORETYPE {arguments.kernels or 'not set'}). Medians of {arguments.runs} runs that took turns; "
        "one thread: processor time."
    )


def figures(table: list[dict[str, Any]]) -> str:
    """The rows as a table."""
    batches = [row for row in table if row["heads"] > 1]
    lines = [
        f"| {batches[0]['heads']} heads: offsets as | weights not 0 | threads | time "
        "| one product of the non-zero part | ratio | product of all |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row in batches:
        cells = [row["storage"], f"{row['active']:.0%}", row["threads"]]
        cells += [f"{1e3 * row['ours']:.3g} ms", f"{1e3 * row['peer']:.3g} ms", f"{row['ours'] / row['peer']:.2f}"]
        cells.append(f"{1e3 * row['dense']:.3g} ms")
        lines.append(f"| {' | '.join(map(str, cells))} |")
    worst = max(row["ours"] / row["peer"] for row in batches)
    least, most = (f"{end(row['nbytes'] for row in table) / 1e6:.1f} MB" for end in (min, max))
    error = max(row["difference"] for row in table if row["storage"] == "float32")
    single = next(row for row in table if row["heads"] == 1 and row["threads"] == 1)
    lines += [
        "",
        f"Batches take {worst:.2f} x the product at most (goal: 1.2 x); one head alone "
        f"{1e3 * single['ours']:.2g} ms ({single['active']:.0%} of its weights not 0). The rig takes {most} as "
        f"float32, {least} as int16; its largest difference to sums in double precision is {error:.0e} cm as float32.",
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heads", type=int, default=100)
    parser.add_argument("--corrections", type=int, default=172)
    parser.add_argument("--runs", type=int, default=15, help="at least 10")
    parser.add_argument("--data", type=Path, default=ICT, help="expressions.npz of the ICT face")
    parser.add_argument("--json", action="store_true", help="everything, for machines")
    parser.add_argument("--write", action="store_true", help="put the table into docs/benchmarks")
    parser.add_argument("--only", choices=("product", "shapes"), help="one of the two tables")
    parser.add_argument("--measure", action="store_true", help="one row only, as JSON")
    parser.add_argument("--probe", action="store_true", help="seconds of the product with the kernels in use")
    parser.add_argument("--storage", default="float32", help="with --measure")
    parser.add_argument("--threads", type=int, default=1, help="with --measure")
    parser.add_argument("--active", type=float, default=1.0, help="with --measure: share of the weights not 0")
    arguments = parser.parse_args()
    if arguments.measure or arguments.probe:
        print(json.dumps(measure(arguments)) if arguments.measure else probe())
        return
    if arguments.only != "shapes":
        beside_a_product(arguments)
    if arguments.only != "product" and not arguments.json:
        by_shapes(arguments)


def beside_a_product(arguments: argparse.Namespace) -> None:
    arguments.kernels = best_kernels()
    table = rows(arguments)
    if arguments.json:
        print(json.dumps(table, indent=2))
        return
    text = f"{figures(table)}\n\n{about(table, arguments)}"
    print(text)
    if arguments.write:
        write_between_marks("forward figures", text)


def by_shapes(arguments: argparse.Namespace) -> None:
    name, model = rig(arguments.data, arguments.corrections, "float32")
    found = prefixes.measure(model, arguments.heads, arguments.runs)
    text = f"{prefixes.table(found, arguments.heads)}\n\n{prefixes.about(name, model, arguments.runs)}"
    print(f"\n{text}")
    if arguments.write:
        write_between_marks("forward by shapes", text)


if __name__ == "__main__":
    main()
