"""Times deformation maps beside PyTorch and ONNX Runtime: ``python -m benchmarks.systems.face_maps.engine [MODEL]``.

Without a model, a random face of the paper's size (10 + 4 maps), once with every texel computed and once with charts
that leave texels out. Beside each time stand the multiply-adds, the bytes of constants, and the share of the rate of
multiply-adds that PyTorch's product of two matrices reaches in the same run with as many threads. An upsampling and its
3 x 3 convolution count as the 4 multiply-adds per channel that are done, not as 9.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

import rigcast as rc
from benchmarks.marks import write_between_marks
from benchmarks.peers import onnx_maps, torch_maps
from benchmarks.peers.race import fastest
from benchmarks.systems.face_maps.paper_size import face
from rigcast._timing import interleaved, load_average, machine
from rigcast._timing.engine import in_a_row

PRODUCT = 768  # rows and columns of the matrices whose product shows the machine's rate


def row(name: str, model: Any, frames: int, threads: int, runs: int) -> dict[str, Any]:
    """One line of the table: the engine, its 16-bit storage, and the fastest form of each peer."""
    torch.set_num_threads(threads)
    low, high = model.control_ranges.T
    share = np.random.default_rng(1).random((frames, len(low)))
    poses = (low + share * (high - low)).astype(np.float32)
    half = model.stored("16-bit")
    coarse = np.zeros(model.num_refinements, np.float32)
    out = np.empty((frames, *model.rest_vertices.shape), np.float32)
    candidates = {"PyTorch": torch_maps.forms(model, poses), "ONNX Runtime": onnx_maps.forms(model, poses, threads)}
    exact = model.evaluate(poses)
    tried = fastest(candidates, exact, poses)
    peers = {peer: candidates[peer][name] for peer, name in tried.names.items()}
    matrix, result = torch.ones(PRODUCT, PRODUCT), torch.empty(PRODUCT, PRODUCT)
    ours: dict[str, Callable[[], Any]] = {
        "engine": lambda: model.evaluate(poses, threads=threads, out=out),
        "16-bit": lambda: half.evaluate(poses, threads=threads, out=out),
        "coarse only": lambda: model.evaluate_detail(poses, coarse, threads=threads, out=out),
        "product": lambda: torch.mm(matrix, matrix, out=result),
    }
    times = interleaved(ours | peers, runs, in_a_row(poses))
    rate = PRODUCT**3 / times.pop("product")
    return {
        "job": f"{name}, {frames} {'pose' if frames == 1 else 'poses'}",
        "threads": threads,
        "seconds": times,
        "chosen": tried.names,
        "difference": tried.difference,
        "size": float(np.abs(exact - model.rest_vertices).max()),
        "storage difference": float(np.linalg.norm(half.evaluate(poses) - exact, axis=-1).max()),
        "multiply_adds": model.multiply_adds(),
        "texels": model.multiply_adds() / model.multiply_adds(True),
        "bytes": [model.num_bytes, half.num_bytes],
        "share": frames * model.multiply_adds() / times["engine"] / rate,
        "rate": rate,
    }


def table(rows: list[dict[str, Any]]) -> str:
    """Markdown: a line per job, first of times, then of work."""
    lines = [
        "| job | engine, ms | 16-bit | coarse only | PyTorch | ONNX Runtime | difference |",
        "| --- " + "| ---: " * 6 + "|",
    ]
    work = [
        "| job | multiply-adds | of all texels | constants, MB (16-bit) | rate |",
        "| --- " + "| ---: " * 4 + "|",
    ]
    for found in rows:
        seconds, engine = found["seconds"], found["seconds"]["engine"]
        peers = [
            f"{1e3 * seconds[peer]:.3f} ({found['chosen'][peer]}, {seconds[peer] / engine:.1f} x)"
            for peer in ("PyTorch", "ONNX Runtime")
        ]
        times = [f"{1e3 * seconds[name]:.3f}" for name in ("engine", "16-bit", "coarse only")]
        size = "{:.2f} ({:.2f})".format(*(number / 1e6 for number in found["bytes"]))
        rate = f"{found['share']:.0%} of {found['rate'] / 1e9:.1f} G/s"
        difference = f"{found['difference']:.0e} of {found['size']:.2f}"
        job = f"{found['job']}, {found['threads']} thread{'s' * (found['threads'] > 1)}"
        lines.append(f"| {' | '.join([job, *times, *peers, difference])} |")
        done = f"{found['multiply_adds'] / 1e6:.1f} M | {found['texels']:.0%} | {size} | {rate}"
        work.append(f"| {job} | {done} |")
    return "\n".join([*lines, "", *work])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", nargs="?", help="a model file of kind face_maps")
    parser.add_argument("--runs", type=int, default=20, help="rounds of each figure, at least 10")
    parser.add_argument("--poses", type=int, nargs="+", default=[1, 64], help="sizes of the batches")
    parser.add_argument("--write", action="store_true", help="put the table into docs/benchmarks")
    parser.add_argument("--json", action="store_true", help="everything, for machines")
    arguments = parser.parse_args()
    if arguments.model:
        models = {arguments.model: rc.load(arguments.model)}
    else:
        models = {"every texel": face(charts=False), "charts": face(charts=True)}
    rows = [
        row(name, model, frames, 1, max(arguments.runs, 10) if frames == 1 else 10)
        for frames in arguments.poses
        for name, model in models.items()
    ]
    if arguments.json:
        print(json.dumps({"machine": machine(), "load": load_average(), "rows": rows}, indent=2))
        return
    text = f"{table(rows)}\n\n{machine()}; PyTorch {torch.__version__}; load {load_average():.1f}."
    print(text)
    if arguments.write:
        write_between_marks("speed of deformation maps", text)


if __name__ == "__main__":
    main()
