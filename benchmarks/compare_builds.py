"""Times two builds of the engine against each other: ``python -m benchmarks.compare_builds OLD NEW``.

OLD and NEW are folders that hold a package ``rigcast`` with its extension. Each runs in a process of its own; the two
take turns, row by row. A row prints the median ratio new / old over the pairs and its 95 % bounds (bootstrap).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
# Of a random body that is about as large as the demo's.
BODY_SIZES: dict[str, Any] = {
    "num_joints": 40,
    "num_vertices": 13000,
    "num_sets": 30,
    "hidden": 128,
    "components": 25,
    "overlap": 0.2,
}


def jobs(body: str | None) -> dict[str, Callable[[], object]]:
    """What is timed, on one thread; built in the worker's process."""
    from tests.support import blendshapes, models, second_face, skinning

    import rigcast as rc

    def evaluate(model: Any, poses: np.ndarray) -> Callable[[], object]:
        out = np.empty((len(poses), len(model.rest_vertices), 3), np.float32)
        return lambda: model.evaluate(poses, threads=1, out=out)

    learned = rc.load(body) if body else models.random_body(**BODY_SIZES)
    low, high = learned.control_ranges.T
    poses = (low + np.random.default_rng(0).random((64, len(low))) * (high - low)).astype(np.float32)
    linear = models.linear_blend(60, 13000, 4)
    dual = skinning.skinned(rc.DualQuaternionSkinning, 60, 13000, 4)
    mush = skinning.skinned(rc.DeltaMush, 60, 3000, 4)
    joints = models.random_poses(linear.skeleton, 8)
    face = blendshapes.random_rig(num_vertices=20000, num_shapes=60, reach=0.1)
    weights = blendshapes.random_weights(face, 100)
    truth = face.evaluate(np.clip(weights[:40], 0, 1))
    solver = rc.inverse.Solver(face)
    first, neutral = second_face.first_face(), second_face.second_neutral()
    seeds = np.ones((8, 13000, 3), np.float32)
    return {
        "body, one pose": evaluate(learned, poses[:1]),
        "body, 64 poses": evaluate(learned, poses),
        "body, vjp of one pose": lambda: learned.vjp(poses[:1], np.ones_like(learned.rest_vertices)[None], threads=1),
        "linear blend, 8 poses": evaluate(linear, joints),
        "linear blend, vjp": lambda: linear.vjp(joints, seeds, threads=1),
        "dual quaternion, 8 poses": evaluate(dual, joints),
        "delta mush, 8 poses": evaluate(mush, joints),
        "blendshapes, one head": evaluate(face, weights[:1]),
        "blendshapes, 100 heads": evaluate(face, weights),
        "inverse rig, 40 frames": lambda: solver.solve(truth, alpha=0.01, threads=1),
        "inverse rig, smoothness": lambda: solver.solve(truth, alpha=0.01, smoothness=1.0, threads=1),
        "transfer": lambda: rc.transfer.transfer_rig(first, neutral),
    }


def work(body: str | None) -> None:
    """The worker: reads names of jobs, answers with seconds of processor time per call."""
    table = jobs(body)
    print(json.dumps(list(table)), flush=True)
    for line in sys.stdin:
        job = table[line.strip()]
        job()
        calls, begin = 0, time.process_time()
        while calls < 3 or time.process_time() - begin < 0.15:
            job()
            calls += 1
        print((time.process_time() - begin) / calls, flush=True)


def worker(folder: str, body: str | None) -> subprocess.Popen[str]:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(Path(folder).resolve()), str(ROOT)])}
    command = [sys.executable, __file__, "--work", *(["--body", str(Path(body).resolve())] if body else [])]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment, cwd="/")


def ask(process: subprocess.Popen[str], name: str) -> float:
    stdin, stdout = process.stdin, process.stdout
    assert stdin is not None
    assert stdout is not None
    print(name, file=stdin, flush=True)
    return float(stdout.readline())


def bounds(ratios: np.ndarray) -> tuple[float, float]:
    chosen = np.random.default_rng(0).integers(len(ratios), size=(2000, len(ratios)))
    low, high = np.percentile(np.median(ratios[chosen], axis=1), [2.5, 97.5])
    return float(low), float(high)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", metavar="FOLDER", help="the old and the new build")
    parser.add_argument("--body", help="a model file of kind body; a random one by default")
    parser.add_argument("--pairs", type=int, default=12)
    parser.add_argument("--only", default="", help="rows whose names hold this")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.work:
        work(arguments.body)
        return
    if len(arguments.folders) != 2:
        parser.error("two folders are needed: the old build and the new one")
    pair = [worker(folder, arguments.body) for folder in arguments.folders]
    opened: list[IO[str] | None] = [process.stdout for process in pair]
    names = [json.loads(stream.readline()) for stream in opened if stream is not None].pop()
    for name in names:
        if arguments.only not in name:
            continue
        times = np.array([[ask(process, name) for process in pair] for _ in range(arguments.pairs)])
        ratios = times[:, 1] / times[:, 0]
        low, high = bounds(ratios)
        print(
            f"{name}: new / old {np.median(ratios):.3f} (95 % {low:.3f} to {high:.3f}); "
            f"{1e3 * times[:, 1].min():.3f} ms"
        )
    for process in pair:
        process.communicate()


if __name__ == "__main__":
    main()
